"""Clients of XLA and their devices: where buffers live and programs run. Made on first use, one per process.

Read next: `compile`, `execute`, `array`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from dsl.ir.function import Tensor
from lowering.xla import adapter
from lowering.xla.adapter import Aval, Buffer


@dataclass(frozen=True, slots=True)
class Device:
    """A place where arrays live, as users see it: `cpu:0`."""

    platform: str
    id: int

    def __str__(self) -> str:
        return f"{self.platform}:{self.id}"


@dataclass(frozen=True, slots=True)
class Sharding:
    """How an array is laid over devices: whole on each of them."""

    devices: tuple[Device, ...]

    def __str__(self) -> str:
        return f"whole on {', '.join(map(str, self.devices))}"


class Client:
    """One device of one platform with what jaxlib needs to put arrays there and to take results from it."""

    __slots__ = ("_avals", "_handlers", "chosen", "device", "memory", "raw", "raw_devices", "raw_sharding", "sharding")

    def __init__(self, raw: Any, raw_device: Any) -> None:
        self.raw = raw
        self.raw_devices = [raw_device]
        self.chosen = adapter.device_list(self.raw_devices)
        self.raw_sharding = adapter.replicated(self.chosen)
        self.device = Device(raw.platform, raw_device.id)
        self.sharding = Sharding((self.device,))
        self.memory = adapter.memory(raw_device)
        self._avals: dict[Tensor, tuple[Aval, Tensor]] = {}
        self._handlers: dict[Tensor, Any] = {}

    def aval(self, type: Tensor) -> Aval:
        """The one description of this type: arrays of equal types share it, so types are compared by
        identity."""
        known = self._avals.get(type)
        if known is None:
            known = self._avals.setdefault(type, (Aval(type.shape, type.dtype.numpy), type))
        return known[0]

    def same(self, type: Tensor) -> Tensor:
        """The one `Tensor` that stands for all that are equal to it: comparing two of these takes no time."""
        self.aval(type)
        return self._avals[type][1]

    def handler(self, type: Tensor) -> Any:
        """What makes a buffer of this type out of a raw result."""
        known = self._handlers.get(type)
        if known is None:
            made = adapter.result_handler(self.aval(type), self.raw_sharding)
            known = self._handlers.setdefault(type, made)
        return known

    def put(self, array: np.ndarray[Any, Any], type: Tensor) -> Buffer:
        """A buffer with a copy of `array`, which must have exactly the dtype and shape of `type`."""
        aval = self.aval(type)
        if array.dtype != aval.dtype or array.shape != aval.shape:
            raise TypeError(f"an array of {array.dtype}{list(array.shape)} was put as {type}")
        return adapter.put(array, aval, self.raw_sharding, self.raw_devices)

    def share(self, array: np.ndarray[Any, Any], type: Tensor) -> Buffer:
        """A buffer that sees the memory of `array`, which must never change."""
        return adapter.share(array, self.aval(type), self.raw_sharding, self.raw_devices)


@cache
def cpu() -> Client:
    """The client of the processor. Dispatch is asynchronous: a result may be named before it is computed."""
    raw = adapter.cpu_client()
    return Client(raw, adapter.devices(raw)[0])
