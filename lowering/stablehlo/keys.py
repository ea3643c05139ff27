"""Integers in the order of the values of an array: what is sorted, or reduced, instead of the values.

XLA compares integers without calling the region of a sort, and reduces them in vectors. Both zeros are one integer,
but in `total_order`. Read next: `sort`, `reduce`, which use them.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from dsl.ir.function import Tensor
from dsl.types.dtype import BOOL, F32, F64, I32, I64, U32, U64, DType
from lowering.stablehlo.context import Context
from lowering.stablehlo.elementwise import choice, comparison, emit_binary, emit_convert

HALF = 32
"""The bits of a word, and of the position behind it in one integer of 64."""

LOWEST = -(1 << (HALF - 1))
"""The least word."""

LAST: Mapping[DType, int] = MappingProxyType({I32: (1 << 31) - 1, I64: (1 << 63) - 1})
FIRST: Mapping[DType, int] = MappingProxyType({I32: -(1 << 31), I64: -(1 << 63)})


def words(cx: Context, x: str, source: Tensor) -> list[str]:
    """Integers of 64 bits within the range of one of 32, the most significant first; nan comes after all numbers."""
    type = Tensor(I64, source.shape)
    if source.dtype.is_float:
        order = key_of(cx, x, source)
        return _halves(cx, order, type) if source.dtype is F64 else [emit_convert(cx, order, bits_of(source), type)]
    if source.dtype.bits > HALF:
        return _halves(cx, _signed(cx, x, source), type)
    word = emit_convert(cx, x, source, type)
    return [_shifted(cx, word, type)] if source.dtype is U32 else [word]


def bits_of(source: Tensor) -> Tensor:
    """Integers as wide as the floats that are compared."""
    return Tensor(I64 if source.dtype is F64 else I32, source.shape)


def key_of(cx: Context, x: str, source: Tensor) -> str:
    """`signed_order`, with nan after all numbers."""
    return _nan_last(cx, signed_order(cx, x, source), x, source)


def value_of(cx: Context, key: str, target: Tensor) -> str:
    """The floats of keys: the inverse of `key_of`, with 0.0 for both zeros."""
    bits = bits_of(target)
    turned = emit_binary(cx, "subtract", cx.constant(FIRST[bits.dtype], bits), key, bits)
    negative = comparison(cx, "lt", key, cx.constant(0, bits), bits)
    return _from_raw(cx, choice(cx, negative, turned, key, Tensor(BOOL, target.shape), bits), target)


def total_order(cx: Context, x: str, source: Tensor) -> str:
    """Integers in the order of the floats, in which -0.0 precedes 0.0; nan comes last."""
    return _nan_last(cx, _turned(cx, _raw(cx, x, source), bits_of(source)), x, source)


def from_total_order(cx: Context, key: str, target: Tensor) -> str:
    """The floats that `total_order` made integers from."""
    return _from_raw(cx, _turned(cx, key, bits_of(target)), target)


def _turned(cx: Context, x: str, bits: Tensor) -> str:
    """Negative integers in the opposite order; its own inverse."""
    opposite = emit_binary(cx, "xor", x, cx.constant(LAST[bits.dtype], bits), bits)
    return choice(cx, comparison(cx, "lt", x, cx.constant(0, bits), bits), opposite, x, Tensor(BOOL, bits.shape), bits)


def _nan_last(cx: Context, key: str, x: str, source: Tensor) -> str:
    bits = bits_of(source)
    nan, last = comparison(cx, "ne", x, x, source), cx.constant(LAST[bits.dtype], bits)
    return choice(cx, nan, last, key, Tensor(BOOL, source.shape), bits)


def _compared(type: Tensor) -> Tensor:
    """The floats that are compared in place of others: at least of 32 bits."""
    return Tensor(F64 if type.dtype is F64 else F32, type.shape)


def _raw(cx: Context, x: str, source: Tensor) -> str:
    """The bits of floats."""
    wide, bits = _compared(source), bits_of(source)
    x = emit_convert(cx, x, source, wide)
    return cx.emit(f"stablehlo.bitcast_convert {x} : ({cx.type(wide)}) -> {cx.type(bits)}")


def _from_raw(cx: Context, raw: str, target: Tensor) -> str:
    """The floats of bits."""
    wide, bits = _compared(target), bits_of(target)
    value = cx.emit(f"stablehlo.bitcast_convert {raw} : ({cx.type(bits)}) -> {cx.type(wide)}")
    return emit_convert(cx, value, wide, target)


def signed_order(cx: Context, x: str, source: Tensor) -> str:
    """The bits of floats as a sign and a magnitude: integers of 64 bits for f64, of 32 for the others."""
    raw, bits = _raw(cx, x, source), bits_of(source)
    magnitude = emit_binary(cx, "and", raw, cx.constant(LAST[bits.dtype], bits), bits)
    below = cx.emit(f"stablehlo.negate {magnitude} : {cx.type(bits)}")
    negative = comparison(cx, "lt", raw, cx.constant(0, bits), bits)
    return choice(cx, negative, below, raw, Tensor(BOOL, source.shape), bits)


def with_positions(cx: Context, word: str, shape: tuple[int, ...], axis: int) -> str:
    """`word << 32 | position` along an axis: equal words keep their order."""
    return with_places(cx, word, cx.emit(f"stablehlo.iota dim = {axis} : {cx.type(Tensor(I64, shape))}"), shape)


def with_places(cx: Context, word: str, places: str, shape: tuple[int, ...]) -> str:
    """`word << 32 | place`."""
    type = Tensor(I64, shape)
    high = emit_binary(cx, "shift_left", word, cx.constant(HALF, type), type)
    return emit_binary(cx, "or", high, places, type)


def positions(cx: Context, both: str, type: Tensor, target: Tensor) -> str:
    """Return the positions computed by `with_positions`."""
    mask = cx.constant((1 << HALF) - 1, type)
    return emit_convert(cx, emit_binary(cx, "and", both, mask, type), type, target)


def reversed_order(cx: Context, word: str, shape: tuple[int, ...]) -> str:
    """The words in the opposite order."""
    return cx.emit(f"stablehlo.not {word} : {cx.type(Tensor(I64, shape))}")


def _signed(cx: Context, x: str, source: Tensor) -> str:
    """Integers of 64 bits with a sign, in the same order."""
    if source.dtype is not U64:
        return x
    type = Tensor(I64, source.shape)
    bits = cx.emit(f"stablehlo.bitcast_convert {x} : ({cx.type(source)}) -> {cx.type(type)}")
    return emit_binary(cx, "xor", bits, cx.constant(-(1 << 63), type), type)


def _halves(cx: Context, x: str, type: Tensor) -> list[str]:
    high = emit_binary(cx, "shift_right_arithmetic", x, cx.constant(HALF, type), type)
    low = emit_binary(cx, "and", x, cx.constant((1 << HALF) - 1, type), type)
    return [high, _shifted(cx, low, type)]


def _shifted(cx: Context, x: str, type: Tensor) -> str:
    """Integers without a sign as words."""
    return emit_binary(cx, "add", x, cx.constant(LOWEST, type), type)
