"""Calls of one function for which different programs take turns: what it takes to find each."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest

import dsl
from dsl.host.calls.dispatch import TURNS
from lowering.xla import starts
from tests.support.python_calls import python_calls


@pytest.fixture(autouse=True)
def runs_are_brief(monkeypatch: pytest.MonkeyPatch) -> None:
    """The start of a program has no detour after the first run, however long that takes on a busy machine."""
    monkeypatch.setattr(starts, "BRIEF", math.inf)


TEXT = """
def one(x: f32[n]) -> f32[n] = x * 2.0
def record(p: {b: f32[n], a: f32[n]}) -> {b: f32[n], a: f32[n]} = {b = p.a, a = p.b}
def scaled(x: f32[n], s: f32) -> f32[n] = x * s
def times(x: f32[n], static k: int) -> f32[n] = x * f32(k)
"""


@pytest.mark.parametrize("kind", [dsl.array, np.asarray], ids=["device", "NumPy"])
def test_programs_in_turns_are_found_by_an_argument(kind: Callable[[Any], Any]) -> None:
    """Nothing else is looked up for them, and none is looked at before."""
    one, count = dsl.program(TEXT).one, 3 * TURNS
    xs = [kind(np.full(n, n, np.float32)) for n in range(1, count + 1)]
    for _ in range(2):
        expected = [one(x).tolist() for x in xs]
    assert expected == [[2.0 * n] * n for n in range(1, count + 1)]
    landing = 0 if kind is dsl.array else 4
    assert max(python_calls(partial(one, x)) for x in xs) <= 2 + landing
    assert [one(x).tolist() for x in xs] == expected
    more = kind(np.ones(count + 1, np.float32))
    for _ in range(2):
        one(more)
    assert python_calls(partial(one, more)) <= 2 + landing
    for _ in range(3):
        assert one(xs[0]).tolist() == expected[0]
    assert python_calls(partial(one, xs[0])) <= 2 + landing


def test_few_programs_in_turns_are_looked_at_one_after_another() -> None:
    """So are those that the arguments by position do not tell apart."""
    record = dsl.program(TEXT).record
    xs = [{name: dsl.array(np.full(n, n, np.float32)) for name in "ab"} for n in range(1, TURNS + 1)]
    for _ in range(2):
        expected = [record(x)["a"].tolist() for x in xs]
    counts = [python_calls(partial(record, x)) for x in xs]
    assert sorted(counts) == [*range(1, TURNS + 1)]
    assert [record(x)["a"].tolist() for x in xs] == expected == [[float(n)] * n for n in range(1, TURNS + 1)]


def test_an_argument_that_tells_of_a_program_is_not_all() -> None:
    """What else is different is found out, whatever stands where the argument was."""
    scaled, sizes = dsl.program(TEXT).scaled, range(1, 7)
    xs = [dsl.array(np.full(n, n, np.float32)) for n in sizes]
    hosts: list[Any] = [np.asarray(x) for x in xs]
    factors: list[Any] = [dsl.array(np.float32(3)), np.float32(3), 3.0, 3, np.array(3, np.float32)]
    for _ in range(2):
        for n in sizes:
            for s in factors:
                for x in (xs[n - 1], hosts[n - 1], hosts[n - 1].tolist()):
                    assert (
                        scaled(x, s).tolist() == scaled(x, s=s).tolist() == scaled(s=s, x=x).tolist() == [3.0 * n] * n
                    )
    wrong: list[tuple[Any, ...]] = [
        (),
        (xs[0],),
        (xs[0], xs[1]),
        (xs[0], 3.0, 3.0),
        (hosts[0].astype(np.int32), {}),
        (None, 1),
    ]
    for args in wrong:
        with pytest.raises(dsl.ArgumentError):
            scaled(*args)


def test_any_number_of_static_values_take_turns() -> None:
    times, x = dsl.program(TEXT).times, dsl.array(np.ones(3, np.float32))
    for k in range(12):
        times(x, k)
    for k in range(12):
        assert python_calls(partial(times, x, k)) <= 24
        assert float(times(x, k)[0]) == k
    with pytest.raises(dsl.ArgumentError, match="k is True"):
        times(x, True)
