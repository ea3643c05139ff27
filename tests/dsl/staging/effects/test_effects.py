"""Effects that staging turns into data flow."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tests.support.run import assert_computes

X = np.array([1.5, -2.0, 0.5, 3.0], np.float32)
M = np.arange(12, dtype=np.float32).reshape(3, 4) - 5.0

CASES: dict[str, tuple[str, tuple[Any, ...], Callable[..., Any]]] = {
    "state in a loop": (
        (
            "def f(x: f32[n]) -> (f32, f32) =\n"
            "    with state s = 0.0 do\n"
            "        fold a = 0.0 for v in x do\n"
            "            s := s + v\n"
            "            a + s"
        ),
        (X,),
        lambda x: (np.cumsum(x).sum(), x.sum()),
    ),
    "arguments by name, in the order of the text": (
        (
            "effect pick: (a: f32, b: f32) -> f32\n"
            "def tick(x: f32) -> f32 ! state(s: f32) =\n"
            "    s := 10.0 * s + x\n"
            "    s\n"
            "def less(a: f32[n], b: f32, *, c: f32 = 1.0) -> f32[n] = a - b * c\n"
            "def calls(x: f32) -> f32[2] ! state(s: f32) = less(c=tick(x), b=2.0, a=[tick(2.0), 1])\n"
            "def picks(x: f32) -> f32 ! state(s: f32) =\n"
            "    with handler pick(a, b) -> resume(a - b) do pick(b=tick(x), a=tick(4.0))\n"
            "def f(x: f32) -> ((f32[2], f32), f32) = with state s = 0.0 do (calls(x), picks(3.0))"
        ),
        (np.float32(1),),
        lambda x: ((np.array([10.0, -1.0]), 1234.0 - 123.0), 1234.0),
    ),
    "state in a branch": (
        (
            "def f(x: f32) -> (f32, f32) =\n"
            "    with state s = 1.0 do\n"
            "        if x > 0.0 then\n"
            "            s := s + x\n"
            "            x\n"
            "        else -x"
        ),
        (np.float32(2),),
        lambda x: (2.0, 3.0),
    ),
    "accum in a comprehension": (
        (
            "def f(x: f32[n]) -> (f32[n], f32) =\n"
            "    with accum t: f32 do\n"
            "        [g(v) for v in x]\n"
            "def g(v: f32) -> f32 ! accum(t: f32) =\n"
            "    t += v * v\n"
            "    v + 1.0"
        ),
        (X,),
        lambda x: (x + 1, (x * x).sum()),
    ),
    "checks handled": (
        (
            "def f(x: f32) -> (f32, bool) =\n"
            "    let (v, r) = with checks do\n"
            '        assert x > 0.0, "negative"\n'
            "        x\n"
            "    (v, r.failed)"
        ),
        (np.float32(-1),),
        lambda x: (-1.0, True),
    ),
    "the first failure of a loop": (
        (
            "def f(x: f32[n]) -> bool =\n"
            "    let (v, r) = with checks do\n"
            "        fold a = 0.0 for v in x do\n"
            '            assert v > -1.0, "low"\n'
            "            a + v\n"
            "    r.failed"
        ),
        (X,),
        lambda x: True,
    ),
    "a check in a comprehension": (
        (
            "def f(x: f32[n]) -> bool =\n"
            "    let (v, r) = with checks do\n"
            "        [g(v) for v in x]\n"
            "    r.failed\n"
            "def g(v: f32) -> f32 ! check =\n"
            "    assert v < 100.0\n"
            "    v"
        ),
        (X,),
        lambda x: False,
    ),
    "a check in a branch not taken": (
        (
            "def f(x: f32[n]) -> bool =\n"
            "    let (v, r) = with checks do\n"
            "        [if v > 0.0 then g(v) else 0.0 for v in x]\n"
            "    r.failed\n"
            "def g(v: f32) -> f32 ! check =\n"
            "    assert v > 0.0\n"
            "    v"
        ),
        (X,),
        lambda x: False,
    ),
    "a user's effect": (
        (
            "effect scale: (x: f32) -> f32\n"
            "def g(x: f32) -> f32 ! scale = scale(x) + 1.0\n"
            "def f(x: f32) -> f32 =\n"
            "    with handler scale(v) -> resume(v * 3.0) do g(x)"
        ),
        (np.float32(2),),
        lambda x: 7.0,
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_program(name: str) -> None:
    assert_computes(*CASES[name])
