"""Classes of types: of what leaves a value consists that can be moved, mapped leaf by leaf, or added."""

from __future__ import annotations

from dsl.syntax import ast
from dsl.types import dtype as dt
from dsl.types import type as ty
from dsl.types.type import Type, TypeClass
from dsl.types.walk import leaves, named_leaves
from typechecker.env.context import Context
from typechecker.errors import names as name_errors

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
        ctx.report(name_errors.unknown_class(ctx, over.name, tuple(dt.CLASSES), over.span))
        return None
    if over is None and constraint.name in dt.CLASSES:
        return dt.CLASSES[constraint.name]
    found = TypeClass(constraint.name, None if over is None else over.name)
    if constraint.name not in TYPE_CLASSES or (over is not None and (found.keys or not found.dtypes)):
        span = constraint.span if over is None else constraint.span.to(over.span)
        ctx.report(name_errors.unknown_class(ctx, str(found), CLASSES, span))
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
