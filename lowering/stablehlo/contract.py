"""Sums of products."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from msgspec import Struct

from dsl.ir.function import Equation, Tensor
from dsl.ops.contract import DotParams
from dsl.types.dtype import C64, F32, F64
from lowering.stablehlo.context import Context
from lowering.stablehlo.layout import emit_transpose, permuted
from lowering.stablehlo.types import format_list

SINGLE = frozenset({F32, C64})
"""Dtypes of which units for products of matrices keep fewer bits by default."""

COLUMNS, FAR_COLUMNS, NEAR = 64, 256, 1 << 18
"""Columns of a product of f64 from which on its left matrix is turned before; the second where that has more elements
than a cache holds. To turn an element takes a tenth of a nanosecond to ten, each product half the time."""


class Operand(Struct, frozen=True):
    """A value with its batch axes and those that are summed over."""

    name: str
    type: Tensor
    batch: tuple[int, ...]
    summed: tuple[int, ...]


def dot_general(cx: Context, params: DotParams, equation: Equation, operands: list[str]) -> Sequence[str]:
    x, y = equation.inputs
    left = _summed_last(
        cx, Operand(operands[0], x.type, params.lhs_batch, params.lhs_contract), equation.outputs[0].type
    )
    right = _batch_first(cx, Operand(operands[1], y.type, params.rhs_batch, params.rhs_contract), summed_last=False)
    batching = f"batching_dims = {format_list(left.batch)} x {format_list(right.batch)}, " if left.batch else ""
    precision = ", precision = [HIGHEST, HIGHEST]" if keeps_bits(cx, [left.type, right.type]) else ""
    text = (
        f"stablehlo.dot_general {left.name}, {right.name}, {batching}"
        f"contracting_dims = {format_list(left.summed)} x {format_list(right.summed)}{precision} : "
        f"({cx.type(left.type)}, {cx.type(right.type)}) -> {cx.type(equation.outputs[0].type)}"
    )
    return (cx.emit(text),)


def keeps_bits(cx: Context, operands: Sequence[Tensor]) -> bool:
    """Return whether products have to be asked for all bits of single precision: units for products of matrices, which
    a CPU does not have, round factors to fewer by default."""
    return not cx.is_for_cpu and not SINGLE.isdisjoint([operand.dtype for operand in operands])


def _summed_last(cx: Context, x: Operand, product: Tensor) -> Operand:
    """The left operand with its batch axes in front, and of f64 with the summed ones behind, where the product has
    columns enough: XLA has a library for such matrices, and leaves others of f64 to one that takes twice as long."""
    rows = [axis for axis in range(x.type.rank) if axis not in (*x.batch, *x.summed)]
    order = (*x.batch, *rows, *x.summed)
    columns = product.size * prod([x.type.shape[axis] for axis in x.summed]) // max(1, x.type.size)
    pays = columns >= (COLUMNS if x.type.size <= NEAR else FAR_COLUMNS)
    if not cx.is_for_cpu or x.type.dtype != F64 or not pays or order == tuple(range(x.type.rank)):
        return _batch_first(cx, x, summed_last=True)
    return _moved(cx, x, order)


def _batch_first(cx: Context, x: Operand, summed_last: bool) -> Operand:
    """`x` with its batch axes in front, if XLA has to turn its matrices too: their summed axes are the last ones of the
    left operand, and the first ones of the right. In one pass a CPU would step through all of `x` for each row."""
    rest = [axis for axis in range(x.type.rank) if axis not in x.batch]
    turned = sorted(rest, key=lambda axis: (axis in x.summed) == summed_last) != rest
    if not cx.is_for_cpu or not turned or x.batch == tuple(range(len(x.batch))):
        return x
    return _moved(cx, x, (*x.batch, *rest))


def _moved(cx: Context, x: Operand, order: Sequence[int]) -> Operand:
    """The axes in another order that begins with those of the batch, in a pass of its own."""
    moved, type = emit_transpose(cx, x.name, order, x.type), permuted(x.type, order)
    kept = cx.emit(f"stablehlo.optimization_barrier {moved} : {cx.type(type)}")
    return Operand(kept, type, tuple(range(len(x.batch))), tuple([order.index(axis) for axis in x.summed]))
