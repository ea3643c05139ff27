"""`ode` on problems with known answers: classes of DETEST and of stiff sets, the order of each method, derivatives.

The problems of one kind are one state, a record, so that a method is compiled once for all of them.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import dsl
from tests.support.cases import some
from tests.support.library import Array, leaves

ADAPTED = ("bosh3", "tsit5", "dopri5", "dop853")
FIXED = {"euler": 1, "midpoint": 2, "rk4": 4, "heun": 2, "ralston": 2, "bosh3": 3, "tsit5": 5, "dopri5": 5, "dop853": 8}
STIFF = {"ros3p": 3, "rodas4": 4, "kvaerno3": 3, "kvaerno5": 5}
SPLIT = {"leapfrog": 2, "ruth3": 3, "yoshida4": 4}

DETEST: dict[str, tuple[str, str, list[float], Callable[[float, Array], list[Any]]]] = {
    "a1": ("f64", "-y", [1.0], lambda t, y: [-y[0]]),
    "a2": ("f64", "-0.5 * y ** 3", [1.0], lambda t, y: [-0.5 * y[0] ** 3]),
    "a3": ("f64", "y * cos(t)", [1.0], lambda t, y: [y[0] * np.cos(t)]),
    "a4": ("f64", "0.25 * y * (1.0 - y / 20.0)", [1.0], lambda t, y: [0.25 * y[0] * (1 - y[0] / 20)]),
    "a5": ("f64", "(y - t) / (y + t)", [4.0], lambda t, y: [(y[0] - t) / (y[0] + t)]),
    "b1": (
        "f64[2]",
        "[2.0 * (y[0] - y[0] * y[1]), -(y[1] - y[0] * y[1])]",
        [1.0, 3.0],
        lambda t, y: [2 * (y[0] - y[0] * y[1]), -(y[1] - y[0] * y[1])],
    ),
    "b2": (
        "f64[3]",
        "[-y[0] + y[1], y[0] - 2.0 * y[1] + y[2], y[1] - y[2]]",
        [2.0, 0.0, 1.0],
        lambda t, y: [-y[0] + y[1], y[0] - 2 * y[1] + y[2], y[1] - y[2]],
    ),
    "b3": (
        "f64[3]",
        "[-y[0], y[0] - y[1] ** 2, y[1] ** 2]",
        [1.0, 0.0, 0.0],
        lambda t, y: [-y[0], y[0] - y[1] ** 2, y[1] ** 2],
    ),
    "b5": (
        "f64[3]",
        "[y[1] * y[2], -y[0] * y[2], -0.51 * y[0] * y[1]]",
        [0.0, 1.0, 1.0],
        lambda t, y: [y[1] * y[2], -y[0] * y[2], -0.51 * y[0] * y[1]],
    ),
    "c1": (
        "f64[10]",
        "[(if i == 0 then 0.0 else y[max(i - 1, 0)]) - (if i == 9 then 0.0 else y[i]) for i in range(10)]",
        [1.0, *[0.0] * 9],
        lambda t, y: [(y[i - 1] if i else 0.0) - (y[i] if i < 9 else 0.0) for i in range(10)],
    ),
    "d3": (
        "f64[4]",
        "concatenate((y[2:], -y[:2] / sqrt(y[0] * y[0] + y[1] * y[1]) ** 3))",
        [0.5, 0.0, 0.0, 3.0**0.5],
        lambda t, y: [y[2], y[3], *(-y[:2] / np.hypot(y[0], y[1]) ** 3)],
    ),
    "e2": (
        "f64[2]",
        "[y[1], (1.0 - y[0] * y[0]) * y[1] - y[0]]",
        [2.0, 0.0],
        lambda t, y: [y[1], (1 - y[0] ** 2) * y[1] - y[0]],
    ),
    "e4": ("f64[2]", "[y[1], 0.032 - 0.4 * y[1] * y[1]]", [30.0, 0.0], lambda t, y: [y[1], 0.032 - 0.4 * y[1] ** 2]),
}
"""Nonstiff problems of DETEST (Hull, Enright, Fellen and Sedgwick 1972): slope, start, and the slope in NumPy."""
CLOSED: dict[str, Callable[[float], float]] = {
    "a1": lambda t: np.exp(-t),
    "a2": lambda t: 1 / np.sqrt(1 + t),
    "a3": lambda t: np.exp(np.sin(t)),
    "a4": lambda t: 20 / (1 + 19 * np.exp(-t / 4)),
}
STIFF_SET = {
    "robertson": (
        "[-0.04 * y[0] + 1e4 * y[1] * y[2], 0.04 * y[0] - 1e4 * y[1] * y[2] - 3e7 * y[1] ** 2, 3e7 * y[1] ** 2]",
        [1.0, 0.0, 0.0],
        40.0,
        [0.7158270688, 9.185534765e-6, 0.2841637457],
    ),
    "van_der_pol": (
        "[y[1], ((1.0 - y[0] ** 2) * y[1] - y[0]) / 1e-6]",
        [2.0, 0.0],
        2.0,
        [1.706167732170469, -8.928097010248126e-1],
    ),
    "oregonator": (
        "[77.27 * (y[1] + y[0] * (1.0 - 8.375e-6 * y[0] - y[1])), (y[2] - (1.0 + y[0]) * y[1]) / 77.27, "
        "0.161 * (y[0] - y[2])]",
        [1.0, 2.0, 3.0],
        30.0,
        [1.000661467180497, 1.512778937348249e3, 1.035854312767229e4],
    ),
    "hires": (
        "[-1.71 * y[0] + 0.43 * y[1] + 8.32 * y[2] + 0.0007, 1.71 * y[0] - 8.75 * y[1], "
        "-10.03 * y[2] + 0.43 * y[3] + 0.035 * y[4], 8.32 * y[1] + 1.71 * y[2] - 1.12 * y[3], "
        "-1.745 * y[4] + 0.43 * y[5] + 0.43 * y[6], "
        "-280.0 * y[5] * y[7] + 0.69 * y[3] + 1.71 * y[4] - 0.43 * y[5] + 0.69 * y[6], "
        "280.0 * y[5] * y[7] - 1.81 * y[6], -280.0 * y[5] * y[7] + 1.81 * y[6]]",
        [1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0057],
        321.8122,
        [
            *(0.7371312573325668e-3, 0.1442485726316185e-3, 0.5888729740967575e-4, 0.1175651343283149e-2),
            *(0.2386356198831331e-2, 0.6238968252742796e-2, 0.2849998395185769e-2, 0.2850001604814231e-2),
        ],
    ),
}
"""Stiff problems with their published solutions (Hairer and Wanner 1996; the Test Set for IVP Solvers)."""


@cache
def reference() -> dict[str, Array]:
    """The solutions of DETEST at three times, in double precision."""
    made = {}
    for name, (_, _, start, slope) in DETEST.items():
        found = solve_ivp(slope, (0, 6), start, method="DOP853", rtol=1e-12, atol=1e-13, t_eval=[0.0, 2.5, 6.0])
        made[name] = found.y.T.reshape((3, -1) if "[" in DETEST[name][0] else (3,))
    return made


@cache
def detest() -> dsl.Program:
    slopes, parts, at = "", [], 0
    for name, (kind, slope, start, _) in DETEST.items():
        slopes += f"def slope_{name}(t: f64, y: {kind}) -> {kind} = {slope}\n"
        scalar = "[" not in kind
        part = f"y[{at}]" if scalar else f"y[{at} : {at + len(start)}]"
        parts.append(f"[slope_{name}(t, {part})]" if scalar else f"slope_{name}(t, {part})")
        at += len(start)
    joined = parts[0]
    for part in parts[1:]:
        joined = f"concatenate(({joined}, {part}))"
    adapted = "".join(
        f"def {m}(y: f64[n], ts: f64[m], tol: f64) -> ode.Solution[f64, f64[n], m] where n == {at} ="
        f" ode.solve(slope, y, 0.0, 6.0, ode.{m}(f64), save=ts, rtol=tol, atol=tol, max_steps=20000)\n"
        for m in ADAPTED
    )
    return dsl.program(f"import ode\n{slopes}def slope(t: f64, y: f64[{at}]) -> f64[{at}] = {joined}\n{adapted}")


@pytest.mark.parametrize("method", ADAPTED)
def test_problems_of_detest(method: str) -> None:
    start = np.concatenate([row[2] for row in DETEST.values()])
    tolerance = 1e-6
    found = getattr(detest(), method)(start, np.array([0.0, 2.5, 6.0]), tolerance)
    assert bool(found["success"])
    wanted = np.concatenate([part.reshape(3, -1) for part in reference().values()], axis=1)
    got = np.asarray(found["saved"])
    np.testing.assert_allclose(got, wanted, rtol=200 * tolerance, atol=200 * tolerance)
    np.testing.assert_allclose(np.asarray(found["y"]), got[-1], rtol=1e-12, atol=1e-14)
    for name, closed in CLOSED.items():
        np.testing.assert_allclose(reference()[name][-1], closed(6.0), rtol=1e-10)
    assert int(found["evaluations"]) >= int(found["steps"]) + int(found["rejected"])


# ---------------------------------------------------------------- order


def test_order_of_every_method() -> None:
    """As many steps over a time half as long have an error that is 2^(p + 1) times less."""
    explicit = ", ".join(f"ode.solve(slope, y, 0.0, t, ode.{m}(f64), steps=8).y" for m in FIXED)
    tight = "rtol=1e-12, atol=1e-12"
    stiff = ", ".join(f"ode.solve_stiff(slope, y, 0.0, t, ode.{m}(f64), steps=8, {tight}).y" for m in STIFF)
    parts = "fn (t, p) -> p, fn (t, q) -> cos(t) - sin(q)"
    split = ", ".join(f"pair(ode.solve_symplectic({parts}, y[0], y[1], 0.0, t, ode.{m}(f64), steps=8))" for m in SPLIT)
    program = dsl.program(f"""
import ode
def slope(t: f64, y: f64[2]) -> f64[2] = [y[1], cos(t) - sin(y[0])]
def pair(s: (f64, f64)) -> f64[2] = [s.0, s.1]
def run(y: f64[2], t: f64) -> f64[16, 2] = [{explicit}, {stiff}, {split}]
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
    for column, (name, order) in zip(errors.T, [*FIXED.items(), *STIFF.items(), *SPLIT.items()], strict=True):
        measured = np.log2(column[:-1] / column[1:])[column[1:] > 3e-12][-2:] - 1
        assert measured.max() > order - 0.3, (name, measured)
        assert measured.min() < order + 2.5, (name, measured)


# ---------------------------------------------------------------- stiff sets


@pytest.mark.parametrize("method", ["rodas4", "kvaerno5"])
def test_stiff_problems(method: str) -> None:
    """All of them as one equation, the time of each from 0 to 1."""
    slopes, joined, at = "", "zeros([0], f64)", 0
    for name, (slope, start, end, _) in STIFF_SET.items():
        slopes += f"def {name}(y: f64[{len(start)}]) -> f64[{len(start)}] = {slope}\n"
        joined = f"concatenate(({joined}, {end} * {name}(y[{at} : {at + len(start)}])))"
        at += len(start)
    program = dsl.program(f"""
import ode
{slopes}
def run(y: f64[{at}], tol: f64) -> ode.Solution[f64, f64[{at}], 1] =
    ode.solve_stiff(fn (t, y) -> {joined}, y, 0.0, 1.0, ode.{method}(f64), save=[1.0], rtol=tol, atol=1e-4 * tol)
""")
    found = program.run(np.concatenate([row[1] for row in STIFF_SET.values()]), 1e-7)
    assert bool(found["success"])
    wanted = np.concatenate([row[3] for row in STIFF_SET.values()])
    np.testing.assert_allclose(np.asarray(found["y"]), wanted, rtol=2e-5)
    np.testing.assert_allclose(np.asarray(found["saved"])[0], np.asarray(found["y"]), rtol=1e-9)


# ---------------------------------------------------------------- derivatives

DERIVED = """
import ode
def slope(t: f64, y: f64[2], k: f64[2]) -> f64[2] = [y[0] * (k[0] - y[1]) + 0.1 * sin(t), y[1] * (y[0] - k[1])]
def run(z: f64[6]) -> f64[2, 2] =
    let found = ode.solve(
        fn (t, y) -> slope(t, y, z[2:4]), z[:2], 0.0, z[4], ode.bosh3(f64), save=z[5:], rtol=1e-7, atol=1e-7
    )
    [found.y, found.saved[0]]
def forwards(z: f64[6]) -> f64[2, 2, 6] = jacfwd(run)(z)
def backwards(z: f64[6]) -> f64[2, 2, 6] = jacrev(run)(z)
def by_adjoint(y: f64[2], k: f64[2], t0: f64, t1: f64) -> (f64[2], f64[2], f64, f64) =
    let end = fn (y, k, t0, t1) ->
        dot(ode.solve_backsolve(slope, y, k, t0, t1, ode.tsit5(f64), rtol=1e-9, atol=1e-9), [1.0, 2.0])
    grad(end, argnums=(0, 1, 2, 3))(y, k, t0, t1)
def by_sensitivities(y: f64[2], k: f64[2], t1: f64) -> (f64[2], f64[2, 2]) =
    ode.solve_sensitivities(slope, y, k, 0.0, t1, ode.tsit5(f64), rtol=1e-9, atol=1e-9)
"""
Z = np.array([1.0, 1.2, 2.0, 1.1, 3.0, 1.7])


@cache
def derived() -> dsl.Program:
    return dsl.program(DERIVED)


@cache
def by_differences() -> Array:
    """The derivatives of the end and of the saved state, by central differences of a reference."""

    def run(z: Array) -> Array:
        def slope(t: float, y: Array) -> list[Any]:
            return [y[0] * (z[2] - y[1]) + 0.1 * np.sin(t), y[1] * (y[0] - z[3])]

        found = solve_ivp(
            slope, (0, max(z[4], z[5])), z[:2], method="DOP853", rtol=1e-12, atol=1e-13, dense_output=True
        )
        return np.stack([found.sol(z[4]), found.sol(z[5])])

    steps = 1e-4 * np.eye(6)
    return np.stack([(run(Z + h) - run(Z - h)) / 2e-4 for h in steps], axis=-1)


@pytest.mark.parametrize("name", ["forwards", "backwards"])
def test_derivatives_go_through_the_steps(name: str) -> None:
    found = np.asarray(getattr(derived(), name)(Z))
    np.testing.assert_allclose(found, by_differences(), rtol=2e-5, atol=2e-5)


def test_gradient_of_the_adjoint_equation() -> None:
    wanted = np.array([1.0, 2.0]) @ by_differences()[0]
    found = derived().by_adjoint(Z[:2], Z[2:4], 0.0, Z[4])
    np.testing.assert_allclose(np.concatenate([np.asarray(found[0]), np.asarray(found[1])]), wanted[:4], rtol=1e-6)
    np.testing.assert_allclose(float(found[3]), wanted[4], rtol=1e-6)
    earlier, later = (np.asarray(derived().by_sensitivities(Z[:2], Z[2:4], Z[4])[0]) for _ in range(2))
    assert (earlier == later).all()


def test_sensitivities() -> None:
    state, slopes = derived().by_sensitivities(Z[:2], Z[2:4], Z[4])
    assert np.asarray(state).shape == (2,)
    np.testing.assert_allclose(np.asarray(slopes), by_differences()[0, :, 2:4].T, rtol=1e-6, atol=1e-7)


def test_derivatives_of_a_stiff_method() -> None:
    """Those of y' = -k (y - cos(w t)), by its closed form."""
    program = dsl.program("""
import ode
def end(z: f64[3]) -> f64 =
    let slope = fn (t, y) -> [-z[1] * (y[0] - cos(z[2] * t))]
    ode.solve_stiff(slope, z[:1], 0.0, 2.0, ode.rodas4(f64), rtol=1e-7, atol=1e-9).y[0]
""")

    def closed(z: Array) -> Any:
        (y, k, w), t = z, 2.0
        there = k * (k * np.cos(w * t) + w * np.sin(w * t)) / (k * k + w * w)
        return (y - k * k / (k * k + w * w)) * np.exp(-k * t) + there

    z = np.array([0.5, 50.0, 1.3])
    exact = [closed(z + 1e-30j * e).imag / 1e-30 for e in np.eye(3)]
    np.testing.assert_allclose(np.asarray(dsl.grad(program.end)(z)), exact, rtol=1e-4, atol=1e-8)


@pytest.mark.parametrize("method", ["ros3p", "kvaerno3"])
def test_second_derivatives_of_stiff_methods(method: str) -> None:
    program = dsl.program(f"""
import ode
def end(z: f64[2]) -> f64 =
    let slope = fn (t, y) -> [-z[1] * (y[0] * y[0] - cos(t))]
    ode.solve_stiff(slope, z[:1], 0.0, 0.5, ode.{method}(f64), steps=4, rtol=1e-12, atol=1e-12).y[0]
def slopes(z: f64[2], v: f64[2]) -> (f64[2], f64[2]) = jvp(fn z -> grad(end)(z), (z,), (v,))
""")
    z, steps = np.array([0.5, 2.0]), 1e-5 * np.eye(2)
    ones = np.ones(2)
    first, second = (np.asarray(x) for x in program.slopes(z, ones))
    by_steps = [(float(program.end(z + h)) - float(program.end(z - h))) / 2e-5 for h in steps]
    np.testing.assert_allclose(first, by_steps, rtol=1e-6, atol=1e-7)
    ahead, behind = (np.asarray(program.slopes(z + h, ones)[0]) for h in (1e-5 * ones, -1e-5 * ones))
    np.testing.assert_allclose(second, (ahead - behind) / 2e-5, rtol=1e-6, atol=1e-7)


# ---------------------------------------------------------------- events, ends, states

ENDS = """
import ode
type Ball = {height: f64, speed: f64}
def fall(v: f64, g: f64) -> ode.Solution[f64, Ball, 3] =
    let up = fn (t, s) -> s.height
    let slope = fn (t, s) -> {height = s.speed, speed = -g}
    let start = {height = 0.0, speed = v}
    ode.solve(slope, start, 0.0, 10.0, ode.bosh3(f64), event=up, save=[0.0, 0.1, 9.0], direction=-1)
def landing(v: f64, g: f64) -> (f64, f64) = grad(fn (v, g) -> fall(v, g).t, argnums=(0, 1))(v, g)
def pole(y: f64, t1: f64) -> ode.Solution[f64, f64, 2] =
    ode.solve(fn (t, y) -> y * y, y, 0.0, t1, ode.bosh3(f64), save=[0.25 * t1, t1])
def cut(t1: f64) -> ode.Solution[f64, f64, 0] =
    ode.solve(fn (t, y) -> y, f64(1.0), 0.0, t1, ode.bosh3(f64), max_steps=5)
def turned(z: c128, t1: f64) -> c128 =
    ode.solve(fn (t, z) -> 1.0j * z, z, 0.0, t1, ode.dopri5(f64), rtol=1e-8, atol=1e-8).y
def decays(ys: f32[n], t1: f32) -> f32[n] =
    vmap(fn y -> ode.solve(fn (t, y) -> -y, y, 0.0, t1, ode.tsit5(), rtol=1e-5, pid=(0.4, 0.3, 0.0)).y)(ys)
def on_grid(y: f64, ts: f64[n]) -> f64[n] = ode.solve_grid(fn (t, y) -> -y, y, ts, ode.rk4(f64), substeps=4)
def by_stiff(y: f64, k: f64) -> ode.Solution[f64, f64[1], 2] =
    let (slope, zero) = (fn (t, y) -> [-k * (y[0] - cos(t))], fn (t, y) -> y[0])
    ode.solve_stiff(slope, [y], 0.0, 9.0, ode.ros3p(f64), event=zero, save=[0.5, 8.0], rtol=1e-6, atol=1e-8)
"""


@cache
def ends() -> dsl.Program:
    return dsl.program(ENDS)


def test_an_event_ends_the_solution() -> None:
    found = ends().fall(3.0, 10.0)
    assert bool(found["event"])
    assert bool(found["success"])
    np.testing.assert_allclose([float(found["t"]), float(found["y"]["height"])], [0.6, 0.0], atol=1e-12)
    np.testing.assert_allclose(np.asarray(found["saved"]["height"]), [0.0, 0.25, np.nan], atol=1e-12)
    np.testing.assert_allclose([float(d) for d in ends().landing(3.0, 10.0)], [0.2, -0.06], rtol=1e-9)
    stiff = ends().by_stiff(0.0, 1e3)
    assert bool(stiff["event"])
    np.testing.assert_allclose(float(stiff["t"]), np.pi / 2 + 1e-3, atol=1e-4)
    assert np.isnan(np.asarray(stiff["saved"])[1, 0])


def test_what_is_not_reached_is_not_a_success() -> None:
    pole = ends().pole(1.0, 2.0)
    assert not bool(pole["success"])
    np.testing.assert_allclose(np.asarray(pole["saved"]), [2.0, np.nan], rtol=2e-2)
    assert 0.99 < float(pole["t"]) < 1.01
    cut = ends().cut(100.0)
    assert (bool(cut["success"]), int(cut["steps"]) + int(cut["rejected"])) == (False, 5)
    back = ends().pole(1.0, -1.0)
    assert bool(back["success"])
    np.testing.assert_allclose(np.asarray(back["saved"]), [0.8, 0.5], rtol=2e-3)
    still = ends().pole(1.0, 0.0)
    assert (bool(still["success"]), int(still["steps"]), float(still["y"])) == (True, 0, 1.0)


def test_states_of_other_dtypes() -> None:
    assert complex(ends().turned(1.0 + 0j, 2.0)) == pytest.approx(np.exp(2j), abs=1e-7)
    batch = np.array([1.0, 2.0, 0.0], np.float32)
    np.testing.assert_allclose(np.asarray(ends().decays(batch, -1.0)), batch * np.e, rtol=1e-4)
    grid = np.array([0.0, 0.5, 2.0])
    np.testing.assert_allclose(np.asarray(ends().on_grid(3.0, grid)), 3 * np.exp(-grid), rtol=1e-3)


@pytest.mark.parametrize(("name", "args"), [("pole", (1.0, 0.5)), ("by_stiff", (0.0, 9.0))])
def test_the_evaluator_takes_the_same_steps(name: str, args: tuple[float, ...]) -> None:
    function = getattr(ends(), name)
    for got, wanted in some(zip(leaves(function.interpret(*args)), leaves(function(*args)), strict=True)):
        np.testing.assert_allclose(got, wanted, rtol=1e-9, atol=1e-12)


# ---------------------------------------------------------------- symplectic and stochastic

NOISE = """
import ode
import random
def orbit(q: f64[2], p: f64[2], ts: f64[m]) -> (f64[m, 2], f64[m, 2]) =
    let force = fn (t, q) -> -q / sqrt(sum(q * q)) ** 3
    ode.solve_symplectic_grid(fn (t, p) -> p, force, q, p, ts, ode.yoshida4(f64), substeps=64)
def path(k: key, ts: f64[n], static depth: size) -> f64[n] where depth <= 60 =
    let w = ode.brownian(k, f64(0.0), 2.0, depth=depth)
    [w(t) for t in ts]
def paths(k: key, ts: f64[n], static m: size) -> f64[m, n] = [path(k, ts, 12) for k in split(k, m)]
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
def noise() -> dsl.Program:
    return dsl.program(NOISE)


def test_energy_is_kept() -> None:
    q, p = (
        np.asarray(x) for x in noise().orbit(np.array([0.5, 0.0]), np.array([0.0, 3.0**0.5]), np.linspace(0, 50, 9))
    )
    energy = 0.5 * (p**2).sum(axis=1) - 1 / np.sqrt((q**2).sum(axis=1))
    np.testing.assert_allclose(energy, -0.5, atol=1e-3)
    assert np.abs(q[-1] - q[0]).max() > 0.1


def test_a_brownian_path_is_one_path() -> None:
    """In whatever order it is asked for, and however deep the tree is."""
    times = np.arange(17) / 8
    fine = np.asarray(noise().path(dsl.key(1), times, depth=12))
    assert fine[0] == 0.0
    assert (np.asarray(noise().path(dsl.key(1), times[::-1].copy(), depth=12))[::-1] == fine).all()
    assert (np.asarray(noise().path(dsl.key(1), times, depth=4)) == fine).all()
    assert (np.asarray(noise().path(dsl.key(2), times, depth=4))[1:] != fine[1:]).all()


def test_brownian_motion_has_its_law() -> None:
    times = np.array([0.0, 0.3, 0.5, 1.1, 2.0])
    found = np.asarray(noise().paths(dsl.key(3), times, m=4000))
    np.testing.assert_allclose(np.cov(found.T), np.minimum.outer(times, times), atol=0.09)
    increments = np.diff(found, axis=1) / np.sqrt(np.diff(times))
    np.testing.assert_allclose(np.corrcoef(increments.T), np.eye(4), atol=0.06)
    np.testing.assert_allclose(np.mean(increments**4, axis=0), 3.0, atol=0.4)


def test_strong_orders() -> None:
    """Of geometric Brownian motion: as many steps over a time 16 times less have an error 16^(p + 1/2) times less."""
    sizes = [np.sqrt(np.mean(np.asarray(noise().errors(dsl.key(4), t, m=400)) ** 2, axis=0)) for t in (0.2, 0.0125)]
    np.testing.assert_allclose(np.log2(sizes[0] / sizes[1]) / 4 - 0.5, [0.5, 1.0, 1.0, 1.0, 1.0], atol=0.25)
