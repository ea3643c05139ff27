"""Executables: lists of buffers in, lists of buffers out, with as little Python between as the checks allow.

XLA itself checks only the number of arguments and their sizes in bytes, and reads the bits of another type as if
they were of the right one. So types are compared here, by identity: arrays of one type share one `Aval`.
Read next: `array`, what users see of a buffer.
"""

from __future__ import annotations

from operator import attrgetter
from typing import Any

import numpy as np

from dsl.ir.function import Tensor
from lowering.stablehlo.module import Lowered
from lowering.xla import adapter
from lowering.xla.adapter import Buffer
from lowering.xla.array import Array
from lowering.xla.callbacks import Host
from lowering.xla.clients import Client

_AVAL = attrgetter("aval")


class Executable:
    """A compiled function for one client. `run` takes buffers; calling it takes arrays of either kind."""

    __slots__ = ("_avals", "_execute", "_handlers", "_host", "_types", "client", "lowered", "raw")

    def __init__(self, raw: Any, client: Client, lowered: Lowered, host: Host | None = None) -> None:
        self.raw = raw
        self.client = client
        self.lowered = lowered
        self._host = host
        self._execute = raw.execute_sharded
        self._types = lowered.result_types
        self._avals = [client.aval(type) for type in lowered.param_types]
        self._handlers = [client.handler(type) for type in lowered.result_types]

    @property
    def param_types(self) -> tuple[Tensor, ...]:
        return self.lowered.param_types

    @property
    def result_types(self) -> tuple[Tensor, ...]:
        return self.lowered.result_types

    def run(self, buffers: list[Buffer]) -> list[Buffer]:
        """Starts the program and returns its results, which may still be on their way.

        A program that prints is waited for, so that what it prints is there, and in order, before it returns.
        """
        if list(map(_AVAL, buffers)) != self._avals:
            raise self._misfit(buffers)
        if self._host is not None:
            return self._run_and_wait(buffers, self._host)
        results: list[Buffer] = self._execute(buffers).consume_with_handlers(self._handlers)
        return results

    def put(self, array: np.ndarray[Any, Any], position: int) -> Buffer:
        """A buffer for the parameter at `position`, from an array of exactly its dtype and shape."""
        return self.client.put(array, self.lowered.param_types[position])

    def __call__(self, *arguments: Array | np.ndarray[Any, Any]) -> list[Array]:
        """Runs on arrays of either kind, which must have exactly the types of the parameters."""
        put, types = self.client.put, self.lowered.param_types
        if len(arguments) != len(types):
            raise self._misfit(arguments)
        buffers = [
            x._impl if type(x) is Array else put(np.asarray(x), t) for x, t in zip(arguments, types, strict=True)
        ]
        return list(map(Array, self.run(buffers), self._types))

    def _run_and_wait(self, buffers: list[Buffer], host: Host) -> list[Buffer]:
        try:
            started = self._execute(buffers, with_tokens=True)
            token = started.consume_token()
            results: list[Buffer] = started.consume_with_handlers(self._handlers)
            token.block_until_ready()
            adapter.block_all(results)
        except adapter.RuntimeFault:
            failure = host.failure()
            if failure is None:
                raise
            raise failure from None
        return results

    def _misfit(self, given: Any) -> TypeError:
        wanted = ", ".join(map(str, self.lowered.param_types))
        shown = ", ".join(f"{np.dtype(x.aval.dtype)}{list(x.aval.shape)}" for x in given if hasattr(x, "aval"))
        return TypeError(f"`{self.lowered.name}` takes ({wanted}), and was given {len(given)} buffers ({shown})")
