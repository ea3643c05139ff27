"""On which devices a call runs: where its arrays lie, or over all that are chosen. Read next: `function`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from dsl.host.argument_errors import Problem
from dsl.host.arguments.placement import Devices, Where, common
from dsl.ir.function import Function
from dsl.ops.sharding.parts import Mesh, count_parts, share_parts
from dsl.transforms.placement import common_mesh, outermost
from lowering.xla.places import format_devices


def devices_for(function: Function, places: Where, values: Mapping[str, Any]) -> Devices:
    """The devices that a function runs on; `values` are the arguments by name.

    What maps no axis over devices runs where its arrays lie, all else on the chosen devices, of which it uses no more
    than the smallest of these axes has elements. Raises `DeviceError` E1002 for arrays on different devices, `Problem`
    E1007 for an axis that cannot be shared out equally.
    """
    _, chosen = places
    mapped = list(outermost(function))
    devices = chosen[: min(map(count_parts, mapped), default=1)]
    if len(devices) > 1:
        check_shares(mapped, len(devices), format_devices(devices))
        return devices
    return common(places, values)


def spreads(function: Function) -> bool:
    """Return whether a function maps an axis over devices, as many as are chosen."""
    return any(True for _ in outermost(function))


def check_shares(mapped: Sequence[Mesh], count: int, names: str, laid: Sequence[Sequence[int]] = ()) -> None:
    """Check that `count` devices can divide the mapped arrays equally, next to arrays that are `laid` out on a mesh.
    Raises `Problem` E1007."""
    devices = f"{count} devices ({names})" if names else f"{count} devices"
    meshes: list[Sequence[int]] = list(laid)
    for mesh in mapped:
        shared = share_parts(mesh, count)
        if shared is None:
            fitting = max(k for k in range(1, count + 1) if share_parts(mesh, k) is not None)
            raise _uneven(f"{_described(mesh)} has {count_parts(mesh)} {_parts(mesh)}", devices, fitting)
        meshes.append([axis.devices for axis in shared])
    if common_mesh(count, meshes) is None:
        names = " and ".join([*map(_described, mapped), *(["arrays"] if laid else [])])
        raise _uneven(f"{names} are cut in different ways", devices, 1)


def _uneven(what: str, devices: str, fitting: int) -> Problem:
    message = f"{what}, which {devices} cannot share equally"
    return Problem("E1007", message, f"use fewer devices: `with dsl.default_device(*dsl.devices()[:{fitting}])`")


def _described(mesh: Mesh) -> str:
    if len(mesh) > 1:
        return f"`mesh({', '.join([f'{axis.name}={axis.size}' for axis in mesh])})`"
    name = mesh[0].name
    return "a mapped axis" if name.startswith(" ") else f"the mapped axis `{name}`"


def _parts(mesh: Mesh) -> str:
    return "elements" if len(mesh) == 1 else "parts"
