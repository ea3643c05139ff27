"""How many functions of Python a call runs: as many as if all calls before had been like it."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from itertools import permutations
from types import FrameType
from typing import Any

import numpy as np
import pytest

import dsl

TEXT = """
def flat(w: f32[d], b: f32, x: f32[n, d], y: f32[n]) -> f32 = mean((x @ w + b - y) ** 2.0)
def record(p: {w: f32[d], b: f32}, x: f32[n, d], y: f32[n]) -> f32 = mean((x @ p.w + p.b - y) ** 2.0)
def times(x: f32[n], static k: int) -> f32[n] = x * f32(k)
import random
def noise(x: f32[n]) -> f32[n] ! rand = x + random.normal(fresh_key(), [n])
def whole(x: i32) -> i32 = x + 1
def seeded(ks: key[n]) -> f32[n] = [random.normal(k) for k in ks]
"""
Args = tuple[Any, ...]


def arrays(n: int) -> Args:
    make = np.random.default_rng(n).normal
    return tuple(np.asarray(make(size=shape), np.float32) for shape in ((3,), (), (n, 3), (n,)))


def on_device(args: Args) -> Args:
    return tuple(map(dsl.array, args))


def with_step(kind: Callable[[float], Any]) -> Callable[[Args], Args]:
    return lambda args: (args[0], kind(0.5), *args[2:])


KINDS: dict[str, Callable[[Args], Args]] = {
    "NumPy": lambda args: args,
    "device": on_device,
    "a scalar of NumPy": with_step(np.float32),
    "a scalar beside arrays of the device": lambda args: with_step(np.float32)(on_device(args)),
    "a number beside arrays of the device": lambda args: with_step(float)(on_device(args)),
    "a number": with_step(float),
    "parameters on the device": lambda args: (*on_device(args[:2]), *args[2:]),
}
FORMS: dict[str, Callable[[Args], Args]] = {
    "flat": lambda args: args,
    "record": lambda args: ({"w": args[0], "b": args[1]}, *args[2:]),
}


def python_calls(call: Callable[[], Any]) -> int:
    """The functions of Python that are called."""
    counted = 0

    def count(frame: FrameType, event: str, arg: Any) -> None:
        nonlocal counted
        counted += event == "call"

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        call()
    finally:
        sys.setprofile(before)
    return counted


def fresh(form: str) -> Callable[[Args], Any]:
    function, shaped = getattr(dsl.program(TEXT), form), FORMS[form]
    return lambda args: function(*shaped(args))


@pytest.mark.parametrize("form", FORMS)
def test_a_call_costs_what_it_costs_alone(form: str) -> None:
    """After a call of any other kind, and in turns with it, few things are found out anew."""
    host = arrays(8)
    alone = {}
    for name, kind in KINDS.items():
        call, args = fresh(form), kind(host)
        call(args)
        alone[name] = python_calls(partial(call, args))
    assert alone["device"] < alone["NumPy"] <= 20
    for first, second in permutations(KINDS, 2):
        call, args = fresh(form), (KINDS[first](host), KINDS[second](host))
        for _ in range(2):
            for given in args:
                call(given)
        for name, given in zip((first, second), args, strict=True):
            assert python_calls(partial(call, given)) <= alone[name] + 8, (first, second, name)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("form", FORMS)
def test_any_number_of_sizes_take_turns(form: str, kind: str) -> None:
    call, all_args = fresh(form), [KINDS[kind](arrays(n)) for n in range(2, 14)]
    expected = [float(call(args)) for args in all_args]
    counts = [python_calls(partial(call, args)) for args in all_args]
    assert max(counts) <= 28
    assert [float(call(args)) for args in all_args] == expected


def test_any_number_of_static_values_take_turns() -> None:
    times, x = dsl.program(TEXT).times, dsl.array(np.ones(3, np.float32))
    for k in range(12):
        times(x, k)
    for k in range(12):
        assert python_calls(partial(times, x, k)) <= 24
        assert float(times(x, k)[0]) == k
    with pytest.raises(dsl.ArgumentError, match="k is True"):
        times(x, True)


def test_a_key_of_the_device_stays_there() -> None:
    """No call waits for its key."""
    noise, x, key = dsl.program(TEXT).noise, dsl.array(np.ones(3, np.float32)), dsl.key(1)
    expected = np.asarray(noise(x, key=1))
    np.testing.assert_array_equal(noise(x, key=key), expected)
    assert python_calls(lambda: noise(x, key=key)) <= 20


@pytest.mark.parametrize(("name", "value"), [("whole", np.int64(3)), ("seeded", np.arange(3))])
def test_what_is_accepted_does_not_depend_on_calls_before(name: str, value: Any) -> None:
    """Integers of NumPy are read like numbers of Python; arrays of the device of the same type are not."""
    refused = dsl.array(value)
    for before in (refused, value):
        function = getattr(dsl.program(TEXT), name)
        for given in (before, refused):
            if given is value:
                function(given)
            else:
                with pytest.raises(dsl.ArgumentError) as caught:
                    function(given)
                assert caught.value.code in ("E0902", "E0914")


def test_a_record_takes_one_function_for_each_of_four_steps() -> None:
    """The call, the look at what is known, a reader for each container, the run, and the container of the result."""
    swap = dsl.program("def swap(p: {a: f32[n], b: f32[n]}) -> {a: f32[n], b: f32[n]} = {a = p.b, b = p.a}").swap
    record = {name: dsl.array(np.full(3, k, np.float32)) for k, name in enumerate("ab")}
    for _ in range(2):
        found = swap(record)
    assert python_calls(partial(swap, record)) <= 5 + 2  # older Pythons count comprehensions
    assert type(found) is dict and [float(found[name][0]) for name in "ab"] == [1.0, 0.0]
    assert swap({"a": record["a"]} | record)["a"].tolist() == [1.0] * 3
    with pytest.raises(dsl.ArgumentError):
        swap({**record, "c": record["a"]})
