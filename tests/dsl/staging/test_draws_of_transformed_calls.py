"""A transformed function draws the keys that the function draws where it is called."""

from __future__ import annotations

import numpy as np
import pytest

import dsl

PROGRAM = """
from random import normal
def noisy(x: f32) -> f32 ! rand = x * normal(fresh_key())
def run(x: f32, k: key) -> (f32, f32) = with rng(k) do (<call>, noisy(x))
def each(xs: f32[n], k: key) -> f32[n] = with rng(k) do <all>
"""


def program(call: str = "noisy(x)", all_: str = "[noisy(v) for v in xs]") -> dsl.Program:
    return dsl.program(PROGRAM.replace("<call>", call).replace("<all>", all_))


@pytest.mark.parametrize(
    "call",
    [
        "jit(noisy)(x)",
        "checkpoint(noisy)(x)",
        "jit(checkpoint(noisy))(x)",
        "value_and_grad(noisy)(x).0",
        "x * grad(noisy)(x)",
    ],
)
def test_values_are_those_of_the_function(call: str) -> None:
    plain, transformed = program().run(2.0, 7), program(call).run(2.0, 7)
    np.testing.assert_allclose(np.asarray(plain), np.asarray(transformed), rtol=1e-6)
    assert plain[0] != plain[1]


def test_vmap_draws_what_a_comprehension_draws() -> None:
    xs = np.ones(3, np.float32)
    plain, mapped = program().each(xs, 7), program(all_="vmap(noisy)(xs)").each(xs, 7)
    np.testing.assert_allclose(plain, mapped, rtol=1e-6)
    assert len(set(np.asarray(plain).tolist())) == 3
