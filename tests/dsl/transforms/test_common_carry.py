"""What all lanes of a loop that still run have in common is carried once: a counter, so that all write to one place."""

from __future__ import annotations

import numpy as np
import pytest

import dsl
from tests.support.cases import some

TEXT = """
type Path[a] = {x: a, seen: a[8], steps: i32}
def path(x: f64) -> Path[f64] =
    iterate s: Path[f64] = {x = x, seen = zeros([8], f64), steps = i32(0)} while s.x > 1.0 limit 8 do
        {x = 0.5 * s.x, seen = s.seen.at[s.steps % 8].set(s.x), steps = s.steps + 1}
def paths(x: f64[n]) = vmap(path)(x)
def nested(x: f64[n, m]) = vmap(vmap(path))(x)
def slopes(x: f64[n]) -> f64[n] = grad(fn x -> sum([sum(p.seen ** 2) for p in vmap(path)(x)]))(x)
def until(x: f64, start: i32) -> (f64, i32) =
    iterate (x, k) = (x, start) while k % 4 != 3 and x < 100.0 limit 50 do (x + f64(k), k + 1)
def many(x: f64[n], start: i32) -> (f64[n], i32[n]) = vmap(fn x -> until(x, start))(x)
def scaled(x: f64[n], rate: f64) -> f64[n] =
    let one = fn x ->
        let (_, y) = iterate (r, y) = (rate, x) while y < 10.0 limit 20 do (0.5 * r, y * (1.0 + r))
        y
    vmap(one)(x)
def by_rate(x: f64[n], rate: f64) -> f64 = grad(fn r -> sum(scaled(x, r)))(rate)
"""
STARTS = np.array([0.5, 3.0, 100.0, 9.0, 1000.0])


@pytest.fixture(scope="module")
def m() -> dsl.Program:
    return dsl.program(TEXT)


def test_each_lane_has_what_it_has_alone(m: dsl.Program) -> None:
    found, nested = m.paths(STARTS), m.nested(np.stack([STARTS, STARTS[::-1]]))
    for k, x in enumerate(some(STARTS.tolist())):
        alone = m.path(x)
        for name in ("x", "seen", "steps"):
            np.testing.assert_array_equal(np.asarray(found[name])[k], np.asarray(alone[name]))
            np.testing.assert_array_equal(np.asarray(nested[name])[0, k], np.asarray(alone[name]))
            np.testing.assert_array_equal(np.asarray(nested[name])[1, -1 - k], np.asarray(alone[name]))


def test_lanes_write_to_one_place(m: dsl.Program) -> None:
    text = m.paths.hlo(STARTS)
    assert "scatter(" not in text
    assert "dynamic-update-slice(" in text


def test_the_evaluator_agrees(m: dsl.Program) -> None:
    np.testing.assert_array_equal(m.paths.interpret(STARTS)["seen"], np.asarray(m.paths(STARTS)["seen"]))


def test_a_condition_sees_the_counter_of_its_own_lane(m: dsl.Program) -> None:
    """A lane that is done stays so, though the counter of the others passes places where it would go on."""
    for start in (0, 1, 3):
        x, k = map(np.asarray, m.many(np.array([0.0, 99.5, 200.0]), np.int32(start)))
        for lane, first in enumerate((0.0, 99.5, 200.0)):
            wanted = m.until(first, np.int32(start))
            assert (x[lane], k[lane]) == (float(wanted[0]), int(wanted[1]))


def test_derivatives_are_those_of_each_lane(m: dsl.Program) -> None:
    """Powers of a half of x, as many as there are steps; and of a rate that all have in common."""
    steps = np.asarray(m.paths(STARTS)["steps"])
    wanted = [2 * x * sum(0.25**k for k in range(n)) for x, n in zip(STARTS, steps, strict=True)]
    np.testing.assert_allclose(np.asarray(m.slopes(STARTS)), wanted, rtol=1e-12)
    x = np.array([1.0, 4.0, 9.5, 11.0])
    change = np.asarray(m.scaled(x, 1.0 + 1e-6)).sum() - np.asarray(m.scaled(x, 1.0 - 1e-6)).sum()
    np.testing.assert_allclose(np.asarray(m.by_rate(x, 1.0)), change / 2e-6, rtol=1e-6)
