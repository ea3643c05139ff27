"""Clients of XLA, one for each platform, made on first use; and the devices that are chosen to work on.

`DSL_PLATFORM` names the platform to use: without it that of an installed plugin whose devices work, else the
processor. `DSL_CPU_DEVICES` says as how many devices the processor is used. Read next: `places`; `compile`, `array`.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

from dsl.diagnostics.diagnostic import DeviceError
from lowering.lowered import CPU
from lowering.made_once import made_once
from lowering.processes.member import membership
from lowering.tiling import Tiling
from lowering.xla import adapter, device_errors, routines
from lowering.xla.forks import need_threads
from lowering.xla.places import Device, Place, Sharding
from lowering.xla.plugins import PLUGINS, extension_of, library_of, load_libraries
from lowering.xla.turns import Turns


class Backend:
    """The devices of one platform, and the places made of them."""

    __slots__ = ("_places", "_raw_devices", "devices", "raw", "turns")

    def __init__(self, platform: str, raw: Any) -> None:
        self.raw = raw
        self._raw_devices = {
            Device(platform, number, device.process_index): device for number, device in enumerate(adapter.devices(raw))
        }
        self.devices = tuple(self._raw_devices)
        self._places: dict[Sharding, Place] = {}
        self.turns = Turns(membership().member, shared_threads=platform == CPU)

    def place(self, sharding: Sharding) -> Place:
        known = self._places.get(sharding)
        if known is None:
            raw_devices = [self._raw_devices[device] for device in sharding.devices]
            made = Place(self.raw, raw_devices, sharding, self.turns)
            known = self._places.setdefault(sharding, made)
        return known


class Processor:
    """The number of devices that the CPU simulates; fixed at its first use."""

    __slots__ = ("_count", "_settled")

    def __init__(self) -> None:
        self._count: int | None = None
        self._settled = False

    def ask_for(self, count: int) -> None:
        if self._settled:
            raise device_errors.too_late()
        if isinstance(count, bool) or not isinstance(count, int) or count < 1:
            raise device_errors.not_a_count(count, "the number of devices")
        self._count = count

    @property
    def is_settled(self) -> bool:
        return self._settled

    def settle(self) -> int | None:
        self._settled = True
        return self._count if self._count is not None else _count_in(os.environ.get("DSL_CPU_DEVICES"))


def _count_in(text: str | None) -> int | None:
    if not text:
        return None
    if not text.isdecimal() or int(text) < 1:
        raise device_errors.not_a_count(text, "DSL_CPU_DEVICES")
    return int(text)


@made_once
def processor() -> Processor:
    """The one of this process."""
    return Processor()


@made_once
def backend(platform: str) -> Backend:
    """The client of a platform. Raises `DeviceError` E1004 or E1005 where there is none."""
    need_threads()
    if platform == CPU:
        return Backend(CPU, adapter.cpu_client(processor().settle(), **_others()))
    plugin = PLUGINS.get(platform)
    if plugin is None:
        raise device_errors.no_platform(platform, (CPU, *PLUGINS))
    library = library_of(plugin)
    if library is None:
        raise device_errors.no_plugin(platform, plugin.extra)
    try:
        load_libraries(plugin)
        options = adapter.gpu_options() if plugin.is_gpu else {}
        return Backend(platform, routines.plugin_client(platform, library, options, extension_of(plugin)))
    except (adapter.RuntimeFault, OSError, RuntimeError) as fault:
        raise device_errors.no_driver(platform, str(fault)) from None


def _others() -> dict[str, Any]:
    """Return the arguments that make a client a member of a process group, if this process belongs to one."""
    member = membership().member
    if member is None:
        return {}
    return adapter.shared(member.service, member.group.count, member.group.id, member.seconds)


def process_id() -> int:
    """The number of this process in its group; 0 without any."""
    member = membership().member
    return 0 if member is None else member.group.id


@made_once
def default_backend() -> Backend:
    """Return the backend of the platform that the environment names, or of the first that works."""
    asked = os.environ.get("DSL_PLATFORM")
    if asked:
        return backend(asked.lower())
    for platform, plugin in PLUGINS.items():
        if library_of(plugin) is not None:
            try:
                return backend(platform)
            except DeviceError:
                continue
    return backend(CPU)


def device_of(given: Device | str) -> Device:
    """A device that exists. Raises `DeviceError` E1004 for others."""
    platform, _, number = str(given).partition(":")
    known = backend(platform).devices
    found = next((device for device in known if str(device.id) == (number or "0")), None)
    if found is None:
        raise device_errors.no_device(str(given), known)
    return found


def place_of(sharding: Sharding) -> Place:
    """The place over existing devices of one platform."""
    devices = [device_of(device) for device in sharding.devices]
    return backend(devices[0].platform).place(sharding)


# ---------------------------------------------------------------- the devices that are chosen


@dataclass(frozen=True, slots=True, eq=False)
class Choice:
    """The devices to work on, and the first of them as the place where arrays go that lie nowhere yet."""

    devices: tuple[Device, ...]
    place: Place


_CHOSEN: ContextVar[Choice | None] = ContextVar("chosen devices", default=None)


@made_once
def _everything() -> Choice:
    return choice_of(default_backend().devices)


def choice_of(devices: Iterable[Device]) -> Choice:
    """Of these devices; arrays that lie nowhere yet go to the first that belongs to this process."""
    chosen = tuple(devices)
    own = [device for device in chosen if device.process == process_id()] or chosen
    return Choice(chosen, place_of(Sharding(own[:1])))


def choice() -> Choice:
    """Return the current choice of devices: all of the platform by default."""
    return _CHOSEN.get() or _everything()


def choose(chosen: Choice | None) -> Choice | None:
    """Makes a choice, and gives the one before."""
    before = _CHOSEN.get()
    _CHOSEN.set(chosen)
    return before


def here() -> Place:
    """The place of arrays that lie nowhere yet."""
    return choice().place


def at(devices: Sequence[Device], cut: Tiling | None = None) -> Place:
    """On these devices in a row, which hold an array so; whole on each if nothing is said."""
    return backend(devices[0].platform).place(Sharding(devices) if cut is None else Sharding.of(devices, cut))
