"""Answers to an operation in place of declaring its effect."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dsl.diagnostics.diagnostic import Edit, Help
from dsl.diagnostics.source import Span
from dsl.syntax import ast
from dsl.syntax.walk import around
from dsl.types.effect import UserEffect
from typechecker.errors.repairs.trees import behind, name_of, rewritten, tree_of, value_of
from typechecker.errors.repairs.trial import definition_around, first_that_mends

if TYPE_CHECKING:
    from typechecker.env.context import Context


def answered(ctx: Context, effect: UserEffect, name: str, span: Span) -> Iterator[Help]:
    """A clause for an operation: of the handler around the place, or of a new one."""
    operation = ctx.program.modules[effect.module].effects.get(effect.name)
    node = definition_around(ctx, span)
    performed = tree_of(span)
    performs = isinstance(performed, ast.Call) and name_of(performed) == effect.name
    if node is None or operation is None or performs:
        return
    names = [param.name.name for param in operation.node.params]
    head = f"{name}({', '.join(names)}) -> resume"
    answers = ["()", *names, "0.0", "0", "true"]
    edits = first_that_mends(ctx, (_with_clause(node, f"{head}({answer})", span) for answer in answers))
    if edits:
        handler = next((each for each in around(node, ast.With, span)), None)
        place = span if handler is None else Span(span.source, handler.span.start, span.end)
        shown = " ".join(rewritten(place, *edits).split())
        yield Help(f"to answer it here, handle it, with the answer in `resume`: `{shown}`", edits)


def _with_clause(node: ast.Def, clause: str, span: Span) -> tuple[Edit, ...]:
    for each in around(node, ast.With, span):
        match each.handler:
            case ast.UserHandler(clauses) if "\n" not in clauses[-1].span.text and each.body.span.covers(span):
                return (behind(clauses[-1].span, f", {clause}"),)
    written = f"with handler {clause} do {span.text}"
    return (Edit(span, written if value_of(node.body).span == span else f"({written})"),)
