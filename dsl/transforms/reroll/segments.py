"""The reads of repeated equations: the same output of an earlier copy, a shared value, or one of their own.

Places are counted in periods, so that a value before the first copy has a place too. Knows no op. Read next: `roll`.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from itertools import groupby
from typing import TypeAlias

from msgspec import Struct

from dsl.ir.function import Atom, Equation, Var
from dsl.ops.effects import has_effect
from dsl.transforms.reroll.repeats import Repeat

NEAR = 64
"""Values made within so many equations are told apart by how far away they are made."""

DEEPEST = 8
"""So many copies back a value is handed on from copy to copy."""

Made: TypeAlias = dict[Var, tuple[int, int]]
"""Which equation makes a value, and as which of its outputs."""


class Place(Struct, frozen=True):
    """An output of the equation number `slot` of a copy, `back` copies ago."""

    back: int
    slot: int
    output: int

    def ago(self, back: int) -> Place:
        """The place in another copy."""
        return Place(back, self.slot, self.output)


Operand: TypeAlias = Place | None
"""What an equation of a copy reads: the value of a place, or what comes from outside of all copies."""


class Segments(Struct, frozen=True):
    """Copies that read alike: `count` times `period` equations from `start` on. `operands`: what each equation of a
    copy reads, in order."""

    start: int
    period: int
    count: int
    operands: tuple[tuple[Operand, ...], ...]

    def first(self, copy: int) -> int:
        """Where a copy begins."""
        return self.start + copy * self.period

    @property
    def end(self) -> int:
        return self.first(self.count)


def made_by(equations: Sequence[Equation]) -> Made:
    """Where each value is made."""
    return {y: (at, k) for at, equation in enumerate(equations) for k, y in enumerate(equation.outputs)}


def signatures(equations: Sequence[Equation], made: Made) -> list[Hashable]:
    """Return keys that are equal for copies of an equation; an equation with effects equals no other."""
    known: dict[Hashable, int] = {}
    return [known.setdefault(_signature(at, equation, made), at) for at, equation in enumerate(equations)]


def _signature(at: int, equation: Equation, made: Made) -> Hashable:
    if has_effect(equation):
        return at
    near = [at - made[x][0] if x in made and at - made[x][0] <= NEAR else None for x in equation.inputs]
    types = [(x.type, x.__class__) for x in equation.inputs]
    return equation.op.name, equation.params, *near, *types


def segments(equations: Sequence[Equation], repeat: Repeat, made: Made) -> Segments:
    """The longest row of copies that read the same places."""
    step = repeat.period
    starts = range(repeat.start, repeat.start + step * repeat.count, step)
    copies = [(start, _operands(equations, start, step, made)) for start in starts]
    rows = [list(row) for _, row in groupby(copies, lambda copy: copy[1])]
    row = max(rows, key=len)
    return Segments(row[0][0], step, len(row), row[0][1])


def _operands(equations: Sequence[Equation], start: int, period: int, made: Made) -> tuple[tuple[Operand, ...], ...]:
    return tuple(
        [tuple([_operand(x, start, period, made) for x in e.inputs]) for e in equations[start : start + period]]
    )


def _operand(x: Atom, start: int, period: int, made: Made) -> Operand:
    at = made.get(x) if isinstance(x, Var) else None
    if at is None:
        return None
    copy, slot = divmod(at[0] - start, period)
    return Place(-copy, slot, at[1]) if copy >= -DEEPEST else None
