"""Gradients of chains of operations, from their text to the first result, beside JAX, in seconds of the processor.

    python -m benchmarks.chains [COUNT …]

The lines of a chain of COUNT operations repeat themselves (`benchmarks.gradients.chain`). Each side runs in a process
of its own, after a small program, without a cache. That of JAX ends after `PATIENCE` times our seconds: JAX takes
longer than linear time, and has no result for 5,000 operations after minutes.
"""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

import jax

import dsl
from benchmarks.gradients import Case, chain

COUNTS = (100, 1000, 5000)
PATIENCE = 20


def ours(case: Case) -> Any:
    """The gradient of a checked program."""
    return dsl.grad(dsl.program(case.text).f)(*case.args)


def theirs(case: Case) -> Any:
    """The gradient of a function of Python, which is traced."""
    return jax.jit(jax.grad(case.theirs))(*case.args)


SIDES: Mapping[str, Callable[[Case], Any]] = MappingProxyType({"ours": ours, "theirs": theirs})


def measure(side: str, count: int, limit: int) -> None:
    """Print the seconds of one side; the process ends if they are more than a limit."""
    SIDES[side](chain(12)).block_until_ready()
    case, start = chain(count), time.process_time()
    resource.setrlimit(resource.RLIMIT_CPU, (int(start) + limit, resource.RLIM_INFINITY))
    SIDES[side](case).block_until_ready()
    print(time.process_time() - start)


def seconds(side: str, count: int, limit: int) -> float | None:
    """Seconds of one side in a process of its own; None if it takes more than a limit."""
    command = [sys.executable, "-m", "benchmarks.chains", side, str(count), str(limit)]
    done = subprocess.run(command, env={**os.environ, "DSL_CACHE": "off"}, capture_output=True, text=True, check=False)
    if done.returncode not in (0, -signal.SIGXCPU):
        raise RuntimeError(done.stderr)
    return float(done.stdout) if done.returncode == 0 else None


def row(count: int) -> str:
    mine = seconds("ours", count, 600)
    assert mine is not None
    limit = max(2, round(PATIENCE * mine))
    other = seconds("theirs", count, limit)
    shown = (f"> {limit}", f"< {mine / limit:.2f}") if other is None else (f"{other:.2f}", f"{mine / other:.2f}")
    return f"{count:>10}{mine:>10.2f}{shown[0]:>10}{shown[1]:>10}"


def main() -> None:
    match sys.argv[1:]:
        case [side, count, limit] if side in SIDES:
            measure(side, int(count), int(limit))
        case words:
            print(f"{'operations':>10}{'dsl s':>10}{'jax s':>10}{'ratio':>10}")
            for operations in [*map(int, words)] or COUNTS:
                print(row(operations), flush=True)


if __name__ == "__main__":
    main()
