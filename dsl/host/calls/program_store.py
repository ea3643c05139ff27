"""The compiled programs of a function: made by the first call of a kind, found by all others.

Read next: `cached_call`.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from threading import RLock
from typing import ParamSpec

from msgspec import Struct

from dsl.diagnostics.frames import warn
from dsl.host.calls.cached_call import Entry
from lowering.xla.forks import need_threads
from lowering.xla.hot_calls import Tally

P = ParamSpec("P")

KEPT = 256
"""So many compiled programs of a function are kept."""

MANY = 64
"""After so many of them a function warns, once."""


class CacheInfo(Struct, frozen=True):
    """`hits` and `misses` of calls, and how many compiled programs there are."""

    hits: int
    misses: int
    size: int


class ProgramStore:
    """Programs by what decides about them. `dropped` is called before the oldest gives way to a new one, since
    calls may know of it."""

    def __init__(self, name: str, dropped: Callable[[], None]) -> None:
        self.tally = Tally()
        self._name = name
        self._dropped = dropped
        self._entries: dict[Hashable, Entry] = {}
        self._lock = RLock()
        self._misses = 0

    @property
    def info(self) -> CacheInfo:
        """Return how many calls found their program, and how many programs there are."""
        return CacheInfo(self.tally.hits, self._misses, len(self._entries))

    def adopt(self, other: ProgramStore) -> None:
        """Take over the programs of the same function."""
        self._entries.update(other._entries)

    def program(self, key: Hashable, make: Callable[P, Entry], *args: P.args, **kwargs: P.kwargs) -> Entry:
        """Return the program for a key, made by the first thread that asks for it."""
        entry = self._entries.get(key)
        if entry is None:
            need_threads()  # before the lock, which another thread may have held when this process was forked
            with self._lock:
                entry = self._entries.get(key)
                if entry is None:
                    entry = make(*args, **kwargs)
                    self._keep(key, entry)
                    return entry
        self.tally.hits += 1
        return entry

    def _keep(self, key: Hashable, entry: Entry) -> None:
        """Keep the newest programs."""
        self._misses += 1
        if self._misses == MANY:
            many = f"`{self._name}` has been compiled {MANY} times"
            warn(f"{many}: each size, dtype and static value has a program of its own")
        if len(self._entries) == KEPT:
            del self._entries[next(iter(self._entries))]
            self._dropped()
        self._entries[key] = entry
