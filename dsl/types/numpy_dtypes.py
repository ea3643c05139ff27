"""The dtypes of NumPy that ours are, and back; its arrays from one to another, and as Python numbers."""

from __future__ import annotations

from types import MappingProxyType
from typing import Any, TypeAlias

import ml_dtypes
import numpy as np

from dsl.types.dtype import ALL, BF16, UNSIGNED, DType

NDArray: TypeAlias = np.ndarray[Any, Any]

_SCALARS = MappingProxyType(
    {
        "bool": np.bool_,
        "i8": np.int8,
        "i16": np.int16,
        "i32": np.int32,
        "i64": np.int64,
        "u8": np.uint8,
        "u16": np.uint16,
        "u32": np.uint32,
        "u64": np.uint64,
        "bf16": ml_dtypes.bfloat16,
        "f16": np.float16,
        "f32": np.float32,
        "f64": np.float64,
        "c64": np.complex64,
        "c128": np.complex128,
    }
)

OF_NAME = MappingProxyType({name: np.dtype(scalar) for name, scalar in _SCALARS.items()})
BY_NUMPY = MappingProxyType({OF_NAME[dtype.name]: dtype for dtype in ALL})


def converted(x: NDArray, target: DType) -> NDArray:
    """The elements in another dtype, as `cast` has it: floats truncate and saturate to integers, integers wrap, complex
    to real drops i."""
    with np.errstate(all="ignore"):
        if x.dtype.kind == "c" and not target.is_complex:
            x = (x != 0) if target.is_bool else x.real
        if target.is_integer and x.dtype.kind not in "iub":
            return _saturated(x.astype(np.float64), target)
        return x.astype(target.numpy)


def _saturated(x: NDArray, target: DType) -> NDArray:
    """Float to integer as XLA does it: truncated, nan to 0, what does not fit to the nearest end."""
    low, high = (
        (0, 2**target.bits - 1) if target in UNSIGNED else (-(2 ** (target.bits - 1)), 2 ** (target.bits - 1) - 1)
    )
    inside = np.where(np.isnan(x) | (x <= low) | (x >= high), 0, x).astype(target.numpy)
    ends = np.where(x >= high, target.numpy.type(high), target.numpy.type(low))
    return np.where((x >= high) | (x <= low), ends, inside).astype(target.numpy)


def plain(x: NDArray) -> Any:
    """A scalar as a Python number with the digits that its own precision needs, an array as it is."""
    if x.ndim:
        return x
    value = x.astype(np.float32) if x.dtype == BF16.numpy else x
    if value.dtype.kind in "fc":
        return (float if value.dtype.kind == "f" else complex)(str(value[()]))
    return value.item()
