"""What is refused of a definition that transforms: where it is told, in which words, and by which instance."""

from __future__ import annotations

import logging

import pytest

import typechecker
from dsl.core import core
from dsl.diagnostics.message import Diagnostic
from dsl.diagnostics.source import Source
from dsl.staging.env.environment import Frame
from dsl.staging.env.stager import Stager
from dsl.staging.values import Value
from dsl.witnesses import check_source, judging, rehearsal
from tests.support.known_library import known_library
from typechecker import CheckCache


def judged(text: str) -> list[Diagnostic]:
    return [*check_source(Source("main.dsl", text), cache=known_library()).diagnostics]


def told(text: str) -> list[tuple[str, int]]:
    return [(d.code, d.primary.span.source.position(d.primary.span.start)[0]) for d in judged(text)]


SIZED = "def f(x: f32[n]) -> f32 = if n == 7 then sum(nextafter(x, 1.0)) else sum(x)\n"


def test_a_size_at_which_a_derivative_is_refused_is_told() -> None:
    (found,) = judged(SIZED + "def g(x: f32[n]) -> f32[n] = grad(f)(x)\n")
    assert (found.code, found.primary.span.text) == ("E0803", "grad(f)(x)")
    assert found.secondary[0].span.text == "nextafter(x, 1.0)"
    assert "that is so where n = 7" in found.notes


@pytest.mark.parametrize(
    ("parameters", "condition"),
    [
        ("x: dtype[n], static dtype: Float = f32", "n == 1"),
        ("x: dtype[n], static dtype: Float = f64", "dtype == f32"),
        ("x: dtype[n], static dtype: Float = f64", "dtype == f64"),
        ("x: dtype[n], static dtype: Int", "n == 1"),
    ],
)
def test_a_dtype_that_is_left_out_is_that_of_arguments(parameters: str, condition: str) -> None:
    text = (
        f"def f({parameters}) -> f32 =\n    grad(fn v -> if {condition} then v else nextafter(v, 1.0))(sum(f32(x)))\n"
    )
    assert told(text) == [("E0803", 2)]


@pytest.mark.parametrize("size", [2, 3])
def test_the_size_is_told_whichever_instance_comes_first(size: int) -> None:
    text = SIZED.replace("7", str(size)) + "def g(x: f32[n]) -> f32[n] = grad(f)(x)\n"
    assert [d.notes[-1] for d in judged(text)] == [f"that is so where n = {size}"]


def test_no_size_is_told_of_what_is_refused_for_all() -> None:
    text = "def f(x: f32[n]) -> f32 = sum(nextafter(x, 1.0)) * (if n == 2 then 2.0 else 1.0)\n"
    (found,) = judged(text + "def g(x: f32[n]) -> f32[n] = grad(f)(x)\n")
    assert (found.code, found.notes) == ("E0803", ("call path: `f` → `nextafter`",))


def _broken(s: Stager, node: core.Expr, frame: Frame) -> Value:
    raise AssertionError("a fault")


def test_a_fault_of_staging_leaves_what_is_known(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    text = """
def g(x: f32) -> f32 ! io =
    let slope = grad(fn v -> nextafter(v, 1.0))(x)
    print("{}", slope)
    slope + grad(fn v -> nextafter(v, 2.0))(x)
def f(x: f32) -> f32 = grad(fn v -> nextafter(v, 1.0))(x)
"""
    monkeypatch.setattr(logging.getLogger("dsl"), "handlers", [])
    monkeypatch.setattr(rehearsal, "_HANDLERS", {**rehearsal._HANDLERS, core.Print: _broken})
    with caplog.at_level(logging.INFO, "dsl"):
        assert sorted(told(text)) == [("E0803", 3), ("E0803", 6)]
    assert [record.getMessage() for record in caplog.records] == ["the check of `g` is not complete"]


def test_a_fault_of_the_search_leaves_what_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(logging.getLogger("dsl"), "handlers", [])
    monkeypatch.setattr(judging, "_candidates", _broken)
    assert told(SIZED.replace("7", "2") + "def g(x: f32[n]) -> f32[n] = grad(f)(x)\n") == [("E0803", 2)]


@pytest.mark.parametrize("condition", ["n != 7", "n > 7", "n % 2 == 0"])
def test_a_condition_excludes_the_sizes_at_which_it_is_refused(condition: str) -> None:
    assert told(SIZED + f"def g(x: f32[n]) -> f32[n] where {condition} = grad(f)(x)\n") == []


@pytest.mark.parametrize("argument", ["concatenate((v, ones([2])))", "v[1:]", "concatenate((v, v, [1.0]))"])
def test_the_size_of_a_callee_is_reached_from_that_of_the_caller(argument: str) -> None:
    assert told(SIZED + f"def g(x: f32[m]) -> f32[m] where m >= 1 = grad(fn v -> f({argument}))(x)\n") == [("E0803", 2)]


def test_each_refusal_of_a_definition_is_told() -> None:
    text = """
def f(x: f32[n], y: f32) -> f32 =
    let a = grad(fn v -> nextafter(v, 1.0))(y)
    let b = vmap(fn u -> u * y, out_axes=none)(x)
    a + b + grad(fn v -> nextafter(v, 2.0))(y)
"""
    assert sorted(told(text)) == [("E0803", 3), ("E0803", 5), ("E0812", 4)]


def test_the_calls_that_lead_to_an_operation_are_told() -> None:
    text = "def up(v: f32) -> f32 = nextafter(v, 2.0)\ndef g(v: f32) -> f32 = 2.0 * up(v)\n"
    (found,) = judged(text + "def f(x: f32) -> f32 = grad(g)(x)\n")
    assert found.notes == ("call path: `g` → `up` → `nextafter`",)


def test_a_function_that_is_passed_is_refused_where_it_is_passed() -> None:
    text = "def slope(g: (f32) -> f32, x: f32) -> f32 = grad(g)(x)\n"
    assert told(text + "def f(x: f32) -> f32 = slope(fn v -> nextafter(v, 1.0), x)\n") == [("E0803", 2)]
    assert told(text + "def f(x: f32) -> f32 = slope(fn v -> v * nextafter(x, 1.0), x)\n") == []


ALONE = {
    "a function": "def f(g: (f32) -> f32, x: f32) -> f32 = grad(fn v -> v * nextafter(g(x), 1.0))(x)",
    "a function of the variable": "def f(g: (f32) -> f32, x: f32) -> f32 = grad(fn v -> nextafter(g(v), 1.0))(x)",
    "an operation": "effect ask: (x: f32) -> f32\n"
    "def f(x: f32) -> f32 ! ask = grad(fn v -> v * nextafter(ask(x), 1.0))(x)",
    "a cell": "def f(x: f32) -> f32 ! state(s: f32) = grad(fn v -> v * nextafter(s, 1.0))(x)",
    "an axis": 'def f(x: f32) -> f32 ! axis("i") = grad(fn v -> v * nextafter(psum(x, "i"), 1.0))(x)',
    "draws": "from random import normal\n"
    "def f(x: f32) -> f32 ! rand = grad(fn v -> v * nextafter(normal(fresh_key()), 1.0))(x)",
}


@pytest.mark.parametrize("name", ALONE)
def test_what_a_definition_is_given_stands_for_anything(name: str) -> None:
    assert told(ALONE[name]) == []
    wrong = ALONE[name].partition("nextafter(")[0] + "nextafter(v, 1.0))(x)"
    assert [code for code, _ in told(wrong)] == ["E0803"]


def test_a_definition_beside_an_error_is_judged_and_one_that_leads_to_it_is_not() -> None:
    text = """
def wrong(x: f32) -> f32 = x + "a"
def f(x: f32) -> f32 = grad(fn v -> nextafter(v, 1.0))(x)
def g(x: f32) -> f32 = grad(fn v -> nextafter(wrong(v), 1.0))(x)
"""
    assert told(text)[1:] == [("E0803", 3)]


def test_a_cache_tells_what_was_judged_from_what_was_not() -> None:
    source = Source("main.dsl", "def f(x: f32) -> f32 = grad(fn v -> nextafter(v, 1.0))(x)\n")
    cache = CheckCache()
    for _ in range(2):
        assert typechecker.check_source(source, cache=cache).ok
        assert not check_source(source, cache=cache).ok
