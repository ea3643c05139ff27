"""`custom_jvp` and `custom_vjp`: rules that a program gives for a derivative have the types that the function fixes.

That they are linear is `typechecker.analyses.tangent_linearity`'s to say.
"""

from __future__ import annotations

from dsl.core import core
from dsl.core.transformation import Kind
from dsl.diagnostics.source import Span
from dsl.types import type as ty
from dsl.types.type import Type
from typechecker.calls.calls import apply_full
from typechecker.calls.function_values import eta
from typechecker.env.call_record import Applied, Arg
from typechecker.env.context import Context
from typechecker.env.values import Term, Transformed
from typechecker.errors import stages as stage_errors
from typechecker.errors import transforms as transform_errors
from typechecker.relations.coercion import Why, fit
from typechecker.relations.numeric_literals import as_array
from typechecker.relations.size_equations import same_shape
from typechecker.transforms.transformed_values import as_arrays, require_data, wrap_call
from typechecker.types.predicates import holds_key
from typechecker.types.tangents import tangent


def custom(ctx: Context, function: Term, transformed: Transformed, args: list[Arg], span: Span) -> Applied:
    """A call of a function with rules of its own."""
    inner = apply_full(ctx, transformed.function, as_arrays(ctx, transformed.function, args), span)
    options = dict(transformed.options)
    primals = ty.TupleType(tuple(ctx.resolve(t.type) for t in inner.positional))
    tangents = ty.TupleType(tuple(tangent(ctx, t) for t in primals.parts))
    result = ctx.resolve(as_array(ctx, inner.term.type))
    require_data(ctx, transformed.kind, result, span)
    if transformed.kind is Kind.CUSTOM_JVP:
        wanted = ty.FunctionType((primals, tangents), ty.TupleType((result, tangent(ctx, result))))
        cores = {"rule": _rule(ctx, options["rule"], wanted, "rule").core}
    else:
        cores = _vjp_rules(ctx, options, primals, result)
    specialised = core.Transform(
        transformed.span, function.type, transformed.kind, transformed.function.core, tuple(cores.items())
    )
    return wrap_call(Term(specialised, function.type), inner, result, span)


def _rule(ctx: Context, term: Term, wanted: ty.FunctionType, name: str) -> Term:
    return fit(ctx, term, wanted, Why("rule", name), term.span)


def _vjp_rules(ctx: Context, options: dict[str, Term], primals: ty.TupleType, result: Type) -> dict[str, core.Expr]:
    forward = eta(ctx, options["fwd"], primals.parts, options["fwd"].span)
    assert isinstance(forward.type, ty.FunctionType)
    out = ctx.resolve(forward.type.result)
    if not isinstance(out, ty.TupleType) or len(out.parts) != 2 or not _same(ctx, out.parts[0], result):
        ctx.refuse(transform_errors.custom_rule_type(options["fwd"].span, ctx, name="fwd", actual=out, result=result))
    saved = as_array(ctx, out.parts[1])
    require_data(ctx, Kind.CUSTOM_VJP, saved, options["fwd"].span)
    if holds_key(ctx.resolve(saved)):
        ctx.refuse(stage_errors.key_saved(options["fwd"].span))
    wanted = ty.FunctionType((saved, tangent(ctx, result)), ty.TupleType(tuple(tangent(ctx, p) for p in primals.parts)))
    backward = _rule(ctx, options["bwd"], wanted, "bwd")
    return {"fwd": forward.core, "bwd": backward.core}


def _same(ctx: Context, a: Type, b: Type) -> bool:
    a, b = ctx.resolve(as_array(ctx, a)), ctx.resolve(b)
    if isinstance(a, ty.ArrayType) and isinstance(b, ty.ArrayType):
        return ctx.body.solver.unify(a.dtype, b.dtype) and same_shape(ctx, a.shape, b.shape)
    return a == b
