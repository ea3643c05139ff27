"""The parts of sizes, shapes, conditions and call arguments."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from enum import Enum, auto

from dsl.types.facts import And, Eq, Le, Lt, Ne, Not, OpaqueProp, Or
from dsl.types.shape import Computed, Shape, ShapeVar, Splice, StaticChoice, StaticName, StaticVariant
from dsl.types.size import FloorDiv, Max, Min, Mod, Opaque, Size, SizeVar, parts

UNKNOWN = "…"
"""The name of a value of which nothing can be said but that it equals itself."""


class Gap(Enum):
    """Why a value is not a constant."""

    REPORTED = auto()
    """It depends on what was reported: nothing more is said of it."""
    UNNAMED = auto()
    """It depends on a value that the program has no name for: nobody who calls can choose it."""
    OPEN = auto()
    """It depends on variables, or on calls that are not computed yet, or have no value."""


def has_gap(value: object, *gaps: Gap) -> bool:
    """Return whether a value depends on something with one of these gaps: on anything that is not known, unless some
    are listed."""
    wanted = gaps or tuple(Gap)
    return any(_gap(part) in wanted for part in subparts(value))


def _gap(part: object) -> Gap | None:
    match part:
        case SizeVar(poison=True) | ShapeVar(poison=True):
            return Gap.REPORTED
        case StaticName(name=name) if name == UNKNOWN:
            return Gap.UNNAMED
        case SizeVar() | ShapeVar() | StaticName() | StaticChoice() | FloorDiv() | Mod() | Min() | Max():
            return Gap.OPEN
        case Opaque() | OpaqueProp() | Computed():
            return Gap.OPEN
        case _:
            return None


def static_names(value: object) -> frozenset[StaticName]:
    """The static values that are not known yet, wherever they stand."""
    return frozenset([part for part in subparts(value) if isinstance(part, StaticName)])


def names_in(value: object) -> frozenset[str]:
    """The names of the sizes, the shapes and the static values that are not known yet, wherever they stand."""
    return frozenset([part.name for part in subparts(value) if isinstance(part, SizeVar | ShapeVar | StaticName)])


def subparts(value: object) -> Iterator[object]:
    """A value and all that it is made of."""
    todo = [value]
    while todo:
        part = todo.pop()
        yield part
        todo += parts_of(part)


def parts_of(value: object) -> Iterable[object]:
    """Return the direct parts of a size, a shape, a condition or a call argument."""
    match value:
        case int() | float() | str():
            return ()  # most of what there is, so it is asked first
        case Opaque() | OpaqueProp() | Computed() | StaticVariant():
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
