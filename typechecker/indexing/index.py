"""Indexing: `x[i, 1:, none, ...]`, the items of an index against the axes of a shape.

`walk` returns the items in Core and the shape of the result. `index_items` has the rules for one position and for a
slice; `x.at[i].set(v)` and its like are in `updates`.
"""

from __future__ import annotations

from collections.abc import Sequence

from dsl.core import core
from dsl.core.walk import strip_coercions
from dsl.diagnostics.source import Span
from dsl.syntax import ast
from dsl.types import type as ty
from dsl.types.shape import Shape
from dsl.types.shapefn import extent
from dsl.types.size import Size
from dsl.types.static_parts import Gap, has_gap
from dsl.types.type import Type
from dsl.types.walk import children, leading_axes, with_shape
from typechecker import errors
from typechecker.env.context import Context
from typechecker.env.reports import Reported
from typechecker.env.static_values import computed_term, static_argument
from typechecker.env.value_facts import element_known
from typechecker.env.values import Term
from typechecker.errors.causes import Operation
from typechecker.expressions.atoms import at_place
from typechecker.expressions.static_lists import as_list, items, make_list, stuck, unknown_value
from typechecker.indexing.index_items import Walk, position, slice_
from typechecker.relations.coercion import Why, coerce, fit
from typechecker.relations.shapes import demand_axis, joint_shape
from typechecker.relations.size_equations import require_equal
from typechecker.types.predicates import holds_key, is_number, iteration_strip


def index(ctx: Context, node: ast.Index, expected: Type | None) -> Term:
    """`x[…]`."""
    base = ctx.infer(node.base)
    if not any(isinstance(item, ast.StringLit) for item in node.items):
        base = as_stack(ctx, base, node.base.span)
    type_ = ctx.resolve(base.type)
    if type_ == ty.ERROR:
        for item in node.items:
            if not isinstance(item, ast.Slice | ast.EllipsisItem):
                ctx.infer(item)
        raise Reported
    listed = as_list(ctx, base)
    if listed is not None and (listed is base or _is_static_place(ctx, node)):
        return _index_list(ctx, listed, node)
    shape = leading_axes(type_)
    if shape is None:
        ctx.refuse(errors.indices.cannot_index(ctx, base, node.span))
    items, result = walk(ctx, base, shape, node.items, node.span, None)
    if gathers_keys(type_, items):
        ctx.refuse(errors.keys.keys_gathered(node.span))
    found = with_shape(type_, result)
    known = element_known(ctx, base.known, found)
    return Term(core.Index(node.span, found, base.core, items), found, known)


def as_stack(ctx: Context, term: Term, span: Span) -> Term:
    """A record whose leaves share a leading axis as a stack of records, other terms as they are."""
    type_ = ctx.resolve(term.type)
    found = iteration_strip(type_) if isinstance(type_, ty.RecordType) else None
    if found is None:
        return term
    length, element = found
    share_axis(ctx, type_, length, span)
    return coerce(ctx, term, ty.StackedType(element, Shape((length,))), Why("argument"))


def share_axis(ctx: Context, type_: Type, length: Size, span: Span) -> None:
    """Demand that all leaves of a record have a leading axis of one size."""
    for leaf in children(type_):
        found = iteration_strip(ctx.resolve(leaf))
        if found is None or require_equal(ctx, found[0], length, span) is not None:
            ctx.refuse(errors.loops.leaves_disagree(ctx, type_, span))


def gathers_keys(type_: Type, items: tuple[core.Item, ...]) -> bool:
    """Return whether places read keys, and may read one twice; those that are written out are compared, unless a policy
    leads them elsewhere."""
    return holds_key(type_) and any(isinstance(item, core.At | core.Window) and not _once(item) for item in items)


def _once(item: core.At | core.Window) -> bool:
    if isinstance(item, core.Window):
        return item.guard in ("proved", "check")
    places = item.value
    if not isinstance(places.type, ty.ArrayType | ty.IndexType) or not places.type.shape.dims:
        return True
    written = [strip_coercions(p) for p in places.items] if isinstance(places, core.Stack) else []
    values = {p.value for p in written if isinstance(p, core.Const)}
    return item.guard in ("proved", "check") and bool(written) and len(values) == len(written)


def _is_static_place(ctx: Context, node: ast.Index) -> bool:
    """Return whether one static integer is the index: of a list of static integers that gives one of them."""
    item = node.items[0] if len(node.items) == 1 else None
    return isinstance(item, ast.NumberLit | ast.Name | ast.Unary) and is_number(ctx.infer(item).type)


def _index_list(ctx: Context, base: Term, node: ast.Index) -> Term:
    """`s[i]`, `s[i:j:k]` of a static list."""
    if len(node.items) != 1 or isinstance(node.items[0], ast.EllipsisItem):
        ctx.refuse(errors.indices.cannot_index(ctx, base, node.span))
    place = node.items[0]
    if isinstance(place, ast.Slice):
        ends = [None if end is None else ctx.typed(end, ty.INT) for end in (place.start, place.stop, place.step)]
        return part_of_list(ctx, base, ends, node.span)
    return item_of_list(ctx, base, ctx.typed(place, ty.INT), node.span, place.span)


def item_of_list(ctx: Context, base: Term, index: Term, span: Span, place: Span) -> Term:
    """`s[i]` of a static list, where the index is at `place`."""
    at = fit(ctx, index, ty.INT, Why("static", "index"))
    made = core.Intrinsic(span, ty.LISTS[base.type], "item", (base.core, at.core))
    if base.type == ty.SHAPE and isinstance(base.known, Shape) and isinstance(at.known, Size):
        return _size_of_axis(ctx, base.known, at.known, made, place)
    found, number = items(base), at.known.constant if isinstance(at.known, Size) else None
    if found is None or number is None:
        return stuck(ctx, made, made.type, base)
    if not -len(found) <= number < len(found):
        ctx.refuse(errors.indices.index_out_of_range(ctx, Size.of(number), Size.of(len(found)), {}, place))
    return at_place(found[number], span)


def _size_of_axis(ctx: Context, shape: Shape, index: Size, made: core.Expr, place: Span) -> Term:
    if has_gap(shape, Gap.REPORTED) or has_gap(index, Gap.REPORTED):
        return Term(made, ty.INT, unknown_value(ctx, ty.INT))
    axis = static_argument(index, ctx.fresh_id)
    demand_axis(ctx, shape, axis, Operation("", ()), place)
    size = extent(shape, axis)
    return computed_term(size, made)


def part_of_list(ctx: Context, base: Term, terms: Sequence[Term | None], span: Span) -> Term:
    """`s[i:j:k]` of a static list."""
    given = [None if t is None else fit(ctx, t, ty.INT, Why("static", "index")) for t in terms]
    named = zip(("start", "stop", "step"), given, strict=True)
    statics = tuple((name, t.core) for name, t in named if t is not None)
    made = core.Intrinsic(span, base.type, "part", (base.core,), statics)
    ends = [t.known.constant if t is not None and isinstance(t.known, Size) else None for t in given]
    found, clear = items(base), all((t is None) == (e is None) for t, e in zip(given, ends, strict=True))
    if clear and found is not None and ends[2] != 0:
        return make_list(base.type, found[slice(*ends)], span)
    part = _part(base.known, ends) if clear and isinstance(base.known, Shape) else None
    if part is None:
        return stuck(ctx, made, base.type, base)
    return computed_term(part, made)


def _part(shape: Shape, ends: list[int | None]) -> Shape | None:
    """A slice of a shape of unknown rank, where both ends lie among the axes that are known or are its own."""
    start, stop, step = ends
    places = [end for end in (start, stop) if end is not None]
    among = all(end <= shape.leading if end >= 0 else -end <= shape.trailing for end in places)
    if step is not None or not among or (stop is not None and stop >= 0 > (start or 0)):
        return None
    return Shape(shape.dims[start:stop])


# ---------------------------------------------------------------- the walk


def walk(
    ctx: Context,
    base: Term,
    shape: Shape,
    nodes: tuple[ast.IndexItem, ...],
    span: Span,
    policy: str | None,
    reads: bool = True,
) -> tuple[tuple[core.Item, ...], Shape]:
    """Items against a shape: the Core items and the shape of the result."""
    state = Walk(ctx, base, policy, [], [], [], reads=reads)
    foreign = next((node.span for node in nodes if _is_newaxis(ctx, node)), None)
    if foreign is not None:
        ctx.refuse(errors.names.newaxis(foreign))
    before, after, has_rest = _around_ellipsis(ctx, nodes)
    front, back = sum(map(_takes_axis, before)), sum(map(_takes_axis, after))
    used = front + back
    if front > shape.leading or back > shape.trailing or (shape.rank is not None and used > shape.rank):
        if has_gap(shape, Gap.REPORTED):
            raise Reported
        ctx.refuse(errors.indices.too_many_indices(ctx, base, shape, used, span))
    axes = list(shape.dims)
    middle = axes[front : len(axes) - back] if back else axes[front:]
    _items(state, before, [a for a in axes[:front] if isinstance(a, Size)])
    if has_rest:
        state.items.append(core.Rest())
    state.dims.extend(middle)
    if after:
        _items(state, after, [a for a in axes[len(axes) - back :] if isinstance(a, Size)])
    if state.failed:
        raise Reported
    return tuple(state.items), _gathered(ctx, state, span)


def _around_ellipsis(
    ctx: Context, nodes: Sequence[ast.IndexItem]
) -> tuple[Sequence[ast.IndexItem], Sequence[ast.IndexItem], bool]:
    """The items before `...` and behind it, and whether it is there."""
    places = [i for i, n in enumerate(nodes) if isinstance(n, ast.EllipsisItem)]
    if not places:
        return nodes, (), False
    if len(places) > 1:
        ctx.report(errors.indices.two_ellipses(nodes[places[1]].span))
    return nodes[: places[0]], [n for n in nodes[places[0] + 1 :] if not isinstance(n, ast.EllipsisItem)], True


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
        met = joint_shape(ctx, joined, shape, span)
        if met is None:
            ctx.refuse(errors.indices.index_arrays_differ(span, a=joined, b=shape))
        joined = met
    places = [p for p, _ in state.gathers]
    kept = [d for i, d in enumerate(state.dims) if i not in places]
    at = places[0] if _adjacent(state) else 0
    return Shape((*kept[:at], *joined.dims, *kept[at:]))


def _adjacent(state: Walk) -> bool:
    kinds = [isinstance(i, core.At) for i in state.items]
    first, last = kinds.index(True), len(kinds) - 1 - kinds[::-1].index(True)
    return all(kinds[first : last + 1])
