"""The memory of the gradient of attention at growing length, as `dsl.cost` estimates it and as a process takes it.

`python -m benchmarks.training.attention` measures each length in a process of its own, which reports the growth of its
largest resident size over that before the call.
"""

from __future__ import annotations

import resource
import subprocess
import sys

import numpy as np

import dsl

HEADS, FEATURES = 4, 64
LENGTHS = (1024, 2048, 4096, 8192)
TEXT = """
import nn
def by_blocks(x: f32[t, h, d]) -> f32[t, h, d] where h >= 1 =
    grad(fn (q, k, v) -> sum(nn.attention(q, k, v, is_causal=true) ** 2), argnums=(0, 1, 2))(x, x, x).1
def as_a_whole(x: f32[t, h, d]) -> f32[t, h, d] where t >= 1 and d >= 1 =
    grad(fn (q, k, v) -> sum(nn.dot_product_attention(q, k, v, is_causal=true) ** 2), argnums=(0, 1, 2))(x, x, x).1
"""


def largest() -> int:
    """The largest resident size of this process until now, in bytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def measured(name: str, length: int) -> int:
    """The memory that a call takes beyond that of a call of length 128."""
    f = getattr(dsl.program(TEXT), name)
    x = np.random.default_rng(0).normal(size=(length, HEADS, FEATURES)).astype(np.float32)
    f(x[:128]).block_until_ready()
    compiled = dsl.array(x)
    before = largest()
    f(compiled).block_until_ready()
    return largest() - before


def table() -> None:
    m = dsl.program(TEXT)
    print(f"{'':12} {'length':>7} {'dsl.cost':>10} {'process':>10}   of the gradient, MB")
    for name in ("by_blocks", "as_a_whole"):
        for length in LENGTHS if name == "by_blocks" else LENGTHS[:3]:
            peak = dsl.cost(getattr(m, name), t=length, h=HEADS, d=FEATURES).peak
            command = [sys.executable, "-m", "benchmarks.training.attention", name, str(length)]
            done = subprocess.run(command, capture_output=True, text=True, check=True)
            print(f"{name:12} {length:7} {peak / 1e6:10.1f} {int(done.stdout) / 1e6:10.1f}", flush=True)


if __name__ == "__main__":
    if len(sys.argv) == 3:
        print(measured(sys.argv[1], int(sys.argv[2])))
    else:
        table()
