#: e = custom_jvp(sin, fn (p, d) -> (sin(p.0), <slope>))(x[0])
#: slope = d.0 | 2.0 * d.0 | cos(p.0) * d.0 | d.0 + d.0 | -d.0 | d.0 / 3.0 | where(p.0 > 0.0, d.0, 2.0 * d.0) | d.0 ** 1 | d.0 ** 1.0 | power(d.0, 1.0) | grad(fn u -> p.0 * u ** 2.0)(d.0) | sum([d.0, d.0]) | 0.0 * d.0 | if p.0 > 0.0 then d.0 else 3.0 * d.0 | fold s = d.0 for _ in range(2) do s + d.0 | [d.0, 3.0 * d.0].at[i32(p.0)].get(mode="fill", fill=0.0)
#### slope_that_is_linear
def f(x: f32[n], t: bool) -> f32 where n >= 1 = <around>
#: rule = good | jit(good) | fn (p, t) -> good(p, t) | {r = good}.r | (good, 1.0).0 | top | fn (p, t) -> (p.0, x * t.0)
#: call = custom_jvp(sin, r)(x) | custom_jvp(sin, fn (p, t) -> r(p, t))(x)
#### rule_that_is_passed
let top = fn (p, t) -> (p.0, 2.0 * t.0)
def with_rule(r: ((f32,), (f32,)) -> (f32, f32), x: f32) -> f32 = <call>
def f(x: f32) -> f32 = with_rule(<rule>, x)
def good(p: (f32,), t: (f32,)) -> (f32, f32) = (sin(p.0), cos(p.0) * t.0)
#: part = jvp(fn u -> u + d.0, (p.0,), (d.0,)).1 | jvp(fn u -> u * u, (p.0,), (d.0,)).1 | jvp(fn u -> u * u, (d.0,), (p.0,)).1 | jvp(fn u -> p.0 * u, (d.0,), (d.0,)).1 | jvp(fn u -> p.0 * u, (d.0,), (d.0,)).0 | (with state s = d.0 do p.0 * s).0 | (with state s = p.0 do s * d.0).1 * d.0 | summed(p.0 * d.0) | (fold u = 0.0 for _ in range(2) do u + summed(d.0)) | (with handler ask(a) -> resume(a * p.0) do ask(d.0)) | (with handler ask(a) -> resume(a * d.0) do ask(p.0))
#### slope_through_effects_and_derivatives
effect ask: (x: f32) -> f32
def summed(x: f32) -> f32 =
    let (_, total) = with accum s: f32 do
        s += x
        x
    total
def f(x: f32) -> f32 = custom_jvp(sin, fn (p, d) -> (sin(p.0), <part>))(x)
#: point = d.0 | 2.0 * d.0
#: taken = grad(<quadratic>)(<point>) | jacfwd(<quadratic>)(<point>) | jacrev(<quadratic>)(<point>) | vjp(<quadratic>, <point>).1(p.0).0 | linearize(<quadratic>, <point>).1(p.0) | hvp(<quadratic>, <point>, d.0) | hessian(<quadratic>)(<point>) * d.0 | value_and_grad(<quadratic>)(<point>).1 | grad(fn u -> u * d.0)(p.0) | grad(fn u -> u * u * d.0)(p.0) | grad(fn u -> sin(u) * d.0 + 3.0)(p.0) * p.0 | grad(sin)(p.0) * d.0 | vjp(sin, p.0).1(d.0).0 | linearize(exp, p.0).1(d.0) | grad(fn u -> 3.0 * u + 1.0)(<point>) * d.0 | grad(fn (u, v) -> u * v, argnums=1)(p.0, d.0) * d.0 | grad(fn (u, v) -> u * v, argnums=1)(d.0, p.0)
#: quadratic = fn u -> u * u | square | fn u -> u ** 2 + 1.0 | fn u -> 0.5 * dot([u, u], [u, p.0 * u]) | fn u -> u * u + p.0 | fn u -> stop_gradient(u) * u
#### slope_that_is_a_derivative
def f(x: f32) -> f32 = custom_jvp(sin, fn (p, d) -> (sin(p.0), <taken>))(x)
#### rules_of_choice
def one(p: (f32,), t: (f32,)) -> (f32, f32) = (sin(p.0), cos(p.0) * t.0)
def two(p: (f32,), t: (f32,)) -> (f32, f32) = (sin(p.0), 2.0 * t.0)
def f(x: f32, static c: bool) -> f32 = custom_jvp(sin, if c then one else two)(x)
#: again = scaled(d.0, 2) | summed([d.0, p.0 * d.0]) | power(p.0, 2) * d.0 | repeated(fn u -> p.0 * u, d.0, 2) | even(d.0, 3) | fib(d.0, 5) | fib(p.0, 5) * d.0 | nested(d.0, 3) | grad(fn u -> power(u, 2))(p.0) * d.0 | prod([p.0, p.0]) * d.0 | custom_jvp(sin, fn (q, e) -> (sin(q.0), e.0))(p.0) * d.0
#### slope_through_recursion
def power(x: f32, static k: int) -> f32 = if k == 0 then 1.0 else x * power(x, k - 1)
def scaled(x: f32, static k: int) -> f32 = if k == 0 then x else 2.0 * scaled(x, k - 1)
def summed(x: f32[n]) -> f32 = if n == 0 then 0.0 else x[0] + summed(x[1:])
def repeated(g: (f32) -> f32, x: f32, static k: int) -> f32 = if k == 0 then x else g(repeated(g, x, k - 1))
def even(x: f32, static k: int) -> f32 = if k == 0 then x else 2.0 * odd(x, k - 1)
def odd(x: f32, static k: int) -> f32 = if k == 0 then 0.0 * x else 3.0 * even(x, k - 1)
def fib(x: f32, static k: int) -> f32 = if k <= 1 then x else fib(x, k - 1) + fib(x, k - 2)
def nested(x: f32, static k: int) -> f32 = if k == 0 then x else nested(nested(x, k - 1), k - 1)
def f(x: f32) -> f32 = custom_jvp(sin, fn (p, d) -> (sin(p.0), <again>))(x)
#: order = flip(d.0) | p.0 * split_at(d.0, 1).0[0] | stack((d.0, 2.0 * d.0))[0] | stack((d.0, p.0 * d.0), axis=1)[:, 1] | d.0[argsort(p.0)] | take(d.0, argsort(p.0)) | zeros([n]).at[argsort(p.0)].set(d.0) | segment_sum(d.0, argsort(p.0), n) | f32(argsort(p.0)) * d.0 | 0.0 * d.0 + d.0 | zeros_like(d.0) * d.0 + d.0 | d.0 * p.0 ** 0 | d.0 / (1.0 / 0.0) | 0.0 / p.0 * d.0
#### slope_beside_what_does_not_depend
def f(x: f32[n]) -> f32[n] where n >= 1 = custom_jvp(fn y -> y, fn (p, d) -> (p.0, <order>))(x)
