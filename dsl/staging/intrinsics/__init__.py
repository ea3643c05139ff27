"""The compiler primitives that the standard library calls as `intrinsic.NAME(args, static = ...)`.

Names and conventions are those of `jax.numpy`, `jax.lax`, `jax.random`. Arguments before the `;` are
positional (arrays, or trees where it says so), those behind it are static and given by name; a static with
`= v` may be left out. `axis` is an int (negative counts from the end), a tuple of ints or none; `shape` a
shape; `dtype` a dtype. A static number beside arrays takes their dtype, alone i32 / f32 / c64. Shapes
broadcast by the safe rules. Of static numbers alone `dsl.core.statics.numbers` computes.

*elementwise*, one argument:
    exp exp2 log log1p expm1 sqrt rsqrt cbrt sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh
    sigmoid erf erfc erf_inv lgamma digamma abs sign floor ceil round real imag conj
    population_count  log_to(; base)
*two arguments*:  maximum minimum atan2 nextafter rem
*three arguments*:  where(c, x, y)

*reductions*  `(x; axis = none, keepdims = false)`:
    sum prod max min any all argmax argmin
    argmax and argmin give i32, of the flattened array for axis none
*cumulative*  `(x; axis = 0, reverse = false)`:  cumsum cumprod cummax

*shape*:
    reshape(x; shape)
    transpose(x; axes = none)              none reverses
    broadcast_to(x; shape)                 NumPy's rule
    concatenate(arrays; axis = 0)          `arrays` is a tuple
    stack(arrays; axis = 0)                a tuple of trees; leaf by leaf
    slice_axis(x; axis, start, stop)       the elements from start up to stop
    flip(x; axis = none)
    pad(x, value; widths, mode = "constant")   widths: ((low, high), …) per axis; or mode
                                           "edge" | "reflect" | "symmetric" | "wrap" (value is then not used)
*creation*:
    iota(; shape, axis, dtype = i32)
    diag(x; k = 0)                         vector to matrix, matrix to diagonal

*contractions*:
    tensordot(x, y; axes)                  a pair of tuples
    einsum(a, b, …; spec)
    conv(x, w; strides, padding, base, dilation, groups, lhs_axes = none, rhs_axes = none, result_axes = none)
                                           x [b, i, *spatial], w [o, i // groups, *spatial]: where these axes
                                           stand; padding ((low, high), …)
    pool(x; reducer, window, strides, padding)
    windows(x, fill; window, strides, padding, dilation)
                                           reducer "max" or "mean", over the last axes; padding
                                           ((low, high), …) for each of them

*indexing*:
    take(x, i; axis = 0)                   i in bounds (out of bounds: clamped)
    take_along_axis(x, i; axis)

*sorting* `axis = -1`:
    sort(x; axis = -1, descending = false)  argsort(x; axis = -1, descending = false)     stable
    top_k(x; k)                            (values, indices) along the last axis
    ranked(x, rank)                        the elements of a rank and of the next one in each line of the last axis

*dtypes*: cast(x; dtype)

*linalg*, last two axes, leading ones batched:
    cholesky(a)  solve_triangular(a, b; lower = false, trans = false, unit_diagonal = false)
    lu(a) -> (lu, pivots, permutation)  qr(a) -> (q, r)  eigh(a) -> (w, v)  eig(a) -> (w, v)  svd(a) -> (u, s, vt)

*fft*, over these axes, the last with n samples, which are the real ones of rfft and irfft:
    fft ifft rfft irfft(x; axes, n = none)

*random*; a key is u32[..., 2]:
    key(seed)                              static int, or integer array
    split(k; num)  fold_in(k, i)  bits(k; shape, dtype = u32)

*static lists*:
    len(s)  item(s, i)  part(s; start = none, stop = none, step = none)  joined(s, t)  contains(s, x)
    list_sum list_prod list_max list_min(s)    of integers
    letters(text)                          as integers
*shapes*, of lists that are known:
    reduced(s, axis, keepdims)  removed(s, axis)  inserted(s, axis, size)  replaced(s, axis, size)  permuted(s, axes)
    transposed(s)  swapped(s, axis, axis)  broadcasted(s, t)  stretched(s, t)  reshaped(s, t)  contracted(s, t)
    extent(s, axis)  has_axis(s, axis)  is_order(s, axes)  holds(dtype, integer)  holds_float(dtype, float)
*dtypes*:  complex_of(dtype)  real_of(dtype)

*trees*:
    stop_gradient(t)
    checkpoint_name(t; name)
    optimization_barrier(t)
    with_sharding(t; mesh, spec)           as for `shard`
    interleave(x, even, odd)               the first row of x and the rows of `even`, by turns with those of `odd`
    linear_map(f, transposed, t; still, order)    f(t), linear in t, or 0 with that derivative; captures have none
    flat(f, t; still)                      0, with the derivatives of f(t) from the one of that order on
*collectives* over the axis of this name that a `vmap` around maps; trees:
    psum pmean pmax pmin(t; axis_name)     all_gather(t; axis_name)   a new leading axis
    reduce_scatter(t; axis_name, axis = 0) all_to_all(t; axis_name, axis = 0)   parts of that axis
    ppermute(t; axis_name, perm)           pairs (source, destination)
    ppermute(t; axis_name, shift)          to the element so many places on, around the end
    axis_index(; axis_name)                i32

*modules of other compilers* alone, not the library:
    stablehlo(a, b, …; functions, entry, results)

Effects of intrinsics: none. Bounds are the business of the checker and of `Index`.
Read next: `elementwise`, where the first of them are; the table is `TABLE` in `table`.
"""
