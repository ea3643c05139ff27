#: e = custom_jvp(sin, fn (p, d) -> (sin(p.0), <slope>))(x[0])
#: slope = clip(d.0, 0.0, p.0) | cos(p.0) | 1.0 | d.0 * d.0 | d.0 + 1.0 | sin(d.0) | abs(d.0) | where(d.0 > 0.0, d.0, 0.0) | f32(i32(d.0)) | d.0 ** 2 | exp(d.0) | maximum(d.0, 0.0) | if p.0 > 0.0 then d.0 else 1.0 | [d.0, 1.0][1] | 1.0 / d.0 | [d.0].at[i32(p.0)].get(mode="fill", fill=5.0)
#### slope_that_is_not_linear
def f(x: f32[n], t: bool) -> f32 where n >= 1 = <around> #! E08
#: rule = bad | jit(bad) | checkpoint(bad) | fn (p, t) -> bad(p, t) | {r = bad}.r | (bad, 1.0).0 | top | fn (p, t) -> forgets(p, t)
#: call = custom_jvp(sin, <given>)(x) | vmap(custom_jvp(sin, <given>))([x])[0] | grad(custom_jvp(sin, <given>))(x)
#: given = r | fn (p, t) -> r(p, t)
#### rule_by_another_name
let top = fn (p, t) -> (p.0, t.0 * t.0)
def f(x: f32) -> f32 =
    let r = <rule>
    <call> #! E0817
def bad(p: (f32,), t: (f32,)) -> (f32, f32) = (sin(p.0), t.0 * t.0)
def forgets(p: (f32,), t: (f32,)) -> (f32, f32) = (sin(p.0), 1.0)
#### rule_that_is_passed
let top = fn (p, t) -> (p.0, t.0 * t.0)
def with_rule(r: ((f32,), (f32,)) -> (f32, f32), x: f32) -> f32 = <call>
def f(x: f32) -> f32 = with_rule(<rule>, x) #! E0817
def bad(p: (f32,), t: (f32,)) -> (f32, f32) = (sin(p.0), t.0 * t.0)
def forgets(p: (f32,), t: (f32,)) -> (f32, f32) = (sin(p.0), 1.0)
#: part = jvp(fn u -> u * u, (d.0,), (d.0,)).1 | jvp(fn u -> u * u, (d.0,), (p.0,)).0 | 2.0 * jvp(exp, (d.0,), (p.0,)).0 | jvp(fn u -> d.0 * u, (p.0,), (d.0,)).0 * d.0 | (with state s = d.0 do squared(s)).0 | summed(d.0 * d.0) | (with handler ask(a) -> resume(a * d.0) do ask(d.0)) | (with handler ask(a) -> resume(a) do ask(d.0) * d.0)
#### slope_through_effects_and_derivatives
effect ask: (x: f32) -> f32
def squared(x: f32) -> f32 = x * x
def summed(x: f32) -> f32 =
    let (_, total) = with accum s: f32 do
        s += x
        x
    total
def f(x: f32) -> f32 = custom_jvp(sin, fn (p, d) -> (sin(p.0), <part>))(x) #! E0817
#: point = d.0 | 2.0 * d.0
#: taken = grad(<steep>)(<point>) | jacfwd(<steep>)(<point>) | jacrev(<steep>)(<point>) | vjp(<steep>, <point>).1(p.0).0 | linearize(<steep>, <point>).1(p.0) | hvp(<steep>, <point>, d.0) | hessian(<steep>)(<point>) * d.0 | value_and_grad(<steep>)(<point>).1 | grad(fn u -> u * u)(<point>) * d.0 | vjp(fn u -> u * u, d.0).1(d.0).0 | linearize(fn u -> u * u, d.0).1(d.0) | grad(fn u -> u * d.0 * d.0)(p.0) | grad(fn u -> u * u)(p.0) | grad(fn u -> u * d.0)(p.0) * d.0 | vjp(sin, p.0).1(d.0).0 * d.0 | grad(fn (u, v) -> u * v, argnums=1)(d.0, p.0) * d.0
#: steep = fn u -> u * u * u | fn u -> u ** 3 | exp | fn u -> sin(u) * u | fn u -> sum([u, u] ** 3)
#### slope_that_is_a_derivative
def f(x: f32) -> f32 = custom_jvp(sin, fn (p, d) -> (sin(p.0), <taken>))(x) #! E0817
#: chosen = if c then good else bad | if c then bad else good | {r = if c then good else bad}.r | (if c then {r = bad} else {r = good}).r
#### rule_of_choice
def good(p: (f32,), t: (f32,)) -> (f32, f32) = (sin(p.0), cos(p.0) * t.0)
def bad(p: (f32,), t: (f32,)) -> (f32, f32) = (sin(p.0), t.0 * t.0)
def f(x: f32, static c: bool) -> f32 =
    let r = <chosen>
    custom_jvp(sin, r)(x) #! E0817
#: again = power(d.0, 2) | total([d.0, d.0]) | increased(d.0, 1) | repeated(fn u -> d.0 * u, d.0, 2) | repeated(fn u -> 1.0 + u, d.0, 2) | repeated(sin, d.0, 2) | even(d.0, 3) | power(p.0, 2) | prod([d.0, d.0]) | prod([d.0, p.0, d.0]) | linalg.det([[d.0, 0.0], [0.0, d.0]]) | linalg.matrix_power([[d.0]], 2)[0, 0] | grad(fn u -> u * u * d.0)(d.0) | jacfwd(fn u -> u * u * d.0)(d.0) | grad(custom_vjp(fn u -> u, fn u -> (u, u), fn (s, ct) -> (ct * s,)))(d.0) * d.0 | custom_jvp(square, fn (q, e) -> (q.0, e.0))(d.0)
#### slope_through_recursion
import linalg
def square(x: f32) -> f32 = x * x
def power(x: f32, static k: int) -> f32 = if k == 0 then 1.0 else x * power(x, k - 1)
def increased(x: f32, static k: int) -> f32 = if k == 0 then x else 1.0 + increased(x, k - 1)
def total(x: f32[n]) -> f32 = if n == 0 then 1.0 else x[0] * total(x[1:])
def repeated(g: (f32) -> f32, x: f32, static k: int) -> f32 = if k == 0 then x else g(repeated(g, x, k - 1))
def even(x: f32, static k: int) -> f32 = if k == 0 then 1.0 else x * odd(x, k - 1)
def odd(x: f32, static k: int) -> f32 = if k == 0 then 1.0 else even(x, k - 1)
def f(x: f32) -> f32 = custom_jvp(sin, fn (p, d) -> (sin(p.0), <again>))(x) #! E0817
#: ranks = argsort(<u>) | argsort(stack((p.0, <u>))[1]) | argsort(p.0)[argsort(<u>)] | argsort(-<u>)[argsort(p.0)]
#: u = d.0 | p.0 * d.0
#: order = exp(flip(<u>)) | p.0 * exp(split_at(<u>, 1).0)[0] | exp(stack((<u>, p.0))[0]) | exp(vstack((<u>, p.0))[0]) | d.0[<ranks>] | take(p.0, <ranks>) | p.0[<ranks>] * d.0 | zeros([n]).at[<ranks>].set(d.0) | zeros([n]).at[<ranks>].add(p.0) | take_along_axis(d.0, <ranks>, axis=0) | segment_sum(d.0, <ranks>, n) | f32(<ranks>) | d.0 + p.0 ** 0 | d.0 + 1.0 / 0.0 | d.0 + f32(p.0 == 0.0) | d.0 + f32(0 // 1 == 0)
#### slope_that_hides_its_dependence
def f(x: f32[n]) -> f32[n] where n >= 1 = custom_jvp(fn y -> y, fn (p, d) -> (p.0, <order>))(x) #! E0817
