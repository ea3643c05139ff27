"""`cond`: one of several bodies, chosen by a scalar at run time; only that one runs, in every derivative too.

The residuals of all branches are outputs of the known half, in slots that branches share where types agree; a
branch fills the slots that are not its own with constants. A `cond` whose index is batched becomes `lanes`.
Read next: `predicated`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from msgspec import Struct

from dsl.ir.build import Builder, IRTypeError
from dsl.ir.columns import States, joined
from dsl.ir.function import Atom, Function, Tensor, Var
from dsl.ir.op import RegionOp, Sample
from dsl.ir.region import Axes, BatchBody, Flags, Split, SplitBody
from dsl.ir.work import largest
from dsl.ops.control.predicated import lanes_of_cond
from dsl.ops.control.region_utils import (
    build_function,
    check_results,
    check_signature,
    filling,
    function,
    move_batch_to_front,
)
from dsl.ops.control.signature import CHOSEN_BY_INDEX, Origins, all_unknown, batch_alike, region, settled
from dsl.ops.elementwise import mul, neg
from dsl.ops.flags import has_batch_axis, merge_flagged, others, select_flagged
from dsl.ops.layout import reduce_sum
from dsl.types.dtype import BOOL, F64, I32


class CondParams(Struct, frozen=True):
    """The index is an i32 in `range(len(branches))`, or a bool that chooses between (if false, if true)."""

    branches: tuple[Function, ...]

    signature = CHOSEN_BY_INDEX

    @property
    def alike(self) -> tuple[Function, ...]:
        """All branches."""
        return self.branches

    def remade(self, bodies: Sequence[Function], origins: Origins | None = None, /) -> CondParams:
        """Return the choice between other branches."""
        return CondParams(tuple(bodies))


def _type(params: CondParams, types: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
    if not types or types[0] not in (Tensor(BOOL), Tensor(I32)):
        raise IRTypeError("cond: the index is a scalar bool or i32")
    if not params.branches or (types[0].dtype is BOOL and len(params.branches) != 2):
        raise IRTypeError(f"cond: {len(params.branches)} branches for an index of type {types[0]}")
    results = params.branches[0].result_types
    for branch in params.branches:
        check_signature("cond", branch, types[1:])
        check_results("cond", branch, results)
    return results


def _evaluate(recur: Any, params: CondParams, index: Any, *xs: Any) -> Any:
    chosen_one = int(index)
    inside = 0 <= chosen_one < len(params.branches)
    return recur(params.branches[chosen_one if inside else -1], *xs)


# --- split ------------------------------------------------------------------------------------------------


def _split(
    known: Builder, unknown: Builder, params: CondParams, xs: tuple[Atom, ...], flags: Flags, recur: SplitBody
) -> tuple[tuple[Atom, ...], Flags]:
    if flags[0]:
        return all_unknown(COND, unknown, params, xs)
    index, operands, rest = xs[0], xs[1:], flags[1:]
    splits, _, force = settled(params, rest, recur.lean, lambda made: made.out_unknown)
    types, slots = _slots(splits)
    given = others(operands, rest)
    bodies = tuple([_known_branch(s, mine, types) for s, mine in zip(splits, slots, strict=True)])
    outs = COND(known, CondParams(bodies), index, *given)
    places = [_places(s, mine) for s, mine in zip(splits, slots, strict=True)]
    shared = list(dict.fromkeys([p for mine in places for p in mine]))
    late = tuple([_unknown_branch(s, mine, shared, (*given, *outs)) for s, mine in zip(splits, places, strict=True)])
    passed = [(*given, *outs)[p] for p in shared]
    tangents = COND(unknown, CondParams(late), index, *passed, *select_flagged(operands, rest))
    return merge_flagged(force, tangents, outs[: force.count(False)]), force


def _extras(split: Split) -> tuple[Atom, ...]:
    return split.known.results[split.out_unknown.count(False) :]


def _slots(splits: Sequence[Split]) -> tuple[list[Tensor], list[list[int]]]:
    """Types of the slots, and for each branch the slot of each of its own residuals."""
    types: list[Tensor] = []
    slots: list[list[int]] = []
    for split in splits:
        free: dict[Tensor, list[int]] = {}
        for place in reversed(range(len(types))):
            free.setdefault(types[place], []).append(place)
        mine: list[int] = []
        for residual in _extras(split):
            room = free.get(residual.type)
            if not room:
                types.append(residual.type)
            mine.append(room.pop() if room else len(types) - 1)
        slots.append(mine)
    return types, slots


def _known_branch(split: Split, slots: list[int], types: list[Tensor]) -> Function:
    filled: list[Atom] = [filling(t) for t in types]
    for slot, residual in zip(slots, _extras(split), strict=True):
        filled[slot] = residual
    results = split.known.results[: split.out_unknown.count(False)]
    return function(split.known, split.known.params, (*results, *filled))


def _places(split: Split, slots: list[int]) -> list[int]:
    """Where each residual is among the known operands and the outputs of the known half."""
    first = len(split.known.params) + split.out_unknown.count(False)
    return [i if i < first else first + slots[i - first] for i in split.residuals]


def _unknown_branch(split: Split, places: list[int], shared: list[int], values: Sequence[Atom]) -> Function:
    count = len(split.residuals)
    own = dict(zip(places, split.unknown.params[:count], strict=True))
    params = [own.get(p) or Var(values[p].type) for p in shared]
    return function(split.unknown, (*params, *split.unknown.params[count:]), split.unknown.results)


# --- the other rules --------------------------------------------------------------------------------------


def _batch(
    b: Builder, params: CondParams, xs: tuple[Atom, ...], axes: Axes, size: int, recur: BatchBody
) -> tuple[tuple[Atom, ...], Axes]:
    if axes[0] is None:
        return batch_alike(COND, b, params, xs, axes, size, recur)
    flags = has_batch_axis(axes[1:])
    operands = move_batch_to_front(b, xs[1:], axes[1:], flags, size)
    outs = lanes_of_cond(b, params.branches, size, xs[0], operands, flags, recur)
    return outs, (0,) * len(outs)


def _follow(params: CondParams, states: States, recur: Callable[[Function, States], States]) -> States:
    found = [recur(f, states[1:]) for f in params.branches]
    types = params.branches[0].result_types
    return tuple([joined([each[k] for each in found], t.size) for k, t in enumerate(types)])


_PAIR = (Tensor(F64, (3,)), Tensor(F64))
_BRANCHES = (
    build_function("first", _PAIR, lambda b, x, y: (neg(b, x), y)),
    build_function("second", _PAIR, lambda b, x, y: (mul(b, x, x), mul(b, y, reduce_sum(b, x, (0,))))),
    build_function("third", _PAIR, lambda b, x, y: (x, mul(b, y, y))),
)

COND: RegionOp[CondParams] = region(
    name="cond",
    params=CondParams,
    doc="The results of the branch that the scalar index chooses, on the other operands. Only it runs.",
    bodies="branches",
    type_rule=_type,
    evaluate=_evaluate,
    split=_split,
    batch=_batch,
    follow=_follow,
    work=lambda params, works: largest(works),
    admit=lambda b, params, bodies, xs, more, lengths: COND(b, CondParams(tuple(bodies)), xs[0], *more, *xs[1:]),
    samples=(
        Sample(CondParams(_BRANCHES[:2]), (Tensor(BOOL), *_PAIR)),
        Sample(CondParams(_BRANCHES), (Tensor(I32), *_PAIR), (0.0, 3.0)),
    ),
)
