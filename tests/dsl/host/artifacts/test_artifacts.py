"""Artifacts: what they compute and say is what the program does, and they need neither parser, checker nor staging."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from threading import Barrier
from types import MappingProxyType
from typing import Any

import numpy as np
import pytest
from msgspec import structs

import dsl
from dsl.host.argument_errors import Problem
from dsl.host.artifacts import build
from dsl.host.artifacts.container import packed, unpacked
from lowering.xla import adapter, cache, shipping
from lowering.xla.places import Device

ROOT = Path(__file__).parents[4]
TEXT = """
import linalg
import random

enum Act = Square | Scale(by: float)

## A step.
def step(
    x: f32[n], p: {w: f32[n], b: f32}, k: idx[n], static times: int = 3, static act: Act = Square
) -> (f32[n], f32) ! check where n >= 2 else "a step has two elements" =
    assert sum(x) > 0.0, "x is positive"
    let y = match act with
        Square -> x * p.w * x
        Scale(by) -> x * p.w * by
    (y + times * p.b, y[k])

def noise(x: f32[n, n]) -> f32[n] ! rand = linalg.cholesky(x)[0] + random.normal(fresh_key(), [n])
def cube(x: f32[n]) -> f32 = sum(x * x * x)
def shout(x: f32) -> f32 ! io =
    print("{}", x)
    x
def adder(x: f32) -> (f32) -> f32 = fn y -> x + y
"""
X = np.array([1, 2, 3], np.float32)
P = MappingProxyType({"w": X, "b": 0.5})
Call = Callable[[Any], Any]


def struct(*shape: int) -> dsl.ShapeDtypeStruct:
    return dsl.ShapeDtypeStruct(shape, "float32")


@pytest.fixture(scope="module")
def program() -> dsl.Program:
    return dsl.program(TEXT)


@pytest.fixture(scope="module")
def folder(program: dsl.Program, tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("artifacts")
    calls = [{"x": struct(n), "p": {"w": struct(n), "b": 0.0}, "k": np.int32(0), "times": 2} for n in (3, 4)]
    dsl.save_artifact(made / "step.dslx", program.step, *calls)
    dsl.save_artifact(made / "noise.dslx", program.noise, {"x": struct(3, 3)})
    return made


@pytest.fixture(scope="module")
def step(folder: Path) -> dsl.Artifact:
    return dsl.load_artifact(folder / "step.dslx")


def outcome(function: Any, call: Call) -> object:
    """What a call gives, or what is said of it."""
    try:
        return [np.asarray(part).tolist() for part in call(function)]
    except dsl.DslError as error:
        return str(error)


CALLS: dict[str, Call] = {
    "right": lambda f: f(X, P, 1, times=2),
    "again": lambda f: f(x=X, p=P, k=1, times=2),
    "of lists": lambda f: f([1.0, 2.0, 3.0, 4.0], {"w": [1, 1, 1, 1], "b": 1}, 3, times=2),
    "missing": lambda f: f(X, times=2),
    "too many": lambda f: f(X, P, 1, 2, 3, 4, 5),
    "unknown name": lambda f: f(X, P, 1, times=2, depth=3),
    "sizes disagree": lambda f: f(X, {"w": X[:2], "b": 0.0}, 1, times=2),
    "rank": lambda f: f(X[None], P, 1, times=2),
    "dtype": lambda f: f(X.astype(np.float64), P, 1, times=2),
    "field": lambda f: f(X, {"w": X}, 1, times=2),
    "number": lambda f: f(X, {"w": X, "b": 1e60}, 1, times=2),
    "index": lambda f: f(X, P, 3, times=2),
    "static": lambda f: f(X, P, 1, times="many"),
    "condition": lambda f: f(X[:1], {"w": X[:1], "b": 0.5}, 0, times=2),
    "check": lambda f: f(-X, P, 1, times=2),
}


@pytest.mark.parametrize("call", CALLS)
def test_an_artifact_gives_and_says_what_its_program_does(call: str, program: dsl.Program, step: dsl.Artifact) -> None:
    assert outcome(step, CALLS[call]) == outcome(program.step, CALLS[call])


def test_static_arguments_that_all_programs_share_may_be_left_out(program: dsl.Program, step: dsl.Artifact) -> None:
    assert outcome(step, lambda f: f(X, P, 1)) == outcome(program.step, lambda f: f(X, P, 1, times=2))
    assert step.type == program.step.type
    assert step.doc == "A step."
    assert step.programs[0] == "(x: f32[3], p: {b: f32, w: f32[3]}, k: i32, times=2, act=Square)"


def test_what_was_not_built_is_refused(step: dsl.Artifact) -> None:
    with pytest.raises(dsl.ArgumentError, match=r"no program for \(x: f32\[2\], p: .*, k: i32, times=2, act=Square\)"):
        step(X[:2], {"w": X[:2], "b": 0.0}, 0)
    with pytest.raises(dsl.ArgumentError, match=r"E0918.* times=9, act=Square\)"):
        step(X, P, 1, times=9)


def test_a_static_argument_that_tells_programs_apart_is_asked_for(program: dsl.Program, tmp_path: Path) -> None:
    given = {"x": X, "p": P, "k": 1}
    calls = [{**given, "act": act} for act in (program.Square, program.Scale(2.0))]
    dsl.save_artifact(tmp_path / "a.dslx", program.step, *calls, devices=[])
    artifact = dsl.load_artifact(tmp_path / "a.dslx")
    with pytest.raises(dsl.ArgumentError, match=r"(?s)E0905.*`act` is missing.*programs for Square and Scale\(2.0\)"):
        artifact(X, P, 1)
    expected = program.step(X, P, 1, act=program.Scale(2.0))[0]
    for act in (program.Scale(2.0), "Scale(2.0)", "scale(by=2.0)"):
        assert np.array_equal(artifact(X, P, 1, act=act)[0], expected)
    with pytest.raises(dsl.ArgumentError, match=r"E0909.*no such variant; did you mean `Scale`"):
        artifact(X, P, 1, act="Scal(2.0)")


def test_defaults_of_arrays_are_those_of_the_function(tmp_path: Path) -> None:
    m = dsl.program("def f(x: f32[n], static k: int = 2, y: f32[n] = x + 1.0) -> f32[n] = x * k * y")
    dsl.save_artifact(tmp_path / "f.dslx", m.f, {"x": X})
    artifact = dsl.load_artifact(tmp_path / "f.dslx")
    assert np.array_equal(artifact(X), m.f(X))
    with pytest.raises(dsl.ArgumentError, match=r"(?s)E0918.*y: the default"):
        artifact(X, y=X)


def test_transformed_functions_are_built(program: dsl.Program, tmp_path: Path) -> None:
    many = dsl.vmap(dsl.grad(program.cube), in_axes=(1,))
    dsl.save_artifact(tmp_path / "a.dslx", many, {"x": struct(3, 2)})
    artifact = dsl.load_artifact(tmp_path / "a.dslx")
    x = np.arange(6, dtype=np.float32).reshape(3, 2)
    assert np.allclose(artifact(x), 3 * (x**2).T)
    with pytest.raises(dsl.TransformError, match="which has no axis 1"):
        artifact(X)


@pytest.mark.parametrize("name", ["shout", "adder"])
def test_what_an_artifact_cannot_hold_is_refused(name: str, program: dsl.Program, tmp_path: Path) -> None:
    with pytest.raises(dsl.DslError, match=r"E0970|E0917"):
        dsl.save_artifact(tmp_path / "a.dslx", getattr(program, name), {"x": 1.0})
    assert not (tmp_path / "a.dslx").exists()


def test_arguments_that_no_call_may_have_are_refused_when_it_is_built(tmp_path: Path) -> None:
    f = dsl.program("def f(x: f32[n], i: idx[n]) -> f32 = x[i]").f
    with pytest.raises(dsl.ArgumentError, match=r"E0912.*i holds 7, which is not an index below 3"):
        dsl.save_artifact(tmp_path / "a.dslx", f, {"x": dsl.ShapeDtypeStruct((3,), "f32"), "i": 7})
    assert not list(tmp_path.iterdir())


def test_code_of_another_machine_is_not_used(folder: Path, program: dsl.Program, tmp_path: Path) -> None:
    contents = unpacked(folder / "noise.dslx")
    (listed,) = contents.manifest.programs
    (code,) = listed.code
    foreign = structs.replace(listed, code=(structs.replace(code, machine="another"),))
    manifest = structs.replace(contents.manifest, programs=(foreign,))
    members = {**contents.members, code.member: b"no code at all"}
    (tmp_path / "a.dslx").write_bytes(packed(structs.replace(contents, manifest=manifest, members=members)))
    x = np.eye(3, dtype=np.float32)
    assert np.array_equal(dsl.load_artifact(tmp_path / "a.dslx")(x, key=5), program.noise(x, key=5))


BLOCKED = (
    *("lark", "typechecker", "jax", "dsl.syntax", "dsl.host.functions.function", "dsl.host.programs.program"),
    "dsl.staging.stage",
    *("dsl.staging.calls", "dsl.staging.control", "dsl.staging.effects", "dsl.staging.expressions"),
    *("dsl.staging.indexing", "dsl.staging.intrinsics", "dsl.staging.transforms"),
)
FRESH = """
import sys
class Blocked:
    def find_spec(self, name, path=None, target=None):
        if any(name == each or name.startswith(each + ".") for each in {blocked}):
            raise ImportError(f"{{name}} is loaded")
sys.meta_path.insert(0, Blocked())
import numpy as np
import dsl
x = np.array([1, 2, 3], np.float32)
y, last = dsl.load_artifact("step.dslx")(x, {{"w": x, "b": 0.5}}, 1, times=2)
print(y.tolist(), last.item(), dsl.load_artifact("noise.dslx")(np.eye(3, dtype=np.float32), key=5).tolist())
try:
    dsl.load_artifact("step.dslx")(x, {{"w": x}}, 1)
except dsl.ArgumentError as error:
    print(error)
"""


def test_a_process_without_parser_checker_and_staging_runs_artifacts(folder: Path, program: dsl.Program) -> None:
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "DSL_CACHE": "off"}
    command = [sys.executable, "-c", FRESH.format(blocked=BLOCKED)]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=300)
    y, last = program.step(X, P, 1, times=2)
    noise = program.noise(np.eye(3, dtype=np.float32), key=5)
    said = outcome(program.step, lambda f: f(X, {"w": X}, 1))
    assert done.stdout == f"{y.tolist()} {last.item()} {noise.tolist()}\n{said}\n", done.stderr


def test_an_artifact_of_a_program_that_is_kept_on_disk_runs(
    program: dsl.Program, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DSL_CACHE", "on")
    monkeypatch.setenv("DSL_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(cache, "WORTH", 0.0)
    expected = np.asarray(dsl.grad(program.cube)(X))  # compiled, and kept
    for name in ("first.dslx", "second.dslx"):
        dsl.save_artifact(tmp_path / name, dsl.grad(program.cube), {"x": struct(3)})
        assert np.asarray(dsl.load_artifact(tmp_path / name)(X)).tolist() == expected.tolist()


def test_routines_of_one_platform_are_not_run_on_another(tmp_path: Path) -> None:
    program = dsl.program(
        "import linalg\ndef f(a: f32[n, n]) -> f32[n, n] = linalg.inv(a)\ndef g(x: f32[n]) -> f32[n] = x"
    )
    gpu, path = (Device("cuda", 0, 0),), tmp_path / "f.dslx"
    dsl.save_artifact(path, program.f, {"a": dsl.ShapeDtypeStruct((2, 2), "float32")})
    with pytest.raises(Problem, match="no program for the platform `cuda`") as caught:
        dsl.load_artifact(path).builds.executable(0, gpu)
    assert caught.value.code == "E0918"
    dsl.save_artifact(path, program.g, {"x": dsl.ShapeDtypeStruct((2,), "float32")})
    with pytest.raises(dsl.DeviceError, match="cuda"):
        dsl.load_artifact(path).builds.executable(0, gpu)


def test_an_artifact_runs_what_a_call_runs(tmp_path: Path) -> None:
    """Intermediate arrays that no cache holds are computed in tiles, too."""
    program = dsl.program("def f(x: f64[n], y: f64[m]) -> f64[n] = [logsumexp(-((a - y) ** 2)) for a in x]")
    types = {name: dsl.ShapeDtypeStruct((3000,), "float64") for name in ("x", "y")}
    dsl.save_artifact(tmp_path / "f.dslx", program.f, types)
    found = dsl.load_artifact(tmp_path / "f.dslx")
    made = found.builds.executable(0, dsl.devices()[:1])
    assert adapter.memory_parts(made.raw)[0] < 1.1 * program.f.memory(np.zeros(3000), np.zeros(3000)).peak < 3000 * 3000


def test_programs_of_an_artifact_are_compiled_at_the_same_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    together, compiled = Barrier(2, timeout=60), shipping.code_for

    def code_for(*given: Any) -> Any:
        together.wait()
        return compiled(*given)

    monkeypatch.setattr(build, "code_for", code_for)
    monkeypatch.setattr(os, "cpu_count", lambda: 2)
    f = dsl.program("def f(x: f32[n]) -> f32[n] = 2.0 * x").f
    calls = [{"x": np.ones(n, np.float32)} for n in (2, 3)]
    dsl.save_artifact(tmp_path / "f.dslx", f, *calls)
    loaded = dsl.load_artifact(tmp_path / "f.dslx")
    for call in calls:
        assert loaded(**call).tolist() == f(**call).tolist()
