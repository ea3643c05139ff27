"""Exhaustiveness of `match`, with an example of an uncovered value.

A type says in which forms its values come (the variants of an enum, `true` and `false`, the literals that are written
and all others). Rows of patterns cover rows of values if they do so form by form, column by column.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterator, Sequence
from itertools import islice
from typing import TypeAlias

from msgspec import Struct

from dsl.core import core
from dsl.records import replace
from dsl.types import type as ty
from dsl.types.facts import Facts, Prop, conjunction, negation
from dsl.types.static_argument import argument_text
from dsl.types.type import Type
from typechecker.env.context import Context
from typechecker.env.values import Known

OTHERS = "_"
_SHOWN = 5
_TUPLE = "a tuple"
_ANY = object()
"""The key of all forms; no literal is equal to it."""

_Row: TypeAlias = tuple[core.Pattern, ...]


class Form(Struct, frozen=True):
    """A form of values: what patterns call it, the types of its parts and their names, and its own in messages."""

    key: Hashable
    kinds: tuple[Type, ...]
    name: str
    fields: tuple[str, ...] = ()

    def shown(self, parts: Sequence[str]) -> str:
        """The pattern with these parts; a field that may be anything has its own name."""
        named = self.fields or parts
        inner = ", ".join([name if part == OTHERS else part for part, name in zip(parts, named, strict=True)])
        return f"{self.name}({inner})" if parts else self.name


Says: TypeAlias = Callable[[Type, Known | None, Form], tuple[Prop | None, Sequence[Known | None]]]
"""What is said of a value of a type, of which this is known, by its form; and what is known of its parts then."""


def missing(ctx: Context, type_: Type, known: Known | None, patterns: Sequence[core.Pattern], says: Says) -> list[str]:
    """Forms of values of which some match no pattern, but for those that are known not to come; none if the patterns
    cover all, or if there are none because the arms could not be read."""
    if not patterns:
        return []
    found = _Search(ctx, says).left_out(((type_, known),), [(each,) for each in patterns], (core.Ignore(),), ())
    return [form for (form,) in islice(found, _SHOWN)]


def reaches(ctx: Context, type_: Type, arms: Arms, pattern: core.Pattern) -> bool:
    """Return whether a pattern matches some value of a type that none of the arms matches, whatever is known of it."""
    search = _Search(replace(ctx, facts=Facts()), lambda _, known, form: (None, (None,) * len(form.kinds)))
    found = search.left_out(((type_, None),), [(each,) for each in arms.meeting(pattern)], (pattern,), ())
    return next(found, None) is not None


class Arms:
    """The patterns of the arms so far, by the form that they ask the first part of a value to have."""

    __slots__ = ("_by_form", "_patterns")

    def __init__(self) -> None:
        self._patterns: list[core.Pattern] = []
        self._by_form = defaultdict[Hashable, list[core.Pattern]](list)

    def add(self, pattern: core.Pattern) -> None:
        self._patterns.append(pattern)
        self._by_form[_first_key(pattern)].append(pattern)

    def meeting(self, pattern: core.Pattern) -> Sequence[core.Pattern]:
        """Return those that may match a value which a pattern matches; all others ask for another form."""
        key = _first_key(pattern)
        return self._patterns if key is _ANY else [*self._by_form[key], *self._by_form[_ANY]]


def _first_key(pattern: core.Pattern) -> Hashable:
    """The form that a pattern asks the first part of a value to have."""
    match pattern:
        case core.Split((first, *_)):
            return _first_key(first)
        case _:
            return _key(pattern)


class _Search(Struct, frozen=True):
    """The search for values that match one pattern, and none of others."""

    ctx: Context
    says: Says

    def left_out(
        self, columns: tuple[tuple[Type, Known | None], ...], rows: Sequence[_Row], row: _Row, facts: tuple[Prop, ...]
    ) -> Iterator[tuple[str, ...]]:
        """Rows of values of these types that match one row of patterns and none of the others, as patterns; `_` for
        what is told apart by none. `facts` hold of the values that they are parts of."""
        if not rows or all(map(matches_all, rows[0])):
            yield from [] if rows else [(OTHERS,) * len(columns)]
            return
        (kind, known), *others = columns
        column = [each[0] for each in (*rows, row)]
        if all(map(matches_all, column)):
            behind = self.left_out(tuple(others), [each[1:] for each in rows], row[1:], facts)
            yield from ((OTHERS, *rest) for rest in behind)
            return
        key, by_form = _key(row[0]), defaultdict[Hashable, list[_Row]](list)
        for each in rows:
            by_form[_key(each[0])].append(each)
        for form in _forms(self.ctx, kind, column, key):
            fact, inside = self.says(kind, known, form)
            here, parts = facts if fact is None else (*facts, fact), tuple(zip(form.kinds, inside, strict=True))
            of_form = [_opened(each, form) for each in (*by_form[form.key], *by_form[_ANY])]
            found = self.left_out((*parts, *others), of_form, _opened(row, form), here)
            first = next(found, None)
            if first is not None and not self.ctx.holds(negation(conjunction(here))):
                for values in (first, *found):
                    yield (form.shown(values[: len(parts)]), *values[len(parts) :])


def _forms(ctx: Context, type_: Type, patterns: Sequence[core.Pattern], key: Hashable) -> list[Form]:
    """The forms of values of a type, as far as these patterns tell them apart, or the one with a key."""
    match type_:
        case ty.EnumType(module, name):
            variants = [v for v in ctx.program.enum_info(module, name).variants if key in (_ANY, v.name)]
            parts = [(v.name, tuple(t for _, t in v.fields), tuple(n for n, _ in v.fields)) for v in variants]
            return [Form(name, kinds, name, names) for name, kinds, names in parts]
        case ty.StaticType("bool"):
            found = [Form(True, (), "true"), Form(False, (), "false")]
        case ty.OptionalType(base):
            present = _forms(ctx, base, [p for p in patterns if p != core.IsLiteral(None)], key)
            found = [*present, Form(None, (), "none")]
        case ty.TupleType(parts):
            found = [Form(_TUPLE, parts, "")]
        case _:
            written = dict.fromkeys(p.value for p in patterns if isinstance(p, core.IsLiteral))
            found = [*(Form(value, (), argument_text(value)) for value in written), Form(object(), (), OTHERS)]
    return [each for each in found if key in (_ANY, each.key)]


def _key(pattern: core.Pattern) -> Hashable:
    """The form of which a pattern matches values."""
    match pattern:
        case core.IsLiteral(value):
            return value
        case core.IsVariant(_, variant, _):
            return variant
        case _:
            return _ANY if matches_all(pattern) else _TUPLE


def _opened(row: _Row, form: Form) -> _Row:
    """A row with the patterns of the parts of a form in place of its first one."""
    first, *rest = row
    parts = first.parts if isinstance(first, core.Split | core.IsVariant) else (core.Ignore(),) * len(form.kinds)
    return (*parts, *rest)


def matches_all(pattern: core.Pattern) -> bool:
    """Return whether a pattern matches every value of its type, also if it had more variants."""
    match pattern:
        case core.Bind() | core.Ignore():
            return True
        case core.Split(parts):
            return all(map(matches_all, parts))
        case _:
            return False
