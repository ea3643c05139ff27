"""Arrays being computed with, one operation of StableHLO for each operator: what formulas are written in.

A formula reads floats by their bits and gives them back. `fast` makes it the rule of an op on CPUs, for arrays that are
large enough to pay for a longer program. Read next: `formulas`, `waves`, `growth`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from dsl.ir.function import Atom, Equation, Tensor
from dsl.ir.op import NoParams, Op
from dsl.ir.traits import Cost
from dsl.types.dtype import BOOL, F32, F64, I32, I64, DType
from lowering.stablehlo.context import Context, Rule
from lowering.stablehlo.elementwise import choice, comparison, emit_binary, emit_convert
from lowering.stablehlo.work import is_computed_where_used

ENOUGH = 256
"""The elements from which a longer program pays."""

DEEP = 6
"""Operations behind each other that are looked at to find how much makes an operand."""


@dataclass(frozen=True, slots=True)
class Format:
    """Floats of IEEE 754 by their bits. `fraction` is how many of these are the fraction's, `bias` what is added to an
    exponent."""

    floats: DType
    bits: DType
    fraction: int
    bias: int

    @property
    def sign(self) -> int:
        return -(1 << (self.bits.bits - 1))

    @property
    def one(self) -> int:
        """The bits of 1.0."""
        return self.bias << self.fraction

    @property
    def infinity(self) -> int:
        return (2 * self.bias + 1) << self.fraction

    @property
    def counting(self) -> int:
        """The bits of 2^fraction: an integer below it, joined with these, is the float 2^fraction + integer."""
        return (self.bias + self.fraction) << self.fraction

    @property
    def whole(self) -> float:
        """2^fraction, from which on every float is an integer."""
        return float(1 << self.fraction)

    @property
    def tiny(self) -> int:
        """The exponent of the least float, of which those without a normal form are multiples."""
        return self.bias - 1 + self.fraction

    @property
    def negligible(self) -> float:
        """A float that changes nothing where it is added to 1.0, nor does its square where it is added to it."""
        return 2.0 ** -(self.fraction + 2)


DOUBLE = Format(F64, I64, 52, 1023)
SINGLE = Format(F32, I32, 23, 127)
FLOATS = (F32, F64)
_FORMATS = MappingProxyType({F64: DOUBLE, I64: DOUBLE, F32: SINGLE, I32: SINGLE})


@dataclass(frozen=True, slots=True)
class Wide:
    """An array being computed with: floats, integers as wide, or flags. Operators write operations."""

    cx: Context
    name: str
    type: Tensor

    def _of(self, other: Wide | float) -> str:
        return other.name if isinstance(other, Wide) else self.cx.constant(other, self.type)

    def _with(self, spelling: str, other: Wide | float) -> Wide:
        return Wide(self.cx, emit_binary(self.cx, spelling, self.name, self._of(other), self.type), self.type)

    def __add__(self, other: Wide | float) -> Wide:
        return self._with("add", other)

    def __sub__(self, other: Wide | float) -> Wide:
        return self._with("subtract", other)

    def __mul__(self, other: Wide | float) -> Wide:
        return self._with("multiply", other)

    def __truediv__(self, other: Wide | float) -> Wide:
        self.cx.module.keeps_parts = True
        return self._with("divide", other)

    def __rsub__(self, other: float) -> Wide:
        return Wide(self.cx, self._of(other), self.type) - self

    def __rtruediv__(self, other: float) -> Wide:
        return Wide(self.cx, self._of(other), self.type) / self

    def __neg__(self) -> Wide:
        return self.unary("negate")

    def __xor__(self, other: Wide) -> Wide:
        return self._with("xor", other)

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
    def format(self) -> Format:
        return _FORMATS[self.type.dtype]

    @property
    def bits(self) -> Wide:
        return self._bits_as(self.format.bits)

    @property
    def number(self) -> Wide:
        return self._bits_as(self.format.floats)

    def signed_as(self, other: Wide) -> Wide:
        """These floats, of which none is negative, with the signs of others."""
        return (self.bits | (other.bits & other.format.sign)).number

    def converted(self, dtype: DType) -> Wide:
        """These values in another dtype."""
        type = Tensor(dtype, self.type.shape)
        return Wide(self.cx, emit_convert(self.cx, self.name, self.type, type), type)

    @property
    def parts(self) -> tuple[Wide, Wide]:
        """The real and the imaginary parts of complex numbers."""
        part = Tensor(self.type.dtype.real, self.type.shape)
        signature = f"({self.cx.type(self.type)}) -> {self.cx.type(part)}"
        real, imaginary = [self.cx.emit(f"stablehlo.{each} {self.name} : {signature}") for each in ("real", "imag")]
        return Wide(self.cx, real, part), Wide(self.cx, imaginary, part)

    def joined(self, real: Wide, imaginary: Wide) -> Wide:
        """The complex numbers of a type like these with such parts."""
        parts, whole = self.cx.type(real.type), self.cx.type(self.type)
        text = f"stablehlo.complex {real.name}, {imaginary.name} : ({parts}, {parts}) -> {whole}"
        return Wide(self.cx, self.cx.emit(text), self.type)

    def horner(self, coefficients: Sequence[float]) -> Wide:
        """The polynomial with these coefficients, the constant one first."""
        total = self * coefficients[-1] + coefficients[-2]
        for coefficient in reversed(coefficients[:-2]):
            total = total * self + coefficient
        return total


def counted(x: Wide) -> Wide:
    """Floats of integers from 0 to 2^fraction."""
    return (x | x.format.counting).number - x.format.whole


def fast(
    formula: Callable[..., Wide], otherwise: Rule, dtypes: Collection[DType] = (F64,), enough: int = ENOUGH
) -> Rule:
    """A rule that writes a formula for large arrays of some dtypes on a CPU."""

    def rule(cx: Context, params: NoParams, equation: Equation, operands: list[str]) -> Sequence[str]:
        type = equation.outputs[0].type
        if type.dtype not in dtypes or type.size < enough or not cx.is_for_cpu:
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
