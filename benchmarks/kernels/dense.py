"""The rivals of `dense.dsl`."""

from __future__ import annotations

from typing import Any

import jax
import jax.scipy.linalg
import numpy as np
import scipy.linalg

from benchmarks.kernels.rival import Kernel, Rival


def gemm(to: Rival, alpha: Any, beta: Any, c: Any, a: Any, b: Any) -> Any:
    return alpha * (a @ b) + beta * c


def atax(to: Rival, a: Any, x: Any) -> Any:
    return (a @ x) @ a


def bicg(to: Rival, a: Any, p: Any, r: Any) -> Any:
    return r @ a, a @ p


def symm(to: Rival, alpha: Any, beta: Any, c: Any, a: Any, b: Any) -> Any:
    return alpha * ((to.np.tril(a) + to.np.tril(a, -1).T) @ b) + beta * c


def syrk(to: Rival, alpha: Any, beta: Any, c: Any, a: Any) -> Any:
    return to.np.triu(c, 1) + to.np.tril(alpha * (a @ a.T) + beta * c)


def doitgen(to: Rival, a: Any, c: Any) -> Any:
    return a @ c


def trisolv(to: Rival, a: Any, b: Any) -> Any:
    solve = jax.scipy.linalg.solve_triangular if to.is_jax else scipy.linalg.solve_triangular
    return solve(a, b, lower=True)


def covariance(to: Rival, x: Any) -> Any:
    centred = x - to.np.mean(x, axis=0)
    return centred.T @ centred / (x.shape[0] - 1)


def correlation(to: Rival, x: Any) -> Any:
    spread = to.np.std(x, axis=0)
    scaled = (x - to.np.mean(x, axis=0)) / (np.sqrt(x.shape[0]) * to.np.where(spread <= 0.1, 1.0, spread))
    return scaled.T @ scaled


def gramschmidt(to: Rival, a: Any) -> Any:
    order = to.np.arange(a.shape[1])

    def step(k: Any, carry: Any) -> Any:
        q, r = carry
        length = to.np.sqrt(to.np.sum(q[:, k] ** 2))
        column = q[:, k] / length
        row = to.np.where(order > k, column @ q, 0.0)
        q = to.put(q - to.np.outer(column, row), (slice(None), k), column)
        return q, to.put(r, k, to.put(row, k, length))

    return to.fold(a.shape[1], step, (a, to.np.zeros((a.shape[1], a.shape[1]))))


def lu(to: Rival, a: Any) -> Any:
    order = to.np.arange(a.shape[0])

    def step(k: Any, a: Any) -> Any:
        column = to.np.where(order > k, a[:, k] / a[k, k], 0.0)
        kept = to.np.where(order > k, column, a[:, k])
        return to.put(a - to.np.outer(column, to.np.where(order > k, a[k], 0.0)), (slice(None), k), kept)

    return to.fold(a.shape[0], step, a)


def lu_plain(to: Rival, a: Any) -> Any:
    a = a.copy()
    for k in range(len(a) - 1):
        a[k + 1 :, k] /= a[k, k]
        a[k + 1 :, k + 1 :] -= np.outer(a[k + 1 :, k], a[k, k + 1 :])
    return a


def durbin(to: Rival, r: Any) -> Any:
    n, order, zero = r.shape[0], to.np.arange(r.shape[0]), to.np.zeros_like(r)

    def step(i: Any, carry: Any) -> Any:
        y, alpha, beta = carry
        k = i + 1
        turned = jax.lax.dynamic_slice(to.np.concatenate((y[::-1], zero)), (n - k,), (n,))
        weights = jax.lax.dynamic_slice(to.np.concatenate((r[::-1], zero)), (n - k,), (n,))
        beta = (1 - alpha * alpha) * beta
        alpha = -(r[k] + to.np.sum(to.np.where(order < k, weights * y, 0.0))) / beta
        return to.put(to.np.where(order < k, y + alpha * turned, y), k, alpha), alpha, beta

    return to.fold(n - 1, step, (to.put(zero, 0, -r[0]), -r[0], to.np.ones(())))[0]


def durbin_plain(to: Rival, r: Any) -> Any:
    y = np.zeros_like(r)
    y[0] = alpha = -r[0]
    beta = 1.0
    for k in range(1, len(r)):
        beta *= 1 - alpha * alpha
        alpha = -(r[k] + r[:k][::-1] @ y[:k]) / beta
        y[:k] += alpha * y[:k][::-1]
        y[k] = alpha
    return y


def cholesky2(to: Rival, a: Any) -> Any:
    return to.np.linalg.cholesky(a)


def positive(random: Any, n: int) -> Any:
    a = random.random((n, n))
    return a @ a.T + n * np.eye(n)


KERNELS = (
    Kernel("gemm", lambda r, n, m, k: (1.5, 1.2, r.random((n, m)), r.random((n, k)), r.random((k, m))), gemm,
           (5, 6, 7), (400, 450, 500)),
    Kernel("atax", lambda r, n, m: (r.random((n, m)), r.random(m)), atax, (6, 7), (1800, 2200)),
    Kernel("bicg", lambda r, n, m: (r.random((n, m)), r.random(m), r.random(n)), bicg, (6, 7), (1800, 2200)),
    Kernel("symm", lambda r, n, m: (1.5, 1.2, r.random((n, m)), r.random((n, n)), r.random((n, m))), symm,
           (6, 7), (400, 500)),
    Kernel("syrk", lambda r, n, k: (1.5, 1.2, r.random((n, n)), r.random((n, k))), syrk, (6, 7), (500, 400)),
    Kernel("doitgen", lambda r, a, b, c: (r.random((a, b, c)), r.random((c, c))), doitgen, (3, 4, 5), (60, 60, 128)),
    Kernel("trisolv", lambda r, n: (np.tril(r.random((n, n))) + n * np.eye(n), r.random(n)), trisolv, (8,), (2000,)),
    Kernel("covariance", lambda r, n, m: (r.random((n, m)),), covariance, (7, 5), (600, 500)),
    Kernel("correlation", lambda r, n, m: (r.random((n, m)),), correlation, (7, 5), (600, 500)),
    Kernel("gramschmidt", lambda r, n, m: (r.random((n, m)),), gramschmidt, (7, 5), (240, 200)),
    Kernel("lu", lambda r, n: (positive(r, n),), lu, (6,), (300,), lu_plain),
    Kernel("durbin", lambda r, n: (r.random(n) / n,), durbin, (6,), (1000,), durbin_plain),
    Kernel("cholesky2", lambda r, n: (positive(r, n),), cholesky2, (6,), (500,)),
)  # fmt: skip
