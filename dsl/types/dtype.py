"""Element types and their classes. Knows nothing of shapes, stages or programs."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from types import MappingProxyType

import ml_dtypes
import numpy as np


class Kind(Enum):
    BOOL = "bool"
    SIGNED = "signed"
    UNSIGNED = "unsigned"
    FLOAT = "float"
    COMPLEX = "complex"


@dataclass(frozen=True, slots=True)
class DType:
    """One of the fourteen element types; `bits` counts the whole element, both parts of a complex."""

    name: str
    kind: Kind = field(compare=False)
    bits: int = field(compare=False)
    numpy: np.dtype[np.generic] = field(compare=False, repr=False)

    @property
    def is_integer(self) -> bool:
        return self.kind in (Kind.SIGNED, Kind.UNSIGNED)

    @property
    def is_float(self) -> bool:
        return self.kind is Kind.FLOAT

    @property
    def is_complex(self) -> bool:
        return self.kind is Kind.COMPLEX

    @property
    def is_inexact(self) -> bool:
        return self.kind in (Kind.FLOAT, Kind.COMPLEX)

    @property
    def is_bool(self) -> bool:
        return self.kind is Kind.BOOL

    @property
    def real(self) -> DType:
        """The dtype of the absolute value: `c64` gives `f32`; real dtypes give themselves."""
        return {C64: F32, C128: F64}.get(self, self)

    def __str__(self) -> str:
        return self.name


def _of(name: str, kind: Kind, bits: int, numpy: type[np.generic] | str) -> DType:
    return DType(name, kind, bits, np.dtype(numpy))


BOOL = _of("bool", Kind.BOOL, 8, np.bool_)
I8 = _of("i8", Kind.SIGNED, 8, np.int8)
I16 = _of("i16", Kind.SIGNED, 16, np.int16)
I32 = _of("i32", Kind.SIGNED, 32, np.int32)
I64 = _of("i64", Kind.SIGNED, 64, np.int64)
U8 = _of("u8", Kind.UNSIGNED, 8, np.uint8)
U16 = _of("u16", Kind.UNSIGNED, 16, np.uint16)
U32 = _of("u32", Kind.UNSIGNED, 32, np.uint32)
U64 = _of("u64", Kind.UNSIGNED, 64, np.uint64)
BF16 = _of("bf16", Kind.FLOAT, 16, ml_dtypes.bfloat16)
F16 = _of("f16", Kind.FLOAT, 16, np.float16)
F32 = _of("f32", Kind.FLOAT, 32, np.float32)
F64 = _of("f64", Kind.FLOAT, 64, np.float64)
C64 = _of("c64", Kind.COMPLEX, 64, np.complex64)
C128 = _of("c128", Kind.COMPLEX, 128, np.complex128)

ALL = (BOOL, I8, I16, I32, I64, U8, U16, U32, U64, BF16, F16, F32, F64, C64, C128)
BY_NAME = MappingProxyType({d.name: d for d in ALL})
BY_NUMPY = MappingProxyType({d.numpy: d for d in ALL})

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
