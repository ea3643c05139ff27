"""Calls with arguments of one structure: which program each of them runs, by the types of its leaves.

Calls may take turns with sizes, dtypes, places, and arrays of the device and of NumPy: each finds its program with one
look-up, however many there are. Read next: `cached_call`.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
from msgspec import Struct

from dsl.host.arguments.argument_readers import Reader, is_typed
from dsl.host.calls.cached_call import Again, Entry
from lowering.xla.array import Array
from lowering.xla.array_state import types_of
from lowering.xla.backends import choice
from lowering.xla.hot_calls import Hot

KEPT = 256
"""So many signatures of calls are kept."""

Heat: TypeAlias = Callable[[Entry, Reader, Sequence[Any], Mapping[str, Any], Sequence[Any]], Hot | None]
"""Finds the quickest call of a program for calls that a reader reads, like one with these arguments and these leaves;
None where there is none."""


class Start(Struct, frozen=True):
    """How a program is called for one signature: `again` with the leaves of a call, `hot` like the function itself,
    where there is such a way. `checks`: the first finds out by itself whether leaves are of its types."""

    again: Again
    hot: Hot | None
    checks: bool


class KnownCalls:
    """Calls whose arguments one `Reader` reads. `hot` is the quickest way to call a program again, where that is new,
    or was called twice in a row: programs that take turns would only drive each other out."""

    __slots__ = ("_count", "_heat", "_last", "_reader", "_recent", "_starts", "_steps", "hot")

    def __init__(self, reader: Reader, heat: Heat) -> None:
        self._reader = reader
        self._heat = heat
        self._count = -1 if reader.names or reader.direct else reader.positional
        self._steps = reader.steps
        self._last: Again | None = None
        self._recent: Start | None = None
        self._starts: dict[Hashable, Start] = {}
        self.hot: Hot | None = None

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
                self.hot = None
                return result
        start = self._starts.get(self._signature(leaves, args, kwargs))
        if start is None:
            return None
        self.hot = start.hot if start is self._recent else None
        if start.checks:
            self._last = start.again
        self._recent = start
        return start.again(leaves)

    def _signature(self, leaves: Sequence[Any], args: Sequence[Any], kwargs: Mapping[str, Any]) -> Hashable:
        """All that decides about the program. Arrays of NumPy go to the place that is chosen at the moment."""
        statics = self._reader.statics(args, kwargs) if self._reader.fixed else None
        return choice().place, statics, types_of(leaves)

    def remember(self, entry: Entry, args: Sequence[Any], kwargs: Mapping[str, Any]) -> bool:
        """Makes the next calls like this one quick; False for a call of another structure."""
        leaves = self._reader.leaves(args, kwargs)
        if leaves is None or not all(map(is_typed, leaves)):
            return False
        if len(self._starts) >= KEPT:
            self._starts.clear()
        start = self._start(entry, args, kwargs, leaves)
        self._starts[self._signature(leaves, args, kwargs)] = self._recent = start
        self._last = start.again if start.checks else self._last
        self.hot = start.hot
        return True

    def _start(self, entry: Entry, args: Sequence[Any], kwargs: Mapping[str, Any], leaves: Sequence[Any]) -> Start:
        arrays = {type(x) for x in leaves} <= {Array, np.ndarray}
        hot = self._heat(entry, self._reader, args, kwargs, leaves)
        checks = arrays and hot is None and entry.follows_arrays and not self._reader.fixed
        return Start(entry.again(leaves), hot, checks)
