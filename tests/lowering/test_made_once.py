"""Objects of which a process has one, when several threads ask for them first."""

from __future__ import annotations

import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest

from lowering.made_once import made_once

FIRST_CALLS = """
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
import numpy as np, dsl
start, add = Barrier(4), dsl.program("def add(x: f32[n], y: f32[n]) -> f32[n] = x + y").add

def work(number):
    start.wait()
    x = dsl.array(np.full(3, number, np.float32))
    return [add(x, x).tolist(), add(x, np.asarray(x)).tolist()], x.device

with ThreadPoolExecutor(4) as threads:
    found = [*threads.map(work, range(4))]
assert [sums for sums, _ in found] == [[[2.0 * k] * 3] * 2 for k in range(4)], found
x, y = [dsl.array(np.ones(3, np.float32)) for _ in range(2)]
assert add(x, y).tolist() == [2.0] * 3
"""


def test_threads_that_ask_at_once_get_one_object() -> None:
    made: list[int] = []
    start = Barrier(4)

    @made_once
    def slowly(number: int) -> object:
        made.append(number)
        time.sleep(0.01)
        return object()

    def asked(number: int) -> object:
        start.wait()
        return slowly(number)

    with ThreadPoolExecutor(4) as threads:
        found = [*threads.map(asked, [1, 1, 2, 2])]
    assert sorted(made) == [1, 2]
    assert found[0] is found[1] is slowly(1) and found[2] is found[3] is slowly(2)


def test_a_failure_is_not_kept() -> None:
    tries = iter([ValueError("not yet"), None])

    @made_once
    def second_try() -> int:
        fault = next(tries)
        if fault is not None:
            raise fault
        return 1

    with pytest.raises(ValueError, match="not yet"):
        second_try()
    assert second_try() == second_try() == 1


def test_the_first_calls_of_a_process_may_come_from_several_threads() -> None:
    """All of them have the same devices."""
    subprocess.run([sys.executable, "-c", FIRST_CALLS], check=True)
