"""The buffer of an array: one of its own, or one that it is a part of.

Read next: `array`; `parts`, the buffers with several results of a run.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np
from msgspec import Struct

from lowering.xla import adapter, device_errors
from lowering.xla.adapter import Buffer
from lowering.xla.parts import Joined, PlacedPart
from lowering.xla.places import PlacedType, format_devices

NDArray = np.ndarray[Any, Any]
Guard = Callable[[], None]
A = TypeVar("A", bound="OfBuffer")


class OfBuffer(Struct, eq=False, gc=False):
    """The fields of an `Array`, and what reads the elements.

    `_ready`: its type and its place while there is no guard, compared by calls; of a part of a buffer, which `_impl`
    then is, where that begins, too. `_keys`: whether its elements are the words of keys, which is shown. `_span`: the
    least and the greatest of its integers, once asked for. Threads may ask at once for a buffer of its own: the array
    gets one of those that are made, and `_ready` says so afterwards.
    """

    _impl: Any
    _ready: PlacedType | PlacedPart | None
    _guard: Guard | None = None
    _keys: bool = False
    _span: tuple[int, int] | None = None

    def guarded(self: A, guard: Guard) -> A:
        """Given a guard before anybody has seen the array."""
        self._guard, self._ready = guard, _held(self._ready)
        return self

    def as_keys(self: A) -> A:
        """Said to hold keys before anybody has seen the array."""
        self._keys = True
        return self

    def give_up(self, call: str, name: str) -> None:
        """From now on the array is one that a call was given as its argument `name` and has taken over."""
        self._guard, self._ready = device_errors.GivenUp(str(self._placed.type), call, name), _held(self._ready)

    @property
    def _placed(self) -> PlacedType:
        """Its type and its place."""
        ready = self._ready
        placed: PlacedType = ready.placed if type(ready) is PlacedPart else self._impl.aval
        return placed

    @property
    def _kind(self) -> PlacedType | PlacedPart:
        """Its type, its place, and where it begins if it is a part of a buffer."""
        ready = self._ready
        return ready if type(ready) is PlacedPart else self._placed

    def _elements(self, part: PlacedPart) -> NDArray:
        """The elements of what is, or has just been, this part of a buffer, whatever its guard says."""
        whole = self._impl
        return whole.elements(part) if type(whole) is Joined else part.place.view(whole)

    def _own(self) -> Buffer:
        """A buffer of its own, whatever its guard says."""
        part = self._ready
        if type(part) is PlacedPart:
            made = self._impl = part.place.copied(self._elements(part), part.placed)
            self._ready = part.placed if part.free is part else None
            return made
        return self._impl

    def _settled(self) -> Buffer:
        """The buffer of its own, after the guard has had its say."""
        self._checked()
        return self._own()

    def _checked(self) -> Any:
        """The buffer that contains it, after the guard has had its say. A guard that raises will raise at every
        read."""
        guard = self._guard
        if guard is not None:
            guard()
            part = self._ready
            self._guard = None
            self._ready = part.free if type(part) is PlacedPart else self._placed
        return self._impl

    def _view(self) -> NDArray:
        """The elements, read-only. Waits."""
        try:
            buffer = self._impl if self._guard is None else self._checked()
            ready = self._ready
            if type(ready) is PlacedPart:
                return self._elements(ready)
            return (ready or self._placed).place.view(self._impl if type(buffer) is Joined else buffer)
        except adapter.RuntimeFault as fault:
            self._explain(fault)
            raise

    def _explain(self, fault: Exception) -> None:
        """Says plainly that the memory was full when these elements were computed."""
        if adapter.is_out_of_memory(fault):
            placed = self._placed
            raise device_errors.out_of_memory(str(placed.type), format_devices(placed.place.devices)) from None


def _held(ready: PlacedType | PlacedPart | None) -> PlacedPart | None:
    """Return the description of an array while it has a guard."""
    return ready.held if type(ready) is PlacedPart else None
