# Distributions as values, bijectors to unconstrained numbers, and inference on log densities.
#
# A `Dist[F, *s]` is the distribution of an array `F[*s]`, be it a number, a vector of numbers that are drawn by
# themselves, or a matrix whose elements depend on each other. Counts and categories are floats, as in `stats`. The
# parameters of most distributions are arrays; the value has the shape that these have together.

import fft
import linalg
import optim
import random
import special
import stats

## What a distribution is: the logarithm of the density of a value, one number; a draw from a key; means and variances of
## the elements, nan where there are none; for every element the probability of at most x and the x of a probability,
## nan where neither is known; the values that it takes; and whether its parameters are as they must be.
type Dist[F: Float, *s] = {
    log_density: (F[*s]) -> F,
    draw: (key) -> F[*s],
    mean: F[*s],
    variance: F[*s],
    cdf: (F[*s]) -> F[*s],
    quantile: (F[*s]) -> F[*s],
    support: Support[F, *s],
    valid: bool
}

## The values that a distribution takes. `constrain` makes one of any array of that shape, with the logarithm of the
## factor by which a density changes; `unconstrain` is its inverse. Where values have fewer degrees of freedom than
## elements, as shares that add up to 1, the rest of the array has a standard normal density, which is in that factor.
## Counts are left as they are.
type Support[F: Float, *s] = {
    start: F[*s],
    contains: (F[*s]) -> bool,
    constrain: (F[*s]) -> (F[*s], F),
    unconstrain: (F[*s]) -> F[*s]
}

## A smooth map with an inverse, and the logarithm of the determinant of its derivative; `start` is what it makes of zeros.
type Bijector[F: Float, *s] = {
    start: F[*s],
    forward: (F[*s]) -> F[*s],
    inverse: (F[*s]) -> F[*s],
    log_det: (F[*s]) -> F
}

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
def log_joint[B: Tree, P: Tree, O: Tree](
    values: P,
    model: () -> B ! {sample(P), observe(O)},
    *,
    static dtype: Float = f32
) -> dtype =
    let (_, total) =
        with state total = zeros([], dtype) do
            with handler observe(name, d, value) ->
                total := total + cast(d.log_density(value), dtype)
                resume(value)
            , sample(name, d) as value from values ->
                total := total + cast(d.log_density(value), dtype)
                resume(value)
            do model()
    total
## The logarithm of the density of the data at these values.
def log_likelihood[B: Tree, P: Tree, O: Tree](
    values: P,
    model: () -> B ! {sample(P), observe(O)},
    *,
    static dtype: Float = f32
) -> dtype =
    let (_, total) =
        with state total = zeros([], dtype) do
            with handler observe(name, d, value) ->
                total := total + cast(d.log_density(value), dtype)
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
def _start_of_model[B: Tree, P: Tree, O: Tree](
    model: () -> B ! {sample(P), observe(O)}
) -> (B, P) ! observe(O) =
    let (b, starts) = with handler sample(name, d) -> resume(d.support.start), record do model()
    (b, zeros_like(starts))
## The values that a point of the unconstrained space stands for, and the logarithm of the density of that point and the
## data.
def constrained[B: Tree, P: Tree, O: Tree](
    point: P,
    model: () -> B ! {sample(P), observe(O)},
    *,
    static dtype: Float = f32
) -> (P, dtype) =
    let ((_, values), total) =
        with state total = zeros([], dtype) do
            with handler observe(name, d, value) ->
                total := total + cast(d.log_density(value), dtype)
                resume(value)
            do
                with handler sample(name, d) as z from point ->
                    let (value, change) = d.support.constrain(z)
                    total := total + cast(change + d.log_density(value), dtype)
                    resume(value)
                , record do model()
    (values, total)
## The point of the unconstrained space that stands for these values.
def unconstrained_point[B: Tree, P: Tree, O: Tree](
    values: P,
    model: () -> B ! {sample(P), observe(O)}
) -> P =
    let (_, point) =
        with handler _kept(name, z) -> resume(z), record do
            with handler observe(name, d, value) -> resume(value) do
                with handler sample(name, d) as value from values ->
                    let _ = _kept(name, d.support.unconstrain(value))
                    resume(value)
                do model()
    point
effect named _kept[F: Float, *s]: (static name: str, z: F[*s]) -> F[*s]
## The result of the model at these values.
def substitute[B: Tree, P: Tree, O: Tree](
    values: P,
    model: () -> B ! {sample(P), observe(O)}
) -> B =
    with handler observe(name, d, value) -> resume(value) do
        with handler sample(name, d) as value from values -> resume(value) do model()
## A draw of new data at these values.
def predict[B: Tree, P: Tree, O: Tree](
    key: key,
    values: P,
    model: () -> B ! {sample(P), observe(O)}
) -> O =
    let (_, found) =
        with rng(key) do
            with handler sample(name, d) as value from values -> resume(value) do
                with handler observe(name, d, value) -> resume(
                    d.draw(fresh_key())
                ), record do model()
    found

## The model with each of its sites replaced by one of the same name of mean 0 and variance 1, from which the value is made:
## the same distribution of everything else, without the funnel of sites whose scale is not known (Papaspiliopoulos,
## Roberts and Sköld 2007). Sites without mean or variance, and those that do not take all numbers, stay as they are.
def noncentred[B: Tree, P: Tree, O: Tree](
    model: () -> B ! {sample(P), observe(O)}
) -> B ! {sample, observe} =
    with handler sample(name, d) ->
        let far = 0.0 * d.support.start + 1e4
        let free = d.support.contains(far) & d.support.contains(-far)
        let known = free & all(isfinite(d.mean) & isfinite(d.variance) & (d.variance > 0))
        let loc = where(known, d.mean, 0.0)
        let scale = sqrt(where(known, d.variance, 1.0))
        let z = sample(name, {
            affine(d, -loc / scale, 1.0 / scale) with support = _all_numbers_if(known, d.support)
        })
        resume(loc + scale * z)
    do model()
# All numbers, unconstrained as they are, where a condition holds; the given support elsewhere.
def _all_numbers_if[F: Float](c: bool, support: Support[F, *s]) -> Support[F, *s] =
    let numbers = real_numbers(s, F)
    {
        start = where(c, numbers.start, support.start),
        contains = fn x -> if c then numbers.contains(x) else support.contains(x),
        constrain = fn z -> if c then numbers.constrain(z) else support.constrain(z),
        unconstrain = fn x -> if c then numbers.unconstrain(x) else support.unconstrain(x)
    }
## A factor of the density of a model, by its logarithm.
def factor[F: Float](static name: str, log_factor: F) -> F ! observe =
    observe(name, _weighing(log_factor), log_factor)
# A value that weighs by this logarithm, whatever it is.
def _weighing[F: Float](log_factor: F) -> Dist[F] =
    {flat(real_numbers([], F)) with log_density = fn _ -> log_factor, draw = fn _ -> log_factor}

# ---------------------------------------------------------------- bijectors

## exp(z): from all numbers to the positive ones.
def exp_bijector(static shape: shape = [], static dtype: Float = f32) -> Bijector[dtype, *shape] =
    {
        start = ones(shape, dtype),
        forward = fn z -> exp(z),
        inverse = fn x -> log(x),
        log_det = fn z -> sum(z)
    }
## log(1 + exp(z)): from all numbers to the positive ones, nearly z where that is large.
def softplus_bijector(
    static shape: shape = [],
    static dtype: Float = f32
) -> Bijector[dtype, *shape] =
    {
        start = full(shape, cast(log(2.0), dtype)),
        forward = fn z -> logaddexp(z, 0.0),
        inverse = fn x -> x + log(-expm1(-x)),
        log_det = fn z -> sum(special.log_expit(z))
    }
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
def simplex_bijector(static n: size, static dtype: Float = f32) -> {
    forward: (dtype[n - 1]) -> dtype[n],
    inverse: (dtype[n]) -> dtype[n - 1],
    log_det: (dtype[n - 1]) -> dtype
} where n >= 1 =
    {
        forward = fn z -> _broken(z),
        inverse = fn x -> _pieces(x),
        log_det = fn z -> _log_det_of_sticks(z)
    }
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
    log(x[..., : m - 1]) - log(rest[..., 1:]) + log(flip(iota([m - 1], dtype=F)) + 1.0)
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
def correlation_bijector(static n: size, static dtype: Float = f32) -> {
    forward: (dtype[n * (n - 1) // 2]) -> dtype[n, n],
    inverse: (dtype[n, n]) -> dtype[n * (n - 1) // 2],
    log_det: (dtype[n * (n - 1) // 2]) -> dtype
} where n >= 1 =
    {
        forward = fn z -> _correlation_factor(_below_diagonal(z, n)),
        inverse = fn x -> _entries_below(_angles(x)),
        log_det = fn z -> _log_det_of_correlation(_below_diagonal(z, n)),
    }
def _below_diagonal[F: Float](z: F[k], static n: size) -> F[n, n]
    where n >= 1 and k == n * (n - 1) // 2 =
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
    {
        start = b.inverse(zeros(s, F)),
        forward = fn x -> b.inverse(x),
        inverse = fn z -> b.forward(z),
        log_det = fn x -> -b.log_det(b.inverse(x))
    }

# ---------------------------------------------------------------- supports

## All numbers.
def real_numbers(static shape: shape = [], static dtype: Float = f32) -> Support[dtype, *shape] =
    {
        start = zeros(shape, dtype),
        contains = fn x -> all(isfinite(x)),
        constrain = fn z -> (z, zeros([], dtype)),
        unconstrain = fn x -> x
    }
## Numbers above `low`.
def numbers_above[F: Float](low: F[*s]) -> Support[F, *s] =
    {
        start = low + 1.0,
        contains = fn x -> all((x >= low) & isfinite(x)),
        constrain = fn z -> (low + exp(z), sum(z)),
        unconstrain = fn x -> log(x - low)
    }
## Numbers between two others.
def numbers_between[F: Float](low: F[*s], high: F[*s]) -> Support[F, *s] =
    _mapped(interval_bijector(low, high), fn x -> all((x >= low) & (x <= high)))
def _mapped[F: Float](b: Bijector[F, *s], contains: (F[*s]) -> bool) -> Support[F, *s] =
    {
        start = b.start,
        contains = contains,
        constrain = fn z -> (b.forward(z), b.log_det(z)),
        unconstrain = fn x -> b.inverse(x)
    }
## Whole numbers from `low` to `high`, which may be inf.
def whole_numbers[F: Float](low: F[*s], high: F[*s]) -> Support[F, *s] =
    {
        start = low,
        contains = fn x -> all((x >= low) & (x <= high) & (x == floor(x))),
        constrain = fn z -> (z, zeros([], F)),
        unconstrain = fn x -> x,
    }
## Shares that add up to 1 along the last axis.
def shares(
    static shape: shape,
    static n: size,
    static dtype: Float = f32
) -> Support[dtype, *shape, n] where n >= 1 =
    {
        start = full([*shape, n], cast(1.0 / n, dtype)),
        contains = fn x -> all(x >= 0) & all(abs(sum(x, axis=-1) - 1.0) < 1e-3),
        constrain = fn z -> (
            _broken(z[..., : n - 1]),
            _log_det_of_sticks(z[..., : n - 1]) + _normal_rest(z[..., n - 1])
        ),
        unconstrain = fn x -> concatenate((_pieces(x), zeros([*shape, 1], dtype)), axis=-1),
    }
def _normal_rest[F: Float](z: F[*s]) -> F = sum(stats.norm_logpdf(z))
## Vectors in ascending order.
def ascending(static n: size, static dtype: Float = f32) -> Support[dtype, n] where n >= 1 =
    _mapped(ordered_bijector(n, dtype), fn x -> all(diff(x) >= 0))
## Cholesky factors of correlation matrices.
def correlation_factors(static n: size, static dtype: Float = f32) -> Support[dtype, n, n]
    where n >= 1 =
    {
        start = eye(n, dtype),
        contains = fn x -> all(triu(x, 1) == 0) & all(
            abs(sum(x * x, axis=1) - 1.0) < 1e-3
        ) & all(diagonal(x) > 0),
        constrain = fn z -> (
            _correlation_factor(tril(z, -1)),
            _log_det_of_correlation(tril(z, -1)) + _rest_above(z, 0)
        ),
        unconstrain = fn x -> _angles(x),
    }
# The normal density of what is on and above a diagonal of a matrix.
def _rest_above[F: Float](z: F[n, n], static k: int) -> F =
    sum(triu(stats.norm_logpdf(z), k))
## Positive definite matrices, by their Cholesky factors with logarithms on the diagonal; the factor of the density is
## that on and below the diagonal.
def positive_definite_matrices(static n: size, static dtype: Float = f32) -> Support[dtype, n, n]
    where n >= 1 =
    {
        start = eye(n, dtype),
        contains = fn x -> all(
            abs(x - x.T) <= 1e-3 * (1.0 + abs(x))
        ) & all(isfinite(linalg.cholesky(x))),
        constrain = fn z -> _squared_factor(z),
        unconstrain = fn x -> _log_diagonal(linalg.cholesky(x)),
    }
def _squared_factor[F: Float](z: F[n, n]) -> (F[n, n], F) where n >= 1 =
    let factor = _exp_diagonal(z)
    let weights = n + 1.0 - iota([n], dtype=F)
    (factor @ factor.T, n * log(2.0) + sum(weights * diagonal(z)) + _rest_above(z, 1))
def _exp_diagonal[F: Float](z: F[n, n]) -> F[n, n] = tril(z, -1) + diag(exp(diagonal(z)))
def _log_diagonal[F: Float](factor: F[n, n]) -> F[n, n] =
    tril(factor, -1) + diag(log(diagonal(factor)))

# ---------------------------------------------------------------- distributions of numbers, with loc and scale

# The shape that parameters have together, and each of them in it.
def _pair[F: Float](x: F[*s], y: F[*t]) -> (F[*broadcasted(s, t)], F[*broadcasted(s, t)]) =
    (_spread(x, broadcasted(s, t)), _spread(y, broadcasted(s, t)))
def _three[F: Float](x: F[*s], y: F[*t], z: F[*u]) -> (
    F[*broadcasted(broadcasted(s, t), u)],
    F[*broadcasted(broadcasted(s, t), u)],
    F[*broadcasted(broadcasted(s, t), u)]
) =
    let shape = broadcasted(broadcasted(s, t), u)
    (_spread(x, shape), _spread(y, shape), _spread(z, shape))
# The distribution of numbers that are drawn by themselves, from functions of all of them at once.
def _numbers[F: Float](
    log_pdf: (F[*s]) -> F[*s],
    draw: (key) -> F[*s],
    mean: F[*s],
    variance: F[*s],
    cdf: (F[*s]) -> F[*s],
    quantile: (F[*s]) -> F[*s],
    support: Support[F, *s],
    valid: bool[*s]
) -> Dist[F, *s] =
    {
        log_density = fn x -> sum(log_pdf(x)),
        draw = draw,
        mean = mean,
        variance = variance,
        cdf = cdf,
        quantile = quantile,
        support = support,
        valid = all(valid)
    }
# The sum over an array of this shape, to whose shape the terms would be spread: each is computed once.
def _sum_spread[F: Float](terms: F[*t], static shape: shape) -> F =
    sum(terms) * (1.0 * prod(shape) / max(prod(t), 1))
# loc + scale z of numbers z of this distribution, for scale > 0; `log_scale` is the sum of the logarithms of the scales.
def _scaled[F: Float](
    loc: F[*s],
    scale: F[*s],
    log_scale: F,
    log_pdf: (F[*s]) -> F[*s],
    draw: (key) -> F[*s],
    mean: F[*s],
    variance: F[*s],
    cdf: (F[*s]) -> F[*s],
    quantile: (F[*s]) -> F[*s],
    support: Support[F, *s],
    valid: bool[*s]
) -> Dist[F, *s] =
    {
        log_density = fn x -> sum(log_pdf((x - loc) / scale)) - log_scale,
        draw = fn k -> loc + scale * draw(k),
        mean = loc + scale * mean,
        variance = square(scale) * variance,
        cdf = fn x -> cdf((x - loc) / scale),
        quantile = fn q -> loc + scale * quantile(q),
        support = support,
        valid = all(valid & (scale > 0)),
    }
# The same for all numbers, with no other parameters.
def _real_scaled[F: Float](
    loc: F[*s],
    scale: F[*t],
    log_pdf: (F[*broadcasted(s, t)]) -> F[*broadcasted(s, t)],
    draw: (key) -> F[*broadcasted(s, t)],
    static mean: float,
    static variance: float,
    cdf: (F[*broadcasted(s, t)]) -> F[*broadcasted(s, t)],
    quantile: (F[*broadcasted(s, t)]) -> F[*broadcasted(s, t)]
) -> Dist[F, *broadcasted(s, t)] =
    let (m, r) = _pair(loc, scale)
    _scaled(
        m,
        r,
        _sum_spread(log(scale), m.shape),
        log_pdf,
        draw,
        full(m.shape, cast(mean, F)),
        full(m.shape, cast(variance, F)),
        cdf,
        quantile,
        real_numbers(m.shape, F),
        full(m.shape, true)
    )

## The same density everywhere on a support, of which the integral may be infinite: nothing can be drawn from it.
def flat[F: Float](support: Support[F, *s]) -> Dist[F, *s] =
    let unknown = full(s, cast(nan, F))
    _joint(
        fn x -> where(support.contains(x), zeros([], F), -inf),
        fn _ -> unknown,
        unknown,
        unknown,
        support,
        true
    )
## Normal: exp(-z² / 2) / (scale sqrt(2 pi)), z = (x - loc) / scale.
def normal[F: Float](loc: F[*s], scale: F[*t]) -> Dist[F, *broadcasted(s, t)] =
    _real_scaled(
        loc,
        scale,
        fn z -> stats.norm_logpdf(z),
        fn k -> random.normal(k, [*broadcasted(s, t)], F),
        0.0,
        1.0,
        fn z -> stats.norm_cdf(z),
        fn q -> stats.norm_ppf(q)
    )
## Laplace: exp(-|z|) / (2 scale).
def laplace[F: Float](loc: F[*s], scale: F[*t]) -> Dist[F, *broadcasted(s, t)] =
    _real_scaled(
        loc,
        scale,
        fn z -> stats.laplace_logpdf(z),
        fn k -> random.laplace(k, [*broadcasted(s, t)], F),
        0.0,
        2.0,
        fn z -> stats.laplace_cdf(z),
        fn q -> stats.laplace_ppf(q)
    )
## Logistic, with distribution function sigmoid(z).
def logistic[F: Float](loc: F[*s], scale: F[*t]) -> Dist[F, *broadcasted(s, t)] =
    _real_scaled(
        loc,
        scale,
        fn z -> stats.logistic_logpdf(z),
        fn k -> random.logistic(k, [*broadcasted(s, t)], F),
        0.0,
        pi * pi / 3.0,
        fn z -> stats.logistic_cdf(z),
        fn q -> stats.logistic_ppf(q)
    )
## Cauchy: 1 / (pi scale (1 + z²)), without mean or variance.
def cauchy[F: Float](loc: F[*s], scale: F[*t]) -> Dist[F, *broadcasted(s, t)] =
    _real_scaled(
        loc,
        scale,
        fn z -> stats.cauchy_logpdf(z),
        fn k -> random.cauchy(k, [*broadcasted(s, t)], F),
        nan,
        nan,
        fn z -> stats.cauchy_cdf(z),
        fn q -> stats.cauchy_ppf(q)
    )
## Gumbel, with distribution function exp(-exp(-z)).
def gumbel[F: Float](loc: F[*s], scale: F[*t]) -> Dist[F, *broadcasted(s, t)] =
    _real_scaled(
        loc,
        scale,
        fn z -> stats.gumbel_r_logpdf(z),
        fn k -> random.gumbel(k, [*broadcasted(s, t)], F),
        0.5772156649015329,
        pi * pi / 6.0,
        fn z -> stats.gumbel_r_cdf(z),
        fn q -> stats.gumbel_r_ppf(q)
    )
## Student's t with df degrees of freedom; the mean is nan for df <= 1, the variance infinite for df <= 2.
def student_t[F: Float](df: F[*s], loc: F[*t], scale: F[*u]) -> Dist[
    F,
    *broadcasted(broadcasted(s, t), u)
] =
    let (n, m, r) = _three(df, loc, scale)
    let variance = where(n > 2, n / where(n > 2, n - 2.0, 1.0), inf)
    let front = special.gammaln(0.5 * (df + 1.0)) - special.gammaln(0.5 * df) - 0.5 * log(pi * df)
    let log_scale = _sum_spread(log(scale), m.shape) - _sum_spread(front, m.shape)
    _scaled(
        m,
        r,
        log_scale,
        fn z -> -0.5 * (n + 1.0) * log1p(z * z / n),
        fn k -> random.t(k, n, [], F),
        where(n > 1, 0.0 * m, nan),
        variance,
        fn z -> stats.t_cdf(z, n),
        fn q -> stats.t_ppf(q, n),
        real_numbers(n.shape, F),
        n > 0
    )
## Skew normal: 2 φ(z) Φ(slant z) / scale.
def skew_normal[F: Float](
    slant: F[*s],
    loc: F[*t],
    scale: F[*u]
) -> Dist[F, *broadcasted(broadcasted(s, t), u)] =
    let (a, m, r) = _three(slant, loc, scale)
    let mean = a / sqrt(1.0 + a * a) * sqrt(2.0 / pi)
    let cdf = fn z -> stats.skewnorm_cdf(z, a)
    _scaled(
        m,
        r,
        _sum_spread(log(scale), m.shape),
        fn z -> stats.skewnorm_logpdf(z, a),
        fn k -> random.skew_normal(k, a, [], F),
        mean,
        1.0 - mean * mean,
        cdf,
        fn q -> _solved(cdf, q, -40.0 + 0.0 * a, 40.0 + 0.0 * a),
        real_numbers(a.shape, F),
        isfinite(a)
    )
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
def _positive_scaled[F: Float](
    scale: F[*s],
    log_pdf: (F[*s]) -> F[*s],
    draw: (key) -> F[*s],
    mean: F[*s],
    variance: F[*s],
    cdf: (F[*s]) -> F[*s],
    quantile: (F[*s]) -> F[*s],
    valid: bool[*s]
) -> Dist[F, *s] =
    _scaled(
        zeros(s, F),
        scale,
        sum(log(scale)),
        log_pdf,
        draw,
        mean,
        variance,
        cdf,
        quantile,
        numbers_above(zeros(s, F)),
        valid
    )
## The absolute value of a normal number with mean 0.
def half_normal[F: Float](scale: F[*s]) -> Dist[F, *s] =
    let one = ones(s, F)
    _positive_scaled(
        scale,
        fn z -> stats.halfnorm_logpdf(z),
        fn k -> abs(random.normal(k, s, F)),
        sqrt(2.0 / pi) * one,
        (1.0 - 2.0 / pi) * one,
        fn z -> stats.halfnorm_cdf(z),
        fn q -> stats.halfnorm_ppf(q),
        full(s, true)
    )
## The absolute value of a number with the Cauchy distribution about 0.
def half_cauchy[F: Float](scale: F[*s]) -> Dist[F, *s] =
    let never = full(s, cast(nan, F))
    _positive_scaled(
        scale,
        fn z -> stats.halfcauchy_logpdf(z),
        fn k -> abs(random.cauchy(k, s, F)),
        full(s, cast(inf, F)),
        never,
        fn z -> stats.halfcauchy_cdf(z),
        fn q -> stats.halfcauchy_ppf(q),
        full(s, true)
    )
## Exponential: rate exp(-rate x), x >= 0.
def exponential[F: Float](rate: F[*s]) -> Dist[F, *s] =
    _positive_scaled(
        1.0 / rate,
        fn z -> stats.expon_logpdf(z),
        fn k -> random.exponential(k, s, F),
        ones(s, F),
        ones(s, F),
        fn z -> stats.expon_cdf(z),
        fn q -> stats.expon_ppf(q),
        rate > 0
    )
## Gamma: rate^a x^(a - 1) exp(-rate x) / Γ(a).
def gamma[F: Float](concentration: F[*s], rate: F[*t]) -> Dist[F, *broadcasted(s, t)] =
    let (a, b) = _pair(concentration, rate)
    _positive_scaled(
        1.0 / b,
        fn z -> stats.gamma_logpdf(z, a),
        fn k -> random.gamma(k, a, [], F),
        a,
        a,
        fn z -> stats.gamma_cdf(z, a),
        fn q -> stats.gamma_ppf(q, a),
        (a > 0) & (b > 0)
    )
## One over a number with the gamma distribution: scale^a x^(-a - 1) exp(-scale / x) / Γ(a).
def inverse_gamma[F: Float](concentration: F[*s], scale: F[*t]) -> Dist[F, *broadcasted(s, t)] =
    let (a, b) = _pair(concentration, scale)
    let mean = where(a > 1, 1.0 / where(a > 1, a - 1.0, 1.0), inf)
    let variance = where(
        a > 2,
        1.0 / (square(where(a > 2, a - 1.0, 1.0)) * where(a > 2, a - 2.0, 1.0)),
        inf
    )
    _positive_scaled(
        b,
        fn z -> stats.invgamma_logpdf(z, a),
        fn k -> exp(-random.loggamma(k, a, [], F)),
        mean,
        variance,
        fn z -> stats.invgamma_cdf(z, a),
        fn q -> stats.invgamma_ppf(q, a),
        a > 0
    )
## The sum of df squares of standard normal numbers.
def chi2[F: Float](df: F[*s]) -> Dist[F, *s] = gamma(0.5 * df, full(s, cast(0.5, F)))
## F with dfn and dfd degrees of freedom.
def f[F: Float](dfn: F[*s], dfd: F[*t]) -> Dist[F, *broadcasted(s, t)] =
    let (n, d) = _pair(dfn, dfd)
    let mean = where(d > 2, d / where(d > 2, d - 2.0, 1.0), inf)
    let variance = where(
        d > 4,
        2.0 * square(mean) * (n + d - 2.0) / (n * where(d > 4, d - 4.0, 1.0)),
        inf
    )
    let draw = fn k ->
        let keys = split(k)
        (
            exp(random.loggamma(keys[0], 0.5 * n, [], F) - random.loggamma(keys[1], 0.5 * d, [], F))
            * d
            / n
        )
    _positive_scaled(
        ones(n.shape, F),
        fn z -> stats.f_logpdf(z, n, d),
        draw,
        mean,
        variance,
        fn z -> stats.f_cdf(z, n, d),
        fn q -> stats.f_ppf(q, n, d),
        (n > 0) & (d > 0)
    )
## Weibull: scale z of z with distribution function 1 - exp(-z^c).
def weibull[F: Float](concentration: F[*s], scale: F[*t]) -> Dist[F, *broadcasted(s, t)] =
    let (c, b) = _pair(concentration, scale)
    let mean = exp(special.gammaln(1.0 + 1.0 / c))
    let square_mean = exp(special.gammaln(1.0 + 2.0 / c))
    let draw = fn k -> power(random.exponential(k, c.shape, F), 1.0 / c)
    _positive_scaled(
        b,
        fn z -> stats.weibull_min_logpdf(z, c),
        draw,
        mean,
        square_mean - mean * mean,
        fn z -> stats.weibull_min_cdf(z, c),
        fn q -> stats.weibull_min_ppf(q, c),
        c > 0
    )
## exp(loc + scale z) of a standard normal z.
def lognormal[F: Float](loc: F[*s], scale: F[*t]) -> Dist[F, *broadcasted(s, t)] =
    let (m, r) = _pair(loc, scale)
    let draw = fn k -> exp(r * random.normal(k, m.shape, F))
    _positive_scaled(
        exp(m),
        fn z -> stats.lognorm_logpdf(z, r),
        draw,
        exp(0.5 * r * r),
        expm1(r * r) * exp(r * r),
        fn z -> stats.lognorm_cdf(z, r),
        fn q -> stats.lognorm_ppf(q, r),
        r > 0
    )
## Pareto: alpha scale^alpha / x^(alpha + 1), x >= scale.
def pareto[F: Float](alpha: F[*s], scale: F[*t]) -> Dist[F, *broadcasted(s, t)] =
    let (a, b) = _pair(alpha, scale)
    let mean = where(a > 1, a / where(a > 1, a - 1.0, 1.0), inf)
    let variance = where(
        a > 2,
        a / (square(where(a > 2, a - 1.0, 1.0)) * where(a > 2, a - 2.0, 1.0)),
        inf
    )
    let draw = fn k -> exp(random.exponential(k, a.shape, F) / a)
    _scaled(
        zeros(a.shape, F),
        b,
        _sum_spread(log(scale), a.shape),
        fn z -> stats.pareto_logpdf(z, a),
        draw,
        mean,
        variance,
        fn z -> stats.pareto_cdf(z, a),
        fn q -> stats.pareto_ppf(q, a),
        numbers_above(b),
        a > 0
    )

# ---------------------------------------------------------------- distributions of numbers between two others

## Uniform between low and high.
def uniform[F: Float](low: F[*s], high: F[*t]) -> Dist[F, *broadcasted(s, t)] =
    let (a, b) = _pair(low, high)
    _scaled(
        a,
        b - a,
        sum(log(b - a)),
        fn z -> stats.uniform_logpdf(z),
        fn k -> random.uniform(k, a.shape, F),
        full(a.shape, cast(0.5, F)),
        full(a.shape, cast(1.0 / 12.0, F)),
        fn z -> stats.uniform_cdf(z),
        fn q -> stats.uniform_ppf(q),
        numbers_between(a, b),
        a < b
    )
## Beta: x^(a - 1) (1 - x)^(b - 1) / Β(a, b).
def beta[F: Float](a: F[*s], b: F[*t]) -> Dist[F, *broadcasted(s, t)] =
    let (p, q) = _pair(a, b)
    let total = p + q
    _numbers(
        fn x -> stats.beta_logpdf(x, p, q),
        fn k -> random.beta(k, p, q, [], F),
        p / total,
        p * q / (total * total * (total + 1.0)),
        fn x -> stats.beta_cdf(x, p, q),
        fn u -> stats.beta_ppf(u, p, q),
        _unit_interval(p),
        (p > 0) & (q > 0)
    )
def _unit_interval[F: Float](like: F[*s]) -> Support[F, *s] =
    numbers_between(zeros(s, F), ones(s, F))
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
    _numbers(
        log_pdf,
        fn k -> quantile(random.uniform(k, p.shape, F)),
        mean,
        moment(2.0) - mean * mean,
        cdf,
        quantile,
        _unit_interval(p),
        (p > 0) & (q > 0)
    )
## Normal, cut off to low < x < high.
def truncated_normal[F: Float](
    loc: F[*s],
    scale: F[*t],
    low: F[*u],
    high: F[*u]
) -> Dist[F, *broadcasted(broadcasted(s, t), u)] =
    let (m, r, _) = _three(loc, scale, low)
    let (a, b) = ((_spread(low, m.shape) - m) / r, (_spread(high, m.shape) - m) / r)
    let (at_low, at_high) = (
        exp(stats.truncnorm_logpdf(a, a, b)),
        exp(stats.truncnorm_logpdf(b, a, b))
    )
    let mean = at_low - at_high
    let edge = where(isfinite(a), a, 0.0) * at_low - where(isfinite(b), b, 0.0) * at_high
    let quantile = fn q -> stats.truncnorm_ppf(q, a, b)
    _scaled(
        m,
        r,
        _sum_spread(log(scale), m.shape),
        fn z -> stats.truncnorm_logpdf(z, a, b),
        fn k -> quantile(random.uniform(k, m.shape, F)),
        mean,
        1.0 + edge - mean * mean,
        fn z -> stats.truncnorm_cdf(z, a, b),
        quantile,
        _between(m + r * a, m + r * b),
        a < b
    )
# Between two numbers, of which either may be infinite for all elements.
def _between[F: Float](low: F[*s], high: F[*s]) -> Support[F, *s] =
    let (left, right) = (isfinite(low), isfinite(high))
    let (a, b) = (where(left, low, 0.0), where(right, high, 1.0))
    let inner = interval_bijector(where(left & right, a, 0.0), where(left & right, b, 1.0))
    {
        start = _into(inner, zeros(s, F), left, right, a, b),
        contains = fn x -> all((x >= low) & (x <= high)),
        constrain = fn z -> (
            _into(inner, z, left, right, a, b),
            sum(
                where(
                    left & right,
                    log(where(left & right, b - a, 1.0))
                    + special.log_expit(z)
                    + special.log_expit(-z),
                    where(left | right, z, 0.0)
                )
            )
        ),
        unconstrain = fn x -> where(
            left & right,
            inner.inverse(where(left & right, x, 0.5)),
            where(
                left,
                log(where(left, x - a, 1.0)),
                where(right, log(where(right, b - x, 1.0)), x)
            )
        ),
    }
def _into[F: Float](
    inner: Bijector[F, *s],
    z: F[*s],
    left: bool[*s],
    right: bool[*s],
    a: F[*s],
    b: F[*s]
) -> F[*s] =
    let e = exp(where(left & right, 0.0, where(left | right, z, 0.0)))
    where(left & right, inner.forward(z), where(left, a + e, where(right, b - e, z)))
## An angle between -pi and pi about loc: exp(concentration cos(x - loc)) / (2 pi i0(concentration)). The variance is that
## of the angle about loc, by the first ten terms of its series.
def von_mises[F: Float](loc: F[*s], concentration: F[*t]) -> Dist[F, *broadcasted(s, t)] =
    let (m, k) = _pair(loc, concentration)
    let cdf = fn x -> stats.vonmises_cdf(x, k, 0.0)
    _numbers(
        fn x -> stats.vonmises_logpdf(x - m, k),
        fn key -> m + random.von_mises(key, k, [], F),
        m,
        _angle_variance(k),
        fn x -> cdf(x - m),
        fn q -> m + _solved(cdf, q, -pi + 0.0 * m, pi + 0.0 * m),
        numbers_between(m - pi, m + pi),
        k >= 0
    )
# pi² / 3 + 4 Σ (-1)^j I_j(k) / (j² I_0(k)), by the integral of x² over the angles (trapezoidal rule).
def _angle_variance[F: Float](k: F[*s]) -> F[*s] =
    let (weights, squares) =
        fold (weights, squares) = (zeros(s, F), zeros(s, F)) for i in range(400) do
            let x = (cast(i, F) + 0.5) * (pi / 400.0)
            let w = exp(k * (cos(x) - 1.0))
            (weights + w, squares + w * x * x)
    squares / weights

# ---------------------------------------------------------------- distributions of counts

# Of whole numbers.
def _counted[F: Float](
    log_pmf: (F[*s]) -> F[*s],
    draw: (key) -> F[*s],
    mean: F[*s],
    variance: F[*s],
    cdf: (F[*s]) -> F[*s],
    quantile: (F[*s]) -> F[*s],
    low: F[*s],
    high: F[*s],
    valid: bool[*s]
) -> Dist[F, *s] =
    _numbers(log_pmf, draw, mean, variance, cdf, quantile, whole_numbers(low, high), valid)
## 1 with probability p, else 0.
def bernoulli[F: Float](p: F[*s]) -> Dist[F, *s] =
    let draw = fn k -> where(random.uniform(k, s, F) < p, ones(s, F), 0.0)
    let cdf = fn k -> where(k < 0, 0.0, where(k < 1, 1.0 - p, 1.0))
    let quantile = fn q -> where((q >= 0) & (q <= 1), where(q <= 1.0 - p, zeros(s, F), 1.0), nan)
    _counted(
        fn k -> stats.bernoulli_logpmf(k, p),
        draw,
        p,
        p * (1.0 - p),
        cdf,
        quantile,
        zeros(s, F),
        ones(s, F),
        (p >= 0) & (p <= 1)
    )
## Bernoulli with probability sigmoid(logits), without loss of digits for large logits.
def bernoulli_logits[F: Float](logits: F[*s]) -> Dist[F, *s] =
    let log_pmf = fn k -> where(
        k == 1,
        special.log_expit(logits),
        where(k == 0, special.log_expit(-logits), -inf)
    )
    {
        bernoulli(sigmoid(logits)) with log_density = fn k -> sum(log_pmf(k)),
        valid = all(~isnan(logits))
    }
## The number of successes in n trials, each with probability p.
def binomial[F: Float](n: F[*s], p: F[*t]) -> Dist[F, *broadcasted(s, t)] =
    let (m, q) = _pair(n, p)
    _counted(
        fn k -> stats.binom_logpmf(k, m, q),
        fn k -> random.binomial(k, m, q, [], F),
        m * q,
        m * q * (1.0 - q),
        fn k -> stats.binom_cdf(k, m, q),
        fn u -> stats.binom_ppf(u, m, q),
        zeros(m.shape, F),
        m,
        (q >= 0) & (q <= 1) & (m >= 0)
    )
## Binomial with a probability that is distributed as beta.
def beta_binomial[F: Float](n: F[*s], a: F[*t], b: F[*u]) -> Dist[
    F,
    *broadcasted(broadcasted(s, t), u)
] =
    let (m, p, q) = _three(n, a, b)
    let total = p + q
    let mean = m * p / total
    let draw = fn k ->
        let keys = split(k)
        random.binomial(keys[0], m, random.beta(keys[1], p, q, [], F), [], F)
    _counted(
        fn k -> stats.betabinom_logpmf(k, m, p, q),
        draw,
        mean,
        mean * q / total * (total + m) / (total + 1.0),
        _no_function(m),
        _no_function(m),
        zeros(m.shape, F),
        m,
        (p > 0) & (q > 0) & (m >= 0)
    )
def _no_function[F: Float](like: F[*s]) -> (F[*s]) -> F[*s] = fn x -> full(s, cast(nan, F))
## How many events come that are expected `rate` times: exp(-rate) rate^k / k!.
def poisson[F: Float](rate: F[*s]) -> Dist[F, *s] =
    _counted(
        fn k -> stats.poisson_logpmf(k, rate),
        fn k -> cast(random.poisson(k, cast(rate, f32)), F),
        rate,
        rate,
        fn k -> stats.poisson_cdf(k, rate),
        fn q -> stats.poisson_ppf(q, rate),
        zeros(s, F),
        full(s, cast(inf, F)),
        rate >= 0
    )
## Poisson, but 0 with probability `gate` more.
def zero_inflated_poisson[F: Float](gate: F[*s], rate: F[*t]) -> Dist[F, *broadcasted(s, t)] =
    let (g, r) = _pair(gate, rate)
    let log_pmf = fn k ->
        let some = log1p(-g) + stats.poisson_logpmf(k, r)
        where(k == 0, logaddexp(log(g), some), some)
    let draw = fn k ->
        let keys = split(k)
        where(
            random.uniform(keys[0], g.shape, F) < g,
            0.0,
            cast(random.poisson(keys[1], cast(r, f32)), F)
        )
    let cdf = fn k -> where(k < 0, 0.0, g + (1.0 - g) * stats.poisson_cdf(k, r))
    let quantile = fn q -> where(
        (q >= 0) & (q <= g),
        0.0,
        stats.poisson_ppf((q - g) / (1.0 - g), r)
    )
    _counted(
        log_pmf,
        draw,
        (1.0 - g) * r,
        (1.0 - g) * r * (1.0 + g * r),
        cdf,
        quantile,
        zeros(g.shape, F),
        full(g.shape, cast(inf, F)),
        (g >= 0) & (g < 1) & (r >= 0)
    )
## The number of failures before the first success of probability p: p (1 - p)^k.
def geometric[F: Float](p: F[*s]) -> Dist[F, *s] =
    let draw = fn k -> where(
        p < 1,
        floor(log(1.0 - random.uniform(k, s, F)) / log1p(-where(p < 1, p, 0.5))),
        0.0
    )
    _counted(
        fn k -> stats.geom_logpmf(k + 1.0, p),
        draw,
        (1.0 - p) / p,
        (1.0 - p) / (p * p),
        fn k -> stats.geom_cdf(k + 1.0, p),
        fn q -> stats.geom_ppf(q, p) - 1.0,
        zeros(s, F),
        full(s, cast(inf, F)),
        (p > 0) & (p <= 1)
    )
## The number of failures before n successes, each of probability p.
def negative_binomial[F: Float](n: F[*s], p: F[*t]) -> Dist[F, *broadcasted(s, t)] =
    let (m, q) = _pair(n, p)
    let draw = fn k -> cast(random.negative_binomial(k, cast(m, f32), cast(q, f32)), F)
    let mean = m * (1.0 - q) / q
    _counted(
        fn k -> stats.nbinom_logpmf(k, m, q),
        draw,
        mean,
        mean / q,
        fn k -> stats.nbinom_cdf(k, m, q),
        fn u -> stats.nbinom_ppf(u, m, q),
        zeros(m.shape, F),
        full(m.shape, cast(inf, F)),
        (m > 0) & (q > 0) & (q <= 1)
    )
## Whole numbers from low to high, both included, each as probable.
def discrete_uniform[F: Float](low: F[*s], high: F[*t]) -> Dist[F, *broadcasted(s, t)] =
    let (a, b) = _pair(low, high)
    let n = b - a + 1.0
    let inside = fn k -> (k >= a) & (k <= b) & (k == floor(k))
    let draw = fn k -> minimum(a + floor(n * random.uniform(k, a.shape, F)), b)
    let quantile = fn q -> where(
        (q >= 0) & (q <= 1),
        a + maximum(ceil(n * q * (1.0 - 4.0 * _rounding(F))) - 1.0, 0.0),
        nan
    )
    _counted(
        fn k -> where(inside(k), -log(n), -inf),
        draw,
        0.5 * (a + b),
        (n * n - 1.0) / 12.0,
        fn k -> clip((floor(k) - a + 1.0) / n, 0.0, 1.0),
        quantile,
        a,
        b,
        a <= b
    )
static def _rounding(d: dtype) -> float =
    if d == f64 then 2.0 ** -53 else if d == f32 then 2.0 ** -24 else 2.0 ** -8
## One of the numbers 0, …, n - 1, with probabilities proportional to exp(logits) along the last axis. `category` makes an
## index of it.
def categorical[F: Float](logits: F[*s, n]) -> Dist[F, *s] where n >= 1 =
    let logs = logits - logsumexp(logits, axis=-1, keepdims=true)
    let weights = exp(logs)
    let places = _spread(iota([n], dtype=F), [*s, n])
    let chosen = fn k -> k[..., None] == places
    let log_pmf = fn k -> where(
        any(chosen(k), axis=-1),
        sum(where(chosen(k), logs, 0.0), axis=-1),
        -inf
    )
    let mean = sum(weights * places, axis=-1)
    let cdf = fn k -> minimum(sum(where(k[..., None] >= places, weights, 0.0), axis=-1), 1.0)
    let below = fn q -> cumsum(weights, axis=-1) < q[..., None] * (1.0 - 8.0 * _rounding(F))
    let quantile = fn q -> minimum(sum(where(below(q), ones([*s, n], F), 0.0), axis=-1), n - 1.0)
    _counted(
        log_pmf,
        fn k -> cast(random.categorical(k, logits), F),
        mean,
        sum(weights * square(places), axis=-1) - mean * mean,
        cdf,
        quantile,
        zeros(s, F),
        full(s, cast(n - 1, F)),
        all(~isnan(logits), axis=-1)
    )
## The index that a value of `categorical` stands for.
def category[F: Float](value: F[*s], static n: size) -> idx[n][*s] where n >= 1 =
    clip(i32(value), 0, n - 1)

# ---------------------------------------------------------------- distributions of vectors and matrices

# The distribution of an array whose elements depend on each other.
def _joint[F: Float](
    log_density: (F[*s]) -> F,
    draw: (key) -> F[*s],
    mean: F[*s],
    variance: F[*s],
    support: Support[F, *s],
    valid: bool
) -> Dist[F, *s] =
    {
        log_density = log_density,
        draw = draw,
        mean = mean,
        variance = variance,
        cdf = _no_function(mean),
        quantile = _no_function(mean),
        support = support,
        valid = valid
    }
## Shares that add up to 1 along the last axis: proportional to the product of x^(a - 1).
def dirichlet[F: Float](concentration: F[*s, n]) -> Dist[F, *s, n] where n >= 1 =
    let total = sum(concentration, axis=-1, keepdims=true)
    let mean = concentration / total
    _joint(
        fn x -> sum(stats.dirichlet_logpdf(x, concentration)),
        fn k -> random.dirichlet(k, concentration, [], F),
        mean,
        mean * (1.0 - mean) / (total + 1.0),
        shares(s, n, F),
        all(concentration > 0)
    )
## How often each of the outcomes along the last axis comes in n trials with these probabilities.
def multinomial[F: Float](n: F, p: F[m]) -> Dist[F, m] where m >= 1 =
    _joint(
        fn x -> stats.multinomial_logpmf(x, n, p),
        fn k -> random.multinomial(k, n, p, [], F),
        n * p,
        n * p * (1.0 - p),
        whole_numbers(zeros([m], F), full([m], n)),
        all(p >= 0) & (abs(sum(p) - 1.0) < 1e-3) & (n >= 0)
    )
## Normal vectors with this covariance.
def multivariate_normal[F: Float](mean: F[n], cov: F[n, n]) -> Dist[F, n] =
    multivariate_normal_tril(mean, linalg.cholesky(cov))
## Normal vectors mean + factor z, of standard normal z; the factor is lower triangular.
def multivariate_normal_tril[F: Float](mean: F[n], factor: F[n, n]) -> Dist[F, n] =
    let log_density = fn x ->
        let z = linalg.solve_triangular(factor, x - mean, lower=true)
        sum(stats.norm_logpdf(z)) - sum(log(diagonal(factor)))
    _joint(
        log_density,
        fn k -> mean + tril(factor) @ random.normal(k, [n], F),
        mean,
        sum(square(tril(factor)), axis=1),
        real_numbers([n], F),
        all(diagonal(factor) > 0)
    )
## Student's t in n dimensions: mean + factor z sqrt(df / c), of standard normal z and a chi-squared c; the factor is
## lower triangular.
def multivariate_t[F: Float](df: F, mean: F[n], factor: F[n, n]) -> Dist[F, n] =
    let front = (
        special.gammaln(0.5 * (df + n))
        - special.gammaln(0.5 * df)
        - 0.5 * n * log(pi * df)
        - sum(log(diagonal(factor)))
    )
    let log_density = fn x ->
        let z = linalg.solve_triangular(factor, x - mean, lower=true)
        front - 0.5 * (df + n) * log1p(sum(z * z) / df)
    let draw = fn k ->
        let keys = split(k)
        mean + tril(factor) @ random.normal(keys[0], [n], F) * sqrt(
            df / random.chisquare(keys[1], df, [], F)
        )
    let variance =
        where(df > 2, df / where(df > 2, df - 2.0, 1.0), inf) * sum(square(tril(factor)), axis=1)
    _joint(
        log_density,
        draw,
        where(df > 1, mean, nan),
        variance,
        real_numbers([n], F),
        (df > 0) & all(diagonal(factor) > 0)
    )
# By the vine of rows (Lewandowski, Kurowicka and Joe 2009): a row is a direction at random, of a length whose square is
# distributed as beta.
## Cholesky factors L of n by n correlation matrices L L.T with density proportional to det(L L.T)^(concentration - 1);
## uniform for 1.
def lkj_cholesky[F: Float](static n: size, concentration: F) -> Dist[F, n, n] where n >= 1 =
    let rows = iota([n], dtype=F)
    let weights = n - rows + 2.0 * concentration - 3.0
    let log_density =
        fn x -> sum(weights[1:] * log(diagonal(x)[1:])) - _lkj_volume(rows[1:], n, concentration)
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
    let diagonal_mean = where(
        rows > 0,
        exp(
            special.betaln(rest + 0.5, maximum(0.5 * rows, 0.5))
            - special.betaln(rest, maximum(0.5 * rows, 0.5))
        ),
        1.0
    )
    let diagonal_square = where(rows > 0, rest / (rest + 0.5 * rows), 1.0)
    _joint(
        log_density,
        draw,
        diag(diagonal_mean),
        square_mean + diag(diagonal_square - square(diagonal_mean)),
        correlation_factors(n, F),
        concentration > 0
    )
# The logarithm of the integral: each row's, over the half of a sphere.
def _lkj_volume[F: Float](rows: F[m], static n: size, concentration: F) -> F =
    let rest = concentration + 0.5 * (n - 1.0 - rows)
    sum(0.5 * rows * log(pi) + special.gammaln(rest) - special.gammaln(rest + 0.5 * rows))
## Positive definite matrices, sums of df outer products of normal vectors whose covariance is `scale`; df > n - 1.
def wishart[F: Float](df: F, scale: F[n, n]) -> Dist[F, n, n] where n >= 1 =
    let d = diagonal(scale)
    _joint(
        fn x -> stats.wishart_logpdf(x, df, scale),
        fn k -> random.wishart(k, df, scale),
        df * scale,
        df * (square(scale) + outer(d, d)),
        positive_definite_matrices(n, F),
        df > n - 1.0
    )

## The inverse of a matrix with the Wishart distribution of the inverse of `scale`; df > n - 1. The mean is infinite for
## df <= n + 1, the variance for df <= n + 3.
def inverse_wishart[F: Float](df: F, scale: F[n, n]) -> Dist[F, n, n] where n >= 1 =
    let root = linalg.cholesky(scale)
    let front =
        df * sum(log(diagonal(root))) - 0.5 * df * n * log(2.0) - special.multigammaln(0.5 * df, n)
    let log_density = fn x ->
        let own = linalg.cholesky(x)
        let whitened = linalg.solve_triangular(own, root, lower=true)
        front - (df + n + 1.0) * sum(log(diagonal(own))) - 0.5 * sum(square(whitened))
    let draw = fn k ->
        let inner = linalg.cholesky(random.wishart(k, df, eye(n, F)))
        let half = linalg.solve_triangular(inner, root.T, lower=true)
        half.T @ half
    let rest = df - n
    let d = diagonal(scale)
    let several = (rest + 1.0) * square(scale) + (rest - 1.0) * outer(d, d)
    let variance = several / where(rest > 3, rest * square(rest - 1.0) * (rest - 3.0), 1.0)
    _joint(
        log_density,
        draw,
        where(rest > 1, scale / where(rest > 1, rest - 1.0, 1.0), inf),
        where(rest > 3, variance, inf),
        positive_definite_matrices(n, F),
        df > n - 1.0
    )

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
def mixture[F: Float, P: Tree](
    logits: F[n],
    family: (P) -> Dist[F, *s],
    params: P[n]
) -> Dist[F, *s] where n >= 1 =
    let logs = logits - logsumexp(logits)
    let weights = exp(logs)
    let mean = sum([w * family(p).mean for w, p in zip(weights, params)], axis=0)
    let squares = sum(
        [w * (family(p).variance + square(family(p).mean)) for w, p in zip(weights, params)],
        axis=0
    )
    {
        log_density = fn x -> logsumexp(
            [w + family(p).log_density(x) for w, p in zip(logs, params)]
        ),
        draw = fn k -> _drawn_from(k, logits, family, params),
        mean = mean,
        variance = squares - square(mean),
        cdf = fn x -> sum([w * family(p).cdf(x) for w, p in zip(weights, params)], axis=0),
        quantile = _no_function(mean),
        support = family(params[0]).support,
        valid = all([family(p).valid for p in params]) & ~isnan(sum(logits)),
    }
def _drawn_from[F: Float, P: Tree](
    k: key,
    logits: F[n],
    family: (P) -> Dist[F, *s],
    params: P[n]
) -> F[*s] where n >= 1 =
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
def _moved[F: Float](z: F[*s], d: Dist[F, *s], b: Bijector[F, *s]) -> F =
    d.log_density(z) - b.log_det(z)
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
    {
        transformed(d, affine_bijector(loc, scale)) with mean = loc + scale * d.mean,
        variance = square(scale) * d.variance,
        valid = d.valid & all(scale > 0)
    }
## Numbers between low and high, as a distribution of numbers that are drawn by themselves has them; of counts, those
## above low. The draws are quantiles of uniform numbers; mean and variance are not known.
def truncated[F: Float](d: Dist[F, *s], low: F[*s], high: F[*s]) -> Dist[F, *s] =
    let (first, last) = (where(low == -inf, 0.0, d.cdf(low)), where(high == inf, 1.0, d.cdf(high)))
    let quantile = fn q -> clip(d.quantile(first + q * (last - first)), low, high)
    {
        log_density = fn x -> where(
            all((x >= low) & (x <= high)),
            d.log_density(x) - sum(log(last - first)),
            -inf
        ),
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
def _at_constrained[F: Float](moved: (F[*s], F), d: Dist[F, *s]) -> F =
    d.log_density(moved.0) + moved.1
## The distribution, with a check that its parameters are as they must be.
def checked_parameters[F: Float](d: Dist[F, *s]) -> Dist[F, *s] ! check =
    assert d.valid, "the parameters of a distribution are outside of their domain"
    d

# ---------------------------------------------------------------- trees of numbers, for samplers

def _times[F: Float, P: VSpace[Float]](k: F, tree: P) -> P =
    tree_map(fn x -> cast(k, x.dtype) * x, tree)
def _product[P: VSpace[Float]](p: P, q: P) -> P = tree_map(fn (x, y) -> x * y, p, q)
def _dot[P: VSpace[Float]](p: P, q: P, static dtype: Float) -> dtype =
    tree_reduce(fn (total, x) -> total + cast(sum(x), dtype), _product(p, q), zeros([], dtype))
def _chosen[P: VSpace[Float]](first: bool, p: P, q: P) -> P =
    tree_map(fn (x, y) -> where(first, x, y), p, q)
def _noise[P: VSpace[Float]](key: key, like: P) -> P =
    with rng(key) do tree_map(fn x -> random.normal(fresh_key(), x.shape, x.dtype), like)

# ---------------------------------------------------------------- Markov chains

## A place of a chain: the parameters, the logarithm of their density, and its gradient.
type Place[F: Float, P: VSpace] = {at: P, log_density: F, slope: P}
## What a chain gives: its draws, the logarithms of their densities, how probable the proposals were to be accepted, which
## steps diverged, how many gradients each took; the length of a step and the variances that the warm-up found.
type Chain[F: Float, P: VSpace, n] = {
    draws: P[n],
    log_density: F[n],
    acceptance: F[n],
    divergent: bool[n],
    gradients: i32[n],
    step_size: F,
    variances: P
}
# What a transition tells beside the next place.
type _Moved[F: Float, P: VSpace] = {
    place: Place[F, P],
    acceptance: F,
    divergent: bool,
    gradients: i32
}

def _place[F: Float, P: VSpace[Float]](log_density: (P) -> F, at: P) -> Place[F, P] =
    let (value, slope) = value_and_grad(log_density)(at)
    {at = at, log_density = value, slope = slope}
def _placed[F: Float, P: VSpace[Float]](
    first: bool,
    p: Place[F, P],
    q: Place[F, P]
) -> Place[F, P] =
    {
        at = _chosen(first, p.at, q.at),
        log_density = where(first, p.log_density, q.log_density),
        slope = _chosen(first, p.slope, q.slope)
    }
# Half a step of the momentum, a step of the place, half a step of the momentum; backwards for a negative length.
def _leapfrog[F: Float, P: VSpace[Float]](
    log_density: (P) -> F,
    place: Place[F, P],
    momentum: P,
    step: F,
    variances: P
) -> (Place[F, P], P) =
    let half = momentum + _times(0.5 * step, place.slope)
    let next = _place(log_density, place.at + _times(step, _product(variances, half)))
    (next, half + _times(0.5 * step, next.slope))
def _momentum[P: VSpace[Float]](key: key, variances: P) -> P =
    tree_map(fn (z, v) -> z * rsqrt(v), _noise(key, variances), variances)
def _energy[F: Float, P: VSpace[Float]](place: Place[F, P], momentum: P, variances: P) -> F =
    0.5 * _dot(momentum, _product(variances, momentum), F) - place.log_density
def _finite[F: Float](x: F) -> F = where(isnan(x), -inf, x)

# One trajectory of a fixed number of steps, whose length is drawn from about that of the warm-up, since trajectories of
# one length may come back to where they began.
def _hmc_move[F: Float, P: VSpace[Float]](
    log_density: (P) -> F,
    place: Place[F, P],
    step: F,
    variances: P,
    key: key,
    static steps: size
) -> _Moved[F, P] =
    let keys = split(key, 3)
    let momentum = _momentum(keys[0], variances)
    let step = step * (0.5 + random.uniform(keys[2], [], F))
    let (end, last) = fold (now, r) = (place, momentum) for _ in range(steps) do _leapfrog(
        log_density,
        now,
        r,
        step,
        variances
    )
    let gain = _finite(_energy(place, momentum, variances) - _energy(end, last, variances))
    let taken = log(random.uniform(keys[1], [], F)) < gain
    {
        place = _placed(taken, end, place),
        acceptance = minimum(1.0, exp(gain)),
        divergent = gain < -1000.0,
        gradients = steps
    }

# A half of a trajectory, which is grown leaf by leaf from one of its ends. `sum` is that of its momenta; `kept` and
# `sums` hold the momenta, and their sums up to them, at the first leaf of each of the balanced trees that are not complete
# (Hoffman and Gelman 2014; Phan, Pradhan and Jankowiak 2019).
type _Half[F: Float, P: VSpace, n] = {
    end: Place[F, P],
    momentum: P,
    chosen: Place[F, P],
    weight: F,
    sum: P,
    kept: P[n],
    sums: P[n],
    leaf: i32,
    stopped: bool,
    acceptance: F,
    divergent: bool
}
# A trajectory that doubles: its ends, a place of it by its weight, and the sum of its momenta.
type _Grown[F: Float, P: VSpace] = {
    open: bool,
    depth: i32,
    low: Place[F, P],
    low_momentum: P,
    high: Place[F, P],
    high_momentum: P,
    chosen: Place[F, P],
    weight: F,
    sum: P,
    acceptance: F,
    gradients: i32,
    divergent: bool
}

# Whether the ends of a stretch of a trajectory come nearer to each other.
def _turns[F: Float, P: VSpace[Float]](first: P, last: P, total: P, variances: P, one: F) -> bool =
    let inner = _product(variances, total - _times(0.5 * one, first + last))
    (_dot(first, inner, F) <= 0) | (_dot(last, inner, F) <= 0)
static def _power_of_two(k: int) -> int = if k <= 0 then 1 else 2 * _power_of_two(k - 1)
# Uniform numbers of a trajectory, each by its place in the sequence of a seed (Steele, Lea and Flood 2014): a cipher for
# each leaf would take longer than small models do.
def _chance(seed: u64, place: i32, static dtype: Float) -> dtype =
    let step = cast(0x9E3779B9, u64) << 32 | cast(0x7F4A7C15, u64)
    let z = seed + cast(place + 1, u64) * step
    let z = (z ^ z >> 30) * (cast(0xBF58476D, u64) << 32 | cast(0x1CE4E5B9, u64))
    let z = (z ^ z >> 27) * (cast(0x94D049BB, u64) << 32 | cast(0x133111EB, u64))
    cast((z ^ z >> 31) >> 40, dtype) * 2.0 ** -24

# One trajectory that grows until it turns, and a place of it by its weight.
def _nuts_move[F: Float, P: VSpace[Float]](
    log_density: (P) -> F,
    place: Place[F, P],
    step: F,
    variances: P,
    key: key,
    static max_depth: size
) -> _Moved[F, P] where max_depth >= 1 and max_depth <= 20 =
    let keys = split(key)
    let momentum = _momentum(keys[0], variances)
    let seeds = random.bits(keys[1], [2], u64)
    let start = _energy(place, momentum, variances)
    let first = {
        open = true,
        depth = i32(0),
        low = place,
        low_momentum = momentum,
        high = place,
        high_momentum = momentum,
        chosen = place,
        weight = zeros([], F),
        sum = momentum,
        acceptance = zeros([], F),
        gradients = i32(0),
        divergent = false
    }
    let end = iterate s: _Grown[F, P] = first while s.open limit max_depth do
        let forward = _chance(seeds[0], 2 * s.depth, F) < 0.5
        let half = _grown_half(
            log_density,
            _placed(forward, s.high, s.low),
            _chosen(forward, s.high_momentum, s.low_momentum),
            start,
            where(forward, step, -step),
            variances,
            s.depth,
            seeds[1] + cast(s.gradients, u64),
            max_depth
        )
        _doubled(s, half, forward, _chance(seeds[0], 2 * s.depth + 1, F), variances, max_depth)
    {
        place = end.chosen,
        acceptance = end.acceptance / cast(maximum(end.gradients, 1), F),
        divergent = end.divergent,
        gradients = end.gradients
    }
# A half of 2^depth leaves, or fewer where it turns.
def _grown_half[F: Float, P: VSpace[Float]](
    log_density: (P) -> F,
    end: Place[F, P],
    momentum: P,
    start: F,
    step: F,
    variances: P,
    depth: i32,
    seed: u64,
    static max_depth: size
) -> _Half[F, P, max_depth] where max_depth >= 1 and max_depth <= 20 =
    let nothing = 0.0 * momentum
    let blank = [nothing for _ in range(max_depth)]
    let first = {
        end = end,
        momentum = momentum,
        chosen = end,
        weight = cast(-inf, F),
        sum = nothing,
        kept = blank,
        sums = blank,
        leaf = i32(0),
        stopped = false,
        acceptance = zeros([], F),
        divergent = false
    }
    iterate s: _Half[F, P, max_depth] = first while (
        s.leaf < i32(1) << depth
    ) & ~s.stopped limit _power_of_two(max_depth) do _with_leaf(
        log_density,
        s,
        start,
        step,
        variances,
        _chance(seed, s.leaf, F)
    )
def _with_leaf[F: Float, P: VSpace[Float]](
    log_density: (P) -> F,
    s: _Half[F, P, n],
    start: F,
    step: F,
    variances: P,
    chance: F
) -> _Half[F, P, n] where n >= 1 =
    let (end, momentum) = _leapfrog(log_density, s.end, s.momentum, step, variances)
    let gain = _finite(start - _energy(end, momentum, variances))
    let weight = logaddexp(s.weight, gain)
    let sum = s.sum + momentum
    let odd = s.leaf % 2 == 1
    let place = bitwise_count(s.leaf >> 1)
    let kept = [_chosen((i == place) & ~odd, momentum, r) for (i, r) in zip(iota([n]), s.kept)]
    let sums = [_chosen((i == place) & ~odd, sum, total) for (i, total) in zip(iota([n]), s.sums)]
    let least = place + 1 - bitwise_count(s.leaf & ~(s.leaf + 1))
    let turned = [
        (i >= least) & (i <= place) & _turns(r, momentum, sum - total + r, variances, ones([], F))
        for (i, r, total) in zip(iota([n]), kept, sums)
    ]
    let divergent = gain < -1000.0
    {
        end = end,
        momentum = momentum,
        chosen = _placed(log(chance) < gain - weight, end, s.chosen),
        weight = weight,
        sum = sum,
        kept = kept,
        sums = sums,
        leaf = s.leaf + 1,
        stopped = divergent | (odd & any(turned)),
        acceptance = s.acceptance + minimum(1.0, exp(gain)),
        divergent = divergent,
    }
# The trajectory with this half at one of its ends, if the half is complete.
def _doubled[F: Float, P: VSpace[Float]](
    s: _Grown[F, P],
    half: _Half[F, P, n],
    forward: bool,
    chance: F,
    variances: P,
    static max_depth: size
) -> _Grown[F, P] =
    let complete = ~half.stopped
    let (to_low, to_high) = (complete & ~forward, complete & forward)
    let low_momentum = _chosen(to_low, half.momentum, s.low_momentum)
    let high_momentum = _chosen(to_high, half.momentum, s.high_momentum)
    let sum = s.sum + half.sum
    let depth = s.depth + 1
    {
        open = complete & (depth < max_depth) & ~_turns(
            low_momentum,
            high_momentum,
            sum,
            variances,
            ones([], F)
        ),
        depth = depth,
        low = _placed(to_low, half.end, s.low),
        low_momentum = low_momentum,
        high = _placed(to_high, half.end, s.high),
        high_momentum = high_momentum,
        chosen = _placed(complete & (log(chance) < half.weight - s.weight), half.chosen, s.chosen),
        weight = logaddexp(s.weight, half.weight),
        sum = sum,
        acceptance = s.acceptance + half.acceptance,
        gradients = s.gradients + half.leaf,
        divergent = s.divergent | half.divergent,
    }

# ---------------------------------------------------------------- warm-up

# The length of a step by dual averaging (Nesterov 2009; Hoffman and Gelman 2014): `start` is its logarithm times ten.
type _Length[F: Float] = {start: F, error: F, log_step: F, log_mean: F, count: F}
def _first_length[F: Float](step: F) -> _Length[F] =
    {
        start = log(10.0 * step),
        error = 0.0 * step,
        log_step = log(step),
        log_mean = 0.0 * step,
        count = 0.0 * step
    }
def _next_length[F: Float](l: _Length[F], acceptance: F, target: F) -> _Length[F] =
    let count = l.count + 1.0
    let error = l.error + (target - acceptance - l.error) / (count + 10.0)
    let log_step = l.start - sqrt(count) / 0.05 * error
    let share = exp(-0.75 * log(count))
    {
        start = l.start,
        error = error,
        log_step = log_step,
        log_mean = share * log_step + (1.0 - share) * l.log_mean,
        count = count
    }
# A first length of which a step is accepted with probability 0.8, up to a factor of two.
def _reasonable[F: Float, P: VSpace[Float]](
    log_density: (P) -> F,
    place: Place[F, P],
    variances: P,
    key: key
) -> F =
    let momentum = _momentum(key, variances)
    let start = _energy(place, momentum, variances)
    let accepted = fn step ->
        let (next, r) = _leapfrog(log_density, place, momentum, step, variances)
        _finite(start - _energy(next, r, variances)) > log(0.8)
    let up = accepted(ones([], F))
    let (step, _) = iterate (step, more) = (ones([], F), true) while more limit 40 do
        let next = if up then 2.0 * step else 0.5 * step
        (next, accepted(next) == up)
    step
# The running mean and sum of squares of places (Welford 1962).
type _Moments[F: Float, P: VSpace] = {count: F, mean: P, squares: P}
def _no_moments[F: Float, P: VSpace[Float]](one: F, like: P) -> _Moments[F, P] =
    {count = 0.0 * one, mean = zeros_like(like), squares = zeros_like(like)}
def _with_place[F: Float, P: VSpace[Float]](m: _Moments[F, P], at: P) -> _Moments[F, P] =
    let count = m.count + 1.0
    let off = at - m.mean
    let mean = m.mean + _times(1.0 / count, off)
    {count = count, mean = mean, squares = m.squares + _product(off, at - mean)}
# The variances, drawn to 0.001 where there are few places.
def _variances[F: Float, P: VSpace[Float]](m: _Moments[F, P]) -> P =
    let share = m.count / ((m.count + 5.0) * maximum(m.count - 1.0, 1.0))
    tree_map(
        fn x -> cast(share, x.dtype) * x + cast(0.001 * 5.0 / (m.count + 5.0), x.dtype),
        m.squares
    )
# The steps whose places give the variances, and the size of the first window of them; of a short warm-up there is one.
static def _first_seen(warmup: int) -> int = if warmup < 150 then warmup * 3 // 20 else 75
static def _last_seen(warmup: int) -> int = if warmup < 150 then warmup * 9 // 10 else warmup - 50
static def _first_window(warmup: int) -> int = if warmup < 150 then max(warmup, 1) else 25
# Whether a window ends before a step: each is twice as long as the one before, and the last takes what is left.
def _window_ends(step: i32, static warmup: size) -> bool =
    let seen = step - _first_seen(warmup)
    let doublings = seen // _first_window(warmup) + 1
    let whole =
        (seen % _first_window(warmup) == 0) & (doublings >= 2) & (bitwise_count(doublings) == 1)
    (
        (step == _last_seen(warmup))
        | (whole & (step + _first_window(warmup) * doublings <= _last_seen(warmup)))
    )
# The state of a chain: the steps that it has taken, and what the warm-up changes.
type _Tuned[F: Float, P: VSpace] = {
    count: i32,
    keys: key,
    moved: _Moved[F, P],
    length: _Length[F],
    moments: _Moments[F, P],
    variances: P,
    step: F
}
def _chain[F: Float, P: VSpace[Float]](
    log_density: (P) -> F,
    move: (Place[F, P], F, P, key) -> _Moved[F, P],
    start: P,
    key: key,
    target: F,
    static warmup: size,
    static draws: size
) -> Chain[F, P, draws] =
    let keys = split(key)
    let place = _place(log_density, start)
    let ones_of = ones_like(start)
    let step = _reasonable(log_density, place, ones_of, keys[0])
    let moved = {place = place, acceptance = zeros([], F), divergent = false, gradients = i32(0)}
    let first = {
        count = i32(0),
        keys = keys[1],
        moved = moved,
        length = _first_length(step),
        moments = _no_moments(step, start),
        variances = ones_of,
        step = step
    }
    # The warm-up belongs to the first draw, so that the text of a move is in the program once.
    let (last, found) = scan s: _Tuned[F, P] = first for i in iota([draws]) do
        let next = iterate s: _Tuned[F, P] = s while s.count <= warmup + i limit warmup + 1 do
            let keys = split(s.keys)
            let moved = move(s.moved.place, s.step, s.variances, keys[0])
            let after = {s with count = s.count + 1, keys = keys[1], moved = moved}
            if s.count < warmup then _tuned(after, target, warmup) else after
        (next, next.moved)
    {
        draws = found.place.at,
        log_density = found.place.log_density,
        acceptance = found.acceptance,
        divergent = found.divergent,
        gradients = found.gradients,
        step_size = last.step,
        variances = last.variances
    }
# What a step of the warm-up changes.
def _tuned[F: Float, P: VSpace[Float]](
    s: _Tuned[F, P],
    target: F,
    static warmup: size
) -> _Tuned[F, P] =
    let length = _next_length(s.length, s.moved.acceptance, target)
    let inside = (s.count > _first_seen(warmup)) & (s.count <= _last_seen(warmup))
    let moments = _moments_if(inside, _with_place(s.moments, s.moved.place.at), s.moments)
    let ended = _window_ends(s.count, warmup)
    let length = _length_if(ended, _first_length(exp(length.log_mean)), length)
    {
        s with
        length = length,
        moments = _moments_if(ended, _no_moments(s.step, s.variances), moments),
        variances = _chosen(ended, _variances(moments), s.variances),
        step = exp(where(s.count == warmup, length.log_mean, length.log_step)),
    }
def _moments_if[F: Float, P: VSpace[Float]](
    first: bool,
    m: _Moments[F, P],
    n: _Moments[F, P]
) -> _Moments[F, P] =
    {
        count = where(first, m.count, n.count),
        mean = _chosen(first, m.mean, n.mean),
        squares = _chosen(first, m.squares, n.squares)
    }
def _length_if[F: Float](first: bool, l: _Length[F], m: _Length[F]) -> _Length[F] =
    tree_map(fn (x, y) -> where(first, x, y), l, m)

## Draws from the density of unconstrained parameters by trajectories that grow until they turn (Hoffman and Gelman 2014),
## whose places are drawn by their weights (Betancourt 2017). The warm-up finds the length of a step, at which `target` of
## the proposals would be accepted, and the variances of the parameters. Several chains are a `vmap`.
def nuts[F: Float, P: VSpace[Float]](
    log_density: (P) -> F,
    start: P,
    key: key,
    *,
    static warmup: size = 500,
    static draws: size = 500,
    static max_depth: size = 10,
    static target: float = 0.8
) -> Chain[F, P, draws] where max_depth >= 1 and max_depth <= 20 =
    _chain(
        log_density,
        fn (place, step, variances, k) -> _nuts_move(
            log_density,
            place,
            step,
            variances,
            k,
            max_depth
        ),
        start,
        key,
        cast(target, F),
        warmup,
        draws
    )
## Hamiltonian Monte Carlo with a fixed number of steps for a trajectory, and the warm-up of `nuts`.
def hmc[F: Float, P: VSpace[Float]](
    log_density: (P) -> F,
    start: P,
    key: key,
    *,
    static steps: size = 10,
    static warmup: size = 500,
    static draws: size = 500,
    static target: float = 0.8
) -> Chain[F, P, draws] =
    _chain(
        log_density,
        fn (place, step, variances, k) -> _hmc_move(log_density, place, step, variances, k, steps),
        start,
        key,
        cast(target, F),
        warmup,
        draws
    )

# ---------------------------------------------------------------- chains without gradients

## What a chain without gradients gives: its draws, the logarithms of their densities, and the share of proposals taken.
type Walk[F: Float, P: VSpace, n] = {draws: P[n], log_density: F[n], acceptance: F}
# The draws after the warm-up of a chain of these moves.
def _walked[F: Float, P: VSpace[Float]](
    move: (P, F, key) -> (P, F, bool),
    start: P,
    first: F,
    key: key,
    static warmup: size,
    static draws: size
) -> Walk[F, P, draws] =
    let keys = split(key)
    let (at, value) = fold (at, value) = (start, first) for k in split(keys[0], warmup) do
        let (at, value, _) = move(at, value, k)
        (at, value)
    let (_, (places, values, taken)) =
        scan (at, value) = (at, value) for k in split(keys[1], draws) do
            let (at, value, taken) = move(at, value, k)
            ((at, value), (at, value, taken))
    {
        draws = places,
        log_density = values,
        acceptance = cast(sum(taken), F) / cast(max(draws, 1), F)
    }
## Random walk Metropolis: proposals are normal about the last draw, with standard deviation `scale` (Metropolis 1953).
def metropolis[F: Float, P: VSpace[Float]](
    log_density: (P) -> F,
    start: P,
    key: key,
    scale: F,
    *,
    static warmup: size = 500,
    static draws: size = 500
) -> Walk[F, P, draws] =
    _walked(
        fn (at, value, k) -> _metropolis_move(log_density, at, value, scale, k),
        start,
        log_density(start),
        key,
        warmup,
        draws
    )
def _metropolis_move[F: Float, P: VSpace[Float]](
    log_density: (P) -> F,
    at: P,
    value: F,
    scale: F,
    key: key
) -> (P, F, bool) =
    let keys = split(key)
    let next = at + _times(scale, _noise(keys[0], at))
    let there = log_density(next)
    let taken = log(random.uniform(keys[1], [], F)) < there - value
    (_chosen(taken, next, at), where(taken, there, value), taken)
## Slice sampling along random directions (Neal 2003): an interval of length `width` about the last draw is stepped out,
## at most 20 times to each side, until its ends are below a random level, and shrunk to the place that is found above it.
def slice[F: Float, P: VSpace[Float]](
    log_density: (P) -> F,
    start: P,
    key: key,
    width: F,
    *,
    static warmup: size = 500,
    static draws: size = 500
) -> Walk[F, P, draws] =
    _walked(
        fn (at, value, k) -> _slice_move(log_density, at, value, width, k),
        start,
        log_density(start),
        key,
        warmup,
        draws
    )
def _slice_move[F: Float, P: VSpace[Float]](
    log_density: (P) -> F,
    at: P,
    value: F,
    width: F,
    key: key
) -> (P, F, bool) =
    let keys = split(key, 4)
    let way = _noise(keys[0], at)
    let along = fn t -> log_density(at + _times(t, way))
    let level = value + log(1.0 - random.uniform(keys[1], [], F))
    let left = -width * random.uniform(keys[2], [], F)
    let low = iterate t = left while along(t) > level limit 20 do t - width
    let high = iterate t = left + width while along(t) > level limit 20 do t + width
    let (_, _, t, _, _) =
        iterate (low, high, t, key, open) = (
            low,
            high,
            zeros([], F),
            keys[3],
            true
        ) while open limit 100 do
            let (key, now) = split(key)
            let t = low + (high - low) * random.uniform(now, [], F)
            let inside = along(t) > level
            (where(t < 0, t, low), where(t < 0, high, t), t, key, ~inside)
    let there = along(t)
    let taken = there > level
    (_chosen(taken, at + _times(t, way), at), where(taken, there, value), taken)

# ---------------------------------------------------------------- blocks of parameters in turns

## The draws of a chain that a sweep moves, after those of the warm-up. A sweep of Gibbs (Geman and Geman 1984) draws each
## block of parameters from its distribution given the others, or moves it by `metropolis_step`, `slice_step` or
## `hmc_step` of its density: `{s with mu = prob.slice_step(fn mu -> density({s with mu = mu}), s.mu, 1.0, k)}`.
def gibbs[P: Tree](
    sweep: (P, key) -> P,
    start: P,
    key: key,
    *,
    static warmup: size = 500,
    static draws: size = 500
) -> P[draws] =
    let keys = split(key)
    let at = fold at = start for k in split(keys[0], warmup) do sweep(at, k)
    let (_, found) = scan at = at for k in split(keys[1], draws) do
        let next = sweep(at, k)
        (next, next)
    found
## One step of random walk Metropolis.
def metropolis_step[F: Float, P: VSpace[Float]](
    log_density: (P) -> F,
    at: P,
    scale: F,
    key: key
) -> P =
    _metropolis_move(log_density, at, log_density(at), scale, key).0
## One step of slice sampling.
def slice_step[F: Float, P: VSpace[Float]](log_density: (P) -> F, at: P, width: F, key: key) -> P =
    _slice_move(log_density, at, log_density(at), width, key).0
## One trajectory of Hamiltonian Monte Carlo, of `steps` steps of about this length.
def hmc_step[F: Float, P: VSpace[Float]](
    log_density: (P) -> F,
    at: P,
    length: F,
    key: key,
    *,
    static steps: size = 10
) -> P =
    _hmc_move(log_density, _place(log_density, at), length, ones_like(at), key, steps).place.at

# ---------------------------------------------------------------- filters

## What a particle filter gives: the logarithm of the probability of all that was observed and its parts, the particles
## after the last observation with the logarithms of their weights, and for each observation the effective number of
## particles.
type Filtered[F: Float, T: Tree, n, m] = {
    log_evidence: F,
    increments: F[n],
    particles: T[m],
    log_weights: F[m],
    effective: F[n]
}
## The bootstrap particle filter (Gordon, Salmond and Smith 1993): particles of the state before the first observation,
## moved and then weighed by the log density of each observation; drawn anew, evenly by their weights, where fewer than
## half of them count.
def particle_filter[F: Float, T: Tree, Y: Tree](
    first: (key) -> T,
    move: (T, key) -> T,
    log_weight: (T, Y) -> F,
    observed: Y[n],
    key: key,
    *,
    static particles: size
) -> Filtered[F, T, n, particles] where particles >= 1 =
    let keys = split(key)
    let even = full([particles], -log(cast(particles, F)))
    let begun = [first(k) for k in split(keys[0], particles)]
    let ((states, logs), (parts, effective)) =
        scan (states, logs) = (begun, even) for (y, k) in zip(observed, split(keys[1], n)) do
            let both = split(k)
            let moved = [move(s, q) for (s, q) in zip(states, split(both[0], particles))]
            let weighed = logs + [log_weight(s, y) for s in moved]
            let total = logsumexp(weighed)
            let shares = exp(weighed - total)
            let count = 1.0 / sum(shares * shares)
            let few = count < 0.5 * particles
            let chosen = if few then _even_places(both[1], shares) else arange(particles)
            (([moved[i] for i in chosen], where(few, even, weighed - total)), (total, count))
    {
        log_evidence = sum(parts),
        increments = parts,
        particles = states,
        log_weights = logs,
        effective = effective
    }
# As many places as there are shares, at even distances in their sums.
def _even_places[F: Float](key: key, shares: F[m]) -> idx[m][m] where m >= 1 =
    let sums = cumsum(shares)
    let at = (iota([m], dtype=F) + random.uniform(key, [], F)) / m * sums[m - 1]
    clip(searchsorted(sums, at, side="right"), 0, m - 1)

## Draws from a posterior by particles of the prior, whose density is multiplied by a power of the likelihood that grows to
## 1 in stages (Del Moral, Doucet and Jasra 2006): at each they are drawn anew by their weights, and take a few moves of
## random walk Metropolis, as wide as they lie. Also the logarithm of the integral of the likelihood over the prior, and
## the share of moves that were taken.
def tempered_smc[F: Float, P: VSpace[Float]](
    log_prior: (P) -> F,
    log_likelihood: (P) -> F,
    particles: P[m],
    key: key,
    *,
    static stages: size = 20,
    static moves: size = 5
) -> {particles: P[m], log_evidence: F, acceptance: F} where m >= 2 and stages >= 1 and moves >= 1 =
    let power = fn t -> (cast(t, F) / stages) ** 3
    let ((found, evidence), taken) =
        scan (now, evidence) = (particles, zeros([], F)) for (t, k) in zip(
            iota([stages]),
            split(key, stages)
        ) do
            let keys = split(k)
            let logs = [(power(t + 1) - power(t)) * log_likelihood(p) for p in now]
            let total = logsumexp(logs)
            let chosen = [now[i] for i in _even_places(keys[0], exp(logs - total))]
            let scale = _spread_of(chosen, ones([], F))
            let (moved, shares) = [
                _tempered_moves(log_prior, log_likelihood, p, power(t + 1), scale, q, moves)
                for (p, q) in zip(chosen, split(keys[1], m))
            ]
            ((moved, evidence + total - log(cast(m, F))), mean(shares))
    {particles = found, log_evidence = evidence, acceptance = mean(taken)}
# Standard deviations of particles, times 2.38 over the root of how many numbers each has (Roberts, Gelman and Gilks 1997).
def _spread_of[F: Float, P: VSpace[Float]](particles: P[m], one: F) -> P where m >= 2 =
    let moments = fold s = _no_moments(one, particles[0]) for p in particles do _with_place(s, p)
    let count = tree_reduce(
        fn (total, x) -> total + cast(sum(ones_like(x)), F),
        particles[0],
        zeros([], F)
    )
    _times(2.38 / sqrt(count), tree_map(fn x -> sqrt(x / (m - 1)), moments.squares))
def _tempered_moves[F: Float, P: VSpace[Float]](
    log_prior: (P) -> F,
    log_likelihood: (P) -> F,
    start: P,
    power: F,
    scale: P,
    key: key,
    static moves: size
) -> (P, F) where moves >= 1 =
    let density = fn p -> log_prior(p) + power * log_likelihood(p)
    let (at, _, count) =
        fold (at, value, count) = (
            start,
            density(start),
            zeros([], F)
        ) for k in split(key, moves) do
            let keys = split(k)
            let next = at + _product(scale, _noise(keys[0], at))
            let there = density(next)
            let taken = log(random.uniform(keys[1], [], F)) < there - value
            (_chosen(taken, next, at), where(taken, there, value), count + cast(taken, F))
    (at, count / moves)

# ---------------------------------------------------------------- approximations

## A maximum of a log density, by steps of Adam that become shorter, and its value.
def map_estimate[F: Float, P: VSpace[Float]](
    log_density: (P) -> F,
    start: P,
    *,
    static steps: size = 500,
    learning_rate: f32 = 0.1
) -> {at: P, log_density: F} =
    let (at, _) = fold (at, state) = (start, optim.adam_init(start)) for i in range(steps) do
        let rate = optim.cosine_decay_schedule(i, learning_rate, f32(max(steps, 1)))
        let (step, state) = optim.adam_update(-grad(log_density)(at), state, at, learning_rate=rate)
        (at + step, state)
    {at = at, log_density = log_density(at)}
## The normal distribution about the maximum of a log density that has the same second derivatives there (Laplace 1774):
## the maximum by `map_estimate`, and Newton's steps from there.
def laplace_approximation[F: Float](
    log_density: (F[n]) -> F,
    start: F[n],
    *,
    static steps: size = 500,
    learning_rate: f32 = 0.1
) -> Dist[F, n] =
    let near = map_estimate(log_density, start, steps=steps, learning_rate=learning_rate).at
    let at = fold x = near for _ in range(3) do
        let step = linalg.solve(-hessian(log_density)(x), grad(log_density)(x))
        where(all(isfinite(step)) & (log_density(x + step) >= log_density(x)), x + step, x)
    multivariate_normal(at, linalg.inv(-hessian(log_density)(at)))
## The normal distribution with independent parameters that is nearest to a density, by the divergence of the first from
## the second (Kucukelbir et al. 2017): steps of Adam along gradients of a few draws. `elbo` are the lower bounds of the
## logarithm of the integral of the density that each step saw.
def advi[F: Float, P: VSpace[Float]](
    log_density: (P) -> F,
    start: P,
    key: key,
    *,
    static steps: size = 1000,
    static samples: size = 8,
    learning_rate: f32 = 0.05
) -> {mean: P, scale: P, elbo: F[steps]} where samples >= 1 =
    let first = {mean = start, log_scale = 0.0 * start - ones_like(start)}
    let ((q, _), bounds) =
        scan (q, state) = (first, optim.adam_init(first)) for (i, k) in zip(
            iota([steps]),
            split(key, steps)
        ) do
            let (bound, slope) = value_and_grad(fn q -> _bound(log_density, q, k, samples))(q)
            let rate = optim.cosine_decay_schedule(i, learning_rate, f32(max(steps, 1)))
            let (step, state) = optim.adam_update(-slope, state, q, learning_rate=rate)
            ((q + step, state), bound)
    {mean = q.mean, scale = tree_map(fn s -> exp(s), q.log_scale), elbo = bounds}
def _bound[F: Float, P: VSpace[Float]](
    log_density: (P) -> F,
    q: {mean: P, log_scale: P},
    key: key,
    static samples: size
) -> F where samples >= 1 =
    let scale = tree_map(fn s -> exp(s), q.log_scale)
    let values = [
        log_density(q.mean + _product(scale, _noise(k, q.mean)))
        for k in split(key, samples)
    ]
    let entropy = tree_reduce(
        fn (total, s) -> total + cast(sum(s + 0.5 * log(2.0 * pi * e)), F),
        q.log_scale,
        zeros([], F)
    )
    sum(values) / samples + entropy
## The same with any covariance: the normal distribution that is nearest to a density of a vector.
def advi_full_rank[F: Float](
    log_density: (F[n]) -> F,
    start: F[n],
    key: key,
    *,
    static steps: size = 1000,
    static samples: size = 8,
    learning_rate: f32 = 0.05
) -> Dist[F, n] where samples >= 1 =
    let first = {mean = start, factor = -eye(n, F)}
    let (q, _) =
        fold (q, state) = (first, optim.adam_init(first)) for (i, k) in zip(
            iota([steps]),
            split(key, steps)
        ) do
            let slope = grad(fn q -> _full_bound(log_density, q.mean, q.factor, k, samples))(q)
            let rate = optim.cosine_decay_schedule(i, learning_rate, f32(max(steps, 1)))
            let (step, state) = optim.adam_update(-slope, state, q, learning_rate=rate)
            (q + step, state)
    multivariate_normal_tril(q.mean, _exp_diagonal(q.factor))
def _full_bound[F: Float](
    log_density: (F[n]) -> F,
    mean: F[n],
    factor: F[n, n],
    key: key,
    static samples: size
) -> F where samples >= 1 =
    let root = _exp_diagonal(factor)
    (
        sum([log_density(mean + root @ random.normal(k, [n], F)) for k in split(key, samples)])
        / samples
        + sum(diagonal(factor))
    )

# ---------------------------------------------------------------- flows: bijectors with parameters that are trained

## The parameters of a network of one hidden layer, from n numbers to a shift and the logarithm of a scale for each.
type Conditioner[F: Float, n, h] = {
    weight: F[h, n],
    offset: F[h],
    shift: F[n, h],
    log_scale: F[n, h],
    shift_offset: F[n],
    log_scale_offset: F[n]
}
## Parameters of as many layers, with which flows are the identity.
def flow_init(
    key: key,
    static layers: size,
    static n: size,
    static hidden: size,
    static dtype: Float = f32
) -> Conditioner[dtype, n, hidden][layers] where n >= 1 =
    let out = zeros([layers, n, hidden], dtype)
    let keys = split(key)
    let weight = random.normal(keys[0], [layers, hidden, n], dtype) / sqrt(1.0 * n)
    let offset = random.normal(keys[1], [layers, hidden], dtype)
    {
        weight = weight,
        offset = offset,
        shift = out,
        log_scale = out,
        shift_offset = zeros([layers, n], dtype),
        log_scale_offset = zeros([layers, n], dtype)
    }
# A shift and the logarithm of a scale, within (-3, 3), where these masks leave weights.
def _conditioned[F: Float](
    p: Conditioner[F, n, h],
    x: F[n],
    into: F[h, n],
    out: F[n, h]
) -> (F[n], F[n]) =
    let hidden = tanh((p.weight * into) @ x + p.offset)
    (
        (p.shift * out) @ hidden + p.shift_offset,
        3.0 * tanh(((p.log_scale * out) @ hidden + p.log_scale_offset) / 3.0)
    )
# Ones at every second place, from the first on for even layers.
def _every_second[F: Float](layer: i32, like: F[n]) -> F[n] = cast((iota([n]) + layer + 1) % 2, F)
def _coupling[F: Float](p: Conditioner[F, n, h], layer: i32, x: F[n]) -> (F[n], F[n], F[n]) =
    let kept = _every_second(layer, x)
    let (shift, log_scale) = _conditioned(p, kept * x, ones_like(p.weight), ones_like(p.shift))
    (kept, (1.0 - kept) * shift, (1.0 - kept) * log_scale)
# The value of a map and the logarithm of its determinant, layer by layer.
def _coupled[F: Float](params: Conditioner[F, n, h][k], z: F[n]) -> (F[n], F) =
    fold (x, total) = (z, zeros([], F)) for (p, i) in zip(params, iota([k])) do
        let (_, shift, log_scale) = _coupling(p, i, x)
        (x * exp(log_scale) + shift, total + sum(log_scale))
## Affine coupling layers (Dinh, Sohl-Dickstein and Bengio 2017): each scales and shifts every second number by functions of
## the others.
def coupling_flow[F: Float](params: Conditioner[F, n, h][k]) -> Bijector[F, n] =
    let back = tree_map(fn x -> flip(x, axis=0), params)
    {
        start = _coupled(params, zeros([n], F)).0,
        forward = fn z -> _coupled(params, z).0,
        inverse = fn x ->
            fold z = x for (p, i) in zip(back, iota([k])) do
                let (_, shift, log_scale) = _coupling(p, k - 1 - i, z)
                (z - shift) * exp(-log_scale),
        log_det = fn z -> _coupled(params, z).1,
    }
# The masks of a network whose result i depends on the numbers before i alone (Germain et al. 2015), in reverse order for
# odd layers.
def _autoregressive[F: Float](p: Conditioner[F, n, h], layer: i32, x: F[n]) -> (F[n], F[n])
    where n >= 1 =
    let places = iota([n])
    let order = where(layer % 2 == 0, places, n - 1 - places)
    let degrees = iota([h]) % max(n - 1, 1)
    _conditioned(
        p,
        x,
        cast(order[None, :] <= degrees[:, None], F),
        cast(degrees[None, :] < order[:, None], F)
    )
# The value of one layer, number by number: those that come first are right after the first step.
def _regressed[F: Float](p: Conditioner[F, n, h], layer: i32, z: F[n]) -> (F[n], F) where n >= 1 =
    let x = fold x = zeros([n], F) for _ in range(n) do
        let (shift, log_scale) = _autoregressive(p, layer, x)
        z * exp(log_scale) + shift
    (x, sum(_autoregressive(p, layer, x).1))
def _all_regressed[F: Float](params: Conditioner[F, n, h][k], z: F[n]) -> (F[n], F) where n >= 1 =
    fold (x, total) = (z, zeros([], F)) for (p, i) in zip(params, iota([k])) do
        let (next, change) = _regressed(p, i, x)
        (next, total + change)
## Masked autoregressive layers (Papamakarios, Pavlakou and Murray 2017): each number is scaled and shifted by functions of
## those before it. Back from values, where densities are computed, a layer is one step; forward it is one for each number.
def autoregressive_flow[F: Float](params: Conditioner[F, n, h][k]) -> Bijector[F, n] where n >= 1 =
    let back = tree_map(fn x -> flip(x, axis=0), params)
    {
        start = _all_regressed(params, zeros([n], F)).0,
        forward = fn z -> _all_regressed(params, z).0,
        inverse = fn x ->
            fold z = x for (p, i) in zip(back, iota([k])) do
                let (shift, log_scale) = _autoregressive(p, k - 1 - i, z)
                (z - shift) * exp(-log_scale),
        log_det = fn z -> _all_regressed(params, z).1,
    }
## The standard normal distribution of n numbers, through a bijector.
def flow[F: Float](b: Bijector[F, n]) -> Dist[F, n] =
    transformed(normal(zeros([n], F), ones([n], F)), b)
## The parameters with which a family of distributions makes these values most probable, by steps of Adam that become
## shorter, and the mean log density of a value that each step saw.
def maximum_likelihood[F: Float, Q: VSpace[Float]](
    family: (Q) -> Dist[F, *s],
    start: Q,
    data: F[m, *s],
    *,
    static steps: size = 500,
    learning_rate: f32 = 0.02
) -> {params: Q, log_density: F[steps]} where m >= 1 =
    let score = fn q -> sum([family(q).log_density(x) for x in data]) / m
    let ((q, _), scores) =
        scan (q, state) = (start, optim.adam_init(start)) for i in iota([steps]) do
            let (value, slope) = value_and_grad(score)(q)
            let rate = optim.cosine_decay_schedule(i, learning_rate, f32(max(steps, 1)))
            let (step, state) = optim.adam_update(-slope, state, q, learning_rate=rate)
            ((q + step, state), value)
    {params = q, log_density = scores}
## The parameters with which a distribution of a family is nearest to a density, as `advi` finds them for normal ones: of
## flows, or of any family whose draws are smooth functions of the parameters.
def advi_family[F: Float, Q: VSpace[Float]](
    family: (Q) -> Dist[F, *s],
    log_density: (F[*s]) -> F,
    start: Q,
    key: key,
    *,
    static steps: size = 1000,
    static samples: size = 8,
    learning_rate: f32 = 0.02
) -> {params: Q, elbo: F[steps]} where samples >= 1 =
    let bound = fn (q, keys) -> sum([_advantage(log_density, family(q), k) for k in keys]) / samples
    let ((q, _), bounds) =
        scan (q, state) = (start, optim.adam_init(start)) for (i, k) in zip(
            iota([steps]),
            split(key, steps)
        ) do
            let (value, slope) = value_and_grad(bound)(q, split(k, samples))
            let rate = optim.cosine_decay_schedule(i, learning_rate, f32(max(steps, 1)))
            let (step, state) = optim.adam_update(-slope, state, q, learning_rate=rate)
            ((q + step, state), value)
    {params = q, elbo = bounds}
def _advantage[F: Float](log_density: (F[*s]) -> F, d: Dist[F, *s], key: key) -> F =
    let x = d.draw(key)
    log_density(x) - d.log_density(x)

# ---------------------------------------------------------------- diagnostics of chains, in double precision

# Every chain cut into two halves.
def _in_halves(x: f64[c, n]) -> f64[2 * c, n // 2] =
    concatenate((x[:, : n // 2], x[:, n - n // 2 :]))
# The normal quantiles of the ranks of all numbers (Blom 1958).
def _normal_scores(x: f64[c, n]) -> f64[c, n] =
    let order = argsort(ravel(x))
    let ranks = zeros([c * n], f64).at[order].set(iota([c * n], dtype=f64))
    reshape(special.ndtri((ranks + 0.625) / (c * n + 0.25)), [c, n])
# The mean variance within chains, and the variance of all.
def _two_variances(x: f64[c, n]) -> (f64, f64) where c >= 2 and n >= 2 =
    let within = mean(var(x, axis=1, ddof=1))
    (within, within * (n - 1.0) / n + var(mean(x, axis=1), ddof=1))
def _plain_rhat(x: f64[c, n]) -> f64 where c >= 2 and n >= 2 =
    let (within, whole) = _two_variances(x)
    sqrt(whole / within)
## How much wider all chains together are than each: 1 where they agree, the larger of that of the ranks and that of the
## ranks of distances from the median, of chains in halves (Vehtari et al. 2021).
def rhat[F: Float](x: F[c, n]) -> F where c >= 1 and n >= 4 =
    let halves = _in_halves(cast(x, f64))
    let folded = abs(halves - median(halves))
    cast(maximum(_plain_rhat(_normal_scores(halves)), _plain_rhat(_normal_scores(folded))), F)
def _autocovariances(x: f64[c, n]) -> f64[c, n] where n >= 1 =
    let waves = fft.rfft(x - mean(x, axis=1, keepdims=true), 2 * n)
    fft.irfft(waves * conj(waves), 2 * n)[:, :n] / n
# Sums of pairs of autocorrelations, as long as they are positive, and no larger than those before (Geyer 1992).
def _effective_size(x: f64[c, n]) -> f64 where c >= 2 and n >= 4 =
    let (within, whole) = _two_variances(x)
    let rho = (1.0 - (within - mean(_autocovariances(x), axis=0)) / whole).at[0].set(1.0)
    let even = rho[: n // 2 * 2 : 2]
    let pairs = even + rho[1 : n // 2 * 2 : 2]
    let open = cumprod(where(pairs > 0, ones([n // 2], f64), 0.0))
    let next = open * 0.0 + where((cumsum(1.0 - open) == 1) & (even > 0), even, 0.0)
    let time = -1.0 + 2.0 * sum(open * cummin(pairs)) + sum(next)
    c * n / maximum(time, 1.0 / log10(1.0 * c * n))
## How many independent draws estimate the mean of these as well, by the autocorrelations of chains.
def ess_mean[F: Float](x: F[c, n]) -> F where c >= 1 and n >= 8 =
    cast(_effective_size(_in_halves(cast(x, f64))), F)
## That of the ranks: of the bulk of the distribution (Vehtari et al. 2021).
def ess_bulk[F: Float](x: F[c, n]) -> F where c >= 1 and n >= 8 =
    cast(_effective_size(_normal_scores(_in_halves(cast(x, f64)))), F)
## The smaller of those of the shares below the quantiles 0.05 and 0.95: of the tails.
def ess_tail[F: Float](x: F[c, n]) -> F where c >= 1 and n >= 8 =
    let halves = _in_halves(cast(x, f64))
    let of_share = fn q -> _effective_size(
        where(halves <= quantile(halves, q), ones(halves.shape, f64), 0.0)
    )
    cast(minimum(of_share(0.05), of_share(0.95)), F)
## The standard error of the mean of the draws of chains.
def mcse_mean[F: Float](x: F[c, n]) -> F where c >= 1 and n >= 8 =
    std(x, ddof=1) / sqrt(ess_mean(x))
## All of these.
def summary[F: Float](x: F[c, n]) -> {mean: F, sd: F, mcse: F, ess_bulk: F, ess_tail: F, rhat: F}
    where c >= 1 and n >= 8 =
    {
        mean = mean(x),
        sd = std(x, ddof=1),
        mcse = mcse_mean(x),
        ess_bulk = ess_bulk(x),
        ess_tail = ess_tail(x),
        rhat = rhat(x)
    }

# ---------------------------------------------------------------- importance weights

# How many of the largest weights are smoothed.
static def _tail_size(n: int) -> int = max(min(n // 5, int(ceil(3.0 * n ** 0.5))), 5)
## Logarithms of importance weights, whose largest are replaced by quantiles of a generalised Pareto distribution that is
## fitted to them, so that their sum is 1; and its shape, above 0.7 where the weights are not to be trusted (Vehtari et al.
## 2024).
def psis[F: Float](log_ratios: F[n]) -> (F[n], F) where n >= 25 =
    let m = _tail_size(n)
    let logs = log_ratios - max(log_ratios)
    let order = argsort(logs)
    let sorted = logs[order]
    let cut = sorted[n - m - 1]
    let tail = exp(sorted[n - m :]) - exp(cut)
    let (k, sigma) = _pareto_fit(tail)
    let p = (iota([m], dtype=F) + 0.5) / m
    let quantiles = where(
        abs(k) < 1e-6,
        -sigma * log1p(-p),
        sigma / where(abs(k) < 1e-6, 1.0, k) * expm1(-k * log1p(-p))
    )
    let smoothed = minimum(log(quantiles + exp(cut)), 0.0)
    let all = zeros([n], F).at[order].set(
        concatenate((sorted[: n - m], where(tail[m - 1] > 0, smoothed, sorted[n - m :])))
    )
    (all - logsumexp(all), where(tail[m - 1] > 0, k, -inf))
# Shape and scale, by the mean of a profile posterior (Zhang and Stephens 2009), drawn to a shape of 0.5.
def _pareto_fit[F: Float](x: F[m]) -> (F, F) where m >= 5 =
    let count = 30 + int(floor(1.0 * m ** 0.5))
    let last = where(x[m - 1] > 0, x[m - 1], 1.0)
    let quarter = maximum(x[(m + 2) // 4 - 1], 1e-3 * last)
    let places = iota([count], dtype=F) + 0.5
    let thetas = 1.0 / last + (1.0 - sqrt(count / places)) / (3.0 * quarter)
    let shapes = [mean(log1p(-t * x)) for t in thetas]
    let scores = m * (log(-thetas / shapes) - shapes - 1.0)
    let theta = sum(thetas * exp(scores - logsumexp(scores)))
    let k = mean(log1p(-theta * x))
    ((k * m + 5.0) / (m + 10.0), -k / theta)
## The expected log density of each observation given the others, from the log densities of all draws (rows) and
## observations (columns), by smoothed importance weights (Vehtari, Gelman and Gabry 2017); their sum, its standard error,
## and the shapes of the weights.
def loo[F: Float](log_likelihood: F[s, n]) -> {
    elpd: F,
    standard_error: F,
    pointwise: F[n],
    shapes: F[n]
} where s >= 25 and n >= 2 =
    let (points, shapes) = [_left_out(column) for column in log_likelihood.T]
    {
        elpd = sum(points),
        standard_error = sqrt(n * var(points, ddof=1)),
        pointwise = points,
        shapes = shapes
    }
def _left_out[F: Float](logs: F[s]) -> (F, F) where s >= 25 =
    let (weights, shape) = psis(-logs)
    (logsumexp(weights + logs), shape)
