# Hamiltonian Monte Carlo: draws from the posterior of a logistic regression, by several chains at once.

import nn
from random import normal, uniform

type Params[d] = {w: f32[d], b: f32}

def squares(p: Params[d]) -> f32 = tree_reduce(fn (total, leaf) -> total + sum(leaf ** 2), p, 0.0)

## The logarithm of the density of the parameters given the data, up to a constant.
def log_density(p: Params[d], x: f32[n, d], y: f32[n]) -> f32 =
    let z = x @ p.w + p.b
    sum(y * z - nn.softplus(z)) - 0.5 * squares(p)

def noise(p: Params[d]) -> Params[d] ! rand =
    tree_map(fn leaf -> normal(fresh_key(), leaf.shape), p)

def leapfrog(density: (Params[d]) -> f32, p: Params[d], v: Params[d], step: f32, static steps: int)
    -> (Params[d], Params[d]) =
    fold (p, v) = (p, v + 0.5 * step * grad(density)(p)) for i in range(steps) do
        let p = p + step * v
        (p, v + (if i + 1 < steps then step else 0.5 * step) * grad(density)(p))

## The next place of a chain, and whether it is another one.
def move(
    density: (Params[d]) -> f32,
    p: Params[d],
    step: f32,
    static steps: int
) -> (Params[d], bool) ! rand =
    let v = noise(p)
    let (q, w) = leapfrog(density, p, v, step, steps)
    let gain = density(q) - density(p) - 0.5 * (squares(w) - squares(v))
    let accepted = log(uniform(fresh_key(), [])) < gain
    (if accepted then q else p, accepted)

def chain(
    start: Params[d],
    x: f32[n, d],
    y: f32[n],
    step: f32,
    static steps: int,
    static draws: int
) -> (Params[d][draws], f32) ! rand where draws >= 1 =
    let (_, (places, accepted)) = scan p = start for _ in range(draws) do
        let (p, accepted) = move(fn p -> log_density(p, x, y), p, step, steps)
        (p, (p, f32(accepted)))
    (places, mean(accepted))

## The draws of several chains, and the share of proposals that each of them took.
def sample(
    starts: Params[d][c],
    x: f32[n, d],
    y: f32[n],
    step: f32,
    *,
    static steps: int = 8,
    static draws: int
) -> (Params[d][draws][c], f32[c]) ! rand where draws >= 1 =
    vmap(fn start -> chain(start, x, y, step, steps, draws))(starts)
