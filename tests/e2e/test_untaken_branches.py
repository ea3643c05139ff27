"""What a choice leaves out contributes nothing to a derivative, be it infinite or not a number, in any composition.

Each function is singular where its guard is false. Whatever guards it, the derivative is that of the branch taken:
the oracle is that branch alone, differentiated where all is well.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
import pytest

import dsl
from dsl.host.program import Program

POINTS = np.array([-2.0, -1.0, -0.0, 0.0, 0.25, 0.5, 0.75, 1.0, 1.5, 4.0, np.inf, -np.inf, np.nan])


@dataclass(frozen=True, slots=True)
class Singular:
    """`body` of x: f64, meant where `guard` holds."""

    body: str
    guard: str = "x > 0.0 and x < 5.0"


INSIDE = "x > -1.0 and x < 1.0"
SINGULAR = {
    "sqrt": Singular("sqrt(x)"),
    "rsqrt": Singular("rsqrt(x)"),
    "cbrt": Singular("cbrt(x)"),
    "log": Singular("log(x)"),
    "log1p": Singular("log1p(x)", "x > -1.0 and x < 5.0"),
    "reciprocal": Singular("1.0 / x"),
    "quotient": Singular("(x + 1.0) / (x * x)"),
    "power": Singular("x ** 0.5"),
    "power of itself": Singular("x ** x"),
    "integer power": Singular("x ** -2"),
    "arcsin": Singular("arcsin(x)", INSIDE),
    "arccos": Singular("arccos(x)", INSIDE),
    "arctanh": Singular("arctanh(x)", INSIDE),
    "arccosh": Singular("arccosh(x)", "x > 1.0 and x < 5.0"),
    "arctan2": Singular("arctan2(x, x * x)"),
    "lgamma": Singular("lgamma(x)"),
    "of a difference": Singular("sqrt(x - 0.5)", "x > 0.5 and x < 5.0"),
    "chain": Singular("exp(1.0 / x) * sqrt(log(x + 1.0))"),
    "finite functions of it": Singular("tanh(log(x)) + cos(1.0 / x) + sigmoid(1.0 / x)"),
    "norm": Singular("sqrt(sum(stack((x, 2.0 * x)) ** 2))"),
    "product of all": Singular("prod(stack((log(x), sqrt(x), x)))"),
    "maximum": Singular("maximum(log(x), -3.0) + max(stack((sqrt(x), x)))"),
    "sorted": Singular("sum(sort(stack((log(x), 1.0 / x, x))) * [1.0, 2.0, 3.0])"),
    "running sum": Singular("sum(cumsum(stack((log(x), 1.0 / x))) ** 2)"),
    "picked": Singular("stack((log(x), sqrt(x), x))[1]"),
    "fold": Singular("fold s = x for _ in range(3) do sqrt(s) + log(s + x + 1.0)"),
    "scan": Singular("sum((scan s = x for _ in range(3) do (sqrt(s + x), log(s))).1)"),
    "iterate": Singular("iterate s = x while s < 3.0 limit 4 do s + sqrt(s) + 1.0 / x"),
    "shared function": Singular("root(root(x)) + root(x)"),
    "custom_jvp": Singular("mine(x) + x"),
    "nested choice": Singular("if x > 0.6 then sqrt(x - 0.6) else log(x)"),
    "inner derivative": Singular("grad(fn v -> sqrt(v) * log(v))(x)"),
}
WAYS = {
    "where": "[chosen(v) for v in x]",
    "where of a mask": "where([guard(v) for v in x], [body(v) for v in x], 1.0)",
    "if": "[branched(v) for v in x]",
    "vmap": "vmap(branched)(x)",
    "scan": "(scan s = 0.0 for v in x do (s + chosen(v), branched(v) + 0.0 * s)).1",
    "checkpoint": "checkpoint(fn y -> [chosen(v) for v in y])(x)",
}
TEXT = """
def root(x: f64) -> f64 = sqrt(x)
def mine(x: f64) -> f64 = custom_jvp(fn v -> sqrt(v), fn (p, t) -> (sqrt(p.0), t.0 * 0.5 / sqrt(p.0)))(x)
def body(x: f64) -> f64 = {body}
def guard(x: f64) -> bool = {guard}
def chosen(x: f64) -> f64 = where(guard(x), body(x), 1.0)
def branched(x: f64) -> f64 = if guard(x) then body(x) else 1.0
def total(x: f64[n]) -> f64 = sum({way})
def forward(x: f64[n]) -> f64 = jvp(total, (x,), (ones_like(x),)).1
def first(x: f64[n]) -> (f64[n], f64[n], f64[n]) =
    let (_, pull) = vjp(total, x)
    (grad(total)(x), jacfwd(total)(x), pull(1.0).0)
def second(x: f64[n]) -> (f64[n], f64[n], f64[n]) =
    (hvp(total, x, ones_like(x)), grad(forward)(x), grad(fn y -> sum(grad(total)(y)))(x))
def taken(x: f64[n]) -> bool[n] = [guard(v) for v in x]
def slope(x: f64[n]) -> f64[n] = vmap(grad(body))(x)
def bend(x: f64[n]) -> f64[n] = vmap(grad(grad(body)))(x)
"""


@cache
def program(name: str, way: str) -> Program:
    found = SINGULAR[name]
    return dsl.program(TEXT.format(body=found.body, guard=found.guard, way=WAYS[way]))


@cache
def oracle(name: str, order: int) -> np.ndarray:
    """The derivative of the branch taken; zero at the other points."""
    m = program(name, "where")
    mask = np.asarray(m.taken.interpret(POINTS))
    inside = m.slope if order == 1 else m.bend
    found = np.zeros(POINTS.shape)
    found[mask] = np.asarray(inside.interpret(POINTS[mask]))
    assert 0 < mask.sum() < POINTS.size and np.isfinite(found).all()
    return found


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", SINGULAR)
def test_derivatives(name: str, way: str) -> None:
    m = program(name, way)
    for order, f in ((1, m.first), (2, m.second)):
        for found in f.interpret(POINTS):
            np.testing.assert_allclose(found, oracle(name, order), rtol=1e-8, atol=1e-8)


@pytest.mark.parametrize("way", ["where", "if"])
@pytest.mark.parametrize("name", SINGULAR)
def test_compiled_derivatives(name: str, way: str) -> None:
    m = program(name, way)
    for order, f in ((1, m.first), (2, m.second)):
        for found in f(POINTS):
            np.testing.assert_allclose(found, oracle(name, order), rtol=1e-8, atol=1e-8)
