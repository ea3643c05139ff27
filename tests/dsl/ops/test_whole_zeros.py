"""Products of what one condition makes zero as a whole: they ask the condition, not every element."""

from __future__ import annotations

import numpy as np
import pytest

import dsl

PROGRAM = dsl.program("""
def chosen(w: f64[k, k], y: f64[n, k], fine: bool) -> f64 = sum(sin(where(fine, log(y) @ w, y @ w)))
def slopes(w: f64[k, k], y: f64[n, k], fine: bool) -> (f64[k, k], f64[n, k]) = grad(chosen, argnums=(0, 1))(w, y, fine)
def each(w: f64[k, k], y: f64[n, k], fine: bool[n, k]) -> f64 = sum(sin(where(fine, log(y) @ w, y)))
def slopes_of_each(w: f64[k, k], y: f64[n, k], fine: bool[n, k]) -> f64[k, k] = grad(each)(w, y, fine)
def steps(w: f64[k, k], y: f64[n, k], rounds: i32) -> f64 =
    let (y, _) = iterate (y, i) = (y, i32(0)) while i < rounds limit 9 do
        let next = 1.5 + sin(log(y - f64(i % 3)) @ w)
        (where(i % 3 == 0, next, y), i + 1)
    sum(y)
def slopes_of_steps(w: f64[k, k], y: f64[n, k], rounds: i32) -> (f64[k, k], f64[n, k]) =
    grad(steps, argnums=(0, 1))(w, y, rounds)
""")
W = np.random.default_rng(0).normal(size=(3, 3))
Y = np.random.default_rng(1).uniform(0.5, 1.5, size=(4, 3))


@pytest.mark.parametrize("fine", [True, False])
def test_what_is_left_out_contributes_nothing(fine: bool) -> None:
    """Also where it is nan."""
    y = Y if fine else -Y
    inner = np.log(y) if fine else y
    ct = np.cos(inner @ W)
    by_w, by_y = PROGRAM.slopes(W, y, fine)
    np.testing.assert_allclose(by_w, inner.T @ ct)
    np.testing.assert_allclose(by_y, ct @ W.T / (y if fine else 1.0))


def test_one_condition_is_asked_once() -> None:
    assert "stablehlo.or" not in PROGRAM.slopes.lower(W, Y, True).as_text()
    assert "stablehlo.or" in PROGRAM.slopes_of_each.lower(W, Y, Y > 1).as_text()


@pytest.mark.parametrize("rounds", [0, 1, 4, 9])
def test_steps_that_are_rejected_contribute_nothing(rounds: int) -> None:
    """A logarithm of what a step subtracts is nan where the step does not count."""
    found = PROGRAM.slopes_of_steps(W, Y, np.int32(rounds))
    for got, wrt, h in zip(found, ("w", "y"), (1e-6, 1e-6), strict=True):
        base = W if wrt == "w" else Y
        slopes = np.zeros_like(base)
        for at in np.ndindex(base.shape):
            step = np.zeros_like(base)
            step[at] = h
            ends = [
                float(PROGRAM.steps(*((W + s, Y) if wrt == "w" else (W, Y + s)), np.int32(rounds)))
                for s in (step, -step)
            ]
            slopes[at] = (ends[0] - ends[1]) / (2 * h)
        np.testing.assert_allclose(got, slopes, rtol=1e-6, atol=1e-8)
