"""Attributes of library functions beside their types: lines such as `@elements(x)` above a `def`.

Only what no rule can find out from the body or the type is said so. `tests/stdlib` holds each attribute against values.
"""

from __future__ import annotations

from enum import Enum


class Attribute(Enum):
    """An attribute, by its name in the text; what stands in its parentheses are names of parameters."""

    ELEMENTS = "elements"
    """`@elements(x)`: every element of the result is one of x; `@elements(0)`: it is that number."""
    GIVEN = "given"
    """`@given(x)`: functions among the arguments are called for x alone, where their parameters are of its type."""
    WITHIN = "within"
    """`@within(start, stop)`: every element e of the result is in `start <= e < stop`; `@within(stop)`: from 0."""
    ZERO_DERIVATIVE = "zero_derivative"
    """`@zero_derivative`: steps; the derivative is zero wherever there is one."""
    CONSTANT = "constant"
    """`@constant`: nothing of the arguments is in the result but their types."""
    LINEAR = "linear"
    """`@linear(x, y)`: linear in x and y together, and in no other parameter."""
    MULTILINEAR = "multilinear"
    """`@multilinear(x, y)`: linear in each of x and y while the other is fixed."""
    NONLINEAR = "nonlinear"
    """`@nonlinear`: the derivative depends on the arguments; said of intrinsics that are no ops, which know."""
    NO_DERIVATIVE = "no_derivative"
    """`@no_derivative`: there is none, and none that is meant; the op says why."""
    NEW_KEY = "new_key"
    """`@new_key(key, data)`: a key that differs from that of all other data."""
    ONE_OF = "one_of"
    """`@one_of(branches)`: one of the functions in the tuple is called, once, and none of the others."""
    STATIC_NUMBERS = "static_numbers"
    """`@static_numbers`: static numbers give a static number, by `dsl.core.statics.numbers`. A definition that is an
    intrinsic of that name does so without saying it."""
