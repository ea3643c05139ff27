"""Programs of linear algebra and of statistics over it."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from tests.e2e.counterparts.counterpart import Counterpart, Floats

RIDGE = """
import linalg
def f(penalty: f64, x: f64[n, d], y: f64[n]) -> f64 =
    let w = linalg.solve(x.T @ x + penalty * eye(d, f64), x.T @ y)
    sum((x @ w - y) ** 2) + sum(abs(w))
"""


def ridge(penalty: Any, x: Any, y: Any) -> Any:
    w = jnp.linalg.solve(x.T @ x + penalty * jnp.eye(x.shape[1], dtype=x.dtype), x.T @ y)
    return jnp.sum((x @ w - y) ** 2) + jnp.sum(jnp.abs(w))


GAUSSIAN_PROCESS = """
import linalg
def f(scale: f64, noise: f64, y: f64[n], x: f64[n, d]) -> f64 =
    let d2 = sum((x[:, None, :] - x[None, :, :]) ** 2, axis=-1)
    let l = linalg.cholesky(exp(-0.5 * d2 / scale ** 2) + noise * eye(n, f64))
    let half = linalg.solve_triangular(l, y, lower=true)
    0.5 * half @ half + sum(log(diagonal(l))) + 0.5 * n * log(2.0 * pi)
"""


def gaussian_process(scale: Any, noise: Any, y: Any, x: Any) -> Any:
    n = len(x)
    d2 = jnp.sum((x[:, None, :] - x[None, :, :]) ** 2, axis=-1)
    k = jnp.exp(-0.5 * d2 / scale**2) + noise * jnp.eye(n, dtype=x.dtype)
    factor = jnp.linalg.cholesky(k)
    half = jax.scipy.linalg.solve_triangular(factor, y, lower=True)
    return 0.5 * half @ half + jnp.sum(jnp.log(jnp.diagonal(factor))) + 0.5 * n * float(np.log(2 * np.pi))


MIXTURE = """
import nn
type Mixture[k, d] = {weights: f64[k], means: f64[k, d], scales: f64[k, d]}
def f(p: Mixture[k, d], x: f64[n, d]) -> f64 where k >= 1 =
    let z = (x[:, None, :] - p.means[None, :, :]) / p.scales[None, :, :]
    let logs = -0.5 * sum(z ** 2 + log(2.0 * pi), axis=-1) - sum(log(p.scales), axis=-1)
    -sum(nn.logsumexp(logs + nn.log_softmax(p.weights, axis=-1), axis=-1))
"""


def mixture(p: Any, x: Any) -> Any:
    z = (x[:, None, :] - p["means"][None, :, :]) / p["scales"][None, :, :]
    logs = -0.5 * jnp.sum(z**2 + float(np.log(2 * np.pi)), axis=-1) - jnp.sum(jnp.log(p["scales"]), axis=-1)
    return -jnp.sum(jax.nn.logsumexp(logs + jax.nn.log_softmax(p["weights"]), axis=-1))


POWER = """
def f(start: f64[d], x: f64[n, d]) -> f64 where n >= 1 =
    let centred = x - mean(x, axis=0)
    let cov = centred.T @ centred / f64(n)
    let v = fold v = start for _ in range(8) do
        let w = cov @ v
        w / sqrt(sum(w ** 2))
    v @ cov @ v
"""


def power_conditions(start: Floats, x: Floats) -> tuple[float, ...]:
    """The gradient by `start` comes from the part of `2 * cov @ v` that is orthogonal to `v`. Near the eigenvector that
    is the small difference of `cov @ v` and its part along `v`."""
    centred = x - x.mean(axis=0)
    cov = centred.T @ centred / len(x)
    v = start
    for _ in range(8):
        v = cov @ v / np.linalg.norm(cov @ v)
    image = cov @ v
    return (1.0, float(np.linalg.norm(image) / np.linalg.norm(image - (v @ image) * v)), 1.0)


def power(start: Any, x: Any) -> Any:
    centred = x - jnp.mean(x, axis=0)
    cov = centred.T @ centred / len(x)
    v = start
    for _ in range(8):
        w = cov @ v
        v = w / jnp.sqrt(jnp.sum(w**2))
    return v @ cov @ v


K_MEANS = """
def f(centres: f64[k, d], x: f64[n, d]) -> f64 where k >= 1 =
    let apart = sum((x[:, None, :] - centres[None, :, :]) ** 2, axis=-1)
    let labels = argmin(apart, axis=1)
    let member = f64(labels[:, None] == arange(k)[None, :])
    let moved = (member.T @ x + centres) / (sum(member, axis=0)[:, None] + 1.0)
    sum(min(sum((x[:, None, :] - moved[None, :, :]) ** 2, axis=-1), axis=1))
"""


def k_means(centres: Any, x: Any) -> Any:
    apart = jnp.sum((x[:, None, :] - centres[None, :, :]) ** 2, axis=-1)
    member = (jnp.argmin(apart, axis=1)[:, None] == jnp.arange(len(centres))[None, :]).astype(x.dtype)
    moved = (member.T @ x + centres) / (jnp.sum(member, axis=0)[:, None] + 1.0)
    return jnp.sum(jnp.min(jnp.sum((x[:, None, :] - moved[None, :, :]) ** 2, axis=-1), axis=1))


MATRIX_CHAIN = """
def f(a: f64[n, m], b: f64[m, k], c: f64[k, n]) -> f64 =
    let p = a @ b @ c
    trace(p) + sum(p @ p.T) + sum(tril(p) * triu(p))
"""


def matrix_chain(a: Any, b: Any, c: Any) -> Any:
    p = a @ b @ c
    return jnp.trace(p) + jnp.sum(p @ p.T) + jnp.sum(jnp.tril(p) * jnp.triu(p))


EINSUM = """
def f(a: f64[i, j, k], b: f64[k, l], c: f64[i, l]) -> f64 =
    let x = einsum("ijk,kl->ijl", a, b)
    let y = einsum("ijl,il->j", x, c)
    sum(tanh(y)) + einsum("ijk,ijk->", a, a) + sum(einsum("il,kl->ki", c, b) ** 2)
"""


def einsum(a: Any, b: Any, c: Any) -> Any:
    y = jnp.einsum("ijl,il->j", jnp.einsum("ijk,kl->ijl", a, b), c)
    return jnp.sum(jnp.tanh(y)) + jnp.sum(a * a) + jnp.sum(jnp.einsum("il,kl->ki", c, b) ** 2)


FOURIER = """
def f(x: f64[n], y: f64[n]) -> f64 where n >= 1 =
    let angle = 2.0 * pi / n * f64(arange(n)[:, None] * arange(n)[None, :])
    let (re, im) = (cos(angle) @ x, -sin(angle) @ x)
    let power = (re ** 2 + im ** 2) / n
    sum(log(power + 1.0) * y)
"""


def fourier(x: Any, y: Any) -> Any:
    power = jnp.abs(jnp.fft.fft(x)) ** 2 / len(x)
    return jnp.sum(jnp.log(power + 1.0) * y)


SPECTRUM = """
import fft
def f(filter: f64[n // 2 + 1], x: f64[n]) -> f64 where n >= 1 =
    let z = fft.rfft(x)
    sum(filter * (real(z) ** 2 + imag(z) ** 2))
"""


def spectrum(filter: Any, x: Any) -> Any:
    z = jnp.fft.rfft(x)
    return jnp.sum(filter * (z.real**2 + z.imag**2))


PAGE_RANK = """
def f(damping: f64, links: f64[n, n]) -> f64 where n >= 1 =
    let move = links / sum(links, axis=1, keepdims=true)
    let rank = fold r = full([n], f64(1.0) / f64(n)) for _ in range(10) do damping * r @ move + (1.0 - damping) / n
    sum(rank ** 2 * f64(arange(n)))
"""


def page_rank(damping: Any, links: Any) -> Any:
    n = len(links)
    move = links / jnp.sum(links, axis=1, keepdims=True)
    r = jnp.full(n, 1.0 / n, links.dtype)
    for _ in range(10):
        r = damping * r @ move + (1.0 - damping) / n
    return jnp.sum(r**2 * jnp.arange(n))


SINKHORN = """
import nn
def f(cost: f64[n, m], a: f64[n], b: f64[m]) -> f64 =
    let (u, v) = fold (u, v) = (zeros([n], f64), zeros([m], f64)) for _ in range(6) do
        let u = log(a) - nn.logsumexp(v[None, :] - cost, axis=1)
        (u, log(b) - nn.logsumexp(u[:, None] - cost, axis=0))
    sum(exp(u[:, None] + v[None, :] - cost) * cost)
"""


def sinkhorn(cost: Any, a: Any, b: Any) -> Any:
    u, v = jnp.zeros_like(a), jnp.zeros_like(b)
    for _ in range(6):
        u = jnp.log(a) - jax.nn.logsumexp(v[None, :] - cost, axis=1)
        v = jnp.log(b) - jax.nn.logsumexp(u[:, None] - cost, axis=0)
    return jnp.sum(jnp.exp(u[:, None] + v[None, :] - cost) * cost)


GAUSSIAN = """
import linalg
def f(mean: f64[d], root: f64[d, d], xs: f64[n, d]) -> f64 =
    let cov = root @ root.T + eye(d, f64)
    let apart = xs - mean
    0.5 * sum(apart * linalg.solve(cov, apart.T).T) + 0.5 * n * linalg.slogdet(cov).1 + trace(linalg.inv(cov))
"""


def gaussian(mean: Any, root: Any, xs: Any) -> Any:
    cov, apart = root @ root.T + jnp.eye(len(mean), dtype=mean.dtype), xs - mean
    fit = 0.5 * jnp.sum(apart * jnp.linalg.solve(cov, apart.T).T)
    return fit + 0.5 * len(xs) * jnp.linalg.slogdet(cov)[1] + jnp.trace(jnp.linalg.inv(cov))


LEAST_SQUARES = """
import linalg
def f(y: f64[n], x: f64[n, d]) -> f64 where n >= d =
    let (q, r) = linalg.qr(x)
    let w = linalg.solve_triangular(r, q.T @ y)
    sum((x @ w - y) ** 2) + sum(w ** 2)
"""


def least_squares(y: Any, x: Any) -> Any:
    w = jnp.linalg.solve(x.T @ x, x.T @ y)
    return jnp.sum((x @ w - y) ** 2) + jnp.sum(w**2)


EIGENVALUES = """
import linalg
def f(w: f64[n], a: f64[n, n]) -> f64 =
    let (values, vectors) = linalg.eigh(a + a.T)
    sum(w * values ** 2) + sum(w * vectors[0] ** 2)
"""


def eigenvalues(w: Any, a: Any) -> Any:
    values, vectors = jnp.linalg.eigh(a + a.T)
    return jnp.sum(w * values**2) + jnp.sum(w * vectors[0] ** 2)


CONJUGATE = """
def f(b: f64[n], a: f64[n, n]) -> f64 =
    let apply = fn v -> a.T @ (a @ v) + 2.0 * v
    let (x, _, _) = fold (x, r, p) = (zeros([n], f64), b, b) for _ in range(3) do
        let ap = apply(p)
        let alpha = r @ r / (p @ ap)
        let next = r - alpha * ap
        (x + alpha * p, next, next + next @ next / (r @ r) * p)
    sum(x ** 3)
"""


def conjugate(b: Any, a: Any) -> Any:
    x, r, p = jnp.zeros_like(b), b, b
    for _ in range(3):
        ap = a.T @ (a @ p) + 2.0 * p
        alpha = r @ r / (p @ ap)
        following = r - alpha * ap
        x, r, p = x + alpha * p, following, following + following @ following / (r @ r) * p
    return jnp.sum(x**3)


FACTORISATION = """
def f(u: f64[n, k], v: f64[m, k], seen: bool[n, m], x: f64[n, m]) -> f64 =
    sum(where(seen, (u @ v.T - x) ** 2, 0.0)) + 0.1 * (sum(u ** 2) + sum(v ** 2))
"""


def factorisation(u: Any, v: Any, seen: Any, x: Any) -> Any:
    fit = jnp.sum(jnp.where(seen, (u @ v.T - x) ** 2, 0.0))
    return fit + 0.1 * (jnp.sum(u**2) + jnp.sum(v**2))


def _mixture(d: Any) -> dict[str, Any]:
    return {"weights": d.normal(3), "means": d.normal(3, 2), "scales": d.positive(3, 2)}


PROGRAMS = (
    Counterpart("ridge_regression", RIDGE, ridge, lambda d: (d.positive(), d.normal(6, 3), d.normal(6))),
    Counterpart(
        "gaussian_process",
        GAUSSIAN_PROCESS,
        gaussian_process,
        lambda d: (d.positive(), d.positive(), d.normal(5), d.normal(5, 2)),
    ),
    Counterpart("gaussian_mixture", MIXTURE, mixture, lambda d: (_mixture(d), d.normal(5, 2))),
    Counterpart(
        "power_iteration",
        POWER,
        power,
        lambda d: (d.normal(3), np.eye(6, 3) + d.normal(6, 3, scale=0.2)),
        conditions=power_conditions,
    ),
    Counterpart("k_means_step", K_MEANS, k_means, lambda d: (d.normal(3, 2), d.normal(8, 2))),
    Counterpart("matrix_chain", MATRIX_CHAIN, matrix_chain, lambda d: (d.normal(3, 4), d.normal(4, 2), d.normal(2, 3))),
    Counterpart("einsum_chain", EINSUM, einsum, lambda d: (d.normal(2, 3, 4), d.normal(4, 5), d.normal(2, 5))),
    Counterpart("fourier_by_matrix", FOURIER, fourier, lambda d: (d.normal(8), d.normal(8))),
    Counterpart("power_spectrum", SPECTRUM, spectrum, lambda d: (d.positive(5), d.normal(8))),
    Counterpart("page_rank", PAGE_RANK, page_rank, lambda d: (d.positive() * 0.6, d.positive(4, 4))),
    Counterpart("sinkhorn", SINKHORN, sinkhorn, lambda d: (d.positive(3, 4), d.shares(3), d.shares(4))),
    Counterpart("gaussian_density", GAUSSIAN, gaussian, lambda d: (d.normal(3), d.normal(3, 3), d.normal(4, 3))),
    Counterpart("least_squares_by_qr", LEAST_SQUARES, least_squares, lambda d: (d.normal(6), d.normal(6, 3))),
    Counterpart("eigenvalues", EIGENVALUES, eigenvalues, lambda d: (d.normal(3), d.normal(3, 3))),
    Counterpart("conjugate_gradients", CONJUGATE, conjugate, lambda d: (d.normal(4), d.normal(4, 4))),
    Counterpart(
        "matrix_factorisation",
        FACTORISATION,
        factorisation,
        lambda d: (d.normal(4, 2), d.normal(3, 2), d.normal(4, 3) > 0, d.normal(4, 3)),
    ),
)
