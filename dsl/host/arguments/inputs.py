"""How the leaves of the arguments become the inputs of a compiled program, in every call of one kind.

Only what depends on elements is checked here: numbers that must be representable, indices that must be in range.
Read next: `binding`, which finds out the steps.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, TypeAlias

import numpy as np
from msgspec import Struct

from dsl.core.application import Application
from dsl.diagnostics.source import Span
from dsl.host.argument_errors import Problem
from dsl.host.arguments.conversions import Convert, Number
from dsl.records import replace
from dsl.staging.env.environment import Variables
from dsl.staging.values import Argument, Hidden
from dsl.types.dtype import I32
from dsl.types.size import Size
from lowering.xla.array_state import parts_of_buffers, span_of
from lowering.xla.hot_calls import Given
from lowering.xla.parts import PlacedPart

Container: TypeAlias = Callable[[Mapping[str, Any]], Any]


class Step(Struct, frozen=True):
    """Makes one input from a leaf, or from the `count` leaves of a list; without `convert` it is the leaf as it is.
    Elements are checked against `bound`, that of the argument with this path. `limit`: what they must be below, where
    `convert` does nothing but ask that. `span` is the parameter in the source."""

    convert: Convert | None
    count: int | None = None
    bound: tuple[Size, str] | None = None
    span: Span | None = None
    limit: int | None = None


class Stack(Struct, frozen=True):
    """Makes the inputs of a list of records: those of its items, which each have the same, stacked."""

    items: tuple[tuple[Step | Stack, ...], ...]
    span: Span | None = None

    def inputs(self, leaves: Iterator[Any]) -> list[Any]:
        made = [inputs(steps, leaves) for steps in self.items]
        return [np.stack([np.asarray(x) for x in parts]) for parts in zip(*made, strict=True)]


class Binding(Struct, frozen=True):
    """How a kind of arguments is given to a program. `args` are skeletons and static values in the order
    of the parameters; `steps` make the inputs from the leaves; `containers` are the records seen, by
    fields.
    """

    args: tuple[Argument, ...]
    steps: tuple[Step | Stack, ...]
    containers: Mapping[tuple[str, ...], Container]
    hidden: Hidden = ()
    """What the hidden variables of the definition stand for."""
    variables: Variables | None = None
    """What its variables stand for, as far as data and names tell."""
    applied: Application | None = None
    """What the checker finds in calls of this kind, where it was asked."""

    @property
    def plain(self) -> bool:
        """Return whether every leaf is an input as it is."""
        return all(isinstance(step, Step) and step.convert is None for step in self.steps)

    def given(self, leaves: Sequence[Any]) -> list[Given] | None:
        """Return how such leaves are given where they are the inputs, or numbers that are held against bounds; None
        where they become inputs in another way."""
        parts = parts_of_buffers(leaves)
        found = [_given(step, type(x), part) for step, x, part in zip(self.steps, leaves, parts, strict=False)]
        known = [each for each in found if each is not None]
        return known if len(known) == len(self.steps) == len(leaves) else None

    def with_key(self) -> Binding:
        """One more input, the key that fresh keys are drawn from."""
        return replace(self, steps=(*self.steps, Step(None)))

    def joined(self, other: Binding) -> Binding:
        """Both, one after the other."""
        return Binding(
            (*self.args, *other.args),
            (*self.steps, *other.steps),
            {**self.containers, **other.containers},
            self.hidden,
            applied=self.applied,
        )

    def inputs(self, leaves: Sequence[Any]) -> list[Any]:
        """The inputs made of the leaves of a call. Raises `Problem` where an element does not fit."""
        return inputs(self.steps, iter(leaves))

    @property
    def maker(self) -> Callable[[Sequence[Any]], list[Any]]:
        """Return `inputs` specialised for many calls."""
        converts = [step.convert for step in self.steps if isinstance(step, Step) and step.count is None]
        if len(converts) < len(self.steps):
            return self.inputs

        def make(leaves: Sequence[Any]) -> list[Any]:
            try:
                return [x if convert is None else convert(x) for x, convert in zip(leaves, converts, strict=True)]
            except Problem:
                return self.inputs(leaves)  # which says at which parameter

        return make


def _given(step: Step | Stack, kind: type, part: tuple[PlacedPart | None, int]) -> Given | None:
    """How a leaf of this kind is given, None where a step makes something else of it."""
    if isinstance(step, Stack) or step.count is not None:
        return None
    if isinstance(step.convert, Number):
        number = step.convert
        return Given(kind, None, (number.low, number.high)) if kind in number.kinds else None
    return Given(kind, step.limit, None, *part) if step.convert is None or step.limit is not None else None


def inputs(steps: Sequence[Step | Stack], leaves: Iterator[Any]) -> list[Any]:
    """Make the inputs from the leaves that the steps take. Raises `Problem` at the parameter with a misfit element."""
    made: list[Any] = []
    for step in steps:
        try:
            if isinstance(step, Stack):
                made += step.inputs(leaves)
                continue
            given = next(leaves) if step.count is None else list(islice(leaves, step.count))
            made.append(given if step.convert is None else step.convert(given))
        except Problem as problem:
            problem.span = problem.span or step.span
            raise
    return made


def evaluate_bounds(step: Step | Stack, size: Callable[[Size], int]) -> Step | Stack:
    """The step with the bounds of its indices as the numbers they are in this kind of calls."""
    if isinstance(step, Stack):
        return replace(
            step, items=tuple([tuple([evaluate_bounds(each, size) for each in item]) for item in step.items])
        )
    if step.bound is None:
        return step
    bound, path = step.bound
    most = size(bound)
    limit = most if step.convert is None else None
    return replace(step, convert=_below(step.convert, most, path), bound=None, limit=limit)


def _below(convert: Convert | None, limit: int, path: str) -> Convert:
    """Integers of any dtype as indices: each is held against the limit, at every call."""

    def check(given: Any) -> Any:
        value = given if convert is None else convert(given)
        least, most = span_of(value)
        if least < 0 or most >= limit:
            wrong = least if least < 0 else most
            raise Problem("E0912", f"{path} holds {wrong}, which is not an index below {limit}")
        return value if value.dtype == I32.numpy else np.asarray(value).astype(I32.numpy)

    return check
