"""Refused transformations: data for a diagnostic, and its words.

A function that Python calls, and a witness of a check, are refused in the same words. Read next: `apply`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from types import MappingProxyType
from typing import TYPE_CHECKING, assert_never

from msgspec import Struct

from dsl.core import core
from dsl.diagnostics.diagnostic import Diagnostic, DslError, Label, error_for
from dsl.diagnostics.message import Help
from dsl.diagnostics.source import Span
from dsl.ir.region import CannotTransform, Problem

if TYPE_CHECKING:
    from dsl.staging.env.stager import Stager

CODES: Mapping[Problem, str] = MappingProxyType(
    {
        Problem.NOT_DIFFERENTIABLE: "E0803",
        Problem.UNBOUNDED_REVERSE: "E0805",
        Problem.NOT_LINEAR: "E0817",
        Problem.FORWARD_CUSTOM: "E0816",
        Problem.CAPTURED: "E0818",
        Problem.TOO_HIGH_ORDER: "E0821",
        Problem.BATCHED_EFFECT: "E0721",
        Problem.NO_AXIS: "E0812",
        Problem.NEEDS_SIZE: "E0425",
        Problem.OWN_SIZE: "E0425",
        Problem.NOT_CUT: "E1011",
        Problem.IN_PART: "E1018",
    }
)
"""The diagnostic for each reason a program has no such transformation."""


_OPTIONS: Mapping[Problem, str] = MappingProxyType(
    {Problem.NO_AXIS: "out_axes", Problem.NOT_CUT: "out_specs", Problem.NOT_LINEAR: "rule"}
)


class Refusal(Struct, frozen=True):
    """A transformation of this `kind`, `written` so and applied `at` a place, that a program does not have. `place` is
    that of the operation which refuses it, and `passed` a call whose functions lead there. `detail` is what is wrong
    with a rule, or the name of what it captures."""

    problem: Problem
    op: str
    reason: str
    place: Span | None
    kind: str
    at: Span
    written: core.Transform | None = None
    passed: Span | None = None
    detail: str | None = None
    path: str | None = None

    @property
    def option(self) -> Span | None:
        """The place of the option that cannot be."""
        options = {} if self.written is None else dict(self.written.options)
        found = options.get(_OPTIONS.get(self.problem, ""))
        return None if found is None else _of_user(found.span)


@contextmanager
def reporting(s: Stager, kind: str, written: core.Transform | None, span: Span) -> Iterator[None]:
    """Turns the refusal of a transformation into its error, as the session says."""
    try:
        yield
    except CannotTransform as found:
        refusal = Refusal(found.problem, found.op, found.reason, _of_user(found.span), kind, span, written)
        raise s.session.refuse(refusal) from None


@contextmanager
def reporting_at(kind: str, span: Span) -> Iterator[None]:
    """Turns the refusal of a transformation that Python asks for into its error, at one place."""
    try:
        yield
    except CannotTransform as found:
        raise refused(Refusal(found.problem, found.op, found.reason, _of_user(found.span), kind, span)) from None


def unnamed(found: CannotTransform, span: Span) -> DslError:
    """The error of a transformation that has no name in the language; at `span` if the problem has no place, or one in
    the library."""
    message = f"{found.op} cannot be transformed here: {found.reason}"
    label = Label(_of_user(found.span) or span, "")
    return error_for([Diagnostic(CODES[found.problem], message, label, help=_advice(found.problem, "", found.op, ""))])


def refused(refusal: Refusal) -> DslError:
    """The error of a refused transformation."""
    return error_for([diagnostic(refusal)])


def diagnostic(refusal: Refusal) -> Diagnostic:
    """Describe a refused transformation."""
    message, label, other = _words(refusal)
    primary = _primary(refusal)
    places = [Label(refusal.place, other)] if refusal.place not in (None, primary) else []
    if refusal.at not in (primary, refusal.place) and refusal.option is None:
        taken = (
            "its function sees one part" if refusal.problem is Problem.IN_PART else f"`{refusal.kind}` is taken here"
        )
        places.append(Label(refusal.at, taken))
    call = _snippet(refusal.place) or refusal.op
    notes = () if refusal.path is None else (refusal.path,)
    help = _advice(refusal.problem, refusal.kind, refusal.op, call, refusal.detail and f"`{refusal.detail}`")
    return Diagnostic(CODES[refusal.problem], message, Label(primary, label), tuple(places), notes, help)


def _primary(refusal: Refusal) -> Span:
    match refusal.problem:
        case (
            Problem.IN_PART
            | Problem.UNBOUNDED_REVERSE
            | Problem.TOO_HIGH_ORDER
            | Problem.BATCHED_EFFECT
            | Problem.NEEDS_SIZE
            | Problem.OWN_SIZE
        ):
            return refusal.place or refusal.passed or refusal.at
        case Problem.NO_AXIS | Problem.NOT_CUT:
            return refusal.option or refusal.passed or refusal.at
        case Problem.NOT_LINEAR:
            return refusal.passed or refusal.option or refusal.at
        case _:
            return refusal.passed or refusal.at


def _words(refusal: Refusal) -> tuple[str, str, str]:
    """The message, the label of its place, and that of the operation which refuses."""
    kind, op, reason = refusal.kind, refusal.op, refusal.reason
    match refusal.problem:
        case Problem.NOT_DIFFERENTIABLE:
            message = f"`{kind}` needs the derivative of `{op}`, which has none: {reason}"
            return message, f"goes through `{op}`", f"`{op}` is applied to a differentiated value"
        case Problem.FORWARD_CUSTOM:
            message = f"`{kind}` is forward-mode, but this `custom_vjp` only defines a reverse-mode rule"
            return message, "no forward-mode rule", "the rule is given here"
        case Problem.CAPTURED:
            name = "a value" if refusal.detail is None else f"`{refusal.detail}`"
            captured = "captures it" if refusal.detail is None else f"captures `{refusal.detail}`"
            message = f"`{kind}` differentiates {name}, which a `{op}` rule captures"
            return message, "part of this derivative would be missing", captured
        case Problem.NOT_LINEAR:
            fault = refusal.detail or "not linear in the tangents"
            return "the rule `rule` is not linear in the tangents", "derivatives must be linear", fault
        case Problem.NO_AXIS:
            return "`out_axes` is `none`, but the result differs between elements", "needs an axis", ""
        case Problem.NOT_CUT:
            message = f"the result differs along the axis `{op}` of the mesh, and `out_specs` does not cut it there"
            return message, "claims that all parts are the same", ""
        case Problem.IN_PART:
            message = f"`{op}` says how a whole array lies, and inside of `{kind}` there are only parts"
            return message, "a part lies on one device", "its function sees one part"
        case (
            Problem.UNBOUNDED_REVERSE
            | Problem.TOO_HIGH_ORDER
            | Problem.BATCHED_EFFECT
            | Problem.NEEDS_SIZE
            | Problem.OWN_SIZE
        ):
            return f"{op} cannot be transformed here: {reason}", "", ""
        case _:
            assert_never(refusal.problem)


def _advice(problem: Problem, kind: str, op: str, call: str, detail: str | None = None) -> tuple[Help, ...]:
    """Tell what can be done about it."""
    match problem:
        case Problem.NOT_DIFFERENTIABLE:
            text = (
                f"if its derivative is to be zero, write `stop_gradient({call})`, or else define one with `custom_jvp`"
            )
        case Problem.FORWARD_CUSTOM:
            text = "use `grad`, `vjp` or `jacrev`, or define the rule with `custom_jvp`"
        case Problem.CAPTURED:
            text = f"pass {detail or 'it'} as an argument, so that the rule can define its derivative"
        case Problem.NOT_LINEAR:
            text = "tangents may be added, and multiplied by values that do not depend on them"
        case Problem.NO_AXIS:
            text = "a part that differs needs an axis in `out_axes`, and in its type, too; or take one element"
        case Problem.NOT_CUT:
            text = (
                f"if each part has a piece of it, cut it: `{{{op} = 0}}`; if all are to agree, take the mean of it, "
                f'`pmean(x, "{op}")`, or the sum, `psum(x, "{op}")`, in the function, which declares '
                f'`! axis("{op}")` then'
            )
        case Problem.TOO_HIGH_ORDER:
            text = "call the solver with a larger `order`: one for each derivative inside another"
        case Problem.NEEDS_SIZE:
            text = "keep all elements and a mask, or select them by `compress`, whose size is known"
        case Problem.IN_PART:
            text = f"write it outside of the `{kind}`"
        case Problem.UNBOUNDED_REVERSE | Problem.BATCHED_EFFECT | Problem.OWN_SIZE:
            return ()
        case _:
            assert_never(problem)
    return (Help(text),)


def _snippet(span: Span | None) -> str:
    text = "" if span is None else span.text
    return text if len(text) <= 40 and "\n" not in text else ""


def _of_user(span: Span | None) -> Span | None:
    """A place in a user's text; none in the library."""
    return None if span is None or span.source.in_library else span


Refuse = Callable[[Refusal], Exception]
