"""Classes of types: of what leaves a value consists that can be moved, mapped leaf by leaf, added, kept in a cell, or
differentiated by, with the types of small changes."""

from __future__ import annotations

from collections.abc import Callable

from dsl.diagnostics.source import Span
from dsl.syntax import ast
from dsl.types import dtype as dt
from dsl.types import type as ty
from dsl.types.type import Type, TypeClass
from dsl.types.walk import leaves, map_leaves, named_leaves
from typechecker import errors
from typechecker.env.context import Context
from typechecker.types.predicates import holds_key, holds_static

TYPE_CLASSES = ("Tree", "Move", "VSpace")
CLASSES = (*dt.CLASSES, *TYPE_CLASSES)
"""All that may stand behind a parameter: classes of dtypes and of types."""
_VSPACE = TypeClass("VSpace")
_NUMBERS = (ty.FLOAT, ty.COMPLEX, ty.INT)
"""The static numbers that become inexact arrays."""


def class_of(ctx: Context, generic: ast.Generic) -> TypeClass | tuple[dt.DType, ...] | None:
    """The class that is stated of a generic: of types, or of dtypes; None, and reported, where there is none."""
    constraint, over = generic.constraint, generic.over
    assert constraint is not None
    if over is not None and dt.dtypes_named(over.name) is None:
        ctx.report(errors.names.unknown_class(ctx, over.name, tuple(dt.CLASSES), over.span))
        return None
    if over is None and constraint.name in dt.CLASSES:
        return dt.CLASSES[constraint.name]
    found = TypeClass(constraint.name, None if over is None else over.name)
    if constraint.name not in TYPE_CLASSES or (over is not None and (found.keys or not found.dtypes)):
        span = constraint.span if over is None else constraint.span.to(over.span)
        ctx.report(errors.names.unknown_class(ctx, str(found), CLASSES, span))
        return None
    return found


def is_of_class(ctx: Context, type_: Type, wanted: TypeClass) -> bool:
    return all(_is_leaf_of_class(ctx, leaf, wanted) for leaf in leaves(ctx.resolve(type_)))


def leaf_outside_class(ctx: Context, type_: Type, wanted: TypeClass) -> tuple[str, Type] | None:
    """The first leaf inside of a type, with its path, that keeps it from a class."""
    named = named_leaves(ctx.resolve(type_))
    return next(((path, leaf) for path, leaf in named if path and not is_of_class(ctx, leaf, wanted)), None)


def is_vector_space(ctx: Context, type_: Type) -> bool:
    """Return whether every leaf is inexact."""
    return is_of_class(ctx, type_, _VSPACE)


def _is_leaf_of_class(ctx: Context, leaf: Type, wanted: TypeClass) -> bool:
    match leaf:
        case ty.ArrayType(element, _):
            return ctx.body.solver.restrict(element, wanted.dtypes)
        case ty.IndexType():
            return dt.I32 in wanted.dtypes
        case ty.KeyType():
            return wanted.keys
        case ty.TypeVar(_, _, constraint):
            return wanted.includes(constraint)
        case _:
            return leaf == ty.ERROR or (wanted.is_inexact and leaf in _NUMBERS)


# ---------------------------------------------------------------- cells


def cell_type(ctx: Context, kind: str, name: str, type_: Type, span: Span) -> Type:
    """The type of a cell; one that no cell can have is reported."""
    found = ctx.resolve(type_)
    if holds_static(found):
        ctx.report(errors.loops.cell_not_data(span, ctx, name=name, kind=found))
    elif kind == "accum" and not _can_be_summed(ctx, found):
        ctx.report(errors.loops.not_summable(span))
    elif holds_key(found):
        ctx.report(errors.keys.key_in_state(ctx, name, found, span))
    else:
        return type_
    return ty.ERROR


def _can_be_summed(ctx: Context, type_: Type) -> bool:
    numbers = (isinstance(leaf, ty.ArrayType) and leaf.dtype != dt.BOOL for leaf in leaves(type_))
    return type_ == ty.ERROR or all(numbers) or is_vector_space(ctx, type_)


# ---------------------------------------------------------------- tangents


def non_inexact_leaf(ctx: Context, type_: Type) -> str | None:
    """The path to a leaf that has no derivative, or None if all have one; the path of the whole is "itself". A static
    number has none."""
    return _first_leaf(ctx, type_, lambda leaf: leaf in _NUMBERS or not _is_leaf_of_class(ctx, leaf, _VSPACE))


def leaf_without_elements(ctx: Context, type_: Type, dtypes: tuple[dt.DType, ...]) -> str | None:
    """The path to a leaf that is not known to be an array of these dtypes, so that there is no array of the derivatives
    of its elements, or by them."""

    def is_wrong(leaf: Type) -> bool:
        return leaf != ty.ERROR and not (
            isinstance(leaf, ty.ArrayType) and ctx.body.solver.restrict(leaf.dtype, dtypes)
        )

    return _first_leaf(ctx, type_, is_wrong)


def _first_leaf(ctx: Context, type_: Type, wrong: Callable[[Type], bool]) -> str | None:
    path = next((path for path, leaf in named_leaves(ctx.resolve(type_)) if wrong(leaf)), None)
    return None if path is None else path or "itself"


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
