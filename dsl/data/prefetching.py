"""Batches on their way to devices in a thread, while a program computes.

Read next: `batches`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextvars import copy_context
from queue import Empty, Full, Queue
from threading import Event, Thread
from typing import Any, TypeAlias, TypeVar

from msgspec import Struct

from dsl.diagnostics.settings import integer, setting_error
from dsl.host.machines.devices import device_put
from lowering.xla.backends import here
from lowering.xla.places import Device, Sharding

T = TypeVar("T")

_PAUSE = 0.05
"""Seconds after which a waiting thread looks whether it is still wanted."""


class _Ended(Struct, frozen=True):
    """The end of the items, by an exception if there is one."""

    fault: BaseException | None


_Line: TypeAlias = "Queue[tuple[Any] | _Ended]"


def prefetch(batches: Iterable[T], to: Device | str | Sharding | None = None, *, depth: int = 2) -> Iterator[T]:
    """Yield batches in order, as arrays on a device (the one in use unless `to` names another) or laid out by a
    sharding.

    A thread reads up to `depth` batches ahead. An exception of reading or moving a batch is raised in its place. The
    thread ends with the batches, or when the iterator is closed or no longer used.
    """
    integer("depth", depth, 1)
    if not isinstance(batches, Iterable):
        raise setting_error(f"`batches` is an iterable of batches, not a `{type(batches).__name__}`")
    where = here().sharding if to is None else to
    return _received(batches, lambda batch: device_put(batch, where), depth)


def _received(items: Iterable[T], move: Callable[[T], T], depth: int) -> Iterator[T]:
    line: _Line = Queue(depth)
    stopped = Event()
    arguments = (_send, iter(items), move, line, stopped)
    thread = Thread(target=copy_context().run, args=arguments, name="prefetch", daemon=True)
    thread.start()
    try:
        while True:
            found = _next(line, thread)
            if isinstance(found, _Ended):
                if found.fault is not None:
                    raise found.fault
                return
            yield found[0]
    finally:
        stopped.set()


def _next(line: _Line, thread: Thread) -> tuple[Any] | _Ended:
    """The next item; the end if the thread was lost, as in the child of a fork."""
    while True:
        try:
            return line.get(timeout=1.0)
        except Empty:
            if not thread.is_alive() and line.empty():
                return _Ended(RuntimeError("the thread that reads ahead has ended, as in the child of a fork"))


def _send(items: Iterator[T], move: Callable[[T], T], line: _Line, stopped: Event) -> None:
    try:
        for item in items:
            if not _offered(line, (move(item),), stopped):
                return
    except BaseException as fault:
        _offered(line, _Ended(fault), stopped)
    else:
        _offered(line, _Ended(None), stopped)


def _offered(line: _Line, item: tuple[Any] | _Ended, stopped: Event) -> bool:
    """Return whether an item found its place before the receiver stopped."""
    while not stopped.is_set():
        try:
            line.put(item, timeout=_PAUSE)
        except Full:
            continue
        return True
    return False
