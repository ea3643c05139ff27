"""Values that take long to compute are computed once, however often they are read."""

from __future__ import annotations

import numpy as np
import pytest

import dsl

PROGRAMS = """
import random

def rows(x: f32[m], y: f32[n, m]) -> f32[n, m] = y * (2.0 * sin(x) + 1.0)
def powers(x: f32[m], y: f32[n, m]) -> f32[n, m] = y * power(abs(x) + 0.1, 1.7)
def table(x: f32[m], at: idx[m][n]) -> f32[n] = cos(x)[at]
def noise(k: key, y: f32[n, m]) -> f32[n, m] = y + random.normal(k, [m])
def halves(k: key, x: f32[n]) -> f32[n] =
    let z = random.normal(k, [2, n])
    x + z[0] - 2.0 * z[1]
def dropped(k: key, x: f32[n, m], w: f32[m, m]) -> (f32, f32[n, m]) =
    value_and_grad(fn x -> sum(tanh(where(random.bernoulli(k, f32(0.9), [n, m]), x, 0.0) @ w)))(x)
def draws(k: key, x: f32[n]) -> (f32, f32[n]) =
    let z = 2.0 * random.uniform(k, [n])
    (sum(z * x), z)

def cheap(x: f32[m], y: f32[n, m]) -> f32[n, m] = y * (2.0 * x + 1.0)
def quotient(x: f32[m], y: f32[n, m]) -> f32[n, m] = y / (exp(x) + 1.0)
def sums(x: f32[k, m], y: f32[n, m]) -> f32[n, m] = y * sum(x, axis=0)
def whole(x: f32[n, m], y: f32[n, m]) -> f32[n, m] = y * sin(x)
def once(k: key, x: f32[n]) -> f32[n] =
    let z = random.uniform(k, [n])
    z * z + x * z
def turned(x: f32[n, n]) -> (f32[n, n], f32) =
    let y = x.T
    (y, sum(y * y))
def steps(x: f32[m], y: f32[n, m]) -> f32[n, m] = fold y = y for _ in range(300) do y * (2.0 * sin(x) + 0.1 * y[0])
def half(k: key, x: f32[n]) -> f32[n] = x + random.normal(k, [2, n])[0]
"""
CALL = "func.call @kept_"
WIDTH, LINES = 40, 1000

program = dsl.program(PROGRAMS)
rng = np.random.default_rng(0)
row = rng.normal(size=WIDTH).astype("f4")
matrix = rng.normal(size=(LINES, WIDTH)).astype("f4")
many = rng.normal(size=20_000).astype("f4")
places = rng.integers(0, WIDTH, 20_000)


KEPT = (
    ("rows", (row, matrix)),
    ("powers", (row, matrix)),
    ("table", (row, places)),
    ("noise", (dsl.key(0), matrix)),
    ("halves", (dsl.key(0), many)),
    ("rows", (row, matrix[:60])),
    ("dropped", (dsl.key(0), matrix, rng.normal(size=(WIDTH, WIDTH)).astype("f4"))),
    ("draws", (dsl.key(0), many)),
)


def calls(name: str, *args: object) -> int:
    return str(getattr(program, name).lower(*args).as_text()).count(CALL)


def numbers(result: object) -> np.ndarray:
    """All numbers of a result, one after the other."""
    parts = result if isinstance(result, tuple) else (result,)
    return np.concatenate([np.ravel(part) for part in parts])


@pytest.mark.cpu
@pytest.mark.parametrize(("name", "args"), KEPT)
def test_what_takes_long_is_in_memory_before_it_is_read_again(name: str, args: tuple[object, ...]) -> None:
    assert calls(name, *args) == 1


@pytest.mark.parametrize(
    ("name", "args"),
    [
        ("rows", (row, matrix[:20])),  # too few elements
        ("rows", (many, np.ones((4, 20_000), np.float32))),  # not often enough
        ("cheap", (row, matrix)),
        ("quotient", (row, matrix)),
        ("sums", (matrix[:5], matrix)),  # in memory already
        ("whole", (matrix, matrix)),
        ("half", (dsl.key(0), many)),  # read once
        ("once", (dsl.key(0), many)),  # read by one kernel
        ("turned", (rng.normal(size=(200, 200)).astype("f4"),)),  # nothing is computed
        ("steps", (row, matrix[:60])),  # in a loop that becomes one function
    ],
)
def test_other_values_are_computed_where_they_are_used(name: str, args: tuple[object, ...]) -> None:
    assert calls(name, *args) == 0


@pytest.mark.parametrize(("name", "args"), KEPT)
def test_the_values_are_those_of_the_evaluator(name: str, args: tuple[object, ...]) -> None:
    f = getattr(program, name)
    np.testing.assert_allclose(numbers(f(*args)), numbers(f.interpret(*args)), rtol=2e-5, atol=2e-5)


def test_derivatives_read_kept_values() -> None:
    total = dsl.program("def total(x: f32[m], y: f32[n, m]) -> f32 = sum(y * (2.0 * sin(x) + 1.0))").total
    found = np.asarray(dsl.grad(total)(row, matrix))
    np.testing.assert_allclose(found, matrix.sum(0) * 2 * np.cos(row), rtol=1e-4, atol=1e-4)
