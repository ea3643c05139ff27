#: e = sum(f32(<number>))
#: number = u + 256 | u * -1 | 300 - u | maximum(u, 256) | where(t, u, 256) | u.at[0].set(256) | concatenate((u, [1, 256])) | [u[0], 256] * u[1] | full_like(u, 256) | clip(u, 0, 256) | h + 1e6 | h * [1.0, 1e5, 2.0] | where(t, h, 70000.0) | h.at[0].add(1e6) | twice(256) | i8s([1, 200]) | pad(u, 1, constant_values=256)
#### number_beyond_the_dtype
def twice(v: u8) -> u8 = 2 * v
def i8s(v: i8[2]) -> i8[2] = v
def f(x: f32[n], u: u8[3], h: f16[3], t: bool) -> f32 where n >= 1 = <around> #! E03
