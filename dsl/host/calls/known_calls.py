"""Calls with arguments of one structure: which program each of them runs, by the types of its leaves.

Calls may take turns with sizes, dtypes, places, and arrays of the device and of NumPy: each finds its program with one
look-up, however many there are. Read next: `cached_call`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
from msgspec import Struct

from dsl.host.arguments.argument_readers import Reader, is_typed
from dsl.host.calls.cached_call import Again, Entry
from lowering.xla.array import Array
from lowering.xla.array_state import types_of, without_parts
from lowering.xla.backends import choice
from lowering.xla.hot_calls import Hot

KEPT = 256
"""So many signatures of calls are kept."""

PLACES = 4
"""So many signatures tell where parts begin in their buffers, of those that have all else in common. Calls with parts
from elsewhere are one more, for parts of any buffers."""

Heat: TypeAlias = Callable[[Entry, Reader, Sequence[Any], Mapping[str, Any], Sequence[Any], bool], Hot | None]
"""Finds the quickest call of a program for calls that a reader reads, like one with these arguments and these leaves,
which may be parts of any buffers if that is said; None where there is none."""


Signature: TypeAlias = tuple[Hashable, Hashable, tuple[Hashable, ...]]
"""What is chosen, static values, and the types of leaves."""


class Start(Struct, frozen=True):
    """How a program is called for one signature: `again` with the leaves of a call, `hot` like the function itself,
    where there is such a way. `checks`: the first finds out by itself whether leaves are of its types."""

    again: Again
    hot: Hot | None
    checks: bool


class KnownCalls:
    """Calls whose arguments one `Reader` reads. `hot` is the quickest way to call a program again, where that is new,
    or was called twice in a row: programs that take turns would only drive each other out."""

    __slots__ = ("_anywhere", "_count", "_heat", "_last", "_places", "_reader", "_recent", "_starts", "_steps", "hot")

    def __init__(self, reader: Reader, heat: Heat) -> None:
        self._reader = reader
        self._heat = heat
        self._count = -1 if reader.names or reader.direct else reader.positional
        self._steps = reader.steps
        self._last: Again | None = None
        self._recent: Start | None = None
        self._starts: dict[Hashable, Start] = {}
        self._anywhere: dict[Hashable, Start] = {}
        self._places: Counter[Hashable] = Counter()
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
        signature = self._signature(leaves, args, kwargs)
        start = self._starts.get(signature)
        if start is None and self._anywhere:
            start = self._anywhere.get(_without_parts(signature))
        if start is None:
            return None
        self.hot = start.hot if start is self._recent else None
        if start.checks:
            self._last = start.again
        self._recent = start
        return start.again(leaves)

    def _signature(self, leaves: Sequence[Any], args: Sequence[Any], kwargs: Mapping[str, Any]) -> Signature:
        """All that decides about the program. Arrays of NumPy go to the place that is chosen at the moment."""
        statics = self._reader.statics(args, kwargs) if self._reader.fixed else None
        return choice().place, statics, types_of(leaves)

    def remember(self, entry: Entry, args: Sequence[Any], kwargs: Mapping[str, Any]) -> bool:
        """Makes the next calls like this one quick; False for a call of another structure."""
        leaves = self._reader.leaves(args, kwargs)
        if leaves is None or not all(map(is_typed, leaves)):
            return False
        if len(self._starts) + len(self._anywhere) >= KEPT:
            for kept in (self._starts, self._anywhere, self._places):
                kept.clear()
        signature = self._signature(leaves, args, kwargs)
        plain = _without_parts(signature)
        anywhere = signature != plain and self._places[plain] >= PLACES
        self._places[plain] += signature != plain
        self._recent = start = self._start(entry, args, kwargs, leaves, anywhere)
        if anywhere:
            self._anywhere[plain] = start
        else:
            self._starts[signature] = start
        self._last = start.again if start.checks else self._last
        self.hot = start.hot
        return True

    def _start(
        self,
        entry: Entry,
        args: Sequence[Any],
        kwargs: Mapping[str, Any],
        leaves: Sequence[Any],
        anywhere: bool,
    ) -> Start:
        arrays = {type(x) for x in leaves} <= {Array, np.ndarray}
        hot = self._heat(entry, self._reader, args, kwargs, leaves, anywhere)
        checks = arrays and hot is None and entry.follows_arrays and not self._reader.fixed
        return Start(entry.again(leaves), hot, checks)


def _without_parts(signature: Signature) -> Signature:
    """Say nothing of where parts begin."""
    place, statics, types = signature
    return place, statics, without_parts(types)
