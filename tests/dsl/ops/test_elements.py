"""Elements of arrays that are put together from scalars are these scalars."""

from __future__ import annotations

import numpy as np

import dsl

PROGRAM = dsl.program("""
def picked(x: f64, y: f64[2]) -> f64[5] =
    let table = concatenate(([[1.5, x, 2.5]], broadcast_to(reshape(concatenate((y, [x])), [1, 3]), [2, 3])))
    [table[0, 1], table[0, 2], table[2, 2], reshape(table, [9])[::4][2], table[1:, ::2][1, 0]]
def coefficient(x: f64) -> f64 =
    let (y, _) = iterate (y, i) = (x, i32(0)) while i < 3 limit 8 do ([[2.0, 0.5], [3.0, 4.0]][1, 0] * sin(y), i + 1)
    y
def slope(x: f64) -> f64 = grad(coefficient)(x)
""")


def test_an_element_is_what_was_put_there() -> None:
    found = PROGRAM.picked(7.0, np.array([3.0, 4.0]))
    np.testing.assert_array_equal(found, [7.0, 2.5, 7.0, 7.0, 3.0])
    np.testing.assert_array_equal(PROGRAM.picked.interpret(7.0, np.array([3.0, 4.0])), found)


def test_a_table_of_constants_leaves_nothing_in_a_loop() -> None:
    text = PROGRAM.slope.lower(0.3).as_text()
    assert "concatenate" not in text
    by_steps = (float(PROGRAM.coefficient(0.3 + 1e-6)) - float(PROGRAM.coefficient(0.3 - 1e-6))) / 2e-6
    np.testing.assert_allclose(PROGRAM.slope(0.3), by_steps, rtol=1e-8)
