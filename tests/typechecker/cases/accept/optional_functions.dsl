#### given_and_passed_on
def o(x: f32, static g: ((f32) -> f32)? = none) -> f32 = if g == none then x else g(x)
def p(x: f32, static g: ((f32) -> f32)? = none) -> f32 = o(x, g)
def power(x: f32, static k: int = 2) -> f32 = x ** k
def w(x: f32) -> f32 = o(x) + o(x, sin) + o(x, g=fn v -> 2.0 * v) + o(x, none) + p(x, power) + p(x)
def chosen(x: f32, static c: bool) -> f32 = o(x, if c then sin else none)
#### in_tuples_and_variants
enum Choice = Given(f: ((f32) -> f32)?) | Other
def t(x: f32, static p: ((f32) -> f32, int)? = none) -> f32 = if p == none then x else p.0(x) * f32(p.1)
def c(x: f32, static p: Choice) -> f32 = match p with
    Given(f) -> if f == none then x else f(x)
    Other -> x
def w(x: f32) -> f32 = t(x, (fn v -> 2.0 * v, 2)) + t(x, (sin, 2)) + t(x)
def v(x: f32) -> f32 = c(x, Given(sin)) + c(x, Given(fn v -> v)) + c(x, Given(none)) + c(x, Other)
