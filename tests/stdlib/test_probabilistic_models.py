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

def centred(y: f64[n], sigma: f64) -> f64[n] ! {prob.sample, prob.observe} =
    let mu = prob.sample("mu", prob.normal(f64(0), f64(5)))
    let tau = prob.sample("tau", prob.half_normal(f64(5)))
    let rate = prob.sample("rate", prob.flat(prob.numbers_above(f64(0))))
    let theta = prob.sample("theta", prob.normal(full([n], mu), tau))
    let _ = prob.factor("more", -rate)
    prob.observe("y", prob.normal(theta, sigma), y)
def smooth(y: f64[n], sigma: f64) -> f64[n] ! {prob.sample, prob.observe} =
    prob.noncentred(fn () -> centred(y, sigma))
def in_double(v: centred.sample, y: f64[n], sigma: f64) -> (f64, f64, (centred.sample, f64)) =
    let model = fn () -> centred(y, sigma)
    let point = prob.unconstrained_point(v, model)
    let joint = prob.log_joint(v, model, dtype=f64)
    (joint, prob.log_likelihood(v, model, dtype=f64), prob.constrained(point, model, dtype=f64))
def of_smooth(v: smooth.sample, y: f64[n], sigma: f64) -> (f64, f64[n]) =
    let model = fn () -> smooth(y, sigma)
    (prob.log_joint(v, model, dtype=f64), prob.substitute(v, model))
def point_of_smooth(z: smooth.sample, y: f64[n], sigma: f64) -> (smooth.sample, smooth.sample, f64, f64) =
    let model = fn () -> smooth(y, sigma)
    let (values, total) = prob.constrained(z, model, dtype=f64)
    (values, prob.unconstrained_point(values, model), total, prob.log_joint(values, model, dtype=f64))
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


def test_points_of_sites_without_centre_are_their_values() -> None:
    z = {"mu": np.float64(0.4), "tau": np.float64(-0.7), "rate": np.float64(0.2), "theta": np.array([0.5, -1.0, 2.0])}
    values, again, total, joint = program().point_of_smooth(z, Y.astype(np.float64), np.float64(2))
    for name in ("mu", "theta"):
        np.testing.assert_allclose(np.asarray(values[name]), z[name], rtol=1e-12)
    for name in ("tau", "rate"):
        np.testing.assert_allclose(np.asarray(values[name]), np.exp(z[name]), rtol=1e-12)
    for name, point in z.items():
        np.testing.assert_allclose(np.asarray(again[name]), point, rtol=1e-12)
    np.testing.assert_allclose(float(total), float(joint) + z["tau"] + z["rate"], rtol=1e-12)


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


def _double() -> tuple[dict[str, Any], Any, float]:
    y = np.array([0.3, -1.0, 2.0])
    v = {"mu": 0.7, "tau": 1.3, "rate": 0.4, "theta": np.array([0.5, -0.2, 1.1])}
    before = st.norm.logpdf(0.7, 0, 5) + st.halfnorm.logpdf(1.3, 0, 5)
    return v, y, float(before + st.norm.logpdf(y, v["theta"], 0.9).sum() - 0.4)


def test_densities_of_a_model_in_double_precision() -> None:
    v, y, rest = _double()
    joint, data, (again, total) = program().in_double(v, y, 0.9)
    whole = rest + st.norm.logpdf(v["theta"], 0.7, 1.3).sum()
    assert np.asarray(joint).dtype == np.float64
    np.testing.assert_allclose(float(joint), whole, rtol=1e-13)
    np.testing.assert_allclose(float(data), st.norm.logpdf(y, v["theta"], 0.9).sum() - 0.4, rtol=1e-13)
    np.testing.assert_allclose(float(total), whole + np.log(1.3) + np.log(0.4), rtol=1e-12)
    np.testing.assert_allclose(float(again["tau"]), 1.3, rtol=1e-13)


def test_sites_that_take_all_numbers_are_standardised() -> None:
    """Density and result are those of the model at the values that the standard ones make."""
    v, y, rest = _double()
    z = {**v, "mu": 0.7 / 5, "theta": (v["theta"] - 0.7) / 1.3}
    joint, result = program().of_smooth(z, y, 0.9)
    change = st.norm.logpdf(z["mu"]) - st.norm.logpdf(0.7, 0, 5)
    np.testing.assert_allclose(float(joint), rest + change + st.norm.logpdf(z["theta"]).sum(), rtol=1e-13)
    np.testing.assert_allclose(result, y)
