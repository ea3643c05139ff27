"""Looking at results for NaN and infinities: a switch for debugging, which costs time where it is on.

    with dsl.nan_checks():
        m.loss(p, x, y)

Each thread, and each task of asyncio, has its own switch. Read next: `dispatch`, which asks here;
`dsl.host.functions.nan_origins`, which finds the line.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from types import TracebackType
from typing import Any

import numpy as np

from dsl.host import tree
from lowering.xla.array import Array


class NanChecks:
    """The switch is on until `close` or the end of a `with`; then the one `around` it counts again."""

    __slots__ = ("around", "is_on")

    def __init__(self, around: NanChecks | None) -> None:
        self.around = around
        self.is_on = True

    def close(self) -> None:
        """Look at no more results, in whatever thread."""
        self.is_on = False
        if CHECKING.get() is self:
            CHECKING.set(self.around)

    def __enter__(self) -> NanChecks:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        self.close()


CHECKING: ContextVar[NanChecks | None] = ContextVar("checks for NaN", default=None)


def nan_checks() -> NanChecks:
    """Wait for the results of each call, and look at them. Where one holds NaN or an infinity, evaluate the call again,
    line by line, and raise `CheckError` E0943, which names the line that the first of them comes from."""
    switch = NanChecks(CHECKING.get())
    CHECKING.set(switch)
    return switch


@contextmanager
def unchecked() -> Iterator[bool]:
    """No result is looked at inside; gives whether they were before."""
    switch = CHECKING.get()
    token = CHECKING.set(None)
    try:
        yield switch is not None and switch.is_on
    finally:
        CHECKING.reset(token)
        if switch is not None and not switch.is_on:
            CHECKING.set(switch.around)


def not_finite(result: Any) -> bool:
    """Return whether there is NaN or an infinity in a result, for which this waits."""
    return any(not is_finite(np.asarray(leaf)) for leaf in tree.leaves(result) if isinstance(leaf, Array | np.ndarray))


def is_finite(x: np.ndarray[Any, Any]) -> bool:
    """Return whether there is neither NaN nor an infinity among the elements."""
    with np.errstate(all="ignore"):
        return x.dtype.kind not in "fcV" or bool(np.isfinite(x).all())


def has_nan(x: np.ndarray[Any, Any]) -> bool:
    """Return whether there is NaN among the elements."""
    return x.dtype.kind in "fcV" and bool(np.isnan(x).any())
