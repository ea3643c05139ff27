"""Interrupts reach the user, wherever they come."""

from __future__ import annotations

import gc
import signal
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from types import FrameType

import numpy as np
import pytest

import dsl
from lowering.xla.starts import Start

ROOT = Path(dsl.__file__).parents[1]
OURS = tuple([f"{ROOT / package}/" for package in ("dsl", "lowering", "typechecker", "stdlib")])

M = dsl.program("""
    def pick(x: f32[n], i: idx[n][k]) -> f32[k] = x[i]
    def say(x: f32, static steps: int) -> f32 ! io =
        fold x = x for _ in range(steps) do
            emit("x", x)
            x + 1.0
    def count(x: f64[n], static steps: size) -> f64[n] = fold x = x for _ in range(steps) do sin(x + 1.0)
""")


def test_no_function_of_ours_runs_while_garbage_is_collected() -> None:
    """Python drops what a handler of a signal raises in a callback of its garbage collector, or of a weak reference."""
    index = dsl.array(np.arange(3, dtype=np.int32))
    M.pick(np.ones(3, np.float32), index).block_until_ready()
    called: list[str] = []

    def note(frame: FrameType, event: str, argument: object) -> None:
        if event == "call" and frame.f_code.co_filename.startswith(OURS):
            called.append(f"{frame.f_code.co_filename}:{frame.f_lineno}")

    sys.setprofile(note)
    try:
        del index
        gc.collect()
    finally:
        sys.setprofile(None)
    assert called == []


@pytest.fixture
def interrupted() -> Iterator[threading.Event]:
    """An interrupt comes a while after the event is set, also where the shell has the suite ignore interrupts."""
    begin = threading.Event()
    before = signal.signal(signal.SIGINT, signal.default_int_handler)

    def interrupt() -> None:
        if begin.wait(120):
            signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)

    thread = threading.Thread(target=interrupt)
    thread.start()
    yield begin
    begin.set()
    thread.join()
    signal.signal(signal.SIGINT, before)


@pytest.mark.parametrize("steps", (3, 100_000))
def test_an_interrupt_of_a_listener_reaches_the_caller(interrupted: threading.Event, steps: int) -> None:
    def stop(x: float) -> None:
        interrupted.set()
        time.sleep(0.001)

    with dsl.on_emit("x", float):
        M.say(1.0, steps=1)  # what is imported late is there, then: an interrupt amid an import is lost
    with dsl.on_emit("x", stop), pytest.raises(KeyboardInterrupt):
        M.say(1.0, steps=steps)
        for _ in range(1000):
            time.sleep(0.01)
    assert gc.isenabled()
    sent: list[float] = []
    with dsl.on_emit("x", sent.append):
        assert float(M.say(1.0, steps=2)) == 3.0
    assert sent == [1.0, 2.0]


@pytest.mark.cpu
def test_an_interrupt_ends_the_wait_for_a_long_program(interrupted: threading.Event) -> None:
    x = np.zeros(4000)
    long = M.count.compile(x, steps=100_000)
    with pytest.raises(KeyboardInterrupt):
        threading.Timer(0.1, interrupted.set).start()
        long(x)
        time.sleep(60)
    (running,) = [thread for thread in threading.enumerate() if thread.name == "a program of puredsl"]
    running.join()
    assert M.count(x, steps=1).shape == x.shape


def test_a_brief_program_is_started_at_once() -> None:
    start = Start(lambda buffers: threading.current_thread(), False)
    assert start([]) is not threading.current_thread()
    assert start.is_brief
    assert start([]) is threading.current_thread()


def test_what_a_start_raises_reaches_the_caller() -> None:
    def fail(buffers: object) -> None:
        raise MemoryError("none left")

    with pytest.raises(MemoryError, match="none left"):
        Start(fail, False)([])
