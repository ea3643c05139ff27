"""Exponentials and what is made of them, on CPUs: `expm1`, `sinh`, `cosh`, `exp2`, `log1p`. Read next: `wide`."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf, nan
from math import log as ln
from types import MappingProxyType

from lowering.stablehlo import formulas
from lowering.stablehlo.wide import DOUBLE, SINGLE, Wide

LN2 = MappingProxyType({DOUBLE: formulas.LN2, SINGLE: (0.693145751953125, 1.42860682030941723e-06)})
"""The logarithm of 2, in two parts, of which the first times an exponent is exact."""

SERIES = MappingProxyType(
    {
        DOUBLE: (
            *(0.5, 0.16666666666666677, 0.04166666666666672, 0.008333333333321443, 0.0013888888888856782),
            *(0.00019841269886612645, 2.4801587378869314e-05, 2.7557243723977413e-06, 2.75572291552319e-07),
            *(2.510920249018587e-08, 2.092793571159703e-09),
        ),
        SINGLE: (
            0.5000000062266642,
            0.1666654254419956,
            0.04166628066365999,
            0.008366644080568506,
            0.0013946551891656088,
        ),
    }
)
"""(exp(r) - 1 - r) / r^2 over r, up to ln(2) / 2."""


def power_of_two(k: Wide) -> Wide:
    """2^k for integers k that are exponents of normal floats."""
    format = k.format
    return ((k + (1.5 * format.whole + format.bias)).bits << format.fraction).number


def expm1(x: Wide) -> Wide:
    """x = k ln(2) + r, then 2^k (exp(r) - 1) + (2^k - 1)."""
    format = x.format
    least, most = -(format.fraction + 4) * ln(2), (format.bias + 1) * ln(2)
    within = x.maximum(least).minimum(most + 1.0)
    k = (within * (1 / ln(2))).unary("round_nearest_even")
    high, low = LN2[format]
    near = within - k * high
    r = near - k * low
    lost = (near - r) - k * low
    grown = r + (r * r * r.horner(SERIES[format]) + lost)
    lack = 1.0 - power_of_two(-k.minimum(format.fraction + 4.0))
    found = (grown + lack) * power_of_two(k - 1.0) * 2.0
    found = x.compare("gt", most).where(inf, found, x)
    return x.unary("abs").compare("lt", format.negligible).where(x, found, x)


def scaled_exp(x: Wide, *factors: Wide) -> Sequence[Wide]:
    """The products of exp(x) with factors, each of which is scaled last: it may be small enough for exp(x) to overflow.
    Nothing but arithmetic, since XLA would write an exponential that is used twice to memory."""
    format = x.format
    within = x.maximum(-2.0 * format.bias * ln(2)).minimum(2.0 * format.bias * ln(2))
    k = (within * (1 / ln(2))).unary("round_nearest_even")
    high, low = LN2[format]
    near = within - k * high
    r = near - k * low
    lost = (near - r) - k * low
    grown = (r + (r * r * r.horner(SERIES[format]) + lost)) + 1.0
    half = (k * 0.5).unary("floor")
    first, second = power_of_two(half), power_of_two(k - half)
    return [grown * factor * first * second for factor in factors]


def sinh(x: Wide) -> Wide:
    """(t + t / (t + 1)) / 2 with t = exp(x) - 1; of large x the square of the root of exp(x), half of it."""
    size = x.unary("abs")
    far = size.compare("gt", _far(x))
    t = expm1(far.where(size * 0.5, size, x))
    root = t + 1.0
    found = far.where(root * 0.5 * root, (t + t / root) * 0.5, x)
    found = size.compare("lt", x.format.negligible).where(size, found, x)
    return found.signed_as(x)


def cosh(x: Wide) -> Wide:
    """(exp(x) + exp(-x)) / 2; of large x the square of the root of exp(x), half of it."""
    size = x.unary("abs")
    far = size.compare("gt", _far(x))
    e = expm1(far.where(size * 0.5, size, x)) + 1.0
    return far.where(e * 0.5 * e, e * 0.5 + 0.5 / e, x)


def _far(x: Wide) -> float:
    """Arguments from which exp(-x) is nothing beside exp(x), and some before it overflows."""
    return x.format.bias * ln(2) - 1.0


def exp2(x: Wide) -> Wide:
    """2^k exp(r ln(2)), with k the nearest integer, in two steps where 2^k is no float."""
    format = x.format
    within = x.maximum(-2.0 * format.bias).minimum(2.0 * format.bias)
    k = within.unary("round_nearest_even")
    grown = ((within - k) * ln(2)).unary("exponential")
    half = (k * 0.5).unary("floor")
    return grown * power_of_two(half) * power_of_two(k - half)


def log1p(x: Wide) -> Wide:
    """log(u) of u = 1 + x as rounded, and what that has lost, over u."""
    u = (x + 1.0).maximum(0.0)  # without which XLA would take 1 off again before it rounds
    lost = x - (u - 1.0)
    found = (formulas.log(u) if x.format is DOUBLE else u.unary("log")) + lost / u
    found = u.compare("eq", 0.0).where(x.compare("lt", -1.0).where(nan, -inf, x), found, x)
    found = u.compare("eq", inf).where(inf, found, x)
    return x.unary("abs").compare("lt", x.format.negligible).where(x, found, x)
