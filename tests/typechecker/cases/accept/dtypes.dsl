#### static_number_meets_array
def f(x: f64[n], y: f16, i: i64[n]) -> (f64[n], f16, i64[n]) = (x * 2 + 0.5, y / 3, i * 2 - 1)
#### static_number_in_either_place
def f(x: f32[n]) -> f32[n] = 1.0 / (1.0 + exp(-x)) - 0.5 * x ** 2
#### static_int_in_float_context
def f(x: bf16[n]) -> bf16[n] = 2 * x + 1
#### static_number_stays_static_through_functions
let scale = sqrt(2.0 / pi)
def gelu(x: f16[*s]) -> f16[*s] = 0.5 * x * (1.0 + tanh(scale * (x + 0.044715 * x ** 3)))
#### static_number_through_let_and_record
def f(x: f64) -> f64 =
    let c = {a = 1, b = 2.5}
    let d = c.a + c.b
    x * d
#### static_int_with_float_gives_float
def f(x: f64) -> f64 = x * (3 * 0.5 + 2 ** 3)
#### traced_alone_takes_default
def f() -> (f32, i32) = (1.5, 7)
#### literal_in_range
def f(a: i8, b: u8, c: i16) -> (i8, u8, i16) = (a + 127, b + 255, c - 32767)
#### minus_in_range
def f(a: i8) -> i8 = a * -128
#### static_unbounded_before_it_adapts
def f(a: u8) -> u8 = a + (1_000_000 - 999_999)
#### casts
def f(i: i32[n], x: f32[n]) -> f32[n] = f32(i) + x
def g(x: f32) -> i32 = i32(x)
def h(p: bool[n]) -> f64[n] = f64(p)
#### cast_to_a_dtype_parameter
def convert[a: Num, b: Num](x: a[*s], like: b) -> b[*s] = cast(x, b)
#### cast_to_static_dtype
def f(x: f32[n], static d: dtype = f16) -> d[n] = cast(x, d)
#### integer_division
def f(a: i32, b: i32) -> (i32, i32, f32) = (a // b, a % b, f32(a) / f32(b))
#### static_integer_division
def f(x: f32[n]) -> f32 = sum(x) * (7 // 2)
#### bits
def f(a: u32, b: u32) -> u32 = (a << 3 ^ b >> 7) & 0xffffffff | ~a
#### boolean_elementwise
def f(x: f32[n], y: f32[n]) -> bool[n] = (x > 0.0) & (y > 0.0) | ~(x == y)
#### boolean_scalars
def f(a: f32, b: bool) -> bool = a > 0.0 and not b or a < -1.0
#### complex
def f(z: c64[n]) -> (f32[n], f32[n]) = (abs(z), real(z * (1.0 + 2.0j)))
#### abs_of_c128_is_f64
def f(z: c128) -> f64 = abs(z) + imag(z) + angle(z)
#### complex_meets_float_literal
def f(z: c64) -> c64 = z * 2.0 + 1
#### sum_of_bool_is_i32
def count(x: f32[n]) -> i32 = sum(x > 0.0)
#### mean_of_bool_is_f32
def share(x: f64[n]) -> f32 = mean(x > 0.0)
#### reduction_keeps_dtype
def f(x: i64[n], y: f16[n]) -> (i64, f16) = (sum(x), mean(y))
#### generic_over_floats
def relu[a: Float](x: a[*s]) -> a[*s] = maximum(x, 0)
def f(x: f32[n], y: f64[n, m]) -> (f32[n], f64[n, m]) = (relu(x), relu(y))
#### generic_over_numbers
def square[a: Num](x: a[*s]) -> a[*s] = x * x
def f(i: i8, x: c64[n]) -> (i8, c64[n]) = (square(i), square(x))
#### generic_over_real
def clamp[a: Real](x: a[n], lo: a, hi: a) -> a[n] = minimum(maximum(x, lo), hi)
#### generic_constant_of_a_type
def average[a: Float](x: a[n]) -> a = sum(x) / n
#### static_integers_that_a_float_holds
def product(x: f32, static k: int) -> f32 = x * k
def f(x: f32) -> f32 = product(x, 2 ** 127)
def wide(x: f64, static k: int) -> f64 = x * k
def g(x: f64) -> f64 = wide(x, 2 ** 130)
def bounded(x: f32, static k: int) -> f32 where k <= 10 and k > -5 = x * k
def of_sizes(x: f32[n, m]) -> f32 where n >= 1 and m >= 1 = product(x[0, 0], n * m)
def mean_of(x: f32[*s]) -> f32 = sum(x) / prod(s)
#### lists_that_are_cast_item_by_item
let exact = f64([0.1, 0.2])
let bits = u8([[1, 255], [254.5, 0]])
def large() -> i64[2] = i64([2 ** 40, 1])
def mixed(x: f32) -> f64[2] = f64([x, 0.1])
def rows(x: f32[2]) -> f64[2, 2] = cast([x, [0.1, 0.3]], f64)
def at(x: f32[n]) -> f32[3] where n >= 3 = x[i64([0, 2, 1])]
def generic[T: Float](x: T) -> T[2] = x * cast([1, 300], T)
#### two_generics
def scale[a: Float, b: Int](x: a[n], k: b[n]) -> a[n] = x * cast(k, a)
#### power
def f(x: f32, i: i32, y: f32) -> (f32, i32, f32, f32) = (x ** 2, i ** 3, x ** y, x ** -0.5)
#### float_array_literal
def f(x: f64) -> f64[3] = [1.0, 2, x]
#### integer_array_literal
def f(i: i16) -> i16[2] = [i, 3]
#### nested_array_literal
def rotation(t: f32) -> f32[2, 2] = [[cos(t), -sin(t)], [sin(t), cos(t)]]
#### literal_takes_expected_dtype
def f(w: f64[3]) -> f64 = w @ [1.0, 0.0, 2.0]
def g(x: f64[n, 3]) -> f64[n] = x @ [0.25, 0.5, 0.25]
#### argument_takes_parameter_dtype
def g(x: f64, k: i8) -> f64 = x * f64(k)
def f() -> f64 = g(1, 2) + g(0.5, 127)
#### branch_takes_dtype
def f(x: f64) -> f64 = if x > 0.0 then x else 0
#### both_branches_static_take_what_they_meet
def f(c: bool, x: f64) -> f64 = x * (if c then 1.0 else 2)
#### comparison_with_number
def f(i: u8[n], x: bf16[n]) -> bool[n] = (i < 200) & (x >= 0.5)
#### where_with_numbers
def f(x: f64[n]) -> f64[n] = where(x > 0, x, 0) + where(x > 1, 1.0, x)
#### size_as_a_number
def f(x: f64[n]) -> f64 = sum(x) / n + n
#### size_cast
def f(q: f32[n, d]) -> f32[n, d] = q / sqrt(f32(d))
#### static_root_of_a_size
def f(q: f64[n, d]) -> f64[n, d] = q / sqrt(d)
#### round_floor
def f(x: f32[n]) -> i32[n] = i32(round(x)) + i32(floor(x)) - i32(ceil(x))
#### shift
def f(a: i32, k: i32) -> i32 = a >> k << 1
#### f64_beside_f32_with_cast
def f(x: f64[n], y: f32[n]) -> f64[n] = x + f64(y)
#### integer_reductions
def f(i: i32[n]) -> (i32, i32) = (sum(i), prod(i))
#### large_ints
def f(i: i64) -> i64 = i + 9_223_372_036_854_775_807
#### equality_of_integers_and_bools
def f(i: i32[n], p: bool[n]) -> bool[n] = (i == 3) != p
#### mean_squared_error
def mse[a: Float](x: a[*s], y: a[*s]) -> a = mean((x - y) ** 2)
def f(x: f16[n], y: f16[n]) -> f16 = mse(x, y)
#### dtype_attribute
def f[a: Float](x: a[n]) -> a[n] = x + cast(1.5, x.dtype)
#### powers_by_name
def f(x: f32[n], i: i32[n]) -> (f32[n], f32[n], i32[n], f64) where n >= 1 =
    (power(x, -1), x.at[0].power(-1), power(i, 3), 2.0 * power(2.0, -1))
#### numbers_that_a_dtype_holds
def counted(x: f32[n]) -> (u8[256], u8[2], u8[2], i32[n + 1], f16[3]) =
    (arange(256, dtype=u8), arange(254, 256, dtype=u8), arange(0, 300, 200, dtype=u8), arange(1, n + 2, dtype=i32), iota(f16, 3))
def moved[a: Int](x: a[n]) -> a[n] where n <= 127 = x + n
def shares[a: Float](x: a[n]) -> a[n] where n >= 1 = if a == f16 then x / 2 else x / n
def halves(x: f16[70000], i: u8[100]) -> (f16[70000], u8[100]) = (shares(x), moved(i))
#### ranges_up_to_the_last_i32
def f(x: f32[n, m]) -> (i32, i32[2]) =
    (fold s = 0 for i in range(-2 ** 31, -2 ** 31 + n) do s ^ i, [i for i in range(2 ** 31 - 2, 2 ** 31)])
#### trees_of_a_class_of_dtypes
from random import normal
def size[P: VSpace[Float]](p: P) -> P = tree_map(fn x -> where(x > 0.0, x, abs(x)), p)
def noise[P: VSpace[Float]](k: key, p: P) -> P =
    with rng(k) do tree_map(fn x -> normal(fresh_key(), x.shape, x.dtype), p)
def even[P: Tree[Int]](p: P) -> P = tree_map(fn x -> x & 126, p)
def twice[P: VSpace](p: P) -> P = 2.0 * p
def both[P: Tree[Float]](p: P) -> P = twice(p) + p
def narrow[P: Tree[Inexact]](p: P) -> P = twice(p)
type Adam[P: VSpace[Float]] = {m: P, n: i32}
def step[P: VSpace[Float]](a: Adam[P]) -> Adam[P] = {m = size(a.m), n = a.n + 1}
def f(p: (f32[3], {a: f16}), i: (idx[5], u64[n])) -> ((f32[3], {a: f16}), (i32, u64[n])) = (size(p), even(i))
type Net[n] = {w: f32[n], b: f64}
def g(a: Adam[Net[n]]) -> Adam[Net[n]] = step(a)
#### reductions_of_generic_trees
def norm[P: VSpace[Float]](p: P) -> f32 = sqrt(tree_reduce(fn (s, x) -> s + f32(sum(x * x)), p, 0.0))
def count[P: Tree](p: P) -> i32 = tree_reduce(fn (s, x) -> s + x.size, p, 0)
def least[P: Tree[Real]](p: P, start: (f64, bool)) -> (f64, bool) =
    tree_reduce(fn (s, x) -> (minimum(s.0, sum(f64(x))), s.1 or sum(x) > 0), p, start)
def mixed[P: VSpace[Float]](p: {a: P, b: f32[2]}, ps: P[3]) -> f32 =
    tree_reduce(fn (s, x) -> s + f32(sum(x)), p, 0.0) + tree_reduce(fn (s, x) -> s + f32(sum(x)), ps, 0.0)
def slope(x: {w: f32[n], b: f32}) -> {w: f32[n], b: f32} = grad(norm)(x)
def each(x: f32[m, n]) -> f32[m] = vmap(fn v -> norm({a = v}))(x)
#### dtypes_of_a_class_that_callers_give
def ones_of(static d: Float) -> d[3] = ones([3], dtype=d)
def f() -> (f16[3], f64[3]) = (ones_of(f16), ones_of(d=f64))
def total(x: f32[n], static d: Float = f64) -> d = sum(sqrt(cast(x, d)))
def handed(x: f32[n], static e: Float) -> e = total(x, e)
def generic[T: Float](x: f32[n], y: T) -> T = total(x, T) + y
static def bytes(d: Float) -> int = if d == f64 then 8 else if d == f32 then 4 else 2
def sized(static d: Float) -> f32[bytes(d)] = zeros([bytes(d)])
def wide[T: Float](x: T[n]) -> f32[n, bytes(T)] = zeros([n, bytes(T)])
def g(x: f16[3]) -> (f32[4], f32[3, 2]) = (sized(f32), wide(x))
effect made: (static d: Float, x: f32) -> d
def h(x: f32) -> f64 = with handler made(d, x) -> resume(cast(x, d)) do made(f64, x)
#### types_with_names_of_classes
type Float = {a: i32}
def f(p: Float) -> i32 = p.a

#### numbers_of_defaults
def scaled(x: f64[2], w: f64[2] = [0.1, 0.2], p: {a: i8[2], b: (f16[2, 1], f32)} = {a = [1, -2], b = ([[1], [2]], 3)}) =
    (x * w, p.a + p.a, p.b.0 * 2, p.b.1)
def both(x: f64[2]) = scaled(x)
def generic[T: Num](x: T[2], w: T[2] = [1, 2]) -> T[2] = x * w
def of_both(x: f64[2], y: i16[2]) -> (f64[2], i16[2]) = (generic(x), generic(y))
#### floats_of_a_run_under_a_name
def branch(c: bool, x: f64[n]) -> f64[n] =
    let s = if c then 1.0 else -1.0
    s * x
def chosen(c: bool, x: f16) -> f16 =
    let s = where(c, 2.0, 3.0)
    let t = sin(s) + 1.0
    t * x
def carried(x: f64[n]) -> f64 =
    let (a, b) = fold (a, b) = (0.0, 1.0) for i in range(n) do (a + 1.0, 0.5 * b)
    a * b * sum(x)
def searched(x: f64) -> f64 =
    let (steps, s) = iterate (k, s) = (0, 1.0) while s < 100.0 and k < 9 limit 10 do (k + 1, 2.0 * s)
    s * x + f64(steps)
def in_record(x: f64) -> f64 =
    let r = {sign = if x > 0.0 then 1.0 else -1.0, count = 2}
    r.sign * x + r.count
def in_list(x: f64[n]) -> f64 =
    let signs = [if v > 0.0 then 1.0 else -1.0 for v in x]
    sum(signs * x)
def of_function(x: f64) -> f64 =
    let sign = fn v -> (if v > 0.0 then 1.0 else -1.0)
    let s = sign(x)
    s * x
def of_its_dtype(c: bool, x: f64) -> (f64, f32) =
    let s = if c then 1.0 else -1.0
    let t = if c then 3.0 else 4.0
    (cast(1.0, s.dtype) + s * x, t)
def generic[a: Float](c: bool, x: a) -> a =
    let s = if c then 1.0 else -1.0
    s * x
#### integers_of_a_run_keep_what_is_known
def f(c: bool, x: f32[n]) -> f32 where n >= 2 =
    let s = if c then 0 else n - 1
    let t = n - 1 - s
    x[t] + x[s]
def g(x: f32[n]) -> f32 where n >= 2 =
    let s = fold s = 0 for v in x do if v > 0.0 and s < n - 1 then s + 1 else s
    if 0 <= s and s < n then x[s] else 0.0
def h(x: f32[n]) -> f32 where n >= 2 =
    let s = if x[0] > 0.0 then 1 else n - 2
    let t = s // 2
    x[t] + x[s % n] + x[minimum(s, n - 1)]
#### computed_dtypes
def spectrum[F: Float](x: F[n]) -> complex_of(F)[n] = cast(x, complex_of(F))
def part[C: Complex](z: C[n]) -> real_of(C)[n] = real(z)
def there_and_back[F: Float](x: F[n]) -> F[n] = if F == f64 then real(spectrum(x)) else x
def exact[F: Float](x: F[n]) -> F[n] where F in (f32, f64) = part(spectrum(x))
def kept[F: Float](x: F[n]) -> real_of(F)[n] = x
def doubled[F: Float](x: F[n]) -> complex_of(F)[n] = spectrum(x) + spectrum(x)
def single(x: f32[n]) -> c64[n] = doubled(x)
def double(x: f64[n]) -> c128[n] = doubled(x)
static def chosen(d: dtype, wide: bool) -> dtype = if wide then complex_of(d) else d
def either[F: Float](x: F[n], static wide: bool) -> chosen(F, wide)[n] = cast(x, chosen(F, wide))
def only_double(x: f64[n]) -> (c128[n], f64[n]) = (either(x, true), either(x, false))
