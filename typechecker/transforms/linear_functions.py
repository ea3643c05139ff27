"""`jvp`, `hvp`, `linearize` and `vjp`: transformations applied to a function and the point where it is looked at."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from dsl.core import core
from dsl.diagnostics.source import Span
from dsl.types import dtype as dt
from dsl.types import type as ty
from dsl.types.shape import Shape
from dsl.types.type import Type
from typechecker.analyses.forward_mode import FORWARD, reverse_rule_in
from typechecker.calls.calls import apply_full
from typechecker.calls.effect_restrictions import in_reverse
from typechecker.calls.function_values import eta
from typechecker.env.call_record import Arg
from typechecker.env.context import Context
from typechecker.env.values import Monomorphic, Parts, Term, error_term
from typechecker.errors import calls as call_errors
from typechecker.errors import transforms as transform_errors
from typechecker.relations.coercion import Why, coerce
from typechecker.relations.components import after, once
from typechecker.relations.numeric_literals import as_array
from typechecker.transforms.transformed_values import REVERSE, as_arrays, counted, is_function
from typechecker.types.predicates import is_traced
from typechecker.types.tangents import non_inexact_leaf, tangent

KINDS = ("jvp", "hvp", "linearize", "vjp")
NAMES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {"jvp": ("function", "primals", "tangents"), "hvp": ("function", "x", "v")}
)


def call(ctx: Context, kind: str, args: list[Arg], span: Span) -> Term:
    """`jvp vjp linearize hvp`; arguments by other names are static ones of the function."""
    bound = _bound(ctx, kind, args, span)
    if bound is None:
        return error_term(span)
    (first, *rest), statics = bound
    function = ctx.infer(first.value)
    if function.type == ty.ERROR:
        return error_term(span)
    if not is_function(ctx, function):
        ctx.report(transform_errors.transform_needs_function(ctx, kind, function, function.span))
        return error_term(span)
    match kind:
        case "jvp":
            return _jvp(ctx, function, rest, statics, span)
        case "hvp":
            return _hvp(ctx, function, rest, statics, span)
        case _:
            return _linear(ctx, kind, function, rest, statics, span)


def _bound(ctx: Context, kind: str, args: list[Arg], span: Span) -> tuple[list[Arg], list[Arg]] | None:
    """The arguments in order, the function first, and those that go on to the function by name."""
    names = NAMES.get(kind, ("function",))
    positional = [a for a in args if a.name is None]
    if kind in NAMES and len(positional) > len(names):
        extra = positional[len(names)]
        ctx.report(call_errors.too_many_arguments(kind, len(names), len(positional), extra.span))
        return None
    named = {a.name: a for a in args if a.name in names[len(positional) :]}
    missing = [n for n in names[len(positional) :] if n not in named]
    if missing:
        ctx.report(call_errors.missing_arguments(kind, missing, span))
        return None
    statics: list[Arg] = []
    for arg in [a for a in args if a.name is not None and a.name not in named]:
        term = ctx.infer(arg.value)
        if kind in NAMES and is_traced(ctx.resolve(term.type)):
            ctx.report(call_errors.unknown_keyword(kind, arg.name or "", list(names), arg.span))
            return None
        statics.append(Arg(arg.name, term, arg.span))
    ordered = [*positional, *[named[n] for n in names[len(positional) :]]]
    return ordered, statics


def _tuple_terms(ctx: Context, arg: Arg, bindings: list[core.Bound]) -> list[Term] | None:
    """The parts of a tuple; what holds one that is not written out joins the bindings."""
    term = ctx.infer(arg.value)
    kind = ctx.resolve(term.type)
    if not isinstance(kind, ty.TupleType):
        if kind != ty.ERROR:
            ctx.report(transform_errors.jvp_needs_tuples(ctx, term, arg.span))
        return None
    knowns = term.known.items if isinstance(term.known, Parts) else (None,) * len(kind.parts)
    if isinstance(term.core, core.Tuple):
        found = [once(ctx, Term(c, t, k)) for c, t, k in zip(term.core.items, kind.parts, knowns, strict=True)]
        bindings += [bound for _, bounds in found for bound in bounds]
        return [part for part, _ in found]
    whole, bounds = once(ctx, term)
    bindings += bounds
    return [
        Term(core.Project(arg.span, t, whole.core, i), t, k)
        for i, (t, k) in enumerate(zip(kind.parts, knowns, strict=True))
    ]


def _specialised(
    ctx: Context, kind: str, function: Term, terms: list[Term], statics: list[Arg], span: Span
) -> tuple[Term, tuple[Term, ...], Type] | None:
    """The function at the types of its arguments, the arguments as it receives them, and its result."""
    args = [*as_arrays(ctx, function, [Arg(None, t, t.span) for t in terms]), *statics]
    with ctx.collecting_effects() as effects:
        probe = apply_full(ctx, function, args, span)
    if probe is None:
        return None
    for effect, place in effects.items():
        ctx.perform(effect, place)
    if kind in REVERSE and not in_reverse(ctx, kind, effects.keys(), span):
        return None
    rule = reverse_rule_in(ctx.program, probe.term.core) if kind in FORWARD else None
    if rule is not None:
        ctx.report(transform_errors.forward_of_reverse_rule(kind, rule, span))
        return None
    received = probe.positional
    with ctx.collecting_effects():
        found = eta(ctx, function, tuple(ctx.resolve(t.type) for t in received), span, _slots(ctx, function, args))
    if found is None or not isinstance(found.type, ty.FunctionType):
        return None
    return found, received, as_array(ctx, found.type.result)


def _slots(ctx: Context, function: Term, args: Sequence[Arg]) -> list[tuple[Arg, int | None]]:
    """The arguments, with the number of those that are differentiated in the order in which they are received."""
    places = counted(ctx, function, args)
    order = sorted(place for place in places if place is not None)
    return [(a, None if place is None else order.index(place)) for a, place in zip(args, places, strict=True)]


def _jvp(ctx: Context, function: Term, args: list[Arg], statics: list[Arg], span: Span) -> Term:
    bindings: list[core.Bound] = []
    primals = _tuple_terms(ctx, args[0], bindings)
    tangents = None if primals is None else _tuple_terms(ctx, args[1], bindings)
    if primals is None or tangents is None:
        return error_term(span)
    found = _specialised(ctx, "jvp", function, primals, statics, span)
    if found is None:
        return error_term(span)
    specialised, received, result = found
    if len(tangents) != len(received):
        ctx.report(transform_errors.tangent_count(len(received), len(tangents), args[1].span))
        return error_term(span)
    mark = len(ctx.program.reports)
    given = [
        coerce(ctx, t, tangent(ctx.resolve(p.type)), Why("argument", f"tangent {i + 1}", "jvp"))
        for i, (t, p) in enumerate(zip(tangents, received, strict=True))
    ]
    if len(ctx.program.reports) > mark:
        return error_term(span)
    kind = ty.TupleType((result, tangent(ctx.resolve(result))))
    cores = tuple(t.core for t in (*received, *given))
    return after(bindings, Term(core.TransformCall(span, kind, "jvp", specialised.core, cores), kind))


def _hvp(ctx: Context, function: Term, args: list[Arg], statics: list[Arg], span: Span) -> Term:
    found = _specialised(ctx, "hvp", function, [ctx.infer(args[0].value)], statics, span)
    if found is None:
        return error_term(span)
    specialised, received, result = found
    match ctx.resolve(result):
        case ty.ArrayType(element, Shape(())) if ctx.body.solver.restrict(element, dt.FLOATS):
            pass
        case other:
            ctx.report(transform_errors.not_scalar(ctx, "hvp", other, span))
            return error_term(span)
    leaf = non_inexact_leaf(ctx, received[0].type)
    if leaf is not None:
        ctx.report(transform_errors.not_inexact(ctx, "hvp", 0, leaf, received[0], span))
        return error_term(span)
    vector = coerce(ctx, ctx.infer(args[1].value), received[0].type, Why("argument", "v", "hvp"))
    kind = ctx.resolve(received[0].type)
    return Term(core.TransformCall(span, kind, "hvp", specialised.core, (received[0].core, vector.core)), kind)


def _linear(ctx: Context, kind: str, function: Term, args: list[Arg], statics: list[Arg], span: Span) -> Term:
    found = _specialised(ctx, kind, function, [ctx.infer(a.value) for a in args], statics, span)
    if found is None:
        return error_term(span)
    specialised, received, result = found
    tangents = tuple(tangent(ctx.resolve(t.type)) for t in received)
    out = tangent(ctx.resolve(result))
    if kind == "linearize":
        map_type = ty.FunctionType(tangents, out)
    else:
        map_type = ty.FunctionType((out,), ty.TupleType(tangents))
    whole = ty.TupleType((result, map_type))
    known = Parts((None, Monomorphic(map_type)))
    cores = tuple(t.core for t in received)
    return Term(core.TransformCall(span, whole, kind, specialised.core, cores), whole, known)
