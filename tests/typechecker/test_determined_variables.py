"""Which variables of a signature a call finds: those that the solver of calls solves when a signature meets itself."""

from __future__ import annotations

import pytest

from dsl.diagnostics.source import Source
from typechecker import check_source

FOUND = {
    "an axis": ("def f(x: f32[n + 1]) -> f32[n] = x[1:]", "f(full([3], 1.0))", []),
    "a factor that another axis tells": (
        "def f(x: f32[n * m], y: f32[m]) -> f32[n, m] = x.reshape([n, m]) * y",
        "f(full([6], 1.0), full([2], 1.0))",
        [],
    ),
    "a shape beside one that stands alone": (
        "def f(x: f32[*s, *t], y: f32[*s]) -> f32[*s] = y",
        "f(full([2, 3], 1.0), full([2], 1.0))",
        [],
    ),
    "a shape beside a static one": (
        "def f(x: f32[*s, *t], static s: shape) -> f32[*t] = zeros(t)",
        "f(full([2, 3], 1.0), [2])",
        [],
    ),
    "a shape beside a part of a static one": (
        "def f(static p: (shape, int), x: f32[*p.0, *t]) -> f32[*t] = zeros(t)",
        "f(([2], 1), full([2, 3], 1.0))",
        [],
    ),
    "a shape behind a static one in the result of a function": (
        "def f(static s: shape, g: (f32[*s]) -> f32[*s, *t]) -> f32[*t] = zeros(t)",
        "f([2], fn x -> full([2, 3], 1.0))",
        ["t"],
    ),
    "the result of a function": ("def f(g: (f32) -> f32[m]) -> f32[m] = g(1.0)", "f(fn x -> full([2], x))", ["m"]),
    "functions that wait for each other": (
        "def f(g: (f32[m]) -> f32[n], h: (f32) -> f32[m]) -> f32[n] = g(h(1.0))",
        None,
        ["m", "n"],
    ),
    "a bound of indices": ("def f(i: idx[n][3]) -> i32[3] = i + 0", "f(arange(3))", ["n"]),
    "a dtype beside one that is computed": (
        "def f[a: Complex](x: a[n], y: real_of(a)[n]) -> real_of(a)[n] = real(x) + y",
        "f(full([2], c64(1.0)), full([2], 1.0))",
        [],
    ),
}

LOST = {
    "two factors": ("def f(x: f32[n * m]) -> f32[n * m] = x", ["E0405"]),
    "a remainder": ("def f(x: f32[n % 3]) -> f32[n % 3] = x", ["E0405"]),
    "two shapes": ("def f(x: f32[*s, *t]) -> f32[*s, *t] = x", ["E0405"]),
    "what a function takes": ("def f(g: (f32[n]) -> f32) -> f32 = 1.0", ["E0405"]),
    "functions in a circle": ("def f(g: (f32[m]) -> f32[n], h: (f32[n]) -> f32[m]) -> f32 = 1.0", ["E0405"]),
    "two shapes of the result of a function": ("def f(g: (f32) -> f32[*s, *t]) -> f32 = 1.0", ["E0405", "E0405"]),
    "a dtype": ("def f[a: Float](x: f32) -> a = a(x)", ["E0323"]),
}


@pytest.mark.parametrize("name", FOUND)
def test_what_arguments_tell(name: str) -> None:
    text, call, hidden = FOUND[name]
    found = check_source(Source("main.dsl", text if call is None else f"{text}\ndef called() = {call}\n"), {})
    assert not found.diagnostics
    assert found.program is not None
    signature = found.program.modules["main"].functions["f"].signature
    assert [variable.name for variable in signature.hidden] == hidden


@pytest.mark.parametrize("name", LOST)
def test_what_no_argument_tells(name: str) -> None:
    text, codes = LOST[name]
    found = check_source(Source("main.dsl", text), {})
    lines = [each.primary.span.source.position(each.primary.span.start)[0] for each in found.diagnostics]
    assert ([each.code for each in found.diagnostics], lines) == (codes, [1] * len(codes))
