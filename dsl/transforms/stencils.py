"""Convolutions with few taps become sums of shifted products: `shift_stencils`.

For a CPU. There a compiler turns windows into rows of a matrix, or visits each tap by itself, which pays for many
channels only. A blur, a derivative of finite differences, a filter of a signal, the first layer of a network and a
convolution of each channel by itself have few taps per result: one fused pass over the image computes them in less
time by a factor of up to 100.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial, reduce
from itertools import product
from math import prod
from operator import is_
from typing import cast

from dsl.ir.build import Builder
from dsl.ir.function import Atom, Equation, Function, Tensor
from dsl.ops.builders import add, broadcast_in_dim, mul, pad, reshape, slice_in
from dsl.ops.convolve import ConvParams
from dsl.ops.rule_helpers import zeros
from dsl.transforms.partial_eval import rename
from dsl.transforms.region_map import change_bodies, innermost_first
from dsl.types.dtype import C64, C128, F32, F64

TAPS = 81
"""Products in a sum beyond which to compile it costs more than it saves."""

WORK = 1 << 18
"""Products of a convolution from which on it is worth a longer compilation."""


def shift_stencils(function: Function) -> Function:
    """`function` with sums of shifted products for convolutions with few taps, at every depth."""
    done: dict[Function, Function] = {}
    for body in innermost_first(function):
        equations = [change_bodies(e, lambda inner: done.get(inner, inner)) for e in body.equations]
        same = all(map(is_, equations, body.equations)) and not any(map(is_stencil, equations))
        done[body] = body if same else _rewritten(Function(body.name, body.params, tuple(equations), body.results))
    return done[function]


def is_stencil(equation: Equation) -> bool:
    """Return whether a convolution sees one channel of wide numbers through few taps."""
    params = equation.params
    if not isinstance(params, ConvParams) or params.dtype not in (F32, F64, C64, C128):
        return False
    image, kernel = equation.inputs
    taps, results = prod(kernel.type.shape[1:]), equation.outputs[0].type.size
    single = kernel.type.shape[1] == 1 and all(d == 1 for d in params.image_dilation)
    return single and image.type.dtype == params.dtype and taps <= TAPS and taps * results >= WORK


def _rewritten(function: Function) -> Function:
    b = Builder()
    values: dict[Atom, Atom] = {}
    for equation in function.equations:
        moved = rename(equation, values)
        if is_stencil(equation):
            b.span = equation.span
            (output,) = equation.outputs
            values[output] = _sum_of_shifts(b, moved)
        else:
            b.equations.append(moved)
    results = tuple([values.get(x, x) for x in function.results])
    return Function(function.name, function.params, tuple(b.equations), results)


def _sum_of_shifts(b: Builder, equation: Equation) -> Atom:
    """Emit the sum of the products of all taps, each with the part of the image that it sees."""
    batch, features, *space = equation.outputs[0].type.shape
    groups = equation.inputs[0].type.shape[1]
    wide = (batch, groups, features // groups, *space)
    terms = [
        mul(
            b, broadcast_in_dim(b, seen, wide, (0, 1, *range(3, len(wide)))), broadcast_in_dim(b, weights, wide, (1, 2))
        )
        for seen, weights in _taps(b, cast("ConvParams", equation.params), equation.inputs, space)
    ]
    return reshape(b, reduce(partial(add, b), terms), (batch, features, *space))


def _taps(
    b: Builder, params: ConvParams, operands: Sequence[Atom], space: Sequence[int]
) -> Iterator[tuple[Atom, Atom]]:
    """Emit what each tap sees, (batch, group, *space), and its weights, (group, feature of the group)."""
    image, kernel = operands
    low, high = (0, 0, *params.low), (0, 0, *params.high)
    rows = pad(b, image, zeros(Tensor(params.dtype)), low, high, [0] * len(low))
    groups, (features, _, *extents) = params.groups, kernel.type.shape
    for tap in product(*map(range, extents)):
        first = [t * d for t, d in zip(tap, params.kernel_dilation, strict=True)]
        last = [f + (n - 1) * s + 1 for f, n, s in zip(first, space, params.strides, strict=True)]
        seen = slice_in(b, rows, (0, 0, *first), (*image.type.shape[:2], *last), (1, 1, *params.strides))
        weights = slice_in(b, kernel, (0, 0, *tap), (features, 1, *[t + 1 for t in tap]), [1] * kernel.type.rank)
        yield seen, reshape(b, weights, (groups, features // groups))
