# Distributions as values, bijectors to unconstrained numbers, and inference on log densities.
#
# A `Dist[F, *s]` is the distribution of an array `F[*s]`, be it a number, a vector of numbers that are drawn by
# themselves, or a matrix whose elements depend on each other. Counts and categories are floats, as in `stats`. The
# parameters of most distributions are arrays; the value has the shape that these have together.

import linalg
import random
import special
import stats

## What a distribution is: the logarithm of the density of a value, one number; a draw from a key; means and variances of
## the elements, nan where there are none; for every element the probability of at most x and the x of a probability,
## nan where neither is known; the values that it takes; and whether its parameters are as they must be.
type Dist[F: Float, *s] = {log_density: (F[*s]) -> F, draw: (key) -> F[*s], mean: F[*s], variance: F[*s], cdf: (F[*s]) -> F[*s], quantile: (F[*s]) -> F[*s], support: Support[F, *s], valid: bool}

## The values that a distribution takes. `constrain` makes one of any array of that shape, with the logarithm of the
## factor by which a density changes; `unconstrain` is its inverse. Where values have fewer degrees of freedom than
## elements, as shares that add up to 1, the rest of the array has a standard normal density, which is in that factor.
## Counts are left as they are.
type Support[F: Float, *s] = {start: F[*s], contains: (F[*s]) -> bool, constrain: (F[*s]) -> (F[*s], F), unconstrain: (F[*s]) -> F[*s]}

## A smooth map with an inverse, and the logarithm of the determinant of its derivative; `start` is what it makes of zeros.
type Bijector[F: Float, *s] = {start: F[*s], forward: (F[*s]) -> F[*s], inverse: (F[*s]) -> F[*s], log_det: (F[*s]) -> F}

# ---------------------------------------------------------------- models
#
# A model is a function that performs `sample` for what is not known and `observe` for data, each by a name:
#     def schools(y: f32[n], sigma: f32[n]) -> f32[n] ! {prob.sample, prob.observe} =
#         let mu = prob.sample("mu", prob.normal(0.0, 5.0))
#         let tau = prob.sample("tau", prob.half_cauchy(5.0))
#         let theta = prob.sample("theta", prob.normal(full([n], mu), full([n], tau)))
#         prob.observe("y", prob.normal(theta, sigma), y)
# The functions below take it as `fn () -> schools(y, sigma)`; `schools.sample` is the type of the record of what is not
# known.

## A value that is not known, with its distribution before the data.
effect named sample[F: Float, *s]: (static name: str, d: Dist[F, *s]) -> F[*s]
## Data, with their distribution; the result is the data, or what is predicted in their place.
effect named observe[F: Float, *s]: (static name: str, d: Dist[F, *s], value: F[*s]) -> F[*s]

## A draw of all that is not known, from its distribution before the data.
def draw_prior[B: Tree, P: Tree, O: Tree](key: key, model: () -> B ! {sample(P), observe(O)}) -> P =
    let (_, values) =
        with rng(key) do
            with handler observe(name, d, value) -> resume(value) do
                with handler sample(name, d) -> resume(d.draw(fresh_key())), record do model()
    values
## The logarithm of the density of these values and the data together.
def log_joint[B: Tree, P: Tree, O: Tree](values: P, model: () -> B ! {sample(P), observe(O)}) -> f32 =
    let (_, total) =
        with state total = 0.0 do
            with handler observe(name, d, value) ->
                total := total + cast(d.log_density(value), f32)
                resume(value)
            , sample(name, d) as value from values ->
                total := total + cast(d.log_density(value), f32)
                resume(value)
            do model()
    total
## The logarithm of the density of the data at these values.
def log_likelihood[B: Tree, P: Tree, O: Tree](values: P, model: () -> B ! {sample(P), observe(O)}) -> f32 =
    let (_, total) =
        with state total = 0.0 do
            with handler observe(name, d, value) ->
                total := total + cast(d.log_density(value), f32)
                resume(value)
            , sample(name, d) as value from values -> resume(value)
            do model()
    total
## Zeros for all that is not known: a point of the unconstrained space to start from.
def unconstrained_zeros[B: Tree, P: Tree, O: Tree](model: () -> B ! {sample(P), observe(O)}) -> P =
    let (_, values) =
        with handler observe(name, d, value) -> resume(value) do _start_of_model(model)
    values
# Each value is one that its support allows; what is recorded are the zeros that it is made of.
def _start_of_model[B: Tree, P: Tree, O: Tree](model: () -> B ! {sample(P), observe(O)}) -> (B, P) ! observe(O) =
    let (b, starts) = with handler sample(name, d) -> resume(d.support.start), record do model()
    (b, zeros_like(starts))
## The values that a point of the unconstrained space stands for, and the logarithm of the density of that point and the
## data.
def constrained[B: Tree, P: Tree, O: Tree](point: P, model: () -> B ! {sample(P), observe(O)}) -> (P, f32) =
    let ((_, values), total) =
        with state total = 0.0 do
            with handler observe(name, d, value) ->
                total := total + cast(d.log_density(value), f32)
                resume(value)
            do
                with handler sample(name, d) as z from point ->
                    let (value, change) = d.support.constrain(z)
                    total := total + cast(change + d.log_density(value), f32)
                    resume(value)
                , record do model()
    (values, total)
## The point of the unconstrained space that stands for these values.
def unconstrained[B: Tree, P: Tree, O: Tree](values: P, model: () -> B ! {sample(P), observe(O)}) -> P =
    let (_, point) =
        with handler _kept(name, z) -> resume(z), record do
            with handler observe(name, d, value) -> resume(value) do
                with handler sample(name, d) as value from values ->
                    let _ = _kept(name, d.support.unconstrain(value))
                    resume(value)
                do model()
    point
effect named _kept[F: Float, *s]: (static name: str, z: F[*s]) -> F[*s]
## A draw of new data at these values.
def predict[B: Tree, P: Tree, O: Tree](key: key, values: P, model: () -> B ! {sample(P), observe(O)}) -> O =
    let (_, found) =
        with rng(key) do
            with handler sample(name, d) as value from values -> resume(value) do
                with handler observe(name, d, value) -> resume(d.draw(fresh_key())), record do model()
    found

# ---------------------------------------------------------------- bijectors

## exp(z): from all numbers to the positive ones.
def exp_bijector(static shape: shape = [], static dtype: Float = f32) -> Bijector[dtype, *shape] =
    {start = ones(shape, dtype), forward = fn z -> exp(z), inverse = fn x -> log(x), log_det = fn z -> sum(z)}
## log(1 + exp(z)): from all numbers to the positive ones, nearly z where that is large.
def softplus_bijector(static shape: shape = [], static dtype: Float = f32) -> Bijector[dtype, *shape] =
    {start = full(shape, cast(log(2.0), dtype)), forward = fn z -> logaddexp(z, 0.0), inverse = fn x -> x + log(-expm1(-x)), log_det = fn z -> sum(special.log_expit(z))}
## low + (high - low) / (1 + exp(-z)): from all numbers to those between low and high.
def interval_bijector[F: Float](low: F[*s], high: F[*s]) -> Bijector[F, *s] =
    {
        start = 0.5 * (low + high),
        forward = fn z -> low + (high - low) * sigmoid(z),
        inverse = fn x -> log(x - low) - log(high - x),
        log_det = fn z -> sum(log(high - low) + special.log_expit(z) + special.log_expit(-z)),
    }
## loc + scale z.
def affine_bijector[F: Float](loc: F[*s], scale: F[*s]) -> Bijector[F, *s] =
    {
        start = loc,
        forward = fn z -> loc + scale * z,
        inverse = fn x -> (x - loc) / scale,
        log_det = fn z -> sum(log(abs(scale)) + 0.0 * z),
    }
## From n - 1 numbers to n shares that add up to 1 (stick breaking): each takes a part of what the ones before have left,
## equal parts for zeros.
def simplex_bijector(static n: size, static dtype: Float = f32) -> {forward: (dtype[n - 1]) -> dtype[n], inverse: (dtype[n]) -> dtype[n - 1], log_det: (dtype[n - 1]) -> dtype} where n >= 1 =
    {forward = fn z -> _broken(z), inverse = fn x -> _pieces(x), log_det = fn z -> _log_det_of_sticks(z)}
# The odds of the parts, so that zeros are equal shares: 1 / (n - 1), …, 1.
def _part_odds[F: Float](z: F[*s, m]) -> F[*s, m] = z - log(flip(iota([m], dtype=F)) + 1.0)
# The logarithms of what is left before each part.
def _log_left[F: Float](odds: F[*s, m]) -> F[*s, m] =
    let steps = special.log_expit(-odds)
    cumsum(steps, axis=-1) - steps
def _broken[F: Float](z: F[*s, m]) -> F[*s, m + 1] =
    let odds = _part_odds(z)
    let parts = exp(_log_left(odds) + special.log_expit(odds))
    let last = exp(sum(special.log_expit(-odds), axis=-1, keepdims=true))
    concatenate((parts, last), axis=-1)
def _pieces[F: Float](x: F[*s, m]) -> F[*s, m - 1] where m >= 1 =
    let rest = cumsum(x, axis=-1, reverse=true)
    log(x[..., :m - 1]) - log(rest[..., 1:]) + log(flip(iota([m - 1], dtype=F)) + 1.0)
def _log_det_of_sticks[F: Float](z: F[*s, m]) -> F =
    let odds = _part_odds(z)
    sum(_log_left(odds) + special.log_expit(odds) + special.log_expit(-odds))
## To numbers in ascending order: the first is z[0], each of the others the one before and exp(z[i]).
def ordered_bijector(static n: size, static dtype: Float = f32) -> Bijector[dtype, n] where n >= 1 =
    {
        start = iota([n], dtype=dtype),
        forward = fn z -> cumsum(concatenate((z[:1], exp(z[1:])))),
        inverse = fn x -> concatenate((x[:1], log(diff(x)))),
        log_det = fn z -> sum(z[1:]),
    }
## From n (n - 1) / 2 numbers to the Cholesky factor of a correlation matrix: a row breaks 1 up into squares.
def correlation_bijector(static n: size, static dtype: Float = f32) -> {forward: (dtype[n * (n - 1) // 2]) -> dtype[n, n], inverse: (dtype[n, n]) -> dtype[n * (n - 1) // 2], log_det: (dtype[n * (n - 1) // 2]) -> dtype} where n >= 1 =
    {
        forward = fn z -> _correlation_factor(_below_diagonal(z, n)),
        inverse = fn x -> _entries_below(_angles(x)),
        log_det = fn z -> _log_det_of_correlation(_below_diagonal(z, n)),
    }
def _below_diagonal[F: Float](z: F[k], static n: size) -> F[n, n] where n >= 1 and k == n * (n - 1) // 2 =
    let (rows, columns) = tril_indices(n, -1)
    zeros([n, n], F).at[rows, columns].set(z)
def _entries_below[F: Float](x: F[n, n]) -> F[n * (n - 1) // 2] where n >= 1 =
    let (rows, columns) = tril_indices(n, -1)
    x[rows, columns]
# The logarithms of 1 - tanh(z)², below the diagonal, and their sums to the left of each place.
def _log_rests[F: Float](z: F[n, n]) -> (F[n, n], F[n, n]) =
    let steps = tril(2.0 * (log(2.0) - z - logaddexp(-2.0 * z, 0.0)), -1)
    (steps, cumsum(steps, axis=1) - steps)
def _correlation_factor[F: Float](z: F[n, n]) -> F[n, n] =
    let (_, left) = _log_rests(z)
    (tril(tanh(z), -1) + eye(n, F)) * exp(0.5 * left)
def _log_det_of_correlation[F: Float](z: F[n, n]) -> F =
    let (steps, left) = _log_rests(z)
    sum(steps + 0.5 * tril(left, -1))
def _angles[F: Float](x: F[n, n]) -> F[n, n] =
    let squares = tril(x * x, -1)
    let rest = maximum(1.0 - (cumsum(squares, axis=1) - squares), 1e-30)
    tril(atanh(clip(tril(x, -1) / sqrt(rest), -1.0, 1.0)), -1)
## One map after another.
def chained[F: Float](first: Bijector[F, *s], second: Bijector[F, *s]) -> Bijector[F, *s] =
    {
        start = second.forward(first.start),
        forward = fn z -> second.forward(first.forward(z)),
        inverse = fn x -> first.inverse(second.inverse(x)),
        log_det = fn z -> first.log_det(z) + second.log_det(first.forward(z)),
    }
## The inverse map.
def inverted[F: Float](b: Bijector[F, *s]) -> Bijector[F, *s] =
    {start = b.inverse(zeros(s, F)), forward = fn x -> b.inverse(x), inverse = fn z -> b.forward(z), log_det = fn x -> -b.log_det(b.inverse(x))}

# ---------------------------------------------------------------- supports

## All numbers.
def real_numbers(static shape: shape = [], static dtype: Float = f32) -> Support[dtype, *shape] =
    {start = zeros(shape, dtype), contains = fn x -> all(isfinite(x)), constrain = fn z -> (z, zeros([], dtype)), unconstrain = fn x -> x}
## Numbers above `low`.
def numbers_above[F: Float](low: F[*s]) -> Support[F, *s] =
    {start = low + 1.0, contains = fn x -> all((x >= low) & isfinite(x)), constrain = fn z -> (low + exp(z), sum(z)), unconstrain = fn x -> log(x - low)}
## Numbers between two others.
def numbers_between[F: Float](low: F[*s], high: F[*s]) -> Support[F, *s] =
    _mapped(interval_bijector(low, high), fn x -> all((x >= low) & (x <= high)))
def _mapped[F: Float](b: Bijector[F, *s], contains: (F[*s]) -> bool) -> Support[F, *s] =
    {start = b.start, contains = contains, constrain = fn z -> (b.forward(z), b.log_det(z)), unconstrain = fn x -> b.inverse(x)}
## Whole numbers from `low` to `high`, which may be inf.
def whole_numbers[F: Float](low: F[*s], high: F[*s]) -> Support[F, *s] =
    {
        start = low,
        contains = fn x -> all((x >= low) & (x <= high) & (x == floor(x))),
        constrain = fn z -> (z, zeros([], F)),
        unconstrain = fn x -> x,
    }
## Shares that add up to 1 along the last axis.
def shares(static shape: shape, static n: size, static dtype: Float = f32) -> Support[dtype, *shape, n] where n >= 1 =
    {
        start = full([*shape, n], cast(1.0 / n, dtype)),
        contains = fn x -> all(x >= 0) & all(abs(sum(x, axis=-1) - 1.0) < 1e-3),
        constrain = fn z -> (_broken(z[..., :n - 1]), _log_det_of_sticks(z[..., :n - 1]) + _normal_rest(z[..., n - 1])),
        unconstrain = fn x -> concatenate((_pieces(x), zeros([*shape, 1], dtype)), axis=-1),
    }
def _normal_rest[F: Float](z: F[*s]) -> F = sum(stats.norm_logpdf(z))
## Vectors in ascending order.
def ascending(static n: size, static dtype: Float = f32) -> Support[dtype, n] where n >= 1 =
    _mapped(ordered_bijector(n, dtype), fn x -> all(diff(x) >= 0))
## Cholesky factors of correlation matrices.
def correlation_factors(static n: size, static dtype: Float = f32) -> Support[dtype, n, n] where n >= 1 =
    {
        start = eye(n, dtype),
        contains = fn x -> all(triu(x, 1) == 0) & all(abs(sum(x * x, axis=1) - 1.0) < 1e-3) & all(diagonal(x) > 0),
        constrain = fn z -> (_correlation_factor(tril(z, -1)), _log_det_of_correlation(tril(z, -1)) + _rest_above(z, 0)),
        unconstrain = fn x -> _angles(x),
    }
# The normal density of what is on and above a diagonal of a matrix.
def _rest_above[F: Float](z: F[n, n], static k: int) -> F =
    sum(triu(stats.norm_logpdf(z), k))
## Positive definite matrices, by their Cholesky factors with logarithms on the diagonal; the factor of the density is
## that on and below the diagonal.
def positive_definite_matrices(static n: size, static dtype: Float = f32) -> Support[dtype, n, n] where n >= 1 =
    {
        start = eye(n, dtype),
        contains = fn x -> all(abs(x - x.T) <= 1e-3 * (1.0 + abs(x))) & all(isfinite(linalg.cholesky(x))),
        constrain = fn z -> _squared_factor(z),
        unconstrain = fn x -> _log_diagonal(linalg.cholesky(x)),
    }
def _squared_factor[F: Float](z: F[n, n]) -> (F[n, n], F) where n >= 1 =
    let logs = diagonal(z)
    let factor = tril(z, -1) + diag(exp(logs))
    let weights = n + 1.0 - iota([n], dtype=F)
    (factor @ factor.T, n * log(2.0) + sum(weights * logs) + _rest_above(z, 1))
def _log_diagonal[F: Float](factor: F[n, n]) -> F[n, n] = tril(factor, -1) + diag(log(diagonal(factor)))

# ---------------------------------------------------------------- distributions of numbers, with loc and scale

# The shape that parameters have together, and each of them in it.
def _pair[F: Float](x: F[*s], y: F[*t]) -> (F[*broadcasted(s, t)], F[*broadcasted(s, t)]) =
    (_spread(x, broadcasted(s, t)), _spread(y, broadcasted(s, t)))
def _three[F: Float](x: F[*s], y: F[*t], z: F[*u]) -> (F[*broadcasted(broadcasted(s, t), u)], F[*broadcasted(broadcasted(s, t), u)], F[*broadcasted(broadcasted(s, t), u)]) =
    let shape = broadcasted(broadcasted(s, t), u)
    (_spread(x, shape), _spread(y, shape), _spread(z, shape))
# The distribution of numbers that are drawn by themselves, from functions of all of them at once.
def _numbers[F: Float](log_pdf: (F[*s]) -> F[*s], draw: (key) -> F[*s], mean: F[*s], variance: F[*s], cdf: (F[*s]) -> F[*s], quantile: (F[*s]) -> F[*s], support: Support[F, *s], valid: bool[*s]) -> Dist[F, *s] =
    {log_density = fn x -> sum(log_pdf(x)), draw = draw, mean = mean, variance = variance, cdf = cdf, quantile = quantile, support = support, valid = all(valid)}
# loc + scale z of numbers z of this distribution, for scale > 0.
def _scaled[F: Float](loc: F[*s], scale: F[*s], log_pdf: (F[*s]) -> F[*s], draw: (key) -> F[*s], mean: F[*s], variance: F[*s], cdf: (F[*s]) -> F[*s], quantile: (F[*s]) -> F[*s], support: Support[F, *s], valid: bool[*s]) -> Dist[F, *s] =
    _numbers(
        fn x -> log_pdf((x - loc) / scale) - log(scale),
        fn k -> loc + scale * draw(k),
        loc + scale * mean,
        square(scale) * variance,
        fn x -> cdf((x - loc) / scale),
        fn q -> loc + scale * quantile(q),
        support,
        valid & (scale > 0),
    )
# The same for all numbers, with no other parameters.
def _real_scaled[F: Float](loc: F[*s], scale: F[*s], log_pdf: (F[*s]) -> F[*s], draw: (key) -> F[*s], static mean: float, static variance: float, cdf: (F[*s]) -> F[*s], quantile: (F[*s]) -> F[*s]) -> Dist[F, *s] =
    _scaled(loc, scale, log_pdf, draw, full(s, cast(mean, F)), full(s, cast(variance, F)), cdf, quantile, real_numbers(s, F), full(s, true))

## Normal: exp(-z² / 2) / (scale sqrt(2 pi)), z = (x - loc) / scale.
def normal[F: Float](loc: F[*s], scale: F[*t]) -> Dist[F, *broadcasted(s, t)] =
    let (m, r) = _pair(loc, scale)
    _real_scaled(m, r, fn z -> stats.norm_logpdf(z), fn k -> random.normal(k, m.shape, F), 0.0, 1.0, fn z -> stats.norm_cdf(z), fn q -> stats.norm_ppf(q))
## Laplace: exp(-|z|) / (2 scale).
def laplace[F: Float](loc: F[*s], scale: F[*t]) -> Dist[F, *broadcasted(s, t)] =
    let (m, r) = _pair(loc, scale)
    _real_scaled(m, r, fn z -> stats.laplace_logpdf(z), fn k -> random.laplace(k, m.shape, F), 0.0, 2.0, fn z -> stats.laplace_cdf(z), fn q -> stats.laplace_ppf(q))
## Logistic, with distribution function sigmoid(z).
def logistic[F: Float](loc: F[*s], scale: F[*t]) -> Dist[F, *broadcasted(s, t)] =
    let (m, r) = _pair(loc, scale)
    _real_scaled(m, r, fn z -> stats.logistic_logpdf(z), fn k -> random.logistic(k, m.shape, F), 0.0, pi * pi / 3.0, fn z -> stats.logistic_cdf(z), fn q -> stats.logistic_ppf(q))
## Cauchy: 1 / (pi scale (1 + z²)), without mean or variance.
def cauchy[F: Float](loc: F[*s], scale: F[*t]) -> Dist[F, *broadcasted(s, t)] =
    let (m, r) = _pair(loc, scale)
    _real_scaled(m, r, fn z -> stats.cauchy_logpdf(z), fn k -> random.cauchy(k, m.shape, F), nan, nan, fn z -> stats.cauchy_cdf(z), fn q -> stats.cauchy_ppf(q))
## Gumbel, with distribution function exp(-exp(-z)).
def gumbel[F: Float](loc: F[*s], scale: F[*t]) -> Dist[F, *broadcasted(s, t)] =
    let (m, r) = _pair(loc, scale)
    _real_scaled(m, r, fn z -> stats.gumbel_r_logpdf(z), fn k -> random.gumbel(k, m.shape, F), 0.5772156649015329, pi * pi / 6.0, fn z -> stats.gumbel_r_cdf(z), fn q -> stats.gumbel_r_ppf(q))
## Student's t with df degrees of freedom; the mean is nan for df <= 1, the variance infinite for df <= 2.
def student_t[F: Float](df: F[*s], loc: F[*t], scale: F[*u]) -> Dist[F, *broadcasted(broadcasted(s, t), u)] =
    let (n, m, r) = _three(df, loc, scale)
    let variance = where(n > 2, n / where(n > 2, n - 2.0, 1.0), inf)
    _scaled(m, r, fn z -> stats.t_logpdf(z, n), fn k -> random.t(k, n, [], F), where(n > 1, 0.0 * m, nan), variance, fn z -> stats.t_cdf(z, n), fn q -> stats.t_ppf(q, n), real_numbers(n.shape, F), n > 0)
## Skew normal: 2 φ(z) Φ(slant z) / scale.
def skew_normal[F: Float](slant: F[*s], loc: F[*t], scale: F[*u]) -> Dist[F, *broadcasted(broadcasted(s, t), u)] =
    let (a, m, r) = _three(slant, loc, scale)
    let mean = a / sqrt(1.0 + a * a) * sqrt(2.0 / pi)
    let cdf = fn z -> stats.skewnorm_cdf(z, a)
    _scaled(m, r, fn z -> stats.skewnorm_logpdf(z, a), fn k -> random.skew_normal(k, a, [], F), mean, 1.0 - mean * mean, cdf, fn q -> _solved(cdf, q, -40.0 + 0.0 * a, 40.0 + 0.0 * a), real_numbers(a.shape, F), isfinite(a))
# The x between two ends where an increasing function is q, by halving.
def _solved[F: Float](f: (F[*s]) -> F[*s], q: F[*s], low: F[*s], high: F[*s]) -> F[*s] =
    let (low, high) = fold (low, high) = (low, high) for _ in range(_halvings_to_end(F)) do
        let middle = 0.5 * (low + high)
        let below = f(middle) < q
        (where(below, middle, low), where(below, high, middle))
    where((q > 0) & (q < 1), 0.5 * (low + high), where(q == 0, low, where(q == 1, high, nan)))
static def _halvings_to_end(d: dtype) -> int = if d == f64 then 60 else 32

# ---------------------------------------------------------------- distributions of positive numbers

# scale z of positive numbers z.
def _positive_scaled[F: Float](scale: F[*s], log_pdf: (F[*s]) -> F[*s], draw: (key) -> F[*s], mean: F[*s], variance: F[*s], cdf: (F[*s]) -> F[*s], quantile: (F[*s]) -> F[*s], valid: bool[*s]) -> Dist[F, *s] =
    _scaled(zeros(s, F), scale, log_pdf, draw, mean, variance, cdf, quantile, numbers_above(zeros(s, F)), valid)
## The absolute value of a normal number with mean 0.
def half_normal[F: Float](scale: F[*s]) -> Dist[F, *s] =
    let one = ones(s, F)
    _positive_scaled(scale, fn z -> stats.halfnorm_logpdf(z), fn k -> abs(random.normal(k, s, F)), sqrt(2.0 / pi) * one, (1.0 - 2.0 / pi) * one, fn z -> stats.halfnorm_cdf(z), fn q -> stats.halfnorm_ppf(q), full(s, true))
## The absolute value of a number with the Cauchy distribution about 0.
def half_cauchy[F: Float](scale: F[*s]) -> Dist[F, *s] =
    let never = full(s, cast(nan, F))
    _positive_scaled(scale, fn z -> stats.halfcauchy_logpdf(z), fn k -> abs(random.cauchy(k, s, F)), full(s, cast(inf, F)), never, fn z -> stats.halfcauchy_cdf(z), fn q -> stats.halfcauchy_ppf(q), full(s, true))
## Exponential: rate exp(-rate x), x >= 0.
def exponential[F: Float](rate: F[*s]) -> Dist[F, *s] =
    _positive_scaled(1.0 / rate, fn z -> stats.expon_logpdf(z), fn k -> random.exponential(k, s, F), ones(s, F), ones(s, F), fn z -> stats.expon_cdf(z), fn q -> stats.expon_ppf(q), rate > 0)
## Gamma: rate^a x^(a - 1) exp(-rate x) / Γ(a).
def gamma[F: Float](concentration: F[*s], rate: F[*t]) -> Dist[F, *broadcasted(s, t)] =
    let (a, b) = _pair(concentration, rate)
    _positive_scaled(1.0 / b, fn z -> stats.gamma_logpdf(z, a), fn k -> random.gamma(k, a, [], F), a, a, fn z -> stats.gamma_cdf(z, a), fn q -> stats.gamma_ppf(q, a), (a > 0) & (b > 0))
## One over a number with the gamma distribution: scale^a x^(-a - 1) exp(-scale / x) / Γ(a).
def inverse_gamma[F: Float](concentration: F[*s], scale: F[*t]) -> Dist[F, *broadcasted(s, t)] =
    let (a, b) = _pair(concentration, scale)
    let mean = where(a > 1, 1.0 / where(a > 1, a - 1.0, 1.0), inf)
    let variance = where(a > 2, 1.0 / (square(where(a > 2, a - 1.0, 1.0)) * where(a > 2, a - 2.0, 1.0)), inf)
    _positive_scaled(b, fn z -> stats.invgamma_logpdf(z, a), fn k -> exp(-random.loggamma(k, a, [], F)), mean, variance, fn z -> stats.invgamma_cdf(z, a), fn q -> stats.invgamma_ppf(q, a), a > 0)
## The sum of df squares of standard normal numbers.
def chi2[F: Float](df: F[*s]) -> Dist[F, *s] = gamma(0.5 * df, full(s, cast(0.5, F)))
## F with dfn and dfd degrees of freedom.
def f[F: Float](dfn: F[*s], dfd: F[*t]) -> Dist[F, *broadcasted(s, t)] =
    let (n, d) = _pair(dfn, dfd)
    let mean = where(d > 2, d / where(d > 2, d - 2.0, 1.0), inf)
    let variance = where(d > 4, 2.0 * square(mean) * (n + d - 2.0) / (n * where(d > 4, d - 4.0, 1.0)), inf)
    let draw = fn k ->
        let keys = split(k)
        exp(random.loggamma(keys[0], 0.5 * n, [], F) - random.loggamma(keys[1], 0.5 * d, [], F)) * d / n
    _positive_scaled(ones(n.shape, F), fn z -> stats.f_logpdf(z, n, d), draw, mean, variance, fn z -> stats.f_cdf(z, n, d), fn q -> stats.f_ppf(q, n, d), (n > 0) & (d > 0))
## Weibull: scale z of z with distribution function 1 - exp(-z^c).
def weibull[F: Float](concentration: F[*s], scale: F[*t]) -> Dist[F, *broadcasted(s, t)] =
    let (c, b) = _pair(concentration, scale)
    let mean = exp(special.gammaln(1.0 + 1.0 / c))
    let square_mean = exp(special.gammaln(1.0 + 2.0 / c))
    let draw = fn k -> power(random.exponential(k, c.shape, F), 1.0 / c)
    _positive_scaled(b, fn z -> stats.weibull_min_logpdf(z, c), draw, mean, square_mean - mean * mean, fn z -> stats.weibull_min_cdf(z, c), fn q -> stats.weibull_min_ppf(q, c), c > 0)
## exp(loc + scale z) of a standard normal z.
def lognormal[F: Float](loc: F[*s], scale: F[*t]) -> Dist[F, *broadcasted(s, t)] =
    let (m, r) = _pair(loc, scale)
    let draw = fn k -> exp(r * random.normal(k, m.shape, F))
    _positive_scaled(exp(m), fn z -> stats.lognorm_logpdf(z, r), draw, exp(0.5 * r * r), expm1(r * r) * exp(r * r), fn z -> stats.lognorm_cdf(z, r), fn q -> stats.lognorm_ppf(q, r), r > 0)
## Pareto: alpha scale^alpha / x^(alpha + 1), x >= scale.
def pareto[F: Float](alpha: F[*s], scale: F[*t]) -> Dist[F, *broadcasted(s, t)] =
    let (a, b) = _pair(alpha, scale)
    let mean = where(a > 1, a / where(a > 1, a - 1.0, 1.0), inf)
    let variance = where(a > 2, a / (square(where(a > 2, a - 1.0, 1.0)) * where(a > 2, a - 2.0, 1.0)), inf)
    let draw = fn k -> exp(random.exponential(k, a.shape, F) / a)
    _scaled(zeros(a.shape, F), b, fn z -> stats.pareto_logpdf(z, a), draw, mean, variance, fn z -> stats.pareto_cdf(z, a), fn q -> stats.pareto_ppf(q, a), numbers_above(b), a > 0)

# ---------------------------------------------------------------- distributions of numbers between two others

## Uniform between low and high.
def uniform[F: Float](low: F[*s], high: F[*t]) -> Dist[F, *broadcasted(s, t)] =
    let (a, b) = _pair(low, high)
    _scaled(a, b - a, fn z -> stats.uniform_logpdf(z), fn k -> random.uniform(k, a.shape, F), full(a.shape, cast(0.5, F)), full(a.shape, cast(1.0 / 12.0, F)), fn z -> stats.uniform_cdf(z), fn q -> stats.uniform_ppf(q), numbers_between(a, b), a < b)
## Beta: x^(a - 1) (1 - x)^(b - 1) / Β(a, b).
def beta[F: Float](a: F[*s], b: F[*t]) -> Dist[F, *broadcasted(s, t)] =
    let (p, q) = _pair(a, b)
    let total = p + q
    _numbers(fn x -> stats.beta_logpdf(x, p, q), fn k -> random.beta(k, p, q, [], F), p / total, p * q / (total * total * (total + 1.0)), fn x -> stats.beta_cdf(x, p, q), fn u -> stats.beta_ppf(u, p, q), _unit_interval(p), (p > 0) & (q > 0))
def _unit_interval[F: Float](like: F[*s]) -> Support[F, *s] = numbers_between(zeros(s, F), ones(s, F))
## Kumaraswamy: a b x^(a - 1) (1 - x^a)^(b - 1), with distribution function 1 - (1 - x^a)^b.
def kumaraswamy[F: Float](a: F[*s], b: F[*t]) -> Dist[F, *broadcasted(s, t)] =
    let (p, q) = _pair(a, b)
    let moment = fn n -> q * exp(special.betaln(1.0 + n / p, q))
    let mean = moment(1.0)
    let quantile = fn u -> power(-expm1(log1p(-u) / q), 1.0 / p)
    let log_pdf = fn x ->
        let inside = (x > 0) & (x < 1)
        let l = log(where(inside, x, 0.5))
        where(inside, log(p) + log(q) + (p - 1.0) * l + (q - 1.0) * log(-expm1(p * l)), -inf)
    let cdf = fn x ->
        let l = log(clip(x, 1e-30, 1.0))
        -expm1(q * log(-expm1(p * l)))
    _numbers(log_pdf, fn k -> quantile(random.uniform(k, p.shape, F)), mean, moment(2.0) - mean * mean, cdf, quantile, _unit_interval(p), (p > 0) & (q > 0))
## Normal, cut off to low < x < high.
def truncated_normal[F: Float](loc: F[*s], scale: F[*t], low: F[*s], high: F[*s]) -> Dist[F, *broadcasted(s, t)] =
    let (m, r) = _pair(loc, scale)
    let (a, b) = ((_spread(low, m.shape) - m) / r, (_spread(high, m.shape) - m) / r)
    let (at_low, at_high) = (exp(stats.truncnorm_logpdf(a, a, b)), exp(stats.truncnorm_logpdf(b, a, b)))
    let mean = at_low - at_high
    let edge = where(isfinite(a), a, 0.0) * at_low - where(isfinite(b), b, 0.0) * at_high
    let quantile = fn q -> stats.truncnorm_ppf(q, a, b)
    _scaled(m, r, fn z -> stats.truncnorm_logpdf(z, a, b), fn k -> quantile(random.uniform(k, m.shape, F)), mean, 1.0 + edge - mean * mean, fn z -> stats.truncnorm_cdf(z, a, b), quantile, _between(m + r * a, m + r * b), a < b)
# Between two numbers, of which either may be infinite for all elements.
def _between[F: Float](low: F[*s], high: F[*s]) -> Support[F, *s] =
    let (left, right) = (isfinite(low), isfinite(high))
    let (a, b) = (where(left, low, 0.0), where(right, high, 1.0))
    let inner = interval_bijector(where(left & right, a, 0.0), where(left & right, b, 1.0))
    {
        start = _into(inner, zeros(s, F), left, right, a, b),
        contains = fn x -> all((x >= low) & (x <= high)),
        constrain = fn z -> (_into(inner, z, left, right, a, b), sum(where(left & right, log(where(left & right, b - a, 1.0)) + special.log_expit(z) + special.log_expit(-z), where(left | right, z, 0.0)))),
        unconstrain = fn x -> where(left & right, inner.inverse(where(left & right, x, 0.5)), where(left, log(where(left, x - a, 1.0)), where(right, log(where(right, b - x, 1.0)), x))),
    }
def _into[F: Float](inner: Bijector[F, *s], z: F[*s], left: bool[*s], right: bool[*s], a: F[*s], b: F[*s]) -> F[*s] =
    let e = exp(where(left & right, 0.0, where(left | right, z, 0.0)))
    where(left & right, inner.forward(z), where(left, a + e, where(right, b - e, z)))
## An angle between -pi and pi about loc: exp(concentration cos(x - loc)) / (2 pi i0(concentration)). The variance is that
## of the angle about loc, by the first ten terms of its series.
def von_mises[F: Float](loc: F[*s], concentration: F[*t]) -> Dist[F, *broadcasted(s, t)] =
    let (m, k) = _pair(loc, concentration)
    let cdf = fn x -> stats.vonmises_cdf(x, k, 0.0)
    _numbers(fn x -> stats.vonmises_logpdf(x - m, k), fn key -> m + random.von_mises(key, k, [], F), m, _angle_variance(k), fn x -> cdf(x - m), fn q -> m + _solved(cdf, q, -pi + 0.0 * m, pi + 0.0 * m), numbers_between(m - pi, m + pi), k >= 0)
# pi² / 3 + 4 Σ (-1)^j I_j(k) / (j² I_0(k)), by the integral of x² over the angles (trapezoidal rule).
def _angle_variance[F: Float](k: F[*s]) -> F[*s] =
    let (weights, squares) = fold (weights, squares) = (zeros(s, F), zeros(s, F)) for i in range(400) do
        let x = (cast(i, F) + 0.5) * (pi / 400.0)
        let w = exp(k * (cos(x) - 1.0))
        (weights + w, squares + w * x * x)
    squares / weights

# ---------------------------------------------------------------- distributions of counts

# Of whole numbers.
def _counted[F: Float](log_pmf: (F[*s]) -> F[*s], draw: (key) -> F[*s], mean: F[*s], variance: F[*s], cdf: (F[*s]) -> F[*s], quantile: (F[*s]) -> F[*s], low: F[*s], high: F[*s], valid: bool[*s]) -> Dist[F, *s] =
    _numbers(log_pmf, draw, mean, variance, cdf, quantile, whole_numbers(low, high), valid)
## 1 with probability p, else 0.
def bernoulli[F: Float](p: F[*s]) -> Dist[F, *s] =
    let draw = fn k -> where(random.uniform(k, s, F) < p, ones(s, F), 0.0)
    let cdf = fn k -> where(k < 0, 0.0, where(k < 1, 1.0 - p, 1.0))
    let quantile = fn q -> where((q >= 0) & (q <= 1), where(q <= 1.0 - p, zeros(s, F), 1.0), nan)
    _counted(fn k -> stats.bernoulli_logpmf(k, p), draw, p, p * (1.0 - p), cdf, quantile, zeros(s, F), ones(s, F), (p >= 0) & (p <= 1))
## Bernoulli with probability sigmoid(logits), without loss of digits for large logits.
def bernoulli_logits[F: Float](logits: F[*s]) -> Dist[F, *s] =
    let log_pmf = fn k -> where(k == 1, special.log_expit(logits), where(k == 0, special.log_expit(-logits), -inf))
    {bernoulli(sigmoid(logits)) with log_density = fn k -> sum(log_pmf(k)), valid = all(~isnan(logits))}
## The number of successes in n trials, each with probability p.
def binomial[F: Float](n: F[*s], p: F[*t]) -> Dist[F, *broadcasted(s, t)] =
    let (m, q) = _pair(n, p)
    _counted(fn k -> stats.binom_logpmf(k, m, q), fn k -> random.binomial(k, m, q, [], F), m * q, m * q * (1.0 - q), fn k -> stats.binom_cdf(k, m, q), fn u -> stats.binom_ppf(u, m, q), zeros(m.shape, F), m, (q >= 0) & (q <= 1) & (m >= 0))
## Binomial with a probability that is distributed as beta.
def beta_binomial[F: Float](n: F[*s], a: F[*t], b: F[*u]) -> Dist[F, *broadcasted(broadcasted(s, t), u)] =
    let (m, p, q) = _three(n, a, b)
    let total = p + q
    let mean = m * p / total
    let draw = fn k ->
        let keys = split(k)
        random.binomial(keys[0], m, random.beta(keys[1], p, q, [], F), [], F)
    _counted(fn k -> stats.betabinom_logpmf(k, m, p, q), draw, mean, mean * q / total * (total + m) / (total + 1.0), _no_function(m), _no_function(m), zeros(m.shape, F), m, (p > 0) & (q > 0) & (m >= 0))
def _no_function[F: Float](like: F[*s]) -> (F[*s]) -> F[*s] = fn x -> full(s, cast(nan, F))
## How many events come that are expected `rate` times: exp(-rate) rate^k / k!.
def poisson[F: Float](rate: F[*s]) -> Dist[F, *s] =
    _counted(fn k -> stats.poisson_logpmf(k, rate), fn k -> cast(random.poisson(k, cast(rate, f32)), F), rate, rate, fn k -> stats.poisson_cdf(k, rate), fn q -> stats.poisson_ppf(q, rate), zeros(s, F), full(s, cast(inf, F)), rate >= 0)
## Poisson, but 0 with probability `gate` more.
def zero_inflated_poisson[F: Float](gate: F[*s], rate: F[*t]) -> Dist[F, *broadcasted(s, t)] =
    let (g, r) = _pair(gate, rate)
    let log_pmf = fn k ->
        let some = log1p(-g) + stats.poisson_logpmf(k, r)
        where(k == 0, logaddexp(log(g), some), some)
    let draw = fn k ->
        let keys = split(k)
        where(random.uniform(keys[0], g.shape, F) < g, 0.0, cast(random.poisson(keys[1], cast(r, f32)), F))
    let cdf = fn k -> where(k < 0, 0.0, g + (1.0 - g) * stats.poisson_cdf(k, r))
    let quantile = fn q -> where((q >= 0) & (q <= g), 0.0, stats.poisson_ppf((q - g) / (1.0 - g), r))
    _counted(log_pmf, draw, (1.0 - g) * r, (1.0 - g) * r * (1.0 + g * r), cdf, quantile, zeros(g.shape, F), full(g.shape, cast(inf, F)), (g >= 0) & (g < 1) & (r >= 0))
## The number of failures before the first success of probability p: p (1 - p)^k.
def geometric[F: Float](p: F[*s]) -> Dist[F, *s] =
    let draw = fn k -> where(p < 1, floor(log(1.0 - random.uniform(k, s, F)) / log1p(-where(p < 1, p, 0.5))), 0.0)
    _counted(fn k -> stats.geom_logpmf(k + 1.0, p), draw, (1.0 - p) / p, (1.0 - p) / (p * p), fn k -> stats.geom_cdf(k + 1.0, p), fn q -> stats.geom_ppf(q, p) - 1.0, zeros(s, F), full(s, cast(inf, F)), (p > 0) & (p <= 1))
## The number of failures before n successes, each of probability p.
def negative_binomial[F: Float](n: F[*s], p: F[*t]) -> Dist[F, *broadcasted(s, t)] =
    let (m, q) = _pair(n, p)
    let draw = fn k -> cast(random.negative_binomial(k, cast(m, f32), cast(q, f32)), F)
    let mean = m * (1.0 - q) / q
    _counted(fn k -> stats.nbinom_logpmf(k, m, q), draw, mean, mean / q, fn k -> stats.nbinom_cdf(k, m, q), fn u -> stats.nbinom_ppf(u, m, q), zeros(m.shape, F), full(m.shape, cast(inf, F)), (m > 0) & (q > 0) & (q <= 1))
## Whole numbers from low to high, both included, each as probable.
def discrete_uniform[F: Float](low: F[*s], high: F[*t]) -> Dist[F, *broadcasted(s, t)] =
    let (a, b) = _pair(low, high)
    let n = b - a + 1.0
    let inside = fn k -> (k >= a) & (k <= b) & (k == floor(k))
    let draw = fn k -> minimum(a + floor(n * random.uniform(k, a.shape, F)), b)
    let quantile = fn q -> where((q >= 0) & (q <= 1), a + maximum(ceil(n * q * (1.0 - 4.0 * _rounding(F))) - 1.0, 0.0), nan)
    _counted(fn k -> where(inside(k), -log(n), -inf), draw, 0.5 * (a + b), (n * n - 1.0) / 12.0, fn k -> clip((floor(k) - a + 1.0) / n, 0.0, 1.0), quantile, a, b, a <= b)
static def _rounding(d: dtype) -> float = if d == f64 then 2.0 ** -53 else if d == f32 then 2.0 ** -24 else 2.0 ** -8
## One of the numbers 0, …, n - 1, with probabilities proportional to exp(logits) along the last axis. `category` makes an
## index of it.
def categorical[F: Float](logits: F[*s, n]) -> Dist[F, *s] where n >= 1 =
    let logs = logits - logsumexp(logits, axis=-1, keepdims=true)
    let weights = exp(logs)
    let places = _spread(iota([n], dtype=F), [*s, n])
    let chosen = fn k -> k[..., None] == places
    let log_pmf = fn k -> where(any(chosen(k), axis=-1), sum(where(chosen(k), logs, 0.0), axis=-1), -inf)
    let mean = sum(weights * places, axis=-1)
    let cdf = fn k -> minimum(sum(where(k[..., None] >= places, weights, 0.0), axis=-1), 1.0)
    let below = fn q -> cumsum(weights, axis=-1) < q[..., None] * (1.0 - 8.0 * _rounding(F))
    let quantile = fn q -> minimum(sum(where(below(q), ones([*s, n], F), 0.0), axis=-1), n - 1.0)
    _counted(log_pmf, fn k -> cast(random.categorical(k, logits), F), mean, sum(weights * square(places), axis=-1) - mean * mean, cdf, quantile, zeros(s, F), full(s, cast(n - 1, F)), all(~isnan(logits), axis=-1))
## The index that a value of `categorical` stands for.
def category[F: Float](value: F[*s], static n: size) -> idx[n][*s] where n >= 1 = clip(i32(value), 0, n - 1)

# ---------------------------------------------------------------- distributions of vectors and matrices

# The distribution of an array whose elements depend on each other.
def _joint[F: Float](log_density: (F[*s]) -> F, draw: (key) -> F[*s], mean: F[*s], variance: F[*s], support: Support[F, *s], valid: bool) -> Dist[F, *s] =
    {log_density = log_density, draw = draw, mean = mean, variance = variance, cdf = _no_function(mean), quantile = _no_function(mean), support = support, valid = valid}
## Shares that add up to 1 along the last axis: proportional to the product of x^(a - 1).
def dirichlet[F: Float](concentration: F[*s, n]) -> Dist[F, *s, n] where n >= 1 =
    let total = sum(concentration, axis=-1, keepdims=true)
    let mean = concentration / total
    _joint(fn x -> sum(stats.dirichlet_logpdf(x, concentration)), fn k -> random.dirichlet(k, concentration, [], F), mean, mean * (1.0 - mean) / (total + 1.0), shares(s, n, F), all(concentration > 0))
## How often each of the outcomes along the last axis comes in n trials with these probabilities.
def multinomial[F: Float](n: F, p: F[m]) -> Dist[F, m] where m >= 1 =
    _joint(fn x -> stats.multinomial_logpmf(x, n, p), fn k -> random.multinomial(k, n, p, [], F), n * p, n * p * (1.0 - p), whole_numbers(zeros([m], F), full([m], n)), all(p >= 0) & (abs(sum(p) - 1.0) < 1e-3) & (n >= 0))
## Normal vectors with this covariance.
def multivariate_normal[F: Float](mean: F[n], cov: F[n, n]) -> Dist[F, n] = multivariate_normal_tril(mean, linalg.cholesky(cov))
## Normal vectors mean + factor z, of standard normal z; the factor is lower triangular.
def multivariate_normal_tril[F: Float](mean: F[n], factor: F[n, n]) -> Dist[F, n] =
    let log_density = fn x ->
        let z = linalg.solve_triangular(factor, x - mean, lower=true)
        sum(stats.norm_logpdf(z)) - sum(log(diagonal(factor)))
    _joint(log_density, fn k -> mean + tril(factor) @ random.normal(k, [n], F), mean, sum(square(tril(factor)), axis=1), real_numbers([n], F), all(diagonal(factor) > 0))
## Student's t in n dimensions: mean + factor z sqrt(df / c), of standard normal z and a chi-squared c; the factor is
## lower triangular.
def multivariate_t[F: Float](df: F, mean: F[n], factor: F[n, n]) -> Dist[F, n] =
    let front = special.gammaln(0.5 * (df + n)) - special.gammaln(0.5 * df) - 0.5 * n * log(pi * df) - sum(log(diagonal(factor)))
    let log_density = fn x ->
        let z = linalg.solve_triangular(factor, x - mean, lower=true)
        front - 0.5 * (df + n) * log1p(sum(z * z) / df)
    let draw = fn k ->
        let keys = split(k)
        mean + tril(factor) @ random.normal(keys[0], [n], F) * sqrt(df / random.chisquare(keys[1], df, [], F))
    let variance = where(df > 2, df / where(df > 2, df - 2.0, 1.0), inf) * sum(square(tril(factor)), axis=1)
    _joint(log_density, draw, where(df > 1, mean, nan), variance, real_numbers([n], F), (df > 0) & all(diagonal(factor) > 0))
# By the vine of rows (Lewandowski, Kurowicka and Joe 2009): a row is a direction at random, of a length whose square is
# distributed as beta.
## Cholesky factors L of n by n correlation matrices L L.T with density proportional to det(L L.T)^(concentration - 1);
## uniform for 1.
def lkj_cholesky[F: Float](static n: size, concentration: F) -> Dist[F, n, n] where n >= 1 =
    let rows = iota([n], dtype=F)
    let weights = n - rows + 2.0 * concentration - 3.0
    let log_density = fn x -> sum(weights[1:] * log(diagonal(x)[1:])) - _lkj_volume(rows[1:], n, concentration)
    let rest = concentration + 0.5 * (n - 1.0 - rows)
    let square_mean = tril(broadcast_to((1.0 / (rows + 2.0 * rest))[:, None], [n, n]), -1)
    let draw = fn k ->
        let keys = split(k)
        let length = random.beta(keys[0], maximum(0.5 * rows, 0.5), rest, [], F)
        let way = tril(random.normal(keys[1], [n, n], F), -1)
        let size = sqrt(sum(way * way, axis=1, keepdims=true))
        let scaled = where(size > 0, way / where(size > 0, size, 1.0), 0.0)
        let taken = where(rows > 0, length, 0.0)
        sqrt(taken)[:, None] * scaled + diag(sqrt(1.0 - taken))
    let diagonal_mean = where(rows > 0, exp(special.betaln(rest + 0.5, maximum(0.5 * rows, 0.5)) - special.betaln(rest, maximum(0.5 * rows, 0.5))), 1.0)
    let diagonal_square = where(rows > 0, rest / (rest + 0.5 * rows), 1.0)
    _joint(log_density, draw, diag(diagonal_mean), square_mean + diag(diagonal_square - square(diagonal_mean)), correlation_factors(n, F), concentration > 0)
# The logarithm of the integral: each row's, over the half of a sphere.
def _lkj_volume[F: Float](rows: F[m], static n: size, concentration: F) -> F =
    let rest = concentration + 0.5 * (n - 1.0 - rows)
    sum(0.5 * rows * log(pi) + special.gammaln(rest) - special.gammaln(rest + 0.5 * rows))
## Positive definite matrices, sums of df outer products of normal vectors whose covariance is `scale`; df > n - 1.
def wishart[F: Float](df: F, scale: F[n, n]) -> Dist[F, n, n] where n >= 1 =
    let d = diagonal(scale)
    _joint(fn x -> stats.wishart_logpdf(x, df, scale), fn k -> random.wishart(k, df, scale), df * scale, df * (square(scale) + outer(d, d)), positive_definite_matrices(n, F), df > n - 1.0)

# ---------------------------------------------------------------- distributions of others

## n draws of one distribution, as the rows of an array.
def iid[F: Float](d: Dist[F, *s], static n: size) -> Dist[F, n, *s] =
    {
        log_density = fn xs -> sum([d.log_density(x) for x in xs]),
        draw = fn k -> [d.draw(each) for each in split(k, n)],
        mean = broadcast_to(d.mean, [n, *s]),
        variance = broadcast_to(d.variance, [n, *s]),
        cdf = fn xs -> [d.cdf(x) for x in xs],
        quantile = fn qs -> [d.quantile(q) for q in qs],
        support = _rows_of(fn _ -> d.support, zeros([n], F)),
        valid = d.valid,
    }
# The support of rows, each of its own.
def _rows_of[F: Float, P: Tree](support: (P) -> Support[F, *s], params: P[n]) -> Support[F, n, *s] =
    {
        start = [support(p).start for p in params],
        contains = fn xs -> all([support(p).contains(x) for x, p in zip(xs, params)]),
        constrain = fn zs -> _summed([support(p).constrain(z) for z, p in zip(zs, params)]),
        unconstrain = fn xs -> [support(p).unconstrain(x) for x, p in zip(xs, params)],
    }
def _summed[F: Float](rows: (F[n, *s], F[n])) -> (F[n, *s], F) = (rows.0, sum(rows.1))
## The rows of an array, each with the distribution that `family` makes of its parameters.
def independent[F: Float, P: Tree](family: (P) -> Dist[F, *s], params: P[n]) -> Dist[F, n, *s] =
    {
        log_density = fn xs -> sum([family(p).log_density(x) for x, p in zip(xs, params)]),
        draw = fn k -> [family(p).draw(each) for each, p in zip(split(k, n), params)],
        mean = [family(p).mean for p in params],
        variance = [family(p).variance for p in params],
        cdf = fn xs -> [family(p).cdf(x) for x, p in zip(xs, params)],
        quantile = fn qs -> [family(p).quantile(q) for q, p in zip(qs, params)],
        support = _rows_of(fn p -> family(p).support, params),
        valid = all([family(p).valid for p in params]),
    }
## One of several distributions that `family` makes of parameters, chosen with probabilities proportional to exp(logits).
## The support is that of the first.
def mixture[F: Float, P: Tree](logits: F[n], family: (P) -> Dist[F, *s], params: P[n]) -> Dist[F, *s] where n >= 1 =
    let logs = logits - logsumexp(logits)
    let weights = exp(logs)
    let mean = sum([w * family(p).mean for w, p in zip(weights, params)], axis=0)
    let squares = sum([w * (family(p).variance + square(family(p).mean)) for w, p in zip(weights, params)], axis=0)
    {
        log_density = fn x -> logsumexp([w + family(p).log_density(x) for w, p in zip(logs, params)]),
        draw = fn k -> _drawn_from(k, logits, family, params),
        mean = mean,
        variance = squares - square(mean),
        cdf = fn x -> sum([w * family(p).cdf(x) for w, p in zip(weights, params)], axis=0),
        quantile = _no_function(mean),
        support = family(params[0]).support,
        valid = all([family(p).valid for p in params]) & ~isnan(sum(logits)),
    }
def _drawn_from[F: Float, P: Tree](k: key, logits: F[n], family: (P) -> Dist[F, *s], params: P[n]) -> F[*s] where n >= 1 =
    let keys = split(k)
    family(params[random.categorical(keys[0], logits)]).draw(keys[1])
## What a bijector makes of a value. The map goes up with its argument where the distribution function is used; mean and
## variance are not known.
def transformed[F: Float](d: Dist[F, *s], b: Bijector[F, *s]) -> Dist[F, *s] =
    {
        log_density = fn x -> _moved(b.inverse(x), d, b),
        draw = fn k -> b.forward(d.draw(k)),
        mean = full(s, cast(nan, F)),
        variance = full(s, cast(nan, F)),
        cdf = fn x -> d.cdf(b.inverse(x)),
        quantile = fn q -> b.forward(d.quantile(q)),
        support = _through(d.support, b),
        valid = d.valid,
    }
def _moved[F: Float](z: F[*s], d: Dist[F, *s], b: Bijector[F, *s]) -> F = d.log_density(z) - b.log_det(z)
def _through[F: Float](inner: Support[F, *s], b: Bijector[F, *s]) -> Support[F, *s] =
    {
        start = b.forward(inner.start),
        contains = fn x -> inner.contains(b.inverse(x)),
        constrain = fn z -> _carried(inner.constrain(z), b),
        unconstrain = fn x -> inner.unconstrain(b.inverse(x)),
    }
def _carried[F: Float](inner: (F[*s], F), b: Bijector[F, *s]) -> (F[*s], F) =
    (b.forward(inner.0), inner.1 + b.log_det(inner.0))
## loc + scale x, for scale > 0.
def affine[F: Float](d: Dist[F, *s], loc: F[*s], scale: F[*s]) -> Dist[F, *s] =
    {transformed(d, affine_bijector(loc, scale)) with mean = loc + scale * d.mean, variance = square(scale) * d.variance, valid = d.valid & all(scale > 0)}
## Numbers between low and high, as a distribution of numbers that are drawn by themselves has them; of counts, those
## above low. The draws are quantiles of uniform numbers; mean and variance are not known.
def truncated[F: Float](d: Dist[F, *s], low: F[*s], high: F[*s]) -> Dist[F, *s] =
    let (first, last) = (where(low == -inf, 0.0, d.cdf(low)), where(high == inf, 1.0, d.cdf(high)))
    let quantile = fn q -> clip(d.quantile(first + q * (last - first)), low, high)
    {
        log_density = fn x -> where(all((x >= low) & (x <= high)), d.log_density(x) - sum(log(last - first)), -inf),
        draw = fn k -> quantile(random.uniform(k, s, F)),
        mean = full(s, cast(nan, F)),
        variance = full(s, cast(nan, F)),
        cdf = fn x -> clip((d.cdf(clip(x, low, high)) - first) / (last - first), 0.0, 1.0),
        quantile = quantile,
        support = _between(low, high),
        valid = d.valid & all(last > first),
    }
## The distribution of unconstrained numbers whose constrained ones have this distribution: a density for samplers.
def unconstrained[F: Float](d: Dist[F, *s]) -> Dist[F, *s] =
    {
        log_density = fn z -> _at_constrained(d.support.constrain(z), d),
        draw = fn k -> d.support.unconstrain(d.draw(k)),
        mean = full(s, cast(nan, F)),
        variance = full(s, cast(nan, F)),
        cdf = _no_function(d.mean),
        quantile = _no_function(d.mean),
        support = real_numbers(s, F),
        valid = d.valid,
    }
def _at_constrained[F: Float](moved: (F[*s], F), d: Dist[F, *s]) -> F = d.log_density(moved.0) + moved.1
## The distribution, with a check that its parameters are as they must be.
def checked_parameters[F: Float](d: Dist[F, *s]) -> Dist[F, *s] ! check =
    assert d.valid, "the parameters of a distribution are outside of their domain"
    d
