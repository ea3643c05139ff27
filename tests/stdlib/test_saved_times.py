"""States that `ode` saves at given times, and derivatives of the stages of implicit methods up to their order."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import dsl

SAVED = """
import ode
type Parts = {u: f64, v: f64[2]}
def saved(y: f64, t1: f64, ts: f64[n]) -> ode.Solution[f64, Parts, n] =
    let start: Parts = {u = y, v = [y, 2.0 * y]}
    ode.solve(fn (t, s) -> -t * s, start, 0.0, t1, ode.tsit5(f64), save=ts, rtol=1e-8, atol=1e-9)
def slopes(y: f64, t1: f64, ts: f64[n], w: f64[n]) -> (f64, f64[n]) =
    grad(fn (y, ts) -> dot(saved(y, t1, ts).saved.v[:, 1], w), argnums=(0, 1))(y, ts)
def many(y: f64[k], t1: f64, ts: f64[n]) -> f64[k, n] = vmap(fn y -> saved(y, t1, ts).saved.u)(y)
"""
TIMES = {
    "one": [0.7],
    "all at the start": [0.0] * 12,
    "all in one step": [1e-9 * i for i in range(12)],
    "the same several times": [0.5] * 6 + [2.0] * 6,
    "in few steps and in many": [0.0, 0.1, *np.linspace(0.9, 1.0, 9), 2.0],
}


@cache
def saving() -> dsl.Program:
    return dsl.program(SAVED)


@pytest.mark.parametrize("name", TIMES)
def test_states_are_saved_however_the_times_lie(name: str) -> None:
    ts = np.array(TIMES[name])
    wanted = np.exp(-(ts**2) / 2)
    for way in (1.0, -1.0):
        found = saving().saved(3.0, 2.0 * way, way * ts)
        assert bool(found["success"])
        np.testing.assert_allclose(np.asarray(found["saved"]["u"]), 3 * wanted, rtol=1e-6)
        np.testing.assert_allclose(np.asarray(found["saved"]["v"])[:, 1], 6 * wanted, rtol=1e-6)
    w = np.cos(np.arange(len(ts)))
    by_state, by_times = map(np.asarray, saving().slopes(3.0, 2.0, ts, w))
    np.testing.assert_allclose(by_state, 2 * w @ wanted, rtol=1e-6)
    np.testing.assert_allclose(by_times, -6 * w * ts * wanted, rtol=1e-4, atol=1e-4)


def test_states_of_many_are_saved_at_the_steps_of_each() -> None:
    ts, ys = np.linspace(0, 2, 7), np.array([1.0, 1e-3, 1e4])
    found = np.asarray(saving().many(ys, 2.0, ts))
    np.testing.assert_allclose(found, ys[:, None] * np.exp(-(ts**2) / 2), rtol=1e-5)


@pytest.mark.parametrize("ts", [[1.0, 0.5], [0.5, 2.5], [-0.5, 1.0]])
def test_times_out_of_order_or_outside_are_no_success(ts: list[float]) -> None:
    assert not bool(saving().saved(3.0, 2.0, np.array(ts))["success"])
    assert bool(saving().saved(3.0, 2.0, np.sort(np.clip(ts, 0, 2)))["success"])


ORDERS = """
import ode
def end(k: f64, static order: size) -> f64 =
    let f = fn (t, y) -> -k * y ** 3 + sin(k)
    ode.solve_stiff(f, [1.0], 0.0, 1.0, ode.kvaerno3(f64), steps=1, rtol=1e-13, atol=1e-14, order=order).y[0]
def second(k: f64, static order: size) -> f64 = jvp(grad(fn k -> end(k, order)), (k,), (1.0,)).1
def third(k: f64, static order: size) -> f64 = jvp(fn k -> second(k, order), (k,), (1.0,)).1
"""


def test_derivatives_of_stages_are_exact_up_to_their_order_and_refused_beyond() -> None:
    program, h = dsl.program(ORDERS), 1e-4
    wanted = (float(program.second(0.8 + h, 2)) - float(program.second(0.8 - h, 2))) / (2 * h)
    np.testing.assert_allclose(float(program.third(0.8, 3)), wanted, rtol=1e-5)
    with pytest.raises(dsl.TransformError, match="E0821"):
        program.third(0.8, 2)
