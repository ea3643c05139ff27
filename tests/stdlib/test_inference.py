"""The samplers, filters, approximations and diagnostics of `prob`, on posteriors whose moments are known."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest
from scipy import stats

import dsl
from tests.stdlib import test_flows as flows
from tests.support.library import public

Array = np.ndarray[Any, Any]
CHAINS = 4
Y = np.array([28.0, 8, -3, 7, -1, 1, 18, 12])
SIGMA = np.array([15.0, 10, 16, 11, 9, 11, 10, 18])
SERIES = np.cumsum(np.random.default_rng(1).normal(size=20)) + np.random.default_rng(2).normal(size=20)

PROGRAM = """
import prob
import random

type Weights = {a: f32[3], b: f32}
def gauss(z: Weights) -> f32 =
    prob.normal([1.0, 2.0, 3.0], [0.1, 1.0, 10.0]).log_density(z.a) + prob.normal(-1.0, 2.0).log_density(z.b)
def origin() -> Weights = {a = zeros([3]), b = f32(0)}

type Schools = {mu: f32, log_tau: f32, z: f32[8]}
def schools(p: Schools, y: f32[8], sigma: f32[8]) -> f32 =
    let (tau, change) = prob.half_cauchy(5.0).support.constrain(p.log_tau)
    let prior = prob.normal(0.0, 5.0).log_density(p.mu) + prob.half_cauchy(5.0).log_density(tau) + change
    prior + prob.iid(prob.normal(0.0, 1.0), 8).log_density(p.z) + prob.normal(p.mu + tau * p.z, sigma).log_density(y)

def by_nuts(ks: key[c]) -> (Weights[400][c], bool[c, 400]) =
    let found = vmap(fn k -> prob.nuts(gauss, origin(), k, warmup=300, draws=400))(ks)
    (found.draws, found.divergent)
def schools_by_nuts(ks: key[c], y: f32[8], sigma: f32[8]) -> (f32[c, 400], f32[c, 400]) =
    let start = {mu = f32(0), log_tau = f32(0), z = zeros([8])}
    let density = fn p -> schools(p, y, sigma)
    let draws = vmap(fn k -> prob.nuts(density, start, k, warmup=300, draws=400, target=0.9).draws)(ks)
    (draws.mu, exp(draws.log_tau))
def by_hmc(ks: key[c]) -> Weights[2000][c] =
    vmap(fn k -> prob.hmc(gauss, origin(), k, steps=5, warmup=300, draws=2000).draws)(ks)
def slope(x: f32[2]) -> f32 = prob.multivariate_normal([1.0, -1.0], [[2.0, 0.5], [0.5, 1.0]]).log_density(x)
def by_metropolis(ks: key[c]) -> (f32[c, 1000, 2], f32[c]) =
    let found = vmap(fn k -> prob.metropolis(slope, zeros([2]), k, 1.5, draws=1000))(ks)
    (found.draws, found.acceptance)
def by_slices(ks: key[c]) -> f32[c, 500, 2] =
    vmap(fn k -> prob.slice(slope, zeros([2]), k, 2.0, warmup=50, draws=500).draws)(ks)

def filtered(y: f64[n], k: key) -> (f64, f64) =
    let found = prob.particle_filter(
        fn k -> {at = random.normal(k, [], f64)},
        fn (s, k) -> {at = s.at + random.normal(k, [], f64)},
        fn (s, v) -> prob.normal(s.at, f64(1)).log_density(v),
        y,
        k,
        particles=2000,
    )
    (found.log_evidence, sum(exp(found.log_weights) * found.particles.at))

def tempered(y: f64[2], k: key) -> (f64[500, 2], f64, f64) =
    let prior = prob.normal(zeros([2], f64), 1.0)
    let keys = random.split(k)
    let found = prob.tempered_smc(
        fn p -> prior.log_density(p),
        fn p -> prob.normal(p, 0.5).log_density(y),
        prob.iid(prior, 500).draw(keys[0]),
        keys[1],
    )
    (found.particles, found.log_evidence, found.acceptance)

def with_covariance(x: f64[2], k: key) -> (f64[2], f64[2]) =
    let normal = prob.multivariate_normal(x, f64([[2.0, 0.5], [0.5, 1.0]]))
    let found = prob.advi_full_rank(fn p -> normal.log_density(p), 0.0 * x, k, steps=600)
    (found.mean, found.variance)

def approximated(x: f64[2], k: key) -> ((f64[2], f64), f64[2], f64[2], f64[2], f64[2]) =
    let density = fn p -> prob.multivariate_normal(x, f64([[2.0, 0.5], [0.5, 1.0]])).log_density(p)
    let top = prob.map_estimate(density, 0.0 * x)
    let normal = prob.laplace_approximation(density, 0.0 * x)
    let found = prob.advi(density, 0.0 * x, k, steps=600)
    ((top.at, top.log_density), normal.mean, normal.variance, found.mean, found.scale)

type Judged = {mean: f64, sd: f64, mcse: f64, ess_bulk: f64, ess_tail: f64, rhat: f64}
def judged(x: f64[c, n]) -> Judged where c >= 1 and n >= 8 =
    prob.summary(x)
def ess_mean(x: f64[c, n]) -> f64 where c >= 1 and n >= 8 = prob.ess_mean(x)
def smoothed(x: f64[n]) -> (f64[n], f64) where n >= 25 = prob.psis(x)
type LeftOut[n] = {elpd: f64, standard_error: f64, pointwise: f64[n], shapes: f64[n]}
def left_out(x: f64[s, n]) -> LeftOut[n] where s >= 25 and n >= 2 =
    prob.loo(x)
"""


@cache
def _program() -> dsl.Program:
    return dsl.program(PROGRAM)


def _keys(seed: int) -> Array:
    return np.asarray([np.asarray(k) for k in dsl.random.split(dsl.key(seed), CHAINS)])


def _agrees(draws: Any, mean: float, sd: float | None = None) -> None:
    """The chains agree, on this mean; their variance is that of draws of this standard deviation."""
    x = np.asarray(draws, np.float64)
    found = {name: float(value) for name, value in _program().judged(x).items()}
    assert found["rhat"] < 1.01
    assert abs(found["mean"] - mean) < 3 * found["mcse"]
    if sd is not None:
        squares = (x - mean) ** 2
        error = squares.std() / np.sqrt(float(_program().ess_mean(squares)))
        assert abs(squares.mean() - sd**2) < 4 * error


GAUSS = ((1.0, 0.1), (2.0, 1.0), (3.0, 10.0))


def test_nuts_draws_from_a_normal_posterior() -> None:
    draws, divergent = _program().by_nuts(_keys(3))
    assert not np.asarray(divergent).any()
    for k, (mean, sd) in enumerate(GAUSS):
        _agrees(np.asarray(draws["a"])[:, :, k], mean, sd)
    _agrees(draws["b"], -1.0, 2.0)


def test_nuts_on_eight_schools() -> None:
    """The effects integrate out: what is left are two numbers, whose moments are sums over a grid."""
    mu, tau = np.meshgrid(np.linspace(-25, 30, 551), np.linspace(0.005, 150, 6000), indexing="ij")
    density = stats.norm(0, 5).logpdf(mu) + stats.halfcauchy(0, 5).logpdf(tau)
    for y, sigma in zip(Y, SIGMA, strict=True):
        density += stats.norm(mu, np.hypot(sigma, tau)).logpdf(y)
    weights = np.exp(density - density.max())
    weights /= weights.sum()
    found, scale = _program().schools_by_nuts(_keys(5), Y.astype(np.float32), SIGMA.astype(np.float32))
    _agrees(found, float((weights * mu).sum()))
    _agrees(np.log(scale), float((weights * np.log(tau)).sum()))


def test_hamiltonian_monte_carlo() -> None:
    draws = _program().by_hmc(_keys(4))
    for k, (mean, sd) in enumerate(GAUSS):
        _agrees(np.asarray(draws["a"])[:, :, k], mean, sd)


@pytest.mark.parametrize("name", ["metropolis", "slices"])
def test_chains_without_gradients(name: str) -> None:
    found = getattr(_program(), f"by_{name}")(_keys(6))
    draws, accepted = found if name == "metropolis" else (found, 1.0)
    assert (np.asarray(accepted) > 0.2).all()
    for k, (mean, sd) in enumerate(((1.0, np.sqrt(2.0)), (-1.0, 1.0))):
        x = np.asarray(draws)[:, :, k]
        mcse = float(_program().judged(x.astype(np.float64))["mcse"])
        assert abs(x.mean() - mean) < 4 * mcse
        assert abs(x.std() - sd) < 0.15 * sd


def _kalman(series: Array) -> tuple[float, float]:
    """The log evidence of a random walk that is seen with noise, and the mean of its last place."""
    mean, variance, evidence = 0.0, 1.0, 0.0
    for y in series:
        variance += 1.0
        evidence += stats.norm(mean, np.sqrt(variance + 1)).logpdf(y)
        gain = variance / (variance + 1)
        mean, variance = mean + gain * (y - mean), (1 - gain) * variance
    return evidence, mean


def test_a_particle_filter_finds_what_the_kalman_filter_computes() -> None:
    evidence, mean = _kalman(SERIES)
    found = [_program().filtered(SERIES, dsl.key(k)) for k in range(4)]
    assert abs(np.mean([float(e) for e, _ in found]) - evidence) < 0.2
    assert abs(np.mean([float(m) for _, m in found]) - mean) < 0.06


def test_particles_of_a_prior_that_becomes_a_posterior() -> None:
    y = np.array([1.0, -0.5])
    particles, evidence, acceptance = _program().tempered(y, dsl.key(2))
    assert abs(float(evidence) - stats.norm(0, np.sqrt(1.25)).logpdf(y).sum()) < 0.15
    assert float(acceptance) > 0.2
    np.testing.assert_allclose(np.asarray(particles).mean(axis=0), 0.8 * y, atol=0.1)
    np.testing.assert_allclose(np.asarray(particles).std(axis=0), np.sqrt(0.2), rtol=0.15)


def test_the_nearest_normal_distribution_is_the_posterior_if_that_is_normal() -> None:
    mean, variance = _program().with_covariance(np.array([1.0, -2.0]), dsl.key(1))
    np.testing.assert_allclose(mean, [1.0, -2.0], atol=0.05)
    np.testing.assert_allclose(variance, [2.0, 1.0], rtol=0.08)


def test_approximations_of_a_normal_posterior() -> None:
    x = np.array([1.0, -2.0])
    (top, value), mean, variance, centre, scale = _program().approximated(x, dsl.key(1))
    np.testing.assert_allclose(top, x, atol=1e-3)
    np.testing.assert_allclose(value, stats.multivariate_normal(x, [[2, 0.5], [0.5, 1]]).logpdf(x), atol=1e-5)
    np.testing.assert_allclose(mean, x, atol=1e-9)
    np.testing.assert_allclose(variance, [2.0, 1.0], rtol=1e-9)
    np.testing.assert_allclose(centre, x, atol=0.08)
    precision = np.linalg.inv([[2, 0.5], [0.5, 1]])
    np.testing.assert_allclose(scale, 1 / np.sqrt(np.diag(precision)), rtol=0.08)


def _ar(seed: int, rho: float, shape: tuple[int, int] = (CHAINS, 1000)) -> Array:
    x = np.random.default_rng(seed).normal(size=shape)
    for t in range(1, shape[1]):
        x[:, t] = rho * x[:, t - 1] + np.sqrt(1 - rho**2) * x[:, t]
    return x


def _size_of_one(x: Array) -> float:
    """The effective sample size of chains in halves, one lag after the other."""
    n = x.shape[1] // 2
    x = np.concatenate([x[:, :n], x[:, -n:]])
    centred = x - x.mean(axis=1, keepdims=True)
    lags = np.array([(centred[:, : n - t] * centred[:, t:]).sum(axis=1) / n for t in range(n)])
    within = x.var(axis=1, ddof=1).mean()
    whole = within * (n - 1) / n + x.mean(axis=1).var(ddof=1)
    rho = 1 - (within - lags.mean(axis=1)) / whole
    rho[0] = 1
    time, least, k = -1.0, np.inf, 0
    while k + 1 < n and rho[k] + rho[k + 1] > 0:
        least = min(least, rho[k] + rho[k + 1])
        time, k = time + 2 * least, k + 2
    time += max(rho[k], 0.0) if k < n else 0.0
    return float(x.size / max(time, 1 / np.log10(x.size)))


@pytest.mark.parametrize("rho", [-0.4, 0.0, 0.5, 0.9])
def test_effective_sizes(rho: float) -> None:
    x = _ar(3, rho)
    found = float(_program().ess_mean(x))
    np.testing.assert_allclose(found, _size_of_one(x), rtol=1e-9)
    assert abs(found / (x.size * (1 - rho) / (1 + rho)) - 1) < 0.3
    judged = _program().judged(x)
    assert abs(float(judged["ess_bulk"]) / found - 1) < 0.1
    assert 0.2 < float(judged["ess_tail"]) / found < 4
    np.testing.assert_allclose(judged["mcse"], x.std(ddof=1) / np.sqrt(found), rtol=1e-9)


def _rhat(x: Array) -> float:
    n = x.shape[1] // 2
    x = np.concatenate([x[:, :n], x[:, -n:]])

    def of_ranks(x: Array) -> float:
        z = stats.norm.ppf((stats.rankdata(x, method="ordinal").reshape(x.shape) - 0.375) / (x.size + 0.25))
        within = z.var(axis=1, ddof=1).mean()
        return float(np.sqrt((within * (n - 1) / n + z.mean(axis=1).var(ddof=1)) / within))

    return max(of_ranks(x), of_ranks(abs(x - np.median(x))))


@pytest.mark.parametrize("change", ["none", "one_moves", "one_is_wider", "all_drift"])
def test_rhat_sees_chains_that_disagree(change: str) -> None:
    x = _ar(5, 0.2)
    x[0] += 2.0 * (change == "one_moves")
    x[0] *= 4.0 if change == "one_is_wider" else 1.0
    x += np.linspace(-2, 2, x.shape[1]) * (change == "all_drift")
    found = float(_program().judged(x)["rhat"])
    np.testing.assert_allclose(found, _rhat(x), rtol=1e-9)
    assert (found > 1.05) == (change != "none")


@pytest.mark.parametrize("shape", [0.2, 0.5, 0.9])
def test_the_tail_of_importance_weights_is_fitted(shape: float) -> None:
    draws = stats.genpareto(shape).rvs(8000, random_state=3)
    weights, found = _program().smoothed(np.log(draws + 0.1))
    assert abs(float(found) - shape) < 0.15
    np.testing.assert_allclose(np.exp(np.asarray(weights)).sum(), 1.0, rtol=1e-9)
    assert (np.argsort(np.asarray(weights)) == np.argsort(draws)).mean() > 0.99


def test_observations_that_are_left_out() -> None:
    """Of a normal mean with a flat prior: the prediction of each observation by the others is normal too."""
    y = np.random.default_rng(4).normal(1.0, 1.0, size=20)
    draws = np.random.default_rng(5).normal(y.mean(), 1 / np.sqrt(len(y)), size=4000)
    found = _program().left_out(stats.norm(draws[:, None], 1.0).logpdf(y[None, :]))
    others = (y.sum() - y) / (len(y) - 1)
    exact = stats.norm(others, np.sqrt(1 + 1 / (len(y) - 1))).logpdf(y)
    np.testing.assert_allclose(found["pointwise"], exact, atol=0.02)
    np.testing.assert_allclose(found["elpd"], exact.sum(), atol=0.05)
    assert (np.asarray(found["shapes"]) < 0.7).all()


def test_every_function_is_used() -> None:
    here = PROGRAM + "".join(["rhat(", "ess_bulk(", "ess_tail(", "mcse_mean("])
    here += flows.PROGRAM
    samplers = public("prob")[public("prob").index("nuts") :]
    assert [name for name in samplers if f"{name}(" not in here] == []
