"""Regions of a function that can run tile by tile: equations that agree on an axis, and write more than they exchange.

A region grows from a large value along one of its axes: what its equation reads and what reads it have the same
factor there, and so on. Its equations run together, so none of them may need what is computed of the region outside.
Read next: `tile`, which writes the loop.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from dsl.ir.function import Atom, Equation, Function, Var
from dsl.ir.op import Factors
from dsl.transforms.layouts import factors_of
from dsl.transforms.tiles.resize import can_be_cut, intensity, is_free, is_separable, lengths, resized

LARGE = 8
"""A value is large from so many tiles on. Below, caches hold enough of it."""

BYTES = 8
"""A region spares at least so many bytes, more than it moves itself, for each element from which on a value is large: a
loop takes as long to compile as several kernels."""

INTENSIVE = 300
"""Operations per element from which on memory is not what an op waits for, such as a product of large matrices."""

ROWS = 16
"""The fewest rows of a matrix in a tile with which its products are still fast."""


class Member(Struct, frozen=True, eq=False):
    """An equation of a region, the factors of its axes, and the one that is tiled."""

    equation: Equation
    factors: Factors
    factor: int

    @property
    def is_partial(self) -> bool:
        """Return whether results lack the factor: each tile makes a part that is combined with the others."""
        return not any(self.factor in row for row in self.factors.results)

    @property
    def operands(self) -> Iterator[tuple[Atom, int | None]]:
        """The operands, each with its tiled axis."""
        for x, row in zip(self.equation.inputs, self.factors.operands, strict=True):
            yield x, row.index(self.factor) if self.factor in row else None

    @property
    def results(self) -> Iterator[tuple[Var, int | None]]:
        """The results, each with its tiled axis."""
        for y, row in zip(self.equation.outputs, self.factors.results, strict=True):
            yield y, row.index(self.factor) if self.factor in row else None


class Region(Struct, frozen=True):
    """Members in order; the tiled axis of each value that they make; the number of elements along it. `kept`: the
    values that are used outside, and the partial results; `row`: the elements of the largest value for each.
    `repeated`: the equations that only repeat elements from outside, and can stand there too."""

    members: tuple[Member, ...]
    axes: Mapping[Var, int]
    size: int
    kept: tuple[Var, ...]
    repeated: frozenset[Equation]
    row: int
    gain: int

    @property
    def partial(self) -> dict[Var, Member]:
        """Return the partial results, each with its equation."""
        return {y: m for m in self.members if m.is_partial for y in m.equation.outputs}

    def operands(self) -> tuple[list[Var], list[tuple[Var, int]]]:
        """Return the values from outside that each tile reads whole, and those of which it reads a tile."""
        outside = [(x, a) for m in self.members for x, a in m.operands if isinstance(x, Var) and x not in self.axes]
        whole, cut = dict.fromkeys(x for x, a in outside if a is None), dict.fromkeys(outside)
        return list(whole), [(x, a) for x, a in cut if a is not None]


def find_region(function: Function, tile: int) -> Region | None:
    """Return the region that saves the most bytes with tiles of so many elements; None if no region saves enough."""
    if not any(y.type.size >= LARGE * tile for e in function.equations for y in e.outputs):
        return None
    found = list(_Search(function, tile).regions())
    return max(found, key=lambda region: region.gain, default=None)


class _Search:
    def __init__(self, function: Function, tile: int) -> None:
        self.function = function
        self.tile = tile
        self.large = LARGE * tile
        self.made: dict[Atom, Equation] = {y: e for e in function.equations for y in e.outputs}
        self.readers: dict[Atom, list[Equation]] = {}
        for equation in function.equations:
            for x in equation.inputs:
                self.readers.setdefault(x, []).append(equation)
        self.factors: dict[Equation, Factors | None] = {}

    def regions(self) -> Iterator[Region]:
        seen: set[tuple[Var, int]] = set()
        for y in [y for e in self.function.equations for y in e.outputs if self._is_large(y)]:
            for axis in range(y.type.rank):
                if (y, axis) not in seen and y.type.shape[axis] > 1 and self._factors(self.made[y]) is not None:
                    aligned = self._aligned(y, axis)
                    seen.update(aligned.items())
                    region = self._region(aligned, y.type.shape[axis])
                    if region is not None:
                        yield region

    def _is_large(self, x: Atom) -> bool:
        return isinstance(x, Var) and x.type.size >= self.large

    def _factors(self, equation: Equation) -> Factors | None:
        """Return the factors of an equation that a region may have."""
        if equation not in self.factors:
            fits = can_be_cut(equation) and intensity(equation) < INTENSIVE
            self.factors[equation] = factors_of(equation) if fits else None
        return self.factors[equation]

    # --- values that agree on an axis ---------------------------------------------------------------------

    def _aligned(self, start: Var, axis: int) -> dict[Var, int]:
        """Return the large values that are tiled with `start`, each with its axis."""
        found, todo = {start: axis}, [start]
        while todo:
            x = todo.pop()
            for equation in (self.made[x], *self.readers.get(x, ())):
                for y, place in self._neighbours(equation, x, found[x]):
                    if y not in found and self._is_large(y) and y in self.made:
                        found[y] = place
                        todo.append(y)
        return found

    def _neighbours(self, equation: Equation, x: Var, axis: int) -> Iterator[tuple[Var, int]]:
        """Yield the values of an equation whose axis has the factor of this one."""
        factors = self._factors(equation)
        if factors is None:
            return
        values = [*equation.inputs, *equation.outputs]
        rows = [*factors.operands, *factors.results]
        named = {row[axis] for y, row in zip(values, rows, strict=True) if y is x} - {None}
        for y, row in zip(values, rows, strict=True):
            for factor in named:
                if isinstance(y, Var) and factor in row:
                    yield y, row.index(factor)

    # --- equations that run together ----------------------------------------------------------------------

    def _region(self, aligned: Mapping[Var, int], size: int) -> Region | None:
        members = self._without_small_ends(self._members(aligned, size))
        axes = {y: axis for member in members for y, axis in member.results if axis is not None}
        partial = [y for member in members if member.is_partial for y in member.equation.outputs]
        inside = {member.equation for member in members}
        repeated = frozenset([m.equation for m in members if self._is_repeated(m, axes)])
        kept = [y for y in axes if self._is_used_outside(y, inside) and self.made[y] not in repeated]
        written = [y for y in axes if self._is_large(y) and y not in kept and self._is_written(y)]
        read = {(x, axis) for m in members for x, axis in m.operands if x not in axes and self._is_large(x)}
        moved = sum(x.type.bytes * (2 if axis else 1) for x, axis in read)
        moved += sum(y.type.bytes for y in (*kept, *partial) if self._is_large(y))
        saved = sum(y.type.bytes for y in written)
        if saved - moved < BYTES * self.large:
            return None
        row = max(y.type.size for y in axes if not is_free(self.made[y])) // size
        if self.tile // row < ROWS and any(_needs_rows(m, row) for m in members):
            return None
        return Region(tuple(members), axes, size, (*kept, *partial), repeated, row, saved - moved)

    def _members(self, aligned: Mapping[Var, int], size: int) -> list[Member]:
        """Return the equations in order that need nothing that is made of the others outside."""
        members: list[Member] = []
        axes: dict[Var, int] = {}
        after: set[Atom] = set()
        for equation in self.function.equations:
            member = None if not after.isdisjoint(equation.inputs) else self._member(equation, aligned, axes, size)
            if member is not None:
                members.append(member)
                axes |= {y: axis for y, axis in member.results if axis is not None}
                after.update([y for y, axis in member.results if axis is None])
            elif not (after.isdisjoint(equation.inputs) and axes.keys().isdisjoint(equation.inputs)):
                after.update(equation.outputs)
        return members

    def _member(
        self, equation: Equation, aligned: Mapping[Var, int], axes: Mapping[Var, int], size: int
    ) -> Member | None:
        factors = self._factors(equation)
        if factors is None:
            return None
        pairs = zip(equation.inputs, factors.operands, strict=True)
        wanted = [row[axes[x]] for x, row in pairs if isinstance(x, Var) and x in axes]
        wanted += [row[aligned[y]] for y, row in zip(equation.outputs, factors.results, strict=True) if y in aligned]
        factor = wanted[0] if wanted else None
        if factor is None or any(other != factor for other in wanted):
            return None
        has = [factor in row for row in factors.results]
        if any(has) != all(has) or not (all(has) or self._is_small(equation)):
            return None
        if lengths(equation, factors, factor) != {size} or not is_separable(equation, factors, factor):
            return None
        return None if resized(equation, factors, factor, 1) is None else Member(equation, factors, factor)

    def _is_small(self, equation: Equation) -> bool:
        """Return whether the parts of all tiles of results take no more than what they are made of."""
        largest = max([x.type.size for x in equation.inputs])
        parts = -(-largest // self.tile) * sum([y.type.size for y in equation.outputs])
        return parts <= largest

    def _without_small_ends(self, members: Sequence[Member]) -> list[Member]:
        """Return the members without those of small values that no large value is computed of."""
        needed: set[Atom] = set()
        left: list[Member] = []
        for member in reversed(members):
            equation = member.equation
            if any(map(self._is_large, (*equation.inputs, *equation.outputs))) or not needed.isdisjoint(
                equation.outputs
            ):
                left.append(member)
                needed.update(equation.inputs)
        return left[::-1]

    def _is_used_outside(self, y: Var, inside: set[Equation]) -> bool:
        return y in self.function.results or any(e not in inside for e in self.readers.get(y, ()))

    def _is_repeated(self, member: Member, axes: Mapping[Var, int]) -> bool:
        """Return whether an equation only repeats elements from outside the region."""
        return is_free(member.equation) and axes.keys().isdisjoint(member.equation.inputs)

    def _is_written(self, y: Var) -> bool:
        """Return whether a compiler writes a value to memory: it computes others where they are read."""
        readers = self.readers.get(y, [])
        return not is_free(self.made[y]) and (len(readers) > 1 or any(map(self._reduces, readers)))

    def _reduces(self, equation: Equation) -> bool:
        """Return whether an equation makes something small of something large, or multiplies matrices."""
        return not all(map(self._is_large, equation.outputs)) or intensity(equation) > 0


def _needs_rows(member: Member, row: int) -> bool:
    """Return whether an equation reads a matrix in each tile that is larger than its rows."""
    whole = [x for x, axis in member.operands if axis is None]
    return intensity(member.equation) > 0 and any(x.type.size > row for x in whole)
