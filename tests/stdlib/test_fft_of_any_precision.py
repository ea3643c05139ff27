"""Fourier transforms of every dtype, and with numbers of samples, beside NumPy; functions generic in their dtype."""

from __future__ import annotations

import numpy as np
import pytest

import dsl

SAMPLED = (((2, 7), (0, 2)), ((5,), (1,)), ((3, 6), None), ((2, 3, 5), None))
GENERIC = """
import fft
def blur[F: Float](image: F[h, w], kernel: F[h, w]) -> F[h, w] where h >= 1 and w >= 1 =
    cast(fft.irfft2(fft.rfft2(kernel) * fft.rfft2(image), image.shape), F)
def power[F: Float](x: F[n]) -> real_of(complex_of(F))[n // 2 + 1] where n >= 1 = abs(fft.rfft(x)) ** 2
def slope[F: Float](x: F[n]) -> F[n] where n >= 1 = grad(fn x -> cast(sum(power(x)), F))(x)
def phases[C: Inexact](x: C[n]) -> real_of(complex_of(C))[n] where n >= 1 = angle(fft.fft(x))
"""


def numbers(dtype: str) -> np.ndarray:
    rng = np.random.default_rng(3)
    real = rng.normal(size=(3, 4, 5))
    return (real + 1j * rng.normal(size=(3, 4, 5)) if dtype in "FD" else real).astype(dtype)


def expect_close(found: object, wanted: np.ndarray, single: bool) -> None:
    found = np.asarray(found)
    assert found.shape == wanted.shape and (found.dtype.itemsize in (4, 8) if single else found.dtype == wanted.dtype)
    np.testing.assert_allclose(found, wanted, atol=2e-4 if single else 1e-11)


@pytest.mark.parametrize("dtype", ["f", "d", "F", "D"])
def test_numbers_of_samples_cut_off_and_fill_up(dtype: str) -> None:
    x, single = numbers(dtype), dtype in "fF"
    names = ["fftn", "ifftn", "rfftn" if dtype in "fd" else "irfftn"]
    for name in names:
        for s, axes in SAMPLED:
            over = tuple(range(3 - len(s), 3)) if axes is None else axes
            wanted = getattr(np.fft, name)(x, s=s, axes=over)
            chosen = {} if axes is None else {"axes": axes}
            expect_close(getattr(dsl.fft, name)(x, s, **chosen), wanted, single)


@pytest.mark.parametrize("name", ["fftn", "ifftn", "rfftn"])
def test_several_axes_are_one_transform(name: str) -> None:
    x, f = numbers("d"), getattr(dsl.fft, name)
    assert f.ir(x).count("fft{") == f.ir(x, axes=(2, 0)).count("fft{") == 1
    assert "transpose" not in f.ir(x)


@pytest.mark.parametrize("dtype", ["f", "d"])
def test_a_generic_function_has_the_precision_of_its_argument(dtype: str) -> None:
    m, image = dsl.program(GENERIC), numbers(dtype)[0]
    kernel = np.zeros_like(image)
    kernel[0, :2] = 0.5
    blurred = m.blur(image, kernel)
    assert blurred.dtype == image.dtype
    np.testing.assert_allclose(blurred, 0.5 * (image + np.roll(image, 1, axis=1)), atol=1e-6 if dtype == "f" else 1e-14)
    x = image[0]
    np.testing.assert_allclose(m.power(x), np.abs(np.fft.rfft(x)) ** 2, rtol=1e-5)
    np.testing.assert_allclose(m.phases(x), np.angle(np.fft.fft(x)), atol=1e-5)
    step = 1e-3 * np.eye(5)
    ends = [np.sum(np.abs(np.fft.rfft(x + d)) ** 2) - np.sum(np.abs(np.fft.rfft(x - d)) ** 2) for d in step]
    np.testing.assert_allclose(m.slope(x), np.array(ends) / 2e-3, rtol=1e-2 if dtype == "f" else 1e-6)


def test_half_precision_is_computed_in_single() -> None:
    x = np.arange(6, dtype=np.float16)
    assert np.asarray(dsl.fft.fft(x)).dtype == np.complex64
    np.testing.assert_allclose(dsl.fft.rfft(x), np.fft.rfft(x.astype("d")), atol=1e-5)
    np.testing.assert_allclose(
        dsl.program(GENERIC).power.interpret(x), np.abs(np.fft.rfft(x.astype("d"))) ** 2, rtol=1e-5
    )


def test_numbers_of_samples_are_as_many_as_the_axes() -> None:
    with pytest.raises(dsl.DslError, match="as many numbers of samples as axes"):
        dsl.fft.fft2(np.ones((3, 4)), (2, 2, 2))
    with pytest.raises(dsl.DslError, match="each at least 1"):
        dsl.fft.fftn(np.ones((3, 4)), (0, 2))
