"""Which syntax errors only follow from another: they are not told.

Recovery goes on at the next line of a block. Where one line left something open (a text that is not closed, a form
whose `limit` stands too far left), the line below it is read in the wrong state, and an error there says nothing new.
Nor does the bracket which an unclosed text swallowed, or the column of a line that tabs indent.
"""

from __future__ import annotations

from collections.abc import Sequence

from dsl.diagnostics.diagnostic import Diagnostic

CONTINUATIONS = ("limit ", "where ", "state ")
UNEXPECTED, OPEN_BRACKET, BAD_INDENT, NO_VALUE, OPEN_TEXT = "E0101", "E0102", "E0104", "E0106", "E0109"


def without_cascades(diagnostics: Sequence[Diagnostic]) -> tuple[Diagnostic, ...]:
    """The errors in order of place, without those that follow from one beside it, above or below."""
    ordered = sorted(diagnostics, key=lambda d: d.primary.span.start)
    dedented: set[int] = set()
    open_texts = {_row(d): d.primary.span.start for d in ordered if d.code == OPEN_TEXT}
    kept: list[Diagnostic] = []
    for found in ordered:
        above = kept[-1] if kept else None
        if above is not None and _follows(above, found):
            continue
        if found.code == BAD_INDENT and (_indented_by_tabs(found) or dedented & _opened(found)):
            continue
        dedented |= _opened(found)
        if found.code == OPEN_BRACKET and open_texts.get(_row(found), -1) > found.primary.span.start:
            continue
        if above is not None and above.code == NO_VALUE and found.code == BAD_INDENT and _row(found) == _row(above) + 1:
            kept.pop()
        kept.append(found)
    return tuple(d for d in kept if d.code != OPEN_BRACKET or d.primary.span.start not in dedented)


def _opened(found: Diagnostic) -> set[int]:
    """Where the bracket begins in which a line is indented wrongly."""
    return {label.span.start for label in found.secondary} if found.code == BAD_INDENT else set()


def _indented_by_tabs(found: Diagnostic) -> bool:
    """Return whether the error of the tab says already how the line is indented."""
    line = found.primary.span.source.line(_row(found))
    return "\t" in line[: len(line) - len(line.lstrip())]


def _follows(above: Diagnostic, found: Diagnostic) -> bool:
    if found.code != UNEXPECTED:
        return False
    if found.primary.span.start in (above.primary.span.start, above.primary.span.end):
        return True
    if _row(found) != _row(above) + 1:
        return False
    return above.code == OPEN_TEXT or (above.code == UNEXPECTED and _line(found).startswith(CONTINUATIONS))


def _line(diagnostic: Diagnostic) -> str:
    return diagnostic.primary.span.source.line(_row(diagnostic)).lstrip()


def _row(diagnostic: Diagnostic) -> int:
    span = diagnostic.primary.span
    return span.source.row(span.start)
