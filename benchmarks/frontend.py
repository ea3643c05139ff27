"""How long it takes from source text to StableHLO beside JAX, by what users call, on texts that were never seen.

    python -m benchmarks.frontend [--ops 100 1000] [--repeat 5]

Ours is `dsl.program(text)` and `f.lower(x)`, with the caches as users have them, the disk cache in a new folder; JAX's
is `jax.jit(f).lower(x)` of the same maths as a Python function that it has not seen. Both are warm, nothing is
cleared, and every text differs from all others in every line. `regular` repeats seven operations, `irregular` draws
from twenty. `new sizes` lowers a program that is known for sizes that are not.

Each number is the least processor time of a few runs in one process, ours and JAX's in turns. What we do once nobody
waits for it (records for the next process) is its own column: it is not part of ours, but not free either.
"""

from __future__ import annotations

import argparse
import gc
import os
import random
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from msgspec import Struct

import dsl
from dsl.host.checking.deferred import deferred

SHAPE, OTHER = (8, 8), (12, 12)
REGULAR = (
    ("x{0} * x{1} + {c}", "x{0} * x{1} + {c}"),
    ("x{0} + x{1} * {c}", "x{0} + x{1} * {c}"),
    ("tanh(x{0} * {c})", "jnp.tanh(x{0} * {c})"),
    ("x{0} - {c} * x{1}", "x{0} - {c} * x{1}"),
    ("{c} * (x{0} @ x{1})", "{c} * (x{0} @ x{1})"),
    ("exp({c} * x{0})", "jnp.exp({c} * x{0})"),
    ("x{0} * {c}", "x{0} * {c}"),
)
IRREGULAR = (
    *REGULAR,
    ("where(x{0} > {c}, x{0}, x{1})", "jnp.where(x{0} > {c}, x{0}, x{1})"),
    ("x{0} - mean(x{1}, axis=1, keepdims=true) * {c}", "x{0} - jnp.mean(x{1}, axis=1, keepdims=True) * {c}"),
    ("x{0} + sum(x{1}, axis=0) * {c}", "x{0} + jnp.sum(x{1}, axis=0) * {c}"),
    ("maximum(x{0}, {c} * x{1})", "jnp.maximum(x{0}, {c} * x{1})"),
    ("transpose(x{0}) * {c}", "jnp.transpose(x{0}) * {c}"),
    ("sqrt(abs(x{0}) + {c})", "jnp.sqrt(jnp.abs(x{0}) + {c})"),
    ("x{0} / ({c} + abs(x{1}))", "x{0} / ({c} + jnp.abs(x{1}))"),
    ("cumsum(x{0}, axis=0) * {c}", "jnp.cumsum(x{0}, axis=0) * {c}"),
    ("roll(x{0}, 1, axis=1) + {c}", "jnp.roll(x{0}, 1, axis=1) + {c}"),
    ("flip(x{0}, axis=0) - {c}", "jnp.flip(x{0}, axis=0) - {c}"),
    ("nn.softmax(x{0}, axis=1) * {c}", "jax.nn.softmax(x{0}, axis=1) * {c}"),
    ("clip(x{0}, -{c}, {c})", "jnp.clip(x{0}, -{c}, {c})"),
    ("x{0} + x{1}[0, :] * {c}", "x{0} + x{1}[0, :] * {c}"),
)


class Pair(Struct, frozen=True):
    """The same maths as a text of ours and as one of Python."""

    ours: str
    theirs: str


def pairs(count: int, irregular: bool, seed: int) -> Iterator[Pair]:
    """Programs of so many operations, no two of which share a line."""
    chance = random.Random(seed)
    while True:
        lines = [_line(k, irregular, chance) for k in range(count)]
        mine = [f"    let x{k + 1} = {one}" for k, (one, _) in enumerate(lines)]
        other = [f"    x{k + 1} = {one}" for k, (_, one) in enumerate(lines)]
        yield Pair(
            "\n".join(["import nn", "def f(x0: f32[n, n]) -> f32[n, n] where n >= 1 =", *mine, f"    x{count}"]) + "\n",
            "\n".join(["def f(x0):", *other, f"    return x{count}"]),
        )


def _line(k: int, irregular: bool, chance: random.Random) -> tuple[str, str]:
    forms = chance.choice(IRREGULAR) if irregular else REGULAR[k % len(REGULAR)]
    before = chance.randint(max(0, k - 8), k)
    value = f"{chance.uniform(0.1, 0.9):.9f}"
    return forms[0].format(k, before, c=value), forms[1].format(k, before, c=value)


def compiled(pair: Pair) -> Callable[[Any], Any]:
    """The function that a Python text defines; Python's own parser is not counted."""
    names: dict[str, Any] = {"jnp": jnp, "jax": jax}
    exec(pair.theirs, names)
    function: Callable[[Any], Any] = names["f"]
    return function


def seconds(run: Callable[[], Any]) -> float:
    gc.collect()
    start = time.process_time()
    run()
    return time.process_time() - start


class Times(Struct, frozen=True):
    """Seconds of each; `ours` is check and lower together, `later` what is done when nobody waits."""

    check: float
    lower: float
    ours: float
    later: float
    jax: float
    resized: float
    jax_resized: float


def once(pair: Pair) -> Times:
    """Each step once, for a pair that is new to both."""
    x, y = np.ones(SHAPE, np.float32), np.ones(OTHER, np.float32)
    function, programs = jax.jit(compiled(pair)), list[dsl.Program]()
    check = seconds(lambda: programs.append(dsl.program(pair.ours)))
    lower = seconds(lambda: programs[0].f.lower(x))
    theirs = seconds(lambda: function.lower(x))
    later = seconds(deferred().finish)
    resized, jax_resized = seconds(lambda: programs[0].f.lower(y)), seconds(lambda: function.lower(y))
    return Times(check, lower, check + lower, later, theirs, resized, jax_resized)


def measured(count: int, irregular: bool, repeat: int) -> Times:
    """The least of each of some runs, behind one that warms both."""
    made = pairs(count, irregular, seed=count)
    _, *runs = [once(next(made)) for _ in range(repeat + 1)]
    return Times(*[min(getattr(run, name) for run in runs) for name in Times.__struct_fields__])


def row(cells: Sequence[str]) -> str:
    return "".join(f"{cell:>11}" for cell in cells)


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    arguments.add_argument("--ops", type=int, nargs="+", default=[100, 1000])
    arguments.add_argument("--repeat", type=int, default=5)
    options = arguments.parse_args()
    print("milliseconds of processor time")
    print(row(["ops", "texts", "program", "lower", "ours", "jax", "ratio", "new sizes", "jax", "ratio", "records"]))
    for count in options.ops:
        for irregular in (False, True):
            t = measured(count, irregular, options.repeat)
            numbers = (
                t.check,
                t.lower,
                t.ours,
                t.jax,
                t.ours / t.jax,
                t.resized,
                t.jax_resized,
                t.resized / t.jax_resized,
            )
            scaled = [f"{v:.2f}" if k in (4, 7) else f"{v * 1e3:.1f}" for k, v in enumerate(numbers)]
            print(row([str(count), "irregular" if irregular else "regular", *scaled, f"{t.later * 1e3:.1f}"]))


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o700)
        os.environ["DSL_CACHE_DIR"] = folder
        main()
