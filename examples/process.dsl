# A Gaussian process through eleven points: how far a function stays alike, how much it varies, and how exact the points
# are, by NUTS, and the function between the points.

import linalg
import prob
import random

def covariance(x: f64[n], z: f64[m], amplitude: f64, length: f64) -> f64[n, m] =
    square(amplitude) * exp(-0.5 * square((x[:, None] - z[None, :]) / length))

## Functions vary by `amplitude` and stay alike over `length`; `noise` is the variance of a point.
def process(x: f64[n], y: f64[n]) -> f64[n] ! {prob.sample, prob.observe} =
    let length = prob.sample("length", prob.gamma(f64(25), f64(4)))
    let amplitude = prob.sample("amplitude", prob.half_normal(f64(2)))
    let noise = prob.sample("noise", prob.half_normal(f64(1)))
    let whole = covariance(x, x, amplitude, length) + noise * eye(n, f64)
    prob.observe("y", prob.multivariate_normal(zeros([n], f64), whole), y)

## The parameters of each draw, and the mean of the function at other places.
type Draws[c, k, m] = {
    length: f64[c, k],
    amplitude: f64[c, k],
    noise: f64[c, k],
    mean: f64[c, k, m],
    divergent: bool[c, k]
}

def between(z: f64[m], x: f64[n], y: f64[n], p: process.sample) -> f64[m] =
    let whole = covariance(x, x, p.amplitude, p.length) + p.noise * eye(n, f64)
    covariance(z, x, p.amplitude, p.length) @ linalg.cho_solve(linalg.cholesky(whole), y)

def chain(key: key, x: f64[n], y: f64[n], z: f64[m], static warmup: size, static draws: size) -> {
    length: f64[draws],
    amplitude: f64[draws],
    noise: f64[draws],
    mean: f64[draws, m],
    divergent: bool[draws]
} =
    let model = fn () -> process(x, y)
    let density = fn at -> prob.constrained(at, model, dtype=f64).1
    let found = prob.nuts(density, prob.unconstrained_zeros(model), key, warmup=warmup, draws=draws)
    let (values, _) = vmap(fn at -> prob.constrained(at, model, dtype=f64))(found.draws)
    {
        length = values.length,
        amplitude = values.amplitude,
        noise = values.noise,
        mean = vmap(fn p -> between(z, x, y, p))(values),
        divergent = found.divergent
    }

def chains(
    key: key,
    x: f64[n],
    y: f64[n],
    z: f64[m],
    static count: size,
    static warmup: size,
    static draws: size
) -> Draws[count, draws, m] =
    vmap(fn k -> chain(k, x, y, z, warmup, draws))(random.split(key, count))

def report(found: Draws[c, k, m]) where c >= 1 and k >= 8 =
    {
        length = prob.summary(found.length),
        amplitude = prob.summary(found.amplitude),
        noise = prob.summary(found.noise)
    }
