"""What a float rounds to infinity is what NumPy rounds to infinity; a dtype is one object, wherever it comes from."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dsl.types.dtype import ALL, C128, COMPLEXES, F64, FLOATS, DType
from tests.support.cases import some

NARROW = [d for d in FLOATS + COMPLEXES if d not in (F64, C128)]


def stays_finite(value: float, dtype: DType) -> bool:
    with np.errstate(over="ignore"):
        return bool(np.isfinite(np.asarray(value).astype(dtype.real.numpy).astype(np.float64)))


@pytest.mark.parametrize("dtype", NARROW, ids=str)
@settings(max_examples=50)
@given(scale=st.floats(0.0, 2.0))
def test_overflow_is_that_of_numpy(dtype: DType, scale: float) -> None:
    limit = dtype.overflow
    assert limit is not None
    for value in (scale * limit, limit, limit * (1 - 2**-20)):
        assert stays_finite(value, dtype) == (value < limit)


def test_copies_of_a_dtype_are_the_dtype() -> None:
    for dtype in some(ALL):
        assert pickle.loads(pickle.dumps(dtype)) is copy.deepcopy(dtype) is dtype


def test_what_python_holds_does_not_overflow() -> None:
    assert [d.name for d in ALL if d.overflow is None and d.is_inexact] == ["f64", "c128"]
