"""Executables: lists of buffers in, lists of buffers out, with as little Python between as the checks allow.

XLA itself checks only the number of arguments and their sizes in bytes, and reads the bits of another type as
if they were of the right one. So types are compared here, by identity: arrays of one type at one place share one
`PlacedType`.
Read next: `array`, what users see of a buffer; `result_buffers`, where small NumPy arguments go.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from dsl.ir.function import Tensor
from lowering.lowered import CPU, RUN_TYPE, Lowered
from lowering.processes.topics import Topic, of_program
from lowering.tiling import Tiling
from lowering.xla import adapter, cache, device_errors, result_buffers
from lowering.xla.adapter import Buffer
from lowering.xla.array import Array
from lowering.xla.backends import at
from lowering.xla.callbacks import Host
from lowering.xla.device_errors import GivenUp
from lowering.xla.forks import Threads, need_threads, threads
from lowering.xla.parts import Joined, Pack, PlacedPart, alone, budget, takes_no_threads
from lowering.xla.places import Place, PlacedType, format_devices
from lowering.xla.result_buffers import Landing, Slot
from lowering.xla.starts import Start
from lowering.xla.turns import wait_for

if TYPE_CHECKING:
    from concurrent.futures import Future


UNDIVIDED = 1000
"""Operations below which XLA computes a program in the thread that starts it, whatever the client."""


class OutOfMemory(MemoryError):
    """A program was started that the memory of its device does not hold."""


Full: TypeAlias = "Future[Any] | None"
"""The same program compiled in full, once it is; its result is None if it never will be."""


class Executable:
    """A compiled function for one place. `run` takes buffers; calling it takes arrays of either kind. Between two calls
    another program takes its place where `full` has one.

    `params` and `results` are the types at their places; results that lie together, as `packs` say, are parts of a
    buffer. `execute` takes buffers of just those and starts the program; with `handlers` its results become buffers:
    those that lie alone, then one for each pack. `homes` has the number of the buffer of each result.
    """

    __slots__ = (
        "_full",
        "_host",
        "_landings",
        "_smallest",
        "_start",
        "_threads",
        "_topic",
        "_unshared",
        "execute",
        "handlers",
        "homes",
        "lowered",
        "packs",
        "params",
        "place",
        "raw",
        "results",
    )

    def __init__(
        self,
        raw: Any,
        place: Place,
        lowered: Lowered,
        host: Host | None = None,
        *,
        full: Full = None,
        packs: Sequence[Pack] = (),
    ) -> None:
        self.raw = raw
        self.place = place
        self.lowered = lowered
        self._host = host
        self._threads: Threads = threads()
        is_alone = len(place.devices) == 1
        self._topic = _topic(lowered) if place.member is not None else None
        self._start = Start(raw.execute_sharded, place.devices[0].platform != CPU)
        in_turn = partial(_InTurn, raw.execute_sharded, place, self._topic)
        self.execute: Any = self._start if is_alone else in_turn
        self.params = _laid_out(place, lowered.param_types, lowered.param_tilings)
        made = _laid_out(place, lowered.result_types, lowered.result_tilings)
        self.packs = packs
        self.results: list[PlacedType | PlacedPart] = [*made]
        apart = alone(len(made), packs)
        self.homes = [0] * len(made)
        for number, k in enumerate(apart):
            self.homes[k] = number
        for number, pack in enumerate(packs, len(apart)):
            for k, start in zip(pack.results, pack.starts, strict=True):
                self.results[k], self.homes[k] = made[k].part(start), number
        buffers = [*[made[k] for k in apart], *[place.placed(pack.type) for pack in packs]]
        self.handlers = [placed.place.handler(placed.type) for placed in buffers]
        # Memory that is given up to a program, or lies on several devices, cannot be landed on.
        self._smallest = -1 if lowered.donated or not is_alone else _smallest([placed.type for placed in buffers])
        self._landings: list[Landing] = []
        self._unshared = [result_buffers.unshared_slot(aval) for aval in self.params]
        self._full = full
        if full is not None:
            full.add_done_callback(lambda _: self.finish())

    def settle_start(self) -> None:
        """Start the program without a detour from now on, if it is known to be brief, and stays the one that it is."""
        if self._start.is_brief and self.execute is self._start and self._full is None:
            self.execute = self._start.execute

    def finish(self) -> Executable:
        """Wait until the program is compiled in full, and return it: from now on, calls run that one."""
        raw = None if self._full is None else self._full.result()
        if raw is not None and raw is not self.raw:
            self.raw, self._start.execute = raw, raw.execute_sharded
        return self

    @property
    def _lays_out(self) -> bool:
        """Return whether arrays that lie elsewhere are laid out as the program wants them."""
        return len(self.place.devices) > 1

    @property
    def param_types(self) -> tuple[Tensor, ...]:
        return self.lowered.param_types

    @property
    def result_types(self) -> tuple[Tensor, ...]:
        return self.lowered.result_types

    def spread(self, results: list[Buffer]) -> list[Any]:
        """The buffer of each result of a run, of which `results` are all buffers."""
        first = len(results) - len(self.packs)
        found = [*results[:first], *map(Joined, results[first:], map(budget, self.packs))]
        return [found[home] for home in self.homes]

    def run(self, buffers: list[Buffer]) -> list[Buffer]:
        """Starts the program and returns the buffers of its results, which may still be on their way.

        A program that prints is waited for: what it prints is there, and in order, before it returns.
        """
        if [buffer.aval for buffer in buffers] != self.params:
            raise self._misfit(buffers)
        if self._host is not None:
            return self._run_and_wait(buffers, self._host)
        if self._threads.are_lost:
            self._need_no_threads()
        try:
            results: list[Buffer] = self.execute(buffers).consume_with_handlers(self.handlers)
        except adapter.RuntimeFault as fault:
            raise self.explained(fault) from None
        return results

    def __call__(self, *arguments: Any) -> list[Array]:
        """Runs on arrays of either kind, which must have exactly the types of the parameters.

        NumPy arrays are copied before this returns, so that later writes to them are not seen.
        """
        results = self.start(arguments)
        if results is None:
            raise self._misfit(arguments)
        return results

    def start(self, arguments: Sequence[Any]) -> list[Array] | None:
        """Start the program, which the processor computes at once. Return None, without starting it, if an argument has
        another type."""
        results = self.direct(arguments)
        if results is None:
            results = self.mixed(arguments)
        if self.execute is self._start:
            self.settle_start()
        return results

    @property
    def prints(self) -> bool:
        """Return whether the program calls Python, and is waited for."""
        return self._host is not None

    def direct(self, arguments: Sequence[Any]) -> list[Array] | None:
        """Run with minimal overhead on arrays whose checks are complete; return None for all others."""
        if arguments and type(arguments[0]) is not Array:
            return None
        try:
            if [x._ready for x in arguments] != self.params:
                return None
            buffers = [x._impl for x in arguments]
        except AttributeError:
            return None
        if self._host is not None:
            return list(map(Array, self._run_and_wait(buffers, self._host), self.results))
        if self._threads.are_lost:
            self._need_no_threads()
        try:
            results = self.execute(buffers).consume_with_handlers(self.handlers)
        except adapter.RuntimeFault as fault:
            raise self.explained(fault) from None
        return list(map(Array, self.spread(results) if self.packs else results, self.results))

    def mixed(self, arguments: Sequence[Any], ours: bool = True) -> list[Array] | None:
        """Run with NumPy arrays, or arrays with a pending check, among the arguments. Without `ours`, at least one of
        them must be an array of NumPy."""
        if len(arguments) != len(self.params):
            return None
        if self._threads.are_lost:
            self._need_no_threads()
        landing = self.land()
        buffers = self._placed(arguments, self._unshared if landing is None else landing.slots, ours)
        if buffers is None:
            results = None
        elif self._host is not None:
            results = self._run_and_wait(buffers, self._host)
        else:
            try:
                results = self.execute(buffers).consume_with_handlers(self.handlers)
            except adapter.RuntimeFault as fault:
                raise self.explained(fault) from None
        if landing is not None:
            self.leave(landing, results)
        if results is None:
            return None
        return list(map(Array, self.spread(results) if self.packs else results, self.results))

    def _placed(self, arguments: Sequence[Any], slots: Sequence[Slot], ours: bool) -> list[Buffer] | None:
        """A buffer for every argument: its own, the one that sees the memory it was copied to, or a new one.
        None where an argument has another type; a subclass of an array may mean something else by its elements."""
        buffers: list[Buffer] = []
        device_array, host_array, scalar = Array, np.ndarray, np.generic
        try:
            for x, (aval, dtype, shape, memory, buffer) in zip(arguments, slots, strict=True):
                if type(x) is device_array:
                    if x._ready is aval:
                        buffers.append(x._impl)
                        continue
                    if type(x._guard) is GivenUp:
                        x._guard()
                    part = x._kind
                    if part is aval:
                        buffers.append(x._impl)
                    elif type(part) is PlacedPart and part.placed is aval:
                        buffers.append(_landed(x, part, memory, buffer))
                    elif self._lays_out and x.type == aval.type:
                        buffers.append(aval.place.brought(x._own(), x._placed.place, aval))
                    else:
                        return None
                    continue
                if (type(x) is not host_array and not isinstance(x, scalar)) or x.shape != shape:
                    return None
                if x.dtype is not dtype and x.dtype != dtype:
                    return None
                ours = True
                if buffer is None:
                    buffers.append(aval.place.copied(x, aval))
                else:
                    memory[...] = x
                    buffers.append(buffer)
        except AttributeError:
            return None
        return buffers if ours else None

    @property
    def lands(self) -> bool:
        """Return whether small arrays of NumPy have memory to land in."""
        return self._smallest >= 0

    def land(self) -> Landing | None:
        """A landing that no program reads, taken out of the pool while it is written. None without results,
        since then nothing would tell when the program has finished."""
        if self._smallest < 0:
            return None
        try:
            landing = self._landings.pop()
        except IndexError:
            return result_buffers.make(self.place, self.params)
        if landing.reader is None:
            return landing
        if landing.is_lost:
            return result_buffers.make(self.place, self.params)
        if landing.is_free:
            return landing
        self._landings.append(landing)
        return None

    def leave(self, landing: Landing, results: list[Buffer] | None) -> None:
        """Put a landing back that these results are computed from, or none."""
        if results is not None:
            reader = results[self._smallest]
            landing.reader = None if reader.is_ready() else reader
        self._landings.append(landing)

    def _need_no_threads(self) -> None:
        """Raises `DeviceError` E1020 in the child of a fork, unless the program is as small as those that XLA never
        divides among threads, nor are its kernels."""
        if adapter.operations(self.raw) >= UNDIVIDED or not takes_no_threads(self.lowered, self.packs):
            need_threads()

    def _run_and_wait(self, buffers: list[Buffer], host: Host) -> list[Buffer]:
        if len(self.place.devices) > 1:
            return self.place.turns.take(lambda: self._printed(buffers, host), self._topic)
        return self._printed(buffers, host)

    def _printed(self, buffers: list[Buffer], host: Host) -> list[Buffer]:
        need_threads()
        with host.run() as (number, run):
            try:
                number_at_place = self.place.put(np.array(number, RUN_TYPE.dtype.numpy), RUN_TYPE)
                started = self.raw.execute_sharded([*buffers, number_at_place], with_tokens=True)
                token = started.consume_token()
                results: list[Buffer] = started.consume_with_handlers(self.handlers)
                token.block_until_ready()
                wait_for(results, self.place.member)
            except adapter.RuntimeFault as fault:
                failure = run.failure(fault)
                if failure is None:
                    raise self.explained(fault) from None
                raise failure from failure.__cause__
            return results

    def explained(self, fault: Exception, told: Callable[[OutOfMemory], Exception] | None = None) -> Exception:
        """A lack of memory as what it is, or as `told`; nothing else is expected to go wrong here."""
        if not adapter.is_out_of_memory(fault):
            return fault
        return self.too_large() if told is None else told(self.too_large())

    def too_large(self) -> OutOfMemory:
        """Return the error for a program that exceeds the memory of the device."""
        return OutOfMemory(
            f"`{self.lowered.name}` does not fit into the memory of {format_devices(self.place.devices)}: "
            f"it needs {adapter.memory_needed(self.raw):,} bytes beside its arguments"
        )

    def _misfit(self, given: Sequence[Any]) -> Exception:
        for number, (x, type) in enumerate(zip(given, self.lowered.param_types, strict=False), 1):
            if isinstance(x, Array) and x.type == type and x.devices != self.place.devices:
                here = f"`{self.lowered.name}`", f"made for {format_devices(self.place.devices)}"
                return device_errors.apart([here, (f"argument {number}", x.sharding)])
        wanted = ", ".join(map(str, self.lowered.param_types))
        shown = ", ".join(map(_shown, given))
        return TypeError(f"`{self.lowered.name}` takes ({wanted}), and was given ({shown})")


def _landed(x: Array, part: PlacedPart, memory: Any, buffer: Buffer | None) -> Buffer:
    """The buffer that sees the memory that an array is copied to, which is a part of one; one of its own where the
    parts of that were copied often."""
    whole = x._impl
    if buffer is None or type(whole) is not Joined or whole.left <= 0:
        return x._own()
    whole.left -= 1
    memory[...] = whole.elements(part)
    return buffer


class _InTurn:
    """A program over several devices, about to start."""

    __slots__ = ("_execute", "_topic", "_turns")

    def __init__(self, execute: Any, place: Place, topic: Topic | None, buffers: list[Buffer]) -> None:
        self._execute = partial(execute, buffers)
        self._turns = place.turns
        self._topic = topic

    def consume_with_handlers(self, handlers: list[Any]) -> list[Buffer]:
        return self._turns.take(lambda: self._execute().consume_with_handlers(handlers), self._topic)


def _topic(lowered: Lowered) -> Topic:
    """The start of the program, for the processes that have a part in it."""
    return of_program(lowered.name, [*map(str, lowered.param_types)], cache.digest_of(lowered.text))


def _laid_out(place: Place, types: Sequence[Tensor], tilings: Sequence[Tiling]) -> list[PlacedType]:
    """The types at their places over the devices of `place`."""
    if len(place.devices) == 1:
        return [place.placed(type) for type in types]
    return [at(place.devices, cut).placed(type) for type, cut in zip(types, tilings, strict=True)]


def _smallest(types: Sequence[Tensor]) -> int:
    """The position of the result with the fewest bytes, -1 without results."""
    return min(range(len(types)), key=lambda i: types[i].size * types[i].dtype.bits, default=-1)


def _shown(given: Any) -> str:
    described = getattr(given, "aval", given)
    if not (hasattr(described, "dtype") and hasattr(described, "shape")):
        return type(given).__name__
    return f"{described.dtype}{list(described.shape)}"
