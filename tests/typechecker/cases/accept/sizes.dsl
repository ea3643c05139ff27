#### one_plus_n
def f(x: f32[n]) -> f32[n + 1] =
    let y: f32[1 + n] = concatenate((x, zeros([1])))
    y
#### returns_1_plus_n_for_n_plus_1
def g(x: f32[n]) -> f32[1 + n] = concatenate((zeros([1]), x))
def f(x: f32[n]) -> f32[n + 1] = g(x)
#### one_plus_n_minus_one
def f(x: f32[1 + n - 1], y: f32[n]) -> f32[n] = x + y
#### associative_concatenation
def f(x: f32[a], y: f32[b], z: f32[c]) -> f32[a + (b + c)] =
    concatenate((concatenate((x, y)), z))
#### two_times_n
def f(x: f32[n]) -> f32[2 * n] = concatenate((x, x))
#### distributes
def f(x: f32[2 * (n + m)], a: f32[n], b: f32[m]) -> f32[2 * n + 2 * m] = x
#### commutative_product
def f(x: f32[n * m], a: f32[n], b: f32[m]) -> f32[m * n] = x
#### binomial
def f(x: f32[n * n + 2 * n + 1], y: f32[n]) -> f32[(n + 1) * (n + 1)] = x
#### reshape_of_halves
def f(x: f32[b]) -> f32[2, b // 2] where b % 2 == 0 = reshape(x, [2, b // 2])
#### heads
def split_heads(x: f32[n, d], static h: int) -> f32[h, n, d // h] where h >= 1 and d % h == 0 =
    transpose(reshape(x, [n, h, d // h]), (1, 0, 2))
#### heads_back
def merge_heads(x: f32[h, n, e]) -> f32[n, h * e] = reshape(transpose(x, (1, 0, 2)), [n, h * e])
#### heads_and_back
def same(x: f32[n, d], static h: int) -> f32[n, d] where h >= 1 and d % h == 0 =
    let y = reshape(x, [n, h, d // h])
    reshape(y, [n, d])
#### heads_product_in_result
def f(x: f32[n, d], static h: int) -> f32[n, h * (d // h)] where h >= 1 and d % h == 0 = x
#### floor_of_multiple_plus
def f(x: f32[(n + 3 * s) // s], static s: int, y: f32[n]) -> f32[n // s + 3] where s >= 1 = x
#### even_and_odd_elements
def interleave(x: f32[2 * n]) -> (f32[n], f32[n]) = (x[::2], x[1::2])
#### strided_length
def every_third(x: f32[n]) -> f32[(n + 2) // 3] = x[::3]
#### inner_slice
def f(x: f32[n]) -> f32[n - 2] = x[1:-1]
#### differences
def diff(x: f32[n]) -> f32[n - 1] = x[1:] - x[:-1]
#### second_difference
def laplace(x: f32[n]) -> f32[n - 2] = x[2:] - 2.0 * x[1:-1] + x[:-2]
#### min_of_sizes
def zip_short(x: f32[n], y: f32[m]) -> f32[min(n, m)] = x[: min(n, m)] * y[: min(m, n)]
#### max_of_sizes
def zip_long(x: f32[n], y: f32[m]) -> f32[max(n, m)] =
    concatenate((x, zeros([max(n, m) - n]))) + concatenate((y, zeros([max(n, m) - m])))
#### min_under_a_fact
def f(x: f32[min(n, m)], a: f32[n], b: f32[m]) -> f32[n] where n <= m = x + a
#### static_def_size
static def out(n: int, k: int) -> int = n - k + 1
def windows(x: f32[n], static k: int) -> f32[out(n, k), k] where 1 <= k and k <= n =
    [x[i : i + k] for i in range(n - k + 1)]
#### static_def_unfolds
static def twice(n: int) -> int = n + n
def f(x: f32[n]) -> f32[twice(n)] = concatenate((x, x))
#### static_def_of_static_def
static def same(n: int, k: int) -> int = full(n + 2 * pad(k), k)
static def pad(k: int) -> int = (k - 1) // 2
static def full(n: int, k: int) -> int = n - k + 1
def f(x: f32[same(n, 3)], y: f32[n]) -> f32[n] = x + y
#### static_def_with_if
static def ceil_div(n: int, k: int) -> int = if n % k == 0 then n // k else n // k + 1
def f(x: f32[ceil_div(12, 5)]) -> f32[3] = x
#### opaque_static_def_equal_to_itself
static def log2(n: int) -> int = if n <= 1 then 0 else 1 + log2(n // 2)
def f(x: f32[n], y: f32[log2(n)]) -> f32[log2(n)] = y * 2.0
#### determined_by_affine
def f(x: f32[n + 1]) -> f32[n] = x[1:] - x[:-1]
#### determined_by_factor
def f(x: f32[2 * n]) -> f32[n] = x[:n] + x[n:]
#### determined_by_earlier_parameter
def f(x: f32[n], y: f32[n + m]) -> f32[m] = y[n:]
#### determined_by_later_parameter
def f(y: f32[n * m], x: f32[n]) -> f32[n, m] where n >= 1 = reshape(y, [n, m])
#### determined_by_static_parameter
def identity(static n: int) -> f32[n, n] = eye(n)
#### determined_by_affine_with_constant
def unpack(x: f32[3 * k + 2]) -> f32[k] = x[2 : k + 2]
#### where_makes_sizes_equal
def f(x: f32[n], y: f32[m]) -> f32[n] where n == m = x + y
#### where_through_product
def f(x: f32[n, m], y: f32[k]) -> f32[k] where n * m == k = reshape(x, [k]) + y
#### where_with_or
def f(x: f32[n], y: f32[m]) -> f32[n] where n == m and (n == 1 or n == 2) = x + y
#### where_boolean_static_def
static def divides(k: int, n: int) -> bool = k >= 1 and n % k == 0
def f(x: f32[n], static k: int) -> f32[k, n // k] where divides(k, n) = reshape(x, [k, n // k])
#### caller_satisfies_where
def halves(x: f32[n]) -> f32[2, n // 2] where n % 2 == 0 = reshape(x, [2, n // 2])
def f(x: f32[2 * m]) -> f32[2, m] = halves(x)
def g(x: f32[6]) -> f32[2, 3] = halves(x)
#### caller_states_where
def halves(x: f32[n]) -> f32[2, n // 2] where n % 2 == 0 = reshape(x, [2, n // 2])
def f(x: f32[m]) -> f32[m // 2] where m % 2 == 0 = sum(halves(x), axis=0)
#### caller_inherits_where
# Neither proved nor refuted: the condition becomes the caller's own.
def halves(x: f32[n]) -> f32[2, n // 2] where n % 2 == 0 = reshape(x, [2, n // 2])
def f(x: f32[m]) -> f32 = sum(halves(x))
#### inferred_range_condition
def head(x: f32[n]) -> f32[5] = x[:5]
def f(x: f32[7]) -> f32[5] = head(x)
def g(x: f32[m + 5]) -> f32[5] = head(x)
def h(x: f32[m]) -> f32 = sum(head(x))
#### range_condition_of_max
def spread(x: f32[n]) -> f32 = max(x) - min(x)
def f(x: f32[n + 1]) -> f32 = spread(x)
#### static_if_refines
def mid(x: f32[n]) -> f32 =
    if n >= 3 then x[2] else 0.0
#### static_if_equates
def f(x: f32[n], y: f32[m]) -> f32[n] =
    if n == m then x + y else x
#### sizes_are_values
def f(x: f32[n, d]) -> f32 = sum(x) / (n * d + 1)
#### size_bound_by_let
def f(x: f32[n]) -> f32[n + 2] =
    let width = n + 2
    let y: f32[width] = zeros([width])
    y
#### attribute_sizes
def f(x: f32[n, d]) -> f32[d] = zeros([x.shape[-1]])
#### size_product_of_static
def blocks(x: f32[n * k], static k: int) -> f32[n, k] where k >= 1 = reshape(x, [n, k])
#### triangle_under_a_condition
def f(x: f32[n * (n + 1) // 2], y: f32[n]) -> f32[(n * n + n) // 2] = x
#### sum_of_floor_and_rest
def f(x: f32[n]) -> f32[n] =
    let k = n // 4
    concatenate((x[: 4 * k], x[4 * k :]))
#### quotient_and_remainder
def f(x: f32[n // 3 * 3 + n % 3], y: f32[n]) -> f32[n] = x + y
#### halves_of_any_size
def halve(x: f32[n]) -> (f32[n // 2], f32[n - n // 2]) = (x[: n // 2], x[n // 2 :])
#### kronecker
def kron(a: f32[n, m], b: f32[k, l]) -> f32[n * k, m * l] =
    reshape(a[:, None, :, None] * b[None, :, None, :], [n * k, m * l])
#### patches
def patches(x: f32[h, w, c], static p: int) -> f32[(h // p) * (w // p), p * p * c]
    where p >= 1 and h % p == 0 and w % p == 0 =
    let grid = reshape(x, [h // p, p, w // p, p, c])
    reshape(transpose(grid, (0, 2, 1, 3, 4)), [(h // p) * (w // p), p * p * c])
#### upsample
def upsample(x: f32[h, w]) -> f32[2 * h, 2 * w] =
    reshape(broadcast_to(x[:, None, :, None], [h, 2, w, 2]), [2 * h, 2 * w])
#### average_pool
def pool(x: f32[h, w]) -> f32[h // 2, w // 2] where h % 2 == 0 and w % 2 == 0 =
    mean(reshape(x, [h // 2, 2, w // 2, 2]), axis=(1, 3))
#### max_equals_n_when_larger
def f(x: f32[max(n, 1)], y: f32[n]) -> f32[n] where n >= 1 = x + y
#### difference_of_sizes
def tail(x: f32[n], y: f32[m]) -> f32[n - m] where m <= n = x[m:]
#### exact_factor_in_call
def halve(x: f32[2 * k]) -> f32[k] = x[:k]
def f(x: f32[8]) -> f32[4] = halve(x)
def g(x: f32[n, m]) -> f32[n * m] = halve(concatenate((reshape(x, [n * m]), zeros([n * m]))))
#### conditions_with_messages
def f(x: f32[n], static k: int) -> f32[n]
    where k >= 1 else "k counts from one"
    where k <= n else "k is one of the places of x" =
    x * x[k - 1]
def g(x: f32[n]) -> f32[n] where n >= 2 = f(x, 2)
static def half(n: int) -> int where n % 2 == 0 else "an odd number has no half" = n // 2
def h(x: f32[2 * n]) -> f32[n] = x[:half(2 * n)]
#### functions_with_the_names_of_sizes_do_not_call_each_other
def scaled(x: f32[h, w], static step: int) -> f32[h, w] where step >= 1 = x * (step * step) + w
def w(x: f32[4, 5]) -> f32[4, 5] = scaled(x, 2)
def n(x: f32[n]) -> i32 = n * 2
#### power_of_two_as_a_size
def bit(psi: f32[2 ** n], static k: int, static n: int) -> i32[2 ** n] where 0 <= k and k < n =
    let i = arange(2 ** n)
    (i >> (n - 1 - k)) & 1
def count(psi: f32[2 ** n], static n: int) -> i32[2 ** n] = arange(2 ** n, dtype=i32)
def eight(psi: f32[8]) -> i32[8] = bit(psi, 0, 3) + count(psi, 3)
#### sizes_of_static_floats
def f(static s: float, x: f32[n]) -> f32[int(s * n)] = zeros([int(s * n)])
def g(x: f32[10]) -> f32[3] = f(0.35, x)
def h() -> f32[4, 5, 2, 4] = zeros([int(round(3.5)), int(ceil(4.1)), -int(-2.5), int(sqrt(20.0))])
def inferred(static s: float, x: f32[n]) = zeros([int(floor(s * n))])
def here(x: f32[10]) -> f32[12] = inferred(1.29, x)
#### cuts_at_static_floats
def split_off(x: f32[n], static share: float) -> (f32[int(share * n)], f32[n - int(share * n)]) =
    (x[:int(share * n)], x[int(share * n):])
def use(x: f32[10]) -> (f32[8], f32[2]) = split_off(x, 0.8)
enum Rate = Share(of: float) | All
def rolled(x: f32[n], static rate: Rate) -> f32[n] =
    match rate with
        Share(of) -> concatenate((x[int(of * n):], x[:int(of * n)]))
        All -> x
def half(x: f32[10]) -> f32[10] = rolled(x, Share(0.5))
