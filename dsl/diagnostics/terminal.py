"""Diagnostics in colour, for a terminal. Read next: `render`, which decides what is drawn."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TextIO

from rich.console import Console
from rich.text import Text

from dsl.diagnostics.message import Diagnostic
from dsl.diagnostics.render import Role, render_lines

STYLES: Mapping[Role, str] = MappingProxyType(
    {
        Role.ERROR: "bold red",
        Role.WARNING: "bold yellow",
        Role.MESSAGE: "bold",
        Role.GUTTER: "blue",
        Role.PLACE: "default",
        Role.SOURCE: "default",
        Role.PRIMARY: "bold red",
        Role.SECONDARY: "bold blue",
        Role.NOTE: "default",
        Role.HELP: "green",
    }
)


def draw_coloured(diagnostic: Diagnostic, stream: TextIO) -> None:
    """Print a diagnostic in colour on a stream that is a terminal."""
    render_rich(diagnostic, Console(file=stream))


def render_rich(diagnostic: Diagnostic, console: Console) -> None:
    """Print a diagnostic in colour; the characters are those of the plain form."""
    for line in render_lines(diagnostic):
        text = Text.assemble(*((segment.text, STYLES[segment.role]) for segment in line))
        console.print(text, soft_wrap=True, highlight=False, markup=False)
