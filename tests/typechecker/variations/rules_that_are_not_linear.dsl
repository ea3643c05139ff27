#: e = custom_jvp(sin, fn (p, d) -> (sin(p.0), <slope>))(x[0])
#: slope = cos(p.0) | 1.0 | d.0 * d.0 | d.0 + 1.0 | sin(d.0) | abs(d.0) | where(d.0 > 0.0, d.0, 0.0) | f32(i32(d.0)) | d.0 ** 2 | exp(d.0) | maximum(d.0, 0.0) | if p.0 > 0.0 then d.0 else 1.0 | [d.0, 1.0][1] | 1.0 / d.0
#### slope_that_is_not_linear
def f(x: f32[n], t: bool) -> f32 where n >= 1 = <around> #! E08
