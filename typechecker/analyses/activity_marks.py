"""Marks on values, part by part: whether they depend on what is followed, and on what a derivative inside is taken by.

A mark is a set of flags, and a flag is set only where it is certain. Read next: `activity`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import reduce
from operator import and_, or_
from typing import assert_never

from dsl.core.analysis.abstract_values import (
    Function,
    Known,
    Scope,
    Value,
    combine_values,
    map_marks,
    marks,
)
from dsl.core.transformation import Mode
from dsl.types import type as ty
from dsl.types.dtype import DType
from dsl.types.type import Element, Type
from dsl.types.walk import any_leaf

ACTIVE = 1
"""Depends on what is differentiated, or differs between the elements or parts of a map."""
VARIED = 2
"""Depends on the leaf by which a derivative inside is taken."""
MIXED = 4
"""The derivative by that leaf is active."""
SHARED = 8
"""Depends on that leaf by what the elements of a map have computed together, so alike for all of them."""
_MOVES = VARIED | SHARED


def clear_marks(value: Value) -> Value:
    """A value without marks; functions keep what they are."""
    return map_marks(value, lambda _: 0)


def union(value: Value) -> int:
    """The flags that any part has."""
    return reduce(or_, marks(value), 0)


def is_active(value: Value) -> bool:
    """Return whether any part is."""
    return bool(union(value) & ACTIVE)


def is_certain(value: Value) -> bool:
    """Return whether every part is active."""
    return not isinstance(value, Function | Known) and all(mark & ACTIVE for mark in marks(value))


def met(values: Sequence[Value]) -> Value:
    """The marks that all the values have."""
    return combine_values(values, lambda each: reduce(and_, map(union, each)) if each else 0)


def product(left: int, right: int) -> int:
    """Of what is linear in each of two."""
    mixed = (left & _MOVES and right & ACTIVE) or (right & _MOVES and left & ACTIVE)
    return left | right | (MIXED if mixed else 0)


def curved(mark: int) -> int:
    """Of a function that is not linear."""
    return mark | MIXED if mark & _MOVES and mark & ACTIVE else mark


def operator(op: str, left: int, right: int) -> int:
    """Of an operation on two numbers."""
    match op:
        case "*" | "@":
            return product(left, right)
        case "/":
            return product(left, right) | (curved(left | right) if right & _MOVES else 0)
        case "+" | "-":
            return left | right
        case "**":
            return curved(left | right)
        case _:
            return (left | right) & ACTIVE


# ---------------------------------------------------------------- what the elements of a map compute together


def together(name: str, mark: int, mode: Mode | None) -> int:
    """The mark of what a collective gives, of what is marked so: its value, and its derivative in one of the modes, of
    which the way back sums what the way there gives to all, and gives to all what that sums."""
    place = 0 if name in ALIKE else ACTIVE
    match mode:
        case None:
            return place
        case Mode.FORWARD:
            return place | (SHARED if mark & _MOVES else 0) | (MIXED if mark & _MOVES and place else 0)
        case Mode.REVERSE:
            mark = curved(mark) if name in _CHOOSING else mark
            apart = name not in (*_SUMMING, *_CHOOSING) and mark & _MOVES
            return place | (MIXED if mark & MIXED or apart else 0)
        case _:
            assert_never(mode)


ALIKE = frozenset({"psum", "pmean", "pmax", "pmin", "all_gather"})
"""What these give is the same for all elements; what other collectives give tells them apart."""
_CHOOSING = frozenset({"pmax", "pmin"})
_SUMMING = frozenset({"psum", "pmean", "reduce_scatter"})


# ---------------------------------------------------------------- one leaf of an argument


def each_varied(value: Value) -> Iterator[Value]:
    """The value as often as it has leaves, with each of them varied in turn."""
    before = marks(value)
    for chosen in range(len(before)):
        yield with_marks(value, [mark | VARIED * (place == chosen) for place, mark in enumerate(before)])


def with_marks(value: Value, new: Sequence[int]) -> Value:
    """The structure of a value with other marks, in order."""
    following = iter(new)
    return map_marks(value, lambda _: next(following))


def slope_of(found: Value) -> int:
    """The mark of a derivative, by the marks of the value of which it is taken."""
    return ACTIVE if all(mark & MIXED for mark in marks(found)) else 0


def tangent_of(found: Value, given: int) -> Value:
    """The marks of a tangent, by those of the value and that of the tangent of the leaf that is varied."""
    return map_marks(found, lambda m: ACTIVE if m & MIXED or (m & VARIED and given & ACTIVE) else 0)


# ---------------------------------------------------------------- types


def is_inexact(type_: Type, scope: Scope) -> bool:
    """Return whether values of the type have tangents: integers, bools and keys have none."""
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
