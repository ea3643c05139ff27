"""Elements by their rank are those of a stable sort, with their places, as the evaluator has them but for the sign of
zeros."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from dsl import interp
from dsl.ir.build import Builder
from dsl.ir.function import Function, Tensor
from dsl.ops.sort import ranked
from dsl.types.dtype import F16, F32, F64, FLOATS, I32, DType
from lowering.stablehlo.module import lower
from lowering.xla.compile import compile
from tests.support.lowered import lower_here

Array = np.ndarray[Any, Any]


def at_ranks(dtype: DType, shape: tuple[int, ...]) -> Function:
    b = Builder()
    x, rank = b.param(Tensor(dtype, shape)), b.param(Tensor(I32, shape[:-1]))
    return b.finish("at_ranks", ranked(b, x, rank))


def agree(x: Array, rank: Array, dtype: DType) -> None:
    function = at_ranks(dtype, x.shape)
    got = compile(lower_here(function))(x, rank)
    for wanted, y in zip(interp.evaluate(function, [x, rank]), got, strict=True):
        np.testing.assert_array_equal(np.asarray(y), np.asarray(wanted))


def awkward(dtype: DType, shape: tuple[int, ...], seed: int) -> Array:
    """Ties, both zeros, infinities, subnormals, nan of both signs, and numbers that differ in their last bits."""
    rng = np.random.default_rng(seed)
    few = np.array([0.0, -0.0, 1.0, -1.0, 5e-324, -5e-324, 1e300, np.inf, -np.inf, np.nan, -np.nan])
    last_bit = float(np.spacing(np.ones((), dtype.numpy)))
    near = 1.0 + last_bit * rng.integers(0, 50, shape)
    kinds = [rng.choice(few, shape), near, -near, rng.normal(size=shape), rng.integers(-2, 3, shape) * 1.0]
    with np.errstate(over="ignore"):
        return np.choose(rng.integers(0, len(kinds), shape), kinds).astype(dtype.numpy)


@pytest.mark.parametrize("dtype", [F16, F32, F64], ids=str)
@pytest.mark.parametrize("shape", [(4, 600), (3, 5, 150), (2311,)], ids=str)
def test_every_kind_of_number_in_long_lines(dtype: DType, shape: tuple[int, ...]) -> None:
    x = awkward(dtype, shape, 1)
    for rank in (0, shape[-1] // 2, shape[-1] - 2, shape[-1] - 1):
        agree(x, np.full(shape[:-1], rank, np.int32), dtype)


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_all_ranks_of_one_line(dtype: DType) -> None:
    """Each line is the same, and asks for another rank; ranks outside are clipped."""
    x = np.broadcast_to(np.linspace(-1, 1, 90).round(1).astype(dtype.numpy)[::-1], (94, 90))
    agree(np.ascontiguousarray(x), np.arange(-2, 92, dtype=np.int32), dtype)


@pytest.mark.parametrize("shape", [(3, 1), (2, 7), (1,)], ids=str)
def test_short_lines_are_sorted(shape: tuple[int, ...]) -> None:
    for rank in (0, shape[-1] - 1):
        agree(awkward(F64, shape, 2), np.full(shape[:-1], rank, np.int32), F64)


@pytest.mark.parametrize("constant", [0.0, 1.0, np.inf, np.nan])
def test_lines_of_equals(constant: float) -> None:
    agree(np.full((2, 1500), constant), np.array([0, 700], np.int32), F64)


def test_long_lines_are_not_sorted() -> None:
    assert "stablehlo.sort" not in lower(at_ranks(F32, (4, 1000))).text
    assert "stablehlo.sort" in lower(at_ranks(F32, (4000, 10))).text
