"""The program that `benchmarks.editor` edits: numbered blocks with convolutions, pooling, attention, solvers, records
and generics. Every block uses the declarations of the block before."""

from __future__ import annotations

HEAD = """\
# A collection of models.

import linalg
import nn
import ode
import optim
from random import normal, split

type Layer[i, o] = {w: f32[o, i], b: f32[o]}

## One affine layer; every block uses it.
def dense(p: Layer[i, o], x: f32[n, i]) -> f32[n, o] = x @ p.w.T + p.b

def squared[a: Float](x: a[*s]) -> a[*s] = x * x

"""
BLOCK = """\
# ---------------------------------------------------------------- block {i}

enum Mode_{i} = Plain | Scaled_{i}(factor: float)

## Two convolutions and a layer.
type Net_{i}[c, o] = {
    first: f32[c, 1, 3, 3],
    second: f32[2 * c, c, 3, 3],
    out: Layer[2 * c * 4, o]
}

def init_{i}(k: key, static c: size, static o: size) -> Net_{i}[c, o] where c >= 1 =
    let ks = split(k, 3)
    {
        first = 0.1 * normal(ks[0], [c, 1, 3, 3]),
        second = 0.1 * normal(ks[1], [2 * c, c, 3, 3]),
        out = {w = normal(ks[2], [o, 2 * c * 4]), b = zeros([o])}
    }

## Halve rows and columns.
def pooled_{i}(x: f32[n, c, h, w]) -> f32[n, c, h // 2, w // 2] where h >= 2 and w >= 2 =
    nn.max_pool(nn.relu(x), (2, 2), strides=2)

def scores_{i}(p: Net_{i}[c, o], x: f32[n, 8, 8]) -> f32[n, o] where c >= 1 =
    let seen = pooled_{i}(conv(x[:, None, :, :], p.first, padding="SAME"))
    let seen = pooled_{i}(conv(seen, p.second, padding="SAME"))
    dense(p.out, reshape(seen, [n, 8 * c]))

def scaled_{i}(static m: Mode_{i}, x: f32[n]) -> f32[n] =
    match m with
        Plain_{i} -> x
        Scaled_{i}(k) -> k * x

## Attention of several heads, and a layer.
def attended_{i}(q: f32[b, t, h, d], k: f32[b, s, h, d], v: f32[b, s, h, d]) -> f32[b, t, h * d]
    where s >= 1 and d >= 1 =
    let seen = nn.dot_product_attention(q, k, v)
    reshape(seen, [b, t, h * d]) + {before}

def loss_{i}(p: Net_{i}[c, o], x: f32[n, 8, 8], y: idx[o][n]) -> f32 where c >= 1 and o >= 1 and n >= 1 =
    let found = scores_{i}(p, x)
    mean(optim.softmax_cross_entropy_with_integer_labels(found, y)) + 0.01 * sum(squared(p.out.w))

## One step of gradient descent.
def step_{i}(p: Net_{i}[c, o], x: f32[n, 8, 8], y: idx[o][n], rate: f32) -> Net_{i}[c, o]
    where c >= 1 and o >= 1 and n >= 1 =
    p - rate * grad(loss_{i})(p, x, y)

def slope_{i}(a: f32[d, d], y: f32[d]) -> f32[d] = a @ tanh(y)

def curve_{i}(a: f32[d, d], y: f32[d], ts: f32[m]) -> f32[m, d] where m >= 1 =
    ode.solve(fn (t, y) -> slope_{i}(a, y), y, ts[0], ts[-1], ode.tsit5(), save=ts, max_steps=64).saved

def solved_{i}(a: f32[d, d], b: f32[d]) -> f32[d] =
    let damped = a @ a.T + eye(d)
    let x = linalg.solve(damped, b)
    x + 0.1 * slope_{i}(a, x)

def run_{i}(x: f32[n], static k: size) -> f32[k] where n >= 1 =
    let (_, all) = scan s = x for j in range(k) do
        let s = scaled_{i}(Scaled_{i}(0.5), s)
        (s, mean(s))
    all

"""


def program(lines: int) -> str:
    """A program of about so many lines."""
    count = max(1, (lines - HEAD.count("\n")) // BLOCK.count("\n"))
    blocks = []
    for i in range(count):
        before = "0.0" if i % 8 == 0 else f"0.1 * attended_{i - 1}(q, k, v)"
        blocks.append(BLOCK.replace("Plain |", "Plain_{i} |").replace("{before}", before).replace("{i}", str(i)))
    return HEAD + "".join(blocks)
