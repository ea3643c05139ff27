"""Errors whose sentences are the same at every place: one row each, with names for the values that differ.

A row is called with the place, the context where it shows types, and its values by name:
`spec_count(span, given=1, count=2)`. `tests/typechecker/errors` holds each call against the names of its row.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from string import Formatter
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from dsl.diagnostics.diagnostic import Diagnostic, Edit, Help, Label
from dsl.diagnostics.source import Span
from typechecker.errors.repairs.trial import tried
from typechecker.errors.words import (
    count,
    describe_term,
    example,
    format_effect,
    format_effects,
    format_type,
    make,
    plain_type,
    rename,
    replace_with,
    snippet,
    suggestion,
)

if TYPE_CHECKING:
    from typechecker.env.context import Context


class Template(Struct, frozen=True):
    """The words of an error. `other` labels a second place. A note without words, of no example, is left out, and so is
    a note or a help that speaks of a value which is None. `fix` replaces the place, where there is a help.

    `tries` are rules of `rewrites`, behind the words of the help in which `{}` is what they write: the first text that
    mends the place, or what is around it or in it, is offered in place of the help.

    `{name}` is a value as it is, `{name:type}` a type in backquotes, `{name:plain}` one without, `{name:described}` an
    expression with its type, `{name:effect}` an effect, `{name:effects}` several, `{name:listed}` texts in a row,
    `{name:quoted}` each in backquotes, `{name:example}` the sizes of a counter-example, and `{name:axis|axes}` a number
    of something, with the plural where that is not the noun and an s. `{text}` is a short place's text.
    """

    code: str
    message: str
    label: str = ""
    other: str = ""
    note: str = ""
    help: str | None = None
    fix: str | None = None
    tries: tuple[str, ...] = ()

    def __call__(
        self,
        span: Span,
        ctx: Context | None = None,
        /,
        other: Span | None = None,
        edits: Iterable[Edit] = (),
        secondary: Iterable[Label] = (),
        help: str | Sequence[Help] | None = None,
        **values: object,
    ) -> Diagnostic:
        """`help` is advice of this place, in place of the row's."""
        words, values = _Words(ctx), {"text": snippet(span), **values}
        if ctx is not None and not help and self.tries:
            help = tried(ctx, span, [words.vformat(each.replace("{}", "{{}}"), (), values) for each in self.tries])
        note, own, fix = [words.say(sentence, values) for sentence in (self.note, self.help, self.fix)]
        return make(
            self.code,
            words.vformat(self.message, (), values),
            span,
            words.vformat(self.label, (), values),
            secondary=secondary if other in (None, span) else [Label(other, words.vformat(self.other, (), values))],
            notes=[note] if note else [],
            help=help or own,
            edits=edits if fix is None else replace_with(span, fix),
        )

    def misspelled(
        self,
        span: Span,
        /,
        name: str,
        known: Iterable[str],
        near: str | None = None,
        help: str | None = None,
        **values: object,
    ) -> Diagnostic:
        """The error of a `name` that means nothing at a place. What was probably meant, `near` or one of the `known`,
        is offered instead; `help`, or that of the row, is for a name that is like none."""
        near = near or suggestion(name, known)
        help = help if near is None else f"did you mean `{near}`?"
        return self(span, None, None, rename(span, name, near), (), help, name=name, near=near, **values)


class _Words(Formatter):
    """Puts values into a sentence."""

    def __init__(self, ctx: Context | None) -> None:
        self.ctx = ctx

    def say(self, sentence: str | None, values: Mapping[str, object]) -> str | None:
        """The sentence, unless it speaks of a value that is None."""
        named = [name.partition(".")[0] for _, name, _, _ in self.parse(sentence or "") if name]
        silent = sentence is None or any(values[name] is None for name in named)
        return None if silent or sentence is None else self.vformat(sentence, (), values)

    def format_field(self, value: Any, format_spec: str) -> str:
        if format_spec in _OF_TYPES:
            return _OF_TYPES[format_spec](self.ctx, value)
        match format_spec:
            case "":
                return str(value)
            case "listed":
                return ", ".join(value)
            case "quoted":
                return ", ".join([f"`{each}`" for each in value])
            case "example":
                return "".join(example(getattr(value, "counterexample", value), getattr(value, "statics", {})))
            case noun:
                return count(value, *noun.split("|"))


_OF_TYPES: Mapping[str, Callable[[Any, Any], str]] = MappingProxyType(
    {
        "type": format_type,
        "plain": plain_type,
        "described": describe_term,
        "effect": format_effect,
        "effects": format_effects,
    }
)
