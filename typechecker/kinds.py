"""Questions that a type answers alone: is it a number, does it hold arrays, keys, or something already reported."""

from __future__ import annotations

from dsl.types import type as ty
from dsl.types.shape import Shape, Splice
from dsl.types.size import Size
from dsl.types.type import Type
from typechecker.instance import strip

NUMBERS = ("int", "float", "complex", "bool", "size")


def is_number(kind: Type) -> bool:
    """A static number: it has no dtype of its own."""
    return isinstance(kind, ty.StaticType) and kind.kind in NUMBERS


def holds_error(kind: Type) -> bool:
    """Whether part of a type was reported already."""
    match kind:
        case ty.ErrorType():
            return True
        case ty.TupleType(parts):
            return any(map(holds_error, parts))
        case ty.RecordType(fields):
            return any(holds_error(t) for _, t in fields)
        case ty.StackedType(element, _):
            return holds_error(element)
        case _:
            return False


def is_traced(kind: Type) -> bool:
    """Whether some leaf is a run-time array."""
    match kind:
        case ty.ArrayType() | ty.IndexType() | ty.KeyType() | ty.TypeVar():
            return True
        case ty.TupleType(parts):
            return any(map(is_traced, parts))
        case ty.RecordType(fields):
            return any(is_traced(t) for _, t in fields)
        case ty.StackedType(element, _):
            return is_traced(element)
        case _:
            return False


def holds_key(kind: Type) -> bool:
    """Whether some leaf is a key."""
    match kind:
        case ty.KeyType():
            return True
        case ty.TupleType(parts):
            return any(map(holds_key, parts))
        case ty.RecordType(fields):
            return any(holds_key(t) for _, t in fields)
        case ty.StackedType(element, _):
            return holds_key(element)
        case _:
            return False


def erroneous(size: Size) -> bool:
    """Whether a size stands for one that was reported."""
    return any(var.name == "?" for var in size.vars())


def poisoned(shape: Shape) -> bool:
    """Whether a shape holds what was reported: nothing more is said of it."""
    return any(var.name == "?" for var in shape.vars()) or any(var.name == "?" for var in shape.shape_vars())


# ---------------------------------------------------------------- joins


def iteration_strip(kind: Type) -> tuple[Size, Type] | None:
    """The leading axis that all leaves share, and the type of an element."""
    found = strip(kind, 1)
    if found is None or isinstance(found[0].dims[0], Splice):
        return None
    return found[0].dims[0], found[1]
