"""`custom_jvp` and `custom_vjp`: rules that a program gives for a derivative have the types that the function fixes.

Where a derivative is taken, a rule of `custom_jvp` and the `fwd` of a `custom_vjp` take the place of the function: what
the function checks and prints, they check and print. Values that effects give or take (keys, cells, answers of
operations) are no arguments, so that rules could say nothing of them. What is static reaches rules by name.

The rules belong to the function value, wherever it is bound or returned: each call adds a body to the lambdas that
stand for them where it is made, with the number that it has in the function itself.

Whether rules are linear is `dsl.witnesses`'s to say.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

from msgspec import Struct

from dsl.core import core
from dsl.core.transformation import Kind
from dsl.diagnostics.source import Span
from dsl.records import replace
from dsl.types import type as ty
from dsl.types.effect import PURE, Effect, Row, Ruled, kind_of
from dsl.types.type import Type
from typechecker import errors
from typechecker.calls.calls import apply_full
from typechecker.calls.function_values import add_body, align, as_function, eta, lambdas_of
from typechecker.env.call_record import Applied, Arg, bind_locals, local
from typechecker.env.context import Context
from typechecker.env.known_parts import facts_of_parts
from typechecker.env.reports import Reported
from typechecker.env.value_facts import of_elements, parameter_known
from typechecker.env.values import Known, Monomorphic, Parts, Term, Transformed, made_at_calls
from typechecker.relations.coercion import Why, coerce
from typechecker.relations.numeric_literals import as_array, run_time_type
from typechecker.relations.size_equations import same_shape
from typechecker.transforms.transformed_values import (
    as_arrays,
    bound_arguments,
    handed_on,
    in_order,
    pass_over_statics,
    require_data,
    uncounted,
)
from typechecker.types.predicates import holds_error, holds_function, holds_key
from typechecker.types.type_classes import tangent

FUNCTION = "function"


def lambdas_of_rules(function: Term, rules: Sequence[tuple[str, Term]]) -> dict[str, core.Lambda]:
    """Return the lambdas that represent rules, and a function made at each call, in the function with these rules."""
    made = [(FUNCTION, function)] if made_at_calls(function) else []
    return {name: core.Lambda(term.span, ty.FunctionType((), ty.ERROR)) for name, term in (*made, *rules)}


def custom(
    ctx: Context, function: Term, transformed: Transformed, args: list[Arg], span: Span, expected: Type | None
) -> Applied:
    """A call of a function with rules of its own."""
    given = as_arrays(ctx, transformed.function, args)
    own = dict(transformed.lambdas)
    align(ctx, [*own.values(), *lambdas_of(transformed.function)])
    with ctx.body.book.inner() as effects:
        inner = apply_full(ctx.once(), transformed.function, given, span, expected)
    ctx.perform_all(effects)
    inner = _made_there(ctx, own[FUNCTION], inner, span) if FUNCTION in own else inner
    primals = ty.TupleType(tuple(ctx.resolve(t.type) for t in inner.positional))
    received = Parts(tuple([t.known for t in inner.positional]))
    result = ctx.resolve(as_array(ctx, inner.term.type))
    require_data(ctx, transformed.kind, result, span)
    performed = _performed(ctx, transformed, inner, given, span) if effects else PURE
    statics = _statics(ctx, transformed.function, inner, given)
    ruled = _Ruled(ctx, transformed, statics, primals, received, result, performed)
    rules = _jvp_rule(ruled) if transformed.kind is Kind.CUSTOM_JVP else _vjp_rules(ruled)
    first = next(iter(rules.values()))
    known = of_elements(ctx, [inner.term, _part(first, 0)], result)
    number = max(len(own[name].instances) for name in rules) if inner.instance is None else inner.instance
    for name, rule in rules.items():
        add_body(own[name], number, _body(rule, bind_locals(held for held, _ in statics.values())))
    call = core.Apply(span, result, function.core, inner.core_args, number, inner.hidden)
    return replace(inner, term=Term(call, result, known), function=function.core, instance=number)


def _made_there(ctx: Context, to: core.Lambda, inner: Applied, span: Span) -> Applied:
    """A call of what stands for a function that is made at each call. What is static stays with that."""
    taken = [place for place in inner.places if inner.core_args[place] is not None]
    held = {place: local(ctx, f"x{place}", t.type, span) for place, t in zip(taken, inner.received, strict=True)}
    cores = tuple([held[place].core if place in held else arg for place, arg in enumerate(inner.core_args)])
    call = core.Apply(span, inner.term.type, inner.function, cores, inner.instance, inner.hidden)
    number = len(to.instances)
    add_body(to, number, core.LambdaBody(bind_locals(held.values()), call))
    given = tuple([inner.core_args[place] for place in taken])
    places = tuple(range(len(taken)))
    return replace(inner, positional=inner.received, core_args=given, instance=number, places=places, hidden=())


def _statics(ctx: Context, function: Term, inner: Applied, args: Sequence[Arg]) -> dict[str, tuple[Term, bool]]:
    """Local variables for what a definition is called with that is static or a function, and whether it is given."""
    found, out = bound_arguments(ctx, function, args), {}
    for place, param in uncounted(ctx, function):
        given = inner.core_args[place]
        kind = param.type if given is None else ctx.resolve(given.type)
        known = None if holds_function(kind) or param.name not in found else _known(ctx, args[found[param.name]], kind)
        held = core.Local(param.span, kind, ctx.fresh_id(), param.name)
        out[param.name] = Term(held, kind, known or parameter_known(kind)), param.name in found
    return out


def _known(ctx: Context, arg: Arg, type_: Type) -> Known | None:
    """Return the facts about a static argument, which was checked where the function was called."""
    with ctx.attempt() as attempt:
        term = coerce(ctx, ctx.typed(arg.value, type_), type_, Why("argument"))
    attempt.discard()
    return None if attempt.failed else term.known


def _body(rule: Term, statics: tuple[core.Pattern, ...]) -> core.LambdaBody:
    """Return the body of a rule in one call."""
    assert isinstance(rule.core, core.Specialise) and isinstance(rule.core.function, core.Lambda)
    body = rule.core.function.instances[rule.core.instance]
    return replace(body, params=(*body.params, *statics))


def _part(rule: Term, place: int) -> Term:
    """A part of the pair that a rule gives, with what is known of it."""
    assert isinstance(rule.type, ty.FunctionType) and isinstance(rule.type.result, ty.TupleType)
    known = rule.known.result if isinstance(rule.known, Monomorphic) else None
    return Term(rule.core, rule.type.result.parts[place], facts_of_parts(known).get(place))


class _Ruled(Struct, frozen=True):
    """A function with rules of its own in one call: what it is given and what is known of that, what it gives, and
    what it performs itself."""

    ctx: Context
    transformed: Transformed
    statics: Mapping[str, tuple[Term, bool]]
    primals: ty.TupleType
    known: Parts
    result: Type
    performed: Row

    def slots(self, name: str, count: int) -> Slots | None:
        """The arguments of a rule, as many by position and what is static by name; None if nothing is."""
        term = dict(self.transformed.options)[name]
        given = {name: held for name, (held, is_given) in self.statics.items() if is_given}
        statics = handed_on(self.ctx, self.transformed.function, given, term)
        if not statics:
            return None
        named = pass_over_statics(self.ctx, term, [*[Arg(None, term, term.span)] * count, *statics])
        return [(arg, place if place < count else None) for place, arg in enumerate(named)]


Slots: TypeAlias = "list[tuple[Arg, int | None]]"


# ---------------------------------------------------------------- effects


def _performed(ctx: Context, transformed: Transformed, inner: Applied, args: list[Arg], span: Span) -> Row:
    """The effects of the function itself, which its rules have to say the same of; those of its arguments are none."""
    function, types = transformed.function, tuple([ctx.resolve(t.type) for t in inner.received])
    knowns = [t.known for t in inner.received]
    found = eta(ctx, function, types, span, in_order(ctx, function, args), knowns).type
    assert isinstance(found, ty.FunctionType)
    return _without_values(ctx, found.effects, f"the function of `{transformed.kind}`", function.span)


def _without_values(ctx: Context, performed: Row, performer: str, span: Span) -> Row:
    """Demand that nothing is performed that gives values or takes them; the other effects."""
    valued = {e for e in performed.effects if _allowed(e) is Ruled.NOTHING}
    if valued:
        ctx.report(errors.effects.valued_effects(span, ctx, performer=performer, effects=valued))
    return Row(performed.effects - valued)


def _allowed(effect: Effect) -> Ruled:
    kind = kind_of(effect)
    return Ruled.NOTHING if kind is None else kind.ruled


def _require_effects(ruled: _Ruled, name: str, rule: Term, wanted: Row) -> None:
    """Demand that a rule performs what is `wanted`, and nothing else that could be lost."""
    assert isinstance(rule.type, ty.FunctionType)
    ctx, span = ruled.ctx, rule.span
    effects = _without_values(ctx, rule.type.effects, f"`{name}`", span).effects
    happening = {e for e in effects if _allowed(e) is Ruled.ALIKE}
    asked = {e for e in wanted.effects if _allowed(e) is Ruled.ALIKE}
    if happening - asked:
        ctx.report(errors.effects.effects_of_a_rule(ctx, happening - asked, name, span))
    elif asked - happening:
        function = ruled.transformed.function.span
        lost = asked - happening
        ctx.report(errors.effects.effects_that_a_rule_loses(span, ctx, other=function, name=name, effects=lost))
    ctx.perform_row(Row(effects - happening), span)


# ---------------------------------------------------------------- types


def _jvp_rule(ruled: _Ruled) -> dict[str, Term]:
    ctx, primals = ruled.ctx, ruled.primals
    tangents = ty.TupleType(tuple(tangent(ctx, t) for t in primals.parts))
    result = ty.TupleType((ruled.result, tangent(ctx, ruled.result)))
    wanted = ty.FunctionType((primals, tangents), result)
    return {"rule": _rule(ruled, "rule", wanted, [ruled.known], ruled.performed)}


def _vjp_rules(ruled: _Ruled) -> dict[str, Term]:
    ctx, primals, result = ruled.ctx, ruled.primals, ruled.result
    forward, saved = _forward(ruled, dict(ruled.transformed.options)["fwd"])
    wanted = ty.FunctionType((saved, tangent(ctx, result)), ty.TupleType(tuple(tangent(ctx, p) for p in primals.parts)))
    known = of_elements(ctx, [_part(forward, 1)], saved)
    return {"fwd": forward, "bwd": _rule(ruled, "bwd", wanted, [known], PURE)}


def _rule(ruled: _Ruled, name: str, wanted: ty.FunctionType, knowns: Sequence[Known | None], performed: Row) -> Term:
    """A rule as a function of the type that is wanted, with the effects that it may have."""
    ctx, term = ruled.ctx, dict(ruled.transformed.options)[name]
    slots = ruled.slots(name, len(wanted.params))
    with ctx.attempt() as attempt:
        why = Why("rule", name)
        found = as_function(ctx, term, wanted, why, term.span, open_effects=True, slots=slots, knowns=knowns)
    if attempt.failed or not isinstance(found.core, core.Specialise):  # what is wrong there was told before
        raise Reported
    _require_effects(ruled, name, found, performed)
    return found


def _forward(ruled: _Ruled, term: Term) -> tuple[Term, Type]:
    """The first of the rules of a `custom_vjp`, and the type of what it saves."""
    ctx, params = ruled.ctx, ruled.primals.parts
    forward = eta(ctx, term, params, term.span, ruled.slots("fwd", len(params)), ruled.known.items)
    assert isinstance(forward.type, ty.FunctionType)
    out = ctx.resolve(forward.type.result)
    if holds_error(out):
        raise Reported
    if not isinstance(out, ty.TupleType) or len(out.parts) != 2 or not _same(ctx, out.parts[0], ruled.result):
        ctx.refuse(errors.transforms.custom_rule_type(term.span, ctx, name="fwd", actual=out, result=ruled.result))
    saved = run_time_type(ctx, out.parts[1])
    require_data(ctx, Kind.CUSTOM_VJP, saved, term.span)
    if holds_key(ctx.resolve(saved)):
        ctx.refuse(errors.keys.key_saved(term.span))
    _require_effects(ruled, "fwd", forward, ruled.performed)
    return forward, saved


def _same(ctx: Context, a: Type, b: Type) -> bool:
    a, b = ctx.resolve(as_array(ctx, a)), ctx.resolve(b)
    if isinstance(a, ty.ArrayType) and isinstance(b, ty.ArrayType):
        return ctx.unify(a.dtype, b.dtype) and same_shape(ctx, a.shape, b.shape)
    return a == b
