#### too_few_arguments
def g(a: f32, b: f32) -> f32 = a - b
def f(x: f32) -> f32 = g(x) #! E03
#### too_many_arguments
def g(a: f32) -> f32 = a
def f(x: f32) -> f32 = g(x, x) #! E03
#### unknown_keyword
def g(a: f32, *, gain: f32) -> f32 = a * gain
def f(x: f32) -> f32 = g(x, gian=x) #! E03|E02
#### argument_twice
def g(a: f32, b: f32) -> f32 = a - b
def f(x: f32) -> f32 = g(x, a=x) #! E03
#### keyword_only_given_positionally
def g(a: f32, *, gain: f32) -> f32 = a * gain
def f(x: f32) -> f32 = g(x, x) #! E03
#### keyword_only_missing
def g(a: f32, *, gain: f32) -> f32 = a * gain
def f(x: f32) -> f32 = g(x) #! E03
#### call_of_a_number
def f(x: f32) -> f32 = x(2.0) #! E03
#### call_of_an_array
def f(x: f32[n], i: idx[n]) -> f32 = x(i) #! E03
#### implicit_multiplication
def f(a: f32, b: f32) -> f32 = 2.0(a + b) #! E03|E01
#### function_as_number
def f(x: f32) -> f32 = sin + x #! E03
#### function_not_called
def g() -> f32 = 1.0
def f(x: f32) -> f32 = x * g #! E03
#### passed_function_arity
def apply(f: (f32) -> f32, x: f32) -> f32 = f(x)
def g(x: f32) -> f32 = apply(fn (a, b) -> a + b, x) #! E03
#### passed_function_result
def apply(f: (f32) -> f32, x: f32) -> f32 = f(x)
def g(x: f32) -> f32 = apply(fn v -> i32(v), x) #! E03
#### passed_function_argument
def apply(f: (f32) -> f32, x: f32) -> f32 = f(x)
def half(i: i32) -> f32 = f32(i) / 2.0
def g(x: f32) -> f32 = apply(half, x) #! E03
#### passed_function_shape
def apply(f: (f32[n]) -> f32[n], x: f32[n]) -> f32[n] = f(x)
def g(x: f32[k], w: f32[m, k]) -> f32[k] = apply(fn v -> w @ v, x) #! E04
#### passed_number_for_function
def apply(f: (f32) -> f32, x: f32) -> f32 = f(x)
def g(x: f32) -> f32 = apply(x, x) #! E03
#### called_instead_of_passed
def apply(f: (f32) -> f32, x: f32) -> f32 = f(x)
def g(x: f32) -> f32 = apply(sin(x), x) #! E03
#### parameter_function_is_monomorphic
def both(f: (f32[n]) -> f32, x: f32[n], y: f32[m]) -> f32 = f(x) + f(y) #! E04
#### pair_is_not_two_parameters
def apply(f: ((f32, f32)) -> f32, x: f32) -> f32 = f((x, x))
def g(x: f32) -> f32 = apply(fn (a, b) -> a + b, x) #! E03
#### two_arguments_for_a_pair
def apply(f: ((f32, f32)) -> f32, x: f32) -> f32 = f(x, x) #! E03
#### default_of_wrong_type
def f(x: f32, static k: int = 1.5) -> f32 = x ** k #! E03
#### default_of_wrong_dtype
def f(i: i32, j: i32 = 0.5) -> i32 = i + j #! E03
#### default_with_effect
def noisy(x: f32) -> f32 ! io =
    print("{}", x)
    x
def f(x: f32, y: f32 = noisy(1.0)) -> f32 = x + y #! E07
#### default_uses_later_parameter
def f(x: f32, static k: int = j, static j: int = 2) -> f32 = x * k * j #! E02
#### lambda_body_error_reported_once
def f(x: f32[n], y: f32[m]) -> f32 =
    let g = fn (v: f32[n]) -> v + y #! E04
    sum(g(x)) + sum(g(2.0 * x))
#### local_function_wrong_argument
def f(x: f32[n], i: i32) -> f32 =
    let norm = fn (v: f32[k]) -> sqrt(sum(v * v))
    norm(x) + norm(i) #! E03|E04
#### method_arity
def scaled(x: f32[n], by: f32) -> f32[n] = x * by
def f(x: f32[n]) -> f32[n] = x.scaled() #! E03
#### method_first_argument
def scaled(x: f32[n], by: f32) -> f32[n] = x * by
def f(x: i32[n]) -> f32[n] = x.scaled(2.0) #! E03
#### pipe_into_value
def f(x: f32, y: f32) -> f32 = x |> y #! E03
#### pipe_into_wrong_type
def total(x: f32[n]) -> f32 = sum(x)
def f(x: f32[n, d]) -> f32 = x |> total #! E04
#### pipe_into_a_call
# `e |> f` is `f(e)`: here f is the number that mean(...) gave
def f(x: f32[n], y: f32[n]) -> f32 = x |> mean(y) #! E03
#### returned_function_called_wrong
def scaler(static k: float) -> (f32) -> f32 = fn x -> x * k
def f(x: f32) -> f32 = scaler(2.0)(x, x) #! E03
#### result_is_function
def scaler(static k: float) -> (f32) -> f32 = fn x -> x * k
def f(x: f32) -> f32 = scaler(2.0) #! E03
#### constraint_of_a_passed_function
def head(x: f32[n]) -> f32[5] = x[:5]
def apply(g: (f32[3]) -> f32[5], x: f32[3]) -> f32[5] = g(x)
def f(x: f32[3]) -> f32[5] = apply(head, x) #! E04
#### where_of_a_passed_function
def halves(x: f32[n]) -> f32[2, n // 2] where n % 2 == 0 = reshape(x, [2, n // 2])
def apply(g: (f32[7]) -> f32[2, 3], x: f32[7]) -> f32[2, 3] = g(x)
def f(x: f32[7]) -> f32[2, 3] = apply(halves, x) #! E04
#### uncalled_function_is_checked
def never(x: f32[n], y: f32[m]) -> f32 = x @ y #! E04
def f(x: f32) -> f32 = x
#### compose_mismatch
def compose(f: (f32[n]) -> f32, g: (f32[m]) -> f32[n], x: f32[m]) -> f32 = f(g(x))
def main(x: f32[k]) -> f32 = compose(fn (v: f32) -> v, fn v -> v * 2.0, x) #! E04|E03
#### tree_map_arity
def f(p: {w: f32}) -> {w: f32} = tree_map(fn (a, b) -> a + b, p) #! E03
#### default_function_of_another_type
def apply(x: f32, g: (f32) -> f32 = fn v -> i32(v)) -> f32 = g(x) #! E03
def f(x: f32) -> f32 = apply(x)
#### lambda_applied_nowhere
# what is wrong whatever the argument is, is said without one
let twice = fn f -> unknown_at_top(f) #! E0201
def a(y: f32[n]) -> f32[n] =
    let g = fn x -> undefined_name #! E0201
    y
def b(y: f32[n]) -> f32[n] =
    let g = fn x -> sin(x, x) #! E0307
    y
def c(y: f32[n]) -> f32[n] =
    let g = fn x -> fn z -> nowhere + x #! E0201
    y
def d(y: f32[n]) -> f32[n] =
    let g = fn (x, x) -> x #! E0206
    y
def e(y: f32[3]) -> f32[3] =
    let g = fn x -> y[5] + x #! E0421
    y
def h(y: f32[n]) -> f32[n] =
    let g = fn () -> y + true #! E0304
    y
def i(y: f32[n]) -> f32[n] =
    let r = {f = fn x -> lost + x, v = y} #! E0201
    r.v
#### lambda_applied_says_it_once
def a(y: f32[n]) -> f32[n] =
    let g = fn x -> zork(x) #! E0201
    g(y)
def b(y: f32[n]) -> f32[n] =
    let g = fn x -> zork(x) #! E0201
    vmap(g)(y) + vmap(g)(y)
def c(y: f32[n]) -> f32[n] =
    let g = fn x -> x + zork #! E0201
    let h = fn x -> g(x)
    h(y)
#### static_range_of_a_negative_number
static def d(k: int) -> ints = [i for i in range(k)]
static def e(n: int, k: int) -> ints = if n == 0 then [i for i in range(1, k)] else e(n - 1, k)
def f(static k: int) -> f32 = 1.0 * len(d(k))
def right() -> f32 = f(3) + f(0) + len(e(2, 1))
def wrong() -> f32 = f(-3) #! E0407
def recursive() -> int = len(e(2, 0)) #! E04
def of_size(x: f32[n]) -> f32 = f(n - 2)
def short(x: f32[1]) -> f32 = of_size(x) #! E0407
#### static_function_of_other_sizes
def b(static act: (f32[n]) -> f32[n], x: f32[n]) -> f32[n] = act(x)
def f(x: f32[3]) -> f32[3] = b(fn v -> v[:2], x) #! E0402
#### clause_of_another_number_of_parameters
effect sample: (static name: str, d: f32) -> f32
def model(x: f32) -> f32 ! sample = x + sample("a", x)
def a(x: f32) -> f32 = with handler sample(name) -> resume(1.0) do model(x) #! E0307
def b(x: f32) -> f32 = with handler sample(name, d, e) -> resume(d) do model(x) #! E0307
#### functions_passed_of_another_number_of_parameters
def second(f: (f32) -> f32, g: (f32, f32) -> f32) -> f32 = g(f(1.0), 2.0)
def a() -> f32 = second(sin, cos) #! E0307
def b() -> f32 = second(maximum, maximum) #! E0307
def c() -> f32 = second(sin, fn x -> x) #! E0307
def d(h: (f32) -> f32) -> f32 = second(sin, h) #! E0307
#### shape_in_several_arguments
def f(x: f32[6]) -> f32[2, 3] = x.reshape(2, 3) #! E0307
#### axes_in_several_arguments
def f(x: f32[n, m]) -> f32[m, n] = x.transpose(1, 0) #! E0307
#### if_between_functions_of_several_definitions
def a(x: f32[n], static q: bool) -> f32 = (if q then sum else prod)(x) #! E0330
def b(x: f32[n, n], static q: bool) = (if q then concatenate else stack)((x, x)) #! E0330
def c(x: f32[n, m], static q: bool) -> f32[n] = (if q then vmap(sum) else vmap(prod))(x) #! E0330
let both = (max, min)
def d(x: f32[n], static q: bool) -> f32 =
    let (f, _) = if q then both else (min, max) #! E0330
    f(x)
#### result_of_functions_in_a_tuple
def applied[T: Tree, U: Tree](fs: ((T) -> U, (T) -> U), x: T) -> U = fs.0(x)
def g(x: f32) -> i32 = applied((sin, fn v -> 2.0 * v), x) #! E0302
def h(x: f32) -> f32 = applied((sin, fn v -> v > 0.0), x) #! E03
def k(i: i32, x: f32) -> i32 = switch(i, (sin, cos, tan), x) #! E0302
#### overload_by_an_integer
import random
def drawn(k: key, static p: int) -> i32 = random.choice(k, p)
def f(k: key) -> i32 = drawn(k, 3)
def g(k: key) -> i32 = drawn(k, 0) #! E0407
#### type_that_only_the_parameters_of_functions_have
def twice[A: Tree](f: (A) -> A) -> (A) -> A = fn x -> f(f(x)) #! E0323
def one[A: Tree](f: (A) -> f32) -> f32 = 1.0 #! E0323
def chained[A: Tree, B: Tree](f: (f32) -> A, g: (B) -> A) -> A = f(1.0) #! E0323
#### functions_in_records_have_the_types_of_the_call
type Map[F: Float, *s] = {at: F[*s], apply: (F[*s]) -> F[*s]}
def doubled[F: Float](at: F[*s]) -> Map[F, *s] = {at = at, apply = fn x -> 2.0 * x + at}
def again[F: Float](at: F[*s]) -> Map[F, *s] = doubled(at)
def f(x: f32[n], y: f32[m]) -> f32[n] = again(x).apply(y) #! E0402
def g(x: f32[n], y: f64[n]) -> f32[n] = again(x).apply(y) #! E0302
#### stacked_tree_for_a_tuple
def second(p: (f32[n], f32[n])) -> f32[n] = p.1
def f[N: Tree](x: N[n]) = second(x) #! E0303
