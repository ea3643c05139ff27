"""Which definitions are asked whether their transformations are refused: those that lead to something that may."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from dsl.core import core
from dsl.diagnostics.source import Source
from typechecker import check_source


def suspects(text: str, **modules: str) -> set[str]:
    """The definitions that a judge is asked for."""
    asked: set[str] = set()

    def judge(program: core.Program, functions: Sequence[core.Function]) -> tuple[()]:
        assert all(f is program.modules[f.module].functions[f.name] for f in functions)
        asked.update(f.name for f in functions)
        return ()

    others = {name: Source(f"{name}.dsl", each) for name, each in modules.items()}
    check_source(Source("suspects.dsl", text), others, judge=judge)
    return asked


STEP = "def step(x: f32) -> f32 = nextafter(x, 1.0)\n"
ORDINARY = {
    "a derivative": "def f(x: f32[n]) -> f32[n] = grad(fn v -> sum(tanh(v)))(x)",
    "a map": "def f(x: f32[n]) -> f32[n] = vmap(fn v -> v * v, in_axes=0, out_axes=0)(x)",
    "an operation without a derivative": STEP,
}


@pytest.mark.parametrize("name", ORDINARY)
def test_ordinary_programs_are_not_asked(name: str) -> None:
    assert suspects(ORDINARY[name]) == set()


SUSPECT = {
    "what a derivative may reach": (STEP + "def f(x: f32) -> f32 = grad(step)(x)", {"f"}),
    "by a call": (STEP + "def g(x: f32) -> f32 = 2.0 * step(x)\ndef f(x: f32) -> f32 = grad(g)(x)", {"f"}),
    "a rule": ("def f(x: f32) -> f32 = custom_jvp(sin, fn (p, t) -> (sin(p.0), t.0))(x)", {"f"}),
    "a result without an axis": ("def f(x: f32[n]) -> f32 = vmap(fn v -> 1.0, out_axes=none)(x)", {"f"}),
    "parts": ("def f(x: f32[4]) -> f32[4] = shard(fn v -> v, mesh(i=2), {i = 0}, {i = 0})(x)", {"f"}),
}


@pytest.mark.parametrize("name", SUSPECT)
def test_what_may_be_refused_is_asked(name: str) -> None:
    text, expected = SUSPECT[name]
    assert suspects(text) == expected


def test_what_leads_to_an_error_is_not_asked() -> None:
    text = STEP + 'def g(x: f32) -> f32 = x + "a"\ndef f(x: f32) -> f32 = grad(fn v -> step(g(v)))(x)\n'
    assert suspects(text + "def h(x: f32) -> f32 = grad(step)(x)\n") == {"h"}


def test_an_imported_module_is_looked_into() -> None:
    assert suspects("import far\ndef f(x: f32) -> f32 = grad(far.step)(x)\n", far=STEP) == {"f"}
    far = STEP + "def other(x: f32) -> f32 = x\n"
    assert suspects("import far\ndef f(x: f32) -> f32 = grad(far.other)(x)\n", far=far) == set()
