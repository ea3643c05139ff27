"""Sorting, searching, gathering, counting. Read next: `dsl.ops.sort`, `dsl.ops.index`."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from dsl.ir.build import Builder
from dsl.ops import builders
from dsl.ops import sort as sorting
from dsl.ops.index import WindowParams, gather_if_any
from dsl.staging.intrinsics.axes import axis_of
from dsl.staging.intrinsics.elementwise import Pure
from dsl.staging.values import TupleValue, Value, as_atom, as_int
from dsl.types.dtype import I32


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
    mirrored, places = (builders.rev(b, each, (place,)) for each in (array, places))
    return builders.rev(b, sorting.sort(b, (mirrored, places), place)[1], (place,))


def top_k(b: Builder, x: Value, *, k: Value) -> Value:
    return TupleValue(sorting.top_k(b, as_atom(x), as_int(k)))


def ranked(b: Builder, x: Value, rank: Value) -> Value:
    return TupleValue(sorting.ranked(b, as_atom(x), as_atom(rank))[:2])


def take(b: Builder, x: Value, i: Value, *, axis: Value = 0) -> Value:
    """x along one axis at the positions i; NumPy's shape: that of i stands where the axis was."""
    array, index = as_atom(x), builders.convert(b, as_atom(i), I32)
    place = axis_of(b, axis, array.type.rank)
    rank, batch = array.type.rank, index.type.rank
    offsets = (*range(place), *range(place + batch, rank - 1 + batch))
    sizes = tuple([1 if a == place else n for a, n in enumerate(array.type.shape)])
    params = WindowParams(offsets, (place,), (), (), (place,), sizes, in_bounds=True)
    return gather_if_any(b, params, array, builders.expand_dims(b, index, (batch,)))


def take_along_axis(b: Builder, x: Value, i: Value, *, axis: Value) -> Value:
    array, index = as_atom(x), builders.convert(b, as_atom(i), I32)
    place = axis_of(b, axis, array.type.rank)
    others = tuple([a for a in range(array.type.rank) if a != place])
    params = WindowParams((), (place,), others, others, (place,), (1,) * array.type.rank, in_bounds=True)
    return gather_if_any(b, params, array, builders.expand_dims(b, index, (array.type.rank,)))


ORDERING: Mapping[str, Pure] = MappingProxyType(
    {
        f.__name__: f
        for f in (
            sort,
            argsort,
            top_k,
            ranked,
            take,
            take_along_axis,
        )
    }
)
