"""Vectorisation. Carrier: the batch axis of each var that has one. Rule table: `batch` of the ops. Driver:
`push`.

What does not depend on a mapped parameter stays as it is, computed once, except that collectives over the
axis being mapped become what all elements together do. Bodies of region ops are batched
with the axis in front. Knows no op, except to move and spread axes. Read next: `dsl.ops.layout`.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from dsl.ir.build import Builder, IRTypeError
from dsl.ir.function import Atom, Equation, Function, Tensor, Var
from dsl.ir.op import Op
from dsl.ir.region import Axes, Batched, CannotTransform, Flags, NamedAxis, Problem
from dsl.ops.effects import has_effect, is_ordered
from dsl.ops.layout import at_axis
from dsl.ops.named_axes import axis_of
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
        return _collective(b, equation, inputs, axes, axis)
    if has_effect(equation, memo.effects) and is_ordered(equation, memo.ordered):
        raise CannotTransform(Problem.BATCHED_EFFECT, op.name, NO_EFFECT, equation.span)
    if isinstance(op, Op):
        return op.batch(b, equation.params, inputs, axes, size)
    try:
        return op.batch(b, equation.params, inputs, axes, size, Batcher(size, memo, axis))
    except CannotTransform as problem:
        problem.span = problem.span or equation.span
        raise


def _collective(
    b: Builder, equation: Equation, inputs: tuple[Atom, ...], axes: Axes, axis: NamedAxis
) -> tuple[tuple[Atom, ...], Axes]:
    """A collective over the mapped axis: what all elements do together, on this device or on all."""
    op = equation.op
    assert isinstance(op, Op)
    if axis.devices > 1 and op.spread is not None:
        return op.spread(b, equation, inputs, axes, axis)
    assert op.along is not None
    return op.along(b, equation.params, inputs, axes)


class Batcher(Struct, frozen=True):
    """Batches bodies for the rule of a region op."""

    size: int
    memo: Memo
    axis: NamedAxis | None

    def __call__(self, body: Function, batched: Flags, force: Flags | None = None, /) -> Batched:
        return batch(body, batched, force, self.size, self.memo, self.axis)

    def asks(self, *bodies: Function) -> bool:
        """Return whether the elements of the mapped axis ask each other in these bodies."""
        axis = self.axis
        return axis is not None and any(_asks(body, axis, self.memo) for body in bodies)

    def unnamed(self, body: Function, batched: Flags, force: Flags, size: int, /) -> Batched:
        """Return a body over another axis, whose elements do not ask each other."""
        return batch(body, batched, force, size, self.memo)

    def inline(
        self, b: Builder, body: Function, inputs: tuple[Atom, ...], axes: Axes, /
    ) -> tuple[tuple[Atom, ...], Axes]:
        """Emit a body over inputs with these batch axes."""
        values: dict[Atom, Atom] = dict(zip(body.params, inputs, strict=True))
        places = {p: a for p, a in zip(body.params, axes, strict=True) if a is not None}
        return push(b, body, values, places, self.size, self.memo, self.axis)


def _acts(equation: Equation, memo: Memo) -> bool:
    """Return whether each element does something here, in no order, though it is the same for all."""
    return has_effect(equation, memo.effects) and not is_ordered(equation, memo.ordered)


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
