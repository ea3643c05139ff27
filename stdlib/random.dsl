# Random numbers: threefry keys, used once each. Draws are those of jax.random for the same key data.

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
def bits(key: key, static shape: shape = [], static dtype: Int = u32) -> dtype[*shape] = intrinsic.bits(key, shape=shape, dtype=dtype)
## Uniform in minval <= x < maxval.
def uniform(key: key, static shape: shape = [], static dtype: Float = f32, minval: dtype = 0.0, maxval: dtype = 1.0) -> dtype[*shape] =
    maximum(minval, _unit(key, shape, dtype) * (maxval - minval) + minval)
# Two words for each, so that the remainder is nearly uniform.
## Integers, uniform in minval <= i < maxval; minval where there are none.
def randint(key: key, static shape: shape, minval: i32, maxval: i32) -> i32[*shape] =
    let keys = split(key)
    let span = where(maxval <= minval, cast(1, u32), cast(maxval - minval, u32))
    let factor = cast(65536, u32) % span
    let scaled = bits(keys[0], shape) % span * (factor * factor % span)
    minval + cast((scaled + bits(keys[1], shape) % span) % span, i32)
## True with probability p.
def bernoulli(key: key, p: f32 = 0.5, static shape: shape = []) -> bool[*shape] = _unit(key, shape, f32) < p
## -1 or 1.
def rademacher(key: key, static shape: shape = [], static dtype: Num = i32) -> dtype[*shape] =
    cast(bernoulli(key, 0.5, shape), dtype) * 2 - 1
## An index, with probabilities proportional to exp(logits) along the last axis.
def categorical[a: Float](key: key, logits: a[*s, n], static shape: shape = []) -> idx[n][*broadcasted(s, shape)] where n >= 1 =
    let noise = gumbel(key, [*broadcasted(s, shape), n], a)
    argmax(noise + _spread(logits, [*broadcasted(s, shape), n]), axis=-1)
def _spread[a: Any](x: a[*s], static shape: shape) -> a[*shape] = intrinsic.broadcast_to(x, shape=shape)
## The rows of x in random order.
def shuffle[a: Any](key: key, x: a[n, *s]) -> a[n, *s] = _rows(x, permutation(key, n))
## 0, …, x - 1 in random order.
def permutation(key: key, static x: size) -> idx[x][x] = _sorted_by_chance(key, arange(x), _rounds(x))
## The rows of x in random order.
def permutation[a: Any](key: key, x: a[n, *s]) -> a[n, *s] = shuffle(key, x)
# Sorted by random words, often enough to make ties unlikely: rounds are at least log(n³) / log(2^32 - 1).
def _sorted_by_chance(key: key, order: idx[n][n], static rounds: int) -> idx[n][n] =
    if rounds == 0 then order
    else
        let keys = split(key)
        _sorted_by_chance(keys[0], order[argsort(bits(keys[1], [n]))], rounds - 1)
static def _rounds(n: int) -> int = if n <= 1 then 0 else if n <= 1625 then 1 else if n <= 2642245 then 2 else 3
## Numbers below a at random.
def choice(key: key, static a: size, static shape: shape = [], static replace: bool = true) -> idx[a][*shape]
    where a >= 1 and (replace or extent(shape, none) <= a) =
    if replace then _below(key, shape, a) else _cut(permutation(key, a), shape)
## Elements of a at random.
def choice[a: Any](key: key, a: a[n], static shape: shape = [], static replace: bool = true) -> a[*shape]
    where n >= 1 and (replace or extent(shape, none) <= n) =
    _some(a, choice(key, n, shape, replace))
## Numbers below a at random, with probabilities p.
def choice[b: Float](key: key, static a: size, static shape: shape = [], static replace: bool = true, *, p: b[a]) -> idx[a][*shape]
    where a >= 1 and (replace or extent(shape, none) <= a) =
    if replace then _drawn(key, p, shape)
    else _cut(argsort(-gumbel(key, [a], b) - log(p)), shape)
## Elements of a at random, with probabilities p.
def choice[a: Any, b: Float](key: key, a: a[n], static shape: shape = [], static replace: bool = true, *, p: b[n]) -> a[*shape]
    where n >= 1 and (replace or extent(shape, none) <= n) =
    _some(a, choice(key, n, shape, replace, p=p))
def _drawn[b: Float](key: key, p: b[n], static shape: shape) -> idx[n][*shape] where n >= 1 =
    let total = cumsum(p, axis=0)
    clip(searchsorted(total, total[n - 1] * (1.0 - uniform(key, shape, b))), 0, n - 1)
def _below(key: key, static shape: shape, static n: size) -> idx[n][*shape] where n >= 1 =
    clip(randint(key, shape, 0, n), 0, n - 1)
def _some[a: Any](x: a[n], i: idx[n][*s]) -> a[*s] = intrinsic.take(x, i, axis=0)
def _rows[a: Any](x: a[n, *s], i: idx[n][n]) -> a[n, *s] = intrinsic.take(x, i, axis=0)
def _cut(order: idx[n][n], static shape: shape) -> idx[n][*shape] where extent(shape, none) <= n =
    intrinsic.reshape(order[:extent(shape, none)], shape=shape)
def _unit(key: key, static shape: shape, static dtype: Float) -> dtype[*shape] = _between(key, shape, dtype, 0.0, 1.0)
def _between(key: key, static shape: shape, static dtype: Float, static low: float, static high: float) -> dtype[*shape] =
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
    if d == f64 then 2.2250738585072014e-308 else if d == f16 then 6.103515625e-05 else 1.1754943508222875e-38
static def _step(d: dtype) -> float =
    if d == f64 then 2.0 ** -53 else if d == f32 then 2.0 ** -24 else if d == f16 then 2.0 ** -11 else 2.0 ** -8

# ---------------------------------------------------------------- normal draws and related ones

## Standard normal: sqrt(2) erf_inv(u), u uniform in (-1, 1).
def normal(key: key, static shape: shape = [], static dtype: Float = f32) -> dtype[*shape] = sqrt(2.0) * erf_inv(_between(key, shape, dtype, _step(dtype) - 1.0, 1.0))
## Normal, cut off to lower < x < upper.
def truncated_normal(key: key, lower: dtype, upper: dtype, static shape: shape = [], static dtype: Float = f32) -> dtype[*shape] =
    let u = uniform(key, shape, dtype, minval=erf(lower / sqrt(2.0)), maxval=erf(upper / sqrt(2.0)))
    clip(sqrt(2.0) * erf_inv(u), _after(lower, inf), _after(upper, -inf))
## exp(sigma z), z standard normal.
def lognormal(key: key, sigma: dtype = 1.0, static shape: shape = [], static dtype: Float = f32) -> dtype[*shape] = exp(normal(key, shape, dtype) * sigma)
## Normal with this mean and covariance.
def multivariate_normal[a: Float](key: key, mean: a[n], cov: a[n, n], static shape: shape = []) -> a[*shape, n] =
    mean + normal(key, [*shape, n], a) @ matrix_transpose(_factor(cov))
def _factor[a: Float](x: a[n, n]) -> a[n, n] = intrinsic.cholesky(x)
@no_derivative
def _after[a: Float](x: a, y: a) -> a = intrinsic.nextafter(x, y)
## The length of three standard normal numbers.
def maxwell(key: key, static shape: shape = [], static dtype: Float = f32) -> dtype[*shape] =
    sqrt(sum(square(normal(key, [*shape, 3], dtype)), axis=-1))
## scale sqrt(-2 log(u)).
def rayleigh(key: key, scale: dtype, static shape: shape = [], static dtype: Float = f32) -> dtype[*shape] =
    scale * sqrt(-2.0 * log(_unit(key, shape, dtype)))

# ---------------------------------------------------------------- other distributions

## With density exp(-x), x >= 0.
def exponential(key: key, static shape: shape = [], static dtype: Float = f32) -> dtype[*shape] = -log1p(-_unit(key, shape, dtype))
## With distribution function exp(-exp(-x)).
def gumbel(key: key, static shape: shape = [], static dtype: Float = f32) -> dtype[*shape] = -log(-log(_between(key, shape, dtype, _tiny(dtype), 1.0)))
## With density exp(-|x|) / 2.
def laplace(key: key, static shape: shape = [], static dtype: Float = f32) -> dtype[*shape] =
    let u = _between(key, shape, dtype, _step(dtype) - 1.0, 1.0)
    sign(u) * log1p(-abs(u))
## With distribution function sigmoid(x).
def logistic(key: key, static shape: shape = [], static dtype: Float = f32) -> dtype[*shape] =
    let u = _between(key, shape, dtype, _tiny(dtype), 1.0)
    log(u) - log1p(-u)
## With density 1 / (pi (1 + x²)).
def cauchy(key: key, static shape: shape = [], static dtype: Float = f32) -> dtype[*shape] = tan(pi * (_between(key, shape, dtype, 2.0 * _step(dtype), 1.0) - 0.5))
## exp(e / b), e exponential: with density b / x^(b + 1), x >= 1.
def pareto(key: key, b: dtype, static shape: shape = [], static dtype: Float = f32) -> dtype[*shape] = exp(exponential(key, shape, dtype) / b)
## scale (-log(1 - u))^(1 / concentration).
def weibull_min(key: key, scale: dtype, concentration: dtype, static shape: shape = [], static dtype: Float = f32) -> dtype[*shape] =
    scale * power(-log1p(-_unit(key, shape, dtype)), 1.0 / concentration)
