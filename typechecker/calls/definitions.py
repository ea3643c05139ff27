"""Calls of definitions: arguments meet parameters, the variables of the signature are solved, the result follows.

Static arguments come first, since later types may speak of them; arguments that are functions come last, when the
variables in their parameter types are known. Read next: `typechecker.types.instance`, which solves the variables, and
`typechecker.calls.results`, which checks what the callee demands and computes the type of the call.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial

from dsl.core import core
from dsl.core.binding import Slot
from dsl.core.statics.dtypes import DTYPES
from dsl.core.statics.shapes import SHAPE_FUNCTIONS
from dsl.core.walk import strip_coercions
from dsl.diagnostics.source import Span
from dsl.records import replace
from dsl.syntax import ast
from dsl.types import dtype as dt
from dsl.types import type as ty
from dsl.types.effect import PURE, Cell, Effect, EffectVar
from dsl.types.shape import PRESENT, Shape, Splice, StaticName, StaticVariant
from dsl.types.size import Size
from dsl.types.type import Type
from dsl.types.walk import is_product, leaves, map_leaves, subtypes
from typechecker import errors
from typechecker.calls.constant_folding import apply_operator, fold, of_list
from typechecker.calls.effect_restrictions import answering
from typechecker.calls.function_values import eta, fit_function, require_arity
from typechecker.calls.results import Call, applied, finish
from typechecker.declarations.entities import Attribute, State
from typechecker.declarations.entities import Definition as DefinitionInfo
from typechecker.env.call_record import Applied, Arg, bind_arguments
from typechecker.env.context import Context
from typechecker.env.known_parts import children
from typechecker.env.outcomes import keep, question, recall
from typechecker.env.reports import Reported
from typechecker.env.static_values import dtype_function, element_of, known_size, static_argument
from typechecker.env.value_facts import of_elements
from typechecker.env.values import Fields, Known, Parts, Term, error_term, require_types
from typechecker.expressions.static_lists import OF_LISTS
from typechecker.relations.coercion import Why, fit
from typechecker.relations.components import after, once, path_of, with_functions
from typechecker.relations.numeric_literals import as_array
from typechecker.relations.shapes import shape_function
from typechecker.types.instance import Instance, without_functions
from typechecker.types.predicates import holds_function, present_type


def call_definition(ctx: Context, info: DefinitionInfo, function: Term, args: list[Arg], span: Span) -> Applied:
    """A call of a definition, or of an operation."""
    signature = ctx.program.signature(info)
    if signature is None:
        for arg in args:
            ctx.infer(arg.value)
        raise Reported
    chosen = bind_arguments(ctx, info.shown, _slots(info, signature.params), args, span, info.head.place)
    named = any(arg.name is not None for arg in args)
    held = _hold_in_order(Call(ctx, info, signature, _open(ctx, signature), span), chosen) if named else ()
    done = _call(ctx, info, signature, function, chosen, span)
    return replace(done, term=after(held, done.term), held=held) if held else done


def _hold_in_order(call: Call, chosen: dict[str, Arg]) -> tuple[core.Bound, ...]:
    """Bind effectful arguments before the call if they are written in another order than the parameters: effects happen
    in source order."""
    given = [param for param in call.signature.params if param.name in chosen]
    data = [param for param in given if not param.static and not isinstance(param.type, ty.FunctionType)]
    written = sorted(data, key=lambda param: chosen[param.name].span.start)
    if written == data:
        return ()
    terms, acting = dict[str, Term](), set[str]()
    for param in sorted(data, key=_speaks_of_indices):
        before = call.ctx.body.book.performed
        terms[param.name] = term = _traced_argument(call, param, chosen[param.name])
        if call.ctx.body.book.performed != before and not term.is_error:
            acting.add(param.name)
    held: tuple[core.Bound, ...] = ()
    for name in [param.name for param in written]:
        term, bound = once(call.ctx, terms[name]) if name in acting else (terms[name], ())
        chosen[name], held = replace(chosen[name], value=term), (*held, *bound)
    return held


def _call(
    ctx: Context,
    info: DefinitionInfo,
    signature: core.Signature,
    function: Term,
    chosen: dict[str, Arg],
    span: Span,
) -> Applied:
    """A call with these arguments by parameter."""
    if info.primitive in OF_LISTS:
        return of_list(ctx, info, function, chosen, span)
    operated = apply_operator(ctx, info, function, chosen, span)
    if operated is not None:
        return operated
    if info.static_math is not None:
        folded = fold(ctx, info, function, chosen, signature, span)
        if folded is not None:
            return folded
    terms = _traced_arguments(ctx, info, signature, chosen)
    asked = question(ctx, (info.module, info.name), tuple(terms.values())) if terms else None
    cores = tuple([term.core for term in terms.values()])
    found = recall(ctx, asked, signature)
    if found is not None:
        return applied(signature, core.Apply(span, found.type, function.core, cores, None, found.hidden), None, terms)
    before = ctx.traces()
    done = _solve(Call(ctx, info, signature, _open(ctx, signature), span), function, chosen)
    keep(ctx, asked if done.core_args == cores else None, before, done.term, signature, done.hidden)
    return done


def _traced_arguments(
    ctx: Context, info: DefinitionInfo, signature: core.Signature, chosen: dict[str, Arg]
) -> dict[str, Term]:
    """All arguments of a call, where its parameters are arrays and each is given one; none else is looked at here."""
    params = signature.params
    if info.state is State.CHECKING or len(chosen) < len(params):
        return {}
    if any(param.static or not isinstance(param.type, ty.ArrayType) for param in params):
        return {}
    terms: dict[str, Term] = {}
    for param in params:
        arg = chosen[param.name]
        terms[param.name] = term = ctx.infer(arg.value)
        chosen[param.name] = Arg(arg.name, term, arg.span)
    return terms


def _solve(call: Call, function: Term, chosen: dict[str, Arg]) -> Applied:
    """The call of a definition with the arguments of its parameters."""
    ctx, info, signature, span = call.ctx, call.info, call.signature, call.span
    terms = _match(call, chosen)
    if info.primitive is not None and info.primitive in DTYPES:
        (value,) = terms.values()
        result = dtype_function(info.primitive, value, span)
        return Applied(result, function.core, (value,), (value.core,), None)
    if info.primitive is not None and info.primitive in SHAPE_FUNCTIONS:
        values = tuple([terms[param.name] for param in signature.params])
        result = shape_function(ctx, info.primitive, values, span)
        return Applied(result, function.core, values, tuple([value.core for value in values]), None)
    if info.state is State.CHECKING and _endless(call, terms):
        ctx.refuse(errors.stages.recursion_not_static(span, other=info.head.place, name=info.name))
    return finish(call, function, terms)


def _endless(call: Call, terms: dict[str, Term]) -> bool:
    """Return whether a definition that is being checked calls itself again and again: with the very static values it
    was called with, or where no static value decides that it does."""
    ctx, info, signature, instance = call.ctx, call.info, call.signature, call.instance
    sizes = all(instance.sizes.get(var) == Size.of(var) for var in signature.sizes)
    shapes = all(instance.shapes.get(var) == Shape((Splice(var),)) for var in signature.shapes)
    same = sizes and shapes and all(_handed_on(p, terms[p.name]) for p in signature.params if p.static)
    within = (ctx.body.module, ctx.body.owner) == (info.module, info.name)
    return same or (within and not ctx.chosen and not info.head.static)


def _handed_on(param: core.Parameter, term: Term) -> bool:
    """Return whether the argument of a static parameter is that parameter itself."""
    node = strip_coercions(term.core)
    if param.size is not None:
        return term.known == Size.of(param.size)
    return isinstance(node, core.Local) and node.id == param.id


def _open(ctx: Context, signature: core.Signature) -> Instance:
    return Instance.of(signature, ctx.body.solver, ctx.facts, partial(as_array, ctx))


def _slots(info: DefinitionInfo, params: Sequence[core.Parameter]) -> list[Slot]:
    required = {p.name for p in params if p.default is None and p.name not in info.defaults}
    listed = [] if info.head.static else [p.name for p in params if p.type in ty.LISTS]
    return [Slot(p.name, p.keyword_only, p.name in required, p.name in listed) for p in params]


def _match(call: Call, chosen: dict[str, Arg]) -> dict[str, Term]:
    """The arguments by parameter, with what they tell of the variables: static ones first, of which types speak, then
    data, then functions."""
    params = call.signature.params
    terms: dict[str, Term] = {}
    for param in sorted([p for p in params if not _is_function(p, chosen)], key=partial(_turn, chosen)):
        terms[param.name] = error_term(call.span)
        with call.ctx.attempt():
            matched = _static_argument if param.static else _traced_argument
            terms[param.name] = matched(call, param, chosen.get(param.name))
    _bind_cells(call)
    try:
        require_types(*terms.values())
        if any(holds_function(param.type) for param in params):
            _require_parts(call.ctx, terms.values())
    except Reported:
        _infer_functions(call, chosen, terms)
        raise
    for param in params:
        if holds_function(param.type):
            terms[param.name] = _of_functions(call, param, chosen.get(param.name), terms)
    _without_effects(call)
    return terms


def _infer_functions(call: Call, chosen: Mapping[str, Arg], terms: Mapping[str, Term]) -> None:
    """Infer the functions beside data that has no type, by themselves: they may be wrong, too."""
    for name, arg in chosen.items():
        if name not in terms:
            call.ctx.infer(arg.value)


def _require_parts(ctx: Context, terms: Iterable[Term]) -> None:
    """Demand that all parts of the data have types: functions are checked at these."""
    if any(leaf == ty.ERROR for term in terms for leaf in leaves(ctx.resolve(term.type))):
        raise Reported


def _turn(chosen: Mapping[str, Arg], param: core.Parameter) -> tuple[bool, bool, bool]:
    """Order parameters: defaults, which may speak of other parameters, come after what is given, data after what is
    static, and indices after what may tell the bound in their type."""
    return param.name not in chosen, not param.static, not param.static and _speaks_of_indices(param)


def _of_functions(call: Call, param: core.Parameter, arg: Arg | None, terms: dict[str, Term]) -> Term:
    """An argument that is a function, or holds some."""
    ctx, answers = call.ctx, call.info.conduct.answers
    if arg is None and (param.static or isinstance(param.type, ty.FunctionType)):
        return call.info.defaults[param.name]
    with ctx.attempt() as attempt:
        term = terms[param.name] if arg is None or param.name in terms else _late(call, param, arg)
        with answering(ctx, answers):
            term = _with_functions(call, param, term, terms)
        ctx.body.book.answer(answers)
        require_types(term)
    if attempt.failed:
        raise Reported
    return term


def _bind_cells(call: Call) -> None:
    """The types of the cells that a callee works on tell what its variables stand for."""
    ctx = call.ctx
    for effect in call.signature.effects:
        cell = ctx.scope.cell(effect.name) if isinstance(effect, Cell) else None
        if isinstance(effect, Cell) and cell is not None:
            call.instance.bind_type(effect.type, ctx.resolve(cell.type))


def _is_function(param: core.Parameter, chosen: dict[str, Arg]) -> bool:
    """Return whether a parameter is given a function, which is looked at when the sizes in its type are known."""
    return isinstance(present_type(param.type), ty.FunctionType) and (param.name in chosen or not param.static)


def _late(call: Call, param: core.Parameter, arg: Arg) -> Term:
    """An argument that is a function, or none."""
    if isinstance(param.type, ty.FunctionType):
        return call.ctx.infer(arg.value)
    term = call.ctx.typed(arg.value, call.instance.type(param.type))
    bind_static(call.ctx, param, term.known, call.instance)
    return term


def _traced_argument(call: Call, param: core.Parameter, arg: Arg | None) -> Term:
    term = _default(call, param) if arg is None else call.ctx.infer(arg.value, _hint(param, arg, call.instance))
    call.instance.bind_type(without_functions(param.type, ty.ERROR), call.ctx.resolve(term.type))
    return term


def _speaks_of_indices(param: core.Parameter) -> bool:
    """Return whether a parameter is given integers below a bound that other arguments may tell."""
    return any(isinstance(leaf, ty.IndexType) for leaf in leaves(param.type))


def _hint(param: core.Parameter, arg: Arg, instance: Instance) -> Type | None:
    """Return the expected type of an argument, used only for list literals, tuples, records, and loops that carry
    indices."""
    if holds_function(param.type) and not isinstance(arg.value, ast.RecordLit | ast.TupleLit):
        return None
    return _wanted(param.type, instance)


def _wanted(kind: Type, instance: Instance) -> Type | None:
    """Return the known part of a callee's type where it helps inference."""

    def known(leaf: Type) -> Type:
        return instance.solved(leaf) if isinstance(leaf, ty.IndexType) else leaf

    kind = map_leaves(without_functions(kind, ty.ERROR), known)
    return kind if is_product(kind) or isinstance(kind, ty.IndexType) else None


def _default(call: Call, param: core.Parameter) -> Term:
    """A parameter's default, in the caller's terms."""
    default = call.info.defaults[param.name]
    known, node = call.instance.known(default.known), default.core
    here = core.Const(call.span, node.type, node.value) if isinstance(node, core.Const) else node
    return Term(here, call.instance.type(default.type), known)


def _effects_in(kind: Type) -> Iterator[Effect]:
    """The effects of the functions in a type."""
    for part in subtypes(kind, functions=True):
        if isinstance(part, ty.FunctionType):
            yield from part.effects


def _without_effects(call: Call) -> None:
    """Functions that are not given, since the callee has its own or does without, perform no more than their types
    say."""
    for effect in (effect for param in call.signature.params for effect in _effects_in(param.type)):
        if isinstance(effect, EffectVar):
            call.instance.effects.setdefault(effect, PURE)


def _static_argument(call: Call, param: core.Parameter, arg: Arg | None) -> Term:
    """An argument as its parameter has it; one that holds functions as it is, since these are looked at last."""
    ctx, kind = call.ctx, call.instance.type(without_functions(param.type))
    if arg is None:
        term = inferred = _default(call, param)
    else:
        inferred = ctx.typed(arg.value, kind)
        term = fit(ctx, inferred, kind, call.why(param), arg.span)
        _require_class(call, param, term, arg.span)
    bind_static(ctx, param, term.known, call.instance)
    return inferred if holds_function(param.type) else term


def _require_class(call: Call, param: core.Parameter, term: Term, span: Span) -> None:
    """Demand that a dtype given to `static d: Float` is of that class."""
    known = element_of(term.known)
    if param.dtype is None or known is None:
        return
    ctx = call.ctx
    if not ctx.body.solver.restrict(known, param.dtype.allowed):
        needed = dt.class_of(param.dtype.allowed)
        ctx.refuse(errors.dtypes.operator_needs(ctx, call.info.shown, needed, known, term, None, span))


def bind_static(ctx: Context, param: core.Parameter, known: Known | None, instance: Instance) -> None:
    """Bind a static parameter for the types after it, as a number if a fact determines one."""
    if isinstance(known, Size):
        known = ctx.facts.pinned(known)
    if param.size is not None:
        instance.sizes[param.size] = known_size(known, param.type, ctx.fresh_id)
    if param.shape is not None and isinstance(known, Shape):
        instance.shapes[param.shape] = known
    element = element_of(known)
    if param.dtype is not None and element is not None:
        instance.dtypes[param.dtype] = element
    name = StaticName(param.id, param.name)
    given = static_argument(known, ctx.fresh_id)
    there = isinstance(param.type, ty.OptionalType) and isinstance(given, Size)
    instance.statics[name] = StaticVariant(PRESENT, (given,)) if there else given
    inside = children(known) if isinstance(known, Parts | Fields) else (None,) * len(param.parts)
    for part, inner in zip(param.parts, inside, strict=False):
        bind_static(ctx, part, inner, instance)
    instance.settle()


def _with_functions(call: Call, param: core.Parameter, term: Term, terms: dict[str, Term]) -> Term:
    """An argument with its functions, alone or in a tuple or record, made such as the parameter says."""
    ctx, instance, whole = call.ctx, call.instance, call.why(param)

    def made(part: Term, kind: ty.FunctionType) -> Term:
        require_types(part)
        why = Why("argument", param.name + path_of(part.core), whole.owner, whole.declared)
        if not isinstance(ctx.resolve(part.type), ty.FunctionType) and not isinstance(part.known, dt.DType):
            ctx.refuse(errors.calls.not_a_function(ctx, part, kind, why.owner, why.name))
        require_arity(ctx, part, kind, why, part.span)
        knowns = [_received(call, param, terms) for param in kind.params]
        wanted = _wanted(kind.result, instance)
        params, around = tuple(map(instance.type, kind.params)), instance.row(kind.effects)
        found = eta(ctx, part, params, part.span, knowns=knowns, result=wanted, around=around)
        instance.bind_type(kind, found.type)
        target = instance.type(kind)
        assert isinstance(target, ty.FunctionType)
        return fit_function(ctx, found, target, why, part.span, part.known)

    def recovered(part: Term, kind: ty.FunctionType) -> Term:
        with ctx.attempt():
            return made(part, kind)
        return error_term(part.span)

    found = with_functions(ctx, term, param.type, recovered)
    if not param.static or isinstance(param.type, ty.FunctionType):
        return found
    instance.bind_type(param.type, ctx.resolve(found.type))
    return fit(ctx, found, instance.type(param.type), whole, term.span)


def _received(call: Call, kind: Type, terms: dict[str, Term]) -> Known | None:
    """Return facts about the values that a function argument receives for a parameter of this type."""
    names = call.info.attributes.get(Attribute.GIVEN, ())
    given = [terms[p.name] for p in call.signature.params if p.name in names and p.type == kind]
    return of_elements(call.ctx, given, call.instance.type(kind)) if given else None
