#### vectors_of_two_sizes
def f(x: f32[n], y: f32[m]) -> f32[n] = x + y #! E04
#### vector_minus_column
# In NumPy this silently makes an [n, n].
def residual(pred: f32[n], y: f32[n, 1]) -> f32[n, n] = pred - y #! E04
#### column_minus_vector
def mse(y: f32[n, 1], pred: f32[n]) -> f32 = mean((y - pred) ** 2) #! E04
#### row_vector_against_rows
def f(x: f32[n, d], w: f32[n]) -> f32[n, d] = x * w #! E04
#### mean_over_columns_without_keepdims
def centre(x: f32[n, d]) -> f32[n, d] = x - mean(x, axis=1) #! E04
#### size_variable_does_not_stretch
def f(x: f32[n, d], y: f32[n, k]) -> f32[n, d] = x * y #! E04
#### two_does_not_stretch
def f(x: f32[n, d], y: f32[n, 2]) -> f32[n, d] = x * y #! E04
#### literals_differ
def f(x: f32[3], y: f32[4]) -> f32[3] = x + y #! E04
#### trailing_literal_one_of_lower_rank
def f(x: f32[n, d], y: f32[1]) -> f32[n, d] = x * y #! E04
#### higher_rank_on_the_right
def f(x: f32[d], y: f32[n, k]) -> f32[n, k] = x + y #! E04
#### matmul_inner_sizes
def predict(w: f32[k], x: f32[n, d]) -> f32[n] = x @ w #! E04
#### matmul_not_transposed
def scores(q: f32[n, d], k: f32[m, d]) -> f32[n, m] = q @ k #! E04
#### matmul_swapped
def layer(w: f32[i, o], x: f32[n, i]) -> f32[n, o] = w @ x #! E04
#### matmul_with_scalar
def f(x: f32[n], a: f32) -> f32[n] = x @ a #! E04|E03
#### matmul_batch_axes_differ
def f(a: f32[b, n, m], c: f32[h, m, k]) -> f32[b, n, k] = a @ c #! E04
#### gram_of_the_wrong_side
def gram(x: f32[n, d]) -> f32[d, d] = x @ x.T #! E04
#### result_shape
def f(x: f32[n, d]) -> f32[n] = sum(x, axis=0) #! E04
#### result_rank
def loss(x: f32[n], y: f32[n]) -> f32 = (x - y) ** 2 #! E04
#### result_scalar_for_vector
def f(x: f32[n]) -> f32[n] = mean(x) #! E04
#### result_transposed
def t(x: f32[n, d]) -> f32[n, d] = x.T #! E04
#### transpose_of_vector
def f(x: f32[n]) -> f32[n] = x.T #! E04
#### axis_out_of_range
def f(x: f32[n, d]) -> f32[n] = sum(x, axis=2) #! E04
#### negative_axis_out_of_range
def f(x: f32[n, d]) -> f32[n] = mean(x, axis=-3) #! E04
#### axis_twice
def f(x: f32[n, d]) -> f32 = sum(x, axis=(0, 0)) #! E04
#### softmax_without_keepdims
def softmax(x: f32[n, d]) -> f32[n, d] =
    let z = exp(x - max(x, axis=-1, keepdims=true))
    z / sum(z, axis=-1) #! E04
#### softmax_over_any_axis_without_keepdims
def softmax[a: Float](x: a[*s], *, static axis: int = -1) -> a[*s] =
    let z = exp(x - max(x, axis=axis, keepdims=true))
    z / sum(z, axis=axis) #! E04
#### reshape_counts
def f(x: f32[n, m]) -> f32[n, m + 1] = reshape(x, [n, m + 1]) #! E04
#### reshape_of_literal
def f(x: f32[10]) -> f32[3, 4] = reshape(x, [3, 4]) #! E04
#### reshape_halves_without_a_fact
def f(x: f32[b]) -> f32[2, b // 2] = reshape(x, [2, b // 2]) #! E04
#### reshape_two_unknowns
def f(x: f32[n, m]) -> f32[n, m] = reshape(x, [-1, -1]) #! E04
#### reshape_unknown_not_divisible
def f(x: f32[7]) -> f32[2, 3] = reshape(x, [2, -1]) #! E04
#### flatten_declared_as_sum
def flatten(x: f32[n, h, w]) -> f32[n, h + w] = reshape(x, [n, h * w]) #! E04
#### concatenate_other_axes
def f(x: f32[n, d], y: f32[m, k]) -> f32[n + m, d] = concatenate((x, y), axis=0) #! E04
#### concatenate_wrong_axis
def f(x: f32[n, d], y: f32[m, d]) -> f32[n + m, d] = concatenate((x, y), axis=1) #! E04
#### concatenate_sum_forgotten
def f(x: f32[n], y: f32[m]) -> f32[n] = concatenate((x, y)) #! E04
#### concatenate_ranks
def bias_column(x: f32[n, d]) -> f32[n, d + 1] = concatenate((x, ones([n])), axis=1) #! E04
#### stack_of_two_sizes
def f(x: f32[n], y: f32[m]) -> f32[2, n] = stack((x, y)) #! E04
#### stack_axis
def f(x: f32[n], y: f32[n]) -> f32[n, 2] = stack((x, y)) #! E04
#### array_literal_of_two_sizes
def f(x: f32[n], y: f32[m]) -> f32[2, n] = [x, y] #! E04
#### ragged_literal
def f(a: f32) -> f32[2, 2] = [[a, a], [a]] #! E04
#### einsum_sizes
def f(a: f32[n, m], b: f32[k, l]) -> f32[n, l] = einsum("ij,jk->ik", a, b) #! E04
#### einsum_rank
def f(a: f32[n, m], b: f32[m]) -> f32[n] = einsum("ij,jk->ik", a, b) #! E04
#### einsum_unknown_letter
def f(a: f32[n, m]) -> f32[n] = einsum("ij->k", a) #! E04|E03
#### einsum_result_order
def scores(q: f32[b, h, n, d], k: f32[b, h, m, d]) -> f32[b, h, n, m] = einsum("bhnd,bhmd->bhmn", q, k) #! E04
#### where_shapes
def f(mask: bool[n], x: f32[n, d]) -> f32[n, d] = where(mask, x, 0.0) #! E04
#### clip_shapes
def f(x: f32[n, d], lo: f32[n]) -> f32[n, d] = clip(x, lo, 1.0) #! E04
#### maximum_shapes
def f(x: f32[n], y: f32[m]) -> f32[n] = maximum(x, y) #! E04
#### dot_sizes
def f(x: f32[n], y: f32[m]) -> f32 = dot(x, y) #! E04
#### outer_declared_square
def f(x: f32[n], y: f32[m]) -> f32[n, n] = outer(x, y) #! E04
#### squeeze_of_a_size
def f(x: f32[n, d]) -> f32[n] = squeeze(x, axis=1) #! E04
#### transpose_permutation_short
def f(x: f32[a, b, c]) -> f32[b, a, c] = transpose(x, (1, 0)) #! E04
#### transpose_permutation_repeats
def f(x: f32[a, b]) -> f32[a, b] = transpose(x, (0, 0)) #! E04
#### broadcast_to_other_size
def f(x: f32[n], like: f32[m]) -> f32[n, m] = broadcast_to(x, [n, m]) #! E04
#### argument_shape
def g(a: f32[n, n]) -> f32 = sum(a * eye(n))
def f(x: f32[n, d]) -> f32 = g(x) #! E04
#### argument_rank
def norm(x: f32[n]) -> f32 = sqrt(sum(x ** 2))
def f(x: f32[n, d]) -> f32 = norm(x) #! E04
#### swapped_arguments
def predict(w: f32[d], x: f32[n, d]) -> f32[n] = x @ w
def f(w: f32[d], x: f32[n, d]) -> f32[n] = predict(x, w) #! E04
#### arguments_bind_a_size_twice
def mse(x: f32[n], y: f32[n]) -> f32 = mean((x - y) ** 2)
def f(x: f32[n], y: f32[m]) -> f32 = mse(x, y) #! E04
#### tuple_pattern_of_wrong_length
def f(x: f32[4]) -> f32 =
    let (a, b, c) = x #! E04|E03
    a + b + c
#### tuple_pattern_of_unknown_size
def f(x: f32[n]) -> f32 =
    let (a, b) = x #! E04|E03
    a + b
#### too_many_indices
def f(x: f32[n, d]) -> f32 = x[0, 0, 0] #! E04
#### field_of_layer_transposed
type Dense[i, o] = {w: f32[i, o], b: f32[o]}
def dense(p: Dense[i, o], x: f32[n, i]) -> f32[n, o] = x @ p.w.T + p.b #! E04
#### alias_arguments_swapped
type Dense[i, o] = {w: f32[i, o], b: f32[o]}
def dense(p: Dense[o, i], x: f32[n, i]) -> f32[n, o] = x @ p.w + p.b #! E04
#### layers_that_do_not_meet
type Dense[i, o] = {w: f32[i, o], b: f32[o]}
def dense(p: Dense[i, o], x: f32[n, i]) -> f32[n, o] = x @ p.w + p.b
def mlp(p: Dense[a, b], q: Dense[c, d], x: f32[n, a]) -> f32[n, d] = dense(q, dense(p, x)) #! E04
#### attention_normalised_without_keepdims
def attention(q: f32[n, d], k: f32[m, d], v: f32[m, e]) -> f32[n, e] =
    let s = q @ k.T
    let w = exp(s) / sum(exp(s), axis=1) #! E04
    w @ v
#### attention_result
def attention(q: f32[n, d], k: f32[m, d], v: f32[m, e]) -> f32[n, d] =
    let s = exp(q @ k.T)
    (s / sum(s, axis=1, keepdims=true)) @ v #! E04
#### attention_mask_axes
def masked(s: f32[h, n, m], mask: bool[n]) -> f32[h, n, m] = where(mask, s, -1e9) #! E04
#### layer_norm_gain
def norm(x: f32[n, d], gain: f32[n]) -> f32[n, d] =
    let c = x - mean(x, axis=1, keepdims=true)
    c * gain #! E04
#### no_cascade_from_a_wrong_let
def f(x: f32[n], y: f32[m]) -> f32 =
    let a = x + y #! E04
    let b = a * x
    let c = b @ a
    c + sum(a)
#### two_independent_errors
def f(x: f32[n], y: f32[m]) -> (f32[n], f32[m]) =
    let a = x - y #! E04
    let b = x @ y #! E04
    (x, y)
#### errors_in_three_functions
def f(x: f32[n], y: f32[m]) -> f32[n] = x + y #! E04
def g(x: f32[n]) -> f32[n] = f(x, x)
def h(x: f32[n, d]) -> f32[n] = sum(x, axis=0) #! E04
def i(x: f32[n, d]) -> f32[d, n] = x #! E04
#### shape_variable_against_fixed
def f(x: f32[*s], b: f32[d]) -> f32[*s] = x + b #! E04
#### shape_variables_differ
def f(x: f32[*s], y: f32[*t]) -> f32[*s] = x + y #! E04
#### shape_variable_last_axis
def f(x: f32[*s, d], w: f32[d, k]) -> f32[*s, d] = x @ w #! E04
#### shape_variable_reduced
def f(x: f32[*s, d]) -> f32[*s, d] = mean(x, axis=-1) #! E04
#### shape_variable_centred_without_keepdims
# a scalar for an empty s, but not "by one and the same rule for every rank"
def centre(x: f32[*s, d]) -> f32[*s, d] = x - mean(x, axis=-1) #! E04
#### comprehension_result_order
def outer_product(x: f32[n], y: f32[m]) -> f32[m, n] = [a * b for a in x, b in y] #! E04
#### comprehension_element
def f(x: f32[n, d]) -> f32[n] = [row * 2.0 for row in x] #! E04
#### zip_of_two_sizes
def f(x: f32[n], y: f32[m]) -> f32[n] = [a * b for a, b in zip(x, y)] #! E04
#### carry_grows
def f(x: f32[n]) -> f32[n] = fold acc = x for _ in range(3) do concatenate((acc, x)) #! E04
#### carry_loses_rank
def f(x: f32[n, d]) -> f32[d] =
    fold acc = 0.0 for row in x do acc + row #! E04
#### branches_of_two_shapes
def f(c: bool, x: f32[n], y: f32[m]) -> f32[n] = if c then x else y #! E04
#### one_hot_size
def one_hot_of(ids: i32[n], static k: int) -> f32[k, n] = f32(ids[:, None] == arange(k)[None, :]) #! E04
#### diag_of_vector
def f(x: f32[n]) -> f32[n] = diag(x) #! E04
#### solve_of_rectangular
import linalg
def f(a: f32[n, m], b: f32[n]) -> f32[m] = linalg.solve(a, b) #! E04
#### cholesky_of_rectangular
import linalg
def f(a: f32[n, m]) -> f32[n, m] = linalg.cholesky(a) #! E04
#### nonempty_axis
def f() -> f32 = max(zeros([0])) #! E04
#### value_annotation
def f(x: f32[n, d]) -> f32[n] =
    let y: f32[n] = mean(x, axis=0) #! E04
    y
#### shape_variable_stretches_by_two_rules
# [*s, 1] against [k]: at rank 1 the literal 1 would stretch, at a higher rank the lower operand must match exactly
def one_hot_of(ids: i32[*s], static k: int) -> f32[*s, k] = f32(expand_dims(ids, axis=-1) == arange(k)) #! E04
#### pools
import nn
def a(x: f32[h, w]) -> f32 = sum(nn.max_pool(x, (2, 2, 2))) #! E0407
def b(x: f32[4, 4]) -> f32 = sum(nn.max_pool(x, (2, 2), (1, 2, 3))) #! E0407
def c(x: f32[4, 1]) -> f32 = sum(nn.avg_pool(x, (2, 2))) #! E0407
def d(x: f32[4, 4]) -> f32 = sum(nn.avg_pool(x, (2, 2), padding="SAM")) #! E0407
def e(x: f32[4, 4]) -> f32 = sum(nn.max_pool(x, (2, 2), padding=((1, -1), (1, 1)))) #! E0407
def of_any_rank(x: f32[*s]) = nn.max_pool(x, (2, 2))
def g(x: f32[6]) -> f32 = sum(of_any_rank(x)) #! E0407
#### sizes_of_shapes_that_do_not_exist
def f() = zeros([extent(broadcasted([2, 3], [4, 5]), 0)]) #! E0401
def g(x: f32[*s], y: f32[*t]) = zeros([prod(broadcasted(s, t))]) #! E0401
def h(x: f32[*s], y: f32[*t]) -> f32 = if len(contracted(s, t)) >= 1 then sum(x) else sum(y) #! E0401
def k(x: f32[*s]) = zeros([extent(reshaped(s, [4, -1]), 1)]) #! E0406
def flat(x: f32[*s], y: f32[*t]) -> f32[prod(broadcasted(s, t))] = ravel(x + y)
def use(x: f32[2, 3], y: f32[4, 5]) = flat(x, y) #! E0401
#### laws_of_one_axis_for_several
def z(x: f32[*s], static axis: axes) -> f32[*s] = zeros(replaced(s, axis, extent(s, axis))) #! E0402
#### axes_that_a_law_leaves_out
def kept(x: f32[*s], static axis: int) -> f32[*s] = zeros(broadcasted(reduced(s, axis, true), s))
def f(x: f32[n]) -> f32[n] = kept(x, 1) #! E0403
def turned(x: f32[*s]) -> f32[*s] = zeros(permuted(s, (0, 1)))
def g(x: f32[n]) -> f32[n] = turned(x) #! E0403
#### parameter_of_a_shape_that_nothing_has
def f(x: f32[*broadcasted([2], [3])]) -> f32 = sum(x) #! E0401
#### result_of_a_shape_that_nothing_has
static def g(k: int) -> shape = broadcasted([2], [k])
def f(x: f32) -> f32[*g(3)] = ones(g(3)) #! E0401
#### bound_of_a_shape_that_nothing_has
def f(i: idx[prod(contracted([1, 2], [1, 2]))]) -> i32 = i32(i) #! E0401
#### default_of_a_shape_that_nothing_has
def f(x: f32, static s: shape = stretched([2], [3])) -> f32 = x #! E0401
#### array_of_another_shape_than_a_constant
let grid = [4, 4]
def f(x: f32[*grid]) -> f32 = sum(x)
def g(x: f32[4, 3]) -> f32 = f(x) #! E0402
#### constant_that_is_no_shape
let s = 2.0
def f(x: f32[*s]) -> f32 = sum(x) #! E0411
