#### static_parameter
def power(x: f32, static k: int) -> f32 = x ** k
def f(x: f32) -> f32 = power(x, 3) + power(x, k=2)
#### static_default
def smooth(x: f32[n], static steps: int = 3) -> f32[n] =
    fold y = x for _ in range(steps) do 0.5 * y
def f(x: f32[n]) -> f32[n] = smooth(x) + smooth(x, steps=5)
#### default_uses_earlier_parameter
def blocks(x: f32[n], static k: int = 2, static m: int = k * 2) -> f32[k, m] = zeros([k, m]) + sum(x)
#### default_uses_size
def f(x: f32[n], static count: int = n) -> f32[count] = ones([count]) * sum(x)
#### size_is_static
def f(x: f32[n, d]) -> f32[d, d] = eye(d) + zeros([x.shape[1], x.shape[1]])
#### static_leaf_of_a_record
def f(x: f32[n]) -> f32[3] =
    let config = {width = 3, scale = sum(x)}
    zeros([config.width]) + config.scale
#### static_leaf_of_a_tuple
def f(x: f32[n]) -> f32[n + 1] =
    let (k, v) = (n + 1, mean(x))
    ones([k]) * v
#### static_leaf_through_a_call
def dims(x: f32[n, d]) -> (int, f32) = (n * d, sum(x))
def f(x: f32[n, d]) -> f32[n * d] =
    let (k, s) = dims(x)
    zeros([k]) + s
#### static_result_type
static def widths(n: int) -> (int, int) = (n, 2 * n)
def f(x: f32[n]) -> f32[2 * n] =
    let (_, w) = widths(n)
    ones([w])
#### static_used_where_traced_is_wanted
def g(x: f32, k: i32) -> f32 = x * f32(k)
def f(x: f32[n], static k: int) -> f32 = g(2.0, k) + g(sum(x), n)
#### static_if_selects
def f(x: f32[n], static fancy: bool) -> f32[n] = if fancy then tanh(x) else x
#### static_if_with_types_by_condition
static def kept(n: int, keep: bool) -> shape = if keep then [n, 1] else [n]
def f(x: f32[n, d], static keep: bool) -> f32[*kept(n, keep)] =
    if keep then sum(x, axis=1, keepdims=true)
    else sum(x, axis=1)
#### static_condition_on_rank
def flat(x: f32[*s]) -> f32 =
    if x.ndim == 0 then sum(x) * 2.0
    else sum(x)
#### static_condition_on_none
def scaled(x: f32[n], static k: int?) -> f32[n] =
    if k == none then x else x * 2.0
def f(x: f32[n]) -> f32[n] = scaled(x, none) + scaled(x, k=3)
#### match_on_enum
enum Activation = Relu | Tanh | Leaky(slope: float)
def activate(static act: Activation, x: f32[*s]) -> f32[*s] =
    match act with
        Relu -> maximum(x, 0.0)
        Tanh -> tanh(x)
        Leaky(slope) -> where(x > 0.0, x, slope * x)
def f(x: f32[n]) -> f32[n] = activate(Leaky(0.1), activate(Relu, x))
#### match_with_wildcard
enum Norm = L1 | L2 | Max
def norm(static p: Norm, x: f32[n]) -> f32 =
    match p with
        L2 -> sqrt(sum(x ** 2))
        _ -> sum(abs(x))
#### match_of_tuple
enum Side = Left | Right
def f(static a: Side, static k: int, x: f32) -> f32 =
    match (a, k) with
        (Left, 0) -> x
        (Left, _) -> x * 2.0
        (Right, n) -> x * n
#### match_on_bool
def f(static b: bool, x: f32) -> f32 =
    match b with
        true -> x
        false -> -x
#### match_on_string
def reduce(x: f32[n], static how: str) -> f32 =
    match how with
        "mean" -> mean(x)
        "sum" -> sum(x)
        _ -> 0.0
#### enum_equality
enum Mode = Train | Eval
def dropless(x: f32, static mode: Mode) -> f32 = if mode == Train then x * 0.9 else x
#### enum_in_tuple
enum Mode = Fast | Slow(k: int)
def f(static c: (Mode, int), x: f32) -> f32 =
    let (m, k) = c
    match m with
        Fast -> x * k
        Slow(j) -> x * (j + k)
def g(x: f32) -> f32 = f((Slow(2), 3), x)
#### function_as_static_value
def twice(f: (f32) -> f32, x: f32) -> f32 = f(f(x))
def main(x: f32) -> f32 = twice(sin, x) + twice(fn v -> v * 2.0, x)
#### functions_in_a_tuple_unroll
def f(x: f32) -> f32 =
    fold y = x for g in (sin, cos, tanh) do g(y)
#### function_from_static_if
def f(static fast: bool, x: f32) -> f32 =
    let g = if fast then (fn (v: f32) -> v) else (fn (v: f32) -> exp(v))
    g(x)
#### function_returned
def scaler(static k: float) -> (f32) -> f32 = fn x -> x * k
def f(x: f32) -> f32 = scaler(2.0)(x)
#### recursion_over_a_static_size
def tree_sum(x: f32[n]) -> f32 =
    if n == 0 then 0.0
    else if n == 1 then x[0]
    else tree_sum(x[: n // 2]) + tree_sum(x[n // 2 :])
#### fft
def dft(x: c64[n]) -> c64[n] =
    let k = c64(arange(n))
    let w = exp(-2.0j * pi / c64(n) * k[:, None] * k[None, :])
    w @ x
def fft_of(x: c64[n]) -> c64[n] =
    if n % 2 == 0 and n >= 2 then
        let even = fft_of(x[::2])
        let odd = fft_of(x[1::2])
        let w = exp(-2.0j * pi / c64(n) * c64(arange(n // 2)))
        concatenate((even + w * odd, even - w * odd))
    else
        dft(x)
#### traced_if
def f(x: f32, y: f32[n]) -> f32[n] = if x > 0.0 then y else -y
#### traced_if_of_records
def f(c: bool, p: {w: f32[n], b: f32}) -> {w: f32[n], b: f32} =
    if c then p else {w = zeros([n]), b = 0.0}
#### traced_if_joins_idx
def f(c: bool, i: idx[n], j: idx[m]) -> idx[max(n, m)] = if c then i else j
#### static_and_traced_condition
def f(x: f32, static k: int) -> f32 = if k > 2 and x > 0.0 then x else 0.0
#### top_level_constants
let sizes = (3, 4)
let rate = 0.1 * 2
def f(x: f32[n]) -> f32[3, 4] = ones([sizes.0, sizes.1]) * sum(x) * rate
#### static_loop_over_a_tuple
static def total(t: (int, int, int)) -> int = fold s = 0 for k in t do s + k
def f(x: f32) -> f32[6] = ones([total((1, 2, 3))]) * x
#### axis_parameter
def centred(x: f32[n, d], static axis: int) -> f32[n, d] = x - mean(x, axis=axis, keepdims=true)
#### dtype_parameter
def ramp(static n: int, static dtype: dtype = f32) -> dtype[n] = zeros([n], dtype=dtype)
def f() -> f64[3] = ramp(3, f64)
#### static_string
def named(static name: str, x: f32) -> f32 ! io =
    print(name)
    x
#### budget_is_enough
static def count(n: int) -> int = if n == 0 then 0 else 1 + count(n - 1)
def f(x: f32[count(20)]) -> f32[20] = x
#### complex_static
def f(z: c64, static w: complex) -> c64 = z * w
#### static_comparison_folds
def f(x: f32[4]) -> f32 = if x.shape[0] > 8 then x[6] else x[2]
#### library_makes_top_level_arrays
import linalg
static def twice(n: int) -> int = 2 * n
let blank = zeros([twice(2), 3])
let order = arange(5)
let ends = order[::-1]
let w = linalg.inv(eye(3)) * 2.0
let kernel = [exp(-0.5 * f32(i) ** 2) for i in range(5)]
let steps: f64[5] = linspace(0.0, 1.0, 5)
def f(x: f32[5], y: f32[3]) -> f32[4] = blank @ (w @ y) + sum(x[ends] * kernel)
#### sizes_of_chosen_variants
enum E = A(k: int) | B
enum P = One(e: E) | Pair(t: (int, int))
static def g(n: int) -> E = if n > 2 then A(n + 1) else B
static def more(n: int) -> int? = if n > 2 then n + 1 else none
static def side(n: int) -> str = if n > 2 then "long" else "short"
static def size(p: P) -> int = match p with
    One(A(_)) -> 3
    One(B) -> 2
    Pair((a, b)) -> abs(a) + max(b, 0)
static def h(e: E) -> int = match e with
    A(k) -> k
    B -> 0
def chosen(x: f32[n]) -> f32[h(g(n))] = zeros([h(g(n))])
def field(x: f32[n]) -> f32[n + 1] = match g(n) with
    A(k) -> concatenate((x, zeros([k - n])))
    B -> zeros([n + 1])
def optional(x: f32[n]) -> f32 = match more(n) with
    none -> sum(x)
    k -> x[2] + sum(zeros([k]))
def text(x: f32[n]) -> f32 = match side(n) with
    "long" -> x[2]
    _ -> if side(n) == "long" then x[2] else 1.0
def nested(static p: P) -> f32[size(p)] = zeros([size(p)])
#### equations_with_what_a_static_value_holds
enum E = A | B(k: int)
enum M = Valid | Same
static def fits(e: E, n: int) -> bool = match e with
    A -> true
    B(k) -> k == n
def field(x: f32[n], static e: E) -> f32[n] where fits(e, n) = match e with
    A -> x
    B(k) -> zeros([k])
def flag(x: f32[n], static b: bool) -> f32[n] =
    let k = if b then n + 1 else n
    if b then zeros([k - 1]) else zeros([k])
def mode(x: f32[n], static m: M) -> f32[n] = zeros([if m == Valid then n else if m == Same then n else n + 1])
def scaled(x: f32[n], static half: bool) -> f32[n] = x.at[::2].mul(if half then 0.5 else 2.0)
def moved(x: f64[n]) -> f64[n] = x.at[1:].add(if n % 2 == 0 then 0.5 else if n > 7 then 1.0 else 2.0)
#### scalars_as_updates
enum Change = Zero | Times(by: float) | Keep
def changed(x: f32[n], static c: Change) -> f32[n] where n >= 2 = x.at[:2].mul(match c with
    Zero -> 0.0
    Times(by) -> by
    Keep -> 1.0)
def changed_by(x: f32[n], y: f32, static c: Change) -> f32[n] where n >= 2 = x.at[:2].set(match c with
    Zero -> 0.0
    Times(by) -> y * by
    Keep -> y)
def either_scalar(x: f32[n], y: f32, static b: bool) -> f32[n] = x.at[::2].add(if b then y else 2.0)
