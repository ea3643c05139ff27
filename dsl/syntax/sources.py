"""Where the texts of modules are found: among those given, in folders, in the library. Reads nothing of them."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from functools import lru_cache
from pathlib import Path

import stdlib
from dsl.diagnostics.source import LIBRARY, Source

Resolver = Callable[[str], Source | None]


def resolver(modules: Mapping[str, Source], folder: Path | None) -> Resolver:
    """Where modules are looked for: among those given, in folders, in the library."""
    folders = [folder] if folder is not None else []
    folders += [Path(p) for p in os.environ.get("DSLPATH", "").split(os.pathsep) if p]

    def resolve(name: str) -> Source | None:
        if name in modules:
            return modules[name]
        relative = Path(*name.split(".")).with_suffix(".dsl")
        for place in folders:
            found = place / relative
            if found.is_file():
                return Source(str(found), found.read_text(encoding="utf-8", errors="replace"))
        return library(name)

    return resolve


@lru_cache(maxsize=64)
def library(name: str) -> Source | None:
    """The text of a module of the library."""
    found = Path(stdlib.FOLDER, *name.split(".")).with_suffix(".dsl")
    return Source(f"{LIBRARY}/{found.name}", found.read_text(encoding="utf-8")) if found.is_file() else None
