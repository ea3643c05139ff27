"""Fourier transforms. XLA's have one to three axes; of more, the rest follow one by one."""

from __future__ import annotations

from collections.abc import Sequence

from dsl.ir.function import Equation, Tensor
from dsl.ops.fft import FftParams
from lowering.stablehlo.context import Context
from lowering.stablehlo.layout import emit_transpose, permuted
from lowering.stablehlo.types import format_list

_MOST = 3


def fft(cx: Context, params: FftParams, equation: Equation, operands: list[str]) -> Sequence[str]:
    source, target = equation.inputs[0].type, equation.outputs[0].type
    (x,), lengths = operands, params.lengths
    rest, last = lengths[:-_MOST], lengths[-_MOST:]
    axes = range(source.rank - len(lengths), source.rank - len(last))
    if params.kind == "irfft":  # the real transform comes last
        for axis, length in zip(axes, rest, strict=True):
            x = _along(cx, "ifft", x, source, axis, length)
        return (_transform(cx, "irfft", x, source, target, last),)
    x = _transform(cx, params.kind, x, source, target, last)
    for axis, length in zip(axes, rest, strict=True):
        x = _along(cx, params.kind.lstrip("r"), x, target, axis, length)
    return (x,)


def _transform(cx: Context, kind: str, x: str, source: Tensor, target: Tensor, lengths: Sequence[int]) -> str:
    signature = f"({cx.type(source)}) -> {cx.type(target)}"
    return cx.emit(f"stablehlo.fft {x}, type = {kind.upper()}, length = {format_list(tuple(lengths))} : {signature}")


def _along(cx: Context, kind: str, x: str, type: Tensor, axis: int, length: int) -> str:
    """A complex transform along one axis, which is exchanged with the last for it."""
    order = list(range(type.rank))
    order[axis], order[-1] = order[-1], order[axis]
    turned = permuted(type, order)
    x = _transform(cx, kind, emit_transpose(cx, x, order, type), turned, turned, (length,))
    return emit_transpose(cx, x, order, turned)
