"""What the policies make of every index that a dtype can hold: as the integers of Python have it, by XLA and by the
evaluator."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import dsl
from dsl.types.dtype import INTEGERS, DType
from tests.support.cases import some
from tests.support.run import assert_leaves_close

EXTENT, COLUMNS = 5, 3
X = np.arange(1, EXTENT * COLUMNS + 1, dtype=np.float32).reshape(EXTENT, COLUMNS)
MARKS = (0, EXTENT, 2**7, 2**8, 2**15, 2**16, 2**31, 2**32, 2**63, 2**64)
PLACES: dict[str, Callable[[int], int | None]] = {
    "clip": lambda place: min(max(place, 0), EXTENT - 1),
    "wrap": lambda place: place % EXTENT,
    "drop": lambda place: place if 0 <= place < EXTENT else None,
    "fill": lambda place: place if 0 <= place < EXTENT else None,
}
"""Where an index leads; None where it leads nowhere."""
FORMS: dict[str, tuple[str, str, slice | int]] = {
    "a row": ("i: {}", "i", slice(None)),
    "from the end": ("i: {}", "-i", slice(None)),
    "an element": ("i: {}", "i, 1", 1),
    "every second column": ("i: {}", "i, ::2", slice(None, None, 2)),
    "an index array": ("i: {}[1]", "i", slice(None)),
    "an index array and a column": ("i: {}[1]", "i, 1", 1),
    "an index array and every second column": ("i: {}[1]", "i, ::2", slice(None, None, 2)),
}
"""The parameter, the items, and the columns that they take."""
ACCESSES = {
    'get(mode="clip")': "clip",
    'get(mode="wrap")': "wrap",
    'get(mode="fill", fill=0.0)': "fill",
    **{f'{op}(100.0, mode="{mode}")': mode for op in ("set", "add") for mode in ("drop", "clip", "wrap")},
}


def _name(dtype: DType) -> str:
    return ("uint" if dtype.name.startswith("u") else "int") + dtype.name[1:]


def _edges(dtype: DType) -> list[int]:
    ends = np.iinfo(_name(dtype))
    near = {sign * mark + step for mark in MARKS for sign in (1, -1) for step in (-1, 0, 1)}
    return sorted(value for value in near if ends.min <= value <= ends.max)


def _expected(access: str, place: int | None, columns: slice | int) -> np.ndarray:
    if access.startswith("get"):
        return np.zeros_like(X[0, columns]) if place is None else X[place, columns]
    new = X.copy()
    if place is not None:
        new[place, columns] = 100.0 + (X[place, columns] if access.startswith("add") else 0.0)
    return new


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("dtype", INTEGERS, ids=lambda dtype: dtype.name)
def test_every_index_leads_where_the_policy_says(dtype: DType, form: str) -> None:
    parameter, items, columns = FORMS[form]
    results = ", ".join(f"x.at[{items}].{access}" for access in ACCESSES)
    function = dsl.program(f"def f(x: f32[{EXTENT}, {COLUMNS}], {parameter.format(dtype.name)}) = ({results})").f
    for index in some(_edges(dtype)):
        place = EXTENT - index if items == "-i" else index
        wanted = [_expected(access, PLACES[mode](place), columns) for access, mode in ACCESSES.items()]
        given = np.full([1] if "[1]" in parameter else [], index, _name(dtype))
        for run in (function, function.interpret):
            found = [np.reshape(part, value.shape) for part, value in zip(run(X, given), some(wanted), strict=True)]
            assert_leaves_close(tuple(found), tuple(wanted))
