"""Between which numbers a size lies, by the numbers between which its variables and calls do.

Every polynomial, quotient, remainder, minimum and maximum has an interval for that; nothing is proved from facts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import reduce
from math import inf
from typing import TypeAlias, assert_never

from dsl.types.limits import AXIS
from dsl.types.shape import Shape
from dsl.types.size import Atom, FloorDiv, Max, Min, Mod, Opaque, Size, SizeVar

Interval: TypeAlias = tuple[float, float]
"""The least and the greatest number; infinite where nothing is known."""
OfAtom: TypeAlias = Callable[[SizeVar | Opaque], Interval]


def interval(value: Size, of_atom: OfAtom) -> Interval:
    terms = [_times(_product(monomial, of_atom), (by, by)) for monomial, by in value.terms]
    return _sum(low for low, _ in terms), _sum(high for _, high in terms)


def of_any_value(atom: SizeVar | Opaque) -> Interval:
    """Sizes, and what counts the parts of a shape, are at most those of axes; of integers and other calls nothing is
    known."""
    counts = isinstance(atom, SizeVar) or any(isinstance(arg, Shape) for arg in atom.args)
    return (0 if atom.natural else -inf), (AXIS if atom.natural and counts else inf)


def _is_infinite(end: float) -> bool:
    """Also of an integer that is too large for a float."""
    return abs(end) == inf


def _sum(ends: Iterable[float]) -> float:
    """Of integers of any size, and infinities of one sign."""
    every = [*ends]
    return next(filter(_is_infinite, every), None) or sum(every)


def _product(monomial: tuple[tuple[Atom, int], ...], of_atom: OfAtom) -> Interval:
    bounds: Interval = (1, 1)
    for atom, power in monomial:
        bounds = reduce(_times, [_of(atom, of_atom)] * power, bounds)
    return bounds


def _times(left: Interval, right: Interval) -> Interval:
    if any(map(_is_infinite, (*left, *right))):
        return _unbounded(left, right)
    ends = [a * b for a in left for b in right]
    return min(ends), max(ends)


def _unbounded(left: Interval, right: Interval) -> Interval:
    """The product of two intervals of which one has an infinite end."""
    if left[0] >= 0 and right[0] >= 0:
        return 0, inf
    if (left[0] >= 0 and right[1] <= 0) or (left[1] <= 0 and right[0] >= 0):
        return -inf, 0
    return -inf, inf


def _divided(end: float, by: int) -> float:
    return end if _is_infinite(end) else end // by


def _of(atom: Atom, of_atom: OfAtom) -> Interval:
    match atom:
        case SizeVar() | Opaque():
            return of_atom(atom)
        case FloorDiv(numerator, denominator):
            least, greatest = interval(numerator, of_atom)
            by = denominator.constant or 1
            return min(_divided(least, by), 0), max(_divided(greatest, by), 0)
        case Mod(_, denominator):
            return 0, max(interval(denominator, of_atom)[1] - 1, 0)
        case Min(args):
            found = [interval(arg, of_atom) for arg in args]
            return min(low for low, _ in found), min(high for _, high in found)
        case Max(args):
            found = [interval(arg, of_atom) for arg in args]
            return max(low for low, _ in found), max(high for _, high in found)
        case _:
            assert_never(atom)
