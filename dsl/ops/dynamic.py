"""One window whose start is data: dynamic_slice and dynamic_update_slice, each other's adjoints.

The starts are scalars, one per axis, behind the array operands. A start is moved into bounds, as XLA does;
the language has checked it before. A batch of starts turns the ops into a gather and a scatter.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from msgspec import Struct

from dsl.ir.build import Builder
from dsl.ir.function import Atom, Literal, Tensor
from dsl.ir.op import NONE, Factors, Lengths, NoParams, Op, Sample, Zero
from dsl.ir.sizes import bounds, has_room, is_traced
from dsl.ir.traits import MOVES
from dsl.ops.elementwise import Atoms, Cotangents, Operands, Tangents, convert
from dsl.ops.extent import concatenate
from dsl.ops.index import WindowParams, gather, in_bounds
from dsl.ops.layout import at_axis, reshape
from dsl.ops.rule_helpers import (
    Array,
    Arrays,
    Axes,
    Batched,
    batch_of_nothing,
    check_dtype,
    fail,
    is_linear,
    materialise,
    require_known,
    zeros,
)
from dsl.ops.scatter import scatter_set
from dsl.ops.selection import maximum, minimum
from dsl.records import replace
from dsl.types.dtype import ALL, F64, I32, I64, INTEGERS
from dsl.types.size import Size, max_


class SizesParams(Struct, frozen=True):
    """The shape of a slice whose place is known at run time."""

    sizes: tuple[int, ...]


def _check_starts(name: str, x: Tensor, window: Sequence[int], starts: Sequence[Tensor]) -> None:
    if len(starts) != x.rank or len(window) != x.rank:
        raise fail(f"{name}: {len(starts)} starts and window {tuple(window)} do not fit {x}")
    if any(s.shape or s.dtype != starts[0].dtype for s in starts):
        raise fail(f"{name}: starts are scalars of one integer dtype")
    for s in starts[:1]:
        check_dtype(name, s.dtype, INTEGERS)
    if not all(map(has_room, window, x.shape)):
        raise fail(f"{name}: a window {tuple(window)} does not fit {x}")


def _place(shape: Sequence[int], window: Sequence[int], starts: Sequence[Array]) -> tuple[slice, ...]:
    first = [min(max(int(s), 0), n - w) for n, w, s in zip(shape, window, starts, strict=True)]
    return tuple(slice(f, f + w) for f, w in zip(first, window, strict=True))


def _moving(shape: Sequence[int], window: Sequence[int], starts: Atoms) -> list[int]:
    """The axes along which windows begin elsewhere than at 0; all if there is none."""
    still = [w == n or (isinstance(s, Literal) and s.value == 0) for n, w, s in zip(shape, window, starts, strict=True)]
    return [k for k, stays in enumerate(still) if not stays or all(still)]


def _index_vectors(b: Builder, moving: Sequence[int], starts: Atoms, axes: Axes, size: int) -> Atom:
    """The starts of a batch along the moving axes as vectors: (size, number of these axes)."""
    return concatenate(b, [reshape(b, at_axis(b, starts[k], axes[k], size, 0), (size, 1)) for k in moving], 1)


def _batch_windows(window: Sequence[int], moving: Sequence[int], operand_batched: bool) -> WindowParams:
    """Whole windows, one per vector; with `operand_batched`, each from its own element of the batch."""
    rank = len(window)
    lead = int(operand_batched)
    return WindowParams(
        offset_dims=tuple(range(1, rank + 1)),
        collapsed_dims=(),
        operand_batch_dims=(0,) * lead,
        index_batch_dims=(0,) * lead,
        start_index_map=tuple([axis + lead for axis in moving]),
        slice_sizes=(*(1,) * lead, *window),
        unique=operand_batched,
    )


# --- dynamic_slice ----------------------------------------------------------------------------------------


def _slice_type(params: SizesParams, types: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
    if not types:
        raise fail("dynamic_slice needs an operand")
    _check_starts("dynamic_slice", types[0], params.sizes, types[1:])
    return (Tensor(types[0].dtype, params.sizes),)


def _slice_jvp(b: Builder, params: SizesParams, xs: Atoms, ys: Atoms, ts: Tangents) -> Tangents:
    t = ts[0]
    return (Zero(ys[0].type),) if isinstance(t, Zero) else DYNAMIC_SLICE(b, params, t, *xs[1:])


def _slice_transpose(b: Builder, params: SizesParams, xs: Operands, cts: Tangents) -> Cotangents:
    (ct,) = cts
    none = (None,) * (len(xs) - 1)
    if isinstance(ct, Zero):
        return (Zero(xs[0].type), *none)
    return (dynamic_update_slice(b, zeros(xs[0].type), ct, [require_known(s) for s in xs[1:]]), *none)


def _slice_batch(b: Builder, params: SizesParams, xs: Atoms, axes: Axes, size: int) -> Batched:
    x, starts = xs[0], xs[1:]
    if size == 0:
        return batch_of_nothing(_slice_type, params, xs, axes)
    if all(a is None for a in axes[1:]):
        x = at_axis(b, x, axes[0], size, 0)
        whole = SizesParams((size, *params.sizes))
        return DYNAMIC_SLICE(b, whole, x, *_with_zero(starts), *starts), (0,)
    batched = axes[0] is not None
    if batched:
        x = at_axis(b, x, axes[0], size, 0)
    moving = _moving(x.type.shape[batched:], params.sizes, starts)
    indices = _index_vectors(b, moving, starts, axes[1:], size)
    return (gather(b, _batch_windows(params.sizes, moving, batched), x, indices),), (0,)


def _with_zero(starts: Atoms) -> tuple[Literal, ...]:
    """The start of the batch axis: zero, of the dtype of the other starts."""
    return (zeros(starts[0].type if starts else Tensor(I32)),)


def _samples_of(sizes: tuple[int, ...], shape: tuple[int, ...], **changed: Any) -> Sample[SizesParams]:
    dtype, start = changed.get("dtype", F64), changed.get("start", I32)
    starts = (Tensor(start),) * len(shape)
    return Sample(SizesParams(sizes), (Tensor(dtype, shape), *starts), (-2.0, 3.0))


def _slice_sharding(params: SizesParams, types: tuple[Tensor, ...]) -> Factors:
    row = _unmoved(types[0].shape, params.sizes)
    return Factors((row, *[()] * (len(types) - 1)), (row,))


def _unmoved(shape: Sequence[int], window: Sequence[int]) -> tuple[int | None, ...]:
    """The factors of axes that lie in a window as a whole."""
    return tuple([axis if n == w else None for axis, (n, w) in enumerate(zip(shape, window, strict=True))])


def _inside(b: Builder, shape: Sequence[int], window: Sequence[int], starts: Atoms, lengths: Lengths) -> Atoms:
    """The starts, moved into the bounds of a run along axes whose sizes it decides."""
    moved = list(starts)
    for k, (size, part) in enumerate(zip(shape, window, strict=True)):
        if is_traced(size):
            none = zeros(starts[k].type)
            top = convert(b, lengths.length(max_(Size.of(size) - part, Size.of(0))), none.type.dtype)
            moved[k] = minimum(b, maximum(b, starts[k], none), top)
    return tuple(moved)


def _slice_pad(
    b: Builder, params: SizesParams, types: tuple[Tensor, ...], xs: Atoms, lengths: Lengths
) -> tuple[Atom, ...]:
    starts = _inside(b, types[0].shape, params.sizes, xs[1:], lengths)
    return (dynamic_slice(b, xs[0], starts, bounds().any(params.sizes)),)


DYNAMIC_SLICE: Op[SizesParams] = Op(
    name="dynamic_slice",
    params=SizesParams,
    doc="The window of `sizes` that begins at the starts, moved into bounds if need be.",
    type_rule=_slice_type,
    evaluate=lambda params, types, x, *starts: (x[_place(x.shape, params.sizes, starts)],),
    jvp=_slice_jvp,
    transpose=_slice_transpose,
    batch=_slice_batch,
    sharding=_slice_sharding,
    pad=_slice_pad,
    samples=(
        *(_samples_of((2, 3), (4, 3), dtype=d) for d in ALL),
        *(_samples_of((2,), (4,), start=s) for s in (I32, I64)),
        _samples_of((), ()),
        _samples_of((0, 1), (2, 2)),
    ),
    traits=MOVES,
)


# --- dynamic_update_slice ---------------------------------------------------------------------------------


def _update_type(params: NoParams, types: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
    if len(types) < 2:
        raise fail("dynamic_update_slice needs an operand and an update")
    x, update = types[:2]
    if x.dtype != update.dtype:
        raise fail(f"dynamic_update_slice: {x} and {update} differ in dtype")
    _check_starts("dynamic_update_slice", x, update.shape, types[2:])
    return (x,)


def _update_eval(params: NoParams, types: tuple[Tensor, ...], x: Array, update: Array, *starts: Array) -> Arrays:
    out = np.array(x)
    out[_place(x.shape, update.shape, starts)] = update
    return (out,)


def _update_jvp(b: Builder, params: NoParams, xs: Atoms, ys: Atoms, ts: Tangents) -> Tangents:
    dx, du = ts[:2]
    if isinstance(dx, Zero) and isinstance(du, Zero):
        return (Zero(ys[0].type),)
    return (dynamic_update_slice(b, materialise(dx), materialise(du), xs[2:]),)


def _update_transpose(b: Builder, params: NoParams, xs: Operands, cts: Tangents) -> Cotangents:
    (ct,) = cts
    x, update = xs[:2]
    none = (None,) * (len(xs) - 2)
    if isinstance(ct, Zero):
        return (*(Zero(v.type) if is_linear(v) else None for v in (x, update)), *none)
    starts = [require_known(s) for s in xs[2:]]
    rest = dynamic_update_slice(b, ct, zeros(update.type), starts) if is_linear(x) else None
    return (rest, dynamic_slice(b, ct, starts, update.type.shape) if is_linear(update) else None, *none)


def _update_batch(b: Builder, params: NoParams, xs: Atoms, axes: Axes, size: int) -> Batched:
    x, update, *starts = xs
    if size == 0:
        return batch_of_nothing(_update_type, params, xs, axes)
    window = list(update.type.shape)
    if axes[1] is not None:
        del window[axes[1]]
    x, update = at_axis(b, x, axes[0], size, 0), at_axis(b, update, axes[1], size, 0)
    if all(a is None for a in axes[2:]):
        return (dynamic_update_slice(b, x, update, (*_with_zero(tuple(starts)), *starts)),), (0,)
    moving = _moving(x.type.shape[1:], window, tuple(starts))
    indices = _index_vectors(b, moving, tuple(starts), axes[2:], size)
    dims = _batch_windows(window, moving, True)
    moved = in_bounds(b, dims, x.type.shape, indices)
    return (scatter_set(b, replace(dims, in_bounds=True), x, moved, update),), (0,)


def _update_sample(window: tuple[int, ...], shape: tuple[int, ...], dtype: Any = F64) -> Sample[NoParams]:
    starts = (Tensor(I32),) * len(shape)
    return Sample(NONE, (Tensor(dtype, shape), Tensor(dtype, window), *starts), (-2.0, 3.0))


def _update_sharding(params: NoParams, types: tuple[Tensor, ...]) -> Factors:
    row = _unmoved(types[0].shape, types[1].shape)
    return Factors((row, row, *[()] * (len(types) - 2)), (row,))


def _update_pad(
    b: Builder, params: NoParams, types: tuple[Tensor, ...], xs: Atoms, lengths: Lengths
) -> tuple[Atom, ...]:
    x, update, *starts = xs
    return (dynamic_update_slice(b, x, update, _inside(b, types[0].shape, types[1].shape, tuple(starts), lengths)),)


DYNAMIC_UPDATE_SLICE: Op[NoParams] = Op(
    name="dynamic_update_slice",
    params=NoParams,
    doc="The operand with the update in place of the window that begins at the starts, moved into bounds.",
    type_rule=_update_type,
    evaluate=_update_eval,
    jvp=_update_jvp,
    transpose=_update_transpose,
    batch=_update_batch,
    sharding=_update_sharding,
    pad=_update_pad,
    samples=(
        *(_update_sample((2, 3), (4, 3), d) for d in ALL),
        _update_sample((2,), (4,)),
        _update_sample((), ()),
        _update_sample((0, 1), (2, 2)),
    ),
    traits=MOVES,
)

DYNAMIC: tuple[Op[Any], ...] = (DYNAMIC_SLICE, DYNAMIC_UPDATE_SLICE)


def dynamic_slice(b: Builder, x: Atom, starts: Sequence[Atom], sizes: Sequence[int]) -> Atom:
    """The block of shape `sizes` of `x` at `starts`, one integer scalar for each axis.

    A start that would leave `x` is clamped. Raises IRTypeError where a size exceeds that of `x`.
    """
    return DYNAMIC_SLICE(b, SizesParams(tuple(sizes)), x, *starts)[0]


def dynamic_update_slice(b: Builder, x: Atom, update: Atom, starts: Sequence[Atom]) -> Atom:
    """`x` with `update` written at `starts`, one integer scalar for each axis; starts are clamped."""
    return DYNAMIC_UPDATE_SLICE(b, NONE, x, update, *starts)[0]
