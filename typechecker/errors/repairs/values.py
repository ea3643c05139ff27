"""The call of a function that stands where a value is meant."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING

from dsl.diagnostics.diagnostic import Edit
from dsl.diagnostics.source import Span
from dsl.syntax import ast
from dsl.syntax.walk import nodes
from typechecker.errors.repairs.trial import definition_around
from typechecker.errors.words import replace_with

if TYPE_CHECKING:
    from typechecker.env.context import Context


def calls_of_value(ctx: Context, function: Span) -> Iterator[tuple[Edit, ...]]:
    """A function called with names that are bound around it: those that its parameters have where it is defined, or one
    of the parameters of the definition."""
    node = definition_around(ctx, function)
    if node is not None and "\n" not in function.text:
        yield from islice(
            (replace_with(function, f"{function.text}({given})") for given in _given(ctx, node, function)), 6
        )


def _given(ctx: Context, node: ast.Def, function: Span) -> Iterator[str]:
    definitions = ctx.program.modules[ctx.body.module].definitions
    lets = {n.pattern.span.text: n.value for n in nodes(node) if isinstance(n, ast.Let)}
    for name in re.findall(r"[^\W\d]\w*", function.text):
        match lets.get(name):
            case ast.Lambda(params):
                yield ", ".join([param.pattern.span.text for param in params])
            case _ if name in definitions:
                yield ", ".join([param.name.name for param in definitions[name].node.params])
            case _:
                pass
    yield from (param.name.name for param in node.params)
