"""`grad`, `value_and_grad`, `jacfwd`, `jacrev`, `hessian`: which arguments count and what type the derivative has."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from dsl.core.transformation import TRANSFORMATIONS, Kind, Mode, mode_of
from dsl.diagnostics.source import Span
from dsl.syntax import ast
from dsl.types import dtype as dt
from dsl.types import facts as fa
from dsl.types import type as ty
from dsl.types.effect import Effect
from dsl.types.shape import Shape
from dsl.types.type import Type
from dsl.types.walk import children, distribute_axes, is_product, leaves, with_children
from typechecker import errors
from typechecker.calls.calls import apply_full
from typechecker.calls.effect_restrictions import in_reverse
from typechecker.env.call_record import Applied, Arg
from typechecker.env.context import Context
from typechecker.env.reports import Reported
from typechecker.env.values import Closure, Known, Parts, Term, Transformed, innermost
from typechecker.relations.numeric_literals import as_array
from typechecker.transforms.transformed_values import argnums, as_arrays, require_data, signature_of, wrap_call
from typechecker.types.predicates import is_number
from typechecker.types.type_classes import leaf_without_elements, non_inexact_leaf

_OF_A_SCALAR = (Kind.GRAD, Kind.VALUE_AND_GRAD)

# ---------------------------------------------------------------- applying them


def apply_inside(ctx: Context, kind: Kind, function: Term, args: list[Arg], span: Span) -> Applied:
    """A call of the function that is differentiated; refused where it does what the mode cannot differentiate."""
    effects: dict[Effect, Span] = {}
    try:
        with ctx.body.book.inner(effects):
            inner = apply_full(ctx.sometimes(), function, args, span)
    finally:
        ctx.perform_all(effects)
    if mode_of(kind) is Mode.REVERSE and not in_reverse(ctx, kind, effects.keys(), span):
        raise Reported
    require_data(ctx, kind, inner.term.type, span)
    return inner


def require_inexact(ctx: Context, kind: Kind, place: int, term: Term, span: Span) -> None:
    """Demand that every leaf of an argument has a derivative."""
    leaf = non_inexact_leaf(ctx, term.type)
    if leaf is not None:
        ctx.refuse(errors.transforms.not_inexact(ctx, kind, place, leaf, term, span))


def require_scalar(ctx: Context, kind: Kind, result: Type, span: Span) -> None:
    """Demand one real number of the function."""
    match result:
        case ty.ArrayType(element, Shape(())) if ctx.body.solver.restrict(element, dt.FLOATS):
            return
        case _:
            ctx.refuse(errors.transforms.not_scalar(ctx, kind, result, span))


def require_floats(ctx: Context, kind: Kind, takes: Sequence[Type], returns: Type, span: Span) -> None:
    """Demand a leaf on either side: without one there is no derivative."""
    for side, types in (("takes", takes), ("returns", (returns,))):
        if not any(True for each in types for _ in leaves(each)):
            ctx.refuse(errors.transforms.no_floats(span, kind=kind, side=side))


def as_result(ctx: Context, result: Type) -> Type:
    """A static float as the array it will become; static integers are none that could be differentiated."""
    return as_array(ctx, result) if is_number(result) and result not in (ty.INT, ty.SIZE) else result


# ---------------------------------------------------------------- derivatives


def derivative(
    ctx: Context, function: Term, transformed: Transformed, args: list[Arg], span: Span, expected: Type | None
) -> Applied:
    """A call of `grad(f)` or a similar transformation."""
    kind = transformed.kind
    given = as_arrays(ctx, transformed.function, args)
    inner = apply_inside(ctx, kind, transformed.function, given, span)
    options = dict(transformed.options)
    aux = isinstance(options.get("has_aux"), Term) and options["has_aux"].known == fa.Known(True)
    chosen = _chosen(ctx, transformed.function, inner, options.get("argnums"), kind, transformed.span)
    result, rest = _differentiated(ctx, inner, aux, kind, span)
    wrt = [inner.positional[i] for i in chosen]
    if not wrt:
        ctx.refuse(errors.transforms.argnums_range(span, kind=kind, index=0, count=0))
    for i, term in zip(chosen, wrt, strict=True):
        require_inexact(ctx, kind, i, term, span)
    if kind not in _OF_A_SCALAR:
        _require_jacobian(ctx, kind, result, dict(zip(chosen, wrt, strict=True)), span)
    alone = "argnums" not in options or not isinstance(options["argnums"].known, Parts)
    gradient = _gradient_type(kind, result, [ctx.resolve(t.type) for t in wrt], alone)
    known = None if rest is None else _known(kind, inner.term.known)
    return wrap_call(function, inner, _assembled(kind, result, rest, gradient), span, known)


def _require_jacobian(ctx: Context, kind: Kind, result: Type, wrt: Mapping[int, Term], span: Span) -> None:
    """Demand that every leaf of a result has a derivative as it is without more, which a list of integers has not, that
    the leaves are known, for each of which a Jacobian has a part, and that there is a number for each element of the
    arguments: by a complex one, the derivative depends on the direction."""
    for each in (ctx.body.solver.expected(result), result):
        if non_inexact_leaf(ctx, each) is not None:
            ctx.refuse(errors.transforms.not_inexact_result(span, ctx, kind=kind, result=each))
    types = [ctx.resolve(term.type) for term in wrt.values()]
    unknown = next((leaf for each in (result, *types) for leaf in leaves(each) if isinstance(leaf, ty.TypeVar)), None)
    if unknown is not None:
        ctx.refuse(errors.transforms.no_jacobian(span, kind=kind, leaf=unknown.name))
    require_floats(ctx, kind, types, result, span)
    for place, term in wrt.items():
        if leaf_without_elements(ctx, term.type, dt.FLOATS) is not None:
            ctx.refuse(errors.transforms.no_elements(span, ctx, kind=kind, place=place, term=term))


def _known(kind: Kind, known: Known | None) -> Known:
    """Return the facts about the auxiliary results of a derivative, which stay as they are."""
    aux = known.items[1] if isinstance(known, Parts) else None
    return Parts((Parts((None, aux)), None)) if TRANSFORMATIONS[kind].with_value else Parts((None, aux))


def _assembled(kind: Kind, result: Type, rest: Type | None, gradient: Type) -> Type:
    if TRANSFORMATIONS[kind].with_value:
        value = result if rest is None else ty.TupleType((result, rest))
        return ty.TupleType((value, gradient))
    return gradient if rest is None else ty.TupleType((gradient, rest))


def _gradient_type(kind: Kind, result: Type, wrt: list[Type], alone: bool) -> Type:
    if kind in _OF_A_SCALAR:
        return wrt[0] if alone else ty.TupleType(tuple(wrt))
    parts = [jacobian(result, t) for t in wrt]
    if kind is Kind.HESSIAN:
        parts = [ty.TupleType(tuple(jacobian(jacobian(result, t), u) for u in wrt)) for t in wrt]
        if alone:
            return jacobian(jacobian(result, wrt[0]), wrt[0])
    return parts[0] if alone else ty.TupleType(tuple(parts))


def jacobian(out: Type, into: Type) -> Type:
    """The derivative of every leaf of `out` by every leaf of `into`: structure of the first, then of the second."""
    out, into = distribute_axes(out), distribute_axes(into)
    if is_product(out):
        return with_children(out, [jacobian(part, into) for part in children(out)])
    if is_product(into):
        return with_children(into, [jacobian(out, part) for part in children(into)])
    if isinstance(out, ty.ArrayType) and isinstance(into, ty.ArrayType):
        return ty.ArrayType(out.dtype, out.shape + into.shape)
    return ty.ERROR


def _chosen(
    ctx: Context, function: Term, inner: Applied, option: Term | None, kind: Kind, span: Span
) -> tuple[int, ...]:
    wanted = (0,) if option is None else argnums(option) or (0,)
    count = len(inner.positional)
    out: list[int] = []
    for one in wanted:
        if isinstance(one, str):
            names = _parameter_names(ctx, function, inner)
            if one not in names:
                ctx.refuse(errors.transforms.argnums_name(span, kind=kind, name=one, known=names))
            one = names.index(one)
        if not -count <= one < count:
            ctx.refuse(errors.transforms.argnums_range(span, kind=kind, index=one, count=count))
        out.append(one % count)
    return tuple(out)


def _parameter_names(ctx: Context, function: Term, inner: Applied) -> list[str]:
    """The names of the array parameters of a definition or lambda; those of other functions are not known."""
    signature, known = signature_of(ctx, function), innermost(function).known
    if signature is not None:
        return [signature.params[i].name for i in inner.places]
    written = [param.pattern for param in known.node.params] if isinstance(known, Closure) else []
    return [pattern.name if isinstance(pattern, ast.NamePattern) else "_" for pattern in written]


def _differentiated(ctx: Context, inner: Applied, aux: bool, kind: Kind, span: Span) -> tuple[Type, Type | None]:
    """The type of the value to differentiate, and of what comes beside it."""
    result = ctx.resolve(inner.term.type)
    rest: Type | None = None
    if aux:
        if not isinstance(result, ty.TupleType) or len(result.parts) != 2:
            ctx.refuse(errors.transforms.aux_needs_pair(span, ctx, kind=kind, result=result))
        rest, result = result.parts[1], ctx.resolve(result.parts[0])
    result = as_result(ctx, result)
    if kind in _OF_A_SCALAR:
        require_scalar(ctx, kind, result, span)
    return result, rest
