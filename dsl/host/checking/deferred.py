"""Work that nobody waits for, such as writing records: done once the process has had a moment for what its user waits
for, and at its end at the latest."""

from __future__ import annotations

import atexit
from collections import deque
from collections.abc import Callable
from functools import cache
from threading import Event, Thread
from typing import TypeAlias

Task: TypeAlias = Callable[[], object]

PAUSE = 1.0
"""Seconds between the first task and the work on it."""

NAME = "puredsl-records"
"""The name of the thread that works."""


class Deferred:
    """Tasks, worked on in their order by one thread that lives as long as there are any."""

    def __init__(self, pause: float = PAUSE) -> None:
        self._tasks: deque[Task] = deque()
        self._hurry = Event()
        self._pause = pause
        self._thread: Thread | None = None

    def add(self, task: Task) -> None:
        """Do a task later. It must not raise."""
        self._tasks.append(task)
        if self._thread is None or not self._thread.is_alive():
            self._thread = Thread(target=self._work, name=NAME, daemon=True)
            try:
                self._thread.start()
            except RuntimeError:  # the interpreter is ending, or the system has no thread to spare
                self._drain()

    def finish(self) -> None:
        """Do what is left, and return when it is done."""
        self._hurry.set()
        if self._thread is not None and self._thread.is_alive():
            self._thread.join()
        self._drain()
        self._hurry.clear()

    def _work(self) -> None:
        self._hurry.wait(self._pause)
        self._drain()

    def _drain(self) -> None:
        while self._tasks:
            self._tasks.popleft()()


@cache
def deferred() -> Deferred:
    """The tasks of this process."""
    found = Deferred()
    atexit.register(found.finish)
    return found
