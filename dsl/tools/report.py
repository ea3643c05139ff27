"""Putting diagnostics on a stream: coloured on a terminal, plain elsewhere, JSON for tools."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from typing import TextIO

from rich.console import Console

from dsl.diagnostics.message import Diagnostic
from dsl.diagnostics.render import render_plain, summary, to_json
from dsl.diagnostics.terminal import render_rich


def report(diagnostics: Sequence[Diagnostic], stream: TextIO) -> None:
    """Print every diagnostic and a line that counts them; nothing where there is none."""
    console = Console(file=stream) if _coloured(stream) else None
    for diagnostic in diagnostics:
        if console is None:
            print(render_plain(diagnostic), file=stream)
        else:
            render_rich(diagnostic, console)
        print(file=stream)
    if diagnostics:
        print(summary(diagnostics), file=stream)


def report_json(diagnostics: Sequence[Diagnostic], stream: TextIO) -> None:
    """Print one JSON list, empty where there is nothing to say."""
    json.dump([to_json(d) for d in diagnostics], stream, indent=2, ensure_ascii=False)
    print(file=stream)


def _coloured(stream: TextIO) -> bool:
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
