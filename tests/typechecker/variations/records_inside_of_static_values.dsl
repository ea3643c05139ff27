#: far = 256 | -1 | 10 ** 9
#: near = 0 | 255 | 2 ** 7
#: goes = q | {q with scale = 2} | (q, 1).0 | {inner = q}.inner
#### fields_of_a_payload_that_do_not_fit
type Q = {scale: int, zero: int}
enum E = P(q: Q) | N
def f(x: u8[n], static e: E) -> u8[n] = match e with
    P(q) -> u8(<goes>.zero) + x
    N -> x
def g(x: u8[3]) -> u8[3] = f(x, P({scale = 1, zero = <far>})) #! E0407
def h(x: u8[3]) -> u8[3] = f(x, P({scale = 1, zero = <near>}))
#### fields_of_an_optional_record_that_do_not_fit
type Q = {scale: int, zero: int}
def f(x: u8[n], static q: Q? = none) -> u8[n] = if q == none then x else u8(<goes>.zero) + x
def g(x: u8[3]) -> u8[3] = f(x, {scale = 1, zero = <far>}) #! E0407
def h(x: u8[3]) -> (u8[3], u8[3]) = (f(x), f(x, {scale = 1, zero = <near>}))
#### conditions_on_fields_of_an_optional_record
static def natural(s: ints) -> bool = all([r >= 0 for r in s])
type K = {a: ints, at: int, eps: float}
def need(x: f32[n], static a: ints) -> f32[n] where natural(a) = x * 2.0
def f(x: f32[n], static k: K? = none) -> f32[n] = if k == none then x else need(x, k.a)
def at(x: f32[n], static k: K?) -> f32 where k == none or k.at < n = if k != none and k.at >= 0 then x[k.at] else 0.0
def good(x: f32[3]) = (f(x, {a = [3], at = 2, eps = 0.1}), at(x, {a = [-1], at = 2, eps = 0.1}), at(x, none))
def bad(x: f32[3]) -> f32[3] = f(x, {a = [-3], at = 2, eps = 0.1}) #! E0407
def worse(x: f32[3]) -> f32 = at(x, {a = [3], at = 3, eps = 0.1}) #! E0407
#### axes_of_a_payload
enum Act = Softmax(axis: int) | Mean(over: axes) | Relu
def act(x: f32[*s], static a: Act) -> f32[*s] = match a with
    Softmax(axis) -> exp(x) / sum(exp(x), axis=axis, keepdims=true)
    Mean(over) -> x - mean(x, axis=over, keepdims=true)
    Relu -> maximum(x, 0.0)
def f(x: f32[2, 3]) = (act(x, Softmax(1)), act(x, Mean(-1)), act(x, Relu))
def g(x: f32[2, 3]) = act(x, Softmax(2)) #! E0407
