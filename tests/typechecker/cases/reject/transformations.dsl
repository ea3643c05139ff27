#### grad_of_a_vector_function
def f(x: f32[n]) -> f32[n] = tanh(x)
def g(x: f32[n]) -> f32[n] = grad(f)(x) #! E08
#### grad_of_loss_without_mean
def loss(w: f32[d], x: f32[n, d], y: f32[n]) -> f32[n] = (x @ w - y) ** 2
def step(w: f32[d], x: f32[n, d], y: f32[n]) -> f32[d] = w - 0.1 * grad(loss)(w, x, y) #! E08
#### grad_of_a_tuple
def f(x: f32) -> (f32, f32) = (x, x)
def g(x: f32) -> f32 = grad(f)(x) #! E08
#### grad_of_an_integer_result
def f(x: f32[n]) -> i32 = sum(x > 0.0)
def g(x: f32[n]) -> f32[n] = grad(f)(x) #! E08
#### grad_of_an_integer_argument
def f(k: i32) -> f32 = f32(k) * 2.0
def g(k: i32) -> f32 = grad(f)(k) #! E08
#### grad_of_a_record_with_a_counter
type State = {w: f32, steps: i32}
def loss(s: State) -> f32 = s.w ** 2
def g(s: State) -> State = grad(loss)(s) #! E08
#### grad_argnums_out_of_range
def f(x: f32, y: f32) -> f32 = x * y
def g(x: f32, y: f32) -> f32 = grad(f, argnums=2)(x, y) #! E08
#### grad_argnums_of_labels
def loss(w: f32[d], ids: i32[n]) -> f32 = sum(w) * f32(sum(ids))
def g(w: f32[d], ids: i32[n]) -> i32[n] = grad(loss, argnums=1)(w, ids) #! E08
#### grad_has_aux_without_pair
def loss(w: f32[d]) -> f32 = sum(w)
def g(w: f32[d]) -> (f32[d], f32) = grad(loss, has_aux=true)(w) #! E08
#### grad_of_no_arguments
def f() -> f32 = 1.0
def g() -> f32 = grad(f)() #! E08
#### grad_of_a_value
def f(x: f32) -> f32 = x * x
def g(x: f32) -> f32 = grad(f(x)) #! E03|E08
#### grad_forgotten_call
def f(x: f32) -> f32 = x * x
def g(x: f32) -> f32 = grad(f) #! E03
#### grad_called_with_too_many
def f(x: f32) -> f32 = x * x
def g(x: f32) -> f32 = grad(f)(x, x) #! E03
#### grad_inner_type
def f(x: f32[3]) -> f32 = sum(x)
def g(x: f32[4]) -> f32[4] = grad(f)(x) #! E04
#### grad_inner_dtype
def f(x: f64) -> f64 = x * x
def g(x: f32) -> f32 = grad(f)(x) #! E03
#### grad_result_type
def loss(w: f32[d], x: f32[n, d]) -> f32 = sum(x @ w)
def g(w: f32[d], x: f32[n, d]) -> f32[n, d] = grad(loss)(w, x) #! E04
#### grad_result_is_the_value
def loss(w: f32[d]) -> f32 = sum(w)
def g(w: f32[d]) -> f32 = grad(loss)(w) #! E04
#### value_and_grad_is_a_pair
type P[d] = {w: f32[d], b: f32}
def loss(p: P[d], x: f32[d]) -> f32 = dot(p.w, x) + p.b
def step(p: P[d], x: f32[d]) -> P[d] = p - 0.1 * value_and_grad(loss)(p, x) #! E03
#### value_and_grad_swapped
type P[d] = {w: f32[d], b: f32}
def loss(p: P[d], x: f32[d]) -> f32 = dot(p.w, x) + p.b
def step(p: P[d], x: f32[d]) -> P[d] =
    let (g, v) = value_and_grad(loss)(p, x)
    p - g #! E03
#### reverse_through_unlimited_iteration
def root(a: f32) -> f32 ! div = iterate x = a while abs(x * x - a) > 1e-6 do 0.5 * (x + a / x)
def f(a: f32) -> f32 ! div = grad(root)(a) #! E0805
#### reverse_through_unlimited_iteration_in_a_callee
def root(a: f32) -> f32 ! div = iterate x = a while abs(x * x - a) > 1e-6 do 0.5 * (x + a / x)
def loss(w: f32[n]) -> f32 ! div = root(sum(w ** 2))
def f(w: f32[n]) -> f32[n] ! div = grad(loss)(w) #! E0805
#### grad_drops_an_effect
def loss(x: f32) -> f32 ! io =
    print("{}", x)
    x ** 2
def f(x: f32) -> f32 = grad(loss)(x) #! E07
#### vmap_sizes_disagree
def add(x: f32, y: f32) -> f32 = x + y
def f(x: f32[n], y: f32[m]) -> f32[n] = vmap(add)(x, y) #! E08
#### vmap_axis_out_of_range
def norm(x: f32) -> f32 = abs(x)
def f(x: f32[n]) -> f32[n] = vmap(norm, in_axes=1)(x) #! E08
#### vmap_nothing_mapped
def add(x: f32, y: f32) -> f32 = x + y
def f(x: f32, y: f32) -> f32 = vmap(add, in_axes=(none, none))(x, y) #! E08
#### vmap_over_a_scalar
def norm(x: f32) -> f32 = abs(x)
def f(x: f32) -> f32 = vmap(norm)(x) #! E08
#### vmap_in_axes_count
def add(x: f32, y: f32) -> f32 = x + y
def f(x: f32[n], y: f32[n]) -> f32[n] = vmap(add, in_axes=(0, 0, 0))(x, y) #! E08
#### vmap_wrong_axis
def norm(x: f32[3]) -> f32 = sqrt(sum(x ** 2))
def f(x: f32[3, 5]) -> f32[5] = vmap(norm)(x) #! E04
#### vmap_of_one_too_many_axes
def norm(x: f32[d]) -> f32 = sqrt(sum(x ** 2))
def f(x: f32[n]) -> f32[n] = vmap(norm)(x) #! E04
#### vmap_unmapped_is_needed
def dot_of(x: f32[d], y: f32[d]) -> f32 = sum(x * y)
def f(x: f32[d], ys: f32[n, d]) -> f32[n] = vmap(dot_of)(x, ys) #! E04|E08
#### vmap_result_shape
def shifted(x: f32[d], b: f32) -> f32[d] = x + b
def f(x: f32[d], bs: f32[n]) -> f32[d, n] = vmap(shifted, in_axes=(none, 0))(x, bs) #! E04
#### vmap_out_axes_out_of_range
def norm(x: f32[d]) -> f32 = sqrt(sum(x ** 2))
def f(x: f32[n, d]) -> f32[n] = vmap(norm, out_axes=1)(x) #! E08
#### vmap_static_mapped
def power(x: f32, static k: int) -> f32 = x ** k
def f(x: f32[n], ks: i32[n]) -> f32[n] = vmap(power)(x, k=ks) #! E05|E08
#### grad_static_argnum
def power(x: f32, static k: int) -> f32 = x ** k
def f(x: f32) -> f32 = grad(power, argnums=1)(x, k=3) #! E08
#### per_example_without_in_axes
def loss(w: f32[d], x: f32[d], y: f32) -> f32 = (dot(w, x) - y) ** 2
def f(w: f32[d], xs: f32[n, d], ys: f32[n]) -> f32[n, d] = vmap(grad(loss))(w, xs, ys) #! E04|E08
#### jvp_tangent_shape
def f(x: f32[n]) -> f32 = sum(x)
def g(x: f32[n], v: f32[m]) -> (f32, f32) = jvp(f, (x,), (v,)) #! E08|E04
#### jvp_tangent_count
def f(x: f32, y: f32) -> f32 = x * y
def g(x: f32, y: f32) -> (f32, f32) = jvp(f, (x, y), (1.0,)) #! E08|E03
#### jvp_primals_not_a_tuple
def f(x: f32) -> f32 = x * x
def g(x: f32) -> (f32, f32) = jvp(f, x, x) #! E08|E03
#### vjp_cotangent_shape
def f(x: f32[n], w: f32[m, n]) -> f32[m] = w @ x
def g(x: f32[n], w: f32[m, n]) -> f32[n] =
    let (_, pull) = vjp(fn v -> f(v, w), x)
    pull(x).0 #! E04
#### vjp_pull_gives_a_tuple
def f(x: f32[n]) -> f32 = sum(x ** 2)
def g(x: f32[n]) -> f32[n] =
    let (_, pull) = vjp(f, x)
    pull(1.0) #! E03
#### hessian_of_a_vector_function
def f(x: f32[n]) -> f32[n] = x ** 3
def h(x: f32[n]) -> f32[n, n] = hessian(f)(x) #! E04|E08
#### hessian_shape
def f(x: f32[n]) -> f32 = sum(x ** 3)
def h(x: f32[n]) -> f32[n] = hessian(f)(x) #! E04
#### jacobian_shape
def f(x: f32[n], a: f32[m, n]) -> f32[m] = a @ x
def j(x: f32[n], a: f32[m, n]) -> f32[n, m] = jacrev(f)(x, a) #! E04
#### hvp_direction
def f(x: f32[n]) -> f32 = sum(x ** 3)
def g(x: f32[n], v: f32[n, n]) -> f32[n] = hvp(f, x, v) #! E08|E04
#### custom_jvp_result
def f(x: f32) -> f32 = x * x
def rule(primals: (f32,), tangents: (f32,)) -> f32 = 2.0 * primals.0 * tangents.0
def g(x: f32) -> f32 = custom_jvp(f, rule)(x) #! E08|E03
#### custom_jvp_not_linear
def f(x: f32) -> f32 = x * x
def rule(primals: (f32,), tangents: (f32,)) -> (f32, f32) = (primals.0 ** 2, tangents.0 ** 2)
def g(x: f32) -> f32 = custom_jvp(f, rule)(x) #! E08
#### custom_vjp_cotangent_count
def f(x: f32, y: f32) -> f32 = x * y
def fwd(x: f32, y: f32) -> (f32, (f32, f32)) = (x * y, (x, y))
def bwd(saved: (f32, f32), ct: f32) -> (f32,) = (ct * saved.1,)
def g(x: f32, y: f32) -> f32 = custom_vjp(f, fwd, bwd)(x, y) #! E08|E03
#### custom_vjp_cotangent_type
def f(x: f32[n]) -> f32 = sum(x)
def fwd(x: f32[n]) -> (f32, ()) = (sum(x), ())
def bwd(saved: (), ct: f32) -> (f32,) = (ct,)
def g(x: f32[n]) -> f32 = custom_vjp(f, fwd, bwd)(x) #! E08|E04
#### checkpoint_of_a_number
def g(x: f32) -> f32 = checkpoint(x)(x) #! E03|E08
#### grad_with_positional_argnums_by_name_misspelled
def f(x: f32, y: f32) -> f32 = x * y
def g(x: f32, y: f32) -> f32 = grad(f, argnum=1)(x, y) #! E03|E02
#### second_grad_of_vector
def f(x: f32[n]) -> f32 = sum(x ** 3)
def g(x: f32[n]) -> f32[n] = grad(grad(f))(x) #! E08
#### grad_of_branching_vector
def f(x: f32[n], c: bool) -> f32[n] = if c then x else -x
def g(x: f32[n], c: bool) -> f32[n] = grad(f)(x, c) #! E08
#### errors_inside_a_mapped_lambda
def f(xs: f32[n, d], w: f32[k]) -> f32[n] = vmap(fn x -> dot(x, w))(xs) #! E04
#### collective_after_grad
def f(x: f32) -> f32 ! axis("i") = psum(x, "i")
def g(x: f32) -> f32 = grad(f)(x) #! E07

#### rule_whose_parameter_has_no_type
def f(x: f32) -> f32 = x * x
def rule(p: (f32,), t) -> (f32, f32) = (f(p.0), 2.0 * p.0) #! E0318
def run(x: f32) -> f32 = grad(custom_jvp(f, rule))(x)
#### derivative_of_the_first_argument_alone
def rounded(x: f32[n], levels: f32) -> f32[n] = round(x * levels) / levels
def forward(x: f32[n], levels: f32) -> (f32[n], f32) = (rounded(x, levels), levels)
def backward(levels: f32, ct: f32[n]) -> f32[n] = ct
def through(x: f32[n], levels: f32) -> f32[n] = custom_vjp(rounded, forward, backward)(x, levels) #! E0813
