"""A definition as Python applies it: under transformations with their options, to functions, for what its variables
stand for. The words in which the host asks and the checker answers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from msgspec import Struct

from dsl.core.transformation import Kind
from dsl.diagnostics.message import Diagnostic
from dsl.types.dtype import DType
from dsl.types.shape import Shape, ShapeVar
from dsl.types.size import Size, SizeVar
from dsl.types.type import DTypeVar, Type, TypeVar


class Reference(Struct, frozen=True):
    """A definition as an option or argument, such as the rule of a `custom_jvp`, under transformations of its own."""

    module: str
    name: str
    steps: tuple[Step, ...] = ()


Option: TypeAlias = "int | float | str | bool | tuple[Option, ...] | dict[str, Option] | Reference | None"


@dataclass(frozen=True, slots=True)
class Actual:
    """What the variables of a definition stand for in a call."""

    sizes: Mapping[SizeVar, Size] = field(default_factory=dict)
    shapes: Mapping[ShapeVar, Shape] = field(default_factory=dict)
    dtypes: Mapping[DTypeVar, DType] = field(default_factory=dict)
    types: Mapping[TypeVar, Type] = field(default_factory=dict)


class Step(Struct, frozen=True):
    """One transformation, with its options by name."""

    kind: Kind
    options: tuple[tuple[str, Option], ...]


Transformable: TypeAlias = Callable[[str, str, Sequence[Step], Mapping[str, Reference], Actual], tuple[Diagnostic, ...]]
"""What is wrong with transformations of a definition, by module and name: the steps, the functions that are given for
its parameters, and what its variables stand for."""
