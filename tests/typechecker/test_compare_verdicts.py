"""The comparison of two versions of the checker: it finds the programs, and what it compares can differ."""

from __future__ import annotations

from tests.typechecker.compare_verdicts import ROOT, collect_programs, judge


def test_all_corpora_are_found() -> None:
    names = list(collect_programs(ROOT))
    for folder in ("tests/typechecker/cases/accept", "tests/typechecker/cases/reject", "tests/e2e/results", "docs"):
        assert sum(name.startswith(folder) for name in names) > 20
    assert "examples/regression.dsl" in names


def test_a_verdict_has_code_file_line_and_message() -> None:
    assert judge({"": "def f(x: f32) -> f32 = x\n"}) == []
    wrong = "import a\ndef f(x: f32[n], y: f32[m]) = x + y\n"
    ((severity, code, file, line, message),) = judge({"": wrong, "a": "let c = 1.0\n"})
    assert (severity, code, file, line) == ("ERROR", "E0401", "main.dsl", 2)
    assert "x + y" in message
