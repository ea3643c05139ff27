"""Places where small NumPy arguments land: host memory that buffers share, filled anew for each call.

Making a buffer costs about ten times as much as copying a few bytes. So an executable keeps, for its small
parameters, aligned memory with buffers that see it. A call copies its arguments there and passes those
buffers. The memory may be written again only when the program that reads it has finished, which `reader`
tells: it is one of the results, kept only while it is on its way. Nobody else ever sees these buffers, and
results never share memory with them, since XLA copies what it does not own. Read next: `execute`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from lowering.xla.adapter import Buffer
from lowering.xla.places import Place, PlacedType

NDArray = np.ndarray[Any, Any]
ALIGNMENT = 64
LIMIT = 1 << 12
"""Bytes above which copying twice costs more than making a buffer."""


Slot = tuple[PlacedType, np.dtype[Any], tuple[int, ...], Any, Buffer | None]
"""A parameter: its type whole and in parts, memory that its buffer sees, and that buffer; or none of both."""


def unshared_slot(aval: PlacedType) -> Slot:
    """A parameter whose arguments always get a buffer of their own."""
    return aval, aval.dtype, aval.shape, None, None


class Landing:
    """Memory and buffers for the arguments of one call at a time."""

    __slots__ = ("reader", "slots")

    def __init__(self, slots: list[Slot]) -> None:
        self.slots = slots
        self.reader: Buffer | None = None

    @property
    def is_free(self) -> bool:
        reader = self.reader
        return reader is None or bool(reader.is_ready())

    @property
    def is_lost(self) -> bool:
        """Return whether the reader was given up to another program, so that nothing tells when it has finished."""
        reader = self.reader
        return reader is not None and bool(reader.is_deleted())


def make(place: Place, avals: Sequence[PlacedType]) -> Landing:
    sizes = [_room(aval) for aval in avals]
    block = np.zeros(sum(sizes) + ALIGNMENT, np.uint8)
    start = -block.ctypes.data % ALIGNMENT
    slots: list[Slot] = []
    for aval, size in zip(avals, sizes, strict=True):
        slots.append(_shared(place, aval, block[start : start + size]))
        start += size
    return Landing(slots)


def _bytes(aval: PlacedType) -> int:
    return int(np.prod(aval.shape, dtype=np.int64)) * aval.dtype.itemsize


def _room(aval: PlacedType) -> int:
    """Bytes of a parameter rounded up to whole cache lines; 0 if it is empty or not small."""
    count = _bytes(aval)
    return -(-count // ALIGNMENT) * ALIGNMENT if 0 < count <= LIMIT else 0


def _shared(place: Place, aval: PlacedType, memory: NDArray) -> Slot:
    if not memory.size:
        return unshared_slot(aval)
    array = memory[: _bytes(aval)].view(aval.dtype).reshape(aval.shape)
    buffer = place.share(array, aval.type)
    # Sharing is the runtime's choice: where it made a copy instead, the parameter is treated as not small.
    if not np.shares_memory(place.view(buffer), array):
        return unshared_slot(aval)
    return aval, aval.dtype, aval.shape, array, buffer
