"""Parts of arrays, arrays with something around them, arrays joined and made."""

from __future__ import annotations

from collections.abc import Sequence

from dsl.ir.function import Equation, Tensor
from dsl.ops.extent import AxisParams, ConstantParams, IotaParams, PadParams, SliceParams
from lowering.stablehlo.context import Context
from lowering.stablehlo.types import dense, format_list


def slice(cx: Context, params: SliceParams, equation: Equation, operands: list[str]) -> Sequence[str]:
    source, target = cx.type(equation.inputs[0].type), cx.type(equation.outputs[0].type)
    places = zip(params.starts, params.limits, params.strides, strict=True)
    ranges = ", ".join([f"{start}:{limit}:{stride}" for start, limit, stride in places])
    return (cx.emit(f"stablehlo.slice {operands[0]} [{ranges}] : ({source}) -> {target}"),)


def pad(cx: Context, params: PadParams, equation: Equation, operands: list[str]) -> Sequence[str]:
    """Padding, and then a slice of it where padding is negative: XLA's code generators know none that is."""
    (x, fill), target = equation.inputs, equation.outputs[0].type
    cut = [(max(-low, 0), max(-high, 0)) for low, high in zip(params.low, params.high, strict=True)]
    whole = Tensor(target.dtype, tuple([n + a + b for n, (a, b) in zip(target.shape, cut, strict=True)]))
    low, high = [tuple([max(n, 0) for n in side]) for side in (params.low, params.high)]
    padded = cx.emit(
        f"stablehlo.pad {operands[0]}, {operands[1]}, low = {format_list(low)}, high = {format_list(high)}, "
        f"interior = {format_list(params.interior)} : ({cx.type(x.type)}, {cx.type(fill.type)}) -> {cx.type(whole)}"
    )
    if whole == target:
        return (padded,)
    ranges = ", ".join([f"{a}:{a + n}" for n, (a, _) in zip(target.shape, cut, strict=True)])
    return (cx.emit(f"stablehlo.slice {padded} [{ranges}] : ({cx.type(whole)}) -> {cx.type(target)}"),)


def concatenate(cx: Context, params: AxisParams, equation: Equation, operands: list[str]) -> Sequence[str]:
    sources = ", ".join([cx.type(x.type) for x in equation.inputs])
    target = cx.type(equation.outputs[0].type)
    joined = ", ".join(operands)
    return (cx.emit(f"stablehlo.concatenate {joined}, dim = {params.axis} : ({sources}) -> {target}"),)


def iota(cx: Context, params: IotaParams, equation: Equation, operands: list[str]) -> Sequence[str]:
    return (cx.emit(f"stablehlo.iota dim = {params.axis} : {cx.type(equation.outputs[0].type)}"),)


def constant(cx: Context, params: ConstantParams, equation: Equation, operands: list[str]) -> Sequence[str]:
    return (cx.emit(f"stablehlo.constant {dense(params.array, params.type)}"),)
