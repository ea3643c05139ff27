"""`dsl.Array`: immutable, asynchronous, exact for every dtype, and at home among NumPy and DLPack."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dsl
from dsl.ir.function import Tensor
from dsl.types import dtype as d
from dsl.types.dtype import ALL, BF16, BY_NAME, F16, F32, F64, I32, U8, DType
from lowering.xla.array import Array, array
from lowering.xla.backends import here

SHAPES = [(), (3,), (2, 3), (0, 2), (1,)]


def values(dtype: DType, shape: tuple[int, ...]) -> np.ndarray[Any, Any]:
    count = np.arange(np.prod(shape, dtype=int)).reshape(shape)
    return np.asarray(count % 2 == 0 if dtype.is_bool else count * (1 + 2j) if dtype.is_complex else count).astype(
        dtype.numpy
    )


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("dtype", ALL, ids=str)
def test_every_dtype_goes_there_and_back(dtype: DType, shape: tuple[int, ...]) -> None:
    x = values(dtype, shape)
    a = array(x)
    assert a.type == Tensor(dtype, shape)
    assert (a.shape, a.dtype, a.ndim, a.size) == (x.shape, x.dtype, x.ndim, x.size)
    assert a.nbytes == x.nbytes
    back = np.asarray(a)
    assert back.dtype == x.dtype and back.shape == x.shape
    np.testing.assert_array_equal(back, x)
    np.testing.assert_array_equal(np.asarray(pickle.loads(pickle.dumps(a))), x)


def test_reading_shares_memory_and_cannot_write() -> None:
    for dtype in (F32, BF16):
        a = array(values(dtype, (4,)))
        first, second = np.asarray(a), np.asarray(a)
        assert np.shares_memory(first, second)
        with pytest.raises(ValueError, match="read-only"):
            first[0] = 7
        del a
        np.testing.assert_array_equal(first, values(dtype, (4,)))


def test_what_numpy_writes_later_is_not_seen() -> None:
    x = np.zeros(100_000, np.float32)
    a = array(x)
    x[:] = 1
    assert float(np.asarray(a).sum()) == 0.0


def test_array_protocol_arguments() -> None:
    a = array(np.arange(3, dtype=np.float32))
    assert a.__array__(np.float64).dtype == np.float64
    assert a.__array__(copy=True).flags.writeable
    with pytest.raises(ValueError, match="without a copy"):
        a.__array__(np.float64, copy=False)


@pytest.mark.cpu
def test_dlpack_out_shares_and_in_copies() -> None:
    a = array(np.arange(4, dtype=np.float32))
    assert a.__dlpack_device__() == (1, 0)
    shared = np.from_dlpack(a)
    assert np.shares_memory(shared, np.asarray(a))

    class Foreign:
        """Some other library's array."""

        def __init__(self, x: np.ndarray[Any, Any]) -> None:
            self._x = x

        def __dlpack__(self, **options: Any) -> Any:
            return self._x.__dlpack__()

        def __dlpack_device__(self) -> tuple[int, int]:
            return self._x.__dlpack_device__()

    x = np.arange(5, dtype=np.int16)
    taken = array(Foreign(x))
    x[:] = 0
    assert taken.tolist() == [0, 1, 2, 3, 4]


def test_it_never_changes_and_says_how_to_get_another() -> None:
    a: Any = array([1.0, 2.0])
    with pytest.raises(TypeError, match=r"x\.at\[index\]\.set\(value\)"):
        a[0] = 3.0
    with pytest.raises(AttributeError):
        a.shape = (1, 2)
    with pytest.raises(TypeError, match="unhashable"):
        hash(a)
    assert copy.copy(a) is a and copy.deepcopy(a) is a
    assert a.tolist() == [1.0, 2.0]


def test_functional_updates() -> None:
    a = array([1, 2, 3, 4])
    assert a.at[1].set(9).tolist() == [1, 9, 3, 4]
    assert a.at[1:3].add(1).tolist() == [1, 3, 4, 4]
    assert a.at[np.array([0, 0, 2])].add(10).tolist() == [21, 2, 13, 4]
    assert a.at[0].mul(5).tolist() == [5, 2, 3, 4]
    assert a.at[:].max(3).tolist() == [3, 3, 3, 4]
    assert a.at[:].min(array(2)).tolist() == [1, 2, 2, 2]
    assert a.at[2].power(2).tolist() == [1, 2, 9, 4]
    assert a.at[array([0, 1])].apply(lambda x: -x).tolist() == [-1, -2, 3, 4]
    assert a.at[-1].get().item() == 4
    assert array([1.0, 3.0]).at[1].divide(2.0).tolist() == [1.0, 1.5]
    assert a.tolist() == [1, 2, 3, 4]
    with pytest.raises(IndexError):
        a.at[4].set(0)
    with pytest.raises(TypeError, match="f32 cannot be put into an array of i32"):
        a.at[0].set(np.float32(1))
    with pytest.raises(ValueError, match="do not match"):
        a.at[:].set(np.zeros(3, np.int32))


def test_python_numbers_alone_have_the_dtypes_of_the_language() -> None:
    types = [array(v).type.dtype.name for v in (True, 1, 1.0, 1j, [1, 2], [[1.0]])]
    assert types == ["bool", "i32", "f32", "c64", "i32", "f32"]
    assert array(np.float64(1)).type.dtype is F64
    assert array([1, 2], d.U8).type.dtype is U8
    with pytest.raises(OverflowError, match="4294967296 does not fit i32"):
        array(2**32)
    with pytest.raises(TypeError, match="is not a dtype of the language"):
        array(np.zeros(2, "U3"))
    with pytest.raises(TypeError, match="holds numbers"):
        array("text")


@pytest.mark.parametrize(("numbers", "dtype"), [([300], U8), (-1, U8), ([0, 1e39], None), (7e4, F16), (70000, F16)])
def test_python_numbers_that_a_dtype_cannot_hold_are_refused(numbers: Any, dtype: Any) -> None:
    with pytest.raises(OverflowError, match="does not fit"):
        array(numbers, dtype)


def test_python_numbers_with_a_dtype_are_of_its_kind() -> None:
    with pytest.raises(TypeError, match=r"\[1\.5\] does not become i32"):
        array([1.5], I32)
    assert array([], U8).type.dtype is U8
    assert array([np.inf, 1], F16).tolist() == [np.inf, 1.0]


def test_integers_by_zero_are_divided_as_in_programs() -> None:
    for dtype, x, y in ((I32, [7, -7, 0, 7], [0, 0, 0, -2]), (U8, [7, 0, 255, 7], [0, 0, 0, 2])):
        a, b = array(x, dtype), array(y, dtype)
        text = f"def f(x: {dtype}[n], y: {dtype}[n]) = (x // y, x % y)"
        for made, wanted in zip((a // b, a % b), dsl.program(text).f.interpret(a, b), strict=True):
            np.testing.assert_array_equal(made, wanted)
    assert (7 // array([0, 2])).tolist() == [-1, 3]
    assert np.floor_divide(array([7]), 0).tolist() == [-1]


def test_conversions_to_python() -> None:
    assert (int(array(3)), float(array(2.5)), bool(array(True)), complex(array(1j))) == (3, 2.5, True, 1j)
    assert [10, 20, 30][array(1)] == 20
    assert f"{array(2.5):.3f}" == "2.500"
    assert array([[7]]).item() == 7
    with pytest.raises(TypeError, match="complex"):
        float(array(1j))
    with pytest.raises(ValueError, match="ambiguous"):
        bool(array([1, 2]))
    with pytest.raises(TypeError, match="index"):
        [1, 2][array(1.0)]
    with pytest.raises(ValueError, match="one element"):
        array([1, 2]).item()


def test_sequence_behaviour() -> None:
    a = array([[1, 2], [3, 4]])
    assert len(a) == 2
    assert [row.tolist() for row in a] == [[1, 2], [3, 4]]
    assert a[1, 0].item() == 3 and a[-1].tolist() == [3, 4] and a[:, array(1)].tolist() == [2, 4]
    assert a.T.tolist() == [[1, 3], [2, 4]] and a.reshape(4).tolist() == [1, 2, 3, 4]
    assert 3 in a and 9 not in a
    with pytest.raises(TypeError, match="no length"):
        len(array(1))


def test_how_it_prints() -> None:
    assert repr(array([1.0, 2.5])) == "Array([1. , 2.5], f32)"
    assert repr(array(values(BF16, (2,)))) == "Array([0., 1.], bf16)"
    assert str(array([1, 2])) == "[1 2]"


@given(st.lists(st.floats(-100, 100, width=32), min_size=1, max_size=5), st.floats(-10, 10, width=32))
def test_arithmetic_is_that_of_numpy(numbers: list[float], scalar: float) -> None:
    x = np.array(numbers, np.float32)
    a: Any = array(x)
    s = np.float32(scalar)
    with np.errstate(all="ignore"):
        pairs = [
            (a + scalar, x + s),
            (scalar - a, s - x),
            (a * a, x * x),
            (a / scalar, x / s),
            (x - a, x - x),
            (-a, -x),
            (abs(a), abs(x)),
            (a < scalar, x < s),
            (a == x, x == x),
            (a @ a, x @ x),
        ]
    for got, wanted in pairs:
        assert isinstance(got, Array)
        assert got.dtype == wanted.dtype
        np.testing.assert_array_equal(np.asarray(got), wanted)


def test_nothing_is_promoted_in_silence() -> None:
    a: Any = array([1, 2])
    with pytest.raises(TypeError, match="i32 and f32 do not mix"):
        a + array([1.0, 2.0])
    with pytest.raises(TypeError, match=r"1\.5 does not become i32"):
        a + 1.5
    with pytest.raises(TypeError, match="use `//`"):
        a / 2
    with pytest.raises(OverflowError):
        array([1], U8) + 256
    with pytest.raises(ValueError, match=r"shapes \[2\] and \[2, 1\] do not match"):
        a + array([[1], [2]])
    with pytest.raises(TypeError):
        a + "text"
    assert (array([1], F16) + 1).type.dtype is F16
    assert (array([1], BF16) * 2.5).tolist() == [2.5]
    assert (array([[1], [2]]) + array([[1, 2]])).shape == (2, 2)
    assert (~array([True, False])).tolist() == [False, True]


def test_casts_are_those_of_programs() -> None:
    assert array([1.9, -1.9]).astype(I32).tolist() == [1, -1]
    assert array([300, -1]).astype("uint8").tolist() == [44, 255]
    assert array([1.0]).astype(F32).type.dtype is F32
    assert str(array([1.5]).astype(BY_NAME["bf16"]).dtype) == "bfloat16"


@pytest.mark.cpu
def test_a_guard_speaks_before_the_first_read_and_only_then() -> None:
    calls = []
    impl = here().put(np.arange(3, dtype=np.float32), Tensor(F32, (3,)))
    a = Array(impl, impl.aval).guarded(lambda: calls.append(1))
    assert a.shape == (3,) and a.is_ready() and not calls
    assert a.tolist() == [0.0, 1.0, 2.0] and a[0].item() == 0.0
    assert calls == [1]


class Failed(Exception):
    """What a guard raises in a test."""


READS = [
    np.asarray,
    repr,
    float,
    lambda a: a.block_until_ready(),
    lambda a: a + 1,
    np.from_dlpack,
    pickle.dumps,
]


@pytest.mark.parametrize("read", READS)
def test_a_guard_that_raises_does_so_at_every_read(read: Any) -> None:
    def refuse() -> None:
        raise Failed

    impl = here().put(np.zeros((), np.float32), Tensor(F32))
    a = Array(impl, impl.aval).guarded(refuse)
    for _ in range(2):
        with pytest.raises(Failed):
            read(a)


@pytest.mark.cpu
def test_where_it_lives() -> None:
    a = array([1.0])
    assert str(a.device) == "cpu:0"
    assert str(a.sharding) == "whole on cpu:0"


def test_a_put_checks_its_type() -> None:
    with pytest.raises(TypeError, match="was put as f32"):
        here().put(np.zeros(3), Tensor(F32, (3,)))


def test_elements_are_shared_with_memoryviews() -> None:
    shared = array([1.0, 2.0]).__buffer__(0)
    assert shared.readonly and shared.tolist() == [1.0, 2.0]
