"""Equations that are computed by formulas where their arguments are small, else by XLA: several under one test.

A formula of a sine holds up to some argument. To test that takes a pass over the argument, and a branch for what is
larger. So what follows from such equations, element by element, goes into the branches: all of it is one test, and
one kernel for each branch. Read next: `waves`, the formulas; `module`, which writes what is planned here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from dsl.ir.function import Atom, Equation, Function, Var
from dsl.ir.op import Op
from dsl.ir.traits import Cost
from dsl.ops.elementwise import ELEMENTWISE
from lowering.stablehlo.waves import ENOUGH, is_guarded
from lowering.stablehlo.work import MANY, is_computed_where_used, is_costly

AHEAD = 16
"""Cheap equations that are computed again in each branch."""


@dataclass(frozen=True, slots=True)
class Guarded:
    """Equations under one test of the arguments of some of them, which are `waves`. `results` are needed elsewhere.
    `ahead` are others that each branch computes, too, so that they need no memory."""

    ahead: Sequence[Equation]
    waves: Sequence[Equation]
    equations: Sequence[Equation]
    results: Sequence[Var]


def planned(body: Function) -> Sequence[Equation | Guarded]:
    """Return the equations of a body in an order to write them in, some of them under tests."""
    return list(_Plan(body).steps()) if any(map(is_guarded, body.equations)) else body.equations


@dataclass(slots=True)
class _Plan:
    """A body while it is planned. `section`: the equations that wait for a test, `waves` among them; `made`: what they
    compute. None of their arguments needs any of that. Of what is computed where it is used, `cheap` values are made by
    equations that may be computed twice, and `costly` ones are not."""

    body: Function
    section: list[Equation] = field(default_factory=list)
    waves: list[Equation] = field(default_factory=list)
    made: set[Atom] = field(default_factory=set)
    cheap: dict[Atom, Equation] = field(default_factory=dict)
    costly: dict[Atom, Equation] = field(default_factory=dict)
    uses: Counter[Atom] = field(init=False)
    numbers: dict[Equation, int] = field(init=False)

    def __post_init__(self) -> None:
        self.uses = Counter(self.body.results) + _uses(self.body.equations)
        self.numbers = {equation: number for number, equation in enumerate(self.body.equations)}

    def steps(self) -> Iterator[Equation | Guarded]:
        for equation in self.body.equations:
            waits = not self.made.isdisjoint(equation.inputs)
            begins = is_guarded(equation) and not waits
            fits = self._joins(equation) if waits else not (begins and self.section) or self._fits(equation)
            if not fits:
                yield from self._closed()
                begins, waits = is_guarded(equation), False
            if begins or waits:
                self.section.append(equation)
                self.made.update(equation.outputs)
            if begins:
                self.waves.append(equation)
            if not (begins or waits):
                yield self._written(equation)
        yield from self._closed()

    def _joins(self, equation: Equation) -> bool:
        """Return whether an equation computes element by element, its argument needs no test, and what else it reads
        needs no array of its own."""
        element = not is_guarded(equation) and _is_elementwise(equation) and self._fits(equation)
        return element and all(self._is_at_hand(x, equation) for x in equation.inputs if x not in self.made)

    def _is_at_hand(self, x: Atom, equation: Equation) -> bool:
        """Return whether a value is in memory, cheap, or nothing but this equation and the section needs it."""
        inside = _uses([*self.section, equation])
        return x not in self.costly or self.uses[x] == inside[x]

    def _fits(self, equation: Equation) -> bool:
        """Return whether an equation is of arrays like those of the section, which is not long yet."""
        shape = self.section[0].outputs[0].type.shape
        sizes = {x.type.shape for x in equation.inputs if x.type.rank}
        return sizes | {y.type.shape for y in equation.outputs} == {shape} and len(self.section) < MANY

    def _closed(self) -> Iterator[Equation | Guarded]:
        """Yield the section, and begin another. Of what has several results, XLA writes a kernel for each, and all that
        leads to it: then the waves alone are under the test."""
        if self.section:
            results = self._needed(self.section)
            if len(results) > 1 and len(self.section) > len(self.waves):
                yield self._guarded(self.waves)
                yield from [self._written(equation) for equation in self.section if not is_guarded(equation)]
            else:
                yield self._guarded(self.section)
        self.section, self.waves, self.made = [], [], set()

    def _guarded(self, section: Sequence[Equation]) -> Guarded:
        return Guarded(self._ahead(section), tuple(self.waves), tuple(section), self._needed(section))

    def _written(self, equation: Equation) -> Equation:
        """Remember an equation that needs no test."""
        if _is_cheap(equation) and not any(x in self.costly for x in equation.inputs):
            self.cheap |= dict.fromkeys(equation.outputs, equation)
        elif is_computed_where_used(equation):
            self.costly |= {y: equation for y in equation.outputs if y.type.size >= ENOUGH}
        return equation

    def _ahead(self, section: Sequence[Equation]) -> Sequence[Equation]:
        """Return what else a section computes, in order: in memory, each would take an array. The test needs no costly
        ones."""
        found: dict[int, Equation] = {}
        inside, tested = _uses(section), {x for wave in self.waves for x in wave.inputs}
        waiting = {x for equation in section for x in equation.inputs}
        while waiting and len(found) < AHEAD:
            x = max(waiting, key=self._number)
            waiting.remove(x)
            alone = x not in tested and self.uses[x] == inside[x]
            equation = self.cheap.get(x) or (self.costly.get(x) if alone else None)
            if equation is not None and self.numbers[equation] not in found:
                found[self.numbers[equation]] = equation
                inside += _uses([equation])
                waiting.update(equation.inputs)
        return [found[number] for number in sorted(found)]

    def _number(self, x: Atom) -> int:
        """Return the number of the equation that computes a value ahead of a section."""
        equation = self.cheap.get(x) or self.costly.get(x)
        return -1 if equation is None else self.numbers[equation]

    def _needed(self, section: Sequence[Equation]) -> tuple[Var, ...]:
        """Return what other equations, or the body, need of a section."""
        inside = _uses(section)
        return tuple([y for equation in section for y in equation.outputs if self.uses[y] > inside[y]])


def _uses(equations: Sequence[Equation]) -> Counter[Atom]:
    return Counter([x for equation in equations for x in equation.inputs])


def _is_elementwise(equation: Equation) -> bool:
    """Return whether each element of the results depends on one element of each operand, on the same device: no axis of
    the operands has a part in how results may be partitioned."""
    op = equation.op
    if not isinstance(op, Op) or op.along is not None:
        return False
    return op in ELEMENTWISE or (
        isinstance(op.sharding, str) and set(op.sharding.replace("->", ",").split(",")) == {"..."}
    )


def _is_cheap(equation: Equation) -> bool:
    """Return whether to compute an equation twice costs nothing to speak of."""
    is_free = isinstance(equation.op, Op) and equation.op.traits.cost is Cost.FREE
    is_plain = is_computed_where_used(equation) and not is_costly(equation)
    return is_free or (is_plain and _is_elementwise(equation))
