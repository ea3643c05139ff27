#: e = sum(<of_any> <meets>)
#: of_any = ravel(w) | zeros([prod(w.shape)]) | reshape(w, [prod(q)]) | ravel(w)[::-1] | (ravel(w) + zeros([prod(q)])) | reshape(2.0 * w, [n])
#: meets = + x | * x - x
#### open_shape_of_a_stated_size
def f(x: f32[n], t: bool, w: f32[*q]) -> f32 where n >= 1 and prod(q) == n = <around>
