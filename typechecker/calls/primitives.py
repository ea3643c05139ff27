"""Calls of primitives as terms, and what their array arguments are."""

from __future__ import annotations

from collections.abc import Sequence

from dsl.core import core
from dsl.diagnostics.source import Span
from dsl.types import dtype as dt
from dsl.types import type as ty
from dsl.types.type import Element, Type
from typechecker.env.call_record import Arg
from typechecker.env.context import Context
from typechecker.env.value_facts import bounds_only
from typechecker.env.values import Known, Term
from typechecker.errors import types as type_errors
from typechecker.relations.coercion import Why, coerce
from typechecker.relations.numeric_literals import as_array


def array_argument(ctx: Context, arg: Arg, name: str) -> tuple[Term, ty.ArrayType | ty.IndexType] | None:
    """An argument that must be an array; numbers become one."""
    term = ctx.infer(arg.value)
    kind = ctx.resolve(term.type)
    if isinstance(kind, ty.StaticType):
        term = coerce(ctx, term, as_array(ctx, kind), Why("argument", "x", name))
        kind = ctx.resolve(term.type)
    if isinstance(kind, ty.ArrayType | ty.IndexType):
        return term, kind
    if kind != ty.ERROR:
        ctx.report(type_errors.not_an_array(arg.span, ctx, name=name, term=term))
    return None


def primitive(
    name: str,
    kind: Type,
    args: Sequence[Term],
    span: Span,
    statics: Sequence[tuple[str, core.Expr]] = (),
    known: Known | None = None,
) -> Term:
    """A call of a primitive."""
    done = core.Intrinsic(span, kind, name, tuple(t.core for t in args), tuple(statics))
    return Term(done, kind, bounds_only(known))


def element_of(ctx: Context, kind: ty.ArrayType | ty.IndexType) -> Element:
    """The dtype of an array; `idx` is `i32`."""
    return ctx.body.solver.element(kind.dtype) if isinstance(kind, ty.ArrayType) else dt.I32
