#: e = grad(h)(x[0]) | vjp(h, x[0]).1(1.0).0 | jacrev(h)(x[0]) | h(x[0])
#### backward_of_a_reverse_rule
def g(x: f32) -> f32 = custom_vjp(fn y -> y * y, fn y -> (y * y, y), fn (r, ct) -> (2.0 * r * ct,))(x)
def slope(h: (f32) -> f32, x: f32[n], t: bool) -> f32 where n >= 1 = <around>
def f(x: f32[n], t: bool) -> f32 where n >= 1 = slope(g, x, t)
