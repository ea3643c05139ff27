"""Stubs as mypy reads them, without the plugin: records of the stub come back as such, others as anything."""

from __future__ import annotations

from pathlib import Path

from mypy import api

from dsl.__main__ import execute

ROOT = Path(__file__).parents[3]
CONFIG = """
[mypy]
strict = True
[mypy-dsl.*,lowering.*,numpy.*,jaxtyping.*]
ignore_errors = True
[mypy-typechecker.*,lowering.stablehlo.*,dsl.staging.*,dsl.transforms.*,dsl.ops.*,dsl.ir.*,dsl.core.*,dsl.types.*]
follow_imports = skip
[mypy-jax.*,jaxlib.*,matplotlib.*,prompt_toolkit.*,pygments.*,traitlets.*,lsprotocol.*,pygls.*]
follow_imports = skip
"""
PROGRAM = """
type Params[d] = {w: f32[d], b: f32}
type Nested[d] = {c: f32, p: Params[d]}
type Loss = {loss: f32}
def init(static d: size) -> Params[d] = {w = zeros([d]), b = 0.0}
## One step.
def step(p: Params[d], x: f32[d]) -> (Params[d], Loss) = (p, {loss = sum(x * p.w)})
def inner(g: Nested[d]) -> Params[d] = g.p
def pair(a: Loss, p: Params[d]) -> Loss = {loss = a.loss + p.b}
"""
USER = """
from dataclasses import dataclass
from typing import Any, assert_type

import dsl
import model
import numpy as np

@dataclass
class Other:
    w: Any
    b: float

x = np.ones(3, np.float32)
p = model.init(3)
assert_type(p, model.Params)
for _ in range(3):
    p, found = model.step(p, x)
    assert_type(found, model.Loss)
assert_type(model.step(p, x)[0], model.Params)
assert_type(model.step(p, x)[0]["w"], dsl.Array)
assert_type(model.step(Other(x, 1.0), x), tuple[Any, model.Loss])
assert_type(model.step({"w": x, "b": 1.0}, x), tuple[Any, model.Loss])
assert_type(model.inner({"c": p["b"], "p": p}), model.Params)
assert_type(model.pair(found, Other(x, 1.0)), model.Loss)
model.step(p, x)[0]["v"]  # E
model.step(3, x)  # E
model.init(3)["v"]  # E
"""


def test_records_of_a_stub_come_back_as_such(tmp_path: Path) -> None:
    (tmp_path / "model.dsl").write_text(PROGRAM)
    assert execute(["stubs", str(tmp_path / "model.dsl")]) == 0
    (tmp_path / "user.py").write_text(USER)
    (tmp_path / "mypy.ini").write_text(CONFIG)
    paths = [str(tmp_path / name) for name in ("user.py", "model.pyi")]
    cache = str(ROOT / ".mypy_cache" / "stubs")
    report, faults, _ = api.run([*paths, "--config-file", str(tmp_path / "mypy.ini"), "--cache-dir", cache])
    assert not faults, faults
    errors = [line for line in report.splitlines() if ": error: " in line]
    wrong = [number for number, line in enumerate(USER.splitlines(), 1) if line.endswith("# E")]
    assert [int(line.split(":")[1]) for line in errors if "user.py:" in line] == wrong, report
    assert len(errors) == len(wrong), report
