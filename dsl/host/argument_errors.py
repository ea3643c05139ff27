"""Messages for Python arguments that do not fit their parameters. Text only. Read next: `binding`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from difflib import get_close_matches

from dsl.core import core
from dsl.core.solving import Conflict, Place
from dsl.diagnostics.diagnostic import Diagnostic, DslError, EffectError, Help, Label, error_for
from dsl.diagnostics.source import Source, Span
from dsl.types.effect import Effect, Site
from dsl.types.show import named_effect, seen_from


class Problem(Exception):
    """One argument that does not fit: data for a diagnostic."""

    def __init__(self, code: str, message: str, help: str = "", span: Span | None = None) -> None:
        super().__init__(code, message)
        self.code = code
        self.message = message
        self.help = help
        self.span = span


def argument_error(problems: Sequence[Problem], definition: core.Function) -> DslError:
    """All problems of a call as one error, each at its parameter."""
    return error_for(
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


def python_function_inside(path: str, container: str) -> Problem:
    message = f"{path} is a function of Python, inside of a {container}"
    return Problem("E0901", message, "make it a parameter of its own")


def described(place: Place) -> str:
    """`x.w (axis 0)`."""
    axis = "" if place.axis is None else f" (axis {place.axis})"
    return f"{place.parameter}{place.path}{axis}"


def of_conflict(conflict: Conflict, span: Span | None = None) -> Problem:
    """The words for sizes that do not agree."""
    here = described(conflict.second_place)
    if conflict.what == "rank":
        return Problem("E0903", f"{here} has {conflict.second} axes, its type has {conflict.first}", span=span)
    if conflict.first_place is None and conflict.first == conflict.second:
        return Problem("E0913", f"no size makes {conflict.what} equal to {conflict.second} in {here}", span=span)
    if conflict.first_place is None or conflict.what.isdecimal():
        return Problem("E0903", f"{here} has size {conflict.second}, its type says {conflict.first}", span=span)
    first = described(conflict.first_place)
    return Problem(
        "E0904",
        f"{conflict.what} is {conflict.first} according to {first} but {conflict.second} according to {here}",
        span=span,
    )


def unhandled_effect(definition: core.Function, effect: Effect) -> EffectError:
    """A function called from Python performs what only a handler in the language can handle."""
    performed = effect.operation if isinstance(effect, Site) else effect
    shown = named_effect(performed, seen_from(definition.module))
    message = f"{definition.written_name} performs {shown}, which Python does not handle"
    help = Help(f"call it from a function of the program that handles {shown}")
    return EffectError([Diagnostic("E0702", message, Label(definition.span), help=(help,))])


def no_function(kind: str, value: object) -> DslError:
    """Build the error for a value that is passed to a transformation and is not a function of a program."""
    name = getattr(value, "__name__", type(value).__name__)
    class_ = type(value).__name__
    what = "a Python function" if hasattr(value, "__name__") else f"{article(class_)} `{class_}`"
    return _of_python(
        "E0916",
        f"`dsl.{kind}` takes a function of a program, not {what}",
        f"dsl.{kind}({name})",
        name,
        help='write it in the language: `dsl.program("def f(x: f32) -> f32 = …").f`, or put `@dsl.define` on it',
    )


def other_program(parameter: str, name: str) -> DslError:
    """A function that is given to one of another program."""
    message = f"`{name}` belongs to another program"
    return _of_python("E0916", message, f"{parameter}={name}", name)


def of_linear(code: str, message: str) -> DslError:
    """An argument of a linear function, which has no parameter to point at."""
    return _of_python(code, message, "linear(…)", "…")


def _of_python(code: str, message: str, call: str, part: str, help: str = "") -> DslError:
    start = call.rindex(part)
    span = Span(Source("<python>", call), start, start + len(part))
    return error_for([Diagnostic(code, message, Label(span), help=(Help(help),) if help else ())])


def suggestion(name: str, known: Iterable[str]) -> str:
    """`; did you mean …?` of the name that is nearest, if one is near."""
    near = get_close_matches(name, list(known), n=1)
    return f"; did you mean `{near[0]}`?" if near else ""


def article(name: str) -> str:
    """Return the article before a class name."""
    return "an" if name[:1] in "aeiouAEIOU" else "a"


def misused(code: str, message: str, definition: core.Function, help: str = "") -> DslError:
    """A transformation called with what it does not take."""
    return error_for([Diagnostic(code, message, Label(definition.span), help=(Help(help),) if help else ())])
