"""Slices: static bounds with a step, all of an axis reversed, and windows of static length at a traced place."""

from __future__ import annotations

from msgspec import Struct

from dsl.core import core
from dsl.syntax import ast
from dsl.types import dtype as dt
from dsl.types import facts as fa
from dsl.types import type as ty
from dsl.types.decide import Refuted
from dsl.types.facts import Prop
from dsl.types.shape import Shape
from dsl.types.size import Size
from dsl.types.type import Type
from typechecker.env.context import Context
from typechecker.env.reports import Reported
from typechecker.env.value_facts import only_ranges
from typechecker.env.values import Nothing, Term, Traced
from typechecker.errors import indices as index_errors
from typechecker.indexing.index_items import Walk, infer_place
from typechecker.relations.coercion import Why, coerce
from typechecker.types.size_conditions import require


class _Bound(Struct, frozen=True):
    """A bound of a slice: its term, whether it counts from the end, its place if that is known, and whether it is only
    known at run time."""

    term: Term | None = None
    from_end: bool = False
    place: Size | None = None
    traced: bool = False

    @property
    def core(self) -> core.Expr | None:
        return None if self.term is None else self.term.core

    @property
    def unknown(self) -> bool:
        """Return whether nothing is known of a bound that is there."""
        return self.term is not None and not isinstance(self.term.known, Size)


def _bound(state: Walk, node: ast.Expr | None, size: Size) -> _Bound:
    if node is None:
        return _Bound()
    ctx = state.ctx
    term, from_end = infer_place(ctx, node)
    kind = ctx.resolve(term.type)
    match kind, term.known:
        case ty.StaticType("int" | "size"), Size() as value:
            return _Bound(term, from_end, size - value if from_end else value)
        case (ty.StaticType("int" | "size"), _):
            return _Bound(term, from_end)
        case ((ty.IndexType(_, Shape(())) | ty.ArrayType(_, Shape(()))), known) if _may_be_place(ctx, kind):
            place = known.value if isinstance(known, Traced) else None
            return _Bound(term, from_end, size - place if from_end and place is not None else place, True)
        case ty.ErrorType(), _:
            state.failed = True
        case ty.StaticType("none"), Nothing():
            pass
        case _:
            ctx.report(index_errors.not_an_index(ctx, term, node.span))
            state.failed = True
    return _Bound()


def _may_be_place(ctx: Context, kind: Type) -> bool:
    return not isinstance(kind, ty.ArrayType) or ctx.body.solver.restrict(kind.dtype, dt.INTEGERS)


def slice_(state: Walk, node: ast.Slice, size: Size) -> None:
    """`a:b:s` along one axis."""
    start, stop = _bound(state, node.start, size), _bound(state, node.stop, size)
    given, step = _step(state, node)
    if state.failed or step is None:
        return None
    if step.constant is not None and step.constant < 0:
        return _reversed(state, node, size, step, given)
    low = Size.of(0) if node.start is None else start.place
    high = size if node.stop is None else stop.place
    if start.traced or stop.traced:
        return _window(state, node, start, (low, high), (given, step), size)
    low, high = Size.of(0) if low is None else low, size if high is None else high
    inside = fa.And((fa.ge(low, 0), fa.le(low, high), fa.le(high, size)))
    if start.unknown or stop.unknown:
        low, high = Size.of(0), Size.of(state.ctx.program.error_size())
    elif state.policy is not None and not state.ctx.holds(inside):
        return _window(state, node, start, (low, high), (given, step), size)
    elif node.start is not None or node.stop is not None:
        _require_inside(state, inside, low, high, size, node)
    state.items.append(core.Range(start.core, stop.core, given, start.from_end, stop.from_end))
    state.dims.append(_strided(high - low, step))


def _step(state: Walk, node: ast.Slice) -> tuple[core.Expr | None, Size | None]:
    """The step in Core, and what it is; None where something is wrong."""
    if node.step is None:
        return None, None if state.failed else _require_step(state, node, Size.of(1))
    term = state.ctx.infer(node.step, ty.INT)
    state.failed = state.failed or term.type not in (ty.INT, ty.SIZE)
    term = coerce(state.ctx, term, ty.INT, Why("static", "step"))
    known = term.known if isinstance(term.known, Size) else None
    return term.core, None if state.failed else _require_step(state, node, known)


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


def _reversed(state: Walk, node: ast.Slice, size: Size, step: Size, given: core.Expr | None) -> None:
    if node.start is not None or node.stop is not None:
        state.ctx.refuse(index_errors.backward_slice(state.ctx, node))
    state.items.append(core.Range(None, None, given))
    state.dims.append(_strided(size, -step))


def _window(
    state: Walk,
    node: ast.Slice,
    start: _Bound,
    ends: tuple[Size | None, Size | None],
    step: tuple[core.Expr | None, Size],
    size: Size,
) -> None:
    """Bounds whose difference is static, of the run or by a policy: a slice of that length."""
    ctx, (low, high), (given, stride) = state.ctx, ends, step
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
        ctx.perform_check("slice", size, node.span)
    first = start.core or core.Const(node.span, ty.INT, 0)
    state.items.append(core.Window(first, length, given, guard, start.from_end))
    state.dims.append(_strided(length, stride))


def _strided(length: Size, step: Size) -> Size:
    """How many of so many elements a step reaches."""
    return length if step.is_literal(1) else (length + step - 1) // step
