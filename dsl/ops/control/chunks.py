"""Loops of many steps in chunks: the derivative keeps the start of each chunk, and recomputes its steps.

`split_in_chunks` makes a loop over chunks of as many steps as have all their residuals kept at once, or of as many
chunks, each a loop that is split in the same way. The known half stacks the carry at the start of each chunk and
carries the residuals of the last one. The unknown half is a counted scan over the chunks, which recomputes the
residuals of each but the last: a loop that takes no more steps than are kept at once recomputes nothing, whatever
its limit. Residuals that are too large are not carried: they would be there twice, beside those that are recomputed.
Both halves are checkpoints, so that derivatives of derivatives keep as little.

With b of them at once, n steps under a limit L keep the residuals of b steps and b carries for each power of b below
L, and recompute a step at most log n times, the logarithm to the base b. Read next: `loop`.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from dsl.ir.build import Builder
from dsl.ir.equation_work import bounded
from dsl.ir.function import Atom, Function, Tensor, Var
from dsl.ir.op import RegionOp
from dsl.ir.region import Flags, Split, SplitBody
from dsl.ops.control.branch import COND, CondParams
from dsl.ops.control.call import CHECKPOINT, NOTHING, CheckpointParams, call
from dsl.ops.control.kept_steps import hoist
from dsl.ops.control.scan import COUNT, counted_scan
from dsl.ops.control.signature import all_unknown
from dsl.ops.control.while_params import WhileParams, with_steps
from dsl.ops.effects import silent
from dsl.ops.elementwise import add, compare, convert, mul, select
from dsl.ops.extent import iota
from dsl.ops.flags import cut, least_flags, merge_flagged, others, select_flagged
from dsl.ops.rule_helpers import splat, zeros
from dsl.records import replace
from dsl.types.dtype import BOOL

MOST, LEAST = 64, 8
"""Between these is the number of steps whose residuals are kept at once, and of chunks whose starts are."""

ROOM = 1 << 18
"""The bytes that may be kept at once of the one or the other, where `LEAST` of them are less: room is cleared before
anything is kept, also for steps that are not taken. Residuals of the last chunk that are more are computed again."""

TRUTH = Tensor(BOOL)


def kept_at_once(size: int) -> int:
    """How many of so many bytes each are kept at once: a power of two."""
    count = MOST
    while count > LEAST and count * size > ROOM:
        count //= 2
    return count


def is_computed_again(params: WhileParams, unknown: Flags, size: int) -> bool:
    """Return whether a step of a loop over chunks, which keeps so many bytes, keeps only what it is given, and computes
    the rest again: if `LEAST` steps would keep more than there is room for, and what is given takes at most half. It
    says which of the carry is `unknown`."""
    carry = params.body.param_types[params.body_consts :]
    given = sum(bounded(t).bytes for t in others(carry, unknown))
    return LEAST * size > ROOM and size >= 2 * given


def computed_again(params: WhileParams) -> WhileParams:
    """Return the loop whose steps keep what they are given."""
    b = Builder()
    xs = [b.param(p.type) for p in params.body.params]
    outs = CHECKPOINT(b, CheckpointParams(params.body, NOTHING), *xs)
    return replace(params, body=b.finish(params.body.name, outs))


def _chunk_size(params: WhileParams, limit: int, at_once: int) -> int:
    """The steps of a chunk: those that are kept at once, or so many chunks of such chunks as there are starts kept at
    once, and so on; the largest that is below half the limit. Up to twice as many starts are kept rather than that all
    is computed once more."""
    carry = params.cond.param_types[params.cond_consts :]
    starts = kept_at_once(sum(bounded(t).bytes for t in carry if t.dtype.is_inexact))
    size = at_once
    while 2 * size * starts < limit:
        size *= starts
    return size


def split_in_chunks(
    op: RegionOp[WhileParams],
    known: Builder,
    unknown: Builder,
    params: WhileParams,
    xs: tuple[Atom, ...],
    flags: Flags,
    recur: SplitBody,
    at_once: int,
) -> tuple[tuple[Atom, ...], Flags]:
    """The split of the loop `op`, which has a limit and no outputs, by that of its chunks; of so many steps the
    residuals are kept at once."""
    limit = params.limit
    assert limit is not None
    tests, consts, init = cut(flags, params.cond_consts, params.body_consts)
    size, count = _chunk_size(params, limit, at_once), len(init)
    chunk = _chunk(op, params, limit, size)

    def step(carry: Flags) -> tuple[Split, Flags]:
        made = recur(chunk, (*tests, *consts, *carry, False), (*carry, False))
        return made, made.out_unknown[:count]

    done, carry = least_flags(init, step)
    if done.out_unknown[count]:
        return all_unknown(op, unknown, params, xs)
    halves = _Halves(op, params, limit, size, done, (*tests, *consts), carry)
    return halves.run(known, unknown, xs), carry


def _chunk(op: RegionOp[WhileParams], params: WhileParams, limit: int, size: int) -> Function:
    """One chunk: the constants of condition and body, the carry, the steps taken before -> the last two."""
    b = Builder()
    xs = [b.param(p.type) for p in (*params.cond.params[: params.cond_consts], *params.body.params)]
    taken = b.param(params.counter)
    made = replace(with_steps(params, params.counter), cond=_limited(params, limit), limit=size)
    return b.finish(params.body.name, op(b, made, *xs, taken))


def _limited(params: WhileParams, limit: int) -> Function:
    """Return the condition of a chunk: the loop's condition is evaluated only while there are steps left."""
    b = Builder()
    xs = [b.param(p.type) for p in params.cond.params]
    left = compare(b, "lt", b.param(params.counter), splat(limit, params.counter))
    never = Function(params.cond.name, tuple([Var(x.type) for x in xs]), (), (splat(0, TRUTH),))
    return b.finish(params.cond.name, COND(b, CondParams((never, params.cond)), left, *xs))


class _Halves(Struct, frozen=True):
    """The halves of a loop over chunks of `size` steps. `split` is that of a chunk, `consts` and `carry` say which are
    unknown.

    Residuals are constants, where a chunk began, or what it computes: `computed`.
    """

    op: RegionOp[WhileParams]
    loop: WhileParams
    limit: int
    size: int
    split: Split
    consts: Flags
    carry: Flags

    @property
    def chunks(self) -> int:
        """How many chunks there are at most."""
        return -(-self.limit // self.size)

    @property
    def given(self) -> int:
        """How many constants are known."""
        return self.consts.count(False)

    @property
    def residuals(self) -> list[Var]:
        """The residuals of a chunk, as variables of its known half."""
        values = (*self.split.known.params, *self.split.known.results)
        return [v for i in self.split.residuals if isinstance(v := values[i], Var)]

    def run(self, known: Builder, unknown: Builder, xs: tuple[Atom, ...]) -> tuple[Atom, ...]:
        """Emits both halves: the last carry."""
        consts, init = cut(xs, len(self.consts))
        first = others(consts, self.consts)
        outer: dict[Var, Atom] = dict(zip(self.split.known.params, first, strict=False))
        hoisted = hoist(known, self.split.known, outer, self.residuals)
        computed = self._computed(hoisted)
        held = computed if sum(bounded(r.type).bytes for r in computed) <= ROOM else []
        start = (*others(init, self.carry), splat(0, self.loop.counter), splat(0, COUNT))
        operands = (*first, *start, *[zeros(r.type) for r in held])
        outs = self.op(known, self._over_chunks(held), *operands)
        early, _, (number,), kept, starts = cut(outs, len(start) - 2, 1, 1, len(held))
        late = select_flagged(consts, self.consts)
        body = self._late(computed, held, list(hoisted))
        fixed = (number, *first, *kept, *hoisted.values(), *late)
        positions = iota(unknown, COUNT.dtype, (self.chunks,), 0)
        operands = (*fixed, *select_flagged(init, self.carry), positions, *starts)
        again = counted_scan(self.chunks, number, self.carry.count(True))
        return merge_flagged(self.carry, again(unknown, body, len(fixed), operands), early)

    def _computed(self, hoisted: dict[Var, Atom]) -> list[Var]:
        there = {*self.split.known.params, *hoisted}
        return [r for r in dict.fromkeys(self.residuals) if r not in there]

    def _early(self, held: Sequence[Var]) -> Function:
        """The known half of a chunk: its last carry, the steps taken, and the residuals that are held."""
        half = self.split.known
        return Function(half.name, half.params, half.equations, (*half.results[: self._carried], *held))

    @property
    def _carried(self) -> int:
        """The known values of the carry of a chunk, and the steps taken."""
        return self.carry.count(False) + 1

    def _over_chunks(self, held: Sequence[Var]) -> WhileParams:
        """The known loop over chunks. It goes on while chunks are full: the next one then asks the condition."""
        b = Builder()
        params = [b.param(p.type) for p in self.split.known.params]
        number = b.param(COUNT)
        for r in held:
            b.param(r.type)
        after = CHECKPOINT(b, CheckpointParams(self._early(held), NOTHING), *params)
        last, kept = cut(after, self._carried)
        body = b.finish(self.loop.body.name, (*last, add(b, number, splat(1, COUNT)), *kept, *params[self.given :]))
        return WhileParams(self._more(body), body, 0, self.given, self.chunks)

    def _more(self, body: Function) -> Function:
        b = Builder()
        carry = [b.param(p.type) for p in body.params[self.given :]]
        taken, number = carry[self._carried - 1 : self._carried + 1]
        counter = self.loop.counter
        whole = mul(b, convert(b, number, counter.dtype), splat(self.size, counter))
        full, left = compare(b, "eq", taken, whole), compare(b, "lt", taken, splat(self.limit, counter))
        return b.finish(self.loop.cond.name, (select(b, full, left, splat(0, TRUTH)),))

    def _late(self, computed: Sequence[Var], held: Sequence[Var], hoisted: Sequence[Var]) -> Function:
        """One chunk of the unknown loop: the number of chunks, known constants, the residuals that are held of the last
        chunk, those that are constant, unknown constants, the unknown carry, the position, where the chunk began -> the
        carry."""
        half, b = self.split.known, Builder()
        number = b.param(COUNT)
        first = [b.param(p.type) for p in half.params[: self.given]]
        kept = [b.param(r.type) for r in held]
        constant = [b.param(r.type) for r in hoisted]
        tangents = [b.param(p.type) for p in self.split.unknown.params[len(self.split.residuals) :]]
        position = b.param(COUNT)
        start = [b.param(p.type) for p in half.params[self.given :]]
        given = (*first, *start)
        if kept:
            last = compare(b, "eq", add(b, position, splat(1, COUNT)), number)
            again = self._unless(b, last, computed, given, kept)
        else:
            again = call(b, self._again(computed), given)
        values: dict[Var, Atom] = dict(
            zip((*half.params, *hoisted, *computed), (*first, *start, *constant, *again), strict=True)
        )
        outs = call(b, self.split.unknown, (*[values[r] for r in self.residuals], *tangents))
        joint = b.finish(half.name, outs)
        body = Builder()
        xs = [body.param(p.type) for p in joint.params]
        return body.finish(half.name, CHECKPOINT(body, CheckpointParams(joint, NOTHING), *xs))

    def _again(self, computed: Sequence[Var]) -> Function:
        """The residuals of a chunk, computed again."""
        half = self.split.known
        return Function(half.name, half.params, silent(half.equations), tuple(computed))

    def _unless(
        self, b: Builder, last: Atom, computed: Sequence[Var], given: Sequence[Atom], kept: Sequence[Atom]
    ) -> tuple[Atom, ...]:
        """Return the values that a chunk computes, again unless it is the last. If elements choose separately, they
        compute both, so the last has no steps left there."""
        *values, taken = given
        taken = select(b, last, splat(self.limit, taken.type), taken)
        again = self._again(computed)
        had = tuple([Var(r.type) for r in computed])
        own = tuple([Var(p.type) for p in again.params])
        compute = Function(again.name, (*again.params, *had), again.equations, again.results)
        more = tuple([Var(r.type) for r in computed])
        keep = Function(again.name, (*own, *more), (), more)
        return COND(b, CondParams((compute, keep)), last, *values, taken, *kept)
