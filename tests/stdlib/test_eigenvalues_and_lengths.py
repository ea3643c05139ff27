"""Eigenvalues of general matrices, and inverse transforms to lengths that are given, beside NumPy."""

from __future__ import annotations

import numpy as np
import pytest

import dsl

PROGRAM = dsl.program(
    """import fft
import linalg
def values(a: f64[*s, n, n]) -> c128[*s, n] = linalg.eigvals(a)
def complex_values(a: c64[n, n]) -> c64[n] = linalg.eigvals(a)
def slope(a: f64[n, n]) -> f64[n, n] = grad(fn a -> sum(abs(linalg.eigvals(a)) ** 3))(a)
def there_and_back(x: f64[n, m]) -> f64[n, m] where n >= 1 and m >= 1 = fft.irfft2(fft.rfft2(x), s=(n, m))
def resized(z: c64[k, n, m]) -> f32[k, n + 2, m] where n >= 1 and m >= 1 = fft.irfft2(z, s=(n + 2, m))
"""
)
DRAW = np.random.default_rng(0)
A = DRAW.normal(size=(2, 3, 4, 4))


def test_eigenvalues_are_those_of_numpy_by_batches() -> None:
    for found in (PROGRAM.values(A), PROGRAM.values.interpret(A)):
        np.testing.assert_allclose(np.sort_complex(found), np.sort_complex(np.linalg.eigvals(A)), atol=1e-12)
    z = (A[0, 0] + 1j * A[0, 1]).astype(np.complex64)
    found = np.sort_complex(np.asarray(PROGRAM.complex_values(z)))
    np.testing.assert_allclose(found, np.sort_complex(np.linalg.eigvals(z)), atol=1e-4)


def test_derivatives_of_eigenvalues_are_differences() -> None:
    a, along = A[1, 1], A[1, 2]
    above, below = (np.sum(np.abs(np.linalg.eigvals(a + step * along)) ** 3) for step in (1e-6, -1e-6))
    want = (above - below) / 2e-6
    assert np.sum(np.asarray(PROGRAM.slope(a)) * along) == pytest.approx(want, rel=1e-6)


@pytest.mark.parametrize("shape", [(4, 5), (5, 4), (1, 1), (7, 9)])
def test_transforms_of_odd_lengths_go_back(shape: tuple[int, int]) -> None:
    x = DRAW.normal(size=shape)
    np.testing.assert_allclose(PROGRAM.there_and_back(x), x, atol=1e-12)


def test_inverse_transforms_cut_and_fill_up() -> None:
    z = (A[0] + 1j * A[1]).astype(np.complex64)
    np.testing.assert_allclose(PROGRAM.resized(z), np.fft.irfft2(z, s=(6, 4)), atol=1e-5)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("import linalg\ndef f(a: f32[n, m]) = linalg.eigvals(a)", "E04"),
        ("import linalg\ndef f(a: f32[n, n]) -> f32[n] = linalg.eigvals(a)", "E03"),
        ("import fft\ndef f(z: c64[3, 4]) -> f32[3, 6] = fft.irfft2(z, s=(3, 7))", "E04"),
        ("def f() -> f64[5] = linspace(0.0, 1.0, 5, dtype=f32)", "E03"),
    ],
)
def test_wrong_uses_are_refused(text: str, code: str) -> None:
    with pytest.raises(dsl.DslError) as caught:
        dsl.program(text)
    assert str(caught.value).startswith(f"error[{code}")
