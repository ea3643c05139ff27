"""A lowered function to an executable. What XLA refuses here is a bug of the compiler, and is reported as
one.

Read next: `execute`; `cache`, for what is kept on disk.
"""

from __future__ import annotations

import logging
import os
import re
import threading
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from types import MappingProxyType
from typing import Any, Literal, TypeAlias

from dsl.disk_cache import DiskCache
from lowering.lowered import CPU, CompileHints, Lowered, calls_library
from lowering.made_once import made_once
from lowering.xla import adapter, cache, routines
from lowering.xla.adapter import RawExecutable
from lowering.xla.backends import at, choice
from lowering.xla.callbacks import Host
from lowering.xla.execute import Executable
from lowering.xla.forks import need_threads
from lowering.xla.parts import Pack, packed, packs_of
from lowering.xla.places import Device, Place
from lowering.xla.processor import has_broad_vectors, thread_count

Options = Sequence[tuple[str, Any]]
"""Flags of XLA by name, such as `("xla_cpu_enable_fast_math", True)`, for one compilation."""


UNFUSED: Options = (("xla_disable_hlo_passes", "fusion,algsimp"),)
"""Without fusion, XLA's algebraic simplifier takes a change of axes before a product of matrices for none, and the
values are wrong."""

_UNTILED = MappingProxyType({"xla_cpu_disable_tiled_emitter": "true"})
"""The emitter of tiles takes longer to compile most reductions and changes of axes, and its code runs no faster."""

_BROAD: Options = (("xla_cpu_prefer_vector_width", 512),)
"""Vectors of 512 bits, where the processor is none of those that slow down for them. XLA's own choice is 256."""

HANDFUL, FEW = 128, 1024
"""Elements that an operation computes, in the mean: up to few, LLVM unrolls no loops, but beyond a handful those of
reductions."""

LOOP, LOOP_OVER_FEW = 1 << 16, 1 << 20
"""Bytes that a step of a loop may touch for the loop to become one function, if it calls no library; the second where
operations compute few elements. To start a kernel takes longer than a small one runs. XLA's own limit is 1 KiB. Kernels
over more bytes run faster outside, and are shared between threads."""


Effort: TypeAlias = Literal["full", "fast"]
"""`fast`: a program is compiled with little effort at first, and in full while that one runs."""

_OLDER = MappingProxyType({"xla_cpu_disable_new_fusion_emitters": "true"})

_BRANCHES = re.compile(r"stablehlo\.(if|case)\b")

_REDUCTION = re.compile(r"stablehlo\.reduce(?:\(.* across dimensions = \[([\d, ]*)\] : \(tensor<((?:\d+x)*))?")
"""A reduction, and, if it is by the name of an operation, its axes and the extents of the operand."""

_NOT_UNROLLED = MappingProxyType({"xla_cpu_disable_loop_unrolling": "true"})

_MODULES = "xla_cpu_parallel_codegen_split_count"

_LITTLE: Options = (("xla_backend_optimization_level", 0), (_MODULES, 1))


class CompilationFailed(Exception):
    """XLA refused a program that the compiler made: an internal error. `text` is the StableHLO that it
    refused."""

    def __init__(self, name: str, reason: str, text: str) -> None:
        super().__init__(f"XLA refused the code made for `{name}`: {reason}")
        self.name = name
        self.reason = reason
        self.text = text


def compile(
    lowered: Lowered,
    *,
    devices: Sequence[Device] | None = None,
    options: Options = (),
    afresh: bool = False,
    effort: Effort = "full",
    together: bool = True,
) -> Executable:
    """Compiles for the first of these devices, or of those that are chosen, as many as the program is for; or takes the
    program from the disk, if not `afresh`: what XLA has read cannot be written again. Small results lie `together`, if
    that may be. Raises `OutOfMemory` where a device will not hold what the program needs."""
    need_threads()
    place = at((choice().devices if devices is None else devices)[: lowered.devices])
    flags = (*flags_for(lowered, place), *options)
    soon = effort == "fast" and _may_be_replaced(lowered, place)
    packs = packs_of(lowered) if together and place.member is None else ()
    made = (_soon if soon else _executable)(lowered, packs, place, flags, afresh)
    if adapter.memory_needed(made.raw) > made.place.memory:
        raise made.too_large()
    return made


def flags_for(lowered: Lowered, place: Place) -> Options:
    """Return the flags that suit a program."""
    if place.devices[0].platform != CPU:
        return ()
    always = (*_modules(), *(_BROAD if has_broad_vectors() else ()))
    few = lowered.hints.elements <= FEW
    extra = _UNTILED | {"xla_cpu_small_while_loop_byte_threshold": str(LOOP_OVER_FEW if few else LOOP)}
    if lowered.hints.is_long:
        return (*always, *UNFUSED, (adapter.EXTRA, extra | _NOT_UNROLLED))
    return (*always, (adapter.EXTRA, extra | _emitters(lowered.hints, lowered.text, few)))


def _modules() -> Options:
    """Return the number of modules that LLVM gets the code in: one for each thread of XLA, unless the environment says
    how many. XLA's own choice is 32, and each takes as long as several kernels."""
    if _MODULES in os.environ.get("XLA_FLAGS", ""):
        return ()
    return ((_MODULES, thread_count()),)


def _emitters(hints: CompileHints, text: str, few: bool) -> dict[str, str]:
    """Return the options that say what writes the kernels, and whether LLVM unrolls their loops.

    Older emitters of XLA do so in two thirds of the time. The newer ones write loops that compute in place or read by
    joined axes. Loops over many elements are unrolled where they are repeated or reduce, but not beside libraries, nor
    in branches, each of which has kernels of its own, unless formulas are among these; nor where all reductions are
    along lines."""
    reduces = "stablehlo.reduce" in text
    if hints.elements <= HANDFUL or (few and not reduces):
        return _OLDER | _NOT_UNROLLED
    repeats = reduces or "stablehlo.while" in text
    shorter = not hints.guarded and (_BRANCHES.search(text) or (reduces and _reduces_lines(text)))
    unrolled = repeats and not hints.minor and (hints.in_place or not shorter)
    older = {} if hints.in_place else dict(_OLDER)
    return older if unrolled else older | _NOT_UNROLLED


def _reduces_lines(text: str) -> bool:
    """Return whether all reductions are along the last axis, among others, by operations that LLVM vectorises as they
    are. Along other axes it has to unroll the loop over these."""
    return all(str(extents.count("x") - 1) in axes.split(", ") for axes, extents in _REDUCTION.findall(text))


def with_little_effort(options: Options) -> Options:
    """Return the flags that compile a program in a fraction of the time: LLVM optimises nothing, and gets all in one
    module; kernels are written by the emitters that do so quickly."""
    given = dict(options)
    extra: Mapping[str, str] = given.pop(adapter.EXTRA, {})
    older = {} if given.items() >= dict(UNFUSED).items() else _OLDER
    return (*(given | dict(_LITTLE)).items(), (adapter.EXTRA, {**extra, **older, **_NOT_UNROLLED}))


def _executable(lowered: Lowered, packs: Sequence[Pack], place: Place, options: Options, afresh: bool) -> Executable:
    register_routines(lowered.text, lowered.platform)
    if lowered.callbacks:
        host = Host(lowered.callbacks)
        return Executable(_compiled(lowered, place, options, host), place, lowered, host)
    return Executable(_raw(packed(lowered, packs), place, options, afresh), place, lowered, packs=packs)


def register_routines(program: str | bytes, platform: str) -> None:
    """Tells XLA of the library of linear algebra, if a program for a platform calls it."""
    if calls_library(program, platform):
        _register_library(platform == CPU)


@made_once
def _register_library(is_cpu: bool) -> None:
    """Tells XLA of LAPACK or of the libraries of GPUs, once in a process."""
    if is_cpu:
        routines.import_lapack()
    else:
        routines.import_solvers()


def _raw(lowered: Lowered, place: Place, options: Options, afresh: bool) -> RawExecutable:
    store = _store(place, afresh)
    if store is None:
        return _compiled(lowered, place, options)
    return _stored(store, lowered, place, options)


def _store(place: Place, afresh: bool) -> DiskCache | None:
    """The programs on disk. What is kept there knows nothing of other processes."""
    return cache.default() if place.member is None and not afresh else None


# --- little effort at first -------------------------------------------------------------------------------


def _may_be_replaced(lowered: Lowered, place: Place) -> bool:
    """Return whether a program can take the place of another between two calls, and takes less time to compile with
    little effort: on one processor, where the host does nothing during a call."""
    alone = len(place.devices) == 1 and place.member is None
    return alone and place.devices[0].platform == CPU and not lowered.callbacks


def _soon(lowered: Lowered, packs: Sequence[Pack], place: Place, options: Options, afresh: bool) -> Executable:
    """A program that is compiled with little effort, and is replaced by one that a thread compiles in full; that one
    at once where it is on the disk."""
    register_routines(lowered.text, lowered.platform)
    store, program = _store(place, afresh), packed(lowered, packs)
    known = None if store is None else _recalled(store, _key(program, place, options), place)
    if known is not None:
        return Executable(known, place, lowered, packs=packs)
    quick = _compiled(program, place, with_little_effort(options))
    full = _workers().submit(_in_full, program, place, options, afresh)
    return Executable(quick, place, lowered, full=full, packs=packs)


def _in_full(lowered: Lowered, place: Place, options: Options, afresh: bool) -> RawExecutable | None:
    """Compile in full, in a thread; None, and a warning of `logging`, where that fails or does not fit: what runs stays
    as it is. Nothing is compiled for a process that is about to end."""
    if not threading.main_thread().is_alive():
        return None
    try:
        made = _raw(lowered, place, options, afresh)
        if adapter.memory_needed(made) <= place.memory:
            return made
        reason = "it does not fit into memory"
    except Exception as fault:
        reason = str(fault)
    logging.getLogger("dsl").warning("`%s` stays compiled with little effort: %s", lowered.name, reason)
    return None


@made_once
def _workers() -> ThreadPoolExecutor:
    """Threads that compile in full: one core is left to what runs."""
    return ThreadPoolExecutor(max(1, (os.cpu_count() or 1) - 1), "dsl-compile")


# --- programs on disk -------------------------------------------------------------------------------------


def _stored(store: DiskCache, lowered: Lowered, place: Place, options: Options) -> RawExecutable:
    key = _key(lowered, place, options)
    known = _recalled(store, key, place)
    if known is not None:
        return known
    start = time.perf_counter()
    raw = _compiled(lowered, place, options)
    if time.perf_counter() - start >= cache.WORTH:
        store.put(key, adapter.serialize(place.raw, raw))
    return raw


def _key(lowered: Lowered, place: Place, options: Options) -> str:
    return cache.key_of(lowered.text, options, lowered.donated, place.devices)


def _recalled(store: DiskCache, key: str, place: Place) -> RawExecutable | None:
    """The program on disk under a key, if it can be read."""
    known = store.get(key)
    if known is not None:
        try:
            return adapter.deserialize(place.raw, known, place.chosen)
        except (adapter.RuntimeFault, ValueError):
            store.drop(key)
    return None


def _compiled(lowered: Lowered, place: Place, options: Options, host: Host | None = None) -> RawExecutable:
    try:
        if host is None:
            return adapter.compile_text(place.raw, lowered.text, place.chosen, options)
        calls = host.functions()
        return adapter.compile_with_callbacks(place.raw, lowered.text, place.chosen, options, calls)
    except (adapter.RuntimeFault, ValueError) as fault:
        raise CompilationFailed(lowered.name, str(fault), lowered.text) from fault
