"""Calls of what has typed parameters and no variables: operations of users' effects, variants of enums."""

from __future__ import annotations

from collections.abc import Sequence

from dsl.core import core
from dsl.core.binding import Slot
from dsl.diagnostics.source import Span
from dsl.types.effect import UserEffect
from dsl.types.type import Type
from typechecker.declarations.signatures import distinct_names, parameter_type
from typechecker.env.call_record import Arg, bind_arguments
from typechecker.env.context import Context
from typechecker.env.value_facts import of_type
from typechecker.env.values import Operation, Term, VariantFunction, VariantValue
from typechecker.relations.coercion import Why, coerce
from typechecker.types.type_expressions import elaborate


def operation_signature(ctx: Context, module: str, name: str) -> tuple[list[tuple[str, Type]], Type]:
    """Parameters and result of an operation."""
    owner = ctx.program.modules[module]
    node = owner.effects[name]
    inner = ctx.program.fresh_context(module, name, owner.scope.child())
    distinct_names(inner, node.params)
    params = [(p.name.name, parameter_type(inner, name, p, p.static)) for p in node.params]
    return params, elaborate(inner, node.result)


def operation(ctx: Context, op: Operation, args: list[Arg], span: Span) -> Term:
    """A call of an operation of an effect."""
    params, result = operation_signature(ctx, op.module, op.name)
    terms = _arguments(ctx, op.name, params, args, span)
    ctx.perform(UserEffect(op.module, op.name), span)
    cores = tuple(t.core for t in terms)
    return Term(core.Operation(span, result, op.module, op.name, cores), result, of_type(ctx, result, op.name))


def variant(ctx: Context, function: VariantFunction, args: list[Arg], span: Span) -> Term:
    """A variant with its fields."""
    enum = ctx.program.enum_info(function.module, function.enum)
    fields = next(v.fields for v in enum.variants if v.name == function.variant)
    terms = _arguments(ctx, function.variant, fields, args, span)
    kind = enum.type
    known = VariantValue((kind.module, kind.name), function.variant, tuple(t.known for t in terms))
    return Term(core.EnumValue(span, kind, kind, function.variant, tuple(t.core for t in terms)), kind, known)


def _arguments(ctx: Context, owner: str, params: Sequence[tuple[str, Type]], args: list[Arg], span: Span) -> list[Term]:
    """One term for each parameter, of its type."""
    chosen = bind_arguments(ctx, owner, [Slot(name) for name, _ in params], args, span)
    return [coerce(ctx, ctx.infer(chosen[n].value, t), t, Why("argument", n, owner)) for n, t in params]
