"""`ode` on problems with known answers: classes of DETEST and of stiff sets, the order of each method, derivatives.

The problems of one kind are one state, a record, so that a method is compiled once for all of them.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import dsl
from benchmarks.solvers.initial_values import DETEST, STIFF, joined
from benchmarks.solvers.orders import EXPLICIT, IMPLICIT, SPLIT, STRONG, of_paths, of_steps
from tests.support.cases import some
from tests.support.library import Array, leaves

ADAPTED = ("bosh3", "tsit5", "dopri5", "dop853")
AMPLIFIED = ("d2", "d3", "d4", "d5")
SAMPLE = {name: problem for name, problem in DETEST.items() if problem.size <= 10 and name not in AMPLIFIED}
STIFF_SAMPLE = {name: STIFF[name] for name in ("d2", "t_van_der_pol", "t_oregonator", "t_hires")}


@cache
def detest() -> tuple[dsl.Program, Array]:
    text, start = joined(SAMPLE)
    n = len(start)
    adapted = "".join(
        f"def {m}(y: f64[n], ts: f64[m], tol: f64) -> ode.Solution[f64, f64[n], m] where n == {n} ="
        f" ode.solve(slope, y, 0.0, 1.0, ode.{m}(f64), save=ts, rtol=tol, atol=tol, max_steps=20000)\n"
        for m in ADAPTED
    )
    return dsl.program(f"import ode\n{text}{adapted}"), start


@cache
def reference(share: float) -> Array:
    return np.concatenate([problem.answer(share * problem.end) for problem in SAMPLE.values()])


@pytest.mark.parametrize("method", ADAPTED)
def test_problems_of_detest(method: str) -> None:
    """All of them as one equation, the time of each from 0 to 1."""
    program, start = detest()
    tolerance = 1e-6
    found = getattr(program, method)(start, np.array([0.0, 0.4, 1.0]), tolerance)
    assert bool(found["success"])
    wanted = np.stack([start, reference(0.4), reference(1.0)])
    got = np.asarray(found["saved"])
    np.testing.assert_allclose(got, wanted, rtol=1000 * tolerance, atol=1000 * tolerance)
    np.testing.assert_allclose(np.asarray(found["y"]), got[-1], rtol=1e-12, atol=1e-14)
    assert int(found["evaluations"]) >= int(found["steps"]) + int(found["rejected"])


def test_order_of_every_method() -> None:
    """As many steps over a time half as long have an error that is 2^(p + 1) times less."""
    for name, order in some({**EXPLICIT, **IMPLICIT, **SPLIT}.items()):
        measured = of_steps()[name]
        assert measured.max() > order - 0.3, (name, measured)
        assert measured.min() < order + 2.5, (name, measured)


@pytest.mark.parametrize("method", ["rodas4", "kvaerno5"])
def test_stiff_problems(method: str) -> None:
    """All of them as one equation, the time of each from 0 to 1."""
    text, start = joined(STIFF_SAMPLE)
    n = len(start)
    program = dsl.program(f"""
import ode
{text}
def run(y: f64[{n}], tol: f64) -> ode.Solution[f64, f64[{n}], 1] =
    ode.solve_stiff(slope, y, 0.0, 1.0, ode.{method}(f64), save=[1.0], rtol=tol, atol=1e-4 * tol, max_steps=20000)
""")
    found = program.run(start, 1e-7)
    assert bool(found["success"])
    wanted = np.concatenate([problem.answer(problem.end) for problem in STIFF_SAMPLE.values()])
    np.testing.assert_allclose(np.asarray(found["y"]), wanted, rtol=2e-5)
    np.testing.assert_allclose(np.asarray(found["saved"])[0], np.asarray(found["y"]), rtol=1e-9)


def test_the_error_of_linear_equations_is_estimated() -> None:
    """Smaller tolerances take more steps, by every method for stiff equations."""
    methods = ", ".join(f"end(y, tol, ode.{m}(f64))" for m in IMPLICIT)
    program = dsl.program(f"""
import ode
def end(y: f64[2], tol: f64, method: ode.Implicit[f64, s, k, q]) -> (f64[2], i32)
    where s >= 1 and (k == 0 and q == 0 or k == s) and (q == 0 or q == 2) =
    let found = ode.solve_stiff(fn (t, y) -> [-0.5, -100.0] * y, y, 0.0, 4.0, method, rtol=tol, atol=tol)
    (found.y, found.steps)
def run(y: f64[2], tol: f64) = ({methods})
""")
    loose, tight = (program.run(np.ones(2), tol) for tol in (1e-2, 1e-5))
    for before, after in some(zip(loose, tight, strict=True)):
        assert int(after[1]) > 2 * int(before[1])
        np.testing.assert_allclose(after[0], np.exp([-2.0, -400.0]), atol=1e-4)


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
    for name, order in some(STRONG.items()):
        np.testing.assert_allclose(of_paths()[name], order, atol=0.25)
