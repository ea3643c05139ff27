"""Types as source text, the way a user would write them."""

from __future__ import annotations

from typing import assert_never

from dsl.types.effect import Row
from dsl.types.shape import Shape
from dsl.types.type import (
    ArrayType,
    Element,
    EnumType,
    ErrorType,
    FunctionType,
    IndexType,
    KeyType,
    OptionalType,
    RecordType,
    StackedType,
    StaticType,
    TupleType,
    Type,
    TypeVar,
)


def show_element(element: Element) -> str:
    return element.name


def show_axes(shape: Shape) -> str:
    """`[n, d]`, or nothing for rank 0."""
    return str(shape) if shape.dims else ""


def show_row(row: Row) -> str:
    return f" ! {row}" if row else ""


def show_type(kind: Type) -> str:
    """`f32[n, d]`, `{b: f32, w: f32[d]}`, `(f32[n], key) -> f32 ! rand`."""
    match kind:
        case ArrayType(dtype, shape):
            return show_element(dtype) + show_axes(shape)
        case IndexType(bound, shape):
            return f"idx[{bound}]{show_axes(shape)}"
        case KeyType(shape):
            return "key" + show_axes(shape)
        case TupleType(parts):
            inner = ", ".join(map(show_type, parts))
            return f"({inner},)" if len(parts) == 1 else f"({inner})"
        case RecordType(fields, name):
            return name or "{" + ", ".join(f"{n}: {show_type(t)}" for n, t in fields) + "}"
        case StackedType(element, axes):
            return show_type(element) + show_axes(axes)
        case FunctionType(result=ErrorType()):
            return "a function"
        case FunctionType(params, result, effects):
            inner = ", ".join(map(show_type, params))
            return f"({inner}) -> {show_type(result)}{show_row(effects)}"
        case StaticType(name):
            return name
        case EnumType(_, name):
            return name
        case OptionalType(base):
            return show_type(base) + "?"
        case TypeVar(_, name, _):
            return name
        case ErrorType():
            return "?"
        case _:
            assert_never(kind)
