"""Frames of the Python stack: which of them belong to puredsl, and warnings that point at the line of the user.

Read next: `tracebacks`.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from types import FrameType

INTERNAL = ("dsl", "typechecker", "lowering", "stdlib", "IPython")
"""The packages whose frames mean nothing to a user."""


def is_internal(frame: FrameType) -> bool:
    """Return whether a frame runs code of puredsl."""
    name = frame.f_globals.get("__name__", "")
    return isinstance(name, str) and name.partition(".")[0] in INTERNAL


def warn(message: str) -> None:
    """Issue a `UserWarning` for the line that called puredsl, however many of its frames are between."""
    frames = [*_outwards(sys._getframe())]
    frame = next((each for each in frames if not is_internal(each)), frames[-1])
    names = frame.f_globals
    registry = names.setdefault("__warningregistry__", {})
    file, line = frame.f_code.co_filename, frame.f_lineno
    warnings.warn_explicit(message, UserWarning, file, line, names.get("__name__"), registry)


def _outwards(frame: FrameType | None) -> Iterator[FrameType]:
    while frame is not None:
        yield frame
        frame = frame.f_back
