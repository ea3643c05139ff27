#### block_in_a_bracket_dedents
def f(x: f32[n]) -> f32[n] =
    let y = vmap(fn v ->
        let z = v * 2.0
    z + 1.0)(x) #! E0104
    y
#### block_in_a_bracket_half_dedented
def f(x: f32[n]) -> f32[n] =
        let y = vmap(fn v ->
            let z = v * 2.0
          z + 1.0 #! E0104
        )(x)
        y
#### match_without_with
enum A = P | Q
def f(x: f32, static a: A) -> f32 =
    match a #! E0101
        P -> x
        Q -> 0.0
#### fold_without_do
def f(x: f32[n]) -> f32 =
    fold acc = 0.0 for v in x #! E0101
        acc + v
#### iterate_without_do
def f(x: f32) -> f32 =
    iterate y = x while y < 10.0 limit 10 #! E0101
        y * 2.0
#### state_without_do
def f(x: f32) -> (f32, f32) =
    with state s = 0.0 #! E0101
        s := x
        s
#### if_without_then
def f(x: f32) -> f32 =
    if x > 0.0 #! E0101
        x
    else
        -x
#### def_without_equals
def f(x: f32) -> f32 #! E0101
    x + 1.0
#### let_without_equals
def f(x: f32) -> f32 =
    let y: f32 #! E0101
        x + 1.0
    y
#### conditions_in_a_list
def f(x: f32[n], y: f32[m]) -> f32 where n >= 1, m >= 1 = x[0] + y[0] #! E0101
#### clause_with_a_comma_behind_its_block
effect ask: (x: f32) -> f32
def g(x: f32) -> (f32, f32) = with handler ask(a) ->
        let b = a
        resume(b), #! E0101
    state s = 0.0 do ask(x)
#### fold_without_for
def f(xs: f32[n]) -> f32 =
    fold acc = 0.0 in xs do acc + 1.0 #! E0101
#### tuple_pattern_without_parentheses
def f(p: (f32, f32)) -> f32 =
    let a, b = p #! E0101
    a + b
#### type_that_cannot_be_read
type P = {w: f32[3], b f32} #! E0101
def f(p: P) -> f32 = p.b
def g(p: P) -> P = p
#### effect_that_cannot_be_read
effect ask: (x: f32 -> f32 #! E0102
def f(x: f32) -> f32 ! ask = ask(x)
def g(x: f32) -> f32 = with handler ask(a) -> resume(a) do f(x)
#### enum_that_cannot_be_read
enum A = P | Q( #! E0102
def f(x: f32, static a: A) -> f32 = match a with
    P -> x
    Q(s) -> s
def g(x: f32) -> f32 = f(x, a=P)
#### transposed_once_too_often
def f(x: f32[n, d], w: f32[d, k]) -> f32[n, k] = x @ w.T #! E0401
#### reduced_inside_a_function
def f(x: f32[n, m]) -> f32[n, m] = x - log(sum(exp(x), axis=1)) #! E0401
#### bias_of_an_image
def f(x: f32[n, o, h, w], b: f32[o]) -> f32[n, o, h, w] = x + b[:, None, None] #! E0401
#### maximum_meant_along_an_axis
def f(x: f32[n, d]) -> f32[d] where n >= 1 = x.max(0) #! E0402
#### the_other_axis
def f(x: f32[n, d]) -> f32[n] = sum(x, axis=0) #! E0402
#### newaxis
def f(x: f32[n]) -> f32[n, 1] = x[:, newaxis] #! E0201
def g(x: f32[n]) -> f32[n, 1] = x[:, np.newaxis] #! E0201
#### power_by_a_hat
def f(x: f32) -> f32 = x ^ 2 #! E0315
def g(x: f32) -> f32 = (x + 1.0) ^ 2.0 #! E0315
#### size_of_a_shape
def f(x: f32[n]) -> i32 = i32(x.shape.ndim) #! E0309
#### cell_misspelled
def f(x: f32) -> f32 =
    let (r, s) = with state counter = 0.0 do
        couter := x #! E0601
        x
    r + s
#### keys_by_a_remainder_in_a_comprehension
import random
def f(k: key) -> f32[6] =
    let ks = split(k, 3)
    [random.normal(ks[i % 3], []) for i in range(6)] #! E0611
#### size_computed_from_a_parameter
def f(k: i32) -> f32 =
    let m = k * 2
    sum(zeros([m])) #! E0501
#### list_of_arrays_in_stack
def f(x: f32[n]) -> f32[n] = stack([v + 1.0 for v in x]) #! E0303
#### name_in_a_type_without_parameters
type Net = {w: f32[784, h]} #! E0201
#### dtype_of_a_leaf
def f[T: VSpace](t: T) -> T = tree_map(fn x -> nextafter(x, x), t) #! E0332
#### field_that_is_a_function
def f(x: f32[n]) -> f32 = x.mean #! E0309
#### math_module
def f(x: f32) -> f32 = math.sqrt(x) #! E0201
#### for_in_a_call
def f(x: f32[n]) -> f32 = sum(for v in x do v) #! E0101
#### arrays_one_by_one
def f(x: f32[n]) -> f32[2 * n] = concatenate(x, x) #! E0306
#### maximum_of_three
def f(x: f32, y: f32) -> f32 = max(x, y, 0.0) #! E0306
#### arguments_of_vmap
def f(x: f32[n]) -> f32[n] = vmap(fn v -> v * 2.0, x) #! E0501
#### several_arrays_after_in
def f(x: f32[n], y: f32[n]) -> f32[n] = [a * b for a, b in x, y] #! E0101
#### variant_as_a_text
enum A = Relu | Tanh
def f(x: f32, static a: A) -> f32 = if a == "Relu" then x else tanh(x) #! E0315
#### bound_of_a_slice
def f(x: f32[n], m: i32) -> f32 = sum(x[:m]) #! E0423
#### assignment_to_at
def f(x: f32[n]) -> f32[n] = x.at[0] = 1.0 #! E0117
#### float_as_a_parameter
def f(x: float) -> float = x + 1.0 #! E0502
#### pattern_in_brackets
def f(x: f32[3]) -> f32 =
    let [a, b, c] = x #! E0101
    a
#### complex_to_real
def f(x: c64) -> f32 = x * 2.0 #! E0302
#### comparison_of_arrays
def f(x: f32[n], y: f32[n]) -> bool = x == y #! E0402
#### one_behind_the_last
def f(x: f32[n, 3]) -> f32[n] = x[:, 3] #! E0421
#### astype
def f(x: f32[n]) -> f32[n] = astype(x, f64) #! E0201
#### variant_of_its_enum
enum A = Relu | Tanh
def f(x: f32, static a: A) -> f32 = match a with
    A.Relu -> x #! E0209
    A.Tanh -> tanh(x) #! E0209
#### carry_of_indices
def f(x: f32[n], next: idx[n][n], start: idx[n]) -> f32 =
    let i = fold i = start for v in x do next[i] #! E0701
    0.0
#### result_of_a_carry_of_indices
def f(x: f32[n], start: idx[n]) -> f32 =
    let at = fold i = start for v in x do (i + 1) % n
    x[at] #! E0701
#### where_behind_the_body
def f(x: f32[n]) -> f32 = x[-1] - x[1] where n >= 2 #! E0101
#### gradient
def f(x: f32[n]) -> f32 = sum(x ** 2) ** 0.5
def g(x: f32[n]) -> f32[n] = gradient(f)(x) #! E0303
#### record_by_position
type Point = {x: f32, y: f32}
def f(p: Point) -> f32 = p[0] #! E0331
#### record_by_its_type
type Point = {x: f32, y: f32}
def f() -> Point = Point(x=1.0, y=2.0) #! E0201
#### jacobian
def f(x: f32[n]) -> f32[n, n] = jacobian(fn v -> v * v)(x) #! E0201
#### pair_for_its_first
def f(x: f32[n]) -> f32 = fold (a, b) = (0.0, 0.0) for v in x do (a + v, b) #! E0303
#### mask_of_rows
def f(x: f32[n, d], m: bool[n]) -> f32[n, d] = x.at[m].set(0.0) #! E0402
#### column_times_vector
def f(x: f32[n], y: f32[m]) -> f32[n, m] = x[:, None] * y #! E0401
#### axis_by_a_loop
def f(x: f32[n, m]) -> f32 = fold s = 0.0 for i in range(2) do s + sum(sum(x, axis=i)) #! E0501
#### key_of_a_handler
from random import normal
def f(k: key) -> f32 =
    let (x, rest) = with rng(k) do normal(fresh_key()) #! E0314
    x
#### pair_differentiated
def loss(w: f32[n]) -> (f32, f32) = (sum(w), max(w))
def f(w: f32[n]) -> f32[n] = grad(loss)(w) #! E0801
#### step_of_a_record_with_a_count
def step[P: VSpace](p: P, g: P) -> P = p - 0.1 * g
def f(p: {w: f32[3], n: i32}) -> {w: f32[3], n: i32} = step(p, p) #! E0329
#### cell_assigned_in_a_branch
def f(xs: f32[n]) -> (f32, i32) =
    with state c = 0 do
        fold s = 0.0 for x in xs do
            if x > 0.0 then c := c + 1 #! E0114
            s + x
#### size_computed_from_an_array
def f(x: f32[n]) -> f32 =
    let m = i32(sum(x))
    sum(zeros([m])) #! E0501
#### complex_constant_times_a_real_array
def f(x: f32[n]) -> c64[n] = exp(c64(-2.0j * x)) #! E0304
#### module_of_numpy
def f(x: f32[n]) -> f32 = np.sum(x) #! E0201
#### module_of_jax_numpy
def f(x: f32[n]) -> f32[n] = jnp.where(x > 0.0, x, 0.0) #! E0201
#### scan_of_a_module
def f(x: f32[n]) -> f32[n] = lax.scan(x) #! E0124
#### lambda_of_python
def f(x: f32[n]) -> f32[n] = vmap(lambda v: v * 2.0)(x) #! E0129
#### zeros_of_the_usual_dtype
def f(x: f64[n]) -> f64[n] = x + zeros([n]) #! E0301
#### seed_for_a_key
from random import normal
def f() -> f32[3] = normal(0, [3]) #! E0303
#### transposed_vector
def f(x: f32[n]) -> f32 = x.T @ x #! E0402
#### hessian_of_a_vector
def f(x: f32[n]) -> f32[n] = sin(x)
def h(x: f32[n]) -> f32[n, n] = hessian(f)(x) #! E0402
#### multiple_of_three
def thirds(x: f32[3 * n]) -> f32[3, n] = reshape(x, [3, n])
def f(y: f32[m]) -> f32[3, m // 3] = thirds(y) #! E0402
#### traced_seed_for_a_key
def f(x: f32[n], seed: i32) -> f32[n] = with rng(seed) do x #! E0303
#### axis_behind_a_let
def nearest(x: f32[n, d], c: f32[k, d]) -> idx[k][n] where k >= 1 and n >= 1 =
    let far = sum((x[:, None] - c[None]) ** 2, axis=2)
    argmin(far, axis=0) #! E0402
#### column_for_a_vector
def f(w: f32[d, 1], x: f32[n, d]) -> f32[n] = tanh(x @ w) #! E0402
#### arguments_of_a_gradient
def loss(w: f32[d], x: f32[d]) -> f32 = dot(w, x) ** 2
def g(w: f32[d], x: f32[d]) -> f32[d] = grad(loss, w, x) #! E0501
#### arguments_of_a_map
def f(x: f32[n]) -> f32[n] = vmap(sin, x) #! E0501
#### arrays_beside_one_another
def f(x: f32[n], y: f32[m]) -> f32[n + m] = concatenate(x, y) #! E0306
#### power_of_an_integer
def decay(t: i32) -> f32 = 0.9 ** t #! E0304
#### assignment_of_a_name
def softmax(x: f32[n]) -> f32[n] =
    e = exp(x - max(x)) #! E0601
    e / sum(e)
#### rows_for_a_vector
def clamp(x: f32[n]) -> f32[n] = minimum(maximum(x, 0), 1)
def f(x: f32[n, 3]) -> f32[n, 3] = clamp(x) #! E0402
#### cast_to_a_wider_dtype
def f(x: f32[n]) -> f32[n] = x.astype(f64) #! E0201
#### result_that_is_shorter
def f(x: f32[n]) -> f32[n] = [x[i] + x[i + 1] for i in range(n - 1)] #! E0402
#### fold_of_a_function
def f(x: f32[n]) -> f32 = fold(fn (a, b) -> a + b, 0.0, x) #! E0101
#### place_without_an_update
def f(x: f32[n]) -> f32[n] where n >= 1 = x.at[0] + 1.0 #! E0309
#### sizes_of_a_type
type Net = {w: f32[d, h], b: f32[h]} #! E0201 #! E0201 #! E0201
def f(p: Net, x: f32[d]) -> f32[h] = x @ p.w + p.b
#### let_in
def f(x: f32[n]) -> f32 = let m = mean(x) in sum((x - m) ** 2) #! E0101
#### guards
def f(x: f32) -> f32
  | x > 0.0 = x #! E0101
  | otherwise = 0.0
#### lambda_of_haskell
def f(x: f32[n]) -> f32[n] = vmap(\v -> v * 2.0)(x) #! E0129
#### axis_of_torch
def f(x: f32[n]) -> f32[n, 1] = x.unsqueeze(1) #! E0201
#### dim_of_torch
def f(x: f32[n, m]) -> f32[n] = sum(x, dim=1) #! E0308
#### operator_as_a_function
def f(x: f32[n]) -> f32[n] = foldl (+) 0.0 x #! E0101
#### case_of
def f(static k: int) -> f32 = case k of #! E0114
    0 -> 1.0
    _ -> 2.0
#### where_that_binds
def f(x: f32) -> f32 = y * 2.0
    where y = x + 1.0 #! E0101
#### dollar
def f(x: f32[n]) -> f32 = sum $ exp x #! E0108
#### carry_without_a_value
def f(x: f32[n]) -> f32 =
    let s = 0.0
    fold s for v in x do s + v #! E0101
#### scan_without_an_output
def f(x: f32[n]) -> (f32, f32[n]) = scan s = 0.0 for v in x do s + v #! E0310
#### parameters_without_parentheses
def f(x: f32[n]) -> f32[n] = vmap(fn v, i -> v * i)(x, x) #! E0101
#### gradient_of_a_record_with_a_count
def loss(p: {w: f32[d], n: i32}) -> f32 = sum(p.w)
def g(p: {w: f32[d], n: i32}) -> {w: f32[d], n: i32} = grad(loss)(p) #! E0802
#### product_of_matrices
def f(a: f32[n, m], b: f32[m, k]) -> f32[n, k] = a * b #! E0401
#### record_changed_without_braces
type Opt = {m: f32[3], v: f32[3]}
def f(s: Opt) -> Opt = s with m = s.v #! E0101
#### field_by_a_string
type Net[d, h] = {w: f32[d, h], b: f32[h]}
def f(p: Net[d, h], x: f32[d]) -> f32[h] = x @ p["w"] + p.b #! E0331
#### column_less_a_vector
def loss(w: f32[d, 1], x: f32[n, d], y: f32[n]) -> f32 =
    mean((x @ w - y) ** 2) #! E0401
#### label_of_a_row
def loss(scores: f32[n, k], y: i32[n]) -> f32 =
    -sum([scores[i, y[i]] for i in range(n)]) #! E0701
#### unchecked_argument
def embed(table: f32[v, d], tokens: idx[v][t]) -> f32[t, d] = table[tokens]
def scores(table: f32[v, d], tokens: i32[t]) -> f32[t, v] =
    embed(table, tokens) @ table.T #! E0701
#### unchecked_update
def histogram(x: f32[n], static bins: int) -> i32[bins] =
    let bin = i32(x * f32(bins))
    zeros([bins], i32).at[bin].add(1) #! E0701
#### while_in_a_let
def root(x: f32, tol: f32) -> f32 =
    let y = while abs(x * x - 2.0) > tol do 0.5 * (x + 2.0 / x) #! E0101
    y
#### draw_without_a_key
import random
def noisy(x: f32[n]) -> f32[n] =
    x + random.normal([n]) #! E0303
#### leaves_of_a_generic_tree
def size[S: VSpace](e: S) -> f32 =
    tree_reduce(fn (a, l) -> maximum(a, max(abs(l))), e, 0.0) #! E0332
#### steps_that_are_computed
def decayed(x: f32, rate: f32) -> f32 =
    let steps = i32(x / rate)
    fold x = x for _ in range(steps) do 0.9 * x #! E0501
#### unchecked_field
type Sample[n] = {at: idx[n], weight: f32}
def read(t: f32[n], s: Sample[n]) -> f32 = t[s.at] * s.weight
def lookup(t: f32[n], i: i32, w: f32) -> f32 =
    read(t, {at = i, weight = w}) #! E0701
#### index_of_a_record
def lookup(t: f32[n], p: {at: i32, weight: f32}) -> f32 =
    t[p.at] * p.weight #! E0701
#### variant_behind_a_let
enum Step = Fixed(k: size) | Free
def f(x: f32[n], static s: Step) =
    let Fixed(k) = s #! E0128
    x
#### variant_in_a_tuple
enum Step = Fixed(k: size) | Free
def f(x: f32[n], static s: Step) =
    let (Fixed(k), y) = (s, x) #! E0128
    y
#### variant_in_a_comprehension
def f(xs: f32[n]) = [k for Fixed(k) in xs] #! E0128
#### variant_as_a_parameter
def f(x: f32) = (fn Fixed(k) -> k)(x) #! E0128
#### literal_in_a_comprehension
def f(x: f32[n]) = [a for (a, 0) in zip(x, range(n))] #! E0128
#### negative_literal_behind_a_let
def f(x: f32) =
    let -1 = x #! E0128
    x
#### function_behind_a_let
def f(x: f32) =
    let double(y) = 2.0 * y #! E0128
    double(x)
