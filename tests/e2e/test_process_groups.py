"""Two real processes train together as the page says, and one is lost in the midst of a program."""

from __future__ import annotations

import re
from pathlib import Path

from tests.e2e.process_groups import ROOT, run_group

LOST = """
import os, sys, threading
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
    done = run_group(script + LOST, 2, tmp_path, DSL_CPU_DEVICES="1")
    assert done.stdout == printed + "\n"
    assert done.stderr.startswith("error[E1013]: process 1 has ended, and the others cannot go on to ")
    assert done.returncode == 1
