"""`scan`: a loop of known length that threads a carry, reads slices of `xs` and stacks outputs.

Its known half stacks residuals (`kept_steps`). A counted scan takes as many steps as an operand says: that is how
the derivative of a `while` runs. Its transpose is a scan in the other direction whose carry holds cotangents,
those of loop-invariant operands summed up. What is unknown or nonzero in the carry is the least fixed point
over the body. Read next: `loop`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from typing import Any, cast

import numpy as np
from msgspec import Struct

from dsl.ir.build import Builder, IRTypeError
from dsl.ir.columns import States, all_stacked, joined, part_of
from dsl.ir.function import Atom, Function, Tensor, Var
from dsl.ir.op import Lengths, Linear, RegionOp, Sample, Tangent
from dsl.ir.region import Axes, BatchBody, Flags, SplitBody, Tangents, TransposeBody, Transposed
from dsl.ir.sizes import bound, is_traced
from dsl.ir.work import repeated
from dsl.ops.collective import PMAX
from dsl.ops.control.branch import COND, CondParams
from dsl.ops.control.kept_steps import Run, keep
from dsl.ops.control.region_utils import build_function, check_results, check_signature
from dsl.ops.control.signature import Origins, Signature, all_unknown, batch_alike, idle, region, settled
from dsl.ops.elementwise import add, compare, mul
from dsl.ops.extent import iota
from dsl.ops.flags import (
    cotangents,
    cut,
    has_batch_axis,
    least_flags,
    linears,
    merge_flagged,
    nonzero,
    others,
    present,
    scatter_flagged,
    select_flagged,
)
from dsl.ops.layout import at_axis
from dsl.ops.named_axes import of_devices
from dsl.ops.reduce import reduce_max
from dsl.ops.rule_helpers import materialise, splat, zeros
from dsl.ops.rule_helpers import require_known as value_of
from dsl.records import replace
from dsl.types.dtype import F64, I32
from dsl.types.size import Size

COUNT = Tensor(I32)
"""What counted steps are counted in."""


class ScanParams(Struct, frozen=True):
    """Operands: `consts` values for every step, `carry` initial values, then arrays read along axis 0.

    `body`: consts, carry, slices -> carry, outputs. Results: the last carry, then the outputs stacked. Under
    `reverse` the steps run from the last slice to the first; outputs keep the place of their slice.

    With `counted`, the first operand is the number of steps, an i32 of at most `length`: the loop reads only so many
    slices, the first ones, and the outputs are zero from there on.
    """

    body: Function
    consts: int
    carry: int
    length: int
    reverse: bool = False
    unroll: int = 1
    counted: bool = False

    @property
    def ahead(self) -> int:
        """How many operands come before the constants."""
        return int(self.counted)

    @property
    def signature(self) -> Signature:
        """How operands reach the body."""
        return Signature(self.ahead, self.consts, self.carry, along=1, runs=bool(self.length) and not self.counted)

    @property
    def alike(self) -> tuple[Function, ...]:
        """The one body."""
        return (self.body,)

    def remade(self, bodies: Sequence[Function], origins: Origins | None = None, /) -> ScanParams:
        """Return the same steps of another body."""
        signature = self.signature if origins is None else origins.signature
        return replace(self, body=bodies[0], consts=signature.consts, carry=signature.carry)


def _slice(t: Tensor) -> Tensor:
    return Tensor(t.dtype, t.shape[1:])


def _stacked(t: Tensor, length: int) -> Tensor:
    return Tensor(t.dtype, (length, *t.shape))


def _type(params: ScanParams, types: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
    ahead, consts, init, xs = params.signature.operands(types)
    if ahead not in ((), (COUNT,)):
        raise IRTypeError("scan: the number of steps is a scalar i32")
    for t in xs:
        if t.shape[:1] != (params.length,):
            raise IRTypeError(f"scan: {t} has no leading axis of length {params.length}")
    check_signature("scan", params.body, (*consts, *init, *[_slice(t) for t in xs]))
    carry, ys = cut(params.body.result_types, params.carry)
    check_results("scan", params.body, (*init, *ys))
    return (*carry, *[_stacked(t, params.length) for t in ys])


def _evaluate(recur: Any, params: ScanParams, *values: Any) -> Any:
    ahead, consts, carry, xs = params.signature.operands(values)
    ys = [np.zeros(_stacked(t, params.length).shape, t.dtype.numpy) for t in params.body.result_types[params.carry :]]
    steps = range(min(params.length, *map(int, ahead)) if ahead else params.length)
    for i in reversed(steps) if params.reverse else steps:
        results = recur(params.body, *consts, *carry, *[np.asarray(x[i]) for x in xs])
        carry, outs = cut(results, params.carry)
        for y, out in zip(ys, outs, strict=True):
            y[i] = out
    return (*carry, *ys)


# --- split ------------------------------------------------------------------------------------------------


def _split(
    known: Builder, unknown: Builder, params: ScanParams, xs: tuple[Atom, ...], flags: Flags, recur: SplitBody
) -> tuple[tuple[Atom, ...], Flags]:
    ahead = xs[: params.ahead]
    if any(flags[: params.ahead]):
        return all_unknown(SCAN, unknown, params, xs)
    (done,), late_ones, _ = settled(params, flags[params.ahead :], recur, lambda made: made.out_unknown)
    kept, operands = keep(done, params.signature, late_ones), xs[params.ahead :]
    early, late = [_runs(params, params.signature.flagged(late_ones, side).carry, ahead) for side in (False, True)]
    outs, residuals = kept.run(known, others(operands, late_ones), early)
    tangents = kept.run_late(unknown, residuals, operands, late)
    return merge_flagged(done.out_unknown, tangents, outs), done.out_unknown


def _runs(params: ScanParams, carry: int, ahead: Sequence[Atom]) -> Run:
    def run(b: Builder, body: Function, consts: int, operands: Sequence[Atom]) -> tuple[Atom, ...]:
        return SCAN(b, replace(params, body=body, consts=consts, carry=carry), *ahead, *operands)

    return run


def counted_scan(length: int, count: Atom, carry: int) -> Run:
    """A scan over as many slices as were counted, of at most `length`."""
    return _runs(ScanParams(Function("", (), (), ()), 0, carry, length, counted=True), carry, (count,))


# --- transpose --------------------------------------------------------------------------------------------


def _transpose(
    b: Builder, params: ScanParams, xs: tuple[Atom | Linear, ...], cts: Tangents, recur: TransposeBody
) -> tuple[Tangent | None, ...]:
    ahead = [value_of(x) for x in xs[: params.ahead]]
    xs = xs[params.ahead :]
    consts, init, slices = cut(xs, params.consts, params.carry)
    linear = (*linears(consts), *(True,) * params.carry, *linears(slices))
    n_consts = linears(consts).count(True)
    tail = (False,) * linears(slices).count(True)
    last, ys = cut(cts, params.carry)

    def step(carry: Flags) -> tuple[Transposed, Flags]:
        force = (*(False,) * n_consts, *carry, *tail)
        made = recur(params.body, linear, (*carry, *nonzero(ys)), force)
        return made, made.nonzero[n_consts : n_consts + params.carry]

    done, carry = least_flags(nonzero(last), step)
    summed, _, sliced = cut(done.nonzero, n_consts, params.carry)
    body = _backward(done.function, params, xs, carry, summed)
    known = others((*consts, *slices), (*linears(consts), *linears(slices)))
    split_at = len(consts) - n_consts
    c, s = [value_of(x) for x in known[:split_at]], [value_of(x) for x in known[split_at:]]
    started = [materialise(t) for t in select_flagged(last, carry)]
    totals = [zeros(x.type) for x in select_flagged([x for x in consts if isinstance(x, Linear)], summed)]
    made = replace(params, body=body, consts=len(c), carry=len(started) + len(totals), reverse=not params.reverse)
    outs = SCAN(b, made, *ahead, *c, *started, *totals, *s, *present(ys))
    first, sums, out_slices = cut(outs, len(started), len(totals))
    of_init = scatter_flagged(first, carry, [x.type for x in init])
    return (
        *(None,) * len(ahead),
        *cotangents(sums, summed, consts),
        *[t if isinstance(x, Linear) else None for x, t in zip(init, of_init, strict=True)],
        *cotangents(out_slices, sliced, slices),
    )


def _backward(f: Function, params: ScanParams, xs: Sequence[Atom | Linear], carry: Flags, summed: Flags) -> Function:
    """The transposed body as the body of a scan: cotangents of the carry and sums for the consts are its
    carry."""
    consts, _, slices = cut(xs, params.consts, params.carry)
    n_consts, n_slices = linears(consts).count(False), linears(slices).count(False)
    c, s, ct_carry, ct_ys = cut(f.params, n_consts, n_slices, carry.count(True))
    d_consts, d_carry, d_slices = cut(f.results, summed.count(True), carry.count(True))
    b = Builder()
    b.equations = list(f.equations)
    totals = [Var(d.type) for d in d_consts]
    sums = [add(b, total, d) for total, d in zip(totals, d_consts, strict=True)]
    return Function(f.name, (*c, *ct_carry, *totals, *s, *ct_ys), tuple(b.equations), (*d_carry, *sums, *d_slices))


# --- the other rules -----------------------------------------------------------------------------------------


def _batch(
    b: Builder, params: ScanParams, xs: tuple[Atom, ...], axes: Axes, size: int, recur: BatchBody
) -> tuple[tuple[Atom, ...], Axes]:
    if any(has_batch_axis(axes[: params.ahead])) and recur.axis is not None and recur.asks(params.body):
        # All have taken part in as many steps.
        most = _largest(b, xs[0])
        if recur.axis.devices > 1:
            (most,) = PMAX(b, of_devices(recur.axis), most)
        xs, axes = (most, *xs[1:]), (None, *axes[1:])
    if any(has_batch_axis(axes[: params.ahead])):
        return _batch_counted(b, params, xs, axes, size, recur)
    return batch_alike(SCAN, b, params, xs, axes, size, recur)


def _largest(b: Builder, each: Atom) -> Atom:
    """The largest of the numbers that the elements have."""
    return reduce_max(b, each, (0,)) if each.type.size else splat(0, COUNT)


def _batch_counted(
    b: Builder, params: ScanParams, xs: tuple[Atom, ...], axes: Axes, size: int, recur: BatchBody
) -> tuple[tuple[Atom, ...], Axes]:
    """Elements that take different numbers of steps: the loop takes the most, and an element that has taken its own
    keeps its carry."""
    first = 1 + params.consts + params.carry
    positions = iota(b, COUNT.dtype, (params.length,), 0)
    operands, places = [(*each[:first], more, *each[first:]) for each, more in ((xs, positions), (axes, None))]
    most = _largest(b, at_axis(b, xs[0], axes[0], size, 0))
    made = replace(params, body=_while_counted(params), consts=params.consts + 1, unroll=1)
    return batch_alike(SCAN, b, made, (most, *operands), (None, *places), size, recur)


def _while_counted(params: ScanParams) -> Function:
    """The body that keeps the carry where its position is not below the number of steps. The number comes first, the
    position before the slices."""
    b = Builder()
    count = b.param(COUNT)
    seen = [b.param(p.type) for p in params.body.params[: params.consts + params.carry]]
    active = compare(b, "lt", b.param(COUNT), count)
    slices = [b.param(p.type) for p in params.body.params[len(seen) :]]
    return b.finish(params.body.name, COND(b, CondParams((idle(params), params.body)), active, *seen, *slices))


LONGEST = 20_000
"""How many equations are followed step by step."""


def _follow(params: ScanParams, states: States, recur: Callable[[Function, States], States]) -> States | None:
    body = params.body
    if params.length * len(body.equations) > LONGEST:
        return None
    consts, init, xs = params.signature.params(states[params.ahead :])
    carries, types = body.result_types[: params.carry], body.result_types[params.carry :]
    sizes = [p.type.size for p in body.params[params.consts + params.carry :]]
    carry, every = init, [init]
    outputs: list[States] = []
    for k in reversed(range(params.length)) if params.reverse else range(params.length):
        slices = tuple([part_of(x, k, size) for x, size in zip(xs, sizes, strict=True)])
        found = recur(body, (*consts, *carry, *slices))
        every.append(found[: params.carry])
        carry = _either(init, every[-1], carries) if params.counted and params.reverse else every[-1]
        outputs.append(found[params.carry :])
    last = reduce(lambda x, y: _either(x, y, carries), every) if params.counted else carry
    ordered = outputs[::-1] if params.reverse else outputs
    stacks = [all_stacked([each[k] for each in ordered], t.size) for k, t in enumerate(types)]
    return (*last, *stacks)


def _either(one: States, other: States, types: Sequence[Tensor]) -> States:
    """Values of a counted loop, which may begin or end at any step."""
    return tuple([joined([x, y], t.size) for x, y, t in zip(one, other, types, strict=True)])


def _sample_step(b: Builder, w: Atom, h: Atom, x: Atom) -> tuple[Atom, ...]:
    new = add(b, mul(b, w, h), x)
    return new, mul(b, h, h)


_STEP = build_function("step", (Tensor(F64),) * 3, _sample_step)


def _admit(
    b: Builder,
    params: ScanParams,
    bodies: Sequence[Function],
    xs: tuple[Atom, ...],
    more: tuple[Atom, ...],
    lengths: Lengths,
) -> tuple[Atom, ...]:
    """Where a run decides the length, its steps are counted."""
    ahead, rest = cut(xs, params.ahead)
    if is_traced(params.length) and not ahead:
        ahead = (lengths.length(cast("Size", params.length)),)
    made = replace(params, body=bodies[0], consts=params.consts + len(more), length=bound(params.length))
    return SCAN(b, replace(made, counted=bool(ahead)), *ahead, *more, *rest)


SCAN: RegionOp[ScanParams] = region(
    name="scan",
    params=ScanParams,
    doc="A loop of `length` steps over slices of the operands: the last carry, and the outputs stacked.",
    bodies=("body",),
    type_rule=_type,
    evaluate=_evaluate,
    split=_split,
    transpose=_transpose,
    batch=_batch,
    follow=_follow,
    work=lambda params, works: repeated(works[0], params.length),
    admit=_admit,
    samples=(
        *[
            Sample(ScanParams(_STEP, 1, 1, n, reverse), (Tensor(F64), Tensor(F64), Tensor(F64, (n,))))
            for n, reverse in ((3, False), (3, True), (0, False))
        ],
        *[
            Sample(
                ScanParams(_STEP, 1, 1, n, reverse, counted=True),
                (COUNT, Tensor(F64), Tensor(F64), Tensor(F64, (n,))),
                (0.0, 4.0),
            )
            for n, reverse in ((3, False), (3, True), (0, False))
        ],
    ),
)
