"""Reductions of arrays that are large enough for a compiler's own libraries, against NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import dsl
from lowering.stablehlo.reduce import COUNTED, LARGE, PARTS, WHOLE
from lowering.xla.compile import compile as compiled

PROGRAM = """
def max_all(x: F[n, m]) -> F where n >= 1 and m >= 1 = max(x)
def max_rows(x: F[n, m]) -> F[n] where m >= 1 = max(x, axis=1)
def max_columns(x: F[n, m]) -> F[m] where n >= 1 = max(x, axis=0)
def min_all(x: F[n, m]) -> F where n >= 1 and m >= 1 = min(x)
def min_rows(x: F[n, m]) -> F[n] where m >= 1 = min(x, axis=1)
def min_columns(x: F[n, m]) -> F[m] where n >= 1 = min(x, axis=0)
def argmax_rows(x: F[n, m]) -> idx[m][n] where m >= 1 = argmax(x, axis=1)
def argmax_columns(x: F[n, m]) -> idx[n][m] where n >= 1 = argmax(x, axis=0)
def argmin_rows(x: F[n, m]) -> idx[m][n] where m >= 1 = argmin(x, axis=1)
def argmin_columns(x: F[n, m]) -> idx[n][m] where n >= 1 = argmin(x, axis=0)
def sum_rows(x: F[n, m]) -> F[n] = sum(x, axis=1)
"""
WANTED = {
    "max_all": lambda x: x.max(),
    "max_rows": lambda x: x.max(1),
    "max_columns": lambda x: x.max(0),
    "min_all": lambda x: x.min(),
    "min_rows": lambda x: x.min(1),
    "min_columns": lambda x: x.min(0),
    "argmax_rows": lambda x: x.argmax(1),
    "argmax_columns": lambda x: x.argmax(0),
    "argmin_rows": lambda x: x.argmin(1),
    "argmin_columns": lambda x: x.argmin(0),
    "sum_rows": lambda x: x.sum(1),
}
SHAPES = [(1000, 960), (200, 1000), (997, 1009), (3, 70_000), (70_001, 3)]


@pytest.fixture(scope="module")
def programs() -> dict[str, Any]:
    return {name: dsl.program(PROGRAM.replace("F", name)) for name in ("f32", "f64")}


def array(shape: tuple[int, ...], dtype: str) -> np.ndarray[Any, Any]:
    """Few different numbers, zeros of both signs, infinities, and nans in some lines."""
    rng = np.random.default_rng(3)
    x = rng.integers(-50, 50, shape) * 0.5
    x[0, 0], x[0, 1], x[1, 0], x[2, -1] = -0.0, 0.0, np.inf, -np.inf
    x[1 % shape[0], shape[1] // 2], x[shape[0] // 3, 2], x[-1, -1] = np.nan, -np.nan, np.nan
    return x.astype(dtype)


@pytest.mark.parametrize("dtype", ["f32", "f64"])
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("name", WANTED)
def test_reductions_are_those_of_numpy(programs: Any, name: str, shape: tuple[int, int], dtype: str) -> None:
    x = array(shape, dtype.replace("f32", "f4").replace("f64", "f8"))
    for values in (x, np.nan_to_num(x, posinf=3, neginf=-3)):
        found = np.asarray(getattr(programs[dtype], name)(values))
        np.testing.assert_array_equal(found, WANTED[name](values))


def rows(extent: int) -> np.ndarray[Any, Any]:
    """Lines of a matrix that is just large enough, each with nan, infinities or an extreme in another place."""
    rng = np.random.default_rng(extent)
    x = rng.standard_normal((max(1, PARTS * LARGE // extent), extent))
    for line, row in enumerate(x):
        place = int(rng.integers(extent))
        row[place] = (np.nan, -np.inf, np.inf, 9.0, -9.0)[line % 5]
        row[-1 - place] = (1.0, 0.0, -np.inf, np.nan)[line % 4]
    return x


@pytest.mark.parametrize("dtype", ["f32", "f64"])
@pytest.mark.parametrize("extent", [8 * WHOLE, 8 * WHOLE + 1, 10 * WHOLE - 1, 3000, 4999, 65_536, 65_537])
def test_parts_of_an_axis_may_overlap(programs: Any, extent: int, dtype: str) -> None:
    x = rows(extent).astype(dtype.replace("f32", "f4").replace("f64", "f8"))
    for name in ("max_rows", "min_rows", "max_all", "min_all"):
        for values in (x, -x, np.nan_to_num(x)):
            found = np.asarray(getattr(programs[dtype], name)(values))
            np.testing.assert_array_equal(found, WANTED[name](values))


@pytest.mark.cpu
@pytest.mark.parametrize("dtype", ["f32", "f64"])
def test_long_axes_become_no_trees(programs: Any, dtype: str) -> None:
    """XLA writes a tree of kernels for a long reduction that is its own."""
    x = np.zeros((40, 3000), dtype.replace("f32", "f4").replace("f64", "f8"))
    for name in ("max_rows", "min_rows", "max_all", "min_all"):
        text = compiled(getattr(programs[dtype], name).lower(x).stablehlo).raw.get_hlo_text()
        assert "reduce-window" not in text
        assert text.count("kind=kLoop") == 3


FLAGS = """
def some(x: f64[n]) -> bool = any(x > 0.0)
def every(x: f64[n]) -> bool = all(x > 0.0)
def some_in(x: f64[n, m]) -> bool = any(x > 0.0)
def every_in(x: f64[n, m]) -> bool = all(x > 0.0)
def lines(x: f64[n, m]) -> bool[n] = any(x > 0.0, axis=1)
"""


@pytest.mark.parametrize("shape", [(4097,), (10_000,), (65_537,), (100, 100), (3, 5000), (8192,), (300,)])
def test_flags_are_those_of_numpy(shape: tuple[int, ...]) -> None:
    program = dsl.program(FLAGS)
    some, every = (program.some, program.every) if len(shape) == 1 else (program.some_in, program.every_in)
    for place in (None, 0, -1, 2049):
        x = -np.ones(shape)
        if place is not None:
            x.reshape(-1)[place % x.size] = 1.0
        assert bool(some(x)) is (place is not None)
        assert not every(x)
        assert bool(every(-x)) is (place is None)
        assert some(-x)


@pytest.mark.cpu
@pytest.mark.parametrize(
    ("name", "shape", "counted"),
    [
        ("some", (10_000,), True),
        ("every", (10_000,), True),
        ("some_in", (100, 100), True),
        ("some", (8192,), False),
        ("some", (COUNTED.stop,), False),
        ("lines", (100, 100), False),
    ],
)
def test_flags_that_fill_no_vectors_are_counted(name: str, shape: tuple[int, ...], counted: bool) -> None:
    text = getattr(dsl.program(FLAGS), name).lower(np.zeros(shape)).stablehlo.text
    assert ("applies stablehlo.add" in text) is counted
    assert ("applies stablehlo.or" in text or "applies stablehlo.and" in text) is not counted
