"""A compiled program for one kind of arguments, and the quickest way to call it again.

Read next: `containers`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from msgspec import Struct

from dsl.host.arguments.inputs import Binding
from dsl.host.arguments.placement import Devices
from dsl.host.results.containers import Rebuild, Verdict
from dsl.staging.values import Site, Slot, Value, decided_sizes
from lowering.xla.array import Array
from lowering.xla.array_state import verdicts
from lowering.xla.backends import choice
from lowering.xla.execute import Executable

Quick = Callable[[Sequence[Any]], Any]
"""Runs a program for the leaves of a call like an earlier one; None, and nothing has run, for one of another kind."""


class Entry(Struct, frozen=True):
    """`output` is the skeleton of the result. `sites`: the places that may fail, one of which the last result of the
    program names by its number from 1; None for a program without such a result. `plain`: the leaves are the inputs of
    the program as they are. `chosen`: the devices it was made for by choice, since it maps an axis over devices;
    without any, where its arrays lie decides."""

    binding: Binding
    output: Value
    sites: Sequence[Site] | None
    executable: Executable
    rebuild: Rebuild
    plain: bool
    chosen: Devices | None

    def run(self, leaves: Sequence[Any]) -> Any:
        """The result for leaves of the right types; raises `Problem` where an element does not fit."""
        inputs = leaves if self.plain else self.binding.inputs(leaves)
        return self._finished(self.executable(*inputs), leaves)

    @property
    def _follows_arrays(self) -> bool:
        """Return whether a call with nothing but arrays lies where they do, and gives what the program gives. Without
        any array it would be the chosen device that decides."""
        return self.plain and self.chosen is None and self.sites is None and bool(self.executable.param_types)

    def _finished(self, arrays: list[Array], leaves: Sequence[Any]) -> Any:
        earlier = verdicts(leaves)
        if self.sites is None and not earlier:
            return self.rebuild(arrays)
        code = arrays.pop() if self.sites is not None else None
        verdict = Verdict(code, self.sites or (), earlier)
        if not arrays:
            verdict()
        return self.rebuild([x.guarded(verdict) for x in arrays])

    def again(self, leaves: Sequence[Any]) -> Quick:
        """Runs this program for leaves of the same types, while the same place is chosen."""
        arrays = [type(x) is Array for x in leaves]
        start = self.executable.start if self.plain and all(arrays) else self.executable.mixed
        if self.sites is None and self.chosen is None and self.plain and not any(arrays):
            return _before(start, self.rebuild)
        chosen, finished = self.chosen, self._finished
        inputs = None if self.plain else self.binding.maker

        def call(leaves: Sequence[Any]) -> Any:
            if chosen is not None and chosen != choice().devices:
                return None
            results = start(leaves if inputs is None else inputs(leaves))
            return None if results is None else finished(results, leaves)

        return call

    def quick(self) -> Quick | None:
        """Runs this program for arrays on the device whose checks are over. None where that is not all there is to
        it."""
        if not self._follows_arrays:
            return None
        alone = isinstance(self.output, Slot) and not self.output.keys and not decided_sizes(self.output)
        only = self.executable.only if alone else None
        return only or self.executable.finishing(self.rebuild)


def _before(start: Callable[[Sequence[Any]], Any], rebuild: Rebuild) -> Quick:
    """A start of a program whose results only have to be put into their containers."""

    def call(leaves: Sequence[Any]) -> Any:
        results = start(leaves)
        return None if results is None else rebuild(results)

    return call
