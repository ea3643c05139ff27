"""Where diagnostics go while a module is checked, and attempts: what a part of the check has reported."""

from __future__ import annotations

from collections.abc import Sequence
from types import TracebackType

from dsl.diagnostics.diagnostic import Diagnostic


class Reported(Exception):
    """What an expression lacks has been reported: it has no type. Caught where the expression is inferred."""


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
    anew."""
    unique = {(d.code, d.primary.span.source.name, d.primary.span[1:]): d for d in reversed(found)}
    told = [d for d in unique.values() if not any(_rewrites(other, d) for other in unique.values() if other is not d)]
    return sorted(told, key=lambda d: (d.primary.span.source.name, d.primary.span.start, d.primary.span.end))


def _rewrites(other: Diagnostic, diagnostic: Diagnostic) -> bool:
    """Whether a help of another covers the place of a diagnostic and more, and does not write its text again."""
    span = diagnostic.primary.span
    edits = [edit for advice in other.help for edit in advice.edits if edit.span.source is span.source]
    return any(edit.span != span and edit.span.covers(span) and span.text not in edit.text for edit in edits)
