"""`linspace`: its ends are those that are given, nothing lies beyond them, and equal ends give equal points."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dsl

PROGRAM = dsl.program("""
def line[a: Float](low: a, high: a) -> a[101] = linspace(low, high, 101)
def slope[a: Float](low: a, high: a) -> (a, a) = grad(fn (l, h) -> linspace(l, h, 101)[25], argnums=(0, 1))(low, high)
""")
DTYPES = [np.float32, np.float64]
NUMBERS = st.floats(-(2.0**100), 2.0**100, width=32, allow_subnormal=False)


def points(low: Any, high: Any) -> np.ndarray:
    return np.asarray(PROGRAM.line(low, high))


@pytest.mark.parametrize("dtype", DTYPES)
@given(low=NUMBERS, high=NUMBERS)
def test_ends_and_order(dtype: Any, low: float, high: float) -> None:
    low, high = sorted((low, high))
    found = points(dtype(low), dtype(high))
    assert (found[0], found[-1]) == (dtype(low), dtype(high))
    assert np.all(np.diff(found) >= -4 * np.spacing(dtype(max(abs(low), abs(high)))))
    assert np.all((found >= dtype(low)) & (found <= dtype(high)))


@pytest.mark.parametrize("dtype", DTYPES)
@given(at=NUMBERS)
def test_equal_ends(dtype: Any, at: float) -> None:
    np.testing.assert_array_equal(points(dtype(at), dtype(at)), np.full(101, dtype(at)))


@pytest.mark.parametrize("dtype", DTYPES)
def test_a_line_between_the_greatest_numbers(dtype: Any) -> None:
    most = np.finfo(dtype).max
    np.testing.assert_allclose(points(-most, most) / most, np.linspace(-1, 1, 101), atol=1e-6)


@pytest.mark.parametrize("ends", [(1.0, 3.0), (2.0, 2.0)])
def test_derivatives_by_the_ends(ends: tuple[float, float]) -> None:
    np.testing.assert_allclose(PROGRAM.slope(*map(np.float64, ends)), (0.75, 0.25))
