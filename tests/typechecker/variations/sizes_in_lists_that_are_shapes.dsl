#: negative = [2, -1] | [1 - 2] | if true then [2, -1] else [1] | [3, n - n - 1]
#: open = [n - 7] | [2, n - 7] | [n, n - 7, 1]
#: least = [k] | [2, k] | [k, 2 * k]
#### shapes_in_data_with_negative_sizes
type C = {s: shape}
enum E = K(s: shape)
def of(static c: C) = zeros(c.s)
def by(static e: E) = match e with
    K(s) -> zeros(s)
def first(static p: (shape, int)) = zeros(p.0)
def f(x: f32[n]) = of({s = <negative>}) #! E0409
def g(x: f32[n]) = by(K(<negative>)) #! E0409
def h(x: f32[n]) = first((<negative>, 1)) #! E0409
#### shapes_in_data_that_may_be_negative
type C = {s: shape}
enum E = K(s: shape)
def of(static c: C) = zeros(c.s)
def by(static e: E) = match e with
    K(s) -> zeros(s)
def f(x: f32[n]) = of({s = <open>})
def g(x: f32[n]) = by(K(<open>))
def h(static k: int) = of({s = <least>})
def good(x: f32[9]) = (f(x), g(x), h(3))
def bad(x: f32[5]) = f(x) #! E0407
def worse(x: f32[5]) = g(x) #! E0407
def worst() = h(-1) #! E0407
#### shapes_as_defaults_with_negative_sizes
def f(x: f32[3], static s: shape = [2, 2 - 3]) = zeros(s) #! E0409
#### shapes_as_defaults_that_may_be_negative
def f(x: f32[n], static s: shape = <open>) = zeros(s)
def good(x: f32[7]) = f(x)
def bad(x: f32[6]) = f(x) #! E0407
#### shapes_that_functions_make
static def made(k: int) -> shape = <least>
def f(x: f32[n]) -> int = len(made(n))
def good() = zeros(made(2))
def bad() -> int = len(made(-2)) #! E0407
#### lists_with_splices_that_are_no_shapes
type C = {s: shape}
def of(static c: C) = zeros(c.s)
def f(x: f32[n, *s]) =
    let p = [*s, -1]
    reshape(x, p)
def g(x: f32[*s]) =
    let p = [*s, -1]
    of({s = p}) #! E0409
