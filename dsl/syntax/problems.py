"""What to say where the parser stops. (First version: the general message.)"""

from __future__ import annotations

from dataclasses import dataclass

from dsl.diagnostics.diagnostic import Diagnostic
from dsl.diagnostics.source import Source, Span
from dsl.syntax.errors import error


@dataclass(frozen=True, slots=True)
class Seen:
    """A token: the name of its terminal, its text, its place."""

    kind: str
    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Problem:
    """Where the parser stopped: on `found` (kind "" for a character that begins no token, "$END" at the end).

    `before` are the tokens of this declaration up to there, `expected` the terminals that would have been right,
    `opener` the place of the innermost open bracket.
    """

    source: Source
    found: Seen
    before: tuple[Seen, ...]
    expected: frozenset[str]
    opener: int | None


@dataclass(frozen=True, slots=True)
class Explanation:
    """The diagnostic, and how to go on: with these terminals instead of `found`, or (None) from the next line."""

    diagnostic: Diagnostic
    instead: tuple[str, ...] | None = None


def explain(problem: Problem) -> Explanation:
    found = problem.found
    span = Span(problem.source, found.start, found.end)
    return Explanation(error("E0101", f"unexpected {found.text!r}", span))
