#: equal = s == t | t == s | x.shape == y.shape | (s == t and len(s) >= 1) | not (s != t)
#: apart = s != t | s == t or len(s) == 1 | len(s) == len(t) | prod(s) == prod(t)
#: use = x + y | x * zeros(t) | (x + y) * x | added(x, y) | [v for v in [x, y]][1]
#### shapes_that_are_one
def added(x: f32[*s], y: f32[*s]) -> f32[*s] = x + y
def here(x: f32[*s], y: f32[*t]) -> f32[*s] where <equal> = <use>
def there(x: f32[*s], y: f32[*t]) -> f32[*t] where <equal> = <use>
def chosen(x: f32[*s], y: f32[*t]) -> f32[*t] = if <equal> then <use> else y
def through(x: f32[*s], y: f32[*t], z: f32[*u]) -> f32[*u] where <equal> and t == u = z + x + here(x, y)
def over(x: f32[*s], y: f32[*t], static a: int) -> f32[*reduced(t, a, false)] where <equal> = sum(x, axis=a) + sum(y, axis=a)
def called(x: f32[2, 3]) -> f32[2, 3] = here(x, x)
def apart(x: f32[2, 3], y: f32[3, 2]) -> f32[2, 3] = here(x, y) #! E0407
#### shapes_that_may_differ
def here(x: f32[*s], y: f32[*t]) -> f32[*s] where <apart> = x + y #! E0401
def chosen(x: f32[*s], y: f32[*t]) -> f32[*t] =
    if <equal> then y else x + y #! E0401
#: written = t == [n, m] | [n, m] == t | t == x.shape
#: other = t == [m, n] | t == [n, m, 1] | t == [n] | t != [n, m]
#### shapes_that_are_written
def f(x: f32[n, m], static t: shape) -> f32[*t] where <written> = x + zeros(t)
def g(x: f32[n, m], y: f32[*t]) -> f32[n, m] = if <written> then x * y else x
def h(x: f32[2, 3]) -> f32[2, 3] = f(x, [2, 3])
def wrong(x: f32[2, 3]) -> f32[3, 2] = f(x, [3, 2]) #! E0407
#### shapes_that_are_written_otherwise
def f(x: f32[n, m], static t: shape) -> f32[*t] where <other> = x #! E0402
