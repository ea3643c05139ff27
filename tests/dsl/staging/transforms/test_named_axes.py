"""Which axis a name means where maps are nested: that of its own text, whatever functions it passes through."""

from __future__ import annotations

import numpy as np
import pytest

import dsl

PROGRAM = """
def mapped(f: (f32) -> f32 ! e, x: f32[n]) -> f32[n] ! e = vmap(f, axis_name="i")(x)
def open(f: (f32) -> f32 ! {axis("i"), e}, x: f32[n]) -> f32[n] ! e = vmap(f, axis_name="i")(x)
def beside(f: (f32) -> f32 ! e, x: f32[n]) -> f32[n] ! e = vmap(fn v -> f(v) + psum(v, "i"), axis_name="i")(x)
def places(f: (f32) -> i32 ! e, x: f32[n]) -> i32[n] ! e = vmap(f, axis_name="i")(x)
def share(x: f32) -> f32 ! axis("i") = x / psum(x, "i")
def given(f: (f32) -> f32 ! {axis("i"), e}, x: f32) -> f32 ! {axis("i"), e} = f(x)
def table(x: f32) -> f32[n] ! axis("i": n) = x * all_gather(x, "i")

def through(x: f32[n], y: f32[m]) -> f32[n, m] =
    vmap(fn a -> mapped(fn b -> psum(a * b, "i"), y), axis_name="i")(x)
def through_two(x: f32[n], y: f32[m]) -> f32[n, m] =
    vmap(fn a -> mapped(checkpoint(fn b -> grad(fn c -> c * psum(a, "i"))(b)), y), axis_name="i")(x)
def taken(x: f32[n], y: f32[m]) -> f32[n, m] =
    vmap(fn a -> open(fn b -> psum(a * b, "i"), y), axis_name="i")(x)
def innermost(x: f32[n], y: f32[m]) -> f32[n, m] =
    vmap(fn a -> vmap(fn b -> psum(a * b, "i"), axis_name="i")(y), axis_name="i")(x)
def both(x: f32[n], y: f32[m]) -> f32[n, m] =
    vmap(fn a -> beside(fn b -> psum(a * b, "i"), y), axis_name="i")(x)
def numbers(x: f32[n], y: f32[m]) -> i32[n, m] =
    vmap(fn a -> places(fn b -> axis_index("i"), y), axis_name="i")(x)
def bound(x: f32[n], y: f32[m]) -> f32[n] =
    let part = fn v -> given(share, v)
    vmap(part, axis_name="i")(x) + sum(y) * 0.0
def sized(x: f32[n], y: f32[m]) -> f32[n, n] = vmap(fn a -> sum(mapped(fn b -> b, y)) * table(a), axis_name="i")(x)
def slope(x: f32[n], y: f32[m]) -> f32[n] = grad(fn v -> sum(through(v, y) ** 2))(x)
"""
X, Y = np.array([1, 2, 3], "f4"), np.array([1, 10], "f4")
ROWS = np.ones((3, 1), "f4")
EXPECTED = {
    "through": ROWS * (X.sum() * Y),
    "through_two": np.full((3, 2), X.sum()),
    "taken": np.outer(X, Y).sum(1, keepdims=True) * np.ones(2),
    "innermost": np.outer(X, Y).sum(1, keepdims=True) * np.ones(2),
    "both": ROWS * (X.sum() * Y + Y.sum()),
    "numbers": np.repeat([[0], [1], [2]], 2, axis=1),
    "bound": X / X.sum(),
    "sized": np.outer(X, X) * Y.sum(),
    "slope": np.full(3, 2 * 3 * X.sum() * (Y**2).sum()),
}


@pytest.mark.parametrize("name", EXPECTED)
def test_a_name_means_the_axis_of_its_own_text(name: str) -> None:
    np.testing.assert_allclose(getattr(dsl.program(PROGRAM), name)(X, Y), EXPECTED[name], rtol=1e-6)
