"""`while`: a loop that runs as long as a condition holds, or at most `limit` times.

Without a limit there is no reverse mode, since nothing bounds the residuals: its split keeps on the known
side what does not depend on unknown values, and repeats the whole loop on the unknown side. With a limit, a
split turns it into a `scan` of `limit` steps, each a `cond` that does nothing once the condition is false:
an inactive step runs no body, so it contributes nothing. Batched, it runs until every lane is done; a lane
that is done keeps its value through `lanes`. Read next: `scan`, `predicated`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from msgspec import Struct

from dsl.ir.build import Builder, IRTypeError
from dsl.ir.function import Atom, Equation, Function, Tensor, Var
from dsl.ir.op import Lengths, Linear, RegionOp, Sample, Tangent
from dsl.ir.region import (
    Axes,
    BatchAxis,
    BatchBody,
    CannotTransform,
    Facts,
    Flags,
    FlowBody,
    Flowed,
    Jvp,
    JvpBody,
    Problem,
    PruneBody,
    Pruned,
    Split,
    SplitBody,
    Tangents,
    TransposeBody,
)
from dsl.ir.work import repeated, total
from dsl.ops.collective import speaks
from dsl.ops.control.branch import COND, CondParams
from dsl.ops.control.call import call
from dsl.ops.control.predicated import lanes_of_cond
from dsl.ops.control.region_utils import (
    build_function,
    check_results,
    check_signature,
    cut,
    either,
    front_axes,
    function,
    has_batch_axis,
    least_facts,
    least_flags,
    move_batch_to_front,
    nonzero,
    others,
    present,
    scatter_flagged,
    select_flagged,
    silent,
)
from dsl.ops.control.scan import SCAN, ScanParams
from dsl.ops.elementwise import add, compare, convert, mul, select
from dsl.ops.layout import reduce_sum
from dsl.ops.rule_helpers import materialise, splat
from dsl.records import replace
from dsl.types.dtype import BOOL, F64, I32, I64, integer_range

NO_REVERSE = "the number of steps of this loop has no bound, so its steps cannot be kept for the way back"


class WhileParams(Struct, frozen=True):
    """Operands: constants of `cond`, constants of `body`, initial values. Results: the last values.

    `cond`: its constants, carry -> bool. `body`: its constants, carry -> carry. At most `limit` steps are
    taken, if there is one.
    """

    cond: Function
    body: Function
    cond_consts: int
    body_consts: int
    limit: int | None = None

    @property
    def counter(self) -> Tensor:
        """What the steps are counted in."""
        return Tensor(I32 if self.limit is None or self.limit <= integer_range(I32)[1] else I64)


def _type(params: WhileParams, types: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
    tests, consts, carry = cut(types, params.cond_consts, params.body_consts)
    check_signature("while", params.cond, (*tests, *carry))
    check_results("while", params.cond, (Tensor(BOOL),))
    check_signature("while", params.body, (*consts, *carry))
    check_results("while", params.body, carry)
    if params.limit is not None and params.limit < 0:
        raise IRTypeError(f"while: the limit {params.limit} is negative")
    return carry


def _evaluate(recur: Any, params: WhileParams, *xs: Any) -> Any:
    tests, consts, carry = cut(xs, params.cond_consts, params.body_consts)
    steps = 0
    while (params.limit is None or steps < params.limit) and bool(recur(params.cond, *tests, *carry)[0]):
        carry = tuple(recur(params.body, *consts, *carry))
        steps += 1
    return carry


def _jvp(
    b: Builder, params: WhileParams, xs: tuple[Atom, ...], ts: Tangents, recur: JvpBody
) -> tuple[tuple[Atom, ...], Tangents]:
    tests, consts, init = cut(xs, params.cond_consts, params.body_consts)
    _, d_consts, d_init = cut(ts, params.cond_consts, params.body_consts)
    flags = nonzero(d_consts)

    def step(carry: Flags) -> tuple[Jvp, Flags]:
        made = recur(params.body, (*flags, *carry), carry)
        return made, made.nonzero

    done, carry = least_flags(nonzero(d_init), step)
    c, i, dc, di = cut(done.function.params, len(consts), len(init), flags.count(True))
    body = function(done.function, (*c, *dc, *i, *di), done.function.results)
    cond = function(params.cond, (*params.cond.params, *[Var(x.type) for x in di]), params.cond.results)
    made = replace(params, cond=cond, body=body, body_consts=len(consts) + len(dc))
    started = [materialise(t) for t in select_flagged(d_init, carry)]
    outs = WHILE(b, made, *tests, *consts, *present(d_consts), *init, *started)
    primals, tangents = cut(outs, len(init))
    return primals, scatter_flagged(tangents, carry, [y.type for y in primals])


# --- split ------------------------------------------------------------------------------------------------


def _split(
    known: Builder,
    unknown: Builder,
    params: WhileParams,
    xs: tuple[Atom, ...],
    flags: Flags,
    recur: SplitBody,
) -> tuple[tuple[Atom, ...], Flags]:
    if params.limit is not None:
        made, operands = as_scan(params, xs)
        return SCAN.split(known, unknown, made, operands, flags, recur)
    tests, consts, init = cut(flags, params.cond_consts, params.body_consts)

    def step(carry: Flags) -> tuple[Split, Flags]:
        made = recur(params.body, (*consts, *carry), carry)
        return made, made.out_unknown

    done, carry = least_flags(init, step)
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


def as_scan(params: WhileParams, xs: tuple[Atom, ...]) -> tuple[ScanParams, tuple[Atom, ...]]:
    """The same loop as `limit` steps, each of which does something only while the condition holds. In a body that
    speaks with other elements all take part, and those whose condition does not hold keep what they have."""
    assert params.limit is not None
    tests, consts, init = cut(xs, params.cond_consts, params.body_consts)
    b = Builder()
    cond_consts = [b.param(x.type) for x in tests]
    body_consts = [b.param(x.type) for x in consts]
    carry = [b.param(x.type) for x in init]
    (active,) = call(b, params.cond, (*cond_consts, *carry))
    branches = (_keep(params), params.body)
    if speaks(params.body):
        kept, changed = [call(b, branch, (*body_consts, *carry)) for branch in branches]
        after = tuple([select(b, active, y, x) for x, y in zip(kept, changed, strict=True)])
    else:
        after = COND(b, CondParams(branches), active, *body_consts, *carry)
    body = b.finish(params.body.name, after)
    return ScanParams(body, len(tests) + len(consts), len(init), params.limit), xs


def _keep(params: WhileParams) -> Function:
    """The body that changes nothing."""
    own = tuple([Var(p.type) for p in params.body.params])
    return Function(params.body.name, own, (), own[params.body_consts :])


# --- the other rules --------------------------------------------------------------------------------------


def _transpose(
    b: Builder,
    params: WhileParams,
    xs: tuple[Atom | Linear, ...],
    cts: Tangents,
    recur: TransposeBody,
) -> tuple[Tangent | None, ...]:
    raise CannotTransform(Problem.UNBOUNDED_REVERSE, "while", NO_REVERSE)


def _batch(
    b: Builder, params: WhileParams, xs: tuple[Atom, ...], axes: Axes, size: int, recur: BatchBody
) -> tuple[tuple[Atom, ...], Axes]:
    tests, consts, init = cut(axes, params.cond_consts, params.body_consts)

    def step(carry: Flags) -> tuple[bool, Flags]:
        own = recur(params.cond, (*has_batch_axis(tests), *carry)).batched[0]
        after = recur(params.body, (*has_batch_axis(consts), *carry), carry).batched
        return own, (True,) * len(carry) if own else after

    own, carry = least_flags(has_batch_axis(init), step)
    flags = (*has_batch_axis(tests), *has_batch_axis(consts), *carry)
    operands = move_batch_to_front(b, xs, axes, flags, size)
    if own:
        return _batch_each(b, params, operands, flags, size, recur), front_axes(carry)
    cond = recur(params.cond, (*has_batch_axis(tests), *carry)).function
    body = recur(params.body, (*has_batch_axis(consts), *carry), carry).function
    return WHILE(b, replace(params, cond=cond, body=body), *operands), front_axes(carry)


def _batch_each(
    b: Builder, params: WhileParams, operands: tuple[Atom, ...], flags: Flags, size: int, recur: BatchBody
) -> tuple[Atom, ...]:
    """Every lane decides for itself: the loop runs while one is active, and the others keep their values."""
    tests, consts, carry = cut(flags, params.cond_consts, params.body_consts)
    test = recur(params.cond, (*tests, *carry)).function
    types = [x.type for x in operands]
    whole = Builder()
    own = [whole.param(t) for t in (*types[: len(tests)], *types[len(flags) - len(carry) :])]
    (active,) = call(whole, test, own)
    cond = whole.finish(params.cond.name, (any_of(whole, active),))
    inner = Builder()
    values = [inner.param(t) for t in types]
    c, k, i = cut(values, len(tests), len(consts))
    (active,) = call(inner, test, (*c, *i))
    after = lanes_of_cond(inner, (_keep(params), params.body), size, active, (*k, *i), (*consts, *carry))
    body = inner.finish(params.body.name, after)
    made = replace(params, cond=cond, body=body, body_consts=len(tests) + len(consts))
    tested = operands[: len(tests)]
    return WHILE(b, made, *tested, *operands)


def any_of(b: Builder, flags: Atom) -> Atom:
    """Whether one of the bools is true: a scalar."""
    count = reduce_sum(b, convert(b, flags, I32), range(flags.type.rank))
    return compare(b, "gt", count, splat(0, count.type))


def _prune(params: WhileParams, used: Flags, recur: PruneBody) -> tuple[WhileParams, Flags, Flags]:
    n_tests, n_consts = params.cond_consts, params.body_consts
    cond = recur(params.cond, (True,))
    decides = cond.kept[n_tests:]

    def step(carry: Flags) -> tuple[Pruned, Flags]:
        made = recur(params.body, carry, (*(False,) * n_consts, *carry))
        return made, made.kept[n_consts:]

    done, carry = least_flags(either(used, decides), step)
    tests = cond.kept[:n_tests]
    kept_cond = recur(params.cond, (True,), (*tests, *carry))
    if done.function is params.body and kept_cond.function is params.cond:
        return params, (True,) * (n_tests + n_consts + len(carry)), carry
    consts = done.kept[:n_consts]
    made = replace(
        params,
        cond=kept_cond.function,
        body=done.function,
        cond_consts=tests.count(True),
        body_consts=consts.count(True),
    )
    return made, (*tests, *consts, *carry), carry


def _flow(params: WhileParams, facts: Facts, recur: FlowBody) -> tuple[WhileParams, Facts]:
    tests, consts, init = cut(facts, params.cond_consts, params.body_consts)

    def step(carry: Facts) -> tuple[Flowed, Facts]:
        made = recur(params.body, (*consts, *carry))
        return made, made.facts

    done, carry = least_facts(init, step)
    return replace(params, cond=recur(params.cond, (*tests, *carry)).function, body=done.function), carry


_SCALAR = Tensor(F64)
_MORE = build_function("more", (_SCALAR,) * 2, lambda b, bound, x: compare(b, "lt", x, bound))
_STEP = build_function("step", (_SCALAR,) * 2, lambda b, w, x: add(b, x, add(b, mul(b, w, w), splat(0.5, w.type))))


def _expand(b: Builder, equation: Equation, batch: BatchAxis) -> tuple[Atom, ...] | None:
    """A loop with a limit as one without: the number of steps left joins the carry."""
    params, xs = cast(WhileParams, equation.params), equation.inputs
    if params.limit is None:
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


WHILE: RegionOp[WhileParams] = RegionOp(
    name="while",
    params=WhileParams,
    doc="The values after running `body` as long as `cond` holds, at most `limit` times.",
    bodies=lambda params: (params.cond, params.body),
    rebuild=lambda params, bodies: replace(params, cond=bodies[0], body=bodies[1]),
    type_rule=_type,
    evaluate=_evaluate,
    jvp=_jvp,
    split=_split,
    transpose=_transpose,
    batch=_batch,
    prune=_prune,
    flow=_flow,
    sharding="",
    work=lambda params, works: repeated(total(works), params.limit or 1),
    admit=_admit,
    samples=tuple([Sample(WhileParams(_MORE, _STEP, 1, 1, limit), (_SCALAR,) * 3) for limit in (None, 2)]),
    expand=_expand,
)
