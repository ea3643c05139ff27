"""Abstract values of Core: a mark on every leaf, in the structure of the value; and functions with what they see.

A mark is a number whose meaning an analysis gives; 0 is on what the analysis has nothing to say of. A static value that
is known is itself. Read next: `interpret`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TypeAlias, assert_never

from msgspec import Struct
from msgspec import field as default

from dsl.core import core
from dsl.core.statics.evaluate import Frame, Variant
from dsl.core.statics.evaluate import Value as StaticValue
from dsl.records import OwnEquality, replace
from dsl.types.type import DTypeVar, Element


class Items(Struct, frozen=True):
    parts: tuple[Value, ...]


class Named(Struct, frozen=True):
    fields: tuple[tuple[str, Value], ...]


class Variants(Struct, frozen=True):
    """A value of an enum: the fields of each variant that it may be, by name."""

    ways: tuple[tuple[str, tuple[Value, ...]], ...]


class Known(Struct, frozen=True):
    """A static value, which has no marks; an `omitted` one is the default of its parameter."""

    value: StaticValue = None
    omitted: bool = False


class Function(OwnEquality, Struct, frozen=True, eq=False):
    """A function value with the names that it sees; `others` are those that may have been chosen instead. The same
    function with the same scope is equal to itself. `sizes` is what a call tells of the variables of a definition."""

    node: core.Expr
    scope: Scope
    instance: int | None = None
    others: tuple[Function, ...] = ()
    sizes: Frame | None = None

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Function) and self._identity == other._identity

    def __hash__(self) -> int:
        return hash(self._identity)

    @property
    def _identity(self) -> tuple[object, ...]:
        return id(self.node), id(self.scope), self.instance, self.others

    @property
    def each(self) -> tuple[Function, ...]:
        """All that it may be."""
        return (replace(self, others=()), *self.others) if self.others else (self,)


Value: TypeAlias = "int | Items | Named | Variants | Known | Function"

PARTS = 1000
"""A variant of so many parts at most is followed."""

THERE = Variant("")
"""What is known of a function as a static value: that it is not none."""


class Scope(Struct, frozen=True):
    """Values of the local names, the dtypes of the definition around, and what is known of its other variables."""

    names: Mapping[int, Value]
    solution: Mapping[DTypeVar, Element]
    variables: Frame = default(default_factory=Frame)

    def binding(self, pattern: core.Pattern, value: Value) -> Scope:
        return self.bindings((pattern,), (value,))

    def bindings(self, patterns: Iterable[core.Pattern], values: Iterable[Value]) -> Scope:
        names = dict(self.names)
        for pattern, value in zip(patterns, values, strict=False):
            _bind(names, pattern, value)
        return replace(self, names=names)

    @property
    def statics(self) -> Frame:
        """Return the known static values and sizes."""
        known = {id: static for id, v in self.names.items() if (static := as_static(v)) is not None}
        return replace(self.variables, locals={id: static.value for id, static in known.items()})


class Handlers(Struct, frozen=True, eq=False):
    """The handlers in effect at a location: the clause of each operation, with its scope and the handlers around it,
    and the mark of the keys that are drawn."""

    clauses: Mapping[tuple[str, str], tuple[core.HandlerClause, Scope, Handlers]] = {}
    fresh: Value = 0


def _bind(names: dict[int, Value], pattern: core.Pattern, value: Value) -> None:
    match pattern:
        case core.Bind(id=id):
            names[id] = value
        case core.Split(parts=inner, axis=axis):
            for place, each in enumerate(inner):
                _bind(names, each, value if axis else part(value, place))
        case core.IsVariant(variant=variant, parts=inner):
            found = variants(value)
            held = None if found is None else dict(found.ways).get(variant)
            for each, one in zip(inner, held or [0] * len(inner), strict=True):
                _bind(names, each, one)
        case core.Ignore() | core.IsLiteral():
            return
        case _:
            assert_never(pattern)


def variant_of(name: str, fields: Sequence[Value]) -> Value:
    """A value of an enum; nothing is known of one of very many parts."""
    made = Variants(((name, tuple(fields)),))
    return made if len(marks(made)) <= PARTS else 0


def variants(value: Value) -> Variants | None:
    """The variants that a value may be, where it is known."""
    if isinstance(value, Known) and isinstance(value.value, Variant):
        return Variants(((value.value.name, tuple(map(Known, value.value.args))),))
    return value if isinstance(value, Variants) else None


def as_static(value: Value) -> Known | None:
    """Return the static value of an abstract value, as far as it is known."""
    match value:
        case Known():
            return value
        case Function():
            return Known(THERE)
        case Variants(((name, fields),)):
            found = [static.value for each in fields if (static := as_static(each)) is not None]
            return Known(Variant(name, tuple(found))) if len(found) == len(fields) else None
        case _:
            return None


def map_marks(value: Value, function: Callable[[int], int]) -> Value:
    """The value with other marks; functions keep what they are, and see other marks too."""
    match value:
        case Items(parts):
            return Items(tuple([map_marks(p, function) for p in parts]))
        case Named(fields):
            return Named(tuple([(n, map_marks(v, function)) for n, v in fields]))
        case Variants(ways):
            return Variants(tuple([(n, tuple([map_marks(v, function) for v in held])) for n, held in ways]))
        case Function():
            return _one_of([_map_names(each, function) for each in value.each])
        case Known():
            return value
        case _:
            return function(value)


def _map_names(value: Function, function: Callable[[int], int]) -> Function:
    names = {id: map_marks(v, function) for id, v in value.scope.names.items()}
    return replace(value, scope=replace(value.scope, names=names))


def _one_of(functions: Sequence[Function]) -> Function:
    first, *others = functions
    return replace(first, others=tuple(others)) if others else first


def marks(value: Value) -> list[int]:
    """The marks of all leaves; 0 for a function, none for a static value."""
    match value:
        case Items(parts):
            return [mark for p in parts for mark in marks(p)]
        case Named(fields):
            return [mark for _, v in fields for mark in marks(v)]
        case Variants(ways):
            return [mark for _, held in ways for v in held for mark in marks(v)]
        case Function():
            return [0]
        case Known():
            return []
        case _:
            return [value]


def functions(value: Value) -> Iterator[Function]:
    """Yield the functions that a value is or contains."""
    match value:
        case Items(parts):
            yield from (found for part in parts for found in functions(part))
        case Named(fields):
            yield from (found for _, part in fields for found in functions(part))
        case Variants(ways):
            yield from (found for _, held in ways for part in held for found in functions(part))
        case Function():
            yield from value.each


def holds_function(value: Value) -> bool:
    return any(True for _ in functions(value))


# ---------------------------------------------------------------- taking apart, putting together


def part(value: Value, place: int) -> Value:
    if isinstance(value, Items):
        return value.parts[place] if place < len(value.parts) else 0
    if isinstance(value, Known):
        return Known(value.value[place]) if isinstance(value.value, tuple) and place < len(value.value) else 0
    return value if isinstance(value, int) else 0


def field(value: Value, name: str) -> Value:
    return dict(value.fields).get(name, 0) if isinstance(value, Named) else value if isinstance(value, int) else 0


def replace_field(value: Value, names: Sequence[str], new: Value) -> Value:
    """A record with another value at a path of fields."""
    if not names or not isinstance(value, Named):
        return value if names else new
    first, *rest = names
    return Named(tuple([(n, replace_field(v, rest, new) if n == first else v) for n, v in value.fields]))


def combine_values(values: Sequence[Value], marks_of: Callable[[Sequence[Value]], int]) -> Value:
    """Several values of one structure as one; where they differ in structure, one mark for all."""
    first = values[0] if values else 0
    if isinstance(first, Known | Variants):
        return _combined_variants(values, marks_of)
    if isinstance(first, Function) and all(isinstance(v, Function) for v in values):
        return _one_of(list(dict.fromkeys([each for v in values if isinstance(v, Function) for each in v.each])))
    if isinstance(first, Items) and all(isinstance(v, Items) and len(v.parts) == len(first.parts) for v in values):
        return Items(tuple([combine_values([part(v, i) for v in values], marks_of) for i in range(len(first.parts))]))
    if isinstance(first, Named) and all(isinstance(v, Named) for v in values):
        return Named(tuple([(n, combine_values([field(v, n) for v in values], marks_of)) for n, _ in first.fields]))
    return marks_of(values)


def _combined_variants(values: Sequence[Value], marks_of: Callable[[Sequence[Value]], int]) -> Value:
    """Static values as one: themselves where they are one, the variants that they may be, or nothing that is known."""
    if all(value == values[0] for value in values):
        return values[0]
    held: dict[str, list[tuple[Value, ...]]] = {}
    for value in values:
        found = variants(value)
        if found is None:
            return marks_of(values)
        for name, fields in found.ways:
            held.setdefault(name, []).append(fields)
    ways = [(n, tuple([combine_values(f, marks_of) for f in zip(*each, strict=True)])) for n, each in held.items()]
    return Variants(tuple(ways))
