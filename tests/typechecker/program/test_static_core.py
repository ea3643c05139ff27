"""Static functions are elaborated once: for other arguments their Core is evaluated, not their text."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from dsl.diagnostics.source import Source
from dsl.syntax import ast
from typechecker import check_source
from typechecker.program import dispatch

_CALLS = """
enum End = First | Last | Middle
static def ends(s: ints, k: int) -> ints = [i * k + 1 for i in s]
static def place(end: End, k: int) -> int =
    match end with
        First -> 0
        Last -> k - 1
        Middle -> k // 2
static def least(s: ints) -> int =
    let all = [i + 2 for i in s]
    if len(all) > 2 then min(all) else 0

def f(x: f32[n], static e: End) -> f32[least([n, 3, 4]) + 1] where 0 < n = zeros([least([3, 4, n]) + 1])
def g(x: f32[n, m]) -> f32[*ends([n, m], 2)] = zeros(ends([n, m], 2))
def h(x: f32[n]) -> f32[place(Middle, n) + least(ends([n, 2, 4], 1))] = zeros([least(ends([n, 2, 4], 1)) + n // 2])
"""


def _inferred(monkeypatch: pytest.MonkeyPatch, text: str) -> Counter[str]:
    """How often each operator of a text is inferred, by its own text."""
    found = Counter[str]()
    rule = dispatch._RULES[ast.Binary]

    def counting(ctx: Any, node: ast.Binary, expected: Any) -> Any:
        found[node.span.text] += ctx.body.module == "main"
        return rule(ctx, node, expected)

    monkeypatch.setitem(dispatch._RULES, ast.Binary, counting)
    result = check_source(Source("main.dsl", text))
    assert not result.diagnostics, result.diagnostics
    return found


def test_the_text_of_a_static_function_is_checked_once(monkeypatch: pytest.MonkeyPatch) -> None:
    found = _inferred(monkeypatch, _CALLS)
    written = ("i * k + 1", "i * k", "k - 1", "k // 2", "i + 2")
    assert {text: found[text] for text in written} == dict.fromkeys(written, 1)
