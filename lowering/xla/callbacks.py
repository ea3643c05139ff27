"""Host functions that a running program calls. They print or call functions of Python, and never fail silently.

XLA checks nothing of what a callback returns and turns an exception into text; so failures are kept here, as
they were raised, for the code that waits for the program. One CPU calls in the thread that started the program, all
other devices call in threads of XLA; and several runs of a program may be under way. So each run has a number, which
the program hands to its callbacks, and they run in the context of the code that started it, where the functions are
that listen to `emit`. Read next: `execute`.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import copy_context
from itertools import count
from typing import Any

import numpy as np

from lowering.lowered import Callback

Call = Callable[..., tuple[Any, ...]]

LIMIT = 1 << 32
"""Numbers of runs."""


class Run:
    """A run of a program: the context of who has started it, and the exceptions of its callbacks."""

    __slots__ = ("_failures", "context")

    def __init__(self) -> None:
        self.context = copy_context()
        self._failures: deque[BaseException] = deque(maxlen=64)

    def failed(self, failure: BaseException) -> None:
        """Keep an exception that a callback has raised."""
        self._failures.append(failure)

    def failure(self, fault: Exception) -> BaseException | None:
        """The exception behind the fault of the run: the first of a callback, or an interrupt before a callback had
        begun, of which there is only the text."""
        if self._failures:
            return self._failures.popleft()
        return KeyboardInterrupt() if KeyboardInterrupt.__name__ in str(fault) else None


class Host:
    """The callbacks of one executable, and its runs by number."""

    __slots__ = ("_callbacks", "_numbers", "_runs")

    def __init__(self, callbacks: Sequence[Callback]) -> None:
        self._callbacks = tuple(callbacks)
        self._numbers = count()
        self._runs: dict[int, Run] = {}

    @contextmanager
    def run(self) -> Iterator[tuple[int, Run]]:
        """A new run and its number, which is free again when the run has ended."""
        number = next(self._numbers) % LIMIT
        self._runs[number] = found = Run()
        try:
            yield number, found
        finally:
            del self._runs[number]

    def functions(self) -> list[Call]:
        """The functions for XLA: it passes a token, which arrives as None, the number of the run, and the operands as
        read-only arrays."""
        return [self._function(callback) for callback in self._callbacks]

    def _function(self, callback: Callback) -> Call:
        evaluate, params = callback.equation.op.evaluate, callback.equation.params
        types, runs = callback.operand_types, self._runs

        def call(_: None, number: np.ndarray[Any, Any], *operands: np.ndarray[Any, Any]) -> tuple[Any, ...]:
            run = runs[int(number)]
            try:
                return None, *run.context.copy().run(evaluate, params, types, *operands)  # devices may call at once
            except BaseException as failure:
                run.failed(failure)
                raise

        return call
