"""Axes as jaxtyping writes them, `"*b n-1 3"`, as shapes of the language.

Sizes may be computed: `+ - * // %`, `min`, `max`. `...` stands for any axes and `_` for any axis. Read next:
`dsl.types.shape`.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping
from itertools import count
from types import MappingProxyType

from dsl.types.shape import Shape, ShapeVar
from dsl.types.size import Size, SizeVar, max_, min_


class Malformed(Exception):
    """An axis that cannot be read; `args[0]` is its text."""


class Names:
    """The sizes of named axes: one name is one size everywhere."""

    def __init__(self) -> None:
        self._ids = count(1 << 40)  # apart from the variables of programs
        self._sizes: dict[str, SizeVar] = {}
        self._shapes: dict[str, ShapeVar] = {}

    def size(self, name: str) -> Size:
        """One that starts with `_` is another size each time."""
        if name.startswith("_"):
            return Size.of(SizeVar(next(self._ids), name))
        return Size.of(self._sizes.setdefault(name, SizeVar(next(self._ids), name)))

    def shape(self, name: str) -> ShapeVar:
        if name.startswith("_"):
            return ShapeVar(next(self._ids), name)
        return self._shapes.setdefault(name, ShapeVar(next(self._ids), name))


_OPERATORS: Mapping[type[ast.operator], Callable[[Size, Size], Size]] = MappingProxyType(
    {
        ast.Add: operator.add,
        ast.Sub: operator.sub,
        ast.Mult: operator.mul,
        ast.FloorDiv: operator.floordiv,
        ast.Mod: operator.mod,
    }
)
_FUNCTIONS: Mapping[str, Callable[..., Size]] = MappingProxyType({"min": min_, "max": max_})


def parse_axes(text: str, names: Names) -> Shape:
    """Raises `Malformed`."""
    return Shape.of(*[_axis(part, names) for part in text.split()])


def _axis(part: str, names: Names) -> Size | ShapeVar:
    name = part.rpartition("=")[2]
    if name == "...":
        return names.shape("_")
    if "#" in name or "?" in name or "{" in name:  # stretched from 1, another one in each leaf, or computed in Python
        return names.shape("_") if "*" in name else names.size("_")
    if name.startswith("*"):
        return names.shape(name.removeprefix("*"))
    try:
        return _size(ast.parse(name, mode="eval").body, names)
    except SyntaxError:
        raise Malformed(part) from None


def _size(node: ast.expr, names: Names) -> Size:
    match node:
        case ast.Name(name):
            return names.size(name)
        case ast.Constant(int() as value):
            return Size.of(value)
        case ast.UnaryOp(ast.USub(), operand):
            return -_size(operand, names)
        case ast.BinOp(left, op, right) if type(op) in _OPERATORS:
            return _OPERATORS[type(op)](_size(left, names), _size(right, names))
        case ast.Call(ast.Name(name), args, []) if name in _FUNCTIONS and args:
            return _FUNCTIONS[name](*[_size(arg, names) for arg in args])
        case _:
            raise Malformed(ast.unparse(node))
