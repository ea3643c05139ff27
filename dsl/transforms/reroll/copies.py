"""Copies that become a loop: what they hand on, what is read of them later, what comes from outside; and the body.

Read next: `roll`, which puts the loop in their place.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import TypeAlias

from msgspec import Struct

from dsl.ir.build import Builder
from dsl.ir.function import Atom, Equation, Function, Literal, Tensor, Var
from dsl.ops.builders import broadcast_in_dim, zeros
from dsl.transforms.reroll.segments import Made, Place, Segments

LAST = 2
"""What is read of so many copies at the end is carried; what is read of more is stacked."""

Column: TypeAlias = tuple[Atom, ...]
"""What the copies read in one place, in order."""


class Copies(Struct, frozen=True):
    """`reads`: what the equations of a copy read, each a `Place` or a key of `columns`, which hold what comes from
    outside. `carried`: for each output that a later copy reads, or what follows of the last copies, its values before
    the first copy, the latest first. `stacked`: the outputs of which what follows reads more."""

    segments: Segments
    equations: Sequence[Equation]
    reads: list[list[Hashable]]
    columns: dict[Hashable, Column]
    carried: dict[Place, list[Atom]]
    stacked: list[Place]

    @property
    def shared(self) -> dict[Hashable, Var]:
        """Return the values that all copies share, except literals."""
        firsts = {key: column[0] for key, column in self.columns.items() if is_same(column)}
        return {key: x for key, x in firsts.items() if isinstance(x, Var)}

    @property
    def own(self) -> dict[Hashable, Column]:
        """Return the values that differ between copies."""
        return {key: column for key, column in self.columns.items() if not is_same(column)}

    def output(self, copy: int, place: Place) -> Var:
        """The value of a place in a copy."""
        return self.equations[self.segments.first(copy) + place.slot].outputs[place.output]

    def body(self) -> Function:
        """One copy: from what is shared, carried and its own, to what is carried on, and stacked."""
        b = Builder()
        values: dict[Hashable, Atom] = {key: column[0] for key, column in self.columns.items()}
        values.update({key: b.param(x.type) for key, x in self.shared.items()})
        values.update({place.ago(k + 1): b.param(x.type) for place, xs in self.carried.items()
                       for k, x in enumerate(xs)})  # fmt: skip
        values.update({key: b.param(own_type(column)) for key, column in self.own.items()})
        values.update({key: _spread(b, values[key], column[0].type) for key, column in self.own.items()})
        for slot, keys in enumerate(self.reads):
            like = self.equations[self.segments.start + slot]
            outputs = tuple([Var(y.type) for y in like.outputs])
            values.update({Place(0, slot, k): y for k, y in enumerate(outputs)})
            b.equations.append(Equation(like.op, like.params, tuple([values[key] for key in keys]), outputs, like.span))
        carried = [values[place.ago(k)] for place, xs in self.carried.items() for k in range(len(xs))]
        return b.finish("copies", [*carried, *[values[place] for place in self.stacked]])


def is_same(column: Column) -> bool:
    """Return whether all copies read one value."""
    first = _key(column[0])
    return all(_key(x) == first for x in column)


def own_type(column: Column) -> Tensor:
    """Return the type that a copy reads from a stack: for literals, the number alone."""
    type = column[0].type
    return Tensor(type.dtype) if isinstance(column[0], Literal) else type


def _spread(b: Builder, x: Atom, type: Tensor) -> Atom:
    return x if x.type == type else broadcast_in_dim(b, x, type.shape, ())


def _key(x: Atom) -> Hashable:
    return x.key if isinstance(x, Literal) else x


def copies(equations: Sequence[Equation], segments: Segments, made: Made, uses: Mapping[Atom, int]) -> Copies | None:
    """Return the data for a loop over these segments; None if one reads a value of another that is neither the previous
    copy's nor an outside one. `uses` has the last equation that reads each value."""
    found = Copies(segments, equations, [], {}, {}, [])
    for slot, places in enumerate(segments.operands):
        rows = [equations[segments.first(copy) + slot].inputs for copy in range(segments.count)]
        columns = list(zip(*rows, strict=True))
        found.reads.append([_read(found, place, column) for place, column in zip(places, columns, strict=True)])
        for k in range(len(equations[segments.start + slot].outputs)):
            _hand_out(found, Place(0, slot, k), uses)
    return found if all(_is_outside(c, segments, made) for c in found.columns.values()) else None


def _read(found: Copies, place: Place | None, column: Column) -> Hashable:
    if place is None:
        key = tuple(map(_key, column))
        found.columns[key] = column
        return key
    if place.back:
        before = _deepened(found, place.ago(0), place.back)
        for copy, x in enumerate(column[: place.back]):
            before[place.back - copy - 1] = x
    return place


def _deepened(found: Copies, place: Place, depth: int) -> list[Atom]:
    """Return the carried values of an output for at least `depth` copies: zeros if none is known to read it."""
    before = found.carried.setdefault(place, [])
    before += [zeros(found.output(0, place).type)] * (depth - len(before))
    return before


def _hand_out(found: Copies, place: Place, uses: Mapping[Atom, int]) -> None:
    """Carries or stacks an output that is read after the last copy."""
    count, end = found.segments.count, found.segments.end
    first = next((copy for copy in range(count) if uses.get(found.output(copy, place), -1) >= end), count)
    if first < count - LAST:
        found.stacked.append(place)
    elif first < count:
        _deepened(found, place, count - first)


def _is_outside(column: Column, segments: Segments, made: Made) -> bool:
    return all(x not in made or made[x][0] < segments.start for x in column if isinstance(x, Var))
