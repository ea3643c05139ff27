"""Colours: groups of columns, and of rows, whose entries one product with the matrix tells apart.

`by_columns` takes a product with a vector of ones for the columns of a colour, `by_rows` one from the left; `of_matrix`
chooses rows for the latter where few of them are crowded, as in a matrix with a border, and `of_symmetric` reads an
entry off at its own place or at the mirrored one. Colours are greedy, in the order of decreasing numbers of entries.
Knows no op. Read next: `compressed`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np
from msgspec import Struct

from dsl.ir import columns as st
from dsl.ir.columns import Indices, Sets

ROUNDS = 8
"""How often the columns of the best split are coloured again, for fewer colours."""


class Plan(Struct, frozen=True):
    """How the entries of a pattern are read off. `column_colours` and `row_colours` have the colour of each column and
    row,
    -1 for none; entry e is at row `row[e]` of the product with colour `colour[e]` of the columns, or where `by_row[e]`,
    at column `row[e]` of that of the rows."""

    column_colours: Indices
    row_colours: Indices
    colour: Indices
    place: Indices
    by_row: np.ndarray[tuple[int, ...], np.dtype[np.bool_]]

    @property
    def forward(self) -> int:
        """How many products with columns there are."""
        return int(self.column_colours.max(initial=-1)) + 1

    @property
    def backward(self) -> int:
        """How many products with rows there are."""
        return int(self.row_colours.max(initial=-1)) + 1


def distinct_columns(pattern: Sets, columns: int, rounds: int = 0) -> Indices:
    """Return colours of columns, such that no row has two entries of one colour; -1 for columns without entries. They
    are given again for so many rounds, while a row has fewer entries than there are colours."""
    turned = transposed(pattern, columns)
    colours = _greedy(turned, pattern.rows, _by_count(turned))
    least = int(np.diff(pattern.starts).max(initial=0))
    for _ in range(rounds):
        if colours.max(initial=-1) + 1 > least:
            colours = _greedy(turned, pattern.rows, _by_colour(colours))
    return colours


def _greedy(turned: Sets, rows_: int, order: Iterable[int]) -> Indices:
    """The first colour that is free for each column, in this order."""
    used = [0] * rows_
    colours = np.full(turned.rows, -1, np.int64)
    for column in order:
        rows = turned.columns[turned.starts[column] : turned.starts[column + 1]].tolist()
        taken = 0
        for row in rows:
            taken |= used[row]
        bit = ~taken & (taken + 1)
        for row in rows:
            used[row] |= bit
        colours[column] = bit.bit_length() - 1
    return colours


def transposed(pattern: Sets, columns: int) -> Sets:
    """Return, for each column, the rows with an entry there."""
    return st.of_pairs(pattern.columns, pattern.row_of, columns)


def _by_count(pattern: Sets) -> Iterator[int]:
    """The elements that have columns, those with most first."""
    counts = np.diff(pattern.starts)
    order = np.argsort(-counts, kind="stable")
    return iter(order[counts[order] > 0].tolist())


def _by_colour(colours: Indices) -> Iterator[int]:
    """The columns by their colour, the last colour first: in this order greedy colours are never more (Culberson
    1992)."""
    order = np.argsort(-colours, kind="stable")
    return iter(order[colours[order] >= 0].tolist())


def of_matrix(pattern: Sets, columns: int) -> Plan:
    """Return a plan with as few products as any split of the rows gives: the rows with most entries are read off
    products with rows, all others off products with columns."""
    order = np.argsort(-np.diff(pattern.starts), kind="stable")
    counts = sorted({0, pattern.rows, *[min(2**k, pattern.rows) for k in range(pattern.rows.bit_length())]})
    plans = {count: _split(pattern, columns, order[:count], 0) for count in counts}
    best = min(counts, key=lambda count: (plans[count].forward + plans[count].backward, plans[count].backward))
    return _split(pattern, columns, order[:best], ROUNDS)


def _split(pattern: Sets, columns: int, crowded: Indices, rounds: int) -> Plan:
    by_row = np.zeros(pattern.rows, np.bool_)
    by_row[crowded] = True
    row = pattern.row_of
    mine = by_row[row]
    column_colours = distinct_columns(st.of_pairs(row[~mine], pattern.columns[~mine], pattern.rows), columns, rounds)
    turned = st.of_pairs(pattern.columns[mine], row[mine], columns)
    row_colours = distinct_columns(turned, pattern.rows, rounds)
    colour = np.where(mine, row_colours[row], column_colours[pattern.columns])
    return Plan(column_colours, row_colours, colour, np.where(mine, pattern.columns, row), mine)


def of_symmetric(pattern: Sets) -> Plan:
    """Return a plan for a symmetric matrix by a star colouring: of neighbours, and of any path of four, at least three
    colours (Gebremedhin, Manne and Pothen 2005)."""
    colours = star_colours(pattern)
    row, column = pattern.row_of, pattern.columns
    off = row != column
    shared = _shared(row[off], colours[column[off]], pattern.rows)
    mirrored = np.zeros(len(row), np.bool_)
    mirrored[off] = shared
    colour = np.where(mirrored, colours[row], colours[column])
    none = np.full(pattern.rows, -1, np.int64)
    return Plan(colours, none, colour, np.where(mirrored, column, row), np.zeros(len(row), np.bool_))


def _shared(row: Indices, colour: Indices, rows: int) -> np.ndarray[tuple[int, ...], np.dtype[np.bool_]]:
    """Return whether a row has several entries of the colour of one."""
    key = row * (int(colour.max(initial=0)) + 1) + colour
    _, inverse, counts = np.unique(key, return_inverse=True, return_counts=True)
    return np.asarray(counts[inverse] > 1)


class _Stars(Struct):
    """Colours that are given so far, as bits. `near[v]`: those of the neighbours of v; `twice[v]`: those of neighbours
    of v that have another neighbour of the colour of v."""

    neighbours: Sequence[Sequence[int]]
    colours: list[int]
    near: list[int]
    twice: list[int]
    counts: list[dict[int, int]]

    def forbidden(self, vertex: int) -> int:
        found = self.near[vertex]
        for other in self.neighbours[vertex]:
            found |= self.near[other] if self.colours[other] < 0 else self.twice[other]
        return found

    def give(self, vertex: int, colour: int) -> None:
        self.colours[vertex] = colour
        for other in self.neighbours[vertex]:
            self.near[other] |= 1 << colour
            count = self.counts[other].get(colour, 0) + 1
            self.counts[other][colour] = count
            if count >= 2 and self.colours[other] >= 0:
                self._mark(other, colour, [vertex] if count > 2 else self.neighbours[other])
            if self.counts[vertex].get(self.colours[other], 0) >= 2:
                self.twice[other] |= 1 << colour

    def _mark(self, centre: int, colour: int, among: Sequence[int]) -> None:
        for each in among:
            if self.colours[each] == colour:
                self.twice[each] |= 1 << self.colours[centre]


def star_colours(pattern: Sets) -> Indices:
    """Return colours of the vertices of the graph of a symmetric pattern, every two that are connected by at least
    three on each path of four."""
    row, column = pattern.row_of, pattern.columns
    edges = st.of_pairs(row[row != column], column[row != column], pattern.rows)
    neighbours = [edges.columns[i:j].tolist() for i, j in zip(edges.starts[:-1], edges.starts[1:], strict=True)]
    count = pattern.rows
    stars = _Stars(neighbours, [-1] * count, [0] * count, [0] * count, [{} for _ in range(count)])
    for vertex in np.argsort(-np.diff(edges.starts), kind="stable").tolist():
        taken = stars.forbidden(vertex)
        stars.give(vertex, (~taken & (taken + 1)).bit_length() - 1)
    return np.asarray(stars.colours, np.int64)
