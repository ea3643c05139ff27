"""Values that a form mentions several times are computed once: so are their effects."""

from __future__ import annotations

import numpy as np
import pytest

import dsl

COUNTED = """
def one(x: f64) -> f64 ! accum(count: f64) =
    count += 1.0
    x
def two(x: f64[n]) -> (f64[n], f64[n]) ! accum(count: f64) =
    count += 1.0
    (x, 2 * x)
def parts(x: f64[n]) -> {a: f64[n], b: f64[n]} ! accum(count: f64) =
    count += 1.0
    {a = x, b = 2 * x}
def line(x: f64) -> {at: (f64) -> f64, more: {at: (f64) -> f64}} ! accum(count: f64) =
    count += 1.0
    {at = fn y -> x * y, more = {at = fn y -> x + y}}
def thrice(g: (f64) -> f64, x: f64) -> f64 = fold y = x for _ in range(3) do g(y)
def both(gs: ((f64) -> f64, (f64) -> f64), x: f64) -> f64 = gs.0(gs.1(gs.0(x)))
def held(g: {at: (f64) -> f64}, x: f64) -> f64 = g.at(g.at(x))
def f(x: f64[4]) -> f64 = (with accum count: f64 do EXPRESSION).1
"""
EXPRESSIONS = {
    "0.0 < one(x[0]) < 2.0": 1,
    "one(x[0]) < one(x[1]) <= one(x[2])": 3,
    "concatenate(two(x))": 1,
    "stack(two(x), axis=1)": 1,
    "tree_map(fn v -> v + 1, parts(x))": 1,
    "tree_map(fn (v, w) -> v + w, two(x), two(x)).0": 2,
    "tree_reduce(fn (v, w) -> v + w, parts(x))": 1,
    "jvp(fn (v, w) -> sum(v * w), two(x), two(x)).0": 2,
    "jvp(fn v -> v * v, (one(x[0]),), (one(x[1]),)).1": 2,
    "parts(x) - one(x[0]) * parts(x)": 3,
    "fold a = 0.0 for v in two(x) do a + sum(v)": 1,
    "[one(v) for v in parts(x).a]": 5,
    "thrice(line(x[1]).at, x[0])": 1,
    "thrice(line(x[1]).more.at, x[0])": 1,
    "both((line(x[1]).at, line(x[2]).at), x[0])": 2,
    "held(line(x[1]).more, x[0])": 1,
    "vmap(line(x[1]).at)(x)": 1,
    "[line(x[1]).at(v) for v in x]": 4,
    "grad(line(x[1]).at)(x[0])": 1,
}


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_an_effect_happens_as_often_as_it_is_written(expression: str) -> None:
    program = dsl.program(COUNTED.replace("EXPRESSION", expression))
    assert float(program.f.interpret(np.arange(4.0))) == EXPRESSIONS[expression]


def test_operands_are_evaluated_from_left_to_right(capfd: pytest.CaptureFixture[str]) -> None:
    program = dsl.program("""
def shown(static name: str, x: f64) -> f64 ! io =
    print("{}", x)
    x
def f(x: f64) -> bool ! io = shown("a", x) < shown("b", x + 1) < shown("c", x + 2)
""")
    assert bool(program.f(np.float64(1.0)))
    assert [float(line) for line in capfd.readouterr().out.split()] == [1.0, 2.0, 3.0]


DRAWN = """
from random import normal
def noise(k: key) -> f32[3] = normal(k, [3])
def f(k: key, x: f32[3]) -> f32[3, 3] = DERIVATIVE
"""
DERIVATIVES = {
    "jacfwd(fn v -> v * noise(k))(x)": 1,
    "jacrev(fn v -> v * noise(k))(x)": 1,
    "value_and_jacfwd(fn v -> v * noise(k))(x).1": 1,
    "hessian(fn v -> sum(v * v * noise(k)))(x)": 2,
    "jit(jacrev(fn v -> v * noise(k)))(x)": 1,
    "jacfwd(grad(fn v -> sum(v * v * noise(k))))(x)": 2,
}


@pytest.mark.parametrize("derivative", DERIVATIVES)
def test_a_jacobian_draws_once(derivative: str) -> None:
    program = dsl.program(DRAWN.replace("DERIVATIVE", derivative))
    drawn = np.diag(np.asarray(program.noise(3))) * DERIVATIVES[derivative]
    assert np.allclose(program.f(3, np.ones(3, np.float32)), drawn)
