"""Functions that users call by themselves, beside NumPy and SciPy: on one core, in processor time.

    python -m benchmarks.plain [--only NAME …] [--dtypes f32 f64] [--tie 1.1]

A row is a function of one size; the two sides run in turns in one process, and the median of each counts. `/NumPy` is
ours over that of NumPy or SciPy: where it is above `--tie`, the row is marked, and listed once more at the end.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

import dsl
from benchmarks.plain import along, elementwise, matrices
from benchmarks.plain.row import Row

ONE_CORE = {"NPROC": "1", "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "DSL_CACHE": "off"}
SECONDS, CALLS = 0.25, 300
IMPORTS = "import linalg\nimport special\nimport fft\n"


@dataclass(frozen=True, slots=True)
class Found:
    """Seconds of a call on both sides."""

    name: str
    ours: float
    numpy: float

    @property
    def ratio(self) -> float:
        return self.ours / self.numpy

    def line(self, tie: float) -> str:
        mark = "  behind" if self.ratio > tie else ""
        return f"{self.name:32}{self.ours * 1e3:10.3f}{self.numpy * 1e3:10.3f}{self.ratio:8.2f}{mark}"


def times(acts: Sequence[Callable[[], Any]]) -> list[float]:
    """The median of each of these, which run in turns."""
    found: list[list[float]] = [[] for _ in acts]
    for act in acts:
        act()
    while len(found[0]) < 5 or (sum(map(sum, found)) < SECONDS * len(acts) and len(found[0]) < CALLS):
        for act, taken in zip(acts, found, strict=True):
            start = time.process_time()
            act()
            taken.append(time.process_time() - start)
    return [statistics.median(each) for each in found]


def measured(row: Row, dtype: str, size: tuple[int, ...]) -> Found:
    there = {"f32": np.float32, "f64": np.float64}[dtype]
    made = row.arguments(np.random.default_rng(0), *size)
    given = [x.astype(there) if x.dtype.kind == "f" else x for x in made]
    f = dsl.program(f"{IMPORTS}def f{row.text.replace('F', dtype)}").f
    placed = [dsl.array(x) for x in given]

    def ours() -> Any:
        result = f(*placed)
        (result[0] if isinstance(result, tuple) else result).block_until_ready()
        return result

    if row.near:
        wanted = np.asarray(row.plain(*given))
        near = row.near * max(1.0, float(np.abs(wanted).max()))
        np.testing.assert_allclose(np.asarray(ours()), wanted, rtol=row.near, atol=near, err_msg=row.name)
    mine, theirs = times([ours, lambda: row.plain(*given)])
    return Found(f"{row.name} {dtype} {'×'.join(map(str, size))}", mine, theirs)


def measurements(names: Sequence[str], dtypes: Sequence[str]) -> Iterator[Found]:
    for row in (*elementwise.KERNELS, *along.KERNELS, *matrices.KERNELS):
        if not names or any(name in row.name for name in names):
            for dtype in dtypes:
                yield from (measured(row, dtype, size) for size in row.sizes)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="*", default=[])
    parser.add_argument("--dtypes", nargs="*", default=["f32", "f64"])
    parser.add_argument("--tie", type=float, default=1.1)
    options = parser.parse_args()
    found = []
    print(f"{'function':32}{'ours ms':>10}{'NumPy':>10}{'/NumPy':>8}")
    for each in measurements(options.only, options.dtypes):
        found.append(each)
        print(each.line(options.tie), flush=True)
    behind = sorted([each for each in found if each.ratio > options.tie], key=lambda each: -each.ratio)
    print(f"\n{len(behind)} of {len(found)} are behind:")
    print("\n".join([each.line(options.tie) for each in behind]))


if __name__ == "__main__":
    if any(os.environ.get(name) != value for name, value in ONE_CORE.items()):
        os.execve(sys.executable, [sys.executable, "-m", "benchmarks.plain", *sys.argv[1:]], os.environ | ONE_CORE)
    main()
