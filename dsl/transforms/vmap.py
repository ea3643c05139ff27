"""Vectorisation. Carrier: the batch axis of each var that has one. Rule table: `batch` of the ops. Driver:
`push`.

What does not depend on a mapped parameter stays as it is, computed once, except that collectives over the
axis being mapped become what all elements together do. Bodies of region ops are batched
with the axis in front. Knows no op, except to move and spread axes. Read next: `dsl.ops.layout`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from dsl.ir.build import Builder, IRTypeError
from dsl.ir.function import Atom, Equation, Function, Tensor, Var
from dsl.ir.op import Op
from dsl.ir.region import Axes, Batched, CannotTransform, Flags, NamedAxis, Problem
from dsl.ops.collective import along, axis_of
from dsl.ops.control.branch import COND
from dsl.ops.control.loop import WHILE, WhileParams
from dsl.ops.control.predicated import LANES, LanesParams, expand_lanes
from dsl.ops.control.region_utils import has_effect, is_ordered
from dsl.ops.control.scan import SCAN, ScanParams
from dsl.ops.layout import at_axis
from dsl.ops.spread import largest, map_collective, wide_condition
from dsl.records import replace
from dsl.transforms.dce import live
from dsl.transforms.in_turn import in_turn
from dsl.transforms.memo import Memo

NO_EFFECT = "what it does would happen in no particular order"


def push(
    b: Builder,
    function: Function,
    values: dict[Atom, Atom],
    axes: dict[Var, int],
    size: int,
    memo: Memo,
    axis: NamedAxis | None = None,
) -> tuple[tuple[Atom, ...], Axes]:
    """Emits `function` with the vars in `axes` batched; gives its results and their axes.

    `values` says which var stands for a parameter of `function`, if not itself. Both dicts are filled.
    """
    for equation in function.equations:
        inputs = tuple([values.get(x, x) if isinstance(x, Var) else x for x in equation.inputs])
        places = tuple([axes.get(x) if isinstance(x, Var) else None for x in equation.inputs])
        if places.count(None) == len(places) and not _talks(equation, axis, memo) and not _acts(equation, memo):
            b.equations.append(Equation(equation.op, equation.params, inputs, equation.outputs, equation.span))
            continue
        b.span = equation.span
        outputs, after = _rule(b, equation, inputs, places, size, memo, axis)
        for y, new, place in zip(equation.outputs, outputs, after, strict=True):
            values[y] = new
            if place is not None:
                axes[y] = place
    results = tuple([values.get(r, r) if isinstance(r, Var) else r for r in function.results])
    return results, tuple([axes.get(r) if isinstance(r, Var) else None for r in function.results])


def _rule(
    b: Builder,
    equation: Equation,
    inputs: tuple[Atom, ...],
    axes: Axes,
    size: int,
    memo: Memo,
    axis: NamedAxis | None,
) -> tuple[tuple[Atom, ...], Axes]:
    op = equation.op
    if axis is not None and axis_of(equation) == axis.name:
        alone = axis.devices == 1
        return along(b, equation, inputs, axes) if alone else map_collective(b, equation, inputs, axes, axis)
    if has_effect(equation, memo.effects) and is_ordered(equation, memo.ordered):
        raise CannotTransform(Problem.BATCHED_EFFECT, op.name, NO_EFFECT, equation.span)
    if isinstance(op, Op):
        return op.batch(b, equation.params, inputs, axes, size)

    def recur(body: Function, batched: Flags, force: Flags | None = None) -> Batched:
        return batch(body, batched, force, size, memo, axis)

    try:
        if op in (COND, LANES) and _talks(equation, axis, memo):
            return _together(b, equation, inputs, axes, size, memo, axis)
        if op is WHILE and axis is not None and _talks(equation, axis, memo):
            return _loop_together(b, equation, inputs, axes, size, memo, axis)
        if op is SCAN and axis is not None and _counts_together(equation, axis, memo) and axes[0] is not None:
            # All have taken part in as many steps.
            inputs, axes = (largest(b, inputs[0], axis), *inputs[1:]), (None, *axes[1:])
        return op.batch(b, equation.params, inputs, axes, size, recur)
    except CannotTransform as problem:
        problem.span = problem.span or equation.span
        raise


def _together(
    b: Builder,
    equation: Equation,
    inputs: tuple[Atom, ...],
    axes: Axes,
    size: int,
    memo: Memo,
    axis: NamedAxis | None,
) -> tuple[tuple[Atom, ...], Axes]:
    """A choice whose branches talk: all elements compute all branches, and then choose.

    Lanes of other axes are expanded first, without the name.
    """

    def every(body: Function, batched: Flags, force: Flags, count: int) -> Batched:
        return batch(body, batched, force, count, memo, axis)

    def plain(body: Function, batched: Flags, force: Flags, count: int) -> Batched:
        return batch(body, batched, force, count, memo)

    def recur(body: Function, batched: Flags, force: Flags | None = None) -> Batched:
        return batch(body, batched, force, size, memo, axis)

    if equation.op is LANES:
        inner = Builder()
        inner.span = equation.span
        own = [inner.param(x.type) for x in equation.inputs]
        results = expand_lanes(inner, cast(LanesParams, equation.params), tuple(own), plain)
        values: dict[Atom, Atom] = dict(zip(own, inputs, strict=True))
        places = {p: a for p, a in zip(own, axes, strict=True) if a is not None}
        return push(b, inner.finish("every_lane", results), values, places, size, memo, axis)
    if axes[0] is None:
        return COND.batch(b, equation.params, inputs, axes, size, recur)
    inner = Builder()
    inner.span = equation.span
    outs, after = COND.batch(inner, equation.params, inputs, axes, size, recur)
    values = {}
    for made in inner.equations:
        xs = tuple([values.get(x, x) for x in made.inputs])
        if made.op is LANES:
            found = expand_lanes(b, cast(LanesParams, made.params), xs, every)
        else:
            found = b.emit(made.op, made.params, xs)
        values.update(zip(made.outputs, found, strict=True))
    return tuple([values.get(x, x) for x in outs]), after


def _loop_together(
    b: Builder,
    equation: Equation,
    inputs: tuple[Atom, ...],
    axes: Axes,
    size: int,
    memo: Memo,
    axis: NamedAxis,
) -> tuple[tuple[Atom, ...], Axes]:
    """A loop whose elements talk and end at different times: it goes on while one of them does, on any device, and
    the others go along and keep what they have."""

    def recur(body: Function, batched: Flags, force: Flags | None = None) -> Batched:
        return batch(body, batched, force, size, memo, axis)

    params = cast(WhileParams, equation.params)
    inner = Builder()
    inner.span = equation.span
    outs, after = WHILE.batch(inner, params, inputs, axes, size, recur)
    tested = (*axes[: params.cond_consts], *after[: params.carry])
    differs = recur(params.cond, tuple([a is not None for a in tested])).batched[0]
    values: dict[Atom, Atom] = {}
    for made in inner.equations:
        changed: Any = made.params
        if made.op is WHILE:
            body = _lanes_together(changed.body, memo, axis)
            cond = wide_condition(changed.cond, axis) if differs and axis.devices > 1 else changed.cond
            changed = replace(changed, cond=cond, body=body)
        found = b.emit(made.op, changed, [values.get(x, x) for x in made.inputs])
        values.update(zip(made.outputs, found, strict=True))
    return tuple([values.get(x, x) for x in outs]), after


def _lanes_together(function: Function, memo: Memo, axis: NamedAxis) -> Function:
    """The lanes of a body that talk, expanded: all elements compute all branches."""

    def every(body: Function, batched: Flags, force: Flags, count: int) -> Batched:
        return batch(body, batched, force, count, memo, axis)

    b = Builder()
    values: dict[Atom, Atom] = {}
    for equation in function.equations:
        xs = tuple([values.get(x, x) for x in equation.inputs])
        b.span = equation.span
        if equation.op is LANES and _talks(equation, axis, memo):
            found = expand_lanes(b, cast(LanesParams, equation.params), xs, every)
        else:
            found = b.emit(equation.op, equation.params, xs)
        values.update(zip(equation.outputs, found, strict=True))
    results = tuple([values.get(r, r) for r in function.results])
    return Function(function.name, function.params, tuple(b.equations), results)


def _acts(equation: Equation, memo: Memo) -> bool:
    """Return whether each element does something here, in no order, though it is the same for all."""
    return has_effect(equation, memo.effects) and not is_ordered(equation, memo.ordered)


def _counts_together(equation: Equation, axis: NamedAxis, memo: Memo) -> bool:
    """Return whether it is a loop over steps that were counted, in which elements ask each other."""
    return cast(ScanParams, equation.params).counted and _talks(equation, axis, memo)


def _talks(equation: Equation, axis: NamedAxis | None, memo: Memo) -> bool:
    """Return whether the equation asks the other elements of the axis of that name, itself or in its bodies."""
    if axis is None:
        return False
    op = equation.op
    if isinstance(op, Op):
        return axis_of(equation) == axis.name
    return any(_asks(body, axis, memo) for body in op.bodies(equation.params))


def _asks(function: Function, axis: NamedAxis, memo: Memo) -> bool:
    key = ("asks", function, axis.name)
    found = memo.table.get(key)
    if found is None:
        found = memo.table[key] = any(_talks(e, axis, memo) for e in function.equations)
    return bool(found)


def batch(
    function: Function,
    batched: Flags,
    force: Flags | None,
    size: int,
    memo: Memo,
    axis: NamedAxis | None = None,
) -> Batched:
    """`function` over a batch of `size`, with the axis in front of the flagged params and of the batched
    results.

    Results flagged in `force` are batched even if all elements are the same.
    """
    flags = force or (False,) * len(function.results)
    axis = axis if axis is not None and _asks(function, axis, memo) else None
    return memo.once(
        ("batch", function, batched, flags, size, axis),
        lambda: _batch(function, batched, flags, size, memo, axis),
    )


def _batch(function: Function, batched: Flags, force: Flags, size: int, memo: Memo, axis: NamedAxis | None) -> Batched:
    places = tuple([0 if flag else None for flag in batched])
    b, results, axes = _start(function, places, size, memo, axis)
    flags = tuple([f or a is not None for a, f in zip(axes, force, strict=True)])
    outs = [at_axis(b, r, a, size, 0) if f else r for r, a, f in zip(results, axes, flags, strict=True)]
    return Batched(_finish(b, function.name, outs), flags)


def vmap(
    function: Function,
    in_axes: Sequence[int | None],
    out_axes: Sequence[int | None],
    size: int,
    memo: Memo | None = None,
    name: str | None = None,
) -> Function:
    """`function` mapped over a new axis of `size`: at `in_axes[i]` of parameter i, at `out_axes[j]` of
    result j.

    None leaves a parameter unmapped; as an out axis it is only allowed where the result has no batch axis.
    Negative axes count from the end of the mapped value. Collectives over an axis of that `name` become
    reductions and moves along the new axis. Where an element decides sizes of its own, they are computed in turn.
    """
    places = tuple([front(a, p.type.rank) for a, p in zip(in_axes, function.params, strict=True)])
    named = None if name is None else NamedAxis(name)
    targets = [front(a, r.type.rank) for a, r in zip(out_axes, function.results, strict=True)]
    try:
        b, results, axes = _start(function, places, size, memo or Memo(), named)
    except CannotTransform as problem:
        alone = [target for target in targets if target is not None]
        if problem.problem is not Problem.OWN_SIZE or name is not None or len(alone) < len(targets):
            raise
        return in_turn(function, places, alone, size)
    outs: list[Atom] = []
    for result, axis, target in zip(results, axes, targets, strict=True):
        if target is None and axis is not None:
            raise CannotTransform(Problem.NO_AXIS, "vmap", "a result that differs between the elements needs an axis")
        outs.append(result if target is None else at_axis(b, result, axis, size, target))
    return _finish(b, function.name, outs)


def front(axis: int | None, rank: int) -> int | None:
    """An axis of a mapped value, whose element has `rank`, counted from the front."""
    if axis is None:
        return None
    if not -rank - 1 <= axis <= rank:
        raise IRTypeError(f"vmap: axis {axis} is out of range for rank {rank + 1}")
    return axis % (rank + 1)


def _start(
    function: Function, places: Axes, size: int, memo: Memo, axis: NamedAxis | None
) -> tuple[Builder, tuple[Atom, ...], Axes]:
    b = Builder()
    values: dict[Atom, Atom] = {}
    axes: dict[Var, int] = {}
    for p, place in zip(function.params, places, strict=True):
        if place is None:
            b.params.append(p)
        else:
            shape = (*p.type.shape[:place], size, *p.type.shape[place:])
            values[p] = b.param(Tensor(p.type.dtype, shape))
            axes[p] = place
    results, out_axes = push(b, function, values, axes, size, memo, axis)
    return b, results, out_axes


def _finish(b: Builder, name: str, outs: Sequence[Atom]) -> Function:
    return Function(name, tuple(b.params), tuple(live(b.equations, outs)), tuple(outs))
