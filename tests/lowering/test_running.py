"""Running reductions in lanes against NumPy: axes of all lengths, both directions, ties, zeros with signs, nan."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from dsl.ir.build import Builder
from dsl.ir.function import Function, Tensor
from dsl.ir.op import Op
from dsl.ops.cumulative import CUMMAX, CUMPROD, CUMSUM, RunningParams
from dsl.types.dtype import BF16, F32, F64, I8, I32, DType
from lowering.stablehlo.module import lower
from lowering.stablehlo.running import BLOCK, ENOUGH, LANES, LONG, WIDE
from lowering.xla.compile import compile
from tests.lowering.test_sort import AS_FOR_USERS, QUICK, Options

pytestmark = pytest.mark.cpu

Array = np.ndarray[Any, Any]

OPS: dict[str, tuple[Op[RunningParams], Callable[..., Array]]] = {
    "cumsum": (CUMSUM, np.cumsum),
    "cumprod": (CUMPROD, np.cumprod),
    "cummax": (CUMMAX, np.maximum.accumulate),
}
CASES = [
    ((ENOUGH,), 0),
    ((LONG + 1,), 0),
    ((10_007,), 0),
    ((LANES * BLOCK * 5,), 0),
    ((64, 101), 1),
    ((64, 101), 0),
    ((9, 300), 1),
    ((3, LONG + 40), 1),
    ((1000, 3), 1),
    ((2, 700, 3), 1),
    ((2, 30, WIDE + 7), 1),
    ((5, 1, 300), 1),
]
EMPTY = [((0, 300), 0), ((0, 300), 1), ((300, 0), 1)]


def function(op: Op[RunningParams], dtype: DType, shape: tuple[int, ...], axis: int, reverse: bool) -> Function:
    b = Builder()
    x = b.param(Tensor(dtype, shape))
    return b.finish("running", [op(b, RunningParams(axis, reverse), x)[0]])


def plain(f: Callable[..., Array], x: Array, axis: int, reverse: bool) -> Array:
    return np.flip(f(np.flip(x, axis), axis), axis) if reverse else f(x, axis)


def numbers(name: str, dtype: DType, shape: tuple[int, ...]) -> Array:
    """Numbers of which no sum or product is rounded: NumPy adds up in another order."""
    rng = np.random.default_rng(0)
    few = rng.integers(-8, 9, shape)
    signs = rng.choice([-1, 1], shape)
    return {"cumsum": few, "cumprod": signs, "cummax": few}[name].astype(dtype.numpy)


@pytest.mark.parametrize(("shape", "axis"), [*CASES, *EMPTY], ids=str)
@pytest.mark.parametrize("name", OPS)
@pytest.mark.parametrize("reverse", [False, True], ids=["forward", "reverse"])
def test_they_are_those_of_numpy(shape: tuple[int, ...], axis: int, name: str, reverse: bool) -> None:
    op, f = OPS[name]
    for dtype in (F32, I32):
        x = numbers(name, dtype, shape)
        got = np.asarray(compile(lower(function(op, dtype, shape, axis, reverse)))(x)[0])
        np.testing.assert_array_equal(got, plain(f, x, axis, reverse), strict=False)


@pytest.mark.parametrize("options", [QUICK, AS_FOR_USERS], ids=["quick", "users"])
@pytest.mark.parametrize("dtype", [F32, F64], ids=str)
@pytest.mark.parametrize(("shape", "axis"), [((10_007,), 0), ((9, 700), 1), ((300, 20), 0)], ids=str)
def test_nan_infinities_and_zeros_stay_behind_their_places(
    options: Options, dtype: DType, shape: tuple[int, ...], axis: int
) -> None:
    x = np.random.default_rng(1).integers(-8, 9, shape).astype(dtype.numpy)
    line = np.moveaxis(x, axis, 0)
    third = line.shape[0] // 3
    line[third], line[2 * third] = np.inf, np.nan
    for name in ("cumsum", "cummax"):
        op, f = OPS[name]
        got = np.asarray(compile(lower(function(op, dtype, shape, axis, False)), options=options)(x)[0])
        np.testing.assert_array_equal(got, f(x, axis))


@pytest.mark.parametrize("dtype", [F32, F64], ids=str)
def test_sums_are_no_further_off_than_those_one_after_another(dtype: DType) -> None:
    x = np.random.default_rng(2).random(100_000).astype(dtype.numpy)
    got = np.asarray(compile(lower(function(CUMSUM, dtype, x.shape, 0, False)))(x)[0])
    exact = np.cumsum(x.astype(np.longdouble))
    assert np.abs(got - exact).max() <= 2 * np.abs(np.cumsum(x) - exact).max()


def test_sums_of_what_is_not_negative_do_not_fall() -> None:
    x = np.random.default_rng(3).random(100_000).astype(np.float32)
    got = np.asarray(compile(lower(function(CUMSUM, F32, x.shape, 0, False)))(x)[0])
    assert (np.diff(got) >= 0).all()


def test_numbers_of_few_bits_are_added_up_in_more() -> None:
    x = np.ones((1000, 2), BF16.numpy)
    got = np.asarray(compile(lower(function(CUMSUM, BF16, x.shape, 0, False)))(x)[0])
    np.testing.assert_array_equal(got[:, 0], np.arange(1, 1001).astype(BF16.numpy))


def test_integers_wrap() -> None:
    x = np.full((600, 2), 100, np.int8)
    got = np.asarray(compile(lower(function(CUMSUM, I8, x.shape, 0, False)))(x)[0])
    np.testing.assert_array_equal(got, np.cumsum(x, 0, dtype=np.int8))


def test_other_platforms_and_small_arrays_keep_windows() -> None:
    enough = function(CUMSUM, F32, (ENOUGH,), 0, False)
    assert "reduce_window" not in lower(enough).text
    assert "reduce_window" in lower(enough, platform="cuda").text
    assert "reduce_window" in lower(function(CUMSUM, F32, (ENOUGH - 1,), 0, False)).text
