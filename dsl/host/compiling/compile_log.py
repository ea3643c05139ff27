"""Signs of life of a compilation that takes long: a line of `logging`, and on a terminal a clock while it runs.

The logger is `dsl`; its line has the level INFO.
"""

from __future__ import annotations

import logging
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from threading import Event, Thread

LONG = 1.0
"""Seconds after which a compilation is worth a line."""


@contextmanager
def log_compilation(name: str) -> Iterator[None]:
    """Say how long compiling a function took, if that was long."""
    started = time.perf_counter()
    try:
        with _clock(name):
            yield
    finally:
        took = time.perf_counter() - started
        if took >= LONG:
            logging.getLogger("dsl").info("compiled `%s` in %.1f s", name, took)


@contextmanager
def _clock(name: str) -> Iterator[None]:
    """On a terminal, a line while the body takes long. It is gone, and the cursor back, when the body has ended."""
    if not sys.stderr.isatty():
        yield
        return
    done = Event()
    thread = Thread(target=_show, args=(name, done), name=f"compiling {name}", daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


def _show(name: str, done: Event) -> None:
    """A line on the terminal while a compilation takes long; it is gone afterwards."""
    if not done.wait(LONG):
        console = import_module("rich.console").Console(stderr=True)
        with console.status(f"compiling `{name}` …"):
            done.wait()
