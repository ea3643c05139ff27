"""Functions of a program as plain data, so that they can be pickled beside the program that they belong to.

A definition is named, and looked up again. Read next: `checked_program`.
"""

from __future__ import annotations

from typing import TypeAlias

from msgspec import Struct

from dsl.core.core import Program
from dsl.core.transformation import Kind
from dsl.staging.values import FUNCTIONS, DefValue, RecordValue, Sizes, Transformed, TupleValue, Value


class PackedDef(Struct, frozen=True):
    module: str
    name: str
    sizes: Sizes


class PackedTransformed(Struct, frozen=True):
    kind: Kind
    function: Packed
    options: tuple[tuple[str, Packed], ...]


class PackedParts(Struct, frozen=True):
    """A tuple, or with `names` a record."""

    parts: tuple[Packed, ...]
    names: tuple[str, ...] | None = None


Packed: TypeAlias = "PackedDef | PackedTransformed | PackedParts | Value"


def packed(value: Value) -> Packed:
    """The value with names in the place of definitions."""
    match value:
        case DefValue(definition, sizes):
            return PackedDef(definition.module, definition.name, sizes)
        case Transformed(kind, function, options):
            return PackedTransformed(kind, packed(function), tuple([(name, packed(v)) for name, v in options]))
        case TupleValue(parts):
            return PackedParts(tuple(map(packed, parts)))
        case RecordValue(fields):
            return PackedParts(tuple([packed(v) for _, v in fields]), tuple([name for name, _ in fields]))
        case _:
            return value


def unpacked(value: Packed, program: Program) -> Value:
    """The value with the definitions of a program."""
    match value:
        case PackedDef(module, name, sizes):
            return DefValue(program.modules[module].functions[name], sizes)
        case PackedTransformed(kind, function, options):
            inner = unpacked(function, program)
            assert isinstance(inner, FUNCTIONS)
            return Transformed(kind, inner, tuple([(name, unpacked(v, program)) for name, v in options]))
        case PackedParts(parts, None):
            return TupleValue(tuple([unpacked(part, program) for part in parts]))
        case PackedParts(parts, names):
            return RecordValue(tuple([(n, unpacked(v, program)) for n, v in zip(names or (), parts, strict=True)]))
        case _:
            return value
