"""Marks on values, part by part: whether they depend on what is differentiated. Read next: `activity`."""

from __future__ import annotations

from collections.abc import Sequence

from dsl.core.analysis.abstract_values import Function, Scope, Value, combine_values, map_marks, marks
from dsl.types import type as ty
from dsl.types.dtype import DType
from dsl.types.type import Element, Type
from dsl.types.walk import any_leaf


def clear_marks(value: Value) -> Value:
    """A value without marks; functions keep what they are."""
    return map_marks(value, lambda _: False)


def is_active(value: Value) -> bool:
    """Whether any part has the mark."""
    return any(marks(value))


def is_certain(value: Value) -> bool:
    """Whether every part has the mark."""
    return not isinstance(value, Function) and all(marks(value))


def met(values: Sequence[Value]) -> Value:
    """The marks that all the values have."""
    return combine_values(values, lambda each: bool(each) and all(map(is_active, each)))


def is_inexact(type_: Type, scope: Scope) -> bool:
    """Whether values of the type can carry a mark: integers, bools and keys have none."""
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
