"""Places where small NumPy arguments land: host memory that buffers share, filled anew for each call.

Making a buffer costs about ten times as much as copying a few bytes. So an executable keeps, for its small
parameters, aligned memory with buffers that see it. A call copies its arguments there and passes those
buffers. The memory may be written again only when the program that reads it has finished, which `reader`
tells: it is one of the results, kept only while it is on its way. Nobody else ever sees these buffers, and
results never share memory with them, since XLA copies what it does not own. Read next: `execute`.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from dsl.ir.function import Tensor
from lowering.xla.adapter import Buffer

if TYPE_CHECKING:
    from lowering.xla.places import Place, PlacedType

NDArray = np.ndarray[Any, Any]
ALIGNMENT = 64
LIMIT = 1 << 12
"""Bytes above which copying twice costs more than making a buffer."""


Slot: TypeAlias = "tuple[PlacedType, np.dtype[Any], tuple[int, ...], Any, Buffer | None]"
"""A parameter: its type whole and in parts, memory that its buffer sees, and that buffer; or none of both."""


def unshared_slot(aval: PlacedType) -> Slot:
    """A parameter whose arguments always get a buffer of their own."""
    return aval, aval.dtype, aval.shape, None, None


class Landing:
    """Memory and buffers for the arguments of one call at a time. `block` is the memory of all small arguments, where
    each starts as `starts` says; None where some buffer does not see it."""

    __slots__ = ("block", "buffers", "reader", "slots")

    def __init__(self, slots: list[Slot], block: NDArray) -> None:
        self.slots = slots
        self.reader: Buffer | None = None
        self.buffers = [slot[4] for slot in slots]
        seen = all(
            buffer is not None or not room(slot[0].type) for slot, buffer in zip(slots, self.buffers, strict=True)
        )
        self.block = block.data if seen else None

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
    sizes = [room(aval.type) for aval in avals]
    block = np.zeros(sum(sizes) + ALIGNMENT, np.uint8)
    block = block[-block.ctypes.data % ALIGNMENT :]
    slots = [
        _shared(place, aval, block[start : start + size])
        for aval, start, size in zip(avals, starts(avals), sizes, strict=True)
    ]
    return Landing(slots, block)


def starts(avals: Sequence[PlacedType]) -> list[int]:
    """Where the memory of each parameter starts in that of all."""
    return list(accumulate([room(aval.type) for aval in avals], initial=0))[:-1]


def bytes_in(type: Tensor) -> int:
    """Return the bytes that the elements of an array take."""
    return type.size * type.dtype.bits // 8


def room(type: Tensor) -> int:
    """Return the bytes of an array rounded up to whole cache lines; 0 if it is empty or not small."""
    count = bytes_in(type)
    return -(-count // ALIGNMENT) * ALIGNMENT if 0 < count <= LIMIT else 0


def _shared(place: Place, aval: PlacedType, memory: NDArray) -> Slot:
    if not memory.size:
        return unshared_slot(aval)
    array = memory[: bytes_in(aval.type)].view(aval.dtype).reshape(aval.shape)
    buffer = place.share(array, aval.type)
    # Sharing is the runtime's choice: where it made a copy instead, the parameter is treated as not small.
    if not np.shares_memory(place.view(buffer), array):
        return unshared_slot(aval)
    return aval, aval.dtype, aval.shape, array, buffer
