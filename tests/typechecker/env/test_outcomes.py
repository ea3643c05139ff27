"""What was found for the same types before is found again, and nothing is recalled where it does not hold."""

from __future__ import annotations

import re
from typing import Any

import pytest

from dsl.core.text import show_program
from dsl.diagnostics.source import Source
from typechecker import check_source
from typechecker.calls import definitions, results
from typechecker.env.call_record import Applied
from typechecker.expressions import arithmetic

LAYERS = """
def half(x: f32[n]) -> f32[n] = exp(x) * 0.5
def f(x: f32[n], y: f32[n], k: i32[n]) -> f32[n] =
    let a = tanh(x * y) - half(x * 0.5)
    let b = tanh(a * y) - half(a * 0.5)
    let c = maximum(b, y) @ maximum(a, y) + tanh(exp(exp(b)))
    tanh(a * b) - maximum(b, 2.0) * c + f32(k * k + k * k) * f32(k * 2 + k * 2)
"""

UNDER_FACTS = """
def f(x: f32[n], y: f32[m]) -> f32[n] =
    let a = if n == m then x + y else x
    a + (x + y)
"""

CALLED_UNDER_FACTS = """
def same(x: f32[n], y: f32[n]) -> f32[n] = x + y
def f(x: f32[n], y: f32[m]) -> f32[n] =
    let a = if n == m then same(x, y) else x
    same(a, y)
"""

IN_PARALLEL = """
def said(x: f32) -> f32 ! io =
    print("{}", x)
    x
def f(x: f32) -> f32[3] ! io =
    let a = said(x) + said(x)
    [said(x) + a for i in range(3)]
"""

NEEDS = """
def firsts(x: f32[n], y: f32[m]) -> f32[n] where n <= m = x + y[:n]
def f(x: f32[n], y: f32[m]) -> f32[n] =
    let a = firsts(x, y)
    firsts(a, y) * firsts(firsts(x, y), y)
def g(x: f32[4], y: f32[2]) -> f32[4] = f(x, y)
"""

BY_NAME = """
def less(x: f32[n], y: f32[n]) -> f32[n] = x - y
def f(x: f32[n], y: f32[n]) -> f32[n] = less(x, y) * less(y=x, x=y) * less(y=y, x=x)
"""

UNDECIDED = """
def f(x: f32[n]) -> f32 = sum(x) + (1 + 2) * 3 + (1 + 2) * 3.5
def g(x: f32[n], k: i8[n]) -> i8[n] = k + k + (k + k) + i8(x + x)
"""

PROGRAMS = {
    "layers": LAYERS,
    "under facts": UNDER_FACTS,
    "called under facts": CALLED_UNDER_FACTS,
    "in parallel": IN_PARALLEL,
    "needs": NEEDS,
    "by name": BY_NAME,
    "undecided": UNDECIDED,
}


def verdict(text: str) -> tuple[list[tuple[str, str, str]], str]:
    """What is reported, with the places, and the Core: without its numbers, and with `f32` for a dtype of a callee."""
    result = check_source(Source("program.dsl", text))
    found = [(d.code, d.message, d.primary.span.text) for d in result.diagnostics]
    return found, "" if result.program is None else re.sub(r"\.\d+", "", show_program(result.program)).replace(
        "a[", "f32["
    )


@pytest.mark.parametrize("name", PROGRAMS)
def test_to_recall_changes_nothing(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    recalled = verdict(PROGRAMS[name])
    for module in (definitions, arithmetic):
        monkeypatch.setattr(module, "recall", lambda *_: None)
    assert recalled == verdict(PROGRAMS[name])


def test_rules_are_asked_once_for_the_same_types(monkeypatch: pytest.MonkeyPatch) -> None:
    solved: list[str] = []

    def counted(call: results.Call, *rest: Any) -> Applied:
        solved.append(call.info.name)
        return results.finish(call, *rest)

    monkeypatch.setattr(definitions, "finish", counted)
    assert not verdict("def f(x: f32[n]) -> f32[n] =\n    let a = tanh(x)\n    exp(a) * tanh(a) * exp(a * 0.5)\n")[0]
    assert solved == ["tanh", "exp"]


@pytest.mark.parametrize(
    ("name", "code", "place"),
    [
        ("under facts", "E0401", "(x + y)"),
        ("called under facts", "E0402", "y"),
        ("in parallel", "E0721", "said(x)"),
        ("needs", "E0407", "f(x, y)"),
    ],
)
def test_what_held_once_is_refused_where_it_does_not_hold(name: str, code: str, place: str) -> None:
    assert [(c, p) for c, _, p in verdict(PROGRAMS[name])[0]] == [(code, place)]


def test_programs_whose_variables_clash_are_judged_apart() -> None:
    """Two texts of one name number their variables alike; what one knows of them says nothing of the other's."""
    body = "\n    let a = x + y\n    let b = maximum(a, y)\n    maximum(x, b) + (x + y)\n"
    knows = f"def f(x: f32[n], y: f32[m]) -> f32[n] where n == m ={body}"
    ignores = f"def f(x: f32[n], y: f32[m]) -> f32[n] ={body}"
    apart = [verdict(text) for text in (knows, ignores, knows, ignores)]
    assert apart[:2] == apart[2:]
    assert not apart[0][0] and apart[1][0]
