"""Names that may stand in a list but once: parameters, fields, clauses, declarations."""

from __future__ import annotations

from collections.abc import Callable

from dsl.diagnostics.diagnostic import Diagnostic
from dsl.diagnostics.source import Span
from dsl.syntax import ast
from typechecker.errors import names as name_errors


class DistinctNames:
    """The names met so far, each with its place; `what` they are is for the message."""

    def __init__(self, what: str, report: Callable[[Diagnostic], None]) -> None:
        self._what = what
        self._report = report
        self._first: dict[str, Span] = {}

    def add(self, named: ast.Ident | ast.NamePattern) -> bool:
        """Return whether a name is new; one that is not is reported."""
        return self.add_at(named.name, named.span)

    def add_at(self, name: str, span: Span) -> bool:
        first = self._first.setdefault(name, span)
        if first is not span:
            self._report(name_errors.duplicate_name(self._what, name, span, first))
        return first is span
