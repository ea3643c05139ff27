"""The cost of one call, against `jax.jit` in the same process: 1, 10 and 50 arguments, device and NumPy.

Each program sums its arguments, `f32[8]` each, so nearly all of the time is dispatch. Runs of the two systems
are interleaved, and medians compared: a ratio below 1 means that we are faster. Goals: 1.0 with device
arrays, 1.5 with NumPy arrays. Run with `python benchmarks/dispatch.py`.

With one device array we are about a tenth slower: two calls into the runtime and the making of the result
take what all of `jax.jit`'s call takes in C++, and our checks and the wrapping of the result come on top in
Python. From a few arguments on it is the other way round, since we need less for each. Small NumPy arguments
are cheap because they land in memory that buffers share (`lowering.xla.landing`).
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Sequence
from typing import Any

import jax
import numpy as np

from dsl.ir.build import Builder
from dsl.ir.function import Atom, Function, Tensor
from dsl.ops.elementwise import add
from dsl.types.dtype import F32
from lowering.stablehlo.module import lower
from lowering.xla.array import array
from lowering.xla.compile import compile

TYPE = Tensor(F32, (8,))
CALLS, ROUNDS = 200, 41


def summed(count: int) -> Function:
    """The sum of `count` parameters."""
    b = Builder()
    total: Atom = b.param(TYPE)
    for x in [b.param(TYPE) for _ in range(count - 1)]:
        total = add(b, total, x)
    return b.finish("summed", (total,))


def timed(call: Callable[[], Any], finish: Callable[[Any], Any]) -> float:
    """Microseconds per call over a burst of calls, the last of which is waited for."""
    start = time.perf_counter()
    for _ in range(CALLS):
        result = call()
    finish(result)
    return (time.perf_counter() - start) / CALLS * 1e6


def interleaved(ours: Callable[[], Any], theirs: Callable[[], Any]) -> tuple[float, float]:
    """Median microseconds of both, measured in turns so that the machine treats them alike."""
    pairs = [
        (timed(ours, lambda r: r[0].block_until_ready()), timed(theirs, lambda r: r.block_until_ready()))
        for _ in range(ROUNDS)
    ]
    mine, others = zip(*pairs[1:], strict=True)
    return statistics.median(mine), statistics.median(others)


def jax_sum(*xs: Any) -> Any:
    total = xs[0]
    for x in xs[1:]:
        total = total + x
    return total


def measure(count: int) -> list[tuple[str, float, float]]:
    executable, jitted = compile(lower(summed(count))), jax.jit(jax_sum)
    host = [np.arange(8, dtype=np.float32) + i for i in range(count)]
    here: Sequence[Any] = [array(x) for x in host]
    there = [jax.device_put(x) for x in host]
    return [
        ("device", *interleaved(lambda: executable(*here), lambda: jitted(*there))),
        ("NumPy", *interleaved(lambda: executable(*host), lambda: jitted(*host))),
    ]


def main() -> None:
    print(f"{'arguments':>9}  {'kind':<7} {'dsl us':>8} {'jax us':>8} {'ratio':>7}")
    for count in (1, 10, 50):
        for kind, ours, theirs in measure(count):
            print(f"{count:>9}  {kind:<7} {ours:>8.2f} {theirs:>8.2f} {ours / theirs:>7.2f}")


if __name__ == "__main__":
    main()
