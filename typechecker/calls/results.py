"""The result of a call of a definition once its variables are solved.

Conditions and classes of its signature hold, its effects happen, and its result has the type that follows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain, product
from typing import cast

from msgspec import Struct

from dsl.core import core
from dsl.diagnostics.diagnostic import Diagnostic
from dsl.diagnostics.source import Span
from dsl.types import type as ty
from dsl.types.decide import Refuted
from dsl.types.dtype import DType
from dsl.types.effect import Axis, EffectVar, Row, Site
from dsl.types.facts import And, Facts, OpaqueProp, Prop, atoms_of, calls_of
from dsl.types.shape import Shape, Splice, StaticArg, StaticName
from dsl.types.shapefn import Differ, ShapeFailure, missing_axis, permuted, ranks_compared
from dsl.types.sites import is_taken
from dsl.types.size import Size, SizeVar
from dsl.types.static_parts import Gap, has_gap
from dsl.types.type import Element, Type
from dsl.types.walk import hidden_calls, leaves, shapes_in, subtypes
from typechecker import errors
from typechecker.calls.closures import apply_open, is_open, own_default
from typechecker.calls.effect_restrictions import of_arguments, written_by_arguments
from typechecker.declarations.entities import Attribute, State
from typechecker.declarations.entities import Definition as DefinitionInfo
from typechecker.env.call_record import Applied
from typechecker.env.context import Context
from typechecker.env.known_parts import facts_of_leaves, leaf_by_leaf
from typechecker.env.reports import Reported
from typechecker.env.value_facts import held, of_elements, of_selection, of_type, with_range
from typechecker.env.values import Elementwise, Known, Monomorphic, Term
from typechecker.errors.causes import Operation
from typechecker.expressions.atoms import make_constant
from typechecker.relations import shapes
from typechecker.relations.cells import hold_axes, hold_cells
from typechecker.relations.coercion import Why, coerce
from typechecker.relations.size_equations import is_equation, require_condition
from typechecker.types.data_sizes import opened_at_call
from typechecker.types.instance import HERE, Instance
from typechecker.types.predicates import holds_static, holds_static_data, is_reported
from typechecker.types.type_classes import is_of_class, leaf_outside_class


class Call(Struct, frozen=True, eq=False):
    """A call of a definition while it is checked: `instance` solves the variables of its `signature`."""

    ctx: Context
    info: DefinitionInfo
    signature: core.Signature
    instance: Instance
    span: Span

    def why(self, param: core.Parameter) -> Why:
        return Why("argument", param.name, self.info.shown, param.span)


def finish(call: Call, function: Term, terms: dict[str, Term]) -> Applied:
    """The call with its type, where all that the callee demands holds. `terms` are the arguments by parameter."""
    ctx, info, signature, instance, span = call.ctx, call.info, call.signature, call.instance, call.span
    final = _fitted(call, terms)
    _require_classes(call, final)
    hold_cells(ctx, instance.row(signature.effects), info.shown, span)
    _require_axes(call)
    missing = [v for v in signature.sizes if v not in instance.sizes]
    if missing and any(is_reported(ctx.resolve(term.type)) for term in terms.values()):
        raise Reported
    if missing:
        ctx.refuse(errors.calls.undetermined_at_call(info, missing[0].name, span))
    opens = opened_at_call(ctx, signature, instance)
    result = instance.type(signature.result)
    what = Operation(info.shown, tuple(final[p.name] for p in signature.params if not p.static))
    stuck_shapes = (instance.shape(Shape((Splice(stuck),))) for stuck in hidden_calls(signature.result))
    formed = dict.fromkeys((*shapes_in(result), *stuck_shapes))
    for shape in formed:
        shapes.refuse_failing(ctx, shape, what, span)
    _require_conditions(call, what, final)
    for shape in formed:
        shapes.oblige(ctx, shape, what, span)
    result = shapes.settle(ctx, result)
    written = written_by_arguments(final)
    for variable, row in instance.effects.items():
        if not info.calls_once(variable):
            _require_not_by_name(call, row)
    _require_names_apart(call)
    ctx.perform_row(
        instance.row(signature.effects), span, info.conduct.writes | written if info.state is State.DONE else None
    )
    of_arguments(ctx, info, instance, written, span)
    if is_open(info, result):
        return apply_open(ctx, info, final, instance, span)
    known = _result_known(call, final, result)
    cores = tuple([None if own_default(info, terms, p.name) else final[p.name].core for p in signature.params])
    hidden = tuple([(variable, instance.stands_for(variable)) for variable in signature.hidden])
    done = core.Apply(span, result, function.core, cores, None, hidden)
    return applied(signature, done, with_range(ctx, Term(done, result, known)).known, final, opens)


def _require_not_by_name(call: Call, row: Row) -> None:
    """Demand that what a function does whose type says nothing of it happens no matter how often it is called."""
    call.ctx.body.book.again.update([effect for effect in row.effects if isinstance(effect, EffectVar)])
    once = [effect for effect in row if isinstance(effect, Site) and not effect.shared]
    if once:
        call.ctx.refuse(errors.effects.hidden_by_name(call.span, name=call.info.shown, site=once[0]))


def _require_names_apart(call: Call) -> None:
    """Demand that operations by name whose names the callee left open do not get one name by this call."""
    sites = [effect for effect in call.signature.effects if isinstance(effect, Site)]
    if all(isinstance(name, str) for site in sites for name in site.path):
        return
    here = [list(call.instance.row(Row(frozenset([site])))) for site in sites]
    for place, found in enumerate(here):
        for one, other in product(found, chain.from_iterable(here[:place])):
            if isinstance(one, Site) and isinstance(other, Site) and is_taken(one, other):
                call.ctx.refuse(errors.effects.name_taken(call.span, other=call.span, site=one, taken=other))


def applied(
    signature: core.Signature,
    call: core.Apply,
    known: Known | None,
    terms: Mapping[str, Term],
    opens: tuple[SizeVar, ...] = (),
) -> Applied:
    """The call of a definition with these arguments, which fit."""
    params = enumerate(signature.params)
    places = tuple([i for i, p in params if not p.static and not isinstance(p.type, ty.FunctionType)])
    positional = tuple([terms[signature.params[i].name] for i in places])
    whole = core.Opened(call.span, call.type, call, opens) if opens else call
    return Applied(Term(whole, call.type, known), call.function, positional, call.args, None, places, call.hidden)


def _fitted(call: Call, terms: dict[str, Term]) -> dict[str, Term]:
    """The arguments as the parameters have them. Behind a first argument that does not fit, only those are told of
    that no variable ties to it."""
    ctx, signature = call.ctx, call.signature
    final: dict[str, Term] = {}
    failed = False
    for param in signature.params:
        term = terms[param.name]
        with ctx.attempt() as attempt:
            if not param.static and not isinstance(param.type, ty.FunctionType):
                term = coerce(ctx, term, call.instance.type(param.type), call.why(param))
        final[param.name] = term
        for found in attempt.discard() if failed else ():
            if found.code.startswith("E03") and not signature.dtypes and not signature.types:
                ctx.report(found)
        failed = failed or attempt.failed
    if failed:
        raise Reported
    return final


def _require_axes(call: Call) -> None:
    """The sizes that a row states of named axes are those of the axes around the call."""
    ctx, info, instance, span = call.ctx, call.info, call.instance, call.span
    for effect in call.signature.effects:
        if isinstance(effect, Axis) and effect.size is not None:
            there = ctx.body.axes.get(effect.name)
            if there is None:
                ctx.refuse(errors.transforms.collective_outside(span, name=info.shown, axis=effect.name))
            instance.equate(effect.size, there, HERE)
    instance.settle()
    hold_axes(ctx, instance.row(call.signature.effects), info.shown, span)


def _require_classes(call: Call, terms: dict[str, Term]) -> None:
    """Require that the solution of each type variable is of its class."""
    ctx = call.ctx
    for param in call.signature.params:
        for var in call.signature.types:
            found = call.instance.types.get(var)
            if found is None or var not in subtypes(param.type, functions=True):
                continue
            if not is_of_class(ctx, ctx.resolve(found), var.constraint):
                span = terms[param.name].span
                culprit = leaf_outside_class(ctx, found, var.constraint)
                shown = call.info.shown
                ctx.refuse(errors.dtypes.class_not_met(ctx, shown, param.name, found, var.constraint, culprit, span))


def _require_conditions(call: Call, what: Operation, terms: dict[str, Term]) -> None:
    """Demand what the callee demands; of several conditions in one each by itself."""
    ctx, info, span = call.ctx, call.info, call.span
    demanded = ctx.body.constraints
    open_here = info.inferred if info.inferred and _only_renames(ctx, call.instance) else frozenset()
    for prop in call.signature.where:
        whole, before = call.instance.prop(prop), len(demanded)
        for needed in whole.props if isinstance(whole, And) and prop not in info.inferred else (whole,):
            if prop in open_here and not is_equation(needed):
                ctx.constrain(needed, span)
                continue
            verdict = require_condition(ctx, needed, span)
            if verdict is not None:
                ctx.refuse(_refused(call, prop, needed, verdict, what, _place(call, prop, terms)))
        if prop in info.origins:
            ctx.body.reasons.update(dict.fromkeys([each for each, _ in demanded[before:]], info.origins[prop]))


def _place(call: Call, prop: Prop, terms: dict[str, Term]) -> Span:
    """Where a condition of the callee is not met: at the one static argument that it speaks of beside an array, or at
    the call."""
    named = {arg for call in calls_of(prop) for arg in call.args if isinstance(arg, StaticName)}
    inside = {var for call in calls_of(prop) for arg in call.args if isinstance(arg, Shape) for var in arg.shape_vars()}
    sizes = set(atoms_of(prop))
    said = [
        p
        for p in call.signature.params
        if p.static and (StaticName(p.id, p.name) in named or p.shape in inside or p.size in sizes)
    ]
    arrays = inside - {p.shape for p in call.signature.params}
    place = terms[said[0].name].span if len(said) == 1 and len(arrays) <= 1 else call.span
    return place if call.span.covers(place) else call.span


def _refused(
    call: Call, prop: Prop, needed: Prop, verdict: Refuted | Differ, what: Operation, place: Span
) -> Diagnostic:
    ctx, info, instance = call.ctx, call.info, call.instance
    message = None if info.signature is None else info.signature.message(prop)
    match prop:
        case OpaqueProp("has_axis" | "is_order" as name, (Shape() as shape, axis)) if message is None:
            given = instance.shape(shape), instance.argument(cast(StaticArg, axis))
            missing = missing_axis(*given) if name == "has_axis" else permuted(Facts(), *given)
            if isinstance(missing, ShapeFailure):
                return errors.shapes.shapes_fail(ctx, missing, what, place)
    compared = ranks_compared(prop)
    if compared is not None and message is None:
        differ = ShapeFailure("numbers of axes differ", tuple(map(instance.shape, compared)))
        return errors.shapes.shapes_fail(ctx, differ, what, place)
    needed = needed if not has_gap(needed, Gap.UNNAMED) else prop
    found = verdict.counterexample
    at = call.span if message is None else place
    return errors.shapes.constraint_refuted(ctx, info, prop, needed, instance, found, at, message)


def _only_renames(ctx: Context, instance: Instance) -> bool:
    """Return whether the variables of the callee stand for as many variables of which nothing is known here: then what
    its body could not decide cannot be decided here either."""
    targets = [size.as_atom() for size in instance.sizes.values()]
    return (
        not ctx.facts.props
        and len(set(targets)) == len(targets)
        and all(
            isinstance(to, SizeVar) and to not in ctx.body.ranges and to.natural <= var.natural
            for var, to in zip(instance.sizes, targets, strict=True)
        )
    )


def _of_elements(call: Call, sources: Sequence[str], terms: dict[str, Term]) -> Known | None:
    """Return facts about a result whose elements come from some arguments or from literals. Each part has the elements
    of the arguments that share its variable, if any."""
    ctx, params = call.ctx, {p.name: p.type for p in call.signature.params}
    numbers = [make_constant(int(name), call.span) for name in sources if name.isdigit()]
    named = [name for name in sources if not name.isdigit()]

    def leaf(_: Sequence[Known | None], declared: Type) -> Known | None:
        kind = ctx.resolve(call.instance.type(declared))
        if isinstance(declared, ty.IndexType):
            return of_type(ctx, kind, "i")
        own = [name for name in named if _elements(params[name]) & _elements(declared)] or named
        given = [source for name in own for source in _given(terms[name])]
        return _without_wrap(ctx, of_elements(ctx, [*numbers, *given], kind), kind)

    return leaf_by_leaf((), call.signature.result, leaf)


def _given(term: Term) -> Sequence[Term]:
    """Return the terms whose elements an argument contributes: itself, or the results of its functions."""
    leaves = list(facts_of_leaves(term.known))
    functions = [known for known in leaves if isinstance(known, Monomorphic)]
    if not functions or len(functions) < len(leaves):
        return [term]
    return [Term(term.core, known.type.result, known.result) for known in functions]


def _elements(kind: Type) -> frozenset[Element | Type]:
    """Return the elements of the leaves of a type."""
    return frozenset([leaf.dtype if isinstance(leaf, ty.ArrayType) else leaf for leaf in leaves(kind)])


def _without_wrap(ctx: Context, known: Known | None, kind: Type) -> Known | None:
    """Return facts about integers that may have changed dtype."""

    def leaf(found: Sequence[Known | None], kind: Type) -> Known | None:
        if not isinstance(kind, ty.ArrayType):
            return found[0]
        element = ctx.body.solver.element(kind.dtype)
        return held(ctx, found[0], kind) if not isinstance(element, DType) or element.is_integer else None

    return leaf_by_leaf([known], kind, leaf)


def _within(ends: Sequence[Known | None], result: Type) -> Known | None:
    """Return facts about an array of integers between two static bounds, or between 0 and one."""
    match [Size.of(0), *ends][-2:], result:
        case [Size() as low, Size() as high], ty.IndexType() | ty.ArrayType(DType(is_integer=True)):
            return Elementwise(low, high)
        case _:
            return None


def _result_known(call: Call, terms: dict[str, Term], result: Type) -> Known | None:
    """Return facts about the result beside its type: those stated by the library, or those of the body for static
    values. Functions are of the stated types."""
    ctx, info, said = call.ctx, call.info, call.info.attributes
    known = of_selection(ctx, info.static_math, [terms[p.name] for p in call.signature.params], result)
    if known is None and Attribute.ELEMENTS in said:
        known = _of_elements(call, said[Attribute.ELEMENTS], terms)
    if known is None and Attribute.WITHIN in said:
        known = _within([terms[name].known for name in said[Attribute.WITHIN]], result)
    if known is not None:
        return known
    evaluated = holds_static if info.head.static else holds_static_data
    if not evaluated(result):
        return None
    return ctx.program.rules.unfold(ctx, info, terms, result, call.instance, call.span)
