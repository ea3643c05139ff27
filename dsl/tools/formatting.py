"""`dsl fmt`: rewrite programs in the one form the formatter gives them."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from difflib import unified_diff
from pathlib import Path

from dsl.diagnostics.atomic import write_atomically
from dsl.diagnostics.diagnostic import Diagnostic, DslError
from dsl.diagnostics.source import Source
from dsl.syntax.format import format_source
from dsl.tools.named_programs import STDIN, programs, read_program
from dsl.tools.report import Draw, report


def format_files(paths: Sequence[Path], check: bool, diff: bool, draw: Draw) -> int:
    """Format what differs, or with `check` only name it, or with `diff` show how. 0 where nothing was wrong, 1
    otherwise."""
    errors: list[Diagnostic] = []
    changed = False
    for path in programs(paths):
        try:
            changed |= _format(path, check, diff)
        except DslError as error:
            errors.extend(error.diagnostics)
    report(errors, sys.stderr, draw)
    return int(bool(errors) or ((check or diff) and changed))


def _format(path: Path, check: bool, diff: bool) -> bool:
    source = read_program(path)
    text = format_source(source)
    if diff:
        sys.stdout.writelines(_difference(source, text))
    elif path == STDIN and not check:
        sys.stdout.write(text)
    elif text != source.text:
        if not check:
            write_atomically(path, text.encode("utf-8"))
        print(f"{'would format' if check else 'formatted'} {source.name}")
    return text != source.text


def _difference(source: Source, text: str) -> Iterator[str]:
    old, new = source.text.splitlines(keepends=True), text.splitlines(keepends=True)
    return unified_diff(old, new, source.name, f"{source.name} (formatted)")
