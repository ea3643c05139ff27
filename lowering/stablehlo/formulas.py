"""Elementwise functions of f64 on CPUs, as arithmetic that XLA vectorises.

XLA calls the C library for each of these elements. What stands here are reductions of the argument by its bits and
polynomials, of which all steps are vector instructions: within one unit in the last place, and exact in special values.
`log` and `cbrt` read arguments without a normal form by their bits, since XLA's CPU programs count them as zeros.
The rules of `registry` call `fast`, which leaves other dtypes, other platforms and small arrays to XLA.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import inf, nan

from dsl.ir.function import Atom, Equation, Tensor
from dsl.ir.op import NoParams, Op
from dsl.ir.traits import Cost
from dsl.types.dtype import BOOL, F64, I64, DType
from lowering.stablehlo.context import Context, Rule
from lowering.stablehlo.elementwise import choice, comparison
from lowering.stablehlo.work import is_computed_where_used

ENOUGH = 256
"""The elements from which a longer program pays."""

FRACTION = (1 << 52) - 1
DEEP = 6
"""Operations behind each other that are looked at to find how much makes an operand."""

SIGN = -(1 << 63)
ONE = 0x3FF << 52
INFINITY = 0x7FF << 52
SHIFTER = 0x433 << 52
"""The bits of 2^52: an integer below it, joined with these, is the float 2^52 + integer."""

TWO52 = float(1 << 52)
TINY = 1074
"""The exponent of the least float, of which those without a normal form are multiples."""


@dataclass(frozen=True, slots=True)
class Wide:
    """An array being computed with: floats or integers of 64 bits, or flags. Operators write operations."""

    cx: Context
    name: str
    type: Tensor

    def _of(self, other: Wide | float) -> str:
        return other.name if isinstance(other, Wide) else self.cx.constant(other, self.type)

    def _with(self, spelling: str, other: Wide | float) -> Wide:
        text = f"stablehlo.{spelling} {self.name}, {self._of(other)} : {self.cx.type(self.type)}"
        return Wide(self.cx, self.cx.emit(text), self.type)

    def __add__(self, other: Wide | float) -> Wide:
        return self._with("add", other)

    def __sub__(self, other: Wide | float) -> Wide:
        return self._with("subtract", other)

    def __mul__(self, other: Wide | float) -> Wide:
        return self._with("multiply", other)

    def __truediv__(self, other: Wide | float) -> Wide:
        return self._with("divide", other)

    def __and__(self, other: Wide | int) -> Wide:
        return self._with("and", other)

    def __or__(self, other: Wide | int) -> Wide:
        return self._with("or", other)

    def __rshift__(self, other: int) -> Wide:
        return self._with("shift_right_logical", other)

    def __lshift__(self, other: int) -> Wide:
        return self._with("shift_left", other)

    def maximum(self, other: Wide | float) -> Wide:
        return self._with("maximum", other)

    def minimum(self, other: Wide | float) -> Wide:
        return self._with("minimum", other)

    def unary(self, spelling: str) -> Wide:
        return Wide(self.cx, self.cx.emit(f"stablehlo.{spelling} {self.name} : {self.cx.type(self.type)}"), self.type)

    def compare(self, way: str, other: Wide | float) -> Wide:
        found = comparison(self.cx, way, self.name, self._of(other), self.type)
        return Wide(self.cx, found, Tensor(BOOL, self.type.shape))

    def where(self, x: Wide | float, y: Wide | float, like: Wide) -> Wide:
        """`x` where these flags are set, else `y`: arrays like another."""
        picked = choice(self.cx, self.name, like._of(x), like._of(y), self.type, like.type)
        return Wide(self.cx, picked, like.type)

    def _bits_as(self, dtype: DType) -> Wide:
        type = Tensor(dtype, self.type.shape)
        text = f"stablehlo.bitcast_convert {self.name} : ({self.cx.type(self.type)}) -> {self.cx.type(type)}"
        return Wide(self.cx, self.cx.emit(text), type)

    @property
    def bits(self) -> Wide:
        return self._bits_as(I64)

    @property
    def number(self) -> Wide:
        return self._bits_as(F64)

    def horner(self, coefficients: Sequence[float]) -> Wide:
        """The polynomial with these coefficients, the constant one first."""
        total = self * coefficients[-1] + coefficients[-2]
        for coefficient in reversed(coefficients[:-2]):
            total = total * self + coefficient
        return total


def counted(x: Wide) -> Wide:
    """Floats of integers from 0 to 2^52."""
    return (x | SHIFTER).number - TWO52


def fast(formula: Callable[..., Wide], otherwise: Rule) -> Rule:
    """A rule that writes a formula for large arrays of f64 on a CPU."""

    def rule(cx: Context, params: NoParams, equation: Equation, operands: list[str]) -> Sequence[str]:
        type = equation.outputs[0].type
        if type.dtype is not F64 or type.size < ENOUGH or not cx.is_for_cpu:
            return otherwise(cx, params, equation, operands)
        heavy = [x for x in equation.inputs if not _is_light(cx, x, DEEP)]
        if len(heavy) > 1:
            return otherwise(cx, params, equation, operands)
        return (formula(*[Wide(cx, operand, type) for operand in operands]).name,)

    return rule


def _is_light(cx: Context, x: Atom, depth: int) -> bool:
    """Return whether an operand is in memory, or made of such by operations of little cost. XLA keeps what a formula
    reads, each operand in a pass of its own: what two of them have in common is computed twice."""
    made = cx.made.get(x)
    if made is None or not is_computed_where_used(made):
        return True
    is_cheap = isinstance(made.op, Op) and made.op.traits.cost is not Cost.MODERATE
    return is_cheap and depth > 0 and all(_is_light(cx, each, depth - 1) for each in made.inputs)


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


def _normal(x: Wide, raw: Wide) -> tuple[Wide, Wide]:
    """Positive floats as normal ones, and flags of those that were multiplied by 2^1074 for it."""
    tiny = raw.compare("lt", 1 << 52)
    return tiny.where(counted(raw), x, x), tiny


def log(x: Wide) -> Wide:
    """x = 2^k (1 + f) with 1 + f between the roots of 1/2 and 2, then a series in f / (2 + f)."""
    raw = x.bits
    size = raw & ~SIGN
    normal, tiny = _normal(size.number, size)
    shifted = normal.bits + (ONE - ROOT_HALF)
    k = ((shifted >> 52) | SHIFTER).number - tiny.where(TWO52 + 1023 + TINY, TWO52 + 1023, x)
    f = ((shifted & FRACTION) + ROOT_HALF).number - 1.0
    s = f / (f + 2.0)
    square, half = s * s, f * f * 0.5
    rest = square.horner(LOG_SERIES) * square
    found = k * LN2[0] - ((half - (s * (half + rest) + k * LN2[1])) - f)
    found = (raw.compare("lt", 0) | raw.compare("gt", INFINITY)).where(nan, found, x)
    found = raw.compare("eq", INFINITY).where(inf, found, x)
    return normal.compare("eq", 0.0).where(-inf, found, x)  # by the bits LLVM would compare x, and find it equal


# --- cube root --------------------------------------------------------------------------------------------

INVERSE_ROOT = 1430257664 - 0.0331 * (1 << 20)
"""The upper half of the bits of y^(-1/3) is about this less a third of that of y."""

ROOT_SERIES = (1 / 3, 2 / 9, 14 / 81, 35 / 243, 91 / 729, 728 / 6561)
"""((1 - e)^(-1/3) - 1) / e."""


def cbrt(x: Wide) -> Wide:
    """The inverse root from the bits, twice improved by a series; then one step from a root of few bits."""
    raw = x.bits
    size = raw & ~SIGN
    y, tiny = _normal(size.number, size)
    start = (counted(y.bits >> 32) * (-1 / 3) + INVERSE_ROOT) + TWO52
    q = (start.bits << 32).number
    for terms in (ROOT_SERIES, ROOT_SERIES[:2]):
        e = (y * q * q * q - 1.0) * -1.0
        q = q + q * (e * e.horner(terms))
    rough = (((y * q * q).bits + (1 << 29)) & -(1 << 30)).number  # its square is exact
    off = y / (rough * rough) - rough
    root = rough + off * (1 / 3) - off * off * q * (1 / 9)
    scaled = tiny.where(root * 2.0 ** (-TINY // 3), root, x)
    signed = (scaled.bits | (raw & SIGN)).number
    special = size.compare("eq", 0) | size.compare("ge", INFINITY)
    return special.where(x, signed, x)


# --- angle ------------------------------------------------------------------------------------------------

ATAN_SERIES = (
    *(3.33333333333329318027e-01, -1.99999999998764832476e-01, 1.42857142725034663711e-01, -1.11111104054623557880e-01),
    *(9.09088713343650656196e-02, -7.69187620504482999495e-02, 6.66107313738753120669e-02, -5.83357013379057348645e-02),
    *(4.97687799461593236017e-02, -3.65315727442169155270e-02, 1.62858201153657823623e-02),
)
"""1 - atan(t) / t over t^2, up to t = 7/16: a polynomial in t^2."""

PI_PARTS = (3.1415926535897931160e00, 1.2246467991473531772e-16)
"""Pi, and what is missing from it."""


def atan2(y: Wide, x: Wide) -> Wide:
    """The angle of the smaller over the larger size, from pi/4 if it is past 7/16; then turned into its octant."""
    flat, up = (each.unary("abs") for each in (x, y))
    large, small = flat.maximum(up), flat.minimum(up)
    factor = large.compare("gt", 2.0**1000).where(2.0**-100, large.compare("lt", 2.0**-900).where(2.0**100, 1.0, x), x)
    far = small.compare("gt", large * 0.4375)
    side, base = small * factor, large * factor
    t = far.where(side - base, side, x) / far.where(side + base, base, x)
    square = t * t
    fourth = square * square
    bend = t * (square * fourth.horner(ATAN_SERIES[::2]) + fourth * fourth.horner(ATAN_SERIES[1::2]))
    high, low = (far.where(part / 4, 0.0, x) for part in PI_PARTS)
    angle = high - ((bend - low) - t)
    angle = small.compare("eq", large).where(PI_PARTS[0] / 4, angle, x)
    angle = (small.compare("eq", 0.0) | (large.compare("eq", inf) & small.compare("lt", inf))).where(0.0, angle, x)
    steep, left = up.compare("gt", flat), x.bits.compare("lt", 0)
    angle = steep.where(_minus(PI_PARTS[0] / 2, angle - PI_PARTS[1] / 2), angle, x)
    angle = left.where(_minus(PI_PARTS[0], angle - PI_PARTS[1]), angle, x)
    signed = (angle.bits | (y.bits & SIGN)).number
    return (x.compare("ne", x) | y.compare("ne", y)).where(nan, signed, x)


def _minus(number: float, x: Wide) -> Wide:
    return x.unary("negate") + number
