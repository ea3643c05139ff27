"""Classes of immutable data, whether `msgspec.Struct` or dataclass: what their fields are, and copies with others.

Nodes are Structs: their classes are made, and they themselves, ten times faster.
"""

from __future__ import annotations

import dataclasses
from functools import cache
from inspect import get_annotations
from typing import Any, NamedTuple, TypeVar, cast

from msgspec import NODEFAULT, Struct, structs

R = TypeVar("R")


class OwnEquality:
    """Goes before `Struct` in a class that says itself what is equal: there `!=` would go by identity."""

    __slots__ = ()

    def __ne__(self, other: object) -> bool:
        return not self == other


class Field(NamedTuple):
    """A field as it is declared; `default` is `NODEFAULT` where it must be given, `repr` whether it is shown."""

    name: str
    type: str
    default: object = NODEFAULT
    repr: bool = True


def is_record(value: object) -> bool:
    """Return whether a value is such a class, or an instance of one."""
    record = value if isinstance(value, type) else type(value)
    return issubclass(record, Struct) or dataclasses.is_dataclass(record)


def fields(record: object) -> tuple[Field, ...]:
    """The fields of a class or an instance, in order."""
    return _fields(record if isinstance(record, type) else type(record))


@cache
def _fields(record: type[Any]) -> tuple[Field, ...]:
    if issubclass(record, Struct):
        return _struct_fields(record)
    return tuple(map(_dataclass_field, dataclasses.fields(record)))


def _dataclass_field(field: dataclasses.Field[Any]) -> Field:
    default = NODEFAULT if field.default is dataclasses.MISSING else field.default
    return Field(field.name, str(field.type), default, field.repr)


def _struct_fields(record: type[Struct]) -> tuple[Field, ...]:
    declared = {name: text for base in reversed(record.__mro__) for name, text in get_annotations(base).items()}
    needed = len(record.__struct_fields__) - len(record.__struct_defaults__)
    defaults = (*[NODEFAULT] * needed, *record.__struct_defaults__)
    pairs = zip(record.__struct_fields__, defaults, strict=True)
    return tuple(Field(name, str(declared[name]), default) for name, default in pairs)


def replace(record: R, **changes: Any) -> R:
    """The record with other values in some fields."""
    if isinstance(record, Struct):
        return structs.replace(record, **changes)
    copied: R = dataclasses.replace(cast(Any, record), **changes)
    return copied
