#### best_place
def f(x: f32[n]) -> (f32, i32) = fold (best, at) = (-inf, 0) for i, v in enumerate(x) do
    if v > best then (v, i32(i)) else (best, at)
#= f(A(1, 3, 2)) => (3.0, 1)
#### composed_functions
def compose(fs: ((f32) -> f32, (f32) -> f32, (f32) -> f32)) -> (f32) -> f32 = fn x -> fold y = x for f in fs do f(y)
def g(x: f32) -> f32 = compose((sin, cos, fn v -> v + 1.0))(x)
#= g(1.0) => np.cos(np.sin(1.0)) + 1
#### fit_by_gradients
def fit(w: f32[n], x: f32[m, n], y: f32[m], static steps: int) -> f32[n] =
    let step = fn (w, g) -> w - 0.1 * g
    let loss = fn w -> mean((x @ w - y) ** 2)
    fold w = w for _ in range(steps) do step(w, grad(loss)(w))
#= fit(A(0, 0), R(3, 2), R(3), 10)
#### initialisers
enum Init = Zeros | Normal(scale: float) | Const(v: float)
from random import normal
def init(k: key, static s: shape, static i: Init = Zeros) -> f32[*s] =
    match i with
        Zeros -> zeros(s)
        Normal(scale) -> scale * normal(k, s)
        Const(v) -> full(s, v)
def f(k: key) -> f32[2, 3] = init(k, [2, 3], Const(2.0))
def g(k: key) -> f32[4] = init(k, (4,), i=Normal(0.0))
#= f(key(0)) => np.full((2, 3), 2, 'f4')
#= g(key(0)) => np.zeros(4, 'f4')
#= init(key(0), (2,), Const(3.0)) => A(3, 3)
#### tuple_of_layers
def mlp(ps: ({w: f32[a, b], b: f32[b]}, {w: f32[b, c], b: f32[c]}), x: f32[a]) -> f32[c] =
    fold h = x for p in ps do tanh(h @ p.w + p.b)
def loss(ps: ({w: f32[a, b], b: f32[b]}, {w: f32[b, c], b: f32[c]}), xs: f32[n, a], ys: f32[n, c]) -> f32 = mean([(mlp(ps, x) - y) ** 2 |> sum for x, y in zip(xs, ys)])
def step(ps: ({w: f32[a, b], b: f32[b]}, {w: f32[b, c], b: f32[c]}), xs: f32[n, a], ys: f32[n, c]) -> ({w: f32[a, b], b: f32[b]}, {w: f32[b, c], b: f32[c]}) = ps - 0.1 * grad(loss)(ps, xs, ys)
#= step(({'w': R(2, 3), 'b': R(3)}, {'w': R(3, 1), 'b': R(1)}), R(4, 2), R(4, 1))
#### pipeline
def f(x: f32[n, m]) -> f32[m] where n >= 1 = x
    |> fn v -> v - mean(v, axis=0, keepdims=true)
    |> fn v -> v ** 2
    |> fn v -> sum(v, axis=0)
    |> sqrt
#= f(A((1, 2), (3, 2))) => A(np.sqrt(2), 0)

#### sizes_in_branches
def f(x: f32[n]) -> f32[n] =
    let y =
        if n > 3 then
            x * 2.0
        else
            x
    let z = match n with
        0 -> y
        1 ->
            let q = y + 1.0
            q
        _ -> y - 1.0
    z
#= f(A(1)) => A(2)
#= f(A(1, 2, 3, 4)) => A(1, 3, 5, 7)
#### integers
def f(x: i64, y: u32) -> i64 = x << 3 | i64(y) & 0xff ^ 1
def g(x: i32[n]) -> i32[n] = [if v % 2 == 0 then v // 2 else 3 * v + 1 for v in x]
def collatz(x: i32) -> i32 ! div =
    let (_, k) = iterate (v, k) = (x, 0) while v != 1 do (if v % 2 == 0 then v // 2 else 3 * v + 1, k + 1)
    k
#= f(2, 300) => np.int64(2 << 3 | 300 & 255 ^ 1)
#= collatz(6) => 8
#### elimination
def f(x: f32[n, n]) -> f32[n, n] where n >= 1 =
    fold a = x for k in range(n - 1) do
        let m = a[:, k] / a[k, k]
        let mask = arange(n) > k
        where(mask[:, None], a - outer(m, a[k]), a)
def det(x: f32[n, n]) -> f32 where n >= 1 = prod(diag(f(x)))
#= det(A([4, 3], [6, 3])) => -6.0
#### several_results
def f(xs: (f32[n], i32[n], bool[n])) -> (f32, i32, i32) = (sum(xs.0), sum(xs.1), sum(xs.2))
def g(x: f32[n]) -> {min: f32, max: f32, range: f32} where n >= 1 =
    let (lo, hi) = (min(x), max(x))
    {min = lo, max = hi, range = hi - lo}
#= g(A(1, 5)) => {'min': 1.0, 'max': 5.0, 'range': 4.0}
#= f((A(1, 2), I(1, 2), np.array([True, False]))) => (3.0, 3, 1)
#### integration
def simpson(f: (f32) -> f32 ! e, a: f32, b: f32, static n: int = 10) -> f32 ! e where n >= 1 =
    let h = (b - a) / f32(2 * n)
    let ys = [f(a + f32(i) * h) for i in range(2 * n + 1)]
    h / 3.0 * (ys[0] + ys[-1] + 4.0 * sum(ys[1:-1:2]) + 2.0 * sum(ys[2:-1:2]))
def area() -> f32 = simpson(fn x -> x ** 2, 0.0, 3.0)
def darea(b: f32) -> f32 = grad(fn b -> simpson(exp, 0.0, b, n=20))(b)
#= area() => 9.0
#= darea(1.0) => np.e
#### windows
def pad_to(x: f32[n], static k: size) -> f32[max(n, k)] = concatenate((x, zeros([max(n, k) - n])))
def windows(x: f32[n], static w: int, static s: int = 1) -> f32[(n - w) // s + 1, w] where w >= 1 and s >= 1 and n >= w = [x[i * s : i * s + w] for i in range((n - w) // s + 1)]
def ma(x: f32[n]) -> f32[n - 2] where n >= 3 = mean(windows(x, 3), axis=1)
#= pad_to(A(1, 2), 4) => A(1, 2, 0, 0)
#= ma(A(1, 2, 3, 4)) => A(2, 3)
#= windows(A(1, 2, 3, 4, 5), 2, s=2) => A([1, 2], [3, 4])
#### records_in_arrays
type Point = {x: f32, y: f32}
def add(a: Point, b: Point) -> Point = {x = a.x + b.x, y = a.y + b.y}
def centroid(ps: Point[n]) -> Point = fold c = {x = 0.0, y = 0.0} for p in ps do c.add(p)
def shift(ps: Point[n], by: Point) -> Point[n] = [{p with x = p.x + by.x} for p in ps]
def pick(ps: Point[n], i: idx[n]) -> Point = ps[i]
def firsts(ps: Point[n][m]) -> Point[m] where n >= 1 = [row[0] for row in ps]
#= centroid({'x': A(1, 2), 'y': A(3, 4)}) => {'x': 3.0, 'y': 7.0}
#= shift({'x': A(1, 2), 'y': A(3, 4)}, {'x': 1, 'y': 9}) => {'x': A(2, 3), 'y': A(3, 4)}
#= pick({'x': A(1, 2), 'y': A(3, 4)}, 1) => {'x': 2.0, 'y': 4.0}
#= firsts({'x': A([1, 2], [3, 4], [5, 6]), 'y': A([1, 2], [3, 4], [5, 6])}) => {'x': A(1, 3, 5), 'y': A(1, 3, 5)}
#### static_functions_of_sizes
static def layers(d: int, k: int) -> int = if k == 0 then d else layers(2 * d, k - 1)
static def is_pow2(n: int) -> bool = n == 1 or n % 2 == 0 and is_pow2(n // 2)
static def sizes(s: shape) -> shape = [s[0] + 1, s[1] * 2]
def f(x: f32[n]) -> f32[layers(n, 3)] = tile(x, 8)
def g(static n: int) -> f32[n] where is_pow2(n) and n >= 1 = ones([n])
def h() -> f32[8] = g(8)
def i(x: f32[n, m]) -> f32[*sizes([n, m])] = zeros(sizes([n, m]))
#= f(A(1)) => np.ones(8, 'f4')
#= h() => np.ones(8, 'f4')
#### running_moments
def welford(x: f32[n]) -> (f32, f32) where n >= 1 =
    let (_, mean_, m2) = fold (k, mu, m2) = (0.0, 0.0, 0.0) for v in x do
        let k = k + 1.0
        let d = v - mu
        let mu = mu + d / k
        (k, mu, m2 + d * (v - mu))
    (mean_, m2 / f32(n))
#= welford(A(1, 2, 3)) => (np.float32(2), np.float32(2 / 3))

#### bilinear
def bilinear(img: f32[h, w], y: f32, x: f32) -> f32 where h >= 2 and w >= 2 =
    let (y0, x0) = (clip(i32(floor(y)), 0, h - 2), clip(i32(floor(x)), 0, w - 2))
    let (dy, dx) = (y - f32(y0), x - f32(x0))
    (1.0 - dy) * ((1.0 - dx) * img[y0, x0] + dx * img[y0, x0 + 1]) + dy * ((1.0 - dx) * img[y0 + 1, x0] + dx * img[y0 + 1, x0 + 1])
#= bilinear(A([0, 1], [2, 3]), 0.5, 0.5) => 1.5
#### histograms
def hist(x: i32[n], static k: int) -> i32[k] ! check where k >= 1 = zeros([k], dtype=i32).at[x].add(1)
def hist2(x: i32[n], static k: int) -> i32[k] where k >= 1 = sum(i32(x[:, None] == arange(k)[None, :]), axis=0)
def bucket(x: f32[n], edges: f32[k]) -> idx[k + 1][n] = searchsorted(edges, x)
def counts(x: f32[n], edges: f32[k]) -> f32[k + 1] = zeros([k + 1]).at[bucket(x, edges)].add(1.0)
#= hist(I(0, 1, 1), 3) => I(1, 2, 0)
#= hist2(I(0, 1, 1), 3) => I(1, 2, 0)
#= counts(A(0.5, 1.5, 3), A(1, 2)) => A(1, 1, 1)
#### custom_rules
def crelu(x: f32) -> f32 = custom_vjp(fn v -> maximum(v, 0.0), fn v -> (maximum(v, 0.0), v > 0.0), fn (pos, ct) -> (if pos then ct else 0.1 * ct,))(x)
def f(x: f32[n]) -> f32[n] = grad(fn v -> sum([crelu(u) for u in v]))(x)
def logp1(x: f32) -> f32 = custom_jvp(fn v -> log(1.0 + exp(v)), fn (p, t) -> (log(1.0 + exp(p.0)), t.0 / (1.0 + exp(-p.0))))(x)
def g(x: f32) -> f32 = grad(grad(logp1))(x)
#= f(A(-1, 2)) => A(0.1, 1)
#= g(0.0) => 0.25
#### collectives
def f(x: f32[n]) -> f32[n] = vmap(fn v -> v - pmax(v, "b"), axis_name="b")(x)
def g(x: f32[n, d]) -> f32[n, d] = vmap(fn v -> (v - pmean(v, "b")) / sqrt(pmean((v - pmean(v, "b")) ** 2, "b") + 1e-5), axis_name="b")(x)
def h(x: f32[n]) -> f32[n, n] = vmap(fn v -> all_gather(v, "b"), axis_name="b")(x)
#= f(A(1, 3)) => A(-2, 0)
#= h(A(1, 3)) => A([1, 3], [1, 3])
#### index_arithmetic
def trace_(x: f32[n, n]) -> f32 = sum([x[i, i] for i in range(n)])
def toeplitz(c: f32[2 * n - 1]) -> f32[n, n] where n >= 1 = [c[n - 1 + i - j] for i in range(n), j in range(n)]
def vander(x: f32[n], static k: int) -> f32[n, k] where k >= 0 = [v ** f32(j) for v in x, j in range(k)]
def upper(x: f32[n, n]) -> f32[n, n] = [if i <= j then x[i, j] else 0.0 for i in range(n), j in range(n)]
def im2col(x: f32[h, w]) -> f32[h - 1, w - 1, 4] where h >= 1 and w >= 1 = [reshape(x[i : i + 2, j : j + 2], [4]) for i in range(h - 1), j in range(w - 1)]
#= toeplitz(A(1, 2, 3)) => A([2, 1], [3, 2])
#= upper(A([1, 2], [3, 4])) => A([1, 2], [0, 4])
#= vander(A(1, 2), 3) => A([1, 1, 1], [1, 2, 4])
#= im2col(A([1, 2], [3, 4])) => A([[1, 2, 3, 4]])
#### parameters_by_effects
effect param: (static name: str, static s: shape) -> f32
effect log_: (x: f32) -> ()
def model(x: f32) -> f32 ! {param, log_} =
    let w = param("w", [])
    let b = param("b", [])
    log_(w * x)
    w * x + b
def run(x: f32) -> f32 = with handler param(n, s) -> resume(if n == "w" then 2.0 else 1.0), log_(v) -> resume(()) do model(x)
def total(xs: f32[n]) -> (f32, f32) = (with handler param(n, s) -> resume(2.0), log_(v) ->
        acc := acc + v
        resume(()), state acc = 0.0 do fold s = 0.0 for x in xs do s + model(x))
#= run(3.0) => 7.0
#= total(A(1, 2)) => (10.0, 6.0)
#### failures_in_maps
def safe_log(x: f32) -> f32 ! check =
    assert x > 0.0, "log of non-positive"
    log(x)
def f(x: f32[n]) -> (f32[n], {failed: bool, code: i32}) = with checks do [safe_log(v) for v in x]
def g(x: f32[n]) -> f32[n] =
    let (y, s) = f(x)
    where(s.failed, zeros([n]), y)
def h(x: f32) -> f32 ! check = if x > 1.0 then safe_log(x) else 0.0
def i(x: f32[n]) -> f32[n] ! check = vmap(h)(x)
def j(x: f32[n]) -> f32[n] ! check = vmap(grad(h))(x)
#= g(A(1, -1)) => A(0, 0)
#= i(A(-1, np.e)) => A(0, 1)
#= j(A(-1, 2)) => A(0, 0.5)
#### keys
from random import normal, split, fold_in, key, uniform
def pi_(static n: int) -> f32 where n >= 1 =
    let (kx, ky) = split(key(0))
    4.0 * mean(f32(uniform(kx, [n]) ** 2 + uniform(ky, [n]) ** 2 < 1.0))
def rwalk(k: key, static n: int) -> f32[n] = cumsum(normal(k, [n]), axis=0)
def nested(k: key) -> f32[3, 2] = [[normal(q) for q in split(p, 2)] for p in split(k, 3)]
def keyed(k: key, x: f32[n]) -> f32[n] = [v + normal(fold_in(k, i)) for i, v in enumerate(x)]
def batched(k: key, x: f32[n, d]) -> f32[n, d] = vmap(fn (k, row) -> row + normal(k, [d]))(split(k, n), x)
def pair(k: key) -> {a: f32, b: key} =
    let (p, q) = split(k)
    {a = normal(p), b = q}
def usepair(k: key) -> f32 =
    let r = pair(k)
    r.a + normal(r.b)
#= pi_(100)
#= nested(key(0))
#= keyed(key(0), A(1, 2))
#= usepair(key(0))
#### static_modes
def f(x: f32[n], static mode: str = "mean") -> f32 where n >= 1 =
    match mode with
        "mean" -> mean(x)
        "max" -> max(x)
        _ -> sum(x)
def g(x: f32[n, m], static axis: axes = none) -> f32 where n >= 1 and m >= 1 = sum(mean(x, axis=axis))
def h(x: f32[n], static k: int? = none) -> f32 = if k == none then sum(x) else sum(x) * k
def i(x: f32, static p: (int, float, str)) -> f32 = x ** p.0 * p.1 + (if p.2 == "a" then 1.0 else 0.0)
def j(x: f32) -> f32 = i(x, (2, 0.5, "a"))
#= f(A(1, 3), 'max') => 3.0
#= h(A(1, 2), 3) => 9.0
#= j(2.0) => 3.0
#### loops_in_loops
def scan2(x: f32[n, m]) -> (f32, f32[n, m]) =
    scan c = 0.0 for row in x do
        scan c = c for v in row do (c + v, c + v)
def rev(x: f32[n]) -> f32[n] = (scan c = () for v in x reverse do ((), v)).1
def pairs(x: f32[n]) -> (f32, (f32[n], f32[n])) = scan c = 0.0 for a, b in zip(x, flip(x)) unroll 2 do (c + a * b, (a, b))
def cumlogsum(x: f32[n]) -> f32[n] = (scan c = -inf for v in x do
    let c = logaddexp(c, v)
    (c, c)).1
#= scan2(A([1, 2], [3, 4])) => (10.0, A([1, 3], [6, 10]))
#= rev(A(1, 2)) => A(1, 2)
#= pairs(A(1, 2)) => (4.0, (A(1, 2), A(2, 1)))
#= cumlogsum(A(1, 2)) => A(1, np.logaddexp(1, 2))
#### generic_functions
def f[a: Float, *s](x: a[*s], y: a[*s]) -> a = sum(abs(x - y))
def g[a: Num, n](x: a[n], static k: int) -> a[n] = x * k
def h[T: Tree](x: T, y: T, c: bool) -> T = if c then x else y
def i[a: Any](x: a[n]) -> a[n + n] = concatenate((x, x))
def j(x: i8[n], c: bool) -> (i8[2 * n], {q: f32}) = (i(x), h({q = 1.0}, {q = 2.0}, c))
def k[P: VSpace](f: (P) -> f32, p: P) -> P = p - 0.5 * grad(f)(p)
def l(p: {a: f32, b: f32[n]}) -> {a: f32, b: f32[n]} = k(fn p -> p.a ** 2 + sum(p.b ** 2), p)
#= j(np.array([1], 'i1'), False) => (np.array([1, 1], 'i1'), {'q': 2.0})
#= l({'a': 2.0, 'b': A(1, 2)}) => {'a': 0.0, 'b': A(0, 0)}
#= g(I(1, 2), 3) => I(3, 6)
#### output
def f(x: f32[n]) -> f32 ! {io, check} where n >= 1 =
    print("n = {}, first {:.1f} and {}", n, x[0], x)
    emit("x", sum(x))
    let y = fold s = 0.0 for i, v in enumerate(x) do
        print("{}: {}", i, v)
        s + checked(v)
    assert y > 0.0, "y"
    y
#= f(A(1, 2)) => 3.0
#### policies
def f(x: f32[n], i: i32) -> (f32, f32, f32[n], f32[n]) where n >= 1 = (x.at[i].get(mode="clip"), x.at[i].get(mode="fill", fill=0.0), x.at[i].set(9.0, mode="drop"), x.at[i].add(1.0, mode="wrap"))
def g(x: f32[n, m], i: idx[n], j: idx[m]) -> f32[n, m] = x.at[i, j].set(0.0).at[i].mul(2.0).at[:, j].add(1.0).at[..., j].max(0.0)
def h(x: f32[n], y: f32[n]) -> f32[n] = x.at[x > y].set(y)
def k(x: f32[n]) -> f32[n] where n >= 2 = x.at[::2].set(0.0).at[-2:].set([1.0, 2.0])
#= f(A(1, 2), 5) => (2.0, 0.0, A(1, 2), A(1, 3))
#= h(A(1, 5), A(3, 3)) => A(1, 3)
#= k(A(1, 2, 3)) => A(0, 1, 2)
#### constants
let eps = 1e-8
let table = [1.0, 2.0, 3.0]
let cfg = {depth = 2, width = (3, 4), name = "net", act = tanh}
def f(x: f32) -> f32 = x + eps + table[1] + sum(table)
def g(x: f32[cfg.width.0]) -> f32[cfg.width.1] = zeros([cfg.width.1]) + cfg.act(sum(x)) * cfg.depth
#= f(0.0) => 8.0
#= g(A(0, 0, 0)) => np.zeros(4, 'f4')
#### losses
def softmax(x: f32[*s], *, static axis: axes = -1) -> f32[*s] =
    let z = exp(x - max(x, axis=axis, keepdims=true))
    z / sum(z, axis=axis, keepdims=true)
def entropy(x: f32[*s, n]) -> f32[*s] where n >= 1 =
    let p = softmax(x, axis=-1)
    -sum(p * log(p + 1e-9), axis=-1)
def focal(x: f32[n, k], y: idx[k][n], g: f32) -> f32 where n >= 1 and k >= 1 =
    let p = softmax(x, axis=1)
    let pt = [row[c] for row, c in zip(p, y)]
    mean(-((1.0 - pt) ** g) * log(pt))
#= entropy(A((0, 0), (2, 2))) => A(np.log(2), np.log(2))

#### conditions_of_loops_that_act
from random import key, uniform
def tick(k: f32) -> f32 ! state(c: f32) =
    c := c + k
    c
def note(k: f32) -> f32 ! accum(a: f32) =
    a += k
    k
def careful(k: f32) -> f32 ! check =
    assert k < 2.0
    k
def reads(x: f32) -> (f32, f32) = with state c = 0.5 do (iterate y = x while c < 2.0 limit 9 do y + tick(1.0))
def writes(x: f32) -> (f32, f32) = with state c = 0.5 do (iterate y = x while tick(1.0) < 4.0 limit 9 do y + c)
def adds(x: f32) -> (f32, f32) = with accum a: f32 do (iterate y = x while note(y) < 3.0 limit 5 do y + 1.0)
def checks_it(x: f32) -> (f32, {failed: bool, code: i32}) =
    with checks do (iterate y = x while careful(y) < 3.0 limit 5 do y + 1.0)
def draws(x: f32) -> f32 = with rng(key(1)) do (iterate y = x while uniform(fresh_key()) < 0.8 limit 99 do y + 1.0)
def slope(x: f32) -> f32 = grad(fn v -> writes(v).0 ** 2)(x)
def each(x: f32[n]) -> (f32[n], f32[n]) = vmap(writes)(x)
#= reads(1.0) => (5.0, 2.5)
#= writes(1.0) => (8.5, 4.5)
#= adds(1.0) => (3.0, 6.0)
#= checks_it(1.0)[1]['failed'] => True
#= slope(1.0) => 17.0
#= each(A(1, 2)) => (A(8.5, 9.5), A(4.5, 4.5))
#= (draws(0.0) < 99.0, draws.interpret(0.0) == draws(0.0)) => (True, True)
