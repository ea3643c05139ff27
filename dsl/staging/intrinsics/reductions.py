"""Reductions and cumulative functions. `axis` is an int, a tuple of ints, or none for all axes.

Read next: `shapes`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from math import prod
from types import MappingProxyType

from dsl.ir.build import Builder
from dsl.ir.function import Atom
from dsl.ops import builders
from dsl.ops.control.annotations import stop_gradient
from dsl.ops.cumulative import RunningParams
from dsl.ops.layout import AxesParams
from dsl.ops.reduce import ArgParams
from dsl.ops.table import OPS
from dsl.staging.intrinsics.axes import axes_of
from dsl.staging.intrinsics.elementwise import Pure, absolute, conj, logaddexp, real, square
from dsl.staging.values import Value, as_atom, literal
from dsl.types.dtype import BOOL, F32, I32


def kept(b: Builder, x: Atom, like: Atom, axes: tuple[int, ...], keepdims: Value) -> Atom:
    """The result with its reduced axes put back as 1, if so wished."""
    if not keepdims:
        return x
    shape = [1 if a in axes else n for a, n in enumerate(like.type.shape)]
    return builders.reshape(b, x, shape)


def joined(b: Builder, x: Atom, axes: tuple[int, ...]) -> Atom:
    """Some axes as one, the last."""
    others = [a for a in range(x.type.rank) if a not in axes]
    front = builders.transpose(b, x, (*others, *axes))
    return builders.reshape(b, front, (*front.type.shape[: len(others)], prod(front.type.shape[len(others) :])))


def reduction(name: str) -> Pure:
    def call(b: Builder, x: Value, *, axis: Value = None, keepdims: Value = False) -> Value:
        array = as_atom(x)
        axes = axes_of(b, axis, array.type.rank)
        return kept(b, reduced(b, name, array, axes), array, axes, keepdims)

    return call


def reduced(b: Builder, name: str, x: Atom, axes: tuple[int, ...]) -> Atom:
    return b.emit(OPS[name], AxesParams(axes), (x,))[0] if axes else x


def sum_(b: Builder, x: Value, *, axis: Value = None, keepdims: Value = False) -> Value:
    """Counts in i32 where x is bool."""
    array = as_atom(x)
    if array.type.dtype is BOOL:
        array = builders.convert(b, array, I32)
    axes = axes_of(b, axis, array.type.rank)
    return kept(b, builders.reduce_sum(b, array, axes), array, axes, keepdims)


def mean(b: Builder, x: Value, *, axis: Value = None, keepdims: Value = False) -> Value:
    """Of bool in f32."""
    array = as_atom(x)
    if not array.type.dtype.is_inexact:
        array = builders.convert(b, array, F32)
    axes = axes_of(b, axis, array.type.rank)
    total = builders.reduce_sum(b, array, axes)
    count = literal(count_of(array, axes), total.type.dtype, total.type.shape)
    return kept(b, builders.div(b, total, count), array, axes, keepdims)


def count_of(x: Atom, axes: tuple[int, ...]) -> int:
    return math.prod(x.type.shape[a] for a in axes)


def var(b: Builder, x: Value, *, axis: Value = None, keepdims: Value = False, ddof: Value = 0) -> Value:
    """The mean square distance from the mean; of complex numbers real."""
    array = as_atom(x)
    if not array.type.dtype.is_inexact:
        array = builders.convert(b, array, F32)
    axes = axes_of(b, axis, array.type.rank)
    center = as_atom(mean(b, array, axis=axes, keepdims=True))
    gap = builders.sub(b, array, builders.broadcast_to(b, center, array.type.shape))
    squares = real(b, builders.mul(b, gap, conj(b, gap))) if gap.type.dtype.is_complex else square(b, gap)
    total = builders.reduce_sum(b, squares, axes)
    assert isinstance(ddof, int | float)
    count = literal(float(count_of(array, axes) - ddof), total.type.dtype, total.type.shape)
    return kept(b, builders.div(b, total, count), array, axes, keepdims)


def std(b: Builder, x: Value, *, axis: Value = None, keepdims: Value = False, ddof: Value = 0) -> Value:
    return builders.sqrt(b, as_atom(var(b, x, axis=axis, keepdims=keepdims, ddof=ddof)))


def logsumexp(b: Builder, x: Value, *, axis: Value = None, keepdims: Value = False) -> Value:
    """log(sum(exp(x - m))) + m with m the maximum, 0 where that is not finite; m has no derivative."""
    array = as_atom(x)
    axes = axes_of(b, axis, array.type.rank)
    top = stop_gradient(b, reduced(b, "reduce_max", array, axes))
    finite = builders.compare(b, "lt", absolute(b, top), literal(math.inf, top.type.dtype, top.type.shape))
    top = builders.select(b, finite, top, literal(0, top.type.dtype, top.type.shape))
    lifted = builders.broadcast_to(b, kept(b, top, array, axes, True), array.type.shape)
    total = builders.reduce_sum(b, builders.exp(b, builders.sub(b, array, lifted)), axes)
    return kept(b, builders.add(b, builders.log(b, total), top), array, axes, keepdims)


def arg_extremum(name: str) -> Pure:
    """The first index of the largest (or smallest) element; of the elements in order along several axes."""

    def call(b: Builder, x: Value, *, axis: Value = None, keepdims: Value = False) -> Value:
        array = as_atom(x)
        axes = axes_of(b, axis, array.type.rank)
        flat, place = (array, axes[0]) if len(axes) == 1 else (joined(b, array, axes), array.type.rank - len(axes))
        found = b.emit(OPS[name], ArgParams(place, I32), (flat,))[0]
        return kept(b, found, array, axes, keepdims)

    return call


def cumulative(name: str) -> Pure:
    def call(b: Builder, x: Value, *, axis: Value = 0, reverse: Value = False) -> Value:
        array = as_atom(x)
        (place,) = axes_of(b, axis, array.type.rank)
        return b.emit(OPS[name], RunningParams(place, bool(reverse)), (array,))[0]

    return call


def cumlogsumexp(b: Builder, x: Value, *, axis: Value = 0, reverse: Value = False) -> Value:
    """By doubling: after k rounds every element holds the sum of the 2^k elements up to it."""
    array = as_atom(x)
    (place,) = axes_of(b, axis, array.type.rank)
    array = builders.rev(b, array, (place,)) if reverse else array
    size, shift = array.type.shape[place], 1
    none, lowest = [0] * array.type.rank, literal(-math.inf, array.type.dtype)
    while shift < size:
        before = builders.slice_axis(b, array, place, 0, size - shift)
        low = [shift if a == place else 0 for a in range(array.type.rank)]
        array = logaddexp(b, array, builders.pad(b, before, lowest, low, none, none))
        shift *= 2
    return builders.rev(b, array, (place,)) if reverse else array


REDUCTIONS: Mapping[str, Pure] = MappingProxyType(
    {
        "sum": sum_,
        "mean": mean,
        "var": var,
        "std": std,
        "logsumexp": logsumexp,
        "cumlogsumexp": cumlogsumexp,
        "prod": reduction("reduce_prod"),
        "max": reduction("reduce_max"),
        "min": reduction("reduce_min"),
        "any": reduction("reduce_or"),
        "all": reduction("reduce_and"),
        "argmax": arg_extremum("argmax"),
        "argmin": arg_extremum("argmin"),
        **{name: cumulative(name) for name in ("cumsum", "cumprod", "cummax", "cummin")},
    }
)
