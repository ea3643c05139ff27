"""The type that an expression would have at a place: what a help offers is checked before it is shown."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from dsl.diagnostics.diagnostic import Edit
from dsl.diagnostics.source import Source, Span
from dsl.records import replace
from dsl.syntax.parse import parse_expression
from dsl.types import type as ty
from dsl.types.type import Type

if TYPE_CHECKING:
    from typechecker.env.context import Context

OFFERED = "<help>"
"""The name of a source that a help would make."""


def type_of(ctx: Context, text: str, place: Span) -> Type | None:
    """The type that an expression would have at a place; None if it does not check there, or is made of a help."""
    if place.source.name == OFFERED:
        return None
    node, problems = parse_expression(Source(OFFERED, text))
    if problems:
        return None
    closures = len(ctx.body.closures)
    ctx = replace(ctx, scope=ctx.program.task.scopes.get(place, ctx.scope))
    type_: Type = ty.ERROR
    with ctx.aside(), ctx.attempt() as attempt:
        type_ = ctx.resolve(ctx.infer(node).type)
    del ctx.body.closures[closures:]
    return None if attempt.discard() or type_ == ty.ERROR else type_


def first_that_checks(ctx: Context, texts: Iterable[str], place: Span) -> str | None:
    """The first of some expressions that checks at a place."""
    return next((text for text in texts if type_of(ctx, text, place) is not None), None)


def apply_edits(span: Span, edits: tuple[Edit, ...]) -> str:
    """The text of a place after edits inside it."""
    text = span.text
    for edit in sorted(edits, key=lambda e: e.span.start, reverse=True):
        start, end = edit.span.start - span.start, edit.span.end - span.start
        text = text[:start] + edit.text + text[end:]
    return text
