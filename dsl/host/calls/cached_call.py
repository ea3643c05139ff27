"""A compiled program for one kind of arguments, and the quickest way to call it again.

Read next: `argument_readers`, `containers`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from msgspec import Struct

from dsl.host.arguments.argument_readers import Reader
from dsl.host.arguments.inputs import Binding
from dsl.host.arguments.placement import Devices
from dsl.host.results.containers import Rebuild, Verdict
from dsl.staging.values import Site, Slot, Value
from lowering.xla.array import Array, Guard
from lowering.xla.backends import choice
from lowering.xla.execute import Executable

Quick = Callable[[Sequence[Any]], Any]
Again = Callable[[Sequence[Any], Mapping[str, Any]], Any]
"""A call like an earlier one, by position alone or not; None, and nothing has run, if it is of another kind."""


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

    def start(self, leaves: Sequence[Any]) -> Any:
        """As `run`; None, and nothing has run, where a leaf has another type, or lies or should lie elsewhere."""
        if self._follows_arrays:
            arrays = self.executable.direct(leaves)
            if arrays is not None:
                return self.rebuild(arrays)
        if not self._fits_choice(leaves):
            return None
        inputs = leaves if self.plain else self.binding.inputs(leaves)
        arrays = self.executable.start(inputs)
        return None if arrays is None else self._finished(arrays, leaves)

    @property
    def _follows_arrays(self) -> bool:
        """Whether a call with nothing but arrays lies where they do, and gives what the program gives. Without any
        array it would be the chosen device that decides."""
        return self.plain and self.chosen is None and self.sites is None and bool(self.executable.param_types)

    def _fits_choice(self, leaves: Sequence[Any]) -> bool:
        """Whether this program is for the devices that are chosen, or there is an array which decides instead."""
        chosen = choice()
        if self.chosen is not None:
            return self.chosen == chosen.devices
        return self.executable.place is chosen.place or any(type(x) is Array for x in leaves)

    def _finished(self, arrays: list[Array], leaves: Sequence[Any]) -> Any:
        earlier = verdicts(leaves)
        if self.sites is None and not earlier:
            return self.rebuild(arrays)
        code = arrays.pop() if self.sites is not None else None
        verdict = Verdict(code, self.sites or (), earlier)
        if not arrays:
            verdict()
        return self.rebuild([x.guarded(verdict) for x in arrays])

    def again(self, reader: Reader) -> Again:
        """What calls this program for arguments that `reader` reads."""
        if reader.direct:
            return self._again_with_arrays()

        start, leaves_of = self.start, reader.leaves

        def call(args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
            leaves = leaves_of(args, kwargs)
            return None if leaves is None else start(leaves)

        return call

    def _again_with_arrays(self) -> Again:
        start, finished, fits_choice = self.executable.mixed, self._finished, self._fits_choice

        def call(args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
            arrays = None if kwargs or not fits_choice(args) else start(args)
            return None if arrays is None else finished(arrays, args)

        return call

    def quick(self, reader: Reader) -> Quick | None:
        """As `again`, only for arrays on the device by position whose checks are over. None where that is not
        all there is to it."""
        if not reader.direct or not self._follows_arrays:
            return None
        if isinstance(self.output, Slot):
            return self.executable.only
        direct, rebuild = self.executable.direct, self.rebuild

        def call(args: Sequence[Any]) -> Any:
            arrays = direct(args)
            return None if arrays is None else rebuild(arrays)

        return call


def verdicts(leaves: Sequence[Any]) -> list[Guard]:
    """The checks that arguments still wait for: what is computed from them waits for them too."""
    return [x._guard for x in leaves if type(x) is Array and x._guard is not None]
