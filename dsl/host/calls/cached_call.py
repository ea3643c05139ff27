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
from dsl.staging.values import Site, Value
from lowering.xla.array import Array
from lowering.xla.array_state import verdicts
from lowering.xla.backends import choice
from lowering.xla.execute import Executable
from lowering.xla.hot_calls import Given

Again = Callable[[Sequence[Any]], Any]
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
    def follows_arrays(self) -> bool:
        """Return whether a call with nothing but arrays lies where they do, and gives what the program gives. Without
        any array it would be the chosen device that decides."""
        return self.plain and self._is_bare

    def given(self, leaves: Sequence[Any]) -> list[Given] | None:
        """Return how the leaves of a call are given for calls like it to be the same; None where they never are."""
        return self.binding.given(leaves) if self._is_bare else None

    @property
    def _is_bare(self) -> bool:
        return self.chosen is None and self.sites is None and bool(self.executable.param_types)

    def _finished(self, arrays: list[Array], leaves: Sequence[Any]) -> Any:
        earlier = verdicts(leaves)
        if self.sites is None and not earlier:
            return self.rebuild.call(arrays)
        code = arrays.pop() if self.sites is not None else None
        verdict = Verdict(code, self.sites or (), earlier)
        if not arrays:
            verdict()
        return self.rebuild.call([x.guarded(verdict) for x in arrays])

    def again(self, leaves: Sequence[Any]) -> Again:
        """Runs this program for leaves of the same types, while the same place is chosen."""
        arrays = [type(x) is Array for x in leaves]
        if self.follows_arrays and not all(arrays):
            return self._with_host_arrays(None if any(arrays) else choice().place)
        if self.follows_arrays:
            return self._with_our_arrays()
        start = self.executable.start if all(arrays) else self.executable.mixed
        chosen, finished = self.chosen, self._finished
        inputs = None if self.plain else self.binding.maker

        def call(leaves: Sequence[Any]) -> Any:
            if chosen is not None and chosen != choice().devices:
                return None
            results = start(leaves if inputs is None else inputs(leaves))
            return None if results is None else finished(results, leaves)

        return call

    def _with_our_arrays(self) -> Again:
        """Runs the program for arrays of the device. Those whose checks are over wait for nothing."""
        executable, rebuild, finished = self.executable, self.rebuild.call, self._finished
        direct, mixed = executable.direct, executable.mixed

        def call(leaves: Sequence[Any]) -> Any:
            results = direct(leaves)
            if results is not None:
                return rebuild(results)
            results = mixed(leaves)
            return None if results is None else finished(results, leaves)

        return call

    def _with_host_arrays(self, place: object) -> Again:
        """Runs the program for leaves some of which are arrays of NumPy, all of them with a `place` to put them."""
        mixed, rebuild, finished, alone = self.executable.mixed, self.rebuild.call, self._finished, place is not None

        def call(leaves: Sequence[Any]) -> Any:
            if alone and choice().place is not place:
                return None
            results = mixed(leaves, False)
            if results is None:
                return None
            return rebuild(results) if alone else finished(results, leaves)

        return call
