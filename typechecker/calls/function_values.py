"""Functions as arguments: any function value becomes one of given parameter types.

A function of the language has no type of its own until it is applied; `eta` wraps a call of it in a lambda, checked
at the parameter types that are wanted, and `fit_function` compares result and effects with what is allowed.

Of functions chosen by a static condition that is not decided yet, a call is checked for both. The bodies that a call
adds to the lambdas of both branches get the same number, so that one application serves whichever is chosen when the
program is staged.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import zip_longest

from dsl.core import core
from dsl.diagnostics.source import Span
from dsl.records import replace
from dsl.syntax import ast
from dsl.types import dtype as dt
from dsl.types import type as ty
from dsl.types.effect import PURE, Axis, Cell, Row, Site
from dsl.types.facts import negation
from dsl.types.sites import record_of, sites_of
from dsl.types.type import Type
from typechecker import errors
from typechecker.env.call_record import Applied, Arg, bind_locals, local
from typechecker.env.context import Context
from typechecker.env.known_parts import functions_in
from typechecker.env.reports import Reported
from typechecker.env.scope import CellBinding
from typechecker.env.value_facts import parameter_known
from typechecker.env.values import Alternatives, Closure, Definition, Known, Monomorphic, Term, Transformed, error_term
from typechecker.relations.cells import hold_type
from typechecker.relations.coercion import Why, coerce


def eta(
    ctx: Context,
    term: Term,
    params: tuple[Type, ...],
    span: Span,
    slots: Sequence[tuple[Arg, int | None]] | None = None,
    knowns: Sequence[Known | None] = (),
    result: Type | None = None,
    around: Row = PURE,
) -> Term:
    """The function value as one of exactly these parameter types: a lambda around a call of it. Its effects are in
    its type, not performed. `slots` lists the arguments of that call: one with a number stands for that parameter of
    the lambda, the others for themselves. `knowns` are what is known of all that it will be given, `result` what is
    expected of its result. The cells and axes that `around` names are those around its calls."""
    given = list(zip_longest(params, knowns))
    locals_ = [local(ctx, f"x{i}", kind, span, known) for i, (kind, known) in enumerate(given)]
    args = [Arg(None, t, span) for t in locals_]
    if slots is not None:
        args = [arg if place is None else Arg(arg.name, locals_[place], span) for arg, place in slots]
    inner = ctx.repeated().once()
    cells = [effect for effect in around.effects if isinstance(effect, Cell)]
    inner.scope.cells |= {cell.name: CellBinding(cell.name, cell.kind, cell.type, span, 0) for cell in cells}
    sizes = {axis.name: axis.size for axis in around.effects if isinstance(axis, Axis)}
    with ctx.body.book.inner() as effects, ctx.mapping(sizes):
        applied = _applied(inner, term, args, span, result)
    row = Row(frozenset(effects))
    kind = ty.FunctionType(params, ctx.resolve(applied.term.type), row)
    wrapper = core.Lambda(span, kind, [core.LambdaBody(bind_locals(locals_), applied.term.core)])
    known = Monomorphic(kind, applied.term.known, ctx.body.book.written(effects))
    return Term(core.Specialise(span, kind, wrapper, 0), kind, known)


def _applied(ctx: Context, function: Term, args: list[Arg], span: Span, result: Type | None) -> Applied:
    """The call of a function that is an argument. A rewrite of a value at its place would be one of the function."""
    with ctx.attempt() as attempt:
        return ctx.program.rules.apply(ctx, function, args, span, result)
    for found in attempt.discard():
        ctx.report(replace(found, help=()) if found.primary.span == span else found)
    raise Reported


def require_arity(ctx: Context, term: Term, target: ty.FunctionType, why: Why, span: Span) -> None:
    """Demand that a function takes as many arguments as one of this type is given."""
    least, most = _arity(ctx, term)
    wanted = len(target.params)
    if not least <= wanted <= (wanted if most is None else most):
        taken = least if wanted < least else most or 0
        ctx.refuse(errors.calls.function_arity(ctx, span.text, taken, target, why, span))


def _arity(ctx: Context, term: Term) -> tuple[int, int | None]:
    """The least and the greatest number of arguments by position, as far as that is known."""
    match term.known:
        case Closure(node=node):
            return len(node.params), len(node.params)
        case Monomorphic(kind):
            return len(kind.params), len(kind.params)
        case Definition(module, name):
            signature = ctx.program.signature(ctx.program.definition(module, name))
            given = () if signature is None else [p for p in signature.params if not p.keyword_only]
            if signature is None or any(p.static for p in given):
                return 0, None
            return sum(p.default is None for p in given), len(given)
        case _:
            return 0, None


def as_function(
    ctx: Context,
    term: Term,
    target: ty.FunctionType,
    why: Why,
    span: Span,
    open_effects: bool = False,
    slots: Sequence[tuple[Arg, int | None]] | None = None,
    knowns: Sequence[Known | None] = (),
) -> Term:
    """The rule of `coerce` for function types; with `open_effects` those of the function are those of the target.
    `slots` and `knowns` as for `eta`."""
    if not isinstance(ctx.resolve(term.type), ty.FunctionType) and not isinstance(term.known, dt.DType):
        ctx.report(errors.types.wrong_type(errors.types.Mismatch(ctx, term.type, target, why, span)))
        return Term(term.core, target, None)
    with ctx.attempt():
        if slots is None:
            require_arity(ctx, term, target, why, span)
        found = eta(ctx, term, target.params, span, slots, knowns, target.result, target.effects)
        if open_effects and isinstance(found.type, ty.FunctionType):
            target = replace(target, effects=found.type.effects)
        return fit_function(ctx, found, target, why, span, term.known)
    return Term(error_term(span).core, target, Monomorphic(target))


def fit_function(
    ctx: Context, found: Term, target: ty.FunctionType, why: Why, span: Span, written: Known | None = None
) -> Term:
    """A function made by `eta` with its result coerced and its effects compared with those allowed. A result that does
    not fit is told of in the lambda itself, if it is `written` at the place of the argument."""
    assert isinstance(found.core, core.Specialise) and isinstance(found.core.function, core.Lambda)
    assert isinstance(found.type, ty.FunctionType)
    body = found.core.function.instances[0]
    seen = found.known.result if isinstance(found.known, Monomorphic) else None
    result = Term(body.body, found.type.result, seen or parameter_known(found.type.result))
    with ctx.body.book.inner() as effects:
        inner = why if why.kind == "rule" else Why("result", why.name, why.owner, why.declared)
        result = coerce(ctx, result, target.result, inner, _result_place(written, span))
    agreed = _agree_on_records(ctx, found.type, target, why, span)
    extra = [e for e in dict.fromkeys([*found.type.effects, *effects]) if e not in target.effects and e not in agreed]
    if extra:
        own = all(effect in found.type.effects for effect in extra)
        ctx.report(errors.effects.function_effects(ctx, extra, own, target, why, span))
    wrapper = core.Lambda(span, target, [core.LambdaBody(body.params, result.core)])
    writes = found.known.writes if isinstance(found.known, Monomorphic) else frozenset()
    return Term(core.Specialise(span, target, wrapper, 0), target, Monomorphic(target, result.known, writes))


def _agree_on_records(
    ctx: Context, found: ty.FunctionType, target: ty.FunctionType, why: Why, span: Span
) -> Sequence[Site]:
    """Compare the records of operations by name that a type states with those of a function: the sites of these."""
    given, stated = found.effects, target.effects
    agreed: list[Site] = []
    for operation in dict.fromkeys([site.operation for site in stated if isinstance(site, Site)]):
        sites = sites_of(given, operation)
        has, wanted = record_of(sites), record_of(sites_of(stated, operation))
        if has is not None and wanted is not None:
            agreed += sites
            hold_type(ctx, wanted, has, Why("record", operation.name, why.owner, why.declared), span)
    return agreed


def _result_place(written: Known | None, span: Span) -> Span:
    if not isinstance(written, Closure):
        return span
    place = result_of(written.node.body).span
    return place if span.covers(place) else span


def result_of(body: ast.Expr) -> ast.Expr:
    """The expression that gives a body its value: of a block, its last."""
    while isinstance(body, ast.Block):
        body = body.result
    return body


# ---------------------------------------------------------------- chosen functions


def apply_alternatives(
    ctx: Context, function: Term, known: Alternatives, args: list[Arg], span: Span, expected: Type | None
) -> Applied:
    """A call of either of two functions; their results must have one type."""
    given = [Arg(a.name, ctx.infer(a.value), a.span) for a in args]
    align(ctx, [*lambdas_of(known.then), *lambdas_of(known.orelse)])
    both: list[Applied] = []
    facts = (known.condition, None if known.condition is None else negation(known.condition))
    for one, fact in zip((known.then, known.orelse), facts, strict=True):
        branch = ctx if fact is None else ctx.assuming(fact)
        with ctx.attempt():
            both.append(ctx.program.rules.apply(branch, one, given, span, expected))
    if len(both) < 2:
        raise Reported
    then, orelse = both
    kind, other = ctx.resolve(then.term.type), ctx.resolve(orelse.term.type)
    if kind != other:
        ctx.refuse(errors.types.branches_differ(span, ctx, actual=other, wanted=kind))
    chosen = then if then.instance is None else orelse
    number = orelse.instance if then.instance is None else then.instance
    call = core.Apply(span, kind, function.core, chosen.core_args, number)
    known_result = then.term.known if then.term.known == orelse.term.known else None
    return replace(chosen, term=Term(call, kind, known_result), function=function.core, instance=number)


def lambdas_of(term: Term) -> Iterator[core.Lambda]:
    """The lambdas whose bodies an application of this function adds to."""
    for function in functions_in(term.known):
        match function:
            case Closure(core=found):
                yield found
            case Transformed(lambdas=own):
                yield from (found for _, found in own)


def align(ctx: Context, found: Sequence[core.Lambda]) -> None:
    """Give all lambdas the same number of bodies, so that the next of each has the same number."""
    longest = max((len(f.instances) for f in found), default=0)
    for one in found:
        add_body(one, longest)
    ctx.body.forget_lambdas(found)


def add_body(to: core.Lambda, number: int, *body: core.LambdaBody) -> None:
    """A body of a lambda, with a number that it has none for yet."""
    unused = core.LambdaBody((), core.Tuple(to.span, ty.UNIT, ()))
    assert len(to.instances) <= number, "the body has no place"
    to.instances.extend([unused] * (number - len(to.instances)))
    to.instances.extend(body)
