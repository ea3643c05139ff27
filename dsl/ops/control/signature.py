"""The signature of ops with bodies, and the rules that follow from it alone: jvp, transpose, batch, prune, flow.

The bodies of such an op are alike: all of them take the same parameters. Some operands reach no body (`ahead`): the
index of a choice, the number of steps. Of the others, constants are the same in each run of a body, the carry is what
the run before gave, and the rest is read; results are the last carry and the outputs. A call carries nothing, and runs
once. `region` declares an op, whose own rules take the place of these. Read next: `call`, the simplest op with a body.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from operator import attrgetter
from typing import Any, Protocol, Self, TypeVar

import numpy as np
from msgspec import Struct

from dsl.ir.build import Builder
from dsl.ir.function import Atom, Function, Var
from dsl.ir.op import AdmitRule, Expand, Linear, Params, Place, RegionOp, Sample, Tangent, TypeRule
from dsl.ir.region import (
    Axes,
    BatchBody,
    Facts,
    Flags,
    FlowBody,
    Flowed,
    JvpBody,
    PruneBody,
    Pruned,
    RegionBatch,
    RegionFlow,
    RegionFollow,
    RegionJvp,
    RegionPrune,
    RegionSplit,
    RegionTranspose,
    Tangents,
    TransposeBody,
    Transposed,
)
from dsl.ir.work import Work
from dsl.ops.control.region_utils import function, move_batch_to_front
from dsl.ops.flags import (
    any_of,
    cotangents,
    cut,
    has_batch_axis,
    join_facts,
    knowns,
    least_facts,
    least_flags,
    linears,
    nonzero,
    present,
    scatter_flagged,
    select_flagged,
)
from dsl.ops.layout import at_axis
from dsl.ops.rule_helpers import materialise, zeros
from dsl.ops.rule_helpers import require_known as value_of
from dsl.records import replace

T = TypeVar("T")
M = TypeVar("M")
P = TypeVar("P", bound=Params)
Outputs = tuple[Atom, ...]
Groups = Callable[[Sequence[Any]], list[tuple[Any, ...]]]


class Signature(Struct, frozen=True):
    """How many operands no body sees, how many are constants, and how many are carried; the others are read.

    `along` is the axis behind which what is read, and the outputs, have their elements: 1 where steps are in front.
    `runs` says that a body runs at least once.
    """

    ahead: int = 0
    consts: int = 0
    carry: int = 0
    along: int = 0
    runs: bool = True

    @property
    def is_call(self) -> bool:
        """Return whether operands and results make one group each."""
        return not (self.consts or self.carry)

    def operands(self, values: Sequence[T]) -> list[tuple[T, ...]]:
        """The operands that no body sees, the constants, the carry, and what is read."""
        return [tuple(values[: self.ahead]), *self.params(values[self.ahead :])]

    def params(self, values: Sequence[T]) -> list[tuple[T, ...]]:
        """The constants, the carry, and what is read."""
        given, first = tuple(values), self.consts + self.carry
        return [given[: self.consts], given[self.consts : first], given[first:]]

    def results(self, values: Sequence[T]) -> list[tuple[T, ...]]:
        """The carry, and the outputs."""
        given = tuple(values)
        return [given[: self.carry], given[self.carry :]]

    def flagged(self, flags: Flags, value: bool = True) -> Signature:
        """The signature of the operands alone whose flag is `value`."""
        consts, carry, _ = self.params(flags)
        return replace(self, consts=consts.count(value), carry=carry.count(value))


CALLED = Signature()
CHOSEN_BY_INDEX = Signature(ahead=1)


class Origins(Struct, frozen=True):
    """Which parameters and results of the bodies of an op those of another are made from, in the order of the other,
    and the signature of that."""

    signature: Signature
    params: tuple[int, ...]
    results: tuple[int, ...]


class Region(Protocol):
    """The params of an op whose bodies are alike."""

    @property
    def signature(self) -> Signature:
        """How operands reach the bodies."""

    @property
    def alike(self) -> tuple[Function, ...]:
        """The bodies, one of which runs at a time."""

    def remade(self, bodies: Sequence[Function], origins: Origins | None = None, /) -> Self:
        """Return the params with other bodies. Without `origins`, their parameters and results are what they were."""
        ...


R = TypeVar("R", bound=Region)


class Called(Struct, frozen=True):
    """The params of an op with one body that runs once, on all operands."""

    function: Function

    signature = CALLED

    @property
    def alike(self) -> tuple[Function, ...]:
        """The one body."""
        return (self.function,)

    def remade(self, bodies: Sequence[Function], origins: Origins | None = None, /) -> Self:
        """Return the params with another body, of any parameters."""
        return replace(self, function=bodies[0])


def settled(
    params: Region, given: Flags, make: Callable[[Function, Flags, Flags], M], flags: Callable[[M], Flags]
) -> tuple[list[M], Flags, Flags]:
    """The bodies transformed, with the flags of their parameters and of their results: the least for which a run
    flags no more of the carry than was flagged before it, and no body flags other results than the others."""
    signature, bodies = params.signature, params.alike
    outputs = (False,) * (len(bodies[0].results) - signature.carry)
    if signature.is_call and len(bodies) == 1:
        only = make(bodies[0], given, outputs)
        return [only], given, flags(only)
    consts, init, xs = signature.params(given)

    def step(known: Flags) -> tuple[tuple[list[M], Flags], Flags]:
        made = [make(body, (*consts, *known[: signature.carry], *xs), known) for body in bodies]
        after = any_of([flags(m) for m in made])
        return (made, after), after if len(bodies) > 1 else (*after[: signature.carry], *outputs)

    (made, after), known = least_flags((*init, *outputs), step)
    return made, (*consts, *known[: signature.carry], *xs), after


def _beside(groups: Sequence[Sequence[T]], more: Sequence[Sequence[T]]) -> tuple[T, ...]:
    """Each group with its own more behind it."""
    return tuple([x for pair in zip(groups, more, strict=True) for part in pair for x in part])


def _with_flagged(flags: Flags, groups: Groups) -> tuple[int, ...]:
    """The numbers of all values, and behind those of each group the flagged ones of it once more."""
    numbers = groups(range(len(flags)))
    return _beside(numbers, [select_flagged(x, f) for x, f in zip(numbers, groups(flags), strict=True)])


def idle(params: Region) -> Function:
    """The body that keeps its carry, and whose outputs are zero."""
    signature, body = params.signature, params.alike[0]
    own = tuple([Var(p.type) for p in body.params])
    outputs = [zeros(t) for t in body.result_types[signature.carry :]]
    return Function(body.name, own, (), (*signature.params(own)[1], *outputs))


# --- the rules --------------------------------------------------------------------------------------------


def _jvp(
    op: RegionOp[Any], b: Builder, params: Region, xs: Outputs, ts: Tangents, recur: JvpBody
) -> tuple[Outputs, Tangents]:
    """Tangents join the groups of their primals: what differs from step to step is carried beside it."""
    signature = params.signature
    own, moved = ts[signature.ahead :], nonzero(ts[signature.ahead :])
    made, flags, force = settled(params, moved, recur, lambda m: m.nonzero)
    more = signature.flagged(flags)
    bodies = [_joint(m.function, signature, more, len(flags), len(force)) for m in made]
    origins = Origins(
        replace(signature, consts=signature.consts + more.consts, carry=signature.carry + more.carry),
        _with_flagged(flags, signature.params),
        _with_flagged(force, signature.results),
    )
    ahead, values = cut(xs, signature.ahead)
    tangents = [materialise(t) for t in select_flagged(own, flags)]
    operands = _beside(signature.params(values), more.params(tangents))
    outs = op(b, params.remade(bodies, origins), *ahead, *operands)
    last, dlast, ys, dys = cut(outs, signature.carry, more.carry, len(force) - signature.carry)
    return (*last, *ys), scatter_flagged((*dlast, *dys), force, [y.type for y in (*last, *ys)])


def _joint(made: Function, signature: Signature, more: Signature, params: int, results: int) -> Function:
    """The body of primals and tangents with its groups together; `more` is the signature of the tangents."""
    return function(
        made,
        _beside(signature.params(made.params[:params]), more.params(made.params[params:])),
        _beside(signature.results(made.results[:results]), more.results(made.results[results:])),
    )


def all_unknown(op: RegionOp[P], unknown: Builder, params: P, xs: Outputs) -> tuple[Outputs, Flags]:
    """A split of nothing: the op stands on the unknown side as it is."""
    outs = op(unknown, params, *xs)
    return outs, (True,) * len(outs)


def _transpose(
    op: RegionOp[Any], b: Builder, params: Region, xs: tuple[Atom | Linear, ...], cts: Tangents, recur: TransposeBody
) -> tuple[Tangent | None, ...]:
    """Cotangents of the outputs take the places of the linear operands, where nothing is carried."""
    first = params.signature.ahead
    linear, given = linears(xs[first:]), nonzero(cts)

    def step(force: Flags) -> tuple[tuple[list[Transposed], Flags], Flags]:
        made = [recur(body, linear, given, force) for body in params.alike]
        found = any_of([m.nonzero for m in made])
        return (made, found), found if len(made) > 1 else force

    (made, found), _ = least_flags((False,) * linear.count(True), step)
    ahead = [value_of(x) for x in xs[:first]]
    outs = op(b, params.remade([m.function for m in made]), *ahead, *knowns(xs[first:]), *present(cts))
    return (*(None,) * first, *cotangents(outs, found, xs[first:]))


def _with_bodies(params: R, bodies: Sequence[Function], flags: Flags, force: Flags) -> R:
    return params.remade(bodies)


def batch_alike(
    op: RegionOp[Any],
    b: Builder,
    params: R,
    xs: Outputs,
    axes: Axes,
    size: int,
    recur: BatchBody,
    remade: Callable[[R, Sequence[Function], Flags, Flags], R] = _with_bodies,
) -> tuple[Outputs, Axes]:
    """The batch axis is in front of constants and of the carry, and behind the steps of what is read and put out.
    `remade` may look at the flags of parameters and results."""
    signature = params.signature
    made, flags, force = settled(params, has_batch_axis(axes[signature.ahead :]), recur, lambda m: m.batched)
    ahead, values = cut(xs, signature.ahead)
    first = signature.consts + signature.carry
    operands = [
        at_axis(b, x, a, size, 0 if k < first else signature.along) if f else x
        for k, (x, a, f) in enumerate(zip(values, axes[signature.ahead :], flags, strict=True))
    ]
    outs = op(b, remade(params, [m.function for m in made], flags, force), *ahead, *operands)
    places = (0,) * signature.carry + (signature.along,) * (len(force) - signature.carry)
    return outs, tuple([place if f else None for place, f in zip(places, force, strict=True)])


def batch_behind(
    op: RegionOp[P], b: Builder, captured: int, params: P, xs: Outputs, axes: Axes, size: int, recur: BatchBody
) -> tuple[Outputs, Axes]:
    """Of a linear map, all has the batch axis but those of the first `captured` operands that have none; these are also
    the first parameters of each body."""
    known = has_batch_axis(axes[:captured])

    def batched(body: Function) -> Function:
        behind = (True,) * (len(body.params) - captured)
        return recur(body, (*known, *behind), (True,) * len(body.results)).function

    made = op.rebuild(params, [batched(body) for body in op.bodies(params)])
    flags = (*known, *(True,) * (len(xs) - captured))
    outs = op(b, made, *move_batch_to_front(b, xs, axes, flags, size))
    return outs, (0,) * len(outs)


def cotangents_behind(captured: int, found: Sequence[Atom], xs: Sequence[Atom | Linear]) -> tuple[Tangent | None, ...]:
    """Cotangents of the operands behind those that are `captured`, as far as they are linear."""
    own = [ct if isinstance(x, Linear) else None for x, ct in zip(xs[captured:], found, strict=True)]
    return (*(None,) * captured, *own)


def prune_alike(params: R, used: Flags, recur: PruneBody) -> tuple[R, Flags, Flags]:
    """Keep a carry where another run needs it; bodies that are alike keep what one of them needs."""
    signature, bodies = params.signature, params.alike
    wanted, outputs = signature.results(used)
    first, last = signature.consts, signature.consts + signature.carry
    before, behind = (False,) * first, (False,) * (len(bodies[0].params) - last)

    def carried(carry: Flags) -> Flags:
        return (*before, *carry, *behind)

    def step(known: Flags) -> tuple[tuple[list[Pruned], Flags], Flags]:
        made = [recur(body, (*known[first:last], *outputs), known) for body in bodies]
        kept = any_of([m.kept for m in made])
        return (made, kept), kept if len(bodies) > 1 else carried(kept[first:last])

    (made, kept), _ = least_flags(carried(wanted), step)
    stays, found = (*signature.params(kept)[1], *outputs), [m.function for m in made]
    if all(new is old for new, old in zip(found, bodies, strict=True)):
        return params, (True,) * (signature.ahead + len(kept)), stays
    numbers = [select_flagged(range(len(flags)), flags) for flags in (kept, stays)]
    origins = Origins(signature.flagged(kept), *numbers)
    return params.remade(found, origins), (*(True,) * signature.ahead, *kept), stays


def flow_alike(params: R, facts: Facts, recur: FlowBody) -> tuple[R, Facts]:
    """Return the facts of the carry before and after every run, and those of the outputs of any body."""
    signature = params.signature
    _, consts, init, xs = signature.operands(facts)

    def step(carry: Facts) -> tuple[tuple[list[Flowed], Facts], Facts]:
        made = [recur(body, (*consts, *carry, *xs)) for body in params.alike]
        after = reduce(join_facts, [m.facts for m in made])
        return (made, after), after[: signature.carry]

    (made, after), carry = least_facts(init, step)
    last = after[: signature.carry] if signature.runs else carry
    return params.remade([m.function for m in made]), (*last, *after[signature.carry :])


# --- declarations -----------------------------------------------------------------------------------------


def keep_whole(params: R, used: Flags, recur: PruneBody) -> tuple[R, Flags, Flags]:
    """A prune rule of ops with further functions that fit the whole signature: nothing is taken out of it."""
    (body,) = params.alike
    return params, (True,) * len(body.params), (True,) * len(used)


def region(
    *,
    name: str,
    params: type[P],
    doc: str,
    bodies: str | tuple[str, ...],
    type_rule: TypeRule[P],
    evaluate: Callable[..., tuple[np.ndarray[Any, Any], ...]],
    samples: tuple[Sample[P], ...],
    jvp: RegionJvp | None = None,
    split: RegionSplit | None = None,
    transpose: RegionTranspose | None = None,
    batch: RegionBatch | None = None,
    prune: RegionPrune | None = None,
    flow: RegionFlow | None = None,
    expand: Expand | None = None,
    place: Place | None = None,
    work: Callable[[P, Sequence[Work]], Work] | None = None,
    follow: RegionFollow | None = None,
    admit: AdmitRule[P] | None = None,
) -> RegionOp[P]:
    """An op whose bodies are in these fields of its params: one in each, or all in the one that is named alone. Rules
    that are not given are those above, for params that are a `Region`."""
    op: RegionOp[P] = RegionOp(
        name=name,
        params=params,
        doc=doc,
        bodies=_bodies(bodies),
        rebuild=_rebuilt(bodies),
        type_rule=type_rule,
        evaluate=evaluate,
        jvp=jvp or (lambda *args: _jvp(op, *args)),
        split=split or (lambda known, unknown, params, xs, flags, recur: all_unknown(op, unknown, params, xs)),
        transpose=transpose or (lambda *args: _transpose(op, *args)),
        batch=batch or (lambda *args: batch_alike(op, *args)),
        prune=prune or prune_alike,
        flow=flow or flow_alike,
        sharding="",
        samples=samples,
        expand=expand,
        place=place,
        work=work,
        follow=follow,
        admit=admit,
    )
    return op


def _bodies(fields: str | tuple[str, ...]) -> Callable[[Any], Sequence[Function]]:
    if isinstance(fields, str):
        return attrgetter(fields)
    first, *rest = fields
    return attrgetter(*fields) if rest else lambda params: (getattr(params, first),)


def _rebuilt(fields: str | tuple[str, ...]) -> Callable[[P, Sequence[Function]], P]:
    if isinstance(fields, str):
        return lambda params, bodies: replace(params, **{fields: tuple(bodies)})
    return lambda params, bodies: replace(params, **dict(zip(fields, bodies, strict=True)))
