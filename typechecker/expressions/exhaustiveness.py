"""Exhaustiveness of `match`, with an example of an uncovered value.

A type says in which forms its values come (the variants of an enum, `true` and `false`, the literals that are written
and all others). Rows of patterns cover rows of values if they do so form by form, column by column.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from itertools import islice
from typing import TypeAlias

from msgspec import Struct

from dsl.records import replace
from dsl.syntax import ast
from dsl.types import type as ty
from dsl.types.facts import Facts, Prop, conjunction, negation
from dsl.types.static_argument import argument_text
from dsl.types.type import Type
from typechecker.env.context import Context
from typechecker.env.values import Known, Term

OTHERS = "_"
_SHOWN = 5
_TUPLE = "a tuple"
_ANY = "any form"

_Row: TypeAlias = tuple[ast.Pattern, ...]


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


def missing(ctx: Context, subject: Term, patterns: Sequence[ast.Pattern], says: Says) -> list[str]:
    """Forms of values of which some match no pattern, but for those that are known not to come; none if the patterns
    cover all, or if there are none because the arms could not be read."""
    if not patterns:
        return []
    column, anything = (ctx.resolve(subject.type), subject.known), ast.WildcardPattern(subject.span)
    found = _Search(ctx, says).left_out((column,), [(pattern,) for pattern in patterns], (anything,), ())
    return [form for (form,) in islice(found, _SHOWN)]


def _nothing(type_: Type, known: Known | None, form: Form) -> tuple[Prop | None, Sequence[Known | None]]:
    return None, (None,) * len(form.kinds)


class _Search(Struct, frozen=True):
    """The search for values that match one pattern, and none of others."""

    ctx: Context
    says: Says

    def left_out(
        self, columns: tuple[tuple[Type, Known | None], ...], rows: Sequence[_Row], row: _Row, facts: tuple[Prop, ...]
    ) -> Iterator[tuple[str, ...]]:
        """Rows of values of these types that match one row of patterns and none of the others, as patterns; `_` for
        what is told apart by none. `facts` hold of the values that they are parts of."""
        if not rows or all(_total(self.ctx, pattern) for pattern in rows[0]):
            yield from [] if rows else [(OTHERS,) * len(columns)]
            return
        (kind, known), *others = columns
        column = [each[0] for each in (*rows, row)]
        if all(_total(self.ctx, pattern) for pattern in column):
            behind = self.left_out(tuple(others), [each[1:] for each in rows], row[1:], facts)
            yield from ((OTHERS, *rest) for rest in behind)
            return
        by_form, key = _by_form(self.ctx, rows), _key(self.ctx, row[0])
        for form in [each for each in _forms(self.ctx, kind, column) if key in (_ANY, each.key)]:
            fact, inside = self.says(kind, known, form)
            here, parts = facts if fact is None else (*facts, fact), tuple(zip(form.kinds, inside, strict=True))
            mine = (*_parts(row[0], form), *row[1:])
            found = self.left_out((*parts, *others), _of_form(by_form, form), mine, here)
            first = next(found, None)
            if first is not None and not self.ctx.holds(negation(conjunction(here))):
                for each in (first, *found):
                    yield (form.shown(each[: len(parts)]), *each[len(parts) :])


class Covered:
    """The cases covered so far by the arms of a `match`: patterns by the form of values that they match."""

    def __init__(self, ctx: Context, type_: Type) -> None:
        self._ctx = replace(ctx, facts=Facts())
        self._kind = type_
        self._forms = {form.key: form for form in _forms(ctx, type_, [])}
        self._rows: dict[Hashable, list[_Row]] = {}

    def grows_by(self, pattern: ast.Pattern) -> bool:
        """Return whether one more pattern matches some value that matches none of those before it."""
        key = _key(self._ctx, pattern)
        form = self._forms.get(key) or Form(key, (), "")
        kinds, rows, row = form.kinds, _of_form(self._rows, form), _parts(pattern, form)
        if key == _ANY:
            kinds, rows, row = (self._kind,), [each for found in self._rows.values() for each in found], (pattern,)
        found = _Search(self._ctx, _nothing).left_out(tuple([(kind, None) for kind in kinds]), rows, row, ())
        self._rows.setdefault(key, []).append((pattern,))
        return next(found, None) is not None


def _forms(ctx: Context, type_: Type, patterns: Sequence[ast.Pattern]) -> list[Form]:
    """The forms of values of a type, as far as these patterns tell them apart."""
    match type_:
        case ty.EnumType(module, name):
            variants = ctx.program.enum_info(module, name).variants
            parts = [(v.name, tuple(t for _, t in v.fields), tuple(n for n, _ in v.fields)) for v in variants]
            return [Form(name, kinds, name, names) for name, kinds, names in parts]
        case ty.StaticType("bool"):
            return [Form(True, (), "true"), Form(False, (), "false")]
        case ty.OptionalType(base):
            rest = [p for p in patterns if not isinstance(p, ast.LiteralPattern) or p.value is not None]
            return [*_forms(ctx, base, rest), Form(None, (), "none")]
        case ty.TupleType(parts):
            return [Form(_TUPLE, parts, "")]
        case _:
            written = dict.fromkeys(p.value for p in patterns if isinstance(p, ast.LiteralPattern))
            return [*(Form(value, (), argument_text(value)) for value in written), Form(object(), (), OTHERS)]


def _by_form(ctx: Context, rows: Sequence[_Row]) -> Mapping[Hashable, list[_Row]]:
    """Rows by the form of which their first pattern matches values; those of any form by `_ANY`."""
    found: dict[Hashable, list[_Row]] = {}
    for row in rows:
        found.setdefault(_key(ctx, row[0]), []).append(row)
    return found


def _key(ctx: Context, pattern: ast.Pattern) -> Hashable:
    match pattern:
        case _ if _total(ctx, pattern):
            return _ANY
        case ast.LiteralPattern(value):
            return value
        case ast.TuplePattern():
            return _TUPLE
        case ast.VariantPattern(path):
            return path[-1].name
        case ast.NamePattern(name):
            return name
        case _:
            return None


def _of_form(rows: Mapping[Hashable, list[_Row]], form: Form) -> list[_Row]:
    """The rows whose first pattern matches values of a form, with the patterns of its parts in its place."""
    return [(*_parts(row[0], form), *row[1:]) for key in (form.key, _ANY) for row in rows.get(key, ())]


def _parts(pattern: ast.Pattern, form: Form) -> tuple[ast.Pattern, ...]:
    """A pattern as patterns of the parts of a form. A wrong number of them is another mistake."""
    parts = pattern.parts if isinstance(pattern, ast.TuplePattern | ast.VariantPattern) else ()
    anything = (ast.WildcardPattern(pattern.span),) * len(form.kinds)
    return parts if len(parts) == len(form.kinds) else anything


def _total(ctx: Context, pattern: ast.Pattern) -> bool:
    """Return whether a pattern matches every value of its type."""
    match pattern:
        case ast.WildcardPattern():
            return True
        case ast.NamePattern(name):
            return ctx.program.variant_named(ctx, (name,)) is None
        case ast.TuplePattern(parts):
            return all(_total(ctx, part) for part in parts)
        case _:
            return False
