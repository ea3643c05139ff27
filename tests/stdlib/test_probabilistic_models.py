"""Models of `prob`: densities, points of the unconstrained space and predictions, beside SciPy."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import scipy.stats as st

import dsl

MODEL = """
import nn
import prob
def schools(y: f32[n], sigma: f32[n]) -> f32[n] ! {prob.sample, prob.observe} =
    let mu = prob.sample("mu", prob.normal(0.0, 5.0))
    let tau = prob.sample("tau", prob.half_cauchy(5.0))
    let theta = with scope("group") do prob.sample("theta", prob.normal(full([n], mu), full([n], tau)))
    prob.observe("y", prob.normal(theta, sigma), y)
def prior(k: key, y: f32[n], s: f32[n]) -> schools.sample = prob.draw_prior(k, fn () -> schools(y, s))
def joint(v: schools.sample, y: f32[n], s: f32[n]) -> f32 = prob.log_joint(v, fn () -> schools(y, s))
def likelihood(v: schools.sample, y: f32[n], s: f32[n]) -> f32 = prob.log_likelihood(v, fn () -> schools(y, s))
def start(y: f32[n], s: f32[n]) -> schools.sample = prob.unconstrained_zeros(fn () -> schools(y, s))
def values(z: schools.sample, y: f32[n], s: f32[n]) -> (schools.sample, f32) =
    prob.constrained(z, fn () -> schools(y, s))
def point(v: schools.sample, y: f32[n], s: f32[n]) -> schools.sample =
    prob.unconstrained_point(v, fn () -> schools(y, s))
def predicted(k: key, v: schools.sample, y: f32[n], s: f32[n]) -> schools.observe =
    prob.predict(k, v, fn () -> schools(y, s))

def network(x: f32[b, d]) -> f32[b] ! {nn.param, prob.sample} =
    nn.dense(x, "hidden", 4) @ prob.sample("w", prob.normal(zeros([4]), 1.0))
def mean_of(p: network.param, x: f32[b, d]) -> f32[b] =
    with handler prob.sample(name, d) -> resume(d.mean) do nn.apply(p, fn () -> network(x))
def density(p: network.param, w: f32[4], x: f32[b, d]) -> f32 =
    prob.log_joint({w = w}, fn () -> nn.apply(p, fn () -> network(x)))
"""
Y, SIGMA = np.array([0.3, 1.0, 2.0], np.float32), np.array([1.0, 2.0, 3.0], np.float32)


@cache
def program() -> dsl.Program:
    return dsl.program(MODEL)


def _densities(v: dict[str, Any]) -> tuple[float, float]:
    theta = v["group"]["theta"]
    before = st.norm.logpdf(v["mu"], 0, 5) + st.halfcauchy.logpdf(v["tau"], 0, 5)
    before += st.norm.logpdf(theta, v["mu"], v["tau"]).sum()
    return float(before), float(st.norm.logpdf(Y, theta, SIGMA).sum())


def test_densities_and_points_are_those_of_the_sites() -> None:
    m = program()
    drawn = m.prior(dsl.key(1), Y, SIGMA)
    v: dict[str, Any] = {
        name: ({"theta": np.asarray(x["theta"])} if name == "group" else np.asarray(x)) for name, x in drawn.items()
    }
    before, data = _densities(v)
    np.testing.assert_allclose(float(m.joint(drawn, Y, SIGMA)), before + data, rtol=1e-5)
    np.testing.assert_allclose(float(m.likelihood(drawn, Y, SIGMA)), data, rtol=1e-5)
    z = m.point(drawn, Y, SIGMA)
    np.testing.assert_allclose(float(z["tau"]), np.log(v["tau"]), rtol=1e-5)
    again, total = m.values(z, Y, SIGMA)
    np.testing.assert_allclose(float(again["tau"]), v["tau"], rtol=1e-5)
    np.testing.assert_allclose(float(total), before + data + np.log(v["tau"]), rtol=1e-5)


def test_a_start_is_zero_and_has_the_shapes_of_the_values() -> None:
    found = program().start(Y, SIGMA)
    assert np.asarray(found["group"]["theta"]).tolist() == [0.0] * 3
    assert float(found["tau"]) == float(found["mu"]) == 0.0


def test_predictions_are_drawn_around_the_values() -> None:
    v: dict[str, Any] = {
        "mu": np.float32(0),
        "tau": np.float32(1),
        "group": {"theta": np.array([100.0, -100.0, 0.0], np.float32)},
    }
    found = np.asarray(program().predicted(dsl.key(3), v, Y, SIGMA)["y"])
    assert np.all(np.abs(found - v["group"]["theta"]) < 6 * SIGMA)


def test_weights_may_be_parameters_and_unknown() -> None:
    rng = np.random.default_rng(0)
    p = {"hidden": {"w": rng.normal(size=(3, 4)).astype(np.float32), "b": np.zeros(4, np.float32)}}
    x, w = rng.normal(size=(5, 3)).astype(np.float32), rng.normal(size=4).astype(np.float32)
    assert np.asarray(program().mean_of(p, x)).tolist() == [0.0] * 5
    np.testing.assert_allclose(float(program().density(p, w, x)), st.norm.logpdf(w).sum(), rtol=1e-5)
