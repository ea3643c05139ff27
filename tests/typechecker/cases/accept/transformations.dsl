#### grad_of_a_scalar
def f(x: f32) -> f32 = x ** 3
def df(x: f32) -> f32 = grad(f)(x)
#### grad_of_a_vector
def f(x: f32[n]) -> f32 = sum(x ** 2)
def df(x: f32[n]) -> f32[n] = grad(f)(x)
#### grad_of_a_lambda
def df(x: f32) -> f32 = grad(fn v -> sin(v) * v)(x)
#### grad_with_respect_to_records
type P[d] = {w: f32[d], b: f32}
def loss(p: P[d], x: f32[n, d], y: f32[n]) -> f32 = mean((x @ p.w + p.b - y) ** 2)
def step(p: P[d], x: f32[n, d], y: f32[n]) -> P[d] = p - 0.1 * grad(loss)(p, x, y)
#### grad_argnums
def f(x: f32, y: f32[n]) -> f32 = x * sum(y)
def g(x: f32, y: f32[n]) -> (f32[n], (f32, f32[n])) = (grad(f, argnums=1)(x, y), grad(f, argnums=(0, 1))(x, y))
#### grad_ignores_integer_arguments
def loss(w: f32[d], ids: idx[d][n], y: f32[n]) -> f32 = sum((w[ids] - y) ** 2)
def g(w: f32[d], ids: idx[d][n], y: f32[n]) -> f32[d] = grad(loss)(w, ids, y)
#### grad_has_aux
def loss(w: f32[d], x: f32[n, d]) -> (f32, f32[n]) =
    let p = x @ w
    (mean(p ** 2), p)
def g(w: f32[d], x: f32[n, d]) -> (f32[d], f32[n]) = grad(loss, has_aux=true)(w, x)
def h(w: f32[d], x: f32[n, d]) -> ((f32, f32[n]), f32[d]) = value_and_grad(loss, has_aux=true)(w, x)
#### value_and_grad_pair
def loss(w: f32[d]) -> f32 = sum(w ** 2)
def f(w: f32[d]) -> (f32[d], f32) =
    let (v, g) = value_and_grad(loss)(w)
    (w - 0.1 * g, v)
#### second_derivative
def f(x: f32) -> f32 = sin(x)
def g(x: f32) -> f32 = grad(grad(f))(x) + grad(grad(grad(f)))(x)
#### jvp_of_a_function
def f(x: f32[n]) -> f32[n] = tanh(x)
def g(x: f32[n], v: f32[n]) -> (f32[n], f32[n]) = jvp(f, (x,), (v,))
#### vjp_pull
def f(w: f32[n, d], x: f32[d]) -> f32[n] = w @ x
def g(w: f32[n, d], x: f32[d], ct: f32[n]) -> (f32[n, d], f32[d]) =
    let (y, pull) = vjp(f, w, x)
    pull(ct + y)
#### linearize_function
def f(x: f32[n]) -> f32 = sum(exp(x))
def g(x: f32[n], v: f32[n]) -> f32 =
    let (y, lin) = linearize(f, x)
    y + lin(v) + lin(2.0 * v)
#### jacobians
def forward(x: f32[3]) -> f32[2, 3] = jacfwd(fn v -> [v[0] * v[1], sin(v[2])])(x)
def reverse_of(x: f32[3]) -> f32[2, 3] = jacrev(fn v -> [v[0] * v[1], sin(v[2])])(x)
#### hessian_and_product
def f(x: f32[n]) -> f32 = sum(x ** 3)
def h(x: f32[n]) -> f32[n, n] = hessian(f)(x)
def g(x: f32[n], v: f32[n]) -> f32[n] = hvp(f, x, v)
#### newton_method
import linalg
def minimise(x: f32[n], static steps: int) -> f32[n] =
    fold x = x for _ in range(steps) do x - linalg.solve(hessian(rosen)(x), grad(rosen)(x))
def rosen(x: f32[n]) -> f32 = sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2)
#### vmap_of_rows
def norm(x: f32[d]) -> f32 = sqrt(sum(x ** 2))
def f(xs: f32[n, d]) -> f32[n] = vmap(norm)(xs)
#### vmap_in_axes
def dot_of(x: f32[d], y: f32[d]) -> f32 = sum(x * y)
def f(x: f32[d], ys: f32[n, d], zs: f32[d, n]) -> (f32[n], f32[n]) =
    (vmap(dot_of, in_axes=(none, 0))(x, ys), vmap(dot_of, in_axes=(none, 1))(x, zs))
#### vmap_of_static_parameters_by_position
enum A = P | Q(k: int)
def first(static k: int, x: f32) -> f32 = x ** k
def between(x: f32, static a: A, y: f32) -> f32 = match a with
    P -> x
    Q(k) -> x * k + y
def shaped(static s: shape, x: f32) -> f32[*s] = x * ones(s)
def applied(f: (f32) -> f32, static k: int, x: f32) -> f32 = f(x) * k
def f(x: f32[n], y: f32[n]) -> (f32[n], f32[n], f32[n], f32[n, 2], f32[n]) = (
    vmap(first)(3, x), vmap(first, in_axes=(0,))(3, x), vmap(between, in_axes=(0, 0))(x, Q(2), y), vmap(shaped)([2], x),
    vmap(applied)(sin, 2, x)
)
def g(x: f32[n, m]) -> (f32[n, m], f32[n, m]) = (vmap(vmap(first))(3, x), vmap(jit(vmap(grad(first))))(3, x))
#### vmap_out_axes
def shifted(x: f32[d], b: f32) -> f32[d] = x + b
def f(x: f32[d], bs: f32[n]) -> f32[d, n] = vmap(shifted, in_axes=(none, 0), out_axes=1)(x, bs)
#### vmap_of_vmap
def kernel(x: f32[d], y: f32[d]) -> f32 = exp(-sum((x - y) ** 2))
def gram(xs: f32[n, d], ys: f32[m, d]) -> f32[n, m] =
    vmap(fn x -> vmap(fn y -> kernel(x, y))(ys))(xs)
#### vmap_over_records
type P[d] = {w: f32[d], b: f32}
def predict(p: P[d], x: f32[d]) -> f32 = dot(p.w, x) + p.b
def ensemble(ps: P[d][k], x: f32[d]) -> f32[k] = vmap(predict, in_axes=(0, none))(ps, x)
#### per_example_gradients
def loss(w: f32[d], x: f32[d], y: f32) -> f32 = (dot(w, x) - y) ** 2
def f(w: f32[d], xs: f32[n, d], ys: f32[n]) -> f32[n, d] = vmap(grad(loss), in_axes=(none, 0, 0))(w, xs, ys)
#### static_parameters_pass_by_keyword
def power(x: f32, static k: int) -> f32 = x ** k
def f(xs: f32[n]) -> f32[n] = vmap(grad(power))(xs, k=3)
#### jit_and_checkpoint
def f(x: f32[n]) -> f32 = sum(tanh(x))
def g(x: f32[n]) -> f32[n] = jit(grad(checkpoint(f)))(x)
#### stop_gradient_value
def f(x: f32[n]) -> f32 = sum(x * stop_gradient(x))
def g(x: f32[n]) -> f32[n] = grad(f)(x)
#### grad_through_limited_iteration
def root(a: f32) -> f32 = iterate x = a while abs(x * x - a) > 1e-6 limit 40 do 0.5 * (x + a / x)
def f(a: f32) -> f32 = grad(root)(a)
#### ways_back_that_elements_share
def slope(x: f32[n]) -> f32 = vmap(grad(fn v -> psum(3.0 * v, "d")), axis_name="d", out_axes=none)(x)
def weighed(x: f32[n]) -> f32 = vmap(fn w -> grad(fn v -> w * psum(v, "d"))(1.0), axis_name="d", out_axes=none)(x)
def forward(x: f32[n]) -> f32 = vmap(jacfwd(fn v -> psum(v * v, "d")), axis_name="d", out_axes=none)(x)
def pushed(x: f32[n]) -> f32 =
    vmap(fn v -> jvp(fn u -> psum(u * u, "d"), (v,), (v,)).1, axis_name="d", out_axes=none)(x)
#### jvp_through_unlimited_iteration
def root(a: f32) -> f32 ! div = iterate x = a while abs(x * x - a) > 1e-6 do 0.5 * (x + a / x)
def f(a: f32) -> (f32, f32) ! div = jvp(root, (a,), (1.0,))
#### grad_through_fold
def f(x: f32, ws: f32[n]) -> f32 = fold h = x for w in ws do tanh(w * h)
def g(x: f32, ws: f32[n]) -> f32[n] = grad(f, argnums=1)(x, ws)
#### custom_jvp_rule
def safe_sqrt(x: f32) -> f32 = sqrt(maximum(x, 0.0))
def rule(primals: (f32,), tangents: (f32,)) -> (f32, f32) =
    let y = safe_sqrt(primals.0)
    (y, tangents.0 / (2.0 * y + 1e-6))
def f(x: f32) -> f32 = grad(custom_jvp(safe_sqrt, rule))(x)
#### custom_vjp_rule
def clipped(x: f32[n]) -> f32[n] = x
def fwd(x: f32[n]) -> (f32[n], ()) = (x, ())
def bwd(saved: (), ct: f32[n]) -> (f32[n],) = (clip(ct, -1.0, 1.0),)
def f(x: f32[n]) -> f32[n] = grad(fn v -> sum(custom_vjp(clipped, fwd, bwd)(v) ** 2))(x)
#### grad_of_a_closure
def f(a: f32[n, n], b: f32[n], x: f32[n]) -> f32[n] = grad(fn v -> 0.5 * v @ a @ v - b @ v)(x)
#### grad_as_a_value
def descend(g: (f32[n]) -> f32[n], x: f32[n], static steps: int) -> f32[n] =
    fold x = x for _ in range(steps) do x - 0.1 * g(x)
def f(x: f32[n]) -> f32[n] = descend(grad(fn v -> sum(v ** 4)), x, 10)
#### hamiltonian
def energy(q: f32[n], p: f32[n]) -> f32 = 0.5 * sum(p ** 2) + 0.5 * sum(q ** 2)
def leapfrog(q: f32[n], p: f32[n], h: f32) -> (f32[n], f32[n]) =
    let p = p - 0.5 * h * grad(energy, argnums=0)(q, p)
    let q = q + h * grad(energy, argnums=1)(q, p)
    (q, p - 0.5 * h * grad(energy, argnums=0)(q, p))
#### checkpoint_policies
def layer(w: f32[d, d], x: f32[d]) -> f32[d] = tanh(checkpoint_name(w @ x, "product"))
def none_(w: f32[d, d], x: f32[d]) -> f32[d] = checkpoint(layer, policy=none)(w, x)
def word(w: f32[d, d], x: f32[d]) -> f32[d] = checkpoint(layer, policy="everything")(w, x)
def names(w: f32[d, d], x: f32[d]) -> f32[d] = checkpoint(layer, policy=("product", "sum"))(w, x)
def one(w: f32[d, d], x: f32[d]) -> f32[d] = checkpoint(layer, policy=("product",))(w, x)
def given(w: f32[d, d], x: f32[d], static p: str = "dots") -> f32[d] = checkpoint(layer, policy=p)(w, x)
def maybe(w: f32[d, d], x: f32[d], static p: str? = none) -> f32[d] = checkpoint(layer, policy=p)(w, x)
def budget(w: f32[d, d], x: f32[d]) -> f32[d] = checkpoint(layer, policy="budget:64MiB")(w, x)
def small(w: f32[d, d], x: f32[d]) -> f32[d] = given(w, x, "budget: 1.5 kB") + maybe(w, x, "budget:16B")
def tree(p: {w: f32[d], n: i32}) -> {w: f32[d], n: i32} = checkpoint_name(p, "params")
def method(x: f32[n]) -> f32[n] = sin(x).checkpoint_name("hidden")
#### vmap_a_record_of_nothing
def f(p: {a: f32, b: f32}, x: f32) -> f32 = p.a * x + p.b
def g(p: {a: f32, b: f32}, xs: f32[n]) -> f32[n] = vmap(f, in_axes=({a = none, b = none}, 0))(p, xs)
def h(p: (f32, f32), xs: f32[n]) -> f32[n] = vmap(fn (q, x) -> q.0 * x + q.1, in_axes=((none, none), 0))(p, xs)
#### derivatives_that_do_not_reach
def k(p: {a: f32, b: f32}) -> f32 = nextafter(p.a, 1.0) + p.b
def a(p: {a: f32, b: f32}) -> f32 = grad(fn b -> k({p with b = b}))(p.b)
def b(x: f32) -> f32 = grad(fn v -> v * nextafter(stop_gradient(sin(v)), 2.0))(x)
def c(x: f32) -> f32 = grad(fn v -> v * nextafter(floor(v), 2.0) * nextafter(zeros_like(v), 1.0))(x)
def d(x: f32) -> f32 = grad(fn v -> nan_to_num(v))(x)
def e(x: f32) -> f32 = nextafter(grad(fn v -> v * v)(x), 2.0)
def g(x: f32, y: f32) -> f32 = grad(fn u -> u * nextafter(y, 1.0))(x)
def i(x: f32[n]) -> f32[n] = grad(fn v -> sum([w * nextafter(1.0, f32(i)) for i, w in enumerate(v)]))(x)
def up(v: f32) -> f32 = custom_jvp(fn (u: f32) -> nextafter(u, 9.0), fn (p: (f32,), t: (f32,)) -> (p.0, t.0))(v)
def j(x: f32) -> f32 = grad(up)(x)
def t(x: (f32, f32)) -> f32 = grad(fn a -> nextafter((a, x.1).1, 1.0) * a)(x.0)
#### rules_that_capture_constants
def f(x: f32, y: f32) -> f32 =
    grad(fn x -> custom_jvp(fn (v: f32) -> v * y, fn (p: (f32,), t: (f32,)) -> (p.0 * y, t.0 * y))(x))(y)
def c(x: f32, u: f32) -> f32 = custom_vjp(fn (v: f32) -> v * u, fn (v: f32) -> (v * u, ()), fn (r, ct) -> (ct * u,))(x)
def j(x: f32, u: f32) -> f32 = custom_jvp(fn (v: f32) -> v * u, fn (p: (f32,), t: (f32,)) -> (p.0 * u, t.0 * u))(x)
def used_up(x: f32, u: f32) -> f32 = jvp(fn u -> grad(fn x -> c(x, u))(x), (u,), (1.0,)).1
def used_up_too(x: f32, u: f32) -> f32 = grad(fn u -> jvp(fn x -> j(x, u), (x,), (1.0,)).1)(u)
#### static_parameters_by_keyword
def power(x: f32, static k: int) -> f32 = x ** k
def two(static k: int, x: f32, y: f32) -> f32 = x ** k * y
def a(x: f32) -> (f32, f32) = jvp(power, (x,), (1.0,), k=3)
def b(x: f32) -> f32 = vjp(power, x, k=3).1(1.0).0
def c(x: f32) -> f32 = linearize(power, x, k=3).1(1.0)
def d(x: f32) -> f32 = hvp(power, x, 1.0, k=3)
def e(x: f32) -> f32 = hvp(power, x=x, v=1.0, k=3)
def g(x: f32) -> f32 = jvp(power, primals=(x,), tangents=(1.0,), k=3).1
def h(x: f32[n], y: f32) -> f32[n] = vmap(two, in_axes=(0, none))(k=2, x=x, y=y)
def i(x: f32[n], y: f32) -> f32[n] = vmap(two, in_axes=(none, 0))(x=y, y=x, k=2)
def j(x: f32[n], y: f32) -> f32[n] = vmap(two, in_axes=(0, none))(y=y, x=x, k=2)
def k(x: f32[n]) -> f32[n] = vmap(grad(two, argnums=(0, 1)))(k=2, x=x, y=x).1
#### static_parts_beside_a_gradient
def loss(x: f32, static k: int) -> (f32, int) = (x ** k, k + 1)
def a(x: f32) -> (f32, int) = grad(loss, has_aux=true)(x, k=3)
def b(x: f32) -> ((f32, int), f32) = value_and_grad(loss, has_aux=true)(x, k=3)
def c(x: f32) -> f32[4] = ones([grad(loss, has_aux=true)(x, k=3).1]) * x
def d(x: f32) -> (f32, i32) = grad(fn v -> (v * v, 3), has_aux=true)(x)
#### results_without_an_axis
def a(x: f32[n], y: f32) -> (f32[n], f32) = vmap(fn v -> (v, y), out_axes=(0, none))(x)
def b(x: f32[n], y: f32) -> (f32[n], f32) =
    vmap(fn v -> (v, psum(v, "i") + y), out_axes=(0, none), axis_name="i")(x)
def c(x: f32[n], y: f32) -> f32 = vmap(fn (v, w) -> {u = v, w = w}, in_axes=(0, none), out_axes={u = 0, w = none})(x, y).w
#### functions_are_not_counted
def apply(g: (f32) -> f32 ! e, x: f32) -> f32 ! e = g(x)
def shown(static g: (f32) -> f32, x: f32) -> f32 = g(x)
def a(x: f32) -> f32 = grad(apply)(sin, x)
def b(x: f32[n]) -> f32[n] = vmap(apply)(fn v -> v * v, x)
def c(x: f32[n]) -> f32[n] = vmap(apply, in_axes=(0,))(sin, x)
def d(x: f32) -> f32 = vjp(apply, sin, x).1(1.0).0
def k(x: f32) -> f32 = linearize(apply, sin, x).1(1.0)
def g(x: f32) -> f32 = hessian(apply)(fn v -> v ** 3, x)
def h(x: f32, y: f32) -> f32 = vjp(fn (u, v) -> u * v, x, y).1(1.0).1
def two(x: f32, y: f32) -> f32 = x * y
def i(x: f32) -> f32 = vjp(two, y=x, x=2.0).1(1.0).0
def j(x: f32) -> f32 = linearize(shown, g=sin, x=x).1(1.0)
#### no_derivative_needed_in_tree_map_over_any_tree
def up[T: VSpace[Float]](t: T, u: T) -> T = tree_map(fn (x, y) -> x + cast(nextafter(cast(y, f32), 2.0), x.dtype), t, u)
def f(t: (f32, f32), u: (f32, f32)) -> (f32, f32) = grad(fn t -> up(t, u).0)(t)
#### custom_jvp_rules_that_are_linear
def f(x: f32) -> f32 = x * x
def half(v: f32) -> f32 = v / 2.0
def product(x: f32, t: f32) -> f32 =
    let s = {u = x, v = t}
    s.u * s.v
def one(p: (f32,), t: (f32,)) -> (f32, f32) = (p.0, 2.0 * p.0 * t.0 ** 1)
def nothing(p: (f32,), t: (f32,)) -> (f32, f32) = (p.0, 0.0)
def like(p: (f32,), t: (f32,)) -> (f32, f32) = (p.0, zeros_like(p.0) + where(p.0 > 0.0, t.0, 0.0))
def branch(p: (f32,), t: (f32,)) -> (f32, f32) = (p.0, if p.0 > 0.0 then t.0 / p.0 else 0.0)
def loop(p: (f32,), t: (f32,)) -> (f32, f32) = (p.0, fold a = 0.0 for v in [p.0, 1.0] do a + v * half(t.0))
def turns(p: (f32,), t: (f32,)) -> (f32, f32) = (p.0, iterate z = t.0 while p.0 < 3.0 limit 3 do z * 2.0)
def inner(p: (f32,), t: (f32,)) -> (f32, f32) = (p.0, jvp(sin, (p.0,), (t.0,)).1 + product(p.0, t.0))
def run(x: f32) -> f32 =
    let a = custom_jvp(f, one)(x) + custom_jvp(f, nothing)(x) + custom_jvp(f, like)(x) + custom_jvp(f, branch)(x)
    a + custom_jvp(f, loop)(x) + custom_jvp(f, turns)(x) + custom_jvp(f, inner)(x)
#### custom_jvp_rules_that_are_linear_in_arrays
def f(x: f32[n]) -> f32[n] where n >= 1 = x * x
def a(p: (f32[n],), t: (f32[n],)) -> (f32[n], f32[n]) where n >= 1 = (p.0, pad(t.0, 1)[1 : n + 1] + flip(t.0))
def b(p: (f32[n],), t: (f32[n],)) -> (f32[n], f32[n]) where n >= 1 = (p.0, t.0.at[0].set(0.0).at[0].mul(2.0))
def c(p: (f32[n],), t: (f32[n],)) -> (f32[n], f32[n]) where n >= 1 = (p.0, take(t.0, argsort(p.0)) + cumsum(t.0))
def d(p: (f32[n],), t: (f32[n],)) -> (f32[n], f32[n]) where n >= 1 = (p.0, outer(p.0, p.0) @ t.0 + p.0 * mean(t.0))
def run(x: f32[n]) -> f32[n] where n >= 1 =
    custom_jvp(f, a)(x) + custom_jvp(f, b)(x) + custom_jvp(f, c)(x) + custom_jvp(f, d)(x)
#### no_derivative_in_a_clause_that_never_runs
effect tick: (x: f32) -> f32
def f(x: f32) -> f32 =
    grad(fn v -> v * (with handler tick(u) -> resume(nextafter(v, 2.0)) do 2.0 * v))(x)
#### clauses_with_derivatives
effect up: (x: f32) -> f32
def slope(x: f32) -> f32 ! up = grad(fn v -> v * up(v))(x)
def inner(x: f32) -> f32 =
    with handler up(x) -> resume(nextafter(x, 2.0)) do
        let y = up(x)
        with handler up(x) -> resume(x * y) do slope(x)
def f(x: f32) -> f32 = x * x
def run(x: f32) -> f32 = custom_jvp(f, fn (p, t) -> (f(p.0), with handler up(a) -> resume(p.0 * a) do up(t.0)))(x)
#### rule_that_scales_tangents_by_recursion
def power(x: f32, static k: int) -> f32 = if k == 0 then 1.0 else x * power(x, k - 1)
def scaled(x: f32, static k: int) -> f32 = if k == 0 then x else 2.0 * scaled(x, k - 1)
def f(x: f32) -> f32 = custom_jvp(sin, fn (p, d) -> (sin(p.0), power(p.0, 2) * scaled(d.0, 3)))(x)
#### functions_leave_jit
def compiled(x: f32[n]) -> f32 = jit(fn v -> fn u -> u * sum(v))(x)(1.0)
#### static_parameters_by_name_take_no_place
def f(static k: int, x: f32) -> f32 = x * x * k
def g(x: f32, static k: int, y: f32) -> f32 = x * k + y
def along(x: f32) -> ((f32, f32), (f32, f32)) = (jvp(f, (x,), (1.0,), k=2), jvp(g, (x, 1.0), (1.0, 0.0), k=2))
def twice(x: f32) -> f32 = hvp(f, x, 1.0, k=2)
def linear(x: f32) -> f32 = vjp(g, x, 1.0, k=2).1(1.0).0 + linearize(g, x, 1.0, k=2).1(1.0, 0.0)
def made(x: f32) -> f32 = grad(g)(x, 1.0, k=2) + grad(g, argnums=1)(x, 1.0, k=2) + checkpoint(f)(x, k=3)
def mapped(xs: f32[n]) -> f32[n] = vmap(grad(g), in_axes=(0, none))(xs, 1.0, k=2)
def by_position(x: f32) -> f32 = grad(g)(x, 2, 1.0)
#### functions_of_constants_take_the_sizes_of_their_callers
let blank = fn v -> zeros(v.shape)
let held = {blank = jit(blank), doubled = fn v -> cast(2.0, v.dtype) * v}
let total = custom_jvp(fn v -> sum(v), fn (p, t) -> (sum(p.0), dot(ones(p.0.shape), t.0)))
def doubled[T: Float](x: T[n]) -> T[n] = held.doubled(x)
def each(x: f32[n], y: f64[m]) -> (f32[n], f64[m], f32[n], f32[n]) =
    (doubled(x), doubled(y), blank(x) + held.blank(x), grad(total)(x))
def deeper(x: f32[2 * k]) -> (f32[2 * k], f32[2 * k, 1]) = (each(x, [1.0]).3, vmap(blank)([[v] for v in x]))
#### functions_in_parts_that_are_not_mapped
def applied(p: ((f32) -> f32, f32), x: f32) -> f32 = p.0(p.1) + x
def named(p: {of: (f32) -> f32, at: f32}, x: f32) -> f32 = p.of(p.at) + x
def square(x: f32) -> f32 = x * x
def f(x: f32[n], c: f32) -> f32[n] = vmap(applied, in_axes=((none, 0), 0))((square, x), x)
def g(x: f32[n], c: f32) -> f32[n] = vmap(named, in_axes=({of = none, at = 0}, 0))({of = fn v -> c * v, at = x}, x)
def h(x: f32[n], c: f32) -> f32[n] =
    let p = (fn (v: f32) -> c * v, x)
    pmap(applied, in_axes=((none, 0), 0))(p, x)
def i(x: f32[n], c: f32) -> f32[n] = vmap(fn (p, x) -> p.0(p.1) + x, in_axes=((none, 0), 0))((fn v -> c * v, x), x)
def j(x: f32[n], c: f32) -> f32 = grad(fn c -> sum(g(x, c)))(c)
#### jacobians_by_arrays_of_records
type Part = {a: f32, b: f32[2]}
def loss(p: Part[n]) -> f32 = sum(p.a ** 2) + sum(p.b ** 3)
def f(p: Part[n]) -> Part[n] = jacfwd(loss)(p)
def g(p: Part[n]) -> {a: f32[n, n], b: f32[n, n, 2]} = hessian(loss)(p).a
def h(p: Part[n]) -> f32[n, 2, n] = jacrev(fn q -> {q with a = 2.0 * q.a})(p).b.a
def i(p: Part[n]) -> Part[n] = grad(fn q -> sum(jacfwd(loss)(q).b))(p)
#### powers_in_rules
def power_of_one(x: f32) -> f32 = grad(custom_jvp(sin, fn (p, d) -> (sin(p.0), d.0 ** 1.0)))(x)
def by_name(x: f32) -> f32 = grad(custom_jvp(sin, fn (p, d) -> (sin(p.0), power(d.0, 1.0))))(x)
def of_a_square(x: f32) -> f32 = grad(custom_jvp(sin, fn (p, d) -> (sin(p.0), grad(fn u -> p.0 * u ** 2.0)(d.0))))(x)
#### jacobians_of_complex_results
import fft
def rows(x: f32[n]) -> c64[n, n] = jacrev(fn v -> fft.fft(v))(x)
def twice(x: f32[n]) -> c64[n, n, n] = hessian(fn v -> c64(v) * (1.0 + 1.0j))(x)
def wider(x: f32[n], y: f64) -> f64[n, n] = y * jacrev(fn v -> f64(v) * 2.0)(x)
#### bound_of_a_saved_index_reaches_the_way_back
def pick(x: f32[n], i: idx[n]) -> f32 = x[i]
def fwd(x: f32[n], i: idx[n]) -> (f32, idx[n]) = (x[i], i)
def bwd(i: idx[n], ct: f32) -> (f32[n], ()) = (zeros([n]).at[i].set(ct), ())
def f(x: f32[n], i: idx[n]) -> f32 = custom_vjp(pick, fwd, bwd)(x, i)
def g(x: f32[n], i: idx[n]) -> f32[n] = grad(f)(x, i)
def back(i: idx[n], ct: f32) -> (f32[n],) = (zeros([n]).at[i].set(ct),)
def h(x: f32[n], i: idx[n]) -> f32[n] = grad(custom_vjp(fn (v: f32[n]) -> v[i], fn v -> (v[i], i), back))(x)
#### pairs_of_a_permutation_that_are_computed
static def ring(n: int) -> pairs = [(j, (j + 1) % n) for j in range(n)]
def f(x: f32[4]) -> f32[4] =
    vmap(fn v -> ppermute(v, "i", [(j, (j + 1) % 4) for j in range(4)]) + ppermute(v, "i", ring(4)), axis_name="i")(x)
