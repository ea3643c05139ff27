#### bound_of_a_let_reaches_a_loop_that_starts_with_a_number
def f(next: idx[n][n]) -> idx[n] where n >= 1 =
    let at: idx[n] = fold at = 0 for _ in range(3) do next[at]
    at
#### bound_of_a_record_reaches_a_loop
type S[n] = {at: idx[n], v: f32}
def f(x: f32, next: idx[n][n]) -> S[n] where n >= 1 =
    fold t = {at = 0, v = x} for _ in range(3) do {at = next[t.at], v = t.v + 1.0}
#### bound_of_a_pair_reaches_a_loop
def f(x: f32, next: idx[n][n]) -> f32 where n >= 1 =
    let t: (idx[n], f32) = fold (at, v) = (0, x) for _ in range(3) do (next[at], v + 1.0)
    t.1
#### bound_reaches_a_loop_with_a_limit
def f(next: idx[n][n]) -> idx[n] where n >= 1 = iterate at = 0 while next[at] > at limit 5 do next[at]
#### axis_that_a_condition_tells
def f(x: f32[n, m], static k: int) -> f32[n] where k == 1 = sum(x, axis=k)
#### axis_that_a_branch_tells
def f(x: f32[n, m], static k: int) -> f32[n] =
    if k == 1 then sum(x, axis=k) else if k == 0 - 1 then max(x, axis=k) else zeros([n])
#### axis_that_an_arm_tells
def f(x: f32[n, m], static k: int) -> f32[n] where m >= 1 =
    match k with
        1 -> sum(x, axis=k)
        -1 -> max(x, axis=k)
        _ -> zeros([n])
#### axis_that_a_sum_tells
def f(x: f32[n, m, 3], static k: int) -> f32[n, 3] where k + 1 == 2 = mean(x, axis=k)
#### powers_of_static_integers_in_conditions
def f(x: f32[n], static k: int) -> f32[2 * (n // 2)] where k >= 1 and n % 2 ** k == 0 = x
def g(x: f32[8]) -> f32[8] = f(x, 2)
def h(x: f32[n]) -> f32[n] where n & (n - 1) == 0 = x
def i(x: f32[8]) -> f32[8] = h(x)
def j(static k: int) -> f32[2 ** k] where k >= 0 = zeros([1 << k])[: 2 ** k]
#### bounds_of_what_is_filled_and_updated
def blank(x: f32[n]) -> f32[3] where n >= 2 = x[zeros([3], i32)] + x[ones([3], i32)] + x[full([3], 1, i32)]
def alike(x: f32[n], i: idx[n][k]) -> f32[k] where n >= 1 = x[zeros_like(i)]
def wider(x: f32[n], i: idx[n][k]) -> f32[k + 2] where n >= 3 = x[pad(i, 1)] + x[pad(i, 1, constant_values=2)]
def updated(x: f32[n], i: idx[n][k], j: idx[n]) -> f32[k] where k >= 1 and n >= 1 =
    x[i.at[0].set(j)] + x[i.at[0].set(0)] + x[i.at[i > 3].set(j)]
#### divisors_of_signatures
effect parts: (x: f32[n], y: f32[k]) -> f32[n] where n % k == 0
def repeated(x: f32[n], static k: int) -> f32[n] where n % k == 0 and k <= n = [x[i % k] for i in range(n)]
def rows(x: f32[n], static k: int) -> f32[n // k, k] where n % k == 0 = reshape(x, [n // k, k])
def at(x: f32[n], i: idx[n // k], y: f32[k]) -> f32 = x[i]
def g(x: f32[4], i: idx[2], y: f32[2]) -> f32 ! parts = sum(repeated(x, 2)) + sum(rows(x, 2)) + at(x, i, y) + parts(x, y)[0]
def h(x: f32[3 * k], static k: int) -> f32[3 * k] where k >= 1 = repeated(x, k)
#### steps_that_are_no_numbers
def every(x: f32[n], static k: int) = x[::k]
def backwards(x: f32[n], static k: int) -> f32[n] = if k == -1 then x[::k] else x
def g(x: f32[4]) -> f32[2] = every(backwards(x, -1), 2)
#### loop_that_counts_down_keeps_its_bound
def f(x: f32[n], i: idx[n]) -> f32 = x[iterate j: idx[n] = i while j > 0 limit 9 do j - 1]
def g(i: idx[n]) -> idx[n] = iterate j: idx[n] = i while j >= 2 limit 9 do j - 2
#### trees_keep_the_bounds_of_their_leaves
def f(x: f32[n], r: {at: idx[n], v: f32}) -> f32 = x[stop_gradient(r).at] + x[optimization_barrier((r, 1.0)).0.at]
def g(x: f32[n], y: f32[m], i: idx[n][k], j: idx[m][l]) -> f32[l, k] =
    let (a, b) = meshgrid(i, j)
    x[a] + y[b]
#### nearest_of_indices_is_one_of_them
def f(x: f32[m], at: idx[m][n], i: i32) -> f32 = x[at.at[i].get(mode="clip")]
def g(x: f32[m], at: idx[m][n, p], i: i32[k]) -> f32[k, p] = x[at.at[i].get(mode="wrap")]
def h(x: f32[m], at: idx[m][n], i: i32) -> f32[2] = x[at.at[i : i + 2].get(mode="wrap")]
#### windows_by_a_policy
def f(x: f32[n], static k: int) -> f32[3] where n >= 3 = x.at[k : k + 3].get(mode="clip")
def g(x: f32[n, m], i: i32) -> f32[n, m] where n >= 2 and m >= 3 = x.at[-i : n - i + 2, 1:3].add(1.0, mode="drop")
