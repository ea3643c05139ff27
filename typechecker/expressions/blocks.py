"""Blocks: `let`, `assert`, statements that perform effects, and what looks like an assignment."""

from __future__ import annotations

from typing import assert_never

from dsl.core import core
from dsl.syntax import ast
from dsl.types import facts as fa
from dsl.types import type as ty
from dsl.types.effect import CHECK
from dsl.types.facts import Prop
from dsl.types.static_parts import Gap, has_gap
from dsl.types.type import Type
from typechecker import errors
from typechecker.env.body import Mode
from typechecker.env.context import Context
from typechecker.env.reports import Reported
from typechecker.env.value_facts import of_branches, with_range
from typechecker.env.values import Condition, Term
from typechecker.expressions.atoms import write_cell
from typechecker.expressions.logic import condition
from typechecker.expressions.matching import join_branches, merge, wanted_of_all
from typechecker.expressions.patterns import bind_pattern, completed, stated_types
from typechecker.relations.coercion import Why, coerce
from typechecker.types.size_conditions import contradicted


def block(ctx: Context, node: ast.Block, expected: Type | None) -> Term:
    """Statements in order, then the value."""
    inner = ctx.inner()
    statements: list[core.Statement] = []
    for statement in node.statements:
        inner, done = _statement(inner, statement)
        if done is not None:
            statements.append(done)
    ctx.program.task.scopes[node.result.span] = inner.scope
    result = inner.infer(node.result, expected)
    sequence = core.Sequence(node.span, result.type, tuple(statements), result.core)
    return Term(sequence, result.type, result.known)


def _statement(ctx: Context, node: ast.Statement) -> tuple[Context, core.Statement | None]:
    match node:
        case ast.Let():
            return ctx, let(ctx, node)
        case ast.Assert():
            return assertion(ctx, node)
        case ast.CellWrite():
            return ctx, core.Perform(write_cell(ctx, node).core)
        case ast.Assignment():
            inner = ctx.inner()
            if isinstance(node.target, ast.Name):
                inner.scope.bind(node.target.name, ctx.infer(node.value), node.target.span, "let")
            ctx.report(errors.stages.assignment(ctx, node))
            return inner, None
        case ast.ExprStatement(value, span):
            before = ctx.body.book.performed
            term = ctx.infer(value)
            type_ = ctx.resolve(term.type)
            idle = isinstance(value, ast.Call) and ctx.body.book.performed == before
            if type_ != ty.ERROR and (type_ != ty.UNIT or idle):
                ctx.report(errors.types.unused_value(span, ctx, kind=type_))
            return ctx, core.Perform(term.core)
        case _:
            assert_never(node)


def let(ctx: Context, node: ast.Let) -> core.Statement:
    """`let P: T = e`. Numbers that nothing has decided stay static. A float of a run keeps its dtype open for the uses
    of its name; an integer has one here, since what is known of its value depends on the dtype that it may wrap in. So
    has all that a constant captures, which each definition uses."""
    mark = ctx.body.solver.mark()
    stated = stated_types(ctx, node.pattern, node.type)
    term = ctx.infer(node.value, stated[-1][0] if stated else None)
    for type_, place in stated:
        term = coerce(ctx, term, completed(type_, ctx.resolve(term.type)), Why("annotation", "", "", place))
    (ctx.body.solver.settle if Mode.CONSTANT in ctx.body.mode else ctx.body.solver.settle_integers)(mark)
    term = Term(term.core, ctx.resolve(term.type), term.known)
    return core.Bound(bind_pattern(ctx, node.pattern, term, "let"), term.core)


def assertion(ctx: Context, node: ast.Assert | core.Assert) -> tuple[Context, core.Statement]:
    test = condition(ctx, ctx.infer(node.condition), "assert")
    message = None if node.message is None else ctx.infer(node.message, ty.STRING)
    if message is not None:
        message = coerce(ctx, message, ty.STRING, Why("static", "message"))
    known = test.known if test.type == ty.BOOLEAN and isinstance(test.known, Prop) else None
    if known is not None and _decided(ctx, known) is False:
        ctx.report(errors.effects.assert_false(contradicted(ctx, known), node.span))
    else:
        ctx.perform(CHECK, node.span)
    done = core.Assert(node.span, ty.UNIT, test.core, message.core if message else None)
    after = ctx
    if isinstance(test.known, Condition):
        after = ctx.observing(test.known.prop)
    elif isinstance(test.known, Prop):
        after = ctx.observing(test.known)
    return after, core.Perform(done)


def if_(ctx: Context, node: ast.If, expected: Type | None) -> Term:
    """`if c then a else b`: chosen while checking if `c` is static."""
    test = condition(ctx, ctx.infer(node.condition), "if")
    if test.is_error:
        ctx.infer(node.then, expected)
        ctx.infer(node.orelse, expected)
        raise Reported
    if test.type == ty.BOOLEAN:
        return static_if(ctx, node, test, expected)
    return _traced_if(ctx, node, test, expected)


def static_if(ctx: Context, node: ast.If | core.If, test: Term, expected: Type | None) -> Term:
    """Selects at compile time: each branch is checked under its fact; a decided one alone gives the type."""
    prop = test.known if isinstance(test.known, Prop) else fa.Known(True)
    opaque = not isinstance(test.known, Prop)
    decided = None if opaque else _decided(ctx, prop)
    if decided is None and Mode.DECIDING in ctx.body.mode:
        ctx.body.stuck = True
        raise Reported
    if decided is not None:
        return ctx.infer(node.then if decided else node.orelse, expected)
    then_ctx = ctx.assuming(*([] if opaque else [prop]))
    else_ctx = ctx.assuming(*([] if opaque else [fa.negation(prop)]))
    then, orelse = then_ctx.infer(node.then, expected), else_ctx.infer(node.orelse, expected)
    kind = wanted_of_all(ctx, (then, orelse), expected)
    if kind is not None:
        why = Why("branch")
        then, orelse = coerce(then_ctx, then, kind, why), coerce(else_ctx, orelse, kind, why)
    else:
        kind, then, orelse = join_branches(ctx, then, orelse, node, False)
    known = then.known if then.known == orelse.known else merge(ctx, prop, then, orelse)
    return Term(core.If(node.span, kind, test.core, then.core, orelse.core), kind, known)


def _decided(ctx: Context, prop: Prop) -> bool | None:
    simple = fa.simplified(prop)
    if isinstance(simple, fa.Known):
        return simple.value
    if _mentions_unknown(simple):
        return None
    if ctx.holds(prop):
        return True
    return False if ctx.holds(fa.negation(prop)) else None


def _mentions_unknown(prop: Prop) -> bool:
    """Return whether one condition is about what cannot be computed here: no fact tells of it."""
    match prop:
        case fa.Eq() | fa.Ne() | fa.Le() | fa.Lt():
            return has_gap(prop, Gap.REPORTED)
        case fa.OpaqueProp() | fa.Not():
            return has_gap(prop, Gap.UNNAMED)
        case _:
            return False


def _traced_if(ctx: Context, node: ast.If, test: Term, expected: Type | None) -> Term:
    ctx = ctx.sometimes()
    then_ctx = else_ctx = ctx.inner()
    if isinstance(test.known, Condition):
        then_ctx = ctx.observing(test.known.prop)
        else_ctx = ctx.observing(fa.negation(test.known.prop))
    then, orelse = then_ctx.infer(node.then, expected), else_ctx.infer(node.orelse, expected)
    kind, then, orelse = join_branches(ctx, then, orelse, node, True)
    known = of_branches(ctx, test.known, then.known, orelse.known, kind)
    term = Term(core.If(node.span, kind, test.core, then.core, orelse.core), kind, known)
    return with_range(ctx, term, "i")
