"""Signatures as source text. Read next: `dsl.types.show`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dsl.core import core
from dsl.late_names import LateModule
from dsl.types.dtype import ALL, class_of
from dsl.types.facts import show_all
from dsl.types.show import Naming, seen_from, show_row, show_type

if TYPE_CHECKING:
    from dsl.staging import values
else:
    values = LateModule("dsl.staging.values")  # it loads NumPy, which a definition as it is does without


def show_definition(definition: core.Function) -> str:
    """`def f(x: f32[n]) -> f32`, with inferred constraints."""
    effects = show_row(definition.signature.effects, seen_from(definition.module))
    return f"def {definition.written_name}{_head(definition, effects)}"


def show_function(definition: core.Function, value: values.Value) -> str:
    """A definition; `grad(f)` and the like in place of the name of one that is transformed."""
    if not isinstance(value, values.Transformed):
        return show_definition(definition)
    return f"{_name(definition, value)}, where {definition.written_name} is {_head(definition)}"


def _head(definition: core.Function, effects: str = "") -> str:
    signature, write = definition.signature, seen_from(definition.module)
    stated = (*signature.where, *signature.promises)
    constraints = f" where {show_all(stated)}" if stated else ""
    params, result = ", ".join(_parameters(signature, write)), show_type(signature.result, write)
    return f"({params}) -> {result}{effects}{constraints}"


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


def _name(definition: core.Function, value: values.Value) -> str:
    if not isinstance(value, values.Transformed):
        return definition.written_name
    return f"{value.kind}({_name(definition, value.function)})"
