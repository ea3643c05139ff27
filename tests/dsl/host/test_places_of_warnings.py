"""A warning of Python points at the line that called puredsl, however the call came about."""

from __future__ import annotations

import warnings
from collections.abc import Callable

import numpy as np
import pytest

import dsl
from dsl.diagnostics import frames
from dsl.host.calls import program_store
from dsl.host.programs.library import library_program

TEXT = """
from random import uniform

def f(x: f32[n]) -> f32 = sum(x * x)
def square(x: f32[n]) -> f32[n] = x * x
def wide(x: f64[n]) -> f64 = sum(x * x)
def noise(x: f32[n]) -> f32[n] ! rand = x + uniform(fresh_key(), [n])
"""
X = np.arange(3, dtype=np.float32)

CALLS: list[Callable[[dsl.Program], object]] = [
    lambda m: m.f(X),
    lambda m: m.f(dsl.array(X)),
    lambda m: m.f(x=X),
    lambda m: m.f.compile(X),
    lambda m: m.f.cost(X),
    lambda m: m.noise(X, key=0),
    lambda m: library_program("linalg").eig(np.eye(2, dtype=np.float32)),
    lambda m: dsl.grad(m.f)(X),
    lambda m: dsl.vmap(library_program("linalg").eig)(np.ones((2, 1, 1), np.float32)),
    lambda m: dsl.value_and_grad(m.f)(X),
    lambda m: dsl.vmap(dsl.grad(m.f))(np.ones((2, 3), np.float32)),
    lambda m: dsl.jit(m.square)(X),
    lambda m: dsl.jit(m.square, donate="x")(dsl.array(X)),
    lambda m: dsl.jit(m.square, in_shardings={"x": dsl.Sharding(dsl.devices()[:1])})(X),
    lambda m: dsl.pmap(m.f)(np.ones((1, 3), np.float32)),
    lambda m: dsl.jvp(m.f, (X,), (X,)),
    lambda m: dsl.hvp(m.f, X, X),
    lambda m: dsl.vjp(m.f, X),
    lambda m: dsl.linearize(m.f, X),
    lambda m: dsl.check_grads(m.wide, [X.astype(np.float64)]),
    lambda m: dsl.array(X).__array_namespace__().sinh(dsl.array(np.ones((3, 1, 7), np.float32))),
]


@pytest.mark.parametrize("call", CALLS)
def test_a_warning_names_the_line_of_the_user(
    call: Callable[[dsl.Program], object], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(program_store, "MANY", 1)
    m = dsl.program(TEXT)
    with pytest.warns(UserWarning, match="compiled 1 times") as caught:
        call(m)
    assert {(found.filename, found.lineno) for found in caught} == {(__file__, call.__code__.co_firstlineno)}


def test_where_every_frame_is_internal_the_outermost_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(frames, "is_internal", lambda frame: True)
    with pytest.warns(UserWarning, match="words") as caught:
        frames.warn("words")
    assert len(caught) == 1 and caught[0].filename != frames.__file__


def test_a_warning_is_shown_once_for_a_line() -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("default")
        for _ in range(3):
            frames.warn("words that come three times")
    assert len(caught) == 1
