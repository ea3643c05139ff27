"""The protocol between ops with bodies and the transformations: jvp, split, transpose, batch, prune, flow.

A rule of a `RegionOp` treats its bodies through the callable it is given (`recur`), so that ops never import
transformations. All bodies are closed `Function`s. Flags are tuples of bools, one per parameter or result; a
`force` flag asks for a result to be of the flagged kind (nonzero, unknown, batched) even where it need not
be. Knows no op and no algorithm. Read next: `dsl.ops.control`, whose ops have these rules, and
`dsl.transforms`.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from msgspec import Struct

from dsl.diagnostics.source import Span
from dsl.ir.function import Atom, Function

if TYPE_CHECKING:
    from dsl.ir.build import Builder
    from dsl.ir.columns import States
    from dsl.ir.op import Linear, Tangent

Flags: TypeAlias = tuple[bool, ...]
Facts: TypeAlias = tuple[int, ...]
"""What an analysis knows of some values: a set of bits each, in which a bit more is to know less."""


class Problem(Enum):
    """Why a program has no such transformation; the edge chooses the diagnostic by it."""

    NOT_DIFFERENTIABLE = "not differentiable"
    UNBOUNDED_REVERSE = "reverse mode through an unbounded loop"
    NOT_LINEAR = "not linear in its tangents"
    FORWARD_CUSTOM = "forward mode through a custom reverse rule"
    TOO_HIGH_ORDER = "a derivative of a higher order than a solution has"
    CAPTURED = "a custom rule that captures what is differentiated"
    BATCHED_EFFECT = "an ordered effect under a batch axis"
    NO_AXIS = "a result without an axis that differs between the elements"
    NOT_CUT = "a result that differs along an axis of a mesh that does not cut it"
    NEEDS_SIZE = "an operation that needs a size which only a run decides"
    OWN_SIZE = "an element that decides a size of its own"
    IN_PART = "something that is said of whole arrays, where there are parts"


class CannotTransform(Exception):
    """A transformation that a program does not have: data for a diagnostic, never printed as it is."""

    def __init__(self, problem: Problem, op: str, reason: str, span: Span | None = None) -> None:
        super().__init__(problem, op, reason)
        self.problem = problem
        self.op = op
        self.reason = reason
        self.span = span


class Jvp(Struct, frozen=True):
    """`function`: params, then tangents of the nonzero ones -> results, then tangents of the `nonzero`
    ones."""

    function: Function
    nonzero: Flags


class Split(Struct, frozen=True):
    """A function cut by what is known.

    `known`: known params -> known results, then extra residuals. `unknown`: residuals, then unknown params ->
    unknown results. `residuals[i]` is where residual i comes from, counted through `known.params` and then
    `known.results`: a residual that is a parameter or a result already is not computed twice.
    """

    known: Function
    unknown: Function
    out_unknown: Flags
    residuals: tuple[int, ...]


class Transposed(Struct, frozen=True):
    """`function`: params that are not linear, then nonzero cotangents -> cotangents of the `nonzero` linear
    params.

    `nonzero` has one flag per linear parameter.
    """

    function: Function
    nonzero: Flags


class Batched(Struct, frozen=True):
    """`function` with the batch axis at 0 of the batched params and of the `batched` results."""

    function: Function
    batched: Flags


class Pruned(Struct, frozen=True):
    """`function` with the used results only, over the `kept` params only."""

    function: Function
    kept: Flags


class Flowed(Struct, frozen=True):
    """`function` made for what is known of its params, and what follows for its results."""

    function: Function
    facts: Facts


class JvpBody(Protocol):
    """`jvp` of a body: `nonzero` says which parameters have tangents, `force` which results must have one."""

    def __call__(self, body: Function, nonzero: Flags, force: Flags | None = None, /) -> Jvp: ...


class SplitBody(Protocol):
    """A body cut in two: `unknown` says which parameters are unknown, `force` which results must be in the second."""

    def __call__(self, body: Function, unknown: Flags, force: Flags | None = None, /) -> Split: ...

    def lean(self, body: Function, unknown: Flags, force: Flags | None = None, /) -> Split:
        """Return the halves with as few bytes between them as cheap operations allow."""

    @property
    def batch(self) -> BatchAxis:
        """For the one rule that leaves its region behind."""


class TransposeBody(Protocol):
    """`linear` has a flag per param, `nonzero` per result (its cotangent), `force` per linear param."""

    def __call__(self, body: Function, linear: Flags, nonzero: Flags, force: Flags | None = None, /) -> Transposed: ...


class BatchBody(Protocol):
    """`vmap` of a body: `batched` says which parameters have a batch axis in front, `force` which results must."""

    def __call__(self, body: Function, batched: Flags, force: Flags | None = None, /) -> Batched: ...

    @property
    def axis(self) -> NamedAxis | None:
        """The mapped axis, if it has a name."""

    def asks(self, *bodies: Function) -> bool:
        """Return whether the elements of the mapped axis ask each other in these bodies."""
        ...

    def unnamed(self, body: Function, batched: Flags, force: Flags, size: int, /) -> Batched:
        """Return a body over another axis, whose elements do not ask each other."""
        ...

    def inline(
        self, b: Builder, body: Function, inputs: tuple[Atom, ...], axes: Axes, /
    ) -> tuple[tuple[Atom, ...], Axes]:
        """Emit a body over inputs with these batch axes."""
        ...


class PruneBody(Protocol):
    """`used` has a flag per result; params flagged in `keep` stay though nothing needs them."""

    def __call__(self, body: Function, used: Flags, keep: Flags | None = None, /) -> Pruned: ...


class FlowBody(Protocol):
    """Facts about the results of a body, from facts about its parameters."""

    def __call__(self, body: Function, facts: Facts, /) -> Flowed: ...


Tangents: TypeAlias = "tuple[Tangent, ...]"
Axes: TypeAlias = "tuple[int | None, ...]"

RegionJvp: TypeAlias = Callable[
    ["Builder", Any, tuple[Atom, ...], Tangents, JvpBody], tuple[tuple[Atom, ...], Tangents]
]
"""jvp(b, params, inputs, tangents, recur) -> outputs and their tangents. Unlike that of a first-order op, the
rule emits the primal itself, since one region computes both."""

RegionSplit: TypeAlias = Callable[
    ["Builder", "Builder", Any, tuple[Atom, ...], Flags, SplitBody], tuple[tuple[Atom, ...], Flags]
]
"""split(known, unknown, params, inputs, unknown inputs, recur) -> outputs and which of them are unknown:
what does not depend on an unknown input is emitted with `known`, the rest with `unknown`, which may use vars
of `known`."""

BatchAxis: TypeAlias = Callable[[Function, Flags, Flags, int], Batched]
"""batch(body, batched params, forced results, size): gives a body a leading axis of a size."""


class NamedAxis(Struct, frozen=True):
    """A mapped axis that its elements know by a name. With several `devices` each of them maps its own share of the
    elements, in order, and collectives over the axis become those of the devices too; neighbours among these are
    `stride` apart in the row of all devices."""

    name: str
    devices: int = 1
    stride: int = 1


class BatchNamed(Protocol):
    """`BatchAxis` for an axis that also has a name."""

    def __call__(
        self, body: Function, batched: Flags, force: Flags, size: int, axis: NamedAxis | None = None, /
    ) -> Batched: ...


RegionTranspose: TypeAlias = Callable[
    ["Builder", Any, "tuple[Atom | Linear, ...]", Tangents, TransposeBody], "tuple[Tangent | None, ...]"
]
"""As for a first-order op, with `recur`. All outputs are linear in the linear inputs."""

RegionBatch: TypeAlias = Callable[
    ["Builder", Any, tuple[Atom, ...], Axes, int, BatchBody], tuple[tuple[Atom, ...], Axes]
]
"""As for a first-order op, with `recur`."""

RegionPrune: TypeAlias = Callable[[Any, Flags, PruneBody], tuple[Any, Flags, Flags]]
"""prune(params, used outputs, recur) -> smaller params, the inputs that stay, the outputs that stay (at least
the used ones)."""

RegionFollow: TypeAlias = "Callable[[Any, States, Callable[[Function, States], States]], States | None]"
"""follow(params, states of the inputs, recur) -> those of the outputs, element by element (see `columns`); None where
this takes too long, or cannot be known before the program runs. `recur` follows a body."""

RegionFlow: TypeAlias = Callable[[Any, Facts, FlowBody], tuple[Any, Facts]]
"""flow(params, facts of the inputs, recur) -> params with the bodies made for them, facts of the outputs."""
