#### functions_of_numpy
def softplus(x: f32[n]) -> f32[n] =
    np.log1p(np.exp(x)) #! E0201
#### lists_joined
def features(x: f32[n, d], y: f32[n, k]) -> f32[n, d + k] =
    torch.cat([x, y], dim=1) #! E0201
#### view
def head(x: f32[b, h, w], p: f32[h * w, o]) -> f32[b, o] =
    let flat = x.view(b, -1) #! E0201
    flat @ p
#### number_of_an_array
def loss(p: f32[n], t: f32[n]) -> f32 =
    let l = mean((p - t) ** 2)
    l.item() #! E0201
#### cast_by_float
def accuracy(p: i32[n], y: i32[n]) -> f32 =
    mean(float(p == y)) #! E0201
#### observed_by_comparison
def observed(y: f64[n]) -> i32 =
    sum(i32(y != nan)) #! E0315
#### missing_by_comparison
def step(m: f64, y: f64) -> f64 =
    if y == nan then m else 0.5 * (m + y) #! E0315
#### half_of_a_size
def halves(x: f32[n]) -> f32 =
    let h = int(n / 2) #! E0305
    sum(x[:h]) - sum(x[h:])
#### new_axes
def outer_add(x: f32[n], y: f32[m]) -> f32[n, m] =
    x.unsqueeze(1) + y.unsqueeze(0) #! E0201
#### branches_as_functions
def safe(x: f32) -> f32 =
    cond(x > 0.0, fn v -> sqrt(v), fn v -> 0.0 * v, x) #! E0201
#### softmax_of_rows
def p(x: f32[b, k]) -> f32[b, k] where k >= 1 =
    F.softmax(x, dim=-1) #! E0201
#### module_that_is_not_imported
def p(x: f32[n]) -> f32 =
    np.linalg.norm(x) #! E0201
#### dtype_of_a_package
def p(x: f32[k]) -> f32[k] =
    zeros([k], dtype=np.float32) + x #! E0201
#### constant_of_a_package
def p(x: f32[k]) -> f32[k] =
    where(x > 0.0, x, -np.inf) #! E0201
#### bounds_by_name
def p(x: f32[k]) -> f32[k] =
    x.clamp(min=0.0, max=1.0) #! E0201
#### function_of_a_module
def p(x: f32[n, k], w: f32[k, m]) -> f32[n, m] =
    torch.relu(x @ w) #! E0201
#### transformation_of_a_package
def loss(w: f32[d]) -> f32 = sum(w * w)
def p(w: f32[d]) -> f32[d] =
    w - 0.1 * jax.grad(loss)(w) #! E0201
#### axes_one_by_one
def p(x: f32[b, h, w, c]) -> f32[b, c, h, w] =
    x.permute(0, 3, 1, 2) #! E0201
#### number_of_elements
def p(x: f32[b, c]) -> f32 =
    sum(x) / f32(x.numel()) #! E0201
#### record_by_a_function
type P[d] = {w: f32[d], b: f32}
def p(w: f32[d], b: f32) -> P[d] =
    dict(w=w, b=b) #! E0201
#### function_mapped
def p(x: f32[n]) -> f32[n] =
    map(fn v -> v * v, x) #! E0201
#### array_of_a_list
def p(x: f32[3]) -> f32 =
    dot(x, np.array([1.0, 2.0, 3.0])) #! E0201
#### loop_as_a_function
def p(a: f32) -> f32 =
    while_loop(fn x -> abs(x * x - a) > 0.001, fn x -> 0.5 * (x + a / x), a) #! E0201
#### power_as_a_function
def p(x: f32[n]) -> f32 =
    sum(pow(x, 2)) #! E0201
#### loop_over_numbers_as_a_function
def f(a: f32[n, n], v: f32[n]) -> f32[n] =
    jax.lax.fori_loop(0, 10, fn (i, u) -> a @ u, v) #! E0201
#### where_that_fills
def f(x: f32[n, m], keep: bool[n, m]) -> f32[n, m] =
    x.masked_fill(keep, -1e9) #! E0201
#### carry_in_parentheses
def smoothed(x: f32[n], a: f32) -> f32[n] =
    let (_, y) = scan (s = 0.0) for v in x do #! E0101
        let s = a * v + (1.0 - a) * s
        (s, s)
    y
#### values_in_a_string
def step(w: f32[d], g: f32[d], lr: f32) -> f32[d] ! io =
    let norm = sqrt(sum(g * g))
    print(f"norm {norm}") #! E0109
    w - lr * g
#### sum_in_a_loop
def total(x: f32[n]) -> f32 =
    let s = 0.0
    for v in x do #! E0114
        s += v
    s
#### shape_of_one_size
def counts(ids: idx[k][n], static k: int) -> i32[k] =
    zeros(k, dtype=i32).at[ids].add(1) #! E0303
#### letters_of_a_result
def attention(q: f32[b, h, t, d], k: f32[b, h, s, d]) -> f32[b, h, t, s] =
    einsum("bhtd,bhsd->bhst", q, k) / sqrt(f32(d)) #! E0402
#### letters_of_an_operand
def proj(x: f32[b, t, d], w: f32[d, h, e]) -> f32[b, t, h, e] =
    einsum("btd,hde->bthe", x, w) #! E0401
#### last_to_first
def evens_rev(x: f32[n]) -> f32[n] =
    x[-1::-1] #! E0424
#### elements_in_a_loop
def hist(ids: i32[n], w: f32[n]) -> f32[10] =
    let h = zeros(10)
    for i in range(n): #! E0114
        h[ids[i]] += w[i]
    h
#### while_as_a_statement
def newton(a: f32) -> f32 =
    let x = a
    while abs(x * x - a) > 1e-6: #! E0114
        x = 0.5 * (x + a / x)
    x
#### function_in_a_block
def fit(x: f32[n], y: f32[n], w: f32) -> f32 =
    def loss(w): #! E0121
        return mean((x * w - y) ** 2)
    w - 0.1 * grad(loss)(w)
#### parts_of_parts
def loss(w: f32[d], x: f32[n, d], y: f32[n]) -> (f32, f32[n]) where n >= 1 =
    let p = x @ w
    (mean((p - y) ** 2), p)
def step(w: f32[d], x: f32[n, d], y: f32[n]) -> f32[d] where n >= 1 =
    let (value, aux, g) = value_and_grad(loss, has_aux=true)(w, x, y) #! E0314
    w - 0.1 * g
#### items_several_times
def padded(x: f32[n]) -> f32[n + 3] =
    concatenate([x, [0.0] * 3]) #! E0402
#### print_without_a_place
def debug(x: f32[n]) -> f32 =
    let s = sum(x)
    print("sum", s) #! E0327
    s
#### scan_of_functions
def cum(x: f32[n]) -> f32[n] =
    let (_, ys) = lax.scan(fn (c, v) -> (c + v, c + v), 0.0, x) #! E0124
    ys
#### condition_behind_its_value
def clip1(x: f32) -> f32 =
    x if x < 1.0 else 1.0 #! E0120
#### values_appended
def products(x: f32[n], y: f32[n]) -> f32[n] =
    let out = []
    for i, v in enumerate(x): #! E0114
        out.append(v * y[i])
    return out #! E0114
#### several_names_in_a_loop
def moments(x: f32[n]) -> (f32, f32) =
    let total = 0.0
    let square = 0.0
    for v in x: #! E0114
        d = v - 1.0
        total += d
        square += d * d
    (total, square)
#### field_by_another_name
type Net[i, o] = {weight: f32[i, o], bias: f32[o]}
def forward(p: Net[i, o], x: f32[n, i]) -> f32[n, o] = x @ p.weight + p.bias
def main(w: f32[i, o], b: f32[o], x: f32[n, i]) -> f32[n, o] =
    forward({weight = w, b = b}, x) #! E0309
#### window_of_one_number
import nn
def pool(x: f32[b, c, h, w]) -> f32[b, c, h // 2, w // 2] =
    nn.max_pool(x, 2, strides=2) #! E0402
#### field_that_is_called
type Belief[d] = {mean: f32[d], cov: f32[d, d]}
def predict(b: Belief[d], f: f32[d, d], q: f32[d, d]) -> Belief[d] =
    let m = f @ b.mean
    let p = f @ b.cov @ f.T() + q #! E0201
    {mean = m, cov = p}
#### words_for_arrays
def inside(x: f32[n], a: f32, b: f32) -> bool[n] =
    x > a and x < b #! E0324
#### negation_of_an_array
def outside(x: bool[n]) -> bool[n] =
    not x #! E0324
#### reduced_along_one_axis
def frob(x: f32[n, m]) -> f32 =
    sqrt(sum(x ** 2, axis=0)) #! E0402
#### power_by_a_hat_of_indices
def poly(x: f32[n], c: f32[k]) -> f32[n] =
    sum([c[i] * x ^ i for i in range(k)], axis=0) #! E0301
#### key_beside_an_unused_one
import random
def mh(k: key, x: f32, logp: (f32) -> f32) -> f32 =
    let (k1, k2) = random.split(k)
    let y = x + random.normal(k1)
    let a = logp(y) - logp(x)
    if log(random.uniform(k1)) < a then y else x #! E0610
#### two_names_without_parentheses
def leapfrog(q: f32[d], p: f32[d], u: (f32[d]) -> f32, eps: f32, static steps: int) -> (f32[d], f32[d]) where steps >= 0 =
    fold q, p = q, p for _ in range(steps) do #! E0101
        let p = p - 0.5 * eps * grad(u)(q)
        let q = q + eps * p
        (q, p - 0.5 * eps * grad(u)(q))
#### gradient_of_a_call
def loss(p: f32[d], x: f32[n, d], y: f32[n]) -> f32 where n >= 1 = mean((x @ p - y) ** 2)
def train(p: f32[d], x: f32[n, d], y: f32[n]) -> f32[d] where n >= 1 =
    let g = grad(loss(p, x, y)) #! E0814
    p - 0.1 * g
#### arguments_in_a_tuple
def dist(a: f32[d], b: f32[d]) -> f32 = sqrt(sum((a - b) ** 2))
def pdist(x: f32[n, d], y: f32[n, d]) -> f32[n] =
    vmap(dist, in_axes=0)((x, y)) #! E0307
#### compiled_function
@jit #! E0122
def f(x: f32[n]) -> f32[n] = x * 2.0
#### text_above_a_body
def f(x: f32[n]) -> f32[n] =
    """Doubles x.""" #! E0109
    x * 2.0
#### tensor_for_a_dtype
def f(x: Tensor[n, d]) -> Tensor[n] = #! E0202
    sum(x, axis=1)
#### y
def f(x: f32[n]) -> f32[n]: #! E0118
    x * 2.0
#### x
def center(x: f32[n, d]) -> f32[n, d] =
    x - x.mean(axis=0, keepdims=True) #! E0116
#### results_without_parentheses
def stats(x: f32[n]) -> f32, f32 = #! E0101
    (mean(x), std(x))
#### variant_without_its_fields
enum Kernel = Rbf(gamma: float) | Linear
def kern(static k: Kernel, x: f32[d], y: f32[d]) -> f32 =
    match k with
        Rbf -> exp(-sum((x - y) ** 2)) #! E0314
        Linear -> dot(x, y)
#### case_of_python
enum Kernel = Rbf(gamma: float) | Linear
def kern(static k: Kernel, x: f32[d], y: f32[d]) -> f32 =
    match k: #! E0118
        case Rbf(g): exp(-g * sum((x - y) ** 2)) #! E0114
        case Linear: dot(x, y)
#### field_in_another_case
type Layer[i, o] = {w: f32[i, o], b: f32[o]}
def mlp(l1: Layer[i, h], l2: Layer[h, o], x: f32[n, i]) -> f32[n, o] =
    let h1 = tanh(x @ l1.w + l1.b)
    h1 @ l2.W + l2.b #! E0309
#### choice_in_a_comprehension
def huber(r: f32[n], d: f32) -> f32[n] =
    [0.5 * v ** 2 if abs(v) < d else d * (abs(v) - 0.5 * d) for v in r] #! E0120
#### infinity_of_python
def causal(s: f32[b, h, t, t]) -> f32[b, h, t, t] =
    let i = arange(t)
    s.masked_fill(i[:, None] < i[None, :], float("-inf")) #! E0201
#### entries_of_in_axes
def lossf(w: f32[d], x: f32[d], y: f32) -> f32 = (dot(w, x) - y) ** 2
def total(w: f32[d], xs: f32[n, d], ys: f32[n]) -> f32 where n >= 1 =
    mean(vmap(lossf, in_axes=(none, 0))(w, xs, ys)) #! E0809
#### one_step_too_few
def conv1(x: f32[n], k: f32[m]) -> f32[n - m + 1] where 1 <= m and m <= n =
    [dot(x[i:i+m], k[::-1]) for i in range(n - m)] #! E0402
#### generator_in_a_call
def trace1(a: f32[n, n]) -> f32 =
    sum(a[i][i] for i in range(n)) #! E0101
#### counted_by_an_if
def count(x: f32[n]) -> i32 =
    let c = 0
    for v in x: #! E0114
        if v > 0:
            c += 1
    c
#### rolled_along_axes
def laplacian(u: f32[n, m]) -> f32[n, m] =
    np.roll(u, 1, 0) + np.roll(u, -1, 0) + np.roll(u, 1, 1) + np.roll(u, -1, 1) - 4 * u #! E0201
#### default_without_a_type
def sgd(w: f32[d], g: f32[d], lr=0.1) -> f32[d] = #! E0318
    w - lr * g
#### squeezed_axis
def mse(p: f32[n, 1], y: f32[n]) -> f32 where n >= 1 =
    mean((p.squeeze() - y) ** 2) #! E0307
#### update_dropped
def f(x: f32[n]) -> f32[n] where n >= 1 =
    x.at[0].set(1.0) #! E0110
    x
#### semicolon_in_a_record
type Params[d] = {w: f32[d], b: f32}
def step(p: Params[d], g: Params[d], lr: f32) -> Params[d] =
    {w = p.w - lr * g.w; b = p.b - lr * g.b} #! E0108
#### elements_summed
def energy(x: f32[n]) -> f32 =
    let total = 0.0
    for i in range(n) do #! E0114
        total = total + x[i]**2
    total
#### shapes_one_by_one
def mha(q: f32[t, d], k: f32[t, d], v: f32[t, d], static heads: int) -> f32[t, d] where heads >= 1 and d % heads == 0 =
    let qh = q.reshape(t, heads, d // heads) #! E0307
    let kh = k.reshape(t, heads, d // heads) #! E0307
    let vh = v.reshape(t, heads, d // heads) #! E0307
    let s = einsum("thd,shd->hts", qh, kh) / sqrt(d // heads)
    einsum("hts,shd->thd", s, vh).reshape(t, d)
#### cell_by_an_equals_sign
def stateful(xs: f32[n]) -> (f32, f32) =
    with state s = 0.0 do
        fold _ = 0.0 for x in xs do
            s = s + x #! E0601
            0.0
#### places_one_after_another
def confusion(y: idx[k][n], p: idx[k][n], static k: int) -> i32[k, k] =
    zeros([k, k], i32).at[y][p].add(1) #! E0309
#### element_of_rows
def gather2(x: f32[n, m], i: idx[n][t], j: idx[m][t]) -> f32[t] =
    x[i][j] #! E0402 E0701
#### variant_in_another_case
enum Loss = Mse | Mae
def loss(static kind: Loss, p: f32[n], y: f32[n]) -> f32 where n >= 1 =
    match kind with
        Mse -> mean((p - y) ** 2)
        MAE -> mean(abs(p - y)) #! E0209
#### pair_without_parentheses
def momentum(w: f32[d], v: f32[d], g: f32[d]) -> (f32[d], f32[d]) =
    let v = 0.9 * v + g
    let w = w - 0.1 * v
    w, v #! E0101
#### distance_along_another_axis
def rbf(x: f32[n, d], y: f32[m, d], g: f32) -> f32[n, m] =
    exp(-g * sum((x[:, None, :] - y[None, :, :]) ** 2, axis=1)) #! E0402
#### block_of_an_image
def crop_center(img: f32[h, w], static s: int) -> f32[s, s] where s <= h and s <= w =
    let top = (h - s) // 2
    let left = (w - s) // 2
    img[top : top + s][left : left + s] #! E0402
#### numbers_of_fibonacci
def fib(static n: int) -> i32 where n >= 2 =
    let f = zeros([n], i32)
    f[1] = 1
    for i in range(2, n): #! E0114
        f[i] = f[i - 1] + f[i - 2]
    f[n - 1]
#### vector_taken_apart
def lorenz(s: f32[3]) -> f32[3] =
    let x, y, z = s #! E0101
    [10.0 * (y - x), x * (28.0 - z) - y, x * y - 8.0 / 3.0 * z]
#### loops_in_a_comprehension
def game(b: bool[h, w]) -> bool[h, w] =
    let n = sum([roll(roll(b, i, axis=0), j, axis=1) for i in (-1, 0, 1) for j in (-1, 0, 1)]) #! E0101
    (n == 3) | (b & (n == 4))
#### record_changed_by_stars
type Opt[d] = {mu: f32[d], nu: f32[d], count: i32}
def bump(o: Opt[d]) -> Opt[d] =
    {**o, count = o.count + 1} #! E0101
#### sizes_by_methods
def flatten(x: f32[b, c, h, w]) -> f32[b, c * h * w] =
    x.view(x.size(0), -1) #! E0201
#### function_by_an_arrow
def richardson(f: (f32) -> f32, x: f32) -> f32 =
    let d = h -> (f(x + h) - f(x - h)) / (2 * h) #! E0129
    (4 * d(0.01) - d(0.02)) / 3
#### solution_updated
def tri_solve(l: f32[n, n], b: f32[n]) -> f32[n] =
    fold x = zeros([n]) for i in range(n) do
        x[i] = (b[i] - dot(l[i], x)) / l[i, i] #! E0603
        x
#### functions_in_a_loop
def seq(fs: ((f32) -> f32, (f32) -> f32), x: f32) -> f32 =
    for f in fs: #! E0114
        x = f(x)
    return x #! E0114
#### values_in_an_assertion
def normalise(x: f32[n]) -> f32[n] where n >= 1 =
    assert std(x) > 0, f"constant input {x}" #! E0109
    (x - mean(x)) / std(x)
#### mode_chosen
enum Kind = Train | Test
def forward(static kind: Kind, x: f32[n]) -> f32[n] =
    x * 0.5 if kind == Kind.Train else x #! E0120
#### starred_rest
def p(xs: f32[k, n]) -> f32[n] where k >= 1 =
    let (first, *rest) = xs #! E0101
    first + sum(rest, axis=0)
#### optional_array
def p(x: f32[n], w: f32[m]?) -> f32 = sum(x) #! E0502
#### optional_function
def p(x: f32, g: ((f32) -> f32)? = none) -> f32 = x #! E0502
#### array_of_a_static_function
static def p(x: f32) -> f32 = x #! E0502
#### scalar_declared_static
def p(static h: f32, x: f32[n]) -> f32[n] = h * x #! E0502
#### key_split_before_its_second_use
import random
def p(k: key) -> f32 =
    let (a, b) = random.split(k)
    random.normal(a, []) + random.normal(b, []) + random.normal(k, []) #! E0610
#### key_split_and_one_of_them_left
from random import normal, split, uniform
def p(k: key, x: f32) -> f32 =
    let (propose, accept) = split(k)
    x + normal(propose, []) * uniform(k) #! E0610
#### key_for_every_chain
import random
def noisy(k: key, x: f32[d], h: f32) -> f32[d] = x + h * random.normal(k, [d])
def chains(k: key, xs: f32[c, d], h: f32) -> f32[c, d] =
    vmap(noisy, in_axes=(none, 0, none))(k, xs, h) #! E0612
#### leaf_without_the_mapped_axis
type Net[d] = {w: f32[d], scale: f32}
type Nets[m, d] = {w: f32[m, d], scale: f32}
def predict(p: Net[d], x: f32[d]) -> f32 = p.scale * dot(p.w, x)
def all_of(p: Nets[m, d], x: f32[d]) -> f32[m] =
    vmap(predict, in_axes=(0, none))(p, x) #! E0806
#### number_mapped_with_an_array
def scaled(a: f32[n], x: f32) -> f32 = sum(a) * x
def p(a: f32[m, n], x: f32) -> f32[m] = vmap(scaled)(a, x) #! E0806
#### entry_of_a_static_argument
def moment(x: f32[n], centre: f32, static order: int) -> f32 where order >= 0 = mean((x - centre) ** order)
def p(xs: f32[m, n], c: f32[m]) -> f32[m] =
    vmap(moment, in_axes=(0, 0, none))(xs, c, order=4) #! E0809
#### axis_under_another_name
def centred(x: f32[d]) -> f32[d] ! axis("batch") = x - pmean(x, "batch")
def p(xs: f32[n, d]) -> f32[n, d] = vmap(centred, axis_name="i")(xs) #! E0701
#### axis_without_a_name
def centred(x: f32[d]) -> f32[d] ! axis("batch") = x - pmean(x, "batch")
def p(xs: f32[n, d]) -> f32[n, d] = vmap(centred)(xs) #! E0701
#### checked_function_as_an_argument
def twice(f: (f32) -> f32, x: f32) -> f32 = f(f(x))
def root(x: f32) -> f32 ! check =
    assert x >= 0.0, "negative"
    sqrt(x)
def p(x: f32) -> f32 ! check = twice(root, x) #! E0702
#### array_declared_static
def p(x: f32[n], static keep: bool[n]) -> f32 = sum(where(keep, x, 0.0)) #! E0322
#### last_of_a_tuple
def p(net: (f32[n], f32[m], f32)) -> f32 = net[-1] #! E0331
#### size_by_a_call_of_shape
def shape_of(x: f32[n, m]) -> i32 =
    x.shape[0] * x.shape(1) #! E0201
#### euclid_by_a_loop
def euclid(a: i32, b: i32) -> i32 =
    while b != 0: #! E0114
        a, b = b, a % b
    return a #! E0114
#### sizes_of_a_named_type_left_out
type Params[d] = {w: f32[d], b: f32}
def predict(p: Params, x: f32[d]) -> f32 = dot(p.w, x) + p.b #! E0207
#### rule_of_one_argument
def square(x: f32) -> f32 =
    custom_vjp(fn (v: f32) -> v * v, fn (v: f32) -> (v * v, v), fn (r, ct) -> 2.0 * r * ct)(x) #! E0813
#### operands_in_brackets_of_their_own
def outer_product(x: f32[n], y: f32[m]) -> f32[n, m] = einsum("i,j->ij")(x, y) #! E0307
#### parameters_without_brackets
def both(x: f32[n], y: f32[n]) -> f32[n] =
    let add = fn a b -> a + b #! E0101
    add(x, y)
#### parameters_without_parentheses
def p(x: f32, y: f32) -> f32 =
    let distance = fn a b -> abs(a - b) #! E0101
    distance(x, y)
#### result_behind_a_colon
def p(x: f32[n, d], w: f32[d]): f32[n] = x @ w #! E0118
#### record_copied_by_dots
type S = {x: f32[3], v: f32[3]}
def p(s: S, dt: f32) -> S =
    {...s, x = s.x + dt * s.v} #! E0101
#### record_changed_by_a_bar
type S = {x: f32[3], v: f32[3]}
def p(s: S, dt: f32) -> S =
    {s | x = s.x + dt * s.v} #! E0101
#### annotated_carry_in_parentheses
def p(back: idx[k][t, k], last: idx[k]) -> idx[k][t] =
    let (_, path) = scan (z: idx[k]) = last for b in back reverse do (b[z], z) #! E0101
    path
#### steps_that_are_traced
def heat(u: f32[n], steps: i32) -> f32[n] where n >= 1 =
    fold u = u for _ in range(steps) do #! E0501
        u + 0.1 * (roll(u, 1) - 2 * u + roll(u, -1))
#### range_of_indices
def gather(x: f32[n], rows: idx[n][m]) -> f32[m] =
    [x[r] for r in range(rows)] #! E0501
#### dtype_of_python_with_axes
def rows(x: float[n, d]) -> f32[n] = sum(x, axis=1) #! E0322
#### dtype_in_capitals
def rows(x: Float32[n, d]) -> f32[n] = sum(x, axis=1) #! E0202
#### sizes_in_parentheses
def total(x: f32(n)) -> f32 = sum(x) #! E0101
#### product_by_a_dot
def norm(x: f32[n]) -> f32 = sqrt(x . x) #! E0309
#### record_replaced
type S = {x: f32[3], v: f32[3]}
def step(s: S, dt: f32) -> S =
    s.replace(x = s.x + dt * s.v) #! E0201
#### counts_of_another_dtype
def histogram(which: idx[bins][n]) -> i32[bins] =
    zeros([bins]).at[which].add(1) #! E0302
#### values_of_a_message
def positive(x: f32) -> f32 ! check =
    assert x > 0.0, "x is {}", x #! E0101
    x
#### window_and_strides_of_one_number
import nn
def pooled(x: f32[b, c, h, w]) -> f32[b, c, h // 2, w // 2] where h >= 2 and w >= 2 =
    nn.max_pool(x, 2) #! E0402
#### result_of_a_long_call
def trapezoid(y: f32[n], x: f32[n]) -> f32 = sum(y * x)
def area(y: f64[n]) -> f64 where n >= 2 =
    trapezoid(f32(y), linspace(0.0, 1.0, n)) #! E0302
#### size_with_a_fraction
def f(static s: float, x: f32[n]) = zeros([round(s * n)]) #! E0303
#### number_of_a_run_as_an_integer
def f(x: f32) -> i32 = int(x) #! E0501
#### squares_appended
def squares(static k: size) -> f32[k] =
    fold out = zeros([0]) for i in range(k) do append(out, f32(i) ** 2) #! E0417
#### cell_written_by_a_comprehension
def passed(waiting: f32) -> f32 ! state(total: f32) =
    total := total + waiting
    0.5 * waiting
def tick(queues: f32[n]) -> (f32[n], f32) =
    with state total = 0.0 do
        [passed(q) for q in queues] #! E0720
#### cell_written_by_vmap
def passed(waiting: f32) -> f32 ! state(total: f32) =
    total := total + waiting
    0.5 * waiting
def tick(queues: f32[n]) -> (f32[n], f32) =
    with state total = 0.0 do
        vmap(passed)(queues) #! E0720
#### differences_of_neighbours
def differences(x: f32[n]) -> f32[n - 1] where n >= 1 =
    [x[i + 1] - x[i] for i in range(n)] #! E0421
#### differences_on_both_sides
def differences(x: f32[n]) -> f32[n - 2] where n >= 2 =
    [x[i + 1] - x[i - 1] for i in range(n)] #! E0421 E0421
#### flux_on_a_ring
def flux(u: f32[n]) -> f32[n] =
    [u[i + 1] - u[i] for i in range(n)] #! E0421
#### index_from_one
def reversed(x: f32[n]) -> f32[n] =
    [x[n - i] for i in range(n)] #! E0421
#### sum_from_one
def total(x: f32[n]) -> f32 =
    fold s = 0.0 for i in range(1, n + 1) do s + x[i] #! E0421
#### windows
def moving(x: f32[n], static w: size) -> f32[n - w + 1] where 1 <= w and w <= n =
    [mean(x[i : i + w]) for i in range(n)] #! E0422
#### arms_with_case
enum Method = Euler | Midpoint
def step(x: f32, static method: Method) -> f32 =
    match method with
        case Euler -> x + cos(x) #! E0114
        case Midpoint -> x + cos(x + 0.5 * cos(x))
#### arms_with_bars
enum Method = Euler | Midpoint
def step(x: f32, static method: Method) -> f32 =
    match method with
        | Euler -> x + cos(x) #! E0101
        | Midpoint -> x + cos(x + 0.5 * cos(x))
#### mode_that_is_not_needed
def spread(target: idx[n][e], share: f32[e]) -> f32[n] =
    zeros([n]).at[target].add(share, mode="promise_in_bounds") #! E0328
#### class_of_trees
def start[P: VSpace](p: P) -> P = 0.0 * p
def twice[P: PyTree](p: P) -> P = start(p) #! E0212
#### times_of_samples
def times(static n: size, rate: f32) -> f32[n] where n <= 65536 =
    range(n) / rate #! E0326
#### key_of_a_function_that_is_not_called
import random
def draw(x: f32) -> f32 ! rand = x + random.normal(fresh_key) #! E0303
#### one_key_for_two_layers
from random import normal, split
def layers(k: key, static d: size) -> (f32[d, d], f32[d, d], f32[d, d]) =
    let (k1, k2) = split(k)
    (normal(k1, [d, d]), normal(k2, [d, d]), normal(k2, [d, d])) #! E0610
#### update_with_another_dtype
def f(x: f32[n], i: idx[n], v: i32) -> f32[n] = x.at[i].add(v) #! E0302
#### value_returned_with_a_sign
def negated(x: f32[n]) -> f32[n] =
    return -x #! E0114
#### list_returned
def doubled(x: f32[n]) -> f32[n] =
    return [2.0 * v for v in x] #! E0114
#### record_returned
def split_sign(x: f32[n]) -> {low: f32[n], high: f32[n]} =
    return {low = minimum(x, 0.0), high = maximum(x, 0.0)} #! E0114
#### returned_early
def clipped(x: f32) -> f32 =
    if x > 1.0: #! E0118 E0126
        return 1.0 #! E0114
    if x < 0.0: #! E0126
        return 0.0
    return x
#### assigned_in_an_if
def clipped(x: f32) -> f32 =
    let y = x
    if x > 1.0: #! E0126
        y = 1.0
    y
#### assigned_in_all_branches
def clipped(x: f32) -> f32 =
    if x > 1.0: #! E0118
        y = 1.0
    elif x < 0.0:
        y = 0.0
    else:
        y = x
    2.0 * y
#### assigned_in_branches_of_a_loop
def signs(x: f32[n]) -> f32 =
    let s = 0.0
    for v in x: #! E0114
        if v > 0.0:
            s += 1.0
        else:
            s -= 1.0
    s
#### loops_in_loops
def product(a: f32[n, m], b: f32[m, k]) -> f32[n, k] =
    let c = zeros([n, k])
    for i in range(n): #! E0114
        for j in range(k):
            for l in range(m):
                c[i, j] += a[i, l] * b[l, j]
    return c #! E0114
#### operators_with_dots
def affine(x: f32[n]) -> f32[n] =
    1.0 + 2.0 * x.^2 #! E0115
#### function_with_a_dot
def exponentials(x: f32[n]) -> f32[n] =
    exp.(x) #! E0115
#### comment_of_slashes
def total(x: f32[n]) -> f32 =
    // of all elements #! E0101
    sum(x)
#### function_of_julia
function doubled(x: f32) -> f32 #! E0114
    2.0 * x
end
#### end_of_a_block
def total(x: f32[n]) -> f32 =
    let s = sum(x)
    end #! E0110
    s
#### class_of_fields
class Params: #! E0114
    w: f32[d]
    b: f32 = 0.0
def predict(p: Params[d], x: f32[d]) -> f32 = dot(p.w, x) + p.b
#### decorator_of_a_rule
@jax.custom_vjp #! E0122
def limited(x: f32[n], limit: f32) -> f32[n] = minimum(maximum(x, -limit), limit)
#### identity
def filled(x: f32[n], static k: int? = none) -> f32[n] =
    if k is not none then k * x else x #! E0115
#### mapped_by_a_method
def squares(x: f32[n]) -> f32[n] =
    x.map(fn v -> v * v) #! E0201
#### gradient_before_its_value
type Params[d] = {w: f32[d], b: f32}
def loss(p: Params[d], x: f32[n, d], y: f32[n]) -> f32 where n >= 1 = mean((x @ p.w + p.b - y) ** 2)
def step(p: Params[d], x: f32[n, d], y: f32[n], lr: f32) -> (Params[d], f32) where n >= 1 =
    let (g, value) = value_and_grad(loss)(p, x, y)
    (p - lr * g, value) #! E0319
#### aux_beside_the_gradient
def loss(p: f32[d], x: f32[n, d]) -> (f32, f32[n]) where n >= 1 =
    let y = x @ p
    (mean(y ** 2), y)
def step(p: f32[d], x: f32[n, d]) -> (f32[d], f32[n]) where n >= 1 =
    let (g, (value, aux)) = value_and_grad(loss, has_aux=true)(p, x) #! E0314
    (p - 0.1 * g, aux)
#### pullback_before_its_value
def g(x: f32[n]) -> f32 = sum(x * x)
def slope(x: f32[n]) -> f32[n] =
    let (pull, y) = vjp(g, x)
    let (gx,) = pull(1.0) #! E0311
    gx
#### outputs_before_the_carry
def smoothed(x: f32[n], a: f32) -> f32[n] =
    let (y, _) = scan s = 0.0 for v in x do
        let s = a * v + (1.0 - a) * s
        (s, s)
    y #! E0402
#### output_before_the_carry
def sums(x: f32[n, d]) -> f32[n] =
    let (_, ys) = scan s = zeros([d]) for row in x do
        let s = s + row
        (sum(s), s) #! E0417
    ys
#### arguments_in_another_order
def predict(w: f32[d, k], x: f32[n, d]) -> f32[n, k] = x @ w
def both(w: f32[d, k], x: f32[n, d]) -> f32[n, k] = 2.0 * predict(x, w) #! E0402
#### vectors_before_values
import linalg
def top(a: f32[n, n]) -> f32[n] where n >= 1 =
    let (v, w) = linalg.eigh(a)
    v[:, -1] * w[-1] #! E0414
#### rate_of_another_dtype_than_the_leaves
def step(p: {w: f32[n], b: f32}, g: {w: f32[n], b: f32}, rate: f64) -> {w: f32[n], b: f32} = p - rate * g #! E0301
#### rate_for_leaves_of_several_dtypes
def step(p: {w: f32[n], b: f64}, g: {w: f32[n], b: f64}, rate: f32) -> {w: f32[n], b: f64} = p - rate * g #! E0301
#### axis_of_a_maximum_by_position
def is_converged(old: f32[n], new: f32[n], tol: f32) -> bool where n >= 1 =
    let gap = max(abs(new - old), 0)
    gap < tol #! E0402
#### default_that_may_be_absent
def window_mean(x: f32[n], static k: int = none) -> f32 where n >= 1 = #! E0303
    let mu = mean(x)
    if k == none then mu else mu * f32(k)
#### weights_of_every_element
def loss(w: f32[d], x: f32[d], y: f32) -> f32 = (dot(w, x) - y) ** 2
def losses(w: f32[d], x: f32[n, d], y: f32[n]) -> f32[n] = vmap(loss)(w, x, y) #! E0807
#### leaf_of_every_element
type Cell[d] = {w: f32[d, d], b: f32[d]}
type Cells[m, d] = {w: f32[d, d], b: f32[m, d]}
def one(p: Cell[d], x: f32[d]) -> f32[d] = p.w @ x + p.b
def all_of(p: Cells[m, d], xs: f32[m, d]) -> f32[m, d] =
    vmap(one, in_axes=({w = 0, b = 0}, 0))(p, xs) #! E0807
#### steps_of_a_loop_with_names
def euler(f: (f32[d]) -> f32[d], y: f32[d], h: f32, static steps: int) -> f32[d] where steps >= 0 =
    for i in range(steps): #! E0114
        let k1 = f(y)
        let k2 = f(y + 0.5 * h * k1)
        y = y + h * k2
    return y #! E0114
#### printed_now_and_then
def train(w: f32[d], g: f32[d], static epochs: int) -> f32[d] ! io where epochs >= 0 =
    fold w = w for epoch in range(epochs) do
        if epoch % 10 == 0: #! E0126
            print("epoch {}", epoch)
        w - 0.1 * g
#### fields_by_colons
type State[d] = {pos: f32[d], vel: f32[d]}
def step(s: State[d], dt: f32) -> State[d] =
    {pos: s.pos + dt * s.vel, vel: s.vel - dt * s.pos} #! E0118 E0118
#### argument_behind_options
def weighted(w: f32[d], x: f32[d], scale: f32 = 1.0) -> f32 = scale * dot(w, x)
def total(w: f32[d], x: f32[d]) -> f32 = weighted(scale=2.0, w, x) #! E0130 E0130
#### list_of_static_integers
def blank(static sizes: [int]) -> f32[*sizes] = zeros(sizes) #! E0101
#### answer_without_resume
effect sample: (static name: str, loc: f32, scale: f32) -> f32
def model(x: f32) -> f32 ! sample = sample("w", 0.0, 1.0) * x
def run(x: f32) -> f32 =
    with handler sample(name, loc, scale) -> loc do model(x) #! E0706
#### dtype_without_its_class
def moments[a](x: a[n]) -> (a, a) where n >= 1 = #! E0202 E0202 E0202 E0201
    let m = mean(x)
    (m, mean((x - m) ** 2))
#### index_of_the_only_result
import linalg
def fitted(a: f32[m, n], b: f32[m]) -> f32[n] =
    linalg.lstsq(a, b)[0] #! E0402
#### choice_of_elements
def huber(r: f32[n], delta: f32) -> f32 where n >= 1 =
    let small = abs(r) <= delta
    let loss = if small then 0.5 * r ** 2 else delta * (abs(r) - 0.5 * delta) #! E0324
    mean(loss)
#### option_by_a_part_of_its_name
def layer(x: f32[b, c, h, w], k: f32[o, c, 3, 3]) -> f32[b, o, h, w] =
    conv(x, k, strides=1, padding="SAME") #! E0308
#### variant_as_a_text
enum Act = ReLU | Tanh
def act(static kind: Act, x: f32[n]) -> f32[n] =
    if kind == "relu" then maximum(x, 0.0) else tanh(x) #! E0315
#### arrays_gone_through_together
def weighted(w: f32[n], xs: f32[n]) -> f32 =
    fold total = 0.0 for (a, x) in (w, xs) do total + a * x #! E0314
#### shape_of_a_product
def doubled(x: f32[n]) -> f32[2 * n] =
    zeros(2 * n).at[:n].set(x) #! E0303
#### number_below_the_least
static def factorial(k: int) -> int = if k == 0 then 1 else k * factorial(k - 1)
def orders(static k: int) -> f32 = f32(1) * factorial(k)
def p() -> f32 = orders(-1) #! E0407
#### index_that_callers_know
def embed(table: f32[v, d], tokens: i32[t]) -> f32[t, d] =
    table[tokens] #! E0701
#### index_in_a_row_and_a_column
def taken(z: f32[n, m], at: i32[n]) -> f32[n] =
    [z[j, at[j]] for j in range(n)] #! E0701
#### operation_without_a_clause
effect sample: (static name: str, loc: f32, scale: f32) -> f32
effect observe: (loc: f32, y: f32) -> ()

def model(x: f32[n], y: f32[n]) -> f32 ! {sample, observe} =
    let slope = sample("slope", 0.0, 1.0)
    fold s = slope for i in range(n) do
        observe(slope * x[i], y[i])
        s

def simulate(x: f32[n], y: f32[n]) -> f32 =
    with handler sample(name, loc, scale) -> resume(loc) do model(x, y) #! E0701
#### loop_that_may_not_end
def halved(x: f32, tol: f32) -> f32 =
    iterate v = x while v > tol do 0.5 * v #! E0701
#### loss_of_each_sample
type Params[d] = {w: f32[d], b: f32}

def loss(p: Params[d], x: f32[n, d], y: f32[n]) -> f32[n] =
    let r = x @ p.w + p.b - y
    0.5 * r ** 2

def descend(p: Params[d], x: f32[n, d], y: f32[n], lr: f32, static steps: int) -> Params[d] =
    fold q = p for _ in range(steps) do q - lr * grad(loss)(q, x, y) #! E0801
#### loss_of_each_sample_in_a_lambda
def descend(w: f32[d], x: f32[n, d], y: f32[n], lr: f32) -> f32[d] =
    w - lr * grad(fn v -> (x @ v - y) ** 2)(w) #! E0801
#### loss_of_each_sample_that_is_printed
def loss(w: f32[d], x: f32[n, d], y: f32[n]) -> f32[n] = (x @ w - y) ** 2
def descend(w: f32[d], x: f32[n, d], y: f32[n], lr: f32) -> f32[d] =
    w - lr * grad(loss)(w, x, y) #! E0801
def worst(w: f32[d], x: f32[n, d], y: f32[n]) -> f32 where n >= 1 = max(loss(w, x, y))
#### class_of_the_others
def norms[a: Num](x: a[n, d]) -> a[n] = sqrt(sum(x * x, axis=1)) #! E0332
def normalised[a: Float](x: a[n, d]) -> a[n, d] = x / maximum(norms(x), 1e-6)[:, None]
#### dtype_that_is_not_declared
def lerp(a: T[n], b: T[n]) -> T[n] = 0.5 * (a + b) #! E0202 E0202 E0202
#### tree_that_is_not_declared
def doubled(p: P) -> P = tree_map(fn v -> 2.0 * v, p) #! E0202 E0202
#### power_of_a_spectrum
import fft
def periodogram(x: f32[n]) -> f32[n // 2 + 1] where n >= 1 =
    let w = hanning(n)
    let spectrum = fft.rfft((x - mean(x)) * w)
    spectrum ** 2 / sum(w * w) #! E0301
#### filtered_back
import fft
def filtered(x: f32[n], h: f32[n]) -> f32[n] where n >= 1 =
    x - fft.ifft(fft.fft(x) * fft.fft(h)) #! E0301
#### one_element_fewer
def work(force: f32[n], x: f32[n]) -> f32 where n >= 2 =
    let dx = diff(x)
    fold w = 0.0 for (f, d) in zip(force, dx) do w + f * d #! E0401
#### two_elements_fewer
def heat(u: f32[n], alpha: f32) -> f32[n - 2] where n >= 2 =
    u + alpha * (u[2:] - 2.0 * u[1:-1] + u[:-2]) #! E0401
#### one_column_fewer
def slopes(y: f32[m, n], x: f32[n]) -> f32[m, n - 1] where n >= 1 =
    diff(y, axis=1) / diff(x) * (y[:, 1:] - y) #! E0401
#### places_of_a_mask
def crossings(x: f32[n], static k: size) -> f32[k] where n >= 2 =
    let change = x[1:] * x[:-1] < 0.0
    let at = where(change) #! E0307
    x.at[at].get(mode="clip")
#### places_of_a_mask_of_numpy
def largest(x: f32[n], static k: size) -> f32[k] where n >= 1 =
    let at = np.where(x > 0.0)[0] #! E0201
    x.at[at].get(mode="clip")
#### letters_of_einsum
def mixed(a: f32[b, h, t, u], v: f32[b, h, u, d]) -> f32[b, h, t, d] = einsum("bhtu,bhtd->bhtd", a, v) #! E0401
#### default_that_meets_nothing
def first(x: f32[n], static k: int = 0) -> f32[k] where k >= 1 and k <= n = x[:k] #! E0407
#### value_beside_a_cell
def f(x: f32) -> f32 ! state(calls: i32) =
    calls := calls + 1
    x * x * x - 2.0 * x - 5.0
def counted(a: f32, static steps: int) -> f32 =
    with state calls = i32(0) do #! E0303
        let b = fold p = a for _ in range(steps) do p - 0.1 * f(p)
        b
#### outputs_of_a_scan
def before(x: f32[n]) -> f32[n] where n >= 1 = scan s = 0.0 for v in x do (s + v, s) #! E0303
#### keys_without_the_import
from random import choice
def bootstrap(k: key, x: f32[n], static m: size) -> f32[m] where n >= 1 =
    [mean(choice(k, x, [n])) for _ in range(m)] #! E0611
#### cast_of_a_leaf
def halved[P: VSpace[Float]](p: P) -> P = tree_map(fn x -> 0.5 * f32(x), p) #! E0302
#### sum_of_leaves
def squared[P: VSpace[Float]](p: P) -> f32 =
    tree_reduce(fn (total, leaf) -> total + sum(leaf * leaf), p, 0.0) #! E0301|E0302|E0310
#### halves_as_a_tuple
def split_half(x: f32[n]) -> (f32[n // 2], f32[n // 2]) where n % 2 == 0 =
    reshape(x, [2, n // 2]) #! E0303
#### shape_as_sizes
def place(x: f32[n, m]) -> (i32, i32) where n >= 1 and m >= 1 =
    let (i, j) = unravel_index(argmax(x), x.shape) #! E0303
    (i32(i), i32(j))
#### row_as_a_number
def gathered(x: f32[n, d], i: idx[n]) -> f32 = x[i] #! E0402
#### variant_of_a_module module=act
enum Act = Relu | Leaky(slope: float)
#### variant_of_a_module
import act
def net(x: f32[n], static a: act.Act) -> f32[n] =
    match a with
        Leaky(s) -> s * x #! E0209
        _ -> x
#### type_of_a_module module=opt
type State[n] = {m: f32[n]}
#### type_of_a_module
import opt
def one(s: opt.Stat[n]) -> f32[n] = s.m #! E0205
#### one_axis_in_parentheses_for_all_arguments
def product(x: f32, y: f32) -> f32 = x * y
def scaled(x: f32[n], y: f32[m]) -> f32[n] =
    sum(y) * vmap(product, in_axes=(0))(x, y[0]) #! E0806
#### gradient_by_another_argument
def loss(x: f32[n, d], y: f32[n], w: f32[d]) -> f32 = mean((x @ w - y) ** 2)
def step(x: f32[n, d], y: f32[n], w: f32[d], lr: f32) -> f32[d] =
    w - lr * grad(loss)(x, y, w) #! E0402
#### part_of_a_tuple_that_is_cast
def counted(x: f32[n]) -> (i32[n], f32) = (i32(x), sum(x))
def density(x: f32[n]) -> f32[n] =
    f32(counted(x)) / f32(n) #! E0321
#### sum_over_an_axis_of_what_was_summed
def f(x: f32[n]) -> f32 = shard(fn v -> psum(psum(sum(v), "i"), "i"), mesh(i=2), {i = 0}, none)(x) #! E0820
#### gradient_summed_of_what_was_summed
def loss(w: f32, x: f32[n]) -> f32 ! axis("i") = psum(sum(tanh(w * x)), "i")
def f(w: f32, x: f32[n]) -> f32 =
    shard(fn (w, x) -> psum(grad(loss)(w, x), "i"), mesh(i=2), (none, {i = 0}), none)(w, x) #! E0820
#### counted_in_a_loop_by_floats
def positive(x: f32[n]) -> i32 =
    fold c = 0 for v in x do if v > 0.0 then c + 1.0 else c #! E0304
#### digits_of_both
def turned(x: f64[n], z: c64[n]) -> c128[n] =
    x * z #! E0301
#### halves_of_both_kinds
def product(x: f16[n], y: bf16[n]) -> f32[n] =
    x * y #! E0301
#### array_that_grows_beside_a_state
def sums(xs: f32[n, d]) -> f32[n, d] =
    let (_, kept) = fold (s, kept) = (zeros([d]), zeros([0, d])) for x in xs do
        let s = s + x
        (s, concatenate((kept, s[None, :]))) #! E0417
    kept
#### matrix_where_a_solver_takes_an_operator
from solve import cg
def f(a: f32[n, n], b: f32[n]) -> f32[n] = cg(a, b).value #! E0303
#### matrix_and_a_tolerance_by_another_name
import solve
def f(a: f64[n, n], b: f64[n]) -> f64[n] =
    let s = solve.cg(a, b, tol=1e-8) #! E0308
    s.value
#### function_where_a_solver_takes_an_operator
import solve
def f(a: f64[n, n], b: f64[n]) -> f64[n] = solve.gmres(fn x -> a @ x, b).value #! E0303
#### largest_of_a_selection
def f(x: f32[n]) -> f32 = max(x[x > 0.0]) #! E0407
#### limit_by_another_name
import solve
def f(x: f64[n]) -> f64[n] = solve.newton(fn x -> x * x - 2.0, x, max_iter=20).value #! E0308
#### gradient_by_integers
def loss(y: i32[n], x: f32[n, d], w: f32[d]) -> f32 = sum((x @ w - f32(y)) ** 2)
def step(y: i32[n], x: f32[n, d], w: f32[d]) -> f32[d] = w - 0.1 * grad(loss)(y, x, w) #! E0802
#### points_as_many_as_data_say
def f(x: f32[n]) -> f32 =
    let k = argmax(x)
    sum(linspace(0.0, 1.0, k)) #! E0501
#### zeros_as_many_as_data_say
def f(x: bool[n]) -> f32 =
    let k = sum(i32(x))
    sum(zeros([k])) #! E0501
#### loss_of_each_example
def loss(params: f32[d], x: f32[n, d], y: f32[n]) -> f32[n] = (x @ params - y) ** 2
def step(params: f32[d], x: f32[n, d], y: f32[n]) -> f32[d] where n >= 1 =
    params - 0.1 * grad(loss)(params, x, y) #! E0801
#### size_of_a_result_by_its_array
def f(x: f32[n, d]) -> f32[x.shape[0]] = sum(x, axis=1) #! E0405
#### size_of_a_parameter_by_another_one
def f(x: f32[n, d], y: f32[x.shape[0]]) -> f32[n] = sum(x, axis=1) + y #! E0309
#### axis_of_any_size
def f(x: f32[:, d]) -> f32[d] = sum(x, axis=0) #! E0118
#### one_number_beside_an_array
def f(x: f32[n], static center: bool) -> f32[n] =
    let m = if center then mean(x) else zeros([n]) #! E0412
    x - m
#### number_beside_an_array_of_a_static_choice
def f(x: f32[n], static center: bool) -> f32[n] = if center then x - mean(x) else 0.0 #! E0412
#### sum_beside_an_array
def f(x: f32[n]) -> f32[n] = if sum(x) > 0.0 then x / sum(x) else sum(x) #! E0412
#### product_of_each_element_of_a_batch
def f(a: f32[b, n, m], x: f32[b, m]) -> f32[b, n] = a @ x #! E0401
#### output_that_is_the_carry
def cum(x: f32[n]) -> f32[n] =
    let (c, ys) = scan c = 0.0 for v in x do c + v #! E0310
    ys
#### state_that_starts_as_a_number
def rnn(w: f32[h, h], u: f32[h, d], x: f32[t, d]) -> f32[h] =
    fold s = 0.0 for v in x do tanh(w @ s + u @ v) #! E0401
#### key_of_two_layers
import random
def init(k: key) -> (f32[3, 4], f32[4]) = (random.normal(k, [3, 4]), random.normal(k, [4])) #! E0610
#### mask_without_a_key
import random
def drop(x: f32[n], p: f32) -> f32[n] =
    let keep = random.bernoulli(p, x.shape) #! E0303
    where(keep, x / p, 0.0)
#### window_of_a_length_of_the_run
def window(x: f32[n], i: i32, k: i32) -> f32 = sum(x[i : i + k]) #! E0423
#### argument_that_is_in_scope
def loss(w: f32[d], x: f32[n, d], y: f32[n]) -> f32 = sum((x @ w - y) ** 2)
def g(w: f32[d], x: f32[n, d], y: f32[n]) -> f32[d] = grad(loss)(w, x) #! E0307
#### field_by_its_type
type P[d] = {w: f32[d], b: f32}
def f(p: P[d], x: f32[d]) -> f32 = dot(p["w"], x) + p.bias #! E0331 E0309
#### record_with_one_field
type P[d] = {w: f32[d], b: f32}
def f(p: P[d], g: P[d]) -> P[d] = {w = p.w - g.w} #! E0309
#### record_by_the_order_of_its_fields
type P[d] = {w: f32[d], b: f32}
def f(w: f32[d]) -> P[d] = P(w, 0.0) #! E0201
#### parameter_of_a_size_that_data_decide
def f(xs: f32[n, ?m]) -> f32[n] = [sum(x) for x in xs] #! E0427
#### key_for_each_of_a_map
import random
def f(k: key, static n: size) -> f32[n] = vmap(fn k -> random.normal(k))(k) #! E0806
#### gradient_by_both_arguments
def loss(w: f32[d], b: f32) -> f32 = sum(w * w) + b
def f(w: f32[d], b: f32) -> (f32[d], f32) = grad(loss)(w, b) #! E0303
#### reshape_that_may_leave_something
def f(x: f32[n]) -> f32[n // 3, 3] = reshape(x, [n // 3, 3]) #! E0406
#### joined_along_another_axis
def f(x: f32[n, d], y: f32[n, k]) -> f32[n, d + k] = concatenate((x, y)) #! E0401
#### vectors_joined_for_rows
def f(x: f32[n], y: f32[n]) -> f32[2, n] = concatenate((x, y)) #! E0402
#### axes_in_another_order
def f(x: f32[b, h, w, c]) -> f32[b, c, h, w] = transpose(x, (0, 2, 3, 1)) #! E0402
#### bounds_by_other_names
def f(x: f32[n]) -> f32[n] = clip(x, a_min=0.0, a_max=1.0) #! E0308 E0308
#### method_that_is_not_called
import ode
def f(y: f64[n]) = ode.solve(fn (t, y) -> -y, y, 0.0, 1.0, ode.rk4, steps=100) #! E0303
#### solve_without_a_method
import ode
def f(y: f64[n]) = ode.solve(fn (t, y) -> -y, y, 0.0, 1.0, rtol=1e-6) #! E0307
#### label_of_each_row
def ce(logits: f32[b, k], y: idx[k][b]) -> f32[b] = logits[:, y] #! E0402
#### heads_of_an_axis
def heads(x: f32[t, m], static h: size) -> f32[t, h, m // h] = reshape(x, [t, h, m // h]) #! E0406
#### averages_as_they_go
def ema(x: f32[n], a: f32) -> f32[n] =
    scan m = x[0] for v in x do #! E0303
        let m = a * m + (1.0 - a) * v
        (m, m)
#### key_of_two_calls
import random
def sample(k: key, mu: f32[d], n: i32) -> f32[d] = mu + random.normal(k, mu.shape)
def two(k: key, mu: f32[d]) -> f32[2, d] = [sample(k, mu, 1), sample(k, mu, 2)] #! E0610
#### three_keys_of_two
import random
def f(k: key) -> f32 =
    let (a, b, c) = random.split(k) #! E0314
    random.normal(a) + random.normal(b) + random.normal(c)
#### key_shared_by_a_map
import random
def f(k: key, x: f32[n]) -> f32[n] = vmap(fn (k, v) -> v + random.normal(k), in_axes=(none, 0))(k, x) #! E0612
#### key_of_each_element
import random
def f(k: key, x: f32[n]) -> f32[n] = [v + random.normal(k) for v in x] #! E0611
#### bounds_of_a_draw
import random
def f(k: key, static n: size) -> f32[n] = random.uniform(k, [n], low=-1.0, high=1.0) #! E0308 E0308
#### number_where_a_shape_is_drawn
import random
def f(k: key, x: f32[n]) -> f32[3] = random.choice(k, x, 3) #! E0303
#### count_that_starts_as_a_float
def f(x: f32[n]) -> i32 =
    fold c = 0.0 for v in x do if v > 0.0 then c + 1 else c #! E0302
#### norm_without_its_module
def clip(g: f32[d], c: f32) -> f32[d] =
    let n = norm(g) #! E0201
    if n > c then g * c / n else g
#### choice_with_indices_behind_its_value
def u(a: f32[n, n]) -> f32[n, n] = [a[i, j] if j >= i else 0.0 for i in range(n), j in range(n)] #! E0120
#### difference_of_one_side_shortened
def trapz(y: f32[n], x: f32[n]) -> f32 = sum(0.5 * (y[1:] + y[:-1]) * (x[1:] - x)) #! E0401
#### halves_in_a_pair
def split(x: f32[n]) -> (f32[n // 2], f32[n // 2]) = (x[:n // 2], x[n // 2:]) #! E0402
#### power_of_a_spectrum_again
import fft
def power(x: f32[n]) -> f32[n] where n >= 1 = fft.fft(x) ** 2 #! E0302
#### system_with_its_sides_swapped
import linalg
def step(x: f32[n], f: (f32[n]) -> f32[n]) -> f32[n] = x - linalg.solve(f(x), jacfwd(f)(x)) #! E0402
#### key_of_a_proposal_used_again
import random
def chain(k: key, x: f32[d], static n: size) -> f32[n, d] =
    (scan x = x for k in random.split(k, n) do
        let y = x + random.normal(k, [d])
        let u = random.uniform(k) #! E0610
        let x = if u < 0.5 then y else x
        (x, x)).1
#### leaves_gone_through_like_a_dict
type P[d] = {w: f32[d], b: f32}
def l2(p: P[d]) -> f32 = sum([sum(v ** 2) for v in p]) #! E0325
#### trees_in_a_tuple
type P[d] = {w: f32[d], b: f32}
def sgd(p: P[d], g: P[d], lr: f32) -> P[d] = tree_map(fn (a, b) -> a - lr * b, (p, g)) #! E0307
#### map_of_two_trees
type P[d] = {w: f32[d], b: f32}
def sgd(p: P[d], g: P[d], lr: f32) -> P[d] = jax.tree.map(fn (a, b) -> a - lr * b, p, g) #! E0201
#### error_of_each_element_carried
def power(a: f32[n, n], v: f32[n]) -> f32[n] =
    iterate (v, e) = (v, 1.0) while e > 1e-6 limit 100 do
        let w = a @ v
        let w = w / sqrt(sum(w * w))
        (w, abs(w - v)) #! E0417
#### first_part_of_an_iteration
def power(a: f32[n, n], v: f32[n]) -> f32[n] =
    iterate (v, e) = (v, 1.0) while e > 1e-6 limit 100 do #! E0303
        let w = a @ v / sqrt(sum(v * v))
        (w, sum(abs(w - v)))
#### sums_of_slices_that_grow
def f(x: f32[n]) -> f32[n] = [sum(x[:i]) for i in range(n)] #! E0423
#### number_joined_to_an_array
def f(x: f32[n]) -> f32[n + 1] = concatenate((0.0, cumsum(x))) #! E0303
#### array_behind_by_one
def lag(x: f32[n]) -> f32[n] = concatenate(([0.0], x)) #! E0402
#### place_that_is_rounded
def f(x: f32[n], t: f32) -> f32 = x[floor(t)] #! E0331
#### map_of_all_pairs
def pair(f: (f32, f32) -> f32, x: f32[n], y: f32[m]) -> f32[n, m] = vmap(vmap(f))(x, y) #! E0807
#### choice_with_a_question_mark
def f(x: f32) -> f32 = x > 0.0 ? x : 0.0 #! E0120
#### gradient_beside_predictions
def loss(w: f32[d], x: f32[n, d]) -> (f32, f32[n]) = (sum(x @ w), x @ w)
def g(w: f32[d], x: f32[n, d]) -> f32[d] = grad(loss)(w, x) #! E0801
#### value_and_gradient_in_another_order
def loss(w: f32[d]) -> f32 = sum(w * w)
def g(w: f32[d]) -> (f32[d], f32) = value_and_grad(loss)(w) #! E0402
#### step_by_a_value_and_a_gradient
def loss(w: f32[d]) -> f32 = sum(w * w)
def g(w: f32[d]) -> f32[d] = w - 0.1 * value_and_grad(loss)(w) #! E0319
#### result_of_a_size_that_is_nowhere
def f(x: f32[n]) -> f32[m] = x[:m] #! E0405
#### options_by_position
import ragged
def f(r: ragged.Ragged[f32, n, k]) -> f32[n, 8] = ragged.padded(r, 8, 0.0) #! E0307
#### sum_of_ragged_rows
import ragged
def f(r: ragged.Ragged[f32, n, k]) -> f32[n] = sum(r, axis=1) #! E0303
#### exponential_of_a_record
type Pair[n] = {a: f32[n], b: f32}
def grown(p: Pair[n]) -> Pair[n] = exp(p) #! E0303
#### records_joined
type Pair[n] = {a: f32[n], b: f32[n, 2]}
def both(x: Pair[n], y: Pair[m]) -> Pair[n + m] = concatenate((x, y)) #! E0303
#### carry_that_is_an_index
def back(p: idx[k][t, k], e: idx[k]) -> idx[k][t] =
    let (_, s) = scan at = e for b in p reverse do (b[at], at) #! E0701
    s
#### parts_taken_in_another_order
def loss(w: f32[d], x: f32[n, d], y: f32[n]) -> f32 = mean((x @ w - y) ** 2)
def step(w: f32[d], x: f32[n, d], y: f32[n], lr: f32) -> (f32[d], f32) =
    let (g, value) = value_and_grad(loss)(w, x, y)
    (w - lr * g, value) #! E0402
#### indices_of_another_table
def encode(words: f32[vocab, d], places: f32[longest, d], tokens: idx[vocab][t], at: idx[longest][t]) -> f32[t, d] =
    words[tokens] + places[tokens] #! E0701
#### keys_that_are_not_used
import random
def estimate(k: key) -> f32 = mean(random.normal(k, [100]) ** 2)
def replicates(k: key, static r: size) -> f32[r] =
    let keys = random.split(k, r)
    vmap(estimate)(k) #! E0806
#### size_that_the_data_decide_beside_a_static_one
def length_mask(lengths: i32[b], static longest: size) -> bool[b, longest] where b >= 1 =
    let width = max(lengths)
    let positions = iota(width) #! E0501
    positions[None, :] < lengths[:, None]
#### first_key_in_every_iteration
import random
def propagate(particles: f32[n], k: key, scale: f32) -> f32[n] where n >= 1 =
    let keys = random.split(k, n)
    [particles[i] + scale * random.normal(keys[0]) for i in range(n)] #! E0611
#### selection_of_the_declared_size
def without_outliers(x: f32[n], cut: f32) -> f32[n] =
    let z = abs(x - mean(x)) / (std(x) + 1e-6)
    x[z < cut] #! E0402
#### gradient_that_is_not_called
def energy(x: f32[n], k: f32) -> f32 = 0.5 * k * sum((x[1:] - x[:-1]) ** 2)
def relax(x: f32[n], k: f32, lr: f32) -> f32[n] where n >= 1 =
    let force = grad(energy)
    x - lr * force #! E0315
#### largest_value_in_place_of_its_index
effect choose: (p: f32[k]) -> idx[k] where k >= 1
def act(scores: f32[n], rewards: f32[n]) -> f32 ! choose where n >= 1 = rewards[choose(scores)]
def greedy(scores: f32[n], rewards: f32[n]) -> f32 where n >= 1 =
    with handler choose(p) -> resume(max(p)) do act(scores, rewards) #! E0303
#### covariance_of_samples_in_rows
def whitened_scale(samples: f32[n, d]) -> f32[d, d] where n >= 2 =
    let centred = samples - mean(samples, axis=0)
    cov(centred) + 1e-6 * eye(d) #! E0401
#### next_place_of_a_ring
def neighbours(i: idx[n]) -> (idx[n], idx[n]) where n >= 1 =
    let right = i + 1
    let left = (i - 1) % n
    (left, right) #! E0701
#### transpose_of_three_axes
def time_major(batch: f32[b, t, d]) -> f32[d, t, b] =
    let scaled = batch / 10.0
    scaled.T #! E0402
#### labels_that_are_no_indices
import nn
def classifier_loss(w: f32[d, k], x: f32[n, d], labels: i32[n]) -> f32 where k >= 1 =
    mean(nn.cross_entropy(x @ w, labels)) #! E0701
#### columns_stacked_as_rows
import linalg
def polynomial_fit(t: f32[n], y: f32[n]) -> f32[3] where n >= 3 =
    let design = stack((ones([n]), t, t * t), axis=0)
    linalg.lstsq(design, y) #! E0402
#### right_hand_side_of_another_order
import ode
def pendulum(y: f32[2], t: f32) -> f32[2] = stack((y[1], -sin(y[0]) - 0.1 * y[1]))
def swing(y0: f32[2], ts: f32[m]) -> f32[m, 2] = ode.solve_grid(pendulum, y0, ts, ode.rk4()) #! E0402
#### part_of_a_carry_taken_once_more
type Belief[d] = {m: f32[d], p: f32[d, d]}
def predict_all(start: Belief[d], a: f32[d, d], q: f32[d, d], static t: size) -> Belief[d] =
    fold s = start for _ in range(t) do
        let p = a @ s.p @ a.T + q
        {m = a @ s.m, p = diag(p)} #! E0417
#### numbers_of_a_normal_distribution
import random
def noisy_measurements(k: key, truth: f32[n], sigma: f32) -> f32[n] =
    let noise = random.normal(0.0, sigma, [n]) #! E0501
    truth + noise
#### spectrum_divided_by_numbers
import fft
def f(v: f64[n, n], t: f64[n, n]) -> f64[n, n] where n >= 1 = real(fft.ifft2(fft.fft2(v) / t)) #! E0301
#### jitter_of_another_dtype
def g(p: f64[n, n]) -> f64[n, n] = p + 1e-6 * eye(n) #! E0301
#### kernel_in_another_layout
import nn
def block(image: f32[b, 3, h, w], kernel: f32[5, 5, 3, 16], bias: f32[16]) -> f32[b, 16, h, w] =
    nn.relu(conv(image, kernel) + bias[None, :, None, None]) #! E0407
#### distribution_of_another_library
import stats
def chance(x: f32[n]) -> f32[n] = stats.norm.cdf(x) #! E0205
#### distribution_of_scipy
def chance(x: f32[n]) -> f32[n] = scipy.stats.norm.cdf(x) #! E0201
#### distribution_of_scipy_in_jax
import stats
def chance(x: f32[n]) -> f32[n] = jax.scipy.stats.gamma.logpdf(x, 2.0) #! E0201
#### order_of_a_norm
import linalg
def largest(b: f32[n, m]) -> f32 = linalg.norm(b, 2) #! E0306
#### keys_of_two_axes
import random
def keys(k: key, static a: size, static b: size) -> key[a, b] = random.split(k, [a, b]) #! E0313
#### complex_of_two_parts
def wave(x: f64[n], y: f64[n]) -> c128[n] =
    complex(x, y) #! E0201
#### complex_of_two_parts_of_any_dtype
def wave[F: Float](x: F[n], y: F[n]) -> complex_of(F)[n] =
    jax.lax.complex(x, y) #! E0201
#### dtype_of_two_parts
def wave(x: f32[n], y: f32[n]) -> c64[n] =
    c64(x, y) #! E0307
