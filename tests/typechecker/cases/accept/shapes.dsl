#### scalar_meets_anything
def f(x: f32[n, m], a: f32) -> f32[n, m] = a * x + a
#### trailing_axes
def f(x: f32[b, n, d], bias: f32[d], table: f32[n, d]) -> f32[b, n, d] = x + bias * table
#### lower_rank_on_the_left
def f(x: f32[n, d], b: f32[d]) -> f32[n, d] = b - x
#### literal_one_stretches
def f(x: f32[n], y: f32[m]) -> f32[n, m] = x[:, None] - y[None, :]
#### both_sides_stretch
def f(x: f32[n, 1, d], y: f32[1, m, d]) -> f32[n, m, d] = (x - y) ** 2
#### size_normal_form_is_one
def f(x: f32[n, d], y: f32[n, 3 - 2]) -> f32[n, d] = x * y
#### outer_by_indices
def pairwise(x: f32[n, d], y: f32[m, d]) -> f32[n, m] =
    sum((x[:, None, :] - y[None, :, :]) ** 2, axis=-1)
#### keepdims
def centre(x: f32[n, d]) -> f32[n, d] = x - mean(x, axis=0, keepdims=true)
def rows(x: f32[n, d]) -> f32[n, d] = x - mean(x, axis=1, keepdims=true)
#### mean_over_the_first_axis_matches_trailing
def centre(x: f32[n, d]) -> f32[n, d] = x - mean(x, axis=0)
#### reductions
def f(x: f32[a, b, c]) -> (f32, f32[b, c], f32[a, b], f32[a], f32[a, 1, c]) =
    (sum(x), sum(x, axis=0), sum(x, axis=-1), sum(x, axis=(1, 2)), sum(x, axis=1, keepdims=true))
#### matmul_ranks
def f(a: f32[n, m], b: f32[m, k], x: f32[m], y: f32[n]) -> (f32[n, k], f32[n], f32[m], f32) =
    (a @ b, a @ x, y @ a, x @ x)
#### batched_matmul
def f(a: f32[b, n, m], c: f32[b, m, k], w: f32[m, k]) -> (f32[b, n, k], f32[b, n, k]) = (a @ c, a @ w)
#### transpose
def f(a: f32[b, n, m]) -> (f32[b, m, n], f32[m, b, n]) = (a.T, transpose(a, (2, 0, 1)))
#### gram_matrix
def gram(x: f32[n, d]) -> f32[d, d] = x.T @ x / n
#### einsum
def f(a: f32[n, m], b: f32[m, k], x: f32[b, h, n, d], y: f32[b, h, m, d]) -> (f32[n, k], f32[b, h, n, m]) =
    (einsum("ij,jk->ik", a, b), einsum("bhnd,bhmd->bhnm", x, y))
#### reshape_to_product
def flatten(x: f32[n, h, w]) -> f32[n, h * w] = reshape(x, [n, h * w])
#### reshape_back
def unflatten(x: f32[n, h * w], like: f32[h, w]) -> f32[n, h, w] = reshape(x, [n, h, w])
#### reshape_with_inferred_size
def flatten(x: f32[n, h, w]) -> f32[n, h * w] where n >= 1 = reshape(x, [n, -1])
#### reshape_to_literal
def f(x: f32[6]) -> f32[2, 3] = reshape(x, [2, 3])
#### stack_and_concatenate
def f(x: f32[n], y: f32[n], z: f32[m]) -> (f32[2, n], f32[n, 2], f32[n + m + n]) =
    (stack((x, y)), stack((x, y), axis=1), concatenate((x, z, y)))
#### concatenate_along_an_inner_axis
def f(x: f32[n, a], y: f32[n, b]) -> f32[n, a + b] = concatenate((x, y), axis=-1)
#### expand_squeeze
def f(x: f32[n, d]) -> f32[n, d] = squeeze(expand_dims(x, axis=1), axis=1)
#### moveaxis_swapaxes
def f(x: f32[a, b, c]) -> (f32[b, c, a], f32[c, b, a]) = (moveaxis(x, source=0, destination=-1), swapaxes(x, axis1=0, axis2=2))
#### broadcast_to
def f(b: f32[d], x: f32[n, d]) -> f32[n, d] = broadcast_to(b, [n, d])
#### where_three_shapes
def f(mask: bool[n, d], x: f32[n, d], row: f32[d]) -> f32[n, d] = where(mask, x, row)
#### where_scalar_condition
def f(c: bool, x: f32[n], y: f32[n]) -> f32[n] = where(c, x, y)
#### clip_between_rows
def f(x: f32[n, d], lo: f32[d], hi: f32) -> f32[n, d] = clip(x, lo, hi)
#### zeros_of_a_size
def f(x: f32[n, d]) -> f32[n, d + 1] = concatenate((x, ones([n, 1])), axis=1)
#### zeros_like_and_shape_attribute
def f(x: f32[n, d]) -> (f32[n, d], f32[d, n]) = (zeros_like(x), zeros([x.shape[1], x.shape[0]]))
#### identity_of_a_size
def ridge(x: f32[n, d], lam: f32) -> f32[d, d] = x.T @ x + lam * eye(d)
#### diag_and_outer
def f(x: f32[n], y: f32[m]) -> (f32[n, n], f32[n, m]) = (diag(x), outer(x, y))
#### tile_repeat
def f(x: f32[n]) -> f32[3 * n] = repeat(x, repeats=3)
#### pad
def f(x: f32[n]) -> f32[n + 3] = pad(x, pad_width=(1, 2))
#### flip_roll_sort_keep_shape
def f(x: f32[n, d]) -> f32[n, d] = sort(roll(flip(x, axis=0), shift=1, axis=1), axis=-1)
#### cumulative_keeps_shape
def f(x: f32[n, d]) -> f32[n, d] = cumsum(x, axis=0)
#### argmax_drops_an_axis
def decode(logits: f32[n, c]) -> idx[c][n] = argmax(logits, axis=-1)
#### one_to_n_of_any
def f(x: f32[n], y: f32[1]) -> f32[n] = x * y
#### pools
import nn
def halved(x: f32[c, h, w]) -> f32[c, h // 2, w // 2] where h >= 2 and w >= 2 = nn.max_pool(x, (2, 2), 2)
def same(x: f32[h, w]) -> f32[h, w] where h >= 1 and w >= 1 = nn.avg_pool(x, [3, 2], padding="SAME")
def padded(x: f32[h, w]) -> f32[h, w] where h >= 1 and w >= 1 = nn.max_pool(x, (2, 2), 1, ((1, 0), (0, 1)))
def rows(x: f32[n]) -> f32[n // 3] where n >= 3 = nn.max_pool(x, 3, 3)
def of_any_rank(x: f32[*s]) = nn.max_pool(x, (2, 2))
def of_two(x: f32[4, 6]) -> f32[3, 5] = of_any_rank(x)
#### convolution_output
static def out(n: int, k: int, stride: int) -> int = (n - k) // stride + 1
def pool(x: f32[n], static k: int, static stride: int) -> f32[out(n, k, stride)]
    where k >= 1 and stride >= 1 and n >= k =
    [mean(x[i * stride : i * stride + k]) for i in range(out(n, k, stride))]
#### dot_of_equal
def f(x: f32[n], y: f32[n]) -> f32 = dot(x, y)
#### tensordot
def f(a: f32[i, j, k], b: f32[j, k, l]) -> f32[i, l] = tensordot(a, b, axes=2)
#### add_batch_axis_by_none
def one(x: f32[d]) -> f32[1, d] = x[None]
def last(x: f32[d]) -> f32[d, 1] = x[..., None]
#### rank_zero_through_shape_variable
def half(x: f32[*s]) -> f32[*s] = x * 0.5
def f(a: f32, b: f32[n], c: f32[n, 3]) -> (f32, f32[n], f32[n, 3]) = (half(a), half(b), half(c))
#### covariance
def cov(x: f32[n, d]) -> f32[d, d] =
    let c = x - mean(x, axis=0)
    c.T @ c / (n - 1)
#### distances_by_expansion
def distances(x: f32[n, d], c: f32[k, d]) -> f32[n, k] =
    let xx = sum(x ** 2, axis=1, keepdims=true)
    let cc = sum(c ** 2, axis=1)
    xx - 2.0 * x @ c.T + cc
#### one_hot_by_comparison
def one_hot_of(ids: i32[n], static k: int) -> f32[n, k] = f32(ids[:, None] == arange(k)[None, :])
#### literal_sizes
def quaternion(a: f32[4], b: f32[4]) -> f32[4] = [
    a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
    a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
    a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
    a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0],
]
#### split_at_places_of_any_axis
def last(x: f32[*s, n]) -> (f32[*s, 2], f32[*s, n - 2]) where n >= 2 = split_at(x, 2, axis=-1)
def along(x: f32[*s], static axis: int) -> (f32[*replaced(s, axis, 1)], f32[*replaced(s, axis, extent(s, axis) - 1)]) =
    split_at(x, 1, axis=axis)
def f(x: f32[5, 4]) -> (f32[5, 1], f32[5, 3]) = along(x, -1)
#### split_at_halves
def glu(x: f32[n, 2 * d]) -> f32[n, d] =
    let a = x[:, :d]
    let b = x[:, d:]
    a / (1.0 + exp(-b))
#### sizes_of_a_shape_that_the_signature_states
def flat(x: f32[*s], y: f32[*t]) -> f32[prod(broadcasted(s, t))] = ravel(x + y)
def met(x: f32[*s], y: f32[*t]) -> f32[*broadcasted(s, t)]
    where extent(broadcasted(s, t), 0) >= 1 and prod(broadcasted(s, t)) >= 1 = x + y
def first(x: f32[*s], y: f32[*t], i: idx[extent(broadcasted(s, t), 0)]) -> f32[extent(broadcasted(s, t), 0)] =
    zeros([extent(broadcasted(s, t), 0)])
def use(x: f32[2, 3], y: f32[2, 1]) -> f32[6] = flat(x, y)
#### axes_that_a_law_leaves_out
def kept(x: f32[*s], static axis: int) -> f32[*s] where has_axis(s, axis) = zeros(broadcasted(reduced(s, axis, true), s))
def ordered(x: f32[a, b]) -> f32[a, b] = zeros(permuted(permuted([a, b], (1, 0)), (1, 0)))
#### constant_shape_in_a_type
let grid = [4, 4]
let cell: shape = [2, 3]
let pair = (5, 6)
type Field[*s] = {value: f32[*grid], weight: f32[*s, *cell]}
def f(x: f32[*grid], y: f32[n, *cell], z: f32[*pair]) -> f32[*grid] = x + zeros(grid) + sum(y) + sum(z)
def g(p: Field[7]) -> f32[4, 4] = f(p.value, p.weight, zeros([5, 6]))
