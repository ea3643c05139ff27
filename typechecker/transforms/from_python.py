"""Transformations of a definition from outside of every program, as Python writes them: `dsl.grad(m.f)`.

The function is applied to parameters of its own types, with an axis more for every map around it, so that what no
call could use is refused before there is one. Read next: `transformations`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from dsl.core import core
from dsl.core.application import Actual, Option, Reference, Step
from dsl.core.transformation import AT_ONCE, TRANSFORMATIONS, Kind, is_map
from dsl.diagnostics.diagnostic import Diagnostic
from dsl.diagnostics.source import Span
from dsl.records import replace
from dsl.types import facts as fa
from dsl.types import type as ty
from dsl.types.effect import Axis
from dsl.types.size import Size, SizeVar
from dsl.types.type import Type
from typechecker import analyses
from typechecker.calls.arguments import written_static
from typechecker.calls.calls import apply_full
from typechecker.declarations.entities import Definition
from typechecker.declarations.program_checker import ProgramChecker
from typechecker.declarations.signatures import all_facts
from typechecker.env.call_record import Arg, local
from typechecker.env.context import Context
from typechecker.env.scope import Scope
from typechecker.env.values import Fields, Known, Nothing, Parts, Term, error_term, require_types
from typechecker.expressions.atoms import make_tuple
from typechecker.transforms import linear_functions, transformations
from typechecker.transforms.vmap import with_axis
from typechecker.types.instance import Instance
from typechecker.types.predicates import is_traced
from typechecker.types.tangents import tangent


def check_transformed(
    program: ProgramChecker,
    module: str,
    name: str,
    steps: Sequence[Step],
    given: Mapping[str, Reference],
    actual: Actual,
) -> tuple[Diagnostic, ...]:
    """What is wrong with the transformations `steps` of a definition, innermost first; each is reported at its name.
    `given` are the functions that parameters stand for in a call where the variables stand for what `actual` says."""
    info = program.modules[module].definitions[name]
    found = info.signature
    if found is None or info.scope is None:
        return ()
    if any(isinstance(p.type, ty.FunctionType) and p.name not in given for p in found.params):
        return ()
    with program.checking(info.task):
        return _check_transformed(program, info, found, info.scope, steps, given, actual)


def _check_transformed(
    program: ProgramChecker,
    info: Definition,
    found: core.Signature,
    scope: Scope,
    steps: Sequence[Step],
    given: Mapping[str, Reference],
    actual: Actual,
) -> tuple[Diagnostic, ...]:
    ctx = program.fresh_context(info.module, info.name, scope.child())
    ctx = replace(ctx, facts=all_facts(found, info))
    span = info.node.name.span
    with ctx.attempt() as attempt:
        function = program.lookup(program.modules[info.module], info.name, span)
        assert function is not None
        function = _transformed(ctx, function, [s for s in steps if s.kind not in AT_ONCE], span)
        require_types(function)
        args = _arguments(ctx, info, found, steps, given, actual)
        term = _applied(ctx, function, steps[-1].kind if steps else None, args, span)
        for diagnostic in () if term is None or term.is_error else analyses.check_application(program, term.core):
            program.reports.add(diagnostic)
    return tuple(attempt.discard())


def _applied(ctx: Context, function: Term, last: Kind | None, args: list[Arg], span: Span) -> Term | None:
    """The function applied to the arguments; by a transformation that takes them at once, with tangents of them."""
    if last is None or last not in AT_ONCE:
        return apply_full(ctx, function, args, span).term
    traced = [a for a in args if not isinstance(a.value, Term) or is_traced(ctx.resolve(a.value.type))]
    primals = [ctx.infer(a.value) for a in traced]
    tangents = [local(ctx, "t", tangent(ctx.resolve(t.type)), span) for t in primals]
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
    return linear_functions.call(ctx, last, [Arg(None, t, span) for t in (function, *given)] + named, span)


def _option(ctx: Context, value: Option, span: Span) -> Term:
    if isinstance(value, Reference):
        found = ctx.program.lookup(ctx.program.modules[value.module], value.name, span)
        return _transformed(ctx, found or error_term(span), value.steps, span)
    return _written(value, span)


def _transformed(ctx: Context, function: Term, steps: Sequence[Step], span: Span) -> Term:
    for step in steps:
        given = [Arg(n, _option(ctx, v, span), span) for n, v in step.options]
        function = transformations.transform(ctx, step.kind, [Arg(None, function, span), *given], span)
    return function


def _written(value: Option, span: Span) -> Term:
    match value:
        case bool():
            return Term(core.Const(span, ty.BOOLEAN, value), ty.BOOLEAN, fa.Known(value))
        case int():
            return written_static(Size.of(value), span)
        case float():
            return Term(core.Const(span, ty.FLOAT, value), ty.FLOAT, value)
        case str():
            return replace(written_static(value, span), known=value)
        case tuple():
            return make_tuple([_written(part, span) for part in value], span)
        case None:
            return replace(written_static(None, span), known=Nothing())
        case dict():
            parts = [(name, _written(part, span)) for name, part in value.items()]
            kind = ty.RecordType(tuple([(name, term.type) for name, term in parts]))
            made = core.Record(span, kind, tuple([(name, term.core) for name, term in parts]))
            return Term(made, kind, Fields(tuple([(name, term.known) for name, term in parts])))
        case Reference():
            return error_term(span)


def _put(ctx: Context, actual: Actual, term: Term) -> Term:
    """A parameter as it is in the call."""
    instance = Instance(
        ctx.body.solver, ctx.facts, dict(actual.sizes), dict(actual.shapes), dict(actual.dtypes), dict(actual.types)
    )
    known = instance.size(term.known) if isinstance(term.known, Size) else term.known
    return Term(term.core, instance.type(term.type), known)


def _arguments(
    ctx: Context,
    info: Definition,
    found: core.Signature,
    steps: Sequence[Step],
    given: Mapping[str, Reference],
    actual: Actual,
) -> list[Arg]:
    """The parameters themselves; mapped ones have as many axes more as there are maps."""
    assert info.scope is not None
    mapped = [dict(step.options) for step in steps if is_map(step.kind)]
    maps = [options.get("in_axes", 0) for options in mapped]
    sizes = [_batch(ctx, found, o.get("axis_name"), f"batch{k}" if k else "batch") for k, o in enumerate(mapped)]
    out: list[Arg] = []
    place = 0
    for param in found.params:
        own = _put(ctx, actual, info.scope.names[param.name].term)
        if not param.counts:
            term = _option(ctx, given[param.name], param.span) if param.name in given else own
            out.append(Arg(param.name, term, param.span))
            continue
        kind: Type = own.type
        for spec, size in zip(maps, sizes, strict=True):
            kind = _mapped(ctx, kind, spec, place, size, param.span)
        outer = own if kind == own.type else local(ctx, param.name, kind, param.span)
        behind = len(out) > place  # a parameter that is given by name
        out.append(Arg(param.name if param.keyword_only or behind else None, outer, param.span))
        place += 1
    return out


def _batch(ctx: Context, found: core.Signature, axis: Option, name: str) -> Size:
    """The size of a mapped axis: what the signature says of an axis of its name, else any."""
    stated = {e.name: e.size for e in found.effects.effects if isinstance(e, Axis) and e.size is not None}
    return stated[axis] if isinstance(axis, str) and axis in stated else Size.of(SizeVar(ctx.fresh_id(), name))


def _mapped(ctx: Context, kind: Type, spec: Option, place: int, size: Size, span: Span) -> Type:
    """The type with the axis that a map takes off; one that there cannot be is found when it is applied."""
    if isinstance(spec, tuple):
        spec = spec[place] if place < len(spec) else None
    with ctx.attempt() as attempt:
        return with_axis(ctx, kind, _known(spec), size, span)
    attempt.discard()
    return kind


def _known(spec: Option) -> Known | None:
    match spec:
        case int():
            return Size.of(spec)
        case tuple():
            return Parts(tuple(map(_known, spec)))
        case dict():
            return Fields(tuple([(name, _known(part)) for name, part in spec.items()]))
        case _:
            return Nothing()
