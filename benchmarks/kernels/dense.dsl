# Dense linear algebra and statistics of the columns of a matrix.

import linalg

def gemm(alpha: f64, beta: f64, c: f64[n, m], a: f64[n, k], b: f64[k, m]) -> f64[n, m] = alpha * (a @ b) + beta * c

def atax(a: f64[n, m], x: f64[m]) -> f64[m] = (a @ x) @ a

def bicg(a: f64[n, m], p: f64[m], r: f64[n]) -> (f64[m], f64[n]) = (r @ a, a @ p)

## The product with a symmetric matrix, of which only the lower triangle is given.
def symm(alpha: f64, beta: f64, c: f64[n, m], a: f64[n, n], b: f64[n, m]) -> f64[n, m] =
    alpha * ((tril(a) + tril(a, -1).T) @ b) + beta * c

## The lower triangle of a symmetric product.
def syrk(alpha: f64, beta: f64, c: f64[n, n], a: f64[n, k]) -> f64[n, n] =
    triu(c, 1) + tril(alpha * (a @ a.T) + beta * c)

def doitgen(a: f64[r, q, p], c: f64[p, s]) -> f64[r, q, s] = a @ c

def trisolv(l: f64[n, n], b: f64[n]) -> f64[n] = linalg.solve_triangular(l, b, lower=true)

def covariance(x: f64[n, m]) -> f64[m, m] where n >= 2 =
    let centred = x - mean(x, axis=0)
    centred.T @ centred / (n - 1)

def correlation(x: f64[n, m]) -> f64[m, m] where n >= 1 =
    let spread = std(x, axis=0)
    let scaled = (x - mean(x, axis=0)) / (sqrt(f64(n)) * where(spread <= 0.1, 1.0, spread))
    scaled.T @ scaled

## The modified process of Gram and Schmidt: orthonormal columns and the triangle that makes the matrix of them.
def gramschmidt(a: f64[n, m]) -> (f64[n, m], f64[m, m]) =
    fold (q, r) = (a, zeros([m, m], f64)) for k in range(m) do
        let length = sqrt(sum(q[:, k] ** 2))
        let column = q[:, k] / length
        let row = where(arange(m) > k, column @ q, 0.0)
        ((q - outer(column, row)).at[:, k].set(column), r.at[k].set(row.at[k].set(length)))

## The factors of Gauss's elimination without exchanges, in one matrix.
def lu(a: f64[n, n]) -> f64[n, n] =
    fold a = a for k in range(n) do
        let below = arange(n) > k
        let column = where(below, a[:, k] / a[k, k], 0.0)
        (a - outer(column, where(below, a[k], 0.0))).at[:, k].set(where(below, column, a[:, k]))

## The recursion of Levinson and Durbin for the equations of Yule and Walker.
def durbin(r: f64[n]) -> f64[n] where n >= 1 =
    let start = (zeros([n], f64).at[0].set(-r[0]), -r[0], 1.0)
    let (y, _, _) = fold (y, alpha, beta) = start for k in range(1, n) do
        let before = arange(n) < k
        let turned = concatenate((flip(y), zeros([n], f64)))[n - k : n - k + n]
        let weights = concatenate((flip(r), zeros([n], f64)))[n - k : n - k + n]
        let beta = (1.0 - alpha * alpha) * beta
        let alpha = -(r[k] + sum(where(before, weights * y, 0.0))) / beta
        (where(before, y + alpha * turned, y).at[k].set(alpha), alpha, beta)
    y

def cholesky2(a: f64[n, n]) -> f64[n, n] = linalg.cholesky(a)
