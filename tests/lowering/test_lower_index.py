"""Positions: where the extreme elements are, and windows whose place is data."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from dsl import interp
from dsl.ir.build import Builder, literal
from dsl.ir.function import Function, Tensor
from dsl.ops.dynamic import dynamic_update_slice
from dsl.ops.elementwise import add, mul
from dsl.ops.search import argmax, argmin
from dsl.types.dtype import BF16, BOOL, F16, F32, F64, I8, I32, I64, U32, DType
from lowering.xla.compile import compile
from tests.support.lowered import lower_here


@pytest.mark.parametrize("dtype", [BOOL, I8, I32, U32, I64, F16, BF16, F32, F64])
def test_first_extremes_are_those_of_numpy(dtype: DType) -> None:
    """Of ties, zeros of both signs, infinities, the ends of integers, and several nan."""
    few = {"f": [-np.inf, -1.5, -0.0, 0.0, 1.5, np.inf, np.nan], "b": [False, True]}
    ends: Any = np.iinfo(str(dtype.numpy)) if dtype.is_integer else None
    values = few["b" if dtype.is_bool else "f"] if ends is None else [ends.min, ends.min + 1, 0, 1, ends.max]
    x = np.random.default_rng(0).choice(np.array(values, dtype.numpy), (40, 5))
    b = Builder()
    p = b.param(Tensor(dtype, x.shape))
    found = compile(lower_here(b.finish("f", [search(b, p, axis) for search in (argmin, argmax) for axis in (0, 1)])))(
        x
    )
    wide = x.astype(np.float64) if dtype.is_float else x
    for y, search, axis in zip(found, (np.argmin, np.argmin, np.argmax, np.argmax), (0, 1, 0, 1), strict=True):
        np.testing.assert_array_equal(np.asarray(y), search(wide, axis=axis))


def updated() -> Function:
    """A column of what has just been computed becomes another one, where a number says."""
    b = Builder()
    x, column, start = b.param(Tensor(F32, (3, 4))), b.param(Tensor(F32, (3, 1))), b.param(Tensor(I32))
    made = add(b, mul(b, x, x), x)
    return b.finish("f", [dynamic_update_slice(b, made, column, (literal(0, start.type), start))])


@pytest.mark.parametrize("start", [-7, 0, 2, 3, 9])
def test_windows_of_computed_arrays_stay_in_bounds(start: int) -> None:
    f = updated()
    arrays = [np.arange(12, dtype="f4").reshape(3, 4), -np.ones((3, 1), "f4"), np.array(start, np.int32)]
    (wanted,) = interp.evaluate(f, arrays)
    np.testing.assert_array_equal(np.asarray(compile(lower_here(f))(*arrays)[0]), wanted)
