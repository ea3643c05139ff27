"""Transformations of a definition from outside of every program, as Python writes them: `dsl.grad(m.f)`.

The Core term that Python has made is read by the rules of the language, and the function applied to parameters of its
own types, with an axis more for every map around it, so that what no call could use is refused before there is one.
Read next: `transformations`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TypeAlias

from dsl.core import core
from dsl.core.application import Actual, Application
from dsl.core.transformation import AT_ONCE, TRANSFORMATIONS, Kind, takes_parts
from dsl.core.walk import bound_names, patterns, subexpressions
from dsl.diagnostics.message import Diagnostic
from dsl.diagnostics.source import Span
from dsl.records import replace
from dsl.types import type as ty
from dsl.types.dtype import F32, DType
from dsl.types.effect import Axis, Row
from dsl.types.shape import Shape
from dsl.types.size import Size, SizeVar
from dsl.types.type import DTypeVar, Type
from typechecker import analyses
from typechecker.calls.calls import apply_full
from typechecker.declarations.determinacy import decides_sizes
from typechecker.declarations.entities import Definition
from typechecker.declarations.program_checker import ProgramChecker
from typechecker.declarations.signatures import all_facts
from typechecker.env.call_record import Arg, local
from typechecker.env.context import Context
from typechecker.env.scope import Scope
from typechecker.env.value_facts import parameter_known
from typechecker.env.values import Known, Nothing, Parts, Term, Transformed, require_types
from typechecker.expressions.atoms import make_record, make_tuple
from typechecker.relations.components import project, project_all
from typechecker.transforms import linear_functions, transformations
from typechecker.transforms.shard import cutting
from typechecker.transforms.vmap import options_of, with_axis
from typechecker.types.instance import Instance
from typechecker.types.predicates import holds_function, is_traced
from typechecker.types.type_classes import tangent

Judge: TypeAlias = Callable[[core.Function], Iterable[Diagnostic]]
"""The transformations that are refused in a definition."""


def check_application(
    program: ProgramChecker, term: core.Expr, given: Mapping[str, core.Expr], actual: Actual | None, judge: Judge
) -> Application:
    """Check a definition under transformations from Python; errors are reported at its name. `given` are the static
    values and functions of a call under the solution `actual` of the variables; without it any call is meant."""
    named = _definition_in(term)
    assert named is not None
    info = program.modules[named[0]].definitions[named[1]]
    found = info.signature
    if found is None or info.scope is None:
        return Application()
    if any(holds_function(p.type) and p.name not in given and p.default is None for p in found.params):
        return Application()
    with program.checking(info.task):
        there = _check_application(program, info, found, info.scope, term, given, actual or Actual(), judge)
        open_ = actual is None and (found.shapes or found.dtypes or found.types or info.defaults)
        if not there.diagnostics or not open_:
            return there
        plain = replace(found, params=tuple([p for p in found.params if p.name not in info.defaults]))
        some = (
            _check_application(program, info, plain, info.scope, term, given, call, judge)
            for call in _real_calls(found)
        )
        return next((application for application in some if not application.diagnostics), there)


def _real_calls(found: core.Signature) -> Iterator[Actual]:
    """The calls of which a derivative takes one if it takes any: with real numbers, and no axes but those that have
    names, or any axes."""
    number = ty.ArrayType(F32, Shape())
    dtypes = {var: F32 for var in found.dtypes if F32 in var.allowed}
    types = dict.fromkeys(found.types, number)
    yield Actual({}, dict.fromkeys(found.shapes, Shape()), dtypes, types)
    yield Actual({}, {}, dtypes, types)


def _check_application(
    program: ProgramChecker,
    info: Definition,
    found: core.Signature,
    scope: Scope,
    term: core.Expr,
    given: Mapping[str, core.Expr],
    actual: Actual,
    judge: Judge,
) -> Application:
    ctx = program.fresh_context(info.module, info.name, scope.child())
    ctx = replace(ctx, facts=all_facts(found, info))
    span = info.head.place
    last = None
    if isinstance(term, core.Transform) and term.kind in AT_ONCE:
        last, term = term.kind, term.function
    applied: Term | None = None
    with ctx.attempt() as attempt, ctx.body.book.inner() as effects, program.within_budget(span):
        function = _read(ctx, term)
        require_types(function)
        args = _arguments(ctx, info, found, _maps(function), given, actual)
        applied = _applied(ctx, function, last, args, span)
        if applied is not None and not applied.is_error:
            found_in = [analyses.check_reductions_of_call]
            found_in += [analyses.check_data_sizes_of_call] if decides_sizes(program) else []
            for diagnostic in (each for analysis in found_in for each in analysis(program, applied.core)):
                program.reports.add(diagnostic)
    diagnostics = tuple(attempt.discard())
    if not diagnostics and applied is not None and not applied.is_error:
        diagnostics = tuple(judge(_as_definition(ctx, info, found, applied, actual)))
    nodes = () if applied is None or diagnostics else subexpressions(applied.core)
    calls = (node for node in nodes if isinstance(node, core.Apply))
    call = next((each for each in calls if _definition_in(each.function) == (info.module, info.name)), None)
    if call is None:
        return Application(diagnostics)
    hidden = tuple([(variable, _resolved(ctx, meaning)) for variable, meaning in call.hidden])
    names = [p.name for p in info.signature.params] if info.signature is not None else []
    received = {name: arg for name, arg in zip(names, call.args, strict=True) if name in given and arg is not None}
    conditional = bool(ctx.body.constraints)
    return Application((), hidden, received, Row(frozenset(effects)), ctx.body.solver.solution(), conditional)


def _as_definition(
    ctx: Context, info: Definition, found: core.Signature, applied: Term, actual: Actual
) -> core.Function:
    """The definition whose body is the application, with parameters of the types that this gives its arguments."""
    declared = {p.id: p for p in found.params}
    nodes = [*subexpressions(applied.core)]
    bound = {bind.id for node in nodes for pattern in patterns(node) for bind in bound_names(pattern)}
    free = {node.id: node for node in nodes if isinstance(node, core.Local) and node.id not in bound}
    own = [declared.get(i) or core.Parameter(node.name, i, node.type, node.span) for i, node in free.items()]
    params = tuple([replace(p, type=ctx.resolve(free[p.id].type)) for p in own])
    signature = replace(
        found,
        params=params,
        result=applied.type,
        dtypes=tuple([var for var in found.dtypes if var not in actual.dtypes]),
        types=tuple([var for var in found.types if var not in actual.types]),
    )
    solution = {**ctx.body.solver.solution(), **actual.dtypes}
    return core.Function(info.module, info.name, False, signature, applied.core, info.head.place, None, solution)


def _definition_in(function: core.Expr) -> tuple[str, str] | None:
    while isinstance(function, core.Transform):
        function = function.function
    return (function.module, function.name) if isinstance(function, core.Global) else None


def _resolved(ctx: Context, meaning: core.Meaning) -> core.Meaning:
    """With the dtypes that have been found."""
    match meaning:
        case Size() | Shape():
            return meaning
        case DType() | DTypeVar():
            return ctx.body.solver.element(meaning)
        case _:
            return ctx.resolve(meaning)


def _read(ctx: Context, term: core.Expr) -> Term:
    """A function or an option, by the rules for what is written in a program."""
    span = term.span
    match term:
        case core.Transform(kind=kind, function=function, options=options):
            args = [Arg(name, _read(ctx, each), span) for name, each in [(None, function), *options]]
            return transformations.transform(kind, ctx, args, span)
        case core.Tuple(items=items):
            return make_tuple([_read(ctx, item) for item in items], span)
        case core.Record(fields=fields):
            return make_record({name: _read(ctx, part) for name, part in fields}, span)
        case core.EnumValue(enum=enum, variant=variant, args=parts) if parts:
            made = ctx.program.lookup(ctx.program.modules[enum.module], variant, span)
            assert made is not None
            return apply_full(ctx, made, [Arg(None, _read(ctx, part), span) for part in parts], span).term
        case _:
            return ctx.infer(term)


def _maps(function: Term) -> list[Transformed]:
    """The maps around a definition, innermost first."""
    out: list[Transformed] = []
    while isinstance(function.known, Transformed):
        if takes_parts(function.known.kind):
            out.append(function.known)
        function = function.known.function
    return out[::-1]


def _applied(ctx: Context, function: Term, last: Kind | None, args: list[Arg], span: Span) -> Term | None:
    """The function applied to the arguments; by a transformation that takes them at once, with tangents of them."""
    if last is None:
        return apply_full(ctx, function, args, span).term
    traced = [a for a in args if not isinstance(a.value, Term) or is_traced(ctx.resolve(a.value.type))]
    primals = [ctx.infer(a.value) for a in traced]
    tangents = [local(ctx, "t", tangent(ctx, t.type), span) for t in primals]
    if TRANSFORMATIONS[last].parameters and any(a.name is not None for a in traced):
        return None  # the primals of what takes some by name alone cannot be listed
    named = [a for a in args if a not in traced or a.name is not None]
    match last:
        case Kind.JVP:
            given = [make_tuple(primals, span), make_tuple(tangents, span)]
        case Kind.HVP:
            given = [*primals, *tangents]
        case _:
            given = [t for a, t in zip(traced, primals, strict=True) if a.name is None]
    return linear_functions.call(last, ctx, [Arg(None, t, span) for t in (function, *given)] + named, span)


def _put(ctx: Context, actual: Actual, term: Term) -> Term:
    """A parameter as it is in the call."""
    instance = Instance(
        ctx.body.solver,
        ctx.facts,
        dict(actual.dtypes),
        dict(actual.types),
        sizes=dict(actual.sizes),
        shapes=dict(actual.shapes),
    )
    kind = instance.type(term.type)
    known = instance.size(term.known) if isinstance(term.known, Size) else parameter_known(kind) or term.known
    return Term(term.core, kind, known)


def _arguments(
    ctx: Context,
    info: Definition,
    found: core.Signature,
    maps: Sequence[Transformed],
    given: Mapping[str, core.Expr],
    actual: Actual,
) -> list[Arg]:
    """The parameters themselves; mapped ones have as many axes more as there are maps."""
    assert info.scope is not None

    def held(argument: Term, name: str) -> Term:
        return _with_given(ctx, argument, given[name]) if name in given else argument

    levels = [_outer(ctx, found, each, k) for k, each in enumerate(maps)]
    out: list[Arg] = []
    place = 0
    for param in found.params:
        if holds_function(param.type) and param.name not in given:
            continue  # its default
        own = _put(ctx, actual, info.scope.names[param.name].term)
        if not param.counts:
            out.append(Arg(param.name, held(own, param.name), param.span))
            continue
        kind: Type = own.type
        for spec, whole in levels:
            kind = _mapped(ctx, kind, spec, place, whole, param.span)
        outer = own if kind == own.type else Term(core.Local(param.span, kind, param.id, param.name), kind)
        behind = len(out) > place  # a parameter that is given by name
        out.append(Arg(param.name if param.keyword_only or behind else None, held(outer, param.name), param.span))
        place += 1
    return out


def _with_given(ctx: Context, argument: Term, given: core.Expr) -> Term:
    """An argument with the static values and the functions that are given in it; its data, and functions of Python, are
    the argument's own."""
    type_ = ctx.resolve(argument.type)
    match given, type_:
        case core.Tuple(items=items), ty.TupleType():
            parts = project_all(argument.core, type_, argument.known, argument.span)
            pairs = zip(parts, items, strict=True)
            return make_tuple([_with_given(ctx, part, item) for part, item in pairs], argument.span)
        case core.Record(fields=fields), ty.RecordType(declared):
            kinds = dict(declared)
            chosen = {n: Term(project(argument.core, n, kinds[n]), kinds[n]) for n, _ in fields}
            made = {name: _with_given(ctx, chosen[name], part) for name, part in fields}
            return make_record(made, argument.span)
        case core.Local(), _:
            return argument
        case _:
            return _read(ctx, given)


Whole: TypeAlias = Callable[[Type, Known | None, Span], Type]
"""The type of an argument from that of its element or part, and what is said of it."""


def _outer(ctx: Context, found: core.Signature, around: Transformed, number: int) -> tuple[Known | None, Whole]:
    """Return the facts about a map's arguments, and their types outside the map."""
    if around.kind is Kind.SHARD:
        cut, in_specs, _ = cutting(ctx, around)
        return in_specs, cut.whole
    in_axes, _, name = options_of(around)
    size = _batch(ctx, found, name, number)
    return in_axes, lambda kind, spec, span: with_axis(ctx, kind, spec, size, span)


def _batch(ctx: Context, found: core.Signature, axis: Known | None, number: int) -> Size:
    """The size of a mapped axis: what the signature says of an axis of its name, else any."""
    stated = {e.name: e.size for e in found.effects.effects if isinstance(e, Axis) and e.size is not None}
    named = stated.get(axis) if isinstance(axis, str) else None
    return Size.of(SizeVar(ctx.fresh_id(), f"batch{number or ''}")) if named is None else named


def _mapped(ctx: Context, type_: Type, spec: Known | None, place: int, whole: Whole, span: Span) -> Type:
    """The type with the axis that a map takes off; one that there cannot be is found when it is applied."""
    if isinstance(spec, Parts):
        spec = spec.items[place] if place < len(spec.items) else Nothing()
    with ctx.attempt() as attempt:
        return whole(type_, spec, span)
    attempt.discard()
    return type_
