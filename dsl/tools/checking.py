"""`dsl check`: every diagnostic of the programs named, in order. Starts no backend."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import typechecker
from dsl.diagnostics.diagnostic import Diagnostic, DslError, Severity
from dsl.host.checking.known_checks import Check
from dsl.tools.named_programs import folder_of, programs, read_program
from dsl.tools.report import Draw, report, report_as
from dsl.types.process_settings import paused_collector

if TYPE_CHECKING:
    from typechecker import CheckCache


def check_files(paths: Sequence[Path], form: str, draw: Draw, *, confirm: bool) -> int:
    """Check and report as `text`, or in a form of `FORMS`. Return 0 if no file has an error, 1 otherwise. `confirm`
    prints a line if nothing is wrong, too."""
    with paused_collector():  # what is found out of modules is kept to the end
        diagnostics = diagnostics_of(paths)
    if form == "text":
        report(diagnostics, sys.stdout, draw)
        if not diagnostics and confirm:
            files = list(programs(paths))
            print(f"no errors in {files[0] if len(files) == 1 else f'{len(files)} files'}")
    else:
        report_as(form, diagnostics, sys.stdout)
    return int(any(d.severity is Severity.ERROR for d in diagnostics))


def diagnostics_of(paths: Sequence[Path]) -> list[Diagnostic]:
    """Return the diagnostics of these programs, in order."""
    files = list(programs(paths))
    shared = cache(lambda: typechecker.CheckCache() if len(files) > 1 else None)
    return list(_unique(d for path in files for d in _diagnostics(path, shared)))


def _diagnostics(path: Path, shared: Callable[[], CheckCache | None]) -> Sequence[Diagnostic]:
    try:
        return Check(read_program(path), folder_of(path), shared).diagnostics
    except DslError as error:
        return error.diagnostics


def _unique(diagnostics: Iterator[Diagnostic]) -> Iterator[Diagnostic]:
    """A module that two of the files import is reported once."""
    seen: set[tuple[str, str, int, str]] = set()
    for d in diagnostics:
        span = d.primary.span
        identity = (d.code, span.source.name, span.start, d.message)
        if identity not in seen:
            seen.add(identity)
            yield d
