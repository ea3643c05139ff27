"""Who listens to `emit`: functions of Python that take the values, in place of the line that is printed.

    with dsl.on_emit("loss", history.append):
        m.fit(p, x, y)

Read next: `io`, which asks here while a program runs.
"""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock
from types import TracebackType
from typing import Any

from msgspec import Struct

Sink = Callable[..., object]


class Sinks:
    """The functions that listen to each tag. Programs that run in several threads may ask at once."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._listening: dict[str, tuple[Listener, ...]] = {}

    def add(self, listener: Listener) -> None:
        """From now on the listener is sent what is emitted under its tag."""
        with self._lock:
            self._listening[listener.tag] = (*self._listening.get(listener.tag, ()), listener)

    def remove(self, listener: Listener) -> None:
        """Send it nothing more."""
        with self._lock:
            left = [other for other in self._listening.get(listener.tag, ()) if other is not listener]
            self._listening[listener.tag] = tuple(left)

    def send(self, tag: str, *values: Any) -> bool:
        """Call all who listen to the tag, in the order in which they came; whether there is anyone."""
        listening = self._listening.get(tag, ())
        for listener in listening:
            listener.sink(*values)
        return bool(listening)


SINKS = Sinks()


class Listener(Struct, frozen=True, eq=False):
    """A function that is sent what is emitted under a tag, until `close` or the end of its `with`."""

    tag: str
    sink: Sink

    def close(self) -> None:
        """Send it nothing more."""
        SINKS.remove(self)

    def __enter__(self) -> Listener:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        self.close()


def on_emit(tag: str, sink: Sink) -> Listener:
    """Send the values of every `emit(tag, …)` to `sink`, in order and while the program runs, instead of printing them:
    scalars as Python numbers, arrays as NumPy arrays. What it raises ends the run. The result ends this, by `close` or
    as a context manager."""
    listener = Listener(tag, sink)
    SINKS.add(listener)
    return listener
