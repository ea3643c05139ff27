"""Static values that are not sizes, computed: by functions of numbers, and as parts of others.

What depends on a value that is not known yet stays a computation (`Computed`) or a condition (`OpaqueProp`), which is
carried out for other arguments. All of it has names, so that it can be written down with a program (`encode`).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from dsl.core.statics.numbers import function_named
from dsl.types.facts import Known as TruthOf
from dsl.types.facts import OpaqueProp, Prop
from dsl.types.shape import PRESENT, Computed, StaticArg, StaticChoice, StaticVariant, Written
from dsl.types.static_conditions import may_be, value_of
from dsl.types.static_parts import has_gap


def value_at(shown: str, variant: str, places: tuple[int, ...], value: StaticArg) -> StaticArg:
    """Return the value at an access path inside an enum value of this variant, or its computation while the value is
    unknown. A `T?` that is present is its own value."""
    match value:
        case StaticVariant(name, args) if name == variant and args:
            return _part(args, places)
        case tuple() if variant == PRESENT:
            return _part(value, places)
        case StaticChoice(condition, then, orelse):
            inside = [value_at(shown, variant, places, one) for one in (then, orelse) if may_be(one, variant)]
            return StaticChoice.of(condition, inside[0], inside[-1]) if inside else value
    return Computed(shown, (value,), partial(value_at, shown, variant, places))


def _part(value: StaticArg, places: tuple[int, ...]) -> StaticArg:
    for place in places:
        assert isinstance(value, tuple)
        value = value[place]
    return value


def compute(function: str, *args: StaticArg) -> StaticArg:
    """Apply a function of numbers, or return the call while an argument is unknown."""
    if has_gap(args):
        return Computed(function, args, partial(compute, function))
    result = function_named(function, len(args))(*map(value_of, args))
    return result if isinstance(result, int) else Written(str(result))


def whole_number(computed: Callable[..., StaticArg], *args: StaticArg) -> int | None:
    """The integer that a computation gives; None where an argument is not known yet."""
    found = computed(*args)
    return found if isinstance(found, int) else None


def test_numbers(function: str, *args: StaticArg) -> Prop:
    """The truth that a function of numbers gives, or its call."""
    if has_gap(args):
        return OpaqueProp(function, args, partial(_truth, partial(test_numbers, function)))
    return TruthOf(bool(function_named(function, len(args))(*map(value_of, args))))


def _truth(test: Callable[..., Prop], *args: StaticArg) -> Prop | None:
    found = test(*args)
    return None if isinstance(found, OpaqueProp) else found
