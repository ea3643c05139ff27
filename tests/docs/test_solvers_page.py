"""The programs of `docs/solvers.md` are accepted and give what they say; every function of `solve` is on the page."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

import dsl
from tests.support.library import public

PAGE = (Path(__file__).parents[2] / "docs" / "solvers.md").read_text(encoding="utf-8")
ROOTS, MINIMA, LINEAR, INTEGRALS, NESTED = re.findall(r"```dsl\n(.*?)```", PAGE, flags=re.DOTALL)[:5]
REFUSED = re.findall(r"```dsl refused=(E\d+)\n(.*?)```", PAGE, flags=re.DOTALL)
T = np.linspace(0, 2, 9)


def test_roots_are_roots() -> None:
    m = dsl.program(ROOTS)
    q = float(m.balance(20.0, 0.1))
    np.testing.assert_allclose(0.3 * q**2 + 0.1 * q**1.75, 20.0)
    np.testing.assert_allclose(m.stiffer(20.0, 0.1), -(q**1.75) / (0.6 * q + 0.175 * q**0.75))
    e = np.asarray(m.anomalies(T, 0.3))
    np.testing.assert_allclose(e - 0.3 * np.sin(e), T, atol=1e-10)


def test_what_is_fitted_is_what_the_data_were_made_of() -> None:
    m = dsl.program(MINIMA)
    np.testing.assert_allclose(m.decay(T, 3 * np.exp(-0.7 * T)), [3, 0.7], rtol=1e-8)
    found = m.fitted(T, 2 * T - 1, 0.0)
    np.testing.assert_allclose([found["slope"], found["offset"]], [2, -1], rtol=1e-6)


def test_systems_are_solved() -> None:
    m = dsl.program(LINEAR)
    full = np.eye(9) + 0.5 * (2 * np.eye(9) - np.eye(9, k=1) - np.eye(9, k=-1))
    np.testing.assert_allclose(m.heat(T, 0.5), np.linalg.solve(full, T))
    a = np.random.default_rng(0).normal(size=(8, 8)) + 6 * np.eye(8)
    np.testing.assert_allclose(m.preconditioned(a, T[:8]), np.linalg.solve(a, T[:8]), rtol=1e-8)


def test_integrals_are_known() -> None:
    m = dsl.program(INTEGRALS)
    np.testing.assert_allclose(m.bell(2.0), 2 * np.sqrt(np.pi))
    np.testing.assert_allclose(m.moments(0.0, 1.0)["mean"], 1 - 2 / np.e)


def test_the_slope_of_a_problem_within_a_problem_is_that_of_the_closed_form() -> None:
    random = np.random.default_rng(0)
    x, y, x2, y2 = (random.normal(size=s) for s in ((9, 2), (9,), (7, 2), (7,)))

    def error(penalty: float) -> float:
        w = np.linalg.solve(x.T @ x / 9 + np.exp(penalty) * np.eye(2), x.T @ y / 9)
        return float(np.mean((x2 @ w - y2) ** 2))

    found = dsl.program(NESTED).slope(-1.0, x, y, x2, y2)
    np.testing.assert_allclose(found, (error(-1 + 1e-5) - error(-1 - 1e-5)) / 2e-5, rtol=1e-6)


@pytest.mark.parametrize(("code", "text"), REFUSED)
def test_what_is_refused_is(code: str, text: str) -> None:
    with pytest.raises(dsl.DslError, match=rf"error\[{code}"):
        dsl.program(text)


def test_every_function_is_on_the_page() -> None:
    assert [name for name in public("solve", run=True) if not re.search(rf"\b{name}\b", PAGE)] == []
