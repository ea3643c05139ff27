"""The cells that a callee works on have the types that they have where it is called: it reads what is held there, and
what it writes is held. Named axes have the sizes that they have there."""

from __future__ import annotations

from collections.abc import Iterable

from dsl.core import core
from dsl.diagnostics.source import Span
from dsl.types import type as ty
from dsl.types.effect import Axis, Cell, Effect
from dsl.types.type import Type
from typechecker import errors
from typechecker.env.context import Context
from typechecker.env.values import Term
from typechecker.relations.coercion import Why, coerce
from typechecker.relations.size_equations import require_equal


def hold_cells(ctx: Context, effects: Iterable[Effect], owner: str, span: Span) -> None:
    """Demand it of all cells among effects; a cell that is not in scope is told as an effect."""
    for effect in effects:
        cell = ctx.scope.handling(effect) if isinstance(effect, Cell) else None
        if isinstance(effect, Cell) and cell is not None and ty.ERROR not in (cell.type, effect.type):
            why = Why("cell", effect.name, owner, cell.span)
            hold_same(ctx, cell.type, effect.type, why, span)


def hold_axes(ctx: Context, effects: Iterable[Effect], owner: str, span: Span) -> None:
    """Demand it of all axes among effects of which a size is stated and known here."""
    for effect in effects:
        if isinstance(effect, Axis) and effect.size is not None:
            there = ctx.body.axes.get(effect.name, effect.size)
            if require_equal(ctx, effect.size, there, span) is not None:
                ctx.refuse(errors.indices.sizes_of_call(span, name=owner, left=effect.size, right=there))


def hold_same(ctx: Context, one: Type, other: Type, why: Why, span: Span) -> None:
    """Values of both types are those of the other as they are."""
    hold_type(ctx, one, other, why, span)
    hold_type(ctx, other, one, why, span)


def hold_type(ctx: Context, held: Type, wanted: Type, why: Why, span: Span) -> None:
    """A value of one type is one of the other as it is: nothing checks or converts what is read and written."""
    with ctx.body.book.inner() as effects:
        coerce(ctx, Term(core.Const(span, held, None), held), wanted, why, span)
    if effects:
        ctx.report(errors.types.wrong_type(errors.types.Mismatch(ctx, held, wanted, why, span)))
