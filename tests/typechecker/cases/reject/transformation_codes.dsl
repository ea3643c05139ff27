#### grad_of_a_map
def f(x: f32) -> f32 = x * x
def g(xs: f32[n]) -> f32[n] = grad(vmap(f))(xs) #! E0801
#### grad_of_a_jacobian
def f(x: f32[n]) -> f32[n] = x * x
def g(x: f32[n]) -> f32[n] = grad(jacfwd(f))(x) #! E0801
#### value_and_grad_of_a_pair
def f(x: f32) -> (f32, f32) = (x, x)
def g(x: f32) -> f32 = value_and_grad(f)(x).1 #! E0801
#### hvp_of_a_vector
def f(x: f32[n]) -> f32[n] = x * x
def g(x: f32[n], v: f32[n]) -> f32[n] = hvp(f, x, v) #! E0801
#### grad_of_a_complex_number
def f(x: c64) -> c64 = x * x
def g(x: c64) -> c64 = grad(f)(x) #! E0801
#### grad_by_a_bool
def f(c: bool, x: f32) -> f32 = if c then x else -x
def g(c: bool, x: f32) = grad(f)(c, x) #! E0802
#### grad_by_an_index
def f(i: idx[n], x: f32[n]) -> f32 = x[i]
def g(i: idx[n], x: f32[n]) = grad(f)(i, x) #! E0802
#### grad_by_a_key
def f(k: key, x: f32) -> f32 = x
def g(k: key, x: f32) = grad(f)(k, x) #! E0802
#### grad_by_a_tuple_with_a_counter
def f(p: (f32, i32)) -> f32 = p.0 * f32(p.1)
def g(p: (f32, i32)) = grad(f)(p) #! E0802
#### jacobian_by_a_vector_space
def g[P: VSpace](p: P, f: (P) -> f32) -> P = jacfwd(f)(p) #! E0802
def h[P: VSpace](p: P[2], f: (P[2]) -> f32) = hessian(f)(p) #! E0802
def i[P: VSpace](x: f32, f: (f32) -> P) = jacrev(f)(x) #! E0802
#### jacobian_of_integers
def f(x: f32[n]) -> i32[n] = i32(x)
def g(x: f32[n]) = jacrev(f)(x) #! E0802
#### policy_of_a_caller
def f(x: f32, static p: str) -> f32 = checkpoint(sin, policy=p)(x)
def optional(x: f32, static p: str? = none) -> f32 = checkpoint(sin, policy=p)(x)
def right(x: f32) -> f32 = f(x, "dots") + optional(x) + optional(x, "nothing")
def one(x: f32) -> f32 = f(x, "dot") #! E0407
def other(x: f32) -> f32 = optional(x, "all") #! E0407
def budget(x: f32) -> f32 = f(x, "budget:1kB") + optional(x, "budget: 2 GiB")
def small(x: f32) -> f32 = f(x, "budget:0kB") #! E0407
#### linear_maps_of_integers
def taken(x: i32[n]) = vjp(fn v -> f32(v), x) #! E0802
def returned(x: f32[n]) = linearize(fn v -> i32(v), x) #! E0802
#### hvp_by_an_integer
def f(k: i32) -> f32 = f32(k) ** 2
def g(k: i32, v: i32) = hvp(f, k, v) #! E0802
#### reverse_through_a_lambda
def root(a: f32) -> f32 ! div = iterate x = a while x * x > a do 0.5 * (x + a / x)
def f(a: f32) -> f32 ! div = grad(fn v -> 2.0 * root(v * v))(a) #! E0805
#### hessian_through_a_loop
def root(a: f32) -> f32 ! div = iterate x = a while x * x > a do 0.5 * (x + a / x)
def f(a: f32) -> f32 ! div = hessian(root)(a) #! E0805
#### value_and_grad_through_a_map
def root(a: f32) -> f32 ! div = iterate x = a while x * x > a do 0.5 * (x + a / x)
def f(a: f32[n]) -> f32[n] ! div = value_and_grad(fn v -> sum(vmap(root)(v)))(a).1 #! E0805
#### checkpoint_does_not_help
def root(a: f32) -> f32 ! div = iterate x = a while x * x > a do 0.5 * (x + a / x)
def f(a: f32) -> f32 ! div = grad(checkpoint(root))(a) #! E0805
#### map_axis_of_a_leaf
def f(p: {a: f32, b: f32[k]}) -> f32 = p.a + sum(p.b)
def g(p: {a: f32[n], b: f32[k, n]}) -> f32[n] = vmap(f, in_axes=({a = 0, b = 2},))(p) #! E0806
#### map_axis_from_the_end
def f(x: f32) -> f32 = x
def g(x: f32[n]) -> f32[n] = vmap(f, in_axes=-2)(x) #! E0806
#### map_out_axis
def f(x: f32[k]) -> f32[k] = x
def g(x: f32[n, k]) = vmap(f, out_axes=3)(x) #! E0806
#### map_sizes_of_a_record
def f(p: {a: f32, b: f32}) -> f32 = p.a + p.b
def g(p: {a: f32[n], b: f32[m]}) -> f32[n] = vmap(f)(p) #! E0807
#### map_sizes_known
def f(x: f32, y: f32) -> f32 = x + y
def g(x: f32[3], y: f32[4]) -> f32[3] = vmap(f)(x, y) #! E0807
#### map_sizes_of_other_axes
def f(x: f32[k], y: f32) -> f32 = sum(x) + y
def g(x: f32[k, n], y: f32[k]) = vmap(f, in_axes=(1, 0))(x, y) #! E0807
#### nested_map_of_nothing
def f(x: f32, y: f32) -> f32 = x + y
def g(x: f32[n], y: f32[m]) = vmap(vmap(f, in_axes=(none, none)), in_axes=(0, none))(x, y) #! E0808
#### too_few_axes
def f(x: f32, y: f32) -> f32 = x + y
def g(x: f32[n], y: f32) = vmap(f, in_axes=(0,))(x, y) #! E0809
#### gather_outside
def f(x: f32) = all_gather(x, "i") #! E0810
#### permute_outside
def f(x: f32) = ppermute(x, "i", ((0, 1),)) #! E0810
#### gather_over_another_axis
def f(x: f32[n]) = vmap(fn v -> all_gather(v, "j"), axis_name="i")(x) #! E0810
#### sized_axis_that_is_not_there
def f(x: f32) -> f32[n] ! axis("i": n) = all_gather(x, "i")
def g(x: f32[n]) = vmap(f)(x) #! E0810
#### argnums_by_a_name_that_is_none
def f(w: f32, x: f32) -> f32 = w * x
def g(w: f32, x: f32) -> f32 = grad(f, argnums="y")(w, x) #! E0811
#### argnums_too_negative
def f(w: f32, x: f32) -> f32 = w * x
def g(w: f32, x: f32) -> f32 = grad(f, argnums=-3)(w, x) #! E0811
#### argnums_of_several
def f(w: f32, x: f32) -> f32 = w * x
def g(w: f32, x: f32) = jacrev(f, argnums=(0, 2))(w, x) #! E0811
#### argnums_a_float
def f(x: f32) -> f32 = x * x
def g(x: f32) -> f32 = grad(f, argnums=0.5)(x) #! E0812
#### aux_a_number
def f(x: f32) -> (f32, f32) = (x, x)
def g(x: f32) = grad(f, has_aux=1)(x) #! E0812
#### aux_of_three
def f(x: f32) -> (f32, f32, f32) = (x, x, x)
def g(x: f32) = value_and_grad(f, has_aux=true)(x) #! E0812
#### grad_of_an_array
def g(x: f32[n]) = grad(x) #! E0814
#### map_of_a_result
def f(x: f32) -> f32 = x
def g(x: f32) = vmap(f(x)) #! E0814
#### too_many_tangents
def f(x: f32) -> f32 = x * x
def g(x: f32) = jvp(f, (x,), (x, x)) #! E0815
#### rule_with_a_constant
def f(x: f32) -> f32 = x * x
def rule(primals: (f32,), tangents: (f32,)) -> (f32, f32) = (f(primals.0), tangents.0 + 1.0)
def g(x: f32) -> f32 = custom_jvp(f, rule)(x) #! E0817
#### policy_misspelt
def f(x: f32) -> f32 = checkpoint(fn v -> sin(v), policy="dot")(x) #! E0812
#### budget_without_a_unit
def f(x: f32) -> f32 = checkpoint(fn v -> sin(v), policy="budget:64")(x) #! E0812
#### budget_of_nothing
def f(x: f32) -> f32 = checkpoint(fn v -> sin(v),
    policy="budget:0MiB")(x) #! E0812
#### budget_of_no_number
def f(x: f32) -> f32 = checkpoint(fn v -> sin(v), policy="budget:much")(x) #! E0812
#### policy_a_number
def f(x: f32) -> f32 = checkpoint(fn v -> sin(v), policy=1)(x) #! E0812
#### policy_of_names_and_numbers
def f(x: f32) -> f32 =
    checkpoint(fn v -> checkpoint_name(sin(v), "a"),
        policy=("a", 1))(x) #! E0812
#### policy_of_no_name
def f(x: f32) -> f32 = checkpoint(fn v -> sin(v), policy=())(x) #! E0812
#### policy_traced
def f(x: f32, p: i32) -> f32 = checkpoint(fn v -> sin(v), policy=p)(x) #! E05
#### name_traced
def f(x: f32, p: i32) -> f32 = checkpoint_name(sin(x), p) #! E0
#### name_a_number
def f(x: f32) -> f32 = checkpoint_name(sin(x), 1) #! E0
#### ways_back_that_differ_between_elements
def squares(x: f32[n]) -> f32 =
    vmap(grad(fn v -> psum(v * v, "d")), axis_name="d", out_axes=none)(x) #! E0812
def with_value(x: f32[n]) -> f32 =
    vmap(fn v -> value_and_grad(fn u -> psum(u * u, "d"))(v).1, axis_name="d", out_axes=none)(x) #! E0812
def pulled(x: f32[n]) -> f32 =
    vmap(fn v -> vjp(fn u -> psum(sin(u), "d"), v).1(1.0).0, axis_name="d", out_axes=none)(x) #! E0812
def greatest(x: f32[n]) -> f32 =
    vmap(jacrev(fn v -> pmax(v, "d")), axis_name="d", out_axes=none)(x) #! E0812
def gathered(x: f32[n]) -> f32 =
    vmap(checkpoint(grad(fn v -> sum(all_gather(v, "d")))), axis_name="d", out_axes=none)(x) #! E0812
def local(w: f32[d], x: f32[n, d], y: f32[n]) -> f32 ! axis("data") = psum(sum((tanh(x @ w) - y) ** 2), "data")
def part(w: f32[d], x: f32[n, d], y: f32[n]) -> f32[d] ! axis("data") = w - 0.1 * grad(local)(w, x, y)
def step(w: f32[d], x: f32[n, d], y: f32[n]) -> f32[d] =
    shard(part, mesh(data=2), (none, {data = 0}, {data = 0}), none)(w, x, y) #! E1011
#### axes_that_do_not_fit_are_told_where_they_are_written
def f(p: {w: f32, b: f32}, x: f32) -> f32 = p.w * x + p.b
def g(p: {w: f32[n], b: f32}, x: f32[n]) -> f32[n] =
    let h = vmap(f, in_axes=({w = 0}, 0)) #! E0812
    h(p, x)
def pair(x: f32) -> (f32, f32) = (x, x)
def i(x: f32[n]) -> (f32[n], f32[n]) =
    let h = vmap(pair, out_axes=(0, 0, 0)) #! E0812
    h(x)
#### key_of_a_record_not_mapped
import random
def f(p: {k: key, a: f32}) -> f32 = p.a + random.normal(p.k, [])
def g(p: {k: key, a: f32[n]}) -> f32[n] = vmap(f, in_axes=({k = none, a = 0},))(p) #! E06
#### no_derivative
def f(x: f32) -> f32 = grad(fn (v: f32) -> nextafter(v, 2.0))(x) #! E0803
#### no_derivative_through_calls
def up(v: f32) -> f32 = nextafter(sin(v), 2.0) * 2.0
def g(v: f32) -> f32 = fold a = v for _ in range(3) do up(a)
def f(x: f32) -> f32 = jvp(g, (x,), (1.0,)).1 #! E0803
#### no_derivative_defined_later
def f(x: f32) -> f32 = jacfwd(g)(x) #! E0803
def g(v: f32) -> f32 = nextafter(v, 2.0)
#### no_derivative_by_a_function_passed
def apply(g: (f32) -> f32, x: f32) -> f32 = g(x)
def f(x: f32) -> f32 =
    let (y, pull) = vjp(fn v -> apply(fn u -> nextafter(u, 1.0), v), x) #! E0803
    pull(1.0).0
#### no_derivative_of_elements
def f(x: f32[n]) -> f32[n] = grad(fn v -> sum([nextafter(a, 1.0) for a in v]))(x) #! E0803
#### no_derivative_in_a_loop
def f(x: f32) -> f32 =
    grad(fn v -> iterate z = v while z < 3.0 limit 3 do nextafter(z, 5.0))(x) #! E0803
#### no_derivative_in_a_branch
def f(x: f32) -> f32 = grad(fn v -> if v > 0.0 then v else nextafter(v, 5.0))(x) #! E0803
#### no_derivative_of_a_field
def k(p: {a: f32, b: f32}) -> f32 = nextafter(p.a, 1.0) + p.b
def f(p: {a: f32, b: f32}) -> f32 = grad(fn a -> k({p with a = a}))(p.a) #! E0803
#### no_derivative_under_a_map
def f(x: f32[n]) -> f32[n] = vmap(grad(fn v -> nextafter(v, 1.0)))(x) #! E0803
#### no_derivative_of_a_derivative
def f(x: f32) -> f32 = grad(grad(fn v -> v * nextafter(v, 1.0)))(x) #! E0803
#### no_derivative_by_the_second
def g(x: f32, y: f32) -> f32 = x * nextafter(y, 1.0)
def f(x: f32, y: f32) -> f32 = grad(g, argnums="y")(x, y) #! E0803
#### no_derivative_for_some_size
def f(x: f32[n]) -> f32 = if n == 2 then sum(nextafter(x, 1.0)) else sum(x)
def g(x: f32[n]) -> f32[n] = grad(f)(x) #! E0803
def h(x: f32[n]) -> f32[n] where n > 2 = grad(f)(x)
def i(x: f32[n]) -> f32[n] = grad(fn v -> if n % 7 == 5 and n > 20 then sum(nextafter(v, 1.0)) else sum(v))(x) #! E0803
def j(x: f32[n]) -> f32[n] where n <= 20 = grad(fn v -> if n % 7 == 5 and n > 20 then sum(nextafter(v, 1.0)) else sum(v))(x)
#### no_derivative_for_some_static_value
enum Way = Exact | Stepped(towards: float)
def step(x: f32, static way: Way) -> f32 = match way with
    Exact -> x
    Stepped(towards) -> nextafter(x, towards)
def f(x: f32, static way: Way) -> f32 = grad(fn v -> step(v, way))(x) #! E0803
def g(x: f32) -> f32 = grad(fn v -> step(v, Exact))(x)
def h(x: f32, static exact: bool = true) -> f32 = grad(fn v -> if exact then v else nextafter(v, 1.0))(x) #! E0803
def i(x: f32, static name: str) -> f32 = grad(fn v -> if name == "up" then nextafter(v, 1.0) else v)(x) #! E0803
#### no_derivative_of_some_rank
def f(x: f32[*s]) -> f32 = if x.ndim == 3 then sum(nextafter(x, 1.0)) else sum(x)
def g(x: f32[*s]) -> f32[*s] = grad(f)(x) #! E0803
def h(x: f32[n, m]) -> f32[n, m] = grad(f)(x)
#### captured_by_a_vjp
def f(x: f32, y: f32) -> f32 =
    let g = fn (u: f32) -> custom_vjp(fn (v: f32) -> v * u, fn (v: f32) -> (v * u, u), fn (r, ct) -> (ct * r,))(x)
    grad(g)(y) #! E0818
#### captured_parameter
def g(x: f32, u: f32) -> f32 = custom_jvp(fn (v: f32) -> v * u, fn (p: (f32,), t: (f32,)) -> (p.0 * u, t.0 * u))(x)
def f(x: f32, u: f32) -> f32 = grad(g, argnums=1)(x, u) #! E0818
#### captured_by_a_function_captured
def f(x: f32, y: f32) -> f32 =
    let g = fn u ->
        let h = fn (v: f32) -> v * u
        custom_jvp(h, fn (p: (f32,), t: (f32,)) -> (h(p.0), t.0))(x)
    hvp(g, y, 1.0) #! E0818
#### result_without_its_axis
def f(x: f32[3]) -> (f32[3], f32) = vmap(fn a -> (a, 2.0 * a), out_axes=(0, none))(x) #! E0812
#### result_without_its_axis_at_all
def double(a: f32) -> f32 = 2.0 * a
def f(x: f32[n]) -> f32 = vmap(double, out_axes=none)(x) #! E0812
#### field_without_its_axis
def f(x: f32[n], y: f32) -> f32 =
    vmap(fn a -> {u = a, v = y * floor(a)}, out_axes={u = 0, v = none})(x).v #! E0812
#### has_aux_not_known
def loss(x: f32) -> (f32, f32) = (x * x, x)
def f(x: f32, static aux: bool) -> f32 = grad(loss, has_aux=aux)(x).0 #! E0812
#### in_axes_not_known
def f(x: f32[3], static axis: int) -> f32[3] = vmap(fn a -> a * 2.0, in_axes=axis)(x) #! E0812
#### in_axes_counts_no_static_parameters
def power(static k: int, x: f32, y: f32) -> f32 = x ** k * y
def f(x: f32[n], y: f32) -> f32[n] = vmap(power, in_axes=(none, 0, none))(2, x, y) #! E0809
#### jvp_without_a_static_argument
def power(x: f32, static k: int) -> f32 = x ** k
def f(x: f32) -> f32 = jvp(power, (x,), (1.0,)).1 #! E0307
#### jvp_with_an_unknown_static_argument
def power(x: f32, static k: int) -> f32 = x ** k
def f(x: f32) -> f32 = jvp(power, (x,), (1.0,), q=3).1 #! E0308
#### jvp_by_keyword
def power(x: f32, y: f32) -> f32 = x * y
def f(x: f32) -> f32 = jvp(power, (x,), (1.0,), y=x).1 #! E0308
#### tangent_of_a_function
def apply(g: (f32) -> f32, x: f32) -> f32 = g(x)
def f(x: f32) -> f32 = jvp(apply, (sin, x), (sin, 1.0)).1 #! E0815
#### argnums_counts_no_functions
def apply(g: (f32) -> f32, x: f32) -> f32 = g(x)
def f(x: f32) -> f32 = grad(apply, argnums=1)(sin, x) #! E0811
#### jvp_of_four
def f(x: f32) -> f32 = jvp(fn v -> v, (x,), (1.0,), x).1 #! E0306|E0307|E0308
#### key_captured_by_tree_map_over_any_tree
import random
def f[T: VSpace](t: T, k: key) -> T =
    tree_map(fn x -> x * cast(random.normal(k, []), x.dtype), t) #! E0611
#### no_derivative_in_tree_map_over_any_tree
def up[T: VSpace[Float]](t: T) -> T = tree_map(fn x -> cast(nextafter(cast(x, f32), 2.0), x.dtype), t)
def f(t: (f32[2], f32[2])) -> (f32[2], f32[2]) = grad(fn t -> sum(up(t).0))(t) #! E0803
#### no_derivative_of_one_tree_of_two
def up[T: VSpace[Float]](t: T, u: T) -> T = tree_map(fn (x, y) -> x + cast(nextafter(cast(y, f32), 2.0), x.dtype), t, u)
def f(t: (f32, f32), u: (f32, f32)) -> (f32, f32) = grad(fn u -> up(t, u).0)(u) #! E0803
#### custom_jvp_forgets_the_tangent
def f(x: f32) -> f32 = x * x
def rule(p: (f32,), t: (f32,)) -> (f32, f32) = (p.0 * p.0, 2.0 * cos(p.0))
def run(x: f32) -> f32 = grad(custom_jvp(f, rule))(x) #! E0817
#### custom_jvp_a_number_in_where
def f(x: f32) -> f32 = x * x
def rule(p: (f32,), t: (f32,)) -> (f32, f32) = (p.0 * p.0, where(p.0 > 0.0, t.0, 1.0))
def run(x: f32) -> f32 = grad(custom_jvp(f, rule))(x) #! E0817
#### custom_jvp_a_number_in_a_branch
def f(x: f32) -> f32 = x * x
def rule(p: (f32,), t: (f32,)) -> (f32, f32) = (p.0 * p.0, if p.0 > 0.0 then t.0 else 1.0)
def run(x: f32) -> f32 = grad(custom_jvp(f, rule))(x) #! E0817
#### custom_jvp_a_value_added
def f(x: f32) -> f32 = x * x
def rule(p: (f32,), t: (f32,)) -> (f32, f32) = (p.0 * p.0, t.0 + p.0)
def run(x: f32) -> f32 = grad(custom_jvp(f, rule))(x) #! E0817
#### custom_jvp_tangent_as_an_integer
def f(x: f32) -> f32 = x * x
def rule(p: (f32,), t: (f32,)) -> (f32, f32) = (p.0 * p.0, f32(i32(t.0)))
def run(x: f32) -> f32 = grad(custom_jvp(f, rule))(x) #! E0817
#### custom_jvp_product_under_fold
def f(x: f32) -> f32 = x * x
def rule(p: (f32,), t: (f32,)) -> (f32, f32) = (p.0 * p.0, fold a = 1.0 for _ in range(3) do a * t.0)
def run(x: f32) -> f32 = grad(custom_jvp(f, rule))(x) #! E0817
#### custom_jvp_product_under_vmap
def f(x: f32) -> f32 = x * x
def rule(p: (f32,), t: (f32,)) -> (f32, f32) = (p.0 * p.0, sum(vmap(fn v -> v * t.0)([t.0, t.0])))
def run(x: f32) -> f32 = grad(custom_jvp(f, rule))(x) #! E0817
#### custom_jvp_tangent_decides_an_iteration
def f(x: f32) -> f32 = x * x
def rule(p: (f32,), t: (f32,)) -> (f32, f32) = (p.0 * p.0, iterate z = t.0 while z < 3.0 limit 3 do z + z)
def run(x: f32) -> f32 = grad(custom_jvp(f, rule))(x) #! E0817
#### custom_jvp_numbers_beside_the_tangent
def f(x: f32[n]) -> f32[n] where n >= 1 = x * x
def a(p: (f32[n],), t: (f32[n],)) -> (f32[n], f32[n]) where n >= 1 = (p.0, concatenate((t.0, ones([n])))[1:n + 1])
def b(p: (f32[n],), t: (f32[n],)) -> (f32[n], f32[n]) where n >= 1 = (p.0, pad(t.0, 1, constant_values=1.0)[0:n])
def c(p: (f32[n],), t: (f32[n],)) -> (f32[n], f32[n]) where n >= 1 = (p.0, t.0.at[0].set(1.0))
def d(p: (f32[n],), t: (f32[n],)) -> (f32[n], f32[n]) = (p.0, sort(t.0))
def g(x: f32[n]) -> f32[n] where n >= 1 = custom_jvp(f, a)(x) #! E0817
def h(x: f32[n]) -> f32[n] where n >= 1 = custom_jvp(f, b)(x) #! E0817
def i(x: f32[n]) -> f32[n] where n >= 1 = custom_jvp(f, c)(x) #! E0817
def j(x: f32[n]) -> f32[n] where n >= 1 = custom_jvp(f, d)(x) #! E0817
#### custom_jvp_rule_of_another_name
def f(x: f32) -> f32 = x * x
def bad(p: (f32,), t: (f32,)) -> (f32, f32) = (p.0 * p.0, t.0 * t.0)
let top = fn (p, t) -> (p.0 * p.0, t.0 * t.0)
def named(x: f32, v: f32) -> f32 =
    let r = bad
    jvp(custom_jvp(f, r), (x,), (v,)).1 #! E0817
def field(x: f32, v: f32) -> f32 =
    let rules = {r = bad}
    jvp(custom_jvp(f, rules.r), (x,), (v,)).1 #! E0817
def constant(x: f32, v: f32) -> f32 = jvp(custom_jvp(f, top), (x,), (v,)).1 #! E0817
def compiled(x: f32, v: f32) -> f32 = jvp(custom_jvp(f, jit(bad)), (x,), (v,)).1 #! E0817
#### custom_jvp_rule_that_is_passed
def f(x: f32) -> f32 = x * x
def with_rule(r: ((f32,), (f32,)) -> (f32, f32), x: f32) -> f32 = custom_jvp(f, r)(x)
def right(x: f32) -> f32 = with_rule(fn (p, t) -> (f(p.0), 2.0 * p.0 * t.0), x)
def wrong(x: f32) -> f32 = with_rule(fn (p, t) -> (f(p.0), 1.0), x) #! E0817
#### derivative_through_the_clause_of_a_handler
effect up: (x: f32) -> f32
def f(x: f32) -> f32 =
    with handler up(x) -> resume(nextafter(x, 2.0)) do grad(fn v -> v * up(v))(x) #! E0803
#### derivative_through_a_clause_of_the_caller
effect up: (x: f32) -> f32
def slope(x: f32) -> f32 ! up = grad(fn v -> v * up(v))(x) #! E0803
def f(x: f32) -> f32 = with handler up(x) -> resume(nextafter(x, 2.0)) do slope(x)
def g(x: f32) -> f32 = with handler up(x) -> resume(x * 2.0) do slope(x)
#### custom_jvp_product_in_a_clause
effect ask: (v: f32) -> f32
def f(x: f32) -> f32 = x * x
def run(x: f32) -> f32 = custom_jvp(f, fn (p, t) -> (f(p.0), with handler ask(a) -> resume(a * a) do ask(t.0)))(x) #! E0817
#### rule_that_multiplies_tangents_by_recursion
def power(x: f32, static k: int) -> f32 = if k == 0 then 1.0 else x * power(x, k - 1)
def f(x: f32) -> f32 = custom_jvp(sin, fn (p, d) -> (sin(p.0), power(d.0, 2)))(x) #! E0817
#### result_without_its_axis_by_recursion
def raised(x: f32, static k: int) -> f32 = if k == 0 then x else 1.0 + raised(x, k - 1)
def f(x: f32[n]) -> f32 = vmap(fn v -> raised(v, 2), out_axes=none)(x) #! E0812
#### functions_leave_no_transformation
def aux(x: f32[n]) -> f32 = grad(fn v -> (sum(v * v), fn u -> u * sum(v)), has_aux=true)(x).1(1.0) #! E0819
def again(x: f32[n]) -> f32 = checkpoint(fn v -> fn u -> u * sum(v))(x)(1.0) #! E0819
def forward(x: f32[n]) -> f32 = jvp(fn v -> (fn u -> u * sum(v)), (x,), (x,)).0(1.0) #! E0819
def backward(x: f32[n]) -> f32 = vjp(fn v -> fn u -> u * sum(v), x).0(1.0) #! E0819
def linear(x: f32[n]) -> f32 = linearize(fn v -> fn u -> u * sum(v), x).0(1.0) #! E0819
def mapped(x: f32[n]) -> f32[n] = vmap(fn v -> (v, sin))(x).0 #! E0819
def kept(x: f32[n]) -> f32[n] = custom_vjp(fn v -> v, fn v -> (v, fn u -> u * v), fn (s, ct) -> (s(ct),))(x) #! E0819
def pulled(x: f32[n]) -> f32[n] = custom_vjp(fn v -> v, fn v -> (v, vjp(sin, v).1), fn (s, ct) -> s(ct))(x) #! E0819
def scanned(x: f32[n]) -> f32[n] = associative_scan(fn (a, b) -> a, (x, sin)).0 #! E0303
def stacked(x: f32[n]) -> f32[2, n] = stack(((x, sin), (x, cos))).0 #! E0313
def texts(x: f32[n]) -> f32[2] = stack(("a", "b")) #! E0313
#### value_of_a_rule_computed_from_tangents
def rule(p: (f32[n],), t: (f32[n],)) -> (f32[n], f32[n]) = (sin(p.0) + t.0, t.0)
def f(x: f32[n]) -> f32[n] = custom_jvp(sin, rule)(x) #! E0817
def g(x: f32[n]) -> f32[n] = custom_jvp(sin, fn (p, t) -> (where(p.0 > 0.0, p.0, t.0), t.0))(x) #! E0817
#### static_parameters_by_name_take_no_place
def f(static k: int, x: f32) -> f32 = x * x * k
def itself(x: f32) -> f32 = f(x, k=2) #! E0308
def many(x: f32) -> f32 = grad(f)(x, x, k=2) #! E0308
def few(x: f32) -> f32 = grad(f)(k=2) #! E0307
#### static_number_as_result_of_a_jacobian
def f(x: f32[n + 1]) = jacfwd(fn v -> n)(x) #! E0802
#### static_number_as_result_of_a_hessian
def h(x: f32) -> int = 3
def f(x: f32) = hessian(h)(x) #! E0802
