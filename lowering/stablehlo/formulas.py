"""Elementwise functions on CPUs, as arithmetic that XLA vectorises: logarithm, cube root, angles.

XLA calls the C library for each of these elements. What stands here are reductions of the argument by its bits and
polynomials, of which all steps are vector instructions: within two units in the last place, and exact in special
values. `log` and `cbrt` read arguments without a normal form by their bits, since XLA's CPU programs count them as
zeros. The rules of `registry` call `wide.fast`, which leaves other dtypes, other platforms and small arrays to XLA.
Read next: `waves`, `growth`.
"""

from __future__ import annotations

from math import inf, nan
from types import MappingProxyType

from lowering.stablehlo.wide import DOUBLE, SINGLE, Wide, counted

# --- logarithm --------------------------------------------------------------------------------------------

LN2 = 6.93147180369123816490e-01, 1.90821492927058770002e-10
"""The logarithm of 2, in two parts, of which the first times an exponent is exact."""

ROOT_HALF = 0x3FE6A09E667F3BCD
"""The bits of the root of 1/2."""

LOG_SERIES = (
    *(6.666666666666735130e-01, 3.999999999940941908e-01, 2.857142874366239149e-01, 2.222219843214978396e-01),
    *(1.818357216161805012e-01, 1.531383769920937332e-01, 1.479819860511658591e-01),
)
"""(log(1 + s) - log(1 - s)) / s - 2 over s^2, up to s = 0.1716: a polynomial in s^2."""


INVERSE_SERIES = (0.49995695710714283, -0.2503862000360889, 0.12813332718831894, -0.0571350229772691)
"""1 / (2 + f) over f, between the roots of 1/2 and 2, with an error of 2^-13."""


def as_normal(x: Wide, raw: Wide) -> tuple[Wide, Wide]:
    """Positive floats as normal ones, and flags of those that were multiplied by 2^`tiny` for it."""
    tiny = raw.compare("lt", 1 << x.format.fraction)
    return tiny.where(counted(raw), x, x), tiny


def inverse(x: Wide, near: Wide) -> Wide:
    """1 / x from 13 of its bits, up to some units in the last place. A quotient that is used twice XLA would write to
    memory."""
    for _ in range(2):
        near = near * (2.0 - near * x)
    return near


def log(x: Wide) -> Wide:
    """x = 2^k (1 + f) with 1 + f between the roots of 1/2 and 2, then a series in f / (2 + f)."""
    raw, format = x.bits, x.format
    size = raw & ~format.sign
    normal, tiny = as_normal(size.number, size)
    shifted = normal.bits + (format.one - ROOT_HALF)
    less = format.whole + format.bias
    k = ((shifted >> format.fraction) | format.counting).number - tiny.where(less + format.tiny, less, x)
    f = ((shifted & (1 << format.fraction) - 1) + ROOT_HALF).number - 1.0
    s = f * inverse(f + 2.0, f.horner(INVERSE_SERIES))
    square, half = s * s, f * f * 0.5
    rest = square.horner(LOG_SERIES) * square
    found = k * LN2[0] - ((half - (s * (half + rest) + k * LN2[1])) - f)
    found = (raw.compare("lt", 0) | raw.compare("gt", format.infinity)).where(nan, found, x)
    found = raw.compare("eq", format.infinity).where(inf, found, x)
    return normal.compare("eq", 0.0).where(-inf, found, x)  # by the bits LLVM would compare x, and find it equal


# --- cube root --------------------------------------------------------------------------------------------

INVERSE_ROOT = 0.0331
"""In units of the exponent, the bits of y^(-1/3) are about 4/3 of the bias, less this and a third of the bits of y."""

ROOT_SERIES = (1 / 3, 2 / 9, 14 / 81, 35 / 243, 91 / 729, 728 / 6561)
"""((1 - e)^(-1/3) - 1) / e."""


def _inverse_root(y: Wide) -> Wide:
    """y^(-1/3) to a few percent, from the upper bits of y."""
    format = y.format
    dropped = format.bits.bits - 1 - format.fraction  # what is left fits into a fraction
    start = (format.bias * 4 / 3 - INVERSE_ROOT) * 2.0 ** (format.fraction - dropped)
    upper = counted(y.bits >> dropped) * (-1 / 3) + start
    return (((upper + format.whole).bits << dropped) & ~format.sign).number


def cbrt(x: Wide) -> Wide:
    """The inverse root from the bits, improved by a series; then one step from a root of few bits."""
    raw, format = x.bits, x.format
    size = raw & ~format.sign
    y, tiny = as_normal(size.number, size)
    more = -format.tiny % 3
    y = tiny.where(y * 2.0**more, y, x) if more else y
    q = _inverse_root(y)
    for terms in (ROOT_SERIES, ROOT_SERIES[:2]):
        e = 1.0 - y * q * q * q
        q = q + q * (e * e.horner(terms))
    few = format.fraction // 2 + 4  # bits that are dropped, so that the square of the rest is exact
    rough = (((y * q * q).bits + (1 << few - 1)) & -(1 << few)).number
    off = y / (rough * rough) - rough
    root = rough + off * (1 / 3) - off * off * q * (1 / 9)
    scaled = tiny.where(root * 2.0 ** (-(format.tiny + more) // 3), root, x)
    signed = (scaled.bits | (raw & format.sign)).number
    special = size.compare("eq", 0) | size.compare("ge", format.infinity)
    return special.where(x, signed, x)


# --- angles -----------------------------------------------------------------------------------------------

ATAN_SERIES = MappingProxyType(
    {
        DOUBLE: (
            *(3.33333333333329318027e-01, -1.99999999998764832476e-01, 1.42857142725034663711e-01),
            *(-1.11111104054623557880e-01, 9.09088713343650656196e-02, -7.69187620504482999495e-02),
            *(6.66107313738753120669e-02, -5.83357013379057348645e-02, 4.97687799461593236017e-02),
            *(-3.65315727442169155270e-02, 1.62858201153657823623e-02),
        ),
        SINGLE: (
            *(3.3333304001784536e-01, -1.9997766315217919e-01, 1.4230026885169073e-01, -1.0493563367159527e-01),
            *(5.8249854668874966e-02,),
        ),
    }
)
"""1 - atan(t) / t over t^2, up to t = 7/16: a polynomial in t^2."""

PI_PARTS = MappingProxyType(
    {
        DOUBLE: (3.1415926535897931160e00, 1.2246467991473531772e-16),
        SINGLE: (3.1415927410125732422e00, -8.7422776573475857731e-08),
    }
)
"""Pi, and what is missing from it."""


def _octant(small: Wide, large: Wide) -> Wide:
    """The angle of which `small` and `large` are the legs: from pi/4 if it is past 7/16."""
    format = small.format
    far = small.compare("gt", large * 0.4375)
    t = far.where(small - large, small, small) / far.where(small + large, large, small)
    square = t * t
    fourth = square * square
    series = ATAN_SERIES[format]
    bend = t * (square * fourth.horner(series[::2]) + fourth * fourth.horner(series[1::2]))
    high, low = (far.where(part / 4, 0.0, small) for part in PI_PARTS[format])
    return high - ((bend - low) - t)


def _left_of(part: float, angle: Wide, flags: Wide) -> Wide:
    """Where flags are set, what an angle leaves of such a part of pi."""
    first, second = PI_PARTS[angle.format]
    return flags.where(first * part - (angle - second * part), angle, angle)


def atan2(y: Wide, x: Wide) -> Wide:
    """The angle of the smaller over the larger size, then turned into its octant."""
    flat, up = (each.unary("abs") for each in (x, y))
    large, small = flat.maximum(up), flat.minimum(up)
    most, least = (1000.0, -900.0) if x.format is DOUBLE else (125.0, -80.0)
    step = 100.0 if x.format is DOUBLE else 30.0
    rising = large.compare("lt", 2.0**least).where(2.0**step, 1.0, x)
    factor = large.compare("gt", 2.0**most).where(2.0**-step, rising, x)
    angle = _octant(small * factor, large * factor)
    angle = small.compare("eq", large).where(PI_PARTS[x.format][0] / 4, angle, x)
    angle = (small.compare("eq", 0.0) | (large.compare("eq", inf) & small.compare("lt", inf))).where(0.0, angle, x)
    steep, left = up.compare("gt", flat), x.bits.compare("lt", 0)
    angle = _left_of(0.5, angle, steep)
    angle = _left_of(1.0, angle, left)
    signed = angle.signed_as(y)
    return (x.compare("ne", x) | y.compare("ne", y)).where(nan, signed, x)


def atan(x: Wide) -> Wide:
    """The angle of the smaller of x and 1 over the larger."""
    up = x.unary("abs")
    steep = up.compare("gt", 1.0)
    angle = _octant(up.minimum(1.0), up.maximum(1.0).minimum(2.0**100))
    angle = _left_of(0.5, angle, steep)
    signed = angle.signed_as(x)
    return x.compare("ne", x).where(nan, signed, x)


def _other_leg(x: Wide) -> Wide:
    """The root of 1 - x^2."""
    return ((1.0 - x) * (x + 1.0)).unary("sqrt")


def asin(x: Wide) -> Wide:
    """The angle in a right triangle of which x is the leg on the other side; of longer ones nan."""
    up = x.unary("abs")
    leg = _other_leg(up)
    steep = up.compare("gt", leg)
    angle = _octant(up.minimum(leg), up.maximum(leg))
    angle = _left_of(0.5, angle, steep)
    return angle.signed_as(x)


def acos(x: Wide) -> Wide:
    """The angle in a right triangle between x and the side of length 1."""
    flat = x.unary("abs")
    leg = _other_leg(flat)
    steep, left = leg.compare("gt", flat), x.compare("lt", 0.0)
    angle = _octant(flat.minimum(leg), flat.maximum(leg))
    angle = _left_of(0.5, angle, steep)
    return _left_of(1.0, angle, left)
