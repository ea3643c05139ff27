"""Arms that no value reaches are warned of, wherever the arms above take all that they match; others are not."""

from __future__ import annotations

from itertools import product

import pytest

from dsl.diagnostics.source import Source
from typechecker import check_source

_TEXT = """
enum A = Relu | Tanh | Leaky(s: float)
def f(static a: A, static b: bool, x: f32) -> f32 =
    match (a, b) with
        ({0}, {1}) -> x
        ({2}, {3}) -> x * 2.0
        _ -> x * 3.0
"""
_FIRST = ("Relu", "Leaky(_)", "Leaky(0.5)", "_", "other")
_SECOND = ("true", "_")


def _takes(pattern: str, above: str) -> bool:
    """Whether a pattern takes all that another one matches."""
    anything = above in ("_", "other") or above == pattern or (above, pattern) == ("Leaky(_)", "Leaky(0.5)")
    return anything or (above, pattern) == ("_", "true")


@pytest.mark.parametrize("first", _FIRST)
def test_second_arm(first: str) -> None:
    for second, third, fourth in product(_SECOND, _FIRST, _SECOND):
        source = Source("main.dsl", _TEXT.format(first, second, third, fourth))
        warned = any(d.code == "W0301" and "x * 2.0" in d.primary.span.text for d in check_source(source).diagnostics)
        assert warned == (_takes(third, first) and _takes(fourth, second)), (first, second, third, fourth)
