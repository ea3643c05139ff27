"""Scans by an associative function: what a loop gives, for all sizes, in both directions, with derivatives and in
batches; and their work, which is a few applications for each element."""

from __future__ import annotations

from functools import reduce
from itertools import accumulate

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import dsl

PROGRAM = dsl.program("""
def product(x: f64[n, 2, 2], static reverse: bool) -> f64[n, 2, 2] =
    associative_scan(fn (a, b) -> if reverse then b @ a else a @ b, x, reverse=reverse)
def affine(a: f64[n], b: (f64[n], i32[n])) -> (f64[n], (f64[n], i32[n])) =
    associative_scan(fn ((a, (b, c)), (d, (e, g))) -> (a * d, (d * b + e, c + g)), (a, b))
def any_so_far(x: bool[n]) -> bool[n] = associative_scan(fn (a, b) -> a | b, x)
def sums(x: f32[n]) -> f32[n] = associative_scan(fn (a, b) -> a + b, x)
def back(x: f32[n]) -> f32[n] = associative_scan(fn (a, b) -> a + b, x, reverse=true)
def total(x: f64[n, 2, 2]) -> f64 = sum(sin(product(x, false)))
def gradient(x: f64[n, 2, 2]) -> f64[n, 2, 2] = grad(total)(x)
def along(x: f64[n, 2, 2], t: f64[n, 2, 2]) -> f64 = jvp(total, (x,), (t,)).1
def rows(x: f64[m, n, 2, 2]) -> f64[m, n, 2, 2] = [product(row, false) for row in x]
""")
SIZES = [0, 1, 2, 3, 4, 5, 7, 8, 9, 16, 17, 33]


def matrices(*shape: int) -> np.ndarray:
    return np.random.default_rng(sum(shape)).normal(size=(*shape, 2, 2))


@pytest.mark.parametrize("n", SIZES)
def test_matrices_are_multiplied_in_order(n: int) -> None:
    x = matrices(n)
    forward, back = list(accumulate(x, np.matmul)), list(accumulate(x[::-1], lambda a, b: b @ a))[::-1]
    for reverse, wanted in ((False, forward), (True, back)):
        wanted_array = np.array(wanted).reshape(n, 2, 2)
        np.testing.assert_allclose(np.asarray(PROGRAM.product(x, reverse)), wanted_array, rtol=1e-12)
        np.testing.assert_allclose(np.asarray(PROGRAM.product.interpret(x, reverse)), wanted_array, rtol=1e-12)


@pytest.mark.parametrize("n", SIZES)
def test_trees_and_truth_values(n: int) -> None:
    rng = np.random.default_rng(n)
    a, b, c = rng.normal(size=n), rng.normal(size=n), rng.integers(0, 9, n, np.int32)
    found = PROGRAM.affine(a, (b, c))
    steps = accumulate(zip(a, b, strict=True), lambda p, q: (p[0] * q[0], q[0] * p[1] + q[1]))
    wanted = np.array(list(steps)).reshape(n, 2)
    np.testing.assert_allclose(np.asarray(found[0]), wanted[:, 0], rtol=1e-12, atol=1e-300)
    np.testing.assert_allclose(np.asarray(found[1][0]), wanted[:, 1], rtol=1e-12, atol=1e-12)
    np.testing.assert_array_equal(np.asarray(found[1][1]), np.cumsum(c))
    truth = rng.random(n) < 0.2
    np.testing.assert_array_equal(np.asarray(PROGRAM.any_so_far(truth)), np.logical_or.accumulate(truth))


@pytest.mark.parametrize("n", [1, 2, 5, 8, 13])
def test_derivatives_are_those_of_jax(n: int) -> None:
    def total(x: jax.Array) -> jax.Array:
        parts = [reduce(jnp.matmul, [x[k] for k in range(i + 1)]) for i in range(n)]
        return jnp.sum(jnp.sin(jnp.stack(parts)))

    x, t = matrices(n), matrices(n)[::-1].copy()
    with jax.enable_x64(True):
        wanted = np.asarray(jax.grad(total)(x))
    np.testing.assert_allclose(np.asarray(PROGRAM.gradient(x)), wanted, rtol=1e-9)
    np.testing.assert_allclose(np.asarray(PROGRAM.along(x, t)), np.sum(wanted * t), rtol=1e-9)


def test_batches_are_scanned_alone() -> None:
    x = matrices(3, 11)
    wanted = [np.asarray(PROGRAM.product(row, False)) for row in x]
    np.testing.assert_allclose(np.asarray(PROGRAM.rows(x)), wanted, rtol=1e-12)


@pytest.mark.cpu
@pytest.mark.parametrize("name", ["sums", "back"])
def test_the_work_grows_as_the_number_of_elements(name: str) -> None:
    small, large = (getattr(PROGRAM, name).cost(np.ones(n, "f4")) for n in (250, 4000))
    assert large["flops"] <= 16.5 * small["flops"]
