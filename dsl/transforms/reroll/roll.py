"""Straight-line code whose copies follow one another becomes a loop over one of them: `reroll`.

What a copy reads of those before is carried; what differs from copy to copy is stacked, as is what is read of a copy
later on: a second loop, such as that of a derivative, reads the stack of the first. Linear in the size of the program.
Knows `scan` alone. Read next: `repeats`, `segments`, `copies`.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from itertools import groupby

import numpy as np

from dsl.ir.build import Builder
from dsl.ir.function import Atom, Equation, Function, Literal, Var
from dsl.ir.op import Op
from dsl.ops.builders import concatenate, constant, expand_dims, rev, slice_axis, squeeze
from dsl.ops.control.scan import SCAN, ScanParams
from dsl.transforms.partial_eval import rename
from dsl.transforms.region_map import rewrite_bodies
from dsl.transforms.reroll.copies import Column, Copies, copies
from dsl.transforms.reroll.repeats import repeats_and_between
from dsl.transforms.reroll.segments import made_by, segments, signatures

SHORTEST = 512
"""Equations in a row, copies of one another, from which on a loop is compiled faster."""

BESIDE = 4
"""Beside such a loop, another one pays for a quarter of so many equations: copies that stay read stacks element by
element, and what they compute is stacked value by value."""

WIDE = 16
"""Equations in one step of a loop: as many copies as fit, since to start a step costs more than some additions."""


def reroll(function: Function, shortest: int = SHORTEST) -> Function:
    """`function` with loops for what repeats itself over at least so many equations, and over fewer beside those, at
    every depth."""
    return rewrite_bodies(
        function, lambda body: _Writer(body).write(shortest) if len(body.equations) >= shortest else body
    )


def _views(equations: Sequence[Equation]) -> set[Var]:
    """Moves of parameters, which can stand before all else: copies may have one each, and are not told apart by it."""
    made = {y for equation in equations for y in equation.outputs}
    views: set[Var] = set()
    for equation in equations:
        op = equation.op
        if isinstance(op, Op) and op.traits.moves and made.isdisjoint(equation.inputs):
            made.difference_update(equation.outputs)
            views.update(equation.outputs)
    return views


class _Writer:
    """The function as it becomes. `values`: what vars are called now; `parts`: those that are elements of a stack."""

    def __init__(self, function: Function) -> None:
        self.function = function
        views = _views(function.equations)
        self.equations = [e for e in function.equations if views.isdisjoint(e.outputs)]
        self.made = made_by(self.equations)
        self.uses = _last_uses(self.equations, function.results)
        self.builder = Builder()
        self.builder.equations += [e for e in function.equations if not views.isdisjoint(e.outputs)]
        self.values: dict[Atom, Atom] = {}
        self.parts: dict[Atom, tuple[Atom, int]] = {}

    def write(self, shortest: int) -> Function:
        done = longest = 0
        for repeat in repeats_and_between(signatures(self.equations, self.made), shortest, shortest // BESIDE):
            found = segments(self.equations, repeat, self.made)
            rolled = copies(self.equations, found, self.made, self.uses)
            length = found.count * found.period
            if rolled is not None and length >= shortest // BESIDE and self._pays(rolled):
                self._copy(done, found.start)
                self._roll(rolled)
                done, longest = found.end, max(longest, length)
        if longest < shortest:
            return self.function
        self._copy(done, len(self.equations))
        results = tuple([self._value(x) for x in self.function.results])
        return Function(self.function.name, self.function.params, tuple(self.builder.equations), results)

    def _pays(self, rolled: Copies) -> bool:
        """Return whether no more has to be stacked before the loop than is computed in it."""
        laid = [x for column in rolled.own.values() for x in column if isinstance(x, Var) and x not in self.parts]
        computed = [y for e in self.equations[rolled.segments.start : rolled.segments.end] for y in e.outputs]
        return sum(x.type.size for x in laid) <= sum(y.type.size for y in computed)

    def _copy(self, start: int, end: int) -> None:
        for equation in self.equations[start:end]:
            for x in equation.inputs:
                self._value(x)
            self.builder.equations.append(rename(equation, self.values))

    def _value(self, x: Atom) -> Atom:
        """Return the current name of a value; an element of a stack is read once."""
        if x not in self.values and x in self.parts:
            stack, place = self.parts[x]
            self.values[x] = squeeze(self.builder, slice_axis(self.builder, stack, 0, place, place + 1), (0,))
        return self.values.get(x, x)

    def _roll(self, rolled: Copies) -> None:
        """Writes the loop, and notes where the values of its copies are."""
        found, b = rolled.segments, self.builder
        b.span = self.equations[found.start].span
        reverse = sum(map(self._direction, rolled.own.values())) < 0
        shared = [self._value(x) for x in rolled.shared.values()]
        initial = [self._value(x) for xs in rolled.carried.values() for x in xs]
        own = [self._stacked(column[::-1] if reverse else column) for column in rolled.own.values()]
        unroll = max(1, min(WIDE // found.period, found.count))
        params = ScanParams(rolled.body(), len(shared), len(initial), found.count, reverse, unroll)
        results = iter(SCAN(b, params, *shared, *initial, *own))
        for place, xs in rolled.carried.items():
            last = [next(results) for _ in xs][: found.count]
            self.values.update({rolled.output(found.count - 1 - ago, place): y for ago, y in enumerate(last)})
        for place, stack in zip(rolled.stacked, results, strict=True):
            order = range(found.count)[::-1] if reverse else range(found.count)
            self.parts.update({rolled.output(copy, place): (stack, k) for copy, k in enumerate(order)})

    def _stacked(self, column: Column) -> Atom:
        """The values of all copies as one array: neighbours in a stack are taken out together."""
        b, first = self.builder, column[0]
        if isinstance(first, Literal):
            numbers = [x.value for x in column if isinstance(x, Literal)]
            return constant(b, np.asarray(numbers, first.type.dtype.numpy), first.type.dtype)
        if self._direction(column) < 0:
            return rev(b, self._stacked(column[::-1]), (0,))
        rows = [list(row) for _, row in groupby(enumerate(column), self._neighbourhood)]
        return concatenate(b, [self._row([x for _, x in row]) for row in rows], 0)

    def _neighbourhood(self, numbered: tuple[int, Atom]) -> Hashable:
        """Equal for neighbours in a stack, in their order."""
        copy, x = numbered
        stack, place = self.parts.get(x, (None, 0))
        return (copy,) if stack is None else (stack, place - copy)

    def _row(self, row: Sequence[Atom]) -> Atom:
        if row[0] not in self.parts:
            return expand_dims(self.builder, self._value(row[0]), (0,))
        stack, first = self.parts[row[0]]
        return slice_axis(self.builder, stack, 0, first, first + len(row))

    def _direction(self, column: Column) -> int:
        """In which direction the copies in the middle read a stack; 0 if they read none."""
        middle = len(column) // 2
        left, right = [self.parts.get(x, (x, 0)) for x in column[middle - 1 : middle + 1]]
        return right[1] - left[1] if left[0] is right[0] else 0


def _last_uses(equations: Sequence[Equation], results: Sequence[Atom]) -> dict[Atom, int]:
    """The last equation that reads a value; the results are read after all of them."""
    uses: dict[Atom, int] = {x: at for at, e in enumerate(equations) for x in e.inputs if isinstance(x, Var)}
    return uses | {x: len(equations) for x in results if isinstance(x, Var)}
