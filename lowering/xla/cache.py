"""Compiled programs on disk, so that another process need not compile them again: what an entry is for.

Knows nothing of programs. Read next: `dsl.disk_cache`, which keeps them; `compile`.
"""

from __future__ import annotations

import hashlib
import os
import platform
import re
from collections.abc import Iterable
from contextlib import suppress
from functools import cache
from pathlib import Path

from dsl.disk_cache import DiskCache, open_cache
from lowering.xla import adapter

KIND = "xla"

WORTH = 0.01
"""Seconds of compilation below which an entry is not worth its place: writing and reading one takes milliseconds."""

_PLACES = re.compile(r" loc\(#l\d+\)|^#l\d+ = loc\(.*\)$", re.MULTILINE)


def default() -> DiskCache | None:
    """The cache that the environment asks for; None if it is off or has no safe folder."""
    return open_cache(os.environ, KIND)


def key_of(
    text: str, options: Iterable[tuple[str, object]], donated: Iterable[int], devices: Iterable[object] = ()
) -> str:
    """A digest of all that the compiled code depends on, the devices it is for among it; source places are left out
    of the text."""
    parts = [machine(), os.environ.get("XLA_FLAGS", ""), repr(sorted(options)), repr(list(donated))]
    parts.append(" ".join(map(str, devices)))
    return digest_of("\0".join([*parts, text]))


def digest_of(text: str) -> str:
    """Of a program, without its places."""
    return hashlib.sha256(_PLACES.sub("", text).encode()).hexdigest()


@cache
def machine() -> str:
    """The compiler and the processor it compiles for. XLA itself checks neither when it loads an entry."""
    facts = [adapter.VERSION, platform.system(), platform.machine(), str(os.cpu_count())]
    return "\0".join([*facts, _features() or platform.processor()])


def _features() -> str:
    """Return the features of the CPU, if the system reports them."""
    with suppress(OSError):
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
        return "\n".join(sorted({line for line in lines if line.startswith(("flags", "Features", "model name"))}))
    return ""
