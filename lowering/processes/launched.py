"""Processes that `dsl run --processes` has started end with it, also where it is killed. Knows nothing of groups.

On Linux the kernel sees to that, from the start of a process; elsewhere a thread looks, from
`dsl.distributed.initialize` on.
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys
import time
from collections.abc import Callable, Mapping
from threading import Thread

LAUNCHER = "DSL_LAUNCHER"
"""Of the environment: the number of the process that has started this one, and ends it."""

_SET_SIGNAL_OF_PARENT = 1
"""`PR_SET_PDEATHSIG` of `prctl`."""

PAUSE = 0.5
"""Seconds between two looks at the parent."""


def end_with(launcher: int) -> Callable[[], None] | None:
    """Return the setup of a new process that kills it when the launcher ends; None if the system does not offer
    that."""
    if sys.platform != "linux":
        return None
    prctl = ctypes.CDLL(None).prctl

    def prepare() -> None:
        prctl(_SET_SIGNAL_OF_PARENT, signal.SIGKILL)
        if os.getppid() != launcher:  # it has ended in between
            os._exit(1)

    return prepare


def watch_launcher(environment: Mapping[str, str]) -> None:
    """Kill this process when its launcher has ended, if it has one."""
    if environment.get(LAUNCHER) == str(os.getppid()):
        Thread(target=_watch, args=(os.getppid(),), name="launcher of puredsl", daemon=True).start()


def _watch(launcher: int) -> None:
    while os.getppid() == launcher:
        time.sleep(PAUSE)
    os.kill(os.getpid(), signal.SIGKILL)
