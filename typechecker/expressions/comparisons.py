"""Comparisons: of arrays element by element, of static values while checking; what they say of sizes is remembered.
Membership is a comparison with each item."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from math import isnan
from types import MappingProxyType

from dsl.core import core
from dsl.diagnostics.source import Span
from dsl.types import dtype as dt
from dsl.types import facts as fa
from dsl.types import type as ty
from dsl.types.facts import Prop
from dsl.types.shape import Shape
from dsl.types.size import Size
from dsl.types.static_conditions import compare
from dsl.types.type import Type
from typechecker import errors
from typechecker.env.context import Context
from typechecker.env.static_values import has_function, static_argument
from typechecker.env.value_facts import as_size, without_wrap
from typechecker.env.values import Condition, Known, Term, require_types
from typechecker.expressions.arithmetic import CLASS_OF, meet, require_class
from typechecker.expressions.logic import condition, either, negate
from typechecker.expressions.static_lists import as_list, items, stuck
from typechecker.relations.coercion import Why, coerce
from typechecker.relations.components import after, items_of, once
from typechecker.relations.shapes import broadcast
from typechecker.types.predicates import is_number, is_traced, present_type

_RELATION: Mapping[str, Callable[[Size, Size], Prop]] = MappingProxyType(
    {"==": fa.eq, "!=": fa.ne, "<": fa.lt, "<=": fa.le, ">": fa.gt, ">=": fa.ge}
)


_NUMBER = ty.ArrayType(dt.I32, Shape(()))

# ---------------------------------------------------------------- comparison


def comparison(ctx: Context, op: str, left: Term, right: Term, span: Span) -> Term:
    """`left op right` for a comparison."""
    if any(isinstance(term.known, float) and isnan(term.known) for term in (left, right)):
        ctx.refuse(errors.loops.compared_with_nan(ctx, op, left, right, span))
    a, b = ctx.resolve(left.type), ctx.resolve(right.type)
    if not is_traced(a) and not is_traced(b):
        if not _are_of_data(ctx, left, right):
            return _compare_static(ctx, op, left, right, span)
        left, right = [coerce(ctx, term, _NUMBER, Why("operand", op)) for term in (left, right)]
    element, x, y = meet(ctx, op, left, right, span)
    if op in CLASS_OF:
        require_class(ctx, op, "Real", element, left, right, span)
    shape = broadcast(ctx, op, left, right, x, y, span)
    kind = ty.ArrayType(dt.BOOL, shape)
    known: Known | None = None
    p, q = [as_size(without_wrap(ctx, term.known, element)) for term in (left, right)]
    if not shape.dims and p is not None and q is not None:
        known = Condition(_RELATION[op](p, q))
    return Term(core.Binary(span, kind, op, left.core, right.core), kind, known)


def _are_of_data(ctx: Context, left: Term, right: Term) -> bool:
    """Return whether two integers are compared when a program runs, since data decide a size in one of them."""
    sizes = [term.known for term in (left, right) if isinstance(term.known, Size)]
    return len(sizes) == 2 and any(var.traced and var in ctx.body.ranges for size in sizes for var in size.vars())


def _compare_static(ctx: Context, op: str, left: Term, right: Term, span: Span) -> Term:
    a, b = left.type, right.type
    if is_number(a) and is_number(b) and (a == ty.BOOLEAN) == (b == ty.BOOLEAN):
        if op in ("<", "<=", ">", ">=") and ty.COMPLEX in (a, b):
            ctx.refuse(errors.dtypes.operator_needs(ctx, op, "Real", dt.C64, left, right, span))
    elif all(has_function(term, ctx.program.enum_info) for term in (left, right)):
        ctx.refuse(errors.loops.functions_compared(span, ctx, op=op, left=left, right=right))
    elif op not in ("==", "!=") or not _comparable(a, b):
        ctx.refuse(errors.loops.not_comparable(ctx, op, left, right, span))
    core_term = core.Binary(span, ty.BOOLEAN, op, left.core, right.core)
    return Term(core_term, ty.BOOLEAN, _compare_known(ctx, op, left.known, right.known))


def _comparable(a: Type, b: Type) -> bool:
    bases = [present_type(k) for k in (a, b)]
    if ty.NONE in (a, b):
        return True
    sizes = (ty.INT, ty.SIZE)
    same = bases[0] == bases[1] or (bases[0] in sizes and bases[1] in sizes)
    lists = (ty.AXES, ty.SHAPE)
    return same or bases[0] in lists or bases[1] in lists


def same(ctx: Context, a: Known | None, b: Known | None) -> Prop:
    """Return the condition that two static values are equal."""
    return _compare_known(ctx, "==", a, b)


def _compare_known(ctx: Context, op: str, a: Known | None, b: Known | None) -> Prop:
    if isinstance(a, Size) and isinstance(b, Size):
        return fa.simplified(_RELATION[op](a, b))
    if op == "!=":
        return fa.negation(same(ctx, a, b))
    if op == "==" and isinstance(a, Prop) and isinstance(b, Prop):
        return _same_truth(a, b)
    if op == "==" and a is not None and a == b:
        return fa.Known(True)
    return compare(op, static_argument(a, ctx.fresh_id), static_argument(b, ctx.fresh_id))


def _same_truth(a: Prop, b: Prop) -> Prop:
    if a == b:
        return fa.Known(True)
    both, neither = fa.conjunction([a, b]), fa.conjunction([fa.negation(a), fa.negation(b)])
    return fa.simplified(fa.disjunction([both, neither]))


# ---------------------------------------------------------------- membership


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
        ctx.refuse(errors.dtypes.not_one_value(span, ctx, op=op, item=item))
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
        ctx.refuse(errors.dtypes.no_members(ctx, op, whole, span))
    return items(found), ()
