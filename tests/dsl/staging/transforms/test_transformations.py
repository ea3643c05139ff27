"""Transformations inside programs, against their closed forms."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import dsl
from tests.support.run import assert_computes

X = np.array([1.5, -2.0, 0.5, 3.0], np.float32)
M = np.arange(12, dtype=np.float32).reshape(3, 4) - 5.0

CASES: dict[str, tuple[str, tuple[Any, ...], Callable[..., Any]]] = {
    "grad": (
        ("def sq(x: f32[n]) -> f32 = sum(x * x)\ndef f(x: f32[n]) -> f32[n] = grad(sq)(x)"),
        (X,),
        lambda x: 2 * x,
    ),
    "grad of a second argument": (
        ("def g(x: f32, y: f32) -> f32 = x * y * y\ndef f(x: f32, y: f32) -> f32 = grad(g, argnums=1)(x, y)"),
        (np.float32(2), np.float32(3)),
        lambda x, y: 12.0,
    ),
    "grad of both": (
        (
            "def g(x: f32, y: f32) -> f32 = x * y * y\n"
            "def f(x: f32, y: f32) -> (f32, f32) = grad(g, argnums=(0, 1))(x, y)"
        ),
        (np.float32(2), np.float32(3)),
        lambda x, y: (9.0, 12.0),
    ),
    "grad with aux": (
        (
            "def g(x: f32) -> (f32, f32) = (x * x, x + 1.0)\n"
            "def f(x: f32) -> ((f32, f32), f32) = value_and_grad(g, has_aux=true)(x)"
        ),
        (np.float32(2),),
        lambda x: ((4.0, 3.0), 4.0),
    ),
    "grad of a record": (
        (
            "type P[d] = {w: f32[d], b: f32}\n"
            "def g(p: P[d]) -> f32 = sum(p.w * p.w) * p.b\n"
            "def f(p: P[d]) -> P[d] = grad(g)(p)"
        ),
        ({"w": X, "b": np.float32(2)},),
        lambda p: {"w": 4 * X, "b": (X * X).sum()},
    ),
    "grad of a closure": (
        ("def f(x: f32, k: f32) -> f32 = grad(fn v -> v * k)(x)"),
        (np.float32(2), np.float32(3)),
        lambda x, k: 3.0,
    ),
    "grad of grad": (
        ("def f(x: f32) -> f32 = grad(grad(fn v -> v * v * v))(x)"),
        (np.float32(2),),
        lambda x: 12.0,
    ),
    "jvp": (
        ("def f(x: f32[n], t: f32[n]) -> (f32[n], f32[n]) = jvp(fn v -> v * v, (x,), (t,))"),
        (X, X),
        lambda x, t: (x * x, 2 * x * t),
    ),
    "vjp": (
        (
            "def f(x: f32[n], t: f32[n]) -> f32[n] =\n"
            "    let (y, pull) = vjp(fn v -> v * v, x)\n"
            "    let (g,) = pull(t)\n"
            "    g"
        ),
        (X, X),
        lambda x, t: 2 * x * t,
    ),
    "linearize": (
        (
            "def f(x: f32[n], t: f32[n]) -> (f32[n], f32[n]) =\n"
            "    let (y, lin) = linearize(fn v -> v * v, x)\n"
            "    (y, lin(t) + lin(t))"
        ),
        (X, X),
        lambda x, t: (x * x, 4 * x * t),
    ),
    "hvp": (
        ("def g(x: f32[n]) -> f32 = sum(x * x * x)\ndef f(x: f32[n], v: f32[n]) -> f32[n] = hvp(g, x, v)"),
        (X, X),
        lambda x, v: 6 * x * v,
    ),
    "hessian": (
        ("def cube(x: f32[n]) -> f32 = sum(x * x * x)\ndef f(x: f32[n]) -> f32[n, n] = hessian(cube)(x)"),
        (X,),
        lambda x: np.diag(6 * x),
    ),
    "jacrev": (
        ("def f(x: f32[n]) -> f32[n, n] = jacrev(fn v -> v * v)(x)"),
        (X,),
        lambda x: np.diag(2 * x),
    ),
    "jacfwd": (
        ("def f(x: f32[n]) -> f32[n, n] = jacfwd(fn v -> v * v)(x)"),
        (X,),
        lambda x: np.diag(2 * x),
    ),
    "value_and_jacfwd": (
        ("def f(x: f32[n]) -> (f32[n], f32[n, n]) = value_and_jacfwd(fn v -> v * v)(x)"),
        (X,),
        lambda x: (x * x, np.diag(2 * x)),
    ),
    "vmap": (
        (
            "def d(x: f32[n], y: f32[n]) -> f32 = x @ y\n"
            "def f(x: f32[m, n], y: f32[n]) -> f32[m] = vmap(d, in_axes=(0, none))(x, y)"
        ),
        (M, X),
        lambda x, y: x @ y,
    ),
    "vmap over columns": (
        ("def d(x: f32[n]) -> f32[n] = x * 2.0\ndef f(x: f32[m, n]) -> f32[n, m] = vmap(d, in_axes=1)(x)"),
        (M,),
        lambda x: 2 * x.T,
    ),
    "vmap of grad": (
        (
            "def g(x: f32, y: f32) -> f32 = x * x * y\n"
            "def f(x: f32[n], y: f32) -> f32[n] = vmap(grad(g), in_axes=(0, none))(x, y)"
        ),
        (X, np.float32(3)),
        lambda x, y: 2 * x * y,
    ),
    "grad through a loop": (
        ("def l(x: f32[n]) -> f32 = fold a = 1.0 for v in x do a * v\ndef f(x: f32[n]) -> f32[n] = grad(l)(x)"),
        (X,),
        lambda x: np.prod(x) / x,
    ),
    "grad of a branch not taken": (
        ("def f(x: f32[n]) -> f32[n] = grad(fn y -> sum([if v > 0.0 then sqrt(v) else 0.0 for v in y]))(x)"),
        (np.array([4, 0, -1], np.float32),),
        lambda x: np.array([0.25, 0, 0]),
    ),
    "grad of where": (
        ("def f(x: f32[n]) -> f32[n] = grad(fn y -> sum(where(y > 0.0, sqrt(y), 0.0)))(x)"),
        (np.array([4, 0, -1], np.float32),),
        lambda x: np.array([0.25, 0, 0]),
    ),
    "grad through iterate with a limit": (
        ("def g(x: f32) -> f32 = iterate y = x while y < 100.0 limit 10 do y * 2.0\ndef f(x: f32) -> f32 = grad(g)(x)"),
        (np.float32(3),),
        lambda x: 64.0,
    ),
    "custom_jvp": (
        ("def f(x: f32) -> f32 = grad(custom_jvp(fn v -> v * v, fn (p, t) -> (p.0 * p.0, t.0 * 7.0)))(x)"),
        (np.float32(2),),
        lambda x: 7.0,
    ),
    "custom_vjp": (
        (
            "def f(x: f32) -> f32 = grad(custom_vjp(fn v -> v * v, fn v -> (v * v, v), fn (s, ct) -> "
            "(ct * s * 5.0,)))(x)"
        ),
        (np.float32(2),),
        lambda x: 10.0,
    ),
    "a custom rule that captures": (
        (
            "def f(x: f32, k: f32) -> f32 = grad(custom_vjp(fn v -> v * k, fn v -> (v * k, v), fn "
            "(s, ct) -> (ct * s * k,)))(x)"
        ),
        (np.float32(2), np.float32(5)),
        lambda x, k: 10.0,
    ),
    "checkpoint": (
        ("def f(x: f32[n]) -> f32[n] = grad(fn y -> sum(checkpoint(fn z -> exp(z) * z)(y)))(x)"),
        (X,),
        lambda x: np.exp(x) * (x + 1),
    ),
    "stop_gradient": (
        ("def f(x: f32) -> f32 = grad(fn v -> v * stop_gradient(v))(x)"),
        (np.float32(3),),
        lambda x: 3.0,
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_program(name: str) -> None:
    assert_computes(*CASES[name])


STATICS = """
def power(x: f32, static k: int) -> f32 = x ** k
def two(static k: int, x: f32, y: f32) -> f32 = x ** k * y
def loss(x: f32, static k: int) -> (f32, int) = (x ** k, k + 1)
def main(x: f32) -> f32[10] =
    let (aux, value) = (grad(loss, has_aux=true)(x, k=3).1, value_and_grad(loss, has_aux=true)(x, k=3))
    [
        jvp(power, (x,), (1.0,), k=3).1,
        vjp(power, x, k=3).1(1.0).0,
        linearize(power, x, k=3).1(1.0),
        hvp(power, x, 1.0, k=3),
        hvp(power, x=x, v=1.0, k=3),
        sum(vmap(two, in_axes=(0, none))(k=2, x=[x, x], y=x)),
        sum(vmap(two, in_axes=(none, 0))(x=x, y=[x, x], k=2)),
        sum(vmap(grad(two, argnums=(0, 1)))(x=[x, x], y=[x, x], k=2).1),
        sum(ones([aux])),
        value.1,
    ]
"""


def test_static_arguments_go_through_by_name() -> None:
    found = np.asarray(dsl.program(STATICS).main(2.0))
    np.testing.assert_allclose(found, [12, 12, 12, 12, 12, 16, 16, 8, 4, 12])


FUNCTIONS = """
def apply(g: (f32) -> f32, x: f32) -> f32 = g(x)
def square(x: f32) -> f32 = x * x
def main(x: f32) -> f32[6] = [
    grad(apply)(square, x),
    jacrev(apply)(fn v -> v ** 3, x),
    sum(vmap(apply, in_axes=(0,))(square, [x, x])),
    vjp(apply, square, x).1(1.0).0,
    linearize(apply, square, x).1(1.0),
    hessian(apply)(fn v -> v ** 3, x),
]
"""


def test_functions_are_no_arguments_to_differentiate_or_map() -> None:
    m = dsl.program(FUNCTIONS)
    np.testing.assert_allclose(np.asarray(m.main(2.0)), [4, 12, 8, 4, 4, 12])
    assert float(m.apply(m.square, 3.0)) == 9.0
    assert float(dsl.grad(m.apply)(m.square, 3.0)) == 6.0
    assert np.asarray(dsl.vmap(m.apply, in_axes=(0,))(dsl.grad(m.square), np.ones(2, "f4"))).tolist() == [2.0, 2.0]
