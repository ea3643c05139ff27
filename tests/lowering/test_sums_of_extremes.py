"""Sums of the greater and the lesser of two have nan where one of the two has, also where XLA's libraries add up."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import dsl

Array = np.ndarray[Any, Any]

FORMS = {
    "maximum(x, y)": lambda x, y: np.maximum(x, y),
    "maximum(y, x)": lambda x, y: np.maximum(x, y),
    "minimum(x, y)": lambda x, y: np.minimum(x, y),
    "maximum(x, 0.5)": lambda x, y: np.maximum(x, 0.5),
    "minimum(0.5, x)": lambda x, y: np.minimum(x, 0.5),
    "exp(maximum(x, -1.0) - y)": lambda x, y: np.exp(np.maximum(x, -1.0) - y),
}


def operands(dtype: str) -> tuple[Array, Array]:
    """Numbers, and nan in single places, the first and the last among them."""
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(2, 160, 120)).astype(dtype)
    x[[0, 3, 80, 159], [0, 5, 119, 119]] = np.nan
    x[7, 3], x[9, 4], x[11] = np.inf, -np.inf, -np.inf
    return x, y


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("form", FORMS)
def test_no_nan_is_lost(form: str, axis: int, dtype: str) -> None:
    name, (x, y) = {"float32": "f32", "float64": "f64"}[dtype], operands(dtype)
    left = "nm"[1 - axis]
    text = f"def total(x: {name}[n, m], y: {name}[n, m]) -> {name}[{left}] = sum({form}, axis={axis})"
    want = np.sum(FORMS[form](x.astype(np.float64), y.astype(np.float64)), axis=axis)
    np.testing.assert_allclose(np.asarray(dsl.program(text).total(x, y)), want, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("place", [0, 9_000, 19_999])
def test_a_running_maximum_has_nan_from_there_on(place: int) -> None:
    x = np.random.default_rng(1).normal(size=20_000).astype(np.float32)
    x[place] = np.nan
    program = dsl.program("def last(x: f32[n]) -> f32 where n >= 4000 = sum(cummax(x)[-3000:])")
    assert np.isnan(np.asarray(program.last(x)))
