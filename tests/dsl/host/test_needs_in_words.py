"""What a function needs and no program can write is said in words, as it is where a program is checked."""

from __future__ import annotations

import re

import numpy as np
import pytest

import dsl

_NEEDS = {
    "def f(x: f32[*s]) -> f32 where even(len(s)) = sum(x)": "even(len(s)) to have a value; here s = [3]",
    "def f(x: f32[*s]) -> f32 where not even(len(s)) = sum(x)": "even(len(s)) to have a value; here s = [3]",
    "def f(x: f32[*s]) -> f32 = if even(len(s)) then 1.0 else 0.0": "even(len(s)) to have a value; here s = [3]",
    "def f(x: f32[*s]) -> f32[*less(s)] = zeros(less(s))": "less(s) to be a shape; here s = [3]",
    "def f(x: f32[*s]) -> f32[*more(s)] = broadcast_to(x, more(s))": "s to broadcast to more(s); here s = [3]",
}
_FUNCTIONS = """
static def even(k: int) -> bool = if k == 0 then true else even(k - 2)
static def less(s: shape) -> shape = [d - 4 for d in s]
static def more(s: shape) -> shape = [d + 1 for d in s]
"""


@pytest.mark.parametrize(("text", "needed"), _NEEDS.items())
def test_needs_in_words(text: str, needed: str) -> None:
    function = dsl.program(_FUNCTIONS + text).f
    with pytest.raises(dsl.ArgumentError, match=re.escape(f"`f` needs {needed}")):
        function(np.ones(3, np.float32))


@pytest.mark.parametrize(("text", "needed"), _NEEDS.items())
def test_needs_in_words_while_checking(text: str, needed: str) -> None:
    with pytest.raises(dsl.DslError, match=re.escape(f"`f` needs {needed.partition(';')[0]}")):
        dsl.program(f"{_FUNCTIONS}{text}\ndef g(x: f32[3]) = f(x)")


def test_a_condition_that_takes_too_long_is_not_met() -> None:
    prime = "static def prime(k: int) -> bool = all([k % i != 0 for i in range(2, k)])\n"
    function = dsl.program(prime + "def f(x: f32[n]) -> f32 where prime(n) = sum(x)").f
    assert float(function(np.ones(7, np.float32))) == 7.0
    with pytest.raises(dsl.ArgumentError, match=re.escape("`f` needs prime(n); here n = 8")):
        function(np.ones(8, np.float32))
    with pytest.raises(dsl.ArgumentError, match=re.escape("needs prime(n), which takes too long to evaluate; here n")):
        function(np.ones(2004, np.float32))
