# Special functions, named as in jax.scipy.special. Elementwise, with the broadcasting of the operators.

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
def gammasgn[a: Float](x: a[*s]) -> a[*s] = where((x < 0) & (mod(floor(x), 2.0) != 0), -1.0, 1.0)
## Γ(x).
def gamma[a: Float](x: a[*s]) -> a[*s] = gammasgn(x) * exp(gammaln(x))
## log |Γ_d(x)|, of the gamma function in d dimensions.
def multigammaln[a: Float](x: a[*s], static d: int) -> a[*s] where d >= 1 =
    let rest = fold total = zeros_like(x) for k in range(d) do total + gammaln(x - cast(k, a) / 2)
    rest + d * (d - 1) / 4.0 * log(pi)

## x! = Γ(x + 1), for x >= 0.
def factorial[a: Float](x: a[*s]) -> a[*s] = where(x < 0, 0.0, exp(gammaln(x + 1.0)))
## log |Β(x, y)| = gammaln(x) + gammaln(y) - gammaln(x + y).
def betaln[a: Float](x: a[*s], y: a[*s]) -> a[*s] = gammaln(x) + gammaln(y) - gammaln(x + y)
## Β(x, y), for positive x and y.
def beta[a: Float](x: a[*s], y: a[*s]) -> a[*s] = exp(betaln(x, y))
## 1 / (1 + exp(-x)).
def expit[a: Float](x: a[*s]) -> a[*s] = intrinsic.sigmoid(x)
## log(p / (1 - p)).
def logit[a: Float](x: a[*s]) -> a[*s] = log(x) - log1p(-x)
## log(expit(x)), without overflow.
def log_expit[a: Float](x: a[*s]) -> a[*s] = -logaddexp(-x, 0.0)
## x log(y), 0 where x is 0.
def xlogy[a: Float](x: a[*s], y: a[*s]) -> a[*s] = where(x == 0, 0.0, x * log(where(x == 0, 1.0, y)))
## x log(1 + y), 0 where x is 0.
def xlog1py[a: Float](x: a[*s], y: a[*s]) -> a[*s] = where(x == 0, 0.0, x * log1p(where(x == 0, 0.0, y)))
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
def ndtri[a: Float](p: a[*s]) -> a[*s] = sqrt(2.0) * erfinv(2.0 * p - 1.0)
## log(ndtr(x)); below -5 by the asymptotic series of Abramowitz and Stegun 26.2.12.
def log_ndtr[a: Float](x: a[*s]) -> a[*s] =
    let far = x < -5.0
    let u = where(far, x, -5.0)
    let z = 1.0 / (u * u)
    let series = 1.0 - z * (1.0 - z * (3.0 - z * (15.0 - z * (105.0 - z * (945.0 - z * 10395.0)))))
    where(far, -0.5 * u * u - log(-u) - 0.5 * log(2.0 * pi) + log(series), log(ndtr(where(far, 0.0, x))))
## sin(pi x) / (pi x), 1 at 0.
def sinc[a: Float](x: a[*s]) -> a[*s] = where(x == 0, 1.0, sin(pi * x) / where(x == 0, 1.0, pi * x))
## log(sum(exp(x))), without overflow.
def logsumexp[a: Float](x: a[*s], *, static axis: axes = none, static keepdims: bool = false) -> a[*reduced(s, axis, keepdims)] = intrinsic.logsumexp(x, axis=axis, keepdims=keepdims)
## exp(x) / sum(exp(x)), without overflow.
def softmax[a: Float](x: a[*s], *, static axis: axes = none) -> a[*s] where has_axis(s, axis) =
    exp(x - logsumexp(x, axis=axis, keepdims=true))
## x - logsumexp(x).
def log_softmax[a: Float](x: a[*s], *, static axis: axes = none) -> a[*s] where has_axis(s, axis) =
    x - logsumexp(x, axis=axis, keepdims=true)
