"""Type expressions: what is shown of a type reads as that type again."""

from __future__ import annotations

import pytest

from dsl.syntax import ast
from dsl.types.show import show_type
from dsl.types.type import Type
from tests.support.contexts import fresh_context
from typechecker.types.type_expressions import elaborate

TYPES = (
    "f32",
    "i64[3]",
    "bool[2, 3]",
    "idx[5]",
    "idx[5][2]",
    "key",
    "key[4]",
    "(f32, i32[2])",
    "{a: f32[3], b: (f64, bool)}",
    "(f32[2], i32) -> f32",
    "f32[2] -> {x: f32}",
)


def elaborated(text: str) -> Type:
    """The type of the parameter of a function."""
    ctx = fresh_context(f"def f(x: {text}) = x\n")
    node = ctx.program.modules["test"].tree.declarations[0]
    assert isinstance(node, ast.Def)
    written = node.params[0].type
    assert written is not None
    found = elaborate(ctx, written)
    assert not ctx.program.reports
    return found


@pytest.mark.parametrize("text", TYPES)
def test_a_type_is_read_as_it_is_shown(text: str) -> None:
    found = elaborated(text)
    assert elaborated(show_type(found)) == found
