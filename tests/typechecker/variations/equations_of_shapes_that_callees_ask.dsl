#: asked = s == t | t == s | x.shape == y.shape | s == t and len(s) >= 0 | not (s != t)
#: unlike = x: f32[*s, n], y: f32[*s]) | x: f32[*s], y: f32[*t]) | x: f32[*s], y: f32[n, m]) | x: f32[*s, 1], y: f32[*s, n]) | x: f32[*s], y: f32[*t]) where len(s) == 2 | x: f32[*s], y: f32[*t]) where prod(s) == prod(t)
#: alike = x: f32[*s], y: f32[*s]) | x: f32[*s], y: f32[*t]) where s == t | x: f32[*s], y: f32[*t]) where t == s | x: f32[*s, 1], y: f32[*s, n]) where n == 1 | x: f32[*s], y: f32[n, m]) where s == [n, m] | x: f32[*s], y: f32[*t], z: f32[*u]) where s == u and u == t
#: made = sum(x, axis=a) | sum(x, axis=a, keepdims=true) | swapaxes(x, 0, a) | zeros(doubled(s)) | x[None, ...] | ravel(x)
#: same = x - max(x, axis=a, keepdims=true) | 2.0 * x | zeros(s)
#### passed_on
def g(x: f32[*s], y: f32[*t]) -> f32 where <asked> = sum(x) + sum(y)
def f(<unlike> = g(x, y) #! E0407
def slope(<unlike> = grad(g)(x, y) #! E0407
#### computed
static def doubled(s: shape) -> shape = [2 * d for d in s]
def g(x: f32[*s], y: f32[*t]) -> f32 where <asked> = sum(x) + sum(y)
def f(x: f32[*s], static a: int) -> f32 = g(x, <made>) #! E0407
#### lists
def g(static p: ints, static q: ints) -> f32 where p == q = 1.0
def f(static p: ints, static q: ints) -> f32 = g(p, q) #! E0407
def h(x: f32[n, m], static t: shape) -> f32 where t == [n, m] = sum(x)
def k(x: f32[n, m], static t: shape) -> f32 = h(x, t) #! E0407
#### met
static def doubled(s: shape) -> shape = [2 * d for d in s]
def g(x: f32[*s], y: f32[*t]) -> f32 where <asked> = sum(x) + sum(y)
def f(<alike> = g(x, y)
def chosen(x: f32[*s], y: f32[*t]) -> f32 = if s == t then g(x, y) else 0.0
def of(x: f32[*s], static a: int) -> f32 = g(x, <same>)
def stated(x: f32[*s]) -> f32 where s == doubled(s) = g(x, zeros(doubled(s)))
def turned(x: f32[*s]) -> f32 where doubled(s) == s = g(x, zeros(doubled(s)))
