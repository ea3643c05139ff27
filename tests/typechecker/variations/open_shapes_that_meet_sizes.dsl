#: e = sum(<of_any> <meets>)
#: of_any = ravel(w) | zeros([prod(w.shape)]) | zeros([w.ndim]) | reshape(w, [prod(q)]) | ravel(w)[::-1] | zeros([len(w.shape)])
#: meets = + x | * x - x
#### open_shape_against_a_size
def f(x: f32[n], t: bool, w: f32[*q]) -> f32 where n >= 1 = <around> #! E0401
