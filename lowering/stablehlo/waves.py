"""Sine, cosine, tangent and complex exponentials on CPUs: the remainder of a division by pi/2, then a polynomial.

The remainder is exact where it matters up to quotients of 2^20. Arrays with larger arguments are left to XLA as a
whole, which calls the C library for each element. Read next: `guarded`, which decides between the two; `wide`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import reduce
from math import pi
from operator import or_
from types import MappingProxyType

from dsl.ir.function import Equation
from dsl.ir.op import AnyOp
from dsl.ops.unary import COS, EXP, SIN, TAN
from dsl.types.dtype import COMPLEXES, F32, F64
from lowering.stablehlo import growth
from lowering.stablehlo.context import Context
from lowering.stablehlo.reduce import emit_any
from lowering.stablehlo.wide import DOUBLE, FLOATS, SINGLE, Wide

ENOUGH = 4096
"""The elements from which the longer program pays, which looks for large arguments first."""

MOST = float(1 << 20)
"""The quotients up to which the products of `PARTS` are exact."""

PARTS = 1.5707963267341256, 6.077100506303966e-11, 2.0222662487959506e-21
"""pi/2 in parts of 33, 33 and 53 bits."""

SHIFTER = 1.5 * 2.0**52
"""Added to a small integer, it makes the low bits of the float those of the integer, also of a negative one."""

SINE = MappingProxyType(
    {
        DOUBLE: (
            *(-0.16666666666666632, 0.008333333333322363, -0.0001984126982976662, 2.7557313677275332e-06),
            *(-2.5050755759845727e-08, 1.5896655424082253e-10),
        ),
        SINGLE: (-0.16666654908421327, 0.008332175836417745, -0.0001951697638851444),
    }
)
"""(sin(r) / r - 1) / r^2, up to pi/4: a polynomial in r^2."""

COSINE = MappingProxyType(
    {
        DOUBLE: (
            *(0.0416666666666666, -0.0013888888888873975, 2.48015872893983e-05, -2.7557314329404446e-07),
            *(2.087572025149241e-09, -1.1359494132952947e-11),
        ),
        SINGLE: (0.041666646806724966, -0.0013887364466143844, 2.4438089018664353e-05),
    }
)
"""(cos(r) - 1 + r^2 / 2) / r^4, up to pi/4: a polynomial in r^2."""


def _reduced(x: Wide) -> tuple[Wide, Wide, Wide | None]:
    """The quotient by pi/2, rounded, in the low bits of integers; the remainder, and what its rounding has lost, if
    that counts."""
    wide = x.converted(F64)
    quotient = (wide * (2 / pi)).unary("round_nearest_even")
    first, second, third = [quotient * part for part in PARTS]
    rough = wide - first
    near = rough - second
    remainder = near - third
    counts = (quotient + SHIFTER).bits
    if x.type.dtype is F32:
        return counts.converted(x.format.bits), remainder.converted(F32), None
    return counts, remainder, ((rough - near) - second) + ((near - remainder) - third)


def _both(r: Wide, lost: Wide | None) -> tuple[Wide, Wide]:
    """The sine and the cosine of a remainder up to pi/4."""
    square = r * r
    half = square * 0.5
    whole = 1.0 - half
    bend = r * square * square.horner(SINE[r.format])
    rest = ((1.0 - whole) - half) + square * square * square.horner(COSINE[r.format])
    if lost is None:
        return r + bend, whole + rest
    return r + (bend + lost * whole), whole + (rest - r * lost)


def _turned(x: Wide, ahead: int) -> Wide:
    """The sine of x and so many quarters of a turn."""
    counts, r, lost = _reduced(x)
    sine, cosine = _both(r, lost)
    quarter = counts + ahead if ahead else counts
    size = (quarter & 1).compare("ne", 0).where(cosine, sine, x)
    flipped = (quarter << (x.format.bits.bits - 2)) & x.format.sign
    return (size.bits ^ flipped).number


def _sine(x: Wide) -> Wide:
    return x.compare("eq", 0.0).where(x, _turned(x, 0), x)


def _tangent(x: Wide) -> Wide:
    counts, r, lost = _reduced(x)
    sine, cosine = _both(r, lost)
    odd = (counts & 1).compare("ne", 0)
    found = odd.where(-cosine, sine, x) / odd.where(sine, cosine, x)
    return x.compare("eq", 0.0).where(x, found, x)


def _cosine(x: Wide) -> Wide:
    return _turned(x, 1)


def _complex_exponential(x: Wide) -> Wide:
    """exp(a) (cos(b) + i sin(b)) of a + i b; real, also as nan, where b is zero."""
    size, angle = x.parts
    real, imaginary = growth.scaled_exp(size, _cosine(angle), _turned(angle, 0))
    return x.joined(real, angle.compare("eq", 0.0).where(angle, imaginary, angle))


_FORMULAS: Mapping[AnyOp, Callable[[Wide], Wide]] = MappingProxyType(
    {SIN: _sine, COS: _cosine, TAN: _tangent, EXP: _complex_exponential}
)


def is_guarded(equation: Equation) -> bool:
    """Return whether a formula computes an equation on CPUs where its argument is small."""
    if equation.op not in _FORMULAS:
        return False
    type = equation.outputs[0].type
    return type.dtype in (COMPLEXES if equation.op is EXP else FLOATS) and type.size >= ENOUGH


def emit_formula(cx: Context, equation: Equation) -> str:
    """The result of an equation with a small argument."""
    (x,) = equation.inputs
    return _FORMULAS[equation.op](Wide(cx, cx.operand(x), x.type)).name


def emit_any_far(cx: Context, equations: Iterable[Equation]) -> str:
    """A flag that is set if an argument of these equations, which have one shape, is too large for a formula."""
    arguments = {cx.operand(x): x.type for equation in equations for x in equation.inputs}
    angles = [_angle(Wide(cx, x, type)) for x, type in arguments.items()]
    far = [angle.unary("abs").compare("gt", MOST * 1.5) for angle in angles]
    flags = reduce(or_, far)
    return emit_any(cx, flags.name, flags.type)


def _angle(x: Wide) -> Wide:
    return x.parts[1] if x.type.dtype in COMPLEXES else x
