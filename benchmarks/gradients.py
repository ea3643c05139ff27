"""The programs that `benchmarks/transforms.py` differentiates, in the language and for JAX, with arguments.

Each is a scalar function of one tree of f32 arrays and some data. Read next: `transforms`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.scipy.special import erf, logsumexp

RNG = np.random.default_rng(0)


@dataclass(frozen=True, slots=True)
class Case:
    """`text` defines `f`; `theirs` is the same function; the gradient is by argument 0."""

    name: str
    text: str
    theirs: Callable[..., Any]
    args: tuple[Any, ...]


def draw(*shape: int, scale: float = 0.3) -> Any:
    return (RNG.normal(size=shape) * scale).astype(np.float32)


# ---------------------------------------------------------------- regression

REGRESSION = """
type P[d] = {w: f32[d], b: f32}
def f(p: P[d], x: f32[n, d], y: f32[n]) -> f32 = mean((x @ p.w + p.b - y) ** 2)
"""


def regression(p: Any, x: Any, y: Any) -> Any:
    return jnp.mean((x @ p["w"] + p["b"] - y) ** 2)


# ---------------------------------------------------------------- multi-layer perceptron

MLP = """
type P[i, h, o] = {a: f32[i, h], b: f32[h], c: f32[h, h], d: f32[h], e: f32[h, o], g: f32[o]}
def f(p: P[i, h, o], x: f32[n, i], y: f32[n, o]) -> f32 =
    let h1 = tanh(x @ p.a + p.b)
    let h2 = tanh(h1 @ p.c + p.d)
    let z = h2 @ p.e + p.g
    -mean(sum(y * (z - logsumexp(z, axis=1, keepdims=true)), axis=1))
"""


def mlp(p: Any, x: Any, y: Any) -> Any:
    h = jnp.tanh(x @ p["a"] + p["b"])
    h = jnp.tanh(h @ p["c"] + p["d"])
    z = h @ p["e"] + p["g"]
    return -jnp.mean(jnp.sum(y * (z - logsumexp(z, axis=1, keepdims=True)), axis=1))


# ---------------------------------------------------------------- convolutional network

CNN = """
type P[o] = {k: f32[3, 3, 1, 8], l: f32[3, 3, 8, 16], w: f32[16, o]}
def convolved(x: f32[n, h, w, i], k: f32[3, 3, i, o], static step: int) where step >= 1 =
    conv(x, k, step, "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))
def f(p: P[o], x: f32[n, h, w, 1], y: f32[n, o]) -> f32 =
    let a = maximum(convolved(x, p.k, 1), 0.0)
    let b = maximum(convolved(a, p.l, 2), 0.0)
    let z = mean(b, axis=(1, 2)) @ p.w
    mean((z - y) ** 2)
"""


def cnn(p: Any, x: Any, y: Any) -> Any:
    def conv(x: Any, k: Any, strides: tuple[int, int]) -> Any:
        return jax.lax.conv_general_dilated(x, k, strides, "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))

    a = jnp.maximum(conv(x, p["k"], (1, 1)), 0)
    b = jnp.maximum(conv(a, p["l"], (2, 2)), 0)
    return jnp.mean((jnp.mean(b, axis=(1, 2)) @ p["w"] - y) ** 2)


# ---------------------------------------------------------------- attention

ATTENTION = """
type P[d] = {q: f32[d, d], k: f32[d, d], v: f32[d, d], o: f32[d, d]}
def softmax_rows(z: f32[n, m]) -> f32[n, m] =
    let e = exp(z - stop_gradient(max(z, axis=1, keepdims=true)))
    e / sum(e, axis=1, keepdims=true)
def f(p: P[d], x: f32[n, d]) -> f32 =
    let scores = (x @ p.q) @ (x @ p.k).T / sqrt(32.0)
    let out = softmax_rows(scores) @ (x @ p.v) @ p.o
    mean((x + out) ** 2)
"""


def attention(p: Any, x: Any) -> Any:
    z = (x @ p["q"]) @ (x @ p["k"]).T / np.float32(np.sqrt(32.0))
    e = jnp.exp(z - jax.lax.stop_gradient(jnp.max(z, axis=1, keepdims=True)))
    out = e / jnp.sum(e, axis=1, keepdims=True) @ (x @ p["v"]) @ p["o"]
    return jnp.mean((x + out) ** 2)


# ---------------------------------------------------------------- LSTM

LSTM = """
type P[d, h] = {w: f32[d, 4 * h], u: f32[h, 4 * h], b: f32[4 * h]}
def f(p: P[d, h], xs: f32[t, d]) -> f32 =
    let start = (zeros([h]), zeros([h]))
    let ((last, _), hs) = scan (s, c) = start for x in xs do
        let z = x @ p.w + s @ p.u + p.b
        let c = sigmoid(z[h : 2 * h]) * c + sigmoid(z[:h]) * tanh(z[2 * h : 3 * h])
        let s = sigmoid(z[3 * h :]) * tanh(c)
        ((s, c), s)
    sum(hs ** 2) + sum(last)
"""


def lstm(p: Any, xs: Any) -> Any:
    h = p["u"].shape[0]

    def step(carry: Any, x: Any) -> Any:
        s, c = carry
        z = x @ p["w"] + s @ p["u"] + p["b"]
        i, f, g, o = (z[k * h : (k + 1) * h] for k in range(4))
        c = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i) * jnp.tanh(g)
        s = jax.nn.sigmoid(o) * jnp.tanh(c)
        return (s, c), s

    (last, _), hs = jax.lax.scan(step, (jnp.zeros(h, jnp.float32), jnp.zeros(h, jnp.float32)), xs)
    return jnp.sum(hs**2) + jnp.sum(last)


# ---------------------------------------------------------------- Gaussian mixture

GMM = """
type P[k, d] = {w: f32[k], m: f32[k, d], s: f32[k, d]}
def f(p: P[k, d], x: f32[n, d]) -> f32 =
    let gap = (x[:, None, :] - p.m[None, :, :]) * exp(p.s)[None, :, :]
    let each = (p.w + sum(p.s, axis=1)) - 0.5 * sum(gap ** 2, axis=2)
    sum(logsumexp(each, axis=1)) - 1000.0 * logsumexp(p.w)
"""


def gmm(p: Any, x: Any) -> Any:
    gap = (x[:, None, :] - p["m"][None]) * jnp.exp(p["s"])[None]
    each = (p["w"] + jnp.sum(p["s"], axis=1)) - 0.5 * jnp.sum(gap**2, axis=2)
    return jnp.sum(logsumexp(each, axis=1)) - 1000.0 * logsumexp(p["w"])


# ---------------------------------------------------------------- Kalman filter

KALMAN = """
def f(a: f32[2, 2], ys: f32[t]) -> f32 =
    let (_, _, cost) = fold (m, v, cost) = (zeros([2]), eye(2), 0.0) for y in ys do
        let m1 = a @ m
        let v1 = a @ v @ a.T + 0.1 * eye(2)
        let s = v1[0, 0] + 0.5
        let gap = y - m1[0]
        let k = v1[:, 0] / s
        (m1 + k * gap, v1 - outer(k, v1[0, :]), cost + gap ** 2 / s + log(s))
    cost
"""


def kalman(a: Any, ys: Any) -> Any:
    one = jnp.eye(2, dtype=jnp.float32)

    def step(carry: Any, y: Any) -> Any:
        m, v, cost = carry
        m1, v1 = a @ m, a @ v @ a.T + 0.1 * one
        s, gap = v1[0, 0] + 0.5, y - m1[0]
        k = v1[:, 0] / s
        return (m1 + k * gap, v1 - jnp.outer(k, v1[0, :]), cost + gap**2 / s + jnp.log(s)), None

    start = jnp.zeros(2, jnp.float32), one, jnp.float32(0)
    return jax.lax.scan(step, start, ys)[0][2]


# ---------------------------------------------------------------- n-body

NBODY = """
def energy(x: f32[n, 3]) -> f32 =
    let gap = x[:, None, :] - x[None, :, :]
    -0.5 * sum(1.0 / sqrt(sum(gap ** 2, axis=2) + 0.01))
def f(x: f32[n, 3], v: f32[n, 3]) -> f32 =
    let (end, speed) = fold (x, v) = (x, v) for _ in range(20) do
        let v = v - 0.01 * grad(energy)(x)
        (x + 0.01 * v, v)
    energy(end) + 0.5 * sum(speed ** 2)
"""


def energy(x: Any) -> Any:
    gap = x[:, None, :] - x[None, :, :]
    return -0.5 * jnp.sum(1.0 / jnp.sqrt(jnp.sum(gap**2, axis=2) + 0.01))


def nbody(x: Any, v: Any) -> Any:
    def step(carry: Any, _: Any) -> Any:
        x, v = carry
        v = v - 0.01 * jax.grad(energy)(x)
        return (x + 0.01 * v, v), None

    (end, speed), _ = jax.lax.scan(step, (x, v), None, length=20)
    return energy(end) + 0.5 * jnp.sum(speed**2)


# ---------------------------------------------------------------- Black-Scholes

BLACK_SCHOLES = """
def cdf(x: f32[n]) -> f32[n] = 0.5 * (1.0 + erf(x / sqrt(2.0)))
def f(p: {s: f32[n], v: f32[n]}, k: f32[n], t: f32[n]) -> f32 =
    let root = p.v * sqrt(t)
    let d1 = (log(p.s / k) + (0.02 + 0.5 * p.v ** 2) * t) / root
    sum(p.s * cdf(d1) - k * exp(-0.02 * t) * cdf(d1 - root))
"""


def black_scholes(p: Any, k: Any, t: Any) -> Any:
    def cdf(x: Any) -> Any:
        return 0.5 * (1 + erf(x / np.float32(np.sqrt(2.0))))

    root = p["v"] * jnp.sqrt(t)
    d1 = (jnp.log(p["s"] / k) + (0.02 + 0.5 * p["v"] ** 2) * t) / root
    return jnp.sum(p["s"] * cdf(d1) - k * jnp.exp(-0.02 * t) * cdf(d1 - root))


# ---------------------------------------------------------------- chains

LINES = ("x{0} * x{1}", "x{0} + x{1}", "tanh(x{0})", "x{0} - x{1}", "sin(x{0})", "x{0} * 0.5")


def chain(count: int) -> Case:
    """One operation a line, on the last value and one a few lines before."""
    lines = [f"    let x{k + 1} = {LINES[k % 6].format(k, max(k - 3, 0))}" for k in range(count)]
    text = "\n".join(["def f(x0: f32[n]) -> f32 =", *lines, f"    sum(x{count})"])
    names: dict[str, Any] = {"tanh": jnp.tanh, "sin": jnp.sin, "sum": jnp.sum}
    python = [line.replace("let ", "") for line in lines]
    exec("\n".join(["def f(x0):", *python, f"    return sum(x{count})"]), names)
    return Case(f"chain {count}", text, names["f"], (draw(64),))


def cases() -> Sequence[Case]:
    n, d, h = 256, 32, 64
    network = {"a": draw(d, h), "b": draw(h), "c": draw(h, h), "d": draw(h), "e": draw(h, 10), "g": draw(10)}
    kernels = {"k": draw(3, 3, 1, 8), "l": draw(3, 3, 8, 16), "w": draw(16, 10)}
    heads = {name: draw(d, d) for name in "qkvo"}
    cell = {"w": draw(16, 4 * d), "u": draw(d, 4 * d), "b": draw(4 * d)}
    mixture = {"w": draw(10), "m": draw(10, 8), "s": draw(10, 8)}
    option = {"s": 90 + 20 * RNG.random(4096, np.float32), "v": 0.1 + 0.2 * RNG.random(4096, np.float32)}
    terms = 100 * np.ones(4096, np.float32), 0.5 + RNG.random(4096, np.float32)
    matrix = np.array([[1, 0.1], [0, 0.9]], np.float32)
    line = {"w": draw(d), "b": np.float32(0)}
    return (
        Case("regression", REGRESSION, regression, (line, draw(1000, d), draw(1000))),
        Case("MLP", MLP, mlp, (network, draw(n, d), abs(draw(n, 10)))),
        Case("CNN", CNN, cnn, (kernels, draw(16, 16, 16, 1), draw(16, 10))),
        Case("attention", ATTENTION, attention, (heads, draw(128, d))),
        Case("LSTM", LSTM, lstm, (cell, draw(50, 16))),
        Case("GMM", GMM, gmm, (mixture, draw(1000, 8))),
        Case("Kalman", KALMAN, kalman, (matrix, draw(100))),
        Case("n-body", NBODY, nbody, (draw(32, 3, scale=1.0), draw(32, 3))),
        Case("Black-Scholes", BLACK_SCHOLES, black_scholes, (option, *terms)),
    )
