"""Slices: static bounds with a step, all of an axis reversed, and windows of static length at a traced place."""

from __future__ import annotations

from dsl.core import core
from dsl.syntax import ast
from dsl.types import dtype as dt
from dsl.types import facts as fa
from dsl.types import type as ty
from dsl.types.decide import Refuted
from dsl.types.effect import CHECK
from dsl.types.facts import Prop
from dsl.types.shape import Shape
from dsl.types.size import Size
from typechecker.env.reports import Reported
from typechecker.env.value_facts import only_ranges
from typechecker.env.values import Nothing, Term, Traced
from typechecker.errors import indices as index_errors
from typechecker.indexing.index_items import Walk, infer_place
from typechecker.relations.coercion import Why, coerce
from typechecker.types.size_conditions import require


def _bound(state: Walk, node: ast.Expr | None, size: Size) -> tuple[Term | None, bool, Size | None, bool]:
    """A slice bound: its term, whether it counts from the end, its place, and whether it is traced."""
    if node is None:
        return None, False, None, False
    ctx = state.ctx
    term, negative = infer_place(ctx, node)
    kind = ctx.resolve(term.type)
    match kind, term.known:
        case ty.StaticType("int" | "size"), Size() as value:
            return term, negative, size - value if negative else value, False
        case (ty.StaticType("int" | "size"), _):
            return term, negative, None, False
        case ((ty.IndexType(_, Shape(())) | ty.ArrayType(_, Shape(()))), known):
            if isinstance(kind, ty.ArrayType) and not ctx.body.solver.restrict(kind.dtype, dt.INTEGERS):
                ctx.report(index_errors.not_an_index(ctx, term, node.span))
                state.failed = True
            place = known.value if isinstance(known, Traced) else None
            return term, negative, (size - place if negative and place is not None else place), True
        case ty.ErrorType(), _:
            state.failed = True
            return None, False, None, False
        case ty.StaticType("none"), Nothing():
            return None, False, None, False
        case _:
            ctx.report(index_errors.not_an_index(ctx, term, node.span))
            state.failed = True
            return None, False, None, False


def slice_(state: Walk, node: ast.Slice, size: Size) -> None:
    """`a:b:s` along one axis."""
    ctx = state.ctx
    start, start_end, low, low_traced = _bound(state, node.start, size)
    stop, stop_end, high, high_traced = _bound(state, node.stop, size)
    step_term = None if node.step is None else ctx.infer(node.step, ty.INT)
    step: Size | None = Size.of(1)
    if step_term is not None:
        state.failed = state.failed or step_term.type not in (ty.INT, ty.SIZE)
        step_term = coerce(ctx, step_term, ty.INT, Why("static", "step"))
        step = step_term.known if isinstance(step_term.known, Size) else None
    if state.failed:
        return None
    step = _require_step(state, node, step)
    if step.constant is not None and step.constant < 0:
        return _reversed(state, node, size, step, step_term)
    if low_traced or high_traced:
        return _window(state, node, start, low, high, step, step_term, size)
    low = low if low is not None else Size.of(0)
    high = high if high is not None else size
    if (start is not None and not isinstance(start.known, Size)) or (
        stop is not None and not isinstance(stop.known, Size)
    ):
        low, high = Size.of(0), Size.of(ctx.program.error_size())
    elif node.start is not None or node.stop is not None:
        _require_inside(state, fa.And((fa.ge(low, 0), fa.le(low, high), fa.le(high, size))), low, high, size, node)
    state.items.append(
        core.Range(
            start.core if start else None,
            stop.core if stop else None,
            step_term.core if step_term else None,
            start_end,
            stop_end,
        )
    )
    state.dims.append(_strided(high - low, step))


def _require_step(state: Walk, node: ast.Slice, step: Size | None) -> Size:
    """The step of a slice; one that is not known as a number here goes forwards."""
    ctx = state.ctx
    span = node.step.span if node.step else node.span
    if step is None:
        ctx.refuse(index_errors.bad_step(span))
    step = ctx.facts.pinned(step)
    if step.constant is None and isinstance(ctx.require(fa.ge(step, 1), span), Refuted):
        ctx.refuse(index_errors.backward_step(span, step=step))
    if step.is_literal(0):
        ctx.refuse(index_errors.bad_step(span))
    return step


def _require_inside(state: Walk, prop: Prop, low: Size, high: Size, size: Size, node: ast.Slice) -> None:
    """Demand what keeps a slice from `low` to `high` on its axis."""
    ctx = state.ctx
    verdict = ctx.require(prop, node.span)
    if isinstance(verdict, Refuted):
        ctx.refuse(index_errors.slice_out_of_range(ctx, low, high, size, verdict.counterexample, node.span))


def _reversed(state: Walk, node: ast.Slice, size: Size, step: Size, step_term: Term | None) -> None:
    if node.start is not None or node.stop is not None:
        state.ctx.refuse(index_errors.backward_slice(node.span))
    stride = -step
    state.items.append(core.Range(None, None, step_term.core if step_term else None))
    state.dims.append(_strided(size, stride))


def _window(
    state: Walk,
    node: ast.Slice,
    start: Term | None,
    low: Size | None,
    high: Size | None,
    step: Size,
    step_term: Term | None,
    size: Size,
) -> None:
    """Run-time bounds whose difference is static: a slice of that length."""
    ctx = state.ctx
    if node.start is None:
        low = Size.of(0)
    if node.stop is None:
        high = size
    if low is None or high is None or ctx.is_traced(high - low):
        ctx.refuse(index_errors.slice_length_traced(ctx, node.span))
    length = high - low
    if not ctx.holds(fa.ge(length, 0)) and not require(ctx, fa.ge(length, 0), node.span, "slice"):
        raise Reported
    if state.policy is not None:
        _require_inside(state, fa.le(length, size), low, high, size, node)
    prop = fa.And((fa.ge(low, 0), fa.le(high, size)))
    guard = state.policy or "check"
    if ctx.holds(prop):
        guard = "proved"
    elif state.policy is None and only_ranges(ctx, low):
        _require_inside(state, prop, low, high, size, node)
        guard = "proved"
    if guard == "check":
        ctx.perform(CHECK, node.span)
    first = start.core if start is not None else core.Const(node.span, ty.INT, 0)
    state.items.append(core.Window(first, length, step_term.core if step_term else None, guard))
    state.dims.append(_strided(length, step))


def _strided(length: Size, step: Size) -> Size:
    """How many of so many elements a step reaches."""
    return length if step.is_literal(1) else (length + step - 1) // step
