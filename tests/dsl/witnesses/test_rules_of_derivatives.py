"""Rules are held against linearity by examples, without a trace of what they do."""

from __future__ import annotations

import pytest

from dsl.diagnostics.source import Source
from dsl.witnesses import check_source
from tests.support.known_library import known_library

LINEAR = [
    "t.0",
    "cos(p.0) * t.0",
    "nan_to_num(t.0)",
    "where(p.0 > 1.0, t.0, 2.0 * t.0)",
    "0.0 * t.0",
    "t.0 / (p.0 - p.0)",
    "(fold a = t.0 for _ in range(3) do a + a * p.0)",
    "concatenate((t.0, ones([n])))[0:n]",
    "flip(t.0)",
]
WRONG = {
    "t.0 * t.0": "t.0 * t.0",
    "t.0 + 1.0": "t.0 + 1.0",
    "cos(p.0)": None,
    "abs(t.0)": "abs(t.0)",
    "where(t.0 > 0.0, t.0, 0.0)": "t.0 > 0.0",
    "p.0 * exp(t.0)": "exp(t.0)",
    "sort(t.0)": "sort(t.0)",
    "where(p.0 > 2.0, t.0 * t.0, t.0)": "t.0 * t.0",
    "t.0 + cast(p.0 == 0.0, f32)": "t.0 + cast(p.0 == 0.0, f32)",
}


def _told(rule: str) -> list[tuple[str, str | None]]:
    text = f"def f(x: f32[n]) -> f32[n] = custom_jvp(sin, fn (p, t) -> (sin(p.0), {rule}))(x)\n"
    found = check_source(Source("main.dsl", text), cache=known_library()).diagnostics
    return [(d.code, d.secondary[0].span.text if d.secondary else None) for d in found]


@pytest.mark.parametrize("rule", LINEAR)
def test_what_is_linear_is_accepted(rule: str) -> None:
    assert _told(rule) == []


@pytest.mark.parametrize("rule", WRONG)
def test_what_is_not_linear_is_refused_at_the_operation(rule: str) -> None:
    assert _told(rule) == [("E0817", WRONG[rule])]


@pytest.mark.parametrize("dtype", ["bf16", "f16", "f32", "f64", "c64"])
def test_rounding_is_not_taken_for_a_fault(dtype: str) -> None:
    rule = "cos(p.0) * t.0 - 1.01 * p.0 * t.0 + mean(t.0) * p.0"
    text = f"def f(x: {dtype}[n]) -> {dtype}[n] where n >= 1 = custom_jvp(sin, fn (p, t) -> (sin(p.0), {rule}))(x)\n"
    assert check_source(Source("main.dsl", text)).diagnostics == ()
    wrong = text.replace("mean(t.0) * p.0", "t.0 * t.0")
    assert [d.code for d in check_source(Source("main.dsl", wrong)).diagnostics] == ["E0817"]


def test_nothing_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    text = """
def shown(x: f32) -> f32 ! io =
    print("{}", x)
    x
def f(x: f32) -> f32 ! io = custom_jvp(shown, fn (p, t) -> (shown(p.0), t.0))(x)
"""
    assert check_source(Source("main.dsl", text)).diagnostics == ()
    assert capsys.readouterr().out == ""


def test_tangents_that_are_printed_are_no_derivative() -> None:
    text = """
def shown(x: f32) -> f32 ! io =
    print("{}", x)
    x
def f(x: f32) -> f32 ! io = custom_jvp(shown, fn (p, t) -> (shown(p.0), shown(t.0)))(x)
"""
    assert [d.code for d in check_source(Source("main.dsl", text)).diagnostics] == ["E0817"]
