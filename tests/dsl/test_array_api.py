"""The namespace of the array API standard gives what NumPy's gives: some functions of each kind."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest

import dsl
from dsl import array_api
from dsl.array_api import table
from tests.support.cases import some

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


# ------------------------------------------------------------ no copies to the host

STAYING = {
    "unstack": lambda xp, x: xp.unstack(x, axis=-1),
    "fftshift": lambda xp, x: xp.fft.fftshift(x),
    "ifftshift": lambda xp, x: xp.fft.ifftshift(x, axes=(0,)),
    "asarray": lambda xp, x: xp.asarray([x, [xp.sum(x, axis=0), [1.0, 2.0, 3.0]]]),
    "full": lambda xp, x: xp.full((2, 3), xp.sum(x)),
    "stack": lambda xp, x: xp.stack([x, x]),
    "sum": lambda xp, x: xp.sum(x, axis=0),
    "fftn": lambda xp, x: xp.fft.fftn(x),
    "take": lambda xp, x: xp.take(x, xp.astype(xp.zeros_like(x, dtype=xp.int32), xp.int32), axis=0),
}
MADE = {
    "arange": lambda xp: xp.arange(5),
    "arange from": lambda xp: xp.arange(7, 1, -2),
    "arange of floats": lambda xp: xp.arange(0.0, 1.0, 0.3, dtype=xp.float64),
    "arange of nothing": lambda xp: xp.arange(3, 1),
    "arange of small": lambda xp: xp.arange(4, dtype=xp.int8),
    "linspace": lambda xp: xp.linspace(-1.0, 3.0, 7, dtype=xp.float64),
    "linspace without end": lambda xp: xp.linspace(0.0, 1.0, 4, endpoint=False),
    "linspace of one": lambda xp: xp.linspace(2.0, 5.0, 1),
    "linspace of complex": lambda xp: xp.linspace(0.0, 1.0 + 1.0j, 3),
    "full": lambda xp: xp.full((2, 3), 7),
    "full of bools": lambda xp: xp.full(3, True),
    "full of complex": lambda xp: xp.full((2,), 1.0j, dtype=xp.complex128),
}


@contextmanager
def nothing_is_read() -> Iterator[None]:
    """Let every read of an array by the host fail."""

    def refuse(self: Any, *args: Any, **kwargs: Any) -> Any:
        raise AssertionError("an array was read by the host")

    with pytest.MonkeyPatch.context() as patch:
        for name in ("__array__", "tolist", "item", "_view"):
            patch.setattr(dsl.Array, name, refuse)
        yield


def test_a_read_of_the_host_is_noticed() -> None:
    x = dsl.array(X)
    with nothing_is_read(), pytest.raises(AssertionError, match="read by the host"):
        XP.nonzero(x)


def parts_of(found: Any) -> list[Any]:
    return list(found) if isinstance(found, tuple | list) else [found]


@pytest.mark.parametrize("name", STAYING)
@pytest.mark.parametrize("layout", ["one", "cut"])
def test_functions_of_arrays_read_nothing_on_the_host(name: str, layout: str) -> None:
    devices = dsl.devices("cpu")[:2]
    place = dsl.devices("cpu")[3] if layout == "one" else dsl.Sharding(devices, axis=0)
    x = dsl.device_put(X, place)
    wanted = parts_of(STAYING[name](np, X))
    with nothing_is_read():
        found = parts_of(STAYING[name](XP, x))
    for one, expected in zip(some(found), wanted, strict=True):
        assert set(one.devices) == set(x.devices)
        np.testing.assert_allclose(one, expected, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("name", MADE)
def test_arrays_are_made_on_the_device(name: str) -> None:
    wanted = MADE[name](np)
    with nothing_is_read():
        found = MADE[name](XP)
    assert found.shape == wanted.shape and found.dtype.kind == wanted.dtype.kind
    np.testing.assert_allclose(found, wanted, rtol=1e-6)


@pytest.mark.parametrize("name", ["nonzero", "unique_all"])
def test_results_whose_shapes_depend_on_elements_stay_beside_their_operand(name: str) -> None:
    device = dsl.devices("cpu")[2]
    for found in some(getattr(XP, name)(dsl.device_put(X, device))):
        assert found.device == device
    whole = dsl.Sharding(dsl.devices("cpu")[:2], axis=0)
    assert all(each.devices == whole.devices for each in getattr(XP, name)(dsl.device_put(X, whole)))
