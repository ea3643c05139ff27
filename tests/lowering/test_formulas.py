"""Formulas of f64 against the C library's long doubles: all exponents, both signs, and what is special."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import dsl
from dsl.ir.build import Builder
from dsl.ir.function import Function, Tensor
from dsl.ops.power import ATAN2
from dsl.ops.unary import CBRT, LOG
from dsl.types.dtype import F32, F64, DType
from lowering.stablehlo.formulas import ENOUGH
from lowering.stablehlo.module import lower
from lowering.xla.compile import compile
from tests.lowering.test_sort import AS_FOR_USERS, QUICK, Options

pytestmark = pytest.mark.cpu

Array = np.ndarray[Any, Any]
LEAST = np.finfo(np.float64).smallest_normal
SPECIAL = np.array(
    [
        *(0.0, -0.0, np.inf, -np.inf, np.nan, -np.nan, 1, -1, np.nextafter(1, 0), np.nextafter(1, 2), LEAST, -LEAST),
        *(1.7e308, 5e-324, -5e-324, 1e-310, np.nextafter(LEAST, 0), 7 / 16, 16 / 7, 0.5, 2, 8, 27, 1e300),
    ]
)
OPS = {"log": LOG, "cbrt": CBRT, "atan2": ATAN2}
EXACT = {"log": np.log, "cbrt": np.cbrt, "atan2": np.arctan2}
UNITS = {"log": 0.9, "cbrt": 1.1, "atan2": 1.7}
"""How far a result may be off, in units of the last place."""

wide_enough = pytest.mark.skipif(np.finfo(np.longdouble).nmant < 60, reason="long doubles are no better than doubles")


def function(name: str, dtype: DType, size: int) -> Function:
    b = Builder()
    count = 2 if name == "atan2" else 1
    params = [b.param(Tensor(dtype, (size,))) for _ in range(count)]
    return b.finish(name, [OPS[name](b, OPS[name].samples[0].params, *params)[0]])


def numbers(size: int, seed: int) -> Array:
    """Floats of any bits, some near 1, some between."""
    rng = np.random.default_rng(seed)
    raw = rng.integers(-(2**63), 2**63 - 1, size, np.int64).view(np.float64)
    near = 1 + rng.normal(size=size // 4) * np.exp(-rng.random(size // 4) * 30)
    return np.concatenate([raw, near, rng.random(size // 4) * 4 - 2])


def operands(name: str) -> list[Array]:
    if name != "atan2":
        return [np.concatenate([numbers(40_000, 1), SPECIAL])]
    seen = SPECIAL[(np.abs(SPECIAL) >= LEAST) | (SPECIAL == 0) | np.isnan(SPECIAL)]  # the rest counts as zeros there
    y, x = (
        np.concatenate([numbers(40_000, seed), each])
        for seed, each in ((1, np.repeat(seen, 24)), (2, np.tile(seen, 24)))
    )
    size = min(len(x), len(y))
    y, x = y[:size], x[:size]
    kept = (np.abs(x) >= LEAST) & (np.abs(y) >= LEAST) | (x == 0) | (y == 0) | np.isnan(x) | np.isnan(y)
    return [y[kept], x[kept]]


@wide_enough
@pytest.mark.parametrize("name", OPS)
@pytest.mark.parametrize("options", [QUICK, AS_FOR_USERS], ids=["quick", "users"])
def test_formulas_are_within_a_unit_of_the_last_place(name: str, options: Options) -> None:
    given = operands(name)
    program = lower(function(name, F64, len(given[0])))
    got = np.asarray(compile(program, options=options)(*given)[0])
    with np.errstate(all="ignore"):
        wanted = EXACT[name](*[x.astype(np.longdouble) for x in given])
        rounded = wanted.astype(np.float64)
        flushed = np.abs(rounded) < LEAST
        usual = np.isfinite(rounded) & ~flushed
        off = np.abs(got[usual] - wanted[usual]) / np.spacing(np.abs(rounded[usual]))
    assert off.max() <= UNITS[name]
    np.testing.assert_array_equal(got[~usual], np.where(flushed, np.copysign(0.0, rounded), rounded)[~usual])
    signed = ~np.isnan(rounded)
    np.testing.assert_array_equal(np.signbit(got[signed]), np.signbit(rounded[signed]))


@pytest.mark.parametrize("name", OPS)
def test_other_dtypes_and_platforms_and_small_arrays_keep_the_operation_of_xla(name: str) -> None:
    spelling = f"stablehlo.{name} "
    assert spelling not in lower(function(name, F64, ENOUGH)).text
    assert spelling in lower(function(name, F64, ENOUGH), platform="cuda").text
    assert spelling in lower(function(name, F32, ENOUGH)).text
    assert spelling in lower(function(name, F64, ENOUGH - 1)).text


def test_operands_that_are_costly_to_compute_twice_keep_the_operation_of_xla() -> None:
    """XLA computes what two operands have in common for each of them, unless one operation reads both."""
    program = dsl.program(
        """
def cheap(x: f64[1000]) -> f64[1000] = atan2(x + 1.0, x)
def shared(x: f64[1000]) -> f64[1000] = atan2(sin(x) + 1.0, sin(x))
"""
    )
    x = np.ones(1000)
    assert "stablehlo.atan2" not in program.cheap.lower(x).as_text()
    assert "stablehlo.atan2" in program.shared.lower(x).as_text()
