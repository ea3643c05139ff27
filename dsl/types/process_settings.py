"""Settings of the Python process that work on large programs needs: a high recursion limit, and no garbage collection.

Programs are trees of many small objects that stay alive until the work on them is done, so that searching them for
garbage takes half of the time; and a recursive walk over a deep one needs more frames than Python grants. Several
threads may want a setting at once: the first to enter changes it, the last to leave restores it.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable
from functools import partial
from threading import Lock
from typing import TypeAlias

Restore: TypeAlias = Callable[[], object]


class Setting:
    """A setting that is in force while anyone holds it."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._restores: list[Restore] = []

    def take(self, change: Callable[[], Restore]) -> None:
        """`change` makes it so and returns what undoes this."""
        with self._lock:
            self._restores.append(change())

    def release(self) -> None:
        """The last to release it calls what the first `change` returned."""
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


class paused_collector:
    """No garbage collection inside; afterwards as before."""

    def __enter__(self) -> None:
        _COLLECTOR.take(_pause_collector)

    def __exit__(self, *raised: object) -> None:
        _COLLECTOR.release()


class deep_recursion(paused_collector):
    """Room for so many Python frames, and no garbage collection."""

    def __init__(self, frames: int) -> None:
        self._change = partial(_raise_recursion_limit, frames)

    def __enter__(self) -> None:
        _RECURSION.take(self._change)
        super().__enter__()

    def __exit__(self, *raised: object) -> None:
        super().__exit__()
        _RECURSION.release()
