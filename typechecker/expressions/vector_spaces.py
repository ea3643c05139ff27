"""Sums and multiples of tuples, records and stacks whose every leaf is inexact: the vector spaces of the language."""

from __future__ import annotations

from dsl.core import core
from dsl.diagnostics.source import Span
from dsl.types import dtype as dt
from dsl.types import type as ty
from dsl.types.type import Type
from typechecker.env.context import Context
from typechecker.env.values import Term
from typechecker.errors import types as type_errors
from typechecker.relations.coercion import Why, coerce
from typechecker.relations.numeric_literals import as_array
from typechecker.types.type_classes import is_vector_space


def is_tree(kind: Type) -> bool:
    """Whether a type is made of leaves, or may be."""
    return isinstance(kind, ty.TupleType | ty.RecordType | ty.StackedType | ty.TypeVar)


def of_trees(ctx: Context, op: str, left: Term, right: Term, a: Type, b: Type, span: Span) -> Term:
    """A sum of two trees, or a multiple of one."""
    if op in ("+", "-") and is_tree(a) and is_tree(b):
        if not is_vector_space(ctx, a):
            ctx.refuse(type_errors.not_a_vector_space(span, ctx, op=op, term=left))
        other = coerce(ctx, right, a, Why("operand", op, declared=left.span))
        kind = as_array(ctx, a)
        return Term(core.Binary(span, kind, op, left.core, other.core), kind)
    scalar, tree, kind = (left, right, b) if is_tree(b) else (right, left, a)
    swapped = tree is left
    if op == "*" or (op == "/" and swapped):
        if not is_vector_space(ctx, kind):
            ctx.refuse(type_errors.not_a_vector_space(span, ctx, op=op, term=tree))
        if _is_real_scalar(ctx, scalar):
            kind = as_array(ctx, kind)
            return Term(core.Binary(span, kind, op, left.core, right.core), kind)
    ctx.refuse(type_errors.no_tree_operator(ctx, op, left, right, span))


def _is_real_scalar(ctx: Context, term: Term) -> bool:
    match ctx.resolve(term.type):
        case ty.StaticType("int" | "float" | "size"):
            return True
        case ty.ArrayType(element, shape):
            return not shape.dims and ctx.body.solver.restrict(element, dt.CLASSES["Real"])
        case _:
            return False
