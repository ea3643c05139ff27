"""Shape rules as the checker uses them: results of the size algebra, with what is refused turned into reports and
what is open turned into constraints."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

from dsl.diagnostics.source import Span
from dsl.types.decide import Refuted
from dsl.types.facts import Known
from dsl.types.shape import Shape, StaticArg
from dsl.types.shapefn import (
    Formed,
    Obligation,
    ShapeFailure,
    broadcasted,
    broadcasted_call,
    concatenated,
    failures,
    has_axis,
    missing_axis,
    obligations,
    settled,
)
from dsl.types.shapefn import inserted as insert
from dsl.types.shapefn import matmul as contracted
from dsl.types.shapefn import removed as remove
from dsl.types.shapefn import replaced as replace_axis
from dsl.types.size import Size
from dsl.types.type import Type
from dsl.types.walk import leading_axes, map_leaves, shapes_in, with_shape
from typechecker.env.context import Context
from typechecker.env.reports import Reported
from typechecker.env.values import Term
from typechecker.errors import repairs
from typechecker.errors import shapes as shape_errors
from typechecker.types.predicates import poisoned


def broadcast(
    ctx: Context, op: str, left: Term, right: Term, left_shape: Shape, right_shape: Shape, span: Span
) -> Shape:
    """The shape of an elementwise operation by the safe rules."""
    if left_shape == right_shape or not right_shape.dims:
        return left_shape
    if not left_shape.dims:
        return right_shape
    result = broadcasted(ctx.facts, left_shape, right_shape)
    if isinstance(result, ShapeFailure):
        declared = _declared(ctx, left_shape, right_shape)
        if declared is not None:
            return declared
    return _formed(ctx, result, repairs.Operands(op, left, right, left_shape, right_shape), span)


def _declared(ctx: Context, left: Shape, right: Shape) -> Shape | None:
    """The shape of an elementwise operation that the signature around it says to exist, in either order."""
    for shape in (broadcasted_call(left, right), broadcasted_call(right, left)):
        if ctx.body.declared.issuperset(shape.calls()):
            return shape
    return None


def matmul(ctx: Context, left: Term, right: Term, left_shape: Shape, right_shape: Shape, span: Span) -> Shape:
    result = contracted(ctx.facts, left_shape, right_shape)
    return _formed(ctx, result, repairs.Operands("@", left, right, left_shape, right_shape), span)


def concatenate(ctx: Context, shapes: tuple[Shape, ...], axis: StaticArg, terms: tuple[Term, ...], span: Span) -> Shape:
    result = concatenated(ctx.facts, shapes, axis)
    return _formed(ctx, result, shape_errors.Several("concatenate", terms), span)


Subject: TypeAlias = repairs.Operands | shape_errors.Several


def _formed(ctx: Context, result: Shape | Formed | ShapeFailure, what: Subject, span: Span) -> Shape:
    if isinstance(result, ShapeFailure):
        if not any(map(poisoned, result.shapes)):
            ctx.report(shape_errors.shapes_fail(ctx, result, what, span))
        raise Reported
    if isinstance(result, Shape):
        return result
    _oblige(ctx, result.obligations, what, span)
    return result.shape


def _oblige(ctx: Context, obligations: Iterable[Obligation], what: Subject, span: Span) -> None:
    for needed in obligations:
        demand = ctx.require_equation if needed.kind == "equation" else ctx.require
        verdict = demand(needed.prop, span)
        if isinstance(verdict, Refuted):
            ctx.refuse(shape_errors.condition_refuted(ctx, needed.prop, verdict.counterexample, what, span))


def demand_axis(ctx: Context, shape: Shape, axis: StaticArg, what: shape_errors.Several, span: Span) -> None:
    """Demand that a shape has an axis, or each of several; in a signature write it down."""
    prop = has_axis(shape, axis)
    if ctx.written is not None and prop != Known(False):
        ctx.written.append(ctx.under_branches(prop))
    elif not poisoned(shape) and isinstance(ctx.require(prop, span), Refuted):
        ctx.refuse(shape_errors.shapes_fail(ctx, missing_axis(shape, axis), what, span))


def resolve_stuck_calls(ctx: Context, shape: Shape, what: shape_errors.Several, span: Span) -> None:
    """Refuse what goes wrong in the stuck calls of a computed shape, and demand what they need."""
    refuse_failing(ctx, shape, what, span)
    oblige(ctx, shape, what, span)


def refuse_failing(ctx: Context, shape: Shape, what: shape_errors.Several, span: Span) -> None:
    """Refuse what goes wrong in the stuck calls of a shape."""
    for failure in failures(ctx.facts, shape, ctx.body.declared):
        if not poisoned(shape):
            ctx.refuse(shape_errors.shapes_fail(ctx, failure, what, span))


def oblige(ctx: Context, shape: Shape, what: shape_errors.Several, span: Span) -> None:
    """Demand what the stuck calls of a shape need."""
    needed = obligations(ctx.facts, shape, ctx.body.declared)
    if needed and not poisoned(shape):
        _oblige(ctx, needed, what, span)


def settle(ctx: Context, type_: Type) -> Type:
    """The type with the shapes that its stuck calls have, now that what they need is demanded."""
    stuck = any(True for shape in shapes_in(type_) for _ in shape.calls())
    return map_leaves(type_, lambda leaf: _settled(ctx, leaf)) if stuck else type_


def _settled(ctx: Context, leaf: Type) -> Type:
    shape = leading_axes(leaf)
    return leaf if shape is None else with_shape(leaf, settled(ctx.facts, shape, ctx.body.declared))


def inserted(ctx: Context, shape: Shape, axis: StaticArg, size: Size) -> Shape | ShapeFailure:
    return insert(ctx.facts, shape, axis, size)


def removed(ctx: Context, shape: Shape, axis: StaticArg) -> Shape | ShapeFailure:
    return remove(ctx.facts, shape, axis)


def replaced(ctx: Context, shape: Shape, axis: StaticArg, size: Size) -> Shape | ShapeFailure:
    return replace_axis(ctx.facts, shape, axis, size)
