"""Putting diagnostics on a stream, drawn or as JSON. Who calls chooses how they are drawn."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import TextIO, TypeAlias

from dsl.diagnostics.message import Diagnostic
from dsl.diagnostics.render import render_plain, summary, to_json

Draw: TypeAlias = Callable[[Diagnostic, TextIO], None]


def plain(diagnostic: Diagnostic, stream: TextIO) -> None:
    """Draw without colour."""
    print(render_plain(diagnostic), file=stream)


def report(diagnostics: Sequence[Diagnostic], stream: TextIO, draw: Draw = plain) -> None:
    """Print every diagnostic and a line that counts them; nothing where there is none."""
    for diagnostic in diagnostics:
        draw(diagnostic, stream)
        print(file=stream)
    if diagnostics:
        print(summary(diagnostics), file=stream)


def report_json(diagnostics: Sequence[Diagnostic], stream: TextIO) -> None:
    """Print one JSON list, empty where there is nothing to say."""
    json.dump([to_json(d) for d in diagnostics], stream, indent=2, ensure_ascii=False)
    print(file=stream)
