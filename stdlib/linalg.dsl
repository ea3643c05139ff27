# Linear algebra on the last two axes.

## The lower triangle L with L @ L.T equal to the symmetric positive definite a.
def cholesky[a: Inexact](x: a[*s, n, n]) -> a[*s, n, n] = intrinsic.cholesky(x)
## The solution x of a @ x = b for triangular a.
def solve_triangular[a: Inexact](a_: a[n, n], b: a[n, *s], *, static lower: bool = false, static trans: bool = false, static unit_diagonal: bool = false) -> a[n, *s] =
    intrinsic.solve_triangular(a_, b, lower=lower, trans=trans, unit_diagonal=unit_diagonal)
## The solution x of a @ x = b.
def solve[a: Inexact](a_: a[n, n], b: a[n, *s]) -> a[n, *s] = intrinsic.solve(a_, b)
## The inverse matrix.
def inv[a: Inexact](x: a[n, n]) -> a[n, n] = intrinsic.solve(x, intrinsic.eye(n=n, dtype=a))
def det[a: Inexact](x: a[n, n]) -> a = intrinsic.det(x)
## The sign of the determinant and the logarithm of its absolute value.
def slogdet[a: Float](x: a[n, n]) -> (a, a) = intrinsic.slogdet(x)
## Orthogonal Q and upper triangular R with Q @ R equal to x.
def qr[a: Inexact](x: a[n, m]) -> (a[n, min(n, m)], a[min(n, m), m]) = intrinsic.qr(x)
## Eigenvalues in ascending order and eigenvectors in columns, of a symmetric matrix.
def eigh[a: Float](x: a[n, n]) -> (a[n], a[n, n]) = intrinsic.eigh(x)
## Singular values and vectors: x is (u * s) @ vt.
def svd[a: Float](x: a[n, m]) -> (a[n, min(n, m)], a[min(n, m)], a[min(n, m), m]) = intrinsic.svd(x)
## The Euclidean norm of all elements.
def norm[a: Float](x: a[*s]) -> a = sqrt(sum(x * x))
