"""Compiled programs on disk, so that another process need not compile them again.

An entry is a file: a mark, a digest, the bytes that XLA made. Writers write to a file of their own and rename
it; a reader believes only what the digest vouches for, and removes anything else. So truncation, corruption,
concurrent writers and killed processes cost a compilation and nothing more. Loading an entry can run code,
hence the folder must belong to the user alone. Knows nothing of programs; `compile` says what an entry is
for.

`DSL_CACHE_DIR` names the folder; `DSL_CACHE=off` turns the cache off.
"""

from __future__ import annotations

import hashlib
import os
import platform
import re
import stat
import tempfile
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import platformdirs

from lowering.xla import adapter

MARK = b"puredsl1"
DIGEST = hashlib.sha256().digest_size
LIMIT = 1 << 30
"""Bytes of all entries together; beyond it the ones that were used longest ago go."""

WORTH = 0.1
"""Seconds of compilation below which an entry is not worth its place."""

_PLACES = re.compile(r" loc\(#l\d+\)|^#l\d+ = loc\(.*\)$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class DiskCache:
    """Entries in one folder. Whatever goes wrong with a file is a miss, never an error."""

    folder: Path
    limit: int = LIMIT

    def get(self, key: str) -> bytes | None:
        path = self._path(key)
        try:
            data = path.read_bytes()
            os.utime(path)
        except OSError:
            return None
        payload = data[len(MARK) + DIGEST :]
        if data[: len(MARK) + DIGEST] != MARK + hashlib.sha256(payload).digest():
            self.drop(key)
            return None
        return payload

    def put(self, key: str, payload: bytes) -> None:
        try:
            number, name = tempfile.mkstemp(dir=self.folder, prefix="new-")
        except OSError:
            return
        temporary = Path(name)
        try:
            with os.fdopen(number, "wb") as file:
                file.write(MARK + hashlib.sha256(payload).digest() + payload)
            temporary.replace(self._path(key))
        except OSError:
            temporary.unlink(missing_ok=True)
        self._prune()

    def drop(self, key: str) -> None:
        with suppress(OSError):
            self._path(key).unlink(missing_ok=True)

    def _path(self, key: str) -> Path:
        return self.folder / f"{key}.xla"

    def _prune(self) -> None:
        """Removes what was used longest ago until the rest fits, and what killed writers left behind."""
        with suppress(OSError):
            entries = sorted(self._entries(), reverse=True)
            total = 0
            for _, size, path in entries:
                total += size
                if total > self.limit:
                    path.unlink(missing_ok=True)

    def _entries(self) -> Iterable[tuple[float, int, Path]]:
        for path in self.folder.iterdir():
            if path.suffix == ".xla" or path.name.startswith("new-"):
                with suppress(OSError):
                    status = path.stat()
                    yield status.st_mtime, status.st_size, path


def default() -> DiskCache | None:
    """The cache that the environment asks for; None if it is off or has no safe folder."""
    return opened(os.environ)


def opened(environment: Mapping[str, str]) -> DiskCache | None:
    if environment.get("DSL_CACHE", "").lower() in ("off", "0", "false", "no"):
        return None
    chosen = environment.get("DSL_CACHE_DIR")
    folder = Path(chosen) if chosen else platformdirs.user_cache_path("puredsl") / "xla"
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        status = folder.stat()
    except OSError:
        return None
    return DiskCache(folder) if is_private(status) else None


def is_private(status: os.stat_result) -> bool:
    """Whether nobody else can put files there. Where there are no owners, the folder is taken as it is."""
    if not hasattr(os, "getuid"):
        return True
    return status.st_uid == os.getuid() and not status.st_mode & (stat.S_IWGRP | stat.S_IWOTH)


def key_of(text: str, options: Iterable[tuple[str, object]], donated: Iterable[int]) -> str:
    """A digest of all that the compiled code depends on; source places are left out of the text."""
    parts = [machine(), os.environ.get("XLA_FLAGS", ""), repr(sorted(options)), repr(list(donated))]
    whole = "\0".join([*parts, _PLACES.sub("", text)])
    return hashlib.sha256(whole.encode()).hexdigest()


@cache
def machine() -> str:
    """The compiler and the processor it compiles for. XLA itself checks neither when it loads an entry."""
    facts = [adapter.VERSION, platform.system(), platform.machine(), str(os.cpu_count())]
    return "\0".join([*facts, _features() or platform.processor()])


def _features() -> str:
    """What the processor can do, where the system tells."""
    with suppress(OSError):
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
        return "\n".join(sorted({line for line in lines if line.startswith(("flags", "Features", "model name"))}))
    return ""
