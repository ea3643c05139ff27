"""Renaming a field: programs mean the same with it, or it is refused."""

from __future__ import annotations

from pathlib import Path

import pytest
from lsprotocol import types as lsp
from pygls.workspace import PositionCodec

from dsl.lsp.analysis import Analysis
from dsl.lsp.fields import FieldMention, field_at, fields_named
from dsl.lsp.navigate import Refused, rename
from dsl.lsp.places import Places
from tests.support.cases import some

EXAMPLES = Path(__file__).parents[3] / "examples"
PROGRAMS = [EXAMPLES / f"{name}.dsl" for name in ("adbench/ba", "hmc", "logistic")]


BORROWED = "import graph\n\ndef f(e: graph.Edges[n, m]) -> i32[m] = e.senders + e.receivers\n"


def opened(folder: Path, text: str) -> tuple[Analysis, Path]:
    analysis, path = Analysis(), folder / "t.dsl"
    path.write_text(text)
    analysis.open(path, text)
    return analysis, path


def renamed(analysis: Analysis, path: Path, offset: int, name: str) -> str:
    """The text of a file after a renaming at an offset."""
    checked, text = analysis.programs(path)[0], analysis.text(path)
    edit = rename(analysis, path, checked, offset, name, Places(PositionCodec(lsp.PositionEncodingKind.Utf32)))
    ((_, edits),) = (edit.changes or {}).items()
    lines = text.splitlines(keepends=True)
    for each in sorted(edits, key=lambda e: (-e.range.start.line, -e.range.start.character)):
        line = lines[each.range.start.line]
        lines[each.range.start.line] = (
            line[: each.range.start.character] + each.new_text + line[each.range.end.character :]
        )
    return "".join(lines)


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_fields_of_the_examples_get_other_names(path: Path, tmp_path: Path) -> None:
    analysis, own = opened(tmp_path, path.read_text(encoding="utf-8"))
    index = analysis.programs(own)[0].index
    declared = {(f.span.text, f.record): f for f in fields_named(index) if f.declared}
    for field in some(list(declared.values())[:2]):
        text = renamed(analysis, own, field.span.start, "zz")
        other, there = opened(tmp_path, text)
        (again,) = other.programs(there)
        assert [d.code for d in again.result.diagnostics] == [
            d.code for d in analysis.programs(own)[0].result.diagnostics
        ]
        record = (field.record - {field.span.text}) | {"zz"}
        wanted = sum(f.same(field) for f in fields_named(index))
        assert wanted == sum(f.span.text == "zz" and f.record == record for f in fields_named(again.index))
        analysis, own = opened(tmp_path, path.read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    ("text", "before"),
    [
        ("def f(x: f32[n]) -> {a: f32[n], b: f32} = {a = x, b = sum(x)}\ndef g(x: f32[n]) = f(x).a\n", "{"),
        ("def f(p: {q: {a: f32, c: f32}}) = {p with q.a = p.q.c}\n", "{q: {"),
        ("def f(ps: {a: f32[n], b: f32}[k]) = sum(ps.a) + sum([p.a for p in ps])\n", "{"),
    ],
)
def test_all_places_of_a_field_are_changed(text: str, before: str, tmp_path: Path) -> None:
    analysis, path = opened(tmp_path, text)
    changed = renamed(analysis, path, text.index(before) + len(before), "other")
    other, there = opened(tmp_path, changed)
    assert other.programs(there)[0].result.diagnostics == ()
    assert field_named(other, there, "a") == 0
    assert field_named(other, there, "other") == field_named(*opened(tmp_path, text), "a") > 1


def field_named(analysis: Analysis, path: Path, name: str) -> int:
    return sum(field.span.text == name for field in fields_named(analysis.programs(path)[0].index))


@pytest.mark.parametrize(
    ("text", "place", "name", "reason"),
    [
        ("def f(p: {a: f32, b: f32}) = p.a\n", "a: f32", "b", "mean something else"),
        ("def f(p: {a: f32, b: f32}) = p.a\n", "a: f32", "1b", "cannot be a name"),
        ("def f(p: {a: f32, b: f32}) = p.a\n", "{a", "c", "no name here"),
        ("def f(p: {a: f32}, q: {b: f32}) = p.a + q.b\n", "a: f32", "b", "mean something else"),
        (BORROWED, "senders +", "origins", "mean something else"),
    ],
)
def test_what_would_change_a_program_is_refused(text: str, place: str, name: str, reason: str, tmp_path: Path) -> None:
    analysis, path = opened(tmp_path, text)
    with pytest.raises(Refused, match=reason):
        renamed(analysis, path, text.index(place), name)


def test_records_with_the_same_names_are_one(tmp_path: Path) -> None:
    analysis, path = opened(
        tmp_path, "def f(p: {a: f32, b: f32}, q: {b: i32, a: i32}, r: {a: f32}) = (p.a, q.a, r.a)\n"
    )
    index = analysis.programs(path)[0].index
    first = field_at(index, analysis.text(path).index("a: f32"))
    assert isinstance(first, FieldMention) and first.declared
    assert sum(each.same(first) for each in fields_named(index)) == 4
