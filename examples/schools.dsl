# Eight schools, each of which measured the effect of coaching (Rubin 1981): how much of the differences between them is
# chance? A hierarchical model, its posterior by NUTS, and whether the chains agree.

import prob
import random

## The effects theta of the schools vary around mu by tau; y are the estimates, with standard errors sigma. The effects are
## mu + tau z, which has no narrow funnel where tau is small.
def schools(y: f32[n], sigma: f32[n]) -> f32[n] ! {prob.sample, prob.observe} =
    let mu = prob.sample("mu", prob.normal(0.0, 5.0))
    let tau = prob.sample("tau", prob.half_cauchy(5.0))
    let z = prob.sample("z", prob.normal(zeros([n]), 1.0))
    prob.observe("y", prob.normal(mu + tau * z, sigma), y)

## What a chain gives: mu, tau and theta of each draw, and whether the step diverged.
type Draws[c, k, n] = {mu: f32[c, k], tau: f32[c, k], theta: f32[c, k, n], divergent: bool[c, k]}

def chain(key: key, y: f32[n], sigma: f32[n], static warmup: size, static draws: size) -> {
    mu: f32[draws],
    tau: f32[draws],
    theta: f32[draws, n],
    divergent: bool[draws]
} =
    let start = prob.unconstrained_zeros(fn () -> schools(y, sigma))
    let density = fn at -> prob.constrained(at, fn () -> schools(y, sigma)).1
    let found = prob.nuts(density, start, key, warmup=warmup, draws=draws)
    let (values, _) = vmap(fn at -> prob.constrained(at, fn () -> schools(y, sigma)))(found.draws)
    let theta = values.mu[:, None] + values.tau[:, None] * values.z
    {mu = values.mu, tau = values.tau, theta = theta, divergent = found.divergent}

def chains(
    key: key,
    y: f32[n],
    sigma: f32[n],
    static count: size,
    static warmup: size,
    static draws: size
) -> Draws[count, draws, n] =
    vmap(fn k -> chain(k, y, sigma, warmup, draws))(random.split(key, count))

def report(found: Draws[c, k, n]) where c >= 1 and k >= 8 =
    {mu = prob.summary(found.mu), tau = prob.summary(found.tau)}
