"""Triangular systems, Cholesky factors and least squares of many matrices at once, beside NumPy one by one."""

from __future__ import annotations

import numpy as np
import pytest

import dsl

TEXT = """
import linalg
def triangular(a: f64[k, n, n], b: f64[k, n]) -> f64[k, n] = linalg.solve_triangular(a, b, lower=true)
def columns(a: f64[k, j, n, n], b: f64[k, j, n, m]) -> f64[k, j, n, m] = linalg.solve_triangular(a, b, trans=true)
def positive(a: f64[k, n, n], b: f64[k, n]) -> f64[k, n] = linalg.cho_solve(linalg.cholesky(a), b)
def least(a: f64[k, n, m], b: f64[k, n]) -> f64[k, m] where n >= m = linalg.lstsq(a, b)
def slope(a: f64[k, n, n], b: f64[k, n]) -> f64[k, n] = grad(fn b -> sum(triangular(a, b)))(b)
"""
RANDOM = np.random.default_rng(0)
A = RANDOM.normal(size=(2, 4, 4)) + 4 * np.eye(4)
B = RANDOM.normal(size=(2, 4))
COLUMNS = RANDOM.normal(size=(2, 1, 4, 3))


def test_many_systems_are_solved_one_by_one() -> None:
    m = dsl.program(TEXT)
    lower, upper = np.tril(A), np.triu(A)
    np.testing.assert_allclose(m.triangular(A, B), [np.linalg.solve(a, b) for a, b in zip(lower, B, strict=True)])
    wanted = [[np.linalg.solve(a.T, b) for b in each] for a, each in zip(upper, COLUMNS, strict=True)]
    np.testing.assert_allclose(m.columns(A[:, None], COLUMNS), wanted)
    squares = A @ np.swapaxes(A, 1, 2)
    np.testing.assert_allclose(m.positive(squares, B), [np.linalg.solve(a, b) for a, b in zip(squares, B, strict=True)])
    found = m.least(A[:, :, :2], B)
    wanted = [np.linalg.lstsq(a[:, :2], b, rcond=None)[0] for a, b in zip(A, B, strict=True)]
    np.testing.assert_allclose(found, wanted)
    np.testing.assert_allclose(m.slope(A, B), [np.linalg.solve(a.T, np.ones(4)) for a in lower])


@pytest.mark.parametrize(
    "text",
    [
        "(a: f64[k, n, n], b: f64[j, n]) -> f64[j, n] = linalg.solve_triangular(a, b)",
        "(a: f64[k, n, n], b: f64[n]) -> f64[n] = linalg.solve_triangular(a, b)",
        "(a: f64[k, n, m], b: f64[k, m]) -> f64[k, m] where n >= m = linalg.lstsq(a, b)",
    ],
)
def test_systems_that_do_not_meet_are_refused(text: str) -> None:
    with pytest.raises(dsl.DslError, match=r"error\[E04"):
        dsl.program(f"import linalg\ndef f{text}\n")
