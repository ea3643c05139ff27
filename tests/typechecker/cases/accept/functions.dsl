#### keyword_only
def scaled(x: f32[n], *, gain: f32, static power: int = 1) -> f32[n] = gain * x ** power
def f(x: f32[n]) -> f32[n] = scaled(x, gain=2.0) + scaled(x, power=2, gain=0.5)
#### arguments_by_name
def sub(a: f32, b: f32) -> f32 = a - b
def f(x: f32, y: f32) -> f32 = sub(b=x, a=y) + sub(x, b=y)
#### traced_default
def scaled(x: f32, gain: f32 = 2.0) -> f32 = x * gain
def f(x: f32) -> f32 = scaled(x) + scaled(x, 3.0) + scaled(x, gain=x)
#### omitted_result_type
def half(x: f32[n]) = x[: n // 2]
def f(x: f32[2 * m]) -> f32[m] = half(x)
#### omitted_result_with_effects
def f(x: f32) ! io =
    print("{}", x)
    x * 2.0
def g(x: f32) -> f32 ! io = f(x) + 1.0
#### omitted_everything_infers_effects
def f(x: f32) =
    print("{}", x)
    x
def g(x: f32) -> f32 ! io = f(x)
#### function_type_in_parameter
def integrate(f: (f32) -> f32, a: f32, b: f32, static n: int) -> f32 =
    let h = (b - a) / n
    h * sum([f(a + h * (f32(i) + 0.5)) for i in range(n)])
def area(r: f32) -> f32 = integrate(fn x -> sqrt(r * r - x * x), 0.0, 1.0, 100)
#### function_over_arrays_passed
def apply(g: (f32[n]) -> f32[n], x: f32[n]) -> f32[n] = g(x)
def f(x: f32[k], w: f32[k, k]) -> f32[k] = apply(fn v -> w @ v, x)
#### library_function_passed
def apply(g: (f32[n]) -> f32[n], x: f32[n]) -> f32[n] = g(x)
def f(x: f32[n]) -> f32[n] = apply(tanh, x) + apply(sort, x)
#### lambda_used_at_two_sizes
def f(x: f32[n], y: f32[m]) -> f32 =
    let norm = fn v -> sqrt(sum(v * v))
    norm(x) + norm(y)
#### lambda_annotated_generic_sizes
def f(x: f32[n], y: f32[m]) -> (f32[n], f32[m]) =
    let centre = fn (v: f32[k]) -> v - mean(v)
    (centre(x), centre(y))
#### closure
def f(w: f32[d, d], xs: f32[n, d]) -> f32[n, d] =
    let layer = fn (x: f32[d]) -> tanh(w @ x)
    [layer(layer(x)) for x in xs]
#### curried
def add(a: f32) -> (f32) -> (f32) -> f32 = fn b -> fn c -> a + b + c
def f(x: f32) -> f32 = add(x)(1.0)(2.0)
#### composition
def compose(f: (f32) -> f32, g: (f32) -> f32) -> (f32) -> f32 = fn x -> f(g(x))
def main(x: f32) -> f32 = compose(sin, compose(cos, fn v -> v + 1.0))(x)
#### effect_polymorphic
def twice(f: (f32) -> f32 ! e, x: f32) -> f32 ! e = f(f(x))
def loud(x: f32) -> f32 ! io =
    print("{}", x)
    x + 1.0
def f(x: f32) -> f32 = twice(fn v -> v * 2.0, x)
def g(x: f32) -> f32 ! io = twice(loud, x)
#### effect_polymorphic_with_more
def logged(f: (f32) -> f32 ! e, x: f32) -> f32 ! {io, e} =
    print("at {}", x)
    f(x)
def safe(x: f32) -> f32 ! check =
    assert x > 0.0
    log(x)
def main(x: f32) -> f32 ! {check, io} = logged(safe, x)
#### pure_function_where_effects_are_allowed
def run(f: (f32) -> f32 ! io, x: f32) -> f32 ! io = f(x)
def main(x: f32) -> f32 ! io = run(fn v -> v + 1.0, x)
#### newton_step_of_a_function
def root(f: (f32) -> f32, x: f32) -> f32 = x - f(x) / grad(f)(x)
def main(x: f32) -> f32 = root(fn v -> v ** 2 - 2.0, x)
#### arrow_is_right_associative
def f(g: (f32) -> (f32) -> f32, x: f32) -> f32 = g(x)(x)
def main(x: f32) -> f32 = f(fn a -> fn b -> a * b, x)
#### generic_type_variable
def apply_pair[A: Tree, B: Tree](f: (A) -> B, p: (A, A)) -> (B, B) = (f(p.0), f(p.1))
def main(x: f32[n]) -> (f32, f32) = apply_pair(fn v -> sum(v), (x, 2.0 * x))
#### recursive_on_tuple_length
def poly(x: f32, static degree: int) -> f32 =
    if degree == 0 then 1.0 else 1.0 + x * poly(x, degree - 1)
def main(x: f32) -> f32 = poly(x, 5)
#### unused_parameter_lambda
def f(x: f32) -> f32[4] = [x for _ in range(4)]
#### immediate_application
def f(x: f32) -> f32 = (fn (a, b) -> a * b)(x, 2.0)
#### method_on_result
def f(x: f32[n, n]) -> f32 = (x @ x.T).diag().sum()
#### own_function_shadows_prelude
def sum(x: f32[n]) -> f32 = fold s = 0.0 for v in x do s + v
def f(x: f32[n]) -> f32 = sum(x)
#### sizes_in_lambda_body
def f(x: f32[n]) -> f32[n] =
    let g = fn (v: f32[k]) -> v / f32(k)
    g(x)
#### constrained_function_value
# the function's constraint on n is decided where its sizes become known
def head(x: f32[n]) -> f32[2] = x[:2]
def apply(g: (f32[4]) -> f32[2], x: f32[4]) -> f32[2] = g(x)
def f(x: f32[4]) -> f32[2] = apply(head, x)
#### max_of_two_and_of_one
def f(x: f32[n], y: f32[n]) -> f32 = max(max(x, y)) + min(min(x, 0.0))
#### static_max
def f(x: f32[n], y: f32[m]) -> f32[max(n, m)] = zeros([max(n, m)]) + sum(x) + sum(y)
#### default_of_a_function_parameter
# the callee has a function of its own, which may use what comes before it
def apply(x: f32, k: f32, g: (f32) -> f32 = fn v -> v * k) -> f32 = g(x)
def f(x: f32) -> f32 = apply(x, 2.0) + apply(x, 2.0, fn v -> v + 1.0)
#### default_function_that_performs_nothing
def apply(x: f32, g: (f32) -> f32 ! e = fn v -> v * 2.0) -> f32 ! e = g(x)
def f(x: f32[n]) -> f32[n] = [apply(v) for v in x]
#### lambda_applied_nowhere
# nothing is known of the argument: nothing is said that depends on it
import random
def f(y: f32[n]) -> f32[n] =
    let a = fn (x, m) ->
        let (p, q) = x
        let s = [i * v + w for i, (v, w) in enumerate(zip(x, m))]
        let t = fold acc = x for i in range(m) do acc + i * y[i]
        let (u, o) = scan (c, d) = x for z in m do ((c, d), z)
        let z = {w = p, v = q}
        x.foo + x.0 + x[1:2, None] + (if x > 0 then 1 else 2) + sum(x, axis=0) + grad(m)(x) + z.w + m(x)
    let b = fn x -> x.at[0].set(y[3]) + reshape(x, [n, 2]) @ x + zeros(x.shape) + einsum("ij,jk->ik", x, y)
    let c = fn x -> random.normal(x, [n]) + tree_map(fn (a, b) -> a + b, x, y) + f32(x) ** 2 + max(x, y) + concatenate((x, y))
    let d = fn x -> (iterate z = x while z > 3.0 limit 3 do z + 1.0) + (with state s = x do s) + {x with a = 3}.a
    y
#### conditions_of_lambda_applied_nowhere
def f(y: f32[n]) -> f32[n] =
    let g = fn x -> y[5] + x
    y
def g(y: f32[2]) -> f32[2] = f(y)
#### effects_of_lambda_applied_nowhere
def f(y: f32[n]) -> f32[n] =
    let g = fn x -> y[x] + f32(fresh_key().size) * x
    y
#### static_functions_with_sizes_in_any_order
def a(x: f32[n], static act: (f32[n]) -> f32[n]) -> f32[n] = act(x)
def b(static act: (f32[n]) -> f32[n], x: f32[n]) -> f32[n] = act(x)
def c(static act: (f32[*s]) -> f32[*s], x: f32[*s]) -> f32[*s] = act(x)
def d(static act: (f32[p]) -> f32[k], x: f32[p], static k: int) -> f32[k] = act(x)
def e(static act: (f32[p]) -> f32[k], x: f32[p]) -> f32[k] = act(x)
def f[t: Float](static act: (t[n]) -> t, x: t[n]) -> t = act(x)
def g(static act: (f32[*s]) -> f32[*s], static s: shape) -> f32[*s] = act(zeros(s))
def h(x: f32[n], static act: (f32[n]) -> f32[n] = sin) -> f32[n] = act(x)
type Net[i, o] = (f32[i]) -> f32[o]
def i(static net: Net[i, o], x: f32[i]) -> f32[o] = net(x)
def uses(x: f32[3]) -> f32[3] = a(x, sin) + b(fn v -> v + 1.0, x) + c(cos, x) + h(x) + h(x, cos) + e(sin, x)
def shorter(x: f32[3]) -> f32[2] = d(fn v -> v[:2], x, 2) + e(fn v -> v[1:], x) + i(fn v -> v[:2], x)
def made() -> f32[2, 2] = g(fn v -> v + 1.0, [2, 2])
#### result_of_functions_in_a_tuple
def applied[T: Tree, U: Tree](fs: ((T) -> U, (T) -> U), x: T) -> U = fs.0(x)
def g(x: f32) -> f32 = applied((sin, fn v -> 2.0 * v), x)
def h(x: f32) -> bool = applied((fn v -> v < 1.0, fn v -> v > 0.0), x)
#### operators_by_name_in_transformations
def f(x: f32[m, n], y: f32[n]) -> f32[m, n] = vmap(add, in_axes=(1, 0), out_axes=1)(x, y)
def g(x: f32[n], y: f32[n]) -> f32[n] = vmap(subtract)(y=x, x=y)
def h(x: f32[n], y: f32) -> f32[n] = grad(fn x -> sum(vmap(multiply, in_axes=(0, none))(x, y)))(x)
def i(x: f32, y: f32) -> f32 = grad(power)(x, y)
#### type_that_functions_tell
def made[A: Tree](f: (f32) -> A) -> A = f(1.0)
def chained[A: Tree, B: Tree](f: (A) -> B, g: (B) -> f32, x: A) -> f32 = g(f(x))
def half(x: f32) -> f32 = 0.5 * x
def g(x: f32) -> f32 = made(half) + chained(half, half, x)
#### records_of_functions_that_capture_functions
type Map[F: Float, *s] = {at: F[*s], apply: (F[*s]) -> F[*s]}
def shifted[F: Float](at: F[*s], g: (F[*s]) -> F[*s]) -> Map[F, *s] = {at = at, apply = fn x -> g(x - at) + zeros(s, F)}
def again[F: Float](at: F[*s], g: (F[*s]) -> F[*s]) -> Map[F, *s] = shifted(at, fn x -> shifted(x, g).apply(x))
def doubled[F: Float](at: F[*s], by: F[*t]) -> Map[F, *broadcasted(s, t)] = again(at + by, fn z -> 2.0 * z)
def ordered[F: Float, T: Tree](at: F[*s], kept: T) -> {order: int, map: Map[F, *s], kept: T, same: (T) -> T} =
    {order = len(s), map = {doubled(at, at) with at = 0.0 * at}, kept = kept, same = fn x -> tree_map(fn (x, y) -> y, x, kept)}
def f(x: f32[n, m], y: f64[m]) -> (f32[n, m], f64[m]) where n >= 1 = (doubled(x, x[0]).apply(x), ordered(y, x).map.apply(y))
def g(x: f32[n, m], y: f64[m]) -> f32[n, m, 2] = zeros([n, m, ordered(x, y).order])
