"""Abstract values of Core: a mark on every leaf, in the structure of the value; and functions with what they see.

A mark is a number whose meaning an analysis gives; 0 is on what the analysis has nothing to say of. Read next:
`interpret`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from msgspec import Struct

from dsl.core import core
from dsl.core.walk import bound_names
from dsl.types.type import DTypeVar, Element


class Items(Struct, frozen=True):
    parts: tuple[Value, ...]


class Named(Struct, frozen=True):
    fields: tuple[tuple[str, Value], ...]


@dataclass(frozen=True, slots=True, eq=False)
class Function:
    """A function value with the names that it sees; `others` are those that may have been chosen instead. The same
    function with the same scope is equal to itself."""

    node: core.Expr
    scope: Scope
    instance: int | None = None
    others: tuple[Function, ...] = ()

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
        return (Function(self.node, self.scope, self.instance), *self.others) if self.others else (self,)


Value: TypeAlias = "int | Items | Named | Function"


class Scope(Struct, frozen=True):
    """Values of the local names, and the dtypes of the definition around."""

    names: Mapping[int, Value]
    solution: Mapping[DTypeVar, Element]

    def binding(self, pattern: core.Pattern, value: Value) -> Scope:
        return self.bindings((pattern,), (value,))

    def bindings(self, patterns: Iterable[core.Pattern], values: Iterable[Value]) -> Scope:
        names = dict(self.names)
        for pattern, value in zip(patterns, values, strict=False):
            _bind(names, pattern, value)
        return Scope(names, self.solution)


def _bind(names: dict[int, Value], pattern: core.Pattern, value: Value) -> None:
    match pattern:
        case core.Bind(id=id):
            names[id] = value
        case core.Split(parts=inner, axis=axis):
            for place, each in enumerate(inner):
                _bind(names, each, value if axis else part(value, place))
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
        case _:
            return function(value)


def _map_names(value: Function, function: Callable[[int], int]) -> Function:
    names = {id: map_marks(v, function) for id, v in value.scope.names.items()}
    return Function(value.node, Scope(names, value.scope.solution), value.instance)


def _one_of(functions: Sequence[Function]) -> Function:
    first, *others = functions
    return Function(first.node, first.scope, first.instance, tuple(others)) if others else first


def marks(value: Value) -> list[int]:
    """The marks of all leaves; 0 for a function."""
    match value:
        case Items(parts):
            return [mark for p in parts for mark in marks(p)]
        case Named(fields):
            return [mark for _, v in fields for mark in marks(v)]
        case Function():
            return [0]
        case _:
            return [value]


# ---------------------------------------------------------------- taking apart, putting together


def part(value: Value, place: int) -> Value:
    if isinstance(value, Items):
        return value.parts[place] if place < len(value.parts) else 0
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
