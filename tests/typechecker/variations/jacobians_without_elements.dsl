#: jacobian = jacfwd(<f>)(x) | jacrev(<f>)(x) | hessian(<f>)(x) | value_and_jacfwd(<f>)(x) | vmap(jacrev(<f>))(xs) | jacfwd(<pair>, argnums=1)(y, x) | jacrev(<pair>, argnums=(0, 1))(y, x) | jacfwd(jacrev(<f>))(x)
#: f = fn v -> v | fn v -> 2.0 * v | given | fn v -> (1.0, given(v)) | fn v -> norm(v)
#: pair = fn (w, v) -> v | fn (w, v) -> (w, given(v))
#: made = jacfwd(fn v -> v * p)(y) | jacrev(fn v -> (1.0, v * p))(y) | hessian(fn v -> {a = v * p})(y)
#### complex_argument
def given(v: c64[n]) -> c64[n] = conj(v)
def norm(v: c64[n]) -> f32 = sum(real(v * conj(v)))
def f(x: c64[n], xs: c64[m, n], y: f32[n]) = <jacobian> #! E0802
#### complex_part
def given(v: (f32, c64[n])) -> c64[n] = conj(v.1)
def norm(v: (f32, c64[n])) -> f32 = v.0 + sum(real(v.1))
def f(x: (f32, c64[n]), xs: (f32[m], c64[m, n]), y: f32[n]) = <jacobian> #! E0802
#### some_dtype
def given[a: Inexact](v: a[n]) -> a[n] = v * v
def norm[a: Inexact](v: a[n]) -> a = sum(v)
def f[a: Inexact](x: a[n], xs: a[m, n], y: f32[n]) = <jacobian> #! E0802
#### some_tree
def given[P: VSpace](v: P) -> P = 3.0 * v
def norm[P: VSpace](v: P) -> f32 = 1.0
def f[P: VSpace](x: P, xs: P[m], y: f32[n]) = <jacobian> #! E0802
#### some_tree_returned
def f[P: VSpace[f32]](p: P, y: f32) = <made> #! E0802
