#### tab_is_an_error
def f(x: f32) -> f32 =
	x #! E01
#### plus_does_not_continue
def f(x: f32[n]) -> f32 =
    let a = sum(x)
        + 1.0 #! E01
    a
#### where_at_block_depth
def f(x: f32[n], y: f32[m]) -> f32[n] = x + y #! E04
where n == m #! E01
#### no_return
def f(x: f32) -> f32 =
    return x #! E01|E02
#### pointless_statement
def f(x: f32) -> f32 =
    x * 2.0 #! E0110
    x
#### block_without_a_value
def f(x: f32) -> f32 =
    let y = x #! E01
#### local_def
def f(x: f32) -> f32 =
    def g(y: f32) -> f32 = y #! E01
    g(x)
#### fold_as_an_operand
def f(x: f32[n]) -> f32 = 1.0 + fold a = 0.0 for v in x do a + v #! E01
#### if_as_an_operand
def f(x: f32, c: bool) -> f32 = x * if c then 1.0 else 2.0 #! E01
#### pattern_of_three_for_two
def f(x: (f32, f32)) -> f32 =
    let (a, b, c) = x #! E0314
    a + b + c
#### pattern_of_unknown_size
def f(x: f32[n]) -> f32 =
    let (a, b) = x #! E03|E04
    a + b
#### pattern_without_parentheses
def f(x: (f32, f32)) -> f32 =
    let a, b = x #! E01
    a + b
#### two_fields_for_one_name
def f(x: f32, y: f32) -> {w: f32} = {w = x, w = y} #! E02|E03|E01
#### float_without_digits
def f(x: f32) -> f32 = x + 1. #! E01
#### float_without_leading_digit
def f(x: f32) -> f32 = x + .5 #! E01
#### number_runs_into_letter
def f(x: f32) -> f32 = 2x #! E01
#### capital_none_outside_index
def f(x: f32[n]) -> f32[n] = vmap(fn (a, b) -> a * b, in_axes=(0, None))(x, 2.0) #! E01
#### string_is_not_traced
def f(x: f32) -> f32 =
    let s = "text"
    x + s #! E03|E05
#### keyword_as_name
def f(scan: f32) -> f32 = 1.0 #! E01
#### chain_of_two_directions
def f(x: f32, y: f32) -> bool = 0.0 < x > y #! E01|E03
#### and_of_arrays
def f(x: f32[n]) -> bool[n] = x > 0.0 and x < 1.0 #! E03
#### not_of_an_array
def f(x: bool[n]) -> bool[n] = not x #! E03
#### if_of_an_array
def f(x: f32[n]) -> f32[n] = if x > 0.0 then x else -x #! E05|E03
#### chain_of_arrays_in_if
def f(x: f32[n]) -> f32 = if 0.0 < x < 1.0 then 1.0 else 2.0 #! E05|E03
#### method_of_nothing
def f(x: f32[n]) -> f32 = x.meen(axis=0) #! E02|E03
#### field_that_is_no_function
def f(r: {mean: f32, w: f32[n]}) -> f32 = r.mean(2.0) #! E03
#### two_parameters_for_a_pair
def f(x: f32[n], y: f32[n]) -> f32[n] = [(fn (a, b) -> a * b)((v, w)) for v, w in zip(x, y)] #! E03
#### tuple_position_out_of_range
def f(t: (f32, (f32, i32))) -> i32 = t.1.2 #! E02|E03
#### misspelled_name
def f(values: f32[n]) -> f32 = sum(valeus) #! E02
#### default_uses_later
def f(x: f32[n], static k: int = j, static j: int = 2) -> f32 = x[0] #! E02
#### default_draws
def f(x: f32, y: f32 = fresh_key()) -> f32 = x + y #! E07|E06|E03
#### default_makes_a_key
import random
def f(x: f32, k: key = random.key(0)) -> f32 = x + random.normal(k, []) #! E06
#### keyword_only_given_by_position
def g(x: f32, *, y: f32) -> f32 = x - y
def f(x: f32) -> f32 = g(x, x) #! E03
#### missing_keyword_only
def g(x: f32, *, y: f32) -> f32 = x - y
def f(x: f32) -> f32 = g(x) #! E03
#### product_determines_nothing
def f(x: f32[n * m]) -> f32[n] = zeros([n]) #! E0405
#### undetermined_coefficient
def f(x: f32[a * v]) -> f32 = sum(x) #! E0405
#### difference_of_undetermined
def f(x: f32[n - m], y: f32[m + k]) -> f32 = sum(x) + sum(y) #! E0405
#### square_determines_nothing
def f(x: f32[n * n]) -> f32[n] = zeros([n]) #! E0405
#### only_in_the_result
def f(x: f32[n]) -> f32[m] = zeros([m]) #! E0405
#### only_in_where
def f(x: f32[n]) -> f32[n] where n == 2 * m = x #! E0405|E02
#### two_shapes_in_one
def f(x: f32[*s, *t]) -> f32[*t] = sum(x) #! E0405|E04
#### affine_call_does_not_divide
def g(x: f32[2 * n + 1]) -> f32[n] = x[:n]
def f(x: f32[4]) -> f32[1] = g(x) #! E04
#### affine_call_negative
def g(x: f32[n + 3]) -> f32[n] = x[:n]
def f(x: f32[2]) -> f32 = sum(g(x)) #! E04
#### static_parameter_disagrees
def g(x: f32[k, n], static k: int) -> f32[k] = sum(x, axis=1)
def f(x: f32[3, 4]) -> f32[3] = g(x, k=4) #! E04
#### constant_in_type_is_no_variable
let width = 4
def f(x: f32[width]) -> f32[width] = x
def g(x: f32[5]) -> f32[5] = f(x) #! E04
#### constant_that_is_no_size
let ratio = 2.5
def f(x: f32[ratio]) -> f32 = sum(x) #! E03|E04|E05
#### local_traced_in_annotation
def f(x: i32, y: f32[n]) -> f32[n] =
    let k = x + 1
    let z: f32[k] = y #! E05
    z
#### recursion_without_result
def f(x: f32, static k: int) = if k == 0 then x else f(x, k=k - 1) #! E0
#### recursion_on_traced
def f(x: f32) -> f32 = if x < 1.0 then x else f(x - 1.0) #! E0
#### import_of_private
from other import _hidden #! E02
def f(x: f32) -> f32 = _hidden(x)
#### import_of_private module=other
def _hidden(x: f32) -> f32 = x
#### private_by_module
import other
def f(x: f32) -> f32 = other._hidden(x) #! E02
#### private_by_module module=other
def _hidden(x: f32) -> f32 = x
#### cycle
import other
def f(x: f32) -> f32 = other.g(x)
#### cycle module=other
import third
def g(x: f32) -> f32 = third.h(x)
#### cycle module=third
import other #! E02
def h(x: f32) -> f32 = x
#### recursive_type
type Tree = {left: Tree, w: f32} #! E0
def f(x: f32) -> f32 = x
#### unused_alias_parameter
type A[n, m] = {w: f32[n]} #! E0
def f(a: A[2, 3]) -> f32[2] = a.w
#### undeclared_generic_dtype
def relu(x: a[*s]) -> a[*s] = maximum(x, 0) #! E0
#### generic_float_given_int
def relu[a: Float](x: a[*s]) -> a[*s] = maximum(x, 0)
def f(x: i32[n]) -> i32[n] = relu(x) #! E03
#### generic_two_dtypes
def add[a: Num](x: a, y: a) -> a = x + y
def f(x: f32, y: f64) -> f64 = add(x, y) #! E03
#### generic_without_division
def half[a: Num](x: a) -> a = x / 2 #! E03
#### generic_complex_order
def bigger[a: Inexact](x: a, y: a) -> a = maximum(x, y) #! E03
#### tree_has_no_keys
def same[t: Tree](x: t) -> t = x
def f(k: key) -> key = same(k) #! E03|E06
#### move_used_twice
def dup[t: Move](x: t) -> (t, t) = (x, x) #! E0610
#### vspace_of_ints
def axpy[P: VSpace[f32]](a: f32, p: P, q: P) -> P = a * p + q
type M[n] = {w: f32[n], step: i32}
def f(p: M[n], q: M[n]) -> M[n] = axpy(2.0, p, q) #! E03
#### vspace_product
type P = {w: f32, b: f32}
def f(p: P, q: P) -> P = p * q #! E03
#### vspace_of_int_record
type P = {w: f32, n: i32}
def f(p: P, q: P) -> P = p + q #! E03
#### vspace_plus_number
type P = {w: f32, b: f32}
def f(p: P) -> P = p + 1.0 #! E03
#### vspace_times_array
type P[n] = {w: f32[n], b: f32[n]}
def f(p: P[n], x: f32[n]) -> P[n] = x * p #! E03|E04
#### n_of_differs
type Params[d] = {w: f32[d], b: f32}
def f(ps: Params[3][n]) -> f32[3, n] = ps.w #! E04
#### n_of_leading_axis_missing
type Params[d] = {w: f32[d], b: f32}
def f(w: f32[n, 3], b: f32) -> Params[3][n] = {w = w, b = b} #! E03|E04
#### loop_over_different_leading_axes
def f(t: {a: f32[n], b: f32[m]}) -> f32[n] = [p.a + p.b for p in t] #! E03|E04
#### contraction_not_inferred
def f(x: f32[n, d], w: f32[k]) -> f32[n] = x @ w #! E0401
#### result_size_off_by_one
def f(x: f32[n]) -> f32[n] = x[1:] #! E04
#### carry_grows
def f(x: f32[n]) -> f32[n] = fold y = x for _ in range(3) do concatenate((y, x), axis=0) #! E04|E03
#### range_through_two_calls
def third(x: f32[n]) -> f32 = x[2]
def rest(x: f32[m]) -> f32 = third(x[1:])
def f(x: f32[3]) -> f32 = rest(x) #! E04
#### boolean_static_def_not_met
static def even(n: int) -> bool = n % 2 == 0
def g(x: f32[n]) -> f32[n // 2, 2] where even(n) = reshape(x, [n // 2, 2])
def f(x: f32[5]) -> f32[2, 2] = g(x) #! E04
#### where_or_not_met
def g(x: f32[n]) -> f32 where n == 2 or n == 3 = x[1]
def f(x: f32[4]) -> f32 = g(x) #! E04
#### where_on_traced
def f(x: f32) -> f32 where x > 0.0 = sqrt(x) #! E05|E02|E04
#### idx_not_a_larger_bound
def f(x: f32[3], i: idx[5]) -> f32 = x[i] #! E07
#### idx_argument_wrong_way
def g(x: f32[n], i: idx[n]) -> f32 = x[i]
def f(x: f32[3], i: idx[4]) -> f32 = g(x, i) #! E0
#### idx_of_nothing
def g(i: idx[n], y: f32[n]) -> f32 = y[i]
def f(y: f32[0], i: idx[0]) -> f32 = g(i, y)
def h(y: f32[0]) -> f32 = y[0] #! E04
#### static_if_other_branch
def f(x: f32[n], static c: bool) -> f32[n] = if c then x else x[: n // 2] #! E04
#### static_if_result_size
def f(x: f32[n], static half: bool) -> f32[if half then n // 2 else n] = if half then x else x[: n // 2] #! E04
#### no_promotion
def f(x: f32[n], i: i32[n]) -> f32[n] = x + i #! E03
#### no_promotion_of_widths
def f(x: f32, y: f64) -> f64 = x + y #! E03
#### float_number_to_int
def f(x: i32[n]) -> i32[n] = x + 1.0 #! E03
#### int_number_too_large
def f(x: i8[n]) -> i8[n] = x + 128 #! E03
#### negative_number_to_unsigned
def f(x: u32) -> u32 = x * -1 #! E03
#### float_overflow
def f(x: f16) -> f16 = x + 1e6 #! E03
#### complex_number_to_real
def f(x: f32) -> f32 = x + 2.0j #! E03
#### int_division
def f(x: i32, y: i32) -> i32 = x / y #! E03
#### static_int_division
def f(x: f32[n]) -> f32 = x[0] * (1 / 2) #! E03
#### division_in_a_size
def f(x: f32[n]) -> f32[n / 2] = x #! E0
#### negative_power_of_int
def f(x: i32) -> i32 = x ** -1 #! E03|E04
#### round_trip_of_static_float
def f(n: i32) -> f32[2] = zeros([2.0]) #! E03|E05
#### static_float_in_a_size
def f(x: f32[n]) =
    let k = n * 0.5
    zeros([k]) #! E03
#### condition_is_an_int
def f(x: i32) -> i32 = if x then 1 else 2 #! E03
#### and_of_ints
def f(x: i32, y: i32) -> bool = x and y #! E03
#### bool_arithmetic
def f(x: bool, y: bool) -> bool = x + y #! E03
#### abs_of_complex_dtype
def f(x: c128[n]) -> f32[n] = abs(x) #! E03
#### mean_of_int
def f(x: i32[n]) -> i32 = mean(x) #! E03
#### sqrt_of_int
def f(x: i32) -> f32 = sqrt(x) #! E03
#### order_of_complex
def f(x: c64, y: c64) -> bool = x < y #! E03
#### dtypes_of_branches
def f(x: f32, i: i32, c: bool) -> f32 = if c then x else i #! E03
#### traced_wants_cast
def f(n: i32) -> f32 = sqrt(2.0) * n #! E03
#### numpy_stretch
def f(x: f32[n], y: f32[n, 1]) -> f32[n, n] = x - y #! E04
#### lower_rank_does_not_stretch
def f(x: f32[n, d], b: f32[1]) -> f32[n, d] = x + b #! E04
#### leading_axis_alignment
def f(x: f32[n, d], b: f32[n]) -> f32[n, d] = x + b #! E04
#### stretch_of_unknown_one
def f(x: f32[n, d], b: f32[k, d]) -> f32[n, d] where k <= 1 = x + b #! E04
#### shape_variable_wrong_end
def f(x: f32[*s, d], b: f32[*s]) -> f32[*s, d] = x * b #! E04
#### where_of_shapes
def f(c: bool[n], x: f32[n, 1]) -> f32[n, n] = where(c, x, 0.0) #! E04
#### matmul_batch
def f(x: f32[b, n, m], y: f32[c, m, k]) -> f32[b, n, k] = x @ y #! E04
#### keepdims_forgotten
def f(x: f32[n, m]) -> f32[n, m] = x / sum(x, axis=1) #! E04
#### reduced_axis_out_of_range
def f(x: f32[n, m]) -> f32[n] = sum(x, axis=2) #! E04
#### axis_twice
def f(x: f32[n, m]) -> f32[] = sum(x, axis=(0, -2)) #! E0
#### permutation_repeats
def f(x: f32[n, m, k]) -> f32[n, m, k] = transpose(x, (0, 0, 2)) #! E04
#### concatenate_other_axis
def f(x: f32[n, m], y: f32[k, m]) -> f32[n + k, m] = concatenate((x, y), axis=1) #! E04
#### field_replaced_twice
def f(p: {w: f32, b: f32}) -> {w: f32, b: f32} = {p with w = 1.0, w = 2.0} #! E0206
#### nested_field_replaced_twice
def f(p: {l: {w: f32, b: f32}}) -> {l: {w: f32, b: f32}} =
    {p with l.w = 1.0, l.b = 0.0,
            l.w = 2.0} #! E0206
#### positional_behind_named
def g(x: f32, y: f32) -> f32 = x - y
def f(x: f32) -> f32 = g(y=x, x) #! E0130
#### parameter_behind_default
def f(x: f32 = 1.0, y: f32) -> f32 = x + y #! E0130
#### unit_call_that_does_nothing
# a statement is "an effectful call whose value is ()"
def unit(x: f32) -> () = ()
def f(x: f32) -> f32 =
    unit(x) #! E0110
    x
#### polymorphic_call_that_does_nothing
def twice(g: () -> () ! e) -> () ! e =
    g()
    g()
def f(x: f32) -> f32 =
    twice(fn () -> ()) #! E0110
    x
#### assert_false_is_one_mistake
def f(x: f32) -> f32 =
    assert 1 > 2, "never" #! E0717
    x
#### mistakes_of_a_written_record
type State = {
    mean: f32,
    count: i32,
    rows: f32[2],
}
def f(x: f32) -> State = {
    mean = x,
    count = x, #! E03
    rows = [x, x, x], #! E04
}
#### mistakes_of_a_written_tuple
def f(x: f32, i: i32) -> (i32, (f32, f32[3])) =
    let y = x * 2.0
    (
        x, #! E03
        (x,
         [y, y]), #! E04
    )
#### mistake_in_a_written_carry
def f(xs: f32[n]) -> (f32, i32) =
    fold (total, count) = (0.0, 0) for x in xs do
        (total + x,
         x) #! E03
#### recursion_on_a_traced_count
def f(k: i32, x: f32[n]) -> f32 =
    if k == 0 then
        sum(x)
    else
        f(k - 1, x) #! E0505
#### recursion_hands_the_static_on
def f(x: f32, static k: int) -> f32 =
    if k == 0 then x
    else f(x - 1.0, k=k) #! E0505
#### recursion_that_nothing_static_decides
def f(x: f32, static k: int) -> f32 =
    if x > 0.0 then
        f(x - 1.0, k=k - 1) #! E0505
    else x
#### recursion_in_a_comprehension
def f(x: f32[n]) -> f32[n] =
    [f(x)[i] for i in range(n)] #! E0505
#### step_of_a_slice_from_the_run
def f(x: f32[n], j: i32) -> f32 = sum(x[::j]) #! E0501
#### constant_key_from_the_effect
let k = fresh_key() #! E0613
#### policy_that_does_not_exist
def f(x: f32) -> f32 = checkpoint(fn y -> y * y, policy="some")(x) #! E0812
#### policy_of_the_wrong_type
def f(x: f32) -> f32 = checkpoint(fn y -> y * y, policy=3)(x) #! E0812
#### unrolled_by_nothing
def f(x: f32[n]) -> f32 = fold a = 0.0 for v in x unroll 0 do a + v #! E0407
#### variant_without_its_parts
enum Act = Relu | Leaky(slope: float)
def f(static a: Act, x: f32) -> f32 =
    match a with
        Relu -> x
        Leaky -> x #! E03
#### variant_with_too_few_parts
enum Act = Relu | Leaky(slope: float, low: float)
def f(static a: (Act, bool), x: f32) -> f32 =
    match a with
        (Relu, true) -> x
        (Leaky(s), _) -> x * s #! E03
        (Leaky(s, t), true) -> x * s * t
#### variant_declared_twice
enum Act = Relu | Relu(slope: float) #! E0206
def f(static a: Act, x: f32) -> f32 =
    match a with
        Relu -> x
#### variant_misspelt_is_one_mistake
enum Act = Relu | Leaky(slope: float)
def f(static a: Act, x: f32) -> f32 =
    match a with
        Relu -> x
        Leeky(slope) -> x * slope #! E0209
#### recursion_with_an_unstated_condition
# "A recursive function is checked against its stated constraints"
def f(x: f32[n], static k: int) -> f32 =
    if k == 0 then x[0] #! E0407
    else f(x[1:], k=k - 1) #! E0407
#### recursion_that_breaks_its_condition
# fails for n = 2
def tree(x: f32[n]) -> f32 where n >= 1 =
    if n == 1 then x[0]
    else tree(x[2:]) #! E0407
#### negative_power_by_a_parameter
def power(a: i32, static k: int) -> i32 = a ** k
def f(a: i32) -> i32 = power(a, k=-1) #! E0407
#### several_wrong_arguments
def g(x: f32, i: i32, rows: f32[2]) -> f32 = x
def f(x: f32, i: i32) -> f32 =
    g(
        i, #! E0302
        x, #! E0302
        [x, x],
    )
#### result_of_a_lambda_in_a_block
def apply(g: (f32) -> (f32, i32), x: f32) -> f32 = g(x).0
def f(x: f32) -> f32 =
    apply(fn a ->
        let b = a * 2.0
        (b, a), x) #! E0302
#### aliases_of_themselves_and_each_other
type A = {a: A, b: B} #! E0214
type B = {a: A, b: B}
