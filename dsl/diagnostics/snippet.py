"""One line of source as it is drawn: which pieces are shown, and in which column each character starts.

Terminals count columns, sources count characters: tabs, wide and invisible characters, and the parts cut out
of a very long line lie between the two. Nothing here knows diagnostics. Read next: `render`.
"""

from __future__ import annotations

import unicodedata
from bisect import bisect_right
from collections.abc import Sequence

from msgspec import Struct

TAB = 4  # columns a tab stop is apart
WIDEST = 160  # lines up to this many characters are shown whole
CONTEXT = 32  # characters kept on each side of a marked place in a longer line
GAP = " … "


class DrawnLine(Struct, frozen=True):
    """A line ready to print: its text, and the column at which each kept piece and character starts."""

    text: str
    columns: tuple[int, ...]  # the column of every kept character, and one more: the end
    offsets: tuple[int, ...]  # the character each of `columns` belongs to, ascending

    def column(self, offset: int) -> int:
        """The column where a character starts; for one that was cut out, where its gap starts."""
        at = bisect_right(self.offsets, offset) - 1
        exact = at >= 0 and self.offsets[at] == offset
        return self.columns[at] if exact else self.columns[min(at + 1, len(self.columns) - 1)]


def draw_line(text: str, marked: Sequence[tuple[int, int]]) -> DrawnLine:
    """Lay out one line (without its line break) whose `marked` character ranges must stay visible."""
    pieces: list[str] = []
    columns: list[int] = []
    offsets: list[int] = []
    column = reached = 0
    for start, end in _kept(len(text), marked):
        if start > reached:
            pieces.append(GAP)
            column += len(GAP)
        for offset in range(start, end):
            piece, width = _shown(text[offset], column)
            pieces.append(piece)
            columns.append(column)
            offsets.append(offset)
            column += width
        reached = end
    columns.append(column)
    offsets.append(reached)
    if reached < len(text):
        pieces.append(GAP)
    return DrawnLine("".join(pieces).rstrip(), tuple(columns), tuple(offsets))


def display_width(text: str) -> int:
    """How many columns a terminal needs for words that stand behind a mark."""
    return sum(_shown(character, 0)[1] for character in text)


def _kept(length: int, marked: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """The ranges of characters shown: all of a short line, the surroundings of the marks in a long one."""
    if length <= WIDEST:
        return [(0, length)]
    kept: list[tuple[int, int]] = []
    for start, end in sorted(_surroundings(length, marked)) or [(0, WIDEST)]:
        if kept and start <= kept[-1][1] + len(GAP):
            kept[-1] = (kept[-1][0], max(end, kept[-1][1]))
        else:
            kept.append((start, end))
    return kept


def _surroundings(length: int, marked: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the columns kept around each mark: both ends, or all of a short one."""
    whole = [(start, end) for start, end in marked if end - start <= WIDEST]
    ends = [(end, end) for start, end in marked if end - start > WIDEST]
    starts = [(start, start) for start, end in marked if end - start > WIDEST]
    return [(max(0, a - CONTEXT), min(length, b + CONTEXT)) for a, b in (*whole, *starts, *ends)]


def _shown(character: str, column: int) -> tuple[str, int]:
    """Return the printed form of a character at `column`, and its width."""
    if character == "\t":
        width = TAB - column % TAB
        return " " * width, width
    category = unicodedata.category(character)
    if category in ("Cc", "Cf", "Cs", "Co", "Zl", "Zp"):
        visible = f"<U+{ord(character):04X}>"  # a control or direction character must not reach the terminal
        return visible, len(visible)
    if category in ("Mn", "Me"):
        return character, 0
    return character, 2 if unicodedata.east_asian_width(character) in "WF" else 1
