"""Devices from Python: which there are, which to work on, and how arrays get there.

Read next: `lowering.xla.backends`; `lowering.xla.places`, for how an array lies over several of them.
"""

from __future__ import annotations

from types import TracebackType
from typing import Any

from dsl.diagnostics.settings import instance_of
from dsl.host.arguments.pytree import map_tree
from lowering.xla import numeric
from lowering.xla.array import Array, copy_to, move_to
from lowering.xla.backends import Choice, backend, choice, choice_of, choose, default_backend, device_of, place_of
from lowering.xla.backends import processor as _processor
from lowering.xla.places import Device, Place, Sharding


def devices(platform: str | None = None) -> list[Device]:
    """The devices of a platform (`"cpu"`, `"cuda"`, `"rocm"`, `"tpu"`); of the one in use without a name.

    Raises `DeviceError` E1004 for a platform that is unknown, E1005 for one that is not installed or has no device.
    """
    found = default_backend() if platform is None else backend(instance_of("platform", platform, str))
    return list(found.devices)


def device_count(platform: str | None = None) -> int:
    """How many `devices` there are."""
    return len(devices(platform))


def set_cpu_devices(count: int) -> None:
    """Uses the processor as so many devices, from its first use on: for trying out programs for several devices.

    Raises `DeviceError` E1003 once the processor is in use.
    """
    _processor().ask_for(count)


class default_device:  # a function to its users, with something to leave again
    """Makes these the devices to work on: arrays that lie nowhere yet go to the first, and programs for several
    devices run on all of them. Without arguments, all devices of the platform.

    It holds from the call on, or in a `with` block until its end; threads and tasks each have their own.
    """

    __module__ = "dsl"

    def __init__(self, *chosen: Device | str) -> None:
        made: Choice | None = choice_of([device_of(device) for device in chosen]) if chosen else None
        self._before = choose(made)

    def __enter__(self) -> list[Device]:
        return list(choice().devices)

    def __exit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        choose(self._before)


def device_put(tree: Any, where: Device | str | Sharding) -> Any:
    """The arrays and numbers of a tree as arrays on a device, or as a `Sharding` lays them over several.

    Raises `DeviceError` E1004 for a device that does not exist, E1006 where an axis cannot be cut into equal parts.
    """
    place = place_of(where if isinstance(where, Sharding) else Sharding((device_of(where),)))
    return map_tree(lambda leaf: _put(leaf, place), tree)


def _put(leaf: Any, place: Place) -> Array | None:
    if leaf is None:
        return None
    return move_to(leaf, place) if isinstance(leaf, Array) else copy_to(place, numeric.host_array(leaf))
