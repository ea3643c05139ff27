"""Whether integers that a program computes are certain to fit their dtype, in which they would wrap around.

What is known of a run-time integer is a polynomial over run-time atoms. Sums and products keep it whether they wrap or
not: it is the value up to a multiple of the dtype's range, and *is* the value wherever a proof says that it lies in a
range that fits, as that of an index does. Whatever else looks at the value (comparisons, `//`, `%`, `min`, casts) is
told only what fits for all sizes, which is decided here by intervals of numbers: sizes and static integers are taken to
be at most `limits.AXIS`.
"""

from __future__ import annotations

from itertools import product
from math import inf, isinf, prod

from dsl.types import dtype as dt
from dsl.types.limits import AXIS
from dsl.types.size import Atom, FloorDiv, Max, Min, Mod, Opaque, Size, SizeVar
from dsl.types.type import Element
from typechecker.env.context import Context
from typechecker.env.values import Known, Traced

Interval = tuple[float, float]
"""The least and the greatest number; infinite where nothing is known."""


def without_wrap(ctx: Context, known: Known | None, element: Element) -> Known | None:
    """What is known of an integer of this dtype where that is certain to be the value itself."""
    return known if not isinstance(known, Traced) or _is_exact(ctx, known.value, element) else None


def _is_exact(ctx: Context, value: Size, element: Element) -> bool:
    if value.as_atom() in ctx.body.ranges:
        return True
    return all(fits(ctx, value, dtype) for dtype in ctx.body.solver.candidates(element))


def fits(ctx: Context, value: Size, dtype: dt.DType) -> bool:
    """Whether a polynomial over run-time atoms lies within an integer dtype for all sizes."""
    low, high = dt.integer_range(dtype)
    least, greatest = _interval(ctx, value)
    return low <= least and greatest <= high


def _interval(ctx: Context, value: Size) -> Interval:
    terms = [_scale(_product(ctx, monomial), coefficient) for monomial, coefficient in value.terms]
    return sum(low for low, _ in terms), sum(high for _, high in terms)


def _product(ctx: Context, monomial: tuple[tuple[Atom, int], ...]) -> Interval:
    """Of the factors, each at one of its ends. Infinite ends stay so beside a zero: nothing is claimed of them."""
    factors = [_atom_interval(ctx, atom) for atom, power in monomial for _ in range(power)]
    if any(inf in map(abs, factor) for factor in factors):
        return -inf, inf
    ends = [prod(corner) for corner in product(*factors)] if factors else [1]
    return min(ends), max(ends)


def _divided(end: float, by: int) -> float:
    return end if isinf(end) else end // by


def _scale(interval: Interval, by: int) -> Interval:
    ends = interval[0] * by, interval[1] * by
    return min(ends), max(ends)


def _atom_interval(ctx: Context, atom: Atom) -> Interval:
    match atom:
        case SizeVar() if atom in ctx.body.ranges:
            low, high = ctx.body.ranges[atom]
            least = -inf if low is None else _interval(ctx, low)[0]
            greatest = inf if high is None else _interval(ctx, high)[1] - 1
            return (least, min(greatest, AXIS)) if atom in ctx.body.range_atoms else (least, greatest)
        case SizeVar() | Opaque():
            return (0 if atom.natural else -AXIS), AXIS
        case FloorDiv(numerator, denominator):
            least, greatest = _interval(ctx, numerator)
            by = denominator.constant or 1
            return min(_divided(least, by), 0.0), max(_divided(greatest, by), 0.0)
        case Mod(_, denominator):
            return 0, max(_interval(ctx, denominator)[1] - 1, 0.0)
        case Min(args):
            found = [_interval(ctx, arg) for arg in args]
            return min(low for low, _ in found), min(high for _, high in found)
        case Max(args):
            found = [_interval(ctx, arg) for arg in args]
            return max(low for low, _ in found), max(high for _, high in found)
