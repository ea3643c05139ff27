"""Programs whose large arrays XLA computes in place: loops that change what they carry, and costly functions of what a
library computes."""

from __future__ import annotations

import numpy as np
import pytest

import dsl

pytestmark = pytest.mark.cpu

PROGRAMS = """
def grown(x: f64[n], static steps: size) -> f64[n] = fold x = x for _ in range(steps) do x * 1.5 + 1.0
def eliminated(x: f64[n, n], static steps: size) -> f64[n, n] where n >= 1 =
    fold x = x for _ in range(steps) do x - x[:, 0:1] * x[0:1, :]
def moved(x: f64[n, n], static steps: size) -> f64[n, n] where n >= 1 = fold x = x for _ in range(steps) do x @ x
def alternating(a: f64[n], b: f64[n], static steps: size) -> (f64[n], f64[n]) where n >= 2 =
    fold (a, b) = (a, b) for _ in range(steps) do
        let b = b.at[1:].set(a[1:] + a[:-1])
        (a.at[1:].set(b[1:] + b[:-1]), b)
def increased(a: f64[n], b: f64[n], static steps: size) -> (f64[n], f64[n]) where n >= 2 =
    fold (a, b) = (a, b) for _ in range(steps) do
        let b = b.at[1:].add(a[1:] - a[:-1])
        (a.at[1:].add(b[1:] - b[:-1]), b)
def given(x: f64[n]) -> f64[n] = exp(x) + sqrt(x)
def shifted(x: f64[n, m], y: f64[m, k]) -> f64[n, k] = x @ y + 1.0
def activated(x: f64[n, n], y: f64[n, n]) -> f64[n, n] = tanh(x @ y + 1.0)
def middle(x: f64[n]) -> f64 where n >= 1 = median(x)
def logarithm(x: f64[n]) -> f64[n] = log(x)
def wave(x: f64[n]) -> f64[n] = sin(x)
def angle(x: f64[n]) -> f64[n] = atan(x)
def shared(x: f64[n]) -> f64[n] =
    let e = exp(x)
    exp(e + sum(e))
"""
LARGE = 3000
VECTOR, SQUARE = np.ones(LARGE), np.ones((100, 100))


@pytest.mark.parametrize(
    ("name", "arguments", "in_place"),
    [
        ("grown", (VECTOR, 4), True),
        ("grown", (np.ones(10), 4), False),
        ("eliminated", (SQUARE, 4), False),
        ("moved", (SQUARE, 4), False),
        ("alternating", (VECTOR, VECTOR, 4), False),
        ("increased", (VECTOR, VECTOR, 4), True),
        ("given", (VECTOR,), False),
        ("shifted", (SQUARE, SQUARE), False),
        ("activated", (SQUARE, SQUARE), True),
        ("middle", (VECTOR,), True),
        ("wave", (np.ones(1 << 12),), True),
        ("angle", (VECTOR,), True),
        ("logarithm", (VECTOR,), False),
        ("shared", (VECTOR,), True),
        ("shared", (np.ones(500),), True),
        ("shared", (np.ones(100),), False),
    ],
)
def test_what_is_computed_in_place_is_known(name: str, arguments: tuple[object, ...], in_place: bool) -> None:
    assert getattr(dsl.program(PROGRAMS), name).lower(*arguments).stablehlo.in_place is in_place


@pytest.mark.parametrize(
    ("name", "arguments", "minor"),
    [
        ("shifted", (SQUARE, SQUARE), True),
        ("shifted", (np.ones((1000, 4)), np.ones((4, 4))), False),
        ("shifted", (np.ones((8, 8)), np.ones((8, 8))), False),
        ("moved", (SQUARE, 4), True),
        ("eliminated", (SQUARE, 4), False),
        ("given", (VECTOR,), False),
    ],
)
def test_loops_beside_products_of_matrices_are_minor(name: str, arguments: tuple[object, ...], minor: bool) -> None:
    assert getattr(dsl.program(PROGRAMS), name).lower(*arguments).stablehlo.minor is minor
