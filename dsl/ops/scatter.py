"""Scatters that are not linear additions: scatter_set, scatter_mul, scatter_min, scatter_max.

Where windows meet, `set` leaves one of the values, the others combine all. The derivatives allow for that:
set asks which update won, min and max share among those that reach the result, mul divides out its factor.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from dsl.ir.build import Builder
from dsl.ir.function import Atom, Tensor
from dsl.ir.op import Op, Zero
from dsl.ir.traits import MOVES
from dsl.ops.elementwise import (
    Atoms,
    Cotangents,
    Operands,
    Tangents,
    add,
    compare,
    convert,
    div,
    reciprocal,
    scale,
    select,
)
from dsl.ops.extent import iota
from dsl.ops.index import (
    Merge,
    WindowParams,
    gather,
    gather_written,
    scatter_add,
    scatter_batch,
    scatter_eval,
    scatter_pad,
    scatter_samples,
    scatter_sharding,
    scatter_type,
)
from dsl.ops.layout import broadcast_in_dim, reshape
from dsl.ops.rule_helpers import NOT_LINEAR, is_linear, materialise, require_known, splat, zeros
from dsl.types.dtype import ALL, COMPLEXES, FLOATS, I32, INTEGERS

# --- set --------------------------------------------------------------------------------------------------


def _write(target: Any, places: Any, values: Any) -> None:
    target[places] = values


def _winners(b: Builder, params: WindowParams, x: Tensor, indices: Atom, updates: Tensor) -> tuple[Atom, Atom]:
    """Which operand elements stay, and which update elements are the ones written."""
    batch = [a for a in range(updates.rank) if a not in params.offset_dims]
    shape = [updates.shape[a] for a in batch]
    count = Tensor(I32, tuple(shape)).size
    numbers = add(b, reshape(b, iota(b, I32, (count,), 0), shape), splat(1, Tensor(I32, tuple(shape))))
    names = broadcast_in_dim(b, numbers, updates.shape, batch)
    nobody = zeros(Tensor(I32, x.shape))
    owner = SCATTER_SET(b, params, nobody, indices, names)[0]
    kept = compare(b, "eq", owner, nobody)
    return kept, compare(b, "eq", gather(b, params, owner, indices), names)


def _set_jvp(b: Builder, params: WindowParams, xs: Atoms, ys: Atoms, ts: Tangents) -> Tangents:
    x, indices, updates = xs
    dx, _, du = ts
    if isinstance(dx, Zero) and isinstance(du, Zero):
        return (Zero(x.type),)
    dx, du = materialise(dx), materialise(du)
    if params.unique:
        return SCATTER_SET(b, params, dx, indices, du)
    kept, won = _winners(b, params, x.type, indices, updates.type)
    rest = select(b, kept, dx, zeros(dx.type))
    return (scatter_add(b, params, rest, indices, select(b, won, du, zeros(du.type))),)


def _set_transpose(b: Builder, params: WindowParams, xs: Operands, cts: Tangents) -> Cotangents:
    (ct,) = cts
    x, indices, updates = xs
    if isinstance(ct, Zero):
        return tuple(Zero(v.type) if is_linear(v) else None for v in xs)
    places = require_known(indices)
    rest = SCATTER_SET(b, params, ct, places, zeros(updates.type))[0] if is_linear(x) else None
    if not is_linear(updates):
        return (rest, None, None)
    back = gather_written(b, params, ct, places)
    if not params.unique:
        _, won = _winners(b, params, x.type, places, updates.type)
        back = select(b, won, back, zeros(back.type))
    return (rest, None, back)


SCATTER_SET: Op[WindowParams] = Op(
    name="scatter_set",
    params=WindowParams,
    doc="The operand with `updates` in place of the windows at `indices`; one of them where windows meet.",
    type_rule=scatter_type("scatter_set", ALL),
    evaluate=scatter_eval(_write),
    jvp=_set_jvp,
    transpose=_set_transpose,
    batch=scatter_batch(lambda: SCATTER_SET),
    sharding=scatter_sharding,
    samples=scatter_samples(ALL),
    pad=scatter_pad(lambda: SCATTER_SET),
    traits=MOVES,
)


# --- mul, min, max ----------------------------------------------------------------------------------------


def _combining(
    name: str,
    doc: str,
    merge: Merge,
    dtypes: tuple[Any, ...],
    jvp: Callable[[Builder, WindowParams, Atoms, Atoms, Tangents], Tangents],
) -> Op[WindowParams]:
    op = Op(
        name=name,
        params=WindowParams,
        doc=doc,
        type_rule=scatter_type(name, dtypes),
        evaluate=scatter_eval(merge),
        jvp=jvp,
        transpose=NOT_LINEAR,
        batch=scatter_batch(lambda: op),
        sharding=scatter_sharding,
        samples=scatter_samples(dtypes),
        pad=scatter_pad(lambda: op),
    )
    return op


def _mul_jvp(b: Builder, params: WindowParams, xs: Atoms, ys: Atoms, ts: Tangents) -> Tangents:
    x, indices, updates = xs
    dx, _, du = ts
    total = Zero(x.type) if isinstance(dx, Zero) else scale(b, dx, _factors(b, params, x.type, indices, updates))
    if isinstance(du, Zero):
        return (total,)
    others = _others(b, params, x, indices, updates)
    return (scatter_add(b, params, materialise(total), indices, scale(b, du, others)),)


def _factors(b: Builder, params: WindowParams, x: Tensor, indices: Atom, updates: Atom) -> Atom:
    return SCATTER_MUL(b, params, splat(1, x), indices, updates)[0]


def _others(b: Builder, params: WindowParams, x: Atom, indices: Atom, updates: Atom) -> Atom:
    """For each update the product of all that it meets, itself left out.

    Zeros are counted and left out of the product, so that dividing out a factor never divides by zero.
    """
    zero, one = zeros(updates.type), splat(1, updates.type)
    is_zero = compare(b, "eq", updates, zero)
    product = SCATTER_MUL(b, params, x, indices, select(b, is_zero, one, updates))[0]
    none = zeros(x.type)
    count = scatter_add(b, params, none, indices, convert(b, is_zero, updates.type.dtype))
    met, zeros_met = gather(b, params, product, indices), gather(b, params, count, indices)
    alone = select(b, compare(b, "eq", zeros_met, one), met, zero)
    among = select(b, compare(b, "eq", zeros_met, zero), div(b, met, updates), zero)
    return select(b, is_zero, alone, among)


def _extreme_jvp(b: Builder, params: WindowParams, xs: Atoms, ys: Atoms, ts: Tangents) -> Tangents:
    """Equal shares among the operand element and the updates that reach the result."""
    (x, indices, updates), (y,), (dx, _, du) = xs, ys, ts
    if isinstance(dx, Zero) and isinstance(du, Zero):
        return (Zero(y.type),)
    dtype = x.type.dtype
    stayed = compare(b, "eq", x, y)
    reached = compare(b, "eq", updates, gather(b, params, y, indices))
    count = scatter_add(b, params, convert(b, stayed, dtype), indices, convert(b, reached, dtype))
    dx, du = materialise(dx), materialise(du)
    kept = select(b, stayed, dx, zeros(dx.type))
    total = scatter_add(b, params, kept, indices, select(b, reached, du, zeros(du.type)))
    return (scale(b, total, reciprocal(b, count)),)


_REAL = (*INTEGERS, *FLOATS)
SCATTER_MUL: Op[WindowParams] = _combining(
    "scatter_mul",
    "The operand with the windows at `indices` multiplied by `updates`.",
    np.multiply.at,
    (*_REAL, *COMPLEXES),
    _mul_jvp,
)
SCATTER_MIN = _combining(
    "scatter_min",
    "The smaller of the windows at `indices` and `updates`, elementwise.",
    np.minimum.at,
    _REAL,
    _extreme_jvp,
)
SCATTER_MAX = _combining(
    "scatter_max",
    "The larger of the windows at `indices` and `updates`, elementwise.",
    np.maximum.at,
    _REAL,
    _extreme_jvp,
)

SCATTER: tuple[Op[WindowParams], ...] = (SCATTER_SET, SCATTER_MUL, SCATTER_MIN, SCATTER_MAX)


def scatter_set(b: Builder, params: WindowParams, x: Atom, indices: Atom, updates: Atom) -> Atom:
    """`x` with `updates` written at the windows that `indices` point to; of repeated places the last one counts."""
    return SCATTER_SET(b, params, x, indices, updates)[0]
