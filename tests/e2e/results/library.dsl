#### prelude_names
def a(x: f32[n, m]) -> (f32[n, m], f32[n, m], f32[n, m]) = (zeros_like(x), ones_like(x), full([n, m], 2.0))
def b(static n: int) -> (f32[n], f32[n, n], f32[n, n]) where n >= 2 = (linspace(0.0, 1.0, n), eye(n), diag(ones([n])))
def c(x: f32[n, n]) -> f32 = sum(tril(x)) + sum(triu(x, k=1)) + sum(diag(x))
def d(x: f32[n]) -> f32[n] = abs(x) + sign(x) + exp(x) + log1p(abs(x)) + expm1(x) + sin(x) + cos(x) + tan(x) + sinh(x) + cosh(x) + tanh(x) + arctan(x) + erf(x) + floor(x) + ceil(x) + round(x) + square(x)
def e(x: f32[n]) -> f32[n] = sqrt(abs(x)) + log(abs(x) + 1.0) + log2(abs(x) + 1.0) + log10(abs(x) + 1.0) + arcsin(x * 0.0) + arccos(x * 0.0) + arcsinh(x) + reciprocal(x * x + 1.0) + power(abs(x), 2.0) + cbrt(x) + rsqrt(abs(x) + 1.0)
def f(x: f32[n], y: f32[n]) -> f32[n] = maximum(x, y) + minimum(x, y) + arctan2(x, y) + hypot(x, y) + mod(x, y + 10.0) + logaddexp(x, y) + floor_divide(x, y + 10.0)
def g(x: f32[n, m]) -> f32[n] where m >= 1 and n >= 1 = sum(x, axis=1) + mean(x, axis=1) + prod(x, axis=1) + min(x, axis=1) + max(x, axis=1) + var(x, axis=1) + std(x, axis=1) + f32(argmax(x, axis=1)) + f32(argmin(x, axis=1)) + median(x, axis=1)
def h(x: bool[n, m]) -> (bool, bool[n]) = (any(x), all(x, axis=1))
def i(x: f32[n, m]) -> f32[n, m] = cumsum(x, axis=0) + cumprod(x, axis=1) + cummax(x, axis=0) + cummin(x, axis=1)
def j(x: f32[n, m, k]) -> f32[k, n, m] = moveaxis(x, -1, 0) + transpose(x, (2, 0, 1)) + swapaxes(swapaxes(x, 0, 2), 1, 2)
def k(x: f32[n, m]) -> f32[n, m] = squeeze(expand_dims(x, axis=0), axis=0) + flip(x) + flip(x, axis=0) + roll(x, 1, axis=1)
def l(x: f32[n]) -> f32[2 * n] = tile(x, 2) + repeat(x, 2) + concatenate((x, x)) + reshape(stack((x, x)), [2 * n]) + concatenate([x, x])
def o(x: f32[6]) -> (f32[2], f32[3], f32[1]) = split_at(x, (2, 5))
def p(x: f32[n], y: f32[n], z: f32[n, m]) -> f32 = dot(x, y) + sum(matmul(x, z)) + einsum("i,i->", x, y) + einsum("i,ij,k->", x, z, y) + tensordot(x, y, axes=1) + sum(outer(x, y)) + vdot(x, y)
def q(x: f32[n], y: f32[m]) -> f32[n + m - 1] where n >= 1 and m >= 1 = convolve(x, y)
def s(x: f32[n, m]) -> (f32[n, m], idx[m][n, m]) = (sort(x, axis=1), argsort(x, axis=1))
def t(x: f32[n]) -> (f32[2], idx[n][2]) where n >= 2 = top_k(x, 2)
def u(x: f32[n], v: f32[m]) -> idx[n + 1][m] = searchsorted(x, v)
def v(x: f32[n, m]) -> f32[n + 2, m + 1] = pad(x, ((1, 1), (0, 1)), constant_values=3.0)
def w(x: f32[m]) -> f32[3, m] = broadcast_to(x, [3, m])
def y(x: f32[n]) -> bool[n] = isnan(x) | isinf(x) | ~isfinite(x) | logical_and(x > 0.0, x < 1.0) | logical_not(x > 0.0) | greater(x, 0.0) | equal(x, x)
def z() -> f32 = pi + e_() + inf * 0.0 - nan
def e_() -> f32 = 1.0
def a1(z: c64[n]) -> f32[n] = real(z) + imag(z) + abs(z) + angle(z) + real(conj(z))
def a2(x: f32[n]) -> f32[n] = where(x > 0.0, x, 0.0) + clip(x, -1.0, 1.0) + clip(x, min=0.0, max=0.5)
def a3(x: f32[n]) -> f32[n] where n >= 1 = x / norm_(x)
def norm_(x: f32[n]) -> f32 = sqrt(sum(x * x))
def a4() -> i32[3] = iota(3) + i32(arange(3)) + arange(1, 4)
def a5(x: f32[n]) -> f32 = max(2, 3) + min(1.5, 2.0) + max(sum(x), 0.0)
#= b(3) => (np.linspace(0, 1, 3).astype('f4'), np.eye(3, dtype='f4'), np.eye(3, dtype='f4'))
#= o(A(1, 2, 3, 4, 5, 6)) => (A(1, 2), A(3, 4, 5), A(6))
#= q(A(1, 2, 3), A(1, 1)) => A(1, 3, 5, 3)
#= v(A([1])) => A([3, 3], [1, 3], [3, 3])
#= t(A(1, 3, 2)) => (A(3, 2), I(1, 2))
#= a4() => I(1, 4, 7)
#### modules_names
import linalg
import fft
import special
import random
import nn
import optim
import stats
def a(x: f32[n, n], b: f32[n]) -> f32 = linalg.norm(x) + linalg.det(x) + sum(linalg.solve(x, b)) + sum(linalg.inv(x)) + sum(linalg.cholesky(x @ x.T + eye(n)))
def b(x: f32[n, m]) -> (f32[n, min(n, m)], f32[min(n, m), m]) = linalg.qr(x)
def c(x: f32[n, n]) -> (f32[n], f32[n, n]) = linalg.eigh(x + x.T)
def d(x: f32[n, m]) -> f32[min(n, m)] =
    let (u, s, vt) = linalg.svd(x, full_matrices=false)
    s
def e(x: f32[n, n]) -> (f32, f32) = linalg.slogdet(x)
def g(x: f32[n, n], b: f32[n, k]) -> f32[n, k] = linalg.solve_triangular(tril(x), b, lower=true)
def h(x: f32[n]) -> c64[n] where n >= 1 = fft.ifft(fft.fft(x))
def i(x: f32[n]) -> f32[n] = special.gammaln(abs(x) + 1.0) + special.digamma(abs(x) + 1.0) + special.expit(x) + special.erf(x) + special.xlogy(x, x * 0.0 + 1.0)
def j(x: f32[n]) -> f32 = special.logsumexp(x)
def k(x: f32[n, d]) -> f32[n, d] = nn.relu(x) + nn.gelu(x) + nn.sigmoid(x) + nn.silu(x) + nn.softplus(x) + nn.elu(x) + nn.leaky_relu(x, 0.1) + nn.softmax(x) + nn.log_softmax(x, axis=0)

def l(ids: idx[5][n]) -> f32[n, 5] = nn.one_hot(ids, 5)
def m(k: key, x: f32[n]) -> f32[n] = random.normal(k, [n]) + x
def o(x: f32[n]) -> f32[n] = stats.norm_logpdf(x)
#= l(I(1, 0)) => A([0, 1, 0, 0, 0], [1, 0, 0, 0, 0])
#= h(A(1, 2, 3)) => np.array([1, 2, 3], 'c8')
#### iota_and_svd
import linalg
def a() -> i32[3] = iota(3)
def b(x: f32[n]) -> i32[n] = iota(n) + iota(x.shape) + iota(i32, n) + iota(dtype=i32, size=n) + iota([n])
def c() -> f32[2, 3] = iota([2, 3], axis=1, dtype=f32)
def d(x: f32[n, m]) -> f32[min(n, m)] =
    let (u, s, vt) = linalg.svd(x, full_matrices=false)
    s
def e() -> f32[3] = iota(f32, 3)
#= b(A(1, 2)) => I(0, 5)
#= c() => A([0, 1, 2], [0, 1, 2])
