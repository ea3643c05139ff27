"""A function under `@dsl.define` as Python would see it: its signature, with annotations as they are when it runs.

mypy drops what jaxtyping says of axes when it reads annotations, so they are made anew out of what was written, and
the definition is that of `dsl.host.programs.define`. Read next: `hooks`.
"""

from __future__ import annotations

import builtins
import operator
from collections.abc import Iterator
from dataclasses import make_dataclass
from functools import reduce
from inspect import Parameter, Signature
from types import GenericAlias, MappingProxyType
from typing import Annotated, Any

import jaxtyping
from mypy.nodes import (
    ARG_NAMED,
    ARG_NAMED_OPT,
    Argument,
    AssignmentStmt,
    ClassDef,
    Expression,
    ExpressionStmt,
    FloatExpr,
    FuncDef,
    IntExpr,
    MypyFile,
    NameExpr,
    StrExpr,
    UnaryExpr,
)
from mypy.types import CallableType, EllipsisType, Type, UnboundType, UnionType

from dsl.host.python_types.kinds import DTYPES
from dsl.host.python_types.language import STATIC
from dsl.mypy.declarations import literal_text, statements

BUILTINS = ("bool", "int", "float", "complex", "str")
CONSTANTS = MappingProxyType({"True": True, "False": False, "None": None})


class Unknown(Exception):
    """An annotation or a default that is known only when Python runs."""


def docstring(function: FuncDef) -> StrExpr | None:
    """The string that is the body."""
    match function.body.body[:1]:
        case [ExpressionStmt(expr=StrExpr() as text)]:
            return text
        case _:
            return None


def signature_of(function: FuncDef, tree: MypyFile) -> Signature:
    """The signature as it was written. Raises Unknown."""
    type_ = function.unanalyzed_type
    if not isinstance(type_, CallableType):
        raise Unknown
    reader = _Reader(tree)
    types = zip(function.arguments, type_.arg_types, strict=True)
    params = [_parameter(argument, reader.annotation(of)) for argument, of in types]
    return Signature(params, return_annotation=reader.annotation(type_.ret_type))


def _parameter(argument: Argument, annotation: Any) -> Parameter:
    keyword = argument.kind in (ARG_NAMED, ARG_NAMED_OPT)
    default = Parameter.empty if argument.initializer is None else _value(argument.initializer)
    kind = Parameter.KEYWORD_ONLY if keyword else Parameter.POSITIONAL_OR_KEYWORD
    return Parameter(argument.variable.name, kind, default=default, annotation=annotation)


def _value(expression: Expression) -> Any:
    match expression:
        case IntExpr(value=value) | FloatExpr(value=value) | StrExpr(value=value):
            return value
        case UnaryExpr(op="-", expr=inner):
            return -_value(inner)
        case NameExpr(name=name) if name in CONSTANTS:
            return CONSTANTS[name]
        case _:
            raise Unknown


class _Reader:
    """Annotations of one file."""

    def __init__(self, tree: MypyFile) -> None:
        self._classes = {s.name: s for s in statements(tree.defs) if isinstance(s, ClassDef)}

    def annotation(self, type_: Type) -> Any:
        """Return the evaluated annotation of a type."""
        match type_:
            case UnboundType(original_str_expr=str(text)):
                return text
            case UnboundType():
                return self._named(type_, type_.name.rpartition(".")[2])
            case UnionType():
                return reduce(operator.or_, map(self.annotation, type_.items))
            case EllipsisType():
                return ...
            case _:
                raise Unknown

    def _named(self, type_: UnboundType, name: str) -> Any:
        if name in DTYPES or name == "Key":
            return self._array(type_, name)
        match name, [*map(self.annotation, type_.args)]:
            case "None", []:
                return type(None)
            case "Static", [inner]:
                return Annotated[inner, STATIC]
            case "Optional", [inner]:
                return inner | None
            case "tuple" | "Tuple", parts:
                return GenericAlias(tuple, tuple(parts))
            case _, [] if name in BUILTINS:
                return getattr(builtins, name)
            case _, [] if name in self._classes:
                return make_dataclass(name, list(self._fields(self._classes[name])))
            case _:
                raise Unknown

    def _array(self, type_: UnboundType, name: str) -> Any:
        axes = literal_text(type_.args[1]) if len(type_.args) == 2 else None
        if axes is None:
            raise Unknown
        return getattr(jaxtyping, name)[Any, axes]

    def _fields(self, class_: ClassDef) -> Iterator[tuple[str, Any]]:
        for statement in class_.defs.body:
            match statement:
                case AssignmentStmt(lvalues=[NameExpr(name=name)], unanalyzed_type=Type() as of):
                    yield name, self.annotation(of)
                case _:
                    continue
