"""`scan`: a loop of known length that threads a carry, reads slices of `xs` and stacks outputs.

Its known half stacks residuals, except those that are operands or do not change from step to step: these are
computed once, before the loop. Its transpose is a scan in the other direction whose carry holds cotangents,
those of loop-invariant operands summed up. What is unknown or nonzero in the carry is the least fixed point
over the body. Read next: `loop`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, cast

import numpy as np
from msgspec import Struct

from dsl.ir.build import Builder, IRTypeError
from dsl.ir.function import Atom, Equation, Function, Tensor, Var
from dsl.ir.op import Lengths, Linear, RegionOp, Sample, Tangent
from dsl.ir.region import (
    Axes,
    BatchBody,
    Batched,
    Facts,
    Flags,
    FlowBody,
    Flowed,
    Jvp,
    JvpBody,
    PruneBody,
    Pruned,
    Split,
    SplitBody,
    Tangents,
    TransposeBody,
    Transposed,
)
from dsl.ir.sizes import bound, is_traced
from dsl.ir.work import repeated
from dsl.ops.control.region_utils import (
    build_function,
    check_results,
    check_signature,
    cotangents,
    cut,
    front_axes,
    function,
    has_batch_axis,
    has_effect,
    least_facts,
    least_flags,
    linears,
    merge_flagged,
    move_batch_to_front,
    nonzero,
    others,
    present,
    scatter_flagged,
    select_flagged,
)
from dsl.ops.control.rematerialization import lean
from dsl.ops.elementwise import add, compare, mul
from dsl.ops.extent import iota
from dsl.ops.layout import at_axis
from dsl.ops.rule_helpers import materialise, zeros
from dsl.ops.rule_helpers import require_known as value_of
from dsl.records import replace
from dsl.types.dtype import F64, I32
from dsl.types.size import Size


class ScanParams(Struct, frozen=True):
    """Operands: `consts` values for every step, `carry` initial values, then arrays read along axis 0.

    `body`: consts, carry, slices -> carry, outputs. Results: the last carry, then the outputs stacked. Under
    `reverse` the steps run from the last slice to the first; outputs keep the place of their slice.
    """

    body: Function
    consts: int
    carry: int
    length: int
    reverse: bool = False
    unroll: int = 1


def _slice(t: Tensor) -> Tensor:
    return Tensor(t.dtype, t.shape[1:])


def _stacked(t: Tensor, length: int) -> Tensor:
    return Tensor(t.dtype, (length, *t.shape))


def _type(params: ScanParams, types: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
    consts, init, xs = cut(types, params.consts, params.carry)
    for t in xs:
        if t.shape[:1] != (params.length,):
            raise IRTypeError(f"scan: {t} has no leading axis of length {params.length}")
    check_signature("scan", params.body, (*consts, *init, *[_slice(t) for t in xs]))
    carry, ys = cut(params.body.result_types, params.carry)
    check_results("scan", params.body, (*init, *ys))
    return (*carry, *[_stacked(t, params.length) for t in ys])


def _evaluate(recur: Any, params: ScanParams, *values: Any) -> Any:
    consts, carry, xs = cut(values, params.consts, params.carry)
    ys = [np.zeros(_stacked(t, params.length).shape, t.dtype.numpy) for t in params.body.result_types[params.carry :]]
    steps = range(params.length)
    for i in reversed(steps) if params.reverse else steps:
        results = recur(params.body, *consts, *carry, *[np.asarray(x[i]) for x in xs])
        carry, outs = cut(results, params.carry)
        for y, out in zip(ys, outs, strict=True):
            y[i] = out
    return (*carry, *ys)


# --- jvp --------------------------------------------------------------------------------------------------


def _jvp(
    b: Builder, params: ScanParams, xs: tuple[Atom, ...], ts: Tangents, recur: JvpBody
) -> tuple[tuple[Atom, ...], Tangents]:
    groups = cut(ts, params.consts, params.carry)
    consts, slices = nonzero(groups[0]), nonzero(groups[2])
    outputs = (False,) * (len(params.body.results) - params.carry)

    def step(carry: Flags) -> tuple[Jvp, Flags]:
        made = recur(params.body, (*consts, *carry, *slices), (*carry, *outputs))
        return made, made.nonzero[: params.carry]

    done, carry = least_flags(nonzero(groups[1]), step)
    body, counts = _joint(params, done, (consts.count(True), carry.count(True)))
    c, i, s = cut(xs, params.consts, params.carry)
    started = [materialise(t) for t in select_flagged(groups[1], carry)]
    made = replace(params, body=body, consts=params.consts + counts[0], carry=params.carry + counts[1])
    outs = SCAN(b, made, *c, *present(groups[0]), *i, *started, *s, *present(groups[2]))
    last, dlast, ys, dys = cut(outs, params.carry, counts[1], len(outputs))
    primals = (*last, *ys)
    return primals, scatter_flagged((*dlast, *dys), done.nonzero, [y.type for y in primals])


def _joint(params: ScanParams, done: Jvp, counts: tuple[int, int]) -> tuple[Function, tuple[int, int]]:
    """The body of primals and tangents, its consts together and its carries together."""
    f, count = done.function, len(params.body.params)
    c, i, s = cut(f.params[:count], params.consts, params.carry)
    dc, di, ds = cut(f.params[count:], *counts)
    count = len(params.body.results)
    last, ys = cut(f.results[:count], params.carry)
    dlast, dys = cut(f.results[count:], counts[1])
    return function(f, (*c, *dc, *i, *di, *s, *ds), (*last, *dlast, *ys, *dys)), counts


# --- split ------------------------------------------------------------------------------------------------


def _split(
    known: Builder,
    unknown: Builder,
    params: ScanParams,
    xs: tuple[Atom, ...],
    flags: Flags,
    recur: SplitBody,
) -> tuple[tuple[Atom, ...], Flags]:
    consts, init, slices = cut(flags, params.consts, params.carry)
    outputs = (False,) * (len(params.body.results) - params.carry)

    def step(carry: Flags) -> tuple[Split, Flags]:
        made = recur(params.body, (*consts, *carry, *slices), (*carry, *outputs))
        return made, made.out_unknown[: params.carry]

    done, carry = least_flags(init, step)
    done = lean(done, _at_hand(done, consts.count(False), carry.count(False)))
    half = _KnownScan(params, done, (consts, carry, slices))
    outs, residuals = half.emit(known, others(xs, (*consts, *carry, *slices)))
    late = _emit_unknown(unknown, params, done, (consts, carry, slices), residuals, xs)
    return merge_flagged(done.out_unknown, late, outs), done.out_unknown


def _at_hand(split: Split, consts: int, carry: int) -> list[Var]:
    """What the derivative has without anything being stacked for it: slices, outputs, and what is the same at every
    step."""
    body, count = split.known, split.out_unknown.count(False)
    slices = body.params[consts + carry :]
    outputs = [y for y in body.results[carry:count] if isinstance(y, Var)]
    return [*_invariant(body, body.params[:consts])[0], *slices, *outputs]


def _invariant(body: Function, consts: Iterable[Var]) -> tuple[set[Var], list[Equation]]:
    """The vars that depend on the consts alone, and the equations that make them."""
    same = set(consts)
    cone: list[Equation] = []
    for equation in body.equations:
        if all(x in same for x in equation.inputs if isinstance(x, Var)) and not has_effect(equation):
            same.update(equation.outputs)
            cone.append(equation)
    return same, cone


class _Residual(Struct, frozen=True):
    """A residual as an operand of the unknown loop: the same at every step, or read along axis 0."""

    value: Atom
    stacked: bool


class _KnownScan(Struct, frozen=True):
    """The known half of a scan: what it computes, what it stacks, and what moves out of the loop."""

    params: ScanParams
    split: Split
    flags: tuple[Flags, Flags, Flags]

    def emit(self, b: Builder, given: tuple[Atom, ...]) -> tuple[tuple[Atom, ...], list[_Residual]]:
        """The known results of the scan, and the residuals of its body, as values where `b` stands."""
        params, body = self.params, self.split.known
        n_consts, n_carry = [f.count(False) for f in self.flags[:2]]
        count = self.split.out_unknown.count(False)
        consts, _, xs = cut(body.params, n_consts, n_carry)
        outer: dict[Var, Atom] = dict(zip(consts, given, strict=False))
        values = (*body.params, *body.results)
        residuals = [values[i] for i in self.split.residuals]
        hoisted = _hoist(b, body, outer, residuals)
        whole = dict(zip(xs, given[n_consts + n_carry :], strict=True))
        stack = _to_stack(residuals, {**outer, **hoisted}, whole, body.results[n_carry:count])
        made = replace(params, body=_body(body, n_consts, hoisted, count, stack))
        made = replace(made, consts=n_consts + len(hoisted), carry=n_carry)
        first, rest = given[:n_consts], given[n_consts:]
        outs = SCAN(b, made, *first, *hoisted.values(), *rest)
        whole.update(
            (y, o) for y, o in zip(body.results[n_carry:count], outs[n_carry:count], strict=True) if isinstance(y, Var)
        )
        whole.update(zip(stack, outs[count:], strict=True))
        constant = {**outer, **hoisted}
        found = [
            _Residual(constant[r], False) if r in constant else _Residual(whole[r], True)
            for r in residuals
            if isinstance(r, Var)
        ]
        return outs[:count], found


def _hoist(b: Builder, body: Function, outer: dict[Var, Atom], residuals: Sequence[Atom]) -> dict[Var, Atom]:
    """Emits, before the loop, the residuals that depend on its consts alone; body vars to values outside."""
    invariant, cone = _invariant(body, outer)
    wanted = {r for r in residuals if isinstance(r, Var) and r in invariant and r not in outer}
    needed = set(wanted)
    kept: list[Equation] = []
    for equation in reversed(cone):
        if not needed.isdisjoint(equation.outputs):
            kept.append(equation)
            needed.update([x for x in equation.inputs if isinstance(x, Var)])
    values = dict(outer)
    for equation in reversed(kept):
        b.span = equation.span
        inputs = [values[x] if isinstance(x, Var) else x for x in equation.inputs]
        values.update(zip(equation.outputs, b.emit(equation.op, equation.params, inputs), strict=True))
    hoisted = [y for e in reversed(kept) if not wanted.isdisjoint(e.outputs) for y in e.outputs]
    return {y: values[y] for y in hoisted}


def _to_stack(
    residuals: Sequence[Atom], constant: dict[Var, Atom], whole: dict[Var, Atom], ys: Sequence[Atom]
) -> list[Var]:
    """Residuals that change from step to step and are neither a slice nor an output already."""
    return [
        r
        for r in dict.fromkeys(residuals)
        if isinstance(r, Var) and r not in constant and r not in whole and r not in ys
    ]


def _body(body: Function, n_consts: int, hoisted: dict[Var, Atom], count: int, stack: Sequence[Var]) -> Function:
    """The known body with what was hoisted as more consts, and what is stacked as more outputs."""
    equations = tuple([e for e in body.equations if not any(y in hoisted for y in e.outputs)])
    params = (*body.params[:n_consts], *hoisted, *body.params[n_consts:])
    return Function(body.name, params, equations, (*body.results[:count], *stack))


def _emit_unknown(
    b: Builder,
    params: ScanParams,
    split: Split,
    flags: tuple[Flags, Flags, Flags],
    residuals: Sequence[_Residual],
    operands: tuple[Atom, ...],
) -> tuple[Atom, ...]:
    f = split.unknown
    own, dc, di, ds = cut(f.params, len(residuals), *[g.count(True) for g in flags[:2]])
    stacked = tuple([r.stacked for r in residuals])
    body = function(f, (*others(own, stacked), *dc, *di, *select_flagged(own, stacked), *ds), f.results)
    c, i, s = [select_flagged(g, u) for g, u in zip(cut(operands, params.consts, params.carry), flags, strict=True)]
    values = [r.value for r in residuals]
    consts = (*others(values, stacked), *c)
    made = replace(params, body=body, consts=len(consts), carry=len(i))
    return SCAN(b, made, *consts, *i, *select_flagged(values, stacked), *s)


# --- transpose --------------------------------------------------------------------------------------------


def _transpose(
    b: Builder,
    params: ScanParams,
    xs: tuple[Atom | Linear, ...],
    cts: Tangents,
    recur: TransposeBody,
) -> tuple[Tangent | None, ...]:
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
    outs = SCAN(b, made, *c, *started, *totals, *s, *present(ys))
    first, sums, out_slices = cut(outs, len(started), len(totals))
    of_init = scatter_flagged(first, carry, [x.type for x in init])
    return (
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
    return Function(
        f.name,
        (*c, *ct_carry, *totals, *s, *ct_ys),
        tuple(b.equations),
        (*d_carry, *sums, *d_slices),
    )


# --- batch, prune -----------------------------------------------------------------------------------------


def _batch(
    b: Builder, params: ScanParams, xs: tuple[Atom, ...], axes: Axes, size: int, recur: BatchBody
) -> tuple[tuple[Atom, ...], Axes]:
    consts, init, slices = cut(axes, params.consts, params.carry)
    outputs = (False,) * (len(params.body.results) - params.carry)

    def step(carry: Flags) -> tuple[Batched, Flags]:
        flags = (*has_batch_axis(consts), *carry, *has_batch_axis(slices))
        made = recur(params.body, flags, (*carry, *outputs))
        return made, made.batched[: params.carry]

    done, carry = least_flags(has_batch_axis(init), step)
    c, i, s = cut(xs, params.consts, params.carry)
    operands = (
        *move_batch_to_front(b, c, consts, has_batch_axis(consts), size),
        *move_batch_to_front(b, i, init, carry, size),
        *[x if a is None else at_axis(b, x, a, size, 1) for x, a in zip(s, slices, strict=True)],
    )
    outs = SCAN(b, replace(params, body=done.function), *operands)
    ys = done.batched[params.carry :]
    return outs, (*front_axes(carry), *[1 if f else None for f in ys])


def _prune(params: ScanParams, used: Flags, recur: PruneBody) -> tuple[ScanParams, Flags, Flags]:
    wanted, outputs = cut(used, params.carry)
    before, after = (
        (False,) * params.consts,
        (False,) * (len(params.body.params) - params.consts - params.carry),
    )

    def step(carry: Flags) -> tuple[Pruned, Flags]:
        made = recur(params.body, (*carry, *outputs), (*before, *carry, *after))
        return made, made.kept[params.consts : params.consts + params.carry]

    done, carry = least_flags(wanted, step)
    if done.function is params.body:
        return params, (True,) * len(params.body.params), (*carry, *outputs)
    made = replace(
        params,
        body=done.function,
        consts=done.kept[: params.consts].count(True),
        carry=carry.count(True),
    )
    return made, done.kept, (*carry, *outputs)


def _flow(params: ScanParams, facts: Facts, recur: FlowBody) -> tuple[ScanParams, Facts]:
    consts, init, slices = cut(facts, params.consts, params.carry)

    def step(carry: Facts) -> tuple[Flowed, Facts]:
        made = recur(params.body, (*consts, *carry, *slices))
        return made, made.facts[: params.carry]

    done, carry = least_facts(init, step)
    last = done.facts[: params.carry] if params.length else carry
    return replace(params, body=done.function), (*last, *done.facts[params.carry :])


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
    """Of a loop whose length a run decides, the steps behind the last one leave the carry as it is."""
    made = replace(params, body=bodies[0], consts=params.consts + len(more))
    if not is_traced(params.length):
        return SCAN(b, made, *more, *xs)
    consts, carry, slices = cut(xs, params.consts, params.carry)
    count, steps = lengths.length(cast("Size", params.length)), bound(params.length)
    guarded = _guarded(bodies[0], made.consts, params.carry, lengths)
    numbers = iota(b, I32, (steps,), 0)
    made = replace(made, body=guarded, consts=made.consts + 1, length=steps)
    return SCAN(b, made, count, *more, *consts, *carry, numbers, *slices)


def _guarded(body: Function, consts: int, carry: int, lengths: Lengths) -> Function:
    """The body with the number of steps as its first constant and that of its step as its first slice."""
    inner = Builder()
    count = inner.param(Tensor(I32))
    before = [inner.param(p.type) for p in body.params[: consts + carry]]
    step = inner.param(Tensor(I32))
    xs = (*before, *[inner.param(p.type) for p in body.params[consts + carry :]])
    skipped = Builder()
    own = [skipped.param(x.type) for x in xs]
    kept: list[Atom] = [*own[consts : consts + carry], *[zeros(y.type) for y in body.results[carry:]]]
    branches = skipped.finish("no step", kept), body
    return inner.finish(body.name, lengths.choose(inner, compare(inner, "lt", step, count), branches, xs))


SCAN: RegionOp[ScanParams] = RegionOp(
    name="scan",
    params=ScanParams,
    doc="A loop of `length` steps over slices of the operands: the last carry, and the outputs stacked.",
    bodies=lambda params: (params.body,),
    rebuild=lambda params, bodies: replace(params, body=bodies[0]),
    type_rule=_type,
    evaluate=_evaluate,
    jvp=_jvp,
    split=_split,
    transpose=_transpose,
    batch=_batch,
    prune=_prune,
    flow=_flow,
    sharding="",
    work=lambda params, works: repeated(works[0], params.length),
    admit=_admit,
    samples=tuple(
        [
            Sample(ScanParams(_STEP, 1, 1, n, reverse), (Tensor(F64), Tensor(F64), Tensor(F64, (n,))))
            for n, reverse in ((3, False), (3, True), (0, False))
        ]
    ),
)
