"""Sizes that are not negative as rows of linear arithmetic over monomials, with what is known of each atom.

`system` says which sizes; `linear` computes with the rows.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import islice, product
from typing import TypeAlias

from dsl.types import linear
from dsl.types.size import Atom, FloorDiv, Max, Min, Monomial, Size, parts
from dsl.types.static_argument import SizeDependent

_MOST_ATOMS = 40
_MOST_TRIED_PRODUCTS = 400
_MOST_PRODUCTS = 160


def quotient_rows(atom: FloorDiv, quotient: Size) -> list[Size]:
    """Return facts about `quotient == e // k`: each is >= 0."""
    e, k = atom.numerator, atom.denominator
    low = e - k * quotient
    return [low, k - 1 - low, k - 1]


def infeasible(rows: Iterable[Size], equations: Iterable[Size]) -> bool:
    """Return whether no integers make the rows >= 0 and the equations 0."""
    return _infeasible(*_question(rows, equations))


def bounds(rows: Iterable[Size], equations: Iterable[Size], size: Size) -> tuple[int | None, int | None]:
    """Constant bounds of a size. Raises linear.Infeasible."""
    found = _bounds(*_question(rows, equations), size, size.naturals)
    if found is None:
        raise linear.Infeasible
    return found


_Signs: TypeAlias = tuple[tuple[bool, ...], ...]


def _question(rows: Iterable[Size], equations: Iterable[Size]) -> tuple[tuple[Size, ...], tuple[Size, ...], _Signs]:
    """Sizes, and what their equality does not say: which variables are never negative."""
    sizes = tuple(rows), tuple(equations)
    return *sizes, tuple([size.naturals for part in sizes for size in part])


@lru_cache(maxsize=2048)
def _infeasible(rows: tuple[Size, ...], equations: tuple[Size, ...], _signs: _Signs) -> bool:
    matrix = Matrix(rows, equations)
    return linear.infeasible(matrix.rows, matrix.equations)


@lru_cache(maxsize=2048)
def _bounds(
    rows: tuple[Size, ...], equations: tuple[Size, ...], _signs: _Signs, size: Size, _sign: tuple[bool, ...]
) -> tuple[int | None, int | None] | None:
    matrix = Matrix(rows, equations, (size,))
    column = matrix.column_of(size)
    try:
        return linear.bounds(matrix.rows, matrix.equations, column)
    except linear.Infeasible:
        return None


class Matrix:
    """A system as linear rows: a column for each monomial, and rows for what is known of each atom."""

    def __init__(self, rows: Sequence[Size], equations: Sequence[Size], extra: Iterable[Size] = ()) -> None:
        self._columns: dict[Monomial, int] = {}
        self._atoms: set[Atom] = set()
        self.rows: list[linear.Row] = []
        self.equations: list[linear.Row] = []
        sizes = [*rows, *self._known_of_atoms([*rows, *equations, *extra])]
        sizes += self._products(sizes, equations, extra)
        self.equations += [self._row(size) for size in equations]
        self.rows += [self._row(size) for size in sizes]

    def column_of(self, size: Size) -> int:
        """A new column that equals a size."""
        row = self._row(size)
        column = len(self._columns)
        self.equations.append(linear.Row({**row.coefficients, column: -1}, row.constant))
        return column

    def _row(self, size: Size) -> linear.Row:
        coefficients: dict[int, int] = {}
        for monomial, coefficient in size.terms:
            if not monomial:
                continue
            if monomial not in self._columns:
                self._columns[monomial] = len(self._columns)
                if all(power % 2 == 0 or atom.natural for atom, power in monomial):
                    self.rows.append(linear.Row({self._columns[monomial]: 1}, 0))
            coefficients[self._columns[monomial]] = coefficient
        return linear.Row(coefficients, size.offset)

    def _known_of_atoms(self, sizes: list[Size]) -> list[Size]:
        """Rows for every atom that occurs, and for those that occur in these rows."""
        found: list[Size] = []
        pending = [(atom, False) for size in sizes for atom in size.own_atoms()]
        while pending and len(self._atoms) < _MOST_ATOMS:
            atom, is_entered = pending.pop()
            if atom in self._atoms:
                continue  # and with it what is inside, which is looked at once however often it occurs
            if not is_entered:
                pending.append((atom, True))
                pending += [(inner, False) for part in parts(atom) for inner in _outermost(part)]
                continue
            self._atoms.add(atom)
            rows = _atom_rows(atom)
            found += rows
            pending += [(inner, False) for row in rows for inner in row.own_atoms()]
        return found

    def _products(self, rows: Sequence[Size], equations: Sequence[Size], extra: Iterable[Size]) -> list[Size]:
        """Products of rows that say something of products of atoms which occur already."""
        everything = [*rows, *equations, *extra]
        present = {m for size in everything for m, _ in size.terms if degree(m) > 1}
        if not present:
            return []
        allowed = {divisor for monomial in present for divisor in _divisors(monomial)}
        involved = {atom for monomial in present for atom, _ in monomial}
        factors = [Size.of(atom) for atom in involved if atom.natural]
        factors += [row for row in rows if row.degree() == 1 and not involved.isdisjoint(row.own_atoms())]
        found = dict.fromkeys(_squares(allowed))
        new = factors
        for _ in range(max(map(degree, present)) - 1):
            new = list(_allowed_products(new, factors, allowed, _MOST_PRODUCTS - len(found)))
            found.update(dict.fromkeys(new))
        return [row for row in found if not row.is_nonnegative()]


def degree(monomial: Monomial) -> int:
    return sum(power for _, power in monomial)


@lru_cache(maxsize=2048)
def _divisors(monomial: Monomial) -> tuple[Monomial, ...]:
    """The monomials of degree 2 and more that divide one."""
    choices = product(*(range(power + 1) for _, power in monomial))
    return tuple(
        [
            tuple([(atom, p) for (atom, _), p in zip(monomial, powers, strict=True) if p])
            for powers in islice(choices, _MOST_PRODUCTS)
            if sum(powers) > 1
        ]
    )


def _outermost(part: SizeDependent) -> Iterable[Atom]:
    """The atoms of what an atom is made of; those inside others may be among them."""
    return part.own_atoms() if isinstance(part, Size) else part.atoms()


def _squares(monomials: Iterable[Monomial]) -> Iterator[Size]:
    """`x * x >= x` and `x * x >= -x` for integers."""
    for monomial in monomials:
        if len(monomial) == 1 and monomial[0][1] == 2:
            x = Size.of(monomial[0][0])
            yield x * x - x
            yield x * x + x


def _allowed_products(left: Iterable[Size], right: Sequence[Size], allowed: set[Monomial], most: int) -> Iterator[Size]:
    """Products of two rows with none but allowed products of atoms in them."""
    found: set[Size] = set()
    for a, b in islice(product(left, right), _MOST_TRIED_PRODUCTS):
        together = a * b
        if len(found) >= most:
            return
        if together not in found and all(degree(m) < 2 or m in allowed for m, _ in together.terms):
            found.add(together)
            yield together


def _atom_rows(atom: Atom) -> list[Size]:
    match atom:
        case FloorDiv():
            return quotient_rows(atom, Size.of(atom))
        case Min(args):
            return [arg - Size.of(atom) for arg in args]
        case Max(args):
            return [Size.of(atom) - arg for arg in args]
        case _:
            return []
