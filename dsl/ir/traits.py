"""Facts on which optimisations of a first-order op may rely, declared with it.

A trait that an op does not have is only a missed chance; one that it is said to have and has not is a wrong program,
so the tests hold every declared trait against the samples of its op. Knows no op. Read next: `op`.
"""

from __future__ import annotations

from enum import Enum, auto

from msgspec import Struct


class Cost(Enum):
    """The cost of recomputing a result, relative to keeping it in memory."""

    FREE = auto()
    """A splat or an index: larger than its operands, and nothing is computed. Never worth keeping."""
    CHEAP = auto()
    """A compiler computes it where it is used, a second time too, at no cost to speak of."""
    MODERATE = auto()
    """Worth keeping, except of a few numbers: to store and load them is more than to compute them."""
    HIGH = auto()
    """Always worth keeping."""


class Traits(Struct, frozen=True, kw_only=True):
    """`commutative`: the first two operands may be exchanged.

    `moves`: every real number in a result is one of an operand, but for its sign, or zero.

    `multilinear`: the operands in each of which the op is linear while all others are fixed. An op that has a transpose
    rule and lists none is linear in all its inexact operands together.

    `apart`: there are as many results as operands, and each is its own operand.
    """

    commutative: bool = False
    moves: bool = False
    multilinear: tuple[int, ...] = ()
    apart: bool = False
    cost: Cost = Cost.HIGH


PLAIN = Traits()
MOVES = Traits(moves=True)
CHEAP = Traits(cost=Cost.CHEAP)
MODERATE = Traits(cost=Cost.MODERATE)
