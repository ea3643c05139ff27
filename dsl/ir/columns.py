"""Which columns of a Jacobian the elements of an array have: compressed rows of indices, sorted and without duplicates.

What a value is to this analysis is its `State`: known, or with columns, or None for one that is neither. Data and
arithmetic only; knows no op. Read next: `dsl.transforms.dependence`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias, assert_never

import numpy as np
from msgspec import Struct

Indices: TypeAlias = np.ndarray[Any, np.dtype[np.int64]]


class Sets(Struct, frozen=True):
    """Element i has the columns `columns[starts[i] : starts[i + 1]]`, in ascending order."""

    starts: Indices
    columns: Indices

    @property
    def rows(self) -> int:
        """The number of elements."""
        return len(self.starts) - 1

    @property
    def row_of(self) -> Indices:
        """The element that each entry belongs to."""
        return np.repeat(np.arange(self.rows), np.diff(self.starts))

    @property
    def is_empty(self) -> bool:
        """Return whether no element has a column."""
        return len(self.columns) == 0


class Known(Struct, frozen=True):
    """A value that is the same whatever the arguments are."""

    array: np.ndarray[Any, Any]


State: TypeAlias = "Known | Sets | None"
States: TypeAlias = "tuple[State, ...]"


def empty(rows: int) -> Sets:
    """Return the sets of elements that have no columns."""
    return Sets(np.zeros(rows + 1, np.int64), np.zeros(0, np.int64))


def each_its_own(rows: int, first: int) -> Sets:
    """Return the sets of elements with one column each, counted from `first`."""
    return Sets(np.arange(rows + 1), np.arange(first, first + rows))


def of_pairs(row: Indices, column: Indices, rows: int) -> Sets:
    """Return the sets with these pairs of an element and a column, in any order."""
    order = np.lexsort((column, row))
    row, column = row[order], column[order]
    new = np.ones(len(row), np.bool_)
    new[1:] = (row[1:] != row[:-1]) | (column[1:] != column[:-1])
    starts = np.zeros(rows + 1, np.int64)
    np.cumsum(np.bincount(row[new], minlength=rows), out=starts[1:])
    return Sets(starts, column[new])


def union(sets: Sequence[Sets], rows: int) -> Sets:
    """Return the union of the sets of each element."""
    full = [each for each in sets if not each.is_empty]
    if len(full) < 2:
        return full[0] if full else empty(rows)
    row = np.concatenate([each.row_of for each in full])
    return of_pairs(row, np.concatenate([each.columns for each in full]), rows)


def taken(sets: Sets, sources: Indices) -> Sets:
    """Return the set of `sources[i]` for each i; none for -1."""
    counts = np.append(np.diff(sets.starts), 0)[sources]
    starts = np.zeros(len(sources) + 1, np.int64)
    np.cumsum(counts, out=starts[1:])
    first = np.append(sets.starts[:-1], 0)[sources]
    within = np.arange(starts[-1]) - np.repeat(starts[:-1], counts)
    return Sets(starts, sets.columns[np.repeat(first, counts) + within])


def gathered(sets: Sets, targets: Indices, rows: int) -> Sets:
    """Return, for each of so many rows, the union of the sets of the elements whose target it is; -1 is no target."""
    row = np.repeat(targets, np.diff(sets.starts))
    kept = row >= 0
    return of_pairs(row[kept], sets.columns[kept], rows)


def without(sets: Sets, lost: np.ndarray[Any, Any]) -> Sets:
    """Return the sets, but none for the elements that are marked."""
    return taken(sets, np.where(lost, -1, np.arange(sets.rows)))


def whole(sets: Sequence[Sets]) -> Indices:
    """Return all columns that any element has."""
    return np.unique(np.concatenate([np.zeros(0, np.int64), *[each.columns for each in sets]]))


def alike(columns: Indices, rows: int) -> Sets:
    """Return the sets of elements that all have the same columns."""
    return Sets(np.arange(rows + 1) * len(columns), np.tile(columns, rows))


def stacked(parts: Sequence[Sets]) -> Sets:
    """Return the sets of the elements of several arrays, one after the other."""
    counts = np.concatenate([np.zeros(1, np.int64), *[np.diff(each.starts) for each in parts]])
    columns = np.concatenate([np.zeros(0, np.int64), *[each.columns for each in parts]])
    return Sets(np.cumsum(counts), columns)


# --- states ------------------------------------------------------------------------------------------------


def part_of(state: State, place: int, size: int) -> State:
    """Return the state of one slice along the first axis, of so many elements."""
    match state:
        case Known(array):
            return Known(array[place])
        case Sets():
            return taken(state, np.arange(place * size, (place + 1) * size))
        case None:
            return None
        case _:
            assert_never(state)


def joined(states: Sequence[State], rows: int) -> State:
    """Return the state of a value that is one of several."""
    found = [state for state in states if isinstance(state, Sets)]
    return union(found, rows) if found else None


def all_stacked(states: Sequence[State], rows: int) -> State:
    """Return the state of the stack of values of so many elements."""
    if not any(isinstance(state, Sets) for state in states):
        return None
    return stacked([state if isinstance(state, Sets) else empty(rows) for state in states])
