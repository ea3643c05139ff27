"""`reshape` and `broadcast_to`: the shape of the result is an argument."""

from __future__ import annotations

from dsl.core import core
from dsl.diagnostics.source import Span
from dsl.types import type as ty
from dsl.types.decide import Refuted
from dsl.types.shape import Shape
from dsl.types.shapefn import ShapeFailure, broadcasted, broadcasts
from dsl.types.size import Size
from dsl.types.type import Type
from dsl.types.walk import with_shape
from typechecker.calls.arguments import bind_by_parameter
from typechecker.calls.primitives import array_argument, primitive
from typechecker.env.call_record import Arg
from typechecker.env.context import Context
from typechecker.env.values import Elementwise, Term, error_term
from typechecker.errors import shapes as shape_errors
from typechecker.errors import types as type_errors
from typechecker.relations import shapes
from typechecker.relations.coercion import Why, coerce, fit
from typechecker.relations.numeric_literals import as_array
from typechecker.relations.size_equations import shapes_differ


def reshape(ctx: Context, args: list[Arg], span: Span, expected: Type | None) -> Term:
    """`reshape(x, shape)`: -1 stands for what is left."""
    chosen = bind_by_parameter(ctx, "reshape", args, ("x", "shape"), 2, span)
    if chosen is None:
        return error_term(span)
    term = ctx.infer(chosen["x"].value)
    kind = ctx.resolve(term.type)
    wanted = _shape_argument(ctx, chosen["shape"], "reshape")
    if isinstance(kind, ty.StaticType):
        term = coerce(ctx, term, as_array(ctx, kind), Why("argument", "x", "reshape"))
        kind = ctx.resolve(term.type)
    if wanted is None or kind == ty.ERROR:
        return error_term(span)
    if not isinstance(kind, ty.ArrayType | ty.IndexType | ty.KeyType):
        ctx.report(type_errors.not_an_array(chosen["x"].span, ctx, name="reshape", term=term))
        return error_term(span)
    dims = tuple(d for d in wanted[1].dims)
    for dim in dims:
        if isinstance(dim, Size) and dim.constant is not None and dim.constant < -1:
            ctx.report(shape_errors.negative_size(ctx, dim, {}, chosen["shape"].span))
            return error_term(span)
    shape = shapes.reshape(ctx, term, kind.shape, dims, span)
    known = term.known if isinstance(term.known, Elementwise) else None
    return primitive("reshape", with_shape(kind, shape), [term], span, [("shape", wanted[0])], known)


def _shape_argument(ctx: Context, arg: Arg, owner: str) -> tuple[core.Expr, Shape] | None:
    inferred = ctx.infer(arg.value, ty.SHAPE)
    if inferred.type == ty.ERROR:
        return None
    if inferred.type in (ty.INT, ty.SIZE) and isinstance(inferred.known, Size):
        listed = core.ShapeList(arg.span, ty.SHAPE, (inferred.core,))
        return listed, Shape((inferred.known,))
    term = fit(ctx, inferred, ty.SHAPE, Why("argument", "shape", owner))
    if not isinstance(term.known, Shape):
        ctx.report(shape_errors.constant_shape(arg.span, ctx, term=inferred))
        return None
    return term.core, term.known


def broadcast_to(ctx: Context, args: list[Arg], span: Span, expected: Type | None) -> Term:
    """`broadcast_to(x, shape)`."""
    chosen = bind_by_parameter(ctx, "broadcast_to", args, ("x", "shape"), 2, span)
    if chosen is None:
        return error_term(span)
    found = array_argument(ctx, chosen["x"], "broadcast_to")
    wanted = _shape_argument(ctx, chosen["shape"], "broadcast_to")
    if found is None or wanted is None:
        return error_term(span)
    term, kind = found
    what = shape_errors.Several("broadcast_to", (term,))
    if _computed(kind.shape) or _computed(wanted[1]):
        if isinstance(ctx.require(broadcasts(kind.shape, wanted[1]), span), Refuted):
            ctx.report(shape_errors.shapes_fail(ctx, ShapeFailure("ranks differ", (kind.shape, wanted[1])), what, span))
            return error_term(span)
        return primitive("broadcast_to", with_shape(kind, wanted[1]), [term], span, [("shape", wanted[0])], term.known)
    result = broadcasted(ctx.facts, kind.shape, wanted[1])
    if isinstance(result, ShapeFailure):
        ctx.report(shape_errors.shapes_fail(ctx, result, what, span))
        return error_term(span)
    problem = shapes_differ(ctx, result.shape, wanted[1], span)
    if problem:
        failure = ShapeFailure("sizes differ", (kind.shape, wanted[1]))
        ctx.report(shape_errors.shapes_fail(ctx, failure, what, span))
        return error_term(span)
    return primitive("broadcast_to", with_shape(kind, wanted[1]), [term], span, [("shape", wanted[0])], term.known)


def _computed(shape: Shape) -> bool:
    """Whether a shape waits for a static function that the program defines."""
    return any("." in call.function for call in shape.calls())
