"""Initial value problems with known answers: DETEST, and sets of stiff equations.

A problem is the slope of a vector as text, its start and end, and either the solution as a function or the slope in
NumPy, from which SciPy computes the solution. Read next: `equations`, which solves them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from types import MappingProxyType
from typing import Any

import numpy as np
from scipy.integrate import solve_ivp
from scipy.linalg import expm
from scipy.optimize import brentq
from scipy.special import ellipj, jv, jvp

Array = np.ndarray[Any, Any]


@dataclass(frozen=True, slots=True)
class Problem:
    """y' = `slope`, a text of t and y, from `start` at 0 to `end`."""

    slope: str
    start: tuple[float, ...]
    end: float
    solution: Callable[[float], Any] | None = None
    numpy: Callable[[float, Array], Any] | None = None
    scipy: str = "DOP853"

    @property
    def size(self) -> int:
        return len(self.start)

    def answer(self, t: float) -> Array:
        """Return the solution at a time."""
        if self.solution is not None:
            return np.array(self.solution(t), dtype=float).reshape(self.size)
        assert self.numpy is not None
        tight = {"rtol": 3e-14, "atol": 1e-15} if self.scipy == "DOP853" else {"rtol": 1e-12, "atol": 1e-15}
        found = solve_ivp(self.numpy, (0.0, t), self.start, method=self.scipy, t_eval=[t], **tight)
        assert found.success
        return np.asarray(found.y[:, -1])


# ---------------------------------------------------------------- DETEST


def _linear(matrix: Any, start: Sequence[float]) -> Callable[[float], Any]:
    return lambda t: expm(np.asarray(matrix) * t) @ np.asarray(start)


def _chain(rates: Sequence[float]) -> Array:
    """The matrix of a radioactive chain, whose last member is stable."""
    out = np.array([*rates, 0.0])
    return np.diag(-out) + np.diag(out[:-1], -1)


def _heat(n: int) -> Array:
    return np.diag([-2.0] * n) + np.diag([1.0] * (n - 1), 1) + np.diag([1.0] * (n - 1), -1)


def _kepler(e: float) -> Problem:
    def solution(t: float) -> Any:
        u = brentq(lambda u: u - e * np.sin(u) - t, t - 1, t + 1, xtol=1e-15, rtol=1e-15)
        root, rate = np.sqrt(1 - e * e), 1 / (1 - e * np.cos(u))
        return np.cos(u) - e, root * np.sin(u), -np.sin(u) * rate, root * np.cos(u) * rate

    start = (1 - e, 0.0, 0.0, float(np.sqrt((1 + e) / (1 - e))))
    return Problem("concatenate((y[2:], -y[:2] / sqrt(y[0] * y[0] + y[1] * y[1]) ** 3))", start, 20.0, solution)


def _unit(n: int) -> tuple[float, ...]:
    return (1.0, *[0.0] * (n - 1))


GRAVITY = 2.95912208286
MASSES = (1.00000597682, 0.000954786104043, 0.000285583733151, 0.0000437273164546, 0.0000517759138449, 2.77777777778e-6)
PLANETS = (
    *(3.42947415189, 3.35386959711, 1.35494901715),
    *(6.64145542550, 5.97156957878, 2.18231499728),
    *(11.2630437207, 14.6952576794, 6.27960525067),
    *(-30.1552268759, 1.65699966404, 1.43785752721),
    *(-21.1238353380, 28.4465098142, 15.3882659679),
    *(-0.557160570446, 0.505696783289, 0.230578543901),
    *(-0.415570776342, 0.365682722812, 0.169143213293),
    *(-0.325325669158, 0.189706021964, 0.0877265322780),
    *(-0.0240476254170, -0.287659532608, -0.117219543175),
    *(-0.176860753121, -0.216393453025, -0.0148647893090),
)
BODIES = f"""
    let x = reshape(y[:15], [5, 3])
    let m = f64([{", ".join(map(str, MASSES[1:]))}])
    let own = [v / sqrt(sum(v * v)) ** 3 for v in x]
    let force = [{GRAVITY} * (pulled(x, own, m, i) - ({MASSES[0]} + m[i]) * own[i]) for i in range(5)]
    concatenate((y[15:], reshape(force, [15])))
def pulled(x: f64[5, 3], own: f64[5, 3], m: f64[5], i: idx[5]) -> f64[3] =
    let gaps = [w - x[i] for w in x]
    let cubes = [sqrt(where(j == i, 1.0, sum(g * g))) ** 3 for (j, g) in enumerate(gaps)]
    m @ [g / c - where(j == i, 0.0, 1.0) * o for (j, g, c, o) in zip(arange(5), gaps, cubes, own)]"""


def _bodies(t: float, y: Array) -> Array:
    x, m = y[:15].reshape(5, 3), np.array(MASSES[1:])
    own = x / np.linalg.norm(x, axis=1)[:, None] ** 3
    force = np.empty((5, 3))
    for i in range(5):
        others = [j for j in range(5) if j != i]
        pull = sum(m[j] * ((x[j] - x[i]) / np.linalg.norm(x[j] - x[i]) ** 3 - own[j]) for j in others)
        force[i] = GRAVITY * (pull - (MASSES[0] + m[i]) * own[i])
    return np.concatenate([y[15:], force.ravel()])


def _torus(t: float, y: Array) -> Any:
    r = np.hypot(y[0], y[1])
    return -y[1] - y[0] * y[2] / r, y[0] - y[1] * y[2] / r, y[0] / r


def _pursuit(t: float) -> Any:
    u = -np.log(1 - t / 25)
    return 0.5 * (25 * u - t + t * t / 50), np.sinh(u)


def _falling(t: float) -> Any:
    a = np.sqrt(0.08)
    return 30 + np.log(np.cosh(0.4 * a * t)) / 0.4, a * np.tanh(0.4 * a * t)


DECAY = "[(if i == 0 then 0.0 else {0} * y[max(i - 1, 0)]) - (if i == 9 then 0.0 else {1} * y[i]) for i in range(10)]"
HEAT = "pad(y, ((1, 0),))[:{0}] - 2.0 * y + pad(y, ((0, 1),))[1:]"
DETEST: Mapping[str, Problem] = MappingProxyType(
    {
        "a1": Problem("-y", (1.0,), 20.0, lambda t: np.exp(-t)),
        "a2": Problem("-0.5 * y ** 3", (1.0,), 20.0, lambda t: 1 / np.sqrt(1 + t)),
        "a3": Problem("y * cos(t)", (1.0,), 20.0, lambda t: np.exp(np.sin(t))),
        "a4": Problem("0.25 * y * (1.0 - y / 20.0)", (1.0,), 20.0, lambda t: 20 / (1 + 19 * np.exp(-t / 4))),
        "a5": Problem("(y - t) / (y + t)", (4.0,), 20.0, numpy=lambda t, y: (y - t) / (y + t)),
        "b1": Problem(
            "[2.0 * (y[0] - y[0] * y[1]), -(y[1] - y[0] * y[1])]",
            (1.0, 3.0),
            20.0,
            numpy=lambda t, y: [2 * (y[0] - y[0] * y[1]), -(y[1] - y[0] * y[1])],
        ),
        "b2": Problem(
            "[-y[0] + y[1], y[0] - 2.0 * y[1] + y[2], y[1] - y[2]]",
            (2.0, 0.0, 1.0),
            20.0,
            _linear([[-1, 1, 0], [1, -2, 1], [0, 1, -1]], (2.0, 0.0, 1.0)),
        ),
        "b3": Problem(
            "[-y[0], y[0] - y[1] ** 2, y[1] ** 2]",
            (1.0, 0.0, 0.0),
            20.0,
            numpy=lambda t, y: [-y[0], y[0] - y[1] ** 2, y[1] ** 2],
        ),
        "b4": Problem(
            "\n    let r = sqrt(y[0] ** 2 + y[1] ** 2)"
            "\n    [-y[1] - y[0] * y[2] / r, y[0] - y[1] * y[2] / r, y[0] / r]",
            (3.0, 0.0, 0.0),
            20.0,
            numpy=_torus,
        ),
        "b5": Problem(
            "[y[1] * y[2], -y[0] * y[2], -0.51 * y[0] * y[1]]", (0.0, 1.0, 1.0), 20.0, lambda t: ellipj(t, 0.51)[:3]
        ),
        "c1": Problem(DECAY.format("1.0", "1.0"), _unit(10), 20.0, _linear(_chain([1.0] * 9), _unit(10))),
        "c2": Problem(DECAY.format("f64(i)", "f64(i + 1)"), _unit(10), 20.0, _linear(_chain(range(1, 10)), _unit(10))),
        "c3": Problem(HEAT.format(10), _unit(10), 20.0, _linear(_heat(10), _unit(10))),
        "c4": Problem(HEAT.format(51), _unit(51), 20.0, _linear(_heat(51), _unit(51))),
        "c5": Problem(BODIES, PLANETS, 20.0, numpy=_bodies),
        **{f"d{i + 1}": _kepler(e) for i, e in enumerate((0.1, 0.3, 0.5, 0.7, 0.9))},
        "e1": Problem(
            "[y[1], -(y[1] / (t + 1.0) + (1.0 - 0.25 / (t + 1.0) ** 2) * y[0])]",
            (float(jv(0.5, 1)), float(jvp(0.5, 1))),
            20.0,
            lambda t: (jv(0.5, t + 1), jvp(0.5, t + 1)),
        ),
        "e2": Problem(
            "[y[1], (1.0 - y[0] * y[0]) * y[1] - y[0]]",
            (2.0, 0.0),
            20.0,
            numpy=lambda t, y: [y[1], (1 - y[0] ** 2) * y[1] - y[0]],
        ),
        "e3": Problem(
            "[y[1], y[0] ** 3 / 6.0 - y[0] + 2.0 * sin(2.78535 * t)]",
            (0.0, 0.0),
            20.0,
            numpy=lambda t, y: [y[1], y[0] ** 3 / 6 - y[0] + 2 * np.sin(2.78535 * t)],
        ),
        "e4": Problem("[y[1], 0.032 - 0.4 * y[1] * y[1]]", (30.0, 0.0), 20.0, _falling),
        "e5": Problem("[y[1], sqrt(1.0 + y[1] * y[1]) / (25.0 - t)]", (0.0, 0.0), 20.0, _pursuit),
    }
)
"""Hull, Enright, Fellen and Sedgwick (1972): single equations, small and moderate systems, orbits, higher orders."""

# ---------------------------------------------------------------- stiff sets


def _published(*values: float) -> Callable[[float], Any]:
    return lambda t: values


def _decays(rates: Sequence[float] | Array) -> Callable[[float], Any]:
    return lambda t: np.exp(-np.asarray(rates) * t)


def _spiral(alpha: float) -> Problem:
    """Two waves that die away beside four decays."""
    rates = "-4.0 * y[2], -y[3], -0.5 * y[4], -0.1 * y[5]"
    slope = f"[-10.0 * y[0] + {alpha} * y[1], -{alpha} * y[0] - 10.0 * y[1], {rates}]"

    def solution(t: float) -> Any:
        c, s = np.cos(alpha * t), np.sin(alpha * t)
        return (*(np.exp(-10 * t) * np.array([c + s, c - s])), *np.exp(-np.array([4, 1, 0.5, 0.1]) * t))

    return Problem(slope, (1.0,) * 6, 20.0, solution)


def _coupled(beta: float) -> Problem:
    """A fast equation that follows slower ones, coupled by their squares."""

    def slope(t: float, y: Array) -> Any:
        a, b, c = y[0] ** 2, y[0] ** 2 + y[1] ** 2, y[0] ** 2 + y[1] ** 2 + y[2] ** 2
        return 2 - y[0], beta * a - 10 * y[1], 4 * beta * b - 40 * y[2], 10 * beta * c - 100 * y[3]

    a, b, c = "y[0] ** 2", "(y[0] ** 2 + y[1] ** 2)", "(y[0] ** 2 + y[1] ** 2 + y[2] ** 2)"
    text = f"[2.0 - y[0], {beta} * {a} - 10.0 * y[1], {4 * beta} * {b} - 40.0 * y[2], {10 * beta} * {c} - 100.0 * y[3]]"
    return Problem(text, (1.0,) * 4, 20.0, numpy=slope, scipy="Radau")


ROBERTSON = "[-0.04 * y[0] + 1e4 * y[1] * y[2], 0.04 * y[0] - 1e4 * y[1] * y[2] - 3e7 * y[1] ** 2, 3e7 * y[1] ** 2]"
OREGONATOR = (
    "[77.27 * (y[1] + y[0] * (1.0 - 8.375e-6 * y[0] - y[1])), (y[2] - (1.0 + y[0]) * y[1]) / 77.27, "
    "0.161 * (y[0] - y[2])]"
)
HIRES = (
    "[-1.71 * y[0] + 0.43 * y[1] + 8.32 * y[2] + 0.0007, 1.71 * y[0] - 8.75 * y[1], "
    "-10.03 * y[2] + 0.43 * y[3] + 0.035 * y[4], 8.32 * y[1] + 1.71 * y[2] - 1.12 * y[3], "
    "-1.745 * y[4] + 0.43 * y[5] + 0.43 * y[6], "
    "-280.0 * y[5] * y[7] + 0.69 * y[3] + 1.71 * y[4] - 0.43 * y[5] + 0.69 * y[6], "
    "280.0 * y[5] * y[7] - 1.81 * y[6], -280.0 * y[5] * y[7] + 1.81 * y[6]]"
)
REACTION = (
    "[-0.013 * y[0] - 1000.0 * y[0] * y[2], -2500.0 * y[1] * y[2], "
    "-0.013 * y[0] - 1000.0 * y[0] * y[2] - 2500.0 * y[1] * y[2]]"
)
STIFF: Mapping[str, Problem] = MappingProxyType(
    {
        "a1": Problem("-[0.5, 1.0, 100.0, 90.0] * y", (1.0,) * 4, 20.0, _decays((0.5, 1.0, 100.0, 90.0))),
        "a4": Problem(
            "[-f64(i + 1) ** 5 * y[i] for i in range(10)]", (1.0,) * 10, 1.0, _decays(np.arange(1, 11.0) ** 5)
        ),
        **{f"b{i + 2}": _spiral(alpha) for i, alpha in enumerate((3.0, 8.0, 25.0, 100.0))},
        **{f"c{i + 2}": _coupled(beta) for i, beta in enumerate((0.1, 1.0, 10.0, 20.0))},
        "d1": Problem(
            "[0.2 * (y[1] - y[0]), 10.0 * y[0] - (60.0 - 0.125 * y[2]) * y[1] + 0.125 * y[2], 1.0]",
            (0.0,) * 3,
            400.0,
            numpy=lambda t, y: [0.2 * (y[1] - y[0]), 10 * y[0] - (60 - 0.125 * y[2]) * y[1] + 0.125 * y[2], 1.0],
            scipy="Radau",
        ),
        "d2": Problem(ROBERTSON, (1.0, 0.0, 0.0), 40.0, _published(0.7158270688, 9.185534765e-6, 0.2841637457)),
        "d4": Problem(
            REACTION,
            (1.0, 1.0, 0.0),
            50.0,
            numpy=lambda t, y: [
                -0.013 * y[0] - 1000 * y[0] * y[2],
                -2500 * y[1] * y[2],
                -0.013 * y[0] - 1000 * y[0] * y[2] - 2500 * y[1] * y[2],
            ],
            scipy="Radau",
        ),
        "e3": Problem(
            "[-(55.0 + y[2]) * y[0] + 65.0 * y[1], 0.0785 * (y[0] - y[1]), 0.1 * y[0]]",
            (1.0, 1.0, 0.0),
            500.0,
            numpy=lambda t, y: [-(55 + y[2]) * y[0] + 65 * y[1], 0.0785 * (y[0] - y[1]), 0.1 * y[0]],
            scipy="Radau",
        ),
        "t_robertson": Problem(
            ROBERTSON,
            (1.0, 0.0, 0.0),
            1e11,
            _published(0.2083340149701255e-7, 0.8333360770334713e-13, 0.9999999791665050),
        ),
        "t_van_der_pol": Problem(
            "[y[1], ((1.0 - y[0] ** 2) * y[1] - y[0]) / 1e-6]",
            (2.0, 0.0),
            2.0,
            _published(1.706167732170469, -8.928097010248126e-1),
        ),
        "t_oregonator": Problem(
            OREGONATOR,
            (1.0, 2.0, 3.0),
            360.0,
            _published(0.1000814870318523e1, 0.1228178521549917e4, 0.1320554942846706e3),
        ),
        "t_hires": Problem(
            HIRES,
            (1.0, *[0.0] * 6, 0.0057),
            321.8122,
            _published(
                *(0.7371312573325668e-3, 0.1442485726316185e-3, 0.5888729740967575e-4, 0.1175651343283149e-2),
                *(0.2386356198831331e-2, 0.6238968252742796e-2, 0.2849998395185769e-2, 0.2850001604814231e-2),
            ),
        ),
    }
)
"""Classes A to E of Enright, Hull and Lindberg (1975); the Test Set for IVP Solvers and its published solutions."""


@cache
def answers(stiff: bool) -> Mapping[str, Array]:
    """Return the solutions at the ends."""
    return {name: problem.answer(problem.end) for name, problem in (STIFF if stiff else DETEST).items()}


def by_size(problems: Mapping[str, Problem]) -> Mapping[int, tuple[str, ...]]:
    """Return the names of problems by the number of equations."""
    sizes = sorted({problem.size for problem in problems.values()})
    return {n: tuple(name for name, problem in problems.items() if problem.size == n) for n in sizes}


def joined(problems: Mapping[str, Problem]) -> tuple[str, Array]:
    """Return the definition of `slope` for all problems as one equation, the time of each from 0 to 1; its start."""
    ends = np.cumsum([0, *(problem.size for problem in problems.values())])
    pieces, total = [], "zeros([0], f64)"
    for (name, problem), (low, high) in zip(problems.items(), pairwise(ends), strict=True):
        pieces.append(f"def {name}(t: f64, y: f64[{problem.size}]) -> f64[{problem.size}] = {problem.slope}")
        total = f"concatenate(({total}, {problem.end!r} * {name}({problem.end!r} * t, y[{low} : {high}])))"
    pieces.append(f"def slope(t: f64, y: f64[{ends[-1]}]) -> f64[{ends[-1]}] = {total}")
    return "\n".join(pieces) + "\n", np.concatenate([problem.start for problem in problems.values()])
