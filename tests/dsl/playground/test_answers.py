"""What the page is answered: by the checker, the formatter, the pages of errors and the evaluator."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

import dsl
from dsl.playground.answers import Answers, examples
from dsl.playground.questions import About, Answer, Check, Example, Explain, Format, Run

ANSWERS = Answers()
DOUBLE = "def double(x: f32[n]) -> f32[n] = x * 2.0\n"


def run(expression: str, text: str = DOUBLE) -> Answer:
    return ANSWERS.answer(Run(text, expression))


def test_a_program_that_fits_is_answered_with_its_signatures() -> None:
    answer = ANSWERS.answer(Check("def f(x: f32[n], y: f32[n]) = x + y\n"))
    assert answer.findings == () and "<span" in answer.signatures and "where" not in answer.signatures


def test_errors_have_places_fixes_and_a_drawing() -> None:
    text = "# 😀\ndef f(x: f32[n]) = summ(x)\n"
    (finding,) = ANSWERS.answer(Check(text)).findings
    assert (finding.severity, finding.code) == ("error", "E0201") and "summ" in finding.html
    units = text.encode("utf-16-le")
    assert units[2 * finding.start : 2 * finding.end].decode("utf-16-le") == "summ"
    (fix,) = finding.fixes
    (change,) = fix.changes
    mended = (units[: 2 * change.start] + change.text.encode("utf-16-le") + units[2 * change.end :]).decode("utf-16-le")
    assert ANSWERS.answer(Check(mended)).findings == ()


def test_functions_without_a_fault_keep_their_signatures() -> None:
    answer = ANSWERS.answer(Check(DOUBLE + "def wrong() = nothing\n"))
    assert "double" in answer.signatures and "wrong" not in answer.signatures


def test_the_formatter() -> None:
    assert ANSWERS.answer(Format("def  f(x:f32)=x")).text == "def f(x: f32) = x\n"
    assert ANSWERS.answer(Format("def f(")).findings[0].code.startswith("E01")


def test_pages_of_errors() -> None:
    html = ANSWERS.answer(Explain("e0401")).html
    assert "<h1>E0401" in html and "<strong>Refused:</strong>" in html and html.count("<pre") == 2
    assert ANSWERS.answer(Explain("E9999")).fault == "there is no code E9999"


@pytest.mark.parametrize(
    ("expression", "result"),
    [
        ("double([1.0, 2.0])", "result : f32[2] = [2., 4.]"),
        ("{a = 1.0, b = double([3.0])}", "a = 1.0\nb : f32[1] = [6.]"),
        ("let y = double([1.5])\ngrad(fn x -> sum(x * y))(y)", "result : f32[1] = [3.]"),
        ("3", "3"),
        ("if sum(double([1.0])) > 1.0 then 1.0 else 2.0", "result : f32 = 1.0"),
        ("((1, double([2.0])), true)", "0.0 = 1\n0.1 : f32[1] = [4.]\n1 = True"),
        ("()", ""),
    ],
    ids=["array", "record", "block", "static", "scalar", "tuples", "nothing"],
)
def test_values_of_expressions(expression: str, result: str) -> None:
    answer = run(expression)
    assert answer.findings == () and answer.result == result and answer.picture.startswith("<svg")


def test_a_run_is_that_of_the_program() -> None:
    text = "def f(x: f32[n]) -> f32[n] = x / (1.0 + sum(tanh(x)))\n"
    expected = np.asarray(dsl.program(text).f(np.array([0.5, -0.25, 2.0], np.float32)))
    shown = run("f([0.5, -0.25, 2.0])", text).result
    assert np.allclose([float(x) for x in shown.partition("= ")[2].strip("[]").split(",")], expected, rtol=1e-5)


@pytest.mark.parametrize(
    ("text", "expression", "code", "place"),
    [
        (DOUBLE, "double(1.0)", "E0402", "&lt;expression&gt;:1:8"),
        (DOUBLE, "let y = 1.0\ndouble(z)", "E0201", "&lt;expression&gt;:2:8"),
        ("def f() = nothing\n", "f()", "E0201", "&lt;program&gt;:1:11"),
        ("def f(x: f32) -> f32 ! check =\n    assert x > 2.0\n    x\n", "f(1.0)", "E0940", "&lt;program&gt;:2:5"),
        ("effect ask: () -> f32\n", "ask()", "E0702", "&lt;expression&gt;"),
    ],
    ids=["type", "second line", "program", "check", "effect"],
)
def test_what_is_wrong_in_a_run_has_its_place(text: str, expression: str, code: str, place: str) -> None:
    answer = run(expression, text)
    assert answer.result == "" and answer.findings[0].code == code and place in answer.findings[0].html
    assert all(change.start <= len(text) for f in answer.findings for fix in f.fixes for change in fix.changes)


def test_what_a_program_prints_is_told() -> None:
    answer = run('print("x is {}", 3.0)\n1.0')
    assert answer.printed == "x is 3.0\n" and answer.result == "1.0"


def test_random_numbers_are_the_same_in_each_run() -> None:
    text = "from random import normal\n"
    assert run("normal(fresh_key(), [3])", text) == run("normal(fresh_key(), [3])", text)


@pytest.mark.parametrize("example", examples(), ids=lambda example: example.title)
def test_examples_run_but_the_one_that_shows_an_error(example: Example) -> None:
    assert ANSWERS.answer(Format(example.text)).text == example.text and example.expression
    found = [finding.code for finding in ANSWERS.answer(Check(example.text)).findings]
    assert found == (["E0401"] if "does not fit" in example.title else [])
    assert bool(run(example.expression, example.text).result) == (not found)


def test_the_page_is_told_the_words_of_the_language() -> None:
    answer = ANSWERS.answer(About())
    assert {"def", "let", "fold"} < {*answer.keywords} and len(answer.examples) == len(examples())


def test_answers_load_no_backend_and_the_checker_no_numpy() -> None:
    code = """
import sys
from dsl.playground.answers import Answers
from dsl.playground.questions import Check, Run
answers = Answers()
assert not answers.answer(Check("def f(x: f32[n]) = x + x")).findings
assert "numpy" not in sys.modules
assert answers.answer(Run("", "1.0 + 1.0")).result
assert "jaxlib" not in sys.modules
"""
    subprocess.run([sys.executable, "-c", code], check=True)
