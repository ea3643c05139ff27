"""Programs of numerics: solvers, interpolation, sorting, scatter, rules of one's own."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from tests.e2e.counterparts.counterpart import Counterpart

NEWTON = """
def f(a: f64) -> f64 =
    let x = iterate x = a while abs(x ** 3 - a) > 1e-3 limit 30 do x - (x ** 3 - a) / (3.0 * x ** 2)
    x ** 2 + a
"""


def newton(a: Any) -> Any:
    def step(x: Any, _: Any) -> Any:
        return jnp.where(jnp.abs(x**3 - a) > 1e-3, x - (x**3 - a) / (3.0 * x**2), x), None

    x, _ = jax.lax.scan(step, a, None, length=30)
    return x**2 + a


OPTIMISER = """
import linalg
def rosenbrock(x: f64[n]) -> f64 = sum(10.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2)
def f(x: f64[n]) -> f64 where n >= 1 =
    let h = hessian(rosenbrock)(x) + 5.0 * eye(n, f64)
    sum((x - linalg.solve(h, grad(rosenbrock)(x))) ** 2)
"""


def optimiser(x: Any) -> Any:
    def rosenbrock(x: Any) -> Any:
        return jnp.sum(10.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2)

    h = jax.hessian(rosenbrock)(x) + 5.0 * jnp.eye(len(x), dtype=x.dtype)
    return jnp.sum((x - jnp.linalg.solve(h, jax.grad(rosenbrock)(x))) ** 2)


ROSENBROCK = """
def f(x: f64[n]) -> f64 where n >= 1 = sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2)
"""


def rosenbrock(x: Any) -> Any:
    return jnp.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2)


FIXED_POINT = """
def map(a: f64[n], x: f64[n]) -> f64[n] = 0.5 * tanh(a * x) + 0.3 * a

def solve(a: f64[n]) -> f64[n] = fold x = zeros([n], f64) for _ in range(200) do map(a, x)

def forward(a: f64[n]) -> (f64[n], (f64[n], f64[n])) =
    let x = solve(a)
    (x, (a, x))

def backward(saved: (f64[n], f64[n]), ct: f64[n]) -> (f64[n],) =
    let (a, x) = saved
    let (_, by_x) = vjp(fn v -> map(a, v), x)
    let u = fold u = ct for _ in range(200) do ct + by_x(u).0
    let (_, by_a) = vjp(fn v -> map(v, x), a)
    (by_a(u).0,)

def f(a: f64[n]) -> f64 = sum(custom_vjp(solve, forward, backward)(a) ** 2)
"""


def fixed_point(a: Any) -> Any:
    def step(x: Any, _: Any) -> Any:
        return 0.5 * jnp.tanh(a * x) + 0.3 * a, None

    x, _ = jax.lax.scan(step, jnp.zeros_like(a), None, length=200)
    return jnp.sum(x**2)


CUSTOM_JVP = """
def logistic_sum(x: f64[n]) -> f64[n] = log(1.0 + exp(x))
def rule(primals: (f64[n],), tangents: (f64[n],)) -> (f64[n], f64[n]) =
    (logistic_sum(primals.0), tangents.0 * (1.0 - 1.0 / (1.0 + exp(primals.0))))
def f(x: f64[n]) -> f64 = sum(custom_jvp(logistic_sum, rule)(x ** 2) * x)
"""


def custom_jvp(x: Any) -> Any:
    return jnp.sum(jnp.log(1.0 + jnp.exp(x**2)) * x)


POLYNOMIAL = """
def f(c: f64[k], x: f64[n]) -> f64 where k >= 1 =
    let direct = sum(polyval(c, x))
    let horner = fold y = zeros([n], f64) for a in c reverse do y * x + a
    direct + sum(horner ** 2)
"""


def polynomial(c: Any, x: Any) -> Any:
    return jnp.sum(jnp.polyval(c, x)) + jnp.sum(jnp.polyval(c[::-1], x) ** 2)


SPLINE = """
def f(knots: f64[k + 3], t: f64[n]) -> f64 where k >= 1 =
    let value = fn (u: f64) ->
        let scaled = u * f64(k)
        let i = clip(i32(floor(scaled)), 0, k - 1)
        let s = scaled - f64(i)
        let weights: f64[4] = [
            (1.0 - s) ** 3 / 6.0,
            (3.0 * s ** 3 - 6.0 * s ** 2 + 4.0) / 6.0,
            (-3.0 * s ** 3 + 3.0 * s ** 2 + 3.0 * s + 1.0) / 6.0,
            s ** 3 / 6.0,
        ]
        weights @ knots[i : i + 4]
    sum([sin(value(u)) for u in t])
"""


def spline(knots: Any, t: Any) -> Any:
    k = len(knots) - 3

    def value(u: Any) -> Any:
        scaled = u * k
        i = jnp.clip(jnp.floor(scaled).astype(jnp.int32), 0, k - 1)
        s = scaled - i
        middle = ((3 * s**3 - 6 * s**2 + 4) / 6, (-3 * s**3 + 3 * s**2 + 3 * s + 1) / 6)
        weights = jnp.stack([(1 - s) ** 3 / 6, *middle, s**3 / 6])
        return weights @ jax.lax.dynamic_slice(knots, (i,), (4,))

    return jnp.sum(jnp.sin(jax.vmap(value)(t)))


INTERPOLATION = """
def f(ys: f64[n], x: f64[m]) -> f64 where n >= 2 =
    let grid = linspace(f64(0.0), f64(2.0), n)
    let i = clip(searchsorted(grid, x) - 1, 0, n - 2)
    let left = [grid[j] for j in i]
    let width = 2.0 / (n - 1)
    sum([(ys[j] + (v - l) / width * (ys[j + 1] - ys[j])) ** 2 for j, v, l in zip(i, x, left)])
"""


def interpolation(ys: Any, x: Any) -> Any:
    grid = jnp.linspace(0.0, 2.0, len(ys), dtype=ys.dtype)
    return jnp.sum(jnp.interp(x, grid, ys) ** 2)


QUANTILES = """
def f(q: f64, x: f64[n]) -> f64 where n >= 3 =
    let s = sort(x)
    let pinball = mean(maximum(q * (x - s[n // 2]), (q - 1.0) * (x - s[n // 2])))
    pinball + s[0] * s[n - 1] + median(x) ** 2 + sum(s * f64(arange(n)))
"""


def quantiles(q: Any, x: Any) -> Any:
    s, n = jnp.sort(x), len(x)
    pinball = jnp.mean(jnp.maximum(q * (x - s[n // 2]), (q - 1.0) * (x - s[n // 2])))
    return pinball + s[0] * s[-1] + jnp.median(x) ** 2 + jnp.sum(s * jnp.arange(n))


TOP_K = """
def f(w: f64[n], x: f64[n]) -> f64 where n >= 3 =
    let (best, places) = top_k(x, 3)
    sum(exp(best)) + sum(w[places] * best) + sum(x[argsort(x)][:2] ** 2)
"""


def top_k(w: Any, x: Any) -> Any:
    best, places = jax.lax.top_k(x, 3)
    return jnp.sum(jnp.exp(best)) + jnp.sum(w[places] * best) + jnp.sum(x[jnp.argsort(x)][:2] ** 2)


SCATTER = """
def f(table: f64[k], ids: idx[k][n], x: f64[n]) -> f64 =
    let sums = zeros([k], f64).at[ids].add(x)
    let scaled = table.at[ids].multiply(x)
    sum(sums ** 2 * table) + sum(tanh(scaled)) + sum(table.at[ids].max(x))
"""


def scatter(table: Any, ids: Any, x: Any) -> Any:
    sums = jnp.zeros_like(table).at[ids].add(x)
    scaled = table
    for i, v in zip(ids, x, strict=True):
        scaled = scaled.at[i].multiply(v)
    return jnp.sum(sums**2 * table) + jnp.sum(jnp.tanh(scaled)) + jnp.sum(table.at[ids].max(x))


UPDATES = """
def f(y: f64[n], x: f64[n]) -> f64 where n >= 4 =
    let z = x.at[0].set(y[1] * 2.0).at[1:3].add(y[:2]).at[-1].multiply(x[0])
    sum(z ** 3) + sum(where(x > 0.0, z, y)) + sum(flip(z) * roll(y, shift=1, axis=0))
"""


def updates(y: Any, x: Any) -> Any:
    z = x.at[0].set(y[1] * 2.0).at[1:3].add(y[:2])
    z = z.at[-1].multiply(x[0])
    return jnp.sum(z**3) + jnp.sum(jnp.where(x > 0.0, z, y)) + jnp.sum(z[::-1] * jnp.roll(y, 1))


MASKED = """
def f(y: f64[n], x: f64[n]) -> f64 =
    let chosen = [if v > 0.0 then sqrt(v) * u else v * v for v, u in zip(x, y)]
    sum(chosen) + sum(where(x > 0.0, sqrt(where(x > 0.0, x, 1.0)), 0.0))
"""


def masked(y: Any, x: Any) -> Any:
    positive = jnp.where(x > 0.0, x, 1.0)
    chosen = jnp.where(x > 0.0, jnp.sqrt(positive) * y, x * x)
    return jnp.sum(chosen) + jnp.sum(jnp.where(x > 0.0, jnp.sqrt(positive), 0.0))


GAMMA = """
def f(a: f64[n], b: f64[n], x: f64[n]) -> f64 =
    let gamma = (a - 1.0) * log(x) - b * x + a * log(b) - lgamma(a)
    sum(gamma) + sum(digamma(a + x)) + sum(erf(x) * erfc(a)) + sum(log1p(b) * expm1(x)) + sum(atan2(a, b))
"""


def gamma(a: Any, b: Any, x: Any) -> Any:
    density = (a - 1.0) * jnp.log(x) - b * x + a * jnp.log(b) - jax.lax.lgamma(a)
    errors = jnp.sum(jax.lax.erf(x) * jax.lax.erfc(a))
    rest = jnp.sum(jnp.log1p(b) * jnp.expm1(x)) + jnp.sum(jnp.arctan2(a, b))
    return jnp.sum(density) + jnp.sum(jax.lax.digamma(a + x)) + errors + rest


QUADRATURE = """
def f(a: f64, b: f64, w: f64[k]) -> f64 where k >= 1 =
    let integrand = fn (t: f64) -> exp(-t ** 2) * sum([c * cos(f64(i) * t) for i, c in enumerate(w)])
    let h = (b - a) / 20.0
    let points = [integrand(a + h * f64(i)) for i in range(21)]
    h * (sum(points) - 0.5 * (points[0] + points[20])) + trapezoid(points, dx=h)
"""


def quadrature(a: Any, b: Any, w: Any) -> Any:
    h = (b - a) / 20.0
    t = a + h * jnp.arange(21)
    points = jnp.exp(-(t**2)) * (jnp.cos(t[:, None] * jnp.arange(len(w))) @ w)
    return 2.0 * h * (jnp.sum(points) - 0.5 * (points[0] + points[20]))


PENALTY = """
def critic(w: f64[d, h], v: f64[h], x: f64[d]) -> f64 = tanh(x @ w) @ v
def f(w: f64[d, h], v: f64[h], xs: f64[n, d]) -> f64 =
    let slopes = vmap(grad(critic, argnums=2), in_axes=(none, none, 0))(w, v, xs)
    mean((sqrt(sum(slopes ** 2, axis=1)) - 1.0) ** 2) + mean([critic(w, v, x) for x in xs])
"""


def penalty(w: Any, v: Any, xs: Any) -> Any:
    def critic(x: Any) -> Any:
        return jnp.tanh(x @ w) @ v

    slopes = jax.vmap(jax.grad(critic))(xs)
    return jnp.mean((jnp.sqrt(jnp.sum(slopes**2, axis=1)) - 1.0) ** 2) + jnp.mean(jax.vmap(critic)(xs))


PHYSICS_INFORMED = """
def net(w: f64[h], b: f64[h], v: f64[h], t: f64) -> f64 = tanh(w * t + b) @ v
def f(w: f64[h], b: f64[h], v: f64[h], ts: f64[n]) -> f64 =
    let residual = fn t ->
        let u = fn s -> net(w, b, v, s)
        grad(grad(u))(t) + u(t)
    mean([residual(t) ** 2 for t in ts]) + (net(w, b, v, 0.0) - 1.0) ** 2
"""


def physics_informed(w: Any, b: Any, v: Any, ts: Any) -> Any:
    def net(t: Any) -> Any:
        return jnp.tanh(w * t + b) @ v

    def residual(t: Any) -> Any:
        return jax.grad(jax.grad(net))(t) + net(t)

    return jnp.mean(jax.vmap(residual)(ts) ** 2) + (net(jnp.zeros((), ts.dtype)) - 1.0) ** 2


JACOBIANS = """
def g(a: f64[n, n], x: f64[n]) -> f64[n] = sin(a @ x) * x
def f(a: f64[n, n], x: f64[n]) -> f64 =
    let forward = jacfwd(g, argnums=1)(a, x)
    let backward = jacrev(g, argnums=1)(a, x)
    sum(forward * backward.T) + trace(forward)
"""


def jacobians(a: Any, x: Any) -> Any:
    j = jax.jacfwd(lambda v: jnp.sin(a @ v) * v)(x)
    return jnp.sum(j * j.T) + jnp.trace(j)


STRAIGHT = """
def f(x: f64[n]) -> f64 =
    let rounded = x + stop_gradient(round(x) - x)
    sum(rounded ** 2 * x) + sum(clip(x, -0.5, 0.5) * x)
"""


def straight(x: Any) -> Any:
    rounded = x + jax.lax.stop_gradient(jnp.round(x) - x)
    return jnp.sum(rounded**2 * x) + jnp.sum(jnp.clip(x, -0.5, 0.5) * x)


CONVOLVE = """
def f(k: f64[m], x: f64[n]) -> f64 where n >= m and m >= 1 =
    let full = convolve(x, k)
    let moving = [sum(x[i : i + m] * k) for i in range(n - m + 1)]
    sum(full ** 2) + sum(sin(moving)) + sum(convolve(x, k, mode="same"))
"""


def convolve(k: Any, x: Any) -> Any:
    moving = jnp.correlate(x, k, mode="valid")
    same = jnp.convolve(x, k, mode="same")
    return jnp.sum(jnp.convolve(x, k) ** 2) + jnp.sum(jnp.sin(moving)) + jnp.sum(same)


COMPLEX = """
def f(c: f64, z: f64[n, 2]) -> f64 =
    let w = c128(z[:, 0]) + 1.0j * c128(z[:, 1])
    let julia = fold w = w for _ in range(3) do w * w + c128(c)
    sum(log(1.0 + real(julia) ** 2 + imag(julia) ** 2))
"""


def julia(c: Any, z: Any) -> Any:
    w = jax.lax.complex(z[:, 0], z[:, 1])
    for _ in range(3):
        w = w * w + c
    return jnp.sum(jnp.log(1.0 + w.real**2 + w.imag**2))


SOFT_RANK = """
def f(temperature: f64, x: f64[n]) -> f64 =
    let ranks = 0.5 + sum(sigmoid((x[:, None] - x[None, :]) / temperature), axis=1)
    sum((ranks - f64(arange(n))) ** 2)
"""


def soft_rank(temperature: Any, x: Any) -> Any:
    ranks = 0.5 + jnp.sum(jax.nn.sigmoid((x[:, None] - x[None, :]) / temperature), axis=1)
    return jnp.sum((ranks - jnp.arange(len(x))) ** 2)


SCALARS = """
def f(x: f64, y: f64) -> f64 =
    let a = sin(x) * exp(x ** 2) + sinh(y) / cosh(x) + cbrt(x + 3.0)
    let b = if x > y then a ** 2 * atan(y) else log(a ** 2 + 1.0) * tan(0.3 * y)
    b + hypot(x, y) + asinh(x) * acosh(2.0 + y ** 2) + atanh(0.1 * x) + x ** y ** 2
"""


def scalars(x: Any, y: Any) -> Any:
    a = jnp.sin(x) * jnp.exp(x**2) + jnp.sinh(y) / jnp.cosh(x) + jnp.cbrt(x + 3.0)
    b = jnp.where(x > y, a**2 * jnp.arctan(y), jnp.log(a**2 + 1.0) * jnp.tan(0.3 * y))
    rest = jnp.arcsinh(x) * jnp.arccosh(2.0 + y**2) + jnp.arctanh(0.1 * x)
    return b + jnp.sqrt(x**2 + y**2) + rest + x ** (y**2)


TIES = """
import nn
def f(x: f64[n], y: f64[n]) -> f64 = sum(logaddexp(x, 0.0) ** 2) + sum(hypot(x, y)) + sum(nn.softplus(x * y))
"""


def ties(x: Any, y: Any) -> Any:
    soft = jnp.sum(jnp.log(1.0 + jnp.exp(x)) ** 2) + jnp.sum(jnp.log(1.0 + jnp.exp(x * y)))
    return soft + jnp.sum(jnp.sqrt(x**2 + y**2))


def _unit(d: Any, n: int) -> Any:
    return np.clip(d.positive(n) - 0.5, 0.01, 0.99)


PROGRAMS = (
    Counterpart("newton_root", NEWTON, newton, lambda d: (d.positive() + 1.0,)),
    Counterpart("newton_step", OPTIMISER, optimiser, lambda d: (d.normal(3),)),
    Counterpart("rosenbrock", ROSENBROCK, rosenbrock, lambda d: (d.normal(5),)),
    Counterpart("fixed_point", FIXED_POINT, fixed_point, lambda d: (d.positive(3),), second=False),
    Counterpart("custom_jvp", CUSTOM_JVP, custom_jvp, lambda d: (d.normal(4),)),
    Counterpart("polynomial", POLYNOMIAL, polynomial, lambda d: (d.normal(4), d.normal(3))),
    Counterpart("spline", SPLINE, spline, lambda d: (d.normal(7), _unit(d, 5))),
    Counterpart("interpolation", INTERPOLATION, interpolation, lambda d: (d.normal(5), d.positive(4))),
    Counterpart("quantiles", QUANTILES, quantiles, lambda d: (d.positive() * 0.5, d.normal(7))),
    Counterpart("top_k", TOP_K, top_k, lambda d: (d.normal(6), d.normal(6))),
    Counterpart("scatter", SCATTER, scatter, lambda d: (d.normal(4), d.ids(6, below=4), d.normal(6))),
    Counterpart("functional_updates", UPDATES, updates, lambda d: (d.normal(5), d.normal(5))),
    Counterpart("masked", MASKED, masked, lambda d: (d.normal(6), d.normal(6))),
    Counterpart("gamma_family", GAMMA, gamma, lambda d: (d.positive(4), d.positive(4), d.positive(4))),
    Counterpart("quadrature", QUADRATURE, quadrature, lambda d: (d.normal(), d.normal(), d.normal(3))),
    Counterpart("gradient_penalty", PENALTY, penalty, lambda d: (d.normal(3, 4), d.normal(4), d.normal(5, 3))),
    Counterpart(
        "physics_informed",
        PHYSICS_INFORMED,
        physics_informed,
        lambda d: (d.normal(4), d.normal(4), d.normal(4), d.normal(5)),
    ),
    Counterpart("jacobians", JACOBIANS, jacobians, lambda d: (d.normal(3, 3), d.normal(3))),
    Counterpart("straight_through", STRAIGHT, straight, lambda d: (d.normal(6),)),
    Counterpart("convolve", CONVOLVE, convolve, lambda d: (d.normal(3), d.normal(7))),
    Counterpart("julia", COMPLEX, julia, lambda d: (d.normal() * 0.3, d.normal(4, 2, scale=0.5))),
    Counterpart("ties_and_zeros", TIES, ties, lambda d: (np.zeros(4), d.positive(4))),
    Counterpart("soft_ranks", SOFT_RANK, soft_rank, lambda d: (d.positive(), d.normal(5))),
    Counterpart("scalar_functions", SCALARS, scalars, lambda d: (d.positive(), d.positive())),
)
