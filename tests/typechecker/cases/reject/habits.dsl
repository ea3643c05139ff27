#### loop_of_all_windows
def moving(x: f32[n], k: f32[w]) -> f32[n - w] where 1 <= w and w <= n =
    [sum(x[i : i + w] * k) for i in range(n - w + 1)] #! E0402
#### loop_of_too_few_windows
def moving(x: f32[n], k: f32[w]) -> f32[n - w + 1] where 1 <= w and w <= n =
    [sum(x[i : i + w] * k) for i in range(n - w)] #! E0402
#### array_that_is_too_short
def late(chain: f32[n, d]) -> f32[d] where n > 100 = mean(chain[100:], axis=0)
def pilot(chain: f32[80, 3]) -> f32[3] = late(chain) #! E0407
#### number_that_is_too_large
def power(x: f32, static k: int) -> f32 where k <= 8 = fold y = 1.0 for _ in range(k) do x * y
def ninth(x: f32) -> f32 = power(x, 9) #! E0407
#### mean_of_what_a_mask_selects
def trimmed(x: f32[n, d], lo: f32, hi: f32) -> f32 =
    let keep = x[(x >= lo) & (x <= hi)] #! E0420
    mean(keep)
#### sum_of_what_a_mask_selects
def positive(x: f64[n, d], w: f64[n, d]) -> f64 = 1.0 + sum(x[x > 0.0] * w[x > 0.0]) #! E0420 E0420
#### variance_of_what_a_mask_selects
def spread(x: f32[n, d]) -> f32 =
    let valid = x[~isnan(x)] #! E0420
    let mu = valid.mean()
    sum((valid - mu) ** 2) / (len(valid) - 1.0)
#### number_of_what_a_mask_selects
def counted(x: f32[n, d]) -> i32 = x[x > 0.0].shape[0] #! E0420
#### branches_by_the_carry
def hits(x: f32[n], y: f32[n]) -> i32 =
    fold c = i32(0) for (a, b) in zip(x, y) do
        c + (if a * a + b * b < 1.0 then 1.0 else 0.0) #! E0301
#### cast_by_the_carry
def hits(x: f32[n]) -> i32 = fold c = 0 for v in x do c + f32(v > 0.0) #! E0301
#### carry_by_the_result
def total(x: f32[n]) -> f32 = fold s = i32(0) for v in x do s + v #! E0301
#### parts_of_a_carry_by_the_result
def moments(x: f32[n]) -> (f32, f32) =
    fold (s, q) = (0.0, i32(0)) for v in x do (s + v, q + v * v) #! E0301 E0302
#### loop_that_may_not_end
def fixed(a: f32) -> f32 =
    iterate x = a while abs(cos(x) * a - x) > 1e-5 do cos(x) * a #! E0701
def slope(a: f32) -> f32 = grad(fixed)(a)
#### gradient_of_a_loop_that_may_not_end
def root(a: f32) -> f32 ! div =
    iterate x = a while abs(x * x - a) > 1e-6 do
        0.5 * (x + a / x)
def slope(a: f32) -> f32 ! div = grad(root)(a) #! E0805
#### elements_without_their_numbers
def weighted(x: f32[n], w: f32[n]) -> f32 =
    let terms = [w[k] * v ** 2 for v in x] #! E0201
    sum(terms) / sum(w)
#### loop_over_elements_without_their_numbers
def weighted(x: f32[n], w: f32[n]) -> f32 = fold s = 0.0 for v in x do s + w[i] * v #! E0201
#### key_of_every_mapped_element
from random import normal
def f(k: key, x: f32[n]) -> f32[n] = vmap(fn v -> v + normal(k))(x) #! E0611
#### key_of_every_mapped_pair
import random
def f(k: key, x: f32[n], y: f32[n]) -> f32[n] = vmap(fn (a, b) -> a + b * random.normal(k))(x, y) #! E0611
#### key_of_every_row
from random import normal, split
def f(k: key, x: f32[n, m]) -> f32[n] = [sum(normal(k, [m]) * row) for row in x] #! E0611
#### key_of_every_pair
def f(k: key, x: f32[n], y: f32[n]) -> f32[n] = [a * b + random.normal(k) for (a, b) in zip(x, y)] #! E0611
import random
#### key_of_a_record_of_every_element
from random import normal
def f(s: {k: key, x: f32[n]}) -> f32[n] = [v + normal(s.k) for v in s.x] #! E0611
#### first_key_of_every_element
from random import normal
def f(ks: key[4], x: f32[n]) -> f32[n] = [v + normal(ks[0]) for v in x] #! E0611
#### key_of_every_step
from random import normal
def f(k: key, x: f32[n]) -> f32[n] =
    fold x = x for _ in range(10) do
        let noise = normal(k, [n]) #! E0611
        x + noise
#### key_of_every_numbered_step
from random import normal
def f(k: key, x: f32[n]) -> f32 = fold s = 0.0 for i in range(n) do s + x[i] * normal(k) #! E0611
#### key_of_two_draws_of_every_step
from random import uniform
def f(k: key, static n: int) -> f32 =
    let total = fold total = 0.0 for i in range(n) do
        let x = uniform(k) #! E0611
        let y = uniform(k)
        if x * x + y * y < 1.0 then total + 1.0 else total
    4.0 * total / f32(n)
#### step_without_an_output
def simulate(x0: f32, v0: f32, dt: f32, static n: size) -> f32[n] =
    let (_, xs) = scan (x, v) = (x0, v0) for _ in range(n) do
        let v = v - x * dt
        let x = x + v * dt
        (x, v) #! E0310
    xs
#### step_of_three_without_an_output
def simulate(x0: f32, dt: f32, static n: size) -> f32[n] =
    let (_, xs) = scan (x, v, t) = (x0, 0.0, 0.0) for _ in range(n) do (x + v * dt, v - x * dt, t + dt) #! E0310
    xs
#### step_of_a_part_of_the_carry
def f(x: f32[n], a: f32) -> f32 =
    let (m, c) = fold (m, c) = (0.0, 1.0) for v in x do m + v * a #! E0310
    m / c
#### gradient_that_is_not_called
def sgd(w: f32[d], x: f32[n, d], y: f32[n]) -> f32[d] =
    let loss = fn w -> mean((x @ w - y) ** 2)
    w - 0.1 * grad(loss) #! E0315
#### gradient_of_a_definition_that_is_not_called
def loss(w: f32[d], x: f32[n, d]) -> f32 = mean((x @ w) ** 2)
def sgd(w: f32[d], x: f32[n, d]) -> f32[d] = w - 0.1 * grad(loss) #! E0315
#### last_element_for_all
def ema(x: f32[n], alpha: f32) -> f32[n] where n >= 1 =
    let (_, out) = scan s = x[0] for v in x do
        let s = alpha * v + (1.0 - alpha) * s
        (s, s)
    out[-1] #! E0402
#### loops_of_named_functions
def body(i: i32, x: f32[n]) -> f32[n] = x * 2.0
def smaller(x: f32) -> bool = x < 10.0
def double(x: f32) -> f32 = x * 2.0
def f(x: f32[n]) -> f32[n] = lax.fori_loop(0, 10, body, x) #! E0201
def g(x: f32) -> f32 = jax.lax.while_loop(smaller, double, x) #! E0201
#### key_of_a_record
import random
type S = {k: key, x: f32}
def draw(s: S) -> f32 = with rng(s) do s.x + random.normal(fresh_key()) #! E0303
#### product_of_columns
def covariance(x: f32[n, d]) -> f32[d, d] where n >= 2 =
    let c = x - mean(x, axis=0)
    c @ c.T / f32(n - 1) #! E0402
#### identity_of_another_size
import linalg
def ridge(x: f32[n, d], y: f32[n], lam: f32) -> f32[d] =
    linalg.solve(x.T @ x + lam * eye(n), x.T @ y) #! E0401
#### derivative_of_each_element
def jac(w: f32[d, k], x: f32[d]) -> f32[k, d, k] =
    let f = fn w -> x @ w
    grad(f)(w) #! E0801
#### gradient_by_another_argument
def loss(w: f32[d], x: f32[n, d], y: f32[n]) -> f32 = mean((x @ w - y) ** 2)
def step(w: f32[d], x: f32[n, d], y: f32[n]) -> f32[d] =
    w - 0.1 * grad(loss, argnums=1)(w, x, y) #! E0402
#### index_of_every_row
def nearest(x: f32[n, d]) -> i32[n] where d >= 1 = argmin(x) #! E0402
#### windows_that_leave_something_over
def pool(x: f32[b, h, w, c]) -> f32[b, h // 2, w // 2, c] =
    max(reshape(x, [b, h // 2, 2, w // 2, 2, c]), axis=(2, 4)) #! E0406
#### function_of_the_state_alone
def euler(f: (f32, f32[n]) -> f32[n], y: f32[n], t: f32) -> f32[n] = y + 0.1 * f(t, y)
def decay(y: f32[n]) -> f32[n] = -y
def run(y: f32[n]) -> f32[n] = euler(decay, y, 0.0) #! E0307
#### name_that_is_not_used
def forward(p: (f32[5, 4], f32[4], f32[4, 3], f32[3]), x: f32[b, 5]) -> f32[b, 3] =
    let (w1, b1, w2, b2) = p
    let h = tanh(x @ w1 + b1)
    h @ w2 + b1 #! E0401
#### column_in_place_of_a_row
def viterbi(obs: idx[m][t], trans: f32[s, s], emit: f32[s, m], init: f32[s]) -> f32 where s >= 1 and t >= 1 =
    let v = fold v = log(init) + log(emit[:, obs[0]]) for o in obs[1:] do
        max(v[:, None] + log(trans), axis=0) + log(emit[o]) #! E0401 E0701
    max(v)
#### range_of_one_too_many
def logistic(x0: f32, r: f32, static n: int) -> f32[n] where n >= 1 =
    let xs = zeros([n]).at[0].set(x0)
    fold xs = xs for i in range(1, n + 1) do
        xs.at[i].set(r * xs[i - 1] * (1.0 - xs[i - 1])) #! E0421
#### choice_of_every_element
def huber(x: f32[n], delta: f32) -> f32 =
    mean(if abs(x) < delta then 0.5 * x ** 2 else delta * (abs(x) - 0.5 * delta)) #! E0324
#### field_in_place_of_the_record
def momentum(p: {w: f32[d], b: f32}, v: {w: f32[d], b: f32}) -> {w: f32[d], b: f32} =
    p - 0.1 * v.w #! E0319
#### conversion_behind_a_dot
def mse(p: f32[n], t: f32[n]) -> f32 = sum((p - t) ** 2) / n.f32 #! E0309
#### shape_of_all_axes
from random import normal
def sampled(k: key, mu: f32[b, d]) -> f32[b, d] = mu + normal(k, mu.shape[0]) #! E0303
#### differences_along_other_axes
def tv(x: f32[h, w]) -> f32 = sum(abs(x[:, 1:] - x[:-1, :])) #! E0401
#### number_behind_an_array
def shifted(v: f32[t]) -> f32[t] where t >= 1 = concatenate((v[1:], 0.0)) #! E0303
#### option_that_there_is_none_of
def quantile(e: f32[n], q: f32) -> f32 = mean(max(q * e, (q - 1) * e, axis=0)) #! E0308
#### option_of_the_transformation
def doubled(x: f32) -> f32 = 2.0 * x
def each(x: f32[n]) -> f32[n] = vmap(doubled)(x, in_axes=0) #! E0308
#### fields_by_a_pattern
def mlp(layers: {w: f32[d, d], b: f32[d]}[l], x: f32[d]) -> f32[d] =
    fold h = x for (w, b) in layers do tanh(w @ h + b) #! E0314
#### axis_of_the_outer_call
def upsampled(x: f32[h, w]) -> f32[2 * h, 2 * w] = repeat(repeat(x, 2, axis=0), 2) #! E0402
#### padding_by_a_number_of_the_run
def pad(x: f32[n], k: i32) -> f32[n + k] = #! E0405
    concatenate((x, zeros([k]))) #! E0501
#### weights_of_torch
def layer(x: f32[b, i], w: f32[o, i], c: f32[o]) -> f32[b, o] =
    x @ w + c #! E0401
#### rows_that_sum_to_one
def normalise(x: f32[n, d]) -> f32[n, d] where d >= 1 =
    x / sum(x, axis=1) #! E0401
#### axis_of_pytorch_in_a_spread
def z(x: f32[n, d]) -> f32[n, d] where n >= 1 =
    (x - mean(x, axis=0)) / std(x, dim=0) #! E0308
#### seed_in_place_of_a_key
from random import normal
def noise(seed: i32) -> f32 =
    normal(seed) #! E0303
#### field_left_out_of_a_step
type P = {w: f32[3], b: f32}
def step(p: P, g: P) -> P =
    {w = p.w - 0.1 * g.w} #! E0309
#### value_that_may_be_none
def autocov(x: f32[n], static lag: int? = none) -> f32 where n >= 2 =
    let c = x - mean(x)
    let k = lag
    mean(c[k:] * c[:n - k]) #! E0331
#### cast_of_what_may_be_none
type S = {decay: int?, rate: float}
def decayed(x: f32[n], static s: S) -> f32[n] = x * f32(s.decay) #! E0321
#### value_that_may_be_none_twice
def shifted(x: f32[n], static by: float? = none) -> f32[n] =
    let y = x * by #! E0315
    y + by
#### one_of_two_parts
import prob
def log_posterior(z: f32, x: f32[n]) -> f32 =
    let prior = prob.half_normal(2.0)
    let sigma = prior.support.constrain(z)
    let fit = prob.normal(0.0 * x, sigma).log_density(x) #! E0303
    fit + prior.log_density(sigma) #! E0303
#### one_of_several_fields
import ode
def logistic_growth(p0: f32, rate: f32, t1: f32) -> f32 =
    let solution = ode.solve(fn (t, p) -> rate * p * (1.0 - p), p0, 0.0, t1, ode.dopri5())
    solution #! E0303
#### smallest_of_a_named_selection
def f(x: f32[n], m: bool[n]) -> f32 =
    let y = x[m]
    sum(y) / f32(len(y)) + min(y) #! E0407
#### step_of_a_state_with_a_counter
type Net[d] = {w: f32[d], b: f32}
type Train[d] = {net: Net[d], step: i32}
def descend(s: Train[d], g: Train[d], lr: f32) -> Train[d] = s - lr * g #! E0319
