#: longer = repeat(x, 2, axis=a) | concatenate((x, x, x), axis=a) | concatenate((x, zeros(replaced(s, a, 1))), axis=a) | max(x, axis=a) | sum(x, axis=a, keepdims=true) | stack((x, x), axis=a) | zeros(doubled(s))
#: same = 2.0 * x | sin(x) | transpose(x, (1, 0)) | transpose(x)
#: of = prod(s) | 2 * prod(s) + 1 | prod(s) + 1 | extent(s, 0) | extent(s, a) | prod(doubled(s)) + 1
#: axis = static a: int | static a: axes
#: shape = prod(doubled(s)) | extent(replaced(s, 0, 3), -1) | extent(permuted(s, none), 0) | extent(swapped(s, 0, 1), a) | prod(reduced(s, 0, false)) | len(reduced(s, 0, false))
#### as_the_result
static def doubled(s: shape) -> shape = [2 * d for d in s]
def f(x: f32[*s], <axis>) -> f32[<of>] = ravel(max(concatenate((x, 2.0 * x), axis=0), axis=a)) #! E0402
def g(x: f32[*s], static a: int) -> f32[prod(s)] = ravel(<longer>) #! E0402
#### operands
static def doubled(s: shape) -> shape = [2 * d for d in s]
def f(x: f32[*s], static a: int) -> f32 = dot(ravel(<longer>), ravel(x)) #! E0401
def g(x: f32[*s], static a: int) -> f32 = sum(ravel(x) + ravel(<longer>)) #! E0401
#### reshaped
static def doubled(s: shape) -> shape = [2 * d for d in s]
def f(x: f32[*s], static a: int) -> f32[*s] = reshape(<longer>, s) #! E0406
#### sizes
static def doubled(s: shape) -> shape = [2 * d for d in s]
def f(x: f32[*s], static a: int) -> f32[extent(s, a)] = zeros([<shape>]) #! E0402
#### sizes_that_are_equal
static def doubled(s: shape) -> shape = [2 * d for d in s]
def f(x: f32[*s], static a: int) -> f32[<shape>] = zeros([<shape>])
def g(x: f32[*s], static a: int) -> f32[2 * prod(s)] = ravel(repeat(x, 2, axis=a))
def h(x: f32[*s], static a: int) -> f32[prod(s)] = ravel(swapaxes(<same>, 0, a))
