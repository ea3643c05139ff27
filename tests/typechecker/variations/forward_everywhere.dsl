#: e = <forward>
#: forward = jvp(h, (x[0],), (1.0,)).1 | jacfwd(h)(x[0]) | linearize(h, x[0]).1(1.0) | jvp(fn v -> h(v) * 2.0, (x[0],), (1.0,)).1 | jacfwd(fn v -> sin(h(v)))(x[0]) | jvp(fn v -> (fold s = v for _ in range(2) do h(s)), (x[0],), (1.0,)).1
#### forward_of_a_reverse_rule
def g(x: f32) -> f32 = custom_vjp(fn y -> y * y, fn y -> (y * y, y), fn (r, ct) -> (2.0 * r * ct,))(x)
def slope(h: (f32) -> f32, x: f32[n], t: bool) -> f32 where n >= 1 =
    <around>
def f(x: f32[n], t: bool) -> f32 where n >= 1 = slope(g, x, t) #! E0816
#### forward_without_a_rule
def slope(h: (f32) -> f32, x: f32[n], t: bool) -> f32 where n >= 1 = <around>
def f(x: f32[n], t: bool) -> f32 where n >= 1 = slope(sin, x, t)
