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
from dsl.ir.op import Op
from dsl.ir.traits import Cost
from dsl.ops.builders import add, broadcast_in_dim, mul, pad, reshape, slice_in, transpose
from dsl.ops.convolve import ConvParams
from dsl.ops.layout import PermutationParams, ShapeParams
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

VECTOR, VIEWS = 8, 9
"""Elements of the innermost loop, and places of the taps, with which zeros around what each tap sees cost less than a
copy of the image: LLVM makes loops over vectors of a test that the innermost loop does not change, but not of many."""

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
            params, kernel = cast("ConvParams", moved.params), moved.inputs[1]
            values[output] = _Stencil(params, image, order, kernel, output.type, _is_stored(image, made)).emit(b)
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


def _is_stored(x: Atom, made: Mapping[Atom, Equation]) -> bool:
    """Return whether a value is in memory, whatever reads it: a parameter, or the result of what takes long."""
    equation = made.get(x)
    while equation is not None and isinstance(equation.params, ShapeParams):
        equation = made.get(equation.inputs[0])
    return equation is None or not isinstance(equation.op, Op) or equation.op.traits.cost is Cost.HIGH


class _View(Struct, frozen=True):
    """The elements that a tap sees along an axis, from the `first` to the `last`, and zeros before and behind them."""

    first: int
    last: int
    low: int
    high: int

    @property
    def is_empty(self) -> bool:
        return self.last < self.first


class _Stencil(Struct, frozen=True):
    """A convolution of an image whose axes of batch, channel and space are numbered by `order`.

    The zeros around the image are in a copy of it. If it `is_stored`, and loops over vectors stay such, each tap has
    its own zeros around what it sees instead, in the pass that computes the sum: of another image, each tap would
    compute its elements anew.
    """

    params: ConvParams
    image: Atom
    order: tuple[int, ...]
    kernel: Atom
    result: Tensor
    is_stored: bool

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
        batch, (features, channels, *extents) = self.result.shape[0], kernel.type.shape
        last_group, steps = (params.groups - 1) * channels, self._arranged(1, channels, params.strides)
        padded = [self._is_padded(axis) for axis in range(len(space))]
        rows = self._padded(b, padded)
        for channel, *tap in product(range(channels), *map(range, extents)):
            views = [self._view(axis, t, copied) for axis, (t, copied) in enumerate(zip(tap, padded, strict=True))]
            ends = self._arranged(batch, last_group + channel + 1, [view.last + 1 for view in views])
            seen = slice_in(b, rows, self._arranged(0, channel, [view.first for view in views]), ends, steps)
            low, high = [view.low for view in views], [view.high for view in views]
            end = (features, channel + 1, *[t + 1 for t in tap])
            weights = slice_in(b, kernel, (0, channel, *tap), end, [1] * kernel.type.rank)
            shape = (params.groups, features // params.groups)
            yield self._with_zeros(b, seen, low, high), reshape(b, weights, shape)

    def _is_padded(self, axis: int) -> bool:
        """Return whether the zeros along an axis of space are in a copy of the image."""
        taps = range(self.kernel.type.shape[2 + axis])
        alone = self.is_stored and self._reads_whole_rows
        return not alone or any(self._view(axis, t, False).is_empty for t in taps)

    @property
    def _reads_whole_rows(self) -> bool:
        """Return whether loops over vectors compute the sum where each tap has its own zeros: if the innermost loop is
        over channels or features, the views are few, and each is a row beside the other."""
        params, (features, _, *extents) = self.params, self.kernel.type.shape
        innermost = features // params.groups if features > params.groups else params.groups
        is_last = self.order[1] == len(self.order) - 1
        return is_last and innermost >= VECTOR and prod(extents) <= VIEWS and all(s == 1 for s in params.strides)

    def _padded(self, b: Builder, padded: Sequence[bool]) -> Atom:
        low, high = (
            [n if p else 0 for n, p in zip(edge, padded, strict=True)] for edge in (self.params.low, self.params.high)
        )
        return self._with_zeros(b, self.image, low, high)

    def _with_zeros(self, b: Builder, x: Atom, low: Sequence[int], high: Sequence[int]) -> Atom:
        if not any((*low, *high)):
            return x
        fill, none = zeros(Tensor(self.params.dtype)), [0] * x.type.rank
        return pad(b, x, fill, self._arranged(0, 0, low), self._arranged(0, 0, high), none)

    def _view(self, axis: int, tap: int, is_padded: bool) -> _View:
        """Return what a tap sees along an axis of space."""
        params, count = self.params, self.result.shape[2 + axis]
        low, high = params.low[axis], params.high[axis]
        size = self.image.type.shape[self.order[2 + axis]] + (low + high if is_padded else 0)
        stride, start = params.strides[axis], tap * params.kernel_dilation[axis] - (0 if is_padded else low)
        before = max(0, -(start // stride))
        within = min(count, (size - 1 - start) // stride + 1)
        return _View(start + before * stride, start + (within - 1) * stride, before, count - within)

    def _arranged(self, batch: int, channel: int, space: Sequence[int]) -> tuple[int, ...]:
        """Return values for the axes of batch, channel and space in the order of the image."""
        placed = dict(zip(self.order, (batch, channel, *space), strict=True))
        return tuple([placed[axis] for axis in range(len(self.order))])
