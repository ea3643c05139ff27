"""Programs of physics, finance and geometry."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from tests.e2e.counterparts.counterpart import Counterpart

BLACK_SCHOLES = """
def cdf(x: f64[n]) -> f64[n] = 0.5 * (1.0 + erf(x / sqrt(2.0)))
def f(spot: f64[n], strike: f64[n], rate: f64, vol: f64, t: f64) -> f64 =
    let d1 = (log(spot / strike) + (rate + 0.5 * vol ** 2) * t) / (vol * sqrt(t))
    sum(spot * cdf(d1) - strike * exp(-rate * t) * cdf(d1 - vol * sqrt(t)))
"""


def black_scholes(spot: Any, strike: Any, rate: Any, vol: Any, t: Any) -> Any:
    def cdf(x: Any) -> Any:
        return 0.5 * (1.0 + jax.lax.erf(x / jnp.sqrt(2.0).astype(x.dtype)))

    d1 = (jnp.log(spot / strike) + (rate + 0.5 * vol**2) * t) / (vol * jnp.sqrt(t))
    return jnp.sum(spot * cdf(d1) - strike * jnp.exp(-rate * t) * cdf(d1 - vol * jnp.sqrt(t)))


N_BODY = """
type Bodies[n] = {x: f64[n, 3], v: f64[n, 3], m: f64[n]}
def accelerations(b: Bodies[n]) -> f64[n, 3] =
    let r = b.x[None, :, :] - b.x[:, None, :]
    let d2 = sum(r ** 2, axis=-1) + 1e-1
    sum(r * (b.m / d2 ** 1.5)[:, :, None], axis=1)

def step(b: Bodies[n], h: f64) -> Bodies[n] =
    let v = b.v + h * accelerations(b)
    {b with v = v, x = b.x + h * v}

def f(b: Bodies[n], h: f64) -> f64 =
    let last = fold b = b for _ in range(4) do step(b, h)
    0.5 * sum(b.m[:, None] * last.v ** 2) + sum(last.x ** 2)
"""


def n_body(b: Any, h: Any) -> Any:
    x, v, m = b["x"], b["v"], b["m"]
    for _ in range(4):
        r = x[None, :, :] - x[:, None, :]
        d2 = jnp.sum(r**2, axis=-1) + 1e-1
        v = v + h * jnp.sum(r * (m / d2**1.5)[:, :, None], axis=1)
        x = x + h * v
    return 0.5 * jnp.sum(m[:, None] * v**2) + jnp.sum(x**2)


EULER = """
def f(y0: f64[2], rate: f64, h: f64) -> f64 =
    let y = fold y = y0 for _ in range(10) do y + h * [y[1], -rate * sin(y[0])]
    sum(y ** 2)
"""


def euler(y: Any, rate: Any, h: Any) -> Any:
    def step(y: Any, _: Any) -> Any:
        return y + h * jnp.stack([y[1], -rate * jnp.sin(y[0])]), None

    return jnp.sum(jax.lax.scan(step, y, None, length=10)[0] ** 2)


RK4 = """
def rk4(g: (f64[n]) -> f64[n], y: f64[n], h: f64) -> f64[n] =
    let k1 = g(y)
    let k2 = g(y + 0.5 * h * k1)
    let k3 = g(y + 0.5 * h * k2)
    let k4 = g(y + h * k3)
    y + h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)

def lorenz(p: f64[3], s: f64[3]) -> f64[3] =
    let (x, y, z) = s
    [p[0] * (y - x), x * (p[1] - z) - y, x * y - p[2] * z]

def f(p: f64[3], h: f64, s: f64[3]) -> f64 =
    let (_, path) = scan s = s for _ in range(6) do
        let s = rk4(fn v -> lorenz(p, v), s, h)
        (s, s)
    mean(path ** 2)
"""


def rk4(p: Any, h: Any, s: Any) -> Any:
    def lorenz(s: Any) -> Any:
        x, y, z = s
        return jnp.stack([p[0] * (y - x), x * (p[1] - z) - y, x * y - p[2] * z])

    def step(s: Any, _: Any) -> Any:
        k1 = lorenz(s)
        k2 = lorenz(s + 0.5 * h * k1)
        k3 = lorenz(s + 0.5 * h * k2)
        k4 = lorenz(s + h * k3)
        s = s + h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)
        return s, s

    return jnp.mean(jax.lax.scan(step, s, None, length=6)[1] ** 2)


LOTKA = """
def f(rates: f64[4], start: f64[2], seen: f64[t, 2]) -> f64 =
    let (_, errors) = scan s = start for target in seen do
        let s = fold s = s for _ in range(5) do
            let (prey, hunters) = s
            s + 0.02 * [prey * (rates[0] - rates[1] * hunters), hunters * (rates[2] * prey - rates[3])]
        (s, sum((log(s) - log(target)) ** 2))
    sum(errors)
"""


def lotka(rates: Any, start: Any, seen: Any) -> Any:
    def step(s: Any, _: Any) -> Any:
        prey, hunters = s
        born, dead = prey * (rates[0] - rates[1] * hunters), hunters * (rates[2] * prey - rates[3])
        return s + 0.02 * jnp.stack([born, dead]), None

    def seen_one(s: Any, target: Any) -> Any:
        s, _ = jax.lax.scan(step, s, None, length=5)
        return s, jnp.sum((jnp.log(s) - jnp.log(target)) ** 2)

    return jnp.sum(jax.lax.scan(seen_one, start, seen)[1])


HEAT = """
def step(u: f64[h, w], k: f64) -> f64[h, w] where h >= 2 and w >= 2 =
    let inner = u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2] - 4.0 * u[1:-1, 1:-1]
    u.at[1:-1, 1:-1].add(k * inner)

def f(k: f64, u: f64[h, w]) -> f64 where h >= 2 and w >= 2 =
    sum((fold u = u for _ in range(4) do step(u, k)) ** 4)
"""


def heat(k: Any, u: Any) -> Any:
    for _ in range(4):
        inner = u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2] - 4.0 * u[1:-1, 1:-1]
        u = u.at[1:-1, 1:-1].add(k * inner)
    return jnp.sum(u**4)


WAVE = """
def f(speed: f64[n], u: f64[n]) -> f64 =
    let (last, before) = fold (now, before) = (u, u) for _ in range(5) do
        let bend = roll(now, shift=1, axis=0) + roll(now, shift=-1, axis=0) - 2.0 * now
        (2.0 * now - before + speed ** 2 * bend, now)
    sum(last * before) + sum(last ** 2)
"""


def wave(speed: Any, u: Any) -> Any:
    now = before = u
    for _ in range(5):
        bend = jnp.roll(now, 1) + jnp.roll(now, -1) - 2.0 * now
        now, before = 2.0 * now - before + speed**2 * bend, now
    return jnp.sum(now * before) + jnp.sum(now**2)


ISING = """
def f(coupling: f64, field: f64, s: f64[h, w]) -> f64 =
    let neighbours = roll(s, shift=1, axis=0) + roll(s, shift=1, axis=1)
    -coupling * sum(s * neighbours) - field * sum(s) + sum(log(2.0 * cosh(coupling * neighbours)))
"""


def ising(coupling: Any, field: Any, s: Any) -> Any:
    neighbours = jnp.roll(s, 1, axis=0) + jnp.roll(s, 1, axis=1)
    entropy = jnp.sum(jnp.log(2.0 * jnp.cosh(coupling * neighbours)))
    return -coupling * jnp.sum(s * neighbours) - field * jnp.sum(s) + entropy


LEAPFROG = """
def energy(q: f64[n], p: f64[n]) -> f64 = 0.5 * sum(p ** 2) + sum(1.0 - cos(q)) + 0.1 * sum(q[1:] * q[:-1])
def f(q: f64[n], p: f64[n], h: f64) -> f64 where n >= 1 =
    let (q, p) = fold (q, p) = (q, p) for _ in range(3) do
        let p = p - 0.5 * h * grad(energy, argnums=0)(q, p)
        let q = q + h * grad(energy, argnums=1)(q, p)
        (q, p - 0.5 * h * grad(energy, argnums=0)(q, p))
    energy(q, p) + sum(q)
"""


def leapfrog(q: Any, p: Any, h: Any) -> Any:
    def energy(q: Any, p: Any) -> Any:
        return 0.5 * jnp.sum(p**2) + jnp.sum(1.0 - jnp.cos(q)) + 0.1 * jnp.sum(q[1:] * q[:-1])

    for _ in range(3):
        p = p - 0.5 * h * jax.grad(energy, argnums=0)(q, p)
        q = q + h * jax.grad(energy, argnums=1)(q, p)
        p = p - 0.5 * h * jax.grad(energy, argnums=0)(q, p)
    return energy(q, p) + jnp.sum(q)


BUNDLE = """
def rotated(r: f64[3], x: f64[3]) -> f64[3] =
    let angle = sqrt(r @ r)
    let axis = r / angle
    x * cos(angle) + cross(axis, x) * sin(angle) + axis * (axis @ x) * (1.0 - cos(angle))

def residual(camera: f64[11], x: f64[3], w: f64, seen: f64[2]) -> f64[2] =
    let (u, v, depth) = rotated(camera[:3], x - camera[3:6])
    let p: f64[2] = [u / depth, v / depth]
    let r2 = p @ p
    w * (p * (1.0 + camera[9] * r2 + camera[10] * r2 ** 2) * camera[6] + camera[7:9] - seen)

def f(cameras: f64[n, 11], xs: f64[n, 3], ws: f64[n], seen: f64[n, 2]) -> f64 =
    0.5 * sum([sum(residual(c, x, w, s) ** 2) for c, x, w, s in zip(cameras, xs, ws, seen)])
"""


def bundle(cameras: Any, xs: Any, ws: Any, seen: Any) -> Any:
    def residual(camera: Any, x: Any, w: Any, target: Any) -> Any:
        angle = jnp.sqrt(camera[:3] @ camera[:3])
        axis, x = camera[:3] / angle, x - camera[3:6]
        turned = x * jnp.cos(angle) + jnp.cross(axis, x) * jnp.sin(angle)
        turned = turned + axis * (axis @ x) * (1.0 - jnp.cos(angle))
        p = turned[:2] / turned[2]
        r2 = p @ p
        image = p * (1.0 + camera[9] * r2 + camera[10] * r2**2) * camera[6] + camera[7:9]
        return jnp.sum((w * (image - target)) ** 2)

    return 0.5 * jnp.sum(jax.vmap(residual)(cameras, xs, ws, seen))


LENNARD_JONES = """
def f(epsilon: f64, sigma: f64, x: f64[n, 3]) -> f64 =
    let pairs = [
        if i < j then
            let s6 = (sigma ** 2 / sum((x[i] - x[j]) ** 2)) ** 3
            4.0 * epsilon * (s6 ** 2 - s6)
        else 0.0
        for i in range(n), j in range(n)
    ]
    sum(pairs)
"""


def lennard_jones(epsilon: Any, sigma: Any, x: Any) -> Any:
    total = jnp.zeros((), x.dtype)
    for i in range(len(x)):
        for j in range(i + 1, len(x)):
            s6 = (sigma**2 / jnp.sum((x[i] - x[j]) ** 2)) ** 3
            total = total + 4.0 * epsilon * (s6**2 - s6)
    return total


BINOMIAL = """
def f(spot: f64, strike: f64, rate: f64, vol: f64) -> f64 =
    let up = exp(vol * sqrt(0.1))
    let p = (exp(rate * 0.1) - 1.0 / up) / (up - 1.0 / up)
    let prices = spot * up ** f64(2 * arange(9) - 8)
    let values = fold v = maximum(prices - strike, 0.0) for _ in range(8) do
        let ahead = exp(-rate * 0.1) * (p * v[1:] + (1.0 - p) * v[:-1])
        concatenate((ahead, zeros([1], f64)))
    values[0]
"""


def binomial(spot: Any, strike: Any, rate: Any, vol: Any) -> Any:
    up = jnp.exp(vol * jnp.sqrt(jnp.asarray(0.1, spot.dtype)))
    p = (jnp.exp(rate * 0.1) - 1.0 / up) / (up - 1.0 / up)
    v = jnp.maximum(spot * up ** (2 * jnp.arange(9) - 8).astype(spot.dtype) - strike, 0.0)
    for _ in range(8):
        v = jnp.exp(-rate * 0.1) * (p * v[1:] + (1.0 - p) * v[:-1])
    return v[0]


BROWNIAN = """
def f(s0: f64, mu: f64, sigma: f64, z: f64[n, t]) -> f64 where n >= 1 and t >= 1 =
    let paths = s0 * exp(cumsum((mu - 0.5 * sigma ** 2) * 0.1 + sigma * sqrt(0.1) * z, axis=1))
    mean(maximum(mean(paths, axis=1) - 1.0, 0.0)) + mean(max(paths, axis=1))
"""


def brownian(s0: Any, mu: Any, sigma: Any, z: Any) -> Any:
    paths = s0 * jnp.exp(jnp.cumsum((mu - 0.5 * sigma**2) * 0.1 + sigma * 0.1**0.5 * z, axis=1))
    return jnp.mean(jnp.maximum(jnp.mean(paths, axis=1) - 1.0, 0.0)) + jnp.mean(jnp.max(paths, axis=1))


def _bodies(d: Any) -> dict[str, Any]:
    return {"x": d.normal(3, 3), "v": d.normal(3, 3), "m": d.positive(3)}


def _camera(d: Any) -> Any:
    return np.add(d.normal(3, 11, scale=0.1), [0.3, 0.2, -0.4, 0, 0, -4, 2, 0, 0, 0, 0])


PROGRAMS = (
    Counterpart(
        "black_scholes",
        BLACK_SCHOLES,
        black_scholes,
        lambda d: (d.positive(4), d.positive(4), d.positive() * 0.1, d.positive(), d.positive()),
    ),
    Counterpart("n_body", N_BODY, n_body, lambda d: (_bodies(d), d.positive() * 0.1)),
    Counterpart("euler_pendulum", EULER, euler, lambda d: (d.normal(2), d.positive(), d.positive() * 0.1)),
    Counterpart("rk4_lorenz", RK4, rk4, lambda d: (d.positive(3), d.positive() * 0.05, d.normal(3))),
    Counterpart("lotka_volterra_fit", LOTKA, lotka, lambda d: (d.positive(4), d.positive(2), d.positive(3, 2))),
    Counterpart("heat_equation", HEAT, heat, lambda d: (d.positive() * 0.1, d.normal(5, 6))),
    Counterpart("wave_equation", WAVE, wave, lambda d: (d.positive(6) * 0.5, d.normal(6))),
    Counterpart("ising_energy", ISING, ising, lambda d: (d.positive(), d.normal(), d.normal(3, 4))),
    Counterpart("leapfrog", LEAPFROG, leapfrog, lambda d: (d.normal(3), d.normal(3), d.positive() * 0.2)),
    Counterpart(
        "bundle_adjustment",
        BUNDLE,
        bundle,
        lambda d: (_camera(d), d.normal(3, 3), d.positive(3), d.normal(3, 2)),
    ),
    Counterpart("lennard_jones", LENNARD_JONES, lennard_jones, lambda d: (d.positive(), d.positive(), d.normal(4, 3))),
    Counterpart(
        "binomial_tree",
        BINOMIAL,
        binomial,
        lambda d: (d.positive(), d.positive() * 0.7, d.positive() * 0.1, d.positive() * 0.4),
    ),
    Counterpart(
        "asian_option",
        BROWNIAN,
        brownian,
        lambda d: (d.positive(), d.normal() * 0.1, d.positive() * 0.5, d.normal(4, 5)),
    ),
)
