"""Sums of products: dot_general."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import prod
from typing import cast

import numpy as np

from dsl.ir.build import Builder
from dsl.ir.function import Atom, Equation, Tensor
from dsl.ir.op import Factors, Linear, Op, Sample, Tangent, Zero
from dsl.ir.region import Facts
from dsl.ir.sizes import is_traced
from dsl.ir.traits import Traits
from dsl.ops.elementwise import compare, convert, select, sum_tangents
from dsl.ops.layout import at_axis, broadcast_in_dim, transpose
from dsl.ops.reduce import reduce_or
from dsl.ops.rule_helpers import (
    Array,
    Arrays,
    Axes,
    Batched,
    as_type,
    check_arity,
    check_axes,
    fail,
    is_linear,
    require_known,
    wide,
    zeros,
)
from dsl.ops.zero_flow import CHOSEN, WILD
from dsl.records import replace
from dsl.types.dtype import BF16, C64, COMPLEXES, F32, FLOATS, INTEGERS, DType


@dataclass(frozen=True, slots=True)
class DotParams:
    """Which axes are summed over, which run along, and the dtype of the result.

    Axes of the result: the batch axes, the free ones of the left operand, the free ones of the right. In a sum that
    `absorbs`, as those of derivatives do, a zero times an infinity or nan is zero: see `elementwise`.
    """

    lhs_contract: tuple[int, ...]
    rhs_contract: tuple[int, ...]
    lhs_batch: tuple[int, ...]
    rhs_batch: tuple[int, ...]
    dtype: DType
    absorbs: bool = field(default=False, repr=False)


def _free(rank: int, *taken: Sequence[int]) -> list[int]:
    used = {a for axes in taken for a in axes}
    return [a for a in range(rank) if a not in used]


def _dot_type(params: DotParams, types: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
    check_arity("dot_general", types, 2)
    x, y = types
    if x.dtype != y.dtype:
        raise fail(f"dot_general: operands {x} and {y} differ in dtype")
    if x.dtype.kind is not params.dtype.kind:
        raise fail(f"dot_general: {x.dtype} cannot be summed in {params.dtype}")
    check_axes("dot_general", (*params.lhs_contract, *params.lhs_batch), x.rank)
    check_axes("dot_general", (*params.rhs_contract, *params.rhs_batch), y.rank)
    left, right = (*params.lhs_contract, *params.lhs_batch), (*params.rhs_contract, *params.rhs_batch)
    if len(params.lhs_batch) != len(params.rhs_batch) or [x.shape[a] for a in left] != [y.shape[a] for a in right]:
        raise fail(f"dot_general: axes {left} of {x} do not meet axes {right} of {y}")
    batch = [x.shape[a] for a in params.lhs_batch]
    rows = [x.shape[a] for a in _free(x.rank, left)]
    columns = [y.shape[a] for a in _free(y.rank, right)]
    return (Tensor(params.dtype, (*batch, *rows, *columns)),)


def _dot_eval(params: DotParams, types: tuple[Tensor, ...], x: Array, y: Array) -> Arrays:
    (out,) = _dot_type(params, types)
    names = iter(range(x.ndim + y.ndim))
    left = [next(names) for _ in range(x.ndim)]
    right = [next(names) for _ in range(y.ndim)]
    pairs = [*zip(params.lhs_contract, params.rhs_contract, strict=True)]
    pairs += [*zip(params.lhs_batch, params.rhs_batch, strict=True)]
    for a, c in pairs:
        right[c] = left[a]
    kept = [left[a] for a in params.lhs_batch]
    kept += [left[a] for a in _free(x.ndim, params.lhs_contract, params.lhs_batch)]
    kept += [right[a] for a in _free(y.ndim, params.rhs_contract, params.rhs_batch)]
    x, y = (wide(v.astype(params.dtype.numpy)) for v in (x, y))

    def sum_of(x: Array, y: Array) -> Array:
        return np.asarray(np.einsum(x, left, y, right, kept))

    with np.errstate(all="ignore"):
        total = sum_of(x, y)
        if params.absorbs and not (np.isfinite(x).all() and np.isfinite(y).all()):
            met = sum_of(_some(x), _wild(y)) + sum_of(_wild(x), _some(y))
            total = np.where(met > 0, total, sum_of(np.where(_wild(x), 0, x), np.where(_wild(y), 0, y)))
        return (as_type(total, out),)


def _some(x: Array) -> Array:
    """1 where x is not 0."""
    return np.asarray(x != 0).astype(np.int64)


def _wild(x: Array) -> Array:
    """1 where x is infinite or nan."""
    return np.asarray(~np.isfinite(x)).astype(np.int64)


def _dot_jvp(
    b: Builder, params: DotParams, xs: tuple[Atom, ...], ys: tuple[Atom, ...], ts: tuple[Tangent, ...]
) -> tuple[Tangent, ...]:
    (x, y), (dx, dy), out = xs, ts, ys[0].type
    params = replace(params, absorbs=True)
    left: Tangent = Zero(out) if isinstance(dx, Zero) else DOT_GENERAL(b, params, dx, y)[0]
    right: Tangent = Zero(out) if isinstance(dy, Zero) else DOT_GENERAL(b, params, x, dy)[0]
    return (sum_tangents(b, (left, right)),)


def _dot_transpose(
    b: Builder, params: DotParams, xs: tuple[Atom | Linear, ...], cts: tuple[Tangent, ...]
) -> tuple[Tangent | None, ...]:
    (ct,) = cts
    x, y = xs
    if isinstance(ct, Zero):
        return tuple(Zero(v.type) if is_linear(v) else None for v in xs)
    if is_linear(x):
        return (_cotangent(b, params, x.type, require_known(y), ct, own_first=True), None)
    return (None, _cotangent(b, _turned(params), y.type, require_known(x), ct, own_first=False))


def _turned(params: DotParams) -> DotParams:
    """Return the contraction with its operands swapped."""
    p = params
    return DotParams(p.rhs_contract, p.lhs_contract, p.rhs_batch, p.lhs_batch, p.dtype, p.absorbs)


def _cotangent(b: Builder, params: DotParams, type: Tensor, other: Atom, ct: Atom, own_first: bool) -> Atom:
    """Return the cotangent of the left operand of `params`: sum over the free axes of the other operand.

    `ct` has the batch axes first, then those of this operand if `own_first`, else those of the other.
    """
    count = len(params.lhs_batch)
    own = _free(type.rank, params.lhs_contract, params.lhs_batch)
    theirs = _free(other.type.rank, params.rhs_contract, params.rhs_batch)
    first = count + len(own) * own_first
    summed = tuple(range(first, first + len(theirs)))
    dims = DotParams(summed, tuple(theirs), tuple(range(count)), params.rhs_batch, params.dtype, True)
    matched = [params.lhs_contract[i] for i in np.argsort(params.rhs_contract)]
    return _laid_out(b, dims, ct, convert(b, other, params.dtype), (params.lhs_batch, own, matched), type)


def _laid_out(b: Builder, dims: DotParams, x: Atom, y: Atom, axes: tuple[Sequence[int], ...], type: Tensor) -> Atom:
    """The sums with their batch, left and right axes as those of `type` that `axes` tells.

    The operands stand in the order that spares a transposition, if one does.
    """
    batch, left, right = axes
    straight, crossed = [*batch, *left, *right], [*batch, *right, *left]
    if sorted(straight) != straight and sorted(crossed) == crossed:
        return convert(b, DOT_GENERAL(b, _turned(dims), y, x)[0], type.dtype)
    back = [int(a) for a in np.argsort(straight)]
    return convert(b, transpose(b, DOT_GENERAL(b, dims, x, y)[0], back), type.dtype)


def _dot_batch(b: Builder, params: DotParams, xs: tuple[Atom, ...], axes: Axes, size: int) -> Batched:
    x, y = xs
    left, right = axes
    if left is not None and right is not None:
        x, y = at_axis(b, x, left, size, 0), at_axis(b, y, right, size, 0)
        whole = DotParams(
            _shifted(params.lhs_contract, 0),
            _shifted(params.rhs_contract, 0),
            (0, *_shifted(params.lhs_batch, 0)),
            (0, *_shifted(params.rhs_batch, 0)),
            params.dtype,
            params.absorbs,
        )
        return DOT_GENERAL(b, whole, x, y), (0,)
    return _dot_batch_one(b, params, x, y, left, right)


def _dot_batch_one(b: Builder, params: DotParams, x: Atom, y: Atom, left: int | None, right: int | None) -> Batched:
    """One operand is batched: the new axis is one more free axis of it, as far in front as it can be."""
    count = len(params.lhs_batch)
    if left is None:
        assert right is not None
        contract, batch = _shifted(params.rhs_contract, right), _shifted(params.rhs_batch, right)
        dims = replace(params, rhs_contract=contract, rhs_batch=batch)
        columns, rows = _free(y.type.rank, contract, batch), len(_free(x.type.rank, dims.lhs_contract, dims.lhs_batch))
        if rows and columns == [right]:
            return DOT_GENERAL(b, _turned(dims), y, x), (count,)
        return DOT_GENERAL(b, dims, x, y), (count + rows + columns.index(right),)
    contract, batch = _shifted(params.lhs_contract, left), _shifted(params.lhs_batch, left)
    dims = replace(params, lhs_contract=contract, lhs_batch=batch)
    return DOT_GENERAL(b, dims, x, y), (count + _free(x.type.rank, contract, batch).index(left),)


def _shifted(axes: Sequence[int], batch: int) -> tuple[int, ...]:
    return tuple(a + (a >= batch) for a in axes)


def _dot_sharding(params: DotParams, types: tuple[Tensor, ...]) -> Factors:
    x, y = types
    left, right = list(range(x.rank)), list(range(x.rank, x.rank + y.rank))
    for a, c in zip((*params.lhs_contract, *params.lhs_batch), (*params.rhs_contract, *params.rhs_batch), strict=True):
        right[c] = left[a]
    kept = [left[a] for a in (*params.lhs_batch, *_free(x.rank, params.lhs_contract, params.lhs_batch))]
    kept += [right[a] for a in _free(y.rank, params.rhs_contract, params.rhs_batch)]
    return Factors((tuple(left), tuple(right)), (tuple(kept),))


def _matmul(dtype: DType) -> DotParams:
    return DotParams((1,), (0,), (), (), dtype)


def _weaken(b: Builder, equation: Equation, known: Facts) -> bool:
    """Of sums, only what a choice has left out counts: to guard those of every loop would cost too much."""
    (x, y), (of_x, of_y) = equation.inputs, known
    left, right = bool(of_x & CHOSEN and of_y & WILD), bool(of_y & CHOSEN and of_x & WILD)
    masked_product(b, cast(DotParams, equation.params), x, y, left, right)
    return True


def _dot_flops(params: DotParams, inputs: tuple[Tensor, ...], outputs: tuple[Tensor, ...]) -> int:
    """A product and a sum for each term."""
    return 2 * outputs[0].size * prod([inputs[0].shape[axis] for axis in params.lhs_contract])


DOT_GENERAL = Op(
    name="dot_general",
    params=DotParams,
    doc="Sum of products over the contracted axes; batch axes come first in the result, then the free ones.",
    type_rule=_dot_type,
    evaluate=_dot_eval,
    jvp=_dot_jvp,
    transpose=_dot_transpose,
    batch=_dot_batch,
    sharding=_dot_sharding,
    mask=lambda params, types: (0, 0),
    samples=(
        *(Sample(_matmul(d), (Tensor(d, (2, 3)), Tensor(d, (3, 4)))) for d in (*INTEGERS, *FLOATS, *COMPLEXES)),
        Sample(_matmul(F32), (Tensor(BF16, (2, 3)), Tensor(BF16, (3, 2)))),
        Sample(DotParams((0,), (0,), (), (), F32), (Tensor(F32, (3,)), Tensor(F32, (3,)))),
        Sample(DotParams((), (), (), (), F32), (Tensor(F32, (2,)), Tensor(F32, (3,)))),
        Sample(DotParams((2, 0), (0, 3), (1,), (2,), F32), (Tensor(F32, (2, 3, 4)), Tensor(F32, (4, 2, 3, 2)))),
        Sample(DotParams((1,), (2,), (0,), (0,), C64), (Tensor(C64, (2, 3)), Tensor(C64, (2, 2, 3)))),
        Sample(_matmul(F32), (Tensor(F32, (2, 0)), Tensor(F32, (0, 2)))),
    ),
    traits=Traits(multilinear=(0, 1)),
    weaken=_weaken,
    flops=_dot_flops,
)


def dot_general(
    b: Builder,
    x: Atom,
    y: Atom,
    contract: tuple[Sequence[int], Sequence[int]],
    batch: tuple[Sequence[int], Sequence[int]] = ((), ()),
    dtype: DType | None = None,
) -> Atom:
    """Products summed over the `contract` axes of both, for each index of the `batch` axes of both.

    The result has the batch axes, then the other axes of `x`, then those of `y`; dtype `dtype`, else that of `x`.
    Raises IRTypeError where sizes of paired axes differ.
    """
    params = DotParams(tuple(contract[0]), tuple(contract[1]), tuple(batch[0]), tuple(batch[1]), dtype or x.type.dtype)
    return DOT_GENERAL(b, params, x, y)[0]


def before_transpose(params: DotParams, side: int, order: Sequence[int]) -> DotParams | None:
    """Return the contraction with operand `side` as it was before the transposition `order`; None if its free axes are
    permuted."""
    if side == 1:
        found = before_transpose(_turned(params), 0, order)
        return None if found is None else _turned(found)
    free = [order[a] for a in _free(len(order), params.lhs_contract, params.lhs_batch)]
    contract, batch = (tuple([order[a] for a in axes]) for axes in (params.lhs_contract, params.lhs_batch))
    return replace(params, lhs_contract=contract, lhs_batch=batch) if free == sorted(free) else None


def masked_product(b: Builder, params: DotParams, x: Atom, y: Atom, left: bool, right: bool) -> Atom:
    """The plain `dot_general`, of y without what only zeros of x meet if `left`, of x likewise if `right`.

    That makes up for a sum that does not absorb: an infinity or nan of one operand of a product makes every result
    that it goes into one, so that a choice which leaves it out has left out all of these.
    """
    pairs = [
        *zip(params.lhs_contract, params.rhs_contract, strict=True),
        *zip(params.lhs_batch, params.rhs_batch, strict=True),
    ]
    kept_y = _without_unmet(b, y, x, [(r, c) for c, r in pairs]) if left else y
    kept_x = _without_unmet(b, x, y, pairs) if right else x
    return DOT_GENERAL(b, replace(params, absorbs=False), kept_x, kept_y)[0]


def _without_unmet(b: Builder, x: Atom, other: Atom, pairs: Sequence[tuple[int, int]]) -> Atom:
    """x, and zero where its axes that are paired with axes of `other` meet nothing but zeros there."""
    ordered = sorted(pairs)
    met = reduce_or(
        b,
        compare(b, "ne", other, zeros(other.type)),
        _free(other.type.rank, [theirs for _, theirs in ordered]),
    )
    places = [theirs for _, theirs in ordered]
    met = transpose(b, met, [sorted(places).index(place) for place in places])
    return select(b, broadcast_in_dim(b, met, x.type.shape, [own for own, _ in ordered]), x, zeros(x.type))


CONTRACT = (DOT_GENERAL,)


def matrix_product(equation: Equation) -> DotParams | None:
    """Return the params of a product of an array of more than two axes and a matrix, once the leading axes of the array
    are one; None for all other equations. A size that a run decides is no axis of these."""
    if equation.op is not DOT_GENERAL:
        return None
    params = cast(DotParams, equation.params)
    x, y = (operand.type for operand in equation.inputs)
    if x.rank <= 2 or y.rank != 2 or params.lhs_batch or params.lhs_contract != (x.rank - 1,):
        return None
    return None if any(map(is_traced, (*x.shape, *y.shape))) else replace(params, lhs_contract=(1,))
