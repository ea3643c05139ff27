"""Attempts: what a part of the check has reported, and taking it back."""

from __future__ import annotations

import pytest

from dsl.diagnostics.diagnostic import Diagnostic, Label
from dsl.diagnostics.source import Source, Span
from typechecker.env.reports import Attempt, Reported, Reports

SPAN = Span(Source("a.dsl", "x"), 0, 1)


def found(code: str) -> Diagnostic:
    return Diagnostic(code, "wrong", Label(SPAN))


def test_an_attempt_fails_by_what_is_reported_inside_alone() -> None:
    reports = Reports()
    reports.add(found("E0301"))
    with Attempt(reports) as quiet:
        pass
    with Attempt(reports) as outer:
        with Attempt(reports) as inner:
            reports.add(found("E0302"))
        with Attempt(reports) as after:
            pass
    reports.add(found("E0303"))
    assert (quiet.failed, outer.failed, inner.failed, after.failed) == (False, True, True, False)


def test_what_was_reported_can_be_taken_back() -> None:
    reports = Reports()
    reports.add(found("E0301"))
    with Attempt(reports) as attempt:
        reports.add(found("E0302"))
    assert [d.code for d in attempt.discard()] == ["E0302"]
    assert [d.code for d in reports.all] == ["E0301"]


def test_an_expression_without_a_type_ends_the_attempt_and_no_more() -> None:
    with Attempt(Reports()) as attempt:
        raise Reported
    assert attempt.failed
    with pytest.raises(ValueError, match="other"), Attempt(Reports()):
        raise ValueError("other")
