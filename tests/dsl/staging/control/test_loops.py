"""Loops, branches and comprehensions: a program's result by XLA and by the evaluator against NumPy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tests.support.run import assert_computes

X = np.array([1.5, -2.0, 0.5, 3.0], np.float32)
M = np.arange(12, dtype=np.float32).reshape(3, 4) - 5.0

CASES: dict[str, tuple[str, tuple[Any, ...], Callable[..., Any]]] = {
    "fold": (
        "def f(x: f32[n]) -> f32 = fold acc = 0.0 for v in x do acc + v * v",
        (X,),
        lambda x: (x * x).sum(),
    ),
    "two carries of two dtypes": (
        "def f(x: f32[n]) -> (f32, i32) = fold (a, b) = (0.0, 0) for v in x do (a + v, b + 1)",
        (X,),
        lambda x: (x.sum(), 4),
    ),
    "scan": (
        "def f(x: f32[n]) -> (f32, f32[n]) =\n    scan c = 0.0 for v in x do (c + v, c * 2.0)",
        (X,),
        lambda x: (x.sum(), 2 * (np.cumsum(x) - x)),
    ),
    "reverse scan keeps places": (
        "def f(x: f32[n]) -> (f32, f32[n]) =\n    scan c = 0.0 for v in x reverse do (c + v, c + v)",
        (X,),
        lambda x: (x.sum(), np.cumsum(x[::-1])[::-1]),
    ),
    "range": (
        "def f(x: f32[n]) -> f32 = fold acc = 0.0 for i in range(n) do acc + x[i] * f32(i)",
        (X,),
        lambda x: (x * np.arange(4)).sum(),
    ),
    "a body that captures": (
        "def f(x: f32[n], k: f32) -> f32 = fold acc = k for v in x do acc + k * v",
        (X, np.float32(2)),
        lambda x, k: k + (k * x).sum(),
    ),
    "nested loops": (
        "def f(x: f32[n, d]) -> f32 =\n    fold a = 0.0 for row in x do fold b = a for v in row do b * 0.5 + v",
        (M,),
        lambda x: _decayed(x.ravel()),
    ),
    "unroll": (
        "def f(x: f32[n]) -> f32 = fold acc = 0.0 for v in x unroll 3 do acc * 0.5 + v",
        (X,),
        lambda x: _decayed(x),
    ),
    "a loop over a tuple": (
        "def f(x: f32[n]) -> f32[n] = fold a = x for k in (1, 2, 3) do a * f32(k)",
        (X,),
        lambda x: 6 * x,
    ),
    "iterate": (
        "def f(x: f32) -> f32 ! div = iterate y = x while y < 100.0 do y * 2.0",
        (np.float32(3),),
        lambda x: 192.0,
    ),
    "iterate with a limit": (
        "def f(x: f32) -> f32 = iterate y = x while y < 100.0 limit 3 do y * 2.0",
        (np.float32(3),),
        lambda x: 24.0,
    ),
    "if": ("def f(x: f32) -> f32 = if x > 0.0 then x * 2.0 else -x", (np.float32(-3),), lambda x: 3.0),
    "and, or": (
        "def f(x: f32, y: f32) -> (bool, bool) = (x > 0.0 and y > 0.0, x > 0.0 or y > 0.0)",
        (np.float32(1), np.float32(-1)),
        lambda x, y: (False, True),
    ),
    "if in a comprehension": (
        "def f(x: f32[n]) -> f32[n] = [if v > 0.0 then v * 2.0 else 0.0 for v in x]",
        (X,),
        lambda x: np.where(x > 0, 2 * x, 0),
    ),
    "two clauses": (
        "def f(x: f32[n], y: f32[m]) -> f32[n, m] = [x[i] * y[j] for i in range(n), j in range(m)]",
        (X, X[:3]),
        np.outer,
    ),
    "rows": ("def f(x: f32[n, d]) -> f32[n] = [sum(row) for row in x]", (M,), lambda x: x.sum(1)),
    "zip": (
        "def f(x: f32[n], y: f32[n]) -> f32[n] = [a - b for a, b in zip(x, y)]",
        (X, 2 * X),
        lambda x, y: x - y,
    ),
    "enumerate": (
        "def f(x: f32[n]) -> f32[n] = [a * f32(i) for i, a in enumerate(x)]",
        (X,),
        lambda x: x * np.arange(4),
    ),
    "a comprehension of records": (
        "def f(x: f32[n]) -> {a: f32[n], b: f32[n]} = [{a = v, b = v * v} for v in x]",
        (X,),
        lambda x: {"a": x, "b": x * x},
    ),
    "a loop in a comprehension": (
        "def f(x: f32[n, d]) -> f32[n] = [fold a = 1.0 for v in row do a * v for row in x]",
        (M,),
        lambda x: x.prod(1),
    ),
    "an empty comprehension": (
        "def f(x: f32[n]) -> f32[n] = [v * 2.0 for v in x]",
        (X[:0],),
        lambda x: x,
    ),
}


def _decayed(values: Any) -> Any:
    total = np.float32(0)
    for v in values:
        total = total * np.float32(0.5) + v
    return total


@pytest.mark.parametrize("name", CASES)
def test_program(name: str) -> None:
    assert_computes(*CASES[name], rtol=1e-5)
