"""Structure, functions, static values and operators, against NumPy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tests.support.run import assert_computes

X = np.array([1.5, -2.0, 0.5, 3.0], np.float32)
M = np.arange(12, dtype=np.float32).reshape(3, 4) - 5.0


def _twice(x: Any) -> Any:
    for _ in range(2):
        a = x * 2
        b = a + x
        c = b * a - x
        d = c + a * b - x * c
        x = d * d - c * a + b * x + d - a
    return x


CASES: dict[str, tuple[str, tuple[Any, ...], Callable[..., Any]]] = {
    "records as vectors": (
        ("type P[d] = {w: f32[d], b: f32}\ndef f(p: P[d], q: P[d]) -> P[d] = p - 0.5 * q"),
        ({"w": X, "b": np.float32(1)}, {"w": X, "b": np.float32(1)}),
        lambda p, q: {"w": X / 2, "b": 0.5},
    ),
    "update": (
        ("def f(p: {w: f32[d], b: f32}) -> {w: f32[d], b: f32} = {p with b = p.b + 1.0}"),
        ({"w": X, "b": np.float32(1)},),
        lambda p: {"w": X, "b": 2.0},
    ),
    "a lambda called twice": (
        ("def f(x: f32[n]) -> f32[n] =\n    let g = fn v -> v * 2.0\n    g(g(x))"),
        (X,),
        lambda x: 4 * x,
    ),
    "a function argument": (
        ("def ap(g: (f32) -> f32, x: f32) -> f32 = g(x)\ndef f(x: f32) -> f32 = ap(fn v -> v * v, x)"),
        (np.float32(3),),
        lambda x: 9.0,
    ),
    "static recursion": (
        (
            "static def fact(n: int) -> int = if n <= 1 then 1 else n * fact(n - 1)\n"
            "def f(x: f32) -> f32 = x * f32(fact(5))"
        ),
        (np.float32(1),),
        lambda x: 120.0,
    ),
    "enums": (
        (
            "enum Act = Relu | Leaky(slope: float)\n"
            "def act(x: f32[n], static a: Act) -> f32[n] =\n"
            "    match a with\n"
            "        Relu -> maximum(x, 0.0)\n"
            "        Leaky(s) -> where(x > 0.0, x, x * s)\n"
            "def f(x: f32[n]) -> (f32[n], f32[n]) = (act(x, Relu), act(x, Leaky(0.5)))"
        ),
        (X,),
        lambda x: (np.maximum(x, 0), np.where(x > 0, x, x / 2)),
    ),
    "defaults": (
        ("def f(x: f32[n], static k: int = 2, *, static s: float = 0.5) -> f32[n] = x * f32(k) * s"),
        (X,),
        lambda x: x,
    ),
    "softmax": (
        (
            "def f(x: f32[n, d]) -> f32[n, d] where d >= 1 =\n"
            "    let e = exp(x - max(x, axis=1, keepdims=true))\n"
            "    e / sum(e, axis=1, keepdims=true)"
        ),
        (M,),
        lambda x: np.exp(x) / np.exp(x).sum(1, keepdims=True),
    ),
    "stack": (
        ("def f(a: f32, b: f32) -> f32[2] = [a, b]"),
        (np.float32(1), np.float32(2)),
        lambda a, b: np.array([a, b]),
    ),
    "einsum": (
        ('def f(x: f32[n, k], y: f32[k, m]) -> f32[n, m] = einsum("ij,jk->ik", x, y)'),
        (M, M.T),
        lambda x, y: x @ y,
    ),
    "integer division": (
        ("def f(x: i32[n], y: i32[n]) -> (i32[n], i32[n]) = (x // y, x % y)"),
        (np.array([7, -7, 7, -7], np.int32), np.array([2, 2, -2, -2], np.int32)),
        lambda x, y: (x // y, x % y),
    ),
    "float division": (
        ("def f(x: f32[n]) -> (f32[n], f32[n]) = (x // 0.7, x % 0.7)"),
        (X,),
        lambda x: (x // np.float32(0.7), x % np.float32(0.7)),
    ),
    "powers": (
        ("def f(x: f32[n]) -> (f32[n], f32[n], f32[n]) = (x ** 3, x ** -2, x ** 0)"),
        (X,),
        lambda x: (x**3, x**-2.0, x**0),
    ),
    "tree_map": (
        ("def f(p: {w: f32[d], b: f32}) -> {w: f32[d], b: f32} = tree_map(fn v -> v * 2.0, p)"),
        ({"w": X, "b": np.float32(1)},),
        lambda p: {"w": 2 * X, "b": 2.0},
    ),
    "static numbers": (
        ("let golden = (1.0 + 5.0 ** 0.5) / 2.0\ndef f(x: f32) -> f32 = x * golden * sqrt(4.0)"),
        (np.float32(1),),
        lambda x: 1 + 5**0.5,
    ),
    "shapes as values": (
        ("def f(x: f32[n, d]) -> f32[d, n] = reshape(x, [x.shape[1], x.shape[0]])"),
        (M,),
        lambda x: x.reshape(4, 3),
    ),
    "a definition called often": (
        (
            "def g(x: f32[n]) -> f32[n] =\n"
            "    let a = x * 2.0\n"
            "    let b = a + x\n"
            "    let c = b * a - x\n"
            "    let d = c + a * b - x * c\n"
            "    let e = d * d - c * a + b * x\n"
            "    e + d - a\n"
            "def f(x: f32[n]) -> f32[n] = g(g(x * 0.1))"
        ),
        (X,),
        lambda x: _twice(x * np.float32(0.1)),
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_program(name: str) -> None:
    assert_computes(*CASES[name])
