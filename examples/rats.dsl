# The growth of thirty rats (Gelfand et al. 1990): a line for each, whose weight and growth vary around those of all. The
# first example of BUGS, whose posterior is published.

import prob
import random

## The rats weigh `weight` at the age of 22 days, and gain `growth` each day. `y` are their weights on these days.
def rats(days: f32[t], y: f32[n, t]) -> f32[n, t] ! {prob.sample, prob.observe} =
    let mean_weight = prob.sample("mean_weight", prob.normal(0.0, 1000.0))
    let mean_growth = prob.sample("mean_growth", prob.normal(0.0, 1000.0))
    let of_weight = prob.sample("of_weight", prob.half_normal(100.0))
    let of_growth = prob.sample("of_growth", prob.half_normal(10.0))
    let noise = prob.sample("noise", prob.half_normal(100.0))
    let weight = prob.sample("weight", prob.normal(full([n], mean_weight), of_weight))
    let growth = prob.sample("growth", prob.normal(full([n], mean_growth), of_growth))
    let line = weight[:, None] + growth[:, None] * (days - 22.0)[None, :]
    prob.observe("y", prob.normal(line, noise), y)

## The weight at birth and the growth of all rats, the error of a measurement, and each rat's growth.
type Draws[c, k, n] = {
    birth: f32[c, k],
    growth: f32[c, k],
    noise: f32[c, k],
    each: f32[c, k, n],
    divergent: bool[c, k]
}

# The chains begin where all rats weigh what they do on average.
def chain(key: key, days: f32[t], y: f32[n, t], static warmup: size, static draws: size) -> {
    birth: f32[draws],
    growth: f32[draws],
    noise: f32[draws],
    each: f32[draws, n],
    divergent: bool[draws]
} where n >= 1 and t >= 1 =
    let zeros = prob.unconstrained_zeros(fn () -> rats(days, y))
    let start = {
        zeros with mean_weight = mean(y),
        weight = mean(y, axis=1),
        noise = log(f32(10)),
        of_weight = log(f32(10))
    }
    let density = fn at -> prob.constrained(at, fn () -> rats(days, y)).1
    let found = prob.nuts(density, start, key, warmup=warmup, draws=draws)
    let (values, _) = vmap(fn at -> prob.constrained(at, fn () -> rats(days, y)))(found.draws)
    let birth = values.mean_weight - 22.0 * values.mean_growth
    {
        birth = birth,
        growth = values.mean_growth,
        noise = values.noise,
        each = values.growth,
        divergent = found.divergent
    }

def chains(
    key: key,
    days: f32[t],
    y: f32[n, t],
    static count: size,
    static warmup: size,
    static draws: size
) -> Draws[count, draws, n]
    where n >= 1 and t >= 1 =
    vmap(fn k -> chain(k, days, y, warmup, draws))(random.split(key, count))

def report(found: Draws[c, k, n]) where c >= 1 and k >= 8 =
    {
        birth = prob.summary(found.birth),
        growth = prob.summary(found.growth),
        noise = prob.summary(found.noise)
    }
