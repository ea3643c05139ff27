"""Static values that are not sizes, while they are not known: which of them are equal, which a condition chooses, and
the integers inside of them.

Conditions on them stay calls (`OpaqueProp`) until the values are known, and are shown as a user would write them.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import Any, TypeAlias, cast

from dsl.types.conditional import choose_prop, choose_shape, choose_size
from dsl.types.facts import EQUALS, Eq, Known, OpaqueProp, Prop, conjunction, negation, simplified
from dsl.types.shape import (
    PRESENT,
    Computed,
    Shape,
    ShapeCall,
    Splice,
    StaticArg,
    StaticChoice,
    StaticName,
    StaticVariant,
    Written,
)
from dsl.types.size import Opaque, Size, opaque
from dsl.types.static_parts import has_gap

Pair: TypeAlias = tuple[StaticArg, StaticArg]
Value: TypeAlias = "int | float | complex | str | tuple[Value, ...] | None"

_OPERATORS: Mapping[str, Callable[[Any, Any], bool]] = MappingProxyType(
    {"==": operator.eq, "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}
)
_TURNED: Mapping[str, str] = MappingProxyType({"==": "==", "<": ">", "<=": ">=", ">": "<", ">=": "<="})


# ---------------------------------------------------------------- truths


def flag(name: StaticName) -> OpaqueProp:
    """The truth of a static `bool`."""
    return OpaqueProp(name.name, (name,), truth_of)


def truth_of(value: StaticArg) -> Prop | None:
    """The condition that a static `bool` stands for; None for what is not one."""
    match value:
        case int():
            return Known(bool(value))
        case StaticName():
            return flag(value)
        case StaticChoice(condition, then, orelse):
            first, second = truth_of(then), truth_of(orelse)
            return None if first is None or second is None else choose_prop(condition, first, second)
        case _:
            return None


# ---------------------------------------------------------------- comparisons


def compare(op: str, left: StaticArg, right: StaticArg) -> Prop:
    """A comparison, decided as far as both sides are known. It has one form however it is written: what is known
    stands on the right, and two unknown values are compared by `<`. Compared with a variant without fields, a value is
    of this variant, whatever its fields."""
    match left, right:
        case StaticChoice(condition, then, orelse), _:
            return choose_prop(condition, compare(op, then, right), compare(op, orelse, right))
        case _, StaticChoice(condition, then, orelse):
            return choose_prop(condition, compare(op, left, then), compare(op, left, orelse))
    if op == "!=":
        return negation(compare("==", left, right))
    if op != EQUALS and (left is None or right is None):
        return Known(False)
    same = _same(left, right) if op == EQUALS else None
    if same is not None:
        return same
    known = not has_gap(left), not has_gap(right)
    if known == (True, True):
        return Known(_OPERATORS[op](value_of(left), value_of(right)))
    if known == (True, False) or (known == (False, False) and op in (">", ">=")):
        op, left, right = _TURNED[op], right, left
    return OpaqueProp(op, (left, right), partial(compare, op))


def _same(left: StaticArg, right: StaticArg) -> Prop | None:
    """Return the condition that two values are equal, part by part; None if their form does not determine it."""
    match left, right:
        case StaticVariant(name, (inner,)), other if name == PRESENT:
            return compare("==", inner, other)
        case other, StaticVariant(name, (inner,)) if name == PRESENT:
            return compare("==", other, inner)
        case StaticVariant(a, parts), StaticVariant(b, others):
            return _all_same(parts, others) if a == b and parts and others else Known(a == b)
        case ((int() | Size()), (int() | Size())):
            return simplified(Eq(Size.of(left), Size.of(right)))
        case (None, StaticVariant() | Shape() | Size()) | (StaticVariant() | Shape() | Size(), None):
            return Known(False)
    items, other_items = _items(left), _items(right)
    return None if items is None or other_items is None else _all_same(items, other_items)


def _items(value: StaticArg) -> Sequence[StaticArg] | None:
    return value.sizes if isinstance(value, Shape) else value if isinstance(value, tuple) else None


def _all_same(left: Sequence[StaticArg], right: Sequence[StaticArg]) -> Prop:
    if len(left) != len(right):
        return Known(False)
    return simplified(conjunction([compare("==", a, b) for a, b in zip(left, right, strict=True)]))


def exclude(one: OpaqueProp, other: OpaqueProp) -> bool:
    """Return whether both compare one value with known ones, such that not both comparisons can hold."""
    (value, limit), (same, bound) = cast("tuple[Pair, Pair]", (one.args, other.args))
    if value != same:
        return False
    if EQUALS in (one.name, other.name):
        least, rest = ((limit, other), (bound, one))[one.name != EQUALS]
        return compare(rest.name, least, cast("Pair", rest.args)[1]) == Known(False)
    turned = _TURNED[one.name][0] == other.name[0]
    return turned and compare(_between(one.name, other.name), bound, limit) == Known(False)


def _between(one: str, other: str) -> str:
    """How the limits of two opposite comparisons of a value must lie for it to lie between them: `x > limit` and `x <=
    bound` need `bound > limit`."""
    return one if one == _TURNED[other] else one.rstrip("=")


def value_of(arg: StaticArg) -> Value:
    """A known argument, such that two are equal as the values that they stand for."""
    match arg:
        case Size():
            return arg.constant
        case Shape():
            return arg.literal
        case tuple():
            return tuple(map(value_of, arg))
        case StaticVariant(name, (inner,)) if name == PRESENT:
            return value_of(inner)
        case StaticVariant(name, args):
            return (name, *map(value_of, args))
        case Written(text):
            return _number(text)
        case _:
            assert not isinstance(arg, StaticName | Computed | StaticChoice)
            return arg


def _number(text: str) -> float | complex | str:
    for read in (float, complex):
        try:
            return read(text)
        except ValueError:
            continue
    return text


# ---------------------------------------------------------------- choices, and what lies inside


def may_be(value: Hashable, variant: str) -> bool:
    """Return whether a value may turn out to be of this variant."""
    match value:
        case StaticVariant(name):
            return name == variant
        case StaticChoice(_, then, orelse):
            return may_be(then, variant) or may_be(orelse, variant)
        case _:
            return value is not None


def payload(of: StaticArg, shown: str, variant: str, places: tuple[int, ...], natural: bool = False) -> Size:
    """An integer inside of a static value that is not known yet: the field of a variant at a place, or within the
    tuple that stands there."""
    return opaque(shown, (of,), natural, partial(_payload_of, shown, variant, places, natural))


def payload_list(of: StaticArg, shown: str, variant: str, places: tuple[int, ...], natural: bool) -> Shape:
    """A list of integers inside of a static value that is not known yet; `natural`, if none is negative."""
    match of:
        case StaticVariant(name, (inner,)) if name == PRESENT:
            return payload_list(inner, shown, variant, places, natural)
        case StaticChoice(condition, then, orelse):
            ways = [one for one in (then, orelse) if may_be(one, variant)]
            inside = [payload_list(one, shown, variant, places, natural) for one in ways]
            found = choose_shape(condition, inside[0], inside[-1]) if inside else None
        case _:
            found = _listed(variant, places, of)
    call = ShapeCall(shown, (of,), partial(_payload_list_of, shown, variant, places, natural))
    return Shape((Splice(call),)) if found is None else found


def _payload_list_of(shown: str, variant: str, places: tuple[int, ...], natural: bool, value: StaticArg) -> Shape:
    return payload_list(value, shown, variant, places, natural)


def _listed(variant: str, places: tuple[int, ...], value: StaticArg) -> Shape | None:
    """The list that stands at a place in a value, as far as it is known."""
    match value:
        case StaticVariant(name, args) if name == variant and places and args:
            return _listed(PRESENT, places[1:], args[places[0]])
        case tuple() if places and variant == PRESENT:
            return _listed(variant, places[1:], value[places[0]])
        case Shape():
            return value
        case int() | Size():
            return Shape((Size.of(value),))
        case tuple():
            sizes = [Size.of(item) for item in value if isinstance(item, int | Size)]
            return Shape(tuple(sizes)) if len(sizes) == len(value) else None
        case _:
            return None


def may_be_negative(call: ShapeCall) -> bool | None:
    """Return whether a call is a list of integers inside of a static value, of which some may be negative; None for
    others."""
    inside = isinstance(call.compute, partial) and call.compute.func is _payload_list_of
    return not call.compute.args[-1] if isinstance(call.compute, partial) and inside else None


def is_free_number(call: Opaque) -> bool:
    """Return whether a call is an integer inside of a static value of which nothing is known: it may be any."""
    inside = isinstance(call.evaluate, partial) and call.evaluate.func is _payload_of
    return inside and isinstance(call.args[0], StaticName)


def _payload_of(shown: str, variant: str, places: tuple[int, ...], natural: bool, value: Hashable) -> int | Size | None:
    match value:
        case StaticVariant(name, args) if name == variant and places and args:
            return _payload_of(shown, variant, places[1:], natural, args[places[0]])
        case tuple() if places:
            return _payload_of(shown, variant, places[1:], natural, value[places[0]])
        case int() | Size():
            return value if not places or variant == PRESENT else None
        case StaticChoice(condition, then, orelse):
            inside = [payload(one, shown, variant, places, natural) for one in (then, orelse) if may_be(one, variant)]
            return choose_size(condition, inside[0], inside[-1]) if inside else None
        case _:
            return None
