"""Draws of operations by name depend on the key and their names, not on the text around the operation."""

from __future__ import annotations

import numpy as np

import dsl

TEXT = """
from random import normal
effect named sample: (static name: str, loc: f32) -> f32
def first() -> f32 ! sample = sample("a", 0.0) + sample("b", 0.0)
def second() -> f32 ! sample =
    let b = sample("b", 0.0)
    inner() * b
def inner() -> f32 ! sample = sample("a", 1.0)
def drawn[P: Tree](k: key, model: () -> f32 ! sample(P)) -> P =
    let (_, values) = with rng(k) do
        with handler sample(name, loc) -> resume(normal(fresh_key())), record do model()
    values
def one(k: key) -> first.sample = drawn(k, first)
def two(k: key) -> second.sample = drawn(k, fn () -> second())
"""


def test_the_order_and_the_place_of_operations_change_no_draws() -> None:
    program, key = dsl.program(TEXT), dsl.random.key(3)
    one, two = program.one(key), program.two(key)
    assert {name: float(one[name]) for name in "ab"} == {name: float(two[name]) for name in "ab"}
    assert float(one["a"]) != float(one["b"])
    np.testing.assert_allclose(float(program.two.interpret(key)["a"]), float(two["a"]), rtol=1e-5)
