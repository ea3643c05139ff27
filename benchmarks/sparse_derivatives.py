"""Sparse Jacobians and Hessians beside dense ones, and the time that a pattern takes.

    python -m benchmarks.sparse_derivatives [n]

Five problems of n unknowns: products that a derivative takes, processor time of a compiled call, sparse and dense,
their quotient, the largest difference, and the time of staging, pattern and colours. The status is 1 if a sparse
derivative takes more than 0.2 of the time of the dense one, or differs from it.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Mapping
from math import isqrt
from types import MappingProxyType
from typing import Any

import numpy as np

import dsl
from dsl.interop.scipy import to_scipy

SHARE = 0.2
TEXT = """
## The right side of the Brusselator on a line of n cells (Hairer and Wanner 1996, IV.10).
def brusselator(y: f64[2, n]) -> f64[2, n] =
    let (u, v) = (y[0], y[1])
    let spread = fn (w: f64[n]) -> roll(w, 1) - 2.0 * w + roll(w, -1)
    [1.0 + u * u * v - 4.0 * u + 0.02 * spread(u), 3.0 * u - u * u * v + 0.02 * spread(v)]

## The five-point stencil of a nonlinear equation on a grid.
def bratu(u: f64[n, m]) -> f64[n, m] =
    let p = pad(u, 1)
    p[2:, 1:-1] + p[:-2, 1:-1] + p[1:-1, 2:] + p[1:-1, :-2] - 4.0 * u + 0.1 * exp(u)

## Broyden's banded function, with five elements below the diagonal and one above it (More, Garbow and Hillstrom 1981).
def banded(x: f64[n]) -> f64[n] =
    let p = pad(x * (1.0 + x), (5, 1))
    x * (2.0 + 5.0 * x * x) + 1.0 - [sum(p[i : i + 5]) + p[i + 6] for i in range(n)]

## Blocks of four along the diagonal, and four unknowns that all others meet.
def arrow(x: f64[n]) -> f64[n] where n >= 8 and n % 4 == 0 =
    let blocks = reshape(x, [n // 4, 4])
    let inside = [sin(v) * sum(v) for v in blocks]
    let border = x[:4]
    reshape(inside.at[0].add(mean(square(blocks), axis=0)) + border * blocks, [n])

## The chained function of Rosenbrock.
def rosenbrock(x: f64[n]) -> f64 where n >= 2 = sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2)
"""
PROBLEMS: Mapping[str, Callable[[int], tuple[int, ...]]] = MappingProxyType(
    {
        "brusselator": lambda n: (2, n // 2),
        "bratu": lambda n: (isqrt(n), isqrt(n)),
        "banded": lambda n: (n,),
        "arrow": lambda n: (n,),
        "rosenbrock": lambda n: (n,),
    }
)
"""The shapes of n unknowns."""


def best(call: Callable[[], Any], times: int) -> float:
    """Return the least processor time of a call, in milliseconds."""
    found = []
    for _ in range(times):
        start = time.process_time()
        call()
        found.append(time.process_time() - start)
    return 1e3 * min(found)


def measured(program: Any, name: str, n: int) -> bool:
    """Print the row of a problem; return whether its derivative is right, and fast enough."""
    function = getattr(program, name)
    x = np.random.default_rng(1).uniform(0.5, 1.5, size=PROBLEMS[name](n))
    hessian = name == "rosenbrock"
    sparse = (dsl.sparse_hessian if hessian else dsl.sparse_jacobian)(function)
    dense = (dsl.hessian if hessian else dsl.jacfwd)(function)
    plan = best(lambda: sparse.sparsity(x), 1)
    found = sparse.sparsity(x)
    exact = np.asarray(dense(x)).reshape(found.shape)
    difference = float(abs(to_scipy(sparse(x)) - exact).max())
    few = best(lambda: np.asarray(sparse(x)["data"]), 30)
    all_ = best(lambda: np.asarray(dense(x)), 5)
    products = f"{found.forward} + {found.backward}"
    print(
        f"{name:12} {x.size:6} {len(found.indices):8} {products:>8} {few:9.3f} {all_:9.3f} {few / all_:7.4f}"
        f" {difference:9.1e} {plan:9.1f}"
    )
    return few <= SHARE * all_ and difference <= 1e-9 * max(1.0, float(abs(exact).max()))


def main(n: int = 2000) -> int:
    """Print a row for each problem."""
    program = dsl.program(TEXT)
    head = f"{'problem':12} {'n':>6} {'entries':>8} {'products':>8} {'sparse ms':>9} {'dense ms':>9} {'share':>7}"
    print(head, "differ by   plan ms")
    fine = [measured(program, name, n) for name in PROBLEMS]
    return 0 if all(fine) else 1


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
