"""Items of an index. A static place is a condition on sizes, a traced one is proved or checked as it runs. Slices are
of static bounds, whole axes reversed, or windows of static length at a traced place."""

from __future__ import annotations

from msgspec import Struct

from dsl.core import core
from dsl.diagnostics.source import Span
from dsl.syntax import ast
from dsl.types import dtype as dt
from dsl.types import facts as fa
from dsl.types import type as ty
from dsl.types.decide import Refuted
from dsl.types.facts import Prop
from dsl.types.shape import Shape, Splice
from dsl.types.size import Size
from dsl.types.type import Type
from typechecker import errors
from typechecker.env.context import Context
from typechecker.env.reports import Reported
from typechecker.env.value_facts import bounds_of, only_ranges
from typechecker.env.values import Elementwise, Known, Nothing, Term, Traced
from typechecker.relations.coercion import Why, coerce
from typechecker.relations.size_equations import require_equal_shapes
from typechecker.types.data_sizes import places
from typechecker.types.size_conditions import require


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
    type_ = ctx.resolve(term.type)
    match type_:
        case ty.ErrorType():
            raise Reported
        case ty.StaticType("int" | "size"):
            _static_at(state, term, size, negative, node.span)
        case ty.IndexType(_, shape):
            _traced_at(state, term, shape, size, negative, node)
        case ty.ArrayType(element, shape) if ctx.body.solver.restrict(element, dt.INTEGERS):
            _traced_at(state, term, shape, size, negative, node)
        case ty.ArrayType(dt.BOOL, Shape((Size(),)) as shape) if state.reads and state.policy is None and not negative:
            _selected(state, term, shape, size, node.span)
        case ty.ArrayType(dt.BOOL, _):
            ctx.refuse(errors.indices.mask_index(ctx, state.base, term, node.span))
        case _:
            ctx.refuse(errors.indices.not_an_index(ctx, term, node.span))


def _selected(state: Walk, mask: Term, shape: Shape, size: Size, span: Span) -> None:
    """The elements of an axis where a mask of it holds."""
    ctx = state.ctx
    if require_equal_shapes(ctx, shape, Shape((size,)), span) is not None:
        ctx.refuse(errors.indices.mask_of_another_size(span, mask=shape.dims[0], size=size))
    positions, count = places(ctx, mask, size, span)
    state.gathers.append((len(state.dims), Shape((count,))))
    state.dims.append(Size.of(-1))
    state.items.append(core.At(positions, "proved"))


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
        ctx.refuse(errors.indices.index_out_of_range(ctx, place, size, verdict.counterexample, span))


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
        state.ctx.refuse(errors.indices.nothing_to_read(span, policy=state.policy, size=size))


def _guard(state: Walk, known: Known | None, term: Term, size: Size, negative: bool, span: Span) -> str:
    """ "proved", or "check"; an index built of ranges, sizes and statics alone becomes a condition instead. Counted
    from the end (`negative`), 0 is no place."""
    ctx = state.ctx
    type_ = ctx.resolve(term.type)
    if not negative and isinstance(type_, ty.IndexType) and ctx.holds(fa.le(type_.bound, size)):
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
                ctx.refuse(errors.indices.index_always_out(span, size=size))
            return "check"
        case Elementwise(low, high, reached):
            inside = None if low is None or high is None else fa.And((fa.ge(low, 0), fa.le(high, size)))
            if inside is not None and ctx.holds(inside):
                return "proved"
            if inside is not None and reached:
                verdict = ctx.require(inside, span)
                if isinstance(verdict, Refuted):
                    ctx.report(errors.indices.index_always_out(span, size=size))
                    state.failed = True
                return "proved"
            if low is not None and high is not None and _always_out(ctx, low, high - 1, size):
                ctx.refuse(errors.indices.index_always_out(span, size=size))
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


# ---------------------------------------------------------------- slices


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
    type_ = ctx.resolve(term.type)
    match type_, term.known:
        case ty.StaticType("int" | "size"), Size() as value:
            return _Bound(term, from_end, size - value if from_end else value)
        case (ty.StaticType("int" | "size"), _):
            return _Bound(term, from_end)
        case ((ty.IndexType(_, Shape(())) | ty.ArrayType(_, Shape(()))), known) if _may_be_place(ctx, type_):
            place = known.value if isinstance(known, Traced) else None
            return _Bound(term, from_end, size - place if from_end and place is not None else place, True)
        case ty.ErrorType(), _:
            state.failed = True
        case ty.StaticType("none"), Nothing():
            pass
        case _:
            ctx.report(errors.indices.not_an_index(ctx, term, node.span))
            state.failed = True
    return _Bound()


def _may_be_place(ctx: Context, type_: Type) -> bool:
    return not isinstance(type_, ty.ArrayType) or ctx.body.solver.restrict(type_.dtype, dt.INTEGERS)


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
        ctx.refuse(errors.indices.bad_step(span))
    step = ctx.facts.pinned(step)
    if step.constant is None and isinstance(ctx.require(fa.ge(step, 1), span), Refuted):
        ctx.refuse(errors.indices.backward_step(span, step=step))
    if step.is_literal(0):
        ctx.refuse(errors.indices.bad_step(span))
    return step


def _require_inside(state: Walk, prop: Prop, low: Size, high: Size, size: Size, node: ast.Slice) -> None:
    """Demand what keeps a slice from `low` to `high` on its axis."""
    ctx = state.ctx
    verdict = ctx.require(prop, node.span)
    if isinstance(verdict, Refuted):
        ctx.refuse(errors.indices.slice_out_of_range(ctx, low, high, size, verdict.counterexample, node.span))


def _reversed(state: Walk, node: ast.Slice, size: Size, step: Size, given: core.Expr | None) -> None:
    if node.start is not None or node.stop is not None:
        state.ctx.refuse(errors.indices.backward_slice(node.span, state.ctx))
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
        ctx.refuse(errors.indices.slice_length_traced(ctx, node.span))
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
