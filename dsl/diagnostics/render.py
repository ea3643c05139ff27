"""Draws diagnostics: the only place where they become text.

A diagnostic becomes lines of segments, each with the role it plays; `render_plain` joins them, `terminal`
colours them. `interchange` gives the same facts to tools. Nothing here knows the language.
Read next: `snippet` (how one source line is laid out).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import Enum
from itertools import groupby

from msgspec import Struct

from dsl.diagnostics.message import Diagnostic, Label, Severity
from dsl.diagnostics.snippet import DrawnLine, display_width, draw_line
from dsl.diagnostics.source import Source, Span


class Role(Enum):
    """The role of a piece of the drawing, which decides its colour."""

    ERROR = "error"
    WARNING = "warning"
    MESSAGE = "message"
    GUTTER = "gutter"
    PLACE = "place"
    SOURCE = "source"
    PRIMARY = "primary"
    SECONDARY = "secondary"
    NOTE = "note"
    HELP = "help"


class Segment(Struct, frozen=True):
    text: str
    role: Role


Line = tuple[Segment, ...]


class _Mark(Struct, frozen=True):
    """The part of a label on one row: characters of that row, and the words where the label ends."""

    row: int
    start: int
    end: int
    text: str
    primary: bool


def render_plain(diagnostic: Diagnostic) -> str:
    """The printed form, without colour and without a line break at the end."""
    return "\n".join("".join(segment.text for segment in line) for line in render_lines(diagnostic))


def render_lines(diagnostic: Diagnostic) -> tuple[Line, ...]:
    """The printed form, line by line, in segments with roles."""
    labels = (diagnostic.primary, *diagnostic.secondary)
    spans = [clip_span(label.span) for label in labels]
    width = max(len(str(span.source.position(span.end)[0])) for span in spans)
    return (
        _header(diagnostic),
        *_blocks(diagnostic, width),
        *(line for note in diagnostic.notes for line in _remark(note, width, Role.NOTE)),
        *(line for help in diagnostic.help for line in _remark(f"help: {help.text}", width, Role.HELP)),
    )


def summary(diagnostics: Sequence[Diagnostic]) -> str:
    """One line that counts: `3 errors and 1 warning in regression.dsl`; empty without diagnostics."""
    counts = [
        f"{count} {severity.value}{'s' if count > 1 else ''}"
        for severity in Severity
        if (count := sum(d.severity is severity for d in diagnostics))
    ]
    names = {d.primary.span.source.name for d in diagnostics}
    where = next(iter(names)) if len(names) == 1 else f"{len(names)} files"
    return f"{' and '.join(counts)} in {where}" if counts else ""


def _header(diagnostic: Diagnostic) -> Line:
    role = Role.ERROR if diagnostic.severity is Severity.ERROR else Role.WARNING
    kind = Segment(f"{diagnostic.severity.value}[{diagnostic.code}]", role)
    return (kind, Segment(f": {diagnostic.message}", Role.MESSAGE))


def _remark(text: str, width: int, role: Role) -> Iterator[Line]:
    """A note or a help under the drawing; its further lines stand below its first word."""
    first, *rest = text.splitlines() or [""]
    yield (Segment(f"{' ' * (width + 2)}= ", Role.GUTTER), Segment(first, role))
    for line in rest:
        yield (Segment(" " * (width + 4), Role.GUTTER), Segment(line, role))


def _blocks(diagnostic: Diagnostic, width: int) -> Iterator[Line]:
    """One block per source: the primary's first, then those of labels that point elsewhere."""
    home = diagnostic.primary.span.source
    sources = [home]
    for label in diagnostic.secondary:
        if not any(label.span.source is source for source in sources):
            sources.append(label.span.source)
    for source in sources:
        labels = [label for label in diagnostic.secondary if label.span.source is source]
        marks = [mark for label in labels for mark in _marks(label, primary=False)]
        if source is home:
            marks = [*_marks(diagnostic.primary, primary=True), *marks]
            labels = [diagnostic.primary]
        arrow = "-->" if source is home else ":::"
        yield _place(labels[0], arrow, width)
        if source.text:
            yield (Segment(f"{' ' * (width + 2)}|", Role.GUTTER),)
            yield from _rows(source, marks, width)


def _place(label: Label, arrow: str, width: int) -> Line:
    span = clip_span(label.span)
    name = repr(span) if span.source.text else span.source.name
    return (Segment(f"{' ' * (width + 1)}{arrow} ", Role.GUTTER), Segment(name, Role.PLACE))


def _rows(source: Source, marks: Sequence[_Mark], width: int) -> Iterator[Line]:
    """The marked rows of a source in order, each with its marks below; what lies between is left out."""
    empty = Segment(f" {' ' * width} | ", Role.GUTTER)
    previous: int | None = None
    for row, group in groupby(sorted(marks, key=lambda mark: mark.row), key=lambda mark: mark.row):
        if previous is not None and row == previous + 2:
            yield _source_line(source, row - 1, draw_line(_text(source, row - 1), ()), width)
        elif previous is not None and row > previous + 2:
            yield (Segment(f"{'.' * max(3, width + 1)}", Role.GUTTER),)
        on_row = tuple(group)
        drawn = draw_line(_text(source, row), [(mark.start, mark.end) for mark in on_row])
        yield _source_line(source, row, drawn, width)
        for line in _underlines(drawn, on_row):
            yield (empty, *line)
        previous = row


def _source_line(source: Source, row: int, drawn: DrawnLine, width: int) -> Line:
    number = f" {row + 1 + source.line_offset:>{width}} |"
    if not drawn.text:
        return (Segment(number, Role.GUTTER),)
    return (Segment(f"{number} ", Role.GUTTER), Segment(drawn.text, Role.SOURCE))


def _underlines(drawn: DrawnLine, marks: Sequence[_Mark]) -> Iterator[Line]:
    """The marks under a source line: the primary alone on the first line, the others packed."""
    packed: list[tuple[int, list[_Mark]]] = []  # the first free column of each line, and its marks
    for mark in sorted((m for m in marks if not m.primary), key=lambda m: (m.start, m.end)):
        start = drawn.column(mark.start)
        end = start + display_width(_drawing(drawn, mark)) + 2
        for place, (free, line) in enumerate(packed):
            if free <= start:
                packed[place] = (end, [*line, mark])
                break
        else:
            packed.append((end, [mark]))
    primary = [[mark] for mark in marks if mark.primary]
    for line in (*primary, *(line for _, line in packed)):
        yield tuple(_underline(drawn, line))


def _underline(drawn: DrawnLine, marks: Sequence[_Mark]) -> Iterator[Segment]:
    column = 0
    for mark in marks:
        start = drawn.column(mark.start)
        text = _drawing(drawn, mark)
        yield Segment(" " * (start - column), Role.GUTTER)
        yield Segment(text, Role.PRIMARY if mark.primary else Role.SECONDARY)
        column = start + display_width(text)


def _drawing(drawn: DrawnLine, mark: _Mark) -> str:
    width = max(1, drawn.column(mark.end) - drawn.column(mark.start))
    return f"{('^' if mark.primary else '-') * width} {' '.join(mark.text.split())}".rstrip()


def _marks(label: Label, *, primary: bool) -> Iterator[_Mark]:
    """A label as marks: one, or for several rows two, of which the one on the last row has the words."""
    span = clip_span(label.span)
    source = span.source
    first, last = source.row(span.start), source.row(span.end)
    start = span.start - source.line_starts[first]
    end = span.end - source.line_starts[last]
    if first == last:
        yield _Mark(first, start, end, label.text, primary)
        return
    text = _text(source, last)
    yield _Mark(first, start, max(start + 1, len(_text(source, first))), "", primary)
    yield _Mark(last, min(len(text) - len(text.lstrip()), end), end, label.text, primary)


def clip_span(span: Span) -> Span:
    """The span as it is shown: inside the text, on a line that has text, without line breaks at its end."""
    source, text = span.source, span.source.text
    start = max(0, min(span.start, len(text)))
    end = max(start, min(span.end, len(text)))
    while end > start + 1 and text[end - 1] in "\r\n":
        end -= 1
    if start == len(text) and text.strip():
        start = end = len(text.rstrip())
    elif end == start + 1 and text[start] in "\r\n":
        end = start  # a line break alone: one mark behind the last character of its line
    return Span(source, start, end)


def _text(source: Source, row: int) -> str:
    return source.line(row).rstrip("\r")
