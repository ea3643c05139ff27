"""Arrays that are given up to a call: results are the same, their memory is used, and later uses name the call."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import dsl

PROGRAM = """
def step(params: {w: f32[n], b: f32}, x: f32[n]) -> {w: f32[n], b: f32} =
    {w = params.w + params.b * x, b = 2.0 * params.b}
def total(x: f32[n], y: f32[n]) -> f32 = sum(x * y)
def halves(x: f32[n]) -> f32[n] where n % 2 == 0 = shard(fn v -> 2.0 * v, mesh(data=2), {data = 0}, {data = 0})(x)
"""


@pytest.fixture(scope="module")
def m() -> Any:
    return dsl.program(PROGRAM)


def params() -> dict[str, dsl.Array]:
    return {"w": dsl.array(np.arange(64, dtype="f4")), "b": dsl.array(np.float32(0.5))}


def pointer(x: dsl.Array) -> int:
    return int(np.asarray(x).__array_interface__["data"][0])


def test_a_loop_that_gives_up_its_state_gives_the_same_and_reuses_the_memory(m: Any) -> None:
    step = dsl.jit(m.step, donate=("params",))
    x, given, kept = np.ones(64, "f4"), params(), params()
    places = set()
    for _ in range(4):  # the slow way, then the quick ones
        given, kept = step(given, x), m.step(kept, x)
        places.add(pointer(given["w"]))
    assert np.array_equal(given["w"], kept["w"]) and float(given["b"]) == float(kept["b"])
    assert len(places) == 1
    assert dsl.jit(m.step, donate=["params"]) is step is dsl.jit(m.step, donate="params")
    assert pickle.loads(pickle.dumps(step)).tailoring.donated == ("params",)


USES: dict[str, Callable[[Any, dsl.Array], Any]] = {
    "reading": lambda m, w: np.asarray(w),
    "printing": lambda m, w: str(w),
    "waiting": lambda m, w: w.block_until_ready(),
    "an argument": lambda m, w: m.total(w, w),
    "one of two arguments": lambda m, w: m.total(np.ones(64, "f4"), w),
    "giving up again": lambda m, w: dsl.jit(m.total, donate="x")(w, np.ones(64, "f4")),
    "parts": lambda m, w: m.halves(w),
    "another device": lambda m, w: dsl.device_put(w, "cpu:1"),
    "the evaluator": lambda m, w: m.total.interpret(w, w),
}


@pytest.mark.parametrize("use", USES)
def test_a_use_after_a_call_names_the_call(m: Any, use: str) -> None:
    m.total(params()["w"], params()["w"])  # so that the quick ways are tried
    given = params()
    dsl.jit(m.step, donate="params")(given, np.ones(64, "f4"))
    with pytest.raises(dsl.DeviceError, match=r"E1017.*f32\[64\] was given up as `params` to a call of `step`"):
        USES[use](m, given["w"])


def test_what_is_not_given_up_stays(m: Any) -> None:
    x = dsl.array(np.ones(64, "f4"))
    dsl.jit(m.step, donate="params")(params(), x)
    host = np.ones(64, "f4")
    dsl.jit(m.total, donate=("x", "y"))(host, host)
    assert float(m.total(x, host)) == 64


def test_one_array_as_two_arguments_is_refused_and_stays(m: Any) -> None:
    x = dsl.array(np.ones(4, "f4"))
    with pytest.raises(dsl.DeviceError, match="is given to `total` as `x` and as `y`, and `x` is given up"):
        dsl.jit(m.total, donate="x")(x, x)
    with pytest.raises(dsl.DeviceError, match="E1017"):
        dsl.jit(m.total, donate=("x", "y"))(x, x)
    with pytest.raises(dsl.DeviceError, match="is given to `total` as `y` and as `x`, and `y` is given up"):
        dsl.jit(m.total, donate="y")(x, x)
    assert float(m.total(x, x)) == 4


def test_names_of_no_array_are_refused(m: Any) -> None:
    with pytest.raises(dsl.DslError, match="`donate` names `z`, and the arrays of `total` are x, y"):
        dsl.jit(m.total, donate="z")


def test_an_argument_that_contains_itself_is_refused(m: Any) -> None:
    endless: list[Any] = []
    endless.append(endless)
    with pytest.raises(dsl.ArgumentError, match=r"E0901.*an argument of `total` contains itself"):
        dsl.jit(m.total, donate="x")(endless, np.ones(64, "f4"))


def test_arrays_over_several_devices_are_given_up(m: Any) -> None:
    x = dsl.device_put(np.arange(8, dtype="f4"), dsl.Sharding(dsl.devices("cpu")[:2], axis=0))
    with dsl.default_device(*dsl.devices("cpu")[:2]):
        assert dsl.jit(m.halves, donate="x")(x).tolist() == [2.0 * k for k in range(8)]
    with pytest.raises(dsl.DeviceError, match="E1017"):
        print(x)
