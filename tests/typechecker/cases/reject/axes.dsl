#### reduction_over_any_rank
def total(x: f32[*s], *, static axis: int) = sum(x, axis=axis)
def f(x: f32[n, m]) -> f32[n] = total(x, axis=1)
def g(x: f32[n, m]) = total(x, axis=2) #! E0403
def h(x: f32[n, m]) = total(x, axis=-3) #! E0403
#### reduction_hidden_in_the_body
# the result does not speak of the axis, the condition does
def total(x: f32[*s], *, static axis: int) -> f32 = sum(sum(x, axis=axis))
def f(x: f32[n]) -> f32 = total(x, axis=1) #! E0403
#### reduction_over_several_axes
def total(x: f32[*s], *, static axis: axes) -> f32 = sum(sum(x, axis=axis))
def f(x: f32[n, m]) -> f32 = total(x, axis=(0, 2)) #! E0403
def g(x: f32[n, m]) -> f32 = total(x, axis=(1, 1)) #! E0403
def h(x: f32[n, m]) -> f32 = total(x, axis=(0, -2)) #! E0403
#### condition_passed_on
def running(x: f32[*s], static axis: int) -> f32[*s] = cumsum(x, axis=axis)
def twice(x: f32[*s]) -> f32[*s] = running(running(x, 1), 1)
def f(x: f32[n]) -> f32[n] = twice(x) #! E0403
#### softmax_axis
import nn
def soft(x: f32[*s], static axis: int) -> f32[*s] = nn.softmax(x, axis=axis)
def f(x: f32[n]) -> f32[n] = soft(x, 1) #! E0403
def g(x: f32[n]) -> f32[n] = nn.softmax(x, axis=-2) #! E0403
#### size_of_an_axis
def width(x: f32[*s]) -> f32[_w(s)] = zeros([x.shape[1]])
static def _w(s: shape) -> int = s[1]
def f(x: f32[n]) = width(x) #! E0403
#### extent_of_an_axis
def empty(x: f32[*s], static axis: int) -> f32[extent(s, axis)] = zeros([extent(s, axis)])
def f(x: f32[n, m]) = empty(x, 2) #! E0403
#### stated_condition
def f(x: f32[*s], static axis: int) -> f32 where has_axis(s, axis) = sum(sum(x, axis=axis))
def g(x: f32) -> f32 = f(x, 0) #! E0403
#### joined_along_an_axis
def join(x: f32[*s], y: f32[*s], static axis: int) = concatenate((x, y), axis=axis)
def f(x: f32[n]) = join(x, x, 1) #! E0403
def g(x: f32[n, m]) -> f32[n + n, m] = join(x, x, 1) #! E0402
#### joined_of_unlike_shapes
def join(x: f32[n, m], y: f32[n, k], static axis: int) = concatenate((x, y), axis=axis) #! E0401
#### stacked_along_a_new_axis
def pile(x: f32[*s], y: f32[*s], static axis: int) = stack((x, y), axis=axis)
def f(x: f32[n]) -> f32[2, n] = pile(x, x, 0)
def g(x: f32[n]) -> f32[2, n] = pile(x, x, 1) #! E0402
def h(x: f32[n]) = pile(x, x, 2) #! E0403
#### new_axis
def wide(x: f32[*s], static axis: int) = expand_dims(x, axis=axis)
def f(x: f32[n]) = wide(x, 2) #! E0403
#### rolled_along_an_axis
def turn(x: f32[*s], static axis: int) -> f32[*s] = roll(x, 1, axis=axis)
def f(x: f32[n]) -> f32[n] = turn(x, 1) #! E0403
def g(x: f32[n]) -> f32[n] = roll(x, 1, axis=1) #! E0403
#### swapped_axes
def swap(x: f32[*s], static axis: int) = swapaxes(x, 0, axis)
def f(x: f32[n]) = swap(x, 1) #! E0403
#### last_axis_of_a_scalar
def f(x: f32[*s]) -> f32 = sum(sum(x, axis=x.ndim - 1))
def g(x: f32) -> f32 = f(x) #! E0403
#### transpose_of_any_rank
def f(x: f32[*s]) = x.T #! E0402
def g(x: f32[n]) = x.T #! E0402
#### variant_that_is_not_the_one
enum Mode = Fast | Exact(tolerance: float)
def f(x: f32[n], static m: Mode) -> f32[n] where m == Fast = x
def g(x: f32[n]) -> f32[n] = f(x, Exact(0.1)) #! E0407
def h(x: f32[n], static m: Mode) -> f32[n] = match m with
    Exact(_) -> f(x, m) #! E0407
    _ -> x
#### text_that_is_not_the_one
def f(x: f32[n], static m: str) -> f32[n] where m == "a" or m == "b" = x
def g(x: f32[n]) -> f32[n] = f(x, "c") #! E0407
def h(x: f32[n], static m: str) -> f32[n] = if m == "c" then f(x, m) else x #! E0407
#### shape_functions_take_arguments
def a(x: f32[*s]) -> f32[*reduced(s)] = x #! E0307
def b(x: f32[*s]) -> f32[*reduced()] = x #! E0307
def c(x: f32[*s]) -> f32[*reduced(s, 0, true, 3)] = x #! E0307
def d(x: f32[*s]) -> f32[*replaced(s, 0)] = x #! E0307
def e(x: f32[*s]) -> f32[*permuted(s, (0, 1), 1)] = x #! E0307
def g(x: f32[*s]) -> f32[*transposed(s, 1)] = x #! E0307
def h(x: f32[*s]) -> f32[extent(s)] = x #! E0307
def i(x: f32[*s]) -> f32[*reduced(s, along=0, keepdims=true)] = x #! E0308
#### shape_functions_take_arguments_of_their_kinds
def a(x: f32[*s]) -> f32[*reduced(s, "a", true)] = x #! E0303
def b(x: f32[*s]) -> f32[*reduced(s, 0, 1)] = x #! E0303
def c(x: f32[*s]) -> f32[*replaced(s, 0, 1.5)] = x #! E0303
def d(x: f32[*s]) -> f32[*broadcasted(s, 3)] = x #! E0303
def e(x: f32[*s]) -> f32[*removed(s, 0.5)] = x #! E0303
def g(x: f32[*s]) -> f32[extent(3, 1)] = x #! E0303
#### a_signature_does_not_say_that_shapes_meet
def a(x: f32[*s], y: f32[*t], z: f32[*u]) -> f32[*broadcasted(s, t)] = x + z #! E0401
def p(x: f32[*s], static t: shape) -> f32[*reshaped(s, t)] = reshape(x, [*t, 2]) #! E0406
def q(x: f32[*s], static t: shape) -> f32[*stretched(s, t)] = broadcast_to(x, [*t, 2]) #! E0401
def turned(x: f32[*s], static t: shape) -> f32[*reshaped(s, t)] = reshape(x, t)
def wrong(x: f32[n]) -> f32 = sum(turned(x, [2, n])) #! E0406
def negative(x: f32[6]) -> f32 = sum(reshape(x, [-2, -3])) #! E0409
def b(x: f32[*s], y: f32[*t]) -> f32[*s] = x + y #! E0401
def r(x: f32[*s], y: f32[*t]) -> f32[*contracted(s, t)] = y @ x #! E0401
def apart(x: f32[2, n], m: bool[3, n]) -> f32 = sum(x, where=m) #! E0401
static def scaled(s: shape, t: shape) -> shape = if len(s) == 0 then t else contracted(s, t)
def scale(x: f32[*s], y: f32[*t]) -> f32[*scaled(s, t)] = zeros(scaled(s, t))
def narrow(x: f32[n, n], y: f32[2]) -> f32 = sum(scale(x, y)) #! E0401
def meet(x: f32[*s], y: f32[*t]) -> f32[*broadcasted(s, t)] = x + y
def c(x: f32[n, m], y: f32[n]) -> f32[n, m] = meet(x, y) #! E0401
#### stuck_shapes_under_another_fact
def kept(x: f32[*s], static n: size, static axis: int) -> f32[*replaced(s, axis, extent(s, axis) - n)]
    where has_axis(s, axis) and extent(s, axis) >= n =
    if n == 1 then x else zeros(replaced(s, axis, extent(s, axis) - n)) #! E0412
#### order_of_fewer_axes
# as it is, whatever the rank
def same(x: f32[*s]) -> f32[*s] = transpose(x, (0, 1))
def f(x: f32[n, m, k]) -> f32[n, m, k] = same(x) #! E0403
#### optional_axis
def taken(x: f32[*s], static axis: int) -> f32 = sum(take(x, [0, 0], axis=axis))
def f(x: f32[2, 3]) -> f32 = taken(x, 2) #! E04
