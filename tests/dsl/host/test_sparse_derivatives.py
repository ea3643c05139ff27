"""Sparse Jacobians and Hessians are the dense ones, by as few products as colours."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

import dsl
from dsl.interop.scipy import to_scipy

PROGRAM = dsl.program(
    """
def tridiagonal(x: f64[n]) -> f64[n] =
    let p = pad(x, 1)
    [p[i] - 2.0 * p[i + 1] * x[i] + sin(p[i + 2]) for i in range(n)]
def brusselator(y: f64[2, n]) -> f64[2, n] =
    let (u, v) = (y[0], y[1])
    let spread = fn (w: f64[n]) -> roll(w, 1) - 2.0 * w + roll(w, -1)
    [1.0 + u * u * v - 4.0 * u + 0.02 * spread(u), 3.0 * u - u * u * v + 0.02 * spread(v)]
def stencil(u: f64[n, m]) -> f64[n, m] =
    let p = pad(u, 1)
    p[2:, 1:-1] + p[:-2, 1:-1] + p[1:-1, 2:] + p[1:-1, :-2] - 4.0 * u + exp(u)
def by_kernel(u: f64[n, m]) -> f64[n, m] where n >= 1 and m >= 1 =
    conv((u * u)[None, None], f64([[[[0.0, 1.0, 0.0], [1.0, -4.0, 1.0], [0.0, 1.0, 0.0]]]]))[0, 0]
def convolved(x: f64[n]) -> f64[n] where n >= 3 = convolve(x * x, [1.0, 2.0, 1.0], mode="same")
def arrow(x: f64[n]) -> f64[n] where n >= 1 = (x * x[0] + square(x)).at[0].set(sum(x * x))
def stepped(x: f64[n]) -> f64[n] where n >= 2 = fold y = x for _ in range(3) do y + 0.1 * (roll(y, 1) - y * y)
def until(x: f64[n]) -> f64[n] where n >= 2 =
    iterate y = x while sum(y) > 1.0 limit 3 do y - 0.3 * sin(roll(y, 1))
def summed(x: f64[n, k]) -> f64[k] = fold y = zeros([k], f64) for v in x reverse do y + v * v
def chosen(x: f64[n], c: bool) -> f64[n] = if c then sin(x) else x * x
def by_matrix(x: f64[n]) -> f64[n] = eye(n, f64) @ (x * x)
def masked(x: f64[n]) -> f64[n] = where(iota([n]) % 2 == 0, x * x, 3.0)
def reversed_rows(x: f64[n, 3]) -> f64[n] = [sum(v * v) for v in flip(x, axis=0)]
def edges(x: f64[n], s: idx[n][e], r: idx[n][e]) -> f64[n] = zeros([n], f64).at[r].add(sin(x[s] - x[r]))
def constant(x: f64[n]) -> f64[n] = ones([n], f64)
def total(x: f64[n]) -> f64 = sum(sin(x))
def tree(p: {a: f64[n], b: (f64, f64[2])}) -> {c: f64[n], d: f64} = {c = p.a * p.b.0, d = p.b.1[0] * p.b.1[1]}
def checked_root(x: f64[n]) -> f64[n] ! check =
    assert all(x > 0.0), "positive"
    sqrt(x)

def rosenbrock(x: f64[n]) -> f64 where n >= 2 = sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2)
def hub(x: f64[n]) -> f64 where n >= 1 = sum(x[0] * x * x) + sum(cos(x))
def separable(x: f64[n]) -> f64 = sum(exp(x) * x)
def quartic(u: f64[n, m]) -> f64 where n >= 1 and m >= 1 =
    sum((u[1:] - u[:-1]) ** 4) + sum((u[:, 1:] - u[:, :-1]) ** 4)

def several(x: f64[n], y: f32[n]) -> f64[n] = x * f64(y)
def counts(x: f64[n]) -> (f64[n], i32[n]) = (x, i32(x))
"""
)
X = np.random.default_rng(2).uniform(0.5, 1.5, size=9)
GRID = np.random.default_rng(3).uniform(0.5, 1.5, size=(5, 4))
SENDERS, RECEIVERS = np.array([0, 1, 2, 3, 3]), np.array([1, 2, 3, 4, 8])

JACOBIANS: dict[str, tuple[tuple[Any, ...], dict[str, Any], int | None, int]] = {
    "tridiagonal": ((X,), {}, 25, 3),
    "brusselator": ((GRID[:2],), {}, 2 * 4 * 4, 4),
    "stencil": ((GRID,), {}, 20 + 2 * (15 + 16), 7),
    "by_kernel": ((GRID,), {}, 20 + 2 * (15 + 16), 7),
    "convolved": ((X,), {}, 25, 3),
    "arrow": ((X,), {}, 25, 3),
    "stepped": ((X,), {}, 36, 5),
    "until": ((X,), {}, 36, 5),
    "summed": ((GRID,), {}, 20, 5),
    "chosen": ((X, True), {}, 9, 1),
    "by_matrix": ((X,), {}, 9, 1),
    "masked": ((X,), {}, 5, 1),
    "reversed_rows": ((np.arange(12.0).reshape(4, 3),), {}, 12, 3),
    "edges": ((X, SENDERS, RECEIVERS), {"known": ("s", "r")}, None, 2),
    "constant": ((X,), {}, 0, 0),
    "total": ((X,), {}, 9, 1),
    "checked_root": ((X,), {}, 9, 1),
}
"""Arguments, options, how many entries there are, and how many products at most tell them."""


def check_same(sparse: Any, dense: Any, args: tuple[Any, ...]) -> dsl.Sparsity:
    found: dsl.Sparsity = sparse.sparsity(*args)
    wanted = np.asarray(dense(*args)).reshape(found.shape)
    matrix = to_scipy(sparse(*args))
    assert matrix.nnz == len(found.indices)
    np.testing.assert_allclose(matrix.toarray(), wanted, rtol=1e-12, atol=1e-14)
    return found


@pytest.mark.parametrize("name", JACOBIANS)
def test_jacobians_are_the_dense_ones(name: str) -> None:
    args, options, entries, products = JACOBIANS[name]
    function = getattr(PROGRAM, name)
    found = check_same(dsl.sparse_jacobian(function, **options), dsl.jacfwd(function), args)
    assert entries in (None, len(found.indices))
    assert found.forward + found.backward <= products


HESSIANS = {"rosenbrock": (X, 25, 3), "hub": (X, 25, 2), "separable": (X, 9, 1), "quartic": (GRID, 82, 8)}


@pytest.mark.parametrize("name", HESSIANS)
def test_hessians_are_the_dense_ones(name: str) -> None:
    x, entries, products = HESSIANS[name]
    function = getattr(PROGRAM, name)
    found = check_same(dsl.sparse_hessian(function), dsl.hessian(function), (x,))
    assert (len(found.indices), found.backward) == (entries, 0)
    assert found.forward <= products


def test_products_are_those_of_the_compiled_program() -> None:
    """The program computes one tangent for each colour: 3 for any number of unknowns, where the dense one has all."""
    text = dsl.sparse_jacobian(PROGRAM.tridiagonal).ir(np.zeros(50))
    assert "f64[3, 50]" in text
    assert "f64[50, 50]" not in text


def test_a_pattern_may_rely_on_values_that_are_known() -> None:
    one = dsl.sparse_jacobian(PROGRAM.edges, known=("s", "r"))
    for senders in (SENDERS, SENDERS[::-1], SENDERS):
        check_same(one, dsl.jacfwd(PROGRAM.edges), (X, senders, RECEIVERS))
    any_ = dsl.sparse_jacobian(PROGRAM.edges)
    found = check_same(any_, dsl.jacfwd(PROGRAM.edges), (X, SENDERS, RECEIVERS))
    assert found.forward + found.backward == 9


def test_trees_are_their_elements_in_order() -> None:
    p = {"a": X[:3], "b": (np.float64(2.0), X[:2])}
    matrix = to_scipy(dsl.sparse_jacobian(PROGRAM.tree)(p)).toarray()
    wanted = np.zeros((4, 6))
    wanted[:3, :3], wanted[:3, 3] = 2.0 * np.eye(3), X[:3]
    wanted[3, 4:] = X[1], X[0]
    np.testing.assert_allclose(matrix, wanted, rtol=1e-12)


def test_checks_are_made() -> None:
    with pytest.raises(dsl.CheckError, match="positive"):
        np.asarray(dsl.sparse_jacobian(PROGRAM.checked_root)(-X)["data"])


def test_the_evaluator_computes_the_same() -> None:
    found = dsl.sparse_jacobian(PROGRAM.arrow).interpret(X)
    np.testing.assert_allclose(to_scipy(found).toarray(), np.asarray(dsl.jacfwd(PROGRAM.arrow)(X)), rtol=1e-12)


def test_the_argument_is_chosen_by_place_or_name() -> None:
    for argnum in (0, "x"):
        assert dsl.sparse_jacobian(PROGRAM.edges, argnum).sparsity(X, SENDERS, RECEIVERS).shape == (9, 9)


NO_FUNCTION: Any = 3
NO_PLACE: Any = (0, 1)
REFUSED: dict[str, tuple[Callable[[], Any], str]] = {
    "no function": (lambda: dsl.sparse_jacobian(NO_FUNCTION), "E0916"),
    "an argument without a derivative": (lambda: dsl.sparse_jacobian(PROGRAM.edges, "s"), "E0802"),
    "another name": (lambda: dsl.sparse_jacobian(PROGRAM.edges, "z"), "E08"),
    "several arguments": (lambda: dsl.sparse_jacobian(PROGRAM.edges, NO_PLACE), "E0812"),
    "a Hessian of many": (lambda: dsl.sparse_hessian(PROGRAM.tridiagonal), "E0801"),
    "what is known is no argument": (lambda: dsl.sparse_jacobian(PROGRAM.edges, known="t"), "E0812"),
    "what is known is differentiated": (lambda: dsl.sparse_jacobian(PROGRAM.edges, known="x"), "E0812"),
    "a transformation of it": (lambda: dsl.vmap(dsl.sparse_jacobian(PROGRAM.tridiagonal)), "E0812"),
    "a derivative of it": (lambda: dsl.grad(dsl.sparse_jacobian(PROGRAM.tridiagonal)), "E0812"),
    "results that have none": (lambda: dsl.sparse_jacobian(PROGRAM.counts)(X), "E0802"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_has_no_sparse_derivative_is_refused(name: str) -> None:
    call, code = REFUSED[name]
    with pytest.raises(dsl.DslError) as caught:
        call()
    assert caught.value.code.startswith(code)


def test_a_sparse_derivative_is_not_pickled() -> None:
    with pytest.raises(TypeError, match="derive again"):
        pickle.dumps(dsl.sparse_jacobian(PROGRAM.tridiagonal))


def test_the_same_function_is_made_once() -> None:
    assert dsl.sparse_jacobian(PROGRAM.tridiagonal) is dsl.sparse_jacobian(PROGRAM.tridiagonal, 0)


@given(st.integers(0, 2**31))
@settings(max_examples=8, deadline=None)
def test_random_stencils(seed: int) -> None:
    """Of random shifts and products, the pattern is exactly that of the shifts."""
    random = np.random.default_rng(seed)
    shifts = random.integers(-3, 4, size=random.integers(1, 4))
    terms = " + ".join(f"sin(roll(x, {s})) * {k + 1.0}" for k, s in enumerate(shifts))
    f = dsl.program(f"def f(x: f64[n]) -> f64[n] where n >= 1 = {terms}").f
    found = dsl.sparse_jacobian(f)
    x = random.uniform(0.1, 1.0, size=11)
    wanted = sum(
        np.roll(np.eye(11), s, axis=0) * np.cos(np.roll(x, s))[:, None] * (k + 1) for k, s in enumerate(shifts)
    )
    np.testing.assert_allclose(to_scipy(found.interpret(x)).toarray(), wanted, rtol=1e-12)
    assert sp.csr_array(wanted).nnz == len(found.sparsity(x).indices)
