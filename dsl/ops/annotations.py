"""Identities that say something to a transformation or to the compiler: stop_gradient, checkpoint_name,
optimization_barrier.

Knows nothing of bodies. The first two are gone once a program is expanded for lowering.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from msgspec import Struct

from dsl.ir.build import Builder
from dsl.ir.function import Atom, Literal, Tensor
from dsl.ir.op import NONE, Linear, NoParams, Op, Sample, Tangent, Zero
from dsl.ir.traits import MOVES, Traits
from dsl.ops.rule_helpers import NOT_LINEAR, Arrays, Axes, Batched, check_arity, over, zero_jvp
from dsl.types.dtype import ALL, F32, F64, I32


def _same_one(name: str) -> Callable[[Any, tuple[Tensor, ...]], tuple[Tensor, ...]]:
    """The type rule of an identity of one operand."""

    def rule(params: Any, types: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
        check_arity(name, types, 1)
        return types

    return rule


def _same_axes(op: Callable[[], Op[Any]]) -> Callable[[Builder, Any, tuple[Atom, ...], Axes, int], Batched]:
    """The batch rule of an identity: the results have the axes of the operands."""
    return lambda b, params, xs, axes, size: (op()(b, params, *xs), axes)


STOP_GRADIENT: Op[NoParams] = Op(
    name="stop_gradient",
    params=NoParams,
    doc="The operand, as a constant for every derivative.",
    type_rule=_same_one("stop_gradient"),
    evaluate=lambda params, types, x: (x,),
    jvp=zero_jvp,
    transpose=NOT_LINEAR,
    batch=_same_axes(lambda: STOP_GRADIENT),
    sharding="...->...",
    samples=over(ALL, (2, 3)),
    traits=MOVES,
    expand=lambda b, equation, batch: equation.inputs,
)


class NameParams(Struct, frozen=True):
    """The name that a `checkpoint` may keep the value by."""

    name: str


def _named_jvp(
    b: Builder, params: NameParams, xs: tuple[Atom, ...], ys: tuple[Atom, ...], ts: tuple[Tangent, ...]
) -> tuple[Tangent, ...]:
    return ts


def _named_transpose(
    b: Builder, params: NameParams, xs: tuple[Atom | Linear, ...], cts: tuple[Tangent, ...]
) -> tuple[Tangent | None, ...]:
    return cts


CHECKPOINT_NAME: Op[NameParams] = Op(
    name="checkpoint_name",
    params=NameParams,
    doc="The operand, under a name that the policy of a `checkpoint` may keep it by.",
    type_rule=_same_one("checkpoint_name"),
    evaluate=lambda params, types, x: (x,),
    jvp=_named_jvp,
    transpose=_named_transpose,
    batch=_same_axes(lambda: CHECKPOINT_NAME),
    sharding="...->...",
    samples=tuple([Sample(NameParams("hidden"), (Tensor(t, (2, 3)),)) for t in ALL]),
    traits=MOVES,
    expand=lambda b, equation, batch: equation.inputs,
)


def _same_all(params: NoParams, types: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
    return types


def _barrier_eval(params: NoParams, types: tuple[Tensor, ...], *xs: Any) -> Arrays:
    return xs


def _barrier_jvp(
    b: Builder, params: NoParams, xs: tuple[Atom, ...], ys: tuple[Atom, ...], ts: tuple[Tangent, ...]
) -> tuple[Tangent, ...]:
    after = iter(barrier(b, [t for t in ts if not isinstance(t, Zero)]))
    return tuple([t if isinstance(t, Zero) else next(after) for t in ts])


def _barrier_transpose(
    b: Builder, params: NoParams, xs: tuple[Atom | Linear, ...], cts: tuple[Tangent, ...]
) -> tuple[Tangent | None, ...]:
    after = _barrier_jvp(b, params, (), (), cts)
    return tuple([ct if isinstance(x, Linear) else None for x, ct in zip(xs, after, strict=True)])


BARRIER: Op[NoParams] = Op(
    name="optimization_barrier",
    params=NoParams,
    doc="The operands; the compiler neither moves work across nor merges what is on both sides.",
    type_rule=_same_all,
    evaluate=_barrier_eval,
    jvp=_barrier_jvp,
    transpose=_barrier_transpose,
    batch=_same_axes(lambda: BARRIER),
    sharding="...->...",
    samples=(*over((F32, I32), (2, 3), (2,)), *over((F64,), ())),
    traits=Traits(moves=True, apart=True),
)


def barrier(b: Builder, xs: Sequence[Atom]) -> tuple[Atom, ...]:
    """The values behind a barrier; literals need none."""
    moved = [x for x in xs if not isinstance(x, Literal)]
    after = iter(BARRIER(b, NONE, *moved) if moved else ())
    return tuple([x if isinstance(x, Literal) else next(after) for x in xs])


def stop_gradient(b: Builder, x: Atom) -> Atom:
    """`x`, with no derivative through it."""
    return x if isinstance(x, Literal) else STOP_GRADIENT(b, NONE, x)[0]


def checkpoint_name(b: Builder, x: Atom, name: str) -> Atom:
    """`x`, under a name that the policy of a `checkpoint` may mention."""
    return x if isinstance(x, Literal) else CHECKPOINT_NAME(b, NameParams(name), x)[0]


ANNOTATIONS: tuple[Op[Any], ...] = (STOP_GRADIENT, CHECKPOINT_NAME, BARRIER)
