"""Groups of real processes on the loopback address, of which one does what it should not.

`python -m tests.e2e.process_groups` runs all of it in groups of 2 and 4: each survivor names the culprit within
`timeout` and 5 seconds, and ends; no process is left behind. Before that, all of them train together.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from types import MappingProxyType

ROOT = Path(__file__).parents[2]

SETTING = """
import os, signal, sys, threading, time
import numpy as np
import dsl

culprit = int(os.environ["CULPRIT"])
dsl.distributed.initialize(timeout=5)
wrong = dsl.distributed.process_id() == culprit
count = dsl.device_count()
m = dsl.program('''
def total(x: f32[n], static k: int) -> f32 where n % k == 0 and k >= 1 =
    shard(fn v -> psum(sum(v), "data"), mesh(data=k), {data = 0}, none)(x)
def long(x: f32[n], static k: int) -> f32[n] where n % k == 0 and k >= 1 =
    let repeated = fn v -> fold y = v for _ in range(1000000000) do 0.5 * y + psum(sum(y), "data")
    shard(repeated, mesh(data=k), {data = 0}, {data = 0})(x)
def largest(x: f32[n], static k: int) -> f32 where n % k == 0 and k >= 1 =
    shard(fn v -> pmax(sum(v), "data"), mesh(data=k), {data = 0}, none)(x)
''')
x = np.arange(count, dtype="f4")
assert float(m.total(x, k=count)) == x.sum()
started = time.monotonic()
try:
    SCENARIO
except dsl.DeviceError as error:
    assert time.monotonic() - started < 10
    sys.exit(str(error))
"""

TRAINING = """
import numpy as np
import dsl

fully = dsl.program('''
def loss(w: f32[d], x: f32[n, d]) -> f32 = mean((x @ w - 1.0) ** 2)
def step(w: f32[d], x: f32[n, d], static k: int) -> f32[d] where d % k == 0 and n % k == 0 and k >= 1 =
    let rows = with_sharding(x, mesh(data=k), {data = 0})
    with_sharding(w - 0.1 * grad(loss)(with_sharding(w, mesh(data=k), {data = 0}), rows), mesh(data=k), {data = 0})
''')
count = dsl.device_count()
given, data = np.linspace(0, 1, 8, dtype="f4"), np.random.default_rng(0).normal(size=(16, 8)).astype("f4")
stepped = fully.step(fully.step(given, data, k=count), data, k=count)
assert {part.data.shape for part in stepped.addressable_shards} == {(8 // count,)}
for _ in range(2):
    given = given - 0.1 * data.T @ (data @ given - 1) / 8
np.testing.assert_allclose(dsl.distributed.gather(stepped), given, rtol=1e-5, atol=1e-6)
"""
"""Two steps with parameters in shares, which are those of one device."""

SCENARIOS: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "killed": ("os.kill(os.getpid(), signal.SIGKILL) if wrong else m.total(x, k=count)", "process {} has ended"),
        "killed in the midst": (
            "signal.setitimer(signal.ITIMER_REAL, 0.3) if wrong else None\n"
            "    for _ in range(10**6): m.total(x, k=count)",
            "process {} has ended",
        ),
        "killed in one program": (
            "wrong and threading.Timer(1, os.kill, (os.getpid(), signal.SIGKILL)).start()\n"
            "    m.long(x, k=count).block_until_ready()",
            "process {} has ended; the last step that all processes began together is `long`",
        ),
        "frozen": (
            "wrong and os.kill(os.getpid(), signal.SIGSTOP)\n    m.total(x, k=count)",
            "process {} did not come to `total`",
        ),
        "frozen in the midst": (
            "wrong and threading.Timer(3, os.kill, (os.getpid(), signal.SIGSTOP)).start()\n"
            "    started += 3\n"
            "    m.long(x, k=count).block_until_ready()",
            "process {} has not answered for 5 s; the last step that all processes began together is `long`",
        ),
        "a stray and lost": (
            "import subprocess\n"
            "    if wrong:\n"
            "        own = 'import dsl; dsl.distributed.initialize(timeout=5)'\n"
            "        stray = subprocess.run([sys.executable, '-c', own], capture_output=True, text=True)\n"
            "        assert f'two processes say that they are process {culprit}' in stray.stderr, stray.stderr\n"
            "    started = time.monotonic() + 60\n"
            "    m.total(x, k=count)\n"
            "    wrong and os._exit(9)\n"
            "    m.largest(x, k=count)",
            "process {} has ended",
        ),
        "raises": ("sys.exit('a mistake') if wrong else m.total(x, k=count)", "process {} has ended"),
        "late": ("time.sleep(7) if wrong else None\n    m.total(x, k=count)", "process {} did not come to `total`"),
        "another program": ("(m.largest if wrong else m.total)(x, k=count)", "process {} comes to `largest`"),
        "other sizes": ("m.total(np.ones(count * (2 if wrong else 1), 'f4'), k=count)", "comes to `total` of (f32["),
    }
)
"""What each process does, and what those say that are not to blame."""


def run_group(script: str, count: int, folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """A Python program in a group of so many processes, of two devices each."""
    file = folder / "program.py"
    file.write_text(script, encoding="utf-8")
    command = [sys.executable, "-m", "dsl", "run", "--processes", str(count), str(file)]
    variables = {**os.environ, "PYTHONPATH": str(ROOT), "DSL_CPU_DEVICES": "2", **environment}
    return subprocess.run(command, env=variables, capture_output=True, text=True, timeout=120, check=False)


def left_behind(folder: Path) -> list[str]:
    """The processes that still run a program of the folder, where the system lists processes as files."""
    lines = [path / "cmdline" for path in Path("/proc").glob("[0-9]*")]
    return [str(path) for path in lines if str(folder).encode() in read(path)]


def read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""


def main() -> None:
    failures = 0
    for count in (2, 4):
        with TemporaryDirectory() as folder:
            done = run_group(f"import dsl\ndsl.distributed.initialize()\n{TRAINING}", count, Path(folder))
        failures += done.returncode != 0
        print(f"fully sharded training, {count} processes: {'right' if done.returncode == 0 else done.stderr}")
    for name, (scenario, said) in SCENARIOS.items():
        for count, culprit in ((2, 0), (2, 1), (4, 2)):
            started = time.monotonic()
            with TemporaryDirectory() as folder:
                done = run_group(SETTING.replace("SCENARIO", scenario), count, Path(folder), CULPRIT=str(culprit))
                left = left_behind(Path(folder))
            right = said.format(culprit) in done.stderr and done.returncode != 0 and not left
            failures += not right
            print(
                f"{name}, process {culprit} of {count}: {time.monotonic() - started:.1f} s {'' if right else 'WRONG'}"
            )
            if not right:
                print(done.stdout, done.stderr)
    sys.exit(min(failures, 1))


if __name__ == "__main__":
    main()
