"""One position of an axis: a static place is a condition on sizes, a traced one is proved or checked as it runs."""

from __future__ import annotations

from msgspec import Struct

from dsl.core import core
from dsl.diagnostics.source import Span
from dsl.syntax import ast
from dsl.types import dtype as dt
from dsl.types import facts as fa
from dsl.types import type as ty
from dsl.types.decide import Refuted
from dsl.types.shape import Shape, Splice
from dsl.types.size import Size
from typechecker.env.context import Context
from typechecker.env.reports import Reported
from typechecker.env.value_facts import bounds_of, only_ranges
from typechecker.env.values import Elementwise, Known, Term, Traced
from typechecker.errors import indices as index_errors


class Walk(Struct, eq=False):
    """Items of one index against the axes of one shape."""

    ctx: Context
    base: Term
    policy: str | None
    items: list[core.Item]
    dims: list[Size | Splice]
    gathers: list[tuple[int, Shape]]
    failed: bool = False
    reads: bool = False


# ---------------------------------------------------------------- one index


def infer_place(ctx: Context, node: ast.Expr) -> tuple[Term, bool]:
    """A place on an axis without its sign, and whether it has one: then it counts from the end."""
    if isinstance(node, ast.Unary) and node.op == "-":
        return ctx.infer(node.operand), True
    return ctx.infer(node), False


def position(state: Walk, node: ast.Expr, size: Size) -> None:
    """One index along one axis: a position, or an array of them."""
    ctx = state.ctx
    term, negative = infer_place(ctx, node)
    kind = ctx.resolve(term.type)
    match kind:
        case ty.ErrorType():
            raise Reported
        case ty.StaticType("int" | "size"):
            _static_at(state, term, size, negative, node.span)
        case ty.IndexType(_, shape):
            _traced_at(state, term, shape, size, negative, node)
        case ty.ArrayType(element, shape) if ctx.body.solver.restrict(element, dt.INTEGERS):
            _traced_at(state, term, shape, size, negative, node)
        case ty.ArrayType(dt.BOOL, _):
            ctx.refuse(index_errors.mask_index(ctx, state.base, term, node.span))
        case _:
            ctx.refuse(index_errors.not_an_index(ctx, term, node.span))


def _static_at(state: Walk, term: Term, size: Size, negative: bool, span: Span) -> None:
    ctx = state.ctx
    _nearest(state, Shape(()), size, span)
    state.items.append(core.At(term.core, state.policy or "proved", negative))
    if state.policy is not None or not isinstance(term.known, Size):
        return
    _require_place(ctx, size - term.known if negative else term.known, size, span)


def _require_place(ctx: Context, place: Size, size: Size, span: Span) -> None:
    """Demand that a place lies on an axis of a size."""
    verdict = ctx.require(fa.And((fa.ge(place, 0), fa.lt(place, size))), span)
    if isinstance(verdict, Refuted):
        ctx.refuse(index_errors.index_out_of_range(ctx, place, size, verdict.counterexample, span))


def _traced_at(state: Walk, term: Term, shape: Shape, size: Size, negative: bool, node: ast.Expr) -> None:
    ctx = state.ctx
    _nearest(state, shape, size, node.span)
    known = term.known
    if negative:
        known = Traced(size - known.value) if isinstance(known, Traced) else None
    guard = state.policy or _guard(state, known, term, size, negative, node.span)
    if guard == "check":
        ctx.perform_check("index", size, node.span, ctx.resolve(term.type))
    if shape.dims or state.gathers:
        state.gathers.append((len(state.dims), shape))
        state.dims.append(Size.of(-1))
    state.items.append(core.At(term.core, guard, negative))


def _nearest(state: Walk, places: Shape, size: Size, span: Span) -> None:
    """Require an element on the axis for a clipped or wrapped index, unless it reads nothing."""
    if not state.reads or state.policy not in ("clip", "wrap"):
        return
    needed = fa.simplified(fa.disjunction([fa.ge(size, 1), fa.eq(places.product(), 0)]))
    if isinstance(state.ctx.require(needed, span), Refuted):
        state.ctx.refuse(index_errors.nothing_to_read(span, policy=state.policy, size=size))


def _guard(state: Walk, known: Known | None, term: Term, size: Size, negative: bool, span: Span) -> str:
    """ "proved", or "check"; an index built of ranges, sizes and statics alone becomes a condition instead. Counted
    from the end (`negative`), 0 is no place."""
    ctx = state.ctx
    kind = ctx.resolve(term.type)
    if not negative and isinstance(kind, ty.IndexType) and ctx.holds(fa.le(kind.bound, size)):
        return "proved"
    match known:
        case Traced(value):
            within = fa.And((fa.ge(value, 0), fa.lt(value, size)))
            if ctx.holds(within):
                return "proved"
            if only_ranges(ctx, value) and ctx.has_ends(within):
                _require_place(ctx, value, size, span)
                return "proved"
            if _always_out(ctx, value, value, size):
                ctx.refuse(index_errors.index_always_out(span, size=size))
            return "check"
        case Elementwise(low, high, reached):
            inside = None if low is None or high is None else fa.And((fa.ge(low, 0), fa.le(high, size)))
            if inside is not None and ctx.holds(inside):
                return "proved"
            if inside is not None and reached:
                verdict = ctx.require(inside, span)
                if isinstance(verdict, Refuted):
                    ctx.report(index_errors.index_always_out(span, size=size))
                    state.failed = True
                return "proved"
            if low is not None and high is not None and _always_out(ctx, low, high - 1, size):
                ctx.refuse(index_errors.index_always_out(span, size=size))
            return "check"
        case _:
            return "check"


def _always_out(ctx: Context, low: Size, high: Size, size: Size) -> bool:
    """Out of bounds for every run that has an element at all."""
    found = bounds_of(ctx, low), bounds_of(ctx, high)
    bottom = found[0].low if found[0] is not None else None
    top = found[1].high - 1 if found[1] is not None and found[1].high is not None else None
    above = bottom is not None and ctx.holds(fa.ge(bottom, size))
    return above or (top is not None and ctx.holds(fa.lt(top, 0)))
