"""Recorded messages and types of functions show nothing of the inside; `test_corpus` sees to those of its programs."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import dsl
from tests.support.leaks import leaks, words
from tests.typechecker.test_corpus import CORPUS

GOLDEN = Path(__file__).parent.parent / "golden"
SIZE_OF_RESULT = re.compile(r"\b(?:zeros|ones|full|reshape|broadcast_to)\((?:\w+, )?\[\w+(?=[],])")
REPORTED = re.compile(r"[\[*(]\?|`\?`|[ (]\? ")
"""What stands for a size that was reported."""


def test_recorded_messages_show_nothing_of_the_inside() -> None:
    texts = {file: file.read_text(encoding="utf-8") for file in sorted(GOLDEN.rglob("*.txt"))}
    assert len(texts) > 100
    assert {file.name: found for file, text in texts.items() if (found := leaks(text, ""))} == {}


def test_a_leak_is_seen() -> None:
    assert leaks("`_quotient` needs is(mode, 'full')", "") == ["_quotient", "is("]
    assert leaks("the size h(?) may be negative", "") == ["(?)"]
    assert leaks("argument `x` of `exp` has dtype leaf: leaf[*leaf]", "") == ["dtype leaf", "leaf["]
    assert leaks("`[*if(==(k, 0), n, m)]`", "") == ["*if(", "==("]
    assert leaks("argument `p` of `quotient` has shape `[3]`", "") == ["quotient"]
    assert leaks("`_quotient` needs n >= 2", "def _quotient(x: f32[n]) -> f32 = x[1]") == []


def test_types_of_functions_show_nothing_of_the_inside() -> None:
    m = dsl.program("""
    def a(x: f32[*s], static axis: axes) = softened(max(x, axis=axis))
    def softened(x: f32[*s]) = cumsum(repeat(x, 2, axis=0), axis=0)
    def b(x: f32[n], y: f32[m], static mode: str) = convolve(x, y, mode=mode)
    def c(x: f32[n], mask: bool[n]) = compress(x, mask, size=3, fill=0.0)
    """)
    assert [found for name in "abc" if (found := leaks(str(getattr(m, name).type), ""))] == []


def test_enums_of_one_name_are_shown_with_their_modules() -> None:
    one = "enum E = A | B\ndef g(static e: E) -> f32 = 1.0"
    with pytest.raises(dsl.DslTypeError, match=r"argument `e` of `g` is `E`, but `one\.E` is expected"):
        dsl.program("import one\nenum E = A | B\ndef f() -> f32 = one.g(A)", modules={"one": one})


def test_nothing_more_is_said_of_a_size_that_was_reported() -> None:
    programs = [c.texts[""] for c in CORPUS if c.file.parent.name == "accept" and set(c.texts) == {""}]
    wrong = [
        f"{text[: place.end()]}.missing{text[place.end() :]}"
        for text in programs
        for place in SIZE_OF_RESULT.finditer(text)
    ]
    assert len(wrong) > 50
    told = [(text, words(d)) for text in wrong for d in _refused(text)]
    assert [(text, found) for text, found in told if REPORTED.search(found)] == []


def _refused(text: str) -> tuple[dsl.Diagnostic, ...]:
    with pytest.raises(dsl.DslError) as caught:
        dsl.program(text)
    return tuple(caught.value.diagnostics)


def test_derivatives_are_followed_through_a_definition_with_an_error() -> None:
    found = _refused("""
    def mapped(x: f32[b, n]) -> f32[b] = vmap(fn v -> sum(v), out_axes=0)(x)
    def full(x: f32[n], w: f32[k]) -> f32[n + k - 1] where n >= 1 and k >= 1 =
        let padded = concatenate((zeros([k.T - 1]), x, zeros([k - 1])))
        conv(padded[None, None], flip(w)[None, None], padding="VALID")[0, 0]
    """)
    assert [d.code for d in found] == ["E0309"]
