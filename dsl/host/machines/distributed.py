"""`dsl.distributed`: several processes, on one machine or many, that compute together.

Each of them runs the same Python program. Read next: `lowering.processes.member`; `devices`.
"""

from __future__ import annotations

import atexit
import os
import sys
from functools import cache
from typing import Any

import numpy as np

from dsl.diagnostics.settings import instance_of, setting_error
from dsl.host.arguments.pytree import map_tree
from dsl.ir.function import Function, Tensor, Var
from lowering.lowered import CPU
from lowering.processes import errors
from lowering.processes.group import described
from lowering.processes.launched import watch_launcher
from lowering.processes.member import Member, membership, start_coordinator
from lowering.processes.topics import Topic
from lowering.stablehlo.module import lower
from lowering.tiling import Tiling, counts, part, tiling
from lowering.xla import numeric
from lowering.xla.array import Array
from lowering.xla.backends import backend, place_of, process_id, processor
from lowering.xla.compile import compile
from lowering.xla.execute import Executable
from lowering.xla.places import Device, Sharding

__all__ = ["array_from_local", "barrier", "gather", "initialize", "process_count", "process_id"]


def initialize(
    coordinator: str | None = None,
    num_processes: int | None = None,
    process_id: int | None = None,
    *,
    timeout: float = 10.0,
) -> None:
    """Makes this process number `process_id` of `num_processes`, which find each other at `coordinator`, `host:port`:
    an address of process 0. What is not given comes from `dsl run --processes`, Slurm, Open MPI or Kubernetes.

    From then on `dsl.devices("cpu")` are those of all processes. No process waits for another for more than `timeout`
    seconds. Raises `DeviceError` E1013 where a process is missing, E1014 where the description is wrong.
    """
    if membership().member is not None:
        raise errors.initialized_twice()
    group = described(coordinator, num_processes, process_id, os.environ)
    if processor().is_settled:
        raise errors.too_late()
    watch_launcher(os.environ)
    if group.id == 0:
        start_coordinator(group, timeout)
    membership().member = Member(group, timeout)
    backend(CPU)
    atexit.register(_leave, os.getpid())


def _leave(joined: int) -> None:
    """Say at the end of the process that has `joined` that the others need not wait for it. What XLA computes with a
    process that is lost never ends, and would keep this one."""
    member = membership().member
    assert member is not None
    if os.getpid() != joined:  # a fork of it
        return
    if backend(CPU).turns.end():
        member.leave()
    else:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(1)


def process_count() -> int:
    """How many processes there are; 1 without `initialize`."""
    member = membership().member
    return 1 if member is None else member.group.count


def barrier(name: str = "") -> None:
    """Waits until all processes have come here. Raises `DeviceError` E1013 where one does not, E1015 where one is
    elsewhere."""
    member = membership().member
    if member is not None:
        member.meet(Topic(f"the barrier {name!r}" if name else "a barrier"))


def array_from_local(local: Any, sharding: Sharding) -> Array:
    """The array of which each process gives its own part: what lies on its devices, in one piece."""
    place = place_of(instance_of("sharding", sharding, Sharding))
    elements = numeric.host_array(local)
    shape, start = _whole(elements.shape, sharding)
    type = Tensor(numeric.type_of(elements).dtype, shape)
    if not sharding.fits(shape):
        raise setting_error(f"{elements.shape} is not the part of an array that lies so: {sharding}")
    placed = place.placed(type)
    slices = [
        tuple([slice(s.start - first, s.stop - first) for s, first in zip(index, start, strict=True)])
        for index in place.slices(shape)
    ]
    return Array(place.from_parts([np.array(elements[index]) for index in slices], placed), placed)


def _whole(local: tuple[int, ...], sharding: Sharding) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The shape of an array from that of the part in this process, and where that part starts."""
    parts = counts(sharding.tiling, len(local))
    own = [k for k, device in enumerate(sharding.devices) if device.process == process_id()]
    places = [part(sharding.tiling, tuple(parts), k) for k in own]
    shape, start = [], []
    for axis, (n, count) in enumerate(zip(local, parts, strict=True)):
        starts = {index[axis].start for index in places}
        size = n // max(len(starts), 1)
        shape.append(size * count)
        start.append(size * min(starts, default=0))
    return tuple(shape), tuple(start)


def gather(tree: Any) -> Any:
    """The arrays of a tree with all of their elements in every process. All processes call it."""
    return map_tree(_gathered, tree)


def _gathered(leaf: Any) -> Any:
    if not isinstance(leaf, Array) or leaf.is_fully_addressable:
        return leaf
    (whole,) = _gatherer(leaf.type, leaf.devices, leaf.sharding.tiling)(leaf)
    return whole


@cache
def _gatherer(type: Tensor, devices: tuple[Device, ...], cut: Tiling) -> Executable:
    x = Var(type)
    whole = tiling([(len(devices), None)])
    made = lower(
        Function("gather", (x,), (), (x,)), devices=len(devices), laid=((cut,), (whole,)), platform=devices[0].platform
    )
    return compile(made, devices=devices)
