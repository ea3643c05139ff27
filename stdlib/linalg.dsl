# Linear algebra on the last two axes, named as in jax.numpy.linalg and jax.scipy.linalg.

# ---------------------------------------------------------------- factors

## The lower triangle L with L @ conj(L.T) equal to the positive definite x, or its adjoint with `upper`; nan if x is not
## positive definite. Of an x that is not Hermitian the mean with its adjoint counts, unless `symmetrize_input` is false.
def cholesky[a: Inexact](
    x: a[*s, n, n],
    *,
    static upper: bool = false,
    static symmetrize_input: bool = true
) -> a[*s, n, n] =
    let factor = _cholesky(if symmetrize_input then _hermitian(x) else x)
    if upper then conj(factor.T) else factor
def _cholesky[a: Inexact](x: a[*s, n, n]) -> a[*s, n, n] = intrinsic.cholesky(x)
def _hermitian[a: Inexact](x: a[*s, n, n]) -> a[*s, n, n] = (x + conj(x.T)) / 2.0
## Orthogonal Q and upper triangular R with Q @ R equal to x.
def qr[a: Inexact](x: a[*s, n, m]) -> (a[*s, n, min(n, m)], a[*s, min(n, m), m]) = intrinsic.qr(x)
## Eigenvalues in ascending order and eigenvectors in columns, of a symmetric matrix. Of an x that is not symmetric the
## mean with its transpose counts, or with `symmetrize_input=false` its lower triangle.
def eigh[a: Float](
    x: a[*s, n, n],
    *,
    static symmetrize_input: bool = true
) -> (a[*s, n], a[*s, n, n]) =
    _eigh(if symmetrize_input then _hermitian(x) else x)
def _eigh[a: Float](x: a[*s, n, n]) -> (a[*s, n], a[*s, n, n]) = intrinsic.eigh(x)
## The eigenvalues of `eigh`.
def eigvalsh[a: Float](x: a[*s, n, n]) -> a[*s, n] = eigh(x).0
## Eigenvalues, in no order, and eigenvectors of length 1 in columns, as complex numbers; the phase of a vector is
## arbitrary, and derivatives leave it as it is. They are infinite where eigenvalues coincide.
def eig[a: Inexact](x: a[*s, n, n]) -> (complex_of(a)[*s, n], complex_of(a)[*s, n, n]) =
    if a in (f16, bf16) then _eig(cast(x, f32)) else _eig(x)
def _eig[a: Inexact](x: a[*s, n, n]) -> (complex_of(a)[*s, n], complex_of(a)[*s, n, n]) =
    intrinsic.eig(x)
## The eigenvalues of `eig`, as complex numbers and in no order. Vectors are computed only for derivatives.
def eigvals[a: Inexact](x: a[*s, n, n]) -> complex_of(a)[*s, n] = eig(x).0
## Singular values, descending, and vectors: x is (u * s) @ vt.
def svd[a: Float](x: a[*s, n, m], *, static full_matrices: bool = false) -> (
    a[*s, n, min(n, m)],
    a[*s, min(n, m)],
    a[*s, min(n, m), m]
) where not full_matrices =
    _svd(x)
def _svd[a: Float](x: a[*s, n, m]) -> (a[*s, n, min(n, m)], a[*s, min(n, m)], a[*s, min(n, m), m]) =
    intrinsic.svd(x)
## L and U in one matrix, the pivots, and the order of rows they make: x[permutation] is L @ U, L with ones on its diagonal.
def lu[a: Inexact](x: a[n, n]) -> (a[n, n], i32[n], idx[n][n]) = intrinsic.lu(x)

# ---------------------------------------------------------------- equations

## The solution x of a @ x = b for triangular a; of a.T @ x = b with `trans`; of every pair where a has leading axes.
def solve_triangular[F: Inexact](
    a: F[*s, n, n],
    b: F[*s, n, *t],
    *,
    static trans: bool = false,
    static lower: bool = false,
    static unit_diagonal: bool = false
) -> F[*s, n, *t] =
    let x = _columns(a, reshape(b, [*s, n, extent(t, none)]), trans, lower, unit_diagonal)
    reshape(x, b.shape)
def _columns[F: Inexact](
    a: F[*s, n, n],
    b: F[*s, n, k],
    static trans: bool,
    static lower: bool,
    static unit_diagonal: bool
) -> F[*s, n, k] =
    intrinsic.solve_triangular(a, b, lower=lower, trans=trans, unit_diagonal=unit_diagonal)
## The solution x of a @ x = b, by an LU decomposition; of every pair where a has leading axes.
def solve[F: Inexact](a: F[*s, n, n], b: F[*s, n, *t]) -> F[*s, n, *t] =
    let many = extent(s, none)
    let x = [
        _solve(m, v)
        for m, v in zip(reshape(a, [many, n, n]), reshape(b, [many, n, extent(t, none)]))
    ]
    reshape(x, b.shape)
# A derivative solves again with the factors that there are; those of the factors themselves would take several times as
# long. The second derivative does so, too.
def _solve[F: Inexact](a: F[n, n], b: F[n, k]) -> F[n, k] =
    custom_jvp(_solved, fn (p, t) ->
        let x = _solve_along(p.0, p.1)
        (x, _solve_along(p.0, t.1 - t.0 @ x)))(a, b)
def _solve_along[F: Inexact](a: F[n, n], b: F[n, k]) -> F[n, k] =
    custom_jvp(_solved, fn (p, t) ->
        let x = _solved(p.0, p.1)
        (x, _solved(p.0, t.1 - t.0 @ x)))(a, b)
def _solved[F: Inexact](a: F[n, n], b: F[n, k]) -> F[n, k] =
    let (factors, _, order) = lu(a)
    let y = solve_triangular(factors, b[order], lower=true, unit_diagonal=true)
    solve_triangular(factors, y)
## The solution x of a @ x = b for a symmetric positive definite a with this Cholesky factor; of every pair where a has
## leading axes.
def cho_solve[F: Inexact](factor: F[*s, n, n], b: F[*s, n, *t]) -> F[*s, n, *t] =
    let y = _columns(factor, reshape(b, [*s, n, extent(t, none)]), false, true, false)
    reshape(_columns(conj(factor), y, true, true, false), b.shape)
## The inverse matrix, or matrices.
def inv[a: Inexact](x: a[*s, n, n]) -> a[*s, n, n] =
    reshape([_solve(m, eye(n, a)) for m in reshape(x, [extent(s, none), n, n])], x.shape)
## The x that makes a @ x - b smallest, for a of full rank with at least as many rows as columns; of every pair where a has
## leading axes.
def lstsq[F: Float](a: F[*s, n, m], b: F[*s, n, *t]) -> F[*s, m, *t] where n >= m =
    let (q, r) = qr(a)
    let y = q.T @ reshape(b, [*s, n, extent(t, none)])
    reshape(_columns(r, y, false, false, false), [*s, m, *t])
## The pseudo-inverse, from singular values above rcond times the largest.
def pinv[a: Float](x: a[n, m], *, rcond: a = 1e-6) -> a[m, n] where n >= 1 and m >= 1 =
    let (u, s, vt) = svd(x)
    let kept = s > rcond * max(s)
    (vt.T * where(kept, 1.0 / where(kept, s, 1.0), 0.0)) @ u.T

# ---------------------------------------------------------------- numbers of a matrix

## The determinant. Its derivatives of any order are right at singular matrices too; those of second order and above lose
## digits there beyond about 16 rows in f32, 40 in f64.
def det[a: Inexact](x: a[*s, n, n]) -> a[*s] =
    reshape([_smooth_det(m) for m in reshape(x, [extent(s, none), n, n])], s)
def _smooth_det[a: Inexact](x: a[n, n]) -> a =
    custom_jvp(_det, fn (p, t) -> (_det(p.0), sum(_cofactors(p.0) * t.0)))(x)
def _det[a: Inexact](x: a[n, n]) -> a =
    let (factors, pivots, _) = lu(x)
    _parity(pivots, a) * prod(diagonal(factors))
# The derivative of `det`: computed from a decomposition, and differentiated where that is regular by the inverse, else
# as the polynomial that it is.
def _cofactors[a: Inexact](x: a[n, n]) -> a[n, n] =
    custom_jvp(
        _cofactors_by_lu,
        fn (p, t) -> (_cofactors_by_lu(p.0), jvp(_smooth_cofactors, p, t).1)
    )(x)
# Of x = P L U: the adjugates of P and L are the sign and the inverse; that of U is found from below without a division,
# so that any of its diagonal may be 0.
def _cofactors_by_lu[a: Inexact](x: a[n, n]) -> a[n, n] =
    let (factors, pivots, order) = lu(x)
    let d = diagonal(factors)
    let inner = fold c = zeros([n, n], a) for i in range(n) reverse do
        let row = where(iota([n]) > i, factors[i] * _before(where(iota([n]) > i, d, 1.0)), 0.0)
        c.at[i].set(where(iota([n]) == i, 1.0, -(row @ c)))
    let adjugate = _before(d)[:, None] * inner * flip(_before(flip(d)))
    let rows = solve_triangular(factors, adjugate.T, trans=true, lower=true, unit_diagonal=true)
    _parity(pivots, a) * zeros([n, n], a).at[order].set(rows)
def _before[a: Inexact](x: a[n]) -> a[n] = cumprod(where(iota([n]) == 0, 1.0, roll(x, 1)))
def _smooth_cofactors[a: Inexact](x: a[n, n]) -> a[n, n] =
    if n <= 8 then _cofactors_by_products(x)
    else if _is_regular(lu(x).0) then _det(x) * _solve(x, eye(n, a)).T
    else _cofactors_by_products(x)
def _is_regular[a: Inexact](factors: a[n, n]) -> bool where n >= 1 =
    let sizes: f32[n] = intrinsic.cast(intrinsic.abs(diagonal(factors)), dtype=f32)
    min(sizes) > 1e-4 * max(sizes)
def _cofactors_by_products[a: Inexact](x: a[n, n]) -> a[n, n] =
    vjp(_det_by_products, x).1(cast(1.0, a)).0
# Bird's algorithm (2011), which only adds and multiplies, on x turned to a triangle with a diagonal >= 0: there its sums
# cancel least. The turn is a constant, so the derivatives are those of the polynomial.
def _det_by_products[a: Inexact](x: a[n, n]) -> a =
    let (q, r) = qr(stop_gradient(x))
    let phase = where(diagonal(r) == 0.0, 1.0, sign(diagonal(r)))
    let turn = conj(q * phase).T
    _bird(turn @ x) / _det(turn)
def _bird[a: Inexact](x: a[n, n]) -> a = if n == 0 then 1.0 else _steps_of_bird(x)
def _steps_of_bird[a: Inexact](x: a[n, n]) -> a where n >= 1 =
    let last = fold y = x for _ in range(n - 1) do
        let below = concatenate((cumsum(diagonal(y)[1:], reverse=true), zeros([1], a)))
        (where(eye(n, bool), below, 0.0) - triu(y, 1)) @ x
    last[0, 0]
## The sign of the determinant and the logarithm of its absolute value.
def slogdet[a: Float](x: a[*s, n, n]) -> (a[*s], a[*s]) =
    let (signs, logs) = [_slogdet(m) for m in reshape(x, [extent(s, none), n, n])]
    (reshape(signs, s), reshape(logs, s))
def _slogdet[a: Float](x: a[n, n]) -> (a, a) =
    let (factors, pivots, _) = lu(x)
    let d = diagonal(factors)
    (_parity(pivots, a) * prod(sign(d)), sum(log(abs(d))))
def _parity(pivots: i32[n], static dtype: Inexact) -> dtype =
    let swaps = count_nonzero(pivots != iota([n]))
    cast(1 - 2 * (swaps % 2), dtype)
## The Euclidean norm of all elements, or along axes; its derivative at the origin is 0.
def norm[a: Float](
    x: a[*s],
    *,
    static axis: axes = none,
    static keepdims: bool = false
) -> a[*reduced(s, axis, keepdims)] =
    let squares = sum(x * x, axis=axis, keepdims=keepdims)
    where(squares == 0.0, 0.0, sqrt(squares))
## A norm of another order. Of a vector, or along one axis: the p-th root of the sum of p-th powers; `ord=inf` the largest
## absolute value, `ord=-inf` the smallest, `ord=0` how many are not 0. Of a matrix: 1 the largest sum of a column, inf that
## of a row, 2 the largest singular value; the smallest of these for -1, -inf, -2.
def norm[a: Float](
    x: a[*s],
    *,
    static ord: float,
    static axis: int? = none,
    static keepdims: bool = false
) -> a[*reduced(s, axis, keepdims)]
    where extent(s, axis) >= 1
    where axis != none or len(s) == 1 or (
        len(s) == 2 and _is_order(ord)
    ) else "without an axis x is a vector or a matrix, and orders of matrices are 1, 2, inf and their negatives" =
    if axis == none and len(s) == 2 then full(
        reduced(s, axis, keepdims),
        _matrix_norm(reshape(x, [extent(s, 0), extent(s, 1)]), ord)
    )
    else if ord == 0.0 then cast(count_nonzero(x, axis=axis, keepdims=keepdims), a)
    else if ord == inf then max(abs(x), axis=axis, keepdims=keepdims)
    else if ord == -inf then min(abs(x), axis=axis, keepdims=keepdims)
    else if ord == 1.0 then sum(abs(x), axis=axis, keepdims=keepdims)
    else if ord == 2.0 then norm(x, axis=axis, keepdims=keepdims)
    else sum(abs(x) ** ord, axis=axis, keepdims=keepdims) ** (1.0 / ord)
static def _is_order(ord: float) -> bool = abs(ord) == 1.0 or abs(ord) == 2.0 or abs(ord) == inf
def _matrix_norm[a: Float](x: a[n, m], static ord: float) -> a where n >= 1 and m >= 1 =
    if abs(ord) == 2.0 then _end(svd(x).1, ord)
    else if abs(ord) == 1.0 then _end(sum(abs(x), axis=0), ord)
    else _end(sum(abs(x), axis=1), ord)
def _end[a: Float](x: a[n], static ord: float) -> a where n >= 1 =
    if ord > 0.0 then max(x) else min(x)
## How many times a relative error can grow in `solve`: the largest singular value over the smallest, or norm(x, ord=p)
## times that of the inverse.
def cond[a: Float](x: a[n, m]) -> a where n >= 1 and m >= 1 =
    let (_, s, _) = svd(x)
    max(s) / min(s)
## How many singular values are above rtol times the largest.
def matrix_rank[a: Float](x: a[n, m], *, rtol: a = 1e-6) -> i32 where n >= 1 and m >= 1 =
    let (_, s, _) = svd(x)
    count_nonzero(s > rtol * max(s))
## x @ x @ … @ x, k times, in at most 2 log2(k) products.
def matrix_power[a: Inexact](x: a[n, n], static k: size) -> a[n, n] =
    if k == 0 then eye(n, a)
    else
        let root = matrix_power(x, k // 2)
        if k % 2 == 0 then root @ root else root @ root @ x
## exp of a matrix: a Padé approximation at x / 2^k, squared k times, with k at most 16 (Higham 2005).
def expm[a: Float](x: a[n, n]) -> a[n, n] =
    let k = stop_gradient(_halvings(x))
    let x = x * prod(where(iota([16]) < k, cast(0.5, a), cast(1.0, a)))
    let one = eye(n, a)
    let x2 = x @ x
    let x4 = x2 @ x2
    let x6 = x4 @ x2
    let odd = (
        x6
        @ (1.5440497506703084e-17 * x6 + 2.5291534915979653e-13 * x4 + 6.306022705717593e-10 * x2)
        + 5.175983436853e-07 * x6
        + 0.0001630434782608695 * x4
        + 0.01833333333333333 * x2
        + 0.5 * one
    )
    let even = (
        x6 @ (2.8101705462199615e-15 * x6 + 1.4837700484041396e-11 * x4 + 2.0431513566525e-08 * x2)
        + 1.0351966873706e-05 * x6
        + 0.0019927536231884053 * x4
        + 0.12 * x2
        + one
    )
    let u = x @ odd
    fold y = _solve(even - u, even + u) for i in range(16) do
        if i < k then y @ y else y
def _halvings[a: Float](x: a[n, n]) -> i32 =
    let size = max(concatenate((sum(abs(x), axis=0), ones([1], a))))
    i32(clip(ceil(log2(size / 5.37)), 0.0, 16.0))
