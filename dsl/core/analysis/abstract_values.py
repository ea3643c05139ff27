"""Abstract values of Core: a mark on every leaf, in the structure of the value; and functions with what they see.

A mark is a number whose meaning an analysis gives; 0 is on what the analysis has nothing to say of. A static value that
is known is itself. Read next: `interpret`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from msgspec import Struct
from msgspec import field as default

from dsl.core import core
from dsl.core.statics.evaluate import Frame, Variant
from dsl.core.statics.evaluate import Value as StaticValue
from dsl.core.walk import bound_names
from dsl.records import replace
from dsl.types.type import DTypeVar, Element


class Items(Struct, frozen=True):
    parts: tuple[Value, ...]


class Named(Struct, frozen=True):
    fields: tuple[tuple[str, Value], ...]


class Known(Struct, frozen=True):
    """A static value, which has no marks; an `omitted` one is the default of its parameter."""

    value: StaticValue = None
    omitted: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Function:
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


Value: TypeAlias = "int | Items | Named | Known | Function"


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
        """What is known of static values and sizes."""
        return replace(self.variables, locals={id: v.value for id, v in self.names.items() if isinstance(v, Known)})


class Handlers(Struct, frozen=True, eq=False):
    """What performs the effects at a place: the clause of each operation, with the names that it sees and the handlers
    around it, and the mark of the keys that are drawn."""

    clauses: Mapping[tuple[str, str], tuple[core.HandlerClause, Scope, Handlers]] = {}
    fresh: Value | None = None


def _bind(names: dict[int, Value], pattern: core.Pattern, value: Value) -> None:
    match pattern:
        case core.Bind(id=id):
            names[id] = value
        case core.Split(parts=inner, axis=axis):
            for place, each in enumerate(inner):
                _bind(names, each, value if axis else part(value, place))
        case core.IsVariant(parts=inner) if isinstance(value, Known) and isinstance(value.value, Variant):
            for each, held in zip(inner, value.value.args, strict=True):
                _bind(names, each, Known(held))
        case core.IsVariant():
            names |= {bind.id: 0 for bind in bound_names(pattern)}  # what a variant holds is static
        case core.Ignore() | core.IsLiteral():
            return


def map_marks(value: Value, function: Callable[[int], int]) -> Value:
    """The value with other marks; functions keep what they are, and see other marks too."""
    match value:
        case Items(parts):
            return Items(tuple([map_marks(p, function) for p in parts]))
        case Named(fields):
            return Named(tuple([(n, map_marks(v, function)) for n, v in fields]))
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
        case Function():
            return [0]
        case Known():
            return []
        case _:
            return [value]


def functions(value: Value) -> Iterator[Function]:
    """Those that a value is or holds."""
    match value:
        case Items(parts):
            yield from (found for part in parts for found in functions(part))
        case Named(fields):
            yield from (found for _, part in fields for found in functions(part))
        case Function():
            yield from value.each


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
    if isinstance(first, Function) and all(isinstance(v, Function) for v in values):
        return _one_of(list(dict.fromkeys([each for v in values if isinstance(v, Function) for each in v.each])))
    if isinstance(first, Items) and all(isinstance(v, Items) and len(v.parts) == len(first.parts) for v in values):
        return Items(tuple([combine_values([part(v, i) for v in values], marks_of) for i in range(len(first.parts))]))
    if isinstance(first, Named) and all(isinstance(v, Named) for v in values):
        return Named(tuple([(n, combine_values([field(v, n) for v in values], marks_of)) for n, _ in first.fields]))
    return marks_of(values)
