# Special functions, named as in jax.scipy.special. Elementwise, with the broadcasting of the operators.

import prelude

## The error function.
def erf[a: Float](x: a[*s]) -> a[*s] = intrinsic.erf(x)
## 1 - erf(x), exact for large x.
def erfc[a: Float](x: a[*s]) -> a[*s] = intrinsic.erfc(x)
## The x with erf(x) = y.
def erfinv[a: Float](x: a[*s]) -> a[*s] = intrinsic.erf_inv(x)
## The logarithm of |Γ(x)|.
def gammaln[a: Float](x: a[*s]) -> a[*s] = intrinsic.lgamma(x)
## The derivative of gammaln.
def digamma[a: Float](x: a[*s]) -> a[*s] = intrinsic.digamma(x)
## Another name of `digamma`.
def psi[a: Float](x: a[*s]) -> a[*s] = intrinsic.digamma(x)
## The sign of Γ(x).
def gammasgn[a: Float](x: a[*s]) -> a[*s] = where(isnan(x), x, where((x < 0) & (mod(floor(x), 2.0) != 0), -1.0, 1.0))
## Γ(x).
def gamma[a: Float](x: a[*s]) -> a[*s] = gammasgn(x) * exp(gammaln(x))
## log |Γ_d(x)|, of the gamma function in d dimensions.
def multigammaln[a: Float](x: a[*s], static d: int) -> a[*s] where d >= 1 =
    let rest = fold total = zeros_like(x) for k in range(d) do total + gammaln(x - cast(k, a) / 2)
    rest + d * (d - 1) / 4.0 * log(pi)

## x! = Γ(x + 1), for x >= 0.
def factorial[a: Float](x: a[*s]) -> a[*s] = where(x < 0, 0.0, exp(gammaln(x + 1.0)))
## log |Β(x, y)| = gammaln(x) + gammaln(y) - gammaln(x + y).
def betaln[a: Float](x: a[*s], y: a[*s]) -> a[*s] =
    let small = minimum(x, y)
    let large = maximum(x, y)
    let far = (large >= 10) & (small > 0)
    let rest = gammaln(large) - gammaln(small + large)
    gammaln(small) + where(far, _log_gamma_ratio(small, where(far, large, 10.0)), rest)
# gammaln(y) - gammaln(x + y) for y >= 10, by Stirling's series of both with what is large in both cancelled.
def _log_gamma_ratio[a: Float](x: a[*s], y: a[*s]) -> a[*s] =
    let h = x / y
    let slope = where(h < 1e-8, 1.0 - 0.5 * h, log1p(h) / where(h < 1e-8, 1.0, h))
    _stirling(y) - _stirling(x + y) - (x - 0.5) * log1p(h) - x * (slope + log(y) - 1.0)
def _stirling[a: Float](x: a[*s]) -> a[*s] =
    let z = 1.0 / x
    let z2 = z * z
    z * (1.0 / 12 - z2 * (1.0 / 360 - z2 * (1.0 / 1260 - z2 * (1.0 / 1680 - z2 * (1.0 / 1188 - z2 * (691.0 / 360360 - z2 / 156))))))
## Β(x, y), for positive x and y.
def beta[a: Float](x: a[*s], y: a[*s]) -> a[*s] = exp(betaln(x, y))
## 1 / (1 + exp(-x)).
def expit[a: Float](x: a[*s]) -> a[*s] = intrinsic.sigmoid(x)
## log(p / (1 - p)).
def logit[a: Float](x: a[*s]) -> a[*s] = log(x) - log1p(-x)
## log(expit(x)), without overflow.
def log_expit[a: Float](x: a[*s]) -> a[*s] = -logaddexp(-x, 0.0)
## x log(y), 0 where x is 0.
def xlogy[a: Float](x: a[*s], y: a[*s]) -> a[*s] =
    let zero = (x == 0) & ~isnan(y)
    where(zero, 0.0, x * log(where(zero, 1.0, y)))
## x log(1 + y), 0 where x is 0.
def xlog1py[a: Float](x: a[*s], y: a[*s]) -> a[*s] =
    let zero = (x == 0) & ~isnan(y)
    where(zero, 0.0, x * log1p(where(zero, 0.0, y)))
## -x log(x), 0 at 0, -inf below.
def entr[a: Float](x: a[*s]) -> a[*s] = where(x < 0, -inf, -xlogy(x, x))
## x log(x / y), 0 where x is 0 and y >= 0, inf outside of the domain.
def rel_entr[a: Float](x: a[*s], y: a[*s]) -> a[*s] =
    let inside = (x > 0) & (y > 0)
    let safe = where(inside, x / where(inside, y, 1.0), 1.0)
    where(inside, x * log(safe), where((x == 0) & (y >= 0), 0.0, inf))
## rel_entr(x, y) - x + y.
def kl_div[a: Float](x: a[*s], y: a[*s]) -> a[*s] = rel_entr(x, y) - x + y
## The distribution function of the standard normal: erfc(-x / sqrt(2)) / 2.
def ndtr[a: Float](x: a[*s]) -> a[*s] = 0.5 * erfc(-x / sqrt(2.0))
## The x with ndtr(x) = p.
def ndtri[a: Float](p: a[*s]) -> a[*s] =
    if a == f16 or a == bf16 then cast(_normal_quantile(cast(p, f32)), a) else _normal_quantile(p)
# Three quotients of polynomials (Wichura 1988, algorithm AS 241): about the middle, and of the tails.
def _normal_quantile[a: Float](p: a[*s]) -> a[*s] =
    let q = p - 0.5
    let inside = abs(q) <= 0.425
    let tail = where(q < 0, p, 1.0 - p)
    let r = sqrt(-log(where(inside, 0.25, tail)))
    let near = r <= 5
    let size = where(near, _near_tail(where(near, r, 5.0)), _far_tail(where(near, 5.0, r)))
    where(inside, _middle(where(inside, q, 0.0)), where(tail == 0, inf, size) * where(q < 0, -1.0, 1.0))
def _middle[a: Float](q: a[*s]) -> a[*s] =
    let r = 0.180625 - q * q
    let above = fold y = 0.0 * r for c in (25.090809287301227, 334.30575583588126, 672.657709270087, 459.2195393154987, 137.31693765509462, 19.715909503065514, 1.3314166789178439, 0.03387132872796367) do y * r + c
    let below = fold y = 0.0 * r for c in (52.26495278852854, 287.2908573572194, 393.0789580009271, 212.13794301586597, 53.94196021424751, 6.871870074920579, 0.4231333070160091, 0.01) do y * r + c
    q * above / below
def _near_tail[a: Float](x: a[*s]) -> a[*s] =
    let r = x - 1.6
    let above = fold y = 0.0 * r for c in (7.745450142783414e-4, 0.022723844989269184, 0.2417807251774506, 1.2704582524523684, 3.6478483247632045, 5.769497221460691, 4.630337846156546, 1.4234371107496835) do y * r + c
    let below = fold y = 0.0 * r for c in (1.0507500716444169e-9, 5.475938084995345e-4, 0.015198666563616457, 0.14810397642748008, 0.6897673349851, 1.6763848301838038, 2.053191626637759, 1.0) do y * r + c
    above / below
def _far_tail[a: Float](x: a[*s]) -> a[*s] =
    let r = x - 5.0
    let above = fold y = 0.0 * r for c in (2.0103343992922881e-7, 2.7115555687434876e-5, 0.0012426609473880784, 0.026532189526576124, 0.29656057182850487, 1.7848265399172913, 5.463784911164114, 6.657904643501103) do y * r + c
    let below = fold y = 0.0 * r for c in (2.0442631033899397e-15, 1.4215117583164459e-7, 1.8463183175100548e-5, 7.868691311456133e-4, 0.014875361290850615, 0.13692988092273580, 0.5998322065558879, 1.0) do y * r + c
    above / below
## log(ndtr(x)); far below 0 by the asymptotic series of Abramowitz and Stegun 26.2.12.
def log_ndtr[a: Float](x: a[*s]) -> a[*s] =
    let far = x < _far_left(a)
    let u = where(far, x, _far_left(a))
    let z = 1.0 / (u * u)
    let series = 1.0 - z * (1.0 - z * (3.0 - z * (15.0 - z * (105.0 - z * (945.0 - z * 10395.0)))))
    let near = where(far, 0.0, x)
    let tail = ndtr(where(near > 0, -near, near))
    let inside = where(near > 0, log1p(-tail), log(tail))
    where(far, -0.5 * u * u - log(-u) - 0.5 * log(2.0 * pi) + log(series), inside)
# Where the series is as exact as the dtype.
static def _far_left(d: dtype) -> float = if d == f64 then -20.0 else if d == f32 then -10.0 else -5.0
## sin(pi x) / (pi x), 1 at 0.
def sinc[a: Float](x: a[*s]) -> a[*s] = where(x == 0, 1.0, sin(pi * x) / where(x == 0, 1.0, pi * x))
## log(sum(exp(x))), without overflow.
def logsumexp[a: Float](x: a[*s], *, static axis: axes = none, static keepdims: bool = false) -> a[*reduced(s, axis, keepdims)] = prelude.logsumexp(x, axis=axis, keepdims=keepdims)
## exp(x) / sum(exp(x)), without overflow.
def softmax[a: Float](x: a[*s], *, static axis: axes = none) -> a[*s] where has_axis(s, axis) =
    exp(x - logsumexp(x, axis=axis, keepdims=true))
## x - logsumexp(x).
def log_softmax[a: Float](x: a[*s], *, static axis: axes = none) -> a[*s] where has_axis(s, axis) =
    x - logsumexp(x, axis=axis, keepdims=true)
