#### one_too_many
def f(x: f32[n]) -> f32[n] = concatenate((x, zeros([1]))) #! E04
#### off_by_one_result
def diff(x: f32[n]) -> f32[n] = x[1:] - x[:-1] #! E04
#### slices_that_do_not_meet
def diff(x: f32[n]) -> f32[n - 1] = x[1:] - x #! E04
#### stencil_ends_differ
def laplace(x: f32[n]) -> f32[n - 2] = x[2:] - 2.0 * x[1:-1] + x[:-1] #! E04
#### product_is_not_sum
def f(x: f32[n + m], a: f32[n], b: f32[m]) -> f32[n * m] = x #! E04
#### square_is_not_double
# equal at n = 0 and n = 2 only
def f(x: f32[n * n], y: f32[n]) -> f32[2 * n] = x #! E04
#### halves_without_even
def f(x: f32[n]) -> f32[2 * (n // 2)] = x #! E04
#### heads_without_divisibility
def split_heads(x: f32[n, d], static h: int) -> f32[n, h, d // h] where h >= 1 = reshape(x, [n, h, d // h]) #! E04
#### heads_wrong_fact
def f(x: f32[n, d], static h: int) -> f32[n, h, d // h] where h >= 1 and h % d == 0 and d >= 1 =
    reshape(x, [n, h, d // h]) #! E04
#### heads_in_the_wrong_order
def f(x: f32[n, d], static h: int) -> f32[h, n, d // h] where h >= 1 and d % h == 0 =
    reshape(x, [n, h, d // h]) #! E04
#### floor_is_not_exact
def f(x: f32[n // 2 + n // 2], y: f32[n]) -> f32[n] = x #! E04
#### ceiling_is_not_floor
def f(x: f32[n]) -> f32[n // 3] = x[::3] #! E04
#### evens_and_odds_of_any_size
def f(x: f32[n]) -> f32[(n + 1) // 2] = x[::2] + x[1::2] #! E04
#### min_is_not_first
def f(x: f32[min(n, m)], a: f32[n], b: f32[m]) -> f32[n] = x #! E04
#### min_under_the_wrong_fact
def f(x: f32[min(n, m)], a: f32[n], b: f32[m]) -> f32[n] where m <= n = x #! E04
#### max_is_not_sum
def f(x: f32[n], y: f32[m]) -> f32[max(n, m)] = concatenate((x, y)) #! E04
#### static_def_off_by_one
static def out(n: int, k: int) -> int = n - k
def windows(x: f32[n], static k: int) -> f32[out(n, k), k] where 1 <= k and k <= n =
    [x[i : i + k] for i in range(n - k + 1)] #! E04
#### static_def_padding
static def pad(k: int) -> int = k // 2
static def full(n: int, k: int) -> int = n - k + 1
def f(x: f32[full(n + 2 * pad(4), 4)], y: f32[n]) -> f32[n] = x + y #! E04
#### conv_out_without_plus_one
static def out(n: int, k: int, stride: int) -> int = (n - k) // stride
def f(x: f32[10]) -> f32[out(10, 3, 2)] = [x[2 * i] + x[2 * i + 1] + x[2 * i + 2] for i in range(4)] #! E04
#### undetermined_result
def f(x: f32[n]) -> f32[k] = zeros([k]) #! E0405
#### undetermined_product
def f(x: f32[n * m]) -> f32 = sum(x) #! E0405
#### undetermined_square
def f(x: f32[n * n]) -> f32 = sum(x) #! E0405
#### undetermined_quotient
def f(x: f32[n // 2]) -> f32 = sum(x) #! E0405
#### undetermined_minimum
def f(x: f32[min(n, 4)]) -> f32 = sum(x) #! E0405
#### undetermined_sum
def f(x: f32[n + m]) -> f32 = sum(x) #! E0405
#### undetermined_by_static_def
static def half(n: int) -> int = n // 2
def f(x: f32[half(n)]) -> f32 = sum(x) #! E0405
#### undetermined_misspelled_static
def f(x: f32[n], static steps: int) -> f32[step] = zeros([steps]) #! E0405
#### undetermined_in_function_result
def make() -> f32[n, n] = eye(n) #! E0405
#### two_shape_variables
def f(x: f32[*s, *t]) -> f32 = sum(x) #! E04
#### shape_variable_only_in_result
def f(x: f32[n]) -> f32[*s] = zeros(s) #! E04
#### where_not_satisfied_by_literal
def halves(x: f32[n]) -> f32[2, n // 2] where n % 2 == 0 = reshape(x, [2, n // 2])
def f(x: f32[7]) -> f32[2, 3] = halves(x) #! E04
#### where_not_satisfied_by_form
def halves(x: f32[n]) -> f32[2, n // 2] where n % 2 == 0 = reshape(x, [2, n // 2])
def f(x: f32[2 * m + 1]) -> f32 = sum(halves(x)) #! E04
#### where_equality_refuted
def add(x: f32[n], y: f32[m]) -> f32[n] where n == m = x + y
def f(x: f32[n]) -> f32[n] = add(x, concatenate((x, x, zeros([1])))) #! E04
#### inferred_condition_refuted
def head(x: f32[n]) -> f32[5] = x[:5]
def f(x: f32[3]) -> f32[5] = head(x) #! E04
#### inferred_condition_refuted_two_calls_deep
def head(x: f32[n]) -> f32[5] = x[:5]
def first(x: f32[n]) -> f32 = head(x)[0]
def f(x: f32[4]) -> f32 = first(x) #! E04
#### factor_does_not_divide
def halve(x: f32[2 * k]) -> f32[k] = x[:k]
def f(x: f32[7]) -> f32[3] = halve(x) #! E04
#### affine_would_be_negative
def tail(x: f32[n + 3]) -> f32[n] = x[3:]
def f(x: f32[2]) -> f32[0] = tail(x) #! E04
#### factor_of_odd_form
def halve(x: f32[2 * k]) -> f32[k] = x[:k]
def f(x: f32[2 * n + 1]) -> f32[n] = halve(x) #! E04
#### slice_longer_than_literal
def f(x: f32[3]) -> f32[5] = x[:5] #! E04
#### slice_past_the_end
def f(x: f32[n]) -> f32[n] = x[1 : n + 1] #! E04
#### slice_backwards
def f(x: f32[n]) -> f32 = sum(x[5:2]) #! E04
#### inner_slice_size
def f(x: f32[n, m]) -> f32[n - 2, m - 2] = x[1:-1, 1:] #! E04
#### negative_written_size
def f(x: f32[n]) -> f32[n] = x + sum(zeros([-1])) #! E04|E03
#### zeros_with_negative_sum
def f(x: f32[n]) -> f32[n] = concatenate((x, zeros([n - n - 2]))) #! E04|E03
#### static_if_wrong_branch
def f(x: f32[n], y: f32[m]) -> f32[n] =
    if n == m then x
    else x + y #! E04
#### static_if_fact_too_weak
def f(x: f32[n], y: f32[m]) -> f32[n] =
    if n <= m then x + y #! E04
    else x
#### fact_on_the_other_size
def f(x: f32[a, b]) -> f32[2, a // 2, b] where b % 2 == 0 = reshape(x, [2, a // 2, b]) #! E04
#### kron_axes_swapped
def kron(a: f32[n, m], b: f32[k, l]) -> f32[n * k, m * l] =
    reshape(a[:, None, :, None] * b[None, :, None, :], [n * m, k * l]) #! E04
#### patches_without_width_fact
def patches(x: f32[h, w], static p: int) -> f32[h // p, p, w // p, p] where p >= 1 and h % p == 0 =
    reshape(x, [h // p, p, w // p, p]) #! E04
#### upsample_once
def upsample(x: f32[h, w]) -> f32[2 * h, 4 * w] =
    reshape(broadcast_to(x[:, None, :, None], [h, 2, w, 2]), [2 * h, w * 4]) #! E04
#### merge_without_transpose_size
def merge_heads(x: f32[h, n, e]) -> f32[n, h * e] = reshape(x, [n * e, h]) #! E04
#### scan_length
def f(x: f32, static steps: int) -> f32[steps + 1] =
    let (_, history) = scan acc = x for _ in range(steps) do (acc * 2.0, acc)
    history #! E04
#### concatenation_three_of_two
def f(x: f32[n]) -> f32[3 * n] = concatenate((x, x)) #! E04
#### glu_halves
def glu(x: f32[n, 2 * d]) -> f32[n, d] =
    let a = x[:, :d]
    let b = x[:, d + 1 :]
    a * b #! E04
#### lstm_gates_three
def gates(x: f32[n, i], w: f32[i, 3 * h]) -> f32[n, 4 * h] = x @ w #! E04
#### sum_size_in_argument
def join(x: f32[n], y: f32[m], z: f32[n + m]) -> f32 = sum(concatenate((x, y)) * z)
def f(x: f32[n], y: f32[m]) -> f32 = join(x, y, x) #! E04
#### triangle_wrong
def f(x: f32[n * (n - 1) // 2], y: f32[n]) -> f32[n * (n + 1) // 2] = x #! E04
#### remainder_forgotten
def f(x: f32[n // 3 * 3], y: f32[n]) -> f32[n] = x + y #! E04
#### alias_size
type Square[n] = f32[n, n]
def f(x: f32[n, m]) -> Square[n] = x #! E04
#### quotient_of_larger_divisor
def f(x: f32[n // 4], y: f32[n]) -> f32[n // 2] = x #! E04
#### divisor_zero
def f(x: f32[n // 0], y: f32[n]) -> f32 = sum(x) #! E04
#### opaque_static_def_of_two_arguments
static def log2(n: int) -> int = if n <= 1 then 0 else 1 + log2(n // 2)
def f(x: f32[log2(8)]) -> f32[4] = x #! E04
#### size_of_the_wrong_parameter
def f(x: f32[n], y: f32[m]) -> f32[n] = zeros([m]) #! E04
#### sizes_from_a_condition_of_a_run
def f(x: f32[n], y: f32[m], k: i32) -> f32[n] = if k == n and k == m then x + y else x #! E0401
#### element_of_nothing_in_a_loop
def f(x: f32[n]) -> f32[n] = [x[n - 1] for i in range(n)]
def g(x: f32[0]) -> f32[0] = f(x) #! E0407
#### conditions_with_messages
def f(x: f32[n], static k: int) -> f32[n]
    where k >= 1 else "k counts from one"
    where k <= n else "k is one of the places of x" =
    x * x[k - 1]
def a(x: f32[n]) -> f32[n] = f(x, 0) #! E0407
def b(x: f32[3]) -> f32[3] = f(x, 4) #! E0407
def c(x: f32[3]) -> f32[3] where 3 else "three" = x #! E0411
static def half(n: int) -> int where n % 2 == 0 else "an odd number has no half" = n // 2
def d(x: f32[3]) -> f32[1] = x[:half(3)] #! E0407
#### power_of_two_beyond_a_dtype
def count(static n: int) -> i32[2 ** n] where n >= 0 = arange(2 ** n, dtype=i32)
def many() -> i32 = sum(count(32)) #! E0407
#### error_in_what_a_condition_calls
static def cut(n: int, share: float) -> int = whole(share * n) #! E0201
def f(x: f32[n]) -> f32 where cut(n, 0.5) >= 1 = sum(x)
def g(x: f32[n]) -> f32 where 0 <= cut(n, 0.2) and cut(n, 0.2) < n = sum(x[: cut(n, 0.2)])
#### sizes_of_static_floats_that_are_none
def f(static s: float, x: f32[n]) -> f32[int(s * n)] = zeros([int(s * n)])
def below(x: f32[10]) -> f32 = sum(f(-0.35, x)) #! E0407
def endless(x: f32[10]) -> f32 = sum(f(inf, x)) #! E0407
def other(x: f32[10]) -> f32[4] = f(0.35, x) #! E0402
def nothing() = zeros([int(nan)]) #! E0407
def negative() = zeros([int(-2.5)]) #! E0409
#### cuts_beyond_the_end_at_static_floats
def head(x: f32[n], static share: float) = x[:int(share * n)]
def use(x: f32[10]) -> f32 = sum(head(x, 1.2)) #! E0407
#### divisor_inside_of_a_divisor
def f(x: f32[n], static k: int) -> f32 where n // (n // k) <= 9 = sum(x)
def g(x: f32[4]) -> f32 = f(x, 0) #! E0407
#### literals_divided_by_a_size_that_is_always_zero
let NONE = 0
def f(x: f32[n]) -> f32 = sum(x) * (3 // 0) #! E0410
def g(x: f32[n]) -> i32 =
    let k = 3 % NONE #! E0410
    k
def h(x: f32[n]) -> i32 = 7 % (len(x) - n) #! E0410
def i(x: f32[3]) -> i32 = 7 % len(x[3:]) #! E0410
def j(x: f32[3 % 0]) -> f32 = sum(x) #! E0410
def k(y: f32[n], x: f32[3 % (n - n)]) -> f32 = sum(x) #! E0410
def l(x: f32[n]) -> f32[n] where 3 % 0 == 3 = x #! E0410
static def m() -> int = 3 // 0 #! E0410
let Z = 3 % 0 #! E0410
def o(x: f32) -> f32[3] = [x * (7 % i) for i in (0, 1, 2)] #! E0410
