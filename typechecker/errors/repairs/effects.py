"""Alternatives to declaring an effect: take indices that are in bounds, or answer an operation."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dsl.diagnostics.diagnostic import Edit, Help
from dsl.diagnostics.source import Span
from dsl.syntax import ast
from dsl.syntax.walk import around
from dsl.types import dtype as dt
from dsl.types import type as ty
from dsl.types.effect import UserEffect
from dsl.types.facts import ge
from dsl.types.size import Size
from typechecker.errors.repairs.conditions import state_it
from typechecker.errors.repairs.edits import name_of
from typechecker.errors.repairs.trees import behind, declarations, mentions, rewritten, tree_of, value_of
from typechecker.errors.repairs.trial import definition_around, first_that_mends, mends
from typechecker.errors.words import snippet

if TYPE_CHECKING:
    from typechecker.env.body import Checked
    from typechecker.env.context import Context


def in_bounds(ctx: Context, checked: Checked, span: Span) -> Iterator[Help]:
    """An index of a type that is in bounds, and what an index out of bounds takes where it is not to stop the run."""
    node = definition_around(ctx, span)
    if node is None or checked.what == "value":
        return
    if checked.what == "index":
        words = "it is in bounds wherever there is an element, and if there always is, state it"
        yield from state_it(ctx, span, [ge(checked.bound, 1)], words)
    param = next((p for p in node.params if p.name.name == span.text.partition("[")[0]), None)
    if checked.what == "index" and param is not None and param.type is not None:
        yield from _of_bound(ctx, node, param, param.type.span, checked.bound)
    elif checked.what == "index" and _is_field(tree_of(span)):
        yield Help(f"if it is known to be in bounds: the field `{span.text}` of type `idx[{checked.bound}]`")
    for index in around(node, ast.Index, span):
        if any(item.span == span for item in index.items):
            yield from [*_between(ctx, index, span, checked)] or _near(ctx, node, index)


def _of_bound(ctx: Context, node: ast.Def, param: ast.Param, stated: Span, bound: Size) -> Iterator[Help]:
    base = param.type.base if isinstance(param.type, ast.IndexedType) else param.type
    dtype = dt.BY_NAME.get(base.span.text) if base is not None else None
    typed = f"idx[{bound}]{stated.text[len(dtype.name) :]}" if dtype is not None and dtype.is_integer else stated.text
    edits = (Edit(stated, typed),)
    if typed != stated.text and mends(ctx, edits):
        alone = not mentions(declarations(node.span.source), node.name.name)
        written = f"{param.name.name}: {typed}"
        yield Help(
            f"if callers know that it is in bounds, take an index: the parameter `{written}`", edits if alone else ()
        )


def _is_field(node: ast.Expr | None) -> bool:
    return isinstance(node, ast.Field) and isinstance(node.base, ast.Name)


def _between(ctx: Context, index: ast.Index, span: Span, checked: Checked) -> Iterator[Help]:
    """An index with two values more than there are elements, one at either end, as of a place among the edges between
    elements: the element is the one before it."""
    kind = checked.type
    if len(index.items) == 1 and isinstance(kind, ty.IndexType) and kind.bound == checked.bound + 2:
        written = f'{index.base.span.text}.at[{span.text} - 1].get(mode="clip")'
        edits = (Edit(index.span, written),)
        if mends(ctx, edits):
            words = f"if `{snippet(span) or 'it'}` is a place among edges, the element is between two of them"
            yield Help(f"{words}: `{written}`", edits)


def _near(ctx: Context, node: ast.Def, index: ast.Index) -> Iterator[Help]:
    """An access or an update of the nearest element."""
    place, text = index.items[0].span.to(index.items[-1].span), index.span.source.text
    match index.base:
        case ast.Field(_, ast.Ident("at")):
            call = next(
                (c for c in around(node, ast.Call, index.span) if c.function.span.start == index.span.start), None
            )
            if call is None or not isinstance(call.function, ast.Field) or call.function.base.span != index.span:
                return
            end = call.span.end - 1
            edits = (Edit(Span(call.span.source, end, end), f'{", " if call.args else ""}mode="clip"'),)
            whole = call.span
        case base:
            edits = (Edit(index.span, f'{base.span.text}.at[{text[place.start : place.end]}].get(mode="clip")'),)
            whole = index.span
    if mends(ctx, edits):
        yield Help(f"if one out of bounds is to count as the nearest: `{rewritten(whole, *edits)}`", edits)


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
