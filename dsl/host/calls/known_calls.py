"""Calls with arguments of one structure: which program each of them runs, by the types of its leaves.

Calls may take turns with sizes, dtypes, places, and arrays of the device and of NumPy: each finds its program with one
look-up, however many there are. Read next: `cached_call`.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

from dsl.host.arguments.argument_readers import Reader, is_typed
from dsl.host.calls.cached_call import Entry, Quick
from lowering.xla.array_state import types_of
from lowering.xla.backends import choice

KEPT = 256
"""So many signatures of calls are kept."""


class KnownCalls:
    """Calls whose arguments one `Reader` reads."""

    __slots__ = ("_count", "_last", "_reader", "_starts", "_steps")

    def __init__(self, reader: Reader) -> None:
        self._reader = reader
        self._count = -1 if reader.names or reader.direct else reader.positional
        self._steps = reader.steps
        self._last: Quick | None = None
        self._starts: dict[Hashable, Quick] = {}

    def __call__(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        """The result; None, and nothing has run, for a call that is not known."""
        leaves: Sequence[Any] | None
        if (
            not kwargs and len(args) == self._count
        ):  # what `leaves` does, where every call would notice another function
            found: list[Any] = []
            leaves = found
            for place, read in self._steps:
                if not read(args[place], found):
                    return None
        else:
            leaves = self._reader.leaves(args, kwargs)
            if leaves is None:
                return None
        if self._last is not None:
            result = self._last(leaves)
            if result is not None:
                return result
        start = self._starts.get(self._signature(leaves, args, kwargs))
        return None if start is None else start(leaves)

    def _signature(self, leaves: Sequence[Any], args: Sequence[Any], kwargs: Mapping[str, Any]) -> Hashable:
        """All that decides about the program. Arrays of NumPy go to the place that is chosen at the moment."""
        statics = self._reader.statics(args, kwargs) if self._reader.fixed else None
        return choice().place, statics, types_of(leaves)

    def remember(self, entry: Entry, args: Sequence[Any], kwargs: Mapping[str, Any]) -> bool:
        """Makes the next calls like this one quick; False for a call of another structure."""
        leaves = self._reader.leaves(args, kwargs)
        if leaves is None or not all(map(is_typed, leaves)):
            return False
        if not self._reader.direct and not self._reader.fixed:
            self._last = entry.quick() or self._last
        if len(self._starts) >= KEPT:
            self._starts.clear()
        self._starts[self._signature(leaves, args, kwargs)] = entry.again(leaves)
        return True

    def quick(self, entry: Entry) -> Quick | None:
        """The quickest way to call a program by position alone, with arrays of the device."""
        return entry.quick() if self._reader.direct else None
