"""Where diagnostics go while a module is checked, and attempts: what a part of the check has reported."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from types import TracebackType

from dsl.diagnostics.diagnostic import Diagnostic, Edit
from dsl.diagnostics.render import render_plain
from dsl.diagnostics.source import Span


class Reported(Exception):
    """Raised for an expression whose error has been reported and which has no type. Caught where the expression is
    inferred."""


class Reports:
    """Diagnostics in the order found."""

    def __init__(self) -> None:
        self._all: list[Diagnostic] = []

    def add(self, diagnostic: Diagnostic) -> None:
        self._all.append(diagnostic)

    def __len__(self) -> int:
        return len(self._all)

    def take_since(self, start: int) -> list[Diagnostic]:
        """Remove and return what was reported after `start` (a former length)."""
        taken = self._all[start:]
        del self._all[start:]
        return taken

    @property
    def all(self) -> tuple[Diagnostic, ...]:
        return tuple(self._all)

    def expect_none(self) -> None:
        """Raise an AssertionError that draws everything reported. The library has no errors, so one is a bug."""
        if self._all:
            raise AssertionError("\n\n".join(["the library has errors", *map(render_plain, self._all)]))


class Attempt:
    """`with ctx.attempt() as attempt:` tells whether something was reported inside, and can take that back."""

    __slots__ = ("_reports", "_start", "failed")

    def __init__(self, reports: Reports) -> None:
        self._reports = reports
        self.failed = False

    def __enter__(self) -> Attempt:
        self._start = len(self._reports)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> bool:
        self.failed = len(self._reports) > self._start or isinstance(error, Reported)
        return isinstance(error, Reported)

    def discard(self) -> list[Diagnostic]:
        """Take back, and return, what was reported since the attempt began."""
        return self._reports.take_since(self._start)


def in_order(found: Sequence[Diagnostic]) -> list[Diagnostic]:
    """Diagnostics in order of place, without repetitions, and without those of texts that a help of another writes
    anew. That other one is told; of two that write each other's texts anew, it is the first."""
    unique = {(d.code, d.primary.span.source.name, d.primary.span[1:]): d for d in reversed(found)}
    ordered = sorted(unique.values(), key=lambda d: (d.primary.span.source.name, *d.primary.span[1:]))
    edits = [(edit, d) for d in ordered for edit in _edits(d)]
    edits.sort(key=lambda pair: (pair[0].span.source.name, pair[0].span.start), reverse=True)
    told, silent, around = dict[int, Diagnostic](), set[int](), list[tuple[Edit, Diagnostic]]()
    for diagnostic in ordered:
        place = (diagnostic.primary.span.source.name, diagnostic.primary.span.start)
        while edits and (edits[-1][0].span.source.name, edits[-1][0].span.start) <= place:
            around.append(edits.pop())
        around = [pair for pair in around if (pair[0].span.source.name, pair[0].span.end) > place]
        others = [other for edit, other in around if _rewrites(edit, diagnostic.primary.span)]
        if any(_silences(other, diagnostic, told) for other in others if id(other) not in silent):
            silent.add(id(diagnostic))
        else:
            told[id(diagnostic)] = diagnostic
    return [*told.values()]


def _silences(other: Diagnostic, diagnostic: Diagnostic, told: Collection[int]) -> bool:
    if other is diagnostic:
        return False
    return id(other) in told or not any(_rewrites(edit, other.primary.span) for edit in _edits(diagnostic))


def _edits(diagnostic: Diagnostic) -> list[Edit]:
    return [edit for advice in diagnostic.help for edit in advice.edits]


def _rewrites(edit: Edit, span: Span) -> bool:
    """Return whether an edit covers a place and more, and does not write its text again."""
    inside = edit.span.source is span.source and edit.span != span and edit.span.covers(span)
    return inside and span.text not in edit.text
