"""Static functions are elaborated once: for other arguments their Core is evaluated, not their text."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dsl.core.statics.evaluate import Evaluator, Replay
from dsl.diagnostics.source import Source
from dsl.syntax import ast
from dsl.types import type as ty
from dsl.types.size import Size
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


# ---------------------------------------------------------------- known and unknown arguments

_LEAVES = ("n", "m", "0", "1", "3", "s[0]", "s[-1]", "len(s)", "t.0", "t.1")
_FORMS = (
    "({} + {})",
    "({} - {})",
    "({} * {})",
    "maximum({}, {})",
    "({} // 2 - {})",
    "({} % 3 + {})",
    "(if {} < {} then n else m)",
    "(if {} == 2 or n < m then {} else 1)",
    "h({}, {})",
    "sum([i * 2 + {} - {} for i in s])",
    "sum([i - k + {} for (i, k) in zip(s, [{}, 1, n])])",
    "(s + [{}, {}])[1]",
    "[{}, 2, {}][1:][0]",
)


def _expressions() -> st.SearchStrategy[str]:
    def combined(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
        return st.builds(lambda form, a, b: form.format(a, b), st.sampled_from(_FORMS), inner, inner)

    return st.recursive(st.sampled_from(_LEAVES), combined, max_leaves=6)


_TEXT = """
static def h(k: int, l: int) -> int = if k < l then k + 1 else l - 2
static def g(n: int, m: int) -> int =
    let s = [n, m, 2]
    let t = (m + 1, n)
    {}
def f(x: f32[a, b]) -> f32[maximum(g(a, b), 0)] = zeros([maximum(g(a, b), 0)])
"""


@given(_expressions(), st.integers(0, 4), st.integers(0, 4))
def test_what_is_found_for_sizes_is_what_is_found_for_numbers(text: str, a: int, b: int) -> None:
    result = check_source(Source("main.dsl", _TEXT.format(text)))
    assert not result.diagnostics, result.diagnostics
    assert result.program is not None
    functions = result.program.modules["main"].functions
    signature = functions["f"].signature
    assert isinstance(signature.result, ty.ArrayType)
    sizes = dict(zip(signature.sizes, (a, b), strict=True))
    of_sizes = signature.result.shape.substitute({var: Size.of(value) for var, value in sizes.items()}).literal
    replay = Replay()
    found = Evaluator(lambda _, name: functions.get(name), lambda *_: None, {}, replay.of, replay.step)
    of_numbers = found.call(functions["g"], (a, b))
    assert isinstance(of_numbers, int)
    assert of_sizes == (max(of_numbers, 0),)
