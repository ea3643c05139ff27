"""Operators: which rule an operator follows, by what its operands are.

`arithmetic` has the rule for arrays, and that for tuples and records, `static_numbers` that for numbers known while
checking, `comparisons` and `logic` those for comparisons and `and`, `or`, `not`.
"""

from __future__ import annotations

from collections.abc import Sequence

from dsl.core import core
from dsl.diagnostics.source import Span
from dsl.syntax import ast
from dsl.types import dtype as dt
from dsl.types import type as ty
from dsl.types.size import Size
from dsl.types.type import Type
from typechecker import errors
from typechecker.env.context import Context
from typechecker.env.reports import Reported
from typechecker.env.value_facts import held
from typechecker.env.values import Term, Traced, require_types
from typechecker.expressions.arithmetic import array_of, combine, is_tree, of_arrays, of_trees
from typechecker.expressions.comparisons import comparison, membership
from typechecker.expressions.logic import condition, join_known, logical, negate
from typechecker.expressions.static_lists import concatenate_lists, is_list
from typechecker.expressions.static_numbers import of_numbers, sign_of_number
from typechecker.relations.components import after, once
from typechecker.types.predicates import is_number, present_type
from typechecker.types.type_classes import is_vector_space

COMPARISONS = ("==", "!=", "<", "<=", ">", ">=")
MEMBERSHIPS = ("in", "not in")


# ---------------------------------------------------------------- binary


def binary(ctx: Context, node: ast.Binary, expected: Type | None) -> Term:
    """`left op right`."""
    if node.op in ("and", "or"):
        return logical(ctx, node, expected)
    left = ctx.infer(node.left, _static_hint(expected))
    right = ctx.infer(node.right, _static_hint(expected))
    return operate(ctx, node.op, left, right, node.span)


def _static_hint(expected: Type | None) -> Type | None:
    return expected if isinstance(expected, ty.StaticType) else None


def operate(ctx: Context, op: str, left: Term, right: Term, span: Span) -> Term:
    """`left op right` for any operator but `and` and `or`."""
    require_types(left, right)
    a, b = ctx.resolve(left.type), ctx.resolve(right.type)
    if op in COMPARISONS:
        return comparison(ctx, op, left, right, span)
    if op in MEMBERSHIPS:
        return membership(ctx, op, left, right, span)
    if op == "+" and is_list(a) and is_list(b):
        return concatenate_lists(ctx, left, right, span)
    if is_number(a) and is_number(b):
        return of_numbers(ctx, op, left, right, span)
    if is_tree(a) or is_tree(b):
        return of_trees(ctx, op, left, right, a, b, span)
    return of_arrays(ctx, op, left, right, span)


# ---------------------------------------------------------------- comparison


def compare(ctx: Context, node: ast.Compare, expected: Type | None) -> Term:
    """A chain of comparisons: `a < b < c` holds if every link does."""
    terms = _operands(ctx, node.operands)
    bindings: list[core.Bound] = []
    if len(node.ops) > 1:
        found = [once(ctx, term) for term in terms]
        terms, bindings = [term for term, _ in found], [bound for _, bounds in found for bound in bounds]
    results = []
    for i, op in enumerate(node.ops):
        span = node.span if len(node.ops) == 1 else terms[i].span.to(terms[i + 1].span)
        with ctx.attempt():
            results.append(operate(ctx, op, terms[i], terms[i + 1], span))
    if len(results) < len(node.ops):
        raise Reported
    result = results[0]
    for other in results[1:]:
        known = join_known("and", result, other)
        joined = operate(ctx, "&", result, other, node.span)
        result = Term(joined.core, joined.type, known)
    return after(bindings, result)


def _operands(ctx: Context, nodes: Sequence[ast.Expr]) -> list[Term]:
    """Infer the operands of a comparison; a list compared with a shape is a shape."""
    terms = [None if isinstance(node, ast.ListLit) else ctx.infer(node) for node in nodes]
    kinds = (present_type(term.type) for term in terms if term is not None)
    shape = next((kind for kind in kinds if kind in (ty.SHAPE, ty.INTS)), None)
    return [ctx.infer(node, shape) if term is None else term for node, term in zip(nodes, terms, strict=True)]


# ---------------------------------------------------------------- logic and unary


def sign(ctx: Context, op: str, term: Term, span: Span) -> Term:
    """`not` of a condition; `-`, `+` or `~` of a static number."""
    if op == "not":
        return negate(condition(ctx, term, op, span), span)
    return sign_of_number(ctx, op, term, ctx.resolve(term.type), span)


def unary(ctx: Context, node: ast.Unary, expected: Type | None) -> Term:
    """`-x`, `+x`, `~x` and `not x`."""
    term = ctx.typed(node.operand, _static_hint(expected))
    type_ = ctx.resolve(term.type)
    if node.op == "not" or is_number(type_):
        return sign(ctx, node.op, term, node.span)
    if node.op in ("-", "+") and is_tree(type_):
        if not is_vector_space(ctx, type_):
            ctx.refuse(errors.types.not_a_vector_space(ctx, node.op, term, node.span))
        return Term(core.Unary(node.span, type_, node.op, term.core), type_)
    array = array_of(type_)
    if array is None:
        ctx.refuse(errors.types.not_an_operand(ctx, node.op, term, node.span))
    allowed = (*dt.INTEGERS, dt.BOOL) if node.op == "~" else dt.CLASSES["Num"]
    if not ctx.body.solver.restrict(array.dtype, allowed):
        wanted = "integers or bools" if node.op == "~" else "Num"
        ctx.refuse(errors.dtypes.operator_needs(ctx, node.op, wanted, array.dtype, term, None, node.span))
    known = combine(ctx, "-", Traced(Size.of(0)), term.known, array.dtype) if node.op == "-" else None
    return Term(core.Unary(node.span, array, node.op, term.core), array, held(ctx, known, array))
