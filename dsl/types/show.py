"""Types as source text, the way a user would write them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias, assert_never

from dsl.records import replace
from dsl.types.effect import Effect, Row, Site, UserEffect
from dsl.types.shape import Shape
from dsl.types.sites import record_of, sites_of
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
from dsl.types.walk import map_children

Naming: TypeAlias = Callable[[str, str], str]
"""How what a module declares is written somewhere: of its module and its name there."""


def seen_from(home: str) -> Naming:
    """Names behind those of their modules, but for those of one."""
    return lambda module, name: name if module == home else f"{module}.{name}"


def named(kind: Type, write: Naming) -> Type:
    """A type whose names are written in this way."""
    match kind:
        case EnumType(module, name):
            return EnumType(module, write(module, name))
        case RecordType(_, str() as name, home):
            alias, bracket, args = name.partition("[")
            return RecordType(kind.fields, f"{write(home, alias)}{bracket}{args}", home, kind.order)
        case FunctionType(params, result, effects):
            inner = tuple([named(param, write) for param in params])
            return FunctionType(inner, named(result, write), named_row(effects, write))
        case _:
            return map_children(kind, lambda child: named(child, write))


def named_row(row: Row, write: Naming) -> Row:
    return Row(frozenset([named_effect(effect, write) for effect in row.effects]))


def named_effect(effect: Effect, write: Naming) -> Effect:
    match effect:
        case UserEffect(module, name):
            return UserEffect(module, write(module, name))
        case Site(module, name):
            return replace(effect, name=write(module, name))
        case _:
            return effect


def show_element(element: Element) -> str:
    return element.name


def show_axes(shape: Shape) -> str:
    """`[n, d]`, or nothing for rank 0."""
    return str(shape) if shape.dims else ""


def show_row(row: Row, write: Naming | None = None) -> str:
    return f" ! {_row_text(row if write is None else named_row(row, write), write)}" if row else ""


def _row_text(row: Row, write: Naming | None) -> str:
    """`rand`, `{io, param({w: f32[n]})}`: operations by name with their record."""
    sites = [effect for effect in row.effects if isinstance(effect, Site)]
    texts = {str(effect) for effect in row.effects if effect not in sites}
    for operation in {site.operation for site in sites}:
        own = sites_of(sites, operation)
        record = record_of(own)
        texts |= set(map(str, own)) if record is None else {f"{operation}({show_type(record, write)})"}
    names = sorted(texts)
    return names[0] if len(names) == 1 else "{" + ", ".join(names) + "}"


def show_type(kind: Type, write: Naming | None = None) -> str:
    """`f32[n, d]`, `{b: f32, w: f32[d]}`, `(f32[n], key) -> f32 ! rand`."""
    match kind if write is None else named(kind, write):
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
