"""Python types as mypy types. Read next: `dsl.host.python_types.kinds`."""

from __future__ import annotations

from collections.abc import Callable
from typing import assert_never

from mypy.checker import TypeChecker
from mypy.nodes import ARG_NAMED, ARG_NAMED_OPT, ARG_OPT, ARG_POS, ArgKind, TypeAlias, TypeInfo
from mypy.types import AnyType, CallableType, Instance, NoneType, TupleType, Type, TypedDictType, TypeOfAny, UnionType

from dsl.core import core
from dsl.host.python_types.kinds import (
    ArrayKind,
    Kind,
    NamedKind,
    ParameterKind,
    RecordKind,
    TupleKind,
    UnionKind,
    kind_of,
    parameters_of,
)
from dsl.mypy.programs import ARRAY, mark_instance

ANY = AnyType(TypeOfAny.special_form)


def call_type(function: core.Function, default: CallableType, api: TypeChecker) -> CallableType:
    """The signature of calls. Records and tuples are looked at where their parts are known: in `sizes`."""
    params = list(parameters_of(function))
    return default.copy_modified(
        arg_types=[argument_type(p.kind, api) for p in params],
        arg_kinds=[_place(p) for p in params],
        arg_names=[p.name for p in params],
        ret_type=result_type(kind_of(function.signature.result), api),
        name=function.name,
    )


def _place(p: ParameterKind) -> ArgKind:
    if p.keyword_only:
        return ARG_NAMED_OPT if p.optional else ARG_NAMED
    return ARG_OPT if p.optional else ARG_POS


def argument_type(kind: Kind, api: TypeChecker) -> Type:
    """Return the mypy type accepted for a parameter."""
    match kind:
        case ArrayKind():
            return _alias("ArrayLike", api)
        case RecordKind() | TupleKind(every=False):
            return ANY
        case _:
            return _type(kind, api, argument_type)


def result_type(kind: Kind, api: TypeChecker) -> Type:
    """Return the mypy type of a result; arrays carry dtype and axes."""
    match kind:
        case ArrayKind(dtype, axes):
            return mark_instance(instance("lowering.xla.array", "Array", api), api, **{ARRAY: f"{dtype} {axes}"})
        case RecordKind(_, fields):
            items = {field: result_type(of, api) for field, of in fields}
            return TypedDictType(items, set(items), set(), api.named_type("typing._TypedDict"))
        case _:
            return _type(kind, api, result_type)


def _type(kind: Kind, api: TypeChecker, of: Callable[[Kind, TypeChecker], Type]) -> Type:
    match kind:
        case TupleKind((part,), every=True):
            return api.named_generic_type("builtins.tuple", [of(part, api)])
        case TupleKind(parts):
            fallback = api.named_generic_type("builtins.tuple", [ANY])
            return TupleType([of(part, api) for part in parts], fallback)
        case UnionKind(options):
            return UnionType.make_union([of(option, api) for option in options])
        case NamedKind("Any" | "Callable"):
            return ANY
        case NamedKind("None"):
            return NoneType()
        case NamedKind("Variant"):
            return instance("dsl.host.results.variants", "Variant", api)
        case NamedKind(name):
            return api.named_type(f"builtins.{name}")
        case ArrayKind() | RecordKind():
            return of(kind, api)
        case _:
            assert_never(kind)


def instance(module: str, name: str, api: TypeChecker) -> Instance:
    """An instance of a class of this package."""
    node = api.modules[module].names[name].node
    assert isinstance(node, TypeInfo)
    return Instance(node, [])


def _alias(name: str, api: TypeChecker) -> Type:
    node = api.modules["dsl.host.arguments.accepted"].names[name].node
    return node.target if isinstance(node, TypeAlias) else ANY
