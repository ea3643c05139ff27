"""Stubs as mypy without the plugin and pyright read them: dicts come back as records of the stub, objects as such."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
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
def both(p: Params[d], q: Params[d]) -> Params[d] = p + q
def maybe(p: Params[1] = {w = [0.0], b = 0.0}) -> Params[1] = p
def total(ps: Params[d][n]) -> f32 = sum(ps.b)
def start(p: Params[d]) -> Nested[d] = {c = 0.0, p = p}
"""
USER = """
from dataclasses import dataclass
from typing import Any, NamedTuple, assert_type

import dsl
import model
import msgspec
import numpy as np

@dataclass
class Other:
    w: Any
    b: float

class Named(NamedTuple):
    w: list[float]
    b: float

class Struct(msgspec.Struct):
    w: Any
    b: float

@dataclass
class Outside:
    c: float
    p: model.Params

x = np.ones(3, np.float32)
p = model.init(3)
assert_type(p, model.Params)
p, found = model.step(p, x)
assert_type(found, model.Loss)
assert_type(model.step(p, x)[0], model.Params)
assert_type(model.step(p, x)[0]["w"], dsl.Array)
assert_type(model.step(Other(x, 1.0), x), tuple[Other, model.Loss])
assert_type(model.step(Named([1.0], 1.0), x), tuple[Named, model.Loss])
assert_type(model.step(Struct(x, 1.0), x), tuple[Struct, model.Loss])
assert_type(model.step({"w": x, "b": 1.0}, x), tuple[model.Params, model.Loss])
start = {"w": x, "b": np.float32(1.0)}
assert_type(model.step(start, x), tuple[model.Params, model.Loss])
assert_type(model.inner({"c": p["b"], "p": p}), model.Params)
assert_type(model.inner({"c": 1.0, "p": {"w": x, "b": 1.0}}), model.Params)
assert_type(model.inner(Outside(1.0, p)), Any)
assert_type(model.both(Other(x, 1.0), p), Other)
assert_type(model.both(p, Other(x, 1.0)), model.Params)
assert_type(model.maybe(), model.Params)
assert_type(model.maybe(Other(x, 1.0)), Any)
assert_type(model.pair(found, Other(x, 1.0)), model.Loss)
assert_type(model.total([p, p]), dsl.Array)
assert_type(model.start(p), model.Nested)
assert_type(model.start(Other(x, 1.0)), Any)
model.step(Other(x, 1.0), x)[0].v  # E
model.step(p, x)[0]["v"]  # E
model.step(3, x)  # E
model.init(3)["v"]  # E
"""


WRONG = [number for number, line in enumerate(USER.splitlines(), 1) if line.endswith("# E")]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "model.dsl").write_text(PROGRAM)
    (tmp_path / "user.py").write_text(USER)
    assert execute(["stubs", "--module", str(tmp_path / "model.dsl")]) == 0
    return tmp_path


def test_records_of_a_stub_come_back_as_such(project: Path) -> None:
    (project / "mypy.ini").write_text(CONFIG)
    paths = [str(project / name) for name in ("user.py", "model.pyi")]
    cache = str(ROOT / ".mypy_cache" / "stubs")
    report, faults, _ = api.run([*paths, "--config-file", str(project / "mypy.ini"), "--cache-dir", cache])
    assert not faults, faults
    errors = [line for line in report.splitlines() if ": error: " in line]
    assert [int(line.split(":")[1]) for line in errors if "user.py:" in line] == WRONG, report
    assert len(errors) == len(WRONG), report


def test_pyright_reads_the_same_and_finds_the_source(project: Path) -> None:
    config = {"extraPaths": [str(ROOT)], "typeCheckingMode": "strict", "pythonVersion": "3.11"}
    (project / "pyrightconfig.json").write_text(json.dumps(config))
    command = [sys.executable, "-m", "pyright", "--outputjson", "--pythonpath", sys.executable]
    done = subprocess.run([*command, "user.py", "model.pyi"], cwd=project, capture_output=True, text=True, timeout=300)
    told = json.loads(done.stdout)["generalDiagnostics"]
    assert {found["range"]["start"]["line"] + 1 for found in told} == set(WRONG), done.stdout
    assert {Path(found["file"]).name for found in told} == {"user.py"}


def test_a_module_beside_a_stub_is_imported_without_an_importer(project: Path) -> None:
    use = "import model; print(model.total([{'w': [1.0], 'b': 2.0}]), sorted(model.__all__)[:2], model.__doc__)"
    done = subprocess.run([sys.executable, "-c", use], cwd=project, capture_output=True, text=True, timeout=300)
    assert done.stdout.split() == ["2.0", "['Loss',", "'Nested']", "None"], done.stderr


def test_a_module_of_somebody_else_is_left_alone(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "model.py").write_text("mine = 1\n")
    assert execute(["stubs", "--module", str(project / "model.dsl")]) == 1
    assert "E0966" in capsys.readouterr().err
    assert (project / "model.py").read_text() == "mine = 1\n"
