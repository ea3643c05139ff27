"""Two real processes train together as the page says, save what they have, and one is lost in a program."""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

import dsl
from tests.e2e.process_groups import ROOT, TRAINING, run_group

LOST = """
import os, sys, threading
path = os.path.join(os.path.dirname(__file__), "saved")
dsl.save(path, {"x": x, "w": w})
back = dsl.load_arrays(path, like={"x": x, "w": w})
assert all(a.data.tolist() == b.data.tolist() for a, b in zip(back["x"].addressable_shards, x.addressable_shards))
if dsl.distributed.process_id() == 1:
    threading.Timer(0.1, os._exit, (9,)).start()
try:
    while True:
        m.slope(w, x, y)
except dsl.DeviceError as error:
    sys.exit(str(error))
"""


FROZEN = """
import os, signal, sys, threading
import numpy as np
import dsl

dsl.distributed.initialize(timeout=2)
m = dsl.program('''
def long(x: f32[n], static k: int) -> f32[n] where n % 2 == 0 =
    let repeated = fn v -> fold y = v for _ in range(k) do 0.5 * y + psum(sum(y), "data")
    shard(repeated, mesh(data=2), {data = 0}, {data = 0})(x)
''')
m.long(np.ones(4, "f4"), k=2).block_until_ready()
if dsl.distributed.process_id() == 1:
    threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGSTOP)).start()
else:
    print("begins", flush=True)
try:
    m.long(np.ones(4, "f4"), k=10**9).block_until_ready()
except dsl.DeviceError as error:
    sys.exit(str(error))
"""


def test_a_process_that_is_frozen_in_a_collective_is_named(tmp_path: Path) -> None:
    """With one device each XLA computes within the call that starts the program."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        group = {"DSL_COORDINATOR": f"127.0.0.1:{free.getsockname()[1]}", "DSL_PROCESSES": "2", "DSL_CPU_DEVICES": "1"}
    file = tmp_path / "program.py"
    file.write_text(FROZEN, encoding="utf-8")

    def started(id: int) -> subprocess.Popen[str]:
        variables = {**os.environ, **group, "DSL_PROCESS": str(id), "PYTHONPATH": str(ROOT)}
        pipe = subprocess.PIPE
        return subprocess.Popen([sys.executable, str(file)], env=variables, stdout=pipe, stderr=pipe, text=True)

    with started(0) as waiting, started(1) as frozen:
        try:
            assert waiting.stdout is not None
            while "begins" not in waiting.stdout.readline():
                assert waiting.poll() is None
            begun = time.monotonic()
            _, said = waiting.communicate(timeout=60)
            assert time.monotonic() - begun < 0.5 + 2 + 5
        finally:
            frozen.kill()
            waiting.kill()
    last = "the last step that all processes began together is `long`"
    assert said.startswith(f"error[E1013]: process 1 has not answered for 2 s; {last}")
    assert waiting.returncode == 1


def test_two_processes_train_together_until_one_is_lost(tmp_path: Path) -> None:
    page = (ROOT / "docs" / "devices.md").read_text(encoding="utf-8")
    (script,) = re.findall(r"^```python file=train.py\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    (printed,) = re.findall(r"train.py +# (.*)", page)
    done = run_group(script + TRAINING + LOST, 2, tmp_path, DSL_CPU_DEVICES="1")
    assert done.stdout == printed + "\n"
    assert done.stderr.startswith("error[E1013]: process 1 has ended")
    assert done.returncode == 9  # that of the first to fail
    saved = dsl.load_arrays(tmp_path / "saved")
    own = [np.random.default_rng(id).normal(size=(50, 3)).astype("f4") for id in (0, 1)]
    assert np.array_equal(saved["x"], np.concatenate(own)) and saved["w"].shape == (3,)
