"""Derivatives of the determinant, at singular matrices above all, beside those of the sum over permutations."""

from __future__ import annotations

from collections.abc import Callable
from itertools import permutations
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import dsl
from tests.support.library import Array

PROGRAM = """
import linalg
def single(x: f32[n, n]) -> f32 = linalg.det(x)
def single_slope(x: f32[n, n]) = grad(single)(x)
def single_bend(x: f32[n, n]) = hessian(single)(x)
def double(x: f64[n, n]) -> f64 = linalg.det(x)
def double_slope(x: f64[n, n]) = grad(double)(x)
def double_bend(x: f64[n, n]) = hessian(double)(x)
def third(x: f64[n, n]) = jacfwd(hessian(double))(x)
def of_many(x: f64[k, n, n]) where k >= 1 = vmap(grad(double))(x)
def bends_of_many(x: f64[k, n, n]) where k >= 1 = vmap(hessian(double))(x)
def product(x: c128[n, n]) -> c128 = linalg.det(x)
def forward(x: c128[n, n], t: c128[n, n]) -> c128 = jvp(product, (x,), (t,)).1
def twice(x: c128[n, n], t: c128[n, n]) -> c128 = jvp(fn y -> forward(y, t), (x,), (t,)).1
"""
_random = np.random.default_rng(3)


def of_rank(k: int) -> Array:
    return _random.normal(size=(4, k)) @ _random.normal(size=(k, 4))


SINGULAR = [of_rank(k) for k in range(4)]
MATRICES = {
    **{f"rank_{k}": x for k, x in enumerate(SINGULAR)},
    "regular": of_rank(4),
    "counted": np.arange(1.0, 10.0).reshape(3, 3),
    "nilpotent": np.eye(4, k=1),
    "nilpotent_below": np.eye(2, k=-1),
    "zero": np.zeros((1, 1)),
    "two_zeros": np.diag([1.0, 0.0, 2.0, 0.0]),
    "signs": np.diag([-1.0, 2.0, -3.0, -4.0]),
    "graded": np.diag([1e6, 1.0, 1e-6]),
    "empty": np.zeros((0, 0)),
}


def permuted(x: Any) -> Any:
    """The determinant by its definition, which is a polynomial."""
    n = len(x)
    columns = np.array(list(permutations(range(n))), dtype=int)
    signs = np.array([round(float(np.linalg.det(np.eye(n)[p]))) for p in columns], dtype=float)
    terms = jnp.asarray(signs)
    for row, column in enumerate(columns.T):
        terms = terms * x[row, column]
    return terms.sum()


@pytest.fixture(scope="module")
def program() -> dsl.Program:
    return dsl.program(PROGRAM)


def near(found: Any, wanted: Any, tolerance: float) -> None:
    scale = 1.0 + np.max(np.abs(wanted), initial=0.0)
    np.testing.assert_allclose(np.asarray(found), wanted, rtol=0, atol=tolerance * scale)


@pytest.mark.parametrize("name", MATRICES)
@pytest.mark.parametrize(("width", "dtype", "tolerance"), [("single", np.float32, 1e-6), ("double", np.float64, 1e-14)])
def test_first_and_second(program: dsl.Program, name: str, width: str, dtype: Any, tolerance: float) -> None:
    x = MATRICES[name].astype(dtype)
    with jax.enable_x64(True):
        slope, bend = (derived(permuted)(jnp.asarray(x, np.float64)) for derived in (jax.grad, jax.hessian))
    for derivative, wanted in ((f"{width}_slope", slope), (f"{width}_bend", bend)):
        found = getattr(program, derivative)(x)
        assert np.asarray(found).dtype == dtype
        near(found, wanted, tolerance)


@pytest.mark.parametrize("name", ["counted", "rank_3"])
def test_the_gradient_is_that_of_jax_where_the_rank_lacks_one(program: dsl.Program, name: str) -> None:
    with jax.enable_x64(True):
        near(program.double_slope(MATRICES[name]), jax.grad(jnp.linalg.det)(jnp.asarray(MATRICES[name])), 1e-13)


def test_the_gradient_is_the_adjugate(program: dsl.Program) -> None:
    """By its definition: x @ adjugate is the determinant times the unit matrix."""
    x = _random.normal(size=(30, 30))
    x[7] = x[3] + x[12]
    adjugate = np.asarray(program.double_slope(x)).T
    assert np.abs(adjugate).max() > 1e3
    np.testing.assert_allclose(x @ adjugate, 0.0, atol=1e-11 * np.abs(adjugate).max())
    i, j = 3, 20
    minor = np.linalg.det(np.delete(np.delete(x, i, 0), j, 1))
    np.testing.assert_allclose(adjugate[j, i], (-1) ** (i + j) * minor, rtol=1e-9)


def test_third(program: dsl.Program) -> None:
    with jax.enable_x64(True):
        near(program.third(SINGULAR[1]), jax.jacfwd(jax.hessian(permuted))(jnp.asarray(SINGULAR[1])), 1e-14)


@pytest.mark.parametrize(("name", "derived"), [("of_many", jax.grad), ("bends_of_many", jax.hessian)])
def test_mapped(program: dsl.Program, name: str, derived: Callable[..., Any]) -> None:
    x = np.stack(SINGULAR)
    with jax.enable_x64(True):
        near(getattr(program, name)(x), jax.vmap(derived(permuted))(jnp.asarray(x)), 1e-14)


def test_large_and_regular(program: dsl.Program) -> None:
    x = _random.normal(size=(24, 24)) / 24**0.5
    d, inverse = np.linalg.det(x), np.linalg.inv(x)
    near(program.double_slope(x) / d, inverse.T, 1e-10)
    bend = np.einsum("ji,lk->ijkl", inverse, inverse) - np.einsum("li,jk->ijkl", inverse, inverse)
    near(program.double_bend(x) / d, bend, 1e-10)
    near(np.asarray(program.single_bend(x.astype(np.float32))) / d, bend, 1e-3)


def test_second_of_large_and_singular(program: dsl.Program) -> None:
    x = _random.normal(size=(12, 12)) / 12**0.5
    x[7] = x[3] + x[5]
    minor = np.linalg.det(np.delete(np.delete(x, (7, 3), 0), (2, 8), 1))
    for name, dtype, tolerance in (("double", np.float64, 1e-10), ("single", np.float32, 1e-4)):
        bend = np.asarray(getattr(program, f"{name}_bend")(x.astype(dtype)))
        assert np.isfinite(bend).all()
        np.testing.assert_allclose(np.abs(bend[3, 2, 7, 8]), np.abs(minor), atol=tolerance)


@pytest.mark.parametrize("k", [1, 2, 3, 4])
def test_complex(program: dsl.Program, k: int) -> None:
    x, t = of_rank(k) @ (of_rank(4) + 1j * of_rank(4)), of_rank(4) + 1j * of_rank(4)
    at = [permuted_of(x, t, s) for s in (0.0, 1.0, 2.0, 3.0, 4.0)]
    line = np.polyfit((0.0, 1.0, 2.0, 3.0, 4.0), np.array(at), 4)
    near(program.forward(x, t), line[3], 1e-10)
    near(program.twice(x, t), 2 * line[2], 1e-10)


def permuted_of(x: Array, t: Array, step: float) -> complex:
    return complex(np.linalg.det(x + step * t))
