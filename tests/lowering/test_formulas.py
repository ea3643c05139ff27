"""Formulas of f32 and f64 against the C library's long doubles: all exponents, both signs, and what is special."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest

import dsl
from dsl.ir.build import Builder
from dsl.ir.function import Function, Tensor
from dsl.ir.op import Op
from dsl.ops.power import ATAN2, POW
from dsl.ops.unary import ACOS, ASIN, ATAN, CBRT, COS, COSH, EXP2, EXPM1, LOG, LOG1P, SIN, SINH, TAN
from dsl.types.dtype import F16, F32, F64, DType
from lowering.stablehlo import waves
from lowering.stablehlo.module import lower
from lowering.stablehlo.wide import ENOUGH
from lowering.xla.compile import compile
from tests.lowering.test_sort import AS_FOR_USERS, QUICK, Options

pytestmark = pytest.mark.cpu

Array = np.ndarray[Any, Any]


class Row(NamedTuple):
    """An op, what it computes, how far results may be off in units of the last place, by dtype, and from how many
    elements a formula is written."""

    op: Op[Any]
    exact: Callable[..., Any]
    units: dict[DType, float]
    enough: int = ENOUGH


ROWS = {
    "acos": Row(ACOS, np.arccos, {F32: 2.4, F64: 2.4}),
    "asin": Row(ASIN, np.arcsin, {F32: 2.4, F64: 2.4}),
    "atan": Row(ATAN, np.arctan, {F32: 1.9, F64: 1.9}),
    "atan2": Row(ATAN2, np.arctan2, {F32: 1.9, F64: 1.7}),
    "cbrt": Row(CBRT, np.cbrt, {F32: 1.2, F64: 1.1}),
    "cosh": Row(COSH, np.cosh, {F32: 2.7, F64: 2.9}),
    "cosine": Row(COS, np.cos, {F32: 1.6, F64: 0.9}, waves.ENOUGH),
    "exp2": Row(EXP2, np.exp2, {F32: 1.5, F64: 2.0}),
    "exponential_minus_one": Row(EXPM1, np.expm1, {F32: 1.8, F64: 1.7}),
    "log": Row(LOG, np.log, {F64: 0.9}),
    "log_plus_one": Row(LOG1P, np.log1p, {F32: 2.0, F64: 1.7}),
    "power": Row(POW, np.power, {F32: 0.6, F64: 0.8}),
    "sine": Row(SIN, np.sin, {F32: 1.6, F64: 0.9}, waves.ENOUGH),
    "sinh": Row(SINH, np.sinh, {F32: 2.7, F64: 2.7}),
    "tan": Row(TAN, np.tan, {F32: 3.0, F64: 2.4}, waves.ENOUGH),
}
CASES = [(name, dtype) for name, row in ROWS.items() for dtype in row.units]
PERIODIC = ("sine", "cosine", "tan")
BINARY = ("atan2", "power")

LEAST = {F32: 2.0**-126, F64: 2.0**-1022}
"""The least floats with a normal form."""

wide_enough = pytest.mark.skipif(np.finfo(np.longdouble).nmant < 60, reason="long doubles are no better than doubles")


def special(dtype: DType) -> Array:
    least, greatest = LEAST[dtype], {F32: 3.4e38, F64: 1.7e308}[dtype]
    near = [0.0, np.inf, np.nan, 1, np.nextafter(1, 0), np.nextafter(1, 2), least, greatest, 5e-324, 1e-310, 1e-40]
    limits = [
        7 / 16,
        16 / 7,
        0.5,
        2,
        8,
        27,
        88.7,
        89.4,
        89.5,
        127.9,
        128,
        150,
        709.7,
        709.8,
        710.4,
        710.5,
        1023.9,
        1075,
    ]
    found = np.array([*near, np.nextafter(least, 0), *limits])
    with np.errstate(over="ignore", under="ignore"):
        return np.concatenate([found, -found]).astype(dtype.numpy)


def numbers(dtype: DType, size: int, seed: int) -> Array:
    """Floats of any bits, some near 1, some near 0, some between."""
    rng = np.random.default_rng(seed)
    bits = np.dtype(f"i{dtype.bits // 8}")
    raw = rng.integers(np.iinfo(bits).min, np.iinfo(bits).max, size, bits).view(dtype.numpy)
    small = rng.normal(size=size // 2) * np.exp(-rng.random(size // 2) * 40)
    parts = [1 + small[::2], small[1::2], rng.random(size) * 4 - 2, rng.normal(size=size) * 300]
    return np.concatenate([raw, *[part.astype(dtype.numpy) for part in parts]])


def angles(dtype: DType, size: int) -> Array:
    """Angles up to those from which the library takes over, some of them next to multiples of a right one."""
    found = numbers(dtype, size, 1)
    right = np.random.default_rng(2).integers(-900_000, 900_000, size) * (np.longdouble(np.pi) / 2 + 6.1e-17)
    found = np.concatenate([found, right.astype(dtype.numpy), special(dtype)])
    near: Array = found[~(np.abs(found) > 1.5e6)]
    return near


def operands(name: str, dtype: DType) -> list[Array]:
    if name in BINARY:
        seen = special(dtype)
        y = np.concatenate([numbers(dtype, 20_000, 1), np.repeat(seen, len(seen))])
        x = np.concatenate([numbers(dtype, 20_000, 2), np.tile(seen, len(seen))])
        kept = is_seen(x, dtype) & is_seen(y, dtype)
        return [y[kept], x[kept]]
    usual = angles(dtype, 10_000) if name in PERIODIC else np.concatenate([numbers(dtype, 20_000, 1), special(dtype)])
    return [usual[is_seen(usual, dtype) | (name in ("log", "cbrt"))]]


def is_seen(x: Array, dtype: DType) -> Array:
    """Return whether these are no floats that a program of XLA counts as zeros."""
    seen: Array = (np.abs(x) >= LEAST[dtype]) | (x == 0) | np.isnan(x)
    return seen


def function(name: str, dtype: DType, size: int) -> Function:
    b, op = Builder(), ROWS[name].op
    count = 2 if name in BINARY else 1
    params = [b.param(Tensor(dtype, (size,))) for _ in range(count)]
    return b.finish(name, [op(b, op.samples[0].params, *params)[0]])


@wide_enough
@pytest.mark.parametrize(("name", "dtype"), CASES)
@pytest.mark.parametrize("options", [QUICK, AS_FOR_USERS], ids=["quick", "users"])
def test_formulas_are_within_units_of_the_last_place(name: str, dtype: DType, options: Options) -> None:
    given, row = operands(name, dtype), ROWS[name]
    program = lower(function(name, dtype, len(given[0])))
    got = np.asarray(compile(program, options=options)(*given)[0])
    with np.errstate(all="ignore"):
        wanted = row.exact(*[x.astype(np.longdouble) for x in given])
        rounded = wanted.astype(dtype.numpy)
        flushed = np.abs(rounded) < LEAST[dtype]
        usual = np.isfinite(rounded) & ~flushed
        off = np.abs(got[usual] - wanted[usual]) / np.spacing(np.abs(rounded[usual]))
    assert off.max() <= row.units[dtype], given[0][usual][off.argmax()]
    np.testing.assert_array_equal(got[~usual], np.where(flushed, np.copysign(0, rounded), rounded)[~usual])
    signed = ~np.isnan(rounded)
    np.testing.assert_array_equal(np.signbit(got[signed]), np.signbit(rounded[signed]))


@pytest.mark.parametrize("name", PERIODIC)
@pytest.mark.parametrize("dtype", [F32, F64], ids=str)
def test_arrays_with_large_angles_are_computed_by_the_library(name: str, dtype: DType) -> None:
    x = np.linspace(-3, 3, waves.ENOUGH).astype(dtype.numpy)
    x[1:8] = 1.6e6, 2.0e6, -1e10, 1e30, np.inf, -np.inf, np.nan
    got = np.asarray(compile(lower(function(name, dtype, x.size)))(x)[0])
    with np.errstate(invalid="ignore"):
        np.testing.assert_allclose(
            got, ROWS[name].exact(x.astype(np.float64)), rtol=20 * 2.0 ** -{F32: 23, F64: 52}[dtype]
        )


@pytest.mark.parametrize(("name", "dtype"), CASES)
def test_other_dtypes_and_platforms_and_small_arrays_keep_the_operation_of_xla(name: str, dtype: DType) -> None:
    enough = ROWS[name].enough
    count = 1 if name in PERIODIC else 0  # where the library may take over
    spelling = ".power " if name == "exp2" else f".{name} "
    assert lower(function(name, dtype, enough)).text.count(spelling) == count
    for size, other, platform in ((enough, dtype, "cuda"), (enough, F16, "cpu"), (enough - 1, dtype, "cpu")):
        assert lower(function(name, other, size), platform=platform).text.count(spelling) == 1


def test_an_exponent_that_is_known_to_be_a_root_keeps_the_operation_of_xla() -> None:
    program = dsl.program(
        """
def root(x: f32[1000]) -> f32[1000] = x ** 0.5
def third(x: f32[1000]) -> f32[1000] = x ** 0.3
"""
    )
    x = np.ones(1000, np.float32)
    assert "stablehlo.power" in program.root.lower(x).as_text()
    assert "stablehlo.power" not in program.third.lower(x).as_text()


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
