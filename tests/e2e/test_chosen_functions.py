"""Functions as values: chosen by a static condition, bound to names, and defaults that rest on other arguments."""

from __future__ import annotations

import numpy as np

import dsl

PROGRAM = """
def act(x: f32[n], static soft: bool) -> f32[n] =
    let h = fn v -> v * 2.0
    let y = h(x[0:0])
    let f = if soft then (fn v -> v + 1.0) else h
    let w = [f(v) for v in f(x)]
    w + grad(fn v -> sum(f(v)))(x)
def either(static k: int) -> (f32) -> f32 = if k > 0 then sin else fn v -> v * 3.0
def called(x: f32, static k: int) -> f32 = either(k)(x)
def room(x: f32[n], static k: int = n, static m: int = k * 2) -> f32[k, m] = zeros([k, m])
def twice(x: f32[n]) -> f32[n, 2 * n] = room(x)
def rows(x: f32[n, m]) -> f32[n] =
    let g = vmap(sum)
    g(x)
def ordered(x: f32[*s], static axis: int) -> f32[*s] = sort(x, axis=axis)
"""


def test_a_static_choice_of_functions() -> None:
    module = dsl.program(PROGRAM)
    x = np.ones(3, "f4")
    assert np.array_equal(module.act(x, soft=True), [4.0, 4.0, 4.0])
    assert np.array_equal(module.act(x, soft=False), [6.0, 6.0, 6.0])
    assert np.allclose(module.called(1.0, k=1), np.sin(1.0))
    assert float(module.called(1.0, k=0)) == 3.0


def test_defaults_rest_on_sizes_and_other_defaults() -> None:
    assert dsl.program(PROGRAM).twice(np.ones(2, "f4")).shape == (2, 4)


def test_a_transformed_library_function_has_a_name() -> None:
    assert np.array_equal(dsl.program(PROGRAM).rows(np.ones((2, 3), "f4")), [3.0, 3.0])


def test_sorting_keeps_the_shape_whatever_the_axis() -> None:
    x = np.array([[2.0, 1.0], [0.0, 3.0]], "f4")
    assert np.array_equal(dsl.program(PROGRAM).ordered(x, axis=0), np.sort(x, axis=0))
