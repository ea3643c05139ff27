"""What a choice leaves out contributes nothing to a derivative, be it infinite or not a number, in any composition.

Each function is singular where its guard is false. Whatever guards it, the derivative is that of the branch taken:
the oracle is that branch alone, differentiated where all is well.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dsl
from dsl.host.programs.program import Program
from tests.support.cases import some

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
    "inner product": Singular("dot(stack((log(x), 1.0 / x)), stack((sqrt(x), x)))"),
    "matrix product": Singular("sum(([[1.0, 2.0], [3.0, 4.0]] * log(x)) @ stack((sqrt(x), 1.0 / x)))"),
    "solution": Singular("sum(linalg.solve([[1.0, 2.0], [0.5, 0.25]] * x, stack((log(x), x))))"),
    "cholesky": Singular("sum(linalg.cholesky([[1.0, 0.5], [0.5, 2.0]] * x))"),
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
import linalg
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
        for found in some(f.interpret(POINTS)):
            np.testing.assert_allclose(found, oracle(name, order), rtol=1e-8, atol=1e-8)


@pytest.mark.parametrize("way", ["where", "if"])
@pytest.mark.parametrize("name", SINGULAR)
def test_compiled_derivatives(name: str, way: str) -> None:
    m = program(name, way)
    for order, f in ((1, m.first), (2, m.second)):
        for found in some(f(POINTS)):
            np.testing.assert_allclose(found, oracle(name, order), rtol=1e-8, atol=1e-8)


SHARED = """
import linalg
def columns(w: f64[m, k], x: f64[k, n], mask: bool[n]) -> f64 = sum(where(mask[None, :], w @ log(x), 0.0))
def rows(w: f64[k], x: f64[n, k], mask: bool[n]) -> f64 =
    sum([if ok then tanh(dot(w, log(row))) else 0.0 for row, ok in zip(x, mask)])
def batches(w: f64[k, m], x: f64[n, 2, k], mask: bool[n]) -> f64 = sum(where(mask[:, None, None], log(x) @ w, 0.0) ** 2)
def whole(w: f64[k], x: f64[k], mask: bool) -> f64 = where(mask, dot(w, log(x)) ** 2, 0.0)
def solved(a: f64[k, k], x: f64[k], mask: bool) -> f64 = where(mask, sum(linalg.solve(a, log(x)) ** 2), 0.0)
"""
W = np.array([[1.0, 2.0], [3.0, 4.0]])
MASK = np.array([True, False, True])
ROWS = np.array([[1.5, 2.0], [0.0, np.nan], [3.0, 0.5]])
SHARING = {
    "columns": (W, ROWS.T, MASK),
    "rows": (W[0], ROWS, MASK),
    "batches": (W, np.stack([ROWS, 2 * ROWS], axis=1), MASK),
    "whole": (W[0], ROWS[1], MASK[1]),
    "solved": (np.zeros((2, 2)), ROWS[1], MASK[1]),
}


@pytest.mark.parametrize("name", SHARING)
def test_parameters_shared_with_what_is_left_out(name: str) -> None:
    """The gradient of a matrix that also met what the mask leaves out is the one without that."""
    m = dsl.program(SHARED)
    slope = dsl.grad(getattr(m, name), argnums=(0, 1))
    w, x, mask = SHARING[name]
    tame = np.where(np.isfinite(x) & (x > 0), x, 1.0)
    clean = np.eye(2) if name == "solved" else w
    for found, expected in zip(some(slope(w, x, mask)), slope.interpret(clean, tame, mask), strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-12)


RULES = """
def yours(x: f64) -> f64 =
    custom_vjp(fn v -> sqrt(v), fn v -> (sqrt(v), sqrt(v)), fn (s, ct) -> (ct * 0.5 / s,))(x)
def mine(x: f64) -> f64 = custom_jvp(fn v -> sqrt(v), fn (p, t) -> (sqrt(p.0), t.0 * 0.5 / sqrt(p.0)))(x)
def masked(x: f64[n]) -> f64 = sum(where(x > 0.0, [yours(v) for v in x], 0.0))
def branched(x: f64[n]) -> f64 = sum([if v > 0.0 then yours(v) else 0.0 for v in x])
def before(x: f64[n]) -> f64 = sum([mine(where(v > 0.0, v, 1.0) - 1.0) for v in x])
"""


@pytest.mark.parametrize(
    ("name", "slopes"), [("masked", [0.25, 0, 0]), ("branched", [0.25, 0, 0]), ("before", [0.5 / np.sqrt(3), 0, 0])]
)
def test_rules_of_ones_own_absorb_too(name: str, slopes: list[float]) -> None:
    m = dsl.program(RULES)
    f, x = getattr(m, name), np.array([4.0, 0.0, -1.0])
    found = [dsl.grad(f)(x), *([dsl.jacfwd(f)(x)] if name == "before" else [])]
    for slope in found:
        np.testing.assert_allclose(slope, slopes, rtol=1e-12)


@pytest.mark.parametrize(
    ("rule", "slope"),
    [
        ("ct * s", 3),
        ("ct + 1.0", 2),
        ("s", 3),
        ("2.0", 2),
        ("ct * ct", 1),
        ("clip(ct, -0.5, 0.5)", 0.5),
        ("0.0 * ct", 0),
    ],
)
def test_a_rule_that_is_not_linear_is_used_as_it_is(rule: str, slope: float) -> None:
    text = f"def f(x: f64) -> f64 = custom_vjp(fn v -> v, fn v -> (v, v), fn (s, ct) -> ({rule},))(x)"
    assert float(dsl.grad(dsl.program(text).f)(3.0)) == slope


def deeper(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    one = st.sampled_from(["sqrt", "log", "exp", "tanh", "arccos", "arctanh", "cbrt", "1.0 / ", "-"])
    two = st.sampled_from(["+", "-", "*", "/", "**"])
    return st.one_of(
        st.builds("{}({})".format, one, inner),
        st.builds("({} {} {})".format, inner, two, inner),
        st.builds("where({} > 0.5, {}, {})".format, inner, inner, inner),
        st.builds("(if {} > 0.5 then {} else {})".format, inner, inner, inner),
        st.builds("(fold s = {} for _ in range(2) do s * {})".format, inner, inner),
    )


EXPRESSIONS = st.recursive(st.sampled_from(["x", "x", "0.5", "2.0"]), deeper, max_leaves=6)
RANDOM = """
def body(x: f64) -> f64 = {body} + 0.0 * x
def picked(x: f64[n], mask: bool[n]) -> f64 = sum([where(m, body(v), 1.0) for v, m in zip(x, mask)])
def taken(x: f64[n], mask: bool[n]) -> f64 = sum([if m then body(v) else 1.0 for v, m in zip(x, mask)])
def values(x: f64[n]) -> (f64[n], f64[n], f64[n]) =
    ([body(v) for v in x], [grad(body)(v) for v in x], [grad(grad(body))(v) for v in x])
def slopes(x: f64[n], mask: bool[n]) -> (f64[n], f64[n]) = (grad(picked)(x, mask), grad(taken)(x, mask))
def bends(x: f64[n], mask: bool[n]) -> (f64[n], f64[n]) =
    let one = ones_like(x)
    (hvp(fn y -> picked(y, mask), x, one), hvp(fn y -> taken(y, mask), x, one))
"""


@given(EXPRESSIONS)
@settings(max_examples=40, deadline=None)
def test_random_functions_where_they_are_regular(body: str) -> None:
    """Chosen where value and derivatives are finite: there the derivatives of the function, elsewhere zero."""
    m = dsl.program(RANDOM.format(body=body))
    values = [np.asarray(v) for v in m.values.interpret(POINTS)]
    mask = np.logical_and.reduce([np.isfinite(v) & (abs(v) < 1e100) for v in values])
    for order, f in ((1, m.slopes), (2, m.bends)):
        for found in some(f.interpret(POINTS, mask)):
            np.testing.assert_allclose(found, np.where(mask, values[order], 0), rtol=1e-6, atol=1e-9)
