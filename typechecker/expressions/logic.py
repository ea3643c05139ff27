"""Conditions and the words `and`, `or` and `not`: the right operand is checked knowing what the left one says."""

from __future__ import annotations

from dsl.core import core
from dsl.diagnostics.source import Span
from dsl.syntax import ast
from dsl.types import dtype as dt
from dsl.types import facts as fa
from dsl.types import type as ty
from dsl.types.facts import Prop
from dsl.types.shape import Shape
from dsl.types.type import Type
from typechecker import errors
from typechecker.env.body import Mode
from typechecker.env.context import Context
from typechecker.env.values import Condition, Known, Term, error_term, require_types


def logical(ctx: Context, node: ast.Binary | core.Logical, expected: Type | None) -> Term:
    """`and` and `or`: short, so each operand knows what those before it say."""
    first, *later = _same_operators(node)
    term = condition(ctx, ctx.infer(first.left), node.op, first.span)
    said, inner = term, ctx
    for each in (first, *later):
        if Mode.DECIDING in ctx.body.mode and term.type == ty.BOOLEAN and said.known == fa.Known(node.op == "or"):
            return term
        inner = _knowing(ctx, inner, node.op, term, said)
        said = inner.infer(each.right)
        said = condition(ctx, said, node.op, each.span) if not term.is_error else said
        require_types(term, said)
        term = _joined(node.op, term, said, each.span)
    return term


def _same_operators(node: ast.Binary | core.Logical) -> list[ast.Binary | core.Logical]:
    """The applications of one operator to one another, innermost first: a long chain is no deep one."""
    found = [node]
    while isinstance(left := found[-1].left, ast.Binary | core.Logical) and left.op == node.op:
        found.append(left)
    return found[::-1]


def _knowing(ctx: Context, inner: Context, op: str, left: Term, last: Term) -> Context:
    """Where the next operand is checked; `last` is the last one of `left`, and `inner` where it was checked."""
    if left.type == ty.BOOLEAN:
        return inner.assuming(*([_passed(op, last.known)] if isinstance(last.known, Prop) else []))
    return ctx.observing(_passed(op, left.known.prop)) if isinstance(left.known, Condition) else ctx


def _passed(op: str, said: Prop) -> Prop:
    """Return the condition under which the next operand is evaluated."""
    return said if op == "and" else fa.negation(said)


def either(left: Term, right: Term) -> Term:
    """`left or right` of two conditions that are checked by themselves."""
    return _joined("or", left, right, left.span)


def _joined(op: str, left: Term, right: Term, span: Span) -> Term:
    known = join_known(op, left, right)
    static = left.type == ty.BOOLEAN and right.type == ty.BOOLEAN
    kind: Type = ty.BOOLEAN if static else ty.ArrayType(dt.BOOL, Shape(()))
    return Term(core.Logical(span, kind, op, left.core, right.core), kind, known)


def join_known(op: str, left: Term, right: Term) -> Known | None:
    """Return the facts about two joined conditions."""
    join = fa.conjunction if op == "and" else fa.disjunction
    a = left.known.prop if isinstance(left.known, Condition) else left.known
    b = right.known.prop if isinstance(right.known, Condition) else right.known
    if not isinstance(a, Prop) or not isinstance(b, Prop):
        if op == "and" and (isinstance(left.known, Condition) or isinstance(right.known, Condition)):
            only = left.known if isinstance(left.known, Condition) else right.known
            return only if isinstance(only, Condition) else None
        return None
    joined = join([a, b])
    return joined if left.type == right.type == ty.BOOLEAN else Condition(joined)


def condition(ctx: Context, term: Term, what: str, whole: Span | None = None) -> Term:
    """A scalar bool, static or traced; reports anything else. `whole` is the expression of which it is an operand."""
    kind = ctx.resolve(term.type)
    if kind in (ty.BOOLEAN, ty.ERROR):
        return term
    if isinstance(kind, ty.ArrayType) and ctx.unify(kind.dtype, dt.BOOL):
        if not kind.shape.dims:
            return term
        ctx.report(errors.loops.array_condition(term.span, ctx, what=what, term=term))
    else:
        ctx.report(errors.loops.not_a_condition(term.span, ctx, what=what, term=term))
    return error_term(term.span)


def negate(term: Term, span: Span) -> Term:
    """`not` of a condition."""
    require_types(term)
    known: Known | None = None
    if isinstance(term.known, Condition):
        known = Condition(fa.negation(term.known.prop))
    elif isinstance(term.known, Prop):
        known = fa.negation(term.known)
    return Term(core.Unary(span, term.type, "not", term.core), term.type, known)
