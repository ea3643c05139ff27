"""Marks of the text in IR that is made for a debugger: names and what they stand for, lines, calls, checks.

A session is `marked` or none of this is emitted. Code of the library has no marks of its own, and what is computed
there has the place of the call. Knows nothing of how one looks at marks. Read next: `dsl.ops.marks`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from dsl.core import core
from dsl.diagnostics.source import Span
from dsl.ir.build import Builder
from dsl.ir.function import Atom, Literal
from dsl.ops.marks import CHECK, ENTER, LEAVE, LINE, NAMED, STATIC, STEP, NamedParams, StepParams
from dsl.staging.values import FUNCTIONS, NUMBERS, RecordValue, TupleValue, Value, VariantValue

if TYPE_CHECKING:
    from dsl.staging.env.environment import Frame
    from dsl.staging.env.stager import Stager


class UserPlaces(Builder):
    """A builder that keeps the place in the user's text while code of the library is staged."""

    __slots__ = ("_span",)

    def __init__(self) -> None:
        self._span: Span | None = None
        super().__init__()

    @property
    def span(self) -> Span | None:
        """The place given to what is emitted."""
        return self._span

    @span.setter
    def span(self, span: Span | None) -> None:
        if span is None or not span.source.in_library:
            self._span = span


def mark_line(s: Stager, node: core.Expr) -> None:
    """Say that an expression begins that may stand on a line of its own; a block says so of each of its statements."""
    if s.marking and not isinstance(node, core.Sequence):
        s.b.span = node.span
        STEP(s.b, StepParams(LINE))


def mark_failure(s: Stager, failed: Atom, message: str) -> None:
    """Say that a check stands here, and when it fails."""
    if s.session.marked:
        STEP(s.b, StepParams(CHECK, text=message), failed)


def mark_name(s: Stager, name: str, value: Value) -> Value:
    """Say what a name stands for; from here on it is what is behind the mark."""
    return _named(s, name, value, "") if s.marking and name.isidentifier() else value


def cell_name(cell: str) -> str:
    """The name of a cell in the text; Core names it by its effect, as in `state(s)`."""
    return cell.partition("(")[2].removesuffix(")") or cell


def mark_call(s: Stager, name: str, span: Span, text: Span, stage: Callable[[], Value]) -> Value:
    """Stage a call of what stands at `text`; names inside of it are those of the call."""
    before, place = s.marking, s.b.span
    s.marking = not text.source.in_library
    s.b.span = span
    if s.marking:
        STEP(s.b, StepParams(ENTER, name))
    value = stage()
    if s.marking:
        STEP(s.b, StepParams(LEAVE))
    s.marking = before
    s.b.span = place
    return value


def mark_parameters(s: Stager, d: core.Function, frame: Frame) -> Frame:
    """Say what the parameters of a definition are."""
    if s.marking:
        s.b.span = d.span
        for parameter in d.signature.params:
            frame.locals[parameter.id] = mark_name(s, parameter.name, frame.locals[parameter.id])
    return frame


def _named(s: Stager, name: str, value: Value, path: str) -> Value:
    match value:
        case TupleValue(parts):
            return TupleValue(tuple([_named(s, name, part, f"{path}.{k}") for k, part in enumerate(parts)]))
        case RecordValue(fields):
            return RecordValue(tuple([(field, _named(s, name, part, f"{path}.{field}")) for field, part in fields]))
        case Literal():
            NAMED(s.b, NamedParams(name, path), value)
            return value
        case _ if isinstance(value, Atom):
            return _behind(s, value, NAMED(s.b, NamedParams(name, path), value)[0])
        case _:
            STEP(s.b, StepParams(STATIC, name, path, _text(value)))
            return value


def _behind(s: Stager, before: Atom, after: Atom) -> Atom:
    """The value behind a mark: a number that counts the steps of a comprehension goes on to do so."""
    if before in s.counted:
        s.counted[after] = s.counted[before]
    return after


def _text(value: Value) -> str:
    match value:
        case _ if isinstance(value, FUNCTIONS):
            return "a function"
        case VariantValue(variant=variant):
            return variant
        case bool():
            return str(value).lower()
        case str():
            return repr(value)
        case _ if isinstance(value, NUMBERS):
            return repr(value)
        case _:
            return str(value)
