"""The Threefry-2x32 cipher of 20 rounds, written out: about a hundred operations that become one loop."""

from __future__ import annotations

from collections.abc import Sequence

from dsl.ir.function import Equation
from dsl.ir.op import NoParams
from dsl.ops.random import PARITY, ROTATIONS
from lowering.stablehlo.context import Context


def threefry2x32(cx: Context, params: NoParams, equation: Equation, operands: list[str]) -> Sequence[str]:
    type = equation.outputs[0].type
    text = cx.type(type)

    def op(spelling: str, x: str, y: str) -> str:
        return cx.emit(f"stablehlo.{spelling} {x}, {y} : {text}")

    def number(value: int) -> str:
        return cx.constant(value, type)

    first, second, x, y = operands
    keys = (first, second, op("xor", op("xor", first, second), number(PARITY)))
    x, y = op("add", x, keys[0]), op("add", y, keys[1])
    for group in range(5):
        for count in ROTATIONS[group % 2]:
            x = op("add", x, y)
            high, low = op("shift_left", y, number(count)), op("shift_right_logical", y, number(32 - count))
            y = op("xor", op("or", high, low), x)
        x = op("add", x, keys[(group + 1) % 3])
        y = op("add", op("add", y, keys[(group + 2) % 3]), number(group + 1))
    return x, y
