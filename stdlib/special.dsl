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
def gammasgn[a: Float](x: a[*s]) -> a[*s] =
    where(isnan(x), x, where((x < 0) & (mod(floor(x), 2.0) != 0), -1.0, 1.0))
## Γ(x).
def gamma[a: Float](x: a[*s]) -> a[*s] = gammasgn(x) * exp(gammaln(x))
## log |Γ_d(x)|, of the gamma function in d dimensions.
def multigammaln[a: Float](x: a[*s], static d: size) -> a[*s] where d >= 1 =
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
    (
        z
        * (
            1.0 / 12
            - z2 * (
                1.0 / 360
                - z2 * (
                    1.0 / 1260
                    - z2 * (1.0 / 1680 - z2 * (1.0 / 1188 - z2 * (691.0 / 360360 - z2 / 156)))
                )
            )
        )
    )
## Β(x, y), for positive x and y.
def beta[a: Float](x: a[*s], y: a[*s]) -> a[*s] = exp(betaln(x, y))
## 1 / (1 + exp(-x)).
def expit[a: Float](x: a[*s]) -> a[*s] = intrinsic.sigmoid(x)
## log(p / (1 - p)).
def logit[a: Float](x: a[*s]) -> a[*s] = log(x / (1.0 - x))
## log(expit(x)), without overflow.
def log_expit[a: Float](x: a[*s]) -> a[*s] =
    custom_jvp(
        fn x -> -logaddexp(-x, 0.0),
        fn (p, t) -> (-logaddexp(-p.0, 0.0), expit(-p.0) * t.0)
    )(x)
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
    where(
        inside,
        _middle(where(inside, q, 0.0)),
        where(tail == 0, inf, size) * where(q < 0, -1.0, 1.0)
    )
def _middle[a: Float](q: a[*s]) -> a[*s] =
    let r = 0.180625 - q * q
    let above = fold y = 0.0 * r for c in (
        25.090809287301227,
        334.30575583588126,
        672.657709270087,
        459.2195393154987,
        137.31693765509462,
        19.715909503065514,
        1.3314166789178439,
        0.03387132872796367
    ) do y * r + c
    let below = fold y = 0.0 * r for c in (
        52.26495278852854,
        287.2908573572194,
        393.0789580009271,
        212.13794301586597,
        53.94196021424751,
        6.871870074920579,
        0.4231333070160091,
        0.01
    ) do y * r + c
    q * above / below
def _near_tail[a: Float](x: a[*s]) -> a[*s] =
    let r = x - 1.6
    let above = fold y = 0.0 * r for c in (
        7.745450142783414e-4,
        0.022723844989269184,
        0.2417807251774506,
        1.2704582524523684,
        3.6478483247632045,
        5.769497221460691,
        4.630337846156546,
        1.4234371107496835
    ) do y * r + c
    let below = fold y = 0.0 * r for c in (
        1.0507500716444169e-9,
        5.475938084995345e-4,
        0.015198666563616457,
        0.14810397642748008,
        0.6897673349851,
        1.6763848301838038,
        2.053191626637759,
        1.0
    ) do y * r + c
    above / below
def _far_tail[a: Float](x: a[*s]) -> a[*s] =
    let r = x - 5.0
    let above = fold y = 0.0 * r for c in (
        2.0103343992922881e-7,
        2.7115555687434876e-5,
        0.0012426609473880784,
        0.026532189526576124,
        0.29656057182850487,
        1.7848265399172913,
        5.463784911164114,
        6.657904643501103
    ) do y * r + c
    let below = fold y = 0.0 * r for c in (
        2.0442631033899397e-15,
        1.4215117583164459e-7,
        1.8463183175100548e-5,
        7.868691311456133e-4,
        0.014875361290850615,
        0.13692988092273580,
        0.5998322065558879,
        1.0
    ) do y * r + c
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
static def _far_left(d: dtype) -> float =
    if d == f64 then -20.0 else if d == f32 then -10.0 else -5.0
## sin(pi x) / (pi x), 1 at 0.
def sinc[a: Float](x: a[*s]) -> a[*s] = where(x == 0, 1.0, sin(pi * x) / where(x == 0, 1.0, pi * x))
## log(sum(exp(x))), without overflow.
def logsumexp[a: Float](
    x: a[*s],
    *,
    static axis: axes = none,
    static keepdims: bool = false
) -> a[*reduced(s, axis, keepdims)] =
    prelude.logsumexp(x, axis=axis, keepdims=keepdims)
## exp(x) / sum(exp(x)), without overflow.
def softmax[a: Float](x: a[*s], *, static axis: axes = none) -> a[*s] where has_axis(s, axis) =
    exp(x - logsumexp(x, axis=axis, keepdims=true))
## x - logsumexp(x).
def log_softmax[a: Float](x: a[*s], *, static axis: axes = none) -> a[*s] where has_axis(s, axis) =
    x - logsumexp(x, axis=axis, keepdims=true)

# ---------------------------------------------------------------- incomplete gamma and beta functions

# The distance from 1 to the number below.
static def _epsilon(d: dtype) -> float = if d == f64 then 2.0 ** -53 else 2.0 ** -24
## The share of Γ(a) that the integral of t^(a - 1) exp(-t) from 0 to x has: by its power series for x below a + 1, else
## by a continued fraction. At most 2000 terms, about 10 sqrt(a) where x is near a.
def gammainc[F: Float](a: F[*s], x: F[*t]) -> F[*broadcasted(s, t)] =
    let (b, z) = (_spread(a, broadcasted(s, t)), _spread(x, broadcasted(s, t)))
    if F == f16 or F == bf16 then
        cast(_gamma_shares(cast(b, f32), cast(z, f32)).0, F)
    else
        _gamma_shares(b, z).0
## 1 - gammainc(a, x), exact where that is near 1.
def gammaincc[F: Float](a: F[*s], x: F[*t]) -> F[*broadcasted(s, t)] =
    let (b, z) = (_spread(a, broadcasted(s, t)), _spread(x, broadcasted(s, t)))
    if F == f16 or F == bf16 then
        cast(_gamma_shares(cast(b, f32), cast(z, f32)).1, F)
    else
        _gamma_shares(b, z).1
def _gamma_shares[F: Float](a: F[*s], x: F[*s]) -> (F[*s], F[*s]) =
    let inside = (a > 0) & (x > 0) & (x < inf)
    let b = where(inside, a, 1.0)
    let z = where(inside, x, 1.0)
    let front = exp(b * log(z) - z - gammaln(b))
    let low = z < b + 1.0
    let below = front * _gamma_series(b, where(low, z, 0.0))
    let above = front * _gamma_fraction(
        where(low, 1.0, b),
        where(low, 1.0, z),
        where(low, 0.0, _least_steps(F) + 0.0 * b)
    )
    let edge = where((a > 0) & (x >= 0), where(x == 0, 0.0 * b, 1.0), nan)
    let lower = where(low, below, 1.0 - above)
    let upper = where(low, 1.0 - below, above)
    (where(inside, lower, edge), where(inside, upper, 1.0 - edge))
# The sum of z^k / (b (b + 1) … (b + k)).
def _gamma_series[F: Float](b: F[*s], z: F[*s]) -> F[*s] =
    let (_, _, total) =
        iterate (k, term, total) = (b, 1.0 / b, 1.0 / b) while any(
            term > _epsilon(F) * total
        ) limit 2000 do
            let next = term * z / (k + 1.0)
            (k + 1.0, next, total + next)
    total
# At b = 1 it ends at once, after `least` steps: where b is a whole number its value ends before its derivative by b
# does. The factor of a step differs from 1 by the rounding of two quotients, however long one waits.
# 1 / (z + 1 - b - 1 (1 - b) / (z + 3 - b - 2 (2 - b) / (z + 5 - b - …))), from the front (Lentz 1976).
def _gamma_fraction[F: Float](b: F[*s], z: F[*s], least: F[*s]) -> F[*s] =
    let start = z + 1.0 - b
    let (_, _, _, _, found) = iterate (k, last, c, d, h) = (
        zeros([], F),
        2.0 + 0.0 * z,
        inf + 0.0 * z,
        1.0 / start,
        1.0 / start
    )
        while any((abs(last - 1.0) > 8.0 * _epsilon(F)) | (k < least)) limit 2000 do
            let above = -(k + 1.0) * (k + 1.0 - b)
            let below = start + 2.0 * (k + 1.0)
            let d = 1.0 / (above * d + below)
            let c = below + above / c
            (k + 1.0, c * d, c, d, h * c * d)
    found
## The share of Β(a, b) that the integral of t^(a - 1) (1 - t)^(b - 1) from 0 to x has, by a continued fraction of at
## most 2000 terms: about sqrt(max(a, b)) of them are needed.
def betainc[F: Float](a: F[*s], b: F[*t], x: F[*u]) -> F[*broadcasted(broadcasted(s, t), u)] =
    let shape = broadcasted(broadcasted(s, t), u)
    let (p, q, z) = (_spread(a, shape), _spread(b, shape), _spread(x, shape))
    if F == f16 or F == bf16 then
        cast(_beta_share(cast(p, f32), cast(q, f32), cast(z, f32)), F)
    else
        _beta_share(p, q, z)
def _beta_share[F: Float](a: F[*s], b: F[*s], x: F[*s]) -> F[*s] =
    let inside = (a > 0) & (b > 0) & (x > 0) & (x < 1)
    let p = where(inside, a, 1.0)
    let q = where(inside, b, 1.0)
    let z = where(inside, x, 0.5)
    let low = z < (p + 1.0) / (p + q + 2.0)
    let front = exp(p * log(z) + q * log1p(-z) - betaln(p, q))
    let share = front * _beta_fraction(where(low, p, q), where(low, q, p), where(low, z, 1.0 - z))
    let edge = where((a > 0) & (b > 0) & (x >= 0) & (x <= 1), where(x == 0, 0.0 * p, 1.0), nan)
    where(inside, where(low, share, 1.0 - share), edge)
# Two terms a step, of 1 / (1 + d1 / (1 + d2 / …)) / p (DLMF 8.17.22).
def _beta_fraction[F: Float](p: F[*s], q: F[*s], z: F[*s]) -> F[*s] =
    let first = 1.0 / (1.0 - (p + q) * z / (p + 1.0))
    let (_, _, _, _, found) = iterate (m, last, c, d, h) = (
        ones([], F),
        2.0 + 0.0 * z,
        1.0 + 0.0 * z,
        first,
        first
    )
        while (m < _least_steps(F)) | any(abs(last - 1.0) > 8.0 * _epsilon(F)) limit 2000 do
            let even = m * (q - m) * z / ((p + 2.0 * m - 1.0) * (p + 2.0 * m))
            let odd = -(p + m) * (p + q + m) * z / ((p + 2.0 * m) * (p + 2.0 * m + 1.0))
            let d = 1.0 / (1.0 + even * d)
            let c = 1.0 + even / c
            let h = h * c * d
            let d = 1.0 / (1.0 + odd * d)
            let c = 1.0 + odd / c
            (m + 1.0, c * d, c, d, h * c * d)
    found / p

# Newton's steps in the logarithm of x, each kept between the ends of what is known to hold the solution, which is halved
# where a step would leave it. The last step is taken by a formula whose derivative is that of the solution.
## The x with gammainc(a, x) = p; with its first derivatives.
def gammaincinv[F: Float](a: F[*s], p: F[*t]) -> F[*broadcasted(s, t)] =
    let (b, q) = (_spread(a, broadcasted(s, t)), _spread(p, broadcasted(s, t)))
    if F == f16 or F == bf16 then
        cast(_gamma_solution(cast(b, f32), cast(q, f32)), F)
    else
        _gamma_solution(b, q)
def _gamma_solution[F: Float](a: F[*s], p: F[*s]) -> F[*s] =
    let inside = (a > 0) & (p > 0) & (p < 1)
    let b = where(inside, a, 1.0)
    let q = where(inside, p, 0.5)
    let u = stop_gradient(_gamma_root(stop_gradient(b), stop_gradient(q)))
    let x = exp(u)
    let density = stop_gradient(exp((b - 1.0) * u - x - gammaln(b)))
    let found = x + where(density > 0, (q - gammainc(b, x)) / where(density > 0, density, 1.0), 0.0)
    let edge = where((a > 0) & (p == 0), 0.0 * b, where((a > 0) & (p == 1), inf, nan + 0.0 * b))
    where(inside, where(found > 0, found, x), edge)
# Starts at the cube of a normal number (Wilson and Hilferty 1931), for small shares at the first term of the series.
def _gamma_root[F: Float](b: F[*s], q: F[*s]) -> F[*s] =
    let upper = q > 0.5
    let cube = 1.0 - 1.0 / (9.0 * b) + ndtri(q) / (3.0 * sqrt(b))
    let series = (log(q) + gammaln(b + 1.0)) / b
    let middle = log(b) + 3.0 * log(where(cube > 0.1, cube, 0.1))
    let start = where((cube > 0.1) & (b > 0.5), middle, minimum(series, log(b + 3.0)))
    let (found, _, _) =
        fold (u, low, high) = (
            start,
            minimum(series - 1.0, start - 1.0),
            log(b + 800.0 + 40.0 * sqrt(b))
        ) for _ in range(_solving_steps(F)) do
            let x = exp(u)
            let above = where(upper, q - 1.0 + gammaincc(b, x), q - gammainc(b, x))
            let slope = exp(b * u - x - gammaln(b))
            _next_inside(u, low, high, -above, slope)
    found
# The next of a solution of an equation between two ends: what the increasing function is there, and its slope.
def _next_inside[F: Float](
    u: F[*s],
    low: F[*s],
    high: F[*s],
    value: F[*s],
    slope: F[*s]
) -> (F[*s], F[*s], F[*s]) =
    let low = where(value < 0, u, low)
    let high = where(value > 0, u, high)
    let next = u - value / where(slope > 0, slope, 1.0)
    let kept = (slope > 0) & (next >= low) & (next <= high)
    (where(value == 0, u, where(kept, next, 0.5 * (low + high))), low, high)
static def _solving_steps(d: dtype) -> int = if d == f64 then 40 else 24
## The x with betainc(a, b, x) = p; with its first derivatives.
def betaincinv[F: Float](a: F[*s], b: F[*t], p: F[*u]) -> F[*broadcasted(broadcasted(s, t), u)] =
    let shape = broadcasted(broadcasted(s, t), u)
    let (c, d, q) = (_spread(a, shape), _spread(b, shape), _spread(p, shape))
    if F == f16 or F == bf16 then
        cast(_beta_solution(cast(c, f32), cast(d, f32), cast(q, f32)), F)
    else
        _beta_solution(c, d, q)
def _beta_solution[F: Float](a: F[*s], b: F[*s], p: F[*s]) -> F[*s] =
    let inside = (a > 0) & (b > 0) & (p > 0) & (p < 1)
    let c = where(inside, a, 1.0)
    let d = where(inside, b, 1.0)
    let q = where(inside, p, 0.5)
    let u = stop_gradient(_beta_root(stop_gradient(c), stop_gradient(d), stop_gradient(q)))
    let x = expit(u)
    let density = stop_gradient(
        exp((c - 1.0) * log_expit(u) + (d - 1.0) * log_expit(-u) - betaln(c, d))
    )
    let found =
        x + where(density > 0, (q - betainc(c, d, x)) / where(density > 0, density, 1.0), 0.0)
    let edge = where((a > 0) & (b > 0) & ((p == 0) | (p == 1)), p, nan)
    where(inside, where((found > 0) & (found < 1), found, x), edge)
# In log(x / (1 - x)), from the logarithms of the shares that the ends alone would have.
def _beta_root[F: Float](c: F[*s], d: F[*s], q: F[*s]) -> F[*s] =
    let low = (log(q) + log(c) + betaln(c, d)) / c - 3.0
    let high = -(log1p(-q) + log(d) + betaln(c, d)) / d + 3.0
    let first = minimum(maximum(log(c) - log(d), low), high)
    let (found, _, _) =
        fold (u, low, high) = (
            first,
            minimum(low, -3.0),
            maximum(high, 3.0)
        ) for _ in range(2 * _solving_steps(F)) do
            let x = expit(u)
            let slope = exp(c * log_expit(u) + d * log_expit(-u) - betaln(c, d))
            _next_inside(u, low, high, betainc(c, d, x) - q, slope)
    found
# By Gauss's rule of 16 points, for |a| <= 1; beyond it by a formula of reflection.
## Owen's T function: the integral of exp(-h² (1 + x²) / 2) / (2 pi (1 + x²)) from 0 to a.
def owens_t[F: Float](h: F[*s], a: F[*t]) -> F[*broadcasted(s, t)] =
    let (g, b) = (_spread(h, broadcasted(s, t)), _spread(a, broadcasted(s, t)))
    let slope = abs(b)
    let far = slope > 1
    let near = where(far, 1.0 / where(far, slope, 1.0), slope)
    let part = _owen(where(far, slope, 1.0) * g, near)
    let (p, q) = (ndtr(-abs(g)), ndtr(-abs(g) * slope))
    sign(b) * where(far, 0.5 * (p + q) - p * q - part, part)
def _owen[F: Float](h: F[*s], a: F[*s]) -> F[*s] =
    let total =
        fold total = 0.0 * h for (x, w) in zip(
            (
                0.09501250983763744,
                0.2816035507792589,
                0.45801677765722737,
                0.6178762444026438,
                0.755404408355003,
                0.8656312023878318,
                0.9445750230732326,
                0.9894009349916499
            ),
            (
                0.1894506104550685,
                0.1826034150449236,
                0.1691565193950025,
                0.1495959888165767,
                0.1246289712555339,
                0.09515851168249278,
                0.0622535239386479,
                0.02715245941175409
            )
        ) do
            (
                total
                + w * (
                    _owen_integrand(h, 0.5 * a * (1.0 + x))
                    + _owen_integrand(h, 0.5 * a * (1.0 - x))
                )
            )
    0.5 * a * total / (2.0 * pi)
def _owen_integrand[F: Float](h: F[*s], x: F[*s]) -> F[*s] =
    exp(-0.5 * h * h * (1.0 + x * x)) / (1.0 + x * x)

# ---------------------------------------------------------------- zeta and polygamma functions

## Σ (q + k)^-x over k = 0, 1, …: the first ten terms, and the rest by the formula of Euler and Maclaurin.
def zeta[a: Float](x: a[*s], q: a[*s]) -> a[*s] =
    let inside = (x > 1) & (q > 0)
    let z = where(inside, x, 2.0)
    let p = where(inside, q, 1.0)
    let total = fold total = 0.0 * z for k in range(10) do total + power(p + cast(k, a), -z)
    let far = p + 10.0
    let last = power(far, -z)
    let (rest, _, _) =
        fold (rest, term, k) = (0.0 * z, last * z / far, zeros([], a)) for c in (
            0.08333333333333333,
            -0.001388888888888889,
            3.306878306878307e-5,
            -8.267195767195768e-7,
            2.08767569878681e-8,
            -5.284190138687493e-10,
            1.3382536530684679e-11,
            -3.3896802963225827e-13
        ) do
            (rest + c * term, term * (z + k + 1.0) * (z + k + 2.0) / (far * far), k + 2.0)
    where(
        inside,
        total + last * far / (z - 1.0) + 0.5 * last + rest,
        where((x == 1) & (q > 0), inf, nan * q)
    )
## The n-th derivative of digamma, for x > 0.
def polygamma[a: Float](static n: size, x: a[*s]) -> a[*s] =
    if n == 0 then digamma(x)
    else (-1.0) ** (n + 1) * exp(gammaln(cast(n + 1, a))) * zeta(cast(n + 1, a) + 0.0 * x, x)

# ---------------------------------------------------------------- modified Bessel functions

## exp(-|x|) i0(x): sums of some 30 Chebyshev polynomials, as for the others below.
def i0e[a: Float](x: a[*s]) -> a[*s] =
    if a == f16 or a == bf16 then cast(_scaled_i0(abs(cast(x, f32))), a) else _scaled_i0(abs(x))
## The modified Bessel function of the first kind and order 0.
def i0[a: Float](x: a[*s]) -> a[*s] = custom_jvp(
    fn x -> exp(abs(x)) * i0e(x),
    fn (p, t) -> (exp(abs(p.0)) * i0e(p.0), i1(p.0) * t.0)
)(x)
## exp(-|x|) i1(x).
def i1e[a: Float](x: a[*s]) -> a[*s] =
    if a == f16 or a == bf16 then cast(_scaled_i1(cast(x, f32)), a) else _scaled_i1(x)
## The modified Bessel function of the first kind and order 1.
def i1[a: Float](x: a[*s]) -> a[*s] = exp(abs(x)) * i1e(x)
# Up to 8 of x / 4 - 1, beyond it of 16 / x - 1 and times 1 / sqrt(x).
def _scaled_i0[a: Float](x: a[*s]) -> a[*s] =
    let near = minimum(x, 8.0)
    let far = maximum(x, 8.0)
    let below = _chebyshev(
        near / 4.0 - 1.0,
        _skipped(a, 11),
        [
            3.3307945188222384e-17,
            -2.431279846547955e-16,
            1.715391285555133e-15,
            -1.1685332877993451e-14,
            7.676185498604936e-14,
            -4.856446783111929e-13,
            2.95505266312964e-12,
            -1.726826291441556e-11,
            9.675809035373237e-11,
            -5.189795601635263e-10,
            2.6598237246823866e-9,
            -1.300025009986248e-8,
            6.046995022541919e-8,
            -2.670793853940612e-7,
            1.1173875391201037e-6,
            -4.4167383584587505e-6,
            1.6448448070728896e-5,
            -5.754195010082104e-5,
            0.00018850288509584165,
            -0.0005763755745385824,
            0.0016394756169413357,
            -0.004324309995050576,
            0.010546460394594998,
            -0.02373741480589947,
            0.04930528423967071,
            -0.09490109704804764,
            0.17162090152220877,
            -0.3046826723431984,
            0.33839763720473803
        ]
    )
    let above = _chebyshev(
        16.0 / far - 1.0,
        _skipped(a, 16),
        [
            4.46562142029676e-17,
            3.461222867697461e-17,
            -2.8276239805165836e-16,
            -3.425485619677219e-16,
            1.7725601330565263e-15,
            3.8116806693526224e-15,
            -9.554846698828307e-15,
            -4.150569347287222e-14,
            1.54008621752141e-14,
            3.8527783827421426e-13,
            7.180124451383666e-13,
            -1.7941785315068062e-12,
            -1.3215811840447713e-11,
            -3.1499165279632416e-11,
            1.1889147107846439e-11,
            4.94060238822497e-10,
            3.3962320257083865e-9,
            2.266668990498178e-8,
            2.0489185894690638e-7,
            2.8913705208347567e-6,
            6.889758346916825e-5,
            0.0033691164782556943,
            0.4022452055070544
        ]
    )
    where(x <= 8, below, above / sqrt(far))
def _scaled_i1[a: Float](x: a[*s]) -> a[*s] =
    let near = clip(x, -8.0, 8.0)
    let far = maximum(abs(x), 8.0)
    let below = _chebyshev(
        abs(near) / 4.0 - 1.0,
        _skipped(a, 11),
        [
            -2.111421214358166e-17,
            1.5536319577362005e-16,
            -1.1055969477353862e-15,
            7.600684294735408e-15,
            -5.042185504727912e-14,
            3.223793365945575e-13,
            -1.9839743977649436e-12,
            1.1736186298890901e-11,
            -6.663489723502027e-11,
            3.625590281552117e-10,
            -1.8872497517228294e-9,
            9.381537386495773e-9,
            -4.445059128796328e-8,
            2.0032947535521353e-7,
            -8.568720264695455e-7,
            3.4702513081376785e-6,
            -1.3273163656039436e-5,
            4.781565107550054e-5,
            -0.00016176081582589674,
            0.0005122859561685758,
            -0.0015135724506312532,
            0.004156422944312888,
            -0.010564084894626197,
            0.024726449030626516,
            -0.05294598120809499,
            0.1026436586898471,
            -0.17641651835783406,
            0.12629359322181682
        ]
    )
    let above = _chebyshev(
        16.0 / far - 1.0,
        _skipped(a, 16),
        [
            -4.6503053684893586e-17,
            -3.209525921993424e-17,
            2.96262899764595e-16,
            3.3082023109209285e-16,
            -1.8803547755107825e-15,
            -3.8144030724370075e-15,
            1.0420276984128802e-14,
            4.272440016711951e-14,
            -2.1015418427726643e-14,
            -4.0835511110921974e-13,
            -7.198551776245908e-13,
            2.0356285441470896e-12,
            1.4125807436613782e-11,
            3.2526035830154884e-11,
            -1.8974958123505413e-11,
            -5.589743462196584e-10,
            -3.835380385964237e-9,
            -2.6314688468895196e-8,
            -2.512236237870209e-7,
            -3.882564808877691e-6,
            -0.00011058893876262371,
            -0.009761097491361469,
            0.38928811750914005
        ]
    )
    where(abs(x) <= 8, near * below, sign(x) * above / sqrt(far))
# Steps of a continued fraction that are done whatever its value is.
static def _least_steps(d: dtype) -> float = if d == f64 then 96.0 else 32.0
# The sum of c[k - 1 - i] times the i-th Chebyshev polynomial (Clenshaw 1955), without the `first` coefficients; in one
# pass over x.
def _chebyshev[a: Float](x: a[*s], static first: size, c: a[k]) -> a[*s] =
    _clenshaw(x, c, first, zeros(s, a), zeros(s, a))
def _clenshaw[a: Float](x: a[*s], c: a[k], static i: size, y: a[*s], last: a[*s]) -> a[*s] =
    if i >= k then y - x * last else _clenshaw(x, c, i + 1, 2.0 * x * y - last + c[i], y)
# Coefficients that are too small for the dtype.
static def _skipped(d: dtype, first: size) -> size = if d == f64 then 0 else first
