#: of_any = ravel(x) | zeros([prod(x.shape)]) | zeros([x.ndim]) | zeros([len(x.shape)]) | reshape(x, [prod(s)]) | zeros([x.shape[0]]) | ravel(x)[::-1]
#: meets = + y | * y - y | * 2.0 - y
#: number = 3 | n | n + 1 | 2 * n | n * n
#: takes = (f32[k]) -> f32 | (f32[k]) -> f32[k] | (f32[2 * k]) -> f32 | (f32[k, k]) -> f32 | (f32[*s]) -> f32 | (f32[3, k]) -> f32[k]
#: gives = (f32) -> f32[k] | (f32[m]) -> f32[k] | (f32[2, m]) -> f32[m, k] | (f32[m]) -> f32[m + k]
#: masked = sum(x, where=m) | mean(x, where=m) | max(x, where=m, initial=0.0) | min(x, where=m, initial=0.0) | total(x, m) | sum(total(x, m, axis=()))
#: contracted = tensordot(x, y, ((1, 2), (0, 1))) | tensordot(x, y, ((2, 1), (1, 0))) | tensordot(x, y, ((-1, -2), (-1, -2))) | tensordot(x, y, 2)
#### against_a_size
def f(x: f32[*s], y: f32[n]) -> f32[n] =
    let z = <of_any>
    z <meets> #! E0401
#### result_of_a_number
def f(x: f32[*s], y: f32[n]) -> f32[<number>] = ravel(x) #! E0402
#### against_another_shape
def f(x: f32[*s], y: f32[*t]) -> f32 = dot(ravel(x), ravel(y)) #! E0401
def g(x: f32[*s], y: f32[*t]) -> f32[prod(s)] = ravel(y) #! E0402
def h(x: f32[*s], y: f32[*t]) -> f32[prod(t) + prod(s)] = concatenate((ravel(x), ravel(y), ravel(x))) #! E0402
#### reshaped
def f(x: f32[*s], y: f32[n]) -> f32 = sum(reshape(x, [<number>])) #! E0406
#### stated
def f(x: f32[*s], y: f32[n]) -> f32[n] where prod(s) == n =
    let z = ravel(x)
    z <meets>
def g(x: f32[*s], y: f32[*t]) -> f32 where prod(s) == prod(t) = dot(ravel(x), ravel(y))
def h(x: f32[*s]) -> f32[3] where x.ndim == 3 = zeros([x.ndim])
#### known_by_laws
def f(x: f32[*s, n], y: f32[n]) -> f32[n] =
    let z = sum(reshape(x, [prod(s), n]), axis=0)
    z <meets>
def g(x: f32[*s], y: f32[*s]) -> f32 = dot(ravel(x), ravel(y))
def h(x: f32[*s], y: f32[*t]) -> f32[prod(t) + prod(s)] = concatenate((ravel(x), ravel(y)))
#### taken_by_a_function_alone
def f(h: <takes>, x: f32) -> f32 = x #! E0405
#### taken_by_a_function_in_a_record_alone
def f(p: {h: <takes>, b: f32}, x: f32) -> f32 = x #! E0405
#### given_by_a_function
def f(h: <gives>, y: f32[m], z: f32) -> f32 = z
#### taken_and_known
def f(h: <takes>, static k: size, static s: shape) -> f32 = 1.0
#### masked_by_what_does_not_meet
def total(x: f32[*s], m: bool[*t], static axis: axes = none) -> f32[*reduced(broadcasted(t, s), axis, false)] =
    sum(where(m, x, 0.0), axis=axis)
def f(x: f32[n, k], m: bool[n]) -> f32 = <masked> #! E0401
def g(x: f32[*s], m: bool[*t]) -> f32 = <masked> #! E0401
#### masked
def total(x: f32[*s], m: bool[*t], static axis: axes = none) -> f32[*reduced(broadcasted(t, s), axis, false)] =
    sum(where(m, x, 0.0), axis=axis)
def f(x: f32[n, k], m: bool[k]) -> f32 = <masked>
def g(x: f32[*s], m: bool[*s]) -> f32 = <masked>
#### contracted_over_unlike_axes
def f(x: f32[n, m, k], y: f32[k, m]) -> f32[n] = <contracted> #! E0407
#### contracted
def f(x: f32[n, m, k], y: f32[m, k]) -> f32[n] = <contracted>
def g(x: f32[n, m, k], y: f32[k, m]) -> f32[n] where k == m = <contracted>
