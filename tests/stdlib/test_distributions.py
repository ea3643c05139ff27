"""Every distribution of `prob` beside that of SciPy: one row of the table for each.

Of each the log density, its gradient, the moments of draws, the distribution function and its inverse, and the map from
unconstrained numbers are compared.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

import numpy as np
import pytest
from scipy import stats

import dsl
from tests.support.cases import some
from tests.support.library import public

Array = np.ndarray[Any, Any]
DRAWS = 2000


@dataclass(frozen=True)
class Law:
    """`make` is the distribution, of a vector `p` of parameters; `values` are some that it takes, and `density` what
    SciPy says of one. Without `cdf` it has none; without `moments` neither mean nor variance is compared. Values of
    `counts`, and of a `constant` number of degrees of freedom less than elements, are not differentiated."""

    make: str
    parameters: tuple[float, ...]
    values: tuple[Any, ...]
    density: Callable[..., float]
    cdf: Callable[..., Any] | None = None
    moments: bool = True
    counts: bool = False
    constant: bool = False


def _of(law: Any, **others: Any) -> dict[str, Any]:
    """What a frozen law of SciPy says."""
    return {"density": lambda x, *p: float(np.sum(law(*p).logpdf(x))), "cdf": lambda x, *p: law(*p).cdf(x), **others}


def _count(law: Any, **others: Any) -> dict[str, Any]:
    found = {"density": lambda x, *p: float(np.sum(law(*p).logpmf(x))), "cdf": lambda x, *p: law(*p).cdf(x)}
    return {**found, "counts": True, **others}


REAL = (-1.3, 0.4, 2.2)
POSITIVE = (0.3, 1.1, 2.7)
SHARES = (0.15, 0.5, 0.8)
COUNTS = (0.0, 1.0, 3.0)


def _kumaraswamy(x: float, a: float, b: float) -> float:
    return float(np.log(a * b) + (a - 1) * np.log(x) + (b - 1) * np.log1p(-(x**a)))


def _categorical(x: float, *logits: float) -> float:
    return float(logits[int(x)] - np.log(np.sum(np.exp(logits))))


def _zero_inflated(x: float, gate: float, rate: float) -> float:
    return float(np.log(gate * (x == 0) + (1 - gate) * stats.poisson(rate).pmf(x)))


def _mixture(x: float, a: float, b: float) -> float:
    return float(np.logaddexp(np.log(0.25) + stats.norm(a).logpdf(x), np.log(0.75) + stats.norm(b).logpdf(x)))


def _factor(p: Any) -> Array:
    return np.array([[p[0], 0.0], [p[1], p[2]]])


def _lkj(x: Array, eta: float) -> float:
    """By the integral of the density over matrices of three rows (Lewandowski, Kurowicka and Joe 2009)."""
    rest = [eta + (2 - i) / 2 for i in (1, 2)]
    volume = sum(0.5 * i * np.log(np.pi) + _gammaln(b) - _gammaln(b + i / 2) for i, b in zip((1, 2), rest, strict=True))
    return float(np.sum((3 - np.arange(1, 3) + 2 * eta - 3) * np.log(np.diag(x)[1:])) - volume)


def _gammaln(x: float) -> float:
    return float(stats.gamma(x).logpdf(1.0) * -1 - 1)


FACTORS = (np.array([[1.0, 0, 0], [0.6, 0.8, 0], [0.0, 0.6, 0.8]]),)
MATRICES = (np.array([[2.0, 0.3], [0.3, 1.5]]), np.array([[1.0, -0.2], [-0.2, 3.0]]))
PLANE = (np.array([0.3, -1.2]), np.array([1.5, 0.7]))

LAWS: dict[str, Law] = {
    "normal": Law("normal(p[0], p[1])", (0.5, 1.5), REAL, **_of(stats.norm)),
    "laplace": Law("laplace(p[0], p[1])", (0.5, 1.5), REAL, **_of(stats.laplace)),
    "logistic": Law("logistic(p[0], p[1])", (0.5, 1.5), REAL, **_of(stats.logistic)),
    "cauchy": Law("cauchy(p[0], p[1])", (0.5, 1.5), REAL, **_of(stats.cauchy, moments=False)),
    "gumbel": Law("gumbel(p[0], p[1])", (0.5, 1.5), REAL, **_of(stats.gumbel_r)),
    "student_t": Law("student_t(p[0], p[1], p[2])", (7.5, 0.5, 1.5), REAL, **_of(stats.t)),
    "skew_normal": Law("skew_normal(p[0], p[1], p[2])", (-2.0, 0.5, 1.5), REAL, **_of(stats.skewnorm)),
    "half_normal": Law("half_normal(p[0])", (1.5,), POSITIVE, **_of(lambda s: stats.halfnorm(0, s))),
    "half_cauchy": Law("half_cauchy(p[0])", (1.5,), POSITIVE, **_of(lambda s: stats.halfcauchy(0, s), moments=False)),
    "exponential": Law("exponential(p[0])", (1.5,), POSITIVE, **_of(lambda r: stats.expon(0, 1 / r))),
    "gamma": Law("gamma(p[0], p[1])", (2.5, 1.5), POSITIVE, **_of(lambda a, r: stats.gamma(a, 0, 1 / r))),
    "inverse_gamma": Law(
        "inverse_gamma(p[0], p[1])", (6.5, 3.0), POSITIVE, **_of(lambda a, s: stats.invgamma(a, 0, s))
    ),
    "chi2": Law("chi2(p[0])", (3.5,), POSITIVE, **_of(stats.chi2)),
    "f": Law("f(p[0], p[1])", (3.5, 12.0), POSITIVE, **_of(stats.f)),
    "weibull": Law("weibull(p[0], p[1])", (1.7, 2.0), POSITIVE, **_of(lambda c, s: stats.weibull_min(c, 0, s))),
    "lognormal": Law("lognormal(p[0], p[1])", (0.3, 0.6), POSITIVE, **_of(lambda m, s: stats.lognorm(s, 0, np.exp(m)))),
    "pareto": Law("pareto(p[0], p[1])", (6.0, 0.25), POSITIVE, **_of(lambda a, s: stats.pareto(a, 0, s))),
    "uniform": Law("uniform(p[0], p[1])", (-2.0, 3.0), REAL, **_of(lambda a, b: stats.uniform(a, b - a))),
    "beta": Law("beta(p[0], p[1])", (2.5, 1.5), SHARES, **_of(stats.beta)),
    "kumaraswamy": Law(
        "kumaraswamy(p[0], p[1])",
        (2.5, 1.5),
        SHARES,
        _kumaraswamy,
        lambda x, a, b: 1 - (1 - x**a) ** b,
    ),
    "truncated_normal": Law(
        "truncated_normal(p[0], p[1], -2.0, inf)",
        (0.5, 1.5),
        REAL,
        **_of(lambda m, s: stats.truncnorm((-2 - m) / s, np.inf, m, s)),
    ),
    "von_mises": Law("von_mises(p[0], p[1])", (0.5, 2.5), REAL, **_of(lambda m, k: stats.vonmises(k, m))),
    "bernoulli": Law("bernoulli(p[0])", (0.3,), COUNTS[:2], **_count(stats.bernoulli)),
    "bernoulli_logits": Law(
        "bernoulli_logits(p[0])", (0.7,), COUNTS[:2], **_count(lambda t: stats.bernoulli(1 / (1 + np.exp(-t))))
    ),
    "binomial": Law("binomial(7.0, p[0])", (0.3,), COUNTS, **_count(lambda p: stats.binom(7, p))),
    "beta_binomial": Law(
        "beta_binomial(7.0, p[0], p[1])",
        (2.0, 3.0),
        COUNTS,
        **_count(lambda a, b: stats.betabinom(7, a, b), cdf=None),
    ),
    "poisson": Law("poisson(p[0])", (2.5,), COUNTS, **_count(stats.poisson)),
    "zero_inflated_poisson": Law(
        "zero_inflated_poisson(p[0], p[1])",
        (0.3, 2.5),
        COUNTS,
        _zero_inflated,
        lambda x, g, r: g + (1 - g) * stats.poisson(r).cdf(x),
        counts=True,
    ),
    "geometric": Law("geometric(p[0])", (0.3,), COUNTS, **_count(lambda p: stats.geom(p, -1))),
    "negative_binomial": Law("negative_binomial(p[0], p[1])", (2.5, 0.4), COUNTS, **_count(stats.nbinom)),
    "discrete_uniform": Law(
        "discrete_uniform(0.0 * p[0], 6.0)", (1.0,), COUNTS, **_count(lambda _: stats.randint(0, 7))
    ),
    "categorical": Law(
        "categorical(p)",
        (0.3, -1.0, 0.7, 0.2),
        COUNTS,
        _categorical,
        lambda x, *p: np.cumsum(np.exp(p) / np.sum(np.exp(p)))[int(x)],
        counts=True,
    ),
    "dirichlet": Law(
        "dirichlet(p)",
        (2.0, 1.5, 3.0),
        (np.array([0.2, 0.3, 0.5]), np.array([0.6, 0.1, 0.3])),
        lambda x, *a: float(stats.dirichlet(a).logpdf(x)),
        constant=True,
    ),
    "multinomial": Law(
        "multinomial(5.0, p)",
        (0.2, 0.3, 0.5),
        (np.array([1.0, 2.0, 2.0]), np.array([0.0, 5.0, 0.0])),
        lambda x, *p: float(stats.multinomial(5, np.array(p) / np.sum(p)).logpmf(x) + 5 * np.log(np.sum(p))),
        counts=True,
    ),
    "multivariate_normal": Law(
        "multivariate_normal(p[:2], outer(p[2:4], p[2:4]) + eye(2, f64))",
        (0.5, -0.5, 1.0, 2.0),
        PLANE,
        lambda x, *p: float(stats.multivariate_normal(p[:2], np.outer(p[2:], p[2:]) + np.eye(2)).logpdf(x)),
    ),
    "multivariate_normal_tril": Law(
        "multivariate_normal_tril(zeros([2], f64), [[p[0], 0.0], [p[1], p[2]]])",
        (1.5, 0.4, 0.8),
        PLANE,
        lambda x, *p: float(stats.multivariate_normal(np.zeros(2), _factor(p) @ _factor(p).T).logpdf(x)),
    ),
    "multivariate_t": Law(
        "multivariate_t(p[3], zeros([2], f64), [[p[0], 0.0], [p[1], p[2]]])",
        (1.5, 0.4, 0.8, 7.0),
        PLANE,
        lambda x, *p: float(stats.multivariate_t(np.zeros(2), _factor(p) @ _factor(p).T, p[3]).logpdf(x)),
    ),
    "lkj_cholesky": Law("lkj_cholesky(3, p[0])", (1.7,), FACTORS, _lkj, constant=True),
    "wishart": Law(
        "wishart(p[0], [[p[1], 0.2], [0.2, p[2]]])",
        (4.5, 1.0, 1.5),
        MATRICES,
        lambda x, *p: float(stats.wishart(p[0], [[p[1], 0.2], [0.2, p[2]]]).logpdf(x)),
        constant=True,
    ),
    "inverse_wishart": Law(
        "inverse_wishart(p[0], [[p[1], 0.2], [0.2, p[2]]])",
        (8.5, 1.0, 1.5),
        MATRICES,
        lambda x, *p: float(stats.invwishart(p[0], [[p[1], 0.2], [0.2, p[2]]]).logpdf(x)),
        constant=True,
    ),
    "flat": Law("flat(real_numbers([], f64))", (1.0,), REAL, lambda _, *p: 0.0, moments=False),
    "flow": Law(
        "flow(affine_bijector(p[:2], p[2:]))",
        (0.5, -0.5, 1.5, 0.7),
        PLANE,
        lambda x, *p: float(stats.norm(p[:2], p[2:]).logpdf(x).sum()),
        moments=False,
    ),
    "iid": Law("iid(normal(p[0], p[1]), 2)", (0.5, 1.5), PLANE, **_of(lambda m, s: stats.norm(m, s))),
    "independent": Law(
        "independent(fn q -> normal(q, 2.0 * q), p)",
        (0.5, 1.5),
        PLANE,
        **_of(lambda *p: stats.norm(np.array(p), 2 * np.array(p))),
    ),
    "mixture": Law(
        "mixture([log(1.0), log(3.0)], fn q -> normal(q, 1.0), p)",
        (-0.5, 1.5),
        REAL,
        _mixture,
    ),
    "transformed": Law(
        "transformed(normal(p[0], p[1]), exp_bijector([], f64))",
        (0.3, 0.6),
        POSITIVE,
        **_of(lambda m, s: stats.lognorm(s, 0, np.exp(m)), moments=False),
    ),
    "affine": Law("affine(logistic(0.0 * p[0], 1.0), p[0], p[1])", (0.5, 1.5), REAL, **_of(stats.logistic)),
    "truncated": Law(
        "truncated(normal(p[0], p[1]), -2.0, 3.0)",
        (0.5, 1.5),
        REAL,
        **_of(lambda m, s: stats.truncnorm((-2 - m) / s, (3 - m) / s, m, s), moments=False),
    ),
    "unconstrained": Law(
        "unconstrained(gamma(p[0], p[1]))",
        (2.5, 1.5),
        REAL,
        lambda z, a, r: float(stats.gamma(a, 0, 1 / r).logpdf(np.exp(z)) + z),
        moments=False,
    ),
    "checked_parameters": Law("checked_parameters(normal(p[0], p[1]))", (0.5, 1.5), REAL, **_of(stats.norm)),
}
DENSITIES = list(LAWS)


def _shape(law: Law) -> list[int]:
    return list(np.shape(law.values[0]))


def _kind(law: Law, rows: str = "") -> str:
    sizes = [rows] * bool(rows) + [str(n) for n in _shape(law)]
    return f"f64[{', '.join(sizes)}]" if sizes else "f64"


def _written(name: str, law: Law) -> str:
    """One function for each law: all that is compared."""
    effect = " ! check" if "checked" in law.make else ""
    x, xs, size = _kind(law), _kind(law, "m"), len(law.parameters)
    made = re.sub(rf"(?<![\w.])({'|'.join(public('prob'))})(?=\()", r"prob.\1", law.make)
    found = {
        "densities": ("f64[m]", "[d.log_density(x) for x in xs]"),
        "slopes": (f"f64[m, {size}]", f"[grad(fn p -> ({made}).log_density(x))(p) for x in xs]"),
        "by_value": (xs, "[grad(fn y -> d.log_density(y))(x) for x in xs]"),
        "draws": (_kind(law, str(DRAWS)), "[d.draw(k) for k in ks]"),
        "mean": (x, "d.mean"),
        "variance": (x, "d.variance"),
        "cdf": (xs, "[d.cdf(x) for x in xs]"),
        "back": (xs, "[d.quantile(d.cdf(x)) for x in xs]"),
        "inside": ("bool[m]", "[d.support.contains(x) for x in xs]"),
        "around": (xs, "[d.support.constrain(d.support.unconstrain(x)).0 for x in xs]"),
        "start": ("bool", "d.support.contains(d.support.start)"),
        "valid": ("bool", "d.valid"),
    }
    kind = ", ".join(f"{field}: {kind}" for field, (kind, _) in found.items())
    body = ", ".join(f"{field} = {value}" for field, (_, value) in found.items())
    head = f"def {name}(p: f64[{size}], xs: {xs}, ks: key[{DRAWS}]) -> {{{kind}}}{effect} ="
    return f"{head}\n    let d = {made}\n    {{{body}}}\n"


@cache
def _program() -> dsl.Program:
    return dsl.program("import prob\n" + "".join(_written(name, law) for name, law in LAWS.items()))


@cache
def _found(name: str) -> dict[str, Array]:
    law = LAWS[name]
    keys = np.asarray([np.asarray(k) for k in dsl.random.split(dsl.key(7), DRAWS)])
    found = getattr(_program(), name)(np.array(law.parameters), np.array(law.values), keys)
    return {key: np.asarray(value) for key, value in found.items()}


def _slopes(f: Callable[[Array], float], at: Array) -> Array:
    """By central differences."""
    step = 1e-5 * np.maximum(np.abs(at), 0.1)
    flat = []
    for place in np.ndindex(at.shape):
        h = np.zeros_like(at)
        h[place] = step[place]
        flat.append((f(at + h) - f(at - h)) / (2 * step[place]))
    return np.array(flat).reshape(at.shape)


def _density(law: Law, x: Any, p: Array) -> float:
    return law.density(x, *p)


def _density_of_value(law: Law, p: Array, x: Array) -> float:
    return law.density(x, *p)


@pytest.mark.parametrize("name", LAWS)
def test_a_distribution_is_that_of_scipy(name: str) -> None:
    law, found = LAWS[name], _found(name)
    p = np.array(law.parameters)
    assert found["valid"]
    assert found["start"]
    assert found["inside"].all()
    for k, x in enumerate(some(law.values)):
        np.testing.assert_allclose(found["densities"][k], law.density(x, *p), rtol=1e-8, atol=1e-9)
        if name not in ("multinomial", "dirichlet", "discrete_uniform"):
            slopes = _slopes(partial(_density, law, x), p)
            np.testing.assert_allclose(found["slopes"][k], slopes, rtol=2e-5, atol=1e-6)
        if not law.counts and not law.constant:
            slopes = _slopes(partial(_density_of_value, law, p), np.asarray(x, float))
            np.testing.assert_allclose(found["by_value"][k], slopes, rtol=2e-5, atol=1e-6)
        np.testing.assert_allclose(found["around"][k], x, rtol=1e-7, atol=1e-9)
        if law.cdf is not None:
            np.testing.assert_allclose(found["cdf"][k], law.cdf(x, *p), rtol=1e-7, atol=1e-9)
            np.testing.assert_allclose(found["back"][k], x, rtol=1e-6, atol=1e-8)
    if law.moments:
        error = np.sqrt(found["variance"] / DRAWS)
        assert (np.abs(found["draws"].mean(axis=0) - found["mean"]) <= 4.5 * error + 1e-9).all()
        fourth = np.mean((found["draws"] - found["mean"]) ** 4, axis=0)
        spread = np.sqrt(np.maximum(fourth - found["variance"] ** 2, 0) / DRAWS)
        assert (
            np.abs(np.mean((found["draws"] - found["mean"]) ** 2, axis=0) - found["variance"]) <= 5 * spread + 1e-9
        ).all()
