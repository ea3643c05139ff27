"""Two real processes train together as the page says, save what they have, and one is lost in a program."""

from __future__ import annotations

import re
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


def test_two_processes_train_together_until_one_is_lost(tmp_path: Path) -> None:
    page = (ROOT / "docs" / "devices.md").read_text(encoding="utf-8")
    (script,) = re.findall(r"^```python file=train.py\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    (printed,) = re.findall(r"train.py +# (.*)", page)
    done = run_group(script + TRAINING + LOST, 2, tmp_path, DSL_CPU_DEVICES="1")
    assert done.stdout == printed + "\n"
    assert done.stderr.startswith("error[E1013]: process 1 has ended")
    assert done.returncode == 1
    saved = dsl.load_arrays(tmp_path / "saved")
    own = [np.random.default_rng(id).normal(size=(50, 3)).astype("f4") for id in (0, 1)]
    assert np.array_equal(saved["x"], np.concatenate(own)) and saved["w"].shape == (3,)
