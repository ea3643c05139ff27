"""On which devices a call runs: where its arrays lie, or over all that are chosen. Read next: `function`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from dsl.host.argument_errors import Problem
from dsl.host.arguments.pytree import flatten
from dsl.ir.function import Function
from dsl.ops.control.shard import ShardParams
from dsl.transforms.placement import common_mesh, outermost
from lowering.xla import device_errors
from lowering.xla.array import Array
from lowering.xla.backends import choice
from lowering.xla.places import Device, listed

Devices: TypeAlias = tuple[Device, ...]
Where: TypeAlias = tuple[frozenset[Devices], Devices]
"""The devices of each array of a call, those of the first chosen one if there is none; and all that are chosen."""


def where(leaves: Sequence[Any]) -> Where:
    """Where the arrays among the leaves of a call lie, and what is chosen at the moment."""
    found = frozenset([x.devices for x in leaves if type(x) is Array])
    return found or frozenset([choice().place.devices]), choice().devices


def devices_for(function: Function, places: Where, values: Mapping[str, Any]) -> Devices:
    """The devices that a function runs on; `values` are the arguments by name.

    What maps no axis over devices runs where its arrays lie, all else on the chosen devices, of which it uses no more
    than the smallest of these axes has elements. Raises `DeviceError` E1002 for arrays on different devices, `Problem`
    E1007 for an axis that cannot be shared out equally.
    """
    _, chosen = places
    mapped = list(outermost(function))
    devices = chosen[: min([params.count for params in mapped], default=1)]
    if len(devices) > 1:
        check_shares(mapped, devices)
        return devices
    return common(places, values)


def common(places: Where, values: Mapping[str, Any]) -> Devices:
    """The devices that all arrays of a call lie on. Raises `DeviceError` E1002 where there are several."""
    found, _ = places
    if len(found) > 1:
        raise device_errors.apart(_examples(values))
    return next(iter(found))


def spreads(function: Function) -> bool:
    """Whether a function maps an axis over devices, as many as are chosen."""
    return any(True for _ in outermost(function))


def check_shares(mapped: Sequence[ShardParams], devices: Devices, laid: Sequence[Sequence[int]] = ()) -> None:
    """That the devices can share equally what is mapped, beside arrays that are `laid` in rows and columns of so many
    devices. Raises `Problem` E1007."""
    count = len(devices)
    meshes: list[Sequence[int]] = list(laid)
    for params in mapped:
        shared = params.shared(count)
        if shared is None:
            fitting = max(k for k in range(1, count + 1) if params.shared(k) is not None)
            raise _uneven(f"{_described(params)} has {params.count} {_parts(params)}", devices, fitting)
        meshes.append([axis.devices for axis in shared])
    if common_mesh(count, meshes) is None:
        names = " and ".join([*[_described(params) for params in mapped], *(["arrays"] if laid else [])])
        raise _uneven(f"{names} are cut in different ways", devices, 1)


def _uneven(what: str, devices: Devices, fitting: int) -> Problem:
    message = f"{what}, which {len(devices)} devices ({listed(devices)}) cannot share equally"
    return Problem("E1007", message, f"use fewer devices: `with dsl.default_device(*dsl.devices()[:{fitting}])`")


def _described(params: ShardParams) -> str:
    if len(params.mesh) > 1:
        return f"`mesh({', '.join([f'{axis.name}={axis.size}' for axis in params.mesh])})`"
    name = params.mesh[0].name
    return "a mapped axis" if name.startswith(" ") else f"the mapped axis `{name}`"


def _parts(params: ShardParams) -> str:
    return "elements" if len(params.mesh) == 1 else "parts"


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
