"""How large what is known at compile time may grow, and what is raised beyond.

A short text can mean a huge number, size or type: a number squared sixty times, a pair of pairs of pairs. Whoever
builds such a thing asks here first, so that nothing hangs on it; the evaluator reports where it happened. The
limits are far above what programs need and far below what takes noticeable time. Knows nothing of programs.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum

BITS = 14_000
"""Of a static integer: Python prints no integer much longer than this."""
TERMS = 1_000
"""Of a size as a polynomial."""
PRODUCTS = 20_000
"""Of terms, when two sizes are multiplied."""
DEGREE = 256
"""Of a size as a polynomial."""
ATOMS = 250
"""Variables, divisions, remainders, minima, maxima and calls within one of these."""
PARTS = 10_000
"""Of a type or a static value, all that is nested in it counted."""
LEVELS = 100
"""Of tuples, records and functions within one another in a type."""
CONDITIONS = 1_000
"""Comparisons within one condition."""
ELEMENTS = 10_000
"""Of one static list, and axes of one shape."""
AXES = 64
"""Of one array, as in NumPy."""
AXIS = 1 << 30
"""Elements along one axis: the sum of two indices fits into 32 bits."""
STEPS = 50_000
"""Expressions evaluated again for one expression of the text: in calls, lambdas, and turns of unrolled loops."""
SEARCHED = 5_000
"""Expressions evaluated to compute one call that was left as a call; beyond, its value is not known. What is too large
by itself is reported as anywhere."""
EQUATIONS = 100_000
"""Of one function of the intermediate representation: nested derivatives and unrolled loops multiply them."""
DEPTH = 400
"""Calls within one another that are evaluated while checking."""
CALLS = 100_000
"""Of definitions and lambdas, in a function that is compiled."""
NESTED_CALLS = 2_000
"""Of these, within one another."""


class Growth(Enum):
    """The quantity that exceeded its budget."""

    INTEGER = "integer"
    FLOAT = "float"
    SIZE = "size"
    CONDITION = "condition"
    PARTS = "parts"
    LEVELS = "levels"
    ELEMENTS = "elements"
    AXES = "axes"
    STEPS = "steps"
    DEPTH = "depth"
    EQUATIONS = "equations"


class Exceeded(Exception):
    """Something grew beyond its budget, in these calls, outermost first."""

    def __init__(self, growth: Growth, calls: Sequence[str] = ()) -> None:
        super().__init__(growth.value)
        self.growth = growth
        self.calls = tuple(calls)


def check_bits(value: int) -> int:
    """A static integer that may be computed with."""
    if value.bit_length() > BITS:
        raise Exceeded(Growth.INTEGER)
    return value


def power(base: int, exponent: int) -> int:
    """`base ** exponent` of static integers, `exponent >= 0`."""
    if (abs(base).bit_length() - 1) * exponent > BITS:
        raise Exceeded(Growth.INTEGER)
    return check_bits(base**exponent)


def shift_left(value: int, places: int) -> int:
    """`value << places` of static integers, `places >= 0`."""
    if value and places > BITS:
        raise Exceeded(Growth.INTEGER)
    return check_bits(value << places)


def weight(parts: int) -> int:
    """The weight of something of so many parts, itself counted."""
    if parts >= PARTS:
        raise Exceeded(Growth.PARTS)
    return parts + 1


def levels(inside: int) -> int:
    """The levels of something around what has so many."""
    if inside >= LEVELS:
        raise Exceeded(Growth.LEVELS)
    return inside + 1


def nested(atoms: int) -> int:
    """The weight of an atom of a size with so many atoms in it, itself counted."""
    if atoms >= ATOMS:
        raise Exceeded(Growth.SIZE)
    return atoms + 1


def compound(conditions: int) -> int:
    """The weight of a condition made of so many comparisons."""
    if conditions > CONDITIONS:
        raise Exceeded(Growth.CONDITION)
    return conditions


def check_axes(count: int) -> None:
    """Raises Exceeded for more axes than an array may have."""
    if count > AXES:
        raise Exceeded(Growth.AXES)
