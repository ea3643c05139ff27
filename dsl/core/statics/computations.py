"""Static values that are not sizes, computed and compared.

What depends on a value that is not known yet stays a computation (`Computed`) or a condition (`OpaqueProp`), which is
carried out for other arguments. All of it has names, so that it can be written down with a program (`encode`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import TypeAlias

from dsl.core.statics.numbers import OPERATORS, function_named
from dsl.types.facts import Eq, OpaqueProp, Prop, conjunction, negation, simplified
from dsl.types.facts import Known as TruthOf
from dsl.types.shape import PRESENT, Computed, Shape, StaticArg, StaticName, StaticVariant, Written, is_known
from dsl.types.size import Size

Value: TypeAlias = "int | float | complex | str | tuple[Value, ...] | None"

_TURNED: Mapping[str, str] = MappingProxyType({"==": "==", "<": ">", "<=": ">=", ">": "<", ">=": "<="})


def field_inside(shown: str, variant: str, place: int, value: StaticArg) -> StaticArg:
    """What lies inside of an enum value of this variant, or its computation where the value is not known yet."""
    if isinstance(value, StaticVariant) and value.name == variant:
        return value.args[place]
    return Computed(shown, (value,), partial(field_inside, shown, variant, place))


def compute(function: str, *args: StaticArg) -> StaticArg:
    """What a function of numbers gives, or its call where an argument is not known yet."""
    if not all(map(is_known, args)):
        return Computed(function, args, partial(compute, function))
    result = function_named(function, len(args))(*map(_value, args))
    return result if isinstance(result, int) else Written(str(result))


def whole_number(computed: Callable[..., StaticArg], *args: StaticArg) -> int | None:
    """The integer that a computation gives; None where an argument is not known yet."""
    found = computed(*args)
    return found if isinstance(found, int) else None


def test_numbers(function: str, *args: StaticArg) -> Prop:
    """The truth that a function of numbers gives, or its call."""
    if not all(map(is_known, args)):
        return OpaqueProp(function, args, partial(_truth, partial(test_numbers, function)))
    return TruthOf(bool(function_named(function, len(args))(*map(_value, args))))


def compare_numbers(op: str, left: StaticArg, right: StaticArg) -> Prop:
    """A comparison, its truth where both sides are known. It has one form however it is written: what is known stands
    on the right, and two unknown values are compared by `<`."""
    if op == "!=":
        return negation(compare_numbers("==", left, right))
    if op == "==" and isinstance(left, Shape) and isinstance(right, Shape) and left.sizes and right.sizes:
        return _same_sizes(left.sizes, right.sizes)
    known = is_known(left), is_known(right)
    if known == (True, True):
        return TruthOf(bool(OPERATORS[op](_value(left), _value(right))))
    if known == (True, False) or (known == (False, False) and op in (">", ">=")):
        op, left, right = _TURNED[op], right, left
    return OpaqueProp(op, (left, right), partial(_truth, partial(compare_numbers, op)))


def _same_sizes(left: Sequence[Size], right: Sequence[Size]) -> Prop:
    """That two lists of known length are equal, size by size."""
    if len(left) != len(right):
        return TruthOf(False)
    return simplified(conjunction([Eq(a, b) for a, b in zip(left, right, strict=True)]))


def _truth(test: Callable[..., Prop], *args: StaticArg) -> Prop | None:
    found = test(*args)
    return None if isinstance(found, OpaqueProp) else found


def _value(arg: StaticArg) -> Value:
    """A known argument, such that two are equal as the values that they stand for."""
    match arg:
        case Size():
            return arg.constant
        case Shape():
            return arg.literal
        case tuple():
            return tuple(map(_value, arg))
        case StaticVariant(name, (inner,)) if name == PRESENT:
            return _value(inner)
        case StaticVariant(name, args):
            return (name, *map(_value, args))
        case Written(text):
            return _number(text)
        case _:
            assert not isinstance(arg, StaticName | Computed)
            return arg


def _number(text: str) -> float | complex | str:
    for read in (float, complex):
        try:
            return read(text)
        except ValueError:
            continue
    return text
