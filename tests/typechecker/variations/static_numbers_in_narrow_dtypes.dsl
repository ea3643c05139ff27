#: meets = x * a | x + 2.0 * a | where(x > 0.0, x, a) | full([3], 1.0 * a) + x | x.at[0].set(a) | clip(x, 0.0, a) | maximum(x, a)
#: large = 65520.0 | 1e6 | -7e4 | 2.0 ** 20
#: narrow = f16 | bf16 | f32 | c64
#: class = Inexact
#: meets_any = x * a | x + 2.0 * a | x.at[0].set(a) | full([3], a) + x | [a, 1.0, 2.0] * x | (fn v -> v * a)(x) | {b = a}.b * x
#: beyond = 1e39 | -4e38 | 2.0 ** 200
#: small = inf | nan | 0.5 | -6e4 / 2.0
#: fits = 65504.0 | -6e4 / 2.0 | inf | nan | 0.5
#### static_float_beyond_f16
def g(x: f16[3], static a: float) -> f16[3] = <meets>
def f(x: f16[3]) -> f16[3] = g(x, a=<large>) #! E0407
#### static_float_within_f16
def g(x: f16[3], static a: float) -> f16[3] = x * a
def f(x: f16[3]) -> f16[3] = g(x, a=<fits>)
def h(x: f16[3], static a: float) -> f16[3] = if abs(a) < 1000.0 then <meets> else x
#### static_float_beyond_every_narrow_dtype
def g(x: <narrow>[3], static a: float) -> <narrow>[3] = <meets_any>
def f(x: <narrow>[3]) -> <narrow>[3] = g(x, a=<beyond>) #! E0407
#### static_float_beyond_a_dtype_of_a_class
def g[T: <class>](x: T[3], static a: float) -> T[3] = <meets_any>
def f(x: <narrow>[3]) -> <narrow>[3] = g(x, a=<beyond>) #! E0407
#### static_float_beyond_the_dtype_of_a_leaf
def g[P: VSpace](p: P, static a: float) -> P = tree_map(fn x -> x * a, p)
def f(x: <narrow>[3]) -> <narrow>[3] = g(x, a=<beyond>) #! E0407
#### static_float_within_a_dtype_of_a_class
def g[T: <class>](x: T[3], static a: float) -> T[3] = <meets_any>
def f(x: <narrow>[3]) -> <narrow>[3] = g(x, a=<small>)
def h(x: f64[3]) -> f64[3] = g(x, a=<beyond>)
def i[T: <class>](x: T[3]) -> T[3] = if T in (f64, c128) then x * <beyond> else x
#### number_beyond_a_dtype_of_a_class
def f[T: <class>](x: T[3]) -> T[3] = x * <beyond> #! E0304
#### complex_number_beyond_its_dtype
def g(x: c64, static a: complex) -> c64 = x * a
def f(x: c64) -> c64 = g(x, a=<beyond> + 1j) #! E0407
