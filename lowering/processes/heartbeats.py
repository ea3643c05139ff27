"""Which processes are frozen: stopped, swapped out, or on a machine that no longer answers, with connections that stay
open. Knows nothing of sockets. Read next: `coordinator`, which hears the heartbeats; `member`, which sends them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from math import ceil

BEATS, SLOWEST = 10, 1.0


def interval(seconds: float) -> float:
    """Seconds between two heartbeats of a process that others wait `seconds` for."""
    return min(seconds / BEATS, SLOWEST)


class Heartbeats:
    """Counts the intervals in which nothing is heard of a process.

    An interval counts only if another process was heard that waits for a program: where nobody waits, or all processes
    are stopped together, nobody is missed. Intervals are counted rather than measured, so that the processes are not
    taken for frozen after the coordinator itself was.
    """

    def __init__(self, seconds: float) -> None:
        self._limit = ceil(seconds / interval(seconds))
        self._heard: dict[int, bool] = {}
        self._missed: Counter[int] = Counter()

    def hear(self, id: int, waits: bool) -> None:
        """A heartbeat of a process, which waits for a program or does not."""
        self._heard[id] = waits

    def missing(self, ids: Iterable[int]) -> list[int]:
        """The processes that are frozen at the end of an interval, of those that there are."""
        heard, self._heard = self._heard, {}
        silent = sorted(set(ids) - heard.keys())
        for id in heard:
            self._missed[id] = 0
        if any(heard.values()):
            self._missed.update(silent)
        return [id for id in silent if self._missed[id] >= self._limit]
