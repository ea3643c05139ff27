"""Operators in sizes that stay calls are written with the parentheses that their operands need."""

from __future__ import annotations

import pytest

import dsl


@pytest.mark.parametrize(
    ("size", "shown"),
    [
        ("2 ** (k - 1)", "2 ** (k - 1)"),
        ("2 ** (2 * k)", "2 ** (2 * k)"),
        ("(k + 1) ** k", "(k + 1) ** k"),
        ("2 ** k", "2 ** k"),
        ("2 ** (k // 2)", "2 ** (k // 2)"),
        ("2 ** max(k, 3)", "2 ** max(k, 3)"),
    ],
)
def test_powers_are_shown_as_they_are_meant(size: str, shown: str) -> None:
    program = dsl.program(f"def f(static k: int) -> f32[{size}] where k >= 1 = zeros([{size}])")
    assert f"f32[({shown})]" in str(program.f)
    for k in (1, 2, 3):
        assert program.f(k).shape == (eval(shown, {"max": max}, {"k": k}),)
