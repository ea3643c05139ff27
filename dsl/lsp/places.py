"""Places of texts as the protocol has them: lines from 0, columns in the units that client and server agreed on."""

from __future__ import annotations

from pathlib import Path
from textwrap import indent

from lsprotocol import types as lsp
from pygls.uris import from_fs_path, to_fs_path
from pygls.workspace import PositionCodec

import stdlib
from dsl.diagnostics.render import clip_span
from dsl.diagnostics.source import Source, Span
from dsl.lsp.analysis import Analysis, Checked


class Places:
    """Places in both forms."""

    def __init__(self, codec: PositionCodec) -> None:
        self._codec = codec

    def position(self, source: Source, offset: int) -> lsp.Position:
        """The place of a character of a text in its file."""
        row = source.row(offset)
        before = source.text[source.line_starts[row] : offset]
        return lsp.Position(row + source.line_offset, source.column_offset + self._codec.client_num_units(before))

    def range(self, span: Span) -> lsp.Range:
        """A span, where it is shown."""
        return self.exact_range(clip_span(span.placed))

    def exact_range(self, span: Span) -> lsp.Range:
        """A span as it is, to be replaced."""
        span = span.placed
        return lsp.Range(self.position(span.source, span.start), self.position(span.source, span.end))

    def location(self, span: Span) -> lsp.Location:
        """A span and its file."""
        return lsp.Location(uri_of(span.source), self.range(span))

    def edit(self, span: Span, text: str) -> lsp.TextEdit:
        """A replacement, whose further lines stand as far to the right as those of the text do."""
        margin = " " * span.source.column_offset
        return lsp.TextEdit(self.exact_range(span), indent(text, margin).removeprefix(margin))

    def offset(self, source: Source, position: lsp.Position) -> int | None:
        """The character of a text at a place of its file; None outside of the text."""
        row = position.line - source.line_offset
        if not 0 <= row < len(source.line_starts):
            return None
        line, column = source.line(row), 0
        units = position.character - source.column_offset
        while column < len(line) and self._codec.client_num_units(line[: column + 1]) <= units:
            column += 1
        return source.line_starts[row] + column

    def program_at(self, analysis: Analysis, path: Path, position: lsp.Position) -> tuple[Checked, int] | None:
        """The program at a place of a file, and the character of its text."""
        for checked in analysis.programs(path):
            offset = self.offset(checked.part.source, position)
            if offset is not None:
                return checked, offset
        return None


def path_of(uri: str) -> Path:
    """The file that an address names."""
    return Path(to_fs_path(uri) or uri)


def uri_of(source: Source) -> str:
    """The address of the file that a text stands in; one of the library's, for its texts."""
    name = source.name
    return from_fs_path(str(stdlib.FOLDER / Path(name).name) if source.in_library else name) or name
