"""Text of the language and diagnostics as HTML. Knows nothing of programs. Read next: `html`."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from types import MappingProxyType

from pygments import highlight
from pygments.formatters import HtmlFormatter

from dsl.diagnostics.message import Diagnostic
from dsl.diagnostics.render import Role, Segment, render_lines
from dsl.editors.pygments_lexer import DslLexer

COLOURS: Mapping[Role, str] = MappingProxyType(
    {
        Role.ERROR: "#b00020",
        Role.WARNING: "#8a6d00",
        Role.GUTTER: "#5577aa",
        Role.PRIMARY: "#b00020",
        Role.SECONDARY: "#3355aa",
        Role.HELP: "#1b7f3b",
    }
)


def code_html(text: str) -> str:
    """Text of the language in colours."""
    drawn: str = highlight(text, DslLexer(), HtmlFormatter(noclasses=True, nobackground=True))
    return drawn


def diagnostic_html(diagnostic: Diagnostic) -> str:
    """A diagnostic as it is drawn in a terminal."""
    lines = ["".join(map(_segment_html, line)) for line in render_lines(diagnostic)]
    return f'<pre style="line-height: 1.25">{"<br>".join(lines)}</pre>'


def _segment_html(segment: Segment) -> str:
    text, colour = escape(segment.text), COLOURS.get(segment.role)
    return f'<span style="color: {colour}">{text}</span>' if colour and text.strip() else text
