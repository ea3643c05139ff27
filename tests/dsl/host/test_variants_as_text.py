"""Variants of enums that are given as text, from Python and on the command line."""

from __future__ import annotations

import pytest

import dsl
from dsl.host.results.variants import variant_of

M = dsl.program("""
    enum Act = Relu | Leaky(slope: float)
    def act(x: f32, static a: Act) -> f32 =
        match a with
            Relu -> maximum(x, 0.0)
            Leaky(s) -> x * s
""")
KNOWN = dsl.variants(M)


@pytest.mark.parametrize(
    ("text", "value"), [("Relu", 0.0), ("relu", 0.0), ("Leaky(0.5)", -1.0), ("leaky(slope=2)", -4.0)]
)
def test_text_is_the_variant_it_names(text: str, value: float) -> None:
    assert M.act(-2.0, text) == M.act(-2.0, variant_of(text, KNOWN)) == value


@pytest.mark.parametrize("text", ["Rely", "", "Relu.x", "Leaky(", "Leaky(y)", "2", "f()(1)"])
def test_other_text_is_none(text: str) -> None:
    assert variant_of(text, KNOWN) is None


def test_fields_that_do_not_fit_are_refused_at_the_parameter() -> None:
    with pytest.raises(dsl.ArgumentError, match=r"Leaky takes \(slope\)") as found:
        M.act(-2.0, "Leaky(1, 2)")
    assert found.value.diagnostics[0].primary.span.text == "a"


def test_every_variant_is_what_its_repr_says() -> None:
    for variant in (M.Relu, M.Leaky(0.25), M.Leaky(-1e-9)):
        assert variant_of(repr(variant), KNOWN) == variant
