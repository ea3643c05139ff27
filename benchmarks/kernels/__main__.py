"""Kernels beside JAX and NumPy: whether they agree, what they cost to compile, how fast they run.

    python -m benchmarks.kernels [--only NAME …] [--size small|tiny] [--processes 5] [--tie 1.1] [--clock processor]

Processes of the three sides run in turns, and the least of each number counts; `±` is how far the processes were
apart. A ratio below 1 means that ours is smaller; within `--tie` of 1 it is called a tie (on a machine that does other
work, 1.5). There, `--clock processor` tells more: runs on one thread, in seconds of the processor. Results that do not
agree end the run. Everything measured is written to `benchmarks/results/kernels-SIZE.json`, beside what is there of
other kernels. `bound` is what one core takes at least, from its pace in this run (`roofline`), which is drawn in
`benchmarks/results/roofline-SIZE.png` where all kernels run. Read next: `measure`, and the families of kernels.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import msgspec
import numpy as np

from benchmarks.kernels.measure import CLOCKS, SIDES, Measurement, has_side, kernels
from benchmarks.kernels.rival import Kernel
from benchmarks.kernels.roofline import Machine, Point, draw

RESULTS = Path(__file__).resolve().parents[1] / "results"


@dataclass(frozen=True, slots=True)
class Row:
    """Seconds by side, ours first, of runs by `clock`; None where NumPy has no such kernel. `memory` is in bytes, ours
    and that of JAX. `spread` is the largest of the ratios between the slowest process and the fastest. `flops`
    and `bytes` are the least that the kernel does; it takes one core no less than `bound` seconds."""

    kernel: str
    clock: str
    check: float
    compile: tuple[float, float]
    run: tuple[float, float, float | None]
    memory: tuple[int, int]
    spread: float
    flops: int = 0
    bytes: int = 0
    bound: float = 0.0

    @property
    def compile_ratio(self) -> float:
        return self.compile[0] / max(self.compile[1], 1e-3)

    @property
    def run_ratio(self) -> float:
        return self.run[0] / self.run[1]

    @property
    def memory_ratio(self) -> float:
        return self.memory[0] / max(self.memory[1], 1)

    @property
    def numpy_ratio(self) -> float | None:
        return None if self.run[2] is None else self.run[0] / self.run[2]


def measurements(names: Sequence[str], options: argparse.Namespace, folder: Path) -> Iterator[Measurement]:
    environment = os.environ | {"DSL_CACHE": "off", "JAX_PLATFORMS": "cpu"}
    if options.clock == "processor":
        environment |= dict.fromkeys(("NPROC", "OPENBLAS_NUM_THREADS"), "1")
    for _ in range(options.processes):
        for side in SIDES:
            command = [sys.executable, "-m", "benchmarks.kernels.measure", side, options.size, options.clock]
            command += [str(folder), *names]
            text = subprocess.run(command, check=True, capture_output=True, text=True, env=environment).stdout
            for line in text.splitlines():
                yield Measurement(**json.loads(line))


def machine_alone() -> Machine:
    """What one core does, as a process of its own finds that computes in one thread."""
    environment = os.environ | {"OPENBLAS_NUM_THREADS": "1"}
    command = [sys.executable, "-m", "benchmarks.kernels.roofline"]
    text = subprocess.run(command, check=True, capture_output=True, text=True, env=environment).stdout
    return msgspec.json.decode(text, type=Machine)


def agree(kernel: Kernel, folder: Path) -> None:
    """Raises where two sides differ."""
    sides = [dict(np.load(folder / f"{kernel.name}-{side}.npz")) for side in SIDES if has_side(kernel, side)]
    for other in sides[1:]:
        assert sides[0].keys() == other.keys(), kernel.name
        for name, leaf in sides[0].items():
            near = kernel.tolerance
            np.testing.assert_allclose(leaf, other[name], rtol=near, atol=near, err_msg=kernel.name)


def row(name: str, found: Sequence[Measurement], clock: str, machine: Machine) -> Row:
    ours, theirs, plain = ([m for m in found if m.kernel == name and m.side == side] for side in SIDES)
    runs = [[m.run for m in side] for side in (ours, theirs, plain)]
    least = [min(times, default=None) for times in runs]
    assert least[0] is not None and least[1] is not None
    compile = min(m.compile for m in ours), min(m.compile for m in theirs)
    spread = max(max(times) / min(times) for times in runs if times)
    memory = ours[0].memory, theirs[0].memory
    run = least[0], least[1], least[2]
    work = ours[0].flops, ours[0].bytes
    return Row(name, clock, min(m.check for m in ours), compile, run, memory, spread, *work, machine.bound(*work))


def verdict(row: Row, tie: float) -> str:
    if 1 / tie <= row.run_ratio <= tie:
        return "tie"
    return "faster" if row.run_ratio < 1 else "slower"


def milliseconds(seconds: float | None) -> str:
    return "" if seconds is None else f"{seconds * 1e3:.3f}"


def table(rows: Sequence[Row], tie: float) -> Iterator[str]:
    yield (f"{'kernel':28}{'run ms':>10}{'JAX':>10}{'NumPy':>10}{'/JAX':>7}{'/NumPy':>8}{'±':>6}"
           f"{'bound':>10}{'/bound':>9}"
           f"{'compile s':>11}{'JAX':>7}{'/JAX':>7}{'memory kB':>11}{'JAX':>9}{'/JAX':>7}")  # fmt: skip
    for r in rows:
        plain = "" if r.numpy_ratio is None else f"{r.numpy_ratio:.2f}"
        times = "".join(f"{milliseconds(seconds):>10}" for seconds in r.run)
        costs = "".join(f"{seconds:{width}.2f}" for seconds, width in zip(r.compile, (11, 7), strict=True))
        limit = f"{milliseconds(r.bound):>10}{r.run[0] / max(r.bound, 1e-9):9.1f}"
        taken = "".join(f"{bytes / 1e3:{width}.1f}" for bytes, width in zip(r.memory, (11, 9), strict=True))
        yield (f"{r.kernel:28}{times}{r.run_ratio:7.2f}{plain:>8}{r.spread:6.1f}{limit}{costs}{r.compile_ratio:7.2f}"
               f"{taken}{r.memory_ratio:7.2f}  {verdict(r, tie)}")  # fmt: skip
    ratios = [[getattr(r, f"{name}_ratio") for r in rows] for name in ("run", "compile", "memory")]
    run, compile, memory = map(statistics.geometric_mean, ratios)
    yield f"geometric means: run {run:.2f}, compile {compile:.2f}, memory {memory:.2f} of JAX; {len(rows)} kernels"


def names(only: Iterable[str]) -> list[str]:
    """The kernels whose names hold one of these words; all if there is none."""
    words = list(only)
    return [k.name for k in kernels() if not words or any(word in k.name for word in words)]


def written(rows: Iterable[Row], before: str) -> str:
    """The text of the results, with those of other kernels in the text before."""
    known = {each["kernel"]: each for each in json.loads(before)} | {r.kernel: asdict(r) for r in rows}
    return json.dumps([known[k.name] for k in kernels() if k.name in known], indent=1) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="*", default=[])
    parser.add_argument("--size", choices=("tiny", "small"), default="small")
    parser.add_argument("--processes", type=int, default=5)
    parser.add_argument("--tie", type=float, default=1.1)
    parser.add_argument("--clock", choices=tuple(CLOCKS), default="wall")
    options = parser.parse_args()
    chosen = names(options.only)
    with tempfile.TemporaryDirectory() as folder:
        found = list(measurements(chosen, options, Path(folder)))
        for kernel in kernels():
            if kernel.name in chosen:
                agree(kernel, Path(folder))
    machine = machine_alone()
    rows = [row(name, found, options.clock, machine) for name in chosen]
    print("\n".join(table(rows, options.tie)))
    if not options.only:
        points = [Point(r.kernel, r.flops, r.bytes, r.run[0]) for r in rows]
        draw(machine, points, RESULTS / f"roofline-{options.size}.png")
    path = RESULTS / f"kernels-{options.size}.json"
    path.write_text(written(rows, path.read_text(encoding="utf-8") if path.exists() else "[]"), encoding="utf-8")


if __name__ == "__main__":
    main()
