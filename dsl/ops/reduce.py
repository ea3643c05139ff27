"""Reductions over axes: prod, max, min, and, or. The sum is in `layout`, argmax and argmin are in `search`.

The derivative of max and min goes to the elements that reach it, in equal shares. That of prod runs up a tree
of pairs (product, tangent), so a zero among the factors does no harm. Read next: `cumulative`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from dsl.ir.build import Builder
from dsl.ir.function import Atom, Tensor
from dsl.ir.op import Op, Zero
from dsl.ops.elementwise import Atoms, Tangents, add, compare, convert, mul, reciprocal, scale, select
from dsl.ops.extent import pad, slice_axis
from dsl.ops.factors import without_axes
from dsl.ops.layout import (
    AxesParams,
    batched_axes,
    broadcast_in_dim,
    reduce_sum,
    reduced_shape,
    reshape,
    transpose,
)
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
    over,
    splat,
    wide,
    zero_jvp,
    zeros,
)
from dsl.types.dtype import BOOL, COMPLEXES, FLOATS, INTEGERS, UNSIGNED, DType

_REAL = (*INTEGERS, *FLOATS)
_NUM = (*_REAL, *COMPLEXES)
_LOGIC = (BOOL, *INTEGERS)


def least(dtype: DType) -> float | int | bool:
    """Return the initial value of a max reduction: -inf, or the smallest integer."""
    if dtype.is_float:
        return float("-inf")
    return 0 if dtype in UNSIGNED else False if dtype.is_bool else -(2 ** (dtype.bits - 1))


def greatest(dtype: DType) -> float | int | bool:
    """Return the initial value of a min reduction: inf, or the largest integer."""
    if dtype.is_float:
        return float("inf")
    return dtype.is_bool or 2 ** (dtype.bits - (dtype not in UNSIGNED)) - 1


def _reduction(
    name: str,
    doc: str,
    compute: Callable[[Array, tuple[int, ...], DType], Any],
    dtypes: Sequence[DType],
    jvp: Callable[[Builder, AxesParams, Atoms, Atoms, Tangents], Tangents],
    neutral: Callable[[DType], bool | int | float],
) -> Op[AxesParams]:
    def type_rule(params: AxesParams, types: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
        check_arity(name, types, 1)
        (x,) = types
        check_axes(name, params.axes, x.rank)
        check_dtype(name, x.dtype, dtypes)
        return (Tensor(x.dtype, reduced_shape(x.shape, params.axes)),)

    def evaluate(params: AxesParams, types: tuple[Tensor, ...], x: Array) -> Arrays:
        (out,) = type_rule(params, types)
        with np.errstate(all="ignore"):
            return (as_type(compute(wide(x), params.axes, out.dtype), out),)

    def batch(b: Builder, params: AxesParams, xs: Atoms, axes: Axes, size: int) -> Batched:
        moved, axis = batched_axes(params.axes, axes[0])
        return op(b, AxesParams(moved), *xs), (axis,)

    op = Op(
        name=name,
        params=AxesParams,
        doc=doc,
        type_rule=type_rule,
        evaluate=evaluate,
        jvp=jvp,
        transpose=NOT_LINEAR,
        batch=batch,
        sharding=without_axes,
        samples=(
            *over(dtypes, (2, 3), params=AxesParams((1,))),
            *over(dtypes[-1:], (2, 3, 2), params=AxesParams((0, 2))),
            *over(dtypes[-1:], (5,), params=AxesParams((0,))),
            *over(dtypes[:1], (0, 2), params=AxesParams((0,))),
            *over(dtypes[:1], (2,), params=AxesParams(())),
        ),
        mask=lambda params, types: (neutral(types[0].dtype),),
    )
    return op


# --- max and min ------------------------------------------------------------------------------------------


def _extreme_jvp(b: Builder, params: AxesParams, xs: Atoms, ys: Atoms, ts: Tangents) -> Tangents:
    (x,), (y,), (t,) = xs, ys, ts
    if isinstance(t, Zero):
        return (Zero(y.type),)
    kept = [a for a in range(x.type.rank) if a not in params.axes]
    reached = compare(b, "eq", x, broadcast_in_dim(b, y, x.type.shape, kept))
    count = reduce_sum(b, convert(b, reached, x.type.dtype), params.axes)
    total = reduce_sum(b, select(b, reached, t, zeros(t.type)), params.axes)
    return (scale(b, total, reciprocal(b, count)),)


REDUCE_MAX = _reduction(
    "reduce_max",
    "The largest element over `axes`; nan if one is; -inf or the smallest integer of none.",
    lambda x, axes, dtype: np.max(x, axis=axes, initial=least(dtype)),
    _REAL,
    _extreme_jvp,
    least,
)
REDUCE_MIN = _reduction(
    "reduce_min",
    "The smallest element over `axes`; nan if one is; inf or the largest integer of none.",
    lambda x, axes, dtype: np.min(x, axis=axes, initial=greatest(dtype)),
    _REAL,
    _extreme_jvp,
    greatest,
)


# --- prod -------------------------------------------------------------------------------------------------


def _prod_jvp(b: Builder, params: AxesParams, xs: Atoms, ys: Atoms, ts: Tangents) -> Tangents:
    (x,), (y,), (t,) = xs, ys, ts
    if isinstance(t, Zero):
        return (Zero(y.type),)
    if not params.axes:
        return (t,)
    factors, tangents = _as_rows(b, x, params.axes), _as_rows(b, t, params.axes)
    while factors.type.shape[0] > 1:
        factors, tangents = _paired(b, factors, tangents)
    if factors.type.shape[0] == 0:
        return (Zero(y.type),)
    return (reshape(b, tangents, y.type.shape),)


def _as_rows(b: Builder, x: Atom, axes: Sequence[int]) -> Atom:
    """The reduced axes together as axis 0, the kept ones behind it."""
    kept = [a for a in range(x.type.rank) if a not in axes]
    front = transpose(b, x, (*axes, *kept))
    count = 1
    for a in axes:
        count *= x.type.shape[a]
    return reshape(b, front, (count, *[x.type.shape[a] for a in kept]))


def _paired(b: Builder, factors: Atom, tangents: Atom) -> tuple[Atom, Atom]:
    """Neighbouring rows multiplied: (p, dp) and (q, dq) give (p q, dp q + p dq). An odd row meets a 1."""
    rows = factors.type.shape[0]
    odd = [rows % 2, *[0] * (factors.type.rank - 1)]
    none = [0] * factors.type.rank
    factors = pad(b, factors, splat(1, Tensor(factors.type.dtype)), none, odd, none)
    tangents = pad(b, tangents, zeros(Tensor(tangents.type.dtype)), none, odd, none)
    half = (rows + 1) // 2
    p, q = (slice_axis(b, factors, 0, k * half, (k + 1) * half) for k in (0, 1))
    dp, dq = (slice_axis(b, tangents, 0, k * half, (k + 1) * half) for k in (0, 1))
    return mul(b, p, q), add(b, scale(b, dp, q), scale(b, dq, p))


REDUCE_PROD = _reduction(
    "reduce_prod",
    "The product over `axes`; 1 of none. Integers wrap.",
    lambda x, axes, dtype: np.prod(x, axis=axes, dtype=x.dtype),
    _NUM,
    _prod_jvp,
    lambda dtype: 1,
)

REDUCE_AND = _reduction(
    "reduce_and",
    "All of the elements over `axes`, bit by bit; all ones of none.",
    lambda x, axes, dtype: np.bitwise_and.reduce(x, axis=axes),
    _LOGIC,
    zero_jvp,
    lambda dtype: dtype.is_bool or (-1 if dtype not in UNSIGNED else 2**dtype.bits - 1),
)
REDUCE_OR = _reduction(
    "reduce_or",
    "Any of the elements over `axes`, bit by bit; zero of none.",
    lambda x, axes, dtype: np.bitwise_or.reduce(x, axis=axes),
    _LOGIC,
    zero_jvp,
    lambda dtype: 0,
)


REDUCE: tuple[Op[Any], ...] = (REDUCE_PROD, REDUCE_MAX, REDUCE_MIN, REDUCE_AND, REDUCE_OR)


def reduce_max(b: Builder, x: Atom, axes: Sequence[int]) -> Atom:
    """The largest element over `axes`; the least value of the dtype where there is none."""
    return REDUCE_MAX(b, AxesParams(tuple(axes)), x)[0]


def reduce_min(b: Builder, x: Atom, axes: Sequence[int]) -> Atom:
    """The smallest element over `axes`; the largest value of the dtype where there is none."""
    return REDUCE_MIN(b, AxesParams(tuple(axes)), x)[0]


def reduce_prod(b: Builder, x: Atom, axes: Sequence[int]) -> Atom:
    """The product over `axes`."""
    return REDUCE_PROD(b, AxesParams(tuple(axes)), x)[0]


def reduce_and(b: Builder, x: Atom, axes: Sequence[int]) -> Atom:
    """Return true if all bools over `axes` are true."""
    return REDUCE_AND(b, AxesParams(tuple(axes)), x)[0]


def reduce_or(b: Builder, x: Atom, axes: Sequence[int]) -> Atom:
    """Return true if any bool over `axes` is true."""
    return REDUCE_OR(b, AxesParams(tuple(axes)), x)[0]
