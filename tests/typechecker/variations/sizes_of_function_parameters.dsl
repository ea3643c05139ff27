#: takes = (f32[k]) -> f32 | (f32[k]) -> f32[k] | (f32[2 * k]) -> f32 | (f32[k, k]) -> f32 | (f32[n, k]) -> f32[n] | (idx[k]) -> f32 | ({a: f32[k]}) -> f32 | ((f32[k], f32)) -> f32 | (f32[k], f32) -> f32 | (f32) -> (f32[k]) -> f32
#: place = h: <takes> | p: {h: <takes>, b: f32} | p: (<takes>, f32) | p: {a: {h: <takes>}} | p: ({h: <takes>}, f32) | h: (<takes>) -> f32
#: gives = (f32) -> f32[k] | (f32[m]) -> f32[k] | (f32) -> (f32[k], f32) | (f32[k]) -> f32[k] | (f32[n, k]) -> f32
#: tells = y: f32[k] | y: {a: f32[k], b: f32} | y: idx[k][n] | static k: size | y: f32[n, k + 1]
#: known = h: <takes> | p: {h: <takes>, b: f32} | p: (<takes>, f32) | p: {a: {h: <takes>}}
#### size_of_a_function_alone
def f(x: f32[n], <place>) -> f32 = sum(x) #! E0405
#### size_of_a_function_alone_in_a_generic
def f[a: Float](v: a, x: f32[n], <place>) -> a = v #! E0405
#### size_of_a_function_alone_with_an_effect
def f(x: f32[n], <place>) -> f32[n] ! io = #! E0405
    print("{}", x)
    x
#### size_of_a_function_alone_in_a_static_function
type T = {a: f32}
def f(x: f32[n], <place>, *, static twice: bool = false) -> T = if twice then {a = 2.0 * x[0]} else {a = x[0]} #! E0405
#### size_that_something_else_tells
def f(x: f32[n], <known>, <tells>) -> f32 = sum(x)
#### size_that_something_else_tells_a_generic
def f[a: Float](v: a, x: f32[n], <tells>, <known>) -> a = v
