#: part = transpose(x, a) | ravel(transpose(x, a)) | transpose(transpose(x, a), a) | zeros(permuted(s, a)) | transpose(transpose(x, (1, 0)), a)
#: order = (0, 0) | (0,) | (0, 2) | (0, -2) | 1 | (1, 0, 2)
#### order_that_lacks_an_axis
def f(x: f32[*s], static a: axes) -> f32 = sum(<part>)
def g(x: f32[2, 3]) -> f32 = f(x, <order>) #! E0403
