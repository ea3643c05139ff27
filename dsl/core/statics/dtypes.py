"""Functions of dtypes: one table for dtypes that are known, and calls of those that are not."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from types import MappingProxyType
from typing import Any

from dsl.types.dtype import BY_NAME, DType
from dsl.types.shape import Computed, StaticArg, StaticChoice, Written


def _complex_of(dtype: DType) -> DType:
    return dtype.complex if dtype.complex.is_complex else BY_NAME["c64"]


def _real_of(dtype: DType) -> DType:
    return dtype.real


DTYPES: Mapping[str, Callable[[Any], DType]] = MappingProxyType({"complex_of": _complex_of, "real_of": _real_of})
"""By the intrinsics that the definitions of the library are."""


def dtype_call(function: str, dtype: StaticArg) -> StaticArg:
    """Apply a function of dtypes, or return the call while its argument is unknown."""
    match dtype:
        case Written(text):
            return Written(str(DTYPES[function](BY_NAME[text])))
        case StaticChoice(condition, then, orelse):
            return StaticChoice.of(condition, dtype_call(function, then), dtype_call(function, orelse))
        case _:
            return Computed(function, (dtype,), partial(dtype_call, function))
