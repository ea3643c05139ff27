"""The gradient of the loss of linear regression, mapped and compiled in three ways, against JAX in one process.

Per-example gradients at batch 1, 100 and 10000: `jit(grad)` of one example, `jit(vmap(grad))`, and `vmap(jit(grad))`.
Runs of the two systems are interleaved, and medians compared; a ratio below 1 means that we are faster. JAX runs the
last of the three step by step, since nothing around it is compiled; here every call from Python is compiled as a
whole. Run with `python benchmarks/seeds.py`.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

import dsl

PROGRAM = Path(__file__).resolve().parents[1] / "examples" / "seeds" / "regression.dsl"
FEATURES, CALLS, ROUNDS = 10, 20, 21
AXES = (None, 0, 0)


def loss(w: Any, x: Any, y: Any) -> Any:
    return (w @ x - y) ** 2


def timed(call: Callable[..., Any], args: tuple[Any, ...]) -> float:
    """Microseconds per call over a burst of calls, the last of which is waited for."""
    start = time.perf_counter()
    for _ in range(CALLS):
        result = call(*args)
    result.block_until_ready()
    return (time.perf_counter() - start) / CALLS * 1e6


def compared(name: str, ours: Any, theirs: Any, args: tuple[Any, ...]) -> None:
    mine = tuple(dsl.array(x) for x in args)
    others = tuple(map(jnp.asarray, args))
    np.testing.assert_allclose(ours(*mine), theirs(*others), rtol=1e-4, atol=1e-4)
    pairs = [(timed(ours, mine), timed(theirs, others)) for _ in range(ROUNDS)]
    left, right = (statistics.median(times) for times in zip(*pairs[1:], strict=True))
    print(f"{name:38} {left:10.1f} µs {right:10.1f} µs   ratio {left / right:5.2f}")


def main() -> None:
    f = dsl.load(PROGRAM).loss
    random = np.random.default_rng(0)
    w = random.normal(size=FEATURES).astype(np.float32)
    print(f"{'':38} {'puredsl':>13} {'JAX':>13}")
    x, y = random.normal(size=FEATURES).astype(np.float32), np.float32(1)
    compared("jit(grad), one example", dsl.jit(dsl.grad(f)), jax.jit(jax.grad(loss)), (w, x, y))
    for batch in (1, 100, 10000):
        xs, ys = (random.normal(size=shape).astype(np.float32) for shape in ((batch, FEATURES), (batch,)))
        ours, theirs = dsl.vmap(dsl.grad(f), in_axes=AXES), jax.vmap(jax.grad(loss), in_axes=AXES)
        compared(f"jit(vmap(grad)), batch {batch}", dsl.jit(ours), jax.jit(theirs), (w, xs, ys))
        ours, theirs = dsl.vmap(dsl.jit(dsl.grad(f)), in_axes=AXES), jax.vmap(jax.jit(jax.grad(loss)), in_axes=AXES)
        compared(f"vmap(jit(grad)), batch {batch}", ours, theirs, (w, xs, ys))


if __name__ == "__main__":
    main()
