"""On which devices a call runs: where its arrays lie. Read next: `function`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from dsl.host.arguments.pytree import flatten
from lowering.xla import device_errors
from lowering.xla.array import Array
from lowering.xla.backends import choice
from lowering.xla.places import Device

Devices: TypeAlias = tuple[Device, ...]


def devices_of(values: Mapping[str, Any], leaves: Sequence[Any]) -> Devices:
    """The devices of the arrays among the leaves of a call, or the first chosen one where there is none.

    Raises `DeviceError` E1002 where they are not on the same ones; `values` are the arguments by name.
    """
    found = {x.devices for x in leaves if type(x) is Array}
    if len(found) > 1:
        raise device_errors.apart(_examples(values))
    return found.pop() if found else choice().place.devices


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
