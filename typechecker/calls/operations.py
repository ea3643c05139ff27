"""Calls of what has typed parameters and no variables: operations of users' effects, variants of enums."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from dsl.core import core
from dsl.core.binding import Slot
from dsl.core.walk import bound_names, patterns, subexpressions
from dsl.diagnostics.source import Span
from dsl.records import replace
from dsl.types.effect import SHARED
from dsl.types.type import Type
from typechecker import errors
from typechecker.calls.definitions import call_definition
from typechecker.env.call_record import Arg, bind_arguments
from typechecker.env.context import Context
from typechecker.env.known_parts import functions_in
from typechecker.env.reports import Reported
from typechecker.env.values import Closure, Operation, Term, VariantFunction, VariantValue
from typechecker.relations.coercion import Why, coerce
from typechecker.relations.components import after
from typechecker.types.predicates import is_traced


def operation(ctx: Context, function: Term, op: Operation, args: list[Arg], span: Span) -> Term:
    """A call of an operation of an effect."""
    info = ctx.program.modules[op.module].effects[op.name]
    call = call_definition(ctx, info, function, args, span)
    given = tuple(arg for arg in call.core_args if arg is not None)
    hidden = tuple([meaning for _, meaning in call.hidden])
    if info.form == SHARED:
        _require_closed(ctx, op.name, given)
    performed = core.Operation(span, call.term.type, op.module, op.name, given, hidden)
    return after(call.held, replace(call.term, core=performed))


def _require_closed(ctx: Context, name: str, args: Sequence[core.Expr]) -> None:
    """Demand that functions given to an operation that is shared are the same wherever it is performed."""
    for arg in args:
        found = next(_captured(ctx, arg), None)
        if found is not None:
            ctx.refuse(errors.effects.captured_in_shared(found.span, name=name, captured=found.name))


def _captured(ctx: Context, node: core.Expr) -> Iterator[core.Local]:
    """The values of the run that a function uses and is not given."""
    inside = list(subexpressions(node))
    bound = {each.id for part in inside for pattern in patterns(part) for each in bound_names(pattern)}
    for local in [part for part in inside if isinstance(part, core.Local) and part.id not in bound]:
        if is_traced(ctx.resolve(local.type)):
            yield local
        binding = ctx.scope.lookup(local.name)
        for function in functions_in(None if binding is None else binding.term.known):
            if isinstance(function, Closure):
                yield from _captured(ctx, function.core)


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
