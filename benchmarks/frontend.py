"""How long it takes from source text to StableHLO, for straight-line programs of growing length, beside JAX.

    python benchmarks/frontend.py [--ops 10 100 1000 5000] [--repeat 5]

Ours is parse + check + stage + lower of program text; JAX's is `jax.jit(f).trace(x).lower()` of the same maths as
a Python function. Each is the least CPU time of a few runs in this process, which has checked a program and traced a
function before; no text is checked twice. The goal is JAX's time.

Staging and lowering together are a fifth of JAX's time. Reading and checking the text are not: JAX has no such step,
since Python has parsed the function before. They cost some 0.04 and 0.06 milliseconds a line, happen once for a program
and all its sizes and derivatives, and make the total 0.7 times JAX's for texts of a hundred lines and 0.8 to 1.0 times
for straight-line texts of a thousand that are lowered once. From the second specialisation on only `stage` and `lower`
are paid.
"""

from __future__ import annotations

import argparse
import gc
import itertools
import time
from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from dsl.core import core
from dsl.diagnostics.source import Source
from dsl.ir.function import Tensor
from dsl.staging.stage import session, stage
from dsl.staging.values import DefValue, Slot
from dsl.syntax.parse import parse
from dsl.transforms.pipeline import LOWERING, run
from dsl.types.dtype import F32
from lowering.stablehlo.module import lower
from typechecker import CheckCache, check_source

SHAPE = (8, 8)
LINES = ("x{0} * x{1}", "x{0} + x{1}", "tanh(x{0})", "x{0} - x{1}", "x{0} @ x{1}", "exp(x{0})", "x{0} * 0.5")


def operations(count: int) -> list[str]:
    """One operation a line, on the last value and one a few lines before."""
    return [LINES[k % len(LINES)].format(k, max(k - 3, 0)) for k in range(count)]


def our_text(count: int) -> str:
    lines = [f"    let x{k + 1} = {line}" for k, line in enumerate(operations(count))]
    return "\n".join(["def f(x0: f32[n, n]) -> f32[n, n] =", *lines, f"    x{count}"]) + "\n"


def their_function(count: int) -> Callable[[Any], Any]:
    lines = [f"    x{k + 1} = {line}" for k, line in enumerate(operations(count))]
    text = "\n".join(["def f(x0):", *lines, f"    return x{count}"])
    names: dict[str, Any] = {"tanh": jnp.tanh, "exp": jnp.exp}
    exec(text, names)
    function: Callable[[Any], Any] = names["f"]
    return function


def timed(run: Callable[[], Any], repeat: int) -> float:
    """The shortest of `repeat` runs, in milliseconds."""
    best = float("inf")
    for _ in range(repeat):
        gc.collect()
        start = time.process_time()
        run()
        best = min(best, time.process_time() - start)
    return best * 1e3


def ours(count: int, repeat: int) -> dict[str, float]:
    numbers, cache, source = itertools.count(), CheckCache(), Source("benchmark.dsl", our_text(count))

    def check() -> core.Program:
        """A text that was not seen before, in a process that knows the library."""
        new = Source(source.name, f"{source.text}# {next(numbers)}\n")
        program = check_source(new, cache=cache).program
        assert program is not None
        return program

    checked = check()
    definition = checked.modules[checked.main].functions["f"]
    argument = Slot(Tensor(F32, SHAPE))

    def staged() -> Any:
        return stage(session(checked), DefValue(definition), (argument,), definition.span).function

    function = staged()
    times = {"parse": timed(lambda: parse(source), repeat)}
    times["check"] = timed(check, repeat) - times["parse"]
    times["stage"] = timed(staged, repeat)
    times["text"] = timed(lambda: lower(function), repeat)
    times["lower"] = timed(lambda: lower(run(function, LOWERING)), repeat)
    return times


def theirs(count: int, repeat: int) -> float:
    x = np.zeros(SHAPE, np.float32)

    def run() -> Any:
        jax.clear_caches()
        return jax.jit(their_function(count)).trace(x).lower()

    return timed(run, repeat)


def row(cells: Sequence[str]) -> str:
    return "".join(f"{cell:>10}" for cell in cells)


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    arguments.add_argument("--ops", type=int, nargs="+", default=[10, 100, 1000, 5000])
    arguments.add_argument("--repeat", type=int, default=5)
    options = arguments.parse_args()
    print("milliseconds of CPU; text: writing StableHLO alone; lower: with the passes before it")
    print(row(["ops", "parse", "check", "stage", "text", "lower", "ours", "jax", "ratio"]))
    for count in options.ops:
        found = ours(count, options.repeat)
        total = found["parse"] + found["check"] + found["stage"] + found["lower"]
        other = theirs(count, options.repeat)
        print(
            row(
                [
                    str(count),
                    *(f"{v:.2f}" for v in found.values()),
                    f"{total:.2f}",
                    f"{other:.2f}",
                    f"{total / other:.2f}",
                ]
            )
        )


if __name__ == "__main__":
    main()
