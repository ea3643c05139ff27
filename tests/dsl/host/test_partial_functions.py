"""Static functions that have no value for some arguments: from Python these are refused at the call, and in a program
where they are written; a program that was kept says the same as one that was just checked."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import numpy as np
import pytest

import dsl

BODIES = {
    "item": "[s[1]]",
    "item among others": "[2, s[1] + 1, *s]",
    "item from the end": "[s[-2]]",
    "item of each": "if len(s) == 0 then [] else [s[1], *f(s[1:])]",
    "quotient": "[4 // (len(s) - 1)]",
    "remainder": "[4 % (len(s) - 1), *s]",
    "power": "[2 ** (len(s) - 2)]",
    "branch": "if len(s) >= 2 then [s[0]] else [s[1]]",
    "name": "\n    let k = s[1]\n    [k, k]",
    "other function": "twice(s[1:])",
}
USES = {
    "result": "def g(x: f32[n], static s: ints) -> f32[*f(s)] = zeros(f(s))",
    "body": "def g(x: f32[n], static s: ints) = zeros(f(s))",
    "size": "def g(x: f32[n], static s: ints) = zeros([total(s)])",
    "value": "def g(x: f32[n], static s: ints) -> f32[n] = x * f32(total(s))",
}


def program(body: str, use: str, more: str = "") -> str:
    helper = "static def twice(s: ints) -> ints = [s[0], s[0]]"
    total = "static def total(s: ints) -> int = sum(f(s))"
    return f"{helper}\nstatic def f(s: ints) -> ints = {BODIES[body]}\n{total}\n{USES[use]}\n{more}\n"


@pytest.mark.parametrize(("body", "use"), product(BODIES, USES), ids=lambda ids: ids)
def test_what_has_no_value_is_refused_at_the_call(
    body: str, use: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("DSL_CACHE", "on")
    monkeypatch.setenv("DSL_CACHE_DIR", str(tmp_path))
    for _ in ("checked", "kept"):
        g = dsl.program(program(body, use)).g
        with pytest.raises(dsl.ArgumentError) as caught:
            g(np.ones(3, np.float32), s=[2])
        assert {d.code for d in caught.value.diagnostics} == {"E0911"}
        if body != "item of each":
            assert g(np.ones(3, np.float32), s=[2, 3]).ndim >= 1


@pytest.mark.parametrize(("body", "use"), product(BODIES, USES), ids=lambda ids: ids)
def test_what_has_no_value_is_refused_where_it_is_written(body: str, use: str) -> None:
    with pytest.raises(dsl.DslError) as caught:
        dsl.program(program(body, use, "def w(x: f32[n]) = g(x, s=[2])"))
    assert [(d.code, d.primary.span.text) for d in caught.value.diagnostics] == [("E0407", "g(x, s=[2])")]
    if body != "item of each":
        dsl.program(program(body, use, "def w(x: f32[n], static k: size) = g(x, s=[2, k])"))
