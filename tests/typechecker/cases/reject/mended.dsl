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
#### half_of_a_size
def halves(x: f32[n]) -> f32 =
    let h = int(n / 2) #! E0201
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
#### cast_by_astype
def p(n: i32[k]) -> f32[k] =
    n.astype(np.float32) #! E0201
#### dtype_of_a_package
def p(x: f32[k]) -> f32[k] =
    zeros([k], dtype=np.float32) + x #! E0201
#### constant_of_a_package
def p(x: f32[k]) -> f32[k] =
    where(x > 0.0, x, -np.inf) #! E0201
#### bounds_by_name
def p(x: f32[k]) -> f32[k] =
    x.clamp(min=0.0, max=1.0) #! E0201
#### bound_from_below
def p(x: f32[k]) -> f32[k] =
    torch.clamp(x, min=0.0) #! E0201
#### function_of_a_module
def p(x: f32[n, k], w: f32[k, m]) -> f32[n, m] =
    torch.relu(x @ w) #! E0201
#### product_by_a_function
def p(x: f32[n, k], w: f32[k, m]) -> f32[n, m] =
    torch.mm(x, w) #! E0201
#### transformation_of_a_package
def loss(w: f32[d]) -> f32 = sum(w * w)
def p(w: f32[d]) -> f32[d] =
    w - 0.1 * jax.grad(loss)(w) #! E0201
#### axes_one_by_one
def p(x: f32[b, h, w, c]) -> f32[b, c, h, w] =
    x.permute(0, 3, 1, 2) #! E0201
#### size_by_a_method
def p(x: f32[b, c]) -> f32 =
    sum(x) / f32(x.size(0)) #! E0201
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
#### array_made_flat
def p(x: f32[n, m]) -> f32[n * m] =
    x.flatten() #! E0201
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
#### zeros_of_another_shape
type COO[n, m, k] = {row: idx[n][k], col: idx[m][k], val: f32[k]}
def spmv(a: COO[n, m, k], x: f32[m]) -> f32[n] =
    zeros_like(x).at[a.row].add(a.val * x[a.col]) #! E0402 E0701
#### place_assigned_to
type COO[n, m, k] = {row: idx[n][k], col: idx[m][k], val: f32[k]}
def spmv(a: COO[n, m, k], x: f32[m]) -> f32[n] =
    let y = zeros([n])
    y.at[a.row] += a.val * x[a.col] #! E0603
    y
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
        case Linear: dot(x, y) #! E0114
