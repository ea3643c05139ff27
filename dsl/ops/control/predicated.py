"""`lanes`: a `cond` under one or more batch axes. Every lane has its own index; its other branches do not
count.

A batched `cond` stays a region until it is expanded, since only the region knows which lanes took which
branch: a lane that did not take a branch must contribute nothing to the branch's derivative, not even nan.
The bodies are those of one lane. In the known half of a derivative, residuals of a branch are `owned` by it:
where no lane that shares the value takes the branch, it is a harmless constant. Given that, the unknown half
needs no region: it is the branches side by side, tangents of other lanes set to zero, and a selection.

Read next: `branch`, which makes these; `expand_lanes`, which ends them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import reduce
from itertools import chain, product
from typing import Any, cast

import numpy as np
from msgspec import Struct

from dsl.ir.build import Builder, IRTypeError
from dsl.ir.function import Atom, Function, Literal, Tensor, Var
from dsl.ir.op import Linear, RegionOp, Sample, Tangent
from dsl.ir.region import (
    Axes,
    BatchAxis,
    BatchBody,
    CannotTransform,
    Facts,
    Flags,
    FlowBody,
    JvpBody,
    Problem,
    PruneBody,
    Split,
    SplitBody,
    Tangents,
    TransposeBody,
)
from dsl.ir.sizes import decided_in
from dsl.ops.control.call import call
from dsl.ops.control.masking import masked
from dsl.ops.control.region_utils import build_function, check_signature, filling, function
from dsl.ops.control.signature import all_unknown, region
from dsl.ops.effects import is_noticed
from dsl.ops.elementwise import compare, convert, mul, select
from dsl.ops.flags import (
    any_of,
    cut,
    join_facts,
    merge_flagged,
    nonzero,
    others,
    present,
    scatter_flagged,
    select_flagged,
)
from dsl.ops.layout import at_axis, broadcast_in_dim, reduce_sum
from dsl.ops.rule_helpers import splat, zeros
from dsl.ops.zero_flow import CHOSEN, ZERO
from dsl.records import replace
from dsl.types.dtype import BOOL, F64, I32, DType

Lane = tuple[int, ...]
"""Which of the lane axes lead a value, in increasing order."""


class Owned(Struct, frozen=True):
    """A result of one branch alone: its lane axes, and whether ones or zeros stand where no lane takes it."""

    axes: Lane
    ones: bool


class LanesParams(Struct, frozen=True):
    """`branches` work on one lane; operand i has the lane axes `operands[i]` in front.

    Results that all branches have come first, with all lane axes; then what each branch owns.
    """

    branches: tuple[Function, ...]
    lanes: tuple[int, ...]
    operands: tuple[Lane, ...]
    owned: tuple[tuple[Owned, ...], ...]

    @property
    def shared(self) -> int:
        """How many results all branches have in common."""
        return len(self.branches[0].results) - len(self.owned[0])


def add_lane_axes(type: Tensor, axes: Lane, lanes: tuple[int, ...]) -> Tensor:
    """The type of an operand that has these lane axes in front."""
    return Tensor(type.dtype, (*[lanes[a] for a in axes], *type.shape))


def _every(lanes: Sequence[int]) -> Lane:
    return tuple(range(len(lanes)))


def _result_types(params: LanesParams) -> list[tuple[Tensor, ...]]:
    """The types of the results that all branches have, then of those of each branch."""
    lanes, shared = params.lanes, params.shared
    found = [tuple([add_lane_axes(t, _every(lanes), lanes) for t in params.branches[0].result_types[:shared]])]
    for branch, owned in zip(params.branches, params.owned, strict=True):
        own = branch.result_types[shared:]
        found.append(tuple([add_lane_axes(t, o.axes, lanes) for t, o in zip(own, owned, strict=True)]))
    return found


def _type(params: LanesParams, types: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
    lanes, shared = params.lanes, params.shared
    if not types or types[0].dtype not in (BOOL, I32) or types[0].shape != lanes:
        raise IRTypeError(f"lanes: the index is a bool or i32 of shape {lanes}")
    first = params.branches[0].result_types[:shared]
    for branch in params.branches:
        given = [add_lane_axes(p, a, lanes) for p, a in zip(branch.param_types, params.operands, strict=True)]
        if tuple(given) != types[1:] or branch.result_types[:shared] != first:
            check_signature("lanes", branch, types[1:])
    return tuple(chain(*_result_types(params)))


def _evaluate(recur: Any, params: LanesParams, index: Any, *xs: Any) -> Any:
    common, *types = _result_types(params)
    outs = [np.zeros(t.shape, t.dtype.numpy) for t in common]
    filled = [
        [np.full(t.shape, int(o.ones and t.dtype.is_inexact), t.dtype.numpy) for t, o in zip(own, owned, strict=True)]
        for own, owned in zip(types, params.owned, strict=True)
    ]
    count = len(params.branches)
    for lane in product(*map(range, params.lanes)):
        k = int(index[lane])
        k = k if 0 <= k < count else count - 1
        places = [tuple([lane[a] for a in axes]) for axes in params.operands]
        slices = [np.asarray(x[place]) for x, place in zip(xs, places, strict=True)]
        results = recur(params.branches[k], *slices)
        for out, result in zip(outs, results, strict=False):
            out[lane] = result
        for y, o, result in zip(filled[k], params.owned[k], results[len(outs) :], strict=True):
            y[tuple([lane[a] for a in o.axes])] = result
    return (*outs, *chain(*filled))


# --- jvp --------------------------------------------------------------------------------------------------


def _jvp(
    b: Builder, params: LanesParams, xs: tuple[Atom, ...], ts: Tangents, recur: JvpBody
) -> tuple[tuple[Atom, ...], Tangents]:
    flags, shared = nonzero(ts[1:]), params.shared
    first = [recur(f, flags).nonzero for f in params.branches]
    force = any_of([n[:shared] for n in first])
    flagged = [(*force, *n[shared:]) for n in first]
    bodies, owned = [], []
    for branch, mine, own in zip(params.branches, flagged, params.owned, strict=True):
        done = recur(branch, flags, mine).function
        primal, own_primal, rest = cut(done.results, shared, len(own))
        tangent, own_tangent = cut(rest, force.count(True))
        bodies.append(function(done, done.params, (*primal, *tangent, *own_primal, *own_tangent)))
        owned.append((*own, *[Owned(o.axes, False) for o in select_flagged(own, mine[shared:])]))
    operands = (*params.operands, *select_flagged(params.operands, flags))
    made = LanesParams(tuple(bodies), params.lanes, operands, tuple(owned))
    outs = LANES(b, made, *xs, *present(ts[1:]))
    groups = [force, *[m[shared:] for m in flagged]]
    found = cut(outs, *[count for f in groups for count in (len(f), f.count(True))])
    values, late = found[:-1:2], found[1::2]
    spread = [scatter_flagged(t, f, [y.type for y in x]) for t, f, x in zip(late, groups, values, strict=True)]
    return tuple(chain(*values)), tuple(chain(*spread))


# --- split ------------------------------------------------------------------------------------------------


def _split(
    known: Builder, unknown: Builder, params: LanesParams, xs: tuple[Atom, ...], flags: Flags, recur: SplitBody
) -> tuple[tuple[Atom, ...], Flags]:
    rest, shared = flags[1:], params.shared
    if flags[0]:
        return all_unknown(LANES, unknown, params, xs)
    force = any_of([recur(f, rest).out_unknown[:shared] for f in params.branches])
    splits = [recur(f, rest, (*force, *(False,) * len(o))) for f, o in zip(params.branches, params.owned, strict=True)]
    half, axes = _known_half(params, splits, others(params.operands, rest))
    given = others(xs[1:], rest)
    outs = LANES(known, half, xs[0], *given)
    early, remaining = cut(outs, force.count(False))
    late: list[list[Atom]] = []
    values: list[Atom] = []
    unknown_own: list[bool] = []
    for k, split in enumerate(splits):
        own = split.out_unknown[shared:]
        mine, extras, remaining = cut(remaining, own.count(False), len(half.owned[k]) - own.count(False))
        after = _Half(params, k, split, rest, axes[k]).emit(
            known, unknown, xs, (*given, *early, *mine, *extras), recur.batch
        )
        late.append(list(after[: force.count(True)]))
        values += merge_flagged(own, after[force.count(True) :], mine)
        unknown_own += own
    selected = [pick(unknown, xs[0], column) for column in zip(*late, strict=True)]
    return (*merge_flagged(force, selected, early), *values), (*force, *unknown_own)


def _known_half(
    params: LanesParams, splits: Sequence[Split], operands: tuple[Lane, ...]
) -> tuple[LanesParams, list[list[Lane]]]:
    """The region of the known half, and the lane axes of its operands and outputs, branch by branch."""
    every, shared = _every(params.lanes), params.shared
    owned, axes = [], []
    for split, own in zip(splits, params.owned, strict=True):
        known_own = others(own, split.out_unknown[shared:])
        extras = split.known.results[split.out_unknown.count(False) :]
        found = _lane_axes(split.known, operands)
        more = [Owned(found.get(r, ()) if isinstance(r, Var) else (), True) for r in extras]
        owned.append((*known_own, *more))
        early = [every] * split.out_unknown[:shared].count(False)
        axes.append([*operands, *early, *[o.axes for o in owned[-1]]])
    bodies = tuple([s.known for s in splits])
    return LanesParams(bodies, params.lanes, operands, tuple(owned)), axes


def _lane_axes(body: Function, operands: tuple[Lane, ...]) -> dict[Var, Lane]:
    """The lane axes that each var of a body depends on."""
    axes: dict[Var, Lane] = dict(zip(body.params, operands, strict=True))
    for equation in body.equations:
        found: set[int] = set()
        for x in equation.inputs:
            if isinstance(x, Var):
                found.update(axes.get(x, ()))
        for y in equation.outputs:
            axes[y] = tuple(sorted(found))
    return axes


class _Half(Struct, frozen=True):
    """The unknown half of branch k: for all lanes at once, as if all took the branch, with harmless
    residuals."""

    params: LanesParams
    k: int
    split: Split
    flags: Flags
    axes: Sequence[Lane]

    def emit(
        self, known: Builder, unknown: Builder, xs: tuple[Atom, ...], values: Sequence[Atom], batch: BatchAxis
    ) -> tuple[Atom, ...]:
        taken = is_taken(known, xs[0], self.k, len(self.params.branches))
        body = self.split.unknown
        tangent_axes = select_flagged(self.params.operands, self.flags)
        residual_axes = [self.axes[i] for i in self.split.residuals]
        operands = (
            *[self._guarded(known, taken, values[i], self.axes[i], i) for i in self.split.residuals],
            *[
                guard(unknown, taken, t, a, self.params.lanes, zeros(t.type))
                for t, a in zip(select_flagged(xs[1:], self.flags), tangent_axes, strict=True)
            ],
        )
        lanes = self.params.lanes
        results = [*[_every(lanes)] * self.shared, *self._owned_axes()]
        mapped = over_lanes(body, (*residual_axes, *tangent_axes), lanes, results, batch)
        return call(unknown, mapped, operands)

    @property
    def shared(self) -> int:
        """How many of the unknown results are those of all branches."""
        return self.split.out_unknown[: self.params.shared].count(True)

    def _owned_axes(self) -> list[Lane]:
        late = self.split.out_unknown[self.params.shared :]
        return [o.axes for o in select_flagged(self.params.owned[self.k], late)]

    def _guarded(self, b: Builder, taken: Atom, value: Atom, axes: Lane, place: int) -> Atom:
        """Residuals that the branch owns are harmless already; operands and shared results become so."""
        first = len(self.split.known.params) + self.split.out_unknown[: self.params.shared].count(False)
        if place >= first or not axes:
            return value
        return guard(b, taken, value, axes, self.params.lanes, filling(value.type))


def over_lanes(
    body: Function, axes: Sequence[Lane], lanes: tuple[int, ...], results: Sequence[Lane], batch: BatchAxis
) -> Function:
    """The function of one lane for all lanes at once; `results` are the lane axes of its results."""
    for axis in reversed(range(len(lanes))):
        mapped = tuple([axis in a for a in axes])
        body = batch(body, mapped, tuple([axis in a for a in results]), lanes[axis]).function
    return body


def is_taken(b: Builder, index: Atom, k: int, count: int) -> Atom:
    """Where the index chooses branch k; an index out of range chooses the last."""
    if index.type.dtype is BOOL:
        return index if k else compare(b, "eq", index, splat(0, index.type))
    if k < count - 1:
        return compare(b, "eq", index, splat(k, index.type))
    return compare(b, "ge", index, splat(k, index.type))


def pick(b: Builder, index: Atom, column: Sequence[Atom]) -> Atom:
    """Of the values of the branches, all lanes each, the one that the index of each lane chooses."""
    out = column[-1]
    for k in reversed(range(len(column) - 1)):
        taken = is_taken(b, index, k, len(column))
        out = select(b, spread_mask(b, taken, _every(index.type.shape), out.type), column[k], out)
    return out


def guard(b: Builder, taken: Atom, value: Atom, axes: Lane, lanes: tuple[int, ...], fill: Literal) -> Atom:
    """`value` where a lane that shares it took the branch, else `fill`."""
    missing = tuple([a for a in _every(lanes) if a not in axes])
    if missing:
        counts = reduce_sum(b, convert(b, taken, I32), missing)
        taken = compare(b, "gt", counts, splat(0, counts.type))
    return select(b, spread_mask(b, taken, tuple(range(len(axes))), value.type), value, fill)


def spread_mask(b: Builder, mask: Atom, dims: Sequence[int], type: Tensor) -> Atom:
    """A mask of lanes, broadcast to the shape of `type` along `dims`."""
    return broadcast_in_dim(b, mask, type.shape, dims)


# --- the other rules --------------------------------------------------------------------------------------


def _transpose(
    b: Builder, params: LanesParams, xs: tuple[Atom | Linear, ...], cts: Tangents, recur: TransposeBody
) -> tuple[Tangent | None, ...]:
    reason = "the branch of an element depends on a value that must be linear"
    raise CannotTransform(Problem.NOT_LINEAR, "cond", reason)


def _batch(
    b: Builder, params: LanesParams, xs: tuple[Atom, ...], axes: Axes, size: int, recur: BatchBody
) -> tuple[tuple[Atom, ...], Axes]:
    if recur.asks(*params.branches):
        return recur.inline(b, _every_lane(b, params, xs[0].type.dtype, recur), xs, axes)
    if axes[0] is not None:
        return _more_lanes(b, params, xs, axes, size)
    flags = tuple([a is not None for a in axes[1:]])
    operands = [
        x if a is None else at_axis(b, x, a, size, len(lane))
        for x, a, lane in zip(xs[1:], axes[1:], params.operands, strict=True)
    ]
    shared = params.shared
    first = [recur(f, flags).batched for f in params.branches]
    force = any_of([n[:shared] for n in first])
    done = [recur(f, flags, (*force, *n[shared:])) for f, n in zip(params.branches, first, strict=True)]
    made = replace(params, branches=tuple([d.function for d in done]))
    outs = LANES(b, made, xs[0], *operands)
    lane_counts = [len(params.lanes)] * shared + [len(o.axes) for own in params.owned for o in own]
    every = [*force, *[f for n in first for f in n[shared:]]]
    return outs, tuple([c if f else None for c, f in zip(lane_counts, every, strict=True)])


def _every_lane(b: Builder, params: LanesParams, index: DType, recur: BatchBody) -> Function:
    """All branches of all lanes, which elements of another axis compute together, since they ask each other there."""
    inner = Builder()
    inner.span = b.span
    pairs = zip(params.branches[0].param_types, params.operands, strict=True)
    types = [Tensor(index, params.lanes), *[add_lane_axes(t, a, params.lanes) for t, a in pairs]]
    return inner.finish("every_lane", expand_lanes(inner, params, tuple(map(inner.param, types)), recur.unnamed))


def _more_lanes(
    b: Builder, params: LanesParams, xs: tuple[Atom, ...], axes: Axes, size: int
) -> tuple[tuple[Atom, ...], Axes]:
    """The batch axis becomes the first lane axis."""
    moved = [x if a is None else at_axis(b, x, a, size, 0) for x, a in zip(xs, axes, strict=True)]
    operands = tuple(
        [
            (*((0,) if a is not None else ()), *[n + 1 for n in lane])
            for a, lane in zip(axes[1:], params.operands, strict=True)
        ]
    )
    owned = tuple([tuple([Owned((0, *[n + 1 for n in o.axes]), o.ones) for o in own]) for own in params.owned])
    made = LanesParams(params.branches, (size, *params.lanes), operands, owned)
    outs = LANES(b, made, *moved)
    return outs, (0,) * len(outs)


def _prune(params: LanesParams, used: Flags, recur: PruneBody) -> tuple[LanesParams, Flags, Flags]:
    shared = params.shared
    front, *own = cut(used, shared, *[len(o) for o in params.owned])[:-1]
    wanted = [(*front, *mine) for mine in own]
    keep = any_of([recur(f, w).kept for f, w in zip(params.branches, wanted, strict=True)])
    bodies = tuple([recur(f, w, keep).function for f, w in zip(params.branches, wanted, strict=True)])
    if all(new is old for new, old in zip(bodies, params.branches, strict=True)):
        return params, (True, *keep), used
    owned = tuple([select_flagged(o, w[shared:]) for o, w in zip(params.owned, wanted, strict=True)])
    return LanesParams(bodies, params.lanes, select_flagged(params.operands, keep), owned), (True, *keep), used


def _flow(params: LanesParams, facts: Facts, recur: FlowBody) -> tuple[LanesParams, Facts]:
    done = [recur(f, facts[1:]) for f in params.branches]
    shared = reduce(join_facts, [d.facts[: params.shared] for d in done])
    owned = [fact for d in done for fact in d.facts[params.shared :]]
    selected = tuple([fact | ZERO | CHOSEN for fact in (*shared, *owned)])
    return replace(params, branches=tuple([d.function for d in done])), selected


def _with_constants(params: LanesParams, bodies: Sequence[Function], count: int) -> LanesParams:
    return replace(params, branches=tuple(bodies), operands=(*[()] * count, *params.operands))


_SCALAR, _LANES = Tensor(F64), Tensor(F64, (3,))
_BRANCHES = (
    build_function("first", (_SCALAR, _SCALAR), lambda b, x, y: mul(b, x, y)),
    build_function("second", (_SCALAR, _SCALAR), lambda b, x, y: y),
)

LANES: RegionOp[LanesParams] = region(
    name="lanes",
    params=LanesParams,
    doc="In each lane, the results of the branch that the lane's index chooses: `cond` under batch axes.",
    bodies="branches",
    type_rule=_type,
    evaluate=_evaluate,
    jvp=_jvp,
    split=_split,
    transpose=_transpose,
    batch=_batch,
    prune=_prune,
    flow=_flow,
    samples=(Sample(LanesParams(_BRANCHES, (3,), ((0,), ()), ((), ())), (Tensor(BOOL, (3,)), _LANES, _SCALAR)),),
    admit=lambda b, params, bodies, xs, more, lengths: LANES(
        b, _with_constants(params, bodies, len(more)), xs[0], *more, *xs[1:]
    ),
    expand=lambda b, equation, batch: expand_lanes(b, cast(LanesParams, equation.params), equation.inputs, batch),
)


def expand_lanes(b: Builder, params: LanesParams, xs: tuple[Atom, ...], batch: BatchAxis) -> tuple[Atom, ...]:
    """All branches for all lanes, then a selection."""
    shared = params.shared
    columns: list[tuple[Atom, ...]] = []
    owned: list[Atom] = []
    for k, branch in enumerate(params.branches):
        results = [*[_every(params.lanes)] * shared, *[o.axes for o in params.owned[k]]]
        taken = is_taken(b, xs[0], k, len(params.branches))
        axes, operands = params.operands, xs[1:]
        if is_noticed(branch, {}):
            branch, axes, operands = masked(branch), (_every(params.lanes), *axes), (taken, *operands)
        outs = call(b, over_lanes(branch, axes, params.lanes, results, batch), operands)
        columns.append(outs[:shared])
        owned += _owned_values(b, params, params.owned[k], outs[shared:], taken)
    picked = [pick(b, xs[0], column) for column in zip(*columns, strict=True)]
    return (*picked, *owned)


def _owned_values(
    b: Builder, params: LanesParams, owned: Iterable[Owned], values: Iterable[Atom], taken: Atom
) -> list[Atom]:
    return [
        guard(b, taken, v, o.axes, params.lanes, filling(v.type) if o.ones else zeros(v.type))
        for o, v in zip(owned, values, strict=True)
    ]


def lanes_of_cond(
    b: Builder,
    bodies: Sequence[Function],
    size: int,
    index: Atom,
    operands: Sequence[Atom],
    flags: Flags,
    recur: BatchBody,
) -> tuple[Atom, ...]:
    """A `cond` whose index has one batch axis, in front; so have the flagged operands. Bodies are unbatched. Those that
    decide sizes cannot be computed together; those in which elements ask each other must be."""
    if any(map(decided_in, bodies)):
        raise CannotTransform(Problem.OWN_SIZE, "cond", "each element of a batch decides a size of its own")
    lanes = tuple([(0,) if f else () for f in flags])
    params = LanesParams(tuple(bodies), (size,), lanes, ((),) * len(bodies))
    if recur.asks(*bodies):
        xs = (index, *operands)
        return expand_lanes(b, params, xs, lambda body, batched, force, count: recur(body, batched, force))
    return LANES(b, params, index, *operands)
