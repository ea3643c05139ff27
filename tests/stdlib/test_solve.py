"""Solvers on problems of More, Garbow and Hillstrom (1981), beside SciPy; derivatives of solutions."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Context, Decimal, localcontext
from typing import Any

import numpy as np
import pytest
import scipy.integrate
import scipy.optimize

import dsl
from benchmarks.solvers.optima import TEXT
from benchmarks.solvers.slopes import SOLVERS as DERIVED
from benchmarks.solvers.slopes import errors
from tests.support.cases import some

Array = np.ndarray[Any, Any]
PROBLEMS = (
    TEXT
    + """
def padded(r: f64[m]) -> f64[20] where m <= 20 = concatenate((r, zeros([20 - m], f64)))
def residuals(i: i32, x: f64[4]) -> f64[20] =
    let of_powell = fn (x: f64[4]) -> padded(powell_singular(x))
    let others = (fn x -> padded(wood(x)), fn x -> padded(kowalik_osborne(x)))
    switch(i, (fn x -> padded(rosenbrock(x)), of_powell, others.0, others.1), x)
def squares(i: i32, x: f64[4]) -> f64 = sum(square(residuals(i, x)))
def half(i: i32, x: f64[4]) -> f64 = 0.5 * squares(i, x)
def equations(i: i32, x: f64[4]) -> f64[4] = switch(i, (fn x -> rosenbrock(x), tridiagonal, brown, trigonometric), x)
"""
)
SOLVERS = """
def bfgs(i: i32, x: f64[4]) = solve.bfgs(fn x -> half(i, x), x)
def lbfgs(i: i32, x: f64[4]) = solve.lbfgs(fn x -> half(i, x), x)
def nonlinear_cg(i: i32, x: f64[4]) = solve.nonlinear_cg(fn x -> half(i, x), x)
def trust_region(i: i32, x: f64[4]) = solve.trust_region(fn x -> half(i, x), x)
def nelder_mead(i: i32, x: f64[4]) = solve.nelder_mead(fn x -> half(i, x), x)
def levenberg_marquardt(i: i32, x: f64[4]) = solve.levenberg_marquardt(fn x -> residuals(i, x), x)
def gauss_newton(i: i32, x: f64[4]) = solve.gauss_newton(fn x -> residuals(i, x), x)
def least_squares(i: i32, x: f64[4]) = solve.least_squares(fn x -> residuals(i, x), x)
def root(i: i32, x: f64[4]) = solve.root(fn x -> equations(i, x), x)
def newton(i: i32, x: f64[4]) = solve.newton(fn x -> equations(i, x), x)
def broyden(i: i32, x: f64[4]) = solve.broyden(fn x -> equations(i, x), x)
"""
STARTS = np.array([[-1.2, 1, -1.2, 1], [3, -1, 0, 1], [-3, -1, -3, -1], [0.25, 0.39, 0.415, 0.39]])
ROOTS = {"rosenbrock": [-1.2, 1, -1.2, 1], "tridiagonal": [-1.0] * 4, "brown": [0.5] * 4, "trigonometric": [0.25] * 4}


@pytest.fixture(scope="module")
def m() -> dsl.Program:
    return dsl.program(PROBLEMS + SOLVERS)


MINIMISERS = (
    *("bfgs", "lbfgs", "nonlinear_cg", "trust_region", "nelder_mead"),
    *("levenberg_marquardt", "gauss_newton", "least_squares"),
)


@pytest.fixture(scope="module")
def minima(m: dsl.Program) -> list[Any]:
    """What SciPy finds."""

    def by_scipy(k: int) -> Any:
        def residuals(x: Array) -> Any:
            return m.residuals(np.int32(k), x)

        return scipy.optimize.least_squares(residuals, STARTS[k], xtol=1e-14, ftol=1e-14, gtol=1e-14)

    return [by_scipy(k) for k in range(4)]


@pytest.mark.parametrize("name", MINIMISERS)
def test_minima_of_known_problems(m: dsl.Program, minima: list[Any], name: str) -> None:
    """The second has a singular second derivative at its minimum: x is known to the fourth root of the error."""
    solver = getattr(m, name)
    for k, wanted in enumerate(some(minima)):
        found = solver(np.int32(k), STARTS[k])
        assert bool(found["converged"])
        np.testing.assert_allclose(found["objective"], wanted.cost, rtol=1e-9, atol=1e-13)
        np.testing.assert_allclose(found["value"], wanted.x, rtol=1e-4, atol=1e-3 if k == 1 else 1e-6)


@pytest.mark.parametrize("name", ["root", "newton", "broyden"])
def test_roots_of_known_problems(m: dsl.Program, name: str) -> None:
    """`converged` says whether it is a root; where SciPy finds one from the same start, so does `root`."""
    solver = getattr(m, name)
    for k, start in enumerate(ROOTS.values()):
        found = solver(np.int32(k), np.array(start))
        left = np.abs(m.equations(np.int32(k), np.asarray(found["value"]))).max()
        assert bool(found["converged"]) == (left < 1e-9)
        wanted = scipy.optimize.root(lambda x, k=k: m.equations(np.int32(k), x), start, tol=1e-12)
        if name == "root" and wanted.success:
            assert bool(found["converged"])
            same = k == 2 or np.allclose(found["value"], wanted.x, rtol=1e-6)
            assert same  # the third has two roots


@pytest.mark.parametrize("name", DERIVED)
def test_derivatives_of_solutions_are_those_of_finite_differences(name: str) -> None:
    """Of first order in both modes, and of second order."""
    first, second = errors(DERIVED[name])
    assert second is not None
    assert first < 1e-7
    assert second < 1e-5


def _of_third_order(body: str) -> dsl.Program:
    bend = "def bend(k: f64) -> f64 = jvp(grad(f), (k,), (1.0,)).1\n"
    third = "def third(k: f64) -> f64 = jvp(bend, (k,), (1.0,)).1\n"
    return dsl.program(f"import solve\ndef f(k: f64) -> f64 = {body}\n{bend}{third}")


@pytest.mark.parametrize("name", sorted(DERIVED.keys() - {"integrate"}))
def test_derivatives_beyond_the_order_are_refused(name: str) -> None:
    with pytest.raises(dsl.TransformError, match="E0821"):
        _of_third_order(DERIVED[name].text).third(0.7)


THIRD = {
    "brent": "solve.brent(fn x -> x ** 3 + x - k * k, 0.0, 10.0, order=3).value",
    "direct": "sum(sin(solve.direct(solve.elementwise([2.0 + k, 3.0 * k]), [k, k * k], order=3)))",
}


@pytest.mark.parametrize("name", THIRD)
def test_derivatives_up_to_the_order_are_those_of_finite_differences(name: str) -> None:
    program, k, h = _of_third_order(THIRD[name]), 0.7, 1e-4
    wanted = (float(program.bend(k + h)) - float(program.bend(k - h))) / (2 * h)
    np.testing.assert_allclose(float(program.third(k)), wanted, rtol=1e-5)


def test_a_gradient_does_not_go_through_the_steps() -> None:
    """Neither does it depend on the limit, nor is a loop made one that remembers."""
    program = dsl.program(
        """import solve
def value(k: f64, x: f64[2]) -> f64 = sum(solve.bfgs(fn x -> sum(cosh(x - k)), x).value)
def slope(k: f64, x: f64[2]) -> f64 = grad(value)(k, x)
"""
    )
    text = program.slope.ir(0.3, np.zeros(2))
    assert " scan{" not in text.split("def slope(")[1]
    assert text.count(" while{") == program.value.ir(0.3, np.zeros(2)).count(" while{")


def test_what_does_not_converge_says_so() -> None:
    program = dsl.program(
        """import solve
def nowhere(x: f64[2]) -> bool = solve.root(fn x -> x * x + 1.0, x).converged
def singular(b: f64[2]) -> bool = solve.gmres(solve.dense(f64([[1.0, 1.0], [1.0, 1.0]])), b).converged
def indefinite(b: f64[2]) -> bool = solve.cg(solve.dense(f64([[0.0, 1.0], [1.0, 0.0]])), b).converged
def unbounded(x: f64[2]) -> bool = solve.bfgs(fn x -> -sum(x * x), x).converged
def one_side(x: f64) -> (bool, bool) =
    let f = fn x -> x * x + 1.0
    (solve.brent(f, 0.0, x).converged, solve.bisect(f, 0.0, x).converged)
def too_few(x: f64) -> bool = solve.integrate(fn t -> sqrt(abs(t - 0.3)), 0.0, x, limit=3).converged
def diverging(x: f64) -> bool = solve.fixed_point(fn x -> 2.0 * x + 1.0, x, memory=0).converged
"""
    )
    for name, given in {
        "nowhere": np.array([0.3, 2.0]),
        "singular": np.array([1.0, -1.0]),
        "indefinite": np.array([1.0, 0.0]),
        "unbounded": np.array([1.0, -1.0]),
        "one_side": 1.0,
        "too_few": 1.0,
        "diverging": 1.0,
    }.items():
        assert not np.any(getattr(program, name)(given)), name


LINEAR = """
import solve
def errors(a: f64[6, 6], b: f64[6]) =
    let general = solve.dense(a)
    let positive = solve.dense(a @ a.T)
    let blocks = solve.block_jacobi(a, 2)
    (
        solve.cg(positive, b), solve.cg(positive, b, preconditioner=solve.jacobi(a @ a.T).apply),
        solve.minres(solve.dense(a + a.T), b),
        solve.bicgstab(general, b), solve.gmres(general, b, restart=4),
        solve.gmres(general, b, preconditioner=blocks.apply, preconditioner_transposed=blocks.transposed),
        solve.lsmr(general, b),
    )
def trees(x: {u: f32[3], v: f64}) =
    solve.cg(solve.symmetric(fn p -> {u = 2.0 * p.u + f32(p.v), v = 5.0 * p.v + f64(sum(p.u))}, x), x)
"""


def test_iterative_solvers_find_what_numpy_finds() -> None:
    random = np.random.default_rng(1)
    a, b = random.normal(size=(6, 6)) + 4 * np.eye(6), random.normal(size=6)
    program = dsl.program(LINEAR)
    spd = a @ a.T
    for found, matrix in zip(program.errors(a, b), (spd, spd, a + a.T, a, a, a, a), strict=True):
        assert bool(found["converged"])
        np.testing.assert_allclose(found["value"], np.linalg.solve(matrix, b), rtol=1e-8)
    tree = program.trees({"u": np.array([1, 2, 3], np.float32), "v": 1.0})
    whole = np.block([[2 * np.eye(3), np.ones((3, 1))], [np.ones((1, 3)), 5 * np.eye(1)]])
    wanted = np.linalg.solve(whole, [1, 2, 3, 1])
    np.testing.assert_allclose(np.append(tree["value"]["u"], tree["value"]["v"]), wanted, rtol=1e-5)


OPERATORS: dict[str, tuple[str, Callable[[Array], Array]]] = {
    "factored": ("solve.factored(a)", lambda a: a),
    "positive": ("solve.positive(a @ a.T)", lambda a: a @ a.T),
    "elementwise": ("solve.elementwise(a[0])", lambda a: np.diag(a[0])),
    "tridiagonal": (
        "solve.tridiagonal(diagonal(a), a[0, 1:], a[1, 1:])",
        lambda a: np.diag(np.diag(a)) + np.diag(a[0, 1:], -1) + np.diag(a[1, 1:], 1),
    ),
    "banded": ("solve.banded(a[:4].at[2].set(diagonal(a)), 1, 2)", lambda a: _by_bands(a)),
    "low_rank_update": (
        "solve.low_rank_update(solve.elementwise(diagonal(a)), a[:, :2], a[:2].T)",
        lambda a: np.diag(np.diag(a)) + a[:, :2] @ a[:2],
    ),
}


def _by_bands(a: Array) -> Array:
    bands = a[:4].copy()
    bands[2] = np.diag(a)
    return np.array([[bands[2 + i - j, j] if 0 <= 2 + i - j < 4 else 0.0 for j in range(6)] for i in range(6)])


def test_direct_inverses_are_those_of_the_matrices() -> None:
    """And those of the transposes, of sums, of products and of Kronecker products."""
    calls = ", ".join(f"all_of({call}, b)" for call, _ in OPERATORS.values())
    program = dsl.program(
        f"""import solve
def all_of(m: solve.Invertible[f64[n]], b: f64[n]) -> (f64[n, n], f64[n], f64[n], f64[n]) =
    (solve.as_matrix(m.operator), solve.direct(m, b), m.inverse_transposed(b), m.operator.transposed(b))
def run(a: f64[6, 6], b: f64[6]) = ({calls})
def composed(a: f64[n, n], b: f64[n, n]) -> (f64[n, n], f64[n, n], f64[n, n]) =
    let (p, q) = (solve.dense(a), solve.dense(b))
    let (added, multiplied) = (solve.plus(p, solve.scaled(2.0, q)), solve.product(p, solve.transpose_of(q)))
    let both = solve.kronecker(solve.factored(a), solve.factored(b))
    (solve.as_matrix(added), solve.as_matrix(multiplied), solve.direct(both, a))
def derived(x: f64[3]) -> (f64[2, 3], f64[3], f64[3, 3], f64[3]) =
    let slope = solve.jacobian(fn v -> [sum(v ** 2), v[0] * v[1]], x)
    let near = solve.product(solve.inverse_of(solve.elementwise(x)), solve.unchanged(x))
    let bend = solve.curvature(fn v -> sum(v ** 3), x)
    (solve.as_matrix(slope), slope.transposed([1.0, 2.0]), solve.as_matrix(bend), near.transposed(x))
"""
    )
    random = np.random.default_rng(2)
    a, b = 0.3 * random.normal(size=(6, 6)) + 3 * np.eye(6), random.normal(size=6)
    for found, (_, matrix) in zip(program.run(a, b), OPERATORS.values(), strict=True):
        wanted = matrix(a)
        each = (wanted, np.linalg.solve(wanted, b), np.linalg.solve(wanted.T, b), wanted.T @ b)
        for got, want in zip(found, each, strict=True):
            np.testing.assert_allclose(got, want, rtol=1e-9, atol=1e-12)
    c = random.normal(size=(6, 6)) + 3 * np.eye(6)
    added, multiplied, divided = program.composed(a, c)
    np.testing.assert_allclose(added, a + 2 * c)
    np.testing.assert_allclose(multiplied, a @ c.T)
    x = np.array([1.0, 2.0, 3.0])
    slope, back, bend, near = map(np.asarray, program.derived(x))
    np.testing.assert_allclose(slope, np.stack([2 * x, [2.0, 1.0, 0.0]]))
    np.testing.assert_allclose(back, slope.T @ [1, 2])
    np.testing.assert_allclose(bend, np.diag(6 * x))
    np.testing.assert_allclose(near, np.ones(3))
    np.testing.assert_allclose(divided, np.linalg.solve(a, a) @ np.linalg.inv(c).T, atol=1e-12)


def test_integrals_are_those_of_scipy() -> None:
    program = dsl.program(
        """import solve
def adaptive(k: f64) -> (f64, f64, f64) =
    let tail = solve.integrate_tail(fn x -> exp(-k * x), 0.0, limit=20).value
    let line = solve.integrate_line(fn x -> exp(-k * x * x), 0.0, limit=20).value
    (solve.integrate(fn x -> sqrt(x) * k, 0.0, 1.0, limit=20).value, tail, line)
def tree(k: f64) -> {u: f64, v: f64[2]} =
    solve.integrate(fn x -> {u = x * k, v = [sin(x), cos(k * x)]}, 0.0, 1.0, limit=2).value
def rule() -> (f64[9], f64[9]) = solve.gauss_legendre(9)
def fixed(k: f64) -> f64 = solve.quadrature(fn x -> exp(-k * x * x), 0.0, 2.0, n=12)
def samples(y: f64[9]) -> (f64, f64) = (solve.simpson(y, dx=0.5), solve.simpson(y[:6], dx=0.5))
"""
    )
    np.testing.assert_allclose(program.adaptive(1.3), (1.3 * 2 / 3, 1 / 1.3, np.sqrt(np.pi / 1.3)), rtol=1e-9)
    found = program.tree(1.3)
    np.testing.assert_allclose(np.append(found["v"], found["u"]), (1 - np.cos(1), np.sin(1.3) / 1.3, 0.65), rtol=1e-10)
    for got, want in zip(program.rule(), np.polynomial.legendre.leggauss(9), strict=True):
        np.testing.assert_allclose(got, want, rtol=1e-14, atol=1e-16)
    np.testing.assert_allclose(program.fixed(1.3), scipy.integrate.quad(lambda x: np.exp(-1.3 * x * x), 0, 2)[0])
    y = np.random.default_rng(0).normal(size=9)
    wanted = scipy.integrate.simpson(y, dx=0.5), scipy.integrate.simpson(y[:6], dx=0.5)
    np.testing.assert_allclose(program.samples(y), wanted)


REDUNDANT = dsl.program(
    """import solve
def arm(angles: f64[n]) -> f64[2] = [sum(cos(cumsum(angles))), sum(sin(cumsum(angles)))]
def waves(a: f64[m, n], b: f64[m], x: f64[n]) -> f64[m] = sin(a @ x) + 0.3 * (a @ x) - b
def reached(p: f64[2], x: f64[n]) = solve.levenberg_marquardt(fn q -> arm(q) - p, x)
def reached_on_trees(p: f64[2], x: f64[n]) = solve.least_squares(fn q -> arm(q) - p, x)
def fitted(a: f64[m, n], b: f64[m], x: f64[n]) = solve.levenberg_marquardt(fn x -> waves(a, b, x), x)
"""
)


@pytest.mark.parametrize("solver", ["reached", "reached_on_trees"])
def test_arms_with_more_joints_than_equations_reach_or_stretch(solver: str) -> None:
    """Beyond its reach an arm stretches: the residual stays large, and the products of slopes are singular."""
    draw = np.random.default_rng(0)
    reach = np.repeat([3.0, 7.0, 9.0], 20)
    turn = draw.uniform(0, 2 * np.pi, 60)
    goals = np.stack([reach * np.cos(turn), reach * np.sin(turn)], 1)
    found = dsl.vmap(getattr(REDUNDANT, solver))(goals, draw.normal(size=(60, 7)))
    assert np.all(found["converged"])
    np.testing.assert_allclose(found["objective"], 0.5 * np.maximum(reach - 7, 0) ** 2, atol=1e-9)


def test_fits_with_more_unknowns_than_residuals_end_in_few_steps() -> None:
    draw = np.random.default_rng(1)
    found = dsl.vmap(REDUNDANT.fitted)(
        draw.normal(size=(40, 10, 12)), draw.normal(size=(40, 10)), draw.normal(size=(40, 12))
    )
    assert np.all(found["converged"]) and np.max(found["steps"]) <= 60
    assert np.mean(np.asarray(found["objective"]) > 1e-3) > 0.5


def exact_weight(n: int, node: float) -> tuple[Decimal, Decimal]:
    """The root of the polynomial of Legendre that is next to a node, and its weight, in 40 digits."""
    with localcontext(Context(prec=40)):
        x, slope = Decimal(node), Decimal(1)
        for _ in range(3):
            before, now = Decimal(1), x
            for k in range(1, n):
                before, now = now, ((2 * k + 1) * x * now - k * before) / (k + 1)
            slope = n * (x * now - before) / (x * x - 1)
            x -= now / slope
        return x, 2 / ((1 - x * x) * slope * slope)


@pytest.mark.parametrize("n", [1, 2, 3, 16, 25, 200, 1000])
def test_nodes_of_gauss_and_legendre_are_exact_to_rounding(n: int) -> None:
    nodes, weights = map(np.asarray, NODES.rule(n=n))
    assert np.all(np.diff(nodes) > 0) and nodes.shape == (n,)
    np.testing.assert_array_equal(nodes, -nodes[::-1])
    assert abs(weights.sum() - 2) < 1e-14
    for i in {0, n // 3, n // 2, n - 1}:
        node, weight = exact_weight(n, nodes[i])
        assert abs(Decimal(nodes[i]) - node) < Decimal("5e-16")
        assert abs(Decimal(weights[i]) / weight - 1) < Decimal("1e-14")


TURNED = """
import solve
def slope(j: f64[n, n], c: f64[n], k: f64[n]) -> f64[n] =
    grad(fn c -> dot(k, solve.fixed_point(fn x -> c + j @ x, zeros([n], f64)).value))(c)
"""


@pytest.mark.parametrize("matrix", ["rotation", "shift", "slow"])
def test_derivatives_of_fixed_points_whose_equations_do_not_shrink_the_residual(matrix: str) -> None:
    """Of the first two a = 1 - j turns each residual at right angles; the last needs more directions than are kept."""
    random = np.random.default_rng(0)
    slow = random.normal(size=(40, 40))
    a = {
        "rotation": np.array([[0.0, -1.0], [1.0, 0.0]]),
        "shift": np.roll(np.eye(12), 1, axis=0),
        "slow": np.eye(40) - 0.9 * slow / np.abs(np.linalg.eigvals(slow)).max(),
    }[matrix]
    c, k = random.normal(size=(2, len(a)))
    found = np.asarray(dsl.program(TURNED).slope(np.eye(len(a)) - a, c, k))
    np.testing.assert_allclose(found, np.linalg.solve(a.T, k), rtol=1e-8, atol=1e-10)


NODES = dsl.program("import solve\ndef rule(static n: size) -> (f64[n], f64[n]) = solve.gauss_legendre(n)\n")

WRONG = {
    "nodes without a number of them": ("(x: f64[2]) = solve.gauss_legendre(x[0])", "E0501"),
    "more equations than numbers": ("(x: f64[2]) = solve.root(fn x -> concatenate((x, x)), x)", "E0402"),
    "fewer residuals than numbers": ("(x: f64[2]) = solve.gauss_newton(fn x -> x[:1], x)", "E0407"),
    "an objective that is no number": ("(x: f64[2]) = solve.lbfgs(fn x -> x, x)", "E04"),
    "a matrix-free operator has no direct inverse": (
        "(x: f64[2]) = solve.direct(solve.symmetric(fn v -> 2.0 * v, x), x)",
        "E03",
    ),
    "operators that do not meet": ("(a: f64[2, 3]) = solve.product(solve.dense(a), solve.dense(a))", "E04"),
    "bands that are not so many": ("(a: f64[3, 9]) = solve.banded(a, 1, 2)", "E0407"),
    "integers": ("(x: i32[2]) = solve.root(fn x -> x, x)", "E03"),
    "an effect": ('(x: f64[2]) -> f64[2] ! io = solve.root(fn x -> (let _ = print("x") in x), x).value', "E"),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_uses_are_refused(name: str) -> None:
    text, code = WRONG[name]
    with pytest.raises(dsl.DslError) as caught:
        dsl.program(f"import solve\ndef f{text}\n")
    assert str(caught.value).startswith(f"error[{code}")
