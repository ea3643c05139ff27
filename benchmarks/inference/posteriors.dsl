# Eight posteriors of posteriordb, in double precision. Each model gives the numbers whose means are compared.

import linalg
import prob
import random

def positive(scale: f64) -> prob.Dist[f64] = prob.half_normal(scale)

def schools(y: f64[n], sigma: f64[n]) -> f64[n + 2] ! {prob.sample, prob.observe} =
    let mu = prob.sample("mu", prob.normal(f64(0), f64(5)))
    let tau = prob.sample("tau", prob.half_cauchy(f64(5)))
    let z = prob.sample("z", prob.normal(zeros([n], f64), f64(1)))
    let _ = prob.observe("y", prob.normal(mu + tau * z, sigma), y)
    concatenate((mu + tau * z, stack((mu, tau))))

def autoregression(y: f64[n]) -> f64[7] ! {prob.sample, prob.observe} where n >= 6 =
    let alpha = prob.sample("alpha", prob.normal(f64(0), f64(10)))
    let beta = prob.sample("beta", prob.normal(zeros([5], f64), f64(10)))
    let sigma = prob.sample("sigma", prob.half_cauchy(f64(2.5)))
    let before = stack((y[4 : n - 1], y[3 : n - 2], y[2 : n - 3], y[1 : n - 4], y[: n - 5]), axis=1)
    let _ = prob.observe("y", prob.normal(alpha + before @ beta, sigma), y[5:])
    concatenate((stack((alpha,)), beta, stack((sigma,))))

def garch(y: f64[n], sigma1: f64) -> f64[4] ! {prob.sample, prob.observe} where n >= 1 =
    let mu = prob.sample("mu", prob.flat(prob.real_numbers([], f64)))
    let alpha0 = prob.sample("alpha0", prob.flat(prob.numbers_above(f64(0))))
    let alpha1 = prob.sample("alpha1", prob.flat(prob.numbers_between(f64(0), f64(1))))
    let beta1 = prob.sample("beta1", prob.flat(prob.numbers_between(f64(0), 1.0 - alpha1)))
    let (_, later) = scan v = sigma1 * sigma1 for each in y[: n - 1] do
        let next = alpha0 + alpha1 * (each - mu) ** 2 + beta1 * v
        (next, next)
    let _ = prob.observe(
        "y",
        prob.normal(mu, sqrt(concatenate((stack((sigma1 * sigma1,)), later)))),
        y
    )
    stack((mu, alpha0, alpha1, beta1))

def covariance(x: f64[n], alpha: f64, rho: f64, extra: f64) -> f64[n, n] =
    square(alpha) * exp(-0.5 * square((x[:, None] - x[None, :]) / rho)) + extra * eye(n, f64)

def gaussian_process(x: f64[n], y: f64[n]) -> f64[3] ! {prob.sample, prob.observe} =
    let rho = prob.sample("rho", prob.gamma(f64(25), f64(4)))
    let alpha = prob.sample("alpha", positive(2.0))
    let sigma = prob.sample("sigma", positive(1.0))
    let _ = prob.observe(
        "y",
        prob.multivariate_normal(zeros([n], f64), covariance(x, alpha, rho, sigma)),
        y
    )
    stack((rho, alpha, sigma))

def poisson_process(x: f64[n], k: f64[n]) -> f64[n + 2] ! {prob.sample, prob.observe} =
    let rho = prob.sample("rho", prob.gamma(f64(25), f64(4)))
    let alpha = prob.sample("alpha", positive(2.0))
    let z = prob.sample("z", prob.normal(zeros([n], f64), f64(1)))
    let f = linalg.cholesky(covariance(x, alpha, rho, 1e-10)) @ z
    let _ = prob.observe("k", prob.poisson(exp(f)), k)
    concatenate((stack((rho, alpha)), f))

def kid_scores(x: f64[n], y: f64[n]) -> f64[3] ! {prob.sample, prob.observe} =
    let beta = prob.sample("beta", prob.flat(prob.real_numbers([2], f64)))
    let sigma = prob.sample("sigma", prob.half_cauchy(f64(2.5)))
    let _ = prob.observe("y", prob.normal(beta[0] + beta[1] * x, sigma), y)
    concatenate((beta, stack((sigma,))))

def mixture(y: f64[n]) -> f64[5] ! {prob.sample, prob.observe} =
    let mu = prob.sample("mu", prob.flat(prob.ascending(2, f64)))
    let sigma = prob.sample("sigma", prob.half_normal(full([2], f64(2))))
    let theta = prob.sample("theta", prob.beta(f64(5), f64(5)))
    let _ = prob.factor("mu_prior", prob.normal(zeros([2], f64), f64(2)).log_density(mu))
    let first = log(theta) - 0.5 * square((y - mu[0]) / sigma[0]) - log(sigma[0])
    let second = log1p(-theta) - 0.5 * square((y - mu[1]) / sigma[1]) - log(sigma[1])
    let _ = prob.factor("y", sum(logaddexp(first, second)))
    concatenate((mu, sigma, stack((theta,))))

def regression(x: f64[n, d], y: f64[n]) -> f64[d + 1] ! {prob.sample, prob.observe} =
    let beta = prob.sample("beta", prob.normal(zeros([d], f64), f64(10)))
    let sigma = prob.sample("sigma", positive(10.0))
    let _ = prob.observe("y", prob.normal(x @ beta, sigma), y)
    concatenate((beta, stack((sigma,))))

## The numbers of each draw, whether it diverged, how many gradients it took, and the length of a step.
type Found[c, k, m] = {
    values: f64[c, k, m],
    divergent: bool[c, k],
    gradients: i32[c, k],
    step_size: f64[c]
}
# Places of the unconstrained space, uniform between -2 and 2.
def anywhere[P: VSpace[Float]](k: key, like: P) -> P =
    with rng(k) do tree_map(fn x -> 4.0 * random.uniform(fresh_key(), x.shape, x.dtype) - 2.0, like)
def chain[P: VSpace[f64], O: Tree](
    k: key,
    model: () -> f64[m] ! {prob.sample(P), prob.observe(O)},
    static warmup: size,
    static draws: size
) -> {values: f64[draws, m], divergent: bool[draws], gradients: i32[draws], step_size: f64} =
    let keys = random.split(k)
    let start = anywhere(keys[0], prob.unconstrained_zeros(model))
    let found = prob.nuts(
        fn at -> prob.constrained(at, model, dtype=f64).1,
        start,
        keys[1],
        warmup=warmup,
        draws=draws
    )
    let values = vmap(
        fn at -> prob.substitute(prob.constrained(at, model, dtype=f64).0, model)
    )(found.draws)
    {
        values = values,
        divergent = found.divergent,
        gradients = found.gradients,
        step_size = found.step_size
    }

def chains_of_schools(
    ks: key[c],
    y: f64[n],
    sigma: f64[n],
    static warmup: size,
    static draws: size
) -> Found[c, draws, n + 2] =
    vmap(fn k -> chain(k, fn () -> schools(y, sigma), warmup, draws))(ks)
def chains_of_autoregression(
    ks: key[c],
    y: f64[n],
    static warmup: size,
    static draws: size
) -> Found[c, draws, 7] where n >= 6 =
    vmap(fn k -> chain(k, fn () -> autoregression(y), warmup, draws))(ks)
def chains_of_garch(
    ks: key[c],
    y: f64[n],
    sigma1: f64,
    static warmup: size,
    static draws: size
) -> Found[c, draws, 4] where n >= 1 =
    vmap(fn k -> chain(k, fn () -> garch(y, sigma1), warmup, draws))(ks)
def chains_of_gaussian_process(
    ks: key[c],
    x: f64[n],
    y: f64[n],
    static warmup: size,
    static draws: size
) -> Found[c, draws, 3] =
    vmap(fn k -> chain(k, fn () -> gaussian_process(x, y), warmup, draws))(ks)
def chains_of_poisson_process(
    ks: key[c],
    x: f64[n],
    k: f64[n],
    static warmup: size,
    static draws: size
) -> Found[c, draws, n + 2] =
    vmap(fn each -> chain(each, fn () -> poisson_process(x, k), warmup, draws))(ks)
def chains_of_kid_scores(
    ks: key[c],
    y: f64[n],
    x: f64[n],
    static warmup: size,
    static draws: size
) -> Found[c, draws, 3] =
    vmap(fn k -> chain(k, fn () -> kid_scores(x, y), warmup, draws))(ks)
def chains_of_mixture(
    ks: key[c],
    y: f64[n],
    static warmup: size,
    static draws: size
) -> Found[c, draws, 5] =
    vmap(fn k -> chain(k, fn () -> mixture(y), warmup, draws))(ks)
def chains_of_regression(
    ks: key[c],
    y: f64[n],
    x: f64[n, d],
    static warmup: size,
    static draws: size
) -> Found[c, draws, d + 1] =
    vmap(fn k -> chain(k, fn () -> regression(x, y), warmup, draws))(ks)

def judged(x: f64[c, n]) -> {
    mean: f64,
    sd: f64,
    mcse: f64,
    ess_bulk: f64,
    ess_tail: f64,
    rhat: f64
} where c >= 1 and n >= 8 =
    prob.summary(x)
