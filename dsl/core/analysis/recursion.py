"""Calls that are reached from themselves, at their fixed point.

Of a call that is in progress a recursive one is taken to give what it gave the last time around, at first nothing at
all; it is followed again until both agree. Knows no analysis. Read next: `interpret`.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping

from msgspec import Struct

from dsl.core.analysis.abstract_values import Value, marks


class Outcome(Struct, frozen=True):
    """What a call gives, and what it leaves in the cells."""

    value: Value
    cells: Mapping[str, Value]

    @property
    def marks(self) -> list[list[int]]:
        return [marks(self.value), *map(marks, self.cells.values())]


class CallsInProgress:
    """What recursive calls are taken to give, by what tells calls apart, and which of them were asked for."""

    def __init__(self) -> None:
        self._assumed: dict[Hashable, Outcome] = {}
        self._used: set[Hashable] = set()

    def outcome(
        self, key: Hashable, first: Outcome, call: Callable[[], Outcome], undo: Callable[[], Callable[[], None]]
    ) -> Outcome:
        """What a call gives where recursive ones give the same, beginning with `first`; `undo()` gives what takes back
        what was noted since."""
        if key in self._assumed:
            self._used.add(key)
            return self._assumed[key]
        self._assumed[key] = first
        try:
            return self._repeated(key, call, undo)
        finally:
            del self._assumed[key]
            self._used.discard(key)

    def _repeated(self, key: Hashable, call: Callable[[], Outcome], undo: Callable[[], Callable[[], None]]) -> Outcome:
        while True:
            take_back, found = undo(), call()
            if key not in self._used or found.marks == self._assumed[key].marks:
                return found
            take_back()
            self._assumed[key] = found
