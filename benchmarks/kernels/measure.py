"""One side of the comparison, in a process of its own: what it costs to compile kernels and to run them.

    python -m benchmarks.kernels.measure SIDE SIZE CLOCK FOLDER NAME …

prints a line of JSON for each kernel, and keeps its results in FOLDER. `check` and `compile` are seconds of the
processor, of all threads; `compile` is the first call from arguments that are on the device, less a run, in a process
that has compiled before. `run` is the time of a call, in seconds by CLOCK; `memory` is what a call takes at once, in
bytes, arguments and results with it. `flops` are the operations that `dsl.cost` counts, as ones with f64, `bytes` those
of arguments and results: of our side only. Read next: `__main__`, which starts such processes in turns.
"""

from __future__ import annotations

import gc
import json
import statistics
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from types import MappingProxyType, ModuleType
from typing import Any

import jax
import numpy as np

import dsl
from benchmarks.kernels import adbench, dense, learning, models, signals, solvers, stencils, tables
from benchmarks.kernels.rival import JAX, NUMPY, Kernel, Static
from dsl.host.measures.costs import cost_of_call
from lowering.xla.adapter import memory_parts

FAMILIES: tuple[ModuleType, ...] = (dense, stencils, tables, learning, models, signals, solvers, adbench)
PATHS: Mapping[str, Path] = MappingProxyType(
    {kernel.name: kernel.path or Path(str(family.__file__)).with_suffix(".dsl")
     for family in FAMILIES for kernel in family.KERNELS}
)  # fmt: skip
SIDES = ("puredsl", "jax", "numpy")
SECONDS, CALLS = 0.3, 200
CLOCKS: Mapping[str, tuple[Callable[[], float], Callable[[Sequence[float]], float]]] = MappingProxyType(
    {"wall": (time.perf_counter, min), "processor": (time.process_time, statistics.median)}
)
"""What tells the time, and what counts of several times: others slow a call down, but a host may also count too little
of the processor."""


@dataclass(frozen=True, slots=True)
class Measurement:
    kernel: str
    side: str
    check: float
    compile: float
    run: float
    memory: int
    flops: int = 0
    bytes: int = 0


def kernels() -> Iterator[Kernel]:
    for family in FAMILIES:
        yield from family.KERNELS


def arguments(kernel: Kernel, size: str) -> tuple[Sequence[Any], Mapping[str, int]]:
    """What is traced and what is static; the same in every process."""
    *args, last = kernel.arguments(np.random.default_rng(0), *getattr(kernel, size))
    return (args, last) if isinstance(last, Static) else ([*args, last], {})


def has_side(kernel: Kernel, side: str) -> bool:
    return side != "numpy" or kernel.plain is not None


def prepared(kernel: Kernel, side: str) -> tuple[Callable[..., Any], Callable[[Any], Any], float]:
    """The function, how a leaf of its arguments gets to where it runs, and the cost of the check."""
    if side == "jax":
        return partial(kernel.theirs, JAX), jax.device_put, 0.0
    if side == "numpy":
        plain = kernel.theirs if kernel.plain == "same" else kernel.plain
        assert plain is not None
        return partial(plain, NUMPY), np.asarray, 0.0
    start = time.process_time()
    program = dsl.load(PATHS[kernel.name])
    check = time.process_time() - start
    return kernel.ours(program) if kernel.ours else getattr(program, kernel.name), dsl.array, check


def placed(tree: Any, place: Callable[[Any], Any]) -> Any:
    match tree:
        case dict():
            return {name: placed(part, place) for name, part in tree.items()}
        case tuple():
            return tuple(placed(part, place) for part in tree)
        case _:
            return place(np.asarray(tree))


def call(f: Callable[..., Any], args: Sequence[Any], static: Mapping[str, int], side: str) -> Callable[[], Any]:
    """A call that waits for its results."""
    if side == "numpy":
        return partial(f, *args, **static)
    compiled = jax.jit(partial(f, **static)) if side == "jax" else partial(f, **static)

    def wait() -> Any:
        results = compiled(*args)
        for leaf in jax.tree.leaves(results):
            leaf.block_until_ready()
        return results

    return wait


def memory(f: Any, args: Sequence[Any], static: Mapping[str, int], side: str) -> int:
    """The bytes that a call takes at once, as XLA says; 0 for NumPy, of which nobody knows."""
    match side:
        case "jax":
            executable = jax.jit(partial(f, **static)).lower(*args).compile().runtime_executable()
            return memory_parts(executable)[0]
        case "numpy":
            return 0
        case _:
            return int(f.memory(*args, **static).peak)


def seconds_of(act: Callable[[], Any], clock: str, seconds: float) -> float:
    """Those of one of several calls, which take so many in all."""
    now, chosen = CLOCKS[clock]
    times: list[float] = []
    while len(times) < 3 or (sum(times) < seconds and len(times) < CALLS):
        start = now()
        act()
        times.append(now() - start)
    return chosen(times)


def measured(
    kernel: Kernel, side: str, size: str, folder: Path, clock: str = "wall", seconds: float = 0.0
) -> Measurement:
    with jax.enable_x64(True):
        f, place, check = prepared(kernel, side)
        args, static = arguments(kernel, size)
        args = [placed(arg, place) for arg in args]
        act = call(f, args, static, side)
        gc.collect()  # what the kernels before have left is none of this one's
        start = time.process_time()
        results = act()
        first = time.process_time()
        act()
        compile = max(0.0, first - start - (time.process_time() - first))
        np.savez(folder / f"{kernel.name}-{side}.npz", *map(np.asarray, jax.tree.leaves(results)))
        taken = memory(f, args, static, side)
        run = seconds_of(act, clock, seconds)
        compile = 0.0 if side == "numpy" else compile
        work = least_work(f, args, static, results) if side == "puredsl" else (0, 0)
        return Measurement(kernel.name, side, check, compile, run, taken, *work)


def least_work(f: Any, args: Sequence[Any], static: Mapping[str, int], results: Any) -> tuple[int, int]:
    """The operations of a call as ones with f64, which take as long as two with less; the bytes of its arguments and
    results."""
    leaves = [np.asarray(leaf) for leaf in jax.tree.leaves((args, results))]
    is_wide = any(leaf.dtype in (np.float64, np.complex128) for leaf in leaves)
    flops = cost_of_call(f, args, static).flops
    return flops if is_wide else flops // 2, sum(leaf.nbytes for leaf in leaves)


def main(side: str, size: str, clock: str, folder: str, *names: str) -> None:
    measured(next(kernels()), side, "tiny", Path(folder))  # what a process does once is no kernel's
    for kernel in kernels():
        if kernel.name in names and has_side(kernel, side):
            print(json.dumps(asdict(measured(kernel, side, size, Path(folder), clock, SECONDS))), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
