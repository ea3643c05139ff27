"""Moving elements without computing: broadcast_in_dim, reshape, transpose, rev; and reduce_sum, its adjoint.

The bottom of the op families: batching rules everywhere use the builders `move_axis`, `add_broadcast_axis` and
`at_axis` from here, and `batch_in_front`. Knows no arithmetic. A literal is a splat, so moving one costs no equation.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from msgspec import Struct

from dsl.ir.build import Builder
from dsl.ir.function import Atom, Literal, Tensor
from dsl.ir.op import Factors, Lengths, Op, Sample
from dsl.ir.sizes import traced_axes
from dsl.ir.traits import MOVES, Cost, Traits
from dsl.ops.factors import except_axes, reshaped, without_axes
from dsl.ops.rule_helpers import (
    Array,
    Arrays,
    Axes,
    Batched,
    as_type,
    check_arity,
    check_axes,
    fail,
    linear_map,
    over,
    wide,
)
from dsl.types.dtype import ALL, BOOL, C64, F32, I32
from dsl.types.size import Size


class BroadcastParams(Struct, frozen=True):
    """Operand axis k becomes result axis `dims[k]`; the other result axes are new."""

    shape: tuple[int, ...]
    dims: tuple[int, ...]


class ShapeParams(Struct, frozen=True):
    """The shape of the result."""

    shape: tuple[int, ...]


class PermutationParams(Struct, frozen=True):
    """Result axis k is operand axis `permutation[k]`."""

    permutation: tuple[int, ...]


class AxesParams(Struct, frozen=True):
    """Axes of the operand, counted from the front."""

    axes: tuple[int, ...]


# --- broadcast_in_dim -------------------------------------------------------------------------------------


def _broadcast_type(params: BroadcastParams, types: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
    check_arity("broadcast_in_dim", types, 1)
    (x,) = types
    check_axes("broadcast_in_dim", params.dims, len(params.shape))
    if tuple(sorted(params.dims)) != params.dims:
        raise fail(f"broadcast_in_dim: dims {params.dims} must increase")
    if tuple(params.shape[d] for d in params.dims) != x.shape:
        raise fail(f"broadcast_in_dim: {x} does not fit dims {params.dims} of {params.shape}")
    return (Tensor(x.dtype, params.shape),)


def _broadcast_eval(params: BroadcastParams, types: tuple[Tensor, ...], x: Array) -> Arrays:
    lifted = [1] * len(params.shape)
    for d, n in zip(params.dims, x.shape, strict=True):
        lifted[d] = n
    return (np.broadcast_to(x.reshape(lifted), params.shape),)


def _broadcast_adjoint(b: Builder, params: BroadcastParams, type: Tensor, ct: Atom) -> Atom:
    return reduce_sum(b, ct, [a for a in range(ct.type.rank) if a not in params.dims])


def _broadcast_batch(b: Builder, params: BroadcastParams, xs: tuple[Atom, ...], axes: Axes, size: int) -> Batched:
    x = at_axis(b, xs[0], axes[0], size, 0)
    shape, dims = (size, *params.shape), (0, *(d + 1 for d in params.dims))
    return (broadcast_in_dim(b, x, shape, dims),), (0,)


BROADCAST_IN_DIM = linear_map(
    name="broadcast_in_dim",
    params=BroadcastParams,
    doc="Operand axis k becomes axis `dims[k]` of `shape`; along the other axes the operand is repeated.",
    type_rule=_broadcast_type,
    evaluate=_broadcast_eval,
    adjoint=_broadcast_adjoint,
    batch=_broadcast_batch,
    sharding=lambda params, types: Factors((params.dims,), (tuple(range(len(params.shape))),)),
    samples=(
        *over(ALL, (2,), params=BroadcastParams((3, 2), (1,))),
        *over((F32,), (2, 3), params=BroadcastParams((2, 4, 3), (0, 2))),
        *over((F32,), (), params=BroadcastParams((2, 2), ())),
        *over((F32,), (0,), params=BroadcastParams((0, 2), (0,))),
    ),
    traits=Traits(moves=True, cost=Cost.FREE),
)


# --- reduce_sum -------------------------------------------------------------------------------------------


def reduced_shape(shape: Sequence[int], axes: Sequence[int]) -> tuple[int, ...]:
    """`shape` without `axes`."""
    return tuple([n for a, n in enumerate(shape) if a not in axes])


def _sum_type(params: AxesParams, types: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
    check_arity("reduce_sum", types, 1)
    (x,) = types
    check_axes("reduce_sum", params.axes, x.rank)
    if x.dtype is BOOL:
        raise fail("reduce_sum is not defined on bool")
    return (Tensor(x.dtype, reduced_shape(x.shape, params.axes)),)


def _sum_eval(params: AxesParams, types: tuple[Tensor, ...], x: Array) -> Arrays:
    (out,) = _sum_type(params, types)
    with np.errstate(all="ignore"):
        return (as_type(wide(x).sum(axis=params.axes, dtype=wide(x).dtype), out),)


def _sum_adjoint(b: Builder, params: AxesParams, type: Tensor, ct: Atom) -> Atom:
    return broadcast_in_dim(b, ct, type.shape, [a for a in range(type.rank) if a not in params.axes])


def _sum_batch(b: Builder, params: AxesParams, xs: tuple[Atom, ...], axes: Axes, size: int) -> Batched:
    moved, axis = batched_axes(params.axes, axes[0])
    return (REDUCE_SUM(b, AxesParams(moved), xs[0])[0],), (axis,)


def batched_axes(axes: Sequence[int], batch: int | None) -> tuple[tuple[int, ...], int]:
    """The reduced axes once `batch` is among the operand's axes, and where `batch` is afterwards."""
    assert batch is not None
    moved = tuple(a + (a >= batch) for a in axes)
    return moved, batch - sum(a < batch for a in moved)


REDUCE_SUM = linear_map(
    name="reduce_sum",
    params=AxesParams,
    doc="Sum over `axes`, which disappear. The dtype stays.",
    type_rule=_sum_type,
    evaluate=_sum_eval,
    adjoint=_sum_adjoint,
    batch=_sum_batch,
    sharding=without_axes,
    mask=lambda params, types: (0,),
    samples=(
        *over([d for d in ALL if d is not BOOL], (2, 3), params=AxesParams((1,))),
        *over((F32,), (2, 3, 2), params=AxesParams((0, 2))),
        *over((F32,), (0, 2), params=AxesParams((0,))),
        *over((F32,), (2,), params=AxesParams(())),
    ),
)


# --- reshape ----------------------------------------------------------------------------------------------


def _reshape_type(params: ShapeParams, types: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
    check_arity("reshape", types, 1)
    out = Tensor(types[0].dtype, params.shape)
    if out.size != types[0].size or out.is_negative:
        raise fail(f"reshape: {types[0]} does not have the elements of {params.shape}")
    return (out,)


def _reshape_batch(b: Builder, params: ShapeParams, xs: tuple[Atom, ...], axes: Axes, size: int) -> Batched:
    x = at_axis(b, xs[0], axes[0], size, 0)
    return (reshape(b, x, (size, *params.shape)),), (0,)


def _reshape_sharding(params: ShapeParams, types: tuple[Tensor, ...]) -> Factors:
    source, target = reshaped(types[0].shape, params.shape)
    return Factors((source,), (target,))


RESHAPE = linear_map(
    name="reshape",
    params=ShapeParams,
    doc="The same elements in row-major order under another shape.",
    type_rule=_reshape_type,
    evaluate=lambda params, types, x: (x.reshape(params.shape),),
    adjoint=lambda b, params, type, ct: reshape(b, ct, type.shape),
    batch=_reshape_batch,
    sharding=_reshape_sharding,
    pad=lambda b, params, types, xs, lengths: (lengths.reshaped(xs[0], types[0], params.shape),),
    samples=(
        *over(ALL, (2, 3), params=ShapeParams((3, 2))),
        *over((F32,), (4,), params=ShapeParams((2, 1, 2))),
        *over((F32,), (1, 1), params=ShapeParams(())),
        *over((F32,), (0, 3), params=ShapeParams((3, 0))),
    ),
    traits=Traits(moves=True, cost=Cost.CHEAP),
)


# --- transpose --------------------------------------------------------------------------------------------


def _transpose_type(params: PermutationParams, types: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
    check_arity("transpose", types, 1)
    (x,) = types
    if sorted(params.permutation) != list(range(x.rank)):
        raise fail(f"transpose: {params.permutation} is not a permutation of the axes of {x}")
    return (Tensor(x.dtype, tuple([x.shape[a] for a in params.permutation])),)


def _transpose_adjoint(b: Builder, params: PermutationParams, type: Tensor, ct: Atom) -> Atom:
    return transpose(b, ct, [int(a) for a in np.argsort(params.permutation)])


def _transpose_batch(b: Builder, params: PermutationParams, xs: tuple[Atom, ...], axes: Axes, size: int) -> Batched:
    (axis,) = axes
    assert axis is not None
    permutation = (axis, *(a + (a >= axis) for a in params.permutation))
    return (transpose(b, xs[0], permutation),), (0,)


TRANSPOSE = linear_map(
    name="transpose",
    params=PermutationParams,
    doc="Axis k of the result is axis `permutation[k]` of the operand.",
    type_rule=_transpose_type,
    evaluate=lambda params, types, x: (x.transpose(params.permutation),),
    adjoint=_transpose_adjoint,
    batch=_transpose_batch,
    sharding=lambda params, types: Factors((tuple(range(types[0].rank)),), (params.permutation,)),
    samples=(
        *over(ALL, (2, 3), params=PermutationParams((1, 0))),
        *over((F32,), (2, 3, 4), params=PermutationParams((2, 0, 1))),
        *over((F32,), (), params=PermutationParams(())),
    ),
    traits=MOVES,
)


# --- rev --------------------------------------------------------------------------------------------------


def _rev_type(params: AxesParams, types: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
    check_arity("rev", types, 1)
    check_axes("rev", params.axes, types[0].rank)
    return types


def _rev_batch(b: Builder, params: AxesParams, xs: tuple[Atom, ...], axes: Axes, size: int) -> Batched:
    (axis,) = axes
    assert axis is not None
    return (rev(b, xs[0], tuple(a + (a >= axis) for a in params.axes)),), (axis,)


def _rev_pad(
    b: Builder, params: AxesParams, types: tuple[Tensor, ...], xs: tuple[Atom, ...], lengths: Lengths
) -> tuple[Atom, ...]:
    x, padded = rev(b, xs[0], params.axes), xs[0].type.shape
    for axis in set(params.axes) & set(traced_axes(types[0])):
        x = lengths.shifted(x, axis, Size.of(padded[axis]) - types[0].shape[axis], padded[axis])
    return (x,)


REV = linear_map(
    name="rev",
    params=AxesParams,
    doc="The order of the elements along `axes` is reversed.",
    type_rule=_rev_type,
    evaluate=lambda params, types, x: (np.flip(x, params.axes),),
    adjoint=lambda b, params, type, ct: rev(b, ct, params.axes),
    batch=_rev_batch,
    sharding=except_axes(lambda params: params.axes),
    pad=_rev_pad,
    samples=(
        *over((F32, I32, BOOL, C64), (2, 3), params=AxesParams((1,))),
        Sample(AxesParams((0, 2)), (Tensor(F32, (2, 2, 3)),)),
    ),
    traits=MOVES,
)


# --- builders ---------------------------------------------------------------------------------------------


def broadcast_in_dim(b: Builder, x: Atom, shape: Sequence[int], dims: Sequence[int]) -> Atom:
    """`x` repeated to `shape`: its axis i is axis dims[i] of the result, of equal size or of size 1."""
    shape = tuple(shape)
    if x.type.shape == shape:
        return x
    if isinstance(x, Literal):
        return Literal(x.value, Tensor(x.type.dtype, shape))
    return BROADCAST_IN_DIM(b, BroadcastParams(shape, tuple(dims)), x)[0]


def reduce_sum(b: Builder, x: Atom, axes: Sequence[int]) -> Atom:
    """The sum of `x` over `axes`, which the result lacks."""
    return REDUCE_SUM(b, AxesParams(tuple(axes)), x)[0] if axes else x


def reshape(b: Builder, x: Atom, shape: Sequence[int]) -> Atom:
    """The elements of `x` in row-major order as an array of `shape`.

    Raises IRTypeError for another number of elements.
    """
    shape = tuple(shape)
    if x.type.shape == shape:
        return x
    if isinstance(x, Literal):
        return Literal(x.value, Tensor(x.type.dtype, shape))
    return RESHAPE(b, ShapeParams(shape), x)[0]


def transpose(b: Builder, x: Atom, permutation: Sequence[int]) -> Atom:
    """`x` with its axes in the order of `permutation`."""
    permutation = tuple(permutation)
    if permutation == tuple(range(x.type.rank)):
        return x
    if isinstance(x, Literal):
        return Literal(x.value, Tensor(x.type.dtype, tuple(x.type.shape[a] for a in permutation)))
    return TRANSPOSE(b, PermutationParams(permutation), x)[0]


def rev(b: Builder, x: Atom, axes: Sequence[int]) -> Atom:
    """`x` with the order of elements reversed along `axes`."""
    return x if isinstance(x, Literal) or not axes else REV(b, AxesParams(tuple(axes)), x)[0]


def move_axis(b: Builder, x: Atom, source: int, target: int) -> Atom:
    """`x` with axis `source` moved to place `target`; the others keep their order."""
    order = [a for a in range(x.type.rank) if a != source]
    order.insert(target, source)
    return transpose(b, x, order)


def add_broadcast_axis(b: Builder, x: Atom, size: int, axis: int) -> Atom:
    """`x` repeated `size` times along a new axis at position `axis`."""
    shape = (*x.type.shape[:axis], size, *x.type.shape[axis:])
    return broadcast_in_dim(b, x, shape, [a for a in range(len(shape)) if a != axis])


def at_axis(b: Builder, x: Atom, batch: int | None, size: int, target: int) -> Atom:
    """`x` with its batch axis at `target`: moved there, or spread along a new one if it has none."""
    return add_broadcast_axis(b, x, size, target) if batch is None else move_axis(b, x, batch, target)


def batch_in_front(b: Builder, op: Op[Any], params: Any, xs: tuple[Atom, ...], axes: Axes, size: int) -> Batched:
    """Batching of ops with leading batch axes: one more of them, for every operand."""
    outputs = op(b, params, *[at_axis(b, x, axis, size, 0) for x, axis in zip(xs, axes, strict=True)])
    return outputs, (0,) * len(outputs)


LAYOUT = (BROADCAST_IN_DIM, REDUCE_SUM, RESHAPE, TRANSPOSE, REV)
