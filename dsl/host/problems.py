"""What is said when an argument from Python does not fit its parameter. Words only. Read next: `binding`."""

from __future__ import annotations

from collections.abc import Sequence

from dsl.core import core
from dsl.diagnostics.diagnostic import ArgumentError, Diagnostic, EffectError, Help, Label
from dsl.diagnostics.source import Span
from dsl.staging.match import Conflict, Place


class Problem(Exception):
    """One argument that does not fit: data for a diagnostic."""

    def __init__(self, code: str, message: str, help: str = "", span: Span | None = None) -> None:
        super().__init__(code, message)
        self.code = code
        self.message = message
        self.help = help
        self.span = span


def argument_error(problems: Sequence[Problem], definition: core.Function) -> ArgumentError:
    """All problems of a call as one error, each at its parameter."""
    return ArgumentError(
        [
            Diagnostic(
                p.code,
                p.message,
                Label(p.span or definition.span),
                help=(Help(p.help),) if p.help else (),
            )
            for p in problems
        ]
    )


def described(place: Place) -> str:
    """`x.w (axis 0)`."""
    axis = "" if place.axis is None else f" (axis {place.axis})"
    return f"{place.parameter}{place.path}{axis}"


def of_conflict(conflict: Conflict, span: Span) -> Problem:
    here = described(conflict.second_place)
    if conflict.what == "rank":
        return Problem(
            "E0903", f"{here} has {conflict.second} axes, its type has {conflict.first}", span=span
        )
    if conflict.first_place is None and conflict.first == conflict.second:
        return Problem(
            "E0913", f"no size makes {conflict.what} equal to {conflict.second} in {here}", span=span
        )
    if conflict.first_place is None or conflict.what.isdecimal():
        return Problem(
            "E0903", f"{here} has size {conflict.second}, its type says {conflict.first}", span=span
        )
    first = described(conflict.first_place)
    return Problem(
        "E0904", f"{conflict.what} is {conflict.first} by {first} but {conflict.second} by {here}", span=span
    )


def unhandled_effect(definition: core.Function, effect: str) -> EffectError:
    """A function called from Python performs what only a handler in the language can handle."""
    message = f"{definition.name} performs {effect}, which Python does not handle"
    help = Help(f"call it from a function of the program that handles {effect}")
    return EffectError([Diagnostic("E0702", message, Label(definition.span), help=(help,))])
