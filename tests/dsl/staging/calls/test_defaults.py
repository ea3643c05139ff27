"""Defaults that a call leaves out are evaluated for what it gives, wherever that stands."""

from __future__ import annotations

import numpy as np
import pytest

import dsl

TEXT = """
def before(static n: size, d: dtype = 1.5, static dtype: Float = f32) -> dtype[n] = full([n], d)
def given() -> f64[2] = before(2, dtype=f64)
def left_out() -> f32[2] = before(2)
def mapped(x: f64[n]) -> f64[n] = [v * before(1, dtype=f64)[0] for v in x]
"""


def test_a_default_has_the_dtype_that_a_later_parameter_is_given() -> None:
    m = dsl.program(TEXT)
    assert np.asarray(m.given()).dtype == np.float64 and m.given().tolist() == [1.5, 1.5]
    assert np.asarray(m.left_out()).dtype == np.float32
    assert m.mapped(np.ones(3)).tolist() == [1.5] * 3
    assert np.asarray(m.before(n=2, dtype="f64")).dtype == np.float64


@pytest.mark.parametrize("dtype", ["f32", "f64"])
def test_frequencies_of_any_precision(dtype: str) -> None:
    m = dsl.program(f"import fft\ndef f(x: {dtype}[n]) -> {dtype}[n] where n >= 1 = fft.fftfreq(n, dtype={dtype}) * x")
    x = np.ones(5, np.float32 if dtype == "f32" else np.float64)
    np.testing.assert_allclose(m.f(x), np.fft.fftfreq(5), rtol=1e-6)
