"""The types of cells: data that can be read any number of times, or added up. One rule for cells of handlers and of
types."""

from __future__ import annotations

from dsl.diagnostics.source import Span
from dsl.types import dtype as dt
from dsl.types import type as ty
from dsl.types.type import Type
from dsl.types.walk import leaves
from typechecker.env.context import Context
from typechecker.errors import keys as key_errors
from typechecker.errors import loops as loop_errors
from typechecker.types.predicates import holds_key, holds_static
from typechecker.types.type_classes import is_vector_space


def cell_type(ctx: Context, kind: str, name: str, type_: Type, span: Span) -> Type:
    """The type of a cell; one that no cell can have is reported."""
    found = ctx.resolve(type_)
    if holds_static(found):
        ctx.report(loop_errors.cell_not_data(span, ctx, name=name, kind=found))
    elif kind == "accum" and not _can_be_summed(ctx, found):
        ctx.report(loop_errors.not_summable(span))
    elif holds_key(found):
        ctx.report(key_errors.key_in_state(ctx, name, found, span))
    else:
        return type_
    return ty.ERROR


def _can_be_summed(ctx: Context, kind: Type) -> bool:
    numbers = (isinstance(leaf, ty.ArrayType) and leaf.dtype != dt.BOOL for leaf in leaves(kind))
    return kind == ty.ERROR or all(numbers) or is_vector_space(ctx, kind)
