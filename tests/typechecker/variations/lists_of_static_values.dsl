#: value = prod(s[i + 1:]) | len(s[i:]) | sum([1 for _ in range(i)]) | prod(s[:i]) | i
#: over = (n, 3) | (3, n, 2) | [n, 3]
#: each = 2 * k | k | k + 1
#: along = sum | max | mean | count_nonzero
#: test = t | n > m | k == 2 | t and k > 1 | not t
#### bounds_of_the_loop
static def f(s: shape) -> shape = [<value> for i in range(len(s))]
static def g(s: shape) -> shape = [<value> for (i, d) in enumerate(s)]
def h(x: f32[a, b]) -> f32[*f([a, b])] = zeros(f(x.shape))
def i(x: f32[a, b]) -> f32 = sum(zeros(g(x.shape))) + sum(zeros([prod(x.shape[i:]) for i in range(2)]))
def j(x: f32[a, b]) -> f32[a * b, b] = zeros([prod(x.shape[i:]) for i in range(2)])
#### over_tuples
static def f(n: int) -> ints = [<each> for k in <over>]
def g(x: f32[n]) -> f32 = sum(zeros([<each> for k in <over>]))
def h(x: f32[a, b]) -> f32[b, a] = zeros([d for d in (b, a)])
#### of_known_pairs
def f(x: f32[n], static p: pairs) -> f32[len(p)] = zeros([len(p)])
def g(x: f32[n]) -> (f32[2], f32[1]) = (f(x, ((1, 2), (3, 4))), f(x, (1, 2)))
#### axes_that_are_chosen
def f(x: f32[n, m], static t: bool, static k: int) -> f32[if <test> then m else n] where n >= 1 and m >= 1 =
    f32(<along>(x, axis=if <test> then 0 else 1))
def g(x: f32[n, m], static t: bool, static k: int) -> f32[n, m] where n >= 1 and m >= 1 =
    x - f32(<along>(x, axis=if <test> then 0 else 1, keepdims=true))
#### axes_that_are_chosen_otherwise
def f(x: f32[n, m], static t: bool, static k: int) -> f32[if <test> then n else m] where n >= 1 and m >= 1 =
    f32(<along>(x, axis=if <test> then 0 else 1)) #! E0402
