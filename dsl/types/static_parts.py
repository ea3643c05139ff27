"""What sizes, shapes, conditions and arguments of calls are made of."""

from __future__ import annotations

from collections.abc import Iterable

from dsl.types.facts import And, Eq, Le, Lt, Ne, Not, OpaqueProp, Or
from dsl.types.shape import Computed, Shape, ShapeCall, ShapeVar, Splice, StaticChoice, StaticName, StaticVariant
from dsl.types.size import FloorDiv, Max, Min, Mod, Opaque, Size, SizeVar, parts


def static_names(value: object) -> frozenset[StaticName]:
    """The static values that are not known yet, wherever they stand."""
    inside = frozenset[StaticName]().union(*map(static_names, parts_of(value)))
    return inside | {value} if isinstance(value, StaticName) else inside


def names_in(value: object) -> frozenset[str]:
    """The names of the sizes, the shapes and the static values that are not known yet, wherever they stand."""
    match value:
        case SizeVar() | ShapeVar() | StaticName():
            return frozenset((value.name,))
        case _:
            return frozenset[str]().union(*map(names_in, parts_of(value)))


def parts_of(value: object) -> Iterable[object]:
    """What a size, a shape, a condition or an argument of a call is directly made of."""
    match value:
        case int() | float() | str():
            return ()  # most of what there is, so it is asked first
        case Opaque() | OpaqueProp() | ShapeCall() | Computed() | StaticVariant():
            return value.args
        case Size():
            return value.own_atoms()
        case FloorDiv() | Mod() | Min() | Max():
            return parts(value)
        case Shape(items) | And(items) | Or(items) | tuple(items):
            return items
        case Splice(inner) | Not(inner):
            return (inner,)
        case Eq(left, right) | Ne(left, right) | Le(left, right) | Lt(left, right):
            return left, right
        case StaticChoice(condition, then, orelse):
            return condition, then, orelse
        case _:
            return ()
