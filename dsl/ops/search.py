"""The first position of an extreme element along an axis: argmax and argmin. Read next: `sort`."""

from __future__ import annotations

from collections.abc import Callable
from math import isqrt
from typing import Any, cast

import numpy as np
from msgspec import Struct

from dsl.ir.build import Builder
from dsl.ir.function import Atom, Equation, Tensor
from dsl.ir.op import Factors, Op, Sample
from dsl.ir.sizes import is_traced
from dsl.ops.elementwise import Atoms, add, mul
from dsl.ops.extent import pad
from dsl.ops.index import WindowParams, gather
from dsl.ops.layout import AxesParams, batched_axes, reduced_shape, reshape
from dsl.ops.reduce import REDUCE_MAX, REDUCE_MIN, greatest, least
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
    fail,
    over,
    splat,
    wide,
    zero_jvp,
)
from dsl.types.dtype import BOOL, F32, F64, FLOATS, I32, I64, INTEGERS, DType

_REAL = (*INTEGERS, *FLOATS)

BLOCKS, LONG = range(32, 129), 256
"""Elements of a block, and of an axis that is searched in blocks: best are as many blocks as a block has elements."""


class ArgParams(Struct, frozen=True):
    """The axis that is searched and the dtype of the positions."""

    axis: int
    dtype: DType


def _arg_sharding(params: ArgParams, types: tuple[Tensor, ...]) -> Factors:
    axes = range(types[0].rank)
    rest = tuple([a for a in axes if a != params.axis])
    return Factors((tuple([None if a == params.axis else a for a in axes]),), (rest,))


def _in_blocks(b: Builder, equation: Equation, extreme: Op[AxesParams], last: bool | int | float) -> Atoms | None:
    """Search a long axis of f64 in blocks: for the extremes of all, then in the first block that has it.

    To compare elements with their positions takes ten times as long as to compare elements alone. Only of shorter
    elements one integer holds both.
    """
    (x,), params = equation.inputs, cast("ArgParams", equation.params)
    axis, shape = params.axis, x.type.shape
    if x.type.dtype is not F64 or any(map(is_traced, shape)) or shape[axis] < LONG:
        return None
    root = isqrt(shape[axis])
    size = min([n for n in BLOCKS if shape[axis] % n == 0], key=lambda n: abs(n - root), default=BLOCKS[-1])
    blocks, rank = -(-shape[axis] // size), x.type.rank
    high = [blocks * size - shape[axis] if a == axis else 0 for a in range(rank)]
    whole = pad(b, x, splat(last, Tensor(x.type.dtype)), [0] * rank, high, [0] * rank)
    pieces = reshape(b, whole, (*shape[:axis], blocks, size, *shape[axis + 1 :]))
    (best,) = extreme(b, AxesParams((axis + 1,)), pieces)
    (number,) = b.emit(equation.op, params, (best,))
    (place,) = b.emit(equation.op, params, (_block(b, pieces, number, axis),))
    return (add(b, mul(b, number, splat(size, number.type)), place),)


def _block(b: Builder, pieces: Atom, number: Atom, axis: int) -> Atom:
    """Return the block with this number of each line: `axis` numbers the blocks, the next one their elements."""
    lines = tuple([a for a in range(pieces.type.rank) if a not in (axis, axis + 1)])
    params = WindowParams(
        offset_dims=(axis,),
        collapsed_dims=(axis,),
        operand_batch_dims=lines,
        index_batch_dims=tuple(range(len(lines))),
        start_index_map=(axis,),
        slice_sizes=tuple([n if a == axis + 1 else 1 for a, n in enumerate(pieces.type.shape)]),
        in_bounds=True,
        unique=True,
    )
    return gather(b, params, pieces, reshape(b, number, (*number.type.shape, 1)))


def _arg(
    name: str,
    doc: str,
    search: Callable[[Array, int], Any],
    extreme: Op[AxesParams],
    last: Callable[[DType], bool | int | float],
) -> Op[ArgParams]:
    def type_rule(params: ArgParams, types: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
        check_arity(name, types, 1)
        (x,) = types
        check_axes(name, (params.axis,), x.rank)
        check_dtype(name, x.dtype, (*_REAL, BOOL))
        check_dtype(name, params.dtype, INTEGERS)
        if x.shape[params.axis] == 0:
            raise fail(f"{name}: axis {params.axis} of {x} is empty")
        return (Tensor(params.dtype, reduced_shape(x.shape, (params.axis,))),)

    def evaluate(params: ArgParams, types: tuple[Tensor, ...], x: Array) -> Arrays:
        return (as_type(search(wide(x), params.axis), type_rule(params, types)[0]),)

    def batch(b: Builder, params: ArgParams, xs: Atoms, axes: Axes, size: int) -> Batched:
        (moved,), axis = batched_axes((params.axis,), axes[0])
        return op(b, ArgParams(moved, params.dtype), *xs), (axis,)

    op: Op[ArgParams] = Op(
        name=name,
        params=ArgParams,
        doc=doc,
        type_rule=type_rule,
        evaluate=evaluate,
        jvp=zero_jvp,
        transpose=NOT_LINEAR,
        batch=batch,
        sharding=_arg_sharding,
        samples=(
            *over((*_REAL, BOOL), (3, 4), params=ArgParams(1, I32)),
            *over((F32,), (2, 3, 2), params=ArgParams(0, I64)),
            Sample(ArgParams(0, I32), (Tensor(F32, (1,)),)),
        ),
        mask=lambda params, types: (last(types[0].dtype),),
        expand=lambda b, equation, batch: _in_blocks(b, equation, extreme, last(F64)),
    )
    return op


ARGMAX = _arg(
    "argmax",
    "The first position of the largest element along `axis`, or of the first nan.",
    np.argmax,
    REDUCE_MAX,
    least,
)
ARGMIN = _arg(
    "argmin",
    "The first position of the smallest element along `axis`, or of the first nan.",
    np.argmin,
    REDUCE_MIN,
    greatest,
)

SEARCH: tuple[Op[Any], ...] = (ARGMAX, ARGMIN)


def argmax(b: Builder, x: Atom, axis: int, dtype: DType = I32) -> Atom:
    """The index of the largest element along `axis`, the first of equals, as integers of `dtype`."""
    return ARGMAX(b, ArgParams(axis, dtype), x)[0]


def argmin(b: Builder, x: Atom, axis: int, dtype: DType = I32) -> Atom:
    """The index of the smallest element along `axis`, the first of equals, as integers of `dtype`."""
    return ARGMIN(b, ArgParams(axis, dtype), x)[0]
