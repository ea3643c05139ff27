"""Where arrays lie: devices as users name them, shardings over them, and what jaxlib needs to put arrays there.

A `Place` is a sharding made real. It holds one `PlacedType` for each type, so that comparing two of these by identity
compares dtype, shape and place at once. Read next: `backends`, which makes places; `execute`, `array`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import prod
from typing import Any

import numpy as np

from dsl.diagnostics.settings import instance_of, integer, setting_error
from dsl.ir.function import Tensor
from lowering.lowered import CPU
from lowering.tiling import Tiling, fits, part, tiling
from lowering.xla import adapter, device_errors
from lowering.xla.adapter import Aval, Buffer, RawClient, RawDevice, RawSharding
from lowering.xla.parts import PlacedPart
from lowering.xla.turns import Turns, wait_for

NDArray = np.ndarray[Any, Any]


@dataclass(frozen=True, slots=True, repr=False)
class Device:
    """Something that holds arrays and runs programs, as users name it: `cpu:0`; and the process that it belongs to."""

    __module__ = "dsl"

    platform: str
    id: int
    process: int = field(default=0, compare=False)

    def __str__(self) -> str:
        return f"{self.platform}:{self.id}"

    def __repr__(self) -> str:
        return f"{self.platform}:{self.id}"


@dataclass(frozen=True, slots=True, init=False)
class Mesh:
    """Devices in rows and columns: `Mesh(devices, data=4, model=2)`. The last axis is the fastest. Raises
    `SettingError` E0919 unless there are as many different devices as places."""

    __module__ = "dsl"

    devices: tuple[Device, ...]
    axes: tuple[tuple[str, int], ...]

    def __init__(self, devices: Sequence[Device], /, **axes: int) -> None:
        object.__setattr__(self, "devices", _different(devices))
        object.__setattr__(self, "axes", tuple([(name, integer(name, size, 1)) for name, size in axes.items()]))
        if prod(axes.values()) != len(self.devices):
            raise setting_error(f"a mesh of {self._sizes} has {prod(axes.values())} places, not {len(self.devices)}")

    @property
    def _sizes(self) -> str:
        return ", ".join([f"{name}={size}" for name, size in self.axes])

    def __str__(self) -> str:
        return f"{self._sizes} on {format_devices(self.devices)}"

    def tiling(self, spec: Mapping[str, int]) -> Tiling:
        """How an array lies that is cut along its axis `spec[name]` for some axes of the mesh. Raises
        `SettingError` E0919 for the name of no axis."""
        for name in spec:
            if name not in dict(self.axes):
                raise setting_error(f"the mesh {self} has no axis {name!r}")
        return tiling([(size, spec.get(name)) for name, size in self.axes])


@dataclass(frozen=True, slots=True, init=False)
class Sharding:
    """How an array lies over devices: whole on each of them, or cut into equal parts. `Sharding(devices, axis=0)` cuts
    one axis into as many parts as there are devices, in order; `Sharding(mesh, {"data": 0, "model": 1})` says for axes
    of a mesh which axis of the array they cut. Raises `SettingError` E0919 where a device is named twice, or none,
    and `DeviceError` E1010 where the axes are given otherwise."""

    __module__ = "dsl"

    devices: tuple[Device, ...]
    tiling: Tiling

    def __init__(self, over: Mesh | Sequence[Device], axis: int | Mapping[str, int] | None = None) -> None:
        mesh = over if isinstance(over, Mesh) else _row(_different(over))
        cuts = axis if isinstance(axis, Mapping) else {} if axis is None else {name: axis for name, _ in mesh.axes}
        if not all(isinstance(cut, int) for cut in cuts.values()):
            raise device_errors.not_a_spec(axis, [*dict(mesh.axes)])
        object.__setattr__(self, "devices", mesh.devices)
        object.__setattr__(self, "tiling", mesh.tiling(cuts))

    @classmethod
    def of(cls, devices: Sequence[Device], cut: Tiling) -> Sharding:
        """The sharding over devices in a row."""
        made = cls(devices)
        object.__setattr__(made, "tiling", cut)
        return made

    @property
    def axis(self) -> int | None:
        """The axis that is cut over all devices, None if there is no such."""
        return self.tiling[0][1] if len(self.tiling) == 1 else None

    @property
    def is_mixed(self) -> bool:
        """Return whether some devices hold the same part, but not all."""
        return len({axis is None for _, axis in self.tiling}) > 1

    @property
    def cuts(self) -> list[tuple[int, int]]:
        """The axes that are cut, and into how many parts."""
        axes = sorted({axis for _, axis in self.tiling if axis is not None})
        return [(axis, prod([count for count, other in self.tiling if other == axis])) for axis in axes]

    def number(self, device: int) -> int:
        """Which of the parts lies on a device of the row."""
        found, step = 0, 1
        for count, axis in reversed(self.tiling):
            device, digit = divmod(device, count)
            if axis is not None:
                found, step = found + digit * step, step * count
        return found

    @property
    def parts(self) -> int:
        """How many different parts there are."""
        return prod([count for count, axis in self.tiling if axis is not None])

    def __str__(self) -> str:
        how = f"axis {self.axis}" if self.axis is not None else "whole"
        if len(self.tiling) > 1:
            how = " and ".join([f"axis {axis} in {count}" for axis, count in self.cuts])
        return f"{how} on {format_devices(self.devices)}"

    def fits(self, shape: tuple[int, ...]) -> bool:
        """Return whether an array of this shape can be cut so."""
        return fits(self.tiling, shape)

    def slices(self, shape: tuple[int, ...]) -> list[tuple[slice, ...]]:
        """Which part of an array of this shape lies on each device."""
        return [part(self.tiling, shape, k) for k in range(len(self.devices))]


def _row(devices: tuple[Device, ...]) -> Mesh:
    return Mesh(devices, devices=len(devices))


def _different(given: object) -> tuple[Device, ...]:
    devices = tuple(given) if isinstance(given, Iterable) else (given,)
    for device in devices:
        instance_of("devices", device, Device, "`dsl.devices()` lists them")
    if not devices or len(set(devices)) < len(devices):
        raise setting_error(f"a sharding is over different devices, at least one: {format_devices(devices)}")
    return devices


def format_devices(devices: Sequence[Device]) -> str:
    """`cpu:0`, or `cpu:0, cpu:1`."""
    return ", ".join(map(str, devices)) or "no device"


class PlacedType(Aval):
    """The type of an array and where it lies: the same object for all arrays that have both in common."""

    __slots__ = ("_parts", "place", "raw_sharding", "type")

    def __init__(self, type: Tensor, place: Place) -> None:
        super().__init__(type.shape, type.dtype.numpy)
        self.type = type
        self.place = place
        self.raw_sharding: RawSharding = place.raw_sharding(type)
        self._parts: dict[int, PlacedPart] = {}

    def part(self, start: int) -> PlacedPart:
        """The one description of an array of this type that begins there in a buffer."""
        known = self._parts.get(start)
        return self._parts.setdefault(start, PlacedPart(self, start)) if known is None else known


class Place:
    """A sharding over devices of one client. Arrays are put there and read from there. `here` are the numbers of the
    devices of this process, `holds_all` says whether they hold all parts, `in_host_memory` whether the host sees arrays
    here as they are, in one piece, and `member` meets the others, if there are
    devices of others."""

    __slots__ = (
        "_handlers",
        "_placed",
        "chosen",
        "devices",
        "here",
        "holds_all",
        "in_host_memory",
        "member",
        "memory",
        "raw",
        "raw_devices",
        "sharding",
        "turns",
    )

    def __init__(self, raw: RawClient, raw_devices: list[RawDevice], sharding: Sharding, turns: Turns) -> None:
        self.raw = raw
        self.chosen = adapter.device_list(raw_devices)
        self.turns = turns
        self.sharding = sharding
        self.devices = tuple(sharding.devices)
        self.here = [k for k, device in enumerate(raw_devices) if adapter.is_local(raw, device)]
        self.raw_devices = [raw_devices[k] for k in self.here]
        self.holds_all = sharding.parts == len({sharding.number(k) for k in self.here})
        self.in_host_memory = self.holds_all and len(self.devices) == 1 and self.devices[0].platform == CPU
        self.member = turns.member if len(self.here) < len(raw_devices) else None
        self.memory = adapter.memory(self.raw_devices[0]) if self.here else 0
        self._placed: dict[Tensor, PlacedType] = {}
        self._handlers: dict[Tensor, Any] = {}

    def raw_sharding(self, type: Tensor) -> RawSharding:
        return adapter.tiled_sharding(self.chosen, self.sharding.tiling, type.rank)

    def placed(self, type: Tensor) -> PlacedType:
        """The one description of this type here."""
        known = self._placed.get(type)
        if known is None:
            known = self._placed.setdefault(type, PlacedType(type, self))
        return known

    def handler(self, type: Tensor) -> Any:
        """Return the constructor of a buffer of this type from a raw result."""
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
        """Copy an array whose type has been compared."""
        if len(self.devices) == 1:
            return self.from_parts([array], placed)
        # jaxlib fails where some of the parts share memory, but not all.
        made = np.array if self.sharding.is_mixed else np.asarray
        return self.from_parts([made(array[part]) for part in self.slices(placed.shape)], placed)

    def from_parts(self, parts: list[Any], placed: PlacedType) -> Buffer:
        """A buffer of the parts on the devices of this process."""
        if not parts:
            raise device_errors.elsewhere(str(placed.type), format_devices(self.devices))
        return adapter.put(parts, placed, placed.raw_sharding, self.raw_devices)

    def slices(self, shape: tuple[int, ...]) -> list[tuple[slice, ...]]:
        """Which part of an array of this shape lies on each of the devices of this process."""
        parts = self.sharding.slices(shape)
        return [parts[k] for k in self.here]

    def brought(self, buffer: Buffer, source: Place, placed: PlacedType) -> Buffer:
        """A buffer of another place with the same elements here; between two devices of one client they do not pass
        through the host."""
        if source.raw is not self.raw or len(source.devices) > 1 or len(self.devices) > 1:
            return self.copied(source.view(buffer), placed)
        return adapter.move(buffer, placed.raw_sharding, self.chosen, placed)

    def wait(self, buffer: Buffer) -> None:
        """Until the elements are there. Raises what went wrong on the way. To read an array that is there no more may
        end the process."""
        if buffer.is_deleted():
            raise adapter.GivenUp
        if self.member is None and not self.turns.threads.are_lost:
            buffer.block_until_ready()
        else:
            wait_for([buffer], self.member)

    def share(self, array: NDArray, type: Tensor) -> Buffer:
        """A buffer on the one device here that sees the memory of `array`, which must never change."""
        placed = self.placed(type)
        return adapter.share(array, placed, placed.raw_sharding, self.raw_devices)

    def view(self, buffer: Buffer) -> NDArray:
        """The elements of a buffer that lies here, read-only; without a copy if they are in one piece. Waits."""
        self.wait(buffer)
        dtype: np.dtype[Any] = buffer.aval.dtype
        if not self.holds_all:
            raise device_errors.elsewhere(buffer.aval.type, self.sharding)
        if len(self.devices) == 1:
            return adapter.view(buffer, dtype)
        slices, shards = self.slices(buffer.aval.shape), adapter.shards(buffer)
        if self.sharding.parts == 1:
            return adapter.view(shards[0], dtype)
        whole = np.empty(buffer.aval.shape, dtype)
        # Of an array without elements XLA cuts no parts.
        for index, shard in zip(slices, shards, strict=True) if whole.size else ():
            whole[index] = adapter.view(shard, dtype)
        whole.flags.writeable = False
        return whole
