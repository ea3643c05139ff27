"""Classes of types: of what leaves a value consists that can be moved, mapped leaf by leaf, or added."""

from __future__ import annotations

from dsl.types import dtype as dt
from dsl.types import type as ty
from dsl.types.type import Type
from dsl.types.walk import leaves, named_leaves
from typechecker.env.context import Context
from typechecker.types.tangents import is_inexact

TYPE_CLASSES = ("Tree", "Move", "VSpace")
CLASSES = (*dt.CLASSES, *TYPE_CLASSES)
"""All that may stand behind a parameter: classes of dtypes and of types."""
_NUMBERS = (ty.FLOAT, ty.COMPLEX, ty.INT)
"""The static numbers that become inexact arrays."""


def is_of_class(ctx: Context, type_: Type, wanted: str) -> bool:
    if wanted == "VSpace":
        return is_vector_space(ctx, type_)
    return all(_is_leaf_of_class(leaf, wanted) for leaf in leaves(ctx.resolve(type_)))


def leaf_outside_class(ctx: Context, type_: Type, wanted: str) -> tuple[str, Type] | None:
    """The first leaf inside of a type, with its path, that keeps it from a class."""
    named = named_leaves(ctx.resolve(type_))
    return next(((path, leaf) for path, leaf in named if path and not is_of_class(ctx, leaf, wanted)), None)


def is_vector_space(ctx: Context, type_: Type) -> bool:
    """Whether every leaf is inexact."""
    return all(leaf in _NUMBERS or is_inexact(ctx, leaf) for leaf in leaves(ctx.resolve(type_)))


def _is_leaf_of_class(leaf: Type, wanted: str) -> bool:
    match leaf:
        case ty.ArrayType() | ty.IndexType() | ty.ErrorType():
            return True
        case ty.KeyType():
            return wanted == "Move"
        case ty.TypeVar(_, _, constraint):
            return wanted == "Move" or constraint != "Move"
        case _:
            return False
