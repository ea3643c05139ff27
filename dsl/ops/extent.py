"""Parts, extensions and joins of arrays, and arrays from nothing: slice, pad, concatenate, iota, constant.

slice and pad are each other's adjoints. Bounds are known numbers here; those that are data are in `index`.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from msgspec import Struct

from dsl.ir.build import Builder
from dsl.ir.function import Atom, Literal, Tensor
from dsl.ir.op import Factors, Lengths, Linear, NotLinear, Op, Sample, Tangent, Zero
from dsl.ir.sizes import at_least, bound, is_traced, may_hold, plain
from dsl.ir.traits import MOVES, Cost, Traits
from dsl.ops.elementwise import select, sub
from dsl.ops.factors import except_axes, without_operands
from dsl.ops.layout import at_axis, batch_in_front, broadcast_in_dim, reduce_sum, reshape
from dsl.ops.rule_helpers import (
    Array,
    Arrays,
    Axes,
    Batched,
    check_arity,
    check_axes,
    fail,
    is_linear,
    linear_map,
    materialise,
    over,
    splat,
    zero_jvp,
    zeros,
)
from dsl.types.dtype import ALL, BOOL, COMPLEXES, F32, F64, FLOATS, I32, INTEGERS, DType
from dsl.types.size import Size


class SliceParams(Struct, frozen=True):
    """Per axis: the first position, the position after the last, the step (at least 1)."""

    starts: tuple[int, ...]
    limits: tuple[int, ...]
    strides: tuple[int, ...]


class PadParams(Struct, frozen=True):
    """Per axis: elements added before and after (negative ones crop) and between neighbours."""

    low: tuple[int, ...]
    high: tuple[int, ...]
    interior: tuple[int, ...]


class AxisParams(Struct, frozen=True):
    """One axis, counted from the front."""

    axis: int


class IotaParams(Struct, frozen=True):
    """An array of `shape` and `dtype` that counts along `axis`."""

    dtype: DType
    shape: tuple[int, ...]
    axis: int


class ConstantParams(Struct, frozen=True):
    """The elements in row-major order, as bytes of the machine's own order."""

    type: Tensor
    data: bytes

    @property
    def array(self) -> Array:
        """The constant as a read-only NumPy array."""
        return np.frombuffer(self.data, self.type.dtype.numpy).reshape(self.type.shape)


# --- slice ------------------------------------------------------------------------------------------------


def _slice_type(params: SliceParams, types: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
    check_arity("slice", types, 1)
    (x,) = types
    if not len(params.starts) == len(params.limits) == len(params.strides) == x.rank:
        raise fail(f"slice: {params} does not fit {x}")
    for n, start, limit, stride in zip(x.shape, params.starts, params.limits, params.strides, strict=True):
        if stride < 1 or not all(may_hold(a, b) for a, b in pairwise((0, start, limit, n))):
            raise fail(f"slice: {start}:{limit}:{stride} does not fit an axis of {n}")
    extents = zip(params.starts, params.limits, params.strides, strict=True)
    return (Tensor(x.dtype, tuple([plain(-((start - limit) // stride)) for start, limit, stride in extents])),)


def _slice_eval(params: SliceParams, types: tuple[Tensor, ...], x: Array) -> Arrays:
    places = zip(params.starts, params.limits, params.strides, strict=True)
    return (x[tuple(slice(start, limit, stride) for start, limit, stride in places)],)


def _slice_adjoint(b: Builder, params: SliceParams, type: Tensor, ct: Atom) -> Atom:
    places = zip(params.starts, ct.type.shape, params.strides, strict=True)
    ends = [start + (m - 1) * stride + 1 if m else start for start, m, stride in places]
    high = [n - end for n, end in zip(type.shape, ends, strict=True)]
    return pad(b, ct, zeros(Tensor(ct.type.dtype)), params.starts, high, [s - 1 for s in params.strides])


def _slice_batch(b: Builder, params: SliceParams, xs: tuple[Atom, ...], axes: Axes, size: int) -> Batched:
    (axis,) = axes
    assert axis is not None
    whole = SliceParams(
        insert_at(params.starts, axis, 0),
        insert_at(params.limits, axis, size),
        insert_at(params.strides, axis, 1),
    )
    return SLICE(b, whole, xs[0]), (axis,)


def insert_at(values: Sequence[int], position: int, value: int) -> tuple[int, ...]:
    """The values with `value` inserted at `position`."""
    return (*values[:position], value, *values[position:])


def _slice_sharding(params: SliceParams, types: tuple[Tensor, ...]) -> Factors:
    places = zip(params.starts, params.limits, params.strides, strict=True)
    wanted = zip(places, types[0].shape, strict=True)
    row = tuple([axis if place == (0, n, 1) else None for axis, (place, n) in enumerate(wanted)])
    return Factors((row,), (row,))


def _slice_pad(
    b: Builder, params: SliceParams, types: tuple[Tensor, ...], xs: tuple[Atom, ...], lengths: Lengths
) -> tuple[Atom, ...]:
    x, (out,) = xs[0], _slice_type(params, types)
    for axis, (start, stride) in enumerate(zip(params.starts, params.strides, strict=True)):
        ahead = (max(bound(out.shape[axis]), 1) - 1) * stride + 1
        if is_traced(start) or start + ahead > x.type.shape[axis]:
            x, start = lengths.shifted(x, axis, Size.of(start), ahead), 0
        x = slice_axis(b, x, axis, start, start + ahead, stride)
        x = slice_axis(b, x, axis, 0, bound(out.shape[axis]))
    return (x,)


SLICE = linear_map(
    name="slice",
    params=SliceParams,
    doc="The elements `start:limit:stride` along each axis.",
    type_rule=_slice_type,
    evaluate=_slice_eval,
    adjoint=_slice_adjoint,
    batch=_slice_batch,
    sharding=_slice_sharding,
    pad=_slice_pad,
    samples=(
        *over(ALL, (4, 3), params=SliceParams((1, 0), (4, 3), (1, 2))),
        *over((F32,), (7,), params=SliceParams((1,), (6,), (3,))),
        *over((F32,), (3,), params=SliceParams((2,), (2,), (1,))),
    ),
    traits=MOVES,
)


# --- pad --------------------------------------------------------------------------------------------------


def _padded(n: int, low: int, high: int, interior: int) -> int:
    return plain(low + n + (at_least(n - 1, 0) * interior if interior else 0) + high)


def _pad_type(params: PadParams, types: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
    check_arity("pad", types, 2)
    x, fill = types
    if fill.shape or fill.dtype != x.dtype:
        raise fail(f"pad: {fill} is not a scalar of {x.dtype}")
    if not len(params.low) == len(params.high) == len(params.interior) == x.rank:
        raise fail(f"pad: {params} does not fit {x}")
    if min(params.interior, default=0) < 0:
        raise fail(f"pad: interior {params.interior} is negative")
    shape = tuple(map(_padded, x.shape, params.low, params.high, params.interior))
    if not all(may_hold(0, n) for n in shape):
        raise fail(f"pad: {params} crops more than {x} has")
    return (Tensor(x.dtype, shape),)


def _pad_eval(params: PadParams, types: tuple[Tensor, ...], x: Array, fill: Array) -> Arrays:
    for axis, (low, high, interior) in enumerate(zip(params.low, params.high, params.interior, strict=True)):
        x = _pad_axis(np.moveaxis(x, axis, 0), fill, low, high, interior)
        x = np.moveaxis(x, 0, axis)
    return (x,)


def _pad_axis(x: Array, fill: Array, low: int, high: int, interior: int) -> Array:
    n = len(x)
    spaced = np.full((_padded(n, 0, 0, interior), *x.shape[1:]), fill, x.dtype)
    spaced[:: interior + 1] = x
    before = np.full((max(low, 0), *x.shape[1:]), fill, x.dtype)
    after = np.full((max(high, 0), *x.shape[1:]), fill, x.dtype)
    whole = np.concatenate([before, spaced, after])
    return whole[max(-low, 0) : len(whole) - max(-high, 0)]


def _pad_jvp(
    b: Builder, params: PadParams, xs: Sequence[Atom], ys: Sequence[Atom], ts: tuple[Tangent, ...]
) -> tuple[Tangent, ...]:
    if all(isinstance(t, Zero) for t in ts):
        return (Zero(ys[0].type),)
    return PAD(b, params, materialise(ts[0]), materialise(ts[1]))


def _pad_transpose(
    b: Builder, params: PadParams, xs: tuple[Atom | Linear, ...], cts: tuple[Tangent, ...]
) -> tuple[Tangent | None, ...]:
    (ct,) = cts
    x, fill = xs
    if isinstance(ct, Zero):
        return tuple(Zero(v.type) if is_linear(v) else None for v in xs)
    inner = _unpad(b, ct, x.type, params)
    if not is_linear(fill):
        return (inner, None)
    everything = reduce_sum(b, ct, range(ct.type.rank))
    covered = reduce_sum(b, inner, range(inner.type.rank))
    return (inner if is_linear(x) else None, sub(b, everything, covered))


def _unpad(b: Builder, ct: Atom, type: Tensor, params: PadParams) -> Atom:
    """The elements of a padded array that came from the operand; zero where it was cropped."""
    none = (0,) * type.rank
    full = pad(b, ct, zeros(Tensor(ct.type.dtype)), [-n for n in params.low], [-n for n in params.high], none)
    return slice_in(b, full, none, full.type.shape, [n + 1 for n in params.interior])


def _pad_batch(b: Builder, params: PadParams, xs: tuple[Atom, ...], axes: Axes, size: int) -> Batched:
    if axes[1] is None:
        axis = axes[0]
        assert axis is not None
        whole = PadParams(*(insert_at(p, axis, 0) for p in (params.low, params.high, params.interior)))
        return PAD(b, whole, *xs), (axis,)
    return _pad_batch_fill(b, params, xs, axes, size), (0,)


def _pad_batch_fill(b: Builder, params: PadParams, xs: tuple[Atom, ...], axes: Axes, size: int) -> tuple[Atom]:
    """A fill per element: pad with zeros, and choose the fill where a padded mask says so."""
    x = at_axis(b, xs[0], axes[0], size, 0)
    low, high, interior = ((0, *p) for p in (params.low, params.high, params.interior))
    body = pad(b, x, zeros(Tensor(x.type.dtype)), low, high, interior)
    inside = pad(b, splat(1, Tensor(BOOL, x.type.shape)), zeros(Tensor(BOOL)), low, high, interior)
    return (select(b, inside, body, broadcast_in_dim(b, xs[1], body.type.shape, (0,))),)


def _padded_axes(params: PadParams) -> list[int]:
    amounts = zip(params.low, params.high, params.interior, strict=True)
    return [axis for axis, each in enumerate(amounts) if any(each)]


def _pad_pad(
    b: Builder, params: PadParams, types: tuple[Tensor, ...], xs: tuple[Atom, ...], lengths: Lengths
) -> tuple[Atom, ...]:
    (out,), fill, none = _pad_type(params, types), xs[1], (0,) * types[0].rank
    x = pad(b, lengths.filled(xs[0], types[0], fill), fill, none, none, params.interior)
    for axis, before in enumerate(params.low):
        if is_traced(before):
            x = lengths.shifted(x, axis, -Size.of(before), bound(out.shape[axis]), fill)
    low = [0 if is_traced(n) else n for n in params.low]
    high = [bound(size) - n - before for size, n, before in zip(out.shape, x.type.shape, low, strict=True)]
    return (pad(b, x, fill, low, high, none),)


PAD = Op(
    name="pad",
    params=PadParams,
    doc="The operand with `fill` before, after and between its elements; negative amounts crop.",
    type_rule=_pad_type,
    evaluate=_pad_eval,
    jvp=_pad_jvp,
    transpose=_pad_transpose,
    batch=_pad_batch,
    sharding=except_axes(_padded_axes),
    pad=_pad_pad,
    samples=(
        *over(ALL, (2, 3), (), params=PadParams((1, 0), (0, 2), (0, 0))),
        *over((F32,), (3, 2), (), params=PadParams((-1, 1), (2, -1), (1, 0))),
        *over((F32,), (0,), (), params=PadParams((2,), (1,), (0,))),
    ),
    traits=MOVES,
)


# --- concatenate ------------------------------------------------------------------------------------------


def _concatenate_type(params: AxisParams, types: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
    if not types:
        raise fail("concatenate needs an operand")
    first, axis = types[0], params.axis
    check_axes("concatenate", (axis,), first.rank)
    rest = [(*t.shape[:axis], *t.shape[axis + 1 :]) for t in types]
    if any(r != rest[0] or t.dtype != first.dtype for r, t in zip(rest, types, strict=True)):
        raise fail(f"concatenate: {', '.join(map(str, types))} differ beside axis {axis}")
    total = plain(sum(t.shape[axis] for t in types))
    return (Tensor(first.dtype, insert_at(rest[0], axis, total)),)


def _concatenate_jvp(
    b: Builder, params: AxisParams, xs: Sequence[Atom], ys: Sequence[Atom], ts: tuple[Tangent, ...]
) -> tuple[Tangent, ...]:
    if all(isinstance(t, Zero) for t in ts):
        return (Zero(ys[0].type),)
    return CONCATENATE(b, params, *[materialise(t) for t in ts])


def _concatenate_transpose(
    b: Builder, params: AxisParams, xs: tuple[Atom | Linear, ...], cts: tuple[Tangent, ...]
) -> tuple[Tangent | None, ...]:
    (ct,) = cts
    parts: list[Tangent | None] = []
    start = 0
    for x in xs:
        stop = start + x.type.shape[params.axis]
        if not is_linear(x):
            parts.append(None)
        elif isinstance(ct, Zero):
            parts.append(Zero(x.type))
        else:
            parts.append(slice_axis(b, ct, params.axis, start, stop))
        start = stop
    return tuple(parts)


def _concatenate_batch(b: Builder, params: AxisParams, xs: tuple[Atom, ...], axes: Axes, size: int) -> Batched:
    return batch_in_front(b, CONCATENATE, AxisParams(params.axis + 1), xs, axes, size)


def _concatenate_pad(
    b: Builder, params: AxisParams, types: tuple[Tensor, ...], xs: tuple[Atom, ...], lengths: Lengths
) -> tuple[Atom, ...]:
    """Each operand begins where the one before ends, over what stands behind that."""
    (out,), axis, at = _concatenate_type(params, types), params.axis, Size.of(0)
    room = sum(x.type.shape[axis] for x in xs)
    whole: Atom = zeros(Tensor(out.dtype, tuple([room if k == axis else bound(n) for k, n in enumerate(out.shape)])))
    for x, type in zip(xs, types, strict=True):
        whole, at = lengths.placed(whole, x, axis, at), at + type.shape[axis]
    return (slice_axis(b, whole, axis, 0, bound(out.shape[axis])),)


CONCATENATE = Op(
    name="concatenate",
    params=AxisParams,
    doc="The operands one after the other along `axis`.",
    type_rule=_concatenate_type,
    evaluate=lambda params, types, *xs: (np.concatenate(xs, params.axis),),
    jvp=_concatenate_jvp,
    transpose=_concatenate_transpose,
    batch=_concatenate_batch,
    sharding=except_axes(lambda params: (params.axis,)),
    pad=_concatenate_pad,
    samples=(
        *over(ALL, (2, 1), (2, 3), params=AxisParams(1)),
        *over((F32,), (2,), (0,), (1,), params=AxisParams(0)),
    ),
    traits=MOVES,
)


# --- iota and constant ------------------------------------------------------------------------------------


def _iota_type(params: IotaParams, types: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
    check_arity("iota", types, 0)
    check_axes("iota", (params.axis,), len(params.shape))
    if params.dtype is BOOL:
        raise fail("iota is not defined on bool")
    return (Tensor(params.dtype, params.shape),)


def _iota_eval(params: IotaParams, types: tuple[Tensor, ...]) -> Arrays:
    line = np.arange(params.shape[params.axis]).astype(params.dtype.numpy)
    lifted = [1] * len(params.shape)
    lifted[params.axis] = -1
    return (np.broadcast_to(line.reshape(lifted), params.shape),)


def _constant_type(params: ConstantParams, types: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
    check_arity("constant", types, 0)
    if len(params.data) != params.type.size * params.type.dtype.numpy.itemsize:
        raise fail(f"constant: {len(params.data)} bytes are no {params.type}")
    return (params.type,)


def _unbatched(b: Builder, params: IotaParams | ConstantParams, xs: tuple[Atom, ...], axes: Axes, size: int) -> Batched:
    raise fail("an operation without operands has no batch axis")


_NO_OPERANDS = NotLinear("it has no operands")
IOTA = Op(
    name="iota",
    params=IotaParams,
    doc="0, 1, 2, ... along `axis`, the same along the others.",
    type_rule=_iota_type,
    evaluate=_iota_eval,
    jvp=zero_jvp,
    transpose=_NO_OPERANDS,
    batch=_unbatched,
    sharding=without_operands(lambda params: len(params.shape)),
    samples=(
        *(Sample(IotaParams(d, (2, 3), 1), ()) for d in (*INTEGERS, *FLOATS, *COMPLEXES)),
        Sample(IotaParams(F32, (4,), 0), ()),
    ),
    traits=Traits(cost=Cost.FREE),
)
CONSTANT = Op(
    name="constant",
    params=ConstantParams,
    doc="A known array. A scalar, or an array of equal elements, is a literal instead.",
    type_rule=_constant_type,
    evaluate=lambda params, types: (params.array,),
    jvp=zero_jvp,
    transpose=_NO_OPERANDS,
    batch=_unbatched,
    sharding=without_operands(lambda params: params.type.rank),
    samples=tuple(
        Sample(ConstantParams(Tensor(d, (2, 3)), np.arange(6).reshape(2, 3).astype(d.numpy).tobytes()), ())
        for d in (F32, F64, I32, BOOL)
    ),
)


# --- builders ---------------------------------------------------------------------------------------------


def slice_in(b: Builder, x: Atom, starts: Sequence[int], limits: Sequence[int], strides: Sequence[int]) -> Atom:
    """`x[starts[0]:limits[0]:strides[0], …]`, one triple for each axis; `x` itself where that is all of it."""
    starts, limits = tuple(map(plain, starts)), tuple(map(plain, limits))
    if limits == x.type.shape and not any(starts) and all(s == 1 for s in strides):
        return x
    params = SliceParams(starts, limits, tuple(strides))
    if isinstance(x, Literal):
        return Literal(x.value, _slice_type(params, (x.type,))[0])
    return SLICE(b, params, x)[0]


def slice_axis(b: Builder, x: Atom, axis: int, start: int, stop: int, stride: int = 1) -> Atom:
    """`x[start:stop:stride]` along one axis."""
    starts, limits, strides = [0] * x.type.rank, list(x.type.shape), [1] * x.type.rank
    starts[axis], limits[axis], strides[axis] = start, stop, stride
    return slice_in(b, x, starts, limits, strides)


def pad(b: Builder, x: Atom, fill: Atom, low: Sequence[int], high: Sequence[int], interior: Sequence[int]) -> Atom:
    """`x` with `fill`, a scalar, around (`low`, `high`) and between (`interior`) its elements, for each axis.

    Negative counts of `low` and `high` cut elements off.
    """
    low, high = tuple(map(plain, low)), tuple(map(plain, high))
    if not (any(low) or any(high) or any(interior)):
        return x
    return PAD(b, PadParams(low, high, tuple(interior)), x, fill)[0]


def concatenate(b: Builder, xs: Sequence[Atom], axis: int) -> Atom:
    """The arrays one after another along `axis`; their other sizes are equal.

    Raises IRTypeError where they differ.
    """
    return xs[0] if len(xs) == 1 else CONCATENATE(b, AxisParams(axis), *xs)[0]


def iota(b: Builder, dtype: DType, shape: Sequence[int], axis: int) -> Atom:
    """0, 1, 2, … along `axis` of an array of `shape`."""
    return IOTA(b, IotaParams(dtype, tuple(shape), axis))[0]


def constant(b: Builder, array: Array, dtype: DType) -> Atom:
    """`array` as IR: a literal if all its elements are the same bytes, else a `constant` equation."""
    array = np.asarray(array, dtype.numpy)
    type = Tensor(dtype, np.shape(array))
    data = array.tobytes()
    width = dtype.numpy.itemsize
    if data and data == data[:width] * type.size:
        return Literal(array.flat[0].item() if dtype.numpy.kind != "V" else float(array.flat[0]), type)
    return CONSTANT(b, ConstantParams(type, data))[0]


EXTENT = (SLICE, PAD, CONCATENATE, IOTA, CONSTANT)


def by_turns(b: Builder, even: Atom, odd: Atom, axis: int) -> Atom:
    """even[0], odd[0], even[1], … along an axis; `even` has as many elements there as `odd`, or one more."""
    count = odd.type.shape[axis]
    each = [slice_axis(b, x, axis, 0, count) for x in (even, odd)]
    apart = [reshape(b, x, (*x.type.shape[: axis + 1], 1, *x.type.shape[axis + 1 :])) for x in each]
    shape = odd.type.shape
    mixed = reshape(b, concatenate(b, apart, axis + 1), (*shape[:axis], 2 * count, *shape[axis + 1 :]))
    return concatenate(b, [mixed, slice_axis(b, even, axis, count, even.type.shape[axis])], axis)
