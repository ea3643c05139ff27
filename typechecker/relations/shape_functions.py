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
from dsl.types.facts import Prop
from dsl.types.shape import Shape, StaticArg
from dsl.types.shapefn import ShapeFailure
from dsl.types.size import Size
from typechecker.env.context import Context
from typechecker.env.reports import Reported
from typechecker.env.static_values import computed_term, static_argument
from typechecker.env.values import Term
from typechecker.errors import shapes as shape_errors
from typechecker.errors.causes import Operation
from typechecker.relations.shapes import demand, demand_axis, require_measured


def shape_function(ctx: Context, name: str, terms: Sequence[Term], span: Span) -> Term:
    """A call of the function `name` with these arguments, of the types of its parameters."""
    known = _found(ctx, name, [_argument(ctx, term) for term in terms], span)
    kind = SHAPE_FUNCTIONS[name].result
    node = core.Intrinsic(span, kind, name, tuple([term.core for term in terms]))
    return computed_term(known, node) if isinstance(known, Shape | Size) else Term(node, kind, known)


def _argument(ctx: Context, term: Term) -> StaticArg:
    if term.type == ty.SHAPE and not isinstance(term.known, Shape):
        raise Reported
    sized = term.type == ty.SIZE and isinstance(term.known, Size)
    return term.known if sized and isinstance(term.known, Size) else static_argument(term.known, ctx.fresh_id)


def _found(ctx: Context, name: str, args: Sequence[StaticArg], span: Span) -> Shape | Size | Prop:
    function = SHAPE_FUNCTIONS[name]
    if function.result == ty.INT:
        _require_axis(ctx, name, args, span)
    found = function.compute(ctx.facts, *args)
    match found:
        case ShapeFailure():
            ctx.refuse(shape_errors.shapes_fail(ctx, found, Operation(name, ()), span))
        case Shape():
            _require_axes(ctx, name, args, span)
    return found


def _require_axis(ctx: Context, name: str, args: Sequence[StaticArg], span: Span) -> None:
    """Demand the axis whose size is asked for, and that the shape exists."""
    shape, axis = args
    assert isinstance(shape, Shape)
    demand_axis(ctx, shape, axis, Operation(name, ()), span)
    require_measured(ctx, shape, name, span)


def _require_axes(ctx: Context, name: str, args: Sequence[StaticArg], span: Span) -> None:
    """Demand that the axes which a call names are there: a law may give the shape without the call."""
    if not ctx.body.static:
        for prop in shapefn.axes_needed(name, args):
            demand(ctx, prop, span)
