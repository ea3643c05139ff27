"""Sources and spans: offsets to lines and columns, and back."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from dsl.diagnostics.source import Source, Span

texts = st.text("ab\n", max_size=40)


@given(texts)
def test_lines_are_the_text_cut_at_line_breaks(text: str) -> None:
    source = Source("f", text)
    assert [source.line(row) for row in range(len(source.line_starts))] == text.split("\n")


@given(texts, st.data())
def test_positions_count_what_stands_before(text: str, data: st.DataObject) -> None:
    offset = data.draw(st.integers(0, len(text)))
    line, column = Source("f", text).position(offset)
    before = text[:offset].split("\n")
    assert (line, column) == (len(before), len(before[-1]) + 1)
    assert Source("f", text).row(offset) == line - 1
    assert Source("f", text, line_offset=7, column_offset=4).position(offset) == (line + 7, column + 4)


def test_spans_join_and_know_their_text() -> None:
    source = Source("f.dsl", "let x = 1\nlet y = 2\n")
    a, b = Span(source, 4, 5), Span(source, 14, 15)
    assert a.to(b) == b.to(a) == Span(source, 4, 15)
    assert b.text == "y"
    assert repr(b) == "f.dsl:2:5"
