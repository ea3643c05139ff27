"""Cuts a text into its declarations, by lines alone, and looks at its characters. No grammar here.

A declaration begins at a declaration keyword in column 0. Nothing else in the language may begin a line
there, except a closing bracket; so an error in one declaration, even an open bracket, cannot reach the
next.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from dsl.diagnostics.source import Source, Span
from dsl.syntax.ast import Attribute

_BEGINS = re.compile(r"^(?:\ufeff?(?:def|static|type|enum|effect|import|from|let)(?!\w)|@(?=\w))", re.MULTILINE)
_ATTRIBUTE = re.compile(r"@(\w+)(?:\((\w+(?:, \w+)*)\))?")
_BLANK_OR_COMMENT = re.compile(r"[ \t\r\f\ufeff]*(?:#.*)?\r?")
_TAB_OR_SKIPPED = re.compile(r'"(?:[^"\\\n]|\\.)*"|#[^\n]*|\t')
_REORDERS = re.compile("[\u202a-\u202e\u2066-\u2069]")


class Piece(NamedTuple):
    """`text[start:end]` holds one declaration; `doc` is the text of the `##` lines directly above it."""

    start: int
    end: int
    doc: str | None
    attributes: tuple[Attribute, ...] = ()


def cut(source: Source) -> tuple[list[Piece], str | None]:
    """The pieces of a text, without blank lines and comments around them, and the module's doc."""
    text = source.text
    starts = [match.start() for match in _BEGINS.finditer(text)]
    first = _first_code(source)
    if first is not None and (not starts or first < starts[0]):
        starts.insert(0, first)
    pieces = []
    for start, limit in zip(starts, [*starts, len(text)][1:], strict=True):
        end = _last_code(source, start, limit)
        pieces.append(Piece(start, end, _doc_above(source, source.row(start))))
    return pieces, _module_doc(source, starts[0] if starts else len(text))


def piece_at(source: Source, offset: int) -> Piece | None:
    """The declaration at an offset of a text, or the last one before it, without its doc."""
    start, limit = None, len(source.text)
    for found in _BEGINS.finditer(source.text):
        if found.start() > offset:
            limit = found.start()
            break
        start = found.start()
    return None if start is None else Piece(start, _last_code(source, start, limit), None)


def join_attributes(source: Source, pieces: list[Piece]) -> list[Piece]:
    """The pieces of a text of the library: lines that are attributes belong to the definition below them."""
    out: list[Piece] = []
    above: list[Piece] = []
    for piece in pieces:
        if source.text[piece.start] == "@":
            above.append(piece)
            continue
        doc = above[0].doc if above else piece.doc
        out.append(Piece(piece.start, piece.end, doc, tuple([_attribute(source, line) for line in above])))
        above.clear()
    return out + above


def are_attributes(source: Source, pieces: Iterable[Piece]) -> bool:
    """Return whether all pieces that begin with `@` are written as attributes are."""
    above = [piece for piece in pieces if source.text[piece.start] == "@"]
    return all(_ATTRIBUTE.fullmatch(source.text[piece.start : piece.end]) for piece in above)


def _attribute(source: Source, piece: Piece) -> Attribute:
    """The attribute that a piece is. Raises `ValueError` if it is none."""
    found = _ATTRIBUTE.fullmatch(source.text[piece.start : piece.end])
    if found is None:
        raise ValueError(f"no attribute: {source.text[piece.start : piece.end]!r}")
    return Attribute(found[1], tuple(found[2].split(", ")) if found[2] else ())


def whole(source: Source) -> Piece | None:
    """All of a text, without the blank lines and comments around it."""
    first = _first_code(source)
    if first is None:
        return None
    return Piece(first, _last_code(source, first, len(source.text)), None)


def _is_code(source: Source, row: int) -> bool:
    return _BLANK_OR_COMMENT.fullmatch(source.line(row)) is None


def _first_code(source: Source) -> int | None:
    for row, start in enumerate(source.line_starts):
        if _is_code(source, row):
            return start
    return None


def _last_code(source: Source, start: int, limit: int) -> int:
    row, first = source.row(max(start, limit - 1)), source.row(start)
    while row > first and not _is_code(source, row):
        row -= 1
    return source.line_starts[row] + len(source.line(row))


def _doc_above(source: Source, row: int) -> str | None:
    top = row
    while top > 0 and source.line(top - 1).startswith("##"):
        top -= 1
    if top == row:
        return None
    return _doc_text([source.line(r) for r in range(top, row)])


def _module_doc(source: Source, before: int) -> str | None:
    """The first `##` lines of a text, if a blank line parts them from what follows."""
    rows = range(source.row(before) if before < len(source.text) else len(source.line_starts))
    row = next((r for r in rows if source.line(r).strip()), None)
    lines = []
    while row is not None and row in rows and source.line(row).startswith("##"):
        lines.append(source.line(row))
        row += 1
    if not lines or (row in rows and source.line(row or 0).strip()):
        return None
    if row not in rows and before < len(source.text):
        return None
    return _doc_text(lines)


def _doc_text(lines: list[str]) -> str:
    bare = [line.rstrip().lstrip("#") for line in lines]
    return "\n".join(line.removeprefix(" ") for line in bare)


def misplaced_tabs(source: Source) -> list[Span]:
    """The tabs that stand neither in a text nor in a comment."""
    if "\t" not in source.text:
        return []
    found = _TAB_OR_SKIPPED.finditer(source.text)
    return [Span(source, m.start(), m.end()) for m in found if m.group() == "\t"]


def reordering_controls(source: Source) -> list[Span]:
    """The controls in strings and comments that show text in another order than it is read."""
    if source.text.isascii() or _REORDERS.search(source.text) is None:
        return []
    skipped = (m.span() for m in _TAB_OR_SKIPPED.finditer(source.text))
    found = (m for start, end in skipped for m in _REORDERS.finditer(source.text, start, end))
    return [Span(source, m.start(), m.end()) for m in found]


def overlong_line(source: Source, limit: int) -> Span | None:
    """The first line with more than `limit` characters."""
    ends = (*source.line_starts[1:], len(source.text) + 1)
    for start, end in zip(source.line_starts, ends, strict=True):
        if end - 1 - start > limit:
            return Span(source, start, start + 1)
    return None
