"""Modules of installed distributions. A distribution names its folder of programs by an entry point of the group
`puredsl`: with `mylib = "mylib"`, `import mylib.solvers` finds `solvers.dsl` in the Python package `mylib`, and
`import mylib` finds `__init__.dsl` there. Reads nothing of the texts."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from contextlib import suppress
from functools import lru_cache
from importlib.metadata import Distribution, EntryPoint, distributions
from importlib.util import find_spec
from pathlib import Path
from types import MappingProxyType

from msgspec import Struct
from packaging.requirements import InvalidRequirement, Requirement

from dsl.diagnostics.source import Source
from dsl.version import VERSION

GROUP = "puredsl"
"""The group of entry points, and the distribution that they require."""


class Package(Struct, frozen=True):
    """An installed folder of programs. `required` is the version of puredsl that its distribution asks for, "" for
    any, and `own` the one that is installed."""

    distribution: str
    version: str
    python: str
    required: str = ""
    own: str = VERSION

    @property
    def fits(self) -> bool:
        """Return whether this version of puredsl is one of those that it asks for."""
        return Requirement(f"{GROUP}{self.required}").specifier.contains(self.own, prereleases=True)

    @property
    def folder(self) -> Path | None:
        """The folder of its Python package, which is not imported."""
        name, _, rest = self.python.partition(".")
        with suppress(ImportError, ValueError):
            spec = find_spec(name)
            for place in () if spec is None else spec.submodule_search_locations or ():
                return Path(place, *rest.split(".")) if rest else Path(place)
        return None


def package_of(name: str) -> Package | None:
    """Return the installed package that a module of this dotted name belongs to."""
    return _installed(_mark()).get(name.partition(".")[0])


def packaged(name: str) -> Source | None:
    """Return the text of a module of an installed package that fits this version. A link that leads out of its folder
    is not followed."""
    package = package_of(name)
    folder = None if package is None or not package.fits else package.folder
    if folder is None:
        return None
    inside = name.split(".")[1:] or ["__init__"]
    found = folder.joinpath(*inside).with_suffix(".dsl")
    if not found.is_file() or not found.resolve().is_relative_to(folder.resolve()):
        return None
    return Source(str(found), found.read_text(encoding="utf-8", errors="replace"))


def _mark() -> tuple[tuple[str, int], ...]:
    """The folders that Python searches with the times of their last changes: an installation changes one of them."""
    return tuple([(entry, _changed(entry)) for entry in sys.path])


def _changed(entry: str) -> int:
    with suppress(OSError):
        return os.stat(entry or ".").st_mtime_ns
    return 0


@lru_cache(maxsize=4)
def _installed(_: tuple[tuple[str, int], ...]) -> Mapping[str, Package]:
    """The installed packages by the first name of their modules. The first distribution of a name counts, as it does
    for Python."""
    found: dict[str, Package] = {}
    for distribution in distributions():
        for entry in distribution.entry_points:
            if entry.group == GROUP and entry.name not in found:
                found[entry.name] = _package(distribution, entry)
    return MappingProxyType(found)


def _package(distribution: Distribution, entry: EntryPoint) -> Package:
    return Package(distribution.name, distribution.version, entry.module, _required(distribution))


def _required(distribution: Distribution) -> str:
    """The versions of puredsl that a distribution requires outside of its extras."""
    for text in distribution.requires or ():
        with suppress(InvalidRequirement):
            requirement = Requirement(text)
            if requirement.name.lower() == GROUP and requirement.marker is None:
                return str(requirement.specifier)
    return ""
