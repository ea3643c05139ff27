# The log-likelihood of a Gaussian mixture with a Wishart prior on its inverse covariances.
#
# Each inverse covariance is Q Qᵀ for a lower triangular Q, written as one row of numbers: the logarithms of the
# diagonal of Q first, then what stands below the diagonal, column by column.
import nn


## What is optimised: k components in d dimensions, with l numbers below the diagonal of each factor.
type Mixture[k, d, l] = {alphas: f64[k], means: f64[k, d], icf: f64[k, d + l]}

## Where the entry (r, c) below the diagonal stands in its row of numbers; 0 for every other place.
def position(static d: size) -> i32[d, d] =
    let (r, c) = (arange(d)[:, None], arange(d)[None, :])
    where(r > c, c * (2 * d - c - 1) // 2 + r - c - 1, 0)

## The factor of one component, without its diagonal.
def below(lower: f64[l], static d: size) -> f64[d, d] =
    tril(lower.at[position(d)].get(mode="fill", fill=0.0), -1)

## The logarithm of the multivariate gamma function of dimension p.
def log_gamma(a: f64, static p: size) -> f64 =
    0.25 * p * (p - 1) * log(pi) + sum([lgamma(a - 0.5 * f64(j)) for j in range(p)])

## The logarithm of the Wishart prior, over all components.
def log_prior(p: Mixture[k, d, l], gamma: f64, m: i32) -> f64 =
    let freedom = f64(d + m + 1)
    let norm = freedom * d * (log(gamma) - 0.5 * log(2.0)) - log_gamma(0.5 * freedom, d)
    let squares = sum(exp(p.icf[:, :d]) ** 2) + sum(p.icf[:, d:] ** 2)
    0.5 * gamma ** 2 * squares - f64(m) * sum(p.icf[:, :d]) - k * norm

## The logarithm of the density of one point under each component, up to a constant.
def log_density(p: Mixture[k, d, l], x: f64[d]) -> f64[k] =
    [
        alpha
        + sum(row[:d])
        - 0.5 * sum((exp(row[:d]) * (x - mean) + below(row[d:], d) @ (x - mean)) ** 2)
        for alpha, mean, row in zip(p.alphas, p.means, p.icf)
    ]

def objective(p: Mixture[k, d, l], x: f64[n, d], gamma: f64, m: i32) -> f64
    where 2 * l == d * (d - 1) =
    let data = sum([nn.logsumexp(log_density(p, point)) for point in x])
    let constant = -0.5 * n * d * log(2.0 * pi)
    constant + data - n * nn.logsumexp(p.alphas) + log_prior(p, gamma, m)
