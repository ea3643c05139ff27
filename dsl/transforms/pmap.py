"""Mapping over an axis whose elements may lie on several devices: as `vmap`, of which it is the equal on one device.

What is mapped becomes a `shard` with one part for each element. Read next: `dsl.ops.control.shard`.
"""

from __future__ import annotations

from collections.abc import Sequence

from dsl.ir.build import Builder
from dsl.ir.function import Atom, Function, Tensor
from dsl.ir.region import CannotTransform, NamedAxis, Problem
from dsl.ops.bits import logical_not
from dsl.ops.collective import speaks
from dsl.ops.control.branch import CondParams
from dsl.ops.control.call import call
from dsl.ops.control.shard import SHARD, ShardParams, whole
from dsl.ops.elementwise import compare, select
from dsl.ops.layout import reshape
from dsl.ops.rule_helpers import splat
from dsl.transforms.memo import Memo
from dsl.transforms.partial_eval import rename
from dsl.transforms.region_map import map_bodies
from dsl.transforms.vmap import batch, front
from dsl.types.dtype import BOOL


def pmap(
    function: Function,
    in_axes: Sequence[int | None],
    out_axes: Sequence[int | None],
    size: int,
    memo: Memo | None = None,
    name: str | None = None,
) -> Function:
    """`function` mapped over a new axis of `size`, as `vmap` with the same arguments maps it."""
    axis = NamedAxis(name or "")
    function = choosing_together(function)
    sources = tuple([front(a, p.type.rank) for a, p in zip(in_axes, function.params, strict=True)])
    targets = tuple([front(a, r.type.rank) for a, r in zip(out_axes, function.results, strict=True)])
    differs = batch(function, tuple([a is not None for a in sources]), None, size, memo or Memo(), axis).batched
    if any(d and a is None for d, a in zip(differs, targets, strict=True)):
        reason = "a result that differs between the elements needs an axis"
        raise CannotTransform(Problem.NO_AXIS, "pmap", reason)
    b = Builder()
    body = _of_parts(function, sources, targets)
    own = [b.param(whole(p, a, size)) for p, a in zip(body.param_types, sources, strict=True)]
    outs = SHARD(b, ShardParams(body, axis.name, size, sources, targets), *own)
    return b.finish(function.name, outs)


def _of_parts(function: Function, sources: Sequence[int | None], targets: Sequence[int | None]) -> Function:
    """`function` of one element, of parts that have an axis of size one there."""
    b = Builder()
    elements: list[Atom] = []
    for p, axis in zip(function.params, sources, strict=True):
        shape = p.type.shape
        if axis is None:
            elements.append(b.param(p.type))
        else:
            part = b.param(Tensor(p.type.dtype, (*shape[:axis], 1, *shape[axis:])))
            elements.append(reshape(b, part, shape))
    results: list[Atom] = []
    for y, axis in zip(call(b, function, elements), targets, strict=True):
        shape = y.type.shape
        results.append(y if axis is None else reshape(b, y, (*shape[:axis], 1, *shape[axis:])))
    return b.finish(function.name, results)


# --- choices between branches that speak ------------------------------------------------------------------


def choosing_together(function: Function, memo: Memo | None = None) -> Function:
    """`function` with all branches computed, and then chosen from, where these speak with other elements: so a
    derivative sees that every element takes part in what is said."""
    table = memo or Memo()
    if not speaks(function):
        return function
    return table.once(("choosing together", function), lambda: _choosing_together(function, table))


def _choosing_together(function: Function, memo: Memo) -> Function:
    b = Builder()
    values: dict[Atom, Atom] = {}
    for equation in function.equations:
        moved = rename(equation, values)
        b.span = equation.span
        params = map_bodies(moved, lambda body: choosing_together(body, memo))
        if isinstance(params, CondParams) and any(map(speaks, params.branches)):
            outs = _chosen(b, params, moved.inputs)
        else:
            outs = b.emit(moved.op, params, moved.inputs)
        values.update(zip(equation.outputs, outs, strict=True))
    results = tuple([values.get(r, r) for r in function.results])
    return Function(function.name, function.params, tuple(b.equations), results)


def _chosen(b: Builder, params: CondParams, inputs: tuple[Atom, ...]) -> tuple[Atom, ...]:
    index, *operands = inputs
    *earlier, last = [call(b, branch, operands) for branch in params.branches]
    found = last
    for number, outs in reversed(list(enumerate(earlier))):
        wanted = splat(number, index.type)
        mine = logical_not(b, index) if index.type.dtype is BOOL else compare(b, "eq", index, wanted)
        found = tuple([select(b, mine, x, y) for x, y in zip(outs, found, strict=True)])
    return found
