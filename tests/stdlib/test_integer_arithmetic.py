"""Arithmetic of integers beside NumPy: every pair of numbers of 8 bits, and the ends of the wider dtypes; and what the
page on values says of floats there."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import dsl

PROGRAM = """
def power[a: Int](x: a[n, 1], y: a[1, m]) -> a[n, m] = x ** y
def fmod_[a: Int](x: a[n, 1], y: a[1, m]) -> a[n, m] = fmod(x, y)
def mod_[a: Int](x: a[n, 1], y: a[1, m]) -> a[n, m] = x % y
def floor_divide_[a: Int](x: a[n, 1], y: a[1, m]) -> a[n, m] = x // y
def gcd_[a: Int](x: a[n, 1], y: a[1, m]) -> a[n, m] = gcd(x, y)
def lcm_[a: Int](x: a[n, 1], y: a[1, m]) -> a[n, m] = lcm(x, y)
"""
ORACLES: dict[str, Callable[..., Any]] = {
    "power": np.power,
    "fmod_": np.fmod,
    "mod_": np.mod,
    "floor_divide_": np.floor_divide,
    "gcd_": np.gcd,
    "lcm_": np.lcm,
}
DTYPES = ("i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64")


@pytest.fixture(scope="module")
def program() -> dsl.Program:
    return dsl.program(PROGRAM)


def numbers(dtype: str) -> np.ndarray[Any, Any]:
    """All numbers of 8 bits; those near the ends, 0 and powers of two of the wider dtypes."""
    kind = np.dtype(f"{dtype[0]}{int(dtype[1:]) // 8}")
    low, high = int(np.iinfo(kind).min), int(np.iinfo(kind).max)
    if kind.itemsize == 1:
        return np.arange(low, high + 1).astype(kind)
    near = {low, low + 1, low + 7, high, high - 1, *range(-10, 11), *(2**k for k in range(4, 64, 5))}
    near |= {high // 2, high // 2 + 1, high // 3, -high // 3}
    return np.array(sorted(n for n in near if low <= n <= high), kind)


def divisors(name: str, x: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    match name:
        case "power":
            return np.compress(x >= 0, x)
        case "gcd_" | "lcm_":
            return x
        case _:
            return np.compress(x != 0, x)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", ORACLES)
def test_integers_are_those_of_numpy(program: dsl.Program, name: str, dtype: str) -> None:
    x = numbers(dtype)
    y = divisors(name, x)
    with np.errstate(all="ignore"):
        expected = ORACLES[name](x[:, None], y[None, :])
    function = dsl.functions(program)[name]
    for run in (function, function.interpret):
        np.testing.assert_array_equal(np.asarray(run(x[:, None], y[None, :])), expected)


def test_the_remainder_of_floats_is_exact_and_has_the_sign_of_x() -> None:
    function = dsl.program("def rest(x: f32[n], y: f32[n]) -> f32[n] = fmod(x, y)").rest
    x = np.array([-0.0, 0.0, -1e-20, 5.0, -5.0, 5.0, np.inf, 1e30], np.float32)
    y = np.array([1.0, 1.0, 1.0, np.inf, 3.0, 0.0, 2.0, 3.0], np.float32)
    with np.errstate(all="ignore"):
        expected = np.fmod(x, y)
    for run in (function, function.interpret):
        found = np.asarray(run(x, y))
        np.testing.assert_array_equal(found, expected)
        numbers = ~np.isnan(expected)
        np.testing.assert_array_equal(np.signbit(found[numbers]), np.signbit(expected[numbers]))


def test_an_infinite_part_of_a_logarithm_leaves_the_other() -> None:
    program = dsl.program("""
def logarithms[a: Complex](x: a[n]) -> (a[n], a[n]) = (log2(x), log10(x))
def powers(x: c64[n]) -> c64[n] = exp2(x)
""")
    for dtype in (np.complex64, np.complex128):
        x = np.array([0, 1j, 8, -4, complex(np.inf, 0)], dtype)
        with np.errstate(all="ignore"):
            natural = np.log(x)
        for run in (program.logarithms, program.logarithms.interpret):
            for found, base in zip(run(x), (2.0, 10.0), strict=True):
                scale = np.log(base)
                np.testing.assert_allclose(np.asarray(found).real, natural.real / scale, rtol=1e-6)
                np.testing.assert_allclose(np.asarray(found).imag, natural.imag / scale, rtol=1e-6)
    low = np.array([complex(-np.inf, 0.0)], np.complex64)
    assert np.asarray(program.powers(low)).tolist() == [0j]


@pytest.mark.cpu
def test_numbers_at_the_ends_are_what_the_page_says() -> None:
    program = dsl.program("""
def whole(x: i32, y: i32) -> (i32, i32, i32) = (x // y, x % y, fmod(x, y))
def natural(x: u8, y: u8) -> (u8, u8) = (x // y, x % y)
def bytes(x: f32) -> u8 = u8(x)
def is_zero(x: f32) -> bool = x == 0.0
def rest(x: f32) -> f32 = x % 1.0
def log_factorial(x: f32) -> f32 = lgamma(x)
""")
    assert [int(n) for n in program.whole(7, 0)] == [-1, 7, 7]
    assert [int(n) for n in program.natural(7, 0)] == [255, 7]
    assert [int(program.bytes(x)) for x in (300.0, -5.0, 2.9, np.nan)] == [255, 0, 2, 0]
    assert bool(program.is_zero(np.float32(1e-45)))
    assert np.signbit(np.asarray(program.rest(-1.0)))
    assert 0 < float(program.log_factorial(1.0)) < 1e-6


@pytest.mark.parametrize("dtype", DTYPES)
def test_powers_of_two_divide_as_others_do(dtype: str) -> None:
    """A literal power of two shifts bits; the sign of the operand, and the greatest power, are no exceptions."""
    x = numbers(dtype)
    highest = int(np.iinfo(x.dtype).max).bit_length() - 1
    for bits in (0, 1, 2, highest):
        text = f"def f(x: {dtype}[n]) -> ({dtype}[n], {dtype}[n]) = (x // {1 << bits}, x % {1 << bits})"
        function = dsl.program(text).f
        for found in (function(x), function.interpret(x)):
            np.testing.assert_array_equal(found[0], x // (1 << bits))
            np.testing.assert_array_equal(found[1], x % (1 << bits))


def test_a_power_of_two_needs_no_division() -> None:
    text = (
        dsl.program("def f(x: i32[n]) -> i32[n] = (x // 8) + x % 4")
        .f.lower(np.arange(4, dtype=np.int32))
        .stablehlo.text
    )
    assert "shift_right_arithmetic" in text
    assert "divide" not in text
    assert "remainder" not in text
