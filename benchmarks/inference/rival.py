"""The posteriors of `posteriors.dsl` as models of NumPyro, and chains of its NUTS, compiled as one program.

The program is made of NumPyro's functions of states (`numpyro.infer.hmc.hmc`), which are faster than its class `MCMC`:
they are compiled once, and nothing of Python runs between the draws.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from types import MappingProxyType
from typing import Any

import jax
import jax.numpy as jnp
import numpyro
import numpyro.distributions as dist
from numpyro.distributions import constraints
from numpyro.infer.hmc import hmc
from numpyro.infer.util import initialize_model

Draw = tuple[Any, Any, Any, Any]


def schools(y: Any, sigma: Any) -> Any:
    mu = numpyro.sample("mu", dist.Normal(0, 5))
    tau = numpyro.sample("tau", dist.HalfCauchy(5))
    z = numpyro.sample("z", dist.Normal(jnp.zeros(len(y)), 1))
    theta = mu + tau * z
    numpyro.sample("obs", dist.Normal(theta, sigma), obs=y)
    return jnp.concatenate([theta, jnp.stack([mu, tau])])


def autoregression(y: Any) -> Any:
    alpha = numpyro.sample("alpha", dist.Normal(0, 10))
    beta = numpyro.sample("beta", dist.Normal(jnp.zeros(5), 10))
    sigma = numpyro.sample("sigma", dist.HalfCauchy(2.5))
    n = len(y)
    before = jnp.stack([y[4 - k : n - 1 - k] for k in range(5)], axis=1)
    numpyro.sample("obs", dist.Normal(alpha + before @ beta, sigma), obs=y[5:])
    return jnp.concatenate([alpha[None], beta, sigma[None]])


def _flat(name: str, support: Any, shape: tuple[int, ...] = ()) -> Any:
    return numpyro.sample(name, dist.ImproperUniform(support, (), shape))


def garch(y: Any, sigma1: Any) -> Any:
    mu = _flat("mu", constraints.real)
    alpha0 = _flat("alpha0", constraints.positive)
    alpha1 = _flat("alpha1", constraints.unit_interval)
    share = _flat("share", constraints.unit_interval)
    numpyro.factor("change", jnp.log1p(-alpha1))
    beta1 = share * (1 - alpha1)

    def step(variance: Any, before: Any) -> tuple[Any, Any]:
        after = alpha0 + alpha1 * (before - mu) ** 2 + beta1 * variance
        return after, after

    _, later = jax.lax.scan(step, sigma1**2, y[:-1])
    numpyro.sample("obs", dist.Normal(mu, jnp.sqrt(jnp.concatenate([sigma1[None] ** 2, later]))), obs=y)
    return jnp.stack([mu, alpha0, alpha1, beta1])


def _covariance(x: Any, alpha: Any, rho: Any, extra: Any) -> Any:
    return alpha**2 * jnp.exp(-0.5 * ((x[:, None] - x) / rho) ** 2) + extra * jnp.eye(len(x))


def gaussian_process(x: Any, y: Any) -> Any:
    rho = numpyro.sample("rho", dist.Gamma(25, 4))
    alpha = numpyro.sample("alpha", dist.HalfNormal(2))
    sigma = numpyro.sample("sigma", dist.HalfNormal(1))
    factor = jnp.linalg.cholesky(_covariance(x, alpha, rho, sigma))
    numpyro.sample("obs", dist.MultivariateNormal(jnp.zeros(len(x)), scale_tril=factor), obs=y)
    return jnp.stack([rho, alpha, sigma])


def poisson_process(x: Any, k: Any) -> Any:
    rho = numpyro.sample("rho", dist.Gamma(25, 4))
    alpha = numpyro.sample("alpha", dist.HalfNormal(2))
    z = numpyro.sample("z", dist.Normal(jnp.zeros(len(x)), 1))
    f = jnp.linalg.cholesky(_covariance(x, alpha, rho, 1e-10)) @ z
    numpyro.sample("obs", dist.Poisson(jnp.exp(f)), obs=k)
    return jnp.concatenate([jnp.stack([rho, alpha]), f])


def kid_scores(x: Any, y: Any) -> Any:
    beta = _flat("beta", constraints.real_vector, (2,))
    sigma = numpyro.sample("sigma", dist.HalfCauchy(2.5))
    numpyro.sample("obs", dist.Normal(beta[0] + beta[1] * x, sigma), obs=y)
    return jnp.concatenate([beta, sigma[None]])


def mixture(y: Any) -> Any:
    mu = numpyro.sample("mu", dist.ImproperUniform(constraints.ordered_vector, (), (2,)))
    sigma = numpyro.sample("sigma", dist.HalfNormal(jnp.full(2, 2.0)))
    theta = numpyro.sample("theta", dist.Beta(5, 5))
    numpyro.factor("mu_prior", jnp.sum(dist.Normal(0, 2).log_prob(mu)))
    first, second = (-0.5 * ((y - mu[i]) / sigma[i]) ** 2 - jnp.log(sigma[i]) for i in (0, 1))
    numpyro.factor("obs", jnp.sum(jnp.logaddexp(jnp.log(theta) + first, jnp.log1p(-theta) + second)))
    return jnp.concatenate([mu, sigma, theta[None]])


def regression(x: Any, y: Any) -> Any:
    beta = numpyro.sample("beta", dist.Normal(jnp.zeros(x.shape[1]), 10))
    sigma = numpyro.sample("sigma", dist.HalfNormal(10))
    numpyro.sample("obs", dist.Normal(x @ beta, sigma), obs=y)
    return jnp.concatenate([beta, sigma[None]])


MODELS: Mapping[str, Callable[..., Any]] = MappingProxyType(
    {
        f.__name__: f
        for f in (schools, autoregression, garch, gaussian_process, poisson_process, kid_scores, mixture, regression)
    }
)


def chains(name: str, data: Mapping[str, Any], warmup: int, draws: int, together: bool) -> Callable[[Any], Draw]:
    """A compiled function of keys, one for each chain: the numbers of each draw, whether it diverged, how many
    gradients it took, and the length of a step. The chains run `together`, as one batch, or one after the other."""
    numpyro.enable_x64()
    model, given = MODELS[name], {k: jnp.asarray(v, jnp.float64) for k, v in data.items()}
    found = initialize_model(jax.random.PRNGKey(0), model, model_kwargs=given, dynamic_args=False)
    like = found.param_info.z
    start, move = hmc(found.potential_fn, algo="NUTS")

    def value(z: Any) -> Any:
        values = found.postprocess_fn(z)
        return numpyro.handlers.substitute(numpyro.handlers.seed(model, 0), values)(**given)

    def chain(key: Any) -> Draw:
        keys = jax.random.split(key)
        places = jax.tree.map(lambda x: jax.random.uniform(keys[0], x.shape, x.dtype, -2.0, 2.0), like)
        state = start(places, num_warmup=warmup, rng_key=keys[1])
        state = jax.lax.fori_loop(0, warmup, lambda _, s: move(s), state)

        def step(state: Any, _: None) -> tuple[Any, Any]:
            state = move(state)
            return state, (state.z, state.diverging, state.num_steps)

        state, (places, diverging, steps) = jax.lax.scan(step, state, None, draws)
        return jax.vmap(value)(places), diverging, steps, state.adapt_state.step_size

    return jax.jit(jax.vmap(chain) if together else partial(jax.lax.map, chain))
