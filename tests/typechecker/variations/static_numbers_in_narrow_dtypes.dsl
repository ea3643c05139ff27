#: meets = x * a | x + 2.0 * a | where(x > 0.0, x, a) | full([3], 1.0 * a) + x | x.at[0].set(a) | clip(x, 0.0, a) | maximum(x, a)
#: large = 65520.0 | 1e6 | -7e4 | 2.0 ** 20
#: fits = 65504.0 | -6e4 / 2.0 | inf | nan | 0.5
#### static_float_beyond_f16
def g(x: f16[3], static a: float) -> f16[3] = <meets>
def f(x: f16[3]) -> f16[3] = g(x, a=<large>) #! E0407
#### static_float_within_f16
def g(x: f16[3], static a: float) -> f16[3] = x * a
def f(x: f16[3]) -> f16[3] = g(x, a=<fits>)
def h(x: f16[3], static a: float) -> f16[3] = if abs(a) < 1000.0 then <meets> else x
