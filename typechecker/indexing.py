"""Indexing, slicing, and functional updates with `.at`."""

from __future__ import annotations

from dataclasses import dataclass

from dsl.core import core
from dsl.diagnostics.source import Span
from dsl.syntax import ast
from dsl.types import dtype as dt
from dsl.types import facts as fa
from dsl.types import type as ty
from dsl.types.decide import Proved, Refuted
from dsl.types.effect import CHECK
from dsl.types.shape import Shape, Splice
from dsl.types.shapefn import ShapeFailure, broadcasted
from dsl.types.size import Size, max_
from dsl.types.type import Type
from typechecker import errors
from typechecker.context import Context
from typechecker.instance import spread
from typechecker.knowledge import bounds_of, of_type
from typechecker.operators import error_term
from typechecker.relate import Why, coerce, require_equal
from typechecker.typexpr import add_axes
from typechecker.values import Elementwise, Known, Nothing, Term, Traced

POLICIES = ("clip", "wrap", "fill", "drop")


@dataclass(slots=True, eq=False)
class _Walk:
    """Items of one index against the axes of one shape."""

    ctx: Context
    base: Term
    policy: str | None
    items: list[core.Item]
    dims: list[Size | Splice]
    gathers: list[tuple[int, Shape]]
    failed: bool = False


def index(ctx: Context, node: ast.Index, expected: Type | None) -> Term:
    base = ctx.infer(node.base)
    kind = ctx.resolve(base.type)
    if kind == ty.ERROR:
        for item in node.items:
            if not isinstance(item, ast.Slice | ast.EllipsisItem):
                ctx.infer(item)
        return error_term(node.span)
    if kind == ty.SHAPE:
        return _index_shape(ctx, base, node)
    shape = index_shape(kind)
    if shape is None:
        ctx.report(errors.cannot_index(ctx, base, node.span))
        return error_term(node.span)
    done = walk(ctx, base, shape, node.items, node.span, None)
    if done is None:
        return error_term(node.span)
    items, result = done
    found = with_shape(kind, result)
    known = _element_known(ctx, base.known, found)
    return Term(core.Index(node.span, found, base.core, items), found, known)


def _element_known(ctx: Context, known: Known | None, kind: Type) -> Known | None:
    if isinstance(known, Elementwise):
        if isinstance(kind, ty.ArrayType | ty.IndexType) and not kind.shape.dims:
            return Traced(ctx.traced_atom("i", known.low, known.high))
        return known
    return of_type(ctx, kind, "i")


def index_shape(kind: Type) -> Shape | None:
    """The axes an index applies to: those of an array, or the leading ones of a stack."""
    match kind:
        case ty.ArrayType(_, shape) | ty.IndexType(_, shape) | ty.KeyType(shape):
            return shape
        case ty.StackedType(_, axes):
            return axes
        case _:
            return None


def with_shape(kind: Type, shape: Shape) -> Type:
    match kind:
        case ty.ArrayType(element, _):
            return ty.ArrayType(element, shape)
        case ty.IndexType(bound, _):
            return ty.IndexType(bound, shape)
        case ty.KeyType():
            return ty.KeyType(shape)
        case ty.StackedType(element, _):
            return add_axes(element, shape)
        case _:
            return kind


def _index_shape(ctx: Context, base: Term, node: ast.Index) -> Term:
    """`x.shape[0]`: a static int."""
    shape = base.known if isinstance(base.known, Shape) else None
    if len(node.items) == 1 and not isinstance(node.items[0], ast.Slice | ast.EllipsisItem):
        term = coerce(ctx, ctx.infer(node.items[0], ty.INT), ty.INT, Why("static", "index"))
        place = term.known.constant if isinstance(term.known, Size) else None
        if shape is not None and place is not None:
            try:
                size = shape.axis(place)
            except IndexError:
                ctx.report(errors.axis_out_of_range(ctx, base, place, shape, node.items[0].span))
                return error_term(node.span)
            return Term(core.SizeOf(node.span, ty.INT, size), ty.INT, size)
        return Term(core.Index(node.span, ty.INT, base.core, (core.At(term.core, "proved"),)), ty.INT)
    if len(node.items) == 1 and isinstance(node.items[0], ast.Slice) and shape is not None:
        found = _slice_shape(ctx, shape, node.items[0])
        if found is not None:
            return Term(core.ShapeOf(node.span, ty.SHAPE, found), ty.SHAPE, found)
    ctx.report(errors.cannot_index(ctx, base, node.span))
    return error_term(node.span)


def _slice_shape(ctx: Context, shape: Shape, item: ast.Slice) -> Shape | None:
    ends = []
    for bound in (item.start, item.stop):
        term = None if bound is None else ctx.infer(bound, ty.INT)
        value = term.known.constant if term is not None and isinstance(term.known, Size) else None
        if bound is not None and value is None:
            return None
        ends.append(value)
    start, stop = ends
    if item.step is not None:
        return None
    if shape.rank is not None:
        return Shape(shape.dims[start:stop])
    low = start or 0
    if low >= 0 and low <= shape.leading and stop is None:
        return Shape(shape.dims[low:])
    if low == 0 and stop is not None and stop < 0 and -stop <= shape.trailing:
        return Shape(shape.dims[:stop])
    return None


# ---------------------------------------------------------------- the walk


def walk(
    ctx: Context, base: Term, shape: Shape, nodes: tuple[ast.IndexItem, ...], span: Span, policy: str | None
) -> tuple[tuple[core.Item, ...], Shape] | None:
    """Items against a shape: the Core items and the shape of the result; None after a report."""
    state = _Walk(ctx, base, policy, [], [], [])
    before, after, rest = _around_ellipsis(ctx, nodes)
    used = sum(1 for n in (*before, *after) if _takes_axis(n))
    if rest is None and (shape.leading < used if shape.rank is None else len(shape.dims) < used):
        ctx.report(errors.too_many_indices(ctx, base, shape, used, span))
        return None
    front = sum(1 for n in before if _takes_axis(n))
    back = used - front
    if front > shape.leading or back > shape.trailing or (shape.rank is not None and used > shape.rank):
        ctx.report(errors.too_many_indices(ctx, base, shape, used, span))
        return None
    axes = list(shape.dims)
    middle = axes[front : len(axes) - back] if back else axes[front:]
    _items(state, before, [a for a in axes[:front] if isinstance(a, Size)])
    if after or rest is not None:
        state.items.append(core.Rest())
    state.dims.extend(middle)
    if after:
        _items(state, after, [a for a in axes[len(axes) - back :] if isinstance(a, Size)])
    if state.failed:
        return None
    result = _gathered(ctx, state, span)
    return None if result is None else (tuple(state.items), result)


def _around_ellipsis(
    ctx: Context, nodes: tuple[ast.IndexItem, ...]
) -> tuple[list[ast.IndexItem], list[ast.IndexItem], ast.EllipsisItem | None]:
    places = [i for i, n in enumerate(nodes) if isinstance(n, ast.EllipsisItem)]
    if not places:
        return list(nodes), [], None
    if len(places) > 1:
        ctx.report(errors.two_ellipses(nodes[places[1]].span))
    at = places[0]
    found = nodes[at]
    assert isinstance(found, ast.EllipsisItem)
    after = [n for n in nodes[at + 1 :] if not isinstance(n, ast.EllipsisItem)]
    return list(nodes[:at]), after, found


def _takes_axis(node: ast.IndexItem) -> bool:
    return not isinstance(node, ast.NoneLit | ast.EllipsisItem)


def _items(state: _Walk, nodes: list[ast.IndexItem], axes: list[Size]) -> None:
    remaining = iter(axes)
    for node in nodes:
        match node:
            case ast.NoneLit():
                state.items.append(core.NewAxis())
                state.dims.append(Size.of(1))
            case ast.Slice():
                _slice(state, node, next(remaining))
            case ast.EllipsisItem():
                pass
            case _:
                _at(state, node, next(remaining))


# ---------------------------------------------------------------- one index


def _at(state: _Walk, node: ast.Expr, size: Size) -> None:
    ctx = state.ctx
    negative = isinstance(node, ast.Unary) and node.op == "-"
    inner = node.operand if isinstance(node, ast.Unary) and negative else node
    term = ctx.infer(inner)
    kind = ctx.resolve(term.type)
    match kind:
        case ty.ErrorType():
            state.failed = True
        case ty.StaticType("int" | "size"):
            _static_at(state, term, size, negative, node.span)
        case ty.StaticType("none"):
            state.items.append(core.NewAxis())
        case ty.IndexType(_, shape):
            _traced_at(state, term, shape, size, negative, node)
        case ty.ArrayType(element, shape) if ctx.body.solver.restrict(element, dt.INTEGERS):
            _traced_at(state, term, shape, size, negative, node)
        case ty.ArrayType(dt.BOOL, _):
            ctx.report(errors.mask_index(ctx, state.base, term, node.span))
            state.failed = True
        case _:
            ctx.report(errors.not_an_index(ctx, term, node.span))
            state.failed = True


def _static_at(state: _Walk, term: Term, size: Size, negative: bool, span: Span) -> None:
    ctx = state.ctx
    state.items.append(core.At(term.core, state.policy or "proved", negative))
    if state.policy is not None or not isinstance(term.known, Size):
        return
    place = size - term.known if negative else term.known
    verdict = ctx.require(fa.And((fa.ge(place, 0), fa.lt(place, size))), span)
    if isinstance(verdict, Refuted):
        ctx.report(errors.index_out_of_range(ctx, place, size, verdict.counterexample, span))
        state.failed = True


def _traced_at(state: _Walk, term: Term, shape: Shape, size: Size, negative: bool, node: ast.Expr) -> None:
    ctx = state.ctx
    known = term.known
    if negative:
        known = Traced(size - known.value) if isinstance(known, Traced) else None
    guard = state.policy or _guard(state, known, term, size, node.span)
    if guard == "check":
        ctx.perform(CHECK, node.span)
    if shape.dims:
        state.gathers.append((len(state.dims), shape))
        state.dims.append(Size.of(-1))
    elif state.gathers or _will_gather(state):
        state.gathers.append((len(state.dims), shape))
        state.dims.append(Size.of(-1))
    state.items.append(core.At(term.core, guard, negative))


def _will_gather(state: _Walk) -> bool:
    return False


def _guard(state: _Walk, known: Known | None, term: Term, size: Size, span: Span) -> str:
    """"proved", or "check"; an index built of ranges, sizes and statics alone becomes a condition instead."""
    ctx = state.ctx
    kind = ctx.resolve(term.type)
    if isinstance(kind, ty.IndexType) and ctx.holds(fa.le(kind.bound, size)):
        return "proved"
    match known:
        case Traced(value):
            prop = fa.And((fa.ge(value, 0), fa.lt(value, size)))
            if ctx.holds(prop):
                return "proved"
            if _only_ranges(ctx, value):
                verdict = ctx.require(prop, span)
                if isinstance(verdict, Refuted):
                    ctx.report(errors.index_out_of_range(ctx, value, size, verdict.counterexample, span))
                    state.failed = True
                return "proved"
            if _always_out(ctx, value, value, size):
                ctx.report(errors.index_always_out(ctx, term, size, span))
                state.failed = True
            return "check"
        case Elementwise(low, high):
            if low is not None and high is not None and ctx.holds(fa.And((fa.ge(low, 0), fa.le(high, size)))):
                return "proved"
            if low is not None and high is not None and _always_out(ctx, low, high - 1, size):
                ctx.report(errors.index_always_out(ctx, term, size, span))
                state.failed = True
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


def _only_ranges(ctx: Context, value: Size) -> bool:
    """Whether an index is built of `range` variables, sizes and static values alone."""
    atoms = [v for v in value.vars() if v in ctx.body.ranges]
    return all(v in ctx.body.range_atoms for v in atoms)


def _gathered(ctx: Context, state: _Walk, span: Span) -> Shape | None:
    """NumPy's rule: axes of integer arrays broadcast together, and stand where they are if adjacent, else in
    front."""
    if not state.gathers:
        return Shape(tuple(state.dims))
    joined = Shape(())
    for _, shape in state.gathers:
        result = broadcasted(ctx.facts, joined, shape)
        if isinstance(result, ShapeFailure):
            ctx.report(errors.index_arrays_differ(ctx, joined, shape, span))
            return None
        for needed in result.obligations:
            verdict = ctx.require_equation(needed.prop, span)
            if isinstance(verdict, Refuted):
                ctx.report(errors.index_arrays_differ(ctx, joined, shape, span))
                return None
        joined = result.shape
    places = [p for p, _ in state.gathers]
    kept = [d for i, d in enumerate(state.dims) if i not in places]
    at = places[0] if _adjacent(state) else 0
    return Shape((*kept[:at], *joined.dims, *kept[at:]))


def _adjacent(state: _Walk) -> bool:
    kinds = [isinstance(i, core.At) for i in state.items]
    first, last = kinds.index(True), len(kinds) - 1 - kinds[::-1].index(True)
    return all(kinds[first : last + 1])


# ---------------------------------------------------------------- slices


def _bound(state: _Walk, node: ast.Expr | None, size: Size) -> tuple[Term | None, bool, Size | None, bool]:
    """A slice bound: its term, whether it counts from the end, its place, and whether it is traced."""
    if node is None:
        return None, False, None, False
    ctx = state.ctx
    negative = isinstance(node, ast.Unary) and node.op == "-"
    inner = node.operand if isinstance(node, ast.Unary) and negative else node
    term = ctx.infer(inner)
    kind = ctx.resolve(term.type)
    match kind, term.known:
        case ty.StaticType("int" | "size"), Size() as value:
            return term, negative, size - value if negative else value, False
        case (ty.StaticType("int" | "size"), _):
            return term, negative, None, False
        case (ty.IndexType(_, Shape(())) | ty.ArrayType(_, Shape(()))), known:
            if isinstance(kind, ty.ArrayType) and not ctx.body.solver.restrict(kind.dtype, dt.INTEGERS):
                ctx.report(errors.not_an_index(ctx, term, node.span))
                state.failed = True
            value = known.value if isinstance(known, Traced) else None
            return term, negative, (size - value if negative and value is not None else value), True
        case ty.ErrorType(), _:
            state.failed = True
            return None, False, None, False
        case ty.StaticType("none"), Nothing():
            return None, False, None, False
        case _:
            ctx.report(errors.not_an_index(ctx, term, node.span))
            state.failed = True
            return None, False, None, False


def _slice(state: _Walk, node: ast.Slice, size: Size) -> None:
    ctx = state.ctx
    start, start_end, low, low_traced = _bound(state, node.start, size)
    stop, stop_end, high, high_traced = _bound(state, node.stop, size)
    step_term = None if node.step is None else ctx.infer(node.step, ty.INT)
    step: Size | None = Size.of(1)
    if step_term is not None:
        step_term = coerce(ctx, step_term, ty.INT, Why("static", "step"))
        step = step_term.known if isinstance(step_term.known, Size) else None
    if state.failed:
        return
    if low_traced or high_traced:
        _window(state, node, start, low, high, step, step_term, size)
        return
    backwards = step is not None and step.constant is not None and step.constant < 0
    if step is None or step.is_literal(0):
        ctx.report(errors.bad_step(node.step.span if node.step else node.span))
        state.failed = True
        return
    if backwards:
        _reversed(state, node, size, step, step_term)
        return
    low = low if low is not None else Size.of(0)
    high = high if high is not None else size
    if (start is not None and not isinstance(start.known, Size)) or (
        stop is not None and not isinstance(stop.known, Size)
    ):
        low, high = Size.of(0), Size.of(ctx.program.error_size())
    elif node.start is not None or node.stop is not None:
        verdict = ctx.require(fa.And((fa.ge(low, 0), fa.le(low, high), fa.le(high, size))), node.span)
        if isinstance(verdict, Refuted):
            ctx.report(errors.slice_out_of_range(ctx, low, high, size, verdict.counterexample, node.span))
            state.failed = True
            return
    state.items.append(
        core.Range(
            start.core if start else None, stop.core if stop else None, step_term.core if step_term else None,
            start_end, stop_end,
        )
    )  # fmt: skip
    length = high - low
    state.dims.append(length if step.is_literal(1) else (length + step - 1) // step)


def _reversed(state: _Walk, node: ast.Slice, size: Size, step: Size, step_term: Term | None) -> None:
    if node.start is not None or node.stop is not None:
        state.ctx.report(errors.backward_slice(node.span))
        state.failed = True
        return
    stride = -step
    state.items.append(core.Range(None, None, step_term.core if step_term else None))
    state.dims.append(size if stride.is_literal(1) else (size + stride - 1) // stride)


def _window(
    state: _Walk,
    node: ast.Slice,
    start: Term | None,
    low: Size | None,
    high: Size | None,
    step: Size | None,
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
        ctx.report(errors.slice_length_traced(ctx, node.span))
        state.failed = True
        return
    length = high - low
    if not ctx.holds(fa.ge(length, 0)) and not ctx.program.rules.require(ctx, fa.ge(length, 0), node.span, "slice"):
        state.failed = True
        return
    prop = fa.And((fa.ge(low, 0), fa.le(high, size)))
    guard = state.policy or "check"
    if ctx.holds(prop):
        guard = "proved"
    elif state.policy is None and _only_ranges(ctx, low):
        verdict = ctx.require(prop, node.span)
        if isinstance(verdict, Refuted):
            ctx.report(errors.slice_out_of_range(ctx, low, high, size, verdict.counterexample, node.span))
            state.failed = True
            return
        guard = "proved"
    if guard == "check":
        ctx.perform(CHECK, node.span)
    first = start.core if start is not None else core.Const(node.span, ty.INT, 0)
    state.items.append(core.Window(first, length, step_term.core if step_term else None, guard))
    state.dims.append(length if step is None or step.is_literal(1) else (length + step - 1) // step)


# ---------------------------------------------------------------- updates


def at_method(ctx: Context, node: ast.Field, args: list, span: Span) -> Term | None:  # type: ignore[type-arg]
    """`x.at[i].set(v)` and its like; None if this is no such thing."""
    target = node.base
    if not (isinstance(target, ast.Index) and isinstance(target.base, ast.Field) and target.base.name.name == "at"):
        return None
    base = ctx.infer(target.base.base)
    kind = ctx.resolve(base.type)
    if kind == ty.ERROR:
        return error_term(span)
    shape = index_shape(kind)
    if shape is None:
        return None
    operation = node.name.name
    if operation not in ("set", "add", "mul", "multiply", "min", "max", "divide", "power", "apply", "get"):
        ctx.report(errors.unknown_update(operation, node.name.span))
        return error_term(span)
    operation = "mul" if operation == "multiply" else operation
    named = {a.name: a for a in args if a.name is not None}
    positional = [a for a in args if a.name is None]
    policy = _policy(ctx, named)
    if policy is None:
        return error_term(span)
    if operation == "get":
        return _get(ctx, base, kind, shape, target, policy or None, named, span)
    if len(positional) != 1:
        ctx.report(errors.update_arguments(operation, len(positional), span))
        return error_term(span)
    return _update(ctx, base, kind, shape, target, operation, policy or None, positional[0].value, span)


def _policy(ctx: Context, named: dict) -> str | None:  # type: ignore[type-arg]
    arg = named.get("mode")
    if arg is None:
        return ""
    term = coerce(ctx, ctx.infer(arg.value, ty.STRING), ty.STRING, Why("static", "mode"))
    if isinstance(term.known, str) and term.known in POLICIES:
        return term.known
    ctx.report(errors.unknown_policy(arg.span))
    return None


def _get(
    ctx: Context, base: Term, kind: Type, shape: Shape, target: ast.Index, policy: str | None, named: dict, span: Span  # type: ignore[type-arg]
) -> Term:
    done = walk(ctx, base, shape, target.items, target.span, policy)
    if done is None:
        return error_term(span)
    items, result = done
    found = with_shape(kind, result)
    fill = None
    if "fill" in named and isinstance(found, ty.ArrayType):
        scalar = ty.ArrayType(found.dtype, Shape(()))
        fill = coerce(ctx, ctx.infer(named["fill"].value), scalar, Why("argument", "fill", "get")).core
    elif policy == "fill" and "fill" not in named:
        ctx.report(errors.missing_arguments("get", ["fill"], span))
        return error_term(span)
    return Term(core.Index(span, found, base.core, items, fill), found, _element_known(ctx, None, found))


def _update(
    ctx: Context,
    base: Term,
    kind: Type,
    shape: Shape,
    target: ast.Index,
    operation: str,
    policy: str | None,
    value: ast.Expr | Term,
    span: Span,
) -> Term:
    kind = ty.ArrayType(dt.I32, kind.shape) if isinstance(kind, ty.IndexType) else kind
    mask = _mask(ctx, target, shape)
    if mask is not None:
        items: tuple[core.Item, ...] = ()
        slot = kind
        if mask.type == ty.ERROR:
            return error_term(span)
    else:
        done = walk(ctx, base, shape, target.items, target.span, policy)
        if done is None:
            return error_term(span)
        items, result = done
        slot = with_shape(kind, result)
    if operation == "apply":
        wanted = ty.FunctionType((slot,), slot)
        term = ctx.program.rules.as_function(
            ctx, ctx.infer(value), wanted, Why("argument", "function", "apply"), span
        )
    else:
        term = ctx.infer(value, slot if isinstance(slot, ty.ArrayType) else None)
        term = _fit_slot(ctx, term, slot, operation, span)
        if term.type == ty.ERROR:
            return error_term(span)
    core_mask = mask.core if mask is not None else None
    return Term(core.Scatter(span, kind, base.core, items, operation, term.core, core_mask), kind)


def _mask(ctx: Context, target: ast.Index, shape: Shape) -> Term | None:
    """The boolean mask of `.at[mask]`, if that is what stands there."""
    if len(target.items) != 1 or isinstance(target.items[0], ast.Slice | ast.EllipsisItem | ast.NoneLit | ast.NumberLit):
        return None
    item = target.items[0]
    if not isinstance(item, ast.Compare | ast.Name | ast.Binary | ast.Unary | ast.Call | ast.Field):
        return None
    mark = len(ctx.program.reports)
    with ctx.collecting_effects() as effects:
        term = ctx.infer(item)
    kind = ctx.resolve(term.type)
    if not (isinstance(kind, ty.ArrayType) and kind.dtype == dt.BOOL):
        ctx.program.reports.take_since(mark)
        return None
    for effect, place in effects.items():
        ctx.perform(effect, place)
    return coerce(ctx, term, ty.ArrayType(dt.BOOL, shape), Why("argument", "mask", "at"))


def _fit_slot(ctx: Context, term: Term, slot: Type, operation: str, span: Span) -> Term:
    """A value against its slot: equal types, or an array that broadcasts to it by the safe rules."""
    kind = ctx.resolve(term.type)
    if isinstance(slot, ty.ArrayType) and isinstance(kind, ty.ArrayType | ty.IndexType):
        element = kind.dtype if isinstance(kind, ty.ArrayType) else dt.I32
        if not ctx.body.solver.unify(element, slot.dtype):
            return coerce_error(ctx, term, slot, operation)
        result = broadcasted(ctx.facts, slot.shape, kind.shape)
        if isinstance(result, ShapeFailure) or require_shape(ctx, result.shape, slot.shape, span):
            return coerce_error(ctx, term, slot, operation)
        for needed in result.obligations:
            if ctx.require_equation(needed.prop, span) is not None:
                return coerce_error(ctx, term, slot, operation)
        return term
    if isinstance(slot, ty.ArrayType) and isinstance(kind, ty.StaticType):
        return coerce(ctx, term, ty.ArrayType(slot.dtype, Shape(())), Why("argument", "value", operation))
    mark = len(ctx.program.reports)
    fitted = coerce(ctx, term, spread(slot), Why("argument", "value", operation))
    return error_term(span) if len(ctx.program.reports) > mark else fitted


def coerce_error(ctx: Context, term: Term, slot: Type, operation: str) -> Term:
    why = Why("argument", "value", operation)
    kind = ctx.resolve(term.type)
    if isinstance(slot, ty.ArrayType) and isinstance(kind, ty.ArrayType) and slot.dtype == kind.dtype:
        found = errors.wrong_shape(ctx, kind.shape, slot.shape, kind, slot, why, term.span, "", None)
    else:
        found = errors.wrong_type(ctx, kind, slot, why, term.span, "")
    ctx.report(found)
    return error_term(term.span)


def require_shape(ctx: Context, left: Shape, right: Shape, span: Span) -> bool:
    """Whether two shapes of one rank differ for some sizes."""
    if left == right:
        return False
    if left.rank is None or left.rank != right.rank:
        return True
    return any(
        isinstance(a, Size) and isinstance(b, Size) and require_equal(ctx, a, b, span) is not None
        for a, b in zip(left.dims, right.dims, strict=True)
    )


__all__ = ["Proved", "at_method", "index", "index_shape", "max_", "walk", "with_shape"]
