"""Shape rules as the checker uses them: results of the size algebra, with what is refused turned into reports and
what is open turned into constraints; calls of the functions of shapes that have laws among them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from dsl.core import core
from dsl.core.statics.shapes import SHAPE_FUNCTIONS
from dsl.diagnostics.source import Span
from dsl.types import shapefn
from dsl.types import type as ty
from dsl.types.decide import Refuted
from dsl.types.facts import Facts, Prop
from dsl.types.shape import Shape, ShapeCall, Splice, StaticArg
from dsl.types.shapefn import (
    Formed,
    Obligation,
    ShapeFailure,
    broadcasted,
    broadcasted_call,
    concatenated,
    contracted,
    contracted_call,
    failures,
    has_axis,
    missing_axis,
    obligations,
    settled,
)
from dsl.types.size import Size
from dsl.types.static_parts import Gap, has_gap
from dsl.types.type import Type
from dsl.types.walk import leading_axes, map_leaves, shapes_in, with_shape
from typechecker import errors
from typechecker.env.context import Context
from typechecker.env.reports import Reported
from typechecker.env.static_values import computed_term, static_argument
from typechecker.env.values import Term
from typechecker.errors.causes import Operation


def broadcast(
    ctx: Context, op: str, left: Term, right: Term, left_shape: Shape, right_shape: Shape, span: Span
) -> Shape:
    """The shape of an elementwise operation by the safe rules."""
    if left_shape == right_shape or not right_shape.dims:
        return left_shape
    if not left_shape.dims:
        return right_shape
    result: Shape | Formed | ShapeFailure = broadcasted(ctx.facts, left_shape, right_shape)
    if isinstance(result, ShapeFailure):
        calls = broadcasted_call(left_shape, right_shape), broadcasted_call(right_shape, left_shape)
        result = _declared(ctx, result, *calls)
    return _formed(ctx, result, Operation(op, (left, right)), span)


def joint_shape(ctx: Context, left: Shape, right: Shape, span: Span) -> Shape | None:
    """The shape to which two broadcast, the equations that it needs demanded; None where they do not."""
    result = broadcasted(ctx.facts, left, right)
    if isinstance(result, ShapeFailure):
        return None
    refuted = any(ctx.require_equation(needed.prop, span) is not None for needed in result.obligations)
    return None if refuted else result.shape


def _declared(ctx: Context, failure: ShapeFailure, *shapes: Shape) -> Shape | ShapeFailure:
    """The first of these shapes that the signature around says to exist, else the failure."""
    return next((shape for shape in shapes if ctx.body.declared.issuperset(shape.calls())), failure)


def matmul(ctx: Context, left: Term, right: Term, left_shape: Shape, right_shape: Shape, span: Span) -> Shape:
    """The shape of `left @ right`."""
    result: Shape | Formed | ShapeFailure = contracted(ctx.facts, left_shape, right_shape)
    if isinstance(result, ShapeFailure):
        result = _declared(ctx, result, contracted_call(left_shape, right_shape))
    return _formed(ctx, result, Operation("@", (left, right)), span)


def concatenate(ctx: Context, shapes: tuple[Shape, ...], axis: StaticArg, terms: tuple[Term, ...], span: Span) -> Shape:
    result = concatenated(ctx.facts, shapes, axis)
    return _formed(ctx, result, Operation("concatenate", terms), span)


def _formed(ctx: Context, result: Shape | Formed | ShapeFailure, what: Operation, span: Span) -> Shape:
    if isinstance(result, ShapeFailure):
        if not any(has_gap(shape, Gap.REPORTED) for shape in result.shapes):
            ctx.report(errors.shapes.shapes_fail(ctx, result, what, span))
        raise Reported
    if isinstance(result, Shape):
        return result
    _oblige(ctx, result.obligations, what, span)
    return result.shape


def _oblige(ctx: Context, obligations: Iterable[Obligation], what: Operation, span: Span) -> None:
    for needed in obligations:
        demand = ctx.require_equation if needed.kind == "equation" else ctx.require
        verdict = demand(needed.prop, span)
        if isinstance(verdict, Refuted):
            ctx.refuse(errors.shapes.condition_refuted(ctx, needed.prop, verdict, what, span))


def demand_axis(ctx: Context, shape: Shape, axis: StaticArg, what: Operation, span: Span) -> None:
    """Demand that a shape has an axis, or each of several."""
    if not has_gap(shape, Gap.REPORTED) and not demand(ctx, has_axis(shape, axis), span):
        ctx.refuse(errors.shapes.shapes_fail(ctx, missing_axis(shape, axis), what, span))


def demand(ctx: Context, prop: Prop, span: Span) -> bool:
    """Demand a range condition, in a signature too: no size of an argument shows that a shape has an axis, or a static
    function a value. False where it never holds."""
    return not isinstance(ctx.require(prop, span), Refuted)


def resolve_stuck_calls(ctx: Context, shape: Shape, what: Operation, span: Span) -> None:
    """Refuse what goes wrong in the stuck calls of a computed shape, and demand what they need."""
    refuse_failing(ctx, shape, what, span)
    oblige(ctx, shape, what, span)


def require_measured(ctx: Context, shape: Shape, name: str, span: Span) -> None:
    """Demand that a shape exists of which a size is made; what a signature or a static function mentions is asked of
    those who give the arguments."""
    if ctx.written is None and not ctx.body.static:
        resolve_stuck_calls(ctx, shape, Operation(name, ()), span)


def refuse_failing(ctx: Context, shape: Shape, what: Operation, span: Span) -> None:
    """Refuse what goes wrong in the stuck calls of a shape."""
    for failure in failures(ctx.facts, shape, ctx.body.declared):
        if not has_gap(shape, Gap.REPORTED):
            ctx.refuse(errors.shapes.shapes_fail(ctx, failure, what, span))


def report_impossible(ctx: Context, calls: Iterable[ShapeCall], span: Span) -> None:
    """Report calls that a signature states and that have no shape, whoever calls."""
    for call in calls:
        known = not has_gap(call.args)
        for failure in failures(Facts(), Shape((Splice(call),)))[:1] if known else ():
            ctx.report(errors.shapes.shapes_fail(ctx, failure, Operation(call.function, ()), span))


def oblige(ctx: Context, shape: Shape, what: Operation, span: Span) -> None:
    """Demand what the stuck calls of a shape need."""
    needed = obligations(ctx.facts, shape, ctx.body.declared)
    if needed and not has_gap(shape, Gap.REPORTED):
        _oblige(ctx, needed, what, span)


def settle(ctx: Context, type_: Type) -> Type:
    """The type with the shapes that its stuck calls have, now that what they need is demanded."""
    stuck = any(True for shape in shapes_in(type_) for _ in shape.calls())
    return map_leaves(type_, lambda leaf: _settled(ctx, leaf)) if stuck else type_


def _settled(ctx: Context, leaf: Type) -> Type:
    shape = leading_axes(leaf)
    return leaf if shape is None else with_shape(leaf, settled(ctx.facts, shape, ctx.body.declared))


# ---------------------------------------------------------------- functions of shapes


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
            ctx.refuse(errors.shapes.shapes_fail(ctx, found, Operation(name, ()), span))
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
