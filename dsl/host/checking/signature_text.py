"""Signatures as source text. Read next: `dsl.types.show`."""

from __future__ import annotations

from dsl.core import core
from dsl.staging.values import Transformed, Value
from dsl.types.dtype import ALL, class_of
from dsl.types.facts import show_all
from dsl.types.show import Naming, seen_from, show_row, show_type


def show_function(definition: core.Function, value: Value) -> str:
    """`def f(x: f32[n]) -> f32`, with inferred constraints; `grad(f)` and the like in place of the name."""
    signature = definition.signature
    write = seen_from(definition.module)
    stated = (*signature.where, *signature.promises)
    constraints = f" where {show_all(stated)}" if stated else ""
    name = _name(definition, value)
    params, result = ", ".join(_parameters(signature, write)), show_type(signature.result, write)
    if isinstance(value, Transformed):
        return f"{name}, where {definition.written_name} is ({params}) -> {result}{constraints}"
    return f"def {name}({params}) -> {result}{show_row(signature.effects, write)}{constraints}"


def _parameters(signature: core.Signature, write: Naming) -> list[str]:
    shown: list[str] = []
    for parameter in signature.params:
        if parameter.keyword_only and "*" not in shown:
            shown.append("*")
        static = "static " if parameter.static else ""
        default = " = …" if parameter.default is not None else ""
        shown.append(f"{static}{parameter.name}: {_type(parameter, write)}{default}")
    return shown


def _type(parameter: core.Parameter, write: Naming) -> str:
    """Of a dtype the class, where it is of one."""
    if parameter.dtype is None or parameter.dtype.allowed == ALL:
        return show_type(parameter.type, write)
    return class_of(parameter.dtype.allowed)


def _name(definition: core.Function, value: Value) -> str:
    if not isinstance(value, Transformed):
        return definition.written_name
    return f"{value.kind}({_name(definition, value.function)})"
