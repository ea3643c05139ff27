# Models as they are fitted: training steps, derivatives of second order, simulations that are differentiated, decoding.

import linalg
import nn

type Dense[i, o] = {w: f32[i, o], b: f32[o]}
type Filters[c, o] = {w: f32[3, 3, c, o], b: f32[o]}
type Net = {first: Filters[1, 16], second: Filters[16, 32], hidden: Dense[1568, 128], out: Dense[128, 10]}

def _filtered(p: Filters[c, o], x: f32[n, h, w, c]) -> f32[n, h, w, o] where h >= 1 and w >= 1 =
    nn.relu(conv(x, p.w, 1, "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC")) + p.b)
def _halved(x: f32[n, 2 * h, 2 * w, c]) -> f32[n, h, w, c] where h >= 1 and w >= 1 = nn.max_pool(x, (2, 2, 1), (2, 2, 1))
def _dense(p: Dense[i, o], x: f32[n, i]) -> f32[n, o] = x @ p.w + p.b

def _net(p: Net, x: f32[n, 28, 28, 1]) -> f32[n, 10] =
    let h = _halved(_filtered(p.second, _halved(_filtered(p.first, x))))
    _dense(p.out, nn.relu(_dense(p.hidden, reshape(h, [n, 1568]))))

def _entropy(z: f32[n, k], y: i32[n]) -> f32 where n >= 1 and k >= 1 =
    -mean(sum(nn.log_softmax(z) * f32(y[:, None] == arange(k)[None, :]), axis=1))

## A step of gradient descent with momentum on a batch of images.
def cnn_step(p: Net, m: Net, x: f32[n, 28, 28, 1], y: i32[n]) -> (Net, Net, f32) where n >= 1 =
    let (loss, g) = value_and_grad(fn p -> _entropy(_net(p, x), y))(p)
    let m = 0.9 * m + g
    (p - 0.1 * m, m, loss)

## The gradient of a pooling whose windows overlap.
def pool_gradient(x: f32[n, h, w, c]) -> f32[n, h, w, c] where h >= 3 and w >= 3 =
    grad(fn x -> sum(nn.max_pool(x, (3, 3, 1), (2, 2, 1)) ** 2))(x)

type Layers[i, h, o] = {first: Dense[i, h], second: Dense[h, h], last: Dense[h, o]}

def _layers(p: Layers[i, h, o], x: f32[n, i]) -> f32[n, o] =
    _dense(p.last, tanh(_dense(p.second, tanh(_dense(p.first, x)))))

## Steps of Adam on one batch.
def adam_loop(p: Layers[i, h, o], x: f32[n, i], y: f32[n, o], static steps: size) -> Layers[i, h, o]
    where n >= 1 and o >= 1 =
    let (p, _, _) = fold (p, m, v) = (p, zeros_like(p), zeros_like(p)) for k in range(steps) do
        let g = grad(fn p -> mean((_layers(p, x) - y) ** 2))(p)
        let m = 0.9 * m + 0.1 * g
        let v = 0.999 * v + 0.001 * tree_map(fn g -> g ** 2, g)
        let t = f32(k + 1)
        let step = tree_map(fn (m, v) -> m / (1.0 - 0.9 ** t) / (sqrt(v / (1.0 - 0.999 ** t)) + 1e-8), m, v)
        (p - 1e-3 * step, m, v)
    p

def _logistic(w: f64[d], x: f64[n, d], y: f64[n]) -> f64 where n >= 1 =
    let z = x @ w
    mean(nn.softplus(z) - y * z) + 1e-3 * (w @ w)

## Newton's method by the whole Hessian.
def newton(x: f64[n, d], y: f64[n], static steps: size) -> f64[d] where n >= 1 =
    fold w = zeros([d], f64) for _ in range(steps) do
        w - linalg.solve(hessian(_logistic)(w, x, y), grad(_logistic)(w, x, y))

## The gradient of the price of a call, by simulated paths, in a surface of volatilities over time and log-price.
def local_volatility(surface: f64[t, k], strike: f64, z: f64[t, n]) -> f64[t, k] where n >= 1 and k >= 2 and t >= 1 =
    grad(_price)(surface, strike, z)
def _price(surface: f64[t, k], strike: f64, z: f64[t, n]) -> f64 where n >= 1 and k >= 2 and t >= 1 =
    let dt = 1.0 / t
    let last = fold s = zeros([n], f64) for (row, dz) in zip(surface, z) do
        let at = clip((s + 1.0) / 2.0 * (k - 1.0), 0.0, k - 1.001)
        let low = clip(i32(at), 0, k - 2)
        let part = at - f64(low)
        let v = row[low] * (1.0 - part) + row[low + 1] * part
        s - 0.5 * v ** 2 * dt + v * sqrt(dt) * dz
    mean(maximum(exp(last) - strike, 0.0))

## The most probable path through hidden states.
def viterbi(start: f32[s], move: f32[s, s], seen: f32[t, s]) -> idx[s][t] where s >= 1 and t >= 1 =
    let (last, back) = scan p = start + seen[0] for e in seen[1:] do
        let all = p[:, None] + move
        (max(all, axis=0) + e, argmax(all, axis=0))
    let end = argmax(last)
    let (_, path) = scan at: idx[s] = end for row in flip(back, axis=0) do
        let before = row[at]
        (before, before)
    flip(concatenate([[end], path]))

def _evidence(theta: f64[3], x: f64[n, d], y: f64[n]) -> f64 =
    let p = exp(theta)
    let z = x / p[0]
    let squares = sum(z ** 2, axis=1)
    let apart = squares[:, None] + squares[None, :] - 2.0 * (z @ z.T)
    let l = linalg.cholesky(p[1] * exp(-0.5 * apart) + p[2] * eye(n, f64))
    let w = linalg.solve_triangular(l, y, lower=true)
    0.5 * (w @ w) + sum(log(diagonal(l)))

## The Hessian of a Gaussian process's evidence in its three parameters.
def gp_hessian(theta: f64[3], x: f64[n, d], y: f64[n]) -> f64[3, 3] = hessian(_evidence)(theta, x, y)

## Kepler's equation for many orbits, each iterated until it is met.
def kepler(mean_anomaly: f64[n], eccentricity: f64[n]) -> f64[n] ! div = vmap(_anomaly)(mean_anomaly, eccentricity)
def _anomaly(m: f64, e: f64) -> f64 ! div =
    iterate a = m while abs(a - e * sin(a) - m) > 1e-12 do
        a - (a - e * sin(a) - m) / (1.0 - e * cos(a))

## What a kernel regression predicts at the points that it is fitted to.
def kernel_regression(x: f64[n], y: f64[n], width: f64) -> f64[n] where n >= 1 =
    nn.softmax(-(((x[:, None] - x[None, :]) / width) ** 2), axis=1) @ y

## The gradient of its squared errors in the points and the width.
def regression_gradient(x: f64[n], y: f64[n], width: f64) -> (f64[n], f64) where n >= 1 =
    grad(fn (x, width) -> sum((kernel_regression(x, y, width) - y) ** 2), argnums=(0, 1))(x, width)
