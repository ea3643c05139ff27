"""What a policy says of an index out of bounds, for all policies, updates and kinds of items: a number that is written,
a static one and one of the run lead to the same places, which NumPy is asked for one by one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

import numpy as np
import pytest

import dsl
from tests.support.cases import some
from tests.support.run import assert_leaves_close

Places: TypeAlias = "int | list[int] | range | slice | None"
"""What an item takes of an axis: a place, a list of them, a window, a slice; None for a new axis."""
COLUMNS = 3
FILL = -7.0
READING = ("clip", "wrap", "fill")
WRITING = ("drop", "clip", "wrap")
UPDATES: dict[str, tuple[str, Callable[[np.ndarray, np.ndarray], None]]] = {
    "set": ("100.0", lambda flat, at: flat.__setitem__(at, 100.0)),
    "add": ("2.0", lambda flat, at: np.add.at(flat, at, 2.0)),
    "mul": ("2.0", lambda flat, at: np.multiply.at(flat, at, 2.0)),
    "divide": ("2.0", lambda flat, at: np.divide.at(flat, at, 2.0)),
    "max": ("4.5", lambda flat, at: np.maximum.at(flat, at, 4.5)),
    "min": ("4.5", lambda flat, at: np.minimum.at(flat, at, 4.5)),
    "power": ("2", lambda flat, at: flat.__setitem__(at, flat[at] ** 2)),
    "apply": ("fn v -> v + 3.0", lambda flat, at: flat.__setitem__(at, flat[at] + 3.0)),
}
"""How an update is written, and what it does to the elements of a flat array; `ONCE`: at equal places once."""
ONCE = ("power", "apply")
FORMS: dict[str, Callable[[int, int], list[Places]]] = {
    "i": lambda i, n: [i],
    "-i": lambda i, n: [n - i],
    "i, 1": lambda i, n: [i, 1],
    "i, 9": lambda i, n: [i, 9],
    "i, -9": lambda i, n: [i, COLUMNS - 9],
    "9, i": lambda i, n: [9, i],
    ":, i": lambda i, n: [slice(n), i],
    "..., i": lambda i, n: [slice(n), i],
    "i, ::2": lambda i, n: [i, slice(0, COLUMNS, 2)],
    "i, None, i": lambda i, n: [i, None, i],
    "[i, 0]": lambda i, n: [[i, 0]],
    "[i, 0, 9], 1": lambda i, n: [[i, 0, 9], 1],
    "[i, 0], 9": lambda i, n: [[i, 0], 9],
    "i, [0, 9, 1]": lambda i, n: [i, [0, 9, 1]],
    "[i, 0], [i, 9]": lambda i, n: [[i, 0], [i, 9]],
    "::2, [i, 0]": lambda i, n: [slice(0, n, 2), [i, 0]],
    "i : i + 2": lambda i, n: [range(i, i + 2)],
    "-i : n - i + 2": lambda i, n: [range(n - i, n - i + 2)],
    "i : i + 2 : 2, i": lambda i, n: [range(i, i + 2, 2), i],
    "9, i : i + 3 : 2": lambda i, n: [9, range(i, i + 3, 2)],
    "[i, 0], i : i + 2": lambda i, n: [[i, 0], range(i, i + 2)],
    "i : i + 2, None, i : i + 3": lambda i, n: [range(i, i + 2), None, range(i, i + 3)],
}
LEAST = {form: 2 if "i + 2" in form.split(",")[0] else 0 for form in FORMS}
"""How many rows the items need: a window is at most as long as its axis."""
CASES = [(form, size) for form in FORMS for size in (0, 1, 2, 5) if size >= LEAST[form]]
"""Items over an array of n rows and three columns, and what they take for an `i`."""


def _settled(place: int, extent: int, mode: str) -> int:
    """Where a place leads; `extent`, behind the axis, where it leads nowhere."""
    inside = extent > 0 and mode in ("clip", "wrap")
    if inside:
        return place % extent if mode == "wrap" else min(max(place, 0), extent - 1)
    return place if 0 <= place < extent else extent


def _numbers(items: Sequence[Places], shape: Sequence[int], mode: str) -> np.ndarray:
    """Which elements the items take of an array with one more place on each axis."""
    numbers = np.arange(np.prod([n + 1 for n in shape])).reshape([n + 1 for n in shape])
    taken: list[int | list[int] | slice | None] = []
    axis = 0
    for item in items:
        extent = shape[axis] if item is not None else 0
        match item:
            case int():
                taken.append(_settled(item, extent, mode))
            case list():
                taken.append([_settled(place, extent, mode) for place in item])
            case range():
                numbers = np.take(numbers, np.array([_settled(p, extent, mode) for p in item], int), axis)
                taken.append(slice(None))
            case _:
                taken.append(item)
        axis += item is not None
    taken.extend([slice(n) for n in shape[axis:]])
    return np.asarray(numbers[tuple(taken)])


def _padded(x: np.ndarray) -> np.ndarray:
    return np.pad(x, [(0, 1)] * x.ndim, constant_values=FILL)


def _read(x: np.ndarray, items: Sequence[Places], mode: str) -> np.ndarray:
    return np.asarray(_padded(x).ravel()[_numbers(items, x.shape, mode)])


def _updated(x: np.ndarray, items: Sequence[Places], mode: str, name: str) -> np.ndarray:
    padded = _padded(x)
    flat, places = padded.ravel(), _numbers(items, x.shape, mode).ravel()
    UPDATES[name][1](flat, np.unique(places) if name in ONCE else places)
    return np.asarray(flat.reshape(padded.shape)[tuple(slice(n) for n in x.shape)])


def _accesses(size: int) -> list[tuple[str, str | None, str]]:
    """What is written behind `x.at[…]`, with the update and the policy; nothing is read where there is nothing."""
    options = {"clip": "", "wrap": "", "fill": f", fill={FILL}"}
    reads = [(f'get(mode="{mode}"{options[mode]})', None, mode) for mode in READING if size or mode == "fill"]
    writes = [(f'{name}({UPDATES[name][0]}, mode="{mode}")', name, mode) for name in UPDATES for mode in WRITING]
    return [*reads, *writes]


def _wanted(x: np.ndarray, items: Sequence[Places]) -> tuple[np.ndarray, ...]:
    return tuple(
        [
            _read(x, items, mode) if name is None else _updated(x, items, mode, name)
            for _, name, mode in _accesses(len(x))
        ]
    )


def _program(form: str, size: int, parameter: str) -> dsl.Function:
    results = ", ".join(f"x.at[{form}].{written}" for written, _, _ in _accesses(size))
    found: dsl.Function = dsl.program(f"def f(x: f32[n, {COLUMNS}]{parameter}) = ({results})").f
    return found


def _indices(size: int) -> list[int]:
    return sorted({-size - 1, -1, 0, 1, size - 1, size, 2 * size + 1})


def _x(size: int) -> np.ndarray:
    return np.arange(1, size * COLUMNS + 1, dtype=np.float32).reshape(size, COLUMNS)


@pytest.mark.parametrize(("form", "size"), CASES)
def test_indices_of_the_run(form: str, size: int) -> None:
    function, x = _program(form, size, ", i: i32"), _x(size)
    for index in some(_indices(size)):
        wanted = _wanted(x, FORMS[form](index, size))
        for run in (function, function.interpret) if size == 2 else (function.interpret,):
            assert_leaves_close(run(x, np.int32(index)), wanted)


@pytest.mark.parametrize(("form", "size"), CASES)
def test_static_indices(form: str, size: int) -> None:
    function, x = _program(form, size, ", static i: int"), _x(size)
    for index in some([-(2**70), *_indices(size), 2**70] if "[i" not in form else _indices(size)):
        assert_leaves_close(function.interpret(x, index), _wanted(x, FORMS[form](index, size)))


@pytest.mark.parametrize(("form", "size"), [case for case in CASES if case[1] in (0, 2)])
def test_indices_that_are_written(form: str, size: int) -> None:
    x = _x(size)
    for index in (0, size, 7):
        written = _program(form.replace("i", str(index)), size, "")
        assert_leaves_close(written(x), _wanted(x, FORMS[form](index, size)))


AROUND = """
type Cell = {w: f32[3], b: f32}
def mapped(xs: f32[m, n]) -> (f32[m], f32[m, n]) =
    (vmap(fn x -> x.at[7].get(mode="fill", fill=-1.0))(xs), vmap(fn x -> x.at[7].add(1.0, mode="drop"))(xs))
def gradient(x: f32[n]) -> f32[n] = grad(fn v -> sum(v.at[7].set(9.0, mode="drop") ** 2))(x)
def turns(x: f32[n]) -> f32[n] = fold y = x for i in (0, 1, 9) do y.at[i].add(1.0, mode="drop")
def read(x: f32[n]) -> f32[4] = [x.at[i].get(mode="fill", fill=-1.0) for i in (0, 1, 2, 3)]
def cell(cells: Cell[n], new: Cell) -> Cell[n] = cells.at[7].set(new, mode="drop")
"""


def test_static_indices_in_functions_loops_and_records() -> None:
    program, x = dsl.program(AROUND), np.array([1.0, 2.0, 3.0], np.float32)
    found = program.mapped(np.stack([x, x])), program.gradient(x), program.turns(x), program.read(x)
    read = np.array([1.0, 2.0, 3.0, -1.0])
    added = np.array([1.0, 1.0, 0.0])
    assert_leaves_close(found, (np.array([-1.0, -1.0]), np.stack([x, x]), 2 * x, x + added, read))
    one = {"w": np.zeros(3, np.float32), "b": np.float32(0.0)}
    cells = {"w": np.ones((2, 3), np.float32), "b": np.ones(2, np.float32)}
    assert_leaves_close(program.cell(cells, one), cells)
