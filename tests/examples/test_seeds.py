"""The first programs: what they print is what is known, from Python and in the language alike."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import dsl

SEEDS = Path(__file__).parents[2] / "examples" / "seeds"
X, Y = np.array([1, 2, 3, 4], "f4"), np.array([1.1, 2.1, 3.1, 4.1], "f4")
SIGNAL, WINDOW = np.arange(5, dtype="f4"), np.array([2, 3, 4], "f4")
MEASURED = np.array([-0.20000005, -0.19999981, -0.19999981, -0.19999981], "f4")


@pytest.fixture(scope="module")
def seeds() -> ModuleType:
    spec = importlib.util.spec_from_file_location("seeds_of_the_examples", SEEDS / "seeds.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def close(found: Any, expected: Any, tolerance: float = 1e-6) -> None:
    np.testing.assert_allclose(np.asarray(found), np.asarray(expected), rtol=tolerance, atol=tolerance)


def test_regression(seeds: ModuleType) -> None:
    shown = dict(seeds.regression())
    close(shown.pop("jit(grad(loss))"), [8, 16, 24])
    assert len(shown) == 3
    for value in shown.values():
        close(value, [[8, 16, 24], [40, 80, 120]])


@pytest.mark.parametrize("batch", [1, 100, 10000])
def test_regression_in_batches(batch: int) -> None:
    m = dsl.load(SEEDS / "regression.dsl")
    random = np.random.default_rng(batch)
    w, xs, ys = (random.normal(size=shape).astype("f4") for shape in ((5,), (batch, 5), (batch,)))
    expected = 2 * (xs @ w - ys)[:, None] * xs
    for f in (m.slopes, m.slopes_of_compiled):
        close(f(w, xs, ys), expected, 1e-5)
    close(dsl.jit(dsl.vmap(dsl.grad(m.loss), in_axes=(None, 0, 0)))(w, xs, ys), expected, 1e-5)
    close(dsl.vmap(dsl.jit(dsl.grad(m.loss)), in_axes=(None, 0, 0))(w, xs, ys), expected, 1e-5)
    close(m.slope(w, xs[0], ys[0]), expected[0], 1e-5)


def test_gradients(seeds: ModuleType) -> None:
    shown = dict(seeds.gradients())
    close(shown["grad(sum_of_squares)"], [2, 4, 6, 8])
    close(shown["grad(sum_squared_error)"], MEASURED)
    close(shown["by both arguments"], (MEASURED, -MEASURED))
    value, slope = shown["with the value"]
    close(value, 0.03999995)
    close(slope, MEASURED)
    close(shown["with something on the side"], (MEASURED, X - Y))


def test_gradients_in_the_language() -> None:
    m = dsl.load(SEEDS / "gradients.dsl")
    close(m.slope(X), 2 * X)
    close(m.slopes(X, Y), (MEASURED, -MEASURED))
    value, slope = m.value_and_slope(X, Y)
    close(value, 0.03999995)
    close(slope, MEASURED)
    close(m.slope_and_aux(X, Y), (MEASURED, X - Y))


def test_convolution(seeds: ModuleType) -> None:
    shown = dict(seeds.convolution())
    close(shown.pop("one signal"), [11, 20, 29])
    close(shown.pop("general convolution"), [1, 3, 4, 4, 4, 4, 4, 4, 4, 4, 3, 1])
    close(shown.pop("vmap over columns"), [[11, 11], [20, 20], [29, 29]])
    assert len(shown) == 5
    for value in shown.values():
        close(value, [[11, 20, 29], [11, 20, 29]])


def test_convolution_in_the_language() -> None:
    m = dsl.load(SEEDS / "convolution.dsl")
    xs, ws = np.stack([SIGNAL, SIGNAL + 1]), np.stack([WINDOW, WINDOW - 1])
    expected = np.stack([np.convolve(x, w[::-1], "valid") for x, w in zip(xs, ws, strict=True)])
    close(m.mapped(xs, ws), expected)
    close(m.convolve_rows(xs, ws), expected)
    close(m.mapped_columns(xs.T, ws.T), expected.T)
    one = np.stack([np.convolve(x, WINDOW[::-1], "valid") for x in xs])
    close(m.mapped_signals(xs, WINDOW), one)
    close(m.compiled_and_mapped(xs, WINDOW), one)
    close(m.full_of_library(SIGNAL, WINDOW), np.convolve(SIGNAL, WINDOW))
    close(m.full(SIGNAL, WINDOW), np.convolve(SIGNAL, WINDOW))


def test_arrays(seeds: ModuleType) -> None:
    shown = dict(seeds.arrays())
    close(shown["selu"], [0, 1.05, 2.1, 3.1499999, 4.2])
    close(shown["x with another first element"], [10, *range(1, 10)])
    close(shown["x itself"], range(10))
    assert shown["normalised, compiled and not"]
    close(shown["flattened"], np.ones(6))
    ir = shown["the IR of dot(x + 1, y + 1)"].splitlines()
    assert ir[0] == "def dot_of_next(%0: f32[4], %1: f32[4]) -> (f32):"
    assert [line.split(" = ")[1].split()[0].split("{")[0] for line in ir[1:4]] == [
        "add",
        "add",
        "dot_general",
    ]


def test_choices(seeds: ModuleType) -> None:
    shown = dict(seeds.choices())
    close(shown["where"], [0, -2, 0, -4])
    close(shown["compress"], [-2, -4])
    close(shown["neg=False"], [1, -2, 3, -4])
    close(shown["neg=True"], [-1, 2, -3, 4])
    assert shown["its specialisations"].size == 2
    close(shown["a mask as an index"], [-2, -4])


def test_training(seeds: ModuleType) -> None:
    shown = dict(seeds.training())
    close(shown["after 400 steps"]["weight"], 3, 1e-5)
    close(shown["after 400 steps"]["bias"], -1, 1e-5)
    assert [int(n) for n in shown["a counter"]] == [0, 1]


def test_everything_is_printed(seeds: ModuleType, capsys: pytest.CaptureFixture[str]) -> None:
    seeds.main()
    said = capsys.readouterr().out
    assert "general convolution: [1. 3. 4. 4. 4. 4. 4. 4. 4. 4. 3. 1.]" in said
    assert "dot_general" in said
