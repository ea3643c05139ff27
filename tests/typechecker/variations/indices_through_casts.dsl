#: narrowed = i32(u) | i32(big) | i32(i32(u)) | i32(us[0]) | i32(u) + 0 | 1 * i32(u) | i32(i64(u)) | i32(i) | i16(u) | i8(i16(u))
#: taken = minimum(<narrowed>, n - 1) | (if <narrowed> < n then <narrowed> else 0)
#: e = x[<taken>]
#: several = i32(u) | i32(i) | i32(big) | i32(us[1]) | i32(i32(u)) | [i32(v) for v in u] | vmap(fn v -> i32(v))(u)
#: guarded = if 0 <= i and i < i64(n) then x[i32(i)] else 0.0 | if u < u32(n) then x[i32(u)] else 0.0 | x[i64(u) % n] | x[i32(u % u32(n))] | x[clip(i32(u), 0, n - 1)] | x[clip(i, 0, n - 1)] | x[i32(small)] | x[minimum(i32(i64(small)), n - 1)] | x[i32(small) % n] | x[i32(i % n)] | x[i32(right_shift(u, 1)) % n] | x[i32(u // 2) % n]
#### index_that_a_cast_wrapped
def f(x: f32[n], u: u32, us: u32[3], i: i64, big: u64) -> f32 where n >= 1 = <e> #! E0701
#### indices_that_a_cast_wrapped
def f(x: f32[n], u: u32[k], i: i64[k], big: u64[k], us: u32[3, k]) -> f32[k] where n >= 1 = x[minimum(<several>, n - 1)] #! E0701
#### index_that_a_cast_keeps
def f(x: f32[n], u: u32, i: i64, small: u16) -> f32 where n >= 65536 = <guarded>
