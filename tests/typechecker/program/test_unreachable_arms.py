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


_ENUM = "enum E = High | Zero | Low(k: int)\n"


@pytest.mark.parametrize(
    "text",
    [
        "def f(static e: E) = match e with\n    High -> fn v -> sum(v)\n    Zero -> fn v -> v[0]\n"
        "    Low(k) -> fn v -> k * v[0]\n"
        "def g(x: f32[3]) -> f32 = f(High)(x)\ndef h(x: f32[3]) -> f32 = f(Zero)(x) + f(Low(2))(x)\n",
        "def f(static k: int) = match k with\n    0 -> fn v -> sum(v)\n    1 -> fn v -> v[0]\n"
        "    _ -> fn v -> v[1]\n"
        "def g(x: f32[3]) -> f32 = f(0)(x)\n",
    ],
)
def test_one_call_says_nothing_of_the_others(text: str) -> None:
    assert check_source(Source("main.dsl", _ENUM + text)).diagnostics == ()


@pytest.mark.parametrize("arms", [("Hgih", "Zero", "Low(k)"), ("High", "Zreo", "Low(k)"), ("High", "Zero", "Lwo(k)")])
def test_a_misspelled_variant_is_told_alone(arms: tuple[str, ...]) -> None:
    lines = "".join([f"        {arm} -> x\n" for arm in arms])
    found = check_source(Source("main.dsl", f"{_ENUM}def f(static e: E, x: f32) -> f32 =\n    match e with\n{lines}"))
    assert [d.code for d in found.diagnostics] == ["E0209"]
