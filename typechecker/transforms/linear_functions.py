"""`jvp`, `hvp`, `linearize` and `vjp`: transformations applied to a function and the point where it is looked at;
`eval_shape`, which only looks at types."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from types import MappingProxyType
from typing import TypeAlias

from dsl.core import core
from dsl.core.binding import Slot
from dsl.core.transformation import TRANSFORMATIONS, Kind
from dsl.diagnostics.source import Span
from dsl.types import dtype as dt
from dsl.types import type as ty
from dsl.types.shape import Shape
from dsl.types.type import Element, Type
from dsl.types.walk import distribute_axes
from typechecker import errors
from typechecker.calls.calls import apply_full
from typechecker.calls.function_values import eta
from typechecker.env.call_record import Arg, bind_arguments
from typechecker.env.context import Context
from typechecker.env.reports import Reported
from typechecker.env.values import Monomorphic, Parts, Term, static_term
from typechecker.expressions.atoms import make_record, make_tuple
from typechecker.relations.coercion import Why, coerce
from typechecker.relations.components import after, items_of, once
from typechecker.relations.numeric_literals import run_time_type, settled_type
from typechecker.transforms.derivatives import apply_inside, as_result, require_floats, require_inexact, require_scalar
from typechecker.transforms.transformed_values import as_arrays, in_order, pass_over_statics, require_function
from typechecker.types.predicates import is_traced
from typechecker.types.type_classes import tangent


def call(kind: Kind, ctx: Context, args: list[Arg], span: Span, expected: Type | None = None) -> Term:
    """`jvp vjp linearize hvp`; arguments by other names are static ones of the function."""
    (first, *rest), statics = _bound(ctx, kind, args, span)
    function = ctx.typed(first.value)
    require_function(ctx, function, kind)
    return RULES[kind](ctx, function, rest, statics, span)


def _bound(ctx: Context, kind: Kind, args: list[Arg], span: Span) -> tuple[list[Arg], list[Arg]]:
    """The arguments in order, the function first, and those that go on to the function by name."""
    fixed = TRANSFORMATIONS[kind].parameters
    names = ("function", *fixed)
    own = [a for a in args if a.name is None or a.name in names]
    places = names if fixed else [*names, *(f"argument {i}" for i in range(2, len(own) + 1))]
    chosen = bind_arguments(ctx, kind, [Slot(name) for name in places], own, span)
    statics: list[Arg] = []
    for arg in [a for a in args if a.name is not None and a.name not in names]:
        term = ctx.infer(arg.value)
        if fixed and is_traced(ctx.resolve(term.type)):
            ctx.refuse(errors.calls.unknown_keyword(kind, arg.name or "", list(names), arg.span))
        statics.append(Arg(arg.name, term, arg.span))
    return [chosen[name] for name in places], statics


def _tuple_terms(ctx: Context, arg: Arg, bindings: list[core.Bound]) -> list[Term]:
    """The parts of a tuple; what holds one that is not written out joins the bindings."""
    term = ctx.typed(arg.value)
    type_ = ctx.resolve(term.type)
    if not isinstance(type_, ty.TupleType):
        ctx.refuse(errors.transforms.jvp_needs_tuples(arg.span, ctx, term=term))
    parts, bounds = items_of(ctx, term, type_, arg.span)
    bindings += bounds
    found = [once(ctx, part) for part in parts]
    bindings += [bound for _, inner in found for bound in inner]
    return [part for part, _ in found]


def _specialised(
    ctx: Context, kind: Kind, function: Term, terms: list[Term], statics: list[Arg], span: Span
) -> tuple[Term, tuple[Term, ...], Type]:
    """The function at the types of its arguments, the arguments as it receives them, and its result. What takes its
    default is no argument."""
    given = as_arrays(ctx, function, [Arg(None, t, t.span) for t in terms])
    args = pass_over_statics(ctx, function, [*given, *statics])
    inner = apply_inside(ctx, kind, function, args, span)
    received = inner.received
    with ctx.body.book.inner():
        found = eta(ctx, function, tuple(ctx.resolve(t.type) for t in received), span, in_order(ctx, function, args))
    assert isinstance(found.type, ty.FunctionType)
    return found, received, run_time_type(ctx, found.type.result)


def _jvp(ctx: Context, function: Term, args: list[Arg], statics: list[Arg], span: Span) -> Term:
    bindings: list[core.Bound] = []
    primals = _tuple_terms(ctx, args[0], bindings)
    tangents = _tuple_terms(ctx, args[1], bindings)
    specialised, received, result = _specialised(ctx, Kind.JVP, function, primals, statics, span)
    if len(tangents) != len(received):
        ctx.refuse(errors.transforms.tangent_count(args[1].span, wanted=len(received), given=len(tangents)))
    with ctx.attempt() as attempt:
        given = [
            coerce(ctx, t, tangent(ctx, p.type), Why("argument", f"tangent {i + 1}", "jvp"))
            for i, (t, p) in enumerate(zip(tangents, received, strict=True))
        ]
    if attempt.failed:
        raise Reported
    type_ = ty.TupleType((result, tangent(ctx, result)))
    cores = tuple(t.core for t in (*received, *given))
    return after(bindings, Term(core.TransformCall(span, type_, Kind.JVP, specialised.core, cores), type_))


def _hvp(ctx: Context, function: Term, args: list[Arg], statics: list[Arg], span: Span) -> Term:
    primals = [ctx.infer(args[0].value)]
    specialised, received, _ = _specialised(ctx, Kind.HVP, function, primals, statics, span)
    assert isinstance(specialised.type, ty.FunctionType)
    require_scalar(ctx, Kind.HVP, as_result(ctx, ctx.resolve(specialised.type.result)), span)
    require_inexact(ctx, Kind.HVP, 0, received[0], span)
    vector = coerce(ctx, ctx.infer(args[1].value), received[0].type, Why("argument", "v", "hvp"))
    type_ = ctx.resolve(received[0].type)
    return Term(core.TransformCall(span, type_, Kind.HVP, specialised.core, (received[0].core, vector.core)), type_)


def _linear(kind: Kind, ctx: Context, function: Term, args: list[Arg], statics: list[Arg], span: Span) -> Term:
    primals = [ctx.infer(a.value) for a in args]
    specialised, received, result = _specialised(ctx, kind, function, primals, statics, span)
    tangents = tuple(tangent(ctx, t.type) for t in received)
    out = tangent(ctx, result)
    require_floats(ctx, kind, tangents, out, span)
    if kind is Kind.LINEARIZE:
        map_type = ty.FunctionType(tangents, out)
    else:
        map_type = ty.FunctionType((out,), ty.TupleType(tangents))
    whole = ty.TupleType((result, map_type))
    known = Parts((None, Monomorphic(map_type)))
    cores = tuple(t.core for t in received)
    return Term(core.TransformCall(span, whole, kind, specialised.core, cores), whole, known)


Rule: TypeAlias = Callable[[Context, Term, "list[Arg]", "list[Arg]", Span], Term]
"""rule(ctx, function, arguments, static ones that go on to the function, span)."""

RULES: Mapping[Kind, Rule] = MappingProxyType(
    {
        Kind.JVP: _jvp,
        Kind.HVP: _hvp,
        Kind.LINEARIZE: partial(_linear, Kind.LINEARIZE),
        Kind.VJP: partial(_linear, Kind.VJP),
    }
)


# ---------------------------------------------------------------- eval_shape


def eval_shape(ctx: Context, args: list[Arg], span: Span, expected: Type | None) -> Term:
    """The rule of the call: each array of the result becomes `{shape: shape, dtype: dtype}`."""
    if not args or args[0].name is not None:
        ctx.refuse(errors.calls.missing_arguments("eval_shape", ["function"], span))
    function = ctx.typed(args[0].value)
    require_function(ctx, function, "eval_shape")
    with ctx.body.book.inner():
        applied = apply_full(ctx, function, as_arrays(ctx, function, args[1:]), span)
    return describe_type(ctx, ctx.resolve(settled_type(ctx, applied.term.type)), span)


def describe_type(ctx: Context, type_: Type, span: Span) -> Term:
    """A type as a static value of the same structure."""
    match distribute_axes(ctx.resolve(type_)):
        case ty.ArrayType(element, shape):
            return _leaf(ctx.body.solver.element(element), shape, span)
        case ty.IndexType(_, shape):
            return _leaf(dt.I32, shape, span)
        case ty.TupleType(parts):
            return make_tuple([describe_type(ctx, p, span) for p in parts], span)
        case ty.RecordType(fields):
            return make_record({n: describe_type(ctx, t, span) for n, t in fields}, span)
        case other:
            ctx.refuse(errors.transforms.no_shape(span, ctx, kind=other))


def _leaf(element: Element, shape: Shape, span: Span) -> Term:
    fields = {"dtype": static_term(element, ty.DTYPE, span), "shape": static_term(shape, ty.SHAPE, span)}
    return make_record(fields, span)
