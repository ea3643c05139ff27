"""Memory that programs have freed stays with the process, as far as the C library lets one say so.

A result has memory of its own, which is freed with its array. glibc gives what lies at the end of its heaps back to
the system at once, and the next call gets it again page by page, each filled with zeros: for arrays of 30 MB that takes
five times as long as to add two of them. What is kept here is what glibc would keep by itself once such an array had
been freed, and up to `KEPT` bytes of what follows. It decides for the whole process, and only where the environment
does not. Larger arrays than `APART` always get pages of their own.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Mapping
from functools import cache
from typing import Any

APART = 32 << 20
"""Bytes from which memory is pages of its own, which the system takes back; no larger number is allowed."""

KEPT = 256 << 20
"""Bytes at the end of a heap up to which they stay."""

AHEAD = 64 << 20
"""Bytes that a heap grows by at once, none of which is touched before it is used. A thread's heap has no more, and one
that is empty stays only if the one before it has less than this to give."""

_TRIM_THRESHOLD, _TOP_PAD, _MMAP_THRESHOLD = -1, -2, -3
"""The numbers of parameters of `mallopt`."""


def keep(environment: Mapping[str, str] = os.environ, library: Any = None) -> bool:
    """Keep freed memory, once in a process. Return whether glibc was told so."""
    if not _is_glibc() or _is_decided(environment):
        return False
    return _told() if library is None else _tell(library)


def _is_glibc() -> bool:
    try:
        return (os.confstr("CS_GNU_LIBC_VERSION") or "").startswith("glibc")
    except (AttributeError, ValueError):  # other systems have no such name, or no names
        return False


def _is_decided(environment: Mapping[str, str]) -> bool:
    """Return whether the user has told glibc what to keep."""
    named = any(name in environment for name in ("MALLOC_TRIM_THRESHOLD_", "MALLOC_MMAP_THRESHOLD_", "MALLOC_TOP_PAD_"))
    return named or "glibc.malloc" in environment.get("GLIBC_TUNABLES", "")


@cache
def _told() -> bool:
    return _tell(ctypes.CDLL(None))


def _tell(library: Any) -> bool:
    wanted = (_MMAP_THRESHOLD, APART), (_TRIM_THRESHOLD, KEPT), (_TOP_PAD, AHEAD)
    return all(library.mallopt(number, value) for number, value in wanted)
