#: e = sum(f32(<number>))
#: number = u + 255 | u * 2 | 30 - u | maximum(u, 255) | where(t, u, 0) | u.at[0].set(255) | concatenate((u, [1, 255])) | [u[0], 255] * u[1] | [u[0], 256] | full_like(u, 255) | clip(u, 0, 255) | h + 1e4 | h * [1.0, 1e4, 2.0] | where(t, h, 65000.0) | h.at[0].add(1e3) | twice(255) | i8s([1, -128]) | pad(u, 1, constant_values=255)
#### number_within_the_dtype
def twice(v: u8) -> u8 = 2 * v
def i8s(v: i8[2]) -> i8[2] = v
def f(x: f32[n], u: u8[3], h: f16[3], t: bool) -> f32 where n >= 1 = <around>
