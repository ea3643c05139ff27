#### fold_over_array
def total(x: f32[n]) -> f32 = fold s = 0.0 for v in x do s + v
#### fold_over_rows
def f(x: f32[n, d]) -> f32[d] = fold s = zeros([d]) for row in x do s + row
#### fold_several_carries
def fib(static n: int) -> i32 =
    let (a, _) = fold (a, b) = (0, 1) for _ in range(n) do (b, a + b)
    a
#### fold_annotated
def f(x: f32[n]) -> f64 = fold s: f64 = 0 for v in x do s + f64(v)
#### fold_takes_dtype_from_expected
def f(x: i32[n]) -> f64 =
    let s: f64 = fold s = 0 for v in x do s + f64(v)
    s
#### fold_takes_dtype_from_body
def f(x: f64[n]) -> f64 = 2.0 * (fold s = 0.0 for v in x do s + v)
#### fold_reverse_unroll
def horner(c: f32[n], x: f32) -> f32 = fold s = 0.0 for a in c reverse unroll 4 do s * x + a
#### fold_over_zip
def dot_of(x: f32[n], y: f32[n]) -> f32 = fold s = 0.0 for a, b in zip(x, y) do s + a * b
#### fold_over_range_interval
def f(x: f32[n]) -> f32 where n >= 1 = fold m = x[0] for i in range(1, n) do maximum(m, x[i])
#### fold_record_carry
type S = {mean: f32, count: f32}
def welford(x: f32[n]) -> S =
    fold s = {mean = 0.0, count = 0.0} for v in x do
        let count = s.count + 1.0
        {mean = s.mean + (v - s.mean) / count, count = count}
#### scan_outputs
def running(x: f32[n]) -> (f32, f32[n]) =
    scan s = 0.0 for v in x do
        let s = s + v
        (s, s)
#### scan_outputs_of_tuples
def f(x: f32[n]) -> (f32, (f32[n], i32[n])) =
    scan s = 0.0 for v in x do (s + v, (s, i32(v)))
#### scan_reverse
def returns(r: f32[n], gamma: f32) -> f32[n] =
    let (_, g) = scan acc = 0.0 for v in r reverse do
        let acc = v + gamma * acc
        (acc, acc)
    g
#### scan_outputs_of_arrays
def f(h0: f32[d], w: f32[d, d], xs: f32[n, d]) -> (f32[d], f32[n, d]) =
    scan h = h0 for x in xs do
        let h = tanh(w @ h + x)
        (h, h)
#### iterate_with_limit
def newton(x: f32) -> f32 = iterate y = x while abs(y * y - x) > 1e-6 limit 50 do 0.5 * (y + x / y)
#### iterate_without_limit
def collatz(n: i32) -> i32 ! div =
    let (_, steps) = iterate (m, k) = (n, 0) while m != 1 do
        (if m % 2 == 0 then m // 2 else 3 * m + 1, k + 1)
    steps
#### iterate_static_limit_parameter
def f(x: f32, static most: int) -> f32 = iterate y = x while y > 1.0 limit most do y / 2.0
#### iterate_vector
def power_method(a: f32[n, n], v: f32[n]) -> f32[n] =
    let (v, _) = iterate (v, change) = (v, f32(1)) while change > 1e-5 limit 100 do
        let w = a @ v
        let w = w / sqrt(sum(w * w))
        (w, max(abs(w - v)))
    v
#### nested_loops
def matmul_of(a: f32[n, k], b: f32[k, m]) -> f32[n, m] =
    [fold s = 0.0 for i in range(k) do s + row[i] * col[i] for row in a, col in b.T]
#### comprehension_nested
def f(x: f32[n], y: f32[m]) -> f32[n, m] = [[a * b for b in y] for a in x]
#### comprehension_two_clauses
def f(x: f32[n], y: f32[m]) -> f32[n, m] = [a - b for a in x, b in y]
#### comprehension_later_uses_earlier
def f(x: f32[n, m]) -> f32[n, m] = [v + sum(row) for row in x, v in row]
#### comprehension_over_two_sizes_and_index
def distances(x: f32[n, d], c: f32[k, d]) -> f32[n, k] = [sum((a - b) ** 2) for a in x, b in c]
#### comprehension_of_rows
def f(x: f32[n, d]) -> f32[n, 2, d] = [stack((row, -row)) for row in x]
#### comprehension_over_enumerate
def f(x: f32[n]) -> f32[n] = [f32(i) * v for i, v in enumerate(x)]
#### comprehension_over_record
type P[d] = {w: f32[d], b: f32}
def f(ps: P[d][n], x: f32[d]) -> f32[n] = [dot(p.w, x) + p.b for p in ps]
#### comprehension_of_functions_of_data
def f(x: f32[n, n]) -> f32[n] = [sum(x[i]) - x[i, i] for i in range(n)]
#### loop_over_tuple_changes_type
def f(x: f32[n]) -> f32[n + 2] =
    fold acc = x for part in (zeros([1]), ones([1])) do concatenate((acc, part))
#### comprehension_in_fold
def f(x: f32[n]) -> f32[n] = fold y = x for _ in range(3) do [v * 0.5 for v in y]
#### scan_with_static_length_zero
def f(x: f32) -> f32[0] =
    let (_, h) = scan s = x for _ in range(0) do (s, s)
    h
#### fold_of_many
def f(xs: f32[n, d]) -> (f32[d], f32[d]) =
    fold (lo, hi) = (full([d], inf), full([d], -inf)) for x in xs do (minimum(lo, x), maximum(hi, x))
#### bound_of_a_carry_from_an_annotation
def f(t: idx[k][n, k], s: idx[k]) -> f32 =
    let r: idx[k] = fold s = s for row in t do row[s]
    f32(r)
#### bounds_of_carries_from_results
def f(t: idx[k][n, k], s: idx[k]) -> {at: idx[k], total: f32} =
    fold c = {at = s, total = 0.0} for row in t do {at = row[c.at], total = c.total + f32(c.at)}
def g(t: idx[k][n, k], s: idx[k]) -> (idx[k], idx[k][n]) = scan s = s for row in t do (row[s], s)
def h(next: idx[k][k], s: idx[k]) -> idx[k] = iterate s = s while s > 0 limit 10 do next[s]
#### types_inside_a_carry
def f(x: f32[n]) -> f32 where n >= 1 =
    let ((at: idx[n], s: f32), c) = fold ((at, s), c) = ((0, 0.0), 0) for v in x do ((argmax(x), s + v), c + 1)
    x[at] + s + f32(c)
def g(x: f32[n]) -> f32[n] where n >= 1 =
    let (_, y) = scan (at: idx[n], s) = (0, 0.0) for v in x do ((argmax(x), s + v), x[at] + s)
    y
def h(x: f32[n]) -> f32 where n >= 1 =
    let (at, _) = iterate (at: idx[n], s) = (0, 0.0) while s < 1.0 limit 5 do (argmax(x), s + x[at])
    x[at]
def layers(x: f32[3], y: f32[4]) -> f32 =
    let (s, _) = fold (s: f32, k) = (0.0, x) for v in (x, y) do (s + sum(v), v)
    s
#### result_reaches_a_carry_of_zeros
def f(next: idx[n][n]) -> idx[n][n] where n >= 1 =
    fold parent = zeros([n], i32) for i in range(n) do parent.at[i].set(next[i])
