"""Universal quantification over an integer of a range.

A comparison `size >= 0` holds everywhere in `low <= i < high` if it holds at both ends and the size lies above the
lesser of its values there: if it only rises, only falls, or is concave in `i`. `_Trend` says which by the look of the
size. Where the look does not tell, the values of a short literal range are tried one by one, and a remainder `a % b` is
taken for any number from 0 up to `b`, or for `a` itself where that lies there.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from enum import Flag, auto
from functools import reduce
from operator import and_, or_
from typing import assert_never

from msgspec import Struct

from dsl.types.facts import (
    And,
    Eq,
    Known,
    Le,
    Lt,
    Ne,
    Not,
    OpaqueProp,
    Or,
    Prop,
    atoms_of,
    conjunction,
    disjunction,
    le,
    lt,
    map_prop,
    simplified,
)
from dsl.types.size import Atom, FloorDiv, Max, Min, Mod, Monomial, Opaque, Size, SizeVar, rebuild

SHORT = 32
"""The longest range of which every value is tried."""


class Range(Struct, frozen=True):
    """The integers `low <= var < high`, at least one."""

    var: SizeVar
    low: Size
    high: Size


class Everywhere(Struct, frozen=True):
    """A proposition from which another follows for each integer of a range. `exact`: it follows from that in turn."""

    prop: Prop
    exact: bool


def everywhere(prop: Prop, over: Range) -> Everywhere:
    """Return the proposition for every integer of a range."""
    match simplified(prop):
        case found if over.var not in atoms_of(found):
            return Everywhere(found, True)
        case And(props):
            return _all([everywhere(each, over) for each in props])
        case Or(props):
            return _any_of(props, over)
        case Le() | Lt() as found:
            return _comparison(found, over)
        case Eq(a, b):
            return _all([_comparison(le(a, b), over), _comparison(le(b, a), over)])
        case Ne(a, b) as found:
            return _one_by_one(found, over) or _any_of((lt(a, b), lt(b, a)), over)
        case Known() | OpaqueProp() | Not() as found:
            return _one_by_one(found, over) or Everywhere(Known(False), False)
        case unreachable:
            assert_never(unreachable)


def _all(found: Iterable[Everywhere]) -> Everywhere:
    each = list(found)
    return Everywhere(conjunction([one.prop for one in each]), all(one.exact for one in each))


def _any_of(props: tuple[Prop, ...], over: Range) -> Everywhere:
    """At most one of the alternatives changes with the integer: the others hold for all or for none."""
    moving = [over.var in atoms_of(each) for each in props]
    if sum(moving) > 1 and (tried := _one_by_one(Or(props), over)) is not None:
        return tried
    found = [everywhere(each, over) for each in props]
    return Everywhere(disjunction([one.prop for one in found]), sum(moving) == 1 and all(one.exact for one in found))


def _comparison(prop: Le | Lt, over: Range) -> Everywhere:
    trend = _trend(prop.right - prop.left, over.var)
    if trend & _Trend.RISES:
        return Everywhere(_put(prop, over.var, over.low), True)
    if trend & _Trend.FALLS:
        return Everywhere(_put(prop, over.var, over.high - 1), True)
    if trend & _Trend.CONCAVE:
        return Everywhere(conjunction([_put(prop, over.var, end) for end in (over.low, over.high - 1)]), True)
    return _one_by_one(prop, over) or _by_remainder(prop, over) or Everywhere(Known(False), False)


def _one_by_one(prop: Prop, over: Range) -> Everywhere | None:
    """The proposition for each value of a short literal range."""
    low, high = over.low.constant, over.high.constant
    if low is None or high is None or high - low > SHORT:
        return None
    return Everywhere(conjunction([_put(prop, over.var, Size.of(value)) for value in range(low, high)]), True)


def _put(prop: Prop, var: SizeVar, value: Size) -> Prop:
    return map_prop(prop, lambda size: size.substitute({var: value}))


def _by_remainder(prop: Le | Lt, over: Range) -> Everywhere | None:
    """A remainder of the integer is any number below its divisor, or the dividend itself."""
    atoms = (atom for atom in atoms_of(prop) if isinstance(atom, Mod))
    found = next((atom for atom in atoms if _is_of(atom, over.var)), None)
    if found is None:
        return None
    rest = SizeVar(-abs(over.var.id) - 1, "r")
    free = _replaced(prop, found, Size.of(rest))
    whole = everywhere(free, Range(rest, Size.of(0), found.denominator))
    wrapped = everywhere(whole.prop, over)
    within = (le(0, found.numerator), lt(found.numerator, found.denominator))
    unwrapped = everywhere(And((*within, _replaced(prop, found, found.numerator))), over)
    takes_all = over.var not in atoms_of(free) and _takes_all(found, over)
    exact = takes_all and whole.exact and unwrapped.exact
    return Everywhere(disjunction([wrapped.prop, unwrapped.prop]), exact)


def _is_of(atom: Mod, var: SizeVar) -> bool:
    """Return whether this is a remainder of the integer by a size that does not change with it."""
    moves = var in atom.numerator.vars() and var not in atom.denominator.vars()
    return moves and atom.denominator.is_nonnegative()


def _takes_all(atom: Mod, over: Range) -> bool:
    """Return whether a remainder takes all values below its divisor, unless it is the dividend everywhere."""
    if atom.numerator == Size.of(over.var) and over.low == Size.of(0):
        return True
    linear = atom.numerator.linear_in(over.var)
    steps = linear is not None and linear[0].constant in (1, -1)
    return steps and (over.high - over.low - atom.denominator).is_nonnegative()


def _replaced(prop: Prop, atom: Atom, value: Size) -> Prop:
    def rename(other: Atom) -> Size:
        return value if other == atom else rebuild(other, rename)

    return map_prop(prop, lambda size: size.map_atoms(rename))


def rises(size: Size, var: SizeVar) -> bool:
    """Return whether a size never falls while an integer grows, by its look."""
    return bool(_trend(size, var) & _Trend.RISES)


def falls(size: Size, var: SizeVar) -> bool:
    """Return whether a size never rises while an integer grows, by its look."""
    return bool(_trend(size, var) & _Trend.FALLS)


class _Trend(Flag):
    """How a size changes while an integer grows."""

    RISES = auto()
    FALLS = auto()
    CONCAVE = auto()
    CONVEX = auto()

    def turned(self) -> _Trend:
        """Return the trend of the negated value."""
        return reduce(or_, [other for one, other in _OPPOSITES if self & one], _Trend(0))


_OPPOSITES = (
    (_Trend.RISES, _Trend.FALLS),
    (_Trend.FALLS, _Trend.RISES),
    (_Trend.CONCAVE, _Trend.CONVEX),
    (_Trend.CONVEX, _Trend.CONCAVE),
)
_MONOTONE = _Trend.RISES | _Trend.FALLS
_CONSTANT = _MONOTONE | _Trend.CONCAVE | _Trend.CONVEX


def _trend(size: Size, var: SizeVar) -> _Trend:
    """Return the monotonic trend of a sum from its terms; failing that, with the terms outside a quotient moved into
    it."""
    plain = reduce(and_, [_of_term(monomial, factor, var) for monomial, factor in size.terms], _CONSTANT)
    return plain or next((found for whole in _taken_in(size, var) if (found := _of_quotient(*whole, var))), plain)


def _taken_in(size: Size, var: SizeVar) -> Iterator[tuple[int, Size, Size]]:
    """The size as `factor * (numerator // divisor) + rest`, where the integer stands outside of such a quotient, too:
    `(n + i - 1) // 2 - i` as `(n - i - 1) // 2`."""
    slope = dict(size.terms).get(((var, 1),), 0)
    for monomial, factor in size.terms if slope else ():
        match monomial:
            case ((FloorDiv(numerator, divisor), 1),) if (divisor.constant or 0) > 0 and slope % factor == 0:
                outside = Size.of(var) * (slope // factor)
                rest = size - Size.of(FloorDiv(numerator, divisor)) * factor - outside * factor
                yield factor, numerator + outside * divisor, rest
            case _:
                continue


def _of_quotient(factor: int, numerator: Size, rest: Size, var: SizeVar) -> _Trend:
    inside = _trend(numerator, var) & _MONOTONE
    return (inside if factor > 0 else inside.turned()) & _trend(rest, var)


def _of_term(monomial: Monomial, factor: int, var: SizeVar) -> _Trend:
    moving = [(atom, power) for atom, power in monomial if var in Size.of(atom).vars()]
    trend = _of_product(moving, var)
    if not all(atom.natural or power % 2 == 0 for atom, power in monomial if (atom, power) not in moving):
        trend &= trend.turned()
    return trend if factor > 0 else trend.turned()


def _of_product(factors: Sequence[tuple[Atom, int]], var: SizeVar) -> _Trend:
    """Of factors that are not negative, and rise or fall together."""
    trend = reduce(and_, [_of_atom(atom, var) for atom, _ in factors], _CONSTANT)
    if sum(power for _, power in factors) <= 1:
        return trend
    if not trend & _MONOTONE or not all(atom.natural for atom, _ in factors):
        return _Trend(0)
    return trend & (_MONOTONE | _Trend.CONVEX)


def _of_atom(atom: Atom, var: SizeVar) -> _Trend:
    match atom:
        case SizeVar():
            return _CONSTANT & ~_Trend.FALLS
        case FloorDiv(numerator, denominator):
            if var in denominator.vars() or not denominator.is_nonnegative():
                return _Trend(0)
            return _trend(numerator, var) & _MONOTONE
        case Min(args):
            return reduce(and_, [_trend(arg, var) for arg in args], _MONOTONE | _Trend.CONCAVE)
        case Max(args):
            return reduce(and_, [_trend(arg, var) for arg in args], _MONOTONE | _Trend.CONVEX)
        case Mod() | Opaque():
            return _Trend(0)
        case _:
            assert_never(atom)
