"""The child of a fork has none of the threads of XLA, which compile and compute: it would wait for them for ever.

Programs that its parent has compiled, and that XLA computes within the call that starts them, still run there. Read
next: `backends`, which starts the threads.
"""

from __future__ import annotations

import os

from lowering.made_once import made_once
from lowering.xla import device_errors


class Threads:
    """The XLA threads of this process."""

    __slots__ = ("are_lost",)

    def __init__(self) -> None:
        self.are_lost = False

    def lose(self) -> None:
        """They stay behind in the parent."""
        self.are_lost = True


@made_once
def threads() -> Threads:
    """Return the threads of this process since their start."""
    found = Threads()
    os.register_at_fork(after_in_child=found.lose)
    return found


def need_threads() -> None:
    """Raises `DeviceError` E1020 in the child of a fork from a process that has used XLA."""
    if threads().are_lost:
        raise device_errors.forked()
