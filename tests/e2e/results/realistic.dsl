#### attention
import nn
def attention(q: f32[*b, n, d], k: f32[*b, m, d], v: f32[*b, m, e], *, static causal: bool = false) -> f32[*b, n, e] =
    let scores = q @ k.T / sqrt(f32(d))
    let masked = if causal then where(arange(n)[:, None] >= arange(m)[None, :], scores, -inf) else scores
    nn.softmax(masked, axis=-1) @ v
type MHA[d, h, k] = {wq: f32[h, d, k], wk: f32[h, d, k], wv: f32[h, d, k], wo: f32[h, k, d]}
def mha(p: MHA[d, h, k], x: f32[n, d]) -> f32[n, d] =
    let heads = [attention(x @ wq, x @ wk, x @ wv) for wq, wk, wv in zip(p.wq, p.wk, p.wv)]
    sum(heads @ p.wo, axis=0)
def mha2(p: MHA[d, h, k], x: f32[n, d]) -> f32[n, d] =
    einsum("hnk,hkd->nd", [attention(x @ w.wq, x @ w.wk, x @ w.wv) for w in p], p.wo)
def multi(x: f32[b, n, d], wqkv: f32[d, 3 * d], wo: f32[d, d], static h: int) -> f32[b, n, d]
    where h >= 1 and d % h == 0 =
    let qkv = reshape(x @ wqkv, [b, n, 3, h, d // h])
    let q = transpose(qkv[:, :, 0], (0, 2, 1, 3))
    let k = transpose(qkv[:, :, 1], (0, 2, 1, 3))
    let v = transpose(qkv[:, :, 2], (0, 2, 1, 3))
    let o = attention(q, k, v)
    reshape(transpose(o, (0, 2, 1, 3)), [b, n, d]) @ wo
#= attention(A((0, 0)), A((1, 2), (3, 4)), A((2, 4), (4, 8))) => A((3, 6))

#### layernorm_block
import nn
type LN[d] = {g: f32[d], b: f32[d]}
type Block[d, f] = {ln1: LN[d], ln2: LN[d], wqkv: f32[d, 3 * d], wo: f32[d, d], w1: f32[d, f], w2: f32[f, d]}
def layernorm(p: LN[d], x: f32[*s, d], *, static eps: float = 1e-5) -> f32[*s, d] =
    let mu = mean(x, axis=-1, keepdims=true)
    let v = mean((x - mu) ** 2, axis=-1, keepdims=true)
    (x - mu) / sqrt(v + eps) * p.g + p.b
def block(p: Block[d, f], x: f32[n, d]) -> f32[n, d] =
    let h = layernorm(p.ln1, x)
    let qkv = h @ p.wqkv
    let (q, k, v) = (qkv[:, :d], qkv[:, d : 2 * d], qkv[:, 2 * d :])
    let a = nn.softmax(q @ k.T / sqrt(f32(d))) @ v
    let x = x + a @ p.wo
    x + nn.gelu(layernorm(p.ln2, x) @ p.w1) @ p.w2
def stack_(ps: Block[d, f][l], x: f32[n, d]) -> f32[n, d] =
    fold x = x for p in ps do block(p, x)
def loss(ps: Block[d, f][l], x: f32[n, d], y: f32[n, d]) -> f32 = mean((stack_(ps, x) - y) ** 2)
def step(ps: Block[d, f][l], x: f32[b, n, d], y: f32[b, n, d], lr: f32) -> (Block[d, f][l], f32) =
    let (l, g) = value_and_grad(fn ps -> mean(vmap(loss, in_axes=(none, 0, 0))(ps, x, y)))(ps)
    (ps - lr * g, l)
#= layernorm({"g": A(1, 1), "b": A(2, 3)}, A((5, 5), (7, 7))) => A((2, 3), (2, 3))

#### lstm_gru
import nn
type LSTM[i, h] = {w: f32[4 * h, i], u: f32[4 * h, h], b: f32[4 * h]}
def cell(p: LSTM[i, h], state: (f32[h], f32[h]), x: f32[i]) -> (f32[h], f32[h]) =
    let (hid, c) = state
    let z = reshape(p.w @ x + p.u @ hid + p.b, [4, h])
    let (i_, f, g, o) = z
    let c = nn.sigmoid(f) * c + nn.sigmoid(i_) * tanh(g)
    (nn.sigmoid(o) * tanh(c), c)
def lstm(p: LSTM[i, h], xs: f32[t, i]) -> f32[t, h] =
    let (_, hs) = scan s = (zeros([h]), zeros([h])) for x in xs do
        let s = cell(p, s, x)
        (s, s.0)
    hs
def bi(p: LSTM[i, h], q: LSTM[i, h], xs: f32[t, i]) -> f32[t, 2 * h] =
    let (_, a) = scan (hid, c) = (zeros([h]), zeros([h])) for x in xs do
        let (hid, c) = cell(p, (hid, c), x)
        ((hid, c), hid)
    let (_, b) = scan (hid, c) = (zeros([h]), zeros([h])) for x in xs reverse do
        let (hid, c) = cell(q, (hid, c), x)
        ((hid, c), hid)
    concatenate((a, b), axis=1)
type GRU[i, h] = {wz: f32[h, i + h], wr: f32[h, i + h], wh: f32[h, i + h]}
def gru(p: GRU[i, h], xs: f32[t, i]) -> (f32[h], f32[t, h]) =
    scan hid = zeros([h]) for x in xs do
        let xh = concatenate((x, hid))
        let z = nn.sigmoid(p.wz @ xh)
        let r = nn.sigmoid(p.wr @ xh)
        let n = tanh(p.wh @ concatenate((x, r * hid)))
        let hid = (1.0 - z) * n + z * hid
        (hid, hid)
def train(p: LSTM[i, h], xs: f32[b, t, i], ys: f32[b, t, h]) -> (LSTM[i, h], f32) =
    let loss = fn p -> mean([mean((lstm(p, x) - y) ** 2) for x, y in zip(xs, ys)])
    let (l, g) = value_and_grad(loss)(p)
    let norm = sqrt(sum(g.w ** 2) + sum(g.u ** 2) + sum(g.b ** 2))
    let g = g * min(1.0, 5.0 / (norm + 1e-6))
    (p - 0.01 * g, l)
#= gru({"wz": A((0, 0, 0)), "wr": A((0, 0, 0)), "wh": A((0, 0, 0))}, A((1, 2), (3, 4))) => (A(0), A((0,), (0,)))

#### cnn
import nn
def conv2d(x: f32[h, w, c], k: f32[kh, kw, c, o]) -> f32[h - kh + 1, w - kw + 1, o] where kh <= h and kw <= w and kh >= 1 and kw >= 1 =
    [tensordot(x[i : i + kh, j : j + kw], k, axes=3) for i in range(h - kh + 1), j in range(w - kw + 1)]
def conv2(x: f32[h, w, c], k: f32[kh, kw, c, o]) -> f32[h - kh + 1, w - kw + 1, o] where kh <= h and kw <= w and kh >= 1 and kw >= 1 =
    [einsum("abc,abco->o", x[i : i + kh, j : j + kw, :], k) for i in range(h - kh + 1), j in range(w - kw + 1)]
def maxpool(x: f32[h, w, c], static k: int = 2) -> f32[h // k, w // k, c] where k >= 1 =
    [max(x[i * k : i * k + k, j * k : j * k + k], axis=(0, 1)) for i in range(h // k), j in range(w // k)]
def avgpool(x: f32[h, w, c]) -> f32[h // 2, w // 2, c] =
    mean(reshape(x[: h // 2 * 2, : w // 2 * 2], [h // 2, 2, w // 2, 2, c]), axis=(1, 3))
type Net = {k1: f32[3, 3, 2, 4], k2: f32[2, 2, 4, 3], w: f32[3, 5], b: f32[5]}
def net(p: Net, x: f32[h, w, 2]) -> f32[5] where h >= 7 and w >= 7 =
    let a = nn.relu(conv2d(x, p.k1)) |> maxpool
    let a = nn.relu(conv2d(a, p.k2))
    mean(a, axis=(0, 1)) @ p.w + p.b
def loss(p: Net, x: f32[n, h, w, 2], y: idx[5][n]) -> f32 where h >= 7 and w >= 7 and n >= 1 =
    let logits = [net(p, img) for img in x]
    -mean([nn.log_softmax(l)[c] for l, c in zip(logits, y)])
def step(p: Net, x: f32[n, h, w, 2], y: idx[5][n]) -> Net where h >= 7 and w >= 7 and n >= 1 = p - 0.1 * grad(loss)(p, x, y)
#= step({'k1': R(3, 3, 2, 4), 'k2': R(2, 2, 4, 3), 'w': R(3, 5), 'b': R(5)}, R(2, 8, 9, 2), I(1, 4))
#### batchnorm
type BN[d] = {g: f32[d], b: f32[d]}
type Stats[d] = {mean: f32[d], var: f32[d]}
def bn(p: BN[d], s: Stats[d], x: f32[n, d], static train: bool) -> (f32[n, d], Stats[d]) where n >= 1 =
    let mu = if train then mean(x, axis=0) else s.mean
    let v = if train then var(x, axis=0) else s.var
    let y = (x - mu) / sqrt(v + 1e-5) * p.g + p.b
    (y, {s with mean = 0.9 * s.mean + 0.1 * mu, var = 0.9 * s.var + 0.1 * v})
def bn_state(p: BN[d], x: f32[n, d]) -> f32[n, d] ! state(s: Stats[d]) where n >= 1 =
    let (y, t) = bn(p, s, x, true)
    s := t
    y
def run(p: BN[d], x: f32[n, d], s0: Stats[d]) -> (f32[n, d], Stats[d]) where n >= 1 =
    with state s = s0 do
        bn_state(p, bn_state(p, x))
#= run({'g': np.ones(2, 'f4'), 'b': np.zeros(2, 'f4')}, A([1, 2], [3, 6]), {'mean': np.zeros(2, 'f4'), 'var': np.ones(2, 'f4')})
#### adam
def adam[P: VSpace](p: P, g: P, m: P, v: P, t: i32, lr: f32) -> (P, P, P) =
    let m = 0.9 * m + 0.1 * g
    let v = tree_map(fn (v, g) -> 0.999 * v + 0.001 * g * g, v, g)
    let c1 = 1.0 - 0.9 ** f32(t)
    let c2 = 1.0 - 0.999 ** f32(t)
    let step = tree_map(fn (m, v) -> m / cast(c1, m.dtype) / (sqrt(v / cast(c2, v.dtype)) + 1e-8), m, v)
    (tree_map(fn (p, s) -> p - cast(lr, p.dtype) * s, p, step), m, v)
def fit(w: f32, static steps: int) -> f32 =
    let (w, _, _, _) = fold (w, m, v, t) = (w, 0.0, 0.0, 1) for _ in range(steps) do
        let g = grad(fn w -> (w - 3.0) ** 2)(w)
        let (w, m, v) = adam(w, g, m, v, t, 0.1)
        (w, m, v, t + 1)
    w
def fit2(p: {a: f32[n], b: (f64, f32)}) -> {a: f32[n], b: (f64, f32)} =
    let zero = 0.0 * p
    let loss = fn p -> sum(p.a ** 2) + f32((p.b.0 - 1.0) ** 2) + p.b.1 ** 2
    let (p, _, _, _) = fold (p, m, v, t) = (p, zero, zero, 1) for _ in range(10) do
        let (p, m, v) = adam(p, grad(loss)(p), m, v, t, 0.05)
        (p, m, v, t + 1)
    p
#= fit2({'a': A(1, 2), 'b': (1.0, 2.0)})
#### kalman
import linalg
type Belief[n] = {x: f64[n], p: f64[n, n]}
def predict(b: Belief[n], f: f64[n, n], q: f64[n, n]) -> Belief[n] = {x = f @ b.x, p = f @ b.p @ f.T + q}
def update(b: Belief[n], z: f64[m], h: f64[m, n], r: f64[m, m]) -> Belief[n] =
    let s = h @ b.p @ h.T + r
    let k = linalg.solve(s, h @ b.p).T
    {x = b.x + k @ (z - h @ b.x), p = (eye(n, dtype=f64) - k @ h) @ b.p}
def filter(b: Belief[n], zs: f64[t, m], f: f64[n, n], q: f64[n, n], h: f64[m, n], r: f64[m, m]) -> (Belief[n], Belief[n][t]) =
    scan b = b for z in zs do
        let b = update(predict(b, f, q), z, h, r)
        (b, b)
#= predict({"x": np.zeros(2), "p": np.eye(2)}, np.eye(2), np.eye(2)) => {"x": np.zeros(2), "p": 2 * np.eye(2)}

#### gmm_kmeans
import special
def sqdist(x: f32[n, d], c: f32[k, d]) -> f32[n, k] = sum((x[:, None] - c[None, :]) ** 2, axis=-1)
def kmeans(x: f32[n, d], c: f32[k, d], static iters: int = 10) -> (f32[k, d], idx[k][n]) where k >= 1 =
    let c = fold c = c for _ in range(iters) do
        let a = argmin(sqdist(x, c), axis=1)
        let onehot = [[if a[i] == j then 1.0 else 0.0 for j in range(k)] for i in range(n)]
        let count = sum(onehot, axis=0)
        onehot.T @ x / maximum(count, 1.0)[:, None]
    (c, argmin(sqdist(x, c), axis=1))
def kmeans2(x: f32[n, d], c: f32[k, d]) -> f32[k, d] where k >= 1 =
    let a = argmin(sqdist(x, c), axis=1)
    zeros_like(c).at[a].add(x) / maximum(zeros([k]).at[a].add(1.0), 1.0)[:, None]
type GMM[k, d] = {w: f32[k], mu: f32[k, d], var: f32[k, d]}
def logpdf(g: GMM[k, d], x: f32[n, d]) -> f32[n, k] =
    let z = (x[:, None] - g.mu[None]) ** 2 / g.var[None]
    -0.5 * sum(z + log(2.0 * pi * g.var)[None], axis=-1) + log(g.w)
def em(g: GMM[k, d], x: f32[n, d]) -> (GMM[k, d], f32) =
    let lp = logpdf(g, x)
    let norm = special.logsumexp(lp, axis=1, keepdims=true)
    let r = exp(lp - norm)
    let nk = sum(r, axis=0)
    let mu = r.T @ x / nk[:, None]
    let var = r.T @ x ** 2 / nk[:, None] - mu ** 2 + 1e-4
    ({w = nk / f32(n), mu = mu, var = var}, sum(norm))
def fit(g: GMM[k, d], x: f32[n, d], static steps: int) -> (GMM[k, d], f32[steps]) = scan g = g for _ in range(steps) do em(g, x)
#= kmeans(A([0, 0], [0, 1], [9, 9], [9, 8]), A([0, 0], [5, 5])) => (A([0, 0.5], [9, 8.5]), I(0, 0, 1, 1))
#= kmeans2(A([0, 0], [0, 1], [9, 9], [9, 8]), A([0, 0], [5, 5])) => A([0, 0.5], [9, 8.5])
#### hmm
from special import logsumexp
type HMM[s, o] = {pi: f32[s], a: f32[s, s], b: f32[s, o]}
def forward(m: HMM[s, o], obs: idx[o][t]) -> f32 where t >= 1 =
    let first = log(m.pi) + log(m.b)[:, obs[0]]
    let last = fold alpha = first for y in obs[1:] do
        logsumexp(alpha[:, None] + log(m.a), axis=0) + log(m.b)[:, y]
    logsumexp(last)
def viterbi(m: HMM[s, o], obs: idx[o][t]) -> (f32, idx[s][t]) where t >= 1 and s >= 1 =
    let first = log(m.pi) + log(m.b)[:, obs[0]]
    let (last, back) = scan d = first for y in obs[1:] do
        let score = d[:, None] + log(m.a)
        (max(score, axis=0) + log(m.b)[:, y], argmax(score, axis=0))
    let end = argmax(last)
    let (start, path) = scan z: idx[s] = end for row in back reverse do (row[z], z)
    (max(last), concatenate(([start], path)))
#= forward({'pi': A(0.6, 0.4), 'a': A([0.7, 0.3], [0.4, 0.6]), 'b': A([0.5, 0.4, 0.1], [0.1, 0.3, 0.6])}, I(0, 1, 2)) => np.log(0.03628)
#= viterbi({'pi': A(0.6, 0.4), 'a': A([0.7, 0.3], [0.4, 0.6]), 'b': A([0.5, 0.4, 0.1], [0.1, 0.3, 0.6])}, I(0, 1, 2)) => (np.log(0.01512), I(0, 0, 1))
#### ode
def rk4(f: (f32, f32[n]) -> f32[n] ! e, t: f32, y: f32[n], h: f32) -> f32[n] ! e =
    let k1 = f(t, y)
    let k2 = f(t + h / 2.0, y + h / 2.0 * k1)
    let k3 = f(t + h / 2.0, y + h / 2.0 * k2)
    let k4 = f(t + h, y + h * k3)
    y + h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)
def solve[P: VSpace[f32]](f: (P) -> P, y: P, h: f32, static n: int) -> (P, P[n]) =
    scan y = y for _ in range(n) do
        let y = y + h * f(y)
        (y, y)
def osc(static n: int) -> f32[2] =
    let h = 6.2831853 / f32(n)
    fold y = [1.0, 0.0] for i in range(n) do rk4(fn (t, y) -> [y[1], -y[0]], f32(i) * h, y, h)
def spiral(x: f32) -> {p: f32, q: f32} = solve(fn s -> {p = s.q, q = -s.p}, {p = x, q = 0.0}, 0.01, 100).0
def adaptive(f: (f32) -> f32, y0: f32, t1: f32, tol: f32) -> (f32, i32) ! div =
    let (_, y, _, k) = iterate (t, y, h, k) = (0.0, y0, 0.1, 0) while t < t1 do
        let h = min(h, t1 - t)
        let e = y + h * f(y)
        let m = y + h * f(y + h / 2.0 * f(y))
        let err = abs(m - e)
        let ok = err < tol
        let h2 = h * clip(0.9 * sqrt(tol / (err + 1e-12)), 0.2, 5.0)
        (if ok then t + h else t, if ok then m else y, h2, k + 1)
    (y, k)
def decay(t1: f32) -> f32 ! div = adaptive(fn y -> -y, 1.0, t1, 1e-4).0
def sensitivity(y0: f32) -> f32 = grad(fn y -> sum(fold s = [y, 0.0] for _ in range(10) do rk4(fn (t, s) -> [s[1], -s[0]], 0.0, s, 0.1)))(y0)
#= osc(100) => A(1, 0)
#= decay(1.0) => np.exp(-1)
#= sensitivity(1.0) => np.cos(1) - np.sin(1)
#### stencils
def jacobi(u: f32[n, m], static k: int) -> f32[n, m] where n >= 2 and m >= 2 =
    fold u = u for _ in range(k) do
        u.at[1:-1, 1:-1].set(0.25 * (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:]))
def jacobi2(u: f32[n, m], static k: int) -> f32[n, m] where n >= 2 and m >= 2 =
    fold u = u for _ in range(k) do
        u.at[1:-1, 1:-1].set([0.25 * (u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1]) for i in range(1, n - 1), j in range(1, m - 1)])
def gauss_seidel(u: f32[n, m], static k: int) -> f32[n, m] =
    fold u = u for _ in range(k) do
        fold u = u for i in range(1, n - 1) do
            fold u = u for j in range(1, m - 1) do
                u.at[i, j].set(0.25 * (u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1]))
def heat(u: f32[n], a: f32, static k: int) -> f32[n] where n >= 1 =
    fold u = u for _ in range(k) do
        u + a * (roll(u, 1) - 2.0 * u + roll(u, -1))
def heat2(u: f32[n], a: f32) -> f32[n] where n >= 1 =
    [u[i] + a * (u[(i + n - 1) % n] - 2.0 * u[i] + u[(i + 1) % n]) for i in range(n)]
def life(x: bool[n, m]) -> bool[n, m] =
    let c = i32(x)
    let p = pad(c, 1)
    let nb = sum([p[1 + di : 1 + di + n, 1 + dj : 1 + dj + m] for di in range(-1, 2), dj in range(-1, 2)], axis=(0, 1)) - c
    (nb == 3) | (x & (nb == 2))
def life2(x: bool[n, m]) -> bool[n, m] where n >= 1 and m >= 1 =
    let c = i32(x)
    let total = fold t = zeros_like(c) for d in ((-1, -1), (-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0), (1, 1)) do
        t + roll(c, d, axis=(0, 1))
    (total == 3) | x & (total == 2)
#= heat(A(0, 1, 0, 0), 0.1, 2) => np.asarray(heat2(heat2(A(0, 1, 0, 0), 0.1), 0.1))
#= life(np.array([[0, 1, 0], [0, 1, 0], [0, 1, 0]], bool)) => np.array([[0, 0, 0], [1, 1, 1], [0, 0, 0]], bool)
#= life2(np.array([[0, 1, 0], [0, 1, 0], [0, 1, 0]], bool))
#### fft_recursive
def fft_(x: c64[n]) -> c64[n] where n >= 1 =
    if n == 1 then x
    else if n % 2 == 0 then combine(x)
    else dft(x)
def combine(x: c64[n]) -> c64[n] where n >= 2 and n % 2 == 0 =
    let e = fft_(x[::2])
    let o = fft_(x[1::2])
    let w = exp(-2.0j * pi * c64(arange(n // 2)) / n)
    concatenate((e + w * o, e - w * o))
def dft(x: c64[n]) -> c64[n] where n >= 1 =
    let k = arange(n)
    exp(-2.0j * pi * c64(outer(k, k)) / n) @ x
#= fft_(np.arange(12).astype('c8')) => np.fft.fft(np.arange(12)).astype('c8')
#### linear_solvers
import linalg
def cg(a: (f32[n]) -> f32[n], b: f32[n], static iters: int) -> f32[n] =
    let (x, _, _, _) = iterate (x, r, p, rs) = (zeros([n]), b, b, b @ b) while rs > 1e-10 limit iters do
        let ap = a(p)
        let alpha = rs / (p @ ap)
        let x = x + alpha * p
        let r = r - alpha * ap
        let new = r @ r
        (x, r, r + new / rs * p, new)
    x
def solve(a: f32[n, n], b: f32[n]) -> f32[n] = cg(fn v -> a @ v, b, 50)
def householder(a: f32[m, n]) -> (f32[m, m], f32[m, n]) where m >= n =
    fold (q, r) = (eye(m), a) for k in range(n) do
        let x = where(arange(m) >= k, r[:, k], 0.0)
        let alpha = -where(x[k] >= 0.0, 1.0, -1.0) * sqrt(x @ x)
        let v = x.at[k].add(-alpha)
        let v = v / sqrt(v @ v)
        (q - 2.0 * outer(q @ v, v), r - 2.0 * outer(v, v @ r))
def power(a: f32[n, n], static k: int) -> (f32, f32[n]) where n >= 1 =
    let v = fold v = ones([n]) / sqrt(f32(n)) for _ in range(k) do
        let w = a @ v
        w / linalg.norm(w)
    (v @ (a @ v), v)
def cholesky(a: f32[n, n]) -> f32[n, n] =
    fold l = zeros([n, n]) for j in range(n) do
        let s = a[:, j] - l @ l[j]
        l.at[:, j].set(where(arange(n) >= j, s / sqrt(s[j]), 0.0))
def trisolve(l: f32[n, n], b: f32[n]) -> f32[n] =
    fold x = zeros([n]) for i in range(n) do
        x.at[i].set((b[i] - l[i] @ x) / l[i, i])
def newton(f: (f32) -> f32, x: f32) -> f32 = iterate x = x while abs(f(x)) > 1e-6 limit 30 do x - f(x) / grad(f)(x)
def root(a: f32) -> f32 = newton(fn x -> x ** 2 - a, 1.0)
def newton_nd(x: f32[n]) -> f32[n] =
    let f = fn v -> sum((v - 2.0) ** 4 + v ** 2)
    fold x = x for _ in range(20) do x - linalg.solve(hessian(f)(x), grad(f)(x))
def lu(a: f32[n, n]) -> f32[n, n] =
    fold a = a for k in range(n) do
        fold a = a for i in range(n) do
            if i > k then
                let m = a[i, k] / a[k, k]
                let row = where(arange(n) > k, a[i] - m * a[k], a[i])
                a.at[i].set(row.at[k].set(m))
            else a
#= root(2.0) => 2 ** 0.5
#= newton_nd(A(1, 2))
#= lu(A([4, 3], [6, 3])) => A([4, 3], [1.5, -1.5])
#### lbfgs
def two_loop(g: f32[n], s: f32[m, n], y: f32[m, n]) -> f32[n] where m >= 1 =
    let rho = [1.0 / (a @ b) for a, b in zip(s, y)]
    let (q, alphas) = scan q = g for si, yi, ri in zip(s, y, rho) reverse do
        let a = ri * (si @ q)
        (q - a * yi, a)
    let gamma = s[-1] @ y[-1] / (y[-1] @ y[-1])
    fold r = gamma * q for (si, yi), (ri, ai) in zip(zip(s, y), zip(rho, alphas)) do
        r + si * (ai - ri * (yi @ r))
def minimise(f: (f32[n]) -> f32, x: f32[n], static m: int, static iters: int) -> f32[n] where m >= 1 =
    let g = grad(f)(x)
    let x1 = x - 0.01 * g
    let g1 = grad(f)(x1)
    let s0 = zeros([m, n]).at[-1].set(x1 - x) + 1e-6
    let y0 = zeros([m, n]).at[-1].set(g1 - g) + 1e-6
    let (x, _, _, _) = fold (x, g, s, y) = (x1, g1, s0, y0) for _ in range(iters) do
        let d = two_loop(g, s, y)
        let xn = x - d
        let gn = grad(f)(xn)
        (xn, gn, roll(s, -1, axis=0).at[-1].set(xn - x), roll(y, -1, axis=0).at[-1].set(gn - g))
    x
def quad(x: f32[n]) -> f32[n] = minimise(fn v -> sum((v - 1.0) ** 2 * f32(arange(n) + 1)), x, 3, 3)
#= quad(A(3, 4, 5))
#### mcmc
import random
def metropolis(logp: (f32[d]) -> f32, k: key, x: f32[d], static n: int) -> (f32[d], (f32[n, d], bool[n])) =
    let ((x, _), out) = scan (x, k) = (x, k) for _ in range(n) do
        let (k, k1, k2) = split3(k)
        let y = x + 0.5 * random.normal(k1, [d])
        let ok = log(random.uniform(k2)) < logp(y) - logp(x)
        let x = where(ok, y, x)
        ((x, k), (x, ok))
    (x, out)
def split3(k: key) -> (key, key, key) =
    let ks = random.split(k, 3)
    (ks[0], ks[1], ks[2])
def chain(k: key) -> f32[100, 2] = metropolis(fn x -> -0.5 * sum(x * x), k, zeros([2]), 100).1.0
def hmc(logp: (f32[d]) -> f32, x: f32[d], eps: f32, static steps: int) -> f32[d] ! rand =
    let p = random.normal(fresh_key(), [d])
    let (xn, pn) = fold (x, p) = (x, p) for _ in range(steps) do
        let p = p + eps / 2.0 * grad(logp)(x)
        let x = x + eps * p
        (x, p + eps / 2.0 * grad(logp)(x))
    let h0 = logp(x) - 0.5 * p @ p
    let h1 = logp(xn) - 0.5 * pn @ pn
    if log(random.uniform(fresh_key())) < h1 - h0 then xn else x
def samples(k: key, static n: int) -> f32[n, 3] =
    with rng(k) do
        let (_, xs) = scan x = zeros([3]) for _ in range(n) do
            let x = hmc(fn v -> -0.5 * v @ v, x, 0.1, 10)
            (x, x)
        xs
def many(ks: key[c], static n: int) -> f32[c, n, 3] = [samples(k, n) for k in ks]
def particle(k: key, ys: f32[t], static n: int) -> (f32, f32[t]) where n >= 1 =
    let ((_, _, ll), means) = scan (x, k, ll) = (zeros([n]), k, 0.0) for y in ys do
        let (k, k1, k2) = split3(k)
        let x = 0.9 * x + random.normal(k1, [n])
        let lw = -0.5 * (y - x) ** 2
        let m = max(lw)
        let w = exp(lw - m)
        let i = random.categorical(k2, lw, shape=[n])
        ((x[i], k, ll + m + log(mean(w))), sum(w * x) / sum(w))
    (ll, means)
#= samples(key(0), 5)
#= particle(key(1), R(5), 50)
#### gp
import linalg
def rbf(x: f64[n, d], y: f64[m, d], l: f64) -> f64[n, m] = exp(-0.5 * sum((x[:, None] - y[None, :]) ** 2, axis=-1) / l ** 2)
def nll(p: {l: f64, noise: f64}, x: f64[n, d], y: f64[n]) -> f64 =
    let k = rbf(x, x, exp(p.l)) + exp(p.noise) * eye(n, dtype=f64)
    let c = linalg.cholesky(k)
    let a = linalg.solve_triangular(c, y, lower=true)
    0.5 * a @ a + sum(log(diag(c))) + 0.5 * f64(n) * log(2.0 * pi)
def fit(x: f64[n, d], y: f64[n], static steps: int) -> {l: f64, noise: f64} =
    fold p = {l = f64(0.0), noise = f64(-2.0)} for _ in range(steps) do p - 0.01 * grad(nll)(p, x, y)
def predict(p: {l: f64, noise: f64}, x: f64[n, d], y: f64[n], xs: f64[m, d]) -> (f64[m], f64[m]) =
    let k = rbf(x, x, exp(p.l)) + exp(p.noise) * eye(n, dtype=f64)
    let ks = rbf(xs, x, exp(p.l))
    let mu = ks @ linalg.solve(k, y)
    let v = linalg.solve(k, ks.T)
    (mu, 1.0 - sum(ks * v.T, axis=1))
#= predict({'l': 0.0, 'noise': -20.0}, np.arange(4.0)[:, None], np.arange(4.0), np.arange(2.0)[:, None])
#### vae
import random
import nn
type Dense[i, o] = {w: f32[i, o], b: f32[o]}
type VAE[d, h, z] = {enc: Dense[d, h], mu: Dense[h, z], lv: Dense[h, z], dec1: Dense[z, h], dec2: Dense[h, d]}
def dense(p: Dense[i, o], x: f32[*s, i]) -> f32[*s, o] = x @ p.w + p.b
def init_dense(k: key, static i: int, static o: int) -> Dense[i, o] where i >= 1 and o >= 0 =
    {w = random.normal(k, [i, o]) / sqrt(f32(i)), b = zeros([o])}
def init(k: key, static d: int, static h: int, static z: int) -> VAE[d, h, z] where d >= 1 and h >= 1 and z >= 1 =
    let (a, b, c, e, f) = random.split(k, 5)
    {enc = init_dense(a, d, h), mu = init_dense(b, h, z), lv = init_dense(c, h, z), dec1 = init_dense(e, z, h), dec2 = init_dense(f, h, d)}
def elbo(p: VAE[d, h, z], x: f32[d], k: key) -> f32 =
    let e = nn.relu(dense(p.enc, x))
    let mu = dense(p.mu, e)
    let lv = dense(p.lv, e)
    let z_ = mu + exp(0.5 * lv) * random.normal(k, mu.shape)
    let y = dense(p.dec2, nn.relu(dense(p.dec1, z_)))
    let rec = sum(nn.log_sigmoid(where(x > 0.5, y, -y)))
    let kl = -0.5 * sum(1.0 + lv - mu ** 2 - exp(lv))
    rec - kl
def step(p: VAE[d, h, z], xs: f32[n, d], k: key) -> (VAE[d, h, z], f32) =
    let (l, g) = value_and_grad(fn (p, ks) -> -mean([elbo(p, x, k) for x, k in zip(xs, ks)]))(p, random.split(k, n))
    (p - 1e-3 * g, l)
def train(k: key, xs: f32[n, d], static h: int, static z: int, static steps: int) -> (VAE[d, h, z], f32[steps]) where d >= 1 and h >= 1 and z >= 1 =
    let (k1, k2) = random.split(k)
    let ((p, _), ls) = scan (p, k) = (init(k1, d, h, z), k2) for _ in range(steps) do
        let (k, s) = random.split(k)
        let (p, l) = step(p, xs, s)
        ((p, k), l)
    (p, ls)
#= train(key(0), (R(6, 5) > 0).astype('f4'), 4, 2, 3)
#### bandit_rl
import random
def bandit(k: key, means: f32[n], static steps: int, static eps: float = 0.1) -> (f32[n], f32[steps]) where n >= 1 =
    let ((q, _, _), rewards) = scan (q, c, k) = (zeros([n]), zeros([n]), k) for t in range(steps) do
        let ks = random.split(k, 4)
        let explore = random.bernoulli(ks[0], eps)
        let a = if explore then random.randint(ks[1], [], 0, n) % n else i32(argmax(q))
        let r = means[a % n] + random.normal(ks[2])
        let c = c.at[a % n].add(1.0)
        let q = q.at[a % n].add((r - q[a % n]) / c[a % n])
        ((q, c, ks[3]), r)
    (q, rewards)
def value_iteration(p: f32[s, a, s], r: f32[s, a], gamma: f32) -> (f32[s], idx[a][s]) where a >= 1 and s >= 1 =
    let (v, _) = iterate (v, d) = (zeros([s]), 1.0) while d > 1e-5 limit 1000 do
        let q = r + gamma * p @ v
        let w = max(q, axis=1)
        (w, max(abs(w - v)))
    (v, argmax(r + gamma * p @ v, axis=1))
def reinforce(theta: f32[n], k: key, means: f32[n]) -> f32[n] where n >= 1 =
    let a = random.categorical(k, theta)
    let logp = fn t -> t[a] - log(sum(exp(t)))
    theta + 0.1 * means[a] * grad(logp)(theta)
def returns(r: f32[t], gamma: f32) -> f32[t] = (scan g = 0.0 for x in r reverse do (x + gamma * g, x + gamma * g)).1
#= bandit(key(0), A(0, 1, 2), 20)
#= returns(A(1, 1, 1), 0.5) => A(1.75, 1.5, 1)
#= reinforce(A(0, 0), key(0), A(1, 0))
#### graphics
def mandelbrot(c: c64, static n: int) -> i32 =
    let (_, k) = iterate (z, k) = (0.0 * c, 0) while abs(z) <= 2.0 and k < n limit n do (z * z + c, k + 1)
    k
def picture(static w: int, static h: int) -> i32[h, w] where w >= 1 and h >= 1 =
    [mandelbrot(c64(-2.0 + 3.0 * f32(j) / w) + 1.0j * c64(-1.0 + 2.0 * f32(i) / h), 30) for i in range(h), j in range(w)]
def sphere(p: f32[3]) -> f32 = sqrt(p @ p) - 1.0
def normal_at(sdf: (f32[3]) -> f32, p: f32[3]) -> f32[3] =
    let g = grad(sdf)(p)
    g / sqrt(g @ g)
def march(sdf: (f32[3]) -> f32, o: f32[3], d: f32[3]) -> f32 =
    iterate t = 0.0 while sdf(o + t * d) > 1e-3 and t < 20.0 limit 64 do t + sdf(o + t * d)
def shade(px: f32, py: f32) -> f32 =
    let d = [px, py, 1.0]
    let d = d / sqrt(d @ d)
    let t = march(sphere, [0.0, 0.0, -3.0], d)
    if t < 20.0 then max(0.0, normal_at(sphere, [0.0, 0.0, -3.0] + t * d) @ [0.0, 0.0, -1.0]) else 0.0
def render(static n: int) -> f32[n, n] where n >= 2 =
    let xs = linspace(-1.0, 1.0, n)
    [shade(x, y) for y in xs, x in xs]
#= picture(6, 4)
#= shade(0.0, 0.0) => 1.0
#= render(5)
#### dp
def levenshtein(a: i32[n], b: i32[m]) -> i32 =
    let first = i32(arange(m + 1))
    let last = fold row = first for i, x in enumerate(a) do
        let (_, rest) = scan left = i + 1 for j, y in enumerate(b) do
            let best = min(min(left + 1, row[j + 1] + 1), row[j] + (if x == y then 0 else 1))
            (best, best)
        concatenate(([i + 1], rest))
    last[m]
def lcs(a: i32[n], b: i32[m]) -> i32 =
    let table = fold t = zeros([n + 1, m + 1], dtype=i32) for i in range(n) do
        fold t = t for j in range(m) do
            let v = if a[i] == b[j] then t[i, j] + 1 else max(t[i, j + 1], t[i + 1, j])
            t.at[i + 1, j + 1].set(v)
    table[n, m]
def knapsack(w: i32[n], v: f32[n], static cap: int) -> f32 ! check where cap >= 0 =
    let best = fold d = zeros([cap + 1]) for wi, vi in zip(w, v) do
        [if c >= wi then max(d[c], d[c - wi] + vi) else d[c] for c in range(cap + 1)]
    best[cap]
def fib(static n: int) -> i32 where n >= 0 = if n < 2 then n else fib(n - 1) + fib(n - 2)
def floyd(d: f32[n, n]) -> f32[n, n] = fold d = d for k in range(n) do minimum(d, d[:, k, None] + d[None, k])
#= lcs(I(1, 2, 3, 4), I(2, 4, 5)) => 2
#= knapsack(I(1, 3, 4), A(15, 20, 30), 4) => 35.0
#= fib(10) => 55
#= floyd(A([0, 1, 9], [9, 0, 1], [1, 9, 0])) => A([0, 1, 2], [2, 0, 1], [1, 2, 0])
#### sorting_beam
def swap(x: f32[n], i: idx[n], j: idx[n]) -> f32[n] = x.at[i].set(min(x[i], x[j])).at[j].set(max(x[i], x[j]))
def bubble(x: f32[n]) -> f32[n] =
    fold x = x for _ in range(n) do
        fold x = x for i in range(n - 1) do swap(x, i, i + 1)
def odd_even(x: f32[2 * n]) -> f32[2 * n] =
    fold x = x for _ in range(n) do
        let p = reshape(x, [n, 2])
        let x = reshape(stack((min(p, axis=1), max(p, axis=1)), axis=1), [2 * n])
        if n >= 1 then
            let q = reshape(x[1:-1], [n - 1, 2])
            concatenate((x[:1], reshape(stack((min(q, axis=1), max(q, axis=1)), axis=1), [2 * n - 2]), x[-1:]))
        else x
def insertion(x: f32[n], v: f32) -> f32[n + 1] =
    let i = searchsorted(x, v)
    [if k < i then x[min(k, n - 1)] else if k == i then v else x[max(k - 1, 0)] for k in range(n + 1)]
def beam(trans: f32[v, v], start: f32[v], static k: int, static steps: int) -> (f32[k], idx[v][steps, k]) where k >= 1 and k <= v =
    let (s0, t0) = top_k(start, k)
    let ((s, _), path) = scan (s, t): (f32[k], idx[v][k]) = (s0, t0) for _ in range(steps) do
        let all_ = reshape(s[:, None] + trans[t], [k * v])
        let (s, i) = top_k(all_, k)
        let t: idx[v][k] = i % v
        ((s, t), t)
    (s, path)
def greedy(trans: f32[v, v], start: idx[v], static n: int) -> (idx[v], idx[v][n]) where v >= 1 =
    scan t: idx[v] = start for _ in range(n) do
        let t = argmax(trans[t])
        (t, t)
def embed(table: f32[v, d], ids: idx[v][t]) -> f32[t, d] = table[ids]
def bag(table: f32[v, d], ids: idx[v][n, t]) -> f32[n, d] = sum(table[ids], axis=1)
def embed_checked(table: f32[v, d], ids: i32[t]) -> f32[t, d] ! check = table[ids]
def onehot(ids: idx[v][t]) -> f32[t, v] = f32(ids[:, None] == arange(v)[None, :])
def median3(x: f32[n]) -> f32[n - 2] where n >= 2 = [sort(x[i : i + 3])[1] for i in range(n - 2)]
#= bubble(A(3, 1, 2)) => A(1, 2, 3)
#= odd_even(A(4, 3, 1, 2)) => A(1, 2, 3, 4)
#= greedy(A([0, 1, 0], [0, 0, 1], [1, 0, 0]), 0, 3) => (0, I(1, 2, 0))
#= beam(R(4, 4), R(4), 2, 3)
#= embed(A([1, 2], [3, 4]), I(1, 0, 1)) => A([3, 4], [1, 2], [3, 4])
#= bag(A([1, 2], [3, 4]), I([1, 0], [1, 1])) => A([4, 6], [6, 8])
#= onehot(I(1, 0), v=3) => A([0, 1, 0], [1, 0, 0])
#= median3(A(3, 1, 2, 9)) => A(2, 2)
#= insertion(A(1, 3), 2.0) => A(1, 2, 3)
#### training_bits
import random
import nn
def dropout(k: key, x: f32[*s], rate: f32, static train: bool) -> f32[*s] =
    if train then
        let keep = random.bernoulli(k, 1.0 - rate, x.shape)
        where(keep, x / (1.0 - rate), 0.0)
    else x
def dropout_r(x: f32[n], rate: f32) -> f32[n] ! rand = dropout(fresh_key(), x, rate, true)
def net(w1: f32[d, h], w2: f32[h], x: f32[d]) -> f32 ! rand = dropout_r(nn.relu(x @ w1), 0.5) @ w2
def batch(w1: f32[d, h], w2: f32[h], xs: f32[n, d], k: key) -> f32[n] = with rng(k) do [net(w1, w2, x) for x in xs]
def gradr(w1: f32[d, h], w2: f32[h], x: f32[d], k: key) -> f32[d, h] = with rng(k) do grad(net)(w1, w2, x)
def clip_norm[P: VSpace[f32]](g: P, norm: f32, limit: f32) -> P = g * min(1.0, limit / (norm + 1e-6))
def norm2(g: {w: f32[n], b: f32}) -> f32 = sqrt(sum(g.w ** 2) + g.b ** 2)
def clipped(g: {w: f32[n], b: f32}) -> {w: f32[n], b: f32} = clip_norm(g, norm2(g), 1.0)
def cosine(t: i32, static total: int) -> f32 where total >= 1 = 0.5 * (1.0 + cos(pi * f32(t) / total))
def accumulate(w: f32[d], xs: f32[b, n, d], ys: f32[b, n]) -> f32[d] =
    let total = fold g = zeros_like(w) for x, y in zip(xs, ys) do
        g + grad(fn w -> mean((x @ w - y) ** 2))(w)
    total / f32(b)
def pinn(p: {a: f32[h], b: f32[h], c: f32[h]}, x: f32) -> f32 =
    let u = fn x -> sum(p.c * tanh(p.a * x + p.b))
    grad(grad(u))(x) + u(x)
def pinn_loss(p: {a: f32[h], b: f32[h], c: f32[h]}, xs: f32[n]) -> f32 = mean([pinn(p, x) ** 2 for x in xs])
def pinn_step(p: {a: f32[h], b: f32[h], c: f32[h]}, xs: f32[n]) -> {a: f32[h], b: f32[h], c: f32[h]} = p - 0.01 * grad(pinn_loss)(p, xs)
def maml(w: f32, x: f32[n]) -> f32 =
    let inner = fn (w, x) -> w - 0.1 * grad(fn w -> mean((w - x) ** 2))(w)
    grad(fn w -> mean((inner(w, x) - x) ** 2))(w)
def fisher(w: f32[d], xs: f32[n, d]) -> f32[d, d] =
    let gs = vmap(grad(fn (w, x) -> log(1.0 + exp(w @ x))), in_axes=(none, 0))(w, xs)
    gs.T @ gs / f32(n)
def implicit(a: f32) -> f32 = grad(fn a -> iterate x = 1.0 while abs(x * x - a) > 1e-6 limit 20 do 0.5 * (x + a / x))(a)
#= dropout(key(0), A(1, 2), 0.5, False) => A(1, 2)
#= batch(R(3, 4), R(4), R(5, 3), key(0))
#= gradr(R(3, 4), R(4), R(3), key(0))
#= clipped({'w': A(3, 0), 'b': 4.0}) => {'w': A(0.6, 0), 'b': 0.8}
#= cosine(5, 10) => 0.5
#= pinn_step({'a': R(3), 'b': R(3), 'c': R(3)}, R(5))
#= maml(1.0, A(0, 0)) => 2 * 0.8 * 0.8
#= implicit(4.0) => 0.25
#= fisher(R(3), R(5, 3))
#= accumulate(R(3), R(2, 4, 3), R(2, 4))
