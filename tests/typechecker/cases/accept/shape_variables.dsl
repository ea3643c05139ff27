#### softmax_over_any_axis
def softmax[a: Float](x: a[*s], *, static axis: int = -1) -> a[*s] =
    let z = exp(x - max(x, axis=axis, keepdims=true))
    z / sum(z, axis=axis, keepdims=true)
def f(x: f32[n], y: f64[n, m, k]) -> (f32[n], f64[n, m, k]) = (softmax(x), softmax(y, axis=1))
#### log_softmax_over_axes
def log_softmax(x: f32[*s], *, static axis: axes = -1) -> f32[*s] =
    let shifted = x - max(x, axis=axis, keepdims=true)
    shifted - log(sum(exp(shifted), axis=axis, keepdims=true))
#### standardise_over_the_last_axis
def standardise(x: f32[*s, d]) -> f32[*s, d] =
    (x - mean(x, axis=-1, keepdims=true)) / (std(x, axis=-1, keepdims=true) + 1e-6)
def f(x: f32[d], y: f32[b, n, d]) -> (f32[d], f32[b, n, d]) = (standardise(x), standardise(y))
#### last_axis_against_vector
def dense(w: f32[i, o], b: f32[o], x: f32[*s, i]) -> f32[*s, o] = x @ w + b
#### reduced_last_axis
def norms(x: f32[*s, d]) -> f32[*s] = sqrt(sum(x ** 2, axis=-1))
#### elementwise_binary
def mix(x: f32[*s], y: f32[*s], t: f32) -> f32[*s] = x + t * (y - x)
#### comparison_of_shapes
def huber(r: f32[*s], delta: f32) -> f32[*s] =
    where(abs(r) < delta, 0.5 * r ** 2, delta * (abs(r) - 0.5 * delta))
#### leading_axes_fixed
def f(x: f32[b, *s]) -> f32[*s] = mean(x, axis=0)
#### shape_in_the_middle
def f(x: f32[b, *s, d], scale: f32[d]) -> f32[b, *s, d] = x * scale
#### two_arguments_share_a_shape
def dot_last(x: f32[*s, d], y: f32[*s, d]) -> f32[*s] = sum(x * y, axis=-1)
#### determined_second_shape
def f(x: f32[*s], y: f32[*s, *t]) -> f32 = sum(x) + sum(y)
#### zeros_of_a_shape_variable
def noise_like(x: f32[*s]) -> f32[*s] = x + ones(s)
#### shape_attribute_of_any_rank
def f(x: f32[*s]) -> f32[*s] = x + zeros(x.shape)
#### static_shape_parameter
def constant(v: f32, static shape: shape) -> f32[*shape] = broadcast_to(v, shape)
def f(v: f32) -> f32[2, 3] = constant(v, [2, 3])
#### reduced_with_keepdims_parameter
def total(x: f32[*s], *, static axis: axes = none, static keepdims: bool = false) -> f32[*reduced(s, axis, keepdims)] =
    sum(x, axis=axis, keepdims=keepdims)
def f(x: f32[n, m]) -> (f32, f32[m], f32[n, 1]) = (total(x), total(x, axis=0), total(x, axis=1, keepdims=true))
#### bfloat_norm
def rms_norm[a: Float](x: a[*s, d], gain: a[d]) -> a[*s, d] =
    x / sqrt(mean(x ** 2, axis=-1, keepdims=true) + 1e-6) * gain
#### vmapped_over_any
def per_row(x: f32[n, *s]) -> f32[n] = [sum(row) for row in x]
#### rank_is_static
def f(x: f32[*s]) -> f32 = sum(x) / f32(x.ndim + 1) + f32(x.size)
#### nll_of_any_rank
def nll(logp: f32[*s, c], target: f32[*s, c]) -> f32 = -mean(sum(logp * target, axis=-1))

#### parts_of_lists_of_unknown_length
static def between(s: shape, k: shape, axis: int) -> shape = [*s[:axis], *k, *s[axis + 1 :]]
static def ends(s: shape) -> shape = [*s[:1], *s[-2:-1], *s[-1:]]
def taken(x: f32[3, *s], i: idx[3][4]) -> f32[4, *s] = take(x, i, axis=0)
def last(x: f32[*s], c: f32) -> f32[*s] = take(full([3, *s], c), argmax(zeros([3, 3]), axis=-1), axis=0)[-1]
def second(x: f32[3, n, *s]) -> f32[3, 4, *s] = zeros(between(x.shape, [4], 1))
def outer(x: f32[3, *s, m, k]) -> f32[3, m, k] = zeros(ends(x.shape))
