"""Fresh keys: every element and every step draws its own; layout and other definitions change no numbers."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dsl
from dsl.diagnostics.source import Source
from dsl.syntax.format import format_source

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
def caller(x: f32[n], k: key) -> f32[n] = handled(x, k)
def alike(x: f32[n]) -> (f32[n], f32[n]) ! rand = ([draw(v) for v in x], [draw(v) for v in x])
def several(x: f32[n])->f32[n] ! rand =
    let a = random.normal(fresh_key(),[n])
    let f = fn v -> v+random.normal( fresh_key(), [])
    a + [f(v)+draw(v) for v in x]
def leaves[P: VSpace](p: P) -> P ! rand =
    tree_map(fn x -> x + cast(random.uniform(fresh_key(), x.shape), x.dtype), p)
def numbered[P: VSpace](p: P) -> (P, i32) = with state seen = 0 do
    tree_map(fn x ->
        seen := seen + 1
        x * cast(seen, x.dtype), p)
"""
ZERO = np.zeros(4, np.float32)


@pytest.fixture(scope="module")
def program() -> dsl.Program:
    return dsl.program(TEXT)


@pytest.mark.parametrize("name", ["mapped", "comprehended", "scanned"])
def test_every_element_draws_its_own(program: dsl.Program, name: str) -> None:
    drawn = np.asarray(getattr(program, name)(ZERO, key=3))
    assert len(set(drawn.tolist())) == 4
    np.testing.assert_array_equal(drawn, getattr(program, name)(ZERO, key=3))
    assert not np.array_equal(drawn, getattr(program, name)(ZERO, key=4))


def test_every_leaf_of_any_tree_draws_its_own(program: dsl.Program) -> None:
    drawn = program.leaves({"a": ZERO, "b": ZERO}, key=3)
    assert len({*drawn["a"].tolist(), *drawn["b"].tolist()}) == 8
    again = program.leaves.interpret({"a": ZERO, "b": ZERO}, key=3)
    np.testing.assert_array_equal(again["a"], drawn["a"])
    np.testing.assert_array_equal(again["b"], drawn["b"])


def test_cells_are_written_leaf_by_leaf(program: dsl.Program) -> None:
    found, seen = program.numbered({"b": (ZERO + 1, 1.0), "a": ZERO + 1})
    assert (found["a"][0], found["b"][0][0], found["b"][1], seen) == (1, 2, 3, 3)


def test_every_turn_draws_its_own(program: dsl.Program) -> None:
    first, second = program.iterated(0.0, key=3)
    assert float(first) != float(second)


def test_two_draws_differ(program: dsl.Program) -> None:
    assert np.all(np.asarray(program.twice(ZERO, key=1)) != 0)


def test_a_handler_takes_the_key(program: dsl.Program) -> None:
    np.testing.assert_array_equal(program.handled(ZERO, dsl.key(5)), program.handled(ZERO, np.array([0, 5], np.uint32)))


def test_a_call_of_another_function_changes_nothing() -> None:
    text = "import random\ndef f(x: f32) -> f32 ! rand = {}x + random.normal(fresh_key(), [])\n"
    plain, longer = (dsl.program(text.format(before)).f(0.0, key=7) for before in ("", "exp(x) - exp(x) + "))
    np.testing.assert_array_equal(plain, longer)


def test_alike_loops_on_one_line_draw_their_own(program: dsl.Program) -> None:
    first, second = program.alike(ZERO, key=1)
    assert not np.any(np.asarray(first) == np.asarray(second))


def test_a_function_with_its_own_handler_draws_the_same_for_every_caller(program: dsl.Program) -> None:
    np.testing.assert_array_equal(program.handled(ZERO, dsl.key(5)), program.caller(ZERO, dsl.key(5)))


# ---------------------------------------------------------------- layout


@cache
def drawn(text: str) -> list[Any]:
    program = dsl.program(text)
    return [getattr(program, name)(ZERO, key=3) for name in ("twice", "alike", "several")]


def assert_same_numbers(text: str, other: str) -> None:
    for before, after in zip(drawn(text), drawn(other), strict=True):
        for x, y in zip(np.atleast_2d(before), np.atleast_2d(after), strict=True):
            np.testing.assert_array_equal(x, y)


def test_formatting_changes_no_numbers() -> None:
    other = format_source(Source("other.dsl", TEXT))
    assert other != TEXT
    assert_same_numbers(TEXT, other)


def test_the_order_of_definitions_changes_no_numbers() -> None:
    head, *definitions = TEXT.split("\ndef ")
    assert_same_numbers(TEXT, "\ndef ".join([head, *reversed(definitions)]))


@settings(max_examples=5, deadline=None)
@given(st.data())
def test_comments_change_no_numbers(data: st.DataObject) -> None:
    lines = TEXT.splitlines()
    for row in sorted(data.draw(st.sets(st.integers(1, len(lines)), min_size=1)), reverse=True):
        lines.insert(row, "# a comment")
    assert_same_numbers(TEXT, "\n".join(lines) + "\n")
