"""How an array lies over devices that stand in a row, whatever their names are.

The row is counted by digits, the last the fastest: a `Tiling` has for each of them how many values it takes, and the
axis of the array that it cuts, none where the array is the same for all. Two arrays lie alike if their tilings are
equal. Read next: `lowering.stablehlo.collective`, `lowering.xla.places`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

Tiling: TypeAlias = tuple[tuple[int, int | None], ...]


def tiling(digits: Iterable[tuple[int, int | None]]) -> Tiling:
    """The tiling of these digits: neighbours that do the same are one."""
    found: list[tuple[int, int | None]] = []
    for count, axis in digits:
        if found and found[-1][1] == axis:
            found[-1] = (found[-1][0] * count, axis)
        elif count > 1:
            found.append((count, axis))
    return tuple(found)


def counts(cut: Tiling, rank: int) -> list[int]:
    """Into how many parts each axis of an array is cut."""
    found = [1] * rank
    for count, axis in cut:
        if axis is not None:
            found[axis] *= count
    return found


def fits(cut: Tiling, shape: tuple[int, ...]) -> bool:
    """Return whether an array of this shape can be cut so."""
    axes = [axis for _, axis in cut if axis is not None]
    if not all(0 <= axis < len(shape) for axis in axes):
        return False
    return not any(n % count for n, count in zip(shape, counts(cut, len(shape)), strict=True))


def part(cut: Tiling, shape: tuple[int, ...], device: int) -> tuple[slice, ...]:
    """Which part of an array of this shape lies on a device of the row."""
    places = [0] * len(shape)
    steps = [1] * len(shape)
    for count, axis in reversed(cut):
        device, digit = divmod(device, count)
        if axis is not None:
            places[axis] += digit * steps[axis]
            steps[axis] *= count
    sizes = [n // step for n, step in zip(shape, steps, strict=True)]
    return tuple([slice(k * size, (k + 1) * size) for k, size in zip(places, sizes, strict=True)])
