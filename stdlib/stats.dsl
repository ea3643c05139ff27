# Densities and distribution functions of common distributions: `norm_logpdf` is jax.scipy.stats.norm.logpdf.
# Elementwise; `loc` and `scale` are scalars or fit x by the broadcasting of the operators.

import linalg
import special

# ---------------------------------------------------------------- the normal distribution

## -((x - loc) / scale)² / 2 - log(scale) - log(2 pi) / 2.
def norm_logpdf[a: Float](x: a[*s], loc: a = 0.0, scale: a = 1.0) -> a[*s] =
    -0.5 * square((x - loc) / scale) - log(scale) - 0.5 * log(2.0 * pi)
## The density of the normal distribution.
def norm_pdf[a: Float](x: a[*s], loc: a = 0.0, scale: a = 1.0) -> a[*s] = exp(norm_logpdf(x, loc, scale))
## The probability of at most x.
def norm_cdf[a: Float](x: a[*s], loc: a = 0.0, scale: a = 1.0) -> a[*s] = special.ndtr((x - loc) / scale)
## The logarithm of the distribution function of the normal distribution.
def norm_logcdf[a: Float](x: a[*s], loc: a = 0.0, scale: a = 1.0) -> a[*s] = special.log_ndtr((x - loc) / scale)
## The probability of more than x.
def norm_sf[a: Float](x: a[*s], loc: a = 0.0, scale: a = 1.0) -> a[*s] = special.ndtr((loc - x) / scale)
## The x with norm_cdf(x) = q.
def norm_ppf[a: Float](q: a[*s], loc: a = 0.0, scale: a = 1.0) -> a[*s] = special.ndtri(q) * scale + loc
## The normal density in n dimensions, from the Cholesky factor of the covariance.
def multivariate_normal_logpdf[a: Float](x: a[n], mean: a[n], cov: a[n, n]) -> a =
    let factor = linalg.cholesky(cov)
    let y = linalg.solve_triangular(factor, x - mean, lower=true)
    -0.5 * sum(y * y) - sum(log(diagonal(factor))) - 0.5 * n * log(2.0 * pi)
## The density of the normal distribution.
def multivariate_normal_pdf[a: Float](x: a[n], mean: a[n], cov: a[n, n]) -> a = exp(multivariate_normal_logpdf(x, mean, cov))

# ---------------------------------------------------------------- continuous distributions

## 1 / scale on loc <= x <= loc + scale.
def uniform_logpdf[a: Float](x: a[*s], loc: a = 0.0, scale: a = 1.0) -> a[*s] =
    where((x >= loc) & (x <= loc + scale), -log(scale), -inf)
## The density of the uniform distribution.
def uniform_pdf[a: Float](x: a[*s], loc: a = 0.0, scale: a = 1.0) -> a[*s] = exp(uniform_logpdf(x, loc, scale))
## exp(-(x - loc) / scale) / scale from loc on.
def expon_logpdf[a: Float](x: a[*s], loc: a = 0.0, scale: a = 1.0) -> a[*s] =
    where(x >= loc, -(x - loc) / scale - log(scale), -inf)
## The density of the exponential distribution.
def expon_pdf[a: Float](x: a[*s], loc: a = 0.0, scale: a = 1.0) -> a[*s] = exp(expon_logpdf(x, loc, scale))
## exp(-|x - loc| / scale) / (2 scale).
def laplace_logpdf[a: Float](x: a[*s], loc: a = 0.0, scale: a = 1.0) -> a[*s] = -abs(x - loc) / scale - log(2.0 * scale)
## The density of the Laplace distribution.
def laplace_pdf[a: Float](x: a[*s], loc: a = 0.0, scale: a = 1.0) -> a[*s] = exp(laplace_logpdf(x, loc, scale))
## The distribution function of the Laplace distribution.
def laplace_cdf[a: Float](x: a[*s], loc: a = 0.0, scale: a = 1.0) -> a[*s] =
    let z = (x - loc) / scale
    where(z <= 0, 0.5 * exp(minimum(z, 0.0)), 1.0 - 0.5 * exp(-maximum(z, 0.0)))
## The logarithm of the density of the logistic distribution.
def logistic_logpdf[a: Float](x: a[*s], loc: a = 0.0, scale: a = 1.0) -> a[*s] =
    let z = (x - loc) / scale
    -z - 2.0 * logaddexp(-z, 0.0) - log(scale)
## The density of the logistic distribution.
def logistic_pdf[a: Float](x: a[*s], loc: a = 0.0, scale: a = 1.0) -> a[*s] = exp(logistic_logpdf(x, loc, scale))
## The distribution function of the logistic distribution.
def logistic_cdf[a: Float](x: a[*s], loc: a = 0.0, scale: a = 1.0) -> a[*s] = sigmoid((x - loc) / scale)
## The logarithm of the density of the Cauchy distribution.
def cauchy_logpdf[a: Float](x: a[*s], loc: a = 0.0, scale: a = 1.0) -> a[*s] =
    -log(pi * scale) - log1p(square((x - loc) / scale))
## The density of the Cauchy distribution.
def cauchy_pdf[a: Float](x: a[*s], loc: a = 0.0, scale: a = 1.0) -> a[*s] = exp(cauchy_logpdf(x, loc, scale))
## The distribution function of the Cauchy distribution.
def cauchy_cdf[a: Float](x: a[*s], loc: a = 0.0, scale: a = 1.0) -> a[*s] = 0.5 + arctan((x - loc) / scale) / pi
## Gamma with shape parameter `a`: z^(a - 1) exp(-z) / (Γ(a) scale), z = (x - loc) / scale.
def gamma_logpdf[F: Float](x: F[*s], a: F, loc: F = 0.0, scale: F = 1.0) -> F[*s] =
    let z = (x - loc) / scale
    where(z >= 0, special.xlogy(a - 1.0 + 0.0 * z, where(z >= 0, z, 1.0)) - z - special.gammaln(a) - log(scale), -inf)
## The density of the gamma distribution.
def gamma_pdf[F: Float](x: F[*s], a: F, loc: F = 0.0, scale: F = 1.0) -> F[*s] = exp(gamma_logpdf(x, a, loc, scale))
## Beta on 0 … 1: x^(a - 1) (1 - x)^(b - 1) / Β(a, b).
def beta_logpdf[F: Float](x: F[*s], a: F, b: F, loc: F = 0.0, scale: F = 1.0) -> F[*s] =
    let z = (x - loc) / scale
    let inside = (z >= 0) & (z <= 1)
    let u = where(inside, z, 0.5)
    let shaped = special.xlogy(a - 1.0 + 0.0 * u, u) + special.xlog1py(b - 1.0 + 0.0 * u, -u)
    where(inside, shaped - special.betaln(a, b) - log(scale), -inf)
## The density of the beta distribution.
def beta_pdf[F: Float](x: F[*s], a: F, b: F, loc: F = 0.0, scale: F = 1.0) -> F[*s] = exp(beta_logpdf(x, a, b, loc, scale))
## Student's t with df degrees of freedom.
def t_logpdf[a: Float](x: a[*s], df: a, loc: a = 0.0, scale: a = 1.0) -> a[*s] =
    let z = (x - loc) / scale
    let front = special.gammaln((df + 1.0) / 2.0) - special.gammaln(df / 2.0) - 0.5 * log(df * pi) - log(scale)
    front - (df + 1.0) / 2.0 * log1p(z * z / df)
## The density of the Student's t distribution.
def t_pdf[a: Float](x: a[*s], df: a, loc: a = 0.0, scale: a = 1.0) -> a[*s] = exp(t_logpdf(x, df, loc, scale))

# ---------------------------------------------------------------- discrete distributions, of a float count k

## k is 1 with probability p, else 0.
def bernoulli_logpmf[a: Float](k: a[*s], p: a) -> a[*s] =
    where(k == 1, log(p), where(k == 0, log1p(-p), -inf))
## The probability in the Bernoulli distribution.
def bernoulli_pmf[a: Float](k: a[*s], p: a) -> a[*s] = exp(bernoulli_logpmf(k, p))
## exp(-mu) mu^k / k!
def poisson_logpmf[a: Float](k: a[*s], mu: a) -> a[*s] =
    where((k >= 0) & (k == floor(k)), special.xlogy(k, mu + 0.0 * k) - special.gammaln(k + 1.0) - mu, -inf)
## The probability in the Poisson distribution.
def poisson_pmf[a: Float](k: a[*s], mu: a) -> a[*s] = exp(poisson_logpmf(k, mu))
## The first success at trial k: (1 - p)^(k - 1) p.
def geom_logpmf[a: Float](k: a[*s], p: a) -> a[*s] =
    where(k >= 1, special.xlog1py(k - 1.0, -p + 0.0 * k) + log(p), -inf)
## The probability in the geometric distribution.
def geom_pmf[a: Float](k: a[*s], p: a) -> a[*s] = exp(geom_logpmf(k, p))
