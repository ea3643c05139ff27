"""`dsl watch`: check programs again whenever a file of theirs changes."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import count
from pathlib import Path

from dsl.tools.named_programs import programs_in

INTERVAL = 0.3
"""Seconds between two looks at the files."""


def watch(paths: Sequence[Path], check: Callable[[], object], rounds: Iterator[int] | None = None) -> None:
    """Call `check` now and after each change of a `.dsl` file named or near one, for as long as there are `rounds`."""
    seen: Mapping[Path, int] | None = None
    for number in count() if rounds is None else rounds:
        if number:
            time.sleep(INTERVAL)
        now = dict(_changed(paths))
        if now != seen:
            seen = now
            check()


def _changed(paths: Sequence[Path]) -> Iterator[tuple[Path, int]]:
    """When each file was written: those of the folders named, and of the folders of the files named."""
    for folder in {path if path.is_dir() else path.parent for path in paths}:
        for file in programs_in(folder):
            try:
                yield file, file.stat().st_mtime_ns
            except OSError:  # gone since
                continue
