"""The least time that a machine takes for a kernel: a bound from what one core does, measured when the kernels are.

A kernel reads its arguments and writes its results at least once, and does the operations that `dsl.cost` counts. It
takes no less than either at the pace of the machine: that of products of matrices for operations, that of a copy for
bytes, in an array as large as what the kernel reads and writes. Operations that a better algorithm does not need are
counted, too, and all steps that the limit of a loop allows, so that a kernel may be below its bound. Of a loop without
a limit one step is counted. Read next: `__main__`, which prints it beside each row.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import matplotlib
import msgspec
import numpy as np

matplotlib.use("agg")
from matplotlib import pyplot

PRODUCT = 768
"""The rows of the matrices whose product is timed."""

FOOTPRINTS = (1 << 18, 1 << 22, 1 << 24, 1 << 27)
"""Bytes that a copy reads and writes: in the caches of a core, in those that cores share, and in memory."""

TIMES = 7


@dataclass(frozen=True, slots=True)
class Machine:
    """Operations with f64 that one core does in a second, and the bytes that it reads and writes, by footprint."""

    flops: float
    bandwidths: tuple[tuple[int, float], ...]

    def bandwidth(self, bytes: int) -> float:
        """That of the smallest footprint that holds so many bytes."""
        return next((pace for footprint, pace in self.bandwidths if footprint >= bytes), self.bandwidths[-1][1])

    def bound(self, flops: int, bytes: int) -> float:
        """The seconds that so many operations on so many bytes take at least."""
        return max(flops / self.flops, bytes / self.bandwidth(bytes))


@dataclass(frozen=True, slots=True)
class Point:
    """One kernel: its operations, its bytes, and its seconds."""

    name: str
    flops: int
    bytes: int
    seconds: float


def least(act: Callable[[], object], repeats: int) -> float:
    """The least seconds of the processor for one of several calls, each of which is repeated so often."""
    times = []
    for _ in range(TIMES):
        start = time.process_time()
        for _ in range(repeats):
            act()
        times.append((time.process_time() - start) / repeats)
    return min(times)


def measured_machine() -> Machine:
    """What one core does. The process must compute in one thread: `OPENBLAS_NUM_THREADS=1`."""
    random = np.random.default_rng(0)
    x = random.random((PRODUCT, PRODUCT))
    out = np.empty_like(x)
    flops = 2 * PRODUCT**3 / least(lambda: np.matmul(x, x, out=out), 1)
    return Machine(flops, tuple([(footprint, _pace(footprint)) for footprint in FOOTPRINTS]))


def _pace(footprint: int) -> float:
    source = np.ones(footprint // 16)
    target = np.empty_like(source)
    return footprint / least(lambda: np.copyto(target, source), max(1, (1 << 22) // footprint))


def draw(machine: Machine, points: Sequence[Point], path: Path) -> None:
    """Draw what kernels do in a second over their operations for each byte, under the roof of the machine."""
    figure, axes = pyplot.subplots(figsize=(9, 6))
    drawn = [point for point in points if point.flops and point.bytes]
    intensity = np.array([point.flops / point.bytes for point in drawn])
    paces = [point.flops / point.seconds / 1e9 for point in drawn]
    axes.scatter(intensity, paces, s=14, color="tab:blue", zorder=3)
    for point, x, y in zip(drawn, intensity, paces, strict=True):
        axes.annotate(point.name, (x, y), fontsize=5, xytext=(2, 2), textcoords="offset points")
    span = np.geomspace(min([0.01, *intensity]), max([1000.0, *intensity]), 200)
    for footprint, pace in machine.bandwidths:
        roof = np.minimum(machine.flops, span * pace) / 1e9
        axes.plot(span, roof, linewidth=0.8, label=f"{footprint / 2**20:g} MiB: {pace / 1e9:.0f} GB/s")
    axes.set(
        xscale="log", yscale="log", xlabel="operations / byte of arguments and results", ylabel="10⁹ operations / s"
    )
    axes.set_title(f"kernels on one core: {machine.flops / 1e9:.0f} · 10⁹ operations / s with f64")
    axes.legend(fontsize=7, title="what is copied")
    figure.tight_layout()
    figure.savefig(path, dpi=110, metadata={"Software": None})
    pyplot.close(figure)


if __name__ == "__main__":
    print(msgspec.json.encode(measured_machine()).decode())
