"""Sorting, searching, gathering, counting. Read next: `dsl.ops.sort`, `dsl.ops.index`."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from dsl.ir.build import Builder
from dsl.ir.function import Atom
from dsl.ops import builders
from dsl.ops import sort as sorting
from dsl.ops.index import WindowParams, gather
from dsl.staging.intrinsics.axes import axes_of, axis_of
from dsl.staging.intrinsics.elementwise import Pure
from dsl.staging.intrinsics.reductions import joined
from dsl.staging.values import TupleValue, Value, as_atom, as_int, literal
from dsl.types.dtype import F32, I32


def sort(b: Builder, x: Value, *, axis: Value = -1, descending: Value = False) -> Value:
    array = as_atom(x)
    place = axis_of(b, axis, array.type.rank)
    ordered = sorting.sort(b, (array,), place)[0]
    return builders.rev(b, ordered, (place,)) if descending else ordered


def argsort(b: Builder, x: Value, *, axis: Value = -1, descending: Value = False) -> Value:
    """Stable; descending too: equal elements keep their order."""
    array = as_atom(x)
    place = axis_of(b, axis, array.type.rank)
    places = builders.iota(b, I32, array.type.shape, place)
    if not descending:
        return sorting.sort(b, (array, places), place)[1]
    mirrored = sorting.sort(b, (builders.rev(b, array, (place,)), places), place)[1]
    last = literal(array.type.shape[place] - 1, I32, array.type.shape)
    return builders.sub(b, last, builders.rev(b, mirrored, (place,)))


def top_k(b: Builder, x: Value, *, k: Value) -> Value:
    return TupleValue(sorting.top_k(b, as_atom(x), as_int(k)))


def quantile(b: Builder, x: Value, q: Value, *, axis: Value = None, keepdims: Value = False) -> Value:
    """The element at q (n - 1) in order, by a line between its neighbours (which may be one infinity); nan if there is
    one."""
    ordered, shape = _ordered(b, x, axis, keepdims)
    size = ordered.type.shape[-1]
    place = builders.mul(b, as_atom(q), literal(size - 1, ordered.type.dtype))
    below = builders.convert(b, place, I32)
    first, second = (
        as_atom(take(b, ordered, _within(b, builders.add(b, below, literal(k, I32)), size), axis=-1)) for k in (0, 1)
    )
    share = builders.sub(b, place, builders.convert(b, below, ordered.type.dtype))
    share = builders.broadcast_to(b, share, first.type.shape)
    found = builders.add(b, first, builders.mul(b, share, builders.sub(b, second, first)))
    found = builders.select(b, builders.compare(b, "eq", first, second), first, found)
    return _or_nan(b, found, ordered, shape)


def _within(b: Builder, i: Atom, size: int) -> Atom:
    return builders.minimum(b, builders.maximum(b, i, literal(0, I32)), literal(size - 1, I32))


def _ordered(b: Builder, x: Value, axis: Value, keepdims: Value) -> tuple[Atom, tuple[int, ...]]:
    """The elements along some axes in order, along one last axis; and the shape of what is chosen among them."""
    array = as_atom(x)
    if not array.type.dtype.is_inexact:
        array = builders.convert(b, array, F32)
    chosen = axes_of(b, axis, array.type.rank)
    flat = joined(b, array, chosen)
    kept = tuple([1 if a in chosen else n for a, n in enumerate(array.type.shape)])
    return sorting.sort(b, (flat,), flat.type.rank - 1)[0], kept if keepdims else flat.type.shape[:-1]


def _or_nan(b: Builder, found: Atom, ordered: Atom, shape: tuple[int, ...]) -> Value:
    """What was found, or the last element if that is nan, in a shape."""
    size = ordered.type.shape[-1]
    last = builders.slice_axis(b, ordered, ordered.type.rank - 1, size - 1, size)
    last = builders.reshape(b, last, found.type.shape)
    found = builders.select(b, builders.compare(b, "ne", last, last), last, found)
    return builders.reshape(b, found, shape)


def take(b: Builder, x: Value, i: Value, *, axis: Value = 0) -> Value:
    """x along one axis at the positions i; NumPy's shape: that of i stands where the axis was."""
    array, index = as_atom(x), builders.convert(b, as_atom(i), I32)
    place = axis_of(b, axis, array.type.rank)
    rank, batch = array.type.rank, index.type.rank
    offsets = (*range(place), *range(place + batch, rank - 1 + batch))
    sizes = tuple([1 if a == place else n for a, n in enumerate(array.type.shape)])
    params = WindowParams(offsets, (place,), (), (), (place,), sizes, in_bounds=True)
    return gather(b, params, array, builders.expand_dims(b, index, (batch,)))


def take_along_axis(b: Builder, x: Value, i: Value, *, axis: Value) -> Value:
    array, index = as_atom(x), builders.convert(b, as_atom(i), I32)
    place = axis_of(b, axis, array.type.rank)
    others = tuple([a for a in range(array.type.rank) if a != place])
    params = WindowParams((), (place,), others, others, (place,), (1,) * array.type.rank, in_bounds=True)
    return gather(b, params, array, builders.expand_dims(b, index, (array.type.rank,)))


ORDERING: Mapping[str, Pure] = MappingProxyType(
    {
        f.__name__: f
        for f in (
            sort,
            argsort,
            top_k,
            quantile,
            take,
            take_along_axis,
        )
    }
)
