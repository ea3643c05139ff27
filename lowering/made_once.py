"""Objects of which a process has one, such as the client of XLA: made on first use, once, whichever threads ask first.

`functools.cache` alone runs a function once for each thread that asks before the first answer is there, and each thread
gets an object of its own.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from threading import RLock
from typing import ParamSpec, TypeVar, cast

P = ParamSpec("P")
T = TypeVar("T")


def made_once(make: Callable[P, T]) -> Callable[P, T]:
    """Return a function that calls `make` once for the same arguments, and returns the one object to all threads. A
    failure is not kept."""
    lock, known = RLock(), cast("Callable[P, T]", cache(make))

    def first(*args: P.args, **kwargs: P.kwargs) -> T:
        with lock:
            return known(*args, **kwargs)

    return cast("Callable[P, T]", cache(first))
