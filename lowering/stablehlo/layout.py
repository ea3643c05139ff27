"""Moving elements without computing, and their sum, the adjoint of a broadcast."""

from __future__ import annotations

from collections.abc import Sequence

from dsl.ir.function import Equation
from dsl.ops.layout import AxesParams, BroadcastParams, PermutationParams, ShapeParams
from lowering.stablehlo.context import Context
from lowering.stablehlo.types import format_list


def broadcast_in_dim(cx: Context, params: BroadcastParams, equation: Equation, operands: list[str]) -> Sequence[str]:
    source, target = cx.type(equation.inputs[0].type), cx.type(equation.outputs[0].type)
    dims = format_list(params.dims)
    return (cx.emit(f"stablehlo.broadcast_in_dim {operands[0]}, dims = {dims} : ({source}) -> {target}"),)


def reshape(cx: Context, params: ShapeParams, equation: Equation, operands: list[str]) -> Sequence[str]:
    source, target = cx.type(equation.inputs[0].type), cx.type(equation.outputs[0].type)
    return (cx.emit(f"stablehlo.reshape {operands[0]} : ({source}) -> {target}"),)


def transpose(cx: Context, params: PermutationParams, equation: Equation, operands: list[str]) -> Sequence[str]:
    source, target = cx.type(equation.inputs[0].type), cx.type(equation.outputs[0].type)
    order = format_list(params.permutation)
    return (cx.emit(f"stablehlo.transpose {operands[0]}, dims = {order} : ({source}) -> {target}"),)


def rev(cx: Context, params: AxesParams, equation: Equation, operands: list[str]) -> Sequence[str]:
    type, axes = cx.type(equation.outputs[0].type), format_list(params.axes)
    return (cx.emit(f"stablehlo.reverse {operands[0]}, dims = {axes} : {type}"),)
