"""Indices of arrays on several devices, or not in the memory of the host, are programs with the values of NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import dsl
from dsl.array_api import indexing
from dsl.array_api.eager import program_of
from tests.dsl.test_array_api import nothing_is_read

X = np.arange(48, dtype=np.float32).reshape(8, 3, 2)
KEYS: dict[str, Any] = {
    "integer": -3,
    "slice": slice(2, 6),
    "backward": (slice(6, 1, -2), None, ..., 1),
    "rows": np.array([1, -1]),
    "pairs": ([1, 2], [0, -1]),
    "neighbours": (slice(None), [1, 2], 1),
    "apart": (0, slice(None), [1, 0]),
    "mask": X[:, 0, 0] > 20,
    "mask of two axes": X[:, :, 0] > 20,
    "mask beside a slice": (slice(1, 7), np.array([True, False, True])),
    "nothing": [],
}
WRONG: tuple[Any, ...] = (8, -9, (0, 3), np.array([8]), (0, 0, 0, 0), np.zeros(3, bool), 1.5)


def cut(axis: int = 0) -> dsl.Array:
    made: dsl.Array = dsl.device_put(X, dsl.Sharding(dsl.devices("cpu")[:2], axis=axis))
    return made


@pytest.mark.parametrize("name", KEYS)
def test_indices_are_read_where_the_array_is(name: str) -> None:
    x, wanted = cut(), X[KEYS[name]]
    found = x[KEYS[name]]
    assert found.devices == x.devices
    np.testing.assert_array_equal(found, wanted)


def test_axes_that_remain_stay_partitioned() -> None:
    assert cut()[:, 0].sharding == dsl.Sharding(dsl.devices("cpu")[:2], axis=0)
    assert cut(2)[1].sharding == dsl.Sharding(dsl.devices("cpu")[:2], axis=1)
    assert cut()[:3].sharding == dsl.Sharding(dsl.devices("cpu")[:2])
    assert cut().astype("i32").sharding == cut().sharding


@pytest.mark.parametrize("name", ["slice", "backward", "pairs", "mask", "nothing"])
def test_updates_are_made_where_the_array_is(name: str) -> None:
    key = KEYS[name]
    set_, added = X.copy(), X.copy()
    set_[key] = 2
    np.add.at(added, key, np.ones(X[key].shape, np.float32))
    for found, wanted in ((cut().at[key].set(2), set_), (cut().at[key].add(np.ones(X[key].shape, "f4")), added)):
        assert found.sharding == cut().sharding
        np.testing.assert_array_equal(found, wanted)


def test_the_elements_are_not_read() -> None:
    x, y = cut(), dsl.device_put(np.float32(7), dsl.Sharding(dsl.devices("cpu")[:2]))
    mask = dsl.device_put(X[:, 0, 0] > 20, x.sharding)
    with nothing_is_read():
        found = x[3], x.at[1:3].set(y), x.astype("f64")
    assert found[0].tolist() == X[3].tolist() and float(found[1][2, 1, 1]) == 7 and found[2].dtype == np.float64
    np.testing.assert_array_equal(x[mask], X[X[:, 0, 0] > 20])


def test_one_program_reads_all_rows() -> None:
    x = cut(2)
    first = [x[0, 1], program_of.cache_info().misses]
    assert [row.tolist() for row in (x[1, 0], x[-1, 2], x[np.int8(2), 1])] == [
        X[k].tolist() for k in ((1, 0), (7, 2), (2, 1))
    ]
    assert program_of.cache_info().misses == first[1]


@pytest.mark.parametrize("key", WRONG, ids=repr)
def test_indices_out_of_bounds_are_those_of_numpy(key: Any) -> None:
    messages = []
    for x in (cut(), dsl.array(X)):
        with pytest.raises(IndexError) as caught:
            x[key]
        messages.append(str(caught.value))
    assert messages[0] == messages[1]
    with pytest.raises(IndexError):
        cut().at[key].set(0)


def test_values_of_updates_must_fit() -> None:
    with pytest.raises(TypeError, match="f64 cannot be put into an array of f32"):
        cut().at[0].set(np.float64(1))
    with pytest.raises(ValueError, match="do not match"):
        cut().at[:2].set(np.zeros(3, "f4"))
    with pytest.raises(IndexError, match="a single bool"):
        cut()[True]


@pytest.mark.parametrize("operation", ["mul", "divide", "power", "min", "max"])
def test_repeated_indices_accumulate(operation: str) -> None:
    key = np.array([0, 0, 3])
    found = getattr(cut().at[key], operation)(2)
    np.testing.assert_array_equal(found, getattr(dsl.array(X).at[key], operation)(2))


def test_functions_of_elements_are_applied_once() -> None:
    found = cut().at[[0, 0]].apply(lambda x: x + 1)
    assert found.sharding == cut().sharding
    assert (np.asarray(found)[0] == X[0] + 1).all() and (np.asarray(found)[1:] == X[1:]).all()


def test_results_of_methods_stay_on_the_devices() -> None:
    one, x = dsl.device_put(X, dsl.devices("cpu")[2]), cut()
    for found in (one + 1, one[0], one.at[0].set(1), one.sum(), one.T, -one, one.reshape(-1), np.exp(one)):
        assert found.device == one.device
    assert (x + 1).sharding == x.sharding and x.sum().devices == x.devices


def test_sizes_that_data_decide_stay_on_the_devices() -> None:
    m = dsl.program("def positive(x: f32[n]) -> f32[?k] where ?k <= n = x[x > 0.0]")
    x = dsl.device_put(np.array([-1, 2, 3], "f4"), dsl.devices("cpu")[1])
    assert m.positive(x).device == x.device and m.positive(x).tolist() == [2, 3]


# ------------------------------------------------------------ all indices


@st.composite
def indexed(draw: Any) -> tuple[np.ndarray[Any, Any], Any]:
    """An array and an index of it: slices, integers, new axes and arrays of integers in any order."""
    shape = draw(hnp.array_shapes(min_dims=1, max_dims=3, max_side=4))
    front = draw(hnp.array_shapes(min_dims=1, max_dims=2, max_side=3))
    parts: list[Any] = []
    for n in shape[: draw(st.integers(0, len(shape)))]:
        kinds = [st.integers(-n, n - 1), st.slices(n), hnp.arrays(np.int64, front, elements=st.integers(-n, n - 1))]
        parts += [None] if draw(st.booleans()) else []
        parts.append(draw(st.one_of(*kinds)))
    parts += [...] if draw(st.booleans()) else []
    return np.arange(np.prod(shape), dtype=np.float32).reshape(shape), tuple(parts)


@settings(max_examples=6)
@given(indexed())
def test_programs_of_indices_read_what_numpy_reads(case: tuple[np.ndarray[Any, Any], Any]) -> None:
    x, key = case
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(indexing, "program_of", lambda body, types, layout: program_of(body, types).interpret)
        np.testing.assert_array_equal(indexing.read(dsl.array(x), key), x[key])
        wanted = x.copy()
        wanted[key] = -1
        np.testing.assert_array_equal(indexing.update(dsl.array(x), key, "set", np.float32(-1)), wanted)
