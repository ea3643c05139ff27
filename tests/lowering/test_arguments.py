"""Positions of extremes against NumPy: lengths that no part divides, ties, nan, zeros with signs, infinities."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from dsl.ir.build import Builder
from dsl.ir.function import Function, Tensor
from dsl.ir.op import Op
from dsl.ops.search import ARGMAX, ARGMIN, ArgParams
from dsl.types.dtype import F32, F64, I32, I64, DType
from lowering.stablehlo.arguments import ENOUGH, ROUNDS
from lowering.stablehlo.module import lower
from lowering.xla.compile import compile
from tests.lowering.test_sort import AS_FOR_USERS, QUICK, Options

pytestmark = pytest.mark.cpu

Array = np.ndarray[Any, Any]

SHAPES = [
    ((ENOUGH,), 0),
    ((ENOUGH + 1,), 0),
    ((ROUNDS * 40,), 0),
    ((1009,), 0),
    ((100_003,), 0),
    ((7, 1000), 1),
    ((7, 1000), 0),
    ((1000, 3), 0),
    ((2, 500, 3), 1),
]
OPS = {"argmax": (ARGMAX, np.argmax), "argmin": (ARGMIN, np.argmin)}


def function(op: Op[ArgParams], dtype: DType, shape: tuple[int, ...], axis: int, places: DType = I32) -> Function:
    b = Builder()
    x = b.param(Tensor(dtype, shape))
    return b.finish("places", [op(b, ArgParams(axis, places), x)[0]])


def found(op: Op[ArgParams], x: Array, dtype: DType, axis: int, options: Options = QUICK) -> Array:
    return np.asarray(compile(lower(function(op, dtype, x.shape, axis)), options=options)(x)[0])


@pytest.mark.parametrize("name", OPS)
@pytest.mark.parametrize("dtype", [F32, F64], ids=str)
@pytest.mark.parametrize(("shape", "axis"), SHAPES, ids=str)
def test_they_are_those_of_numpy(name: str, dtype: DType, shape: tuple[int, ...], axis: int) -> None:
    op, plain = OPS[name]
    rng = np.random.default_rng(0)
    for x in (rng.standard_normal(shape), rng.integers(-2, 3, shape), np.zeros(shape), np.full(shape, np.inf)):
        given = x.astype(dtype.numpy)
        np.testing.assert_array_equal(found(op, given, dtype, axis), plain(given, axis))


@pytest.mark.parametrize("options", [QUICK, AS_FOR_USERS], ids=["quick", "users"])
@pytest.mark.parametrize("name", OPS)
@pytest.mark.parametrize("dtype", [F32, F64], ids=str)
def test_the_first_nan_is_most_extreme_and_zeros_are_equal(options: Options, name: str, dtype: DType) -> None:
    op, plain = OPS[name]
    x = np.random.default_rng(1).standard_normal((6, 1000)).astype(dtype.numpy)
    sign = 1 if name == "argmax" else -1
    x[0, [7, 400, 999]] = np.nan
    x[1, [999]] = np.nan
    x[2, [30, 60, 500]] = sign * np.inf, np.nan, sign * np.inf
    x[3] = -sign * np.inf
    x[4] = np.where(np.arange(1000) % 2, 0.0, -0.0)
    x[5, [39, 40, 41, 960]] = sign * 50
    np.testing.assert_array_equal(found(op, x, dtype, 1, options), plain(x, 1))


@pytest.mark.parametrize("dtype", [F32, F64], ids=str)
def test_every_position_is_found(dtype: DType) -> None:
    x = np.eye(ENOUGH + 3, dtype=dtype.numpy)
    np.testing.assert_array_equal(found(ARGMAX, x, dtype, 1), np.arange(ENOUGH + 3))


def test_positions_may_be_wide() -> None:
    x = np.random.default_rng(2).standard_normal(1000).astype(np.float32)
    got = np.asarray(compile(lower(function(ARGMAX, F32, x.shape, 0, I64)))(x)[0])
    assert got == x.argmax()
    assert got.dtype == np.int64
