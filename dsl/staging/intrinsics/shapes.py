"""Rearranging, joining, creating arrays, and contractions. Read next: `table`."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from types import MappingProxyType

from dsl.ir.build import Builder
from dsl.ir.function import Atom
from dsl.ops import builders
from dsl.ops.layout import AxesParams
from dsl.ops.table import OPS
from dsl.staging.expressions import contraction
from dsl.staging.expressions.arithmetic import cast as cast_leaf
from dsl.staging.expressions.arithmetic import meet_all
from dsl.staging.intrinsics.axes import axes_in_order, axes_of, axis_of, no_axis
from dsl.staging.intrinsics.elementwise import Pure, conj
from dsl.staging.values import (
    TupleValue,
    Value,
    as_atom,
    as_int,
    as_ints,
    default_dtype,
    literal,
    map_leaves,
    zip_leaves,
)
from dsl.types.dtype import F32, I32, DType


def dtype_of(value: Value) -> DType:
    assert isinstance(value, DType), value
    return value


# ---------------------------------------------------------------- rearranging


def reshape(b: Builder, x: Value, *, shape: Value) -> Value:
    array = as_atom(x)
    extents = list(as_ints(shape))
    if -1 in extents:
        known = math.prod(n for n in extents if n != -1)
        extents[extents.index(-1)] = array.type.size // known if known else 0
    return builders.reshape(b, array, extents)


def transpose(b: Builder, x: Value, *, axes: Value = None) -> Value:
    array = as_atom(x)
    rank = array.type.rank
    order = tuple(range(rank))[::-1] if axes is None else axes_in_order(b, axes, rank)
    if len(order) != rank:
        raise no_axis(b, f"{order} is not a permutation of the axes of an array of rank {rank}")
    return builders.transpose(b, array, order)


def matrix_transpose(b: Builder, x: Value) -> Value:
    return swapaxes(b, x, axis1=-1, axis2=-2)


def swapaxes(b: Builder, x: Value, *, axis1: Value, axis2: Value) -> Value:
    array = as_atom(x)
    rank = array.type.rank
    order = list(range(rank))
    i, j = axis_of(b, axis1, rank), axis_of(b, axis2, rank)
    order[i], order[j] = order[j], order[i]
    return builders.transpose(b, array, order)


def moveaxis(b: Builder, x: Value, *, source: Value, destination: Value) -> Value:
    array = as_atom(x)
    rank = array.type.rank
    sources, targets = axes_in_order(b, source, rank), axes_in_order(b, destination, rank)
    order = [a for a in range(rank) if a not in sources]
    for target, place in sorted(zip(targets, sources, strict=True)):
        order.insert(target, place)
    return builders.transpose(b, array, order)


def expand_dims(b: Builder, x: Value, *, axis: Value) -> Value:
    array = as_atom(x)
    rank = array.type.rank + len(as_ints(axis))
    return builders.expand_dims(b, array, axes_in_order(b, axis, rank))


def squeeze(b: Builder, x: Value, *, axis: Value = None) -> Value:
    array = as_atom(x)
    ones = [a for a, n in enumerate(array.type.shape) if n == 1]
    return builders.squeeze(b, array, ones if axis is None else axes_of(b, axis, array.type.rank))


def broadcast_to(b: Builder, x: Value, *, shape: Value) -> Value:
    return builders.broadcast_to(b, as_atom(x), as_ints(shape))


def flip(b: Builder, x: Value, *, axis: Value = None) -> Value:
    array = as_atom(x)
    return builders.rev(b, array, axes_of(b, axis, array.type.rank))


def roll(b: Builder, x: Value, *, shift: Value, axis: Value = None) -> Value:
    """Axis none rolls the flattened array."""
    array = as_atom(x)
    if axis is None:
        flat = builders.reshape(b, array, (array.type.size,))
        return builders.reshape(b, _rolled(b, flat, as_int(shift), 0), array.type.shape)
    axes = as_ints(axis)
    shifts = as_ints(shift) * (len(axes) if len(as_ints(shift)) == 1 else 1)
    for a, step in zip(axes, shifts, strict=True):
        array = _rolled(b, array, step, axis_of(b, a, array.type.rank))
    return array


def _rolled(b: Builder, x: Atom, shift: int, axis: int) -> Atom:
    size = x.type.shape[axis]
    cut = size - shift % size if size else 0
    if cut in (0, size):
        return x
    tail = builders.slice_axis(b, x, axis, cut, size)
    return builders.concatenate(b, [tail, builders.slice_axis(b, x, axis, 0, cut)], axis)


def tile(b: Builder, x: Value, *, reps: Value) -> Value:
    array = as_atom(x)
    counts = as_ints(reps)
    rank = max(len(counts), array.type.rank)
    counts = (1,) * (rank - len(counts)) + counts
    shape = (1,) * (rank - array.type.rank) + array.type.shape
    pairs = [n for pair in zip(counts, shape, strict=True) for n in pair]
    lifted = builders.reshape(b, array, [n for extent in shape for n in (1, extent)])
    whole = builders.broadcast_to(b, lifted, pairs)
    return builders.reshape(b, whole, [c * n for c, n in zip(counts, shape, strict=True)])


def repeat(b: Builder, x: Value, *, repeats: Value, axis: Value = None) -> Value:
    array = as_atom(x)
    if axis is None:
        array, place = builders.reshape(b, array, (array.type.size,)), 0
    else:
        place = axis_of(b, axis, array.type.rank)
    count = as_int(repeats)
    shape = array.type.shape
    lifted = builders.spread(b, array, count, place + 1)
    return builders.reshape(b, lifted, (*shape[:place], shape[place] * count, *shape[place + 1 :]))


# ---------------------------------------------------------------- joining and padding


def concatenate(b: Builder, arrays: Value, *, axis: Value = 0) -> Value:
    parts = [as_atom(part) for part in parts_of(arrays)]
    return builders.concatenate(b, parts, axis_of(b, axis, parts[0].type.rank))


def parts_of(value: Value) -> Sequence[Value]:
    assert isinstance(value, TupleValue), value
    return value.parts


def stack(b: Builder, arrays: Value, *, axis: Value = 0) -> Value:
    def joined(*leaves: Value) -> Value:
        atoms = meet_all(b, leaves)
        return builders.stack(b, atoms, axis_of(b, axis, atoms[0].type.rank + 1))

    return zip_leaves(joined, *parts_of(arrays))


def split_at(b: Builder, x: Value, *, sizes: Value, axis: Value = 0) -> Value:
    array = as_atom(x)
    place = axis_of(b, axis, array.type.rank)
    pieces: list[Value] = []
    start = 0
    for size in as_ints(sizes):
        pieces.append(builders.slice_axis(b, array, place, start, start + size))
        start += size
    return TupleValue(tuple(pieces))


def pad(b: Builder, x: Value, value: Value = 0, *, widths: Value, mode: Value = "constant") -> Value:
    array = as_atom(x)
    pairs = [as_ints(pair) for pair in parts_of(widths)]
    if mode == "constant":
        fill = literal_or_atom(value, array)
        lows, highs = [p[0] for p in pairs], [p[1] for p in pairs]
        return builders.pad(b, array, fill, lows, highs, [0] * len(pairs))
    for axis, (low, high) in enumerate(pairs):
        array = _extended(b, array, axis, low, high, str(mode))
    return array


def literal_or_atom(value: Value, like: Atom) -> Atom:
    return literal(value, like.type.dtype) if isinstance(value, bool | int | float | complex) else as_atom(value)


def _extended(b: Builder, x: Atom, axis: int, low: int, high: int, mode: str) -> Atom:
    """One axis padded with what is there: "edge", "reflect" (without the edge itself), "wrap"."""
    size = x.type.shape[axis]
    if mode == "edge":
        first, last = builders.slice_axis(b, x, axis, 0, 1), builders.slice_axis(b, x, axis, size - 1, size)
        parts = [first] * low + [x] + [last] * high
    elif mode == "reflect":
        before = builders.rev(b, builders.slice_axis(b, x, axis, 1, 1 + low), (axis,))
        after = builders.rev(b, builders.slice_axis(b, x, axis, size - 1 - high, size - 1), (axis,))
        parts = [before, x, after]
    else:
        before = builders.slice_axis(b, x, axis, size - low, size)
        parts = [before, x, builders.slice_axis(b, x, axis, 0, high)]
    return builders.concatenate(b, [part for part in parts if part.type.shape[axis]], axis)


# ---------------------------------------------------------------- creation


def zeros(b: Builder, *, shape: Value, dtype: Value = F32) -> Value:
    return literal(0, dtype_of(dtype), as_ints(shape))


def ones(b: Builder, *, shape: Value, dtype: Value = F32) -> Value:
    return literal(1, dtype_of(dtype), as_ints(shape))


def full(b: Builder, value: Value, *, shape: Value, dtype: Value = None) -> Value:
    if isinstance(value, bool | int | float | complex):
        return literal(value, default_dtype(value) if dtype is None else dtype_of(dtype), as_ints(shape))
    scalar = as_atom(value)
    scalar = scalar if dtype is None else builders.convert(b, scalar, dtype_of(dtype))
    return builders.broadcast_to(b, scalar, as_ints(shape))


def zeros_like(b: Builder, t: Value) -> Value:
    return map_leaves(lambda leaf: builders.zeros(as_atom(leaf).type), t)


def ones_like(b: Builder, t: Value) -> Value:
    return map_leaves(lambda leaf: builders.splat(1, as_atom(leaf).type), t)


def arange(
    b: Builder,
    *,
    start: Value = 0,
    stop: Value = None,
    step: Value = 1,
    size: Value = None,
    dtype: Value = I32,
) -> Value:
    element = dtype_of(dtype)
    if size is not None:
        stop = size
    if not isinstance(start, int | float) or not isinstance(stop, int | float) or not isinstance(step, int | float):
        raise AssertionError("arange takes static numbers")
    count = max(0, math.ceil((stop - start) / step))
    steps = builders.iota(b, element, (count,), 0)
    if step != 1:
        steps = builders.mul(b, steps, literal(step, element, (count,)))
    return steps if start == 0 else builders.add(b, steps, literal(start, element, (count,)))


def linspace(b: Builder, start: Value, stop: Value, *, num: Value, endpoint: Value = True) -> Value:
    """From start to stop in `num` equal steps, the last one exactly at stop."""
    first, last = meet_all(b, (start, stop))
    if not first.type.dtype.is_inexact:
        first, last = builders.convert(b, first, F32), builders.convert(b, last, F32)
    count, dtype = as_int(num), first.type.dtype
    steps = count - 1 if endpoint else count
    ramp = builders.iota(b, dtype, (count,), 0)
    part = builders.div(b, ramp, literal(max(steps, 1), dtype, (count,)))
    low, high = (builders.broadcast_to(b, v, (count,)) for v in (first, last))
    rest = builders.sub(b, literal(1, dtype, (count,)), part)
    return builders.add(b, builders.mul(b, low, rest), builders.mul(b, high, part))


def iota(b: Builder, *, shape: Value, axis: Value, dtype: Value = I32) -> Value:
    extents = as_ints(shape)
    return builders.iota(b, dtype_of(dtype), extents, axis_of(b, axis, len(extents)))


def eye(b: Builder, *, n: Value, m: Value = None, k: Value = 0, dtype: Value = F32) -> Value:
    shape = (as_int(n), as_int(n if m is None else m))
    return builders.convert(b, _diagonal_mask(b, shape, as_int(k), "eq"), dtype_of(dtype))


def _diagonal_mask(b: Builder, shape: tuple[int, ...], k: int, direction: str) -> Atom:
    """Where `row + k` compares so to `column`, on the last two axes."""
    rows = builders.iota(b, I32, shape, len(shape) - 2)
    columns = builders.iota(b, I32, shape, len(shape) - 1)
    shifted = builders.add(b, rows, literal(k, I32, shape)) if k else rows
    return builders.compare(b, direction, shifted, columns)


def tril(b: Builder, x: Value, *, k: Value = 0) -> Value:
    array = as_atom(x)
    mask = _diagonal_mask(b, array.type.shape, as_int(k), "ge")
    return builders.select(b, mask, array, builders.zeros(array.type))


def triu(b: Builder, x: Value, *, k: Value = 0) -> Value:
    array = as_atom(x)
    mask = _diagonal_mask(b, array.type.shape, as_int(k), "le")
    return builders.select(b, mask, array, builders.zeros(array.type))


def diag(b: Builder, x: Value, *, k: Value = 0) -> Value:
    array = as_atom(x)
    if array.type.rank == 2:
        return diagonal(b, array, k=k)
    offset, size = as_int(k), array.type.shape[0] + abs(as_int(k))
    padded = builders.pad(b, array, literal(0, array.type.dtype), [max(offset, 0)], [max(-offset, 0)], [0])
    rows = builders.broadcast_to(b, padded, (size, size))
    return builders.select(b, _diagonal_mask(b, (size, size), offset, "eq"), rows, builders.zeros(rows.type))


def diagonal(b: Builder, x: Value, *, k: Value = 0) -> Value:
    """Every element of the diagonal is the only one of its row under the mask."""
    array, offset = as_atom(x), as_int(k)
    *lead, rows, columns = array.type.shape
    mask = _diagonal_mask(b, array.type.shape, offset, "eq")
    picked = builders.select(b, mask, array, builders.zeros(array.type))
    if array.type.dtype.is_bool:
        by_row = b.emit(OPS["reduce_or"], AxesParams((len(lead) + 1,)), (picked,))[0]
    else:
        by_row = builders.reduce_sum(b, picked, (len(lead) + 1,))
    start = max(-offset, 0)
    stop = start + max(0, min(rows - start, columns - max(offset, 0)))
    return builders.slice_axis(b, by_row, len(lead), start, stop)


def trace(b: Builder, x: Value, *, k: Value = 0) -> Value:
    found = as_atom(diagonal(b, x, k=k))
    return builders.reduce_sum(b, found, (found.type.rank - 1,))


def scalar_like(b: Builder, x: Value, like: Value) -> Value:
    return cast_leaf(b, x, as_atom(like).type.dtype)


def cast(b: Builder, x: Value, *, dtype: Value) -> Value:
    return map_leaves(lambda leaf: cast_leaf(b, leaf, dtype_of(dtype)), x)


def one_hot(b: Builder, i: Value, *, n: Value, dtype: Value = F32) -> Value:
    index, count = as_atom(i), as_int(n)
    shape = (*index.type.shape, count)
    places = builders.iota(b, index.type.dtype, shape, len(shape) - 1)
    spread = builders.broadcast_in_dim(b, index, shape, range(index.type.rank))
    return builders.convert(b, builders.compare(b, "eq", spread, places), dtype_of(dtype))


def nonzero_count(b: Builder, mask: Value) -> Value:
    array = as_atom(mask)
    return builders.reduce_sum(b, builders.convert(b, array, I32), range(array.type.rank))


# ---------------------------------------------------------------- contractions


def matmul(b: Builder, x: Value, y: Value) -> Value:
    return contraction.matmul(b, as_atom(x), as_atom(y))


def dot(b: Builder, x: Value, y: Value) -> Value:
    """NumPy's: the last axis of x with the second to last of y, all others free."""
    left, right = as_atom(x), as_atom(y)
    if not left.type.rank or not right.type.rank:
        return builders.mul(b, *meet_all(b, (left, right)))
    axis = max(right.type.rank - 2, 0)
    return contraction.tensordot(b, left, right, (left.type.rank - 1,), (axis,))


def vdot(b: Builder, x: Value, y: Value) -> Value:
    """The sum of conj(x) * y."""
    left, right = (builders.reshape(b, as_atom(v), (as_atom(v).type.size,)) for v in (x, y))
    return dot(b, conj(b, left), right)


def inner(b: Builder, x: Value, y: Value) -> Value:
    left, right = as_atom(x), as_atom(y)
    return contraction.tensordot(b, left, right, (left.type.rank - 1,), (right.type.rank - 1,))


def outer(b: Builder, x: Value, y: Value) -> Value:
    left, right = (builders.reshape(b, as_atom(v), (as_atom(v).type.size,)) for v in (x, y))
    return contraction.tensordot(b, left, right, (), ())


def tensordot(b: Builder, x: Value, y: Value, *, axes: Value = 2) -> Value:
    left, right = as_atom(x), as_atom(y)
    if isinstance(axes, int):
        count = left.type.rank
        return contraction.tensordot(b, left, right, range(count - axes, count), range(axes))
    first, second = (as_ints(part) for part in parts_of(axes))
    pairs = (axes_in_order(b, first, left.type.rank), axes_in_order(b, second, right.type.rank))
    return contraction.tensordot(b, left, right, *pairs)


SHAPES: Mapping[str, Pure] = MappingProxyType(
    {
        f.__name__: f
        for f in (
            reshape,
            transpose,
            matrix_transpose,
            swapaxes,
            moveaxis,
            expand_dims,
            squeeze,
            broadcast_to,
            flip,
            roll,
            tile,
            repeat,
            concatenate,
            stack,
            split_at,
            pad,
            zeros,
            ones,
            full,
            zeros_like,
            ones_like,
            arange,
            linspace,
            iota,
            eye,
            tril,
            triu,
            diag,
            diagonal,
            trace,
            scalar_like,
            cast,
            one_hot,
            nonzero_count,
            matmul,
            dot,
            vdot,
            inner,
            outer,
            tensordot,
        )
    }
)
