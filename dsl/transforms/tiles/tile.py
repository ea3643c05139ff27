"""Large intermediate arrays become tiles in a loop: `tile`.

`sum(exp(-(x[:, None] - x[None, :]) ** 2), axis=1)` for all pairs of a few thousand numbers writes arrays that no cache
holds, and reads them again. The same equations for a few rows at a time stay in the cache, and the peak memory is that
of one tile. Tiles grow with the number of cores, which share the work of one. Read next: `regions`, `resize`.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from functools import cache

from dsl.ir.build import Builder
from dsl.ir.function import Atom, Equation, Function, Literal, Tensor, Var
from dsl.ops.builders import concatenate, expand_dims, move_axis, reduce_sum, reshape, slice_axis
from dsl.ops.control.scan import SCAN, ScanParams
from dsl.ops.layout import AxesParams
from dsl.transforms.partial_eval import rename
from dsl.transforms.region_map import rewrite_bodies
from dsl.transforms.tiles.regions import Member, Region, find_region
from dsl.transforms.tiles.resize import part, resized

TILE = 1 << 16
"""Elements of the largest value of a tile per core: with what is computed of it, about a cache of second level."""


@cache
def tile_of_machine() -> int:
    """Return the elements of a tile for all cores of this process."""
    return TILE * (len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1)


def tile(function: Function, size: int) -> Function:
    """`function` with loops over tiles of at most about `size` elements, at every depth."""
    return rewrite_bodies(function, lambda body: _tiled(body, size))


def _tiled(body: Function, size: int) -> Function:
    while (region := find_region(body, size)) is not None:
        body = _Writer(body, region, size).write()
    return body


class _Writer:
    """The function as it becomes. `rows`: the elements of a tile along its axis; `values`: the names after the loop."""

    def __init__(self, function: Function, region: Region, size: int) -> None:
        self.function = function
        self.region = region
        self.size = size
        self.rows = _rows(region.size, max(1, size // region.row))
        self.builder = Builder()
        self.values: dict[Atom, Atom] = {}

    def write(self) -> Function:
        inside = {member.equation for member in self.region.members}
        after = _after(self.function, self.region)
        outside = [e for e in self.function.equations if e not in inside]
        self.builder.equations += [
            e for e in self.function.equations if e in self.region.repeated or e not in inside | after
        ]
        self._write_loop()
        self.builder.equations += [rename(e, self.values) for e in outside if e in after]
        results = tuple([self.values.get(x, x) for x in self.function.results])
        return Function(self.function.name, self.function.params, tuple(self.builder.equations), results)

    def _write_loop(self) -> None:
        b, count = self.builder, self.region.size // self.rows
        done = count * self.rows
        shared, cut = self.region.operands()
        tiles = [self._tiles(x, axis, count) for x, axis in cut]
        params = ScanParams(self._body(shared, cut), len(shared), 0, count)
        outs = SCAN(b, params, *shared, *tiles)
        rest = self._rest(shared, cut, done) if done < self.region.size else None
        for k, (y, stacked) in enumerate(zip(self.region.kept, outs, strict=True)):
            member = self.region.partial.get(y)
            axis = None if member else self.region.axes[y]
            last = None if rest is None else rest[k]
            self.values[y] = _combined(b, member, stacked, last) if member else _joined(b, stacked, last, axis or 0)

    def _tiles(self, x: Var, axis: int, count: int) -> Atom:
        """Return the tiles of a value, stacked, each with the tiled axis in front."""
        b = self.builder
        front = slice_axis(b, move_axis(b, x, axis, 0), 0, 0, count * self.rows)
        return reshape(b, front, (count, self.rows, *front.type.shape[1:]))

    def _body(self, shared: Sequence[Var], cut: Sequence[tuple[Var, int]]) -> Function:
        b = Builder()
        given: dict[tuple[Atom, int | None], Atom] = {(x, None): b.param(x.type) for x in shared}
        fronts = [b.param(_front(x.type, axis, self.rows)) for x, axis in cut]
        given |= {(x, axis): move_axis(b, p, 0, axis) for (x, axis), p in zip(cut, fronts, strict=True)}
        made = self._emit(b, given, self.rows)
        results = [y if axis is None else move_axis(b, y, axis, 0) for y, axis in made]
        return tile(b.finish(f"{self.function.name}.tile", results), self.size)

    def _rest(self, shared: Sequence[Var], cut: Sequence[tuple[Var, int]], start: int) -> list[Atom]:
        """Return the kept values of the last tile, which is smaller than the others."""
        b, end = self.builder, self.region.size
        given: dict[tuple[Atom, int | None], Atom] = {(x, None): x for x in shared}
        given |= {(x, axis): slice_axis(b, x, axis, start, end) for x, axis in cut}
        return [y for y, _ in self._emit(b, given, end - start)]

    def _emit(
        self, b: Builder, given: Mapping[tuple[Atom, int | None], Atom], size: int
    ) -> list[tuple[Atom, int | None]]:
        """Emit the members for a tile. Return the kept values, each with its tiled axis."""
        made: dict[Atom, Atom] = {}
        for member in self.region.members:
            equation = member.equation
            b.span = equation.span
            inputs = [made[x] if x in made else _operand(member, k, given, size) for k, x in enumerate(equation.inputs)]
            outputs = b.emit(equation.op, resized(equation, member.factors, member.factor, size), inputs)
            made.update(zip(equation.outputs, outputs, strict=True))
        return [(made[y], self.region.axes.get(y)) for y in self.region.kept]


def _operand(member: Member, k: int, given: Mapping[tuple[Atom, int | None], Atom], size: int) -> Atom:
    """Return an operand from outside: a tile of it, or all of it."""
    x, row = member.equation.inputs[k], member.factors.operands[k]
    if isinstance(x, Literal):
        return Literal(x.value, part(x.type, row, member.factor, size))
    return given[x, row.index(member.factor) if member.factor in row else None]


def _rows(size: int, wanted: int) -> int:
    """Return the elements of a tile: at most as many as wanted, and a divisor of `size` if a large one is one."""
    most = max(1, min(wanted, size // 2))
    return next((rows for rows in range(most, most // 2, -1) if size % rows == 0), most)


def _front(type: Tensor, axis: int, rows: int) -> Tensor:
    """Return the type of a tile with the tiled axis in front."""
    return Tensor(type.dtype, (rows, *type.shape[:axis], *type.shape[axis + 1 :]))


def _joined(b: Builder, stacked: Atom, last: Atom | None, axis: int) -> Atom:
    """Return a value of all its tiles, of which the stacked ones have the tiled axis in front."""
    count, rows, *others = stacked.type.shape
    whole = move_axis(b, reshape(b, stacked, (count * rows, *others)), 0, axis)
    return whole if last is None else concatenate(b, [whole, last], axis)


def _combined(b: Builder, member: Member, stacked: Atom, last: Atom | None) -> Atom:
    """Return a result of all its parts: by the reduction itself, or as their sum."""
    parts = stacked if last is None else concatenate(b, [stacked, expand_dims(b, last, (0,))], 0)
    equation = member.equation
    if isinstance(equation.params, AxesParams):
        return b.emit(equation.op, AxesParams((0,)), (parts,))[0]
    return reduce_sum(b, parts, (0,))


def _after(function: Function, region: Region) -> set[Equation]:
    """Return the equations outside the region that need what it keeps."""
    known: set[Atom] = set(region.kept)
    inside = {member.equation for member in region.members}
    found: set[Equation] = set()
    for equation in function.equations:
        if equation not in inside and not known.isdisjoint(equation.inputs):
            found.add(equation)
            known.update(equation.outputs)
    return found
