"""Transformations of functions: `grad(f)` is a function value, and its application one of the wrapped function.

This module makes them and says which rule applies them: `derivatives`, `vmap`, or `custom_rules`. Those that are
applied where they are written, such as `jvp(f, xs, ts)`, are in `linear_functions`.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from dsl.core import core
from dsl.diagnostics.source import Span
from dsl.ops.control.call import POLICIES
from dsl.types import facts as fa
from dsl.types import type as ty
from typechecker.calls.calls import apply_full
from typechecker.env.call_record import Applied, Arg
from typechecker.env.context import Context
from typechecker.env.values import Term, Transformed, error_term
from typechecker.errors import calls as call_errors
from typechecker.errors import stages as stage_errors
from typechecker.errors import transforms as transform_errors
from typechecker.relations.coercion import Why
from typechecker.transforms.custom_rules import custom
from typechecker.transforms.derivatives import derivative
from typechecker.transforms.transformed_values import argnums, as_arrays, is_function, wrapped, written_out
from typechecker.transforms.vmap import vmap
from typechecker.types.predicates import is_traced

OPTIONS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "jit": (),
        "grad": ("argnums", "has_aux"),
        "value_and_grad": ("argnums", "has_aux"),
        "jacfwd": ("argnums",),
        "jacrev": ("argnums",),
        "hessian": ("argnums",),
        "vmap": ("in_axes", "out_axes", "axis_name"),
        "checkpoint": ("policy",),
        "custom_jvp": ("rule",),
        "custom_vjp": ("fwd", "bwd"),
    }
)

# ---------------------------------------------------------------- making transformed functions


def transform(ctx: Context, kind: str, args: list[Arg], span: Span) -> Term:
    """`grad(f, argnums=1)`: a function value, typed when it is applied."""
    bound = _options(ctx, kind, args, span)
    if bound is None:
        return error_term(span)
    function, options = bound
    if function.type == ty.ERROR or any(t.type == ty.ERROR for _, t in options):
        return error_term(span)
    if not is_function(ctx, function):
        ctx.report(transform_errors.transform_needs_function(ctx, kind, function, function.span))
        return error_term(span)
    nothing = ty.FunctionType((), ty.ERROR)
    cores = tuple((n, t.core) for n, t in options)
    done = core.Transform(span, nothing, kind, function.core, cores)
    term = Term(done, nothing, Transformed(kind, function, options, span))
    return term if _static_check(ctx, kind, options) else error_term(span)


def _options(ctx: Context, kind: str, args: list[Arg], span: Span) -> tuple[Term, tuple[tuple[str, Term], ...]] | None:
    names = ("function", *OPTIONS[kind])
    chosen: dict[str, Arg] = {}
    for i, arg in enumerate(args):
        name = arg.name or (names[i] if i < len(names) else None)
        if name is None:
            ctx.report(call_errors.too_many_arguments(kind, len(names), len(args), arg.span))
            return None
        if name not in names or name in chosen:
            ctx.report(call_errors.unknown_keyword(kind, name, list(names), arg.span))
            return None
        chosen[name] = arg
    needed = ["function", *(["rule"] if kind == "custom_jvp" else ["fwd", "bwd"] if kind == "custom_vjp" else [])]
    missing = [n for n in needed if n not in chosen]
    if missing:
        ctx.report(call_errors.missing_arguments(kind, missing, span))
        return None
    function = ctx.infer(chosen["function"].value)
    options = tuple((n, ctx.infer(chosen[n].value)) for n in names[1:] if n in chosen)
    for name, term in options:
        if is_traced(ctx.resolve(term.type)) and not isinstance(ctx.resolve(term.type), ty.FunctionType):
            ctx.report(stage_errors.traced_where_static(ctx, term.span, term.type, ty.AXES, Why("static", name, kind)))
            return None
    return function, options


def _static_check(ctx: Context, kind: str, options: tuple[tuple[str, Term], ...]) -> bool:
    """What can be said before the function is applied."""
    found = dict(options)
    if "has_aux" in found and not isinstance(found["has_aux"].known, fa.Known):
        ctx.report(transform_errors.bad_option(kind, "has_aux", "true or false", found["has_aux"].span))
        return False
    if "argnums" in found and argnums(found["argnums"]) is None:
        ctx.report(
            transform_errors.bad_option(
                kind, "argnums", "a position, a name, or a tuple of these", found["argnums"].span
            )
        )
        return False
    if "axis_name" in found and found["axis_name"].type not in (ty.STRING, ty.NONE):
        ctx.report(transform_errors.bad_option(kind, "axis_name", "a name", found["axis_name"].span))
        return False
    if "policy" in found and not _is_policy(ctx, found["policy"]):
        ctx.report(transform_errors.not_a_policy([name for name, _ in POLICIES], found["policy"].span))
        return False
    return True


def _is_policy(ctx: Context, term: Term) -> bool:
    """One of the policies, or names of values; none is the first of them."""
    match ctx.resolve(term.type):
        case ty.TupleType(parts):
            return bool(parts) and all(part == ty.STRING for part in parts)
        case kind if kind == ty.STRING:
            return not isinstance(term.known, str) or term.known in dict(POLICIES)
        case _:
            return kind in (ty.NONE, ty.OptionalType(ty.STRING))


# ---------------------------------------------------------------- applying them


def apply_transformed(
    ctx: Context, function: Term, transformed: Transformed, args: list[Arg], span: Span
) -> Applied | None:
    """A call of a transformed function, by the rule of its transformation."""
    function = written_out(function, transformed)
    match transformed.kind:
        case "vmap":
            return vmap(ctx, function, transformed, args, span)
        case "jit" | "checkpoint":
            inner = apply_full(ctx, transformed.function, as_arrays(ctx, transformed.function, args), span)
            return None if inner is None else wrapped(function, inner, inner.term.type, span, inner.term.known)
        case "custom_jvp" | "custom_vjp":
            return custom(ctx, function, transformed, args, span)
        case _:
            return derivative(ctx, function, transformed, args, span)
