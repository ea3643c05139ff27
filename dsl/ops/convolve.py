"""conv_general: windows of an image multiplied with a kernel, in one layout.

The image is (batch, channel, *space), the kernel (feature, channel of its group, *space), the result (batch,
feature, *space); other layouts are transposes around it. The kernel is not reversed. Both derivatives are
convolutions again, with strides and dilations exchanged; groups of features suffice for all of them.
"""

from __future__ import annotations

from functools import reduce
from math import prod
from operator import or_
from typing import cast

import numpy as np
from msgspec import Struct

from dsl.ir.build import Builder
from dsl.ir.function import Atom, Equation, Tensor
from dsl.ir.op import Factors, Op, Sample, Tangent, Zero
from dsl.ir.region import Facts
from dsl.ir.sizes import is_traced
from dsl.ir.traits import Traits
from dsl.ops.elementwise import Atoms, Cotangents, Operands, Tangents, convert, sum_tangents
from dsl.ops.factors import whole_axes
from dsl.ops.layout import at_axis, reshape, rev, transpose
from dsl.ops.rule_helpers import (
    Array,
    Arrays,
    Axes,
    Batched,
    as_type,
    batch_of_nothing,
    check_arity,
    fail,
    is_linear,
    require_known,
    wide,
)
from dsl.ops.zero_flow import WILD, ZERO
from dsl.records import replace
from dsl.types.dtype import BF16, C64, F16, F32, F64, I32, DType


class ConvParams(Struct, frozen=True):
    """Per axis of space: step of the window; padding of the dilated image (negative crops); dilations.

    Channels and features fall into `groups`; each group of features sees its group of channels.
    """

    strides: tuple[int, ...]
    low: tuple[int, ...]
    high: tuple[int, ...]
    image_dilation: tuple[int, ...]
    kernel_dilation: tuple[int, ...]
    groups: int
    dtype: DType


def _dilated(n: int, dilation: int) -> int:
    return 0 if n == 0 else (n - 1) * dilation + 1


def _conv_type(params: ConvParams, types: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
    check_arity("conv_general", types, 2)
    image, kernel = types
    _check_conv(params, image, kernel)
    space = tuple(
        max(0, (_dilated(n, d) + low + high - _dilated(k, e)) // s + 1)
        for n, k, s, low, high, d, e in zip(
            image.shape[2:],
            kernel.shape[2:],
            params.strides,
            params.low,
            params.high,
            params.image_dilation,
            params.kernel_dilation,
            strict=True,
        )
    )
    return (Tensor(params.dtype, (image.shape[0], kernel.shape[0], *space)),)


def _has_holes(params: ConvParams, image: Tensor, kernel: Tensor) -> bool:
    """Return whether the window stands somewhere on nothing but padding and gaps."""
    (out,) = _conv_type(params, (image, kernel))
    for axis in range(image.rank - 2):
        steps = np.arange(out.shape[axis + 2])[:, None] * params.strides[axis]
        taps = np.arange(kernel.shape[axis + 2]) * params.kernel_dilation[axis]
        places = steps + taps - params.low[axis]
        element, gap = np.divmod(places, params.image_dilation[axis])
        inside = (element >= 0) & (element < image.shape[axis + 2]) & (gap == 0)
        if not inside.any(axis=1).all():
            return True
    return False


def _check_conv(params: ConvParams, image: Tensor, kernel: Tensor) -> None:
    if image.dtype != kernel.dtype or image.dtype.kind is not params.dtype.kind or image.dtype.is_bool:
        raise fail(f"conv_general: {image} and {kernel} do not multiply in {params.dtype}")
    rank = image.rank - 2
    lists = (params.strides, params.low, params.high, params.image_dilation, params.kernel_dilation)
    if rank < 0 or kernel.rank != image.rank or any(len(x) != rank for x in lists):
        raise fail(f"conv_general: {params} does not fit {image} and {kernel}")
    positive = (params.strides, params.image_dilation, params.kernel_dilation, (params.groups,))
    if any(x < 1 for values in positive for x in values if not is_traced(x)):
        raise fail(f"conv_general: {params} has a stride, dilation or number of groups below 1")
    uneven = not is_traced(params.groups) and bool(kernel.shape[0] % params.groups)
    if image.shape[1] != kernel.shape[1] * params.groups or uneven:
        raise fail(f"conv_general: {image} and {kernel} do not fall into {params.groups} groups")
    if 0 in kernel.shape[2:]:
        raise fail(f"conv_general: the kernel {kernel} is empty")


# --- evaluation -------------------------------------------------------------------------------------------


def _conv_eval(params: ConvParams, types: tuple[Tensor, ...], image: Array, kernel: Array) -> Arrays:
    (out,) = _conv_type(params, types)
    image, kernel = (wide(x.astype(params.dtype.numpy)) for x in (image, kernel))
    padded = _padded(params, image)
    g = params.groups
    x = padded.reshape(padded.shape[0], g, padded.shape[1] // g, *padded.shape[2:])
    w = kernel.reshape(g, kernel.shape[0] // g, *kernel.shape[1:])
    total = np.zeros((out.shape[0], g, out.shape[1] // g, *out.shape[2:]), image.dtype)
    for place in np.ndindex(*kernel.shape[2:]):
        first = [p * d for p, d in zip(place, params.kernel_dilation, strict=True)]
        seen = x
        for axis, (f, n, s) in enumerate(zip(first, out.shape[2:], params.strides, strict=True), 3):
            seen = seen.take(range(f, f + n * s, s), axis)
        total += np.einsum("ngi...,goi->ngo...", seen, w[(slice(None),) * 3 + place])
    return (as_type(total, out),)


def _padded(params: ConvParams, image: Array) -> Array:
    """The image with zeros between and around its elements, or cropped."""
    for axis, (low, high, dilation) in enumerate(zip(params.low, params.high, params.image_dilation, strict=True), 2):
        n = image.shape[axis]
        shape = list(image.shape)
        shape[axis] = _dilated(n, dilation)
        spaced = np.zeros(shape, image.dtype)
        spaced[(slice(None),) * axis + (slice(None, None, dilation),)] = image
        widths = [(0, 0)] * image.ndim
        widths[axis] = (max(low, 0), max(high, 0))
        whole = np.pad(spaced, widths)
        image = whole.take(range(max(-low, 0), whole.shape[axis] - max(-high, 0)), axis)
    return image


# --- derivatives ------------------------------------------------------------------------------------------


def _conv_jvp(b: Builder, params: ConvParams, xs: Atoms, ys: Atoms, ts: Tangents) -> Tangents:
    (image, kernel), (dx, dw), out = xs, ts, ys[0].type
    left: Tangent = Zero(out) if isinstance(dx, Zero) else CONV_GENERAL(b, params, dx, kernel)[0]
    right: Tangent = Zero(out) if isinstance(dw, Zero) else CONV_GENERAL(b, params, image, dw)[0]
    return (sum_tangents(b, (left, right)),)


def _conv_transpose(b: Builder, params: ConvParams, xs: Operands, cts: Tangents) -> Cotangents:
    (ct,) = cts
    image, kernel = xs
    if isinstance(ct, Zero) or ct.type.size == 0:
        return tuple(Zero(v.type) if is_linear(v) else None for v in xs)
    if is_linear(image):
        return (_image_cotangent(b, params, image.type, require_known(kernel), ct), None)
    return (None, _kernel_cotangent(b, params, require_known(image), kernel.type, ct))


def _image_cotangent(b: Builder, params: ConvParams, type: Tensor, kernel: Atom, ct: Atom) -> Atom:
    """Convolve ct with the reversed kernel, channels and features exchanged within each group."""
    g, (features, channels, *space) = params.groups, kernel.type.shape
    grouped = reshape(b, kernel, (g, features // g, channels, *space))
    turned = transpose(b, grouped, (0, 2, 1, *range(3, grouped.type.rank)))
    turned = reshape(b, turned, (g * channels, features // g, *space))
    turned = rev(b, turned, range(2, turned.type.rank))
    low = [_dilated(k, e) - 1 - p for k, e, p in zip(space, params.kernel_dilation, params.low, strict=True)]
    high = [
        _dilated(n, d) - _dilated(m, s) + _dilated(k, e) - 1 - first
        for n, d, m, s, k, e, first in zip(
            type.shape[2:],
            params.image_dilation,
            ct.type.shape[2:],
            params.strides,
            space,
            params.kernel_dilation,
            low,
            strict=True,
        )
    ]
    back = replace(
        params,
        strides=params.image_dilation,
        image_dilation=params.strides,
        low=tuple(low),
        high=tuple(high),
    )
    found = CONV_GENERAL(b, back, ct, convert(b, turned, params.dtype))[0]
    return convert(b, found, type.dtype)


def _kernel_cotangent(b: Builder, params: ConvParams, image: Atom, type: Tensor, ct: Atom) -> Atom:
    """Convolve the image with ct, summing over the batch in the place of channels."""
    g, (n, channels, *space) = params.groups, image.type.shape
    x = reshape(b, image, (n, g, channels // g, *space))
    x = transpose(b, x, (2, 1, 0, *range(3, x.type.rank)))
    x = reshape(b, x, (channels // g, g * n, *space))
    w = transpose(b, ct, (1, 0, *range(2, ct.type.rank)))
    high = [
        (k - 1) * e + _dilated(m, s) - _dilated(size, d) - low
        for k, e, m, s, size, d, low in zip(
            type.shape[2:],
            params.kernel_dilation,
            ct.type.shape[2:],
            params.strides,
            space,
            params.image_dilation,
            params.low,
            strict=True,
        )
    ]
    back = replace(params, strides=params.kernel_dilation, kernel_dilation=params.strides, high=tuple(high))
    found = CONV_GENERAL(b, back, convert(b, x, params.dtype), w)[0]
    return convert(b, transpose(b, found, (1, 0, *range(2, found.type.rank))), type.dtype)


# --- batching ---------------------------------------------------------------------------------------------


def _conv_batch(b: Builder, params: ConvParams, xs: Atoms, axes: Axes, size: int) -> Batched:
    image, kernel = xs
    if size == 0:
        return batch_of_nothing(_conv_type, params, xs, axes)
    if axes[1] is None:
        return _batched_image(b, params, at_axis(b, image, axes[0], size, 0), kernel), (0,)
    kernel = at_axis(b, kernel, axes[1], size, 0)
    if axes[0] is None:
        return _batched_kernel(b, params, image, kernel)
    return _batched_both(b, params, at_axis(b, image, axes[0], size, 1), kernel)


def _batched_image(b: Builder, params: ConvParams, image: Atom, kernel: Atom) -> tuple[Atom, ...]:
    size, n, *rest = image.type.shape
    out = CONV_GENERAL(b, params, reshape(b, image, (size * n, *rest)), kernel)[0]
    return (reshape(b, out, (size, n, *out.type.shape[1:])),)


def _batched_kernel(b: Builder, params: ConvParams, image: Atom, kernel: Atom) -> Batched:
    """Every element's features side by side within each group."""
    g, (size, features, *rest) = params.groups, kernel.type.shape
    w = reshape(b, kernel, (size, g, features // g, *rest))
    w = reshape(b, transpose(b, w, (1, 0, *range(2, w.type.rank))), (size * features, *rest))
    out = CONV_GENERAL(b, params, image, w)[0]
    n, _, *space = out.type.shape
    out = reshape(b, out, (n, g, size, features // g, *space))
    out = transpose(b, out, (2, 0, 1, *range(3, out.type.rank)))
    return (reshape(b, out, (size, n, features, *space)),), (0,)


def _batched_both(b: Builder, params: ConvParams, image: Atom, kernel: Atom) -> Batched:
    """Elements of the batch as groups: image (n, size, channels, ...), kernel (size, features, ...)."""
    n, size, channels, *space = image.type.shape
    _, features, *rest = kernel.type.shape
    x, w = reshape(b, image, (n, size * channels, *space)), reshape(b, kernel, (size * features, *rest))
    out = CONV_GENERAL(b, replace(params, groups=params.groups * size), x, w)[0]
    return (reshape(b, out, (n, size, features, *out.type.shape[2:])),), (1,)


# --- the op -----------------------------------------------------------------------------------------------


def plain(rank: int, dtype: DType) -> ConvParams:
    """Steps of one, no padding, no dilation, one group."""
    ones, none = (1,) * rank, (0,) * rank
    return ConvParams(ones, none, none, ones, ones, 1, dtype)


def _conv_samples() -> tuple[Sample[ConvParams], ...]:
    typed = (Sample(plain(1, d), (Tensor(d, (2, 2, 5)), Tensor(d, (3, 2, 2)))) for d in (F32, F64, F16, BF16, I32, C64))
    line, plane = plain(1, F64), plain(2, F64)
    varied: tuple[tuple[ConvParams, tuple[int, ...], tuple[int, ...]], ...] = (
        (replace(line, strides=(2,), low=(1,), high=(2,)), (2, 1, 6), (2, 1, 3)),
        (replace(line, image_dilation=(2,), low=(2,), high=(-1,)), (1, 2, 4), (2, 2, 2)),
        (replace(line, kernel_dilation=(2,), strides=(3,)), (1, 1, 9), (1, 1, 3)),
        (replace(line, groups=2), (2, 4, 4), (6, 2, 2)),
        (replace(plane, strides=(1, 2), low=(1, 0), high=(1, 1), groups=2), (2, 2, 3, 4), (2, 1, 2, 3)),
        (plain(0, F64), (2, 3), (4, 3)),
        (line, (1, 1, 2), (1, 1, 3)),
    )
    arranged = (Sample(p, (Tensor(F64, x), Tensor(F64, w))) for p, x, w in varied)
    return (*typed, *arranged)


def _zero_rule(equation: Equation, known: Facts) -> int:
    image, kernel = [x.type for x in equation.inputs]
    return reduce(or_, known, ZERO | WILD if _has_holes(cast(ConvParams, equation.params), image, kernel) else WILD)


def _conv_flops(params: ConvParams, inputs: tuple[Tensor, ...], outputs: tuple[Tensor, ...]) -> int:
    """A product and a sum for each element of the kernel at each place, also where it stands on padding."""
    return 2 * outputs[0].size * prod(inputs[1].shape[1:])


def _conv_sharding(params: ConvParams, types: tuple[Tensor, ...]) -> Factors:
    """The batch, and the groups; of one group the channels, which are added up, and the features."""
    space = whole_axes(types[0].rank - 2)
    if params.groups == 1:
        return Factors(((0, 1, *space), (2, 1, *space)), ((0, 2, *space),))
    return Factors(((0, 1, *space), (1, None, *space)), ((0, 1, *space),), ((1, params.groups),))


CONV_GENERAL: Op[ConvParams] = Op(
    name="conv_general",
    params=ConvParams,
    doc="Sums of products of the kernel with windows of the image, by groups of features.",
    type_rule=_conv_type,
    evaluate=_conv_eval,
    jvp=_conv_jvp,
    transpose=_conv_transpose,
    batch=_conv_batch,
    sharding=_conv_sharding,
    samples=_conv_samples(),
    traits=Traits(multilinear=(0, 1)),
    zero_rule=_zero_rule,
    flops=_conv_flops,
)

CONVOLVE = (CONV_GENERAL,)


def conv_general(b: Builder, params: ConvParams, image: Atom, kernel: Atom) -> Atom:
    """`image` convolved with `kernel`, in the layout, strides and padding of `params`.

    Raises IRTypeError where sizes or groups do not fit.
    """
    return CONV_GENERAL(b, params, image, kernel)[0]
