"""Marks of the code that checks and lowers, and of the library: what is kept on disk was made by code of this mark.

The name and size of every file of the packages, and for what is kept beside them the time of each as well: three
milliseconds, against twenty for their contents. A file that is touched makes records unknown and no more.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from functools import cache
from hashlib import blake2b
from importlib.util import find_spec
from os.path import basename
from typing import NamedTuple

PACKAGES = ("dsl", "typechecker", "lowering", "stdlib")
RECORDS = ".records"
"""How the files end that carry a mark themselves: they are not part of it."""


class File(NamedTuple):
    """A file of a package, by its path from the folder of the package."""

    path: str
    size: int
    time: int


def digest(*parts: str) -> str:
    """A digest of texts, 40 hexadecimal digits."""
    return blake2b("\0".join(parts).encode(errors="surrogatepass"), digest_size=20).hexdigest()


@cache
def code_mark() -> str:
    """The mark of the files as they are on this machine: where they are, their sizes and times."""
    return digest(*[f"{root}/{path} {size} {time}" for root, files in _scanned() for path, size, time in files])


@cache
def release_mark() -> str:
    """The mark of the files wherever they are installed: their names and sizes."""
    return _mark_of(_scanned())


def mark_of(roots: Iterable[str]) -> str:
    """The mark of a release whose packages are in these folders."""
    return _mark_of([(root, files_in(root)) for root in roots])


def _mark_of(packages: Iterable[tuple[str, Sequence[File]]]) -> str:
    return digest(*[f"{basename(root)}/{path} {size}" for root, files in packages for path, size, _ in files])


@cache
def _scanned() -> tuple[tuple[str, Sequence[File]], ...]:
    """The folder of each package and its files, for both marks of a process."""
    specs = [find_spec(name) for name in PACKAGES]
    roots = [root for spec in specs if spec is not None for root in spec.submodule_search_locations or ()]
    return tuple([(root, files_in(root)) for root in roots])


def files_in(root: str) -> list[File]:
    """The files of a package, in order of their paths."""
    return sorted(_files(root, ""))


def _files(folder: str, before: str) -> Iterator[File]:
    """The files below a folder that can be read: an editor's lock is a link to nothing, and a file may have gone."""
    for entry in os.scandir(folder):
        path = before + entry.name
        with suppress(OSError):
            if entry.is_dir():
                if entry.name != "__pycache__":
                    yield from _files(entry.path, f"{path}/")
            elif not entry.name.endswith(RECORDS):
                status = entry.stat()
                yield File(path, status.st_size, status.st_mtime_ns)
