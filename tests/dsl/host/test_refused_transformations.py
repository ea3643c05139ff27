"""`dsl.grad(m.f)` and the like refuse at once, without arguments, what no call could use."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import dsl

PROGRAM = """
def loss(w: f32[d], x: f32[n, d], static k: int = 2) -> f32 = mean((x @ w) ** k)
def vector(x: f32[n]) -> f32[n] = x * x
def count(i: i32) -> f32 = f32(i)
def tree(p: {a: f32, b: f32[n]}, x: f32) -> f32 = p.a * sum(p.b) * x
def newton(x: f32) -> f32 ! div = iterate x = x while abs(x * x - 2.0) > 1e-6 do x / 2.0 + 1.0 / x
def loud(x: f32) -> f32 ! io =
    print("{}", x)
    x
def up(x: f32, y: f32) -> f32 = y * nextafter(x, 2.0)
def draw(k: key, x: f32) -> f32 = x + 1.0
"""


@pytest.fixture(scope="module")
def m() -> dsl.Program:
    return dsl.program(PROGRAM)


Attempt = Callable[[Any], Any]
REFUSED: list[tuple[str, Attempt]] = [
    ("E0801", lambda m: dsl.grad(m.vector)),
    ("E0801", lambda m: dsl.value_and_grad(m.vector)),
    ("E0801", lambda m: dsl.grad(dsl.grad(m.loss))),
    ("E0801", lambda m: dsl.grad(dsl.vmap(m.loss))),
    ("E0802", lambda m: dsl.grad(m.count)),
    ("E0802", lambda m: dsl.jacfwd(m.count)),
    ("E0805", lambda m: dsl.grad(m.newton)),
    ("E0803", lambda m: dsl.grad(m.up)),
    ("E0803", lambda m: dsl.vmap(dsl.jacfwd(dsl.jit(m.up), argnums=(1, 0)))),
    ("E0805", lambda m: dsl.jacrev(m.newton)),
    ("E0721", lambda m: dsl.vmap(m.loud)),
    ("E0806", lambda m: dsl.vmap(m.vector, in_axes=5)),
    ("E0808", lambda m: dsl.vmap(m.loss, in_axes=(None, None))),
    ("E0809", lambda m: dsl.vmap(m.loss, in_axes=(0,))),
    ("E0811", lambda m: dsl.grad(m.loss, argnums=5)),
    ("E0811", lambda m: dsl.grad(m.loss, argnums=(0, 2))),
    ("E0812", lambda m: dsl.grad(m.vector, has_aux=True)),
]


@pytest.mark.parametrize(("code", "attempt"), REFUSED)
def test_refused_before_any_call(m: dsl.Program, code: str, attempt: Attempt) -> None:
    with pytest.raises(dsl.DslError) as caught:
        attempt(m)
    found = caught.value.diagnostics[0]
    assert found.code == code
    assert found.primary.span.source.text == PROGRAM


ACCEPTED: list[Attempt] = [
    lambda m: dsl.grad(m.loss),
    lambda m: dsl.grad(m.loss, argnums=(0, 1)),
    lambda m: dsl.vmap(dsl.grad(m.loss), in_axes=(None, 0)),
    lambda m: dsl.vmap(dsl.vmap(m.vector), in_axes=2, out_axes=1),
    lambda m: dsl.vmap(m.tree, in_axes=({"a": None, "b": 1}, 0)),
    lambda m: dsl.jacfwd(dsl.jacrev(m.vector)),
    lambda m: dsl.hessian(m.loss, argnums=1),
    lambda m: dsl.jacfwd(m.newton),
    lambda m: dsl.checkpoint(dsl.jit(m.loss)),
    lambda m: dsl.vmap(m.draw),
    lambda m: dsl.grad(m.up, argnums="y"),
]


@pytest.mark.parametrize("attempt", ACCEPTED)
def test_accepted_without_arguments(m: dsl.Program, attempt: Attempt) -> None:
    assert isinstance(attempt(m), dsl.Function)


def test_axes_by_leaf(m: dsl.Program) -> None:
    f = dsl.vmap(m.tree, in_axes=({"a": None, "b": 1}, 0))
    p = {"a": np.float32(2), "b": np.ones((3, 4), np.float32)}
    assert np.asarray(f(p, np.arange(4, dtype=np.float32))).tolist() == [0, 6, 12, 18]
