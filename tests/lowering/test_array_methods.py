"""The methods of `dsl.Array`: those of NumPy, by the rules of the language on dtypes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dsl.types.dtype import ALL, BF16, BOOL, F16, F32, F64, I32, DType
from lowering.xla.array import Array, array

REDUCTIONS = ["sum", "prod", "min", "max", "any", "all"]
AVERAGES = ["mean", "var", "std"]
FORMS = ["round", "ravel", "flatten", "transpose", "conj", "cumsum", "cumprod", "copy", "squeeze"]


def values(dtype: DType) -> np.ndarray[Any, Any]:
    count = np.array([[3, 0, 1], [2, 5, 1]])
    return (count % 2 == 0 if dtype.is_bool else count * (1 + 2j) if dtype.is_complex else count).astype(dtype.numpy)


@pytest.mark.parametrize("dtype", ALL, ids=str)
def test_methods_keep_the_dtype_and_give_what_numpy_gives(dtype: DType) -> None:
    x = values(dtype)
    counted = I32 if dtype == BOOL else dtype
    for name in REDUCTIONS:
        wanted = BOOL if name in ("any", "all") else counted if name in ("sum", "prod") else dtype
        for axis in (None, 0, (0, 1)):
            made = getattr(array(x), name)(axis, keepdims=axis == 0)
            assert made.type.dtype == wanted, name
            expected = getattr(np, name)(x.astype(np.complex128 if dtype.is_complex else np.float64), axis)
            np.testing.assert_allclose(np.asarray(made, np.complex128).reshape(np.shape(expected)), expected)
    for name in FORMS:
        made = getattr(array(x), name)()
        assert made.type.dtype == (counted if name.startswith("cum") else dtype), name
        np.testing.assert_array_equal(np.asarray(made), getattr(x, name)().astype(made.dtype))
    assert array(x).argmax().type.dtype == I32


@pytest.mark.parametrize("dtype", [d for d in ALL if d.is_inexact], ids=str)
def test_averages_are_those_of_floats(dtype: DType) -> None:
    x = values(dtype)
    for name in AVERAGES:
        made = getattr(array(x), name)(axis=1)
        assert made.type.dtype == (dtype.real if name != "mean" else dtype)
        np.testing.assert_allclose(
            made, getattr(np, name)(x.astype(np.complex128), axis=1).astype(made.dtype), rtol=1e-2
        )
    with pytest.raises(TypeError, match="`mean` is not defined on int32"):
        array(np.ones(2, np.int32)).mean()


def test_small_floats_are_averaged_in_f32() -> None:
    for dtype in (F16, BF16):
        assert float(array(np.full(4096, 1.5, dtype.numpy)).mean()) == 1.5


@given(st.lists(st.floats(-1e3, 1e3, width=32), min_size=1), st.integers(-2, 3))
def test_rounding_is_that_of_numpy(numbers: list[float], decimals: int) -> None:
    x = np.array(numbers, np.float32)
    np.testing.assert_array_equal(array(x).round(decimals), np.round(x, decimals))
    np.testing.assert_array_equal(round(array(x), decimals), np.round(x, decimals))
    assert round(array(x[0])) == round(float(x[0]))
    whole, rest = divmod(array(x), 2.0)
    np.testing.assert_array_equal(whole, x // 2)
    np.testing.assert_array_equal(rest, x % 2)


def test_other_forms() -> None:
    x = np.arange(6, dtype=np.float32).reshape(1, 2, 3)
    a = array(x)
    assert a.copy() is a
    assert a.squeeze(0).shape == (2, 3)
    assert a.transpose(2, 0, 1).shape == (3, 1, 2)
    assert a.swapaxes(0, 2).shape == (3, 2, 1)
    np.testing.assert_array_equal(a.clip(1, 4.0), x.clip(1, 4))
    np.testing.assert_array_equal(a.clip(max=2), x.clip(max=2))
    np.testing.assert_array_equal(a.ravel().dot(a.ravel()), np.float32(55))
    z = array(np.array([1 + 2j], np.complex64))
    assert (float(z.real[0]), float(z.imag[0])) == (1, 2)
    assert z.real.type.dtype == F32


def test_numbers_print_as_they_are_and_dtypes_as_they_are_written() -> None:
    assert repr(array([1.5, 2.0], "bf16")) == "Array([1.5, 2. ], bf16)"
    assert str(array(0.5, "bf16")) == "0.5"
    assert repr(F64) == "dsl.f64"
    assert repr(BOOL) == "dsl.bool_"
    assert array([1.0], "f64").type.dtype == F64


def test_functions_of_numpy_see_arrays_of_numpy() -> None:
    x = np.array([[1.0, 2.0], [3.0, 5.0]], np.float32)
    a = array(x)
    for name in ("sum", "mean", "max", "round", "cumsum", "transpose", "argmax"):
        found = getattr(np, name)(a)
        assert isinstance(found, np.ndarray | np.generic)
        np.testing.assert_array_equal(found, getattr(np, name)(x))
    np.testing.assert_array_equal(np.concatenate([a, x]), np.concatenate([x, x]))
    np.testing.assert_array_equal(np.clip(a, 0, a_max=2), np.clip(x, 0, 2))
    np.testing.assert_array_equal(np.einsum("ij,kj->ik", a, x), x @ x.T)


UNARY = ("exp", "negative", "abs", "isnan", "sqrt", "sign", "logical_not")
BINARY = ("add", "subtract", "multiply", "true_divide", "maximum", "less", "power", "hypot", "matmul")


def test_functions_of_elements_follow_the_rules_of_operators() -> None:
    x, y = np.array([1.0, 4.0], np.float32), np.array([2.0, 0.5], np.float32)
    for name in UNARY:
        found = getattr(np, name)(array(x))
        assert isinstance(found, Array)
        np.testing.assert_array_equal(found, getattr(np, name)(x))
    for name in BINARY:
        f = getattr(np, name)
        for found in (f(array(x), array(y)), f(x, array(y)), f(array(x), y)):
            assert isinstance(found, Array) and found.dtype == f(x, y).dtype
            np.testing.assert_array_equal(found, f(x, y))
    assert np.add(array(x), 1).tolist() == [2, 5]


def test_functions_of_elements_promote_no_dtype() -> None:
    x, i = array([1.0, 2.0]), array([1, 2])
    calls: list[tuple[Callable[[], Any], str]] = [
        (lambda: np.add(x, i), "f32 and i32 do not mix"),
        (lambda: np.exp(i), "np.exp of i32 is f64, and no dtype is promoted"),
        (lambda: np.true_divide(i, i), "not defined on integers"),
        (lambda: np.add(x, "a"), "returned NotImplemented"),
    ]
    for call, message in calls:
        with pytest.raises(TypeError, match=message):
            call()
    with pytest.raises(ValueError, match="do not match"):
        np.add(array(np.ones((2, 1), np.float32)), array(np.ones(2, np.float32)))


def test_other_methods_and_options_of_functions_of_elements_see_arrays_of_numpy() -> None:
    x, out = array([1.0, 2.0]), np.zeros(2, np.float32)
    assert np.add.reduce(x) == 3 and isinstance(np.multiply.outer(x, x), np.ndarray)
    assert np.exp(x, out=out) is out and out[0] > 2
    assert [part.tolist() for part in np.modf(x)] == [[0, 0], [1, 2]]


def test_dtypes_are_those_of_numpy_where_it_asks() -> None:
    assert np.zeros(3, F64).dtype == np.float64 and np.ones(2).astype(BOOL).dtype == np.bool_
    assert np.dtype(BF16) == array([1.0], "bf16").dtype
