"""Which dtypes hold which numbers, as conditions on static values: also of a dtype that is not known yet."""

from __future__ import annotations

from collections.abc import Iterable
from math import isfinite

from dsl.types.dtype import BY_NAME, DType, integer_range
from dsl.types.facts import Known, OpaqueProp, Prop, conjunction, disjunction, ge, lt, negation, simplified
from dsl.types.limits import AXIS
from dsl.types.shape import Shape, StaticArg, Written
from dsl.types.size import Size
from dsl.types.static_conditions import compare, is_known, value_of


def holds(dtype: DType, number: Size) -> Prop:
    """That a dtype holds an integer; floats of a larger range than the sizes of axes are taken to."""
    if dtype.is_integer:
        least, greatest = integer_range(dtype)
    elif dtype.overflow is not None and dtype.overflow <= AXIS:
        greatest = int(dtype.overflow) - 1
        least = -greatest
    else:
        return Known(True)
    return simplified(conjunction([ge(number, least), lt(number, greatest + 1)]))


def holds_whichever(name: StaticArg, candidates: Iterable[DType], number: Size) -> list[Prop]:
    """The same of each dtype that one, known by this name, may turn out to be."""
    same = [(dtype, compare("==", name, Written(str(dtype)))) for dtype in candidates]
    return [disjunction([negation(is_this), holds(dtype, number)]) for dtype, is_this in same]


def holds_call(dtype: StaticArg, numbers: Shape) -> Prop:
    """That a dtype holds all of a list of integers, as a call while the dtype is not known."""
    if not isinstance(dtype, Written):
        return OpaqueProp("holds", (dtype, numbers), _held)
    sizes = [size for size in numbers.dims if isinstance(size, Size)]
    return conjunction([holds(BY_NAME[dtype.text], size) for size in sizes])


def holds_float(dtype: StaticArg, number: StaticArg) -> Prop:
    """That a dtype holds a float or complex number, as a call while one of them is not known."""
    if not isinstance(dtype, Written) or not is_known(number):
        return OpaqueProp("holds", (dtype, number), _held_float)
    value = value_of(number)
    return Known(not isinstance(value, int | float | complex) or fits_in(value, BY_NAME[dtype.text]))


def _held_float(dtype: StaticArg, number: StaticArg) -> Prop | None:
    found = holds_float(dtype, number)
    return found if isinstance(found, Known) else None


def fits_in(value: int | float | complex, dtype: DType) -> bool:
    """Whether a dtype holds a number: of integers, what is left of a float that is cut off."""
    if not dtype.is_integer or isinstance(value, complex):
        return stays_finite(value, dtype)
    low, high = integer_range(dtype)
    return low - 1 < value < high + 1


def stays_finite(value: int | float | complex, dtype: DType) -> bool:
    """Whether no part of a number becomes infinite in a dtype."""
    parts = (value.real, value.imag) if isinstance(value, complex) else (value,)
    return all(_stays_finite(part, dtype.overflow) for part in parts)


def _stays_finite(value: int | float, overflow: float | None) -> bool:
    try:
        number = float(value)
    except OverflowError:
        return False
    return overflow is None or not isfinite(number) or abs(number) < overflow


def _held(dtype: StaticArg, numbers: Shape) -> Prop | None:
    return holds_call(dtype, numbers) if isinstance(dtype, Written) else None
