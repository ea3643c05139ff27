"""Running reductions along an axis: cumsum, cumprod, cummax; with `reverse` from the back.

cumsum is linear. The derivatives of the others combine neighbours, scan half as many, and fill in the places between
(Blelloch, Prefix sums and their applications, 1990): 2n combinations in 2 log2(n) steps, each linear in the tangents.
Among equal maxima the tangent is shared equally.
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
from dsl.ops.extent import by_turns, concatenate, slice_axis
from dsl.ops.factors import except_axes
from dsl.ops.layout import rev
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


def _scanned(b: Builder, params: RunningParams, values: tuple[Atom, ...], combine: Combine) -> tuple[Atom, ...]:
    """The running combination of `values`."""
    if not params.reverse:
        return _from_front(b, params.axis, values, combine)
    turned = tuple([rev(b, v, (params.axis,)) for v in values])
    return tuple([rev(b, v, (params.axis,)) for v in _from_front(b, params.axis, turned, combine)])


def _from_front(b: Builder, axis: int, values: tuple[Atom, ...], combine: Combine) -> tuple[Atom, ...]:
    """The results at odd places are those of neighbours combined; one more element makes the next."""
    n = values[0].type.shape[axis]
    if n < 2:
        return values

    def part(of: tuple[Atom, ...], start: int, stop: int, step: int) -> tuple[Atom, ...]:
        return tuple([slice_axis(b, v, axis, start, stop, step) for v in of])

    odd = _from_front(b, axis, combine(b, part(values, 0, n - 1, 2), part(values, 1, n, 2)), combine)
    first, later = part(values, 0, 1, 1), part(values, 2, n, 2)
    count = (n - 1) // 2
    even = combine(b, part(odd, 0, count, 1), later) if count else later
    fronts = [concatenate(b, pair, axis) for pair in zip(first, even, strict=True)]
    return tuple([by_turns(b, front, o, axis) for front, o in zip(fronts, odd, strict=True)])


def _product(b: Builder, left: tuple[Atom, ...], right: tuple[Atom, ...]) -> tuple[Atom, ...]:
    (p, dp), (q, dq) = left, right
    return mul(b, p, q), add(b, scale(b, dp, q), scale(b, dq, p))


def _cumprod_jvp(b: Builder, params: RunningParams, xs: Atoms, ys: Atoms, ts: Tangents) -> Tangents:
    (x,), (t,) = xs, ts
    if isinstance(t, Zero):
        return (t,)
    return (_scanned(b, params, (x, t), _product)[1],)


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
    _, count, total = _scanned(b, params, (x, splat(1, x.type), t), _larger)
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
