"""Wrap-around: proofs that computed integers fit their dtype.

What is known of a run-time integer is a polynomial over run-time atoms. Sums and products keep it whether they wrap or
not: it is the value up to a multiple of the dtype's range, and *is* the value wherever a proof says that it lies in a
range that fits, as that of an index does. Whatever else looks at the value (comparisons, `//`, `%`, `min`, casts) is
told only what fits for all sizes, which is decided here by intervals of numbers: sizes and static integers are taken to
be at most `limits.AXIS`.
"""

from __future__ import annotations

from functools import partial
from math import inf

from dsl.types import dtype as dt
from dsl.types.intervals import Interval, interval
from dsl.types.limits import AXIS
from dsl.types.size import Opaque, Size, SizeVar
from dsl.types.type import Element
from typechecker.env.context import Context
from typechecker.env.values import Known, Traced


def without_wrap(ctx: Context, known: Known | None, element: Element) -> Known | None:
    """Return the facts about an integer of this dtype if it certainly does not wrap around."""
    return known if not isinstance(known, Traced) or _is_exact(ctx, known.value, element) else None


def _is_exact(ctx: Context, value: Size, element: Element) -> bool:
    if value.as_atom() in ctx.body.ranges:
        return True
    return all(fits(ctx, value, dtype) for dtype in ctx.body.solver.candidates(element))


def fits(ctx: Context, value: Size, dtype: dt.DType) -> bool:
    """Return whether a polynomial over run-time atoms lies within an integer dtype for all sizes."""
    low, high = dt.integer_range(dtype)
    least, greatest = _interval(ctx, value)
    return low <= least and greatest <= high


def _interval(ctx: Context, value: Size) -> Interval:
    return interval(value, partial(_atom_interval, ctx))


def _atom_interval(ctx: Context, atom: SizeVar | Opaque) -> Interval:
    if not isinstance(atom, SizeVar) or atom not in ctx.body.ranges:
        return (0 if atom.natural else -AXIS), AXIS
    low, high = ctx.body.ranges[atom]
    least = -inf if low is None else _interval(ctx, low)[0]
    greatest = inf if high is None else _interval(ctx, high)[1] - 1
    return (least, min(greatest, AXIS)) if atom in ctx.body.range_atoms else (least, greatest)
