"""Calls of shared functions, and `checkpoint`: a call whose residuals are computed again instead of kept.

A `call` is a boundary: what it calls is transformed once however often it is called. A `checkpoint` splits
into its known half, which gives the results alone, and an unknown half that starts by computing the
residuals from the inputs. Effects happen in the known half only. Read next: `checkpoint_policy`, `branch`, `scan`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, cast

from dsl.core.policies import POLICY_NAMES
from dsl.ir.build import Builder
from dsl.ir.columns import States
from dsl.ir.function import Atom, Equation, Function, Tensor, Var
from dsl.ir.op import Lengths, RegionOp, Sample
from dsl.ir.region import BatchAxis, Flags, Split, SplitBody
from dsl.ops.annotations import barrier
from dsl.ops.control.region_utils import build_function, check_signature, residual_values
from dsl.ops.control.signature import Called, batch_alike, region
from dsl.ops.effects import silent
from dsl.ops.elementwise import mul
from dsl.ops.flags import merge_flagged, others, select_flagged
from dsl.ops.layout import reduce_sum
from dsl.ops.residuals.budget import versions_of
from dsl.ops.residuals.checkpoint_policy import Versions
from dsl.records import replace
from dsl.types.dtype import F64


class CallParams(Called, frozen=True):
    """The function that is called."""


class CheckpointParams(Called, frozen=True):
    """`keep` names the ops whose outputs are kept as residuals: see `POLICIES`; None keeps every residual. Values that
    `checkpoint_name` gave a name in `names` are kept as well. With a `budget`, what is kept is chosen such that it
    takes at most so many bytes.

    `again` marks the half that computes residuals a second time; the compiler may not merge it with the
    first.
    """

    keep: tuple[str, ...] | None
    names: tuple[str, ...] = ()
    again: bool = False
    budget: int | None = None


NOTHING: tuple[str, ...] = ()
DOTS: tuple[str, ...] = ("conv_general", "dot_general")
POLICIES: tuple[tuple[str, tuple[str, ...] | None], ...] = tuple(zip(POLICY_NAMES, (NOTHING, DOTS, None), strict=True))


def _type(params: Called, types: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
    check_signature("call", params.function, types)
    return params.function.result_types


def evaluate_call(recur: Any, params: Called, *xs: Any) -> Any:
    """The results of the function."""
    return recur(params.function, *xs)


def _follow(params: Called, states: States, recur: Callable[[Function, States], States]) -> States:
    return recur(params.function, states)


# --- call -------------------------------------------------------------------------------------------------


def call(b: Builder, function: Function, xs: Sequence[Atom]) -> tuple[Atom, ...]:
    """Emits a call, or nothing where the function does nothing but rename."""
    if not function.equations:
        values: dict[Atom, Atom] = dict(zip(function.params, xs, strict=True))
        return tuple([values[r] if isinstance(r, Var) else r for r in function.results])
    return b.emit(CALL, CallParams(function), xs)


def split_call(
    known: Builder, unknown: Builder, params: Called, xs: tuple[Atom, ...], flags: Flags, recur: SplitBody
) -> tuple[tuple[Atom, ...], Flags]:
    """Calls the known half where it stands and the unknown half on the other side."""
    done = recur.lean(params.function, flags)
    given = others(xs, flags)
    outs = call(known, done.known, given)
    residuals = residual_values(done, given, outs)
    late = call(unknown, done.unknown, (*residuals, *select_flagged(xs, flags)))
    return merge_flagged(done.out_unknown, late, outs), done.out_unknown


def expand_call(b: Builder, equation: Equation, batch: BatchAxis) -> tuple[Atom, ...]:
    """A plain call in place of an equation that has rules of its own."""
    return call(b, cast(Called, equation.params).function, equation.inputs)


def admit_call(
    b: Builder,
    params: Called,
    bodies: Sequence[Function],
    xs: tuple[Atom, ...],
    more: tuple[Atom, ...],
    lengths: Lengths,
) -> tuple[Atom, ...]:
    """A plain call of the function, which takes `more` first."""
    return call(b, bodies[0], (*more, *xs))


_VECTOR, _SCALAR = Tensor(F64, (3,)), Tensor(F64)
_PRODUCTS = build_function(
    "products", (_VECTOR, _SCALAR), lambda b, x, y: (mul(b, x, x), mul(b, y, reduce_sum(b, x, (0,))))
)

CALL: RegionOp[CallParams] = region(
    name="call",
    params=CallParams,
    doc="The results of `function` on the operands.",
    bodies=("function",),
    type_rule=_type,
    evaluate=evaluate_call,
    split=split_call,
    follow=_follow,
    samples=(Sample(CallParams(_PRODUCTS), (_VECTOR, _SCALAR)),),
    admit=admit_call,
)


# --- checkpoint -------------------------------------------------------------------------------------------


def _split_checkpoint(
    known: Builder, unknown: Builder, params: CheckpointParams, xs: tuple[Atom, ...], flags: Flags, recur: SplitBody
) -> tuple[tuple[Atom, ...], Flags]:
    done = recur(params.function, flags)
    given = others(xs, flags)
    count = done.out_unknown.count(False)
    residuals = done.unknown.params[: len(done.residuals)]
    made, left = versions_of(params, params.budget, done.known.equations, residuals, (DOTS, None))
    params = replace(params, budget=left)
    early = (*done.known.results[:count], *made.kept)
    first = Function(done.known.name, done.known.params, made.first, early)
    outs = CHECKPOINT(known, replace(params, function=first), *given)
    joint, used = _recomputing(done, made)
    operands = (*select_flagged(given, used), *outs[count:], *select_flagged(xs, flags))
    late = unknown.emit(CHECKPOINT, replace(params, function=joint, again=True), operands)
    return merge_flagged(done.out_unknown, late, outs[:count]), done.out_unknown


def _recomputing(done: Split, made: Versions) -> tuple[Function, Flags]:
    """Known params, kept residuals, unknown params -> unknown results; and which known params it takes."""
    unknown, kept = done.unknown, made.kept
    again = silent(made.again)
    # What the unknown half makes again for itself is the same value as here.
    bound = {y for e in again for y in e.outputs} | set(kept)
    equations = (*again, *[e for e in unknown.equations if bound.isdisjoint(e.outputs)])
    needed = {x for e in equations for x in e.inputs if isinstance(x, Var)}
    used = tuple([p in needed or p in unknown.results for p in done.known.params])
    params = (*select_flagged(done.known.params, used), *kept, *unknown.params[len(done.residuals) :])
    return Function(unknown.name, params, equations, unknown.results), used


def _share(params: CheckpointParams, size: int) -> CheckpointParams:
    """The params for many elements together, of which each has its part of a budget."""
    return params if params.budget is None else replace(params, budget=params.budget * size)


def _expand_checkpoint(b: Builder, equation: Equation, batch: BatchAxis) -> tuple[Atom, ...]:
    """A plain call, behind a barrier where it repeats work on purpose."""
    params, xs = cast(CheckpointParams, equation.params), equation.inputs
    return call(b, params.function, barrier(b, xs) if params.again else xs)


CHECKPOINT: RegionOp[CheckpointParams] = region(
    name="checkpoint",
    params=CheckpointParams,
    doc="The results of `function` on the operands; its residuals are computed again for the derivative.",
    bodies=("function",),
    type_rule=_type,
    evaluate=evaluate_call,
    split=_split_checkpoint,
    batch=lambda b, params, *rest: batch_alike(CHECKPOINT, b, _share(params, rest[2]), *rest),
    follow=_follow,
    samples=(
        *[Sample(CheckpointParams(_PRODUCTS, keep), (_VECTOR, _SCALAR)) for _, keep in POLICIES],
        Sample(CheckpointParams(_PRODUCTS, NOTHING, budget=24), (_VECTOR, _SCALAR)),
    ),
    admit=lambda b, params, bodies, xs, more, lengths: CHECKPOINT(b, params.remade(bodies), *more, *xs),
    expand=_expand_checkpoint,
)
