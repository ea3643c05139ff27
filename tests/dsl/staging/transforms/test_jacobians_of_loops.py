"""A Jacobian by forward mode of a loop keeps little of its steps: what a loop may run costs no memory, and no time."""

from __future__ import annotations

import re

import numpy as np
import pytest

import dsl

X, Y = np.array([0.3, -0.5, 1.0]), np.array([[0.2, 1.5]])

LOOPS = (
    "iterate u = v while sum(u * u) < 30.0 limit {steps} do u * 1.5 + sum(w) * sin(u)",
    "iterate (u, k) = (v, f64(0)) while k < 4.0 limit {steps} do (sin(u) * sum(w) + v, k + 1.0)",
    "fold u = v for i in range({steps}) do sin(u) * 0.5 + sum(w) * v",
    "scan u = v for i in range({steps}) do (cos(u) + w[0, 1] * v, sum(u))",
    "if sum(v) > 0.0 then (iterate u = v while sum(u) < 9.0 limit {steps} do u * 2.0 * w[0, 1]) else v * w[0, 0]",
    "fold u = v for i in range(3) do (iterate t = u while sum(t * t) < 30.0 limit {steps} do t * 1.5 + w[0, 0])",
    "[(iterate t = a while t < 9.0 limit {steps} do t * t + 1.0 + w[0, 0]) for a in v]",
)
PROGRAM = """
def f(v: f64[3], w: f64[1, 2]) = {body}
def by_first(v: f64[3], w: f64[1, 2]) = jacfwd(f)(v, w)
def by_both(v: f64[3], w: f64[1, 2]) = jacfwd(f, argnums=(0, 1))(v, w)
def with_value(v: f64[3], w: f64[1, 2]) = value_and_jacfwd(f, argnums=(1, 0))(v, w)
def along(v: f64[3], w: f64[1, 2], dv: f64[3], dw: f64[1, 2]) = jvp(f, (v, w), (dv, dw))
def backward(v: f64[3], w: f64[1, 2]) = jacrev(f, argnums=(0, 1))(v, w)
def curvature(v: f64[3], w: f64[1, 2]) = jacfwd(jacrev(f))(v, w)
def curvature_forward(v: f64[3], w: f64[1, 2]) = jacfwd(jacfwd(f))(v, w)
"""


def program(body: str, steps: int) -> dsl.Program:
    return dsl.program(PROGRAM.format(body=body.format(steps=steps)))


def leaves(value: object) -> list[np.ndarray]:
    return [leaf for part in value for leaf in leaves(part)] if isinstance(value, tuple) else [np.asarray(value)]


def same(found: object, wanted: object) -> None:
    for x, y in zip(leaves(found), leaves(wanted), strict=True):
        assert x.shape == y.shape
        np.testing.assert_allclose(x, y, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("steps", [6, 300])
@pytest.mark.parametrize("body", LOOPS)
def test_modes_agree(body: str, steps: int) -> None:
    """Few steps are kept, many are not."""
    m = program(body, steps)
    same(m.by_both(X, Y), m.backward(X, Y))
    same(m.curvature(X, Y), m.curvature_forward(X, Y))
    by_first = m.by_first(X, Y)
    value, _ = m.with_value(X, Y)
    same(value, m.f(X, Y))
    for direction in np.eye(3):
        _, tangent = m.along(X, Y, direction, np.zeros((1, 2)))
        for whole, one in zip(leaves(by_first), leaves(tangent), strict=True):
            np.testing.assert_allclose(whole @ direction, one, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("body", [body for body in LOOPS if not body.startswith("scan")])
@pytest.mark.parametrize("which", ["by_first", "by_both"])
def test_memory_does_not_grow_with_the_steps(body: str, which: str) -> None:
    few, many = (getattr(program(body, steps), which).memory(X, Y).peak for steps in (100, 10_000))
    assert many <= few + 64


def test_the_loop_runs_once_for_value_and_tangents_and_stops_with_it() -> None:
    m = program("iterate u = v while sum(u * u) < 30.0 limit {steps} do u * 1.5 + sum(w) * sin(u)", 10_000)
    text = m.with_value.ir(X, Y)
    assert len(re.findall(r"= while", text)) == 1
    assert "scan" not in text


def test_what_a_loop_prints_it_prints_once(capfd: pytest.CaptureFixture[str]) -> None:
    m = dsl.program("""
def f(v: f64[3]) =
    iterate u = v while sum(u) < 9.0 limit 5 do
        print("{}", sum(u))
        u * 2.0
def j(v: f64[3]) = jacfwd(f)(v)
""")
    np.testing.assert_allclose(np.asarray(m.j(np.ones(3))), 4.0 * np.eye(3))
    assert capfd.readouterr().out.split() == ["3.0", "6.0"]
