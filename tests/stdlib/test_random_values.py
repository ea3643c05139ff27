"""Draws beside those of `jax.random` for the same seed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy import stats

import dsl
from tests.support.cases import some
from tests.support.library import as_one_program, leaves, public

X = np.arange(12, dtype=np.float32).reshape(6, 2)
MEAN = np.array([1.0, -1.0], np.float32)
COV = np.array([[2.0, 0.5], [0.5, 1.0]], np.float32)
RATES = np.array([0.01, 0.3, 1.0, 2.5, 50.0], np.float32)
Draw = tuple[str, Callable[[Any], Any]]


def _initial(name: str) -> Callable[[Any], Any]:
    return lambda k: getattr(jax.nn.initializers, name)()(k, (2, 6, 4))


def _drawn_in(name: str, dtype: Any) -> Callable[[Any], Any]:
    return lambda k: getattr(jax.random, name)(k, (40,), dtype).astype(jnp.float32)


# One function of jax.random that the others share, so that it is compiled once.
def _loggamma(key: Any, rate: Any) -> Any:
    return jax.random.loggamma(key, jnp.asarray(rate), (5,))


def _log_odds(first: Any, second: Any) -> Any:
    return _loggamma(first, RATES) - _loggamma(second, np.full(5, 2.5, np.float32))


def _student(first: Any, second: Any) -> Any:
    return jax.random.normal(first, (5,)) * jnp.sqrt(RATES / 2 / jnp.exp(_loggamma(second, RATES / 2)))


# What `random.NAME` draws from a key, and what `jax.random` does.
DRAWS: dict[str, Draw] = {
    "bits": ("u32[5] = random.bits(k, [5])", lambda k: jax.random.bits(k, (5,))),
    "uniform": (
        "f32[5] = random.uniform(k, [5], minval=-1.0, maxval=2.0)",
        lambda k: jax.random.uniform(k, (5,), minval=-1.0, maxval=2.0),
    ),
    "bits_by_a_table_of_keys": (
        "u32[2, 3] = [[random.bits(q, []) for q in row] for row in reshape(split(k, 6), [-1, 3])]",
        lambda k: jax.vmap(jax.vmap(lambda q: jax.random.bits(q, ())))(jax.random.split(k, 6).reshape(2, 3)),
    ),
    "randint": ("i32[9] = random.randint(k, [9], -3, 8)", lambda k: jax.random.randint(k, (9,), -3, 8)),
    "bernoulli": ("bool[9] = random.bernoulli(k, 0.3, [9])", lambda k: jax.random.bernoulli(k, 0.3, (9,))),
    "rademacher": ("i32[9] = random.rademacher(k, [9])", lambda k: jax.random.rademacher(k, (9,), jnp.int32)),
    "categorical": ("idx[2][6] = random.categorical(k, TABLE)", lambda k: jax.random.categorical(k, X)),
    "permutation": ("idx[7][7] = random.permutation(k, 7)", lambda k: jax.random.permutation(k, 7)),
    "shuffle": ("f32[6, 2] = random.shuffle(k, TABLE)", lambda k: jax.random.permutation(k, X)),
    "choice": ("f32[4] = random.choice(k, TABLE[:, 0], [4])", lambda k: jax.random.choice(k, X[:, 0], (4,))),
    "choice_once": (
        "f32[2, 2] = random.choice(k, TABLE[:, 0], [2, 2], replace=false)",
        lambda k: jax.random.choice(k, X[:, 0], (2, 2), replace=False),
    ),
    "normal": ("f32[2, 3] = random.normal(k, [2, 3])", lambda k: jax.random.normal(k, (2, 3))),
    "truncated_normal": (
        "f32[9] = random.truncated_normal(k, -1.0, 0.5, [9])",
        lambda k: jax.random.truncated_normal(k, -1.0, 0.5, (9,)),
    ),
    "lognormal": ("f32[5] = random.lognormal(k, 0.5, [5])", lambda k: jax.random.lognormal(k, 0.5, (5,))),
    "multivariate_normal": (
        "f32[3, 2] = random.multivariate_normal(k, [1.0, -1.0], [[2.0, 0.5], [0.5, 1.0]], [3])",
        lambda k: jax.random.multivariate_normal(k, MEAN, COV, (3,)),
    ),
    "maxwell": ("f32[5] = random.maxwell(k, [5])", lambda k: jax.random.maxwell(k, (5,))),
    "rayleigh": ("f32[5] = random.rayleigh(k, 2.0, [5])", lambda k: jax.random.rayleigh(k, 2.0, (5,))),
    "exponential": ("f32[5] = random.exponential(k, [5])", lambda k: jax.random.exponential(k, (5,))),
    "gumbel": ("f32[5] = random.gumbel(k, [5])", lambda k: jax.random.gumbel(k, (5,))),
    "laplace": ("f32[5] = random.laplace(k, [5])", lambda k: jax.random.laplace(k, (5,))),
    "logistic": ("f32[5] = random.logistic(k, [5])", lambda k: jax.random.logistic(k, (5,))),
    **{
        f"{name}_of_{ours}": (
            f"f32[40] = f32(random.{name}(k, [40], {ours}))",
            _drawn_in(name, theirs),
        )
        for name in ("normal", "gumbel", "logistic", "cauchy", "laplace")
        for ours, theirs in (("f16", jnp.float16), ("bf16", jnp.bfloat16))
    },
    "cauchy": ("f32[5] = random.cauchy(k, [5])", lambda k: jax.random.cauchy(k, (5,))),
    "pareto": ("f32[5] = random.pareto(k, 3.0, [5])", lambda k: jax.random.pareto(k, 3.0, (5,))),
    "weibull_min": (
        "f32[5] = random.weibull_min(k, 2.0, 3.0, [5])",
        lambda k: jax.random.weibull_min(k, 2.0, 3.0, (5,)),
    ),
    "loggamma": ("f32[5] = random.loggamma(k, RATES)", lambda k: _loggamma(k, RATES)),
    "gamma": ("f32[5] = random.gamma(k, RATES)", lambda k: jnp.exp(_loggamma(k, RATES))),
    "beta": ("f32[5] = random.beta(k, RATES, 2.5)", lambda k: jax.nn.sigmoid(_log_odds(*jax.random.split(k)))),
    "dirichlet": ("f32[5] = random.dirichlet(k, RATES)", lambda k: jax.nn.softmax(_loggamma(k, RATES))),
    "chisquare": ("f32[5] = random.chisquare(k, RATES)", lambda k: 2 * jnp.exp(_loggamma(k, RATES / 2))),
    "t": ("f32[5] = random.t(k, RATES)", lambda k: _student(*jax.random.split(k))),
    "slope_of_gamma": (
        "f32[5] = grad(sum_of_gamma)(RATES, k)",
        lambda k: jax.grad(lambda a: jnp.exp(_loggamma(k, a)).sum())(RATES),
    ),
    "split": (
        "f32[2] = random.normal(random.split(k, 3)[1], [2])",
        lambda k: jax.random.normal(jax.random.split(k, 3)[1], (2,)),
    ),
    "fold_in": (
        "f32[2] = random.normal(random.fold_in(k, 7), [2])",
        lambda k: jax.random.normal(jax.random.fold_in(k, 7), (2,)),
    ),
    "dropout": (
        "f32[6, 2] = nn.dropout(k, TABLE, 0.25)",
        lambda k: jnp.where(jax.random.bernoulli(k, 0.75, (6, 2)), X / 0.75, 0.0),
    ),
    **{
        name: (f"f32[2, 6, 4] = nn.{name}(k, [2, 6, 4])", _initial(name))
        for name in ("glorot_uniform", "glorot_normal", "he_uniform", "he_normal", "lecun_uniform", "lecun_normal")
    },
}


@pytest.fixture(scope="module")
def program() -> dsl.Program:
    lines = [
        f"def draw_{name}(seed: i32) -> {text.replace('= ', '= draw_of(seed) |> fn k -> ', 1)}"
        for name, (text, _) in DRAWS.items()
    ]
    text = "import nn\nimport random\ndef draw_of(seed: i32) -> key = random.key(seed)\n" + "\n".join(lines)
    text += "\ndef sum_of_gamma(a: f32[n], k: key) -> f32 = sum(random.gamma(k, a))\n"
    text = text.replace("RATES", "[0.01, 0.3, 1.0, 2.5, 50.0]")
    return dsl.program(text.replace("TABLE", "reshape(arange(12, dtype=f32), [6, 2])"))


@pytest.mark.parametrize("name", DRAWS)
def test_as_jax(program: dsl.Program, name: str) -> None:
    function = getattr(program, f"draw_{name}")
    with jax.threefry_partitionable(True):
        [wanted] = leaves(as_one_program(DRAWS[name][1])(jax.random.key(42)))
    for [got] in (leaves(function(42)), leaves(function.interpret(42))):
        assert (got.shape, got.dtype) == (wanted.shape, wanted.dtype)
        rounding = 5e-3 if name.endswith("f16") else 1e-5
        np.testing.assert_allclose(got, wanted, rtol=rounding, atol=rounding)


@pytest.mark.parametrize("dtype", ["f16", "bf16", "f32"])
def test_uniform_draws_are_those_of_jax_bit_for_bit(dtype: str) -> None:
    theirs = {"f16": jnp.float16, "bf16": jnp.bfloat16, "f32": jnp.float32}[dtype]
    draw = dsl.program(f"import random\ndef draw(k: key) -> {dtype}[5, 7] = random.uniform(k, [5, 7], {dtype})").draw
    with jax.threefry_partitionable(True):
        wanted = np.asarray(jax.random.uniform(jax.random.key(42), (5, 7), theirs))
    for found in (draw(dsl.key(42)), draw.interpret(dsl.key(42))):
        np.testing.assert_array_equal(np.asarray(found), wanted)


# Of each, what a draw is distributed as.
COUNTS: dict[str, tuple[str, tuple[Any, ...]]] = {
    "poisson": ("i32[3000, 4] = random.poisson(k, [0.1, 5.0, 10.0, 1e4], [3000, 4])", (0.1, 5.0, 10.0, 1e4)),
    "nbinom": (
        "f32[3000, 3] = f32(random.negative_binomial(k, [0.5, 4.0, 40.0], [0.3, 0.6, 0.1], [3000, 3]))",
        ((0.5, 0.3), (4, 0.6), (40, 0.1)),
    ),
    "binom": (
        "f32[3000, 4] = random.binomial(k, [10.0, 40.0, 1000.0, 1e5], [0.5, 0.1, 0.98, 0.3], [3000, 4])",
        ((10, 0.5), (40, 0.1), (1000, 0.98), (100000, 0.3)),
    ),
}


@pytest.mark.parametrize("name", COUNTS)
def test_counts_are_distributed_as_they_should_be(name: str) -> None:
    text, parameters = COUNTS[name]
    draws = np.asarray(dsl.program(f"import random\ndef draw(k: key) -> {text}\n").draw(42))
    for drawn, of in zip(some(draws.T), parameters, strict=True):
        law = getattr(stats, name)(*np.atleast_1d(of))
        inner = np.arange(law.ppf(1e-3), law.ppf(1 - 1e-3), max(1.0, law.std() / 3))
        edges = np.concatenate([[-np.inf], inner, [np.inf]])
        expected = len(drawn) * np.diff(np.where(np.isinf(edges), edges > 0, law.cdf(edges)))
        found, _ = np.histogram(drawn, np.nextafter(edges, np.inf))
        many = expected > 5
        surprise = ((found - expected)[many] ** 2 / expected[many]).sum()
        assert stats.chi2.sf(surprise, many.sum() - 1) > 1e-3


# Of each, numbers that are drawn by themselves, and how they are distributed.
MARGINS: dict[str, tuple[str, Any]] = {
    "von_mises": ("f32[n] = random.von_mises(k, 2.5, [n])", stats.vonmises(2.5)),
    "skew_normal": ("f32[n] = random.skew_normal(k, -3.0, [n])", stats.skewnorm(-3.0)),
    "wishart": (
        "f32[n] = [random.wishart(q, 3.5, [[2.0, 0.5], [0.5, 1.0]])[0, 0] for q in split(k, n)]",
        stats.gamma(3.5 / 2, 0, 4.0),
    ),
}


@pytest.mark.parametrize("name", MARGINS)
def test_numbers_are_distributed_as_they_should_be(name: str) -> None:
    text, law = MARGINS[name]
    draws = np.asarray(dsl.program(f"import random\ndef draw(k: key, static n: size) -> {text}\n").draw(42, 2000))
    assert stats.kstest(draws, law.cdf).pvalue > 1e-3


def test_multinomial_counts_add_up_and_are_binomial() -> None:
    text = "def draw(k: key) -> f32[2000, 3] = random.multinomial(k, 10.0, [0.2, 0.0, 0.8], [2000])"
    draws = np.asarray(dsl.program(f"import random\n{text}\n").draw(42))
    np.testing.assert_array_equal(draws.sum(axis=1), 10)
    np.testing.assert_array_equal(draws[:, 1], 0)
    assert abs(draws[:, 0].mean() - 2) < 4 * np.sqrt(1.6 / 2000)
    assert abs(draws[:, 0].var() - 1.6) < 0.2


def test_counts_at_the_edges() -> None:
    text = "def p(k: key) -> i32[2] = random.poisson(k, [0.0, -1.0])\n"
    text += "def b(k: key) -> f32[5] = random.binomial(k, [0.0, 50.0, 50.0, -1.0, 5.0], [0.5, 0.0, 1.0, 0.5, 1.5])\n"
    program = dsl.program(f"import random\n{text}")
    np.testing.assert_array_equal(program.p.interpret(1), [0, -1])
    np.testing.assert_array_equal(program.b.interpret(1), [0, 0, 50, np.nan, np.nan])


def test_every_definition_is_compared() -> None:
    text = " ".join(t for t, _ in (*DRAWS.values(), *COUNTS.values(), *MARGINS.values())) + " random.key("
    text += " random.multinomial("
    assert [n for n in public("random") if f"random.{n}(" not in text] == []
