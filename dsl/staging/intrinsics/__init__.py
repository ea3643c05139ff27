"""What the standard library calls as `intrinsic.NAME(args, static = ...)`: the primitives of the compiler.

Names and conventions are those of `jax.numpy`, `jax.lax`, `jax.random`. Arguments before the `;` are
positional (arrays, or trees where it says so), those behind it are static and given by name; a static with
`= v` may be left out. `axis` is an int (negative counts from the end), a tuple of ints or none; `shape` a
shape; `dtype` a dtype. Where all arguments are static numbers, a function marked * gives a static number
(`dsl.core.static_math`). A static number beside arrays takes their dtype, alone i32 / f32 / c64. Shapes
broadcast by the safe rules.

*elementwise*, one argument, all of them *:
    exp exp2 log log2 log10 log1p expm1 sqrt rsqrt cbrt square reciprocal sin cos tan asin acos atan sinh
    cosh tanh asinh acosh atanh sigmoid erf erfc erf_inv lgamma digamma abs sign floor ceil trunc round real
    imag conj angle isnan isinf isfinite
    population_count count_leading_zeros (not *)
*two arguments*, all *:
    maximum minimum power atan2 hypot logaddexp mod floor_divide
    nextafter (not *)
*three arguments*, *:  where(c, x, y)  clip(x, low, high)
*operators as functions* (for use as values; not *):
    add subtract multiply divide bitwise_and bitwise_or bitwise_xor left_shift right_shift
    equal not_equal less less_equal greater greater_equal negative logical_not

*reductions*  `(x; axis = none, keepdims = false)`:
    sum prod max min any all argmax argmin mean var std logsumexp
    sum of bool counts in i32, mean of bool is f32; argmax and argmin give i32, of the flattened array for
    axis none;
    var and std take `ddof = 0` too
    median(x; axis = none, keepdims = false)  quantile(x, q; axis = none, keepdims = false)   q is a scalar
*cumulative*  `(x; axis = 0, reverse = false)`:  cumsum cumprod cummax cummin cumlogsumexp

*shape*:
    reshape(x; shape)                      one -1 is inferred
    transpose(x; axes = none)              none reverses
    matrix_transpose(x)                    the last two axes (`.T`)
    moveaxis(x; source, destination)       ints or tuples
    swapaxes(x; axis1, axis2)
    expand_dims(x; axis)  squeeze(x; axis = none)
    broadcast_to(x; shape)                 NumPy's rule
    concatenate(arrays; axis = 0)          `arrays` is a tuple
    stack(arrays; axis = 0)                a tuple of trees; leaf by leaf
    split_at(x; sizes, axis = 0)           a tuple of the pieces of these sizes
    flip(x; axis = none)  roll(x; shift, axis = none)
    tile(x; reps)  repeat(x; repeats, axis = none)
    pad(x, value; widths, mode = "constant")   widths: ((low, high), …) per axis, negative crops; or mode
                                           "edge" | "reflect" | "wrap" (value is then not used)
*creation*:
    zeros(; shape, dtype)  ones(; shape, dtype)  full(value; shape, dtype)     dtype none: that of the value
    zeros_like(t)  ones_like(t)            trees
    arange(; start = 0, stop, step = 1, dtype = i32)   `size = ` alone: 0 … size - 1
    linspace(start, stop; num, endpoint = true)
    eye(; n, m = none, k = 0, dtype = f32)  iota(; shape, axis, dtype = i32)
    diag(x; k = 0)                         vector to matrix, matrix to diagonal
    diagonal(x; k = 0)                     of the last two axes
    trace(x; k = 0)
    tril(x; k = 0)  triu(x; k = 0)         last two axes

*contractions*:
    matmul(x, y)  dot(x, y)  vdot(x, y)  inner(x, y)  outer(x, y)
    tensordot(x, y; axes = 2)              int or a pair of tuples
    einsum(a, b, …; spec)                  also `einsum(arrays; spec)` with one tuple
    convolve(x, y; mode = "full")          1-d
    conv(x, w; strides, padding, base, dilation, groups)
                                           x [b, *spatial, i], w [*spatial, i // groups, o]; padding
                                           "SAME", "VALID" or ((low, high), …)
    pool(x; reducer, window, strides, padding)
                                           reducer "max" or "mean", over the last axes

*indexing*:
    take(x, i; axis = 0)                   i in bounds (out of bounds: clamped)
    take_along_axis(x, i; axis)
    searchsorted(a, v; side = "left")      sorted vector a; i32
    compress(mask, x; size, fill = 0)      the first `size` rows of x where mask, then fill
    nonzero_count(mask)                    i32
    bincount(i; length)                    i32

*sorting* `axis = -1`:
    sort(x; axis = -1, descending = false)  argsort(x; axis = -1, descending = false)     stable
    sort_with(k, t; axis = 0)              tree t ordered by the vector k
    top_k(x; k)                            (values, indices) along the last axis

*dtypes*: cast(x; dtype)

*linalg*, last two axes, leading ones batched:
    cholesky(a)  solve_triangular(a, b; lower = false, trans = false, unit_diagonal = false)
    lu(a) -> (lu, pivots, permutation)  qr(a) -> (q, r)  eigh(a) -> (w, v)  svd(a) -> (u, s, vt)

*fft*, last axis:  fft ifft rfft irfft(x; n = none)

*random*; a key is u32[..., 2]:
    key(seed)                              static int, or integer array
    split(k; num)  fold_in(k, i)  bits(k; shape, dtype = u32)
    uniform(k; shape, dtype = f32)         in [0, 1)
    normal(k; shape, dtype = f32)
    bernoulli(k, p; shape)  categorical(k, logits; shape = none)  permutation(k; n)
    randint(k, low, high; shape, dtype = i32)
    gumbel exponential laplace logistic cauchy rademacher(k; shape, dtype)

*static lists*:
    len(s)  item(s, i)  part(s; start = none, stop = none, step = none)  joined(s, t)  contains(s, i)
    list_sum list_prod list_max list_min(s)    of integers
    list_all list_any(s)                   of conditions

*trees and control*:
    tree_map(f, t, …)                      f applied to the leaves that stand at the same place
    tree_reduce(f, t, init)                f(acc, leaf)
    one_hot(i; n, dtype = f32)
    stop_gradient(t)
    checkpoint_name(t; name)
    optimization_barrier(t)
    scalar_like(x, t)                      a scalar in the dtype of t
*collectives* over the axis of this name that a `vmap` around maps; trees:
    psum pmean pmax pmin(t; axis_name)     all_gather(t; axis_name)   a new leading axis
    ppermute(t; axis_name, perm)           pairs (source, destination)
    axis_index(; axis_name)                i32

Effects of intrinsics: none. Bounds are the business of the checker and of `Index`.
Read next: `elementwise`, where the first of them are; the table is `TABLE` in `table`.
"""
