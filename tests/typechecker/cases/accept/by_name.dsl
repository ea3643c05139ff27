#### layers_of_a_network
from random import normal, split
effect shared param[P: Tree]: (static name: str, start: (key) -> P) -> P
effect named sample[*s]: (static name: str, loc: f32[*s], scale: f32[*s]) -> f32[*s]
def init[B: Tree, P: Tree](k: key, f: () -> B ! param(P)) -> P =
    let (_, p) = with rng(k) do (with handler param(name, start) -> resume(start(fresh_key())), record do f())
    p
def apply[B: Tree, P: Tree](p: P, f: () -> B ! param(P)) -> B =
    with handler param(name, start) as w from p -> resume(w) do f()
def dense(x: f32[*s, n], static name: str, static m: size) -> f32[*s, m] ! param =
    with scope(name) do
        x @ param("w", fn k -> normal(k, [n, m])) + param("b", fn k -> zeros([m]))
def net(x: f32[b, d]) -> f32[b, 10] ! param = dense(tanh(dense(x, "hidden", 8)), "out", 10)
def start(k: key, x: f32[b, d]) -> {hidden: {w: f32[d, 8], b: f32[8]}, out: {w: f32[8, 10], b: f32[10]}} = init(k, fn () -> net(x))
def loss(p: net.param, x: f32[b, d], y: f32[b, 10]) -> f32 = sum((apply(p, fn () -> net(x)) - y) ** 2)
def step(p: net.param, x: f32[b, d], y: f32[b, 10]) -> net.param = p - grad(loss)(p, x, y) * 0.1
#### parameters_in_loops
from random import normal, split
effect shared param[P: Tree]: (static name: str, start: (key) -> P) -> P
effect named sample[*s]: (static name: str, loc: f32[*s], scale: f32[*s]) -> f32[*s]
def init[B: Tree, P: Tree](k: key, f: () -> B ! param(P)) -> P =
    let (_, p) = with rng(k) do (with handler param(name, start) -> resume(start(fresh_key())), record do f())
    p
def apply[B: Tree, P: Tree](p: P, f: () -> B ! param(P)) -> B =
    with handler param(name, start) as w from p -> resume(w) do f()
def dense(x: f32[*s, n], static name: str, static m: size) -> f32[*s, m] ! param =
    with scope(name) do
        x @ param("w", fn k -> normal(k, [n, m])) + param("b", fn k -> zeros([m]))
def cell(h: f32[m], x: f32[n]) -> f32[m] ! param = tanh(dense(x, "x", m) + dense(h, "h", m))
def rnn(xs: f32[t, n], static m: size) -> f32[m] ! param = fold h = zeros([m]) for x in xs do cell(h, x)
def rows(xs: f32[t, n]) -> f32[t, 3] ! param = [dense(x, "d", 3) for x in xs]
def mapped(xs: f32[t, n]) -> f32[t, 3] ! param = vmap(fn x -> dense(x, "d", 3))(xs)
def chosen(x: f32[n]) -> f32[2] ! param = if sum(x) > 0.0 then dense(x, "d", 2) else zeros([2])
def run(k: key, xs: f32[t, n]) -> f32[7] = apply(init(k, fn () -> rnn(xs, 7)), fn () -> rnn(xs, 7))
def both(k: key, xs: f32[t, n]) -> (f32[t, 3], f32[t, 3]) =
    let p = init(k, fn () -> rows(xs))
    (apply(p, fn () -> rows(xs)), apply(p, fn () -> mapped(xs)))
def one(k: key, x: f32[n]) -> f32[2] = apply(init(k, fn () -> chosen(x)), fn () -> chosen(x))
#### layers_as_a_stack
from random import normal, split
effect shared param[P: Tree]: (static name: str, start: (key) -> P) -> P
effect named sample[*s]: (static name: str, loc: f32[*s], scale: f32[*s]) -> f32[*s]
def init[B: Tree, P: Tree](k: key, f: () -> B ! param(P)) -> P =
    let (_, p) = with rng(k) do (with handler param(name, start) -> resume(start(fresh_key())), record do f())
    p
def apply[B: Tree, P: Tree](p: P, f: () -> B ! param(P)) -> B =
    with handler param(name, start) as w from p -> resume(w) do f()
def dense(x: f32[*s, n], static name: str, static m: size) -> f32[*s, m] ! param =
    with scope(name) do
        x @ param("w", fn k -> normal(k, [n, m])) + param("b", fn k -> zeros([m]))
def layers[P: Tree](x: f32[*s], static name: str, static n: size, f: (f32[*s]) -> f32[*s] ! param(P)) -> f32[*s] ! param =
    let ps = param(name, fn k -> [init(k, fn () -> f(zeros([*s]))) for k in split(k, n)])
    fold h = x for p in ps do apply(p, fn () -> f(h))
def block(x: f32[*s, n]) -> f32[*s, n] ! param = x + dense(tanh(dense(x, "up", 2 * n)), "down", n)
def deep(x: f32[b, n]) -> f32[b, 2] ! param = dense(layers(x, "blocks", 5, block), "out", 2)
def start(k: key, xs: f32[t, n]) -> {blocks: {up: {w: f32[5, n, 2 * n], b: f32[5, 2 * n]}, down: {w: f32[5, 2 * n, n], b: f32[5, n]}}, out: {w: f32[n, 2], b: f32[2]}} = init(k, fn () -> deep(xs))
def run(k: key, xs: f32[t, n]) -> f32[t, 2] = apply(start(k, xs), fn () -> deep(xs))
#### sites_of_a_model
from random import normal, split
effect shared param[P: Tree]: (static name: str, start: (key) -> P) -> P
effect named sample[*s]: (static name: str, loc: f32[*s], scale: f32[*s]) -> f32[*s]
def draw[B: Tree, P: Tree](k: key, f: () -> B ! sample(P)) -> P =
    let (_, p) = with rng(k) do (with handler sample(name, loc, scale) -> resume(loc + scale * normal(fresh_key(), loc.shape)), record do f())
    p
def normal_logpdf(x: f32[*s], loc: f32[*s], scale: f32[*s]) -> f32[*s] = -0.5 * ((x - loc) / scale) ** 2 - log(scale)
def schools(y: f32[n], sigma: f32[n]) -> f32[n] ! sample =
    let mu = sample("mu", 0.0, 5.0)
    let tau = exp(sample("log_tau", 0.0, 1.0))
    let theta = sample("theta", full([n], mu), full([n], tau))
    sample("y", theta, sigma)

def log_density[B: Tree, P: Tree](p: P, f: () -> B ! sample(P)) -> f32 =
    let (_, total) = with handler sample(name, loc, scale) as v from p ->
            total := total + sum(normal_logpdf(v, loc, scale))
            resume(v)
        , state total = 0.0 do f()
    total
def prior(k: key, sigma: f32[n]) -> {mu: f32, log_tau: f32, theta: f32[n], y: f32[n]} = draw(k, fn () -> schools(zeros([n]), sigma))
def density(q: {mu: f32, log_tau: f32, theta: f32[n]}, y: f32[n], sigma: f32[n]) -> f32 =
    log_density({mu = q.mu, log_tau = q.log_tau, theta = q.theta, y = y}, fn () -> schools(y, sigma))
def given(k: key, y: f32[n], sigma: f32[n]) -> {log_tau: f32, mu: f32, theta: f32[n]} =
    draw(k, fn () -> (with handler sample(name, loc, scale) as v from {y = y} -> resume(v) do schools(y, sigma)))
def noncentered(y: f32[n], sigma: f32[n]) -> f32[n] ! sample =
    with handler sample(name, loc, scale) -> resume(loc + scale * sample(name, zeros(loc.shape), ones(loc.shape))) do schools(y, sigma)
def prior2(k: key, sigma: f32[n]) -> {mu: f32, log_tau: f32, theta: f32[n], y: f32[n]} = draw(k, fn () -> noncentered(zeros([n]), sigma))
#### record_that_is_stated
from random import normal, split
effect shared param[P: Tree]: (static name: str, start: (key) -> P) -> P
effect named sample[*s]: (static name: str, loc: f32[*s], scale: f32[*s]) -> f32[*s]
def stated(x: f32) -> f32 ! sample({a: f32, b: {c: f32}}) =
    let a = sample("a", x, 1.0)
    with scope("b") do a + sample("c", a, 1.0)
#### record_that_is_performed
effect shared param: (static name: str, start: () -> f32) -> f32
effect ask: (v: f32) -> f32
def net(x: f32[n]) -> f32[n] ! param = [v * param("w", fn () -> 0.5) for v in x]
def f(x: f32[n]) -> f32[n] ! ask = with handler param(name, start) as w from {w = ask(2.0)} -> resume(w) do net(x)
def g(x: f32[n]) -> f32[n] = with handler ask(v) -> resume(3.0 * v) do f(x)
