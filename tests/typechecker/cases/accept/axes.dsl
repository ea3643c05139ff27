#### axis_proved_by_the_rank
def f(x: f32[*s, n]) -> f32 = sum(sum(x, axis=x.ndim - 1)) + sum(sum(x, axis=-1))
def g(x: f32) -> f32 = f([x])
#### axis_tested_first
def f(x: f32[*s], static axis: int) -> f32 = if has_axis(s, axis) then sum(sum(x, axis=axis)) else sum(x)
def g(x: f32) -> f32 = f(x, 3)
#### axis_stated
def f(x: f32[*s], static axis: int) -> f32 where has_axis(s, axis) = sum(sum(x, axis=axis))
def g(x: f32[*s]) -> f32 where has_axis(s, (0, 1)) = f(x, 0) + f(x, 1)
def h(x: f32[n, m]) -> f32 = g(x)
#### all_axes
def f(x: f32[*s], static axis: axes = none) -> f32 = sum(sum(x, axis=axis))
def g(x: f32, y: f32[n, m]) -> f32 = f(x) + f(y) + f(y, (0, 1)) + f(y, -1)
#### joined_along_any_axis
def join(x: f32[*s], y: f32[*s], static axis: int) -> f32[*replaced(s, axis, 2 * extent(s, axis))] =
    concatenate((x, y), axis=axis)
def f(x: f32[n, m]) -> (f32[2 * n, m], f32[n, m + m], f32[2 * n, m]) = (join(x, x, 0), join(x, x, 1), join(x, x, -2))
#### padded_along_any_axis
def pad_one(x: f32[*s], static axis: int) -> f32[*replaced(s, axis, extent(s, axis) + 1)] =
    concatenate((x, zeros(replaced(s, axis, 1))), axis=axis)
def f(x: f32[n, m]) -> f32[n, m + 1] = pad_one(x, 1)
#### stacked_along_any_axis
def pile(x: f32[*s], y: f32[*s], static axis: int) -> f32[*inserted(s, axis, 2)] = stack((x, y), axis=axis)
def f(x: f32[n]) -> (f32[2, n], f32[n, 2], f32[n, 2]) = (pile(x, x, 0), pile(x, x, 1), pile(x, x, -1))
#### periodic_along_any_axis
def laplacian(u: f32[*s], static axis: int) -> f32[*s] = roll(u, 1, axis=axis) + roll(u, -1, axis=axis) - 2.0 * u
def f(u: f32[n, m]) -> f32[n, m] = laplacian(u, 0) + laplacian(u, -1)
#### sorted_and_summed
def f(x: f32[*s], static axis: int) -> f32[*s] = flip(sort(cumsum(x, axis=axis), axis=axis), axis=axis)
def g(x: f32[n, m]) -> f32[n, m] = f(x, 1)
def flat(x: f32[*s], static axis: int) -> f32[prod(s)] = ravel(cumsum(x, axis=axis))
#### swapped_axes_of_any_rank
def f(x: f32[*s], static a: int, static b: int) -> f32[*swapped(s, a, b)] = swapaxes(x, a, b)
def g(x: f32[n, m]) -> f32[m, n] = f(x, 0, -1)
def h(x: f32[*s, n, m]) -> f32[*s, m, n] = swapaxes(x, -2, -1)
#### size_of_an_axis
def f(x: f32[*s], static axis: int) -> f32[extent(s, axis)] = zeros([x.shape[axis]])
def g(x: f32[n, m]) -> f32[m] = f(x, -1)
#### variant_that_is_the_one
enum Mode = Fast | Exact(tolerance: float)
def f(x: f32[n], static m: Mode) -> f32[n] where m == Fast = x
def g(x: f32[n], static m: Mode) -> f32[n] = match m with
    Fast -> f(x, m)
    Exact(_) -> f(x, Fast)
#### shape_functions_by_name
def f(x: f32[*s], static axis: int) -> f32[*reduced(s, keepdims=true, axis=axis)] = sum(x, axis=axis, keepdims=true)
def g(x: f32[*s]) -> f32[*inserted(s, 0, size=1)] = expand_dims(x, axis=0)
#### a_signature_says_that_shapes_meet
def difference(x: f32[*s], y: f32[*t]) -> f32[*broadcasted(s, t)] = abs(y - x) + x * y
def pairs(x: f32[*s]) -> f32[*reshaped(s, [-1, 2])] = reshape(x, [-1, 2])
def four(x: f32[2, 4]) -> f32[4, 2] = pairs(x)
def turned(x: f32[*s], static t: shape) -> f32[*reshaped(s, t)] = reshape(x, t)
def six(x: f32[2, 3]) -> f32[6] = turned(x, [6])
def spread(x: f32[*s], static t: shape) -> f32[*stretched(s, t)] = broadcast_to(x, t)
def rows(x: f32[n]) -> f32[3, n] = spread(x, [3, n])
def doubled(x: f32[*s], y: f32[*t]) -> f32[*contracted(s, t)] = 2.0 * (x @ y)
def mapped(x: f32[b, n, k], y: f32[k, m], z: f32[m]) -> f32[b, n] = doubled(doubled(x, y), z)
def chosen(x: f32[n, n], static q: bool) -> f32[n, n] = (if q then matmul else dot)(x, x)
static def scaled(s: shape, t: shape) -> shape = if len(s) == 0 then t else contracted(s, t)
def scale(x: f32[*s], y: f32[*t]) -> f32[*scaled(s, t)] = zeros(scaled(s, t))
def either(x: f32[n, n], y: f32[n]) -> f32[n] = scale(2.0, y) + scale(x, y)
def three(x: f32[*s], y: f32[*t], z: f32[*u]) -> f32[*broadcasted(broadcasted(s, t), u)] = (x + y) * z + where(x > y, x, y)
def swapped_order(x: f32[*s], y: f32[*t]) -> bool[*broadcasted(s, t)] = (y < x) | (x < y)
def use(x: f32[n, m], y: f32[m], c: f32) -> f32[n, m] = difference(x, y) + difference(c, x)
#### stuck_shapes_under_a_fact
def kept(x: f32[*s], static n: size, static axis: int) -> f32[*replaced(s, axis, extent(s, axis) - n)]
    where has_axis(s, axis) and extent(s, axis) >= n =
    if n == 0 then x else zeros(replaced(s, axis, extent(s, axis) - n))
def whole(x: f32[*s], static k: int, static axis: int) -> f32[*s] where has_axis(s, axis) and k == extent(s, axis) =
    zeros(replaced(s, axis, k))
def second(x: f32[n, m]) -> f32[n, m - 2] where m >= 2 = diff(x, 2)
