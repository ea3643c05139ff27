"""Ops: declarations with all their semantic rules. Rules are required; their absence is explicit.

The rules receive a `Builder` and emit equations with it; they never touch global state. `dsl.ops` declares
the ops, `dsl.transforms` drives the rules, `lowering.stablehlo` holds the one rule that is not here.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeAlias, TypeVar

import numpy as np
from msgspec import Struct

from dsl.ir.function import Atom, Equation, Function, Tensor
from dsl.ir.traits import PLAIN, Traits
from dsl.ir.work import Work

if TYPE_CHECKING:
    from dsl.ir.build import Builder
    from dsl.ir.region import (
        BatchNamed,
        Facts,
        NamedAxis,
        RegionBatch,
        RegionFlow,
        RegionFollow,
        RegionJvp,
        RegionPrune,
        RegionSplit,
        RegionTranspose,
    )
    from dsl.types.size import Size


class Params(Protocol):
    """Parameters of an equation: a frozen, hashable record per op; `NoParams` where there are none."""

    def __hash__(self) -> int: ...


class NoParams(Struct, frozen=True):
    """The parameters of an op that has none."""


NONE = NoParams()


class Zero(Struct, frozen=True):
    """A tangent or cotangent that is structurally zero. Never materialised unless a rule has to."""

    type: Tensor


class Linear(Struct, frozen=True):
    """Stands for an input of unknown value in a transpose rule: the op is linear in it."""

    type: Tensor


Tangent: TypeAlias = "Atom | Zero"
Fill: TypeAlias = "bool | int | float | complex | None"
P = TypeVar("P", bound=Params)

ZeroRule: TypeAlias = "Callable[[Equation, Facts], int]"
"""What is known of the results of an equation from what is known of its operands: see `dsl.ops.zero_flow`."""

Expand: TypeAlias = "Callable[[Builder, Equation, BatchNamed], tuple[Atom, ...] | None]"
"""expand(b, equation, batch) -> what stands for the outputs once nothing more is to be transformed; None if the
equation stays. Of ops that only speak to transformations."""

Place: TypeAlias = "Callable[[Builder, Equation, int, BatchNamed], tuple[Atom, ...]]"
"""place(b, equation, devices, batch) -> what stands for the outputs on so many devices. Of ops whose params have a
`mesh`."""

Measure: TypeAlias = "Callable[[P, tuple[Tensor, ...], tuple[Tensor, ...]], int]"
"""measure(params, types of the inputs, types of the outputs) -> a number of operations, or of bytes."""

Weaken: TypeAlias = "Callable[[Builder, Equation, Facts], bool]"
"""Emits what stands for a product that absorbs, with the last equation for its output; or says that it stays."""

MaskRule: TypeAlias = "Callable[[P, tuple[Tensor, ...]], tuple[Fill, ...] | None]"
"""mask(params, types of the inputs) -> for each operand the number that leaves results as they are where it stands
behind the elements, along axes that the results do not have, or None if anything may stand there. No rule, and None in
place of the tuple: the op needs to know how many elements there are."""

PadRule: TypeAlias = "Callable[[Builder, P, tuple[Tensor, ...], tuple[Atom, ...], Lengths], tuple[Atom, ...]]"
"""pad(b, params, types of the inputs, inputs that are padded, lengths) -> outputs that are padded."""

TypeRule: TypeAlias = Callable[[P, tuple[Tensor, ...]], tuple[Tensor, ...]]
"""Types of the inputs to types of the outputs; raises `IRTypeError` (see `build`) with one clear sentence."""

Evaluate: TypeAlias = Callable[..., "tuple[np.ndarray[Any, Any], ...]"]
"""evaluate(params, input_types, *arrays) -> arrays of exactly the output types, with XLA's semantics."""

JvpRule: TypeAlias = Callable[
    ["Builder", P, tuple[Atom, ...], tuple[Atom, ...], tuple[Tangent, ...]], tuple[Tangent, ...]
]
"""jvp(b, params, inputs, outputs, tangents) -> tangents of outputs. Integer and bool outputs give Zero.
The primal equation is already emitted (`outputs`). What is emitted must be linear in the tangents."""

TransposeRule: TypeAlias = Callable[
    ["Builder", P, "tuple[Atom | Linear, ...]", tuple[Tangent, ...]], "tuple[Tangent | None, ...]"
]
"""transpose(b, params, inputs, cotangents of outputs) -> a cotangent per Linear input, None for others."""

BatchRule: TypeAlias = Callable[
    ["Builder", P, tuple[Atom, ...], "tuple[int | None, ...]", int],
    "tuple[tuple[Atom, ...], tuple[int | None, ...]]",
]
"""batch(b, params, inputs, batch axis of each input or None, batch size) -> outputs and their batch axes."""

AlongRule: TypeAlias = Callable[
    ["Builder", P, tuple[Atom, ...], "tuple[int | None, ...]"], "tuple[tuple[Atom, ...], tuple[int | None, ...]]"
]
"""along(b, params, inputs, axis of the elements in each input or None) -> outputs and their axes, where the elements of
the axis `params.name` are mapped together."""

SpreadRule: TypeAlias = Callable[
    ["Builder", Equation, tuple[Atom, ...], "tuple[int | None, ...]", "NamedAxis"],
    "tuple[tuple[Atom, ...], tuple[int | None, ...]]",
]
"""spread(b, equation, inputs, their axes, the axis) -> outputs and their axes, where devices share the elements."""

AdmitRule: TypeAlias = (
    "Callable[[Builder, P, Sequence[Function], tuple[Atom, ...], tuple[Atom, ...], Lengths], tuple[Atom, ...]]"
)


class Lengths(Protocol):
    """The sizes that a run decides, where arrays are padded to the bounds of these."""

    def length(self, size: Size) -> Atom:
        """Return how many elements there are, an i32."""
        ...

    def decide(self, size: Size, length: Atom) -> None:
        """Take what a size is from here on."""
        ...

    def filled(self, x: Atom, type: Tensor, fill: Fill | Atom) -> Atom:
        """Return a padded array of this type with another number behind its ends."""
        ...

    def shifted(self, x: Atom, axis: int, by: Size, size: int, fill: Atom | None = None) -> Atom:
        """Return as many elements along an axis of a padded array, from a place on; the fill where it has none."""
        ...

    def placed(self, x: Atom, part: Atom, axis: int, at: Size) -> Atom:
        """Return a padded array with another one in it from a place along an axis on."""
        ...

    def reshaped(self, x: Atom, type: Tensor, shape: tuple[int, ...]) -> Atom:
        """Return the elements of a padded array under another shape."""
        ...


class Factors(Struct, frozen=True):
    """A number for each axis of the operands and of the results. Axes with the same number are partitioned together,
    into as many parts as divide them all, and the `counts` of that number; each device needs an axis without a number
    whole. Devices combine partial results along a number that only operands have."""

    operands: tuple[tuple[int | None, ...], ...]
    results: tuple[tuple[int | None, ...], ...]
    counts: tuple[tuple[int, int], ...] = ()


ShardingRule: TypeAlias = "str | Callable[[P, tuple[Tensor, ...]], Factors]"
"""sharding(params, input types) -> the factors. `"...,->..."` for ops of elements: operands and results have the same
axes, or none. An empty text for ops with bodies, which have annotations of their own."""


class NotDifferentiable(Struct, frozen=True):
    """Spoken absence of a jvp rule; the reason is printed to users (E0803). Results that are no floats have no
    derivative to miss."""

    why: str


class NotLinear(Struct, frozen=True):
    """Spoken absence of a transpose rule: the op is linear in none of its inputs."""

    why: str


class NotEvaluable(Struct, frozen=True):
    """Spoken absence of an evaluation with NumPy: in its place, it raises TypeError with the reason."""

    why: str

    def __call__(self, *given: Any) -> Any:
        raise TypeError(self.why)


@dataclass(frozen=True, slots=True)
class Sample(Generic[P]):
    """Inputs on which every rule of the op is exercised by the tests.

    Values are drawn from `domain`, or made by `draw` where independent random numbers will not do.
    """

    params: P
    inputs: tuple[Tensor, ...]
    domain: tuple[float, float] = (-2.0, 2.0)
    draw: Callable[[np.random.Generator], Sequence[np.ndarray[Any, Any]]] | None = field(default=None, repr=False)


def _always(params: Any) -> bool:
    return True


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Op(Generic[P]):
    """A first-order op. Calling it emits one equation: `ADD(b, NONE, x, y)` gives the tuple of outputs.

    Optional: `traits`; `zero_rule`, what is known of the results where neither the traits nor linearity tell enough;
    `weaken`, of a product in which zeros absorb everything (if its params have a field `absorbs`, where that is
    set); `expand`; `place`; `flops`, where they are not one for each element of the largest operand or result, none of
    what only moves numbers; of a collective, `along` and `spread`, what all elements of the axis `params.name` do
    together, and `sent`, the bytes that each member sends to others; `mask`, of an op that combines elements, what may
    stand behind those whose number a run decides; `pad`, where that is not enough; `decides`, of one that decides such
    a number, which types may mention where its results are not used; `ordered`, of one with an effect, whether that has
    an order; if not, `masked`, its params and inputs where it acts only if one more input is true.
    """

    name: str
    params: type[P]
    doc: str
    type_rule: TypeRule[P]
    evaluate: Evaluate
    jvp: JvpRule[P] | NotDifferentiable
    transpose: TransposeRule[P] | NotLinear
    batch: BatchRule[P]
    sharding: ShardingRule[P]
    samples: tuple[Sample[P], ...]
    traits: Traits = PLAIN
    zero_rule: ZeroRule | None = None
    weaken: Weaken | None = None
    expand: Expand | None = None
    place: Place | None = None
    flops: Measure[P] | None = None
    sent: Measure[P] | None = None
    along: AlongRule[P] | None = None
    spread: SpreadRule | None = None
    mask: MaskRule[P] | None = None
    pad: PadRule[P] | None = None
    decides: bool = False
    effect: str | None = None
    ordered: Callable[[P], bool] = _always
    masked: Callable[[Builder, P, tuple[Atom, ...], Atom], tuple[P, tuple[Atom, ...]]] | None = None

    def __call__(self, b: Builder, params: P, *inputs: Atom) -> tuple[Atom, ...]:
        return b.emit(self, params, inputs)


AnyOp: TypeAlias = "Op[Any] | RegionOp[Any]"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RegionOp(Generic[P]):
    """An op whose params hold bodies (`Function`s). Its rules receive the transformation as an argument.

    `bodies` lists the bodies in params; `rebuild` puts others in their place. `jvp`, `split`, `transpose`,
    `batch`, `prune`, `flow` take the transformation to apply to bodies as their last argument: see `region` for
    their protocols. `evaluate(recur, params, *arrays)` runs bodies through `recur(body, *arrays)`.
    `work(params, that of each body)` is what all of it takes, where not each body runs once. `follow` says which
    elements of the results depend on which of the operands, where `flow` alone would say less. `admit(b, params,
    bodies, inputs, more, lengths)` emits the op with other bodies, which all take the constants `more` first.
    """

    name: str
    params: type[P]
    doc: str
    bodies: Callable[[P], Sequence[Any]]
    rebuild: Callable[[P, Sequence[Any]], P]
    type_rule: TypeRule[P]
    evaluate: Callable[..., tuple[np.ndarray[Any, Any], ...]]
    jvp: RegionJvp
    split: RegionSplit
    transpose: RegionTranspose
    batch: RegionBatch
    prune: RegionPrune
    flow: RegionFlow
    sharding: ShardingRule[P]
    samples: tuple[Sample[P], ...]
    expand: Expand | None = None
    place: Place | None = None
    work: Callable[[P, Sequence[Work]], Work] | None = None
    follow: RegionFollow | None = None
    admit: AdmitRule[P] | None = None

    def __call__(self, b: Builder, params: P, *inputs: Atom) -> tuple[Atom, ...]:
        return b.emit(self, params, inputs)
