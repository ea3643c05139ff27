"""Programs of machine learning: models and losses."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp

from tests.e2e.counterparts.counterpart import Counterpart

LINEAR = """
def f(w: f64[d], b: f64, x: f64[n, d], y: f64[n]) -> f64 = mean((x @ w + b - y) ** 2)
"""


def linear(w: Any, b: Any, x: Any, y: Any) -> Any:
    return jnp.mean((x @ w + b - y) ** 2)


LOGISTIC = """
def f(m: {w: f64[d], b: f64}, y: f64[n], x: f64[n, d]) -> f64 =
    let z = x @ m.w + m.b
    mean(maximum(z, 0.0) - z * y + log1p(exp(-abs(z)))) + 0.01 * sum(m.w ** 2)
"""


def logistic(m: Any, y: Any, x: Any) -> Any:
    z = x @ m["w"] + m["b"]
    return jnp.mean(jnp.maximum(z, 0.0) - z * y + jnp.log1p(jnp.exp(-jnp.abs(z)))) + 0.01 * jnp.sum(m["w"] ** 2)


MLP = """
type Dense[i, o] = {w: f64[i, o], b: f64[o]}
def layer(p: Dense[i, o], x: f64[n, i]) -> f64[n, o] = tanh(x @ p.w + p.b)
def f(ps: (Dense[a, h], Dense[h, h], Dense[h, o]), x: f64[n, a], y: f64[n, o]) -> f64 =
    let out = fold v = x for p in ps do layer(p, v)
    mean(sum((out - y) ** 2, axis=1))
"""


def mlp(ps: Any, x: Any, y: Any) -> Any:
    for p in ps:
        x = jnp.tanh(x @ p["w"] + p["b"])
    return jnp.mean(jnp.sum((x - y) ** 2, axis=1))


CROSS_ENTROPY = """
import nn
def f(w: f64[d, c], x: f64[n, d], y: idx[c][n]) -> f64 where c >= 1 =
    let scores = nn.log_softmax(x @ w, axis=-1)
    -mean([row[label] for row, label in zip(scores, y)])
"""


def cross_entropy(w: Any, x: Any, y: Any) -> Any:
    return -jnp.mean(jnp.take_along_axis(jax.nn.log_softmax(x @ w), y[:, None], axis=1))


CNN = """
import nn
def f(k1: f64[3, 3, 1, 4], k2: f64[3, 3, 4, 5], w: f64[80, 3], x: f64[2, 8, 8, 1]) -> f64 =
    let h = nn.gelu(conv(x, k1, padding="SAME", dimension_numbers=("NHWC", "HWIO", "NHWC")))
    let h = sin(conv(h, k2, window_strides=2, padding="SAME", dimension_numbers=("NHWC", "HWIO", "NHWC")))
    mean(nn.softmax(reshape(h, [2, 80]) @ w, axis=-1)[:, 0] ** 2)
"""


def cnn(k1: Any, k2: Any, w: Any, x: Any) -> Any:
    names = ("NHWC", "HWIO", "NHWC")
    h = jax.nn.gelu(jax.lax.conv_general_dilated(x, k1, (1, 1), "SAME", dimension_numbers=names))
    h = jnp.sin(jax.lax.conv_general_dilated(h, k2, (2, 2), "SAME", dimension_numbers=names))
    return jnp.mean(jax.nn.softmax(h.reshape(2, 80) @ w)[:, 0] ** 2)


WINDOWS = """
def windows(x: f64[h, w, i], k: f64[a, b, i, o]) -> f64[h - a + 1, w - b + 1, o]
    where 1 <= a and a <= h and 1 <= b and b <= w =
    [einsum("abi,abio->o", x[y : y + a, z : z + b], k) for y in range(h - a + 1), z in range(w - b + 1)]

def f(k: f64[a, b, i, o], v: f64[o], x: f64[h, w, i]) -> f64 where 1 <= a and a <= h and 1 <= b and b <= w =
    sum(tanh(windows(x, k)) @ v)
"""


def windows(k: Any, v: Any, x: Any) -> Any:
    names = ("NHWC", "HWIO", "NHWC")
    h = jax.lax.conv_general_dilated(x[None], k, (1, 1), "VALID", dimension_numbers=names)[0]
    return jnp.sum(jnp.tanh(h) @ v)


POOLED = """
def f(k: f64[3, 3, 2, 3], x: f64[8, 8, 2]) -> f64 =
    let h = conv(x[None], k, padding="VALID", dimension_numbers=("NHWC", "HWIO", "NHWC"))[0]
    sum(max(reshape(h, [3, 2, 3, 2, 3]), axis=(1, 3)) ** 2) + mean(sin(h))
"""


def pooled(k: Any, x: Any) -> Any:
    names = ("NHWC", "HWIO", "NHWC")
    h = jax.lax.conv_general_dilated(x[None], k, (1, 1), "VALID", dimension_numbers=names)[0]
    return jnp.sum(jnp.max(h.reshape(3, 2, 3, 2, 3), axis=(1, 3)) ** 2) + jnp.mean(jnp.sin(h))


ATTENTION = """
import nn
type Heads[d] = {q: f64[d, d], k: f64[d, d], v: f64[d, d], o: f64[d, d]}
def heads(x: f64[n, d], static h: int) -> f64[h, n, d // h] where h >= 1 and d % h == 0 =
    transpose(reshape(x, [n, h, d // h]), (1, 0, 2))

def block(p: Heads[d], x: f64[n, d], static h: int) -> f64[n, d] where n >= 1 and h >= 1 and d % h == 0 =
    let scores = einsum("hnd,hmd->hnm", heads(x @ p.q, h), heads(x @ p.k, h)) / sqrt(f64(d // h))
    let causal = arange(n)[:, None] >= arange(n)[None, :]
    let mixed = einsum("hnm,hmd->hnd", nn.softmax(where(causal, scores, -1e9), axis=-1), heads(x @ p.v, h))
    reshape(transpose(mixed, (1, 0, 2)), [n, d]) @ p.o

def f(p: Heads[d], x: f64[n, d]) -> f64 where n >= 1 and d % 2 == 0 = sum(sin(x + block(p, x, 2)))
"""


def attention(p: Any, x: Any) -> Any:
    n, d = x.shape
    q, k, v = (jnp.transpose((x @ p[name]).reshape(n, 2, d // 2), (1, 0, 2)) for name in "qkv")
    scores = jnp.einsum("hnd,hmd->hnm", q, k) / jnp.sqrt(1.0 * (d // 2))
    causal = jnp.arange(n)[:, None] >= jnp.arange(n)[None, :]
    mixed = jnp.einsum("hnm,hmd->hnd", jax.nn.softmax(jnp.where(causal, scores, -1e9)), v)
    return jnp.sum(jnp.sin(x + jnp.transpose(mixed, (1, 0, 2)).reshape(n, d) @ p["o"]))


LAYER_NORM = """
def normalised(x: f64[*s, d]) -> f64[*s, d] where d >= 1 =
    let centred = x - mean(x, axis=-1, keepdims=true)
    centred / sqrt(mean(centred ** 2, axis=-1, keepdims=true) + 1e-5)

def f(gain: f64[d], bias: f64[d], x: f64[n, d]) -> f64 where d >= 1 = sum(cos(gain * normalised(x) + bias))
"""


def layer_norm(gain: Any, bias: Any, x: Any) -> Any:
    centred = x - jnp.mean(x, axis=-1, keepdims=True)
    return jnp.sum(jnp.cos(gain * centred / jnp.sqrt(jnp.mean(centred**2, axis=-1, keepdims=True) + 1e-5) + bias))


BATCH_NORM = """
def f(gain: f64[d], shift: f64[d], x: f64[n, d]) -> f64 where n >= 1 =
    let scaled = (x - mean(x, axis=0)) / (std(x, axis=0) + 1e-3)
    sum(tanh(gain * scaled + shift) ** 2) + sum(var(x, axis=0))
"""


def batch_norm(gain: Any, shift: Any, x: Any) -> Any:
    scaled = (x - jnp.mean(x, axis=0)) / (jnp.std(x, axis=0) + 1e-3)
    return jnp.sum(jnp.tanh(gain * scaled + shift) ** 2) + jnp.sum(jnp.var(x, axis=0))


CONTRASTIVE = """
import nn
def unit(x: f64[n, d]) -> f64[n, d] = x / sqrt(sum(x ** 2, axis=1, keepdims=true) + 1e-6)
def f(w: f64[d, e], a: f64[n, d], b: f64[n, d]) -> f64 where n >= 1 =
    let scores = unit(a @ w) @ unit(b @ w).T / 0.5
    -mean(diagonal(nn.log_softmax(scores, axis=-1))) - mean(diagonal(nn.log_softmax(scores, axis=0)))
"""


def contrastive(w: Any, a: Any, b: Any) -> Any:
    def unit(x: Any) -> Any:
        return x / jnp.sqrt(jnp.sum(x**2, axis=1, keepdims=True) + 1e-6)

    scores = unit(a @ w) @ unit(b @ w).T / 0.5
    rows, columns = jax.nn.log_softmax(scores, axis=-1), jax.nn.log_softmax(scores, axis=0)
    return -jnp.mean(jnp.diagonal(rows)) - jnp.mean(jnp.diagonal(columns))


TRIPLET = """
def distance(x: f64[n, d], y: f64[n, d]) -> f64[n] = sqrt(sum((x - y) ** 2, axis=-1) + 1e-9)
def f(w: f64[d, e], anchor: f64[n, d], near: f64[n, d], far: f64[n, d]) -> f64 =
    mean(maximum(distance(anchor @ w, near @ w) - distance(anchor @ w, far @ w) + 0.5, 0.0))
"""


def triplet(w: Any, anchor: Any, near: Any, far: Any) -> Any:
    def distance(x: Any, y: Any) -> Any:
        return jnp.sqrt(jnp.sum((x - y) ** 2, axis=-1) + 1e-9)

    near, far = distance(anchor @ w, near @ w), distance(anchor @ w, far @ w)
    return jnp.mean(jnp.maximum(near - far + 0.5, 0.0))


FLOW = """
def coupling(w: f64[h, h], b: f64[h], x: f64[2 * h]) -> (f64[2 * h], f64) =
    let (left, right) = (x[:h], x[h:])
    let scale = tanh(left @ w + b)
    (concatenate((right * exp(scale) + sin(left), left)), sum(scale))

def f(ws: f64[k, h, h], bs: f64[k, h], xs: f64[n, 2 * h]) -> f64 =
    let density = fn (x: f64[2 * h]) ->
        let (z, logs) = fold (z, logs) = (x, f64(0)) for w, b in zip(ws, bs) do
            let (z, more) = coupling(w, b, z)
            (z, logs + more)
        logs - 0.5 * sum(z ** 2)
    -mean([density(x) for x in xs])
"""


def flow(ws: Any, bs: Any, xs: Any) -> Any:
    h = bs.shape[1]

    def density(x: Any) -> Any:
        logs = jnp.zeros((), xs.dtype)
        for i in range(len(ws)):
            left, right = x[:h], x[h:]
            scale = jnp.tanh(left @ ws[i] + bs[i])
            x, logs = jnp.concatenate([right * jnp.exp(scale) + jnp.sin(left), left]), logs + jnp.sum(scale)
        return logs - 0.5 * jnp.sum(x**2)

    return -jnp.mean(jax.vmap(density)(xs))


AUTOENCODER = """
def f(enc: f64[d, z], dec: f64[z, d], x: f64[n, d]) -> f64 =
    let hidden = tanh(x @ enc)
    mean(sum((hidden @ dec - x) ** 2, axis=1)) + 0.1 * mean(abs(hidden))
"""


def autoencoder(enc: Any, dec: Any, x: Any) -> Any:
    hidden = jnp.tanh(x @ enc)
    return jnp.mean(jnp.sum((hidden @ dec - x) ** 2, axis=1)) + 0.1 * jnp.mean(jnp.abs(hidden))


VARIATIONAL = """
def f(mu: f64[z], logvar: f64[z], w: f64[z, d], x: f64[d], noise: f64[k, z]) -> f64 =
    let samples = mu + exp(0.5 * logvar) * noise
    let fit = mean([sum((s @ w - x) ** 2) for s in samples])
    fit - 0.5 * sum(1.0 + logvar - mu ** 2 - exp(logvar))
"""


def variational(mu: Any, logvar: Any, w: Any, x: Any, noise: Any) -> Any:
    samples = mu + jnp.exp(0.5 * logvar) * noise
    fit = jnp.mean(jnp.sum((samples @ w - x) ** 2, axis=1))
    return fit - 0.5 * jnp.sum(1.0 + logvar - mu**2 - jnp.exp(logvar))


POLICY = """
import nn
def f(w: f64[s, a], actions: idx[a][t], rewards: f64[t], states: f64[t, s]) -> f64 where a >= 1 =
    let (_, returns) = scan total = f64(0) for r in rewards reverse do
        let total = r + 0.9 * total
        (total, total)
    let scores = nn.log_softmax(states @ w, axis=-1)
    -sum([row[u] * stop_gradient(g) for row, u, g in zip(scores, actions, returns)])
"""


def policy(w: Any, actions: Any, rewards: Any, states: Any) -> Any:
    def back(total: Any, r: Any) -> Any:
        total = r + 0.9 * total
        return total, total

    _, returns = jax.lax.scan(back, jnp.zeros((), rewards.dtype), rewards, reverse=True)
    scores = jax.nn.log_softmax(states @ w)
    chosen = jnp.take_along_axis(scores, actions[:, None], axis=1)[:, 0]
    return -jnp.sum(chosen * jax.lax.stop_gradient(returns))


EMBEDDING = """
def f(table: f64[v, d], w: f64[d], ids: idx[v][n, k]) -> f64 =
    sum(tanh(sum(table[ids], axis=1) @ w))
"""


def embedding(table: Any, w: Any, ids: Any) -> Any:
    return jnp.sum(jnp.tanh(jnp.sum(table[ids], axis=1) @ w))


HUBER = """
import optim
def f(w: f64[d], x: f64[n, d], y: f64[n]) -> f64 = sum(optim.huber_loss(x @ w, y, 0.7))
"""


def huber(w: Any, x: Any, y: Any) -> Any:
    error = jnp.abs(x @ w - y)
    return jnp.sum(jnp.where(error <= 0.7, 0.5 * error**2, 0.7 * (error - 0.35)))


META = """
def inner(w: f64[d], x: f64[n, d], y: f64[n]) -> f64 = mean((tanh(x @ w) - y) ** 2)
def f(w: f64[d], rate: f64, x: f64[n, d], y: f64[n]) -> f64 =
    let adapted = fold v = w for _ in range(3) do v - rate * grad(inner)(v, x, y)
    inner(adapted, x, y)
"""


def meta(w: Any, rate: Any, x: Any, y: Any) -> Any:
    def inner(w: Any) -> Any:
        return jnp.mean((jnp.tanh(x @ w) - y) ** 2)

    for _ in range(3):
        w = w - rate * jax.grad(inner)(w)
    return inner(w)


ACTIVATIONS = """
import nn
def f(x: f64[n]) -> f64 =
    let one = nn.selu(x) + nn.elu(x) + nn.silu(x) + nn.mish(x)
    sum(one + nn.softplus(x) * nn.sigmoid(x) + nn.leaky_relu(x) + nn.gelu(x, approximate=false))
"""


def activations(x: Any) -> Any:
    nn = jax.nn
    one = nn.selu(x) + nn.elu(x) + nn.silu(x) + nn.mish(x)
    return jnp.sum(one + nn.softplus(x) * nn.sigmoid(x) + nn.leaky_relu(x) + nn.gelu(x, approximate=False))


def _dense(d: Any, i: int, o: int) -> dict[str, Any]:
    return {"w": d.normal(i, o, scale=0.5), "b": d.normal(o)}


PROGRAMS = (
    Counterpart("linear_regression", LINEAR, linear, lambda d: (d.normal(3), d.normal(), d.normal(5, 3), d.normal(5))),
    Counterpart(
        "logistic_regression",
        LOGISTIC,
        logistic,
        lambda d: ({"w": d.normal(3), "b": d.normal()}, d.shares(6), d.normal(6, 3)),
    ),
    Counterpart(
        "mlp",
        MLP,
        mlp,
        lambda d: ((_dense(d, 3, 4), _dense(d, 4, 4), _dense(d, 4, 2)), d.normal(5, 3), d.normal(5, 2)),
    ),
    Counterpart(
        "softmax_cross_entropy",
        CROSS_ENTROPY,
        cross_entropy,
        lambda d: (d.normal(3, 4), d.normal(5, 3), d.ids(5, below=4)),
    ),
    Counterpart(
        "cnn",
        CNN,
        cnn,
        lambda d: (d.normal(3, 3, 1, 4), d.normal(3, 3, 4, 5), d.normal(80, 3), d.normal(2, 8, 8, 1)),
    ),
    Counterpart("cnn_by_windows", WINDOWS, windows, lambda d: (d.normal(3, 2, 2, 3), d.normal(3), d.normal(5, 6, 2))),
    Counterpart("cnn_with_pooling", POOLED, pooled, lambda d: (d.normal(3, 3, 2, 3), d.normal(8, 8, 2))),
    Counterpart(
        "attention_block",
        ATTENTION,
        attention,
        lambda d: ({name: d.normal(6, 6, scale=0.4) for name in "qkvo"}, d.normal(4, 6)),
    ),
    Counterpart("layer_norm", LAYER_NORM, layer_norm, lambda d: (d.normal(4), d.normal(4), d.normal(3, 4))),
    Counterpart("batch_statistics", BATCH_NORM, batch_norm, lambda d: (d.normal(3), d.normal(3), d.normal(6, 3))),
    Counterpart(
        "contrastive_loss",
        CONTRASTIVE,
        contrastive,
        lambda d: (d.normal(3, 2), d.normal(4, 3), d.normal(4, 3)),
    ),
    Counterpart(
        "triplet_loss",
        TRIPLET,
        triplet,
        lambda d: (d.normal(3, 2), d.normal(5, 3), d.normal(5, 3), d.normal(5, 3)),
    ),
    Counterpart("normalising_flow", FLOW, flow, lambda d: (d.normal(3, 2, 2), d.normal(3, 2), d.normal(4, 4))),
    Counterpart("autoencoder", AUTOENCODER, autoencoder, lambda d: (d.normal(4, 2), d.normal(2, 4), d.normal(5, 4))),
    Counterpart(
        "variational_bound",
        VARIATIONAL,
        variational,
        lambda d: (d.normal(2), d.normal(2), d.normal(2, 3), d.normal(3), d.normal(4, 2)),
    ),
    Counterpart(
        "policy_gradient",
        POLICY,
        policy,
        lambda d: (d.normal(3, 2), d.ids(6, below=2), d.normal(6), d.normal(6, 3)),
    ),
    Counterpart("embedding_bag", EMBEDDING, embedding, lambda d: (d.normal(5, 3), d.normal(3), d.ids(4, 2, below=5))),
    Counterpart("huber_loss", HUBER, huber, lambda d: (d.normal(3), d.normal(6, 3), d.normal(6))),
    Counterpart(
        "learning_to_learn",
        META,
        meta,
        lambda d: (d.normal(3), d.positive(), d.normal(5, 3), d.normal(5)),
    ),
    Counterpart("activations", ACTIVATIONS, activations, lambda d: (d.normal(8),)),
)
