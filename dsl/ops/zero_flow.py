"""Facts about selected zeros, infinities and nan, and how ops propagate them.

A zero is one *by selection* if it was made by a choice (`where`, a batched `if`) or by the place it stands at (what a
slice leaves out); see `elementwise`. What is known of a value is a set of bits, in which a bit more is to know less.
The rules here are those that several ops share. Knows no op. Read next: `dsl.transforms.zero_propagation`.
"""

from __future__ import annotations

from functools import reduce
from operator import and_, or_
from typing import Final

from dsl.ir.function import Equation
from dsl.ir.region import Facts

NOTHING: Final = 0
ZERO: Final = 1
"""Some element may be zero by selection."""
CHOSEN: Final = 2
"""And of these, one may be so by a choice between values that was made when the program ran. Of a truth value or an
integer: it is known only then, so that what it selects is chosen then."""
WILD: Final = 4
"""Some element may be infinite or nan."""
ANYTHING: Final = ZERO | CHOSEN | WILD


def moved(equation: Equation, known: Facts) -> int:
    """Propagate facts through an op that moves elements: an element of the operand may be one of the result."""
    return reduce(or_, known, NOTHING)


def computed(equation: Equation, known: Facts) -> int:
    """The result is computed from all operands: nothing in it was selected."""
    return reduce(or_, known, WILD)


def summed(equation: Equation, known: Facts) -> int:
    """Zero by selection only where all terms are."""
    return computed(equation, known) if reduce(and_, known, ZERO) else WILD


def selected(equation: Equation, known: Facts) -> int:
    """A zero among the operands may have been selected: when the program ran, unless the condition is the same in each
    run, as that of a triangle is."""
    condition, *branches = known
    found = moved(equation, tuple(branches))
    return found | (condition & CHOSEN) if found & ZERO else found


def multiplied(equation: Equation, known: Facts) -> int:
    """Propagate facts through a product. That a factor was selected, as the share of a maximum is, implies nothing
    about earlier branches."""
    of_x, of_y = known
    return of_x | (of_y & ~CHOSEN) | WILD


def converted(equation: Equation, known: Facts) -> int:
    """Propagate facts through a cast: a bool becomes a selected zero."""
    return ZERO if equation.inputs[0].type.dtype.is_bool else known[0] | WILD


def scattered(equation: Equation, known: Facts) -> int:
    """Sums into a value: zero by selection where that is."""
    return computed(equation, known) if known[0] & ZERO else WILD


def with_holes(equation: Equation, known: Facts) -> int:
    """Linear, with zeros of its own where nothing arrives."""
    return computed(equation, known) | ZERO
