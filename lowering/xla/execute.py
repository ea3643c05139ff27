"""Executables: lists of buffers in, lists of buffers out, with as little Python between as the checks allow.

XLA itself checks only the number of arguments and their sizes in bytes, and reads the bits of another type as
if they were of the right one. So types are compared here, by identity: arrays of one type share one `Aval`
and one `Tensor`.
Read next: `array`, what users see of a buffer; `landing`, where small NumPy arguments go.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dsl.ir.function import Tensor
from lowering.stablehlo.module import Lowered
from lowering.xla import adapter, landing
from lowering.xla.adapter import Aval, Buffer
from lowering.xla.array import Array
from lowering.xla.callbacks import Host
from lowering.xla.clients import Client
from lowering.xla.landing import Landing


class OutOfMemory(MemoryError):
    """A program was started that the memory of its device does not hold."""


class Executable:
    """A compiled function for one client. `run` takes buffers; calling it takes arrays of either kind."""

    __slots__ = (
        "_avals",
        "_execute",
        "_handlers",
        "_host",
        "_landings",
        "_params",
        "_smallest",
        "_types",
        "client",
        "lowered",
        "raw",
    )

    def __init__(self, raw: Any, client: Client, lowered: Lowered, host: Host | None = None) -> None:
        self.raw = raw
        self.client = client
        self.lowered = lowered
        self._host = host
        self._execute = raw.execute_sharded
        self._types = [client.same(type) for type in lowered.result_types]
        self._params = [client.same(type) for type in lowered.param_types]
        self._avals = [client.aval(type) for type in lowered.param_types]
        self._handlers = [client.handler(type) for type in lowered.result_types]
        # Memory that is given up to a program cannot be landed on a second time.
        self._smallest = -1 if lowered.donated else _smallest(lowered.result_types)
        self._landings: list[Landing] = []

    @property
    def param_types(self) -> tuple[Tensor, ...]:
        return self.lowered.param_types

    @property
    def result_types(self) -> tuple[Tensor, ...]:
        return self.lowered.result_types

    def run(self, buffers: list[Buffer]) -> list[Buffer]:
        """Starts the program and returns its results, which may still be on their way.

        A program that prints is waited for: what it prints is there, and in order, before it returns.
        """
        if [buffer.aval for buffer in buffers] != self._avals:
            raise self._misfit(buffers)
        if self._host is not None:
            return self._run_and_wait(buffers, self._host)
        try:
            results: list[Buffer] = self._execute(buffers).consume_with_handlers(self._handlers)
        except adapter.RuntimeFault as fault:
            raise self._explained(fault) from None
        return results

    def __call__(self, *arguments: Any) -> list[Array]:
        """Runs on arrays of either kind, which must have exactly the types of the parameters.

        NumPy arrays are copied before this returns, so that later writes to them are not seen.
        """
        try:
            given = [x._type for x in arguments]
        except AttributeError:
            return self._call_from_host(arguments)
        if given != self._params:
            raise self._misfit(arguments)
        buffers = [x._impl for x in arguments]
        if self._host is not None:
            return list(map(Array, self._run_and_wait(buffers, self._host), self._types))
        try:
            results = self._execute(buffers).consume_with_handlers(self._handlers)
        except adapter.RuntimeFault as fault:
            raise self._explained(fault) from None
        return list(map(Array, results, self._types))

    def _call_from_host(self, arguments: Sequence[Any]) -> list[Array]:
        """A call with NumPy arrays among the arguments."""
        if len(arguments) != len(self._avals):
            raise self._misfit(arguments)
        place = self._free_landing()
        if place is None:
            results = self.run(list(map(self._put, arguments, self._avals)))
        else:
            results = self.run(list(map(self._land, arguments, self._avals, place.arrays, place.buffers)))
            reader = results[self._smallest]
            place.reader = None if reader.is_ready() else reader
            self._landings.append(place)
        return list(map(Array, results, self._types))

    def _free_landing(self) -> Landing | None:
        """A landing that no program reads, taken out of the pool while it is written. None without results,
        since then nothing would tell when the program has finished."""
        if self._smallest < 0:
            return None
        if not self._landings:
            return landing.make(self.client, self._avals)
        place = self._landings.pop()
        if place.is_lost:
            return landing.make(self.client, self._avals)
        if place.is_free:
            return place
        self._landings.append(place)
        return None

    def _put(self, x: Any, aval: Aval) -> Buffer:
        """A buffer with a copy of `x`, unless it is one already."""
        if type(x) is Array:
            return x._impl
        if x.shape != aval.shape or x.dtype != aval.dtype:
            raise self._misfit((x,))
        client = self.client
        return adapter.put(x, aval, client.raw_sharding, client.raw_devices)

    def _land(self, x: Any, aval: Aval, memory: Any, buffer: Buffer | None) -> Buffer:
        """As `_put`, but a small array is copied to where its buffer looks."""
        if buffer is None or type(x) is Array:
            return self._put(x, aval)
        if x.shape != aval.shape or x.dtype != aval.dtype:
            raise self._misfit((x,))
        memory[...] = x
        return buffer

    def _run_and_wait(self, buffers: list[Buffer], host: Host) -> list[Buffer]:
        try:
            started = self._execute(buffers, with_tokens=True)
            token = started.consume_token()
            results: list[Buffer] = started.consume_with_handlers(self._handlers)
            token.block_until_ready()
            adapter.block_all(results)
        except adapter.RuntimeFault as fault:
            failure = host.failure()
            if failure is None:
                raise self._explained(fault) from None
            raise failure from None
        return results

    def _explained(self, fault: Exception) -> Exception:
        """A lack of memory as what it is; nothing else is expected to go wrong here."""
        if "RESOURCE_EXHAUSTED" not in str(fault):
            return fault
        needed = sum(type.size * type.dtype.bits // 8 for type in self._types)
        return OutOfMemory(
            f"`{self.lowered.name}` does not fit into the memory of {self.client.device}: "
            f"its results alone take {needed:,} bytes"
        )

    def _misfit(self, given: Sequence[Any]) -> TypeError:
        wanted = ", ".join(map(str, self.lowered.param_types))
        shown = ", ".join(map(_shown, given))
        return TypeError(f"`{self.lowered.name}` takes ({wanted}), and was given ({shown})")


def _smallest(types: Sequence[Tensor]) -> int:
    """The position of the result with the fewest bytes, -1 without results."""
    return min(range(len(types)), key=lambda i: types[i].size * types[i].dtype.bits, default=-1)


def _shown(given: Any) -> str:
    described = getattr(given, "aval", given)
    if not (hasattr(described, "dtype") and hasattr(described, "shape")):
        return type(given).__name__
    return f"{described.dtype}{list(described.shape)}"
