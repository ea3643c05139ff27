"""Programs whose large arrays XLA computes in place: loops that change what they carry, and costly functions of what a
library computes."""

from __future__ import annotations

import re

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
def activated_f32(x: f32[n, n]) -> f32[n, n] = tanh(x @ x + 1.0)
def averaged(x: f64[n, n], y: f64[n, n]) -> f64[n, n] = (x @ y) / 3.0
def negated(x: f64[n, n], y: f64[n, n]) -> f64[n, n] = exp(-(x @ y))
def repeated(x: f64[n, n], static steps: size) -> f64[n, n] = fold x = x for _ in range(steps) do x @ exp(x @ x)
def squared(x: f64[n, n], y: f64[n, n]) -> f64[n, n] where n >= 1 =
    let q = ((x - y) / (1.0 + x * x)) ** 2
    exp(q - max(q, axis=1)[:, None])
def chosen(x: f64[n, n], y: f64[n, n]) -> f64[n, n] = sin(x) + cos(x) + tan(x) + exp(x @ y)
def told(x: f64[n, n], y: f64[n, n]) =
    let z = tanh(x @ y + 1.0)
    print("{}", sum(z))
    z + atan(x)
def middle(x: f64[n]) -> f64 where n >= 1 = median(x)
def waves(x: f64[n], static steps: size) -> f64[n] =
    fold x = x for _ in range(steps) do x - 0.1 * sin(x) / (2.0 + cos(x))
def waves_f32(x: f32[n], static steps: size) -> f32[n] = fold x = x for _ in range(steps) do x - 0.1 * sin(x)
def pendulums(x: f64[n], v: f64[n], static steps: size) -> (f64[n], f64[n]) =
    fold (x, v) = (x, v) for _ in range(steps) do
        let v = v - 0.01 * sin(x)
        (x + 0.01 * v, v)
def features(x: f32[n, n]) -> f32[n, n] = exp(sin(x @ x)) / 3.5
def logarithm(x: f64[n]) -> f64[n] = log(x)
def wave(x: f64[n]) -> f64[n] = sin(x)
def angle(x: f64[n]) -> f64[n] = atan(x)
def shared(x: f64[n]) -> f64[n] =
    let e = exp(x)
    exp(e + sum(e))
"""
APART = r"compare LT, (%\w+), \1, FLOAT"
LARGE = 3000
VECTOR, SQUARE, WAVES = np.ones(LARGE), np.ones((100, 100)), np.linspace(-9.0, 9.0, 10_000)


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
        ("middle", (VECTOR,), True),
        ("wave", (np.ones(1 << 12),), False),
        ("waves", (WAVES, 4), False),
        ("waves_f32", (WAVES.astype(np.float32), 4), False),
        ("pendulums", (WAVES, WAVES, 4), True),
        ("features", (np.ones((100, 100), np.float32),), False),
        ("angle", (VECTOR,), True),
        ("logarithm", (VECTOR,), False),
        ("activated_f32", (np.ones((100, 100), np.float32),), True),
    ],
)
def test_what_is_computed_in_place_is_known(name: str, arguments: tuple[object, ...], in_place: bool) -> None:
    lowered = getattr(dsl.program(PROGRAMS), name).lower(*arguments).stablehlo
    assert lowered.hints.in_place is in_place
    assert not re.search(APART, lowered.text)


@pytest.mark.parametrize(
    ("name", "arguments", "count"),
    [
        ("activated", (SQUARE, SQUARE), 1),
        ("negated", (SQUARE, SQUARE), 1),
        ("averaged", (SQUARE, SQUARE), 0),
        ("shared", (VECTOR,), 1),
        ("shared", (np.ones(500),), 1),
        ("shared", (np.ones(100),), 0),
        ("repeated", (SQUARE, 4), 1),
        ("squared", (SQUARE, SQUARE), 1),
        ("chosen", (SQUARE, SQUARE), 0),
    ],
)
def test_costly_functions_of_f64_are_kept_apart(name: str, arguments: tuple[object, ...], count: int) -> None:
    lowered = getattr(dsl.program(PROGRAMS), name).lower(*arguments).stablehlo
    assert not lowered.hints.in_place or name == "chosen"
    assert len(re.findall(APART, lowered.text)) == count


def test_what_is_kept_apart_has_memory_of_its_own() -> None:
    program = dsl.program(PROGRAMS)
    plain, apart = (f.memory(SQUARE, SQUARE).peak for f in (program.shifted, program.activated))
    assert apart - plain >= SQUARE.nbytes


def test_what_a_value_is_kept_apart_from_is_not_kept_as_long() -> None:
    """Three arrays at once: of the product, its exponential and what follows, the first is done with."""
    f = dsl.program("""
def f(x: f64[n, k]) -> f64 =
    let e = exp(x @ x.T)
    sum(e * sqrt(1.0 + (e @ x) @ x.T))
""").f
    x = np.random.default_rng(0).random((300, 8))
    assert f.memory(x).between < 3.5 * 300 * 300 * x.itemsize
    np.testing.assert_allclose(f(x), f.interpret(x), rtol=1e-12)


@pytest.mark.parametrize("first", [np.nan, np.inf, -np.inf, -0.0, 5e-324])
def test_the_first_element_says_nothing_of_the_others(first: float) -> None:
    x = np.linspace(-2.0, 2.0, 10_000).reshape(100, 100)
    x[0, 0] = first
    found = np.asarray(dsl.program(PROGRAMS).activated(np.eye(100), np.where(np.eye(100) > 0, x, 0.0)))
    assert found[0, 0] == np.tanh(first + 1.0) or np.isnan(found[0, 0])
    np.testing.assert_allclose(np.diagonal(found)[1:], np.tanh(np.diagonal(x)[1:] + 1.0), rtol=1e-14)


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
    assert getattr(dsl.program(PROGRAMS), name).lower(*arguments).stablehlo.hints.minor is minor


def test_a_program_that_is_written_again_prints_once(capfd: pytest.CaptureFixture[str]) -> None:
    told = dsl.program(PROGRAMS).told
    lowered = told.lower(SQUARE, SQUARE).stablehlo
    assert lowered.hints.in_place and len(lowered.callbacks) == 1 and not re.search(APART, lowered.text)
    np.testing.assert_allclose(np.asarray(told(SQUARE, SQUARE)), np.tanh(101.0) + np.arctan(SQUARE))
    assert capfd.readouterr().out.split() == ["10000.0"]
