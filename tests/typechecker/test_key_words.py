"""Keys that are used twice: which places the error shows, and its words; long bodies are walked all the same."""

from __future__ import annotations

from dsl.diagnostics.diagnostic import Diagnostic
from tests.support.keys import diagnostics


def only(text: str) -> Diagnostic:
    (diagnostic,) = diagnostics(text)
    return diagnostic


def test_both_uses_are_shown() -> None:
    shown = only("def f(ks: key[3]) -> f32 = normal(ks[1]) + normal(ks[1])")
    assert shown.message == "key `ks[1]` is used twice"
    assert shown.primary.span.text == "ks[1]"
    assert [label.span.text for label in shown.secondary] == ["ks[1]"]
    assert shown.secondary[0].span.start < shown.primary.span.start
    assert shown.help[0].text == "`ks[0]` is free"
    assert "let (k1, k2) = split(ks[1], 2)" in shown.help[1].text


def test_a_record_holds_the_key() -> None:
    shown = only("def f(s: {k: key, x: f32}) -> ({k: key, x: f32}, f32) = (s, normal(s.k))")
    assert shown.message == "key `s.k` is used twice"
    shown = only("def f(s: {k: key}) -> ({k: key}, {k: key}) = (s, s)")
    assert shown.message == "a key in `s` is used twice"


def test_a_generic_may_hold_a_key() -> None:
    assert "Move" in only("def f[A: Move](a: A) -> (A, A) = (a, a)").notes[0]


def test_a_repeated_use_names_where_the_key_is_bound() -> None:
    shown = only("def f(k: key) -> f32[9] = [normal(k) for _ in range(9)]")
    assert shown.primary.span.text == "k"
    assert [label.text for label in shown.secondary] == ["`k` is bound outside"]
    assert shown.secondary[0].span.start < shown.primary.span.start


def test_a_call_names_the_mention_inside_the_function() -> None:
    shown = only("""
        def f(k: key, x: f32) -> f32 =
            let noisy = fn v -> v + normal(k)
            let y = noisy(x)
            noisy(-y)
        """)
    assert shown.primary.span.text == "noisy(-y)"
    assert [label.span.text for label in shown.secondary] == ["noisy(x)", "k"]


def test_many_statements() -> None:
    """A long body is walked in linear time and constant depth."""
    lets = "\n".join("    let (k, a) = split(k)\n    let x = x + normal(a)" for _ in range(1_000))
    assert diagnostics(f"def f(k: key, x: f32) -> f32 =\n{lets}\n    x") == []
