"""Cases of `stats` and `special` beside SciPy, in double precision: for each family one case of all its functions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.special
import scipy.stats

from tests.support.library import Case

_random = np.random.default_rng(12)
Z, U, Q = _random.normal(size=(3, 4)), _random.uniform(0.1, 0.9, (3, 4)), _random.uniform(0.1, 0.9, (3, 4))
K = np.tile(np.arange(4.0), (3, 1))
S = Z @ Z.T + 4 * np.eye(3)
FAMILIES: tuple[tuple[str, Any, tuple[float, ...], str], ...] = (
    ("uniform", Z, (0.2, 0.5), "cdf ppf"),
    ("expon", Z, (0.1, 2.0), "cdf sf ppf"),
    ("laplace", Z, (0.4, 1.5), "ppf"),
    ("logistic", Z, (0.4, 1.5), "ppf"),
    ("cauchy", Z, (0.4, 1.5), "ppf"),
    ("gumbel_r", Z, (0.4, 1.5), "logpdf cdf ppf"),
    ("halfnorm", Z, (-0.4, 1.5), "logpdf cdf ppf"),
    ("halfcauchy", Z, (-0.4, 1.5), "logpdf cdf ppf"),
    ("gamma", Z, (2.5, -0.4, 1.5), "cdf sf ppf"),
    ("chi2", Z, (3.5, -0.4, 1.5), "logpdf cdf sf ppf"),
    ("invgamma", Z, (2.5, -0.4, 1.5), "logpdf cdf ppf"),
    ("beta", U, (2.5, 1.5, 0.05, 0.9), "cdf sf ppf"),
    ("t", Z, (3.5, 0.2, 1.5), "cdf sf ppf"),
    ("f", Z, (3.5, 2.5, -0.4, 1.5), "logpdf cdf sf ppf"),
    ("weibull_min", Z, (1.7, -0.4, 1.5), "logpdf cdf ppf"),
    ("lognorm", Z, (0.7, -0.4, 1.5), "logpdf cdf ppf"),
    ("pareto", Z, (1.7, -0.4, 0.3), "logpdf cdf ppf"),
    ("truncnorm", Z, (-1.0, 9.0, 0.2, 1.5), "logpdf cdf ppf"),
    ("vonmises", Z, (2.5, 0.2), "logpdf cdf"),
    ("skewnorm", Z, (-2.0, 0.2, 1.5), "logpdf cdf"),
    ("poisson", K, (2.5,), "cdf ppf"),
    ("geom", K, (0.3,), "cdf ppf"),
    ("binom", K, (6.0, 0.3), "logpmf pmf cdf ppf"),
    ("nbinom", K, (2.5, 0.4), "logpmf cdf ppf"),
)
"""Name, values, parameters, functions."""
ITERATED = frozenset({"gamma", "chi2", "invgamma", "beta", "t", "f", "binom", "nbinom"})
"""Those with quantiles by iterated incomplete functions, which `special` has cases of."""


def _of_family(name: str, x: Any, options: Sequence[float], functions: Sequence[str]) -> Case:
    given = {f: "u" if f == "ppf" else "x" for f in functions}
    calls = ", ".join([f"stats.{name}_{f}({given[f]}, {', '.join(map(str, options))})" for f in functions])
    result = ", ".join(["f64[n, m]"] * len(functions))
    law = getattr(scipy.stats, name)(*options)
    return Case(
        f"stats_of_{name}",
        f"(x: f64[n, m], u: f64[n, m]) -> ({result},) = ({calls},)",
        (x, U),
        lambda x, u: tuple([np.asarray(getattr(law, f)(u if f == "ppf" else x), np.float64) for f in functions]),
        1e-8,
        name not in ITERATED,
    )


def _of_special(name: str, values: Sequence[Any]) -> Case:
    letters = "abc"[: len(values)]
    params = ", ".join(f"{letter}: f64[n, m]" for letter in letters)
    text = f"({params}) -> f64[n, m] = special.{name}({', '.join(letters)})"
    return Case(f"special_{name}", text, tuple(values), getattr(scipy.special, name), 1e-9)


DENSITIES: tuple[Case, ...] = (
    *[_of_family(name, x, options, functions.split()) for name, x, options, functions in FAMILIES],
    _of_special("gammaincinv", (4 * U, Q)),
    _of_special("betaincinv", (4 * U, 2 - U, Q)),
    _of_special("owens_t", (Z, 4 * Z[::-1])),
    Case(
        "stats_betabinom_logpmf",
        "(k: f64[n, m]) -> f64[n, m] = stats.betabinom_logpmf(k, 0.0 * k + 6.0, 0.0 * k + 2.0, 0.0 * k + 3.0)",
        (K,),
        lambda k: scipy.stats.betabinom(6, 2.0, 3.0).logpmf(k),
        1e-9,
    ),
    Case(
        "stats_vectors",
        "(x: f64[n], a: f64[n], k: f64[n]) -> (f64, f64)"
        " = (stats.dirichlet_logpdf(x, a), stats.multinomial_logpmf(k, sum(k), x))",
        (np.array([0.2, 0.3, 0.5]), np.array([1.5, 2.0, 0.7]), np.array([1.0, 0.0, 4.0])),
        lambda x, a, k: (scipy.stats.dirichlet(a).logpdf(x), scipy.stats.multinomial(int(k.sum()), x).logpmf(k)),
        1e-9,
    ),
    Case(
        "stats_wishart_logpdf",
        "(x: f64[n, n]) -> f64 where n >= 1 = stats.wishart_logpdf(x, 6.5, 2.0 * x + eye(n, f64))",
        (S,),
        lambda x: scipy.stats.wishart(6.5, 2 * x + np.eye(3)).logpdf(x),
        1e-9,
    ),
)
