"""Types and constants as StableHLO text. Every value is written so that it is read back bit for bit.

Knows nothing of equations. Read next: `context`, which writes operations.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from types import MappingProxyType
from typing import Any

import numpy as np

from dsl.ir.function import Tensor
from dsl.types import dtype as d
from dsl.types.dtype import DType

ELEMENT = MappingProxyType(
    {
        d.BOOL: "i1",
        d.I8: "i8",
        d.I16: "i16",
        d.I32: "i32",
        d.I64: "i64",
        d.U8: "ui8",
        d.U16: "ui16",
        d.U32: "ui32",
        d.U64: "ui64",
        d.BF16: "bf16",
        d.F16: "f16",
        d.F32: "f32",
        d.F64: "f64",
        d.C64: "complex<f32>",
        d.C128: "complex<f64>",
    }
)
"""Element types by dtype."""

Scalar = bool | int | float | complex


def tensor(type: Tensor) -> str:
    """`tensor<2x3xf32>`."""
    extents = "".join([f"{extent}x" for extent in type.shape])
    return f"tensor<{extents}{ELEMENT[type.dtype]}>"


def scalar(value: Scalar, dtype: DType) -> str:
    """One element: `1.5`, `-3`, `true`, `(1.0, 0.0)`, or its bits in hexadecimal where decimals cannot say
    it."""
    if dtype.is_bool:
        return "true" if value else "false"
    if dtype.is_integer:
        return str(int(value.real))
    with np.errstate(over="ignore"):
        element = np.asarray(value).astype(dtype.numpy)
    if dtype.is_complex:
        return f"({_real(element.real[()], dtype.real)}, {_real(element.imag[()], dtype.real)})"
    return _real(element[()], dtype)


def _real(element: Any, dtype: DType) -> str:
    value = float(element)
    if not math.isfinite(value):
        bits = np.asarray(element, dtype.numpy).tobytes()[::-1].hex().upper()
        return f"0x{bits}"
    text = repr(value)
    # The grammar of MLIR wants digits on both sides of a point, also before an exponent.
    return text.replace("e", ".0e") if "e" in text and "." not in text else text


def splat(value: Scalar, type: Tensor) -> str:
    """A dense attribute with the same element everywhere."""
    return f"dense<{scalar(value, type.dtype)}> : {tensor(type)}"


def dense(array: np.ndarray[Any, Any], type: Tensor) -> str:
    """A dense attribute with the elements of `array`: a splat where they are all alike, else raw bytes in
    hex."""
    if array.size == 0:
        return f"dense<> : {tensor(type)}"
    raw = np.ascontiguousarray(array, type.dtype.numpy)
    first = raw.reshape(-1)[:1].tobytes()
    if raw.tobytes() == first * raw.size:
        return f"dense<{scalar(raw.reshape(-1)[0].item(), type.dtype)}> : {tensor(type)}"
    if type.dtype.is_bool:
        return f"dense<{format_nested(raw)}> : {tensor(type)}"
    return f'dense<"0x{raw.tobytes().hex().upper()}"> : {tensor(type)}'


def format_nested(raw: np.ndarray[Any, Any]) -> str:
    """Truth values as a nested list: the hexadecimal form of one-bit elements differs between versions."""
    if raw.ndim == 0:
        return "true" if raw[()] else "false"
    return "[" + ", ".join([format_nested(part) for part in raw]) + "]"


def integers(values: tuple[int, ...]) -> str:
    """`array<i64: 0, 2>`, the form of permutations, slices and dimension lists."""
    return f"array<i64: {', '.join(map(str, values))}>" if values else "array<i64>"


def format_list(values: Sequence[int]) -> str:
    """`[0, 2]`."""
    return str([*values])
