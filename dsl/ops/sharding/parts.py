"""Arrays in equal parts along the axes of a mesh: types, values and parameters of bodies that see one part.

A `Cut` says for every axis of the mesh which axis of the array lies along it, none where all parts are the same there.
An axis of the array may lie along several axes of the mesh, the first of which is the slowest. Read next: `shard`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import gcd, prod
from operator import floordiv, mul
from typing import Any, TypeAlias

import numpy as np

from dsl.ir.build import Builder
from dsl.ir.function import Atom, Tensor
from dsl.ir.region import Axes, NamedAxis
from dsl.ops.layout import move_axis, reshape
from dsl.ops.named_axes import NamedAxisParams

Cut: TypeAlias = Axes
Cuts: TypeAlias = tuple[Cut, ...]
Sizes: TypeAlias = Sequence[int]
Mesh: TypeAlias = tuple[NamedAxisParams, ...]


def count_parts(mesh: Mesh) -> int:
    """How many parts there are on a mesh."""
    return prod([axis.size for axis in mesh])


def count_cuts(cut: Cut, mesh: Mesh, rank: int) -> list[int]:
    """Into how many parts each axis of an array is cut."""
    return [prod([axis.size for axis, place in zip(mesh, cut, strict=True) if place == k]) for k in range(rank)]


def share_parts(mesh: Mesh, devices: int) -> tuple[NamedAxis, ...] | None:
    """The axes of the mesh over so many devices, each of which gets neighbours: an axis is shared out only where those
    before it have a device for every place. None if that cannot be done equally."""
    found: list[NamedAxis] = []
    for axis in mesh:
        share = gcd(axis.size, devices)
        devices //= share
        found.append(NamedAxis(axis.name, share, devices))
        if share < axis.size and devices > 1:
            return None
    return tuple(found) if devices == 1 else None


def whole_type(type: Tensor, cut: Cut, sizes: Sizes) -> Tensor:
    """The type of what has this type in each of so many parts."""
    return _resized(type, cut, sizes, mul)


def part_type(type: Tensor, cut: Cut, sizes: Sizes) -> Tensor:
    """The inverse of `whole_type`."""
    return _resized(type, cut, sizes, floordiv)


def _resized(type: Tensor, cut: Cut, sizes: Sizes, change: Callable[[int, int], int]) -> Tensor:
    shape = list(type.shape)
    for axis, size in zip(cut, sizes, strict=True):
        if axis is not None:
            shape[axis] = change(shape[axis], size)
    return Tensor(type.dtype, tuple(shape))


def split(x: Any, cut: Cut, sizes: Sizes) -> list[Any]:
    """The parts of an array, the last axis of the mesh the fastest."""
    found = [x]
    for axis, size in zip(cut, sizes, strict=True):
        found = [p for y in found for p in ([y] * size if axis is None else np.split(y, size, axis))]
    return found


def join(found: Sequence[Any], cut: Cut, sizes: Sizes) -> Any:
    """The inverse of `split`; what is not cut is that of the first part."""
    for axis, size in reversed(list(zip(cut, sizes, strict=True))):
        groups = [found[k : k + size] for k in range(0, len(found), size)]
        found = [group[0] if axis is None else np.concatenate(group, axis) for group in groups]
    return found[0]


# --- axes in front, along which the parts of what is not cut are told apart ---------------------------------


def count_uncut(cut: Cut) -> int:
    """Along how many axes of the mesh nothing is cut."""
    return cut.count(None)


def complete_cut(cut: Cut) -> Cut:
    """The cut of a value with a new axis in front for each axis of the mesh along which it is not cut."""
    new = iter(range(len(cut)))
    return tuple([next(new) if axis is None else axis + count_uncut(cut) for axis in cut])


def lift(b: Builder, x: Atom, count: int) -> Atom:
    """With so many axes of size one in front."""
    return reshape(b, x, (*(1,) * count, *x.type.shape)) if count else x


def add_lifted_param(b: Builder, type: Tensor, count: int) -> Atom:
    """A new parameter for what `lift` gives, without the axes."""
    given = b.param(Tensor(type.dtype, (*(1,) * count, *type.shape)))
    return reshape(b, given, type.shape) if count else given


# --- along one axis of the mesh -----------------------------------------------------------------------------


def split_axis(b: Builder, x: Atom, part: Tensor, axis: int | None, count: int) -> Atom:
    """The parts of `x`, so many of this type side by side on `axis`, along a new axis in front."""
    if axis is None:
        return x
    return move_axis(b, reshape(b, x, (*part.shape[:axis], count, *part.shape[axis:])), axis, 0)


def join_axis(b: Builder, y: Atom, axis: int, count: int) -> Atom:
    """The inverse of `split_axis`."""
    shape = y.type.shape[1:]
    return reshape(b, move_axis(b, y, 0, axis), (*shape[:axis], count * shape[axis], *shape[axis + 1 :]))
