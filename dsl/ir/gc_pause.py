"""Python's garbage collector, kept from looking at what only grows.

Programs are trees of many small objects that stay alive until the work on them is done: the passes over them and the
writing of their text would spend half of their time on being searched for garbage.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def paused() -> Iterator[None]:
    """No collection inside; afterwards as before."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()
