#### given_and_passed_on
def o(x: f32, static g: ((f32) -> f32)? = none) -> f32 = if g == none then x else g(x)
def p(x: f32, static g: ((f32) -> f32)? = none) -> f32 = o(x, g)
def power(x: f32, static k: int = 2) -> f32 = x ** k
def w(x: f32) -> f32 = o(x) + o(x, sin) + o(x, g=fn v -> 2.0 * v) + o(x, none) + p(x, power) + p(x)
def chosen(x: f32, static c: bool) -> f32 = o(x, if c then sin else none)
