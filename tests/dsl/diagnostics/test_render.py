"""The printed form of diagnostics: goldens for each kind of drawing, laws for any text."""

from __future__ import annotations

import io
import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from dsl.diagnostics.interchange import to_json
from dsl.diagnostics.message import Diagnostic, Help, Label
from dsl.diagnostics.render import Role, render_lines, render_plain, summary
from dsl.diagnostics.source import Source, Span
from dsl.diagnostics.terminal import STYLES, render_rich

REGRESSION = """# regression

def predict(w: f32[k], x: f32[n, d]) -> f32[n] = x @ w
"""


def span(source: Source, text: str, occurrence: int = 0) -> Span:
    at = -1
    for _ in range(occurrence + 1):
        at = source.text.index(text, at + 1)
    return Span(source, at, at + len(text))


def drawn(diagnostic: Diagnostic) -> str:
    return "\n" + render_plain(diagnostic) + "\n"


def mismatch() -> Diagnostic:
    source = Source("regression.dsl", REGRESSION)
    d = span(source, "d]")
    return Diagnostic(
        "E0401",
        "shapes do not match in `x @ w`",
        Label(span(source, "x @ w"), "x is f32[n, d] and w is f32[k]; d and k must agree"),
        (
            Label(Span(source, d.start, d.start + 1), "d comes from here"),
            Label(Span(source, source.text.index("k]"), source.text.index("k]") + 1), "k is from here"),
        ),
        ("for instance d = 0, k = 1",),
        (Help("did you mean `w: f32[d]`?"),),
    )


def test_one_line_with_secondaries_notes_and_help() -> None:
    assert (
        drawn(mismatch())
        == """
error[E0401]: shapes do not match in `x @ w`
  --> regression.dsl:3:50
   |
 3 | def predict(w: f32[k], x: f32[n, d]) -> f32[n] = x @ w
   |                                                  ^^^^^ x is f32[n, d] and w is f32[k]; d and k must agree
   |                    - k is from here
   |                                  - d comes from here
   = for instance d = 0, k = 1
   = help: did you mean `w: f32[d]`?
"""
    )


def test_secondaries_share_a_line_where_their_words_do_not_touch() -> None:
    source = Source("f.dsl", "let total = first + second")
    diagnostic = Diagnostic(
        "E0301",
        "dtypes differ",
        Label(span(source, "+")),
        (
            Label(span(source, "second"), "f32"),
            Label(span(source, "first"), "i32"),
            Label(span(source, "total")),
        ),
    )
    assert (
        drawn(diagnostic)
        == """
error[E0301]: dtypes differ
  --> f.dsl:1:19
   |
 1 | let total = first + second
   |                   ^
   |     -----   ----- i32
   |                     ------ f32
"""
    )


def test_several_lines_leave_out_what_lies_between() -> None:
    text = "def f(x: f32[n]) -> f32[n] =\n" + "".join(f"    let a{i} = x\n" for i in range(10)) + "    x = 3\n"
    source = Source("f.dsl", text)
    diagnostic = Diagnostic(
        "E0601",
        "`x` cannot be assigned",
        Label(span(source, "x = 3"), "names bind once"),
        (Label(span(source, "x: f32[n]"), "bound here"), Label(span(source, "a8"), "near")),
    )
    assert (
        drawn(diagnostic)
        == """
error[E0601]: `x` cannot be assigned
   --> f.dsl:12:5
    |
  1 | def f(x: f32[n]) -> f32[n] =
    |       --------- bound here
...
 10 |     let a8 = x
    |         -- near
 11 |     let a9 = x
 12 |     x = 3
    |     ^^^^^ names bind once
"""
    )


def test_a_span_of_several_lines_marks_its_ends() -> None:
    source = Source(
        "f.dsl", "let a =\n    fold s = 0.0 for x in xs do\n\n        let y = x\n        s + y\nlet b = 1\n"
    )
    start, end = source.text.index("fold"), source.text.index("\nlet b")
    diagnostic = Diagnostic("E0302", "the carry changes its type", Label(Span(source, start, end), "f32, then f64"))
    assert (
        drawn(diagnostic)
        == """
error[E0302]: the carry changes its type
  --> f.dsl:2:5
   |
 2 |     fold s = 0.0 for x in xs do
   |     ^^^^^^^^^^^^^^^^^^^^^^^^^^^
...
 5 |         s + y
   |         ^^^^^ f32, then f64
"""
    )


def test_tabs_and_wide_and_invisible_characters_keep_the_marks_in_place() -> None:
    source = Source("f.dsl", '\tlet s = "日本e\u0301\u202ex" + t # \x1b[31m\n')
    diagnostic = Diagnostic(
        "E0101",
        "tab",
        Label(span(source, "+"), "here"),
        (Label(span(source, "\t"), "a tab"), Label(span(source, "本"))),
    )
    assert (
        drawn(diagnostic)
        == """
error[E0101]: tab
  --> f.dsl:1:19
   |
 1 |     let s = "日本e\u0301<U+202E>x" + t # <U+001B>[31m
   |                              ^ here
   | ---- a tab     --
"""
    )


@pytest.mark.parametrize("text", ["let x =", "let x =\n", "let x =\n\n\n", "let x =\r\n"])
def test_the_end_of_the_file_is_behind_its_last_word(text: str) -> None:
    source = Source("f.dsl", text)
    end = Span(source, len(text), len(text))
    assert (
        drawn(Diagnostic("E0102", "the file ends here", Label(end, "an expression is missing")))
        == """
error[E0102]: the file ends here
  --> f.dsl:1:8
   |
 1 | let x =
   |        ^ an expression is missing
"""
    )


def test_an_empty_span_and_a_line_break_get_one_mark() -> None:
    source = Source("f.dsl", "ab\ncd\n")
    for place in (Span(source, 2, 2), Span(source, 2, 3)):
        assert render_plain(Diagnostic("E0101", "m", Label(place, "here"))).splitlines()[3:] == [
            " 1 | ab",
            "   |   ^ here",
        ]
    through_the_break = Span(source, 0, 3)
    assert render_plain(Diagnostic("E0101", "m", Label(through_the_break, "here"))).splitlines()[3:] == [
        " 1 | ab",
        "   | ^^ here",
    ]


def test_a_long_line_is_cut_around_its_marks() -> None:
    source = Source("f.dsl", "let x = [" + ", ".join(str(i) for i in range(1000)) + "]")
    diagnostic = Diagnostic("E0301", "m", Label(span(source, "500"), "here"), (Label(span(source, "900"), "there"),))
    lines = render_plain(diagnostic).splitlines()
    assert max(map(len, lines)) < 200
    for line, mark, number in ((4, "^^^ here", "500"), (5, "--- there", "900")):
        at = lines[line].index(mark)
        assert lines[3][at : at + 3] == number
    assert lines[3].count(" … ") == 2
    assert lines[3].endswith(" …")


def test_a_long_marked_range_shows_both_its_ends() -> None:
    source = Source("f.dsl", "let x = [" + ", ".join(str(i) for i in range(1000)) + "]")
    lines = render_plain(Diagnostic("E0301", "m", Label(Span(source, 8, len(source.text)), "all"))).splitlines()
    assert max(map(len, lines)) < 200
    assert lines[3].endswith("999]")
    assert lines[4].index("^") == lines[3].index("[")
    assert lines[4].rindex("^") == lines[3].index("]")


def test_labels_in_another_file_stand_in_a_block_of_their_own() -> None:
    here, there = (
        Source("main.dsl", "import m\nlet a = m.f(1)\n"),
        Source("m.dsl", "def f(x: f32) -> f32 = x\n"),
    )
    diagnostic = Diagnostic(
        "E0301",
        "i32 is not f32",
        Label(span(here, "1"), "an i32"),
        (Label(span(there, "x: f32"), "the parameter"),),
    )
    assert (
        drawn(diagnostic)
        == """
error[E0301]: i32 is not f32
  --> main.dsl:2:13
   |
 2 | let a = m.f(1)
   |             ^ an i32
  ::: m.dsl:1:7
   |
 1 | def f(x: f32) -> f32 = x
   |       ------ the parameter
"""
    )


def test_a_text_inside_a_python_file_is_shown_at_its_place_there() -> None:
    source = Source("train.py", "def f(x) = y\n", line_offset=98, column_offset=4)
    lines = render_plain(Diagnostic("E0201", "unknown", Label(span(source, "y"), "here"))).splitlines()
    assert lines[1:] == ["   --> train.py:99:16", "    |", " 99 | def f(x) = y", "    |            ^ here"]


def test_a_file_as_a_whole_has_a_name_and_no_drawing() -> None:
    nowhere = Span(Source("nix.dsl", ""), 0, 0)
    assert render_plain(Diagnostic("E0960", "cannot read `nix.dsl`", Label(nowhere))) == (
        "error[E0960]: cannot read `nix.dsl`\n  --> nix.dsl"
    )


def test_notes_of_several_lines_stay_aligned() -> None:
    source = Source("f.dsl", "x")
    lines = render_plain(
        Diagnostic("E0101", "m", Label(span(source, "x")), notes=("one\ntwo",), help=(Help("do\nthis"),))
    )
    assert lines.splitlines()[-4:] == ["   = one", "     two", "   = help: do", "     this"]


def test_summary_counts_by_severity_and_file() -> None:
    error = mismatch()
    other = Source("other.dsl", "x")
    warning = Diagnostic("W01", "unused", Label(span(other, "x")))
    assert summary([]) == ""
    assert summary([error]) == "1 error in regression.dsl"
    assert summary([error] * 3) == "3 errors in regression.dsl"
    assert summary([warning]) == "1 warning in other.dsl"
    assert summary([error, warning, error]) == "2 errors and 1 warning in 2 files"


def test_colour_changes_no_character() -> None:
    stream = io.StringIO()
    render_rich(mismatch(), Console(file=stream, force_terminal=True, width=40, color_system="standard"))
    assert "\x1b[" in stream.getvalue()
    assert re.sub(r"\x1b\[[\d;]*m", "", stream.getvalue()) == render_plain(mismatch()) + "\n"


def test_every_role_has_a_style() -> None:
    assert set(STYLES) == set(Role)


texts = st.text(st.characters(exclude_categories=["Cs"]) | st.sampled_from("\n\n\t\r x日"), max_size=80)


@st.composite
def diagnostics(draw: st.DrawFn) -> Diagnostic:
    source = Source("f.dsl", draw(texts))
    offsets = st.integers(0, len(source.text) + 2)
    spans = st.tuples(offsets, offsets).map(lambda ends: Span(source, min(ends), max(ends)))
    labels = st.builds(Label, spans, st.sampled_from(["", "some words", "日本 wide"]))
    return Diagnostic("E0101", "m", draw(labels), tuple(draw(st.lists(labels, max_size=4))))


@given(diagnostics())
def test_any_text_and_any_span_can_be_drawn(diagnostic: Diagnostic) -> None:
    text = render_plain(diagnostic)
    labels = (diagnostic.primary, *diagnostic.secondary)
    if diagnostic.primary.span.source.text:
        words = [label.text for label in labels if label.text]
        for word in set(words):
            assert text.count(f" {word}") >= words.count(word)
        assert "^" in text
    assert not any(unicodedata.category(c) in ("Cc", "Cf") for c in text if c != "\n")
    assert to_json(diagnostic)["line"] >= 1


@given(st.text("ab \t日", min_size=1, max_size=30), st.data())
def test_the_mark_of_a_character_stands_under_it(text: str, data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(text) - 1))
    source = Source("f.dsl", f"{text}|")
    lines = render_lines(Diagnostic("E0101", "m", Label(Span(source, at, at + 1))))
    under = "".join(segment.text for segment in lines[-1])
    before = re.sub(r"日", "xx", "".join(segment.text for segment in lines[-2]))
    columns = under.index("^") - len(" 1 | ")
    expected = 0
    for character in text[:at]:
        expected += 4 - expected % 4 if character == "\t" else 2 if character == "日" else 1
    assert columns == expected
    assert under.count("^") == {"日": 2, "\t": 4 - expected % 4}.get(text[at], 1)
    assert len(before) >= under.rindex("^")
