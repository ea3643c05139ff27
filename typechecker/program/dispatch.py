"""Which rule an expression follows, and the rules that call one another tied together.

The modules of rules form no cycle: what one needs of a later one it reaches through `Rules`, which is filled in here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from dsl.core import core
from dsl.syntax import ast
from dsl.types import type as ty
from dsl.types.limits import Exceeded, Growth
from dsl.types.type import Type
from typechecker.calls import calls, closures, function_values
from typechecker.declarations.dependencies import intrinsic_call
from typechecker.declarations.program_checker import Rules
from typechecker.effects import handlers
from typechecker.env import values
from typechecker.env.context import Context
from typechecker.env.reports import Reported
from typechecker.env.static_values import known_size, known_truth
from typechecker.env.values import Definition, Known, Term
from typechecker.expressions import atoms, blocks, matching, operators
from typechecker.expressions.matching import narrowed
from typechecker.indexing import index
from typechecker.loops import comprehensions, loops
from typechecker.program import bodies, evaluation, trials, unfolding
from typechecker.transforms import transformations


def rules() -> Rules:
    """The rules that those below them reach."""
    return Rules(
        infer=infer,
        as_declared=as_declared,
        apply=calls.apply_full,
        apply_transformed=transformations.apply_transformed,
        as_function=function_values.as_function,
        unfold=unfolding.unfold,
        signature=bodies.signature,
        body=bodies.check_body,
        constant=bodies.constant,
        faults=trials.faults,
        computing=unfolding.computing,
    )


def infer(ctx: Context, node: ast.Expr | core.Expr, expected: Type | None) -> Term:
    """An expression, of the type that the facts here give it."""
    term, task = narrowed(ctx, as_declared(ctx, node, expected)), ctx.program.task
    if not (ctx.in_library or task.replay.calls or term.is_error):
        task.types.append((term.core.span, term.type))
    return term


def as_declared(ctx: Context, node: ast.Expr | core.Expr, expected: Type | None) -> Term:
    """The rule for each form of expression. What exceeds its budget is reported at the innermost expression that is
    not evaluated for another one."""
    replay = ctx.program.task.replay
    try:
        if replay.calls:
            replay.step()
        return _with_value(ctx, _RULES.get(type(node), evaluation.unknown)(ctx, node, expected))
    except Reported:
        pass
    except Exceeded as found:
        if replay.calls:
            raise
        ctx.program.report_exceeded(found, node.span)
    except RecursionError:
        if replay.calls:
            raise
        ctx.program.report_exceeded(Exceeded(Growth.DEPTH), node.span)
    ctx.body.partial = True
    return values.error_term(node.span)


def _with_value(ctx: Context, term: Term) -> Term:
    """A static integer or truth is known by something: at worst by a name of its own."""
    if term.type == ty.BOOLEAN:
        known: Known = known_truth(term.known, ctx.fresh_id)
    elif term.type in (ty.INT, ty.SIZE):
        known = known_size(term.known, term.type, ctx.fresh_id)
    else:
        return term
    return term if known is term.known else Term(term.core, term.type, known)


def _call(ctx: Context, node: ast.Call, expected: Type | None) -> Term:
    if intrinsic_call(node) and ctx.program.modules[ctx.body.module].source.has_intrinsics:
        return _intrinsic(ctx, node, expected)
    return calls.call(ctx, node, expected)


def _intrinsic(ctx: Context, node: ast.Call, expected: Type | None) -> Term:
    """`intrinsic.NAME(…)` has the type that its definition states."""
    assert isinstance(node.function, ast.Field)
    args, statics = [], []
    for arg in node.args:
        assert not isinstance(arg.value, ast.Splice)
        term = ctx.infer(arg.value)
        if isinstance(term.known, Definition):
            ctx.program.signature(ctx.program.definition(term.known.module, term.known.name))
        if arg.name is None:
            args.append(term.core)
        else:
            statics.append((arg.name.name, term.core))
    kind = expected if expected is not None else ty.ERROR
    name = node.function.name.name
    return Term(core.Intrinsic(node.span, kind, name, tuple(args), tuple(statics)), kind)


_RULES: Mapping[type, Callable[..., Term]] = {
    ast.NumberLit: atoms.literal,
    ast.BoolLit: atoms.literal,
    ast.StringLit: atoms.literal,
    ast.NoneLit: atoms.literal,
    ast.Name: atoms.name,
    ast.Field: atoms.field,
    ast.TupleItem: atoms.tuple_item,
    ast.Call: _call,
    ast.Index: index.index,
    ast.Unary: operators.unary,
    ast.Binary: operators.binary,
    ast.Compare: operators.compare,
    ast.Pipe: calls.pipe,
    ast.TupleLit: atoms.tuple_literal,
    ast.ListLit: atoms.list_literal,
    ast.RecordLit: atoms.record_literal,
    ast.RecordUpdate: atoms.record_update,
    ast.Comprehension: comprehensions.comprehension,
    ast.Lambda: closures.lambda_,
    ast.If: blocks.if_,
    ast.Match: matching.match,
    ast.Loop: loops.loop,
    ast.Iterate: loops.iterate,
    ast.With: handlers.with_,
    ast.Block: blocks.block,
    ast.ErrorExpr: lambda ctx, node, expected: values.error_term(node.span),
    **evaluation.RULES,
}
