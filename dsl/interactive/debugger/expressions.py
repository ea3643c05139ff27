"""Expressions of the language over the names of a stop: checked where they stand, and evaluated there.

Read next: `dsl.interactive.session`, which makes functions of expressions.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from dsl.diagnostics.source import Source
from dsl.host.functions.function import Function
from dsl.interactive.debugger.frames import Leaf, Leaves
from dsl.interactive.session import Session, Value, type_of
from dsl.tools.results import dtype_name

Values: TypeAlias = Mapping[str, Leaves]

_LITERAL = re.compile(r"-?\d+(\.\d+)?(e[-+]?\d+)?|true|false|'[^'\\]*'|\"[^\"\\]*\"")


class Expressions:
    """Expressions over names beside the declarations of a text; each is checked once for each choice of types."""

    def __init__(self, source: Source, folder: Path | None) -> None:
        self._session = Session(folder)
        self._session.load(source.text)
        self._known: dict[Any, Function] = {}

    def check(self, text: str, values: Values) -> None:
        """Raise `DslError` if an expression does not fit names with such values."""
        self._function(text, values)

    def evaluate(self, text: str, values: Values) -> Value:
        """The value of an expression. Raises `DslError`."""
        function, given = self._function(text, values)
        seed = {"key": 0} if function.draws else {}
        return Value(type_of(function), function.interpret(**given, **seed))

    def _function(self, text: str, values: Values) -> tuple[Function, dict[str, Any]]:
        mentioned = set(re.findall(r"\w+", text))
        arrays = {n: v for n, v in values.items() if n in mentioned and _is_data(v)}
        statics = {n: v[""].value for n, v in values.items() if n in mentioned and _is_literal(v)}
        bound = {name: Value(_type(_tree(leaves)), _tree(leaves)) for name, leaves in arrays.items()}
        lets = "".join(f"let {name} = {value}\n" for name, value in statics.items())
        key = text, lets, tuple([(name, value.type) for name, value in bound.items()])
        if key not in self._known:
            self._known[key] = self._session.with_values(bound).function(text, lets)[0]
        return self._known[key], {name: value.value for name, value in bound.items()}


def is_condition(text: str) -> str:
    """An expression that is a condition or does not fit."""
    return f"if {text} then true else false"


def _is_data(leaves: Leaves) -> bool:
    return "" not in leaves or not isinstance(leaves[""].value, str)


def _is_literal(leaves: Leaves) -> bool:
    whole = leaves.get("", Leaf("")).value
    return isinstance(whole, str) and _LITERAL.fullmatch(whole) is not None


def _tree(leaves: Leaves) -> Any:
    """The value of a name in containers of Python. Static numbers in it become scalars."""
    if "" in leaves:
        return _scalar(leaves[""].value)
    parts: dict[str, dict[str, Leaf]] = {}
    for path, leaf in leaves.items():
        first, _, rest = path[1:].partition(".")
        parts.setdefault(first, {})[f".{rest}" if rest else ""] = leaf
    made = {name: _tree(inside) for name, inside in parts.items()}
    return tuple(made.values()) if all(name.isdigit() for name in made) else made


def _scalar(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    if value in ("true", "false"):
        return np.bool_(value == "true")
    return np.float32(value) if re.search("[.e]", value) else np.int32(value)


def _type(tree: Any) -> str:
    """The type of a value, as the language writes it."""
    match tree:
        case dict():
            return f"{{{', '.join(f'{name}: {_type(part)}' for name, part in tree.items())}}}"
        case tuple():
            return f"({', '.join(map(_type, tree))})"
        case _:
            array = np.asarray(tree)
            return dtype_name(array) + (f"[{', '.join(map(str, array.shape))}]" if array.shape else "")
