"""Flows and sweeps of Gibbs: inverses and determinants, what training finds, and a posterior that is known."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest
from scipy import stats

import dsl

PROGRAM = """
import linalg
import prob
import random

type Layers = prob.Conditioner[f64, 3, 5][3]
def shaken(k: key) -> Layers =
    let keys = random.split(k)
    let start = prob.flow_init(keys[0], 3, 3, 5, f64)
    with rng(keys[1]) do tree_map(fn x -> x + 0.7 * random.normal(fresh_key(), x.shape, f64), start)
def checked(b: prob.Bijector[f64, 3], z: f64[3]) -> (f64[3], f64[3], f64, f64, f64[3]) =
    let slopes = jacfwd(fn z -> b.forward(z))(z)
    (b.forward(z), b.inverse(b.forward(z)), b.log_det(z), linalg.slogdet(slopes).1, b.start)
def coupling(k: key, z: f64[3]) -> (f64[3], f64[3], f64, f64, f64[3]) = checked(prob.coupling_flow(shaken(k)), z)
def autoregressive(k: key, z: f64[3]) -> (f64[3], f64[3], f64, f64, f64[3]) =
    checked(prob.autoregressive_flow(shaken(k)), z)
def identity(k: key, z: f64[3]) -> f64[3] = prob.coupling_flow(prob.flow_init(k, 2, 3, 5, f64)).forward(z)

def bent(x: f64[2]) -> f64 =
    prob.normal(f64(0), f64(1)).log_density(x[0]) + prob.normal(x[0] * x[0], f64(0.5)).log_density(x[1])
def trained(x: f64[m, 2], k: key) -> (f64[250], f64) where m >= 1 =
    let family = fn q -> prob.flow(prob.coupling_flow(q))
    let start = prob.flow_init(k, 4, 2, 8, f64)
    let found = prob.maximum_likelihood(family, start, x, steps=250, learning_rate=0.03)
    let d = prob.flow(prob.coupling_flow(found.params))
    (found.log_density, prob.iid(d, m).log_density(x) / m)
def nearest(k: key) -> f64[400] =
    let keys = random.split(k)
    let family = fn q -> prob.flow(prob.autoregressive_flow(q))
    prob.advi_family(family, bent, prob.flow_init(keys[0], 1, 2, 16, f64), keys[1], steps=400, learning_rate=0.05).elbo

type State = {mu: f64, precision: f64, log_scale: f64}
def sweep(s: State, y: f64[n], k: key) -> State where n >= 1 =
    let keys = random.split(k, 3)
    let mu = prob.normal(mean(y), 1.0 / sqrt(n * s.precision)).draw(keys[0])
    let precision = prob.gamma(f64(0.5 * n), 0.5 * sum(square(y - mu))).draw(keys[1])
    let half = prob.slice_step(fn v -> prob.normal(f64(1), f64(0.5)).log_density(v), s.log_scale, f64(1), keys[2])
    {mu = mu, precision = precision, log_scale = half}
def gibbs(y: f64[n], k: key) -> State[3000] where n >= 1 =
    let start = {mu = f64(0), precision = f64(1), log_scale = f64(0)}
    prob.gibbs(fn (s, k) -> sweep(s, y, k), start, k, warmup=50, draws=3000)
def kernels(k: key) -> (f64[2000], f64[2000]) =
    let density = fn x -> prob.normal(f64(1), f64(0.5)).log_density(x)
    let keys = random.split(k)
    let walk = fn (x, k) -> prob.metropolis_step(density, x, f64(1), k)
    let trajectory = fn (x, k) -> prob.hmc_step(density, x, f64(0.2), k, steps=5)
    (prob.gibbs(walk, f64(0), keys[0], draws=2000), prob.gibbs(trajectory, f64(0), keys[1], draws=2000))
"""


@cache
def _program() -> dsl.Program:
    return dsl.program(PROGRAM)


@pytest.mark.parametrize("name", ["coupling", "autoregressive"])
def test_a_flow_has_an_inverse_and_the_determinant_of_its_slopes(name: str) -> None:
    z = np.array([0.3, -1.2, 0.8])
    value, back, found, exact, start = getattr(_program(), name)(dsl.key(3), z)
    assert np.abs(np.asarray(value) - z).max() > 0.1
    np.testing.assert_allclose(back, z, rtol=1e-10)
    np.testing.assert_allclose(float(found), float(exact), rtol=1e-10)
    origin = getattr(_program(), name)(dsl.key(3), np.zeros(3))[0]
    np.testing.assert_allclose(start, origin, rtol=1e-12)


def test_a_new_flow_is_the_identity() -> None:
    np.testing.assert_allclose(_program().identity(dsl.key(1), np.array([1.0, 2.0, 3.0])), [1.0, 2.0, 3.0])


def _bent(n: int) -> tuple[Any, float]:
    """Points about a parabola, and the mean of their log density."""
    rng = np.random.default_rng(2)
    x = rng.normal(size=n)
    y = x**2 + 0.5 * rng.normal(size=n)
    return np.stack([x, y], axis=1), float((stats.norm.logpdf(x) + stats.norm.logpdf(y, x**2, 0.5)).mean())


def test_training_by_maximum_likelihood_finds_a_density_that_is_bent() -> None:
    data, best = _bent(200)
    seen, last = _program().trained(data, dsl.key(2))
    normal = stats.multivariate_normal(data.mean(axis=0), np.cov(data.T)).logpdf(data).mean()
    assert float(last) > normal + 0.5 * (best - normal)
    assert float(last) >= float(seen[0]) and best - float(last) < 0.35


def test_the_nearest_flow_to_a_density_loses_little_of_it() -> None:
    """The integral of the density is 1: the bound is at most 0."""
    bound = np.asarray(_program().nearest(dsl.key(5)))
    assert bound[0] < -1.5 and -0.35 < bound[-50:].mean() < 0.05


def test_a_sweep_draws_blocks_from_their_conditional_distributions() -> None:
    """With the prior 1 / precision the mean has a t distribution, the precision a gamma distribution."""
    y = np.random.default_rng(1).normal(2.0, 3.0, size=20)
    found = {name: np.asarray(x) for name, x in _program().gibbs(y, dsl.key(4)).items()}
    n, s = len(y), y.std(ddof=1)
    error = s / np.sqrt(n) * np.sqrt((n - 1) / (n - 3) / 3000)
    assert abs(found["mu"].mean() - y.mean()) < 5 * error
    assert abs(found["precision"].mean() * s**2 - 1.0) < 0.05
    assert abs(found["log_scale"].mean() - 1.0) < 0.07 and abs(found["log_scale"].std() - 0.5) < 0.05


@pytest.mark.parametrize("place", [0, 1])
def test_kernels_of_a_block_leave_its_distribution(place: int) -> None:
    x = np.asarray(_program().kernels(dsl.key(7))[place])
    assert abs(x.mean() - 1.0) < 0.12 and abs(x.std() - 0.5) < 0.08
