"""Element types and their classes. Knows nothing of shapes, stages or programs; NumPy is loaded when asked for."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from enum import Enum
from functools import cache
from importlib import import_module
from types import MappingProxyType
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    import numpy as np


class Kind(Enum):
    BOOL = "bool"
    SIGNED = "signed"
    UNSIGNED = "unsigned"
    FLOAT = "float"
    COMPLEX = "complex"


@dataclass(frozen=True, slots=True, eq=False)
class DType:
    """One of the element types, each a single object; `bits` counts the whole element, both parts of a complex. What
    kind it is of, compilers ask all the time: that is written down."""

    name: str
    kind: Kind
    bits: int
    is_bool: bool = field(init=False)
    is_integer: bool = field(init=False)
    is_float: bool = field(init=False)
    is_complex: bool = field(init=False)
    is_inexact: bool = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "is_bool", self.kind is Kind.BOOL)
        object.__setattr__(self, "is_integer", self.kind in (Kind.SIGNED, Kind.UNSIGNED))
        object.__setattr__(self, "is_float", self.kind is Kind.FLOAT)
        object.__setattr__(self, "is_complex", self.kind is Kind.COMPLEX)
        object.__setattr__(self, "is_inexact", self.is_float or self.is_complex)

    def __reduce__(self) -> str:
        return self.name.upper()

    @property
    def numpy(self) -> np.dtype[np.generic]:
        """Return the NumPy dtype; for bf16 that of `ml_dtypes`."""
        return _numpy(self.name)

    @property
    def dtype(self) -> np.dtype[np.generic]:
        """Return the NumPy dtype, so that NumPy accepts this object as one: `np.zeros(3, dsl.f32)`."""
        return self.numpy

    @property
    def overflow(self) -> float | None:
        """The least number that a float, or each part of a complex, rounds to infinity; none for what Python's numbers
        do not overflow."""
        return None if self.name not in _FORMATS or self.name in _OF_PYTHON else float(_overflowing(self))

    @property
    def real(self) -> DType:
        """The dtype of the absolute value: `c64` gives `f32`; real dtypes give themselves."""
        return {C64: F32, C128: F64}.get(self, self)

    @property
    def complex(self) -> DType:
        """The dtype of complex numbers with parts of this one: `f32` gives `c64`; complex dtypes give themselves."""
        return {F32: C64, F64: C128}.get(self, self)

    def __str__(self) -> str:
        return self.name

    def __repr__(self) -> str:
        return f"dsl.{self.name}_" if self.is_bool else f"dsl.{self.name}"


_OF_PYTHON = MappingProxyType({"f64": (52, 1023), "c128": (52, 1023)})
_FORMATS = MappingProxyType({"bf16": (7, 127), "f16": (10, 15), "f32": (23, 127), "c64": (23, 127), **_OF_PYTHON})
"""Bits of the mantissa, and the largest exponent."""


def _overflowing(dtype: DType) -> int:
    """The least integer that rounds to infinity."""
    mantissa, exponent = _FORMATS[dtype.name]
    return (1 << exponent + 1) - (1 << exponent - mantissa - 1)


@cache
def _numpy(name: str) -> np.dtype[np.generic]:
    return cast("np.dtype[np.generic]", import_module("dsl.types.numpy_dtypes").OF_NAME[name])


BOOL = DType("bool", Kind.BOOL, 8)
I8 = DType("i8", Kind.SIGNED, 8)
I16 = DType("i16", Kind.SIGNED, 16)
I32 = DType("i32", Kind.SIGNED, 32)
I64 = DType("i64", Kind.SIGNED, 64)
U8 = DType("u8", Kind.UNSIGNED, 8)
U16 = DType("u16", Kind.UNSIGNED, 16)
U32 = DType("u32", Kind.UNSIGNED, 32)
U64 = DType("u64", Kind.UNSIGNED, 64)
BF16 = DType("bf16", Kind.FLOAT, 16)
F16 = DType("f16", Kind.FLOAT, 16)
F32 = DType("f32", Kind.FLOAT, 32)
F64 = DType("f64", Kind.FLOAT, 64)
C64 = DType("c64", Kind.COMPLEX, 64)
C128 = DType("c128", Kind.COMPLEX, 128)

ALL = (BOOL, I8, I16, I32, I64, U8, U16, U32, U64, BF16, F16, F32, F64, C64, C128)
BY_NAME = MappingProxyType({d.name: d for d in ALL})

SIGNED = (I8, I16, I32, I64)
UNSIGNED = (U8, U16, U32, U64)
INTEGERS = SIGNED + UNSIGNED
FLOATS = (BF16, F16, F32, F64)
COMPLEXES = (C64, C128)

CLASSES = MappingProxyType(
    {
        "Any": ALL,
        "Num": INTEGERS + FLOATS + COMPLEXES,
        "Int": INTEGERS,
        "Float": FLOATS,
        "Complex": COMPLEXES,
        "Real": INTEGERS + FLOATS,
        "Inexact": FLOATS + COMPLEXES,
    }
)


def dtypes_named(name: str) -> tuple[DType, ...] | None:
    """Return the dtypes of a class, or the single dtype of a name."""
    return (BY_NAME[name],) if name in BY_NAME else CLASSES.get(name)


def class_of(dtypes: Collection[DType]) -> str:
    """The smallest class that has all of these."""
    fitting = [name for name, allowed in CLASSES.items() if set(dtypes) <= set(allowed)]
    return min(fitting, key=lambda name: len(CLASSES[name]))


def integers_of(dtype: DType) -> tuple[int, int] | None:
    """The least and the greatest integer that a dtype of numbers holds, if rounded; none for bools."""
    if dtype.is_bool or dtype.is_integer:
        return integer_range(dtype) if dtype.is_integer else None
    return 1 - _overflowing(dtype), _overflowing(dtype) - 1


def integer_range(dtype: DType) -> tuple[int, int]:
    """The least and the greatest number of an integer dtype."""
    if dtype in UNSIGNED:
        return 0, 2**dtype.bits - 1
    return -(2 ** (dtype.bits - 1)), 2 ** (dtype.bits - 1) - 1
