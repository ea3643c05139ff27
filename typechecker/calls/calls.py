"""Calls: what is written in parentheses after a function, after a dot, or before `|>`.

`apply` treats every kind of function value and `apply_full` those that can be transformed; each kind has its rule:
`definitions`, `closures` (lambdas), `casts`, and here functions of which only the type is known, operations and
variants. Transformations and functions with rules of their own are reached through `Special` and `Transformed`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from dsl.core import core
from dsl.core.binding import Slot
from dsl.core.walk import bound_names, patterns, subexpressions
from dsl.diagnostics.source import Span
from dsl.records import replace
from dsl.syntax import ast
from dsl.types import dtype as dt
from dsl.types import type as ty
from dsl.types.effect import SHARED
from dsl.types.type import Type
from typechecker import errors
from typechecker.calls.casts import cast
from typechecker.calls.closures import apply_closure
from typechecker.calls.definitions import call_definition
from typechecker.calls.function_values import apply_alternatives
from typechecker.calls.overloads import apply_overloaded
from typechecker.env.call_record import Applied, Arg, bind_arguments, bind_locals, local
from typechecker.env.context import Context
from typechecker.env.known_parts import functions_in
from typechecker.env.reports import Reported
from typechecker.env.static_values import element_of
from typechecker.env.value_facts import element_known
from typechecker.env.values import (
    Alternatives,
    Closure,
    Definition,
    Monomorphic,
    Operation,
    Overloaded,
    Special,
    Term,
    Transformed,
    VariantFunction,
    VariantValue,
    require_types,
)
from typechecker.expressions.atoms import at_place, callee, module_of, select
from typechecker.indexing.updates import at_method
from typechecker.relations.cells import hold_axes, hold_cells
from typechecker.relations.coercion import Why, coerce, fit
from typechecker.relations.components import after
from typechecker.types.predicates import is_traced

# ---------------------------------------------------------------- syntax


def call(ctx: Context, node: ast.Call, expected: Type | None) -> Term:
    """`f(…)`, or `x.f(…)`."""
    args = arguments(ctx, node.args)
    if isinstance(node.function, ast.Field):
        return _method(ctx, node.function, args, node.span, expected)
    return apply(ctx, callee(ctx, node.function), args, node.span, expected)


def arguments(ctx: Context, nodes: Sequence[ast.Argument]) -> list[Arg]:
    """The arguments as written."""
    out: list[Arg] = []
    for arg in nodes:
        if isinstance(arg.value, ast.Splice):
            ctx.refuse(errors.calls.splice_argument(arg.span))
        out.append(Arg(arg.name.name if arg.name else None, arg.value, arg.span))
    return out


def _method(ctx: Context, node: ast.Field, args: list[Arg], span: Span, expected: Type | None) -> Term:
    """`a.f(…)`: a module's member, a field that is a function, else `f(a, …)`."""
    module = module_of(ctx, node.base)
    if module is not None:
        found = ctx.program.member(ctx, module, node.name.name, node.name.span)
        return apply(ctx, at_place(found, node.span), args, span, expected)
    at = at_method(ctx, node, args, span)
    if at is not None:
        return at
    base = ctx.infer(node.base)
    if base.is_error:
        _infer_beside_unknown(ctx, args)
        raise Reported
    part = select(ctx, base, node.name.name, node.span) if _has_field(ctx, base, node.name.name) else None
    if part is not None:
        return apply(ctx, part, args, span, expected)
    binding = ctx.scope.lookup(node.name.name)
    binding = None if binding is not None and binding.kind == "size" else binding
    function = (
        at_place(binding.term, node.name.span)
        if binding is not None
        else ctx.program.global_name(ctx, node.name.name, node.name.span)
    )
    if function is None:
        known = ctx.program.visible_names(ctx)
        ctx.refuse(errors.calls.no_method(ctx, base, node.name.name, known, node.name.span))
    return apply(ctx, function, [Arg(None, base, node.base.span), *args], span, expected)


def _has_field(ctx: Context, base: Term, name: str) -> bool:
    kind = ctx.resolve(base.type)
    if isinstance(kind, ty.StackedType):
        kind = kind.element
    return isinstance(kind, ty.RecordType) and kind.field(name) is not None


def pipe(ctx: Context, node: ast.Pipe, expected: Type | None) -> Term:
    """`x |> f` is `f(x)`."""
    value = Arg(None, node.value, node.value.span)
    return apply(ctx, ctx.infer(node.function), [value], node.span, expected)


# ---------------------------------------------------------------- application


def apply(ctx: Context, function: Term, args: list[Arg], span: Span, expected: Type | None = None) -> Term:
    """A call of any function value."""
    if isinstance(function.known, Special):
        rule = ctx.program.specials.get(function.known.name)
        if rule is not None:
            return rule(ctx, args, span, expected)
    if function.type == ty.DTYPE and element_of(function.known) is not None:
        return cast(ctx, function, args, span)
    if isinstance(function.known, Operation):
        return operation(ctx, function, function.known, args, span)
    if isinstance(function.known, VariantFunction):
        return variant(ctx, function.known, args, span)
    return apply_full(ctx, function, args, span, expected).term


def apply_full(ctx: Context, function: Term, args: list[Arg], span: Span, expected: Type | None = None) -> Applied:
    """A call of a function value that can be transformed."""
    match function.known:
        case Definition(module, name):
            return call_definition(ctx, ctx.program.definition(module, name), function, args, span)
        case Overloaded() as shared:
            return apply_overloaded(ctx, function, shared, args, span)
        case Closure() as closure:
            return apply_closure(ctx, function, closure, args, span, expected)
        case Monomorphic(signature):
            return _typed(ctx, function, signature, args, span)
        case Transformed() as transformed:
            return ctx.program.rules.apply_transformed(ctx, function, transformed, args, span, expected)
        case Alternatives() as known:
            return apply_alternatives(ctx, function, known, args, span, expected)
        case Special() | Operation() | VariantFunction() | dt.DType():
            return _special(ctx, function, args, span, expected)
    kind = ctx.resolve(function.type)
    if isinstance(kind, ty.FunctionType):
        return _typed(ctx, function, kind, args, span)
    if kind != ty.ERROR:
        ctx.report(errors.calls.not_callable(ctx, function, function.span))
    _infer_beside_unknown(ctx, args)
    raise Reported


def _infer_beside_unknown(ctx: Context, args: Sequence[Arg]) -> None:
    """The arguments of what is not known, for what is wrong in them. A list may stand for a shape, an array or several,
    and is left out."""
    for arg in args:
        if not isinstance(arg.value, ast.ListLit):
            ctx.infer(arg.value)


def _special(ctx: Context, function: Term, args: list[Arg], span: Span, expected: Type | None) -> Applied:
    """A function with rules of its own, wrapped so that transformations can treat it as any other."""
    terms = tuple([ctx.infer(arg.value) for arg in args])
    held = [local(ctx, f"x{i}", t.type, arg.span) for i, (t, arg) in enumerate(zip(terms, args, strict=True))]
    known = [replace(h, known=t.known) for h, t in zip(held, terms, strict=True)]
    inner = [Arg(arg.name, each, arg.span) for arg, each in zip(args, known, strict=True)]
    result = apply(ctx, function, inner, span, expected)
    require_types(result)
    wrapper = core.Lambda(span, function.type, [core.LambdaBody(bind_locals(held), result.core)])
    cores = tuple([t.core for t in terms])
    term = Term(core.Apply(span, result.type, wrapper, cores, 0), result.type, result.known)
    return Applied(term, wrapper, terms, cores, 0, tuple(range(len(cores))))


# ---------------------------------------------------------------- lambdas and function parameters


def _typed(ctx: Context, function: Term, signature: ty.FunctionType, args: list[Arg], span: Span) -> Applied:
    names = [str(i + 1) for i in range(len(signature.params))]
    shown = function.span.text if len(function.span.text) < 40 else "the function"
    bind_arguments(ctx, shown, [Slot(name) for name in names], args, span)
    terms = []
    for name, arg, kind in zip(names, args, signature.params, strict=True):
        term = ctx.typed(arg.value, kind)
        terms.append(fit(ctx, term, kind, Why("argument", name, function.span.text)))
    hold_cells(ctx, signature.effects, shown, span)
    hold_axes(ctx, signature.effects, shown, span)
    ctx.perform_row(signature.effects, span)
    cores = tuple(t.core for t in terms)
    result = signature.result
    seen = function.known.result if isinstance(function.known, Monomorphic) else None
    term = Term(core.Apply(span, result, function.core, cores), result, element_known(ctx, seen, result))
    return Applied(term, function.core, tuple(terms), cores, None, tuple(range(len(cores))))


# ---------------------------------------------------------------- operations and variants


def operation(ctx: Context, function: Term, op: Operation, args: list[Arg], span: Span) -> Term:
    """A call of an operation of an effect."""
    info = ctx.program.modules[op.module].effects[op.name]
    call = call_definition(ctx, info, function, args, span)
    given = tuple(arg for arg in call.core_args if arg is not None)
    hidden = tuple([meaning for _, meaning in call.hidden])
    if info.form == SHARED:
        _require_closed(ctx, op.name, given)
    performed = core.Operation(span, call.term.type, op.module, op.name, given, hidden)
    return after(call.held, replace(call.term, core=performed))


def _require_closed(ctx: Context, name: str, args: Sequence[core.Expr]) -> None:
    """Demand that functions given to an operation that is shared are the same wherever it is performed."""
    for arg in args:
        found = next(_captured(ctx, arg), None)
        if found is not None:
            ctx.refuse(errors.effects.captured_in_shared(found.span, name=name, captured=found.name))


def _captured(ctx: Context, node: core.Expr) -> Iterator[core.Local]:
    """The values of the run that a function uses and is not given."""
    inside = list(subexpressions(node))
    bound = {each.id for part in inside for pattern in patterns(part) for each in bound_names(pattern)}
    for free in [part for part in inside if isinstance(part, core.Local) and part.id not in bound]:
        if is_traced(ctx.resolve(free.type)):
            yield free
        binding = ctx.scope.lookup(free.name)
        for function in functions_in(None if binding is None else binding.term.known):
            if isinstance(function, Closure):
                yield from _captured(ctx, function.core)


def variant(ctx: Context, function: VariantFunction, args: list[Arg], span: Span) -> Term:
    """A variant with its fields."""
    enum = ctx.program.enum_info(function.module, function.enum)
    fields = next(v.fields for v in enum.variants if v.name == function.variant)
    with ctx.attempt() as attempt:
        slots, name = [Slot(field) for field, _ in fields], function.variant
        chosen = bind_arguments(ctx, name, slots, args, span)
        terms = [coerce(ctx, ctx.infer(chosen[n].value, t), t, Why("argument", n, name)) for n, t in fields]
    if attempt.failed:
        raise Reported
    kind = enum.type
    known = VariantValue((kind.module, kind.name), function.variant, tuple(t.known for t in terms))
    return Term(core.EnumValue(span, kind, kind, function.variant, tuple(t.core for t in terms)), kind, known)
