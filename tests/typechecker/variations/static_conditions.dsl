#: condition = a > 0.5 | 0.5 < a | not (a <= 0.5) | 2.0 * a > 1.0 | a - 0.5 > 0.0 | sqrt(a) > 0.6 and a > 0.5 | large(a) | -a < -0.5 | a > 0.5 and a > 0.0 | a ** 3 > 0.125
#: high = 0.75 | 1 | 0.5 + 0.25 | 3.0 / 4.0
#: low = 0.25 | 0 | 0.5 | 1.0 / 4.0 | -1.0
#: on_dtype = d == f32 | f32 == d | not (d != f32) | d != f64 and d != f16 | single(d)
#: on_pair = t == (1, 2) | t.0 == 1 and t.1 == 2 | t.0 + 1 == 2 and t.1 == 2 | (1, 2) == t | first(t) == 1 and t.1 - 1 == t.0
#: other_pair = (1, 3) | (2, 2) | (2, 1) | (0, 2)
#: on_record = c.a == 1 and c.b > 0.5 | 0.5 < c.b and c.a - 1 == 0 | c.a == 1 and large(c.b)
#: other_record = {a = 1, b = 0.25} | {b = 0.75, a = 2} | {a = 0, b = 0.0}
#: on_variant = e == Slope(0.75) | steep(e) | not (e == Flat) and steep(e)
#: other_variant = Flat | Slope(0.25) | Slope(0.0)
#### float
static def large(a: float) -> bool = a > 0.5
def g(x: f32, static a: float) -> f32 where <condition> = x * a
def f(x: f32) -> f32 = g(x, <low>) #! E0407
#### float_handed_on
static def large(a: float) -> bool = a > 0.5
def g(x: f32, static a: float) -> f32 where <condition> = x * a
def h(x: f32, static b: float) -> f32 = g(x, b) + g(x, b)
def f(x: f32) -> f32 = h(x, <low>) #! E0407
#### float_that_meets_it
static def large(a: float) -> bool = a > 0.5
def g(x: f32, static a: float) -> f32 where <condition> = x * a
def h(x: f32, static b: float) -> f32 = if b > 0.5 then g(x, b) else x
def f(x: f32) -> f32 = g(x, <high>) + h(x, 0.0)
#### dtype
static def single(d: dtype) -> bool = d == f32
def g(x: f32, static d: dtype) -> f32 where <on_dtype> = x
def h(x: f32, static d: dtype) -> f32 = g(x, d)
def f(x: f32) -> f32 = g(x, f16) + h(x, f32) #! E0407
#### dtype_of_an_array
static def single(d: dtype) -> bool = d == f32
def g[d: Float](x: d[n]) -> d[n] where <on_dtype> = x
def h[e: Float](x: e[n]) -> e[n] = g(x)
def f(x: f16[n], y: f32[n]) -> (f16[n], f32[n]) = (h(x), h(y)) #! E0407
#### dtype_that_meets_it
static def single(d: dtype) -> bool = d == f32
def g[d: Float](x: d[n]) -> d[n] where <on_dtype> = x
def h[e: Float](x: e[n]) -> e[n] where e == f32 = g(x)
def f(x: f32[n]) -> f32[n] = h(x) + g(zeros([n])) * g(2.0 * x)
#### tuple
static def first(t: (int, int)) -> int = t.0
def g(x: f32, static t: (int, int)) -> f32 where <on_pair> = x
def f(x: f32) -> f32 = g(x, <other_pair>) #! E0407
#### tuple_that_meets_it
static def first(t: (int, int)) -> int = t.0
def g(x: f32, static t: (int, int)) -> f32 where <on_pair> = x
def h(x: f32, static k: int) -> f32 where k == 2 = g(x, (k - 1, k))
def f(x: f32) -> f32 = g(x, (1, 2)) + h(x, 2)
#### record
static def large(a: float) -> bool = a > 0.5
type C = {a: int, b: float}
def g(x: f32, static c: C) -> f32 where <on_record> = x
def f(x: f32) -> f32 = g(x, <other_record>) #! E0407
#### record_that_meets_it
static def large(a: float) -> bool = a > 0.5
type C = {a: int, b: float}
def g(x: f32, static c: C) -> f32 where <on_record> = x
def h(x: f32, static c: C) -> f32 where c.a == 1 = g(x, {a = c.a, b = c.b})
def f(x: f32) -> f32 = g(x, {b = 0.75, a = 1}) + h(x, {a = 1, b = 0.75})
#### variant
enum E = Flat | Slope(k: float)
static def steep(e: E) -> bool =
    match e with
        Flat -> false
        Slope(k) -> k > 0.5
def g(x: f32, static e: E) -> f32 where <on_variant> = x
def f(x: f32) -> f32 = g(x, <other_variant>) #! E0407
#### variant_that_meets_it
enum E = Flat | Slope(k: float)
static def steep(e: E) -> bool =
    match e with
        Flat -> false
        Slope(k) -> k > 0.5
def g(x: f32, static e: E) -> f32 where <on_variant> = x
def h(x: f32, static a: float) -> f32 where a > 0.5 and a == 0.75 = g(x, Slope(0.75)) * a
def f(x: f32) -> f32 = g(x, Slope(0.75)) + h(x, 0.75)
#: chosen = if t then 1.0 else -1.0 | if t then 0.75 else 0.25 | if not t then 0.0 else 2.0 | (if t then 2.0 else 0.0) * 0.5 | if t and a > 0.0 then a else -1.0
#: flag = not u | u == false | not (u and u)
#### chosen_float
def g(x: f32, static a: float) -> f32 where a > 0.5 = x
def f(x: f32, static t: bool, static a: float) -> f32 = g(x, <chosen>)
def h(x: f32, static u: bool) -> f32 = f(x, <flag>, 1.0)
def i(x: f32) -> f32 = h(x, true) #! E0407
#### chosen_float_that_meets_it
def g(x: f32, static a: float) -> f32 where a > 0.5 = x
def f(x: f32, static t: bool, static a: float) -> f32 = g(x, <chosen>)
def h(x: f32, static u: bool) -> f32 = f(x, <flag>, 1.0)
def i(x: f32) -> f32 = h(x, false)
