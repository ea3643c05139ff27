"""The rivals of `solvers.dsl`."""

from __future__ import annotations

from typing import Any

import diffrax
import jax
import jax.numpy as jnp
import numpy as np

from benchmarks.kernels.learning import dense, draw
from benchmarks.kernels.rival import Kernel, Rival


def slope(time: Any, y: Any, p: Any) -> Any:
    return dense(p["last"], jnp.tanh(dense(p["second"], jnp.tanh(dense(p["first"], y)))))


def path(p: Any, start: Any, times: Any) -> Any:
    return diffrax.diffeqsolve(
        diffrax.ODETerm(slope),
        diffrax.Dopri5(),
        0.0,
        1.0,
        0.1,
        start,
        p,
        saveat=diffrax.SaveAt(ts=times),
        stepsize_controller=diffrax.PIDController(rtol=1e-3, atol=1e-6),
        max_steps=4096,
    ).ys


def ode_loss(p: Any, starts: Any, times: Any, wanted: Any) -> Any:
    return jnp.mean((jax.vmap(lambda y: path(p, y, times))(starts) - wanted) ** 2)


def neural_ode(to: Rival, p: Any, starts: Any, times: Any, wanted: Any) -> Any:
    value, gradient = jax.value_and_grad(ode_loss)(p, starts, times, wanted)
    return value, gradient


def field(r: Any, n: int, m: int, d: int, h: int) -> Any:
    """A field steep enough for a dozen steps, starts of paths, and times."""

    def layer(i: int, o: int, steep: float) -> Any:
        return {"w": np.float32(5.0 * steep / np.sqrt(i)) * draw(r, i, o), "b": draw(r, o)}

    p = {"first": layer(d, h, 1.0), "second": layer(h, h, 1.0), "last": layer(h, d, 12.0)}
    return p, draw(r, n, d), np.linspace(0.0, 1.0, m, dtype=np.float32), draw(r, n, m, d)


KERNELS = (Kernel("neural_ode", field, neural_ode, (2, 3, 2, 4), (16, 16, 2, 64), None, 1e-2),)
