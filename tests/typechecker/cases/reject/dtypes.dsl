#### int_plus_float
def f(i: i32, x: f32) -> f32 = x + i #! E03
#### f32_plus_f64
def f(x: f32[n], y: f64[n]) -> f64[n] = x + y #! E03
#### i32_plus_i64
def f(i: i32[n], j: i64[n]) -> i64[n] = i * j #! E03
#### half_times_bfloat
def f(x: f16[n], y: bf16[n]) -> f16[n] = x * y #! E03
#### comparison_of_two_dtypes
def f(i: i32[n], x: f32[n]) -> bool[n] = i < x #! E03
#### bool_plus_float
def accuracy(p: i32[n], y: i32[n]) -> f32 = sum((p == y) * 1.0) / 100.0 #! E03
#### float_literal_with_int
def f(i: i32) -> i32 = i * 2.5 #! E03
#### whole_float_literal_with_int
# "a float never adapts to an integer dtype (also `1.0`)"
def f(i: i32[n]) -> i32[n] = i + 1.0 #! E03
#### complex_literal_with_real
def f(x: f32) -> f32 = x * 2.0j #! E03
#### int_literal_too_large
def f(a: i8) -> i8 = a + 128 #! E03
#### negative_literal_for_unsigned
def f(a: u8) -> u8 = a * -1 #! E03
#### literal_one_above_u16
def f(a: u16[n]) -> u16[n] = maximum(a, 65536) #! E03
#### static_sum_too_large
let big = 2 ** 31
def f(i: i32) -> i32 = i + big #! E03
#### float_becomes_infinite
def f(x: f16) -> f16 = x + 100000.0 #! E03
#### float_becomes_infinite_in_f32
def f(x: f32) -> f32 = x * 1e300 #! E03
#### division_of_ints
def f(a: i32, b: i32) -> i32 = a / b #! E03
#### division_of_static_ints
def f(x: f32[n]) -> f32 = sum(x) * (1 / 2) #! E03
#### division_of_sizes
def f(x: f32[n], y: f32[m]) -> f32 = sum(x) * (n / m) #! E03
#### division_of_int_array_by_size
def average(x: i32[n]) -> i32 = sum(x) / n #! E03
#### result_dtype
def f(x: f64[n]) -> f32[n] = x * 2.0 #! E03
#### result_of_comparison_is_bool
def step(x: f32[n]) -> f32[n] = x > 0.0 #! E03
#### count_declared_float
def count(x: f32[n]) -> f32 = sum(x > 0.0) #! E03
#### argmax_declared_float
def decode(logits: f32[n, 10]) -> f32[n] = argmax(logits, axis=1) #! E03
#### argument_dtype
def g(x: f64[n]) -> f64 = sum(x)
def f(x: f32[n]) -> f64 = g(x) #! E03
#### argument_int_for_float
def g(x: f32) -> f32 = x * 2.0
def f(i: i32) -> f32 = g(i) #! E03
#### generic_class_not_met
def relu[a: Float](x: a[*s]) -> a[*s] = maximum(x, 0)
def f(i: i32[n]) -> i32[n] = relu(i) #! E03
#### generic_used_at_two_dtypes
def add[a: Num](x: a[n], y: a[n]) -> a[n] = x + y
def f(x: f32[n], y: f64[n]) -> f64[n] = add(x, y) #! E03
#### generic_body_too_special
def relu[a: Float](x: a[*s], y: f32[*s]) -> a[*s] = x + y #! E03
#### generic_body_returns_fixed
def f[a: Float](x: a[n]) -> a[n] = f32(x) #! E03
#### generic_class_too_weak_for_exp
def f[a: Num](x: a[n]) -> a[n] = exp(x) #! E03
#### generic_class_too_weak_for_order
def f[a: Num](x: a, y: a) -> bool = x < y #! E03
#### generic_class_too_weak_for_division
def f[a: Real](x: a, y: a) -> a = x / y #! E03
#### generic_float_literal_into_num
def f[a: Num](x: a[n]) -> a[n] = x * 0.5 #! E03
#### exp_of_int
def f(i: i32[n]) -> f32[n] = exp(i) #! E03
#### sqrt_of_size_array
def f(n: i32) -> f32 = sqrt(n) #! E03
#### order_of_complex
def f(z: c64, w: c64) -> bool = z < w #! E03
#### bits_of_floats
def f(x: f32, y: f32) -> f32 = x & y #! E03
#### and_of_arrays
def f(x: f32[n]) -> bool[n] = x > 0.0 and x < 1.0 #! E03|E04
#### not_of_array
def f(p: bool[n]) -> bool[n] = not p #! E03|E04
#### and_of_numbers
def f(i: i32, j: i32) -> bool = i and j > 0 #! E03
#### if_on_number
def f(i: i32, x: f32) -> f32 = if i then x else -x #! E03
#### if_on_array
def relu(x: f32[n]) -> f32[n] = if x > 0.0 then x else zeros([n]) #! E03|E04|E05
#### negative_of_bool
def f(p: bool[n]) -> bool[n] = -p #! E03
#### static_integers_beyond_a_float
def product(x: f32, static k: int) -> f32 = x * k
def f(x: f32) -> f32 = product(x, 2 ** 130) #! E0407
def g(x: f32) -> f32 = product(x, -10 ** 39) #! E0407
def cast_to(static k: int) -> (f32, f64) = (1.0, f64(k))
def h() -> (f32, f64) = cast_to(2 ** 1024) #! E0407
def small(x: bf16, static k: int) -> bf16 = where(x > k, x, k)
def i(x: bf16) -> bf16 = small(x, 2 ** 128) #! E0407
def turned(z: c64, static k: int) -> c64 = k - z
def j(z: c64) -> c64 = turned(z, 2 ** 128) #! E0407
static def factorial(k: int) -> int = if k <= 1 then 1 else k * factorial(k - 1)
def term(x: f32, static k: int) -> f32 = x / factorial(k)
def l(x: f32) -> f32 = term(x, 40) #! E0407
def generic[T: Float](x: T, static k: int) -> T = x + k
def m(x: f32) -> f32 = generic(x, 2 ** 130) #! E0407
def filled(static k: int) -> f32[3] = full([3], k, dtype=f32)
def n() -> f32[3] = filled(2 ** 130) #! E0407
#### numbers_that_no_word_of_a_machine_holds
def above(x: f32, static k: int) -> f32 where k <= 10 = x
def f(x: f32) -> f32 = above(x, 2 ** 63) #! E0407
def below(x: f32, static k: int) -> f32 where k >= 10 = x
def g(x: f32) -> f32 = below(x, -10 ** 30) #! E0407
def item(x: f32[n], static k: int) -> f32 = x[k]
def h(x: f32[n]) -> f32 = item(x, 2 ** 64) #! E04
def first(x: f32[n], static k: size) -> f32[k] where k <= n = x[:k]
def i(x: f32[5]) -> f32[2 ** 63] = first(x, 2 ** 63) #! E0407
def hashed(x: u32[n], static seed: int) -> u32[n] = x * u32(seed)
def j(x: u32[n]) -> u32[n] = hashed(x, 14695981039346656037) #! E0407
def l(x: f32[n]) -> f32[n, 1] = x.unsqueeze(9223372036854775809) #! E0201
#### items_of_a_list_that_is_cast
def f() -> u8[2] = u8([300, 1]) #! E0304
def g() -> u8[1, 2] = cast([[-1, 1]], u8) #! E0304
def h(i: i32) -> u8[2] = u8([i, 256]) #! E0304
def l() -> f16[2] = f16([1e6, 1]) #! E0304
def pair(static k: int) -> u8[2] = u8([k, 1])
def m() -> u8[2] = pair(256) #! E0407
def n[T: Num](x: T) -> T[2] = cast([1, 300], T) #! E0304
def o() -> f32[2] = f32([2j, 1]) #! E0321
#### invert_float
def f(x: f32) -> f32 = ~x #! E03
#### branches_differ
def f(c: bool, x: f32, i: i32) -> f32 = if c then x else i #! E03
#### float_in_branch_of_int
def f(c: bool, i: i32) -> i32 = if c then i else 0.5 #! E03
#### where_branches_differ
def f(x: f32[n], i: i32[n]) -> f32[n] = where(x > 0.0, x, i) #! E03
#### where_condition_is_float
def f(mask: f32[n], x: f32[n]) -> f32[n] = where(mask, x, 0.0) #! E03
#### array_literal_mixed
def f(x: f32, i: i32) -> f32[2] = [x, i] #! E03
#### concatenate_mixed
def f(x: f32[n], y: f64[m]) -> f64[n + m] = concatenate((x, y)) #! E03
#### matmul_mixed
def predict(w: f64[d], x: f32[n, d]) -> f32[n] = x @ w #! E03
#### negative_power_of_int
def f(i: i32) -> i32 = i ** -1 #! E03
#### carry_changes_dtype
def f(xs: i32[n]) -> f32 = fold acc = f32(0) for x in xs do acc + x #! E03
#### carry_float_from_int_start
# the carry takes its dtype from what it meets or i32 by its literal; a float literal cannot enter an int carry
def f(xs: i32[n]) -> i32 = fold acc = 0 for x in xs do acc * 0.5 #! E03
#### shift_of_float
def f(x: f32) -> f32 = x << 2 #! E03
#### string_as_number
def f(x: f32) -> f32 = x + "1" #! E03
#### none_as_number
def f(x: f32, static k: int?) -> f32 = x * k #! E03
#### bool_literal_times_array
def f(x: f32[n]) -> f32[n] = x * true #! E03
#### positional_axis
def f(x: f32[n, d]) -> f32[d] = mean(x, 0) #! E0306
#### positional_axis_of_concatenate
def f(x: f32[n, d], y: f32[n, d]) -> f32[n, 2 * d] = concatenate((x, y), 1) #! E0306
#### positional_axis_in_method
def f(x: f32[n, d]) -> f32[n] = x.sum(1) #! E0306
#### positional_axis_argmax
def f(x: f32[n, d]) -> idx[d][n] = argmax(x, -1) #! E0306
#### floor_division_result_as_float
def middle(lo: i32, hi: i32) -> f32 = (lo + hi) // 2 #! E03
#### i64_literal_too_large
def f(i: i64) -> i64 = i + 9_223_372_036_854_775_808 #! E03
#### key_arithmetic
def f(k: key) -> f32 = k + 1.0 #! E03
#### mse_of_two_dtypes
def mse(x: f32[n], y: f32[n]) -> f32 = mean((x - y) ** 2)
def f(x: f32[n], labels: i32[n]) -> f32 = mse(x, labels) #! E03
#### mean_of_ints_declared_float
# "other reductions keep the dtype"
def f(x: i32[n]) -> f32 = mean(x) #! E03
#### abs_of_complex_is_real
def f(z: c64[n]) -> c64[n] = abs(z) #! E03
#### c128_abs_is_f64
def f(z: c128, x: f32) -> f32 = abs(z) + x #! E03
#### idx_meets_float
def f(xs: f32[n]) -> f32[n] = [xs[i] * i for i in range(n)] #! E03
#### no_promotion_in_loss
type P[d] = {w: f32[d], b: f64}
def predict(p: P[d], x: f32[n, d]) -> f32[n] = x @ p.w + p.b #! E03
#### wrong_cast_width
def normalise(x: u8[h, w]) -> f32[h, w] = f16(x) / 255.0 #! E03
#### list_that_does_not_fit
def f(x: u8[2]) -> u8[2] = x + [1, 256] #! E0304
#### list_that_overflows
def f(x: f16[2]) -> f16[2] = where(x > 0.0, x, [1.0, 70000.0]) #! E0304
#### larger_of_complex_numbers
def f() -> f32 = full([], max(3j, 1)) #! E0304
#### complex_number_rounded_down
def f() -> f32 = full([], floor(2.5j)) #! E0304
#### operations_that_a_dtype_may_not_have
def imaginary[a: Complex](x: a[n]) -> f32[n] = f32(x) #! E0321
def chosen(z: c64, static d: dtype) -> d = cast(z, d) #! E0321
def filled(z: c64) -> f32[2] = full([2], real(z) + 1.0j * imag(z), dtype=f32) #! E03
def literal[a: Num](x: a) -> a = cast(1.0j, a) #! E0321
def reciprocal[a: Num](x: a) -> a = x ** -1 #! E0316
def halves(x: i32[n]) -> i32[n] where n >= 1 = x.at[0].divide(2) #! E0315
def largest(x: c64[n]) -> c64[n] where n >= 1 = x.at[0].max(2) #! E0315
def either(x: bool[n]) -> bool[n] where n >= 1 = x.at[0].add(true) #! E0315
def product[a: Any](x: a[n], y: a) -> a[n] where n >= 1 = x.at[0].mul(y) #! E0315
def counted() -> bool[3] = arange(3, dtype=bool) #! E0315
def indices() -> bool[3] = iota([3], dtype=bool) #! E0315
#### bits_that_are_signed
import random
def f(k: key) -> i32[3] = random.bits(k, [3], dtype=i32) #! E0407
def g(k: key) -> u8[3] = random.bits(k, [3], dtype=u8)
#### windows_that_never_fit
def f(x: f32[2], i: i32) -> f32[3] = x.at[i : i + 3].get(mode="fill", fill=0.0) #! E0422
def g(x: f32[2], i: i32) -> f32[2] = x.at[i : i + 3].set(1.0, mode="clip") #! E0422
def h(x: f32[n], i: i32) -> f32[3] = x.at[i : i + 3].get(mode="clip")
def used(x: f32[2], i: i32) -> f32[3] = h(x, i) #! E0407
#### functions_that_are_operators_ask_what_these_ask
def inverse(x: i32) -> i32 = power(x, -1) #! E0316
def squared(x: i32[n], y: i32[n]) -> i32[n] = power(y=-2, x=x * y) #! E0316
def updated(x: i32[n]) -> i32[n] where n >= 1 = x.at[0].power(-1) #! E0316
def half(x: i32) -> i32 = left_shift(x, -1) #! E0316
def turned(x: i8[n]) -> i8[n] = x >> -1 #! E0316
def carried() -> i32 = fold s = 2 for _ in range(3) do s ** -1 #! E0316
let half_of_one = power(2, -1) #! E0316
def chosen(x: i32, static k: int) -> i32 = power(x, k)
def refused(x: i32) -> i32 = chosen(x, -1) #! E0407
#### numbers_that_a_dtype_cannot_hold
import random
def counted() -> u8[300] = arange(300, dtype=u8) #! E0407
def along() -> u8[3, 300] = iota([3, 300], axis=1, dtype=u8) #! E0407
def last() -> u8[2] = arange(255, 257, dtype=u8) #! E0407
def first() -> u8[3] = arange(-1, 2, dtype=u8) #! E0407
def far() -> f16[70000] = iota(f16, 70000) #! E0407
def drawn(k: key) -> i32[3] = random.randint(k, [3], 0, 2 ** 31) #! E0407
def moved[a: Int](x: a[n]) -> a[n] = x + n
def bytes(x: u8[300]) -> u8[300] = moved(x) #! E0407
def shares[a: Float](x: a[n]) -> a[n] where n >= 1 = x / n
def halves(x: f16[70000]) -> f16[70000] = shares(x) #! E0407
def added(x: i32, static k: int) -> i32 = x + k
def large(x: i32) -> i32 = added(x, 2 ** 40) #! E0407
def product(x: f16[n]) -> f16[n] where n >= 70000 = x / n #! E0304
#### ranges_beyond_32_bits
def places() -> i64[2] = [i64(i) for i in range(2 ** 31 - 1, 2 ** 31 + 1)] #! E0304
def below() -> i32 = fold s = 0 for i in range(-2 ** 31 - 1, 3) do s ^ i #! E0304
def rounds() -> f32 = fold s = 0.0 for _ in range(2 ** 32) do s + 1.0 #! E0304
def span() -> f32 = fold s = 0.0 for _ in range(-2 ** 31, 2 ** 31) do s + 1.0 #! E0304
def counted(static k: int) -> f32 = fold s = 0.0 for _ in range(k) do s + 1.0
def asked() -> f32 = counted(2 ** 32) #! E0407
#### class_with_complex_dtypes_cast_to_real_ones
def f[T: Inexact](x: T) -> f32 = f32(x) #! E0321
#### classes_of_trees_that_there_are_not
def f[P: VSpace[Int]](p: P) -> P = p #! E0212
def g[P: Move[Float]](p: P) -> P = p #! E0212
def h[T: Float[Int]](x: T) -> T = x #! E0212
def i[P: Tree[Flot]](p: P) -> P = p #! E0212
#### leaves_outside_of_the_class
def size[P: VSpace[Float]](p: P) -> P = tree_map(fn x -> abs(x), p)
def f(p: (f32, c64)) -> (f32, c64) = size(p) #! E0329
def g[P: VSpace](p: P) -> P = size(p) #! E0329
def h(i: idx[n]) -> i32 = size(i) #! E0329
def even[P: Tree[Int]](p: P) -> P = p
def i(p: (i32, f32)) -> (i32, f32) = even(p) #! E0329
def j[P: VSpace](p: P) -> P = tree_map(fn x -> where(x > 0.0, x, 0.0), p) #! E0315
type Adam[P: VSpace[Float]] = {m: P, n: i32}
def k(a: Adam[c64]) -> i32 = a.n #! E0329
#### reductions_of_generic_trees_that_do_not_fit
from random import normal
def first[P: VSpace](p: P) -> P = tree_reduce(fn (a, b) -> a + b, p) #! E0303
def last[P: VSpace[Float]](p: P) -> f32 = tree_reduce(fn (s, x) -> s + f32(sum(max(x, axis=0))), p, 0.0) #! E0407
def leaf[P: VSpace[Float]](p: P) -> f32 = tree_reduce(fn (s, x) -> f32(x), p, 0.0) #! E0402
def drawn[P: VSpace[Float]](k: key, p: P) -> f32 = tree_reduce(fn (s, x) -> s + normal(k), p, 0.0) #! E0611
def stepped[P: VSpace[Float]](p: P) -> f32 = tree_reduce(fn (s, x) -> s + f32(sum(nextafter(x, 2.0))), p, 0.0)
def slope(x: f32[3]) -> f32[3] = grad(stepped)(x) #! E0803
#### dtypes_outside_of_the_class_that_callers_give
def total(x: f32[n], static d: Float = f64) -> d = sum(cast(x, d))
def f(x: f32[n]) -> i32 = total(x, i32) #! E0315
def g(x: f32[n], static e: Inexact) -> e = total(x, e) #! E0315
def h(static d: Float = i32) -> d = zeros([], dtype=d) #! E0332
static def bytes(d: Float) -> int = if d == f64 then 8 else 4
let four = bytes(i32) #! E0315
effect made: (static d: Float, x: f32) -> d
def i(x: f32) -> i32 = with handler made(d, x) -> resume(cast(x, d)) do made(i32, x) #! E0315
def real(static d: Inexact, x: d[n]) -> f32[n] = f32(x) #! E0321
#### classes_where_dtypes_stand
def f(d: Float) -> f32 = 0.0 #! E0202
def g(x: Float[n]) -> f32 = 0.0 #! E0202
def h(static p: (Float, int)) -> f32 = 0.0 #! E0202
#### floats_of_a_run_have_one_dtype
def both(c: bool, x: f64, y: f32) -> (f64, f64) =
    let s = if c then 1.0 else -1.0
    let t = s * x
    (t, s * y) #! E0301
def of_its_dtype(c: bool, x: f64) -> f32 =
    let s = if c then 1.0 else -1.0
    let t = s * x
    cast(t, s.dtype) #! E0302
def far(c: bool, x: f16) -> f16 =
    let s = if c then 1e6 else 1.0 #! E0304
    s * x
def counted(c: bool, x: f64) -> f64 =
    let s = if c then 1 else -1
    s * x #! E0301
def at(c: bool, x: f32[3]) -> f32 =
    let s = if c then 1.0 else 2.0
    x[s] #! E03
#### bounds_of_a_draw_by_position
import random
def points(k: key, static n: int) -> f32[n, 2] where n >= 0 =
    random.uniform(k, [n, 2], -1.0, 1.0) #! E0303
#### numbers_of_a_wider_dtype
def brighten(image: u8[h, w]) -> u8[h, w] =
    let shifted = where(image > 127, image, image + 300) #! E0304
    minimum(shifted, 255)
#### product_of_a_wider_dtype
def scaled(i: u8[n]) -> u8[n] = i * 300 // 400 #! E0304
#### real_of_complex_of_half
def f[F: Float](x: F[n]) -> F[n] = real(cast(x, complex_of(F))) #! E0302
#### complex_of_another
def f[F: Float, G: Float](x: F[n], y: G[n]) -> complex_of(F)[n] = cast(y, complex_of(G)) #! E0302
#### dtype_of_no_dtype
static def twice(k: int) -> int = 2 * k
def f(x: f32[n]) -> twice(2)[n] = x #! E0302
#### sizes_in_parentheses
def f(x: f32(n)) -> f32 = 0.0 #! E0101
#### computed_dtype_at_a_call
def f[F: Float](x: F[n]) -> complex_of(F)[n] = cast(x, complex_of(F))
def g(x: f64[n]) -> c64[n] = f(x) #! E0302
