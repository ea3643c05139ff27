"""Calls of what has typed parameters and no variables: operations of users' effects, variants of enums."""

from __future__ import annotations

from collections.abc import Sequence

from dsl.core import core
from dsl.core.binding import Slot
from dsl.diagnostics.source import Span
from dsl.records import replace
from dsl.types.type import Type
from typechecker.calls.definitions import call_definition
from typechecker.env.call_record import Arg, bind_arguments
from typechecker.env.context import Context
from typechecker.env.reports import Reported
from typechecker.env.values import Operation, Term, VariantFunction, VariantValue
from typechecker.relations.coercion import Why, coerce
from typechecker.relations.components import after


def operation(ctx: Context, function: Term, op: Operation, args: list[Arg], span: Span) -> Term:
    """A call of an operation of an effect."""
    info = ctx.program.modules[op.module].effects[op.name]
    call = call_definition(ctx, info, function, args, span)
    given = tuple(arg for arg in call.core_args if arg is not None)
    hidden = tuple([meaning for _, meaning in call.hidden])
    performed = core.Operation(span, call.term.type, op.module, op.name, given, hidden)
    return after(call.held, replace(call.term, core=performed))


def variant(ctx: Context, function: VariantFunction, args: list[Arg], span: Span) -> Term:
    """A variant with its fields."""
    enum = ctx.program.enum_info(function.module, function.enum)
    fields = next(v.fields for v in enum.variants if v.name == function.variant)
    with ctx.attempt() as attempt:
        terms = _arguments(ctx, function.variant, fields, args, span)
    if attempt.failed:
        raise Reported
    kind = enum.type
    known = VariantValue((kind.module, kind.name), function.variant, tuple(t.known for t in terms))
    return Term(core.EnumValue(span, kind, kind, function.variant, tuple(t.core for t in terms)), kind, known)


def _arguments(ctx: Context, owner: str, params: Sequence[tuple[str, Type]], args: list[Arg], span: Span) -> list[Term]:
    """One term for each parameter, of its type."""
    chosen = bind_arguments(ctx, owner, [Slot(name) for name, _ in params], args, span)
    return [coerce(ctx, ctx.infer(chosen[n].value, t), t, Why("argument", n, owner)) for n, t in params]
