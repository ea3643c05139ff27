"""Shape functions over sums and products of sizes: `@`, concatenation, reshape."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Literal

from dsl.records import replace
from dsl.types.decide import Decision, Judge, Proved, Refuted, Unknown, at_sight, decide, normalise
from dsl.types.facts import Eq, Facts, Known, Le, Prop
from dsl.types.shape import Shape, StaticArg
from dsl.types.shapefn.axes import extent, has_axis, missing_axis, removed, replaced
from dsl.types.shapefn.calls import compute_call
from dsl.types.shapefn.equal import equal_axes
from dsl.types.shapefn.join import broadcasted
from dsl.types.shapefn.outcome import Failing, Formed, Obligation, ShapeFailure, normalise_shape
from dsl.types.size import Size


def contracted(facts: Facts, left: Shape, right: Shape, judge: Judge = decide) -> Formed | ShapeFailure:
    """The shape of `left @ right`: the last axis of the left meets the last but one of the right (its only
    one if it is a vector), the axes before them broadcast."""
    left, right = normalise_shape(left, facts), normalise_shape(right, facts)
    if left.rank == 0 or right.rank == 0:
        return ShapeFailure("scalar", (left, right))
    if left.trailing < 1 or (right.rank != 1 and right.trailing < 2):
        return ShapeFailure("rank unknown", (left, right))
    at = -1 if right.rank == 1 else -2
    inner = left.dims[-1], right.dims[at]
    met = _equal(ShapeFailure("inner sizes differ", (left, right), (-1, at), inner), partial(judge, facts))
    if isinstance(met, ShapeFailure):
        return met
    rows = Shape(left.dims[:-1])
    columns = Shape(() if right.rank == 1 else right.dims[-1:])
    if right.rank in (1, 2):
        return Formed(rows + columns, met)
    batches = Shape(right.dims[:-2])
    if left.rank == 1:
        return Formed(batches + columns, met)
    if left.trailing < 2:
        return ShapeFailure("rank unknown", (left, right))
    joined = broadcasted(facts, Shape(left.dims[:-2]), batches)
    if isinstance(joined, ShapeFailure):
        axes = tuple(axis - 2 for axis in joined.axes if axis is not None)
        return ShapeFailure(joined.kind, (left, right), axes, joined.sizes, example=joined.example)
    return Formed(joined.shape + Shape(left.dims[-2:-1]) + columns, met + joined.obligations)


def contracted_call(left: Shape, right: Shape) -> Shape:
    """`contracted(left, right)` in a type: computed where the shapes tell it, else stuck."""
    return compute_call(contracted, _contracted_at_sight, left, right)


def _contracted_at_sight(facts: Facts, left: Shape, right: Shape) -> Formed | ShapeFailure:
    return contracted(facts, left, right, at_sight)


def _equal(otherwise: ShapeFailure, judge: Callable[[Prop], Decision]) -> tuple[Obligation, ...] | ShapeFailure:
    """Return the remaining obligations under which the two sizes of a failure are equal, or the failure."""
    left, right = otherwise.sizes
    assert isinstance(left, Size) and isinstance(right, Size)
    match judge(Eq(left, right)):
        case Proved():
            return ()
        case Refuted(counterexample=example):
            return replace(otherwise, example=tuple(example.items()))
        case Unknown():
            return (Obligation(Eq(left, right), "equation", otherwise.axes),)


def concatenated(facts: Facts, shapes: tuple[Shape, ...], axis: StaticArg) -> Formed | ShapeFailure:
    """The shape of one or more arrays one after the other along an axis."""
    shapes = tuple(normalise_shape(shape, facts) for shape in shapes)
    first = shapes[0]
    for shape in shapes:
        if has_axis(shape, axis) == Known(False):
            return missing_axis(shape, axis)
    total = sum((extent(shape, axis) for shape in shapes[1:]), extent(first, axis))
    pending = [Obligation(prop, "range") for prop in (has_axis(first, axis),) if prop != Known(True)]
    for shape in shapes[1:]:
        met = _same_but_for(facts, first, shape, axis)
        if isinstance(met, ShapeFailure):
            return met
        pending += met
    result = replaced(facts, first, axis, total)
    return result if isinstance(result, ShapeFailure) else Formed(result, tuple(pending))


def _same_but_for(facts: Facts, left: Shape, right: Shape, axis: StaticArg) -> tuple[Obligation, ...] | ShapeFailure:
    a, b = removed(facts, left, axis), removed(facts, right, axis)
    if isinstance(a, ShapeFailure) or isinstance(b, ShapeFailure):
        return a if isinstance(a, ShapeFailure) else ShapeFailure("axis out of range", (right,), value=axis)
    if left.rank is not None and isinstance(axis, int):
        axis %= left.rank
    equations = equal_axes(a, b)
    if equations is None:
        return ShapeFailure("ranks differ", (left, right))
    pending: list[Obligation] = []
    for at, equation in equations:
        whole = _before_removal(at, axis)
        sizes = (equation.left, equation.right)
        met = _equal(ShapeFailure("sizes differ", (left, right), (whole, whole), sizes), partial(decide, facts))
        if isinstance(met, ShapeFailure):
            return met
        pending += met
    return tuple(pending)


def _before_removal(at: int | None, axis: StaticArg) -> int | None:
    """The number that an axis had before another one was removed."""
    if at is None or not isinstance(axis, int) or (at < 0) != (axis < 0):
        return at
    if axis >= 0:
        return at + 1 if axis <= at else at
    return at - 1 if at <= axis else at


def reshaped(facts: Facts, shape: Shape, target: Shape, judge: Judge = decide) -> Formed | ShapeFailure:
    """The shape of a reshape to `target`, of which one size may be -1: what is left over."""
    count = normalise_shape(shape, facts).product()
    holes = [i for i, dim in enumerate(target.dims) if isinstance(dim, Size) and dim.is_literal(-1)]
    if len(holes) > 1:
        return ShapeFailure("several unknown sizes", (shape,))
    known = Shape(tuple(dim for i, dim in enumerate(target.dims) if i not in holes))
    negative = [dim for dim in known.dims if isinstance(dim, Size) and (dim.constant or 0) < 0]
    if negative:
        return ShapeFailure("negative size", (target,), sizes=(negative[0],))
    rest = normalise(known.product(), facts)
    if not holes:
        return _counted(shape, known, Eq(count, rest), "equation", known, partial(judge, facts))
    whole = Shape((*known.dims[: holes[0]], normalise(count // rest, facts), *known.dims[holes[0] :]))
    result = _counted(shape, known, Eq(count % rest, Size.of(0)), "range", whole, partial(judge, facts))
    if isinstance(result, ShapeFailure) or isinstance(judge(facts, Le(Size.of(1), rest)), Proved):
        return result
    positive = Obligation(Le(Size.of(1), rest), "range")
    return Formed(whole, (positive, *result.obligations))


def _counted(
    shape: Shape,
    known: Shape,
    prop: Eq,
    kind: Literal["equation", "range"],
    result: Shape,
    judge: Callable[[Prop], Decision],
) -> Formed | ShapeFailure:
    match judge(prop):
        case Proved():
            return Formed(result)
        case Refuted(counterexample=example) if kind == "equation" or not prop.left.vars():
            sizes = (prop.left, prop.right)
            failing: Failing = "count" if kind == "equation" else "remainder"
            return ShapeFailure(failing, (shape, known), sizes=sizes, example=tuple(example.items()))
        case _:
            return Formed(result, (Obligation(prop, kind),))


def reshaped_call(shape: Shape, target: Shape) -> Shape:
    """`reshaped(shape, target)` in a type: computed where the shapes tell it, else stuck."""
    return compute_call(reshaped, _reshaped_at_sight, shape, target)


def _reshaped_at_sight(facts: Facts, shape: Shape, target: Shape) -> Formed | ShapeFailure:
    return reshaped(facts, shape, target, at_sight)
