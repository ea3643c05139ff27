"""Settings of the Python process that work on large programs needs: a high recursion limit, and no garbage collection.

Programs are trees of many small objects that stay alive until the work on them is done, so that searching them for
garbage takes half of the time; and a recursive walk over a deep one needs more frames than Python grants. Several
threads may want a setting at once: the first to enter changes it, the last to leave restores it.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from threading import Lock
from typing import TypeAlias

Restore: TypeAlias = Callable[[], object]


class Setting:
    """A setting that is in force while anyone holds it."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._restores: list[Restore] = []

    @contextmanager
    def held(self, change: Callable[[], Restore]) -> Iterator[None]:
        """`change` makes it so and returns what undoes this. What the first one returns is called at the end."""
        with self._lock:
            self._restores.append(change())
        try:
            yield
        finally:
            with self._lock:
                undo = self._restores.pop()
                if not self._restores:
                    undo()


def _pause_collector() -> Restore:
    collecting = gc.isenabled()
    gc.disable()
    return gc.enable if collecting else gc.isenabled


def _raise_recursion_limit(frames: int) -> Restore:
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, frames))
    return partial(sys.setrecursionlimit, before)


_COLLECTOR, _RECURSION = Setting(), Setting()


@contextmanager
def paused_collector() -> Iterator[None]:
    """No garbage collection inside; afterwards as before."""
    with _COLLECTOR.held(_pause_collector):
        yield


@contextmanager
def deep_recursion(frames: int) -> Iterator[None]:
    """Room for so many Python frames, and no garbage collection."""
    with _RECURSION.held(partial(_raise_recursion_limit, frames)), paused_collector():
        yield
