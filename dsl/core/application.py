"""A definition as Python applies it: under transformations, to functions, for what its variables stand for. The words
in which the host asks and the checker answers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

from msgspec import Struct, field

from dsl.core.core import Expr, Hidden
from dsl.diagnostics.message import Diagnostic
from dsl.types.dtype import DType
from dsl.types.shape import Shape, ShapeVar
from dsl.types.size import Size, SizeVar
from dsl.types.type import DTypeVar, Type, TypeVar


class Actual(Struct, frozen=True):
    """What the variables of a definition stand for in a call."""

    sizes: Mapping[SizeVar, Size] = field(default_factory=dict)
    shapes: Mapping[ShapeVar, Shape] = field(default_factory=dict)
    dtypes: Mapping[DTypeVar, DType] = field(default_factory=dict)
    types: Mapping[TypeVar, Type] = field(default_factory=dict)


class Application(Struct, frozen=True):
    """What is wrong with it, and what the hidden variables of the definition stand for."""

    diagnostics: tuple[Diagnostic, ...] = ()
    hidden: Hidden = ()


Applicable: TypeAlias = Callable[[Expr, Mapping[str, Expr], Actual], Application]
"""What the checker finds in a definition under transformations, `Transform` around `Global`: with the functions that
are given for its parameters, and what its variables stand for."""
