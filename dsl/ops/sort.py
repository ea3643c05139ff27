"""Ordering along an axis: sort of several operands by the first ones, top_k, and elements by their rank.

Sorting is stable and puts nan last; 0.0 and -0.0 are equal, but in one array alone, whose -0.0 come first. Derivatives
are carried to where the elements went: the permutation is found by sorting positions along with the keys.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import log2, nan
from typing import Any

import numpy as np
from msgspec import Struct

from dsl.ir.build import Builder
from dsl.ir.function import Atom, Tensor
from dsl.ir.op import Factors, Fill, NoParams, Op, Sample, Tangent, Zero
from dsl.ops.elementwise import Atoms, Tangents
from dsl.ops.extent import iota
from dsl.ops.factors import except_axes, leading
from dsl.ops.index import WindowParams, gather
from dsl.ops.layout import batch_in_front, move_axis, reshape
from dsl.ops.reduce import greatest
from dsl.ops.rule_helpers import (
    NOT_LINEAR,
    Array,
    Arrays,
    Axes,
    Batched,
    check_arity,
    check_axes,
    check_dtype,
    fail,
    over,
    wide,
    zeros,
)
from dsl.types.dtype import BOOL, F32, F64, FLOATS, I32, INTEGERS

WORD = 32
"""The passes that `ranked` takes at most for each word of a key."""


class SortParams(Struct, frozen=True):
    """Lines along `axis` are ordered by the first `num_keys` operands; the others follow."""

    axis: int
    num_keys: int


class TopParams(Struct, frozen=True):
    """How many elements are kept."""

    k: int


# --- sort -------------------------------------------------------------------------------------------------


def _sort_type(params: SortParams, types: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
    if not 1 <= params.num_keys <= len(types):
        raise fail(f"sort: {params.num_keys} keys of {len(types)} operands")
    if any(t.shape != types[0].shape for t in types):
        raise fail(f"sort: operands {', '.join(map(str, types))} differ in shape")
    check_axes("sort", (params.axis,), types[0].rank)
    for key in types[: params.num_keys]:
        check_dtype("sort (keys)", key.dtype, (*INTEGERS, *FLOATS, BOOL))
    return types


def _order(keys: Sequence[Array], axis: int) -> Array:
    """The stable permutation that sorts lines by the keys, the first one first."""
    order = np.broadcast_to(_positions(keys[0].shape, axis), keys[0].shape)
    for key in reversed(keys):
        line = np.take_along_axis(wide(key), order, axis)
        order = np.take_along_axis(order, np.argsort(line, axis, kind="stable"), axis)
    return order


def _positions(shape: Sequence[int], axis: int) -> Array:
    return np.arange(shape[axis]).reshape([-1 if a == axis else 1 for a in range(len(shape))])


def _sort_eval(params: SortParams, types: tuple[Tensor, ...], *xs: Array) -> Arrays:
    is_alone = len(xs) == 1 and types[0].dtype.is_float
    keys = (xs[0], ~np.signbit(wide(xs[0]))) if is_alone else xs[: params.num_keys]
    order = _order(keys, params.axis)
    return tuple(np.take_along_axis(x, order, params.axis) for x in xs)


def _sort_jvp(b: Builder, params: SortParams, xs: Atoms, ys: Atoms, ts: Tangents) -> Tangents:
    if all(isinstance(t, Zero) for t in ts):
        return tuple(Zero(y.type) for y in ys)
    places = iota(b, I32, xs[0].type.shape, params.axis)
    order = SORT(b, params, *xs[: params.num_keys], places)[-1]
    return tuple(t if isinstance(t, Zero) else take_along(b, t, order, params.axis) for t in ts)


def take_along(b: Builder, x: Atom, positions: Atom, axis: int) -> Atom:
    """The elements of each line of `x` along `axis` at that line's `positions`, which are in bounds."""
    if positions.type.size == 0:
        return zeros(Tensor(x.type.dtype, positions.type.shape))
    rank = x.type.rank
    last = move_axis(b, x, axis, rank - 1)
    wanted = move_axis(b, positions, axis, rank - 1)
    lines = tuple(range(rank - 1))
    params = WindowParams(
        offset_dims=(),
        collapsed_dims=(rank - 1,),
        operand_batch_dims=lines,
        index_batch_dims=lines,
        start_index_map=(rank - 1,),
        slice_sizes=(1,) * rank,
        in_bounds=True,
        unique=True,
    )
    found = gather(b, params, last, reshape(b, wanted, (*wanted.type.shape, 1)))
    return move_axis(b, found, rank - 1, axis)


def _sort_batch(b: Builder, params: SortParams, xs: Atoms, axes: Axes, size: int) -> Batched:
    return batch_in_front(b, SORT, SortParams(params.axis + 1, params.num_keys), xs, axes, size)


def _sort_sharding(params: SortParams, types: tuple[Tensor, ...]) -> Factors:
    return except_axes(lambda params: (params.axis,), len(types))(params, types)


def _last_keys(params: SortParams, types: tuple[Tensor, ...]) -> tuple[Fill, ...]:
    """The greatest keys: what is equal to them stands before."""
    keys = [nan if t.dtype.is_float else greatest(t.dtype) for t in types[: params.num_keys]]
    return (*keys, *[None] * (len(types) - params.num_keys))


SORT: Op[SortParams] = Op(
    name="sort",
    params=SortParams,
    doc="Lines along `axis` in ascending order of the first `num_keys` operands, stably; nan comes last. One array "
    "alone has -0.0 before 0.0.",
    type_rule=_sort_type,
    evaluate=_sort_eval,
    jvp=_sort_jvp,
    transpose=NOT_LINEAR,
    batch=_sort_batch,
    sharding=_sort_sharding,
    mask=_last_keys,
    samples=(
        *over((*INTEGERS, *FLOATS, BOOL), (2, 4), params=SortParams(1, 1)),
        *over((F64,), (5, 2), params=SortParams(0, 1)),
        *over((F64,), (5,), (5,), params=SortParams(0, 1)),
        Sample(SortParams(0, 2), (Tensor(I32, (6,)), Tensor(F32, (6,)), Tensor(F32, (6,)))),
        Sample(SortParams(0, 1), (Tensor(I32, (6, 2)), Tensor(F64, (6, 2)))),
        *over((F32,), (0,), params=SortParams(0, 1)),
    ),
    flops=lambda params, inputs, outputs: round(inputs[0].size * log2(max(inputs[0].shape[params.axis], 1))),
)


# --- top_k ------------------------------------------------------------------------------------------------


def _top_type(params: TopParams, types: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
    check_arity("top_k", types, 1)
    (x,) = types
    check_dtype("top_k", x.dtype, (*INTEGERS, *FLOATS))
    if x.rank == 0 or not 0 <= params.k <= x.shape[-1]:
        raise fail(f"top_k: {x} has no {params.k} elements along its last axis")
    shape = (*x.shape[:-1], params.k)
    return (Tensor(x.dtype, shape), Tensor(I32, shape))


def _top_eval(params: TopParams, types: tuple[Tensor, ...], x: Array) -> Arrays:
    """A stable ascending sort of the reversed line, read backwards: descending, the lower position first."""
    n = x.shape[-1]
    order = n - 1 - np.argsort(wide(x)[..., ::-1], -1, kind="stable")[..., ::-1]
    chosen = order[..., : params.k]
    return np.take_along_axis(x, chosen, -1), chosen.astype(np.int32)


def _top_jvp(b: Builder, params: TopParams, xs: Atoms, ys: Atoms, ts: Tangents) -> Tangents:
    (x,), (values, positions), (t,) = xs, ys, ts
    none: Tangent = Zero(positions.type)
    if isinstance(t, Zero):
        return (Zero(values.type), none)
    return (take_along(b, t, positions, x.type.rank - 1), none)


TOP_K: Op[TopParams] = Op(
    name="top_k",
    params=TopParams,
    doc="The k largest elements of the last axis, largest first, and where they were; nan counts as largest.",
    type_rule=_top_type,
    evaluate=_top_eval,
    jvp=_top_jvp,
    transpose=NOT_LINEAR,
    batch=lambda b, params, xs, axes, size: batch_in_front(b, TOP_K, params, xs, axes, size),
    sharding=leading(lambda params: 1, _top_type),
    samples=(
        *over((*INTEGERS, *FLOATS), (2, 4), params=TopParams(3)),
        *over((F64,), (5,), params=TopParams(5)),
        *over((F64,), (3, 2), params=TopParams(0)),
    ),
)

# --- ranked -----------------------------------------------------------------------------------------------


def _ranked_type(params: NoParams, types: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
    check_arity("ranked", types, 2)
    x, rank = types
    check_dtype("ranked", x.dtype, FLOATS)
    if x.rank == 0 or x.shape[-1] == 0 or rank != Tensor(I32, x.shape[:-1]):
        raise fail(f"ranked: {x} has no elements of rank {rank} along its last axis")
    value = Tensor(x.dtype, rank.shape)
    return (value, value, rank, rank)


def _ranked_eval(params: NoParams, types: tuple[Tensor, ...], x: Array, rank: Array) -> Arrays:
    order = np.argsort(wide(x), -1, kind="stable")
    first = np.clip(rank, 0, x.shape[-1] - 1)
    places = [np.take_along_axis(order, np.minimum(r, x.shape[-1] - 1)[..., None], -1) for r in (first, first + 1)]
    values = [np.take_along_axis(x, place, -1)[..., 0] for place in places]
    return (*values, *[place[..., 0].astype(np.int32) for place in places])


def _ranked_jvp(b: Builder, params: NoParams, xs: Atoms, ys: Atoms, ts: Tangents) -> Tangents:
    (t, _), (*values, first, second) = ts, ys
    none = tuple([Zero(place.type) for place in (first, second)])
    if isinstance(t, Zero):
        return (*[Zero(value.type) for value in values], *none)
    return (*[_element(b, t, place) for place in (first, second)], *none)


def _element(b: Builder, x: Atom, place: Atom) -> Atom:
    """The element of each line of the last axis at that line's place."""
    shape = place.type.shape
    return reshape(b, take_along(b, x, reshape(b, place, (*shape, 1)), len(shape)), shape)


RANKED: Op[NoParams] = Op(
    name="ranked",
    params=NoParams,
    doc="The elements that a stable sort of each line brings to `rank` and behind it, and their places; at the end "
    "of a line both are its last, and ranks are clipped.",
    type_rule=_ranked_type,
    evaluate=_ranked_eval,
    jvp=_ranked_jvp,
    transpose=NOT_LINEAR,
    batch=lambda b, params, xs, axes, size: batch_in_front(b, RANKED, params, xs, axes, size),
    sharding=leading(lambda params: 1, _ranked_type),
    mask=lambda params, types: (nan, None),
    samples=(
        *[Sample(NoParams(), (Tensor(dtype, (2, 5)), Tensor(I32, (2,)))) for dtype in FLOATS],
        Sample(NoParams(), (Tensor(F64, (9,)), Tensor(I32, ()))),
        Sample(NoParams(), (Tensor(F32, (2, 3, 4)), Tensor(I32, (2, 3)))),
    ),
    flops=lambda params, inputs, outputs: inputs[0].size * WORD,
)

SORTING: tuple[Op[Any], ...] = (SORT, TOP_K, RANKED)


def sort(b: Builder, xs: Sequence[Atom], axis: int, num_keys: int = 1) -> tuple[Atom, ...]:
    """Arrays of one shape, ordered along `axis` by the first `num_keys` of them; equals keep their order."""
    return SORT(b, SortParams(axis, num_keys), *xs)


def top_k(b: Builder, x: Atom, k: int) -> tuple[Atom, Atom]:
    """The k largest along the last axis, in descending order, and their indices (i32): both [*batch, k]."""
    values, positions = TOP_K(b, TopParams(k), x)
    return values, positions


def ranked(b: Builder, x: Atom, rank: Atom) -> tuple[Atom, ...]:
    """The elements of `rank` and of the next one in each line, then where they stand (i32)."""
    return RANKED(b, NoParams(), x, rank)
