"""Derivatives of solutions by a number k, beside finite differences of the solutions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType

import numpy as np

import dsl
from benchmarks.solvers.table import Array, Cell, Found, Row, Table, marked

AT, STEP = 0.7, 1e-3
HEAD = """import differences
import interpolate
import linalg
import ode
import random
import solve
import sparse
def rate(t: f64, y: f64[2], k: f64) -> f64[2] = [y[0] * (k - y[1]) + 0.1 * sin(t), y[1] * (y[0] - 1.1)]
def rate_of(t: f64, y: f64[2], k: f64[1]) -> f64[2] = rate(t, y, k[0])
def grid(k: f64) -> sparse.COO[f64, 3, 3, 7] =
    let beside = sparse.add(sparse.diag([k, 1.0], 1), sparse.diag([k, 1.0], -1))
    sparse.add(beside, sparse.diag([3.0, 4.0 + k, 5.0]))
"""


@dataclass(frozen=True, slots=True)
class Case:
    """A number as a text of k; its first derivative where it is not that of `grad`; whether it has a second one."""

    text: str
    slope: str = "grad(f)(k)"
    twice: bool = True


def _solution(call: str, part: str, **options: str) -> Case:
    return Case(f"{call.format(**options)}{part}")


ADAPTED = (
    "ode.solve(fn (t, y) -> rate(t, y, k), [1.0, k], 0.0, 1.0 + k, ode.{m}(f64), rtol=1e-11, atol=1e-11,"
    " max_steps=256{more})"
)
STIFF = (
    "ode.solve_stiff(fn (t, y) -> rate(t, y, k), [1.0, k], 0.0, 1.0 + k, ode.{m}(f64), steps=20, rtol=1e-13,"
    " atol=1e-13)"
)
SENSITIVE = "ode.solve_sensitivities(rate_of, [1.0, 1.2], [k], 0.0, 1.0, ode.tsit5(f64), rtol=1e-11, atol=1e-11)"
LINEAR = "sum(sin(solve.{solver}(solve.{made}, [k, 1.0, 2.0]{more}).value))"
SPD = "sparse_matrix(grid(k))"
SQUARE = "dense([[2.0, k, 0.1], [0.3 * k * k, 3.0, 0.2], [0.1, k, 2.0]])"
SOLVERS: Mapping[str, Case] = MappingProxyType(
    {
        "root": Case("sum(solve.root(fn x -> x ** 3 + [0.1, 0.2] * x[::-1] - k, f64([1.0, 2.0])).value * [1.0, 2.0])"),
        "brent": Case("solve.brent(fn x -> x ** 3 - k, 0.0, 10.0).value"),
        "levenberg_marquardt": Case(
            "sum(solve.levenberg_marquardt(fn x -> [x[0] * exp(k) - 1.0, x[1] - k * x[0], sin(x[0] * x[1]) - k], "
            "f64([1.0, 1.0]), tolerance=1e-13).value)"
        ),
        "bfgs": Case(
            "sum(solve.bfgs(fn x -> sum(cosh(x - k * [1.0, 2.0])) + 0.5 * x[0] * x[1], "
            "f64([0.0, 0.0]), tolerance=1e-12).value)"
        ),
        "lbfgs": Case(
            "solve.lbfgs(fn p -> sum(cosh(p.u - k)) + k * p.v ** 2 + p.v * sum(p.u) + exp(p.v), "
            "{u = zeros([2], f64), v = f64(0.0)}, tolerance=1e-12).value.v"
        ),
        "objective": Case("solve.trust_region(fn x -> cosh(x - k) + k * x, f64(0.0), tolerance=1e-12).objective"),
        "fixed_point": Case(
            "solve.fixed_point(fn p -> {u = 0.5 * cos(k * p.u) + 0.1 * p.v, v = 0.3 * sum(sin(p.u))}, "
            "{u = f64([0.1, 0.2]), v = f64(0.0)}).value.v"
        ),
        "gmres": Case("sum(sin(solve.gmres(solve.dense([[2.0, k], [0.3 * k * k, 3.0]]), [k, 1.0], restart=3).value))"),
        "lsmr": Case(
            "sum(sin(solve.lsmr(solve.dense([[2.0, k], [0.3 * k * k, 3.0], [1.0, k]]), [k, 1.0, 2.0], damping=0.1)"
            ".value))"
        ),
        "direct": Case(
            "sum(sin(solve.direct(solve.tridiagonal([2.0 + k, 3.0, 4.0], [k, 1.0], [0.5, k * k]), [k, 1.0, 2.0])))"
        ),
        "integrate": Case("solve.integrate(fn x -> exp(-k * x * x), 0.0, k, limit=8).value"),
    }
)
"""One of each kind of solver of `solve`: the tests refuse derivatives of a third order of these."""
CASES: Mapping[str, Case] = MappingProxyType(
    {
        **{f"ode.solve, {m}": _solution(ADAPTED, ".y[0]", m=m, more="") for m in ("tsit5", "dop853")},
        "ode.solve, saved": _solution(ADAPTED, ".saved[0][1]", m="dopri5", more=", save=[k]"),
        "ode.solve, time of an event": _solution(
            ADAPTED, ".t", m="tsit5", more=", event=fn (t, y) -> y[1] - 0.6, direction=-1"
        ),
        "ode.solve, steps": Case(
            "ode.solve(fn (t, y) -> rate(t, y, k), [1.0, k], 0.0, 1.0 + k, ode.rk4(f64), steps=20).y[0]"
        ),
        "ode.solve_grid": Case(
            "ode.solve_grid(fn (t, y) -> rate(t, y, k), [1.0, k], [0.0, k, 1.0], ode.rk4(f64), substeps=9)[2, 0]"
        ),
        **{
            f"ode.solve_stiff, {m}": _solution(STIFF, ".y[0]", m=m) for m in ("ros3p", "rodas4", "kvaerno3", "kvaerno5")
        },
        "ode.solve_backsolve": Case(
            "ode.solve_backsolve(rate_of, [1.0, k], [k], 0.0, 1.0 + k, ode.tsit5(f64), rtol=1e-11, atol=1e-11)[0]",
            twice=False,
        ),
        "ode.solve_sensitivities": Case(
            f"{SENSITIVE}.0[0]",
            f"{SENSITIVE}.1[0, 0]",
            twice=False,
        ),
        "ode.solve_symplectic": Case(
            "ode.solve_symplectic(fn (t, p) -> p, fn (t, q) -> -k * sin(q), f64(1.0), k, 0.0, 1.0 + k,"
            " ode.yoshida4(f64), steps=20).0"
        ),
        "ode.solve_symplectic_grid": Case(
            "ode.solve_symplectic_grid(fn (t, p) -> p, fn (t, q) -> -k * sin(q), f64(1.0), k, [0.0, k, 1.0],"
            " ode.leapfrog(f64), substeps=9).1[2]"
        ),
        "ode.solve_sde": Case(
            "ode.solve_sde(fn (t, y) -> k * y, fn (t, y) -> k * sin(y), ode.brownian(random.key(0), f64(0.0), 1.0, [1],"
            " depth=5), [1.0], 0.0, 1.0, ode.Milstein, steps=16)[0]"
        ),
        **{f"solve.{name}": case for name, case in SOLVERS.items()},
        "solve.newton": Case("sum(solve.newton(fn x -> x ** 3 + [0.1, 0.2] * x[::-1] - k, f64([1.0, 2.0])).value)"),
        "solve.broyden": Case("sum(solve.broyden(fn x -> x ** 3 + [0.1, 0.2] * x[::-1] - k, f64([1.0, 2.0])).value)"),
        "solve.bisect": Case("solve.bisect(fn x -> x ** 3 - k, 0.0, 10.0).value"),
        "solve.trust_region": Case(
            "sum(solve.trust_region(fn x -> sum(cosh(x - k * [1.0, 2.0])) + 0.5 * x[0] * x[1], f64([0.0, 0.0]),"
            " tolerance=1e-12).value)"
        ),
        "solve.nonlinear_cg": Case(
            "sum(solve.nonlinear_cg(fn x -> sum(cosh(x - k * [1.0, 2.0])) + 0.5 * x[0] * x[1], f64([0.0, 0.0]),"
            " tolerance=1e-13).value)"
        ),
        "solve.gauss_newton": Case(
            "sum(solve.gauss_newton(fn x -> [x[0] * exp(k) - 1.0, x[1] - k * x[0], sin(x[0] * x[1]) - k],"
            " f64([1.0, 1.0]), tolerance=1e-13).value)"
        ),
        "solve.least_squares": Case(
            "sum(solve.least_squares(fn x -> [x[0] * exp(k) - 1.0, x[1] - k * x[0], sin(x[0] * x[1]) - k],"
            " f64([1.0, 1.0]), tolerance=1e-13).value)"
        ),
        "solve.cg": _solution(LINEAR, "", solver="cg", made=SPD, more=", tolerance=1e-14"),
        "solve.cg, ssor": _solution(
            LINEAR, "", solver="cg", made=SPD, more=", preconditioner=solve.ssor(grid(k)).apply, tolerance=1e-14"
        ),
        "solve.minres": _solution(LINEAR, "", solver="minres", made=SPD, more=", tolerance=1e-14"),
        "solve.bicgstab": _solution(LINEAR, "", solver="bicgstab", made=SQUARE, more=", tolerance=1e-14"),
        **{
            f"solve.direct, {name}": Case(f"sum(sin(solve.direct(solve.{made}, [k, 1.0, 2.0])))")
            for name, made in {
                "factored": "factored([[2.0, k, 0.1], [0.3 * k * k, 3.0, 0.2], [0.1, k, 2.0]])",
                "positive": "positive(sparse.to_dense(grid(k)))",
                "elementwise": "elementwise([1.0 + k, k * k, 2.0])",
                "banded": "banded([[0.0, k, 1.0], [3.0, 4.0 + k, 5.0], [k * k, 1.0, 0.0]], 1, 1)",
                "low_rank_update": "low_rank_update(solve.elementwise([1.0 + k, k * k, 2.0]), [[k], [1.0], [0.2]],"
                " [[0.1], [k], [0.3]])",
            }.items()
        },
        "solve.integrate_tail": Case("solve.integrate_tail(fn x -> exp(-k * x), k, limit=30).value"),
        "solve.integrate_line": Case("solve.integrate_line(fn x -> exp(-k * x * x), 0.0, limit=30).value"),
        "solve.quadrature": Case("solve.quadrature(fn x -> exp(-k * x * x), 0.0, k, n=12)"),
        "sparse.solve_triangular": Case("sum(sin(sparse.solve_triangular(grid(k), [k, 1.0, 2.0])))"),
        "linalg.solve": Case("sum(linalg.solve([[2.0, k], [0.3 * k * k, 3.0]], [k, 1.0]))"),
        "interpolate.cubic_spline": Case(
            "interpolate.evaluate(interpolate.cubic_spline([0.0, k, 1.5, 2.0], [1.0, k * k, 0.3, sin(k)]), 1.1)"
        ),
        "interpolate.bspline": Case(
            "interpolate.evaluate(interpolate.bspline([0.0, k, 1.5, 2.0, 3.0], [1.0, k * k, 0.3, sin(k), k]), 1.1)"
        ),
        "differences.poisson": Case("sum(sin(differences.poisson(k * eye(4, f64), [0.3 + k, 0.4])))"),
    }
)


def program(case: Case) -> dsl.Program:
    """Return the function at several places, and its slope with the slope of that, where there is one."""
    many = "def many(k: f64[n]) -> f64[n] = vmap(f)(k)\n"
    twice = (
        "def slopes(k: f64) -> (f64, f64) =\n    let (slope, bend) = jvp(grad(f), (k,), (1.0,))\n    (slope, bend)\n"
        if case.twice
        else f"def slopes(k: f64) -> (f64, f64) = ({case.slope}, 0.0)\n"
    )
    return dsl.program(f"{HEAD}def f(k: f64) -> f64 = {case.text}\n{many}{twice}")


def errors(case: Case) -> tuple[float, float | None]:
    """Return how far the first and the second derivative are from finite differences, relative to them."""
    made = program(case)
    places = AT + STEP * np.array([-2.0, -1.0, 0.0, 1.0, 2.0])
    slope = _difference(np.asarray(made.many(places)))
    found = np.array([[float(part) for part in made.slopes(k)] for k in (places if case.twice else places[2:3])])
    middle = found[len(found) // 2]
    first = abs(middle[0] - slope) / max(abs(slope), 1.0)
    if not case.twice:
        return float(first), None
    bend = _difference(found[:, 0])
    return float(first), float(abs(middle[1] - bend) / max(abs(bend), 1.0))


def _difference(x: Array) -> float:
    """Return the slope in the middle of five values."""
    return float(8 * (x[3] - x[1]) - (x[4] - x[0])) / (12 * STEP)


def measured(name: str) -> Found:
    """Return the errors as a row."""
    first, second = errors(CASES[name])
    cells: tuple[Cell, ...] = (first, "–" if second is None else second)
    return Found(cells, first < 1e-7 and (second is None or second < 1e-5))


SLOPES_TABLE = Table(
    "derivatives",
    "Derivatives",
    "The first and second derivative of a number that comes out of a solver, by a parameter of its equations, at "
    f"{AT}: the distance from differences of five values {STEP} apart, relative to them where they are above 1, of the "
    "values and of the first derivatives. `objective` is that of a minimum. The adjoint equation has one derivative, "
    "in reverse; sensitivities are a derivative themselves.",
    "Promised: at most 1e-7 for the first, and 1e-5 for the second.",
    ("solution", "first", "second"),
    tuple(Row((marked(name),), partial(measured, name)) for name in CASES),
)
