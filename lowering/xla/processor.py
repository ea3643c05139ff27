"""The processor of this machine, as far as flags of the compiler depend on it."""

from __future__ import annotations

import os
import re
from functools import cache
from pathlib import Path

MOST = (1 << 31) - 1
"""The largest number that XLA reads in `NPROC`."""

_COUNT = re.compile(r"\s*\+?([0-9]{1,10})\s*")

BROAD = "avx512_vbmi2"
"""A feature of x86 processors that came after those which slow down while they compute with vectors of 512 bits."""


@cache
def has_broad_vectors() -> bool:
    """Return whether vectors of 512 bits take no longer than those of 256, as far as Linux tells."""
    return BROAD in features(Path("/proc/cpuinfo"))


def thread_count() -> int:
    """The threads that XLA has: as many as `NPROC` says, or else as the processors on which this process may run."""
    given = _COUNT.fullmatch(os.environ.get("NPROC", ""))
    if given is not None and 0 < int(given[1]) <= MOST:
        return int(given[1])
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def features(path: Path) -> frozenset[str]:
    """The features of the first processor in a list as Linux writes it; none where there is no list."""
    try:
        lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return frozenset()
    return next((frozenset(line.partition(":")[2].split()) for line in lines if line.startswith("flags")), frozenset())
