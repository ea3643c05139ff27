"""Minima, least squares and roots of More, Garbow and Hillstrom (1981), with the minima that the paper publishes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np

import dsl
from benchmarks.solvers.table import Array, Found, Row, Table

TEXT = (Path(__file__).resolve().parent / "minima.dsl").read_text(encoding="utf-8")


@dataclass(frozen=True, slots=True)
class Problem:
    """The start, the number of residuals, and the sums of squares that are published: the least one first."""

    start: tuple[float, ...]
    residuals: int
    minima: tuple[float, ...] = (0.0,)


N = 10
STEPS = tuple(i / (N + 1) * (i / (N + 1) - 1) for i in range(1, N + 1))
PROBLEMS: Mapping[str, Problem] = {
    "rosenbrock": Problem((-1.2, 1.0), 2),
    "freudenstein_roth": Problem((0.5, -2.0), 2, (0.0, 48.98425)),
    "powell_badly_scaled": Problem((0.0, 1.0), 2),
    "brown_badly_scaled": Problem((1.0, 1.0), 3),
    "beale": Problem((1.0, 1.0), 3),
    "jennrich_sampson": Problem((0.3, 0.4), 10, (124.3622,)),
    "helical_valley": Problem((-1.0, 0.0, 0.0), 3),
    "bard": Problem((1.0, 1.0, 1.0), 15, (8.214877e-3, 17.42870)),
    "gaussian": Problem((0.4, 1.0, 0.0), 15, (1.127933e-8,)),
    "meyer": Problem((0.02, 4000.0, 250.0), 16, (87.94586,)),
    "box": Problem((0.0, 10.0, 20.0), 10),
    "powell_singular": Problem((3.0, -1.0, 0.0, 1.0), 4),
    "wood": Problem((-3.0, -1.0, -3.0, -1.0), 6),
    "kowalik_osborne": Problem((0.25, 0.39, 0.415, 0.39), 11, (3.075056e-4, 1.027348e-3)),
    "brown_dennis": Problem((25.0, 5.0, -5.0, -1.0), 20, (85822.21,)),
    "variably_dimensioned": Problem(tuple(1 - i / N for i in range(1, N + 1)), N + 2),
    "trigonometric": Problem((1 / N,) * N, N, (0.0, 2.795056e-5)),
    "brown": Problem((0.5,) * N, N, (0.0, 1.0)),
    "boundary_value": Problem(STEPS, N),
    "tridiagonal": Problem((-1.0,) * N, N),
}
EQUATIONS: Mapping[str, Problem] = {
    **{name: PROBLEMS[name] for name in ("rosenbrock", "powell_badly_scaled", "helical_valley", "powell_singular")},
    **{name: PROBLEMS[name] for name in ("trigonometric", "brown", "boundary_value", "tridiagonal")},
    "integral_equation": Problem(STEPS, N),
    "banded": Problem((-1.0,) * N, N),
}
MINIMISERS = ("bfgs", "lbfgs", "nonlinear_cg", "trust_region", "nelder_mead")
FITTERS = ("levenberg_marquardt", "gauss_newton", "least_squares")
ROOTS = ("root", "newton", "broyden")


def _chosen(names: tuple[str, ...], width: int, problems: Mapping[str, Problem]) -> str:
    """Return the residuals of the problem of a number, with zeros up to a width."""
    padded = [
        f"concatenate(({name}(x), zeros([{width - problems[name].residuals}], f64)))"
        if width > problems[name].residuals
        else f"{name}(x)"
        for name in names
    ]
    return " else ".join([f"if i == {i} then {text}" for i, text in enumerate(padded[:-1])] + [padded[-1]])


@cache
def _programs(roots: bool) -> Mapping[str, tuple[dsl.Program, int]]:
    """Return the program of each problem, and its number there; those with as many unknowns share one."""
    problems = EQUATIONS if roots else PROBLEMS
    made: dict[str, tuple[dsl.Program, int]] = {}
    for n in sorted({len(problem.start) for problem in problems.values()}):
        names = tuple(name for name, problem in problems.items() if len(problem.start) == n)
        width = max(problems[name].residuals for name in names)
        lines = [f"def residuals(i: i32, x: f64[{n}]) -> f64[{width}] = {_chosen(names, width, problems)}"]
        lines += [f"def half(i: i32, x: f64[{n}]) -> f64 = 0.5 * sum(square(residuals(i, x)))"]
        calls = dict.fromkeys(ROOTS if roots else FITTERS, "residuals")
        calls |= {} if roots else dict.fromkeys(MINIMISERS, "half")
        for name, f in calls.items():
            limit = ", limit=20000" if name == "nelder_mead" else ", limit=2000" if not roots else ""
            lines.append(f"def {name}(i: i32, x: f64[{n}]) = solve.{name}(fn x -> {f}(i, x), x{limit})")
        program = dsl.program(TEXT + "\n".join(lines) + "\n")
        made |= {name: (program, i) for i, name in enumerate(names)}
    return made


def found(name: str, solver: str) -> tuple[Array, bool, int, float, float]:
    """Return the end of a solver, whether it has converged by itself, its steps, the squares there and at the start."""
    roots = solver in ROOTS
    problem = (EQUATIONS if roots else PROBLEMS)[name]
    program, i = _programs(roots)[name]
    start, k = np.array(problem.start), np.int32(i)
    got: Any = getattr(program, solver)(k, start)
    value = np.asarray(got["value"])
    first, last = (float(np.sum(np.asarray(program.residuals(k, x)) ** 2)) for x in (start, value))
    return value, bool(got["converged"]), int(got["steps"]), last, first


def minimum_at(problem: Problem, last: float, first: float) -> int | None:
    """Return which of the published minima a sum of squares is."""
    near = [abs(last - least) <= 1e-5 * least + 1e-12 * max(first, 1.0) for least in problem.minima]
    return near.index(True) if True in near else None


def is_stationary(name: str, value: Array) -> bool:
    """Return whether no step of Newton's method gains more than 1e-12, where the squares bend at all."""
    program, i = _programs(False)[name]
    k = np.int32(i)
    slope = np.asarray(dsl.grad(program.half, argnums=1)(k, value))
    bends, along = np.linalg.eigh(np.asarray(dsl.hessian(program.half, argnums=1)(k, value)))
    bent = np.abs(bends) > 1e-12 * np.max(np.abs(bends))
    gain = np.sum((slope @ along)[bent] ** 2 / np.abs(bends[bent]))
    return bool(gain < 1e-12 and np.max(np.abs((slope @ along)[~bent]), initial=0.0) < 1e-12)


def measured(solver: str, names: tuple[str, ...] | None = None) -> Found:
    """Return how many problems a solver solves, in how many steps, what it misses, and where `converged` is wrong."""
    problems = EQUATIONS if solver in ROOTS else PROBLEMS
    names = names or tuple(problems)
    least, other, missed, rest, untrue, steps = 0, 0, [], [], [], 0
    for name in names:
        value, says, count, last, first = found(name, solver)
        which = minimum_at(problems[name], last, first)
        steps += count
        least += which == 0
        other += which is not None and which > 0
        missed += [] if which is not None else [name]
        elsewhere = says and (last >= 1e-14 if solver in ROOTS else which is None)
        at_rest = elsewhere and solver not in ROOTS and is_stationary(name, value)
        rest += [name] if at_rest else []
        untrue += [name] if elsewhere and not at_rest else []
    places = (_list(untrue),) if solver in ROOTS else (_list(rest), _list(untrue))
    return Found((f"{least} of {len(names)}", other, steps, _list(missed), *places), not untrue)


def _list(names: list[str]) -> str:
    return ", ".join(name.replace("_", " ") for name in names) or "–"


ABOUT = (
    "problems of Moré, Garbow and Hillstrom (1981) with 2 to 10 unknowns from their standard starts. “Least” counts "
    "the published least sums of squares that are reached within 1e-5, “other” further minima that the paper names; "
    "`converged` is untrue where it is true at another place."
)
AT_REST = (
    "Where that place is stationary, it counts as such: no step of Newton's method gains more than 1e-12 there. That "
    "of `box` lies so far away, at x₂ = 2733, that exp(-0.1 x₂) is 1e-119: nothing depends on x₂ any more, and the "
    "other two numbers are at a minimum of what is left."
)
HEAD = ("solver", "least", "other", "steps", "missed", "`converged` untrue")
HEAD_OF_MINIMA = (*HEAD[:-1], "stationary elsewhere", HEAD[-1])
PROMISE = "Promised: `converged` is never untrue."
MINIMA_TABLE = Table(
    "minima",
    "Minima and least squares",
    f"{len(PROBLEMS)} {ABOUT} {AT_REST}",
    PROMISE,
    HEAD_OF_MINIMA,
    tuple(Row((f"`{name}`",), partial(measured, name)) for name in (*MINIMISERS, *FITTERS)),
)
ROOTS_TABLE = Table(
    "roots",
    "Roots of equations",
    f"{len(EQUATIONS)} {ABOUT} A root is the least sum of squares, 0.",
    PROMISE,
    HEAD,
    tuple(Row((f"`{name}`",), partial(measured, name)) for name in ROOTS),
)
