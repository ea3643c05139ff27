"""Tangent types: what a derivative can be taken by, and the type of a small change of a value."""

from __future__ import annotations

from dsl.types import dtype as dt
from dsl.types import type as ty
from dsl.types.type import Type
from dsl.types.walk import map_leaves, named_leaves
from typechecker.env.context import Context


def non_inexact_leaf(ctx: Context, type_: Type) -> str | None:
    """The path to a leaf that has no derivative, or None if all have one; the path of the whole is "itself"."""
    found = (path for path, leaf in named_leaves(ctx.resolve(type_)) if not is_inexact(ctx, leaf))
    path = next(found, None)
    return None if path is None else path or "itself"


def is_inexact(ctx: Context, leaf: Type) -> bool:
    """Whether a leaf is an array of floats or complex numbers, or a part of a vector space."""
    match leaf:
        case ty.ArrayType(element, _):
            return ctx.body.solver.restrict(element, dt.CLASSES["Inexact"])
        case ty.TypeVar(_, _, constraint):
            return constraint.is_inexact
        case _:
            return leaf == ty.ERROR


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
