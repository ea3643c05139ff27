"""Windows at positions that are data: gather, and scatter_add, its adjoint.

`indices` has the shape (*batch, K): at each place of the batch a vector that says where a window starts. The
roles of the axes are StableHLO's, in one set of params for gather and all scatters, so that the two turn into
each other. gather moves a start into bounds; a scatter drops a window that does not fit. `in_bounds` promises
that neither happens, `unique` that no two windows meet. Read next: `scatter`, `dynamic`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from msgspec import Struct

from dsl.ir.build import Builder
from dsl.ir.function import Atom, Tensor
from dsl.ir.op import Factors, Lengths, Op, PadRule, Sample, Zero
from dsl.ir.sizes import bounds, has_room, traced_axes
from dsl.ir.traits import MOVES
from dsl.ops.elementwise import Atoms, Cotangents, Operands, Tangents, compare, convert, select
from dsl.ops.extent import concatenate, constant
from dsl.ops.layout import at_axis, broadcast_in_dim, reshape
from dsl.ops.reduce import reduce_and
from dsl.ops.rule_helpers import (
    Array,
    Arrays,
    Axes,
    Batched,
    as_type,
    batch_of_nothing,
    check_arity,
    check_axes,
    check_dtype,
    fail,
    is_linear,
    materialise,
    require_known,
    wide,
    zeros,
)
from dsl.ops.selection import clamp, maximum, minimum
from dsl.ops.zero_flow import scattered
from dsl.records import replace
from dsl.types.dtype import ALL, BOOL, F32, F64, I32, I64, INTEGERS, U8, UNSIGNED, DType
from dsl.types.size import Size, max_


class WindowParams(Struct, frozen=True):
    """Where windows of an operand lie, for gather and every scatter.

    - `slice_sizes`: the window's size along each operand axis;
    - `collapsed_dims`: operand axes (of window size 1) that the windows do not show;
    - `operand_batch_dims`, `index_batch_dims`: operand axes that run along with axes of the batch;
    - `start_index_map`: the operand axis that each component of an index vector is a start on;
    - `offset_dims`: the axes of the result (the updates) with the shown window axes; the rest is the batch.
    """

    offset_dims: tuple[int, ...]
    collapsed_dims: tuple[int, ...]
    operand_batch_dims: tuple[int, ...]
    index_batch_dims: tuple[int, ...]
    start_index_map: tuple[int, ...]
    slice_sizes: tuple[int, ...]
    in_bounds: bool = False
    unique: bool = False

    @property
    def shown(self) -> tuple[int, ...]:
        """Operand axes that appear in the windows."""
        hidden = {*self.collapsed_dims, *self.operand_batch_dims}
        return tuple(a for a in range(len(self.slice_sizes)) if a not in hidden)


# --- types and coordinates --------------------------------------------------------------------------------


def windows_type(name: str, params: WindowParams, x: Tensor, indices: Tensor) -> Tensor:
    """The type of all windows together: what gather gives and a scatter takes as updates."""
    check_dtype(f"{name} (indices)", indices.dtype, INTEGERS)
    _check_dims(name, params, x, indices)
    return Tensor(x.dtype, _windows_shape(params, indices.shape))


def _windows_shape(params: WindowParams, indices: Sequence[int]) -> tuple[int, ...]:
    batch = iter(indices[:-1])
    window = iter([params.slice_sizes[a] for a in params.shown])
    rank = len(indices) - 1 + len(params.offset_dims)
    return tuple([next(window if a in params.offset_dims else batch) for a in range(rank)])


def _check_dims(name: str, params: WindowParams, x: Tensor, indices: Tensor) -> None:
    if indices.rank == 0 or indices.shape[-1] != len(params.start_index_map):
        raise fail(f"{name}: indices {indices} do not hold vectors of {len(params.start_index_map)}")
    if len(params.slice_sizes) != x.rank or len(params.shown) != len(params.offset_dims):
        raise fail(f"{name}: {params} does not fit {x}")
    check_axes(name, params.offset_dims, indices.rank - 1 + len(params.offset_dims))
    check_axes(name, (*params.collapsed_dims, *params.operand_batch_dims), x.rank)
    check_axes(name, (*params.start_index_map, *params.operand_batch_dims), x.rank)
    check_axes(name, params.index_batch_dims, indices.rank - 1)
    if not all(map(has_room, params.slice_sizes, x.shape)):
        raise fail(f"{name}: windows {params.slice_sizes} do not fit {x}")
    if any(params.slice_sizes[a] != 1 for a in (*params.collapsed_dims, *params.operand_batch_dims)):
        raise fail(f"{name}: a hidden axis has a window of another size than 1")
    paired = zip(params.operand_batch_dims, params.index_batch_dims, strict=True)
    if any(x.shape[a] != indices.shape[c] for a, c in paired):
        raise fail(f"{name}: the batch axes of {x} and {indices} differ")


def limits(params: WindowParams, shape: Sequence[int]) -> list[int]:
    """The last start in bounds, for each component of an index vector."""
    return [shape[a] - params.slice_sizes[a] for a in params.start_index_map]


def _starts(params: WindowParams, shape: Sequence[int], indices: Array) -> tuple[Array, Array]:
    """Starts moved into bounds, and which index vectors were in bounds."""
    top = np.array(limits(params, shape), np.int64)
    wanted = indices.astype(np.int64)
    if indices.dtype.kind == "u":
        wanted = np.where(wanted < 0, np.int64(2**63 - 1), wanted)
    clipped = np.minimum(np.maximum(wanted, 0), top)
    return clipped, (clipped == wanted).all(axis=-1)


def _coordinates(params: WindowParams, starts: Array) -> tuple[Array, ...]:
    """For each operand axis its coordinates, broadcastable to (*batch, *window)."""
    batch, shown = starts.ndim - 1, params.shown
    rank = batch + len(shown)
    coordinates: list[Any] = [0] * len(params.slice_sizes)
    for k, a in enumerate(params.start_index_map):
        coordinates[a] = starts[..., k].reshape((*starts.shape[:-1], *[1] * len(shown)))
    for a, c in zip(params.operand_batch_dims, params.index_batch_dims, strict=True):
        coordinates[a] = _along(starts.shape[c], c, rank)
    for k, a in enumerate(shown):
        coordinates[a] = coordinates[a] + _along(params.slice_sizes[a], batch + k, rank)
    shape = (*starts.shape[:-1], *(params.slice_sizes[a] for a in shown))
    return tuple(np.broadcast_to(c, shape) for c in coordinates)


def _along(n: int, axis: int, rank: int) -> Array:
    return np.arange(n).reshape([n if a == axis else 1 for a in range(rank)])


def _order(params: WindowParams, rank: int) -> list[int]:
    """The axes of the windows' type in the order (*batch, *window)."""
    return [*(a for a in range(rank) if a not in params.offset_dims), *params.offset_dims]


# --- gather -----------------------------------------------------------------------------------------------


def _gather_type(params: WindowParams, types: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
    check_arity("gather", types, 2)
    return (windows_type("gather", params, *types),)


def _gather_eval(params: WindowParams, types: tuple[Tensor, ...], x: Array, indices: Array) -> Arrays:
    if x.ndim and x.size == 0:
        return (np.zeros(_windows_shape(params, indices.shape), x.dtype),)
    starts, _ = _starts(params, x.shape, indices)
    taken = x[_coordinates(params, starts)] if x.ndim else np.broadcast_to(x, indices.shape[:-1])
    return (np.asarray(taken.transpose(np.argsort(_order(params, taken.ndim)))),)


def _gather_jvp(b: Builder, params: WindowParams, xs: Atoms, ys: Atoms, ts: Tangents) -> Tangents:
    t, _ = ts
    return (Zero(ys[0].type),) if isinstance(t, Zero) else GATHER(b, params, t, xs[1])


def _gather_transpose(b: Builder, params: WindowParams, xs: Operands, cts: Tangents) -> Cotangents:
    (ct,) = cts
    x, indices = xs
    if isinstance(ct, Zero):
        return (Zero(x.type), None)
    safe = in_bounds(b, params, x.type.shape, require_known(indices))
    return (SCATTER_ADD(b, replace(params, in_bounds=True), zeros(x.type), safe, ct)[0], None)


def in_bounds(b: Builder, params: WindowParams, shape: Sequence[int], indices: Atom) -> Atom:
    """The indices moved into bounds, as gather does with them."""
    if params.in_bounds:
        return indices
    return clamp(b, zeros(indices.type), indices, _spread_limits(b, params, shape, indices.type))


def _spread_limits(b: Builder, params: WindowParams, shape: Sequence[int], type: Tensor) -> Atom:
    """`limits` spread over `indices`, as far as the index dtype reaches."""
    top = np.minimum(limits(params, shape), _largest(type.dtype))
    return broadcast_in_dim(b, constant(b, top, type.dtype), type.shape, (type.rank - 1,))


def _largest(dtype: DType) -> int:
    return (1 << min(dtype.bits - (dtype not in UNSIGNED), 63)) - 1


def _shifted(axes: Sequence[int]) -> tuple[int, ...]:
    return tuple(a + 1 for a in axes)


def _with_window(params: WindowParams, size: int) -> WindowParams:
    """Batch axis 0 of the operand as one more axis of every window, in front."""
    return replace(
        params,
        offset_dims=(0, *_shifted(params.offset_dims)),
        collapsed_dims=_shifted(params.collapsed_dims),
        operand_batch_dims=_shifted(params.operand_batch_dims),
        start_index_map=_shifted(params.start_index_map),
        slice_sizes=(size, *params.slice_sizes),
    )


def _with_batch(params: WindowParams) -> WindowParams:
    """Axis 0 of operand and indices run along with each other."""
    return replace(
        params,
        offset_dims=_shifted(params.offset_dims),
        collapsed_dims=_shifted(params.collapsed_dims),
        operand_batch_dims=(0, *_shifted(params.operand_batch_dims)),
        index_batch_dims=(0, *_shifted(params.index_batch_dims)),
        start_index_map=_shifted(params.start_index_map),
        slice_sizes=(1, *params.slice_sizes),
    )


def _gather_batch(b: Builder, params: WindowParams, xs: Atoms, axes: Axes, size: int) -> Batched:
    x, indices = xs
    if size == 0:
        return batch_of_nothing(_gather_type, params, xs, axes)
    if axes[1] is None:
        x = at_axis(b, x, axes[0], size, 0)
        return GATHER(b, _with_window(params, size), x, indices), (0,)
    indices = at_axis(b, indices, axes[1], size, 0)
    if axes[0] is None:
        whole = replace(
            params,
            offset_dims=_shifted(params.offset_dims),
            index_batch_dims=_shifted(params.index_batch_dims),
            unique=False,
        )
        return GATHER(b, whole, x, indices), (0,)
    return GATHER(b, _with_batch(params), at_axis(b, x, axes[0], size, 0), indices), (0,)


_ROWS = WindowParams((1,), (0,), (), (), (0,), (1, 3))
_ELEMENTS = WindowParams((), (0, 1), (), (), (0, 1), (1, 1))
_PATCHES = WindowParams((1, 2), (), (), (), (1, 0), (2, 2))
_ALONG = WindowParams((), (1,), (0,), (0,), (1,), (1, 1))
_MIXED = WindowParams((0, 2), (1,), (), (), (1, 2), (2, 1, 2))
_SHAPES: tuple[tuple[WindowParams, tuple[int, ...], tuple[int, ...]], ...] = (
    (_ROWS, (4, 3), (2, 1)),
    (_ELEMENTS, (3, 4), (5, 2)),
    (_ELEMENTS, (3, 4), (2,)),
    (_PATCHES, (3, 4), (3, 2)),
    (_ALONG, (2, 4), (2, 3, 1)),
    (_MIXED, (2, 3, 4), (3, 2)),
    (_ROWS, (4, 3), (0, 1)),
)


def _gather_samples() -> tuple[Sample[WindowParams], ...]:
    rows = tuple(Sample(_ROWS, (Tensor(d, (4, 3)), Tensor(I32, (2, 1))), (-1.0, 5.0)) for d in ALL)
    kinds = tuple(Sample(_ROWS, (Tensor(F32, (4, 3)), Tensor(d, (2, 1))), (0.0, 5.0)) for d in (U8, I64))
    shapes = tuple(Sample(p, (Tensor(F64, x), Tensor(I32, i)), (-1.0, 5.0)) for p, x, i in _SHAPES)
    promised = Sample(replace(_ROWS, in_bounds=True), (Tensor(F64, (4, 3)), Tensor(I32, (2, 1))), (0.0, 3.0))
    return (*rows, *kinds, *shapes, promised)


def _gather_sharding(params: WindowParams, types: tuple[Tensor, ...]) -> Factors:
    """Windows are independent of each other, and of axes that lie in them as a whole."""
    x, indices = types
    along = tuple(range(indices.rank - 1))
    return Factors((_operand_factors(params, x, along), (*along, None)), (_window_factors(params, x, along),))


def _operand_factors(params: WindowParams, x: Tensor, along: Sequence[int | None]) -> tuple[int | None, ...]:
    """The factors of an operand: those of index axes that run with its own, and those of the axes of windows."""
    paired = dict(zip(params.operand_batch_dims, params.index_batch_dims, strict=True))
    kept = [axis for axis in params.shown if params.slice_sizes[axis] == x.shape[axis]]
    found = {axis: along[c] for axis, c in paired.items()} | {axis: len(along) + axis for axis in kept}
    return tuple([found.get(axis) for axis in range(x.rank)])


def _window_factors(params: WindowParams, x: Tensor, along: Sequence[int | None]) -> tuple[int | None, ...]:
    """The factors of all windows together."""
    rows = _operand_factors(params, x, along)
    window, batch = iter([rows[axis] for axis in params.shown]), iter(along)
    rank = len(along) + len(params.offset_dims)
    return tuple([next(window if axis in params.offset_dims else batch) for axis in range(rank)])


def _gather_pad(
    b: Builder, params: WindowParams, types: tuple[Tensor, ...], xs: Atoms, lengths: Lengths
) -> tuple[Atom, ...]:
    """Windows that are moved into bounds are moved into those of a run."""
    (x, indices), made = xs, bounds().any(params)
    if not params.in_bounds and traced_axes(types[0]):
        tops = [lengths.length(max_(Size.of(top), Size.of(0))) for top in limits(params, types[0].shape)]
        rows = [reshape(b, convert(b, top, indices.type.dtype), (1,)) for top in tops]
        most = broadcast_in_dim(b, concatenate(b, rows, 0), indices.type.shape, (indices.type.rank - 1,))
        indices = minimum(b, maximum(b, indices, zeros(indices.type)), most)
    return (gather_if_any(b, made, x, indices),)


GATHER: Op[WindowParams] = Op(
    name="gather",
    params=WindowParams,
    doc="The windows of the operand that start at `indices`, which are moved into bounds if need be.",
    type_rule=_gather_type,
    evaluate=_gather_eval,
    jvp=_gather_jvp,
    transpose=_gather_transpose,
    batch=_gather_batch,
    sharding=_gather_sharding,
    samples=_gather_samples(),
    traits=MOVES,
    pad=_gather_pad,
)


# --- scatters ---------------------------------------------------------------------------------------------

Merge = Callable[[Array, tuple[Array, ...], Array], None]


def scatter_type(
    name: str, dtypes: Sequence[DType]
) -> Callable[[WindowParams, tuple[Tensor, ...]], tuple[Tensor, ...]]:
    """The type rule of a scatter named `name`, defined on `dtypes`.

    Inputs: x, indices[*batch, k], updates of the shape of the windows. Result: the type of x.
    """

    def rule(params: WindowParams, types: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
        check_arity(name, types, 3)
        x, indices, updates = types
        check_dtype(name, x.dtype, dtypes)
        expected = windows_type(name, params, x, indices)
        if updates != expected:
            raise fail(f"{name}: updates {updates} should be {expected}")
        return (x,)

    return rule


def scatter_eval(merge: Merge) -> Callable[..., Arrays]:
    """`merge(target, coordinates, values)` writes into the target, one value after the other."""

    def evaluate(params: WindowParams, types: tuple[Tensor, ...], x: Array, indices: Array, updates: Array) -> Arrays:
        starts, fits = _starts(params, x.shape, indices)
        values = wide(updates).transpose(_order(params, updates.ndim))
        places = tuple(c[fits] for c in _coordinates(params, starts))
        target = np.array(wide(x))
        with np.errstate(all="ignore"):
            merge(target, places, values[fits])
        return (as_type(target, types[0]),)

    return evaluate


def scatter_batch(
    op: Callable[[], Op[WindowParams]],
) -> Callable[[Builder, WindowParams, Atoms, Axes, int], Batched]:
    """The batching rule of a scatter; `op` returns the op itself."""

    def batch(b: Builder, params: WindowParams, xs: Atoms, axes: Axes, size: int) -> Batched:
        x, indices, updates = xs
        x, updates = at_axis(b, x, axes[0], size, 0), at_axis(b, updates, axes[2], size, 0)
        if size == 0:
            return (x,), (0,)
        if axes[1] is None:
            return op()(b, _with_window(params, size), x, indices, updates), (0,)
        return op()(b, _with_batch(params), x, at_axis(b, indices, axes[1], size, 0), updates), (0,)

    return batch


def scatter_sharding(params: WindowParams, types: tuple[Tensor, ...]) -> Factors:
    """Return the factors of `gather`, except that all windows may overlap unless they lie in different shards."""
    x, indices, _ = types
    along = [c if c in params.index_batch_dims else None for c in range(indices.rank - 1)]
    rows = _operand_factors(params, x, along)
    return Factors((rows, (*along, None), _window_factors(params, x, along)), (rows,))


def scatter_samples(dtypes: Sequence[DType], unique: bool = False) -> tuple[Sample[WindowParams], ...]:
    """Rows over the dtypes, and every arrangement of axes; starts out of bounds among them."""

    def sample(p: WindowParams, dtype: DType, shape: tuple[int, ...], index: tuple[int, ...]) -> Sample[Any]:
        x, indices = Tensor(dtype, shape), Tensor(I32, index)
        return Sample(p, (x, indices, windows_type("scatter", p, x, indices)), (-1.0, 4.0))

    rows = tuple(sample(_ROWS, d, (4, 3), (2, 1)) for d in dtypes)
    return (*rows, *(sample(p, F64, x, i) for p, x, i in _SHAPES))


def scatter_pad(op: Callable[[], Op[WindowParams]]) -> PadRule[WindowParams]:
    """Windows that are not there are dropped."""

    def pad(
        b: Builder, params: WindowParams, types: tuple[Tensor, ...], xs: Atoms, lengths: Lengths
    ) -> tuple[Atom, ...]:
        x, indices, updates = xs
        if traced_axes(types[1]):
            params = replace(params, unique=False, in_bounds=False)
            signed = convert(b, indices, I64) if indices.type.dtype in UNSIGNED else indices
            indices = lengths.filled(signed, types[1], -1)
        return op()(b, bounds().any(params), x, indices, updates)

    return pad


def gather_written(b: Builder, params: WindowParams, x: Atom, indices: Atom) -> Atom:
    """Return the elements to which a scatter with these params writes; zero for windows that it drops."""
    windows = GATHER(b, params, x, indices)[0]
    if params.in_bounds:
        return windows
    return select(b, fitting(b, params, x.type.shape, indices, windows.type), windows, zeros(windows.type))


def fitting(b: Builder, params: WindowParams, shape: Sequence[int], indices: Atom, windows: Tensor) -> Atom:
    """A bool for each element of the windows: whether a scatter keeps its window."""
    low = compare(b, "ge", indices, zeros(indices.type))
    high = compare(b, "le", indices, _spread_limits(b, params, shape, indices.type))
    both = select(b, low, high, zeros(low.type))
    fits = reduce_and(b, both, (indices.type.rank - 1,))
    batch = [a for a in range(windows.rank) if a not in params.offset_dims]
    return broadcast_in_dim(b, fits, windows.shape, batch)


def _add_jvp(b: Builder, params: WindowParams, xs: Atoms, ys: Atoms, ts: Tangents) -> Tangents:
    dx, _, du = ts
    if isinstance(du, Zero):
        return (dx,)
    return SCATTER_ADD(b, params, materialise(dx), xs[1], du)


def _add_transpose(b: Builder, params: WindowParams, xs: Operands, cts: Tangents) -> Cotangents:
    (ct,) = cts
    x, indices, updates = xs
    if isinstance(ct, Zero):
        return tuple(Zero(v.type) if is_linear(v) else None for v in xs)
    back = gather_written(b, params, ct, require_known(indices)) if is_linear(updates) else None
    return (ct if is_linear(x) else None, None, back)


_ADDED = tuple(d for d in ALL if d is not BOOL)
SCATTER_ADD: Op[WindowParams] = Op(
    name="scatter_add",
    params=WindowParams,
    doc="The operand with `updates` added to its windows at `indices`; those that do not fit are dropped.",
    type_rule=scatter_type("scatter_add", _ADDED),
    evaluate=scatter_eval(np.add.at),
    jvp=_add_jvp,
    transpose=_add_transpose,
    batch=scatter_batch(lambda: SCATTER_ADD),
    sharding=scatter_sharding,
    samples=scatter_samples(_ADDED),
    zero_rule=scattered,
    pad=scatter_pad(lambda: SCATTER_ADD),
)

INDEX: tuple[Op[WindowParams], ...] = (GATHER, SCATTER_ADD)


def gather_if_any(b: Builder, params: WindowParams, x: Atom, indices: Atom) -> Atom:
    """`gather`, also of arrays without elements: where no index is in bounds, zeros are taken in their place."""
    axes, windows = params.start_index_map, _windows_shape(params, indices.type.shape)
    if 0 in windows:
        return zeros(Tensor(x.type.dtype, windows))
    if 0 not in [x.type.shape[axis] for axis in axes]:
        return gather(b, params, x, indices)
    shape = [max(n, 1) if axis in axes else n for axis, n in enumerate(x.type.shape)]
    return gather(b, replace(params, in_bounds=False), zeros(Tensor(x.type.dtype, tuple(shape))), indices)


def gather(b: Builder, params: WindowParams, x: Atom, indices: Atom) -> Atom:
    """The windows of `x` at `indices`; indices[*batch, k] hold a place for each axis that is indexed."""
    return GATHER(b, params, x, indices)[0]


def scatter_add(b: Builder, params: WindowParams, x: Atom, indices: Atom, updates: Atom) -> Atom:
    """`x` with `updates` added at the windows that `indices` point to; repeated places add up."""
    return SCATTER_ADD(b, params, x, indices, updates)[0]
