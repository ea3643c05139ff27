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
from typechecker.env.context import Context
from typechecker.env.values import Condition, Known, Term, error_term, require_types
from typechecker.errors import arrays as array_errors


def logical(ctx: Context, node: ast.Binary) -> Term:
    """`and` and `or`: short, so the right side knows what the left one says."""
    left = condition(ctx, ctx.infer(node.left), node.op, node.span)
    inner = ctx
    if ctx.body.deciding and left.type == ty.BOOLEAN and left.known == fa.Known(node.op == "or"):
        return left
    if isinstance(left.known, Prop) and left.type == ty.BOOLEAN:
        inner = ctx.assuming(left.known if node.op == "and" else fa.negation(left.known))
    elif left.type == ty.BOOLEAN:
        inner = ctx.assuming()
    elif isinstance(left.known, Condition):
        inner = ctx.observing(left.known.prop if node.op == "and" else fa.negation(left.known.prop))
    right = inner.infer(node.right)
    right = condition(ctx, right, node.op, node.span) if not left.is_error else right
    require_types(left, right)
    return _joined(node.op, left, right, node.span)


def either(left: Term, right: Term) -> Term:
    """`left or right` of two conditions that are checked by themselves."""
    return _joined("or", left, right, left.span)


def _joined(op: str, left: Term, right: Term, span: Span) -> Term:
    known = join_known(op, left, right)
    static = left.type == ty.BOOLEAN and right.type == ty.BOOLEAN
    kind: Type = ty.BOOLEAN if static else ty.ArrayType(dt.BOOL, Shape(()))
    return Term(core.Logical(span, kind, op, left.core, right.core), kind, known)


def join_known(op: str, left: Term, right: Term) -> Known | None:
    """What is known of two conditions joined."""
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
    if isinstance(kind, ty.ArrayType) and ctx.body.solver.unify(kind.dtype, dt.BOOL):
        if not kind.shape.dims:
            return term
        ctx.report(array_errors.array_condition(ctx, term, what, whole))
    else:
        ctx.report(array_errors.not_a_condition(ctx, term, what))
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
