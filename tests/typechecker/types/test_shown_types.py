"""The type of a function is shown as it could be written: a definition with that head checks, and has that type."""

from __future__ import annotations

import re

import pytest

import dsl

DEFINITIONS = [
    "def f(x: f32[*s]) -> f32 = sum(zeros([extent(s, 0)]))",
    "def f(x: f32[*s]) -> f32[extent(s, -2), len(s)] = zeros([extent(s, -2), len(s)])",
    "def f(x: f32[*s], y: f32[*t]) -> f32[extent([*s, 2, *t], 1)] = zeros([extent([*s, 2, *t], 1)])",
    "def f(x: f32[*s], static axis: int) -> f32[extent(s, axis)] = zeros([extent(s, axis)])",
    "def f(x: f32[n], static k: size?) -> f32 = if k == none then 0.0 else sum(x[:k])",
    "def f(x: f32[n], static k: int?) -> f32 = if k == none then 0.0 else sum(x[:k])",
    "def f(x: f32[n], static k: (int, int)?) -> f32 where k == none or k.0 + 2 * k.1 < n = sum(x)",
]


@pytest.mark.parametrize("text", DEFINITIONS)
def test_a_type_is_shown_as_it_is_written(text: str) -> None:
    shown = str(dsl.program(text).f)
    head, body = shown.removeprefix("<dsl ").removesuffix(">"), text.partition(" = ")[2]
    assert str(dsl.program(f"{head} = {body}").f) == shown


def test_a_variant_of_the_name_of_a_present_value_is_shown_with_its_name() -> None:
    text = "enum E = some(p: int) | B\ndef f(static k: E) -> f32 where k != some(2) = 1.0"
    assert "k != some(2)" in str(dsl.program(text).f)


RESULTS = [
    "def p(x: f32[*s]) -> f32[3] = zeros([extent(s, 0)])",
    "def p(x: f32[*s], y: f32[*t]) -> f32[3] = zeros([extent([*s, *t, 4], -3) + 1])",
    "def p(x: f32[*s], y: f32[*t]) -> f32[3] = zeros([len(s) + len([*t, 3])])",
    "def p(x: f32[*s], static axis: int) -> f32[3] = sum(x, axis=axis)",
    "import fft\ndef p(x: f32[*s]) -> f32[3] = real(fft.rfft(x))",
    "def p[a: Float](x: a[n], static k: int) -> a[3] where 1 <= k and k <= n =\n  let y = 2.0 * x\n  y[:k]",
]


@pytest.mark.parametrize("text", RESULTS)
def test_the_result_that_is_offered_checks(text: str) -> None:
    offered = re.search(r"declare the result: `(-> .*)`", _refusal(text))
    assert offered is not None
    dsl.program(re.sub(r"-> \w+\[3\]", offered[1], text))


@pytest.mark.parametrize("kind, size", [("size?", "2 * k"), ("(int, int)?", "k.0")])
def test_a_result_that_no_signature_can_say_is_not_offered(kind: str, size: str) -> None:
    assert "declare" not in _refusal(f"def f(static k: {kind}) -> f32[3] where k != none = zeros([{size}])")


def test_a_result_by_a_hidden_function_is_not_offered() -> None:
    assert "declare" not in _refusal("def f(x: f32[*s]) -> f32[3] = moveaxis(x, [1], [0])")


def _refusal(text: str) -> str:
    with pytest.raises(dsl.DslError) as caught:
        dsl.program(text)
    return str(caught.value)
