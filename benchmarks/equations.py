"""Differential equations beside Diffrax: a stiff solution with its sensitivities, and the gradient of a neural one.

Run it with `python -m benchmarks.equations`. Times are the least processor time of several calls that take turns.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import diffrax
import jax
import jax.numpy as jnp
import numpy as np

import dsl

ROUNDS = 7
RATES = np.array([0.04, 3e7, 1e4])
TOLERANCE = 1e-6
FORWARD, REVERSE = diffrax.ForwardMode(), diffrax.RecursiveCheckpointAdjoint()
STIFF = """
import ode
def slope(y: f64[3], k: f64[3]) -> f64[3] =
    let (a, b, c) = (k[0] * y[0], k[1] * y[1] * y[1], k[2] * y[1] * y[2])
    [c - a, a - c - b, b]
def end(k: f64[3], tol: f64) -> ode.Solution[f64, f64[3], 0] =
    ode.solve_stiff(fn (t, y) -> slope(y, k), [1.0, 0.0, 0.0], 0.0, 1e4, ode.METHOD(f64), rtol=tol, atol=1e-4 * tol)
def forwards(k: f64[3], tol: f64) -> f64[3, 3] = jacfwd(fn k -> end(k, tol).y)(k)
def gradient(k: f64[3], tol: f64) -> f64[3] = grad(fn k -> end(k, tol).y[2])(k)
"""
NEURAL = """
import ode
type Net[d, h] = {a: f32[d, h], b: f32[h], c: f32[h, d], e: f32[d]}
def slope(p: Net[d, h], y: f32[n, d]) -> f32[n, d] = tanh(y @ p.a + p.b) @ p.c + p.e
def loss(p: Net[d, h], y: f32[n, d], ts: f32[m]) -> f32 where m >= 1 =
    let f = fn (t, y) -> slope(p, y)
    mean(ode.solve(f, y, ts[0], ts[-1], ode.tsit5(), save=ts, rtol=1e-4, atol=1e-5, max_steps=64).saved ** 2)
def gradient(p: Net[d, h], y: f32[n, d], ts: f32[m]) -> Net[d, h] where m >= 1 = grad(loss)(p, y, ts)
def end(p: Net[d, h], y: f32[n, d]) -> f32 =
    mean(ode.solve(fn (t, y) -> slope(p, y), y, 0.0, 4.0, ode.tsit5(), rtol=1e-4, atol=1e-5, max_steps=64).y ** 2)
def end_gradient(p: Net[d, h], y: f32[n, d]) -> Net[d, h] = grad(end)(p, y)
"""


def their_end(k: Any, tol: float, solver: Any, adjoint: Any) -> Any:
    def slope(t: Any, y: Any, k: Any) -> Any:
        a, b, c = k[0] * y[0], k[1] * y[1] * y[1], k[2] * y[1] * y[2]
        return jnp.stack([c - a, a - c - b, b])

    control = diffrax.PIDController(rtol=tol, atol=1e-4 * tol)
    start = jnp.array([1.0, 0.0, 0.0])
    term = diffrax.ODETerm(slope)
    found = diffrax.diffeqsolve(
        term, solver, 0.0, 1e4, None, start, k, stepsize_controller=control, adjoint=adjoint, max_steps=4096
    )
    return found.ys[0]


def their_loss(p: Any, y: Any, ts: Any, save: bool) -> Any:
    def slope(t: Any, y: Any, p: Any) -> Any:
        return jnp.tanh(y @ p["a"] + p["b"]) @ p["c"] + p["e"]

    control = diffrax.PIDController(rtol=1e-4, atol=1e-5)
    at = diffrax.SaveAt(ts=ts) if save else diffrax.SaveAt(t1=True)
    term = diffrax.ODETerm(slope)
    found = diffrax.diffeqsolve(
        term, diffrax.Tsit5(), ts[0], ts[-1], None, y, p, stepsize_controller=control, saveat=at, max_steps=64
    )
    return jnp.mean(found.ys**2)


def least(calls: Sequence[Callable[[], Any]]) -> list[float]:
    """Time calls that take turns, in milliseconds of processor time."""
    found = [[] for _ in calls]  # type: list[list[float]]
    for _ in range(ROUNDS):
        for call, times in zip(calls, found, strict=True):
            start = time.process_time()
            jax.block_until_ready(call())
            times.append(1e3 * (time.process_time() - start))
    return [min(times) for times in found]


def compared(name: str, ours: Callable[[], Any], theirs: Callable[[], Any]) -> None:
    """Print the times of two calls, and how far their values differ."""
    a, b = (jax.tree.leaves(jax.tree.map(np.asarray, call())) for call in (ours, theirs))
    apart = max(float(np.abs(x - y).max() / (np.abs(y).max() + 1e-30)) for x, y in zip(a, b, strict=True))
    mine, other = least([lambda: np.asarray(jax.tree.leaves(ours())[0]), theirs])
    print(f"{name:44} {mine:9.3f} ms {other:9.3f} ms  ratio {mine / other:5.2f}  values differ by {apart:.1e}")


def end_of(model: dsl.Program) -> Any:
    return model.end(RATES, TOLERANCE)["y"]


def stiff() -> None:
    """Compare the reactions of Robertson by the same method, and by the best one here."""
    for method, their in (("kvaerno5", diffrax.Kvaerno5()), ("kvaerno3", diffrax.Kvaerno3()), ("rodas4", None)):
        solver = diffrax.Kvaerno5() if their is None else their
        model = dsl.program(STIFF.replace("METHOD", method))
        end = jax.jit(lambda k, s=solver: their_end(k, TOLERANCE, s, REVERSE))
        slopes = jax.jit(jax.jacfwd(lambda k, s=solver: their_end(k, TOLERANCE, s, FORWARD)))
        gradient = jax.jit(jax.grad(lambda k, s=solver: their_end(k, TOLERANCE, s, REVERSE)[2]))
        compared(f"robertson, {method}", partial(end_of, model), partial(end, RATES))
        compared(f"  sensitivities, {method}", partial(model.forwards, RATES, TOLERANCE), partial(slopes, RATES))
        compared(f"  gradient, {method}", partial(model.gradient, RATES, TOLERANCE), partial(gradient, RATES))


def neural() -> None:
    """Compare a network of 64 hidden units as the slope of 32 states, to the end and saved at 20 times."""
    random = np.random.default_rng(0)
    sizes = {"a": (8, 64), "b": (64,), "c": (64, 8), "e": (8,)}
    p = {name: (0.3 * random.normal(size=size)).astype(np.float32) for name, size in sizes.items()}
    y, ts = random.normal(size=(32, 8)).astype(np.float32), np.linspace(0, 4, 20, dtype=np.float32)
    model = dsl.program(NEURAL)
    saved = jax.jit(jax.grad(lambda p: their_loss(p, y, ts, True)))
    end = jax.jit(jax.grad(lambda p: their_loss(p, y, ts, False)))
    compared("neural gradient, to the end", lambda: model.end_gradient(p, y), lambda: end(p))
    compared("neural gradient, saved at 20 times", lambda: model.gradient(p, y, ts), lambda: saved(p))


def main() -> None:
    """Print the table."""
    print(f"{'':44} {'here':>12} {'Diffrax':>12}")
    neural()
    jax.config.update("jax_enable_x64", True)
    stiff()


if __name__ == "__main__":
    main()
