"""Where the texts of modules are found: among those given, in folders, in the library, in installed packages. Reads
nothing of them. Read next: `packages`."""

from __future__ import annotations

import os
import textwrap
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

import stdlib
from dsl.diagnostics.source import LIBRARY, Source
from dsl.late_names import LateModule

if TYPE_CHECKING:
    from dsl.syntax import packages
else:
    packages = LateModule("dsl.syntax.packages")

Resolver = Callable[[str], Source | None]


def resolver(modules: Mapping[str, Source], folder: Path | None) -> Resolver:
    """Find modules among those given, in folders, in the library, in installed packages. A link that leads out of the
    folders is not followed: a folder from somewhere else cannot make a check read, and show, other files of this
    machine."""
    folders = [] if folder is None else list(dict.fromkeys([folder, _package_root(folder)]))
    folders += [Path(p) for p in os.environ.get("DSLPATH", "").split(os.pathsep) if p]

    def resolve(name: str) -> Source | None:
        if name in modules:
            return modules[name]
        relative = Path(*name.split(".")).with_suffix(".dsl")
        for place in folders:
            found = place / relative
            if found.is_file() and _lies_within(found, folders):
                return Source(str(found), found.read_text(encoding="utf-8", errors="replace"))
        return library(name) or packages.packaged(name)

    return resolve


def _package_root(folder: Path) -> Path:
    """Return the folder that holds the Python package of a folder: the programs of a package import one another by the
    names under which others import them."""
    while (folder / "__init__.py").is_file() and folder.parent != folder:
        folder = folder.parent
    return folder


def _lies_within(found: Path, folders: Sequence[Path]) -> bool:
    """Return whether a file belongs to one of the folders once all links are followed."""
    real = found.resolve()
    return any(real.is_relative_to(folder.resolve()) for folder in folders)


def embedded_source(
    name: str, text: str, line_offset: int = 0, column_offset: int = 0, find: Callable[[], Source] | None = None
) -> Source:
    """The text of a string of Python, dedented; places in it are those of the lines as they were written."""
    dedented = textwrap.dedent(text)
    return Source(name, dedented, line_offset, column_offset + _removed(text, dedented), find)


def _removed(text: str, dedented: str) -> int:
    """How many columns dedenting took off every line."""
    for before, after in zip(text.splitlines(), dedented.splitlines(), strict=False):
        if after.strip():
            return len(before) - len(after)
    return 0


def library(name: str) -> Source | None:
    """The text of a module of the library: one object in a process, however many names were looked for."""
    found = Path(stdlib.FOLDER, *name.split(".")).with_suffix(".dsl")
    return _library_text(found) if found.is_file() else None


def library_name(source: Source) -> str | None:
    """Return the name of the library's module whose file and text a source has."""
    path = Path(source.name)
    own = library(path.stem) if path.suffix == ".dsl" and path.resolve().parent == Path(stdlib.FOLDER) else None
    return path.stem if own is not None and own.text == source.text else None


@lru_cache(maxsize=64)
def _library_text(path: Path) -> Source:
    return Source(f"{LIBRARY}/{path.name}", path.read_text(encoding="utf-8"))
