#### match_gives_functions
def f(x: f32, static k: int) -> f32 =
    let g = match k with
        0 -> fn v -> v + 1.0
        1 -> sin
        _ -> fn v -> v * 2.0
    g(x) + g(2.0 * x)
#### choice_of_records_with_functions
def f(x: f32, static fast: bool) -> f32 =
    let o = if fast then {step = fn v -> v + 1.0, k = 1} else {step = fn v -> v - 1.0, k = 2}
    o.step(x) + sum(ones([o.k]))
#### records_of_functions_as_parameters
type Optimizer = {start: (f32) -> f32, step: (f32, f32) -> f32}
def sgd(rate: f32) -> Optimizer = {start = fn p -> 0.0 * p, step = fn (p, g) -> p - rate * g}
def run(o: Optimizer, x: f32) -> f32 = o.step(x, o.start(x) + 1.0)
def f(x: f32, static slow: bool) -> f32 = run(if slow then sgd(0.1) else sgd(0.5), x)
#### functions_inside_of_arguments
def apply(m: {f: (f32[n]) -> f32[n], shift: f32}, x: f32[n]) -> f32[n] = m.f(x) + m.shift
def twice(fs: ((f32) -> f32, (f32) -> f32), x: f32) -> f32 = fs.1(fs.0(x))
def f(x: f32[n]) -> f32[n] = apply({f = fn v -> v * sum(v), shift = 1.0}, x)
def g(x: f32) -> f32 = twice((fn v -> v + 1.0, cos), x)
#### static_tuples_as_sizes
def ends(x: f32[n], static k: (int, int)) -> f32[n + k.0 + k.1] = pad(x, k)
def named(x: f32[n], static k: (int, int)) -> f32[n + k.0 + k.1] =
    let (a, b) = k
    pad(x, (a, b))
def f(x: f32[n]) -> f32[n + 5] = ends(x, (2, 3))
def g(x: f32[n], static k: (int, int)) -> f32 = sum([x[i] for i in range(k.0)])
def h(x: f32[k.0, k.1], static k: (int, int)) -> f32[k.1, k.0] = x.T
#### static_variants_with_sizes
enum Pad = Same | Explicit(low: int, high: int)
static def total(p: Pad, k: int) -> int =
    match p with
        Same -> k - 1
        Explicit(low, high) -> low + high
def padded(x: f32[n], static p: Pad) -> f32[n + total(p, 3)] =
    match p with
        Same -> pad(x, (1, 1))
        Explicit(low, high) -> pad(x, (low, high))
def f(x: f32[n]) -> f32[n + 5] = padded(x, p=Explicit(2, 3))
def g(x: f32[n]) -> f32[n + 2] = padded(x, p=Same)
def h(x: f32[n], static m: int) -> f32[n + 2 * m] = padded(x, p=Explicit(m, m))
#### optional_size
def head(x: f32[n], static k: int? = none) -> f32 =
    match k with
        none -> sum(x)
        m -> sum(x[:m])
def f(x: f32[n]) -> f32 where n >= 2 = head(x, k=2) + head(x, k=n) + head(x)
#### interval_of_if
def f(x: f32[n]) -> f32[n] where n >= 1 = [x[if i == 0 then 0 else i - 1] for i in range(n)]
def g(x: f32[n], i: i32) -> f32 where n >= 1 = x[if i < 0 then 0 else if i >= n then n - 1 else i]
def h(x: f32[n]) -> f32[n] = [x[if i + 1 < n then i + 1 else 0] for i in range(n)]
def k(x: f32[n], y: f32[m], i: idx[n], j: idx[m], c: bool) -> f32 where m <= n = x[if c then i else j]
#### interval_of_where
def f(x: f32[n]) -> f32[n] = [x[where(i == 0, 0, i - 1)] for i in range(n)]
#### intervals_of_arrays
def f(x: f32[n, d], k: i32[m]) -> f32[m, d] where n >= 1 = x[k % n]
def g(x: f32[n], i: idx[n][m]) -> f32[m] = x[n - 1 - i]
def h(x: f32[n + m], i: idx[n][k], j: idx[m][k]) -> f32[k] = x[i + j]
#### narrow_integers_have_their_range
def f(x: f32[256], y: u8[n]) -> f32[n] = x[i32(y + 250)]
def g(x: f32[256], y: u8) -> f32 = x[i32(y * 2)] + x[i32(-y)]
def h(x: f32[256], y: i8[n]) -> f32[n] = x[i32(u8(y))]
#### effect_variable_of_the_name_of_a_definition
def e(x: f32) -> f32 = x
def apply(f: (f32) -> f32 ! {e, io}, x: f32) -> f32 ! {e, io} =
    print("now")
    f(e(x))
#### names_of_library_functions_that_no_signature_states
from fft import fft, ifft as back
from random import choice, permutation
def f(x: c64[n]) -> c64[n] where n >= 1 = back(fft(x))
def g(k: key, x: f32[n, m]) -> f32[n, m] = permutation(k, x)
def h(k: key, x: f32[n], p: f32[n]) -> f32[5] where n >= 1 = choice(k, x, (5,), p=p)
def i(k: key) -> idx[9][2] = choice(k, 9, [2], replace=false)
#### choice_of_a_lambda_and_a_named_function
def f(x: f32, static fast: bool) -> f32 =
    let o = if fast then {step = fn v -> v + 1.0} else {step = sin}
    o.step(x)
#### categorical_of_a_shape
import random
def f(k: key, l: f32[3, n]) -> idx[n][5, 3] where n >= 1 = random.categorical(k, l, shape=(5, 3))
#### operations_that_keep_intervals
def a(x: f32[n], i: idx[n], p: idx[n][t]) -> f32[t + 1] = x[concatenate(([i], p))]
def b(x: f32[n], i: idx[n], p: idx[n]) -> f32[2] = x[stack((i, p))]
def c(x: f32[n], i: idx[n], p: idx[n]) -> f32[2] = x[[i, p]]
def d(x: f32[n], i: idx[n], j: idx[m]) -> f32[2] where m <= n = x[stack((i, j))]
def e(x: f32[n], i: idx[n], j: idx[m][k]) -> f32[k + k] where m <= n = x[concatenate((j, j))]
def f(x: f32[n], i: idx[n - 1][k]) -> f32[2 * k] where n >= 1 = x[concatenate((i, i + 1))]
def g(x: f32[n], i: idx[n]) -> f32[3] where n >= 1 = x[[i, 0, n - 1]]
def h(x: f32[n], i: idx[n][4]) -> f32[2, 2] = x[reshape(i, [2, 2])] + x[reshape(i + 0, [2, 2]).T]
def j(x: f32[n], i: idx[n][4, m]) -> f32[m, 4] = x[transpose(i // 2, (1, 0))]
def k(x: f32[n], i: idx[n][4]) -> f32[4] = x[[v // 2 for v in i]]
def l(x: f32[n], i: idx[n][4]) -> f32[2] = x[(i // 2)[1:3]]
def o(x: f32[n], i: idx[n][4]) -> f32 = x[(i // 2)[1]]
def p(x: f32[n], i: idx[n][4], c: bool[4]) -> f32[4] where n >= 1 = x[where(c, i, 0)]
def q(x: f32[n], i: idx[n][4]) -> f32[4] = x[flip(i)] + x[roll(i, 1)] + x[sort(i)]
def r(x: f32[n], i: idx[n][4]) -> f32[8] = x[tile(i, 2)] + x[repeat(i, 2)]
def s(x: f32[n], i: idx[n]) -> f32[4] = x[broadcast_to(i, [4])]
def t(x: f32[n], i: idx[n], j: idx[n]) -> f32 = x[max(i, j)] + x[min(i, j)] + x[maximum(i, j)]
def u(x: f32[n], i: idx[n][k]) -> f32 where k >= 1 = x[max(i)] + x[min(i)]
def v(x: f32[n, m]) -> f32[n] where m >= 1 = [x[i, argmax(x[i])] for i in range(n)]
def w(x: f32[n], k: i32) -> f32 where n >= 3 = x[k % 3] + x[abs(k) % 3]
#### functions_whose_type_is_not_stated_as_results
def scaled(k: f32, *, static n: int = 2) = fn x -> x * k ** n
def affine(w: f32[n, m], b: f32[n] = zeros([n])) = fn x -> w @ x + b
def square(x: f32) -> f32 = x * x
def chosen(static plain: bool) = if plain then square else grad(square)
def either() = (square, fn x -> x + 1.0)
def sgd(lr: f32) = {init = fn p -> 0.0 * p, update = fn (g, s) -> (s - lr * g, s + g)}
def again(k: f32) = scaled(k + 1.0)
def use(x: f32, xs: f32[m], w: f32[n, m]) -> f32[n] =
    let y = chosen(true)(x) + chosen(false)(x) + either().0(x) + either().1(x) + again(x)(x) + grad(scaled(x))(x)
    let (u, _) = sgd(0.5).update(xs, sgd(0.5).init(xs))
    affine(w)(scaled(2.0, n=3)(xs) + u) * y
