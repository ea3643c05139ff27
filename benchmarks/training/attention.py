"""The memory of the gradient of attention at growing length, as `dsl.cost` estimates it and as a process takes it.

`python -m benchmarks.training.attention` measures each length in a process of its own, which reports how far its
resident size grows in a second call, after the memory of compiling is given back. It reads `/proc`, which Linux has.
"""

from __future__ import annotations

import ctypes
import os
import re
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

import dsl

DIRECTLY = {"MALLOC_MMAP_THRESHOLD_": "65536", "MALLOC_TRIM_THRESHOLD_": "0"}
"""Memory comes from the system for each array, and goes back to it."""

HEADS, FEATURES = 4, 64
LENGTHS = (2048, 4096, 8192, 16384)
TEXT = """
import nn
def by_blocks(x: f32[t, h, d]) -> f32[t, h, d] where h >= 1 =
    grad(fn (q, k, v) -> sum(nn.attention(q, k, v, is_causal=true) ** 2), argnums=(0, 1, 2))(x, x, x).1
def as_a_whole(x: f32[t, h, d]) -> f32[t, h, d] where t >= 1 and d >= 1 =
    grad(fn (q, k, v) -> sum(nn.dot_product_attention(q, k, v, is_causal=true) ** 2), argnums=(0, 1, 2))(x, x, x).1
"""


def resident(name: str) -> int:
    """A size of this process in bytes: `VmRSS` as it is, `VmHWM` the largest since it was reset."""
    found = re.search(rf"{name}:\s+(\d+) kB", Path("/proc/self/status").read_text())
    assert found is not None
    return 1024 * int(found[1])


def measured(name: str, length: int) -> int:
    """The memory that a call takes beside its argument."""
    f = getattr(dsl.program(TEXT), name)
    x = dsl.array(np.random.default_rng(0).normal(size=(length, HEADS, FEATURES)).astype(np.float32))
    f(x).block_until_ready()
    time.sleep(0.5)  # the threads of XLA give back what they took for the first call
    ctypes.CDLL(None).malloc_trim(0)
    before = resident("VmRSS")
    Path("/proc/self/clear_refs").write_text("5")
    f(x).block_until_ready()
    return resident("VmHWM") - before


def table() -> None:
    m = dsl.program(TEXT)
    print(f"{'':12} {'length':>7} {'dsl.cost':>10} {'process':>10}   of the gradient, MB")
    for name in ("by_blocks", "as_a_whole"):
        for length in LENGTHS if name == "by_blocks" else LENGTHS[:2]:
            peak = dsl.cost(getattr(m, name), t=length, h=HEADS, d=FEATURES).peak
            command = [sys.executable, "-m", "benchmarks.training.attention", name, str(length)]
            done = subprocess.run(command, capture_output=True, text=True, check=True, env=os.environ | DIRECTLY)
            print(f"{name:12} {length:7} {peak / 1e6:10.1f} {int(done.stdout) / 1e6:10.1f}", flush=True)


if __name__ == "__main__":
    if len(sys.argv) == 3:
        print(measured(sys.argv[1], int(sys.argv[2])))
    else:
        table()
