"""Orders of convergence: how fast the errors of methods of one order fall where steps get shorter."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, partial

import numpy as np
from scipy.integrate import solve_ivp

import dsl
from benchmarks.solvers.table import Array, Found, Row, Table, marked

EXPLICIT = {
    "euler": 1,
    "midpoint": 2,
    "rk4": 4,
    "heun": 2,
    "ralston": 2,
    "bosh3": 3,
    "tsit5": 5,
    "dopri5": 5,
    "dop853": 8,
}
IMPLICIT = {"ros3p": 3, "rodas4": 4, "kvaerno3": 3, "kvaerno5": 5}
SPLIT = {"leapfrog": 2, "ruth3": 3, "yoshida4": 4}
STRONG = {
    "solve_sde_grid, EulerMaruyama": 0.5,
    "solve_sde, Milstein": 1.0,
    "solve_sde, Platen": 1.0,
    "solve_sde, HeunStratonovich": 1.0,
    "solve_sde_mixed, HeunStratonovich": 1.0,
}


@cache
def of_steps() -> Mapping[str, Array]:
    """Return the orders that errors of 8 steps over times of 6.4 to 0.2 show: two for each method.

    As many steps over a time half as long have an error that is 2^(p + 1) times less.
    """
    explicit = ", ".join(f"ode.solve(slope, y, 0.0, t, ode.{m}(f64), steps=8).y" for m in EXPLICIT)
    tight = "rtol=1e-12, atol=1e-12"
    stiff = ", ".join(f"ode.solve_stiff(slope, y, 0.0, t, ode.{m}(f64), steps=8, {tight}).y" for m in IMPLICIT)
    parts = "fn (t, p) -> p, fn (t, q) -> cos(t) - sin(q)"
    split = ", ".join(f"pair(ode.solve_symplectic({parts}, y[0], y[1], 0.0, t, ode.{m}(f64), steps=8))" for m in SPLIT)
    names = (*EXPLICIT, *IMPLICIT, *SPLIT)
    program = dsl.program(f"""
import ode
def slope(t: f64, y: f64[2]) -> f64[2] = [y[1], cos(t) - sin(y[0])]
def pair(s: (f64, f64)) -> f64[2] = [s.0, s.1]
def run(y: f64[2], t: f64) -> f64[{len(names)}, 2] = [{explicit}, {stiff}, {split}]
""")
    start, times = np.array([1.0, 0.5]), (6.4, 3.2, 1.6, 0.8, 0.4, 0.2)
    exact = solve_ivp(
        lambda t, y: [y[1], np.cos(t) - np.sin(y[0])],
        (0, 6.4),
        start,
        method="DOP853",
        rtol=3e-14,
        atol=1e-15,
        t_eval=times[::-1],
    ).y.T[::-1]
    found = [np.asarray(program.run(start, t)) for t in times]
    errors = np.abs(np.stack(found) - exact[:, None, :]).max(axis=2)
    return {
        name: np.log2(column[:-1] / column[1:])[column[1:] > 3e-12][-2:] - 1
        for name, column in zip(names, errors.T, strict=True)
    }


NOISE = """
import ode
import random
def errors(k: key, t: f64, static m: size) -> f64[m, 5] = [one(k, t, 4) for k in split(k, m)]
def one(k: key, t: f64, static steps: size) -> f64[5] where steps >= 1 =
    let w = ode.brownian(k, f64(0.0), t, [1], depth=2)
    let (a, b) = (fn (t, y) -> 0.5 * y, fn (t, y) -> 0.8 * y)
    let y: f64[1] = [1.0]
    let ito = exp((0.5 - 0.32) * t + 0.8 * w(t))
    let stratonovich = exp(0.5 * t + 0.8 * w(t))
    let ends = (
        ode.solve_sde_grid(a, b, w, y, [0.0, t], ode.EulerMaruyama, substeps=steps)[1] - ito,
        ode.solve_sde(a, b, w, y, 0.0, t, ode.Milstein, steps=steps) - ito,
        ode.solve_sde(a, b, w, y, 0.0, t, ode.Platen, steps=steps) - ito,
        ode.solve_sde(a, b, w, y, 0.0, t, ode.HeunStratonovich, steps=steps) - stratonovich,
    )
    let mixed = ode.solve_sde_mixed(a, fn (t, y) -> b(t, y)[:, None], w, y, 0.0, t, ode.HeunStratonovich, steps=steps)
    [ends.0[0], ends.1[0], ends.2[0], ends.3[0], mixed[0] - stratonovich[0]]
"""


@cache
def of_paths() -> Mapping[str, float]:
    """Return the strong orders on geometric Brownian motion.

    As many steps over a time 16 times less have an error 16^(p + 1/2) times less.
    """
    program = dsl.program(NOISE)
    sizes = [np.sqrt(np.mean(np.asarray(program.errors(dsl.key(4), t, m=400)) ** 2, axis=0)) for t in (0.2, 0.0125)]
    return dict(zip(STRONG, (np.log2(sizes[0] / sizes[1]) / 4 - 0.5).tolist(), strict=True))


@dataclass(frozen=True, slots=True)
class Approximation:
    """The order that is promised, or none where the error is that of rounding; the largest error as a text of n."""

    order: int | None
    error: str


def _through(made: str) -> str:
    return f"largest(interpolate.evaluate({made}, at()) - sin(3.0 * at()))"


def _derived(call: str, exact: str) -> str:
    return f"largest({call} - {exact})"


H = "2.0 / f64(f32(n - 1))"
DERIVATIVE = "differences.derivative(sin(3.0 * x(n)), {h}, order={order}, accuracy={accuracy})"
FIELD = "outer(sin(3.0 * x(n)), sin(2.0 * x(n)))"
APPROXIMATIONS: Mapping[str, Approximation] = {
    "interpolate.nearest": Approximation(1, _through("interpolate.nearest(x(n), sin(3.0 * x(n)))")),
    "interpolate.previous": Approximation(1, _through("interpolate.previous(x(n), sin(3.0 * x(n)))")),
    "interpolate.linear": Approximation(2, _through("interpolate.linear(x(n), sin(3.0 * x(n)))")),
    "interpolate.pchip": Approximation(2, _through("interpolate.pchip(x(n), sin(3.0 * x(n)))")),
    "interpolate.akima": Approximation(2, _through("interpolate.akima(x(n), sin(3.0 * x(n)))")),
    "interpolate.hermite": Approximation(
        4, _through("interpolate.hermite(x(n), sin(3.0 * x(n)), 3.0 * cos(3.0 * x(n)))")
    ),
    "interpolate.cubic_spline": Approximation(4, _through("interpolate.cubic_spline(x(n), sin(3.0 * x(n)))")),
    "interpolate.bspline, degree 5": Approximation(6, _through("interpolate.bspline(x(n), sin(3.0 * x(n)), degree=5)")),
    **{
        f"differences.derivative, order {order}, accuracy {accuracy}": Approximation(
            accuracy,
            _derived(
                DERIVATIVE.format(h=H, order=order, accuracy=accuracy),
                "3.0 * cos(3.0 * x(n))" if order == 1 else "-9.0 * sin(3.0 * x(n))",
            ),
        )
        for order in (1, 2)
        for accuracy in (2, 4)
    },
    "differences.laplacian": Approximation(
        2, _derived(f"differences.laplacian({FIELD}, [{H}, {H}])", f"-13.0 * {FIELD}")
    ),
    "differences.poisson": Approximation(
        2,
        "largest(differences.poisson(-2.0 * pi ** 2 * inside(n), [1.0 / f64(f32(n + 1)), 1.0 / f64(f32(n + 1))])"
        " - inside(n))",
    ),
    "differences.poisson, spectral": Approximation(
        None,
        "largest(differences.poisson(-2.0 * pi ** 2 * inside(n), [1.0 / f64(f32(n + 1)), 1.0 / f64(f32(n + 1))],"
        ' method="spectral") - inside(n))',
    ),
    "differences.fourier_derivative": Approximation(
        None,
        "largest(differences.fourier_derivative(exp(sin(around(n))), 2.0 * pi) - cos(around(n)) * exp(sin(around(n))))",
    ),
    "differences.chebyshev_derivative": Approximation(
        None,
        "largest(differences.chebyshev_derivative(sin(3.0 * differences.chebyshev_points(n, dtype=f64)))"
        " - 3.0 * cos(3.0 * differences.chebyshev_points(n, dtype=f64)))",
    ),
    "trapezoid": Approximation(2, f"abs(trapezoid(sin(3.0 * x(n)), dx={H}) - (1.0 - cos(f64(6.0))) / 3.0)"),
    "solve.simpson": Approximation(4, f"abs(solve.simpson(sin(3.0 * x(n)), dx={H}) - (1.0 - cos(f64(6.0))) / 3.0)"),
    "solve.quadrature": Approximation(
        None, "abs(solve.quadrature(fn t -> sin(3.0 * t), f64(0.0), 2.0, n=n // 2) - (1.0 - cos(f64(6.0))) / 3.0)"
    ),
}
"""Approximations of sin(3 x) on [0, 2] by n values, and of waves."""
HEAD = """import differences
import interpolate
import solve
def x(static n: size) -> f64[n] where n >= 2 = 2.0 * f64(iota([n])) / f64(f32(n - 1))
def at() -> f64[301] = x(301)
def around(static n: size) -> f64[n] = 2.0 * pi * f64(iota([n])) / f64(f32(n))
def inside(static n: size) -> f64[n, n] =
    let wave = sin(pi * f64(iota([n]) + 1) / f64(f32(n + 1)))
    outer(wave, wave)
def largest(x: f64[*s]) -> f64 = max(concatenate((ravel(abs(x)), [0.0])))
"""


def of_values(name: str) -> tuple[float, float]:
    """Return the order that 33 and 65 values show, and the error of the latter."""
    made = APPROXIMATIONS[name]
    program = dsl.program(f"{HEAD}def error(static n: size) -> f64 where n >= 12 = {made.error}\n")
    errors = [float(program.error.interpret(n=n)) for n in (33, 65)]
    return float(np.log2(errors[0] / errors[1])) if errors[1] > 0 else np.inf, errors[1]


def _found(promised: float, measured: float, slack: float = 0.3) -> Found:
    return Found((promised, round(measured, 2)), promised - slack < measured < promised + 2.5)


def _of_steps(name: str, order: int) -> Found:
    return _found(order, float(of_steps()[name].max()))


def _of_paths(name: str, order: float) -> Found:
    return _found(order, of_paths()[name])


def _of_values(name: str) -> Found:
    promised = APPROXIMATIONS[name].order
    order, error = of_values(name)
    if promised is None:
        return Found(("spectral", f"error {error:.0e}"), error < 1e-11)
    return _found(promised, order, 0.45)


ORDERS_TABLE = Table(
    "orders",
    "Orders of convergence",
    "Methods for differential equations take 8 steps over ever shorter times, on a pendulum that is pushed; schemes "
    "for stochastic equations 4 steps over times 16 times apart, on 400 paths of geometric Brownian motion; "
    "approximations have 33 and 65 values of a sine.",
    "Promised: the measured order is that of the method, within 0.45 below and 2.5 above; spectral methods have the "
    "error of rounding, below 1e-11.",
    ("method", "order", "measured"),
    (
        *(
            Row((f"`ode.{name}`",), partial(_of_steps, name, p))
            for name, p in {**EXPLICIT, **IMPLICIT, **SPLIT}.items()
        ),
        *(Row((marked(f"ode.{name}"),), partial(_of_paths, name, p)) for name, p in STRONG.items()),
        *(Row((marked(name),), partial(_of_values, name)) for name in APPROXIMATIONS),
    ),
)
