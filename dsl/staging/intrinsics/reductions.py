"""Reductions and cumulative functions. `axis` is an int, a tuple of ints, or none for all axes.

Read next: `shapes`.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import prod
from types import MappingProxyType

from dsl.ir.build import Builder
from dsl.ir.function import Atom
from dsl.ops import builders
from dsl.ops.cumulative import RunningParams
from dsl.ops.layout import AxesParams
from dsl.ops.search import ArgParams
from dsl.ops.table import OPS
from dsl.staging.intrinsics.axes import axes_of
from dsl.staging.intrinsics.elementwise import Pure
from dsl.staging.values import Value, as_atom
from dsl.types.dtype import BOOL, I32


def restore_axes(b: Builder, x: Atom, like: Atom, axes: tuple[int, ...], keepdims: Value) -> Atom:
    """The result with its reduced axes put back as 1, if so wished."""
    if not keepdims:
        return x
    shape = [1 if a in axes else n for a, n in enumerate(like.type.shape)]
    return builders.reshape(b, x, shape)


def merge_axes(b: Builder, x: Atom, axes: tuple[int, ...]) -> Atom:
    """Some axes as one, the last."""
    others = [a for a in range(x.type.rank) if a not in axes]
    front = builders.transpose(b, x, (*others, *axes))
    return builders.reshape(b, front, (*front.type.shape[: len(others)], prod(front.type.shape[len(others) :])))


def reduction(name: str) -> Pure:
    def call(b: Builder, x: Value, *, axis: Value = None, keepdims: Value = False) -> Value:
        array = as_atom(x)
        axes = axes_of(b, axis, array.type.rank)
        return restore_axes(b, reduce_axes(b, name, array, axes), array, axes, keepdims)

    return call


def reduce_axes(b: Builder, name: str, x: Atom, axes: tuple[int, ...]) -> Atom:
    return b.emit(OPS[name], AxesParams(axes), (x,))[0] if axes else x


def sum_(b: Builder, x: Value, *, axis: Value = None, keepdims: Value = False) -> Value:
    """Counts in i32 where x is bool."""
    array = as_atom(x)
    if array.type.dtype is BOOL:
        array = builders.convert(b, array, I32)
    axes = axes_of(b, axis, array.type.rank)
    return restore_axes(b, builders.reduce_sum(b, array, axes), array, axes, keepdims)


def arg_extremum(name: str) -> Pure:
    """The first index of the largest (or smallest) element; of the elements in order along several axes."""

    def call(b: Builder, x: Value, *, axis: Value = None, keepdims: Value = False) -> Value:
        array = as_atom(x)
        axes = axes_of(b, axis, array.type.rank)
        flat, place = (array, axes[0]) if len(axes) == 1 else (merge_axes(b, array, axes), array.type.rank - len(axes))
        found = b.emit(OPS[name], ArgParams(place, I32), (flat,))[0]
        return restore_axes(b, found, array, axes, keepdims)

    return call


def cumulative(name: str) -> Pure:
    def call(b: Builder, x: Value, *, axis: Value = 0, reverse: Value = False) -> Value:
        array = as_atom(x)
        (place,) = axes_of(b, axis, array.type.rank)
        return b.emit(OPS[name], RunningParams(place, bool(reverse)), (array,))[0]

    return call


REDUCTIONS: Mapping[str, Pure] = MappingProxyType(
    {
        "sum": sum_,
        "prod": reduction("reduce_prod"),
        "max": reduction("reduce_max"),
        "min": reduction("reduce_min"),
        "any": reduction("reduce_or"),
        "all": reduction("reduce_and"),
        "argmax": arg_extremum("argmax"),
        "argmin": arg_extremum("argmin"),
        **{name: cumulative(name) for name in ("cumsum", "cumprod", "cummax")},
    }
)
