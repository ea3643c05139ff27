"""Functions from Python as arguments of functions that are generic: the other arguments say what they are for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import dsl

TEXT = """
type P = {w: f32[3], b: f32}
def fit[V: VSpace[f32]](loss: (V) -> f32, p: V, lr: f32, static steps: int) -> V where steps >= 0 =
    fold p = p for _ in range(steps) do p - lr * grad(loss)(p)
def total(f: (f32[n]) -> f32, x: f32[n]) -> f32 = f(x)
def twice[a: Float](f: (a) -> a, x: a) -> a = f(f(x))
def any_rank(f: (f32[*s]) -> f32[*s], x: f32[*s]) -> f32[*s] = f(x)
def padded(f: (f32[n + k]) -> f32, x: f32[n], static k: int) -> f32 where k >= 0 = f(concatenate((x, zeros([k]))))
def both(f: (V) -> f32, p: {x: f32[n], y: f32[n]}) -> f32 = f(p.x) + f(p.y)
def layered(fs: ((f32) -> f32, {g: (f32[n]) -> f32, y: f32[n]}), k: f32) -> f32 = fs.0(fs.1.g(fs.1.y)) * k

def talks(fs: ((f32) -> f32 ! io, f32), x: f32) -> f32 ! io = fs.0(x) + fs.1
def record_loss(p: P) -> f32 = sum(p.w ** 2) + p.b ** 2
def sum_three(x: f32[3]) -> f32 = sum(x)
def sum_any(x: f32[n]) -> f32 = sum(x)
def square(x: f32) -> f32 = x * x
def square64(x: f64) -> f64 = x * x
def flipped(x: f32[3]) -> f32[3] = flip(x, axis=0)
""".replace("def both(f: (V) -> f32, ", "def both(f: (f32[n]) -> f32, ")
X = np.arange(3, dtype=np.float32)
RECORD = {"w": X, "b": np.float32(1)}


@pytest.fixture(scope="module")
def m() -> dsl.Program:
    return dsl.program(TEXT)


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        (lambda m: m.fit(m.record_loss, RECORD, 0.5, steps=1)["w"], 0 * X),
        (lambda m: m.total(m.sum_three, X), 3.0),
        (lambda m: m.total(m.sum_any, X), 3.0),
        (lambda m: m.twice(m.square, 3.0), 81.0),
        (lambda m: m.twice(m.square64, np.float64(3)), 81.0),
        (lambda m: m.any_rank(m.flipped, X), X[::-1]),
        (lambda m: m.padded(m.sum_three, X[1:], k=1), 3.0),
        (lambda m: m.both(m.sum_three, {"x": X, "y": X}), 6.0),
        (lambda m: m.layered((m.square, {"g": m.sum_three, "y": X}), 2.0), 18.0),
        (lambda m: m.layered([dsl.grad(m.square), {"g": m.sum_any, "y": X}], 2.0), 12.0),
        (lambda m: m.layered.interpret((m.square, {"g": m.sum_any, "y": X}), 2.0), 18.0),
        (lambda m: dsl.grad(m.layered, argnums=1)((m.square, {"g": m.sum_three, "y": X}), 2.0), 9.0),
        (lambda m: dsl.vmap(m.total, in_axes=(0,))(m.sum_three, np.stack([X, X])), [3.0, 3.0]),
        (lambda m: dsl.grad(m.total)(m.sum_three, X), [1.0, 1.0, 1.0]),
    ],
)
def test_a_concrete_function_for_a_generic_parameter(
    m: dsl.Program, call: Callable[[dsl.Program], Any], expected: Any
) -> None:
    np.testing.assert_array_equal(np.asarray(call(m)), expected)


@pytest.mark.parametrize(
    "call",
    [
        lambda m: m.total(m.sum_three, X[:2]),
        lambda m: m.total(m.square, X),
        lambda m: m.twice(m.square64, np.float32(3)),
        lambda m: m.any_rank(m.flipped, X[:2]),
        lambda m: m.padded(m.sum_three, X, k=1),
        lambda m: m.fit(m.sum_three, RECORD, 0.5, steps=1),
        lambda m: m.layered((m.square, {"g": m.sum_three, "y": X[:2]}), 2.0),
        lambda m: m.layered((m.square64, {"g": m.sum_three, "y": X}), 2.0),
        lambda m: m.layered((m.square, {"g": m.flipped, "y": X}), 2.0),
        lambda m: m.layered((dsl.program(TEXT).square, {"g": m.sum_any, "y": X}), 2.0),
        lambda m: m.layered((np.sin, {"g": m.sum_any, "y": X}), 2.0),
        lambda m: m.square(m.square),
        lambda m: m.talks((lambda v: v, 1.0), 2.0),
    ],
)
def test_a_function_that_does_not_fit_the_other_arguments(m: dsl.Program, call: Callable[[dsl.Program], Any]) -> None:
    with pytest.raises(dsl.DslError) as caught:
        call(m)
    assert not isinstance(caught.value, dsl.InternalError)
