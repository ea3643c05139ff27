"""Gradients through solvers beside Diffrax, Lineax, jraph and JAX.

    python -m benchmarks.equations [ROUNDS]

Each side runs in processes of its own, which take turns; of all calls the least time counts, by the wall and by the
processor, in milliseconds. The ratios are of these, and `differ` is how far the results are apart, relative to the
largest. The last line compares four steps of a loop under two limits.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import jax
import numpy as np

from benchmarks.equations.cases import DOUBLE, SINGLE, Call

SECONDS, CALLS = 0.3, 40
Times = Mapping[str, tuple[float, float]]


def _leaves(value: Any) -> list[Any]:
    return [np.asarray(leaf) for leaf in jax.tree.leaves(value)]


def least(call: Call) -> tuple[float, float]:
    """Return the least times of a call by the wall and by the processor, in milliseconds."""
    call_done(call)
    wall: list[float] = []
    processor: list[float] = []
    end = time.perf_counter() + SECONDS
    while len(wall) < CALLS and time.perf_counter() < end:
        starts = time.perf_counter(), time.process_time()
        call_done(call)
        wall.append(1e3 * (time.perf_counter() - starts[0]))
        processor.append(1e3 * (time.process_time() - starts[1]))
    return min(wall), min(processor)


def call_done(call: Call) -> None:
    """Call, and take the results as arrays of NumPy."""
    _leaves(call())


def side(here: bool, folder: Path) -> None:
    """Measure all cases of a side, print the times as JSON, and keep the results in a folder."""
    found: dict[str, tuple[float, float]] = {}
    for families, double in ((SINGLE, False), (DOUBLE, True)):
        jax.config.update("jax_enable_x64", double)
        for family in families:
            for name, call in family(here):
                np.savez(folder / f"{len(found)}-{here}.npz", *_leaves(call()))
                found[name] = least(call)
    print(json.dumps(found))


def _measured(here: bool, folder: str) -> Times:
    command = [sys.executable, "-m", "benchmarks.equations", "--side", "here" if here else "there", folder]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    return dict(json.loads(done.stdout.splitlines()[-1]))


def _apart(folder: Path, number: int) -> float:
    ours, theirs = (np.load(folder / f"{number}-{here}.npz") for here in (True, False))
    pairs = [(ours[name], theirs[name]) for name in ours.files]
    return max(float(np.abs(x.reshape(y.shape) - y).max() / (np.abs(y).max() + 1e-30)) for x, y in pairs)


def _best(rounds: list[Times], clock: int) -> dict[str, float]:
    return {name: min(times[name][clock] for times in rounds) for name in rounds[0]}


def main(rounds: int = 3) -> None:
    """Print a row for each case."""
    with tempfile.TemporaryDirectory() as folder:
        both: dict[bool, list[Times]] = {True: [], False: []}
        for _ in range(rounds):
            for here in (True, False):
                both[here].append(_measured(here, folder))
        wall, processor = ({here: _best(both[here], clock) for here in both} for clock in (0, 1))
        print(
            f"{'':38} {'wall':>9} {'theirs':>9} {'ratio':>6} {'processor':>10} {'theirs':>9} {'ratio':>6} {'differ':>8}"
        )
        for number, name in enumerate(wall[True]):
            a, b, c, d = (times[here][name] for times in (wall, processor) for here in (True, False))
            apart = _apart(Path(folder), number)
            print(f"{name:38} {a:9.3f} {b:9.3f} {a / b:6.2f} {c:10.3f} {d:9.3f} {c / d:6.2f} {apart:8.0e}")
        few, many = (processor[True][f"four steps of a loop, limit {limit}"] for limit in ("32", "2,048"))
        print(f"four steps under the limit 2,048 take {many / few:.2f} of the time that they take under 32")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--side"]:
        side(sys.argv[2] == "here", Path(sys.argv[3]))
    else:
        main(*map(int, sys.argv[1:]))
