"""Sums of products."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations_with_replacement, pairwise
from math import prod

from msgspec import Struct

from dsl.ir.function import Equation, Tensor
from dsl.ops.contract import DotParams
from dsl.types.dtype import C64, F32, F64, I32
from lowering.stablehlo.context import Context
from lowering.stablehlo.control import emit_barrier
from lowering.stablehlo.extent import emit_replaced, emit_slice
from lowering.stablehlo.kept import kept_in_parts
from lowering.stablehlo.layout import emit_transpose, permuted
from lowering.stablehlo.types import format_list

SINGLE = frozenset({F32, C64})
"""Dtypes of which units for products of matrices keep fewer bits by default."""

COLUMNS, FAR_COLUMNS, NEAR = 64, 256, 1 << 18
"""Columns of a product of f64 from which on its left matrix is turned before; the second where that has more elements
than a cache holds. To turn an element takes a tenth of a nanosecond to ten, each product half the time."""

LEAST, BROAD = (1 << 30, 1 << 32), 1600
"""Bytes that the products of a symmetric product would take, from which it is computed in two blocks of rows, and in
three; and bytes of a row and of a column of the matrix from which the copies that this takes pay."""


class Operand(Struct, frozen=True):
    """A value with its batch axes and those that are summed over."""

    name: str
    type: Tensor
    batch: tuple[int, ...]
    summed: tuple[int, ...]


def dot_general(cx: Context, params: DotParams, equation: Equation, operands: list[str]) -> Sequence[str]:
    (x, y), product = equation.inputs, equation.outputs[0].type
    left = Operand(operands[0], x.type, params.lhs_batch, params.lhs_contract)
    right = Operand(operands[1], y.type, params.rhs_batch, params.rhs_contract)
    count = _blocks(cx, left, product) if left == right else 1
    if count > 1:
        kept = Operand(kept_in_parts(cx, x), left.type, left.batch, left.summed)
        return (_symmetric(cx, kept, product, count),)
    left, right = _summed_last(cx, left, product), _batch_first(cx, right, summed_last=False)
    return (_emit_product(cx, left, right, product),)


def _emit_product(cx: Context, left: Operand, right: Operand, product: Tensor) -> str:
    batching = f"batching_dims = {format_list(left.batch)} x {format_list(right.batch)}, " if left.batch else ""
    precision = ", precision = [HIGHEST, HIGHEST]" if keeps_bits(cx, [left.type, right.type]) else ""
    return cx.emit(
        f"stablehlo.dot_general {left.name}, {right.name}, {batching}"
        f"contracting_dims = {format_list(left.summed)} x {format_list(right.summed)}{precision} : "
        f"({cx.type(left.type)}, {cx.type(right.type)}) -> {cx.type(product)}"
    )


def _blocks(cx: Context, x: Operand, product: Tensor) -> int:
    """Return into how many blocks of rows `x` is cut for its product with itself; 1 if the whole costs less."""
    alone, free = cx.is_for_cpu and not cx.module.mesh, x.type.rank - len(x.batch) - len(x.summed)
    if not alone or x.type.dtype not in (F32, F64) or product.dtype != x.type.dtype or free != 1:
        return 1
    rows, summed, each = product.shape[-1], prod([x.type.shape[axis] for axis in x.summed]), product.dtype.bits // 8
    if min(rows, summed) * each < BROAD:
        return 1
    return 1 + sum([rows * rows * summed * each >= least for least in LEAST])


def _symmetric(cx: Context, x: Operand, product: Tensor, count: int) -> str:
    """The product of a matrix and its transpose, written block by block, so that few blocks exist at a time. Blocks
    above the diagonal are those below it, turned in passes of their own."""
    *around, rows, _ = product.shape
    row, column = product.rank - 2, product.rank - 1
    swapped, index = (*range(row), column, row), Tensor(I32)
    cuts = [rows * k // count for k in range(count + 1)]
    blocks = [_summed_last(cx, _rows(cx, x, window), product) for window in pairwise(cuts)]
    whole, starts = cx.constant(0, product), [cx.constant(cut, index) for cut in cuts[:-1]]
    first = [starts[0]] * row
    for i, j in combinations_with_replacement(range(count), 2):
        lower = Tensor(product.dtype, (*around, cuts[j + 1] - cuts[j], cuts[i + 1] - cuts[i]))
        block = _emit_product(cx, blocks[j], blocks[i], lower)
        whole = emit_replaced(cx, whole, block, [*first, starts[j], starts[i]], product, lower, index)
        if i < j:
            upper = permuted(lower, swapped)
            (turned,) = emit_barrier(cx, [emit_transpose(cx, block, swapped, lower)], [upper])
            whole = emit_replaced(cx, whole, turned, [*first, starts[i], starts[j]], product, upper, index)
    return whole


def _rows(cx: Context, x: Operand, window: tuple[int, int]) -> Operand:
    """Some of the rows of an operand: parts of the axis that is neither summed over nor one of the batch."""
    axes, whole = range(x.type.rank), x.type.shape
    ranges = [(0, whole[axis]) if axis in (*x.batch, *x.summed) else window for axis in axes]
    part = Tensor(x.type.dtype, tuple([limit - start for start, limit in ranges]))
    name = emit_slice(cx, x.name, [(start, limit, 1) for start, limit in ranges], x.type, part)
    return Operand(name, part, x.batch, x.summed)


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
