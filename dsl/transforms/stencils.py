"""Convolutions with few taps become sums of shifted products: `shift_stencils`.

For a CPU. There a compiler turns windows into rows of a matrix, or visits each tap by itself, which pays for many
channels only. A blur, a derivative of finite differences, a filter of a signal, the first layer of a network and a
convolution of each channel by itself have few taps per result: one fused pass over the image computes them in less
time by a factor of up to 100.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial, reduce
from itertools import product
from math import prod
from typing import cast

from msgspec import Struct

from dsl.ir.build import Builder
from dsl.ir.function import Atom, Equation, Function, Tensor
from dsl.ops.builders import add, broadcast_in_dim, mul, pad, reshape, slice_in, transpose
from dsl.ops.convolve import ConvParams
from dsl.ops.layout import PermutationParams
from dsl.ops.rule_helpers import zeros
from dsl.transforms.partial_eval import rename
from dsl.transforms.region_map import rewrite_bodies
from dsl.types.dtype import C64, C128, F32, F64

TAPS = 81
"""Products in a sum beyond which to compile it costs more than it saves."""

CHANNELS = 4
"""Channels that a result sees beyond which products of matrices are faster."""

WEIGHTS = 800
"""Weights of a group beyond which products of matrices are faster."""

WORK = 1 << 18
"""Products of a convolution from which on it is worth a longer compilation."""


def shift_stencils(function: Function) -> Function:
    """`function` with sums of shifted products for convolutions with few taps, at every depth."""
    return rewrite_bodies(function, lambda body: _rewritten(body) if any(map(is_stencil, body.equations)) else body)


def is_stencil(equation: Equation) -> bool:
    """Return whether a convolution sees few channels of wide numbers through few taps."""
    params = equation.params
    if not isinstance(params, ConvParams) or params.dtype not in (F32, F64, C64, C128):
        return False
    image, kernel = equation.inputs
    taps, results = prod(kernel.type.shape[1:]), equation.outputs[0].type.size
    weights = kernel.type.size // params.groups
    few = 0 < kernel.type.shape[1] <= CHANNELS and taps <= TAPS and weights <= WEIGHTS
    plain = image.type.dtype == params.dtype and all(d == 1 for d in params.image_dilation)
    return plain and few and taps * results >= WORK


def _rewritten(function: Function) -> Function:
    b = Builder()
    values: dict[Atom, Atom] = {}
    made: dict[Atom, Equation] = {}
    for equation in function.equations:
        moved = rename(equation, values)
        made.update(dict.fromkeys(equation.outputs, moved))
        if is_stencil(equation):
            b.span = equation.span
            (output,) = equation.outputs
            image, order = _source(moved.inputs[0], made)
            values[output] = _Stencil(
                cast("ConvParams", moved.params), image, order, moved.inputs[1], output.type
            ).emit(b)
        else:
            b.equations.append(moved)
    results = tuple([values.get(x, x) for x in function.results])
    return Function(function.name, function.params, tuple(b.equations), results)


def _source(image: Atom, made: Mapping[Atom, Equation]) -> tuple[Atom, tuple[int, ...]]:
    """Return an image as it lies in memory, and the numbers of its axes there. A single channel lies anywhere."""
    equation = made.get(image)
    if equation is not None and image.type.shape[1] > 1 and isinstance(equation.params, PermutationParams):
        return equation.inputs[0], equation.params.permutation
    return image, tuple(range(image.type.rank))


class _Stencil(Struct, frozen=True):
    """A convolution of an image whose axes of batch, channel and space are numbered by `order`."""

    params: ConvParams
    image: Atom
    order: tuple[int, ...]
    kernel: Atom
    result: Tensor

    def emit(self, b: Builder) -> Atom:
        """Emit the sum of the products of all taps, each with the part of the image that it sees."""
        batch, features, *space = self.result.shape
        groups, at = self.params.groups, self.order[1]
        shape = self._arranged(batch, groups, space)
        wide = (*shape[: at + 1], features // groups, *shape[at + 1 :])
        dims = [axis + (axis > at) for axis in range(len(shape))]
        terms = [
            mul(b, broadcast_in_dim(b, seen, wide, dims), broadcast_in_dim(b, weights, wide, (at, at + 1)))
            for seen, weights in self._taps(b, space)
        ]
        total = reshape(b, reduce(partial(add, b), terms), self._arranged(batch, features, space))
        return transpose(b, total, self.order)

    def _taps(self, b: Builder, space: Sequence[int]) -> Iterator[tuple[Atom, Atom]]:
        """Emit what each tap sees of one channel of each group, and its weights, (group, feature of the group)."""
        params, kernel = self.params, self.kernel
        rows = self._padded(b)
        batch, (features, channels, *extents) = self.result.shape[0], kernel.type.shape
        last_group, steps = (params.groups - 1) * channels, self._arranged(1, channels, params.strides)
        for channel, *tap in product(range(channels), *map(range, extents)):
            first = [t * d for t, d in zip(tap, params.kernel_dilation, strict=True)]
            last = [f + (n - 1) * s + 1 for f, n, s in zip(first, space, params.strides, strict=True)]
            ends = self._arranged(batch, last_group + channel + 1, last)
            seen = slice_in(b, rows, self._arranged(0, channel, first), ends, steps)
            end = (features, channel + 1, *[t + 1 for t in tap])
            weights = slice_in(b, kernel, (0, channel, *tap), end, [1] * kernel.type.rank)
            yield seen, reshape(b, weights, (params.groups, features // params.groups))

    def _padded(self, b: Builder) -> Atom:
        low, high = (self._arranged(0, 0, edge) for edge in (self.params.low, self.params.high))
        return pad(b, self.image, zeros(Tensor(self.params.dtype)), low, high, [0] * len(low))

    def _arranged(self, batch: int, channel: int, space: Sequence[int]) -> tuple[int, ...]:
        """Return values for the axes of batch, channel and space in the order of the image."""
        placed = dict(zip(self.order, (batch, channel, *space), strict=True))
        return tuple([placed[axis] for axis in range(len(self.order))])
