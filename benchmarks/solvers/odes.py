"""Adaptive methods on DETEST and on stiff sets: errors in units of the tolerance, and the slopes that they took."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache, partial
from typing import Any

import numpy as np

import dsl
from benchmarks.solvers.initial_values import DETEST, STIFF, Array, Problem, answers, by_size
from benchmarks.solvers.table import Cell, Found, Row, Table

EXPLICIT: Mapping[str, tuple[float, ...]] = {
    "heun": (1e-2, 1e-4),
    "ralston": (1e-2, 1e-4),
    "bosh3": (1e-3, 1e-6),
    "tsit5": (1e-3, 1e-6, 1e-9),
    "dopri5": (1e-3, 1e-6, 1e-9),
    "dop853": (1e-3, 1e-6, 1e-9),
}
IMPLICIT: Mapping[str, tuple[float, ...]] = {
    "ros3p": (1e-2, 1e-4),
    "rodas4": (1e-2, 1e-4, 1e-6),
    "kvaerno3": (1e-2, 1e-4),
    "kvaerno5": (1e-2, 1e-4, 1e-6),
}
MOST = 1000
"""The error at the end that a row may have, in units of what one step may have: problems amplify errors."""
SHARE = 1e-4
"""The absolute tolerance of stiff problems by the relative one, for some of their states are tiny."""


def _text(problems: Mapping[str, Problem], names: Sequence[str], stiff: bool) -> str:
    """Return a program whose functions solve the problem of a number by each method."""
    n = problems[names[0]].size
    state = f"f64[{n}]"
    lines = ["import ode"]
    lines += [f"def {name}(t: f64, y: {state}) -> {state} = {problems[name].slope}" for name in names]
    chosen = " else ".join(
        [f"if i == {i} then {name}(t, y)" for i, name in enumerate(names[:-1])] + [f"{names[-1]}(t, y)"]
    )
    lines.append(f"def slope(i: i32, t: f64, y: {state}) -> {state} = {chosen}")
    solve, share = ("solve_stiff", SHARE) if stiff else ("solve", 1.0)
    lines += [
        f"def {method}(i: i32, y: {state}, t1: f64, tol: f64) -> ode.Solution[f64, {state}, 0] =\n"
        f"    ode.{solve}(fn (t, y) -> slope(i, t, y), y, 0.0, t1, ode.{method}(f64), rtol=tol, atol={share} * tol,"
        " max_steps=200000)"
        for method in (IMPLICIT if stiff else EXPLICIT)
    ]
    return "\n".join(lines) + "\n"


@cache
def _programs(stiff: bool) -> Mapping[str, tuple[dsl.Program, int]]:
    """Return the program of each problem, and its number there."""
    problems = STIFF if stiff else DETEST
    groups = [(dsl.program(_text(problems, names, stiff)), names) for names in by_size(problems).values()]
    return {name: (program, i) for program, names in groups for i, name in enumerate(names)}


def solved(name: str, method: str, tolerance: float, stiff: bool) -> tuple[float, int]:
    """Return the error of a problem at its end, in units of what a step may have, and the slopes that it took."""
    problem = (STIFF if stiff else DETEST)[name]
    program, i = _programs(stiff)[name]
    found: Any = getattr(program, method)(np.int32(i), np.array(problem.start), problem.end, tolerance)
    wanted: Array = answers(stiff)[name]
    units = tolerance * ((SHARE if stiff else 1.0) + np.abs(wanted))
    error = float(np.max(np.abs(np.asarray(found["y"]) - wanted) / units)) if bool(found["success"]) else np.inf
    return error, int(found["evaluations"])


def measured(method: str, tolerance: float, stiff: bool, names: Sequence[str] | None = None) -> Found:
    """Return the largest error, and the slopes of all problems, for each class of problems."""
    problems = names or tuple(STIFF if stiff else DETEST)
    cells: list[Cell] = []
    worst = 0.0
    for letter in sorted({name[0] for name in problems}):
        each = [solved(name, method, tolerance, stiff) for name in problems if name[0] == letter]
        error = max(error for error, _ in each)
        cells.append(f"{error:.2g} ({sum(count for _, count in each):,})" if error < np.inf else "fails")
        worst = max(worst, error)
    return Found(tuple(cells), worst <= MOST)


def _rows(methods: Mapping[str, tuple[float, ...]], stiff: bool) -> tuple[Row, ...]:
    return tuple(
        Row((f"`{method}`", f"{tolerance:.0e}".replace("e-0", "e-")), partial(measured, method, tolerance, stiff))
        for method, tolerances in methods.items()
        for tolerance in tolerances
    )


CELLS = (
    "A cell has the largest error of a class at the end, in units of `atol + rtol |y|`, which is what one step may "
    "have, and in parentheses how often the slope was computed for all problems of the class."
)
PROMISE = (
    f"Promised: all problems are solved, with an error below {MOST} such units; orbits and explosions amplify errors."
)
NONSTIFF_TABLE = Table(
    "nonstiff",
    "Equations that are not stiff",
    "The 25 problems of DETEST (Hull, Enright, Fellen and Sedgwick 1972) from 0 to 20: A single equations, B small "
    "systems, C moderate systems up to 51 equations and five planets, D orbits of eccentricity 0.1 to 0.9, E equations "
    "of higher order. Answers are closed forms, exponentials of matrices, and in eight cases SciPy's DOP853 at 3e-14; "
    f"`atol` is `rtol`. {CELLS}",
    PROMISE,
    ("method", "`rtol`", "A", "B", "C", "D", "E"),
    _rows(EXPLICIT, False),
)
STIFF_TABLE = Table(
    "stiff",
    "Stiff equations",
    "Problems of Enright, Hull and Lindberg (1975): A real and B complex eigenvalues, C coupled nonlinearly, D and E "
    "reactions with real and complex ones; T: Robertson's reactions up to 1e11, van der Pol's oscillator with 1e-6, "
    "the Oregonator, and HIRES, with the solutions published in the Test Set for IVP Solvers. Other answers are closed "
    f"forms, and SciPy's Radau at 1e-12; `atol` is {SHARE:.0e} `rtol`. {CELLS}",
    PROMISE,
    ("method", "`rtol`", "A", "B", "C", "D", "E", "T"),
    _rows(IMPLICIT, True),
)
