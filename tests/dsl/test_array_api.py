"""The namespace of the array API standard gives what NumPy's gives: some functions of each kind."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
import pytest

import dsl
from dsl import array_api

X = np.array([[1.0, -2.5, 3.0], [0.5, 4.0, -1.0]], np.float32)
SMALL = np.array([[1, 2, 3], [4, 5, 6]], np.int8)
XP: Any = dsl.array(X).__array_namespace__(api_version="2024.12")

CALLS = {
    "add": lambda xp, x, i: xp.add(x, x[0]),
    "promotion": lambda xp, x, i: xp.multiply(i, xp.asarray([1, 2, 3], dtype=xp.int32)),
    "number": lambda xp, x, i: xp.pow(x, 2),
    "comparison": lambda xp, x, i: xp.less(x, 0.5),
    "choice": lambda xp, x, i: xp.where(xp.asarray([True, False, True]), x, 0.0),
    "sum of small integers": lambda xp, x, i: xp.sum(i, axis=(0, 1), keepdims=True),
    "variance": lambda xp, x, i: xp.var(x, axis=-1, correction=1),
    "concat": lambda xp, x, i: xp.concat([x, i], axis=1),
    "stack": lambda xp, x, i: xp.stack([x], axis=-1),
    "unstack": lambda xp, x, i: xp.unstack(x)[1],
    "roll": lambda xp, x, i: xp.roll(x, (1, 2), axis=(0, 1)),
    "eye": lambda xp, x, i: xp.eye(3, 4, k=1, dtype=xp.int32),
    "like": lambda xp, x, i: xp.full_like(i, 7),
    "astype": lambda xp, x, i: xp.astype(x, xp.int32),
    "sort": lambda xp, x, i: xp.sort(x, axis=0),
    "tensordot": lambda xp, x, i: xp.tensordot(x, x, axes=((1,), (1,))),
    "copysign": lambda xp, x, i: xp.copysign(x, -x),
    "norm": lambda xp, x, i: xp.linalg.vector_norm(x, axis=1, keepdims=True),
    "hfft": lambda xp, x, i: xp.fft.hfft(xp.astype(x, xp.complex64), n=5),
    "ihfft": lambda xp, x, i: xp.fft.ihfft(x, axis=0),
    "fftshift": lambda xp, x, i: xp.fft.fftshift(x),
    "ifftshift": lambda xp, x, i: xp.fft.ifftshift(x, axes=1),
    "nonzero": lambda xp, x, i: xp.stack(xp.nonzero(x)),
    "unique_values": lambda xp, x, i: xp.sort(xp.unique_values(i // 2)),
    "unique_all": lambda xp, x, i: xp.unique_all(i // 2).inverse_indices,
    "unique_counts": lambda xp, x, i: xp.unique_counts(i // 2).counts,
    "unique_inverse": lambda xp, x, i: xp.unique_inverse(i // 2).inverse_indices,
    "fft": lambda xp, x, i: xp.fft.rfft(x, axis=0),
}


@pytest.mark.parametrize("name", CALLS)
def test_values_are_those_of_numpy(name: str) -> None:
    found, wanted = CALLS[name](XP, dsl.array(X), dsl.array(SMALL)), CALLS[name](np, X, SMALL)
    assert isinstance(found, dsl.Array) and found.shape == wanted.shape
    assert found.dtype.kind == np.asarray(wanted).dtype.kind
    np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize(
    ("name", "norm"),
    [("rfft", "ortho"), ("hfft", "ortho"), ("ihfft", "forward"), ("fftn", "forward"), ("irfftn", "ortho")],
)
def test_transforms_are_scaled(name: str, norm: str) -> None:
    real = name in ("rfft", "ihfft")
    x = X if real else X.astype(np.complex64)
    options = {"axes": (0, 1)} if name.endswith("n") else {"n": 5}
    wanted = getattr(np.fft, name)(x, norm=norm, **options)
    np.testing.assert_allclose(getattr(XP.fft, name)(dsl.array(x), norm=norm, **options), wanted, rtol=1e-5, atol=1e-5)


def test_programs_are_kept() -> None:
    first = XP.exp(dsl.array(X))
    assert np.array_equal(first, XP.exp(dsl.array(X)))
    with pytest.raises(TypeError, match="takes no `n` but 1"):
        XP.diff(dsl.array(X), n=2)
    with pytest.raises(dsl.DslError, match="inv"):
        XP.linalg.inv(dsl.array(X))
    with pytest.raises(ValueError, match="`cumulative_sum` of an array with several axes needs an axis"):
        XP.cumulative_sum(dsl.array(X))
    with pytest.raises(ValueError, match="a number has no indices"):
        XP.nonzero(dsl.array(1.0))
    with pytest.raises(ValueError, match="`norm` is one of 'backward', 'ortho', 'forward', not 'none'"):
        XP.fft.fft(dsl.array(X), norm="none")
    with pytest.raises(TypeError, match="neither an array nor a static value"):
        XP.sum(X)


def test_what_the_namespace_says_of_itself() -> None:
    assert XP is array_api and XP.__array_api_version__ == "2024.12"
    assert str(inspect.signature(XP.sum)) == "(x, /, *, axis=None, dtype=None, keepdims=False)"
    assert XP.result_type(XP.int8, dsl.array([1])) == XP.int32 and XP.isdtype(XP.float32, "real floating")
    info = XP.__array_namespace_info__()
    assert info.default_dtypes()["real floating"] == XP.float32 and info.default_device() in info.devices()
    assert {"add", "linalg", "fft", "pi"} <= set(dir(XP)) and not hasattr(XP, "nonsense")
    with pytest.raises(ValueError, match=r"2024\.12"):
        dsl.array(X).__array_namespace__(api_version="2021.12")
