#: default = x[0] | x[-1] | max(x) | x[n - 1] | sum(x[1:]) | (fn z -> z * x[0])(2.0) | first(x) | {a = x[0]}.a | if n == 3 then 1.0 else x[0]
#: again = f(x) | f(x, s=2.0) | (fn v -> f(v))(x) | grad(fn v -> f(v))(x) | twice(x)
#### default_of_nothing
def first(x: f32[n]) -> f32 = x[0]
def f(x: f32[n], y: f32 = <default>, s: f32 = 1.0) -> f32 = sum(x) * y * s
def twice(x: f32[n]) -> f32 = 2.0 * f(x)
def g(x: f32[0]) = <again> #! E0407
#### default_of_something
def first(x: f32[n]) -> f32 = x[0]
def f(x: f32[n], y: f32 = <default>, s: f32 = 1.0) -> f32 = sum(x) * y * s
def twice(x: f32[n]) -> f32 = 2.0 * f(x)
def g(x: f32[m + 1]) = <again>
