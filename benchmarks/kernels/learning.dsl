# Statistics and learning: losses, layers, their gradients, and models that are fitted.

import linalg
import nn

def softmax(x: f32[b, h, n, m]) -> f32[b, h, n, m] where m >= 1 =
    let e = exp(x - max(x, axis=-1, keepdims=true))
    e / sum(e, axis=-1, keepdims=true)

def layer_norm(x: f32[n, d], scale: f32[d], shift: f32[d]) -> f32[n, d] =
    let centred = x - mean(x, axis=1, keepdims=true)
    centred / sqrt(mean(centred ** 2, axis=1, keepdims=true) + 1e-5) * scale + shift

type Layer[i, o] = {w: f32[i, o], b: f32[o]}

def _dense(p: Layer[i, o], x: f32[n, i]) -> f32[n, o] = x @ p.w + p.b

def mlp(x: f32[n, i], p: Layer[i, j], q: Layer[j, k], r: Layer[k, o]) -> f32[n, o] where o >= 1 =
    nn.softmax(_dense(r, nn.relu(_dense(q, nn.relu(_dense(p, x))))))

def _mlp_loss(layers: (Layer[i, j], Layer[j, k], Layer[k, o]), x: f32[n, i], y: f32[n, o]) -> f32
    where o >= 1 and n >= 1 =
    let z = _dense(layers.2, nn.relu(_dense(layers.1, nn.relu(_dense(layers.0, x)))))
    -mean(sum(y * nn.log_softmax(z), axis=1))

def mlp_gradient(x: f32[n, i], y: f32[n, o], p: Layer[i, j], q: Layer[j, k], r: Layer[k, o])
    -> (Layer[i, j], Layer[j, k], Layer[k, o]) where o >= 1 and n >= 1 = grad(_mlp_loss)((p, q, r), x, y)

def conv2d(x: f32[n, h, w, c], k: f32[3, 3, c, o], bias: f32[o]) -> f32[n, h, w, o] =
    conv(x, k, 1, "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC")) + bias

def _convolved(x: f32[n, h, w, c], k: f32[5, 5, c, o], bias: f32[o]) -> f32[n, h - 4, w - 4, o]
    where h >= 5 and w >= 5 =
    nn.relu(conv(x, k, 1, "VALID", dimension_numbers=("NHWC", "HWIO", "NHWC")) + bias)

## The largest of each square of four.
def _halved(x: f32[n, 2 * h, 2 * w, c]) -> f32[n, h, w, c] = max(reshape(x, [n, h, 2, w, 2, c]), axis=(2, 4))

def lenet(
    x: f32[n, 28, 28, 1], k: f32[5, 5, 1, 6], a: f32[6], l: f32[5, 5, 6, 16], b: f32[16],
    p: Layer[256, 120], q: Layer[120, 84], r: Layer[84, 10],
) -> f32[n, 10] =
    let h = _halved(_convolved(_halved(_convolved(x, k, a)), l, b))
    _dense(r, nn.relu(_dense(q, nn.relu(_dense(p, reshape(h, [n, 256]))))))

type Cell[d, h] = {w: f32[d, 4 * h], u: f32[h, 4 * h], b: f32[4 * h]}

def lstm(p: Cell[d, h], xs: f32[t, n, d]) -> f32 =
    let start = (zeros([n, h]), zeros([n, h]))
    let (_, hs) = scan (s, c) = start for x in xs do
        let z = x @ p.w + s @ p.u + p.b
        let c = sigmoid(z[:, h : 2 * h]) * c + sigmoid(z[:, :h]) * tanh(z[:, 2 * h : 3 * h])
        let s = sigmoid(z[:, 3 * h :]) * tanh(c)
        ((s, c), s)
    mean(hs ** 2)

def lstm_gradient(p: Cell[d, h], xs: f32[t, n, d]) -> Cell[d, h] = grad(lstm)(p, xs)

type Block[d, f] = {q: f32[d, d], k: f32[d, d], v: f32[d, d], o: f32[d, d], up: f32[d, f], down: f32[f, d], scale: f32[d], shift: f32[d]}

## A block of a transformer: attention among n places with h heads, then two layers, both after a norm.
def transformer(p: Block[d, f], x: f32[b, n, d], static heads: int) -> f32[b, n, d]
    where heads >= 1 and d % heads == 0 and n >= 1 =
    let y = nn.layer_norm(x, p.scale, p.shift)
    let shape = [b, n, heads, d // heads]
    let (q, k, v) = (reshape(y @ p.q, shape), reshape(y @ p.k, shape), reshape(y @ p.v, shape))
    let scores = einsum("bqhd,bkhd->bhqk", q, k) / sqrt(f32(d // heads))
    let mixed = einsum("bhqk,bkhd->bqhd", nn.softmax(scores), v)
    let x = x + reshape(mixed, [b, n, d]) @ p.o
    x + nn.gelu(nn.layer_norm(x, p.scale, p.shift) @ p.up) @ p.down

def _transformer_loss(p: Block[d, f], x: f32[b, n, d], static heads: int) -> f32
    where heads >= 1 and d % heads == 0 and n >= 1 = mean(transformer(p, x, heads) ** 2)

def transformer_gradient(p: Block[d, f], x: f32[b, n, d], static heads: int) -> Block[d, f]
    where heads >= 1 and d % heads == 0 and n >= 1 = grad(fn p -> _transformer_loss(p, x, heads))(p)

## Lloyd's algorithm.
def kmeans(x: f32[n, d], centres: f32[k, d], static steps: size) -> f32[k, d] where k >= 1 =
    fold c = centres for _ in range(steps) do
        let label = argmin(sum(c ** 2, axis=1) - 2.0 * (x @ c.T), axis=1)
        let member = f32(label[:, None] == arange(k)[None, :])
        let count = sum(member, axis=0)[:, None]
        where(count > 0.0, member.T @ x / maximum(count, 1.0), c)

## The log-likelihood of a Gaussian process with a squared-exponential kernel.
def gp(x: f64[n, d], y: f64[n], scale: f64, noise: f64) -> f64 =
    let z = x / scale
    let squares = sum(z ** 2, axis=1)
    let apart = squares[:, None] + squares[None, :] - 2.0 * (z @ z.T)
    let l = linalg.cholesky(exp(-0.5 * apart) + noise * eye(n, f64))
    let w = linalg.solve_triangular(l, y, lower=true)
    -0.5 * (w @ w) - sum(log(diagonal(l))) - 0.5 * n * log(2.0 * pi)

def gp_gradient(x: f64[n, d], y: f64[n], scale: f64, noise: f64) -> (f64, f64) = grad(gp, argnums=(2, 3))(x, y, scale, noise)

def go_fast(a: f64[n, n]) -> f64[n, n] = a + sum(tanh(diagonal(a)))

def clipping(x: f64[n, m], y: f64[n, m], a: f64, b: f64, c: f64) -> f64[n, m] = clip(x, 0.2, 0.8) * a + y * b + c

## Great-circle distances of points given by latitude and longitude.
def arc_distance(p: f64[n], q: f64[n], r: f64[n], s: f64[n]) -> f64[n] =
    let h = sin((r - p) / 2.0) ** 2 + cos(p) * cos(r) * sin((s - q) / 2.0) ** 2
    2.0 * atan2(sqrt(h), sqrt(1.0 - h))

## The prices of European calls and puts.
def black_scholes(s: f64[n], k: f64[n], t: f64[n], v: f64[n], rate: f64) -> (f64[n], f64[n]) =
    let root = v * sqrt(t)
    let d1 = (log(s / k) + (rate + 0.5 * v ** 2) * t) / root
    let d2 = d1 - root
    let paid = k * exp(-rate * t)
    (s * _normal(d1) - paid * _normal(d2), paid * _normal(-d2) - s * _normal(-d1))
def _normal(x: f64[n]) -> f64[n] = 0.5 * (1.0 + erf(x / sqrt(2.0)))

## The log-likelihood of observations of a linear system with noise, by Kalman's filter.
def kalman(a: f64[d, d], c: f64[o, d], noise: f64, ys: f64[t, o]) -> f64 =
    let (one, small) = (noise * eye(d, f64), noise * eye(o, f64))
    let start = (zeros([d], f64), eye(d, f64), 0.0)
    let (_, _, total) = fold (m, v, total) = start for y in ys do
        let (m, v) = (a @ m, a @ v @ a.T + one)
        let l = linalg.cholesky(c @ v @ c.T + small)
        let gain = linalg.solve_triangular(l, c @ v, lower=true)
        let gap = linalg.solve_triangular(l, y - c @ m, lower=true)
        (m + gain.T @ gap, v - gain.T @ gain, total - 0.5 * (gap @ gap) - sum(log(diagonal(l))))
    total
