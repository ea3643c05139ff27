"""Where the arrays of a call lie, and which devices are chosen. Read next: `shares`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from dsl.host.arguments.pytree import flatten
from lowering.xla import device_errors
from lowering.xla.array import Array
from lowering.xla.backends import choice
from lowering.xla.places import Device

Devices: TypeAlias = tuple[Device, ...]
Where: TypeAlias = tuple[frozenset[Devices], Devices]
"""The devices of each array of a call, those of the first chosen one if there is none; and all that are chosen."""


def where(leaves: Sequence[Any]) -> Where:
    """Where the arrays among the leaves of a call lie, and what is chosen at the moment."""
    found = frozenset([x.devices for x in leaves if type(x) is Array])
    return found or frozenset([choice().place.devices]), choice().devices


def common(places: Where, values: Mapping[str, Any]) -> Devices:
    """The devices that all arrays of a call lie on. Raises `DeviceError` E1002 where there are several."""
    found, _ = places
    if len(found) > 1:
        raise device_errors.apart(_examples(values))
    return next(iter(found))


def _examples(values: Mapping[str, Any]) -> list[tuple[str, object]]:
    """The first array of each place, by the name of its argument."""
    seen: dict[Devices, tuple[str, object]] = {}
    for name, value in values.items():
        parts: list[Any] = []
        flatten(value, parts, [])
        for part in parts:
            if type(part) is Array:
                seen.setdefault(part.devices, (f"`{name}`", part.sharding))
    return list(seen.values())
