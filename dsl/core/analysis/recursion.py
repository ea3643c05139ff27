"""Calls that are reached from themselves, at their fixed point, and those that were followed before.

Of a call that is in progress a recursive one is taken to give what it gave the last time around, at first nothing at
all; it is followed again until both agree. Knows no analysis. Read next: `interpret`.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from typing import TypeAlias

from msgspec import Struct

from dsl.core.analysis.abstract_values import Value, map_marks, marks

UNFOLDED = 40
GROWING = 3
"""So often what a call gives may have more parts than before; a value of a recursive enum has any number."""

Key: TypeAlias = "tuple[Hashable, ...]"


class Outcome(Struct, frozen=True):
    """The result of a call, and the values that it leaves in the cells."""

    value: Value
    cells: Mapping[str, Value]

    @staticmethod
    def of(mark: int, cells: Mapping[str, Value]) -> Outcome:
        """One mark for all that there is."""
        return Outcome(mark, {name: map_marks(value, lambda _: mark) for name, value in cells.items()})

    @property
    def marks(self) -> list[list[int]]:
        return [marks(self.value), *map(marks, self.cells.values())]

    @property
    def parts(self) -> int:
        return sum(map(len, self.marks))


class CallsInProgress:
    """The assumed outcomes of recursive calls in progress, the calls that relied on them, and the outcomes of calls
    that did not. `recurred` is set by a recursive call."""

    def __init__(self) -> None:
        self.recurred = False
        self._assumed: dict[Key, Outcome] = {}
        self._used: set[Key] = set()
        self._done: dict[Key, Outcome] = {}

    @property
    def done(self) -> int:
        """How many calls are known."""
        return len(self._done)

    def forget(self, count: int) -> None:
        """All but the first calls, as what was noted in them was taken back."""
        while len(self._done) > count:
            self._done.popitem()

    def taking_back(self, undo: Callable[[], Callable[[], None]]) -> Callable[[], None]:
        """Return a function that undoes everything recorded from now on, and forgets the calls known by then."""
        noted, count = undo(), self.done

        def take_back() -> None:
            noted()
            self.forget(count)

        return take_back

    def are_deep(self, definition: Hashable) -> bool:
        """Return whether so many calls of a definition are in progress that they are not told apart by static
        arguments."""
        return sum(key[0] == definition for key in self._assumed) > UNFOLDED

    def outcome(
        self,
        key: Key,
        first: Outcome,
        unknown: Outcome,
        call: Callable[[], Outcome],
        undo: Callable[[], Callable[[], None]],
    ) -> Outcome:
        """Return the outcome of a call under the assumption that recursive calls have the same outcome, starting from
        `first` or from an unknown value. `undo()` returns a function that reverts what was recorded since. The key
        begins with the definition that is called."""
        if key in self._done:
            return self._done[key]
        if key in self._assumed:
            self._used.add(key)
            self.recurred = True
            return self._assumed[key]
        self._assumed[key] = first
        try:
            found = self._repeated(key, unknown, call, undo)
        finally:
            del self._assumed[key]
            self._used.discard(key)
        if not self._used:
            self._done[key] = found
        return found

    def _repeated(
        self, key: Key, unknown: Outcome, call: Callable[[], Outcome], undo: Callable[[], Callable[[], None]]
    ) -> Outcome:
        grown = 0
        while True:
            take_back, found = self.taking_back(undo), call()
            if key not in self._used or found.marks == self._assumed[key].marks or grown == GROWING:
                return found
            take_back()
            grown += found.parts > self._assumed[key].parts
            self._assumed[key] = unknown if grown == GROWING else found
