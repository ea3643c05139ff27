#: own = custom_jvp(fn v -> v * u, fn (p, t) -> (p.0 * u, t.0 * u)) | custom_vjp(fn v -> v * u, fn v -> (v * u, ()), fn (s, ct) -> (ct * u,)) | custom_jvp(sin, fn (p, t) -> (sin(p.0), u * t.0)) | custom_vjp(square, fn v -> (square(v), u), fn (s, ct) -> (s * ct,)) | jit(custom_jvp(square, fn (p, t) -> (square(p.0), u * t.0))) | custom_jvp(custom_jvp(square, fn (p, t) -> (square(p.0), u * t.0)), fn (p, t) -> (square(p.0), t.0)) | custom_jvp(fn v -> v * u, fn (p, t) -> (p.0, t.0)) | checkpoint(custom_jvp(fn v -> v * v, fn (p, t) -> (p.0 * u, t.0)))
#: wrapped = made | jit(made) | checkpoint(made) | fn v -> made(v)
#: taken = act(q)(x) | sum(vmap(act(q))([x, x])) | (fold s = x for _ in range(2) do act(q)(s)) | applied(act(q), x) | jit(act(q))(x) | sum([act(q)(v) for v in [x, x]])
#: derived = grad(fn q -> <taken>)(u) | vjp(fn q -> <taken>, u).1(1.0).0 | jacrev(fn q -> <taken>)(u) | grad(fn r -> act(r.0)(r.1))((u, x)).0
#: apart = grad(act(u))(x) | grad(fn v -> act(u)(v))(x) | act(u)(x) | sum(vmap(grad(act(u)))([x, x])) | grad(fn v -> applied(act(u), v))(x) | grad(jit(act(u)))(x)
#: record = {f = made, k = u} | {k = 1.0, f = jit(made)}
#: given_power = custom_jvp(power, rule) | custom_vjp(power, fwd, bwd) | jit(custom_jvp(power, rule)) | custom_jvp(custom_jvp(power, rule), rule)
#: by_sizes = custom_jvp(fn v -> sum(v), fn (p, t) -> (sum(p.0), dot(ones(p.0.shape), t.0))) | jit(custom_jvp(fn v -> sum(v), fn (p, t) -> (sum(p.0), dot(ones(p.0.shape), t.0)))) | custom_vjp(fn v -> sum(v), fn v -> (sum(v), zeros(v.shape)), fn (s, ct) -> (s + ct * ones(s.shape),)) | custom_jvp(sum, fn (p, t) -> (sum(p.0), dot(ones(p.0.shape), t.0)))
#### captured_by_a_rule_that_a_definition_gives
def square(x: f32) -> f32 = x * x
def applied(f: (f32) -> f32, x: f32) -> f32 = f(x)
def act(u: f32) =
    let made = <own>
    <wrapped>
def f(u: f32, x: f32) -> f32 = <derived> #! E0818
#### captured_by_a_rule_that_a_lambda_gives
def square(x: f32) -> f32 = x * x
def applied(f: (f32) -> f32, x: f32) -> f32 = f(x)
def f(u: f32, x: f32) -> f32 =
    let act = fn u -> <own>
    <derived> #! E0818
#### captured_by_a_rule_in_a_record
def square(x: f32) -> f32 = x * x
def made(u: f32) =
    let made = <own>
    <record>
def f(u: f32, x: f32) -> f32 = grad(fn q -> made(q).f(x))(u) #! E0818
#### rules_that_a_definition_gives
def square(x: f32) -> f32 = x * x
def applied(f: (f32) -> f32, x: f32) -> f32 = f(x)
def act(u: f32) =
    let made = <own>
    <wrapped>
def f(u: f32, x: f32) -> f32 = <apart>
#### rules_in_a_record
def square(x: f32) -> f32 = x * x
def made(u: f32) =
    let made = <own>
    <record>
def f(u: f32, x: f32) -> f32 = grad(made(u).f)(x) * made(u).k
#### rules_of_what_is_static
def power(x: f32, static k: int) -> f32 = x ** k
def rule(p: (f32,), t: (f32,), static k: int) -> (f32, f32) = (p.0 ** k, 7.0 * f32(k) * t.0)
def fwd(x: f32, static k: int) -> (f32, f32) = (x ** k, x)
def bwd(x: f32, ct: f32, static k: int) -> (f32,) = (x * f32(k) * ct,)
def act() = <given_power>
def f(x: f32, static j: int) -> (f32, f32, f32) =
    let h = act()
    let r = {h = <given_power>}
    (grad(h)(x, k=j), grad(r.h)(x, k=2), sum(vmap(grad(jit(h)))([x, x], k=j + 1)))
#### rules_of_a_choice
def f(xs: f32[n], ys: f32[m], static t: bool) -> (f32[n], f32[m]) =
    let h = if t then <by_sizes> else fn v -> sum(v)
    (grad(h)(xs), grad(h)(ys))
#### rules_for_several_sizes
let constant = <by_sizes>
def f(xs: f32[n], ys: f32[m]) -> (f32[n], f32[m], f32[n], f32[m]) =
    let h = <by_sizes>
    let q = jit(h)
    (grad(q)(xs), grad(q)(ys), grad(constant)(xs), grad(jit(constant))(ys))
