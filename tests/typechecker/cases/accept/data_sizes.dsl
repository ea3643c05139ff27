#### sum_of_selected
def a1(x: f32[n], m: bool[n]) -> f32 = sum(x[m])
#### variance_by_hand
def a3(x: f32[n], m: bool[n]) -> f32 =
    let y = x[m]
    sum((y - mean(y)) ** 2) / y.shape[0]
#### rows_along_columns
def a5(x: f32[n, d], m: bool[n]) -> f32[d] = sum(x[m], axis=0)
#### gram_matrix
def a7(x: f32[n, d], m: bool[n]) -> f32[d, d] = x[m].T @ x[m]
#### map_over_selected
def b1(x: f32[n], m: bool[n]) = [v * v + 1.0 for v in x[m]]
#### slope_through_a_map
def b2(x: f32[n], m: bool[n], a: f32) -> f32 = grad(fn a -> sum([a * log(v) for v in x[m]]))(a)
#### fold_over_selected
def b3(x: f32[n], m: bool[n]) -> f32 = fold t = 0.0 for v in x[m] do 0.5 * t + v
#### scan_over_selected
def b4(x: f32[n], m: bool[n]) = (scan t = 0.0 for v in x[m] do (0.5 * t + v, t * v)).1
#### two_masks
def b7(x: f32[n], m: bool[n], p: bool[n]) =
    let (y, z) = (x[m], x[p])
    sum(y[:, None] * z[None, :], axis=1)
#### sorted
def b8(x: f32[n], m: bool[n]) = sort(x[m])
#### value_and_slope
def c2(x: f32[n], m: bool[n]) -> (f32[n], f32) = value_and_grad(fn x -> sum(sqrt(abs(x[m]))))(x) |> fn ((v, g)) -> (g, v)
#### selected_twice
def pos(x: f32[n]) -> f32[?k] where ?k <= n = x[x > 0.0]
def c5(x: f32[n], m: bool[n]) = pos(x[m])
#### descent_on_selected
def c8(x: f32[n], m: bool[n], w: f32) -> f32 =
    let y = x[m]
    fold w = w for i in range(3) do w - 0.1 * grad(fn w -> mean((y - w) ** 2))(w)
#### numbers_of_selected
def d2(x: f32[n], m: bool[n]) =
    let y = x[m]
    iota([y.shape[0]]) + i32(y)
#### histogram_of_selected
def d3(x: f32[n], m: bool[n], ids: idx[4][n]) -> f32[4] = zeros([4]).at[ids[m]].add(x[m])
#### lookup_by_selected
def d4(x: f32[n], m: bool[n], t: f32[4], ids: idx[4][n]) = t[ids[m]] * x[m]
#### branches_of_one_size
def d6(x: f32[n], m: bool[n], c: bool) =
    let y = x[m]
    if c then y + 1.0 else y * y
#### map_with_selected
def d8(x: f32[n], m: bool[n], ws: f32[3]) -> f32[3] =
    let y = x[m]
    vmap(fn w -> sum(y * w))(ws)
#### second_slope
def e2(x: f32[n], m: bool[n], w: f32) -> f32 = grad(grad(fn w -> sum(log(x[m] * w))))(w)
#### range_of_selected
def e9(x: f32[n], m: bool[n]) =
    let y = x[m]
    [y[i] * 2.0 for i in range(y.shape[0])]
#### two_calls
def pos(x: f32[n]) -> f32[?k] where ?k <= n = x[x > 0.0]
def f1(x: f32[n], m: bool[n]) -> f32 = sum(pos(x)) + sum(pos(-x))
#### record_with_selected
def f2(x: f32[n], m: bool[n]) = {a = x[m], b = sum(x)}
#### jacobian
def f5(x: f32[n], m: bool[n]) -> f32[2] = jacfwd(fn w -> sum((x[m] * w[0] + w[1]) ** 3))([1.0, 2.0])
#### stated_result_of_two_arrays
def observed(x: f32[n, d], y: f32[n], seen: bool[n]) -> (f32[?k, d], f32[?k]) where ?k <= n = (x[seen], y[seen])
#### size_of_a_call_in_arithmetic
def pos(x: f32[n]) -> f32[?k] where ?k <= n = x[x > 0.0]
def average(x: f32[n]) -> f32 =
    let y = pos(x)
    sum(y) / y.shape[0]
#### slope_of_a_loop_with_a_limit
def f2(x: f32[n], m: bool[n]) -> f32[n] =
    grad(fn x -> (x[m] |> fn y -> (iterate (i, t) = (0, 1.0) while i < 3 limit 4 do (i + 1, t + sum(sin(y * t)))).1))(x)
#### backwards
def f(x: f32[n], m: bool[n]) =
    let y = x[m]
    y[::-1]
#### joined
def f(x: f32[n], m: bool[n], p: bool[n]) -> f32[?k] where ?k <= 2 * n + 1 = concatenate((x[m], [1.0], x[p]))
#### selected_in_a_comprehension
def f(x: f32[n], ms: bool[3, n]) -> f32[3] = [sum(x[m]) for m in ms]
#### selected_in_a_branch
def f(x: f32[n], m: bool[n], c: bool) -> f32 = if c then sum(x[m]) else 0.0
#### selected_in_a_loop
def f(x: f32[n], m: bool[n]) -> f32 = fold t = 0.0 for i in range(3) do t + sum(x[x > t])
#### mapped
def g(x: f32[n]) -> f32 = sum(x[x > 0.0])
def f(x: f32[3, n]) -> f32[3] = vmap(g)(x)
#### slope_of_selections_in_a_loop
def f(x: f32[n], ms: bool[k, n]) -> f32[n] = grad(fn x -> fold t = 0.0 for m in ms do t + sum(log(x[m] ** 2)))(x)
#### selected_by_a_callee_in_a_loop
def g(x: f32[n]) -> f32 = sum(x[x > 0.0])
def f(x: f32[3, n]) -> f32[3] = [g(r) for r in x]
#### computed_size
def f(x: f32[n], m: bool[n]) =
    let y = x[m]
    zeros([2 * y.shape[0] + 1])
#### callee_that_turns_it
def last_first(y: f32[n]) -> f32[n] = y[::-1]
def f(x: f32[n], m: bool[n]) = last_first(x[m])
#### size_of_what_is_not_kept
def f(x: f32[n], m: bool[n]) -> i32 = x[m].shape[0]
#### number_as_a_result
def f(x: f32[n], m: bool[n]) =
    let y = x[m]
    (y, y.shape[0])
def g(x: f32[n], m: bool[n]) -> i32 = f(x, m).1 + 1
#### index_that_is_checked
def f(x: f32[n], m: bool[n], i: i32) -> f32 ! check =
    let y = x[m]
    y[i]
#### set_at_a_mask
def f(x: f32[n], m: bool[n]) =
    let y = x[m]
    y.at[y > 1.0].set(0.0)
#### jacobian_of_selected
def f(x: f32[n], m: bool[n]) = jacfwd(fn y -> y * y)(x[m])
#### greatest_if_there_is_one
def f(x: f32[n], m: bool[n]) -> f32 =
    let y = x[m]
    if y.shape[0] > 0 then max(y) - y[0] + y[-1] else 0.0
#### neighbours_if_there_are_two
def f(x: f32[n], m: bool[n]) -> f32 =
    let y = x[m]
    if y.shape[0] >= 2 then sum((y[1:] - y[:-1]) ** 2) else 0.0
#### greatest_after_an_assertion
def f(x: f32[n], m: bool[n]) -> f32 ! check =
    let y = x[m]
    assert y.shape[0] > 0, "nothing is selected"
    max(y)
#### pairs
def f(x: f32[n], m: bool[n]) =
    let y = x[m]
    reshape(y[:, None] - y[None, :], [y.shape[0] * y.shape[0]])
#### passed_to_any_function
def h(g: f32[n] -> f32, x: f32[n]) -> f32 = fold t = 0.0 for _ in range(2) do t + g(x * t + 1.0)
def k(x: f32[n], m: bool[n]) -> f32 = h(fn v -> sum(v), x[m]) + h(fn v -> sum(v[v > 0.5]), x[m])
#### condition_in_a_callee
def large(y: f32[n]) -> f32 = if n >= 3 and not (n == 4) then sum(y) else 0.0
def f(x: f32[n], m: bool[n]) = large(x[m])
