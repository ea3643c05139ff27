"""Lines that are turned: read from lines that are longer, by programs for CPUs; values of which lines are joined."""

from __future__ import annotations

import re

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import dsl
from lowering.stablehlo.turned import LEAST

PROGRAMS = dsl.program("""
def rolled[a: Any](x: a[*s], static k: int, static axis: int) -> a[*s] where has_axis(s, axis) = roll(x, k, axis=axis)
def smoothed(x: f64[n, m]) -> f64[n, m] = x + roll(x, 1, axis=1) + roll(x, -1, axis=1)
def slope(x: f64[n, m]) -> f64[n, m] = grad(fn x -> sum(smoothed(x) ** 3))(x)
def each(x: f64[b, n, m]) -> f64[b, n, m] = vmap(smoothed)(x)
def swapped(x: f64[n, 2 * m]) -> f64[n, 2 * m] = concatenate((x[:, m:], x[:, :m]), axis=1) * 2.0
def overlapping(x: f64[n, m]) -> f64[n, m] where m >= 2 = concatenate((x[:, 1:], x[:, :1]), axis=1) * 2.0
def repeated(x: f64[n, m]) -> f64[n, m] where m >= 2 = concatenate((x[:, 1:], x[:, 1:2]), axis=1) * 2.0
def strided(x: f64[n, 2 * m]) -> f64[n, 2 * m] = concatenate((x[:, ::2], x[:, 1::2]), axis=1) * 2.0
def skipping(x: f64[n, 2 * m]) -> f64[n, 2 * m] = concatenate((x[:, m:], x[:, ::2]), axis=1) * 2.0
def skipping_first(x: f64[n, 2 * m]) -> f64[n, 2 * m] = concatenate((x[:, 1::2], x[:, :m]), axis=1) * 2.0
def of_two(x: f64[n, 2 * m], y: f64[n, 2 * m]) -> f64[n, 2 * m] = concatenate((x[:, m:], y[:, :m]), axis=1)
def life(x: i32[n, m], static steps: size) -> i32[n, m] =
    fold x = x for _ in range(steps) do
        let r = x + roll(x, 1, axis=0) + roll(x, -1, axis=0)
        let s = r + roll(r, 1, axis=1) + roll(r, -1, axis=1) - x
        i32((s == 3) | ((s == 2) & (x == 1)))
""")
WIDE = (128, LEAST // 128)
X = np.random.default_rng(0).standard_normal(WIDE)


def longer_lines(name: str, *args: object, **statics: int) -> list[str]:
    """Return the types that a program joins lines to."""
    text = getattr(PROGRAMS, name).lower(*args, **statics).stablehlo.text
    return re.findall(r"stablehlo\.concatenate .* -> tensor<(?:\d+x)*(\d+)x\w+>", text)


@pytest.mark.parametrize("k", [1, -1, 5, 64, 100, 127, 128, -300])
@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int32, np.complex128, np.bool_])
def test_turned_lines_are_those_of_numpy(k: int, axis: int, dtype: type[np.generic]) -> None:
    x = (X * 10).astype(dtype)
    np.testing.assert_array_equal(np.asarray(PROGRAMS.rolled(x, k, axis)), np.roll(x, k, axis))


@pytest.mark.cpu
@pytest.mark.parametrize(("k", "longest"), [(1, 129), (-1, 129), (64, 192), (100, 156), (127, 129)])
def test_the_shorter_part_is_joined_to_whole_lines(k: int, longest: int) -> None:
    assert longer_lines("rolled", X, k=k, axis=1) == [str(longest)]


@pytest.mark.cpu
@pytest.mark.parametrize(
    ("name", "args"),
    [
        *[("rolled", (X[:64], 1, 1)), ("rolled", (X, 1, 0)), ("of_two", (X, X))],
        *[(name, (X,)) for name in ("repeated", "strided", "skipping", "skipping_first")],
    ],
)
def test_what_turns_no_long_lines_is_joined_as_it_stands(name: str, args: tuple[object, ...]) -> None:
    assert longer_lines(name, *args) == ["128"]


def test_parts_that_are_joined_otherwise() -> None:
    expected = {
        "swapped": np.roll(X, 64, 1),
        "overlapping": np.roll(X, -1, 1),
        "repeated": np.concatenate((X[:, 1:], X[:, 1:2]), axis=1),
        "strided": np.concatenate((X[:, ::2], X[:, 1::2]), axis=1),
        "skipping": np.concatenate((X[:, 64:], X[:, ::2]), axis=1),
        "skipping_first": np.concatenate((X[:, 1::2], X[:, :64]), axis=1),
    }
    for name, found in expected.items():
        np.testing.assert_array_equal(np.asarray(getattr(PROGRAMS, name)(X)), 2.0 * found)


def test_derivatives_and_maps_of_turned_lines() -> None:
    def smoothed(x: jax.Array) -> jax.Array:
        return x + jnp.roll(x, 1, 1) + jnp.roll(x, -1, 1)

    with jax.enable_x64(True):
        slope = jax.grad(lambda x: jnp.sum(smoothed(x) ** 3))(jnp.asarray(X))
        each = jax.vmap(smoothed)(jnp.stack((X, 2.0 * X)))
    np.testing.assert_allclose(np.asarray(PROGRAMS.slope(X)), slope, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(np.asarray(PROGRAMS.each(np.stack((X, 2.0 * X)))), each, rtol=1e-12)


@pytest.mark.cpu
def test_values_of_which_lines_are_joined_are_in_memory() -> None:
    """Then a board that nothing else needs is overwritten, which the newer emitters do."""
    board = np.random.default_rng(1).integers(0, 2, WIDE).astype(np.int32)
    assert PROGRAMS.life.lower(board, steps=4).stablehlo.hints.in_place
    expected = board
    for _ in range(4):
        around = sum(np.roll(expected, (i, j), (0, 1)) for i in (-1, 0, 1) for j in (-1, 0, 1)) - expected
        expected = ((around == 3) | ((around == 2) & (expected == 1))).astype(np.int32)
    np.testing.assert_array_equal(np.asarray(PROGRAMS.life(board, steps=4)), expected)
