"""One node of every class of Core, built from the declarations of its fields, with an expression of its own in every
place where one can stand."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from itertools import count
from types import NoneType, UnionType
from typing import Any, get_args, get_origin, get_type_hints

from dsl.core import core
from dsl.core.transformation import Kind
from dsl.core.walk import EXPRESSIONS, PATTERNS
from dsl.diagnostics.source import Source, Span
from dsl.types import type as ty
from dsl.types.dtype import F32, DType
from dsl.types.effect import PURE
from dsl.types.shape import Shape, ShapeVar
from dsl.types.size import Size, SizeVar
from dsl.types.type import Type

SPAN = Span(Source("nodes", "x"), 0, 1)
SCALAR = ty.ArrayType(F32, Shape(()))
PLAIN: Mapping[Any, Any] = {
    Span: SPAN,
    DType: F32,
    Kind: Kind.GRAD,
    Size: Size.of(2),
    SizeVar: SizeVar(1, "n"),
    Shape: Shape(()),
    ShapeVar: ShapeVar(2, "s"),
    ty.DTypeVar: ty.DTypeVar(3, "a", (F32,)),
    ty.EnumType: ty.EnumType("m", "E"),
    core.Signature: core.Signature((), (), (), (), (), SCALAR, PURE),
    int: 0,
    str: "x",
    bool: False,
}


class Nodes:
    """Builds nodes of a type; `leaves` are the expressions put into them, `names` those that their patterns bind."""

    def __init__(self, type_: Type = SCALAR) -> None:
        self.type = type_
        self.leaves: list[core.Expr] = []
        self.names: list[core.Bind] = []
        self._numbers = count(1)

    def node(self, of: type) -> Any:
        """An instance of a class of Core."""
        hints = get_type_hints(of)
        return of(**{name: self._value(hints[name]) for name in inspect.signature(of).parameters})

    def _value(self, hint: Any) -> Any:
        options = get_args(hint)
        if hint in PLAIN:
            return PLAIN[hint]
        if get_origin(hint) is tuple:
            return tuple(map(self._value, options[:1] * 2 if options[-1] is ... else options))
        if get_origin(hint) is list:
            return [self._value(options[0]), self._value(options[0])]
        if isinstance(hint, UnionType) or get_origin(hint) is not None:
            return self._one_of(options)
        return self.node(hint)

    def _one_of(self, options: tuple[Any, ...]) -> Any:
        if EXPRESSIONS.issuperset(o for o in options if o is not NoneType) or EXPRESSIONS & set(options):
            number = next(self._numbers)
            self.leaves.append(core.Local(SPAN, self.type, number, f"x{number}"))
            return self.leaves[-1]
        if PATTERNS & set(options):
            self.names.append(core.Bind(next(self._numbers), "x"))
            return self.names[-1]
        if ty.ArrayType in options:
            return self.type
        return self._value(next(o for o in options if o is not NoneType))


def every_node(type_: Type = SCALAR) -> list[tuple[core.Expr, Nodes]]:
    """One of every class of expressions, with what was put into it."""
    made = [Nodes(type_) for _ in EXPRESSIONS]
    classes = sorted(EXPRESSIONS, key=lambda each: each.__name__)
    return [(nodes.node(each), nodes) for each, nodes in zip(classes, made, strict=True)]
