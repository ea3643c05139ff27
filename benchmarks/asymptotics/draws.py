"""Rows of random draws: as many numbers as there are elements, from one key, beside those of JAX."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any

import jax

from benchmarks.asymptotics.row import Row, Table, table, with_key

START = "def f(x: f32[n], k: key) = "
PLAIN = ("uniform", "normal", "bits", "exponential", "gumbel", "laplace", "logistic", "cauchy", "maxwell", "rademacher")
"""Draws with no parameter but a shape."""
DRAWS: Mapping[str, tuple[str, Any]] = MappingProxyType(
    {
        "split": ("random.split(k, n)", lambda x, k: jax.random.split(k, len(x))),
        "fold_in": (
            "[random.bits(random.fold_in(k, i)) for i in range(n)]",
            lambda x, k: jax.vmap(lambda i: jax.random.bits(jax.random.fold_in(k, i)))(jax.numpy.arange(len(x))),
        ),
        "randint": ("random.randint(k, [n], 0, 10)", lambda x, k: jax.random.randint(k, x.shape, 0, 10)),
        "bernoulli": ("random.bernoulli(k, 0.3, [n])", lambda x, k: jax.random.bernoulli(k, 0.3, x.shape)),
        "categorical": (
            "random.categorical(k, x[:16], [n])",
            lambda x, k: jax.random.categorical(k, x[:16], shape=x.shape),
        ),
        "shuffle": ("random.shuffle(k, x)", lambda x, k: jax.random.permutation(k, x)),
        "permutation": ("random.permutation(k, n)", lambda x, k: jax.random.permutation(k, len(x))),
        "choice": ("random.choice(k, x, [n])", lambda x, k: jax.random.choice(k, x, x.shape)),
        "choice, each once": (
            "random.choice(k, x, [n // 2], replace=false)",
            lambda x, k: jax.random.choice(k, x, (len(x) // 2,), replace=False),
        ),
        "choice with weights": (
            "random.choice(k, x, [n], p=x / sum(x))",
            lambda x, k: jax.random.choice(k, x, x.shape, p=x / x.sum()),
        ),
        "truncated_normal": (
            "random.truncated_normal(k, -1.0, 1.0, [n])",
            lambda x, k: jax.random.truncated_normal(k, -1.0, 1.0, x.shape),
        ),
        "lognormal": ("random.lognormal(k, 1.0, [n])", lambda x, k: jax.random.lognormal(k, 1.0, x.shape)),
        "multivariate_normal": (
            "random.multivariate_normal(k, zeros([8]), eye(8), [n])",
            lambda x, k: jax.random.multivariate_normal(k, jax.numpy.zeros(8), jax.numpy.eye(8), x.shape),
        ),
        "rayleigh": ("random.rayleigh(k, 2.0, [n])", lambda x, k: jax.random.rayleigh(k, 2.0, x.shape)),
        "pareto": ("random.pareto(k, 2.0, [n])", lambda x, k: jax.random.pareto(k, 2.0, x.shape)),
        "weibull_min": (
            "random.weibull_min(k, 1.0, 2.0, [n])",
            lambda x, k: jax.random.weibull_min(k, 1.0, 2.0, x.shape),
        ),
        "loggamma": ("random.loggamma(k, x)", lambda x, k: jax.random.loggamma(k, x)),
        "gamma": ("random.gamma(k, x)", lambda x, k: jax.random.gamma(k, x)),
        "beta": ("random.beta(k, x, x)", lambda x, k: jax.random.beta(k, x, x)),
        "dirichlet": ("random.dirichlet(k, x)", lambda x, k: jax.random.dirichlet(k, x)),
        "chisquare": ("random.chisquare(k, x)", lambda x, k: jax.random.chisquare(k, x)),
        "t": ("random.t(k, x)", lambda x, k: jax.random.t(k, x)),
        "poisson": ("random.poisson(k, 9.0 * x)", lambda x, k: jax.random.poisson(k, 9 * x)),
        "negative_binomial": ("random.negative_binomial(k, 9.0 * x, x)", None),
        "multinomial": ("random.multinomial(k, full([n], 30.0), broadcast_to([0.2, 0.3, 0.5], [n, 3]))", None),
        "von_mises": ("random.von_mises(k, x)", None),
        "skew_normal": ("random.skew_normal(k, x)", None),
        "wishart": ("[random.wishart(q, 9.0, eye(4)) for q in split(k, n // 16)]", None),
        "binomial": ("random.binomial(k, full([n], 30.0), x)", lambda x, k: jax.random.binomial(k, 30.0, x)),
        **{
            name: (f"random.{name}(k, [n])", lambda x, k, name=name: getattr(jax.random, name)(k, x.shape))
            for name in PLAIN
        },
    }
)
WEIGHTS = ("glorot_uniform", "glorot_normal", "he_uniform", "he_normal", "lecun_uniform", "lecun_normal")


def draws() -> Iterator[Row]:
    """Rows of `random`, and those of `nn` that draw."""
    calls = {name: (START + call, with_keys(theirs)) for name, (call, theirs) in DRAWS.items()}
    yield from table(with_key, calls, "random", drawn=True)
    yield from table(
        with_key,
        {"split of a key": ("def f(x: f32[n], k: key) = split(k, n)", with_keys(DRAWS["split"][1]))},
        drawn=True,
    )
    yield from table(with_key, WITH_KEYS, "nn", drawn=True)


def with_keys(theirs: Any) -> Any:
    return None if theirs is None else lambda x, k: theirs(x, jax.random.wrap_key_data(k))


def _initial(name: str) -> tuple[str, Any]:
    make = getattr(jax.nn.initializers, name)()
    return f"def f(x: f32[n], k: key) where n >= 16 = nn.{name}(k, [16, n // 16])", with_keys(
        lambda x, k: make(k, (16, len(x) // 16))
    )


WITH_KEYS: Table = MappingProxyType(
    {
        "dropout": (
            f"{START}nn.dropout(k, x, 0.3)",
            with_keys(lambda x, k: jax.numpy.where(jax.random.bernoulli(k, 0.7, x.shape), x / 0.7, 0.0)),
        ),
        **{name: _initial(name) for name in WEIGHTS},
    }
)
