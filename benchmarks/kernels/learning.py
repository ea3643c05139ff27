"""The rivals of `learning.dsl`."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import jax.scipy.linalg
import jax.scipy.special
import numpy as np
import scipy.linalg
import scipy.special

from benchmarks.kernels.rival import JAX, Kernel, Rival, Static


def softmax(to: Rival, x: Any) -> Any:
    e = to.np.exp(x - to.np.max(x, axis=-1, keepdims=True))
    return e / to.np.sum(e, axis=-1, keepdims=True)


def layer_norm(to: Rival, x: Any, scale: Any, shift: Any) -> Any:
    centred = x - to.np.mean(x, axis=-1, keepdims=True)
    return centred / to.np.sqrt(to.np.mean(centred**2, axis=-1, keepdims=True) + np.float32(1e-5)) * scale + shift


def dense(p: Any, x: Any) -> Any:
    return x @ p["w"] + p["b"]


def network(to: Rival, layers: Any, x: Any) -> Any:
    p, q, r = layers
    return dense(r, to.np.maximum(dense(q, to.np.maximum(dense(p, x), 0)), 0))


def mlp(to: Rival, x: Any, p: Any, q: Any, r: Any) -> Any:
    return softmax(to, network(to, (p, q, r), x))


def mlp_loss(layers: Any, x: Any, y: Any) -> Any:
    return -jnp.mean(jnp.sum(y * jax.nn.log_softmax(network(JAX, layers, x)), axis=1))


def mlp_gradient(to: Rival, x: Any, y: Any, p: Any, q: Any, r: Any) -> Any:
    return jax.grad(mlp_loss)((p, q, r), x, y)


def mlp_gradient_plain(to: Rival, x: Any, y: Any, p: Any, q: Any, r: Any) -> Any:
    first = np.maximum(dense(p, x), 0)
    second = np.maximum(dense(q, first), 0)
    z = dense(r, second)
    dz = (softmax(to, z) * np.sum(y, axis=1, keepdims=True) - y) / np.float32(len(x))
    dsecond = dz @ r["w"].T * (second > 0)
    dfirst = dsecond @ q["w"].T * (first > 0)
    parts = ((x, dfirst), (first, dsecond), (second, dz))
    return tuple({"w": h.T @ d, "b": np.sum(d, axis=0)} for h, d in parts)


def convolved(to: Rival, x: Any, k: Any, padding: str) -> Any:
    if to.is_jax:
        return jax.lax.conv_general_dilated(x, k, (1, 1), padding, dimension_numbers=("NHWC", "HWIO", "NHWC"))
    if padding == "SAME":
        x = np.pad(x, ((0, 0), (k.shape[0] // 2,) * 2, (k.shape[1] // 2,) * 2, (0, 0)))
    windows = np.lib.stride_tricks.sliding_window_view(x, k.shape[:2], axis=(1, 2))
    return np.tensordot(windows, k, ((4, 5, 3), (0, 1, 2)))


def conv2d(to: Rival, x: Any, k: Any, bias: Any) -> Any:
    return convolved(to, x, k, "SAME") + bias


def halved(to: Rival, x: Any) -> Any:
    n, h, w, c = x.shape
    return to.np.max(x.reshape(n, h // 2, 2, w // 2, 2, c), axis=(2, 4))


def lenet(to: Rival, x: Any, k: Any, a: Any, m: Any, b: Any, p: Any, q: Any, r: Any) -> Any:
    h = halved(to, to.np.maximum(convolved(to, x, k, "VALID") + a, 0))
    h = halved(to, to.np.maximum(convolved(to, h, m, "VALID") + b, 0))
    return network(to, (p, q, r), h.reshape(len(h), -1))


def sigmoid(to: Rival, x: Any) -> Any:
    return jax.nn.sigmoid(x) if to.is_jax else scipy.special.expit(x)


def lstm(to: Rival, p: Any, xs: Any) -> Any:
    h = p["u"].shape[0]

    def step(carry: Any, x: Any) -> Any:
        s, c = carry
        z = x @ p["w"] + s @ p["u"] + p["b"]
        c = sigmoid(to, z[:, h : 2 * h]) * c + sigmoid(to, z[:, :h]) * to.np.tanh(z[:, 2 * h : 3 * h])
        s = sigmoid(to, z[:, 3 * h :]) * to.np.tanh(c)
        return (s, c), s

    start = to.np.zeros((xs.shape[1], h), np.float32)
    return to.np.mean(to.scan(step, (start, start), xs)[1] ** 2)


def lstm_gradient(to: Rival, p: Any, xs: Any) -> Any:
    return jax.grad(partial(lstm, to))(p, xs)


def norm(to: Rival, p: Any, x: Any) -> Any:
    centred = x - to.np.mean(x, axis=-1, keepdims=True)
    return centred / to.np.sqrt(to.np.mean(centred**2, -1, keepdims=True) + np.float32(1e-6)) * p["scale"] + p["shift"]


def gelu(to: Rival, x: Any) -> Any:
    return np.float32(0.5) * x * (1 + to.np.tanh(np.float32(np.sqrt(2 / np.pi)) * (x + np.float32(0.044715) * x**3)))


def transformer(to: Rival, p: Any, x: Any, *, heads: int) -> Any:
    b, n, d = x.shape
    y = norm(to, p, x)
    q, k, v = ((y @ p[name]).reshape(b, n, heads, d // heads) for name in "qkv")
    scores = to.np.einsum("bqhd,bkhd->bhqk", q, k) / np.sqrt(np.float32(d // heads))
    mixed = to.np.einsum("bhqk,bkhd->bqhd", softmax(to, scores), v)
    x = x + mixed.reshape(b, n, d) @ p["o"]
    return x + gelu(to, norm(to, p, x) @ p["up"]) @ p["down"]


def transformer_gradient(to: Rival, p: Any, x: Any, *, heads: int) -> Any:
    return jax.grad(lambda p: to.np.mean(transformer(to, p, x, heads=heads) ** 2))(p)


def kmeans(to: Rival, x: Any, centres: Any, *, steps: int) -> Any:
    k = to.np.arange(centres.shape[0])

    def step(_: Any, c: Any) -> Any:
        label = to.np.argmin(to.np.sum(c**2, axis=1) - 2 * (x @ c.T), axis=1)
        member = (label[:, None] == k[None, :]).astype(np.float32)
        count = to.np.sum(member, axis=0)[:, None]
        return to.np.where(count > 0, member.T @ x / to.np.maximum(count, 1), c)

    return to.fold(steps, step, centres)


def gp(to: Rival, x: Any, y: Any, scale: Any, noise: Any) -> Any:
    z = x / scale
    squares = to.np.sum(z**2, axis=1)
    apart = squares[:, None] + squares[None, :] - 2 * (z @ z.T)
    factor = to.np.linalg.cholesky(to.np.exp(-0.5 * apart) + noise * to.np.eye(len(x)))
    w = triangular(to, factor, y)
    return -0.5 * (w @ w) - to.np.sum(to.np.log(to.np.diagonal(factor))) - 0.5 * len(x) * np.log(2 * np.pi)


def triangular(to: Rival, a: Any, b: Any) -> Any:
    solve = jax.scipy.linalg.solve_triangular if to.is_jax else scipy.linalg.solve_triangular
    return solve(a, b, lower=True)


def gp_gradient(to: Rival, x: Any, y: Any, scale: Any, noise: Any) -> Any:
    return jax.grad(partial(gp, to), argnums=(2, 3))(x, y, scale, noise)


def go_fast(to: Rival, a: Any) -> Any:
    return a + to.np.sum(to.np.tanh(to.np.diagonal(a)))


def clipping(to: Rival, x: Any, y: Any, a: Any, b: Any, c: Any) -> Any:
    return to.np.clip(x, 0.2, 0.8) * a + y * b + c


def arc_distance(to: Rival, p: Any, q: Any, r: Any, s: Any) -> Any:
    h = to.np.sin((r - p) / 2) ** 2 + to.np.cos(p) * to.np.cos(r) * to.np.sin((s - q) / 2) ** 2
    return 2 * to.np.arctan2(to.np.sqrt(h), to.np.sqrt(1 - h))


def black_scholes(to: Rival, s: Any, k: Any, t: Any, v: Any, rate: Any) -> Any:
    erf = jax.scipy.special.erf if to.is_jax else scipy.special.erf

    def normal(x: Any) -> Any:
        return 0.5 * (1 + erf(x / np.sqrt(2)))

    root = v * to.np.sqrt(t)
    d1 = (to.np.log(s / k) + (rate + 0.5 * v**2) * t) / root
    d2 = d1 - root
    paid = k * to.np.exp(-rate * t)
    return s * normal(d1) - paid * normal(d2), paid * normal(-d2) - s * normal(-d1)


def kalman(to: Rival, a: Any, c: Any, noise: Any, ys: Any) -> Any:
    one, small = noise * to.np.eye(len(a)), noise * to.np.eye(len(c))

    def step(carry: Any, y: Any) -> Any:
        m, v, total = carry
        m, v = a @ m, a @ v @ a.T + one
        factor = to.np.linalg.cholesky(c @ v @ c.T + small)
        gain, gap = triangular(to, factor, c @ v), triangular(to, factor, y - c @ m)
        total = total - 0.5 * (gap @ gap) - to.np.sum(to.np.log(to.np.diagonal(factor)))
        return (m + gain.T @ gap, v - gain.T @ gain, total), total

    return to.scan(step, (to.np.zeros(len(a)), to.np.eye(len(a)), to.np.zeros(())), ys)[0][2]


# ---------------------------------------------------------------- arguments


def draw(r: Any, *shape: int) -> Any:
    return (0.3 * r.standard_normal(shape)).astype(np.float32)


def layer(r: Any, i: int, o: int) -> Any:
    return {"w": draw(r, i, o), "b": draw(r, o)}


def layers(r: Any, i: int, h: int, o: int) -> Any:
    return layer(r, i, h), layer(r, h, h), layer(r, h, o)


def images(r: Any, n: int) -> Any:
    ends = layer(r, 256, 120), layer(r, 120, 84), layer(r, 84, 10)
    return draw(r, n, 28, 28, 1), draw(r, 5, 5, 1, 6), draw(r, 6), draw(r, 5, 5, 6, 16), draw(r, 16), *ends


def cell(r: Any, t: int, n: int, d: int, h: int) -> Any:
    return {"w": draw(r, d, 4 * h), "u": draw(r, h, 4 * h), "b": draw(r, 4 * h)}, draw(r, t, n, d)


def block(r: Any, b: int, n: int, d: int, heads: int) -> Any:
    p = {name: draw(r, d, d) for name in "qkvo"}
    ends = {"up": draw(r, d, 4 * d), "down": draw(r, 4 * d, d), "scale": draw(r, d), "shift": draw(r, d)}
    return p | ends, draw(r, b, n, d), Static(heads=heads)


def vectors(count: int, *numbers: float) -> Callable[..., Any]:
    return lambda r, n: (*[0.1 + r.random(n) for _ in range(count)], *numbers)


def process(r: Any, n: int, d: int) -> Any:
    return r.random((n, d)), r.standard_normal(n), 0.7, 0.1


def observed(r: Any, t: int, d: int, o: int) -> Any:
    return 0.9 * np.eye(d) + 0.02 * r.random((d, d)), r.random((o, d)), 0.1, r.standard_normal((t, o))


FEW = 1e-3
KERNELS = (
    Kernel("softmax", lambda r, *s: (draw(r, *s),), softmax, (2, 2, 3, 4), (16, 8, 128, 128), tolerance=FEW),
    Kernel("layer_norm", lambda r, n, d: (draw(r, n, d), draw(r, d), draw(r, d)), layer_norm, (3, 4), (4096, 512),
           tolerance=FEW),
    Kernel("mlp", lambda r, n, i, h, o: (draw(r, n, i), *layers(r, i, h, o)), mlp, (3, 4, 5, 2), (64, 300, 500, 10),
           tolerance=FEW),
    Kernel("mlp_gradient", lambda r, n, i, h, o: (draw(r, n, i), draw(r, n, o), *layers(r, i, h, o)), mlp_gradient,
           (3, 4, 5, 2), (64, 300, 500, 10), mlp_gradient_plain, FEW),
    Kernel("conv2d", lambda r, n, h, c, o: (draw(r, n, h, h, c), draw(r, 3, 3, c, o), draw(r, o)), conv2d,
           (1, 5, 2, 3), (8, 64, 3, 16), tolerance=FEW),
    Kernel("lenet", images, lenet, (1,), (16,), tolerance=FEW),
    Kernel("lstm", cell, lstm, (3, 2, 4, 5), (60, 16, 64, 128), tolerance=FEW),
    Kernel("lstm_gradient", cell, lstm_gradient, (3, 2, 4, 5), (60, 16, 64, 128), None, FEW),
    Kernel("transformer", block, transformer, (2, 3, 4, 2), (8, 64, 128, 4), tolerance=FEW),
    Kernel("transformer_gradient", block, transformer_gradient, (2, 3, 4, 2), (8, 64, 128, 4), None, FEW),
    Kernel("kmeans", lambda r, n, d, k, steps: (draw(r, n, d), draw(r, k, d), Static(steps=steps)), kmeans,
           (9, 2, 3, 2), (5000, 16, 20, 20), tolerance=1e-2),
    Kernel("gp", process, gp, (6, 2), (300, 4), tolerance=1e-7),
    Kernel("gp_gradient", process, gp_gradient, (6, 2), (300, 4), None, 1e-6),
    Kernel("go_fast", lambda r, n: (r.random((n, n)),), go_fast, (4,), (2000,)),
    Kernel("clipping", lambda r, n: (r.random((n, n)), r.random((n, n)), 1.5, 0.5, 0.1), clipping, (4,), (1500,)),
    Kernel("arc_distance", vectors(4), arc_distance, (5,), (100_000,)),
    Kernel("black_scholes", vectors(4, 0.05), black_scholes, (5,), (100_000,), tolerance=1e-7),
    Kernel("kalman", observed, kalman, (4, 3, 2), (300, 8, 4), tolerance=1e-7),
)  # fmt: skip
