"""A function on equal parts of its operands: `shard` over a mesh, and `pmap`, of which each element is a part.

Both are as maps over the parts, of which they are the equal on one device. Read next: `dsl.ops.sharding.shard`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import count

from dsl.ir.build import Builder
from dsl.ir.function import Atom, Function, Tensor
from dsl.ir.region import Axes, CannotTransform, NamedAxis, Problem
from dsl.ir.walk import equations
from dsl.ops.bits import logical_not
from dsl.ops.control.branch import CondParams
from dsl.ops.control.call import call
from dsl.ops.elementwise import compare, select
from dsl.ops.layout import reshape
from dsl.ops.named_axes import NamedAxisParams, speaks
from dsl.ops.rule_helpers import splat
from dsl.ops.sharding.parts import Cuts, whole_type
from dsl.ops.sharding.shard import SHARD, ShardParams
from dsl.ops.sharding.with_sharding import WITH_SHARDING
from dsl.transforms.memo import Memo
from dsl.transforms.partial_eval import rename
from dsl.transforms.region_map import map_bodies
from dsl.transforms.vmap import batch, front
from dsl.types.dtype import BOOL

Mesh = tuple[NamedAxisParams, ...]


def shard(function: Function, mesh: Mesh, in_cuts: Cuts, out_cuts: Cuts, memo: Memo | None = None) -> Function:
    """`function` of one part as one of the arrays that its parameters and results are parts of."""
    for axis in _undecided(function, mesh, in_cuts, out_cuts, memo):
        reason = f"a result differs along the axis `{axis.name}`, and is not cut along it"
        raise CannotTransform(Problem.NOT_CUT, axis.name, reason)
    return _cut_up(function, mesh, in_cuts, out_cuts)


def pmap(
    function: Function,
    in_axes: Sequence[int | None],
    out_axes: Sequence[int | None],
    size: int,
    memo: Memo | None = None,
    name: str | None = None,
) -> Function:
    """`function` mapped over a new axis of `size`, as `vmap` with the same arguments maps it."""
    sources = tuple([front(a, p.type.rank) for a, p in zip(in_axes, function.params, strict=True)])
    targets = tuple([front(a, r.type.rank) for a, r in zip(out_axes, function.results, strict=True)])
    mesh = (NamedAxisParams(name or _unused_name(function), size),)
    in_cuts, out_cuts = tuple([(a,) for a in sources]), tuple([(a,) for a in targets])
    for _ in _undecided(function, mesh, in_cuts, out_cuts, memo):
        reason = "a result that differs between the elements needs an axis"
        raise CannotTransform(Problem.NO_AXIS, "pmap", reason)
    return _cut_up(_of_parts(function, sources, targets), mesh, in_cuts, out_cuts)


def _unused_name(function: Function) -> str:
    """A name that no axis in the function has."""
    meshes = [e.params.mesh for e in equations(function) if isinstance(e.params, ShardParams)]
    used = {axis.name for mesh in meshes for axis in mesh}
    return next(name for name in map(" {}".format, count()) if name not in used)


def _undecided(
    function: Function, mesh: Mesh, in_cuts: Cuts, out_cuts: Cuts, memo: Memo | None
) -> Iterator[NamedAxisParams]:
    """The axes of the mesh along which a result differs that is not cut there."""
    for k, axis in enumerate(mesh):
        flags = tuple([cut[k] is not None for cut in in_cuts])
        differs = batch(function, flags, None, axis.size, memo or Memo(), NamedAxis(axis.name)).batched
        if any(d and cut[k] is None for d, cut in zip(differs, out_cuts, strict=True)):
            yield axis


def _cut_up(function: Function, mesh: Mesh, in_cuts: Cuts, out_cuts: Cuts) -> Function:
    for equation in equations(function):
        if equation.op is WITH_SHARDING:
            reason = "it says how a whole array lies, and there are only parts"
            raise CannotTransform(Problem.IN_PART, WITH_SHARDING.name, reason, equation.span)
    params = ShardParams(choosing_together(function), mesh, in_cuts, out_cuts)
    b = Builder()
    given = zip(function.param_types, in_cuts, strict=True)
    own = [b.param(whole_type(p, cut, params.sizes)) for p, cut in given]
    return b.finish(function.name, SHARD(b, params, *own))


def _of_parts(function: Function, sources: Axes, targets: Axes) -> Function:
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
