"""Convolutions, in the one layout that the op has."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from itertools import product

from dsl.ir.function import Equation, Tensor
from dsl.ops.convolve import ConvParams
from lowering.stablehlo.context import Context
from lowering.stablehlo.contract import SINGLE
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
    re = cx.emit(f"stablehlo.subtract {ac}, {bd} : {target}")
    im = cx.emit(f"stablehlo.add {ad}, {bc} : {target}")
    return cx.emit(f"stablehlo.complex {re}, {im} : ({target}, {target}) -> {cx.type(types[-1])}")


def _of_integers(cx: Context, params: ConvParams, types: Sequence[Tensor], operands: Sequence[str]) -> str:
    """The sum over the taps of the kernel: a product of matrices of channels, of each a slice of the padded image."""
    image, kernel, result = types
    padded, type = _padded(cx, params, operands[0], image)
    taps = [_tap(cx, params, types, (padded, operands[1]), type, tap) for tap in product(*map(range, kernel.shape[2:]))]
    order = _by_tap(params, types)
    if not taps:
        return cx.constant(0, result)
    total = reduce(lambda x, y: cx.emit(f"stablehlo.add {x}, {y} : {cx.type(order)}"), taps)
    axes = [1, 0, order.rank - 1, *range(2, order.rank - 1)]
    turned = Tensor(order.dtype, tuple([order.shape[a] for a in axes]))
    moved = cx.emit(f"stablehlo.transpose {total}, dims = {axes} : ({cx.type(order)}) -> {cx.type(turned)}")
    return _reshaped(cx, moved, turned, result)


def _by_tap(params: ConvParams, types: Sequence[Tensor]) -> Tensor:
    """The type of a product of one tap: (group, batch, *space, feature of the group)."""
    result = types[2]
    batch, features, *space = result.shape
    return Tensor(result.dtype, (params.groups, batch, *space, features // params.groups))


def _padded(cx: Context, params: ConvParams, x: str, type: Tensor) -> tuple[str, Tensor]:
    """The image with its dilation and its padding, which may crop."""
    low, high, inner = [0, 0, *params.low], [0, 0, *params.high], [0, 0, *[d - 1 for d in params.image_dilation]]
    dilated = [n + max(n - 1, 0) * gap for n, gap in zip(type.shape, inner, strict=True)]
    target = Tensor(type.dtype, tuple([a + n + b for a, n, b in zip(low, dilated, high, strict=True)]))
    element = Tensor(type.dtype)
    text = (
        f"stablehlo.pad {x}, {cx.constant(0, element)}, low = {low}, high = {high}, interior = {inner} : "
        f"({cx.type(type)}, {cx.type(element)}) -> {cx.type(target)}"
    )
    return cx.emit(text), target


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
    features, of_group, *space = kernel.shape[0], kernel.shape[1], *result.shape[2:]
    starts = [0, 0, *[k * d for k, d in zip(tap, params.kernel_dilation, strict=True)]]
    steps = [1, 1, *params.strides]
    ends = [s + (n - 1) * step + 1 for s, n, step in zip(starts, (batch, channels, *space), steps, strict=True)]
    seen = _sliced(cx, operands[0], padded, starts, ends, steps)
    weights = _sliced(cx, operands[1], kernel, [0, 0, *tap], [features, of_group, *[k + 1 for k in tap]], None)
    grouped = Tensor(padded.dtype, (batch, params.groups, of_group, *space))
    matrix = Tensor(kernel.dtype, (params.groups, features // params.groups, of_group))
    x = _reshaped(cx, seen, Tensor(padded.dtype, (batch, channels, *space)), grouped)
    y = _reshaped(cx, weights, Tensor(kernel.dtype, (features, of_group, *[1] * len(space))), matrix)
    return cx.emit(
        f"stablehlo.dot_general {x}, {y}, batching_dims = [1] x [0], contracting_dims = [2] x [2] : "
        f"({cx.type(grouped)}, {cx.type(matrix)}) -> {cx.type(_by_tap(params, types))}"
    )


def _sliced(
    cx: Context, x: str, type: Tensor, starts: Sequence[int], ends: Sequence[int], steps: Sequence[int] | None
) -> str:
    pace = steps or [1] * type.rank
    ranges = ", ".join([f"{a}:{b}:{step}" for a, b, step in zip(starts, ends, pace, strict=True)])
    shape = tuple([-(-(b - a) // step) for a, b, step in zip(starts, ends, pace, strict=True)])
    return cx.emit(f"stablehlo.slice {x} [{ranges}] : ({cx.type(type)}) -> {cx.type(Tensor(type.dtype, shape))}")


def _reshaped(cx: Context, x: str, type: Tensor, target: Tensor) -> str:
    return cx.emit(f"stablehlo.reshape {x} : ({cx.type(type)}) -> {cx.type(target)}")


def _emit(cx: Context, params: ConvParams, types: Sequence[Tensor], operands: Sequence[str]) -> str:
    image, kernel, result = types
    space = "".join([f", {axis}" for axis in range(len(params.strides))])
    pads = [list(pair) for pair in zip(params.low, params.high, strict=True)]
    padding = f"dense<{pads}> : tensor<{len(pads)}x2xi64>" if pads else "dense<> : tensor<0x2xi64>"
    return cx.emit(
        f'"stablehlo.convolution"({operands[0]}, {operands[1]}) <{{batch_group_count = 1 : i64, '
        f"feature_group_count = {params.groups} : i64, "
        f"dimension_numbers = #stablehlo.conv<[b, f{space}]x[o, i{space}]->[b, f{space}]>, "
        f"window_strides = {integers(params.strides)}, padding = {padding}, "
        f"lhs_dilation = {integers(params.image_dilation)}, "
        f"rhs_dilation = {integers(params.kernel_dilation)}{_precision(cx, types)}}}> : "
        f"({cx.type(image)}, {cx.type(kernel)}) -> {cx.type(result)}"
    )


def _precision(cx: Context, types: Sequence[Tensor]) -> str:
    """Single precision to all of its bits, as in products of matrices."""
    if cx.is_for_cpu or not {t.dtype for t in types[:2]} & SINGLE:
        return ""
    return ", precision_config = [#stablehlo<precision HIGHEST>, #stablehlo<precision HIGHEST>]"
