"""The modules of the library as programs: `dsl.nn`, `dsl.linalg` and the others. Read next: `program`."""

from __future__ import annotations

from dsl.host.programs.program import Program, check_program
from dsl.syntax.sources import library


def library_program(name: str) -> Program:
    """A module of the library, whose functions Python calls as those of any program."""
    source = library(name)
    if source is None:
        raise AttributeError(f"the library has no module `{name}`")
    return check_program(source, None)


def __getattr__(name: str) -> Program:
    return library_program(name)
