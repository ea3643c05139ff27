#### stored_key_lambda_called_twice
import random
def f(k: key, x: f32) -> f32 =
    let g = fn v -> v + random.normal(k, [])
    g(x) + g(x) #! E06
#### stored_key_lambda_in_a_record
import random
def f(k: key, x: f32) -> f32 =
    let r = {g = fn (v: f32) -> v + random.normal(k, [])} #! E06
    r.g(x)
#### too_many_indices
def f(x: f32[n]) -> f32 = x[0, 0] #! E04|E03
#### float_index
def f(x: f32[n]) -> f32 = x[1.0] #! E03
#### bool_index
def f(x: f32[n], c: bool) -> f32 = x[c] #! E03|E0420
#### two_ellipses
def f(x: f32[n, m]) -> f32[n, m] = x[..., ...] #! E0
#### static_index_out_of_bounds
def f(x: f32[3]) -> f32 = x[3] #! E04
#### negative_static_index_out_of_bounds
def f(x: f32[3]) -> f32 = x[-4] #! E04
#### range_off_by_one
def f(x: f32[4]) -> f32[4] = [x[i + 1] for i in range(4)] #! E04
#### window_too_far
def f(x: f32[n]) -> f32[n, 3] = [x[i : i + 3] for i in range(n)] #! E04
#### slice_length_not_static
def f(x: f32[n], i: i32, j: i32) -> f32[2] = x[i : j] #! E0
#### slice_length_two_times
def f(x: f32[n], i: i32) -> f32 ! check = sum(x[i : 2 * i]) #! E0
#### slice_minus_traced
def f(x: f32[n], i: i32) -> f32[3] = x[i : i + 3] #! E07
#### strided_length
def f(x: f32[n]) -> f32[n // 2] = x[::2] #! E04
#### slice_backwards
def f(x: f32[5]) -> f32[2] = x[4:2] #! E04
#### negative_slice_too_long
def f(x: f32[3]) -> f32[4] = x[-4:] #! E04
#### minus_zero_is_nothing
def f(x: f32[3]) -> f32[3] = x[-0:] #! E04
#### mask_as_an_index
def f(x: f32[n]) -> f32[n] = x[x < 0.0] #! E0402
#### mask_of_all_axes_as_an_index
def f(x: f32[n, m]) -> f32[n] = x[x < 0.0] #! E0420
#### mask_of_another_size
def f(x: f32[n], m: bool[k]) -> f32[n] = x.at[m].set(0.0) #! E04
#### gather_result
def f(x: f32[n, d], ids: idx[n][m]) -> f32[m] = x[ids] #! E04
#### gathers_of_two_sizes
def f(x: f32[n, d], i: idx[n][m], j: idx[d][k]) -> f32[m] = x[i, j] #! E04
#### gather_with_a_large_index
def f(x: f32[n], i: idx[n + 1]) -> f32 = x[i] #! E07
#### argmax_of_another_array
def f(x: f32[n], y: f32[m]) -> f32 where n >= 1 = y[argmax(x)] #! E07
#### argmax_plus_one
def f(x: f32[n]) -> f32 where n >= 1 = x[argmax(x) + 1] #! E07
#### fact_on_the_wrong_variable
def f(x: f32[n], i: i32, j: i32) -> f32 = if 0 <= i and j < n then x[i] else 0.0 #! E07
#### sixteen_bits_too_small
def f(t: f32[255], x: u8) -> f32 = t[i32(x)] #! E07
#### signed_eight_bits
def f(t: f32[128], x: i8) -> f32 = t[i32(x)] #! E07
#### unknown_mode
def f(x: f32[n], i: i32) -> f32 = x.at[i].get(mode="clamp") #! E03|E05
#### fill_without_a_value
def f(x: f32[n], i: i32) -> f32 = x.at[i].get(mode="fill") #! E03
#### fill_for_set
def f(x: f32[n], i: i32) -> f32[n] = x.at[i].set(1.0, mode="fill") #! E03
#### drop_for_get
def f(x: f32[n], i: i32) -> f32 = x.at[i].get(mode="drop") #! E03
#### fill_value_without_the_mode
def f(x: f32[n], i: i32) -> f32 ! check = x.at[i].get(fill=0.0) #! E03
#### fill_value_of_another_mode
def f(x: f32[n], i: i32) -> f32 where n >= 1 = x.at[i].get(mode="clip", fill=0.0) #! E03
#### misspelled_mode_word
def f(x: f32[n], i: i32) -> f32 ! check = x.at[i].get(mod="clip") #! E03
#### misspelled_option_of_set
def f(x: f32[n], i: i32) -> f32[n] ! check = x.at[i].set(1.0, mod="drop") #! E03
#### set_dtype
def f(x: f32[n], v: i32) -> f32[n] = x.at[0].set(v) #! E03
#### add_into_two_slots
def f(x: f32[n], ids: idx[n][m], v: f32[k]) -> f32[n] = x.at[ids].add(v) #! E04
#### ragged_literal
def f(x: f32) -> f32[2, 2] = [[x, x], [x]] #! E04|E03
#### literal_of_two_shapes
def f(x: f32[n], y: f32[m]) -> f32[2, n] = [x, y] #! E04|E03
#### empty_literal_without_type
def f(x: f32) -> f32 = sum([]) #! E0
#### concatenate_spread
def f(x: f32[n], y: f32[n]) -> f32[n + n] = concatenate(x, y, axis=0) #! E03
#### two_unknown_sizes
def f(x: f32[n]) -> f32[n, 1] = reshape(x, [-1, -1]) #! E04|E03
#### minus_one_that_does_not_divide
def f(x: f32[7]) -> f32 = sum(reshape(x, [2, -1])) #! E04
#### positional_axis
def f(x: f32[n, m]) -> f32[n] = sum(x, 1) #! E0306
#### positional_axis_of_a_method
def f(x: f32[n, m]) -> f32[n] = x.sum(1) #! E0306
#### later_clause_in_a_size
def f(x: f32[n]) -> f32 = sum([x[j] for i in range(n), j in range(i)]) #! E05
#### zip_of_two_sizes
def f(x: f32[n], y: f32[m]) -> f32[n] = [a + b for a, b in zip(x, y)] #! E04
#### zip_pattern_of_three
def f(x: f32[n], y: f32[n]) -> f32[n] = [a + b + c for a, b, c in zip(x, y)] #! E0314
#### enumerate_pattern_reversed
def f(x: f32[n]) -> f32[n] = [v * x[i] for v, i in enumerate(x)] #! E03
#### iterate_a_scalar
def f(x: f32) -> f32[3] = [v for v in x] #! E03|E04
#### iterate_a_number
def f(x: f32[n]) -> f32[n] = [x[i] for i in n] #! E03|E04
#### comprehension_element_type
def f(x: f32[n]) -> i32[n] = [v * 2.0 for v in x] #! E03
#### comprehension_order_of_axes
def f(x: f32[n], y: f32[m]) -> f32[m, n] = [a * b for a in x, b in y] #! E04
#### comprehension_of_functions
def f(x: f32[n]) -> f32[n] =
    let gs = [fn (u: f32) -> u + v for v in x] #! E0
    x
#### fold_returns_a_pair
def f(x: f32[n]) -> f32 = fold a = 0.0 for v in x do (a + v, a) #! E03
#### scan_returns_a_scalar
def f(x: f32[n]) -> (f32, f32[n]) = scan a = 0.0 for v in x do a + v #! E03
#### scan_swapped
def f(h0: f32[d], x: f32[n]) -> (f32[d], f32[n]) = scan h = h0 for v in x do (v, h) #! E03|E04
#### carry_dtype_changes
def f(x: f64[n]) -> f64 = fold a = f32(0) for v in x do a + v #! E03
#### carry_static_int_becomes_float
def f(x: f32[n]) -> f32 = fold a: i32 = 0 for v in x do a + v #! E03
#### carry_leaf_changes
def f(x: f32[n]) -> f32 =
    let (a, b) = fold (a, b) = (0.0, true) for v in x do (a + v, a) #! E03
    a
#### carry_leaf_lost
def f(x: f32[n]) -> f32 =
    let s = fold s = {a = 0.0, b = 0.0} for v in x do {a = s.a + v} #! E03
    s.a
#### carry_rank_changes
def f(x: f32[n, d]) -> f32[d] = fold a = 0.0 for row in x do a + row #! E04|E03
#### tuple_step_does_not_fit
def f(x: f32[n], ws: (f32[n, 3], f32[4, 5])) -> f32[5] = fold h = x for w in ws do h @ w #! E04
#### unroll_is_static
def f(x: f32[n], k: i32) -> f32 = fold a = 0.0 for v in x unroll k do a + v #! E0
#### reverse_before_for
def f(x: f32[n]) -> f32 = fold a = 0.0 reverse for v in x do a + v #! E01
#### scan_size_of_outputs
def f(x: f32[n]) -> (f32, f32[n + 1]) = scan a = 0.0 for v in x do (a + v, a) #! E04
#### iterate_changes_type
def f(x: i32) -> i32 = iterate y = x while y > 1 limit 9 do f32(y) * 0.5 #! E03
#### grad_of_an_array
def g(x: f32[n]) -> f32[n] = x * 2.0
def f(x: f32[n]) -> f32[n] = grad(g)(x) #! E08
#### grad_of_ints
def g(x: i32, y: f32) -> f32 = f32(x) * y
def f(x: i32, y: f32) -> f32 = f32(grad(g)(x, y)) #! E08
#### grad_of_an_index
def g(x: f32[n], i: idx[n]) -> f32 = x[i]
def f(x: f32[n], i: idx[n]) -> f32 = grad(g, argnums=1)(x, i) #! E08
#### grad_of_an_int_result
def g(x: f32) -> i32 = i32(x)
def f(x: f32) -> f32 = grad(g)(x) #! E08
#### grad_of_a_complex_result
def g(x: c64) -> c64 = x * x
def f(x: c64) -> c64 = grad(g)(x) #! E08
#### argnums_out_of_range
def g(x: f32, y: f32) -> f32 = x * y
def f(x: f32) -> f32 = grad(g, argnums=2)(x, x) #! E08
#### argnums_counts_no_static
def g(x: f32, static k: int) -> f32 = x ** k
def f(x: f32) -> f32 = grad(g, argnums=1)(x, k=2) #! E08
#### argnums_pair_is_a_pair
def g(x: f32, y: f32) -> f32 = x * y
def f(x: f32) -> f32 = grad(g, argnums=(0, 1))(x, x) #! E03
#### aux_not_said
def g(x: f32) -> (f32, f32) = (x * x, x)
def f(x: f32) -> f32 = grad(g)(x) #! E08
#### aux_said_without
def g(x: f32) -> f32 = x * x
def f(x: f32) -> (f32, f32) = grad(g, has_aux=true)(x) #! E08
#### value_and_grad_order
def g(x: f32[n]) -> f32 = sum(x)
def f(x: f32[n]) -> (f32[n], f32) = value_and_grad(g)(x) #! E03|E04
#### grad_of_a_value
def f(x: f32) -> f32 = grad(x * x)(x) #! E03|E08
#### inner_type_keeps_its_code
def g(x: f32[3]) -> f32 = sum(x)
def f(x: f32[4]) -> f32[4] = grad(g)(x) #! E04
#### inner_dtype_keeps_its_code
def g(x: f32) -> f32 = x * x
def f(x: f64) -> f64 = grad(g)(x) #! E03
#### vmap_sizes_disagree
def g(x: f32, y: f32) -> f32 = x * y
def f(x: f32[n], y: f32[m]) -> f32[n] = vmap(g)(x, y) #! E08|E04
#### vmap_no_mapped_argument
def g(x: f32, y: f32) -> f32 = x * y
def f(x: f32) -> f32 = sum(vmap(g, in_axes=(none, none))(x, x)) #! E08
#### vmap_axis_out_of_range
def g(x: f32[n]) -> f32 = sum(x)
def f(x: f32[n, m]) -> f32[n] = vmap(g, in_axes=2)(x) #! E08
#### vmap_of_a_scalar
def g(x: f32) -> f32 = x * x
def f(x: f32) -> f32 = vmap(g)(x) #! E08
#### vmap_wrong_axis_for_the_inside
def g(x: f32[3]) -> f32 = sum(x)
def f(x: f32[3, 5]) -> f32[3] = vmap(g)(x) #! E04
#### vmap_in_axes_too_long
def g(x: f32) -> f32 = x * x
def f(x: f32[n]) -> f32[n] = vmap(g, in_axes=(0, 0))(x) #! E08
#### vmap_out_axes
def g(x: f32[d]) -> f32[d] = x * x
def f(x: f32[n, d]) -> f32[n, d] = vmap(g, out_axes=1)(x) #! E04
#### vmap_out_axis_out_of_range
def g(x: f32) -> f32 = x * x
def f(x: f32[n]) -> f32[n] = vmap(g, out_axes=1)(x) #! E08
#### jvp_tangent_type
def g(x: f32[n]) -> f32 = sum(x)
def f(x: f32[n], t: f32[m]) -> f32 =
    let (a, b) = jvp(g, (x,), (t,)) #! E08|E04|E03
    a + b
#### jvp_not_in_tuples
def g(x: f32[n]) -> f32 = sum(x)
def f(x: f32[n]) -> (f32, f32) = jvp(g, x, x) #! E08|E03
#### jvp_of_two
def g(x: f32, y: f32) -> f32 = x * y
def f(x: f32) -> (f32, f32) = jvp(g, (x, x), (x,)) #! E08|E03
#### pull_gives_a_tuple
def g(x: f32) -> f32 = x * x
def f(x: f32) -> f32 =
    let (out, pull) = vjp(g, x)
    pull(out) #! E03
#### pull_cotangent_type
def g(x: f32[n]) -> f32 = sum(x)
def f(x: f32[n]) -> f32[n] =
    let (out, pull) = vjp(g, x)
    let (ct,) = pull(x) #! E03|E04|E08
    ct
#### hessian_shape
def g(x: f32[n]) -> f32 = sum(x ** 3)
def f(x: f32[n]) -> f32[n] = hessian(g)(x) #! E04
#### jacobian_order
def g(x: f32[n]) -> f32[2] = x[:2]
def f(x: f32[n]) -> f32[n, 2] where n >= 2 = jacrev(g)(x) #! E04
#### hvp_wants_a_vector
def g(x: f32[n]) -> f32 = sum(x ** 3)
def f(x: f32[n]) -> f32[n] = hvp(g, x, 1.0) #! E08|E03|E04
#### custom_rule_wrong_tangent
def sq(x: f32) -> f32 = x * x
def rule(primals: (f32,), tangents: (f32,)) -> (f32, f32[1]) = (primals.0 ** 2, tangents.0[None])
def f(x: f32) -> f32 = custom_jvp(sq, rule)(x) #! E08
#### custom_rule_not_linear
def sq(x: f32) -> f32 = x * x
def rule(primals: (f32,), tangents: (f32,)) -> (f32, f32) = (primals.0 ** 2, tangents.0 ** 2)
def f(x: f32) -> f32 = custom_jvp(sq, rule)(x) #! E08
#### custom_rule_affine
def sq(x: f32) -> f32 = x * x
def rule(primals: (f32,), tangents: (f32,)) -> (f32, f32) = (primals.0 ** 2, tangents.0 + 1.0)
def f(x: f32) -> f32 = custom_jvp(sq, rule)(x) #! E08
#### custom_rule_captures
def f(x: f32, y: f32) -> f32 =
    grad(fn u -> custom_jvp(fn (v: f32) -> v * u, fn (p: (f32,), t: (f32,)) -> (p.0 * u, t.0 * u))(x))(y) #! E0818
#### custom_vjp_bwd_count
def sq(x: f32, y: f32) -> f32 = x * y
def fwd(x: f32, y: f32) -> (f32, (f32, f32)) = (x * y, (x, y))
def bwd(saved: (f32, f32), ct: f32) -> (f32,) = (ct * saved.1,)
def f(x: f32, y: f32) -> f32 = custom_vjp(sq, fwd, bwd)(x, y) #! E08
#### eval_shape_is_no_value
def f(x: f32[n]) -> f32[n] = eval_shape(fn v -> v + 1.0, x) + x #! E0
#### stop_gradient_of_two
def f(x: f32) -> f32 = stop_gradient(x, x) #! E03
#### unknown_module_member
import linalg
def f(a: f32[n, n]) -> f32[n, n] = linalg.choleski(a) #! E02
#### module_not_imported
def f(a: f32[n, n]) -> f32[n, n] = linalg.cholesky(a) #! E02
#### cholesky_not_square
import linalg
def f(a: f32[n, m]) -> f32[n, n] = linalg.cholesky(a) #! E04
#### solve_sizes
import linalg
def f(a: f32[n, n], b: f32[m]) -> f32[n] = linalg.solve(a, b) #! E04
#### einsum_result_letter
def f(a: f32[n, m]) -> f32[n] = einsum("ij->ik", a) #! E0
#### einsum_rank
def f(a: f32[n]) -> f32[n] = einsum("ij->i", a) #! E04|E03
#### one_hot_positional
import nn
def f(ids: i32[m]) -> f32[m, 5] = nn.one_hot(ids) #! E03
#### size_of_split
def f(x: f32[7]) -> (f32[3], f32[4]) = split_at(x, 2, axis=0) #! E04|E03
#### cumsum_axis
def f(x: f32[n, m]) -> f32[n, m] = cumsum(x, axis=2) #! E04
#### sort_has_no_keepdims
def f(x: f32[n]) -> f32[n] = sort(x, keepdims=true) #! E03
#### top_k_too_many
def f(x: f32[3]) -> f32[4] = top_k(x, 4).0 #! E04|E03
#### squeeze_of_more
def f(x: f32[n, 2]) -> f32[n] = squeeze(x, axis=1) #! E04
#### outer_result
def f(x: f32[n], y: f32[m]) -> f32[m, n] = outer(x, y) #! E04
#### max_of_three
def f(x: f32, y: f32, z: f32) -> f32 = max(x, y, z) #! E03
#### get_takes_no_value
def f(x: f32[n], i: i32) -> f32 ! check = x.at[i].get(3.0) #! E0307
#### mode_twice
def f(x: f32[n], i: i32) -> f32[n] = x.at[i].set(1.0, mode="drop", mode="clip") #! E03|E01
