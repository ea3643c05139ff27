#: alike = io | check
#: valued = rand | state(c: f32) | accum(a: f32) | ask
#: axis = axis("i")
#: any = <alike> | <valued>
#: given = g | (fn v -> g(v)) | {r = g}.r | (g, 1.0).0 | jit(g)
#: taken = h(x) | grad(h)(x) | jvp(h, (x,), (1.0,)).1 | vjp(h, x).1(1.0).0 | linearize(h, x).1(1.0) | hvp(h, x, 1.0) | grad(grad(h))(x) | checkpoint(h)(x) | (fold s = x for _ in range(2) do h(s))
#: back = h(x) | grad(h)(x) | vjp(h, x).1(1.0).0 | jacrev(h)(x) | grad(grad(h))(x) | grad(checkpoint(h))(x) | grad(fn v -> fold s = v for _ in range(2) do h(s))(x)
#: losing = custom_jvp(<given>, fn (p, t) -> (q(p.0), 2.0 * t.0)) | custom_vjp(<given>, fn v -> (q(v), v), fn (v, ct) -> (2.0 * ct * v,))
#: adding = custom_jvp(q, fn (p, t) -> (<given>(p.0), 2.0 * t.0)) | custom_vjp(q, fn v -> (<given>(v), v), fn (v, ct) -> (2.0 * ct * v,)) | custom_vjp(q, fn v -> (q(v), v), fn (v, ct) -> (<given>(ct),)) | custom_vjp(q, fn v -> (q(v), <given>(v)), fn (v, ct) -> (ct,))
#: blind = custom_jvp(<given>, fn (p, t) -> (q(p.0), 2.0 * t.0)) | custom_vjp(<given>, fn v -> (q(v), v), fn (v, ct) -> (2.0 * ct * v,))
#: handled = <asking> | <holding> | <noting>
#: asking = (with handler ask(a) -> resume(a * u) do custom_jvp(asked, fn (p, t) -> (p.0, t.0))(u)) | (with handler ask(a) -> resume(a * u) do custom_vjp(fn v -> asked(v), fn v -> (v, v), fn (v, ct) -> (ct,))(2.0))
#: holding = (with state c = u do custom_jvp(held, fn (p, t) -> (p.0, t.0))(u)).0 | (with state c = u do custom_vjp(set, fn v -> (v, v), fn (v, ct) -> (ct,))(2.0)).0 | (with state c = u do custom_jvp(fn v -> v * c, fn (p, t) -> (p.0, t.0))(2.0)).1
#: noting = (with accum a: f32 do custom_jvp(noted, fn (p, t) -> (p.0, t.0))(u)).1
#: inside = (with state c = v do c * v).0 | (with handler ask(a) -> resume(2.0 * a) do ask(v)) | (with checks do careful(v)).0
#: alike_one = shown | tested
#: mapped = f | grad(f)
#: along = custom_jvp(fn v -> psum(v, "i"), fn (p, t) -> (psum(p.0, "i"), psum(2.0 * t.0, "i"))) | custom_vjp(fn v -> v, fn v -> (v, v), fn (v, ct) -> (psum(ct, "i"),)) | custom_vjp(fn v -> psum(v, "i"), fn v -> (psum(v, "i"), v), fn (v, ct) -> (ct,))
#: default =  | = 3
#: statically = custom_jvp(power, rule) | custom_vjp(power, fwd, bwd) | custom_vjp(jit(power), fwd, fn (s, ct) -> (ct,))
#: power = h(x, k=3) | h(x, 3) | h(x, k=k) | h(k=k + 1, x=x) | grad(h)(x, k=3) | vmap(grad(h))([x, x], k=k)[0] | (fold s = x for _ in range(2) do h(s, k=2))
#: function = sin | fn v -> v * v | fn v -> x * v | g=sin
#### effects_that_the_rule_performs_too
def f(x: f32, g: (f32) -> f32 ! <alike>) -> f32 ! <alike> =
    let h = custom_jvp(<given>, fn (p, t) -> (g(p.0), 2.0 * t.0))
    <taken>
#### effects_that_fwd_performs_too
def f(x: f32, g: (f32) -> f32 ! <alike>) -> f32 ! <alike> =
    let h = custom_vjp(<given>, fn v -> (g(v), v), fn (v, ct) -> (2.0 * ct * v,))
    <back>
#### effects_that_a_rule_would_lose
def f(x: f32, g: (f32) -> f32 ! <alike>, q: (f32) -> f32) -> f32 ! <alike> =
    let h = <losing> #! E0702
    <back>
#### effects_of_a_rule_alone
effect ask: (v: f32) -> f32
def f(x: f32, g: (f32) -> f32 ! <any>, q: (f32) -> f32) -> f32 ! <any> =
    let h = <adding> #! E0702
    <back>
#### effects_of_the_way_back
def f(x: f32, g: (f32) -> f32 ! <alike>) -> f32 ! <alike> =
    let h = custom_vjp(g, fn v -> (g(v), v), fn (v, ct) -> (<given>(ct),)) #! E0702
    <back>
#### values_that_no_rule_knows
effect ask: (v: f32) -> f32
def f(x: f32, g: (f32) -> f32 ! <valued>, q: (f32) -> f32) -> f32 ! <valued> =
    let h = <blind> #! E0702
    <back>
#### effects_that_callers_choose
def f(x: f32, g: (f32) -> f32 ! e, q: (f32) -> f32) -> f32 ! e =
    let h = <blind> #! E0702
    <back>
#### values_of_handlers
effect ask: (v: f32) -> f32
def asked(v: f32) -> f32 ! ask = ask(v)
def held(v: f32) -> f32 ! state(c: f32) = v * c
def set(v: f32) -> f32 ! state(c: f32) =
    c := c * v
    v
def noted(v: f32) -> f32 ! accum(a: f32) =
    a += v
    v
def f(y: f32) -> f32 = grad(fn u -> <handled>)(y) #! E0702
#### effects_of_arguments
effect ask: (v: f32) -> f32
def f(x: f32, g: (f32) -> f32 ! <any>, q: (f32) -> f32) -> f32 ! <any> = custom_vjp(q, fn v -> (q(v), v), fn (v, ct) -> (ct,))(<given>(x))
#### effects_that_stay_inside
effect ask: (v: f32) -> f32
def careful(v: f32) -> f32 ! check =
    assert v > 0.0
    v
def inner(v: f32) -> f32 = <inside>
def f(x: f32) -> f32 = grad(custom_vjp(inner, fn v -> (inner(v), inner(v)), fn (v, ct) -> (inner(ct) * v,)))(x)
#### tangents_that_are_shown
def shown(v: f32) -> f32 ! io =
    print("{}", v)
    v
def tested(v: f32) -> f32 ! check = checked(v)
def f(x: f32) -> f32 ! <alike> = custom_jvp(<alike_one>, fn (p, t) -> (<alike_one>(p.0), <alike_one>(t.0)))(x) #! E0817|E0701|E0702
#### axes_in_rules
def f(x: f32) -> f32 ! <axis> = <along>(x)
def g(x: f32[n]) -> f32[n] where n >= 1 = vmap(<mapped>, axis_name="i")(x)
#### axes_that_rules_hide
def f(x: f32) -> f32 = custom_vjp(fn v -> v, fn v -> (v, v), fn (v, ct) -> (psum(ct, "i"),))(x) #! E07|E08
#### statics_that_reach_rules
def power(x: f32, static k: int<default>) -> f32 = x ** k
def rule(p: (f32,), t: (f32,), static k: int) -> (f32, f32) = (p.0 ** k, f32(k) * p.0 ** (k - 1) * t.0)
def fwd(x: f32, static k: int) -> (f32, f32) = (x ** k, x)
def bwd(x: f32, ct: f32, static k: int) -> (f32,) = (f32(k) * x ** (k - 1) * ct,)
def f(x: f32, static k: int) -> f32 where k >= 1 =
    let h = <statically>
    <power>
#### statics_that_no_rule_has
def power(x: f32, static k: int) -> f32 = x ** k
def rule(p: (f32,), t: (f32,), static m: int) -> (f32, f32) = (p.0 ** m, t.0)
def f(x: f32) -> f32 = custom_jvp(power, rule)(x, k=3) #! E0307
#### functions_that_reach_rules
def at(x: f32, g: (f32) -> f32) -> f32 = g(x)
def rule(p: (f32,), t: (f32,), g: (f32) -> f32) -> (f32, f32) = (g(p.0), 2.0 * t.0)
def f(x: f32) -> f32 = custom_jvp(at, rule)(x, <function>)
