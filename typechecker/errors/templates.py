"""Errors whose sentences are the same at every place: one row each, with names for the values that differ.

A row is called with the place, the context where it shows types, and its values by name:
`spec_count(span, given=1, count=2)`. `tests/typechecker/errors` holds each call against the names of its row.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from string import Formatter
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from dsl.diagnostics.diagnostic import Diagnostic, Label
from dsl.diagnostics.source import Span
from typechecker.errors.words import count, describe_term, example, format_type, make, plain_type

if TYPE_CHECKING:
    from typechecker.env.context import Context


class Template(Struct, frozen=True):
    """The words of an error. `other` labels a second place; a note without words, of no example, is left out.

    `{name}` is a value as it is, `{name:type}` a type in backquotes, `{name:plain}` one without, `{name:described}` an
    expression with its type, `{name:listed}` texts in a row, `{name:example}` the sizes of a counter-example, and
    `{name:axis|axes}` a number of something, with the plural where that is not the noun and an s.
    """

    code: str
    message: str
    label: str = ""
    other: str = ""
    note: str = ""
    help: str | None = None

    def __call__(
        self, span: Span, ctx: Context | None = None, /, other: Span | None = None, **values: object
    ) -> Diagnostic:
        words = _Words(ctx)
        note = words.vformat(self.note, (), values)
        return make(
            self.code,
            words.vformat(self.message, (), values),
            span,
            words.vformat(self.label, (), values),
            secondary=[] if other in (None, span) else [Label(other, words.vformat(self.other, (), values))],
            notes=[note] if note else [],
            help=None if self.help is None else words.vformat(self.help, (), values),
        )


class _Words(Formatter):
    """Puts values into a sentence."""

    def __init__(self, ctx: Context | None) -> None:
        self.ctx = ctx

    def format_field(self, value: Any, format_spec: str) -> str:
        if format_spec in _OF_TYPES:
            return _OF_TYPES[format_spec](self.ctx, value)
        match format_spec:
            case "":
                return str(value)
            case "listed":
                return ", ".join(value)
            case "example":
                return "".join(example(getattr(value, "counterexample", None)))
            case noun:
                return count(value, *noun.split("|"))


_OF_TYPES: Mapping[str, Callable[[Any, Any], str]] = MappingProxyType(
    {"type": format_type, "plain": plain_type, "described": describe_term}
)
