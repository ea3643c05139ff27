"""`base.at[items].op(value)`: the slot an index names, written anew.

A box (scalars, windows, slices without steps) is read, combined and put back; index arrays scatter;
everything else scatters to flat positions, which the same index finds in an array of numbers. Read
next: `dsl.ops.scatter`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import TypeAlias

from dsl.core import core
from dsl.ir.function import Atom
from dsl.ir.sizes import is_traced
from dsl.ops import builders
from dsl.ops.dynamic import dynamic_slice, dynamic_update_slice
from dsl.ops.index import WindowParams, gather
from dsl.ops.table import OPS
from dsl.staging.env.environment import Frame
from dsl.staging.env.stager import Stager
from dsl.staging.expressions.arithmetic import broadcast_atom, combine
from dsl.staging.indexing.index import box, read_index, windows
from dsl.staging.indexing.items import Item, New, Pick, Plan, Traced, Window, items_of, number, plan, settled
from dsl.staging.intrinsics.elementwise import MAXIMUM, MINIMUM
from dsl.staging.values import ATOMS, FUNCTIONS, TREES, Value, as_atom, literal, map_leaves, zip_leaves
from dsl.types.dtype import I32

Write: TypeAlias = Callable[[Atom, Value], Atom]
SIGNS: Mapping[str, str] = MappingProxyType({"add": "+", "mul": "*", "divide": "/", "power": "**"})
SCATTERS: Mapping[str, str] = MappingProxyType(
    {
        "set": "scatter_set",
        "add": "scatter_add",
        "mul": "scatter_mul",
        "divide": "scatter_mul",
        "min": "scatter_min",
        "max": "scatter_max",
    }
)


def scatter(s: Stager, node: core.Scatter, frame: Frame) -> Value:
    base = s.eval(node.base, frame)
    if node.mask is not None:
        mask = as_atom(s.eval(node.mask, frame))
        value = s.eval(node.value, frame)
        s.b.span = node.span
        return _leafwise(s, base, value, lambda x, v: _masked(s, x, mask, v, node))
    items = items_of(s, node.items, frame)
    value = s.eval(node.value, frame)
    s.b.span = node.span
    return _leafwise(s, base, value, lambda x, v: _written(s, x, items, v, node))


def _leafwise(s: Stager, base: Value, value: Value, write: Write) -> Value:
    if isinstance(value, FUNCTIONS) or not isinstance(base, TREES) or not isinstance(value, TREES):
        return map_leaves(lambda leaf: write(as_atom(leaf), value), base)
    return zip_leaves(lambda leaf, part: write(as_atom(leaf), part), base, value)


def combine_slot(s: Stager, old: Atom, value: Value, node: core.Scatter) -> Atom:
    """Return the value of a slot after the update, where `old` is the value before."""
    if node.op == "apply":
        return as_atom(s.apply(value, (old,), node.span, node.instance))
    if node.op == "set":
        new: Value = _array(value, old)
    elif node.op in SIGNS:
        new = combine(s.b, SIGNS[node.op], old, value)
    else:
        new = (MAXIMUM if node.op == "max" else MINIMUM)(s.b, old, value)
    return broadcast_atom(s.b, as_atom(new), old.type.shape)


def _array(value: Value, like: Atom) -> Atom:
    if isinstance(value, ATOMS):
        return value
    assert isinstance(value, bool | int | float | complex), value
    return literal(value, like.type.dtype, like.type.shape)


def _masked(s: Stager, x: Atom, mask: Atom, value: Value, node: core.Scatter) -> Atom:
    """The mask runs over the leading axes of x."""
    new = combine_slot(s, x, value, node)
    where = builders.broadcast_in_dim(s.b, mask, x.type.shape, range(mask.type.rank))
    return builders.select(s.b, where, new, x)


def _written(s: Stager, x: Atom, items: Sequence[Item], value: Value, node: core.Scatter) -> Atom:
    items = settled(s.b, items, x.type.shape)
    if any(isinstance(item, Window) and item.one_by_one for item in items):
        return _by_position(s, x, items, value, node)
    p = plan(s.b, items, x.type)
    contiguous = all(step == 1 for step in p.steps) and all(
        not isinstance(item, Window) or item.step == 1 for _, item in p.traced
    )
    if contiguous and not p.advanced and _is_cut_whole(x, p):
        return _box_written(s, x, items, p, value, node)
    whole = p.shape == x.type.shape and len(p.starts) == len(p.shape) and contiguous
    if whole and all(isinstance(item, Traced) for _, item in p.traced) and node.op in SCATTERS:
        traced = [(a, item) for a, item in p.traced if isinstance(item, Traced)]
        params, indices, _ = windows(s, x.type.shape, traced, node)
        return x if x.type.size == 0 else _scattered(s, x, params, indices, value, node)
    return _by_position(s, x, items, value, node)


def _is_cut_whole(x: Atom, p: Plan) -> bool:
    """Return whether a box has all elements along the axes whose sizes data decide."""
    ends = zip(p.starts, p.stops, p.steps, strict=True)
    return all(end == (0, x.type.shape[axis], 1) for axis, end in enumerate(ends) if is_traced(x.type.shape[axis]))


def _scattered(s: Stager, x: Atom, params: WindowParams, indices: Atom, value: Value, node: core.Scatter) -> Atom:
    """The scatter itself drops what is out of bounds."""
    batch = indices.type.shape[:-1]
    shown = iter([params.slice_sizes[a] for a in params.shown])
    rank = len(batch) + len(params.offset_dims)
    extents = iter(batch)
    shape = tuple([next(shown) if a in params.offset_dims else next(extents) for a in range(rank)])
    if isinstance(value, ATOMS):
        updates = broadcast_atom(s.b, value, shape)
    else:
        assert isinstance(value, bool | int | float | complex), value
        updates = literal(value, x.type.dtype, shape)
    if node.op == "divide":
        updates = builders.reciprocal(s.b, updates)
    return s.b.emit(OPS[SCATTERS[node.op]], params, (x, indices, updates))[0]


def _box_written(s: Stager, x: Atom, items: Sequence[Item], p: Plan, value: Value, node: core.Scatter) -> Atom:
    """The box in axes of x: static slices first, traced starts on top of them."""
    kept = _axes_of_shape(items)
    sizes = [stop - start for start, stop in zip(p.starts, p.stops, strict=True)]
    starts: list[Atom] = [literal(start, I32) for start in p.starts]
    traced = [(kept[a], item) for a, item in p.traced]
    inner, inner_sizes, inside = box(s, sizes, traced, node)
    if x.type.size == 0 or any(size > extent for size, extent in zip(inner_sizes, sizes, strict=True)):
        return x  # a window longer than its axis has failed its check
    for axis, _ in traced:
        starts[axis], sizes[axis] = inner[axis], inner_sizes[axis]
    old = dynamic_slice(s.b, x, starts, sizes)
    gone = {axis for axis, item in traced if isinstance(item, Traced)}
    slot = _slot_shape(p, kept, sizes, gone)
    new = combine_slot(s, builders.reshape(s.b, old, slot), value, node)
    new = builders.reshape(s.b, new, sizes)
    if inside is not None:
        new = builders.select(s.b, inside, new, old)
    return dynamic_update_slice(s.b, x, new, starts)


def _axes_of_shape(items: Sequence[Item]) -> dict[int, int]:
    """For each axis of the plan's shape the axis of x it comes from; new ones are not in it."""
    kept: dict[int, int] = {}
    axis = place = 0
    for item in items:
        if isinstance(item, New):
            place += 1
            continue
        if not isinstance(item, Pick):
            kept[place] = axis
            place += 1
        axis += 1
    return kept


def _slot_shape(p: Plan, kept: Mapping[int, int], sizes: Sequence[int], gone: set[int]) -> list[int]:
    """The shape the index would have: no axes that scalars took, ones for new axes."""
    places = [kept.get(place) for place in range(len(p.shape))]
    return [1 if axis is None else sizes[axis] for axis in places if axis is None or axis not in gone]


def _by_position(s: Stager, x: Atom, items: Sequence[Item], value: Value, node: core.Scatter) -> Atom:
    size = x.type.size
    numbers = builders.reshape(s.b, builders.iota(s.b, I32, (size,), 0), x.type.shape)
    outside = number(s.b, size, literal(0, I32)) if is_traced(size) else size
    places = read_index(s, numbers, items, node, fill=outside)
    if size == 0:
        return x
    flat = builders.reshape(s.b, x, (size,))
    indices = builders.reshape(s.b, places, (*places.type.shape, 1))
    params = WindowParams((), (0,), (), (), (0,), (1,))
    if node.op in SCATTERS:
        written = _scattered(s, flat, params, indices, value, node)
    else:
        new = combine_slot(s, gather(s.b, params, flat, indices), value, node)
        written = s.b.emit(OPS["scatter_set"], params, (flat, indices, new))[0]
    return builders.reshape(s.b, written, x.type.shape)
