"""Which syntax errors only follow from another: they are not told.

Recovery goes on at the next line of a block. Where one line left something open (a text that is not closed, a form
whose `limit` stands too far left), the line below it is read in the wrong state, and an error there says nothing new.
"""

from __future__ import annotations

from collections.abc import Sequence

from dsl.diagnostics.diagnostic import Diagnostic

CONTINUATIONS = ("limit ", "where ")
UNEXPECTED, BAD_INDENT, NO_VALUE, OPEN_TEXT = "E0101", "E0104", "E0106", "E0109"


def without_cascades(diagnostics: Sequence[Diagnostic]) -> tuple[Diagnostic, ...]:
    """The errors in order of place, without those that follow from the one on the line above or below."""
    ordered = sorted(diagnostics, key=lambda d: d.primary.span.start)
    kept: list[Diagnostic] = []
    for found in ordered:
        above = kept[-1] if kept else None
        if above is not None and _follows(above, found):
            continue
        if above is not None and above.code == NO_VALUE and found.code == BAD_INDENT and _row(found) == _row(above) + 1:
            kept.pop()
        kept.append(found)
    return tuple(kept)


def _follows(above: Diagnostic, found: Diagnostic) -> bool:
    if found.code != UNEXPECTED or _row(found) != _row(above) + 1:
        return False
    return above.code == OPEN_TEXT or (above.code == UNEXPECTED and _line(found).startswith(CONTINUATIONS))


def _line(diagnostic: Diagnostic) -> str:
    return diagnostic.primary.span.source.line(_row(diagnostic)).lstrip()


def _row(diagnostic: Diagnostic) -> int:
    span = diagnostic.primary.span
    return span.source.row(span.start)
