"""Questions that a type answers alone: is it a number, does it hold arrays, keys, or something already reported."""

from __future__ import annotations

from typing import TypeVar

from dsl.types import type as ty
from dsl.types.shape import Splice
from dsl.types.size import Size
from dsl.types.static_parts import Gap, has_gap
from dsl.types.type import Type
from dsl.types.walk import leaves, shapes_in, strip, subtypes

NUMBERS = ("int", "float", "complex", "bool", "size")


def is_number(type_: Type) -> bool:
    """A static number: it has no dtype of its own."""
    return isinstance(type_, ty.StaticType) and type_.kind in NUMBERS


def is_scalar(type_: Type) -> bool:
    """A static number, or an array without axes."""
    return is_number(type_) or (isinstance(type_, ty.ArrayType) and not type_.shape.dims)


def holds_error(type_: Type) -> bool:
    """Return whether part of a type was reported already."""
    return any(isinstance(part, ty.ErrorType) for part in subtypes(type_))


def is_reported(type_: Type) -> bool:
    """Return whether a part of a type, or a size in it, was reported already."""
    return holds_error(type_) or any(has_gap(shape, Gap.REPORTED) for shape in shapes_in(type_))


def is_traced(type_: Type) -> bool:
    """Return whether some leaf is a run-time array."""
    return any(isinstance(part, ty.ArrayType | ty.IndexType | ty.KeyType | ty.TypeVar) for part in subtypes(type_))


def holds_key(type_: Type) -> bool:
    """Return whether some leaf is a key, or may be one."""
    return any(map(_is_key, subtypes(type_)))


def _is_key(leaf: Type) -> bool:
    return isinstance(leaf, ty.KeyType) or (isinstance(leaf, ty.TypeVar) and leaf.constraint.keys)


def holds_static(type_: Type) -> bool:
    """Return whether some leaf is a static value."""
    static = ty.StaticType | ty.EnumType | ty.OptionalType | ty.FunctionType
    return any(isinstance(part, static) for part in subtypes(type_))


def holds_static_data(type_: Type) -> bool:
    """Return whether some leaf is a static value, but for functions, whose types say what they are."""
    return any(isinstance(leaf, ty.StaticType | ty.EnumType | ty.OptionalType) for leaf in leaves(type_))


def holds_function(type_: Type) -> bool:
    """Return whether some leaf is a function."""
    return any(isinstance(part, ty.FunctionType) for part in subtypes(type_))


_Kind = TypeVar("_Kind", Type, Type | None)


def present_type(kind: _Kind) -> _Kind:
    """The type of a value that is not `none`."""
    return kind.base if isinstance(kind, ty.OptionalType) else kind


def first_of_pair(type_: Type | None) -> Type | None:
    """The type of the first of two parts."""
    return type_.parts[0] if isinstance(type_, ty.TupleType) and len(type_.parts) == 2 else None


# ---------------------------------------------------------------- joins


def iteration_strip(type_: Type) -> tuple[Size, Type] | None:
    """The leading axis that all leaves share, and the type of an element."""
    found = strip(type_, 1)
    if found is None or isinstance(found[0].dims[0], Splice):
        return None
    return found[0].dims[0], found[1]
