"""Tangent types: what a derivative can be taken by, and the type of a small change of a value."""

from __future__ import annotations

from collections.abc import Callable

from dsl.types import dtype as dt
from dsl.types import type as ty
from dsl.types.type import Type
from dsl.types.walk import map_leaves, named_leaves
from typechecker.env.context import Context


def non_inexact_leaf(ctx: Context, type_: Type) -> str | None:
    """The path to a leaf that has no derivative, or None if all have one; the path of the whole is "itself"."""
    return _first_leaf(ctx, type_, lambda leaf: not is_inexact(ctx, leaf))


def leaf_without_elements(ctx: Context, type_: Type, dtypes: tuple[dt.DType, ...]) -> str | None:
    """The path to a leaf that is not known to be an array of these dtypes, so that there is no array of the derivatives
    of its elements, or by them."""
    return _first_leaf(ctx, type_, lambda leaf: leaf != ty.ERROR and not _is_array_of(ctx, leaf, dtypes))


def _first_leaf(ctx: Context, type_: Type, wrong: Callable[[Type], bool]) -> str | None:
    path = next((path for path, leaf in named_leaves(ctx.resolve(type_)) if wrong(leaf)), None)
    return None if path is None else path or "itself"


def _is_array_of(ctx: Context, leaf: Type, dtypes: tuple[dt.DType, ...]) -> bool:
    return isinstance(leaf, ty.ArrayType) and ctx.body.solver.restrict(leaf.dtype, dtypes)


def is_inexact(ctx: Context, leaf: Type) -> bool:
    """Return whether a leaf is an array of floats or complex numbers, or a part of a vector space."""
    match leaf:
        case ty.TypeVar(_, _, constraint):
            return constraint.is_inexact
        case _:
            return leaf == ty.ERROR or _is_array_of(ctx, leaf, dt.CLASSES["Inexact"])


def tangent(ctx: Context, type_: Type) -> Type:
    """The type of tangents: inexact leaves as they are, integers, bools and keys have unit."""
    return map_leaves(ctx.resolve(type_), lambda leaf: _tangent_leaf(ctx, leaf))


def _tangent_leaf(ctx: Context, leaf: Type) -> Type:
    match leaf:
        case ty.ArrayType(element, _):
            inexact = all(dtype.is_inexact for dtype in ctx.body.solver.candidates(element))
            return leaf if inexact else ty.UNIT
        case ty.TypeVar():
            return leaf
        case _:
            return ty.UNIT
