"""The programs that a command line names: files, all programs in a folder, and `-`, which is what comes in. For a
command about one function, also what names that and gives its arguments."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from msgspec import Struct

from dsl.diagnostics.files import read_source
from dsl.diagnostics.source import Source

STDIN = Path("-")


class Request(Struct, frozen=True):
    """A function of a program, and what is given for its arguments, as words of the command line."""

    file: Path
    function: str | None
    inputs: Sequence[Path] = ()
    statics: Sequence[str] = ()
    scalars: Sequence[str] = ()
    columns: Sequence[str] = ()
    sizes: Sequence[str] = ()


def programs(paths: Sequence[Path]) -> Iterator[Path]:
    """Each path once, a folder as the programs in it and below, in order."""
    found = [file for path in paths for file in (programs_in(path) if path.is_dir() else [path])]
    yield from dict.fromkeys(found)


def programs_in(folder: Path) -> list[Path]:
    """The programs in a folder and below, in order, without hidden files and folders: those belong to editors and
    environments."""
    found = sorted(folder.rglob("*.dsl"))
    return [file for file in found if not any(part.startswith(".") for part in file.relative_to(folder).parts)]


def read_program(path: Path) -> Source:
    """The text of a program. Raises `InputError` as `read_source` does."""
    return Source("<stdin>", sys.stdin.read()) if path == STDIN else read_source(path)


def folder_of(path: Path) -> Path:
    """Where the modules that a program imports are looked for."""
    return Path.cwd() if path == STDIN else path.resolve().parent
