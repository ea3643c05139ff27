#: derivative = grad(h)(x) | value_and_grad(h)(x).1 | jacfwd(h)(x) | jacrev(h)(x) | hessian(h)(x) | grad(fn v -> h(v))(x)
#: whole = 3 | 2 + 1 | 2 * k
#: again = h(2) | 1 + h(2) | (fn v -> h(v))(2) | h(k=3)
#: holder = {f: (f32) -> f32, w: f32} | ((f32) -> f32, f32) | {a: {f: (f32) -> f32}} | {a: ((f32) -> f32, f32)}
#: own = def normal(x: f32) -> f32 = x | let normal = 3 | type normal = {a: f32} | enum normal = Some | enum E = normal | effect normal: (a: f32) -> f32 | from stats import norm_ppf as normal | import nn as normal
#: policy = clip | wrap
#: narrow = u8 | i8 | u16 | i16
#: meets = one(k) | one(k + 1) | one(2 * k) | one(n + k) | x + k | x + k + 1 | x + 2 * k | x + n + k | maximum(x, k) | maximum(x, k + 1) | maximum(x, 2 * k) | maximum(x, n + k) | [x, k][0] | [x, k + 1][0] | [x, 2 * k][0] | [x, n + k][0]
#: round = b + k | 2 * c(k) | c(b) | len([b]) + k | max(b, k)
#### whole_number_differentiated
let k = 3
def h(x: f32) -> int = <whole>
def f(x: f32) -> f32 = <derivative> #! E08
#### float_differentiated
let k = 3
def h(x: f32) -> f32 = f32(<whole>) * x
def f(x: f32) -> f32 = <derivative>
#### signature_that_calls_itself
static def h(k: int = <again>) -> int = k + 1 #! E0505
def f() -> f32[3] = zeros([h()])
#### condition_that_calls_itself
static def h(k: int) -> int where <again> >= 0 = k + 1 #! E0505
def f() -> f32[3] = zeros([h(2)])
#### stack_of_functions
def f(rs: <holder>[3], x: f32) -> f32 = x #! E0322
#### stack_of_functions_by_name
type T[n] = <holder>[n] #! E0322
def f(rs: T[3], x: f32) -> f32 = x
#### two_of_one_name
from random import normal
<own> #! E0206
def f(x: f32) -> f32 = x
#### nearest_of_nothing
def get(x: f32[n], i: i32) -> f32 = x.at[i].get(mode="<policy>")
def all(x: f32[n], i: i32[m]) -> f32[m] = x.at[i].get(mode="<policy>")
def f(x: f32[0], i: i32) -> f32 = get(x, i) #! E0407
def g(x: f32[0], i: i32[2]) -> f32[2] = all(x, i) #! E0407
def h(x: f32[0]) -> f32 = x.at[0].get(mode="<policy>") #! E0421
#### nearest_of_something
def get(x: f32[n + 1], i: i32) -> f32 = x.at[i].get(mode="<policy>")
def all(x: f32[n], i: i32[m]) -> f32[m] where n >= 2 = x.at[i].get(mode="<policy>")
def none_of(x: f32[0], i: i32[0]) -> f32[0] = x.at[i].get(mode="<policy>")
def set(x: f32[n], i: i32[m]) -> f32[n] = x.at[i].set(1.0, mode="clip")
#### static_number_beyond_a_dtype
def one(x: <narrow>) -> <narrow> = x
def g(x: <narrow>, static k: int, static n: int) -> <narrow> = <meets>
def f(x: <narrow>) -> <narrow> = g(x, 70000, 0) #! E0407
#### static_number_within_a_dtype
def one(x: <narrow>) -> <narrow> = x
def g(x: <narrow>, static k: int, static n: int) -> <narrow> = <meets>
def f(x: <narrow>) -> <narrow> = g(x, 50, 10)
#### constant_by_way_of_functions
static def c(k: int) -> int = b + k
static def a(k: int) -> int = <round>
let b = a(1) #! E0213
