"""Every function of the library, control construct and transformation beside JAX, at two sizes that differ by 16.

    python -m benchmarks.asymptotics [--only NAME …] [--write]

Seconds of the processor on one thread, in turns, the least of each; memory is what XLA says that a call takes at once
beside its arguments and results. Nothing should take above 1.5 of what JAX takes, or grow faster. Rows that do are
listed at the end, the worst first. A function that JAX has not is beside its own growth alone. With `--write` all is
kept in `benchmarks/results/asymptotics.json`. Read next: `rows`.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import jax
import msgspec
import numpy as np

import dsl
from benchmarks.asymptotics.rows import SMALL, Row, rows
from lowering.xla.adapter import memory_parts

RESULTS = Path(__file__).resolve().parents[1] / "results" / "asymptotics.json"
FACTOR, LIMIT = 16, 1.5
TOO_SHORT, TOO_SMALL = 12e-6, 1 << 16
"""Seconds and bytes below which a difference is that of a call, not of what it computes."""
CALLS, SECONDS = 60, 0.05

Pair = tuple[float, float | None]


class Found(msgspec.Struct, frozen=True):
    """Seconds and bytes at the small and the large size, ours first; None where JAX has no such function."""

    name: str
    times: tuple[Pair, Pair]
    memory: tuple[Pair, Pair]

    @property
    def ratio(self) -> float | None:
        """How much longer ours takes at the large size, beside what a call costs."""
        return _ratio(self.times[1], TOO_SHORT)

    @property
    def memory_ratio(self) -> float | None:
        return _ratio(self.memory[1], TOO_SMALL)

    @property
    def growth(self) -> Pair:
        (small, theirs), (large, other) = self.times
        return large / small, None if theirs is None or other is None else other / theirs

    @property
    def badness(self) -> float:
        """The worst of its ratios; growth counts where the large size shows it."""
        return max(self.ratio or 0.0, self.memory_ratio or 0.0)

    @property
    def is_alone_and_steep(self) -> bool:
        """Whether a function without counterpart grows faster than a product of matrices."""
        return self.ratio is None and self.growth[0] > FACTOR**1.5 * LIMIT


def _ratio(pair: Pair, least: float) -> float | None:
    ours, theirs = pair
    return None if theirs is None else (ours + least) / (theirs + least)


def _once(call: Callable[[], Any]) -> float:
    start = time.process_time()
    jax.tree.map(_waited, call())
    return time.process_time() - start


def _waited(leaf: Any) -> Any:
    return leaf.block_until_ready() if hasattr(leaf, "block_until_ready") else leaf


def _timed(calls: Sequence[Callable[[], Any]]) -> list[float]:
    """The least of the calls of each, in turns; fewer of those that take long."""
    slowest = max(min(_once(call) for _ in range(2)) for call in calls)
    count = max(3, min(CALLS, int(SECONDS / max(slowest, 1e-6))))
    return [min(times) for times in zip(*[[_once(call) for call in calls] for _ in range(count)], strict=True)]


def _rival(row: Row, given: Sequence[Any], ours: Any) -> tuple[Callable[[], Any], float] | None:
    """The call of JAX and its bytes; None where it has no function that gives as many elements."""
    if row.theirs is None:
        return None
    try:
        put = [jax.device_put(x) for x in given]
        jitted = jax.jit(row.theirs)
        compiled = jitted.lower(*put).compile()
        sizes = [sum(np.size(x) for x in jax.tree.leaves(result)) for result in (jitted(*put), ours)]
    except Exception as error:
        print(f"{row.name}: JAX {type(error).__name__}", file=sys.stderr)
        return None
    if sizes[0] != sizes[1]:
        print(f"{row.name}: JAX gives {sizes[0]} elements, and ours {sizes[1]}", file=sys.stderr)
        return None
    return lambda: jitted(*put), memory_parts(compiled.runtime_executable())[3]


def _at(row: Row, n: int) -> tuple[Pair, Pair]:
    function = dsl.program(row.text).f
    given = row.arguments(n)
    here = [dsl.array(x) for x in given]
    memory = float(memory_parts(function.compile(*here).raw)[3])
    theirs = _rival(row, given, jax.tree.map(np.asarray, function(*here)))
    if theirs is None:
        return (_timed([lambda: function(*here)])[0], None), (memory, None)
    mine, other = _timed([lambda: function(*here), theirs[0]])
    return (mine, other), (memory, theirs[1])


def measured(row: Row) -> Found:
    small, large = _at(row, SMALL), _at(row, FACTOR * SMALL)
    return Found(row.name, (small[0], large[0]), (small[1], large[1]))


def table(found: Sequence[Found]) -> Iterator[str]:
    heads = ("n us", 10), ("JAX", 10), ("16 n us", 11), ("JAX", 11), ("/JAX", 7), ("grows", 7), ("JAX", 7), ("kB", 9)
    yield f"{'row':42}" + "".join(f"{head:>{width}}" for head, width in (*heads, ("JAX", 9)))
    for f in found:
        times = "".join(f"{_text(t, 1e6)[:10]:>{w}}" for pair, w in zip(f.times, (10, 11), strict=True) for t in pair)
        ratio = "" if f.ratio is None else f"{f.ratio:.2f}"
        growth = "".join(f"{_text(g, 1):>7}" for g in f.growth)
        yield f"{f.name:42}{times}{ratio:>7}{growth}" + "".join(f"{_text(b, 1e-3):>9}" for b in f.memory[1])


def _text(value: float | None, factor: float) -> str:
    return "" if value is None else f"{value * factor:.1f}"


def summary(found: Sequence[Found]) -> Iterator[str]:
    beside = [f for f in found if f.ratio is not None]
    wrong = sorted((f for f in found if f.badness > LIMIT or f.is_alone_and_steep), key=lambda f: -f.badness)
    yield f"\n{len(found)} rows, {len(beside)} beside JAX; {len(wrong)} above {LIMIT} or steeper:"
    yield from table(wrong)


def alone() -> None:
    """Runs again in a process that uses one thread."""
    if os.environ.get("NPROC") != "1":
        environment = os.environ | {
            "NPROC": "1",
            "DSL_CACHE": "off",
            "JAX_PLATFORMS": "cpu",
            "OPENBLAS_NUM_THREADS": "1",
        }
        sys.exit(
            subprocess.run([sys.executable, "-m", "benchmarks.asymptotics", *sys.argv[1:]], env=environment).returncode
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="*", default=[])
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    alone()
    found: list[Found] = []
    for row in rows():
        if options.only and not any(word in row.name for word in options.only):
            continue
        try:
            found.append(measured(row))
            if options.write:
                RESULTS.write_text(_written(found[-1:]), encoding="utf-8")
        except dsl.DslError as error:
            print(f"{row.name}: {str(error).splitlines()[0]}", file=sys.stderr)
    print("\n".join([*table(found), *summary(found)]))


def _written(found: Sequence[Found]) -> str:
    """The text of the results, with those of other rows that are on record."""
    before = json.loads(RESULTS.read_text(encoding="utf-8"))["rows"] if RESULTS.exists() else []
    known = {each["name"]: each for each in [*before, *msgspec.to_builtins(found)]}
    machine = f"{platform.machine()}, one thread of {os.cpu_count()}"
    kept = {"date": time.strftime("%Y-%m-%d"), "machine": machine, "jax": jax.__version__, "rows": [*known.values()]}
    return json.dumps(kept, indent=None).replace('{"name"', '\n{"name"') + "\n"


if __name__ == "__main__":
    main()
