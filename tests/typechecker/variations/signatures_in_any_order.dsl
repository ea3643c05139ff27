#: whole = h % p == 0 | h % p == 0 and w >= p | w >= p and h % p == 0 | w > 0 and h % p == 0
#: of = *reduced(s, axis, true) | *turned(s) | prod(s) | len(s), *s | *replaced(s, 0, 3) | *broadcasted(s, [2, 3])
#: of_it = *reduced(s, axis, true) | *turned(s) | prod(s) | *reduced([*s], 0, false) | 3, *turned([*s])
#: given = static k: size? = none | static k: size? | static k: int?
#### shapes_that_a_later_argument_tells
static def turned(s: shape) -> shape = s[::-1]
def f(y: f32[<of>], x: f32[*s], static axis: axes) -> f32[*s] = 2.0 * x
def g(y: f32[<of>], h: (f32[<of>]) -> f32, x: f32[*s], static axis: int) -> f32[<of>] = h(y) * y
#### shapes_that_no_argument_tells
static def turned(s: shape) -> shape = s[::-1]
def f(y: f32[<of_it>], static axis: axes) -> f32[*s] = zeros(s) #! E0405
#### optional_sizes_that_are_there
def f(x: f32[n], <given>) -> f32[k] where k != none and k >= 0 and k <= n = x[:k]
def g(x: f32[n], y: f32[k], <given>) -> f32[k] where k != none and k >= 0 = 2.0 * y
def h(x: f32[5]) -> (f32[2], f32[3]) = (f(x, k=2), g(x, ones([3]), k=3))
def i(x: f32[n], static d: dtype?) -> d[n] where d != none = cast(x, d)
#### optional_sizes_that_may_be_missing
def f(x: f32[n], <given>) -> f32[k] = zeros([n]) #! E0411
def g(x: f32[n], <given>) -> f32[k] where k == none or k >= 0 = zeros([n]) #! E0411
#### clauses_where_shapes_meet
effect meet: (x: f32[*s], static t: shape) -> f32[*broadcasted(s, t)]
effect part: (x: f32[*s], y: f32[*t]) -> f32[*s]
def both(x: f32[6]) -> f32[2, 6] ! meet = meet(x, [2, 6])
def f(x: f32[6]) -> f32[2, 6] = with handler meet(x, t) -> resume(x + zeros(t)) do both(x)
def g(x: f32[6]) -> f32[6] = with handler part(x, y) -> resume(x + y) do part(x, x) #! E0401
#### definitions_with_the_name_of_a_size
def patches(x: f32[h, w], static p: int) -> f32[h // p, p, w] where p >= 1 and <whole> = reshape(x, [h // p, p, w])
def w(x: f32[7, 8]) -> f32[3, 2, 8] = patches(x, 2) #! E0407
#### definitions_with_the_name_of_a_size_that_fit
def patches(x: f32[h, w], static p: int) -> f32[h // p, p, w] where p >= 1 and <whole> = reshape(x, [h // p, p, w])
def w(x: f32[6, 8]) -> f32[3, 2, 8] = patches(x, 2)
