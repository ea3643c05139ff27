"""Integer linear arithmetic: is a set of linear equations and inequalities without a solution?

Columns are numbers that the caller gives a meaning. Equations are eliminated as in the Omega test (Pugh,
"The Omega test", CACM 1992), inequalities by Fourier-Motzkin with every row tightened to integers. The
answer "infeasible" is always right; the work is bounded, and where the bound is met the answer is "perhaps
feasible".
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from math import gcd
from typing import TypeAlias

from msgspec import Struct

Coefficients: TypeAlias = dict[int, int]

_MOST_ROWS = 240
_ROUNDS = 3


class Row(Struct, frozen=True):
    """`sum of coefficient * column + constant`, which is to be >= 0, or 0."""

    coefficients: Coefficients
    constant: int


class Infeasible(Exception):
    """There is no solution."""


def infeasible(nonnegative: Iterable[Row], zero: Iterable[Row]) -> bool:
    """Return whether no integers make the first rows >= 0 and the second ones 0."""
    try:
        table = _Table(_without_equations(list(nonnegative), list(zero), keep=None))
        table.propagate()
        table.eliminate(keep=None)
    except Infeasible:
        return True
    return False


def bounds(nonnegative: Iterable[Row], zero: Iterable[Row], column: int) -> tuple[int | None, int | None]:
    """A least and a greatest value of one column, as far as they follow. Raises Infeasible."""
    table = _Table(_without_equations(list(nonnegative), list(zero), keep=column))
    table.propagate()
    if not table.eliminate(keep=column):
        return None, None
    low: int | None = None
    high: int | None = None
    for key, constant in table.rows.items():
        ((_, coefficient),) = key
        if coefficient > 0:
            low = max(-constant, low) if low is not None else -constant
        else:
            high = min(constant, high) if high is not None else constant
    if low is not None and high is not None and low > high:
        raise Infeasible
    return low, high


# Equations.


def _without_equations(rows: list[Row], equations: list[Row], keep: int | None) -> list[Row]:
    """The inequalities after every equation has been used to remove a column; `keep` is never removed."""
    fresh = 1 + max((c for row in [*rows, *equations] for c in row.coefficients), default=0)
    pending = list(equations)
    for _ in range(4 * len(equations) + 40):
        if not pending:
            return rows
        row = _primitive(pending.pop())
        if row is None:
            continue
        free = [column for column in row.coefficients if column != keep]
        if not free:
            rows = [*rows, row, _negated(row)]
            continue
        column = min(free, key=lambda c: abs(row.coefficients[c]))
        size = abs(row.coefficients[column])
        if size > 1:
            pending += [row, _balanced(row, size + 1, fresh)]
            fresh += 1
            continue
        rows = [_replaced(other, column, row) for other in rows]
        pending = [_replaced(other, column, row) for other in pending]
    return rows


def _primitive(row: Row) -> Row | None:
    """The equation divided by its content; None if it says nothing."""
    if not row.coefficients:
        if row.constant:
            raise Infeasible
        return None
    shared = gcd(*row.coefficients.values())
    if row.constant % shared:
        raise Infeasible
    return Row({c: v // shared for c, v in row.coefficients.items()}, row.constant // shared)


def _negated(row: Row) -> Row:
    return Row({c: -v for c, v in row.coefficients.items()}, -row.constant)


def _balanced(row: Row, modulus: int, fresh: int) -> Row:
    """A consequence of an equation with coefficient 1 or -1 at its least column: the equation modulo
    `modulus`, which is `modulus` times a new integer."""

    def residue(value: int) -> int:
        return value - modulus * ((2 * value + modulus) // (2 * modulus))

    reduced = {c: residue(v) for c, v in row.coefficients.items()}
    return Row({c: v for c, v in reduced.items() if v} | {fresh: -modulus}, residue(row.constant))


def _replaced(row: Row, column: int, equation: Row) -> Row:
    """The row with a column of coefficient 1 or -1 in an equation replaced by what it equals."""
    factor = row.coefficients.get(column)
    if not factor:
        return row
    return _combined(row, 1, equation, -factor * equation.coefficients[column])


def _combined(left: Row, a: int, right: Row, b: int) -> Row:
    total = {c: a * v for c, v in left.coefficients.items()}
    for column, value in right.coefficients.items():
        total[column] = total.get(column, 0) + b * value
    return Row({c: v for c, v in total.items() if v}, a * left.constant + b * right.constant)


# Inequalities.


class _Table:
    """Inequalities with distinct left sides, each as tight as integers allow."""

    def __init__(self, rows: Iterable[Row]) -> None:
        self.rows: dict[frozenset[tuple[int, int]], int] = {}
        for row in rows:
            self.add(row)

    def add(self, row: Row) -> None:
        if not row.coefficients:
            if row.constant < 0:
                raise Infeasible
            return
        shared = gcd(*row.coefficients.values())
        items = row.coefficients.items()
        key = frozenset((c, v // shared) for c, v in items) if shared > 1 else frozenset(items)
        constant = row.constant // shared
        known = self.rows.get(key)
        if known is not None and known <= constant:
            return
        self.rows[key] = constant
        opposite = self.rows.get(frozenset((c, -v) for c, v in key))
        if opposite is not None and opposite + constant < 0:
            raise Infeasible

    def propagate(self) -> None:
        """Add bounds of single columns that follow from a row and the bounds of its other columns. Rounding
        makes them stronger than what elimination would find."""
        for _ in range(_ROUNDS):
            found = [bound for key, constant in self.rows.items() for bound in self._implied(key, constant)]
            before = len(self.rows), sum(self.rows.values())
            for bound in found:
                self.add(bound)
            if before == (len(self.rows), sum(self.rows.values())):
                return

    def _implied(self, key: frozenset[tuple[int, int]], constant: int) -> Iterator[Row]:
        """`c * x + rest >= 0` bounds `x` by the greatest value of the rest."""
        if len(key) < 2:
            return
        greatest = {column: self._greatest(column, value) for column, value in key}
        open_columns = [column for column, most in greatest.items() if most is None]
        if len(open_columns) > 1:
            return
        total = constant + sum(most for most in greatest.values() if most is not None)
        for column, value in key:
            if open_columns in ([], [column]):
                yield Row({column: value}, total - (greatest[column] or 0))

    def _greatest(self, column: int, value: int) -> int | None:
        """The greatest value of `value * column` that its own bounds allow."""
        bound = self.rows.get(frozenset({(column, -1 if value > 0 else 1)}))
        return None if bound is None else abs(value) * bound

    def eliminate(self, keep: int | None) -> bool:
        """Remove every column but one; False if that grew too large."""
        while True:
            column = self._cheapest(keep)
            if column is None:
                return True
            if not self._remove(column):
                return False

    def _cheapest(self, keep: int | None) -> int | None:
        above: dict[int, int] = {}
        below: dict[int, int] = {}
        for key in self.rows:
            for column, value in key:
                count = above if value > 0 else below
                count[column] = count.get(column, 0) + 1
        columns = [c for c in {**above, **below} if c != keep]
        if not columns:
            return None

        def growth(c: int) -> int:
            up, down = above.get(c, 0), below.get(c, 0)
            return up * down - up - down

        return min(columns, key=growth)

    def _remove(self, column: int) -> bool:
        lower: list[Row] = []
        upper: list[Row] = []
        rest: dict[frozenset[tuple[int, int]], int] = {}
        for key, constant in self.rows.items():
            row = Row(dict(key), constant)
            factor = row.coefficients.get(column)
            if factor is None:
                rest[key] = constant
            else:
                (lower if factor > 0 else upper).append(row)
        if len(lower) * len(upper) + len(rest) > _MOST_ROWS:
            return False
        self.rows = rest
        for low in lower:
            for high in upper:
                self.add(_combined(low, -high.coefficients[column], high, low.coefficients[column]))
        return True
