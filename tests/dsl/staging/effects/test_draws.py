"""Fresh keys: every element and every step draws its own; a draw added elsewhere changes no other one."""

from __future__ import annotations

import numpy as np
import pytest

import dsl

TEXT = """
import random
def draw(x: f32) -> f32 ! rand = x + random.uniform(fresh_key(), [])
def mapped(x: f32[n]) -> f32[n] ! rand = vmap(draw)(x)
def comprehended(x: f32[n]) -> f32[n] ! rand = [draw(v) for v in x]
def scanned(x: f32[n]) -> f32[n] ! rand =
    let (last, ys) = scan s = 0.0 for v in x do (s, draw(v))
    ys
def iterated(x: f32) -> (f32, f32) ! rand =
    let (k, a, b) = iterate (k, a, b) = (0, x, x) while k < 2 limit 2 do (k + 1, b, draw(0.0))
    (a, b)
def twice(x: f32[n]) -> f32[n] ! rand = [draw(v) - draw(v) for v in x]
def handled(x: f32[n], k: key) -> f32[n] = with rng(k) do [draw(v) for v in x]
def alone(x: f32) -> f32 ! rand =
    let a = random.normal(fresh_key(), [])
    a + x
def with_another(x: f32) -> f32 ! rand =
    let b = random.uniform(fresh_key(), [3])
    let a = random.normal(fresh_key(), [])
    a + x
"""
ZERO = np.zeros(4, np.float32)


@pytest.fixture(scope="module")
def program() -> dsl.Program:
    return dsl.program(TEXT)


@pytest.mark.parametrize("name", ["mapped", "comprehended", "scanned"])
def test_every_element_draws_its_own(program: dsl.Program, name: str) -> None:
    drawn = np.asarray(program.functions[name](ZERO, key=3))
    assert len(set(drawn.tolist())) == 4
    np.testing.assert_array_equal(drawn, program.functions[name](ZERO, key=3))
    assert not np.array_equal(drawn, program.functions[name](ZERO, key=4))


def test_every_turn_draws_its_own(program: dsl.Program) -> None:
    first, second = program.iterated(0.0, key=3)
    assert float(first) != float(second)


def test_two_draws_differ(program: dsl.Program) -> None:
    assert np.all(np.asarray(program.twice(ZERO, key=1)) != 0)


def test_a_handler_takes_the_key(program: dsl.Program) -> None:
    np.testing.assert_array_equal(program.handled(ZERO, dsl.key(5)), program.handled(ZERO, np.array([0, 5], np.uint32)))


def test_another_draw_changes_nothing(program: dsl.Program) -> None:
    assert float(program.alone(0.0, key=7)) == float(program.with_another(0.0, key=7))
