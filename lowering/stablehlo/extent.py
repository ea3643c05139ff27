"""Parts of arrays, arrays with something around them, arrays joined and made."""

from __future__ import annotations

from collections.abc import Sequence

from dsl.ir.function import Atom, Equation, Tensor
from dsl.ops.extent import AxisParams, ConstantParams, IotaParams, PadParams, SliceParams
from lowering.stablehlo.context import Context
from lowering.stablehlo.kept import kept_in_parts
from lowering.stablehlo.layout import emit_joined
from lowering.stablehlo.turned import turn_of
from lowering.stablehlo.types import dense, format_list


def slice(cx: Context, params: SliceParams, equation: Equation, operands: list[str]) -> Sequence[str]:
    window = zip(params.starts, params.limits, params.strides, strict=True)
    x = equation.inputs[0]
    return (emit_slice(cx, kept_in_parts(cx, x), [*window], x.type, equation.outputs[0].type),)


def emit_slice(cx: Context, x: str, window: Sequence[tuple[int, int, int]], source: Tensor, target: Tensor) -> str:
    """The elements from a start to a limit by a stride, along each axis."""
    ranges = ", ".join([f"{start}:{limit}:{stride}" for start, limit, stride in window])
    return cx.emit(f"stablehlo.slice {x} [{ranges}] : ({cx.type(source)}) -> {cx.type(target)}")


def emit_replaced(
    cx: Context, x: str, part: str, starts: Sequence[str], type: Tensor, part_type: Tensor, index: Tensor
) -> str:
    """`x` with a part in place of its own elements; `starts` are of the type `index`."""
    whole, indices = cx.type(type), ", ".join([cx.type(index)] * len(starts))
    signature = f"({whole}, {cx.type(part_type)}, {indices}) -> {whole}"
    return cx.emit(f"stablehlo.dynamic_update_slice {x}, {part}, {', '.join(starts)} : {signature}")


def emit_corner(cx: Context, x: str, source: Tensor, target: Tensor) -> str:
    """The first elements along each axis."""
    if source == target:
        return x
    return emit_slice(cx, x, [(0, extent, 1) for extent in target.shape], source, target)


def pad(cx: Context, params: PadParams, equation: Equation, operands: list[str]) -> Sequence[str]:
    x, fill = operands
    return (emit_pad(cx, x, fill, params, equation.inputs[0].type, equation.outputs[0].type),)


def emit_pad(cx: Context, x: str, fill: str, params: PadParams, source: Tensor, target: Tensor) -> str:
    """Padding, and then a slice of it where padding is negative: XLA's code generators know none that is."""
    cut = [(max(-low, 0), max(-high, 0)) for low, high in zip(params.low, params.high, strict=True)]
    whole = Tensor(target.dtype, tuple([n + a + b for n, (a, b) in zip(target.shape, cut, strict=True)]))
    low, high = [[max(n, 0) for n in side] for side in (params.low, params.high)]
    padded = cx.emit(
        f"stablehlo.pad {x}, {fill}, low = {format_list(low)}, high = {format_list(high)}, interior = "
        f"{format_list(params.interior)} : ({cx.type(source)}, {cx.type(Tensor(source.dtype))}) -> {cx.type(whole)}"
    )
    if whole == target:
        return padded
    return emit_slice(cx, padded, [(a, a + n, 1) for n, (a, _) in zip(target.shape, cut, strict=True)], whole, target)


def concatenate(cx: Context, params: AxisParams, equation: Equation, operands: list[str]) -> Sequence[str]:
    turned = turn_of(cx, equation) if cx.is_for_cpu and not cx.module.mesh else None
    if turned is not None:
        return (_emit_turned(cx, *turned),)
    types = [x.type for x in equation.inputs]
    return (emit_joined(cx, operands, types, params.axis, equation.outputs[0].type),)


def _emit_turned(cx: Context, x: Atom, cut: int) -> str:
    """The lines of an array, each begun at a place: parts of lines that are longer by what is in front of it, or by
    what is behind. One part is copied in whole lines then, and what reads the result reads the joined ones."""
    type = x.type
    *lines, size = type.shape
    ahead = 2 * cut <= size
    start, limit = (0, cut) if ahead else (cut, size)
    part, whole = (Tensor(type.dtype, (*lines, n)) for n in (limit - start, size + limit - start))
    rows = [(0, n, 1) for n in lines]
    name = cx.operand(x)
    cut_off = emit_slice(cx, name, [*rows, (start, limit, 1)], type, part)
    pairs = [(name, type), (cut_off, part)]
    names, types = zip(*(pairs if ahead else reversed(pairs)), strict=True)
    joined = emit_joined(cx, names, types, len(lines), whole)
    begin = cut if ahead else 0
    return emit_slice(cx, joined, [*rows, (begin, begin + size, 1)], whole, type)


def iota(cx: Context, params: IotaParams, equation: Equation, operands: list[str]) -> Sequence[str]:
    return (cx.emit(f"stablehlo.iota dim = {params.axis} : {cx.type(equation.outputs[0].type)}"),)


def constant(cx: Context, params: ConstantParams, equation: Equation, operands: list[str]) -> Sequence[str]:
    return (cx.emit(f"stablehlo.constant {dense(params.array, params.type)}"),)
