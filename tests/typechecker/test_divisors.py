"""Whether a divisor may be 0 depends on the divisor alone: not on whether the dividend is a literal."""

from __future__ import annotations

from functools import partial

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dsl.diagnostics.source import Source
from typechecker import CheckCache, check_source

LITERALS = st.integers(0, 9).map(str)
SIZES = st.sampled_from(["n", "len(x)", "len(x[1:])", "n - n", "min(n, 3)", "three()", "NONE", "k"])


def _joined(operators: str, parts: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.builds("({} {} {})".format, parts, st.sampled_from(operators), parts)


DIVIDENDS = st.recursive(LITERALS, partial(_joined, "+-*"), max_leaves=3)
TERMS = st.recursive(LITERALS | SIZES, partial(_joined, "+-*"), max_leaves=3)
NATURALS = st.recursive(LITERALS | SIZES, partial(_joined, "+*"), max_leaves=3)
ZEROS = st.sampled_from(["{0} - {0}", "0 * {0}", "min(0, 1) * {0}"]).flatmap(lambda text: TERMS.map(text.format))
CACHE = CheckCache()
PLACES = [
    "let k = 2\n  sum(x) * f32({})",
    "let k = 2\n  let made = {}\n  sum(x) * made",
    "let k = 2\n  sum(zeros([({})]))",
    "let k = 2\n  sum(where(x > 0.0, x, {}))",
]


def codes(text: str) -> list[str]:
    return [each.code for each in check_source(Source("divisors.dsl", text), cache=CACHE).diagnostics]


def verdict(place: str, division: str) -> list[str]:
    """The codes that a program gives which divides at this place."""
    body = place.format(division)
    text = f"let NONE = 0\nstatic def three() -> int = 3\ndef f(x: f32[n]) -> f32 where n >= 1 =\n  {body}\n"
    return codes(text)


@pytest.mark.parametrize("place", PLACES)
@given(literal=DIVIDENDS, divisor=ZEROS, op=st.sampled_from(["//", "%"]))
@settings(max_examples=25, deadline=None)
def test_a_size_that_is_always_0_divides_nothing(place: str, literal: str, divisor: str, op: str) -> None:
    assert verdict(place, f"{literal} {op} ({divisor})") == verdict(place, f"n {op} ({divisor})") == ["E0410"]


@given(literal=DIVIDENDS, divisor=NATURALS, op=st.sampled_from(["//", "%"]))
@settings(max_examples=60, deadline=None)
def test_a_divisor_is_judged_alike_under_a_literal_and_under_a_size(literal: str, divisor: str, op: str) -> None:
    assert verdict(PLACES[0], f"{literal} {op} ({divisor})") == verdict(PLACES[0], f"n {op} ({divisor})")


@pytest.mark.parametrize("text", ["f32[3 % 0]", "f32[3 % (n - n)]", "f32[3 // (n - n) + 1]"])
def test_a_type_is_not_divided_by_0(text: str) -> None:
    found = codes(f"def f(y: f32[n], x: {text}) -> f32 = sum(x)\n")
    assert found == ["E0410"]
