# Densities and distribution functions of common distributions: `norm_logpdf` is jax.scipy.stats.norm.logpdf.
# Elementwise; `loc` and `scale` are scalars or fit x by the broadcasting of the operators.

import linalg
import special

# ---------------------------------------------------------------- the normal distribution

## -((x - loc) / scale)² / 2 - log(scale) - log(2 pi) / 2.
def norm_logpdf[a: Float](x: a[*s], loc: a = 0.0, scale: a = 1.0) -> a[*s] =
    -0.5 * square((x - loc) / scale) - log(scale) - 0.5 * log(2.0 * pi)
## The density of the normal distribution.
def norm_pdf[a: Float](x: a[*s], loc: a = 0.0, scale: a = 1.0) -> a[*s] =
    exp(norm_logpdf(x, loc, scale))
## The probability of at most x.
def norm_cdf[a: Float](x: a[*s], loc: a = 0.0, scale: a = 1.0) -> a[*s] =
    special.ndtr((x - loc) / scale)
## The logarithm of the distribution function of the normal distribution.
def norm_logcdf[a: Float](x: a[*s], loc: a = 0.0, scale: a = 1.0) -> a[*s] =
    special.log_ndtr((x - loc) / scale)
## The probability of more than x.
def norm_sf[a: Float](x: a[*s], loc: a = 0.0, scale: a = 1.0) -> a[*s] =
    special.ndtr((loc - x) / scale)
## The x with norm_cdf(x) = q.
def norm_ppf[a: Float](q: a[*s], loc: a = 0.0, scale: a = 1.0) -> a[*s] =
    special.ndtri(q) * scale + loc
## The normal density in n dimensions, from the Cholesky factor of the covariance.
def multivariate_normal_logpdf[a: Float](x: a[n], mean: a[n], cov: a[n, n]) -> a =
    let factor = linalg.cholesky(cov)
    let y = linalg.solve_triangular(factor, x - mean, lower=true)
    -0.5 * sum(y * y) - sum(log(diagonal(factor))) - 0.5 * n * log(2.0 * pi)
## The density of the normal distribution.
def multivariate_normal_pdf[a: Float](x: a[n], mean: a[n], cov: a[n, n]) -> a =
    exp(multivariate_normal_logpdf(x, mean, cov))

# ---------------------------------------------------------------- continuous distributions

## 1 / scale on loc <= x <= loc + scale.
def uniform_logpdf[a: Float](x: a[*s], loc: a = 0.0, scale: a = 1.0) -> a[*s] =
    where((x >= loc) & (x <= loc + scale), -log(scale), -inf)
## The density of the uniform distribution.
def uniform_pdf[a: Float](x: a[*s], loc: a = 0.0, scale: a = 1.0) -> a[*s] =
    exp(uniform_logpdf(x, loc, scale))
## The distribution function of the uniform distribution.
def uniform_cdf[a: Float](x: a[*s], loc: a = 0.0, scale: a = 1.0) -> a[*s] =
    clip((x - loc) / scale, 0.0, 1.0)
## The x with uniform_cdf(x) = q.
def uniform_ppf[a: Float](q: a[*s], loc: a = 0.0, scale: a = 1.0) -> a[*s] = _share(q) * scale + loc
# A share of 1; nan where it is none.
def _share[a: Float](q: a[*s]) -> a[*s] = where((q >= 0) & (q <= 1), q, nan)
## exp(-(x - loc) / scale) / scale from loc on.
def expon_logpdf[a: Float](x: a[*s], loc: a = 0.0, scale: a = 1.0) -> a[*s] =
    where(x >= loc, -(x - loc) / scale - log(scale), -inf)
## The density of the exponential distribution.
def expon_pdf[a: Float](x: a[*s], loc: a = 0.0, scale: a = 1.0) -> a[*s] =
    exp(expon_logpdf(x, loc, scale))
## The distribution function of the exponential distribution.
def expon_cdf[a: Float](x: a[*s], loc: a = 0.0, scale: a = 1.0) -> a[*s] =
    -expm1(-maximum((x - loc) / scale, 0.0))
## The probability of more than x in the exponential distribution.
def expon_sf[a: Float](x: a[*s], loc: a = 0.0, scale: a = 1.0) -> a[*s] =
    exp(-maximum((x - loc) / scale, 0.0))
## The x with expon_cdf(x) = q.
def expon_ppf[a: Float](q: a[*s], loc: a = 0.0, scale: a = 1.0) -> a[*s] = -log1p(-q) * scale + loc
## exp(-|x - loc| / scale) / (2 scale).
def laplace_logpdf[a: Float](x: a[*s], loc: a = 0.0, scale: a = 1.0) -> a[*s] =
    -abs(x - loc) / scale - log(2.0 * scale)
## The density of the Laplace distribution.
def laplace_pdf[a: Float](x: a[*s], loc: a = 0.0, scale: a = 1.0) -> a[*s] =
    exp(laplace_logpdf(x, loc, scale))
## The distribution function of the Laplace distribution.
def laplace_cdf[a: Float](x: a[*s], loc: a = 0.0, scale: a = 1.0) -> a[*s] =
    let z = (x - loc) / scale
    where(z <= 0, 0.5 * exp(minimum(z, 0.0)), 1.0 - 0.5 * exp(-maximum(z, 0.0)))
## The x with laplace_cdf(x) = q.
def laplace_ppf[a: Float](q: a[*s], loc: a = 0.0, scale: a = 1.0) -> a[*s] =
    let low = q <= 0.5
    where(low, log(2.0 * where(low, q, 0.5)), -log(2.0 * where(low, 0.5, 1.0 - q))) * scale + loc
## The logarithm of the density of the logistic distribution.
def logistic_logpdf[a: Float](x: a[*s], loc: a = 0.0, scale: a = 1.0) -> a[*s] =
    let z = (x - loc) / scale
    -z - 2.0 * logaddexp(-z, 0.0) - log(scale)
## The density of the logistic distribution.
def logistic_pdf[a: Float](x: a[*s], loc: a = 0.0, scale: a = 1.0) -> a[*s] =
    exp(logistic_logpdf(x, loc, scale))
## The distribution function of the logistic distribution.
def logistic_cdf[a: Float](x: a[*s], loc: a = 0.0, scale: a = 1.0) -> a[*s] =
    sigmoid((x - loc) / scale)
## The x with logistic_cdf(x) = q.
def logistic_ppf[a: Float](q: a[*s], loc: a = 0.0, scale: a = 1.0) -> a[*s] =
    special.logit(q) * scale + loc
## The logarithm of the density of the Cauchy distribution.
def cauchy_logpdf[a: Float](x: a[*s], loc: a = 0.0, scale: a = 1.0) -> a[*s] =
    -log(pi * scale) - log1p(square((x - loc) / scale))
## The density of the Cauchy distribution.
def cauchy_pdf[a: Float](x: a[*s], loc: a = 0.0, scale: a = 1.0) -> a[*s] =
    exp(cauchy_logpdf(x, loc, scale))
## The distribution function of the Cauchy distribution.
def cauchy_cdf[a: Float](x: a[*s], loc: a = 0.0, scale: a = 1.0) -> a[*s] =
    0.5 + arctan((x - loc) / scale) / pi
## The x with cauchy_cdf(x) = q.
def cauchy_ppf[a: Float](q: a[*s], loc: a = 0.0, scale: a = 1.0) -> a[*s] =
    tan(pi * (q - 0.5)) * scale + loc
## The largest of many: z + exp(-z) below 0, z = (x - loc) / scale.
def gumbel_r_logpdf[a: Float](x: a[*s], loc: a = 0.0, scale: a = 1.0) -> a[*s] =
    let z = (x - loc) / scale
    -z - exp(-z) - log(scale)
## The distribution function of the Gumbel distribution: exp(-exp(-z)).
def gumbel_r_cdf[a: Float](x: a[*s], loc: a = 0.0, scale: a = 1.0) -> a[*s] =
    exp(-exp(-(x - loc) / scale))
## The x with gumbel_r_cdf(x) = q.
def gumbel_r_ppf[a: Float](q: a[*s], loc: a = 0.0, scale: a = 1.0) -> a[*s] =
    -log(-log(q)) * scale + loc
## The absolute value of a normal number.
def halfnorm_logpdf[a: Float](x: a[*s], loc: a = 0.0, scale: a = 1.0) -> a[*s] =
    where(x >= loc, norm_logpdf(x, loc, scale) + log(2.0), -inf)
## The distribution function of the half-normal distribution.
def halfnorm_cdf[a: Float](x: a[*s], loc: a = 0.0, scale: a = 1.0) -> a[*s] =
    erf(maximum((x - loc) / scale, 0.0) / sqrt(2.0))
## The x with halfnorm_cdf(x) = q.
def halfnorm_ppf[a: Float](q: a[*s], loc: a = 0.0, scale: a = 1.0) -> a[*s] =
    -special.ndtri(0.5 * (1.0 - q)) * scale + loc
## The absolute value of a number with the Cauchy distribution.
def halfcauchy_logpdf[a: Float](x: a[*s], loc: a = 0.0, scale: a = 1.0) -> a[*s] =
    where(x >= loc, cauchy_logpdf(x, loc, scale) + log(2.0), -inf)
## The distribution function of the half-Cauchy distribution.
def halfcauchy_cdf[a: Float](x: a[*s], loc: a = 0.0, scale: a = 1.0) -> a[*s] =
    2.0 * arctan(maximum((x - loc) / scale, 0.0)) / pi
## The x with halfcauchy_cdf(x) = q.
def halfcauchy_ppf[a: Float](q: a[*s], loc: a = 0.0, scale: a = 1.0) -> a[*s] =
    tan(0.5 * pi * q) * scale + loc

# ---------------------------------------------------------------- continuous distributions with parameters of shape

## Gamma with shape parameter `a`: z^(a - 1) exp(-z) / (Γ(a) scale), z = (x - loc) / scale.
def gamma_logpdf[F: Float](
    x: F[*s],
    a: F[*t],
    loc: F = 0.0,
    scale: F = 1.0
) -> F[*broadcasted(s, t)] =
    let (z, b) = _together((x - loc) / scale, a)
    where(
        z >= 0,
        special.xlogy(b - 1.0, where(z >= 0, z, 1.0)) - z - special.gammaln(b) - log(scale),
        -inf
    )
# Both of the shape that they have together.
def _together[F: Float](x: F[*s], y: F[*t]) -> (F[*broadcasted(s, t)], F[*broadcasted(s, t)]) =
    (_spread(x, broadcasted(s, t)), _spread(y, broadcasted(s, t)))
def _all_together[F: Float](x: F[*s], y: F[*t], z: F[*u]) -> (
    F[*broadcasted(broadcasted(s, t), u)],
    F[*broadcasted(broadcasted(s, t), u)],
    F[*broadcasted(broadcasted(s, t), u)]
) =
    let shape = broadcasted(broadcasted(s, t), u)
    (_spread(x, shape), _spread(y, shape), _spread(z, shape))
## The density of the gamma distribution.
def gamma_pdf[F: Float](x: F[*s], a: F[*t], loc: F = 0.0, scale: F = 1.0) -> F[*broadcasted(s, t)] =
    exp(gamma_logpdf(x, a, loc, scale))
## The distribution function of the gamma distribution.
def gamma_cdf[F: Float](x: F[*s], a: F[*t], loc: F = 0.0, scale: F = 1.0) -> F[*broadcasted(s, t)] =
    let (z, b) = _together((x - loc) / scale, a)
    special.gammainc(b, maximum(z, 0.0))
## The probability of more than x in the gamma distribution.
def gamma_sf[F: Float](x: F[*s], a: F[*t], loc: F = 0.0, scale: F = 1.0) -> F[*broadcasted(s, t)] =
    let (z, b) = _together((x - loc) / scale, a)
    special.gammaincc(b, maximum(z, 0.0))
## The x with gamma_cdf(x) = q.
def gamma_ppf[F: Float](q: F[*s], a: F[*t], loc: F = 0.0, scale: F = 1.0) -> F[*broadcasted(s, t)] =
    let (p, b) = _together(q, a)
    special.gammaincinv(b, p) * scale + loc
## Chi-squared with df degrees of freedom: gamma with a = df / 2, twice as wide.
def chi2_logpdf[F: Float](
    x: F[*s],
    df: F[*t],
    loc: F = 0.0,
    scale: F = 1.0
) -> F[*broadcasted(s, t)] =
    gamma_logpdf(x, df / 2.0, loc, 2.0 * scale)
## The distribution function of the chi-squared distribution.
def chi2_cdf[F: Float](x: F[*s], df: F[*t], loc: F = 0.0, scale: F = 1.0) -> F[*broadcasted(s, t)] =
    gamma_cdf(x, df / 2.0, loc, 2.0 * scale)
## The probability of more than x in the chi-squared distribution.
def chi2_sf[F: Float](x: F[*s], df: F[*t], loc: F = 0.0, scale: F = 1.0) -> F[*broadcasted(s, t)] =
    gamma_sf(x, df / 2.0, loc, 2.0 * scale)
## The x with chi2_cdf(x) = q.
def chi2_ppf[F: Float](q: F[*s], df: F[*t], loc: F = 0.0, scale: F = 1.0) -> F[*broadcasted(s, t)] =
    gamma_ppf(q, df / 2.0, loc, 2.0 * scale)
## One over a number with the gamma distribution: z^(-a - 1) exp(-1 / z) / (Γ(a) scale), z = (x - loc) / scale.
def invgamma_logpdf[F: Float](
    x: F[*s],
    a: F[*t],
    loc: F = 0.0,
    scale: F = 1.0
) -> F[*broadcasted(s, t)] =
    let (z, b) = _together((x - loc) / scale, a)
    let y = where(z > 0, z, 1.0)
    where(z > 0, -(b + 1.0) * log(y) - 1.0 / y - special.gammaln(b) - log(scale), -inf)
## The distribution function of the inverse gamma distribution.
def invgamma_cdf[F: Float](
    x: F[*s],
    a: F[*t],
    loc: F = 0.0,
    scale: F = 1.0
) -> F[*broadcasted(s, t)] =
    let (z, b) = _together((x - loc) / scale, a)
    where(z > 0, special.gammaincc(b, 1.0 / where(z > 0, z, 1.0)), 0.0)
## The x with invgamma_cdf(x) = q.
def invgamma_ppf[F: Float](
    q: F[*s],
    a: F[*t],
    loc: F = 0.0,
    scale: F = 1.0
) -> F[*broadcasted(s, t)] =
    let (p, b) = _together(q, a)
    scale / special.gammaincinv(b, 1.0 - p) + loc
## Beta on 0 … 1: x^(a - 1) (1 - x)^(b - 1) / Β(a, b).
def beta_logpdf[F: Float](
    x: F[*s],
    a: F[*t],
    b: F[*u],
    loc: F = 0.0,
    scale: F = 1.0
) -> F[*broadcasted(broadcasted(s, t), u)] =
    let (z, p, q) = _all_together((x - loc) / scale, a, b)
    let inside = (z >= 0) & (z <= 1)
    let y = where(inside, z, 0.5)
    let shaped = special.xlogy(p - 1.0, y) + special.xlog1py(q - 1.0, -y)
    where(inside, shaped - special.betaln(p, q) - log(scale), -inf)
## The density of the beta distribution.
def beta_pdf[F: Float](
    x: F[*s],
    a: F[*t],
    b: F[*u],
    loc: F = 0.0,
    scale: F = 1.0
) -> F[*broadcasted(broadcasted(s, t), u)] =
    exp(beta_logpdf(x, a, b, loc, scale))
## The distribution function of the beta distribution.
def beta_cdf[F: Float](
    x: F[*s],
    a: F[*t],
    b: F[*u],
    loc: F = 0.0,
    scale: F = 1.0
) -> F[*broadcasted(broadcasted(s, t), u)] =
    let (z, p, q) = _all_together((x - loc) / scale, a, b)
    special.betainc(p, q, clip(z, 0.0, 1.0))
## The probability of more than x in the beta distribution.
def beta_sf[F: Float](
    x: F[*s],
    a: F[*t],
    b: F[*u],
    loc: F = 0.0,
    scale: F = 1.0
) -> F[*broadcasted(broadcasted(s, t), u)] =
    let (z, p, q) = _all_together((x - loc) / scale, a, b)
    special.betainc(q, p, clip(1.0 - z, 0.0, 1.0))
## The x with beta_cdf(x) = q.
def beta_ppf[F: Float](
    q: F[*s],
    a: F[*t],
    b: F[*u],
    loc: F = 0.0,
    scale: F = 1.0
) -> F[*broadcasted(broadcasted(s, t), u)] =
    let (p, c, d) = _all_together(q, a, b)
    special.betaincinv(c, d, p) * scale + loc
## Student's t with df degrees of freedom.
def t_logpdf[F: Float](x: F[*s], df: F[*t], loc: F = 0.0, scale: F = 1.0) -> F[*broadcasted(s, t)] =
    let (z, n) = _together((x - loc) / scale, df)
    (
        -special.betaln(n / 2.0, full(n.shape, cast(0.5, F)))
        - 0.5 * log(n)
        - log(scale)
        - (n + 1.0) / 2.0 * log1p(z * z / n)
    )
## The density of the Student's t distribution.
def t_pdf[F: Float](x: F[*s], df: F[*t], loc: F = 0.0, scale: F = 1.0) -> F[*broadcasted(s, t)] =
    exp(t_logpdf(x, df, loc, scale))
## The distribution function of the Student's t distribution.
def t_cdf[F: Float](x: F[*s], df: F[*t], loc: F = 0.0, scale: F = 1.0) -> F[*broadcasted(s, t)] =
    let (z, n) = _together((x - loc) / scale, df)
    let far = z * z > n
    let inner =
        0.5 - 0.5 * special.betainc(full(z.shape, cast(0.5, F)), n / 2.0, z * z / (n + z * z))
    let tail = where(
        far,
        0.5 * special.betainc(n / 2.0, full(z.shape, cast(0.5, F)), n / (n + z * z)),
        inner
    )
    where(z > 0, 1.0 - tail, tail)
## The probability of more than x in the Student's t distribution.
def t_sf[F: Float](x: F[*s], df: F[*t], loc: F = 0.0, scale: F = 1.0) -> F[*broadcasted(s, t)] =
    t_cdf(-x, df, -loc, scale)
## The x with t_cdf(x) = q.
def t_ppf[F: Float](q: F[*s], df: F[*t], loc: F = 0.0, scale: F = 1.0) -> F[*broadcasted(s, t)] =
    let (p, n) = _together(q, df)
    let tail = minimum(p, 1.0 - p)
    let near = tail > 0.25
    let half = full(n.shape, cast(0.5, F))
    let share = special.betaincinv(half, n / 2.0, where(near, 1.0 - 2.0 * tail, 0.5))
    let rest = special.betaincinv(n / 2.0, half, where(near, 0.5, 2.0 * tail))
    let squared = where(near, share / (1.0 - share), (1.0 - rest) / rest)
    let size = sqrt(n * where(squared > 0, squared, 1.0))
    where(squared > 0, where(p < 0.5, -size, size), 0.0 * size) * scale + loc
## F with dfn and dfd degrees of freedom: the quotient of two chi-squared numbers over theirs.
def f_logpdf[F: Float](
    x: F[*s],
    dfn: F[*t],
    dfd: F[*u],
    loc: F = 0.0,
    scale: F = 1.0
) -> F[*broadcasted(broadcasted(s, t), u)] =
    let (z, n, d) = _all_together((x - loc) / scale, dfn, dfd)
    let y = where(z > 0, z, 1.0)
    let shaped = n / 2.0 * log(n / d) + (n / 2.0 - 1.0) * log(y) - (n + d) / 2.0 * log1p(n * y / d)
    where(z > 0, shaped - special.betaln(n / 2.0, d / 2.0) - log(scale), -inf)
## The distribution function of the F distribution.
def f_cdf[F: Float](
    x: F[*s],
    dfn: F[*t],
    dfd: F[*u],
    loc: F = 0.0,
    scale: F = 1.0
) -> F[*broadcasted(broadcasted(s, t), u)] =
    let (z, n, d) = _all_together(maximum((x - loc) / scale, 0.0), dfn, dfd)
    special.betainc(n / 2.0, d / 2.0, n * z / (d + n * z))
## The probability of more than x in the F distribution.
def f_sf[F: Float](
    x: F[*s],
    dfn: F[*t],
    dfd: F[*u],
    loc: F = 0.0,
    scale: F = 1.0
) -> F[*broadcasted(broadcasted(s, t), u)] =
    let (z, n, d) = _all_together(maximum((x - loc) / scale, 0.0), dfn, dfd)
    special.betainc(d / 2.0, n / 2.0, d / (d + n * z))
## The x with f_cdf(x) = q.
def f_ppf[F: Float](
    q: F[*s],
    dfn: F[*t],
    dfd: F[*u],
    loc: F = 0.0,
    scale: F = 1.0
) -> F[*broadcasted(broadcasted(s, t), u)] =
    let (p, n, d) = _all_together(q, dfn, dfd)
    let high = p > 0.5
    let share = special.betaincinv(n / 2.0, d / 2.0, where(high, 0.5, p))
    let rest = special.betaincinv(d / 2.0, n / 2.0, where(high, 1.0 - p, 0.5))
    where(high, (1.0 - rest) / rest, share / (1.0 - share)) * d / n * scale + loc
## Weibull with exponent c: c z^(c - 1) exp(-z^c) / scale, z = (x - loc) / scale.
def weibull_min_logpdf[F: Float](
    x: F[*s],
    c: F[*t],
    loc: F = 0.0,
    scale: F = 1.0
) -> F[*broadcasted(s, t)] =
    let (z, b) = _together((x - loc) / scale, c)
    let y = log(where(z > 0, z, 1.0))
    where(z > 0, log(b) + (b - 1.0) * y - exp(b * y) - log(scale), -inf)
## The distribution function of the Weibull distribution.
def weibull_min_cdf[F: Float](
    x: F[*s],
    c: F[*t],
    loc: F = 0.0,
    scale: F = 1.0
) -> F[*broadcasted(s, t)] =
    let (z, b) = _together((x - loc) / scale, c)
    where(z > 0, -expm1(-exp(b * log(where(z > 0, z, 1.0)))), 0.0)
## The x with weibull_min_cdf(x) = q.
def weibull_min_ppf[F: Float](
    q: F[*s],
    c: F[*t],
    loc: F = 0.0,
    scale: F = 1.0
) -> F[*broadcasted(s, t)] =
    let (p, b) = _together(q, c)
    power(-log1p(-p), 1.0 / b) * scale + loc
## exp(s z) of a normal z: -log(y)² / (2 s²) - log(s y sqrt(2 pi)), y = (x - loc) / scale.
def lognorm_logpdf[F: Float](
    x: F[*s],
    s: F[*t],
    loc: F = 0.0,
    scale: F = 1.0
) -> F[*broadcasted(s, t)] =
    let (z, b) = _together((x - loc) / scale, s)
    let y = log(where(z > 0, z, 1.0))
    where(z > 0, norm_logpdf(y / b) - log(b) - y - log(scale), -inf)
## The distribution function of the log-normal distribution.
def lognorm_cdf[F: Float](
    x: F[*s],
    s: F[*t],
    loc: F = 0.0,
    scale: F = 1.0
) -> F[*broadcasted(s, t)] =
    let (z, b) = _together((x - loc) / scale, s)
    where(z > 0, special.ndtr(log(where(z > 0, z, 1.0)) / b), 0.0)
## The x with lognorm_cdf(x) = q.
def lognorm_ppf[F: Float](
    q: F[*s],
    s: F[*t],
    loc: F = 0.0,
    scale: F = 1.0
) -> F[*broadcasted(s, t)] =
    let (p, b) = _together(q, s)
    exp(b * special.ndtri(p)) * scale + loc
## Pareto: b / (z^(b + 1) scale) from z = 1 on, z = (x - loc) / scale.
def pareto_logpdf[F: Float](
    x: F[*s],
    b: F[*t],
    loc: F = 0.0,
    scale: F = 1.0
) -> F[*broadcasted(s, t)] =
    let (z, c) = _together((x - loc) / scale, b)
    where(z >= 1, log(c) - (c + 1.0) * log(where(z >= 1, z, 1.0)) - log(scale), -inf)
## The distribution function of the Pareto distribution.
def pareto_cdf[F: Float](
    x: F[*s],
    b: F[*t],
    loc: F = 0.0,
    scale: F = 1.0
) -> F[*broadcasted(s, t)] =
    let (z, c) = _together((x - loc) / scale, b)
    -expm1(-c * log(maximum(z, 1.0)))
## The x with pareto_cdf(x) = q.
def pareto_ppf[F: Float](
    q: F[*s],
    b: F[*t],
    loc: F = 0.0,
    scale: F = 1.0
) -> F[*broadcasted(s, t)] =
    let (p, c) = _together(q, b)
    exp(-log1p(-p) / c) * scale + loc
# Tails are computed on the side where they are small.
## A normal number between a and b, in standard deviations.
def truncnorm_logpdf[F: Float](
    x: F[*s],
    a: F[*t],
    b: F[*u],
    loc: F = 0.0,
    scale: F = 1.0
) -> F[*broadcasted(broadcasted(s, t), u)] =
    let (z, low, high) = _all_together((x - loc) / scale, a, b)
    where((z >= low) & (z <= high), norm_logpdf(z) - _log_mass(low, high) - log(scale), -inf)
# log(ndtr(high) - ndtr(low)).
def _log_mass[F: Float](low: F[*s], high: F[*s]) -> F[*s] =
    let turned = low > 0
    let (first, last) = (
        special.log_ndtr(where(turned, -high, low)),
        special.log_ndtr(where(turned, -low, high))
    )
    last + log1p(-exp(minimum(first - last, 0.0)))
## The distribution function of the truncated normal distribution.
def truncnorm_cdf[F: Float](
    x: F[*s],
    a: F[*t],
    b: F[*u],
    loc: F = 0.0,
    scale: F = 1.0
) -> F[*broadcasted(broadcasted(s, t), u)] =
    let (z, low, high) = _all_together((x - loc) / scale, a, b)
    let inside = (z > low) & (z < high)
    let share = exp(_log_mass(low, where(inside, z, high)) - _log_mass(low, high))
    where(inside, share, where(z >= high, 1.0, 0.0 * z))
## The x with truncnorm_cdf(x) = q.
def truncnorm_ppf[F: Float](
    q: F[*s],
    a: F[*t],
    b: F[*u],
    loc: F = 0.0,
    scale: F = 1.0
) -> F[*broadcasted(broadcasted(s, t), u)] =
    let (p, low, high) = _all_together(q, a, b)
    let turned = low > 0
    let (first, last) = (
        special.ndtr(where(turned, -high, low)),
        special.ndtr(where(turned, -low, high))
    )
    let z = special.ndtri(first + where(turned, 1.0 - p, p) * (last - first))
    clip(where(turned, -z, z), low, high) * scale + loc
## An angle: exp(kappa cos(x - loc)) / (2 pi i0(kappa)) on -pi … pi.
def vonmises_logpdf[F: Float](x: F[*s], kappa: F[*t], loc: F = 0.0) -> F[*broadcasted(s, t)] =
    let (z, k) = _together(x - loc, kappa)
    k * (cos(z) - 1.0) - log(2.0 * pi * special.i0e(k))
# The Fourier series, whose coefficients are quotients of Bessel functions, from the back; beyond kappa = 100 a normal
# number that is nearly as distributed (Hill 1977).
## The distribution function of the von Mises distribution, for -pi <= x - loc <= pi.
def vonmises_cdf[F: Float](x: F[*s], kappa: F[*t], loc: F = 0.0) -> F[*broadcasted(s, t)] =
    let (z, k) = _together(clip(x - loc, -pi, pi), kappa)
    let near = k < 100
    let small = where(near, k, 1.0)
    let (_, total) = fold (ratio, total) = (0.0 * z, 0.0 * z) for i in range(90) reverse do
        let j = cast(i + 1, F)
        let ratio = 1.0 / (2.0 * j / where(small > 0, small, 1.0) + ratio)
        (ratio, ratio * (sin(j * z) / j + total))
    let series = 0.5 + z / (2.0 * pi) + where(small > 0, total / pi, 0.0)
    let c = 24.0 * where(near, 100.0, k)
    let v = c - 56.0
    let y = sin(0.5 * z) * sqrt((54.0 / (347.0 / v + 26.0 - c) - 6.0 + c) / 12.0)
    let s = 2.0 * y * y
    let w = ((s + 1.75) * s + 83.5) / (v - s + 3.0) - (c - 2.0 * s - 16.0) / 3.0
    where(near, clip(series, 0.0, 1.0), 0.5 + 0.5 * erf(y * (1.0 - s / (w * w))))
## 2 times the normal density of z times the probability of at most alpha z, z = (x - loc) / scale.
def skewnorm_logpdf[F: Float](
    x: F[*s],
    a: F[*t],
    loc: F = 0.0,
    scale: F = 1.0
) -> F[*broadcasted(s, t)] =
    let (z, b) = _together((x - loc) / scale, a)
    log(2.0) + norm_logpdf(z) + special.log_ndtr(b * z) - log(scale)
## The distribution function of the skew normal distribution.
def skewnorm_cdf[F: Float](
    x: F[*s],
    a: F[*t],
    loc: F = 0.0,
    scale: F = 1.0
) -> F[*broadcasted(s, t)] =
    let (z, b) = _together((x - loc) / scale, a)
    clip(special.ndtr(z) - 2.0 * special.owens_t(z, b), 0.0, 1.0)

# ---------------------------------------------------------------- discrete distributions, of a float count k

## k is 1 with probability p, else 0.
def bernoulli_logpmf[F: Float](k: F[*s], p: F[*t]) -> F[*broadcasted(s, t)] =
    let (k, p) = _together(k, p)
    where(k == 1, log(p), where(k == 0, log1p(-p), -inf))
## The probability in the Bernoulli distribution.
def bernoulli_pmf[F: Float](k: F[*s], p: F[*t]) -> F[*broadcasted(s, t)] =
    exp(bernoulli_logpmf(k, p))
## exp(-mu) mu^k / k!
def poisson_logpmf[F: Float](k: F[*s], mu: F[*t]) -> F[*broadcasted(s, t)] =
    let (k, mu) = _together(k, mu)
    let count = where(_counts(k), k, 0.0)
    where(_counts(k), special.xlogy(count, mu) - special.gammaln(count + 1.0) - mu, -inf)
def _counts[F: Float](k: F[*s]) -> bool[*s] = (k >= 0) & (k == floor(k))
## The probability in the Poisson distribution.
def poisson_pmf[F: Float](k: F[*s], mu: F[*t]) -> F[*broadcasted(s, t)] = exp(poisson_logpmf(k, mu))
## The probability of at most k in the Poisson distribution.
def poisson_cdf[F: Float](k: F[*s], mu: F[*t]) -> F[*broadcasted(s, t)] =
    let (k, mu) = _together(floor(k), mu)
    where(k >= 0, special.gammaincc(maximum(k, 0.0) + 1.0, mu), 0.0)
## The smallest k with poisson_cdf(k) >= q.
def poisson_ppf[F: Float](q: F[*s], mu: F[*t]) -> F[*broadcasted(s, t)] =
    let (q, mu) = _together(q, mu)
    _first_count(fn k -> poisson_cdf(k, mu), q, floor(mu + 40.0 * sqrt(mu + 1.0) + 40.0), inf)
# The smallest count at which the distribution function reaches q, by halving; `last` where q is 1.
def _first_count[F: Float](cdf: (F[*s]) -> F[*s], q: F[*s], high: F[*s], last: F) -> F[*s] =
    let least = q * (1.0 - 4.0 * _epsilon(F))
    let (_, found) =
        iterate (low, high) = (
            full(q.shape, cast(-1, F)),
            high
        ) while any(high - low > 1.0) limit 64 do
            let middle = floor(0.5 * (low + high))
            let reached = cdf(middle) >= least
            (where(reached, low, middle), where(reached, middle, high))
    where((q >= 0) & (q < 1), found, where(q == 1, last, nan))
static def _epsilon(d: dtype) -> float =
    if d == f64 then 2.0 ** -53 else if d == f32 then 2.0 ** -24 else 2.0 ** -8
## The first success at trial k: (1 - p)^(k - 1) p.
def geom_logpmf[F: Float](k: F[*s], p: F[*t]) -> F[*broadcasted(s, t)] =
    let (k, p) = _together(k, p)
    where(k >= 1, special.xlog1py(k - 1.0, -p) + log(p), -inf)
## The probability in the geometric distribution.
def geom_pmf[F: Float](k: F[*s], p: F[*t]) -> F[*broadcasted(s, t)] = exp(geom_logpmf(k, p))
## The probability of at most k trials in the geometric distribution.
def geom_cdf[F: Float](k: F[*s], p: F[*t]) -> F[*broadcasted(s, t)] =
    let (k, p) = _together(floor(k), p)
    where(k >= 1, -expm1(special.xlog1py(maximum(k, 0.0), -p)), 0.0)
## The smallest k with geom_cdf(k) >= q.
def geom_ppf[F: Float](q: F[*s], p: F[*t]) -> F[*broadcasted(s, t)] =
    let (q, p) = _together(q, p)
    let near = ceil(log1p(-q) / log1p(-p))
    let below = (near > 1) & (geom_cdf(near - 1.0, p) >= q * (1.0 - 4.0 * _epsilon(F)))
    maximum(where(below, near - 1.0, near), 1.0)
## k of n trials succeed, each with probability p: n! / (k! (n - k)!) p^k (1 - p)^(n - k).
def binom_logpmf[F: Float](k: F[*s], n: F[*t], p: F[*u]) -> F[*broadcasted(broadcasted(s, t), u)] =
    let (k, n, p) = _all_together(k, n, p)
    let inside = _counts(k) & (k <= n)
    let count = where(inside, k, 0.0)
    where(
        inside,
        special.xlogy(count, p) + special.xlog1py(n - count, -p) + _log_choices(n, count),
        -inf
    )
# The logarithm of a binomial coefficient.
def _log_choices[F: Float](n: F[*s], k: F[*s]) -> F[*s] =
    -log1p(n) - special.betaln(n - k + 1.0, k + 1.0)
## The probability in the binomial distribution.
def binom_pmf[F: Float](k: F[*s], n: F[*t], p: F[*u]) -> F[*broadcasted(broadcasted(s, t), u)] =
    exp(binom_logpmf(k, n, p))
## The probability of at most k successes in the binomial distribution.
def binom_cdf[F: Float](k: F[*s], n: F[*t], p: F[*u]) -> F[*broadcasted(broadcasted(s, t), u)] =
    let (k, n, p) = _all_together(floor(k), n, p)
    let inside = (k >= 0) & (k < n)
    let count = where(inside, k, 0.0)
    where(
        inside,
        special.betainc(where(inside, n - count, 1.0), count + 1.0, 1.0 - p),
        where(k < 0, 0.0 * p, 1.0)
    )
## The smallest k with binom_cdf(k) >= q.
def binom_ppf[F: Float](q: F[*s], n: F[*t], p: F[*u]) -> F[*broadcasted(broadcasted(s, t), u)] =
    let (q, n, p) = _all_together(q, n, p)
    where(q == 1, n, _first_count(fn k -> binom_cdf(k, n, p), q, n, inf))
## k failures before n successes, each with probability p: Γ(k + n) / (k! Γ(n)) p^n (1 - p)^k.
def nbinom_logpmf[F: Float](k: F[*s], n: F[*t], p: F[*u]) -> F[*broadcasted(broadcasted(s, t), u)] =
    let (k, n, p) = _all_together(k, n, p)
    let count = where(_counts(k), k, 0.0)
    let choices = -log(n + count) - special.betaln(n, count + 1.0)
    where(_counts(k), choices + n * log(p) + special.xlog1py(count, -p), -inf)
## The probability of at most k failures in the negative binomial distribution.
def nbinom_cdf[F: Float](k: F[*s], n: F[*t], p: F[*u]) -> F[*broadcasted(broadcasted(s, t), u)] =
    let (k, n, p) = _all_together(floor(k), n, p)
    where(k >= 0, special.betainc(n, maximum(k, 0.0) + 1.0, p), 0.0)
## The smallest k with nbinom_cdf(k) >= q.
def nbinom_ppf[F: Float](q: F[*s], n: F[*t], p: F[*u]) -> F[*broadcasted(broadcasted(s, t), u)] =
    let (q, n, p) = _all_together(q, n, p)
    let high = floor((n * (1.0 - p) + 40.0 * (sqrt(n * (1.0 - p)) + 1.0)) / p + 40.0)
    _first_count(fn k -> nbinom_cdf(k, n, p), q, high, inf)
## Binomial with a probability that is distributed as beta: C(n, k) Β(k + a, n - k + b) / Β(a, b).
def betabinom_logpmf[F: Float](k: F[*s], n: F[*s], a: F[*s], b: F[*s]) -> F[*s] =
    let inside = _counts(k) & (k <= n)
    let count = where(inside, k, 0.0)
    where(
        inside,
        _log_choices(n, count) + special.betaln(count + a, n - count + b) - special.betaln(a, b),
        -inf
    )

# ---------------------------------------------------------------- distributions of vectors and matrices

## Shares that add up to 1 along the last axis: the product of x^(alpha - 1), over its integral.
def dirichlet_logpdf[F: Float](x: F[*s, n], alpha: F[*s, n]) -> F[*s] =
    let front = special.gammaln(sum(alpha, axis=-1)) - sum(special.gammaln(alpha), axis=-1)
    front + sum(special.xlogy(alpha - 1.0, x), axis=-1)
## How often each of the outcomes along the last axis comes in n trials: n! times the product of p^x / x!; -inf where the
## counts do not add up to n.
def multinomial_logpmf[F: Float](x: F[*s, m], n: F[*s], p: F[*s, m]) -> F[*s] =
    let right = all(_counts(x), axis=-1) & (sum(x, axis=-1) == n)
    let shaped = sum(
        special.xlogy(maximum(x, 0.0), p) - special.gammaln(maximum(x, 0.0) + 1.0),
        axis=-1
    )
    where(right, special.gammaln(n + 1.0) + shaped, -inf)
## Of a positive definite matrix, the sum of df outer products of normal vectors whose covariance is `scale`.
def wishart_logpdf[F: Float](x: F[n, n], df: F, scale: F[n, n]) -> F where n >= 1 =
    let factor = linalg.cholesky(scale)
    let own = sum(log(diagonal(linalg.cholesky(x))))
    let trace = sum(diagonal(linalg.cho_solve(factor, x)))
    let front = (
        0.5 * df * n * log(2.0)
        + df * sum(log(diagonal(factor)))
        + special.multigammaln(df / 2.0, n)
    )
    (df - n - 1.0) * own - 0.5 * trace - front
