#: e = <derivative>
#: derivative = grad(h)(x[0]) | value_and_grad(h)(x[0]).1 | jacfwd(h)(x[0]) | jacrev(h)(x[0]) | hessian(h)(x[0]) | grad(fn v -> h(v))(x[0])
#### whole_number_differentiated_inside
def h(x: f32) -> int = 3
def f(x: f32[n], t: bool) -> f32 where n >= 1 = <around> #! E08
#### float_differentiated_inside
def h(x: f32) -> f32 = f32(3) * x
def f(x: f32[n], t: bool) -> f32 where n >= 1 = <around>
