"""Rearranging, joining, creating arrays, and contractions. Read next: `table`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from dsl.ir.build import Builder
from dsl.ir.function import Atom
from dsl.ops import builders
from dsl.staging.expressions import contraction
from dsl.staging.expressions.arithmetic import cast as cast_leaf
from dsl.staging.expressions.arithmetic import meet_all
from dsl.staging.intrinsics.axes import axes_in_order, axes_of, axis_of, no_axis
from dsl.staging.intrinsics.elementwise import Pure
from dsl.staging.values import (
    TupleValue,
    Value,
    as_atom,
    as_int,
    as_ints,
    literal,
    map_leaves,
    zip_leaves,
)
from dsl.types.dtype import I32, DType


def dtype_of(value: Value) -> DType:
    assert isinstance(value, DType), value
    return value


# ---------------------------------------------------------------- rearranging


def reshape(b: Builder, x: Value, *, shape: Value) -> Value:
    return builders.reshape(b, as_atom(x), as_ints(shape))


def transpose(b: Builder, x: Value, *, axes: Value = None) -> Value:
    array = as_atom(x)
    rank = array.type.rank
    order = tuple(range(rank))[::-1] if axes is None else axes_in_order(b, axes, rank)
    if len(order) != rank:
        raise no_axis(b, f"{order} is not a permutation of the axes of an array of rank {rank}")
    return builders.transpose(b, array, order)


def broadcast_to(b: Builder, x: Value, *, shape: Value) -> Value:
    return builders.broadcast_to(b, as_atom(x), as_ints(shape))


def flip(b: Builder, x: Value, *, axis: Value = None) -> Value:
    array = as_atom(x)
    return builders.rev(b, array, axes_of(b, axis, array.type.rank))


def slice_axis(b: Builder, x: Value, *, axis: Value, start: Value, stop: Value) -> Value:
    array = as_atom(x)
    place = axis_of(b, axis, array.type.rank)
    return builders.slice_axis(b, array, place, as_int(start), as_int(stop))


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
    """One axis padded with what is there: "edge", "reflect" (without the edge), "symmetric" (with it), "wrap"."""
    size = x.type.shape[axis]
    if low == high == 0:
        return x
    if mode == "edge":
        lowest, highest = builders.slice_axis(b, x, axis, 0, 1), builders.slice_axis(b, x, axis, size - 1, size)
        parts = [lowest] * low + [x] + [highest] * high
    elif mode in ("reflect", "symmetric"):
        first, last = (1, size - 1) if mode == "reflect" else (0, size)
        before = builders.rev(b, builders.slice_axis(b, x, axis, first, first + low), (axis,))
        after = builders.rev(b, builders.slice_axis(b, x, axis, last - high, last), (axis,))
        parts = [before, x, after]
    else:
        before = builders.slice_axis(b, x, axis, size - low, size)
        parts = [before, x, builders.slice_axis(b, x, axis, 0, high)]
    return builders.concatenate(b, [part for part in parts if part.type.shape[axis]], axis)


# ---------------------------------------------------------------- creation


def iota(b: Builder, *, shape: Value, axis: Value, dtype: Value = I32) -> Value:
    extents = as_ints(shape)
    return builders.iota(b, dtype_of(dtype), extents, axis_of(b, axis, len(extents)))


def diag(b: Builder, x: Value, *, k: Value = 0) -> Value:
    array = as_atom(x)
    if array.type.rank == 2:
        return _diagonal(b, array, as_int(k))
    offset, size = as_int(k), array.type.shape[0] + abs(as_int(k))
    padded = builders.pad(b, array, literal(0, array.type.dtype), [max(offset, 0)], [max(-offset, 0)], [0])
    rows = builders.broadcast_to(b, padded, (size, size))
    mask = builders.compare(b, "eq", *_places(b, (size, size), offset))
    return builders.select(b, mask, rows, builders.zeros(rows.type))


def _places(b: Builder, shape: tuple[int, int], k: int) -> tuple[Atom, Atom]:
    """At every place of a matrix `row + k`, and the column."""
    rows, columns = (builders.iota(b, I32, shape, axis) for axis in (0, 1))
    return (builders.add(b, rows, literal(k, I32, shape)) if k else rows), columns


def _diagonal(b: Builder, x: Atom, k: int) -> Atom:
    """Every element of the k-th diagonal: each stands `columns + 1` places behind the one before."""
    rows, columns = x.type.shape
    start, size = max(k, -k * columns), max(0, min(rows, columns - k, rows + k, columns))
    flat = builders.reshape(b, x, (rows * columns,))
    if not size:
        return builders.slice_axis(b, flat, 0, 0, 0)
    return builders.slice_axis(b, flat, 0, start, start + (size - 1) * (columns + 1) + 1, columns + 1)


def cast(b: Builder, x: Value, *, dtype: Value) -> Value:
    return map_leaves(lambda leaf: cast_leaf(b, leaf, dtype_of(dtype)), x)


# ---------------------------------------------------------------- contractions


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
            broadcast_to,
            flip,
            slice_axis,
            concatenate,
            stack,
            pad,
            iota,
            diag,
            cast,
            tensordot,
        )
    }
)
