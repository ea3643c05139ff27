"""Moving elements without computing, and their sum, the adjoint of a broadcast."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from dsl.ir.function import Equation, Tensor
from dsl.ops.layout import AxesParams, BroadcastParams, PermutationParams, ShapeParams
from lowering.stablehlo.context import Context
from lowering.stablehlo.kept import kept_to_repeat
from lowering.stablehlo.regrouped import rejoined
from lowering.stablehlo.types import format_list


def broadcast_in_dim(cx: Context, params: BroadcastParams, equation: Equation, operands: list[str]) -> Sequence[str]:
    x, target = equation.inputs[0], equation.outputs[0].type
    return (emit_broadcast(cx, kept_to_repeat(cx, x, target.size), params.dims, x.type, target),)


def emit_broadcast(cx: Context, x: str, dims: Sequence[int], source: Tensor, target: Tensor) -> str:
    """The axes of `x` as these axes of the target, repeated along the others."""
    signature = f"({cx.type(source)}) -> {cx.type(target)}"
    return cx.emit(f"stablehlo.broadcast_in_dim {x}, dims = {format_list(dims)} : {signature}")


def reshape(cx: Context, params: ShapeParams, equation: Equation, operands: list[str]) -> Sequence[str]:
    """A reshape; of a concatenation, if that makes its lines longer, one of parts that are joined afterwards."""
    x, y = equation.inputs[0], equation.outputs[0]
    made = cx.made.get(x)
    alone = cx.is_for_cpu and not cx.module.mesh and cx.is_read_once(x) and cx.readers(y) != 1
    found = rejoined(made, y.type.shape) if alone else None
    if made is None or found is None:
        return (emit_reshape(cx, operands[0], x.type, y.type),)
    axis, shapes = found
    types = [Tensor(y.type.dtype, shape) for shape in shapes]
    pairs = zip(made.inputs, types, strict=True)
    parts = [emit_reshape(cx, cx.operand(part), part.type, type) for part, type in pairs]
    return (emit_joined(cx, parts, types, axis, y.type),)


def emit_joined(cx: Context, parts: Sequence[str], types: Sequence[Tensor], axis: int, target: Tensor) -> str:
    """Arrays one after the other along an axis."""
    sources = ", ".join(map(cx.type, types))
    return cx.emit(f"stablehlo.concatenate {', '.join(parts)}, dim = {axis} : ({sources}) -> {cx.type(target)}")


def emit_reshape(cx: Context, x: str, source: Tensor, target: Tensor) -> str:
    return cx.emit(f"stablehlo.reshape {x} : ({cx.type(source)}) -> {cx.type(target)}")


def as_lines(type: Tensor, axis: int) -> Tensor:
    """The type with the axes before one made a single axis, and those after it another."""
    return Tensor(type.dtype, (prod(type.shape[:axis]), type.shape[axis], prod(type.shape[axis + 1 :])))


def transpose(cx: Context, params: PermutationParams, equation: Equation, operands: list[str]) -> Sequence[str]:
    return (emit_transpose(cx, operands[0], params.permutation, equation.inputs[0].type),)


def emit_transpose(cx: Context, x: str, order: Sequence[int], source: Tensor) -> str:
    """The axes of `x` in another order."""
    signature = f"({cx.type(source)}) -> {cx.type(permuted(source, order))}"
    return cx.emit(f"stablehlo.transpose {x}, dims = {format_list(order)} : {signature}")


def permuted(source: Tensor, order: Sequence[int]) -> Tensor:
    """The type of `emit_transpose`."""
    return Tensor(source.dtype, tuple([source.shape[axis] for axis in order]))


def rev(cx: Context, params: AxesParams, equation: Equation, operands: list[str]) -> Sequence[str]:
    type, axes = cx.type(equation.outputs[0].type), format_list(params.axes)
    return (cx.emit(f"stablehlo.reverse {operands[0]}, dims = {axes} : {type}"),)
