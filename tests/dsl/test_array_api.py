"""The namespace of the array API standard gives what NumPy's gives: some functions of each kind."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
import pytest

import dsl
from dsl import array_api
from dsl.array_api import table

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


# ------------------------------------------------------------ devices

OPERANDS = ("x", "x1", "x2", "min", "max", "condition")
BROADCASTING = [
    name
    for name, function in ((text.partition("(")[0], getattr(XP, text.partition("(")[0])) for text in table.ELEMENTWISE)
    if sum(each in OPERANDS for each in inspect.signature(function).parameters) > 1
]
DTYPES: dict[str, str] = {"bitwise": "int32", "logical": "bool"}


def arguments(name: str, place: Any) -> dict[str, dsl.Array]:
    """Operands of different shapes in one place, of a dtype that the function takes."""
    dtype = DTYPES.get(name.partition("_")[0], "float32")
    names = [each for each in inspect.signature(getattr(XP, name)).parameters if each in OPERANDS]
    shapes = [(2, 3), (3,), (1, 3)]
    made = {}
    for k, each in enumerate(names):
        values = np.ones(shapes[k], "bool" if each == "condition" else dtype)
        made[each] = dsl.device_put(values, place)
    return made


def called(xp: Any, name: str, operands: dict[str, Any]) -> Any:
    """A call with as many operands by position as the standard wants."""
    parameters = inspect.signature(getattr(XP, name)).parameters.values()
    first = [p.name for p in parameters if p.kind is p.POSITIONAL_ONLY and p.name in operands]
    rest = {key: value for key, value in operands.items() if key not in first}
    return getattr(xp, name)(*[operands[each] for each in first], **rest)


def test_there_are_functions_that_broadcast() -> None:
    assert len(BROADCASTING) > 20 and {"add", "where", "clip", "pow"} <= set(BROADCASTING)


@pytest.mark.parametrize("name", BROADCASTING)
def test_results_stay_on_the_device_of_the_operands(name: str) -> None:
    operands = arguments(name, dsl.devices("cpu")[2])
    found = called(XP, name, operands)
    assert found.device == dsl.devices("cpu")[2] and found.shape == (2, 3)
    np.testing.assert_allclose(found, called(XP, name, arguments(name, dsl.devices("cpu")[0])), rtol=1e-6)


@pytest.mark.parametrize("name", BROADCASTING)
def test_results_stay_on_all_devices_of_the_operands(name: str) -> None:
    whole = dsl.Sharding(dsl.devices("cpu")[:2])
    operands = arguments(name, whole)
    first = next(iter(operands))
    operands[first] = dsl.device_put(operands[first], dsl.Sharding(dsl.devices("cpu")[:2], axis=0))
    assert called(XP, name, operands).devices == whole.devices


def test_numbers_and_promotion_stay_on_the_device() -> None:
    x = dsl.device_put(X, dsl.devices("cpu")[1])
    i = dsl.device_put(SMALL, dsl.devices("cpu")[1])
    for found in (XP.add(x, 1.0), XP.add(x, np.float32(1.0)), XP.where(XP.greater(x, 0), x, 0.0), XP.clip(x, 0.0, 1.0)):
        assert found.device == x.device and found.dtype == np.float32
    assert XP.add(x[:1], 1).dtype == np.float32
    wide = XP.multiply(i, XP.astype(i, XP.int32))
    assert (wide.device, wide.dtype) == (x.device, np.int32)


def test_arrays_are_broadcast_where_they_are() -> None:
    x, y = (dsl.device_put(each, dsl.devices("cpu")[1]) for each in (X, X[0]))
    first, second = XP.broadcast_arrays(x, y)
    assert first is x and second.device == x.device
    np.testing.assert_array_equal(second, np.broadcast_to(X[0], X.shape))


def test_operands_on_different_devices_are_refused() -> None:
    x, y = (dsl.device_put(X, device) for device in dsl.devices("cpu")[:2])
    with pytest.raises(dsl.DeviceError, match="E1002"):
        XP.add(x, y)
