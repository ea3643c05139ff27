"""Transformations of functions: `grad(f)` is a function value, and its application one of the wrapped function.

This module makes them and says which rule applies them: `derivatives`, `vmap`, or `custom_rules`. Those that are
applied where they are written, such as `jvp(f, xs, ts)`, are in `linear_functions`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TypeAlias

from dsl.core import core
from dsl.core.binding import Slot
from dsl.core.policies import POLICY_NAMES, is_budget, policy_of
from dsl.core.transformation import MAKING_FUNCTIONS, TRANSFORMATIONS, Kind, is_map, mode_of
from dsl.diagnostics.source import Span
from dsl.types import facts as fa
from dsl.types import type as ty
from dsl.types.decide import Refuted
from dsl.types.shape import Computed, StaticName
from dsl.types.static_conditions import compare
from dsl.types.type import Type
from typechecker import errors
from typechecker.calls.calls import apply_full
from typechecker.env.call_record import Applied, Arg, bind_arguments
from typechecker.env.context import Context
from typechecker.env.static_values import static_argument
from typechecker.env.values import NOTHING, Nothing, Term, Transformed, require_types
from typechecker.relations.coercion import Why
from typechecker.transforms.custom_rules import FUNCTION, custom, lambdas_of_rules
from typechecker.transforms.derivatives import derivative
from typechecker.transforms.shard import shard
from typechecker.transforms.transformed_values import (
    argnums,
    as_arrays,
    expand_transformed,
    pass_over_statics,
    require_data,
    require_function,
    wrap_call,
    written_option,
)
from typechecker.transforms.vmap import vmap
from typechecker.types.predicates import is_traced

# ---------------------------------------------------------------- making transformed functions


def transform(kind: Kind, ctx: Context, args: list[Arg], span: Span, expected: Type | None = None) -> Term:
    """`grad(f, argnums=1)`: a function value, typed when it is applied."""
    function, options = _options(ctx, kind, args, span)
    require_types(function, *(term for _, term in options))
    require_function(ctx, function, kind)
    nothing = ty.FunctionType((), ty.ERROR)
    lambdas = lambdas_of_rules(function, options) if kind in (Kind.CUSTOM_JVP, Kind.CUSTOM_VJP) else {}
    cores = tuple((n, lambdas.get(n) or written_option(t.core, t.known)) for n, t in options)
    done = core.Transform(span, nothing, kind, lambdas.get(FUNCTION, function.core), cores)
    term = Term(done, nothing, Transformed(kind, function, options, span, tuple(lambdas.items())))
    _check_options(ctx, kind, options)
    return term


def _options(ctx: Context, kind: Kind, args: list[Arg], span: Span) -> tuple[Term, tuple[tuple[str, Term], ...]]:
    row = TRANSFORMATIONS[kind]
    names = (FUNCTION, *row.parameters)
    slots = [Slot(name, required=name in (FUNCTION, *row.required)) for name in names]
    chosen = bind_arguments(ctx, kind, slots, args, span)
    function = ctx.infer(chosen[FUNCTION].value)
    options = tuple((n, ctx.infer(chosen[n].value)) for n in names[1:] if n in chosen)
    for name, term in options:
        if is_traced(ctx.resolve(term.type)) and not isinstance(ctx.resolve(term.type), ty.FunctionType):
            meant = errors.transforms.arguments_of_result(ctx, kind, chosen[name].span, span)
            if meant is not None and chosen[name].name is None:
                ctx.refuse(meant)
            ctx.refuse(errors.stages.traced_where_static(ctx, term.span, term.type, ty.AXES, Why("static", name, kind)))
    return function, options


def _check_options(ctx: Context, kind: Kind, options: tuple[tuple[str, Term], ...]) -> None:
    """Check the options that do not depend on an application of the function."""
    for name, term in options:
        wanted = None
        match name:
            case "has_aux" if not isinstance(term.known, fa.Known):
                wanted = "true or false"
            case "argnums" if argnums(term) is None:
                wanted = "a position, a name, or a tuple of these"
            case "axis_name" if not isinstance(term.known, str | Nothing):
                wanted = "a name, known when the program is checked"
            case "policy" if not _is_policy(ctx, term):
                ctx.refuse(errors.transforms.not_a_policy(term.known, term.span))
        if wanted is not None:
            ctx.refuse(errors.transforms.bad_option(term.span, kind=kind, name=name, wanted=wanted))


def _is_policy(ctx: Context, term: Term) -> bool:
    """One of the policies, a budget, or names of values; none is the first of them. It is asked of callers that give
    it."""
    kind, known = ctx.resolve(term.type), term.known
    if isinstance(kind, ty.TupleType):
        return bool(kind.parts) and all(part == ty.STRING for part in kind.parts)
    if isinstance(known, StaticName | Computed) and kind in (ty.STRING, ty.OptionalType(ty.STRING)):
        names = POLICY_NAMES if kind == ty.STRING else (NOTHING, *POLICY_NAMES)
        words = [compare("==", known, static_argument(name, ctx.fresh_id)) for name in names]
        allowed = fa.disjunction([*words, is_budget(known)])
        return not isinstance(ctx.require(allowed, term.span), Refuted)
    if kind == ty.STRING:
        return not isinstance(known, str) or policy_of(known) is not None
    return kind in (ty.NONE, ty.OptionalType(ty.STRING))


# ---------------------------------------------------------------- applying them


def apply_transformed(
    ctx: Context, function: Term, transformed: Transformed, args: list[Arg], span: Span, expected: Type | None
) -> Applied:
    """A call of a transformed function, by the rule of its transformation."""
    given = pass_over_statics(ctx, transformed.function, args)
    return RULES[transformed.kind](ctx, expand_transformed(function, transformed), transformed, given, span, expected)


def _same_type(
    ctx: Context, function: Term, transformed: Transformed, args: list[Arg], span: Span, expected: Type | None
) -> Applied:
    inner = apply_full(ctx, transformed.function, as_arrays(ctx, transformed.function, args), span, expected)
    return wrap_call(function, inner, inner.term.type, span, inner.term.known)


def _checkpoint(
    ctx: Context, function: Term, transformed: Transformed, args: list[Arg], span: Span, expected: Type | None
) -> Applied:
    done = _same_type(ctx.sometimes(), function, transformed, args, span, expected)
    require_data(ctx, transformed.kind, done.term.type, span)
    return done


Rule: TypeAlias = Callable[[Context, Term, Transformed, "list[Arg]", Span, "Type | None"], Applied]
"""rule(ctx, the transformed function, what it is made of, arguments, span, the type that is expected) -> the call."""

RULES: Mapping[Kind, Rule] = MappingProxyType(
    {
        Kind.JIT: _same_type,
        Kind.CHECKPOINT: _checkpoint,
        **{kind: vmap for kind in MAKING_FUNCTIONS if is_map(kind)},
        Kind.SHARD: shard,
        Kind.CUSTOM_JVP: custom,
        Kind.CUSTOM_VJP: custom,
        **{kind: derivative for kind in MAKING_FUNCTIONS if mode_of(kind) is not None},
    }
)
