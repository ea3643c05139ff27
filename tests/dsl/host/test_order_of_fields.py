"""Records come to Python with their fields in the order in which they were written."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import dsl

TEXT = """
import solve
type Line[F: Float] = {slope: F, offset: F}
def declared(x: f32) -> {zeta: f32, alpha: f32} = {alpha = x, zeta = x}
def named(x: f64) -> Line[f64] = {offset = x, slope = x}
def inferred(x: f32) = {z = x, inner = {y = x, b = x}, a = x}
def passed(x: f32) = (named(f64(x)), 1.0 * x)
def stacked(x: f64[n]) = [named(y) for y in x]
def loss(line: Line[f64]) -> f64 = line.slope + line.offset
def solved(x: f64[2]) = solve.bfgs(fn x -> sum(x * x), x)
let table = {zeta = f32(1.0), alpha = f32(2.0)}
"""
PROGRAM = dsl.program(TEXT)
ONE = np.float32(1)
LINE = {"offset": 1.0, "slope": 2.0}


def test_declared_orders_come_before_those_of_literals() -> None:
    assert list(PROGRAM.declared(ONE)) == list(PROGRAM.declared.interpret(ONE)) == ["zeta", "alpha"]
    assert list(PROGRAM.named(1.0)) == ["slope", "offset"]
    assert list(PROGRAM.table) == ["zeta", "alpha"]


def test_literals_have_their_own_order_at_each_depth() -> None:
    found = PROGRAM.inferred(ONE)
    assert list(found) == ["z", "inner", "a"] and list(found["inner"]) == ["y", "b"]
    assert {name: float(found[name]) for name in "za"} == {"z": 1.0, "a": 1.0}


def test_orders_survive_calls_loops_and_transformations() -> None:
    assert list(PROGRAM.passed(ONE)[0]) == list(PROGRAM.stacked(np.ones(2))) == ["slope", "offset"]
    assert list(dsl.vmap(PROGRAM.named)(np.ones(2))) == ["slope", "offset"]
    slope = dsl.grad(PROGRAM.loss)(LINE)
    assert list(slope) == ["slope", "offset"]
    assert list(PROGRAM.solved(np.ones(2))) == ["value", "objective", "residual", "steps", "converged"]


def test_values_stay_with_their_names() -> None:
    assert dsl.tree.leaves(PROGRAM.named(3.0)) == [3.0, 3.0]
    found = dsl.program("def f(x: f32) -> {b: f32, a: f32[2]} = {a = [x, x], b = 2.0 * x}").f(ONE)
    assert list(found) == ["b", "a"] and float(found["b"]) == 2.0
    np.testing.assert_array_equal(found["a"], [1.0, 1.0])


def test_saved_programs_keep_the_order(tmp_path: Path) -> None:
    path = tmp_path / "named.dslx"
    dsl.save_artifact(path, PROGRAM.named, {"x": np.float64(1)})
    assert list(dsl.load_artifact(path)(1.0)) == ["slope", "offset"]


def test_an_order_is_no_part_of_a_type() -> None:
    """Records whose fields are written in other orders have the same type."""
    text = "type A = {y: f32, x: f32}\ntype B = {x: f32, y: f32}\ndef f(a: A) -> B = a\n"
    assert list(dsl.program(text).f({"x": ONE, "y": ONE})) == ["x", "y"]
    with pytest.raises(dsl.DslError, match="E03"):
        dsl.program("type A = {y: f32, x: f32}\ndef f(a: A) -> {x: f32, z: f32} = a\n")
