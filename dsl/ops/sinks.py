"""Who listens to `emit`: functions of Python that take the values, in place of the line that is printed.

    with dsl.on_emit("loss", history.append):
        m.fit(p, x, y)

Each thread, and each task of asyncio, has its own listeners: a run sends to those of the code that started it. Read
next: `io`, which asks here while a program runs; `lowering.xla.callbacks`, which keeps the context of a run.
"""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from types import TracebackType
from typing import Any

from dsl.diagnostics.settings import function_of, instance_of

Sink = Callable[..., object]


class Listener:
    """A function that is sent what is emitted under a tag, until `close` or the end of its `with`."""

    __slots__ = ("is_open", "sink", "tag")

    def __init__(self, tag: str, sink: Sink) -> None:
        self.tag = tag
        self.sink = sink
        self.is_open = True

    def close(self) -> None:
        """Send it nothing more, in whatever thread."""
        self.is_open = False

    def __enter__(self) -> Listener:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        self.close()


_LISTENING: ContextVar[tuple[Listener, ...]] = ContextVar("listeners to emit", default=())


def on_emit(tag: str, sink: Sink) -> Listener:
    """Send the values of every `emit(tag, …)` to `sink`, in order and while the program runs, instead of printing them:
    scalars as Python numbers, arrays as NumPy arrays. What it raises ends the run. The result ends this, by `close` or
    as a context manager.

    The sink is sent what runs emit that this thread starts, or this task of asyncio; threads that are started later
    have their own listeners. Raises `SettingError` E0919 for another tag than a text and a sink that is no function."""
    listener = Listener(instance_of("tag", tag, str), function_of("sink", sink))
    _LISTENING.set((*[other for other in _LISTENING.get() if other.is_open], listener))
    return listener


def send(tag: str, *values: Any) -> bool:
    """Call all who listen to the tag, in the order in which they came; whether there is anyone."""
    listening = [listener for listener in _LISTENING.get() if listener.tag == tag and listener.is_open]
    for listener in listening:
        listener.sink(*values)
    return bool(listening)
