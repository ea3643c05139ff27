"""Putting diagnostics on a stream, drawn or in a form for programs. Who calls chooses how they are drawn."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import TextIO, TypeAlias

from dsl.diagnostics.interchange import show_github, show_json, show_sarif
from dsl.diagnostics.message import Diagnostic
from dsl.diagnostics.render import render_plain, summary

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


FORMS: Mapping[str, Callable[[Sequence[Diagnostic]], str]] = MappingProxyType(
    {"json": show_json, "sarif": show_sarif, "github": show_github}
)
"""The forms that are read by other programs."""


def report_as(form: str, diagnostics: Sequence[Diagnostic], stream: TextIO) -> None:
    """Print the diagnostics in a form of `FORMS`."""
    text = FORMS[form](diagnostics)
    if text:
        print(text, file=stream)
