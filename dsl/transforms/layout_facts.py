"""How one value lies over the axes of a mesh, as a set of bits in which a bit more is to know less.

So rules of region ops carry layouts through their bodies as they carry other facts (`RegionOp.flow`). For each axis of
the mesh there is a bit for each axis of an array, counted from the last: it is set unless the array may be cut there.
An array that is cut has all bits but one, one that is whole has all, and a constant, which may be cut anywhere, none.
Counted from the last, the axes of a slice have the numbers that they have in the whole array. Read next: `layouts`.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import prod
from typing import TypeAlias

from msgspec import Struct

from dsl.ir.function import Tensor
from dsl.ops.named_axes import NamedAxisParams

Layout: TypeAlias = Mapping[NamedAxisParams, int]
"""The axis of an array that each axis of the mesh cuts; along all others the array is the same."""

_FIRST = 3
"""Bits below are those of other facts, which some rules add."""
_PLACES = 64
_EVERY = (1 << _PLACES) - 1
FREE = 0
"""The fact of a constant."""


class Grid(Struct, frozen=True):
    """The axes of a mesh, over which facts speak."""

    axes: tuple[NamedAxisParams, ...]

    @property
    def whole(self) -> int:
        """Return the fact of an array that each device has whole."""
        return ((1 << _PLACES * len(self.axes)) - 1) << _FIRST

    @property
    def unknown(self) -> int:
        """Return the bit of a value whose layout is not decided yet."""
        return 1 << (_FIRST + _PLACES * len(self.axes))

    @property
    def devices(self) -> int:
        """Return how many places the mesh has."""
        return prod([axis.size for axis in self.axes])

    def fact(self, layout: Layout, rank: int) -> int:
        """Return the fact of an array that lies so, whole along the axes of the mesh that are not named."""
        found = self.whole
        for k, axis in enumerate(self.axes):
            if axis in layout:
                found &= ~(1 << self._bit(k, rank - 1 - layout[axis]))
        return found

    def layout(self, fact: int, rank: int) -> dict[NamedAxisParams, int]:
        """Return what a fact says of an array of this rank."""
        places = {axis: rank - 1 - place for axis, place in self._places(fact)}
        return {axis: place for axis, place in places.items() if place >= 0}

    def lost(self, fact: int, rank: int) -> list[NamedAxisParams]:
        """Return the axes of the mesh that cut an axis which an array of this rank, a slice, no longer has."""
        return [axis for axis, place in self._places(fact) if place >= rank]

    def free(self, fact: int) -> list[NamedAxisParams]:
        """Return the axes of the mesh along which a value may be cut anywhere."""
        return [axis for k, axis in enumerate(self.axes) if not self._row(fact, k)]

    def freed(self, fact: int, axes: list[NamedAxisParams]) -> int:
        """Return the fact of a value that may be cut anywhere along these axes of the mesh."""
        for axis in axes:
            fact &= ~(_EVERY << self._bit(self.axes.index(axis), 0))
        return fact

    def part(self, type: Tensor, fact: int) -> Tensor:
        """Return the type of what a device has of a value."""
        return part_type(type, self.layout(fact, type.rank))

    def bytes(self, type: Tensor, fact: int) -> int:
        """Return the bytes of a value on one device; the least that they can be where its layout is not decided."""
        return type.bytes // self.devices if fact & self.unknown else self.part(type, fact).bytes

    def _row(self, fact: int, k: int) -> int:
        return fact >> self._bit(k, 0) & _EVERY

    def _places(self, fact: int) -> list[tuple[NamedAxisParams, int]]:
        """The axes that cut, and where, counted from the last axis of the array."""
        rows = [(axis, _EVERY & ~row) for k, axis in enumerate(self.axes) if (row := self._row(fact, k))]
        return [(axis, left.bit_length() - 1) for axis, left in rows if left]

    @staticmethod
    def _bit(k: int, place: int) -> int:
        return _FIRST + _PLACES * k + place


def part_type(type: Tensor, layout: Layout) -> Tensor:
    """Return the type of what a device has of a value that lies so."""
    shape = list(type.shape)
    for axis, place in layout.items():
        shape[place] //= axis.size
    return Tensor(type.dtype, tuple(shape))
