"""Where the records of checked definitions of the library are: in the package, or in the cache folder.

A record is text under a name. The package brings those of the whole library; a checkout keeps those that it needed in
the cache folder, one file each. Stale, foreign or truncated, a record is a miss, never an error. Outlines of
the texts are records, too: looking through a text takes longer than all else that a short check asks of the library.
Read next: `recorded`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from functools import cache
from pathlib import Path
from zlib import crc32

import msgspec
from msgspec import MsgspecError, Struct

import stdlib
from dsl.code_mark import RECORDS, code_mark, digest, release_mark
from dsl.diagnostics.source import Source
from dsl.disk_cache import LIBRARY, DiskCache, open_cache
from dsl.syntax.library_text import Parts, library_text, parts_of
from typechecker.declarations.dependencies import cycles_of

FILE = f"library{RECORDS}"
"""The file of the package: the mark of the release, an index, and the records."""

LIMIT = 1 << 26
"""Bytes of all records in the cache folder together."""


class _Head(Struct, frozen=True):
    """The first line of the file of the package."""

    mark: str
    index: dict[str, tuple[int, int, int]]


class Packaged(Struct, frozen=True):
    """The records of a file, by name: where each begins behind the first line, its length and its checksum."""

    index: Mapping[str, tuple[int, int, int]]
    data: memoryview

    def get(self, name: str) -> str | None:
        place = self.index.get(name)
        if place is None:
            return None
        start, length, checksum = place
        found = self.data[start : start + length]
        return str(found, "utf-8") if crc32(found) == checksum else None


class Records(Struct, frozen=True):
    """Texts by name; with neither a file nor a folder, none."""

    packaged: Packaged | None = None
    kept: DiskCache | None = None

    def get(self, name: str) -> str | None:
        """The record of a name; None where there is none."""
        if self.packaged is not None:
            return self.packaged.get(name)
        payload = None if self.kept is None else self.kept.get(_key(name))
        return None if payload is None else payload.decode()

    @property
    def takes(self) -> bool:
        """Return whether records that are put are kept."""
        return self.packaged is None and self.kept is not None

    def put(self, name: str, text: str) -> None:
        """Keep a record for later processes."""
        if self.packaged is None and self.kept is not None:
            self.kept.put(_key(name), text.encode())


def open_records(environment: Mapping[str, str]) -> Records:
    """The records of the package, or else those of the cache folder that the environment names."""
    packaged = _packaged()
    return Records(packaged) if packaged is not None else Records(kept=open_cache(environment, LIBRARY, LIMIT))


def _key(name: str) -> str:
    return digest(code_mark(), name)


@cache
def _packaged() -> Packaged | None:
    """The records of this release, if the package has any."""
    path = Path(stdlib.FOLDER) / FILE
    return read_file(path, release_mark()) if path.is_file() else None


def read_file(path: Path, mark: str) -> Packaged | None:
    """The records of a file that was written for this mark; None for any other file."""
    with suppress(OSError, ValueError, MsgspecError):
        data = path.read_bytes()
        end = data.index(b"\n")
        head = msgspec.json.decode(data[:end], type=_Head)
        if head.mark == mark:
            return Packaged(head.index, memoryview(data)[end + 1 :])
    return None


def write_file(path: Path, mark: str, records: Iterable[tuple[str, str]]) -> None:
    """Write records to a file that `read_file` reads."""
    index: dict[str, tuple[int, int, int]] = {}
    parts: list[bytes] = []
    start = 0
    for name, text in records:
        part = text.encode()
        index[name] = start, len(part), crc32(part)
        parts.append(part)
        start += len(part)
    path.write_bytes(b"\n".join([msgspec.json.encode(_Head(mark, index)), b"".join(parts)]))


# ---------------------------------------------------------------- outlines


class Outline(Struct, frozen=True):
    """The parts of a text, and the groups of definitions from which calls lead back to each other, by their places
    among all."""

    parts: Parts
    cycles: tuple[tuple[int, ...], ...]


def outlined(records: Records, source: Source) -> Outline:
    """The outline of a text by its record; where there is none, the text is looked through, and a record is kept."""
    name = _name(source)
    known = _read(records.get(name))
    if known is not None:
        return known
    made = outline(source)
    if records.takes:
        records.put(name, _text(made))
    return made


def outline(source: Source) -> Outline:
    """The outline of a text, looked through. Where definitions share a name, calls lead to the first."""
    definitions = library_text(source).definitions
    places = {written.name: place for place, written in reversed(list(enumerate(definitions)))}
    graph = {
        place: [places[word] for word in written.words if word in places] for place, written in enumerate(definitions)
    }
    return Outline(parts_of(source), tuple([tuple(sorted(cycle)) for cycle in cycles_of(graph)]))


def recorded_outline(source: Source) -> tuple[str, str]:
    """The record of an outline, with its name."""
    return _name(source), _text(outline(source))


def _name(source: Source) -> str:
    return f"{Path(source.name).stem} outline {digest(source.text)}"


def _text(made: Outline) -> str:
    return msgspec.json.encode(made).decode()


def _read(text: str | None) -> Outline | None:
    with suppress(MsgspecError):
        return None if text is None else msgspec.json.decode(text, type=Outline)
    return None
