"""A lowered function to an executable. What XLA refuses here is a bug of the compiler, and is reported as
one.

Read next: `execute`; `cache`, for what is kept on disk.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from functools import cache as cached
from types import MappingProxyType
from typing import Any

from dsl.disk_cache import DiskCache
from lowering.lowered import CPU, Lowered, calls_library
from lowering.xla import adapter, cache, routines
from lowering.xla.adapter import RawExecutable
from lowering.xla.backends import at, choice
from lowering.xla.callbacks import Host
from lowering.xla.execute import Executable
from lowering.xla.forks import need_threads
from lowering.xla.places import Device, Place

Options = Sequence[tuple[str, Any]]
"""Flags of XLA by name, such as `("xla_cpu_enable_fast_math", True)`, for one compilation."""


FUSIBLE, FUSIBLE_FEW = 2000, 400
"""Pointwise operations in one region beyond which XLA is not asked to fuse them: it would copy those that have several
uses into each, and take minutes for what takes seconds. The second where they compute few elements, which no cache has
to be spared. Kernels of one operation are few, since XLA compiles equal ones once."""

UNFUSED: Options = (("xla_disable_hlo_passes", "fusion"),)

_UNTILED = MappingProxyType({"xla_cpu_disable_tiled_emitter": "true"})
"""The emitter of tiles takes longer to compile most reductions and changes of axes, and its code runs no faster."""

HANDFUL, FEW = 64, 1024
"""Elements that an operation computes, in the mean. Up to a handful, older emitters of XLA write the kernels, and LLVM
unrolls no loops over elements. The newer ones take milliseconds more to compile each kernel, and only loops over many
elements run faster by them; one over a handful is over before it pays to unroll it. Without fusion the newer ones are
quicker: they know equal kernels."""

LOOP, LOOP_OVER_FEW = 1 << 16, 1 << 20
"""Bytes that a step of a loop may touch for the loop to become one function, if it calls no library; the second where
operations compute few elements. To start a kernel takes longer than a small one runs. XLA's own limit is 1 KiB. Kernels
over more bytes run faster outside, and are shared between threads."""


class CompilationFailed(Exception):
    """XLA refused a program that the compiler made: an internal error. `text` is the StableHLO that it
    refused."""

    def __init__(self, name: str, reason: str, text: str) -> None:
        super().__init__(f"XLA refused the code made for `{name}`: {reason}")
        self.name = name
        self.reason = reason
        self.text = text


def compile(
    lowered: Lowered, *, devices: Sequence[Device] | None = None, options: Options = (), afresh: bool = False
) -> Executable:
    """Compiles for the first of these devices, or of those that are chosen, as many as the program is for; or takes the
    program from the disk, if not `afresh`: what XLA has read cannot be written again. Raises
    `OutOfMemory` where a device will not hold what the program needs."""
    need_threads()
    place = at((choice().devices if devices is None else devices)[: lowered.devices])
    made = _executable(lowered, place, (*flags_for(lowered, place), *options), afresh)
    if adapter.memory_needed(made.raw) > made.place.memory:
        raise made.too_large()
    return made


def flags_for(lowered: Lowered, place: Place) -> Options:
    """Return the flags that suit a program."""
    if place.devices[0].platform != CPU:
        return UNFUSED if lowered.pointwise > FUSIBLE else ()
    few = lowered.elements <= FEW
    unfused = UNFUSED if lowered.pointwise > (FUSIBLE_FEW if few else FUSIBLE) else ()
    extra = _UNTILED | {"xla_cpu_small_while_loop_byte_threshold": str(LOOP_OVER_FEW if few else LOOP)}
    if lowered.elements <= HANDFUL and not unfused:
        extra |= dict.fromkeys(("xla_cpu_disable_new_fusion_emitters", "xla_cpu_disable_loop_unrolling"), "true")
    return (*unfused, (adapter.EXTRA, extra))


def _executable(lowered: Lowered, place: Place, options: Options, afresh: bool) -> Executable:
    register_routines(lowered.text, lowered.platform)
    if lowered.callbacks:
        host = Host(lowered.callbacks)
        return Executable(_compiled(lowered, place, options, host), place, lowered, host)
    alone = place.member is None  # what is kept knows nothing of other processes
    store = cache.default() if alone and not afresh else None
    if store is None:
        return Executable(_compiled(lowered, place, options), place, lowered)
    return Executable(_stored(store, lowered, place, options), place, lowered)


def register_routines(text: str, platform: str) -> None:
    """Tells XLA of the library of linear algebra, if a program for a platform calls it."""
    if calls_library(text, platform):
        _register_library(platform == CPU)


@cached
def _register_library(is_cpu: bool) -> None:
    """Tells XLA of LAPACK or of the libraries of GPUs, once in a process."""
    if is_cpu:
        routines.import_lapack()
    else:
        routines.import_solvers()


def _stored(store: DiskCache, lowered: Lowered, place: Place, options: Options) -> RawExecutable:
    key = cache.key_of(lowered.text, options, lowered.donated, place.devices)
    known = store.get(key)
    if known is not None:
        try:
            return adapter.deserialize(place.raw, known, place.chosen)
        except (adapter.RuntimeFault, ValueError):
            store.drop(key)
    start = time.perf_counter()
    raw = _compiled(lowered, place, options)
    if time.perf_counter() - start >= cache.WORTH:
        store.put(key, adapter.serialize(place.raw, raw))
    return raw


def _compiled(lowered: Lowered, place: Place, options: Options, host: Host | None = None) -> RawExecutable:
    try:
        if host is None:
            return adapter.compile_text(place.raw, lowered.text, place.chosen, options)
        calls = host.functions()
        return adapter.compile_with_callbacks(place.raw, lowered.text, place.chosen, options, calls)
    except (adapter.RuntimeFault, ValueError) as fault:
        raise CompilationFailed(lowered.name, str(fault), lowered.text) from fault
