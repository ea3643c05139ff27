"""Positions of the first extremes along an axis. Read next: `reduce`, `keys`."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from dsl.ir.function import Equation, Tensor
from dsl.ops.search import ArgParams
from dsl.types.dtype import BOOL, F32, I32, I64, U32, DType
from lowering.stablehlo.context import Context, Rule
from lowering.stablehlo.control import emit_barrier
from lowering.stablehlo.elementwise import choice, comparison, emit_binary, emit_convert
from lowering.stablehlo.extent import emit_slice
from lowering.stablehlo.keys import HALF, LOWEST, positions, reversed_order, signed_order, with_places, with_positions
from lowering.stablehlo.layout import as_lines, emit_broadcast, emit_reshape
from lowering.stablehlo.reduce import emit_reduce, is_in_memory
from lowering.stablehlo.region import TRUTH, block, extreme, logic
from lowering.stablehlo.types import Scalar

ROUNDS = 25
"""The parts that a line is cut into, to compare these before single elements."""

ENOUGH = 1 << 8
"""The elements of a line from which that pays."""


def argument(direction: str, spelling: str, identity: Callable[[DType], Scalar]) -> Rule:
    """The position of the first extreme along an axis; nan counts as more extreme than any number.

    Reductions of numbers are vectorised along any axis, those of pairs are not. So a value and its position are put
    into one integer where that holds both, if need be after comparing parts of the lines. Of wide integers the extreme
    is found first, and then where it is. Wide floats are reduced in pairs: XLA may compute one twice, with other
    roundings, and then it would equal no extreme.
    """

    def rule(cx: Context, params: ArgParams, equation: Equation, operands: list[str]) -> Sequence[str]:
        source, target = equation.inputs[0].type, equation.outputs[0].type
        if _suits_rounds(cx, equation, params.axis):
            return (_by_rounds(cx, direction, operands[0], source, target, params.axis),)
        if source.dtype.bits <= HALF and source.dtype is not U32 and source.shape[params.axis] <= 1 << HALF:
            return (_by_key(cx, direction == "gt", operands[0], source, target, params.axis),)
        if source.dtype.is_float:
            return (_by_pair(cx, direction, identity(source.dtype), operands[0], source, target, params.axis),)
        return (_by_value(cx, spelling, identity(source.dtype), operands[0], source, target, params.axis),)

    return rule


def _suits_rounds(cx: Context, equation: Equation, axis: int) -> bool:
    """Return whether long lines of f32 are searched that are in memory: an operation of its own reads each part."""
    (x,), alone = equation.inputs, cx.is_for_cpu and not cx.module.mesh
    return alone and x.type.dtype is F32 and x.type.shape[axis] >= ENOUGH and is_in_memory(cx, x)


def _by_rounds(cx: Context, direction: str, x: str, source: Tensor, target: Tensor, axis: int) -> str:
    """The parts of each line against each other, element by element, which is vectorised; then what is left by key. The
    last parts may have elements in common: of these, too, the first position is found."""
    whole, number = as_lines(source, axis), target.dtype
    before, length, after = whole.shape
    width = -(-length // ROUNDS)
    part = Tensor(source.dtype, (before, width, after))
    counts, truth = Tensor(number, part.shape), Tensor(BOOL, part.shape)
    x = emit_reshape(cx, x, source, whole)
    best, places = "", ""
    for first in dict.fromkeys([min(k * width, length - width) for k in range(ROUNDS)]):
        ranges = [(0, before, 1), (first, first + width, 1), (0, after, 1)]
        other, start = emit_slice(cx, x, ranges, whole, part), cx.constant(first, counts)
        wins = _exceeds(cx, direction, other, best, part) if best else ""
        best = choice(cx, wins, other, best, truth, part) if best else other
        places = choice(cx, wins, start, places, truth, counts) if places else start
    counted = cx.emit(f"stablehlo.iota dim = 1 : {cx.type(counts)}")
    places = emit_binary(cx, "add", places, counted, counts)
    wide, found = Tensor(I64, part.shape), Tensor(number, (before, after))
    key = _key(cx, direction == "gt", best, part)
    both = with_places(cx, key, emit_convert(cx, places, counts, wide), part.shape)
    (kept,) = emit_barrier(cx, [both], [wide])
    return emit_reshape(cx, _place_of_least(cx, kept, wide, 1, found), found, target)


def _exceeds(cx: Context, direction: str, x: str, y: str, type: Tensor) -> str:
    """Return whether x is more extreme than y, nan the most: it is not the less extreme one, nor is y nan."""
    truth = Tensor(BOOL, type.shape)
    at_most = comparison(cx, "le" if direction == "gt" else "ge", x, y, type)
    more = cx.emit(f"stablehlo.not {at_most} : {cx.type(truth)}")
    return emit_binary(cx, "and", more, comparison(cx, "eq", y, y, type), truth)


def _by_key(cx: Context, descending: bool, x: str, source: Tensor, target: Tensor, axis: int) -> str:
    """The least of the integers `key << 32 | position`."""
    both = with_positions(cx, _key(cx, descending, x, source), source.shape, axis)
    return _place_of_least(cx, both, Tensor(I64, source.shape), axis, target)


def _place_of_least(cx: Context, both: str, type: Tensor, axis: int, target: Tensor) -> str:
    """The place of the least key along an axis, the first of equals."""
    found = Tensor(I64, target.shape)
    least = emit_reduce(cx, "minimum", (1 << 63) - 1, both, type, found, (axis,))
    return positions(cx, least, found, target)


def _key(cx: Context, descending: bool, x: str, source: Tensor) -> str:
    """Integers in the order of the values, or in the opposite one; that of nan is the least."""
    type = Tensor(I64, source.shape)
    key = signed_order(cx, x, source) if source.dtype.is_float else x
    key = emit_convert(cx, key, Tensor(I32, source.shape) if source.dtype.is_float else source, type)
    if descending:
        key = reversed_order(cx, key, source.shape)
    if not source.dtype.is_float:
        return key
    nan = comparison(cx, "ne", x, x, source)
    return choice(cx, nan, cx.constant(LOWEST, type), key, Tensor(BOOL, source.shape), type)


def _by_value(cx: Context, spelling: str, start: Scalar, x: str, source: Tensor, target: Tensor, axis: int) -> str:
    """The extreme first; then the first position of an element that is it."""
    values, positions = Tensor(source.dtype, target.shape), Tensor(target.dtype, source.shape)
    best = emit_reduce(cx, spelling, start, x, source, values, (axis,))
    dims = [a for a in range(source.rank) if a != axis]
    spread = emit_broadcast(cx, best, dims, values, source)
    found = comparison(cx, "eq", x, spread, source)
    places, last = cx.emit(f"stablehlo.iota dim = {axis} : {cx.type(positions)}"), source.shape[axis] - 1
    where = choice(cx, found, places, cx.constant(last, positions), Tensor(BOOL, source.shape), positions)
    return emit_reduce(cx, "minimum", last, where, positions, target, (axis,))


def _by_pair(cx: Context, direction: str, start: Scalar, x: str, source: Tensor, target: Tensor, axis: int) -> str:
    """The more extreme of two values with their positions; of equal ones the earlier."""
    positions, element, index = Tensor(target.dtype, source.shape), Tensor(source.dtype), Tensor(target.dtype)
    places = cx.emit(f"stablehlo.iota dim = {axis} : {cx.type(positions)}")
    inputs = f"{x}, {places}, {cx.constant(start, element)}, {cx.constant(0, index)}"
    types = ", ".join(map(cx.type, (source, positions, element, index)))
    results = ", ".join(map(cx.type, (Tensor(source.dtype, target.shape), target)))
    _, found = cx.emit_many(
        f'"stablehlo.reduce"({inputs}) <{{dimensions = array<i64: {axis}>}}> ({{\n'
        f"{_better(cx, direction, element, index)}\n}}) : ({types}) -> ({results})",
        2,
    )
    return found


def _better(cx: Context, direction: str, element: Tensor, index: Tensor) -> str:
    """The block that `_by_pair` reduces with."""
    inner = cx.child()
    x, i, y, j = names = [inner.fresh() for _ in range(4)]
    more, same = extreme(inner, direction, x, y, element)
    earlier = logic(inner, "and", same, comparison(inner, "lt", i, j, index))
    first = logic(inner, "or", more, earlier)
    best, place = choice(inner, first, x, y, TRUTH, element), choice(inner, first, i, j, TRUTH, index)
    end = f"stablehlo.return {best}, {place} : {inner.type(element)}, {inner.type(index)}"
    return block(inner, names, (element, index, element, index), end)
