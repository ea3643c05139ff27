"""Integers as bits, and bools: and, or, xor, not, shifts, popcount, count_leading_zeros.

A shift by the width or more, or by a negative amount, shifts everything out, as XLA has it.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from dsl.ir.build import Builder
from dsl.ir.function import Atom
from dsl.ir.op import NONE, NoParams, Op
from dsl.ir.traits import CHEAP, Cost, Traits
from dsl.ops.pointwise import binary, unary
from dsl.ops.rule_helpers import Array
from dsl.types.dtype import BOOL, INTEGERS

_LOGIC = (BOOL, *INTEGERS)
_SHIFT = (0.0, 9.0)


def _unsigned(x: Array) -> Array:
    return x.view(np.dtype(f"u{x.dtype.itemsize}"))


def _width(x: Array) -> int:
    return int(x.dtype.itemsize) * 8


def _shift(move: Callable[[Array, Array], Array], beyond: Callable[[Array], Array]) -> Callable[..., Array]:
    """A shift by amounts read as unsigned; `beyond(x)` is the result of shifting by the width or more."""

    def compute(x: Array, amount: Array) -> Array:
        x, amount = np.ascontiguousarray(x), np.ascontiguousarray(amount)
        steps = _unsigned(amount)
        inside = steps < _width(x)
        safe = np.where(inside, steps, 0).astype(x.dtype)
        return np.where(inside, move(x, safe), beyond(x))

    return compute


def _logical_right(x: Array, amount: Array) -> Array:
    return (_unsigned(x) >> _unsigned(amount)).view(x.dtype)


def _signs(x: Array) -> Array:
    return np.where(x < 0, np.array(-1).astype(x.dtype), np.zeros_like(x))


def _bit_planes(x: Array) -> Array:
    """The bits of every element along a new last axis, the lowest first."""
    places = np.arange(_width(x)).astype(_unsigned(x).dtype)
    return np.asarray((_unsigned(np.ascontiguousarray(x))[..., None] >> places) & 1)


def _popcount(x: Array) -> Array:
    return np.asarray(_bit_planes(x).sum(-1))


def _leading_zeros(x: Array) -> Array:
    seen = np.maximum.accumulate(_bit_planes(x)[..., ::-1], axis=-1)
    return np.asarray(_width(x) - seen.sum(-1))


_SYMMETRIC = Traits(commutative=True, cost=Cost.CHEAP)
AND = binary("and", "Both, bit by bit.", np.bitwise_and, _LOGIC, None, traits=_SYMMETRIC)
OR = binary("or", "Either, bit by bit.", np.bitwise_or, _LOGIC, None, traits=_SYMMETRIC)
XOR = binary("xor", "One but not both, bit by bit.", np.bitwise_xor, _LOGIC, None, traits=_SYMMETRIC)
NOT = unary("not", "The opposite, bit by bit.", np.invert, _LOGIC, None, traits=CHEAP)
SHIFT_LEFT = binary(
    "shift_left",
    "x * 2 ** y, bits shifted out are lost.",
    _shift(np.left_shift, np.zeros_like),
    INTEGERS,
    None,
    domain=_SHIFT,
    traits=CHEAP,
)
SHIFT_RIGHT_ARITHMETIC = binary(
    "shift_right_arithmetic",
    "Bits move right, copies of the sign bit move in; of unsigned numbers too.",
    _shift(
        lambda x, y: (x.view(f"i{x.dtype.itemsize}") >> y.view(f"i{y.dtype.itemsize}")).view(x.dtype),
        lambda x: _signs(x.view(f"i{x.dtype.itemsize}")).view(x.dtype),
    ),
    INTEGERS,
    None,
    domain=_SHIFT,
    traits=CHEAP,
)
SHIFT_RIGHT_LOGICAL = binary(
    "shift_right_logical",
    "Bits move right, zeros move in.",
    _shift(_logical_right, np.zeros_like),
    INTEGERS,
    None,
    domain=_SHIFT,
    traits=CHEAP,
)
POPCOUNT = unary("popcount", "How many bits are set.", _popcount, INTEGERS, None)
CLZ = unary("count_leading_zeros", "How many bits above the highest one set.", _leading_zeros, INTEGERS, None)

BITS: tuple[Op[NoParams], ...] = (
    *(AND, OR, XOR, NOT),
    *(SHIFT_LEFT, SHIFT_RIGHT_ARITHMETIC, SHIFT_RIGHT_LOGICAL, POPCOUNT, CLZ),
)


def logical_and(b: Builder, x: Atom, y: Atom) -> Atom:
    """`x & y`, elementwise, of bools. Both of one shape."""
    return AND(b, NONE, x, y)[0]


def logical_or(b: Builder, x: Atom, y: Atom) -> Atom:
    """`x | y`, elementwise, of bools. Both of one shape."""
    return OR(b, NONE, x, y)[0]


def logical_not(b: Builder, x: Atom) -> Atom:
    """`~x`, elementwise, of bools."""
    return NOT(b, NONE, x)[0]
