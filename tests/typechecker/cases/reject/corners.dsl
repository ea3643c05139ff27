#### minus_not_written
# "A bound or index counts from the end only when it is written with a leading minus"
def f(x: f32[n]) -> f32 =
    let k = 0 - 1
    x[k] #! E0421|E04
#### minus_in_an_expression
def f(x: f32[n]) -> f32 = x[0 - 1] #! E0421|E04
#### alias_parameter_list_is_complete
# `Dense[3]` right after an alias with two parameters is its parameter list, not leading axes
type Dense[i, o] = {w: f32[i, o], b: f32[o]}
def f(p: Dense[3], x: f32) -> f32 = x #! E03|E02|E04
#### record_literal_against_leading_axes
type Cell = {w: f32, b: f32}
def f(x: f32) -> Cell[2] = {w = x, b = x} #! E03|E04
#### idx_subtype_without_the_fact
def pick(x: f32[m], i: idx[n]) -> f32 where m <= n = x[i] #! E07
#### condition_decided_takes_the_other_type
def f(x: f32[n]) -> f32[n] =
    let y = if 2 < 1 then x else sum(x)
    y #! E04
#### short_circuit_in_the_wrong_order
def f(x: f32[n], i: i32) -> bool = x[i] > 0.0 and 0 <= i and i < n #! E07
#### or_makes_no_fact
def f(x: f32[n], i: i32) -> bool = (0 <= i or i < n) and x[i] > 0.0 #! E07
#### negated_fact
def f(x: f32[n], i: i32) -> f32 = if not (0 <= i and i < n) then x[i] else 0.0 #! E07
#### static_bool_wants_bool
def f(x: f32[n, m]) -> f32[n, 1] = sum(x, axis=1, keepdims=1) #! E03
#### static_axis_wants_int
def f(x: f32[n, m]) -> f32[n] = sum(x, axis=1.0) #! E03
#### axis_by_name
def f(x: f32[n, m]) -> f32[n] = sum(x, axis="rows") #! E03
#### dtype_by_string
def f() -> f64[3] = zeros([3], dtype="float64") #! E03
#### keyword_axes
def f(x: f32[n, m]) -> f32[m] = sum(x, axes=0) #! E03|E02
#### keepdims_of_argmax_result
def f(x: f32[n, m]) -> idx[m][n] = argmax(x, axis=1, keepdims=true) #! E04
#### nested_floors_wrong
def f(x: f32[n // 2 // 3], y: f32[n]) -> f32[n // 5] = x #! E04
#### remainder_not_zero
def f(x: f32[n + 5 * n % 3], y: f32[n]) -> f32[n] = x + y #! E04
#### max_shifted_once
def f(x: f32[max(n + 1, m)], a: f32[n], b: f32[m]) -> f32[max(n, m) + 1] = x #! E04
#### order_not_enough
# m >= n + 2 and n >= 2 say m >= 4, never m >= 5 for all: a caller with m == 4 is refused
def g(x: f32[n], y: f32[m]) -> f32[5] where m >= n + 2 and n >= 2 = y[:5] + x[0]
def f(x: f32[2], y: f32[4]) -> f32[5] = g(x, y) #! E04
#### contradictory_product
def f(x: f32[n], static a: int, static b: int) -> f32[a, b] where a + b == n = reshape(x, [a, b]) #! E04
#### fact_of_one_branch_only
def f(x: f32[n]) -> f32 =
    let y = if n % 2 == 0 then sum(x) else 0.0
    y + sum(reshape(x, [n // 2, 2])) #! E04
#### match_fact_of_the_other_arm
def f(x: f32[n], static k: int) -> f32[3] =
    match k with
        3 -> ones([k])
        _ -> zeros([k]) #! E04
#### lambda_keeps_constraints
def f(x: f32[3]) -> f32 = (fn (v: f32[k]) -> sum(v[:4]))(x) #! E04
#### power_of_a_traced_integer
def f(i: i32) -> i32 = i ** -2 #! E03
#### bool_arithmetic
def f(p: bool, q: bool) -> bool = p + q #! E03
#### difference_of_bools
def f(p: bool, q: bool) -> bool = p - q #! E03
#### comparing_records
def f(p: {w: f32}, q: {w: f32}) -> bool = p == q #! E03
#### comparing_functions
def f(x: f32) -> f32 = if sin == cos then x else -x #! E03
#### static_string_arithmetic
def f(x: f32, static name: str) -> f32 = x * name #! E03
#### enum_from_python_string
enum Mode = Train | Eval
def f(x: f32, static mode: Mode) -> f32 = x
def g(x: f32) -> f32 = f(x, "train") #! E03
#### enum_qualified_by_its_name
enum Mode = Train | Eval
def f(x: f32, static mode: Mode) -> f32 = x
def g(x: f32) -> f32 = f(x, Mode.Train) #! E02|E03
#### many_errors_in_order
type P[d] = {w: f32[d], b: f32}
def a(p: P[d], x: f32[n, d]) -> f32[n] = p.w @ x + p.b #! E04
def b(x: f32[n]) -> f32 = maen(x) #! E02
def c(x: f32[n], k: i32) -> f32[n] = x + sum(zeros([k])) #! E05
def mutating(x: f32) -> f32 =
    x = 2.0 #! E06
    x
def e(x: f32) -> f32 =
    print("{}", x) #! E07
    x
def g(x: f32[n]) -> f32[n] = grad(h)(x) #! E08
def h(x: f32[n]) -> f32[n] = x * 2.0
def i(x: f32[n], k: i32[n]) -> f32[n] = x * k #! E03
#### many_errors_in_one_body
from random import normal
def f(x: f32[n], y: f32[m], k: key, i: i32) -> f32 =
    let a = x + y #! E04
    let b = z * 2.0 #! E02
    let c = x * i #! E03
    let d = normal(k, [3]) + normal(k, [3]) #! E0610
    print("{}", x) #! E07
    let e = zeros([i]) #! E05
    sum(a) + sum(b) + sum(c) + sum(d) + sum(e)
#### errors_used_by_other_functions
def broken(x: f32[n], y: f32[m]) -> f32[n] = x * y #! E04
def f(x: f32[n]) -> f32[n] = broken(x, x) + grad(fn v -> sum(broken(v, v)))(x)
def g(xs: f32[n, d]) -> f32[n, d] = vmap(f)(xs)
#### error_in_an_inferred_function
def broken(x: f32[n], y: f32[m]) = x * y #! E04
def f(x: f32[n]) -> f32 = sum(broken(x, x)) + 1.0
#### error_in_an_alias
type P = {w: floot[3]} #! E02
def f(p: P) -> f32 = sum(p.w) + 1.0
#### error_in_a_parameter_type
def f(x: f23[n]) -> f32 = sum(x * 2.0) + mean(x) #! E02
def g(x: f32[n]) -> f32 = f(x)
#### error_in_a_constant
let rate = undefined_rate * 2.0 #! E02
def f(x: f32) -> f32 = x * rate + rate
#### error_in_a_static_def
static def half(n: int) -> int = n / 2 #! E03
def f(x: f32[n]) -> f32[half(n)] = x[: half(n)]
#### error_in_an_import_only
from geometry import missing #! E02
def f(x: f32) -> f32 = missing(x) + missing(x)
#### error_in_an_import_only module=geometry
def norm(x: f32) -> f32 = x
#### error_in_one_arm
enum Mode = Fast | Slow
def f(static m: Mode, x: f32[n], y: f32[k]) -> f32 =
    match m with
        Fast -> sum(x + y) #! E04
        Slow -> sum(x)
#### errors_in_both_branches
def f(c: bool, x: f32[n], y: f32[k]) -> f32 =
    if c then
        sum(x + y) #! E04
    else
        sum(x) + undefined #! E02
#### alias_of_a_dtype_is_itself
type f32 = f32 #! E02
type P = f32
