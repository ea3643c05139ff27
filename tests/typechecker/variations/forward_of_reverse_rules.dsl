#: forward = jvp(h, (x,), (1.0,)).1 | jacfwd(h)(x) | linearize(h, x).1(1.0) | jvp(fn v -> h(v) * 2.0, (x,), (1.0,)).1 | jacfwd(fn v -> sin(h(v)))(x) | jvp(fn v -> (fold s = v for _ in range(2) do h(s)), (x,), (1.0,)).1
#: reverse = grad(h)(x) | vjp(h, x).1(1.0).0 | jacrev(h)(x) | jacfwd(grad(h))(x) | grad(grad(h))(x) | hessian(h)(x) | h(x)
#: given = g | fn v -> g(v) | fn v -> v + g(2.0 * v) | square_back | fn v -> (g, sin).0(v) | fn v -> {a = g}.a(v)
#: fine = sin | fn v -> v * v | fn v -> tanh(v) + stop_gradient(v) | fn v -> v + g(2.0)
#### by_a_parameter
def g(x: f32) -> f32 = custom_vjp(fn y -> y * y, fn y -> (y * y, y), fn (r, ct) -> (2.0 * r * ct,))(x)
def square_back(x: f32) -> f32 = g(x) * g(x)
def slope(h: (f32) -> f32, x: f32) -> f32 =
    <forward>
def f(x: f32) -> f32 = slope(<given>, x) #! E0816
#### by_a_record
def g(x: f32) -> f32 = custom_vjp(fn y -> y * y, fn y -> (y * y, y), fn (r, ct) -> (2.0 * r * ct,))(x)
def square_back(x: f32) -> f32 = g(x) * g(x)
def slope(p: {h: (f32) -> f32}, x: f32) -> f32 =
    let h = fn v -> p.h(v)
    <forward>
def f(x: f32) -> f32 = slope({h = <given>}, x) #! E0816
#### by_two_parameters
def g(x: f32) -> f32 = custom_vjp(fn y -> y * y, fn y -> (y * y, y), fn (r, ct) -> (2.0 * r * ct,))(x)
def square_back(x: f32) -> f32 = g(x) * g(x)
def slope(h: (f32) -> f32, x: f32) -> f32 =
    <forward>
def twice(h: (f32) -> f32, x: f32) -> f32 = slope(fn v -> h(h(v)), x)
def f(x: f32) -> f32 = twice(<given>, x) #! E0816
#### backwards
def g(x: f32) -> f32 = custom_vjp(fn y -> y * y, fn y -> (y * y, y), fn (r, ct) -> (2.0 * r * ct,))(x)
def square_back(x: f32) -> f32 = g(x) * g(x)
def slope(h: (f32) -> f32, x: f32) -> f32 =
    <reverse>
def f(x: f32) -> f32 = slope(<given>, x)
#### without_a_rule
def g(x: f32) -> f32 = custom_vjp(fn y -> y * y, fn y -> (y * y, y), fn (r, ct) -> (2.0 * r * ct,))(x)
def slope(h: (f32) -> f32, x: f32) -> f32 =
    <forward>
def f(x: f32) -> f32 = slope(<fine>, x)
