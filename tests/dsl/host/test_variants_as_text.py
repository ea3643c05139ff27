"""Variants of enums that are given as text, from Python and on the command line."""

from __future__ import annotations

from typing import Any

import pytest

import dsl
from dsl.host.results.variants import Variant, with_variants
from dsl.types.type import EnumType

M = dsl.program("""
    enum Act = Relu | Leaky(slope: float) | Pow(k: int, odd: bool)
    enum Net = Plain(act: Act, w: (int, int)) | Two(a: Act, b: Act?)

    def act(x: f32, static a: Act) -> f32 =
        match a with
            Relu -> maximum(x, 0.0)
            Leaky(s) -> if isfinite(s) then x * s else 7.0 * x
            Pow(k, odd) -> if odd then -(x ** k) else x ** k
    def both(x: f32, static a: (Act, Act)) -> f32 = act(act(x, a.0), a.1)
    def named(x: f32, static a: {first: Act, k: int}) -> f32 = act(x, a.first) * a.k
    def maybe(x: f32, static a: Act? = none) -> f32 = if a == none then x else act(x, a)
    def net(x: f32, static a: Net) -> f32 =
        match a with
            Plain(a, w) -> act(x, a) * w.1
            Two(a, b) -> if b == none then act(x, a) else act(x, a) + act(x, b)
""")


def known(enum: EnumType) -> dict[str, Variant]:
    return {name: found for name, found in dsl.variants(M).items() if found.variant.enum == enum}


@pytest.mark.parametrize(
    ("function", "text", "value"),
    [
        ("act", "Relu", 0.0),
        ("act", "relu", 0.0),
        ("act", "Leaky(0.5)", -1.0),
        ("act", "leaky(slope=2)", -4.0),
        ("act", "Leaky(inf)", -14.0),
        ("act", "Leaky(-inf)", -14.0),
        ("act", "Pow(2, true)", -4.0),
        ("act", "Pow(2, True)", -4.0),
        ("act", "Pow(odd=false, k=2)", 4.0),
        ("both", ("Leaky(3.0)", "Pow(2, false)"), 36.0),
        ("both", (M.Relu, "Leaky(2.0)"), 0.0),
        ("named", {"first": "Leaky(0.5)", "k": 3}, -3.0),
        ("maybe", "Leaky(0.5)", -1.0),
        ("maybe", None, -2.0),
        ("net", "Plain(Leaky(0.5), (3, 4))", -4.0),
        ("net", "Two(Leaky(0.5), none)", -1.0),
        ("net", "Two(Leaky(0.5), leaky(1.0))", -3.0),
    ],
)
def test_text_is_the_variant_it_names(function: str, text: Any, value: float) -> None:
    assert dsl.functions(M)[function](-2.0, text) == value


@pytest.mark.parametrize("text", ["Rely", "", "Relu.x", "2", "f()(1)", "none"])
def test_other_text_is_refused(text: str) -> None:
    with pytest.raises(dsl.ArgumentError, match="Act has no such variant"):
        M.act(-2.0, text)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Leaky(1, 2)", r"Leaky takes \(slope\)"),
        ("Leaky(size=1)", r"Leaky takes \(slope\)"),
        ("Leaky(y)", "`y` is not a valid field value"),
        ("Leaky(", "did you mean `Leaky`"),
        ("Pow(2.5, false)", "k is 2.5, not a static int"),
    ],
)
def test_fields_that_do_not_fit_are_refused_at_the_parameter(text: str, words: str) -> None:
    with pytest.raises(dsl.ArgumentError, match=words) as found:
        M.act(-2.0, text)
    assert found.value.diagnostics[0].code == "E0909"
    assert found.value.diagnostics[0].primary.span.text == "a"


def test_every_variant_is_what_its_repr_says() -> None:
    for variant in (M.Relu, M.Leaky(0.25), M.Leaky(-1e-9), M.Pow(2, odd=True), M.Two(M.Leaky(0.5), None)):
        assert with_variants(repr(variant), variant.variant.enum, known, "a") == variant


@pytest.mark.parametrize(
    "text",
    ["enum Act = Relu", "enum Act = Leaky | Relu", "enum Act = Relu | Leaky(offset: float) | Pow(k: int, odd: bool)"],
)
def test_variants_of_another_program_are_refused(text: str) -> None:
    other = dsl.program(text)
    given = other.Relu
    with pytest.raises(dsl.ArgumentError, match="variant of `Act` of another program"):
        M.act(1.0, given)
    with pytest.raises(dsl.ArgumentError, match=r"a\.1 is a variant of `Act` of another program"):
        M.both(1.0, (M.Relu, given))
