"""Lambdas: what is written, and each application checked anew at the types of its arguments.

A lambda without annotations has no type of its own, and neither has a function of any size. So a definition whose
result is a function and is not stated is what a lambda with its body would be: `def scale(k: f32) = fn x -> x * k`
serves arrays of every shape.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from dsl.core import core
from dsl.diagnostics.source import Span
from dsl.syntax import ast
from dsl.types import type as ty
from dsl.types.effect import Cell, Site
from dsl.types.size import Size, SizeVar
from dsl.types.type import Type
from typechecker import errors
from typechecker.declarations.entities import Definition, State
from typechecker.env.body import LambdaResult
from typechecker.env.call_record import Applied, Arg, local
from typechecker.env.context import Context
from typechecker.env.reports import Reported
from typechecker.env.scope import Binding, CellBinding, Scope
from typechecker.env.values import Closure, Term, static_term
from typechecker.errors.repairs import trial
from typechecker.expressions.patterns import bind_pattern, distinct_in_all
from typechecker.relations.cells import hold_cells
from typechecker.relations.coercion import Why, coerce
from typechecker.relations.numeric_literals import as_array
from typechecker.types.instance import Instance
from typechecker.types.predicates import holds_error, holds_function
from typechecker.types.type_expressions import elaborate


def lambda_(ctx: Context, node: ast.Lambda, expected: Type | None) -> Term:
    """A lambda as a value; one with annotations alone is checked where it stands."""
    wanted = expected if isinstance(expected, ty.FunctionType) else None
    kind = wanted or ty.FunctionType((ty.ERROR,) * len(node.params), ty.ERROR)
    found = core.Lambda(node.span, kind)
    closure = Closure(node, ctx.scope.snapshot(), found, wanted)
    term = Term(found, kind, closure)
    ctx.body.closures.append((ctx, closure))
    if node.params and all(p.type is not None for p in node.params):
        with ctx.attempt(), ctx.body.book.inner():
            inner = ctx.inner()
            kinds = [_annotated(inner, p.type)[0] for p in node.params if p.type is not None]
            args = [Arg(None, local(ctx, "x", k, p.span), p.span) for k, p in zip(kinds, node.params, strict=True)]
            apply_closure(ctx, term, closure, args, node.span)
        found.instances.clear()
        ctx.body.forget_lambdas((found,))
    return term


def check_unused(ctx: Context) -> None:
    """Say of lambdas that are applied nowhere what is wrong whatever their arguments are."""
    done = {id(closure.node) for _, closure in ctx.body.closures if closure.core.instances}
    while ctx.body.closures:
        place, closure = ctx.body.closures.pop()
        if id(closure.node) not in done and not ctx.in_library:
            done.add(id(closure.node))
            _check_alone(place, closure)


def _check_alone(ctx: Context, closure: Closure) -> None:
    """Check a body for arguments of which nothing is known, as if it was called once."""
    inner = ctx.once().within(closure.scope.child())
    _open_cells(inner.scope, closure)
    distinct_in_all(ctx, [param.pattern for param in closure.node.params], "parameter")
    with ctx.aside():
        for param in closure.node.params:
            kind = ty.ERROR if param.type is None else _annotated(inner, param.type)[0]
            bind_pattern(inner, param.pattern, local(ctx, "x", kind, param.span), "param")
        inner.infer(closure.node.body)


def apply_closure(
    ctx: Context, function: Term, closure: Closure, args: list[Arg], span: Span, expected: Type | None = None
) -> Applied:
    """A call of a lambda, whose body is checked at the types of the arguments."""
    params = closure.node.params
    named = next((a for a in args if a.name is not None), None)
    if named is not None or len(args) != len(params):
        place = span if named is None else named.span
        ctx.refuse(
            errors.calls.lambda_arity(ctx, closure.node, len(args), None if named is None else named.name, place)
        )
    scope = closure.scope.child()
    _open_cells(scope, closure)
    inner = ctx.within(scope)
    distinct_in_all(ctx, [param.pattern for param in params], "parameter")
    terms: list[Term] = []
    patterns: list[core.Pattern] = []
    for param, arg in zip(params, args, strict=True):
        stated, made = (None, ()) if param.type is None else _annotated(inner, param.type)
        term = ctx.typed(arg.value, None if stated is None or made or holds_error(stated) else stated)
        if stated is not None:
            kind = _solved(inner, stated, made, ctx.resolve(term.type))
            term = coerce(ctx, term, kind, Why("argument", _pattern_name(param.pattern), "the lambda", param.span))
        patterns.append(bind_pattern(inner, param.pattern, term, "param"))
        terms.append(term)
    result = closure.expected.result if closure.expected is not None else None
    wanted = expected if result is None or holds_error(result) else result
    with ctx.attempt() as attempt:
        body = _body(ctx, inner, closure, tuple(patterns), terms, wanted)
    if attempt.failed and trial.definition_around(ctx, closure.node.span) is None:
        for found in attempt.discard():
            ctx.report(errors.transforms.in_call(found, span))
    hold_cells(ctx, body.effects, "the lambda", span)
    for effect, place in body.effects.items():
        if (effect.operation if isinstance(effect, Site) else effect) in closure.ended:
            ctx.report(errors.effects.outlived_handler(place, ctx, other=span, effect=effect))
        else:
            ctx.perform(effect, span if isinstance(effect, Site) else place)
    if body.type == ty.ERROR:
        raise Reported
    cores = tuple(t.core for t in terms)
    applied = Term(core.Apply(span, body.type, function.core, cores, body.number), body.type, body.known)
    return Applied(applied, function.core, tuple(terms), cores, body.number, tuple(range(len(cores))))


def _open_cells(scope: Scope, closure: Closure) -> None:
    """The cells that its stated type names, unless something else has the name where it is written: what it performs is
    handled around its call."""
    stated = () if closure.expected is None else closure.expected.effects
    for cell in [effect for effect in stated if isinstance(effect, Cell)]:
        if scope.cell(cell.name) is None and scope.lookup(cell.name) is None:
            scope.cells[cell.name] = CellBinding(cell.name, cell.kind, cell.type, closure.node.span, 0)


def _body(
    ctx: Context,
    inner: Context,
    closure: Closure,
    patterns: tuple[core.Pattern, ...],
    terms: list[Term],
    wanted: Type | None,
) -> LambdaResult:
    """The body for these arguments: checked before, if it was for others of the same types at a place where as much is
    known. Otherwise lambdas that call one another twice would be checked twice as often with each of them. What it took
    counts again, since it is staged again."""
    types = tuple((ctx.resolve(t.type), t.known) for t in terms)
    around = ctx.depth, ctx.parallel, ctx.resume, tuple(ctx.body.axes.items())
    key = (id(closure.core), types, wanted, ctx.facts, ctx.branch, ctx.observed, *around)
    found, replay = ctx.body.lambda_results.get(key), ctx.program.task.replay
    if found is not None:
        with replay.of("a lambda"):
            replay.step(found.steps)
        ctx.body.book.defer(found.deferred)
        return found
    with replay.of("a lambda"), ctx.body.book.inner() as effects, ctx.body.book.deferring() as deferred:
        before = replay.steps
        body = inner.infer(closure.node.body, wanted)
        steps = replay.steps - before
    ctx.body.book.defer(deferred)
    found = LambdaResult(closure.core, len(closure.core.instances), body.type, body.known, effects, deferred, steps)
    if not body.is_error:
        closure.core.instances.append(core.LambdaBody(patterns, body.core))
        if body.known is None and ctx.written is None:
            ctx.body.lambda_results[key] = found
    return found


def _annotated(ctx: Context, written: ast.TypeExpr) -> tuple[Type, Sequence[SizeVar]]:
    """The annotation of a lambda's parameter, and the sizes that nothing in scope names, which stand for any."""
    scope, made = ctx.scope, list[SizeVar]()

    def bind(name: str, span: Span) -> Binding | None:
        made.append(SizeVar(ctx.fresh_id(), name))
        scope.bind(name, static_term(Size.of(made[-1]), ty.INT, span), span, "size")
        return scope.names[name]

    scope.on_unknown = bind
    type_ = elaborate(ctx, written)
    scope.on_unknown = None
    return type_, made


def _solved(ctx: Context, type_: Type, made: Sequence[SizeVar], actual: Type) -> Type:
    """The annotation with the sizes that the argument determines."""
    scope = ctx.scope
    instance = Instance(ctx.body.solver, ctx.facts, open_sizes=frozenset(made), widen=partial(as_array, ctx))
    instance.bind_type(type_, actual)
    for var in made:
        size = instance.sizes.setdefault(var, Size.of(ctx.program.error_size()))
        span = scope.names[var.name].span
        assert span is not None
        scope.bind(var.name, static_term(size, ty.INT, span), span, "size")
    return instance.type(type_)


def _pattern_name(pattern: ast.Pattern) -> str:
    return pattern.name if isinstance(pattern, ast.NamePattern) else "argument"


# ---------------------------------------------------------------- definitions that are checked at each call


def is_open(info: Definition, result: ty.Type) -> bool:
    """Return whether a call is to be checked with the body, since the result alone does not say what it is."""
    return not info.head.stated and info.state is State.DONE and holds_function(result)


def apply_open(ctx: Context, info: Definition, terms: dict[str, Term], instance: Instance, span: Span) -> Applied:
    """The body applied to the arguments. What the callee is to evaluate by itself, such as a default that mentions
    another parameter, is bound in the body."""
    own = [p for p in info.node.params if own_default(info, terms, p.name.name)]
    given = [p for p in info.node.params if p not in own]
    lets = tuple(ast.Let(_pattern(p), p.type, p.default, None, p.span) for p in own if p.default is not None)
    body = ast.Block(lets, info.node.body, info.node.body.span) if lets else info.node.body
    params = tuple(ast.LambdaParam(_pattern(p), None, p.span) for p in given)
    node = ast.Lambda(params, body, info.head.whole)
    type_ = ty.FunctionType((ty.ERROR,) * len(params), ty.ERROR)
    found = core.Lambda(span, type_)
    closure = Closure(node, scope_of(ctx, info, instance), found)
    args = [Arg(None, terms[p.name.name], span) for p in given]
    return apply_closure(ctx, Term(found, type_, closure), closure, args, span)


def scope_of(ctx: Context, info: Definition, instance: Instance) -> Scope:
    """The names that a body sees beside its parameters: its sizes, shapes, dtypes and types as they are at a call."""
    scope, place = ctx.program.modules[info.module].scope.child(), info.head.whole
    for var, size in instance.sizes.items():
        scope.bind(var.name, static_term(size, ty.INT, place), place, "size")
    for shape_var, shape in instance.shapes.items():
        scope.bind(shape_var.name, static_term(shape, ty.SHAPE, place), place, "size")
    for dtype_var, element in instance.dtypes.items():
        scope.bind(dtype_var.name, static_term(instance.solver.element(element), ty.DTYPE, place), place, "generic")
    for type_var, kind in instance.types.items():
        scope.bind(type_var.name, Term(core.Const(place, kind, None), kind), place, "type")
    return scope


def own_default(info: Definition, terms: dict[str, Term], name: str) -> bool:
    """Return whether the callee is to evaluate its default: one that mentions its variables or other parameters."""
    default = info.defaults.get(name)
    return default is not None and terms[name].core is default.core


def _pattern(param: ast.Param) -> ast.NamePattern:
    return ast.NamePattern(param.name.name, param.name.span)
