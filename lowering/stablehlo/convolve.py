"""Convolutions, in the one layout that the op has."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from itertools import product

from dsl.ir.function import Equation, Tensor
from dsl.ops.convolve import ConvParams
from dsl.ops.extent import PadParams
from lowering.stablehlo.context import Context
from lowering.stablehlo.contract import keeps_bits
from lowering.stablehlo.elementwise import emit_binary
from lowering.stablehlo.extent import emit_pad, emit_slice
from lowering.stablehlo.layout import emit_reshape, emit_transpose, permuted
from lowering.stablehlo.types import integers


def conv_general(cx: Context, params: ConvParams, equation: Equation, operands: list[str]) -> Sequence[str]:
    """One operation on a CPU and for floats; the libraries of GPUs know neither complex numbers nor integers."""
    types = [x.type for x in (*equation.inputs, *equation.outputs)]
    if cx.is_for_cpu or types[-1].dtype.is_float:
        return (_emit(cx, params, types, operands),)
    write = _of_complex if types[-1].dtype.is_complex else _of_integers
    return (write(cx, params, types, operands),)


def _of_complex(cx: Context, params: ConvParams, types: Sequence[Tensor], operands: Sequence[str]) -> str:
    """(a + b i) * (c + d i) = (a * c - b * d) + (a * d + b * c) i."""
    parts = [Tensor(t.dtype.real, t.shape) for t in types]
    (a, b), (c, d) = [
        [cx.emit(f"stablehlo.{part} {x} : ({cx.type(t)}) -> {cx.type(real)}") for part in ("real", "imag")]
        for x, t, real in zip(operands, types[:2], parts[:2], strict=True)
    ]
    target = cx.type(parts[-1])
    ac, bd, ad, bc = [_emit(cx, params, parts, pair) for pair in ((a, c), (b, d), (a, d), (b, c))]
    re, im = emit_binary(cx, "subtract", ac, bd, parts[-1]), emit_binary(cx, "add", ad, bc, parts[-1])
    return cx.emit(f"stablehlo.complex {re}, {im} : ({target}, {target}) -> {cx.type(types[-1])}")


def _of_integers(cx: Context, params: ConvParams, types: Sequence[Tensor], operands: Sequence[str]) -> str:
    """The sum over the taps of the kernel: a product of matrices of channels, of each a slice of the padded image."""
    image, kernel, result = types
    padded, type = _padded(cx, params, operands[0], image)
    taps = [_tap(cx, params, types, (padded, operands[1]), type, tap) for tap in product(*map(range, kernel.shape[2:]))]
    order = _by_tap(params, types)
    if not taps:
        return cx.constant(0, result)
    total = reduce(lambda x, y: emit_binary(cx, "add", x, y, order), taps)
    axes = [1, 0, order.rank - 1, *range(2, order.rank - 1)]
    return emit_reshape(cx, emit_transpose(cx, total, axes, order), permuted(order, axes), result)


def _by_tap(params: ConvParams, types: Sequence[Tensor]) -> Tensor:
    """The type of a product of one tap: (group, batch, *space, feature of the group)."""
    result = types[2]
    batch, features, *space = result.shape
    return Tensor(result.dtype, (params.groups, batch, *space, features // params.groups))


def _padded(cx: Context, params: ConvParams, x: str, type: Tensor) -> tuple[str, Tensor]:
    """The image with its dilation and its padding, which may crop."""
    interior = [d - 1 for d in params.image_dilation]
    around = PadParams((0, 0, *params.low), (0, 0, *params.high), (0, 0, *interior))
    sides = zip(type.shape, around.low, around.high, around.interior, strict=True)
    target = Tensor(type.dtype, tuple([low + n + max(n - 1, 0) * gap + high for n, low, high, gap in sides]))
    return emit_pad(cx, x, cx.constant(0, Tensor(type.dtype)), around, type, target), target


def _tap(
    cx: Context,
    params: ConvParams,
    types: Sequence[Tensor],
    operands: tuple[str, str],
    padded: Tensor,
    tap: tuple[int, ...],
) -> str:
    """The products of one tap, summed over the channels of each group."""
    _, kernel, result = types
    batch, channels, *_ = padded.shape
    features, of_group, space = kernel.shape[0], kernel.shape[1], result.shape[2:]
    places = zip(tap, params.kernel_dilation, space, params.strides, strict=True)
    window = [(k * d, k * d + (n - 1) * stride + 1, stride) for k, d, n, stride in places]
    seen = Tensor(padded.dtype, (batch, channels, *space))
    single = Tensor(kernel.dtype, (features, of_group, *[1] * len(space)))
    x = emit_slice(cx, operands[0], [(0, batch, 1), (0, channels, 1), *window], padded, seen)
    y = emit_slice(cx, operands[1], [(0, features, 1), (0, of_group, 1), *[(k, k + 1, 1) for k in tap]], kernel, single)
    grouped = Tensor(padded.dtype, (batch, params.groups, of_group, *space))
    matrix = Tensor(kernel.dtype, (params.groups, features // params.groups, of_group))
    return cx.emit(
        f"stablehlo.dot_general {emit_reshape(cx, x, seen, grouped)}, {emit_reshape(cx, y, single, matrix)}, "
        f"batching_dims = [1] x [0], contracting_dims = [2] x [2] : "
        f"({cx.type(grouped)}, {cx.type(matrix)}) -> {cx.type(_by_tap(params, types))}"
    )


def _emit(cx: Context, params: ConvParams, types: Sequence[Tensor], operands: Sequence[str]) -> str:
    image, kernel, result = types
    space = "".join([f", {axis}" for axis in range(len(params.strides))])
    pads = [list(pair) for pair in zip(params.low, params.high, strict=True)]
    padding = f"dense<{pads}> : tensor<{len(pads)}x2xi64>" if pads else "dense<> : tensor<0x2xi64>"
    exact = "#stablehlo<precision HIGHEST>"
    precision = f", precision_config = [{exact}, {exact}]" if keeps_bits(cx, types[:2]) else ""
    return cx.emit(
        f'"stablehlo.convolution"({operands[0]}, {operands[1]}) <{{batch_group_count = 1 : i64, '
        f"feature_group_count = {params.groups} : i64, "
        f"dimension_numbers = #stablehlo.conv<[b, f{space}]x[o, i{space}]->[b, f{space}]>, "
        f"window_strides = {integers(params.strides)}, padding = {padding}, "
        f"lhs_dilation = {integers(params.image_dilation)}, "
        f"rhs_dilation = {integers(params.kernel_dilation)}{precision}}}> : "
        f"({cx.type(image)}, {cx.type(kernel)}) -> {cx.type(result)}"
    )
