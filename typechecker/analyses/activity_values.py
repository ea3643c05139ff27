"""Marks on values, part by part: whether they depend on what is differentiated. Read next: `activity`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from dsl.core import core
from dsl.types import type as ty
from dsl.types.dtype import DType
from dsl.types.type import DTypeVar, Element, Type
from dsl.types.walk import any_leaf


@dataclass(frozen=True, slots=True)
class Items:
    parts: tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class Named:
    fields: tuple[tuple[str, Value], ...]


@dataclass(frozen=True, slots=True, eq=False)
class Function:
    """A function value with the names that it sees."""

    node: core.Expr
    scope: Scope
    instance: int | None = None


Value: TypeAlias = "bool | Items | Named | Function"


@dataclass(frozen=True, slots=True)
class Scope:
    """Marks of the local names, and the dtypes of the definition around."""

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
        case _:
            return


def cleared(value: Value) -> Value:
    """A value without marks; functions keep what they are."""
    match value:
        case Items(parts):
            return Items(tuple([cleared(p) for p in parts]))
        case Named(fields):
            return Named(tuple([(n, cleared(v)) for n, v in fields]))
        case Function(node, scope, instance):
            names = {id: cleared(v) for id, v in scope.names.items()}
            return Function(node, Scope(names, scope.solution), instance)
        case _:
            return False


# ---------------------------------------------------------------- taking apart, putting together


def part(value: Value, place: int) -> Value:
    if isinstance(value, Items):
        return value.parts[place] if place < len(value.parts) else False
    return value if isinstance(value, bool) else False


def field(value: Value, name: str) -> Value:
    match value:
        case Named(fields):
            return dict(fields).get(name, False)
        case Items(parts):  # of an array of records, element by element
            return joined([field(p, name) for p in parts])
        case bool():
            return value
        case _:
            return False


def element(value: Value) -> Value:
    """Any of the parts of a tuple."""
    return met(value.parts) if isinstance(value, Items) else value


def updated(value: Value, names: Sequence[str], new: Value) -> Value:
    if not names or not isinstance(value, Named):
        return value if names else new
    first, *rest = names
    return Named(tuple([(n, updated(v, rest, new) if n == first else v) for n, v in value.fields]))


def is_active(value: Value) -> bool:
    """Whether any part has the mark."""
    match value:
        case Items(parts):
            return any(map(is_active, parts))
        case Named(fields):
            return any(is_active(v) for _, v in fields)
        case Function():
            return False
        case _:
            return value


def is_certain(value: Value) -> bool:
    """Whether every part has the mark."""
    match value:
        case Items(parts):
            return all(map(is_certain, parts))
        case Named(fields):
            return all(is_certain(v) for _, v in fields)
        case Function():
            return False
        case _:
            return value


def joined(values: Sequence[Value]) -> Value:
    """The marks that one of the values has."""
    return _together(values, any)


def met(values: Sequence[Value]) -> Value:
    """The marks that all the values have."""
    return _together(values, all)


def _together(values: Sequence[Value], quantifier: Callable[[Iterable[bool]], bool]) -> Value:
    if not values:
        return False
    first = values[0]
    if isinstance(first, Function):
        return first if all(v is first for v in values) else False
    if isinstance(first, Items) and all(isinstance(v, Items) and len(v.parts) == len(first.parts) for v in values):
        return Items(tuple([_together([part(v, i) for v in values], quantifier) for i in range(len(first.parts))]))
    if isinstance(first, Named) and all(isinstance(v, Named) for v in values):
        names = [n for n, _ in first.fields]
        return Named(tuple([(n, _together([field(v, n) for v in values], quantifier)) for n in names]))
    return quantifier(map(is_active, values))


# ---------------------------------------------------------------- what a type can carry


def limited(value: Value, kind: Type, scope: Scope) -> Value:
    """The marks that values of the type can have, part by part: none on integers, bools and keys."""
    match kind:
        case ty.TupleType(kinds) if not isinstance(value, Function):
            return Items(tuple([limited(part(value, i), t, scope) for i, t in enumerate(kinds)]))
        case ty.RecordType(fields) if not isinstance(value, Function):
            return Named(tuple([(n, limited(field(value, n), t, scope)) for n, t in fields]))
        case _:
            return value and _inexact(kind, scope) if isinstance(value, bool) else value


def _inexact(type_: Type, scope: Scope) -> bool:
    return any_leaf(type_, lambda leaf: isinstance(leaf, ty.TypeVar) or _is_inexact_array(leaf, scope))


def _is_inexact_array(leaf: Type, scope: Scope) -> bool:
    return isinstance(leaf, ty.ArrayType) and _is_inexact(leaf.dtype, scope)


def _is_inexact(dtype: Element, scope: Scope) -> bool:
    while not isinstance(dtype, DType):
        following = scope.solution.get(dtype)
        if following is None:
            return any(d.is_inexact for d in dtype.allowed)
        dtype = following
    return dtype.is_inexact
