"""`eval_shape(f, *args)`: the shapes and dtypes that a call would give, as static values. Nothing is computed, and no
effect happens: the types say it all."""

from __future__ import annotations

from dsl.diagnostics.source import Span
from dsl.types import dtype as dt
from dsl.types import type as ty
from dsl.types.shape import Shape
from dsl.types.type import Element, Type
from dsl.types.walk import distribute_axes
from typechecker.calls.calls import apply_full
from typechecker.env.call_record import Arg
from typechecker.env.context import Context
from typechecker.env.values import Term, static_term
from typechecker.errors import calls as call_errors
from typechecker.errors import transforms as transform_errors
from typechecker.expressions.atoms import make_record, make_tuple
from typechecker.relations.numeric_literals import settled_type
from typechecker.transforms.transformed_values import as_arrays, require_function


def eval_shape(ctx: Context, args: list[Arg], span: Span, expected: Type | None) -> Term:
    """The rule of the call: each array of the result becomes `{shape: shape, dtype: dtype}`."""
    if not args or args[0].name is not None:
        ctx.refuse(call_errors.missing_arguments("eval_shape", ["function"], span))
    function = ctx.typed(args[0].value)
    require_function(ctx, function, "eval_shape")
    with ctx.body.book.inner():
        applied = apply_full(ctx, function, as_arrays(ctx, function, args[1:]), span)
    return describe_type(ctx, ctx.resolve(settled_type(ctx, applied.term.type)), span)


def describe_type(ctx: Context, kind: Type, span: Span) -> Term:
    """A type as a static value of the same structure."""
    match distribute_axes(ctx.resolve(kind)):
        case ty.ArrayType(element, shape):
            return _leaf(ctx.body.solver.element(element), shape, span)
        case ty.IndexType(_, shape):
            return _leaf(dt.I32, shape, span)
        case ty.TupleType(parts):
            return make_tuple([describe_type(ctx, p, span) for p in parts], span)
        case ty.RecordType(fields):
            return make_record({n: describe_type(ctx, t, span) for n, t in fields}, span)
        case other:
            ctx.refuse(transform_errors.no_shape(span, ctx, kind=other))


def _leaf(element: Element, shape: Shape, span: Span) -> Term:
    fields = {"dtype": static_term(element, ty.DTYPE, span), "shape": static_term(shape, ty.SHAPE, span)}
    return make_record(fields, span)
