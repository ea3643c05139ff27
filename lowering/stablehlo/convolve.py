"""Convolutions, in the one layout that the op has."""

from __future__ import annotations

from collections.abc import Sequence

from dsl.ir.function import Equation
from dsl.ops.convolve import ConvParams
from lowering.stablehlo.context import Context
from lowering.stablehlo.types import integers


def conv_general(cx: Context, params: ConvParams, equation: Equation, operands: list[str]) -> Sequence[str]:
    image, kernel = equation.inputs
    space = "".join([f", {axis}" for axis in range(len(params.strides))])
    pads = [list(pair) for pair in zip(params.low, params.high, strict=True)]
    padding = f"dense<{pads}> : tensor<{len(pads)}x2xi64>" if pads else "dense<> : tensor<0x2xi64>"
    text = (
        f'"stablehlo.convolution"({operands[0]}, {operands[1]}) <{{batch_group_count = 1 : i64, '
        f"feature_group_count = {params.groups} : i64, "
        f"dimension_numbers = #stablehlo.conv<[b, f{space}]x[o, i{space}]->[b, f{space}]>, "
        f"window_strides = {integers(params.strides)}, padding = {padding}, "
        f"lhs_dilation = {integers(params.image_dilation)}, "
        f"rhs_dilation = {integers(params.kernel_dilation)}}}> : "
        f"({cx.type(image.type)}, {cx.type(kernel.type)}) -> {cx.type(equation.outputs[0].type)}"
    )
    return (cx.emit(text),)
