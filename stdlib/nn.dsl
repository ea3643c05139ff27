# Functions of neural networks, named as in jax.nn. Everything acts elementwise, or along `axis`.

import prelude
import random

# ---------------------------------------------------------------- activations

## x.
@elements(x)
def identity[a: Any](x: a[*s]) -> a[*s] = x
## 0 where x <= -1, x where x >= 1, (x + 1)² / 4 between.
def sparse_plus[a: Float](x: a[*s]) -> a[*s] =
    where(x <= -1, 0.0, where(x >= 1, x, square(x + 1) / 4))
## The derivative of `sparse_plus`: (x + 1) / 2, clipped to 0 … 1.
def sparse_sigmoid[a: Float](x: a[*s]) -> a[*s] = 0.5 * clip(x + 1.0, 0.0, 2.0)
## log(1 - exp(-x)), exact for small x > 0.
def log1mexp[a: Float](x: a[*s]) -> a[*s] = where(x < log(2.0), log(-expm1(-x)), log1p(-exp(-x)))
# A product, since `maximum` alone has derivative 1/2 at 0. A choice would have to shelter every product of matrices in the
# derivative from what it leaves out.
## max(x, 0), with derivative 0 at 0.
def relu[a: Real](x: a[*s]) -> a[*s] = maximum(x, 0) * cast(x != 0, a)
## min(max(x, 0), 6).
def relu6[a: Real](x: a[*s]) -> a[*s] = where(x <= 0, 0, where(x >= 6, 6, x))
## 1 / (1 + exp(-x)).
def sigmoid[a: Float](x: a[*s]) -> a[*s] = intrinsic.sigmoid(x)
## sinh(x) / cosh(x).
def tanh[a: Float](x: a[*s]) -> a[*s] = intrinsic.tanh(x)
## log(1 + exp(x)), without overflow.
def softplus[a: Float](x: a[*s]) -> a[*s] =
    custom_jvp(fn x -> logaddexp(x, 0.0), fn (p, t) -> (logaddexp(p.0, 0.0), sigmoid(p.0) * t.0))(x)
## x / (1 + |x|).
def soft_sign[a: Float](x: a[*s]) -> a[*s] = x / (1.0 + abs(x))
## x sigmoid(x).
def silu[a: Float](x: a[*s]) -> a[*s] = x * sigmoid(x)
## Another name of `silu`.
def swish[a: Float](x: a[*s]) -> a[*s] = silu(x)
## log(sigmoid(x)), without overflow.
def log_sigmoid[a: Float](x: a[*s]) -> a[*s] = -softplus(-x)
## x where x >= 0, else negative_slope x.
def leaky_relu[a: Float](x: a[*s], negative_slope: a = 0.01) -> a[*s] =
    x * where(x >= 0, 1.0, negative_slope)
## x clipped to -1 … 1.
def hard_tanh[a: Float](x: a[*s]) -> a[*s] = where(x > 1, 1.0, where(x < -1, -1.0, x))
## relu6(x + 3) / 6.
def hard_sigmoid[a: Float](x: a[*s]) -> a[*s] = relu6(x + 3.0) / 6.0
## x hard_sigmoid(x).
def hard_silu[a: Float](x: a[*s]) -> a[*s] = x * hard_sigmoid(x)
## Another name of `hard_silu`.
def hard_swish[a: Float](x: a[*s]) -> a[*s] = hard_silu(x)
## x where x > 0, else alpha (exp(x) - 1).
def elu[a: Float](x: a[*s], alpha: a = 1.0) -> a[*s] =
    where(x > 0, x, alpha * expm1(where(x > 0, 0.0, x)))
## max(x, 0) + min(alpha (exp(x / alpha) - 1), 0).
def celu[a: Float](x: a[*s], alpha: a = 1.0) -> a[*s] =
    where(x > 0, x, alpha * expm1(where(x > 0, 0.0, x) / alpha))
## The scaled elu of self-normalising networks (Klambauer et al. 2017).
def selu[a: Float](x: a[*s]) -> a[*s] =
    1.0507009873554804934193349852946 * elu(x, 1.6732632423543772848170429916717)
## x Φ(x); with `approximate` by tanh (Hendrycks and Gimpel 2016).
def gelu[a: Float](x: a[*s], static approximate: bool = true) -> a[*s] =
    if approximate then 0.5 * x * (1.0 + tanh(sqrt(2.0 / pi) * (x + 0.044715 * x ** 3)))
    else 0.5 * x * erfc(-x / sqrt(2.0))
## x tanh(softplus(x)).
def mish[a: Float](x: a[*s]) -> a[*s] = x * tanh(softplus(x))
## (x + sqrt(x² + b)) / 2.
def squareplus[a: Float](x: a[*s], b: a = 4.0) -> a[*s] = (x + sqrt(x * x + b)) / 2.0
## The first half along the axis times the sigmoid of the second.
def glu[a: Float](x: a[*s], *, static axis: int = -1) -> a[*replaced(s, axis, extent(s, axis) // 2)]
    where extent(s, axis) % 2 == 0 =
    let half = extent(s, axis) // 2
    _cut(x, axis, 0, half) * sigmoid(_cut(x, axis, half, 2 * half))

# ---------------------------------------------------------------- along axes

## exp(x) / sum(exp(x)), without overflow.
def softmax[a: Float](x: a[*s], *, static axis: axes = -1) -> a[*s]
    where has_axis(s, axis) and extent(s, axis) >= 1 =
    let z = exp(x - stop_gradient(max(x, axis=axis, keepdims=true)))
    z / sum(z, axis=axis, keepdims=true)
## x - logsumexp(x).
def log_softmax[a: Float](x: a[*s], *, static axis: axes = -1) -> a[*s]
    where has_axis(s, axis) and extent(s, axis) >= 1 =
    let z = x - stop_gradient(max(x, axis=axis, keepdims=true))
    z - log(sum(exp(z), axis=axis, keepdims=true))
## log(sum(exp(x))), without overflow.
def logsumexp[a: Float](
    x: a[*s],
    *,
    static axis: axes = none,
    static keepdims: bool = false
) -> a[*reduced(s, axis, keepdims)] =
    prelude.logsumexp(x, axis=axis, keepdims=keepdims)
## log(mean(exp(x))), without overflow.
def logmeanexp[a: Float](
    x: a[*s],
    *,
    static axis: axes = none,
    static keepdims: bool = false
) -> a[*reduced(s, axis, keepdims)] where extent(s, axis) >= 1 =
    logsumexp(x, axis=axis, keepdims=keepdims) - log(cast(extent(s, axis), a))
## A vector of num_classes zeros with a one at the index, in front of the last axis; all zeros for an index outside.
@zero_derivative
def one_hot(
    x: i32[*s],
    static num_classes: size,
    static dtype: dtype = f32
) -> dtype[*s, num_classes] =
    prelude.one_hot(x, num_classes, dtype)
## Mean 0 and variance 1 along the axes.
def standardize[a: Float](x: a[*s], *, static axis: axes = -1, epsilon: a = 1e-5) -> a[*s]
    where has_axis(s, axis) =
    let centred = x - mean(x, axis=axis, keepdims=true)
    centred * rsqrt(mean(square(centred), axis=axis, keepdims=true) + epsilon)

# ---------------------------------------------------------------- parameters by name

## A parameter of a layer, known by its name: `start` gives it its first value. Where it is performed again in a loop or
## a map, it is the same value.
effect shared param[P: Tree]: (static name: str, start: (key) -> P) -> P

## The record of all parameters of a model, with their initial values.
def init[B: Tree, P: Tree, S: Tree](
    key: key,
    model: () -> B ! {param(P), statistics(S), e}
) -> P ! {statistics(S), e} =
    let (_, params) = with rng(key) do (
        with handler param(name, start) -> resume(start(fresh_key())),
        record do model()
    )
    params
## The value of a model with these parameters.
def apply[B: Tree, P: Tree, S: Tree](
    params: P,
    model: () -> B ! {param(P), statistics(S), e}
) -> B ! {statistics(S), e} =
    with handler param(name, start) as value from params -> resume(value) do model()

# ---------------------------------------------------------------- layers of neural networks

## x @ w over the last axis; w: [n, features] has variance 1 / n initially (LeCun et al. 1998).
def linear[a: Float](
    x: a[*s, n],
    static name: str,
    static features: size
) -> a[*s, features] ! param =
    with scope(name) do x @ param("w", fn k -> _of_fan_in(k, n, [n, features], a))
## The same with initial values from `start`, such as `start=fn k -> nn.he_normal(k, [784, 128])`.
def linear[a: Float](
    x: a[*s, n],
    static name: str,
    *,
    start: (key) -> a[n, features]
) -> a[*s, features] ! param =
    with scope(name) do x @ param("w", start)
## x @ w + b over the last axis; b is 0 initially.
def dense[a: Float](
    x: a[*s, n],
    static name: str,
    static features: size
) -> a[*s, features] ! param =
    with scope(name) do
        x @ param("w", fn k -> _of_fan_in(k, n, [n, features], a)) + param(
            "b",
            fn k -> zeros([features], a)
        )
## The same with initial values of w from `start`.
def dense[a: Float](
    x: a[*s, n],
    static name: str,
    *,
    start: (key) -> a[n, features]
) -> a[*s, features] ! param =
    with scope(name) do x @ param("w", start) + param("b", fn k -> zeros([features], a))
# Normal, cut off at two deviations, with variance 1 / n, also where there is nothing to come in.
def _of_fan_in(
    key: key,
    static n: size,
    static shape: shape,
    static dtype: Float
) -> dtype[*shape] =
    (
        random.truncated_normal(key, -2.0, 2.0, shape, dtype)
        * (sqrt(1.0 / max(n, 1)) / 0.87962566103423978)
    )
## f(…f(f(x))…), n layers with parameters of their own, by one loop over the record of f with an axis of n in front of every
## leaf.
def layers[P: Tree, a: Any](
    x: a[*s],
    static name: str,
    static n: size,
    f: (a[*s]) -> a[*s] ! param(P)
) -> a[*s] ! param =
    let ps = param(name, fn k -> [init(k, fn () -> f(zeros([*s], a))) for k in random.split(k, n)])
    fold h = x for p in ps do apply(p, fn () -> f(h))
## The same with a key for each layer: `fn (h, k) -> h + nn.dropout(k, nn.dense(h, "inner", 64), 0.1)`.
def layers[P: Tree, a: Any](
    x: a[*s],
    static name: str,
    static n: size,
    f: (a[*s], key) -> a[*s] ! param(P),
    key: key
) -> a[*s] ! param =
    let ps = param(
        name,
        fn k -> [_first_of_layer(k, fn k -> f(zeros([*s], a), k)) for k in random.split(k, n)]
    )
    fold h = x for (p, k) in zip(ps, random.split(key, n)) do apply(p, fn () -> f(h, k))
def _first_of_layer[B: Tree, P: Tree](k: key, f: (key) -> B ! param(P)) -> P =
    let keys = random.split(k)
    init(keys[0], fn () -> f(keys[1]))
## `depth` hidden layers of one width, each a `dense` with an activation behind it, then a `dense` of `features`.
def mlp[a: Float](
    x: a[*s, n],
    static name: str,
    static width: size,
    static depth: size,
    static features: size,
    activation: (a[*s, width]) -> a[*s, width]
) -> a[*s, features] ! param where depth >= 1 =
    with scope(name) do
        let first = activation(dense(x, "first", width))
        dense(
            layers(first, "hidden", depth - 1, fn h -> activation(dense(h, "layer", width))),
            "last",
            features
        )
## A table of vectors of variance 1 / features: `table[tokens]` looks up vectors, `x @ table.T` scores every token.
def embedding(
    static name: str,
    static vocabulary: size,
    static features: size,
    static dtype: Float = f32
) -> dtype[vocabulary, features] ! param =
    param(
        name,
        fn k -> random.normal(k, [vocabulary, features], dtype) * sqrt(1.0 / max(features, 1))
    )
## The rows of an `embedding` at these indices.
def embed(
    tokens: idx[vocabulary][*s],
    static name: str,
    static vocabulary: size,
    static features: size,
    static dtype: Float = f32
) -> dtype[*s, features] ! param =
    embedding(name, vocabulary, features, dtype)[tokens]

## Mean 0 and variance 1 along the last axis, then scale and bias (Ba, Kiros and Hinton 2016).
def layer_norm[a: Float](x: a[*s, d], scale: a[d], bias: a[d], *, epsilon: a = 1e-6) -> a[*s, d] =
    standardize(x, axis=-1, epsilon=epsilon) * scale + bias
## x over its root mean square along the last axis, times scale (Zhang and Sennrich 2019).
def rms_norm[a: Float](x: a[*s, d], scale: a[d], *, epsilon: a = 1e-6) -> a[*s, d] =
    x * rsqrt(mean(square(x), axis=-1, keepdims=true) + epsilon) * scale
## Elements become 0 with probability `rate`, the others x / (1 - rate).
def dropout[a: Float](
    key: key,
    x: a[*s],
    rate: f32,
    *,
    static deterministic: bool = false
) -> a[*s] =
    if deterministic then x
    else
        let kept = random.bernoulli(key, 1.0 - rate, s)
        where(kept, x / cast(1.0 - rate, a), 0.0)

## The same with a key of its own (`fresh_key()`): `nn.dropout(h, 0.1)` performs `rand`.
def dropout[a: Float](x: a[*s], rate: f32, *, static deterministic: bool = false) -> a[*s] ! rand =
    dropout(fresh_key(), x, rate, deterministic=deterministic)
## Mean 0 and variance 1 of the channels of each group and all places behind them, then scale and bias for each channel;
## x is [batch, channels, *space] (Wu and He 2018).
def group_norm[a: Float](
    x: a[b, c, *s],
    static groups: size,
    scale: a[c],
    bias: a[c],
    *,
    epsilon: a = 1e-5
) -> a[b, c, *s]
    where groups >= 1 and c % groups == 0 else "the number of groups divides the channels" =
    let grouped = reshape(x, [b, groups, c // groups * extent(s, none)])
    let each = reshape(standardize(grouped, axis=-1, epsilon=epsilon), [b, c, extent(s, none)])
    reshape(each * scale[None, :, None] + bias[None, :, None], [b, c, *s])
## `layer_norm` with parameters "scale", initially 1, and "bias", initially 0.
def layer_norm[a: Float](x: a[*s, d], static name: str, *, epsilon: a = 1e-6) -> a[*s, d] ! param =
    with scope(name) do layer_norm(
        x,
        _ones_at_first("scale", d, a),
        _zeros_at_first("bias", d, a),
        epsilon=epsilon
    )
## `rms_norm` with a parameter "scale", initially 1.
def rms_norm[a: Float](x: a[*s, d], static name: str, *, epsilon: a = 1e-6) -> a[*s, d] ! param =
    with scope(name) do rms_norm(x, _ones_at_first("scale", d, a), epsilon=epsilon)
## `group_norm` with parameters "scale", initially 1, and "bias", initially 0.
def group_norm[a: Float](
    x: a[b, c, *s],
    static name: str,
    static groups: size,
    *,
    epsilon: a = 1e-5
) -> a[b, c, *s] ! param
    where groups >= 1 and c % groups == 0 else "the number of groups divides the channels" =
    with scope(name) do group_norm(
        x,
        groups,
        _ones_at_first("scale", c, a),
        _zeros_at_first("bias", c, a),
        epsilon=epsilon
    )
def _ones_at_first(static name: str, static n: size, static dtype: Float) -> dtype[n] ! param =
    param(name, fn k -> ones([n], dtype))
def _zeros_at_first(static name: str, static n: size, static dtype: Float) -> dtype[n] ! param =
    param(name, fn k -> zeros([n], dtype))

## softmax(query keyᵀ / sqrt(d)) value over positions (axis -3), for each head (axis -2), as jax.nn's, by the whole matrix of
## scores. `attention` computes it by blocks, and has masks.
def dot_product_attention[a: Float](
    query: a[*b, t, h, d],
    key: a[*b, s, h, d],
    value: a[*b, s, h, e],
    *,
    static is_causal: bool = false
) -> a[*b, t, h, e] where s >= 1 and d >= 1 =
    let q = swapaxes(query, -3, -2)
    let k = swapaxes(key, -3, -2)
    let v = swapaxes(value, -3, -2)
    let scores = q @ matrix_transpose(k) / sqrt(cast(f32(d), a))
    let seen = if is_causal then where(tril(ones([t, s], bool)), scores, -inf) else scores
    swapaxes(softmax(seen, axis=-1) @ v, -3, -2)

# ---------------------------------------------------------------- windows

## The largest element of every window over as many of the last axes as it has sizes, `strides` apart; padding counts as
## -inf. Of images `x: f32[n, c, h, w]`, `nn.max_pool(x, (2, 2), 2)` keeps every second row and column. Elements that are the
## largest of a window together share its derivative.
def max_pool[a: Float](
    x: a[*s],
    static window_shape: ints,
    static strides: ints = [1],
    static padding: str = "VALID"
) -> a[*_pooled(s, window_shape, strides, padding)]
    where _reaches(
        s,
        window_shape
    ) else "`window_shape` is a list of sizes, at least 1, for as many of the last axes"
    where _is_each(
        strides,
        len(window_shape)
    ) else "`strides` is one number, or one for each axis of the window; all are at least 1"
    where padding == "SAME" or padding == "VALID" else "`padding` is \"SAME\", \"VALID\", or a pair (low, high) for each axis of the window"
    where _fit(s, window_shape, padding) else "the window fits into the array" =
    intrinsic.pool(
        x,
        reducer="max",
        window=window_shape,
        strides=_each(strides, len(window_shape)),
        padding=_margins(_under(s, window_shape), window_shape, strides, padding)
    )
## The same, with a pair (low, high) of padding for each axis of the window, or one for all.
def max_pool[a: Float](
    x: a[*s],
    static window_shape: ints,
    static strides: ints = [1],
    static padding: pairs = [(0, 0)]
) -> a[*_pooled(s, window_shape, strides, padding)]
    where _reaches(
        s,
        window_shape
    ) else "`window_shape` is a list of sizes, at least 1, for as many of the last axes"
    where _is_each(
        strides,
        len(window_shape)
    ) else "`strides` is one number, or one for each axis of the window; all are at least 1"
    where _is_margin(
        padding,
        len(window_shape)
    ) else "`padding` is a pair (low, high), or one for each axis of the window, of numbers that are at least 0"
    where _is_window(_under(s, window_shape), window_shape, padding)
    else "the window fits into the array with its padding" =
    intrinsic.pool(
        x,
        reducer="max",
        window=window_shape,
        strides=_each(strides, len(window_shape)),
        padding=_widths(len(window_shape), padding)
    )
## The mean of every window over as many of the last axes as it has sizes, `strides` apart; padding counts as 0.
def avg_pool[a: Float](
    x: a[*s],
    static window_shape: ints,
    static strides: ints = [1],
    static padding: str = "VALID"
) -> a[*_pooled(s, window_shape, strides, padding)]
    where _reaches(
        s,
        window_shape
    ) else "`window_shape` is a list of sizes, at least 1, for as many of the last axes"
    where _is_each(
        strides,
        len(window_shape)
    ) else "`strides` is one number, or one for each axis of the window; all are at least 1"
    where padding == "SAME" or padding == "VALID" else "`padding` is \"SAME\", \"VALID\", or a pair (low, high) for each axis of the window"
    where _fit(s, window_shape, padding) else "the window fits into the array" =
    intrinsic.pool(
        x,
        reducer="mean",
        window=window_shape,
        strides=_each(strides, len(window_shape)),
        padding=_margins(_under(s, window_shape), window_shape, strides, padding)
    )
## The same, with a pair (low, high) of padding for each axis of the window, or one for all.
def avg_pool[a: Float](
    x: a[*s],
    static window_shape: ints,
    static strides: ints = [1],
    static padding: pairs = [(0, 0)]
) -> a[*_pooled(s, window_shape, strides, padding)]
    where _reaches(
        s,
        window_shape
    ) else "`window_shape` is a list of sizes, at least 1, for as many of the last axes"
    where _is_each(
        strides,
        len(window_shape)
    ) else "`strides` is one number, or one for each axis of the window; all are at least 1"
    where _is_margin(
        padding,
        len(window_shape)
    ) else "`padding` is a pair (low, high), or one for each axis of the window, of numbers that are at least 0"
    where _is_window(_under(s, window_shape), window_shape, padding)
    else "the window fits into the array with its padding" =
    intrinsic.pool(
        x,
        reducer="mean",
        window=window_shape,
        strides=_each(strides, len(window_shape)),
        padding=_widths(len(window_shape), padding)
    )
## Every window over as many of the last axes as it has sizes, `strides` apart: its elements, row by row and `dilation`
## apart, stand along a new first axis, which a reduction removes. Padding counts as `fill`. `sum(nn.windows(x, (3, 3)), axis=0)`
## adds up windows of images, `sort` and an element of the middle give their medians.
@elements(x, fill)
@linear(x, fill)
def windows[a: Any](
    x: a[*s],
    static window_shape: ints,
    static strides: ints = [1],
    static padding: str = "VALID",
    *,
    static dilation: ints = [1],
    fill: a = cast(0, a)
) -> a[_size_of(window_shape), *_pooled(s, _apart(window_shape, dilation), strides, padding)]
    where _reaches(
        s,
        window_shape
    ) else "`window_shape` is a list of sizes, at least 1, for as many of the last axes"
    where _is_each(
        strides,
        len(window_shape)
    ) else "`strides` is one number, or one for each axis of the window; all are at least 1"
    where _is_each(
        dilation,
        len(window_shape)
    ) else "`dilation` is one number, or one for each axis of the window; all are at least 1"
    where padding == "SAME" or padding == "VALID" else "`padding` is \"SAME\", \"VALID\", or a pair (low, high) for each axis of the window"
    where _fit(s, _apart(window_shape, dilation), padding) else "the window fits into the array" =
    intrinsic.windows(
        x,
        fill,
        window=window_shape,
        strides=_each(strides, len(window_shape)),
        padding=_margins(_under(s, window_shape), _apart(window_shape, dilation), strides, padding),
        dilation=_each(dilation, len(window_shape))
    )
## The same, with a pair (low, high) of padding for each axis of the window, or one for all.
@elements(x, fill)
@linear(x, fill)
def windows[a: Any](
    x: a[*s],
    static window_shape: ints,
    static strides: ints = [1],
    static padding: pairs = [(0, 0)],
    *,
    static dilation: ints = [1],
    fill: a = cast(0, a)
) -> a[_size_of(window_shape), *_pooled(s, _apart(window_shape, dilation), strides, padding)]
    where _reaches(
        s,
        window_shape
    ) else "`window_shape` is a list of sizes, at least 1, for as many of the last axes"
    where _is_each(
        strides,
        len(window_shape)
    ) else "`strides` is one number, or one for each axis of the window; all are at least 1"
    where _is_each(
        dilation,
        len(window_shape)
    ) else "`dilation` is one number, or one for each axis of the window; all are at least 1"
    where _is_margin(
        padding,
        len(window_shape)
    ) else "`padding` is a pair (low, high), or one for each axis of the window, of numbers that are at least 0"
    where _is_window(
        _under(s, window_shape),
        _apart(window_shape, dilation),
        padding
    ) else "the window fits into the array with its padding" =
    intrinsic.windows(
        x,
        fill,
        window=window_shape,
        strides=_each(strides, len(window_shape)),
        padding=_margins(_under(s, window_shape), _apart(window_shape, dilation), strides, padding),
        dilation=_each(dilation, len(window_shape))
    )
## f(… f(f(init, x₀), x₁) …) of the elements of every window of `windows`, as `jax.lax.reduce_window`; padding counts as
## `init`, which has to be neutral for f: `nn.reduce_window(x, inf, minimum, (3, 3))` erodes images.
def reduce_window[a: Any](
    x: a[*s],
    init: a,
    f: (a, a) -> a,
    static window_shape: ints,
    static strides: ints = [1],
    static padding: str = "VALID",
    *,
    static dilation: ints = [1]
) -> a[*_pooled(s, _apart(window_shape, dilation), strides, padding)]
    where _reaches(
        s,
        window_shape
    ) else "`window_shape` is a list of sizes, at least 1, for as many of the last axes"
    where _is_each(
        strides,
        len(window_shape)
    ) else "`strides` is one number, or one for each axis of the window; all are at least 1"
    where _is_each(
        dilation,
        len(window_shape)
    ) else "`dilation` is one number, or one for each axis of the window; all are at least 1"
    where padding == "SAME" or padding == "VALID" else "`padding` is \"SAME\", \"VALID\", or a pair (low, high) for each axis of the window"
    where _fit(s, _apart(window_shape, dilation), padding) else "the window fits into the array" =
    _reduced(windows(x, window_shape, strides, padding, dilation=dilation, fill=init), init, f)
## The same, with a pair (low, high) of padding for each axis of the window, or one for all.
def reduce_window[a: Any](
    x: a[*s],
    init: a,
    f: (a, a) -> a,
    static window_shape: ints,
    static strides: ints = [1],
    static padding: pairs = [(0, 0)],
    *,
    static dilation: ints = [1]
) -> a[*_pooled(s, _apart(window_shape, dilation), strides, padding)]
    where _reaches(
        s,
        window_shape
    ) else "`window_shape` is a list of sizes, at least 1, for as many of the last axes"
    where _is_each(
        strides,
        len(window_shape)
    ) else "`strides` is one number, or one for each axis of the window; all are at least 1"
    where _is_each(
        dilation,
        len(window_shape)
    ) else "`dilation` is one number, or one for each axis of the window; all are at least 1"
    where _is_margin(
        padding,
        len(window_shape)
    ) else "`padding` is a pair (low, high), or one for each axis of the window, of numbers that are at least 0"
    where _is_window(
        _under(s, window_shape),
        _apart(window_shape, dilation),
        padding
    ) else "the window fits into the array with its padding" =
    _reduced(windows(x, window_shape, strides, padding, dilation=dilation, fill=init), init, f)
def _reduced[a: Any](x: a[k, *s], init: a, f: (a, a) -> a) -> a[*s] =
    fold found = full([*s], init) for each in x do
        reshape([f(p, q) for (p, q) in zip(ravel(found), ravel(each))], [*s])
static def _size_of(window: ints) -> int = prod(window)
static def _under(s: shape, window: ints) -> shape = s[max(len(s) - len(window), 0) :]
static def _reaches(s: shape, window: ints) -> bool =
    1 <= len(window) and len(window) <= len(s) and all([k >= 1 for k in window])
static def _fit(s: shape, window: ints, padding: str) -> bool =
    if padding == "SAME" then
        all([n >= 1 for n in _under(s, window)])
    else
        _is_window(_under(s, window), window, padding)
static def _pooled(s: shape, window: ints, strides: ints, padding: str) -> shape =
    s[: max(len(s) - len(window), 0)] + _windows(_under(s, window), window, strides, padding)
static def _pooled(s: shape, window: ints, strides: ints, padding: pairs) -> shape =
    s[: max(len(s) - len(window), 0)] + _windows(_under(s, window), window, strides, padding)

# ---------------------------------------------------------------- convolutions

## The convolution of `conv` as a layer, of x: [batch, channels, *space] with `features` kernels of the size `window` (one
## number stands for all axes), plus a bias for each. The kernel "w" is [features, channels // groups, *window].
def conv[a: Float](
    x: a[b, c, *s],
    static name: str,
    static features: size,
    static window: ints,
    *,
    static strides: ints = [1],
    static padding: str = "SAME",
    static dilation: ints = [1],
    static groups: size = 1
) -> a[
    b,
    features,
    *_windows(s, _apart(_each(window, len(s)), dilation), strides, padding)
] ! param
    where len(s) >= 1 else "x has axes [batch, channels, *space]"
    where _is_each(
        window,
        len(s)
    ) else "`window` is one number, or one for each spatial axis; all are at least 1"
    where _is_each(
        strides,
        len(s)
    ) else "`strides` is one number, or one for each spatial axis; all are at least 1"
    where _is_each(
        dilation,
        len(s)
    ) else "`dilation` is one number, or one for each spatial axis; all are at least 1"
    where padding == "SAME" or padding == "VALID" else "`padding` is \"SAME\", \"VALID\", or a pair (low, high) for each spatial axis"
    where groups >= 1 and c % groups == 0 and features % groups == 0 else "`groups` divides the channels and the features"
    where _is_window(
        s,
        _apart(_each(window, len(s)), dilation),
        padding
    ) else "the window fits into the array" =
    with scope(name) do
        let kernel = param(
            "w",
            fn k -> _kernel(k, _kernel_shape(features, c // groups, window, len(s)), a)
        )
        let found: a[
            b,
            features,
            *_windows(s, _apart(_each(window, len(s)), dilation), strides, padding)
        ] =
            intrinsic.conv(
                x,
                kernel,
                strides=_each(strides, len(s)),
                padding=_margins(s, _apart(_each(window, len(s)), dilation), strides, padding),
                base=_each([1], len(s)),
                dilation=_each(dilation, len(s)),
                groups=groups,
            )
        _with_bias(found, _zeros_at_first("b", features, a))
## The same with a pair (low, high) of padding for each spatial axis, or one for all.
def conv[a: Float](
    x: a[b, c, *s],
    static name: str,
    static features: size,
    static window: ints,
    *,
    static strides: ints = [1],
    static padding: pairs,
    static dilation: ints = [1],
    static groups: size = 1
) -> a[
    b,
    features,
    *_windows(s, _apart(_each(window, len(s)), dilation), strides, padding)
] ! param
    where len(s) >= 1 else "x has axes [batch, channels, *space]"
    where _is_each(
        window,
        len(s)
    ) else "`window` is one number, or one for each spatial axis; all are at least 1"
    where _is_each(
        strides,
        len(s)
    ) else "`strides` is one number, or one for each spatial axis; all are at least 1"
    where _is_each(
        dilation,
        len(s)
    ) else "`dilation` is one number, or one for each spatial axis; all are at least 1"
    where _is_margin(
        padding,
        len(s)
    ) else "`padding` is a pair (low, high), or one for each spatial axis, of numbers that are at least 0"
    where groups >= 1 and c % groups == 0 and features % groups == 0 else "`groups` divides the channels and the features"
    where _is_window(
        s,
        _apart(_each(window, len(s)), dilation),
        padding
    ) else "the window fits into the array with its padding" =
    with scope(name) do
        let kernel = param(
            "w",
            fn k -> _kernel(k, _kernel_shape(features, c // groups, window, len(s)), a)
        )
        let found: a[
            b,
            features,
            *_windows(s, _apart(_each(window, len(s)), dilation), strides, padding)
        ] =
            intrinsic.conv(
                x,
                kernel,
                strides=_each(strides, len(s)),
                padding=_margins(s, _apart(_each(window, len(s)), dilation), strides, padding),
                base=_each([1], len(s)),
                dilation=_each(dilation, len(s)),
                groups=groups,
            )
        _with_bias(found, _zeros_at_first("b", features, a))
## The transposed convolution, as `jax.lax.conv_transpose`: the convolution of lhs with `strides - 1` zeros between
## neighbours. With "SAME" every axis is `strides` times as long, with "VALID" no window is cut off. The axes are
## those of `conv`: lhs [batch, in, *spatial] and rhs [out, in, *spatial] unless `dimension_numbers` says otherwise.
@multilinear(lhs, rhs)
def conv_transpose[a: Inexact](
    lhs: a[*s],
    rhs: a[*t],
    static strides: ints,
    static padding: str = "SAME",
    *,
    static rhs_dilation: ints = [1],
    static dimension_numbers: (str, str, str)? = none
) -> a[
    *_conv_shape(
        s,
        t,
        dimension_numbers,
        _back(
            _sizes(s, dimension_numbers, strides),
            _reach(t, dimension_numbers, rhs_dilation),
            strides,
            padding
        )
    )
]
    where len(s) == len(t)
    where len(s) >= 3 else "the arrays have axes [batch, in, *spatial] and [out, in, *spatial]"
    where _is_layout(
        dimension_numbers,
        len(s)
    ) else "`dimension_numbers` are three strings such as \"NCHW\", \"OIHW\", \"NCHW\", with a letter for each axis"
    where _is_each(
        strides,
        len(s) - 2
    ) else "`strides` is one number, or one for each spatial axis; all are at least 1"
    where _is_each(
        rhs_dilation,
        len(s) - 2
    ) else "`rhs_dilation` is one number, or one for each spatial axis; all are at least 1"
    where padding == "SAME" or padding == "VALID" else "`padding` is \"SAME\", \"VALID\", or a pair (low, high) for each spatial axis"
    where _channels(
        _lhs(s, dimension_numbers)
    ) == _channels(
        _rhs(t, dimension_numbers)
    ) else "lhs is [batch, in, *spatial] and rhs [out, in, *spatial], with one size `in`"
    where _is_window(
        _sizes(s, dimension_numbers, strides),
        _reach(t, dimension_numbers, rhs_dilation),
        _back_margins(_reach(t, dimension_numbers, rhs_dilation), strides, padding)
    ) else "neither the window nor the array has a size of 0" =
    intrinsic.conv(
        lhs,
        rhs,
        strides=_each([1], len(s) - 2),
        padding=_back_margins(_reach(t, dimension_numbers, rhs_dilation), strides, padding),
        base=_each(strides, len(s) - 2),
        dilation=_each(rhs_dilation, len(s) - 2),
        groups=1,
        lhs_axes=_lhs_order(dimension_numbers, len(s)),
        rhs_axes=_rhs_order(dimension_numbers, len(s)),
        result_axes=_result_order(dimension_numbers, len(s)),
    )
## `conv_transpose` as a layer, of x: [batch, channels, *space] with a kernel "w": [features, channels, *window], plus a bias.
def conv_transpose[a: Float](
    x: a[b, c, *s],
    static name: str,
    static features: size,
    static window: ints,
    *,
    static strides: ints = [1],
    static padding: str = "SAME",
    static dilation: ints = [1]
) -> a[
    b,
    features,
    *_back(_apart(s, strides), _apart(_each(window, len(s)), dilation), strides, padding)
] ! param
    where len(s) >= 1 else "x has axes [batch, channels, *space]"
    where _is_each(
        window,
        len(s)
    ) else "`window` is one number, or one for each spatial axis; all are at least 1"
    where _is_each(
        strides,
        len(s)
    ) else "`strides` is one number, or one for each spatial axis; all are at least 1"
    where _is_each(
        dilation,
        len(s)
    ) else "`dilation` is one number, or one for each spatial axis; all are at least 1"
    where padding == "SAME" or padding == "VALID" else "`padding` is \"SAME\" or \"VALID\""
    where _is_window(
        _apart(s, strides),
        _apart(_each(window, len(s)), dilation),
        _back_margins(_apart(_each(window, len(s)), dilation), strides, padding)
    ) else "the array has no size of 0" =
    with scope(name) do
        let kernel = param("w", fn k -> _kernel(k, _kernel_shape(features, c, window, len(s)), a))
        let found: a[
            b,
            features,
            *_back(_apart(s, strides), _apart(_each(window, len(s)), dilation), strides, padding)
        ] =
            intrinsic.conv(
                x,
                kernel,
                strides=_each([1], len(s)),
                padding=_back_margins(_apart(_each(window, len(s)), dilation), strides, padding),
                base=_each(strides, len(s)),
                dilation=_each(dilation, len(s)),
                groups=1,
            )
        _with_bias(found, _zeros_at_first("b", features, a))
# How many places there are behind a transposed convolution, and how far it reads beyond the ends of what is spread out.
static def _back(sizes: ints, window: ints, strides: ints, padding: str) -> ints =
    _windows(sizes, window, [1], _back_margins(window, strides, padding))
static def _back_margins(window: ints, strides: ints, padding: str) -> pairs =
    [_back_margin(k, step, padding) for (k, step) in zip(window, _each(strides, len(window)))]
static def _back_margin(k: int, step: int, padding: str) -> (int, int) =
    if padding == "VALID" then (k - 1, step - 1 + max(k - step, 0))
    else if step > k - 1 then (k - 1, step - 1)
    else ((k + step - 1) // 2, k + step - 2 - (k + step - 1) // 2)
static def _kernel_shape(features: int, channels: int, window: ints, rank: int) -> shape =
    [features, channels, *_each(window, rank)]
def _kernel(key: key, static shape: shape, static dtype: Float) -> dtype[*shape] =
    _of_fan_in(key, _inputs(shape), shape, dtype)
static def _inputs(kernel: shape) -> size = prod(kernel[1:])
def _with_bias[a: Float](x: a[b, c, *s], bias: a[c]) -> a[b, c, *s] =
    reshape(reshape(x, [b, c, extent(s, none)]) + bias[None, :, None], [b, c, *s])

# ---------------------------------------------------------------- attention

## softmax(query keyᵀ / sqrt(d)) value over positions (axis -3) and heads (axis -2), computed by blocks with running sums
## (Rabe and Staats 2021, Dao et al. 2022): memory is linear in the length, for gradients too. Each of g heads of
## keys serves h // g heads of queries. With `is_causal` a query sees no later keys, with `window` only those less than
## `window` positions away; `alibi` subtracts |i - j| times the slope of the head from the scores (Press et al. 2021). The
## first query has the position `offset`. The result of a query that sees no key is 0.
def attention[a: Float](
    query: a[*b, t, h, d],
    key: a[*b, s, g, d],
    value: a[*b, s, g, e],
    *,
    offset: i32 = 0,
    static is_causal: bool = false,
    static window: size? = none,
    static alibi: bool = false,
    static block: size = 256
) -> a[*b, t, h, e]
    where g >= 1 and h % g == 0 else "each head of keys serves the same number of heads of queries"
    where block >= 1 =
    attention(
        query,
        key,
        value,
        mask=ones([*b, s], bool),
        offset=offset,
        is_causal=is_causal,
        window=window,
        alibi=alibi,
        block=block
    )
## The same for the keys where the mask is true: the others are padding.
def attention[a: Float](
    query: a[*b, t, h, d],
    key: a[*b, s, g, d],
    value: a[*b, s, g, e],
    *,
    mask: bool[*b, s],
    offset: i32 = 0,
    static is_causal: bool = false,
    static window: size? = none,
    static alibi: bool = false,
    static block: size = 256
) -> a[*b, t, h, e]
    where g >= 1 and h % g == 0 else "each head of keys serves the same number of heads of queries"
    where block >= 1 =
    let q = reshape(query, [extent(b, none), t, h, d])
    let k = reshape(key, [extent(b, none), s, g, d])
    let v = reshape(value, [extent(b, none), s, g, e])
    let there = reshape(mask, [extent(b, none), s])
    let found =
        if a == f16 or a == bf16 then cast(
            _attention(
                cast(q, f32),
                cast(k, f32),
                cast(v, f32),
                there,
                offset,
                is_causal,
                window,
                alibi,
                min(block, max(t, 1)),
                min(block, max(s, 1))
            ),
            a
        )
        else _attention(
            q,
            k,
            v,
            there,
            offset,
            is_causal,
            window,
            alibi,
            min(block, max(t, 1)),
            min(block, max(s, 1))
        )
    reshape(found, [*b, t, h, e])
# A block of queries after the other, whose scores are computed again on the way back. The heads of queries that share one
# of keys are rows of one matrix.
def _attention[a: Float](
    q: a[b, t, h, d],
    k: a[b, s, g, d],
    v: a[b, s, g, e],
    mask: bool[b, s],
    offset: i32,
    static is_causal: bool,
    static window: size?,
    static alibi: bool,
    static rows: size,
    static columns: size
) -> a[b, t, h, e]
    where g >= 1 and h % g == 0 and rows >= 1 and columns >= 1 =
    let queries = reshape(
        transpose(
            reshape(_filled(q, rows), [b, _blocks(t, rows), rows, g, h // g, d]),
            (1, 0, 3, 4, 2, 5)
        ),
        [_blocks(t, rows), b, g, h // g * rows, d]
    )
    let keys = transpose(
        reshape(_filled(k, columns), [b, _blocks(s, columns), columns, g, d]),
        (1, 0, 3, 2, 4)
    )
    let values = transpose(
        reshape(_filled(v, columns), [b, _blocks(s, columns), columns, g, e]),
        (1, 0, 3, 2, 4)
    )
    let masks = transpose(
        reshape(_filled(mask, columns), [b, _blocks(s, columns), columns]),
        (1, 0, 2)
    )
    let slopes = repeat(reshape(cast(alibi_slopes(h), a), [g, h // g]), rows, axis=1)
    let block = fn (q, first) -> _block_of_attention(
        q,
        keys,
        values,
        masks,
        slopes,
        offset + first,
        rows,
        is_causal,
        window,
        alibi
    )
    let one = if _blocks(t, rows) > 1 then checkpoint(block) else block
    let (_, found) = scan first = i32(0) for q in queries do (first + rows, one(q, first))
    let heads = reshape(found, [_blocks(t, rows), b, g, h // g, rows, e])
    reshape(transpose(heads, (1, 0, 4, 2, 3, 5)), [b, _blocks(t, rows) * rows, h, e])[:, :t]
static def _blocks(n: int, block: int) -> int = (n + block - 1) // block
# Zeros behind the rows, up to a multiple.
def _filled[a: Any](x: a[b, n, *s], static block: size) -> a[b, _blocks(n, block) * block, *s]
    where block >= 1 =
    concatenate((x, zeros([b, _blocks(n, block) * block - n, *s], a)), axis=1)
# Blocks of keys that no query of the block sees are passed over.
def _block_of_attention[a: Float](q: a[b, g, m, d], keys: a[k, b, g, n, d], values: a[k, b, g, n, e], masks: bool[k, b, n], slopes: a[g, m], first: i32, static rows: size, static is_causal: bool, static window: size?, static alibi: bool) -> a[b, g, m, e] where rows >= 1 =
    let scaled = q / sqrt(cast(f32(max(d, 1)), a))
    let i = first + iota([m]) % rows
    let start = (full([b, g, m], cast(-inf, a)), zeros([b, g, m], a), zeros([b, g, m, e], a))
    let ((_, total, sums), _) = fold (running, at) = (start, i32(0)) for (k, v, mask) in zip(keys, values, masks) do
        let next = fn running -> _with_keys(running, scaled, k, v, mask, slopes, i, at + iota([n]), is_causal, window, alibi)
        let step = if is_causal or window != none then (if _meets(first, rows, at, n, is_causal, window) then next(running) else running) else next(running)
        (step, at + n)
    sums / where(total > 0, total, 1.0)[..., None]
# The largest scores so far, the sums of weights and of weighted values, with those of one more block of keys.
def _with_keys[a: Float](
    running: (a[b, g, m], a[b, g, m], a[b, g, m, e]),
    q: a[b, g, m, d],
    k: a[b, g, n, d],
    v: a[b, g, n, e],
    mask: bool[b, n],
    slopes: a[g, m],
    i: i32[m],
    j: i32[n],
    static is_causal: bool,
    static window: size?,
    static alibi: bool
) -> (a[b, g, m], a[b, g, m], a[b, g, m, e]) =
    let (top, total, sums) = running
    let plain = q @ matrix_transpose(k)
    let scores =
        if alibi then
            plain - slopes[None, :, :, None] * cast(abs(i[:, None] - j[None, :]), a)[None, None]
        else
            plain
    let seen = where(
        _seen(i, j, is_causal, window)[None, None] & mask[:, None, None, :],
        scores,
        -inf
    )
    let top_now = stop_gradient(maximum(top, max(seen, axis=-1)))
    let highest = where(top_now > -inf, top_now, 0.0)
    let weights = exp(seen - highest[..., None])
    let kept = exp(top - highest)
    (top_now, total * kept + sum(weights, axis=-1), sums * kept[..., None] + weights @ v)
# Whether one of so many queries from the first sees one of so many keys.
def _meets(
    query: i32,
    static rows: size,
    key: i32,
    static columns: size,
    static is_causal: bool,
    static window: size?
) -> bool =
    let last = query + (rows - 1)
    let before = if is_causal then key <= last else true
    if window == none then
        before
    else
        before & (key < last + window) & (query < key + (columns - 1) + window)
# Which keys at j a query at i sees.
def _seen(i: i32[m], j: i32[n], static is_causal: bool, static window: size?) -> bool[m, n] =
    let distance = i[:, None] - j[None, :]
    let before = if is_causal then distance >= 0 else ones([m, n], bool)
    if window == none then before else before & (abs(distance) < window)
## The slopes of `alibi`: 2^(-8 i / heads) for the i-th head, of a number of heads that is a power of two; of others, those
## of the next lower power and every second one of the next higher (Press et al. 2021).
def alibi_slopes(static heads: size, *, static dtype: Float = f32) -> dtype[heads] =
    let n = _power_of_two_up_to(heads)
    let i = iota([heads], dtype=dtype)
    exp2(where(i < n, -8.0 * (i + 1.0) / n, -4.0 * (2.0 * (i - n) + 1.0) / n))
static def _power_of_two_up_to(n: int) -> int =
    if n <= 1 then 1 else 2 * _power_of_two_up_to(n // 2)
## Pairs of elements (i, i + d / 2) rotated by the angle position · base^(-2 i / d): products of queries and keys then depend
## only on the distance between their positions (Su et al. 2021). Positions count along axis -3 from `offset`.
def rotary[a: Float](
    x: a[*b, t, h, d],
    offset: i32 = 0,
    *,
    static base: float = 10000.0
) -> a[*b, t, h, d] where d % 2 == 0 else "the number of features of a head is even" =
    let rate = exp2(iota([d // 2], dtype=f32) * (-2.0 * log2(base) / max(d, 1)))
    let angles = cast(offset + iota([t]), f32)[:, None] * rate[None, :]
    let turned = fn (f: f32[t, d // 2]) -> broadcast_to(cast(f, a)[:, None, :], [t, h, d // 2])
    let (c, s) = (turned(cos(angles)), turned(sin(angles)))
    let halves = reshape(x, [*b, t, h, 2, d // 2])
    let (x, y) = (halves[..., 0, :], halves[..., 1, :])
    concatenate((x * c - y * s, y * c + x * s), axis=-1)
## Attention of x to itself: linear layers "query", "key" and "value" of so many heads, `attention`, a linear layer "out".
## `kv_heads` is a smaller number of heads of keys and values; `rotary` rotates queries and keys by their positions.
def multi_head_attention[a: Float](
    x: a[*b, t, n],
    static name: str,
    static heads: size,
    *,
    static kv_heads: size? = none,
    static is_causal: bool = false,
    static window: size? = none,
    static alibi: bool = false,
    static rotary: bool = false,
    static block: size = 256
) -> a[*b, t, n] ! param
    where heads >= 1 and n % heads == 0 else "the number of heads divides the features"
    where _shares(heads, kv_heads) else "`kv_heads` divides the number of heads"
    where _turns(n, heads, rotary) else "with `rotary` the number of features of a head is even"
    where block >= 1 =
    multi_head_attention(
        x,
        x,
        name,
        heads,
        mask=ones([*b, t], bool),
        kv_heads=kv_heads,
        is_causal=is_causal,
        window=window,
        alibi=alibi,
        rotary=rotary,
        block=block
    )
## The same for the positions where the mask is true: the others are padding.
def multi_head_attention[a: Float](
    x: a[*b, t, n],
    static name: str,
    static heads: size,
    *,
    mask: bool[*b, t],
    static kv_heads: size? = none,
    static is_causal: bool = false,
    static window: size? = none,
    static alibi: bool = false,
    static rotary: bool = false,
    static block: size = 256
) -> a[*b, t, n] ! param
    where heads >= 1 and n % heads == 0 else "the number of heads divides the features"
    where _shares(heads, kv_heads) else "`kv_heads` divides the number of heads"
    where _turns(n, heads, rotary) else "with `rotary` the number of features of a head is even"
    where block >= 1 =
    multi_head_attention(
        x,
        x,
        name,
        heads,
        mask=mask,
        kv_heads=kv_heads,
        is_causal=is_causal,
        window=window,
        alibi=alibi,
        rotary=rotary,
        block=block
    )
## Attention of x to y: keys and values are of y.
def multi_head_attention[a: Float](
    x: a[*b, t, n],
    y: a[*b, s, m],
    static name: str,
    static heads: size,
    *,
    static kv_heads: size? = none,
    static is_causal: bool = false,
    static window: size? = none,
    static alibi: bool = false,
    static rotary: bool = false,
    static block: size = 256
) -> a[*b, t, n] ! param
    where heads >= 1 and n % heads == 0 else "the number of heads divides the features"
    where _shares(heads, kv_heads) else "`kv_heads` divides the number of heads"
    where _turns(n, heads, rotary) else "with `rotary` the number of features of a head is even"
    where block >= 1 =
    multi_head_attention(
        x,
        y,
        name,
        heads,
        mask=ones([*b, s], bool),
        kv_heads=kv_heads,
        is_causal=is_causal,
        window=window,
        alibi=alibi,
        rotary=rotary,
        block=block
    )
## The same for those of y where the mask is true.
def multi_head_attention[a: Float](
    x: a[*b, t, n],
    y: a[*b, s, m],
    static name: str,
    static heads: size,
    *,
    mask: bool[*b, s],
    static kv_heads: size? = none,
    static is_causal: bool = false,
    static window: size? = none,
    static alibi: bool = false,
    static rotary: bool = false,
    static block: size = 256
) -> a[*b, t, n] ! param
    where heads >= 1 and n % heads == 0 else "the number of heads divides the features"
    where _shares(heads, kv_heads) else "`kv_heads` divides the number of heads"
    where _turns(n, heads, rotary) else "with `rotary` the number of features of a head is even"
    where block >= 1 =
    with scope(name) do
        let q = _positioned(_heads(x, "query", heads, n // heads), 0, rotary)
        let k = _positioned(_heads(y, "key", _kv_heads(heads, kv_heads), n // heads), 0, rotary)
        let v = _heads(y, "value", _kv_heads(heads, kv_heads), n // heads)
        let found = attention(
            q,
            k,
            v,
            mask=mask,
            is_causal=is_causal,
            window=window,
            alibi=alibi,
            block=block
        )
        linear(reshape(found, [*b, t, n]), "out", n)
## Keys and values of `length` places, all 0, for `attend_step`.
def attention_cache(
    static batch: shape,
    static length: size,
    static heads: size,
    static features: size,
    static dtype: Float = f32
) -> {key: dtype[*batch, length, heads, features], value: dtype[*batch, length, heads, features]} =
    {
        key = zeros([*batch, length, heads, features], dtype),
        value = zeros([*batch, length, heads, features], dtype)
    }
## One step of a causal `multi_head_attention`, with the same parameters: x, at one position, attends to the keys and values
## of this and all earlier positions. The cache with its own key and value is the second result.
def attend_step[a: Float](
    x: a[*b, n],
    cache: {key: a[*b, l, g, d], value: a[*b, l, g, d]},
    position: i32,
    static name: str,
    static heads: size,
    *,
    static window: size? = none,
    static alibi: bool = false,
    static rotary: bool = false,
    static block: size = 256
) -> (a[*b, n], {key: a[*b, l, g, d], value: a[*b, l, g, d]}) ! param
    where g >= 1 and heads % g == 0 else "each head of keys serves the same number of heads of queries"
    where n == heads * d else "the heads have the features of x together"
    where d % 2 == 0 or not rotary else "with `rotary` the number of features of a head is even"
    where block >= 1 =
    with scope(name) do
        let now = reshape(x, [*b, 1, n])
        let q = _positioned(_heads(now, "query", heads, d), position, rotary)
        let keys = _with_place(
            cache.key,
            _positioned(_heads(now, "key", g, d), position, rotary),
            position
        )
        let values = _with_place(cache.value, _heads(now, "value", g, d), position)
        let found = attention(
            q,
            keys,
            values,
            offset=position,
            is_causal=true,
            window=window,
            alibi=alibi,
            block=block
        )
        (linear(reshape(found, [*b, n]), "out", n), {key = keys, value = values})
def _with_place[a: Any](
    cache: a[*b, l, g, d],
    now: a[*b, 1, g, d],
    position: i32
) -> a[*b, l, g, d] =
    let all = reshape(cache, [extent(b, none), l, g, d])
    reshape(
        all.at[:, position].set(reshape(now, [extent(b, none), g, d]), mode="drop"),
        [*b, l, g, d]
    )
def _heads[a: Float](
    x: a[*b, t, n],
    static name: str,
    static heads: size,
    static features: size
) -> a[*b, t, heads, features] ! param =
    reshape(linear(x, name, heads * features), [*b, t, heads, features])
def _positioned[a: Float](x: a[*b, t, h, d], offset: i32, static turned: bool) -> a[*b, t, h, d]
    where d % 2 == 0 or not turned =
    if turned then rotary(x, offset) else x
static def _kv_heads(heads: int, kv_heads: int?) -> size =
    if kv_heads == none then heads else kv_heads
static def _shares(heads: int, kv_heads: int?) -> bool =
    if kv_heads == none then heads >= 1 else kv_heads >= 1 and heads % kv_heads == 0
static def _turns(n: int, heads: int, rotary: bool) -> bool =
    if rotary then n // heads % 2 == 0 else true

# ---------------------------------------------------------------- recurrence

## One step of a long short-term memory (Hochreiter and Schmidhuber 1997): with the gates (i, f, g, o) = x w + h u + b, c is
## σ(f) c + σ(i) tanh(g) and h is σ(o) tanh(c).
def lstm_cell[a: Float](
    x: a[*s, n],
    carry: {h: a[*s, m], c: a[*s, m]},
    static name: str
) -> {h: a[*s, m], c: a[*s, m]} ! param =
    with scope(name) do _lstm_step(dense(x, "input", 4 * m), carry, _recurrent("u", m, 4 * m, a))
## `lstm_cell` over a sequence, from zeros: h at all times, and the last carry. One product with xs serves all times.
def lstm[a: Float](
    xs: a[t, *s, n],
    static name: str,
    static features: size,
    *,
    static reverse: bool = false
) -> (a[t, *s, features], {h: a[*s, features], c: a[*s, features]}) ! param =
    with scope(name) do
        let gates = dense(xs, "input", 4 * features)
        let u = _recurrent("u", features, 4 * features, a)
        let start = {h = zeros([*s, features], a), c = zeros([*s, features], a)}
        let (last, hs) =
            scan carry = start for gate in (if reverse then flip(gates, axis=0) else gates) do
                let next = _lstm_step(gate, carry, u)
                (next, next.h)
        (if reverse then flip(hs, axis=0) else hs, last)
def _lstm_step[a: Float](
    gates: a[*s, 4 * m],
    carry: {h: a[*s, m], c: a[*s, m]},
    u: a[m, 4 * m]
) -> {h: a[*s, m], c: a[*s, m]} =
    let all = reshape(gates + carry.h @ u, [*s, 4, m])
    let c = sigmoid(all[..., 1, :]) * carry.c + sigmoid(all[..., 0, :]) * tanh(all[..., 2, :])
    {h = sigmoid(all[..., 3, :]) * tanh(c), c = c}
## One step of a gated recurrent unit (Cho et al. 2014): r = σ(x w + h u + b), z likewise, n = tanh(x w + b + r (h u + c)), and
## h is (1 - z) n + z h.
def gru_cell[a: Float](x: a[*s, n], h: a[*s, m], static name: str) -> a[*s, m] ! param =
    with scope(name) do _gru_step(
        dense(x, "input", 3 * m),
        h,
        _recurrent("u", m, 3 * m, a),
        _zeros_at_first("c", m, a)
    )
## `gru_cell` over a sequence, from zeros: h at all times, and the last one. One product with xs serves all times.
def gru[a: Float](
    xs: a[t, *s, n],
    static name: str,
    static features: size,
    *,
    static reverse: bool = false
) -> (a[t, *s, features], a[*s, features]) ! param =
    with scope(name) do
        let gates = dense(xs, "input", 3 * features)
        let (u, bias) = (
            _recurrent("u", features, 3 * features, a),
            _zeros_at_first("c", features, a)
        )
        let (last, hs) =
            scan h = zeros([*s, features], a) for gate in (
                if reverse then flip(gates, axis=0) else gates
            ) do
                let next = _gru_step(gate, h, u, bias)
                (next, next)
        (if reverse then flip(hs, axis=0) else hs, last)
def _gru_step[a: Float](gates: a[*s, 3 * m], h: a[*s, m], u: a[m, 3 * m], bias: a[m]) -> a[*s, m] =
    let (of_x, of_h) = (reshape(gates, [*s, 3, m]), reshape(h @ u, [*s, 3, m]))
    let r = sigmoid(of_x[..., 0, :] + of_h[..., 0, :])
    let z = sigmoid(of_x[..., 1, :] + of_h[..., 1, :])
    (1.0 - z) * tanh(of_x[..., 2, :] + r * (of_h[..., 2, :] + bias)) + z * h
def _recurrent(
    static name: str,
    static n: size,
    static m: size,
    static dtype: Float
) -> dtype[n, m] ! param =
    param(name, fn k -> _of_fan_in(k, n, [n, m], dtype))

# ---------------------------------------------------------------- normalisation over a batch

## The statistics by which the layer of this name normalises; `now` are those of the batch. `batch_statistics` resumes with
## these and collects them, `with_statistics` resumes with others.
effect named statistics[P: Tree]: (static name: str, now: P) -> P

## The value of a model in training, and the record of the statistics of the batch, for running means:
## `let (value, now) = nn.batch_statistics(fn () -> net(x))`, then `optim.ema(kept, now, 0.9)`.
def batch_statistics[B: Tree, P: Tree, Q: Tree](
    model: () -> B ! {statistics(P), param(Q), e}
) -> (B, P) ! {param(Q), e} =
    with handler statistics(name, now) -> resume(now), record do model()
## The value of a model in evaluation, with running means of the statistics.
def with_statistics[B: Tree, P: Tree, Q: Tree](
    kept: P,
    model: () -> B ! {statistics(P), param(Q), e}
) -> B ! {param(Q), e} =
    with handler statistics(name, now) as value from kept -> resume(value) do model()
## Mean 0 and variance 1 of each channel over the batch and all places, then scale and bias; x is [batch, channels, *space]
## (Ioffe and Szegedy 2015). The mean and the variance are `statistics` of this name.
def batch_norm[a: Float](
    x: a[b, c, *s],
    static name: str,
    *,
    epsilon: a = 1e-5
) -> a[b, c, *s] ! {param, statistics} =
    batch_norm(x, name, across=fn v -> v, epsilon=epsilon)
## The same with statistics of several devices, or of all elements of a named axis: `across=fn v -> pmean(v, "data")`.
def batch_norm[a: Float](
    x: a[b, c, *s],
    static name: str,
    *,
    across: (a[c]) -> a[c] ! e,
    epsilon: a = 1e-5
) -> a[b, c, *s] ! {param, statistics, e} =
    let flat = reshape(x, [b, c, extent(s, none)])
    let center = across(mean(flat, axis=(0, 2)))
    let now = {mean = center, var = across(mean(square(flat - center[None, :, None]), axis=(0, 2)))}
    let used = statistics(name, now)
    let (scale, bias) = with scope(name) do (
        _ones_at_first("scale", c, a),
        _zeros_at_first("bias", c, a)
    )
    let normal = (flat - used.mean[None, :, None]) * rsqrt(used.var + epsilon)[None, :, None]
    reshape(normal * scale[None, :, None] + bias[None, :, None], [b, c, *s])

# ---------------------------------------------------------------- losses beside those of `optim`

## -Σ q log_softmax(logits) along the last axis, q being 1 - label_smoothing at the label and label_smoothing / k spread over
## all k classes (Szegedy et al. 2016).
def cross_entropy[a: Float](
    logits: a[*s, k],
    labels: idx[k][*s],
    *,
    label_smoothing: a = 0.0
) -> a[*s] where k >= 1 =
    let z = log_softmax(logits)
    let taken = squeeze(take_along_axis(z, reshape(labels, [*s, 1]), axis=-1), axis=-1)
    -((1.0 - label_smoothing) * taken + label_smoothing * mean(z, axis=-1))
## max(0, 1 - target prediction), of targets -1 and 1.
def hinge_loss[a: Float](predictions: a[*s], targets: a[*s]) -> a[*s] =
    maximum(1.0 - predictions * targets, 0.0)
## Σ targets (log(targets) - log_predictions) along the last axis, of probabilities; 0 where a target is 0.
def kl_divergence[a: Float](log_predictions: a[*s, k], targets: a[*s, k]) -> a[*s] =
    let safe = where(targets > 0, targets, 1.0)
    sum(targets * (log(safe) - log_predictions), axis=-1)
## -(1 - p)^gamma log(p), p being the probability of the label, 0 or 1 (Lin et al. 2017).
def sigmoid_focal_loss[a: Float](logits: a[*s], labels: a[*s], gamma: a = 2.0) -> a[*s] =
    let entropy = -labels * log_sigmoid(logits) - (1.0 - labels) * log_sigmoid(-logits)
    let p = sigmoid(logits)
    entropy * (1.0 - (labels * p + (1.0 - labels) * (1.0 - p))) ** gamma
## -log of the probability of the labels under logits for each of t frames, summed over all alignments with repetitions and
## blanks (Graves et al. 2006). Only the first `frames` frames and the first `length` labels count. O(t n).
def ctc_loss[a: Float](
    logits: a[t, k],
    labels: idx[k][n],
    *,
    frames: i32 = t,
    length: i32 = n,
    static blank: size = 0
) -> a where blank < k =
    if a == f16 or a == bf16 then cast(
        _ctc(cast(log_softmax(logits), f32), labels, frames, length, blank),
        a
    )
    else _ctc(log_softmax(logits), labels, frames, length, blank)
# The logarithms of the probabilities to be at each of: blank, first label, blank, second label, …, blank.
def _ctc[a: Float](
    log_probabilities: a[t, k],
    labels: idx[k][n],
    frames: i32,
    length: i32,
    static blank: size
) -> a where blank < k =
    let far = cast(-10000, a) * 10.0
    let blanks: idx[k][n] = full([n], blank)
    let states: idx[k][2 * n + 1] = concatenate(
        (reshape(stack((blanks, labels), axis=1), [2 * n]), [blank])
    )
    let place = iota([2 * n + 1])
    let skips = (place % 2 == 1) & (place >= 2) & (states != roll(states, 2))
    let start = where(place == 0, 0.0, far)
    let (last, _) = fold (now, at) = (start, i32(0)) for z in log_probabilities do
        let one = where(place >= 1, roll(now, 1), far)
        let two = where(skips, roll(now, 2), far)
        let moved =
            if at == 0 then where(place <= 1, 0.0, far) else logaddexp(logaddexp(now, one), two)
        (where(at < frames, maximum(moved + z[states], far), now), at + 1)
    let end = where(
        place == 2 * length,
        last,
        where((place == 2 * length - 1) & (length >= 1), last, far)
    )
    -logsumexp(end)

# ---------------------------------------------------------------- metrics

## The share of the labels with the largest logit.
def accuracy[a: Float](logits: a[*s, k], labels: idx[k][*s]) -> f32 where k >= 1 =
    mean(argmax(logits, axis=-1) == labels)
## The share of the labels among the `top` largest logits.
def top_k_accuracy[a: Float](logits: a[*s, k], labels: idx[k][*s], static top: size) -> f32
    where top <= k =
    mean(any(top_k(logits, top).1 == reshape(labels, [*s, 1]), axis=-1))
## How often each label (rows) was predicted as each class (columns).
def confusion_matrix(
    predictions: idx[classes][n],
    labels: idx[classes][n],
    static classes: size
) -> i32[classes, classes] =
    zeros([classes, classes], i32).at[labels, predictions].add(1)
## The share of the predictions of each class that are right; 0 for a class that was never predicted.
def precision(
    predictions: idx[classes][n],
    labels: idx[classes][n],
    static classes: size
) -> f32[classes] =
    let counts = f32(confusion_matrix(predictions, labels, classes))
    diagonal(counts) / maximum(sum(counts, axis=0), 1.0)
## The share of the labels of each class that were found; 0 for a class without labels.
def recall(
    predictions: idx[classes][n],
    labels: idx[classes][n],
    static classes: size
) -> f32[classes] =
    let counts = f32(confusion_matrix(predictions, labels, classes))
    diagonal(counts) / maximum(sum(counts, axis=1), 1.0)
## 2 precision recall / (precision + recall) for each class; 0 for a class that is neither predicted nor a label.
def f1_score(
    predictions: idx[classes][n],
    labels: idx[classes][n],
    static classes: size
) -> f32[classes] =
    let counts = f32(confusion_matrix(predictions, labels, classes))
    2.0 * diagonal(counts) / maximum(sum(counts, axis=0) + sum(counts, axis=1), 1.0)
## 1 - Σ (targets - predictions)² / Σ (targets - mean(targets))².
def r2_score[a: Float](predictions: a[n], targets: a[n]) -> a where n >= 1 =
    1.0 - sum(square(targets - predictions)) / sum(square(targets - mean(targets)))
## The probability that a positive has a higher score than a negative, ties counted half: the area under the receiver
## operating characteristic. By sorting, in O(n log n).
def roc_auc[a: Float](scores: a[n], labels: bool[n]) -> f32 =
    let negatives = sort(where(labels, inf, scores))
    let below =
        f32(searchsorted(negatives, scores)) + f32(searchsorted(negatives, scores, side="right"))
    0.5 * sum(where(labels, below, 0.0)) / (f32(sum(labels)) * f32(sum(~labels)))

# ---------------------------------------------------------------- initial values of weights [..., in, out]

## Uniform in ±sqrt(6 / (in + out)) (Glorot and Bengio 2010).
def glorot_uniform(key: key, static shape: shape, static dtype: Float = f32) -> dtype[*shape]
    where extent(shape, -1) >= 1 and extent(shape, -2) >= 1 =
    (
        random.uniform(key, shape, dtype, minval=-1.0)
        * (sqrt(3.0 / ((_fan_in(shape) + _fan_out(shape)) / 2.0)))
    )
## Normal, cut off at two deviations, with variance 2 / (in + out) (Glorot and Bengio 2010).
def glorot_normal(key: key, static shape: shape, static dtype: Float = f32) -> dtype[*shape]
    where extent(shape, -1) >= 1 and extent(shape, -2) >= 1 =
    (
        random.truncated_normal(key, -2.0, 2.0, shape, dtype)
        * (sqrt(1.0 / ((_fan_in(shape) + _fan_out(shape)) / 2.0)) / 0.87962566103423978)
    )
## Uniform in ±sqrt(6 / in) (He et al. 2015).
def he_uniform(key: key, static shape: shape, static dtype: Float = f32) -> dtype[*shape]
    where extent(shape, -1) >= 1 and extent(shape, -2) >= 1 =
    random.uniform(key, shape, dtype, minval=-1.0) * (sqrt(6.0 / (_fan_in(shape))))
## Normal, cut off at two deviations, with variance 2 / in (He et al. 2015).
def he_normal(key: key, static shape: shape, static dtype: Float = f32) -> dtype[*shape]
    where extent(shape, -1) >= 1 and extent(shape, -2) >= 1 =
    (
        random.truncated_normal(key, -2.0, 2.0, shape, dtype)
        * (sqrt(2.0 / (_fan_in(shape))) / 0.87962566103423978)
    )
## Uniform in ±sqrt(3 / in) (LeCun et al. 1998).
def lecun_uniform(key: key, static shape: shape, static dtype: Float = f32) -> dtype[*shape]
    where extent(shape, -1) >= 1 and extent(shape, -2) >= 1 =
    random.uniform(key, shape, dtype, minval=-1.0) * (sqrt(3.0 / (_fan_in(shape))))
## Normal, cut off at two deviations, with variance 1 / in (LeCun et al. 1998).
def lecun_normal(key: key, static shape: shape, static dtype: Float = f32) -> dtype[*shape]
    where extent(shape, -1) >= 1 and extent(shape, -2) >= 1 =
    (
        random.truncated_normal(key, -2.0, 2.0, shape, dtype)
        * (sqrt(1.0 / (_fan_in(shape))) / 0.87962566103423978)
    )

static def _fan_in(shape: shape) -> float = 1.0 * (extent(shape, none) // extent(shape, -1))
static def _fan_out(shape: shape) -> float = 1.0 * (extent(shape, none) // extent(shape, -2))
