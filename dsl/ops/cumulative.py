"""Running reductions along an axis: cumsum, cumprod, cummax; with `reverse` from the back.

cumsum is linear. The derivatives of the others combine neighbouring stretches that double in length (Hillis
and Steele, Data parallel algorithms, 1986), log2(n) steps, each linear in the tangents; among equal maxima
the tangent is shared equally.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from msgspec import Struct

from dsl.ir.build import Builder
from dsl.ir.function import Atom, Tensor
from dsl.ir.op import Op, Zero
from dsl.ops.elementwise import Atoms, Tangents, add, compare, mul, reciprocal, scale, select
from dsl.ops.extent import pad
from dsl.ops.factors import except_axes
from dsl.ops.reduce import least
from dsl.ops.rule_helpers import (
    NOT_LINEAR,
    Array,
    Arrays,
    Axes,
    Batched,
    as_type,
    check_arity,
    check_axes,
    check_dtype,
    linear_map,
    over,
    splat,
    wide,
    zeros,
)
from dsl.types.dtype import COMPLEXES, F64, FLOATS, INTEGERS, DType

_REAL = (*INTEGERS, *FLOATS)
_NUM = (*_REAL, *COMPLEXES)


class RunningParams(Struct, frozen=True):
    """A running combination along `axis`, from its end if `reverse`."""

    axis: int
    reverse: bool


def _typed(name: str, dtypes: Sequence[DType]) -> Callable[[RunningParams, tuple[Tensor, ...]], tuple[Tensor, ...]]:
    def rule(params: RunningParams, types: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
        check_arity(name, types, 1)
        check_axes(name, (params.axis,), types[0].rank)
        check_dtype(name, types[0].dtype, dtypes)
        return types

    return rule


def _accumulated(function: np.ufunc) -> Callable[..., Arrays]:
    def evaluate(params: RunningParams, types: tuple[Tensor, ...], x: Array) -> Arrays:
        line = np.flip(wide(x), params.axis) if params.reverse else wide(x)
        with np.errstate(all="ignore"):
            done = function.accumulate(line, params.axis, dtype=line.dtype)
        return (as_type(np.flip(done, params.axis) if params.reverse else done, types[0]),)

    return evaluate


def _moved(params: RunningParams, axis: int | None) -> RunningParams:
    assert axis is not None
    return RunningParams(params.axis + (params.axis >= axis), params.reverse)


def _samples(dtypes: Sequence[DType]) -> tuple[Any, ...]:
    return (
        *over(dtypes, (2, 4), params=RunningParams(1, False)),
        *over((F64,), (5, 2), params=RunningParams(0, True)),
        *over((F64,), (0,), params=RunningParams(0, False)),
        *over((F64,), (1,), params=RunningParams(0, False)),
    )


CUMSUM: Op[RunningParams] = linear_map(
    name="cumsum",
    params=RunningParams,
    doc="Sums of the elements up to each one along `axis`.",
    type_rule=_typed("cumsum", _NUM),
    evaluate=_accumulated(np.add),
    adjoint=lambda b, params, type, ct: cumsum(b, ct, params.axis, not params.reverse),
    batch=lambda b, params, xs, axes, size: (CUMSUM(b, _moved(params, axes[0]), *xs), axes),
    sharding=except_axes(lambda params: (params.axis,)),
    samples=_samples(_NUM),
    mask=lambda params, types: (0,),
)

Combine = Callable[[Builder, tuple[Atom, ...], tuple[Atom, ...]], tuple[Atom, ...]]


def _doubling(
    b: Builder, params: RunningParams, values: tuple[Atom, ...], empty: tuple[Atom, ...], combine: Combine
) -> tuple[Atom, ...]:
    """The running combination of `values`; `empty` are the scalars that stand before the first element."""
    n = values[0].type.shape[params.axis]
    step = 1
    while step < n:
        before = tuple(_delayed(b, v, e, params, step) for v, e in zip(values, empty, strict=True))
        values = combine(b, before, values)
        step *= 2
    return values


def _delayed(b: Builder, x: Atom, fill: Atom, params: RunningParams, step: int) -> Atom:
    none = [0] * x.type.rank
    ahead, behind = list(none), list(none)
    ahead[params.axis], behind[params.axis] = (-step, step) if params.reverse else (step, -step)
    return pad(b, x, fill, ahead, behind, none)


def _product(b: Builder, left: tuple[Atom, ...], right: tuple[Atom, ...]) -> tuple[Atom, ...]:
    (p, dp), (q, dq) = left, right
    return mul(b, p, q), add(b, scale(b, dp, q), scale(b, dq, p))


def _cumprod_jvp(b: Builder, params: RunningParams, xs: Atoms, ys: Atoms, ts: Tangents) -> Tangents:
    (x,), (t,) = xs, ts
    if isinstance(t, Zero):
        return (t,)
    scalar = Tensor(x.type.dtype)
    return (_doubling(b, params, (x, t), (splat(1, scalar), zeros(scalar)), _product)[1],)


def _larger(b: Builder, left: tuple[Atom, ...], right: tuple[Atom, ...]) -> tuple[Atom, ...]:
    """(value, number of elements that reach it, sum of their tangents) of two stretches."""
    (x, n, t), (y, m, s) = left, right
    first, tied = compare(b, "gt", x, y), compare(b, "eq", x, y)
    value = select(b, first, x, y)
    count = select(b, tied, add(b, n, m), select(b, first, n, m))
    return value, count, select(b, tied, add(b, t, s), select(b, first, t, s))


def _cummax_jvp(b: Builder, params: RunningParams, xs: Atoms, ys: Atoms, ts: Tangents) -> Tangents:
    (x,), (t,) = xs, ts
    if isinstance(t, Zero):
        return (t,)
    scalar = Tensor(x.type.dtype)
    empty = (splat(least(x.type.dtype), scalar), zeros(scalar), zeros(scalar))
    _, count, total = _doubling(b, params, (x, splat(1, x.type), t), empty, _larger)
    return (scale(b, total, reciprocal(b, count)),)


def _running(
    name: str,
    doc: str,
    function: np.ufunc,
    dtypes: Sequence[DType],
    jvp: Callable[[Builder, RunningParams, Atoms, Atoms, Tangents], Tangents],
    neutral: Callable[[DType], bool | int | float],
) -> Op[RunningParams]:
    def batch(b: Builder, params: RunningParams, xs: Atoms, axes: Axes, size: int) -> Batched:
        return op(b, _moved(params, axes[0]), *xs), axes

    op = Op(
        name=name,
        params=RunningParams,
        doc=doc,
        type_rule=_typed(name, dtypes),
        evaluate=_accumulated(function),
        jvp=jvp,
        transpose=NOT_LINEAR,
        batch=batch,
        sharding=except_axes(lambda params: (params.axis,)),
        samples=_samples(dtypes),
        mask=lambda params, types: (neutral(types[0].dtype),),
    )
    return op


CUMPROD = _running(
    "cumprod", "Products of the elements up to each one along `axis`.", np.multiply, _NUM, _cumprod_jvp, lambda dtype: 1
)
CUMMAX = _running(
    "cummax", "The largest of the elements up to each one along `axis`.", np.maximum, _REAL, _cummax_jvp, least
)

CUMULATIVE: tuple[Op[RunningParams], ...] = (CUMSUM, CUMPROD, CUMMAX)


def cumsum(b: Builder, x: Atom, axis: int, reverse: bool = False) -> Atom:
    """The sums of the elements up to each along `axis`; of the type of `x`."""
    return CUMSUM(b, RunningParams(axis, reverse), x)[0]
