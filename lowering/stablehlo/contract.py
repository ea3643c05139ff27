"""Sums of products."""

from __future__ import annotations

from collections.abc import Sequence

from dsl.ir.function import Equation
from dsl.ops.contract import DotParams
from lowering.stablehlo.context import Context
from lowering.stablehlo.types import format_list


def dot_general(cx: Context, params: DotParams, equation: Equation, operands: list[str]) -> Sequence[str]:
    x, y = equation.inputs
    batching = ""
    if params.lhs_batch:
        batching = f"batching_dims = {format_list(params.lhs_batch)} x {format_list(params.rhs_batch)}, "
    text = (
        f"stablehlo.dot_general {operands[0]}, {operands[1]}, {batching}"
        f"contracting_dims = {format_list(params.lhs_contract)} x {format_list(params.rhs_contract)} : "
        f"({cx.type(x.type)}, {cx.type(y.type)}) -> {cx.type(equation.outputs[0].type)}"
    )
    return (cx.emit(text),)
