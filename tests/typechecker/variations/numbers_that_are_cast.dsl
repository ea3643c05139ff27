#: whole = u8(300) | u8(-1) | i8(200) | i32(2 ** 31) | i64(10 ** 40) | u64(-1) | cast(300, u8) | u8(2 ** 8) | i16(-32769) | u8(256.5)
#: float = f16(1e6) | f16(65520) | f32(1e39) | cast(1e39, f32) | c64(-1e39) | bf16(1e39) | i32(nan) | u8(inf) | i32(1e10) | f32(10 ** 39)
#: within = u8(255) | u8(255.9) | i8(-128) | u64(2 ** 64 - 1) | i32(-2.7) | f16(65504) | f32(inf) | f32(nan) | cast(3e38, f32) | bool(300) | f64(1e39)
#: filled = full([3], -1, u8) | full([3], 300, dtype=i8) | full([2], 1e6, f16) | full([], nan, i32) | full(fill_value=256, shape=[2], dtype=u8)
#: whole_of_k = u8(k) | cast(k, u8) | full([2], k, u8)[0] | u8(k + 1) | (fn v -> v)(u8(k))
#: float_of_k = f16(k) | cast(k, f16) | full([2], k, f16)[0] | f16(2.0 * k) | f16(-k)
#### cast_of_a_number_that_does_not_fit
def f() = <whole> #! E0304
#### cast_of_a_float_that_does_not_fit
def f() = <float> #! E0304
#### cast_of_a_number_that_fits
def f() = <within>
#### array_of_a_number_that_does_not_fit
def f() = <filled> #! E0407
#### cast_of_an_integer_of_callers
def g(static k: int) -> u8 = <whole_of_k>
def f() -> u8 = g(300) #! E0407
#### cast_of_an_integer_of_callers_that_fits
def g(static k: int) -> u8 = <whole_of_k>
def f() -> u8 = g(100)
#### cast_of_a_float_of_callers
def g(static k: float) -> f16 = <float_of_k>
def f() -> f16 = g(1e6) #! E0407
#### cast_of_a_float_of_callers_that_fits
def g(static k: float) -> f16 = <float_of_k>
def f() -> f16 = g(-1e3)
#### cast_of_a_float_of_callers_to_integers
def g(static k: float) -> u8 = u8(k)
def f() -> u8 = g(256.0) #! E0407
#### cast_to_a_dtype_of_a_class
def f[a: Float](x: a[n]) -> a[n] = x * cast(1e39, a) #! E0304
#### cast_to_a_dtype_of_callers_that_holds_it
def f(static d: dtype) -> d = cast(100, d)
def g[a: Inexact](x: a[n]) -> a[n] = x + cast(-inf, a) + full([n], 2.5, a)
