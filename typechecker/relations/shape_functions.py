"""Functions of shapes that have laws, as `reduced(s, axis, keepdims)`: what they give, or the call where that is open.

The library declares them (`stdlib/prelude.dsl`), `dsl.types.shapefn` computes. Staging sees the shape alone.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import TypeAlias

from dsl.core import core
from dsl.core.statics.ranges import holds_call, holds_float
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
from typechecker.errors.repairs.shapes import Operation
from typechecker.relations.shapes import demand, demand_axis, require_measured

Rule: TypeAlias = Callable[[Context, str, Sequence[StaticArg], Span], Term]
"""rule(ctx, the function's name, what is known of its arguments, span) -> the call."""


def shape_function(ctx: Context, name: str, terms: Sequence[Term], span: Span) -> Term:
    """A call of the function `name` with these arguments, of the types of its parameters."""
    found = SHAPE_FUNCTIONS[name](ctx, name, [_argument(ctx, term) for term in terms], span)
    if not has_gap(found.known, Gap.REPORTED, Gap.UNNAMED):
        return found
    return Term(core.Intrinsic(span, found.type, name, tuple([term.core for term in terms])), found.type, found.known)


def _argument(ctx: Context, term: Term) -> StaticArg:
    if term.type == ty.SHAPE and not isinstance(term.known, Shape):
        raise Reported
    sized = term.type == ty.SIZE and isinstance(term.known, Size)
    return term.known if sized and isinstance(term.known, Size) else static_argument(term.known, ctx.fresh_id)


def _shape(compute: Callable[..., Shape | ShapeFailure]) -> Rule:
    def rule(ctx: Context, name: str, args: Sequence[StaticArg], span: Span) -> Term:
        shape = compute(ctx.facts, *args)
        if isinstance(shape, ShapeFailure):
            ctx.refuse(shape_errors.shapes_fail(ctx, shape, Operation(name, ()), span))
        _require_axes(ctx, ShapeCall(name, tuple(args)), span)
        return static_term(shape, ty.SHAPE, span)

    return rule


def _require_axes(ctx: Context, call: ShapeCall, span: Span) -> None:
    """Demand that the axes which a call names are there: a law may give the shape without the call."""
    if not ctx.body.static:
        for prop in shapefn.axes_needed(call):
            demand(ctx, prop, span)


def _call(call: Callable[..., Shape]) -> Rule:
    """One that needs sizes to be equal: what it needs is demanded where its shape is used."""
    return _shape(lambda facts, *args: call(*args))


def _extent(ctx: Context, name: str, args: Sequence[StaticArg], span: Span) -> Term:
    shape, axis = args
    assert isinstance(shape, Shape)
    demand_axis(ctx, shape, axis, Operation(name, ()), span)
    require_measured(ctx, shape, name, span)
    size = shapefn.extent(shape, axis)
    return static_term(size, ty.INT, span)


def _test(condition: Callable[[Shape, StaticArg], Prop]) -> Rule:
    """A condition on a shape and axes."""

    def test(ctx: Context, name: str, args: Sequence[StaticArg], span: Span) -> Term:
        shape, axes = args
        assert isinstance(shape, Shape)
        return _condition(condition(shape, axes), span)

    return test


def _holds(ctx: Context, name: str, args: Sequence[StaticArg], span: Span) -> Term:
    dtype, number = args
    assert isinstance(number, Size | int)
    return _condition(holds_call(dtype, number if isinstance(number, Size) else Size.of(number)), span)


def _holds_float(ctx: Context, name: str, args: Sequence[StaticArg], span: Span) -> Term:
    return _condition(holds_float(*args), span)


def _condition(known: Prop, span: Span) -> Term:
    holds = core.SizeOf(span, ty.INT, truth(known))
    return Term(core.Binary(span, ty.BOOLEAN, "==", holds, core.Const(span, ty.INT, 1)), ty.BOOLEAN, known)


SHAPE_FUNCTIONS: Mapping[str, Rule] = MappingProxyType(
    {
        "reduced": _shape(shapefn.reduced),
        "removed": _shape(shapefn.removed),
        "inserted": _shape(shapefn.inserted),
        "permuted": _shape(shapefn.permuted),
        "transposed": _shape(shapefn.transposed),
        "replaced": _shape(shapefn.replaced),
        "swapped": _shape(shapefn.swapped),
        "broadcasted": _call(shapefn.broadcasted_call),
        "stretched": _call(shapefn.stretched_call),
        "reshaped": _call(shapefn.reshaped_call),
        "contracted": _call(shapefn.contracted_call),
        "extent": _extent,
        "has_axis": _test(shapefn.has_axis),
        "is_order": _test(shapefn.is_order),
        "holds": _holds,
        "holds_float": _holds_float,
    }
)
"""By the intrinsics that the definitions of the library are."""
