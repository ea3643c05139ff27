#: dtype = u8 | i8 | i16 | u16
#: beyond = [1, 70000] | [-70000, 1] | [-99999, 2 ** 20]
#: within = [1, 100] | [0, 2] | [3 * 4, 2 ** 5]
#: exact = f64[2] = [0.1, 0.2] | f32[2] = [1, 2] | f64[2] = [1, 0.5] | c64[2] = [1, 2.0] | f16[2] = [0, 1] | i64[2] = [2 ** 40, -1]
#### numbers_of_a_default_beyond_its_dtype
def f(x: f32, w: <dtype>[2] = <beyond>) -> <dtype>[2] = w #! E0304
#### numbers_of_a_default_in_a_record_beyond_its_dtype
def f(x: f32, w: {a: <dtype>[2], b: f32} = {a = <beyond>, b = 1}) -> <dtype>[2] = w.a #! E0304
#### numbers_of_a_default_within_its_dtype
def f(x: f32, w: <dtype>[2] = <within>) -> <dtype>[2] = w + w
def g(x: f32) -> <dtype>[2] = f(x)
#### numbers_of_a_default_of_any_dtype
def f(x: f32, w: <exact>) = w * w + 1
def g(x: f32) = f(x)
#### numbers_of_a_default_of_a_class
def f[T: Num](x: T[2], w: T[2] = <within>) -> T[2] = x * w
def g(x: f64[2], y: <dtype>[2]) -> (f64[2], <dtype>[2]) = (f(x), f(y))
#### numbers_of_a_default_beyond_a_class
def f[T: Num](x: T[2], w: T[2] = <beyond>) -> T[2] = x * w #! E0304
#### indices_of_a_default
def f(x: f32[n], at: idx[n][1, 2] = [[0, 3]]) -> f32 = sum(x[at])
def g(x: f32[4]) -> f32 = f(x)
def h(x: f32[3]) -> f32 = f(x) #! E0407
