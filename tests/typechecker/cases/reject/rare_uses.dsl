#### conv_of_a_matrix
def f(x: f32[8, 8], w: f32[1, 1, 3, 3]) -> f32[1, 1, 8, 8] = conv(x, w) #! E0401

#### conv_with_a_kernel_of_fewer_axes
def f(x: f32[1, 1, 8, 8], w: f32[1, 1, 3]) -> f32[1, 1, 8, 8] = conv(x, w) #! E0401

#### conv_with_unknown_padding
def f(x: f32[1, 1, 8, 8], w: f32[1, 1, 3, 3]) -> f32[1, 1, 8, 8] = conv(x, w, padding="FULL") #! E0407

#### conv_with_strides_of_other_axes
def f(x: f32[1, 1, 8, 8], w: f32[1, 1, 3, 3]) -> f32[1, 1, 8, 8] = conv(x, w, (1, 2, 3)) #! E0407

#### conv_with_a_layout_of_other_letters
def f(x: f32[1, 1, 8, 8], w: f32[1, 1, 3, 3]) -> f32[1, 1, 8, 8] =
    conv(x, w, dimension_numbers=("NCHX", "OIHW", "NCHW")) #! E0407

#### pool_with_a_window_of_more_axes
import nn
def f(x: f32[8]) -> f32[8] = nn.max_pool(x, [2, 2]) #! E0407

#### split_at_a_run_time_place
def f(x: f32[8], i: i32) -> (f32[4], f32[4]) = split_at(x, i) #! E0407|E0501

#### split_at_along_an_axis_that_is_not_there
def f(x: f32[8]) = split_at(x, 4, axis=1) #! E0403
def g(x: f32[*s], static axis: int) = split_at(x, 2, axis=axis)
def h(x: f32[8]) = g(x, 1) #! E0403

#### einsum_without_an_array
def f() -> f32 = einsum("i->") #! E0307

#### einsum_of_other_operands
def f(x: f32[3]) -> f32 = einsum("i,i->", x) #! E0416

#### einsum_with_a_digit
def f(x: f32[3]) -> f32[3] = einsum("1->1", x) #! E0416

#### einsum_of_a_string
def f(x: f32[3]) -> f32[3] = einsum("i->i", "x") #! E0303

#### print_without_a_format
def f(x: f32) -> f32 ! io =
    print() #! E0307
    x

#### print_with_a_malformed_format
def f(x: f32) -> f32 ! io =
    print("{", x) #! E0327
    x

#### print_of_a_function
def f(x: f32) -> f32 ! io =
    print("{}", fn v -> v) #! E0327
    x

#### emit_without_a_value
def f(x: f32) -> f32 ! io =
    emit("loss") #! E0307
    x

#### checked_of_two_values
def f(x: f32) -> f32 ! check = checked(x, x) #! E0307

#### fresh_key_of_a_key
import random
def f(k: key) -> f32 = with rng(k) do random.normal(fresh_key(3), []) #! E0307

#### sum_of_static_truths
def f(static a: bool, static b: bool, x: f32[n]) -> f32[a + b] = x #! E0315

#### product_of_static_matrices
let a = 2 @ 3 #! E0315

#### static_shift_to_the_other_side
let a = 1 << -2 #! E0316

#### static_power_that_is_negative
def f(static n: int) -> f32 = f32(2 ** (0 - 1)) #! E0316

#### remainder_of_a_complex_number
let a = 2j % 2 #! E0315

#### bits_of_a_float
let a = 2.5 & 1 #! E0315

#### order_of_complex_numbers
let a = 2j < 1j #! E0315

#### minus_of_a_truth
let a = -true #! E0315

#### tuple_of_booleans_negated
def f(x: (bool, bool)) -> (bool, bool) = -x #! E0319

#### sign_of_a_key
def f(k: key) -> key = -k #! E0315

#### position_in_an_array
def f(x: f32[3]) -> f32 = x.0 #! E0309

#### position_behind_the_last
def f(x: (f32, f32)) -> f32 = x.2 #! E0309

#### literal_of_another_type
def f(static n: int) -> int =
    match n with
        "a" -> 1 #! E0314
        _ -> 2

#### two_indices_for_a_list
def f(x: f32[n, m]) -> f32[n] = x[x.shape[0, 1]] #! E0331

#### slice_with_a_step_of_zero
def f(x: f32[8]) -> f32[8] = x[::0] #! E0424

#### slice_by_a_float
def f(x: f32[8], s: f32) -> f32[8] = x[s:] #! E0331

#### slice_by_a_tuple
def f(x: f32[8]) -> f32[8] = x[(1, 2):] #! E0331

#### update_of_two_values
def f(x: f32[8]) -> f32[8] = x.at[0].set(1.0, 2.0) #! E0307

#### zip_of_nothing
def f() -> f32[0] = [1.0 for _ in zip()] #! E0307

#### enumerate_of_two
def f(x: f32[n]) -> f32[n] = [v for (i, v) in enumerate(x, 1)] #! E0307

#### gather_of_a_key
import random
def f(x: f32[3], k: key) -> f32[3] = vmap(fn v -> v + psum(k, "i"), axis_name="i")(x) #! E0303

#### gather_along_a_missing_axis
def f(x: f32[3]) -> f32[3, 3] = vmap(fn v -> all_gather(v, "i", axis=2), axis_name="i")(x) #! E0407

#### scatter_without_an_axis
def f(x: f32[3]) -> f32[3] = vmap(fn v -> reduce_scatter(v, "i"), axis_name="i")(x) #! E0407

#### permutation_that_gives_twice
def f(x: f32[3]) -> f32[3] = vmap(fn v -> ppermute(v, "i", ((0, 1), (0, 2))), axis_name="i")(x) #! E0407

#### concatenated_numbers_and_truths
def f(x: f32[3], t: (f32, f32)) -> f32[3] = concatenate((x, t)) #! E0303

#### eval_shape_of_nothing
def f(x: f32[3]) -> f32[3] =
    let s = eval_shape() #! E0307
    x

#### print_of_a_function_in_a_record
def f(x: f32) -> f32 ! io =
    print("{}", {a = x, b = sin}) #! E0327
    x

#### print_of_an_array_with_digits
def f(x: f32[n]) -> () ! io = print("{:.3f}", x) #! E0327

#### print_of_a_float_as_an_integer
def f(x: f32) -> () ! io = print("{:d}", x) #! E0327

#### print_of_any_shape_with_digits
def f(x: f32[*s]) -> () ! io = print("{:.3f}", x) #! E0327

#### print_of_any_dtype_as_an_integer
def f[a: Num](x: a) -> () ! io = print("{:d}", x) #! E0327

#### print_of_a_tuple_with_a_width
def f(x: f32) -> () ! io = print("{:>9}", (x, x)) #! E0327

#### print_with_a_place_left_out
def f(x: f32) -> () ! io = print("{1}", x, x) #! E0327

#### print_with_an_attribute
def f(x: f32) -> () ! io = print("{.real}", x) #! E0327

#### print_with_a_field_in_a_spec
def f(x: f32) -> () ! io = print("{:{}}", x, 3) #! E0327

#### print_with_a_width_without_end
def f(x: f32) -> () ! io = print("{:>99999999999}", x) #! E0327

#### default_index_of_an_empty_array
def first(x: f32[n], i: idx[n] = 0) -> f32 = x[i]
def f(x: f32[0]) -> f32 = first(x) #! E0407
def last(x: f32[n], t: (idx[n], f32) = (n - 1, 1.0)) -> f32 = x[t.0] * t.1
def g(x: f32[0]) -> f32 = last(x) #! E0407
