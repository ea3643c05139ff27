"""Settings of the process: in force while anyone holds them, whoever leaves first; and restored after the last."""

from __future__ import annotations

import gc
import sys
from contextlib import ExitStack
from threading import Barrier, Thread

import numpy as np

import dsl
from dsl.types.process_settings import deep_recursion, paused_collector


def settings() -> tuple[int, bool]:
    return sys.getrecursionlimit(), gc.isenabled()


def test_they_last_until_the_last_one_leaves() -> None:
    before = settings()
    first, second = ExitStack(), ExitStack()
    first.enter_context(deep_recursion(20_000))
    second.enter_context(deep_recursion(50_000))
    first.close()
    assert settings() == (50_000, False)
    second.close()
    assert settings() == before


def test_a_higher_limit_is_kept() -> None:
    with deep_recursion(50_000), deep_recursion(20_000):
        assert settings() == (50_000, False)


def test_a_collector_that_was_off_stays_off() -> None:
    gc.disable()
    try:
        with paused_collector():
            pass
        assert not gc.isenabled()
    finally:
        gc.enable()


def test_they_are_restored_after_an_exception() -> None:
    before = settings()
    try:
        with deep_recursion(50_000):
            raise KeyError
    except KeyError:
        assert settings() == before


def test_threads_check_and_stage_at_once() -> None:
    """Each its own program, and one that all share, deep enough to need the room."""
    before = settings()
    text = "def f(x: f32, static n: int) -> f32 = if n == 0 then x else f(x, n - 1) + 1.0\n"
    text += "def main(x: f32) -> f32 = f(x, 300)\n"
    shared, barrier, found = dsl.program(text), Barrier(4), list[list[str]]()

    def work() -> None:
        barrier.wait()
        own = dsl.program(text)
        found.append([f.main.ir(np.float32(0.0)) for f in (own, shared)])

    threads = [Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 4
    assert len({ir for pair in found for ir in pair}) == 1
    assert settings() == before
