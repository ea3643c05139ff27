"""Symbolic sizes of `jax.export` as sizes of the language, and what is said of them as the condition of a definition.

JAX writes them as Python does, but for `^`, `floordiv` and `mod`, and takes each variable for at least 1.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable
from functools import reduce
from types import MappingProxyType
from typing import Any

import jax

from dsl.syntax.words import hard_keywords

_DIVISIONS = MappingProxyType({"floordiv": ast.FloorDiv, "mod": ast.Mod})
_FUNCTIONS = frozenset({*_DIVISIONS, "max", "min"})


def size_of(size: Any) -> str:
    """Return the size as the language writes it. Raises TypeError for variables whose names the language does not
    allow."""
    return str(size) if isinstance(size, int) else _written(str(size))


def variables_of(arrays: Iterable[Any]) -> list[str]:
    """The size variables in the shapes of arrays, sorted."""
    trees = [_parsed(str(size)) for size in _symbolic(arrays)]
    names = {node.id for tree in trees for node in ast.walk(tree) if isinstance(node, ast.Name)}
    return sorted(names - _FUNCTIONS)


def where(arrays: Iterable[Any]) -> str:
    """The condition under which JAX has exported a function of these arrays; nothing if all sizes are numbers."""
    symbols = _symbolic(arrays)
    if not symbols:
        return ""
    constraints = [_condition(each.debug_str) for each in symbols[0].scope._explicit_constraints]
    positive = [f"{variable} >= 1" for variable in variables_of(arrays)]
    return f" where {' and '.join([*positive, *constraints])}"


def _symbolic(arrays: Iterable[Any]) -> list[Any]:
    return [size for array in arrays for size in array.shape if jax.export.is_symbolic_dim(size)]


def _condition(constraint: str) -> str:
    left, relation, right = re.split(r"(==|>=|<=)", constraint)
    return f"{_written(left)} {relation} {_written(right)}"


def _written(text: str) -> str:
    return ast.unparse(_Rewriting().visit(_parsed(text)))


def _parsed(text: str) -> ast.expr:
    return ast.parse(text.replace("^", "**").strip(), mode="eval").body


class _Rewriting(ast.NodeTransformer):
    """Makes an expression of JAX one of the language: divisions are operators, and powers products."""

    def visit_Name(self, node: ast.Name) -> ast.Name:
        if re.fullmatch("[a-z][a-zA-Z0-9_]*", node.id) is None or node.id in hard_keywords():
            raise TypeError(f"`{node.id}` is not a name that a size of the language can have")
        return node

    def visit_Call(self, node: ast.Call) -> ast.expr:
        arguments = [self.visit(argument) for argument in node.args]
        assert isinstance(node.func, ast.Name) and node.func.id in _FUNCTIONS, ast.unparse(node)
        operator = _DIVISIONS.get(node.func.id)
        if operator is None:
            return ast.Call(node.func, arguments, [])
        left, right = arguments
        return ast.BinOp(left, operator(), right)

    def visit_BinOp(self, node: ast.BinOp) -> ast.expr:
        match node:
            case ast.BinOp(left=base, op=ast.Pow(), right=ast.Constant(value=int(power))):
                factors: list[ast.expr] = [self.visit(base)] * power
                return reduce(lambda left, right: ast.BinOp(left, ast.Mult(), right), factors)
            case _:
                return ast.BinOp(self.visit(node.left), node.op, self.visit(node.right))
