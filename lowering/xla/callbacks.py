"""Host functions that a running program calls. They print or call functions of Python, and never fail silently.

XLA checks nothing of what a callback returns and turns an exception into text; so failures are kept here, as
they were raised, for the code that waits for the program. Read next: `execute`.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from lowering.lowered import Callback

Call = Callable[..., tuple[Any, ...]]


class Host:
    """The callbacks of one executable, and the exceptions that they raised."""

    __slots__ = ("_callbacks", "_failures")

    def __init__(self, callbacks: Sequence[Callback]) -> None:
        self._callbacks = tuple(callbacks)
        self._failures: deque[BaseException] = deque(maxlen=64)

    def functions(self) -> list[Call]:
        """What XLA is given: it passes a token, which arrives as None, and the operands as read-only
        arrays."""
        return [self._function(callback) for callback in self._callbacks]

    def _function(self, callback: Callback) -> Call:
        evaluate, params = callback.equation.op.evaluate, callback.equation.params
        types = callback.operand_types

        def call(_: None, *operands: np.ndarray[Any, Any]) -> tuple[Any, ...]:
            try:
                return None, *evaluate(params, types, *operands)
            except BaseException as failure:
                self._failures.append(failure)
                raise

        return call

    def failure(self, fault: Exception) -> BaseException | None:
        """The exception behind the fault of a run: the first not asked for yet, or an interrupt before a callback had
        begun, of which there is only the text."""
        if self._failures:
            return self._failures.popleft()
        return KeyboardInterrupt() if KeyboardInterrupt.__name__ in str(fault) else None
