"""Diagnostics as data: every fact is there, in each form, and nothing breaks the form."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from dsl.diagnostics.interchange import show_github, show_json, show_sarif, to_json
from dsl.diagnostics.message import Diagnostic, Edit, Help, Label
from dsl.diagnostics.source import Source, Span

SOURCE = Source("model.dsl", "def f(x: f32[n], w: f32[k]) -> f32 =\n    x @ w\n")


def span(text: str) -> Span:
    start = SOURCE.text.index(text)
    return Span(SOURCE, start, start + len(text))


MISMATCH = Diagnostic(
    "E0401",
    "shapes do not match in `x @ w`",
    Label(span("x @ w"), "n and k must be equal"),
    (Label(span("n"), "n comes from here"), Label(span("k"), "k comes from here")),
    ("for instance n = 2, k = 3",),
    (Help("did you mean `w: f32[n]`?", (Edit(span("k"), "n"),)), Help("or transpose")),
)


def place(line: int, column: int, end: int) -> dict[str, Any]:
    return {"file": "model.dsl", "line": line, "column": column, "end_line": line, "end_column": end}


def test_json_has_related_places_and_edits_as_data() -> None:
    assert to_json(MISMATCH) == {
        "code": "E0401",
        "severity": "error",
        "message": "shapes do not match in `x @ w`",
        **place(2, 5, 10),
        "label": "n and k must be equal",
        "related": [
            {**place(1, 14, 15), "text": "n comes from here"},
            {**place(1, 25, 26), "text": "k comes from here"},
        ],
        "notes": ["for instance n = 2, k = 3"],
        "help": ["did you mean `w: f32[n]`?", "or transpose"],
        "fixes": [{"help": "did you mean `w: f32[n]`?", "edits": [{**place(1, 25, 26), "text": "n"}]}],
    }


def test_sarif_has_related_places_and_fixes() -> None:
    (run,) = json.loads(show_sarif([MISMATCH]))["runs"]
    (result,) = run["results"]
    assert [each["message"]["text"] for each in result["relatedLocations"]] == [
        "n comes from here",
        "k comes from here",
    ]
    (fix,) = result["fixes"]
    (change,) = fix["artifactChanges"]
    assert change["replacements"] == [
        {
            "deletedRegion": {"startLine": 1, "startColumn": 25, "endLine": 1, "endColumn": 26},
            "insertedContent": {"text": "n"},
        }
    ]


def test_what_means_something_in_a_workflow_command_is_escaped() -> None:
    odd = Diagnostic("E0401", "100 %\nof it", Label(Span(Source("a:b,c.dsl", "x"), 0, 1)))
    assert show_github([odd]).startswith("::error file=a%3Ab%2Cc.dsl,line=1,endLine=1,col=1,title=")
    assert show_github([odd]).endswith("::100 %25%0Aof it")


@given(st.text(max_size=20), st.text(max_size=20), st.integers(0, 30), st.integers(0, 30))
def test_no_text_breaks_a_form(text: str, message: str, start: int, length: int) -> None:
    place = Label(Span(Source("f.dsl", text), start, start + length), message)
    found = [Diagnostic("E0101", message, place, help=(Help(message, (Edit(place.span, text),)),))] * 2
    assert len(json.loads(show_json(found))) == 2
    assert len(json.loads(show_sarif(found))["runs"][0]["results"]) == 2
    assert len(show_github(found).split("\n")) == 2
