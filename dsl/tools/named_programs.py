"""The programs that a command line names: files, all programs in a folder, and `-`, which is what comes in."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from dsl.diagnostics.files import read_source
from dsl.diagnostics.source import Source

STDIN = Path("-")


def programs(paths: Sequence[Path]) -> Iterator[Path]:
    """Each path once, a folder as the programs in it and below, in order."""
    found = [file for path in paths for file in (sorted(path.rglob("*.dsl")) if path.is_dir() else [path])]
    yield from dict.fromkeys(found)


def read(path: Path) -> Source:
    """The text of a program. Raises `InputError` as `read_source` does."""
    return Source("<stdin>", sys.stdin.read()) if path == STDIN else read_source(path)


def folder_of(path: Path) -> Path:
    """Where the modules that a program imports are looked for."""
    return Path.cwd() if path == STDIN else path.resolve().parent
