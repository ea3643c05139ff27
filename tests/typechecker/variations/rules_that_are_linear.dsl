#: e = custom_jvp(sin, fn (p, d) -> (sin(p.0), <slope>))(x[0])
#: slope = d.0 | 2.0 * d.0 | cos(p.0) * d.0 | d.0 + d.0 | -d.0 | d.0 / 3.0 | where(p.0 > 0.0, d.0, 2.0 * d.0) | d.0 ** 1 | sum([d.0, d.0]) | 0.0 * d.0 | if p.0 > 0.0 then d.0 else 3.0 * d.0 | fold s = d.0 for _ in range(2) do s + d.0
#### slope_that_is_linear
def f(x: f32[n], t: bool) -> f32 where n >= 1 = <around>
