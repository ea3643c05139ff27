"""Core as text, to be read: for work on the checker or on staging. Nothing parses it.

Every node is shown with its type and its fields, as they are declared and where they are not the default; locals by
name and number. What fits stands on one line. Knows no class of expressions but the leaves.
"""

from __future__ import annotations

from typing import Any, get_args

from dsl.core import core
from dsl.records import fields, is_record
from dsl.types.show import seen_from, show_row, show_type
from dsl.types.type import Type

WIDTH = 100
_TYPES = get_args(Type)


def show(node: core.Expr) -> str:
    """`Binary(op='+', left=x.1, right=2): f32`; what is wider than `WIDTH` is broken into lines."""
    return _value(node, 0)


def show_function(function: core.Function) -> str:
    """A definition: its signature on a line, its body below."""
    signature = function.signature
    params = ", ".join(f"{_local(p.name, p.id)}: {show_type(p.type)}" for p in signature.params)
    head = f"def {function.module}.{function.name}({params}) -> {show_type(signature.result)}"
    where = "".join(f"\n  where {prop}" for prop in signature.where)
    return f"{head}{show_row(signature.effects, seen_from(function.module))}{where}\n  {_value(function.body, 1)}"


def show_program(program: core.Program) -> str:
    """The definitions of the main module."""
    return "\n\n".join(map(show_function, program.modules[program.main].functions.values()))


def _local(name: str, id: int) -> str:
    """A local by its name and the last digits of its number."""
    return f"{name}.{id % 10_000}"


def _value(value: object, depth: int) -> str:
    match value:
        case core.Local(name=name, id=id) | core.Bind(name=name, id=id):
            return _local(name, id)
        case core.Global(module=module, name=name):
            return f"{module}.{name}"
        case core.Const(value=constant):
            return str(constant) if is_record(constant) else repr(constant)
        case core.Ignore():
            return "_"
        case tuple() | list():
            return _listed("[", [_value(item, depth + 1) for item in value], "]", depth)
        case _ if isinstance(value, _TYPES):
            return show_type(value)
        case _ if is_record(value) and type(value).__module__ == core.__name__:
            return _node(value, depth)
        case str():
            return repr(value)
        case _:
            return str(value)


def _node(value: Any, depth: int) -> str:
    given = [(f.name, getattr(value, f.name)) for f in fields(value) if f.default != getattr(value, f.name)]
    shown = [f"{name}={_value(each, depth + 1)}" for name, each in given if name not in ("span", "type")]
    text = _listed(f"{type(value).__name__}(", shown, ")", depth)
    type_ = dict(given).get("type")
    return f"{text}: {show_type(type_)}" if isinstance(type_, _TYPES) else text


def _listed(opening: str, items: list[str], closing: str, depth: int) -> str:
    line = f"{opening}{', '.join(items)}{closing}"
    if len(line) <= WIDTH - 2 * depth and "\n" not in line:
        return line
    indent = "\n" + "  " * (depth + 1)
    return f"{opening}{indent}{(',' + indent).join(items)}{closing}"
