"""An on-disk cache of results, shared between processes: files of bytes by key. Its contents are opaque here.

An entry is a file: a mark, a digest, the bytes. Writers write to a file of their own and rename it; a reader believes
only what the digest vouches for, and removes anything else. So truncation, corruption, concurrent writers and killed
processes cost the work and nothing more. An entry can be code, hence the folder must belong to the user alone.

Neither `get` nor `put` looks at other entries. A put starts a pruning of the folder with a probability in proportion to
the bytes it wrote, once per `limit / SLACK` bytes on average, and in a thread of its own. The digest of the entry
decides, so that no count is kept that processes would have to share, and a killed process leaves nothing behind.

`DSL_CACHE_DIR` names the folder; `DSL_CACHE=off` turns the cache off, and `DSL_CACHE=library` keeps nothing but what is
known of the library.
"""

from __future__ import annotations

import hashlib
import os
import stat
import tempfile
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from threading import Thread

import platformdirs
from msgspec import Struct

LIBRARY = "library"
"""The kind of what is known of the library."""

MARK = b"puredsl1"
DIGEST = hashlib.sha256().digest_size
LIMIT = 1 << 30
"""Bytes of all entries of a kind together; beyond it the ones that were used longest ago go."""

SLACK = 16
"""A folder is pruned once per this fraction of its limit, on average. It exceeds the limit by a fraction `x` with
probability `exp(-SLACK * x)` at most: by a half with 0.03 %."""

PRUNING = "puredsl-prune"
"""The name of the threads that prune."""

_UNFINISHED = "new-"


class DiskCache(Struct, frozen=True):
    """Entries of one kind in one folder; `kind` ends the names of their files. Whatever goes wrong with a file is a
    miss, never an error."""

    folder: Path
    kind: str
    limit: int = LIMIT

    def get(self, key: str) -> bytes | None:
        """The bytes that were put under a key, if they are still there and whole."""
        path = self._path(key)
        try:
            data = path.read_bytes()
            os.utime(path)
        except OSError:
            return None
        payload = data[len(MARK) + DIGEST :]
        if data[: len(MARK) + DIGEST] != MARK + _digest(key, payload):
            self.drop(key)
            return None
        return payload

    def put(self, key: str, payload: bytes) -> None:
        """Keep bytes under a key, if the folder can be written to."""
        try:
            number, name = tempfile.mkstemp(dir=self.folder, prefix=_UNFINISHED, suffix=f".{self.kind}")
        except OSError:
            return
        temporary = Path(name)
        digest = _digest(key, payload)
        try:
            with os.fdopen(number, "wb") as file:
                file.write(MARK + digest + payload)
            temporary.replace(self._path(key))
        except OSError:
            temporary.unlink(missing_ok=True)
            return
        if self._is_due(digest, len(MARK) + DIGEST + len(payload)):
            self._prune_aside()

    def drop(self, key: str) -> None:
        """Forget what is under a key."""
        with suppress(OSError):
            self._path(key).unlink(missing_ok=True)

    def clear(self) -> None:
        """Forget everything of this kind."""
        for _, _, path in self.entries():
            with suppress(OSError):
                path.unlink(missing_ok=True)

    def entries(self) -> list[tuple[float, int, Path]]:
        """When each file was used last, its bytes, and where it is; what killed writers left behind among them."""
        with suppress(OSError):
            return list(self._entries())
        return []

    def _path(self, key: str) -> Path:
        return self.folder / f"{key}.{self.kind}"

    def _is_due(self, digest: bytes, written: int) -> bool:
        """Return whether an entry starts a pruning. Digests are uniform, so that entries do in proportion to their
        bytes."""
        return int.from_bytes(digest[:8]) * self.limit < (written * SLACK) << 64

    def _prune_aside(self) -> None:
        """Prune while the caller goes on; the interpreter does not end before that is done."""
        try:
            Thread(target=self._prune, name=PRUNING).start()
        except RuntimeError:  # the interpreter is ending, or the system has no thread to spare
            self._prune()

    def _prune(self) -> None:
        """Removes what was used longest ago until the rest fits."""
        total = 0
        for _, size, path in sorted(self.entries(), reverse=True):
            total += size
            if total > self.limit:
                with suppress(OSError):
                    path.unlink(missing_ok=True)

    def _entries(self) -> Iterable[tuple[float, int, Path]]:
        with os.scandir(self.folder) as found:
            for entry in found:
                if entry.name.endswith(f".{self.kind}"):
                    with suppress(OSError):
                        status = entry.stat()
                        yield status.st_mtime, status.st_size, Path(entry.path)


def _digest(key: str, payload: bytes) -> bytes:
    """Of the key too: an entry under the name of another is none."""
    return hashlib.sha256(key.encode() + b"\0" + payload).digest()


def open_cache(environment: Mapping[str, str], kind: str, limit: int = LIMIT) -> DiskCache | None:
    """The cache that the environment asks for; None if it is off or has no safe folder."""
    setting = environment.get("DSL_CACHE", "").lower()
    if setting in ("off", "0", "false", "no") or (setting == LIBRARY and kind != LIBRARY):
        return None
    chosen = environment.get("DSL_CACHE_DIR")
    folder = Path(chosen) if chosen else platformdirs.user_cache_path("puredsl") / kind
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        status = folder.stat()
    except OSError:
        return None
    return DiskCache(folder, kind, limit) if is_private(status) else None


def is_private(status: os.stat_result) -> bool:
    """Return whether nobody else can put files there. Where there are no owners, the folder is taken as it is."""
    if not hasattr(os, "getuid"):
        return True
    return status.st_uid == os.getuid() and not status.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
