"""Where modules are found: beside the program, on `DSLPATH`, then among the standard library.

A module `a.b` is the file `a/b.dsl`. Knows nothing of what modules hold.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path

import stdlib
from dsl.diagnostics.files import read_source
from dsl.diagnostics.source import Source

STDLIB = Path(stdlib.__file__).parent


class Modules(Mapping[str, Source]):
    """Sources by module name, read when asked for and kept."""

    def __init__(self, directory: Path | None) -> None:
        beside = [] if directory is None else [directory]
        others = [Path(entry) for entry in os.environ.get("DSLPATH", "").split(os.pathsep) if entry]
        self.directories = (*beside, *others, STDLIB)
        self._known: dict[str, Source] = {}

    def __getitem__(self, name: str) -> Source:
        known = self._known.get(name)
        if known is not None:
            return known
        for directory in self.directories:
            path = directory.joinpath(*name.split(".")).with_suffix(".dsl")
            if path.is_file():
                return self._known.setdefault(name, read_source(path))
        raise KeyError(name)

    def __iter__(self) -> Iterator[str]:
        """Every module that can be found, for suggestions."""
        names: dict[str, None] = {}
        for directory in self.directories:
            for path in sorted(directory.glob("*.dsl")):
                names[path.stem] = None
        return iter(names)

    def __len__(self) -> int:
        return sum(1 for _ in self)
