"""Special functions, most of which the compiler expands where they enter XLA."""

from __future__ import annotations

import math
from collections.abc import Sequence

from dsl.ir.function import Equation
from dsl.ops.special import OrderParams
from lowering.stablehlo.context import Context


def polygamma(cx: Context, params: OrderParams, equation: Equation, operands: list[str]) -> Sequence[str]:
    """digamma; above it (-1)^(n+1) n! zeta(n + 1, x)."""
    type, (x,) = equation.outputs[0].type, operands
    text, order = cx.type(type), params.order
    if order == 0:
        return (cx.emit(f"chlo.digamma {x} : {text} -> {text}"),)
    zeta = cx.emit(f"chlo.zeta {cx.constant(order + 1, type)}, {x} : {text}, {text} -> {text}")
    factor = math.factorial(order) * (1 if order % 2 else -1)
    return (cx.emit(f"stablehlo.multiply {cx.constant(factor, type)}, {zeta} : {text}"),)
