"""Transformations of a definition from outside of every program, as Python writes them: `dsl.grad(m.f)`.

The function is applied to parameters of its own types, with an axis more for every map around it, so that what no
call could use is refused before there is one. Read next: `transformations`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from dsl.core import core
from dsl.diagnostics.diagnostic import Diagnostic
from dsl.diagnostics.source import Span
from dsl.types import facts as fa
from dsl.types import type as ty
from dsl.types.effect import Axis
from dsl.types.size import Size, SizeVar
from dsl.types.type import Type
from typechecker import transformations
from typechecker.activity import check_application
from typechecker.applied import Arg, local
from typechecker.arguments import written_static
from typechecker.basics import make_tuple
from typechecker.calls import apply_full
from typechecker.context import Context
from typechecker.declared import Definition
from typechecker.mapping import with_axis
from typechecker.program import ProgramChecker
from typechecker.scope import Scope
from typechecker.signature import all_facts, fresh_context
from typechecker.values import Fields, Known, Nothing, Parts, Term

Option: TypeAlias = "int | str | bool | tuple[Option, ...] | dict[str, Option] | None"


@dataclass(frozen=True, slots=True)
class Step:
    """One transformation, with its options by name."""

    kind: str
    options: tuple[tuple[str, Option], ...]


def check_transformed(program: ProgramChecker, module: str, name: str, steps: Sequence[Step]) -> tuple[Diagnostic, ...]:
    """What is wrong with the transformations `steps` of a definition, innermost first; each is reported at its name."""
    info = program.modules[module].definitions[name]
    found = info.signature
    if found is None or info.scope is None or any(isinstance(p.type, ty.FunctionType) for p in found.params):
        return ()
    with program.checking(info.task):
        return _check_transformed(program, info, found, info.scope, steps)


def _check_transformed(
    program: ProgramChecker, info: Definition, found: core.Signature, scope: Scope, steps: Sequence[Step]
) -> tuple[Diagnostic, ...]:
    mark = len(program.reports)
    ctx = fresh_context(program, info.module, info.name, scope.child())
    ctx = replace(ctx, facts=all_facts(found, info))
    span = info.node.name.span
    function = program.lookup(program.modules[info.module], info.name, span)
    for step in steps:
        given = [Arg(n, _written(v, span), span) for n, v in step.options]
        if function is not None:
            function = transformations.transform(ctx, step.kind, [Arg(None, function, span), *given], span)
    if function is not None and function.type != ty.ERROR:
        applied = apply_full(ctx, function, _arguments(ctx, info, found, steps), span)
        for diagnostic in () if applied is None else check_application(program, applied.term.core):
            program.reports.add(diagnostic)
    return tuple(program.reports.take_since(mark))


def _written(value: Option, span: Span) -> Term:
    match value:
        case bool():
            return Term(core.Const(span, ty.BOOLEAN, value), ty.BOOLEAN, fa.Known(value))
        case int():
            return written_static(Size.of(value), span)
        case tuple():
            return make_tuple([_written(part, span) for part in value], span)
        case None:
            return replace(written_static(None, span), known=Nothing())
        case dict():
            parts = [(name, _written(part, span)) for name, part in value.items()]
            kind = ty.RecordType(tuple([(name, term.type) for name, term in parts]))
            made = core.Record(span, kind, tuple([(name, term.core) for name, term in parts]))
            return Term(made, kind, Fields(tuple([(name, term.known) for name, term in parts])))
        case _:
            return replace(written_static(value, span), known=value)


def _arguments(ctx: Context, info: Definition, found: core.Signature, steps: Sequence[Step]) -> list[Arg]:
    """The parameters themselves; mapped ones have as many axes more as there are maps."""
    assert info.scope is not None
    mapped = [dict(step.options) for step in steps if step.kind == "vmap"]
    maps = [options.get("in_axes", 0) for options in mapped]
    sizes = [_batch(ctx, found, o.get("axis_name"), f"batch{k}" if k else "batch") for k, o in enumerate(mapped)]
    out: list[Arg] = []
    place = 0
    for param in found.params:
        own = info.scope.names[param.name].term
        if param.static:
            out.append(Arg(param.name, own, param.span))
            continue
        kind: Type = own.type
        for spec, size in zip(maps, sizes, strict=True):
            kind = _mapped(ctx, kind, spec, place, size, param.span)
        outer = own if kind == own.type else local(ctx, param.name, kind, param.span)
        out.append(Arg(param.name if param.keyword_only else None, outer, param.span))
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
    mark = len(ctx.program.reports)
    done = with_axis(ctx, kind, _known(spec), size, span)
    if done is None:
        ctx.program.reports.take_since(mark)
        return kind
    return done


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
