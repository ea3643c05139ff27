# Random numbers: threefry keys, used once each. Draws are those of jax.random for the same key data, but for `poisson`
# and `binomial`.

import special

# ---------------------------------------------------------------- keys

## A key from a seed.
def key(seed: i32) -> key = intrinsic.key(seed)
## num new keys; the old one is gone.
def split(key: key, static num: size = 2) -> key[num] = intrinsic.split(key, num=num)
## The key that belongs to this integer.
@new_key(key, data)
def fold_in(key: key, data: i32) -> key = intrinsic.fold_in(key, data)

# ---------------------------------------------------------------- uniform draws

## Uniform bits, of an unsigned dtype.
def bits(key: key, static shape: shape = [], static dtype: Int = u32) -> dtype[*shape]
    where dtype in (u8, u16, u32, u64) else "bits come as unsigned integers" =
    intrinsic.bits(key, shape=shape, dtype=dtype)
## Uniform in minval <= x < maxval.
def uniform(
    key: key,
    static shape: shape = [],
    static dtype: Float = f32,
    minval: dtype = 0.0,
    maxval: dtype = 1.0
) -> dtype[*shape] =
    maximum(minval, _unit(key, shape, dtype) * (maxval - minval) + minval)
## Integers, uniform in minval <= i < maxval: indices of an axis where these are static numbers that lie within it.
@within(minval, maxval)
def randint(key: key, static shape: shape, static minval: int, static maxval: int) -> i32[*shape]
    where minval < maxval
    where minval >= -2 ** 31 and maxval < 2 ** 31 else "both ends are numbers of an i32" =
    clip(_integers(key, shape, cast(minval, i32), cast(maxval, i32)), minval, maxval - 1)
## The same; minval where there are none.
def randint(key: key, static shape: shape, minval: i32, maxval: i32) -> i32[*shape] =
    _integers(key, shape, minval, maxval)
# Two words for each, so that the remainder is nearly uniform.
def _integers(key: key, static shape: shape, minval: i32, maxval: i32) -> i32[*shape] =
    let keys = split(key)
    let span = where(maxval <= minval, cast(1, u32), cast(maxval - minval, u32))
    let factor = cast(65536, u32) % span
    let scaled = bits(keys[0], shape) % span * (factor * factor % span)
    minval + cast((scaled + bits(keys[1], shape) % span) % span, i32)
## True with probability p.
def bernoulli[F: Float](key: key, p: F = 0.5, static shape: shape = []) -> bool[*shape] =
    _unit(key, shape, F) < p
## -1 or 1.
def rademacher(key: key, static shape: shape = [], static dtype: Num = i32) -> dtype[*shape] =
    cast(bernoulli(key, 0.5, shape), dtype) * 2 - 1
## An index, with probabilities proportional to exp(logits) along the last axis.
def categorical[a: Float](
    key: key,
    logits: a[*s, n],
    static shape: shape = []
) -> idx[n][*broadcasted(s, shape)] where n >= 1 =
    let noise = gumbel(key, [*broadcasted(s, shape), n], a)
    argmax(noise + _spread(logits, [*broadcasted(s, shape), n]), axis=-1)
## The rows of x in random order.
@elements(x)
def shuffle[a: Any](key: key, x: a[n, *s]) -> a[n, *s] = _rows(x, permutation(key, n))
## 0, …, x - 1 in random order.
def permutation(key: key, static x: size) -> idx[x][x] =
    _sorted_by_chance(key, arange(x), _rounds(x))
## The rows of x in random order.
@elements(x)
def permutation[a: Any](key: key, x: a[n, *s]) -> a[n, *s] = shuffle(key, x)
# Sorted by random words, often enough to make ties unlikely: rounds are at least log(n³) / log(2^32 - 1).
def _sorted_by_chance(key: key, order: idx[n][n], static rounds: int) -> idx[n][n] =
    if rounds == 0 then order
    else
        let keys = split(key)
        _sorted_by_chance(keys[0], order[argsort(bits(keys[1], [n]))], rounds - 1)
static def _rounds(n: int) -> int =
    if n <= 1 then 0 else if n <= 1625 then 1 else if n <= 2642245 then 2 else 3
## Numbers below a at random.
def choice(
    key: key,
    static a: size,
    static shape: shape = [],
    static replace: bool = true
) -> idx[a][*shape]
    where a >= 1 and (replace or extent(shape, none) <= a) =
    if replace then _below(key, shape, a) else _cut(permutation(key, a), shape)
## Elements of a at random.
@elements(a)
def choice[a: Any](
    key: key,
    a: a[n],
    static shape: shape = [],
    static replace: bool = true
) -> a[*shape]
    where n >= 1 and (replace or extent(shape, none) <= n) =
    _some(a, choice(key, n, shape, replace))
## Numbers below a at random, with probabilities p.
def choice[b: Float](
    key: key,
    static a: size,
    static shape: shape = [],
    static replace: bool = true,
    *,
    p: b[a]
) -> idx[a][*shape]
    where a >= 1 and (replace or extent(shape, none) <= a) =
    if replace then _drawn(key, p, shape)
    else _cut(argsort(-gumbel(key, [a], b) - log(p)), shape)
## Elements of a at random, with probabilities p.
@elements(a)
def choice[a: Any, b: Float](
    key: key,
    a: a[n],
    static shape: shape = [],
    static replace: bool = true,
    *,
    p: b[n]
) -> a[*shape]
    where n >= 1 and (replace or extent(shape, none) <= n) =
    _some(a, choice(key, n, shape, replace, p=p))
def _drawn[b: Float](key: key, p: b[n], static shape: shape) -> idx[n][*shape] where n >= 1 =
    let total = cumsum(p, axis=0)
    clip(searchsorted(total, total[n - 1] * (1.0 - uniform(key, shape, b))), 0, n - 1)
def _below(key: key, static shape: shape, static n: size) -> idx[n][*shape] where n >= 1 =
    randint(key, shape, 0, n)
def _some[a: Any](x: a[n], i: idx[n][*s]) -> a[*s] = intrinsic.take(x, i, axis=0)
def _rows[a: Any](x: a[n, *s], i: idx[n][n]) -> a[n, *s] = intrinsic.take(x, i, axis=0)
def _cut(order: idx[n][n], static shape: shape) -> idx[n][*shape] where extent(shape, none) <= n =
    intrinsic.reshape(order[:extent(shape, none)], shape=shape)
def _unit(key: key, static shape: shape, static dtype: Float) -> dtype[*shape] =
    _between(key, shape, dtype, 0.0, 1.0)
def _between(
    key: key,
    static shape: shape,
    static dtype: Float,
    static low: float,
    static high: float
) -> dtype[*shape] =
    let unit = _fraction(key, shape, dtype)
    if low == 0.0 and high == 1.0 then unit
    else maximum(cast(low, dtype), unit * (cast(high, dtype) - cast(low, dtype)) + cast(low, dtype))
# As many random bits as the mantissa has.
def _fraction(key: key, static shape: shape, static dtype: Float) -> dtype[*shape] =
    if dtype == f64 then cast(bits(key, shape, u64) >> 12, dtype) * 2.0 ** -52
    else if dtype == f32 then cast(bits(key, shape, u32) >> 9, dtype) * 2.0 ** -23
    else if dtype == f16 then cast(bits(key, shape, u16) >> 6, dtype) * 2.0 ** -10
    else cast(bits(key, shape, u8) >> 1, dtype) * 2.0 ** -7
# The least number above 0 without loss of digits, and the distance from 1 to the number below.
static def _tiny(d: dtype) -> float =
    if d == f64 then
        2.2250738585072014e-308
    else if d == f16 then
        6.103515625e-05
    else
        1.1754943508222875e-38
static def _step(d: dtype) -> float =
    if d == f64 then
        2.0 ** -53
    else if d == f32 then
        2.0 ** -24
    else if d == f16 then
        2.0 ** -11
    else
        2.0 ** -8

# ---------------------------------------------------------------- normal draws and related ones

## Standard normal: sqrt(2) erf_inv(u), u uniform in (-1, 1).
def normal(key: key, static shape: shape = [], static dtype: Float = f32) -> dtype[*shape] =
    sqrt(2.0) * erf_inv(_between(key, shape, dtype, _step(dtype) - 1.0, 1.0))
## Normal, cut off to lower < x < upper.
def truncated_normal(
    key: key,
    lower: dtype,
    upper: dtype,
    static shape: shape = [],
    static dtype: Float = f32
) -> dtype[*shape] =
    let u = uniform(key, shape, dtype, minval=erf(lower / sqrt(2.0)), maxval=erf(upper / sqrt(2.0)))
    clip(sqrt(2.0) * erf_inv(u), _after(lower, inf), _after(upper, -inf))
## exp(sigma z), z standard normal.
def lognormal(
    key: key,
    sigma: dtype = 1.0,
    static shape: shape = [],
    static dtype: Float = f32
) -> dtype[*shape] =
    exp(normal(key, shape, dtype) * sigma)
## Normal with this mean and covariance.
def multivariate_normal[a: Float](
    key: key,
    mean: a[n],
    cov: a[n, n],
    static shape: shape = []
) -> a[*shape, n] =
    mean + normal(key, [*shape, n], a) @ matrix_transpose(_factor(cov))
def _factor[a: Float](x: a[n, n]) -> a[n, n] = intrinsic.cholesky(x)
@no_derivative
def _after[a: Float](x: a, y: a) -> a = intrinsic.nextafter(x, y)
## The length of three standard normal numbers.
def maxwell(key: key, static shape: shape = [], static dtype: Float = f32) -> dtype[*shape] =
    sqrt(sum(square(normal(key, [*shape, 3], dtype)), axis=-1))
## scale sqrt(-2 log(u)).
def rayleigh(
    key: key,
    scale: dtype,
    static shape: shape = [],
    static dtype: Float = f32
) -> dtype[*shape] =
    scale * sqrt(-2.0 * log(_unit(key, shape, dtype)))

# ---------------------------------------------------------------- other distributions

## With density exp(-x), x >= 0.
def exponential(key: key, static shape: shape = [], static dtype: Float = f32) -> dtype[*shape] =
    -log1p(-_unit(key, shape, dtype))
## With distribution function exp(-exp(-x)).
def gumbel(key: key, static shape: shape = [], static dtype: Float = f32) -> dtype[*shape] =
    -log(-log(_between(key, shape, dtype, _tiny(dtype), 1.0)))
## With density exp(-|x|) / 2.
def laplace(key: key, static shape: shape = [], static dtype: Float = f32) -> dtype[*shape] =
    let u = _between(key, shape, dtype, _step(dtype) - 1.0, 1.0)
    sign(u) * log1p(-abs(u))
## With distribution function sigmoid(x).
def logistic(key: key, static shape: shape = [], static dtype: Float = f32) -> dtype[*shape] =
    let u = _between(key, shape, dtype, _tiny(dtype), 1.0)
    log(u) - log1p(-u)
## With density 1 / (pi (1 + x²)).
def cauchy(key: key, static shape: shape = [], static dtype: Float = f32) -> dtype[*shape] =
    tan(pi * (_between(key, shape, dtype, 2.0 * _step(dtype), 1.0) - 0.5))
## exp(e / b), e exponential: with density b / x^(b + 1), x >= 1.
def pareto(
    key: key,
    b: dtype,
    static shape: shape = [],
    static dtype: Float = f32
) -> dtype[*shape] =
    exp(exponential(key, shape, dtype) / b)
## scale (-log(1 - u))^(1 / concentration).
def weibull_min(
    key: key,
    scale: dtype,
    concentration: dtype,
    static shape: shape = [],
    static dtype: Float = f32
) -> dtype[*shape] =
    scale * power(-log1p(-_unit(key, shape, dtype)), 1.0 / concentration)
# Accepted by chance from the cube of a normal number (Marsaglia and Tsang 2000); below 1, that of a + 1 times a power of
# a uniform number. The derivative is that of the quantile: -dP/da over the density, P the distribution function.
## The logarithm of `gamma`, which is exact where that is too near 0. A draw takes about one round of a loop.
def loggamma(
    key: key,
    a: dtype[*s],
    static shape: shape = [],
    static dtype: Float = f32
) -> dtype[*broadcasted(s, shape)] =
    let rates = _spread(a, broadcasted(s, shape))
    let drawn = [
        _log_gamma_draw(k, stop_gradient(v))
        for k, v in zip(split(key, extent(broadcasted(s, shape), none)), ravel(rates))
    ]
    custom_jvp(
        fn (a, y) -> y,
        fn (p, t) -> (p.1, t.1 + _slope(p.0, p.1, t.0))
    )(rates, reshape(drawn, broadcasted(s, shape)))
def _slope[a: Float](rate: a[*s], y: a[*s], tangent: a[*s]) -> a[*s] =
    let density = exp(rate * y - exp(y) - special.gammaln(rate))
    -jvp(fn r -> special.gammainc(r, exp(y)), (rate,), (tangent,)).1 / density
def _log_gamma_draw[a: Float](key: key, rate: a) -> a =
    let keys = split(key)
    let large = where(rate >= 1, rate, rate + 1.0)
    let power = -exponential(keys[1], [], a)
    let d = large - 1.0 / 3.0
    log(d) + log(_cube(keys[0], d)) + where((rate >= 1) | (power == 0), 0.0, power / rate)
def _cube[a: Float](key: key, d: a) -> a =
    let (_, _, cube, _) = iterate (key, square, cube, u) = (
        key,
        zeros([], a),
        ones([], a),
        cast(2, a)
    )
        while (u >= 1.0 - 0.0331 * square * square) & (
            log(u) >= 0.5 * square + d * (1.0 - cube + log(cube))
        ) limit 1000 do
            let keys = split(key, 3)
            let (_, x, v) =
                iterate (key, x, v) = (
                    keys[1],
                    zeros([], a),
                    cast(-1, a)
                ) while v <= 0 limit 1000 do
                    let (key, now) = split(key)
                    let x = normal(now, [], a)
                    (key, x, 1.0 + x / (3.0 * sqrt(d)))
            (keys[0], x * x, v * v * v, uniform(keys[2], [], a))
    cube
## With density x^(a - 1) exp(-x) / Γ(a), x >= 0.
def gamma(
    key: key,
    a: dtype[*s],
    static shape: shape = [],
    static dtype: Float = f32
) -> dtype[*broadcasted(s, shape)] =
    exp(loggamma(key, a, shape, dtype))
## With density proportional to x^(a - 1) (1 - x)^(b - 1), 0 <= x <= 1.
def beta(
    key: key,
    a: dtype[*s],
    b: dtype[*t],
    static shape: shape = [],
    static dtype: Float = f32
) -> dtype[*broadcasted(broadcasted(s, t), shape)] =
    let keys = split(key)
    let all = broadcasted(broadcasted(s, t), shape)
    sigmoid(
        loggamma(keys[0], _spread(a, all), [], dtype)
        - loggamma(keys[1], _spread(b, all), [], dtype)
    )
## Shares that add up to 1 along the last axis, with density proportional to the product of x^(alpha - 1).
def dirichlet(
    key: key,
    alpha: dtype[*s, n],
    static shape: shape = [],
    static dtype: Float = f32
) -> dtype[*broadcasted(s, shape), n] =
    let logs = loggamma(key, _spread(alpha, [*broadcasted(s, shape), n]), [], dtype)
    exp(logs - logsumexp(logs, axis=-1, keepdims=true))
## The sum of df squares of standard normal numbers.
def chisquare(
    key: key,
    df: dtype[*s],
    static shape: shape = [],
    static dtype: Float = f32
) -> dtype[*broadcasted(s, shape)] =
    2.0 * gamma(key, df / 2.0, shape, dtype)
## Student's t with df degrees of freedom.
def t(
    key: key,
    df: dtype[*s],
    static shape: shape = [],
    static dtype: Float = f32
) -> dtype[*broadcasted(s, shape)] =
    let keys = split(key)
    let half = _spread(df, broadcasted(s, shape)) / 2.0
    normal(keys[0], broadcasted(s, shape), dtype) * sqrt(half / gamma(keys[1], half, [], dtype))

# ---------------------------------------------------------------- counts

# Below 10 uniform numbers are multiplied until they fall below exp(-lam) (Knuth 1969), from there on by transformed
# rejection (Hörmann 1993).
## A count of events that are expected lam times; -1 for a lam below 0. The loop has as many rounds as the largest of the counts below 10, or
## the unluckiest element needs.
@zero_derivative
def poisson[F: Float](
    key: key,
    lam: F[*s],
    static shape: shape = [],
    static dtype: Int = i32
) -> dtype[*broadcasted(s, shape)] =
    let keys = split(key)
    let rate = _spread(lam, broadcasted(s, shape))
    let few = ~(rate >= 10)
    cast(
        where(
            few,
            _counted(keys[0], where(few, rate, 0.0)),
            _rejected(keys[1], where(few, 1e4, rate))
        ),
        dtype
    )
def _counted[F: Float](key: key, rate: F[*s]) -> F[*s] =
    let (_, count, _) =
        iterate (key, count, total) = (
            key,
            full(s, cast(-1.0, F)),
            zeros(s, F)
        ) while any(total >= -rate) limit 10000 do
            let (key, now) = split(key)
            (key, where(total >= -rate, count + 1.0, count), total + log(1.0 - uniform(now, s, F)))
    count
def _rejected[F: Float](key: key, rate: F[*s]) -> F[*s] =
    let b = 0.931 + 2.53 * sqrt(rate)
    let a = 0.02483 * b - 0.059
    let (_, _, found) =
        iterate (key, open, found) = (
            key,
            full(s, true),
            zeros(s, F)
        ) while any(open) limit 10000 do
            let keys = split(key, 3)
            let u = uniform(keys[1], s, F) - 0.5
            let v = uniform(keys[2], s, F)
            let edge = 0.5 - abs(u)
            let k = floor((2.0 * a / edge + b) * u + rate + 0.43)
            let quick = (edge >= 0.07) & (v <= 0.9277 - 3.6224 / (b - 2.0))
            let outside = (k < 0) | ((edge < 0.013) & (v > edge))
            let chance = log(v * (1.1239 + 1.1328 / (b - 3.4)) / (a / (edge * edge) + b))
            let taken =
                quick | (~outside & (chance <= k * log(rate) - rate - special.gammaln(k + 1.0)))
            (keys[0], open & ~taken, where(open & taken, k, found))
    found
# For the rarer of the two outcomes q: up to 10 of it are counted by the gaps between them, which are geometric (Devroye
# 1986); more by transformed rejection (Hörmann 1993, BTRS).
## How often of n trials the outcome of probability p comes; nan for a p that is not between 0 and 1, or an n below 0. The
## loop has as many rounds as the largest of the counts up to about 10, or the unluckiest element needs.
@zero_derivative
def binomial(
    key: key,
    n: dtype[*s],
    p: dtype[*t],
    static shape: shape = [],
    static dtype: Float = f32
) -> dtype[*broadcasted(broadcasted(s, t), shape)] =
    let all = broadcasted(broadcasted(s, t), shape)
    let (trials, chance) = (floor(_spread(n, all)), _spread(p, all))
    let right = (trials >= 0) & (chance >= 0) & (chance <= 1)
    let q = where(right, minimum(chance, 1.0 - chance), 0.0)
    let few = trials * q <= 10
    let keys = split(key)
    let small = _gaps(keys[0], where(right & few, trials, 0.0), q)
    let count = where(
        few,
        small,
        _rejected_trials(keys[1], where(few, 1e4, trials), where(few, 0.5, q))
    )
    where(right, where(chance > 0.5, trials - count, count), nan)
def _gaps[a: Float](key: key, trials: a[*s], q: a[*s]) -> a[*s] =
    let (_, count, _) =
        iterate (key, count, last) = (
            key,
            full(s, cast(-1, a)),
            zeros(s, a)
        ) while any(last <= trials) limit 10000 do
            let (key, now) = split(key)
            let gap = where(q > 0, ceil(log(1.0 - uniform(now, s, a)) / log1p(-q)), inf)
            (key, where(last <= trials, count + 1.0, count), last + maximum(gap, 1.0))
    count
def _rejected_trials[a: Float](key: key, trials: a[*s], q: a[*s]) -> a[*s] =
    let spread = sqrt(trials * q * (1.0 - q))
    let b = 1.15 + 2.53 * spread
    let slope = 0.0248 * b + 0.01 * q - 0.0873
    let top = floor((trials + 1.0) * q)
    let odds = q / (1.0 - q)
    let (_, _, found) =
        iterate (key, open, found) = (
            key,
            full(s, true),
            zeros(s, a)
        ) while any(open) limit 10000 do
            let keys = split(key, 3)
            let u = uniform(keys[1], s, a) - 0.5
            let v = uniform(keys[2], s, a)
            let edge = 0.5 - abs(u)
            let k = floor((2.0 * slope / edge + b) * u + trials * q + 0.5)
            let outside = (k < 0) | (k > trials)
            let inner = where(outside, top, k)
            let chance = log(v * (2.83 + 5.1 / b) * spread / (slope / (edge * edge) + b))
            let ratio =
                _log_choices(trials, inner) - _log_choices(trials, top) + (inner - top) * log(odds)
            let taken = ~outside & (((edge >= 0.07) & (v <= 0.92 - 4.2 / b)) | (chance <= ratio))
            (keys[0], open & ~taken, where(open & taken, k, found))
    found
# The logarithm of a binomial coefficient, where large terms cancel: by betaln, which knows.
def _log_choices[a: Float](n: a[*s], k: a[*s]) -> a[*s] =
    let few = minimum(k, n - k)
    -log1p(n) - special.betaln(n - few + 1.0, few + 1.0)
## How many failures come before n successes of probability p: Poisson, with a rate that is distributed as gamma.
@zero_derivative
def negative_binomial[F: Float](
    key: key,
    n: F[*s],
    p: F[*t],
    static shape: shape = [],
    static dtype: Int = i32
) -> dtype[*broadcasted(broadcasted(s, t), shape)] =
    let all = broadcasted(broadcasted(s, t), shape)
    let keys = split(key)
    let (successes, chance) = (_spread(n, all), _spread(p, all))
    poisson(keys[0], gamma(keys[1], successes, [], F) * (1.0 - chance) / chance, [], dtype)
# One outcome after the other, among the trials that are left.
## How often each of the outcomes along the last axis comes in n trials with these probabilities.
@zero_derivative
def multinomial(
    key: key,
    n: dtype[*s],
    p: dtype[*s, m],
    static shape: shape = [],
    static dtype: Float = f32
) -> dtype[*broadcasted(s, shape), m] where m >= 1 =
    let all = broadcasted(s, shape)
    let many = extent(all, none)
    let chance = matrix_transpose(reshape(_spread(p, [*all, m]), [many, m]))
    let left = cumsum(chance, axis=0, reverse=true)
    let (rest, counts) =
        scan rest = ravel(_spread(n, all)) for (q, total, k) in zip(
            chance[: m - 1],
            left[: m - 1],
            split(key, m - 1)
        ) do
            let count = binomial(
                k,
                rest,
                where(total > 0, clip(q / where(total > 0, total, 1.0), 0.0, 1.0), 0.0),
                [],
                dtype
            )
            (rest - count, count)
    reshape(matrix_transpose(concatenate((counts, rest[None]))), [*all, m])
# From the factor that the sum of the outer products has (Bartlett 1933).
## The sum of df outer products of normal vectors whose covariance is `scale`; df is more than n - 1.
def wishart[a: Float](key: key, df: a, scale: a[n, n]) -> a[n, n] =
    let keys = split(key)
    let squares = chisquare(keys[0], df - iota([n], dtype=a), [], a)
    let factor = tril(normal(keys[1], [n, n], a), -1) + diag(sqrt(squares))
    let root = _factor(scale) @ factor
    root @ root.T
# Rejection from a wrapped Cauchy distribution (Best and Fisher 1979).
## An angle between -pi and pi, with density proportional to exp(kappa cos(x)).
@zero_derivative
def von_mises(
    key: key,
    kappa: dtype[*s],
    static shape: shape = [],
    static dtype: Float = f32
) -> dtype[*broadcasted(s, shape)] =
    let k = _spread(kappa, broadcasted(s, shape))
    let near = maximum(k, 1e-3)
    let tau = 1.0 + sqrt(1.0 + 4.0 * near * near)
    let rho = (tau - sqrt(2.0 * tau)) / (2.0 * near)
    let large = 0.5 * (1.0 + rho * rho) / rho
    let (_, _, found) =
        iterate (key, open, found) = (
            key,
            full(k.shape, true),
            zeros(k.shape, dtype)
        ) while any(open) limit 10000 do
            let keys = split(key, 4)
            let z = cos(pi * uniform(keys[1], k.shape, dtype))
            let f = clip((1.0 + large * z) / (large + z), -1.0, 1.0)
            let c = near * (large - f)
            let u = 1.0 - uniform(keys[2], k.shape, dtype)
            let taken = (c * (2.0 - c) > u) | (log(c / u) + 1.0 >= c)
            let angle = where(uniform(keys[3], k.shape, dtype) < 0.5, -acos(f), acos(f))
            (keys[0], open & ~taken, where(open & taken, angle, found))
    found
## Skew normal: with density 2 φ(x) Φ(alpha x), φ and Φ those of the normal distribution.
def skew_normal(
    key: key,
    alpha: dtype[*s],
    static shape: shape = [],
    static dtype: Float = f32
) -> dtype[*broadcasted(s, shape)] =
    let keys = split(key)
    let all = broadcasted(s, shape)
    let slope = _spread(alpha, all)
    (slope * abs(normal(keys[0], all, dtype)) + normal(keys[1], all, dtype)) / sqrt(
        1.0 + slope * slope
    )
