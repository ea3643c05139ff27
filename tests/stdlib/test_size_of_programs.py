"""How often a program contains the function that a solver is given, and what a sum over nodes becomes."""

from __future__ import annotations

import re

import numpy as np
import pytest

import dsl

PROGRAM = """
import linalg
import solve

def marquardt(t: f64[n], y: f64[n]) -> f64[2] =
    solve.levenberg_marquardt(fn p -> p[0] * tan(p[1] * t) - y, f64([1.0, 0.1])).value
def gauss(t: f64[n], y: f64[n]) -> f64[2] =
    solve.gauss_newton(fn p -> p[0] * tan(p[1] * t) - y, f64([1.0, 0.1])).value
def root(t: f64[n], y: f64[n]) -> f64[n] where n >= 2 = solve.root(fn p -> tan(p) - y, t).value
def area(a: f64, static n: size) -> f64 where n >= 1 = solve.quadrature(fn x -> exp(a * x), 0.0, 1.0, n=n)
def integral(a: f64) -> f64 = solve.integrate(fn x -> exp(a * x), 0.0, 1.0).value
def slope(a: f64) -> f64 = grad(integral)(a)
def shared(l: f64[d, d], x: f64[n, d]) -> f64[n, d] = vmap(fn v -> linalg.solve_triangular(l, v, lower=true))(x)
def rows(l: f64[d, d], x: f64[n, m, d]) -> f64[n, m, d] =
    vmap(fn v -> linalg.solve_triangular(l, v.T, lower=true).T)(x)
def groups(l: f64[k, d, d], x: f64[n, d]) -> f64[n, k, d] =
    vmap(fn v -> vmap(fn m -> linalg.solve_triangular(m, v, lower=true))(l))(x)
def inverses(l: f64[d, d], x: f64[n, d, d]) -> f64[n, d, d] =
    vmap(fn v -> linalg.solve_triangular(l, v, lower=true))(x)
def slopes(l: f64[d, d], x: f64[n, d]) -> f64[d, d] = grad(fn l -> sum(shared(l, x) ** 2))(l)
"""


@pytest.fixture(scope="module")
def program() -> dsl.Program:
    return dsl.program(PROGRAM)


@pytest.mark.parametrize(("name", "most"), [("marquardt", 2), ("gauss", 4), ("root", 3)])
def test_a_solver_contains_its_function_a_few_times(program: dsl.Program, name: str, most: int) -> None:
    """With its derivative, or for another order of derivatives; the start is judged by the same code."""
    t = np.linspace(0.0, 1.0, 7)
    text = getattr(program, name).lower(t, np.tan(0.5 * t)).as_text()
    assert 1 <= text.count("stablehlo.tan ") <= most


def test_a_sum_over_nodes_is_one_reduction(program: dsl.Program) -> None:
    """However many nodes there are, the program is as long."""
    lines = {program.area.lower(0.3, n=n).as_text().count("\n") for n in (8, 12, 16, 33)}
    assert len(lines) == 1
    assert np.isclose(program.area(0.3, n=12), np.expm1(0.3) / 0.3, rtol=1e-14)


def test_an_integral_is_differentiated_on_the_intervals_that_there_are(program: dsl.Program) -> None:
    """No array has nodes for all 64 intervals; a value takes the first interval and two halves."""
    value, slope = (getattr(program, name).lower(0.3).as_text() for name in ("integral", "slope"))
    assert "64x15" not in value + slope
    assert value.count("stablehlo.exponential ") == 2
    exact = (0.3 * np.exp(0.3) - np.expm1(0.3)) / 0.3**2
    assert np.isclose(program.integral(0.3), np.expm1(0.3) / 0.3) and np.isclose(program.slope(0.3), exact)


def test_a_derivative_sums_over_many_intervals() -> None:
    """More of them than one block holds, also where elements of a map have different numbers of them."""
    program = dsl.program("""
    import solve
    def peak(c: f64) -> f64 = solve.integrate(fn x -> 1.0 / (c * c + x * x), -1.0, 1.0).value
    """)
    c = np.array([1.0, 0.1, 1e-3, 1e-5])
    exact = -2 * np.arctan(1 / c) / c**2 - 2 / (c * (c**2 + 1))
    for derivative in (dsl.grad(program.peak), dsl.jacfwd(program.peak)):
        np.testing.assert_allclose([float(derivative(each)) for each in c], exact, rtol=1e-7)
        np.testing.assert_allclose(dsl.vmap(derivative)(c), exact, rtol=1e-7)


def test_right_sides_of_one_matrix_are_columns(program: dsl.Program) -> None:
    """Whatever axes are mapped over: the matrices are not copied."""
    random = np.random.default_rng(0)
    many = np.tril(random.normal(size=(3, 4, 4))) + 4.0 * np.eye(4)
    flat, deep = random.normal(size=(5, 4)), random.normal(size=(5, 2, 4))
    for f, matrix, x, wanted in [
        (program.shared, many[0], flat, np.linalg.solve(many[0], flat.T).T),
        (program.rows, many[0], deep, np.linalg.solve(many[0], deep.transpose(0, 2, 1)).transpose(0, 2, 1)),
        (program.groups, many, flat, np.linalg.solve(many, flat.T).transpose(2, 0, 1)),
    ]:
        np.testing.assert_allclose(f(matrix, x), wanted, rtol=1e-12)
        solved = re.findall(r"triangular_solve\{.*\} (%\d+), ", str(f.ir(matrix, x)))
        assert solved == ["%0"]
    square = random.normal(size=(2, 4, 4))
    np.testing.assert_allclose(program.inverses(many[0], square), np.linalg.solve(many[0], square), rtol=1e-12)
    step, at = 1e-6, (2, 1)
    moved = many[0].copy()
    moved[at] += step
    after, before = (np.sum(np.asarray(program.shared(each, flat)) ** 2) for each in (moved, many[0]))
    np.testing.assert_allclose(np.asarray(program.slopes(many[0], flat))[at], (after - before) / step, rtol=1e-4)
