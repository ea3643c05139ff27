"""Powers on CPUs: 2^(y log2(x)), of f32 by way of f64, and of f64 in two parts. Read next: `parts`, `wide`."""

from __future__ import annotations

from collections.abc import Sequence
from math import factorial, inf, nan
from math import log as ln

from dsl.ir.function import Atom, Equation, Literal
from dsl.ir.op import NoParams
from dsl.ops.layout import BROADCAST_IN_DIM
from dsl.types.dtype import F32, F64
from lowering.stablehlo.context import Context, Rule
from lowering.stablehlo.formulas import as_normal
from lowering.stablehlo.growth import power_of_two
from lowering.stablehlo.parts import power_of_size
from lowering.stablehlo.wide import DOUBLE, FLOATS, Wide, fast

ROOT_HALF = 0x3F3504F3
"""The bits of the root of 1/2."""

LOG_SERIES = (
    *(1.4426950408862034, -0.7213475203430864, 0.48089834907279605, -0.36067378977100667, 0.28853876232996656),
    *(-0.24044662677728448, 0.20610869528314435, -0.18043268521004507, 0.1601822613009662, -0.14252340755384457),
    *(0.13062890258117785, -0.13478928740484836, 0.13113743745711945, -0.06806287578223615),
)
"""log2(1 + f) / f over f, between the roots of 1/2 and 2, with an error of 2^-38. There is no quotient in it: XLA would
write that to memory, as it is used twice."""

EXP_SERIES = tuple([ln(2) ** n / factorial(n) for n in range(9)])
"""2^r over r, up to 1/2: with an error of 2^-32."""

FAR = 300.0
"""An exponent beyond those of f32, and within those of f64."""

KNOWN = 3.0
"""Multiples of 1/2 up to this are exponents for which XLA has products and roots."""


def power(otherwise: Rule) -> Rule:
    """The rule of `pow`. What is known to be a product, a root or a reciprocal is left to XLA."""
    formula = fast(pow, otherwise, FLOATS)

    def rule(cx: Context, params: NoParams, equation: Equation, operands: list[str]) -> Sequence[str]:
        exponent = _number(cx, equation.inputs[1])
        is_simple = exponent is not None and abs(exponent) <= KNOWN and (2 * exponent).is_integer()
        return (otherwise if is_simple else formula)(cx, params, equation, operands)

    return rule


def _number(cx: Context, x: Atom) -> float | None:
    """The number that all elements are, if that is known."""
    made = cx.made.get(x)
    if made is not None and made.op is BROADCAST_IN_DIM:
        return _number(cx, made.inputs[0])
    return x.value.real if isinstance(x, Literal) else None


def pow(x: Wide, y: Wide) -> Wide:
    """The power of the size of x, then the sign, and what is special. Numbers without a normal form are known by their
    bits."""
    format = x.format
    size, height = x.bits & ~format.sign, y.bits & ~format.sign
    is_tiny = height.compare("gt", 0) & height.compare("lt", 1 << format.fraction)
    y = is_tiny.where(2.0 ** (1 - format.bias), y.unary("abs"), y).signed_as(y)
    found = power_of_size(size, y) if format is DOUBLE else _power_of_size(size, y)
    is_negative = x.bits.compare("lt", 0)
    is_whole = y.unary("floor").compare("eq", y)
    is_odd = is_whole & _has_half(y)
    found = (is_negative & is_odd).where(-found, found, x)
    is_finite = size.compare("gt", 0) & size.compare("lt", format.infinity)
    found = (is_negative & is_finite & is_whole.unary("not")).where(nan, found, x)
    is_flat = size.compare("eq", format.one) & height.compare("eq", format.infinity)
    is_one = height.compare("eq", 0) | x.bits.compare("eq", format.one) | is_flat
    return is_one.where(1.0, found, x)


def _has_half(y: Wide) -> Wide:
    """Return whether half of y is not whole."""
    half = y * 0.5
    return half.unary("floor").compare("ne", half)


def _power_of_size(size: Wide, y: Wide) -> Wide:
    """The power of the float with these bits, which has no sign."""
    z = (y.converted(F64) * _log2(size)).maximum(-FAR).minimum(FAR)
    k = z.unary("round_nearest_even")
    return ((z - k).horner(EXP_SERIES) * power_of_two(k)).converted(F32)


def _log2(size: Wide) -> Wide:
    """The logarithm to base 2, in f64, of the float with these bits, which has no sign."""
    format = size.format
    normal, tiny = as_normal(size.number, size)
    shifted = normal.bits + (format.one - ROOT_HALF)
    k = (shifted >> format.fraction) - tiny.where(format.bias + format.tiny, format.bias, size)
    f = ((shifted & (1 << format.fraction) - 1) + ROOT_HALF).number.converted(F64) - 1.0
    found = k.converted(F64) + f * f.horner(LOG_SERIES)
    found = size.compare("eq", 0).where(-inf, found, found)
    found = size.compare("eq", format.infinity).where(inf, found, found)
    return size.compare("gt", format.infinity).where(nan, found, found)
