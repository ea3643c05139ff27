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
