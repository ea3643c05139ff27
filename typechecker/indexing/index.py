"""Indexing: `x[i, 1:, none, ...]`, the items of an index against the axes of a shape.

`walk` returns the items in Core and the shape of the result. `index_items` has the rule for one position, `slices` that
for a slice; `x.at[i].set(v)` and its like are in `updates`.
"""

from __future__ import annotations

from collections.abc import Sequence

from dsl.core import core
from dsl.diagnostics.source import Span
from dsl.syntax import ast
from dsl.types import type as ty
from dsl.types.decide import Refuted
from dsl.types.shape import Shape
from dsl.types.shapefn import ShapeFailure, broadcasted, extent
from dsl.types.size import Size
from dsl.types.type import Type
from dsl.types.walk import with_shape
from typechecker.env.context import Context
from typechecker.env.reports import Reported
from typechecker.env.value_facts import of_type
from typechecker.env.values import Elementwise, Known, Term, Traced
from typechecker.errors import names as name_errors
from typechecker.errors import shapes as shape_errors
from typechecker.errors import stages as stage_errors
from typechecker.indexing.index_items import Walk, position
from typechecker.indexing.slices import slice_
from typechecker.relations.coercion import Why, coerce
from typechecker.relations.shapes import demand_axis
from typechecker.types.instance import static_argument
from typechecker.types.predicates import holds_key


def index(ctx: Context, node: ast.Index, expected: Type | None) -> Term:
    """`x[…]`."""
    base = ctx.infer(node.base)
    kind = ctx.resolve(base.type)
    if kind == ty.ERROR:
        for item in node.items:
            if not isinstance(item, ast.Slice | ast.EllipsisItem):
                ctx.infer(item)
        raise Reported
    if kind == ty.SHAPE:
        return _index_shape(ctx, base, node)
    shape = index_shape(kind)
    if shape is None:
        ctx.refuse(shape_errors.cannot_index(ctx, base, node.span))
    items, result = walk(ctx, base, shape, node.items, node.span, None)
    if gathers_keys(kind, items):
        ctx.refuse(stage_errors.keys_gathered(node.span))
    found = with_shape(kind, result)
    known = element_known(ctx, base.known, found)
    return Term(core.Index(node.span, found, base.core, items), found, known)


def gathers_keys(kind: Type, items: tuple[core.Item, ...]) -> bool:
    """Whether an array of places reads keys, and may read one twice; places that are written out are compared."""
    return holds_key(kind) and any(isinstance(item, core.At) and not _once(item.value) for item in items)


def _once(places: core.Expr) -> bool:
    if not isinstance(places.type, ty.ArrayType | ty.IndexType) or not places.type.shape.dims:
        return True
    written = [strip_coercions(p) for p in places.items] if isinstance(places, core.Stack) else []
    values = {p.value for p in written if isinstance(p, core.Const)}
    return bool(written) and len(values) == len(written)


def strip_coercions(node: core.Expr) -> core.Expr:
    while isinstance(node, core.Coerce):
        node = node.value
    return node


def element_known(ctx: Context, known: Known | None, kind: Type) -> Known | None:
    if isinstance(known, Elementwise):
        if isinstance(kind, ty.ArrayType | ty.IndexType) and not kind.shape.dims:
            return Traced(ctx.traced_atom("i", known.low, known.high))
        return Elementwise(known.low, known.high)
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


def _index_shape(ctx: Context, base: Term, node: ast.Index) -> Term:
    """`x.shape[0]`: a static int."""
    shape = base.known if isinstance(base.known, Shape) else None
    if len(node.items) == 1 and not isinstance(node.items[0], ast.Slice | ast.EllipsisItem):
        term = coerce(ctx, ctx.infer(node.items[0], ty.INT), ty.INT, Why("static", "index"))
        if shape is None or not isinstance(term.known, Size):
            return Term(core.Index(node.span, ty.INT, base.core, (core.At(term.core, "proved"),)), ty.INT)
        place = static_argument(term.known, ctx.fresh_id)
        demand_axis(ctx, shape, place, shape_errors.Several("", ()), node.items[0].span)
        size = extent(shape, place)
        return Term(core.SizeOf(node.span, ty.INT, size), ty.INT, size)
    if len(node.items) == 1 and isinstance(node.items[0], ast.Slice) and shape is not None:
        found = _slice_shape(ctx, shape, node.items[0])
        if found is not None:
            return Term(core.ShapeOf(node.span, ty.SHAPE, found), ty.SHAPE, found)
    ctx.refuse(shape_errors.cannot_index(ctx, base, node.span))


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
) -> tuple[tuple[core.Item, ...], Shape]:
    """Items against a shape: the Core items and the shape of the result."""
    state = Walk(ctx, base, policy, [], [], [])
    foreign = next((node.span for node in nodes if _is_newaxis(ctx, node)), None)
    if foreign is not None:
        ctx.refuse(name_errors.newaxis(foreign))
    before, after, rest = _around_ellipsis(ctx, nodes)
    used = sum(1 for n in (*before, *after) if _takes_axis(n))
    if rest is None and (shape.leading < used if shape.rank is None else len(shape.dims) < used):
        ctx.refuse(shape_errors.too_many_indices(ctx, base, shape, used, span))
    front = sum(1 for n in before if _takes_axis(n))
    back = used - front
    if front > shape.leading or back > shape.trailing or (shape.rank is not None and used > shape.rank):
        ctx.refuse(shape_errors.too_many_indices(ctx, base, shape, used, span))
    axes = list(shape.dims)
    middle = axes[front : len(axes) - back] if back else axes[front:]
    _items(state, before, [a for a in axes[:front] if isinstance(a, Size)])
    if after or rest is not None:
        state.items.append(core.Rest())
    state.dims.extend(middle)
    if after:
        _items(state, after, [a for a in axes[len(axes) - back :] if isinstance(a, Size)])
    if state.failed:
        raise Reported
    return tuple(state.items), _gathered(ctx, state, span)


def _around_ellipsis(
    ctx: Context, nodes: tuple[ast.IndexItem, ...]
) -> tuple[Sequence[ast.IndexItem], Sequence[ast.IndexItem], ast.EllipsisItem | None]:
    places = [i for i, n in enumerate(nodes) if isinstance(n, ast.EllipsisItem)]
    if not places:
        return list(nodes), [], None
    if len(places) > 1:
        ctx.report(shape_errors.two_ellipses(nodes[places[1]].span))
    at = places[0]
    found = nodes[at]
    assert isinstance(found, ast.EllipsisItem)
    after = [n for n in nodes[at + 1 :] if not isinstance(n, ast.EllipsisItem)]
    return list(nodes[:at]), after, found


def _is_newaxis(ctx: Context, node: ast.IndexItem) -> bool:
    """`newaxis` and `np.newaxis`, which nothing here is called."""
    name = node.name.name if isinstance(node, ast.Field) else node.name if isinstance(node, ast.Name) else ""
    return name == "newaxis" and ctx.scope.lookup(node.span.text.partition(".")[0]) is None


def _takes_axis(node: ast.IndexItem) -> bool:
    return not isinstance(node, ast.NoneLit | ast.EllipsisItem)


def _items(state: Walk, nodes: Sequence[ast.IndexItem], axes: Sequence[Size]) -> None:
    remaining = iter(axes)
    for node in nodes:
        with state.ctx.attempt() as attempt:
            match node:
                case ast.NoneLit():
                    state.items.append(core.NewAxis())
                    state.dims.append(Size.of(1))
                case ast.Slice():
                    slice_(state, node, next(remaining))
                case ast.EllipsisItem():
                    pass
                case _:
                    position(state, node, next(remaining))
        state.failed = state.failed or attempt.failed


# ---------------------------------------------------------------- one index


def _gathered(ctx: Context, state: Walk, span: Span) -> Shape:
    """NumPy's rule: axes of integer arrays broadcast together, and stand where they are if adjacent, else in
    front."""
    if not state.gathers:
        return Shape(tuple(state.dims))
    joined = Shape(())
    for _, shape in state.gathers:
        result = broadcasted(ctx.facts, joined, shape)
        if isinstance(result, ShapeFailure):
            ctx.refuse(shape_errors.index_arrays_differ(ctx, joined, shape, span))
        for needed in result.obligations:
            if isinstance(ctx.require_equation(needed.prop, span), Refuted):
                ctx.refuse(shape_errors.index_arrays_differ(ctx, joined, shape, span))
        joined = result.shape
    places = [p for p, _ in state.gathers]
    kept = [d for i, d in enumerate(state.dims) if i not in places]
    at = places[0] if _adjacent(state) else 0
    return Shape((*kept[:at], *joined.dims, *kept[at:]))


def _adjacent(state: Walk) -> bool:
    kinds = [isinstance(i, core.At) for i in state.items]
    first, last = kinds.index(True), len(kinds) - 1 - kinds[::-1].index(True)
    return all(kinds[first : last + 1])
