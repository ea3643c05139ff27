"""`dsl check`: every diagnostic of the files named, in order. Starts no backend."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from dsl.diagnostics.diagnostic import Diagnostic, DslError, Severity
from dsl.diagnostics.files import read_source
from dsl.tools.report import Draw, report, report_json
from typechecker import CheckCache, check_source


def check_files(paths: Sequence[Path], as_json: bool, draw: Draw) -> int:
    """Check and report; 0 where no file has an error, 1 otherwise."""
    cache = CheckCache() if len(paths) > 1 else None
    diagnostics = list(_unique(d for path in paths for d in _diagnostics(path, cache)))
    if as_json:
        report_json(diagnostics, sys.stdout)
    else:
        report(diagnostics, sys.stdout, draw)
    return int(any(d.severity is Severity.ERROR for d in diagnostics))


def _diagnostics(path: Path, cache: CheckCache | None) -> Sequence[Diagnostic]:
    try:
        return check_source(read_source(path), folder=path.resolve().parent, cache=cache).diagnostics
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
