"""The start of a program on one device, which an interrupt may end.

The processor computes a program within the call that starts it, where Python sees no signal. So the main thread, to
which signals come, has another thread start a program until a run of it was brief. Read next: `execute`.
"""

from __future__ import annotations

from functools import partial
from threading import Thread, current_thread, main_thread
from time import perf_counter
from typing import Any

from lowering.xla.adapter import Buffer
from lowering.xla.turns import Job

BRIEF = 0.02
"""Seconds that nobody minds to wait after an interrupt; beside them, to start a thread takes no time."""


class Start:
    """The start of the program that there is; others keep this object. A program of which a run was brief is started at
    once."""

    __slots__ = ("execute", "is_brief")

    def __init__(self, execute: Any, is_brief: bool) -> None:
        self.execute = execute
        self.is_brief = is_brief

    def __call__(self, buffers: list[Buffer]) -> Any:
        if self.is_brief or current_thread() is not main_thread():
            return self.execute(buffers)
        begin = perf_counter()
        results = _started_elsewhere(self.execute, buffers)
        self.is_brief = perf_counter() - begin < BRIEF
        return results


def _started_elsewhere(execute: Any, buffers: list[Buffer]) -> Any:
    """Start a program in another thread, and wait for it."""
    job: Job[Any] = Job(partial(execute, buffers))
    Thread(target=job.run, name="a program of puredsl", daemon=True).start()
    job.is_done()
    return job.results()
