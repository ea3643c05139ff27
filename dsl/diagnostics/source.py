"""Source texts and places in them.

A `Source` is one text with a name; a `Span` is a half-open range of character offsets in it. Nothing here
knows the language. Read next: `diagnostic`.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

LIBRARY = "<stdlib>"
"""What the names of the texts of the standard library begin with."""

FOREIGN = "<stablehlo>"
"""What the names of modules begin with that stand for programs of another compiler."""


@dataclass(frozen=True, eq=False)
class Source:
    """A text, its name as printed (`regression.dsl`, `<string>`), and where it sits in an enclosing file.

    `line_offset` and `column_offset` map a text embedded in Python back to the place where it was written:
    they are added to what `position` computes. Where that place is not known when the text is read, `find` finds it.
    A text that is put together from others consists of `pieces`, in order.
    """

    name: str
    text: str
    line_offset: int = 0
    column_offset: int = 0
    find: Callable[[], Source] | None = field(default=None, repr=False)
    pieces: tuple[Piece, ...] = field(default=(), repr=False)
    line_starts: tuple[int, ...] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        starts = [0]
        find = self.text.find
        at = find("\n")
        while at >= 0:
            starts.append(at + 1)
            at = find("\n", at + 1)
        object.__setattr__(self, "line_starts", tuple(starts))

    @cached_property
    def placed(self) -> Source:
        """Return the source at its location in the surrounding file, for display."""
        return self if self.find is None else self.find()

    def with_text(self, text: str) -> Source:
        """Return another text at the same location."""
        return Source(self.name, text, self.line_offset, self.column_offset)

    def located(self, start: int, end: int) -> Span:
        """Return the span of these characters in the text that they were written in, for display."""
        if not self.pieces:
            return Span(self.placed, start, end)
        first, last = self._piece_at(start), self._piece_at(max(start, end - 1))
        begin, stop = first.at + start - first.start, last.at + end - last.start
        return Span(first.source, begin, max(begin, stop) if last.source is first.source else len(first.source.text))

    def _piece_at(self, offset: int) -> Piece:
        return self.pieces[max(0, bisect_right(self.pieces, offset, key=lambda piece: piece.start) - 1)]

    @property
    def in_library(self) -> bool:
        """Return whether it is a text of the standard library."""
        return self.name.startswith(LIBRARY)

    @property
    def has_intrinsics(self) -> bool:
        """Return whether it may call the primitives of the compiler by name."""
        return self.name.startswith((LIBRARY, FOREIGN))

    def position(self, offset: int) -> tuple[int, int]:
        """One-based (line, column) of a character offset, in the enclosing file where there is one."""
        row = bisect_right(self.line_starts, offset) - 1
        column = offset - self.line_starts[row]
        return row + 1 + self.line_offset, column + 1 + self.column_offset

    def row(self, offset: int) -> int:
        """Zero-based row of a character offset within this text."""
        return bisect_right(self.line_starts, offset) - 1

    def line(self, row: int) -> str:
        """The text of a zero-based row, without its line break."""
        start = self.line_starts[row]
        end = self.line_starts[row + 1] - 1 if row + 1 < len(self.line_starts) else len(self.text)
        return self.text[start:end]


class Piece(NamedTuple):
    """A stretch of a text, from `start` to the next piece, which was written elsewhere: at `at` in `source`."""

    start: int
    source: Source
    at: int


class Span(NamedTuple):
    """Characters `start <= i < end` of a source."""

    source: Source
    start: int
    end: int

    def to(self, other: Span) -> Span:
        """The smallest span that covers both."""
        return Span(self.source, min(self.start, other.start), max(self.end, other.end))

    def covers(self, other: Span) -> bool:
        return self.source is other.source and self.start <= other.start and other.end <= self.end

    @property
    def placed(self) -> Span:
        """Return the span in the surrounding file."""
        return self.source.located(self.start, self.end)

    @property
    def text(self) -> str:
        return self.source.text[self.start : self.end]

    def __repr__(self) -> str:
        line, column = self.source.position(self.start)
        return f"{self.source.name}:{line}:{column}"
