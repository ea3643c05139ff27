"""A definition as Python applies it: under transformations, to functions, for what its variables stand for. The words
in which the host asks and the checker answers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

from msgspec import Struct, field

from dsl.core.core import Expr, Hidden
from dsl.diagnostics.message import Diagnostic
from dsl.types.dtype import DType
from dsl.types.effect import PURE, Row
from dsl.types.shape import Shape, ShapeVar
from dsl.types.size import Size, SizeVar
from dsl.types.type import DTypeVar, Type, TypeVar


class Actual(Struct, frozen=True):
    """The meaning of the variables of a definition in one call."""

    sizes: Mapping[SizeVar, Size] = field(default_factory=dict)
    shapes: Mapping[ShapeVar, Shape] = field(default_factory=dict)
    dtypes: Mapping[DTypeVar, DType] = field(default_factory=dict)
    types: Mapping[TypeVar, Type] = field(default_factory=dict)


class Application(Struct, frozen=True):
    """The result of checking one application: its errors, the solution of the definition's hidden variables, the
    functions in `arguments` by parameter, the effects, and the solution of its dtype variables. `conditional`: it
    requires something of shapes and sizes that the definition alone does not, and each call decides."""

    diagnostics: tuple[Diagnostic, ...] = ()
    hidden: Hidden = ()
    arguments: Mapping[str, Expr] = field(default_factory=dict)
    effects: Row = PURE
    solution: Mapping[DTypeVar, DType | DTypeVar] = field(default_factory=dict)
    conditional: bool = False


Applicable: TypeAlias = Callable[[Expr, Mapping[str, Expr], Actual | None], Application]
"""What the checker finds in a definition under transformations, `Transform` around `Global`: with the static values and
the functions that are given for its parameters, and what its variables stand for; where that is not said, in any call.
A local stands for what is not known of an argument."""
