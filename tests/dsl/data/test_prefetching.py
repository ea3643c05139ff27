"""Batches are brought to devices in a thread, in order; exceptions keep their place, and the thread ends."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from itertools import count

import numpy as np
import pytest

import dsl
from dsl.data import Batches, prefetch


def of_prefetch() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name == "prefetch"]


def all_end() -> bool:
    for _ in range(200):
        if not of_prefetch():
            return True
        time.sleep(0.01)
    return False


def test_batches_come_in_order_and_on_devices() -> None:
    found = list(prefetch({"x": np.full(2, k, np.float32), "n": np.int32(k)} for k in range(7)))
    assert [int(batch["n"]) for batch in found] == list(range(7))
    assert all(isinstance(batch["x"], dsl.Array) and float(batch["x"][0]) == int(batch["n"]) for batch in found)
    assert all_end()


def test_a_batch_is_laid_out_over_a_mesh() -> None:
    mesh = dsl.Mesh(dsl.devices("cpu")[:4], data=2, model=2)
    sharding = dsl.Sharding(mesh, {"data": 0})
    batches = Batches({"x": np.arange(12, dtype="f4").reshape(6, 2), "y": np.arange(6)}, 4, last="pad")
    found = list(prefetch(batches.epoch(0), sharding))
    assert len(found) == 2
    for number, (batch, mask) in enumerate(found):
        assert batch["x"].sharding == batch["y"].sharding == mask.sharding == sharding
        assert np.asarray(batch["y"])[np.asarray(mask)].tolist() == [[0, 1, 2, 3], [4, 5]][number]
    odd = Batches(np.arange(6), 3)
    with pytest.raises(dsl.DeviceError, match="E1006"):
        list(prefetch(odd.epoch(0), sharding))


def test_the_device_in_use_is_that_of_the_caller() -> None:
    with dsl.default_device("cpu:3"):
        (found,) = prefetch([np.ones(2)])
    assert str(found.device) == "cpu:3"
    (found,) = prefetch([np.ones(2)], "cpu:1")
    assert str(found.device) == "cpu:1"


def test_no_more_is_read_than_the_depth() -> None:
    read = []

    def endless() -> Iterator[np.int32]:
        for k in count():
            read.append(k)
            yield np.int32(k)

    stream = prefetch(endless(), depth=3)
    assert int(next(stream)) == 0
    time.sleep(0.2)
    assert len(read) <= 5  # one received, three in line, one on its way
    del stream
    assert all_end()
    with pytest.raises(ValueError):
        prefetch([], depth=0)


def test_an_exception_comes_in_its_place() -> None:
    def failing() -> Iterator[np.int32]:
        yield np.int32(1)
        raise KeyError("row 2")

    stream = prefetch(failing())
    assert int(next(stream)) == 1
    with pytest.raises(KeyError, match="row 2"):
        next(stream)
    assert all_end() and list(stream) == []
