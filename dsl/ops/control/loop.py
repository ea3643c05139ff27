"""`while`: a loop that runs as long as a condition holds, or at most `limit` times.

Without a limit there is no reverse mode, since nothing bounds the residuals: its split keeps on the known
side what does not depend on unknown values, and repeats the whole loop on the unknown side. With a limit, the
known half stacks the residuals of the steps that are taken and counts these; the unknown half is a scan over as
many. A large limit is cut in chunks before. Batched, it runs until every lane is done; a lane that is done keeps
its value through `lanes`. Read next: `chunks`, `kept_steps`, `predicated`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import numpy as np
from msgspec import Struct

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
    NamedAxis,
    Problem,
    PruneBody,
    Split,
    SplitBody,
    Tangents,
    TransposeBody,
)
from dsl.ir.work import repeated, total
from dsl.ops.collective import PMAX
from dsl.ops.control.call import call
from dsl.ops.control.chunks import Loop, kept_at_once, split_in_chunks
from dsl.ops.control.kept_steps import keep
from dsl.ops.control.predicated import lanes_of_cond
from dsl.ops.control.region_utils import build_function, check_results, check_signature, function, move_batch_to_front
from dsl.ops.control.scan import COUNT, counted_scan
from dsl.ops.control.signature import Origins, Signature, flow_alike, prune_alike, region, settled
from dsl.ops.effects import is_noticed, silent
from dsl.ops.elementwise import add, compare, convert, mul, select
from dsl.ops.flags import cut, either, has_batch_axis, merge_flagged, others
from dsl.ops.named_axes import NamedAxisParams, of_devices, spoken_axes
from dsl.ops.reduce import reduce_or
from dsl.ops.rule_helpers import splat, zeros
from dsl.records import replace
from dsl.types.dtype import BOOL, F64, I32, I64, integer_range

NO_REVERSE = "the number of steps of this loop has no bound, so its steps cannot be kept for the way back"


class WhileParams(Struct, frozen=True):
    """Operands: constants of `cond`, constants of `body`, initial values. Results: the last values, then the outputs
    stacked.

    `cond`: its constants, carry -> bool. `body`: its constants, carry -> carry, outputs. At most `limit` steps are
    taken, if there is one; only then there may be outputs, which are zero where no step was taken.
    """

    cond: Function
    body: Function
    cond_consts: int
    body_consts: int
    limit: int | None = None

    @property
    def carry(self) -> int:
        """How many values the loop carries."""
        return len(self.cond.params) - self.cond_consts

    @property
    def outputs(self) -> int:
        """How many outputs each step has."""
        return len(self.body.results) - self.carry

    @property
    def signature(self) -> Signature:
        """How operands reach the body, which sees no constants of `cond`."""
        return Signature(self.cond_consts, self.body_consts, self.carry, along=1, runs=False)

    @property
    def alike(self) -> tuple[Function, ...]:
        """The body."""
        return (self.body,)

    def remade(self, bodies: Sequence[Function], origins: Origins | None = None, /) -> WhileParams:
        """Return the loop with another body; its condition is the same, whatever else is carried."""
        if origins is None:
            return replace(self, body=bodies[0])
        signature = origins.signature
        tests, carry = cut(self.cond.params, self.cond_consts)
        seen = origins.params[signature.consts :]
        first = self.body_consts
        params = [carry[i - first] if i not in seen[:k] else Var(carry[i - first].type) for k, i in enumerate(seen)]
        cond = function(self.cond, (*tests, *params), self.cond.results)
        return replace(self, cond=cond, body=bodies[0], body_consts=signature.consts)

    @property
    def counter(self) -> Tensor:
        """Return the type of the step counter."""
        return Tensor(I32 if self.limit is None or self.limit <= integer_range(I32)[1] else I64)


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
        outs = WHILE(unknown, params, *xs)
        return outs, (True,) * len(outs)
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
    tests = flags[: params.cond_consts]
    counting, count = _counting(params), params.carry
    (done,), late, _ = settled(counting, (*flags[len(tests) :], False), recur, lambda made: made.out_unknown)
    consts, carry = late[: params.body_consts], late[params.body_consts : -1]
    test = recur(counting.cond, (*tests, *carry, False))
    if test.out_unknown[0]:
        outs = WHILE(unknown, params, *xs)
        return outs, (True,) * len(outs)
    operands = (*xs[len(tests) :], splat(0, COUNT))
    kept = keep(done, (consts, (*carry, False), ()))
    if not params.outputs and limit > (at_once := kept_at_once(kept.size)):
        sizes = params.cond_consts, params.body_consts, limit, params.counter, at_once
        return split_in_chunks(known, unknown, Loop(params.cond, params.body, *sizes), xs, flags, recur, _emit)
    tested, given = others(xs[: len(tests)], tests), others(operands, late)

    def run(b: Builder, body: Function, number: int, operands: Sequence[Atom]) -> tuple[Atom, ...]:
        made = WhileParams(test.known, body, len(tested), number, limit)
        return WHILE(b, made, *tested, *operands)

    early, residuals = kept.run(known, given, run)
    taken = early[carry.count(False)]
    after = kept.run_late(unknown, residuals, operands, counted_scan(limit, taken, carry.count(True)))
    results = merge_flagged(done.out_unknown, after, early)
    return (*results[:count], *results[count + 1 :]), (*carry, *done.out_unknown[count + 1 :])


def _emit(b: Builder, loop: Loop, operands: Sequence[Atom]) -> tuple[Atom, ...]:
    params = WhileParams(loop.cond, loop.body, loop.cond_consts, loop.body_consts, loop.limit)
    return WHILE(b, params, *operands)


def _counting(params: WhileParams) -> WhileParams:
    """The loop with the number of steps taken as the last value of its carry."""
    count = len(params.body.params) - params.body_consts
    steps, left = Var(COUNT), Var(COUNT)
    b = Builder()
    b.equations = list(params.body.equations)
    more = add(b, steps, splat(1, COUNT))
    last, outputs = cut(params.body.results, count)
    body = Function(params.body.name, (*params.body.params, steps), tuple(b.equations), (*last, more, *outputs))
    cond = function(params.cond, (*params.cond.params, left), params.cond.results)
    return replace(params, cond=cond, body=body)


def _together(params: WhileParams, axes: Sequence[NamedAxisParams]) -> WhileParams:
    """Return the loop in which elements of these axes communicate: all take part while the condition of one holds, and
    those whose own condition is false keep their carry. The constants of `cond` are also those of `body`, and come
    first."""
    test = Builder()
    (here,) = call(test, params.cond, [test.param(p.type) for p in params.cond.params])
    most = convert(test, here, I32)
    for axis in axes:
        (most,) = PMAX(test, axis, most)
    cond = test.finish(params.cond.name, (compare(test, "gt", most, splat(0, most.type)),))
    b = Builder()
    tests = [b.param(p.type) for p in params.cond.params[: params.cond_consts]]
    xs = [b.param(p.type) for p in params.body.params]
    (active,) = call(b, params.cond, (*tests, *xs[params.body_consts :]))
    kept, changed = [call(b, branch, xs) for branch in (_keep(params), params.body)]
    after = [select(b, active, y, x) for x, y in zip(kept, changed, strict=True)]
    return replace(
        params, cond=cond, body=b.finish(params.body.name, after), body_consts=params.cond_consts + params.body_consts
    )


def _keep(params: WhileParams) -> Function:
    """The body that changes nothing, and whose outputs are zero."""
    own = tuple([Var(p.type) for p in params.body.params])
    outputs = [zeros(t) for t in params.body.result_types[params.carry :]]
    return Function(params.body.name, own, (), (*own[params.body_consts :], *outputs))


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

    def flagged(made: tuple[bool, Batched]) -> Flags:
        own, after = made
        return (*(True,) * params.carry, *after.batched[params.carry :]) if own else after.batched

    ((own, body),), flags, force = settled(params, has_batch_axis(axes[count:]), make, flagged)
    operands = move_batch_to_front(b, xs, axes, (*tests, *flags), size)
    if own:
        outs = _batch_each(b, params, operands, (*tests, *flags), size, recur)
        return outs, (*(0,) * params.carry, *(1,) * params.outputs)
    cond = recur(params.cond, (*tests, *flags[params.body_consts :])).function
    outs = WHILE(b, replace(params, cond=cond, body=body.function), *operands)
    places = (*(0,) * params.carry, *(1,) * params.outputs)
    return outs, tuple([place if f else None for place, f in zip(places, force, strict=True)])


def _batch_each(
    b: Builder, params: WhileParams, operands: tuple[Atom, ...], flags: Flags, size: int, recur: BatchBody
) -> tuple[Atom, ...]:
    """Every lane decides for itself: the loop runs while one is active, on any device if elements ask each other there,
    and the others keep their values."""
    tests, consts, carry = cut(flags, params.cond_consts, params.body_consts)
    test = recur(params.cond, (*tests, *carry)).function
    types = [x.type for x in operands]
    whole = Builder()
    own = [whole.param(t) for t in (*types[: len(tests)], *types[len(flags) - len(carry) :])]
    (active,) = call(whole, test, own)
    cond = whole.finish(params.cond.name, (reduce_or(whole, active, range(active.type.rank)),))
    if recur.axis is not None and recur.axis.devices > 1 and recur.asks(params.cond, params.body):
        cond = _wide_condition(cond, recur.axis)
    inner = Builder()
    values = [inner.param(t) for t in types]
    c, k, i = cut(values, len(tests), len(consts))
    (active,) = call(inner, test, (*c, *i))
    after = lanes_of_cond(inner, (_keep(params), params.body), size, active, (*k, *i), (*consts, *carry), recur)
    body = inner.finish(params.body.name, after)
    made = replace(params, cond=cond, body=body, body_consts=len(tests) + len(consts))
    tested = operands[: len(tests)]
    return WHILE(b, made, *tested, *operands)


def _wide_condition(condition: Function, axis: NamedAxis) -> Function:
    """Return the condition that a loop's condition holds on any device."""
    b = Builder()
    own = [b.param(p.type) for p in condition.params]
    (here,) = call(b, condition, own)
    everywhere = PMAX(b, of_devices(axis), convert(b, here, I32))[0]
    return b.finish(condition.name, (compare(b, "gt", everywhere, splat(0, everywhere.type)),))


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
