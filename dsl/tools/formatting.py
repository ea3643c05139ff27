"""`dsl fmt`: rewrite files in the one form the formatter gives them."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from dsl.diagnostics.atomic import write_atomically
from dsl.diagnostics.diagnostic import Diagnostic, DslError
from dsl.diagnostics.files import read_source
from dsl.syntax.format import format_source
from dsl.tools.report import Draw, report


def format_files(paths: Sequence[Path], check: bool, draw: Draw) -> int:
    """Format what differs, or with `check` only name it. 0 where nothing was wrong, 1 otherwise."""
    errors: list[Diagnostic] = []
    changed = False
    for path in paths:
        try:
            changed |= _format(path, check)
        except DslError as error:
            errors.extend(error.diagnostics)
    report(errors, sys.stderr, draw)
    return int(bool(errors) or (check and changed))


def _format(path: Path, check: bool) -> bool:
    source = read_source(path)
    text = format_source(source)
    if text == source.text:
        return False
    if not check:
        write_atomically(path, text.encode("utf-8"))
    print(f"{'would format' if check else 'formatted'} {path}")
    return True
