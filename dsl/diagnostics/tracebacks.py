"""Tracebacks of errors in programs, without the frames of puredsl: they tell a user nothing.

An error says itself what is wrong and where. `DSL_DEBUG=1` keeps all frames. Knows no error by name: those that have a
true `short_traceback` are meant.
"""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Iterator
from types import TracebackType

from dsl.diagnostics.frames import is_internal


def shorten_traceback(found: TracebackType | None) -> TracebackType | None:
    """A traceback without internal frames; as it is where all are, or where all are wanted."""
    frames = [each for each in _frames(found) if not is_internal(each.tb_frame)]
    if not frames or os.environ.get("DSL_DEBUG") == "1":
        return found
    made: TracebackType | None = None
    for each in reversed(frames):
        made = TracebackType(made, each.tb_frame, each.tb_lasti, each.tb_lineno)
    return made


def _frames(found: TracebackType | None) -> Iterator[TracebackType]:
    while found is not None:
        yield found
        found = found.tb_next


def lines(error: BaseException) -> list[str]:
    """Return the printed lines of an error."""
    printed = traceback.format_exception(type(error), error, shorten_traceback(error.__traceback__))
    return "".join(printed).rstrip("\n").split("\n")


def shorten_uncaught() -> None:
    """Let Python print short tracebacks of errors that want them; others go to whoever printed them before."""
    before = sys.excepthook

    def hook(kind: type[BaseException], error: BaseException, found: TracebackType | None) -> None:
        if getattr(kind, "short_traceback", False):
            found = shorten_traceback(found)
            error = error.with_traceback(found)
        before(kind, error, found)

    sys.excepthook = hook
