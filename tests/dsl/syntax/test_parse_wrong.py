"""Programs that are wrong: `corpus/wrong.txt` holds each (behind `|`) with all its errors (behind `=`)."""

from __future__ import annotations

from pathlib import Path

import pytest

from dsl.diagnostics.codes import TITLES
from dsl.diagnostics.diagnostic import Diagnostic
from dsl.diagnostics.source import Source
from dsl.syntax import ast
from dsl.syntax.parse import MAX_TEXT, parse, parse_expression
from tests.support.cases import some

CASES = (Path(__file__).parent / "corpus" / "wrong.txt").read_text(encoding="utf-8").strip().split("\n\n")


def split(case: str) -> tuple[str, list[str]]:
    lines = case.split("\n")
    text = "\n".join(line[2:] for line in lines if line.startswith("|"))
    return text, [line[2:] for line in lines if line.startswith("=")]


def said(diagnostic: Diagnostic) -> str:
    span = diagnostic.primary.span
    line, column = span.source.position(span.start)
    return f"{diagnostic.code} {line}:{column} {diagnostic.message}"


@pytest.mark.parametrize("case", CASES, ids=[split(case)[0][:60] for case in CASES])
def test_messages(case: str) -> None:
    text, expected = split(case)
    _, found = parse(Source("x", text))
    assert [said(diagnostic) for diagnostic in found] == expected


@pytest.mark.parametrize("more", [" and z", " ** z", " == z"])
def test_what_follows_a_mistake_is_read(more: str) -> None:
    for case in some(CASES):
        _, found = parse(Source("x", split(case)[0] + more))
        assert found, case


def test_every_code_but_that_of_depth_is_in_the_corpus() -> None:
    seen = {line[:5] for case in CASES for line in split(case)[1]}
    assert seen | {"E0119"} == {code for code in TITLES if code.startswith("E01")}


def apply(text: str, found: tuple[Diagnostic, ...]) -> str:
    """The text with the first advice of each diagnostic carried out, where it has edits."""
    edits = [edit for d in found for help in d.help[:1] for edit in help.edits]
    for edit in sorted(edits, key=lambda edit: edit.span.start, reverse=True):
        text = text[: edit.span.start] + edit.text + text[edit.span.end :]
    return text


REPAIRED = [
    ("def f(x: f32) -> f32:\n    return x", "def f(x: f32) -> f32 =\n    x"),
    ("def f(x) =\n    if x > 0:\n        x\n    elif x < 1:\n        y\n    else:\n        z", None),
    ("def f(x) = a && b || c", "def f(x) = a and b or c"),
    ("def f(x) = !a", "def f(x) = not a"),
    ("def f(x) = if a = b then True else None", "def f(x) = if a == b then True else None"),
    ("def f(x) = fn y => y", "def f(x) = fn y -> y"),
    ("def f(x) = 'it' + .5 + 1.", 'def f(x) = "it" + 0.5 + 1.0'),
    ("def f(x) = x;", "def f(x) = x"),
    ("x = 3", "let x = 3"),
    ("def f(b, c) = {a = b, b, c = c}", "def f(b, c) = {a = b, b = b, c = c}"),
    ("def f(b, c) = {b = b, c}", "def f(b, c) = {b = b, c = c}"),
    ("def f(x) =\n    (x + 1) * (x - 2), x", "def f(x) =\n    ((x + 1) * (x - 2), x)"),
    (
        "def f(x) = fold m = 0 for i in range(3), j in range(4) do m + i * j",
        "def f(x) = fold m = 0 for i in range(3) do fold m = m for j in range(4) do m + i * j",
    ),
    ("let x == 3", "let x = 3"),
    ("def f() =\n\tx", "def f() =\n    x"),
    ("let (x) = y", "let x = y"),
]


@pytest.mark.parametrize(("text", "result"), REPAIRED, ids=[text for text, _ in REPAIRED])
def test_the_advice_can_be_carried_out(text: str, result: str | None) -> None:
    _, found = parse(Source("x", text))
    repaired = apply(text, found)
    if result is None:
        assert parse(Source("x", repaired))[1] == ()
    else:
        assert repaired == result


def test_a_broken_body_keeps_the_head() -> None:
    read, found = parse(Source("x", "def f(x: f32) -> f32 ! io =\n    x + )\n\ndef g(y: f32) = y\n"))
    f, g = read.declarations
    assert isinstance(f, ast.Def) and isinstance(g, ast.Def) and len(found) == 1
    assert f.name.name == "f" and len(f.params) == 1 and f.effects is not None
    assert isinstance(f.body, ast.ErrorExpr)


def test_a_broken_value_keeps_the_names_of_its_let() -> None:
    read, found = parse(Source("x", "def f() =\n    let (a, b) = g(, 3\n    let c = a +\n    c\n"))
    (f,) = read.declarations
    assert len(found) == 2 and isinstance(f, ast.Def) and isinstance(f.body, ast.Block)
    first, second = f.body.statements
    assert isinstance(first, ast.Let) and isinstance(first.pattern, ast.TuplePattern)
    assert isinstance(second, ast.Let) and isinstance(f.body.result, ast.Name)


def test_an_unreadable_head_leaves_its_name() -> None:
    read, _ = parse(Source("x", "def f(x: ) = 3\ntype T = {\nimport a.b as 3\ndef g() = f()\n"))
    assert read.broken == ("f", "T", "a") and len(read.declarations) == 1


def test_an_expression_alone_may_be_wrong_too() -> None:
    _, found = parse_expression(Source("x", "1 + \n"))
    assert [d.code for d in found] == ["E0101"]
    assert [d.code for d in parse_expression(Source("x", "# nothing\n"))[1]] == ["E0101"]


def test_an_enormous_text_is_refused_at_once() -> None:
    for text in ("let x = 1\n" * (MAX_TEXT // 10 + 1), "x" * (MAX_TEXT + 1)):
        read, found = parse(Source("x", text))
        assert [d.code for d in found] == ["E0119"] and not read.declarations


BARE_TUPLES = [
    ("def f(a: f32) = a, 3\n", "(a, 3)"),
    ("def f(a: f32) =\n    a,\n    3\n", "(a, b)"),
    ("def f(a: f32) =\n    let b = a, 3\n    b\n", "(a, 3)"),
]


@pytest.mark.parametrize(("text", "written"), BARE_TUPLES)
def test_a_tuple_without_parentheses(text: str, written: str) -> None:
    _, found = parse(Source("x", text))
    assert [d.code for d in found] == ["E0101"]
    assert found[0].message == "expected the end of the line, found `,`"
    assert f"`{written}`" in found[0].help[0].text


def test_a_lambda_with_a_type_without_parentheses() -> None:
    _, found = parse(Source("x", "def f(x: f32) =\n    let g = fn y: f32 -> y\n    g(x)\n"))
    assert [d.code for d in found] == ["E0125"]
    assert "`fn (y: …) -> …`" in found[0].help[0].text


CONTROLS = [chr(code) for code in (*range(0x202A, 0x202F), *range(0x2066, 0x206A))]
HIDING = [
    "# a {}b",
    "def f(x: f32) = x  # {}",
    'let s = "a{}b"',
    'let s = "a"  # "{}"',
    "# {0} and {0}",
    "## {}\nlet s = 1",
]


@pytest.mark.parametrize("text", HIDING)
@pytest.mark.parametrize("control", CONTROLS, ids=lambda control: f"U+{ord(control):04X}")
def test_controls_that_reorder_text_are_refused(text: str, control: str) -> None:
    written = text.format(control)
    _, found = parse(Source("x", written))
    assert [(d.code, d.primary.span.start) for d in found] == [("E0108", written.index(control))]
    assert apply(written, found) == text.format("")


def test_other_scripts_and_escaped_controls_are_accepted() -> None:
    _, found = parse(Source("x", 'let s = "שלום \\u202e"  # שלום, مرحبا\n'))
    assert not found
