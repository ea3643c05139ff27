"""Named axes as collectives know them: their params, and which functions speak of which.

An op is a collective if it says what all elements of its axis do together: `Op.along`. Knows no op of its own. Read
next: `collective`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from msgspec import Struct

from dsl.ir.function import Equation, Function
from dsl.ir.op import Op
from dsl.ir.region import NamedAxis
from dsl.ir.walk import equations


class NamedAxisParams(Struct, frozen=True):
    """The name of the axis, and how many elements it has. Where these are devices, `stride` is the distance of
    neighbours in the row of all devices."""

    name: str
    size: int
    stride: int = 1


def of_devices(axis: NamedAxis) -> NamedAxisParams:
    """The devices that share the elements of an axis, as an axis."""
    return NamedAxisParams(axis.name, axis.devices, axis.stride)


class GatherAxisParams(Struct, frozen=True):
    """`axis` is where the elements stand in the gathered array."""

    name: str
    size: int
    axis: int
    stride: int = 1


class PermuteParams(Struct, frozen=True):
    """Pairs of (giving, receiving) elements; each gives and receives once at most."""

    name: str
    size: int
    pairs: tuple[tuple[int, int], ...]
    stride: int = 1


def axis_of(equation: Equation) -> str | None:
    """The name of the axis, if the equation is a collective."""
    named: Any = equation.params
    return named.name if _is_collective(equation) else None


def _is_collective(equation: Equation) -> bool:
    return isinstance(equation.op, Op) and equation.op.along is not None


def spoken_axes(functions: Iterable[Function]) -> tuple[NamedAxisParams, ...]:
    """The axes whose elements the functions ask, at any depth."""
    said: list[Any] = [e.params for f in functions for e in equations(f) if _is_collective(e)]
    return tuple(dict.fromkeys([NamedAxisParams(p.name, p.size, p.stride) for p in said]))


def speaks(function: Function) -> bool:
    """Return whether the function asks other elements of any axis, at any depth."""
    return any(map(_is_collective, equations(function)))
