"""How values depend on tangents, and what that says of a derivative of them. Read next: `tangent_linearity`."""

from __future__ import annotations

from collections.abc import Mapping, Set
from enum import IntEnum
from types import MappingProxyType


class Degree(IntEnum):
    """How a leaf depends on the tangents."""

    CONSTANT = 0
    ZERO = 1
    LINEAR = 2
    AFFINE = 3
    """Linear on some way and a number on another, or a sum of both."""
    UNKNOWN = 4
    NONLINEAR = 5
    """Not linear, which matters only where it is used."""
    QUADRATIC = 6
    """A product of two that are linear, whose derivative is linear."""
    QUADRATIC_SUM = 7
    """A number beside such a product."""
    NEVER = 8
    """Of a call that does not return."""


DEPENDENT = frozenset(Degree) - {Degree.CONSTANT, Degree.ZERO, Degree.UNKNOWN, Degree.NEVER}
WRONG = DEPENDENT - {Degree.LINEAR} | {Degree.CONSTANT}

_SUMS: Mapping[frozenset[Degree], Degree] = MappingProxyType(
    {
        frozenset({Degree.CONSTANT, Degree.LINEAR, Degree.AFFINE}): Degree.AFFINE,
        frozenset({Degree.CONSTANT, Degree.QUADRATIC, Degree.QUADRATIC_SUM}): Degree.QUADRATIC_SUM,
    }
)
"""What a sum of several of these is."""


def degree_of_sum(found: Set[Degree]) -> Degree:
    """Of a sum of leaves, or of one that is one of them."""
    if Degree.UNKNOWN in found or not found:
        return Degree.UNKNOWN
    if found == {Degree.NEVER}:
        return Degree.NEVER
    rest = frozenset(found - {Degree.ZERO, Degree.NEVER})
    if Degree.ZERO in found and Degree.AFFINE in found:
        return Degree.AFFINE
    if len(rest) < 2:
        return next(iter(rest), Degree.ZERO)
    return next((whole for parts, whole in _SUMS.items() if rest <= parts), Degree.NONLINEAR)


def degree_of_slope(value: Degree, point: Degree, captures: bool) -> Degree:
    """Of the derivative of a value by an argument at a point. With `captures` the value depends on tangents on other
    ways, too.

    A value that is a form of degree d in the tangents has a derivative that is one of degree d - m by an argument of
    degree m; one of higher degree, or no polynomial, has none that is linear."""
    if point == Degree.NEVER:
        return Degree.NEVER
    if point in (Degree.CONSTANT, Degree.ZERO):
        return value if value in _FORMS else Degree.UNKNOWN
    if point != Degree.LINEAR or (captures and value in _WITH_NUMBERS):
        return Degree.UNKNOWN
    return _AT_TANGENTS.get(value, Degree.UNKNOWN)


_FORMS = frozenset({Degree.NEVER, Degree.CONSTANT, Degree.ZERO, Degree.LINEAR, Degree.QUADRATIC})
_WITH_NUMBERS = frozenset({Degree.CONSTANT, Degree.ZERO, Degree.AFFINE, Degree.QUADRATIC_SUM})
_AT_TANGENTS: Mapping[Degree, Degree] = MappingProxyType(
    {
        Degree.NEVER: Degree.NEVER,
        Degree.CONSTANT: Degree.ZERO,
        Degree.ZERO: Degree.ZERO,
        Degree.LINEAR: Degree.CONSTANT,
        Degree.AFFINE: Degree.CONSTANT,
        Degree.QUADRATIC: Degree.LINEAR,
        Degree.QUADRATIC_SUM: Degree.LINEAR,
        Degree.NONLINEAR: Degree.NONLINEAR,
    }
)
