"""Rows of `prob`: the log density of as many values as there are elements, without a counterpart in JAX."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType

from benchmarks.asymptotics.row import Row, table, two, with_key

START = "def f(x: f32[n], y: f32[n]) = "
SHARES = "reshape(x, [n // 16, 16])"
DISTRIBUTIONS: Mapping[str, str] = MappingProxyType(
    {
        **dict.fromkeys(("normal", "laplace", "logistic", "cauchy", "gumbel", "gamma", "inverse_gamma"), "(x, y)"),
        **dict.fromkeys(("f", "weibull", "lognormal", "pareto", "beta", "kumaraswamy", "von_mises"), "(x, y)"),
        **dict.fromkeys(("zero_inflated_poisson", "negative_binomial", "binomial"), "(x, y)"),
        **dict.fromkeys(("half_normal", "half_cauchy", "exponential", "chi2", "bernoulli", "poisson"), "(x)"),
        **dict.fromkeys(("bernoulli_logits", "geometric"), "(x)"),
        "student_t": "(x, y, y)",
        "skew_normal": "(x, y, y)",
        "uniform": "(x, x + y)",
        "truncated_normal": "(x, y, x - 1.0, x + 1.0)",
        "beta_binomial": "(full([n], 9.0), x, y)",
        "discrete_uniform": "(0.0 * x, 9.0)",
        "transformed": "(prob.normal(x, y), prob.exp_bijector([n]))",
        "affine": "(prob.normal(x, y), x, y)",
        "truncated": "(prob.normal(x, y), 0.0 * x, 1.0 + 0.0 * x)",
        "unconstrained": "(prob.gamma(x, y))",
        "independent": "(fn p -> prob.normal(p, 1.0), x)",
        "iid": "(prob.normal(x[0], y[0]), n)",
    }
)
"""The distribution of the elements of `y`."""
CALLS: Mapping[str, str] = MappingProxyType(
    {
        **{name: f"prob.{name}{given}.log_density(y)" for name, given in DISTRIBUTIONS.items()},
        "checked_parameters": "(with checks do prob.checked_parameters(prob.normal(x, y)).log_density(y)).0",
        "categorical": f"prob.categorical({SHARES}).log_density(zeros([n // 16]))",
        "category": "prob.category(9.0 * x, 16)",
        "dirichlet": f"prob.dirichlet({SHARES}).log_density(reshape(y, [n // 16, 16]))",
        "multinomial": "prob.multinomial(9.0, x).log_density(y)",
        "multivariate_normal": f"[prob.multivariate_normal(v, eye(16)).log_density(v) for v in {SHARES}]",
        "multivariate_normal_tril": (f"[prob.multivariate_normal_tril(v, eye(16)).log_density(v) for v in {SHARES}]"),
        "multivariate_t": "[prob.multivariate_t(3.0, v, eye(16)).log_density(v) for v in reshape(x, [n // 16, 16])]",
        "lkj_cholesky": "[prob.lkj_cholesky(4, v).log_density(eye(4)) for v in x]",
        "wishart": "[prob.wishart(9.0 + v, eye(4)).log_density(eye(4)) for v in x]",
        "inverse_wishart": "[prob.inverse_wishart(9.0 + v, eye(4)).log_density(eye(4)) for v in x]",
        "flat": "prob.flat(prob.real_numbers([n])).log_density(x + y)",
        "flow": "prob.flow(prob.affine_bijector(x, y)).log_density(y)",
        "mixture": "[prob.mixture(x[:4], fn p -> prob.normal(p, 1.0), y[:4]).log_density(v) for v in y]",
        "exp_bijector": "prob.exp_bijector([n]).forward(x)",
        "softplus_bijector": "prob.softplus_bijector([n]).forward(x)",
        "interval_bijector": "prob.interval_bijector(x, x + y).forward(y)",
        "affine_bijector": "prob.affine_bijector(x, y).forward(y)",
        "simplex_bijector": "prob.simplex_bijector(n + 1).forward(x)",
        "ordered_bijector": "prob.ordered_bijector(n).forward(x)",
        "correlation_bijector": "[prob.correlation_bijector(4).forward(v[:6]) for v in reshape(x, [n // 16, 16])]",
        "chained": "prob.chained(prob.exp_bijector([n]), prob.affine_bijector(x, y)).forward(x)",
        "inverted": "prob.inverted(prob.exp_bijector([n])).forward(x)",
        "real_numbers": "prob.real_numbers([n]).constrain(x)",
        "numbers_above": "prob.numbers_above(x).constrain(y)",
        "numbers_between": "prob.numbers_between(x, x + y).constrain(y)",
        "whole_numbers": "prob.whole_numbers(x, y).contains(x)",
        "shares": f"prob.shares([n // 16], 16).constrain({SHARES})",
        "ascending": "prob.ascending(n).constrain(x)",
        "correlation_factors": "[prob.correlation_factors(4).constrain(v) for v in reshape(x, [n // 16, 4, 4])]",
        "positive_definite_matrices": (
            "[prob.positive_definite_matrices(4).constrain(v) for v in reshape(x, [n // 16, 4, 4])]"
        ),
    }
)
DENSITY = "fn p -> -0.5 * sum(p * p)"
MATRIX = "reshape(x, [n // 64, 64])"
WITH_KEY: Mapping[str, str] = MappingProxyType(
    {
        "nuts": f"prob.nuts({DENSITY}, x, k, warmup=8, draws=8).log_density",
        "hmc": f"prob.hmc({DENSITY}, x, k, warmup=8, draws=8).log_density",
        "metropolis": f"prob.metropolis({DENSITY}, x, k, 0.1, warmup=8, draws=8).log_density",
        "slice": f"prob.slice({DENSITY}, x, k, 0.1, warmup=8, draws=8).log_density",
        "tempered_smc": (
            f"prob.tempered_smc({DENSITY}, {DENSITY}, reshape(x, [n // 64, 64]), k, stages=4, moves=2).particles"
        ),
        "advi_full_rank": f"prob.advi_full_rank({DENSITY}, x[:16], k, steps=8).mean + x[0]",
        "advi": f"prob.advi({DENSITY}, x, k, steps=8).mean",
        "particle_filter": (
            "prob.particle_filter(fn k -> random.normal(k), fn (s, k) -> s + random.normal(k), "
            "fn (s, v) -> -(s - v) ** 2, x, k, particles=64).log_evidence"
        ),
        "gibbs": "prob.gibbs(fn (s, k) -> s + random.normal(k, [n]), x, k, warmup=8, draws=8)",
        "metropolis_step": f"prob.metropolis_step({DENSITY}, x, 0.1, k)",
        "slice_step": f"prob.slice_step({DENSITY}, x, 0.1, k)",
        "hmc_step": f"prob.hmc_step({DENSITY}, x, 0.1, k)",
        "flow_init": "prob.flow_init(k, 2, n, 4).weight + x",
        "coupling_flow": "prob.coupling_flow(prob.flow_init(k, 2, n, 4)).forward(x)",
        "autoregressive_flow": "prob.autoregressive_flow(prob.flow_init(k, 2, n, 4)).inverse(x)",
        "maximum_likelihood": (
            "prob.maximum_likelihood(fn m -> prob.normal(m, 1.0), x[0], x, steps=8).log_density + x[0]"
        ),
        "advi_family": (
            f"prob.advi_family(fn m -> prob.normal(m, ones([n])), {DENSITY}, x, k, steps=8, samples=2).params"
        ),
        "map_estimate": f"prob.map_estimate({DENSITY}, x, steps=8).at",
        "laplace_approximation": f"prob.laplace_approximation({DENSITY}, x[:16], steps=8).mean + x[0]",
        "rhat": f"prob.rhat({MATRIX})",
        "ess_mean": f"prob.ess_mean({MATRIX})",
        "ess_bulk": f"prob.ess_bulk({MATRIX})",
        "ess_tail": f"prob.ess_tail({MATRIX})",
        "mcse_mean": f"prob.mcse_mean({MATRIX})",
        "summary": f"prob.summary({MATRIX})",
        "psis": "prob.psis(x)",
        "loo": f"prob.loo({MATRIX}.T).elpd",
    }
)

MODEL = """
def model(x: f32[n], y: f32[n]) -> f32[n] ! {prob.sample, prob.observe} =
    let z = prob.sample("z", prob.normal(x, 1.0))
    prob.observe("y", prob.normal(z, 1.0), y)
"""
"""A model of as many unknown numbers as there are elements."""
WITH_MODEL: Mapping[str, str] = MappingProxyType(
    {
        "log_joint": "prob.log_joint({z = x}, fn () -> model(x, y))",
        "log_likelihood": "prob.log_likelihood({z = x}, fn () -> model(x, y))",
        "unconstrained_zeros": "prob.unconstrained_zeros(fn () -> model(x, y)).z + x",
        "constrained": "prob.constrained({z = x}, fn () -> model(x, y)).0.z",
        "unconstrained_point": "prob.unconstrained_point({z = x}, fn () -> model(x, y)).z",
        "substitute": "prob.substitute({z = x}, fn () -> model(x, y))",
        "noncentred": "prob.log_joint({z = x}, fn () -> prob.noncentred(fn () -> model(x, y)))",
        "factor": 'prob.log_joint({z = x}, fn () -> prob.factor("f", model(x, y)[0]))',
        "draw_prior": "prob.draw_prior(random.key(0), fn () -> model(x, y)).z",
        "predict": "prob.predict(random.key(0), {z = x}, fn () -> model(x, y)).y",
    }
)


def distributions() -> Iterator[Row]:
    """A row for every function of `prob`."""
    rows = {name: (f"{START[:-2]}where n >= 16 and n % 16 == 0 = {call}", None) for name, call in CALLS.items()}
    yield from table(two, rows, "prob")
    sizes = "where n >= 128 and n % 64 == 0"
    chains = {
        name: (f"import random\ndef f(x: f32[n], k: key) {sizes} = {call}", None) for name, call in WITH_KEY.items()
    }
    yield from table(with_key, chains, "prob", drawn=True)
    models = {
        name: (f"import random\n{MODEL}def f(x: f32[n], y: f32[n]) = {call}", None) for name, call in WITH_MODEL.items()
    }
    yield from table(two, models, "prob", drawn=True)
