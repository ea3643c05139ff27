"""Where arrays lie: devices as users name them, shardings over them, and what jaxlib needs to put arrays there.

A `Place` is a sharding made real. It holds one `PlacedType` for each type, so that comparing two of these by identity
compares dtype, shape and place at once. Read next: `backends`, which makes places; `execute`, `array`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from threading import Lock
from typing import Any

import numpy as np

from dsl.ir.function import Tensor
from lowering.xla import adapter
from lowering.xla.adapter import Aval, Buffer, RawClient, RawDevice, RawSharding

NDArray = np.ndarray[Any, Any]


@dataclass(frozen=True, slots=True, repr=False)
class Device:
    """Something that holds arrays and runs programs, as users name it: `cpu:0`."""

    platform: str
    id: int

    def __str__(self) -> str:
        return f"{self.platform}:{self.id}"

    def __repr__(self) -> str:
        return f"{self.platform}:{self.id}"


@dataclass(frozen=True, slots=True)
class Sharding:
    """How an array lies over devices: whole on each of them, or with `axis` cut into equal parts, one for each device
    in order. Raises ValueError where a device is named twice, or none."""

    devices: Sequence[Device]
    axis: int | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "devices", tuple(self.devices))
        if not self.devices or len(set(self.devices)) < len(self.devices):
            raise ValueError(f"a sharding is over different devices, at least one: {listed(self.devices)}")

    def __str__(self) -> str:
        how = "whole" if self.axis is None else f"axis {self.axis}"
        return f"{how} on {listed(self.devices)}"

    def fits(self, shape: tuple[int, ...]) -> bool:
        """Whether an array of this shape can be cut so."""
        return self.axis is None or (0 <= self.axis < len(shape) and shape[self.axis] % len(self.devices) == 0)

    def slices(self, shape: tuple[int, ...]) -> list[tuple[slice, ...]]:
        """Which part of an array of this shape lies on each device."""
        whole = tuple([slice(0, n) for n in shape])
        if self.axis is None:
            return [whole] * len(self.devices)
        step = shape[self.axis] // len(self.devices)
        before, after = whole[: self.axis], whole[self.axis + 1 :]
        return [(*before, slice(k * step, (k + 1) * step), *after) for k in range(len(self.devices))]


def listed(devices: Sequence[Device]) -> str:
    """`cpu:0`, or `cpu:0, cpu:1`."""
    return ", ".join(map(str, devices)) or "no device"


class PlacedType(Aval):
    """The type of an array and where it lies: the same object for all arrays that have both in common."""

    __slots__ = ("place", "raw_sharding", "type")

    def __init__(self, type: Tensor, place: Place) -> None:
        super().__init__(type.shape, type.dtype.numpy)
        self.type = type
        self.place = place
        self.raw_sharding: RawSharding = place.raw_sharding(type)


class Turns:
    """Lets one program over several devices start at a time, when the one before has finished.

    The devices of one processor share its threads. Programs that wait for each other on some devices while others
    still wait for a thread would wait for ever; and two that start at once may come to the devices in different orders.
    """

    __slots__ = ("_lock", "_running")

    def __init__(self) -> None:
        self._lock = Lock()
        self._running: list[Buffer] = []

    def take(self, start: Callable[[], list[Buffer]]) -> list[Buffer]:
        """What `start` gives, in its turn."""
        with self._lock:
            with suppress(adapter.RuntimeFault):  # told to whoever reads what it did not compute
                adapter.block_all([buffer for buffer in self._running if not buffer.is_deleted()])
            self._running = start()
            return self._running


class Place:
    """A sharding over devices of one client. Arrays are put there and read from there."""

    __slots__ = ("_handlers", "_placed", "chosen", "devices", "memory", "raw", "raw_devices", "sharding", "turns")

    def __init__(self, raw: RawClient, raw_devices: list[RawDevice], sharding: Sharding, turns: Turns) -> None:
        self.raw = raw
        self.raw_devices = raw_devices
        self.chosen = adapter.device_list(raw_devices)
        self.turns = turns
        self.sharding = sharding
        self.devices = tuple(sharding.devices)
        self.memory = adapter.memory(raw_devices[0])
        self._placed: dict[Tensor, PlacedType] = {}
        self._handlers: dict[Tensor, Any] = {}

    def raw_sharding(self, type: Tensor) -> RawSharding:
        axis = self.sharding.axis
        if axis is None:
            return adapter.replicated(self.chosen)
        return adapter.tiled(self.chosen, [len(self.devices) if k == axis else 1 for k in range(type.rank)])

    def placed(self, type: Tensor) -> PlacedType:
        """The one description of this type here."""
        known = self._placed.get(type)
        if known is None:
            known = self._placed.setdefault(type, PlacedType(type, self))
        return known

    def handler(self, type: Tensor) -> Any:
        """What makes a buffer of this type out of a raw result."""
        known = self._handlers.get(type)
        if known is None:
            placed = self.placed(type)
            known = self._handlers.setdefault(type, adapter.result_handler(placed, placed.raw_sharding))
        return known

    def put(self, array: NDArray, type: Tensor) -> Buffer:
        """A buffer with a copy of `array`, which must have exactly the dtype and shape of `type`."""
        placed = self.placed(type)
        if array.dtype != placed.dtype or array.shape != placed.shape:
            raise TypeError(f"an array of {array.dtype}{list(array.shape)} was put as {type}")
        return self.copied(array, placed)

    def copied(self, array: Any, placed: PlacedType) -> Buffer:
        """As `put`, for arrays whose type has been compared."""
        if len(self.raw_devices) == 1:
            return adapter.put([array], placed, placed.raw_sharding, self.raw_devices)
        parts = [np.asarray(array[part]) for part in self.sharding.slices(placed.shape)]
        return adapter.put(parts, placed, placed.raw_sharding, self.raw_devices)

    def brought(self, buffer: Buffer, source: Place, placed: PlacedType) -> Buffer:
        """A buffer of another place with the same elements here; between two devices of one client they do not pass
        through the host."""
        if source.raw is not self.raw or len(source.devices) > 1 or len(self.devices) > 1:
            return self.copied(source.view(buffer), placed)
        return adapter.move(buffer, placed.raw_sharding, self.chosen, placed)

    def share(self, array: NDArray, type: Tensor) -> Buffer:
        """A buffer on the one device here that sees the memory of `array`, which must never change."""
        placed = self.placed(type)
        return adapter.share(array, placed, placed.raw_sharding, self.raw_devices)

    def view(self, buffer: Buffer) -> NDArray:
        """The elements of a buffer that lies here, read-only; without a copy if they are in one piece. Waits."""
        adapter.wait(buffer)
        dtype: np.dtype[Any] = buffer.aval.dtype
        if len(self.raw_devices) == 1:
            return adapter.view(buffer, dtype)
        shards = adapter.shards(buffer)
        if self.sharding.axis is None:
            return adapter.view(shards[0], dtype)
        whole = np.concatenate([adapter.view(shard, dtype) for shard in shards], self.sharding.axis)
        whole.flags.writeable = False
        return whole
