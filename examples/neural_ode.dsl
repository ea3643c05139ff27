# A neural ordinary differential equation (Chen et al. 2018): a network is the slope of a curve, and learns it from points
# of the curve. The gradient goes through the steps of the solver.

import ode
import optim
import random

type Net[h] = {a: f32[h, 2], b: f32[h], c: f32[2, h], d: f32[2]}

def first(k: key, static h: size) -> Net[h] where h >= 1 =
    let ks = random.split(k)
    {
        a = random.normal(ks[0], [h, 2]),
        b = zeros([h]),
        c = 0.3 * random.normal(ks[1], [2, h]) / sqrt(f32(h)),
        d = zeros([2])
    }

## The slope at y, of which the cubes are features, as the curve is one of cubes.
def slope(p: Net[h], y: f32[2]) -> f32[2] = p.c @ tanh(p.a @ (y ** 3) + p.b) + p.d

## The curve from y0 at the times ts, by the network.
def curve(
    p: Net[h],
    y0: f32[2],
    ts: f32[m],
    static max_steps: size = 1000
) -> f32[m, 2] where m >= 1 =
    ode.solve(
        fn (t, y) -> slope(p, y),
        y0,
        ts[0],
        ts[-1],
        ode.tsit5(),
        save=ts,
        rtol=1e-3,
        atol=1e-4,
        max_steps=max_steps
    ).saved

## The curve that is to be learned, a spiral.
def spiral(y0: f32[2], ts: f32[m]) -> f32[m, 2] where m >= 1 =
    let turn: f32[2, 2] = [[-0.1, 2.0], [-2.0, -0.1]]
    ode.solve(
        fn (t, y) -> turn @ (y ** 3),
        y0,
        ts[0],
        ts[-1],
        ode.dopri5(),
        save=ts,
        rtol=1e-5,
        atol=1e-6
    ).saved

def loss(p: Net[h], starts: f32[n, 2], ts: f32[m], curves: f32[n, m, 2]) -> f32 where m >= 1 =
    mean((vmap(fn y -> curve(p, y, ts, 64))(starts) - curves) ** 2)

def rule(g: Net[h], rate: f32) -> Net[h] ! optim.memory =
    optim.adam(optim.clip_by_global_norm(g, 1.0), rate)

## So many steps of Adam from random parts of the spiral, `n` points of m times each; the losses.
def train(
    k: key,
    ts: f32[l],
    rate: f32,
    static h: size,
    static steps: size,
    static n: size,
    static m: size
) -> (Net[h], f32[steps])
    where h >= 1 and m >= 1 and m <= l =
    let ks = random.split(k)
    let p: Net[h] = first(ks[0], h)
    let whole = spiral([2.0, 0.0], ts)
    let ((p, _), losses) =
        scan (p, kept) = (
            p,
            optim.begin(fn () -> rule(p, rate))
        ) for now in random.split(ks[1], steps) do
            let at = random.randint(now, [n], 0, l - m + 1)
            let curves = [[whole.at[i + j].get(mode="clip") for j in range(m)] for i in at]
            let (value, g) = value_and_grad(loss)(p, curves[:, 0], ts[:m], curves)
            let (updates, kept) = optim.step(kept, fn () -> rule(g, rate))
            ((p + updates, kept), value)
    (p, losses)
