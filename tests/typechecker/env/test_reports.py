"""The diagnostics of a module in order: what the help of one writes anew is not told beside it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dsl.diagnostics.diagnostic import Diagnostic, Edit, Help, Label
from dsl.diagnostics.source import Source, Span
from typechecker.env.reports import Reports, in_order

TEXT = Source("f.dsl", "int(n / 2) + m / 2")


def error(start: int, end: int, *edits: Edit) -> Diagnostic:
    return Diagnostic("E0305", "wrong", Label(Span(TEXT, start, end)), help=(Help("write this", edits),))


def test_what_a_help_writes_anew_is_told_once() -> None:
    whole = error(0, 3, Edit(Span(TEXT, 0, 10), "n // 2"))
    inside, beside = error(4, 9), error(13, 18)
    assert in_order([beside, inside, whole]) == [whole, beside]


def test_what_a_help_writes_again_stays() -> None:
    whole = error(0, 3, Edit(Span(TEXT, 0, 10), "i32(n / 2)"))
    assert in_order([error(4, 9), whole]) == [whole, error(4, 9)]


def test_of_two_that_write_each_other_anew_the_first_is_told() -> None:
    both = (Edit(Span(TEXT, 0, 9), "a"), Edit(Span(TEXT, 11, 18), "b"))
    first, second = error(1, 3, *both), error(13, 18, *both)
    assert in_order([second, first]) == [first]


def test_an_error_where_none_may_be_is_drawn_with_its_place() -> None:
    reports = Reports()
    reports.expect_none()
    reports.add(error(4, 9))
    with pytest.raises(AssertionError, match=r"(?s)error\[E0305\].*--> f\.dsl:1:5"):
        reports.expect_none()


_places = st.tuples(st.integers(0, 9), st.integers(1, 8)).map(lambda place: (place[0], place[0] + place[1]))


@given(st.lists(st.tuples(_places, st.lists(_places, max_size=3)), min_size=1, max_size=5))
def test_something_is_told_wherever_something_was_found(
    drawn: list[tuple[tuple[int, int], list[tuple[int, int]]]],
) -> None:
    found = [error(*place, *[Edit(Span(TEXT, *edited), "x") for edited in edits]) for place, edits in drawn]
    assert in_order(found)
