#### record_field_wins_over_attribute
def f(p: {T: f32, shape: f32[3]}) -> f32 = p.T + sum(p.shape)
#### alias_without_parameters_and_leading_axes
type Cell = {w: f32, b: f32}
def f(c: Cell[n]) -> f32[n] = c.w * c.b
#### alias_with_parameters_and_two_leading_axes
type Vec[d] = f32[d]
def f(x: Vec[d][n, m]) -> f32[n, m, d] = x
#### idx_subtype_under_a_fact
def pick(x: f32[m], i: idx[n]) -> f32 where n <= m = x[i]
#### idx_knows_a_size_is_positive
def f(x: f32[n], i: idx[n]) -> f32 = x[n - 1] + x[0] + max(x) + x[i]
#### slice_with_step_and_bounds
def f(x: f32[n]) -> f32[(n + 1) // 3] where n >= 1 = x[1:n:3]
#### bracket_list_for_a_tuple
def f(x: f32[n], y: f32[m], z: f32[n]) -> (f32[n + m], f32[2, n]) = (concatenate([x, y]), stack([x, z]))
#### size_named_like_a_function_of_the_module
# functions are no constants: in a type, `d` is a size variable here
def d(x: f32) -> f32 = 2.0 * x
def f(x: f32[d]) -> f32[d] = x * 2.0
#### condition_decided_at_check_time
# "without an expected type both have one type, unless `c` is decided at check time"
def f(x: f32[n]) -> f32[n] =
    let y = if 2 > 1 then x else sum(x)
    y
#### misspelled_constant_is_a_new_size
# a warning, no error: the name is a new size variable
let width = 3
def f(x: f32[widht], y: f32[width]) -> f32 = sum(x) + sum(y)
#### minus_k_of_zero
def f(x: f32[n]) -> f32[0] = x[-0:]
#### from_the_end_by_an_expression
def f(x: f32[n], static k: int) -> f32[n - k] where 0 <= k and k <= n = x[:-k]
#### the_middle_is_evaluated_once
def f(x: f32) -> bool ! io = 0.0 < loud(x) < 1.0
def loud(x: f32) -> f32 ! io =
    print("{}", x)
    x
#### method_with_keyword_and_static
def f(x: f32[n, d]) -> f32[n] = x.max(axis=1).clip(0.0, 1.0).reshape([n])
#### pipe_of_three
def f(x: f32[n]) -> f32 = x |> abs |> sqrt |> sum |> fn s -> s / 2.0
#### nested_tuple_patterns_in_lambda
def f(x: f32) -> f32 =
    let g = fn ((a, (b, c)), d) -> a + b * c - d
    g((x, (x, 2.0)), 1.0)
#### loop_pattern_with_nested_tuple
def f(x: f32[n], y: f32[n], z: f32[n]) -> f32 =
    fold s = 0.0 for i, (a, b) in enumerate(zip(x, y)) do s + a * b * z[i]
#### static_record_in_types
let config = {width = 4, depth = 2}
def f(x: f32[n]) -> f32[n, 8] = x[:, None] * ones([1, config.width * config.depth])
#### tuple_type_of_static
def f(x: f32[n], static window: (int, int)) -> f32[n] =
    let (a, b) = window
    x * a + b
#### default_enum
enum Reduction = Mean | Sum
def loss(x: f32[n], *, static how: Reduction = Mean) -> f32 =
    match how with
        Mean -> mean(x)
        Sum -> sum(x)
def f(x: f32[n]) -> f32 = loss(x) + loss(x, how=Sum)
#### size_zero_is_a_size
def f() -> f32[0, 3] = zeros([0, 3])
#### rank_of_a_comprehension_in_a_comprehension
def f(x: f32[a], y: f32[b], z: f32[c]) -> f32[a, b, c] = [[[u * v * w for w in z] for v in y] for u in x]
#### size_named_by_a_parameter
def eye_of(static n: int, x: f32) -> f32[n, n] = x * eye(n)
def f(x: f32[m, m]) -> f32[m, m] = x @ eye_of(m, 2.0)
#### two_dtype_variables_and_a_cast
def weighted[a: Float, b: Real](x: a[n], w: b[n]) -> a = sum(x * cast(w, a)) / cast(sum(w), a)
#### grad_then_vmap_then_jit
def f(w: f32[d], x: f32[d]) -> f32 = tanh(dot(w, x))
def g(w: f32[d], xs: f32[n, d]) -> f32[n, d] = jit(vmap(grad(f), in_axes=(none, 0)))(w, xs)
#### polynomial_identity
def f(x: f32[(n + m) * (n + m)], a: f32[n], b: f32[m]) -> f32[n * n + 2 * n * m + m * m] = x
#### floor_of_shifted_multiple
def f(x: f32[(2 * n + 1) // 2], y: f32[n]) -> f32[n] = x + y
#### remainder_of_a_multiple
def f(x: f32[n + 6 * n % 3], y: f32[n]) -> f32[n] = x + y
#### max_of_shifted
def f(x: f32[max(n + 1, m + 1)], a: f32[n], b: f32[m]) -> f32[max(n, m) + 1] = x
#### min_of_itself_and_more
def f(x: f32[min(n, n + 3)], y: f32[n]) -> f32[n] = x + y
#### nested_floors
def f(x: f32[n // 2 // 3], y: f32[n]) -> f32[n // 6] = x
#### even_from_a_double
def f(x: f32[2 * k]) -> f32[k, 2] = reshape(x, [2 * k // 2, 2])
#### fact_through_a_product
def f(x: f32[n], static a: int, static b: int) -> f32[a, b] where a * b == n = reshape(x, [a, b])
#### fact_through_transitivity
def f(x: f32[a], y: f32[b], z: f32[c]) -> f32[a] where a == b and b == c = x + y + z
#### order_by_linear_reasoning
def f(x: f32[n], y: f32[m]) -> f32[4] where m >= n + 2 and n >= 2 = y[:4] + x[0]
#### static_if_on_divisibility
def f(x: f32[n]) -> f32 =
    if n % 3 == 0 then sum(reshape(x, [n // 3, 3])[:, 0]) else sum(x)
#### effect_in_a_static_branch_declared
def f(x: f32, static verbose: bool) -> f32 ! io =
    if verbose then
        print("{}", x)
        x
    else
        x
#### record_field_named_as_its_type
type loss = {loss: f32}
def f(x: loss) -> f32 = x.loss
