"""A top-level constant may be mentioned anywhere, any number of times: it means what a definition without parameters
means, which is the oracle here."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest

import dsl
from tests.support.cases import some

CONSTANTS = {
    "array": ("[1.0, 2.0]", "k"),
    "record": ("{a = [1.0, 2.0], m = [[1.0, 2.0], [3.0, 4.0]]}", "k.m @ k.a"),
    "tuple": ("(2, [1.0, 2.0])", "(k.1 * k.0)"),
    "computed": ("cumsum(linspace(0.0, 1.0, 2) + 1.0)", "k"),
    "function": ("\n    let t = [1.0, 2.0]\n    fn v -> v * t", "k(x)"),
    "function of one": ("(fn v -> v * 2.0, [1.0, 2.0])", "k.0(k.1)"),
}
PLACES = {
    "twice": "x * C + C",
    "branches": "if x[0] > 0.0 then x * C else x + C",
    "loop and after": "(fold a = x for _ in range(3) do a + C) * C",
    "comprehension": "[sum(C * v) for v in x]",
    "gradient": "grad(fn v -> sum(v * v * C))(x) + C",
    "vmap of gradient": "vmap(grad(fn v -> sum(v * sin(v * C))))(x) + C",
    "large function": "large(x) + large(x + 1.0) * C",
}
LARGE = "def large(x: f32[2]) -> f32[2] = " + " + ".join(f"sin(x * {k}.0) * C" for k in range(1, 12))


def program(value: str, use: str, place: str, definition: bool) -> str:
    """`f` and `g` with the constant, or with a definition in its place."""
    head, use = (f"def k() = {value}", use.replace("k", "k()")) if definition else (f"let k = {value}", use)
    body = f"{LARGE}\ndef f(x: f32[2]) -> f32[2] = {place}\ndef g(x: f32[2]) -> f32 = sum(f(x) * C)"
    return f"{head}\n{body}\n".replace("C", f"({use})")


@pytest.mark.parametrize(("constant", "place"), product(CONSTANTS, PLACES))
def test_a_constant_is_a_definition_without_parameters(constant: str, place: str) -> None:
    value, use = CONSTANTS[constant]
    x = np.array([3.0, -4.0], np.float32)
    m = dsl.program(program(value, use, PLACES[place], definition=False))
    oracle = dsl.program(program(value, use, PLACES[place], definition=True))
    for found, expected in zip(some(results(m, x)), results(oracle, x), strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-5)


def results(m: dsl.Program, x: np.ndarray[Any, Any]) -> list[Any]:
    return [m.f(x), m.g(x), dsl.grad(m.g)(x), m.f.interpret(x)]


def test_effects_of_a_constant_function_reach_the_handler_at_its_use() -> None:
    m = dsl.program("""
from random import normal
let noisy = fn v -> v + normal(fresh_key())
def f(x: f32, k: key, l: key) -> (f32, f32) =
    (with rng(k) do noisy(x), with rng(l) do noisy(x))
""")
    first, second = m.f(1.0, dsl.key(1), dsl.key(2))
    assert first != second
