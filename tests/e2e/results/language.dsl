#### types_dtypes
def a(x: bool[n], y: i8[n], z: i16[n], w: i64[n]) -> i64[n] = i64(x) + i64(y) + i64(z) + w
def b(x: u8[n], y: u16[n], z: u32[n], w: u64[n]) -> u64[n] = u64(x) + u64(y) + u64(z) + w
def c(x: bf16[n], y: f16[n], z: f64[n]) -> f64[n] = f64(x) + f64(y) + z
def d(x: c64[n], y: c128[n]) -> c128[n] = c128(x) * y
def e(x: f32[2, 3], y: f32[]) -> f32[2, 3] = x * y
def f(i: idx[n], x: f32[n]) -> f32 = x[i]
def g(i: idx[n][m], x: f32[n]) -> f32[m] = x[i]
def h(i: idx[n]) -> i32 = i + 1
def i(j: idx[n], x: f32[m]) -> f32 where n <= m = x[j]
def j(t: (f32, {a: i32, b: (f32[n],)})) -> f32[n] = t.0 * t.1.b.0
def k(t: (f32[d], i32)[n]) -> (f32[n, d], i32[n]) = t
def l(t: {w: f32, b: f32}[n]) -> f32 where n >= 1 = t[0].w + t.b[0]
def m(x: f32[d][n]) -> f32[n, d] = x
def o(f: (f32, i32) -> f32, g: (f32) -> (f32) -> f32, h: () -> f32) -> f32 = f(1.0, 2) + g(1.0)(2.0) + h()
def p() -> f32 = o(fn (a, b) -> a + f32(b), fn a -> fn b -> a * b, fn () -> 3.0)
#= f(1, A(1, 2)) => 2.0
#= g(I(1, 0), A(1, 2)) => A(2, 1)
#= h(1, n=3) => 2
#= j((2.0, {'a': 1, 'b': (A(1, 2),)})) => A(2, 4)
#= l({'w': A(1, 2), 'b': A(3, 4)}) => 4.0
#= p() => 8.0
#### vspace
type P[d] = {w: f32[d], h: f64, c: c64}
def sgd[P: VSpace](p: P, g: P, lr: f32) -> P = p - tree_map(fn x -> cast(lr, x.dtype) * x, g)
def a(p: P[d], g: P[d], lr: f32) -> P[d] = sgd(p, g, lr)
def b[P: VSpace](p: P, q: P) -> P = (-p + q * 2.0) / 3.0
def c(p: P[d], q: P[d]) -> P[d] = b(p, q)
def d(p: (f32, f64[n])) -> (f32, f64[n]) = p + p * 0.5
def tm[T: Tree](p: T) -> T = p
def e(p: P[d]) -> P[d] = tree_map(fn x -> x * 2.0, p)
def f(p: P[d], q: P[d]) -> P[d] = tree_map(fn (a, b) -> a + b, p, q)
def g[T: Move](t: T) -> T = t
def h(k: key) -> key = g(k)
def i[T: Tree, U: Tree](t: T, u: U) -> (U, T) = (u, t)
def j(x: f32[n], y: {q: i32}) -> ({q: i32}, f32[n]) = i(x, y)
def k[P: VSpace[f32]](p: P, n: i32) -> P = p * f32(n)
def l(p: {a: f32}, n: i32) -> {a: f32} = k(p, n)
#= a({'w': A(1, 2), 'h': 1.0, 'c': 1j}, {'w': A(1, 2), 'h': 1.0, 'c': 1j}, 0.5) => {'w': A(0.5, 1), 'h': 0.5, 'c': 0.5j}
#= d((1.0, np.ones(2))) => (1.5, np.ones(2) * 1.5)
#= l({'a': 2.0}, 3) => {'a': 6.0}
#= j(A(1), {'q': 2}) => ({'q': 2}, A(1))
#### sizes
def a(x: f32[1 + n]) -> f32[n + 1] = x
def b(x: f32[n], y: f32[m], z: f32[k]) -> f32[n + (m + k)] = concatenate((concatenate((x, y)), z))
def c(x: f32[n, d], static h: int) -> f32[n, h, d // h] where h >= 1 and d % h == 0 = reshape(x, [n, h, d // h])
def d(x: f32[n, d], static h: int) -> f32[n, d] where h >= 1 and d % h == 0 = reshape(c(x, h), [n, d])
def e(x: f32[e0 + c0 * 4], y: f32[c0]) -> f32[e0 // 4 + c0] = zeros([(e0 + c0 * 4) // 4])
def f(x: f32[n], y: f32[m]) -> f32[min(n, m)] = x[:min(n, m)] + y[:min(m, n)]
def g(x: f32[n], y: f32[m]) -> f32[max(n, m)] = concatenate((x, zeros([max(n, m) - n])))
def h(x: f32[n]) -> f32[n // 2] = x[: n // 2 * 2 : 2]
def i(x: f32[n]) -> f32[n - n % 4] = x[: n - n % 4]
static def half(n: int) -> int = n // 2
static def fact(n: int) -> int = if n <= 1 then 1 else n * fact(n - 1)
def j(x: f32[n]) -> f32[half(n)] = x[:half(n)]
def k(static n: int) -> f32[fact(n)] where n >= 0 = zeros([fact(n)])
def l(x: f32[2 * n]) -> f32[n] = x[:n] + x[n:]
def m(x: f32[n, m]) -> f32[n * m] = reshape(x, [-1])
def n(x: f32[n]) -> i32 = n * 2
def o(x: f32[n]) -> f32[n] = x * f32(n) / n
def p(x: f32[(a + b) * 2], y: f32[a]) -> f32[2 * b + 2 * a] = x
def q(x: f32[n, m]) -> f32[m, n] where n == m = x
def u(x: f32[n], static s: int) -> f32[(n + s - 1) // s] where s >= 1 = x[::s]
def v(x: f32[n]) -> f32[n // 2 + n % 2] = x[::2]
#= c(np.ones((2, 6), 'f4'), 3) => np.ones((2, 3, 2), 'f4')
#= f(A(1, 2, 3), A(1, 2)) => A(2, 4)
#= g(A(1, 2), A(1, 2, 3)) => A(1, 2, 0)
#= h(A(1, 2, 3, 4, 5)) => A(1, 3)
#= i(A(1, 2, 3, 4, 5)) => A(1, 2, 3, 4)
#= k(3) => np.zeros(6, 'f4')
#= u(A(1, 2, 3, 4, 5), 2) => A(1, 3, 5)
#= o(A(1, 2)) => A(1, 2)
#= p(A(1, 2, 3, 4), A(1)) => A(1, 2, 3, 4)
#= e(np.zeros(7, 'f4'), A(1)) => np.zeros(1, 'f4')
#### constraints
static def even(n: int) -> bool = n % 2 == 0
def a(x: f32[n]) -> f32[n // 2, 2] where even(n) = reshape(x, [n // 2, 2])
def b(x: f32[n]) -> f32[n, 2] = a(concatenate((x, x)))
def c(x: f32[n]) -> f32 = x[3]
def d(x: f32[n]) -> f32 = c(concatenate((x, zeros([4]))))
def e(x: f32[n]) -> f32 = max(x)
def f(x: f32[n]) -> f32[n - 2] = x[2:]
def g(x: f32[n], i: idx[n]) -> f32 = x[n - 1] + x[i]
def h(x: f32[n], static k: int) -> f32[k] = x[:k]
def i(x: f32[n]) -> f32 where n >= 2 or n == 0 = if n == 0 then 0.0 else x[1]
def j(x: f32[n]) -> f32 = if n >= 1 then max(x) else 0.0
def k(x: f32[n], i: i32) -> f32 = if 0 <= i and i < n then x[i] else 0.0
def l(x: f32[n], i: i32) -> f32 = if 0 <= i < n then x[i] else 0.0
#= b(A(1, 2)) => A([1, 2], [1, 2])
#= d(A()) => 0.0
#= f(A(1, 2, 3)) => A(3)
#= i(A()) => 0.0
#= j(A()) => 0.0
#= k(A(1, 2), 5) => 0.0
#= l(A(1, 2), 1) => 2.0
#### dtypes_static_nums
def a(x: f32) -> f32 = x + 1
def b(x: i32) -> i32 = x + 1
def c(x: f64[n]) -> f64[n] = x * 0.1
def d() -> f32 = sqrt(2.0) * 2
def e(x: bf16) -> bf16 = x * 3 + 0.5
def f(c: bool) -> f32 = if c then 1 else 0.5
def g(c: bool, x: i64) -> i64 = (if c then 1 else 2) * x
def h() -> f32[3] = [1, 2, 3]
def i() -> f32[2, 2] = [[1, 2.5], [3, 4]]
def j(x: c64) -> c64 = x * 2 + 1.0
def k() -> i64 = 2 ** 40
def l(x: f32) -> f32 = x ** 3 + x ** 0.5 + x ** -2
def m(x: i32) -> i32 = x ** 2
def n(x: f32) -> i32 = i32(x)
def o(x: i32) -> i8 = i8(x)
def p(x: f32[n], y: i32[n]) -> f32[n] = x + f32(y)
def q[a: Float](x: a) -> a = x * 2 + 1.5
def r[a: Num](x: a) -> a = cast(3, a) * x
def s(x: i32) -> f32 = f32(x) / 2
def t(x: u8) -> u8 = x >> 1
def u(x: i8) -> i8 = x >> 1
def v(x: f32) -> f32 = round(x)
def w(x: bool[n]) -> (i32, f32) = (sum(x), mean(x))
def x1(x: c128) -> f64 = abs(x)
def y() -> f32 = 7 // 2 + 7 % 3 + 2 ** 3
def z(x: f32) -> f32 =
    let c = 3
    let r = {a = 2, b = 0.5}
    x * c * r.a * r.b
#= f(False) => 0.5
#= g(True, 5) => 5
#= k() => 2 ** 40
#= l(4.0) => 64 + 2 + 1 / 16
#= n(-2.7) => -2
#= o(300) => 44
#= t(200) => 100
#= u(-3) => -2
#= v(2.5) => 2.0
#= v(3.5) => 4.0
#= w(np.array([True, False])) => (1, 0.5)
#= x1(3 + 4j) => 5.0
#= y() => 12.0
#= z(2.0) => 6.0
#= h() => A(1, 2, 3)
#= e(2.0) => 6.5
#### broadcast
def a(x: f32[n, d], b: f32[d]) -> f32[n, d] = x + b
def b(x: f32[n, d], y: f32[m, d]) -> f32[n, m, d] = x[:, None] - y[None, :]
def c(x: f32[*s, d], y: f32[d]) -> f32[*s, d] = x * y
def d(x: f32[n, 1], y: f32[1, m]) -> f32[n, m] = x * y
def e(x: f32[n], y: f32) -> f32[n] = where(x > y, x, y)
def f(x: f32[n, m], y: f32[m]) -> f32[n, m] = maximum(x, y)
def g(x: f32[n]) -> f32[n] = clip(x, 0.0, 1.0)
def h(x: f32[n, m]) -> f32[n, m] = x.at[0].set(1.0)
def i(x: f32[b, n, k], y: f32[k, m]) -> f32[b, n, m] = x @ y
def j(x: f32[b, n, k], y: f32[b, k, m]) -> f32[b, n, m] = x @ y
def k(x: f32[n], y: f32[n, m]) -> f32[m] = x @ y
def l(x: f32[*s, n, k], y: f32[*s, k]) -> f32[*s, n] = sum(x * y[..., None, :], axis=-1)
def m(x: f32[*s]) -> f32[*s] = x + x * 2.0 - sum(x)
#= a(A((1, 2), (3, 4)), A(10, 20)) => A((11, 22), (13, 24))
#= k(A(1, 2), A((1, 2), (3, 4))) => A(7, 10)

#### shape_functions
def softmax_[a: Float](x: a[*s], *, static axis: int = -1) -> a[*s] =
    let m = max(x, axis=axis, keepdims=true)
    let e = exp(x - m)
    e / sum(e, axis=axis, keepdims=true)
def norm_[a: Float](x: a[*s], *, static axis: axes = none) -> a[*s] =
    let mu = mean(x, axis=axis, keepdims=true)
    let v = var(x, axis=axis, keepdims=true)
    (x - mu) / sqrt(v + 1e-5)
def a(x: f32[n, m]) -> f32[n, m] = softmax_(x, axis=0)
def b(x: f32[n, m, k]) -> f32[n, m, k] = norm_(x, axis=(0, 2))
def mysum[a: Num](x: a[*s], *, static axis: axes = none, static keepdims: bool = false) -> a[*reduced(s, axis, keepdims)] = sum(x, axis=axis, keepdims=keepdims)
def c(x: f32[n, m]) -> f32[m] = mysum(x, axis=0)
def d(x: f32[n, m]) -> f32 = mysum(x)
def e(x: f32[n, m]) -> f32[1, m] = mysum(x, axis=0, keepdims=true)
def zs(static shape: shape, static dtype: dtype = f32) -> dtype[*shape] = zeros(shape, dtype)
def f() -> i32[2, 3] = zs([2, 3], i32)
def g() -> f32[2] = zs((2,))
static def doubled(s: shape) -> shape = [2 * s[0], s[1]]
def h(x: f32[*s], y: f32[*s]) -> f32[*s] = (x - y) ** 2
def i(x: f32[*s], static axis: int) -> f32[*s] = cumsum(x, axis=axis) - flip(x, axis=axis)
def j(x: f32[*s]) -> f32[*s] = sort(x, axis=-1)
def k(x: f32[*s, n]) -> f32[*s] = logsumexp(x, axis=-1)
def l(x: f32[*s, n]) -> f32[*s, n] = x - x.mean(axis=-1, keepdims=true)
#= f() => np.zeros((2, 3), 'i4')
#### logsumexp_import
import special
from special import logsumexp
def k(x: f32[*s, n]) -> f32[*s] = logsumexp(x, axis=-1)
def l(x: f32) -> f32 = special.erf(x)
#= k(A((0, 0), (1, 1))) => A(np.log(2), 1 + np.log(2))
#= l(0.0) => np.float32(0)

#### stages
let table = {a = 1, b = (2, 0.5)}
def a(x: f32[n]) -> f32[n] = x * table.b.1
def b(x: f32[n, m]) -> f32[n] = zeros([x.shape[0]]) + sum(x, axis=1)
def c(x: f32[n], static mode: str = "sum") -> f32 = if mode == "sum" then sum(x) else mean(x)
def d(x: f32[n], static flip_: bool) -> f32[n] = if flip_ then flip(x) else x
def e(x: f32[*s]) -> f32 = if x.ndim == 0 then 1.0 else 2.0
def f(x: f32[n]) -> f32 = sum([x[i] for i in range(x.shape[0])])
def g(x: f32[n], i: idx[n], c: bool) -> f32 = x[if c then i else i]
def h(x: f32[n]) -> int = n + 1
def i(x: f32[n]) -> f32[n + 1] = zeros([h(x)])
def pick(static k: int) -> (f32) -> f32 = if k == 0 then sin else cos
def j(x: f32) -> f32 = pick(0)(x) + pick(k=1)(x)
def k(x: f32) -> f32 =
    let fs = (sin, cos, fn v -> v * 2.0)
    fs.0(x) + fs.1(x) + fs.2(x)
def l(x: f32) -> f32 = fold acc = x for f in (sin, cos, fn v -> v * 2.0) do f(acc)
def m(x: f32[n]) -> f32 = if x.dtype == f32 then 1.0 else 2.0
def n(x: f32) -> f32 =
    let cfg = {layers = 3, act = fn v -> maximum(v, 0.0)}
    fold h = x for _ in range(cfg.layers) do cfg.act(h * 2.0)
#= c(A(1, 3), mode='mean') => 2.0
#= e(1.0) => 1.0
#= e(A(1)) => 2.0
#= i(A(1)) => A(0, 0)
#= j(1.0) => np.sin(1.0) + np.cos(1.0)
#= l(1.0) => np.cos(np.sin(1.0)) * 2
#= n(1.0) => 8.0
#= h(A(1, 2)) => 3
#### immut
type P = {w: f32[2], layer: {b: f32, c: f32}}
def a(x: f32[n], i: i32) -> f32[n] ! check = x.at[i].set(3.0)
def b(x: f32[n], ids: idx[n][m], v: f32[m]) -> f32[n] = x.at[ids].add(v)
def c(x: f32[n]) -> f32[n] = x.at[x > 0.0].set(0.0)
def d(p: P) -> P = {p with w = p.w * 2.0, layer.b = 1.0}
def e(x: f32[n, m]) -> f32[n, m] where n >= 3 and m >= 2 = x.at[1:3, ::2].mul(2.0).at[0, 0].min(-9.0).at[-1, :].max(0.5).at[:, 1].divide(2.0).at[0].power(2.0).at[..., 0].apply(fn v -> v + 1.0)
def f(x: f32[n]) -> f32 where n >= 1 = x.at[0].get()
def g(x: f32[n], i: i32) -> f32 = x.at[i].get(mode="fill", fill=-1.0)
def h(x: f32[n], i: i32) -> f32 where n >= 1 = x.at[i].get(mode="clip") + x.at[i].get(mode="wrap")
def i(x: f32[n], i: i32, v: f32) -> f32[n] = x.at[i].set(v, mode="drop").at[i].add(v, mode="drop")
def j(x: f32[n]) -> f32[n] = x.at[:].set(1.0)
def k(x: f32) -> f32 =
    let x = x + 1.0
    let x = x * 2.0
    x
def l(p: P) -> P = {p with layer = {c = 1.0, b = 2.0}}
def m(p: P) -> P = {p with
    w = zeros([2]),
    layer.c =
        let y = 3.0
        y + 1.0,
    layer.b = 2.0}
#= b(A(1, 2, 3), I(0, 0, 2), A(1, 1, 1)) => A(3, 2, 4)
#= c(A(-1, 2)) => A(-1, 0)
#= d({'w': A(1, 2), 'layer': {'b': 0.0, 'c': 2.0}}) => {'w': A(2, 4), 'layer': {'b': 1.0, 'c': 2.0}}
#= g(A(1, 2), 5) => -1.0
#= h(A(1, 2), 5) => 4.0
#= i(A(1, 2), 5, 9.0) => A(1, 2)
#= i(A(1, 2), 1, 9.0) => A(1, 18)
#= a(A(1, 2), 1) => A(1, 3)
#### keys
from random import normal, split, fold_in, uniform, bernoulli, categorical, permutation
import random
def a(k: key) -> (f32, f32[3]) =
    let (k1, k2) = split(k)
    (normal(k1), normal(k2, [3]))
def b(k: key) -> f32[4] =
    let ks = split(k, 4)
    [normal(q) for q in ks]
def c(k: key) -> f32[5] = [normal(fold_in(k, i)) for i in range(5)]
def d(k: key, static n: int) -> (key, f32[n]) =
    scan k = k for _ in range(n) do
        let (k, sub) = split(k)
        (k, normal(sub))
def e(k: key, c: bool) -> f32 = if c then normal(k) else uniform(k)
def f(k: key) -> f32 =
    let ks = split(k, 3)
    normal(ks[0]) + normal(ks[1]) + normal(ks[2])
def g(t: {k: key, x: f32}) -> f32 = normal(t.k) + t.x + t.x
def h(k: key, x: f32[n, d]) -> f32[n, d] =
    let (k1, k2) = split(k)
    where(bernoulli(k1, 0.5, x.shape), x, 0.0) + uniform(k2, x.shape, minval=-1.0, maxval=1.0)
def i(k: key, logits: f32[n]) -> idx[n] = categorical(k, logits)
def j(k: key, x: f32[n]) -> f32[n] = permutation(k, x)
def l(seed: i32) -> f32 = normal(random.key(seed))
def m(ks: key[n]) -> f32[n] = vmap(fn k -> normal(k))(ks)
def n(ks: key[2]) -> f32 =
    let (a, b) = ks
    normal(a) + normal(b)
def o(k: key) -> (f32, key) =
    fold (acc, k) = (0.0, k) for i in range(3) do
        let (a, b) = split(k)
        (acc + normal(a), b)
def p(k: key) -> f32 = fold acc = 0.0 for i in range(3) do acc + normal(fold_in(k, i))
def q(k: key) -> f32 ! io =
    let x = k.shape
    print("hi")
    normal(k)
#= a(key(0))
#= d(key(0), 3)
#= i(key(0), A(1, 2))
#= j(key(0), A(1, 2))
#= l(3)
#= o(key(2))
#### effects_all
import random
def noise(x: f32[n]) -> f32[n] ! rand = x + random.normal(fresh_key(), [n])
def a(k: key, x: f32[n]) -> f32[n] = with rng(k) do noise(x) + noise(x)
def b(x: f32[n, d]) -> f32[n, d] ! rand = [noise(row) for row in x]
def c(x: f32[n]) -> f32 ! {rand, check} =
    let y = noise(x)
    assert all(y < 100.0), "big"
    checked(sum(y))
def d(k: key, x: f32[n]) -> (f32, {failed: bool, code: i32}) = with checks do with rng(k) do c(x)
def e(x: f32[n], i: i32) -> f32 ! check = x[i]
def f(x: f32[n]) -> f32 ! io =
    fold s = 0.0 for i in range(n) do
        print("i = {}, v = {}", i, x[i])
        s + x[i]
def tick() -> i32 ! state(c: i32) =
    c := c + 1
    c
def g(x: f32[n]) -> ((f32, i32), i32) =
    with state c = 10 do
        let s = fold s = 0.0 for v in x do
            let k = tick()
            s + v * f32(k)
        (s, tick())
def h(x: f32[n]) -> (f32[n], f32) =
    with accum total: f32 do
        [if v > 0.0 then
            total += v
            v
         else
            0.0
         for v in x]
def i(x: f32[n], k: key) -> f32[n] = with rng(k) do vmap(fn v -> v + random.normal(fresh_key()))(x)
def j(x: f32[n]) -> f32[n] ! check = [checked(log(v)) for v in x]
def kk(x: f32) -> f32 ! check =
    assert x > 0.0, "positive"
    log(x)
def l(x: f32) -> f32 ! check = grad(kk)(x)
def m(x: f32[n]) -> (f32[n], f32) = with accum s: f32 do grad(fn y ->
    s += 1.0
    sum(y * y))(x)
def p(x: f32[n]) -> f32[n] ! axis("i": n) = x - pmean(x, "i")
def q(x: f32[n, n]) -> f32[n, n] = vmap(p, axis_name="i")(x)
def q2(x: f32[n]) -> f32[n] = vmap(fn v -> v / psum(v, "i") + f32(axis_index("i")), axis_name="i")(x)
def s(x: f32) -> f32 ! div = iterate y = x while y * y > 2.0 do y / 2.0
def t(x: f32[n]) -> f32[n] ! div = [s(v) for v in x]
def u(x: f32) -> (f32, f32) ! div = jvp(s, (x,), (1.0,))
#= g(A(1, 1)) => ((11.0 + 12.0, 13), 13)
#= h(A(1, -1, 2)) => (A(1, 0, 2), 3.0)
#= l(2.0) => 0.5
#= m(A(1, 2)) => (A(2, 4), 1.0)
#= q2(A(1, 3)) => A(0.25, 1.75)
#= t(A(8, 1)) => A(1, 1)
#= u(8.0) => (1.0, 0.125)
#### handlers
effect ask: () -> f32
effect tell: (x: f32) -> ()
effect choose: (static name: str, lo: f32, hi: f32) -> f32
def prog(x: f32) -> f32 ! {ask, tell, choose} =
    let a = ask()
    tell(a * 2.0)
    let b = choose("b", a, x)
    tell(b)
    a + b
def run1(x: f32) -> f32 = with handler ask() -> resume(2.0), tell(v) -> resume(()), choose(n, lo, hi) -> resume(hi) do prog(x)
def run2(x: f32) -> (f32, f32) = (with handler ask() -> resume(2.0), tell(v) ->
        log_ := log_ + v
        resume(()),
    choose(n, lo, hi) -> resume((lo + hi) / 2.0), state log_ = 0.0 do prog(x))
def run3(x: f32) -> (f32, (i32, f32)) =
    (with handler tell(v) ->
            c := (c.0 + 1, c.1 + v)
            resume(()),
        state c = (0, 0.0) do inner(x))
def inner(x: f32) -> f32 ! tell =
    with handler ask() -> resume(x), choose(n, lo, hi) -> resume(if n == "b" then lo else hi) do
        prog(x)
def run4(x: f32[n]) -> f32[n] = with handler ask() -> resume(1.0), tell(_) -> resume(()), choose(_, a, _) -> resume(a) do [prog(v) for v in x]
def run5(x: f32) -> f32 = grad(run1)(x)
def outer(f: (f32) -> f32 ! e, x: f32) -> f32 ! e = with handler ask() -> resume(5.0) do f(x)
def run6(x: f32) -> f32 = with handler ask() -> resume(7.0) do outer(fn v -> v + ask(), x)
#= run1(3.0) => 5.0
#= run2(4.0) => (5.0, 7.0)
#= run3(4.0) => (8.0, (2, 12.0))
#= run4(A(1, 2)) => A(2, 2)
#= run5(3.0) => 1.0
#= run6(1.0) => 8.0
#### indexing
def a(x: f32[n, m]) -> f32[n - 2, (m + 1) // 2] where n >= 2 = x[1:-1, ::2]
def b(x: f32[*s, n]) -> f32[*s] where n >= 1 = x[..., 0]
def c(x: f32[n]) -> f32[1, n, 1] = x[None, :, None]
def d(x: f32[n, m], ids: idx[n][k]) -> f32[k, m] = x[ids]
def e(x: f32[n, m], i: idx[n][k], j: idx[m][k]) -> f32[k] = x[i, j]
def f(x: f32[n], static k: int) -> f32[k] = x[-k:]
def g(x: f32[n]) -> f32[n] = x[0:n]
def h(x: f32[n]) -> f32[n // 3] = x[1 : n // 3 * 3 : 3]
def i(x: f32[n], i: idx[n - 2]) -> f32[3] = x[i : i + 3]
def j(x: f32[n], i: i32, static k: int) -> f32[k] ! check = x[i : i + k]
def k(x: f32[n, m], i: idx[n], j: idx[m]) -> f32 = x[i, j] + x[i][j]
def l(x: f32[n, m, p]) -> f32[n, p] where m >= 2 = x[:, 1]
def o(x: f32[n, m, p]) -> f32[p, n] where m >= 1 = x[:, -1, :].T
def q(x: f32[n]) -> f32 where n >= 1 = x[n - 1] - x[-1]
def r(x: f32[n, m], i: idx[n][k]) -> f32[k, m - 1] where m >= 1 = x[i, 1:]
def s(x: f32[n, m], i: idx[m][k, l]) -> f32[n, k, l] = x[:, i]
def t(x: f32[n]) -> f32[n] = x[argsort(x)]
def u(x: f32[n]) -> f32[n] = x[arange(n)]
def v(x: f32[n]) -> f32[n] = x[::-1]
def w(x: f32[n], y: f32[n]) -> f32[2 * n - 1] where n >= 1 = [fold s = 0.0 for i in range(n) do s + (if 0 <= k - i < n then x[i] * y[k - i] else 0.0) for k in range(2 * n - 1)]
#= v(A(1, 2, 3)) => A(3, 2, 1)
#= t(A(2, 3, 1)) => A(1, 2, 3)

#### intervals
def a(x: f32[n], y: f32[m], z: f32[n + m - 1]) -> f32[n, m] where n >= 1 and m >= 1 = [z[i + j] for i in range(n), j in range(m)]
def b(x: f32[2 * n + 1]) -> f32[n] = [x[2 * i + 1] + x[2 * i] for i in range(n)]
def c(x: f32[n]) -> f32[n] = [x[n - 1 - i] for i in range(n)]
def d(x: f32[256], y: u8[n]) -> f32[n] = x[i32(y)]
def e(x: f32[n], i: i32) -> f32 where n >= 1 = x[clip(i, 0, n - 1)]
def f(x: f32[n], i: i32) -> f32 where n >= 1 = x[minimum(maximum(i, 0), n - 1)]
def g(x: f32[n]) -> f32[n] where n >= 1 = [x[(i + 1) % n] for i in range(n)]
def h(x: f32[n], j: i32) -> f32 where n >= 1 = x[j % n]
def i(x: f32[n], y: f32[m]) -> f32 where n >= 1 = x[argmax(x)] + x[argmin(x)]
def j(x: f32[n]) -> f32[n] = [x[i // 2] for i in range(n)]
def k(x: f32[n, n]) -> f32[n] = [x[i, i] for i in range(n)]
def l(x: f32[n]) -> f32[n - 1] where n >= 1 = [x[i + 1] - x[i] for i in range(n - 1)]
def o(x: f32[n]) -> f32[n] where n >= 1 = [x[if i == 0 then 0 else i - 1] for i in range(n)]
def p(x: f32[n]) -> f32[n] where n >= 1 = [x[max(i - 1, 0)] + x[min(i + 1, n - 1)] for i in range(n)]
def q(x: f32[n]) -> f32[n - 2] where n >= 2 = [x[i - 1] + x[i] + x[i + 1] for i in range(1, n - 1)]
def s(x: f32[n], v: f32) -> f32[n] =
    let i: idx[n + 1] = searchsorted(x, v)
    x * f32(i)
def t(x: f32[n]) -> idx[n][n] = argsort(x)
def u(x: f32[n, d], k: i32[m]) -> f32[m, d] where n >= 1 = x[k % n]
#= b(A(1, 2, 3, 4, 5)) => A(3, 7)
#= g(A(1, 2, 3)) => A(2, 3, 1)
#= p(A(1, 2, 3)) => A(3, 4, 5)
#= q(A(1, 2, 3)) => A(6)
#= h(A(1, 2, 3), -1) => 3.0
#= o(A(1, 2, 3)) => A(1, 1, 2)
#### masks
def a(x: f32[n]) -> f32[n] = where(x < 0.0, 0.0, x)
def b(x: f32[n], static k: int) -> f32[k] ! check = compress(x, x > 0.0, size=k, fill=0)
def c(x: f32[n], static k: int) -> f32[k] = compress(x, x > 0.0, size=k, fill=-1.0, overflow="drop")
#= b(A(1, -1, 2), 3) => A(1, 2, 0)
#= c(A(1, -1, 2), 1) => A(1)
#### comprehensions
def a(x: f32[n]) -> f32[n] = [v ** 2 for v in x]
def b(x: f32[n], y: f32[n]) -> f32[n] = [u * v for u, v in zip(x, y)]
def c(x: f32[n], y: f32[m]) -> f32[n, m] = [u * v for u in x, v in y]
def d(x: f32[n, m]) -> f32[n, m] = [x[i, j] * f32(i + j) for i in range(n), j in range(m)]
def e(ps: {w: f32[d], b: f32}[n], x: f32[d]) -> f32[n] = [p.w @ x + p.b for p in ps]
def f(x: f32[n]) -> {i: i32[n], v: f32[n]} = [{i = i, v = v * 2.0} for i, v in enumerate(x)]
def g(x: f32[n, m]) -> f32[n, m] = [[v + 1.0 for v in row] for row in x]
def h(x: f32[n], w: f32[k]) -> f32[n - k + 1] where n >= k and k >= 1 = [sum(x[i : i + k] * w) for i in range(n - k + 1)]
def i(x: f32[h, w], k: f32[3, 3]) -> f32[h - 2, w - 2] where h >= 2 and w >= 2 = [sum(x[i : i + 3, j : j + 3] * k) for i in range(h - 2), j in range(w - 2)]
def j(x: f32[n, m]) -> f32[n // 2, m // 2] = [max(x[2 * i : 2 * i + 2, 2 * j : 2 * j + 2]) for i in range(n // 2), j in range(m // 2)]
def k(x: f32[n]) -> (f32[n], i32[n]) = [(v, 1) for v in x]
def l() -> i32[3] = [i * i for i in range(2, 5)]
def o(x: f32[n, m]) -> f32[n, m] = [v * f32(i) for i, row in enumerate(x), v in row]
def p(x: f32[n], y: f32[n], z: f32[n]) -> f32[n] = [a + b * c for a, (b, c) in zip(x, zip(y, z))]
def q(x: f32[n], y: f32[n], z: f32[n]) -> f32[n] = [a + b * c for a, b, c in zip(x, y, z)]
def s(x: f32[n], y: {a: f32[n], b: (f32[n, 2],)}) -> f32[n] = [t.a + sum(t.b.0) + u for t, u in zip(y, x)]
#= l() => I(4, 9, 16)
#= f(A(1, 2)) => {'i': I(0, 1), 'v': A(2, 4)}
#= k(A(1, 2)) => (A(1, 2), I(1, 1))
#### loops
def a(x: f32[n]) -> f32 = fold acc = 0.0 for v in x do acc + v
def b(x: f32[n]) -> (f32, f32[n]) = scan acc = 0.0 for v in x do (acc + v, acc)
def c(x: f32[n]) -> (f32, f32[n]) = scan acc = 0.0 for v in x reverse do (acc + v, acc + v)
def d(x: f32[n]) -> f32 = fold acc = 0.0 for v in x unroll 4 do acc * 0.5 + v
def e(x: f32[n]) -> f32 = fold acc = 0.0 for v in x reverse unroll 2 do acc * 0.5 + v
def f(n: i32) -> (i32, i32) = fold (a, b) = (0, 1) for _ in range(10) do (b, a + b)
def g(x: f32[n]) -> f64 = fold acc: f64 = 0.0 for v in x do acc + f64(v)
def h(x: f32[n]) -> f64 =
    let t: f64 = fold acc = 0 for v in x do acc + f64(v)
    t
def i(x: f32, y: (f32, i32, f64)) -> f64 = fold acc = f64(x) for v in y do acc + f64(v)
def j(x: f32[n, d], w: f32[d, d]) -> (f32[d], f32[n, d]) =
    scan h = zeros([d]) for x_t in x do
        let h = tanh(w @ h + x_t)
        (h, h)
def k(x: f32[n]) -> {s: f32, c: i32} = fold st = {s = 0.0, c = 0} for v in x do {st with s = st.s + v, c = st.c + 1}
def l(x: f32[d0], ws: (f32[d0, d1], f32[d1, d2], f32[d2, 1])) -> f32[1] = fold h = x for w in ws do tanh(h @ w)
def o(x: f32[n], y: f32[n]) -> f32 = fold s = 0.0 for u, v in zip(x, y) do s + u * v
def p(x: f32[n]) -> (f32, (f32[n], bool[n])) = scan m = -inf for v in x do
    let m2 = max(m, v)
    (m2, (m2, v > m))
def q() -> i32 = fold s = 0 for i in range(3, 7) do s + i
def s(x: f32[n, m]) -> f32 = fold t = 0.0 for row in x do fold u = t for v in row do u + v
def t(x: f32[n]) -> (f32, f32[n]) = scan c: f32 = 0 for i, v in enumerate(x) reverse do (c + v, c * f32(i))
def u(a: f32, static k: int) -> f32 = iterate x = a while x < 100.0 limit k do x * 2.0
def v(a: f32) -> f32 = grad(fn z -> iterate x = z while x < 100.0 limit 50 do x * 2.0)(a)
#= c(A(1, 2, 3)) => (6.0, A(6, 5, 3))
#= e(A(1, 2, 3)) => (3 * 0.5 + 2) * 0.5 + 1
#= f(0) => (55, 89)
#= l(A(1, 2), (np.ones((2, 3), 'f4'), np.ones((3, 2), 'f4'), np.ones((2, 1), 'f4'))) => A(np.tanh(2 * np.tanh(3 * np.tanh(3))))
#= p(A(1, 3, 2)) => (3.0, (A(1, 3, 3), np.array([True, True, False])))
#= t(A(1, 2, 3)) => (6.0, A(0, 3, 0))
#= u(1.0, 3) => 8.0
#= v(1.0) => 128.0
#= i(1.0, (1.0, 2, 3.0)) => 7.0
#= h(A(1, 2)) => 3.0
#### transforms
def f(x: f32, y: f32) -> f32 = x ** 2 * y
def a(x: f32, y: f32) -> f32 = grad(f)(x, y)
def b(x: f32, y: f32) -> (f32, f32) = grad(f, argnums=(0, 1))(x, y)
def c(x: f32, y: f32) -> (f32, f32) = value_and_grad(f, argnums=1)(x, y)
def aux(x: f32) -> (f32, {a: f32}) = (x ** 3, {a = x + 1.0})
def d(x: f32) -> (f32, {a: f32}) = grad(aux, has_aux=true)(x)
def e(x: f32) -> ((f32, {a: f32}), f32) = value_and_grad(aux, has_aux=true)(x)
def g(x: f32[n]) -> (f32[n], f32[n]) = jvp(fn v -> sin(v), (x,), (ones([n]),))
def h(x: f32) -> f32 =
    let (out, lin) = linearize(fn v -> v ** 3, x)
    out + lin(2.0)
def i(x: f32, y: f32) -> (f32, f32) =
    let (out, pull) = vjp(f, x, y)
    pull(1.0)
def vecf(x: f32[n]) -> f32[n] = x ** 2 * sum(x)
def j(x: f32[n]) -> f32[n, n] = jacfwd(vecf)(x)
def k(x: f32[n]) -> f32[n, n] = jacrev(vecf)(x)
def l(x: f32[n]) -> f32[n, n] = hessian(fn v -> sum(v ** 3))(x)
def m(x: f32[n], v: f32[n]) -> f32[n] = hvp(fn z -> sum(z ** 3), x, v)
def n(x: f32[n], y: f32) -> f32[n] = vmap(f, in_axes=(0, none))(x, y)
def o(x: f32[n, m]) -> f32[m] = vmap(sum, in_axes=1)(x)
def p(x: f32[n, m]) -> f32[m, n] = vmap(fn r -> r * 2.0, out_axes=1)(x)
def q(x: f32) -> f32 = grad(checkpoint(fn v -> sin(sin(v))))(x)
def r(x: f32) -> f32 = grad(grad(grad(fn v -> v ** 4)))(x)
def s(x: f32) -> f32 = grad(fn v -> v * stop_gradient(v))(x)
def t(x: f32[n]) -> f32[n] = jit(fn v -> v * 2.0)(x)
def lr(x: f32) -> f32 = maximum(x, 0.0)
def u(x: f32) -> f32 = grad(custom_jvp(lr, fn (p, t) -> (lr(p.0), t.0 * 5.0)))(x)
def v(x: f32) -> f32 = grad(custom_vjp(lr, fn x -> (lr(x), x), fn (saved, ct) -> (ct * saved,)))(x)
def pw(x: f32, static k: int) -> f32 = x ** k
def w(x: f32) -> f32 = grad(pw)(x, k=3)
def y(x: f32[n]) -> f32[n] = vmap(grad(pw))(x, k=2)
def z(p: {w: f32[n], b: f32}, x: f32[n]) -> {w: f32[n], b: f32} = grad(fn p -> (p.w @ x + p.b) ** 2)(p)
def a1(x: f32[n]) -> f32[n] = grad(fn v -> sum([if u > 0.0 then sqrt(u) else 0.0 for u in v]))(x)
def a2(x: f32[n]) -> f32[n] = grad(fn v -> sum(where(v > 0.0, sqrt(v), 0.0)))(x)
def a3(x: f32[n, d], y: {a: f32[n], b: f32}) -> f32[n] = vmap(fn (r, t) -> sum(r) * t.a + t.b, in_axes=(0, {a = 0, b = none}))(x, y)
def a4(x: f32[n]) -> f32[n] = vmap(vmap(fn v -> v + 1.0))(x[None])[0]
def a5(x: f32) -> f32 = grad(abs)(x) + grad(fn v -> max(v, v))(x)
def a6(x: c64) -> c64 = x
def a7(x: f32[n]) -> f32[n] = linearize(fn v -> v * v, x).1(x)
#= b(2.0, 3.0) => (12.0, 4.0)
#= c(2.0, 3.0) => (12.0, 4.0)
#= e(2.0) => ((8.0, {'a': 3.0}), 12.0)
#= d(2.0) => (12.0, {'a': 3.0})
#= h(2.0) => 8 + 24.0
#= i(2.0, 3.0) => (12.0, 4.0)
#= j(A(1, 2)) => np.diag([6.0, 12.0]) + np.array([[1, 1], [4, 4]], 'f4')
#= k(A(1, 2)) => np.diag([6.0, 12.0]) + np.array([[1, 1], [4, 4]], 'f4')
#= l(A(1, 2)) => np.diag([6.0, 12.0])
#= m(A(1, 2), A(1, 1)) => A(6, 12)
#= r(2.0) => 48.0
#= s(2.0) => 2.0
#= u(2.0) => 5.0
#= v(3.0) => 3.0
#= w(2.0) => 12.0
#= y(A(1, 2)) => A(2, 4)
#= a1(A(0, 1, -1)) => A(0, 0.5, 0)
#= a2(A(0, 1, -1)) => A(0, 0.5, 0)
#= a5(0.0) => 1.0
#= a7(A(1, 2)) => A(2, 8)
#### chosen_functions
def f(x: f32, static fast: bool) -> f32 =
    let o = if fast then {step = fn v -> v + 1.0, k = 1} else {step = fn v -> v - 1.0, k = 2}
    o.step(x) + sum(ones([o.k]))
def g(x: f32, static fast: bool) -> f32 =
    let o = if fast then {step = fn v -> v + 1.0} else {step = sin}
    o.step(x)
def h(x: f32, static k: int) -> f32 =
    let (a, b) = match k with
        0 -> (sin, 1.0)
        _ -> (fn v -> v * 2.0, 3.0)
    a(x) * b
#= f(1.0, True) => 3.0
#= f(1.0, False) => 2.0
#= g(1.0, True) => 2.0
#= g(1.0, False) => np.sin(1.0)
#= h(1.0, 1) => 6.0
#### functions_whose_type_is_not_stated_as_results
def scaled(k: f32, b: f32 = k * 2.0, *, static n: int = 1) = fn x -> x * k ** n + b
def affine(w: f32[n, m]) = fn x -> w @ x
def square(x: f32) -> f32 = x * x
def chosen(static plain: bool) = if plain then square else grad(square)
def either() = (square, fn x -> x + 1.0)
def f(x: f32) -> f32 = scaled(6.0)(x) + scaled(2.0, b=0.0, n=3)(x)
def g(x: f32) -> f32 = chosen(true)(x) + chosen(false)(x) + either().0(x) + either().1(x)
def h(w: f32[n, m], x: f32[m]) -> f32[n] = affine(w)(x)
def slope(x: f32) -> (f32, f32) = (grad(scaled(x))(x), grad(fn k -> scaled(k)(x))(x))
#= f(2.0) => 40.0
#= g(3.0) => 28.0
#= h(A((1, 2), (3, 4)), A(1, 1)) => A(3, 7)
#= slope(3.0) => (3.0, 5.0)
