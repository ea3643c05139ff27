"""The cost of a call in functions of Python, which no load of the machine changes."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType


def python_calls(call: Callable[[], object], builtins: bool = False) -> int:
    """Return how many functions of Python are called; with `builtins`, also those that are written in C."""
    counted = 0

    def count(frame: FrameType, event: str, argument: object) -> None:
        nonlocal counted
        counted += event == "call" or (builtins and event == "c_call")

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        call()
    finally:
        sys.setprofile(before)
    return counted
