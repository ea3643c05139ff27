"""Powers of f64 as 2^(y log2(x)) on CPUs, with a logarithm of two parts, as in FreeBSD's msun: within 0.9 units of the
last place. A part has so few bits that products of two are exact. Read next: `powers`."""

from __future__ import annotations

from math import inf, nan

from lowering.stablehlo.formulas import as_normal, inverse
from lowering.stablehlo.growth import power_of_two
from lowering.stablehlo.wide import Wide

LOW = ~((1 << 32) - 1)
"""The bits of the first part of a float."""

ROOT = 0x3FEBB67AE8584CAA
"""The bits of the root of 3/4: fractions are taken from there to the root of 3."""

MIDDLE = 1.224744871391589
"""The root of 3/2: fractions are compared with 1 up to there, else with 3/2."""

LOG_OF_MIDDLE = 5.84962487220764160156e-01, 1.35003920212974897128e-08
"""log2(3/2), in two parts."""

SCALE, SCALE_PARTS = 9.61796693925975554329e-01, (9.61796700954437255859e-01, -7.02846165095275826516e-09)
"""2 / (3 ln(2)), and in two parts."""

LN2, LN2_PARTS = 6.93147180559945286227e-01, (6.93147182464599609375e-01, -1.90465429995776804525e-09)
"""The logarithm of 2, and in two parts."""

LOG_SERIES = (
    *(5.99999999999994648725e-01, 4.28571428578550184252e-01, 3.33333329818377432918e-01),
    *(2.72728123808534006489e-01, 2.30660745775561754067e-01, 2.06975017800338417784e-01),
)
"""3/2 (log((1 + s) / (1 - s)) / s - 2 - 2/3 s^2) / s^4 over s^2."""

EXP_SERIES = (
    *(1.66666666666666019037e-01, -2.77777777770155933842e-03, 6.61375632143793436117e-05),
    *(-1.65339022054652515390e-06, 4.13813679705723846039e-08),
)
"""(2 - x (exp(x) + 1) / (exp(x) - 1)) / x^2, with the opposite sign, over x^2."""

INVERSE_SERIES = (
    *(2.0359719393544315, -1.6423380748565928, 0.6561799350626647, -0.1298763879701255, 0.010190179711667129),
)
"""1 / x over x, from 1.866 to 3.233, with an error of 2^-13."""

FAR, HIGHEST = 1100.0, 2.0**66
"""Exponents beyond all of f64, and powers beyond which all but that of 1 have these."""


def _first(x: Wide) -> Wide:
    return (x.bits & LOW).number


def power_of_size(size: Wide, y: Wide) -> Wide:
    """The power of the float with these bits, which has no sign."""
    y = y.maximum(-HIGHEST).minimum(HIGHEST)
    first, second = _log2(size)
    upper = _first(y)
    low, high = (y - upper) * first + y * second, upper * first
    found = _exp2(high, low)
    is_negative = y.compare("lt", 0.0)
    found = size.compare("eq", 0).where(is_negative.where(inf, 0.0, y), found, y)
    found = size.compare("eq", size.format.infinity).where(is_negative.where(0.0, inf, y), found, y)
    is_nan = size.compare("gt", size.format.infinity) | y.compare("ne", y)
    return is_nan.where(nan, found, y)


def _log2(size: Wide) -> tuple[Wide, Wide]:
    """The logarithm in two parts of the float with these bits."""
    format = size.format
    normal, tiny = as_normal(size.number, size)
    shifted = normal.bits + (format.one - ROOT)
    less = format.whole + format.bias
    n = ((shifted >> format.fraction) | format.counting).number - tiny.where(less + format.tiny, less, normal)
    m = ((shifted & (1 << format.fraction) - 1) + ROOT).number
    is_beyond = m.compare("gt", MIDDLE)
    near = is_beyond.where(1.5, 1.0, m)
    s, first, second = _quotient(m, near)
    square = s * s
    rest = square * square * square.horner(LOG_SERIES) + second * (first + s)
    exact = first * first
    high = _first(exact + 3.0 + rest)
    low = rest - ((high - 3.0) - exact)
    whole, left = first * high, second * high + low * s
    p = _first(whole + left)
    q = left - (p - whole)
    start, bit = (is_beyond.where(part, 0.0, m) for part in LOG_OF_MIDDLE)
    z, small = p * SCALE_PARTS[0], p * SCALE_PARTS[1] + q * SCALE + bit
    found = _first(((z + small) + start) + n)
    return found, small - (((found - n) - start) - z)


def _quotient(m: Wide, near: Wide) -> tuple[Wide, Wide, Wide]:
    """(m - near) / (m + near), and in two parts."""
    total, u = m + near, m - near
    v = inverse(total, total.horner(INVERSE_SERIES))
    s = u * v
    first = _first(s)
    high = _first(total)
    low = m - (high - near)
    return s, first, v * ((u - first * high) - first * low)


def _exp2(high: Wide, low: Wide) -> Wide:
    """2^(high + low)."""
    z = high + low
    is_far = z.unary("abs").compare("gt", FAR)
    high, low = is_far.where(z.maximum(-FAR).minimum(FAR), high, z), is_far.where(0.0, low, z)
    n = (high + low).unary("round_nearest_even")
    high = high - n
    t = _first(low + high)
    u, v = t * LN2_PARTS[0], (low - (t - high)) * LN2 + t * LN2_PARTS[1]
    x = u + v
    lost = v - (x - u)
    square = x * x
    c = x - square * square.horner(EXP_SERIES)
    found = 1.0 - ((x * c) / (c - 2.0) - (lost + x * lost) - x)
    half = (n * 0.5).unary("floor")
    return found * power_of_two(half) * power_of_two(n - half)
