"""Preconditioners of sparse matrices against NumPy, and the incomplete factors that some of them are made of."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest
import scipy.sparse

import dsl
from benchmarks.solvers.matrices import bands, of_bands, record, weighted
from tests.support.cases import some

PROGRAM = """
import solve
import sparse
type Both[n] = {inverse: f64[n, n], transposed: f64[n, n], value: f64[n], steps: i32, converged: bool}
def _both(m: solve.Operator[f64[n], f64[n]], s: sparse.CSR[f64, n, n, k], b: f64[n]) -> Both[n] where n >= 1 =
    let found = solve.cg(solve.sparse_matrix(s), b, preconditioner=m.apply)
    let (inverse, transposed) = (solve.as_matrix(m), solve.as_matrix(solve.transpose_of(m)))
    {inverse = inverse, transposed = transposed, value = found.value, steps = found.steps, converged = found.converged}
def plain(s: sparse.CSR[f64, n, n, k], b: f64[n]) -> Both[n] where n >= 1 = _both(solve.unchanged(b), s, b)
def jacobi(s: sparse.CSR[f64, n, n, k], b: f64[n]) -> Both[n] where n >= 1 = _both(solve.jacobi(s), s, b)
def ssor(s: sparse.CSR[f64, n, n, k], b: f64[n]) -> Both[n] where n >= 1 = _both(solve.ssor(s, omega=1.5), s, b)
def block_jacobi(s: sparse.CSR[f64, n, n, k], b: f64[n]) -> Both[n] where n >= 1 and n % 7 == 0 =
    _both(solve.block_jacobi(s, 7), s, b)
def three_blocks(s: sparse.CSR[f64, n, n, k], a: f64[n, n]) -> f64[3, n, n] where n >= 1 and n % 7 == 0 =
    let by_rows = solve.as_matrix(solve.block_jacobi(s, 7))
    [by_rows, solve.as_matrix(solve.block_jacobi(sparse.to_coo(s), 7)), solve.as_matrix(solve.block_jacobi(a, 7))]
def polynomial(s: sparse.CSR[f64, n, n, k], b: f64[n]) -> Both[n] where n >= 1 =
    _both(solve.polynomial(solve.sparse_matrix(s), 0.1, 8.0, degree=3), s, b)
def ilu(s: sparse.CSR[f64, n, n, k], b: f64[n]) -> Both[n] ! check where n >= 1 and k >= 1 =
    let m = solve.ilu(s, width=5)
    _both(m, s, b)
def ilu_of_six(s: sparse.CSR[f64, n, n, k], b: f64[n]) -> Both[n] ! check where n >= 1 and k >= 1 =
    let m = solve.ilu(s, width=6)
    _both(m, s, b)
def slope(s: sparse.CSR[f64, n, n, k], b: f64[n]) -> f64[n] where n >= 1 =
    let m = solve.ssor(s)
    grad(fn b -> sum(sin(solve.cg(solve.sparse_matrix(s), b, preconditioner=m.apply).value)))(b)
def squared(s: sparse.CSR[f64, n, m, k], t: sparse.CSR[f64, m, p, l]) -> f64[n, p] ! check
    where n >= 1 and p >= 1 and k >= 1 and l >= 1 = sparse.to_dense(sparse.matmul(s, t, size=5 * k))
"""
G = 7
N = G * G


POISSON = weighted(G)
SKEW = POISSON.copy()
SKEW.data = SKEW.data * (1 + 0.3 * np.random.default_rng(1).random(SKEW.nnz))
B = np.random.default_rng(0).normal(size=N)


@cache
def program() -> dsl.Program:
    return dsl.program(PROGRAM)


def incomplete(a: Any) -> Any:
    """The factors by rows, as the books have it."""
    lu, there = a.toarray(), a.toarray() != 0
    for i in range(len(lu)):
        for k in np.flatnonzero(there[i, :i]):
            lu[i, k] /= lu[k, k]
            later = np.flatnonzero(there[i] & (np.arange(len(lu)) > k))
            lu[i, later] -= lu[i, k] * lu[k, later]
    return np.tril(lu, -1) + np.eye(len(lu)), np.triu(lu)


def expected(name: str, a: Any) -> Any:
    """The inverse that a preconditioner applies."""
    if name == "ilu":
        return np.linalg.inv(np.matmul(*incomplete(a)))
    d, dense, w = np.diag(a.diagonal()), a.toarray(), 1.5
    if name == "ssor":
        up, down = d + w * np.triu(dense, 1), d + w * np.tril(dense, -1)
        return w * (2 - w) * np.linalg.inv(up) @ d @ np.linalg.inv(down)
    if name == "block_jacobi":
        d = np.where(np.arange(N)[:, None] // G == np.arange(N) // G, dense, 0.0)
    return np.linalg.inv(d)


@pytest.mark.parametrize("name", ["jacobi", "block_jacobi", "ssor", "ilu"])
def test_they_are_the_inverses_of_the_books(name: str) -> None:
    for a in (POISSON, SKEW):
        found, wanted = getattr(program(), name)(record(a), B), expected(name, a)
        np.testing.assert_allclose(found["inverse"], wanted, atol=1e-12)
        np.testing.assert_allclose(found["transposed"], wanted.T, atol=1e-12)


@pytest.mark.parametrize("name", ["jacobi", "block_jacobi", "ssor", "ilu", "polynomial"])
def test_conjugate_gradients_take_fewer_steps(name: str) -> None:
    found, plain = getattr(program(), name)(record(POISSON), B), program().plain(record(POISSON), B)
    assert bool(found["converged"])
    np.testing.assert_allclose(found["value"], np.linalg.solve(POISSON.toarray(), B), rtol=1e-8)
    most = int(plain["steps"]) if name == "jacobi" else int(plain["steps"]) - 1
    assert int(found["steps"]) <= most
    np.testing.assert_allclose(found["inverse"], np.asarray(found["inverse"]).T, atol=1e-12)


def test_the_derivative_goes_by_the_preconditioner_too() -> None:
    a = POISSON.toarray()
    wanted = np.linalg.solve(a, np.cos(np.linalg.solve(a, B)))
    np.testing.assert_allclose(program().slope(record(POISSON), B), wanted, rtol=1e-7)


def test_what_has_no_incomplete_factors_fails_its_check() -> None:
    twice = scipy.sparse.csr_matrix((N, N))
    twice.data, twice.indices, twice.indptr = np.ones(N + 1), np.r_[0, np.arange(N)], np.r_[0, np.arange(2, N + 2)]
    wide = scipy.sparse.csr_matrix(np.ones((N, N)) + N * np.eye(N))
    hollow = POISSON - scipy.sparse.diags(POISSON.diagonal())
    hollow.eliminate_zeros()
    for a, message in ((twice, "stored twice"), (wide, "more than `width`"), (hollow, "diagonal is missing")):
        with pytest.raises(dsl.DslError, match=message):
            np.asarray(program().ilu(record(a), B)["value"])


def test_a_product_of_two_matrices_by_rows() -> None:
    found = program().squared(record(POISSON), record(SKEW))
    np.testing.assert_allclose(found, (POISSON @ SKEW).toarray(), atol=1e-12)


def test_blocks_of_all_formats_are_the_same() -> None:
    first, *others = np.asarray(program().three_blocks(record(SKEW), SKEW.toarray()))
    for other in some(others):
        np.testing.assert_allclose(other, first, atol=1e-14)


def test_incomplete_factors_of_a_whole_band_are_its_factors() -> None:
    band = of_bands(bands(N, 2, 3), 2, 3)
    found = program().ilu_of_six(record(band), B)
    np.testing.assert_allclose(found["inverse"], np.linalg.inv(band.toarray()), atol=1e-12)


WRONG = """import solve
def f(a: f64[n, n], b: f64[n]) -> f64[n] = solve.cg(solve.dense(a), b, preconditioner=solve.jacobi(a)).value
"""


def test_a_preconditioner_in_place_of_its_function_is_told_so() -> None:
    with pytest.raises(dsl.DslError, match=r"a field of it is a function: `solve\.jacobi\(a\)\.apply`"):
        dsl.program(WRONG)
