"""`base[items]`: static items are slices, traced scalars and windows dynamic slices, integer arrays a
gather.

An index goes through `items.Plan`: a static slice and a reshape first (they leave one axis per item), then
the traced axes. Arrays follow NumPy: they broadcast together, scalars among them; their axes stand
where the first of them stood if they are neighbours, else in front. Read next: `updates`.
"""

from __future__ import annotations

from collections.abc import Sequence

from dsl.core import core
from dsl.ir.function import Atom
from dsl.ir.sizes import at_least, is_traced
from dsl.ops import builders
from dsl.ops.dynamic import dynamic_slice
from dsl.ops.index import WindowParams, gather_if_any
from dsl.records import replace
from dsl.staging.effects.perform import any_of
from dsl.staging.env.affine_index import Affine, affine, window
from dsl.staging.env.environment import Frame
from dsl.staging.env.stager import Stager
from dsl.staging.expressions.arithmetic import both, broadcast_atom, broadcast_shapes, remainder
from dsl.staging.indexing.items import (
    WHOLE,
    Item,
    New,
    Pick,
    Traced,
    Window,
    front_place,
    items_of,
    number,
    plan,
    settled,
    slice_static,
    static_places,
)
from dsl.staging.intrinsics.elementwise import MAXIMUM, MINIMUM
from dsl.staging.values import ATOMS, Value, as_atom, as_int, atoms, fill, literal, map_leaves, skeleton
from dsl.types.dtype import I32, I64, U32, U64
from dsl.types.type import ArrayType, IndexType, StaticType

# ---------------------------------------------------------------- guards


def guard_index(
    s: Stager, item: Traced | Window, extent: int, node: core.Index | core.Scatter
) -> tuple[Atom, Atom | None]:
    """The index (or start) to use, and where it is in bounds if the policy has to know."""
    given, last = (item.index, extent - 1) if isinstance(item, Traced) else (as_atom(item.start), extent - item.length)
    if item.guard in ("clip", "wrap"):
        return _within(s, given, item.guard, extent, (0, at_least(last, 0)), item.from_end), None
    index = _wide(s, given)
    index = _from_end(s, index, extent) if item.from_end else index
    if item.guard == "proved":
        return index, None
    type = index.type
    low = literal(0, type.dtype, type.shape)
    inside = both(
        s.b,
        builders.compare(s.b, "ge", index, low),
        builders.compare(s.b, "le", index, number(s.b, last, index)),
    )
    if item.guard == "check":
        outside = builders.compare(s.b, "eq", inside, literal(False, inside.type.dtype, type.shape))
        s.fail_where(any_of(s, outside), node.span, _message(item, extent))
        return index, None
    return index, inside


def _message(item: Traced | Window, extent: int) -> str:
    what = "index" if isinstance(item, Traced) else f"slice of length {item.length}"
    size = "whose size data decide" if is_traced(extent) else f"of size {extent}"
    return f"{what} out of bounds for an axis {size}"


def _within(s: Stager, given: Atom, policy: str, extent: int, ends: tuple[int, int], from_end: bool) -> Atom:
    """The place that "wrap" has for an index, or the nearest between `ends`. The index is brought there in a dtype
    that holds it, and counted from the front only then: no index of any dtype is lost on the way."""
    index = given if given.type.dtype == U64 else _wide(s, given)
    if policy == "wrap":
        index = _around(s, index, extent)
        return _wide(s, _around(s, _from_end(s, index, extent), extent) if from_end else index)
    low, high = (extent - ends[1], extent - ends[0]) if from_end else ends
    low = at_least(low, 0) if index.type.dtype == U64 else low
    least, most = [number(s.b, end, index) for end in (low, high)]
    index = _wide(s, as_atom(MINIMUM(s.b, MAXIMUM(s.b, index, least), most)))
    return _from_end(s, index, extent) if from_end else index


def _places(s: Stager, item: Window, extent: int) -> Traced:
    """The places of a window by a policy. Its start is first brought near to the axis, as far as leaves outside what
    is outside."""
    around, ends = item.guard if item.guard == "wrap" else "clip", (-item.length, extent)
    if isinstance(item.start, int):
        place = extent - item.start if item.from_end else item.start
        near = place % max(extent, 1) if around == "wrap" else min(max(place, ends[0]), ends[1])
        first: Atom = literal(near, I32)
    else:
        first = _within(s, item.start, around, extent, ends, item.from_end)
    count = len(range(0, item.length, item.step))
    steps = builders.iota(s.b, first.type.dtype, (count,), 0)
    steps = builders.mul(s.b, steps, literal(min(item.step, item.length), steps.type.dtype, (count,)))
    return Traced(builders.add(s.b, broadcast_atom(s.b, first, (count,)), steps), item.guard, False)


def _around(s: Stager, index: Atom, extent: int) -> Atom:
    return remainder(s.b, index, number(s.b, at_least(extent, 1), index))


def _from_end(s: Stager, index: Atom, extent: int) -> Atom:
    return builders.sub(s.b, number(s.b, extent, index), index)


def _wide(s: Stager, index: Atom) -> Atom:
    dtype = index.type.dtype
    return builders.convert(s.b, index, I64 if dtype in (I64, U32, U64) else I32)


# ---------------------------------------------------------------- reading


def index(s: Stager, node: core.Index, frame: Frame) -> Value:
    return _indexed(s, node, s.eval(node.base, frame), frame)


def _indexed(s: Stager, node: core.Index, base: Value, frame: Frame) -> Value:
    stepped = _stepped(s, node, base, frame)
    if stepped is not None:
        return stepped
    items = items_of(s, node.items, frame)
    fill = None if node.fill is None else s.eval(node.fill, frame)
    s.b.span = node.span
    if isinstance(base, tuple):
        return _of_shape(base, items)
    return map_leaves(lambda leaf: read_index(s, as_atom(leaf), items, node, fill), base)


def _stepped(s: Stager, node: core.Index, base: Value, frame: Frame) -> Value | None:
    """The rows that a proven index in step with a comprehension reads; the other items index what is left.

    Of several such items the one of the outermost comprehension goes first: its rows are outer to the others.
    """
    if any(isinstance(item, core.Rest | core.NewAxis) for item in node.items[:-1]):
        return None
    windowed = _stepped_window(s, node, base, frame)
    if windowed is not None:
        return windowed
    at = [(k, item) for k, item in enumerate(node.items) if isinstance(item, core.At) and _is_proved(item)]
    found = [(k, affine(s, item.value, frame)) for k, item in at]
    stepped = [(k, index) for k, index in found if isinstance(index, Affine)]
    for place, index in sorted(stepped, key=lambda pair: s.open.index(pair[1].steps.b)):
        rest = (*node.items[:place], *node.items[place + 1 :])
        if any(_is_array(other) for other in rest):
            return None
        rows = [index.steps.row(s, x, place, index.first, index.stride) for x in atoms(base)]
        whole = [row for row in rows if row is not None]
        if len(whole) == len(rows):
            left = fill(skeleton(base), iter(whole))
            return _indexed(s, replace(node, items=rest), left, frame) if rest else left
    return None


def _stepped_window(s: Stager, node: core.Index, base: Value, frame: Frame) -> Value | None:
    """Return windows that move in step, `x[i : i + k]`; the axis of a window stays."""
    found: list[tuple[int, core.Window, Affine]] = []
    for place, item in enumerate(node.items):
        if isinstance(item, core.Window) and _is_proved(item):
            start = affine(s, item.start, frame)
            if isinstance(start, Affine):
                found.append((place, item, start))
    if not found or any(_is_array(other) for other in node.items):
        return None
    place, item, start = min(found, key=lambda entry: s.open.index(entry[2].steps.b))
    apart = 1 if item.step is None else as_int(s.eval(item.step, frame))
    count = len(range(0, frame.variables.size(item.length), apart))
    made = [window(s, start.steps, x, place, start.first, start.stride, count, apart) for x in atoms(base)]
    whole = [x for x in made if x is not None]
    if len(whole) < len(made):
        return None
    items = (*node.items[:place], core.Range(None, None, None), *node.items[place + 1 :])
    return _indexed(s, replace(node, items=items), fill(skeleton(base), iter(whole)), frame)


def _is_proved(item: core.At | core.Window) -> bool:
    return item.guard == "proved" and not item.from_end


def _is_array(item: core.Item) -> bool:
    """Return whether an index is an array, which would say where the axes of the result stand."""
    return isinstance(item, core.At) and not (
        isinstance(item.value.type, StaticType)
        or (isinstance(item.value.type, ArrayType | IndexType) and not item.value.type.shape.dims)
    )


def _of_shape(base: tuple[int, ...], items: Sequence[Item]) -> Value:
    """A static shape indexed by static items."""
    (item,) = items
    if isinstance(item, Pick):
        return base[front_place(item, len(base))]
    start, stop, step = static_places(item, len(base), False)
    return tuple([base[k] for k in range(start, stop, step)])


def read_index(s: Stager, x: Atom, items: Sequence[Item], node: core.Index | core.Scatter, fill: Value = None) -> Atom:
    x, items = _taken_one_by_one(s, x, settled(s.b, items, x.type.shape), node, fill)
    p = plan(s.b, items, x.type)
    x = slice_static(s, x, p)
    if not p.traced:
        return x
    if p.advanced or any(is_traced(x.type.shape[axis]) for axis, _ in p.traced):
        windows = [(a, i) for a, i in p.traced if isinstance(i, Window)]
        x, inside = _boxed(s, x, windows, node) if windows else (x, None)
        return _gathered(s, x, [(a, i) for a, i in p.traced if isinstance(i, Traced)], node, fill, inside)
    x, inside = _boxed(s, x, p.traced, node)
    return fill_outside(s, x, inside, fill)


def _taken_one_by_one(
    s: Stager, x: Atom, items: Sequence[Item], node: core.Index | core.Scatter, fill: Value
) -> tuple[Atom, list[Item]]:
    """Read windows with a mode one by one. Return the array and the remaining items."""
    left, axis = list(items), 0
    for place, item in enumerate(items):
        if isinstance(item, Window) and item.one_by_one:
            x = _gathered(s, x, [(axis, _places(s, item, x.type.shape[axis]))], node, fill, None)
            left[place] = WHOLE
        axis += not isinstance(item, New)
    return x, left


def fill_outside(s: Stager, x: Atom, inside: Atom | None, fill: Value) -> Atom:
    """`fill` where an index was out of bounds; `inside` is a scalar or has the leading axes of x."""
    if inside is None:
        return x
    other = broadcast_atom(s.b, as_atom(fill), x.type.shape) if isinstance(fill, ATOMS) else _splat(fill, x)
    return builders.select(s.b, inside, x, other)


def _splat(fill: Value, like: Atom) -> Atom:
    assert isinstance(fill, bool | int | float | complex)
    return literal(fill, like.type.dtype, like.type.shape)


def box(
    s: Stager,
    shape: Sequence[int],
    traced: Sequence[tuple[int, Traced | Window]],
    node: core.Index | core.Scatter,
) -> tuple[list[Atom], list[int], Atom | None]:
    """Starts and sizes of the box that scalars and windows cut out, and whether it is in bounds."""
    starts: list[Atom] = [literal(0, I32) for _ in shape]
    sizes = list(shape)
    inside: Atom | None = None
    for axis, item in traced:
        start, fits = guard_index(s, item, shape[axis], node)
        starts[axis] = builders.convert(s.b, start, I32)
        sizes[axis] = 1 if isinstance(item, Traced) else item.length
        if fits is not None:
            inside = fits if inside is None else both(s.b, inside, fits)
    return starts, sizes, inside


def _boxed(
    s: Stager, x: Atom, traced: Sequence[tuple[int, Traced | Window]], node: core.Index | core.Scatter
) -> tuple[Atom, Atom | None]:
    starts, sizes, inside = box(s, x.type.shape, traced, node)
    if any(size != extent and size > extent for size, extent in zip(sizes, x.type.shape, strict=True)):
        # A window longer than its axis fails its check whatever its start is; its value is never looked at.
        x = literal(0, x.type.dtype, tuple(sizes))
    else:
        x = dynamic_slice(s.b, x, starts, sizes)
    steps = {axis: item.step for axis, item in traced if isinstance(item, Window)}
    for axis, step in steps.items():
        if step != 1:
            x = builders.slice_axis(s.b, x, axis, 0, x.type.shape[axis], step)
    gone = {axis for axis, item in traced if isinstance(item, Traced)}
    return builders.reshape(s.b, x, [n for a, n in enumerate(x.type.shape) if a not in gone]), inside


def _gathered(
    s: Stager,
    x: Atom,
    traced: Sequence[tuple[int, Traced]],
    node: core.Index | core.Scatter,
    fill: Value,
    inside: Atom | None,
) -> Atom:
    params, indices, fits = windows(s, x.type.shape, traced, node)
    x = gather_if_any(s.b, params, x, indices)
    if fits is not None:
        batch = [a for a in range(x.type.rank) if a not in params.offset_dims]
        fits = builders.broadcast_in_dim(s.b, fits, x.type.shape, batch)
        inside = fits if inside is None else both(s.b, fits, broadcast_atom(s.b, inside, fits.type.shape))
    return fill_outside(s, x, inside, fill)


def windows(
    s: Stager, shape: Sequence[int], traced: Sequence[tuple[int, Traced]], node: core.Index | core.Scatter
) -> tuple[WindowParams, Atom, Atom | None]:
    """The gather of index arrays: its params, its index vectors, and which of them are in bounds."""
    axes = [axis for axis, _ in traced]
    pairs = [guard_index(s, item, shape[axis], node) for axis, item in traced]
    dtype = I64 if any(i.type.dtype == I64 for i, _ in pairs) else I32
    batch = broadcast_shapes(*[i.type.shape for i, _ in pairs])
    columns = [broadcast_atom(s.b, builders.convert(s.b, i, dtype), batch) for i, _ in pairs]
    indices = builders.stack(s.b, columns, len(batch))
    inside: Atom | None = None
    for _, fits in pairs:
        if fits is not None:
            fits = broadcast_atom(s.b, fits, batch)
            inside = fits if inside is None else both(s.b, inside, fits)
    adjacent = axes == list(range(axes[0], axes[0] + len(axes)))
    lead = axes[0] if adjacent else 0
    shown = len(shape) - len(axes)
    offsets = (*range(lead), *range(lead + len(batch), shown + len(batch)))
    sizes = tuple([1 if a in axes else n for a, n in enumerate(shape)])
    proved = all(item.guard in ("proved", "clip", "wrap") for _, item in traced)
    params = WindowParams(offsets, tuple(axes), (), (), tuple(axes), sizes, in_bounds=proved)
    return params, indices, inside
