"""The parts of the values of a type, fields of variants included. Used to find functions inside values."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeAlias

from dsl.core import core
from dsl.types.type import EnumType, FunctionType, Type
from dsl.types.walk import subtypes

Enums: TypeAlias = Callable[[str, str], core.Enum]
"""The declaration of an enum, by module and name."""


def held_types(kind: Type, enums: Enums) -> Iterator[Type]:
    """A type and those that its values are made of."""
    todo, seen = [kind], set[Type]()
    while todo:
        for part in subtypes(todo.pop()):
            yield part
            if isinstance(part, EnumType) and part not in seen:
                seen.add(part)
                todo += [held for variant in enums(part.module, part.name).variants for _, held in variant.fields]


def may_hold_function(kind: Type, enums: Enums) -> bool:
    """Return whether a value may have a function in it."""
    return any(isinstance(part, FunctionType) for part in held_types(kind, enums))
