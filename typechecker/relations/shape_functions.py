"""Functions of shapes that have laws, as `reduced(s, axis, keepdims)`: what they give, or the call where that is open.

The library declares them (`stdlib/prelude.dsl`), `dsl.core.statics.shapes` lists them. Staging sees the shape alone.
"""

from __future__ import annotations

from collections.abc import Sequence

from dsl.core import core
from dsl.core.statics.shapes import SHAPE_FUNCTIONS
from dsl.diagnostics.source import Span
from dsl.types import shapefn
from dsl.types import type as ty
from dsl.types.conditional import truth
from dsl.types.facts import Prop
from dsl.types.shape import Shape, ShapeCall, StaticArg
from dsl.types.shapefn import ShapeFailure
from dsl.types.size import Size
from dsl.types.static_parts import Gap, has_gap
from typechecker.env.context import Context
from typechecker.env.reports import Reported
from typechecker.env.static_values import static_argument
from typechecker.env.values import Term, static_term
from typechecker.errors import shapes as shape_errors
from typechecker.errors.causes import Operation
from typechecker.relations.shapes import demand, demand_axis, require_measured


def shape_function(ctx: Context, name: str, terms: Sequence[Term], span: Span) -> Term:
    """A call of the function `name` with these arguments, of the types of its parameters."""
    found = _found(ctx, name, [_argument(ctx, term) for term in terms], span)
    if not has_gap(found.known, Gap.REPORTED, Gap.UNNAMED):
        return found
    return Term(core.Intrinsic(span, found.type, name, tuple([term.core for term in terms])), found.type, found.known)


def _argument(ctx: Context, term: Term) -> StaticArg:
    if term.type == ty.SHAPE and not isinstance(term.known, Shape):
        raise Reported
    sized = term.type == ty.SIZE and isinstance(term.known, Size)
    return term.known if sized and isinstance(term.known, Size) else static_argument(term.known, ctx.fresh_id)


def _found(ctx: Context, name: str, args: Sequence[StaticArg], span: Span) -> Term:
    function = SHAPE_FUNCTIONS[name]
    if function.result == ty.INT:
        _require_axis(ctx, name, args, span)
    found = function.compute(ctx.facts, *args)
    match found:
        case ShapeFailure():
            ctx.refuse(shape_errors.shapes_fail(ctx, found, Operation(name, ()), span))
        case Shape():
            _require_axes(ctx, ShapeCall(name, tuple(args)), span)
            return static_term(found, ty.SHAPE, span)
        case Size():
            return static_term(found, ty.INT, span)
        case _:
            return _condition(found, span)


def _require_axis(ctx: Context, name: str, args: Sequence[StaticArg], span: Span) -> None:
    """Demand the axis whose size is asked for, and that the shape exists."""
    shape, axis = args
    assert isinstance(shape, Shape)
    demand_axis(ctx, shape, axis, Operation(name, ()), span)
    require_measured(ctx, shape, name, span)


def _require_axes(ctx: Context, call: ShapeCall, span: Span) -> None:
    """Demand that the axes which a call names are there: a law may give the shape without the call."""
    if not ctx.body.static:
        for prop in shapefn.axes_needed(call):
            demand(ctx, prop, span)


def _condition(known: Prop, span: Span) -> Term:
    holds = core.SizeOf(span, ty.INT, truth(known))
    return Term(core.Binary(span, ty.BOOLEAN, "==", holds, core.Const(span, ty.INT, 1)), ty.BOOLEAN, known)
