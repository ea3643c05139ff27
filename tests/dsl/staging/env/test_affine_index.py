"""Indices that move in step with a comprehension become slices: no gather is left in the program."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import dsl

M = np.arange(12, dtype=np.float32).reshape(3, 4)
Y = np.arange(5, dtype=np.float32) ** 2

CASES: dict[str, tuple[str, Any, Callable[[Any], Any]]] = {
    "rows": ("def f(x: f32[n, d]) -> f32[n] = [sum(x[i]) for i in range(n)]", M, lambda x: x.sum(1)),
    "columns": ("def f(x: f32[n, d]) -> f32[d, n] = [x[:, j] * 2.0 for j in range(d)]", M, lambda x: 2 * x.T),
    "both": (
        "def f(x: f32[n, d]) -> f32[n, d] = [x[i, j] + 1.0 for i in range(n), j in range(d)]",
        M,
        lambda x: x + 1,
    ),
    "turned": (
        "def f(x: f32[n, d]) -> f32[d, n] = [x[i, j] for j in range(d), i in range(n)]",
        M,
        lambda x: x.T,
    ),
    "stride": ("def f(x: f32[5]) -> f32[2] = [x[2 * i + 1] for i in range(2)]", Y, lambda x: x[1:4:2]),
    "shift": ("def f(x: f32[5]) -> f32[3] = [x[i + 2] - x[i] for i in range(3)]", Y, lambda x: x[2:] - x[:3]),
    "backwards": ("def f(x: f32[n]) -> f32[n] = [x[n - 1 - i] for i in range(n)]", Y, lambda x: x[::-1]),
    "a new axis": ("def f(x: f32[n]) -> f32[n, 1] = [x[i, None] for i in range(n)]", Y, lambda x: x[:, None]),
    "inside a loop": (
        "def f(x: f32[n]) -> f32[n] = [fold s = 0.0 for v in x do s + v * x[i] for i in range(n)]",
        Y,
        lambda x: x * x.sum(),
    ),
    "of what a comprehension made": (
        "def f(x: f32[n]) -> f32[n] =\n    let y = [x[i] * 2.0 for i in range(n)]\n    [y[i] + x[i] for i in range(n)]",
        Y,
        lambda x: 3 * x,
    ),
    "windows": (
        "def f(x: f32[5]) -> f32[3, 3] = [x[i : i + 3] for i in range(3)]",
        Y,
        lambda x: np.stack([x[i : i + 3] for i in range(3)]),
    ),
    "windows with strides": (
        "def f(x: f32[5]) -> f32[2] = [sum(x[2 * i : 2 * i + 3]) for i in range(2)]",
        Y,
        lambda x: np.array([x[:3].sum(), x[2:].sum()]),
    ),
    "windows in two axes": (
        "def f(x: f32[3, 4]) -> f32[2, 3] =\n    [sum(x[i : i + 2, j : j + 2]) for i in range(2), j in range(3)]",
        M,
        lambda x: np.array([[x[i : i + 2, j : j + 2].sum() for j in range(3)] for i in range(2)]),
    ),
    "a matrix product": (
        "def f(x: f32[n, d]) -> f32[n, n] =\n    [sum(x[i] * x[j]) for i in range(n), j in range(n)]",
        M,
        lambda x: x @ x.T,
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_no_gather(name: str) -> None:
    text, x, expected = CASES[name]
    function = dsl.program(text).f
    np.testing.assert_allclose(function(x), expected(x), rtol=1e-6)
    assert "gather" not in function.ir(x)
    assert "dynamic_slice" not in function.ir(x)


def test_a_diagonal_is_still_right() -> None:
    function = dsl.program("def f(x: f32[n, n]) -> f32[n] = [x[i, i] for i in range(n)]").f
    np.testing.assert_allclose(function(M[:, :3].copy()), np.diag(M[:, :3]))


def test_gradients_go_through() -> None:
    text = "def f(x: f32[n]) -> f32[n] = grad(fn (y: f32[n]) -> sum([y[i] * y[n - 1 - i] for i in range(n)]))(x)"
    np.testing.assert_allclose(dsl.program(text).f(Y), 2 * Y[::-1])
