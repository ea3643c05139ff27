"""`int` of static floats beside Python's."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from dsl.diagnostics.source import Source
from tests.support.known_library import known_library
from typechecker import check_source

EDGES = [2.0**53, 2.0**53 - 1, 2.0**31, -(2.0**31), 0.5, -0.0, 0.9999999999999999, 1e22]


@given(st.lists(st.floats(-1e30, 1e30), min_size=5, max_size=20))
@settings(max_examples=10, deadline=None)
def test_the_fraction_is_left_out(numbers: list[float]) -> None:
    """A number of -1 elements would be refused."""
    rows = [f"zeros([if int({x!r}) == {int(x)} then 1 else -1])" for x in (*numbers, *EDGES)]
    text = "".join(f"def f{i}() = {row}\n" for i, row in enumerate(rows))
    assert [d.message for d in check_source(Source("user.dsl", text), cache=known_library()).diagnostics] == []
