# Linear systems, roots, fixed points, minima, least squares and integrals.
#
# A solver returns a record: the value, what is left of the equations there, the number of steps, and whether it has
# converged; nothing is raised. The derivative of a value by what the functions capture is that of the solution, not of
# the steps: it costs a linear system, however many steps there were. Derivatives are exact up to the order `order`, each
# of which costs more systems where that derivative is taken, and nothing elsewhere; beyond it they are refused. The
# derivative by the start is 0. A value that has not converged has no such derivative: what comes out is that of one more
# step of Newton's method.

import linalg
import sparse

## A solution of equations: `residual` is what is left of them at `value`.
type Solution[F: Float, P: VSpace] = {value: P, residual: F, steps: i32, converged: bool}
## A minimum: `objective` is the function at `value`, `residual` the largest absolute element of its gradient.
type Minimum[F: Float, P: VSpace] = {
    value: P,
    objective: F,
    residual: F,
    steps: i32,
    converged: bool
}

# ---------------------------------------------------------------- vectors that are trees

static def _precision(d: dtype) -> float =
    if d == f64 then
        2.220446049250313e-16
    else if d == f32 then
        1.1920928955078125e-07
    else if d == f16 then
        0.0009765625
    else
        0.0078125
# That of the least precise leaf.
def _resolution[P: VSpace[Float]](like: P) -> f64 = tree_reduce(
    fn (e, x) -> maximum(e, f64(_precision(x.dtype))),
    like,
    f64(2.220446049250313e-16)
)
def _dot[P: VSpace[Float]](p: P, q: P, static dtype: Float) -> dtype =
    tree_reduce(
        fn (total, x) -> total + cast(sum(x), dtype),
        tree_map(fn (x, y) -> x * y, p, q),
        zeros([], dtype)
    )
def _length[P: VSpace[Float]](p: P, static dtype: Float) -> dtype = sqrt(_dot(p, p, dtype))
def _largest[P: VSpace[Float]](p: P, static dtype: Float) -> dtype =
    tree_reduce(fn (most, x) -> maximum(most, cast(_most(x), dtype)), p, zeros([], dtype))
def _most[a: Float](x: a[*s]) -> a =
    if extent(s, none) >= 1 then max(abs(ravel(x))) else zeros([], a)
def _times[F: Float, P: VSpace[Float]](k: F, p: P) -> P = tree_map(fn x -> cast(k, x.dtype) * x, p)
def _finite[P: VSpace[Float]](p: P) -> bool =
    tree_reduce(fn (fine, x) -> fine & all(isfinite(x)), p, true)
def _chosen[P: Tree](first: bool, p: P, q: P) -> P = tree_map(fn (x, y) -> where(first, x, y), p, q)
# Of length 1, or 0.
def _unit[P: VSpace[Float]](p: P, length: f64) -> P =
    _times(where(length > 0.0, 1.0 / where(length > 0.0, length, 1.0), 0.0), p)
def _combined[P: VSpace[Float]](each: P[m], weights: f64[m], like: P) -> P =
    let (_, gather) = vjp(fn p -> [_times(w, p) for w in weights], like)
    gather(each).0

# ---------------------------------------------------------------- linear operators

## A linear map and its transpose, on trees of floats. `domain` and `codomain` are zeros of what it takes and gives.
type Operator[P: VSpace, Q: VSpace] = {
    apply: (P) -> Q,
    transposed: (Q) -> P,
    domain: P,
    codomain: Q
}
## A square operator whose inverse is computed directly, and the transpose of that.
type Invertible[P: VSpace] = {
    operator: Operator[P, P],
    inverse: (P) -> P,
    inverse_transposed: (P) -> P
}

## The matrix a, on vectors.
def dense[F: Float](a: F[n, m]) -> Operator[F[m], F[n]] =
    {
        apply = fn x -> a @ x,
        transposed = fn y -> y @ a,
        domain = zeros([m], F),
        codomain = zeros([n], F)
    }
## A sparse matrix by coordinates, on vectors.
def sparse_matrix[F: Float](a: sparse.COO[F, n, m, k]) -> Operator[F[m], F[n]] =
    let back = sparse.transpose(a)
    {
        apply = fn x -> sparse.matmul(a, x),
        transposed = fn y -> sparse.matmul(back, y),
        domain = zeros([m], F),
        codomain = zeros([n], F)
    }
## The same by compressed rows. The rows of the entries are found once, not for each product.
def sparse_matrix[F: Float](a: sparse.CSR[F, n, m, k]) -> Operator[F[m], F[n]] where n >= 1 =
    sparse_matrix(sparse.to_coo(a))
## A linear function and its transpose, on trees like these two.
def matrix_free[P: VSpace[Float], Q: VSpace[Float]](
    apply: (P) -> Q,
    transposed: (Q) -> P,
    domain: P,
    codomain: Q
) -> Operator[P, Q] =
    {
        apply = apply,
        transposed = transposed,
        domain = zeros_like(domain),
        codomain = zeros_like(codomain)
    }
## A linear function that is its own transpose, on trees like this one.
def symmetric[P: VSpace[Float]](apply: (P) -> P, domain: P) -> Operator[P, P] =
    matrix_free(apply, apply, domain, domain)
## The derivative of f at a point. Its products are those of `jvp` and `vjp`; f is linearised once.
def jacobian[P: VSpace[Float], Q: VSpace[Float]](f: (P) -> Q, at: P) -> Operator[P, Q] =
    let (value, forward) = linearize(f, at)
    let (_, back) = vjp(f, at)
    matrix_free(fn t -> forward(t), fn y -> back(y).0, at, value)
## The second derivative of f at a point, which is symmetric. Its products are those of `hvp`.
def curvature[F: Float, P: VSpace[Float]](f: (P) -> F, at: P) -> Operator[P, P] =
    symmetric(fn v -> hvp(f, at, v), at)
## The transpose.
def transpose_of[P: VSpace[Float], Q: VSpace[Float]](a: Operator[P, Q]) -> Operator[Q, P] =
    {apply = a.transposed, transposed = a.apply, domain = a.codomain, codomain = a.domain}
## a + b.
def plus[P: VSpace[Float], Q: VSpace[Float]](
    a: Operator[P, Q],
    b: Operator[P, Q]
) -> Operator[P, Q] =
    {
        a with apply = fn x -> a.apply(x) + b.apply(x),
        transposed = fn y -> a.transposed(y) + b.transposed(y)
    }
## k a.
def scaled[
    F: Float,
    P: VSpace[Float],
    Q: VSpace[Float]
](k: F, a: Operator[P, Q]) -> Operator[P, Q] =
    {a with apply = fn x -> _times(k, a.apply(x)), transposed = fn y -> _times(k, a.transposed(y))}
## a b: first b, then a.
def product[
    P: VSpace[Float],
    Q: VSpace[Float],
    R: VSpace[Float]
](a: Operator[Q, R], b: Operator[P, Q]) -> Operator[P, R] =
    {
        apply = fn x -> a.apply(b.apply(x)),
        transposed = fn y -> b.transposed(a.transposed(y)),
        domain = b.domain,
        codomain = a.codomain
    }
## The matrix of an operator on vectors.
def as_matrix[F: Float](a: Operator[F[m], F[n]]) -> F[n, m] = [a.apply(e) for e in eye(m, F)].T

# An operator with its inverse, on trees like this one.
def _invertible[P: VSpace[Float]](
    apply: (P) -> P,
    transposed: (P) -> P,
    inverse: (P) -> P,
    inverse_transposed: (P) -> P,
    domain: P
) -> Invertible[P] =
    {
        operator = matrix_free(apply, transposed, domain, domain),
        inverse = inverse,
        inverse_transposed = inverse_transposed
    }
## The square matrix a, factored once into triangles.
def factored[F: Float](a: F[n, n]) -> Invertible[F[n]] =
    let (factors, _, order) = linalg.lu(a)
    let back = argsort(order)
    let inverse = fn (b: F[n]) -> linalg.solve_triangular(
        factors,
        linalg.solve_triangular(factors, b[order], lower=true, unit_diagonal=true)
    )
    let transposed = fn (b: F[n]) -> linalg.solve_triangular(
        factors,
        linalg.solve_triangular(factors, b, trans=true),
        trans=true,
        lower=true,
        unit_diagonal=true
    )[back]
    {operator = dense(a), inverse = inverse, inverse_transposed = transposed}
## The symmetric positive definite matrix a, factored once.
def positive[F: Float](a: F[n, n]) -> Invertible[F[n]] =
    let factor = linalg.cholesky(a)
    let inverse = fn (b: F[n]) -> linalg.cho_solve(factor, b)
    {operator = dense(a), inverse = inverse, inverse_transposed = inverse}
## Every element times that of d, a tree of any arrays.
def elementwise[P: VSpace[Float]](d: P) -> Invertible[P] =
    let product = fn x -> tree_map(fn (d, x) -> d * x, d, x)
    let quotient = fn x -> tree_map(fn (d, x) -> x / d, d, x)
    _invertible(product, product, quotient, quotient, d)
## The matrix with this diagonal, the elements `lower` below it and `upper` above it. The inverse is Thomas' algorithm, of
## n steps and without pivots: it is stable where the matrix is diagonally dominant or positive definite.
def tridiagonal[F: Float](diagonal: F[n + 1], lower: F[n], upper: F[n]) -> Invertible[F[n + 1]] =
    let zero = zeros([1], F)
    let (below, above) = (concatenate((zero, lower)), concatenate((upper, zero)))
    let (left, right) = (concatenate((zero, upper)), concatenate((lower, zero)))
    let apply = fn (x: F[n + 1]) -> _by_three(below, diagonal, above, x)
    let transposed = fn (x: F[n + 1]) -> _by_three(left, diagonal, right, x)
    _invertible(
        apply,
        transposed,
        fn b -> _thomas(below, diagonal, above, b),
        fn b -> _thomas(left, diagonal, right, b),
        diagonal
    )
def _by_three[F: Float](below: F[n], diagonal: F[n], above: F[n], x: F[n]) -> F[n] =
    below * roll(x, 1) + diagonal * x + above * roll(x, -1)
def _thomas[F: Float](below: F[n], diagonal: F[n], above: F[n], b: F[n]) -> F[n] =
    let (_, (cs, ds)) =
        scan (c, d) = (
            zeros([], F),
            zeros([], F)
        ) for (l, m, u, v) in zip(below, diagonal, above, b) do
            let pivot = m - l * c
            let now = (u / pivot, (v - l * d) / pivot)
            (now, now)
    let (_, x) = scan after = zeros([], F) for (c, d) in zip(cs, ds) reverse do
        let now = d - c * after
        (now, now)
    x
## The matrix with `lower` diagonals below the main one and `upper` above it, given as for scipy.linalg.solve_banded:
## bands[upper + i - j, j] is a[i, j]. The inverse costs n lower (upper + 1) products, and has no pivots: it is stable where
## the matrix is diagonally dominant or positive definite.
def banded[F: Float](bands: F[k, n], static lower: size, static upper: size) -> Invertible[F[n]]
    where k == lower + upper + 1 =
    let wide = pad(bands, ((0, 0), (lower, upper)))
    let rows = [
        [wide[upper + lower - j, i + j] for j in range(lower + upper + 1)]
        for i in range(n)
    ]
    let columns = bands.T
    let apply = fn (x: F[n]) -> _by_rows(rows, x, lower, upper)
    let transposed = fn (x: F[n]) -> _by_rows(columns, x, upper, lower)
    _invertible(
        apply,
        transposed,
        fn b -> _by_bands(rows, b, lower, upper),
        fn b -> _by_bands(columns, b, upper, lower),
        zeros([n], F)
    )
def _by_rows[F: Float](rows: F[n, k], x: F[n], static lower: size, static upper: size) -> F[n]
    where k == lower + upper + 1 =
    let wide = pad(x, ((lower, upper),))
    [sum(row * wide[i : i + k]) for (i, row) in enumerate(rows)]
def _by_bands[F: Float](rows: F[n, k], b: F[n], static lower: size, static upper: size) -> F[n]
    where k == lower + upper + 1 =
    let nothing = zeros([lower, upper + 1], F).at[:, 0].set(1.0)
    let (_, (triangle, y)) =
        scan (before, solved) = (nothing, zeros([lower], F)) for (row, v) in zip(rows, b) do
            let (left, right) = fold (row, v) = (row, v) for j in range(lower) do
                let factor = row[j] / before[j, 0]
                (row.at[j : j + upper + 1].add(-factor * before[j]), v - factor * solved[j])
            let own = left[lower:]
            (
                (concatenate((before, own[None]))[1:], concatenate((solved, right[None]))[1:]),
                (own, right)
            )
    let (_, x) = scan after = zeros([upper], F) for (u, v) in zip(triangle, y) reverse do
        let now = (v - sum(u[1:] * after)) / u[0]
        (concatenate((now[None], after))[:upper], now)
    x
## X -> A X B^T on matrices, the Kronecker product of the two on what they are row by row.
def kronecker[F: Float](a: Invertible[F[n]], b: Invertible[F[m]]) -> Invertible[F[n, m]] =
    _invertible(
        fn x -> _both(a.operator.apply, b.operator.apply, x),
        fn x -> _both(a.operator.transposed, b.operator.transposed, x),
        fn x -> _both(a.inverse, b.inverse, x),
        fn x -> _both(a.inverse_transposed, b.inverse_transposed, x),
        zeros([n, m], F),
    )
def _both[F: Float](a: (F[n]) -> F[n], b: (F[m]) -> F[m], x: F[n, m]) -> F[n, m] =
    let rows = [b(row) for row in x]
    [a(column) for column in rows.T].T
## A + U V^T, for an A with an inverse and a few columns U and V: by Woodbury's formula, one system of k equations.
def low_rank_update[F: Float](a: Invertible[F[n]], u: F[n, k], v: F[n, k]) -> Invertible[F[n]] =
    let left = [a.inverse(column) for column in u.T]
    let right = [a.inverse_transposed(column) for column in v.T]
    let middle = factored(eye(k, F) + left @ v)
    _invertible(
        fn x -> a.operator.apply(x) + u @ (x @ v),
        fn x -> a.operator.transposed(x) + v @ (x @ u),
        fn b -> _corrected(a.inverse(b), v, left, middle.inverse_transposed),
        fn b -> _corrected(a.inverse_transposed(b), u, right, middle.inverse),
        a.operator.domain,
    )
def _corrected[F: Float](x: F[n], v: F[n, k], left: F[k, n], middle: (F[k]) -> F[k]) -> F[n] =
    x - middle(x @ v) @ left

## The x with a x = b, by the direct inverse of a.
def direct[P: VSpace[Float]](a: Invertible[P], b: P, *, static order: size = 2) -> P =
    implicit_solution(
        fn x -> b - a.operator.apply(x),
        a.inverse,
        a.inverse_transposed,
        a.inverse(b),
        order=order
    )

# ---------------------------------------------------------------- preconditioners: approximate inverses
#
# A solver takes the `apply` of one: solve.cg(a, b, preconditioner=solve.jacobi(m).apply).

## The inverse of the diagonal of a matrix (Jacobi); where it is 0, nothing is changed.
def jacobi[F: Float](a: F[n, n]) -> Operator[F[n], F[n]] =
    _by_diagonal(diagonal(a))
## The same of a sparse matrix by compressed rows.
def jacobi[F: Float](a: sparse.CSR[F, n, n, k]) -> Operator[F[n], F[n]] =
    _by_diagonal(sparse.diagonal(a))
## The same by coordinates.
def jacobi[F: Float](a: sparse.COO[F, n, n, k]) -> Operator[F[n], F[n]] =
    _by_diagonal(sparse.diagonal(a))
def _by_diagonal[F: Float](d: F[n]) -> Operator[F[n], F[n]] =
    let factor = where(d == 0.0, 1.0, 1.0 / where(d == 0.0, 1.0, d))
    symmetric(fn x -> factor * x, d)
## The inverses of the square blocks of this size along the diagonal of a matrix.
def block_jacobi[F: Float](a: F[n, n], static block: size) -> Operator[F[n], F[n]]
    where block >= 1 and n % block == 0 =
    _by_blocks(
        [a[i * block : (i + 1) * block, i * block : (i + 1) * block] for i in range(n // block)]
    )
## The same of a sparse matrix by compressed rows.
def block_jacobi[F: Float](a: sparse.CSR[F, n, n, k], static block: size) -> Operator[F[n], F[n]]
    where block >= 1 and n % block == 0 =
    _by_blocks(_blocks_of(sparse.row_of(a.indptr, k), a.indices, a.data, n // block, block))
## The same by coordinates.
def block_jacobi[F: Float](a: sparse.COO[F, n, n, k], static block: size) -> Operator[F[n], F[n]]
    where block >= 1 and n % block == 0 =
    _by_blocks(_blocks_of(a.row, a.col, a.data, n // block, block))
def _blocks_of[F: Float](
    row: i32[k],
    col: i32[k],
    data: F[k],
    static m: size,
    static block: size
) -> F[m, block, block] where block >= 1 =
    let own = where(row // block == col // block, data, 0.0)
    zeros([m, block, block], F).at[row // block, row % block, col % block].add(own, mode="drop")
def _by_blocks[F: Float](blocks: F[m, p, p]) -> Operator[F[m * p], F[m * p]] =
    let inverses = linalg.inv(blocks)
    let apply = fn (x: F[m * p]) -> reshape(
        einsum("bij,bj->bi", inverses, reshape(x, [m, p])),
        [m * p]
    )
    let transposed = fn (x: F[m * p]) -> reshape(
        einsum("bji,bj->bi", inverses, reshape(x, [m, p])),
        [m * p]
    )
    matrix_free(apply, transposed, zeros([m * p], F), zeros([m * p], F))
## One sweep forwards and one back of successive over-relaxation (Young 1954), with 0 < omega < 2: for a sparse matrix with a
## diagonal that is not 0. It is symmetric positive definite where the matrix is. Each application takes 2 k steps that
## follow each other, for k stored entries.
def ssor[F: Float](a: sparse.COO[F, n, n, k], *, omega: F = 1.0) -> Operator[F[n], F[n]] =
    let d = sparse.diagonal(a)
    let scaled: sparse.COO[F, n, n, k] = {
        a with data = where(a.row == a.col, a.data, omega * a.data)
    }
    let down = fn (r: F[n]) -> sparse.solve_triangular(scaled, r)
    let up = fn (r: F[n]) -> sparse.solve_triangular(scaled, r, lower=false)
    let (down_t, up_t) = (sparse.transpose(scaled), sparse.transpose(scaled))
    let factor = omega * (2.0 - omega)
    matrix_free(
        fn r -> factor * up(d * down(r)),
        fn r -> factor
        * sparse.solve_triangular(down_t, d * sparse.solve_triangular(up_t, r), lower=false),
        d,
        d,
    )
## The same by compressed rows.
def ssor[F: Float](a: sparse.CSR[F, n, n, k], *, omega: F = 1.0) -> Operator[F[n], F[n]]
    where n >= 1 =
    ssor(sparse.to_coo(a), omega=omega)
## The incomplete factors of `sparse.ilu`. Those of a symmetric positive definite matrix are, up to a diagonal, its incomplete
## Cholesky factor IC(0), so the preconditioner is symmetric then. Each application takes 2 k steps that follow each other.
def ilu[F: Float](a: sparse.CSR[F, n, n, k], *, static width: size) -> Operator[F[n], F[n]] ! check
    where n >= 1 and k >= 1 and width >= 1 =
    let both = sparse.ilu(a, width=width)
    let lower: sparse.COO[F, n, n, k] = {
        both with data = where(both.row == both.col, 1.0, both.data)
    }
    let (lower_t, both_t) = (sparse.transpose(lower), sparse.transpose(both))
    matrix_free(
        fn r -> sparse.solve_triangular(both, sparse.solve_triangular(lower, r), lower=false),
        fn r -> sparse.solve_triangular(lower_t, sparse.solve_triangular(both_t, r), lower=false),
        zeros([n], F),
        zeros([n], F),
    )
## The polynomial of this degree in a that is nearest to its inverse for eigenvalues between `low` and `high` (Chebyshev), for
## a symmetric positive definite a: `degree` products, and no steps that follow each other within one.
def polynomial[F: Float, P: VSpace[Float]](
    a: Operator[P, P],
    low: F,
    high: F,
    *,
    static degree: size = 4
) -> Operator[P, P] =
    symmetric(
        fn r -> _chebyshev(a.apply, r, 0.5 * (high + low), 0.5 * (high - low), degree),
        a.domain
    )
def _chebyshev[F: Float, P: VSpace[Float]](
    a: (P) -> P,
    r: P,
    centre: F,
    half: F,
    static degree: size
) -> P =
    let ratio = centre / half
    let first = _times(1.0 / centre, r)
    let (x, _, _) = fold (x, step, rho) = (first, first, 1.0 / ratio) for _ in range(degree) do
        let next = 1.0 / (2.0 * ratio - rho)
        let step = _times(next * rho, step) + _times(2.0 * next / half, r - a(x))
        (x + step, step, next)
    x
## The direct inverse of another operator that is near.
def inverse_of[P: VSpace[Float]](a: Invertible[P]) -> Operator[P, P] =
    matrix_free(a.inverse, a.inverse_transposed, a.operator.domain, a.operator.domain)
## No change.
def unchanged[P: VSpace[Float]](domain: P) -> Operator[P, P] = symmetric(fn x -> x, domain)

# ---------------------------------------------------------------- iterative solvers of linear systems

static def _given(tolerance: float?, default: float) -> float =
    if tolerance != none then tolerance else default
def _goal[P: VSpace[Float]](b: P, static tolerance: float?) -> f64 =
    let relative = if tolerance != none then f64(tolerance) else _resolution(b) ** 0.75
    relative * _length(b, f64)
# The solution with its derivatives, and what is left of the equations. `run` solves a x = b for any b, `run_transposed` the
# system with the transpose of a.
def _solved[P: VSpace[Float]](
    a: Operator[P, P],
    b: P,
    run: (P) -> {x: P, steps: i32},
    run_transposed: (P) -> {x: P, steps: i32},
    static tolerance: float?,
    static order: size
) -> Solution[f64, P] =
    let found = run(b)
    let x = implicit_solution(
        fn x -> b - a.apply(x),
        fn r -> run(r).x,
        fn r -> run_transposed(r).x,
        found.x,
        order=order
    )
    let residual = stop_gradient(_length(b - a.apply(found.x), f64))
    {
        value = x,
        residual = residual,
        steps = found.steps,
        converged = residual <= stop_gradient(_goal(b, tolerance))
    }

## The x with a x = b for a symmetric positive definite a, by conjugate gradients (Hestenes and Stiefel 1952), until the
## length of b - a x is at most `tolerance` times that of b. The preconditioner is symmetric positive definite, too.
def cg[P: VSpace[Float]](
    a: Operator[P, P],
    b: P,
    *,
    preconditioner: (P) -> P = fn r -> r,
    static tolerance: float? = none,
    static limit: size = 1000,
    static order: size = 2
) -> Solution[f64, P] =
    let run = fn b -> _cg(a.apply, b, preconditioner, _goal(b, tolerance), limit)
    _solved(a, b, run, run, tolerance, order)
def _cg[P: VSpace[Float]](
    a: (P) -> P,
    b: P,
    precondition: (P) -> P,
    goal: f64,
    static limit: size
) -> {x: P, steps: i32} =
    let z = precondition(b)
    let first = {
        x = zeros_like(b),
        r = b,
        p = z,
        rz = _dot(b, z, f64),
        left = _length(b, f64),
        steps = i32(0),
        sound = true
    }
    let last = iterate s = first while s.sound and s.left > 0.5 * goal limit limit do
        let ap = a(s.p)
        let bend = _dot(s.p, ap, f64)
        let step = s.rz / where(bend == 0.0, 1.0, bend)
        let r = s.r - _times(step, ap)
        let z = precondition(r)
        let rz = _dot(r, z, f64)
        {
            x = s.x + _times(step, s.p),
            r = r,
            p = z + _times(rz / where(s.rz == 0.0, 1.0, s.rz), s.p),
            rz = rz,
            left = _length(r, f64),
            steps = s.steps + 1,
            sound = bend > 0.0
        }
    {x = last.x, steps = last.steps}

## The x with a x = b for a symmetric a that need not be definite, by MINRES (Paige and Saunders 1975): the smallest residual
## over all directions that have been seen, with the memory of a few vectors.
def minres[P: VSpace[Float]](
    a: Operator[P, P],
    b: P,
    *,
    static tolerance: float? = none,
    static limit: size = 1000,
    static order: size = 2
) -> Solution[f64, P] =
    let run = fn b -> _minres(a.apply, b, _goal(b, tolerance), limit)
    _solved(a, b, run, run, tolerance, order)
def _minres[P: VSpace[Float]](
    a: (P) -> P,
    b: P,
    goal: f64,
    static limit: size
) -> {x: P, steps: i32} =
    let nothing = zeros_like(b)
    let length = _length(b, f64)
    let one = f64(1.0)
    let first = {
        x = nothing,
        before = nothing,
        now = _unit(b, length),
        beta = f64(0.0),
        w = nothing,
        w_before = nothing,
        c = one,
        c_before = one,
        sine = f64(0.0),
        sine_before = f64(0.0),
        left = length,
        steps = i32(0),
        sound = true
    }
    let last = iterate s = first while s.sound and abs(s.left) > 0.5 * goal limit limit do
        let av = a(s.now)
        let alpha = _dot(s.now, av, f64)
        let next = av - _times(alpha, s.now) - _times(s.beta, s.before)
        let beta = _length(next, f64)
        let delta = s.c * alpha - s.c_before * s.sine * s.beta
        let rho = sqrt(delta * delta + beta * beta)
        let safe = where(rho == 0.0, 1.0, rho)
        let (c, sine) = (delta / safe, beta / safe)
        let above = s.sine * alpha + s.c_before * s.c * s.beta
        let w = _times(
            1.0 / safe,
            s.now - _times(s.sine_before * s.beta, s.w_before) - _times(above, s.w)
        )
        {
            x = s.x + _times(c * s.left, w),
            before = s.now,
            now = _unit(next, beta),
            beta = beta,
            w = w,
            w_before = s.w,
            c = c,
            c_before = s.c,
            sine = sine,
            sine_before = s.sine,
            left = -sine * s.left,
            steps = s.steps + 1,
            sound = rho > 0.0
        }
    {x = last.x, steps = last.steps}

## The x with a x = b for any square a, by BiCGSTAB (van der Vorst 1992): two products a step and the memory of a few
## vectors. The preconditioner is applied from the right.
def bicgstab[P: VSpace[Float]](
    a: Operator[P, P],
    b: P,
    *,
    preconditioner: (P) -> P = fn r -> r,
    preconditioner_transposed: (P) -> P = fn r -> r,
    static tolerance: float? = none,
    static limit: size = 1000,
    static order: size = 2
) -> Solution[f64, P] =
    let run = fn b -> _bicgstab(a.apply, b, preconditioner, _goal(b, tolerance), limit)
    let back = fn (c: P) -> _bicgstab(
        fn y -> preconditioner_transposed(a.transposed(y)),
        preconditioner_transposed(c),
        fn r -> r,
        _goal(preconditioner_transposed(c), tolerance),
        limit
    )
    _solved(a, b, run, back, tolerance, order)
def _bicgstab[P: VSpace[Float]](
    a: (P) -> P,
    b: P,
    precondition: (P) -> P,
    goal: f64,
    static limit: size
) -> {x: P, steps: i32} =
    let one = f64(1.0)
    let nothing = zeros_like(b)
    let first = {
        x = nothing,
        r = b,
        p = nothing,
        v = nothing,
        rho = one,
        alpha = one,
        omega = one,
        left = _length(b, f64),
        steps = i32(0),
        sound = true
    }
    let last = iterate s = first while s.sound and s.left > 0.5 * goal limit limit do
        let rho = _dot(b, s.r, f64)
        let beta = (rho / s.rho) * (s.alpha / s.omega)
        let p = s.r + _times(beta, s.p - _times(s.omega, s.v))
        let ready = precondition(p)
        let v = a(ready)
        let along = _dot(b, v, f64)
        let alpha = rho / where(along == 0.0, 1.0, along)
        let half = s.r - _times(alpha, v)
        let other = precondition(half)
        let t = a(other)
        let square = _dot(t, t, f64)
        let omega = _dot(t, half, f64) / where(square == 0.0, 1.0, square)
        let r = half - _times(omega, t)
        {
            x = s.x + _times(alpha, ready) + _times(omega, other),
            r = r,
            p = p,
            v = v,
            rho = rho,
            alpha = alpha,
            omega = omega,
            left = _length(r, f64),
            steps = s.steps + 1,
            sound = along != 0.0 and rho != 0.0 and omega != 0.0
        }
    {x = last.x, steps = last.steps}

## The x with a x = b for any square a, by GMRES (Saad and Schultz 1986): the smallest residual over the directions that
## have been seen, started anew after `restart` of them. The preconditioner is applied from the right.
def gmres[P: VSpace[Float]](
    a: Operator[P, P],
    b: P,
    *,
    preconditioner: (P) -> P = fn r -> r,
    preconditioner_transposed: (P) -> P = fn r -> r,
    static restart: size = 30,
    static tolerance: float? = none,
    static limit: size = 1000,
    static order: size = 2
) -> Solution[f64, P] where restart >= 1 =
    let run = fn b -> _gmres(a.apply, b, preconditioner, _goal(b, tolerance), restart, limit)
    let back = fn (c: P) -> _gmres(
        fn y -> preconditioner_transposed(a.transposed(y)),
        preconditioner_transposed(c),
        fn r -> r,
        _goal(preconditioner_transposed(c), tolerance),
        restart,
        limit
    )
    _solved(a, b, run, back, tolerance, order)
type _Krylov[P: VSpace, m] = {
    basis: P[m + 1],
    rows: f64[m, m + 1],
    cosines: f64[m],
    sines: f64[m],
    rest: f64[m + 1],
    count: i32,
    left: f64
}
def _gmres[P: VSpace[Float]](
    a: (P) -> P,
    b: P,
    precondition: (P) -> P,
    goal: f64,
    static restart: size,
    static limit: size
) -> {x: P, steps: i32} where restart >= 1 =
    let first = {x = zeros_like(b), left = _length(b, f64), steps = i32(0), sound = true}
    let last =
        iterate s = first while s.sound and s.left > 0.5 * goal limit (
            limit + restart - 1
        ) // restart do
            let r = b - a(s.x)
            let length = _length(r, f64)
            let basis = [_unit(r, length) for _ in range(restart + 1)]
            let start: _Krylov[P, restart] = {
                basis = _first_alone(basis),
                rows = zeros([restart, restart + 1], f64),
                cosines = ones([restart], f64),
                sines = zeros([restart], f64),
                rest = zeros([restart + 1], f64).at[0].set(length),
                count = i32(0),
                left = length
            }
            let found = iterate k = start while k.count < restart and k.left > 0.5 * goal limit restart do _one_more(
                a,
                precondition,
                k
            )
            let x = s.x + precondition(_smallest(found, r))
            let left = _length(b - a(x), f64)
            {
                x = _chosen(left < length, x, s.x),
                left = where(left < length, left, length),
                steps = s.steps + found.count,
                sound = left < 0.999999 * length
            }
    {x = last.x, steps = last.steps}
# The first of the basis, and zeros behind it.
def _first_alone[P: VSpace[Float]](basis: P[m + 1]) -> P[m + 1] =
    [_times(where(i == 0, f64(1.0), 0.0), p) for (i, p) in enumerate(basis)]
# One more direction, orthogonal to all before (twice, against rounding), and the rotation that clears what is below the
# diagonal of its column.
def _one_more[P: VSpace[Float]](
    a: (P) -> P,
    precondition: (P) -> P,
    k: _Krylov[P, m]
) -> _Krylov[P, m] where m >= 1 =
    let j = clip(k.count, 0, m - 1)
    let w = a(precondition(k.basis[j]))
    let once = [_dot(p, w, f64) for p in k.basis]
    let cleared = w - _combined(k.basis, once, w)
    let twice = [_dot(p, cleared, f64) for p in k.basis]
    let rest = cleared - _combined(k.basis, twice, w)
    let length = _length(rest, f64)
    let column = (once + twice).at[j + 1].set(length)
    let turned = fold h = column for i in range(m) do
        let (c, s) = (k.cosines[i], k.sines[i])
        h.at[i].set(c * h[i] + s * h[i + 1]).at[i + 1].set(c * h[i + 1] - s * h[i])
    let size = sqrt(turned[j] ** 2 + turned[j + 1] ** 2)
    let safe = where(size == 0.0, 1.0, size)
    let (c, s) = (where(size == 0.0, 1.0, turned[j] / safe), turned[j + 1] / safe)
    let left = -s * k.rest[j]
    {
        basis = k.basis.at[j + 1].set(_unit(rest, length)),
        rows = k.rows.at[j].set(turned.at[j].set(size).at[j + 1].set(0.0)),
        cosines = k.cosines.at[j].set(c),
        sines = k.sines.at[j].set(s),
        rest = k.rest.at[j + 1].set(left).at[j].set(c * k.rest[j]),
        count = k.count + 1,
        left = abs(left),
    }
def _smallest[P: VSpace[Float]](k: _Krylov[P, m], like: P) -> P where m >= 1 =
    let used = iota([m]) < k.count
    let triangle = k.rows[:, :m].T
    let sound = used & (diagonal(triangle) != 0.0)
    let weights = linalg.solve_triangular(
        where(eye(m, bool) & ~sound[:, None], 1.0, triangle),
        where(sound, k.rest[:m], 0.0)
    )
    _combined(k.basis[:m], weights, like)

## The x that makes |a x - b|^2 + damping^2 |x|^2 smallest, for any a, by LSMR (Fong and Saunders 2011): until the length of
## a^T (b - a x) - damping^2 x is at most `tolerance` times that of a^T b. That is the residual.
def lsmr[P: VSpace[Float], Q: VSpace[Float]](
    a: Operator[P, Q],
    b: Q,
    *,
    damping: f64 = 0.0,
    static tolerance: float? = none,
    static limit: size = 1000,
    static order: size = 2
) -> Solution[f64, P] =
    let goal = _goal(a.transposed(b), tolerance)
    let found = _lsmr(a, b, damping, goal, limit)
    let slope = fn x -> a.transposed(b - a.apply(x)) - _times(damping * damping, x)
    let normal = fn (r: P) -> _cg(
        fn x -> a.transposed(a.apply(x)) + _times(damping * damping, x),
        r,
        fn z -> z,
        _goal(r, tolerance),
        limit
    ).x
    let residual = stop_gradient(_length(slope(found.x), f64))
    {
        value = implicit_solution(slope, normal, normal, found.x, order=order),
        residual = residual,
        steps = found.steps,
        converged = residual <= stop_gradient(goal)
    }
def _lsmr[P: VSpace[Float], Q: VSpace[Float]](
    a: Operator[P, Q],
    b: Q,
    damping: f64,
    goal: f64,
    static limit: size
) -> {x: P, steps: i32} =
    let beta = _length(b, f64)
    let u = _unit(b, beta)
    let v = a.transposed(u)
    let alpha = _length(v, f64)
    let v = _unit(v, alpha)
    let nothing = zeros_like(v)
    let one = f64(1.0)
    let first = {
        x = nothing,
        u = u,
        v = v,
        h = v,
        h_bar = nothing,
        alpha = alpha,
        alpha_bar = alpha,
        zeta_bar = alpha * beta,
        rho = one,
        rho_bar = one,
        c_bar = one,
        s_bar = f64(0.0),
        steps = i32(0),
        sound = true
    }
    let last = iterate s = first while s.sound and abs(s.zeta_bar) > 0.5 * goal limit limit do
        let u = a.apply(s.v) - _times(s.alpha, s.u)
        let beta = _length(u, f64)
        let u = _unit(u, beta)
        let v = a.transposed(u) - _times(beta, s.v)
        let alpha = _length(v, f64)
        let v = _unit(v, alpha)
        let damped = sqrt(s.alpha_bar ** 2 + damping ** 2)
        let rho = sqrt(damped * damped + beta * beta)
        let safe = where(rho == 0.0, 1.0, rho)
        let (c, sine) = (damped / safe, beta / safe)
        let theta = sine * alpha
        let theta_bar = s.s_bar * rho
        let down = s.c_bar * rho
        let rho_bar = sqrt(down * down + theta * theta)
        let safe_bar = where(rho_bar == 0.0, 1.0, rho_bar)
        let (c_bar, s_bar) = (down / safe_bar, theta / safe_bar)
        let zeta = c_bar * s.zeta_bar
        let h_bar = s.h - _times(theta_bar * rho / (s.rho * s.rho_bar), s.h_bar)
        {
            x = s.x + _times(zeta / (safe * safe_bar), h_bar),
            u = u,
            v = v,
            h = v - _times(theta / safe, s.h),
            h_bar = h_bar,
            alpha = alpha,
            alpha_bar = c * alpha,
            zeta_bar = -s_bar * s.zeta_bar,
            rho = safe,
            rho_bar = safe_bar,
            c_bar = c_bar,
            s_bar = s_bar,
            steps = s.steps + 1,
            sound = rho > 0.0 and rho_bar > 0.0
        }
    {x = last.x, steps = last.steps}

# ---------------------------------------------------------------- roots of functions of one number

# The root with its derivatives, from the slope there.
def _root_of_one[a: Float](
    f: (a) -> a,
    x: a,
    steps: i32,
    goal: a,
    static order: size
) -> Solution[a, a] =
    let slope = stop_gradient(jvp(f, (stop_gradient(x),), (cast(1.0, a),)).1)
    let inverse = fn (r: a) -> r / slope
    let residual = stop_gradient(abs(f(x)))
    {
        value = implicit_solution(fn x -> -f(x), inverse, inverse, x, order=order),
        residual = residual,
        steps = steps,
        converged = residual <= stop_gradient(goal)
    }
static def _zero_of_one(d: dtype, tolerance: float?) -> float =
    if tolerance != none then tolerance else 4.0 * _precision(d)

## A root of f between `low` and `high`, where f has different signs, by halving: until the interval is at most `tolerance`
## times the root, or by itself where that is below 1. `converged` says so; without a change of sign it is false.
def bisect[a: Float](
    f: (a) -> a,
    low: a,
    high: a,
    *,
    static tolerance: float? = none,
    static limit: size = 1100,
    static order: size = 2
) -> Solution[a, a] =
    let relative = cast(_zero_of_one(a, tolerance), a)
    let (fl, fh) = (f(low), f(high))
    let first = {left = low, right = high, fl = fl, steps = i32(0)}
    let last =
        iterate s = first while abs(
            s.right - s.left
        ) > relative * maximum(1.0, abs(s.left)) and s.fl != 0.0 limit limit do
            let middle = s.left + 0.5 * (s.right - s.left)
            let fm = f(middle)
            let same = (fm > 0.0) == (s.fl > 0.0) and fm != 0.0
            {
                left = if same then middle else s.left,
                right = if same then s.right else middle,
                fl = if same then fm else s.fl,
                steps = s.steps + 1
            }
    let ends = if abs(f(last.left)) <= abs(f(last.right)) then last.left else last.right
    let narrow = abs(last.right - last.left) <= relative * maximum(1.0, abs(last.left)) or fl == 0.0
    _bracketed(_root_of_one(f, ends, last.steps, cast(inf, a), order), narrow, fl, fh)
def _bracketed[a: Float](s: Solution[a, a], narrow: bool, fl: a, fh: a) -> Solution[a, a] =
    {
        s with converged = stop_gradient(
            narrow
            and isfinite(s.residual)
            and ((fl <= 0.0 and fh >= 0.0) or (fl >= 0.0 and fh <= 0.0))
        )
    }

## A root of f between `low` and `high`, where f has different signs, by Brent's method (1973): inverse quadratic
## interpolation and secants, and halving where they are slow. Tolerance and `converged` are as in `bisect`.
def brent[a: Float](
    f: (a) -> a,
    low: a,
    high: a,
    *,
    static tolerance: float? = none,
    static limit: size = 200,
    static order: size = 2
) -> Solution[a, a] =
    let relative = cast(_zero_of_one(a, tolerance), a)
    let (fl, fh) = (f(low), f(high))
    let first: _Brent[a] = _ordered(
        {
            b = high,
            fb = fh,
            a = low,
            fa = fl,
            c = low,
            fc = fl,
            step = high - low,
            step_before = high - low,
            steps = i32(0)
        }
    )
    let last = iterate s = first while abs(s.c - s.b) > relative * maximum(
        1.0,
        abs(s.b)
    ) and s.fb != 0.0 limit limit do _brent_step(
        f,
        s,
        relative
    )
    let narrow = abs(last.c - last.b) <= relative * maximum(1.0, abs(last.b)) or last.fb == 0.0
    _bracketed(_root_of_one(f, last.b, last.steps, cast(inf, a), order), narrow, fl, fh)
# The root lies between b, the best, and c; a is the b before.
type _Brent[F: Float] = {a: F, b: F, c: F, fa: F, fb: F, fc: F, step: F, step_before: F, steps: i32}
def _ordered[F: Float](s: _Brent[F]) -> _Brent[F] =
    if abs(s.fc) < abs(s.fb) then
        {s with a = s.b, b = s.c, c = s.b, fa = s.fb, fb = s.fc, fc = s.fb}
    else
        s
def _brent_step[F: Float](f: (F) -> F, s: _Brent[F], relative: F) -> _Brent[F] =
    let least = 0.5 * relative * maximum(1.0, abs(s.b))
    let middle = 0.5 * (s.c - s.b)
    let ratio = s.fb / where(s.fa == 0.0, 1.0, s.fa)
    let (q, r) = (s.fa / where(s.fc == 0.0, 1.0, s.fc), s.fb / where(s.fc == 0.0, 1.0, s.fc))
    let secant = s.a == s.c
    let up =
        if secant then
            2.0 * middle * ratio
        else
            ratio * (2.0 * middle * q * (q - r) - (s.b - s.a) * (r - 1.0))
    let down = if secant then 1.0 - ratio else (q - 1.0) * (r - 1.0) * (ratio - 1.0)
    let (p, d) = (abs(up), if up > 0.0 then -down else down)
    let fits = (
        abs(s.step_before) >= least
        and abs(s.fa) > abs(s.fb)
        and 2.0 * p < minimum(3.0 * middle * d - abs(least * d), abs(s.step_before * d))
    )
    let step = if fits then p / where(d == 0.0, 1.0, d) else middle
    let moved = s.b + (if abs(step) > least then step else if middle > 0.0 then least else -least)
    let fm = f(moved)
    let same = (fm > 0.0) == (s.fc > 0.0)
    let width = moved - s.b
    _ordered(
        {
            a = s.b,
            fa = s.fb,
            b = moved,
            fb = fm,
            c = if same then s.b else s.c,
            fc = if same then s.fb else s.fc,
            step = if same then width else step,
            step_before = if same then width else if fits then s.step else middle,
            steps = s.steps + 1
        }
    )

# ---------------------------------------------------------------- roots of functions of many numbers

# A root of a function of vectors with its derivatives. The Jacobian is factored once, where there are any.
def _root[a: Float](
    f: (a[n]) -> a[n],
    found: {x: a[n], steps: i32},
    goal: a,
    static order: size
) -> Solution[a, a[n]] =
    let inverse = factored(stop_gradient(jacfwd(f)(stop_gradient(found.x))))
    let residual = stop_gradient(_largest(f(found.x), a))
    let value = implicit_solution(
        fn x -> -f(x),
        inverse.inverse,
        inverse.inverse_transposed,
        found.x,
        order=order
    )
    {
        value = value,
        residual = residual,
        steps = found.steps,
        converged = residual <= stop_gradient(goal)
    }
def _zero[a: Float](first: a[n], static tolerance: float?) -> a =
    (
        cast((if tolerance != none then tolerance else _precision(a) ** 0.7), a)
        + cast(16.0 * _precision(a), a) * _largest(first, a)
    )
def _shaped[a: Float](s: Solution[a, a[n]], static shape: shape) -> {
    value: a[*shape],
    residual: a,
    steps: i32,
    converged: bool
} where prod(shape) == n =
    {
        value = reshape(s.value, shape),
        residual = s.residual,
        steps = s.steps,
        converged = s.converged
    }

## An x with f(x) = 0, for as many equations as numbers, by Powell's hybrid method (1970): steps of Newton's method within a
## trust region, bent towards the steepest descent of |f|^2. Converged where no |f(x)_i| is larger than `tolerance`, and what
## rounding leaves of f at the start.
def root[a: Float](
    f: (a[*s]) -> a[*s],
    x0: a[*s],
    *,
    static tolerance: float? = none,
    static limit: size = 100,
    static order: size = 2
) -> {value: a[*s], residual: a, steps: i32, converged: bool} =
    let flat = fn (x: a[extent(s, none)]) -> ravel(f(reshape(x, s)))
    let start = stop_gradient(ravel(x0))
    let goal = _zero(flat(start), tolerance)
    _shaped(_root(flat, _dogleg(flat, start, goal, limit), goal, order), s)
def _dogleg[a: Float](
    f: (a[n]) -> a[n],
    x0: a[n],
    goal: a,
    static limit: size
) -> {x: a[n], steps: i32} =
    let (r0, j0) = value_and_jacfwd(f)(x0)
    let first = {
        x = x0,
        r = r0,
        j = j0,
        radius = 100.0 * maximum(1.0, _length(x0, a)),
        steps = i32(0),
        sound = true
    }
    let last = iterate s = first while s.sound and ~(_largest(s.r, a) <= goal) limit limit do
        let step = _dogleg_step(s.j, s.r, s.radius)
        let x = s.x + step
        let r = f(x)
        let (now, before) = (sum(r * r), sum(s.r * s.r))
        let expected = before - sum(square(s.r + s.j @ step))
        let ratio = where(
            expected > 0.0,
            (before - now) / where(expected > 0.0, expected, 1.0),
            -1.0
        )
        let better = ratio > 0.0001
        let length = _length(step, a)
        let radius =
            if ratio > 0.75 then
                maximum(s.radius, 2.0 * length)
            else if ratio > 0.25 then
                s.radius
            else
                0.25 * minimum(s.radius, length)
        let j = if better then jacfwd(f)(x) else s.j
        {
            x = if better then x else s.x,
            r = if better then r else s.r,
            j = j,
            radius = radius,
            steps = s.steps + 1,
            sound = radius > cast(_precision(a), a) * maximum(1.0, _length(s.x, a))
        }
    {x = last.x, steps = last.steps}
# The step of Newton's method where it is short enough, else a point of the way there from the best along the gradient.
def _dogleg_step[a: Float](j: a[n, n], r: a[n], radius: a) -> a[n] =
    let newton = -linalg.solve(j, r)
    let slope = r @ j
    let along = j @ slope
    let curve = sum(along * along)
    let cauchy = -(sum(slope * slope) / where(curve > 0.0, curve, 1.0)) * slope
    let sound = all(isfinite(newton))
    let whole = where(sound, newton, cauchy)
    if _length(whole, a) <= radius then whole
    else if _length(cauchy, a) >= radius then (radius / _length(cauchy, a)) * cauchy
    else
        let rest = whole - cauchy
        let (p, q, c) = (
            sum(rest * rest),
            sum(rest * cauchy),
            sum(cauchy * cauchy) - radius * radius
        )
        let t = -c / (q + sqrt(maximum(q * q - p * c, 0.0)))
        cauchy + t * rest

## An x with f(x) = 0 by Newton's method, each step halved until |f| becomes smaller: for starts that are near. Tolerance and
## `converged` are as in `root`.
def newton[a: Float](
    f: (a[*s]) -> a[*s],
    x0: a[*s],
    *,
    static tolerance: float? = none,
    static limit: size = 50,
    static order: size = 2
) -> {value: a[*s], residual: a, steps: i32, converged: bool} =
    let flat = fn (x: a[extent(s, none)]) -> ravel(f(reshape(x, s)))
    let start = stop_gradient(ravel(x0))
    let goal = _zero(flat(start), tolerance)
    _shaped(_root(flat, _newton(flat, start, goal, limit), goal, order), s)
def _newton[a: Float](
    f: (a[n]) -> a[n],
    x0: a[n],
    goal: a,
    static limit: size
) -> {x: a[n], steps: i32} =
    let last =
        iterate s = {
            x = x0,
            r = f(x0),
            steps = i32(0),
            sound = true
        } while s.sound and ~(_largest(s.r, a) <= goal) limit limit do
            let step = -linalg.solve(jacfwd(f)(s.x), s.r)
            _shortened(f, s.x, s.r, step, s.steps)
    {x = last.x, steps = last.steps}
# The first of the step, its half, its quarter … that makes |f| smaller.
def _shortened[a: Float](
    f: (a[n]) -> a[m],
    x: a[n],
    r: a[m],
    step: a[n],
    steps: i32
) -> {x: a[n], r: a[m], steps: i32, sound: bool} =
    let before = sum(r * r)
    let tried =
        iterate t = {
            x = x + step,
            r = f(x + step),
            size = cast(1.0, a)
        } while ~(sum(t.r * t.r) < before) and t.size > 0.001 limit 10 do
            let x = x + 0.5 * t.size * step
            {x = x, r = f(x), size = 0.5 * t.size}
    let better = sum(tried.r * tried.r) < before
    {
        x = where(better, tried.x, x),
        r = where(better, tried.r, r),
        steps = steps + 1,
        sound = better
    }

## An x with f(x) = 0 by Broyden's method (1965): the Jacobian is computed at the start and where the method stands still;
## between, its inverse learns from the steps at a cost of n^2. Tolerance and `converged` are as in `root`.
def broyden[a: Float](
    f: (a[*s]) -> a[*s],
    x0: a[*s],
    *,
    static tolerance: float? = none,
    static limit: size = 200,
    static order: size = 2
) -> {value: a[*s], residual: a, steps: i32, converged: bool} =
    let flat = fn (x: a[extent(s, none)]) -> ravel(f(reshape(x, s)))
    let start = stop_gradient(ravel(x0))
    let goal = _zero(flat(start), tolerance)
    _shaped(_root(flat, _broyden(flat, start, goal, limit), goal, order), s)
def _broyden[a: Float](
    f: (a[n]) -> a[n],
    x0: a[n],
    goal: a,
    static limit: size
) -> {x: a[n], steps: i32} =
    let first = {
        x = x0,
        r = f(x0),
        inverse = linalg.inv(jacfwd(f)(x0)),
        fresh = true,
        steps = i32(0),
        sound = true
    }
    let last = iterate s = first while s.sound and ~(_largest(s.r, a) <= goal) limit limit do
        let tried = _shortened(f, s.x, s.r, -(s.inverse @ s.r), s.steps)
        let step = tried.x - s.x
        let change = s.inverse @ (tried.r - s.r)
        let along = dot(step, change)
        let update = outer(step - change, step @ s.inverse) / where(along == 0.0, 1.0, along)
        let inverse = if tried.sound then s.inverse + update else linalg.inv(jacfwd(f)(s.x))
        {
            x = tried.x,
            r = tried.r,
            inverse = inverse,
            fresh = ~tried.sound,
            steps = tried.steps,
            sound = tried.sound or ~s.fresh
        }
    {x = last.x, steps = last.steps}

# ---------------------------------------------------------------- fixed points

## An x with f(x) = x by Anderson's acceleration (1965): each step is the combination of the last `memory` ones that leaves
## the least residual; with memory=0, x becomes f(x). Converged where no |f(x) - x| is larger than `tolerance` times the
## largest |x|, or than `tolerance` where that is below 1. The derivative is found by conjugate
## residuals with the products of `jvp` and `vjp`.
def fixed_point[P: VSpace[Float]](
    f: (P) -> P,
    x0: P,
    *,
    static memory: size = 5,
    static tolerance: float? = none,
    static limit: size = 500,
    static order: size = 2
) -> Solution[f64, P] =
    let found = _anderson(f, stop_gradient(x0), memory, tolerance, limit)
    let gap = fn x -> f(x) - x
    let a = jacobian(gap, stop_gradient(found.x))
    let back = fn (r: P) -> _by_residuals(a.transposed, r, _goal(r, none), 16, 1000)
    let forward = fn (r: P) -> _by_residuals(a.apply, r, _goal(r, none), 16, 1000)
    let value = implicit_solution(fn x -> -gap(x), forward, back, found.x, order=order)
    {
        value = value,
        residual = stop_gradient(found.residual),
        steps = found.steps,
        converged = stop_gradient(found.residual <= found.goal)
    }
# The x with a x = b, by conjugate residuals (Eisenstat, Elman and Schultz 1983): the smallest residual over the last
# `memory` directions. The next direction is the residual, or, where that has gained little, the image of the last one.
def _by_residuals[P: VSpace[Float]](
    a: (P) -> P,
    b: P,
    goal: f64,
    static memory: size,
    static limit: size
) -> P =
    let first = {
        x = zeros_like(b),
        r = b,
        along = b,
        moves = [zeros_like(b) for _ in range(memory)],
        images = [zeros_like(b) for _ in range(memory)],
        left = _length(b, f64),
        steps = i32(0),
        sound = true
    }
    let last = iterate s = first while s.sound and s.left > 0.5 * goal limit limit do
        let new = _across(s.moves, s.images, s.along, a(s.along))
        let gain = _dot(new.image, s.r, f64)
        let r = s.r - _times(gain, new.image)
        {
            x = s.x + _times(gain, new.move),
            r = r,
            along = _chosen(abs(gain) > 0.01 * s.left, r, new.image),
            moves = _kept(s.moves, s.steps, new.move),
            images = _kept(s.images, s.steps, new.image),
            left = _length(r, f64),
            steps = s.steps + 1,
            sound = new.length > 0.0
        }
    last.x
# A move without the parts whose images are among the orthogonal ones, and its image, of length 1; `length` is that of what
# is left of the image.
def _across[P: VSpace[Float]](
    moves: P[m],
    images: P[m],
    move: P,
    image: P
) -> {move: P, image: P, length: f64} =
    let along = [_dot(v, image, f64) for v in images]
    let rest = image - _combined(images, along, image)
    let length = _length(rest, f64)
    {
        move = _unit(move - _combined(moves, along, move), length),
        image = _unit(rest, length),
        length = length
    }
def _fixed_goal[P: VSpace[Float]](x: P, static tolerance: float?) -> f64 =
    (if tolerance != none then f64(tolerance) else _resolution(x) ** 0.75) * maximum(
        1.0,
        _largest(x, f64)
    )
def _anderson[P: VSpace[Float]](
    f: (P) -> P,
    x0: P,
    static memory: size,
    static tolerance: float?,
    static limit: size
) -> {x: P, steps: i32, residual: f64, goal: f64} =
    let gap = f(x0) - x0
    let blank = [zeros_like(x0) for _ in range(memory)]
    let first = {
        x = x0,
        gap = gap,
        moves = blank,
        changes = blank,
        products = zeros([memory, memory], f64),
        steps = i32(0),
        residual = _largest(gap, f64),
        goal = _fixed_goal(x0, tolerance)
    }
    let last = iterate s = first while s.residual > s.goal and isfinite(s.residual) limit limit do
        let x = _mixed(s.x, s.gap, s.moves, s.changes, s.products, s.steps)
        let gap = f(x) - x
        let changes = _kept(s.changes, s.steps, gap - s.gap)
        {
            x = x,
            gap = gap,
            moves = _kept(s.moves, s.steps, x - s.x),
            changes = changes,
            products = _with_products(s.products, s.steps, changes, gap - s.gap),
            steps = s.steps + 1,
            residual = _largest(gap, f64),
            goal = _fixed_goal(x, tolerance)
        }
    {x = last.x, steps = last.steps, residual = last.residual, goal = last.goal}
def _kept[P: VSpace[Float]](kept: P[m], steps: i32, newest: P) -> P[m] =
    if m >= 1 then kept.at[steps % m].set(newest) else kept
# The products of the changes with each other, of which one is new.
def _with_products[P: VSpace[Float]](
    products: f64[m, m],
    steps: i32,
    changes: P[m],
    newest: P
) -> f64[m, m] =
    if m >= 1 then
        let row = [_dot(v, newest, f64) for v in changes]
        products.at[steps % m].set(row).at[:, steps % m].set(row)
    else products
def _mixed[P: VSpace[Float]](
    x: P,
    gap: P,
    moves: P[m],
    changes: P[m],
    products: f64[m, m],
    steps: i32
) -> P =
    let scale = 1e-13 * sum(diagonal(products))
    let used = iota([m]) < steps
    let damped = products + where(eye(m, bool), where(used, scale, 1.0), 0.0)
    let weights = _eliminated(damped, [_dot(u, gap, f64) for u in changes])
    let sound = all(isfinite(weights))
    x + gap - _combined(moves + changes, where(sound, weights, 0.0), x)

# The x with a x = b for a few numbers and a positive definite a, without a pivot.
def _eliminated(a: f64[m, m], b: f64[m]) -> f64[m] =
    let both = concatenate((a, b[:, None]), axis=1)
    let done = fold w = both for k in range(m) do
        let row = w[k] / w[k, k]
        (w - outer(w[:, k], row)).at[k].set(row)
    done[:, m]

# ---------------------------------------------------------------- least squares

def _half_square[F: Float](r: F[m]) -> F = 0.5 * sum(r * r)
# A minimum of |r(x)|^2 / 2 with its derivatives. The second derivative is the exact one, factored once, where there are any.
def _least[a: Float](
    r: (a[n]) -> a[m],
    found: {x: a[n], steps: i32, done: bool},
    static order: size
) -> Minimum[a, a[n]] =
    let slope = grad(fn x -> _half_square(r(x)))
    let inverse = factored(stop_gradient(jacfwd(slope)(stop_gradient(found.x))))
    let residual = stop_gradient(_largest(slope(found.x), a))
    let value = implicit_solution(
        fn x -> -slope(x),
        inverse.inverse,
        inverse.inverse_transposed,
        found.x,
        order=order
    )
    let objective = _half_square(r(value))
    {
        value = value,
        objective = objective,
        residual = residual,
        steps = found.steps,
        converged = stop_gradient(found.done) and isfinite(objective)
    }
# Whether a gradient is small. `first` is the objective at the start, so that one that falls for ever has no large limit.
def _is_flat[F: Float, P: VSpace[Float]](
    gradient: P,
    objective: F,
    first: F,
    static tolerance: float?
) -> bool =
    _largest(gradient, F) <= cast(_evenness(F, tolerance), F) * _height(objective, first)
# Whether a step promises next to nothing.
def _is_level[F: Float](promised: F, objective: F, first: F, static tolerance: float?) -> bool =
    promised <= cast(_evenness(F, tolerance) ** 1.5, F) * _height(objective, first)
static def _evenness(d: dtype, tolerance: float?) -> float =
    if tolerance != none then tolerance else _precision(d) ** 0.6
def _height[F: Float](objective: F, first: F) -> F =
    maximum(1.0, minimum(abs(objective), abs(first)))
def _shaped_minimum[a: Float](s: Minimum[a, a[n]], static shape: shape) -> {
    value: a[*shape],
    objective: a,
    residual: a,
    steps: i32,
    converged: bool
} where prod(shape) == n =
    {
        value = reshape(s.value, shape),
        objective = s.objective,
        residual = s.residual,
        steps = s.steps,
        converged = s.converged
    }

## The x that makes |r(x)|^2 / 2 smallest, by the method of Levenberg and Marquardt: steps of Gauss and Newton, damped in
## proportion to the columns of the Jacobian (More 1978) as far as they disappoint (Nielsen 1999), each by a QR
## decomposition. Where such a step gains little, the second derivatives of r count in the next one. Converged where no
## element of the gradient J^T r is larger than `tolerance`, times the objective where that is above 1, or where no digit of
## the objective changes any more. `residual` is the largest element of the gradient.
def levenberg_marquardt[a: Float](
    r: (a[*s]) -> a[m],
    x0: a[*s],
    *,
    static tolerance: float? = none,
    static limit: size = 200,
    static order: size = 2
) -> {value: a[*s], objective: a, residual: a, steps: i32, converged: bool} =
    let flat = fn (x: a[extent(s, none)]) -> r(reshape(x, s))
    _shaped_minimum(
        _least(flat, _marquardt(flat, stop_gradient(ravel(x0)), tolerance, limit), order),
        s
    )
# The first round only judges the start, so that r and its derivative are compiled once.
def _marquardt[a: Float](
    r: (a[n]) -> a[m],
    x0: a[n],
    static tolerance: float?,
    static limit: size
) -> {x: a[n], steps: i32, done: bool} =
    let start = {
        x = x0,
        r = zeros([m], a),
        j = zeros([m, n], a),
        first = zeros([], a),
        scale = zeros([n], a),
        damping = cast(0.001, a),
        growth = cast(2.0, a),
        bent = false,
        steps = i32(-1),
        still = false,
        sound = true
    }
    let last =
        iterate s = start while s.steps < 0 or s.sound and ~s.still and ~_is_flat(
            s.r @ s.j,
            _half_square(s.r),
            s.first,
            tolerance
        ) limit limit + 1 do
            let begun = s.steps >= 0
            let scale = maximum(s.scale, _columns(s.j))
            let size = where(scale > 0.0, scale, 1.0)
            let (step, expected) =
                if ~begun then (zeros([n], a), cast(0.0, a))
                else if s.bent then _bent_step(r, s.x, s.r @ s.j, size, s.damping)
                else _straight_step(s.r, s.j, size, s.damping)
            let x = s.x + step
            let (r1, j1) = value_and_jacfwd(r)(x)
            let before = 2.0 * _half_square(s.r)
            let gain = before - 2.0 * _half_square(r1)
            let ratio = where(expected > 0.0, gain / where(expected > 0.0, expected, 1.0), -1.0)
            let better = ratio > 0.0001
            let rounding = cast(4.0 * _precision(a), a) * before
            let still = begun and expected <= rounding and abs(gain) <= rounding
            let taken = better or ~begun
            let damping =
                if better then s.damping * maximum(1.0 / 3.0, 1.0 - (2.0 * ratio - 1.0) ** 3)
                else if begun then s.damping * s.growth
                else s.damping
            let growth = if taken then cast(2.0, a) else 2.0 * s.growth
            {
                x = if taken then x else s.x,
                r = if taken then r1 else s.r,
                j = if taken then j1 else s.j,
                first = if begun then s.first else _half_square(r1),
                scale = scale,
                damping = damping,
                growth = growth,
                bent = begun and gain < 0.2 * before,
                steps = s.steps + 1,
                still = still,
                sound = isfinite(damping)
            }
    {
        x = last.x,
        steps = last.steps,
        done = last.still or _is_flat(last.r @ last.j, _half_square(last.r), last.first, tolerance)
    }
# A step of Gauss and Newton, and twice what it promises.
def _straight_step[a: Float](r: a[m], j: a[m, n], size: a[n], damping: a) -> (a[n], a) =
    let wide = concatenate((j, diag(sqrt(damping) * size)))
    let step = linalg.lstsq(wide, concatenate((-r, zeros([n], a))))
    (step, sum(square(j @ step)) + 2.0 * damping * sum(square(size * step)))
# The same with the second derivative itself, whose absolute value counts where it is negative.
def _bent_step[a: Float](
    r: (a[n]) -> a[m],
    x: a[n],
    slope: a[n],
    size: a[n],
    damping: a
) -> (a[n], a) =
    let curvature = jacfwd(grad(fn x -> _half_square(r(x))))(x)
    let (w, v) = linalg.eigh(curvature / outer(size, size))
    let along = (slope / size) @ v
    let step = -along / (abs(w) + damping)
    ((v @ step) / size, -2.0 * sum(along * step) - sum(w * square(step)))
def _columns[a: Float](j: a[m, n]) -> a[n] = sqrt(sum(j * j, axis=0))

## The x that makes |r(x)|^2 / 2 smallest, by the method of Gauss and Newton, each step halved until |r| becomes smaller: for
## at least as many residuals as numbers, and starts that are near. Tolerance and `converged` are as in `levenberg_marquardt`.
def gauss_newton[a: Float](
    r: (a[*s]) -> a[m],
    x0: a[*s],
    *,
    static tolerance: float? = none,
    static limit: size = 100,
    static order: size = 2
) -> {value: a[*s], objective: a, residual: a, steps: i32, converged: bool}
    where m >= extent(s, none) =
    let flat = fn (x: a[extent(s, none)]) -> r(reshape(x, s))
    _shaped_minimum(
        _least(flat, _gauss_newton(flat, stop_gradient(ravel(x0)), tolerance, limit), order),
        s
    )
def _gauss_newton[a: Float](
    r: (a[n]) -> a[m],
    x0: a[n],
    static tolerance: float?,
    static limit: size
) -> {x: a[n], steps: i32, done: bool} where m >= n =
    let (r0, j0) = value_and_jacfwd(r)(x0)
    let last =
        iterate s = {
            x = x0,
            r = r0,
            j = j0,
            steps = i32(0),
            still = false,
            sound = true
        } while s.sound and ~s.still and ~_is_flat(
            s.r @ s.j,
            _half_square(s.r),
            _half_square(r0),
            tolerance
        ) limit limit do
            let step = linalg.lstsq(s.j, -s.r)
            let tried = _shortened(r, s.x, s.r, step, s.steps)
            let rounding = cast(4.0 * _precision(a), a) * 2.0 * _half_square(s.r)
            {
                x = tried.x,
                r = tried.r,
                j = jacfwd(r)(tried.x),
                steps = tried.steps,
                still = sum(square(s.j @ step)) <= rounding,
                sound = tried.sound
            }
    {
        x = last.x,
        steps = last.steps,
        done = last.still or _is_flat(
            last.r @ last.j,
            _half_square(last.r),
            _half_square(r0),
            tolerance
        )
    }

## The x that makes |r(x)|^2 / 2 smallest, on trees, without a matrix: steps of Gauss and Newton within a trust region, by
## conjugate gradients with the products of `jvp` and `vjp` (Steihaug 1983), or of `hvp` where a step has gained little.
## Tolerance and `converged` are as in `trust_region`; the derivative is found by conjugate gradients, and so needs a minimum
## with a positive definite second derivative.
def least_squares[F: Float, P: VSpace[Float]](
    r: (P) -> F[m],
    x0: P,
    *,
    static tolerance: float? = none,
    static limit: size = 200,
    static order: size = 2
) -> Minimum[F, P] =
    let half = fn x -> _half_square(r(x))
    let bent = fn (x: P, exact: bool) -> _bent_by(r, x, exact)
    _minimum(half, _trusted(half, bent, stop_gradient(x0), tolerance, limit), order)
def _bent_by[F: Float, P: VSpace[Float]](r: (P) -> F[m], x: P, exact: bool) -> (P) -> P =
    let a = jacobian(r, x)
    fn v -> if exact then hvp(fn x -> _half_square(r(x)), x, v) else a.transposed(a.apply(v))

# ---------------------------------------------------------------- minima

# A minimum with its derivatives, by conjugate gradients with `hvp`.
def _minimum[F: Float, P: VSpace[Float]](
    f: (P) -> F,
    found: {x: P, steps: i32, done: bool},
    static order: size
) -> Minimum[F, P] =
    let x = stop_gradient(found.x)
    let inverse = fn (r: P) -> _cg(fn v -> hvp(f, x, v), r, fn z -> z, _goal(r, none), 1000).x
    let residual = _largest(stop_gradient(grad(f)(x)), F)
    let value = implicit_solution(fn x -> -grad(f)(x), inverse, inverse, x, order=order)
    let objective = f(value)
    {
        value = value,
        objective = objective,
        residual = residual,
        steps = found.steps,
        converged = stop_gradient(found.done) and isfinite(objective)
    }

## The x that makes f smallest, on trees, by Newton's method within a trust region: steps by conjugate gradients with the
## products of `hvp`, up to the region or to a direction along which f bends down (Steihaug 1983). Converged where no element
## of the gradient is larger than `tolerance`, times the objective where that is above 1, and no step promises to gain more
## than its power 1.5; or where no digit of the objective changes any more. `residual` is the largest element of the
## gradient. The derivative is found by conjugate gradients.
def trust_region[F: Float, P: VSpace[Float]](
    f: (P) -> F,
    x0: P,
    *,
    static tolerance: float? = none,
    static limit: size = 200,
    static order: size = 2
) -> Minimum[F, P] =
    let bent = fn (x: P, exact: bool) -> (fn (v: P) -> hvp(f, x, v))
    _minimum(f, _trusted(f, bent, stop_gradient(x0), tolerance, limit), order)
# `bent` has the second derivative at a point, or something near where it is not asked to be exact. Where rounding hides what
# a step gains, the next one is computed finely: the first may have left directions out along which f bends little.
def _trusted[F: Float, P: VSpace[Float]](
    f: (P) -> F,
    bent: (P, bool) -> (P) -> P,
    x0: P,
    static tolerance: float?,
    static limit: size
) -> {x: P, steps: i32, done: bool} =
    let (f0, g0) = value_and_grad(f)(x0)
    let first = {
        x = x0,
        f = f0,
        g = g0,
        radius = maximum(cast(1.0, F), 0.1 * _length(x0, F)),
        exact = false,
        fine = false,
        steps = i32(0),
        done = false,
        sound = true
    }
    let last = iterate s = first while s.sound and ~s.done limit limit do
        let bend = bent(s.x, s.exact)
        let length = _length(s.g, F)
        let goal = (
            (if s.fine then cast(_precision(F) ** 0.5, F) else minimum(cast(0.1, F), sqrt(length)))
            * length
        )
        let (step, inside) = _within(bend, s.g, s.radius, goal)
        let pull = bend(step)
        let solved = inside and _length(s.g + pull, F) <= 2.0 * goal
        let x = s.x + step
        let (f1, g1) = value_and_grad(f)(x)
        let expected = -(_dot(s.g, step, F) + 0.5 * _dot(step, pull, F))
        let gain = s.f - f1
        let rounding = cast(4.0 * _precision(F), F) * abs(s.f)
        let ratio = where(
            expected > 0.0,
            (gain + rounding) / where(expected > 0.0, expected + rounding, 1.0),
            -1.0
        )
        let level = (
            solved and _is_flat(s.g, s.f, f0, tolerance) and _is_level(expected, s.f, f0, tolerance)
        )
        let hidden = expected <= 0.1 * rounding and abs(gain) <= rounding
        let better = ratio > 0.0001 and _finite(g1) and ~level
        let width = _length(step, F)
        let radius =
            if ratio > 0.75 or hidden then
                maximum(s.radius, 2.0 * width)
            else if ratio > 0.25 then
                s.radius
            else
                0.25 * minimum(s.radius, width)
        let sound = (
            radius > cast(_precision(F), F) * cast(_precision(F), F)
            and ~(s.fine and hidden and inside and ~solved)
        )
        {
            x = _chosen(better, x, s.x),
            f = where(better, f1, s.f),
            g = _chosen(better, g1, s.g),
            radius = radius,
            exact = gain < 0.2 * s.f,
            fine = hidden,
            steps = s.steps + 1,
            done = level or (s.fine and hidden and solved),
            sound = sound
        }
    {x = last.x, steps = last.steps, done = last.done}
# The step within the region that makes the quadratic model small, until its slope is at most the goal, and whether it ends
# inside of the region.
def _within[F: Float, P: VSpace[Float]](bend: (P) -> P, g: P, radius: F, goal: F) -> (P, bool) =
    let first = {step = zeros_like(g), r = g, p = -g, rr = _dot(g, g, F), open = true}
    let last = iterate s = first while s.open and sqrt(s.rr) > goal limit 250 do
        let bp = bend(s.p)
        let curve = _dot(s.p, bp, F)
        let k = s.rr / where(curve == 0.0, 1.0, curve)
        let next = s.step + _times(k, s.p)
        let out = ~(curve > 0.0) or ~(_length(next, F) < radius)
        let r = s.r + _times(k, bp)
        let rr = _dot(r, r, F)
        let edge = s.step + _times(_to_edge(s.step, s.p, radius), s.p)
        {
            step = _chosen(out, edge, next),
            r = r,
            p = _times(rr / where(s.rr == 0.0, 1.0, s.rr), s.p) - r,
            rr = rr,
            open = ~out
        }
    (last.step, last.open)
# How far from inside the region to its edge.
def _to_edge[F: Float, P: VSpace[Float]](start: P, along: P, radius: F) -> F =
    let (p, q, c) = (
        _dot(along, along, F),
        _dot(start, along, F),
        _dot(start, start, F) - radius * radius
    )
    -c / (q + sqrt(maximum(q * q - p * c, 0.0)))

# A step along a direction to a point that meets the strong conditions of Wolfe, or the approximate ones of Hager and Zhang
# (2005) where rounding hides the first. `low` is the best end of the stretch that is searched.
type _Line[F: Float, P: VSpace] = {
    step: F,
    low: F,
    low_f: F,
    low_slope: F,
    low_g: P,
    high: F,
    high_f: F,
    high_slope: F,
    bracketed: bool,
    done: bool,
    count: i32
}
def _wolfe[F: Float, P: VSpace[Float]](
    f: (P) -> F,
    x: P,
    f0: F,
    g0: P,
    along: P,
    step: F,
    static bend: float
) -> _Line[F, P] =
    let slope = _dot(g0, along, F)
    let nothing = cast(0.0, F)
    let first: _Line[F, P] = {
        step = step,
        low = nothing,
        low_f = f0,
        low_slope = slope,
        low_g = g0,
        high = nothing,
        high_f = f0,
        high_slope = slope,
        bracketed = false,
        done = false,
        count = i32(0)
    }
    iterate s: _Line[F, P] = first while ~s.done and s.count < 40 limit 40 do _searched(
        f,
        x,
        f0,
        slope,
        along,
        s,
        bend
    )
def _searched[F: Float, P: VSpace[Float]](
    f: (P) -> F,
    x: P,
    f0: F,
    slope: F,
    along: P,
    s: _Line[F, P],
    static bend: float
) -> _Line[F, P] =
    let t = s.step
    let (ft, gt) = value_and_grad(f)(x + _times(t, along))
    let st = _dot(gt, along, F)
    let fine = isfinite(ft) and isfinite(st)
    let lower = ft <= f0 + 0.0001 * t * slope
    let near = ft <= f0 + cast(8.0 * _precision(F), F) * abs(f0) and st <= -0.9998 * slope
    let far = ~fine or ~((lower and ft < s.low_f) or near)
    let done = ~far and abs(st) <= -bend * slope
    let back = if s.bracketed then st * (s.high - s.low) >= 0.0 else st >= 0.0
    let (high, high_f, high_slope) =
        if far then
            (t, ft, st)
        else if back then
            (s.low, s.low_f, s.low_slope)
        else
            (s.high, s.high_f, s.high_slope)
    let (low, low_f, low_slope) = if far then (s.low, s.low_f, s.low_slope) else (t, ft, st)
    let bracketed = s.bracketed or far or back
    let next =
        if bracketed then _between(low, low_f, low_slope, high, high_f, high_slope) else 4.0 * t
    {
        step = next,
        low = low,
        low_f = low_f,
        low_slope = low_slope,
        low_g = _chosen(far, s.low_g, gt),
        high = high,
        high_f = high_f,
        high_slope = high_slope,
        bracketed = bracketed,
        done = done or (bracketed and high == low),
        count = s.count + 1
    }
# The minimum of the cubic through both ends, kept away from them.
def _between[F: Float](a: F, fa: F, sa: F, b: F, fb: F, sb: F) -> F =
    let width = where(a == b, 1.0, a - b)
    let d = sa + sb - 3.0 * (fa - fb) / width
    let root = sqrt(maximum(d * d - sa * sb, 0.0)) * sign(b - a)
    let t = b - (b - a) * (sb + root - d) / (sb - sa + 2.0 * root)
    let (least, most) = (minimum(a, b) + 0.1 * abs(b - a), maximum(a, b) - 0.1 * abs(b - a))
    if isfinite(t) then clip(t, least, most) else 0.5 * (a + b)

type _Descent[F: Float, P: VSpace] = {
    x: P,
    f: F,
    g: P,
    first: F,
    steps: i32,
    still: bool,
    sound: bool
}
def _descent[F: Float, P: VSpace[Float]](f: (P) -> F, x0: P) -> _Descent[F, P] =
    let (f0, g0) = value_and_grad(f)(x0)
    {x = x0, f = f0, g = g0, first = f0, steps = i32(0), still = false, sound = true}
# The point that a line search has found. Where it has found none, the direction was bad: `sound` is false.
def _descended[F: Float, P: VSpace[Float]](
    s: _Descent[F, P],
    line: _Line[F, P],
    along: P
) -> _Descent[F, P] =
    let rounding = cast(2.0 * _precision(F), F) * abs(s.f)
    let moved = line.low > 0.0
    {
        x = s.x + _times(line.low, along),
        f = line.low_f,
        g = line.low_g,
        first = s.first,
        steps = s.steps + 1,
        still = moved and abs(s.f - line.low_f) <= rounding and abs(
            line.low * _dot(s.g, along, F)
        ) <= rounding,
        sound = moved
    }
def _goes_on[F: Float, P: VSpace[Float]](s: _Descent[F, P], static tolerance: float?) -> bool =
    s.sound and ~s.still and ~_is_flat(s.g, s.f, s.first, tolerance)
def _ended[F: Float, P: VSpace[Float]](
    s: _Descent[F, P],
    static tolerance: float?
) -> {x: P, steps: i32, done: bool} =
    {x = s.x, steps = s.steps, done = s.still or _is_flat(s.g, s.f, s.first, tolerance)}
def _first_step[P: VSpace[Float]](g: P, static like: Float) -> like =
    minimum(cast(1.0, like), 1.0 / maximum(_length(g, like), cast(1e-30, like)))

## The x that makes f smallest, by BFGS with a matrix for the inverse of the second derivative, and a line search that meets
## the strong conditions of Wolfe (Nocedal and Wright 2006). Tolerance and `converged` are as in `trust_region`; the
## derivative is that of the second derivative, factored once.
def bfgs[a: Float](
    f: (a[*s]) -> a,
    x0: a[*s],
    *,
    static tolerance: float? = none,
    static limit: size = 500,
    static order: size = 2
) -> {value: a[*s], objective: a, residual: a, steps: i32, converged: bool} =
    let flat = fn (x: a[extent(s, none)]) -> f(reshape(x, s))
    _shaped_minimum(
        _minimum_of_vector(flat, _bfgs(flat, stop_gradient(ravel(x0)), tolerance, limit), order),
        s
    )
def _minimum_of_vector[a: Float](
    f: (a[n]) -> a,
    found: {x: a[n], steps: i32, done: bool},
    static order: size
) -> Minimum[a, a[n]] =
    let x = stop_gradient(found.x)
    let inverse = factored(stop_gradient(jacfwd(grad(f))(x)))
    let residual = _largest(stop_gradient(grad(f)(x)), a)
    let value = implicit_solution(
        fn x -> -grad(f)(x),
        inverse.inverse,
        inverse.inverse_transposed,
        x,
        order=order
    )
    let objective = f(value)
    {
        value = value,
        objective = objective,
        residual = residual,
        steps = found.steps,
        converged = stop_gradient(found.done) and isfinite(objective)
    }
def _bfgs[a: Float](f: (a[n]) -> a, x0: a[n], static tolerance: float?, static limit: size) -> {x: a[n], steps: i32, done: bool} =
    let last = iterate s = {at = _descent(f, x0), inverse = eye(n, a), fresh = true} while _goes_on(s.at, tolerance) limit limit do
        let along = -(s.inverse @ s.at.g)
        let step = if s.fresh then _first_step(s.at.g, a) else cast(1.0, a)
        let at = _descended(s.at, _wolfe(f, s.at.x, s.at.f, s.at.g, along, step, 0.9), along)
        let (move, change) = (at.x - s.at.x, at.g - s.at.g)
        let sy = dot(move, change)
        let useful = sy > cast(_precision(a), a) * sqrt(dot(move, move) * dot(change, change))
        let before = if s.fresh then (sy / where(dot(change, change) == 0.0, 1.0, dot(change, change))) * eye(n, a) else s.inverse
        let turned = before @ change
        let rho = 1.0 / where(useful, sy, 1.0)
        let learned = before + (rho + rho * rho * dot(change, turned)) * outer(move, move) - rho * (outer(turned, move) + outer(move, turned))
        let inverse = if ~at.sound then eye(n, a) else if useful then learned else s.inverse
        {at = {at with sound = at.sound or ~s.fresh}, inverse = inverse, fresh = ~at.sound or (s.fresh and ~useful)}
    _ended(last.at, tolerance)

## The x that makes f smallest, on trees, by L-BFGS: as `bfgs`, with the last `memory` steps in place of the matrix (Liu and
## Nocedal 1989). Tolerance and `converged` are as in `trust_region`.
def lbfgs[F: Float, P: VSpace[Float]](
    f: (P) -> F,
    x0: P,
    *,
    static memory: size = 10,
    static tolerance: float? = none,
    static limit: size = 500,
    static order: size = 2
) -> Minimum[F, P] where memory >= 1 =
    _minimum(f, _lbfgs(f, stop_gradient(x0), memory, tolerance, limit), order)
type _Steps[F: Float, P: VSpace, m] = {
    moves: P[m],
    changes: P[m],
    inverses: F[m],
    count: i32,
    scale: F
}
def _no_steps[F: Float, P: VSpace[Float]](
    like: P,
    one: F,
    static memory: size
) -> _Steps[F, P, memory] =
    let blank = [zeros_like(like) for _ in range(memory)]
    {moves = blank, changes = blank, inverses = zeros([memory], F), count = i32(0), scale = one}
def _lbfgs[F: Float, P: VSpace[Float]](
    f: (P) -> F,
    x0: P,
    static memory: size,
    static tolerance: float?,
    static limit: size
) -> {x: P, steps: i32, done: bool} where memory >= 1 =
    let blank: _Steps[F, P, memory] = _no_steps(x0, cast(1.0, F), memory)
    let last =
        iterate s = {
            at = _descent(f, x0),
            steps = blank
        } while _goes_on(s.at, tolerance) limit limit do
            let fresh = s.steps.count == 0
            let along = _along(s.steps, s.at.g)
            let step = if fresh then _first_step(s.at.g, F) else cast(1.0, F)
            let at = _descended(s.at, _wolfe(f, s.at.x, s.at.f, s.at.g, along, step, 0.9), along)
            let steps = if at.sound then _learned(s.steps, at.x - s.at.x, at.g - s.at.g) else blank
            {at = {at with sound = at.sound or ~fresh}, steps = steps}
    _ended(last.at, tolerance)
def _learned[F: Float, P: VSpace[Float]](s: _Steps[F, P, m], move: P, change: P) -> _Steps[F, P, m]
    where m >= 1 =
    let (sy, yy) = (_dot(move, change, F), _dot(change, change, F))
    let useful = sy > cast(_precision(F), F) * sqrt(_dot(move, move, F) * yy)
    let place = s.count % m
    let learned: _Steps[F, P, m] = {
        moves = s.moves.at[place].set(move),
        changes = s.changes.at[place].set(change),
        inverses = s.inverses.at[place].set(1.0 / where(useful, sy, 1.0)),
        count = s.count + 1,
        scale = sy / where(yy == 0.0, 1.0, yy)
    }
    _chosen(useful, learned, s)
# The direction, from the newest step to the oldest and back. A step that is not there changes nothing.
def _along[F: Float, P: VSpace[Float]](s: _Steps[F, P, m], g: P) -> P where m >= 1 =
    let (q, weights) = scan q = g for i in range(m) do
        let place = (s.count - 1 - i) % m
        let weight = s.inverses[place] * _dot(s.moves[place], q, F)
        (q - _times(weight, s.changes[place]), weight)
    let down = fold r = _times(s.scale, q) for i in range(m) do
        let place = (s.count + i) % m
        let own = weights[m - 1 - i] - s.inverses[place] * _dot(s.changes[place], r, F)
        r + _times(own, s.moves[place])
    -down

## The x that makes f smallest, on trees, by nonlinear conjugate gradients with the memory of one direction (Hager and Zhang
## 2005). Tolerance and `converged` are as in `trust_region`.
def nonlinear_cg[F: Float, P: VSpace[Float]](
    f: (P) -> F,
    x0: P,
    *,
    static tolerance: float? = none,
    static limit: size = 1000,
    static order: size = 2
) -> Minimum[F, P] =
    _minimum(f, _nonlinear_cg(f, stop_gradient(x0), tolerance, limit), order)
def _nonlinear_cg[F: Float, P: VSpace[Float]](
    f: (P) -> F,
    x0: P,
    static tolerance: float?,
    static limit: size
) -> {x: P, steps: i32, done: bool} =
    let start = _descent(f, x0)
    let last =
        iterate s = {
            at = start,
            along = -start.g,
            step = _first_step(start.g, F),
            fresh = true
        } while _goes_on(s.at, tolerance) limit limit do
            let at = _descended(
                s.at,
                _wolfe(f, s.at.x, s.at.f, s.at.g, s.along, s.step, 0.1),
                s.along
            )
            let change = at.g - s.at.g
            let dy = _dot(s.along, change, F)
            let safe = where(dy == 0.0, 1.0, dy)
            let part = (
                (
                    _dot(change, at.g, F)
                    - 2.0 * _dot(change, change, F) * _dot(s.along, at.g, F) / safe
                )
                / safe
            )
            let least = -1.0 / (_length(s.along, F) * minimum(cast(0.01, F), _length(s.at.g, F)))
            let turned = -at.g + _times(maximum(part, least), s.along)
            let slope = _dot(turned, at.g, F)
            let good = at.sound and dy != 0.0 and slope < 0.0
            let along = _chosen(good, turned, -at.g)
            let before = (
                _dot(s.along, s.at.g, F)
                * _length(at.x - s.at.x, F)
                / where(s.step == 0.0, 1.0, _length(s.along, F))
            )
            let step =
                if good then maximum(before / slope, cast(1e-30, F)) else _first_step(at.g, F)
            {at = {at with sound = at.sound or ~s.fresh}, along = along, step = step, fresh = ~good}
    _ended(last.at, tolerance)

## The x that makes f smallest, without derivatives, by the method of Nelder and Mead (1965) with the parameters of Gao and
## Han (2012): for a few numbers. Converged where the values at the n + 1 corners differ by at most `tolerance`, times the
## objective where that is above 1, and the corners by at most `tolerance`, times the largest |x|. `residual` is the difference
## of the values. The derivative of the value is that of a minimum of a smooth f.
def nelder_mead[a: Float](
    f: (a[*s]) -> a,
    x0: a[*s],
    *,
    static tolerance: float? = none,
    static limit: size = 2000,
    static order: size = 2
) -> {value: a[*s], objective: a, residual: a, steps: i32, converged: bool}
    where extent(s, none) >= 1 =
    let flat = fn (x: a[extent(s, none)]) -> f(reshape(x, s))
    let found = _simplex(flat, stop_gradient(ravel(x0)), tolerance, limit)
    let at = _minimum_of_vector(
        flat,
        {x = found.x, steps = found.steps, done = found.converged},
        order
    )
    _shaped_minimum({at with residual = stop_gradient(found.spread)}, s)
def _simplex[a: Float](
    f: (a[n]) -> a,
    x0: a[n],
    static tolerance: float?,
    static limit: size
) -> {x: a[n], steps: i32, spread: a, converged: bool} where n >= 1 =
    let relative = cast((if tolerance != none then tolerance else _precision(a) ** 0.5), a)
    let size = where(x0 == 0.0, 0.00025, 0.05 * x0)
    let corners = concatenate((x0[None], x0[None] + diag(size)))
    let values = [f(x) for x in corners]
    let first: _Simplex[a, n] = _sorted({corners = corners, values = values, steps = i32(0)})
    let last = iterate s: _Simplex[a, n] = first while ~_is_small(
        s,
        relative
    ) limit limit do _sorted(
        _flipped(f, s)
    )
    {
        x = last.corners[0],
        steps = last.steps,
        spread = last.values[n] - last.values[0],
        converged = _is_small(last, relative)
    }
type _Simplex[F: Float, n] = {corners: F[n + 1, n], values: F[n + 1], steps: i32}
def _sorted[F: Float](s: _Simplex[F, n]) -> _Simplex[F, n] where n >= 1 =
    let order = argsort(s.values)
    {corners = s.corners[order], values = s.values[order], steps = s.steps}
def _is_small[F: Float](s: _Simplex[F, n], relative: F) -> bool where n >= 1 =
    let flat = s.values[n] - s.values[0] <= relative * maximum(1.0, abs(s.values[0]))
    flat and _most(s.corners - s.corners[0][None]) <= relative * maximum(1.0, _most(s.corners[0]))
def _flipped[F: Float](f: (F[n]) -> F, s: _Simplex[F, n]) -> _Simplex[F, n] where n >= 1 =
    let centre = mean(s.corners[:n], axis=0)
    let (best, worse, worst) = (s.values[0], s.values[n - 1], s.values[n])
    let away = centre - s.corners[n]
    let (grown, shrunk, kept) = (
        1.0 + 2.0 / cast(n, F),
        0.75 - 0.5 / cast(n, F),
        1.0 - 1.0 / cast(maximum(n, 2), F)
    )
    let mirrored = f(centre + away)
    let factor =
        if mirrored < best then
            grown
        else if mirrored < worse then
            cast(1.0, F)
        else if mirrored < worst then
            shrunk
        else
            -shrunk
    let tried =
        if mirrored < best or ~(mirrored < worse) then f(centre + factor * away) else mirrored
    let far = mirrored < best and ~(tried < mirrored)
    let (value, x) = if far then (mirrored, centre + away) else (tried, centre + factor * away)
    let good = mirrored < worse or (if mirrored < worst then tried <= mirrored else tried < worst)
    if good then {
        corners = s.corners.at[n].set(x),
        values = s.values.at[n].set(value),
        steps = s.steps + 1
    }
    else
        let corners = s.corners[0][None] + kept * (s.corners - s.corners[0][None])
        {corners = corners, values = [f(x) for x in corners], steps = s.steps + 1}

# ---------------------------------------------------------------- integrals

# The polynomial of Legendre of degree n at cos t and its derivative by t. The recurrence is that of the differences, which
# keep their digits where cos t is near 1.
def _legendre(static n: size, t: f64[m]) -> (f64[m], f64[m]) =
    let drop = 2.0 * square(sin(0.5 * t))
    let (p, change) = fold (p, change) = (ones([m], f64), zeros([m], f64)) for i in range(n) do
        let k = f64(i)
        let change = (k * change - (2.0 * k + 1.0) * drop * p) / (k + 1.0)
        (p + change, change)
    (p, n * (change - drop * p) / sin(t))
# The step of Halley's method.
def _towards_root(t: f64[m], value: f64[m], slope: f64[m]) -> f64[m] =
    let step = -value / slope
    step / (1.0 - 0.5 * step / tan(t))

## The nodes between -1 and 1 and the weights of the rule of Gauss and Legendre with n nodes, exact for polynomials of degree
## 2 n - 1. All nodes are computed at once, in a number of operations that grows with n squared.
def gauss_legendre(static n: size) -> (f64[n], f64[n]) =
    let i = iota([n])
    let place = (f64(minimum(i, n - 1 - i)) + 0.75) * pi / (n + 0.5)
    let start = place + 1.0 / (8.0 * square(n + 0.5) * tan(place))
    let (value, slope) = _legendre(n, start)
    let near = start + _towards_root(start, value, slope)
    let (value, slope) = _legendre(n, near)
    let step = _towards_root(near, value, slope)
    let there = slope - step * (slope / tan(near) + n * (n + 1.0) * value)
    (f64(sign(2 * i - (n - 1))) * cos(near + step), 2.0 / square(there))
## The integral of f from a to b by n nodes of Gauss and Legendre: for smooth f. What f gives may be a tree.
def quadrature[F: Float, P: VSpace[Float]](f: (F) -> P, a: F, b: F, *, static n: size = 16) -> P
    where n >= 1 =
    let (nodes, weights) = gauss_legendre(n)
    let values = [f(a + 0.5 * (b - a) * (1.0 + cast(t, F))) for t in nodes]
    _times(0.5 * (b - a), _combined(values, weights, f(0.5 * (a + b))))

## An integral: `error` is what its error is estimated to be at most, `steps` the number of intervals.
type Integral[F: Float, P: VSpace] = {value: P, error: F, steps: i32, converged: bool}
type _Cells[F: Float, P: VSpace, m] = {
    left: F[m],
    width: F[m],
    sums: P[m],
    errors: F[m],
    count: i32
}
let _kronrod_nodes = f64(
    [
        0.9914553711208126,
        0.9491079123427585,
        0.8648644233597691,
        0.7415311855993945,
        0.5860872354676911,
        0.4058451513773972,
        0.2077849550078985
    ]
)
let _kronrod_weights = f64(
    [
        0.022935322010529224,
        0.06309209262997856,
        0.10479001032225019,
        0.14065325971552592,
        0.1690047266392679,
        0.19035057806478542,
        0.20443294007529889
    ]
)
let _gauss_weights = f64(
    [0.0, 0.12948496616886969, 0.0, 0.27970539148927664, 0.0, 0.3818300505051189, 0.0]
)
# The sums of 15 nodes and of the 7 among them.
def _two_sums[F: Float, P: VSpace[Float]](f: (F) -> P, left: F, width: F) -> (P, P) =
    let half = _kronrod_nodes
    let nodes = concatenate((-half, zeros([1], f64), half))
    let values = [f(left + width * cast(0.5 + 0.5 * t, F)) for t in nodes]
    let middle = f(left + 0.5 * width)
    let own = _kronrod_weights
    let fine = _combined(values, concatenate((own, f64([0.20948214108472782]), own)), middle)
    let other = _gauss_weights
    let coarse = _combined(values, concatenate((other, f64([0.4179591836734694]), other)), middle)
    (_times(0.5 * width, fine), _times(0.5 * width, coarse))

## The integral of f from a to b by the rule of Gauss and Kronrod with 15 nodes, on intervals of which the one with the
## largest error is halved, at most `limit` of them: until the sum of the errors is at most `tolerance`, times the largest
## element of the integral where that is above 1. What f gives may be a tree. The derivatives by a, b and what f captures are
## sums over the same nodes.
def integrate[F: Float, P: VSpace[Float]](
    f: (F) -> P,
    a: F,
    b: F,
    *,
    static tolerance: float? = none,
    static limit: size = 64
) -> Integral[F, P] where limit >= 1 =
    let unit = fn (t: F) -> _times(b - a, f(a + (b - a) * t))
    let (cells, goal) = stop_gradient(_refined(unit, cast(0.0, F), tolerance, limit))
    let value = _total(cells.sums, cells.sums[0])
    let slope = zero_with_derivative(fn v -> v, fn v -> v, _summed_again(unit, cells))
    let error = sum(cells.errors)
    {value = value + slope, error = error, steps = cells.count, converged = error <= goal}
# The integral over the intervals that there are, a block of them at a time.
def _summed_again[F: Float, P: VSpace[Float]](f: (F) -> P, s: _Cells[F, P, m]) -> P where m >= 1 =
    let (_, total) =
        iterate (done, total) = (
            i32(0),
            zeros_like(s.sums[0])
        ) while done < s.count limit (m + 1) // 2 do
            let block = [clip(done + i, 0, m - 1) for i in range(2)]
            let width = where(done + iota([2]) < s.count, s.width[block], 0.0)
            let again = checkpoint(fn (left, width) -> [
                _two_sums(f, at, by).0 for (at, by) in zip(left, width)
            ])
            (done + 2, total + _total(again(s.left[block], width), total))
    total
def _total[P: VSpace[Float]](each: P[m], like: P) -> P =
    let (_, gather) = vjp(fn p -> [p for _ in range(m)], like)
    gather(each).0
def _refined[F: Float, P: VSpace[Float]](
    f: (F) -> P,
    zero: F,
    static tolerance: float?,
    static limit: size
) -> (_Cells[F, P, limit], F) where limit >= 1 =
    let relative = cast((if tolerance != none then tolerance else _precision(F) ** 0.6), F)
    let (whole, coarse) = _two_sums(f, zero, zero + 1.0)
    let blank = [zeros_like(whole) for _ in range(limit)]
    let first: _Cells[F, P, limit] = {
        left = full([limit], zero + 0.5).at[0].set(0.0),
        width = zeros([limit], F).at[0].set(1.0),
        sums = blank.at[0].set(whole),
        errors = zeros([limit], F).at[0].set(_largest(whole - coarse, F)),
        count = i32(1)
    }
    let last = iterate s: _Cells[
        F,
        P,
        limit
    ] = first while s.count < limit and sum(s.errors) > relative * maximum(
        1.0,
        _largest(_total(s.sums, whole), F)
    ) limit limit do _halved_cell(f, s)
    (last, relative * maximum(1.0, _largest(_total(last.sums, whole), F)))
def _halved_cell[F: Float, P: VSpace[Float]](f: (F) -> P, s: _Cells[F, P, m]) -> _Cells[F, P, m]
    where m >= 1 =
    let i = argmax(s.errors)
    let j = clip(s.count, 0, m - 1)
    let (left, width) = (s.left[i], 0.5 * s.width[i])
    let both = [_two_sums(f, at, width) for at in [left, left + width]]
    let errors = [_largest(fine - coarse, F) for (fine, coarse) in both]
    {
        left = s.left.at[j].set(left + width),
        width = s.width.at[i].set(width).at[j].set(width),
        sums = s.sums.at[i].set(both.0[0]).at[j].set(both.0[1]),
        errors = s.errors.at[i].set(errors[0]).at[j].set(errors[1]),
        count = s.count + 1
    }
## The integral of f from a to infinity, by x = a + t / (1 - t).
def integrate_tail[F: Float, P: VSpace[Float]](
    f: (F) -> P,
    a: F,
    *,
    static tolerance: float? = none,
    static limit: size = 64
) -> Integral[F, P] where limit >= 1 =
    integrate(
        fn t -> _times(1.0 / square(1.0 - t), f(a + t / (1.0 - t))),
        cast(0.0, F),
        cast(1.0, F),
        tolerance=tolerance,
        limit=limit
    )
## The integral of f over all numbers, by x = centre + t / (1 - t^2): `centre` is where f is large.
def integrate_line[F: Float, P: VSpace[Float]](
    f: (F) -> P,
    centre: F,
    *,
    static tolerance: float? = none,
    static limit: size = 64
) -> Integral[F, P] where limit >= 1 =
    integrate(
        fn t -> _times((1.0 + t * t) / square(1.0 - t * t), f(centre + t / (1.0 - t * t))),
        cast(-1.0, F),
        cast(1.0, F),
        tolerance=tolerance,
        limit=limit
    )
## The integral of values at equal distances dx by Simpson's rule, exact for polynomials of degree 3 where their number is
## odd, of degree 2 where it is even; of two values that of `trapezoid`.
def simpson[a: Float](y: a[n], *, dx: a = 1.0) -> a where n >= 2 =
    if n == 2 then 0.5 * dx * (y[0] + y[1])
    else if n % 2 == 1 then _simpson(y, dx)
    else _simpson(y[: n - 1], dx) + dx * (5.0 * y[n - 1] + 8.0 * y[n - 2] - y[n - 3]) / 12.0
def _simpson[a: Float](y: a[n], dx: a) -> a where n >= 3 and n % 2 == 1 =
    dx / 3.0 * (y[0] + y[n - 1] + 4.0 * sum(y[1 : n - 1 : 2]) + 2.0 * sum(y[2 : n - 1 : 2]))
