"""Judgements of an edited text: those that an edit does not concern are kept, and all are those of a whole check."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import pytest

from dsl.core import core
from dsl.diagnostics.message import Diagnostic
from dsl.diagnostics.source import Source
from dsl.syntax.versions import Document
from dsl.witnesses.check import judge
from typechecker import CheckCache, check_source

TEXT = """
let least = 3
static def limit(n: int) -> int = n + 1
def norm(x: f32[n]) -> f32 = if n == 40 then sum(x * x) else sum(x)
def first(x: f32[n]) -> f32[n] = grad(norm)(x)
def other(x: f32[n]) -> f32 = if n == limit(least) then sum(abs(x)) else sum(stop_gradient(nextafter(x, 1.0)) * x)
def second(x: f32[n]) -> f32[n] = 2.0 * grad(other)(x)
def third(x: f32[n]) -> f32[n] = second(x) + first(x)
"""
EDITS = {
    "a body": ("2.0 * grad", "3.0 * grad", {"second", "third"}),
    "a callee": ("sum(abs(x))", "sum(nextafter(x, 0.0))", {"other", "second", "third"}),
    "a constant": ("least = 3", "least = 4", {"other", "second", "third"}),
    "a comment": ("let least", "# more\nlet least", set()),
    "a static function": ("n + 1", "n + 2", {"other", "second", "third"}),
}


def places(found: Iterable[Diagnostic]) -> list[object]:
    return [(d.code, d.message, d.placed.primary.span.source.position(d.placed.primary.span.start)) for d in found]


@pytest.mark.parametrize("name", EDITS)
def test_an_edit_concerns_what_leads_to_it(name: str) -> None:
    asked: list[str] = []

    def noted(program: core.Program, functions: Sequence[core.Function]) -> Iterable[Diagnostic]:
        asked.extend([each.name for each in functions])
        return judge(program, functions)

    old, new, concerned = EDITS[name]
    document, cache = Document("edited.dsl"), CheckCache()
    for text in (TEXT, TEXT.replace(old, new), TEXT):
        asked.clear()
        found = check_source(document.version(text), None, None, cache, noted).diagnostics
        assert text == TEXT or (set(asked) <= concerned and bool(asked) == bool(concerned))
        whole = check_source(Source("edited.dsl", text), judge=judge).diagnostics
        assert places(found) == places(whole)
    assert set(asked) <= concerned and old in text


def test_a_refusal_that_an_edit_brings_is_told() -> None:
    document, cache = Document("edited.dsl"), CheckCache()
    edited = TEXT.replace("sum(x * x)", "sum(nextafter(x, 1.0))")
    codes = [
        [d.code for d in check_source(document.version(text), None, None, cache, judge).diagnostics]
        for text in (TEXT, edited, edited + "\n# more\n", TEXT)
    ]
    assert codes == [[], ["E0803"], ["E0803"], []]
