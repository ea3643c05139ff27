"""Sums and multiples of tuples, records and stacks whose every leaf is inexact: the vector spaces of the language.

A multiple is one of each leaf, and the scalar meets its dtype as it would that of an array.
"""

from __future__ import annotations

from dsl.core import core
from dsl.diagnostics.source import Span
from dsl.types import type as ty
from dsl.types.shape import Substitution
from dsl.types.type import Element, Type
from dsl.types.walk import leaves
from typechecker.env.context import Context
from typechecker.env.generic_dtypes import dtype_of_leaves
from typechecker.env.values import Term
from typechecker.errors import dtypes as dtype_errors
from typechecker.errors import types as type_errors
from typechecker.expressions.arithmetic import adapt_number
from typechecker.relations.coercion import Why, coerce
from typechecker.relations.numeric_literals import as_array
from typechecker.types.predicates import is_number, is_scalar
from typechecker.types.type_classes import is_vector_space


def is_tree(type_: Type) -> bool:
    """Return whether a type is made of leaves, or may be."""
    return isinstance(type_, ty.TupleType | ty.RecordType | ty.StackedType | ty.TypeVar)


def of_trees(ctx: Context, op: str, left: Term, right: Term, a: Type, b: Type, span: Span) -> Term:
    """A sum of two trees, or a multiple of one."""
    if op in ("+", "-") and is_tree(a) and is_tree(b):
        if not is_vector_space(ctx, a):
            ctx.refuse(type_errors.not_a_vector_space(span, ctx, op=op, term=left))
        other = coerce(ctx, right, a, Why("operand", op, declared=left.span))
        kind = as_array(ctx, a)
        return Term(core.Binary(span, kind, op, left.core, other.core), kind)
    scalar, tree, kind = (left, right, b) if is_tree(b) else (right, left, a)
    if (op == "*" or (op == "/" and tree is left)) and is_scalar(ctx.resolve(scalar.type)):
        if not is_vector_space(ctx, kind):
            ctx.refuse(type_errors.not_a_vector_space(span, ctx, op=op, term=tree))
        kind = as_array(ctx, kind)
        for leaf in dict.fromkeys(leaves(kind)):
            _meet_leaf(ctx, op, scalar, tree, leaf, span)
        return Term(core.Binary(span, kind, op, left.core, right.core), kind)
    ctx.refuse(type_errors.no_tree_operator(ctx, op, left, right, span))


def _meet_leaf(ctx: Context, op: str, scalar: Term, tree: Term, leaf: Type, span: Span) -> None:
    """Demand that a scalar has the dtype of a leaf, or of all that a tree which is not known may have."""
    match leaf:
        case ty.ArrayType(element, _):
            _meet(ctx, op, scalar, tree, element, span)
        case ty.TypeVar(_, name, constraint):
            own, element = dtype_of_leaves(ctx.fresh_id(), name, constraint)
            with ctx.collecting_constraints() as asked:
                _meet(ctx, op, scalar, tree, element, span)
            ctx.require_of_all(asked, [own], Substitution(), type_errors.not_of_all_leaves)


def _meet(ctx: Context, op: str, scalar: Term, tree: Term, element: Element, span: Span) -> None:
    type_ = ctx.resolve(scalar.type)
    if is_number(type_):
        adapt_number(ctx, op, scalar, type_, tree, element)
    elif isinstance(type_, ty.ArrayType) and not ctx.unify(type_.dtype, element):
        ctx.refuse(dtype_errors.dtype_of_leaves_differs(ctx, op, scalar, tree, type_.dtype, element, span))
