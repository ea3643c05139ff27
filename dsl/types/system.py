"""Is a set of propositions about sizes without a solution? The engine behind every proof.

A `System` takes propositions in, keeps solved equations as a substitution that is applied everywhere, and
reads the rest as linear rows over monomials, to which it adds what is known of each atom: `k * q <= e < k *
q + k` for `q = e // k`, bounds of `min` and `max`, products of rows where products of sizes occur.
Disjunctions, and `min` and `max`, are split into cases. The answer "impossible" is always right; the work is
bounded.

`disequations` are kept by the sizes that they are of; `rows` makes rows of sizes, with which `linear` does the
arithmetic; `decide` asks the questions.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice

from msgspec import Struct, field

from dsl.types import disequations, linear, polynomial, rows
from dsl.types.disequations import Excluded
from dsl.types.facts import (
    COMPARISONS,
    And,
    Eq,
    Known,
    Le,
    Lt,
    Ne,
    Not,
    OpaqueProp,
    Or,
    Prop,
    le,
    map_prop,
    negation,
    simplified,
)
from dsl.types.rows import degree, quotient_rows
from dsl.types.size import Atom, FloorDiv, Max, Min, Mod, Size, SizeVar, inside, rebuild
from dsl.types.static_conditions import exclude

_MOST_CASES = 48
_MOST_STEPS = 200
_MOST_TRIED = 4
_FEW = 8


def _meaning(call: OpaqueProp) -> tuple[Prop, ...]:
    """Return the meaning of a call in terms of sizes, if it is known."""
    found = None if call.meaning is None else call.meaning(*call.args)
    return () if found is None else (found,)


def without_mod(size: Size) -> Size:
    """`a % b` written as `a - b * (a // b)`, everywhere."""
    if not any(isinstance(atom, Mod) for atom in size.atoms()):
        return size

    def rename(atom: Atom) -> Size:
        if isinstance(atom, Mod):
            a, b = atom.numerator.map_atoms(rename), atom.denominator.map_atoms(rename)
            return a - b * (a // b)
        return rebuild(atom, rename)

    return size.map_atoms(rename)


class System(Struct):
    """Propositions assumed together. `impossible` is set as soon as they are seen to contradict each
    other."""

    solved: dict[Atom, Size] = field(default_factory=dict)
    rows: list[Size] = field(default_factory=list)
    equations: list[Size] = field(default_factory=list)
    cases: list[Or] = field(default_factory=list)
    excluded: Excluded = field(default_factory=dict)
    opaque: dict[OpaqueProp, bool] = field(default_factory=dict)
    impossible: bool = False
    fresh: int = -1

    def copy(self) -> System:
        return System(
            dict(self.solved),
            list(self.rows),
            list(self.equations),
            list(self.cases),
            self.excluded,
            dict(self.opaque),
            self.impossible,
            self.fresh,
        )

    # Taking propositions in.

    def assume(self, props: Iterable[Prop]) -> None:
        pending = list(props)
        while pending and not self.impossible:
            pending[:1] = self._assume(pending[0])

    def _assume(self, prop: Prop) -> tuple[Prop, ...]:
        """Take one proposition in; what it consists of, if it has to be taken apart."""
        match map_prop(prop, self.reduce):
            case Known(value):
                self.impossible |= not value
            case And(props):
                return props
            case Eq(a, b):
                self._equate(a - b)
            case Le(a, b):
                self._bound(b - a)
            case Lt(a, b):
                self._bound(b - a - 1)
            case Ne(a, b):
                self._exclude(a - b, frozenset((0,)))
            case Or() as choice:
                self.cases.append(choice)
            case OpaqueProp() as call:
                self._settle(call, True)
                return _meaning(call)
            case Not(OpaqueProp() as call):
                self._settle(call, False)
                return tuple(map(negation, _meaning(call)))
            case Not(inner):
                return (negation(inner),)
        return ()

    def _settle(self, call: OpaqueProp, value: bool) -> None:
        self.impossible |= self.opaque.setdefault(call, value) != value
        if value and call.name in COMPARISONS:
            compared = (other for other, known in self.opaque.items() if known and other.name in COMPARISONS)
            self.impossible |= any(exclude(call, other) for other in compared)

    def _bound(self, row: Size) -> None:
        """Take in `row >= 0`. A product of naturals that is not 0 has no factor 0."""
        self.rows.append(row)
        body = (row - row.offset).terms
        if row.offset < 0 and len(body) == 1 and body[0][1] > 0 and len(body[0][0]) > 1:
            monomial = body[0][0]
            if all(atom.natural for atom, _ in monomial):
                self.rows += [Size.of(atom) - 1 for atom, _ in monomial]

    def _exclude(self, size: Size, values: frozenset[int]) -> None:
        """Take in that a size has none of these values."""
        value = size.constant
        if value is None:
            self.excluded = disequations.excluding(self.excluded, size, values)
        else:
            self.impossible |= value in values

    def reduce(self, size: Size) -> Size:
        """The size without `%`, under the equations solved so far."""
        size = without_mod(size)
        if not self.solved.keys().isdisjoint(size.inside):
            size = self._replaced(size)
        for equation in self.equations:
            if abs(equation.terms[0][1]) == 1 and size.degree() >= equation.degree():
                size = size.divided_by(equation)[1]
        return size

    def _replaced(self, size: Size) -> Size:
        def rename(atom: Atom) -> Size:
            found = self.solved.get(atom)
            if found is not None:
                return found
            new = rebuild(atom, rename)
            if new.as_atom() == atom:
                return new
            return new.map_atoms(lambda inner: self.solved.get(inner, Size.of(inner)))

        return size.map_atoms(rename)

    # Equations.

    def _equate(self, gap: Size) -> None:
        """Take in `gap == 0`: solve it for an atom if that is possible."""
        pending = [gap]
        for _ in range(_MOST_STEPS):
            if not pending or self.impossible:
                return
            equation = self._primitive(self.reduce(pending.pop()))
            if equation is None:
                continue
            found = _solvable(equation)
            if found is not None:
                pending += self._solve(*found)
            elif (quotient := _quotient_in(equation)) is not None:
                pending += [equation, *self._name(quotient)]
            elif equation.degree() > 1 and (common := polynomial.common_factor([equation.terms])):
                factors = [*(Size.of(atom) for atom, _ in common), equation.without(common)]
                self.cases.append(Or(tuple(Eq(factor, Size.of(0)) for factor in factors)))
            else:
                self.equations.append(equation)
                self.rows = [self.reduce(row) for row in self.rows]

    def _primitive(self, equation: Size) -> Size | None:
        """Divided by its content and by common factors that are not 0; None if it says nothing."""
        value = equation.constant
        shared = (equation - equation.offset).content()
        if value is not None or equation.offset % shared:
            self.impossible |= value != 0
            return None
        equation = Size(polynomial.scaled_down(equation.terms, shared))
        common = polynomial.common_factor([equation.terms])
        return equation.without(tuple((atom, power) for atom, power in common if self._positive(atom)))

    def _positive(self, atom: Atom) -> bool:
        return any(row.offset < 0 and (row - row.offset).as_atom() == atom for row in self.rows)

    def _solve(self, atom: Atom, value: Size) -> list[Size]:
        """Replace an atom everywhere; the equations that have to be looked at again."""
        if atom.natural and not value.is_nonnegative():
            self.rows.append(value)
        if isinstance(atom, FloorDiv):
            self.rows += quotient_rows(atom, value)
        self.solved[atom] = value
        self.solved = {a: self.reduce(v) for a, v in self.solved.items()}
        self.rows = [self.reduce(row) for row in self.rows]
        cases, self.cases = self.cases, []
        calls, self.opaque = self.opaque, {}
        again, self.equations = self.equations, []
        excluded, self.excluded = self.excluded, {}
        for size, values in excluded.items():
            self._exclude(self.reduce(size), values)
        self.assume([*cases, *(call if value else Not(call) for call, value in calls.items())])
        return again

    def _name(self, quotient: FloorDiv) -> list[Size]:
        """Give a quotient a name of its own, so that what it divides can be solved for."""
        name = SizeVar(self.fresh, f"_{-self.fresh}", quotient.natural)
        self.fresh -= 1
        return self._solve(quotient, Size.of(name))

    # Asking.

    def contradictory(self) -> bool:
        """Return whether the propositions exclude each other, as far as bounded work shows."""
        return self._contradictory([_MOST_CASES])

    def _contradictory(self, budget: list[int]) -> bool:
        if self.impossible or not self._narrow() or self._infeasible():
            return True
        if self._sign_quotients():
            return self._contradictory(budget)
        split = self._next_split()
        if split is None or budget[0] <= 0:
            return False
        budget[0] -= 1
        return all(case._contradictory(budget) for case in self._cases(split))

    def _narrow(self) -> bool:
        """Move bounds past the values that are excluded at their ends; False if nothing lies between them."""
        for size in disequations.many(self.excluded):
            try:
                low, high = self.bounds(size)
            except linear.Infeasible:
                return False
            least, most = disequations.within(low, high, self.excluded[size])
            self.rows += [] if least is None or least == low else [size - least]
            self.rows += [] if most is None or most == high else [most - size]
        return True

    def _sign_quotients(self) -> bool:
        """Note the quotients by a size that are not negative, because what is divided is not; whether any is
        new."""
        found = [
            Size.of(atom)
            for atom in dict.fromkeys(atom for size in (*self.rows, *self.equations) for atom in size.atoms())
            if isinstance(atom, FloorDiv) and atom.denominator.constant is None and not atom.natural
        ]
        new = [size for size in found if size not in self.rows and self._never_negative(size)]
        self.rows += new
        return bool(new)

    def _never_negative(self, quotient: Size) -> bool:
        atom = quotient.as_atom()
        if not isinstance(atom, FloorDiv):
            return False
        case = self.copy()
        case.rows.append(-atom.numerator - 1)
        return case._infeasible()

    def _next_split(self) -> Or | Ne | Min | Max | None:
        shortest = min(self.cases, key=lambda case: len(case.props), default=None)
        if shortest is not None and len(shortest.props) <= 2:
            return shortest
        if (split := next(disequations.cases(self.excluded), shortest)) is not None:
            return split
        sizes = [*self.rows, *self.equations, *self.solved.values()]
        found = (a for size in sizes for a in size.atoms() if isinstance(a, Min | Max))
        return next(found, None) or self._few_values(sizes)

    def _few_values(self, sizes: list[Size]) -> Or | None:
        """The values of a variable that occurs in a product or a division, if it has only a few."""
        for var in islice(_entangled(sizes), _MOST_TRIED):
            try:
                low, high = self.bounds(Size.of(var))
            except linear.Infeasible:
                return Or(())
            if low is not None and high is not None and high - low < _FEW:
                return Or(tuple(Eq(Size.of(var), Size.of(value)) for value in range(low, high + 1)))
        return None

    def _cases(self, split: Or | Ne | Min | Max) -> Iterator[System]:
        """Systems that together say what this one says."""
        if isinstance(split, Ne):
            for below, above in ((split.left, split.right), (split.right, split.left)):
                case = self.copy()
                case.excluded = disequations.without(case.excluded, split)
                case.assume([Lt(below, above)])
                yield case
            return
        if isinstance(split, Or):
            for prop in split.props:
                case = self.copy()
                case.cases = [other for other in case.cases if other is not split]
                case.assume([prop])
                yield case
            return
        for arg in split.args:
            case = self.copy()
            case.choose(split, arg)
            yield case

    def choose(self, atom: Min | Max, chosen: Size) -> None:
        """Assume which argument is the least or the greatest."""
        for equation in self._solve(atom, chosen):
            self._equate(equation)
        others = [arg for arg in atom.args if arg != chosen]
        self.assume(le(chosen, arg) if isinstance(atom, Min) else le(arg, chosen) for arg in others)

    def _infeasible(self) -> bool:
        return rows.infeasible(self.rows, self.equations)

    def bounds(self, size: Size) -> tuple[int | None, int | None]:
        """Constant bounds of a size, as far as they follow without splitting cases. Raises
        linear.Infeasible."""
        return rows.bounds(self.rows, self.equations, self.reduce(size))


def _entangled(sizes: list[Size]) -> Iterator[SizeVar]:
    """Variables in products and inside other atoms, each once."""
    found: dict[SizeVar, None] = {}
    for size in sizes:
        top = {monomial[0][0] for monomial, _ in size.terms if len(monomial) == 1 and monomial[0][1] == 1}
        inner = (a for monomial, _ in size.terms if degree(monomial) > 1 for a, _ in monomial)
        deep = (a for a in size.atoms() if a not in top)
        found.update(dict.fromkeys(a for a in (*inner, *deep) if isinstance(a, SizeVar)))
    yield from found


def _solvable(equation: Size) -> tuple[Atom, Size] | None:
    """An atom with coefficient 1 or -1 that occurs nowhere else in an equation, and what it equals."""
    best: Atom | None = None
    sign = 1
    for monomial, coefficient in equation.terms:
        if abs(coefficient) != 1 or len(monomial) != 1 or monomial[0][1] != 1:
            continue
        atom = monomial[0][0]
        if isinstance(atom, Min | Max) or _occurrences(equation, atom) > 1:
            continue
        if best is None or (isinstance(atom, SizeVar) and (not isinstance(best, SizeVar) or atom.id > best.id)):
            best, sign = atom, coefficient
    if best is None:
        return None
    return best, (Size.of(best) * sign - equation) * sign


def _occurrences(size: Size, atom: Atom) -> int:
    """In how many monomials an atom occurs, by itself or inside another atom."""
    return sum([any(atom == factor or atom in inside(factor) for factor, _ in monomial) for monomial, _ in size.terms])


def _quotient_in(equation: Size) -> FloorDiv | None:
    found = (a for a in equation.atoms() if isinstance(a, FloorDiv))
    return next(found, None)


def system_of(props: Iterable[Prop]) -> System:
    """A system of propositions, with every denominator in them at least 1."""
    system = System()
    system.assume(simplified(prop) for prop in props)
    return system
