"""The dtypes of NumPy that ours are, and back."""

from __future__ import annotations

from types import MappingProxyType

import ml_dtypes
import numpy as np

from dsl.types.dtype import ALL

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
