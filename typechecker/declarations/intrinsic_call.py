"""Which calls are of the compiler's primitives: `intrinsic.NAME(…)`, in texts that may call them."""

from __future__ import annotations

from dsl.syntax import ast


def intrinsic_call(node: ast.Call) -> bool:
    function = node.function
    return isinstance(function, ast.Field) and isinstance(function.base, ast.Name) and function.base.name == "intrinsic"
