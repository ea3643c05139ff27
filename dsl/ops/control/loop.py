"""`while`: a loop that runs as long as a condition holds, or at most `limit` times.

Without a limit there is no reverse mode, since nothing bounds the residuals: its split keeps on the known
side what does not depend on unknown values, and repeats the whole loop on the unknown side. With a limit, the
known half stacks the residuals of the steps that are taken and counts these; the unknown half is a scan over as
many. A large limit is cut in chunks before, and large residuals are computed again. Batched, it runs until every
lane is done; a lane that is done keeps its value through `lanes`. Read next: `chunks`, `kept_steps`, `predicated`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, cast

import numpy as np

from dsl.ir.build import Builder, IRTypeError
from dsl.ir.function import Atom, Equation, Function, Tensor, Var
from dsl.ir.op import Lengths, Linear, RegionOp, Sample, Tangent
from dsl.ir.region import (
    Axes,
    BatchAxis,
    BatchBody,
    Batched,
    CannotTransform,
    Facts,
    Flags,
    FlowBody,
    Problem,
    PruneBody,
    Split,
    SplitBody,
    Tangents,
    TransposeBody,
)
from dsl.ir.work import repeated, total
from dsl.ops.collective import PMAX
from dsl.ops.control.branch import COND, CondParams
from dsl.ops.control.call import call
from dsl.ops.control.chunks import computed_again, is_computed_again, kept_at_once, split_in_chunks
from dsl.ops.control.kept_steps import Kept, keep
from dsl.ops.control.region_utils import build_function, check_results, check_signature, function, move_batch_to_front
from dsl.ops.control.scan import COUNT, counted_scan
from dsl.ops.control.signature import (
    all_unknown,
    flow_alike,
    idle,
    prune_alike,
    region,
    settled,
)
from dsl.ops.control.while_params import WhileParams, with_steps
from dsl.ops.effects import is_noticed, silent
from dsl.ops.elementwise import add, compare, convert, mul, select
from dsl.ops.flags import cut, either, has_batch_axis, merge_flagged, others, select_flagged
from dsl.ops.named_axes import NamedAxisParams, of_devices, spoken_axes
from dsl.ops.reduce import reduce_or
from dsl.ops.rule_helpers import splat, zeros
from dsl.records import replace
from dsl.types.dtype import BOOL, F64, I32

NO_REVERSE = "the number of steps of this loop has no bound, so its steps cannot be kept for the way back"


def _type(params: WhileParams, types: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
    tests, consts, carry = cut(types, params.cond_consts, params.body_consts)
    check_signature("while", params.cond, (*tests, *carry))
    check_results("while", params.cond, (Tensor(BOOL),))
    check_signature("while", params.body, (*consts, *carry))
    outputs = params.body.result_types[len(carry) :]
    check_results("while", params.body, (*carry, *outputs))
    if params.limit is None:
        if outputs:
            raise IRTypeError("while: there are outputs, and no limit")
        return carry
    if params.limit < 0:
        raise IRTypeError(f"while: the limit {params.limit} is negative")
    return (*carry, *[Tensor(t.dtype, (params.limit, *t.shape)) for t in outputs])


def _evaluate(recur: Any, params: WhileParams, *xs: Any) -> Any:
    tests, consts, carry = cut(xs, params.cond_consts, params.body_consts)
    types = params.body.result_types[params.carry :]
    ys = [np.zeros((params.limit or 0, *t.shape), t.dtype.numpy) for t in types]
    steps = 0
    while (params.limit is None or steps < params.limit) and bool(recur(params.cond, *tests, *carry)[0]):
        carry, outs = cut(tuple(recur(params.body, *consts, *carry)), params.carry)
        for y, out in zip(ys, outs, strict=True):
            y[steps] = out
        steps += 1
    return (*carry, *ys)


# --- split ------------------------------------------------------------------------------------------------


def _split(
    known: Builder, unknown: Builder, params: WhileParams, xs: tuple[Atom, ...], flags: Flags, recur: SplitBody
) -> tuple[tuple[Atom, ...], Flags]:
    if params.limit is not None:
        return _split_limited(known, unknown, params, xs, flags, recur)
    tests, _, _ = cut(flags, params.cond_consts, params.body_consts)
    (done,), late, carry = settled(params, flags[len(tests) :], recur, lambda made: made.out_unknown)
    consts = late[: params.body_consts]
    test = recur(params.cond, (*tests, *carry))
    if test.out_unknown[0] or all(carry):
        return all_unknown(WHILE, unknown, params, xs)
    outs = WHILE(unknown, replace(params, body=_silent(params.body)), *xs)
    early = _known_loop(known, replace(params, cond=test.known), done, xs, consts, carry)
    found = iter(early)
    return tuple([y if u else next(found) for y, u in zip(outs, carry, strict=True)]), carry


def _silent(body: Function) -> Function:
    """The known side has the effects of the loop."""
    return Function(body.name, body.params, silent(body.equations), body.results)


def _known_loop(
    b: Builder, params: WhileParams, split: Split, xs: tuple[Atom, ...], consts: Flags, carry: Flags
) -> tuple[Atom, ...]:
    """The loop over the known part of the carry."""
    tests, operands, init = cut(xs, params.cond_consts, params.body_consts)
    body = function(split.known, split.known.params, split.known.results[: carry.count(False)])
    made = replace(params, body=body, body_consts=consts.count(False))
    return WHILE(b, made, *tests, *others(operands, consts), *others(init, carry))


def _split_limited(
    known: Builder, unknown: Builder, params: WhileParams, xs: tuple[Atom, ...], flags: Flags, recur: SplitBody
) -> tuple[tuple[Atom, ...], Flags]:
    """The known half stacks what the other needs of each step, and counts the steps: the other is a scan over these."""
    limit = params.limit
    assert limit is not None
    if limit == 0:
        none = [zeros(t) for t in _type(params, tuple([x.type for x in xs]))[params.carry :]]
        first = params.cond_consts + params.body_consts
        return (*xs[first:], *none), (*flags[first:], *(False,) * len(none))
    if axes := spoken_axes((params.cond, params.body)):
        params, count = _together(params, axes), params.cond_consts
        xs, flags = (*xs[:count], *xs), (*flags[:count], *flags)
    tests, count = flags[: params.cond_consts], params.carry
    kept, late = _kept(params, flags, recur)
    carry = late[params.body_consts : -1]
    test = recur(with_steps(params, COUNT).cond, (*tests, *carry, False))
    if test.out_unknown[0]:
        return all_unknown(WHILE, unknown, params, xs)
    if not params.outputs and limit > kept_at_once(kept.size):
        if is_computed_again(params, carry, kept.size):
            params = computed_again(params)
            kept, late = _kept(params, flags, recur)
        if limit > (at_once := kept_at_once(kept.size)):
            return split_in_chunks(WHILE, known, unknown, params, xs, flags, recur, at_once)
    done, operands = kept.split, (*xs[len(tests) :], splat(0, COUNT))
    tested, given = others(xs[: len(tests)], tests), others(operands, late)

    def run(b: Builder, body: Function, number: int, operands: Sequence[Atom]) -> tuple[Atom, ...]:
        made = WhileParams(test.known, body, len(tested), number, limit)
        return WHILE(b, made, *tested, *operands)

    early, residuals = kept.run(known, given, run)
    taken = early[carry.count(False)]
    after = kept.run_late(unknown, residuals, operands, counted_scan(limit, taken, carry.count(True)))
    results = merge_flagged(done.out_unknown, after, early)
    return (*results[:count], *results[count + 1 :]), (*carry, *done.out_unknown[count + 1 :])


def _kept(params: WhileParams, flags: Flags, recur: SplitBody) -> tuple[Kept, Flags]:
    """The halves of the loop that counts its steps, and which of the operands of its body are unknown."""
    counting = with_steps(params, COUNT)
    (done,), late, _ = settled(counting, (*flags[params.cond_consts :], False), recur, lambda made: made.out_unknown)
    return keep(done, counting.signature, late), late


def _together(params: WhileParams, axes: Sequence[NamedAxisParams]) -> WhileParams:
    """Return the loop in which elements of these axes communicate: all take part while the condition of one holds, and
    those whose own condition is false keep their carry."""

    def choose(b: Builder, active: Atom, branches: Sequence[Function], xs: Sequence[Atom]) -> list[Atom]:
        kept, changed = [call(b, branch, xs) for branch in branches]
        return [select(b, active, y, x) for x, y in zip(kept, changed, strict=True)]

    return replace(_each_chooses(params, choose), cond=_anywhere(params.cond, axes))


def _anywhere(condition: Function, axes: Sequence[NamedAxisParams]) -> Function:
    """Return the condition that a condition holds for any element of these axes."""
    b = Builder()
    (here,) = call(b, condition, [b.param(p.type) for p in condition.params])
    most = convert(b, here, I32)
    for axis in axes:
        (most,) = PMAX(b, axis, most)
    return b.finish(condition.name, (compare(b, "gt", most, splat(0, most.type)),))


Choose = Callable[[Builder, Atom, Sequence[Function], Sequence[Atom]], Sequence[Atom]]
"""Emits a choice between two branches."""


def _choose_one(b: Builder, index: Atom, branches: Sequence[Function], xs: Sequence[Atom]) -> tuple[Atom, ...]:
    return COND(b, CondParams(tuple(branches)), index, *xs)


def _each_chooses(params: WhileParams, choose: Choose = _choose_one) -> WhileParams:
    """Return the loop whose body keeps the carry where the condition is false. The constants of `cond` are also those
    of `body`, and come first."""
    b = Builder()
    tests = [b.param(p.type) for p in params.cond.params[: params.cond_consts]]
    xs = [b.param(p.type) for p in params.body.params]
    (active,) = call(b, params.cond, (*tests, *xs[params.body_consts :]))
    body = b.finish(params.body.name, choose(b, active, (idle(params), params.body), xs))
    return replace(params, body=body, body_consts=params.cond_consts + params.body_consts)


# --- the other rules --------------------------------------------------------------------------------------


def _transpose(
    b: Builder, params: WhileParams, xs: tuple[Atom | Linear, ...], cts: Tangents, recur: TransposeBody
) -> tuple[Tangent | None, ...]:
    raise CannotTransform(Problem.UNBOUNDED_REVERSE, "while", NO_REVERSE)


def _batch(
    b: Builder, params: WhileParams, xs: tuple[Atom, ...], axes: Axes, size: int, recur: BatchBody
) -> tuple[tuple[Atom, ...], Axes]:
    count = params.cond_consts
    tests = has_batch_axis(axes[:count])

    def make(body: Function, flags: Flags, force: Flags) -> tuple[bool, Batched]:
        own = recur(params.cond, (*tests, *flags[params.body_consts :])).batched[0]
        return own, recur(body, flags, force)

    ((own, body),), flags, force = settled(params, has_batch_axis(axes[count:]), make, lambda made: made[1].batched)
    if own:
        return _batch_each(b, params, xs, axes, flags, size, recur)
    operands = move_batch_to_front(b, xs, axes, (*tests, *flags), size)
    cond = recur(params.cond, (*tests, *flags[params.body_consts :])).function
    outs = WHILE(b, replace(params, cond=cond, body=body.function), *operands)
    places = (*(0,) * params.carry, *(1,) * params.outputs)
    return outs, tuple([place if f else None for place, f in zip(places, force, strict=True)])


def _batch_each(
    b: Builder, params: WhileParams, xs: tuple[Atom, ...], axes: Axes, flags: Flags, size: int, recur: BatchBody
) -> tuple[tuple[Atom, ...], Axes]:
    """Every lane decides for itself: the loop runs while one is active, on any device if elements ask each other there,
    and the others keep their values. What is the same in all lanes that still run, by the flags, is carried once more,
    for those: a counter, so that all write to one place."""
    tests, consts = has_batch_axis(axes[: params.cond_consts]), flags[: params.body_consts]
    asks = recur.asks(params.cond, params.body)
    common = tuple([not f and not asks for f in flags[params.body_consts :]])
    carry = (True,) * params.carry
    each = _each_chooses(params) if not any(common) else _each_follows(params, common)
    cond = _any_lane(recur(params.cond, (*tests, *carry)).function, each.body.param_types[len(flags) + len(tests) :])
    if recur.axis is not None and recur.axis.devices > 1 and asks:
        cond = _anywhere(cond, (of_devices(recur.axis),))
    again = (False,) * common.count(True)
    body = recur(each.body, (*tests, *consts, *carry, *again), (*carry, *again, *(True,) * params.outputs)).function
    start = select_flagged(xs[len(axes) - params.carry :], common)
    operands = move_batch_to_front(b, xs, axes, (*tests, *consts, *carry), size)
    outs = WHILE(b, replace(each, cond=cond, body=body), *operands[: len(tests)], *operands, *start)
    last, _, ys = cut(outs, params.carry, len(start))
    return (*last, *ys), (*(0,) * params.carry, *(1,) * params.outputs)


def _any_lane(test: Function, more: Sequence[Tensor]) -> Function:
    """Return the condition that a condition of all lanes holds for one, with more parameters."""
    b = Builder()
    (active,) = call(b, test, [b.param(p.type) for p in test.params])
    return _with_params(b.finish(test.name, (reduce_or(b, active, range(active.type.rank)),)), more)


def _each_follows(params: WhileParams, common: Flags) -> WhileParams:
    """The loop of `_each_chooses` whose steps read other values of the `common` carry: these stand behind the rest and
    go on as long as the loop."""
    b = Builder()
    tests = [b.param(p.type) for p in params.cond.params[: params.cond_consts]]
    consts, carry = cut([b.param(p.type) for p in params.body.params], params.body_consts)
    again = [b.param(x.type) for x in select_flagged(carry, common)]
    (active,) = call(b, params.cond, (*tests, *carry))
    read = (*consts, *merge_flagged(common, again, others(carry, common)))
    after = call(b, _silent(params.body), read)
    then = select_flagged(after[: params.carry], common)
    branches = (_with_params(idle(params), [x.type for x in (*again, *then)]), _given_common(params, common))
    last, ys = cut(COND(b, CondParams(branches), active, *consts, *carry, *again, *then), params.carry)
    body = b.finish(params.body.name, (*last, *then, *ys))
    return replace(params, body=body, body_consts=params.cond_consts + params.body_consts)


def _given_common(params: WhileParams, common: Flags) -> Function:
    """Return the body with the common values that it reads, and those that it gives, behind its parameters."""
    consts, carry = cut(params.body.params, params.body_consts)
    last, ys = cut(params.body.results, params.carry)
    read = select_flagged(carry, common)
    unread, then = [tuple([Var(x.type) for x in read]) for _ in range(2)]
    given = (*consts, *merge_flagged(common, unread, others(carry, common)), *read, *then)
    return function(params.body, given, (*merge_flagged(common, then, others(last, common)), *ys))


def _with_params(body: Function, more: Sequence[Tensor]) -> Function:
    return function(body, (*body.params, *map(Var, more)), body.results)


def _prune(params: WhileParams, used: Flags, recur: PruneBody) -> tuple[WhileParams, Flags, Flags]:
    """The condition needs what it looks at."""
    count, wanted = params.cond_consts, used[: params.carry]
    decides = recur(params.cond, (True,)).kept
    needed = (*either(wanted, decides[count:]), *used[params.carry :])
    made, kept, stays = prune_alike(params, needed, recur)
    tests = decides[:count]
    cond = recur(params.cond, (True,), (*tests, *stays[: params.carry])).function
    if made is params and cond is params.cond:
        return params, kept, stays
    return replace(made, cond=cond, cond_consts=tests.count(True)), (*tests, *kept[count:]), stays


def _flow(params: WhileParams, facts: Facts, recur: FlowBody) -> tuple[WhileParams, Facts]:
    made, found = flow_alike(params, facts, recur)
    tests = facts[: params.cond_consts]
    return replace(made, cond=recur(params.cond, (*tests, *found[: params.carry])).function), found


_SCALAR = Tensor(F64)
_MORE = build_function("more", (_SCALAR,) * 2, lambda b, bound, x: compare(b, "lt", x, bound))
_STEP = build_function("step", (_SCALAR,) * 2, lambda b, w, x: add(b, x, add(b, mul(b, w, w), splat(0.5, w.type))))
_PUT = build_function("put", (_SCALAR,) * 2, lambda b, w, x: (add(b, x, mul(b, w, w)), mul(b, w, x)))


def _expand(b: Builder, equation: Equation, batch: BatchAxis) -> tuple[Atom, ...] | None:
    """A loop with a limit as one without: the number of steps left joins the carry. One that has outputs stays, and one
    whose condition can be noticed, which is asked only while steps are left."""
    params, xs = cast(WhileParams, equation.params), equation.inputs
    if params.limit is None or params.outputs or is_noticed(params.cond, {}):
        return None
    steps = params.counter
    test = Builder()
    own = [test.param(p.type) for p in params.cond.params]
    left = test.param(steps)
    (holds,) = call(test, params.cond, own)
    some = compare(test, "gt", left, splat(0, steps))
    cond = test.finish(params.cond.name, (select(test, some, holds, splat(0, holds.type)),))
    inner = Builder()
    values = [inner.param(p.type) for p in params.body.params]
    left = inner.param(steps)
    after = call(inner, params.body, values)
    body = inner.finish(params.body.name, (*after, add(inner, left, splat(-1, steps))))
    made = replace(params, cond=cond, body=body, limit=None)
    return WHILE(b, made, *xs, splat(params.limit, steps))[:-1]


def _admit(
    b: Builder,
    params: WhileParams,
    bodies: Sequence[Function],
    xs: tuple[Atom, ...],
    more: tuple[Atom, ...],
    lengths: Lengths,
) -> tuple[Atom, ...]:
    tests, rest = cut(xs, params.cond_consts)
    consts = params.cond_consts + len(more), params.body_consts + len(more)
    made = replace(params, cond=bodies[0], body=bodies[1], cond_consts=consts[0], body_consts=consts[1])
    return WHILE(b, made, *more, *tests, *more, *rest)


WHILE: RegionOp[WhileParams] = region(
    name="while",
    params=WhileParams,
    doc="The values after running `body` as long as `cond` holds, at most `limit` times.",
    bodies=("cond", "body"),
    type_rule=_type,
    evaluate=_evaluate,
    split=_split,
    transpose=_transpose,
    batch=_batch,
    prune=_prune,
    flow=_flow,
    work=lambda params, works: repeated(total(works), params.limit or 1),
    admit=_admit,
    samples=(
        *[Sample(WhileParams(_MORE, _STEP, 1, 1, limit), (_SCALAR,) * 3) for limit in (None, 2)],
        *[Sample(WhileParams(_MORE, _PUT, 1, 1, limit), (_SCALAR,) * 3) for limit in (0, 3)],
    ),
    expand=_expand,
)
