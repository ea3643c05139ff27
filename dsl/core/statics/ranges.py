"""Which dtypes hold which numbers, as conditions on static values: also of a dtype that is not known yet."""

from __future__ import annotations

from collections.abc import Iterable
from math import isfinite

from dsl.types.dtype import BY_NAME, F16, DType, integer_range, integers_of
from dsl.types.facts import Known, OpaqueProp, Prop, conjunction, disjunction, ge, lt, negation, simplified
from dsl.types.intervals import interval, of_any_value
from dsl.types.shape import StaticArg, Written
from dsl.types.size import Size
from dsl.types.static_conditions import compare, value_of
from dsl.types.static_parts import has_gap


def holds(dtype: DType, number: Size) -> Prop:
    """Return the condition that a dtype holds an integer: a comparison, or a call for numbers larger than any array of
    integers holds."""
    within = _within(dtype, number)
    if isinstance(within, Known) or dtype.is_integer or dtype == F16:
        return within
    return OpaqueProp("holds", (Written(str(dtype)), number), holds_call, _meaning, symbolic=True)


def _within(dtype: DType, number: Size) -> Prop:
    held, (low, high) = integers_of(dtype), interval(number, of_any_value)
    if held is None or (held[0] <= low and high <= held[1]):
        return Known(True)
    return simplified(conjunction([ge(number, held[0]), lt(number, held[1] + 1)]))


def _meaning(dtype: Written, number: Size) -> Prop:
    return _within(BY_NAME[dtype.text], number)


def holds_whichever(name: StaticArg, candidates: Iterable[DType], number: Size) -> list[Prop]:
    """Return the conditions of `holds` for each dtype that the variable of this name may denote."""
    same = [(dtype, compare("==", name, Written(str(dtype)))) for dtype in candidates]
    return [disjunction([negation(is_this), holds(dtype, number)]) for dtype, is_this in same]


def holds_call(dtype: StaticArg, number: Size) -> Prop:
    """Return `holds` as a call, while the dtype is unknown."""
    if not isinstance(dtype, Written):
        return OpaqueProp("holds", (dtype, number), holds_call, symbolic=True)
    return holds(BY_NAME[dtype.text], number)


def holds_float(dtype: StaticArg, number: StaticArg) -> Prop:
    """Return the condition that a dtype holds a float or complex number; a call while either is unknown."""
    if not isinstance(dtype, Written) or has_gap(number):
        return OpaqueProp("holds", (dtype, number), _held_float)
    value = value_of(number)
    return Known(not isinstance(value, int | float | complex) or fits_in(value, BY_NAME[dtype.text]))


def _held_float(dtype: StaticArg, number: StaticArg) -> Prop | None:
    found = holds_float(dtype, number)
    return found if isinstance(found, Known) else None


def fits_in(value: int | float | complex, dtype: DType) -> bool:
    """Return whether a dtype holds a number: of integers, what is left of a float that is cut off."""
    if not dtype.is_integer or isinstance(value, complex):
        return stays_finite(value, dtype)
    low, high = integer_range(dtype)
    return low - 1 < value < high + 1


def stays_finite(value: int | float | complex, dtype: DType) -> bool:
    """Return whether no part of a number becomes infinite in a dtype."""
    parts = (value.real, value.imag) if isinstance(value, complex) else (value,)
    return all(_stays_finite(part, dtype.overflow) for part in parts)


def _stays_finite(value: int | float, overflow: float | None) -> bool:
    try:
        number = float(value)
    except OverflowError:
        return False
    return overflow is None or not isfinite(number) or abs(number) < overflow
