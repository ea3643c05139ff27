"""Repairs of loop results: a missing part of the carry, or a missing output of a `scan`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dsl.diagnostics.diagnostic import Edit
from dsl.diagnostics.source import Span
from dsl.syntax import ast
from dsl.syntax.walk import around, nodes
from typechecker.errors.repairs.trial import definition_around
from typechecker.errors.words import replace_with

if TYPE_CHECKING:
    from typechecker.env.context import Context


def whole_turns(ctx: Context, given: Span, count: int) -> Iterator[tuple[Edit, ...]]:
    """The value of a turn of the loop around it, with what lacks: an output, which is one of the parts of the carry, or
    the parts of the carry that stay as they are. A carry by one name has so many parts."""
    node = definition_around(ctx, given)
    for loop in () if node is None else around(node, ast.Loop, given)[:1]:
        value = loop.body.result if isinstance(loop.body, ast.Block) else loop.body
        own = loop.carry.span.text
        names = [f"{own}.{k}" for k in range(count)] if count > 1 else [own]
        if isinstance(loop.carry, ast.TuplePattern):
            names = [part.span.text for part in loop.carry.parts]
        items = [item.span.text for item in value.items] if isinstance(value, ast.TupleLit) else [value.span.text]
        if loop.kind == "scan" and len(items) == len(names):
            outputs = sorted(items, key=lambda item: not _output(node, loop).startswith(item))
            yield from (replace_with(value.span, f"({value.span.text}, {output})") for output in outputs)
        if len(names) > 1 and len(items) == (2 if loop.kind == "scan" else 1):
            wholes = [", ".join([*names[:k], items[0], *names[k + 1 :]]) for k in range(len(names))]
            ends = [f"(({whole}), {items[1]})" if loop.kind == "scan" else f"({whole})" for whole in wholes]
            yield from (replace_with(value.span, end) for end in ends)


def _output(node: ast.Def | None, loop: ast.Loop) -> str:
    """The name of the outputs of a `scan`, if one is bound."""
    lets = [each for each in nodes(node) if isinstance(each, ast.Let) and each.value.span == loop.span]
    pattern = lets[0].pattern if lets else None
    return pattern.parts[-1].span.text if isinstance(pattern, ast.TuplePattern) else ""
