"""Programs over sequences: recurrences, filters, decoders."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp

from tests.e2e.counterparts.counterpart import Counterpart

LSTM = """
type Lstm[i, h] = {wx: f64[i, 4 * h], wh: f64[h, 4 * h], b: f64[4 * h]}
def f(p: Lstm[i, h], xs: f64[t, n, i]) -> f64 =
    let (last, hs) = scan (hidden, memory) = (zeros([n, h], f64), zeros([n, h], f64)) for x in xs do
        let gates = x @ p.wx + hidden @ p.wh + p.b
        let memory = sigmoid(gates[:, :h]) * memory + sigmoid(gates[:, h : 2 * h]) * tanh(gates[:, 2 * h : 3 * h])
        let hidden = sigmoid(gates[:, 3 * h :]) * tanh(memory)
        ((hidden, memory), hidden)
    sum(hs ** 2) + sum(last.1)
"""


def lstm(p: Any, xs: Any) -> Any:
    h = p["wh"].shape[0]

    def step(carry: Any, x: Any) -> Any:
        hidden, memory = carry
        gates = x @ p["wx"] + hidden @ p["wh"] + p["b"]
        i, o, c, u = (gates[:, k * h : (k + 1) * h] for k in range(4))
        memory = jax.nn.sigmoid(i) * memory + jax.nn.sigmoid(o) * jnp.tanh(c)
        hidden = jax.nn.sigmoid(u) * jnp.tanh(memory)
        return (hidden, memory), hidden

    start = jnp.zeros((xs.shape[1], h), xs.dtype)
    last, hs = jax.lax.scan(step, (start, start), xs)
    return jnp.sum(hs**2) + jnp.sum(last[1])


GRU = """
type Gru[i, h] = {wz: f64[i, h], uz: f64[h, h], wr: f64[i, h], ur: f64[h, h], wn: f64[i, h], un: f64[h, h]}
def cell(p: Gru[i, h], hidden: f64[h], x: f64[i]) -> f64[h] =
    let z = sigmoid(x @ p.wz + hidden @ p.uz)
    let r = sigmoid(x @ p.wr + hidden @ p.ur)
    (1.0 - z) * tanh(x @ p.wn + (r * hidden) @ p.un) + z * hidden

def f(p: Gru[i, h], xs: f64[t, i]) -> f64 = sum(fold hidden = zeros([h], f64) for x in xs do cell(p, hidden, x))
"""


def gru(p: Any, xs: Any) -> Any:
    def step(hidden: Any, x: Any) -> Any:
        z = jax.nn.sigmoid(x @ p["wz"] + hidden @ p["uz"])
        r = jax.nn.sigmoid(x @ p["wr"] + hidden @ p["ur"])
        return (1.0 - z) * jnp.tanh(x @ p["wn"] + (r * hidden) @ p["un"]) + z * hidden, None

    return jnp.sum(jax.lax.scan(step, jnp.zeros((p["uz"].shape[0],), xs.dtype), xs)[0])


CHECKPOINTED = """
def f(w: f64[h, h], h0: f64[h], xs: f64[t, h]) -> f64 =
    let step = checkpoint(fn (w: f64[h, h], s: f64[h], x: f64[h]) -> tanh(w @ s + x))
    sum(fold s = h0 for x in xs do step(w, s, x))
"""


def recurrent(w: Any, h0: Any, xs: Any) -> Any:
    def step(s: Any, x: Any) -> Any:
        return jax.checkpoint(lambda w, s, x: jnp.tanh(w @ s + x))(w, s, x), None

    return jnp.sum(jax.lax.scan(step, h0, xs)[0])


KALMAN = """
import linalg
def f(a: f64[n, n], q: f64[n, n], c: f64[m, n], r: f64[m, m], mean0: f64[n], zs: f64[t, m]) -> f64 =
    let (_, losses) = scan (mean, cov) = (mean0, eye(n, f64)) for z in zs do
        let (mean, cov) = (a @ mean, a @ cov @ a.T + q)
        let error = z - c @ mean
        let s = c @ cov @ c.T + r
        let gain = cov @ c.T @ linalg.inv(s)
        let loss = 0.5 * error @ linalg.solve(s, error) + 0.5 * linalg.slogdet(s).1
        ((mean + gain @ error, (eye(n, f64) - gain @ c) @ cov), loss)
    sum(losses)
"""


def kalman(a: Any, q: Any, c: Any, r: Any, mean: Any, zs: Any) -> Any:
    def step(belief: Any, z: Any) -> Any:
        mean, cov = a @ belief[0], a @ belief[1] @ a.T + q
        error, s = z - c @ mean, c @ cov @ c.T + r
        gain = cov @ c.T @ jnp.linalg.inv(s)
        loss = 0.5 * error @ jnp.linalg.solve(s, error) + 0.5 * jnp.linalg.slogdet(s)[1]
        return (mean + gain @ error, (unit - gain @ c) @ cov), loss

    unit = jnp.eye(len(mean), dtype=mean.dtype)
    return jnp.sum(jax.lax.scan(step, (mean, unit), zs)[1])


HMM = """
import nn
def f(start: f64[k], move: f64[k, k], emission: f64[k, v], seen: idx[v][t]) -> f64 where k >= 1 =
    let first = nn.log_softmax(start, axis=-1)
    let moves = nn.log_softmax(move, axis=-1)
    let last = fold alpha = first for o in seen do
        nn.logsumexp(alpha[:, None] + moves, axis=0) + emission[:, o]
    nn.logsumexp(last)
"""


def hmm(start: Any, move: Any, emission: Any, seen: Any) -> Any:
    alpha, moves = jax.nn.log_softmax(start), jax.nn.log_softmax(move, axis=-1)
    for o in seen:
        alpha = jax.nn.logsumexp(alpha[:, None] + moves, axis=0) + emission[:, o]
    return jax.nn.logsumexp(alpha)


HMM_SCALED = """
def f(start: f64[k], move: f64[k, k], emission: f64[k, v], seen: idx[v][t]) -> f64 =
    let (alpha, logs) = scan alpha = start for o in seen do
        let a = (alpha @ move) * emission[:, o]
        (a / sum(a), log(sum(a)))
    sum(logs) + log(sum(alpha ** 2))
"""


def hmm_scaled(start: Any, move: Any, emission: Any, seen: Any) -> Any:
    alpha, total = start, 0.0
    for o in seen:
        a = (alpha @ move) * emission[:, o]
        alpha, total = a / jnp.sum(a), total + jnp.log(jnp.sum(a))
    return total + jnp.log(jnp.sum(alpha**2))


VITERBI = """
def f(start: f64[k], move: f64[k, k], scores: f64[t, k]) -> f64 where k >= 1 =
    max(fold best = start for row in scores do max(best[:, None] + move, axis=0) + row)
"""


def viterbi(start: Any, move: Any, scores: Any) -> Any:
    best = start
    for row in scores:
        best = jnp.max(best[:, None] + move, axis=0) + row
    return jnp.max(best)


CRF = """
import nn
def f(move: f64[k, k], tags: idx[k][t], scores: f64[t, k]) -> f64 where k >= 1 and t >= 1 =
    let all = fold alpha = scores[0] for row in scores[1:] do
        nn.logsumexp(alpha[:, None] + move, axis=0) + row
    let chosen = sum([scores[i, tags[i]] for i in range(t)])
    let moved = sum([move[tags[i], tags[i + 1]] for i in range(t - 1)])
    nn.logsumexp(all) - chosen - moved
"""


def crf(move: Any, tags: Any, scores: Any) -> Any:
    alpha = scores[0]
    for row in scores[1:]:
        alpha = jax.nn.logsumexp(alpha[:, None] + move, axis=0) + row
    chosen = jnp.sum(scores[jnp.arange(len(tags)), tags])
    return jax.nn.logsumexp(alpha) - chosen - jnp.sum(move[tags[:-1], tags[1:]])


ALIGNMENT = """
def f(blank: f64[t], scores: f64[t, u]) -> f64 =
    let start = concatenate((zeros([1], f64), full([u], f64(-30.0))))
    let last = fold alpha = start for b, row in zip(blank, scores) do
        let moved = concatenate((full([1], f64(-30.0)), alpha[:-1] + row))
        logaddexp(alpha + b, moved)
    -last[-1]
"""


def alignment(blank: Any, scores: Any) -> Any:
    u = scores.shape[1]
    alpha = jnp.concatenate([jnp.zeros(1, scores.dtype), jnp.full(u, -30.0, scores.dtype)])
    for b, row in zip(blank, scores, strict=True):
        moved = jnp.concatenate([jnp.full(1, -30.0, scores.dtype), alpha[:-1] + row])
        alpha = jnp.logaddexp(alpha + b, moved)
    return -alpha[-1]


EDIT = """
def soft(a: f64, b: f64, c: f64) -> f64 = -0.5 * log(exp(-2.0 * a) + exp(-2.0 * b) + exp(-2.0 * c))
def f(x: f64[n], y: f64[m]) -> f64 =
    let first = full([m], f64(8.0))
    let last = fold row = concatenate((zeros([1], f64), first)) for a in x do
        let (_, next) = scan left = f64(8.0) for b, up, diagonal in zip(y, row[1:], row[:-1]) do
            let cost = (a - b) ** 2 + soft(left, up, diagonal)
            (cost, cost)
        concatenate((full([1], f64(8.0)), next))
    last[-1]
"""


def edit(x: Any, y: Any) -> Any:
    def soft(a: Any, b: Any, c: Any) -> Any:
        return -0.5 * jnp.log(jnp.exp(-2.0 * a) + jnp.exp(-2.0 * b) + jnp.exp(-2.0 * c))

    row = [jnp.zeros((), x.dtype)] + [jnp.full((), 8.0, x.dtype)] * len(y)
    for a in x:
        following = [jnp.full((), 8.0, x.dtype)]
        for j, b in enumerate(y):
            following.append((a - b) ** 2 + soft(following[-1], row[j + 1], row[j]))
        row = following
    return row[-1]


RETURNS = """
def f(gamma: f64, values: f64[t], rewards: f64[t]) -> f64 =
    let (_, advantages) = scan (acc, next) = (f64(0), f64(0)) for r, v in zip(rewards, values) reverse do
        let acc = r + gamma * next - v + gamma * 0.9 * acc
        ((acc, v), acc)
    sum(advantages ** 2)
"""


def returns(gamma: Any, values: Any, rewards: Any) -> Any:
    acc = following = jnp.zeros((), values.dtype)
    total = jnp.zeros((), values.dtype)
    for r, v in zip(rewards[::-1], values[::-1], strict=True):
        acc, following = r + gamma * following - v + gamma * 0.9 * acc, v
        total = total + acc**2
    return total


SMOOTHING = """
def f(alpha: f64, x: f64[n]) -> f64 where n >= 1 =
    let (_, errors) = scan s = x[0] for v in x unroll 2 do (alpha * v + (1.0 - alpha) * s, v - s)
    mean(errors ** 2)
"""


def smoothing(alpha: Any, x: Any) -> Any:
    s, total = x[0], jnp.zeros((), x.dtype)
    for v in x:
        total, s = total + (v - s) ** 2, alpha * v + (1.0 - alpha) * s
    return total / len(x)


GARCH = """
def f(omega: f64, alpha: f64, beta: f64, r: f64[n]) -> f64 where n >= 1 =
    let (_, terms) = scan v = var(r) for x in r do
        (omega + alpha * x ** 2 + beta * v, log(v) + x ** 2 / v)
    0.5 * sum(terms)
"""


def garch(omega: Any, alpha: Any, beta: Any, r: Any) -> Any:
    v, total = jnp.var(r), jnp.zeros((), r.dtype)
    for x in r:
        v, total = omega + alpha * x**2 + beta * v, total + jnp.log(v) + x**2 / v
    return 0.5 * total


CUMULATIVE = """
def f(x: f64[n]) -> f64 where n >= 1 =
    sum(cumsum(x) ** 2) + sum(cumprod(x)) + sum(cummax(x) * x) + sum(cumlogsumexp(x))
"""


def cumulative(x: Any) -> Any:
    steps = jax.lax.cumlogsumexp(x)
    return jnp.sum(jnp.cumsum(x) ** 2) + jnp.sum(jnp.cumprod(x)) + jnp.sum(jax.lax.cummax(x) * x) + jnp.sum(steps)


def _gru(d: Any) -> dict[str, Any]:
    inputs = {name: d.normal(2, 3) for name in ("wz", "wr", "wn")}
    return inputs | {name: d.normal(3, 3) for name in ("uz", "ur", "un")}


def _lstm(d: Any) -> dict[str, Any]:
    return {"wx": d.normal(2, 12, scale=0.5), "wh": d.normal(3, 12, scale=0.5), "b": d.normal(12)}


PROGRAMS = (
    Counterpart("lstm", LSTM, lstm, lambda d: (_lstm(d), d.normal(4, 2, 2))),
    Counterpart("gru", GRU, gru, lambda d: (_gru(d), d.normal(4, 2))),
    Counterpart(
        "checkpointed_recurrence",
        CHECKPOINTED,
        recurrent,
        lambda d: (d.normal(3, 3, scale=0.5), d.normal(3), d.normal(5, 3)),
    ),
    Counterpart(
        "kalman_filter",
        KALMAN,
        kalman,
        lambda d: (
            d.normal(2, 2, scale=0.5),
            d.spd(2),
            d.normal(2, 2),
            d.spd(2),
            d.normal(2),
            d.normal(3, 2),
        ),
    ),
    Counterpart(
        "hmm_forward",
        HMM,
        hmm,
        lambda d: (d.normal(3), d.normal(3, 3), d.normal(3, 4), d.ids(5, below=4)),
    ),
    Counterpart(
        "hmm_scaled",
        HMM_SCALED,
        hmm_scaled,
        lambda d: (d.shares(3), d.shares(3, 3), d.shares(3, 4), d.ids(5, below=4)),
    ),
    Counterpart("viterbi_score", VITERBI, viterbi, lambda d: (d.normal(3), d.normal(3, 3), d.normal(5, 3))),
    Counterpart("crf", CRF, crf, lambda d: (d.normal(3, 3), d.ids(5, below=3), d.normal(5, 3))),
    Counterpart("alignment", ALIGNMENT, alignment, lambda d: (d.normal(6), d.normal(6, 3))),
    Counterpart("soft_edit_distance", EDIT, edit, lambda d: (d.normal(3), d.normal(4))),
    Counterpart("advantages", RETURNS, returns, lambda d: (d.positive() * 0.6, d.normal(5), d.normal(5))),
    Counterpart("exponential_smoothing", SMOOTHING, smoothing, lambda d: (d.positive() * 0.5, d.normal(6))),
    Counterpart(
        "garch",
        GARCH,
        garch,
        lambda d: (d.positive(), d.positive() * 0.2, d.positive() * 0.4, d.normal(6)),
    ),
    Counterpart("cumulative_sums", CUMULATIVE, cumulative, lambda d: (d.normal(5),)),
)
