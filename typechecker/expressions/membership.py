"""`x in s` and `x not in s`: whether a value is equal to one of the items of a static list or of a tuple."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

from dsl.core import core
from dsl.diagnostics.source import Span
from dsl.types import facts as fa
from dsl.types import type as ty
from typechecker.env.context import Context
from typechecker.env.values import Term, require_types
from typechecker.errors import dtypes as dtype_errors
from typechecker.expressions.comparisons import comparison
from typechecker.expressions.logic import condition, either, negate
from typechecker.expressions.static_lists import as_list, items, stuck
from typechecker.relations.components import after, items_of, once


def membership(ctx: Context, op: str, item: Term, whole: Term, span: Span) -> Term:
    """`item in whole` or, by `op`, `item not in whole`."""
    found = _contained(ctx, op, item, whole, span)
    return found if op == "in" else negate(found, span)


def _contained(ctx: Context, op: str, item: Term, whole: Term, span: Span) -> Term:
    members, bindings = _members(ctx, op, item, whole, span)
    if members is None:
        node = core.Intrinsic(span, ty.BOOLEAN, "contains", (whole.core, item.core))
        return stuck(ctx, node, ty.BOOLEAN, whole)
    require_types(item)
    kind = ctx.resolve(item.type)
    if isinstance(kind, ty.ArrayType) and kind.shape.dims:
        ctx.refuse(dtype_errors.not_one_value(ctx, op, item, members, span))
    value, bound = once(ctx, item)
    equal = [condition(ctx, comparison(ctx, "==", value, member, span), op) for member in members]
    nothing = Term(core.Const(span, ty.BOOLEAN, False), ty.BOOLEAN, fa.Known(False))
    return after((*bound, *bindings), reduce(either, equal) if equal else nothing)


def _members(
    ctx: Context, op: str, item: Term, whole: Term, span: Span
) -> tuple[Sequence[Term] | None, Sequence[core.Bound]]:
    """The items of a list or tuple, and what binds them; None for those of a list of unknown length."""
    kind = ctx.resolve(whole.type)
    if isinstance(kind, ty.TupleType):
        return items_of(ctx, whole, kind, whole.span)
    found = as_list(ctx, whole)
    if found is None:
        ctx.refuse(dtype_errors.no_members(ctx, op, item, whole, span))
    return items(found), ()
