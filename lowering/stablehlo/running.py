"""Running reductions on CPUs: sums, products and extremes up to each element.

One loop goes along the axis, over some lines side by side. XLA makes one function of it, and each step is a few vectors
that lie in registers or in the nearest cache. A long line alone is cut into blocks that are such lines; what comes
before each of them is added at the end. Read next: `reduce`, which has the windows of other platforms.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from dsl.ir.function import Equation, Tensor
from dsl.ops.cumulative import RunningParams
from dsl.ops.extent import PadParams
from dsl.types.dtype import F32, I64, DType
from lowering.stablehlo.context import Context, Rule
from lowering.stablehlo.control import loop
from lowering.stablehlo.elementwise import choice, comparison, emit_binary, emit_convert, emit_extreme
from lowering.stablehlo.extent import emit_pad, emit_replaced, emit_slice
from lowering.stablehlo.layout import as_lines, emit_broadcast, emit_reshape
from lowering.stablehlo.reduce import running
from lowering.stablehlo.region import TRUTH, logic
from lowering.stablehlo.types import Scalar, format_list

ENOUGH = 256
"""The elements from which a loop pays."""

LANES = 8
"""Lines side by side, at least: so many lie in the nearest cache even if they are powers of two apart."""

NEAR = 1 << 12
"""Elements of lines that lie behind each other and are gone through side by side, at most."""

WIDE = 1 << 10
"""Elements of a step, at most: what has been added up stays in the nearest cache."""

LONG, BLOCK = 1 << 9, 1 << 11
"""A line of more elements is cut if there are fewer lines than lanes; the elements of a block, about."""


def in_lanes(spelling: str, identity: Callable[[DType], Scalar]) -> Rule:
    """A running reduction by one associative operation."""
    window = running(spelling, identity)

    def rule(cx: Context, params: RunningParams, equation: Equation, operands: list[str]) -> Sequence[str]:
        type = equation.outputs[0].type
        if cx.module.mesh or type.size < ENOUGH:
            return window(cx, params, equation, operands)
        wide = Tensor(F32, type.shape) if type.dtype.is_float and type.dtype.bits < F32.bits else type
        x = emit_convert(cx, operands[0], type, wide)
        found = Running(cx, spelling, identity(wide.dtype), params.reverse).along(x, wide, params.axis)
        return (emit_convert(cx, found, wide, type),)

    return rule


@dataclass(frozen=True)
class Running:
    """The operation, what it begins with, and whether it goes from the end."""

    cx: Context
    spelling: str
    start: Scalar
    reverse: bool

    def along(self, x: str, type: Tensor, axis: int) -> str:
        lines = as_lines(type, axis)
        found = self._lines(emit_reshape(self.cx, x, type, lines), lines)
        return emit_reshape(self.cx, found, lines, type)

    def _lines(self, x: str, lines: Tensor) -> str:
        before, length, after = lines.shape
        if before * after >= LANES or length <= LONG:
            return _Loop(self, x, lines).result()
        count = _blocks(length)
        whole = Tensor(lines.dtype, (before, -(-length // count) * count, after))
        blocks = Tensor(lines.dtype, (before, count, whole.shape[1] // count, after))
        found = self._blocks(emit_reshape(self.cx, self._filled(x, lines, whole), whole, blocks), blocks)
        found = emit_reshape(self.cx, found, blocks, whole)
        first = whole.shape[1] - length if self.reverse else 0
        ranges = [(0, before, 1), (first, first + length, 1), (0, after, 1)]
        return found if whole == lines else emit_slice(self.cx, found, ranges, whole, lines)

    def _filled(self, x: str, lines: Tensor, whole: Tensor) -> str:
        """The lines, filled up with the identity to the length of all blocks."""
        return x if whole == lines else self._padded(x, lines, whole, 1, whole.shape[1] - lines.shape[1])

    def _padded(self, x: str, source: Tensor, target: Tensor, axis: int, behind: int) -> str:
        """Add so many elements behind an axis, in its direction; remove some where the number is negative."""
        ahead = target.shape[axis] - source.shape[axis] - behind
        first, last = (behind, ahead) if self.reverse else (ahead, behind)
        low, high = [tuple([some if a == axis else 0 for a in range(source.rank)]) for some in (first, last)]
        fill = self.cx.constant(self.start, Tensor(source.dtype))
        params = PadParams(low, high, (0,) * source.rank)
        return emit_pad(self.cx, x, fill, params, source, target)

    def _blocks(self, x: str, blocks: Tensor) -> str:
        """Each block by itself, then combined with the total of all blocks before it."""
        cx, (before, count, length, after) = self.cx, blocks.shape
        apart = Tensor(blocks.dtype, (before * count, length, after))
        found = _Loop(self, emit_reshape(cx, x, blocks, apart), apart).result()
        found = emit_reshape(cx, found, apart, blocks)
        end, ends = (0 if self.reverse else length - 1), Tensor(blocks.dtype, (before, count, 1, after))
        ranges = [(0, before, 1), (0, count, 1), (end, end + 1, 1), (0, after, 1)]
        sums = Tensor(blocks.dtype, (before, count, after))
        total = emit_reshape(cx, emit_slice(cx, found, ranges, blocks, ends), ends, sums)
        ahead = self._padded(self._lines(total, sums), sums, sums, 1, -1)
        return self.combined(cx, emit_broadcast(cx, ahead, (0, 1, 3), sums, blocks), found, blocks)

    def combined(self, cx: Context, a: str, b: str, type: Tensor) -> str:
        emit = emit_extreme if self.spelling == "maximum" else emit_binary
        return emit(cx, self.spelling, a, b, type)


def _blocks(length: int) -> int:
    """The number of blocks that a line is cut into: a divisor, if there is one among some."""
    least = max(LANES, length // BLOCK)
    return next((count for count in range(least, 2 * least) if length % count == 0), least)


class _Loop:
    """The loop over lines [before, length, after]: a window of some lines goes along them, then the next one.

    The last windows begin where they still fit: what they have in common with those before is computed again.
    """

    def __init__(self, running: Running, x: str, lines: Tensor) -> None:
        before, length, after = lines.shape
        self.running, self.x, self.lines = running, x, lines
        side = max(-(-LANES // after), NEAR // (length * after), 1)
        self.step = Tensor(lines.dtype, (min(before, side), 1, min(after, WIDE)))

    def result(self) -> str:
        cx, index = self.running.cx, Tensor(I64)
        zero = cx.constant(0, index)
        start = [zero, zero, zero, *[cx.constant(self.running.start, type) for type in (self.step, self.lines)]]
        types = [index, index, index, self.step, self.lines]
        return loop(cx, False, start, types, self._is_open, self._next)[-1]

    def _is_open(self, cx: Context, names: list[str]) -> Sequence[str]:
        index = Tensor(I64)
        return (comparison(cx, "lt", names[0], cx.constant(self.lines.shape[0], index), index),)

    def _next(self, cx: Context, names: list[str]) -> Sequence[str]:
        row, column, place, total, found = names
        index = Tensor(I64)
        zero = cx.constant(0, index)
        is_first = comparison(cx, "eq", place, zero, index)
        total = choice(cx, is_first, cx.constant(self.running.start, self.step), total, TRUTH, self.step)
        at = self._from_end(cx, place) if self.running.reverse else place
        where = [row, at, column]
        whole, part, places = cx.type(self.lines), cx.type(self.step), ", ".join([cx.type(index)] * 3)
        x = cx.emit(
            f"stablehlo.dynamic_slice {self.x}, {', '.join(where)}, sizes = {format_list(self.step.shape)} : "
            f"({whole}, {places}) -> {part}"
        )
        total = self.running.combined(cx, total, x, self.step)
        found = emit_replaced(cx, found, total, where, self.lines, self.step, index)
        return [*self._advanced(cx, row, column, place), total, found]

    def _from_end(self, cx: Context, place: str) -> str:
        index = Tensor(I64)
        return emit_binary(cx, "subtract", cx.constant(self.lines.shape[1] - 1, index), place, index)

    def _advanced(self, cx: Context, row: str, column: str, place: str) -> list[str]:
        """The place after this one; that of the next window after the last of this."""
        (_, length, after), (side, _, width), index = self.lines.shape, self.step.shape, Tensor(I64)
        place, is_end = _counted(cx, place, 1, length)
        if width < after:
            ahead, is_last = _counted(cx, column, width, after)
            column, is_end = choice(cx, is_end, ahead, column, TRUTH, index), logic(cx, "and", is_end, is_last)
        below = emit_binary(cx, "add", row, cx.constant(side, index), index)
        return [choice(cx, is_end, below, row, TRUTH, index), column, place]


def _counted(cx: Context, count: str, step: int, end: int) -> tuple[str, str]:
    """A count after a step, from 0 again at the end; and whether it is there."""
    index = Tensor(I64)
    ahead = emit_binary(cx, "add", count, cx.constant(step, index), index)
    is_over = comparison(cx, "ge", ahead, cx.constant(end, index), index)
    return choice(cx, is_over, cx.constant(0, index), ahead, TRUTH, index), is_over
