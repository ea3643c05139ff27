"""The rivals of `models.dsl`."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import jax.scipy.linalg

from benchmarks.kernels.learning import dense, draw, layer, process
from benchmarks.kernels.rival import Kernel, Rival, Static


def filtered(p: Any, x: Any) -> Any:
    dimensions = ("NHWC", "HWIO", "NHWC")
    return jax.nn.relu(jax.lax.conv_general_dilated(x, p["w"], (1, 1), "SAME", dimension_numbers=dimensions) + p["b"])


def pooled(x: Any, size: int) -> Any:
    return jax.lax.reduce_window(x, -jnp.inf, jax.lax.max, (1, size, size, 1), (1, 2, 2, 1), "VALID")


def halved(x: Any) -> Any:
    return pooled(x, 2)


def pool_gradient(to: Rival, x: Any) -> Any:
    return jax.grad(lambda x: jnp.sum(pooled(x, 3) ** 2))(x)


def net(p: Any, x: Any) -> Any:
    h = halved(filtered(p["second"], halved(filtered(p["first"], x))))
    return dense(p["out"], jax.nn.relu(dense(p["hidden"], h.reshape(len(x), -1))))


def cnn_step(to: Rival, p: Any, m: Any, x: Any, y: Any) -> Any:
    def entropy(p: Any) -> Any:
        z = jax.nn.log_softmax(net(p, x))
        return -jnp.mean(jnp.sum(z * jax.nn.one_hot(y, z.shape[1]), axis=1))

    loss, g = jax.value_and_grad(entropy)(p)
    m = jax.tree.map(lambda m, g: 0.9 * m + g, m, g)
    return jax.tree.map(lambda p, m: p - 0.1 * m, p, m), m, loss


def tanh_layers(p: Any, x: Any) -> Any:
    return dense(p["last"], jnp.tanh(dense(p["second"], jnp.tanh(dense(p["first"], x)))))


def adam_loop(to: Rival, p: Any, x: Any, y: Any, steps: int) -> Any:
    def step(k: Any, carry: Any) -> Any:
        p, m, v = carry
        g = jax.grad(lambda p: jnp.mean((tanh_layers(p, x) - y) ** 2))(p)
        m = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, m, g)
        v = jax.tree.map(lambda v, g: 0.999 * v + 0.001 * g**2, v, g)
        t = jnp.float32(k + 1)

        def moved(p: Any, m: Any, v: Any) -> Any:
            return p - 1e-3 * (m / (1 - 0.9**t) / (jnp.sqrt(v / (1 - 0.999**t)) + 1e-8))

        return jax.tree.map(moved, p, m, v), m, v

    zeros = jax.tree.map(jnp.zeros_like, p)
    return jax.lax.fori_loop(0, steps, step, (p, zeros, zeros))[0]


def newton(to: Rival, x: Any, y: Any, steps: int) -> Any:
    def logistic(w: Any) -> Any:
        z = x @ w
        return jnp.mean(jax.nn.softplus(z) - y * z) + 1e-3 * (w @ w)

    def step(_: Any, w: Any) -> Any:
        return w - jnp.linalg.solve(jax.hessian(logistic)(w), jax.grad(logistic)(w))

    return jax.lax.fori_loop(0, steps, step, jnp.zeros(x.shape[1]))


def local_volatility(to: Rival, surface: Any, strike: Any, z: Any) -> Any:
    t, k = surface.shape

    def price(surface: Any) -> Any:
        def step(s: Any, row_dz: Any) -> Any:
            row, dz = row_dz
            at = jnp.clip((s + 1) / 2 * (k - 1), 0, k - 1.001)
            low = jnp.clip(at.astype(jnp.int32), 0, k - 2)
            part = at - low
            v = row[low] * (1 - part) + row[low + 1] * part
            return s - 0.5 * v**2 / t + v * jnp.sqrt(1 / t) * dz, None

        last, _ = jax.lax.scan(step, jnp.zeros(z.shape[1]), (surface, z))
        return jnp.mean(jnp.maximum(jnp.exp(last) - strike, 0))

    return jax.grad(price)(surface)


def viterbi(to: Rival, start: Any, move: Any, seen: Any) -> Any:
    def step(p: Any, e: Any) -> Any:
        every = p[:, None] + move
        return jnp.max(every, axis=0) + e, jnp.argmax(every, axis=0)

    last, back = jax.lax.scan(step, start + seen[0], seen[1:])
    end = jnp.argmax(last)
    _, path = jax.lax.scan(lambda at, row: (row[at], row[at]), end, back, reverse=True)
    return jnp.concatenate([path, end[None]]).astype(jnp.int32)


def kernel_regression(to: Rival, x: Any, y: Any, width: Any) -> Any:
    d = -(((x[:, None] - x[None, :]) / width) ** 2)
    e = to.np.exp(d - to.np.max(d, axis=1, keepdims=True))
    return e / to.np.sum(e, axis=1, keepdims=True) @ y


def regression_gradient(to: Rival, x: Any, y: Any, width: Any) -> Any:
    return jax.grad(lambda x, w: jnp.sum((kernel_regression(to, x, y, w) - y) ** 2), (0, 1))(x, width)


def evidence(theta: Any, x: Any, y: Any) -> Any:
    p = jnp.exp(theta)
    z = x / p[0]
    squares = jnp.sum(z**2, axis=1)
    apart = squares[:, None] + squares[None, :] - 2 * (z @ z.T)
    low = jnp.linalg.cholesky(p[1] * jnp.exp(-0.5 * apart) + p[2] * jnp.eye(len(x)), symmetrize_input=False)
    w = jax.scipy.linalg.solve_triangular(low, y, lower=True)
    return 0.5 * (w @ w) + jnp.sum(jnp.log(jnp.diagonal(low)))


def gp_hessian(to: Rival, theta: Any, x: Any, y: Any) -> Any:
    return jax.hessian(evidence)(theta, x, y)


def anomaly(m: Any, e: Any) -> Any:
    return jax.lax.while_loop(
        lambda a: jnp.abs(a - e * jnp.sin(a) - m) > 1e-12,
        lambda a: a - (a - e * jnp.sin(a) - m) / (1 - e * jnp.cos(a)),
        m,
    )


def kepler(to: Rival, m: Any, e: Any) -> Any:
    return jax.vmap(anomaly)(m, e)


# ---------------------------------------------------------------- arguments


def filters(r: Any, c: int, o: int) -> Any:
    return {"w": draw(r, 3, 3, c, o), "b": draw(r, o)}


def images(r: Any, n: int) -> Any:
    def one() -> Any:
        ends = {"hidden": layer(r, 1568, 128), "out": layer(r, 128, 10)}
        return {"first": filters(r, 1, 16), "second": filters(r, 16, 32)} | ends

    return one(), one(), draw(r, n, 28, 28, 1), r.integers(0, 10, n).astype("i4")


def regression(r: Any, n: int, i: int, h: int, steps: int) -> Any:
    p = {"first": layer(r, i, h), "second": layer(r, h, h), "last": layer(r, h, 1)}
    return p, draw(r, n, i), draw(r, n, 1), Static(steps=steps)


def labelled(r: Any, n: int, d: int, steps: int) -> Any:
    return r.standard_normal((n, d)), r.integers(0, 2, n).astype("f8"), Static(steps=steps)


def paths(r: Any, t: int, k: int, n: int) -> Any:
    return 0.1 + 0.2 * r.random((t, k)), 1.0, r.standard_normal((t, n))


def hidden(r: Any, t: int, s: int) -> Any:
    return draw(r, s), draw(r, s, s), draw(r, t, s)


def orbits(r: Any, n: int) -> Any:
    return 6.2 * r.random(n), 0.8 * r.random(n)


def evidence_of(r: Any, n: int, d: int) -> Any:
    x, y, *_ = process(r, n, d)
    return r.random(3), x, y


FEW = 1e-3
KERNELS = (
    Kernel("cnn_step", images, cnn_step, (2,), (32,), None, FEW),
    Kernel("pool_gradient", lambda r, n, h, c: (draw(r, n, h, h, c),), pool_gradient, (1, 5, 2), (8, 56, 64), None,
           FEW),
    Kernel("adam_loop", regression, adam_loop, (3, 2, 4, 2), (128, 8, 64, 100), None, FEW),
    Kernel("newton", labelled, newton, (9, 2, 2), (2000, 20, 10), None, 1e-6),
    Kernel("local_volatility", paths, local_volatility, (3, 4, 5), (50, 21, 4000), None, 1e-7),
    Kernel("viterbi", hidden, viterbi, (4, 3), (500, 32), None),
    Kernel("gp_hessian", evidence_of, gp_hessian, (5, 2), (200, 3), None, 1e-6),
    Kernel("kernel_regression", lambda r, n: (r.random(n), r.random(n), 0.1), kernel_regression, (5,), (3000,)),
    Kernel("regression_gradient", lambda r, n: (r.random(n), r.random(n), 0.1), regression_gradient, (5,), (2000,),
           None, 1e-6),
    Kernel("kepler", orbits, kepler, (5,), (10_000,), None),
)  # fmt: skip
